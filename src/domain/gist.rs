//! What an operation would do, in one line.

use serde_json::Value;

use super::{FileOperation, OperationKind, SqlWay};

/// Characters of a text of the program's own that a line takes in.
const GIST: usize = 400;

impl OperationKind {
    /// One line that says what it would do. Not shortened, not neutralised: the view does both.
    #[must_use]
    pub fn gist(&self) -> String {
        match self {
            Self::Sql(sql) => match &sql.way {
                SqlWay::Plain => one_line(&sql.sql),
                SqlWay::Trial => format!("try {}", one_line(&sql.sql)),
                // Made by the program, and maybe long: its beginning says what it is.
                SqlWay::TakeBack(_) => {
                    format!("undo by {}", one_line(&sql.sql.chars().take(GIST).collect::<String>()))
                }
            },
            Self::Command(command) => {
                command.command.lines().map(one_line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ⏎ ")
            }
            Self::File(FileOperation::Move { path, destination }) => format!("move {path} → {destination}"),
            Self::File(file) => format!("{} {}", file.verb(), file.path()),
            Self::Http(http) => format!("{} {}", http.method, http.url),
            Self::Search(search) => match &search.path {
                Some(path) => format!("{} in {path}", search.pattern),
                None => search.pattern.clone(),
            },
            Self::Find(find) => match &find.path {
                Some(path) => format!("{} in {path}", find.glob),
                None => find.glob.clone(),
            },
            Self::Undo(undo) => format!("undo {}", undo.numbers()),
            Self::Apply(apply) => format!("apply changes of {}: {}", apply.of, apply.brief()),
            Self::Answer(answer) => one_line(&answer.gist()),
            Self::Mcp(mcp) => {
                let arguments = Value::Object(mcp.arguments.clone());
                one_line(&format!("{} {arguments}", mcp.name()))
            }
            Self::Other(arguments) => one_line(&arguments.to_string()),
        }
    }
}

/// Joins lines and runs of blanks, so that a gist fits a row.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
