//! Whether two globs can name the same thing, and whether a pattern's own letters point there. Used for
//! patterns with unknown parts, where `*` may become anything but only letters show an intention.

/// Names of so many steps are compared without memory of their own.
const SHORT: usize = 48;

/// Letters that may be looked at for the ends of classes that have none, before the rest counts as anything: each begins
/// to look anew.
const SPARE: usize = 1 << 20;

/// One step of a glob over a single name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Letter(char),
    /// One letter of a class, or with `true` one that is not.
    Class(Vec<(char, char)>, bool),
    One,
    Many,
}

/// A glob over one part of a path, and what is asked of it most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    tokens: Vec<Token>,
    ends: Ends,
    letters: usize,
}

/// The letters at both ends of a glob, where they are known: most names differ in one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    first: Option<char>,
    last: Option<char>,
}

impl Ends {
    /// Those of a plain name.
    pub fn of(name: &str) -> Self {
        let mut letters = name.chars();
        let first = letters.next();
        Self { first, last: letters.next_back().or(first) }
    }

    /// Whether names with these ends can be the same. They need not be.
    pub fn agree(self, other: Self) -> bool {
        let differ = |a: Option<char>, b: Option<char>| a.is_some() && b.is_some() && a != b;
        !differ(self.first, other.first) && !differ(self.last, other.last)
    }
}

impl Name {
    /// Reads a glob: `*`, `?`, `[…]` and `\` for a literal letter.
    pub fn glob(text: &str) -> Self {
        let letters: Vec<char> = text.chars().collect();
        let mut tokens = Vec::new();
        let (mut at, mut spare) = (0, SPARE);
        while at < letters.len() {
            // What is left may be anything.
            if spare == 0 {
                tokens.push(Token::Many);
                break;
            }
            let (token, next) = match letters[at] {
                '*' => (Token::Many, at + 1),
                '?' => (Token::One, at + 1),
                '[' => class(&letters, at, &mut spare).unwrap_or((Token::Letter('['), at + 1)),
                '\\' if at + 1 < letters.len() => (Token::Letter(letters[at + 1]), at + 2),
                letter => (Token::Letter(letter), at + 1),
            };
            if token != Token::Many || tokens.last() != Some(&Token::Many) {
                tokens.push(token);
            }
            at = next;
        }
        let ends = Ends { first: tokens.first().and_then(Token::letter), last: tokens.last().and_then(Token::letter) };
        let letters = tokens.iter().filter(|token| matches!(token, Token::Letter(_))).count();
        Self { tokens, ends, letters }
    }

    /// The letters at its ends.
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// Whether a name matches.
    pub fn matches(&self, name: &str) -> bool {
        self.takes(name.chars())
    }

    fn takes(&self, mut letters: impl Iterator<Item = char> + Clone) -> bool {
        let mut at = 0;
        // Where the last `*` ends, in the glob and in the name: it takes one letter more whenever the rest fails.
        let mut many = None;
        loop {
            let mut rest = letters.clone();
            match (self.tokens.get(at), rest.next()) {
                (Some(Token::Many), _) => {
                    at += 1;
                    many = Some((at, letters.clone()));
                }
                (Some(token), Some(letter)) if one_meets(token, &Token::Letter(letter)) => {
                    at += 1;
                    letters = rest;
                }
                (None, None) => return true,
                (Some(_) | None, _) => {
                    let Some((after, taken)) = &mut many else { return false };
                    if taken.next().is_none() {
                        return false;
                    }
                    (at, letters) = (*after, taken.clone());
                }
            }
        }
    }

    /// Its text, if it is literal.
    pub fn letters_alone(&self) -> String {
        self.start().collect()
    }

    /// Whether it names one thing only.
    pub fn literal(&self) -> bool {
        self.letters == self.tokens.len()
    }

    /// Whether it says nothing at all.
    pub fn anything(&self) -> bool {
        self.tokens == [Token::Many]
    }

    /// Whether it begins with a dot, which a lone `*` doesn't name.
    pub fn begins_with_dot(&self) -> bool {
        self.tokens.first() == Some(&Token::Letter('.'))
    }

    /// Whether some name matches both.
    pub fn meets(&self, other: &Self) -> bool {
        let (a, b) = (&self.tokens, &other.tokens);
        if !self.ends().agree(other.ends()) {
            return false;
        }
        if self.anything() || other.anything() {
            return true;
        }
        match (self.literal(), other.literal()) {
            (true, true) => return a == b,
            (false, true) => return self.letters <= b.len() && self.takes(other.start()),
            (true, false) => return other.letters <= a.len() && other.takes(self.start()),
            (false, false) => {}
        }
        // One row of "the rest from here meets", filled from the ends.
        let (mut first, mut second) = ([false; SHORT + 1], [false; SHORT + 1]);
        let mut long = if b.len() > SHORT { vec![false; 2 * (b.len() + 1)] } else { Vec::new() };
        let (mut below, mut row) =
            if b.len() > SHORT { long.split_at_mut(b.len() + 1) } else { (&mut first[..], &mut second[..]) };
        for i in (0..=a.len()).rev() {
            for j in (0..=b.len()).rev() {
                row[j] = match (a.get(i), b.get(j)) {
                    (None, None) => true,
                    (Some(Token::Many), _) if below[j] => true,
                    (_, Some(Token::Many)) if row[j + 1] => true,
                    (Some(Token::Many), Some(_)) => row[j + 1],
                    (Some(_), Some(Token::Many)) => below[j],
                    (Some(x), Some(y)) => below[j + 1] && one_meets(x, y),
                    (None, _) | (_, None) => false,
                };
            }
            std::mem::swap(&mut below, &mut row);
        }
        below[0]
    }

    /// Whether the pattern's own letters point at `entry`, which it meets: it shares the start (three letters,
    /// all but one of fewer, or a dot), the end of an entry such as `*.pem`, or most letters of a plain name (half of
    /// a very short one).
    pub fn points_at(&self, entry: &Self) -> bool {
        if self.literal() {
            return true;
        }
        if self.anything() {
            return entry.anything();
        }
        let shared = self.start().zip(entry.start()).take_while(|(a, b)| a == b).count();
        if shared > 0 {
            let (start, wanted) = (self.start().count(), entry.start().count());
            let dotted = self.start().next() == Some('.') && shared == start;
            let nearly = wanted <= 3 && shared >= 2;
            if dotted || nearly || shared >= wanted.min(3) {
                return true;
            }
        }
        if entry.literal() {
            // `*.json` says what sort of file, not which.
            let sort_only = self.tokens.starts_with(&[Token::Many, Token::Letter('.')]);
            let (letters, all) = (self.letters, entry.tokens.len());
            return if sort_only { letters == all } else { letters * 2 > all || all <= 4 && letters * 2 == all };
        }
        matches!(entry.tokens.first(), Some(Token::Many)) && self.ends_like(entry)
    }

    /// The letters before the first wildcard.
    fn start(&self) -> impl Iterator<Item = char> + Clone {
        self.tokens.iter().map_while(Token::letter)
    }

    /// Whether this ends as `*<end>` demands, or begins the same extension (`server.k*` for `*.key`).
    fn ends_like(&self, entry: &Self) -> bool {
        let end = &entry.tokens[1..];
        let covered = self.tokens.len() >= end.len()
            && self.tokens[self.tokens.len() - end.len()..]
                .iter()
                .zip(end)
                .all(|(a, b)| *a != Token::Many && one_meets(a, b));
        let extension = || {
            let dot = self.tokens.iter().rposition(|token| *token == Token::Letter('.'))?;
            let rest: Vec<char> = self.tokens[dot + 1..].iter().map_while(Token::letter).collect();
            let wanted: Vec<char> = end.iter().skip(1).map_while(Token::letter).collect();
            let dotted = end.first() == Some(&Token::Letter('.'));
            Some(dotted && !rest.is_empty() && wanted.starts_with(&rest) && self.tokens.last() == Some(&Token::Many))
        };
        covered || extension().unwrap_or(false)
    }
}

impl Token {
    fn letter(&self) -> Option<char> {
        match self {
            Self::Letter(letter) => Some(*letter),
            Self::Class(..) | Self::One | Self::Many => None,
        }
    }
}

/// Whether one letter can match both.
fn one_meets(a: &Token, b: &Token) -> bool {
    match (a, b) {
        (Token::Letter(a), Token::Letter(b)) => a == b,
        (Token::Letter(letter), Token::Class(ranges, not)) | (Token::Class(ranges, not), Token::Letter(letter)) => {
            ranges.iter().any(|(from, to)| (from..=to).contains(&letter)) != *not
        }
        (Token::Class(..) | Token::One | Token::Many, _) | (_, Token::One | Token::Many) => true,
    }
}

/// Reads `[…]` at `at`; none where it isn't closed. What is looked at in vain is taken from `spare`.
fn class(letters: &[char], at: usize, spare: &mut usize) -> Option<(Token, usize)> {
    let mut next = at + 1;
    let not = matches!(letters.get(next), Some('!' | '^'));
    next += usize::from(not);
    let first = next;
    let (mut ranges, mut named) = (Vec::new(), false);
    loop {
        let Some(&letter) = letters.get(next) else {
            *spare = spare.saturating_sub(letters.len() - at);
            return None;
        };
        if letter == ']' && next > first {
            return Some((if named { Token::One } else { Token::Class(ranges, not) }, next + 1));
        }
        let kind = letters.get(next + 1).filter(|kind| letter == '[' && [':', '.', '='].contains(kind));
        let end = kind.and_then(|kind| {
            let rest = letters.get(next + 2..)?;
            let end = rest.windows(2).position(|pair| pair == [*kind, ']']);
            if end.is_none() {
                *spare = spare.saturating_sub(rest.len());
            }
            end
        });
        // A class by name such as [:alpha:], or none of it, may be any letter.
        if let Some(length) = end {
            named = true;
            next += length + 4;
        } else if *spare == 0 {
            return None;
        } else if letters.get(next + 1) == Some(&'-') && letters.get(next + 2).is_some_and(|end| *end != ']') {
            ranges.push((letter, letters[next + 2]));
            next += 3;
        } else {
            ranges.push((letter, letter));
            next += 1;
        }
    }
}

/// The alternatives of every `{a,b}`, at most `cap`; none where there are more.
pub(super) fn alternatives(text: &str, cap: usize) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match braces(&text) {
            None => done.push(text),
            Some((before, options, after)) => {
                open.extend(options.iter().rev().map(|option| format!("{before}{option}{after}")));
            }
        }
        if done.len() + open.len() > cap {
            return None;
        }
    }
    Some(done)
}

/// The first `{a,b}` with a comma at its own depth.
fn braces(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    for (open, _) in text.match_indices('{') {
        let mut depth = 0_usize;
        let mut cuts = vec![open];
        for (at, letter) in text.bytes().enumerate().skip(open + 1) {
            match letter {
                b'{' => depth += 1,
                b'}' if depth > 0 => depth -= 1,
                b',' if depth == 0 => cuts.push(at),
                b'}' if cuts.len() > 1 => {
                    cuts.push(at);
                    let options = cuts.windows(2).map(|cut| &text[cut[0] + 1..cut[1]]).collect();
                    return Some((&text[..open], options, &text[at + 1..]));
                }
                b'}' => break,
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(pattern: &str, entry: &str) -> bool {
        let (pattern, entry) = (Name::glob(pattern), Name::glob(entry));
        pattern.meets(&entry) && pattern.points_at(&entry)
    }

    #[test]
    fn letters_of_a_pattern_point_at_an_entry() {
        for (pattern, entry) in [
            (".e*", ".env"),
            (".*", ".env"),
            ("sh*dow", "shadow"),
            ("*.pem", "*.pem"),
            ("server.k*", "*.key"),
            ("id*", "id_*"),
            ("cred*", "credentials.json"),
            ("[.]env", ".env"),
            (".e[a-n]v", ".env"),
            ("*.p?m", "*.pem"),
        ] {
            assert!(points(pattern, entry), "{pattern} {entry}");
        }
    }

    #[test]
    fn patterns_that_say_little_do_not() {
        for (pattern, entry) in [
            ("*", ".env"),
            ("*.txt", "secrets.*"),
            ("*.json", "credentials.json"),
            ("[0-9]*", "kcore"),
            ("*.*", "*.pem"),
            (".e[!n]v", ".env"),
            ("main.rs", "id_*"),
        ] {
            assert!(!points(pattern, entry), "{pattern} {entry}");
        }
    }

    #[test]
    fn a_name_matches_as_in_a_shell() {
        for (glob, name) in [
            ("*.pem", "a.pem"),
            ("*.pem", ".pem"),
            ("*.pem.*", "a.pem.pem.b"),
            ("id_*", "id_"),
            ("*a*b*", "xaxxbx"),
            ("a?c", "aéc"),
            ("[!a-c]x", "dx"),
            ("\\*", "*"),
            ("*", ""),
            ("", ""),
        ] {
            assert!(Name::glob(glob).matches(name), "{glob} {name}");
        }
        for (glob, name) in
            [("*.pem", "a.pem.b"), ("id_*", "id"), ("a?", "a"), ("a", "ab"), ("*a*b*", "ba"), ("[a-c]", "d")]
        {
            assert!(!Name::glob(glob).matches(name), "{glob} {name}");
        }
    }

    #[test]
    fn braces_come_apart_and_are_capped() {
        assert_eq!(alternatives("a{b,c{d,e}}f", 9).unwrap(), ["abf", "acdf", "acef"]);
        assert_eq!(alternatives("{a}", 9).unwrap(), ["{a}"]);
        assert_eq!(alternatives("{a,b}{c,d}{e,f}{g,h}", 8), None);
        assert_eq!(alternatives("{a,b", 8).unwrap(), ["{a,b"]);
    }

    #[test]
    fn brackets_that_nothing_closes_are_read_in_a_moment() {
        let start = std::time::Instant::now();
        for unit in ["[", "[a", "[[:", "[[=x]", "[[:a]", "[:", "[a-"] {
            let name = Name::glob(&unit.repeat(60_000 / unit.len()));
            assert!(!name.tokens.is_empty());
        }
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
