//! One line that is asked for at the foot of a pane or a page: what to look for, which rows, where to save. It decides
//! nothing about operations, and no dialog opens by itself over it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::event::Effect;
use super::find::Within;
use super::keymap::{Command, Context};
use super::{Export, State};

/// Longest line, in bytes.
const LONGEST: usize = 1_000;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A text to look for in the conversation, in output or on a page.
    Find(Within),
    /// A text that rows of a table must hold.
    Filter,
    /// A file to save what is shown to.
    Save,
    /// A format to copy a table in.
    CopyAs,
}

impl Ask {
    /// The words before the line.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Find(_) => "find ",
            Self::Filter => "rows with ",
            Self::Save => "save as ",
            Self::CopyAs => "copy as csv, json, md or txt: ",
        }
    }

    /// At whose foot it stands.
    #[must_use]
    pub fn within(self) -> Within {
        match self {
            Self::Find(within) => within,
            Self::Filter | Self::Save | Self::CopyAs => Within::Output,
        }
    }
}

/// A line that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What is asked for.
    pub ask: Ask,
    /// What was typed so far.
    pub text: String,
    /// The text is a proposal: the first letter that is typed replaces it.
    proposed: bool,
}

impl Prompt {
    /// Makes room for what is typed instead of the proposal.
    fn replaced(&mut self) {
        if std::mem::take(&mut self.proposed) {
            self.text.clear();
        }
    }
}

impl State {
    /// The line that is being typed at the foot of a pane or a page.
    #[must_use]
    pub fn prompt(&self) -> Option<&Prompt> {
        self.prompt.as_ref()
    }

    pub(super) fn prompt_for(&mut self, ask: Ask, text: String) {
        let proposed = !text.is_empty() && matches!(ask, Ask::Save | Ask::CopyAs);
        self.prompt = Some(Prompt { ask, text, proposed });
        self.last_typed = Some(self.now);
        self.hint_prompt();
    }

    fn hint_prompt(&mut self) {
        let Some(prompt) = &self.prompt else { return };
        let table = self.output.printout().is_some_and(|printout| printout.table.is_some());
        self.hint = Some(match prompt.ask {
            Ask::Filter => "enter takes it · empty or esc shows all rows".to_owned(),
            Ask::Save if table => {
                "its end says as what: .csv, .json, .md or .txt · enter takes it · esc leaves it".to_owned()
            }
            _ => "enter takes it · esc leaves it".to_owned(),
        });
    }

    /// A key while a line is asked for. What stops or leaves does so from here too.
    pub(super) fn prompt_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        self.last_typed = Some(self.now);
        let Some(prompt) = &mut self.prompt else { return };
        match (key.code, key.modifiers) {
            (KeyCode::Esc, _) => {
                let ask = prompt.ask;
                self.prompt = None;
                match ask {
                    Ask::Find(within) => self.forget(within),
                    Ask::Filter => self.filter(""),
                    Ask::Save | Ask::CopyAs => {}
                }
                return;
            }
            (KeyCode::Enter, _) => {
                self.taken(effects);
                return;
            }
            (KeyCode::Backspace, _) => {
                prompt.proposed = false;
                prompt.text.pop();
            }
            (KeyCode::Char('u'), KeyModifiers::CONTROL) => prompt.text.clear(),
            (KeyCode::End | KeyCode::Right, _) => prompt.proposed = false,
            (KeyCode::Char(letter), KeyModifiers::NONE | KeyModifiers::SHIFT) if prompt.text.len() < LONGEST => {
                prompt.replaced();
                prompt.text.push(letter);
            }
            _ => {
                let command = self.keymap.command(Context::Everywhere, key);
                if let Some(command @ (Command::StopAll | Command::Interrupt | Command::Quit)) = command {
                    self.prompt = None;
                    self.pane_command(command, effects);
                }
                return;
            }
        }
        self.prompted();
    }

    pub(super) fn paste_prompt(&mut self, text: &str) {
        if let Some(prompt) = &mut self.prompt {
            prompt.replaced();
            prompt
                .text
                .extend(text.chars().filter(|c| !c.is_control()).take(LONGEST.saturating_sub(prompt.text.len())));
        }
        self.prompted();
    }

    /// What was typed so far already counts where that changes only what is shown.
    fn prompted(&mut self) {
        self.hint_prompt();
        let Some(Prompt { ask, text, .. }) = self.prompt.clone() else { return };
        match ask {
            Ask::Find(within) => self.seek(within, &text),
            Ask::Filter => self.filter(&text),
            Ask::Save | Ask::CopyAs => {}
        }
    }

    fn taken(&mut self, effects: &mut Vec<Effect>) {
        let Some(Prompt { ask, text, .. }) = self.prompt.take() else { return };
        if ask == Ask::Find(Within::Output) && !text.is_empty() {
            self.count_all(&text, effects);
            self.find_elsewhere(effects);
        }
        let text = text.trim();
        match ask {
            Ask::Find(within) if text.is_empty() => self.forget(within),
            Ask::Filter if text.is_empty() => self.filter(""),
            Ask::Filter => self.only_held("filtered", "WHERE filters"),
            Ask::Find(_) => {}
            Ask::Save => self.save_as(text, effects),
            Ask::CopyAs => {
                if let Some(export) = Export::named(text) {
                    self.copy_table(export, effects);
                } else {
                    self.prompt = Some(Prompt { ask, text: text.to_owned(), proposed: true });
                    self.hint = Some("A table is copied as csv, json, md or txt.".to_owned());
                }
            }
        }
    }
}
