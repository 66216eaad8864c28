//! What is measured, metric by metric. Each starts programs of its own and leaves none behind.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::hello;
use crate::model::{Model, Reply};
use crate::screen::Program;

/// How long one thing may take.
const PATIENCE: Duration = Duration::from_mins(3);
/// How long after it is drawn a dialog takes no key, and a little more.
const GUARD: Duration = Duration::from_millis(450);
/// How long a yes waits for what may follow it: the key counts from then on.
const HELD: Duration = Duration::from_millis(250);
/// The end of a long answer.
const END: &str = "the-very-last-word";

/// The two programs.
pub struct Rivals {
    pub ours: PathBuf,
    pub bare: PathBuf,
}

/// A row of the table: what it is, the bare program's figure, ours, the target.
pub type Row = [String; 4];

fn row(metric: &str, bare: &str, ours: String, target: &str) -> Row {
    [metric.to_owned(), bare.to_owned(), ours, target.to_owned()]
}

/// Times or amounts in order.
struct Sample(Vec<f64>);

impl Sample {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    fn at(&self, percent: usize) -> f64 {
        self.0[(self.0.len() * percent / 100).min(self.0.len() - 1)]
    }

    /// The median and the 99th percentile.
    fn pair(&self) -> String {
        format!("{:.1} / {:.1}", self.at(50), self.at(99))
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl Rivals {
    fn bare(&self) -> Program {
        Program::start(&self.bare, &[hello::ARGUMENT])
    }

    /// Ours, with a scripted model.
    fn ours(&self, model: &Model, more: &[&str]) -> Program {
        let usual = ["--provider", "openai", "--model", "bench", "--base-url", &model.url];
        let program = Program::start(&self.ours, &[&usual, more].concat());
        program.until_shown(OURS_READY, PATIENCE);
        program
    }
}

/// What our first whole frame shows.
const OURS_READY: &str = "tab pane";

fn quiet() -> Model {
    Model::start(|_| Reply::Text("ok".to_owned(), 80))
}

/// M1: from the start to the first byte, the first whole frame, the first echo; the processor's time to there.
pub fn start(rivals: &Rivals, runs: usize) -> Vec<Row> {
    let model = quiet();
    let once = |program: &Path, arguments: &[&str], ready: &str| {
        let mut it = Program::start(program, arguments);
        let frame = it.until_shown(ready, PATIENCE);
        let cell = it.composer();
        it.echo('x', cell);
        let echoed = Instant::now();
        let times = [it.first_byte(), frame, echoed].map(|at| ms(at - it.started()));
        (times, it.spent())
    };
    let ours = ["--provider", "openai", "--model", "bench", "--base-url", &model.url];
    let (mut bare_times, mut our_times, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        bare_times.push(once(&rivals.bare, &[hello::ARGUMENT], hello::READY).0);
        let (times, spent) = once(&rivals.ours, &ours, OURS_READY);
        our_times.push(times);
        cpu.push(spent);
    }
    let median = |times: &[[f64; 3]], nth: usize| Sample::of(times.iter().map(|times| times[nth]).collect()).at(50);
    let said =
        |times: &[[f64; 3]]| format!("{:.0} / {:.0} / {:.0}", median(times, 0), median(times, 1), median(times, 2));
    vec![
        row("M1 first byte / frame / echo, ms", &said(&bare_times), said(&our_times), "– / 25 / 30"),
        row("M1 CPU to there, s", "–", format!("{:.2}", Sample::of(cpu).at(50)), "0.03"),
    ]
}

/// Types letters at a pace, a line's worth at a time, and times each echo.
fn echoes(it: &mut Program, keys: usize, pace: Duration) -> Sample {
    let (row, column) = it.composer();
    let mut times = Vec::new();
    while times.len() < keys {
        let line = (keys - times.len()).min(40);
        for at in 0..line {
            std::thread::sleep(pace);
            let letter = char::from(b'a' + u8::try_from(at % 26).unwrap_or(0));
            times.push(ms(it.echo(letter, (row, column + u16::try_from(at).unwrap_or(0)))));
        }
        it.keys(&"\x7f".repeat(line));
        it.until("an empty line", PATIENCE, |screen| {
            screen.cell(row, column).is_some_and(|cell| cell.contents() != "a")
        });
    }
    Sample::of(times)
}

/// M2: keys at rest.
pub fn echo(rivals: &Rivals, keys: usize) -> Vec<Row> {
    let pace = Duration::from_millis(100);
    let mut bare = rivals.bare();
    bare.until_shown(hello::READY, PATIENCE);
    let bare_times = echoes(&mut bare, keys, pace);
    let model = quiet();
    let mut ours = rivals.ours(&model, &[]);
    let before = ours.spent();
    let times = echoes(&mut ours, keys, pace);
    let each = (ours.spent() - before) * 1e3 / (keys as f64);
    vec![
        row("M2 echo p50 / p99, ms", &bare_times.pair(), times.pair(), "1.0 / 4"),
        row("M2 CPU a key, ms", "–", format!("{each:.1}"), "2"),
    ]
}

/// Sends the first message.
fn say(it: &mut Program) {
    it.keys("go");
    std::thread::sleep(Duration::from_millis(60));
    it.keys("\r");
}

/// M2F: keys while a command prints about 15 MB a second.
pub fn echo_in_flood(rivals: &Rivals, keys: usize) -> Vec<Row> {
    let flood = "for i in $(seq 400); do seq 1 200000; sleep 0.09; done";
    let model = Model::start(|nth| match nth {
        0 => Reply::Command(flood.to_owned(), "low"),
        _ => Reply::Text("ok".to_owned(), 80),
    });
    let mut ours = rivals.ours(&model, &["-y"]);
    say(&mut ours);
    model.replied(0, PATIENCE).unwrap();
    ours.until_shown("199990", PATIENCE);
    let times = echoes(&mut ours, keys, Duration::from_millis(60));
    vec![row("M2F echo in a flood p50 / p99, ms", "–", times.pair(), "3 / 15")]
}

/// M3: one call that prints 214 MB.
pub fn flood(rivals: &Rivals) -> Vec<Row> {
    let model = Model::start(|nth| match nth {
        0 => Reply::Command("seq 1 25000000".to_owned(), "low"),
        _ => Reply::Text("ok".to_owned(), 80),
    });
    let mut ours = rivals.ours(&model, &[]);
    let (memory, cpu, bytes) = (ours.memory("status", "VmRSS"), ours.spent(), ours.bytes());
    say(&mut ours);
    let called = model.replied(0, PATIENCE).unwrap().replied.unwrap();
    let back = model.exchange(1, PATIENCE, |_| true).unwrap().asked;
    let (peak, spent) = (ours.memory("status", "VmHWM"), ours.spent() - cpu);
    let kilobytes = (ours.bytes() - bytes) / 1000;
    vec![
        row("M3 214 MB, s", "–", format!("{:.2}", (back - called).as_secs_f64()), "0.7"),
        row("M3 CPU, s", "–", format!("{spent:.2}"), "0.3"),
        row("M3 memory over rest, MB", "–", format!("{:.0}", peak - memory), "8"),
        row("M3 to the terminal, kB", "–", kilobytes.to_string(), "100"),
    ]
}

/// M4 and M6T: turns of one `true`.
pub fn turns(rivals: &Rivals, count: usize) -> Vec<Row> {
    let model = Model::start(move |nth| {
        if nth < count { Reply::Command("true".to_owned(), "low") } else { Reply::Text("ok".to_owned(), 80) }
    });
    let mut ours = rivals.ours(&model, &[]);
    let (memory, cpu, begun) = (ours.memory("status", "VmRSS"), ours.spent(), Instant::now());
    say(&mut ours);
    let mut times = Vec::with_capacity(count);
    for nth in 0..count {
        let Some(called) = model.replied(nth, PATIENCE) else {
            return vec![row("M6T turns", "–", format!("stopped after {nth} of {count}"), "1,000")];
        };
        let back = model.exchange(nth + 1, PATIENCE, |_| true).map(|next| next.asked);
        let Some(back) = back else {
            return vec![row("M6T turns", "–", format!("stopped after {nth} of {count}"), "1,000")];
        };
        times.push(ms(back - called.replied.unwrap()));
    }
    let total = begun.elapsed().as_secs_f64();
    let each = (ours.spent() - cpu) * 1e3 / (count as f64);
    let grown = ours.memory("status", "VmRSS") - memory;
    let part = |times: &[f64]| Sample::of(times.to_vec());
    if count < 1_000 {
        return vec![
            row("M4 round trip p50 / p99, ms", "–", part(&times).pair(), "5 / 15"),
            row("M4 CPU a call, ms", "–", format!("{each:.1}"), "5"),
        ];
    }
    let (first, last) = (part(&times[..100]).at(50), part(&times[count - 100..]).at(50));
    vec![
        row("M6T 1,000 turns, s", "–", format!("{total:.1}"), "15"),
        row("M6T first / last 100 p50, ms", "–", format!("{first:.1} / {last:.1}"), "last ≤ first + 10"),
        row("M6T memory grown, MB", "–", format!("{grown:.0}"), "30"),
    ]
}

/// M5: at rest.
pub fn rest(rivals: &Rivals, seconds: u64) -> Vec<Row> {
    let model = quiet();
    let ours = rivals.ours(&model, &[]);
    std::thread::sleep(Duration::from_secs(3));
    let before = ours.spent();
    std::thread::sleep(Duration::from_secs(seconds));
    let share = (ours.spent() - before) * 100.0 / (seconds as f64);
    let memory = format!("{:.0} ({:.0})", ours.memory("status", "VmRSS"), ours.memory("smaps_rollup", "Pss"));
    let size = std::fs::metadata(&rivals.ours).map_or(0, |found| found.len() / 1_000_000);
    vec![
        row("M5 CPU at rest, %", "–", format!("{share:.1}"), "0.0"),
        row("M5 RSS (PSS) at rest, MB", "–", memory, "25"),
        row("M5 binary, MB", "–", size.to_string(), "30"),
    ]
}

/// A Markdown answer of about so many bytes.
fn answer(size: usize) -> String {
    let mut text = String::with_capacity(size + 1024);
    let mut part = 0;
    while text.len() < size {
        part += 1;
        text.push_str(&format!(
            "## Part {part}\n\nSome words with **bold** ones, `code` and a [link](https://example.org), long enough to \
             be wrapped once on a terminal of usual width.\n\n- one\n- two, a little longer than one\n\n```rust\nfn \
             part_{part}() -> usize {{\n    {part} * 2\n}}\n```\n\n| name | value |\n| --- | ---: |\n| a | {part} |\n\n"
        ));
    }
    text + END
}

/// M6 and M6S: a long answer in pieces of 80 bytes.
pub fn long_answer(rivals: &Rivals, size: usize) -> Vec<Row> {
    let text = answer(size);
    let model = Model::start(move |_| Reply::Text(text.clone(), 80));
    let mut ours = rivals.ours(&model, &[]);
    let (memory, cpu) = (ours.memory("status", "VmRSS"), ours.spent());
    say(&mut ours);
    let begun = model.exchange(0, PATIENCE, |_| true).unwrap().begun;
    let shown = ours.until_shown(END, PATIENCE);
    let (spent, peak) = (ours.spent() - cpu, ours.memory("status", "VmHWM"));
    let taken = model.replied(0, PATIENCE).unwrap().replied.unwrap();
    let (name, wall, most) =
        if size > 1_000_000 { ("M6 2 MB answer", "1.5", "1.5") } else { ("M6S 200 kB answer", "0.3", "–") };
    let mut rows = vec![
        row(&format!("{name}, s"), "–", format!("{:.2}", (shown - begun).as_secs_f64()), wall),
        row(&format!("{name}: CPU, s"), "–", format!("{spent:.2}"), most),
    ];
    if size > 1_000_000 {
        rows.push(row("M6 stream taken, s", "–", format!("{:.2}", (taken - begun).as_secs_f64()), "–"));
        rows.push(row("M6 memory over rest, MB", "–", format!("{:.0}", peak - memory), "30"));
    }
    rows
}

/// M7: from the call to the dialog, and from the key that approves to the command's own clock.
pub fn dialog(rivals: &Rivals, count: usize) -> Vec<Row> {
    let model = Model::start(move |nth| {
        if nth < count { Reply::Command("./stamp".to_owned(), "medium") } else { Reply::Text("ok".to_owned(), 80) }
    });
    let mut ours = rivals.ours(&model, &[]);
    let stamp = ours.workspace().join("stamp");
    std::fs::write(&stamp, "#!/bin/sh\nexec date +at:%s%N:\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&stamp, executable).unwrap();
    say(&mut ours);
    let (mut shown, mut run) = (Vec::new(), Vec::new());
    for nth in 0..count {
        let called = model.replied(nth, PATIENCE).unwrap().replied.unwrap();
        let title = format!("{} · ", nth + 1);
        let drawn = ours.until("the dialog", PATIENCE, |screen| {
            let text = screen.contents();
            text.lines().any(|line| line.contains(['╔', '┌']) && line.contains(&title))
        });
        shown.push(ms(drawn - called));
        std::thread::sleep(GUARD);
        let pressed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        ours.keys("y");
        let said = model.exchange(nth + 1, PATIENCE, |_| true).unwrap().said;
        let clock = said.split("at:").nth(1).and_then(|rest| rest.split(':').next()).unwrap_or_default();
        let clock = Duration::from_nanos(clock.parse().unwrap_or_else(|_| panic!("no clock in {said}")));
        run.push(ms(clock.saturating_sub(pressed + HELD)));
    }
    vec![
        row("M7 call to dialog p50 / p99, ms", "–", Sample::of(shown).pair(), "5 / 20"),
        row("M7 key to command p50 / p99, ms", "–", Sample::of(run).pair(), "8 / 20"),
    ]
}
