//! What is being typed, completed: `/` commands from their table, files of the workspace after an `@`, and by tab the
//! paths of a command of one's own. A small list above the composer; tab or enter takes a row, esc closes it. Taking a
//! file inserts its path and nothing else: the model reads it by its tools, if it may.

use std::collections::BTreeSet;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::State;
use super::event::{Effect, Millis, Pane};
use super::fuzzy::Fuzzy;
use super::keymap::{Command, Context};
use super::slash::SLASH;

/// Most rows that are offered.
const MOST: usize = 50;
/// Most files that are looked through for the folders that they lie in.
const MOST_LISTED: usize = 20_000;
/// How long a list of files is taken for fresh, in milliseconds.
const FRESH: u64 = 10_000;

/// What is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What was typed so far, its sign included.
    pub typed: String,
    /// The rows, best first: what is typed, and more about it.
    pub rows: Vec<(String, String)>,
    /// Which of them is taken.
    pub at: usize,
    /// Where it begins: line and column.
    start: (usize, usize),
    /// What is inserted for each row.
    inserted: Vec<String>,
    /// What was typed is whole already: enter sends it.
    whole: bool,
}

/// The files that an `@` offers.
#[derive(Clone, Debug, Default)]
pub struct Files {
    listed: Arc<[String]>,
    asked: Option<Millis>,
    /// Whose folder was asked for: where the person's own commands run, or where the model works.
    own: bool,
    /// Where tab was pressed in a command, and whether the files are still awaited.
    tabbed: Option<((usize, usize), bool)>,
    /// A list that was closed is not opened again at the same place.
    closed: Option<(usize, usize)>,
}

impl State {
    /// What is offered for what is being typed.
    #[must_use]
    pub fn completion(&self) -> Option<&Completion> {
        self.completion.as_ref().filter(|_| self.modal.is_none() && self.focus == Pane::Composer)
    }

    /// The files of the workspace came. True, as the screen changes.
    pub(super) fn files(&mut self, listed: Arc<[String]>) -> bool {
        self.files.listed = listed;
        self.complete(&mut Vec::new());
        self.settle_path();
        true
    }

    /// Asks for the files of the folder that is meant, unless they were listed just now. False if they are awaited.
    fn list_files(&mut self, effects: &mut Vec<Effect>) -> bool {
        let own = self.composer.runs();
        let fresh = self.files.own == own && self.files.asked.is_some_and(|asked| self.now.since(asked) < FRESH);
        if !fresh {
            self.files.asked = Some(self.now);
            self.files.own = own;
            effects.push(Effect::ListFiles { own });
        }
        fresh
    }

    /// Completes the path before the cursor in a command of the person's own. False where none is typed.
    pub(super) fn complete_path(&mut self, effects: &mut Vec<Effect>) -> bool {
        let (row, left, _) = self.composer.around();
        if self.linear || !self.composer.runs() || row == 0 && left.trim_start_matches('!').trim().is_empty() {
            return false;
        }
        let (start, _) = token(row, &left);
        self.files.closed = None;
        self.files.tabbed = Some((start, true));
        if self.list_files(effects) {
            self.complete(effects);
            self.settle_path();
        }
        true
    }

    /// The files that tab waits for are there: the only one that fits is taken at once, and that none does is said.
    fn settle_path(&mut self) {
        let Some((_, awaited)) = &mut self.files.tabbed else { return };
        if !std::mem::take(awaited) {
            return;
        }
        match self.completion.as_ref().map(|completion| completion.rows.len()) {
            Some(1) => self.take_offer(),
            Some(_) => {}
            None => {
                let (row, left, right) = self.composer.around();
                if !at_end(&right) {
                    self.hint = Some("Tab completes a path at its end: the cursor is inside a word.".to_owned());
                    return;
                }
                let (_, typed) = token(row, &left);
                let key = self.keymap.key(Context::Everywhere, Command::PreviousPane).unwrap_or_default();
                self.hint = Some(format!("No path here begins with `{typed}`. {key} goes to the other panes."));
            }
        }
    }

    /// Looks at what stands before the cursor, after every key there.
    pub(super) fn complete(&mut self, effects: &mut Vec<Effect>) {
        let before = self.completion.take();
        if self.focus != Pane::Composer || self.linear {
            return;
        }
        let (row, left, right) = self.composer.around();
        let (start, token) = token(row, &left);
        self.files.tabbed.take_if(|(tabbed, _)| *tabbed != start);
        let ends = at_end(&right);
        if self.files.closed.is_some_and(|closed| closed != start) || token.is_empty() {
            self.files.closed = None;
        }
        if !ends || self.files.closed.is_some() {
            return;
        }
        self.completion = if let (Some(word), (0, 0)) = (token.strip_prefix('/'), start) {
            commands(word, start)
        } else if let Some(path) = token.strip_prefix('@') {
            if before.is_none() {
                self.list_files(effects);
            }
            files(path, start, &self.files.listed)
        } else if self.files.tabbed.is_some() {
            paths(&token, start, &self.files.listed)
        } else {
            None
        };
    }

    /// A key while something is offered. False if it is typing.
    pub(super) fn completion_key(&mut self, key: KeyEvent) -> bool {
        if self.completion().is_none() || key.modifiers != KeyModifiers::NONE {
            return false;
        }
        let Some(completion) = &mut self.completion else { return false };
        let last = completion.rows.len().saturating_sub(1);
        match key.code {
            KeyCode::Up => completion.at = completion.at.checked_sub(1).unwrap_or(last),
            KeyCode::Down => completion.at = if completion.at == last { 0 } else { completion.at + 1 },
            KeyCode::Esc => {
                self.files.closed = Some(completion.start);
                self.completion = None;
            }
            KeyCode::Enter if completion.whole => {
                self.completion = None;
                return false;
            }
            KeyCode::Tab | KeyCode::Enter => self.take_offer(),
            _ => return false,
        }
        true
    }

    fn take_offer(&mut self) {
        let Some(completion) = self.completion.take() else { return };
        if let Some(text) = completion.inserted.get(completion.at) {
            self.composer.replace(completion.typed.chars().count(), text);
            // What was taken is not offered again.
            self.files.closed = Some(completion.start);
        }
    }
}

/// Whether a word ends at the cursor, by what stands behind it.
fn at_end(right: &str) -> bool {
    right.chars().next().is_none_or(char::is_whitespace)
}

/// What stands before the cursor up to a blank, and where it begins.
fn token(row: usize, left: &str) -> ((usize, usize), String) {
    let token = left.rsplit(char::is_whitespace).next().unwrap_or_default();
    let token = if row == 0 && token.len() == left.len() { token.trim_start_matches('!') } else { token };
    ((row, left.chars().count() - token.chars().count()), token.to_owned())
}

/// Files and folders that begin with what is typed, one step of a path at a time, as a shell offers them.
fn paths(typed: &str, start: (usize, usize), listed: &[String]) -> Option<Completion> {
    let plain = typed.strip_prefix("./").unwrap_or(typed);
    let step = |file: &String| {
        let rest = file.strip_prefix(plain)?;
        let end = rest.find('/').map_or(file.len(), |at| plain.len() + at + 1);
        Some(file[..end].to_owned())
    };
    let found: BTreeSet<String> = listed.iter().filter_map(step).take(MOST_LISTED).collect();
    let found: Vec<String> = found.into_iter().take(MOST).collect();
    if found.is_empty() {
        return None;
    }
    let inserted = |path: &String| {
        // A name that begins with a hyphen would be a flag.
        let here = if path.starts_with('-') || typed.starts_with("./") { "./" } else { "" };
        let safe = path.chars().all(|c| c.is_alphanumeric() || "_-./+@%,:=".contains(c));
        let word = if safe { format!("{here}{path}") } else { format!("'{here}{}'", path.replace('\'', r"'\''")) };
        if path.ends_with('/') { word } else { format!("{word} ") }
    };
    Some(Completion {
        typed: typed.to_owned(),
        at: 0,
        start,
        inserted: found.iter().map(inserted).collect(),
        rows: found.into_iter().map(|path| (path, String::new())).collect(),
        whole: false,
    })
}

/// Commands that begin with what is typed; without one, those that have its letters.
fn commands(word: &str, start: (usize, usize)) -> Option<Completion> {
    let mut fuzzy = Fuzzy::new(word);
    let begins = SLASH.iter().any(|slash| slash.word.starts_with(word));
    let fitting = SLASH.iter().filter(|slash| !begins || slash.word.starts_with(word));
    let mut found: Vec<_> = fitting.filter_map(|slash| Some((fuzzy.score(slash.word)?, slash))).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(if begins { 0 } else { *score }));
    if found.is_empty() {
        return None;
    }
    Some(Completion {
        typed: format!("/{word}"),
        rows: found.iter().map(|(_, slash)| (slash.usage(), slash.says.to_owned())).collect(),
        at: 0,
        start,
        inserted: found.iter().map(|(_, slash)| inserted(slash.word, slash.takes)).collect(),
        whole: found.iter().any(|(_, slash)| slash.word == word),
    })
}

fn inserted(word: &str, takes: &str) -> String {
    format!("/{word}{}", if takes.is_empty() { "" } else { " " })
}

/// Files whose paths have the letters typed, the shortest first where nothing is.
fn files(path: &str, start: (usize, usize), listed: &[String]) -> Option<Completion> {
    let mut fuzzy = Fuzzy::paths(path);
    let mut found: Vec<(u32, &String)> = listed.iter().filter_map(|file| Some((fuzzy.score(file)?, file))).collect();
    found.sort_by_key(|(score, file)| (std::cmp::Reverse(*score), file.matches('/').count(), file.len()));
    found.truncate(MOST);
    if found.is_empty() {
        return None;
    }
    let quoted = |file: &String| if file.contains(' ') { format!("\"{file}\" ") } else { format!("{file} ") };
    Some(Completion {
        typed: format!("@{path}"),
        rows: found.iter().map(|(_, file)| ((*file).clone(), String::new())).collect(),
        at: 0,
        start,
        inserted: found.iter().map(|(_, file)| quoted(file)).collect(),
        whole: false,
    })
}
