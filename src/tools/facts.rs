//! Local facts about what an operation names, and the judgement that goes by them: real paths, programs on the child's
//! `PATH`, what a git repository's own configuration would make git do. Reads only; never opens a device or a pipe;
//! bounded in count and size.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;

use super::look::{Look, NAMES, located};
use super::{Seen, targets};
use crate::assess::{AssessSettings, Mentions, RiskAssessor, Subject, assess, secrets_of};
use crate::domain::{
    Assessment, Catalog, Class, Declared, Facts, GlobFact, Operation, OperationKind, Place, Prepared, SecretFact, each,
    named_in, pattern_of,
};

/// Files of the folder that make, just, npm and their like obey without being named.
const RUNNERS: [&str; 9] = [
    "GNUmakefile",
    "makefile",
    "Makefile",
    "justfile",
    "Justfile",
    "package.json",
    "Taskfile.yml",
    "pyproject.toml",
    "build.rs",
];

/// Looks at what an operation names, judges it, and notes what the person is told of it. `path` is the `PATH` that
/// children get.
#[must_use]
pub fn prepare(
    assessor: &dyn RiskAssessor,
    operation: Operation,
    place: &Place,
    path: Option<&OsStr>,
    settings: &AssessSettings,
) -> Prepared {
    let mut seen = Seen::default();
    let mut look = Look::new(place, path, &mut seen);
    let mentions = assessor.mentions(&operation.kind, place);
    let (mut prepared, mentions) = looked_at(assessor, operation, &mut look, mentions, settings);
    prepared.assessment.secrets = secrets_of(&prepared.operation, settings);
    let Prepared { operation, facts, assessment } = &mut prepared;
    if let (OperationKind::Command(command), true) = (&operation.kind, assessment.class() != Class::Whitelisted)
        && facts.trouble.is_none()
    {
        for name in watched(&command.command, &mentions, facts) {
            let fact = look.path(&located(&name, place), true);
            facts.paths.insert(name, fact);
        }
    }
    prepared
}

/// Looks at what an operation names and judges it, for an answer alone: nothing that is shown or compared later is
/// noted. What is there may be as it was when `seen` saw it first. `lifted` says whether a rule, a claim or the mode may let
/// run what asks; where nothing does, what asks anyway isn't looked at further.
#[must_use]
pub fn judged(
    assessor: &dyn RiskAssessor,
    operation: Operation,
    place: &Place,
    path: Option<&OsStr>,
    seen: &mut Seen,
    (settings, lifted): (&AssessSettings, bool),
) -> Prepared {
    let mut look = Look::new(place, path, seen);
    let mentions = assessor.mentions(&operation.kind, place);
    let folders = !(mentions.below.is_empty() && mentions.each.is_empty());
    if !lifted && folders && mentions.lists.is_empty() {
        let facts = at_best(&mut look, &mentions, settings);
        let assessment = assess(assessor, Subject { operation: &operation, facts: &facts, settings });
        if assessment.class() != Class::Whitelisted {
            return told(Prepared { operation, facts, assessment }, &mentions, settings);
        }
    }
    looked_at(assessor, operation, &mut look, mentions, settings).0
}

/// What is found at once, and of folders that would have to be looked through whole the best that could be found there.
fn at_best(look: &mut Look<'_>, mentions: &Mentions, settings: &AssessSettings) -> Facts {
    let mut facts = seen_at(look, mentions, settings);
    for name in mentions.below.iter().cloned().chain(mentions.each.iter().map(|pattern| each(pattern))) {
        facts.dashed.insert(name.clone(), Some(false));
        facts.secrets.insert(name.clone(), SecretFact::Nothing);
        facts.below.insert(name, GlobFact::Nothing);
    }
    facts
}

/// What it would hit, too.
fn told(prepared: Prepared, mentions: &Mentions, settings: &AssessSettings) -> Prepared {
    let Prepared { operation, mut facts, mut assessment } = prepared;
    facts.targets = targets::targets(&operation.kind, mentions, &facts, assessment.class(), settings);
    assessment.production = settings.production.told(&facts.targets);
    Prepared { operation, facts, assessment }
}

fn looked_at(
    assessor: &dyn RiskAssessor,
    operation: Operation,
    look: &mut Look<'_>,
    mut mentions: Mentions,
    settings: &AssessSettings,
) -> (Prepared, Mentions) {
    let mut facts = all_at(look, &mentions, settings);
    let mut assessment = assess(assessor, Subject { operation: &operation, facts: &facts, settings });
    if assessment.class() != Class::Whitelisted && facts.trouble.is_none() {
        let listed = by_name(assessor, &operation, &mentions, look, settings);
        (facts, assessment, mentions) = listed.unwrap_or((facts, assessment, mentions));
    }
    // A search of whole folders takes longer to look through than all else: only where that decides.
    if assessment.class() == Class::Whitelisted && !settings.walled && !mentions.sought.is_empty() {
        for (name, all) in &mentions.sought {
            let (folder, only) = named_in(name);
            let below = match pattern_of(folder) {
                Some(pattern) => look.below_each(pattern, *all, &settings.sensitive),
                None if only.is_empty() => look.below(folder, *all, &settings.sensitive),
                None => look.below_named(folder, &only, *all, &settings.sensitive),
            };
            facts.secrets.insert(name.clone(), below.secret);
        }
        assessment = assess(assessor, Subject { operation: &operation, facts: &facts, settings });
    }
    (told(Prepared { operation, facts, assessment }, &mentions, settings), mentions)
}

/// All but what lies below folders.
fn seen_at(look: &mut Look<'_>, mentions: &Mentions, settings: &AssessSettings) -> Facts {
    let mut facts = look.at(mentions);
    if facts.trouble.is_none() {
        let globs = mentions.globs.iter().map(|glob| (glob.clone(), look.glob(glob, &settings.sensitive)));
        facts.globs = globs.collect();
        for folder in &mentions.tracked {
            facts.tracked.insert(folder.clone(), look.tracked(folder, &settings.sensitive).dashed);
        }
        // Ours leave it out of what git prints; who only asks what we say runs it without them.
        let left_out = settings.walled && !facts.unguarded;
        if !left_out {
            // An index of a pack that somebody made can lead git to another tag than us: walls keep what that does.
            facts.described.clear();
        }
        for (folder, repository) in facts.repositories.iter_mut().filter(|_| !left_out) {
            repository.tracks = look.tracked(folder, &settings.sensitive).all;
        }
    }
    facts
}

fn all_at(look: &mut Look<'_>, mentions: &Mentions, settings: &AssessSettings) -> Facts {
    let mut facts = seen_at(look, mentions, settings);
    if facts.trouble.is_none() {
        for folder in &mentions.below {
            let below = look.below(folder, true, &settings.sensitive);
            facts.below.insert(folder.clone(), below.parted);
            facts.dashed.insert(folder.clone(), below.dashed);
            facts.secrets.insert(folder.clone(), below.secret);
        }
        for pattern in &mentions.each {
            let below = look.below_each(pattern, true, &settings.sensitive);
            facts.below.insert(each(pattern), below.parted);
            facts.secrets.insert(each(pattern), below.secret);
        }
        for folder in &mentions.tracked {
            if let (Some(below), more) = (facts.below.get_mut(folder), look.tracked(folder, &settings.sensitive).names)
                && told_by_git(below, &more)
            {
                *below = more;
            }
        }
    }
    facts
}

/// Whether what git's index says of a folder is more than what was found below it.
fn told_by_git(below: &GlobFact, more: &GlobFact) -> bool {
    match more {
        GlobFact::Sensitive(_) => true,
        GlobFact::TooMany => !matches!(below, GlobFact::Sensitive(_) | GlobFact::Linked(_)),
        GlobFact::Tracked(_) => matches!(below, GlobFact::Nothing | GlobFact::Behind(_)),
        GlobFact::Nothing | GlobFact::Linked(_) | GlobFact::Behind(_) | GlobFact::Listed(_) => false,
    }
}

/// What is found where each name that a loop's pattern matches now is judged by itself, if it may run then.
fn by_name(
    assessor: &dyn RiskAssessor,
    operation: &Operation,
    mentions: &Mentions,
    look: &mut Look<'_>,
    settings: &AssessSettings,
) -> Option<(Facts, Assessment, Mentions)> {
    let lists: BTreeMap<String, Vec<String>> =
        mentions.lists.iter().filter_map(|pattern| Some((pattern.clone(), look.list(pattern)?))).collect();
    if lists.is_empty() {
        return None;
    }
    let mut all = assessor.mentions_in(&operation.kind, look.place(), &lists);
    all.join(mentions.clone());
    let facts = Facts { lists, ..all_at(look, &all, settings) };
    let assessment = assess(assessor, Subject { operation, facts: &facts, settings });
    (facts.trouble.is_none() && assessment.class() == Class::Whitelisted).then_some((facts, assessment, all))
}

/// Judges once more, with what a server says of its tool.
#[must_use]
pub fn with_declared(
    assessor: &dyn RiskAssessor,
    prepared: Prepared,
    declared: Declared,
    settings: &AssessSettings,
) -> Prepared {
    again(assessor, prepared, settings, |facts| Facts { declared: Some(declared), ..facts })
}

/// Judges once more, with what the other side said.
#[must_use]
pub fn with_catalog(
    assessor: &dyn RiskAssessor,
    prepared: Prepared,
    catalog: Catalog,
    settings: &AssessSettings,
) -> Prepared {
    again(assessor, prepared, settings, |facts| Facts { catalog: Some(catalog), ..facts })
}

/// Judges once more, with more facts.
fn again(
    assessor: &dyn RiskAssessor,
    prepared: Prepared,
    settings: &AssessSettings,
    more: impl FnOnce(Facts) -> Facts,
) -> Prepared {
    let Prepared { operation, facts, assessment: Assessment { secrets, production, .. } } = prepared;
    let facts = more(facts);
    let assessment = assess(assessor, Subject { operation: &operation, facts: &facts, settings });
    Prepared { operation, facts, assessment: Assessment { secrets, production, ..assessment } }
}

/// What a command that asks would read and run: the files it names, the programs of the workspace, and what
/// usual runners read without being told. If one of them changes after it was shown, the command comes back.
/// Nothing is decided by it, so every piece of the text that names a file may count as one.
fn watched(command: &str, mentions: &Mentions, facts: &Facts) -> BTreeSet<String> {
    let programs = facts.programs.values().flatten().filter(|program| program.starts_with(&facts.place.workspace));
    let named = mentions.paths.iter().chain(&mentions.programs).cloned();
    let files = named.chain(programs.map(|program| program.to_string_lossy().into_owned()));
    let pieces = command.split(|c: char| c.is_whitespace() || "'\"`=;&|()<>{},:".contains(c));
    let pieces: BTreeSet<&str> = pieces.filter(|piece| (1..=255).contains(&piece.len())).collect();
    let said = pieces.into_iter().filter(|piece| located(piece, &facts.place).is_file());
    files.chain(RUNNERS.map(str::to_owned)).chain(said.map(str::to_owned)).take(NAMES).collect()
}

/// Looks at everything that is mentioned.
#[must_use]
pub fn gather(mentions: &Mentions, place: &Place, path: Option<&OsStr>) -> Facts {
    Look::new(place, path, &mut Seen::default()).at(mentions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::CommandAssessor;
    use crate::domain::{Claim, CommandOperation, OperationId, Origin};

    #[test]
    fn a_script_that_a_command_names_is_watched() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let place = Place { cwd: root.clone(), workspace: root.clone(), home: Some(root.join("home")) };
        let settings = AssessSettings::default();
        let judged = |command: &str| {
            let kind = OperationKind::Command(CommandOperation {
                command: command.to_owned(),
                timeout: None,
                terminal: false,
            });
            let operation = Operation {
                id: OperationId(1),
                origin: Origin::Person,
                tool: "execute_command".to_owned(),
                claim: Claim::Absent,
                kind,
                cwd: root.clone(),
            };
            prepare(&CommandAssessor, operation, &place, Some(OsStr::new("/bin:/usr/bin")), &settings)
        };
        for (command, script) in [
            ("bash s.sh", "s.sh"),
            ("./s.sh", "s.sh"),
            ("python3 p.py --quick", "p.py"),
            (". ./env", "env"),
            ("make", "Makefile"),
            ("npm run build", "package.json"),
        ] {
            std::fs::write(root.join(script), "echo one").unwrap();
            let shown = judged(command);
            assert_ne!(shown.assessment.class(), Class::Whitelisted, "{command}");
            assert_eq!(judged(command), shown, "{command}");
            std::fs::write(root.join(script), "echo two").unwrap();
            assert_ne!(judged(command).facts, shown.facts, "{command}");
        }
    }
}
