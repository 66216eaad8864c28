//! The status line: what this is, how it decides, what it talks to, what waits and what is enforced.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::paint::{View, put, put_right};
use super::text;
use super::theme::Role;
use crate::domain::{ApprovalMode, Policy};

/// What is left out first where there is no room: the workspace, then the name, then the connection. One that is
/// production stays before the model.
const PICKS: [&[usize]; 6] = [&[0, 1, 2, 3, 4], &[0, 1, 2, 3], &[1, 2, 3], &[0, 1, 2], &[1, 2], &[1]];

const WARNED: [&[usize]; 5] = [&[0, 1, 2, 3, 4], &[0, 1, 2, 3], &[1, 2, 3], &[1, 3], &[3]];

/// Draws it on one row.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer) {
    let right = right(view, area.width >= 60);
    let taken = put_right(buf, Rect { width: area.width.saturating_sub(1), ..area }, 0, &right);
    let room = Rect { x: area.x + 1, width: area.width.saturating_sub(taken + 4), ..area };
    let known = left(view);
    let wide = |picked: &[usize]| picked.iter().map(|at| known[*at].width() + 3).sum::<usize>();
    let fits = |picked: &&&[usize]| wide(picked) <= usize::from(room.width) + 3;
    let picks: &[&[usize]] = if view.state.setting.production { &WARNED } else { &PICKS };
    let picked = picks.iter().find(fits).or(picks.last()).copied().unwrap_or_default();
    let spans = picked.iter().map(|at| known[*at].clone());
    let mut line = Line::default();
    for span in spans {
        if !line.spans.is_empty() {
            line.push_span(Span::raw("   "));
        }
        line.push_span(span);
    }
    put(buf, room, 0, &line);
}

/// The mode that is judged by, and why it isn't the one that was set.
pub(super) fn mode(policy: &Policy) -> String {
    let mode = policy.in_force().word();
    if policy.rules_broken { format!("{mode}: rules can't be read") } else { mode.to_owned() }
}

/// Name, mode, model, connection, workspace.
fn left(view: View<'_>) -> [Span<'static>; 5] {
    let setting = &view.state.setting;
    let policy = view.state.queue.gate().policy();
    let role = match policy.in_force() {
        _ if policy.rules_broken => Role::High,
        ApprovalMode::AllowAll => Role::High,
        ApprovalMode::Smart => Role::Medium,
        ApprovalMode::Strict | ApprovalMode::Guarded => Role::Accent,
    };
    let model = if setting.practice { "practice model".to_owned() } else { text::line(&setting.model) };
    let model = if model.is_empty() { "no model" } else { &model };
    let connection = setting.connection.as_deref().map_or_else(|| "no database".to_owned(), text::line);
    let powers = view.state.powers().map(|powers| text::line(&powers));
    let tone = match (setting.production, &powers) {
        (true, _) => Role::High,
        (false, Some(_)) => Role::Medium,
        (false, None) => Role::Text,
    };
    let connection = if setting.production { format!("PROD {connection}") } else { connection };
    let connection = powers.map_or(connection.clone(), |powers| format!("{connection}, {powers}"));
    let room = if view.state.size.0 >= 160 { 70 } else { 40 };
    [
        view.span("countersign", Role::Strong),
        view.span(mode(policy), role),
        view.span(text::fit(model, 40), Role::Text),
        view.span(text::fit(&connection, 40), tone),
        // The end of a path says most.
        view.span(text::middle(&text::line(&setting.workspace), room).into_owned(), Role::Dim),
    ]
}

fn right(view: View<'_>, roomy: bool) -> Line<'static> {
    if view.state.journal_trouble.is_some() {
        return view.line(if roomy { "! journal failed: nothing runs" } else { "! nothing runs" }, Role::High);
    }
    let (waiting, high) = view.state.queue.counts();
    let said = match high {
        0 => format!("{waiting} waiting"),
        _ => format!("{waiting} waiting ({high} HIGH)"),
    };
    let role = match (waiting, high) {
        (0, _) => Role::Dim,
        (_, 0) => Role::Medium,
        _ => Role::High,
    };
    let enforceable = view.state.queue.gate().enforceable();
    let contained = match (enforceable.read_only_command, enforceable.staged_command) {
        (true, true) => Some("contained, staged"),
        (true, false) => Some("contained"),
        (false, _) => None,
    };
    let mut line = Line::default();
    if let Some(near) = view.state.near().filter(|_| roomy) {
        line.extend([view.span(near, Role::Medium), Span::raw("   ")]);
    }
    line.push_span(view.span(said, role));
    if roomy {
        line.push_span(Span::raw("   "));
        line.push_span(match contained {
            Some(word) => view.span(word, Role::Dim),
            None => view.span("not contained", Role::Medium),
        });
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_says_that_the_rules_cant_be_read_whatever_was_set() {
        for set in [ApprovalMode::Strict, ApprovalMode::Smart, ApprovalMode::AllowAll] {
            let policy = |rules_broken| Policy { mode: set, rules_broken, ..Policy::default() };
            assert_eq!(mode(&policy(true)), "strict: rules can't be read");
            assert_eq!(mode(&policy(false)), set.word());
        }
    }
}
