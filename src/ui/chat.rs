//! The conversation: who said what, with the model's calls where they were made. Only visible rows are drawn;
//! rows of what was said before are kept in the cache.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use regex::Regex;

use super::cache::{Cache, ChatRows, Slot};
use super::dressed::masked;
use super::markdown::Markdown;
use super::paint::{Page, View, keys, put};
use super::printed::{Matches, marked};
use super::text::{self, Break};
use super::theme::Role;
use super::welcome::fitted;
use super::{ansi, item, number, output, table};
use crate::app::{Command, Context, Entry, Item, Phase, Printout, Sight, Status, Within};
use crate::domain::{OperationId, Origin, Stream};

/// Columns before what somebody said: others' text never starts at the pane's edge.
const INDENT: u16 = 3;
/// Lines of an output that an unfolded call shows.
const GLANCE: usize = 10;
/// Columns of the word for a tool.
const WORD: usize = 8;

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Person,
    Model,
    Program,
}

impl Speaker {
    fn of(view: View<'_>, entry: &Entry) -> Self {
        match entry {
            Entry::Person(_) => Self::Person,
            Entry::Model { .. } => Self::Model,
            Entry::Notice { .. } => Self::Program,
            Entry::Operation(id) => match view.state.queue.get(*id).map(|item| &item.origin) {
                Some(Origin::Person | Origin::Again { .. } | Origin::Beside { .. }) => Self::Person,
                Some(Origin::Program { .. }) => Self::Program,
                Some(Origin::Edited { of, .. }) if !of.by_model() => Self::Person,
                Some(Origin::Model { .. } | Origin::Edited { .. }) | None => Self::Model,
            },
        }
    }

    /// The line above what is said, if there is one.
    fn heading(self, view: View<'_>) -> Option<Line<'static>> {
        match self {
            Self::Person => Some(view.line(" you", Role::Person)),
            Self::Model => Some(view.line(" model", Role::Model)),
            Self::Program => None,
        }
    }
}

/// Draws the conversation.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer, cache: &mut Cache, sight: &mut Sight) {
    let area = output::prompt(view, Within::Chat, area, buf, sight);
    let height = usize::from(area.height);
    sight.rows.chat = height;
    let entries = view.state.chat.entries();
    if entries.is_empty() {
        empty(view, area, buf);
        return;
    }
    let columns = usize::from(area.width.saturating_sub(INDENT + 1)).max(1);
    let page = Page { columns, theme: view.theme, masks: &view.state.masks };
    cache.chat.fit(page, entries.len());
    let mut total = 0;
    let mut before = None;
    for (entry, slot) in entries.iter().zip(&mut cache.chat.slots) {
        refresh(view, entry, page, slot);
        let voice = Voice::of(view, entry);
        total += lead(before, voice);
        sight.entries.push(total);
        total += slot.len();
        before = Some(voice);
    }
    let foot = foot(view, columns, height.saturating_sub(total));
    let ends = total;
    total += foot.len();
    sight.limits.chat = total.saturating_sub(height);
    sight.found.chat = found(view, &mut cache.chat, &sight.entries, ends);
    let first = view.state.chat.scroll().first(total, height);
    let regex = cache.chat.found.as_ref().and_then(|(_, found)| found.regex());
    let mut brush = Brush { area, skip: first, row: 0, first, regex, current: view.state.finds.chat.row };
    before = None;
    for (at, (entry, slot)) in entries.iter().zip(&mut cache.chat.slots).enumerate() {
        if brush.full() {
            break;
        }
        let voice = Voice::of(view, entry);
        let (lead, another) = (lead(before, voice), before.is_none_or(|before| before.speaker != voice.speaker));
        before = Some(voice);
        if brush.passes(lead + slot.len()) {
            continue;
        }
        if lead > 0 {
            brush.lead(buf, lead, voice.speaker.heading(view).filter(|_| another));
        }
        if view.state.chosen_entry() == Some(at) {
            brush.choose(view, buf, slot.len());
        }
        if let (Entry::Model { text, .. }, Slot::Text(markdown)) = (entry, &mut *slot) {
            markdown.colour(text.trim_end(), &brush.rows(), page);
        }
        match entry {
            Entry::Operation(id) => brush.operation(view, buf, *id, slot),
            Entry::Person(_) | Entry::Model { .. } | Entry::Notice { .. } => brush.slot(buf, slot),
        }
    }
    brush.regex = None;
    for line in &foot {
        brush.draw(buf, INDENT, line);
    }
}

/// The rows that hold what is looked for. They are looked through anew only after a change.
fn found(view: View<'_>, rows: &mut ChatRows, starts: &[usize], total: usize) -> Arc<[usize]> {
    let text = &view.state.finds.chat.text;
    let last = match view.state.chat.entries().last() {
        Some(Entry::Model { text, .. }) => text.len(),
        Some(Entry::Person(_) | Entry::Notice { .. } | Entry::Operation(_)) | None => 0,
    };
    let key = (text.clone(), starts.len(), total, last);
    if rows.found.as_ref().is_none_or(|(known, _)| *known != key) {
        let lines = view.state.chat.entries().iter().zip(&rows.slots).zip(starts).flat_map(|((entry, slot), start)| {
            let call = match entry {
                Entry::Operation(id) => {
                    view.state.queue.get(*id).map(|item| Line::raw(item::gist(&view.state.masks, item)))
                }
                Entry::Person(_) | Entry::Model { .. } | Entry::Notice { .. } => None,
            };
            let line = move |at: usize| call.clone().filter(|_| at == 0).or_else(|| slot.row(at).map(text::owned));
            (0..slot.len()).filter_map(move |at| line(at).map(|line| (start + at, line)))
        });
        let found = Matches::of(text, lines);
        rows.found = Some((key, found));
    }
    rows.found.as_ref().map(|(_, found)| found.rows()).unwrap_or_default()
}

/// Who speaks, and whether by an operation.
#[derive(Clone, Copy)]
struct Voice {
    speaker: Speaker,
    acts: bool,
}

impl Voice {
    fn of(view: View<'_>, entry: &Entry) -> Self {
        Self { speaker: Speaker::of(view, entry), acts: matches!(entry, Entry::Operation(_)) }
    }
}

/// Rows before an entry: a blank one and a heading where another one speaks; a blank one between what the person runs and
/// says, which belong together less than a model's words and calls.
fn lead(before: Option<Voice>, voice: Voice) -> usize {
    let turns = before.is_some_and(|before| before.acts != voice.acts);
    match (before.map(|before| before.speaker), voice.speaker) {
        (Some(Speaker::Person), Speaker::Person) => usize::from(turns),
        (Some(before), speaker) if before == speaker => 0,
        (None, Speaker::Program) => 0,
        (Some(_), Speaker::Program) | (None, _) => 1,
        (Some(_), _) => 2,
    }
}

/// Brings an entry's rows up to date.
fn refresh(view: View<'_>, entry: &Entry, page: Page<'_>, slot: &mut Slot) {
    let (columns, masks) = (page.columns, page.masks);
    match entry {
        Entry::Model { text, .. } => {
            if !matches!(slot, Slot::Text(_)) {
                *slot = Slot::Text(Box::<Markdown>::default());
            }
            if let Slot::Text(markdown) = slot {
                markdown.update(text.trim_end(), page);
            }
        }
        Entry::Person(said) => remake(slot, stamp(said, 0), || {
            text::wrap_text(&text::prose(&masks.hide(said)), columns, view.theme.style(Role::Text), Break::Words)
        }),
        Entry::Notice { text: said, trouble } => remake(slot, stamp(said, 1), || {
            let (mark, role) = if *trouble { ("! ", Role::Trouble) } else { ("· ", Role::Notice) };
            let said = text::plain(masks.hide(said).trim_end()).replace('\n', "\n  ");
            let lines = format!("{mark}{said}");
            lines.split('\n').flat_map(|line| text::wrap(&view.line(line, role), columns, 2, Break::Words)).collect()
        }),
        Entry::Operation(id) => {
            let trouble = view.state.queue.get(*id).and_then(item::trouble);
            let unfolded = view.state.output.of(*id).filter(|_| view.state.chat.unfolds(*id));
            let printed = unfolded
                .map_or(0, |printout| 1 + printout.tail.bytes + printout.table.as_ref().map_or(0, |table| table.total));
            remake(slot, stamp(trouble.unwrap_or_default(), 2).wrapping_add(printed), || {
                let mut rows = vec![Line::default()];
                if let Some(reason) = trouble {
                    let reason = masks.hide(reason);
                    let brief = &reason[..reason.floor_char_boundary(4_000)];
                    let style = view.theme.style(Role::Trouble);
                    let said = text::plain(brief.trim_end());
                    rows.extend(text::wrap_text(&said, columns.saturating_sub(2), style, Break::Words));
                }
                if let Some(printout) = unfolded {
                    rows.extend(glance(view, printout, columns.saturating_sub(2)));
                }
                rows
            });
        }
    }
}

fn remake(slot: &mut Slot, stamp: u64, make: impl FnOnce() -> Vec<Line<'static>>) {
    if !matches!(slot, Slot::Lines(old, _) if *old == stamp) {
        *slot = Slot::Lines(stamp, make());
    }
}

/// The last lines of an output, or the first rows of a table.
fn glance(view: View<'_>, printout: &Printout, columns: usize) -> Vec<Line<'static>> {
    if let Some(table) = &printout.table {
        let mut rows = table::plain(view, table, Some(&view.state.masks), columns);
        let more = rows.len().saturating_sub(GLANCE + 2);
        rows.truncate(GLANCE + 2);
        rows.extend((more > 0).then(|| view.line("… enter shows all of it", Role::Dim)));
        return rows;
    }
    let pieces = printout.tail.pieces.iter().map(|piece| (piece.stream == Stream::Err, piece.text.as_ref()));
    let lines = masked(view, ansi::lines(pieces));
    let skip = lines.len().saturating_sub(GLANCE);
    let all = usize::try_from(printout.tail.lines).unwrap_or(usize::MAX);
    let before = all.saturating_sub(lines.len() - skip);
    let note = (before > 0)
        .then(|| view.line(format!("… {} before, enter shows all of it", number::count(before, "line")), Role::Dim));
    let lines = lines.into_iter().skip(skip).map(|printed| {
        let mut line = text::window(&printed.line, 0, columns.saturating_sub(2));
        for span in &mut line.spans {
            span.style = view.theme.tame(span.style);
        }
        line.spans.insert(
            0,
            view.span(
                if printed.error { "! " } else { "│ " },
                if printed.error { Role::Trouble } else { Role::Border },
            ),
        );
        line
    });
    note.into_iter().chain(lines).collect()
}

/// What tells one text from another without reading all of a long one.
fn stamp(text: &str, kind: u8) -> u64 {
    let mut hasher = DefaultHasher::new();
    let bytes = text.as_bytes();
    (kind, bytes.len(), &bytes[..bytes.len().min(64)], &bytes[bytes.len().saturating_sub(64)..]).hash(&mut hasher);
    hasher.finish()
}

/// What stands below the last entry: what can be done where nobody spoke yet, a message that is held, the keys that
/// answer a question. What is said before anybody spoke takes no more than `room` rows, so that what the program had to
/// say stays in sight.
fn foot(view: View<'_>, columns: usize, room: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if view.state.chat.entries().iter().all(|entry| matches!(entry, Entry::Notice { .. })) {
        lines.push(Line::default());
        for (at, sentence) in fitted(view, columns, room.saturating_sub(1)).into_iter().enumerate() {
            if at > 0 && lines.len() + sentence.len() > room {
                break;
            }
            lines.extend(sentence);
        }
    }
    if let Some(upcoming) = view.state.chat.upcoming() {
        lines.push(Line::default());
        let said = text::prose(&view.state.masks.hide(upcoming));
        lines.extend(text::wrap_text(&said, columns, view.theme.style(Role::Text), Break::Words));
        let now = matches!(view.state.chat.phase(), Phase::Streaming { .. });
        let now = now.then(|| view.key(Context::Composer, Command::Send, "send it now")).flatten();
        let bound: Vec<_> = now.into_iter().chain([("↑".to_owned(), "take it back".to_owned())]).collect();
        let said = format!("· goes to the model once {}", view.state.until());
        lines.extend(text::wrap(&view.line(&said, Role::Notice), columns, 2, Break::Words));
        lines.extend(keys(view, &bound, columns, 2, true));
    }
    if view.state.chat.held().is_some() {
        let said = "· goes to the model once what waits is decided";
        lines.extend(text::wrap(&view.line(said, Role::Notice), columns, 2, Break::Words));
    }
    if let Some(question) = view.state.chat.question() {
        let answers = [(Command::AnswerYes, "yes"), (Command::AnswerNo, "no")];
        let mut bound: Vec<_> =
            answers.iter().filter_map(|(command, says)| view.key(Context::Composer, *command, says)).collect();
        let choices = question.choices.len();
        if choices > 0 {
            bound = vec![(format!("alt+1…{choices}"), "choose".to_owned())];
        }
        bound.push(("or".to_owned(), "type an answer".to_owned()));
        lines.push(Line::default());
        lines.extend(keys(view, &bound, columns, 2, true));
    }
    lines
}

/// What a new session says.
fn empty(view: View<'_>, area: Rect, buf: &mut Buffer) {
    let columns = usize::from(area.width.saturating_sub(INDENT + 1)).max(1);
    let row = u16::from(area.height > 10);
    let mut brush = Brush { area, skip: 0, row, first: 0, regex: None, current: None };
    let said = fitted(view, columns, area.height.saturating_sub(row).into());
    for line in said.into_iter().flatten() {
        brush.draw(buf, INDENT, &line);
    }
}

/// Draws rows from the top of an area, after skipping those above it.
struct Brush<'a> {
    area: Rect,
    skip: usize,
    row: u16,
    /// The row of the conversation that is drawn at the top.
    first: usize,
    /// What is marked.
    regex: Option<&'a Regex>,
    /// The row whose match was jumped to.
    current: Option<usize>,
}

impl Brush<'_> {
    fn full(&self) -> bool {
        self.row >= self.area.height
    }

    /// Which of the next rows have a place.
    fn rows(&self) -> Range<usize> {
        self.skip..self.skip + usize::from(self.area.height.saturating_sub(self.row))
    }

    /// Skips rows that are all above the area.
    fn passes(&mut self, rows: usize) -> bool {
        let above = self.skip >= rows && rows > 0;
        if above {
            self.skip -= rows;
        }
        above
    }

    fn draw(&mut self, buf: &mut Buffer, indent: u16, line: &Line<'_>) {
        if self.skip > 0 {
            self.skip -= 1;
        } else if !self.full() {
            let x = indent.min(self.area.width);
            let room = Rect { x: self.area.x + x, width: self.area.width - x, ..self.area };
            match self.regex {
                Some(regex) => {
                    let current = self.current == Some(self.first + usize::from(self.row));
                    put(buf, room, self.row, &marked(text::owned(text::borrowed(line)), regex, current));
                }
                None => put(buf, room, self.row, line),
            }
            self.row += 1;
        }
    }

    /// Marks the rows that come next as the chosen entry's.
    fn choose(&self, view: View<'_>, buf: &mut Buffer, rows: usize) {
        let gutter = Rect { x: self.area.x + 1, width: self.area.width.saturating_sub(1).min(1), ..self.area };
        let seen = u16::try_from(rows.saturating_sub(self.skip)).unwrap_or(u16::MAX);
        for row in self.row..self.row.saturating_add(seen).min(self.area.height) {
            let sign = if row == self.row && self.skip == 0 { "▸" } else { "│" };
            put(buf, gutter, row, &view.line(sign, Role::Accent));
        }
    }

    fn lead(&mut self, buf: &mut Buffer, rows: usize, heading: Option<Line<'static>>) {
        for _ in usize::from(heading.is_some())..rows {
            self.draw(buf, 0, &Line::default());
        }
        if let Some(heading) = heading {
            self.draw(buf, 0, &heading);
        }
    }

    fn slot(&mut self, buf: &mut Buffer, slot: &Slot) {
        let from = self.skip.min(slot.len());
        self.skip -= from;
        for at in from..slot.len() {
            if self.full() {
                return;
            }
            if let Some(line) = slot.row(at) {
                self.draw(buf, INDENT, &line);
            }
        }
    }

    /// An operation's row, then what went wrong with it.
    fn operation(&mut self, view: View<'_>, buf: &mut Buffer, id: OperationId, slot: &Slot) {
        let room = self.area.width.saturating_sub(INDENT + 1);
        let line = view.state.queue.get(id).map_or_else(Line::default, |item| operation_line(view, item, room.into()));
        self.draw(buf, INDENT, &line);
        for at in 1..slot.len() {
            if let Some(line) = slot.row(at) {
                self.draw(buf, INDENT + 2, &line);
            }
        }
    }
}

/// `✓ sql      SELECT count(*) FROM orders …   1 row   4 ms`
fn operation_line(view: View<'_>, item: &Item, columns: usize) -> Line<'static> {
    let fate = item::fate(view, item);
    // A badge's colours are too loud for a sign.
    let mark_role = if fate.role == Role::High { Role::Trouble } else { fate.role };
    let says = text::fit(&view.state.masks.hide(&fate.says), (columns / 3).max(24)).into_owned();
    // A colour alone says to few how bad it could be.
    let risk = item.judgement.as_ref().filter(|_| item.status == Status::Waiting);
    let badge = risk.map_or_else(String::new, |judgement| format!("{}  ", item::badge(judgement.risk)));
    let end = if fate.time.is_empty() { format!("{badge}{says}") } else { format!("{says}  {:>6}", fate.time) };
    let word = text::column(&text::line(item.word()), WORD);
    let room = columns.saturating_sub(2 + WORD + 1 + 2 + text::width(&end));
    if room < 8 {
        let gist = text::column(&item::gist(&view.state.masks, item), columns.saturating_sub(4 + text::width(&says)));
        let spans = vec![
            view.span(badge.get(..1).unwrap_or(fate.mark).to_owned(), mark_role),
            Span::raw(" "),
            view.span(gist, Role::Text),
            view.span(format!("  {says}"), mark_role),
        ];
        return Line::from(spans);
    }
    let gist = item::gist(&view.state.masks, item);
    Line::from(vec![
        view.span(fate.mark, mark_role),
        Span::raw(" "),
        view.span(format!("{word} "), Role::Dim),
        view.span(text::column(&gist, room), Role::Text),
        Span::raw("  "),
        view.span(end, end_role(&fate)),
    ])
}

fn end_role(fate: &item::Fate) -> Role {
    match fate.role {
        Role::Good | Role::Accent => Role::Dim,
        Role::High => Role::Trouble,
        other => other,
    }
}
