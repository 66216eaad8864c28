//! The keys of a dialog about an operation: two rows, each key in the row where it was in the dialog before.

use ratatui::text::Line;

use super::paint::{View, keys};
use super::remember;
use crate::app::{Asking, Command, Context, Dialog, Reach};
use crate::domain::{Draft, Foresight, OperationKind, Prepared, RiskLevel, Trial};

/// Columns from which on the keys stand in rows of their own.
const ROOMY: usize = 74;
/// Rows of keys where there is room.
const USUAL: usize = 2;
/// Most rows of keys.
const MOST: usize = 3;

/// Keys and what they do.
type Keys = Vec<(String, String)>;

/// The keys that count now as rows.
pub fn rows(view: View<'_>, dialog: &Dialog, columns: usize, live: bool) -> Vec<Line<'static>> {
    let (first, rest) = bound(view, dialog);
    if columns < ROOMY {
        return keys(view, &[first, rest].concat(), columns, MOST, live);
    }
    if rest.is_empty() {
        // As high as otherwise, so that the next question moves nothing.
        let mut lines = keys(view, &first, columns, MOST, live);
        lines.resize_with(lines.len().max(USUAL), Line::default);
        return lines;
    }
    let mut lines = keys(view, &first, columns, MOST, live);
    lines.extend(keys(view, &rest, columns, MOST - 1, live));
    lines.truncate(MOST);
    lines
}

/// Whether it could be tried first.
fn tried(view: View<'_>, dialog: &Dialog) -> bool {
    let foresight = view.state.queue.foresight(dialog.id);
    matches!(foresight, Some(Foresight::Measured(preview)) if preview.trial == Trial::Offered)
}

/// Whether it is a command that is to run in a terminal.
fn in_terminal(view: View<'_>, dialog: &Dialog) -> Option<&'static str> {
    match &view.state.queue.gate().prepared(dialog.id)?.operation.kind {
        OperationKind::Command(command) if command.terminal => Some("without a terminal"),
        OperationKind::Command(_) => Some("in a terminal"),
        _ => None,
    }
}

/// What decides about this operation, and what else there is, named by the keymap.
fn bound(view: View<'_>, dialog: &Dialog) -> (Keys, Keys) {
    let key = |command, says: &str| view.key(Context::Dialog, command, says);
    let named = |keys: Vec<Option<(String, String)>>| keys.into_iter().flatten().collect::<Keys>();
    let alone = |keys| (named(keys), Keys::new());
    match &dialog.asking {
        Asking::Choice => (named(deciding(view, dialog)), named(others(view, dialog))),
        Asking::Confirm { .. } => {
            let back = key(Command::Deny, "back").zip(key(Command::Back, ""));
            alone(vec![back.map(|((no, says), (esc, _))| (format!("{esc} {no}"), says))])
        }
        Asking::Remember(remembering) => alone(remember::bound(view, dialog, remembering)),
        Asking::Reason(_) => {
            alone(vec![Some(("enter".to_owned(), "deny".to_owned())), Some(("esc".to_owned(), "back".to_owned()))])
        }
        Asking::Pick { .. } => {
            alone(vec![Some(("enter".to_owned(), "list them".to_owned())), key(Command::Back, "back")])
        }
        Asking::All { listed, high, reach } => {
            let high = high.len();
            let says = if high > 0 {
                format!("approve {}, {high} HIGH", listed.len())
            } else {
                format!("approve all {}", listed.len())
            };
            let gentle = high > 0 && listed.len() > high;
            let only = match listed.len() - high {
                1 => "only the 1 that isn't high".to_owned(),
                others => format!("only the {others} that aren't high"),
            };
            alone(vec![
                key(Command::Approve, &says),
                gentle.then(|| key(Command::Gentle, &only)).flatten(),
                match reach {
                    Reach::Turn => key(Command::DenyAll, "deny all"),
                    Reach::Listed => key(Command::Deny, &format!("deny these {}", listed.len())),
                },
                key(Command::Back, "back"),
            ])
        }
    }
}

fn deciding(view: View<'_>, dialog: &Dialog) -> Vec<Option<(String, String)>> {
    let key = |command, says: &str| view.key(Context::Dialog, command, says);
    let high = dialog.risk == RiskLevel::High;
    let approve = if high { format!("then {} approve", dialog.id.0) } else { "approve".to_owned() };
    vec![
        key(Command::Approve, &approve),
        key(Command::Deny, "deny"),
        key(Command::DenyWithReason, "with reason"),
        key(Command::Edit, "edit"),
        key(Command::Back, if dialog.derivation { "text" } else { "later" }),
        several(view).then(|| key(Command::Skip, "next")).flatten(),
    ]
}

fn others(view: View<'_>, dialog: &Dialog) -> Vec<Option<(String, String)>> {
    let key = |command, says: &str| view.key(Context::Dialog, command, says);
    let (waiting, high) = view.state.queue.counts();
    let all = if high > 0 { format!("all {waiting} ({high} HIGH)") } else { format!("all {waiting}") };
    let several = |command, says: &str| several(view).then(|| key(command, says)).flatten();
    let prepared = view.state.queue.gate().prepared(dialog.id);
    let draft = |rule: fn(&Prepared) -> Result<Draft, String>| prepared.is_some_and(|prepared| rule(prepared).is_ok());
    vec![
        draft(Draft::allow).then(|| key(Command::Remember, "remember")).flatten(),
        draft(Draft::deny).then(|| key(Command::Never, "never")).flatten(),
        key(Command::Derivation, if dialog.derivation { "text" } else { "why" }),
        key(Command::Help, "keys"),
        several(Command::ApproveAll, &all),
        several(Command::DenyAll, "deny all"),
        several(Command::Pick, "pick"),
        tried(view, dialog).then(|| key(Command::Try, "try it")).flatten(),
        in_terminal(view, dialog).and_then(|says| key(Command::InTerminal, says)),
    ]
}

fn several(view: View<'_>) -> bool {
    view.state.queue.counts().0 > 1
}
