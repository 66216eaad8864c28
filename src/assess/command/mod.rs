//! Judges shell commands. One parse tree, walked once: every simple command's words, after quotes and expansions,
//! are judged by tables of programs. Only what is understood is trusted; nothing here runs or looks at anything.
//!
//! `parse` bounds and parses; `walk` follows structure, variables and folders; `expand` turns words into what they
//! may become (`word`; `braces`, `arithmetic`); `programs` picks who judges a command: a wrapper, a special program,
//! or `table` by `argv`. `obeys` looks for files of the workspace that steer what passed.

mod acts;
mod argv;
mod arithmetic;
mod array;
mod awk;
mod behind;
mod bites;
mod braces;
mod brackets;
mod builtin;
mod catalogs;
mod chain;
mod class;
mod clients;
mod columns;
mod danger;
mod danger_kind;
mod dashes;
mod destinations;
mod dialect;
mod documents;
mod eligible;
mod escapes;
mod expand;
mod exposed;
mod fd;
mod fields;
mod filter;
mod find;
mod flags;
mod forms;
mod function;
mod git;
mod handed;
mod index;
mod judge;
mod kind;
mod lines;
mod listed;
mod listers;
mod loops;
mod many;
mod meanings;
mod naming;
mod needs;
mod numbers;
mod obeys;
mod otherwise;
mod own;
mod owners;
mod parameters;
mod parse;
mod parted;
mod path;
mod picks;
mod plain;
mod programs;
mod ps;
mod published;
mod raw;
mod reading;
mod recorded;
mod redirect;
mod refs;
mod regex;
mod revisions;
mod rewriting;
mod rules;
mod scope;
mod searching;
mod sed;
mod selectors;
mod settings;
mod source;
mod steering;
mod table;
mod taker;
mod telling;
mod titles;
mod uncertain;
mod unguarded;
mod vague;
mod walk;
mod web;
mod word;
mod wrapper;
mod xargs;

#[cfg(test)]
mod spans;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub use self::acts::{
    Act, Bringer, Bringing, Clash, Does, Goal, Linking, Made, Making, Receivers, Signal, Size, Strip, acts, made,
    named_from,
};
pub use self::destinations::{Destination, REACHING, destinations};
pub use self::git::SET_FOR_GIT;
use self::judge::{Judge, Objects};
use self::needs::Way;
pub use self::plain::foreign_settings;
pub use self::reading::{ReadCommand, read};
pub use self::searching::{Folders, Lister, Search};
use self::table::table;
pub use self::word::{Piece, Word};
use super::hidden::as_it_looks;
use super::{Mentions, RiskAssessor, Sensitive, Subject};
use crate::domain::{Assessment, Class, Containment, Finding, OperationKind, Place, Shape};

/// Judges the operations of `execute_command`.
#[derive(Clone, Copy, Debug)]
pub struct CommandAssessor;

impl RiskAssessor for CommandAssessor {
    fn mentions(&self, kind: &OperationKind, place: &Place) -> Mentions {
        self.mentions_in(kind, place, &BTreeMap::new())
    }

    fn mentions_in(&self, kind: &OperationKind, place: &Place, lists: &BTreeMap<String, Vec<String>>) -> Mentions {
        let OperationKind::Command(command) = kind else { return Mentions::default() };
        // Where something sensitive is named it asks anyway, whatever else is mentioned.
        let sensitive = Sensitive::idle();
        let mut judge = Judge::new(place, None, &sensitive, &command.command);
        judge.lists = lists;
        judge.whole(&command.command);
        judge.mentions
    }

    fn assess(&self, subject: Subject<'_>) -> Assessment {
        let OperationKind::Command(command) = &subject.operation.kind else { return Assessment::default() };
        let place = &subject.facts.place;
        let mut judge = Judge::new(place, Some(subject.facts), &subject.settings.sensitive, &command.command);
        judge.whole(&command.command);
        judge.of_shell(&command.command);
        let mut assessment = assessment(judge);
        if let Some(seen) = as_it_looks(&command.command) {
            let more = dangers(&seen, subject, &assessment);
            assessment.findings.extend(more);
        }
        parse::forget();
        if command.terminal { in_terminal(assessment) } else { assessment }
    }
}

/// What a command with characters that nobody sees does without them, beside what was found of it as it stands.
fn dangers(seen: &str, subject: Subject<'_>, found: &Assessment) -> Vec<Finding> {
    let mut judge = Judge::new(&subject.facts.place, Some(subject.facts), &subject.settings.sensitive, seen);
    judge.whole(seen);
    let danger = |finding: &Finding| matches!(finding.class, Class::Declared(_) | Class::Catastrophe);
    let known = |finding: &Finding| found.findings.iter().any(|known| known.sentence == finding.sentence);
    let more = judge.findings.into_iter().filter(|finding| danger(finding) && !known(finding));
    more.map(|finding| Finding {
        sentence: format!("Without its hidden characters: {}", finding.sentence),
        span: None,
        ..finding
    })
    .collect()
}

/// The same in a terminal, which walls can't be put up around: whoever can type into it can say anything.
fn in_terminal(mut assessment: Assessment) -> Assessment {
    let sentence = "Gets a terminal of its own, which you can type into; no walls are around it.";
    assessment.findings.push(Finding::new("command.terminal", Class::Unknown, sentence));
    Assessment {
        containment: Containment::None,
        needs: BTreeSet::new(),
        hosts: BTreeSet::new(),
        claim_eligible: false,
        ..assessment
    }
}

/// What the judge's findings add up to.
fn assessment(mut judge: Judge<'_>) -> Assessment {
    let target = judge.place.workspace.display().to_string();
    let ways: Vec<_> = judge.readers.iter().filter_map(|reader| table().way(reader)).collect();
    if ways.iter().any(|way| way.web) && (judge.staged || ways.iter().any(Way::beside_web)) {
        let sentence =
            "What looks at public hosts runs with a proxy alone for a network, and the rest needs another one.";
        judge.ineligible = true;
        judge.findings.push(Finding::new("command.two-networks", Class::Unknown, sentence));
    }
    // By what it read it may choose the address, or whether to ask there at all.
    let lookers = ["find", "fd", "fdfind", "ls", "stat", "du", "readlink", "realpath"];
    let looks = |reader: &String| lookers.contains(&reader.as_str()) || reader.starts_with("git ");
    if (judge.looked || judge.readers.iter().any(looks)) && (judge.exposed || ways.iter().any(|way| way.web)) {
        let sentence = "It reads files and looks at a public host: what it asks for there may tell what they hold.";
        judge.ineligible = true;
        judge.findings.push(Finding::new("command.read-and-fetch", Class::Unknown, sentence));
    }
    // Walls empty git's folders for what opens whatever it finds, unless something beside it needs them, or a way out.
    let bound = ways.iter().any(|way| way.network || way.web || !way.sockets.is_empty());
    if judge.finds == Objects::Here && (bound || judge.readers.iter().any(|reader| reader.starts_with("git "))) {
        let sentence =
            "It shows whatever it finds, what git keeps of committed files among it, and nothing hides that here.";
        judge.ineligible = true;
        judge.findings.push(Finding::new("command.git-objects", Class::Unknown, sentence));
    }
    let clean = judge.findings.is_empty();
    let eligible = !judge.ineligible
        && !judge.findings.is_empty()
        && judge.findings.iter().all(|finding| finding.class == Class::Unknown);
    let writes = judge.shapes.iter().any(|shape| shape.0.contains_key("redirect"));
    let act = titles::joined(&judge.acts, writes);
    let mut findings = judge.findings;
    let mut containment = Containment::None;
    let needs = if clean { ways.iter().flat_map(Way::needs).collect() } else { BTreeSet::new() };
    if clean {
        let names: Vec<String> = judge.readers.iter().map(|name| format!("`{name}`")).collect();
        let (rule, sentence) = if judge.staged {
            ("command.test-runner", format!("Runs tests: {}.", names.join(", ")))
        } else if names.is_empty() {
            ("command.read-only", "Runs no program.".to_owned())
        } else {
            let network = ways.iter().any(|way| way.network || way.web);
            let daemon = ways.iter().any(|way| !way.sockets.is_empty());
            let by = match (daemon, network) {
                (false, false) => "",
                (true, false) => ", by way of a daemon",
                (false, true) => ", over the network",
                (true, true) => ", by way of a daemon and over the network",
            };
            ("command.read-only", format!("Only reads{by}: {}.", names.join(", ")))
        };
        containment = if judge.staged { Containment::Staged } else { Containment::ReadOnly };
        findings.push(Finding::new(rule, Class::Whitelisted, sentence));
    }
    // What else these may show is judged as a program or a file of its own.
    let names = ["cd", "find", "echo", "printf", "test", "["];
    let lists = |reader: &String| judge.listers.contains(reader) || names.contains(&reader.as_str());
    let listing = clean && !judge.staged && !judge.disclosed && judge.readers.iter().all(lists);
    let of_entry =
        |reader: &String| table().entry(reader).map(|entry| entry.blind.clone()).filter(|said| !said.is_empty());
    let blind = judge.blind.take().or_else(|| judge.readers.iter().find_map(of_entry)).filter(|_| clean);
    let mut shapes: Vec<Shape> = Vec::new();
    for shape in judge.shapes {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    let forms = if judge.odd { Vec::new() } else { judge.forms };
    Assessment {
        findings,
        containment,
        claim_eligible: eligible,
        outlasts: judge.outlasts.filter(|_| !eligible && !clean),
        shapes,
        forms,
        target,
        needs,
        hosts: if clean { judge.hosts } else { BTreeSet::new() },
        walled: judge.walled.filter(|_| clean),
        searched: judge.lines.filter(|_| clean),
        crowds: judge.crowds.filter(|_| clean),
        listing,
        blind,
        finds: judge.finds > Objects::None && clean,
        act,
        replaces: judge.replaces,
        ..Assessment::default()
    }
}
