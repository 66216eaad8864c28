//! What an operation would do in a few words: `Delete rows`, `Push to origin/main`. The same words in the dialog, in
//! the list and when it is done. Told from what was parsed, never from the text itself; not yet neutralised.

use super::answer::Asks;
use super::operation::{FileOperation, OperationKind, Prepared, SqlOperation, SqlWay};
use super::target::Target;

/// Longest name within a title, in characters.
const NAME: usize = 30;

/// Longest title that names two acts, in bytes.
const BOTH: usize = 44;

/// The title of several acts, each named once: both of two, if they are short; else one, and how many more there are.
/// Those of `mild` are named last.
#[must_use]
pub fn joined(acts: &[String], mild: &[&str]) -> String {
    match acts {
        [] => return String::new(),
        [act] => return act.clone(),
        [first, second] if first.len() + second.len() <= BOTH => {
            let mut letters = second.chars();
            let initial = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
            return format!("{first} and {initial}{}", letters.as_str());
        }
        _ => {}
    }
    let worst = acts.iter().find(|act| !mild.contains(&act.as_str())).unwrap_or(&acts[0]);
    format!("{worst} and {} more", acts.len() - 1)
}

impl Prepared {
    /// What it would do in a few words.
    #[must_use]
    pub fn title(&self) -> String {
        let act = &self.assessment.act;
        match &self.operation.kind {
            OperationKind::Sql(SqlOperation { way: SqlWay::Trial, .. }) => "Try SQL, then roll back".to_owned(),
            OperationKind::Sql(SqlOperation { way: SqlWay::TakeBack(_), .. }) => "Take SQL back".to_owned(),
            OperationKind::Sql(_) if act.is_empty() => "Run SQL".to_owned(),
            OperationKind::Command(_) if act.is_empty() => "Run command".to_owned(),
            OperationKind::Command(_) => match (act.as_str(), self.facts.targets.as_slice()) {
                ("Push", [Target::Remote { remote, branch: Some(branch), .. }]) => {
                    format!("Push to {}/{}", short(remote), short(branch))
                }
                ("Push", [Target::Remote { remote, branch: None, .. }]) => {
                    format!("Push every branch to {}", short(remote))
                }
                ("Commit" | "Merge" | "Rebase" | "Reset", [Target::Branch { name, .. }]) => {
                    let to = match act.as_str() {
                        "Commit" => " to",
                        "Merge" => " into",
                        _ => "",
                    };
                    format!("{act}{to} {}", short(name))
                }
                _ => act.clone(),
            },
            OperationKind::Sql(_) => act.clone(),
            OperationKind::File(file) => match file {
                FileOperation::Read { .. } => "Read file",
                FileOperation::List { .. } => "List folder",
                FileOperation::Exists { .. } => "Look whether it exists",
                FileOperation::Write { .. } => "Write file",
                FileOperation::Edit { .. } => "Edit file",
                FileOperation::Delete { .. } => "Delete file",
                FileOperation::Move { .. } => "Move file",
            }
            .to_owned(),
            OperationKind::Http(http) => {
                let method = short(&http.method.to_ascii_uppercase());
                match self.facts.targets.first() {
                    Some(Target::Host { name, .. }) => format!("{method} to {}", short(name)),
                    _ => format!("Send {method}"),
                }
            }
            OperationKind::Search(_) => "Search in files".to_owned(),
            OperationKind::Find(_) => "Find files".to_owned(),
            OperationKind::Undo(_) => "Take changes back".to_owned(),
            OperationKind::Apply(apply) => format!("Apply changes of {}", apply.of),
            OperationKind::Answer(answer) => match &answer.asks {
                Asks::Form { .. } => format!("Answer {}", short(&answer.server)),
                Asks::Sample { .. } => format!("Ask the model for {}", short(&answer.server)),
            },
            OperationKind::Mcp(mcp) => format!("Call {} of {}", short(&mcp.tool), short(&mcp.server)),
            OperationKind::Other(_) => format!("Call {}", short(&self.operation.tool)),
        }
    }
}

/// A name that fits a title.
fn short(name: &str) -> String {
    let mut letters = name.chars();
    let short: String = letters.by_ref().take(NAME).collect();
    if letters.next().is_some() { format!("{short}…") } else { short }
}
