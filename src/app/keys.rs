//! What the person presses, pastes and clicks. Approval is born here, from a key on a drawn dialog, and
//! nowhere else.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::direct::{self, Line};
use super::event::{Effect, Pane, Sight};
use super::keymap::{Command, Context};
use super::modal::{Asking, Modal};
use super::queue::Status;
use super::scroll::Scroll;
use super::{Entry, QUIET, State};
use crate::domain::{ApprovalMode, OperationId, Origin, RiskLevel};

/// How long the second ctrl+c may take to leave, in milliseconds.
const TWICE: u64 = 1_500;
/// Rows that the mouse wheel moves.
const WHEEL: isize = 3;

impl State {
    pub(super) fn key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        self.hint = None;
        self.handed_over = false;
        match &self.modal {
            Some(Modal::Confirm(_)) => self.dialog_key(key, effects),
            Some(Modal::Help { .. }) => self.help_key(key, effects),
            None => self.pane_key(key, effects),
        }
    }

    /// Pasted text goes where text goes, and never decides anything.
    pub(super) fn paste(&mut self, text: &str) {
        self.last_typed = Some(self.now);
        match &mut self.modal {
            Some(Modal::Confirm(dialog)) => {
                if let Asking::Reason(area) = &mut dialog.asking {
                    area.insert_str(text.lines().collect::<Vec<_>>().join(" "));
                }
            }
            Some(Modal::Help { .. }) => {}
            None => {
                self.focus = Pane::Composer;
                self.composer.paste(text);
            }
        }
    }

    fn pane_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        let context = self.context();
        if let Some(command) = self.keymap.command(context, key) {
            self.pane_command(command, effects);
        } else if context == Context::Composer {
            self.type_key(key);
        }
    }

    fn type_key(&mut self, key: KeyEvent) {
        self.last_typed = Some(self.now);
        if matches!(key.code, KeyCode::Up | KeyCode::Down) && self.composer.area().lines().len() == 1 {
            self.composer.recall(key.code == KeyCode::Up);
        } else {
            self.composer.key(key);
        }
    }

    fn pane_command(&mut self, command: Command, effects: &mut Vec<Effect>) {
        match command {
            Command::NextPane => self.turn_to(true),
            Command::PreviousPane => self.turn_to(false),
            Command::FocusComposer => self.focus = Pane::Composer,
            Command::FocusQueue => self.go(Pane::Queue),
            Command::FocusOutput => self.go(Pane::Output),
            Command::FocusChat => self.go(Pane::Chat),
            Command::Back => self.back(effects),
            Command::Interrupt => self.interrupt(effects),
            Command::Quit => effects.push(Effect::Quit),
            Command::Redraw => effects.push(Effect::Redraw),
            Command::Help => self.modal = Some(Modal::Help { scroll: Scroll::START }),
            Command::PageUp => self.scroll_page(-1),
            Command::PageDown => self.scroll_page(1),
            Command::LineUp => self.scroll_line(-1),
            Command::LineDown => self.scroll_line(1),
            Command::ColumnLeft => self.scroll_columns(-8),
            Command::ColumnRight => self.scroll_columns(8),
            Command::ToStart => self.scroll_to(false),
            Command::ToEnd => self.scroll_to(true),
            Command::Send => self.enter(effects),
            Command::Newline => {
                self.last_typed = Some(self.now);
                self.composer.newline();
            }
            Command::HistoryBack => self.composer.recall(true),
            Command::HistoryForward => self.composer.recall(false),
            Command::AnswerYes => self.answer_question("Yes.", effects),
            Command::AnswerNo => self.answer_question("No.", effects),
            Command::Copy => self.copy(effects),
            Command::Open => self.open_selected(),
            Command::Deny => {
                if let Some(id) = self.selected_waiting() {
                    self.deny_one(id, None, effects);
                }
            }
            Command::DenyWithReason => {
                if self.open_or_hint() {
                    self.ask(Asking::Reason(Box::default()));
                }
            }
            Command::ApproveAll => {
                if self.open_or_hint() {
                    self.ask_all();
                }
            }
            Command::DenyAll => self.deny_all(effects),
            Command::ShowOutput => self.show_output(),
            Command::PreviousOutput => self.output.step(false),
            Command::NextOutput => self.output.step(true),
            Command::CancelRun => self.cancel_selected(effects),
            Command::Approve | Command::Derivation => {}
        }
    }

    fn turn_to(&mut self, forward: bool) {
        const ORDER: [Pane; 4] = [Pane::Composer, Pane::Queue, Pane::Output, Pane::Chat];
        let at = ORDER.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let next = if forward { at + 1 } else { at + ORDER.len() - 1 };
        self.go(ORDER[next % ORDER.len()]);
    }

    fn go(&mut self, pane: Pane) {
        self.focus = pane;
        if pane != Pane::Composer {
            self.tab = pane;
        }
    }

    /// Esc: leaves a pane for the composer, else stops what is under way.
    fn back(&mut self, effects: &mut Vec<Effect>) {
        if self.focus != Pane::Composer {
            self.focus = Pane::Composer;
        } else if !self.stop(effects) && self.queue.waiting().next().is_some() {
            self.hint = Some("Nothing runs. What waits keeps waiting.".to_owned());
        }
    }

    /// Ctrl+C: stops what is under way; twice in a row leaves.
    fn interrupt(&mut self, effects: &mut Vec<Effect>) {
        if self.interrupted_at.is_some_and(|at| self.now.since(at) <= TWICE) {
            effects.push(Effect::Quit);
            return;
        }
        self.interrupted_at = Some(self.now);
        self.modal = None;
        let stopped = self.stop(effects);
        let what = if stopped { "Stopped. " } else { "" };
        self.hint = Some(format!("{what}Press ctrl+c again to leave."));
    }

    fn enter(&mut self, effects: &mut Vec<Effect>) {
        if self.composer.is_empty() {
            return;
        }
        let text = self.composer.text();
        match direct::read(&text) {
            Line::Unclear(hint) => {
                self.hint = Some(hint);
                return;
            }
            Line::Message => {
                let text = self.composer.take();
                self.send(text, effects);
            }
            Line::Direct(call) => {
                self.composer.take();
                self.handed_over = true;
                self.chat.scroll = Scroll::END;
                self.propose(Origin::Person, call, effects);
            }
            Line::Mode(mode) => {
                self.composer.take();
                self.set_mode(mode);
            }
            Line::Help => {
                self.composer.take();
                self.modal = Some(Modal::Help { scroll: Scroll::START });
            }
            Line::Quit => effects.push(Effect::Quit),
        }
        self.last_typed = None;
    }

    fn set_mode(&mut self, mode: ApprovalMode) {
        self.queue.gate.set_mode(mode);
        self.queue.resync();
        let says = match mode {
            ApprovalMode::Strict => "everything asks",
            ApprovalMode::Guarded => "what clearly only reads runs, everything else asks",
            ApprovalMode::Smart => "the model's claim of low is followed",
            ApprovalMode::AllowAll => "everything runs",
        };
        self.chat.notice(format!("Mode {}: {says}.", mode.word()), false);
    }

    /// One key answers the model's question; it approves nothing.
    fn answer_question(&mut self, answer: &str, effects: &mut Vec<Effect>) {
        if self.chat.question().is_some() && self.composer.is_empty() {
            self.send(answer.to_owned(), effects);
        }
    }

    fn copy(&mut self, effects: &mut Vec<Effect>) {
        let text = match self.focus {
            Pane::Output => self
                .output
                .printout()
                .map(|printout| printout.tail.pieces.iter().map(|piece| piece.text.as_ref()).collect::<String>()),
            Pane::Chat | Pane::Queue | Pane::Composer => {
                self.chat.entries().iter().rev().find_map(|entry| match entry {
                    Entry::Model { text, .. } => Some(text.clone()),
                    Entry::Person(_) | Entry::Operation(_) | Entry::Notice { .. } => None,
                })
            }
        };
        self.hint = Some(match text.filter(|text| !text.is_empty()) {
            Some(text) => {
                let said = format!("Copied {} bytes.", text.len());
                effects.push(Effect::Copy(text));
                said
            }
            None => "Nothing to copy.".to_owned(),
        });
    }

    fn selected_waiting(&self) -> Option<OperationId> {
        self.queue.selected().filter(|id| self.queue.get(*id).is_some_and(|item| item.status == Status::Waiting))
    }

    fn open_selected(&mut self) {
        match self.queue.selected() {
            Some(id) if self.open(id) => {}
            Some(_) => self.show_output(),
            None => self.hint = Some("Nothing waits.".to_owned()),
        }
    }

    /// Opens the selected operation's dialog, or the first one's that waits.
    fn open_or_hint(&mut self) -> bool {
        let id = self.selected_waiting().or_else(|| self.queue.waiting().next().map(|item| item.id));
        let opened = id.is_some_and(|id| self.open(id));
        if !opened {
            self.hint = Some("Nothing waits.".to_owned());
        }
        opened
    }

    fn show_output(&mut self) {
        if let Some(id) = self.queue.selected() {
            if self.output.of(id).is_some() {
                self.output.show(id);
                self.go(Pane::Output);
            } else {
                self.hint = Some(format!("{id} has no output."));
            }
        }
    }

    fn cancel_selected(&mut self, effects: &mut Vec<Effect>) {
        let id = if self.focus == Pane::Output { self.output.shown() } else { self.queue.selected() };
        let running =
            |id: &OperationId| self.queue.get(*id).is_some_and(|item| matches!(item.status, Status::Running { .. }));
        match id.filter(running) {
            Some(id) => effects.push(Effect::Cancel(id)),
            None => self.hint = Some("It doesn't run.".to_owned()),
        }
    }

    // The dialog.

    fn dialog_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        let now = self.now;
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        let command = self.keymap.command(Context::Dialog, key);
        let leaving = matches!(command, Some(Command::Back | Command::Interrupt | Command::Quit));
        if !dialog.live(now) && !leaving {
            // Whoever typed into the first moment was typing a message: no letter is lost, none decides.
            if matches!(key.code, KeyCode::Char(_) | KeyCode::Backspace) && !held(key) {
                self.type_key(key);
            }
            return;
        }
        if matches!(dialog.asking, Asking::Reason(_)) {
            self.reason_key(key, effects);
            return;
        }
        if let (KeyCode::Char(digit @ '0'..='9'), false) = (key.code, held(key)) {
            self.dialog_digit(digit, effects);
            return;
        }
        if let Some(command) = command {
            self.dialog_command(command, effects);
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
                self.open_next();
            }
            _ => dialog.reason_key(key),
        }
    }

    fn dialog_digit(&mut self, digit: char, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        match dialog.asking {
            Asking::Confirm { .. } => {
                if dialog.digit(digit) {
                    self.approve_shown(effects);
                }
            }
            Asking::Choice => {
                let waiting: Vec<OperationId> = self.queue.waiting().map(|item| item.id).collect();
                match pick(&waiting, &mut self.picked, self.now.0, digit) {
                    Some(id) => {
                        self.open(id);
                    }
                    None => self.dialog_hint(format!("No operation with a {digit} waits.")),
                }
            }
            Asking::All { .. } | Asking::Reason(_) => {}
        }
    }

    fn dialog_command(&mut self, command: Command, effects: &mut Vec<Effect>) {
        match command {
            Command::Approve => self.dialog_approve(effects),
            Command::Deny => self.dialog_deny(effects),
            Command::DenyWithReason => self.ask(Asking::Reason(Box::default())),
            Command::ApproveAll => self.ask_all(),
            Command::DenyAll => {
                self.modal = None;
                self.deny_all(effects);
            }
            Command::Derivation => {
                if let Some(Modal::Confirm(dialog)) = &mut self.modal {
                    dialog.derivation = !dialog.derivation;
                }
            }
            Command::Back => self.dialog_back(),
            Command::Interrupt => self.interrupt(effects),
            Command::Quit => effects.push(Effect::Quit),
            Command::LineUp => self.scroll_dialog(-1),
            Command::LineDown => self.scroll_dialog(1),
            Command::PageUp => self.scroll_dialog(-self.page(self.sight.rows.dialog)),
            Command::PageDown => self.scroll_dialog(self.page(self.sight.rows.dialog)),
            Command::ToStart => self.scroll_dialog(isize::MIN),
            Command::ToEnd => self.scroll_dialog(isize::MAX),
            Command::NextPane
            | Command::PreviousPane
            | Command::FocusComposer
            | Command::FocusQueue
            | Command::FocusOutput
            | Command::FocusChat
            | Command::Redraw
            | Command::Help
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
            | Command::CancelRun => {}
        }
    }

    fn dialog_approve(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        match &dialog.asking {
            Asking::All { listed, .. } => {
                let listed = listed.clone();
                self.modal = None;
                self.approve_all(&listed, effects);
                self.open_next();
            }
            Asking::Choice if dialog.risk == RiskLevel::High => {
                if dialog.end_seen {
                    dialog.ask(Asking::Confirm { typed: String::new() });
                } else {
                    dialog.hint = Some("Scroll to its end first: it is high.".to_owned());
                }
            }
            Asking::Choice => self.approve_shown(effects),
            Asking::Confirm { .. } => {
                let number = dialog.id.0;
                dialog.hint = Some(format!("Type its number, {number}, to approve."));
            }
            Asking::Reason(_) => {}
        }
    }

    fn approve_shown(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = self.modal.take() else { return };
        if !self.approve(dialog.id, dialog.seal, effects) {
            self.hint = Some(format!("{} changed since it was shown: look again.", dialog.id));
        }
        self.open_next();
    }

    fn dialog_deny(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        if matches!(dialog.asking, Asking::Choice) {
            let id = dialog.id;
            self.modal = None;
            self.deny_one(id, None, effects);
            self.open_next();
        } else {
            dialog.ask(Asking::Choice);
        }
    }

    /// Esc: a step back, or close: it keeps waiting and isn't opened by itself again.
    fn dialog_back(&mut self) {
        let Some(Modal::Confirm(dialog)) = &mut self.modal else { return };
        if !matches!(dialog.asking, Asking::Choice) {
            dialog.ask(Asking::Choice);
            return;
        }
        self.modal = None;
        let waiting: Vec<OperationId> = self.queue.waiting().map(|item| item.id).collect();
        for id in waiting {
            if let Some(item) = self.queue.item_mut(id) {
                item.put_off = true;
            }
        }
    }

    fn ask(&mut self, asking: Asking) {
        if let Some(Modal::Confirm(dialog)) = &mut self.modal {
            dialog.ask(asking);
        }
    }

    fn ask_all(&mut self) {
        let listed: Vec<_> =
            self.queue.waiting().filter_map(|item| Some((item.id, self.queue.gate.seal(item.id)?))).collect();
        let high = self.queue.counts().1;
        self.ask(Asking::All { listed, high });
    }

    fn dialog_hint(&mut self, hint: String) {
        if let Some(Modal::Confirm(dialog)) = &mut self.modal {
            dialog.hint = Some(hint);
        }
    }

    /// After a decision the next one that waits is shown; its keys are dead until it was drawn.
    fn open_next(&mut self) {
        if self.modal.is_none() {
            if let Some(id) = self.next_unseen() {
                self.open(id);
            }
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
        if self.modal.is_none() && self.composer.is_empty() && quiet {
            if let Some(id) = self.next_unseen() {
                self.open(id);
                self.dirty = true;
            }
        }
    }

    fn help_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        let command = self.keymap.command(Context::Chat, key);
        let limit = self.sight.limits.dialog;
        let page = self.page(self.sight.rows.dialog);
        let Some(Modal::Help { scroll }) = &mut self.modal else { return };
        match (command, key.code) {
            (Some(Command::LineUp), _) => scroll.by(-1, limit, false),
            (Some(Command::LineDown), _) => scroll.by(1, limit, false),
            (Some(Command::PageUp), _) => scroll.by(-page, limit, false),
            (Some(Command::PageDown), _) => scroll.by(page, limit, false),
            (Some(Command::ToStart), _) => scroll.to_start(),
            (Some(Command::ToEnd), _) => scroll.to_end(limit, false),
            (Some(Command::Quit), _) => effects.push(Effect::Quit),
            _ => self.modal = None,
        }
    }

    // Scrolling.

    fn page(&self, rows: usize) -> isize {
        isize::try_from(rows.saturating_sub(1).max(1)).unwrap_or(1)
    }

    /// The pane that scrolling keys move: the one with the focus, the conversation from the composer.
    fn scroll_page(&mut self, direction: isize) {
        let rows = match self.focus {
            Pane::Composer | Pane::Chat => self.sight.rows.chat,
            Pane::Queue => self.sight.rows.queue,
            Pane::Output => self.sight.rows.output,
        };
        self.scroll_pane(self.focus, direction * self.page(rows));
    }

    fn scroll_line(&mut self, direction: isize) {
        self.scroll_pane(self.focus, direction);
    }

    fn scroll_pane(&mut self, pane: Pane, rows: isize) {
        match pane {
            Pane::Composer | Pane::Chat => self.chat.scroll.by(rows, self.sight.limits.chat, true),
            Pane::Queue => self.queue.move_selection(rows),
            Pane::Output => {
                let limit = self.sight.limits.output;
                if let Some(printout) = self.output.printout_mut() {
                    printout.scroll.by(rows, limit, printout.table.is_none());
                }
            }
        }
    }

    fn scroll_columns(&mut self, columns: isize) {
        if let Some(printout) = self.output.printout_mut() {
            printout.left = printout.left.saturating_add_signed(columns);
        }
    }

    fn scroll_to(&mut self, end: bool) {
        let limits = self.sight.limits;
        match self.focus {
            Pane::Composer | Pane::Chat if end => self.chat.scroll.to_end(limits.chat, true),
            Pane::Composer | Pane::Chat => self.chat.scroll.to_start(),
            Pane::Queue => self.queue.move_selection(if end { isize::MAX } else { isize::MIN }),
            Pane::Output => {
                if let Some(printout) = self.output.printout_mut() {
                    if end {
                        printout.scroll.to_end(limits.output, printout.table.is_none());
                    } else {
                        printout.scroll.to_start();
                    }
                }
            }
        }
    }

    fn scroll_dialog(&mut self, rows: isize) {
        let limit = self.sight.limits.dialog;
        if let Some(Modal::Confirm(dialog)) = &mut self.modal {
            dialog.scroll.by(rows, limit, false);
        }
    }

    // The screen and the mouse.

    pub(super) fn drawn(&mut self, sight: Sight) {
        if let (Some(Modal::Confirm(dialog)), Some((seal, end))) = (&mut self.modal, sight.dialog) {
            dialog.seen(seal, end, self.now);
        }
        self.sight = sight;
    }

    /// The wheel scrolls the pane under it, a click focuses it, a click on an operation opens it. The mouse
    /// never approves. True if the screen changes.
    pub(super) fn mouse(&mut self, mouse: MouseEvent, effects: &mut Vec<Effect>) -> bool {
        let rows = match mouse.kind {
            MouseEventKind::ScrollUp => -WHEEL,
            MouseEventKind::ScrollDown => WHEEL,
            MouseEventKind::Down(MouseButton::Left) => 0,
            _ => return false,
        };
        match &mut self.modal {
            Some(Modal::Confirm(_)) => self.scroll_dialog(rows),
            Some(Modal::Help { scroll }) => scroll.by(rows, self.sight.limits.dialog, false),
            None => {
                let under = self.sight.areas.iter().find(|(_, x, y, width, height)| {
                    (*x..x + width).contains(&mouse.column) && (*y..y + height).contains(&mouse.row)
                });
                let Some(pane) = under.map(|(pane, ..)| *pane) else { return false };
                if rows == 0 {
                    self.click(pane, mouse.row, effects);
                } else {
                    self.scroll_pane(pane, rows);
                }
            }
        }
        true
    }

    fn click(&mut self, pane: Pane, row: u16, effects: &mut Vec<Effect>) {
        self.go(pane);
        let hit = self.sight.queue_rows.iter().find(|(at, _)| *at == row).map(|(_, id)| *id);
        if let (Pane::Queue, Some(id)) = (pane, hit) {
            let again = self.queue.selected() == Some(id);
            self.queue.select(id);
            if again {
                self.pane_command(Command::Open, effects);
            }
        }
    }
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
