//! The first start in a folder: before anything else, the person is asked whether to work there.

use super::State;
use super::event::Effect;
use super::picker::{Pick, Picker, Row};

/// What is asked of whoever types something else first.
const FIRST: &str = "First: shall Countersign work in this folder?";

impl State {
    /// Asks whether to work in the folder of this session. Nothing else is taken before the answer.
    pub fn ask_folder(&mut self) {
        self.arriving = true;
        let folder = self.setting.folder.clone();
        let rows = vec![
            Row::new("Yes, work here", Pick::Folder(true)).detail(&folder),
            Row::new("No, leave", Pick::Folder(false)).detail("nothing was read or run"),
        ];
        self.open_picker(Picker::new("New folder: work here?", rows));
    }

    /// Whether the answer is still to come.
    #[must_use]
    pub fn arriving(&self) -> bool {
        self.arriving
    }

    /// The person's answer.
    pub(super) fn folder_answer(&mut self, yes: bool, effects: &mut Vec<Effect>) {
        if !std::mem::take(&mut self.arriving) {
            return;
        }
        effects.push(if yes { Effect::KnowFolder } else { Effect::Quit });
    }

    /// Whoever closed the list without an answer is asked again.
    pub(super) fn insist(&mut self) {
        // The page of the first start comes before it, and opens it when it closes.
        if self.arriving && self.picker().is_none() && self.setup().is_none() {
            self.ask_folder();
            self.hint = Some(FIRST.to_owned());
        }
    }
}
