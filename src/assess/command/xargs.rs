//! `xargs`: the program it runs is judged with words that may be anything, or with paths that a search found.

use super::flags::{Flags, leading};
use super::judge::{Feed, Judge};
use super::table::table;
use super::word::{Piece, Word};

/// Judges the words of `xargs`.
pub(super) fn judge(judge: &mut Judge<'_>, words: &[Word]) {
    let read = table().entry("xargs").and_then(|entry| Some((entry, leading(entry, words)?)));
    let Some((entry, inner)) = read else {
        judge.ineligible = true;
        judge.unknown("command.unknown-flag", "No rule knows these flags of `xargs`.");
        judge.behind(words);
        return;
    };
    let given = Flags::of(entry, words);
    let mut from_file = false;
    for (_, file) in given.values(&["-a", "--arg-file"]) {
        from_file = true;
        judge.reads(file);
    }
    let outer = judge.at_once;
    for (_, processes) in given.values(&["-P", "--max-procs"]) {
        judge.crowds_by(processes);
    }
    let ended = given.has("-0") || given.has("--null");
    // The last of its flags says where words end. Parted within a line, a name may be another, or begin with a dash.
    let ends: Vec<_> = given.values(&["-d", "--delimiter"]).map(|(_, end)| end.text()).collect();
    let parted = !ends.iter().all(|end| matches!(end, Some("\\n" | "\n" | "\\0")));
    let found = match judge.feed {
        _ if from_file || parted => None,
        Feed::Whole(reach) if ended && ends.is_empty() => Some(Piece::Whole(reach)),
        Feed::Paths(reach) | Feed::Whole(reach) => Some(Piece::Found(reach)),
        Feed::Hashes => Some(Piece::Hashes),
        Feed::Names if ends.is_empty() => Some(Piece::Names),
        Feed::Refs if ends.is_empty() && !ended => Some(Piece::Refs),
        Feed::Number | Feed::Numbers if ends.is_empty() && !ended => Some(Piece::Numbers),
        Feed::Number
        | Feed::Numbers
        | Feed::Numbered
        | Feed::Counted
        | Feed::Hashed
        | Feed::Named
        | Feed::Refs
        | Feed::Names
        | Feed::Text
        | Feed::Download
        | Feed::Nothing => None,
    };
    let fed = Word::from(found.clone().unwrap_or(Piece::Words));
    let mut argv: Vec<Word> = if inner.is_empty() { vec![Word::exact("echo")] } else { inner.to_vec() };
    let before = judge.findings.len();
    if let Some(said) = judge.said().map(str::to_owned) {
        let handed: Vec<Word> = argv.iter().cloned().chain(said.split_whitespace().map(Word::exact)).collect();
        judge.trial(|judge| judge.dispatch(&handed));
    }
    let mark = placeholder(&given);
    let runs = told(judge, &given, &argv);
    for argv in runs.iter().flatten() {
        judge.any_times(|judge| judge.outside(argv));
    }
    if let Some(mark) = &mark {
        let mut argv: Vec<Word> = argv.iter().map(|word| replaced(word, mark, found.as_ref())).collect();
        for word in &mut argv {
            judge.relocated(word);
        }
        judge.any_times(|judge| judge.outside(&argv));
    }
    // A later limit of words, or another mark, takes the place of a mark: then they are appended all the same.
    if runs.is_none() && (mark.is_none() || !marked_alone(&given)) {
        argv.push(fed);
        judge.any_times(|judge| judge.outside(&argv));
    }
    judge.at_once = outer;
    // It prints that for each.
    judge.printed = None;
    if judge.findings.len() > before {
        judge.ineligible = true;
    } else {
        judge.readers.insert("xargs".to_owned());
    }
}

/// The words of each run, where all that flows in is known and is taken word by word.
fn told(judge: &Judge<'_>, given: &Flags, argv: &[Word]) -> Option<Vec<Vec<Word>>> {
    const PLAIN: [&str; 6] = ["-r", "-t", "-n", "--no-run-if-empty", "--verbose", "--max-args"];
    /// Most letters that go into one run, of those that anybody limits.
    const SHORT: usize = 1000;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" \n._/+=,:@-".contains(&byte);
    let said = judge.said().filter(|said| said.len() <= SHORT && said.bytes().all(plain))?;
    if given.count(&PLAIN) != given.len() {
        return None;
    }
    let mut most = said.len().max(1);
    for (_, number) in given.values(&["-n", "--max-args"]) {
        most = number.text()?.parse().ok().filter(|number| *number > 0)?;
    }
    let words: Vec<Word> = said.split_ascii_whitespace().map(Word::exact).collect();
    let with = |words: &[Word]| argv.iter().chain(words).cloned().collect();
    // Without any it runs once, unless it is told not to.
    Some(if words.is_empty() { vec![with(&[])] } else { words.chunks(most).map(with).collect() })
}

const MARKS: [&str; 3] = ["-I", "-i", "--replace"];

/// The text that is replaced; empty if that isn't known.
fn placeholder(given: &Flags) -> Option<String> {
    let mut marks = given.values(&MARKS);
    match marks.next() {
        Some((flag, mark)) if flag != "-I" && mark.text() == Some("") => Some("{}".to_owned()),
        Some((_, mark)) => Some(mark.text().unwrap_or_default().to_owned()),
        None => (given.count(&MARKS) > 0).then(|| "{}".to_owned()),
    }
}

/// Whether nothing beside the mark says how many words there are to a run.
fn marked_alone(given: &Flags) -> bool {
    const OTHERS: [&str; 10] =
        ["-0", "-r", "-t", "-P", "-d", "--null", "--no-run-if-empty", "--verbose", "--max-procs", "--delimiter"];
    given.count(&MARKS) == 1 && given.count(&OTHERS) + 1 == given.len()
}

fn replaced(word: &Word, mark: &str, found: Option<&Piece>) -> Word {
    let Some(text) = word.text() else { return word.clone() };
    if mark.is_empty() {
        return Word::from(Piece::Words).at(word.span.clone());
    }
    let Some((before, after)) = text.split_once(mark) else { return word.clone() };
    let mut whole = Word::default().at(word.span.clone());
    if !before.is_empty() {
        whole.push(Piece::Exact(before.to_owned()));
    }
    let fits = match found {
        Some(Piece::Numbers | Piece::Refs) => true,
        Some(Piece::Found(_) | Piece::Whole(_)) => before.is_empty() || folder(before),
        _ => before.is_empty(),
    };
    whole.push(found.filter(|_| fits).cloned().unwrap_or(Piece::Any));
    if !after.is_empty() {
        whole.push(if after.contains(mark) { Piece::Any } else { Piece::Exact(after.to_owned()) });
    }
    whole
}

/// Whether a text before a mark is a folder, and nothing but one.
fn folder(before: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    before.ends_with('/') && !before.starts_with('-') && before.bytes().all(plain)
}
