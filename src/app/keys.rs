//! What the person presses and pastes in the panes and the composer.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use serde_json::json;

use super::State;
use super::direct::{self, Line};
use super::event::{Content, Effect, Pane};
use super::keymap::{Command, Context};
use super::modal::{Asking, Modal, Page};
use super::plan::Typing;
use super::prompt::Ask;
use super::queue::Status;
use super::{slash, tables};
use crate::domain::{ANSWER, APPLY, ApprovalMode, JournalEvent, OperationId, Origin, UNDO, unclaimed};

impl State {
    pub(super) fn key(&mut self, key: KeyEvent, together: bool, effects: &mut Vec<Effect>) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        self.rhythm.hear(key, self.now, together);
        self.note_unsent();
        self.hint = None;
        self.pause_over();
        self.handed_over = false;
        self.enters = None;
        if let (Some(id), None) = (self.typing_into(), &self.modal) {
            self.terminal_key(id, key, effects);
            return;
        }
        let before = self.stops.pressed();
        self.key_of(key, effects);
        self.say_typed_over();
        self.stops.settle(before);
    }

    fn key_of(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        // It changes nothing: whatever floats, what the terminal spoilt is drawn anew.
        if self.modal.is_some() && self.keymap.command(Context::Everywhere, key) == Some(Command::Redraw) {
            effects.push(Effect::Redraw);
            return;
        }
        match &self.modal {
            Some(Modal::Confirm(_)) => self.dialog_key(key, effects),
            Some(Modal::Edit(_)) => self.editor_key(key, effects),
            Some(Modal::Pick(_)) => self.picker_key(key, effects),
            Some(Modal::Page { .. }) | None if self.prompt.is_some() => self.prompt_key(key, effects),
            Some(Modal::Page { .. }) => self.page_key(key, effects),
            Some(Modal::Setup(_)) => self.setup_key(key, effects),
            None => self.pane_key(key, effects),
        }
    }

    /// Pasted text goes where text goes, and never decides anything.
    pub(super) fn paste(&mut self, text: &str, effects: &mut Vec<Effect>) {
        self.note_unsent();
        self.last_typed = Some(self.now);
        self.enters = None;
        self.held = None;
        if self.typing_into().is_some() && self.modal.is_none() {
            self.refuse_paste();
            return;
        }
        match &mut self.modal {
            Some(Modal::Confirm(dialog)) => {
                if let Asking::Reason(area) = &mut dialog.asking {
                    area.insert_str(text.lines().collect::<Vec<_>>().join(" "));
                } else {
                    dialog.hint = Some("Pasted text decides nothing and goes nowhere here.".to_owned());
                }
            }
            Some(Modal::Edit(_)) => self.paste_edit(text, effects),
            Some(Modal::Pick(_)) => self.paste_picker(text),
            Some(Modal::Setup(_)) => self.paste_setup(text),
            Some(Modal::Page { .. }) | None if self.prompt.is_some() => self.paste_prompt(text),
            Some(Modal::Page { .. }) => {}
            None => {
                self.go(Pane::Composer);
                self.hint = self.composer.paste(text);
                self.complete(effects);
            }
        }
    }

    /// A key where nothing floats. Whoever presses one is busy: no dialog opens under their fingers.
    pub(super) fn pane_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        self.last_typed = Some(self.now);
        let context = self.context();
        if context == Context::Queue && self.list_typing(key) {
            return;
        }
        if context == Context::Composer && self.completion_key(key) {
            return;
        }
        if context == Context::Composer
            && self.keymap.command(context, key) == Some(Command::NextPane)
            && self.complete_path(effects)
        {
            return;
        }
        let before = self.before.take();
        if let Some(command) = before.and_then(|before| self.keymap.after(context, before, key)) {
            self.pane_command(command, effects);
            return;
        }
        if self.keymap.command(context, key).is_none() && self.keymap.begins(context, key) {
            self.before = Some(key);
            return;
        }
        if let Some(command) = self.keymap.command(context, key) {
            self.pane_command(command, effects);
        } else if context == Context::Composer && !self.choose(key, effects) {
            self.type_key(key);
        }
        self.complete(effects);
    }

    pub(super) fn type_key(&mut self, key: KeyEvent) {
        self.last_typed = Some(self.now);
        let older = key.code == KeyCode::Up;
        if older && self.composer.at_edge(true) {
            self.older();
        } else if key.code == KeyCode::Down && self.composer.at_edge(false) {
            self.composer.recall(false);
        } else {
            self.composer.key(key);
        }
    }

    pub(super) fn pane_command(&mut self, command: Command, effects: &mut Vec<Effect>) {
        self.chat.copied.take_if(|_| command != Command::CopyCode);
        match command {
            Command::NextPane => self.turn_to(true),
            Command::PreviousPane => self.turn_to(false),
            Command::FocusComposer => self.focus = Pane::Composer,
            Command::FocusQueue => self.go(Pane::Queue),
            Command::FocusOutput => self.go(Pane::Output),
            Command::FocusChat => self.go(Pane::Chat),
            Command::Zoom => self.zoom(),
            Command::Back => self.back(effects),
            Command::Interrupt => self.interrupt(effects),
            Command::Quit => self.leave(effects),
            Command::Redraw => effects.push(Effect::Redraw),
            Command::Help => self.open_help(),
            Command::Palette => self.open_palette(),
            Command::Unasked => self.open_page(Page::Unasked),
            Command::StopAll => self.stop_everything(effects),
            Command::RunAgain => {
                if let Some(id) = self.queue.selected() {
                    self.run_again(id, effects);
                }
            }
            Command::PageUp => self.scroll_page(-1, effects),
            Command::PageDown => self.scroll_page(1, effects),
            Command::HalfUp => self.scroll_half(-1, effects),
            Command::HalfDown => self.scroll_half(1, effects),
            Command::LineUp => self.scroll_line(-1, effects),
            Command::LineDown => self.scroll_line(1, effects),
            Command::ColumnLeft => self.scroll_columns(-8),
            Command::ColumnRight => self.scroll_columns(8),
            Command::ToStart => self.scroll_to(false, effects),
            Command::ToEnd => self.scroll_to(true, effects),
            Command::Find => self.ask_find(),
            Command::FindNext => self.find_next(true, effects),
            Command::FindPrevious => self.find_next(false, effects),
            Command::Follow => self.follow(effects),
            Command::Wrap => self.wrap(),
            Command::Save => self.ask_save(),
            Command::Pager => self.page_output(effects),
            Command::SortRows => self.sort(),
            Command::Wider => self.widen(4),
            Command::Narrower => self.widen(-4),
            Command::Separators => self.separate(),
            Command::Chart => self.next_shape(),
            Command::Totals => self.gather(),
            Command::NextTurn => self.step_turn(true),
            Command::PreviousTurn => self.step_turn(false),
            Command::NextEntry => self.step_entry(true),
            Command::PreviousEntry => self.step_entry(false),
            Command::Fold => self.fold(),
            Command::CopyCode => self.copy_code(effects),
            Command::Send => self.enter(effects),
            Command::Newline => {
                self.last_typed = Some(self.now);
                self.composer.newline();
            }
            Command::HistoryBack => self.older(),
            Command::HistoryForward => self.composer.recall(false),
            Command::History => self.open_history(),
            Command::Unfold => {
                if !self.composer.unfold() {
                    self.hint = Some("Nothing is folded.".to_owned());
                }
            }
            Command::AnswerYes => self.answer_question("Yes.".to_owned(), effects),
            Command::AnswerNo => self.answer_question("No.".to_owned(), effects),
            Command::Copy => self.copy(effects),
            Command::Open if self.focus == Pane::Chat => self.open_entry(),
            Command::Open => self.open_selected(),
            Command::Details => self.show_details(),
            Command::Mark => self.mark_selected(),
            Command::Pick => self.queue.plan.start(Typing::Pick(String::new())),
            Command::Filter => self.queue.plan.start(Typing::Filter),
            Command::Sort => self.queue.plan.next_order(),
            Command::Deny => {
                let marked: Vec<OperationId> = self.queue.marked().map(|item| item.id).collect();
                let several = if marked.is_empty() { self.selected_waiting().into_iter().collect() } else { marked };
                if several.is_empty() {
                    self.waits_not();
                }
                self.deny_several(several, effects);
            }
            Command::DenyWithReason => {
                if self.open_or_hint() {
                    self.ask(Asking::Reason(Box::default()));
                }
            }
            Command::ApproveAll => self.approve_marked_or_all(),
            Command::DenyAll => self.deny_marked_or_all(effects),
            Command::ShowOutput => self.show_output(),
            Command::PreviousOutput => self.output.step(false),
            Command::NextOutput => self.output.step(true),
            Command::CancelRun => self.cancel_selected(effects),
            Command::Undo => self.undo_selected(effects),
            Command::UndoTurn => self.undo_turn(effects),
            Command::Edit => self.edit_chosen(effects),
            Command::InTerminal => self.in_terminal(effects),
            Command::TypeInto => self.type_into(),
            Command::ShowSecrets => self.lift_masks(),
            Command::LeaveTerminal
            | Command::Approve
            | Command::Choose
            | Command::Derivation
            | Command::Skip
            | Command::Gentle
            | Command::Remember
            | Command::Never
            | Command::Narrow
            | Command::Widen
            | Command::SaveRule
            | Command::Try
            | Command::UseEdit
            | Command::External => {}
        }
    }

    fn turn_to(&mut self, forward: bool) {
        const ORDER: [Pane; 4] = [Pane::Composer, Pane::Queue, Pane::Output, Pane::Chat];
        let at = ORDER.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let next = if forward { at + 1 } else { at + ORDER.len() - 1 };
        self.go(ORDER[next % ORDER.len()]);
    }

    pub(super) fn go(&mut self, pane: Pane) {
        self.left_for(pane);
        self.focus = pane;
        self.queue.plan.stop();
        if pane != Pane::Composer {
            self.tab = pane;
        }
    }

    /// Gives the whole screen to the pane that one is in, or was in last, or shows all panes again.
    fn zoom(&mut self) {
        let shows = |pane| self.sight.areas.iter().any(|(shown, ..)| *shown == pane);
        let panes = [Pane::Chat, Pane::Queue, Pane::Output].into_iter().filter(|pane| shows(*pane)).count();
        if !self.zoomed && panes < 2 {
            self.hint = Some("There is room for one pane alone here.".to_owned());
            return;
        }
        self.zoomed = !self.zoomed;
        let key = self.keymap.key(Context::Everywhere, Command::Zoom).filter(|_| self.zoomed);
        self.hint = key.map(|key| format!("One pane alone; {key} shows all again."));
    }

    /// Esc: shows all of a pane again, then leaves it for the composer, else stops what is under way.
    fn back(&mut self, effects: &mut Vec<Effect>) {
        if self.focus == Pane::Queue && self.queue.plan.step_back() || self.look_at_all() {
            return;
        }
        if self.focus != Pane::Composer {
            self.output.unpin();
            self.focus = Pane::Composer;
        } else if !self.stop(effects) && self.queue.waiting().next().is_some() {
            self.hint = Some("Nothing runs. What waits keeps waiting.".to_owned());
        }
    }

    pub(super) fn enter(&mut self, effects: &mut Vec<Effect>) {
        if self.composer.is_empty() {
            if !self.send_upcoming_now(effects) {
                self.go_on(effects);
            }
            return;
        }
        let text = self.composer.text();
        let taken = match direct::read(&text) {
            Line::Unclear(hint) => Err(hint),
            Line::Message if tables::elsewhere(&text) => Err(tables::FOREIGN.to_owned()),
            Line::Message => {
                let text = self.composer.take();
                self.send_typed(text, effects);
                Ok(())
            }
            Line::Command(command) => {
                let alone = direct::holds_for_itself(command);
                self.composer.take();
                self.direct("execute_command", &json!({ "command": command }), effects);
                if let Some(word) = alone {
                    self.chat
                        .notice(format!("{word} holds for that line alone: each ! line is a shell of its own."), false);
                }
                Ok(())
            }
            Line::Slash(slash, argument) => self.slash(slash, argument, effects).map(|()| drop(self.composer.take())),
        };
        match taken {
            Ok(()) => {
                self.last_typed = None;
                // A bare `/help` is as soon typed as found.
                let bare = text.starts_with('/') && !text.trim().contains(char::is_whitespace);
                if !self.linear && !bare {
                    effects.push(Effect::KeepTyped(text));
                }
            }
            Err(hint) => self.hint = Some(hint),
        }
    }

    pub(super) fn set_mode(&mut self, mode: ApprovalMode) {
        self.queue.gate.set_mode(mode);
        self.queue.resync(self.now);
        self.keep(JournalEvent::Mode { mode });
        let policy = self.queue.gate.policy();
        let said = if policy.in_force() == mode {
            format!("Mode {}: {}.", mode.word(), slash::means(mode))
        } else {
            format!("Mode {} holds once what is remembered can be read. Until then everything asks.", mode.word())
        };
        self.chat.notice(said, false);
    }

    /// Alt and a digit answer the model's question with a choice of it. False if the key is none.
    fn choose(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) -> bool {
        let (KeyCode::Char(digit @ '1'..='9'), KeyModifiers::ALT) = (key.code, key.modifiers) else { return false };
        if let Some(choice) = self.chosen(&digit.to_string()) {
            self.answer_question(choice, effects);
        }
        true
    }

    /// The choice with a number, in the words of the model's question.
    pub(super) fn chosen(&self, number: &str) -> Option<String> {
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        let choice = self.chat.question()?.choices.get(at)?;
        Some(format!("{number}) {choice}"))
    }

    /// One key answers the model's question; it approves nothing.
    fn answer_question(&mut self, answer: String, effects: &mut Vec<Effect>) {
        let Some(question) = self.chat.question() else { return };
        if !self.composer.is_empty() {
            self.hint = Some("A message is being typed: enter sends it as your answer.".to_owned());
        } else if question.answerable(self.now) {
            self.send(answer, effects);
        } else {
            self.hint = Some("That came just now: read it, then press again.".to_owned());
        }
    }

    fn ask_save(&mut self) {
        match self.output.shown().zip(self.output.printout()) {
            Some((id, printout)) => {
                let ending = if printout.table.is_some() { "csv" } else { "txt" };
                let part = self.queue.get(id).and_then(|item| item.parts.first());
                // The number before the name says which part is meant; without it, it is the text.
                let name = part.map_or_else(
                    || format!("output-{}.{ending}", id.0),
                    |part| format!("{} part-{}-{}.{}", part.number, id.0, part.number, part.ending),
                );
                self.prompt_for(Ask::Save, name);
            }
            None => self.hint = Some("There is no output to save.".to_owned()),
        }
    }

    fn page_output(&mut self, effects: &mut Vec<Effect>) {
        let Some((id, printout)) = self.output.shown().zip(self.output.printout()) else {
            self.hint = Some("There is no output to show.".to_owned());
            return;
        };
        let content = match &printout.table {
            Some(table) => super::Export::Columns.content((id, printout), table),
            None => Ok(Content::Printed(id, printout.tail.clone())),
        };
        match content {
            Ok(content) => {
                self.hint = content.lacks().map(|(rows, why)| format!("The pager has {rows}{why}."));
                effects.push(Effect::Page(content));
            }
            Err(sentence) => self.hint = Some(sentence),
        }
    }

    pub(super) fn selected_waiting(&self) -> Option<OperationId> {
        self.queue.selected().filter(|id| self.queue.get(*id).is_some_and(|item| item.status == Status::Waiting))
    }

    fn open_selected(&mut self) {
        match self.queue.selected() {
            Some(id) if self.open(id) => {}
            Some(_) => self.show_details(),
            None => self.hint = Some(self.none_waits()),
        }
    }

    /// What is said where a key that decides finds nothing: what waits is perhaps only not shown.
    pub(super) fn none_waits(&self) -> String {
        let hidden = self.queue.waiting().count();
        if hidden == 0 || self.queue.plan().filter().is_empty() {
            return "Nothing waits.".to_owned();
        }
        let those = if hidden == 1 { "1 that it hides does".to_owned() } else { format!("{hidden} that it hides do") };
        format!("Nothing that the filter shows waits; {those}. esc takes the filter off.")
    }

    /// Says that the operation under the cursor doesn't wait.
    fn waits_not(&mut self) {
        let none = || self.none_waits();
        self.hint = Some(self.queue.selected().map_or_else(none, |id| format!("{id} doesn't wait.")));
    }

    /// Opens the selected operation's dialog, or from elsewhere the first one's that waits.
    pub(super) fn open_or_hint(&mut self) -> bool {
        if self.focus == Pane::Queue && self.queue.selected().is_some() && self.selected_waiting().is_none() {
            self.waits_not();
            return false;
        }
        let id = self.selected_waiting().or_else(|| self.queue.waiting().next().map(|item| item.id));
        let opened = id.is_some_and(|id| self.open(id));
        if !opened {
            self.hint = Some(self.none_waits());
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

    /// Proposes what is done with once more, as an operation of its own.
    pub(super) fn run_again(&mut self, id: OperationId, effects: &mut Vec<Effect>) {
        self.run_again_in(id, false, effects);
    }

    /// The same, a command in a terminal if that is asked for.
    pub(super) fn run_again_in(&mut self, id: OperationId, terminal: bool, effects: &mut Vec<Effect>) {
        let Some(item) = self.queue.get(id) else {
            self.hint = Some(format!("There is no operation {}.", id.0));
            return;
        };
        let done = Some(item).filter(|item| item.status.closed());
        let Some(item) = done.filter(|item| ![UNDO, APPLY, ANSWER].contains(&item.call.name.as_str())) else {
            self.hint = Some("Only what is done with can be run again.".to_owned());
            return;
        };
        // Who had it run again runs what that one ran, where it ran.
        let (after, of) = match &item.origin {
            Origin::Again { of, .. } | Origin::Program { of, .. } => (item.id, of.clone()),
            origin => (item.id, Box::new(origin.clone())),
        };
        let mut call = item.call.clone();
        if let Some(mut arguments) = unclaimed(&call.arguments).filter(|_| terminal) {
            arguments.insert("terminal".to_owned(), true.into());
            call.arguments = serde_json::Value::Object(arguments).to_string();
        }
        self.handed_over = true;
        self.propose(Origin::Again { after, of }, call, effects);
    }
}
