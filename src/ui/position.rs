//! What the rule of a pane says of where the person is in it: what is found, which part is in sight, what goes on.

use ratatui::text::{Line, Span};

use super::cache::OutputRows;
use super::paint::View;
use super::theme::Role;
use super::{item, number, printed, table, text};
use crate::app::{Command, Context, Pane, Phase, Printout, Shape, Sight};

/// What stands at the right of the pane's title.
pub fn chat(view: View<'_>, sight: &Sight) -> Line<'static> {
    let waiting = view.state.queue.waiting().next().is_some();
    let scroll = view.state.chat.scroll();
    let find = &view.state.finds.chat;
    if !find.text.is_empty() {
        let found = &sight.found.chat;
        let role = if found.is_empty() { Role::Medium } else { Role::Accent };
        return view.line(format!(" {} ", matches(find.row, found)), role);
    }
    if !scroll.follow && scroll.top < sight.limits.chat {
        return view.line(" more below ", Role::Medium);
    }
    match view.state.chat.phase() {
        Phase::Streaming { again, since, .. } => {
            let usual = if view.state.compacting() { "summarising" } else { "answering" };
            let said = again.clone().unwrap_or_else(|| {
                format!("{usual} {}", number::elapsed(view.state.now.since(*since))).trim_end().to_owned()
            });
            view.line(format!(" {} {said} ", item::spinner(view)), Role::Accent)
        }
        Phase::Working { .. } if waiting => view.line(" waits for you ", Role::Medium),
        Phase::Working { .. } => view.line(" working ", Role::Dim),
        Phase::Idle => view.state.used().map_or_else(Line::default, |used| view.line(format!(" {used} "), Role::Dim)),
    }
}

/// ` 12 of 1,211 `: which of the operations is selected, where they don't all fit.
pub fn queue(view: View<'_>, sight: &Sight) -> Line<'static> {
    let listed = view.state.queue.listed();
    let selected = view.state.queue.selected();
    let at = listed.iter().position(|item| Some(item.id) == selected).filter(|_| sight.limits.queue > 0);
    let Some(at) = at else { return Line::default() };
    let (place, all) = (number::thousands(at as u64 + 1), number::thousands(listed.len() as u64));
    view.line(format!(" {place} of {all} "), Role::Dim)
}

/// `match 3 of 12 · 40–62 of 1,204 lines`, as much of it as fits in so many columns; matches alone may take `most`. Once
/// the rows were drawn.
pub fn output(view: View<'_>, rows: &OutputRows, sight: &Sight, (columns, most): (usize, usize)) -> Line<'static> {
    let Some((id, printout)) = view.state.output.shown().zip(view.state.output.printout()) else {
        return Line::default();
    };
    let running = view.state.queue.get(id).is_some_and(|item| !item.status.closed());
    if let Some(glass) = &printout.glass {
        if glass.back > 0 {
            let (key, says) = view.key(Context::Output, Command::ToEnd, "its end").unwrap_or_default();
            let above = number::count(glass.back, "row");
            return view.line(format!(" {above} above the end · {key} {says} "), Role::Medium);
        }
        let enter = view.key(Context::Output, Command::TypeInto, "types into it");
        let enter = enter.filter(|_| view.state.typing_into().is_none());
        let away = view.state.focus != Pane::Output;
        let there = away.then(|| view.key(Context::Everywhere, Command::FocusOutput, "")).flatten();
        let first = there.map_or_else(String::new, |(key, _)| format!("{key}, then "));
        return enter
            .map_or_else(Line::default, |(key, says)| view.line(format!(" {first}{key} {says} "), Role::Accent));
    }
    if printout.table.is_none() && !running && printout.tail.bytes == 0 {
        return Line::default();
    }
    let words = match &printout.table {
        Some(table) => {
            let shape = Some(printout.grid.shape).filter(|shape| *shape != Shape::Rows);
            let shape = shape.map(|shape| view.span(shape.word(), Role::Accent));
            let reading = running.then(|| view.span("reading", Role::Accent));
            let count = Some(view.span(table::count(table, printout, sight), Role::Dim));
            // What is left out comes before as what the rest is drawn.
            let (one, other) = if printout.grid.filter.is_empty() { (shape, count) } else { (count, shape) };
            reading.into_iter().chain(one).chain(other).collect()
        }
        None => place(
            view,
            (printout, running),
            rows,
            sight,
            (view.state.queue.get(id).and_then(item::found), columns, most),
        ),
    };
    let mut spans = vec![Span::raw(" ")];
    let mut wide = 2;
    for (at, word) in words.into_iter().enumerate() {
        wide += word.width() + 3;
        if wide > columns && at > 0 {
            break;
        }
        if at > 0 {
            spans.push(view.span(" · ", Role::Dim));
        }
        spans.push(word);
    }
    spans.push(Span::raw(" "));
    Line::from(spans)
}

/// Where in a text the person is: matches, whether it follows, which of its lines are in sight.
fn place(
    view: View<'_>,
    (printout, running): (&Printout, bool),
    rows: &OutputRows,
    sight: &Sight,
    (summary, columns, most): (Option<String>, usize, usize),
) -> Vec<Span<'static>> {
    let mut words = Vec::new();
    let find = &view.state.finds.output;
    if !find.text.is_empty() {
        let found = &sight.found.output;
        let role = if found.is_empty() { Role::Medium } else { Role::Accent };
        let counted = find.counted.filter(|(id, _)| Some(*id) == view.state.output.shown());
        let here = printout.page.is_some() || printout.tail.from > 0;
        let matches = matches(find.row, found);
        let said = match counted {
            Some((_, all)) => format!("{matches} in this part, {} in all", number::thousands(all)),
            None if here => format!("{matches} in this part"),
            None => matches.clone(),
        };
        // Where there is little room the count of those at hand says most.
        let few =
            counted.map_or_else(|| matches.clone(), |(_, all)| format!("{matches}, {} in all", number::thousands(all)));
        words.push(view.span(if text::width(&said) + 2 <= most { said } else { few }, role));
    }
    let follows = running && printout.follows();
    if let Some(page) = &printout.page {
        let share = 100 * page.from / printout.tail.bytes.max(1);
        words.push(view.span(format!("earlier, from {share} %"), Role::Medium));
    } else if running {
        let (word, role) = if follows { ("following", Role::Accent) } else { ("held", Role::Medium) };
        words.push(view.span(word, role));
    }
    if view.state.output.wraps() {
        words.push(view.span("wrapped", Role::Dim));
    } else if printout.left > 0 {
        words.push(view.span(format!("from column {}", printout.left + 1), Role::Dim));
    }
    let lines = usize::try_from(printout.tail.lines).unwrap_or(usize::MAX);
    let sought = !find.text.is_empty();
    if let Some(summary) = &summary {
        // Its lines are no count of anything: they name files too. Nor are there two sorts of matches at once.
        words.extend((!sought).then(|| view.span(summary.clone(), Role::Dim)));
    }
    let all = number::count(lines, "line");
    let used: usize = words.iter().map(|word| word.width() + 3).sum();
    let part = part(printout, rows, sight).filter(|_| !follows && printout.page.is_none());
    let said = match part {
        Some((_, share)) if summary.is_some() => format!("{share} %"),
        None if summary.is_some() => return words,
        Some((Some(part), _)) if used + text::width(&part) + text::width(&all) + 6 <= columns => {
            format!("{part} of {all}")
        }
        Some((_, share)) if used + text::width(&all) + 14 <= columns => format!("{share} % of {all}"),
        Some((_, share)) => format!("{share} %"),
        None => all,
    };
    words.push(view.span(said, Role::Dim));
    words
}

/// `match 3 of 12`, or how many there are before one was gone to.
pub fn matches(row: Option<usize>, found: &[usize]) -> String {
    let more = if found.len() < printed::FOUND { "" } else { "+" };
    match row.and_then(|row| found.iter().position(|found| *found == row)) {
        Some(at) => {
            format!("match {} of {}{more}", number::thousands(at as u64 + 1), number::thousands(found.len() as u64))
        }
        None if found.is_empty() => "no match".to_owned(),
        None if found.len() == 1 => "1 match".to_owned(),
        None => format!("{}{more} matches", number::thousands(found.len() as u64)),
    }
}

/// Which lines are in sight, where a row is a line, and how far that is through all of them in percent; unless all are.
fn part(printout: &Printout, rows: &OutputRows, sight: &Sight) -> Option<(Option<String>, u64)> {
    let (limit, height) = (sight.limits.output, sight.rows.output);
    if limit == 0 || height == 0 {
        return None;
    }
    let held = rows.lines.len() as u64;
    let gone = printout.tail.lines.saturating_sub(rows.unwrapped);
    let above = u64::from(printout.tail.from > 0 || gone > 0);
    let first = (printout.scroll.first(limit + height, height) as u64).saturating_sub(above).min(held);
    let last = (first + height as u64).min(held);
    let through = gone + last * rows.unwrapped / held.max(1);
    let share = 100 * through / printout.tail.lines.max(1);
    let part = (held == rows.unwrapped)
        .then(|| format!("{}–{}", number::thousands(gone + first + 1), number::thousands(gone + last)));
    Some((part, share))
}
