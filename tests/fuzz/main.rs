//! Fuzzing of the two assessors that read a language. Whatever comes in: no panic of ours, no more stack than the
//! program has, no long thinking, the same answer twice. And what is allowed does nothing: command lines run in a cage
//! that tells every path they touch; statements are compiled by SQLite, which says whether they only read.
//!
//! `COUNTERSIGN_FUZZ_SECONDS` says how long each of them runs, from a seed of its own; without it a few seconds from
//! the same seed. `COUNTERSIGN_FUZZ_SEED` repeats a run.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../common/cage.rs"]
mod cage;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/examples.rs"]
mod examples;
#[path = "../common/left_out.rs"]
mod left_out;
#[path = "../common/notes.rs"]
mod notes;
#[path = "../common/present.rs"]
mod present;
mod random;
mod shell;
mod sql;
mod sqlite;
mod tally;
#[path = "../common/verdict.rs"]
mod verdict;
#[path = "../common/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::time::{Duration, Instant};

use cage::Cage;
use countersign::domain::Dialect;
use left_out::not_here;
use random::Random;
use tally::Tally;

/// The stack that the program judges on.
const STACK: usize = 8 * 1024 * 1024;
/// Seconds that a line may run.
const LIMIT: u64 = 1;
/// Lines that run in the cage at a time, and at the end of a short time.
const RUN: usize = 96;
const FEW: usize = 16;

#[test]
fn in_the_cage() {
    cage::serve();
}

/// Says it on standard error itself: the test harness swallows what passing tests print.
fn say(text: &str) {
    let _unseen = writeln!(std::io::stderr(), "{text}");
}

/// How long, and from which seed.
fn span() -> (Duration, u64) {
    let set = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let seconds = set("COUNTERSIGN_FUZZ_SECONDS");
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().subsec_nanos();
    let seed = set("COUNTERSIGN_FUZZ_SEED").unwrap_or(if seconds.is_some() { u64::from(clock) } else { 1 });
    (Duration::from_secs(seconds.unwrap_or(3)), seed)
}

/// Runs on a thread with the program's stack.
fn on_the_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).unwrap();
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    });
}

#[test]
fn no_command_line_is_too_much_and_what_is_allowed_touches_nothing() {
    let (time, seed) = span();
    let promised = |examples: Vec<examples::Example>| examples.into_iter().map(|it| it.command).collect::<Vec<_>>();
    let (readers, others) = (promised(examples::allowed()), promised(examples::asked()));
    let others = others.into_iter().chain(examples::corpus(false).unwrap_or_default()).collect();
    // Those that can run here say more than those that can't.
    let readers = readers.into_iter().filter(|line| present::missing(line).is_empty()).collect();
    let pool = shell::Pool::new(readers, others);
    let cage = Cage::new(LIMIT);
    world::fill(&cage.work(), &cage.home(), &[]);
    let stands = cage.stands();
    if let Err(why) = &stands {
        not_here("what fuzzed command lines do", &format!("no cage can be put up here: {why}"));
    }
    on_the_stack(|| {
        // The tables are read once.
        verdict::command("ls");
        let (began, mut random, mut tally) = (Instant::now(), Random::new(seed), Tally::new());
        let (mut waiting, mut known) = (Vec::new(), BTreeSet::new());
        let (mut run, mut limited, mut ran) = (0, 0, Duration::ZERO);
        let mut try_out = |lines: &[String], tally: &mut Tally| {
            let start = Instant::now();
            let found = cage.run(lines);
            (run, limited, ran) = (run + lines.len(), limited + found.limited, ran + start.elapsed());
            for (line, paths) in found.touching {
                tally.finding(format!("allowed and touches the disk: {line:?}\n  {}", cage::joined(&paths)));
            }
            ran
        };
        let mut running = Duration::ZERO;
        while began.elapsed() < time {
            let line = shell::line(&mut random, &pool);
            let allowed = tally.judge(&line, verdict::command);
            if random.one_in(4) {
                tally.more(&line, verdict::read);
            }
            if allowed && stands.is_ok() && present::missing(&line).is_empty() && known.insert(line.clone()) {
                waiting.push(line);
            }
            // Running takes much longer than judging: it gets a quarter of the time.
            if waiting.len() >= RUN && running * 4 <= began.elapsed() {
                running = try_out(&waiting, &mut tally);
                waiting.clear();
            } else if waiting.len() >= RUN {
                waiting.remove(random.below(RUN));
            }
        }
        waiting.truncate(FEW);
        try_out(&waiting, &mut tally);
        say(&format!("fuzzed command lines: seed {seed}, {tally}, {run} of them run ({limited} to {LIMIT} s)"));
        tally.end();
    });
}

#[test]
fn no_statement_is_too_much_and_what_is_allowed_only_reads() {
    let (time, seed) = span();
    let mut real: Vec<String> = statements();
    real.extend(examples::statements().unwrap_or_default().into_iter().map(|(_, sql)| sql));
    on_the_stack(|| {
        verdict::statement("SELECT lower(a) FROM t", None);
        let (began, mut random, mut tally) = (Instant::now(), Random::new(seed), Tally::new());
        let (sqlite, mut compiled) = (sqlite::Sqlite::open(), 0);
        while began.elapsed() < time {
            let text = sql::statement(&mut random, &real);
            for dialect in [Some(Dialect::Postgres), Some(Dialect::Mysql), None, Some(Dialect::Sqlite)] {
                let allowed = tally.judge(&text, |text| verdict::statement(text, dialect));
                if !allowed || dialect != Some(Dialect::Sqlite) {
                    continue;
                }
                match sqlite.word(&text) {
                    sqlite::Word::Reads => compiled += 1,
                    sqlite::Word::Refuses => {}
                    sqlite::Word::Acts(what) => tally.finding(format!("allowed on SQLite, but {what}: {text:?}")),
                }
            }
        }
        say(&format!("fuzzed statements: seed {seed}, {tally}, {compiled} of them compiled by SQLite"));
        tally.end();
    });
}

/// What runs unasked must not fail as what writes.
#[test]
fn pragmas_that_run_unasked_only_read_by_the_word_of_sqlite() {
    const NAMES: &str = "analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill \
        case_sensitive_like cell_size_check checkpoint_fullfsync collation_list compile_options count_changes \
        data_store_directory data_version database_list default_cache_size defer_foreign_keys empty_result_callbacks encoding \
        foreign_key_check foreign_key_list foreign_keys freelist_count full_column_names fullfsync function_list \
        hard_heap_limit ignore_check_constraints incremental_vacuum index_info index_list index_xinfo integrity_check \
        journal_mode journal_size_limit legacy_alter_table legacy_file_format locking_mode max_page_count mmap_size \
        module_list optimize page_count page_size parser_trace pragma_list query_only quick_check read_uncommitted \
        recursive_triggers reverse_unordered_selects schema_version secure_delete short_column_names shrink_memory \
        soft_heap_limit stats synchronous table_info table_list table_xinfo temp_store temp_store_directory threads \
        trusted_schema user_version wal_autocheckpoint wal_checkpoint writable_schema";
    let sqlite = sqlite::Sqlite::open();
    let spellings = NAMES
        .split_whitespace()
        .flat_map(|name| ["", "(t)", "(1)", " = 1", " = 'x'"].map(|value| format!("PRAGMA {name}{value}")));
    let allowed = spellings.filter(|text| verdict::statement(text, Some(Dialect::Sqlite)).runs());
    let wrong: Vec<_> = allowed.filter(|text| matches!(sqlite.word(text), sqlite::Word::Acts(_))).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Statements of our own for the three engines.
fn statements() -> Vec<String> {
    const OWN: [&str; 16] = [
        "SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 1 ORDER BY a LIMIT 5",
        "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT * FROM r",
        "SELECT CASE WHEN a > 1 THEN lower(b) ELSE 'x' END FROM t JOIN u USING (a)",
        "SELECT rank() OVER (PARTITION BY a ORDER BY b) FROM t WHERE b LIKE '%x%'",
        "EXPLAIN QUERY PLAN SELECT * FROM t",
        "PRAGMA table_info(t)",
        "PRAGMA journal_mode = wal",
        "DELETE FROM t WHERE a = 1",
        "INSERT INTO t VALUES (1, 'x') ON CONFLICT DO NOTHING RETURNING a",
        "REPLACE INTO t VALUES (1, 'x')",
        "SELECT * FROM pg_stat_activity WHERE state = 'active'",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
        "COPY t TO PROGRAM 'cat'",
        "SHOW CREATE TABLE t",
        "SELECT @@version, @x := 1",
        "SELECT 1 INTO OUTFILE '/tmp/x'",
    ];
    OWN.map(str::to_owned).to_vec()
}
