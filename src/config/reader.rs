//! Takes typed values out of a parsed TOML table and collects what is wrong with it, each with its place.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Problem, position, suggestion};
use crate::domain::Amount;

/// A value and where it stands.
pub(super) type Placed<T> = (T, Range<usize>);

/// Reads one file's tables, and remembers every problem.
pub(super) struct Reader<'a> {
    file: &'a Path,
    text: &'a str,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: &'a Path, text: &'a str) -> Self {
        Self { file, text, problems: Vec::new() }
    }

    /// The folder that relative paths in the file start from.
    pub(super) fn folder(&self) -> PathBuf {
        self.file.parent().map(Path::to_path_buf).unwrap_or_default()
    }

    /// Notes a problem at a byte of the file. Control characters of the file are spelled out.
    pub(super) fn object(&mut self, at: usize, sentence: impl Into<String>) {
        let mut sentence: String = sentence.into();
        if sentence.contains(char::is_control) {
            let escape = |c: char| if c.is_control() { c.escape_debug().collect() } else { c.to_string() };
            sentence = sentence.chars().map(escape).collect();
        }
        self.problems.push(Problem {
            file: self.file.to_path_buf(),
            position: Some(position(self.text, at)),
            sentence,
        });
    }

    /// Notes every key that isn't one of `known`. `special` may have a better sentence for some.
    pub(super) fn only(&mut self, table: &DeTable<'_>, known: &[&str], special: impl Fn(&str) -> Option<&'static str>) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                let advice = special(name).map_or_else(|| suggestion(name, known.iter().copied()), ToOwned::to_owned);
                self.object(key.span().start, format!("unknown key `{}`. {advice}", short(name)));
            }
        }
    }

    /// A text.
    pub(super) fn text(&mut self, table: &DeTable<'_>, key: &str) -> Option<Placed<String>> {
        let value = table.get(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some((text.to_string(), value.span())),
            other => self.mistyped(key, "text in quotes", other, value),
        }
    }

    /// A whole number within `range`.
    pub(super) fn number(&mut self, table: &DeTable<'_>, key: &str, range: (u64, u64)) -> Option<u64> {
        let value = table.get(key)?;
        let DeValue::Integer(number) = value.get_ref() else {
            return self.mistyped(key, "a whole number", value.get_ref(), value);
        };
        let read = u64::from_str_radix(number.as_str(), number.radix()).ok();
        let read = read.filter(|read| (range.0..=range.1).contains(read));
        if read.is_none() {
            self.object(value.span().start, format!("`{key}` must be from {} to {}.", range.0, range.1));
        }
        read
    }

    /// An amount of money, with up to six places.
    pub(super) fn amount(&mut self, table: &DeTable<'_>, key: &str) -> Option<Amount> {
        let value = table.get(key)?;
        let text = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            other => return self.mistyped(key, "an amount, such as 2.5", other, value),
        };
        let read = Amount::parse(&text);
        if read.is_none() {
            self.object(value.span().start, format!("`{key}` must be an amount such as 2.5, with up to six places."));
        }
        read
    }

    /// A list of texts; empty if absent or wrong.
    pub(super) fn texts(&mut self, table: &DeTable<'_>, key: &str) -> Vec<Placed<String>> {
        let Some(value) = table.get(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            self.mistyped::<()>(key, "a list of texts, such as [\"a\", \"b\"]", value.get_ref(), value);
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items {
            match item.get_ref() {
                DeValue::String(text) => texts.push((text.to_string(), item.span())),
                other => {
                    self.mistyped::<()>(key, "a list of texts", other, item);
                }
            }
        }
        texts
    }

    /// A table.
    pub(super) fn table<'t, 'i>(&mut self, table: &'t DeTable<'i>, key: &str) -> Option<&'t DeTable<'i>> {
        let value = table.get(key)?;
        match value.get_ref() {
            DeValue::Table(inner) => Some(inner),
            other => self.mistyped(key, "a table", other, value),
        }
    }

    /// The tables within a table, by name: `[key.NAME]`.
    pub(super) fn named<'t, 'i>(&mut self, table: &'t DeTable<'i>, key: &str) -> Vec<(String, &'t DeTable<'i>)> {
        let Some(outer) = self.table(table, key) else { return Vec::new() };
        let mut tables = Vec::new();
        for (name, value) in outer {
            let (place, name) = (name.span().start, name.get_ref().as_ref());
            if !sound_name(name) {
                self.object(place, "a name has up to 40 letters, digits, `-` and `_`.");
            } else if let DeValue::Table(inner) = value.get_ref() {
                tables.push((name.to_owned(), inner));
            } else {
                self.object(place, format!("`{key}.{name}` must be a table: write [{key}.{name}] above its keys."));
            }
        }
        tables
    }

    /// The tables of a list: `[[key]]`, each with its place.
    pub(super) fn list<'t, 'i>(&mut self, table: &'t DeTable<'i>, key: &str) -> Vec<Placed<&'t DeTable<'i>>> {
        let Some(value) = table.get(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            let sentence = format!("`{key}` is a list of tables: write [[{key}]] above each.");
            self.object(value.span().start, sentence);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items {
            match item.get_ref() {
                DeValue::Table(inner) => tables.push((inner, item.span())),
                _ => self.object(item.span().start, format!("each of `{key}` must be a table.")),
            }
        }
        tables
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&mut self, table: &DeTable<'_>, key: &str, words: &[(&str, T)]) -> Option<T> {
        let (word, place) = self.text(table, key)?;
        let found = words.iter().find(|(valid, _)| *valid == word);
        if found.is_none() {
            let advice = suggestion(&word, words.iter().map(|(valid, _)| *valid));
            self.object(place.start, format!("`{key}` can't be `{}`. {advice}", short(&word)));
        }
        found.map(|(_, value)| *value)
    }

    fn mistyped<T>(&mut self, key: &str, wanted: &str, found: &DeValue<'_>, at: &Spanned<DeValue<'_>>) -> Option<T> {
        self.object(at.span().start, format!("`{key}` must be {wanted}, not {}.", kind(found)));
        None
    }
}

/// Whether a name can be shown, typed and told to a model without trouble.
fn sound_name(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// A word of the file, short enough for a sentence.
pub(super) fn short(word: &str) -> String {
    word.chars().take(40).flat_map(char::escape_debug).collect()
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
