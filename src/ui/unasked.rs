//! What ran without a question in this session: what, why, and what was enforced while it ran.

use ratatui::text::{Line, Span};

use super::item;
use super::number;
use super::paint::View;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Item, Numbers, Status};
use crate::domain::{Containment, OperationKind};

/// Where there is nothing to list.
const NOTHING: &str = "Nothing ran unasked in this session.";

/// The page, newest first.
pub fn lines(view: View<'_>, columns: usize) -> Vec<Line<'static>> {
    let ran = ran(view, None);
    if ran.is_empty() {
        return vec![view.line(NOTHING, Role::Dim)];
    }
    let digits = ran.iter().map(|item| item.id.0).max().unwrap_or(0).to_string().len();
    let said = format!("{} ran without a question, newest first.", number::count(ran.len(), "operation"));
    let mut lines = vec![view.line(said, Role::Strong), Line::default()];
    for item in ran {
        let room = columns.saturating_sub(digits + 12);
        lines.push(Line::from(vec![
            view.span(format!("{:>digits$}  {} ", item.id.0, text::column(&text::line(item.word()), 8)), Role::Dim),
            view.span(text::fit(&item::gist(&view.state.masks, item), room).into_owned(), Role::Text),
        ]));
        let note = item.note.as_deref().map(|note| format!(" · {}", text::line(note))).unwrap_or_default();
        let told = Line::styled(format!("{} · {}{note}", enforced(item), why(item)), view.theme.style(Role::Dim));
        for row in text::wrap(&told, room.max(10), 0, Break::Words) {
            let mut spans = vec![Span::raw(" ".repeat(digits + 11))];
            spans.extend(row.spans);
            lines.push(Line::from(spans));
        }
    }
    lines
}

/// The same as plain lines, those of some numbers or the newest so many.
pub fn told(view: View<'_>, numbers: Option<&Numbers>, most: usize) -> Vec<String> {
    let ran = ran(view, numbers);
    if ran.is_empty() {
        return vec![if numbers.is_some() { "None of them ran unasked." } else { NOTHING }.to_owned()];
    }
    let most = if numbers.is_some() { ran.len() } else { most };
    let mut lines = vec![format!("{} ran without a question, newest first:", number::count(ran.len(), "operation"))];
    for item in ran.iter().take(most) {
        let (word, gist) = (text::line(item.word()), item::gist(&view.state.masks, item));
        lines.push(format!("operation {}: {word} {gist} – {} – {}", item.id.0, enforced(item), why(item)));
    }
    if let Some((first, rest)) = ran.get(most..).and_then(|earlier| earlier.first().zip(earlier.last())) {
        let earlier = number::count(ran.len() - most, "earlier one");
        lines.push(format!("{earlier}: type unasked {}-{}", rest.id.0, first.id.0));
    }
    lines
}

/// What ran unasked, newest first.
fn ran<'a>(view: View<'a>, numbers: Option<&Numbers>) -> Vec<&'a Item> {
    let among = |item: &&Item| numbers.is_none_or(|numbers| numbers.contains(item.id));
    let mut ran: Vec<&Item> = view.state.queue.unasked().filter(among).collect();
    ran.reverse();
    ran
}

/// Why it ran, in a sentence.
fn why(item: &Item) -> String {
    let reason = item.judgement.as_ref().map_or("", |judgement| &judgement.reason);
    text::line(&item.prepared.as_ref().map_or_else(|| reason.to_owned(), |prepared| prepared.hidden(reason)))
}

/// What was enforced while it ran, in a few words.
fn enforced(item: &Item) -> String {
    let promised = item.judgement.as_ref().map_or(Containment::None, |judgement| judgement.containment);
    let held = item.judgement.as_ref().is_some_and(|judgement| judgement.enforced);
    let by = match item.prepared.as_ref().map(|prepared| &prepared.operation.kind) {
        Some(OperationKind::Command(_)) => " by the kernel",
        Some(OperationKind::Sql(_)) => " by the database",
        _ => "",
    };
    match (promised, held, &item.status) {
        (Containment::None, ..) | (_, false, _) => "not contained".to_owned(),
        (promised, true, Status::Running { .. }) => format!("contained{by}, {}, running", promised.word()),
        (promised, true, _) => format!("contained{by}, {}", promised.word()),
    }
}
