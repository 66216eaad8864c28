//! Pages: something to read above the panes, scrolled and searched like the panes, closed by any other key.

use crossterm::event::KeyEvent;

use super::State;
use super::event::Effect;
use super::find::Within;
use super::keymap::{Command, Context};
use super::modal::{Modal, Page};
use super::sight::page;

impl State {
    /// Opens a page at its start. What was looked for in another one says nothing about it.
    pub(super) fn open_page(&mut self, page: Page) {
        self.forget(Within::Page);
        self.modal = Some(Modal::page(page));
    }

    pub(super) fn page_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        let limit = self.sight.limits.dialog;
        let page = page(self.sight.rows.dialog);
        let command = self.keymap.command(Context::Chat, key);
        match command {
            Some(Command::Find) => return self.ask_find(),
            Some(Command::FindNext) => return self.find_next(true, effects),
            Some(Command::FindPrevious) => return self.find_next(false, effects),
            Some(Command::Back) if self.look_at_all() => return,
            Some(Command::Quit) => return self.leave(effects),
            Some(Command::StopAll) => return self.stop_everything(effects),
            _ => {}
        }
        let Some(Modal::Page { scroll, .. }) = &mut self.modal else { return };
        match command {
            Some(Command::LineUp) => scroll.by(-1, limit, false),
            Some(Command::LineDown) => scroll.by(1, limit, false),
            Some(Command::PageUp) => scroll.by(-page, limit, false),
            Some(Command::PageDown) => scroll.by(page, limit, false),
            Some(Command::HalfUp) => scroll.by(-(page / 2).max(1), limit, false),
            Some(Command::HalfDown) => scroll.by((page / 2).max(1), limit, false),
            Some(Command::ToStart) => scroll.to_start(),
            Some(Command::ToEnd) => scroll.to_end(limit, false),
            _ => self.modal = None,
        }
    }
}
