//! The list of keys and commands, read from the keymap in force.

use ratatui::text::Line;

use super::paint::View;
use super::text;
use super::theme::Role;
use crate::app::{Context, typed};

/// Every key by where it works, then what can be typed.
pub fn lines(view: View<'_>) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for context in Context::ALL {
        let bound = view.state.keymap.of(context);
        if bound.is_empty() {
            continue;
        }
        lines.push(view.line(context.says(), Role::Strong));
        lines.extend(bound.into_iter().map(|(keys, command)| entry(view, &keys, command.says())));
        if context == Context::Composer {
            lines.push(entry(view, "alt+1…9", "answer with a choice of the model's question"));
        }
        if context == Context::Dialog {
            lines.push(entry(view, "0-9", "pick an operation by number; type a HIGH one's number to approve it"));
        }
        lines.push(Line::default());
    }
    lines.push(view.line("typed", Role::Strong));
    lines.extend(typed().map(|(typed, says)| entry(view, &typed, says)));
    lines
}

fn entry(view: View<'_>, keys: &str, says: &str) -> Line<'static> {
    Line::from(vec![
        view.span(format!("  {}", text::column(keys, 20)), Role::Accent),
        view.span(format!(" {says}"), Role::Text),
    ])
}
