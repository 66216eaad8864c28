//! One thing that is wrong with the configuration file: where, and what to do.

use std::fmt;
use std::path::PathBuf;

use crate::domain::nearest;

/// One thing that is wrong with the configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// Line and column, from 1, where one place is to blame.
    pub position: Option<(usize, usize)>,
    /// What is wrong and what to do, without secrets.
    pub sentence: String,
}

impl Problem {
    /// A problem with the file as a whole.
    pub fn whole(file: impl Into<PathBuf>, sentence: impl Into<String>) -> Self {
        Self { file: file.into(), position: None, sentence: sentence.into() }
    }

    /// What the screen says once when there are problems: that everything asks, and each problem.
    #[must_use]
    pub fn notice(problems: &[Self]) -> Option<String> {
        if problems.is_empty() {
            return None;
        }
        let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Some(format!(
            "The configuration can't be used as it is, so everything asks (mode strict), whatever the command line \
             says. Correct it and start again:\n{}",
            list.join("\n")
        ))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.sentence)
    }
}

/// Line and column, from 1, of a byte of `text`. Columns count characters.
pub(super) fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    (line, column)
}

/// "Did you mean …?", or the whole choice.
pub(super) fn suggestion<'a>(word: &str, valid: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(name) = nearest(word, valid.clone()) {
        return format!("Did you mean `{name}`?");
    }
    let names: Vec<String> = valid.into_iter().map(|name| format!("`{name}`")).collect();
    format!("Valid here: {}.", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        assert_eq!(position("mode = 1", 0), (1, 1));
        assert_eq!(position("a = 'ü'\nmode = 1", "a = 'ü'\nmo".len()), (2, 3));
        assert_eq!(position("ü = 1", 2), (1, 2));
    }

    #[test]
    fn what_is_near_nothing_gets_the_whole_choice() {
        assert_eq!(suggestion("colour", ["mode", "rules"]), "Valid here: `mode`, `rules`.");
    }
}
