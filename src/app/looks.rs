//! Which theme everything is shown in. The state knows names alone; what they look like is the screen's affair.

use super::State;
use super::event::Effect;
use super::picker::Picker;
use super::row::{Pick, Row};

/// The looks there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Themes by name or file, each with a few words about it.
    pub themes: Vec<(String, String)>,
    /// The one that was chosen.
    pub theme: String,
    /// The one that is shown: another one while a list of them is open.
    shown: String,
    /// The configuration or an option names one: another is for this session alone.
    named: bool,
    /// One that was chosen and is to be kept.
    keep: Option<String>,
    /// The environment wants no colours: whatever is chosen, it is shown without.
    plain: bool,
}

impl Looks {
    /// These themes, one of them chosen and shown. `named` says that the configuration or an option names it.
    #[must_use]
    pub fn new(themes: Vec<(String, String)>, theme: &str, named: bool) -> Self {
        Self { themes, theme: theme.to_owned(), shown: theme.to_owned(), named, keep: None, plain: false }
    }
}

impl Looks {
    /// Says that the environment wants no colours.
    #[must_use]
    pub fn plain(mut self, plain: bool) -> Self {
        self.plain = plain;
        self
    }
}

impl State {
    /// `/theme`: lists them, `/theme light`: takes one.
    pub(super) fn theme_command(&mut self, name: &str) -> Result<(), String> {
        let themes = &self.looks.themes;
        if name.is_empty() {
            let at = themes.iter().position(|(known, _)| *known == self.looks.theme).unwrap_or(0);
            let row = |(name, says): &(String, String)| Row::new(name, Pick::Theme(name.clone())).detail(says);
            let rows = themes.iter().map(row).collect();
            self.open_picker(Picker::new("Theme", rows).of("theme").at(at));
        } else if themes.iter().any(|(known, _)| known == name) {
            self.set_theme(name.to_owned());
        } else {
            let known: Vec<&str> = themes.iter().map(|(name, _)| name.as_str()).collect();
            return Err(format!("There is no theme {name}. Choose one of {}.", known.join(", ")));
        }
        Ok(())
    }

    pub(super) fn set_theme(&mut self, name: String) {
        self.hint = Some(if self.looks.named {
            format!("Theme {name} for this session. To keep it: theme = \"{name}\" in the configuration.")
        } else {
            self.looks.keep = Some(name.clone());
            format!("Theme {name}, from now on.")
        });
        if let Some(hint) = self.hint.as_mut().filter(|_| self.looks.plain) {
            hint.push_str(" NO_COLOR keeps it without colours here.");
        }
        self.looks.theme = name;
    }

    /// Shows the theme of the row that was reached in a list, and the chosen one wherever no such row is.
    pub(super) fn settle_look(&mut self, effects: &mut Vec<Effect>) {
        let reached = self.picker().and_then(|picker| picker.pick(picker.selected()));
        let wanted = if let Some(Pick::Theme(name)) = reached { name } else { &self.looks.theme };
        if *wanted != self.looks.shown {
            let wanted = wanted.clone();
            self.looks.shown.clone_from(&wanted);
            self.dirty = true;
            effects.push(Effect::Theme(wanted));
        }
        effects.extend(self.looks.keep.take().map(Effect::KeepTheme));
    }
}
