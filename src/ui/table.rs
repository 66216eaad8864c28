//! Rows of a query: columns aligned, numbers right by their type, NULL told apart from the text `NULL`. Widths
//! are measured once for each table, and only visible rows are made.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::cache::OutputRows;
use super::number;
use super::paint::{View, put};
use super::text;
use super::theme::Role;
use crate::app::{Command, Context, Grid, Masks, Pane, Printout, Shape, Sight};
use crate::domain::Table;

/// Widest column where others want the room, too.
const WIDEST: usize = 40;
/// Width to which a column of texts gives way so that others fit.
const NARROW: usize = 16;
/// Bytes of a cell that are looked at.
const CELL: usize = 400;
/// Columns of a filter in a title.
const FILTER: usize = 24;
/// Fewest columns of texts that a column begins in at the edge.
const LEAST: usize = 6;
/// Columns between two columns.
const GAP: usize = 2;

/// Draws the table below a header that stays: names, types, a line.
pub fn draw(
    view: View<'_>,
    area: Rect,
    buf: &mut Buffer,
    cache: &mut OutputRows,
    (printout, table): (&Printout, &Arc<Table>),
    sight: &mut Sight,
) {
    let grid = &printout.grid;
    if !cache.table.as_ref().is_some_and(|known| Arc::ptr_eq(known, table)) {
        let leafed = cache.table.as_ref().is_some_and(|known| {
            known.kept > 0 && known.kept == table.kept && known.total == table.total && known.columns == table.columns
        });
        let wide = widths(table, CELL);
        if leafed {
            // Other rows of the same result: columns keep their side, and grow at most.
            cache.widths = cache.widths.iter().zip(wide).map(|(known, wide)| wide.max(*known)).collect();
        } else {
            cache.widths = wide;
            cache.numeric = (0..table.columns.len()).map(|at| table.numeric(at)).collect();
        }
        cache.table = Some(Arc::clone(table));
    }
    let room = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(2), ..area };
    let partly = partly(view, table, grid, room.width.into()).filter(|_| area.height > 4);
    if let Some(partly) = &partly {
        put(buf, room, area.height - 1, partly);
    }
    let area = Rect { height: area.height - u16::from(partly.is_some()), ..area };
    let mut widths = shown_widths(cache, table, grid, room.width.into());
    let seen = seen(&widths, grid.column, room.width.into());
    let (seen, cut) = begun(&mut widths, seen, &cache.numeric, room.width.into());
    let widths = &widths;
    let masks = Some(&view.state.masks);
    let look = Look { widths, numeric: &cache.numeric, grid: Some(grid), masks, seen: seen.clone() };
    let typed = area.height >= 6 && table.types.iter().any(|kind| !kind_of(kind).is_empty());
    let top = match area.height {
        0 => 0,
        1..4 => 1,
        _ => 2 + u16::from(typed),
    };
    let height = usize::from(area.height - top);
    let held = grid.len(table);
    let note = note(view, table, Some(grid));
    let total = held + usize::from(note.is_some());
    sight.rows.output = height;
    sight.limits.output = total.saturating_sub(height);
    let first = printout.scroll.first(total, height);
    let window = |line: &Line<'static>| text::window(line, 0, room.width.into());
    put(buf, room, 0, &window(&header(view, table, &look, view.focused(Pane::Output))));
    for (sign, more, x) in [("‹", seen.start > 0, area.x), ("›", seen.end < look.widths.len(), room.right())] {
        if more || cut && sign == "›" {
            put(buf, Rect { x, width: 1, ..area }, 0, &view.line(sign, Role::Accent));
        }
    }
    if typed && top == 3 {
        put(buf, room, 1, &window(&types(view, table, &look)));
    }
    if top >= 2 {
        put(buf, room, top - 1, &window(&underline(view, &look)));
    }
    for row in 0..area.height - top {
        let at = first + usize::from(row);
        match grid.row(table, at).and_then(|at| table.rows.get(at)) {
            Some(cells) => put(buf, room, top + row, &window(&body(view, table, cells, &look))),
            None if at == held => {
                if let Some(note) = &note {
                    put(buf, room, top + row, note);
                }
            }
            None => {}
        }
    }
}

/// How columns are drawn.
struct Look<'a> {
    widths: &'a [usize],
    numeric: &'a [bool],
    grid: Option<&'a Grid>,
    /// What isn't shown of its cells.
    masks: Option<&'a Masks>,
    /// The columns that are in view.
    seen: Range<usize>,
}

impl Look<'_> {
    /// The columns in view with their widths.
    fn columns(&self) -> impl Iterator<Item = (usize, usize)> {
        self.widths.iter().copied().enumerate().take(self.seen.end).skip(self.seen.start)
    }

    /// Whether a column's cells stand at its right.
    fn right(&self, at: usize) -> bool {
        self.numeric.get(at).copied().unwrap_or(false)
    }
}

/// The widths of columns as the person made them. Where nobody did, wide texts give way so that all columns fit, and take
/// what room they leave.
fn shown_widths(cache: &OutputRows, table: &Table, grid: &Grid, room: usize) -> Vec<usize> {
    let widths = cache.widths.iter().enumerate().map(|(at, width)| {
        // Room for the arrow of the sorted column, its type, and the commas of large numbers.
        let arrow = if grid.sort.is_some_and(|(by, _)| by == at) { 2 } else { 0 };
        let name = table.columns.get(at).map_or(0, |name| text::width(&cell(name)).min(WIDEST));
        let kind = table.types.get(at).map_or(0, |kind| text::width(&cell(kind)).min(8));
        let numeric = cache.numeric.get(at) == Some(&true);
        let commas = if grid.thousands && numeric { width.saturating_sub(1) / 3 } else { 0 };
        let wider = grid.wider.get(&at).copied().unwrap_or(0);
        // Who makes one wider or narrower goes on from the width that it was seen in.
        let most = if wider == 0 { WIDEST } else { room.max(WIDEST) };
        let own = (width.min(&most) + commas).max(name + arrow).max(kind);
        own.saturating_add_signed(wider.into()).clamp(3, WIDEST * 8)
    });
    let mut widths: Vec<usize> = widths.collect();
    if grid.wider.is_empty() {
        give_way(&mut widths, &cache.numeric, room);
        take_room(&mut widths, &cache.widths, room);
    }
    widths
}

/// Gives the room that is left to the columns whose texts want it.
fn take_room(widths: &mut [usize], wanted: &[usize], room: usize) {
    let mut left = room.saturating_sub(widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1));
    for (width, wanted) in widths.iter_mut().zip(wanted) {
        let more = wanted.saturating_sub(*width).min(left);
        *width += more;
        left -= more;
    }
}

/// Makes wide columns of texts narrower so that all columns fit.
fn give_way(widths: &mut [usize], numeric: &[bool], room: usize) {
    let mut over = (widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)).saturating_sub(room);
    while over > 0 {
        let text = |at: &usize| numeric.get(*at) != Some(&true) && widths[*at] > NARROW;
        let Some(at) = (0..widths.len()).filter(text).max_by_key(|at| widths[*at]) else { break };
        widths[at] -= 1;
        over -= 1;
    }
}

/// The columns that fit beside one another and have the chosen one among them.
fn seen(widths: &[usize], column: usize, room: usize) -> Range<usize> {
    let wide = |range: Range<usize>| widths[range].iter().map(|width| width + GAP).sum::<usize>().saturating_sub(GAP);
    let last = (column + 1).min(widths.len());
    let from = (0..last).find(|from| wide(*from..last) <= room).unwrap_or(last.saturating_sub(1));
    let to = (last..=widths.len()).take_while(|to| wide(from..*to) <= room).last().unwrap_or(last);
    from..to
}

/// Lets the next column of texts begin in the room that is left. Says whether one does that.
fn begun(widths: &mut [usize], seen: Range<usize>, numeric: &[bool], room: usize) -> (Range<usize>, bool) {
    let used: usize = widths[seen.clone()].iter().map(|width| width + GAP).sum();
    let (next, left) = (seen.end, room.saturating_sub(used));
    let text = numeric.get(next) != Some(&true);
    match widths.get_mut(next).filter(|_| left >= LEAST && text && used > 0) {
        Some(width) => {
            *width = left.min(*width);
            (seen.start..next + 1, true)
        }
        None => (seen, false),
    }
}

/// A whole table as rows: for the few rows of a preview, whose secrets were masked before.
pub fn plain(view: View<'_>, table: &Table, masks: Option<&Masks>, columns: usize) -> Vec<Line<'static>> {
    head(view, table, usize::MAX, masks, columns)
}

/// The same with its first rows alone. Columns that don't fit are counted.
pub fn head(view: View<'_>, table: &Table, most: usize, masks: Option<&Masks>, columns: usize) -> Vec<Line<'static>> {
    let numeric: Vec<bool> = (0..table.columns.len()).map(|at| table.numeric(at)).collect();
    let mut widths = widths(table, WIDEST);
    give_way(&mut widths, &numeric, columns);
    let seen = seen(&widths, 0, columns);
    let left_out = widths.len() - seen.end;
    let look = Look { widths: &widths, numeric: &numeric, grid: None, masks, seen };
    let lines = [header(view, table, &look, false), underline(view, &look)];
    let rows = table.rows.iter().take(most).map(|row| body(view, table, row, &look));
    let window = |line: Line<'static>| text::window(&line, 0, columns);
    let beside = (left_out > 0).then(|| view.line(format!("… {}", number::count(left_out, "more column")), Role::Dim));
    let note = note(view, table, None).filter(|_| table.rows.len() <= most);
    lines.into_iter().chain(rows).chain(beside).chain(note).map(window).collect()
}

/// `12 rows`, `314–328 of 25,000 rows` where not all of them are on the screen, `1,000 of 25,000 rows sorted`, `/Paris · 3
/// of 12 rows`
pub fn count(table: &Table, printout: &Printout, sight: &Sight) -> String {
    let (grid, of) = (&printout.grid, held_of(table));
    let (held, height) = (grid.len(table), sight.rows.output);
    let partly = (table.rows.len() as u64) < table.total;
    if grid.filter.is_empty() {
        if grid.sort.is_some() && partly {
            // Which part of all that is stands below the rows.
            let all = number::count(usize::try_from(table.total).unwrap_or(usize::MAX), "row");
            return format!("{} of {all} sorted", number::thousands(held as u64));
        }
        if grid.shape != Shape::Rows || held <= height || height == 0 {
            return of;
        }
        let limit = sight.limits.output;
        let first = printout.scroll.first(limit + height, height);
        let place = |row: usize| number::thousands(table.first + row as u64);
        let all = number::count(usize::try_from(table.total).unwrap_or(usize::MAX), "row");
        return format!("{}–{} of {all}", place(first + 1), place((first + height).min(held)));
    }
    let among = if partly { "in" } else { "of" };
    let filter = text::fit(&text::line(&grid.filter), FILTER).into_owned();
    format!("/{filter} · {} {among} {of}", number::thousands(grid.len(table) as u64))
}

/// That no row holds what is asked for, and how all are shown again.
pub fn none_holds(view: View<'_>, table: &Table, grid: &Grid) -> Line<'static> {
    let key = view.key(Context::Output, Command::Back, "").map_or_else(String::new, |(key, _)| key);
    let filter = text::fit(&text::line(&grid.filter), FILTER).into_owned();
    let held = table.rows.len() as u64;
    let said = if held < table.total {
        let (first, last) = (number::thousands(table.first + 1), number::thousands(table.end()));
        format!(
            "None of rows {first}–{last} of {} holds {filter}: {key} shows them again.",
            number::thousands(table.total)
        )
    } else {
        format!("No row holds {filter}: {key} shows all.")
    };
    view.line(said, Role::Dim)
}

/// Which rows of a longer result are here: `rows 1–1,000`; none where all are.
pub fn part(table: &Table) -> Option<String> {
    ((table.rows.len() as u64) < table.total && !table.rows.is_empty())
        .then(|| format!("rows {}–{}", number::thousands(table.first + 1), number::thousands(table.end())))
}

/// That no more than the rows that are here is sorted or filtered, and what would take all; as much of it as fits.
fn partly(view: View<'_>, table: &Table, grid: &Grid, columns: usize) -> Option<Line<'static>> {
    let part = part(table).filter(|_| !grid.plain())?;
    let (done, all) = match (grid.sort, grid.filter.is_empty()) {
        (Some(_), true) => ("sorted", "ORDER BY sorts all."),
        (Some(_), false) => ("sorted and filtered", "SQL does so with all."),
        (None, _) => ("filtered", "WHERE filters all."),
    };
    let total = number::thousands(table.total);
    let said = [
        format!("Only {part} of {total} are {done}. {all}"),
        format!("Only {part} are {done}. {all}"),
        format!("Only {part} are {done}."),
    ];
    let fitting = said.iter().find(|said| text::width(said) <= columns).or(said.last())?;
    Some(view.line(text::fit(fitting, columns), Role::Medium))
}

/// `5 rows`, or which of them are here: `1–1,000 of 25,000 rows`.
fn held_of(table: &Table) -> String {
    let rows = number::count(usize::try_from(table.total).unwrap_or(usize::MAX), "row");
    if (table.rows.len() as u64) < table.total && !table.rows.is_empty() {
        format!("{}–{} of {rows}", number::thousands(table.first + 1), number::thousands(table.end()))
    } else {
        rows
    }
}

/// What isn't shown, or that there is nothing.
fn note(view: View<'_>, table: &Table, grid: Option<&Grid>) -> Option<Line<'static>> {
    let held = table.rows.len() as u64;
    if table.total == 0 && held == 0 {
        return Some(view.line("No rows.", Role::Dim));
    }
    if grid.is_some_and(|grid| grid.len(table) == 0) {
        return grid.map(|grid| none_holds(view, table, grid));
    }
    let more = table.total.checked_sub(table.end()).filter(|more| *more > 0)?;
    let rows = number::count(usize::try_from(more).unwrap_or(usize::MAX), "more row");
    let kept = if table.kept > 0 && table.end() >= table.kept { ", not kept" } else { "" };
    Some(view.line(format!("… {rows}{kept}"), Role::Dim))
}

/// How wide the texts of each column are, up to so many.
fn widths(table: &Table, most: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = table.columns.iter().map(|name| text::width(&cell(name)).clamp(1, WIDEST)).collect();
    for row in &table.rows {
        for (width, value) in widths.iter_mut().zip(row) {
            let wide = value.as_ref().map_or(4, |value| text::width(&cell(value)));
            *width = wide.clamp(*width, most.max(*width));
        }
    }
    widths
}

/// A cell on one line, neutral, its far end left out.
fn cell(raw: &str) -> String {
    let mut brief = text::line(&raw[..raw.floor_char_boundary(CELL)]);
    if raw.len() > CELL {
        brief.push('…');
    }
    brief
}

fn header(view: View<'_>, table: &Table, look: &Look<'_>, focused: bool) -> Line<'static> {
    let cells = look.columns().map(|(at, width)| {
        let name = table.columns.get(at).map_or("", String::as_str);
        let arrow = match look.grid.and_then(|grid| grid.sort).filter(|(by, _)| *by == at) {
            Some((_, false)) => " ▲",
            Some((_, true)) => " ▼",
            None => "",
        };
        let name = format!("{}{arrow}", text::fit(&cell(name), width.saturating_sub(text::width(arrow))));
        let text = if look.right(at) { text::column_right(&name, width) } else { text::column(&name, width) };
        let chosen = focused && look.grid.is_some_and(|grid| grid.column == at);
        let mut head = view.span(text, if chosen { Role::Accent } else { Role::Strong });
        if chosen {
            head.style = head.style.add_modifier(Modifier::UNDERLINED);
        }
        [head, Span::raw(" ".repeat(GAP))]
    });
    Line::from(cells.flatten().collect::<Vec<_>>())
}

/// A type as it is told; SQLite says `null` of what it computed, which tells nothing.
fn kind_of(kind: &str) -> String {
    Some(cell(kind).to_lowercase()).filter(|kind| kind != "null").unwrap_or_default()
}

fn types(view: View<'_>, table: &Table, look: &Look<'_>) -> Line<'static> {
    let cells = look.columns().map(|(at, width)| {
        let kind = table.types.get(at).map_or_else(String::new, |kind| kind_of(kind));
        let text = if look.right(at) { text::column_right(&kind, width) } else { text::column(&kind, width) };
        view.span(text + &" ".repeat(GAP), Role::Dim)
    });
    Line::from(cells.collect::<Vec<_>>())
}

fn underline(view: View<'_>, look: &Look<'_>) -> Line<'static> {
    let bars: Vec<String> = look.columns().map(|(_, width)| "─".repeat(width)).collect();
    view.line(bars.join(&" ".repeat(GAP)), Role::Border)
}

fn body(view: View<'_>, table: &Table, row: &[Option<String>], look: &Look<'_>) -> Line<'static> {
    let mut spans = Vec::with_capacity(look.widths.len() * 2);
    let apart = look.grid.is_some_and(|grid| grid.thousands);
    for (at, width) in look.columns() {
        let right = look.right(at);
        let (said, role) = match row.get(at) {
            Some(Some(value)) => {
                let column = table.columns.get(at).map_or("", String::as_str);
                let said = match look.masks.map(|masks| masks.hide_cell(column, value)) {
                    Some(Cow::Owned(hidden)) => cell(&hidden),
                    _ if right && apart => separated(&cell(value)),
                    _ => cell(value),
                };
                (said, Role::Text)
            }
            Some(None) | None => ("NULL".to_owned(), Role::Comment),
        };
        let filled = if right { text::column_right(&said, width) } else { text::column(&said, width) };
        spans.push(view.span(filled, role));
        spans.push(Span::raw(" ".repeat(GAP)));
    }
    Line::from(spans)
}

/// A number with its thousands apart, its fraction as it is.
pub fn separated(value: &str) -> String {
    let (sign, digits) = value.strip_prefix('-').map_or(("", value), |rest| ("-", rest));
    let (whole, rest) = digits.split_at(digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()));
    match whole.parse() {
        Ok(whole) => format!("{sign}{}{rest}", number::thousands(whole)),
        Err(_) => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart_and_no_digit_is_lost() {
        let said = ["1234567.891", "-1000", "999", "1e9", "", "123456789012345678901234567890"].map(separated);
        assert_eq!(said, ["1,234,567.891", "-1,000", "999", "1e9", "", "123456789012345678901234567890"]);
    }

    #[test]
    fn the_chosen_column_is_in_view_whole() {
        assert_eq!(seen(&[10, 10, 10], 0, 24), 0..2);
        assert_eq!(seen(&[10, 10, 10], 2, 24), 1..3);
        assert_eq!(seen(&[10, 90, 10], 1, 24), 1..2);
        assert_eq!(seen(&[10, 90, 10], 0, 5), 0..1);
        assert_eq!(seen(&[], 0, 5), 0..0);
        let mut widths = [10, 10, 30];
        assert_eq!(begun(&mut widths, 0..2, &[true, true, false], 40), (0..3, true));
        assert_eq!(widths, [10, 10, 16]);
        assert_eq!(begun(&mut [10, 30], 0..1, &[true, true], 30), (0..1, false), "a number is never cut");
        assert_eq!(begun(&mut [10, 30], 0..1, &[true, false], 16), (0..1, false));
    }
}
