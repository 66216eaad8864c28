//! Printed output: the live end of it, or an earlier part, with its colours. Lines shift sideways or wrap, matches of
//! what is looked for are marked. Standard error has a mark in the gutter, where output itself never writes.

use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use regex::Regex;

use super::ansi::Printed;
use super::cache::OutputRows;
use super::dressed;
use super::number;
use super::output::{ending, shifted};
use super::paint::{View, put};
use super::terminal;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Item, MaskStamp, Printout, Sight};
use crate::domain::{OperationId, sought};

/// Columns of the gutter.
const GUTTER: u16 = 2;
/// What stands there where a row goes on with a line.
const GOES_ON: &str = "↳";
/// Matches that are told; more are marked only where they are seen.
pub const FOUND: usize = 10_000;

/// What rows were made of: operation, bytes before and up to the end, lines in all, whether it ended, the width where
/// they wrap, the theme, which secrets are masked.
pub type Key = (OperationId, u64, u64, u64, bool, Option<usize>, String, MaskStamp);

/// Draws the text of an output, and below it how it ended.
pub fn draw(
    view: View<'_>,
    area: Rect,
    buf: &mut Buffer,
    rows: &mut OutputRows,
    (id, printout, item): (OperationId, &Printout, Option<&Item>),
    sight: &mut Sight,
) {
    let room = shifted(area, GUTTER);
    let wrap = view.state.output.wraps().then_some(usize::from(room.width.max(1)));
    let (from, to) = printout.span();
    let closed = item.is_some_and(|item| item.status.closed());
    let masks = view.state.masks.stamp();
    let key = (id, from, to, printout.tail.lines, closed, wrap, view.theme.name().to_owned(), masks);
    if rows.key.as_ref() != Some(&key) {
        // Not both at once: there may be many.
        rows.lines = Vec::new();
        let lines = dressed::lines(view, item, printout, closed);
        rows.unwrapped = lines.len() as u64;
        rows.starts = Vec::new();
        match wrap {
            Some(columns) => {
                for printed in lines {
                    rows.starts.push(u32::try_from(rows.lines.len()).unwrap_or(u32::MAX));
                    rows.lines.extend(wrapped(&printed, columns));
                }
            }
            None => rows.lines = lines,
        }
        rows.key = Some(key);
        rows.found = None;
    }
    let gone = if printout.page.is_some() { 0 } else { printout.tail.lines.saturating_sub(rows.unwrapped) };
    let above = usize::from(from > 0 || gone > 0);
    let places = found(rows, &view.state.finds.output.text, above);
    sight.found.output = Arc::clone(&places);
    let height = usize::from(area.height);
    let mut end = Vec::new();
    if printout.page.is_none() {
        end.extend(item.into_iter().flat_map(|item| terminal::lacking(view, item, printout, area.width.into())));
        end.extend(ending(view, item, printout.tail.bytes, area.width.into()));
    }
    let total = above + rows.lines.len() + end.len();
    sight.limits.output = total.saturating_sub(height);
    let at_row = |line: usize| above + rows.row_of(line.saturating_sub(above));
    let found_row = |line: usize| {
        let found = places.partition_point(|place| *place < at_row(line));
        places.get(found).copied().filter(|place| *place < at_row(line + 1)).unwrap_or_else(|| at_row(line))
    };
    let held = printout.stays().map(|(line, found)| {
        // What was jumped to stays where it was on the screen, else the first line does.
        let below = found.and_then(|found| found.checked_sub(line).filter(|below| *below < height));
        let top = below.map_or_else(|| at_row(line), |below| found_row(line + below).saturating_sub(below));
        (top.min(sight.limits.output), found.map(found_row))
    });
    sight.held = held;
    let (first, current_row) = match held {
        Some((top, found)) => (top, found),
        None => (printout.scroll.first(total, height), view.state.finds.output.row),
    };
    let line_at = |row: usize| above + rows.line_of(row.saturating_sub(above));
    sight.lines = Some((line_at(first), current_row.map(line_at)));
    let regex = rows.found.as_ref().and_then(|found| found.regex.clone());
    for row in 0..area.height {
        let at = first + usize::from(row);
        if at < above {
            let said = match gone {
                0 => format!("… {} before this, further up", number::size(from)),
                _ => format!("… {} earlier lines, further up", number::thousands(gone)),
            };
            put(buf, room, row, &view.line(said, Role::Dim));
        } else if let Some(printed) = rows.lines.get(at - above) {
            if printed.error {
                put(buf, area, row, &view.line("!", Role::Trouble));
            }
            let gutter = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(1), ..area };
            if rows.goes_on(at - above) {
                put(buf, gutter, row, &view.line(GOES_ON, Role::Dim));
            }
            let mut line = printed.line.clone();
            for span in &mut line.spans {
                span.style = view.theme.tame(span.style);
            }
            if let Some(regex) = &regex {
                let current = current_row == Some(at);
                line = marked(line, regex, current);
                if current {
                    put(buf, gutter, row, &view.line("▸", Role::Accent));
                }
            }
            let left = if wrap.is_some() { 0 } else { printout.left };
            let columns = usize::from(room.width);
            // A sign stands where a line goes on at a side.
            let beyond = wrap.is_none() && line.width() > left + columns;
            put(buf, room, row, &text::window(&line, left, columns.saturating_sub(usize::from(beyond))));
            if beyond {
                put(
                    buf,
                    Rect { x: room.right().saturating_sub(1), width: 1, ..room },
                    row,
                    &view.line("›", Role::Accent),
                );
            }
            if left > 0 && line.width() > 0 && current_row != Some(at) {
                put(buf, gutter, row, &view.line("‹", Role::Accent));
            }
        } else if let Some(line) = end.get(at - above - rows.lines.len()) {
            put(buf, area, row, line);
        }
    }
}

/// The rows of a line with its gutter, as a page shows them: long ones go on below.
pub fn rows(view: View<'_>, printed: &Printed, columns: usize) -> impl Iterator<Item = Line<'static>> {
    let gutter = usize::from(GUTTER);
    let rows = wrapped(printed, columns.saturating_sub(gutter).max(1));
    rows.into_iter().enumerate().map(move |(at, row)| {
        let mark = view.span(if row.error { "!" } else { " " }, Role::Trouble);
        let goes_on = view.span(if at == 0 { " " } else { GOES_ON }, Role::Dim);
        let mut line = Line { spans: vec![mark, goes_on], ..row.line.clone() };
        let tame = |span: &Span<'static>| Span::styled(span.content.clone(), view.theme.tame(span.style));
        line.spans.extend(row.line.spans.iter().map(tame));
        line
    })
}

fn wrapped(printed: &Printed, columns: usize) -> Vec<Printed> {
    let error = printed.error;
    text::wrap(&printed.line, columns, 0, Break::Anywhere).into_iter().map(|line| Printed { line, error }).collect()
}

/// What was looked for in rows.
#[derive(Debug)]
pub struct Matches {
    text: String,
    regex: Option<Regex>,
    rows: Arc<[usize]>,
}

impl Matches {
    /// Looks for a text in rows, each with its place.
    pub fn of(text: &str, rows: impl Iterator<Item = (usize, Line<'static>)>) -> Self {
        let places = |regex: &Regex| {
            rows.filter(|(_, line)| regex.is_match(&line.to_string())).map(|(at, _)| at).take(FOUND).collect()
        };
        Self::by(text, places)
    }

    /// The same by what says where a regex is found.
    fn by(text: &str, places: impl FnOnce(&Regex) -> Arc<[usize]>) -> Self {
        let regex = Some(text).filter(|text| !text.is_empty()).and_then(|text| Regex::new(&sought(text)).ok());
        let rows = regex.as_ref().map(places).unwrap_or_default();
        Self { text: text.to_owned(), regex, rows }
    }

    /// The places of the rows that hold it.
    pub fn rows(&self) -> Arc<[usize]> {
        Arc::clone(&self.rows)
    }

    /// What finds it, if anything is looked for.
    pub fn regex(&self) -> Option<&Regex> {
        self.regex.as_ref()
    }
}

fn found(rows: &mut OutputRows, text: &str, above: usize) -> Arc<[usize]> {
    if rows.found.as_ref().is_none_or(|found| found.text != text) {
        rows.found = Some(Matches::by(text, |regex| holding(rows, regex, above)));
    }
    rows.found.as_ref().map(Matches::rows).unwrap_or_default()
}

/// Of each line that holds it, the row where it begins.
fn holding(rows: &OutputRows, regex: &Regex, above: usize) -> Arc<[usize]> {
    let place = |line: usize| {
        let first = rows.row_of(line);
        let printed = &rows.lines[first..rows.row_of(line + 1)];
        let text: String = printed.iter().flat_map(|row| &row.line.spans).map(|span| span.content.as_ref()).collect();
        let hit = regex.find(&text)?.start();
        let mut end = 0;
        let within = printed.iter().position(|row| {
            end += row.line.spans.iter().map(|span| span.content.len()).sum::<usize>();
            hit < end
        });
        Some(above + first + within.unwrap_or(0))
    };
    (0..usize::try_from(rows.unwrapped).unwrap_or(0)).filter_map(place).take(FOUND).collect()
}

/// A line with its matches reversed, those of the current row underlined, too.
pub fn marked(line: Line<'static>, regex: &Regex, current: bool) -> Line<'static> {
    let whole = line.to_string();
    let hits: Vec<Range<usize>> =
        regex.find_iter(&whole).map(|hit| hit.range()).filter(|hit| !hit.is_empty()).collect();
    if hits.is_empty() {
        return line;
    }
    let mark = if current { Modifier::REVERSED | Modifier::UNDERLINED } else { Modifier::REVERSED };
    let (mut spans, mut at) = (Vec::new(), 0);
    for span in line.spans {
        let (start, end) = (at, at + span.content.len());
        let mut from = start;
        for hit in hits.iter().filter(|hit| hit.start < end && hit.end > start) {
            let (left, right) = (hit.start.max(start), hit.end.min(end));
            spans.push(Span::styled(whole[from..left].to_owned(), span.style));
            spans.push(Span::styled(whole[left..right].to_owned(), span.style.add_modifier(mark)));
            from = right;
        }
        spans.push(Span::styled(whole[from..end].to_owned(), span.style));
        at = end;
    }
    spans.retain(|span| !span.content.is_empty());
    Line { spans, ..line }
}
