//! The words of what ends processes, or sends them something else: `kill`, `pkill`, `killall`. Material of a preview, as
//! in `acts`; decides nothing.

use regex::Regex;

use crate::assess::command::word::Word;

/// The signals by number that are the same on all of Linux's common machines.
const NUMBERS: [(&str, &str); 12] = [
    ("0", "0"),
    ("1", "HUP"),
    ("2", "INT"),
    ("3", "QUIT"),
    ("6", "ABRT"),
    ("9", "KILL"),
    ("10", "USR1"),
    ("12", "USR2"),
    ("14", "ALRM"),
    ("15", "TERM"),
    ("18", "CONT"),
    ("19", "STOP"),
];
/// Others that have a name.
const NAMES: [&str; 5] = ["PIPE", "TSTP", "WINCH", "TTIN", "TTOU"];
/// What an expression may hold that means the same to everybody who reads one.
const COMMON: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./:=,@%~^$*+?|()";

/// Whether a question mark is no number of times: it makes one lazy, or a group another one, to some.
fn lazy(expression: &str) -> bool {
    expression.as_bytes().windows(2).any(|pair| pair[1] == b'?' && b"+*?(|".contains(&pair[0]))
}

/// Something that is sent to processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// By its name, such as `TERM`.
    pub name: String,
    /// To which.
    pub to: Receivers,
}

/// The processes that get a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// By their numbers; of a group, or of all, below zero, as `kill` takes them.
    Numbers(Vec<i64>),
    /// Those whose name, or with `whole` whose command line, an expression finds.
    Like {
        /// The expression.
        expression: String,
        /// The command line.
        whole: bool,
    },
    /// Those with one of these names.
    Called(Vec<String>),
}

/// What such a program sends, if its words tell.
pub(super) fn told(name: &str, words: &[Word]) -> Option<Signal> {
    let texts: Vec<&str> = words.iter().map(Word::text).collect::<Option<_>>()?;
    match name {
        "kill" => kill(&texts),
        "pkill" => pkill(&texts),
        "killall" => killall(&texts),
        _ => None,
    }
}

/// A signal by its name or number.
fn signal(text: &str) -> Option<String> {
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    let known = |(number, named): &(&str, &str)| *number == name || *named == name;
    let by_number = NUMBERS.iter().find(|one| known(one)).map(|(_, name)| (*name).to_owned());
    by_number.or_else(|| NAMES.contains(&name).then(|| name.to_owned()))
}

/// Takes the signal from the front: `-9`, `-KILL`, or behind one of these flags.
fn sent<'t>(texts: &'t [&'t str], flags: &[&str]) -> Option<(String, &'t [&'t str])> {
    match texts {
        [flag, value, rest @ ..] if flags.contains(flag) => Some((signal(value)?, rest)),
        [first, rest @ ..] if first.len() > 1 && first.starts_with('-') && *first != "--" => {
            let long = flags.iter().find_map(|flag| first.strip_prefix(flag)?.strip_prefix('='));
            match long {
                Some(value) => Some((signal(value)?, rest)),
                None => signal(&first[1..]).map(|name| (name, rest)),
            }
        }
        _ => None,
    }
}

fn kill(texts: &[&str]) -> Option<Signal> {
    let (name, rest) = sent(texts, &["-s", "-n", "--signal"]).unwrap_or(("TERM".to_owned(), texts));
    let rest = match rest {
        ["--", rest @ ..] => rest,
        // What looks like a flag is none that is known here, but behind a signal it is a group.
        [first, ..] if first.starts_with('-') && rest.len() == texts.len() => return None,
        rest => rest,
    };
    let numbers: Vec<i64> = rest.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
    (!numbers.is_empty()).then_some(Signal { name, to: Receivers::Numbers(numbers) })
}

fn pkill(texts: &[&str]) -> Option<Signal> {
    let (mut name, mut whole, mut exact, mut expression) = ("TERM".to_owned(), false, false, None);
    let mut texts = texts;
    while let [first, rest @ ..] = texts {
        texts = rest;
        match *first {
            "-e" | "--echo" => {}
            "-f" | "--full" => whole = true,
            "-x" | "--exact" => exact = true,
            "--" => {
                let [one] = rest else { return None };
                expression = Some(*one);
                texts = &[];
            }
            flag if flag.starts_with('-') => {
                let before = [&[flag], rest].concat();
                let (signal, behind) = sent(&before, &["--signal"])?;
                texts = &rest[rest.len() - behind.len()..];
                name = signal;
            }
            one if expression.is_none() => expression = Some(one),
            _ => return None,
        }
    }
    let expression = expression
        .filter(|text| !text.is_empty() && text.chars().all(|letter| COMMON.contains(letter)) && !lazy(text))?;
    let expression = if exact { format!("^({expression})$") } else { expression.to_owned() };
    Regex::new(&expression).ok()?;
    Some(Signal { name, to: Receivers::Like { expression, whole } })
}

fn killall(texts: &[&str]) -> Option<Signal> {
    let (mut name, mut called) = ("TERM".to_owned(), Vec::new());
    let mut texts = texts;
    while let [first, rest @ ..] = texts {
        texts = rest;
        match *first {
            "-q" | "--quiet" | "-v" | "--verbose" | "-w" | "--wait" => {}
            flag if flag.starts_with('-') => {
                let before = [&[flag], rest].concat();
                let (signal, behind) = sent(&before, &["-s", "--signal"])?;
                texts = &rest[rest.len() - behind.len()..];
                name = signal;
            }
            // By a path, other processes may run the same file.
            path if path.contains('/') => return None,
            one => called.push(one.to_owned()),
        }
    }
    (!called.is_empty()).then_some(Signal { name, to: Receivers::Called(called) })
}
