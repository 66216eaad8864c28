//! The command palette: everything that a key or a `/` line does, read from the keymap and the table of `/` commands.
//! What was chosen lately comes first, then what belongs to the place where the person is.

use super::State;
use super::event::{Effect, Pane};
use super::keymap::{Command, Context};
use super::modal::Modal;
use super::picker::{Form, Picker};
use super::queue::{Item, Status, Undo};
use super::row::{Pick, Row};
use super::slash::{self, SLASH, typed};
use crate::domain::{ApprovalMode, OperationKind};

/// How many of those chosen lately come first.
const LATELY: usize = 6;
/// The modes, from the one that asks most.
const MODES: [ApprovalMode; 4] =
    [ApprovalMode::Strict, ApprovalMode::Guarded, ApprovalMode::Smart, ApprovalMode::AllowAll];
/// Words that the status line says beside the mode, and what they mean.
const STATUS: [(&str, &str); 5] = [
    ("2 waiting (1 HIGH)", "so many wait for you, so many of them are high"),
    ("PROD", "the connection counts as production"),
    ("contained", "commands that only read run behind walls: no writes, no secrets, no network"),
    (
        "staged, or contained, staged",
        "other commands can run on a copy of the folder: new files are added at once, changes ask",
    ),
    ("not contained", "there are no walls here: commands run as you"),
];
/// What the list of earlier messages is called.
const EARLIER: &str = "Earlier messages";

impl State {
    pub(super) fn open_palette(&mut self) {
        let rows = self.palette();
        self.open_picker(Picker::new("Commands", rows).of("command"));
    }

    /// The keys that work where the person is, then everywhere, then the rest, what can be typed, and what the words of
    /// the status line mean. From a dialog it leads back to it.
    pub(super) fn open_help(&mut self) {
        let here = self.context();
        let over = match self.modal.take() {
            Some(Modal::Confirm(dialog)) => Some(dialog),
            Some(Modal::Edit(_) | Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => None,
        };
        let mut rows: Vec<Row> = Vec::new();
        let first = [here, Context::Everywhere];
        let rest = Context::ALL.into_iter().filter(|place| !first.contains(place));
        for place in first.into_iter().chain(rest) {
            // What is the place's own comes before what scrolls and leaves as anywhere.
            let mut bound = self.keymap.of(place);
            bound.sort_by_key(|(_, command)| *command <= Command::ToEnd);
            for (keys, command) in bound {
                let reached = over.is_none() && place.in_panes() && command != Command::Approve;
                let pick = if reached { Pick::Command(place, command) } else { Pick::Nothing };
                rows.push(Row::new(command.says(), pick).detail(place.says()).key(&keys));
            }
            if place == Context::Composer {
                let says = "answer with a choice of the model's question";
                rows.push(Row::new(says, Pick::Nothing).detail(place.says()).key("alt+1…9"));
            }
            if place == Context::Dialog {
                let says = "pick by number; type a HIGH one's number to approve it";
                rows.push(Row::new(says, Pick::Nothing).detail(place.says()).key("0-9"));
            }
        }
        rows.extend(typed().map(|(usage, says)| Row::new(says, Pick::Nothing).detail("typed").key(&usage)));
        let stands = |word: &str, says: &str| Row::new(says, Pick::Nothing).detail("in the status line").key(word);
        rows.extend(MODES.map(|mode| stands(mode.word(), &format!("mode: {}", slash::means(mode)))));
        rows.extend(STATUS.map(|(word, says)| stands(word, says)));
        self.open_picker(Picker::new("Keys", rows).of("key").laid_out(Form::Grouped).over(over));
    }

    /// A row that does nothing by itself was chosen: what it names is done where its key counts.
    pub(super) fn say_key(&mut self, at: usize) {
        let fit = self.picker().and_then(|picker| picker.fits(at, 1).first().map(|fit| fit.row.key.clone()));
        let key = fit.filter(|key| !key.is_empty());
        self.hint = key.map(|key| format!("Nothing is done from here: esc, then {key} where it belongs."));
    }

    /// Earlier messages, the newest first.
    pub(super) fn open_history(&mut self) {
        let rows = self.earlier();
        self.open_picker(Picker::new(EARLIER, rows).of("message").or_else("No message was sent yet."));
    }

    /// What was sent in earlier sessions was read: a list of them that is open already gets it, too.
    pub(super) fn remember_earlier(&mut self, earlier: Vec<String>) -> bool {
        self.composer.remember(earlier);
        let open = self.picker().filter(|picker| picker.title == EARLIER).map(|picker| picker.id);
        let rows = open.map(|_| self.earlier()).unwrap_or_default();
        open.is_some_and(|id| self.filled(id, Ok(rows)))
    }

    fn earlier(&self) -> Vec<Row> {
        let mut seen = std::collections::BTreeSet::new();
        let newest = self.composer.history().iter().rev().filter(|text| seen.insert(text.as_str()));
        newest.map(|text| Row::new(text, Pick::Type(text.clone()))).collect()
    }

    /// What can be typed, then what keys do here, everywhere and elsewhere; going to a pane, which a key does sooner,
    /// comes last.
    fn palette(&self) -> Vec<Row> {
        let here = self.context();
        let mut places = vec![here, Context::Everywhere];
        let panes = [Context::Composer, Context::Queue, Context::Output, Context::Chat];
        places.extend(panes.into_iter().filter(|place| *place != here));
        let mut rows: Vec<Row> = SLASH
            .iter()
            .map(|slash| {
                let word = format!("/{}", slash.word);
                // What needs more is put into the composer, to be completed.
                let pick = if slash.needs_more() { Pick::Type(format!("{word} ")) } else { Pick::Line(word) };
                Row::new(&slash.usage(), pick).detail(slash.says)
            })
            .collect();
        for place in places {
            for (_, command) in self.keymap.of(place) {
                let again = |row: &Row| matches!(row.pick, Pick::Command(_, known) if known == command);
                let repeated = matches!(command, Command::Help | Command::FocusComposer) && rows.iter().any(again);
                if !offered(command) || repeated || (place == Context::Queue && !self.counts(command)) {
                    continue;
                }
                let detail = if place == here || place == Context::Everywhere { "" } else { place.says() };
                let key = self.keymap.key(place, command).unwrap_or_default();
                rows.push(Row::new(command.says(), Pick::Command(place, command)).detail(detail).key(&key));
            }
        }
        rows.sort_by_key(|row| matches!(row.pick, Pick::Command(_, command) if command <= Command::FocusChat));
        rows.sort_by_key(|row| self.lately.iter().position(|pick| *pick == row.pick).unwrap_or(LATELY));
        rows
    }

    pub(super) fn picked_lately(&mut self, pick: Pick) {
        self.lately.retain(|known| *known != pick);
        self.lately.insert(0, pick);
        self.lately.truncate(LATELY);
    }

    /// Does what a key would do in a place, and goes there.
    pub(super) fn command_there(&mut self, place: Context, command: Command, effects: &mut Vec<Effect>) {
        match place {
            Context::Composer => self.go(Pane::Composer),
            Context::Chat => self.go(Pane::Chat),
            Context::Queue => self.go(Pane::Queue),
            Context::Output => self.go(Pane::Output),
            Context::Everywhere
            | Context::Dialog
            | Context::Remember
            | Context::Editor
            | Context::Picker
            | Context::Terminal => {}
        }
        self.pane_command(command, effects);
    }

    /// Whether a key of the operations does something now.
    #[must_use]
    pub fn counts(&self, command: Command) -> bool {
        let queue = &self.queue;
        let selected = queue.selected().and_then(|id| queue.get(id));
        let is = |wanted: fn(&Status) -> bool| selected.is_some_and(|item| wanted(&item.status));
        match command {
            Command::Edit | Command::DenyWithReason => is(|status| *status == Status::Waiting),
            Command::Deny => is(|status| *status == Status::Waiting) || queue.marked().next().is_some(),
            Command::Mark => is(|status| *status == Status::Waiting) && queue.counts().0 > 1,
            Command::ApproveAll | Command::DenyAll => queue.any_to_decide(),
            Command::InTerminal => {
                let kind = |item: &Item| item.prepared.as_ref().map(|prepared| prepared.operation.kind.clone());
                let command = |item: &Item| matches!(kind(item), Some(OperationKind::Command(_)));
                selected.is_some_and(|item| (item.status == Status::Waiting || item.status.closed()) && command(item))
            }
            Command::RunAgain => is(Status::closed),
            Command::CancelRun => is(|status| matches!(status, Status::Running { .. })),
            Command::Undo => selected.is_some_and(|item| matches!(item.undo, Undo::Possible(_))),
            Command::Open | Command::Details => selected.is_some(),
            Command::ShowOutput => selected.is_some_and(|item| self.output.of(item.id).is_some()),
            Command::Filter | Command::Sort => queue.newest().is_some_and(|id| id.0 > 4),
            _ => true,
        }
    }
}

/// Whether a command is worth a row: not what moves, types or closes, and nothing that decides without its dialog.
fn offered(command: Command) -> bool {
    !matches!(
        command,
        Command::Palette
            | Command::LeaveTerminal
            | Command::Choose
            | Command::Back
            | Command::Send
            | Command::Newline
            | Command::HistoryBack
            | Command::HistoryForward
            | Command::PageUp
            | Command::PageDown
            | Command::HalfUp
            | Command::HalfDown
            | Command::LineUp
            | Command::LineDown
            | Command::ColumnLeft
            | Command::ColumnRight
            | Command::ToStart
            | Command::ToEnd
            | Command::FindNext
            | Command::FindPrevious
            | Command::NextEntry
            | Command::PreviousEntry
            | Command::AnswerYes
            | Command::AnswerNo
            | Command::Approve
    )
}
