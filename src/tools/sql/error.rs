//! Why SQL didn't run, in the words of the screen and of the model.

use thiserror::Error;

use super::connections::Results;

/// Why a statement didn't succeed, or an address can't be used. No message holds a password.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SqlError {
    /// Not a scheme of ours.
    #[error("`{0}` is not a kind of database that is known; use sqlite:, postgres:// or mysql://")]
    UnknownScheme(String),
    /// Not a URL.
    #[error("the database's URL can't be read: {0}")]
    BadUrl(String),
    /// The file of a SQLite database is missing.
    #[error("the database file {0} is not there")]
    NoFile(String),
    /// No connection could be made.
    #[error("{0} can't be reached: {1}")]
    Unreachable(String, String),
    /// The server answered, and let nobody in.
    #[error("{label} answered, but refused {}: {reason}", if *login { "the login" } else { "the connection" })]
    TurnedAway {
        /// Which database.
        label: String,
        /// Whether it was for who asked.
        login: bool,
        /// In its words.
        reason: String,
    },
    /// It broke while in use.
    #[error(
        "the connection to {0} broke: {1}. Whether the statement took effect is not known; \
        the next use connects again"
    )]
    Broken(String, String),
    /// The database said no.
    #[error("{message}")]
    Refused {
        /// In its words, which may hold values.
        message: String,
        /// Its SQLSTATE, where it has one.
        code: Option<String>,
    },
    /// More than one statement where one was judged.
    #[error("it is more than one statement, and only one can run unasked; send them one by one")]
    Several,
    /// PostgreSQL wants to copy through the connection.
    #[error("COPY to or from standard input or output doesn't work here; use SELECT or INSERT, or psql")]
    Copy,
    /// The wall of a session that only reads.
    #[error("nobody was asked, and so it wasn't run: {0} Call it again by itself, and the person decides")]
    Walled(String),
    /// What its names lead to, or the file that it reads, was changed while it ran.
    #[error("what it reads was changed by somebody while it ran, so its rows are held back; run it again")]
    Moved,
    /// What it replaces couldn't be kept.
    #[error("it wasn't run: what it replaces couldn't be kept for undo ({0})")]
    NotKept(String),
    /// A transaction of somebody's is open.
    #[error("a transaction is open on this connection; end it by COMMIT or ROLLBACK first")]
    Open,
    /// Rows were changed since.
    #[error(
        "{} of {expected} rows are no longer as they were left, so nothing was changed; look at them first",
        expected.saturating_sub(*found)
    )]
    Changed {
        /// Rows that were as they were left.
        found: u64,
        /// Rows that should have been.
        expected: u64,
    },
    /// It can't be tried.
    #[error("it can't be tried, and nothing was run: {0}")]
    Untried(String),
    /// It would write after all.
    #[error("it was taken for one that only reads, but the database says that it writes; it wasn't run")]
    Writes,
}

impl SqlError {
    /// What to do where nothing of the database can be had; none for what happened in it.
    pub(super) fn advice(&self) -> Option<String> {
        match self {
            Self::NoFile(file) => {
                Some(format!("Check its path. As sqlite:{file}?mode=rwc the file is made at the first use."))
            }
            Self::Unreachable(label, _) if label.ends_with("(sqlite)") => {
                Some("Check its path, and that you may read it.".to_owned())
            }
            Self::Unreachable(..) => {
                Some("Check that it runs, and the address that --db or the configuration gives.".to_owned())
            }
            Self::TurnedAway { login: true, .. } => {
                Some("Check the user and the password that --db or the configuration gives.".to_owned())
            }
            Self::TurnedAway { login: false, .. } => {
                Some("Check the database's name that --db or the configuration gives.".to_owned())
            }
            _ => None,
        }
    }

    /// The same in full sentences, with what to do.
    pub(super) fn advised(&self) -> String {
        let said = self.to_string();
        let said = said.trim_end_matches('.');
        self.advice().map_or_else(|| format!("{said}."), |advice| format!("{said}. {advice}"))
    }

    /// What a model reads of it. A database's own words may quote a row.
    pub(super) fn told(&self, results: Results) -> String {
        match (self, results) {
            (Self::Refused { code, .. }, Results::Local) => {
                let code = code.as_ref().map(|code| format!(" (SQLSTATE {code})")).unwrap_or_default();
                format!("the database refused it{code}; only the person sees its words")
            }
            (_, Results::Model | Results::Local) => self.to_string(),
        }
    }
}
