//! Splits SQL into tokens the way the engine itself does: comments, quoting and escapes differ between the
//! three, and a difference is how a statement hides in a string. Knows no grammar. Also gives a masked text of
//! the same length, without comments and escapes, that any parser reads alike. Called by `mod.rs` alone.

mod variables;

use crate::domain::{Dialect, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bare word: a keyword or a name, folded to lower case.
    Word,
    /// A quoted name, exactly as written inside its quotes.
    Name,
    /// A string.
    Text,
    /// Digits.
    Number,
    /// Any other single character.
    Mark(char),
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub kind: Kind,
    /// The folded word, the name, or the string's content, with a point for each quote in it.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Whether it is a string in double quotes, which some modes of MySQL take for a name.
    pub double: bool,
}

impl Token {
    /// Whether it is this bare word.
    pub fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    /// Whether it is this character.
    pub fn mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }

    /// Whether it can name something: a word or a quoted name.
    pub fn names(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Name)
    }
}

/// How a server may be set up to read quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quoting {
    /// A backslash escapes inside `'…'`.
    pub single: bool,
    /// A backslash escapes inside `"…"`.
    pub double: bool,
}

/// The ways in which servers of this dialect may read quotes; the usual one comes first. Only a text with a
/// backslash can be read differently.
pub(super) fn quotings(dialect: Dialect, text: &str) -> Vec<Quoting> {
    let plain = Quoting { single: false, double: false };
    let all = match dialect {
        Dialect::Sqlite => vec![plain],
        Dialect::Postgres => vec![plain, Quoting { single: true, double: false }],
        Dialect::Mysql => vec![Quoting { single: true, double: true }, plain, Quoting { single: true, double: false }],
    };
    if text.contains('\\') { all } else { all.into_iter().take(1).collect() }
}

/// The tokens of a text.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    /// In order, without blanks and comments.
    pub tokens: Vec<Token>,
    /// As long as the text, byte for byte: comments are blanks, strings and names hold no quote or escape.
    pub masked: String,
    /// A conditional comment, whose content the server may run.
    pub conditional: Option<Span>,
    /// A comment that the server may read as a hint that sets something.
    pub hint: Option<Span>,
}

/// Why a text can't be split: what is odd, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Odd(pub &'static str, pub Span);

/// A text that can't be split to its end: why, and what comes before.
#[derive(Debug)]
pub(super) struct Broken {
    /// Why.
    pub odd: Odd,
    /// What comes before.
    pub before: Lexed,
}

/// Splits a text.
pub(super) fn lex(text: &str, dialect: Dialect, quoting: Quoting) -> Result<Lexed, Box<Broken>> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        dialect,
        quoting,
        open: false,
        escaped: None,
        out: Lexed::default(),
    };
    while lexer.at < lexer.bytes.len() {
        if let Err(odd) = lexer.step() {
            return Err(Box::new(Broken { odd, before: lexer.out }));
        }
    }
    if lexer.open {
        let odd = Odd("a comment isn't closed", 0..text.len());
        return Err(Box::new(Broken { odd, before: lexer.out }));
    }
    Ok(lexer.out)
}

/// Whether a byte goes on with a word.
fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

fn holds_odd_blank(word: &str) -> bool {
    word.chars().any(|c| !c.is_ascii() && (c.is_whitespace() || c.is_control() || c == '\u{feff}'))
}

/// A string's content without what could end a string.
fn softened(content: &str) -> String {
    content.replace(['\'', '"', '$'], ".")
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
    quoting: Quoting,
    /// Inside a conditional comment, whose content counts as code.
    open: bool,
    /// How many tokens there were right after the last string with escapes.
    escaped: Option<usize>,
    out: Lexed,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts(&self, with: &str) -> bool {
        self.bytes[self.at..].starts_with(with.as_bytes())
    }

    fn odd(&self, what: &'static str) -> Odd {
        Odd(what, self.at..self.text.len())
    }

    fn step(&mut self) -> Result<(), Odd> {
        let byte = self.peek(0);
        let mysql = self.dialect == Dialect::Mysql;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => {
                self.out.masked.push(char::from(byte));
                self.at += 1;
                Ok(())
            }
            0..=0x1f | 0x7f => Err(self.odd("it holds a control character")),
            b'-' if self.peek(1) == b'-' => self.dashes(),
            b'#' if mysql => {
                self.line_comment();
                Ok(())
            }
            b'#' if self.dialect == Dialect::Sqlite => Err(self.odd("`#` means nothing to SQLite")),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'*' if self.open && self.peek(1) == b'/' => {
                self.open = false;
                self.blank(self.at + 2);
                Ok(())
            }
            b'\'' => self.plain_literal(),
            b'"' if mysql => self.text_literal(0, self.quoting.double),
            b'"' => self.name(b'"', false),
            b'`' if self.dialect != Dialect::Postgres => self.name(b'`', false),
            b'`' => Err(self.odd("a backtick means nothing to PostgreSQL")),
            b'[' if self.dialect == Dialect::Sqlite => self.name(b']', true),
            b'\\' if mysql && self.peek(1) == b'N' => {
                self.null();
                Ok(())
            }
            b'\\' => Err(self.odd("there is a backslash outside of a string: a command of a client, not SQL")),
            b'$' if self.dialect == Dialect::Postgres => self.dollar(),
            b'$' | b'@' | b':' if self.dialect == Dialect::Sqlite => self.variable(),
            b'@' if mysql => self.user_variable(),
            b'0'..=b'9' => {
                self.number();
                Ok(())
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | 0x80.. => self.word(),
            b'$' if mysql => self.word(),
            _ => {
                self.push(Kind::Mark(char::from(byte)), String::new(), self.at + 1);
                Ok(())
            }
        }
    }

    /// A token up to `end`, copied to the masked text as it is.
    fn push(&mut self, kind: Kind, text: String, end: usize) {
        self.out.masked.push_str(&self.text[self.at..end]);
        self.take(kind, text, end);
    }

    /// A token up to `end`.
    fn take(&mut self, kind: Kind, text: String, end: usize) {
        self.out.tokens.push(Token { kind, text, span: self.at..end, double: false });
        self.at = end;
    }

    /// Blanks up to `end`; line ends stay.
    fn blank(&mut self, end: usize) {
        let end = end.min(self.bytes.len());
        let blanks = self.bytes[self.at..end].iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' });
        self.out.masked.extend(blanks);
        self.at = end;
    }

    fn dashes(&mut self) -> Result<(), Odd> {
        if self.dialect != Dialect::Mysql {
            self.line_comment();
            return Ok(());
        }
        match self.peek(2) {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => self.line_comment(),
            0 if self.at + 2 >= self.bytes.len() => self.line_comment(),
            0..=0x1f | 0x7f.. => return Err(self.odd("`--` is followed by an unusual character")),
            _ => self.push(Kind::Mark('-'), String::new(), self.at + 1),
        }
        Ok(())
    }

    /// PostgreSQL ends a line at a carriage return too; the other two don't.
    fn line_comment(&mut self) {
        let returns = self.dialect == Dialect::Postgres;
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| *byte == b'\n' || (returns && *byte == b'\r')).unwrap_or(rest.len());
        self.blank(self.at + length);
    }

    fn block_comment(&mut self) -> Result<(), Odd> {
        if self.starts("/*+") && self.hint_sets() {
            self.out.hint = Some(self.at..self.at + 3);
        }
        if self.dialect == Dialect::Mysql && (self.starts("/*!") || self.starts("/*M!")) {
            return self.conditional();
        }
        let end = self.comment_end().ok_or_else(|| self.odd("a comment isn't closed"))?;
        self.blank(end);
        Ok(())
    }

    /// Only PostgreSQL nests comments.
    fn comment_end(&self) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = self.at;
        while at + 1 < self.bytes.len() {
            match &self.bytes[at..at + 2] {
                b"/*" if depth == 0 || self.dialect == Dialect::Postgres => (depth, at) = (depth + 1, at + 2),
                b"*/" => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    fn hint_sets(&self) -> bool {
        let end = self.comment_end().unwrap_or(self.bytes.len());
        self.text.get(self.at..end).is_none_or(|hint| hint.to_ascii_lowercase().contains("set"))
    }

    /// `/*! … */`, `/*!50000 … */`, `/*M!100000 … */`: the head is blanked and the content counts.
    fn conditional(&mut self) -> Result<(), Odd> {
        if self.open {
            return Err(self.odd("a conditional comment holds another"));
        }
        let head = if self.peek(2) == b'M' { 4 } else { 3 };
        let digits = self.bytes[self.at + head..].iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
        self.out.conditional.get_or_insert(self.at..self.at + head + digits);
        self.open = true;
        self.blank(self.at + head + digits);
        Ok(())
    }

    /// A string whose opening quote stands `prefix` bytes further on.
    fn text_literal(&mut self, prefix: usize, escapes: bool) -> Result<(), Odd> {
        let start = self.at + prefix;
        let quote = self.bytes[start];
        let mut at = start + 1;
        loop {
            match self.bytes.get(at) {
                None => return Err(self.odd("a string isn't closed")),
                Some(0) => return Err(self.odd("it holds a NUL character")),
                Some(b'\\') if escapes => at += 2,
                Some(byte) if *byte == quote && self.bytes.get(at + 1) == Some(&quote) => at += 2,
                Some(byte) if *byte == quote => break,
                Some(_) => at += 1,
            }
        }
        self.literal(start + 1, at, at + 1);
        Ok(())
    }

    /// PostgreSQL's `B'…'` and `X'…'`, which end at the first quote: one right behind it starts a string.
    fn bits(&mut self) -> Result<(), Odd> {
        let from = self.at + 2;
        let length = self.bytes[from..].iter().position(|byte| *byte == b'\'');
        let to = from + length.ok_or_else(|| self.odd("a string isn't closed"))?;
        self.literal(from, to, to + 1);
        Ok(())
    }

    /// PostgreSQL's `E'…'`.
    fn escape_literal(&mut self) -> Result<(), Odd> {
        self.text_literal(1, true)?;
        self.escaped = Some(self.out.tokens.len());
        Ok(())
    }

    /// `'…'`. One that goes on from an `E'…'` in an earlier line keeps its escapes; nobody writes that.
    fn plain_literal(&mut self) -> Result<(), Odd> {
        let goes_on = self.escaped == Some(self.out.tokens.len());
        let start = self.at;
        self.text_literal(0, self.quoting.single)?;
        if goes_on {
            self.escaped = Some(self.out.tokens.len());
            if self.text[start..self.at].contains('\\') {
                return Err(Odd("a string with escapes goes on in another one", start..self.at));
            }
        }
        Ok(())
    }

    /// A string token from here to `end` whose content is `from..to`.
    fn literal(&mut self, from: usize, to: usize, end: usize) {
        let lead = from - 1 - self.at;
        self.out.masked.extend(std::iter::repeat_n(' ', lead));
        let text = softened(&self.text[from..to]);
        self.out.masked.push('\'');
        self.out.masked.push_str(&text.replace('\\', "."));
        self.out.masked.extend(std::iter::repeat_n('.', end - to - 1));
        self.out.masked.push('\'');
        let double = self.bytes[from - 1] == b'"';
        self.out.tokens.push(Token { kind: Kind::Text, text, span: self.at..end, double });
        self.at = end;
    }

    /// A quoted name. `[…]` knows no doubling.
    fn name(&mut self, close: u8, bracket: bool) -> Result<(), Odd> {
        let from = self.at + 1;
        let mut at = from;
        loop {
            match self.bytes.get(at) {
                None => return Err(self.odd("a quoted name isn't closed")),
                Some(0) => return Err(self.odd("it holds a NUL character")),
                Some(byte) if *byte == close && !bracket && self.bytes.get(at + 1) == Some(&close) => at += 2,
                Some(byte) if *byte == close => break,
                Some(_) => at += 1,
            }
        }
        let odd = |c: char| matches!(c, '"' | '`' | '[' | ']' | '\'' | '\\');
        let content: String = self.text[from..at].chars().map(|c| if odd(c) { '?' } else { c }).collect();
        let quote = if self.dialect == Dialect::Mysql { '`' } else { '"' };
        self.out.masked.push(quote);
        self.out.masked.push_str(&content);
        self.out.masked.push(quote);
        self.take(Kind::Name, content, at + 1);
        Ok(())
    }

    /// PostgreSQL: `$1`, or `$tag$ … $tag$`.
    fn dollar(&mut self) -> Result<(), Odd> {
        let rest = &self.text[self.at + 1..];
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            self.push(Kind::Number, String::new(), self.at + 1 + digits);
            return Ok(());
        }
        let tag = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || !c.is_ascii())).unwrap_or(rest.len());
        if rest.as_bytes().get(tag) != Some(&b'$') {
            return Err(self.odd("a `$` starts nothing"));
        }
        let fence = &self.text[self.at..self.at + tag + 2];
        let from = self.at + fence.len();
        let length = self.text[from..].find(fence).ok_or_else(|| self.odd("a dollar-quoted string isn't closed"))?;
        let (to, end) = (from + length, from + length + fence.len());
        self.dollar_literal(from, to, end);
        Ok(())
    }

    fn dollar_literal(&mut self, from: usize, to: usize, end: usize) {
        let text = softened(&self.text[from..to]).replace('\\', ".");
        self.out.masked.push('\'');
        self.out.masked.extend(std::iter::repeat_n('.', from - self.at - 1));
        self.out.masked.push_str(&text);
        self.out.masked.extend(std::iter::repeat_n('.', end - to - 1));
        self.out.masked.push('\'');
        self.take(Kind::Text, text, end);
    }

    /// MySQL's `\N` is NULL; the parser, which doesn't know it, gets a number.
    fn null(&mut self) {
        let end = self.at + 2;
        self.out.masked.push_str(" 0");
        self.take(Kind::Number, String::new(), end);
    }

    /// Digits and points. Letters behind them are a word of their own, so that no name can hide there.
    fn number(&mut self) {
        let rest = &self.bytes[self.at..];
        let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut length = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        // What stands behind an exponent is a word of its own, too: `1e0INTO`.
        if matches!(rest.get(length), Some(b'e' | b'E')) {
            let signed = length + 1 + usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(rest.get(signed..).unwrap_or_default());
            length = if exponent > 0 { signed + exponent } else { length };
        }
        let text = self.text[self.at..self.at + length].to_owned();
        self.push(Kind::Number, text, self.at + length);
    }

    fn word_length(&self, from: usize) -> usize {
        self.bytes[from.min(self.bytes.len())..].iter().take_while(|byte| in_word(**byte)).count()
    }

    fn word(&mut self) -> Result<(), Odd> {
        let end = self.at + self.word_length(self.at);
        let word = &self.text[self.at..end];
        if holds_odd_blank(word) {
            return Err(self.odd("it holds an unusual blank"));
        }
        if self.dialect == Dialect::Postgres
            && let Some(done) = self.prefixed(word.len())
        {
            return done;
        }
        let folded = word.to_ascii_lowercase();
        self.push(Kind::Word, folded, end);
        Ok(())
    }

    /// PostgreSQL: `E'…'`, `B'…'`, `X'…'`, `N'…'`, `U&'…'`.
    fn prefixed(&mut self, length: usize) -> Option<Result<(), Odd>> {
        let (first, next) = (self.peek(0).to_ascii_lowercase(), self.peek(1));
        if length != 1 {
            return None;
        }
        match (first, next) {
            (b'e', b'\'') => Some(self.escape_literal()),
            (b'b' | b'x', b'\'') => Some(self.bits()),
            (b'n', b'\'') => Some(self.text_literal(1, self.quoting.single)),
            (b'u', b'&') if self.peek(2) == b'\'' => Some(self.text_literal(2, false)),
            (b'u', b'&') if self.peek(2) == b'"' => Some(Err(self.odd("a name is written with escapes"))),
            _ => None,
        }
    }
}
