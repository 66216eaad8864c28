//! What a waiting operation would do, as measured: a few rows that stay in sight, and what scrolls with its text.
//! Everything here came from files and servers: neutralised, and behind a gutter of its own.

use ratatui::text::{Line, Span};
use similar::TextDiff;

use super::derivation::labelled;
use super::highlight::highlight;
use super::number;
use super::paint::View;
use super::table;
use super::text::{self, Break};
use super::theme::{Role, Theme};
use crate::app::{Command, Context, Placing, Status};
use crate::domain::{
    self, Class, Detail, Foresight, OperationId, OperationKind, Outcome, Prepared, Preview, Remedy, Share, masked,
};

/// Rows that are kept free for the effect while it is being measured: two for what it does, one for undoing it.
pub const RESERVED: usize = 3;
/// Rows of a trial that a dialog shows; its output has the others.
const TRIED: usize = 50;
/// Lines of a text times those of what was made of it, up to which they are compared.
const COMPARED: usize = 1_000_000;
/// What stands left of every row that a preview brought.
const GUTTER: &str = "╎ ";

/// The effect in a few words, for a row of the list.
pub fn brief(foresight: &Foresight) -> Option<String> {
    match foresight {
        Foresight::Measuring => Some("measuring…".to_owned()),
        Foresight::Measured(preview) => {
            let undo = match &preview.remedy {
                Remedy::Unknown => None,
                Remedy::Possible(_) => Some("can be undone"),
                Remedy::ByHand(_) => Some("can be undone by hand"),
                Remedy::Impossible(_) => Some("can't be undone"),
                Remedy::Unsure(_) => Some("undo isn't known"),
            };
            let brief = Some(whole(text::line(&preview.brief))).filter(|brief| !brief.is_empty());
            let said: Vec<String> = brief.into_iter().chain(undo.map(str::to_owned)).collect();
            (!said.is_empty()).then(|| said.join(" · "))
        }
        Foresight::Nothing | Foresight::Unmeasurable(_) => None,
    }
}

/// `all 340 rows` for `340 of 340 rows`: two figures that are the same take a second look.
fn whole(brief: String) -> String {
    match brief.split_once(" of ") {
        Some((some, all)) if some != "1" && all.split(' ').next() == Some(some) => format!("all {all}"),
        _ => brief,
    }
}

/// The rows that stay in sight: what it would do, and whether that could be undone.
pub fn rows(
    view: View<'_>,
    prepared: &Prepared,
    foresight: Option<&Foresight>,
    placing: Placing,
    columns: usize,
) -> Vec<Line<'static>> {
    let quoted = |said: &String| text::line(&prepared.hidden(said));
    let effect = |said: Vec<(String, Role)>| labelled(view, "effect", said, columns);
    let mut lines = match foresight {
        None | Some(Foresight::Nothing) => Vec::new(),
        Some(Foresight::Measuring) => effect(vec![("measuring…".to_owned(), Role::Dim)]),
        Some(Foresight::Unmeasurable(reason)) => {
            let told = quoted(reason);
            let said = if told.contains("beforehand") { told } else { format!("can't be told beforehand: {told}") };
            let mut lines = effect(vec![(said, Role::Dim)]);
            let unmeasured = match unmeasured(&prepared.operation.kind) {
                Remedy::Unknown if matches!(prepared.assessment.class(), Class::Declared(_)) => {
                    Remedy::Unsure("it couldn't be measured.".to_owned())
                }
                known => known,
            };
            lines.extend(remedy(view, prepared.operation.id, &unmeasured, columns));
            lines
        }
        Some(Foresight::Measured(preview)) => {
            let warnings = preview.warnings.iter().map(|said| (quoted(said), Role::Trouble));
            // What it would do otherwise is of no use to whoever reads that it fails; what others before it do is.
            let several = prepared.assessment.findings.iter().any(|finding| finding.rule == "sql.several");
            let effects = if preview.fails() && !several { &[][..] } else { &preview.effects };
            let effects = effects.iter().map(|said| (quoted(said), Role::Text));
            let mut lines = effect(warnings.chain(effects).collect());
            lines.extend(remedy(view, prepared.operation.id, &preview.remedy, columns));
            lines
        }
    };
    if placing == Placing::Late && (lines.len() > RESERVED || foresight.is_some_and(detailed)) {
        let key = view.key(Context::Dialog, Command::LineDown, "").map_or_else(String::new, |(key, _)| key);
        // Whether it could be undone is part of what a yes means, however much else there is.
        let undo = undo_row(&lines).filter(|at| *at + 1 >= RESERVED).map(|at| lines[at].clone());
        lines.truncate(RESERVED - 1);
        if let (Some(undo), Some(last)) = (undo, lines.last_mut()) {
            *last = undo;
        }
        lines.extend(labelled(view, "", vec![(format!("{key} shows the rest"), Role::Dim)], columns));
    }
    // Room that was kept stays kept: what follows doesn't move.
    if placing != Placing::Free {
        lines.resize_with(lines.len().max(RESERVED), Line::default);
    }
    lines
}

/// Which row says whether it could be undone.
pub fn undo_row(lines: &[Line<'_>]) -> Option<usize> {
    lines.iter().position(|line| line.spans.first().is_some_and(|label| label.content.starts_with("undo")))
}

/// What a trial of it came to, if it was tried: `12 rows would change; rolled back (#4)`.
pub fn tried(view: View<'_>, id: OperationId, columns: usize) -> Vec<Line<'static>> {
    let trials = view.state.queue.all().filter(|item| item.tries == Some(id));
    let Some(trial) = trials.max_by_key(|item| item.id) else { return Vec::new() };
    let Status::Ended { outcome, .. } = &trial.status else { return Vec::new() };
    let (said, role) = match outcome {
        Outcome::Succeeded { summary } => (text::line(summary), Role::Text),
        Outcome::Failed { reason } => {
            (format!("failed: {}", text::line(&view.state.masks.hide(reason))), Role::Trouble)
        }
        Outcome::Cancelled => ("stopped, rolled back".to_owned(), Role::Text),
        Outcome::TimedOut { .. } => ("took too long, rolled back".to_owned(), Role::Text),
        Outcome::Lost => return Vec::new(),
    };
    labelled(view, "tried", vec![(format!("{said} ({})", trial.id), role)], columns)
}

/// The rows that a trial of it showed, as many as are worth a look, in the place of those that were read beforehand.
pub fn tried_rows(view: View<'_>, id: OperationId, columns: usize) -> Option<Vec<Line<'static>>> {
    let trials = view.state.queue.all().filter(|item| item.tries == Some(id));
    let trial = trials.max_by_key(|item| item.id)?;
    let succeeded = matches!(&trial.status, Status::Ended { outcome: Outcome::Succeeded { .. }, .. });
    let table = view.state.output.of(trial.id)?.table.as_ref().filter(|table| succeeded && !table.rows.is_empty())?;
    let (shown, total) = (table.rows.len().min(TRIED), number::thousands(table.total));
    let head = format!("rows as tried ({shown} of {total})");
    let rows = table::head(view, table, TRIED, Some(&view.state.masks), columns.saturating_sub(2));
    let lines = [Line::default(), view.line(head, Role::Strong)].into_iter();
    Some(lines.chain(rows.into_iter().map(|row| behind(view, row))).collect())
}

/// Whether an operation that waits surely fails.
pub fn fails(view: View<'_>, id: OperationId) -> bool {
    matches!(view.state.queue.foresight(id), Some(Foresight::Measured(preview)) if preview.fails())
}

fn detailed(foresight: &Foresight) -> bool {
    matches!(foresight, Foresight::Measured(preview) if !preview.details.is_empty())
}

/// Whether it is known that an operation couldn't be undone.
pub fn lasting(kind: &OperationKind, foresight: Option<&Foresight>) -> bool {
    match foresight {
        Some(Foresight::Measured(preview)) => matches!(preview.remedy, Remedy::Impossible(_)),
        Some(Foresight::Unmeasurable(_)) => matches!(unmeasured(kind), Remedy::Impossible(_)),
        Some(Foresight::Measuring | Foresight::Nothing) | None => false,
    }
}

/// Whether it would meet most of a table.
pub fn most(foresight: Option<&Foresight>) -> bool {
    matches!(foresight, Some(Foresight::Measured(preview)) if preview.share.is_some_and(Share::is_most))
}

/// Whether what couldn't be measured could be undone.
fn unmeasured(kind: &OperationKind) -> Remedy {
    match kind {
        OperationKind::Command(_) => Remedy::Impossible("nothing is kept of what a command changes.".to_owned()),
        OperationKind::Answer(_) => Remedy::Impossible("what is said is said.".to_owned()),
        OperationKind::Mcp(_) | OperationKind::Other(_) => {
            Remedy::Impossible("nothing is kept of what it changes.".to_owned())
        }
        OperationKind::Sql(_)
        | OperationKind::File(_)
        | OperationKind::Http(_)
        | OperationKind::Search(_)
        | OperationKind::Find(_)
        | OperationKind::Undo(_)
        | OperationKind::Apply(_) => Remedy::Unknown,
    }
}

fn remedy(view: View<'_>, id: OperationId, remedy: &Remedy, columns: usize) -> Vec<Line<'static>> {
    let (said, role) = match remedy {
        Remedy::Unknown => return Vec::new(),
        Remedy::Possible(how) => {
            let by = match view.key(Context::Queue, Command::Undo, "") {
                Some((key, _)) if !view.state.is_linear() => format!("{key} in the list"),
                _ => format!("undo {}", id.0),
            };
            (format!("can be undone by {by}: {}", text::line(how)), Role::Text)
        }
        Remedy::ByHand(how) => (format!("can be undone by hand: {}", text::line(how)), Role::Text),
        Remedy::Impossible(why) => (format!("can't be undone: {}", text::line(why)), Role::Trouble),
        Remedy::Unsure(why) => (format!("isn't known beforehand: {}", text::line(why)), Role::Text),
    };
    labelled(view, "undo", vec![(said, role)], columns)
}

/// What scrolls: diffs, rows and texts in full, their secrets masked unless they were asked for.
pub fn details(view: View<'_>, preview: &Preview, revealed: bool, columns: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (at, detail) in preview.details.iter().enumerate() {
        let secrets: &[domain::Span] = preview.secrets.get(at).filter(|_| !revealed).map_or(&[], Vec::as_slice);
        lines.push(Line::default());
        match detail {
            Detail::Diff { text, language } => diff(view, &masked(text, secrets), language, columns, &mut lines),
            Detail::Rows { title, table } => {
                let total = number::thousands(table.total);
                let head = format!("{} ({} of {total})", text::line(title), number::thousands(table.rows.len() as u64));
                lines.push(view.line(head, Role::Strong));
                let rows = table::plain(view, &table.masked(secrets), None, columns.saturating_sub(2));
                lines.extend(rows.into_iter().map(|row| behind(view, row)));
            }
            Detail::Text(said) => {
                for line in highlight(&text::plain(&masked(&said.body, secrets)), said.language, view.theme) {
                    let rows = text::wrap(&line, columns.saturating_sub(2), 0, Break::Anywhere);
                    lines.extend(rows.into_iter().map(|row| behind(view, row)));
                }
            }
        }
    }
    lines
}

/// What a person made of an operation, against what was asked for. Secrets of both are masked.
pub fn edited(view: View<'_>, asked: &Prepared, now: &Prepared, columns: usize) -> Vec<Line<'static>> {
    let shown = |prepared: &Prepared| {
        let said = prepared.operation.kind.text();
        format!("{}\n", masked(&said.body, &prepared.assessment.secrets).trim_end_matches('\n'))
    };
    let (old, new) = (shown(asked), shown(now));
    let mut lines = vec![behind(view, view.line("- as it was asked   + as you edited it", Role::Dim))];
    if old == new {
        lines.push(behind(view, view.line("What differs is not in the text that is shown.", Role::Text)));
        return lines;
    }
    let said = compared(&old, &new);
    let language = now.operation.kind.text().language;
    diff(view, said.trim_end_matches('\n'), language, columns, &mut lines);
    lines
}

/// The unified diff of two texts: of very long ones all lines of both.
fn compared(old: &str, new: &str) -> String {
    let (before, after) = (old.lines().count(), new.lines().count());
    if before.saturating_mul(after) <= COMPARED {
        return TextDiff::from_lines(old, new).unified_diff().context_radius(3).to_string();
    }
    let signed = |sign: char| move |line| format!("{sign}{line}");
    let sides = old.lines().map(signed('-')).chain(new.lines().map(signed('+')));
    format!("@@ -1,{before} +1,{after} @@\n{}", sides.collect::<Vec<_>>().join("\n"))
}

fn behind(view: View<'_>, row: Line<'static>) -> Line<'static> {
    let mut line = view.line(GUTTER, Role::Dim);
    line.spans.extend(row.spans);
    line
}

/// One line of a unified diff.
enum Row<'l> {
    /// Before a hunk, or its head.
    Head(&'l str),
    Added(&'l str),
    Removed(&'l str),
    Kept(&'l str),
}

/// The lines of a unified diff. A hunk's head says how many lines it has: what looks like a sign elsewhere is none.
fn read(diff: &str) -> Vec<Row<'_>> {
    let (mut old, mut new) = (0, 0);
    let mut row = |line| match (str::chars(line).next(), old, new) {
        (Some('@'), 0, 0) => {
            (old, new) = hunk(line);
            Row::Head(line)
        }
        (Some('+'), _, 1..) => {
            new -= 1;
            Row::Added(rest(line))
        }
        (Some('-'), 1.., _) => {
            old -= 1;
            Row::Removed(rest(line))
        }
        (Some(' ') | None, 1.., 1..) => {
            (old, new) = (old - 1, new - 1);
            Row::Kept(rest(line))
        }
        _ => Row::Head(line),
    };
    diff.split('\n').map(&mut row).collect()
}

/// How many lines of each side follow: of `@@ -1,3 +1,4 @@` three and four.
fn hunk(head: &str) -> (usize, usize) {
    let side = |sign: char| {
        let range = head.split(' ').find_map(|word| word.strip_prefix(sign))?;
        range.split_once(',').map_or(Some(1), |(_, lines)| lines.parse().ok())
    };
    (side('-').unwrap_or(0), side('+').unwrap_or(0))
}

/// A unified diff: each side in the colours of its language, its sign before it.
fn diff(view: View<'_>, said: &str, language: &str, columns: usize, lines: &mut Vec<Line<'static>>) {
    let said = text::plain(said);
    let rows = read(&said);
    let room = columns.saturating_sub(4).max(1);
    // Each side is coloured as a whole, so that a text over several lines keeps its colour.
    let side = |rows: Vec<&str>| highlight(&rows.join("\n"), language, view.theme).into_iter();
    let old = rows.iter().filter_map(|row| match row {
        Row::Removed(line) | Row::Kept(line) => Some(*line),
        Row::Head(_) | Row::Added(_) => None,
    });
    let new = rows.iter().filter_map(|row| match row {
        Row::Added(line) | Row::Kept(line) => Some(*line),
        Row::Head(_) | Row::Removed(_) => None,
    });
    let (mut old, mut new) = (side(old.collect()), side(new.collect()));
    for row in &rows {
        let (sign, role, content) = match row {
            Row::Head(line) => {
                lines.push(behind(view, view.line(text::fit(line, room).into_owned(), Role::Dim)));
                continue;
            }
            Row::Added(_) => ("+ ", Role::Added, new.next()),
            Row::Removed(_) => ("- ", Role::Removed, old.next()),
            Row::Kept(_) => {
                old.next();
                ("  ", Role::Code, new.next())
            }
        };
        for row in text::wrap(&tinted(content.unwrap_or_default(), role, view.theme), room, 0, Break::Anywhere) {
            let mut marked = behind(view, view.line(sign, role));
            marked.spans.extend(row.spans);
            lines.push(marked);
        }
    }
}

fn rest(line: &str) -> &str {
    let mut letters = line.chars();
    letters.next();
    letters.as_str()
}

/// Added and removed lines keep the weight of their sign where a theme has no colours for their words.
fn tinted(line: Line<'static>, role: Role, theme: &Theme) -> Line<'static> {
    if theme.colours() || role == Role::Code {
        return line;
    }
    Line::from(line.spans.into_iter().map(|span| Span::styled(span.content, theme.style(role))).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_long_texts_are_shown_whole_one_after_the_other() {
        assert_eq!(compared("a\nb\n", "a\nc\n"), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        let long = compared(&"a\n".repeat(1_001), &format!("{}b\n", "a\n".repeat(1_000)));
        let rows = read(&long);
        let removed = rows.iter().filter(|row| matches!(row, Row::Removed("a"))).count();
        let added = rows.iter().filter(|row| matches!(row, Row::Added(_))).count();
        assert_eq!((rows.len(), removed, added), (2_003, 1_001, 1_001));
    }
}
