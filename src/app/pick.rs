//! Deciding several together: marking, picking by number, and the list that asks about them. Nothing here approves;
//! it only fills the list whose second key does.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::State;
use super::event::Effect;
use super::keymap::{Command, Context};
use super::modal::{Asking, Modal, Page, Reach};
use super::numbers::Numbers;
use super::plan::Typing;
use super::queue::{Item, Queue, Status};
use crate::domain::{OperationId, Origin, RiskLevel, Seal};

impl Queue {
    /// Whether a key that speaks of all in the list finds one that waits: among those marked, or that a filter shows.
    #[must_use]
    pub(super) fn any_to_decide(&self) -> bool {
        self.marked().next().is_some() || self.waiting().any(|item| self.plan.shows(item))
    }
}

impl State {
    /// A key while a filter or numbers are typed in the list. False if it is none of the typing's.
    pub(super) fn list_typing(&mut self, key: KeyEvent) -> bool {
        let held = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match (self.queue.plan.typing(), key.code) {
            // A number begins a choice by numbers.
            (None, KeyCode::Char(digit @ '0'..='9')) if !held => {
                self.queue.plan.start(Typing::Pick(digit.to_string()));
            }
            (Some(_), KeyCode::Char(letter)) if !held => self.queue.plan.letter(letter),
            (Some(_), KeyCode::Backspace) => self.queue.plan.backspace(),
            (Some(Typing::Pick(typed)), KeyCode::Enter) => {
                let typed = typed.clone();
                self.mark_numbers(&typed);
            }
            (Some(Typing::Filter), KeyCode::Enter) => drop(self.queue.plan.stop()),
            (None | Some(_), _) => return false,
        }
        self.last_typed = Some(self.now);
        true
    }

    /// Marks what was typed. What can't be read or meant stays in its field, to be mended.
    fn mark_numbers(&mut self, typed: &str) {
        match self.picked_of(typed) {
            Ok(ids) => {
                self.queue.plan.stop();
                if let Some(first) = ids.first() {
                    self.queue.select(*first);
                }
                self.queue.plan.mark(ids);
            }
            Err(why) => self.hint = Some(why),
        }
    }

    /// Those that wait of the numbers that were typed.
    fn picked_of(&self, typed: &str) -> Result<Vec<OperationId>, String> {
        let numbers = Numbers::parse(typed).ok_or("Type numbers and ranges, such as 1,3-5.")?;
        let ids: Vec<OperationId> =
            self.queue.waiting().map(|item| item.id).filter(|id| numbers.contains(*id)).collect();
        // A number that was meant and isn't there says that others were meant than are taken.
        let absent = numbers.ends().find(|end| !ids.contains(end));
        match absent {
            Some(absent) => Err(format!("{absent} doesn't wait.")),
            None if ids.is_empty() => Err("None of them waits.".to_owned()),
            None => Ok(ids),
        }
    }

    /// What the person runs again was judged: they look for it, so no filter hides it.
    pub(super) fn uncover(&mut self, id: OperationId) {
        let again = |item: &&Item| matches!(item.origin, Origin::Again { .. });
        let hidden = self.queue.get(id).filter(again).is_some_and(|item| !self.queue.plan.shows(item));
        if hidden {
            self.queue.plan.show_all();
            self.hint = Some(format!("The filter is gone: it hid {id}."));
        }
    }

    /// Marks the selected operation, or no longer, and goes on to the next.
    pub(super) fn mark_selected(&mut self) {
        let Some(id) = self.queue.selected() else { return };
        if self.queue.gate.seal(id).is_none() {
            self.hint = Some(format!("{id} doesn't wait for you: only what does can be marked."));
            return;
        }
        self.queue.plan.toggle(id);
        let listed = self.queue.listed();
        let next = listed.iter().map(|item| item.id).skip_while(|other| *other != id).nth(1);
        if let Some(next) = next.filter(|next| self.queue.gate.seal(*next).is_some()) {
            self.queue.select(next);
        }
    }

    /// Shows everything about the selected operation.
    pub(super) fn show_details(&mut self) {
        match self.queue.selected() {
            Some(id) => self.open_page(Page::Details(id)),
            None => self.hint = Some("There is no operation yet.".to_owned()),
        }
    }

    /// Which of those that wait are meant where the person speaks of all in the list: those that are marked, else those
    /// that the filter shows. None where neither says so, and all are.
    fn meant(&self) -> Option<Vec<OperationId>> {
        let marked: Vec<OperationId> = self.queue.marked().map(|item| item.id).collect();
        if !marked.is_empty() {
            return Some(marked);
        }
        let filtered = !self.queue.plan.filter().is_empty();
        let waiting = || self.queue.listed().into_iter().filter(|item| item.status == Status::Waiting);
        filtered.then(|| waiting().map(|item| item.id).collect())
    }

    /// Denies what is marked or shown by a filter, else everything that waits and the rest of the turn.
    pub(super) fn deny_marked_or_all(&mut self, effects: &mut Vec<Effect>) {
        let Some(meant) = self.meant() else { return self.deny_all(effects) };
        let all = self.queue.waiting().count();
        self.hint = Some(match meant.len() {
            0 => self.none_waits(),
            these if these == all => format!("Denied: {these}, all that waited."),
            these => format!("Denied: {these} of {all}. The others wait."),
        });
        self.deny_several(meant, effects);
    }

    /// Lists what is marked, else everything that waits.
    pub(super) fn approve_marked_or_all(&mut self) {
        let meant = self.meant();
        if let Some(meant) = meant {
            let Some(first) = meant.first() else {
                self.hint = Some(self.none_waits());
                return;
            };
            // The list goes on from where the cursor is.
            let at = self.queue.selected().filter(|selected| meant.contains(selected)).unwrap_or(*first);
            self.open(at);
            self.ask_picked(&meant);
        } else {
            // Wherever the cursor is, all means all that waits.
            let first = self.queue.waiting().next().map(|item| item.id);
            match self.selected_waiting().or(first) {
                Some(id) if self.open(id) => self.ask_all(),
                _ => self.hint = Some(self.none_waits()),
            }
        }
        if let Some(Modal::Confirm(dialog)) = &mut self.modal {
            dialog.for_list = matches!(dialog.asking, Asking::All { .. });
        }
    }

    /// Asks in the dialog which of those that wait are meant.
    pub(super) fn ask_numbers(&mut self) {
        if matches!(&self.modal, Some(Modal::Confirm(dialog)) if matches!(dialog.asking, Asking::Choice)) {
            self.ask(Asking::Pick { typed: String::new() });
        }
    }

    /// A key while the dialog asks for numbers. False if it is none of theirs.
    pub(super) fn pick_key(&mut self, key: KeyEvent) -> bool {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return false };
        let Asking::Pick { typed } = &mut dialog.asking else { return false };
        match key.code {
            KeyCode::Char(letter @ ('0'..='9' | ',' | '-' | ' ')) => typed.push(letter),
            KeyCode::Backspace => drop(typed.pop()),
            KeyCode::Enter => {
                let typed = typed.clone();
                match self.picked_of(&typed) {
                    Ok(ids) => self.ask_picked(&ids),
                    Err(why) => self.dialog_hint(why),
                }
            }
            // Letters decide nothing while numbers are typed.
            KeyCode::Char(_) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {}
            _ => return false,
        }
        true
    }

    /// Lists some that wait. One alone is shown as itself, with its whole text on the screen.
    fn ask_picked(&mut self, ids: &[OperationId]) {
        if let [one] = ids {
            self.open(*one);
            return;
        }
        let listed = ids.iter().filter_map(|id| Some((*id, self.queue.gate.seal(*id)?))).collect();
        self.ask_listed(listed, Reach::Listed);
    }

    /// Leaves the high ones out of the list of all.
    pub(super) fn ask_gentle(&mut self) {
        let Some(Modal::Confirm(dialog)) = &self.modal else { return };
        let Asking::All { listed, reach, .. } = &dialog.asking else {
            if let Some(all) = self.keymap.key(Context::Dialog, Command::ApproveAll) {
                self.dialog_hint(format!("{all} lists all that waits; this key leaves the high ones out there."));
            }
            return;
        };
        let reach = *reach;
        let gentle: Vec<_> = listed.iter().filter(|(id, _)| !self.high(*id)).copied().collect();
        match gentle.as_slice() {
            [] => self.dialog_hint("All of them are high.".to_owned()),
            [(one, _)] => {
                self.open(*one);
            }
            _ if gentle.len() == listed.len() => self.dialog_hint("None of them is high.".to_owned()),
            _ => self.ask_listed(gentle, reach),
        }
    }

    /// Asks about a list, which must be drawn before a key counts.
    pub(super) fn ask_listed(&mut self, listed: Vec<(OperationId, Seal)>, reach: Reach) {
        let high = listed.iter().map(|(id, _)| *id).filter(|id| self.high(*id)).collect();
        self.ask(Asking::All { listed, high, reach });
    }

    fn high(&self, id: OperationId) -> bool {
        self.queue.gate.judgement(id).is_none_or(|judgement| judgement.risk == RiskLevel::High)
    }

    /// The next one that waits is shown; this one stays undecided and comes again after the others.
    pub(super) fn skip(&mut self) {
        let Some(Modal::Confirm(dialog)) = &self.modal else { return };
        if !matches!(dialog.asking, Asking::Choice) {
            return;
        }
        let id = dialog.id;
        let next = self.queue.waiting().map(|item| item.id).find(|other| *other > id);
        let next = next.or_else(|| self.queue.waiting().map(|item| item.id).find(|other| *other != id));
        match next {
            Some(next) => {
                self.open(next);
            }
            None => self.dialog_hint("It is the only one that waits.".to_owned()),
        }
    }
}
