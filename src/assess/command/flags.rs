//! Which flags the words of a program are, as the program itself reads them: a word that is the value of another flag
//! is none, whatever it looks like.

use std::collections::HashSet;

use super::kind::{Kind, named_by, ordinary};
use super::table::{Entry, Produces, Style, Takes};
use super::word::Word;

/// The flags that one word is, and the value of the last of them.
struct Told {
    flags: Vec<String>,
    value: Value,
}

/// The value of a flag.
enum Value {
    /// It has none.
    None,
    /// In the same word.
    Here(Word),
    /// It is the next word.
    Next,
    /// The two next words.
    Pair,
}

/// All flags of a program's words.
pub(super) struct Flags {
    given: Vec<String>,
    /// Flags with their values.
    values: Vec<(String, Word)>,
    /// Whether a single dash begins a whole name.
    single: bool,
}

impl Flags {
    /// Reads the words up to where flags end.
    pub(super) fn of(entry: &Entry, words: &[Word]) -> Self {
        let single = matches!(entry.style, Style::Single | Style::Go);
        let mut found = Self { given: Vec::new(), values: Vec::new(), single };
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if word.text() == Some("--") {
                if entry.through {
                    continue;
                }
                break;
            }
            if !(is_flag(word) || entry.plus && word.prefix().starts_with('+')) {
                if entry.style == Style::Posix || entry.early {
                    break;
                }
                continue;
            }
            let told = told(entry, word);
            let last = told.flags.last().cloned().unwrap_or_default();
            found.given.extend(told.flags);
            match told.value {
                Value::None => {}
                Value::Here(value) => found.values.push((last, value)),
                Value::Next => found.values.extend(rest.next().map(|value| (last, value.clone()))),
                Value::Pair => drop((rest.next(), rest.next())),
            }
        }
        found
    }

    /// Whether one of some flags is among them.
    pub(super) fn carry(&self, wanted: &HashSet<String>) -> bool {
        wanted.iter().any(|wanted| self.has(wanted))
    }

    /// Whether this flag is among them.
    pub(super) fn has(&self, wanted: &str) -> bool {
        self.given.iter().any(|flag| is(flag, wanted, self.single))
    }

    /// Each of them, with its value if it has one that isn't a pair.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, Option<&Word>)> {
        let mut values = self.values.iter().peekable();
        self.given.iter().map(move |flag| {
            let value = values.next_if(|(valued, _)| valued == flag).map(|(_, value)| value);
            (flag.as_str(), value)
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.given.len()
    }

    /// How many of them are among some.
    pub(super) fn count(&self, of: &[&str]) -> usize {
        self.given.iter().filter(|flag| of.contains(&flag.as_str())).count()
    }

    /// The values of some flags, in order.
    pub(super) fn values<'a>(&'a self, of: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a Word)> {
        self.values.iter().filter(|(flag, _)| of.contains(&flag.as_str())).map(|(flag, value)| (flag.as_str(), value))
    }

    /// Whether the globs among them name nothing but sources and texts.
    pub(super) fn ordinary(&self, entry: &Entry) -> bool {
        self.values.iter().all(|(flag, value)| match (entry.flags.get(flag), value.text()) {
            (Some(Takes::Value(Kind::Glob)), Some(glob)) => glob.starts_with('!') || ordinary(glob),
            (Some(Takes::Value(Kind::Glob)), None) => false,
            _ => true,
        })
    }

    /// Whether a search lists nothing but names with endings that are said plainly, or the flags limit what is read.
    pub(super) fn narrow(&self, entry: &Entry) -> bool {
        let sought = |flag: &str| matches!(entry.flags.get(flag), Some(Takes::Value(Kind::Sought)));
        let ending = |value: &str| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let mut endings = self.values.iter().filter(|(flag, _)| sought(flag)).map(|(_, value)| value.text()).peekable();
        let lists = entry.produces == Produces::Paths && endings.peek().is_some();
        lists && endings.all(|value| value.is_some_and(ending)) || self.only(entry).is_some()
    }

    /// The patterns that limit what is read to names that they say plainly; none where one of them says more, or where
    /// what none of them names is read, too.
    pub(super) fn only(&self, entry: &Entry) -> Option<Vec<String>> {
        // What `grep` is told to leave out first, it reads all but that.
        let spares = |flag: &str| ["--exclude", "--exclude-from"].contains(&flag);
        if self.given.iter().find(|flag| picks(entry, flag) || spares(flag)).is_none_or(|flag| spares(flag)) {
            return None;
        }
        let globs: Vec<&Word> = self.globs(entry).filter(|glob| !glob.prefix().starts_with('!')).collect();
        if globs.is_empty() {
            let defined = self.given.iter().any(|flag| flag.starts_with("--type-"));
            let types = self.types(entry).map(|value| value.text().and_then(files_of));
            let types: Option<Vec<&str>> = types.collect();
            let endings = types.filter(|types| !types.is_empty() && !defined)?;
            return Some(endings.iter().flat_map(|endings| endings.split(' ')).map(|end| format!("*.{end}")).collect());
        }
        let named: Option<Vec<_>> = globs.iter().map(|glob| glob.text().and_then(named_by)).collect();
        named.map(|named| named.into_iter().flatten().collect())
    }

    /// Whether a flag says what is read, however much of it: a search comes to hidden files that it names.
    pub(super) fn selects(&self, entry: &Entry) -> bool {
        self.types(entry).next().is_some() || self.globs(entry).any(|glob| !glob.prefix().starts_with('!'))
    }

    fn globs<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a Word> {
        self.values.iter().filter(|(flag, _)| takes_glob(entry, flag)).map(|(_, value)| value)
    }

    /// The types of files to which a search is limited that lets them be defined.
    fn types<'a>(&'a self, entry: &Entry) -> impl Iterator<Item = &'a Word> {
        let known = entry.flags.contains_key(DEFINES);
        self.values.iter().filter(move |(flag, _)| known && TYPES.contains(&flag.as_str())).map(|(_, value)| value)
    }
}

/// A flag of `rg` that says what a type of files is, and those that name one.
const DEFINES: &str = "--type-add";
const TYPES: [&str; 2] = ["-t", "--type"];

/// Whether a flag names files to read.
fn takes_glob(entry: &Entry, flag: &str) -> bool {
    flag != DEFINES && matches!(entry.flags.get(flag), Some(Takes::Value(Kind::Glob)))
}

/// Whether a flag does, or names a type of them.
fn picks(entry: &Entry, flag: &str) -> bool {
    takes_glob(entry, flag) || TYPES.contains(&flag) && entry.flags.contains_key(DEFINES)
}

/// The endings of the files that `rg` knows by a type, or more.
fn files_of(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "rust" => "rs",
        "py" | "python" => "py pyi",
        "js" => "js jsx vue cjs mjs",
        "ts" | "typescript" => "ts tsx cts mts",
        "go" => "go",
        "md" | "markdown" => "markdown md mdown mdwn mdx mkd mkdn",
        "html" => "htm html ejs",
        "css" => "css scss",
        "swift" => "swift",
        _ => return None,
    })
}

/// Whether a value of a switch takes it back, as Go's programs read it (`--quiet=false`; strconv, `ParseBool`).
pub(super) fn revokes(value: &Word) -> bool {
    let text = value.text().map(|text| text.trim_start_matches('=').to_ascii_lowercase());
    text.is_none_or(|text| matches!(text.as_str(), "false" | "f" | "0"))
}

/// Whether a flag is one that an entry names: of short ones the letter counts.
fn is(flag: &str, wanted: &str, single: bool) -> bool {
    let short = |text: &str| !single && !text.starts_with("--");
    flag == wanted || short(flag) && short(wanted) && flag.len() == 2 && wanted.starts_with(flag)
}

/// Most flags of one word that are looked at: each may have the rest of it for its value.
pub(super) const BUNDLE: usize = 40;

/// What a word that is written as a flag is to a program. Of a word that isn't known whole, what is known.
fn told(entry: &Entry, word: &Word) -> Told {
    let head = word.prefix();
    let exact = word.text().is_some();
    let one = |flag: &str, value| Told { flags: vec![flag.to_owned()], value };
    if matches!(entry.style, Style::Single | Style::Go) || head.starts_with("--") {
        let doubled = entry.style == Style::Go && head.starts_with("--");
        let (word, head) = if doubled { (&word.after(1), &head[1..]) } else { (word, head) };
        return match (head.split_once('='), exact) {
            (Some((flag, _)), _) => one(flag, Value::Here(word.after(flag.len() + 1))),
            (None, true) => match entry.flags.get(head) {
                Some(Takes::Value(_)) => one(head, Value::Next),
                Some(Takes::Pair(_)) => one(head, Value::Pair),
                Some(Takes::Nothing | Takes::Attached(_)) | None => one(head, Value::None),
            },
            (None, false) => Told { flags: Vec::new(), value: Value::None },
        };
    }
    match entry.flags.get(head).filter(|_| exact) {
        Some(Takes::Nothing) => return one(head, Value::None),
        Some(Takes::Pair(_)) => return one(head, Value::Pair),
        Some(_) | None => {}
    }
    let letters = head.strip_prefix('-').unwrap_or(head);
    let behind = word.after(head.len());
    let more = !(behind.pieces.is_empty() || behind.text() == Some(""));
    let mut flags = Vec::new();
    for (at, c) in letters.char_indices().take(BUNDLE) {
        let flag = format!("-{c}");
        let takes = entry.flags.get(&flag);
        flags.push(flag);
        let end = at + c.len_utf8();
        let attached = more || end < letters.len();
        let tail = || word.after(head.len() - letters.len() + end);
        match takes {
            Some(Takes::Nothing | Takes::Pair(_)) => {}
            Some(Takes::Value(_)) if !attached => return Told { flags, value: Value::Next },
            Some(Takes::Value(_) | Takes::Attached(_)) => return Told { flags, value: Value::Here(tail()) },
            None if entry.free => {}
            None => break,
        }
    }
    Told { flags, value: Value::None }
}

/// Whether a word is written as a flag.
pub(super) fn is_flag(word: &Word) -> bool {
    let head = word.prefix();
    head.starts_with('-') && (head.len() > 1 || word.text().is_none())
}

/// Splits words into the flags that come before the first operand and the rest, by a list of flags as in an
/// entry. None if a flag isn't in it.
pub(super) fn leading<'w>(entry: &Entry, words: &'w [Word]) -> Option<&'w [Word]> {
    debug_assert_eq!(entry.style, Style::Posix);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text().unwrap_or("");
        if text == "--" {
            return words.get(at + 1..);
        }
        let numbers = entry.flags.contains_key("-NUM") && text.len() > 1;
        if numbers && text.strip_prefix('-').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
            at += 1;
            continue;
        }
        if !text.starts_with('-') || text.len() == 1 {
            return if word.may_be_flag() || word.several() { None } else { words.get(at..) };
        }
        let flag = if text.starts_with("--") { text.split_once('=').map_or(text, |(flag, _)| flag) } else { text };
        let takes = match entry.flags.get(flag) {
            Some(Takes::Nothing | Takes::Attached(_) | Takes::Pair(_)) => false,
            Some(Takes::Value(_)) => flag == text,
            None if !flag.starts_with("--") => bundle(entry, flag)?,
            None => return None,
        };
        at += 1;
        if takes {
            // What is more than one word brings flags along, or another program.
            if words.get(at).is_some_and(|value| value.several() || value.may_be_none()) {
                return None;
            }
            at += 1;
        }
    }
    Some(&[])
}

/// Whether the last of some short flags in one word takes the next word for its value; none if one isn't known.
fn bundle(entry: &Entry, flags: &str) -> Option<bool> {
    let letters = flags.strip_prefix('-')?;
    for (at, c) in letters.char_indices() {
        match entry.flags.get(&format!("-{c}"))? {
            Takes::Nothing => {}
            Takes::Pair(_) => return None,
            Takes::Attached(_) => return Some(false),
            Takes::Value(_) => return Some(at + c.len_utf8() == letters.len()),
        }
    }
    Some(false)
}

/// Whether a program is told to show what is no text as if it were: `grep -a` and its kin.
pub(super) fn raw(words: &[Word]) -> bool {
    let told = |word: &Word| {
        let text = word.prefix();
        let short = text.starts_with('-') && !text.starts_with("--") && text.contains('a');
        short || ["--te", "--bin"].iter().any(|flag| text.starts_with(flag))
    };
    words.iter().take_while(|word| word.text() != Some("--")).any(told)
}

/// The words without one that changes nothing and stands before all others but flags whose values are in them.
pub(super) fn unled(entry: &Entry, words: &[Word]) -> Option<Vec<Word>> {
    let valued = |flag: &str| {
        let bare = matches!(entry.flags.get(flag), Some(Takes::Nothing));
        bare || flag.split_once('=').is_some_and(|(name, _)| name.starts_with('-') && entry.flags.contains_key(name))
    };
    let at = words.iter().take_while(|word| word.text().is_some_and(valued)).count();
    let led = words.get(at).and_then(Word::text).is_some_and(|text| entry.leads.contains(text));
    led.then(|| words[..at].iter().chain(&words[at + 1..]).cloned().collect())
}

/// The words with a dash before a first word of flags, where that means the same: only its last letter takes a value.
pub(super) fn unbundled(entry: &Entry, words: &[Word]) -> Option<Vec<Word>> {
    let letters = words.first()?.text()?;
    let bare = |c: char| matches!(entry.flags.get(&format!("-{c}")), Some(Takes::Nothing));
    let last = letters.chars().next_back()?;
    let head = &letters[..letters.len() - last.len_utf8()];
    let known = !letters.starts_with('-') && head.chars().all(bare) && entry.flags.contains_key(&format!("-{last}"));
    known.then(|| std::iter::once(Word::exact(format!("-{letters}"))).chain(words[1..].iter().cloned()).collect())
}
