//! The bottom of the screen: the composer, and one row that says which keys do what here.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::paint::{View, keys, put};
use super::text;
use super::theme::Role;
use super::typing::Rows;
use crate::app::{Command, Context, Pane};

/// Columns of the prompt.
const PROMPT: u16 = 3;
/// Most rows that the composer takes.
const MOST: u16 = 6;

/// How many rows the composer wants on a screen of this size.
pub fn wanted(view: View<'_>, screen: Rect) -> u16 {
    let most = MOST.min(screen.height / 4).max(1);
    let rows =
        Rows::new(view, view.state.composer.area(), usize::from(screen.width.saturating_sub(PROMPT + 1)), most.into());
    u16::try_from(rows.len()).unwrap_or(most).clamp(1, most)
}

/// Draws the composer; says where the cursor belongs, if keys go there.
pub fn composer(view: View<'_>, area: Rect, buf: &mut Buffer) -> Option<Position> {
    let focused = view.focused(Pane::Composer);
    put(buf, area, 0, &view.line(" › ", if focused { Role::Accent } else { Role::Dim }));
    let width = area.width.saturating_sub(PROMPT + 1);
    let room = Rect { x: area.x + PROMPT.min(area.width), width, ..area };
    if view.state.composer.is_empty() {
        put(buf, room, 0, &view.line("type a message · ! command · / for commands", Role::Dim));
    }
    let rows = Rows::new(view, view.state.composer.area(), width.into(), area.height.into());
    let cursor = rows.draw(room, buf);
    focused.then_some(cursor)
}

/// Draws the hint of the last key, or the keys that work here.
pub fn hints(view: View<'_>, area: Rect, buf: &mut Buffer) {
    let room = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(2), ..area };
    if let Some(hint) = &view.state.hint {
        put(buf, room, 0, &view.line(text::fit(&text::line(hint), room.width.into()), Role::Accent));
        return;
    }
    let context = view.state.context();
    let bound: Vec<_> =
        commands(view, context).into_iter().filter_map(|(command, says)| view.key(context, command, says)).collect();
    let lines = keys(view, &bound, room.width.into(), 1, view.state.modal.is_none());
    put(buf, room, 0, lines.first().unwrap_or(&Line::default()));
}

/// What is worth knowing here, the most useful first.
fn commands(view: View<'_>, context: Context) -> Vec<(Command, &'static str)> {
    let stop = (Command::Back, "stop");
    match context {
        Context::Composer | Context::Everywhere => {
            let mut commands = Vec::new();
            if view.state.chat.question().is_some() {
                commands.extend([(Command::AnswerYes, "yes"), (Command::AnswerNo, "no")]);
            }
            commands.extend([
                (Command::Send, "send"),
                (Command::NextPane, "pane"),
                (Command::FocusQueue, "operations"),
            ]);
            commands.extend(view.state.moving().then_some(stop));
            commands.extend([(Command::Help, "keys"), (Command::Newline, "new line"), (Command::Quit, "leave")]);
            commands
        }
        Context::Chat => vec![
            (Command::FocusComposer, "type"),
            (Command::NextPane, "pane"),
            (Command::LineUp, "up"),
            (Command::LineDown, "down"),
            (Command::ToEnd, "end"),
            (Command::Copy, "copy"),
            (Command::Help, "keys"),
        ],
        Context::Queue => vec![
            (Command::Open, "open"),
            (Command::Deny, "deny"),
            (Command::DenyWithReason, "deny, saying why"),
            (Command::ApproveAll, "approve all"),
            (Command::DenyAll, "deny all"),
            (Command::ShowOutput, "output"),
            (Command::CancelRun, "stop it"),
            (Command::NextPane, "pane"),
            (Command::Help, "keys"),
        ],
        Context::Output => vec![
            (Command::LineUp, "up"),
            (Command::LineDown, "down"),
            (Command::ColumnLeft, "left"),
            (Command::ColumnRight, "right"),
            (Command::ToEnd, "follow"),
            (Command::PreviousOutput, "older"),
            (Command::NextOutput, "newer"),
            (Command::CancelRun, "stop it"),
            (Command::Copy, "copy"),
            (Command::Help, "keys"),
        ],
        Context::Dialog => Vec::new(),
    }
}
