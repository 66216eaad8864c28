//! Arithmetic of the shell: `$((…))`, `((…))`, offsets of substrings. What looks like a number may be evaluated again
//! and run code, so only numbers and variables that hold them pass. `expand` and `walk` call it; `programs` asks of each
//! command whether it computes its words.

use std::borrow::Cow;

use brush_parser::word::{Parameter, ParameterExpr, SpecialParameter, WordPiece, parse};

use super::judge::{Feed, Judge};
use super::parse::options;
use super::scope::secret_variable;
use super::word::{Piece, Word};
use crate::domain::Shell;

impl Judge<'_> {
    /// Judges an arithmetic expression. A variable in it is evaluated again by the shell, which can run code, so
    /// only numbers may stand in it.
    pub(super) fn arithmetic(&mut self, raw: &str) {
        let Ok(pieces) = parse(raw, &options()) else {
            self.unreadable("command.arithmetic", "Its arithmetic could not be parsed.");
            return;
        };
        let assigns = raw.replace("==", "").replace("<=", "").replace(">=", "").replace("!=", "").contains('=')
            || raw.contains("++")
            || raw.contains("--");
        for (at, piece) in pieces.iter().enumerate() {
            match &piece.piece {
                WordPiece::Text(text) => {
                    let text = &decimal(text);
                    // Glued to what follows, `a$i`, it is the name of another variable.
                    let tail = &text[text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len()..];
                    if at + 1 < pieces.len() && tail.contains(|c: char| !c.is_ascii_digit()) {
                        self.unreadable("command.arithmetic", "Its arithmetic computes the name of a variable.");
                    }
                    let known = |c: char| c.is_ascii_alphanumeric() || "_ \t\n+-*/%()<>=!&|^~?:,".contains(c);
                    if !text.chars().all(known) {
                        self.unreadable("command.arithmetic", "Its arithmetic is more than numbers and variables.");
                    }
                    let names = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    for name in names.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')) {
                        self.numeric(name);
                        if assigns {
                            self.assign(name, Piece::Number.into());
                        }
                    }
                }
                WordPiece::ParameterExpansion(ParameterExpr::Parameter {
                    parameter: Parameter::Named(name),
                    indirect: false,
                }) => {
                    self.numeric(name);
                }
                WordPiece::ParameterExpansion(ParameterExpr::ParameterLength { indirect: false, parameter }) => {
                    self.indexed(parameter);
                }
                WordPiece::ParameterExpansion(ParameterExpr::Parameter {
                    parameter:
                        Parameter::Special(
                            SpecialParameter::LastExitStatus
                            | SpecialParameter::PositionalParameterCount
                            | SpecialParameter::ProcessId,
                        ),
                    indirect: false,
                }) => {}
                WordPiece::CommandSubstitution(text) => {
                    self.substitution(text);
                    let number = |word: &Word| matches!(word.pieces[..], [Piece::Number | Piece::Digits]);
                    if self.produced != Feed::Numbers && !self.printed.as_ref().is_some_and(number) {
                        self.unreadable(
                            "command.arithmetic",
                            "Its arithmetic computes with a command's output, which can run code.",
                        );
                    }
                }
                WordPiece::ArithmeticExpression(inner) => self.computed(&inner.value),
                WordPiece::SingleQuotedText(_)
                | WordPiece::AnsiCQuotedText(_)
                | WordPiece::DoubleQuotedSequence(_)
                | WordPiece::GettextDoubleQuotedSequence(_)
                | WordPiece::TildeExpansion(_)
                | WordPiece::ParameterExpansion(_)
                | WordPiece::BackquotedCommandSubstitution(_)
                | WordPiece::EscapeSequence(_) => {
                    self.unreadable("command.arithmetic", "Its arithmetic is more than numbers and variables.");
                }
            }
        }
    }

    /// Judges the words of the shell's own commands that stand for numbers. Zsh and ksh compute them, which runs what
    /// stands in the place of an array: `exit 'path[$(id)]'`.
    pub(super) fn numbers_of(&mut self, name: &str, words: &[Word]) {
        let numbers: Vec<&Word> = match name {
            "exit" | "return" | "break" | "continue" | "shift" => words.iter().collect(),
            "printf" => printed_numbers(words),
            "read" => read_numbers(words),
            "test" | "[" => tested_numbers(words, self.shell != Shell::Bash),
            _ => return,
        };
        for word in numbers {
            let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
            let known = match word.text() {
                // It prints the number of the character behind a quote.
                Some(text) => name == "printf" && text.starts_with(['\'', '"']) || self.only_counts(text),
                None => word.pieces().iter().all(|piece| match piece {
                    Piece::Exact(text) => plain(text),
                    Piece::Number | Piece::Digits | Piece::Numbers => true,
                    _ => false,
                }),
            };
            if !known {
                let sentence = format!("`{name}` computes {} in some shells, which can run code.", self.spelt(word));
                self.about(word, |judge| judge.unreadable("command.arithmetic", sentence));
            }
        }
    }

    /// Whether nothing but numbers is in a text, and names that hold none but numbers.
    fn only_counts(&self, text: &str) -> bool {
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let named = |name: &&str| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        text.chars().all(|c| letter(c) || "+-.#:/ ,".contains(c))
            && text.split(|c| !letter(c)).filter(named).all(|name| self.holds_number(name))
    }

    /// Whether a variable holds a number, if the script or the shell set it.
    fn holds_number(&self, name: &str) -> bool {
        let unset = || !secret_variable(name) && !filled(name);
        self.scope.get(name).map_or_else(unset, Word::computes)
    }

    /// A variable in an arithmetic expression must hold a number, if the script set it.
    fn numeric(&mut self, name: &str) {
        if !self.holds_number(name) {
            self.unreadable(
                "command.arithmetic",
                format!("Its arithmetic evaluates `{name}`, which may hold anything."),
            );
        }
    }
}

/// Letters by which `printf` prints a number.
const NUMBERS: [char; 14] = ['d', 'i', 'o', 'u', 'x', 'X', 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A'];

/// What `printf` takes for numbers by its format; everything where that isn't known.
fn printed_numbers(words: &[Word]) -> Vec<&Word> {
    let words = match words {
        [flag, _, words @ ..] if flag.text() == Some("-v") => words,
        words => words,
    };
    let words = match words {
        [dashes, words @ ..] if dashes.text() == Some("--") => words,
        words => words,
    };
    let Some((format, given)) = words.split_first() else { return Vec::new() };
    let text: Option<String> = format
        .pieces()
        .iter()
        .map(|piece| match piece {
            Piece::Exact(text) => Some(text.as_str()),
            Piece::Number | Piece::Digits => Some("1"),
            _ => None,
        })
        .collect();
    let Some(wanted) = text.map(|text| conversions(&text)) else { return given.iter().collect() };
    if !wanted.contains(&true) {
        return Vec::new();
    }
    // Of several words, or none, nobody knows where the next one stands.
    let certain = given.iter().position(|word| word.several() || word.may_be_none()).unwrap_or(given.len());
    let counts = |at: usize| at >= certain || wanted[at % wanted.len()];
    given.iter().enumerate().filter(|(at, _)| counts(*at)).map(|(_, word)| word).collect()
}

/// Which of the words that a format of `printf` takes are numbers: those of `%d`, and of `*` for a width.
fn conversions(format: &str) -> Vec<bool> {
    let mut wanted = Vec::new();
    let mut rest = format;
    while let Some((_, behind)) = rest.split_once('%') {
        if let Some(behind) = behind.strip_prefix('%') {
            rest = behind;
            continue;
        }
        let modified = behind.trim_start_matches(|c: char| "-+ #'0123456789.*$hlLjzt".contains(c));
        // A size of its own before what says that it is a number; by itself it quotes.
        let kind = modified.strip_prefix('q').filter(|kind| kind.starts_with(NUMBERS)).unwrap_or(modified);
        let between = &behind[..behind.len() - kind.len()];
        wanted.extend(between.matches('*').map(|_| true));
        // `%2$d` takes a word of its own choice.
        wanted.push(between.contains('$') || !kind.starts_with(['s', 'b', 'c', 'q', 'Q']));
        // `%(%F)T` prints a time.
        let end = if kind.starts_with('(') { ')' } else { kind.chars().next().unwrap_or_default() };
        rest = kind.split_once(end).map_or("", |(_, behind)| behind);
    }
    wanted
}

/// The values of `read`'s flags that are numbers.
fn read_numbers(words: &[Word]) -> Vec<&Word> {
    let valued = |word: &Word| {
        let flags = word.text()?.strip_prefix('-')?.trim_start_matches(['r', 's', 'e', 'E', 'A']);
        flags.starts_with(['t', 'n', 'N', 'u']).then_some(flags.len() == 1)
    };
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match valued(word) {
            Some(true) => found.extend(words.get(at + 1)),
            Some(false) => found.push(word),
            None => {}
        }
    }
    found
}

/// What `test` takes for a descriptor, and what it compares as numbers where code may stand in that: in a shell that
/// `computes` such words, whatever isn't known to be one.
fn tested_numbers(words: &[Word], computes: bool) -> Vec<&Word> {
    let coded = |word: &Word| computes || word.text().is_some_and(|text| text.contains(['[', '`', '$']));
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let beside = || [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| words.get(at));
        match word.text() {
            Some("-t") => {
                let operand = |word: &&Word| !matches!(word.text(), Some("]" | "=" | "==" | "!=" | "-a" | "-o"));
                found.extend(words.get(at + 1).filter(operand));
            }
            Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => found.extend(beside().filter(|word| coded(word))),
            Some(_) | None => {}
        }
    }
    found
}

/// The text with each number of another base, `16#ff`, as a number: nothing in one is a variable.
fn decimal(text: &str) -> Cow<'_, str> {
    if !text.contains('#') {
        return Cow::Borrowed(text);
    }
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@');
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('#') {
        let head = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let base = before[head.len()..].parse::<u8>().is_ok_and(|base| (2..=64).contains(&base));
        let digits = behind.len() - behind.trim_start_matches(letter).len();
        if !base || digits == 0 || head.ends_with(letter) {
            return Cow::Borrowed(text);
        }
        plain.push_str(head);
        plain.push('1');
        rest = &behind[digits..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Whether the shell itself fills a variable with a text, which the script may have chosen.
fn filled(name: &str) -> bool {
    const TEXTS: [&str; 21] = [
        "_",
        "REPLY",
        "OPTARG",
        "MAPFILE",
        "DIRSTACK",
        "PWD",
        "OLDPWD",
        "FUNCNAME",
        "HISTFILE",
        "IFS",
        "PS4",
        "HOME",
        "PATH",
        "CDPATH", // Of zsh.
        "MATCH",
        "match",
        "argv",
        "reply",
        "dirstack",
        "history",
        "historywords",
    ];
    TEXTS.contains(&name) || ["BASH", "COMP", "COPROC", "READLINE"].iter().any(|start| name.starts_with(start))
}

/// Whether a format of `printf` has a `%n`.
pub(super) fn counts(format: &str) -> bool {
    let mut parts = format.split('%').skip(1);
    while let Some(part) = parts.next() {
        if part.is_empty() {
            parts.next();
            continue;
        }
        if part.trim_start_matches(|c: char| "-+ #'0123456789.*$hlLjztq".contains(c)).starts_with('n') {
            return true;
        }
    }
    false
}
