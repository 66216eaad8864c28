//! The first start in a folder: before anything else, the person is asked whether to work there.

use super::State;
use super::event::Effect;
use super::picker::{Form, Picker};
use super::row::{Pick, Row};
use crate::domain::ApprovalMode;

/// What is asked of whoever types something else first.
const FIRST: &str = "First: shall Countersign work in this folder?";

impl State {
    /// Asks whether to work in the folder of this session. Nothing else is taken before the answer.
    pub fn ask_folder(&mut self) {
        self.arriving = true;
        let rows = vec![
            Row::new("Yes, work here", Pick::Folder(true)),
            Row::new("No, leave", Pick::Folder(false)).detail("closes the program; nothing ran here"),
        ];
        let question = Form::Question(self.about_folder());
        self.open_picker(Picker::new("New folder: work here?", rows).laid_out(question));
    }

    /// What a yes allows, in sentences.
    fn about_folder(&self) -> Vec<String> {
        const SAFE: &str = "but nothing sensitive, such as .env or keys. What could change, delete or send asks first: unasked, only new files are added";
        let folder = self.setting.folder.clone();
        if self.setting.practice {
            let own = "Your own ! and / lines run here. The practice model doesn't: it has a folder and a database of \
                       its own.";
            return vec![folder, own.to_owned()];
        }
        let reads = match self.queue.gate().policy().mode {
            ApprovalMode::Strict => "The model works here. Mode strict: it asks you before every step.".to_owned(),
            ApprovalMode::Guarded => format!("The model may list, search and read here unasked, {SAFE}."),
            ApprovalMode::Smart => {
                format!("The model may list, search and read here unasked, {SAFE}, unless the model calls it low risk.")
            }
            ApprovalMode::AllowAll => {
                "Mode allow-all: the model may read and change everything here unasked.".to_owned()
            }
        };
        let brings = "It is told what AGENTS.md says. Settings and MCP servers of the folder count only once you trust \
                      them: `countersign trust`.";
        vec![folder, reads, brings.to_owned()]
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
        self.unbriefed = yes;
        effects.push(if yes { Effect::KnowFolder } else { Effect::Quit });
    }

    /// Whether the folder's notes for the model are still being read. A message that is sent meanwhile waits for them.
    #[must_use]
    pub fn unbriefed(&self) -> bool {
        self.unbriefed
    }

    /// The folder's notes were read.
    pub(super) fn briefed(&mut self, notes: &str) {
        self.unbriefed = false;
        self.chat.brief(notes);
        if !notes.is_empty() {
            self.queue.gate.note_private_data();
        }
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
