//! The status line: what this is, how it decides, what it talks to, what waits and what is enforced.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::paint::{View, put, put_right};
use super::theme::Role;
use super::{number, text};
use crate::app::{Item, Setting, Status};
use crate::domain::{ApprovalMode, Policy};

/// What is left out first where there is no room: the workspace, then our own name, then that changes can be staged,
/// then the model. What a yes would hit stays longest.
const PICKS: [&[usize]; 3] = [&[0, 1, 2, 3, 4], &[0, 1, 2, 3], &[1, 2, 3]];
const LEAST: [&[usize]; 1] = [&[1, 3]];
/// The same with the beginning of both names.
const SHORT: [&[usize]; 1] = [&[1, 5, 6]];
/// The beginning of the connection's name alone.
const CUT: [&[usize]; 1] = [&[1, 7]];
/// Where even that has no room: one that is production stays before the mode.
const LAST: [&[usize]; 1] = [&[1]];
const WARNED: [&[usize]; 1] = [&[3]];
/// Fewest columns of a model's and of a connection's name that say which it is, and of the latter's alone.
const BRIEF: [usize; 3] = [14, 14, 8];
/// Columns between two parts.
const GAP: usize = 3;

/// Draws it on one row.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer) {
    let (count, walls) = right(view);
    let room = usize::from(area.width.saturating_sub(2));
    let taken = count.width() + GAP;
    let beside = walls.last().map_or(0, |walls| walls.width() + GAP);
    let known = squeezed(left(view), (room + GAP).saturating_sub(taken + beside));
    let wide = |picked: &[usize]| picked.iter().map(|at| known[*at].width() + GAP).sum::<usize>();
    let warned = |setting: &Setting| setting.production || setting.own.as_ref().is_some_and(|own| own.production);
    let last: &[&'static [usize]] = if warned(&view.state.setting) { &WARNED } else { &LAST };
    // Walls and what is picked beside them, the fullest first. That there are none is said as long as anything is.
    let with = |walls: &Span<'static>, picks: &[&'static [usize]]| {
        picks.iter().map(|picked| (walls.clone(), *picked)).collect::<Vec<_>>()
    };
    let (none, full, brief) = (Span::raw(""), walls.first(), walls.get(1));
    let mut ways = full.map_or_else(|| with(&none, &PICKS), |walls| with(walls, &PICKS));
    ways.extend(brief.into_iter().flat_map(|walls| with(walls, &PICKS[2..])));
    ways.extend(walls.last().into_iter().flat_map(|walls| with(walls, &SHORT)));
    ways.extend(walls.iter().flat_map(|walls| with(walls, &LEAST)));
    ways.extend(walls.last().into_iter().flat_map(|walls| with(walls, &CUT)));
    ways.extend(full.filter(|_| bare(view)).into_iter().flat_map(|walls| with(walls, last)));
    ways.extend(with(&none, &LEAST));
    ways.extend(with(&none, last));
    let fits = |(walls, picked): &(Span<'static>, &'static [usize])| {
        let right = if walls.width() > 0 { walls.width() + GAP } else { 0 };
        wide(picked) + taken + right <= room + GAP
    };
    let fallback = || (none.clone(), last.first().copied().unwrap_or_default());
    let (walls, picked) = ways.into_iter().find(fits).unwrap_or_else(fallback);
    let mut said = count;
    if walls.width() > 0 {
        said.extend([Span::raw(" ".repeat(GAP)), walls]);
    }
    let taken = put_right(buf, Rect { width: area.width.saturating_sub(1), ..area }, 0, &said);
    let mut line = Line::default();
    for at in picked {
        if !line.spans.is_empty() {
            line.push_span(Span::raw(" ".repeat(GAP)));
        }
        line.push_span(known[*at].clone());
    }
    let room = Rect { x: area.x + 1, width: area.width.saturating_sub(taken + 4), ..area };
    put(buf, room, 0, &line);
}

/// The mode that is judged by, and why it isn't the one that was set.
pub(super) fn mode(policy: &Policy) -> String {
    let mode = policy.in_force().word();
    if policy.rules_broken { format!("{mode}: rules can't be read") } else { mode.to_owned() }
}

/// Adds the beginnings of the model's and of the connection's name, as long as the mode leaves columns for them; then
/// the latter's where the model's is left out.
fn squeezed(known: [Span<'static>; 5], columns: usize) -> [Span<'static>; 8] {
    let [name, mode, model, connection, workspace] = known;
    let room = columns.saturating_sub(mode.width() + 3 * GAP);
    let few = BRIEF[0].min(model.width());
    let most = room.saturating_sub(connection.width()).max(few);
    let cut = |span: &Span<'static>, room: usize| {
        let whole = &*span.content;
        // What a name is of, such as its engine, goes before a letter of the name does.
        let bare = whole.rsplit_once(" (").filter(|_| text::width(whole) > room && whole.ends_with(')'));
        let said = bare.map_or(whole, |(name, _)| name);
        Span::styled(text::fit(said, room).into_owned(), span.style)
    };
    let brief = cut(&model, most);
    let rest = room.saturating_sub(brief.width()).max(BRIEF[1].min(connection.width()));
    let short = cut(&connection, rest);
    let alone = cut(&connection, columns.saturating_sub(mode.width() + 2 * GAP).max(BRIEF[2]));
    [name, mode, model, connection, workspace, brief, short, alone]
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
    let roomy = view.state.size.0 >= super::WIDE;
    let model = match setting.practice {
        true if roomy => "practice model".to_owned(),
        true => "practice".to_owned(),
        false => text::line(&setting.model),
    };
    let model = if model.is_empty() { "no model" } else { &model };
    let model_side = setting.connection.as_deref().map(|label| database(view, label, setting.production));
    let own = setting.own.as_ref().map(|own| database(view, &own.label, own.production));
    let (connection, tone) = match (model_side, own) {
        (Some(said), None) => said,
        (None, None) => ("no database".to_owned(), Role::Text),
        // Where room is short the practice model's own is left out: no yes there hits anything of the person's.
        (Some((connection, _)), Some((own, tone))) if roomy => (format!("{connection} · /sql {own}"), tone),
        (_, Some((own, tone))) => (format!("/sql {own}"), tone),
    };
    let room = if view.state.size.0 >= 160 { 70 } else { 40 };
    [
        view.span("countersign", Role::Strong),
        view.span(mode(policy), role),
        view.span(text::fit(model, 40), Role::Text),
        view.span(text::fit(&connection, if setting.own.is_some() && roomy { 60 } else { 40 }), tone),
        // The end of a path says most.
        view.span(text::middle(&text::line(&setting.workspace), room).into_owned(), Role::Dim),
    ]
}

/// A connection as it is named here: that it is production, wasn't reached, or is used by one who may do much.
fn database(view: View<'_>, label: &str, production: bool) -> (String, Role) {
    let named = text::line(label);
    let (named, tone) = if view.state.unreached(label) {
        // As whom it would be used doesn't matter then.
        (format!("not reached: {named}"), Role::Trouble)
    } else if let Some(powers) = view.state.powers(label) {
        (format!("{named}, {}", text::line(&powers)), Role::Medium)
    } else {
        (named, Role::Text)
    };
    if production { (format!("PROD {named}"), Role::High) } else { (named, tone) }
}

/// Whether no wall can hold changes back.
fn bare(view: View<'_>) -> bool {
    !view.state.queue.gate().enforceable().read_only_command
}

/// What waits, and what is enforced, in more and in fewer words.
fn right(view: View<'_>) -> (Line<'static>, Vec<Span<'static>>) {
    let roomy = view.state.size.0 >= 60;
    if view.state.journal_trouble.is_some() {
        let said = if roomy { "! journal failed: nothing runs" } else { "! nothing runs" };
        return (view.line(said, Role::High), Vec::new());
    }
    let (waiting, high) = view.state.queue.counts();
    let runs = |item: &&Item| matches!(item.status, Status::Running { .. });
    let running = view.state.queue.running().filter(runs).count();
    let said = match (waiting, high) {
        (0, _) if running > 0 => format!("{} running", number::thousands(running as u64)),
        (_, 0) => format!("{waiting} waiting"),
        _ => format!("{waiting} waiting ({high} HIGH)"),
    };
    let role = match (waiting, high) {
        (0, _) => Role::Dim,
        (_, 0) => Role::Medium,
        _ => Role::High,
    };
    let mut line = Line::default();
    if let Some(near) = view.state.near().filter(|_| roomy) {
        line.extend([view.span(near, Role::Medium), Span::raw(" ".repeat(GAP))]);
    }
    line.push_span(view.span(said, role));
    let enforceable = view.state.queue.gate().enforceable();
    let walls = match (enforceable.read_only_command, enforceable.staged_command) {
        _ if !roomy => Vec::new(),
        (true, true) => vec![view.span("contained, staged", Role::Dim), view.span("staged", Role::Dim)],
        (true, false) => vec![view.span("contained", Role::Dim)],
        (false, _) => vec![view.span("not contained", Role::Medium)],
    };
    (line, walls)
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
