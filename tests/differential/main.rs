//! What was judged is what bash runs: for every command that is allowed, the words that bash really passes to its
//! programs are among those that were judged. Bash runs in a folder of its own, with a search path of probes that
//! write down their arguments. Over the examples of the rule files, the corpora where they are, and generated quoting.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../common/examples.rs"]
mod examples;
#[path = "../common/folder.rs"]
mod folder;
mod generate;
#[path = "../common/left_out.rs"]
mod left_out;
mod matching;
mod probe;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign::assess::{AssessSettings, CommandAssessor, ReadCommand, Subject, assess, read};
use countersign::domain::{
    Claim, Class, CommandOperation, Facts, Operation, OperationId, OperationKind, Origin, Place,
};
use generate::Script;
use matching::fits;
use probe::{End, Probes};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// A command that is allowed, as it was read.
struct Allowed {
    read: Vec<ReadCommand>,
}

/// Judges a command in a folder; none if it isn't allowed.
fn allowed(command: &str, place: &Place) -> Option<Allowed> {
    let facts = Facts { place: place.clone(), ..Facts::default() };
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Person,
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false }),
        cwd: place.cwd.clone(),
    };
    let settings = AssessSettings::default();
    let assessment = assess(&CommandAssessor, Subject { operation: &operation, facts: &facts, settings: &settings });
    (assessment.class() == Class::Whitelisted).then(|| Allowed { read: read(command, &facts, &settings) })
}

/// Says it on standard error itself: the test harness swallows what passing tests print.
fn say(text: &str) {
    let _unseen = writeln!(std::io::stderr(), "{text}");
}

/// What bash ran that nobody judged, or changed though nothing may change.
fn objections(command: &str, allowed: &Allowed, probes: &Probes, status: u8) -> (Vec<String>, usize, End) {
    let run = probes.run(command, status);
    let known = |argv: &Vec<Vec<u8>>| allowed.read.iter().any(|read| fits(&read.words, argv));
    let unjudged = run.ran.iter().filter(|argv| !known(argv)).map(|argv| format!("ran {}", probe::shown(argv)));
    let objections = unjudged.chain(run.changes.iter().cloned()).collect();
    (objections, run.ran.len(), run.end)
}

#[test]
fn what_bash_runs_of_an_allowed_command_was_judged() {
    let mut commands: BTreeSet<String> = examples::allowed().into_iter().map(|example| example.command).collect();
    match examples::corpus(false) {
        Some(more) => commands.extend(more),
        None => left_out::left_out("the corpora's commands against bash", "set COUNTERSIGN_CORPUS to their folder"),
    }
    let commands: Vec<String> = commands.into_iter().collect();
    let (next, compared, argvs, limits) =
        (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let probes = Probes::new();
                while let Some(command) = commands.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(allowed) = allowed(command, &probes.place()) else { continue };
                    compared.fetch_add(1, Ordering::Relaxed);
                    for status in [0, 1] {
                        let (objections, ran, end) = objections(command, &allowed, &probes, status);
                        argvs.fetch_add(ran, Ordering::Relaxed);
                        limits.fetch_add(usize::from(end == End::Limit), Ordering::Relaxed);
                        if !objections.is_empty() {
                            wrong.lock().unwrap().push(format!("{command}\n  {}", objections.join("\n  ")));
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    say(&format!(
        "against bash: {} commands allowed, {} argument lists that it passed, {} runs ended at their limit, {} wrong",
        compared.into_inner(),
        argvs.into_inner(),
        limits.into_inner(),
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{} commands run otherwise than judged:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn generated_quoting_is_read_as_bash_reads_it() {
    let asked = std::env::var("COUNTERSIGN_DIFFERENTIAL").ok().and_then(|count| count.parse().ok());
    let cases = asked.unwrap_or(300);
    let probes = Probes::new();
    let (mut tried, mut compared, mut exact, mut argvs) = (0_usize, 0_usize, 0_usize, 0_usize);
    let config = Config { cases, max_shrink_iters: 400, failure_persistence: None, ..Config::default() };
    let counts = Mutex::new((&mut tried, &mut compared, &mut exact, &mut argvs));
    // The same scripts in every run, unless more are asked for.
    let mut runner = match asked {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    let result = runner.run(&generate::script(), |Script { text, straight }| {
        let mut counts = counts.lock().unwrap();
        *counts.0 += 1;
        let Some(allowed) = allowed(&text, &probes.place()) else { return Ok(()) };
        *counts.1 += 1;
        let (objections, ran, end) = objections(&text, &allowed, &probes, 0);
        *counts.3 += ran;
        let told = || format!("{text}\nread as {}", matching::shown(&allowed.read));
        if !objections.is_empty() {
            return Err(TestCaseError::fail(format!("{}\n{}", told(), objections.join("\n"))));
        }
        // Nothing in it decides what runs: each command that was read must have run, and once.
        if straight && end == End::Exited {
            *counts.2 += 1;
            if ran != allowed.read.len() {
                return Err(TestCaseError::fail(format!("{}\n{ran} commands ran", told())));
            }
        }
        Ok(())
    });
    let _borrowed = counts.into_inner();
    say(&format!(
        "generated quoting: {tried} scripts, {compared} allowed and compared ({exact} of them one to one), {argvs} \
         argument lists"
    ));
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(compared * 3 > tried, "only {compared} of {tried} generated scripts are allowed: nothing is proven");
}
