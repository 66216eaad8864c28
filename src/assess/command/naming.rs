//! What a program prints by its flags, where that is known to be names of its things: another program can take them
//! without taking one for a flag. Told by the table; `argv` asks.

use std::collections::HashSet;

use super::flags::Flags;
use super::judge::Judge;
use super::table::Entry;
use super::word::Word;

/// Whether the words make a program print identifiers alone: a flag that says so, and none that isn't known to leave
/// it at that.
pub(super) fn identifies(entry: &Entry, words: &[Word]) -> bool {
    let mut identifies = false;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.text() else { return false };
        if entry.hashes.contains(text) {
            identifies = true;
        } else if bundle(entry, text).is_some_and(|named| {
            identifies |= named;
            true
        }) || entry.beside.contains(&format!("{text}="))
        {
            if rest.next().is_none_or(|value| value.text().is_none()) {
                return false;
            }
        } else {
            let flag = text.split_once('=').map_or_else(|| text.to_owned(), |(flag, _)| format!("{flag}="));
            if !entry.beside.contains(&flag) {
                return false;
            }
        }
    }
    identifies
}

/// Whether the words make a program print nothing but what its things are called, which no dash begins: a flag that
/// says so, and none that isn't known to leave it at that.
pub(super) fn calls(entry: &Entry, words: &[Word]) -> bool {
    if entry.calls.is_empty() || words.iter().any(|word| word.text().is_none()) {
        return false;
    }
    // Roles alone may be called anything in a cluster.
    if words.iter().any(|word| word.pattern().contains("role")) {
        return false;
    }
    let (called, others): (Vec<_>, Vec<_>) = spelled(entry, words).partition(|flag| entry.calls.contains(flag));
    !called.is_empty() && others.iter().all(|flag| among(&entry.beside, flag))
}

/// Whether such names say of what type they are (`pod/x`), and that is one of those of which a table is shown.
pub(super) fn with_types(entry: &Entry, words: &[Word]) -> bool {
    let named = words.iter().filter_map(Word::text).any(|text| text == "-oname" || text.ends_with("=name"))
        || words
            .windows(2)
            .any(|pair| matches!(pair[0].text(), Some("-o" | "--output")) && pair[1].text() == Some("name"));
    let first = words.first().and_then(Word::text);
    named && first.is_some_and(|first| entry.column_of.contains(first))
}

/// Whether each line that the words make a program print begins with what one of its things is called: it is a table
/// whose first column that is, and no flag makes it something else.
pub(super) fn begins_with_names(entry: &Entry, name: &str, words: &[Word]) -> bool {
    // Podman's rows go on in another line where a command's words do.
    let podman = name.starts_with("podman") || name.starts_with("nerdctl");
    if entry.column.is_empty() || podman || words.iter().any(|word| word.text().is_none()) {
        return false;
    }
    // A table of what anybody may name columns of could have ends of lines in them.
    let first = words.first().and_then(Word::text).filter(|_| !entry.column_of.is_empty());
    let others = match first {
        Some(first) if !entry.column_of.contains(first) => return false,
        Some(_) => &words[1..],
        None if !entry.column_of.is_empty() => return false,
        None => words,
    };
    let mut formats = 0;
    let fits = |flag: String| {
        let format = flag.strip_prefix("--format=").filter(|format| leads(entry, format));
        formats += usize::from(format.is_some());
        format.is_some() || among(&entry.column, &flag)
    };
    spelled(entry, others).all(fits) && formats <= 1
}

/// Whether a format of lines begins with what a thing is called, and a blank, and nothing behind it can end a line.
fn leads(entry: &Entry, format: &str) -> bool {
    const FIELDS: [&str; 12] = [
        "{{.ID}}",
        "{{.Names}}",
        "{{.Name}}",
        "{{.Image}}",
        "{{.Status}}",
        "{{.State}}",
        "{{.RunningFor}}",
        "{{.Ports}}",
        "{{.Size}}",
        "{{.Tag}}",
        "{{.Repository}}",
        "{{.Driver}}",
    ];
    let format = format.strip_prefix("table ").unwrap_or(format).replace("\\t", " ");
    let Some((first, rest)) = format.split_once([' ', '\t']) else { return false };
    let rest = FIELDS.iter().fold(rest.to_owned(), |rest, field| rest.replace(field, ""));
    let plain = |c: char| c.is_ascii_alphanumeric() || " \t:|=,()".contains(c);
    entry.calls.contains(&format!("--format={first}")) && rest.chars().all(plain)
}

/// The flags that are given, each with its value behind `=`.
fn spelled(entry: &Entry, words: &[Word]) -> impl Iterator<Item = String> {
    let given = Flags::of(entry, words);
    let spelled = |(flag, value): (&str, Option<&Word>)| match value.and_then(Word::text) {
        None | Some("") => flag.to_owned(),
        Some(value) => format!("{flag}={value}"),
    };
    given.all().map(spelled).collect::<Vec<_>>().into_iter()
}

/// Whether a flag is among some, of which those that end with `=` stand for any value.
fn among(some: &HashSet<String>, flag: &str) -> bool {
    let any = || flag.split_once('=').is_some_and(|(name, _)| some.contains(&format!("{name}=")));
    some.contains(flag) || any()
}

/// Several short flags in one word, the last of which takes a value: whether one of them makes it print identifiers.
fn bundle(entry: &Entry, text: &str) -> Option<bool> {
    let letters = text.strip_prefix('-').filter(|letters| letters.len() > 1 && !letters.starts_with('-'))?;
    let (last, before) = letters.char_indices().next_back().map(|(at, last)| (last, &letters[..at]))?;
    let known =
        |letter: char| entry.hashes.contains(&format!("-{letter}")) || entry.beside.contains(&format!("-{letter}"));
    let valued = entry.beside.contains(&format!("-{last}="));
    (valued && before.chars().all(known)).then(|| before.chars().any(|c| entry.hashes.contains(&format!("-{c}"))))
}

impl Judge<'_> {
    /// Whether names that it looks for may be sensitive ones.
    pub(super) fn seeks_sensitive(&mut self) -> bool {
        let sought = std::mem::take(&mut self.sought);
        sought.iter().any(|glob| {
            let bare = glob.trim_matches('*');
            let ending = format!("*.{}", bare.trim_start_matches(['?', '.']));
            [glob, bare, &ending].iter().any(|glob| self.told(true, glob).is_some())
        })
    }

    /// The path of a program by its name, where no link leads to it and the shell would not split it.
    pub(super) fn installed_as(&mut self, name: &str) -> Option<String> {
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._+-".contains(&byte));
        if name.contains('/') {
            return None;
        }
        self.mentions.programs.insert(name.to_owned());
        let path = self.facts?.programs.get(name)?.as_ref()?.to_str()?;
        (path.rsplit('/').next() == Some(name) && plain(path)).then(|| path.to_owned())
    }
}
