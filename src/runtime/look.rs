//! Which look the person gets: a theme by name or from a file of theirs, in as many colours as the terminal has.

use std::path::Path;

use crate::config::Environment;
use crate::ui::{Depth, Theme};

/// Longest file of a theme, in bytes.
const LONGEST: u64 = 64 * 1024;
/// Terminals that show every colour and don't always say so.
const TRUE_COLOUR: [&str; 5] = ["xterm-kitty", "alacritty", "foot", "wezterm", "xterm-ghostty"];

/// Reads a theme for the terminal that the environment tells of.
///
/// # Errors
/// There is no such theme, or its file can't be read.
pub fn theme(name: &str, environment: Environment<'_>) -> Result<Theme, String> {
    let depth = depth(environment);
    if depth == Depth::None {
        return Theme::named("mono");
    }
    let theme = if is_file(name) { Theme::parse(name, &read(Path::new(name))?) } else { Theme::named(name) };
    theme.map(|theme| theme.fitted(depth))
}

/// Whether a theme is named by its file.
pub fn is_file(name: &str) -> bool {
    name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|ending| ending == "toml")
}

fn read(path: &Path) -> Result<String, String> {
    let wrong = |why: String| format!("the theme {} can't be read: {why}", path.display());
    let about = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !about.is_file() || about.len() > LONGEST {
        return Err(wrong("it is no file of a theme's size".to_owned()));
    }
    std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))
}

/// How many colours the terminal shows, as far as the environment says.
fn depth(environment: Environment<'_>) -> Depth {
    let term = environment("TERM").unwrap_or_default();
    let says = environment("COLORTERM").unwrap_or_default();
    if environment("NO_COLOR").is_some() || term == "dumb" {
        Depth::None
    } else if says == "truecolor" || says == "24bit" || term.contains("-direct") || TRUE_COLOUR.contains(&&*term) {
        Depth::True
    } else if term.contains("256color") || !says.is_empty() {
        Depth::Indexed
    } else {
        Depth::Sixteen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Depth {
        depth(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_says_how_many_colours_there_are() {
        for (variables, wanted) in [
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")][..], Depth::True),
            (&[("TERM", "tmux-256color")], Depth::Indexed),
            (&[("TERM", "xterm-kitty")], Depth::True),
            (&[("TERM", "linux")], Depth::Sixteen),
            (&[("TERM", "xterm")], Depth::Sixteen),
            (&[("TERM", "dumb")], Depth::None),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("NO_COLOR", "1")], Depth::None),
        ] {
            assert_eq!(of(variables), wanted, "{variables:?}");
        }
    }

    #[test]
    fn a_theme_of_the_persons_own_is_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        let name = path.to_str().unwrap();
        let colours = |name: &str| (name == "COLORTERM").then(|| "truecolor".to_owned());
        assert!(theme(name, &colours).unwrap_err().contains("can't be read"));
        std::fs::write(&path, include_str!("../../themes/light.toml")).unwrap();
        assert_eq!(theme(name, &colours).unwrap().name(), name);
        std::fs::write(&path, "text = \"blurple\"").unwrap();
        assert!(theme(name, &colours).is_err());
        assert!(theme("neon", &colours).unwrap_err().contains("choose one of dark, light"));
        assert_eq!(theme("light", &|name| (name == "NO_COLOR").then(String::new)).unwrap().name(), "mono");
    }
}
