//! The typed, parsed operation: what would happen, told without believing anybody.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::AnswerOperation;
use super::edit::Edit;
use super::facts::Facts;
use super::mcp::McpOperation;
use super::record::Decider;
use super::risk::{Assessment, Claim};
use super::staged::{ApplyOperation, change_lines};
use super::undo::{Change, UndoOperation};

/// Number of an operation within its session, from 1. What the person sees as `#1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OperationId(pub u64);

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Who asked for an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// A model's tool call; the result goes back under its id.
    Model {
        /// The provider's id of the call.
        call_id: String,
    },
    /// The person, directly (`! ls`).
    Person,
    /// The program, after a run of its own accord: the same without walls, where one may have stopped it; what it would
    /// change, where it ran staged.
    Program {
        /// That run.
        after: OperationId,
        /// Who asked for that one; the new one works where it did.
        of: Box<Origin>,
    },
    /// The person, who runs an operation once more, where it ran.
    Again {
        /// That operation.
        after: OperationId,
        /// Who asked for that one.
        of: Box<Origin>,
    },
    /// The person, about what a model ran or asks for: tried first, or taken back. It works where that does.
    Beside {
        /// Who asked for that one.
        of: Box<Origin>,
    },
    /// The person, who changed what was asked for before it ran. It needs its own approval.
    Edited {
        /// Who asked for what was changed.
        of: Box<Origin>,
        /// What of it was changed; journals of earlier versions don't say.
        #[serde(default)]
        what: Edit,
    },
}

impl Origin {
    /// Whether a model waits for its result.
    #[must_use]
    pub fn by_model(&self) -> bool {
        match self {
            Self::Model { .. } => true,
            Self::Edited { of, .. } => of.by_model(),
            Self::Person | Self::Program { .. } | Self::Again { .. } | Self::Beside { .. } => false,
        }
    }

    /// The person, who proposes something about an operation of this origin.
    #[must_use]
    pub fn beside(&self) -> Self {
        match self {
            Self::Person => Self::Person,
            Self::Beside { .. } => self.clone(),
            Self::Program { of, .. } | Self::Again { of, .. } | Self::Edited { of, .. } => of.beside(),
            Self::Model { .. } => Self::Beside { of: Box::new(self.clone()) },
        }
    }

    /// What the person changed of it, if they did.
    #[must_use]
    pub fn edited(&self) -> Option<Edit> {
        match self {
            Self::Edited { what, .. } => Some(*what),
            Self::Model { .. } | Self::Person | Self::Program { .. } | Self::Again { .. } | Self::Beside { .. } => None,
        }
    }

    /// The same operation as the person changed it.
    #[must_use]
    pub fn changed(&self, edit: Edit) -> Self {
        let of = match self {
            Self::Edited { of, .. } => of.clone(),
            origin => Box::new(origin.clone()),
        };
        Self::Edited { of, what: edit.after(self.edited()) }
    }
}

/// An SQL dialect, which is also the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// SQLite.
    #[serde(alias = "sqlite3")]
    Sqlite,
    /// PostgreSQL.
    #[serde(alias = "postgresql", alias = "pg", alias = "psql")]
    Postgres,
    /// MySQL and MariaDB.
    #[serde(alias = "mariadb")]
    Mysql,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::Mysql];

    /// The word that is shown and serialised.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Mysql => "mysql",
        }
    }
}

/// SQL on a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlOperation {
    /// Name of the connection.
    pub connection: String,
    /// Its dialect; none means judged by the strictest of all.
    pub dialect: Option<Dialect>,
    /// The text, as it will be sent.
    pub sql: String,
    /// How it is run.
    #[serde(default)]
    pub way: SqlWay,
}

/// How SQL is run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SqlWay {
    /// As it is.
    #[default]
    Plain,
    /// In a transaction that is counted, shown and rolled back.
    Trial,
    /// In one transaction that is rolled back unless every row is as it was left: takes an operation back.
    TakeBack(TakeBack),
}

/// What a statement that takes another one back was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeBack {
    /// Where the two statements, there and back, are kept: a digest.
    pub kept: String,
    /// It does again what was taken back.
    pub again: bool,
    /// Rows that must change, no more and no less.
    pub rows: u64,
}

/// A shell command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandOperation {
    /// The text, as `bash -c` gets it.
    pub command: String,
    /// Time limit in seconds; none means the configured default.
    pub timeout: Option<u64>,
    /// It gets a terminal of its own, in which the person can type: no walls are around it, and it always asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
}

/// An operation on files. Paths are as spelled by the caller; `Facts` has the real ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "lowercase")]
pub enum FileOperation {
    /// Reads a text file, or `limit` lines from line `offset` (counted from 1).
    Read {
        /// The file.
        path: String,
        /// First line, from 1.
        offset: Option<u64>,
        /// How many lines.
        limit: Option<u64>,
    },
    /// Lists a folder.
    List {
        /// The folder.
        path: String,
    },
    /// Tells whether something is there.
    Exists {
        /// The path.
        path: String,
    },
    /// Creates or overwrites a file.
    Write {
        /// The file.
        path: String,
        /// Its new text.
        content: String,
    },
    /// Replaces one text that occurs exactly once, or every occurrence with `all`.
    Edit {
        /// The file.
        path: String,
        /// What stands there.
        old: String,
        /// What shall stand there.
        new: String,
        /// Every occurrence rather than the only one.
        all: bool,
    },
    /// Deletes a file or an empty folder.
    Delete {
        /// The file.
        path: String,
    },
    /// Moves a file; never overwrites.
    Move {
        /// From.
        path: String,
        /// To.
        destination: String,
    },
}

impl FileOperation {
    /// The verb, as in the `operation` argument.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Read { .. } => "read",
            Self::List { .. } => "list",
            Self::Exists { .. } => "exists",
            Self::Write { .. } => "write",
            Self::Edit { .. } => "edit",
            Self::Delete { .. } => "delete",
            Self::Move { .. } => "move",
        }
    }

    /// The path it is about.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Read { path, .. }
            | Self::List { path }
            | Self::Exists { path }
            | Self::Write { path, .. }
            | Self::Edit { path, .. }
            | Self::Delete { path }
            | Self::Move { path, .. } => path,
        }
    }
}

/// An HTTP request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpOperation {
    /// The method as given.
    pub method: String,
    /// The URL as given.
    pub url: String,
    /// Headers as given, in order.
    pub headers: Vec<(String, String)>,
    /// The body, if any.
    pub body: Option<String>,
}

/// A search for text in files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchOperation {
    /// A regular expression.
    pub pattern: String,
    /// Folder or file to search in; the workspace without it.
    pub path: Option<String>,
    /// Only files whose name matches.
    pub glob: Option<String>,
    /// Ignore case.
    pub ignore_case: bool,
}

/// A search for files by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindOperation {
    /// A glob over the path within the folder.
    pub glob: String,
    /// Folder to look in; the workspace without it.
    pub path: Option<String>,
}

/// What sort of thing would happen. A tool that needs no form of its own uses `Other`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum OperationKind {
    /// `execute_sql`
    Sql(SqlOperation),
    /// `execute_command`
    Command(CommandOperation),
    /// `file_operations`
    File(FileOperation),
    /// `http_request`
    Http(HttpOperation),
    /// `search_files`
    Search(SearchOperation),
    /// `find_files`
    Find(FindOperation),
    /// `undo`: the person's alone.
    Undo(UndoOperation),
    /// `apply`: the program's alone.
    Apply(ApplyOperation),
    /// A tool of an MCP server.
    Mcp(McpOperation),
    /// `answer`: the program's alone.
    Answer(AnswerOperation),
    /// Any other tool: its arguments as they are.
    Other(Value),
}

/// The whole text of an operation for the person, and the language to highlight it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// `sql`, `bash`, `json`, `http` or `text`.
    pub language: &'static str,
    /// Everything; never shortened.
    pub body: String,
}

impl OperationKind {
    /// The short word for it in lists.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Sql(_) => "sql",
            Self::Command(_) => "command",
            Self::File(_) => "file",
            Self::Http(_) => "http",
            Self::Search(_) => "search",
            Self::Find(_) => "find",
            Self::Undo(_) => "undo",
            Self::Apply(_) => "apply",
            Self::Answer(_) => "answer",
            Self::Mcp(_) => "mcp",
            Self::Other(_) => "tool",
        }
    }

    /// The whole text, for the modal.
    #[must_use]
    pub fn text(&self) -> Text {
        match self {
            Self::Sql(sql) => Text { language: "sql", body: sql.sql.clone() },
            Self::Command(command) => Text { language: "bash", body: command.command.clone() },
            Self::File(file) => file_text(file),
            Self::Http(http) => {
                let mut body = format!("{} {}", http.method, http.url);
                for (name, value) in &http.headers {
                    body.push_str(&format!("\n{name}: {value}"));
                }
                if let Some(content) = &http.body {
                    body.push_str("\n\n");
                    body.push_str(content);
                }
                Text { language: "http", body }
            }
            Self::Search(_) | Self::Find(_) => Text { language: "text", body: self.gist() },
            Self::Undo(undo) => {
                let lines: Vec<String> = undo.changes.iter().map(Change::taken_back).collect();
                Text { language: "text", body: format!("{}\n\n{}", self.gist(), lines.join("\n")) }
            }
            Self::Apply(apply) => {
                let lines = change_lines(&apply.changes);
                Text { language: "text", body: format!("{}\n\n{}", self.gist(), lines.join("\n")) }
            }
            Self::Answer(answer) => Text { language: "text", body: answer.text() },
            Self::Mcp(mcp) => {
                let arguments = serde_json::to_string_pretty(&mcp.arguments).unwrap_or_default();
                Text { language: "json", body: arguments }
            }
            Self::Other(arguments) => Text {
                language: "json",
                body: serde_json::to_string_pretty(arguments).unwrap_or_else(|_| arguments.to_string()),
            },
        }
    }
}

fn file_text(file: &FileOperation) -> Text {
    let head = OperationKind::File(file.clone()).gist();
    match file {
        FileOperation::Write { content, .. } => Text { language: "text", body: format!("{head}\n\n{content}") },
        FileOperation::Edit { old, new, all, .. } => {
            let mut body = format!("{head}{}\n\n", if *all { " (every occurrence)" } else { "" });
            body.extend(old.lines().map(|line| format!("-{line}\n")));
            body.extend(new.lines().map(|line| format!("+{line}\n")));
            Text { language: "diff", body }
        }
        FileOperation::Read { .. }
        | FileOperation::List { .. }
        | FileOperation::Exists { .. }
        | FileOperation::Delete { .. }
        | FileOperation::Move { .. } => Text { language: "text", body: head },
    }
}

/// One thing that somebody wants done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Its number in the session.
    pub id: OperationId,
    /// Who asked.
    pub origin: Origin,
    /// Name of the tool that would do it.
    pub tool: String,
    /// What the model claimed of it.
    pub claim: Claim,
    /// What would happen.
    pub kind: OperationKind,
    /// Folder it would happen in.
    #[serde(with = "super::path")]
    pub cwd: PathBuf,
}

/// An operation with the local facts it was judged on and the judgement's material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// What would happen.
    pub operation: Operation,
    /// What local reading found.
    pub facts: Facts,
    /// What the assessor found.
    pub assessment: Assessment,
}

impl Prepared {
    /// Whether what it returned may be private: files, rows, output. What a host answers is, too, but for what the table
    /// alone let run: that was sent to public addresses, without anything that says who asks. A person, a rule or a mode may
    /// have let it reach this machine and its network.
    #[must_use]
    pub fn reads_private(&self, decider: Option<&Decider>) -> bool {
        match &self.operation.kind {
            OperationKind::Sql(_)
            | OperationKind::Command(_)
            | OperationKind::File(_)
            | OperationKind::Search(_)
            | OperationKind::Find(_)
            | OperationKind::Mcp(_)
            | OperationKind::Answer(_)
            | OperationKind::Other(_) => true,
            OperationKind::Http(_) => decider != Some(&Decider::Whitelist),
            OperationKind::Undo(_) | OperationKind::Apply(_) => false,
        }
    }

    /// The hosts, each with its port, that it asks over HTTP.
    pub fn hosts(&self) -> impl Iterator<Item = &String> {
        let own = matches!(self.operation.kind, OperationKind::Http(_)).then_some(&self.assessment.target);
        own.into_iter().chain(&self.assessment.hosts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_host_answers_is_private_unless_the_table_alone_let_it_be_asked() {
        let (url, method) = ("https://example.org/".to_owned(), "GET".to_owned());
        let kind = OperationKind::Http(HttpOperation { method, url, headers: Vec::new(), body: None });
        let (origin, tool, claim) = (Origin::Person, "http_request".to_owned(), Claim::Absent);
        let operation = Operation { id: OperationId(1), origin, tool, claim, kind, cwd: "/w".into() };
        let get = Prepared { operation, facts: Facts::default(), assessment: Assessment::default() };
        assert!(!get.reads_private(Some(&Decider::Whitelist)), "anybody can read what it says");
        for decider in [Decider::Person, Decider::Rule, Decider::TurnApproval, Decider::Claim, Decider::AllowAll] {
            assert!(get.reads_private(Some(&decider)), "{decider:?}");
        }
        assert!(get.reads_private(None));
    }
}
