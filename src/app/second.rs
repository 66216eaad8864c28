//! The second line that a session by lines takes for what is high, and for all that waits: the line before it names
//! what it approves, and nothing but the very next line does.

use super::State;
use super::event::{Effect, Millis};
use super::linear::Said;
use super::modal::{GUARD, Reach};
use super::numbers::Numbers;
use crate::domain::{OperationId, RiskLevel, Seal};

/// What the next line approves if it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Second {
    listed: Vec<(OperationId, Seal)>,
    /// What that line must say.
    word: String,
    /// When it was asked for.
    at: Millis,
    reach: Reach,
}

impl State {
    /// Asks for the second line about some that were told.
    pub(super) fn ask_second(&mut self, listed: Vec<(OperationId, Seal)>, reach: Reach) -> String {
        let high = listed.iter().filter(|(id, _)| self.is_high(*id)).count();
        let at = self.now;
        let (said, word) = match listed.as_slice() {
            [(id, _)] => (format!("{id} is high: type {} to approve it", id.0), id.0.to_string()),
            several => (format!("That is {}, {high} HIGH: type yes to approve them", several.len()), "yes".to_owned()),
        };
        self.second = Some(Second { listed, word, at, reach });
        said
    }

    /// Takes a line as the second one. False if none was asked for, or it says something else, which takes it back.
    pub(super) fn second_line(&mut self, said: &Said, typed: Millis, effects: &mut Vec<Effect>) -> bool {
        let Some(second) = self.second.take() else { return false };
        let Said::Line(line) = said else { return false };
        if !line.eq_ignore_ascii_case(&second.word) {
            return false;
        }
        if typed < second.at.plus(GUARD) {
            self.hint = Some(format!("Not approved: {EARLY}. Type {} again, by itself.", second.word));
            self.second = Some(Second { at: self.now, ..second });
        } else if second.listed.iter().all(|(id, seal)| self.queue.gate.seal(*id) == Some(*seal)) {
            self.approve_listed(&second.listed, second.reach, effects);
        } else {
            self.hint = Some("Not approved: what waits changed meanwhile. Look first.".to_owned());
        }
        true
    }

    /// `approve all`: all that waits and was told, by a second line.
    pub(super) fn approve_all_told(&mut self, typed: Millis) {
        let waiting: Vec<OperationId> = self.queue.waiting().map(|item| item.id).collect();
        let (mut listed, mut kept) = (Vec::new(), Vec::new());
        for id in waiting {
            match (self.objection_to(id, &Numbers::one(id), typed), self.queue.gate.seal(id)) {
                (None, Some(seal)) => listed.push((id, seal)),
                (why, _) => kept.extend(why),
            }
        }
        let refused = (!kept.is_empty()).then(|| format!("Not among them: {}", kept.join("; ")));
        let asked = if listed.is_empty() { None } else { Some(self.ask_second_of_all(listed)) };
        let nothing = "Nothing waits".to_owned();
        let said = asked.into_iter().chain(refused).collect::<Vec<_>>().join(". ");
        self.hint = Some(format!("{}.", if said.is_empty() { nothing } else { said }));
    }

    fn ask_second_of_all(&mut self, listed: Vec<(OperationId, Seal)>) -> String {
        if let [(id, _)] = listed.as_slice()
            && !self.is_high(*id)
        {
            return format!("{id} is the only one: type approve {}", id.0);
        }
        self.ask_second(listed, Reach::Listed)
    }

    /// Whether it is high, as far as is known.
    pub(super) fn is_high(&self, id: OperationId) -> bool {
        self.queue.gate.judgement(id).is_none_or(|judgement| judgement.risk == RiskLevel::High)
    }
}

/// Why a line decides nothing that came too soon, or among others.
pub(super) const EARLY: &str = "that line came too soon, or with others, as what is pasted does";
