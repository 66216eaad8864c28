//! "Don't ask again" and "never again": the rule that would be saved is shown part by part, with what it would have
//! covered and what it doesn't, and is saved by a deliberate second key. That key decides the operation as well, for
//! which it needs all that approving needs.

use crossterm::event::{KeyCode, KeyEvent};

use super::State;
use super::event::{Effect, Millis};
use super::keymap::{Command, Context};
use super::linear::Ruling;
use super::modal::{Asking, GUARD, Modal};
use super::rhythm::letter;
use crate::domain::{
    Decider, Draft, OperationId, Prepared, Remembered, RiskLevel, RuleEffect, RuleId, Says, Scope, Seal, Verdict,
    number::count,
};

/// What the model reads of an operation that is never to run.
const NEVER: &str = "never again";

/// A rule that is being made in the dialog.
#[derive(Debug)]
pub struct Remembering {
    /// The rule as it stands.
    pub draft: Draft,
    /// The row that the keys change.
    pub row: usize,
    /// Digits of the number that confirms a high one, once it was asked for.
    pub typed: Option<String>,
    /// Operations of earlier sessions, once they were read.
    pub earlier: Option<Vec<Prepared>>,
}

/// The rule that a line told last.
#[derive(Debug)]
pub(super) struct RuleTold {
    id: OperationId,
    never: bool,
    seal: Seal,
    at: Millis,
    draft: Draft,
}

impl RuleTold {
    fn is(&self, id: OperationId, never: bool) -> bool {
        self.id == id && self.never == never
    }
}

impl Remembering {
    fn new(draft: Draft) -> Self {
        // The first row that can be changed.
        let row = draft.rows().iter().position(|row| row.can.0 || row.can.1).unwrap_or(0);
        Self { draft, row, typed: None, earlier: None }
    }
}

impl State {
    /// Shows the rule that would be saved of what the dialog is about.
    pub(super) fn ask_remember(&mut self, effect: RuleEffect, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        if !matches!(dialog.asking, Asking::Choice) {
            return;
        }
        let Some(prepared) = self.queue.gate.prepared(dialog.id) else { return };
        let draft = match effect {
            RuleEffect::Allow => Draft::allow(prepared).map(Draft::narrowest),
            RuleEffect::Deny | RuleEffect::Ask => Draft::deny(prepared),
        };
        match draft {
            Ok(draft) => {
                dialog.ask(Asking::Remember(Box::new(Remembering::new(draft))));
                effects.push(Effect::ReadHistory);
            }
            Err(why) => dialog.hint = Some(why),
        }
    }

    /// A key while a rule is made. False if it is none of its own.
    pub(super) fn remember_key(&mut self, key: KeyEvent, command: Option<Command>, effects: &mut Vec<Effect>) -> bool {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return false };
        let Asking::Remember(remembering) = &mut dialog.asking else { return false };
        if let (Some(_), KeyCode::Char(digit @ '0'..='9')) = (&remembering.typed, key.code) {
            let says_yes = |key| self.keymap.command(Context::Remember, key) == Some(Command::SaveRule);
            let counts = self.rhythm.digit(says_yes);
            match dialog.digit(digit, counts) {
                Some(true) => self.save_rule(effects),
                Some(false) => {}
                None => self.rhythm.no_number(),
            }
            return true;
        }
        let rows = remembering.draft.rows();
        match command {
            Some(Command::LineUp) => remembering.row = remembering.row.saturating_sub(1),
            Some(Command::LineDown) => remembering.row = (remembering.row + 1).min(rows.len().saturating_sub(1)),
            Some(Command::Narrow | Command::Widen) => {
                if let Some(row) = rows.get(remembering.row) {
                    remembering.draft.change(row.setting, command == Some(Command::Widen));
                    // What is confirmed is what is shown.
                    remembering.typed = None;
                }
            }
            Some(Command::SaveRule) if !self.rhythm.alone() => {
                self.among_keys(key);
            }
            Some(Command::SaveRule) if letter(key) && self.waits_for_more(Command::SaveRule) => {
                self.hold(key, Command::SaveRule);
            }
            Some(Command::SaveRule) => self.ask_save_rule(effects),
            Some(Command::Back | Command::Interrupt | Command::Quit | Command::StopAll) | None => return false,
            Some(_) => {}
        }
        true
    }

    /// The deliberate key: a high one takes its number as well, as approving it does.
    pub(super) fn ask_save_rule(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        let (high, end_seen, number) = (dialog.risk == RiskLevel::High, dialog.end_seen, dialog.id.0);
        let Asking::Remember(remembering) = &mut dialog.asking else { return };
        if remembering.draft.effect() != RuleEffect::Allow || !high {
            self.save_rule(effects);
        } else if !end_seen {
            dialog.hint = Some("Look at all of the operation first: it is high. Esc goes back to it.".to_owned());
        } else if remembering.typed.is_none() {
            remembering.typed = Some(String::new());
            dialog.prompted = false;
        } else {
            dialog.hint = Some(format!("Type its number, {number}, to save the rule and run it."));
        }
    }

    /// Saves the rule, and decides the operation by the same key.
    fn save_rule(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        let Asking::Remember(remembering) = &dialog.asking else { return };
        // What is shown may have changed or left meanwhile.
        if self.queue.gate.seal(dialog.id) != Some(dialog.seal) {
            return;
        }
        let (id, draft) = (dialog.id, remembering.draft.clone());
        let effect = draft.effect();
        if let Err(why) = self.keep_rule(draft, effects) {
            self.dialog_hint(why);
            return;
        }
        if effect == RuleEffect::Allow {
            self.approve_shown(effects);
        } else {
            self.modal = None;
            self.deny_one(id, Some(NEVER.to_owned()), effects);
            self.open_next(id);
        }
    }

    /// Keeps a rule: one that outlives the session once it is in its file.
    fn keep_rule(&mut self, draft: Draft, effects: &mut Vec<Effect>) -> Result<(), String> {
        if draft.scope().kept() {
            effects.push(Effect::Remember(Box::new(draft)));
            return Ok(());
        }
        self.made += 1;
        let rule = draft.rule(RuleId(format!("s{}", self.made)), self.queue.gate.policy().now)?;
        self.remembered(Ok(rule), effects);
        Ok(())
    }

    /// The rule that a line asks for, as it is told: the one that was told last, if it is about the same, with what the
    /// line changes of it.
    ///
    /// # Errors
    /// In one sentence, why there is none, or no such part.
    pub fn drafted(&self, id: OperationId, never: bool, ruling: Ruling) -> Result<Draft, String> {
        let seal = self.queue.gate.seal(id);
        let waits = seal.and_then(|_| self.queue.gate.prepared(id));
        let prepared = waits.ok_or_else(|| format!("{id} doesn't wait."))?;
        let told = self.rule_told.as_ref().filter(|told| told.is(id, never) && Some(told.seal) == seal);
        let mut draft = match (told, ruling) {
            (Some(told), Ruling::Part(..) | Ruling::Save(_)) => told.draft.clone(),
            (_, Ruling::Part(..) | Ruling::Save(_)) => {
                let word = if never { "never" } else { "remember" };
                return Err(format!("Type {word} {} first: it shows the rule.", id.0));
            }
            (_, Ruling::Tell) if never => Draft::deny(prepared)?,
            (_, Ruling::Tell) => Draft::allow(prepared)?.narrowest(),
        };
        if let Ruling::Part(number, wider) = ruling {
            let row = number.checked_sub(1).and_then(|at| draft.rows().into_iter().nth(at));
            let row = row.ok_or_else(|| format!("It has no part {number}."))?;
            let (narrower, more) = row.can;
            if !(if wider { more } else { narrower }) {
                let how = if wider { "wider" } else { "narrower" };
                return Err(format!("Part {number}, {}, gets no {how}.", row.name));
            }
            draft.change(row.setting, wider);
        }
        Ok(draft)
    }

    /// A line that asks for a rule, or changes a part of it, and is told it; or saves it and decides the operation, if
    /// exactly that rule was told before the line was typed.
    pub(super) fn remember_line(
        &mut self,
        (id, never): (OperationId, bool),
        ruling: Ruling,
        typed: Millis,
        effects: &mut Vec<Effect>,
    ) {
        let mut draft = match self.drafted(id, never, ruling) {
            Ok(draft) => draft,
            Err(why) => {
                self.hint = Some(why);
                return;
            }
        };
        let Some(seal) = self.queue.gate.seal(id) else { return };
        let Ruling::Save(scope) = ruling else {
            self.rule_told = Some(RuleTold { id, never, seal, at: self.now, draft });
            return;
        };
        if self.rule_told.as_ref().is_none_or(|told| typed < told.at.plus(GUARD)) {
            let word = if never { "never" } else { "remember" };
            self.hint = Some(format!("Type {word} {} first: it shows the rule.", id.0));
            return;
        }
        let refusal = if never { None } else { self.not_told(id, typed) };
        if let Some(why) = refusal {
            self.hint = Some(format!("Not saved: {why}."));
            return;
        }
        draft.set_scope(scope);
        if let Err(why) = self.keep_rule(draft, effects) {
            self.hint = Some(why);
        } else if never {
            self.deny_one(id, Some(NEVER.to_owned()), effects);
        } else {
            self.approve(id, seal, effects);
        }
    }

    /// A rule was saved, or couldn't be. What waits and is denied by it is denied; nothing starts by it.
    pub(super) fn remembered(&mut self, saved: Result<Remembered, String>, effects: &mut Vec<Effect>) {
        let rule = match saved {
            Ok(rule) => rule,
            Err(why) => {
                self.chat.notice(format!("The rule isn't remembered: {why}."), false);
                return;
            }
        };
        self.chat
            .notice(format!("Remembered as rule {}. /rules shows and revokes what is remembered.", rule.id()), false);
        self.queue.gate.remember(rule);
        self.queue.resync(self.now);
        self.deny_by_rules(effects);
    }

    /// The rules that outlive a session as they are kept now, and what is wrong with them, if anything is. Somebody may
    /// have changed them elsewhere. While something is, everything asks.
    pub(super) fn ruled(&mut self, kept: Vec<Remembered>, wrong: Option<&str>, effects: &mut Vec<Effect>) {
        let before = self.queue.gate.policy().rules_broken;
        let (gone, come) = self.queue.gate.follow(kept);
        self.queue.gate.set_rules_broken(wrong.is_some());
        match wrong {
            Some(why) if !before => self.chat.notice(
                format!(
                    "What is remembered can't be used, so everything asks, whatever the mode: {why}. No allow rule of it \
                     counts. Mend it, or move it away."
                ),
                true,
            ),
            Some(_) => {}
            None => {
                if before {
                    let mode = self.queue.gate.policy().mode.word();
                    self.chat.notice(format!("What is remembered can be read again: mode {mode} holds."), false);
                }
                if let Some(news) = elsewhere(&gone, &come) {
                    self.chat.notice(news, false);
                }
            }
        }
        self.queue.resync(self.now);
        self.deny_by_rules(effects);
        self.start_next(effects);
    }

    /// Takes a rule back.
    pub(super) fn revoke_rule(&mut self, id: &RuleId, effects: &mut Vec<Effect>) {
        let kept = self.queue.gate.policy().remembered.iter().any(|rule| rule.id() == id && rule.scope().kept());
        if self.queue.gate.forget(id) {
            self.queue.resync(self.now);
            if kept {
                effects.push(Effect::Forget(id.clone()));
            }
            self.hint = Some(format!("Rule {id} is revoked."));
        }
    }

    /// Operations of earlier sessions were read, for the rule that is being made.
    pub(super) fn history(&mut self, earlier: Vec<Prepared>) -> bool {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return false };
        let Asking::Remember(remembering) = &mut dialog.asking else { return false };
        remembering.earlier = Some(earlier);
        true
    }

    fn deny_by_rules(&mut self, effects: &mut Vec<Effect>) {
        let denied = |id: &OperationId| {
            self.queue.gate.judgement(*id).is_some_and(|judgement| judgement.verdict == Verdict::Deny)
        };
        let waiting: Vec<OperationId> = self.queue.waiting().map(|item| item.id).filter(denied).collect();
        for id in waiting {
            self.deny_as(id, Decider::Rule, None, effects);
        }
    }

    /// What a rule would have covered of this session and of earlier ones, in a sentence; not neutralised.
    #[must_use]
    pub fn would_have(&self, remembering: &Remembering) -> String {
        let draft = &remembering.draft;
        let of = draft.prepared().operation.id;
        let others: Vec<&Prepared> =
            self.queue.all().filter(|item| item.id != of).filter_map(|item| item.prepared.as_deref()).collect();
        let mut said = covered(draft, &others, "other operation", "of this session");
        if let Some(earlier) = remembering.earlier.as_ref().filter(|earlier| !earlier.is_empty()) {
            let earlier: Vec<&Prepared> = earlier.iter().collect();
            said.push_str(&format!("; {}", covered(draft, &earlier, "operation", "of earlier ones")));
        }
        said
    }
}

/// What changed of the rules without this session having changed it, if anything.
fn elsewhere(gone: &[Remembered], come: &[Remembered]) -> Option<String> {
    let place = |rule: &Remembered| match rule.scope() {
        Scope::Workspace(folder) => format!(" in {}", folder.display()),
        Scope::Turn | Scope::Session | Scope::Always => String::new(),
    };
    let gone = gone.iter().map(|rule| format!("{} holds no more", rule.id()));
    let come = come.iter().map(|rule| {
        let does = if matches!(rule.says(), Says::Deny(_)) { "denies" } else { "allows" };
        format!("{} {does} from now on{}", rule.id(), place(rule))
    });
    let changes: Vec<String> = gone.chain(come).collect();
    (!changes.is_empty()).then(|| format!("Rules were changed outside this session: {}.", changes.join(", ")))
}

/// `3 of 12 other operations of this session, such as mkdir a`
fn covered(draft: &Draft, among: &[&Prepared], what: &str, of: &str) -> String {
    let (covered, first) = draft.covered(among.iter().copied());
    let such = first.map_or_else(String::new, |prepared| format!(", such as {}", prepared.gist()));
    format!("{covered} of {} {of}{such}", count(among.len(), what))
}
