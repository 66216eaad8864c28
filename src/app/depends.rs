//! What an operation can't find because the one that was to make it was denied. What was approved before that waits
//! again.

use std::path::PathBuf;

use super::State;
use super::queue::{Item, Queue, Status};
use crate::assess::{Making, made, named_from};
use crate::domain::{Decider, FileOperation, FindOperation, OperationId, OperationKind, SearchOperation, Standing};

/// Bytes of an operation's text that are looked through.
const SOUGHT: usize = 10_000;
/// Words of a command behind whose folder names start from there.
const ELSEWHERE: [&str; 4] = ["cd", "pushd", "-C", "--directory"];

/// A file or a table that was to be there first, and won't be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// Its name, as it was spelled.
    pub name: String,
    /// What was to be done to it: `write`, `create`, `change`.
    pub what: &'static str,
    /// The operation that was to do it, denied.
    pub by: OperationId,
}

/// What an operation would make or write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Makes {
    /// Its name, as it is spelled.
    name: String,
    thing: Thing,
    way: Making,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Thing {
    /// A file or a folder.
    Path(PathBuf),
    /// A table or a view.
    Table(String),
}

impl Queue {
    /// What an operation that has not started will miss: what another one of the same turn was to write or create, which
    /// was denied, and that it names without making it anew.
    #[must_use]
    pub fn lacks(&self, id: OperationId) -> Option<Lack> {
        let item = self.get(id).filter(|item| matches!(item.status, Status::Waiting | Status::Allowed { .. }))?;
        let same_turn = self.before(id).take_while(|other| other.turn == item.turn);
        let mut denied = same_turn.filter(|other| matches!(other.status, Status::Denied { .. }));
        denied.find_map(|other| item.lacks_of(other))
    }

    /// What the person approved while `denied` was still to make what it names.
    fn relied_on(&self, denied: OperationId) -> Vec<OperationId> {
        let Some(denied) = self.get(denied) else { return Vec::new() };
        let by_person = |item: &&Item| {
            let standing = self.gate.standing(item.id);
            matches!(standing, Some(Standing::Allowed(Decider::Person | Decider::PersonAll)))
        };
        let behind = self.all().filter(|item| item.id > denied.id && item.turn == denied.turn);
        let relied = behind.filter(|item| matches!(item.status, Status::Allowed { .. })).filter(by_person);
        relied.filter(|item| item.lacks_of(denied).is_some()).map(|item| item.id).collect()
    }
}

impl State {
    /// What the person approved on the assumption that `denied` runs waits for them again.
    pub(super) fn ask_again_without(&mut self, denied: OperationId) {
        for id in self.queue.relied_on(denied) {
            let Some(prepared) = self.queue.gate.prepared(id).cloned() else { continue };
            if self.queue.gate.put_back(id, prepared).is_some() {
                self.requeue(id, format!("You approved it while {denied} was still to run."));
            }
        }
    }
}

impl Item {
    /// What it names without making it anew, and another one was to write or create.
    fn lacks_of(&self, other: &Self) -> Option<Lack> {
        let missing = |made: &&Makes| names(self, &made.thing) && !self.makes_anew(&made.thing);
        let made = other.makes().iter().find(missing)?;
        let what = match made.way {
            Making::Created => "create",
            Making::Written => "write",
            Making::Changed => "change",
        };
        Some(Lack { name: made.name.clone(), what, by: other.id })
    }

    /// What it would make or write, looked for once.
    fn makes(&self) -> &[Makes] {
        self.makes.get_or_init(|| makes(self))
    }

    fn makes_anew(&self, thing: &Thing) -> bool {
        self.makes().iter().any(|own| own.thing == *thing && own.way != Making::Changed)
    }
}

fn makes(item: &Item) -> Vec<Makes> {
    let Some(prepared) = &item.prepared else { return Vec::new() };
    let file = |path: &String, way| {
        vec![Makes { name: path.clone(), thing: Thing::Path(named_from(path, &prepared.facts.place)), way }]
    };
    match &prepared.operation.kind {
        OperationKind::File(FileOperation::Write { path, .. }) => file(path, Making::Written),
        OperationKind::File(FileOperation::Edit { path, .. }) => file(path, Making::Changed),
        OperationKind::File(FileOperation::Move { destination, .. }) => file(destination, Making::Written),
        OperationKind::Command(command) if command.command.len() <= SOUGHT => {
            let told = made(&command.command, &prepared.facts).into_iter();
            told.map(|made| Makes { name: made.name, thing: Thing::Path(made.path), way: made.way }).collect()
        }
        OperationKind::Sql(sql) if creates(&sql.sql) => {
            let tables = prepared.assessment.shapes.iter().filter_map(|shape| shape.0.get("table"));
            let made =
                |name: &String| Makes { name: name.clone(), thing: Thing::Table(name.clone()), way: Making::Created };
            tables.map(made).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a statement makes a table or a view.
fn creates(sql: &str) -> bool {
    let mut words = sql.split_whitespace().map(str::to_ascii_lowercase);
    let between = ["or", "replace", "temp", "temporary", "unlogged", "materialized"];
    words.next().is_some_and(|word| word == "create")
        && words.find(|word| !between.contains(&word.as_str())).is_some_and(|word| word == "table" || word == "view")
}

/// Whether an operation names a thing, or what lies in it: a path as a word of its own, or a table.
fn names(item: &Item, thing: &Thing) -> bool {
    let Some(prepared) = &item.prepared else { return false };
    let leads = |word: &str| match thing {
        Thing::Path(path) => named_from(word, &prepared.facts.place).starts_with(path),
        Thing::Table(_) => false,
    };
    match &prepared.operation.kind {
        OperationKind::File(file) => leads(file.path()),
        OperationKind::Command(command) => {
            words(&command.command[..command.command.floor_char_boundary(SOUGHT)]).any(leads)
        }
        OperationKind::Search(SearchOperation { path: Some(path), .. })
        | OperationKind::Find(FindOperation { path: Some(path), .. }) => leads(path),
        OperationKind::Sql(_) => {
            let tables = prepared.assessment.shapes.iter().filter_map(|shape| shape.0.get("table"));
            tables.into_iter().any(|table| *thing == Thing::Table(table.clone()))
        }
        _ => false,
    }
}

/// The words of a command that name something from where it runs: none behind the folder that it goes into.
fn words(command: &str) -> impl Iterator<Item = &str> {
    let apart = |c: char| c.is_whitespace() || "\"'`=:;,()<>|&".contains(c);
    let mut left = None;
    command.split(apart).filter(|word| !word.is_empty()).map_while(move |word| {
        match &mut left {
            Some(0) => return None,
            Some(left) => *left -= 1,
            None if ELSEWHERE.contains(&word) => left = Some(1),
            None => {}
        }
        Some(word)
    })
}
