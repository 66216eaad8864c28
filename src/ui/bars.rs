//! Bars of a chart: one for each row, for each label of several rows, or for each range of values. Figures stand beside
//! every bar; nothing is told by colour alone.

use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::number;
use super::paint::{View, put};
use super::theme::Role;
use super::{table, text};
use crate::app::{Gather, Scroll, Sight};
use crate::domain::number_of;

/// Widest name of a bar.
const NAME: usize = 24;
/// Ranges of a histogram.
const RANGES: usize = 12;
/// Eighths of a column.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/// Most letters of a figure beside its bar.
const FIGURE: usize = 12;
/// Most digits behind the point of a sum or an average.
const DIGITS: usize = 4;
/// Up to here every whole number has one of its own.
const FARTHEST: f64 = 9e15;

/// A value with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it is of; none is NULL.
    pub name: Option<String>,
    /// How long it is; none is NULL, or hidden.
    pub value: Option<f64>,
    /// What stands beside it.
    pub said: String,
}

/// What a chart takes of a row.
pub struct Entry<'a> {
    /// Which label it has, whether or not that is shown; none is NULL.
    pub label: Option<&'a str>,
    /// The label as it is shown.
    pub name: Option<String>,
    /// The value as it is shown; none is NULL.
    pub said: Option<String>,
}

impl Entry<'_> {
    /// Its value; what is hidden is none.
    pub fn figure(&self) -> Option<f64> {
        self.said.as_deref().and_then(number_of)
    }
}

/// In which order the bars of several labels stand; NULL is the last of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// As they came.
    Shown,
    /// The largest first.
    Largest,
    /// The smallest first.
    Smallest,
    /// By the date or the number that the label is.
    Label,
}

/// A bar for each row.
pub fn each(entries: Vec<Entry<'_>>, apart: bool) -> Vec<Bar> {
    let bar = |entry: Entry<'_>| {
        let value = entry.figure();
        let said = entry.said.unwrap_or_else(|| "NULL".to_owned());
        // So many digits would take the bars' room.
        let said = value.filter(|_| said.len() > FIGURE).map_or(said, short);
        Bar { name: entry.name, value, said: if apart { table::separated(&said) } else { said } }
    };
    entries.into_iter().map(bar).collect()
}

/// How many digits of an entry's number are told behind the point: as many as it is written with, but of what was
/// computed (`1.1099999999999999`) as many as it has but for that.
fn digits(entry: &Entry<'_>) -> usize {
    let Some((figure, said)) = entry.figure().zip(entry.said.as_deref()) else { return 0 };
    let written = said.split_once('.').map_or(0, |(_, digits)| digits.len());
    if written <= DIGITS {
        return written;
    }
    let near = |times: f64| (figure * times - (figure * times).round()).abs() < 1e-6;
    [1.0, 10.0, 100.0, 1e3, 1e4].into_iter().position(near).unwrap_or(2)
}

/// The rows of one label.
struct Group {
    name: Option<String>,
    rows: usize,
    numbers: usize,
    sum: f64,
}

/// A bar for each label.
pub fn gathered(entries: Vec<Entry<'_>>, gather: Gather, rank: Rank, apart: bool) -> Vec<Bar> {
    let digits = entries.iter().map(digits).max().unwrap_or(0);
    let mut places: HashMap<Option<&str>, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for entry in entries {
        let figure = entry.figure();
        let place = *places.entry(entry.label).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group { name: entry.name, rows: 0, numbers: 0, sum: 0.0 });
        }
        let Some(group) = groups.get_mut(place) else { continue };
        group.rows += 1;
        group.numbers += usize::from(figure.is_some());
        group.sum += figure.unwrap_or(0.0);
    }
    let bar = |group: Group| {
        let known = (group.numbers > 0).then_some(group.sum);
        let (value, digits) = match gather {
            Gather::Count => (Some(count(group.rows)), 0),
            Gather::Mean => (known.map(|sum| sum / count(group.numbers)), digits.max(2)),
            Gather::Sum | Gather::Each => (known, digits),
        };
        let said = value.map_or_else(|| "NULL".to_owned(), |value| figure(value, digits, apart));
        Bar { name: group.name, value, said }
    };
    let mut bars: Vec<Bar> = groups.into_iter().map(bar).collect();
    let value = |bar: &Bar| bar.value.unwrap_or(f64::NEG_INFINITY);
    let place = |bar: &Bar| bar.name.as_deref().and_then(position).unwrap_or(f64::INFINITY);
    match rank {
        Rank::Shown => {}
        Rank::Largest => bars.sort_by(|a, b| value(b).total_cmp(&value(a))),
        Rank::Smallest => bars.sort_by(|a, b| value(a).total_cmp(&value(b))),
        Rank::Label => bars.sort_by(|a, b| place(a).total_cmp(&place(b))),
    }
    bars.sort_by_key(|bar| bar.name.is_none());
    bars
}

/// A computed number with so many digits behind the point.
fn figure(value: f64, digits: usize, apart: bool) -> String {
    let mut said = format!("{value:.digits$}");
    if said.len() > FIGURE {
        said = short(value);
    }
    if apart { table::separated(&said) } else { said }
}

/// The parts of a whole, the largest first, and in the last row what has no row.
pub fn shares(mut bars: Vec<Bar>, rows: usize, apart: bool) -> Vec<Bar> {
    let sum = |bars: &[Bar]| bars.iter().filter_map(|bar| bar.value).sum::<f64>();
    let whole = sum(&bars);
    bars.sort_by(|a, b| b.value.unwrap_or(0.0).total_cmp(&a.value.unwrap_or(0.0)));
    if bars.len() > rows && rows > 1 {
        let others = bars.split_off(rows - 1);
        let value = sum(&others);
        let name = Some(number::count(others.len(), "other"));
        bars.push(Bar { name, value: Some(value), said: told(value, apart) });
    }
    let wide = bars.iter().map(|bar| text::width(&bar.said)).max().unwrap_or(0);
    for bar in &mut bars {
        let part = if whole > 0.0 { 100.0 * bar.value.unwrap_or(0.0) / whole } else { 0.0 };
        bar.said = format!("{part:>5.1} %  {:>wide$}", bar.said);
    }
    bars
}

/// The longest bar's value.
pub fn most(bars: &[Bar]) -> f64 {
    bars.iter().filter_map(|bar| bar.value).map(f64::abs).fold(0.0, f64::max)
}

/// How many values fall into each of equal ranges with round ends, which are no more than `rows`.
pub fn ranges(values: &[f64], rows: usize, apart: bool) -> Vec<Bar> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() {
        return Vec::new();
    }
    let bar = |name: String, hits: usize| Bar {
        name: Some(name),
        value: Some(count(hits)),
        said: number::thousands(hits as u64),
    };
    let rows = rows.clamp(3, 2 * RANGES);
    // Further out the next number is the same one.
    let counted = |value: &f64| value.fract() == 0.0 && value.abs() < FARTHEST;
    if values.iter().all(counted) && most - least < count(rows) {
        let hits = |number: f64| values.iter().filter(|value| (**value - number).abs() < 0.5).count();
        let numbers = std::iter::successors(Some(least), |number| Some(number + 1.0));
        return numbers.take_while(|number| *number <= most).map(|at| bar(told(at, apart), hits(at))).collect();
    }
    let rows = rows.min(RANGES);
    // One range may be cut at either end.
    let Some((wide, digits)) = round((most - least) / count(rows - 1)) else {
        return vec![bar(told(least, apart), values.len())];
    };
    let start = (least / wide).floor() * wide;
    let mut counts = vec![0_usize; rows];
    for value in values {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the ranges, by the clamp
        let at = ((value - start) / wide).clamp(0.0, count(rows - 1)) as usize;
        counts[at] += 1;
    }
    while counts.last() == Some(&0) {
        counts.pop();
    }
    let from = |at: usize| figure(start + wide * count(at), digits, apart);
    counts.into_iter().enumerate().map(|(at, hits)| bar(format!("{} … {}", from(at), from(at + 1)), hits)).collect()
}

/// The next round number from this one on, and its digits behind the point. None where there is no such number.
fn round(number: f64) -> Option<(f64, usize)> {
    let size = number.log10().floor();
    let (wide, half) = [(1.0, 0.0), (2.0, 0.0), (2.5, 1.0), (5.0, 0.0), (10.0, -1.0)]
        .map(|(times, half)| (times * 10_f64.powf(size), half))
        .into_iter()
        .find(|(wide, _)| *wide >= number)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // not below nothing, and few
    let digits = (half - size).clamp(0.0, count(2 * DIGITS)) as usize;
    (wide > 0.0 && wide.is_finite()).then_some((wide, digits))
}

/// A count as a length.
#[allow(clippy::cast_precision_loss)] // a place on a screen
pub fn count(at: usize) -> f64 {
    at as f64
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

/// The same, its thousands apart where that is asked for.
pub fn told(value: f64, apart: bool) -> String {
    let said = short(value);
    if apart { table::separated(&said) } else { said }
}

/// Where a number, or a date and its time, stands on an axis.
pub fn position(name: &str) -> Option<f64> {
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

/// How bars are drawn.
pub struct Look {
    /// The value of a bar that fills the row.
    pub most: f64,
    /// What each of them is one of: a row, a label, a range.
    pub one: &'static str,
    /// Whether those that don't fit have a sum that says something.
    pub adds_up: bool,
    /// Whether thousands stand apart.
    pub apart: bool,
}

/// Horizontal bars: name, figure, bar. Those that don't fit are counted, and scrolled to.
pub fn draw(
    view: View<'_>,
    area: Rect,
    buf: &mut Buffer,
    bars: &[Bar],
    (look, scroll, sight): (Look, Scroll, &mut Sight),
) {
    let columns = usize::from(area.width);
    let name = |bar: &Bar| bar.name.clone().unwrap_or_else(|| "NULL".to_owned());
    let names = bars.iter().map(|bar| text::width(&name(bar))).max().unwrap_or(0).min(NAME).min(columns / 3);
    let said = bars.iter().map(|bar| text::width(&bar.said)).max().unwrap_or(0).min(columns / 3);
    let room = columns.saturating_sub(names + said + 4);
    // What is below zero goes to the left of it.
    let values = || bars.iter().filter_map(|bar| bar.value);
    let (lowest, highest) = (values().map(|value| -value).fold(0.0, f64::max), values().fold(0.0, f64::max));
    let (left, room, most) = if lowest > 0.0 {
        let room = room.saturating_sub(1);
        (eighths(lowest, lowest + highest, room).div_ceil(8), room, lowest + highest)
    } else {
        (0, room, look.most)
    };
    let height = usize::from(area.height);
    let fits = if bars.len() > height { height.saturating_sub(1) } else { bars.len() };
    sight.limits.output = bars.len() - fits;
    let first = scroll.first(bars.len(), fits);
    for (row, bar) in (0..area.height).zip(&bars[first..first + fits]) {
        let value = bar.value.unwrap_or(0.0);
        let eighths = eighths(value.abs(), most, room);
        let (role, drawn) = if value < 0.0 {
            // There are no blocks that grow to the left but a half.
            let (whole, half) = ((eighths / 8).min(left), if eighths % 8 >= 4 { "▐" } else { "" });
            (Role::Removed, format!("{:>left$}│", format!("{half}{}", "█".repeat(whole))))
        } else {
            let zero = if left > 0 { format!("{:left$}│", "") } else { String::new() };
            (Role::Accent, format!("{zero}{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8]))
        };
        let of = if bar.name.is_some() { Role::Text } else { Role::Comment };
        let line = Line::from(vec![
            view.span(text::column(&text::middle(&name(bar), names), names), of),
            Span::raw("  "),
            view.span(
                text::column_right(&bar.said, said),
                if bar.value.is_some() { Role::Strong } else { Role::Comment },
            ),
            Span::raw("  "),
            view.span(drawn, role),
        ]);
        put(buf, area, row, &line);
    }
    let below = &bars[first + fits..];
    if !below.is_empty() {
        let sum = below.iter().filter_map(|bar| bar.value).sum();
        let together = if look.adds_up { format!(", together {}", told(sum, look.apart)) } else { String::new() };
        let said = format!("… {}{together}", number::count(below.len(), &format!("more {}", look.one)));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entry<'a>(label: Option<&'a str>, said: Option<&str>) -> Entry<'a> {
        Entry { label, name: label.map(str::to_owned), said: said.map(str::to_owned) }
    }

    fn shown(bars: &[Bar]) -> Vec<(&str, &str)> {
        bars.iter().map(|bar| (bar.name.as_deref().unwrap_or("NULL"), bar.said.as_str())).collect()
    }

    #[test]
    fn every_value_falls_into_one_range() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let names = |values: &[f64], rows, apart| {
            let bars = ranges(values, rows, apart);
            let hits: f64 = bars.iter().filter_map(|bar| bar.value).sum();
            assert!((hits - count(values.len())).abs() < 1e-9 && bars.len() <= rows, "{values:?}");
            bars.into_iter().filter_map(|bar| bar.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&values, 40, false).len(), 10);
        assert_eq!(names(&values, 6, false), ["0 … 20", "20 … 40", "40 … 60", "60 … 80", "80 … 100"]);
        assert_eq!(names(&[1.0, 3.0, 3.0], 40, false), ["1", "2", "3"]);
        assert_eq!(names(&[0.013, 0.0175], 3, false), ["0.0125 … 0.0150", "0.0150 … 0.0175", "0.0175 … 0.0200"]);
        assert_eq!(names(&[5.0, 5.0], 40, false).len(), 1);
        assert!(ranges(&[], 40, false).is_empty());
        assert_eq!(names(&[f64::MAX, f64::MIN], 40, false).len(), 1);
        assert_eq!(names(&[1e17, 1e17], 40, false).len(), 1, "one more than that is the same number");
        assert_eq!(names(&[-1_000.0, 1_001.0], 4, true), ["-1,000 … 0", "0 … 1,000", "1,000 … 2,000"]);
    }

    #[test]
    fn rows_of_a_label_are_one_bar_and_null_stands_apart() {
        let entries = || {
            vec![
                entry(Some("ada"), Some("1000.25")),
                entry(None, Some("9999")),
                entry(Some("bo"), Some("2000.5")),
                entry(Some("ada"), Some("1500.50")),
                entry(Some("bo"), None),
                entry(Some("cy"), None),
                entry(Some("NULL"), Some("1")),
            ]
        };
        let of = |gather, rank, apart| gathered(entries(), gather, rank, apart);
        let sums = of(Gather::Sum, Rank::Largest, true);
        let told = [("ada", "2,500.75"), ("bo", "2,000.50"), ("NULL", "1.00"), ("cy", "NULL"), ("NULL", "9,999.00")];
        assert_eq!(shown(&sums), told);
        assert_eq!((sums[2].name.is_some(), sums[4].name.is_some()), (true, false));
        let means = of(Gather::Mean, Rank::Shown, false);
        assert_eq!(shown(&means)[..2], [("ada", "1250.38"), ("bo", "2000.50")]);
        let counts = of(Gather::Count, Rank::Smallest, false);
        assert_eq!(shown(&counts)[..2], [("cy", "1"), ("NULL", "1")]);
    }

    #[test]
    fn a_sum_has_the_digits_of_what_it_adds_up() {
        let of = |cells: [&str; 2]| {
            let entries = cells.into_iter().map(|cell| entry(Some("a"), Some(cell))).collect();
            gathered(entries, Gather::Sum, Rank::Shown, false)[0].said.clone()
        };
        assert_eq!(of(["1000.50", "0.1"]), "1000.60");
        assert_eq!(of(["1.1099999999999999", "2.2199999999999998"]), "3.33");
        assert_eq!(of(["0.3333333333333333", "1"]), "1.33");
        assert_eq!(of(["2", "5"]), "7");
    }

    #[test]
    fn bars_of_dates_stand_in_their_order() {
        let days = vec![
            entry(Some("2025-03-01"), Some("1")),
            entry(None, Some("5")),
            entry(Some("2025-01-01"), Some("2")),
            entry(Some("2025-03-01"), Some("3")),
        ];
        let bars = gathered(days, Gather::Sum, Rank::Label, false);
        assert_eq!(shown(&bars), [("2025-01-01", "2"), ("2025-03-01", "4"), ("NULL", "5")]);
        let parts = ["2025-02", "2025-02-01 12:00:00", "x-1"].map(position);
        assert_eq!((parts[1].zip(parts[0]).map(|(a, b)| a - b), parts[2]), (Some(0.5), None));
    }

    #[test]
    fn a_row_is_told_as_it_came_and_long_digits_in_few() {
        let bars = each(vec![entry(None, Some("1234567")), entry(Some("a"), Some("12345678901234567890"))], true);
        assert_eq!(shown(&bars), [("NULL", "1,234,567"), ("a", "1.23e19")]);
    }

    #[test]
    fn the_tail_of_shares_is_one_row() {
        let bar = |name: &str, value: f64| Bar { name: Some(name.to_owned()), value: Some(value), said: short(value) };
        let bars = shares(vec![bar("a", 3.0), bar("b", 5.0), bar("c", 1.0), bar("d", 1.0)], 3, false);
        assert_eq!(shown(&bars), [("b", " 50.0 %  5"), ("a", " 30.0 %  3"), ("2 others", " 20.0 %  2")]);
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
        assert_eq!([(1_234_567.0, true), (0.5, true)].map(|(value, apart)| told(value, apart)), ["1,234,567", "0.50"]);
    }
}
