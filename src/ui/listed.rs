//! Operations that are decided together: what each would do and hit, and what the yes covers.

use ratatui::text::{Line, Span};

use super::derivation::labelled;
use super::item;
use super::number;
use super::paint::View;
use super::preview;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Item, Numbers, Reach};
use crate::domain::{Foresight, OperationId, Seal};

/// What is listed, worst told apart; those that are chosen by number are marked. Of what is `high` all of the text is
/// there, and with the rows comes behind which of them each of those ends: a yes to the list counts only for what was
/// on the screen to its end.
pub fn list(
    view: View<'_>,
    listed: &[OperationId],
    high: &[OperationId],
    chosen: Option<&Numbers>,
    columns: usize,
) -> (Vec<Line<'static>>, Vec<(OperationId, usize)>) {
    let digits = listed.iter().map(|id| id.0).max().unwrap_or(0).to_string().len();
    let items: Vec<&Item> = listed.iter().filter_map(|id| view.state.queue.get(*id)).collect();
    let production = items.iter().any(|item| item::hits_production(item));
    let used = digits + 3 + 6 + 2 + 9 + if production { 6 } else { 0 };
    let (mut lines, mut ends) = (Vec::with_capacity(2 * items.len()), Vec::new());
    for item in items {
        let mark = if chosen.is_some_and(|numbers| numbers.contains(item.id)) { '•' } else { ' ' };
        let (kept, more) = brief(view, item, columns.saturating_sub(used));
        let mut line = Line::from(vec![
            view.span(format!(" {:>digits$}{mark} ", item.id.0), Role::Strong),
            item::badge_span(view, item),
            Span::raw("  "),
        ]);
        if production {
            line.spans.extend([item::production_column(view, item), Span::raw("  ")]);
        }
        line.push_span(view.span(format!("{} ", text::column(&text::line(item.word()), 8)), Role::Dim));
        line.push_span(view.span(kept, Role::Text));
        let whole = high.contains(&item.id);
        let more = if whole && !more.is_empty() { "… whole text below".to_owned() } else { more };
        let cut = whole && !more.is_empty();
        let more = view.span(more, Role::Dim);
        if line.width() + more.width() <= columns {
            line.push_span(more);
            lines.push(line);
        } else {
            lines.extend([line, Line::from(vec![Span::raw(" ".repeat(digits + 3)), more])]);
        }
        if cut {
            lines.extend(text_of(view, item, digits + 3, columns));
        }
        lines.extend(hit(view, item, digits + 3, columns));
        if whole {
            ends.push((item.id, lines.len()));
        }
    }
    (lines, ends)
}

/// The whole text of an operation, secrets masked.
fn text_of(view: View<'_>, item: &Item, indent: usize, columns: usize) -> Vec<Line<'static>> {
    let Some(prepared) = &item.prepared else { return Vec::new() };
    let said = text::plain(&prepared.shown());
    let style = view.theme.style(Role::Text);
    let rows = said.lines().flat_map(|line| {
        text::wrap(&Line::styled(line.to_owned(), style), columns.saturating_sub(indent + 2).max(1), 0, Break::Late)
    });
    let gutter = || view.span(format!("{}│ ", " ".repeat(indent)), Role::Border);
    rows.map(|mut row| {
        row.spans.insert(0, gutter());
        row
    })
    .collect()
}

/// What it acts on, what it would do there and whether that could be undone: `practice.db · 12 of 340 rows · can be
/// undone`.
fn hit(view: View<'_>, item: &Item, indent: usize, columns: usize) -> Option<Line<'static>> {
    let prepared = item.prepared.as_ref()?;
    let room = columns.saturating_sub(indent);
    let target = Some(item::brief_target(prepared)).filter(|target| !target.is_empty());
    let target = target.map(|target| text::middle(&target, room / 2).into_owned());
    let foresight = view.state.queue.foresight(item.id);
    let unmeasured = matches!(foresight, Some(Foresight::Unmeasurable(_))) && lasting(view, item.id);
    let effect = foresight.and_then(preview::brief).or_else(|| unmeasured.then(|| "can't be undone".to_owned()));
    let said = target.into_iter().chain(effect).collect::<Vec<_>>().join(" · ");
    let role = if preview::most(foresight) || lasting(view, item.id) { Role::Trouble } else { Role::Dim };
    let line =
        || Line::from(vec![Span::raw(" ".repeat(indent)), view.span(text::fit(&prepared.hidden(&said), room), role)]);
    (!said.is_empty()).then(line)
}

/// Whether it is known that it can't be undone.
fn lasting(view: View<'_>, id: OperationId) -> bool {
    let kind = view.state.queue.gate().prepared(id).map(|prepared| &prepared.operation.kind);
    kind.is_some_and(|kind| preview::lasting(kind, view.state.queue.foresight(id)))
}

/// The start of what an operation would do, and how much of its text that leaves out. Blanks don't count.
fn brief(view: View<'_>, item: &Item, room: usize) -> (String, String) {
    let visible = |said: &str| said.chars().filter(|c| !c.is_whitespace()).count();
    let gist = item::gist(&view.state.masks, item);
    let whole = item.prepared.as_ref().map_or(0, |prepared| visible(&text::plain(&prepared.shown())));
    let more = |kept: &str| match whole.saturating_sub(visible(kept)) {
        0 => String::new(),
        left => format!("… {}", number::count(left, "more character")),
    };
    if text::width(&gist) + text::width(&more(&gist)) <= room {
        let left = more(&gist);
        return (gist, left);
    }
    let beside = room.saturating_sub(text::width(&more("")));
    // Where the note would take the row's half, it gets a row of its own.
    let kept = text::fit(&gist, if beside * 2 < room { room } else { beside });
    let kept = kept.trim_end_matches('…').to_owned();
    let left = more(&kept);
    (kept, left)
}

/// What approving all that is listed covers.
pub fn all(
    view: View<'_>,
    listed: &[(OperationId, Seal)],
    high: &[OperationId],
    reach: Reach,
    columns: usize,
) -> Vec<Line<'static>> {
    let mut sentences = Vec::new();
    let hits = |id: &OperationId| {
        view.state.queue.gate().prepared(*id).is_some_and(|prepared| prepared.assessment.hits_production())
    };
    let production = listed.iter().filter(|(id, _)| hits(id)).count();
    if production > 0 {
        let hit = if production == 1 { "One of them hits" } else { "Some of them hit" };
        sentences.push((format!("{hit} production: the badge PROD says which."), Role::Trouble));
    }
    if !high.is_empty() {
        sentences.push(("The high ones are approved too.".to_owned(), Role::Trouble));
    }
    let lasting = listed.iter().filter(|(id, _)| lasting(view, *id)).count();
    if lasting > 0 {
        sentences.push((format!("{lasting} of them can't be undone."), Role::Trouble));
    }
    let reach = match reach {
        Reach::Turn => {
            "For the rest of this turn the same runs without asking: the same program on ordinary files of the workspace, the same statement on the same tables, at no higher risk. Never on production."
        }
        Reach::Listed => "What is listed and nothing else.",
    };
    sentences.push((reach.to_owned(), Role::Text));
    labelled(view, "reach", sentences, columns)
}
