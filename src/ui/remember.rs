//! The rule that a person makes in the dialog: its parts, what it lifts, what it would have covered, and dangerous
//! neighbours that it does and doesn't cover.

use ratatui::text::Line;

use super::derivation::labelled;
use super::paint::View;
use super::text;
use super::theme::Role;
use crate::app::{Command, Context, Dialog, Remembering, Ruling, State};
use crate::domain::{OperationId, Prepared, Row, RuleEffect};

/// Columns of a part's name.
const NAME: usize = 12;
/// Rows before the first part.
pub const HEAD: usize = 2;

/// The rows of the rule.
pub fn body(view: View<'_>, remembering: &Remembering, columns: usize) -> Vec<Line<'static>> {
    let allows = remembering.draft.effect() == RuleEffect::Allow;
    let head = if allows { "Don't ask again about what fits all of this:" } else { "Never run what fits all of this:" };
    let mut lines = vec![view.line(head, Role::Strong), Line::default()];
    for (at, row) in remembering.draft.rows().iter().enumerate() {
        lines.push(part(view, remembering.draft.prepared(), row, at == remembering.row, columns));
    }
    lines
}

fn part(view: View<'_>, prepared: &Prepared, row: &Row, chosen: bool, columns: usize) -> Line<'static> {
    let (mark, role) = if chosen { ("▸ ", Role::Accent) } else { ("  ", Role::Text) };
    let arrows = match row.can {
        (true, true) => "  ← →",
        (true, false) => "  ←",
        (false, true) => "  →",
        (false, false) => "",
    };
    let room = columns.saturating_sub(NAME + 4 + text::width(arrows));
    let value = text::line(&near(prepared, &prepared.hidden(&row.value)));
    Line::from(vec![
        view.span(mark, Role::Accent),
        view.span(text::column(&text::line(&row.name), NAME), Role::Dim),
        // A path is known by both of its ends.
        view.span(
            if value.contains('/') { text::middle(&value, room) } else { text::fit(&value, room) }.into_owned(),
            role,
        ),
        view.span(arrows, Role::Accent),
    ])
}

/// A value; a path of the workspace is told as seen from there.
fn near(prepared: &Prepared, value: &str) -> String {
    let workspace = prepared.facts.place.workspace.to_string_lossy();
    if workspace.len() < 2 || value.starts_with("always in ") {
        return value.to_owned();
    }
    let (within, path) = value.strip_prefix("in ").map_or(("", value), |path| ("in ", path));
    match path.strip_prefix(&*workspace) {
        Some("") if !within.is_empty() => "in this workspace".to_owned(),
        Some(rest) if rest.len() > 1 && rest.starts_with('/') => format!("{within}{}", &rest[1..]),
        _ => value.to_owned(),
    }
}

/// What it lifts, what it would have covered, and its neighbours.
pub fn effect(view: View<'_>, remembering: &Remembering, columns: usize) -> Vec<Line<'static>> {
    let draft = &remembering.draft;
    let prepared = draft.prepared();
    let quoted = |said: &str| text::line(&prepared.hidden(said));
    let mut lines = Vec::new();
    if draft.effect() == RuleEffect::Allow {
        let lifted = prepared.assessment.objections().map(|finding| (quoted(&finding.sentence), Role::Text)).collect();
        lines.extend(labelled(view, "lifts", lifted, columns));
    }
    lines.extend(labelled(view, "covers", vec![(quoted(&view.state.would_have(remembering)), Role::Text)], columns));
    let (covered, not): (Vec<_>, Vec<_>) = draft.neighbours().into_iter().partition(|neighbour| neighbour.covered);
    let named = |list: Vec<crate::domain::Neighbour>| {
        list.into_iter().map(|neighbour| quoted(&neighbour.says)).collect::<Vec<_>>().join(" · ")
    };
    if !covered.is_empty() {
        lines.extend(labelled(view, "covers too", vec![(named(covered), Role::Trouble)], columns));
    }
    if !not.is_empty() {
        lines.extend(labelled(view, "still asks", vec![(named(not), Role::Text)], columns));
    }
    lines
}

/// The keys that count.
pub fn bound(view: View<'_>, dialog: &Dialog, remembering: &Remembering) -> Vec<Option<(String, String)>> {
    let key = |command, says: &str| view.key(Context::Remember, command, says);
    let allows = remembering.draft.effect() == RuleEffect::Allow;
    let save = match (&remembering.typed, allows) {
        (Some(_), _) => Some((dialog.id.0.to_string(), "save it and run this one".to_owned())),
        (None, true) => key(Command::SaveRule, "save it and run this one"),
        (None, false) => key(Command::SaveRule, "save it and deny this one"),
    };
    vec![
        save,
        key(Command::Narrow, "narrower"),
        key(Command::Widen, "wider"),
        key(Command::LineDown, "next part"),
        key(Command::Back, "back, nothing saved"),
    ]
}

/// The rule as plain lines.
pub fn told(state: &State, id: OperationId, never: bool, ruling: Ruling) -> Vec<String> {
    if matches!(ruling, Ruling::Save(_)) {
        return Vec::new();
    }
    let Ok(draft) = state.drafted(id, never, ruling) else { return Vec::new() };
    let quoted = |said: &str| text::line(&draft.prepared().hidden(said));
    let word = if never { "never" } else { "remember" };
    let head = if never { "never run what has" } else { "don't ask again for what has only" };
    let mut lines = vec![format!("{head}:")];
    for (number, row) in (1..).zip(draft.rows()) {
        let can = match row.can {
            (true, true) => " (can be narrower or wider)",
            (true, false) => " (can be narrower)",
            (false, true) => " (can be wider)",
            (false, false) => "",
        };
        lines.push(format!(
            "| {number}. {}: {}{can}",
            text::line(&row.name),
            quoted(&near(draft.prepared(), &row.value))
        ));
    }
    for neighbour in draft.neighbours() {
        let does = if neighbour.covered { "covers too" } else { "still asks" };
        lines.push(format!("{does}: {}", quoted(&neighbour.says)));
    }
    let does = if never { "denies" } else { "runs" };
    lines.push(format!("{word} {0} wider 2, or narrower 2, changes part 2", id.0));
    lines.push(format!("{word} {0} session saves it and {does} {0}; turn, workspace or always: as long as that", id.0));
    lines
}
