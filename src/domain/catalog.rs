//! What a database's own catalog says of the names in a statement: the part of a statement's meaning that its
//! text doesn't show. Gathered by the tool of the connection, judged by the SQL assessor, compared like every
//! other fact right before the start.

use serde::{Deserialize, Serialize};

/// What sort of thing a name stands for, or leads to. In order of how much a sentence about it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// A view.
    View,
    /// A row-level policy of a table.
    Policy,
    /// A column that is computed when it is read.
    Column,
    /// A function.
    Function,
    /// A function that may be meant by `x.name`, if x has no such column.
    Field,
    /// An operator.
    Operator,
    /// A cast from one type to another.
    Cast,
    /// A type with code of its own.
    Type,
    /// A class of operators that an index uses.
    OperatorClass,
    /// A table whose data lies elsewhere, or that only looks like one.
    Table,
    /// A relation of the engine, or of a kind that no rule knows.
    Relation,
}

impl Sort {
    /// The word for sentences.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Function | Self::Field => "function",
            Self::Operator => "operator",
            Self::Cast => "cast",
            Self::Type => "type",
            Self::OperatorClass => "operator class",
            Self::View => "view",
            Self::Policy => "row policy",
            Self::Column => "computed column",
            Self::Table => "table",
            Self::Relation => "relation",
        }
    }
}

/// Who brought a piece of code into a database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Maker {
    /// The engine itself.
    Engine,
    /// An extension that an administrator installed, by its name.
    Extension(String),
    /// Somebody who may create things in the database.
    Database,
}

/// What a name leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// Code.
    Code(Maker),
    /// SQL that takes the place of the name: a view's query, a policy's condition, a column's expression.
    Text(String),
    /// Data that lies outside of the database: at another server, in a file.
    Outside(String),
    /// Something that the connected role may use and not look into.
    Hidden,
}

/// One thing that a statement's names lead to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CatalogEntry {
    /// What sort of thing.
    pub sort: Sort,
    /// Its name, with its schema unless it is the engine's own.
    pub name: String,
    /// What it leads to.
    pub meaning: Meaning,
}

/// The role that a connection acts as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// What it may do beyond the data: read files, run programs, end sessions. Empty for an ordinary role.
    pub powers: Vec<String>,
}

/// What the catalog says of a statement's names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalog {
    /// What the names lead to, in order. Plain tables, and what the engine itself is known by, don't appear.
    pub entries: Vec<CatalogEntry>,
    /// The role that was asked as.
    pub role: Role,
    /// Why it couldn't be asked, in words that end a sentence. Then nothing is known.
    pub trouble: Option<String>,
}

impl Catalog {
    /// A catalog that couldn't be asked.
    pub fn unknown(trouble: impl Into<String>) -> Self {
        Self { trouble: Some(trouble.into()), ..Self::default() }
    }
}
