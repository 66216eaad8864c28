//! Arithmetic of the shell: `$((…))`, `((…))`, offsets of substrings. What looks like a number may be evaluated again
//! and run code, so only numbers and variables that hold them pass. `expand` and `walk` call it.

use std::borrow::Cow;

use brush_parser::word::{Parameter, ParameterExpr, SpecialParameter, WordPiece, parse};

use super::judge::{Feed, Judge};
use super::parse::options;
use super::scope::secret_variable;
use super::word::{Piece, Word};

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

    /// A variable in an arithmetic expression must hold a number, if the script set it.
    fn numeric(&mut self, name: &str) {
        let unset = || !secret_variable(name) && !filled(name);
        let number = self.scope.get(name).map_or_else(unset, Word::computes);
        if !number {
            self.unreadable(
                "command.arithmetic",
                format!("Its arithmetic evaluates `{name}`, which may hold anything."),
            );
        }
    }
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
    const TEXTS: [&str; 14] = [
        "_", "REPLY", "OPTARG", "MAPFILE", "DIRSTACK", "PWD", "OLDPWD", "FUNCNAME", "HISTFILE", "IFS", "PS4", "HOME",
        "PATH", "CDPATH",
    ];
    TEXTS.contains(&name) || ["BASH", "COMP", "COPROC", "READLINE"].iter().any(|start| name.starts_with(start))
}
