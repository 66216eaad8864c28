//! `countersign journal stats`: what you approve most, what claims got wrong, how many questions and how quick.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::told::{self, SCHEMA};
use super::{Filters, Trouble, each, print, when};
use crate::domain::number::{count, duration, thousands};
use crate::domain::{Claim, Class, Decider, Prepared, RiskLevel, Shape};
use crate::store::{Archive, Recorded};
use crate::ui::text::line;

/// The word for what other agents were told nothing about.
const LEFT: &str = "left";
/// How many patterns a list has.
const MOST: usize = 10;

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct Stats {
    sessions: BTreeMap<String, u64>,
    first_ms: Option<i64>,
    last_ms: Option<i64>,
    operations: u64,
    untold: u64,
    /// By who decided.
    unasked: BTreeMap<String, u64>,
    asked: u64,
    approved: u64,
    denied: u64,
    /// Questions that were left to other agents.
    left: u64,
    waits: Vec<u64>,
    patterns: BTreeMap<String, Pattern>,
    claims: u64,
    wrong: [Wrong; 3],
}

/// What the person was asked about, by its typed form.
#[derive(Debug, Default)]
struct Pattern {
    approved: u64,
    denied: u64,
    waits: Vec<u64>,
}

/// One way in which claims were wrong.
#[derive(Debug, Default)]
struct Wrong {
    count: u64,
    patterns: BTreeMap<String, u64>,
}

/// How claims can be wrong: the member of the JSON object, and the sentence.
const WRONG: [(&str, &str); 3] = [
    ("low_denied", "claimed low, and you denied it"),
    ("low_dangerous", "claimed low, and our rules found danger or couldn't read it"),
    ("high_read_only", "claimed medium or high, and it clearly only reads"),
];

/// Counts and prints.
pub(super) async fn run(archive: &mut Archive, filters: &Filters) -> Result<ExitCode, Trouble> {
    let mut stats = Stats::default();
    each(archive, filters, |recorded| stats.count(&recorded)).await?;
    let text = if filters.json { format!("{}\n", stats.json()) } else { stats.text(filters) };
    print(&text);
    Ok(ExitCode::SUCCESS)
}

impl Stats {
    /// Counts one operation.
    pub(super) fn count(&mut self, recorded: &Recorded) {
        self.operations += 1;
        self.first_ms = Some(self.first_ms.map_or(recorded.at_ms, |first| first.min(recorded.at_ms)));
        self.last_ms = self.last_ms.max(Some(recorded.at_ms));
        let questions = self.sessions.entry(recorded.session.clone()).or_default();
        let Ok(prepared) = &recorded.prepared else {
            self.untold += 1;
            return;
        };
        let decided = recorded.decided.as_ref();
        if told::asked(recorded) {
            *questions += 1;
            self.asked += 1;
            self.left += u64::from(decided.is_some_and(|decided| decided.left.is_some()));
            // One that waits, or was withdrawn, is nobody's answer.
            let person = |decider: &Decider| matches!(decider, Decider::Person | Decider::PersonAll);
            if let Some(decided) = decided.filter(|decided| person(&decided.decider)) {
                let pattern = self.patterns.entry(pattern(prepared)).or_default();
                pattern.waits.extend(decided.waited);
                self.waits.extend(decided.waited);
                let (all, one) = if decided.allowed {
                    (&mut self.approved, &mut pattern.approved)
                } else {
                    (&mut self.denied, &mut pattern.denied)
                };
                *all += 1;
                *one += 1;
            }
        } else if let Some(decided) = decided {
            let by = decided.left.map_or_else(|| told::word(&decided.decider), |_| LEFT.to_owned());
            *self.unasked.entry(by).or_default() += 1;
        }
        self.claim(recorded, prepared);
    }

    fn claim(&mut self, recorded: &Recorded, prepared: &Prepared) {
        let Some(level) = prepared.operation.claim.level() else { return };
        debug_assert!(prepared.operation.claim != Claim::Absent);
        self.claims += 1;
        let class = prepared.assessment.class();
        let denied = recorded
            .decided
            .as_ref()
            .is_some_and(|decided| !decided.allowed && matches!(decided.decider, Decider::Person | Decider::PersonAll));
        let low = level == RiskLevel::Low;
        let wrong = [low && denied, low && class > Class::Unknown, !low && class == Class::Whitelisted];
        for (wrong, into) in wrong.into_iter().zip(&mut self.wrong) {
            if wrong {
                into.count += 1;
                *into.patterns.entry(pattern(prepared)).or_default() += 1;
            }
        }
    }

    /// What was approved most, the most first.
    fn most(&self) -> Vec<(&String, &Pattern)> {
        let mut most: Vec<_> = self.patterns.iter().filter(|(_, pattern)| pattern.approved > 0).collect();
        most.sort_by_key(|(_, pattern)| std::cmp::Reverse(pattern.approved));
        most.truncate(MOST);
        most
    }

    fn text(&self, filters: &Filters) -> String {
        let mut out = String::new();
        let (Some(first), Some(last)) = (self.first_ms, self.last_ms) else {
            return format!("{}\n", filters.nothing());
        };
        let mut say = |text: String| {
            let _infallible = writeln!(out, "{}", text.trim_end());
        };
        let sessions = self.sessions.len();
        say(format!(
            "{} in {}, from {} to {}",
            count(self.operations, "operation"),
            count(sessions, "session"),
            &when::shown(first)[..16],
            &when::shown(last)[..16]
        ));
        if self.untold > 0 {
            say(format!("{} of them were deleted or can't be read, and aren't counted below.", thousands(self.untold)));
        }
        let unasked: u64 = self.unasked.values().sum();
        let by: Vec<String> = self.unasked.iter().map(|(by, times)| format!("{by} {}", thousands(*times))).collect();
        say(String::new());
        say(format!("not asked  {:>6}   {}", thousands(unasked), by.join(", ")));
        let open = self.asked - self.approved - self.denied - self.left;
        let left = if self.left > 0 { format!("left to agents {}, ", thousands(self.left)) } else { String::new() };
        say(format!(
            "asked      {:>6}   approved {}, denied {}, {left}withdrawn or pending {}",
            thousands(self.asked),
            thousands(self.approved),
            thousands(self.denied),
            thousands(open)
        ));
        let mean = self.asked * 10 / (sessions as u64).max(1);
        let mut questions: Vec<u64> = self.sessions.values().copied().collect();
        let median = share(&mut questions, 50).unwrap_or_default();
        say(format!("questions a session: {}.{} on average, {median} the median", mean / 10, mean % 10));
        let mut waits = self.waits.clone();
        if let (Some(median), Some(most)) = (share(&mut waits, 50), share(&mut waits, 90)) {
            say(format!("time to decide: {} the median, nine of ten within {}", duration(median), duration(most)));
        }
        if !self.most().is_empty() {
            say("\nyou approve most".to_owned());
        }
        for (pattern, times) in self.most() {
            let denied = if times.denied > 0 { format!(", denied {}", thousands(times.denied)) } else { String::new() };
            let after = share(&mut times.waits.clone(), 50)
                .map_or_else(String::new, |wait| format!(" ({} the median{denied})", duration(wait)));
            say(format!("{:>6}  {}{after}", thousands(times.approved), line(pattern)));
        }
        say(format!("\nclaims: {} had one", count(self.claims, "operation")));
        for ((_, sentence), wrong) in WRONG.iter().zip(&self.wrong) {
            say(format!("{:>6}  {sentence}", thousands(wrong.count)));
            for (pattern, times) in wrong.most() {
                say(format!("{:>14}  {}", thousands(times), line(pattern)));
            }
        }
        out
    }

    fn json(&self) -> Value {
        let mut waits = self.waits.clone();
        let mut questions: Vec<u64> = self.sessions.values().copied().collect();
        let most: Vec<Value> = self
            .most()
            .into_iter()
            .map(|(pattern, times)| {
                json!({"pattern": pattern, "approved": times.approved, "denied": times.denied,
                    "median_ms": share(&mut times.waits.clone(), 50)})
            })
            .collect();
        let mut claims = Map::new();
        claims.insert("operations".to_owned(), self.claims.into());
        for ((member, _), wrong) in WRONG.iter().zip(&self.wrong) {
            let patterns: Vec<Value> =
                wrong.most().into_iter().map(|(pattern, times)| json!({"pattern": pattern, "times": times})).collect();
            claims.insert((*member).to_owned(), json!({"times": wrong.count, "patterns": patterns}));
        }
        json!({
            "schema": SCHEMA,
            "operations": self.operations,
            "untold": self.untold,
            "sessions": self.sessions.len(),
            "from": self.first_ms.map(when::stamp),
            "to": self.last_ms.map(when::stamp),
            "not_asked": self.unasked,
            "asked": self.asked,
            "approved": self.approved,
            "denied": self.denied,
            "left": self.left,
            "questions_per_session": {"median": share(&mut questions, 50), "most": questions.last()},
            "wait_ms": {"median": share(&mut waits, 50), "ninety_percent": share(&mut waits, 90)},
            "approved_most": most,
            "claims": claims,
        })
    }
}

impl Wrong {
    fn most(&self) -> Vec<(&String, u64)> {
        let mut most: Vec<_> = self.patterns.iter().map(|(pattern, times)| (pattern, *times)).collect();
        most.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        most.truncate(MOST / 2);
        most
    }
}

/// The typed form of an operation, as rules match it, without what differs from one to the next: paths, and whether
/// there is a WHERE.
fn pattern(prepared: &Prepared) -> String {
    let part = |shape: &Shape| {
        let parts = shape.0.iter().filter(|(part, _)| !["path", "destination", "where"].contains(&part.as_str()));
        parts.map(|(part, value)| format!("{part}={value}")).collect::<Vec<_>>().join(" ")
    };
    let parts: BTreeSet<String> = prepared.assessment.shapes.iter().map(part).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    format!("{} {}", prepared.operation.tool, parts.join("; ")).trim_end().to_owned()
}

/// The value below which a share of them lies, in percent.
fn share(values: &mut [u64], percent: usize) -> Option<u64> {
    values.sort_unstable();
    values.get((values.len() * percent / 100).min(values.len().saturating_sub(1))).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_sorted_values() {
        assert_eq!(share(&mut [], 50), None);
        assert_eq!(share(&mut [7], 90), Some(7));
        assert_eq!(share(&mut [5, 1, 3], 50), Some(3));
        let mut ten: Vec<u64> = (1..=10).rev().collect();
        assert_eq!((share(&mut ten, 50), share(&mut ten, 90)), (Some(6), Some(10)));
    }
}
