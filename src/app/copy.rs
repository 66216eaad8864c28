//! What the person copies: the whole of what is looked at, up to what a clipboard takes, and a sentence that says what
//! that was and how much of it.

use super::State;
use super::chat::Entry;
use super::event::{Collected, Content, Effect, Pane};
use super::export::{Export, some};
use super::grid::Grid;
use super::keymap::{Command, Context};
use super::output::Printout;
use super::prompt::Ask;
use crate::domain::OperationId;
use crate::domain::number::{count, size, thousands};

/// Most bytes that go to a clipboard: as base64 they are a third more, and terminals drop what passes a megabyte.
pub const CLIPBOARD: usize = 512 * 1024;

impl State {
    pub(super) fn copy(&mut self, effects: &mut Vec<Effect>) {
        if self.focus == Pane::Output {
            self.copy_output(effects);
            return;
        }
        let found = match self.focus {
            Pane::Queue => self.queue.selected().and_then(|id| self.text_of(id)),
            Pane::Output | Pane::Chat | Pane::Composer => self.entry_text(),
        };
        match found.filter(|(_, text)| !text.is_empty()) {
            Some((what, text)) => self.put(&what, text, effects),
            None => self.hint = Some("Nothing to copy.".to_owned()),
        }
    }

    /// The whole text of an operation.
    fn text_of(&self, id: OperationId) -> Option<(String, String)> {
        let item = self.queue.get(id)?;
        let text = item.prepared.as_ref().map_or_else(|| self.masks.hide(&item.said).into_owned(), |it| it.shown());
        Some((format!("the text of {id}"), text))
    }

    /// The text of the chosen entry, or of the model's last message.
    fn entry_text(&self) -> Option<(String, String)> {
        let text = |entry: &Entry| match entry {
            Entry::Model { text, .. } => Some(("the model's message".to_owned(), text.clone())),
            Entry::Person(text) => Some(("your message".to_owned(), text.clone())),
            Entry::Notice { text, .. } => Some(("the note".to_owned(), text.clone())),
            Entry::Operation(id) => self.text_of(*id),
        };
        match self.chosen_entry() {
            Some(at) => self.chat.entries().get(at).and_then(text),
            None => self.chat.entries().iter().rev().find(|entry| matches!(entry, Entry::Model { .. })).and_then(text),
        }
    }

    /// Puts a text on the clipboard, as far as there is room for it.
    fn put(&mut self, what: &str, mut text: String, effects: &mut Vec<Effect>) {
        let all = text.len();
        if all > CLIPBOARD {
            text.truncate(text.floor_char_boundary(CLIPBOARD));
            let (first, all) = (size(text.len() as u64), size(all as u64));
            self.hint =
                Some(format!("Copied the first {first} of {what}, which has {all}: a clipboard takes no more."));
        } else {
            self.hint = Some(format!("Copied {what}: {}.", measure(&text)));
        }
        effects.push(Effect::Copy(text));
    }

    fn goes_on(&self, id: OperationId) -> bool {
        self.queue.get(id).is_some_and(|item| !item.status.closed())
    }

    /// `the output of #3`
    fn output_of(&self, id: OperationId) -> String {
        format!("the output of {id}{}", if self.goes_on(id) { " so far" } else { "" })
    }

    /// Copies all that is shown of the output, also what is only on disk of it; asks for the form of rows first.
    fn copy_output(&mut self, effects: &mut Vec<Effect>) {
        let shown = self.output.shown().zip(self.output.printout());
        let Some((id, printout)) = shown.filter(|(_, it)| it.table.is_some() || it.tail.bytes > 0) else {
            self.hint = Some("Nothing to copy.".to_owned());
            return;
        };
        if printout.table.is_some() {
            self.prompt_for(Ask::CopyAs, "csv".to_owned());
        } else if printout.tail.from > 0 {
            effects.push(Effect::Collect(Content::Printed(id, printout.tail.clone())));
        } else {
            let text = printout.tail.pieces.iter().map(|piece| piece.text.as_ref()).collect();
            self.put(&self.output_of(id), text, effects);
        }
    }

    /// Copies rows: all that are kept, or those that are shown where they were sorted or filtered.
    pub(super) fn copy_table(&mut self, export: Export, effects: &mut Vec<Effect>) {
        let Some((id, printout)) = self.output.shown().zip(self.output.printout()) else { return };
        let Printout { table: Some(table), grid, .. } = printout else { return };
        if table.kept > 0 && grid.plain() {
            effects.push(Effect::Collect(Content::Rows(id, table.clone(), export)));
            return;
        }
        let as_shown = if grid.plain() { "" } else { ", as shown" };
        let copied = export.write(table, grid).map(|text| (format!("{}{as_shown}", some(table, grid)), text));
        self.put_rows(copied, effects);
    }

    /// Puts rows on the clipboard, or says that they have no room there.
    fn put_rows(&mut self, rows: Result<(String, String), String>, effects: &mut Vec<Effect>) {
        let save = self.saves_all();
        self.hint = Some(match rows {
            Ok((rows, text)) if text.len() > CLIPBOARD => {
                let [bytes, most] = [text.len(), CLIPBOARD].map(|bytes| size(bytes as u64));
                format!("Nothing was copied: {rows} are {bytes}, and a clipboard takes {most}{save}.")
            }
            Ok((rows, text)) => {
                effects.push(Effect::Copy(text));
                format!("Copied {rows}.")
            }
            Err(sentence) => sentence,
        });
    }

    /// `; S saves all`
    fn saves_all(&self) -> String {
        self.keymap.key(Context::Output, Command::Save).map_or_else(String::new, |key| format!("; {key} saves all"))
    }

    /// What is kept on disk of an output was read to be copied. True, as the screen changes.
    pub(super) fn collected(&mut self, content: &Content, kept: Collected, effects: &mut Vec<Effect>) -> bool {
        match (content, kept) {
            (Content::Printed(id, tail), kept) => {
                let printed = self.output.of(*id).map_or(0, |printout| printout.tail.bytes);
                let save = self.saves_all();
                let (text, part) = match kept {
                    Collected::Whole(text) if self.goes_on(*id) || text.len() as u64 >= printed => {
                        self.put(&self.output_of(*id), text, effects);
                        return true;
                    }
                    Collected::Whole(text) => (text, ("first", "; the rest isn't kept".to_owned())),
                    Collected::End(text) => (text, ("last", save)),
                    Collected::TooLong | Collected::Gone => {
                        let text = tail.pieces.iter().map(|piece| piece.text.as_ref()).collect();
                        (text, ("last", "; what came before isn't kept".to_owned()))
                    }
                };
                let (end, why) = part;
                let [some, all] = [text.len() as u64, printed].map(size);
                self.hint = Some(format!("Copied the {end} {some} of the output of {id}, which has {all}{why}."));
                effects.push(Effect::Copy(text));
            }
            (Content::Rows(_, table, _), Collected::Whole(text)) => {
                let some = content.lacks().map(|(rows, why)| format!("{rows}{why}"));
                self.put_rows(Ok((some.unwrap_or_else(|| count(table.total, "row")), text)), effects);
            }
            (Content::Rows(_, table, export), _) => {
                let [held, all] = [table.rows.len() as u64, table.total].map(thousands);
                let rows = format!("{held} of {all} rows, those around what is in sight{}", self.saves_all());
                self.put_rows(export.write(table, &Grid::default()).map(|text| (rows, text)), effects);
            }
            (Content::Text(..) | Content::Part(..), _) => {}
        }
        true
    }
}

/// `12 lines`, or of a single one its characters.
fn measure(text: &str) -> String {
    match text.lines().count() {
        0 | 1 => count(text.trim_end_matches('\n').chars().count(), "character"),
        lines => count(lines, "line"),
    }
}
