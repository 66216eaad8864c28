//! What came of the calls of one run: which hosts were reached, which were not and why, and the sentences about it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::number::{count, size};

/// Most bytes that a run may send, and one that looks.
const SENT: u64 = 64 << 20;
const SENT_TO_LOOK: u64 = 1 << 20;
/// Most bytes that it may receive.
const RECEIVED: u64 = 2 << 30;
/// Most hosts that were not reached that are named.
const NAMED: usize = 10;

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From the run to a host.
    Out,
    /// Back.
    In,
}

/// The calls of one run.
#[derive(Debug)]
pub(super) struct Tally {
    /// Most bytes that it may send.
    most: u64,
    sent: AtomicU64,
    received: AtomicU64,
    calls: Mutex<Calls>,
}

#[derive(Debug, Default)]
struct Calls {
    /// How often each host was reached.
    reached: BTreeMap<String, usize>,
    /// Why each other was not.
    refused: BTreeMap<String, String>,
    /// How many of those have no place in the list.
    more: usize,
}

impl Tally {
    /// That of a run that may send what downloads take, or only asks to `look`.
    pub(super) fn new(look: bool) -> Self {
        let most = if look { SENT_TO_LOOK } else { SENT };
        Self { most, sent: AtomicU64::new(0), received: AtomicU64::new(0), calls: Mutex::default() }
    }

    /// Takes bytes into account. False if they are too many.
    pub(super) fn takes(&self, way: Way, bytes: usize) -> bool {
        let (sum, most) = match way {
            Way::Out => (&self.sent, self.most),
            Way::In => (&self.received, RECEIVED),
        };
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        sum.fetch_add(bytes, Ordering::AcqRel).saturating_add(bytes) <= most
    }

    /// A host was reached.
    pub(super) fn reached(&self, host: &str) {
        *self.calls().reached.entry(host.to_owned()).or_default() += 1;
    }

    /// A host was not, in a few words. The first reason stays.
    pub(super) fn refused(&self, host: &str, why: &str) {
        let mut calls = self.calls();
        let room = calls.refused.len() < NAMED || calls.refused.contains_key(host);
        if room {
            calls.refused.entry(host.to_owned()).or_insert_with(|| why.to_owned());
        } else {
            calls.more += 1;
        }
    }

    /// Whether something was not reached.
    pub(super) fn lacks(&self) -> bool {
        !self.calls().refused.is_empty()
    }

    /// What came of it, in sentences; none if nobody called.
    pub(super) fn told(&self) -> Option<String> {
        let calls = self.calls();
        let (sent, received) = (self.sent.load(Ordering::Acquire), self.received.load(Ordering::Acquire));
        let mut said = Vec::new();
        if !calls.reached.is_empty() {
            let times = |(host, times): (&String, &usize)| match times {
                1 => host.clone(),
                times => format!("{host} ({times} times)"),
            };
            let hosts: Vec<String> = calls.reached.iter().map(times).collect();
            said.push(format!("It reached {}: {} sent, {} received.", hosts.join(", "), size(sent), size(received)));
        }
        if sent > self.most || received > RECEIVED {
            said.push(format!(
                "It was cut off: a run sends {} and receives {} at most.",
                size(self.most),
                size(RECEIVED)
            ));
        }
        if !calls.refused.is_empty() {
            let mut hosts: Vec<String> = calls.refused.iter().map(|(host, why)| format!("{host} ({why})")).collect();
            if calls.more > 0 {
                hosts.push(count(calls.more, "more call"));
            }
            said.push(format!("It did not reach {}.", hosts.join(", ")));
        }
        (!said.is_empty()).then(|| said.join(" "))
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reached_and_what_was_not_is_told() {
        let tally = Tally::new(false);
        assert_eq!((tally.told(), tally.lacks()), (None, false));
        tally.reached("a.example:443");
        tally.reached("a.example:443");
        tally.refused("b.example:443", "not allowed");
        assert!(tally.takes(Way::Out, 10) && tally.takes(Way::In, 20));
        let told = tally.told().unwrap();
        assert!(told.starts_with("It reached a.example:443 (2 times): 10 B sent, 20 B received."), "{told}");
        assert!(told.ends_with("It did not reach b.example:443 (not allowed).") && tally.lacks(), "{told}");
        for number in 0..100 {
            tally.refused(&format!("{number}.example:443"), "not allowed");
        }
        let told = tally.told().unwrap();
        assert!(told.contains("91 more calls") && told.len() < 1000, "{told}");
    }

    #[test]
    fn what_a_run_sends_and_receives_is_bounded() {
        let tally = Tally::new(false);
        assert!(tally.takes(Way::Out, usize::try_from(SENT).unwrap()) && !tally.takes(Way::Out, 1));
        assert!(tally.takes(Way::In, 1) && tally.told().unwrap().contains("cut off"));
    }
}
