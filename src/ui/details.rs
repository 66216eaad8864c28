//! Everything about one operation on a page: where it stands, who decided on what derivation, its whole text, what it
//! would do or what came of it.

use std::sync::Arc;

use ratatui::text::Line;

use super::body;
use super::cache::{Cache, DetailKey, DetailRows};
use super::derivation::{derivation, labelled, why};
use super::dressed;
use super::item;
use super::number;
use super::paint::View;
use super::preview;
use super::printed;
use super::table;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Item, Placing, Status, Undo};
use crate::domain::{Containment, Decider, Edit, Foresight, OperationId, Outcome};

/// Lines of output that are shown; the output pane has the rest.
const HEAD: usize = 40;
/// Rows that they may take.
const ROWS: usize = 200;

/// ` 3 · Delete rows `
pub fn title(view: View<'_>, id: OperationId) -> String {
    let act = view
        .state
        .queue
        .get(id)
        .and_then(|item| item.prepared.as_ref())
        .map_or_else(|| "call".to_owned(), |prepared| text::line(&prepared.hidden(&prepared.title())));
    format!(" {} · {act} ", id.0)
}

/// The page. What takes long is made once for each state of the operation.
pub fn lines(view: View<'_>, cache: &mut Cache, id: OperationId, columns: usize) -> Arc<Vec<Line<'static>>> {
    let Some(item) = view.state.queue.get(id) else { return Arc::default() };
    let foresight = view.state.queue.foresight(id);
    let bytes = view.state.output.of(id).map_or(0, |printout| printout.tail.bytes);
    let key = DetailKey {
        id,
        seal: view.state.queue.gate().seal(id),
        judgement: item.judgement.clone(),
        status: item.status.clone(),
        foresight: foresight.cloned(),
        bytes,
        masks: view.state.masks.stamp(),
        columns,
        theme: view.theme.name().to_owned(),
    };
    let known = cache.details.as_ref().filter(|known| known.key == key).map(|known| Arc::clone(&known.rest));
    let rest = known.unwrap_or_else(|| {
        let rest = Arc::new(rest(view, item, foresight, columns));
        cache.details = Some(DetailRows { key, rest: Arc::clone(&rest) });
        rest
    });
    let mut lines = state(view, item, columns);
    lines.extend(rest.iter().cloned());
    Arc::new(lines)
}

/// Where it stands: the part that changes while it runs.
fn state(view: View<'_>, item: &Item, columns: usize) -> Vec<Line<'static>> {
    let fate = item::fate(view, item);
    let mut said =
        vec![(status(view, item, &fate), if fate.role == Role::Trouble { Role::Trouble } else { Role::Text })];
    if let Some(reason) = item::trouble(item) {
        let reason = text::plain(&reason[..reason.floor_char_boundary(4_000)]);
        said.extend(reason.lines().map(|line| (line.to_owned(), Role::Trouble)));
    }
    said.extend(item.note.as_deref().map(|note| (text::line(note), Role::Text)));
    let mut lines = labelled(view, "state", said, columns);
    if let Some(decider) = &item.decider {
        let staged = item.judgement.as_ref().is_some_and(|judgement| judgement.containment == Containment::Staged);
        let said = if staged && *decider == Decider::Whitelist {
            "by the whitelist: it runs tests, on a copy of the folder"
        } else {
            decided(decider)
        };
        lines.extend(labelled(view, "decided", vec![(said.to_owned(), Role::Text)], columns));
    }
    let undo = match &item.undo {
        Undo::Possible(_) if item.status.closed() => Some("can be undone".to_owned()),
        Undo::Done { by, .. } => Some(format!("was undone by {by}")),
        Undo::Impossible if matches!(item.status, Status::Ended { .. }) => {
            item.by_hand.as_deref().map(|how| format!("can be undone by hand: {}", text::line(how)))
        }
        Undo::Possible(_) | Undo::Impossible => None,
    };
    lines.extend(undo.into_iter().flat_map(|said| labelled(view, "undo", vec![(said, Role::Text)], columns)));
    lines
}

fn status(view: View<'_>, item: &Item, fate: &item::Fate) -> String {
    match &item.status {
        Status::Waiting => match view.state.queue.waits_for(item.id) {
            Some(before) => format!("waits for you, and doesn't start before {before} is done"),
            None => "waits for you".to_owned(),
        },
        Status::Running { containment, .. } => format!("running for {}, {}", fate.time, containment.word()),
        Status::Ended { outcome, .. } => {
            let how = match outcome {
                Outcome::Succeeded { summary } => format!("done: {}", text::line(summary)),
                Outcome::Failed { .. } | Outcome::Cancelled | Outcome::TimedOut { .. } | Outcome::Lost => {
                    fate.says.clone()
                }
            };
            if fate.time.is_empty() { how } else { format!("{how}, took {}", fate.time) }
        }
        Status::Preparing | Status::Allowed { .. } | Status::Denied { .. } | Status::Refused { .. } => {
            fate.says.clone()
        }
    }
}

/// Who or what decided.
fn decided(decider: &Decider) -> &'static str {
    match decider {
        Decider::Person => "by you",
        Decider::PersonAll => "by you, with others",
        Decider::TurnApproval => "by your approval of this turn",
        Decider::Rule => "by a rule of yours",
        Decider::Claim => "by the model's claim of low",
        Decider::Whitelist => "by the whitelist: it clearly only reads",
        Decider::AllowAll => "by mode allow-all",
        Decider::Policy => "by the policy",
        Decider::Interrupt => "by the end of the turn",
    }
}

/// The parts that stay as they are while its state does.
fn rest(view: View<'_>, item: &Item, foresight: Option<&Foresight>, columns: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut part = |head: &str, rows: Vec<Line<'static>>| {
        if !rows.is_empty() {
            lines.extend([Line::default(), view.line(head.to_owned(), Role::Strong)]);
            lines.extend(rows);
        }
    };
    if let Some(prepared) = &item.prepared {
        part("OPERATION", body::text(view, prepared, false, columns));
        let said_else = item.origin.edited().is_none_or(Edit::says_else);
        if let Some(asked) = item.unedited.as_ref().filter(|_| said_else) {
            part("YOUR EDIT", preview::edited(view, asked, prepared, columns));
        }
        if item.status == Status::Waiting {
            part("EFFECT", preview::rows(view, prepared, foresight, Placing::Free, columns));
            if let Some(Foresight::Measured(preview)) = foresight {
                part("PREVIEW", preview::details(view, preview, false, columns));
            }
        }
        if let Some(judgement) = &item.judgement {
            part("JUDGED", why(view, item, prepared, judgement, columns));
            part("DERIVATION", derivation(view, prepared, judgement, false, columns));
        }
    } else {
        let call = text::plain(&view.state.masks.hide(&item.said));
        part("CALL", text::wrap_text(&call, columns, view.theme.style(Role::Code), Break::Late));
    }
    part("OUTPUT", output(view, item, columns));
    lines
}

/// The beginning of what it printed, as the output pane shows it and with long lines going on below, or of its rows.
fn output(view: View<'_>, item: &Item, columns: usize) -> Vec<Line<'static>> {
    let Some(printout) = view.state.output.of(item.id) else { return Vec::new() };
    let mut lines = Vec::new();
    let (more, one) = if let Some(table) = &printout.table {
        lines.extend(table::head(view, table, HEAD, Some(&view.state.masks), columns));
        (table.rows.len().saturating_sub(HEAD), "row")
    } else {
        let printed = dressed::lines(view, Some(item), printout, item.status.closed());
        let (from, _) = printout.span();
        if from > 0 {
            lines.push(view.line(format!("  … {} before this", number::size(from)), Role::Dim));
        }
        let mut shown = 0;
        for line in printed.iter().take(HEAD) {
            if lines.len() >= ROWS {
                break;
            }
            lines.extend(printed::rows(view, line, columns).take(ROWS - lines.len()));
            shown += 1;
        }
        (printed.len() - shown, "line")
    };
    if more > 0 {
        lines.push(view.line(format!("… {} in the output", number::count(more, &format!("more {one}"))), Role::Dim));
    }
    lines
}
