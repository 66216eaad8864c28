//! How a command came to its end, in plain words.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::children::Child;
use crate::contain::Answer;
use crate::domain::{Outcome, RunReport};

/// How a command came to its end.
pub(super) enum End {
    Exited(std::io::Result<ExitStatus>),
    Cancelled,
    TimedOut,
    /// Its layer held too much, in words.
    Full(String),
}

/// Why a child that was to have walls ran nothing.
pub(super) fn without_walls(child: &Child) -> Option<String> {
    let why = match child.answer()? {
        Answer::Began => return None,
        Answer::Failed(why) => why,
        Answer::Up => {
            return Some(
                "it was not run, as the child that was to become it was ended from outside. Try again".to_owned(),
            );
        }
        Answer::Silent => "the child ended before they were up".to_owned(),
    };
    Some(format!(
        "it was not run, as its walls couldn't be put up ({why}). The person is offered to run it without them; they \
         are tested again before the next command"
    ))
}

/// The report of an end, with the output for the model.
pub(super) fn report(end: &End, limit: u64, left: usize, text: &str, took: Duration) -> RunReport {
    let (outcome, head) = match end {
        End::Exited(Ok(status)) => exited(*status),
        End::Exited(Err(error)) => {
            let reason = format!("the command ran, but its end couldn't be seen: {error}");
            (Outcome::Failed { reason: reason.clone() }, reason)
        }
        End::Cancelled => (Outcome::Cancelled, "cancelled while it ran; it may have done part of its work".to_owned()),
        End::Full(why) => {
            let reason = format!("ended, as {why}");
            (Outcome::Failed { reason: reason.clone() }, reason)
        }
        End::TimedOut => {
            let head = format!("ended at its time limit of {limit} s; a longer one can be set with `timeout`");
            (Outcome::TimedOut { seconds: limit }, head)
        }
    };
    let background = match left {
        0 => String::new(),
        1 => "; 1 background process was ended with it".to_owned(),
        _ => format!("; {left} background processes were ended with it"),
    };
    let result =
        if text.is_empty() { format!("{head}{background}, no output") } else { format!("{head}{background}\n{text}") };
    RunReport { outcome, result, took }
}

/// What an exit status means, in plain words.
fn exited(status: ExitStatus) -> (Outcome, String) {
    let reason = match (status.code(), status.signal()) {
        (Some(0), _) => return (Outcome::Succeeded { summary: "exit 0".to_owned() }, "exit 0".to_owned()),
        (Some(126), _) => "exit 126 (found, but it can't be run)".to_owned(),
        (Some(127), _) => "exit 127 (command not found)".to_owned(),
        (Some(code @ 129..=159), _) => match signal_name(code - 128) {
            Some(name) => format!("exit {code} (ended by {name})"),
            None => format!("exit {code}"),
        },
        (Some(code), _) => format!("exit {code}"),
        (None, Some(number)) => match signal_name(number) {
            Some(name) => format!("ended by {name}"),
            None => format!("ended by signal {number}"),
        },
        (None, None) => "ended without a status".to_owned(),
    };
    (Outcome::Failed { reason: reason.clone() }, reason)
}

fn signal_name(number: i32) -> Option<&'static str> {
    Signal::try_from(number).ok().map(Signal::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_told_in_plain_words() {
        let told = |raw| exited(ExitStatus::from_raw(raw)).1;
        assert_eq!(told(0), "exit 0");
        assert_eq!(told(2 << 8), "exit 2");
        assert_eq!(told(127 << 8), "exit 127 (command not found)");
        assert_eq!(told(137 << 8), "exit 137 (ended by SIGKILL)");
        assert_eq!(told(11), "ended by SIGSEGV");
    }
}
