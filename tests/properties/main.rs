//! What is added to a command or a statement never makes it look harmless, and what bash or a database ignores
//! changes nothing. Over the examples of the rule files, and the corpora where they are; each change on one
//! line of 240, by turns, or of as many as `COUNTERSIGN_PROPERTIES` says: 1 is every change on every line.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../common/examples.rs"]
mod examples;
#[path = "../common/left_out.rs"]
mod left_out;
mod same;
mod shell;
mod sql;
#[path = "../common/verdict.rs"]
mod verdict;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign::domain::Dialect;
use left_out::left_out;

/// Of how many lines each change takes one, by turns.
const TURNS: usize = 240;

/// What is promised of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    /// What asked or was denied doesn't run.
    NoBetter,
    /// It doesn't run, whatever it was.
    Asks,
    /// Verdict and class are what they were.
    Same,
}

/// Makes a change; none where it can't be made.
type Make = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// One change of a line.
struct Change {
    name: String,
    promise: Promise,
    make: Make,
}

impl Change {
    fn new(name: &str, promise: Promise, make: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { name: name.to_owned(), promise, make: Box::new(make) }
    }
}

/// Says it on standard error itself: the test harness swallows what passing tests print.
fn say(text: &str) {
    let _unseen = writeln!(std::io::stderr(), "{text}");
}

/// Makes every change on its lines and judges both. `judge` takes a line by its number, since statements have
/// dialects.
fn hold(
    what: &str,
    lines: &[String],
    changes: &[Change],
    judge: &(dyn Fn(usize, &str) -> verdict::Judged + Sync),
) -> usize {
    let asked = std::env::var("COUNTERSIGN_PROPERTIES").ok().and_then(|turns| turns.parse().ok());
    let turns: usize = asked.unwrap_or(TURNS).max(1);
    let (next, made) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let work = || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(line) = lines.get(number) else { return };
                    let due = |(nth, _): &(usize, &Change)| (nth + number) % turns == 0;
                    if !changes.iter().enumerate().any(|change| due(&change)) {
                        continue;
                    }
                    let before = judge(number, line);
                    for (nth, change) in changes.iter().enumerate().filter(due) {
                        let Some(other) = (change.make)(line).filter(|other| other != line) else { continue };
                        made.fetch_add(1, Ordering::Relaxed);
                        let after = judge(number, &other);
                        let kept = match change.promise {
                            Promise::NoBetter => before.runs() || !after.runs(),
                            Promise::Asks => !after.runs(),
                            Promise::Same => (after.verdict, after.class) == (before.verdict, before.class),
                        };
                        if !kept {
                            let told = format!("{nth} {}: {line:?} {before:?}\n  {other:?} {after:?}", change.name);
                            wrong.lock().unwrap().push(told);
                        }
                    }
                }
            };
            // The stack that the program judges on.
            std::thread::Builder::new().stack_size(8 * 1024 * 1024).spawn_scoped(scope, work).unwrap();
        }
    });
    let (wrong, made) = (wrong.into_inner().unwrap(), made.into_inner());
    say(&format!(
        "{what}: {} lines, {} changes, {made} pairs judged, {} wrong",
        lines.len(),
        changes.len(),
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    made
}

/// The command lines: examples of every entry, and the corpora.
fn commands() -> Vec<String> {
    let examples = examples::allowed().into_iter().chain(examples::asked());
    let mut lines: BTreeSet<String> = examples.map(|example| example.command).collect();
    match examples::corpus(false) {
        Some(more) => lines.extend(more),
        None => left_out("the corpora's commands, changed", "set COUNTERSIGN_CORPUS to their folder"),
    }
    // A piece that begins with an operator is no command: what is put before it would complete it.
    lines.into_iter().filter(|line| !line.trim_start().starts_with(['&', '|', ';', '<', '>', ')'])).collect()
}

fn on_commands(what: &str, changes: &[Change]) {
    let lines = commands();
    let made = hold(what, &lines, changes, &|_, line| verdict::command(line));
    assert!(made > 300, "only {made} pairs: nothing is proven");
}

#[test]
fn a_wrapper_never_makes_a_command_harmless() {
    on_commands("wrappers", &shell::wrappers());
}

#[test]
fn a_redirect_never_makes_a_command_harmless() {
    on_commands("redirects", &shell::redirects());
}

#[test]
fn a_second_command_never_makes_a_command_harmless() {
    on_commands("second commands", &shell::seconds());
}

#[test]
fn what_bash_ignores_changes_nothing() {
    on_commands("blanks and quotes", &same::changes());
}

#[test]
fn a_claim_never_makes_a_command_harmless() {
    use countersign::domain::{Claim, RiskLevel};
    for line in commands() {
        let plain = verdict::command(&line);
        for level in [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High] {
            let claimed = verdict::claimed(&line, Claim::Level(level));
            // With claim low a test runner or an unknown program may run staged, which isn't to be had here.
            assert!(level != RiskLevel::Low || claimed == plain, "low is claimed and changes it: {line}");
            assert!(level == RiskLevel::Low || !claimed.runs(), "{level} is claimed and runs: {line}");
        }
    }
}

#[test]
fn what_a_database_ignores_changes_nothing_and_what_is_added_never_helps() {
    let mut statements = sql::own();
    match examples::statements() {
        Some(more) => statements.extend(more),
        None => left_out("the corpora's statements, changed", "set COUNTERSIGN_CORPUS to their folder"),
    }
    let dialects: Vec<Option<Dialect>> = statements.iter().map(|(dialect, _)| *dialect).collect();
    let lines: Vec<String> = statements.into_iter().map(|(_, sql)| sql).collect();
    let judge = |number: usize, sql: &str| verdict::statement(sql, dialects[number]);
    hold("statements", &lines, &sql::changes(), &judge);
}
