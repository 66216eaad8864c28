//! What a word of a command may become: exact text, names that match a pattern, or anything. Values and
//! questions about them; no parsing and no judgement. Made by `expand`, asked by everything that judges.

use super::class::Ends;
use crate::domain::Span;

/// Most pieces and bytes of a value that is followed: `x=$x$x` doubles it each time.
const PIECES: usize = 256;
const BYTES: usize = 4096;

/// The letter for the name of an account in a script: one that means nothing there, since which letters that name has
/// isn't known.
pub(super) const ACCOUNT: char = '\u{e000}';

/// How far a search went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// To names alone that were said plainly, such as those with some ending.
    Named,
    /// To names that a listing shows which leaves out what is hidden, or that something else picks.
    Chosen,
    /// To every name in such a folder: those of a project's own secrets, such as `.env`, may be among them.
    Hidden,
    /// To everything below a folder that holds such secrets somewhere: `/`, `/etc`, a home folder.
    Everything,
}

/// One part of a word after quotes are removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Exactly this text.
    Exact(String),
    /// An unquoted pattern: names of files that exist, or the pattern itself.
    Pattern(String),
    /// A whole number, maybe below zero.
    Number,
    /// A whole number, or nothing at all where what prints it may fail.
    Digits,
    /// Whole numbers, one a line: some, one or none. Never a flag.
    Numbers,
    /// Revisions as git prints them, in hexadecimal, or the name of a branch that was asked for; or nothing. Never a flag.
    Hashes,
    /// Names of branches and tags, where no name of a repository begins with a dash: some, one or none. Never a flag.
    Refs,
    /// What a daemon or a cluster calls its things: any text that no dash begins, or nothing. Never a flag.
    Names,
    /// What a kernel or a machine is called: one word of letters, digits, `.`, `_`, `+` and `-`. Never a flag.
    Label,
    /// What an account or its machine is called: a word without a slash or a blank that no dash begins, or nothing where
    /// no login set it. Never a flag.
    Account,
    /// A path that a search found below the folder written before it.
    Found(Reach),
    /// The same, whole: it begins with the folder where the search began, and so is no flag.
    Whole(Reach),
    /// Any text, within this word.
    Any,
    /// Any number of words, with any text.
    Words,
}

impl Piece {
    /// The text of one that is written out: exact, or a pattern.
    fn known(&self) -> Option<&str> {
        match self {
            Self::Exact(text) | Self::Pattern(text) => Some(text),
            Self::Number
            | Self::Digits
            | Self::Numbers
            | Self::Hashes
            | Self::Names
            | Self::Refs
            | Self::Label
            | Self::Account
            | Self::Found(_)
            | Self::Whole(_)
            | Self::Any
            | Self::Words => None,
        }
    }
}

/// One word as it may reach a program. Two are equal if they may become the same, wherever they stand.
#[derive(Clone, Debug, Default)]
pub struct Word {
    pub(super) pieces: Vec<Piece>,
    /// The text of a variable or a command stands in it without quotes, and is split at blanks.
    pub(super) bare: bool,
    /// Names of files and revisions in it may be several words: they don't stand in quotes.
    pub(super) many: bool,
    /// Names of files in it stand without quotes around a variable, and come apart at their blanks.
    pub(super) parted: bool,
    /// The patterns that brought names into it by way of variables.
    pub(super) origins: Vec<String>,
    /// Where the judged text has it; none if no part of that text is this word.
    pub(super) span: Option<Span>,
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        self.pieces == other.pieces
            && (self.many == other.many || !self.partable())
            && (self.parted, &self.origins) == (other.parted, &other.origins)
    }
}

impl Eq for Word {}

impl From<Piece> for Word {
    fn from(piece: Piece) -> Self {
        Self { pieces: vec![piece], many: true, ..Self::default() }
    }
}

impl Word {
    /// A word of exactly this text.
    #[must_use]
    pub fn exact(text: impl Into<String>) -> Self {
        Piece::Exact(text.into()).into()
    }

    /// A word that may be anything.
    pub(super) fn any() -> Self {
        Piece::Any.into()
    }

    /// The same word, standing there.
    pub(super) fn at(mut self, span: Option<Span>) -> Self {
        self.span = span;
        self
    }

    /// Its parts, in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Adds a piece, joining exact text.
    pub(super) fn push(&mut self, piece: Piece) {
        match (self.pieces.last_mut(), piece) {
            (Some(Piece::Exact(text)), Piece::Exact(more)) => text.push_str(&more),
            (_, piece) => self.pieces.push(piece),
        }
    }

    /// Adds text that stands without quotes. A class such as `[a-z]` stays whole: what is in it means something else
    /// outside.
    pub(super) fn push_unquoted(&mut self, text: &str) {
        let mut rest = text;
        let mut named = true;
        let mut ends = Ends::default();
        while let Some(at) = rest.find(['*', '?', '[']) {
            let (exact, pattern) = rest.split_at(at);
            // Classes by name end elsewhere, and depend on the language: what begins there may be anything.
            let class_by_name = |text: &str| ["[:", "[.", "[="].iter().any(|name| text.contains(name));
            named = named && (!pattern.starts_with('[') || class_by_name(pattern));
            if named && pattern.starts_with('[') {
                if !exact.is_empty() {
                    self.push(Piece::Exact(exact.to_owned()));
                }
                self.many = true;
                self.push(Piece::Pattern("[".to_owned()));
                self.push(Piece::Exact(pattern[1..].to_owned()));
                return;
            }
            let (pattern, behind) = pattern.split_at(ends.class(pattern).unwrap_or(1));
            if !exact.is_empty() {
                self.push(Piece::Exact(exact.to_owned()));
            }
            self.many = true;
            self.push(Piece::Pattern(pattern.to_owned()));
            rest = behind;
        }
        if !rest.is_empty() {
            self.push(Piece::Exact(rest.to_owned()));
        }
    }

    /// Takes brackets that nothing closes for what they are: letters.
    pub(super) fn literal_brackets(&mut self) {
        let open = |piece: &Piece| matches!(piece, Piece::Pattern(text) if text == "[");
        if !self.pieces.iter().any(open)
            || !self.pieces.iter().all(|piece| open(piece) || matches!(piece, Piece::Exact(_)))
        {
            return;
        }
        let text: String = self.pieces.iter().filter_map(Piece::known).collect();
        // Behind the last bracket that closes nothing is closed.
        let closed = text.rfind(']').unwrap_or_default();
        let mut ends = Ends::default();
        if text[..closed].match_indices('[').all(|(at, _)| ends.class(&text[at..]).is_none()) {
            self.pieces = vec![Piece::Exact(text)];
        }
    }

    /// Its text, if there is only one it can have.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Exact(text)] => Some(text),
            _ => None,
        }
    }

    /// What it is if it holds digits alone: a number, or maybe nothing.
    pub(super) fn number(&self) -> Option<Piece> {
        let digits = self.pieces.iter().all(|piece| match piece {
            Piece::Exact(text) => text.bytes().all(|byte| byte.is_ascii_digit()),
            Piece::Number | Piece::Digits => true,
            Piece::Pattern(_)
            | Piece::Numbers
            | Piece::Hashes
            | Piece::Names
            | Piece::Refs
            | Piece::Label
            | Piece::Account
            | Piece::Found(_)
            | Piece::Whole(_)
            | Piece::Any
            | Piece::Words => false,
        });
        let sure = |piece: &Piece| *piece == Piece::Number || matches!(piece, Piece::Exact(text) if !text.is_empty());
        digits.then(|| if self.pieces.iter().any(sure) { Piece::Number } else { Piece::Digits })
    }

    /// Whether arithmetic can do no more with it than compute, or fail: several numbers are a mistake there.
    pub(super) fn computes(&self) -> bool {
        self.number().is_some() || self.pieces == [Piece::Numbers]
    }

    /// The texts that stand for all that it may be, if nothing but numbers and accounts in it isn't known: with one, with
    /// several where there may be some, and without where there may be none. An account is [`ACCOUNT`] there.
    pub(super) fn numbered(&self) -> Option<Vec<String>> {
        let spelled = |one: &str, some: &str| {
            let text = |piece: &Piece| match piece {
                Piece::Exact(text) => Some(text.clone()),
                Piece::Number => Some("1".to_owned()),
                Piece::Digits => Some(one.to_owned()),
                Piece::Numbers => Some(some.to_owned()),
                Piece::Account => Some(if one.is_empty() { String::new() } else { ACCOUNT.to_string() }),
                Piece::Pattern(_)
                | Piece::Hashes
                | Piece::Names
                | Piece::Refs
                | Piece::Label
                | Piece::Found(_)
                | Piece::Whole(_)
                | Piece::Any
                | Piece::Words => None,
            };
            self.pieces.iter().map(text).collect::<Option<String>>()
        };
        [("1", "1"), ("1", "1\n1"), ("", "")].into_iter().map(|(one, some)| spelled(one, some)).collect()
    }

    /// Whether it can only be revisions of a repository, or a path in one behind a colon: no other path, no flag.
    pub(super) fn revises(&self) -> bool {
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./~@{}-^".contains(&byte));
        let last = self.pieces.len().saturating_sub(1);
        let known = |(at, piece): (usize, &Piece)| match piece {
            Piece::Exact(text) if at == last && at > 0 => plain(text.split(':').next().unwrap_or_default()),
            Piece::Exact(text) => plain(text),
            Piece::Hashes | Piece::Refs | Piece::Number | Piece::Digits => true,
            _ => false,
        };
        self.pieces.contains(&Piece::Refs)
            && self.pieces.iter().enumerate().all(known)
            && !self.prefix().starts_with(['-', '/', '.'])
    }

    /// Whether it is nothing but unquoted output that may be empty: then the shell passes no word at all.
    pub(super) fn may_vanish(&self) -> bool {
        !self.pieces.is_empty() && self.pieces.iter().all(|piece| *piece == Piece::Digits)
    }

    /// Whether it is what a daemon or a cluster calls a thing, and no more: in quotes or not.
    pub(super) fn one_name(&self) -> bool {
        let mut pieces = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Exact(text) if text.is_empty()));
        pieces.next() == Some(&Piece::Names) && pieces.next().is_none()
    }

    /// Whether it is a path that a search found, and no more: in quotes or not.
    pub(super) fn only_found(&self) -> bool {
        let mut pieces = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Exact(text) if text.is_empty()));
        matches!(pieces.next(), Some(Piece::Found(_) | Piece::Whole(_))) && pieces.next().is_none()
    }

    /// Whether it may be no word at all, if it isn't many: nothing but numbers, revisions or names without quotes.
    pub(super) fn may_be_none(&self) -> bool {
        let none = |piece: &Piece| {
            matches!(
                piece,
                Piece::Digits | Piece::Numbers | Piece::Hashes | Piece::Names | Piece::Refs | Piece::Account
            )
        };
        !self.pieces.is_empty() && self.pieces.iter().all(none)
    }

    /// Whether nothing of it surely is a letter.
    pub(super) fn may_be_empty(&self) -> bool {
        !self.pieces.iter().any(|piece| match piece {
            Piece::Exact(text) => !text.is_empty(),
            Piece::Number | Piece::Label | Piece::Pattern(_) | Piece::Found(_) | Piece::Whole(_) => true,
            Piece::Digits
            | Piece::Numbers
            | Piece::Hashes
            | Piece::Names
            | Piece::Refs
            | Piece::Account
            | Piece::Any
            | Piece::Words => false,
        })
    }

    /// Whether it has grown larger than is followed.
    pub(super) fn large(&self) -> bool {
        self.pieces.len() > PIECES || self.pieces.iter().filter_map(Piece::known).map(str::len).sum::<usize>() > BYTES
    }

    /// The exact text that it begins with, maybe empty.
    pub(super) fn prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Exact(text)) => text,
            _ => "",
        }
    }

    /// How much text is known of it, in bytes.
    pub(super) fn length(&self) -> usize {
        self.pieces.iter().map(|piece| piece.known().map_or(1, str::len)).sum()
    }

    /// Whether it may become several words, or none.
    pub(super) fn several(&self) -> bool {
        self.open() || self.many && self.partable()
    }

    /// Whether something is in it that is several words where no quotes are around it.
    fn partable(&self) -> bool {
        self.pieces.iter().any(|piece| {
            matches!(
                piece,
                Piece::Pattern(_)
                    | Piece::Numbers
                    | Piece::Hashes
                    | Piece::Names
                    | Piece::Refs
                    | Piece::Found(_)
                    | Piece::Whole(_)
            )
        })
    }

    /// Whether it may be several words of which nothing but the beginning is known.
    pub(super) fn names(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Names | Piece::Refs))
    }

    /// Whether a number or the name of an account or a machine in it decides which file it names.
    pub(super) fn computes_name(&self) -> bool {
        let computed = |piece: &Piece| {
            matches!(piece, Piece::Number | Piece::Digits | Piece::Numbers | Piece::Label | Piece::Account)
        };
        self.pieces.iter().any(computed)
    }

    /// Whether it is the name of an account alone, which may be none where it doesn't stand in quotes.
    pub(super) fn account(&self) -> bool {
        let mut pieces = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Exact(text) if text.is_empty()));
        pieces.next() == Some(&Piece::Account) && pieces.next().is_none()
    }

    /// Whether names of files are in it.
    pub(super) fn names_files(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Pattern(_) | Piece::Found(_) | Piece::Whole(_)))
    }

    /// Whether it may become words whose text, or number, nobody knows.
    pub(super) fn open(&self) -> bool {
        self.pieces.contains(&Piece::Words) || self.many && self.pieces.contains(&Piece::Numbers)
    }

    /// A text that stands for each of its words, if numbers are all that isn't known of them: some, one or none.
    pub(super) fn counted(&self) -> Option<String> {
        let mut texts = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Exact(text) => texts.push_str(text),
                Piece::Number | Piece::Digits | Piece::Numbers => texts.push('1'),
                _ => return None,
            }
        }
        (self.many && self.pieces.contains(&Piece::Numbers)).then_some(texts)
    }

    /// Whether a part of it may be any text.
    pub(super) fn vague(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Words | Piece::Any | Piece::Names | Piece::Refs))
    }

    /// How far the search went that found it, below what is written.
    pub(super) fn found(&self) -> Option<Reach> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Found(reach) | Piece::Whole(reach) => Some(*reach),
            _ => None,
        })
    }

    /// Whether it begins with a pattern, which the shell looks for in the folder that it stands in.
    pub(super) fn begins_with_pattern(&self) -> bool {
        let first = self.pieces.iter().find(|piece| !matches!(piece, Piece::Exact(text) if text.is_empty()));
        !self.vague() && matches!(first, Some(Piece::Pattern(_)))
    }

    /// Whether it, or a part that comes off it, may be a flag, though that isn't written.
    pub(super) fn may_be_flag(&self) -> bool {
        self.parted || self.may_begin_as_flag()
    }

    /// Whether it may begin with a dash, though that isn't written.
    pub(super) fn may_begin_as_flag(&self) -> bool {
        if self.open() {
            return true;
        }
        // Where there is no number, revision or name, what stands behind it begins the word.
        let mut behind = false;
        for piece in &self.pieces {
            match piece {
                Piece::Exact(text) if text.is_empty() => {}
                Piece::Digits | Piece::Numbers | Piece::Hashes | Piece::Names | Piece::Refs | Piece::Account => {
                    behind = true;
                }
                Piece::Exact(text) => return behind && text.starts_with('-'),
                Piece::Number | Piece::Label | Piece::Whole(_) => return false,
                Piece::Pattern(_) | Piece::Found(_) | Piece::Any | Piece::Words => return true,
            }
        }
        false
    }

    /// As a glob: parts that may be anything become `*`, numbers what they may be.
    pub(super) fn pattern(&self) -> String {
        let mut pattern = String::new();
        for piece in &self.pieces {
            match piece {
                // A class that ends in other quotes, or in none: what is quoted in it means something else there.
                Piece::Pattern(text) if text == "[" => {
                    pattern.push('*');
                    break;
                }
                Piece::Exact(text) | Piece::Pattern(text) => pattern.push_str(text),
                Piece::Number | Piece::Digits | Piece::Numbers => pattern.push_str("{,[-0-9]*}"),
                Piece::Label => pattern.push_str("[0-9A-Za-z_]*"),
                Piece::Account => pattern.push_str("{,[0-9A-Za-z_]*}"),
                Piece::Hashes => pattern.push_str("{,[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*}"),
                Piece::Names | Piece::Refs | Piece::Found(_) | Piece::Whole(_) | Piece::Any | Piece::Words => {
                    pattern.push('*');
                }
            }
        }
        pattern
    }

    /// The rest of it after `count` bytes of its exact beginning.
    pub(super) fn after(&self, count: usize) -> Self {
        let mut rest = self.clone();
        if let Some(Piece::Exact(text)) = rest.pieces.first_mut() {
            *text = text.get(count..).unwrap_or_default().to_owned();
            if text.is_empty() {
                rest.pieces.remove(0);
            }
        }
        rest
    }

    /// For a person: what nobody knows is `…`, and so is what a long one goes on with.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut shown: String = self.pieces.iter().map(|piece| piece.known().unwrap_or("…")).collect();
        if shown.chars().count() > 60 {
            shown = shown.chars().take(60).chain("…".chars()).collect();
        }
        shown
    }
}
