//! `fd`: a search like any other of the table, and the program that it runs on what it finds.

use super::judge::{Feed, Judge, Objects};
use super::table::table;
use super::word::{Piece, Word};

/// Judges the words of `fd`.
pub(super) fn judge(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    let runs = |word: &Word| matches!(word.text(), Some("-x" | "-X" | "--exec" | "--exec-batch"));
    let (search, program) = match words.iter().position(runs) {
        Some(at) => (&words[..at], words.get(at + 1..)),
        None => (words, None),
    };
    let before = judge.findings.len();
    if let Some(entry) = table().entry(name) {
        judge.by_entry(entry, name, search);
    }
    let Some(program) = program else { return };
    if judge.findings.len() > before {
        judge.ineligible = true;
        return;
    }
    let found = match judge.produced {
        Feed::Paths(reach) | Feed::Whole(reach) => Piece::Found(reach),
        Feed::Text
        | Feed::Hashes
        | Feed::Number
        | Feed::Numbers
        | Feed::Numbered
        | Feed::Counted
        | Feed::Hashed
        | Feed::Named
        | Feed::Refs
        | Feed::Names
        | Feed::Download
        | Feed::Nothing => Piece::Any,
    };
    let end = program.iter().position(|word| word.text() == Some(";")).unwrap_or(program.len());
    if program.len() > end + 1 {
        judge.unknown("command.operand", format!("No rule says that `{name}` only reads after the program it runs."));
    }
    let mut argv: Vec<Word> = program[..end].iter().map(|word| with_found(word, &found)).collect();
    if argv.iter().zip(program).all(|(with, word)| with == word) {
        argv.push(found.into());
    }
    judge.unearths = Objects::Elsewhere;
    judge.outside(&argv);
    judge.produced = Feed::Text;
}

/// A word with its placeholder taken for what was found: `{}` for the path, `{.}`, `{/}`, … for any text.
fn with_found(word: &Word, found: &Piece) -> Word {
    let Some(text) = word.text() else { return word.clone() };
    match text {
        "{}" => Word::from(found.clone()).at(word.span.clone()),
        text if ["{}", "{.}", "{/}", "{//}", "{/.}"].iter().any(|mark| text.contains(mark)) => Word::any(),
        _ => word.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allowed, asks};

    #[test]
    fn what_fd_runs_is_judged_with_what_it_finds() {
        for command in [
            "fd -e rs -x wc -l",
            "fd . src -e py -X head -3",
            "fd -g '*.md' -x grep -c x {} \\;",
            "fd x | xargs cat",
            "fd -t f . /etc -x md5sum",
        ] {
            allowed(command);
        }
        for command in [
            "fd -e rs -x rm",
            "fd x -X sh -c 'cat {}'",
            "fd -e env -x cat",
            "fd -H '^\\.env$' -x cat",
            "fd -g .env -x cat",
            "fd -H env | xargs cat",
            "fd . ~/.ssh -x cat",
            "fd . /etc -x cat",
            "fd -HI . ~ -X grep x",
            "fd x -x ls ';' -x rm",
            "fd x -x ls \\; extra",
            "fd -x {}",
            "fd x -x cat {.}",
        ] {
            asks(command);
        }
    }
}
