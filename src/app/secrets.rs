//! Secrets in what is shown: the conversation and what operations print are shown with masks in their place until the
//! person wants to see them. Dialogs have spans of their own, which were noted when their operation was judged.

use super::State;
use crate::assess::{Known, withheld};

/// What is masked, and whether it is.
#[derive(Clone, Debug, Default)]
pub struct Masks {
    /// Values that are secrets whatever they look like.
    pub known: Known,
    /// The person sees what is masked.
    pub lifted: bool,
}

impl State {
    /// A text with masks in the place of what is certainly a secret. None if it can be shown as it is.
    #[must_use]
    pub fn masked(&self, text: &str) -> Option<String> {
        if self.masks.lifted {
            return None;
        }
        withheld(text, &self.masks.known).map(|(shown, _)| shown)
    }

    /// Shows what is masked in the panes, or masks it again.
    pub(super) fn lift_masks(&mut self) {
        self.masks.lifted ^= true;
        let says = if self.masks.lifted { "Secrets are shown." } else { "Secrets are masked." };
        self.hint = Some(says.to_owned());
    }
}
