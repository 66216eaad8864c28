//! Rows as a chart, since people look before they read: bars, a line, points, a histogram, shares. Rows of one label
//! are one bar or point; the title says what of them is shown, and what isn't.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

use super::bars::{self, Bar, Entry, Look, Rank, count, position, told};
use super::number;
use super::paint::{View, put, put_right};
use super::theme::Role;
use super::{table, text};
use crate::app::{Command, Context, Gather, Grid, Printout, Shape, Sight};
use crate::domain::{Table, number_of};

/// Columns from which on the middle of an axis is told, too.
const MIDDLE: u16 = 50;
/// Rows of a pane from which on a caption may have two of them.
const ROOMY: u16 = 8;

/// Draws the rows that are shown of a table as the chosen chart.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer, (printout, table): (&Printout, &Table), sight: &mut Sight) {
    let (grid, scroll) = (&printout.grid, printout.scroll);
    let (value, label) = (grid.value(table), grid.label(table));
    if area.height <= 2 || area.width <= 10 || value.or(label).is_none() {
        return;
    }
    let room = Rect { x: area.x + 1, width: area.width - 2, ..area };
    if grid.len(table) == 0 {
        let none = || view.line("No rows.", Role::Dim);
        put(buf, room, 0, &if grid.filter.is_empty() { none() } else { table::none_holds(view, table, grid) });
        return;
    }
    let said = |row: usize, at: usize| {
        let column = table.columns.get(at).map_or("", String::as_str);
        table.cell(row, at).map(|value| text::line(&view.state.masks.hide_cell(column, value)))
    };
    let rows: Vec<usize> = (0..grid.len(table)).filter_map(|at| grid.row(table, at)).collect();
    let other = (0..table.columns.len()).find(|at| table.numeric(*at) && Some(*at) != value).or(value);
    let gather = grid.gathered(table);
    let numbers = |at: Option<usize>| move |row: &usize| said(*row, at?).as_deref().and_then(number_of);
    let caption = Caption::of((grid, table), &rows, other, |row, at| numbers(Some(at))(&row).is_some());
    let taken = caption.draw(view, room, buf, (grid, table));
    let room = Rect { y: room.y + taken, height: room.height - taken, ..room };
    let entry = |row: &usize| Entry {
        label: label.and_then(|label| table.cell(*row, label)),
        name: label.map_or_else(|| Some(format!("row {}", row + 1)), |label| said(*row, label)),
        said: value.and_then(|value| said(*row, value)),
    };
    let entries = || rows.iter().map(entry).collect::<Vec<_>>();
    let apart = grid.thousands;
    let bars = |gather| match gather {
        Gather::Each => bars::each(entries(), apart),
        Gather::Sum | Gather::Mean | Gather::Count => bars::gathered(entries(), gather, rank(grid, table), apart),
    };
    let one = if gather == Gather::Each { "row" } else { "label" };
    let look = |most, one| Look { most, one, adds_up: matches!(gather, Gather::Sum | Gather::Count), apart };
    match grid.shape {
        Shape::Rows => {}
        Shape::Bar => {
            let bars = bars(gather);
            bars::draw(view, room, buf, &bars, (look(bars::most(&bars), one), scroll, sight));
        }
        Shape::Share => {
            let bars = bars::shares(bars(gather), room.height.into(), apart);
            // Each fills its part of the whole.
            let whole = bars.iter().filter_map(|bar| bar.value).sum();
            bars::draw(view, room, buf, &bars, (look(whole, one), scroll, sight));
        }
        Shape::Histogram => {
            let values: Vec<f64> = rows.iter().filter_map(numbers(value)).collect();
            let bars = bars::ranges(&values, room.height.into(), apart);
            bars::draw(
                view,
                room,
                buf,
                &bars,
                (Look { adds_up: false, ..look(bars::most(&bars), "range") }, scroll, sight),
            );
        }
        Shape::Line => {
            let line = along(&bars(gather), apart);
            draw_points(view, room, buf, &line, apart);
        }
        Shape::Scatter => {
            let (across, up) = (numbers(other), numbers(value));
            let points = rows.iter().filter_map(|row| Some((across(row)?, up(row)?)));
            draw_points(
                view,
                room,
                buf,
                &Points { kind: GraphType::Scatter, at: points.collect(), along: Vec::new() },
                apart,
            );
        }
    }
}

/// The order of bars: as the person sorted the rows, dates and numbers by themselves, else the largest first.
fn rank(grid: &Grid, table: &Table) -> Rank {
    let (label, value) = (grid.label(table), grid.value(table));
    match grid.sort {
        Some((by, _)) if Some(by) == label => Rank::Shown,
        Some((by, false)) if Some(by) == value => Rank::Smallest,
        _ if label.is_some_and(|at| table.temporal(at) || table.numeric(at) && !table.identifies(at)) => Rank::Label,
        _ if grid.shape == Shape::Line => Rank::Shown,
        _ => Rank::Largest,
    }
}

/// What is drawn: `sum of total by customer`, `337 of 340 rows`, `3 NULL left out`.
struct Caption {
    what: String,
    rows: String,
    left_out: String,
}

impl Caption {
    /// Of these rows of a table, where `number` says which cells are shown as numbers.
    fn of(
        (grid, table): (&Grid, &Table),
        rows: &[usize],
        other: Option<usize>,
        number: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let name = |at: usize| table.columns.get(at).map(|name| text::line(name)).unwrap_or_default();
        let gather = grid.gathered(table);
        let (figures, label) = (grid.value(table), grid.label(table));
        let value = figures.map(name);
        let measured = value.clone().filter(|_| gather != Gather::Count).unwrap_or_else(|| "rows".to_owned());
        let by = label.map(|label| format!(" by {}", name(label))).unwrap_or_default();
        let what = match (grid.shape, gather) {
            (Shape::Scatter, _) => format!("{measured} against {}", other.map(name).unwrap_or_default()),
            (Shape::Histogram, _) => format!("{}, how often", value.unwrap_or_default()),
            (Shape::Share, _) => format!("share of {measured}{by}"),
            (_, Gather::Sum) => format!("sum of {measured}{by}"),
            (_, Gather::Mean) => format!("average of {measured}{by}"),
            (_, Gather::Count) => format!("count of {measured}{by}"),
            (_, Gather::Each) => format!("{measured}{by}"),
        };
        // Bars of rows say themselves that there is nothing to draw.
        let bare = grid.shape == Shape::Bar && gather == Gather::Each;
        let mut needed = if bare || gather == Gather::Count { Vec::new() } else { Vec::from_iter(figures) };
        needed.extend(other.filter(|_| grid.shape == Shape::Scatter));
        let named = label.filter(|_| grid.shape == Shape::Line);
        let none = |row: &&usize| needed.iter().chain(&named).any(|at| table.cell(**row, *at).is_none());
        let odd = |row: &&usize| !none(row) && needed.iter().any(|at| !number(**row, *at));
        let (nulls, odd) = (rows.iter().filter(none).count(), rows.iter().filter(odd).count());
        let left_out = [(nulls, "NULL"), (odd, "without a number")];
        let left_out = left_out.iter().filter(|(count, _)| *count > 0);
        let left_out: Vec<String> =
            left_out.map(|(count, what)| format!("{} {what}", number::thousands(*count as u64))).collect();
        let left_out = if left_out.is_empty() { String::new() } else { format!("{} left out", left_out.join(", ")) };
        let counted = (rows.len() - nulls - odd) as u64;
        let all = number::count(usize::try_from(table.total).unwrap_or(usize::MAX), "row");
        let mut rows = if counted == table.total { all } else { format!("{} of {all}", number::thousands(counted)) };
        if let Some(part) = table::part(table) {
            rows.push_str(&format!(", {part} alone"));
        }
        Self { what, rows, left_out }
    }

    /// Draws it, with the key that shows something else of the rows where that has room; over two lines where it needs
    /// them and the chart can spare one. Gives how many it took.
    fn draw(&self, view: View<'_>, room: Rect, buf: &mut Buffer, (grid, table): (&Grid, &Table)) -> u16 {
        let width = usize::from(room.width);
        let next = grid.next_gather(table).and_then(|next| view.key(Context::Output, Command::Totals, next.word()));
        let key = next.map(|(key, says)| {
            Line::from(vec![view.span(key, Role::Accent), view.span(format!(" {says}"), Role::Dim)])
        });
        let beside = key.as_ref().map_or(0, |key| key.width() + 2);
        let mut lines: Vec<String> = Vec::new();
        for part in [&self.what, &self.rows, &self.left_out].into_iter().filter(|part| !part.is_empty()) {
            let room_left = if lines.len() > 1 { width } else { width.saturating_sub(beside) };
            match lines.last_mut() {
                Some(line) if room.height < ROOMY || text::width(line) + text::width(part) + 3 <= room_left => {
                    line.push_str(" · ");
                    line.push_str(part);
                }
                Some(_) | None => lines.push(part.clone()),
            }
        }
        let mut taken = 0;
        for line in lines.iter().take(2) {
            let mut left = width;
            if let Some(key) = key.as_ref().filter(|_| taken == 0 && text::width(line) + beside <= width) {
                left -= usize::from(put_right(buf, room, 0, key)) + 2;
            }
            put(buf, room, taken, &view.line(text::fit(line, left), Role::Dim));
            taken += 1;
        }
        taken
    }
}

/// What is drawn between two axes.
struct Points {
    kind: GraphType,
    at: Vec<(f64, f64)>,
    /// What stands along the lower axis: at its start, in its middle, at its end; none tells numbers.
    along: Vec<String>,
}

/// The points of a line: along the dates or numbers that are its labels, if all are such, else one after another.
/// What has no label has no place there.
fn along(bars: &[Bar], apart: bool) -> Points {
    let kind = GraphType::Line;
    let named: Vec<(&str, Option<f64>)> =
        bars.iter().filter_map(|bar| Some((bar.name.as_deref()?, bar.value))).collect();
    let placed: Option<Vec<_>> = named.iter().map(|(name, value)| Some((position(name)?, *name, *value))).collect();
    if let Some(mut placed) = placed.filter(|placed| !placed.is_empty()) {
        placed.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let at = placed.iter().filter_map(|(at, _, value)| Some((*at, (*value)?))).collect();
        let along = match (placed.first(), placed.last()) {
            (Some((from, first, _)), Some((to, last, _))) if placed.len() > 1 => {
                vec![(*first).to_owned(), between(first, f64::midpoint(*from, *to), apart), (*last).to_owned()]
            }
            (first, _) => alone(first.map_or("", |(_, name, _)| name)),
        };
        return Points { kind, at, along };
    }
    let name = |at: usize| named.get(at).map_or("", |(name, _)| name);
    let last = named.len().saturating_sub(1);
    let along = if last == 0 { alone(name(0)) } else { [0, last / 2, last].map(|at| name(at).to_owned()).to_vec() };
    let at = named.iter().enumerate().filter_map(|(at, (_, value))| Some((count(at), (*value)?))).collect();
    Points { kind, at, along }
}

/// Below a single point.
fn alone(name: &str) -> Vec<String> {
    vec![String::new(), name.to_owned(), String::new()]
}

/// A place on an axis in the way that its start is told.
fn between(start: &str, at: f64, apart: bool) -> String {
    #[allow(clippy::cast_possible_truncation)] // days of a calendar
    let day = time::Date::from_julian_day(at.floor() as i32);
    match day {
        _ if number_of(start).is_some() => told(at, apart),
        Ok(day) => day.to_string().chars().take(start.len().clamp(7, 10)).collect(),
        Err(_) => String::new(),
    }
}

/// Points between two axes.
fn draw_points(view: View<'_>, area: Rect, buf: &mut Buffer, points: &Points, apart: bool) {
    let range = |values: &dyn Fn(&(f64, f64)) -> f64| {
        let least = points.at.iter().map(values).fold(f64::INFINITY, f64::min);
        let most = points.at.iter().map(values).fold(f64::NEG_INFINITY, f64::max);
        if least < most { [least, most] } else { [least - 1.0, least + 1.0] }
    };
    if points.at.is_empty() {
        put(buf, area, 0, &view.line("No numbers.", Role::Dim));
        return;
    }
    let (x, y) = (range(&|point| point.0), range(&|point| point.1));
    let three =
        |ends: [f64; 2]| vec![told(ends[0], apart), told(f64::midpoint(ends[0], ends[1]), apart), told(ends[1], apart)];
    let mut along = if points.along.is_empty() { three(x) } else { points.along.clone() };
    if area.width < MIDDLE && along.first().is_some_and(|first| !first.is_empty()) {
        along.remove(1);
    }
    let room = usize::from(area.width / 4);
    let style = view.theme.style(Role::Dim);
    let axis = |bounds: [f64; 2], labels: Vec<String>| {
        let labels = labels.into_iter().map(|label| Span::styled(text::fit(&label, room).into_owned(), style));
        Axis::default().bounds(bounds).labels(labels.collect::<Vec<_>>()).style(style)
    };
    let dataset = Dataset::default()
        .marker(if points.kind == GraphType::Line { Marker::Braille } else { Marker::Dot })
        .graph_type(points.kind)
        .style(view.theme.style(Role::Accent))
        .data(&points.at);
    let zero = [(x[0], 0.0), (x[1], 0.0)];
    let below = Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line).style(style).data(&zero);
    let datasets = if y[0] < 0.0 && y[1] > 0.0 { vec![below, dataset] } else { vec![dataset] };
    Chart::new(datasets)
        .style(view.theme.style(Role::Text))
        .x_axis(axis(x, along))
        .y_axis(axis(y, three(y)))
        .render(area, buf);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: Option<&str>, value: f64) -> Bar {
        Bar { name: name.map(str::to_owned), value: Some(value), said: String::new() }
    }

    #[test]
    fn a_line_goes_along_the_dates_and_spaces_by_them() {
        let days = [("2025-03-01", 3.0), ("2025-01-01", 1.0), ("2025-01-02", 2.0)];
        let mut bars: Vec<Bar> = days.iter().map(|(name, value)| bar(Some(name), *value)).collect();
        bars.insert(1, bar(None, 9.0));
        let line = along(&bars, false);
        let values: Vec<f64> = line.at.iter().map(|point| point.1).collect();
        assert_eq!(values, [1.0, 2.0, 3.0], "what has no date has no place among them");
        assert!(line.at[2].0 - line.at[1].0 > 50.0 * (line.at[1].0 - line.at[0].0));
        assert_eq!(line.along, ["2025-01-01", "2025-01-30", "2025-03-01"]);
        let mixed = along(&[bar(Some("b"), 1.0), bar(Some("2025-01-01"), 2.0)], false);
        assert_eq!((mixed.at[1].0, mixed.along), (1.0, ["b", "b", "2025-01-01"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn the_middle_of_an_axis_is_told_as_its_start_is() {
        let day = position("2025-02-10").unwrap();
        let told = ["2025-01", "2025-01-01", "2025-01-01 10:00:00", "12"].map(|start| between(start, day, false));
        assert_eq!(told, ["2025-02", "2025-02-10", "2025-02-10", "2460717"]);
    }
}
