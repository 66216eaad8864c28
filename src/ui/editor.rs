//! The editor of an operation: its text, and how it would be judged as it stands.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::derivation::labelled;
use super::floating::{WIDEST, column, frame, place};
use super::item;
use super::paint::{View, keys};
use super::text::{self, Break};
use super::theme::Role;
use super::typing::Rows;
use crate::app::{Command, Context, Draft, Editor};
use crate::domain::{Claim, Verdict};

/// Rows that the text has at least, so that the frame doesn't grow with every line.
const ROOM: usize = 8;

/// Draws the editor; says where the cursor is.
pub fn draw(view: View<'_>, screen: Rect, buf: &mut Buffer, editor: &Editor) -> Position {
    let columns = usize::from(screen.width.min(WIDEST).saturating_sub(4)).max(1);
    let height = usize::from(screen.height);
    let text = Rows::new(view, &editor.area, Break::Anywhere, columns, height);
    let said = judged(view, editor, columns);
    let bound = keys(view, &bound(view), columns, 1, true);
    // A blank above the text, one below it, and the row of keys.
    let others = said.len() + bound.len() + 2;
    let wanted = text.len().max(ROOM) + others;
    let area = place(screen, wanted, wanted, false);
    let title = format!(" {} · Edit {} ", editor.id.0, editor.editable.what());
    let mut rest = frame(view, area, buf, &view.line(title, Role::Strong), &corner(view, editor));
    let mut below = |rows: usize| {
        let rows = u16::try_from(rows).unwrap_or(u16::MAX).min(rest.height.saturating_sub(1));
        rest.height -= rows;
        Rect { y: rest.bottom(), height: rows, ..rest }
    };
    column(buf, below(bound.len()), &bound);
    column(buf, below(said.len()), &said);
    below(1);
    let above = u16::from(rest.height > 4);
    let inside = Rect { y: rest.y + above, height: rest.height - above, ..rest };
    text.draw(inside, buf)
}

/// The badge of what stands there now.
fn corner(view: View<'_>, editor: &Editor) -> Line<'static> {
    match &editor.draft {
        Draft::Judged(_, judgement) => {
            let badge = item::badge(judgement.risk).trim_end();
            Line::from(vec![Span::raw(" "), view.span(badge, item::risk_role(judgement.risk)), Span::raw(" ")])
        }
        Draft::Judging | Draft::Wrong(_) => Line::default(),
    }
}

/// How the text would be judged, and what the last key had to say.
fn judged(view: View<'_>, editor: &Editor, columns: usize) -> Vec<Line<'static>> {
    let (label, sentences) = match &editor.draft {
        Draft::Judging => ("why", vec![("judging…".to_owned(), Role::Dim)]),
        Draft::Wrong(why) => ("wrong", vec![(text::line(why), Role::Trouble)]),
        Draft::Judged(_, judgement) => {
            // Until something is changed, nobody edited it.
            let waits = view.state.queue.get(editor.id).and_then(|item| item.judgement.as_ref());
            let judgement = waits.filter(|_| !editor.changed()).unwrap_or(judgement);
            let role = if judgement.verdict == Verdict::Deny { Role::Trouble } else { Role::Text };
            ("why", vec![(text::line(&judgement.reason), role)])
        }
    };
    let mut lines = labelled(view, label, sentences, columns);
    let item = view.state.queue.get(editor.id);
    let claim = item.and_then(|item| item.prepared.as_ref()).map(|prepared| &prepared.operation.claim);
    let usual = if editor.editable.is_form() {
        "A line that begins with # says what the next one takes."
    } else if claim.is_none_or(|claim| *claim == Claim::Absent) {
        "The model is told what really ran."
    } else {
        "The model's claim is gone, and the model is told what really ran."
    };
    let hint = editor.hint.as_deref().unwrap_or(usual);
    let role = if editor.hint.is_some() { Role::Accent } else { Role::Dim };
    lines.push(view.line(text::fit(&text::line(hint), columns).into_owned(), role));
    lines
}

fn bound(view: View<'_>) -> Vec<(String, String)> {
    let key = |command, says| view.key(Context::Editor, command, says);
    [
        key(Command::UseEdit, "use it, then approve"),
        key(Command::External, "in $EDITOR"),
        key(Command::Back, "back, the text is kept"),
    ]
    .into_iter()
    .flatten()
    .collect()
}
