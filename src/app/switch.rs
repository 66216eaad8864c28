//! Another model, connection or mode while a session runs. The conversation stays; the approval of the rest of a turn
//! ends. What a switch needs is made ready elsewhere; until it is there, everything goes on as before.

use super::chat::{Briefing, Phase};
use super::chosen::Chosen;
use super::event::Effect;
use super::picker::Picker;
use super::row::{Pick, Row};
use super::{Setting, State};

/// What is said where SQL has nowhere to go.
pub(super) const NO_CONNECTION: &str = "There is no connection: start with --db, or name one in the configuration.";

/// A model that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// By its name in the configuration, its provider, or its provider's name of it.
    Named(String),
    /// As it was chosen at the first start.
    Chosen(Chosen),
}

/// What holds after a switch.
#[derive(Clone, Debug)]
pub struct Switched {
    /// What the status line says.
    pub setting: Setting,
    /// What the model is told beside the conversation.
    pub briefing: Briefing,
    /// The model works in another workspace from now on: nothing of the one before may run there.
    pub elsewhere: bool,
}

impl State {
    /// `/model NAME`
    pub(super) fn switch_model(&mut self, wanted: Wanted, effects: &mut Vec<Effect>) {
        self.switches += 1;
        let name = match &wanted {
            Wanted::Named(name) => name.clone(),
            Wanted::Chosen(chosen) => chosen.model.clone().unwrap_or_else(|| chosen.provider.clone()),
        };
        self.hint = Some(format!("Making {name} ready …"));
        effects.push(Effect::SwitchModel(self.switches, wanted));
    }

    /// `/model`: a list to choose from.
    pub(super) fn list_models(&mut self, effects: &mut Vec<Effect>) {
        let list = self.open_picker(
            Picker::reading("Models", "There is no other model: `countersign setup` finds one.").of("model"),
        );
        effects.push(Effect::ListModels(list));
    }

    /// `/db NAME`
    pub(super) fn choose_connection(&mut self, name: String, effects: &mut Vec<Effect>) {
        self.switches += 1;
        effects.push(Effect::ChooseConnection(self.switches, name));
    }

    /// `/db`: a list to choose from.
    pub(super) fn list_connections(&mut self) {
        let used = self.setting.own_name().unwrap_or_default();
        let row = |(name, what): (&String, &String)| {
            let what = if name == used { format!("in use · {what}") } else { what.clone() };
            Row::new(name, Pick::Line(format!("/db {name}"))).detail(&what)
        };
        let rows: Vec<Row> = self.setting.connections.iter().map(row).collect();
        if rows.is_empty() {
            self.hint = Some(NO_CONNECTION.to_owned());
        } else {
            self.open_picker(Picker::new("Connections", rows).of("connection"));
        }
    }

    /// A switch is ready, or failed and everything stays as it was.
    pub(super) fn switched(&mut self, number: u64, outcome: Result<Box<Switched>, String>, effects: &mut Vec<Effect>) {
        if number != self.switches {
            return;
        }
        self.hint = None;
        let switched = match outcome {
            Ok(switched) => *switched,
            Err(why) => {
                let why = why.trim_end_matches('.');
                self.chat.notice(format!("{why}. Everything stays as it was."), true);
                return;
            }
        };
        if switched.elsewhere {
            self.move_elsewhere(effects);
        }
        effects.push(Effect::Adopt(number));
        let said = if switched.setting.model == self.setting.model {
            let connection = switched.setting.connection.as_deref().unwrap_or("no connection");
            switched.setting.own.as_ref().map_or_else(
                || format!("SQL without a connection's name goes to {connection}."),
                |own| format!("Your own SQL goes to {}; the practice model keeps to its own database.", own.label),
            )
        } else {
            self.told_remote = false;
            let model = &switched.setting.model;
            if self.chat.history().is_empty() {
                format!("{model} answers here.")
            } else {
                format!("{model} answers from the next message on; the conversation goes on.")
            }
        };
        self.queue.end_turn();
        self.queue.resync(self.now);
        if switched.briefing.notes {
            self.queue.gate.note_private_data();
        }
        self.chat.brief_anew(switched.briefing);
        let folder = std::mem::take(&mut self.setting.folder);
        self.setting = Setting { folder, ..switched.setting };
        // What a yes to the folder allows depends on who works there.
        if self.arriving() && self.setup().is_none() {
            self.ask_folder();
        }
        self.chat.notice(said, false);
    }

    /// Nothing that was proposed for one workspace may run in another: it ends here.
    fn move_elsewhere(&mut self, effects: &mut Vec<Effect>) {
        self.stops.turn = matches!(self.chat.phase, Phase::Working { .. });
        self.stop(effects);
        self.withdraw_all(effects);
        if !self.chat.history().is_empty() {
            self.chat.asides.push(
                "[From here on another model answers, in another workspace. What was called before isn't there.]"
                    .to_owned(),
            );
        }
    }
}
