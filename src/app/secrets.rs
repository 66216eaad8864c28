//! Secrets in what is shown: the conversation and what operations print are shown with masks in their place until the
//! person wants to see them. Dialogs have spans of their own, which were noted when their operation was judged.

use std::borrow::Cow;

use super::State;
use crate::assess::{Known, cell_withheld, withheld};

/// What is masked, and whether it is.
#[derive(Clone, Debug, Default)]
pub struct Masks {
    /// Values that are secrets whatever they look like.
    pub known: Known,
    /// The person sees what is masked.
    pub lifted: bool,
}

/// What tells whether masks would be the same ones again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaskStamp {
    lifted: bool,
    known: usize,
}

impl Masks {
    /// A text with masks in the place of what is certainly a secret, as many lines as before. It has to be looked at
    /// before it is cut or wrapped: a part of a secret looks like none.
    #[must_use]
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let hidden = if self.lifted { None } else { withheld(text, &self.known) };
        hidden.map_or(Cow::Borrowed(text), |(shown, _)| Cow::Owned(shown))
    }

    /// A cell of a table: all of it is a secret under a name such as `password`.
    #[must_use]
    pub fn hide_cell<'t>(&self, column: &str, value: &'t str) -> Cow<'t, str> {
        let hidden = if self.lifted { None } else { cell_withheld(column, value, &self.known) };
        hidden.map_or(Cow::Borrowed(value), Cow::Owned)
    }

    /// Differs once what was masked has to be made anew.
    #[must_use]
    pub fn stamp(&self) -> MaskStamp {
        MaskStamp { lifted: self.lifted, known: self.known.count() }
    }
}

impl State {
    /// Shows what is masked in the panes, or masks it again.
    pub(super) fn lift_masks(&mut self) {
        self.masks.lifted ^= true;
        let says = if self.masks.lifted { "Secrets are shown." } else { "Secrets are masked." };
        self.hint = Some(says.to_owned());
    }
}
