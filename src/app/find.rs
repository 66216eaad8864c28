//! Looking for a text in the conversation, in output and on a page: where matches are was told by the last frame, and
//! beyond what is held here the disk is asked.

use super::State;
use super::event::{Effect, Pane};
use super::modal::Modal;
use super::prompt::Ask;
use crate::domain::{Look, OperationId};

/// Where a text can be looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// In the conversation.
    Chat,
    /// In output.
    Output,
    /// On the page that floats above the panes.
    Page,
}

/// A text that is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Find {
    /// The text.
    pub text: String,
    /// Row of the match that was jumped to last.
    pub row: Option<usize>,
    /// The output that it was looked for in.
    of: Option<OperationId>,
    /// The next frame says where matches are: then the first one from here on is jumped to.
    pending: bool,
    /// Lines that hold it in all that is kept of this operation's output.
    pub counted: Option<(OperationId, u64)>,
}

/// What is looked for, place by place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finds {
    /// In the conversation.
    pub chat: Find,
    /// In output.
    pub output: Find,
    /// On the page.
    pub page: Find,
}

impl Finds {
    fn of(&mut self, within: Within) -> &mut Find {
        match within {
            Within::Chat => &mut self.chat,
            Within::Output => &mut self.output,
            Within::Page => &mut self.page,
        }
    }
}

impl State {
    /// Where the keys look for a text right now.
    fn within(&self) -> Within {
        match (&self.modal, self.focus) {
            (Some(Modal::Page { .. }), _) => Within::Page,
            (_, Pane::Output) => Within::Output,
            (_, Pane::Chat | Pane::Composer | Pane::Queue) => Within::Chat,
        }
    }

    /// Asks what to look for, or in a table which rows to show.
    pub(super) fn ask_find(&mut self) {
        let within = self.within();
        let table = self.output.printout().is_some_and(|printout| printout.table.is_some());
        let ask = if within == Within::Output && table { Ask::Filter } else { Ask::Find(within) };
        self.prompt_for(ask, String::new());
    }

    pub(super) fn seek(&mut self, within: Within, text: &str) {
        let of = self.output.shown().filter(|_| within == Within::Output);
        let pending = !text.is_empty();
        *self.finds.of(within) = Find { text: text.to_owned(), row: None, of, pending, counted: None };
    }

    /// Asks the disk how often it is there, where only a part is held here.
    pub(super) fn count_all(&self, text: &str, effects: &mut Vec<Effect>) {
        let Some((id, printout)) = self.output.shown().zip(self.output.printout()) else { return };
        if printout.page.is_some() || printout.tail.from > 0 {
            effects.push(Effect::Count(id, text.to_owned()));
        }
    }

    /// The disk said how often a text is there. True if that is still of interest.
    pub(super) fn counted(&mut self, id: OperationId, text: &str, lines: u64) -> bool {
        let wanted = self.finds.output.text == text && self.output.shown() == Some(id);
        if wanted {
            self.finds.output.counted = Some((id, lines));
        }
        wanted
    }

    pub(super) fn forget(&mut self, within: Within) {
        *self.finds.of(within) = Find::default();
    }

    /// All rows again, and nothing looked for where the keys are. False if it was so already.
    pub(super) fn look_at_all(&mut self) -> bool {
        let within = self.within();
        let filtered = within == Within::Output && self.output.printout().is_some_and(|it| !it.grid.filter.is_empty());
        if filtered {
            self.filter("");
        }
        // Esc in the composer stops what is under way, and in the list it leaves it.
        let here = within == Within::Page || matches!(self.focus, Pane::Output | Pane::Chat);
        let sought = here && !self.finds.of(within).text.is_empty();
        if sought {
            self.forget(within);
        }
        filtered || sought
    }

    /// A frame told where matches are.
    pub(super) fn found(&mut self) {
        // What was looked for in one output says nothing about another.
        if !self.finds.output.text.is_empty() && self.finds.output.of != self.output.shown() {
            self.forget(Within::Output);
            self.dirty = true;
        }
        for within in [Within::Chat, Within::Output, Within::Page] {
            if !std::mem::take(&mut self.finds.of(within).pending) {
                continue;
            }
            let (rows, first) = (self.sight.found.within(within), self.top(within));
            let row = rows.iter().find(|row| **row >= first).or_else(|| rows.last()).copied();
            if let Some(row) = row {
                self.bring(within, row);
            }
            self.dirty = true;
        }
    }

    /// The first row in sight.
    fn top(&self, within: Within) -> usize {
        let (rows, limits) = (&self.sight.rows, &self.sight.limits);
        let (scroll, rows, limit) = match (within, &self.modal) {
            (Within::Chat, _) => (Some(self.chat.scroll), rows.chat, limits.chat),
            (Within::Output, _) => (self.output.printout().map(|it| it.scroll), rows.output, limits.output),
            (Within::Page, Some(Modal::Page { scroll, .. })) => (Some(*scroll), rows.dialog, limits.dialog),
            (Within::Page, _) => (None, 0, 0),
        };
        scroll.map_or(0, |scroll| scroll.first(limit + rows, rows))
    }

    /// To the next match, or the one before. Past what is held here the disk is asked.
    pub(super) fn find_next(&mut self, forward: bool, effects: &mut Vec<Effect>) {
        let within = self.within();
        let find = self.finds.of(within).clone();
        if find.text.is_empty() {
            self.ask_find();
            return;
        }
        let rows = self.sight.found.within(within);
        let next = match find.row {
            None => {
                if forward {
                    rows.first()
                } else {
                    rows.last()
                }
            }
            Some(at) if forward => rows.iter().find(|row| **row > at),
            Some(at) => rows.iter().rev().find(|row| **row < at),
        };
        if let Some(row) = next.copied() {
            self.bring(within, row);
        } else if let Some((id, from)) = self.beyond(within, forward) {
            self.hint = Some("Looking further …".to_owned());
            effects.push(Effect::Look(id, Look::For { text: find.text, from, forward }));
        } else if let Some((id, all)) = self.beyond(within, !forward).and(self.whole()) {
            self.hint = Some("That was the last one: on from the other end.".to_owned());
            let from = if forward { 0 } else { all };
            effects.push(Effect::Look(id, Look::For { text: find.text, from, forward }));
        } else if let Some(row) = if forward { rows.first() } else { rows.last() }.copied() {
            self.bring(within, row);
            self.hint = Some("That was the last one: on from the other end.".to_owned());
        } else {
            self.hint = Some("Not found.".to_owned());
        }
    }

    /// After a text was taken that isn't in the part that is shown: on to the nearest match before it, or behind it.
    pub(super) fn find_elsewhere(&mut self, effects: &mut Vec<Effect>) {
        if self.sight.found.output.is_empty() {
            let back = self.beyond(Within::Output, false).is_some();
            if back || self.beyond(Within::Output, true).is_some() {
                self.find_next(!back, effects);
            }
        }
    }

    /// The output that is shown, and its bytes in all.
    fn whole(&self) -> Option<(OperationId, u64)> {
        self.output.shown().zip(self.output.printout().map(|printout| printout.tail.bytes))
    }

    /// The byte from which on the disk has more of what is shown.
    fn beyond(&self, within: Within, forward: bool) -> Option<(OperationId, u64)> {
        let (id, printout) = self.output.shown().zip(self.output.printout()).filter(|_| within == Within::Output)?;
        let (from, to) = printout.span();
        if forward { (to < printout.tail.bytes).then_some((id, to)) } else { (from > 0).then_some((id, from)) }
    }

    /// Brings a row into view, a third from the top.
    pub(super) fn bring(&mut self, within: Within, row: usize) {
        self.finds.of(within).row = Some(row);
        let (rows, limits) = (self.sight.rows, self.sight.limits);
        let (scroll, rows, limit) = match (within, &mut self.modal) {
            (Within::Chat, _) => (Some(&mut self.chat.scroll), rows.chat, limits.chat),
            (Within::Output, _) => {
                (self.output.printout_mut().map(|printout| &mut printout.scroll), rows.output, limits.output)
            }
            (Within::Page, Some(Modal::Page { scroll, .. })) => (Some(scroll), rows.dialog, limits.dialog),
            (Within::Page, _) => (None, 0, 0),
        };
        if let Some(scroll) = scroll {
            scroll.to_row(row.saturating_sub(rows / 3).min(limit));
        }
    }
}
