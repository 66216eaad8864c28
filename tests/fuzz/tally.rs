//! What was judged, how long it took, and what was found.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};

use crate::verdict::Judged;

/// Time on a processor for a text of up to 4 KiB, and for any: unoptimised, an assessor takes some ten times as long.
const SOON: (usize, Duration) = (4096, Duration::from_millis(400));
const EVER: Duration = Duration::from_secs(8);

/// Where code panicked, how often. Assessors catch panics: this sees them all the same.
static PANICS: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
static HOOK: Once = Once::new();

/// The count of one run.
pub struct Tally {
    inputs: usize,
    allowed: usize,
    slowest: (Duration, usize),
    findings: Vec<String>,
}

impl Tally {
    pub fn new() -> Self {
        HOOK.call_once(|| {
            let usual = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                let file = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
                let file = file.unwrap_or_default();
                if file.starts_with("tests/") {
                    return usual(panic);
                }
                *PANICS.lock().unwrap_or_else(PoisonError::into_inner).entry(file).or_default() += 1;
            }));
        });
        Self { inputs: 0, allowed: 0, slowest: (Duration::ZERO, 0), findings: Vec::new() }
    }

    /// Judges a text, one in four of them twice. Whether it runs unasked.
    pub fn judge(&mut self, text: &str, judge: impl Fn(&str) -> Judged) -> bool {
        self.inputs += 1;
        let panics = own_panics();
        let start = processor();
        let first = judge(text);
        let took = processor().saturating_sub(start);
        if self.inputs.is_multiple_of(4) && judge(text) != first {
            self.finding(format!("judged otherwise the second time: {text:?}"));
        }
        if own_panics() > panics {
            self.finding(format!("panics: {text:?}"));
        }
        if took > EVER || took > SOON.1 && text.len() <= SOON.0 {
            self.finding(format!("takes {took:?}: {text:?}"));
        }
        self.slowest = self.slowest.max((took, text.len()));
        self.allowed += usize::from(first.runs());
        first.runs()
    }

    /// Does something more with a text, which mustn't panic either.
    pub fn more(&mut self, text: &str, work: impl Fn(&str)) {
        if catch_unwind(AssertUnwindSafe(|| work(text))).is_err() {
            self.finding(format!("panics when it is read: {text:?}"));
        }
    }

    pub fn finding(&mut self, finding: String) {
        self.findings.push(finding);
    }

    /// Fails if anything was found.
    pub fn end(self) {
        assert!(self.findings.is_empty(), "{} findings:\n{}", self.findings.len(), self.findings.join("\n"));
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (took, length) = self.slowest;
        write!(
            f,
            "{} inputs, {} allowed, {} findings, slowest {took:?} for {length} bytes",
            self.inputs,
            self.allowed,
            self.findings.len()
        )?;
        let panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
        panics.iter().try_for_each(|(place, times)| write!(f, ", {times} caught panics at {place}"))
    }
}

/// Panics so far in our own code; those of a parser are caught and make a text unreadable.
fn own_panics() -> usize {
    let panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    panics.iter().filter(|(place, _)| place.starts_with("src/")).map(|(_, times)| times).sum()
}

/// Time that this thread had on a processor.
fn processor() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_THREAD) else { return Duration::ZERO };
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| {
            let micros = u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).unwrap_or_default();
            Duration::from_micros(micros)
        })
        .sum()
}
