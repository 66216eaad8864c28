//! How long judging takes: `cargo bench --bench assess`. One operation is timed from the arguments of the call to the
//! verdict, local reading included, by the clock on the wall and by the processor's; then whole lines through
//! `countersign assess`. `-- first`, `-- operations`, `-- spread`, `-- hostile`, `-- lines` or
//! a part of an operation's name measures that alone. Under `cargo test --benches` each is judged once and nothing is
//! timed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::cast_precision_loss)]

mod call;
mod hostile;
mod inputs;

use std::time::{Duration, Instant};

use call::{Bench, Call, spent};
use countersign::cli::Terms;
use countersign::cli::assess::run;
use countersign::domain::Verdict;

/// Stack of the thread that judges, as `countersign assess` gives it.
const STACK: usize = 64 * 1024 * 1024;
/// Most runs of one input, and about how long they may take together.
const RUNS: usize = 20_000;
const PATIENCE: Duration = Duration::from_millis(1500);
/// Fewest lines of the throughput.
const LINES: usize = 20_000;

/// The processor's time of all threads together.
fn spent_by_all() -> Duration {
    #[cfg(unix)]
    return Duration::from(nix::time::clock_gettime(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID).unwrap());
    #[cfg(not(unix))]
    spent()
}

/// Times in order.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    /// The time under which this share of the runs stays, in microseconds.
    fn under(&self, percent: usize) -> f64 {
        self.0[(self.0.len() * percent / 100).min(self.0.len() - 1)].as_secs_f64() * 1e6
    }
}

/// Runs `judged` again and again, once where nothing is measured: times on the wall, and of the processor.
fn times(measuring: bool, mut judged: impl FnMut()) -> (Times, Times) {
    let (mut wall, mut processor) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    while wall.is_empty() || measuring && wall.len() < RUNS && begin.elapsed() < PATIENCE {
        let (start, before) = (Instant::now(), spent());
        judged();
        processor.push(spent().saturating_sub(before));
        wall.push(start.elapsed());
    }
    (Times::of(wall), Times::of(processor))
}

/// What the very first call of each sort costs, which reads its tables.
fn first() {
    let bench = Bench::new();
    let firsts = [call::shell("shell", "git status"), call::sql("SQL", None, "SELECT 1")];
    for call in firsts {
        let before = spent();
        bench.judged(&call);
        println!(
            "first of all, {:<12} {:>5.1} ms of CPU",
            call.name,
            spent().saturating_sub(before).as_secs_f64() * 1e3
        );
    }
}

/// One line for each input.
fn operations(measuring: bool, parts: &[String]) {
    let bench = Bench::new();
    let heads = ["bytes", "", "median µs", "p99 µs", "CPU median", "CPU p99"];
    let [bytes, verdict, median, p99, own_median, own_p99] = heads;
    println!("{:<44} {bytes:>6} {verdict:>5} {median:>9} {p99:>9} {own_median:>11} {own_p99:>9}", "one operation");
    let all = parts.is_empty() || parts.iter().any(|part| part == "operations");
    let wanted = |call: &Call| all || parts.iter().any(|part| call.name.contains(part.as_str()));
    for call in inputs::ordinary().into_iter().filter(wanted) {
        let verdict = bench.judged(&call);
        let (wall, own) = times(measuring, || assert_eq!(bench.judged(&call), verdict));
        let Call { name, size, .. } = call;
        let verdict = format!("{verdict:?}").to_lowercase();
        let (median, p99, own_median, own_p99) = (wall.under(50), wall.under(99), own.under(50), own.under(99));
        println!("{name:<44} {size:>6} {verdict:>5} {median:>9.0} {p99:>9.0} {own_median:>11.0} {own_p99:>9.0}");
    }
}

/// The slowest of the texts that are made to nest, chain or confuse, at each size.
fn hostile(measuring: bool) {
    let bench = Bench::new();
    let once = |call: &Call| {
        let before = spent();
        assert_ne!(bench.judged(call), Verdict::Deny, "{}", call.name);
        spent().saturating_sub(before).as_secs_f64() * 1e3
    };
    let sizes = if measuring { hostile::SIZES } else { [1024; 3] };
    let texts = sizes.map(hostile::hostile);
    let mut slowest: Vec<_> =
        (0..texts[0].len()).map(|nth| (texts.each_ref().map(|texts| once(&texts[nth])), nth)).collect();
    let most = |times: &[f64; 3]| times.iter().copied().fold(0.0, f64::max);
    slowest.sort_by(|a, b| most(&b.0).total_cmp(&most(&a.0)));
    let [small, middle, large] = sizes.map(|size| format!("{} KiB", size / 1024));
    println!(
        "\n{:<56} {small:>9} {middle:>9} {large:>9}",
        format!("hostile, {} of them, once, ms of CPU", slowest.len())
    );
    for ([small, middle, large], nth) in slowest.iter().take(12) {
        println!("{:<56} {small:>9.2} {middle:>9.2} {large:>9.2}", texts[0][*nth].name);
    }
}

/// What different calls of one line cost, one beside the other: each is judged a few times, and the middle one counts.
fn spread(measuring: bool) {
    let bench = Bench::new();
    let (name, text) = inputs::lines();
    let calls: Vec<Call> = text.lines().filter_map(inputs::one_line).collect();
    println!(
        "\n{:<44} {:>6} {:>11} {:>8} {:>8} {:>8}",
        format!("{name} without a break, each"),
        "",
        "CPU median",
        "p90",
        "p99",
        "most"
    );
    for (tool, what) in [("execute_command", "commands"), ("execute_sql", "SQL"), ("", "all")] {
        let once = |call: &Call| {
            let before = spent();
            bench.judged(call);
            spent().saturating_sub(before)
        };
        let middle = |call: &Call| {
            let times = Times::of((0..if measuring { 5 } else { 1 }).map(|_| once(call)).collect());
            times.0[times.0.len() / 2]
        };
        let wanted = calls.iter().filter(|call| tool.is_empty() || call.tool == tool);
        let mut each: Vec<_> = wanted.map(|call| (middle(call), call)).collect();
        each.sort_by_key(|(time, _)| *time);
        let Some((_, slowest)) = each.last() else { continue };
        let (count, slowest) = (each.len(), slowest.arguments.clone());
        let times = Times(each.into_iter().map(|(time, _)| time).collect());
        let [median, most, nearly, whole] = [50, 90, 99, 100].map(|percent| times.under(percent));
        println!("{what:<44} {count:>6} {median:>11.0} {most:>8.0} {nearly:>8.0} {whole:>8.0}  {slowest:.100}");
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
    let (start, before) = (Instant::now(), spent_by_all());
    run(Terms::default(), input.as_bytes(), std::io::sink()).unwrap();
    let (wall, own) = (start.elapsed().as_secs_f64(), spent_by_all().saturating_sub(before).as_secs_f64());
    let count = once * repeats;
    let (by_wall, by_own) = (count as f64 / wall, count as f64 / own);
    println!(
        "\n{name:<44} {count:>8} lines: {by_own:.0} a second of one core's time, {by_wall:.0} a second on the wall"
    );
}

fn main() {
    let measuring = std::env::args().any(|argument| argument == "--bench");
    let parts: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|named| named == part);
    std::thread::scope(|scope| {
        let judging = std::thread::Builder::new().stack_size(STACK);
        let judged = judging.spawn_scoped(scope, || {
            if wanted("first") {
                first();
            }
            operations(measuring, &parts);
            if wanted("spread") {
                spread(measuring);
            }
            if wanted("hostile") {
                hostile(measuring);
            }
        });
        judged.unwrap().join().unwrap();
    });
    if wanted("lines") {
        lines(measuring);
    }
}
