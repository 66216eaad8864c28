//! `theme`: the name of the theme that the person chose while the program ran, for where the configuration names none.

use std::path::{Path, PathBuf};

use super::{MemoryError, file};

/// Where it is kept.
#[derive(Clone, Debug)]
pub struct ThemeChoice {
    path: PathBuf,
}

impl ThemeChoice {
    /// That of a data folder.
    #[must_use]
    pub fn at(data: &Path) -> Self {
        Self { path: data.join("theme") }
    }

    /// The theme, if one was chosen. What can't be read is none.
    #[must_use]
    pub fn get(&self) -> Option<String> {
        let text = file::read(&self.path).ok()?;
        Some(text.trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// The person chose one.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn set(&self, name: &str) -> Result<(), MemoryError> {
        file::change(&self.path, |_before| Ok((format!("{name}\n"), ())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_chosen_last_is_there_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let choice = ThemeChoice::at(&folder.path().join("data"));
        assert_eq!(choice.get(), None);
        choice.set("light").unwrap();
        choice.set("mono").unwrap();
        assert_eq!(ThemeChoice::at(&folder.path().join("data")).get().as_deref(), Some("mono"));
    }
}
