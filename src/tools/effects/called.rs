//! What a git subcommand was called with: its flags, the values of some, and the words that are no flags.

use crate::assess::Word;

/// What one subcommand was called with.
pub(super) struct Called {
    /// Each with its value after a space, if it has one.
    pub(super) flags: Vec<String>,
    /// The words that are no flags, before `--` and after.
    pub(super) operands: Vec<String>,
    pub(super) paths: Vec<String>,
    /// Whether there was a `--`.
    pub(super) split: bool,
}

impl Called {
    /// Reads the words; behind a flag of `valued` is its value. None if one may be anything.
    pub(super) fn read(words: &[Word], valued: &[&str]) -> Option<Self> {
        let mut called = Self { flags: Vec::new(), operands: Vec::new(), paths: Vec::new(), split: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.text()?;
            if called.split {
                called.paths.push(text.to_owned());
            } else if text == "--" {
                called.split = true;
            } else if text.starts_with("--") {
                let value = if valued.contains(&text) { format!(" {}", words.next()?.text()?) } else { String::new() };
                called.flags.push(format!("{text}{value}"));
            } else if text.starts_with('-') && text.len() > 1 {
                let takes = |letter: char| valued.contains(&format!("-{letter}").as_str());
                let Some((at, letter)) = text.char_indices().skip(1).find(|(_, letter)| takes(*letter)) else {
                    called.flags.push(text.to_owned());
                    continue;
                };
                if at > 1 {
                    called.flags.push(text[..at].to_owned());
                }
                let attached = &text[at + letter.len_utf8()..];
                let value = if attached.is_empty() { words.next()?.text()? } else { attached };
                called.flags.push(format!("-{letter} {value}"));
            } else {
                called.operands.push(text.to_owned());
            }
        }
        Some(called)
    }

    /// Whether a flag is there, by its long name or its letter.
    pub(super) fn has(&self, long: &str, letter: Option<char>) -> bool {
        self.flags.iter().any(|flag| flag.split(['=', ' ']).next() == Some(long))
            || letter.is_some_and(|letter| self.times(long, letter) > 0)
    }

    /// The values of a flag, by its letter or its long name.
    pub(super) fn values<'c>(&'c self, short: &'c str, long: &'c str) -> impl Iterator<Item = &'c str> {
        self.flags.iter().filter_map(move |flag| {
            let (name, value) = flag.split_once([' ', '='])?;
            (name == short || name == long).then_some(value)
        })
    }

    /// The value of the last of these flags.
    pub(super) fn made(&self, flags: &[&str]) -> Option<&str> {
        let mut values = self.flags.iter().filter_map(|flag| flag.split_once([' ', '=']));
        values.rfind(|(name, _)| flags.contains(name)).map(|(_, value)| value)
    }

    /// How many times a flag is there.
    pub(super) fn times(&self, long: &str, letter: char) -> usize {
        let times = |flag: &String| match flag.split(['=', ' ']).next() {
            Some(name) if name == long => 1,
            Some(name) if !name.starts_with("--") => name.matches(letter).count(),
            Some(_) | None => 0,
        };
        self.flags.iter().map(times).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::{AssessSettings, Does, acts};
    use crate::domain::Facts;

    fn called(words: &[&str]) -> Called {
        let command = format!("git clean {}", words.join(" "));
        let act = acts(&command, &Facts::default(), &AssessSettings::default()).remove(0);
        let Does::Git { words, .. } = act.does else { panic!("{command}: {:?}", act.does) };
        Called::read(&words, &["-e", "--exclude"]).unwrap()
    }

    #[test]
    fn a_flag_counts_as_often_as_it_is_written() {
        for (words, times) in [
            (&["-d"][..], 0),
            (&["-fd"], 1),
            (&["-ffd"], 2),
            (&["-f", "-f", "-d"], 2),
            (&["-fdf", "nr"], 2),
            (&["--force", "-ffdx"], 3),
            (&["-f", "--", "-f"], 1),
            (&["-fe", "f"], 1),
            (&["-feoff"], 1),
            (&["--exclude", "-f"], 0),
        ] {
            assert_eq!(called(words).times("--force", 'f'), times, "{words:?}");
        }
    }

    #[test]
    fn the_value_of_a_flag_is_no_flag_itself() {
        let called = called(&["-fenode", "--exclude", "d", "--exclude=x", "a"]);
        assert_eq!(called.flags, ["-f", "-e node", "--exclude d", "--exclude=x"]);
        assert_eq!(called.operands, ["a"]);
        assert!(!called.has("--dry-run", Some('n')) && !called.has("", Some('d')) && called.has("--exclude", None));
    }
}
