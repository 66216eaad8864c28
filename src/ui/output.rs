//! The output pane: printed text or rows of a table, what stands below it, its title, and the line that is asked for
//! at its foot.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::cache::Cache;
use super::paint::{View, put};
use super::text::{self, Break};
use super::theme::Role;
use super::{chart, item, number, position, printed, table, terminal};
use crate::app::{Ask, Command, Context, Item, Shape, Sight, Status, Within};
use crate::domain::{FileOperation, OperationKind, Outcome};

/// Draws the output that is shown.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer, cache: &mut Cache, sight: &mut Sight) {
    let area = prompt(view, Within::Output, area, buf, sight);
    sight.rows.output = usize::from(area.height);
    let Some((id, printout)) = view.state.output.shown().zip(view.state.output.printout()) else {
        put(buf, shifted(area, 1), 0, &view.line("Output of what runs appears here.", Role::Dim));
        return;
    };
    let item = view.state.queue.get(id);
    sight.terminal = Some((area.height, area.width.saturating_sub(terminal::GUTTER)));
    if let Some(glass) = &printout.glass {
        terminal::draw(view, area, buf, glass, sight);
        return;
    }
    match &printout.table {
        Some(table) if printout.grid.shape == Shape::Rows => {
            table::draw(view, area, buf, &mut cache.output, (printout, table), sight);
        }
        Some(table) => chart::draw(view, area, buf, (printout, table), sight),
        None => printed::draw(view, area, buf, &mut cache.output, (id, printout, item), sight),
    }
}

/// Draws the line that is asked for at the foot of a pane or a page, and gives what is left above it.
pub fn prompt(view: View<'_>, within: Within, area: Rect, buf: &mut Buffer, sight: &mut Sight) -> Rect {
    let Some(prompt) = view.state.prompt().filter(|prompt| prompt.ask.within() == within && area.height > 1) else {
        return area;
    };
    let (rows, foot) = (Rect { height: area.height - 1, ..area }, Rect { y: area.bottom() - 1, height: 1, ..area });
    let found = view.state.sight.found.within(within);
    let count = match prompt.ask {
        Ask::Find(_) if !prompt.text.is_empty() => format!("  {}", position::matches(None, found)),
        Ask::Find(_) | Ask::Filter | Ask::Save | Ask::CopyAs => String::new(),
    };
    let says = prompt.ask.says();
    let room = usize::from(foot.width).saturating_sub(says.len() + count.len() + 3);
    let typed = text::line(&prompt.text);
    // Its end is what is being typed.
    let skip = text::width(&typed).saturating_sub(room);
    let typed = text::window(&Line::raw(typed), skip, room.max(1)).to_string();
    let line = Line::from(vec![
        view.span(format!(" {says}"), Role::Accent),
        view.span(typed.clone(), Role::Strong),
        view.span(format!(" {count}"), Role::Dim),
    ]);
    put(buf, foot, 0, &line);
    let column = u16::try_from(1 + says.len() + text::width(&typed)).unwrap_or(u16::MAX);
    sight.cursor = Some((foot.x.saturating_add(column).min(foot.right().saturating_sub(1)), foot.y));
    rows
}

/// What stands below the output once it ended, or where there is none.
pub fn ending(view: View<'_>, item: Option<&Item>, bytes: u64, columns: usize) -> Vec<Line<'static>> {
    let silent = bytes == 0;
    let Some(item) = item else { return Vec::new() };
    match &item.status {
        Status::Ended { outcome, .. } => {
            let fate = item::fate(view, item);
            let mut lines: Vec<Line<'static>> = note(view, item, columns);
            let nothing = nothing(item).filter(|_| silent && matches!(outcome, Outcome::Succeeded { .. }));
            lines.extend(nothing.map(|said| view.line(format!("  {said}"), Role::Dim)));
            let said = match outcome {
                Outcome::Failed { reason } => item::failed(reason),
                Outcome::Succeeded { .. } | Outcome::Cancelled | Outcome::TimedOut { .. } | Outcome::Lost => fate.says,
            };
            let role = if fate.role == Role::Trouble { Role::Trouble } else { Role::Dim };
            let rows = text::wrap_text(&said, columns.saturating_sub(3), view.theme.style(role), Break::Words);
            for (at, row) in rows.into_iter().enumerate() {
                let mark = if at == 0 { fate.mark } else { " " };
                let mut line = Line::from(view.span(format!("{mark} "), fate.role));
                line.spans.extend(row.spans);
                lines.push(line);
            }
            // The size of an answer, or of a file that was written, is told already; what is shown may have another one.
            let kind = item.prepared.as_ref().map(|prepared| &prepared.operation.kind);
            let read = matches!(kind, Some(OperationKind::File(FileOperation::Read { .. })));
            let told = silent || matches!(kind, Some(OperationKind::Http(_) | OperationKind::File(_))) && !read;
            let size = if told { String::new() } else { format!("   {}", number::size(bytes)) };
            let figures = view.span(format!("   {}{size}", fate.time), Role::Dim);
            match lines.last_mut() {
                Some(last) if last.width() + figures.width() <= columns => last.push_span(figures),
                Some(_) | None => lines.push(Line::from(figures)),
            }
            lines
        }
        _ if silent => vec![view.line("  Nothing printed yet.", Role::Dim)],
        Status::Preparing
        | Status::Waiting
        | Status::Allowed { .. }
        | Status::Running { .. }
        | Status::Denied { .. }
        | Status::Refused { .. } => note(view, item, columns),
    }
}

/// What the program says of the run.
fn note(view: View<'_>, item: &Item, columns: usize) -> Vec<Line<'static>> {
    let Some(note) = &item.note else { return Vec::new() };
    let said = view.line(format!("  {}", text::line(note)), Role::Medium);
    text::wrap(&said, columns, 2, Break::Words)
}

/// What an operation that succeeded without a word says about that; of SQL the figure says it all.
fn nothing(item: &Item) -> Option<&'static str> {
    match item.prepared.as_ref().map(|prepared| &prepared.operation.kind) {
        Some(OperationKind::Sql(_)) => None,
        Some(OperationKind::Search(_)) => Some("No matches."),
        Some(OperationKind::Find(_)) => Some("No paths."),
        Some(
            OperationKind::Command(_)
            | OperationKind::File(_)
            | OperationKind::Http(_)
            | OperationKind::Undo(_)
            | OperationKind::Apply(_)
            | OperationKind::Answer(_)
            | OperationKind::Mcp(_)
            | OperationKind::Other(_),
        )
        | None => Some("It printed nothing."),
    }
}

pub fn shifted(area: Rect, by: u16) -> Rect {
    let by = by.min(area.width);
    Rect { x: area.x + by, width: area.width - by, ..area }
}

/// `OUTPUT #3 cargo tree`
pub fn title(view: View<'_>) -> String {
    if let Some(id) = view.state.typing_into() {
        let leave = view.key(Context::Terminal, Command::LeaveTerminal, "leaves");
        let leave = leave.map_or(String::new(), |(key, says)| format!(" · {key} {says}"));
        return format!("YOU TYPE INTO {id}{leave}");
    }
    let shown = view.state.output.shown().and_then(|id| view.state.queue.get(id));
    let newer = view.state.output.newer().then(|| view.key(Context::Output, Command::NextOutput, "newer")).flatten();
    let newer = newer.map_or_else(String::new, |(key, says)| format!(" · {key} {says} ·"));
    shown.map_or_else(
        || "OUTPUT".to_owned(),
        |item| format!("OUTPUT {}{newer} {}", item.id, text::fit(&item::gist(&view.state.masks, item), 60)),
    )
}
