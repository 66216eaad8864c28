//! The new values of a change, shown behind the old ones in a sample of its rows.

use sqlparser::ast::{Assignment, AssignmentTarget, ObjectNamePart};

use super::super::touch::{bare, steady};
use super::SAMPLE;
use crate::domain::Dialect;

/// A sample with new values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// It.
    pub sample: String,
    /// How many of them it shows.
    pub shows: NewValues,
    /// Those.
    pub new: Vec<NewValue>,
}

/// A value that a column gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewValue {
    /// The column, without quotes.
    pub column: String,
    /// The expression.
    pub value: String,
    /// How it stands in the list of the sample.
    pub item: String,
}

/// How many of the values that a change sets are shown behind the old ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewValues {
    /// None.
    None,
    /// Those that are told one by one; not defaults, nor those that come together.
    Some,
    /// All.
    All,
}

impl NewValues {
    /// Of so many that are set, so many are shown.
    pub(super) fn of(shown: usize, set: usize) -> Self {
        match shown {
            0 => Self::None,
            shown if shown == set => Self::All,
            _ => Self::Some,
        }
    }
}

impl After {
    /// A sample of the joined rows that it meets. None where no new value can be shown.
    pub(super) fn of(called: &str, new: Vec<NewValue>, set: usize, met: &str) -> Option<Self> {
        let items: String = new.iter().map(|new| new.item.as_str()).collect();
        let sample = format!("SELECT {called}.*{items} {met} LIMIT {SAMPLE}");
        (!new.is_empty()).then(|| Self { sample, shows: NewValues::of(new.len(), set), new })
    }
}

/// What each plain assignment puts into its column, where that is the same each time it is computed. MySQL computes one
/// after the other, with what those before it have set.
pub(super) fn new_values(dialect: Dialect, assignments: &[Assignment]) -> Vec<NewValue> {
    values_each(dialect, assignments).into_iter().flatten().collect()
}

/// The same for each assignment, or nothing.
pub(in super::super) fn values_each(dialect: Dialect, assignments: &[Assignment]) -> Vec<Option<NewValue>> {
    let quote = if dialect == Dialect::Mysql { '`' } else { '"' };
    let mut set: Vec<String> = Vec::new();
    let one = |assignment: &Assignment| {
        let AssignmentTarget::ColumnName(column) = &assignment.target else { return None };
        let column = bare(column.0.last().and_then(ObjectNamePart::as_ident)?);
        let value = assignment.value.to_string();
        let text = value.to_lowercase().replace("``", "`");
        let word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let reads = |set: &String| {
            let odd = !set.chars().all(word);
            text.split(|letter: char| !word(letter)).any(|word| word == set) || odd && text.contains(set)
        };
        let known = !value.eq_ignore_ascii_case("default")
            && steady(&assignment.value).is_ok()
            && !(dialect == Dialect::Mysql && set.iter().any(reads));
        set.push(column.to_lowercase());
        let shown = column.replace(quote, &format!("{quote}{quote}"));
        known.then(|| NewValue { item: format!(", {value} AS {quote}new {shown}{quote}"), column, value })
    };
    assignments.iter().map(one).collect()
}

impl NewValue {
    /// The same in its list, as a column of a type keeps it: a number is rounded.
    #[must_use]
    pub fn kept_as(&self, dialect: Dialect, kind: &str) -> Option<String> {
        let cast = self.cast(dialect, kind);
        (cast != self.value).then(|| self.item.replacen(&self.value, &cast, 1))
    }

    /// The value as a column of a type keeps it.
    #[must_use]
    pub fn cast(&self, dialect: Dialect, kind: &str) -> String {
        let kind = kind.to_ascii_lowercase();
        let whole = ["smallint", "integer", "bigint", "int", "tinyint", "mediumint"];
        let name = kind.split(['(', ' ']).next().unwrap_or_default();
        let kind = match dialect {
            Dialect::Postgres if whole.contains(&name) || kind.starts_with("numeric(") => kind.as_str(),
            Dialect::Mysql if whole.contains(&name) => "signed",
            Dialect::Mysql if name == "decimal" => kind.split_inclusive(')').next().unwrap_or(&kind),
            _ => return self.value.clone(),
        };
        format!("CAST({} AS {kind})", self.value)
    }
}
