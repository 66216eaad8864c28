//! What the state wants done, handed to the engine. What only a front end can do comes back.

use super::engine::Engine;
use crate::app::Effect;

impl Engine {
    /// Performs an effect; gives back one that is the front end's.
    pub fn perform(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Prepare { id, origin, call } => self.prepare(id, origin, call),
            Effect::Assess { draft, id, origin, call } => self.assess(draft, id, origin, call),
            Effect::Refresh(operation, expected) => self.refresh(*operation, expected),
            Effect::Measure(prepared, seal) => self.measure(prepared, seal),
            Effect::StopMeasuring(id) => self.stop_measuring(id),
            Effect::DropStaged(run) => self.drop_staged(run),
            Effect::Decline(call) => self.decline(&call),
            Effect::Execute(countersigned, waited) => self.execute(*countersigned, waited),
            Effect::Cancel(id) => self.cancel(id),
            Effect::Type(id, typed) => self.type_into(id, typed),
            Effect::Record(entries) => self.record(&entries),
            Effect::StartStep(step, request) => self.start_step(step, request),
            Effect::StopStep => self.stop_step(),
            Effect::Recall(id) => self.recall(id),
            Effect::Setup(step) => self.set_up(step),
            Effect::SwitchModel(number, wanted) => self.switch_model(number, wanted),
            Effect::ListModels(list) => self.list_models(list),
            Effect::ChooseConnection(number, name) => self.choose_connection(number, &name),
            Effect::Adopt(number) => self.adopt(number),
            Effect::Look(id, look) => self.look(id, look),
            Effect::Leaf(id, at) => self.leaf(id, at),
            Effect::Count(id, text) => self.count(id, text),
            Effect::KeepTyped(text) => self.keep_typed(text),
            Effect::KeepUnsent(text) => self.keep_unsent(text),
            Effect::ListFiles { own } => self.list_files(own),
            Effect::Save(path, content) => self.save(path, content),
            Effect::Collect(content) => self.collect(content),
            Effect::ReadHistory => self.read_history(),
            Effect::Remember(draft) => self.remember(draft),
            Effect::Forget(rule) => self.forget(rule),
            Effect::KnowFolder => self.know_folder(),
            Effect::KeepTheme(name) => self.keep_theme(name),
            Effect::Servers(again) => self.servers(again),
            front @ (Effect::OpenEditor { .. }
            | Effect::Page(_)
            | Effect::Copy(_)
            | Effect::Theme(_)
            | Effect::Notify(_)
            | Effect::Redraw
            | Effect::ListSessions(_)
            | Effect::Switch(_)
            | Effect::Quit) => {
                return Some(front);
            }
        }
        None
    }
}
