//! Reading the conversation: choosing one of its entries, from turn to turn, into the output of a call, what is copied.

use super::chat::Entry;
use super::event::{Effect, Pane};
use super::find::Within;
use super::{Command, Context, Scroll, State};
use crate::domain::number::size;

/// Letters of a block of code that are told of it.
const BEGINS: usize = 40;

impl State {
    /// The entry of the conversation that the person chose.
    #[must_use]
    pub fn chosen_entry(&self) -> Option<usize> {
        self.chat.chosen.filter(|at| *at < self.chat.entries().len())
    }

    /// To the next message of the person's, or the one before.
    pub(super) fn step_turn(&mut self, forward: bool) {
        self.choose_entry(forward, |entry| matches!(entry, Entry::Person(_)));
    }

    /// Chooses the next entry, or the one before.
    pub(super) fn step_entry(&mut self, forward: bool) {
        self.choose_entry(forward, |entry| !matches!(entry, Entry::Notice { .. }));
    }

    fn choose_entry(&mut self, forward: bool, counts: impl Fn(&Entry) -> bool) {
        let counts = |at: &usize| self.chat.entries().get(*at).is_some_and(&counts);
        let (all, rows) = (self.chat.entries().len(), self.sight.rows.chat);
        let top = self.chat.scroll.first(self.sight.limits.chat + rows, rows);
        let from = self.chosen_entry();
        let next = if forward {
            let start = from.map_or_else(|| self.sight.entries.partition_point(|row| *row < top), |at| at + 1);
            (start..all).find(counts)
        } else {
            (0..from.unwrap_or(all)).rev().find(counts)
        };
        match next {
            Some(at) => {
                self.chat.chosen = Some(at);
                let first = self.sight.entries.get(at).copied().unwrap_or(0);
                // It stays where it is if it is in view.
                if first < top || first + 1 >= top + rows {
                    self.bring(Within::Chat, first);
                    self.finds.chat.row = None;
                }
            }
            None if forward => {
                self.chat.chosen = None;
                self.chat.scroll = Scroll::END;
            }
            None => self.hint = Some("That is the first one.".to_owned()),
        }
    }

    /// Opens what a chosen call waits for, or shows its output.
    pub(super) fn open_entry(&mut self) {
        let Some(Entry::Operation(id)) = self.chosen_entry().and_then(|at| self.chat.entries().get(at)).cloned() else {
            self.hint = Some("Choose a call with J and K first.".to_owned());
            return;
        };
        if self.open(id) {
            return;
        }
        self.queue.select(id);
        if self.output.of(id).is_some() {
            self.output.show(id);
            self.go(Pane::Output);
        } else {
            self.go(Pane::Queue);
        }
    }

    /// Shows the first lines of a call's output below it, or no longer.
    pub(super) fn fold(&mut self) {
        match self.chosen_entry().and_then(|at| self.chat.entries().get(at)) {
            Some(Entry::Operation(id)) => {
                let id = *id;
                if !self.chat.unfolded.remove(&id) {
                    self.chat.unfolded.insert(id);
                }
            }
            _ => self.hint = Some("Choose a call with J and K first.".to_owned()),
        }
    }

    /// Copies the last code of the chosen message, or of the last one that has some; pressed again, the one before.
    pub(super) fn copy_code(&mut self, effects: &mut Vec<Effect>) {
        let of = |at: usize| match self.chat.entries().get(at) {
            Some(Entry::Model { text, .. } | Entry::Person(text)) => Some((at, blocks(text))),
            Some(Entry::Operation(_) | Entry::Notice { .. }) | None => None,
        };
        let some = |(_, blocks): &(usize, Vec<String>)| !blocks.is_empty();
        let found = match self.chosen_entry() {
            Some(at) => of(at).filter(some),
            None => (0..self.chat.entries().len()).rev().filter_map(of).find(some),
        };
        let Some((entry, mut blocks)) = found else {
            self.hint = Some("There is no code to copy.".to_owned());
            return;
        };
        let all = blocks.len();
        let again = self.chat.copied.filter(|(before, at)| *before == entry && (1..all).contains(at));
        let at = again.map_or(all, |(_, at)| at) - 1;
        let code = blocks.swap_remove(at);
        let (bytes, key) = (size(code.len() as u64), self.keymap.key(Context::Chat, Command::CopyCode));
        self.hint = Some(match key.filter(|_| all > 1) {
            None => format!("Copied {bytes} of code."),
            Some(key) => {
                let begins: String = code.lines().next().unwrap_or_default().trim().chars().take(BEGINS).collect();
                let next = if at > 0 { "the one before" } else { "the last one" };
                let shown = self.masks.hide(&begins);
                format!("Copied code {} of {all}, {bytes}: {key} again copies {next}. It begins: {shown}", at + 1)
            }
        });
        self.chat.copied = Some((entry, at));
        effects.push(Effect::Copy(code));
    }
}

/// The blocks of code in a Markdown text, in order.
fn blocks(text: &str) -> Vec<String> {
    let (mut blocks, mut open): (Vec<String>, Option<(&str, String)>) = (Vec::new(), None);
    for line in text.lines() {
        let bare = line.trim_start();
        let fence = ["```", "~~~"].into_iter().find(|fence| bare.starts_with(fence));
        open = match (open.take(), fence) {
            (Some((fence, block)), Some(found)) if fence == found => {
                blocks.push(block);
                None
            }
            (Some((fence, mut block)), _) => {
                block.push_str(line);
                block.push('\n');
                Some((fence, block))
            }
            (None, Some(fence)) => Some((fence, String::new())),
            (None, None) => None,
        };
    }
    // One that isn't closed yet is the last, too.
    blocks.extend(open.map(|(_, block)| block));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_code_are_whole_and_in_order() {
        assert_eq!(blocks("a\n```sql\nSELECT 1;\n```\nb\n```\nx\n  y\n```\n"), ["SELECT 1;\n", "x\n  y\n"]);
        assert_eq!(blocks("~~~\n```\n~~~"), ["```\n"]);
        assert_eq!(blocks("```\nnot closed"), ["not closed\n"]);
        assert!(blocks("no code").is_empty());
    }
}
