//! The program's own files and folders: configuration, journal, what is kept for undo, layers, the proof of the walls.
//! No tool writes them, in any mode. What names them in a way that may write them is a catastrophe here; who writes
//! files asks once more as it does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::paths::{Data, Kind, List};
use super::spelling;
use super::written::Written;
use crate::domain::Place;

/// Places that are the program's own. The default has none.
#[derive(Clone, Debug, Default)]
pub struct Own {
    places: Vec<PathBuf>,
    /// What lies in them and isn't: the practice model's world.
    spared: Option<PathBuf>,
    list: Option<Arc<List>>,
}

impl Own {
    /// These files and folders with all that is in them, but for what is `spared`. All of them absolute.
    #[must_use]
    pub fn of(places: Vec<PathBuf>, spared: Option<PathBuf>) -> Self {
        let globs = places.iter().map(|place| globset::escape(&place.to_string_lossy())).collect();
        let kind = Kind { what: "Countersign's own".to_owned(), own: globs, ..Kind::default() };
        let list = List::of(Data { kind: vec![kind], ..Data::default() });
        Self { places, spared, list: Some(Arc::new(list)) }
    }

    /// Whether a path or pattern, as it is written, may name one of them or what lies in one.
    #[must_use]
    pub fn named(&self, text: &str, place: &Place) -> bool {
        let Some(list) = &self.list else { return false };
        if !self.perhaps(text, place) {
            return false;
        }
        // All that is in a folder is more than what is ours there.
        let text = text.trim_end_matches(['/', '*', '?']);
        let spared = |path: &String| self.spared.as_ref().is_some_and(|spared| Path::new(path).starts_with(spared));
        list.may_match(&Written::new(text, place)).is_some() && !spelling::absolute(text, place).iter().all(spared)
    }

    /// Whether it is worth comparing: a text without patterns, variables and quotes names one of them only where the last name
    /// of that stands in it, or in the folder that it starts from.
    fn perhaps(&self, text: &str, place: &Place) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-+,=@: \t\n;()!#<>&|".contains(&byte);
        if !text.bytes().all(plain) {
            return true;
        }
        let holds = |text: &[u8], name: &[u8]| text.windows(name.len()).any(|part| part.eq_ignore_ascii_case(name));
        self.places.iter().any(|own| match own.file_name().map(std::ffi::OsStr::as_encoded_bytes) {
            Some(name) if name.is_ascii() => {
                holds(text.as_bytes(), name) || holds(place.cwd.as_os_str().as_encoded_bytes(), name)
            }
            Some(_) | None => true,
        })
    }

    /// Whether a real path is one of them or lies in one.
    #[must_use]
    pub fn has(&self, path: &Path) -> bool {
        let spared = self.spared.as_ref().is_some_and(|spared| path.starts_with(spared));
        !spared && self.places.iter().any(|own| path.starts_with(own))
    }

    /// Whether one of them lies in a folder, or is it.
    #[must_use]
    pub fn below(&self, folder: &Path) -> bool {
        self.places.iter().any(|own| own.starts_with(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_places_are_known_by_every_spelling_and_the_practice_world_is_not_among_them() {
        let data = PathBuf::from("/home/ann/.local/share/countersign");
        let places = vec!["/home/ann/.config/countersign".into(), data.clone()];
        let own = Own::of(places, Some(data.join("practice")));
        let place =
            Place { cwd: "/home/ann/work".into(), workspace: "/home/ann/work".into(), home: Some("/home/ann".into()) };
        for path in [
            "~/.config/countersign/config.toml",
            "$HOME/.config/countersign",
            "../.config/countersign/config.toml",
            "/home/ann/.local/share/countersign/journal.sqlite",
            "~/.local/share/countersign/practice/../journal.sqlite",
            "~/.config/counter*/config.toml",
            "~/.local/share/countersign/*",
        ] {
            assert!(own.named(path, &place), "{path}");
        }
        let inside = Place { cwd: data.join("images"), ..place.clone() };
        assert!(own.named("x", &inside) && own.named("/home/ann/.config/CounterSign/x", &place));
        for path in ["config.toml", "~/.config/other", "~/.config/*", "~/.local/share/countersign/practice/shop.db"] {
            assert!(!own.named(path, &place), "{path}");
        }
        assert!(own.has(&data.join("images/x")) && !own.has(&data.join("practice/workspace/a")));
        assert!(own.below(Path::new("/home/ann/.config")) && !own.below(Path::new("/home/ann/work")));
        assert!(!Own::default().named("/", &place));
    }
}
