//! How long judging takes: `cargo bench --bench assess`. One operation is timed from the arguments of the call to the
//! verdict, local reading included; then whole lines through `countersign assess`. Under `cargo test --benches` each
//! is judged once and nothing is timed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::cast_precision_loss)]

mod inputs;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use countersign::assess::AssessSettings;
use countersign::cli::Terms;
use countersign::cli::assess::{assessor, run};
use countersign::contain;
use countersign::domain::{
    Arguments, Grants, Operation, OperationId, OperationKind, Origin, Place, Policy, Verdict, judge,
};
use countersign::tools::{prepare, search_path};
use inputs::Call;

/// Stack of the thread that judges, as `countersign assess` gives it.
const STACK: usize = 64 * 1024 * 1024;
/// Most runs of one input, and about how long they may take together.
const RUNS: usize = 20_000;
const PATIENCE: Duration = Duration::from_millis(1500);
/// Fewest lines of the throughput.
const LINES: usize = 20_000;

/// Times in order.
struct Times(Vec<Duration>);

impl Times {
    /// Runs `judged` again and again; once where nothing is measured.
    fn of(measuring: bool, mut judged: impl FnMut()) -> Self {
        let mut times = Vec::new();
        let begin = Instant::now();
        while times.is_empty() || measuring && times.len() < RUNS && begin.elapsed() < PATIENCE {
            let start = Instant::now();
            judged();
            times.push(start.elapsed());
        }
        times.sort();
        Self(times)
    }

    /// The time under which this share of the runs stays.
    fn under(&self, percent: usize) -> Duration {
        self.0[(self.0.len() * percent / 100).min(self.0.len() - 1)]
    }
}

/// Where everything is judged.
struct Bench {
    place: Place,
    path: Option<std::ffi::OsString>,
    settings: AssessSettings,
    policy: Policy,
}

impl Bench {
    fn new() -> Self {
        let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Self {
            place: Place { cwd: workspace.clone(), workspace, home },
            path: std::env::var_os("PATH").map(|path| search_path(&path)),
            settings: AssessSettings::default(),
            policy: Policy::default(),
        }
    }

    /// From the arguments as a model writes them to the verdict.
    fn judged(&self, call: &Call) -> Verdict {
        let arguments = Arguments::parse(&call.arguments).unwrap();
        let mut kind = OperationKind::read(call.tool, &arguments).unwrap().unwrap();
        if let OperationKind::Sql(sql) = &mut kind {
            sql.dialect = call.dialect;
        }
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: call.tool.to_owned(),
            claim: arguments.claim,
            kind,
            cwd: self.place.cwd.clone(),
        };
        let assessor = assessor(&operation.kind);
        let prepared = prepare(assessor, operation, &self.place, self.path.as_deref(), &self.settings);
        judge(&prepared, &self.policy, &Grants::default(), contain::enforceable(None, false), false).verdict
    }
}

fn micros(time: Duration) -> String {
    format!("{:.0}", time.as_secs_f64() * 1e6)
}

/// One line for each input.
fn operations(measuring: bool) {
    let bench = Bench::new();
    println!("{:<44} {:>8} {:>7} {:>9} {:>9} {:>9}", "one operation", "bytes", "", "median µs", "p99 µs", "max µs");
    for call in inputs::ordinary() {
        let verdict = bench.judged(&call);
        let times = Times::of(measuring, || assert_eq!(bench.judged(&call), verdict));
        let (size, verdict) = (call.size, format!("{verdict:?}").to_lowercase());
        let (median, p99, most) = (micros(times.under(50)), micros(times.under(99)), micros(times.under(100)));
        println!("{:<44} {size:>8} {verdict:>7} {median:>9} {p99:>9} {most:>9}", call.name);
    }
}

/// The slowest of the texts that are made to nest, chain or confuse, and all of them together.
fn hostile(measuring: bool) {
    let bench = Bench::new();
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for call in inputs::hostile(if measuring { 60 * 1024 } else { 2 * 1024 }) {
        let start = Instant::now();
        assert_ne!(bench.judged(&call), Verdict::Deny, "{}", call.name);
        slowest.push((start.elapsed(), call.name));
    }
    slowest.sort_by(|a, b| b.cmp(a));
    println!("\n{:<44} {:>8}", format!("hostile, 60 KiB each, {} of them", slowest.len()), "once, ms");
    for (time, name) in slowest.iter().take(10) {
        println!("{name:<44} {:>8.1}", time.as_secs_f64() * 1e3);
    }
}

/// Whole lines through `countersign assess`, which judges on one thread.
fn lines(measuring: bool) {
    let (name, text) = inputs::lines();
    let once = text.lines().count();
    let repeats = if measuring { LINES.div_ceil(once) } else { 1 };
    let input = text.repeat(repeats);
    // The tables are read at first use.
    run(Terms::default(), text.as_bytes(), std::io::sink()).unwrap();
    let start = Instant::now();
    run(Terms::default(), input.as_bytes(), std::io::sink()).unwrap();
    let (count, took) = (once * repeats, start.elapsed());
    let rate = count as f64 / took.as_secs_f64();
    println!("\n{:<44} {count:>8} lines in {:.2} s: {rate:.0} a second on one core", name, took.as_secs_f64());
}

fn main() {
    let measuring = std::env::args().any(|argument| argument == "--bench");
    let judged = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        operations(measuring);
        hostile(measuring);
    });
    judged.unwrap().join().unwrap();
    lines(measuring);
}
