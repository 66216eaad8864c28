//! From the raw words of the syntax tree to what they may become: quotes, braces, tildes, variables and
//! substitutions. Substituted commands are judged on the way. What isn't understood is unreadable.

use brush_parser::ast::Word as Raw;
use brush_parser::word::{
    Parameter, ParameterExpr, ParameterTransformOp, SpecialParameter, TildeExpr, WordPiece, WordPieceWithSource,
    parse_heredoc,
};

use super::braces::{braces, counts};
use super::escapes::ansi_c;
use super::judge::{Feed, Judge};
use super::parameters::{Cut, argument, without_last_lines};
use super::parse::{Tildes, options, pieces};
use super::parted::place;
use super::raw::{assignment, is_plain, plainly_quoted, quoted};
use super::scope::{known_variable, secret_variable};
use super::word::{Piece, Word};

impl Judge<'_> {
    /// The words that one word of a command may become.
    pub(super) fn words(&mut self, raw: &Raw) -> Vec<Word> {
        let span = self.place_of(raw);
        let raw = raw.value.as_str();
        if is_plain(raw) {
            return vec![Word::exact(raw).at(span)];
        }
        self.word.clone_from(&span);
        if let Some(words) = self.all_of(raw) {
            return words;
        }
        if raw.contains('{') && raw.contains('}') && (raw.contains(',') || raw.contains("..")) {
            match braces(raw) {
                Some(raws) if raws != [raw] => {
                    // An empty one is no word.
                    let raws = raws.iter().filter(|raw| !raw.is_empty());
                    return raws
                        .map(|raw| {
                            let word = self.plain_word(raw, Quotes::None);
                            passed(self.split_oddly(word), false).at(span.clone())
                        })
                        .collect();
                }
                Some(_) => {}
                None if counts(raw) => return vec![Word::from(Piece::Numbers).at(span)],
                None => {
                    self.unreadable("command.braces", "Its braces expand to more words than are judged.");
                    return vec![Word::from(Piece::Words).at(span)];
                }
            }
        }
        let word = self.word(raw, Quotes::None);
        vec![passed(self.split_oddly(word), self.tested).at(span)]
    }

    /// A word in which something was put without quotes, where a script said that words are split elsewhere than at
    /// blanks: it may be any words.
    fn split_oddly(&self, word: Word) -> Word {
        let put = word.many && (word.bare || word.text().is_none());
        if put && self.scope.splits_oddly() { Piece::Words.into() } else { word }
    }

    /// What one word may become, without brace expansion. Where it looks like an assignment, the shell expands the
    /// tildes of its value too.
    fn word(&mut self, raw: &str, quotes: Quotes) -> Word {
        let (head, rest) = if raw.contains('~') { assignment(raw) } else { ("", raw) };
        if head.is_empty() {
            return self.plain_word(raw, quotes);
        }
        let mut word = Word::exact(head);
        self.expand(rest, Tildes::AfterColons, quotes, &mut word);
        word
    }

    /// The same for a word that came out of braces, which is no assignment any more.
    fn plain_word(&mut self, raw: &str, quotes: Quotes) -> Word {
        if is_plain(raw) || raw == "[" {
            return Word::exact(raw);
        }
        if let Some(text) = quoted(raw) {
            return Word::exact(text);
        }
        let mut word = Word::default();
        // A colon ends a tilde's name in assignments alone.
        self.expand(raw, if raw.starts_with("~:") { Tildes::NotFirst } else { Tildes::Usual }, quotes, &mut word);
        word
    }

    fn expand(&mut self, raw: &str, tildes: Tildes, quotes: Quotes, word: &mut Word) {
        match pieces(raw, tildes) {
            Some(pieces) => {
                self.pieces(raw, &pieces, quotes, word);
                word.literal_brackets();
                self.relocated(word);
            }
            None => self.unreadable("command.word", "A word of it could not be parsed."),
        }
    }

    /// What the value of an assignment becomes.
    pub(super) fn assigned(&mut self, raw: &Raw) -> Word {
        self.word = self.place_of(raw);
        let mut word = Word::default();
        self.expand(&raw.value, Tildes::AfterColons, Quotes::Value, &mut word);
        self.one_word(word)
    }

    /// What a value becomes where it stays one word: a here-string, a subject of `case`, the name of a redirection.
    pub(super) fn value(&mut self, raw: &Raw) -> Word {
        self.word = self.place_of(raw);
        let word = self.word(&raw.value, Quotes::Value);
        self.one_word(word)
    }

    fn one_word(&self, mut word: Word) -> Word {
        let pieces = std::mem::take(&mut word.pieces);
        let mut value = Word { bare: false, many: false, ..word }.at(self.word.clone());
        for piece in pieces {
            value.push(match piece {
                Piece::Words => Piece::Any,
                other => other,
            });
        }
        value
    }

    /// Judges the substitutions in the body of a here-document.
    pub(super) fn document(&mut self, body: &str) {
        self.word = self.text.find(body).map(|start| start..start + body.len());
        match parse_heredoc(body, &options()) {
            Ok(pieces) => self.pieces(body, &pieces, Quotes::Double, &mut Word::default()),
            Err(_) => self.unreadable("command.here-document", "Its here-document could not be parsed."),
        }
    }

    /// Judges a regular expression of `[[ =~ ]]`, whose brackets are not the shell's.
    pub(super) fn regex(&mut self, raw: &Raw) {
        self.word = self.place_of(raw);
        let raw = raw.value.as_str();
        match pieces(raw, Tildes::Usual) {
            Some(pieces) => self.pieces(raw, &pieces, Quotes::Regex, &mut Word::default()),
            None => self.unreadable("command.word", "A word of it could not be parsed."),
        }
    }

    fn pieces(&mut self, raw: &str, pieces: &[WordPieceWithSource], quotes: Quotes, word: &mut Word) {
        for (at, piece) in pieces.iter().enumerate() {
            match &piece.piece {
                WordPiece::Text(text) => {
                    let next = pieces.get(at + 1).map(|next| &next.piece);
                    let opens = matches!(next, Some(WordPiece::Text(next)) if next.starts_with(['{', '(', '[']));
                    if opens && text.ends_with('$') {
                        self.unreadable("command.word", "A word of it has an expansion that could not be parsed.");
                    }
                    self.text(text, quotes, word);
                }
                WordPiece::SingleQuotedText(text) => word.push(Piece::Exact(text.clone())),
                WordPiece::AnsiCQuotedText(text) => word.push(ansi_c(text).map_or(Piece::Any, Piece::Exact)),
                WordPiece::DoubleQuotedSequence(inner) => {
                    word.push(Piece::Exact(String::new()));
                    self.pieces(raw, inner, Quotes::Double, word);
                }
                WordPiece::GettextDoubleQuotedSequence(_) => {
                    self.unreadable("command.translation", "It asks for a translated text (`$\"…\"`).");
                    word.push(Piece::Any);
                }
                WordPiece::TildeExpansion(tilde) => word.push(self.tilde(tilde)),
                WordPiece::ParameterExpansion(expression) => self.parameter(expression, quotes, word),
                WordPiece::CommandSubstitution(text) => {
                    self.substitution(text);
                    self.printed_in(quotes, word);
                }
                WordPiece::BackquotedCommandSubstitution(text) => {
                    let source = raw.get(piece.start_index..piece.end_index).unwrap_or("\\");
                    if source.contains('\\') {
                        self.unreadable("command.backquotes", "It has backslashes within backquotes.");
                        word.push(quotes.unknown());
                    } else {
                        self.substitution(text);
                        self.printed_in(quotes, word);
                    }
                }
                WordPiece::EscapeSequence(text) => {
                    let text = text.strip_prefix('\\').unwrap_or(text);
                    word.push(Piece::Exact(if text == "\n" { String::new() } else { text.to_owned() }));
                }
                WordPiece::ArithmeticExpression(expression) => {
                    self.computed(&expression.value);
                    word.push(Piece::Number);
                }
            }
        }
    }

    /// What the command substitution just judged puts in its place.
    fn printed_in(&mut self, quotes: Quotes, word: &mut Word) {
        word.bare |= quotes != Quotes::Double;
        word.many |= quotes != Quotes::Double;
        match (self.printed.take(), self.produced) {
            (Some(printed), _) => match without_last_lines(&printed) {
                Some(printed) => place(&printed, quotes, word),
                None => word.push(quotes.unknown()),
            },
            (None, Feed::Paths(reach) | Feed::Whole(reach)) => word.push(Piece::Found(reach)),
            (None, Feed::Hashes) => word.push(Piece::Hashes),
            (None, Feed::Number) => word.push(Piece::Digits),
            (None, Feed::Refs) => word.push(Piece::Refs),
            (None, Feed::Names) => word.push(Piece::Names),
            (None, Feed::Numbers) => word.push(Piece::Numbers),
            (
                None,
                Feed::Numbered
                | Feed::Counted
                | Feed::Hashed
                | Feed::Named
                | Feed::Text
                | Feed::Download
                | Feed::Nothing,
            ) => word.push(quotes.unknown()),
        }
    }

    fn text(&mut self, text: &str, quotes: Quotes, word: &mut Word) {
        let stray: &[char] = match quotes {
            Quotes::None | Quotes::Value => &[' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')', '`'],
            Quotes::Double => &['`'],
            Quotes::Regex | Quotes::Pattern => &[],
        };
        // What the parser takes for plain text, bash may take for an expansion, or for a mistake.
        let openers = if quotes == Quotes::Double { &["${", "$(", "$["][..] } else { &["${", "$(", "$[", "<(", ">("] };
        if text.contains(stray) || openers.iter().any(|opener| text.contains(opener)) {
            self.unreadable("command.word", "A word of it has an operator where none can be.");
        }
        if quotes == Quotes::Double {
            word.push(Piece::Exact(text.replace("\\\n", "")));
            return;
        }
        word.push_unquoted(text);
    }

    fn tilde(&mut self, tilde: &TildeExpr) -> Piece {
        let home = self.place.home.as_ref().map(|home| home.to_string_lossy().into_owned());
        match tilde {
            TildeExpr::Home => home.map_or(Piece::Any, Piece::Exact),
            TildeExpr::WorkingDir => self.scope.cwd.clone().map_or(Piece::Any, Piece::Exact),
            TildeExpr::UserHome(_)
            | TildeExpr::OldWorkingDir
            | TildeExpr::NthDirFromTopOfDirStack { .. }
            | TildeExpr::NthDirFromBottomOfDirStack { .. } => Piece::Any,
        }
    }

    fn parameter(&mut self, expression: &ParameterExpr, quotes: Quotes, word: &mut Word) {
        match expression {
            ParameterExpr::Parameter { parameter, indirect } => {
                if *indirect {
                    self.unreadable("command.indirection", "It takes a variable's value for another's name (`${!…}`).");
                }
                self.named(parameter, quotes, word);
            }
            ParameterExpr::UseDefaultValues { parameter, indirect, test_type, default_value } => {
                self.used(parameter, *indirect, quotes);
                self.inner(default_value.as_deref(), quotes);
                let default = default_value.as_deref().unwrap_or_default();
                match self.or_default(parameter, test_type, default).filter(|_| !indirect) {
                    Some(value) => place(&value, quotes, word),
                    None => word.push(quotes.unknown()),
                }
            }
            ParameterExpr::IndicateErrorIfNullOrUnset { parameter, indirect, error_message: inner, test_type } => {
                self.used(parameter, *indirect, quotes);
                self.inner(inner.as_deref(), quotes);
                match self.or_default(parameter, test_type, "").filter(|_| !indirect) {
                    Some(value) => place(&value, quotes, word),
                    None => word.push(quotes.unknown()),
                }
            }
            ParameterExpr::UseAlternativeValue { parameter, indirect, alternative_value, .. } => {
                self.direct(*indirect);
                self.indexed(parameter);
                self.inner(alternative_value.as_deref(), quotes);
                word.push(quotes.unknown());
            }
            ParameterExpr::AssignDefaultValues { parameter, indirect, default_value, .. } => {
                self.used(parameter, *indirect, quotes);
                self.inner(default_value.as_deref(), quotes);
                match parameter {
                    Parameter::Named(name) => self.assign(name, Word::any()),
                    Parameter::Positional(_)
                    | Parameter::Special(_)
                    | Parameter::NamedWithIndex { .. }
                    | Parameter::NamedWithAllIndices { .. } => {
                        self.unreadable("command.assignment", "It assigns in a place that is not judged.");
                    }
                }
                word.push(quotes.unknown());
            }
            ParameterExpr::ParameterLength { parameter, indirect } => {
                self.direct(*indirect);
                self.indexed(parameter);
                word.push(Piece::Number);
            }
            ParameterExpr::RemoveSmallestSuffixPattern { parameter, indirect, pattern } => {
                self.cut((parameter, *indirect), pattern.as_deref(), Cut::End, (quotes, word));
            }
            ParameterExpr::RemoveLargestSuffixPattern { parameter, indirect, pattern } => {
                self.cut((parameter, *indirect), pattern.as_deref(), Cut::LongEnd, (quotes, word));
            }
            ParameterExpr::RemoveSmallestPrefixPattern { parameter, indirect, pattern } => {
                self.cut((parameter, *indirect), pattern.as_deref(), Cut::Beginning, (quotes, word));
            }
            ParameterExpr::RemoveLargestPrefixPattern { parameter, indirect, pattern } => {
                self.cut((parameter, *indirect), pattern.as_deref(), Cut::LongBeginning, (quotes, word));
            }
            ParameterExpr::UppercaseFirstChar { parameter, indirect, pattern }
            | ParameterExpr::UppercasePattern { parameter, indirect, pattern }
            | ParameterExpr::LowercaseFirstChar { parameter, indirect, pattern }
            | ParameterExpr::LowercasePattern { parameter, indirect, pattern } => {
                self.used(parameter, *indirect, quotes);
                self.inner(pattern.as_deref(), Quotes::Pattern);
                word.push(quotes.unknown());
            }
            ParameterExpr::Substring { parameter, indirect, offset, length } => {
                self.used(parameter, *indirect, quotes);
                self.computed(offset.value.trim().trim_start_matches('-'));
                if let Some(length) = length {
                    self.computed(&length.value);
                }
                word.push(quotes.unknown());
            }
            ParameterExpr::Transform { parameter, indirect, op } => {
                self.used(parameter, *indirect, quotes);
                match op {
                    ParameterTransformOp::CapitalizeInitial
                    | ParameterTransformOp::Quoted
                    | ParameterTransformOp::ToLowerCase
                    | ParameterTransformOp::ToUpperCase => {}
                    ParameterTransformOp::ExpandEscapeSequences
                    | ParameterTransformOp::PossiblyQuoteWithArraysExpanded { .. }
                    | ParameterTransformOp::PromptExpand
                    | ParameterTransformOp::ToAssignmentLogic
                    | ParameterTransformOp::ToAttributeFlags => {
                        self.unreadable(
                            "command.transformation",
                            "It transforms a variable in a way that can run code (`${…@P}`).",
                        );
                    }
                }
                word.push(quotes.unknown());
            }
            ParameterExpr::ReplaceSubstring { parameter, indirect, pattern, replacement, .. } => {
                self.used(parameter, *indirect, quotes);
                self.inner(Some(pattern), Quotes::Pattern);
                self.inner(replacement.as_deref(), quotes);
                word.push(quotes.unknown());
            }
            ParameterExpr::VariableNames { .. } | ParameterExpr::MemberKeys { .. } => word.push(Piece::Words),
        }
    }

    fn direct(&mut self, indirect: bool) {
        if indirect {
            self.unreadable("command.indirection", "It takes a variable's value for another's name (`${!…}`).");
        }
    }

    /// A parameter whose value is used, changed in some way.
    pub(super) fn used(&mut self, parameter: &Parameter, indirect: bool, quotes: Quotes) {
        self.direct(indirect);
        self.named(parameter, quotes, &mut Word::default());
    }

    /// A place in an array is computed, which can run code.
    pub(super) fn indexed(&mut self, parameter: &Parameter) {
        if let Parameter::NamedWithIndex { index, .. } = parameter {
            self.computed(index);
        }
    }

    fn named(&mut self, parameter: &Parameter, quotes: Quotes, word: &mut Word) {
        self.indexed(parameter);
        match parameter {
            Parameter::Named(name) => {
                let home = self.place.home.as_ref().map(|home| home.to_string_lossy().into_owned());
                let value =
                    self.scope.get(name).cloned().or_else(|| known_variable(name, &self.scope, home.as_deref()));
                if let Some(value) = value {
                    place(&value, quotes, word);
                } else {
                    if secret_variable(name) {
                        self.sensitive(format!("It reads the variable `{name}`, which may hold a secret."));
                    }
                    word.push(quotes.unknown());
                }
            }
            Parameter::Special(special) => word.push(match special {
                SpecialParameter::PositionalParameterCount
                | SpecialParameter::LastExitStatus
                | SpecialParameter::ProcessId => Piece::Number,
                SpecialParameter::LastBackgroundProcessId if quotes == Quotes::Double => Piece::Digits,
                SpecialParameter::LastBackgroundProcessId => Piece::Numbers,
                SpecialParameter::AllPositionalParameters { .. } => Piece::Words,
                SpecialParameter::ShellName => {
                    return match self.scope.arguments().and_then(|words| argument(words, 0)).cloned() {
                        Some(value) => place(&value, quotes, word),
                        None => word.push(quotes.unknown()),
                    };
                }
                SpecialParameter::CurrentOptionFlags => quotes.unknown(),
            }),
            Parameter::NamedWithIndex { name, index } => match self.member(name, index).cloned() {
                Some(value) => place(&value, quotes, word),
                None => word.push(quotes.unknown()),
            },
            Parameter::Positional(number) => match self.words_given() {
                Some(words) if argument(words, *number as usize).is_some() => {
                    let value = argument(words, *number as usize).cloned().unwrap_or_default();
                    place(&value, quotes, word);
                }
                Some(_) | None => word.push(quotes.unknown()),
            },
            Parameter::NamedWithAllIndices { .. } => word.push(Piece::Words),
        }
    }

    /// A word within `${…}`: judged for its substitutions alone. The quotes are those around it, if what it says may
    /// come to stand in them.
    pub(super) fn inner(&mut self, raw: Option<&str>, around: Quotes) {
        let Some(raw) = raw else { return };
        // An end of a line or a tab, as in `${PATH//:/$'\n'}`, is the same to all that know it.
        let raw = &raw.replace("$'\\n'", "").replace("$'\\t'", "");
        // So is a sign that means nothing in quotes or patterns, as in `${path//\//_}`.
        let signs = ["\\/", "\\.", "\\-", "\\:", "\\,", "\\%"];
        let told = signs.iter().fold(raw.clone(), |raw, sign| raw.replace(sign, "_"));
        if told.contains(['\'', '"', '\\', '`']) && !plainly_quoted(&told, around == Quotes::Double) {
            self.unreadable("command.quotes", "It has quotes within `${…}`, which shells read differently.");
            return;
        }
        if ["<(", ">("].iter().any(|opener| raw.contains(opener)) {
            self.unreadable("command.word", "It starts a process within `${…}`.");
            return;
        }
        match pieces(raw, Tildes::Usual) {
            Some(pieces) => self.pieces(raw, &pieces, Quotes::Pattern, &mut Word::default()),
            None => self.unreadable("command.word", "A word of it could not be parsed."),
        }
    }
}

/// The word as it is passed: one that may be empty without quotes may be none.
fn passed(word: Word, tested: bool) -> Word {
    if word.may_vanish() && !tested { Piece::Numbers.into() } else { word }
}

/// In which quotes a piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    /// None, where the shell splits nothing: in an assignment.
    Value,
    Double,
    /// The right side of `=~`.
    Regex,
    /// Within `${…}`.
    Pattern,
}

impl Quotes {
    /// What text nobody knows becomes.
    pub(super) fn unknown(self) -> Piece {
        match self {
            Self::Double => Piece::Any,
            Self::None | Self::Value | Self::Regex | Self::Pattern => Piece::Words,
        }
    }
}
