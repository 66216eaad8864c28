//! Keys in the dialog. A key counts once the dialog was drawn and its first moment is over; Enter and pasted
//! text never approve; a High takes its number as a second key.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::event::Effect;
use super::key::Key;
use super::keymap::{Command, Context};
use super::modal::{Asking, Modal, Reach};
use super::queue::Item;
use super::rhythm::letter;
use super::sight::page;
use super::{QUIET, State};
use crate::domain::{Foresight, OperationId, RiskLevel, RuleEffect};

/// What is said of a key that was pressed among others.
pub(super) const AMONG: &str = "Among other keys it doesn't count:";

impl State {
    pub(super) fn dialog_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        let now = self.now;
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        // What is typed there decides nothing, or denies: no letter of it is lost.
        let types = matches!(dialog.asking, Asking::Reason(_) | Asking::Pick { .. });
        // A key that is held down says nothing new.
        if key.kind == KeyEventKind::Repeat && !types {
            return;
        }
        let making = matches!(dialog.asking, Asking::Remember(_));
        let command = self.keymap.command(if making { Context::Remember } else { Context::Dialog }, key);
        if !types && (self.after_held(key, effects) || self.gives_way(effects)) {
            return;
        }
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        let leaving = matches!(command, Some(Command::Back | Command::Interrupt | Command::Quit | Command::StopAll));
        if !dialog.live(now) && !leaving && !types {
            // Whoever typed into the first moment was typing a message: no letter is lost, none decides, and the
            // dialog gives way until they are done.
            let typing = matches!(key.code, KeyCode::Char(_) | KeyCode::Backspace) && !held(key);
            if dialog.by_itself && dialog.fresh(now) && typing {
                let id = dialog.id;
                self.modal = None;
                self.pane_key(key, effects);
                self.typed_over(id);
            } else if command.is_some() || dialog.confirms() && matches!(key.code, KeyCode::Char('0'..='9')) {
                dialog.hint = Some(format!("Too soon to count: press {} again.", Key::from(key)));
            }
            return;
        }
        // From its first key that counts the person is in the dialog, not typing a message.
        dialog.by_itself = false;
        dialog.hint = None;
        if command == Some(Command::Help) && !matches!(key.code, KeyCode::Char(_)) {
            self.open_help();
            return;
        }
        if matches!(dialog.asking, Asking::Reason(_)) {
            self.reason_key(key, effects);
            return;
        }
        if matches!(dialog.asking, Asking::Pick { .. }) && self.pick_key(key)
            || making && self.remember_key(key, command, effects)
        {
            return;
        }
        if let (KeyCode::Char(digit @ '0'..='9'), false) = (key.code, held(key)) {
            self.dialog_digit(digit, effects);
            return;
        }
        match command {
            Some(command) if !looks(command) && !self.rhythm.alone() => self.among_keys(key),
            Some(command) if letter(key) && self.waits_for_more(command) => self.hold(key, command),
            Some(command) => self.dialog_command(command, effects),
            None => self.elsewhere(key),
        }
    }

    /// A key that goes to a pane goes nowhere from a dialog: says how one gets there.
    fn elsewhere(&mut self, key: KeyEvent) {
        let goes = matches!(
            self.keymap.command(Context::Everywhere, key),
            Some(
                Command::FocusQueue
                    | Command::FocusOutput
                    | Command::FocusChat
                    | Command::Palette
                    | Command::Unasked
                    | Command::Zoom
            )
        );
        if let Some(back) = self.keymap.key(Context::Dialog, Command::Back).filter(|_| goes) {
            self.dialog_hint(format!("{back} first: it keeps waiting, then {}.", Key::from(key)));
        }
    }

    fn reason_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        match (key.code, key.modifiers) {
            (KeyCode::Esc, _) => dialog.ask(Asking::Choice),
            (KeyCode::Char('c' | 'q'), KeyModifiers::CONTROL) => self.interrupt(effects),
            (KeyCode::Enter, _) => {
                let Asking::Reason(area) = &dialog.asking else { return };
                let why = area.lines().join(" ").trim().to_owned();
                let id = dialog.id;
                self.modal = None;
                self.deny_one(id, (!why.is_empty()).then_some(why), effects);
                self.open_next(id);
            }
            _ => dialog.reason_key(key),
        }
    }

    fn dialog_digit(&mut self, digit: char, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        match dialog.asking {
            Asking::Confirm { .. } => {
                let says_yes = |key| self.keymap.command(Context::Dialog, key) == Some(Command::Approve);
                let counts = self.rhythm.digit(says_yes);
                match dialog.digit(digit, counts) {
                    Some(true) => self.approve_shown(effects),
                    Some(false) => {}
                    None => self.rhythm.no_number(),
                }
            }
            Asking::Choice if !self.rhythm.digit(|_| false) => {
                dialog.hint = Some(format!("{AMONG} type the number by itself."));
            }
            Asking::Choice => {
                let waiting: Vec<OperationId> = self.queue.waiting().map(|item| item.id).collect();
                match pick(&waiting, &mut self.picked, self.now.0, digit) {
                    Some(id) if Some(id) == self.shown_in_dialog() => self.yes_first(id),
                    Some(id) => {
                        self.open(id);
                    }
                    None => self.dialog_hint(format!("No operation with a {digit} waits.")),
                }
            }
            Asking::All { .. } | Asking::Reason(_) | Asking::Pick { .. } | Asking::Remember(_) => {}
        }
    }

    /// The number of the High that is shown counts only after the yes.
    fn yes_first(&mut self, id: OperationId) {
        let high = self.queue.gate.judgement(id).is_some_and(|judgement| judgement.risk == RiskLevel::High);
        if let Some(yes) = self.keymap.key(Context::Dialog, Command::Approve).filter(|_| high) {
            self.dialog_hint(format!("{yes} first, then {}.", id.0));
        }
    }

    pub(super) fn dialog_command(&mut self, command: Command, effects: &mut Vec<Effect>) {
        match command {
            Command::Approve => self.dialog_approve(effects),
            Command::Deny => self.dialog_deny(effects),
            Command::DenyWithReason => {
                self.rhythm.begin();
                self.ask(Asking::Reason(Box::default()));
            }
            Command::ApproveAll => self.ask_all(),
            Command::DenyAll => {
                self.modal = None;
                self.deny_all(effects);
            }
            Command::Derivation => {
                if let Some(Modal::Confirm(dialog)) = &mut self.modal {
                    dialog.derivation ^= matches!(dialog.asking, Asking::Choice);
                }
            }
            Command::Pick => self.ask_numbers(),
            Command::Gentle => self.ask_gentle(),
            Command::Remember => self.ask_remember(RuleEffect::Allow, effects),
            Command::Never => self.ask_remember(RuleEffect::Deny, effects),
            Command::Skip => self.skip(),
            Command::ShowSecrets => self.show_secrets(),
            Command::Edit => self.edit_chosen(effects),
            Command::InTerminal => self.in_terminal(effects),
            Command::Try => self.try_shown(effects),
            Command::Back => self.dialog_back(),
            Command::Interrupt => self.interrupt(effects),
            Command::Quit => self.leave(effects),
            Command::StopAll => self.stop_everything(effects),
            Command::LineUp => self.scroll_dialog(-1),
            Command::LineDown => self.scroll_dialog(1),
            Command::PageUp => self.scroll_dialog(-page(self.sight.rows.dialog)),
            Command::PageDown => self.scroll_dialog(page(self.sight.rows.dialog)),
            Command::HalfUp => self.scroll_dialog(-(page(self.sight.rows.dialog) / 2).max(1)),
            Command::HalfDown => self.scroll_dialog((page(self.sight.rows.dialog) / 2).max(1)),
            Command::Help => self.open_help(),
            Command::ToStart => self.scroll_dialog(isize::MIN),
            Command::ToEnd => self.scroll_dialog(isize::MAX),
            Command::NextPane
            | Command::PreviousPane
            | Command::FocusComposer
            | Command::FocusQueue
            | Command::FocusOutput
            | Command::FocusChat
            | Command::Zoom
            | Command::Redraw
            | Command::Palette
            | Command::Choose
            | Command::History
            | Command::Unfold
            | Command::Find
            | Command::FindNext
            | Command::FindPrevious
            | Command::Follow
            | Command::Wrap
            | Command::Save
            | Command::Pager
            | Command::SortRows
            | Command::Wider
            | Command::Narrower
            | Command::Separators
            | Command::Chart
            | Command::Totals
            | Command::NextTurn
            | Command::PreviousTurn
            | Command::NextEntry
            | Command::PreviousEntry
            | Command::Fold
            | Command::CopyCode
            | Command::ColumnLeft
            | Command::ColumnRight
            | Command::Send
            | Command::Newline
            | Command::HistoryBack
            | Command::HistoryForward
            | Command::AnswerYes
            | Command::AnswerNo
            | Command::Copy
            | Command::Open
            | Command::ShowOutput
            | Command::PreviousOutput
            | Command::NextOutput
            | Command::CancelRun
            | Command::TypeInto
            | Command::LeaveTerminal
            | Command::Undo
            | Command::UndoTurn
            | Command::UseEdit
            | Command::External
            | Command::Unasked
            | Command::Details
            | Command::Mark
            | Command::Filter
            | Command::Sort
            | Command::Narrow
            | Command::Widen
            | Command::SaveRule
            | Command::RunAgain => {}
        }
    }

    /// Shows what is masked, or masks it again. Closing the dialog masks it, too.
    fn show_secrets(&mut self) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        let own = self.queue.gate.prepared(dialog.id).is_some_and(|prepared| !prepared.assessment.secrets.is_empty());
        let foresight = self.queue.foresights.get(&dialog.id).map(|(_, foresight)| foresight);
        let previewed = match foresight {
            Some(Foresight::Measured(preview)) => preview.secrets.iter().any(|spans| !spans.is_empty()),
            Some(Foresight::Measuring | Foresight::Nothing | Foresight::Unmeasurable(_)) | None => false,
        };
        if own || previewed {
            dialog.revealed ^= true;
        } else {
            dialog.hint = Some("Nothing in it is masked.".to_owned());
        }
    }

    fn dialog_approve(&mut self, effects: &mut Vec<Effect>) {
        let key = |command| self.keymap.key(Context::Dialog, command).unwrap_or_default();
        let unseen = format!("{} shows it, then {}.", key(Command::ToEnd), key(Command::Approve));
        let pages = [(Command::PageDown, "on"), (Command::PageUp, "back")].map(|(page, way)| (key(page), way));
        let yes = key(Command::Approve);
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        if let Some((id, above)) = dialog.unseen(&self.sight) {
            let (page, way) = &pages[usize::from(above)];
            dialog.hint = Some(format!("{id} is high: look at its end first. {page} goes {way} to it, then {yes}."));
            return;
        }
        match &dialog.asking {
            Asking::All { listed, reach, .. } => {
                let (listed, reach) = (listed.clone(), *reach);
                self.modal = None;
                self.approve_listed(&listed, reach, effects);
                self.open_next(OperationId(0));
            }
            Asking::Choice if self.queue.get(dialog.id).is_some_and(Item::is_open_form) => self.edit_chosen(effects),
            Asking::Choice if dialog.risk == RiskLevel::High => {
                if dialog.end_seen {
                    dialog.ask(Asking::Confirm { typed: String::new() });
                } else {
                    dialog.hint = Some(format!("It is high: look at its end first. {unseen}"));
                }
            }
            Asking::Choice => self.approve_shown(effects),
            Asking::Confirm { .. } => {
                let number = dialog.id.0;
                dialog.hint = Some(format!("Type its number, {number}, to approve."));
            }
            Asking::Reason(_) | Asking::Pick { .. } | Asking::Remember(_) => {}
        }
    }

    pub(super) fn approve_shown(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = self.modal.take() else { return };
        if !self.approve(dialog.id, dialog.seal, effects) {
            self.hint = Some(format!("{} changed since it was shown: look again.", dialog.id));
        }
        self.open_next(dialog.id);
    }

    fn dialog_deny(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        match &dialog.asking {
            Asking::Choice => {
                let id = dialog.id;
                self.modal = None;
                self.deny_one(id, None, effects);
                self.open_next(id);
            }
            Asking::All { listed, reach: Reach::Listed, .. } => {
                let listed: Vec<OperationId> = listed.iter().map(|(id, _)| *id).collect();
                self.modal = None;
                self.deny_several(listed, effects);
                self.open_next(OperationId(0));
            }
            Asking::All { .. }
            | Asking::Confirm { .. }
            | Asking::Reason(_)
            | Asking::Pick { .. }
            | Asking::Remember(_) => {
                if dialog.for_list {
                    self.modal = None;
                } else {
                    dialog.ask(Asking::Choice);
                }
            }
        }
    }

    /// Esc: a step back, or close: it keeps waiting and isn't opened by itself again.
    fn dialog_back(&mut self) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        if !matches!(dialog.asking, Asking::Choice) {
            if dialog.for_list {
                self.modal = None;
            } else {
                dialog.ask(Asking::Choice);
            }
            return;
        }
        // From why it asks, back to what it is.
        if std::mem::take(&mut dialog.derivation) {
            return;
        }
        self.modal = None;
        let key = |place, command| self.keymap.key(place, command).unwrap_or_default();
        let (list, open) = (key(Context::Everywhere, Command::FocusQueue), key(Context::Queue, Command::Open));
        self.hint = Some(format!("It keeps waiting: {list} goes to the list, {open} there opens it."));
        let waiting: Vec<OperationId> = self.queue.waiting().map(|item| item.id).collect();
        for id in waiting {
            if let Some(item) = self.queue.item_mut(id) {
                item.put_off = true;
            }
        }
    }

    pub(super) fn ask(&mut self, asking: Asking) {
        if let Some(Modal::Confirm(dialog)) = &mut self.modal {
            dialog.ask(asking);
        }
    }

    /// Lists everything that waits. One alone is approved as itself, with its whole text on the screen.
    pub(super) fn ask_all(&mut self) {
        let listed: Vec<_> = self
            .queue
            .waiting()
            .filter(|item| !item.is_open_form())
            .filter_map(|item| Some((item.id, self.queue.gate.seal(item.id)?)))
            .collect();
        if listed.len() < 2 {
            self.dialog_hint("It is the only one that waits.".to_owned());
            return;
        }
        self.ask_listed(listed, Reach::Turn);
    }

    pub(super) fn shown_in_dialog(&self) -> Option<OperationId> {
        match &self.modal {
            Some(Modal::Confirm(dialog)) => Some(dialog.id),
            Some(Modal::Edit(_) | Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => None,
        }
    }

    /// A key that decides was pressed among others.
    pub(super) fn among_keys(&mut self, key: KeyEvent) {
        self.dialog_hint(format!("{AMONG} press {} by itself.", Key::from(key)));
    }

    pub(super) fn dialog_hint(&mut self, hint: String) {
        if let Some(Modal::Confirm(dialog)) = &mut self.modal {
            dialog.hint = Some(hint);
        }
    }

    /// After a decision the next one that waits is shown; its keys are dead until it was drawn. Those before it that
    /// were skipped come last.
    pub(super) fn open_next(&mut self, after: OperationId) {
        let next = self.queue.waiting().find(|item| !item.put_off && item.id > after).map(|item| item.id);
        if let (None, Some(id)) = (&self.modal, next.or_else(|| self.next_unseen())) {
            self.open(id);
        }
    }

    /// A dialog opens by itself only when the composer is empty and nobody typed for a second, or right
    /// after a message was sent.
    pub(super) fn open_by_itself(&mut self) {
        // What is shown may have changed or left meanwhile: a dialog never shows an old seal.
        if let Some(Modal::Confirm(dialog)) = &self.modal {
            let current = self.queue.gate.seal(dialog.id);
            if current != Some(dialog.seal) {
                let id = dialog.id;
                self.modal = None;
                if current.is_some() {
                    self.open(id);
                }
            }
        }
        let quiet = self.handed_over || self.last_typed.is_none_or(|typed| self.now.since(typed) >= QUIET);
        let busy = self.modal.is_some() || self.typing_into().is_some();
        let may_open = !busy && self.composer.is_empty() && self.queue.plan.typing().is_none() && quiet;
        if let Some(id) = self.next_unseen().filter(|_| may_open) {
            self.open(id);
            if let Some(Modal::Confirm(dialog)) = &mut self.modal {
                dialog.by_itself = true;
            }
            self.dirty = true;
        }
    }
}

/// Whether it only looks around or leaves: it may follow any letter.
pub(super) fn looks(command: Command) -> bool {
    matches!(
        command,
        Command::LineUp
            | Command::LineDown
            | Command::PageUp
            | Command::PageDown
            | Command::HalfUp
            | Command::HalfDown
            | Command::ToStart
            | Command::ToEnd
            | Command::Narrow
            | Command::Widen
            | Command::Back
            | Command::Interrupt
            | Command::Quit
            | Command::StopAll
    )
}

/// Whether a modifier other than shift is held.
fn held(key: KeyEvent) -> bool {
    key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
}

/// Digits typed within a second make one number: `1` then `2` picks #1, then #12.
fn pick(waiting: &[OperationId], picked: &mut (u64, u64), now: u64, digit: char) -> Option<OperationId> {
    let digit = u64::from(digit.to_digit(10)?);
    let number = if now.saturating_sub(picked.0) <= 1_000 { picked.1.saturating_mul(10) + digit } else { digit };
    *picked = (now, number);
    let starts = |id: &&OperationId| id.0.to_string().starts_with(&number.to_string());
    waiting.iter().find(|id| id.0 == number).or_else(|| waiting.iter().find(starts)).copied()
}
