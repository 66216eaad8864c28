//! The page of the first start in use: what its keys and its lines do, and what comes of its steps.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::State;
use super::event::Effect;
use super::keymap::{Command, Context};
use super::modal::Modal;
use super::setup::{Done, LONGEST, PRACTICE, Setup, Stage, Step};
use super::switch::Wanted;

impl State {
    /// Opens the page of the first start.
    pub fn set_up(&mut self, setup: Setup) {
        self.modal = Some(Modal::Setup(Box::new(setup)));
        self.dirty = true;
    }

    /// The page of the first start, if it is open.
    #[must_use]
    pub fn setup(&self) -> Option<&Setup> {
        match &self.modal {
            Some(Modal::Setup(setup)) => Some(setup),
            _ => None,
        }
    }

    fn setup_mut(&mut self) -> Option<&mut Setup> {
        match &mut self.modal {
            Some(Modal::Setup(setup)) => Some(setup),
            _ => None,
        }
    }

    /// By lines no frame is drawn: what is wanted to look around before the page is told.
    pub fn look_around(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.probe(&mut effects);
        effects
    }

    /// The first frame of the page was drawn: now there is time to look around.
    pub(super) fn probe(&mut self, effects: &mut Vec<Effect>) {
        if let Some(setup) = self.setup_mut()
            && !std::mem::replace(&mut setup.probed, true)
        {
            effects.push(Effect::Setup(Step::Probe));
        }
    }

    pub(super) fn setup_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        let everywhere = self.keymap.command(Context::Everywhere, key);
        let Some(setup) = self.setup_mut() else { return };
        setup.hint = None;
        let rows = setup.rows();
        let plain = matches!(key.modifiers, KeyModifiers::NONE | KeyModifiers::SHIFT);
        let held = key.modifiers == KeyModifiers::CONTROL;
        match key.code {
            KeyCode::Esc => self.skip_setup(effects),
            KeyCode::Enter => setup.take(effects),
            KeyCode::Up if rows > 0 => setup.at = setup.at.min(rows - 1).checked_sub(1).unwrap_or(rows - 1),
            KeyCode::Down | KeyCode::Tab if rows > 0 => setup.at = setup.at.wrapping_add(1) % rows,
            KeyCode::Home | KeyCode::PageUp if rows > 0 => setup.at = 0,
            KeyCode::End | KeyCode::PageDown if rows > 0 => setup.at = rows - 1,
            KeyCode::Backspace if setup.types() && !setup.typed.is_empty() => {
                let kept = setup.typed[..setup.typed.floor_char_boundary(setup.typed.len() - 1)].to_owned();
                setup.type_over(&kept);
            }
            // Held down, it ends with what is typed here, and takes no answer from before along.
            KeyCode::Backspace if setup.types() => {}
            KeyCode::Left | KeyCode::Backspace | KeyCode::BackTab => {
                setup.back();
            }
            KeyCode::Char('u') if held && setup.types() => setup.type_over(""),
            KeyCode::Char('w') if held && setup.types() => {
                let kept = setup.typed.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
                let kept = setup.typed[..setup.typed.ceil_char_boundary(kept)].to_owned();
                setup.type_over(&kept);
            }
            KeyCode::Char(letter) if plain && setup.types() => setup.type_in(letter),
            KeyCode::Char(digit @ '1'..='9') if plain => {
                let at = digit as usize - '1' as usize;
                if at < rows {
                    setup.at = at;
                }
            }
            KeyCode::Char('k') if plain && rows > 0 => {
                setup.at = setup.at.min(rows - 1).checked_sub(1).unwrap_or(rows - 1);
            }
            KeyCode::Char('j') if plain && rows > 0 => setup.at = setup.at.wrapping_add(1) % rows,
            _ => match everywhere {
                Some(Command::Quit) => effects.push(Effect::Quit),
                Some(Command::Interrupt) => self.interrupt_setup(effects),
                _ => {}
            },
        }
    }

    fn interrupt_setup(&mut self, effects: &mut Vec<Effect>) {
        self.skip_setup(effects);
        self.interrupt(effects);
    }

    pub(super) fn paste_setup(&mut self, text: &str) {
        if let Some(setup) = self.setup_mut().filter(|setup| setup.types()) {
            text.trim().chars().for_each(|letter| setup.type_in(letter));
        }
    }

    /// A line, where there is no screen: the number of a row, the text that is asked for, `back` or `skip`.
    pub(super) fn setup_line(&mut self, line: &str, effects: &mut Vec<Effect>) {
        let Some(setup) = self.setup_mut() else { return };
        setup.hint = None;
        let line = line.trim();
        match line {
            "skip" | "esc" => return self.skip_setup(effects),
            "back" => {
                setup.back();
                return;
            }
            "/quit" | "quit" => return effects.push(Effect::Quit),
            _ => {}
        }
        let rows = setup.rows();
        match line.parse::<usize>() {
            Ok(number) if rows > 0 && (1..=rows).contains(&number) => setup.at = number - 1,
            Ok(_) if rows > 0 => {
                setup.hint = Some(format!("Type a number from 1 to {rows}, `back` or `skip`."));
                return;
            }
            _ if line == "usual" && setup.stage == Stage::Address && setup.at_home() => setup.typed.clear(),
            // Nothing typed: what is chosen already is meant, else the first row.
            _ if line.is_empty() => {}
            _ if setup.types() => {
                setup.typed = line.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect();
                if setup.stage == Stage::Model {
                    // A name that is typed is meant as it is, also where a longer one holds it.
                    let exact = setup.matching().iter().position(|model| *model == line);
                    setup.at = exact.unwrap_or(usize::MAX);
                }
            }
            _ => {
                setup.hint = Some(format!("Type a number from 1 to {rows}, `back` or `skip`."));
                return;
            }
        }
        setup.take(effects);
    }

    /// The page closes. Whether to work in a folder that isn't known is asked after it.
    fn close_setup(&mut self) {
        self.modal = None;
        if self.arriving() {
            self.ask_folder();
        }
    }

    /// Esc: nothing is written, and it isn't asked again.
    fn skip_setup(&mut self, effects: &mut Vec<Effect>) {
        let again = self.setup().is_some_and(|setup| setup.again);
        self.close_setup();
        if again {
            self.chat.notice("Nothing was changed.", false);
        } else {
            effects.push(Effect::Setup(Step::Skip));
            let said = if self.setting.practice {
                "The practice model answers; no settings were written."
            } else {
                "The model of the environment answers; no settings were written. `countersign setup` chooses a model."
            };
            self.chat.notice(said, false);
        }
    }

    /// Something came of a step.
    pub(super) fn setup_done(&mut self, done: Done, effects: &mut Vec<Effect>) {
        if let Done::Written(number, Ok(path)) = &done
            && let Some(setup) = self.setup().filter(|setup| setup.number == *number)
        {
            let (chosen, path) = (setup.chosen.clone(), path.clone());
            let mode = chosen.mode;
            self.close_setup();
            self.chat.notice(format!("Written to {path}. `countersign setup` asks again."), false);
            self.set_mode(mode);
            if !(self.setting.practice && chosen.provider == PRACTICE) {
                self.switch_model(Wanted::Chosen(chosen), effects);
            }
            return;
        }
        if let Some(setup) = self.setup_mut() {
            setup.done(done);
        }
    }
}
