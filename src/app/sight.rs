//! Scrolling, the mouse, and what the last frame told. Nothing here decides anything.

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};

use super::State;
use super::event::{Effect, Pane, Sight};
use super::key::Key;
use super::keymap::Command;
use super::modal::{Asking, Modal, Placing};
use crate::domain::RiskLevel;

/// Rows that the mouse wheel moves.
const WHEEL: isize = 3;

/// How far a page key moves in a pane that shows so many rows: one less, to keep the eye's place.
pub(super) fn page(rows: usize) -> isize {
    isize::try_from(rows.saturating_sub(1).max(1)).unwrap_or(1)
}

impl State {
    /// The pane that scrolling keys move: the one with the focus, the conversation from the composer.
    pub(super) fn scroll_page(&mut self, direction: isize, effects: &mut Vec<Effect>) {
        self.scroll_pane(self.focus, direction * page(self.height()), effects);
    }

    /// Half of that.
    pub(super) fn scroll_half(&mut self, direction: isize, effects: &mut Vec<Effect>) {
        self.scroll_pane(self.focus, direction * (page(self.height()) / 2).max(1), effects);
    }

    fn height(&self) -> usize {
        match self.focus {
            Pane::Composer | Pane::Chat => self.sight.rows.chat,
            Pane::Queue => self.sight.rows.queue,
            Pane::Output => self.sight.rows.output,
        }
    }

    pub(super) fn scroll_line(&mut self, direction: isize, effects: &mut Vec<Effect>) {
        self.scroll_pane(self.focus, direction, effects);
    }

    fn scroll_pane(&mut self, pane: Pane, rows: isize, effects: &mut Vec<Effect>) {
        match pane {
            Pane::Composer | Pane::Chat => self.chat.scroll.by(rows, self.sight.limits.chat, true),
            Pane::Queue => self.queue.move_selection(rows),
            Pane::Output => {
                if self.scroll_terminal(rows, effects) {
                    return;
                }
                let limit = self.sight.limits.output;
                if let Some(printout) = self.output.printout_mut() {
                    let sticky = printout.table.is_none() && printout.page.is_none();
                    printout.scroll.by(rows, limit, sticky);
                    self.look_beyond(rows > 0, effects);
                }
            }
        }
    }

    /// Sideways: by columns of the screen, in a table by its own.
    pub(super) fn scroll_columns(&mut self, columns: isize) {
        if self.step_column(columns > 0) {
            return;
        }
        if let Some(printout) = self.output.printout_mut() {
            printout.left = printout.left.saturating_add_signed(columns);
        }
    }

    pub(super) fn scroll_to(&mut self, end: bool, effects: &mut Vec<Effect>) {
        let limits = self.sight.limits;
        match self.focus {
            Pane::Composer | Pane::Chat if end => self.chat.scroll.to_end(limits.chat, true),
            Pane::Composer | Pane::Chat => self.chat.scroll.to_start(),
            Pane::Queue => self.queue.move_selection(if end { isize::MAX } else { isize::MIN }),
            Pane::Output => self.output_to(end, effects),
        }
    }

    pub(super) fn scroll_dialog(&mut self, rows: isize) {
        let limit = self.sight.limits.dialog;
        if let Some(Modal::Confirm(dialog)) = &mut self.modal {
            // What came late unfolds first, and scrolls with the next key.
            if dialog.placing == Placing::Late && rows > 0 && dialog.scroll.top >= limit {
                dialog.placing = Placing::Below;
            }
            dialog.scroll.by(rows, limit, false);
        }
    }

    pub(super) fn drawn(&mut self, sight: Sight) {
        if let (Some(Modal::Confirm(dialog)), Some((seal, end))) = (&mut self.modal, sight.dialog) {
            let said = dialog.hint.is_some();
            dialog.seen(seal, end, &sight.ends, self.now);
            self.dirty |= said && dialog.hint.is_none();
        }
        self.chat.drawn(self.now);
        // Titles say how many rows were found, and are drawn before they are counted.
        self.dirty |= self.sight.found.output.len() != sight.found.output.len();
        if let Some(held) = sight.held {
            self.held(held);
        }
        self.sight = sight;
        self.found();
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
        let said = self.unsay();
        if rows == 0 {
            // Who clicks looks where they clicked: no terminal takes the focus from there.
            self.enters = None;
        }
        if rows == 0 && self.press_named(mouse, effects) {
            return true;
        }
        match &mut self.modal {
            Some(Modal::Confirm(_)) => self.scroll_dialog(rows),
            Some(Modal::Edit(_) | Modal::Setup(_)) => return said,
            Some(Modal::Pick(_)) => return self.picker_mouse(rows, (mouse.column, mouse.row), effects) || said,
            Some(Modal::Page { scroll, .. }) => scroll.by(rows, self.sight.limits.dialog, false),
            None => {
                let under = self.sight.areas.iter().find(|(_, x, y, width, height)| {
                    (*x..x + width).contains(&mouse.column) && (*y..y + height).contains(&mouse.row)
                });
                let Some(pane) = under.map(|(pane, ..)| *pane) else { return said };
                if rows == 0 {
                    self.click(pane, mouse.row, effects);
                } else {
                    self.scroll_pane(pane, rows, effects);
                }
            }
        }
        true
    }

    /// What was said of the last key is of no use any more. True if there was anything.
    fn unsay(&mut self) -> bool {
        let said = match &mut self.modal {
            Some(Modal::Confirm(dialog)) => dialog.hint.take(),
            Some(Modal::Edit(editor)) => editor.hint.take(),
            Some(Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => None,
        };
        // What a line that is asked for takes stays as long as it is.
        let below = self.hint.take_if(|_| self.prompt.is_none());
        said.or(below).is_some()
    }

    /// A click on a key that the screen names acts like that key, unless it could approve. False if there is none.
    fn press_named(&mut self, mouse: MouseEvent, effects: &mut Vec<Effect>) -> bool {
        let under =
            |(row, from, to, _): &&(u16, u16, u16, String)| *row == mouse.row && (*from..*to).contains(&mouse.column);
        let Some(named) = self.sight.keys.iter().find(under).map(|(.., key)| key.clone()) else { return false };
        let Some(key) = Key::parse(&named).map(KeyEvent::from) else { return false };
        let dialog = match &self.modal {
            Some(Modal::Confirm(dialog)) => Some(dialog),
            Some(Modal::Edit(_) | Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => None,
        };
        let asks = dialog.map(|dialog| &dialog.asking);
        // Enter denies with a reason, or lists what was picked; a digit may be the number that approves.
        let enter = named == "enter" && matches!(asks, Some(Asking::Reason(_) | Asking::Pick { .. }));
        // A yes to a high one only asks for its number, one to a form opens it.
        let asks_first = dialog.is_some_and(|dialog| {
            let form = self.queue.get(dialog.id).is_some_and(super::Item::is_open_form);
            matches!(dialog.asking, Asking::Choice) && (dialog.risk == RiskLevel::High || form)
        });
        match self.keymap.command(self.context(), key) {
            Some(Command::Approve) if asks_first => self.key(key, false, effects),
            Some(Command::Approve | Command::SaveRule) => {
                self.dialog_hint(format!("The mouse never approves: press {named}."));
            }
            Some(_) => self.key(key, false, effects),
            None if enter => self.key(key, false, effects),
            None => {}
        }
        // Who clicks types nothing.
        self.let_go(effects);
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
