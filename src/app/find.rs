//! Looking for a text in the conversation and in output: where matches are was told by the last frame, and beyond
//! what is held here the disk is asked.

use super::State;
use super::event::{Effect, Pane};
use super::prompt::Ask;
use crate::domain::{Look, OperationId};

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

/// What is looked for, pane by pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finds {
    /// In the conversation.
    pub chat: Find,
    /// In output.
    pub output: Find,
}

impl Finds {
    fn of(&mut self, pane: Pane) -> &mut Find {
        if pane == Pane::Output { &mut self.output } else { &mut self.chat }
    }
}

impl State {
    /// Asks what to look for, or in a table which rows to show.
    pub(super) fn ask_find(&mut self) {
        let pane = if self.focus == Pane::Output { Pane::Output } else { Pane::Chat };
        let table = self.output.printout().is_some_and(|printout| printout.table.is_some());
        let ask = if pane == Pane::Output && table { Ask::Filter } else { Ask::Find(pane) };
        self.prompt_for(ask, String::new());
    }

    pub(super) fn seek(&mut self, pane: Pane, text: &str) {
        let of = self.output.shown().filter(|_| pane == Pane::Output);
        let pending = !text.is_empty();
        *self.finds.of(pane) = Find { text: text.to_owned(), row: None, of, pending, counted: None };
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

    pub(super) fn forget(&mut self, pane: Pane) {
        *self.finds.of(pane) = Find::default();
    }

    /// All rows again, and nothing looked for in a pane. False if it was so already.
    pub(super) fn look_at_all(&mut self, pane: Pane) -> bool {
        let filtered = pane == Pane::Output && self.output.printout().is_some_and(|it| !it.grid.filter.is_empty());
        if filtered {
            self.filter("");
        }
        let sought = matches!(pane, Pane::Output | Pane::Chat) && !self.finds.of(pane).text.is_empty();
        if sought {
            self.forget(pane);
        }
        filtered || sought
    }

    /// A frame told where matches are.
    pub(super) fn found(&mut self) {
        // What was looked for in one output says nothing about another.
        if !self.finds.output.text.is_empty() && self.finds.output.of != self.output.shown() {
            self.forget(Pane::Output);
            self.dirty = true;
        }
        for pane in [Pane::Chat, Pane::Output] {
            if !std::mem::take(&mut self.finds.of(pane).pending) {
                continue;
            }
            let (rows, first) = match pane {
                Pane::Output => (&self.sight.found.output, self.output_top()),
                _ => (
                    &self.sight.found.chat,
                    self.chat.scroll.first(self.sight.limits.chat + self.sight.rows.chat, self.sight.rows.chat),
                ),
            };
            let row = rows.iter().find(|row| **row >= first).or_else(|| rows.last()).copied();
            if let Some(row) = row {
                self.bring(pane, row);
            }
            self.dirty = true;
        }
    }

    fn output_top(&self) -> usize {
        let (rows, limits) = (self.sight.rows.output, self.sight.limits.output);
        self.output.printout().map_or(0, |printout| printout.scroll.first(limits + rows, rows))
    }

    /// To the next match, or the one before. Past what is held here the disk is asked.
    pub(super) fn find_next(&mut self, forward: bool, effects: &mut Vec<Effect>) {
        let pane = if self.focus == Pane::Output { Pane::Output } else { Pane::Chat };
        let find = self.finds.of(pane).clone();
        if find.text.is_empty() {
            self.ask_find();
            return;
        }
        let rows = if pane == Pane::Output { &self.sight.found.output } else { &self.sight.found.chat };
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
            self.bring(pane, row);
        } else if let Some((id, from)) = self.beyond(pane, forward) {
            self.hint = Some("Looking further …".to_owned());
            effects.push(Effect::Look(id, Look::For { text: find.text, from, forward }));
        } else if let Some(row) = if forward { rows.first() } else { rows.last() }.copied() {
            self.bring(pane, row);
            self.hint = Some("That was the last one: on from the other end.".to_owned());
        } else {
            self.hint = Some("Not found.".to_owned());
        }
    }

    /// The byte from which on the disk has more of what is shown.
    fn beyond(&self, pane: Pane, forward: bool) -> Option<(OperationId, u64)> {
        let (id, printout) = self.output.shown().zip(self.output.printout()).filter(|_| pane == Pane::Output)?;
        let (from, to) = printout.span();
        if forward { (to < printout.tail.bytes).then_some((id, to)) } else { (from > 0).then_some((id, from)) }
    }

    /// Brings a row into view, a third from the top.
    pub(super) fn bring(&mut self, pane: Pane, row: usize) {
        self.finds.of(pane).row = Some(row);
        let above = |rows: usize| rows / 3;
        match pane {
            Pane::Output => {
                let (limit, rows) = (self.sight.limits.output, self.sight.rows.output);
                if let Some(printout) = self.output.printout_mut() {
                    printout.scroll.to_row(row.saturating_sub(above(rows)).min(limit));
                }
            }
            Pane::Chat | Pane::Composer | Pane::Queue => {
                let (limit, rows) = (self.sight.limits.chat, self.sight.rows.chat);
                self.chat.scroll.to_row(row.saturating_sub(above(rows)).min(limit));
            }
        }
    }
}
