//! What a new session says, and what the practice model is.

use ratatui::text::Line;

use super::paint::View;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Command, Context};
use crate::domain::ApprovalMode;

/// What can be done, without what has no room: the blank first, then what keys and notices say too; last what to try.
pub fn fitted(view: View<'_>, columns: usize, room: usize) -> Vec<Vec<Line<'static>>> {
    let mut said = welcome(view, columns);
    for at in [3, 5, 2, 1, 4] {
        let rows: usize = said.iter().map(Vec::len).sum();
        said.get_mut(at).filter(|_| rows > room).into_iter().for_each(Vec::clear);
    }
    said
}

/// What can be done, as long as nothing was: the rows of each sentence.
fn welcome(view: View<'_>, columns: usize) -> Vec<Vec<Line<'static>>> {
    let runs = match view.state.queue.gate().policy().in_force() {
        ApprovalMode::Strict => "Everything waits for you: the mode is strict.",
        ApprovalMode::Guarded if view.state.queue.gate().enforceable().staged_command => {
            "What clearly only reads runs at once. Tests, and commands that the model calls low risk, run on a copy of \
             the folder: new files are added, changes wait for you, as does the rest."
        }
        ApprovalMode::Guarded => "What clearly only reads runs at once. The rest waits for you.",
        ApprovalMode::Smart => {
            "What clearly only reads runs at once, and what the model calls low risk. The rest waits for you."
        }
        ApprovalMode::AllowAll => "Everything runs at once but catastrophes and what a rule denies.",
    };
    let mut said = vec![(Role::Strong, "Say what you want, or type ! and a command."), (Role::Text, runs)];
    if view.state.setting.practice {
        said.push((Role::Text, ""));
        said.push((Role::Notice, PRACTICE));
        said.push((Role::Notice, YOURS));
        said.push((Role::Notice, "Try: show the tables · delete the cancelled orders · what is in this folder"));
    }
    let key = |command, says: &str| view.key(Context::Composer, command, says);
    let keys = [key(Command::Help, "says what the keys do"), key(Command::Palette, "lists everything")];
    let keys = keys.into_iter().flatten().map(|(key, says)| format!("{key} {says}")).collect::<Vec<_>>().join(", ");
    let keys = format!("{keys}.");
    said.insert(2, (Role::Dim, &keys));
    said.into_iter().map(|(role, text)| text::wrap(&view.line(text, role), columns, 0, Break::Words)).collect()
}

/// What the practice model is, and how to connect a real one.
const PRACTICE: &str = "This is the practice model, a small planner on its own database. `countersign setup` \
    chooses a real one.";

/// Where the person's own operations run.
const YOURS: &str = "Your ! and / lines run in the folder you started it in.";

/// The same on one row, as long as fits.
pub fn banner(columns: usize) -> &'static str {
    const LENGTHS: [&str; 4] = [
        "Practice model, its own database and folder. Your ! and / lines run where you started this. \
         `countersign setup` chooses a real one.",
        "Practice model. Your ! and / run where you started. `countersign setup` chooses a real one.",
        "Practice model. Your ! and / lines run where you started, not in its folder.",
        "Practice model. ! and / run where you started.",
    ];
    LENGTHS.into_iter().find(|said| said.len() <= columns).unwrap_or("Practice model, no real one.")
}
