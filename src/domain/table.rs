//! Rows of an SQL result, and what can be told of a column by its type or its values.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// Rows of an SQL result. Cells are text as the engine prints it; none is NULL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Column names.
    pub columns: Vec<String>,
    /// The engine's type names, as many as columns.
    pub types: Vec<String>,
    /// Some of its rows, bounded by the task that makes it: the first ones, or those that the person leafed to.
    pub rows: Vec<Cells>,
    /// Rows in all.
    pub total: u64,
    /// Rows before those that are here.
    #[serde(default)]
    pub first: u64,
    /// Rows, from the very first on, that are kept on disk; none where all are here.
    #[serde(default)]
    pub kept: u64,
}

/// The cells of a row; none is NULL.
pub type Cells = Vec<Option<String>>;

/// Some rows of a long result, as they are kept on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaf {
    /// Rows before them.
    pub first: u64,
    /// The rows.
    pub rows: Vec<Cells>,
}

/// Longest value that may count as a number, in bytes.
const NUMBER: usize = 400;

impl Table {
    /// Whether a column's type is a number's, or its values are where the type says nothing.
    #[must_use]
    pub fn numeric(&self, at: usize) -> bool {
        const STARTS: [&str; 17] = [
            "int",
            "integer",
            "bigint",
            "smallint",
            "tinyint",
            "mediumint",
            "serial",
            "bigserial",
            "numeric",
            "decimal",
            "real",
            "float",
            "double",
            "money",
            "year",
            "oid",
            "number",
        ];
        const SILENT: [&str; 4] = ["", "null", "any", "unknown"];
        let kind = self.types.get(at).map_or("", String::as_str);
        let word: String = kind.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
        let list = kind.ends_with(']');
        STARTS.contains(&word.as_str()) && !list || (SILENT.contains(&word.as_str()) && self.numbers(at))
    }

    /// Whether a column's name says that its numbers stand for things and measure nothing: `id`, `customer_id`.
    #[must_use]
    pub fn identifies(&self, at: usize) -> bool {
        let name = self.columns.get(at).map_or("", String::as_str);
        let lower = name.to_ascii_lowercase();
        ["id", "rowid", "oid"].contains(&lower.as_str()) || lower.ends_with("_id") || name.ends_with("Id")
    }

    /// Whether a value of a column comes in more than one row; NULL is no value.
    #[must_use]
    pub fn repeats(&self, at: usize) -> bool {
        let mut seen = HashSet::new();
        at < self.columns.len()
            && !(0..self.rows.len()).filter_map(|row| self.cell(row, at)).all(|value| seen.insert(value))
    }

    /// Whether a column holds numbers and nothing else.
    fn numbers(&self, at: usize) -> bool {
        let mut values = self.rows.iter().filter_map(|row| row.get(at)?.as_deref()).peekable();
        values.peek().is_some() && values.all(|value| number(value).is_some())
    }

    /// Whether a column holds dates or times, by its type or the look of its values.
    #[must_use]
    pub fn temporal(&self, at: usize) -> bool {
        let kind = self.types.get(at).map(|kind| kind.to_ascii_lowercase()).unwrap_or_default();
        let dated = |value: &str| {
            let bytes = value.as_bytes();
            let digits = |range: std::ops::Range<usize>| {
                bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
            };
            digits(0..4) && bytes.get(4) == Some(&b'-') && digits(5..7)
        };
        let mut values = self.rows.iter().filter_map(|row| row.get(at)?.as_deref()).take(50).peekable();
        kind.contains("date") || kind.contains("time") || (values.peek().is_some() && values.all(dated))
    }

    /// The same result with other rows of it.
    #[must_use]
    pub fn leafed(&self, leaf: Leaf) -> Self {
        let (columns, types) = (self.columns.clone(), self.types.clone());
        Self { columns, types, rows: leaf.rows, total: self.total, first: leaf.first, kept: self.kept }
    }

    /// Rows up to the end of those that are here.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.first + self.rows.len() as u64
    }

    /// A cell; none is NULL, or not there.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Option<&str> {
        self.rows.get(row)?.get(column)?.as_deref()
    }
}

/// A value as a number, if it is a finite one that is written plainly.
#[must_use]
pub fn number(value: &str) -> Option<f64> {
    let plain =
        value.len() <= NUMBER && value.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
    value.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_told_by_type_or_values() {
        let row = |cells: [&str; 4]| cells.map(|cell| Some(cell.to_owned())).to_vec();
        let table = Table {
            columns: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            types: ["INTEGER", "", "text", ""].map(str::to_owned).to_vec(),
            rows: vec![row(["1", "2.5", "3", "2026-01-03"]), vec![None, Some("-1e3".to_owned()), None, None]],
            total: 2,
            ..Table::default()
        };
        let told: Vec<(bool, bool)> = (0..4).map(|at| (table.numeric(at), table.temporal(at))).collect();
        assert_eq!(told, [(true, false), (true, false), (false, false), (false, true)]);
        let told: Vec<(bool, bool)> = (0..4).map(|at| (table.repeats(at), table.identifies(at))).collect();
        assert_eq!(told, [(false, false); 4]);
        let named = Table { columns: ["id", "customer_id", "paid"].map(str::to_owned).to_vec(), ..Table::default() };
        assert_eq!([0, 1, 2].map(|at| named.identifies(at)), [true, true, false]);
        let again = Table {
            rows: vec![row(["1", "1", "x", "y"]), row(["1", "2", "x", "z"]), vec![None; 4], vec![None; 4]],
            ..table.clone()
        };
        assert_eq!([0, 1, 2, 3, 4].map(|at| again.repeats(at)), [true, false, true, false, false]);
        let lists = Table { types: vec!["int[]".to_owned()], ..Table::default() };
        assert!(!lists.numeric(0), "a list of numbers is none");
        assert_eq!((table.cell(1, 0), table.cell(0, 1), table.cell(9, 9)), (None, Some("2.5"), None));
        assert_eq!((number("1e999"), number("nan"), number("12")), (None, None, Some(12.0)));
    }
}
