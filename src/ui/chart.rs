//! Rows as a chart, since people look before they read: bars, a line, points, a histogram, shares. Figures stand
//! beside every bar; nothing is told by colour alone.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

use super::number;
use super::paint::{View, put};
use super::theme::Role;
use super::{table, text};
use crate::app::{Printout, Scroll, Shape, Sight};
use crate::domain::{Table, number_of};

/// Widest name of a bar.
const NAME: usize = 24;
/// Ranges of a histogram.
const RANGES: usize = 12;
/// Eighths of a column.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Most letters of a figure beside its bar.
const FIGURE: usize = 12;

/// A value with its name.
struct Bar {
    name: String,
    value: f64,
    said: String,
}

/// Draws the rows that are shown of a table as the chosen chart.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer, (printout, table): (&Printout, &Table), sight: &mut Sight) {
    let (grid, scroll) = (&printout.grid, printout.scroll);
    let Some(value) = grid.value(table).filter(|_| area.height > 2 && area.width > 10) else { return };
    let label = grid.label(table);
    let other = (0..table.columns.len()).find(|at| table.numeric(*at) && *at != value).unwrap_or(value);
    let name = |at: usize| table.columns.get(at).map(|name| text::line(name)).unwrap_or_default();
    let said = |row: usize, label: usize| {
        let column = table.columns.get(label).map_or("", String::as_str);
        table.cell(row, label).map(|value| text::line(&view.state.masks.hide_cell(column, value)))
    };
    if grid.len(table) == 0 {
        let room = Rect { x: area.x + 1, width: area.width - 2, ..area };
        let none = || view.line("No rows.", Role::Dim);
        put(buf, room, 0, &if grid.filter.is_empty() { none() } else { table::none_holds(view, table, grid) });
        return;
    }
    let rows: Vec<usize> = (0..grid.len(table)).filter_map(|at| grid.row(table, at)).collect();
    // What is hidden is no figure.
    let figure = |row: usize, at: usize| said(row, at).as_deref().and_then(number_of);
    let mut title = name(value);
    match (grid.shape, label) {
        (Shape::Scatter, _) => title = format!("{title} against {}", name(other)),
        (Shape::Histogram, _) => title = format!("{title}, how often"),
        (Shape::Share, Some(label)) => title = format!("share of {title} by {}", name(label)),
        (_, Some(label)) => title = format!("{title} by {}", name(label)),
        (_, None) => {}
    }
    if (table.rows.len() as u64) < table.total {
        title.push_str(&format!(", {}", table::held_of(table)));
    }
    let room = Rect { x: area.x + 1, width: area.width - 2, ..area };
    put(buf, room, 0, &view.line(text::fit(&title, room.width.into()), Role::Dim));
    let room = Rect { y: room.y + 1, height: room.height - 1, ..room };
    let bars = || {
        let called = |row: &usize| match label {
            Some(label) => said(*row, label).unwrap_or_else(|| "NULL".to_owned()),
            None => format!("row {}", row + 1),
        };
        let bar = |row: &usize| {
            let figure = figure(*row, value);
            let said = said(*row, value).unwrap_or_else(|| "NULL".to_owned());
            // So many digits would take the bars' room.
            let said = number_of(&said).filter(|_| said.len() > FIGURE).map_or(said, short);
            Bar { name: called(row), value: figure.unwrap_or(0.0), said }
        };
        rows.iter().map(bar).collect::<Vec<_>>()
    };
    match grid.shape {
        Shape::Rows => {}
        Shape::Bar => {
            let bars = bars();
            draw_bars(view, room, buf, &bars, most(&bars), scroll, sight);
        }
        Shape::Share => {
            let bars = shares(bars(), room.height.into());
            // Each fills its part of the whole.
            let whole = bars.iter().map(|bar| bar.value).sum();
            draw_bars(view, room, buf, &bars, whole, scroll, sight);
        }
        Shape::Histogram => {
            let values: Vec<f64> = rows.iter().filter_map(|row| figure(*row, value)).collect();
            let bars = ranges(&values);
            draw_bars(view, room, buf, &bars, most(&bars), scroll, sight);
        }
        Shape::Line => {
            let values = rows.iter().map(|row| (label.and_then(|label| said(*row, label)), figure(*row, value)));
            let (points, ends) = along(&values.collect::<Vec<_>>());
            draw_points(view, room, buf, &points, GraphType::Line, Some(ends));
        }
        Shape::Scatter => {
            let points = rows.iter().filter_map(|row| Some((figure(*row, other)?, figure(*row, value)?)));
            draw_points(view, room, buf, &points.collect::<Vec<_>>(), GraphType::Scatter, None);
        }
    }
}

#[allow(clippy::cast_precision_loss)] // a place on a screen
fn count(at: usize) -> f64 {
    at as f64
}

/// The points of a line and what stands at its ends: along the dates or numbers that name the rows, if all are such,
/// else row by row.
fn along(rows: &[(Option<String>, Option<f64>)]) -> (Vec<(f64, f64)>, (String, String)) {
    let last = rows.len();
    let placed: Option<Vec<(f64, &str, Option<f64>)>> = rows
        .iter()
        .map(|(name, value)| name.as_deref().and_then(|name| Some((position(name)?, name, *value))))
        .collect();
    if let Some(mut placed) = placed {
        placed.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let end = |at: Option<&(f64, &str, _)>| at.map_or_else(String::new, |(_, name, _)| (*name).to_owned());
        let ends = (end(placed.first()), end(placed.last()));
        return (placed.iter().filter_map(|(at, _, value)| Some((*at, (*value)?))).collect(), ends);
    }
    let points = rows.iter().enumerate().filter_map(|(at, (_, value))| Some((count(at), (*value)?))).collect();
    (points, ("row 1".to_owned(), format!("row {}", number::thousands(last as u64))))
}

/// Where a number, or a date and its time, stands on an axis.
fn position(name: &str) -> Option<f64> {
    number_of(name).or_else(|| {
        let (date, clock) = name.split_at_checked(10).unwrap_or((name, ""));
        let mut parts = date.splitn(3, '-');
        let (year, month) = (parts.next()?.parse().ok()?, parts.next()?.parse::<u8>().ok()?);
        let day = parts.next().map_or(Some(1), |day| day.parse().ok())?;
        let date = time::Date::from_calendar_date(year, time::Month::try_from(month).ok()?, day).ok()?;
        let mut parts = clock.trim_start_matches([' ', 'T']).split(':').map(|part| part.parse::<f64>().unwrap_or(0.0));
        let mut next = || parts.next().unwrap_or(0.0);
        Some(f64::from(date.to_julian_day()) + next() / 24.0 + next() / 1_440.0 + next() / 86_400.0)
    })
}

/// The parts of a whole, the largest first: those of one name together, and in the last row what has no row.
fn shares(bars: Vec<Bar>, rows: usize) -> Vec<Bar> {
    let whole: f64 = bars.iter().map(|bar| bar.value).sum();
    let mut sums: BTreeMap<String, (f64, String, usize)> = BTreeMap::new();
    for bar in bars {
        let sum = sums.entry(bar.name).or_default();
        *sum = (sum.0 + bar.value, bar.said, sum.2 + 1);
    }
    let one = |(name, (value, said, times)): (String, (f64, String, usize))| {
        let said = if times == 1 { said } else { short(value) };
        Bar { name, value, said }
    };
    let mut bars: Vec<Bar> = sums.into_iter().map(one).collect();
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    if bars.len() > rows && rows > 1 {
        let others = bars.split_off(rows - 1);
        let value = others.iter().map(|bar| bar.value).sum();
        bars.push(Bar { name: number::count(others.len(), "other"), value, said: short(value) });
    }
    for bar in &mut bars {
        bar.said = format!("{:>5.1} %  {}", if whole > 0.0 { 100.0 * bar.value / whole } else { 0.0 }, bar.said);
    }
    bars
}

/// The longest bar's value.
fn most(bars: &[Bar]) -> f64 {
    bars.iter().map(|bar| bar.value.abs()).fold(0.0, f64::max)
}

/// How many values fall into each of equal ranges.
fn ranges(values: &[f64]) -> Vec<Bar> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() {
        return Vec::new();
    }
    let whole = values.iter().all(|value| value.fract() == 0.0) && most - least < count(2 * RANGES);
    if whole {
        return each(values, least, most);
    }
    let wide = (most - least) / count(RANGES);
    if wide <= 0.0 || !wide.is_finite() {
        return vec![Bar { name: short(least), value: count(values.len()), said: values.len().to_string() }];
    }
    let mut counts = [0_usize; RANGES];
    for value in values {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the ranges, by the clamp
        let at = ((value - least) / wide).clamp(0.0, count(RANGES - 1)) as usize;
        counts[at] += 1;
    }
    let bar = |(at, hits): (usize, usize)| {
        let from = least + wide * count(at);
        Bar {
            name: format!("{} … {}", short(from), short(from + wide)),
            value: count(hits),
            said: number::thousands(hits as u64),
        }
    };
    counts.into_iter().enumerate().map(bar).collect()
}

/// How often each of a few whole numbers comes.
fn each(values: &[f64], least: f64, most: f64) -> Vec<Bar> {
    let mut bars = Vec::new();
    let mut number = least;
    while number <= most {
        let hits = values.iter().filter(|value| (**value - number).abs() < 0.5).count();
        bars.push(Bar { name: short(number), value: count(hits), said: number::thousands(hits as u64) });
        number += 1.0;
    }
    bars
}

/// A number in few characters.
fn short(value: f64) -> String {
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-3) {
        format!("{value:.2e}")
    } else if value.fract() == 0.0 || size >= 1_000.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

/// Horizontal bars: name, bar, figure; one of the value `most` fills the row. Those that don't fit are counted, and
/// scrolled to.
fn draw_bars(view: View<'_>, area: Rect, buf: &mut Buffer, bars: &[Bar], most: f64, scroll: Scroll, sight: &mut Sight) {
    let columns = usize::from(area.width);
    let names = bars.iter().map(|bar| text::width(&bar.name)).max().unwrap_or(0).min(NAME).min(columns / 3);
    let said = bars.iter().map(|bar| text::width(&bar.said)).max().unwrap_or(0).min(columns / 3);
    let room = columns.saturating_sub(names + said + 4);
    // What is below zero goes to the left of it.
    let lowest = bars.iter().map(|bar| -bar.value).fold(0.0, f64::max);
    let highest = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let (left, room, most) = if lowest > 0.0 {
        let room = room.saturating_sub(1);
        let left = eighths(lowest, lowest + highest, room).div_ceil(8);
        (left, room, lowest + highest)
    } else {
        (0, room, most)
    };
    let height = usize::from(area.height);
    let fits = if bars.len() > height { height.saturating_sub(1) } else { bars.len() };
    sight.limits.output = bars.len() - fits;
    let first = scroll.first(bars.len(), fits);
    for (row, bar) in (0..area.height).zip(&bars[first..first + fits]) {
        let eighths = eighths(bar.value.abs(), most, room);
        let (role, drawn) = if bar.value < 0.0 {
            // There are no blocks that grow to the left but a half.
            let (whole, half) = ((eighths / 8).min(left), if eighths % 8 >= 4 { "▐" } else { "" });
            (Role::Removed, format!("{:>left$}│", format!("{half}{}", "█".repeat(whole))))
        } else {
            let zero = if left > 0 { format!("{:left$}│", "") } else { String::new() };
            (Role::Accent, format!("{zero}{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8]))
        };
        let line = Line::from(vec![
            view.span(text::column(&bar.name, names), Role::Text),
            Span::raw("  "),
            view.span(text::column_right(&bar.said, said), Role::Strong),
            Span::raw("  "),
            view.span(drawn, role),
        ]);
        put(buf, area, row, &line);
    }
    let more = bars.len() - first - fits;
    if more > 0 {
        let said = format!("… {}", number::count(more, "more row"));
        put(buf, area, area.height - 1, &view.line(said, Role::Dim));
    }
}

/// How many eighths of a column a value takes where `most` fills the room.
fn eighths(value: f64, most: f64, room: usize) -> usize {
    let length = if most > 0.0 { value / most * count(room) * 8.0 } else { 0.0 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most eight times the room
    let eighths = length.round() as usize;
    eighths
}

/// Points between two axes.
fn draw_points(
    view: View<'_>,
    area: Rect,
    buf: &mut Buffer,
    points: &[(f64, f64)],
    kind: GraphType,
    ends: Option<(String, String)>,
) {
    let range = |values: &dyn Fn(&(f64, f64)) -> f64| {
        let least = points.iter().map(values).fold(f64::INFINITY, f64::min);
        let most = points.iter().map(values).fold(f64::NEG_INFINITY, f64::max);
        if least < most { [least, most] } else { [least - 1.0, least + 1.0] }
    };
    if points.is_empty() {
        put(buf, area, 0, &view.line("No numbers.", Role::Dim));
        return;
    }
    let (x, y) = (range(&|point| point.0), range(&|point| point.1));
    let half = usize::from(area.width / 3);
    let ends = match ends {
        Some((first, last)) => [text::fit(&first, half).into_owned(), text::fit(&last, half).into_owned()],
        None => x.map(short),
    };
    let style = view.theme.style(Role::Dim);
    let axis =
        |bounds: [f64; 2], labels: Vec<Span<'static>>| Axis::default().bounds(bounds).labels(labels).style(style);
    let middle = f64::midpoint(y[0], y[1]);
    let said = [y[0], middle, y[1]].map(|value| Span::styled(short(value), style));
    let dataset = Dataset::default()
        .marker(if kind == GraphType::Line { Marker::Braille } else { Marker::Dot })
        .graph_type(kind)
        .style(view.theme.style(Role::Accent))
        .data(points);
    Chart::new(vec![dataset])
        .style(view.theme.style(Role::Text))
        .x_axis(axis(x, ends.map(|end| Span::styled(end, style)).to_vec()))
        .y_axis(axis(y, said.to_vec()))
        .render(area, buf);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_falls_into_one_range() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let bars = ranges(&values);
        assert_eq!((bars.len(), ranges(&[1.0, 3.0, 3.0]).len()), (RANGES, 3));
        assert!((bars.iter().map(|bar| bar.value).sum::<f64>() - 100.0).abs() < 1e-9);
        assert_eq!(ranges(&[5.0, 5.0]).len(), 1);
        assert!(ranges(&[]).is_empty());
        assert_eq!(ranges(&[f64::MAX, f64::MIN]).len(), 1);
    }

    #[test]
    fn a_line_goes_along_the_dates_and_spaces_by_them() {
        let row = |name: &str, value| (Some(name.to_owned()), Some(value));
        let (points, ends) = along(&[row("2025-03-01", 3.0), row("2025-01-01", 1.0), row("2025-01-02", 2.0)]);
        let values: Vec<f64> = points.iter().map(|point| point.1).collect();
        assert_eq!(values, [1.0, 2.0, 3.0]);
        assert!(points[2].0 - points[1].0 > 50.0 * (points[1].0 - points[0].0));
        assert_eq!(ends, ("2025-01-01".to_owned(), "2025-03-01".to_owned()));
        let (points, ends) = along(&[row("b", 1.0), row("2025-01-01", 2.0)]);
        assert_eq!((points[1].0, ends), (1.0, ("row 1".to_owned(), "row 2".to_owned())));
        let parts = ["2025-02", "2025-02-01 12:00:00", "x-1"].map(position);
        assert_eq!((parts[1].zip(parts[0]).map(|(a, b)| a - b), parts[2]), (Some(0.5), None));
    }

    #[test]
    fn shares_are_gathered_by_name_and_the_tail_is_one_row() {
        let bar = |name: &str, value: f64| Bar { name: name.to_owned(), value, said: short(value) };
        let bars = shares(vec![bar("a", 1.0), bar("b", 5.0), bar("a", 2.0), bar("c", 1.0), bar("d", 1.0)], 3);
        let told: Vec<_> = bars.iter().map(|bar| (bar.name.as_str(), bar.said.as_str())).collect();
        assert_eq!(told, [("b", " 50.0 %  5"), ("a", " 30.0 %  3"), ("2 others", " 20.0 %  2")]);
    }

    #[test]
    fn the_longest_of_what_is_below_zero_fits_to_the_left() {
        let of = |value| eighths(value, 4.0, 10);
        assert_eq!([of(0.0), of(1.0), of(3.0)], [0, 20, 60]);
        assert_eq!(eighths(1.0, 0.0, 10), 0);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, 12.5, 1234.6, 3e20, 0.000_01].map(short), ["0", "12.50", "1235", "3.00e20", "1.00e-5"]);
    }
}
