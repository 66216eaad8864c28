//! What runs unasked changes nothing: every allowed command of the rule files' examples and of the corpora really runs,
//! without walls, in a throw-away folder inside a cage that tells each path that was touched, on the whole disk.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/cage.rs"]
mod cage;
mod common;
#[path = "common/examples.rs"]
mod examples;
#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/notes.rs"]
mod notes;
#[path = "common/present.rs"]
mod present;
#[path = "common/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use cage::Cage;
use countersign::assess::{AssessSettings, CommandAssessor};
use countersign::domain::{
    Claim, CommandOperation, Enforceable, Grants, Operation, OperationId, OperationKind, Origin, Policy, Verdict, judge,
};
use left_out::{left_out, not_here};

/// Seconds that a line may take.
const LIMIT: u64 = 2;
/// One line of so many runs, or of as many as `COUNTERSIGN_WATCHED` says: 1 is all of them.
const SHARE: usize = 4;

#[test]
fn in_the_cage() {
    cage::serve();
}

/// Says it on standard error itself: the test harness swallows what passing tests print.
fn say(text: &str) {
    let _unseen = writeln!(std::io::stderr(), "{text}");
}

/// A cage, or none after saying that it is left out.
fn cage(what: &str) -> Option<Cage> {
    let cage = Cage::new(LIMIT);
    if let Err(why) = cage.stands() {
        not_here(what, &format!("no cage can be put up here: {why}"));
        return None;
    }
    Some(cage)
}

/// Whether `countersign assess` allows a line in a folder.
fn allowed(line: &str, cage: &Cage) -> bool {
    let place = countersign::domain::Place { home: Some(cage.home()), ..common::place(&cage.work()) };
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Model { call_id: "1".to_owned() },
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command: line.to_owned(), timeout: None, terminal: false }),
        cwd: place.cwd.clone(),
    };
    let path = std::env::var_os("PATH");
    let settings = AssessSettings::default();
    let prepared = countersign::tools::prepare(&CommandAssessor, operation, &place, path.as_deref(), &settings);
    let walls = Enforceable { read_only_command: true, ..Enforceable::default() };
    judge(&prepared, &Policy::default(), &Grants::default(), walls, false).verdict == Verdict::Allow
}

#[test]
fn an_allowed_command_changes_not_a_byte() {
    let Some(cage) = cage("allowed commands under watch") else { return };
    let mut lines: BTreeSet<String> = examples::allowed().into_iter().map(|example| example.command).collect();
    match examples::corpus(false) {
        Some(more) => lines.extend(more),
        None => left_out("the corpora's commands under watch", "set COUNTERSIGN_CORPUS to their folder"),
    }
    let share = std::env::var("COUNTERSIGN_WATCHED").ok().and_then(|share| share.parse().ok()).unwrap_or(SHARE);
    let lines = lines.into_iter().step_by(std::cmp::max(share, 1));
    let lines: Vec<String> = lines.filter(|line| allowed(line, &cage)).collect();
    world::fill(&cage.work(), &cage.home(), &lines);
    let count = lines.len();
    // What steers a program may have come with the files: only what is still allowed runs.
    let lines: Vec<String> = lines.into_iter().filter(|line| allowed(line, &cage)).collect();
    let (mut run, mut without, mut programs) = (Vec::new(), 0, BTreeSet::new());
    for line in &lines {
        let missing = present::missing(line);
        if missing.is_empty() || missing.len() < present::programs(line).len() {
            run.push(line.clone());
        } else {
            without += 1;
            programs.extend(missing);
        }
    }
    let found = cage.run(&run);
    say(&format!(
        "under watch: {count} commands allowed, {} of them among the files that they name; {} ran ({} to the time limit \
         of {LIMIT} s), {without} left out as their {} programs aren't here; {} touched something",
        lines.len(),
        run.len(),
        found.limited,
        programs.len(),
        found.touching.len()
    ));
    let told: Vec<_> =
        found.touching.iter().map(|(line, paths)| format!("{line}\n  {}", cage::joined(paths))).collect();
    assert!(told.is_empty(), "touched the disk:\n{}", told.join("\n"));
}

/// The watch sees what happens, so its silence means something.
#[test]
fn what_touches_the_disk_is_seen() {
    let Some(cage) = cage("the watch over commands") else { return };
    world::fill(&cage.work(), &cage.home(), &[]);
    let lines = [
        "echo x >> notes.txt",
        ": >> notes.txt",
        "touch ~/new",
        "chmod 600 notes.txt",
        "mkdir d && rmdir d",
        "rm notes.txt",
        "mv notes.txt other.txt",
        "touch -a README.md",
        "ln README.md hard",
        "echo x > /tmp/left",
        "echo x > /etc/planted",
        "git add -A",
        "git branch another",
        "(sleep 0.1; echo x > late) & wait",
    ]
    .map(str::to_owned);
    let found = cage.run(&lines);
    let seen: Vec<_> = found.touching.iter().map(|(line, _)| line.clone()).collect();
    assert_eq!(seen, lines, "{:?}", found.touching);
    assert!(cage.run(&["ls; git status; cat notes.txt | sort".to_owned()]).touching.is_empty());
    assert!(!Path::new("/etc/planted").exists() && !cage.work().join("late").exists());
}
