//! Words of which it isn't sure whether a program takes them for flags, for the value of one, or for more than that.

use super::flags::Flags;
use super::judge::Judge;
use super::kind::Kind;
use super::table::Entry;
use super::word::Word;

impl Judge<'_> {
    /// A flag that the entry doesn't list.
    pub(super) fn unlisted(&mut self, entry: &Entry, name: &str, flag: &str, value: Option<&Word>) {
        // Programs take a long flag by its beginning too.
        let shortened = |write: &String| flag.len() > 2 && flag.starts_with("--") && write.starts_with(flag);
        if entry.writes.contains(flag) || entry.free && entry.writes.iter().any(shortened) {
            self.destructive("command.writes", format!("`{name} {flag}` writes or changes something."));
        } else if entry.free && entry.shortens(flag) {
            self.unknown("command.unknown-flag", format!("`{flag}` may be short for a longer flag of `{name}`."));
        } else if entry.free {
            self.disclosed |= flag.starts_with("--");
            if let Some(value) = value.filter(|value| value.text() != Some("") && !value.pieces.is_empty()) {
                self.disclosed |= value.text().is_none();
                if entry.rest == Kind::Inline { self.meant(entry.rest, name, value) } else { self.reads(value) }
            }
        } else {
            self.unknown("command.unknown-flag", format!("No rule says that `{name}` with `{flag}` only reads."));
        }
    }

    /// Objects to a word that may become any flag of a program.
    pub(super) fn any_flag(&mut self, name: &str, word: &Word) {
        let sentence = format!("{} may become any flag of `{name}`.", self.spelt(word));
        self.unreadable("command.vague-flag", sentence);
    }

    /// Objects to the value of a flag before a subcommand that may be none or several words: then another word is the
    /// subcommand.
    pub(super) fn uncertain_value(&mut self, name: &str, value: Option<&Word>) -> bool {
        let Some(value) = value.filter(|value| value.several() || value.may_be_none()) else { return false };
        let sentence = format!("{} may be more or less than the value of a flag of `{name}`.", self.spelt(value));
        self.about(value, |judge| judge.unreadable("command.vague-flag", sentence));
        true
    }

    /// Whether a pattern in a word may become a flag: whether one of its names comes apart or, where it begins the word,
    /// something in the folder begins with a dash, as far as that is known.
    pub(super) fn folder_may_have_flags(&mut self, word: &Word) -> bool {
        if self.comes_apart(word) {
            return true;
        }
        if word.parted && !word.may_begin_as_flag() && word.found().is_none() {
            return false;
        }
        if word.found().is_some() && !word.vague() {
            return self.found_flags() != Some(false);
        }
        // A variable may hold a pattern from before a `cd`, so each folder that was stood in counts.
        let folders: Vec<_> = self.stood_in.iter().cloned().chain([self.folder()]).collect();
        if !word.begins_with_pattern() || folders.contains(&None) {
            return true;
        }
        self.mentions.folders.extend(folders.iter().flatten().cloned());
        // While it is asked what should be looked at, whatever follows counts too.
        let Some(facts) = self.facts else { return false };
        let dashed = |folder: &String| facts.folders.get(folder).is_none_or(|fact| fact.dashed);
        folders.iter().flatten().any(dashed)
    }

    /// Objects to the value of a flag that may become several words: the others may be flags or anything else.
    pub(super) fn one_value(&mut self, entry: &Entry, name: &str, value: &Word) {
        let harmless = entry.free && !entry.rest.opens() && entry.first.iter().all(|kind| !kind.opens());
        if value.several() && !harmless {
            let sentence = format!("{} may become more than the value of a flag of `{name}`.", self.spelt(value));
            self.unreadable("command.vague-flag", sentence);
        }
    }

    /// A program of another system may take no value where the entry says it does: then the word behind the flag is
    /// a flag or a file like any other.
    pub(super) fn maybe_no_value(&mut self, entry: &Entry, kind: Kind, name: &str, flag: &Word, value: &Word) {
        let pattern = Flags::of(entry, std::slice::from_ref(flag)).carry(&entry.whole);
        if !matches!(kind, Kind::Text | Kind::Revset) || pattern {
            return;
        }
        let mut letters = value.prefix().chars();
        if letters.next() == Some('-') && letters.next().is_some_and(|c| c == '-' || c.is_ascii_alphabetic()) {
            self.unknown("command.vague-flag", format!("{} may be a flag of `{name}`.", self.spelt(value)));
        }
        if !matches!(entry.rest, Kind::File | Kind::Archive | Kind::Plain) || !entry.first.is_empty() {
            return;
        }
        let hit = match value.text() {
            // No sensitive name has a single letter; numbers and separators are common.
            Some(text) if text.chars().filter(|c| c.is_alphabetic()).count() < 2 => None,
            Some(text) => self.sensitive_entry(text),
            None => self.may_be_sensitive(&value.pattern()),
        };
        if let Some(hit) = hit {
            self.sensitive(format!("{} is sensitive: {hit}.", self.spelt(value)));
        }
    }

    /// Objects to a word that comes apart, or stands for files, on its way through a script.
    pub(super) fn splits(&mut self, name: &str, word: &Word) {
        let parts = |c: char| c.is_whitespace() || matches!(c, '*' | '?' | '[');
        if word.text().map_or_else(|| word.vague(), |text| text.contains(parts)) {
            self.unknown("command.operand", format!("`{name}` may take {} for several words.", self.spelt(word)));
        }
    }
}
