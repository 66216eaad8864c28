//! A trigger of a table or a view: what fires it.

use crate::assess::sql_foresee::fired;

/// A trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Trigger {
    pub(in super::super) name: String,
    /// What fires it: `insert`, `update`, `delete`, `truncate`.
    events: Vec<String>,
    /// The columns that an update has to set, in small letters; none if any will do.
    columns: Vec<String>,
    /// It may leave rows as they are.
    pub(super) skips: bool,
    /// It stands for what is done to a view.
    pub(super) instead: bool,
    /// It may change rows before the table looks at them.
    pub(super) early: bool,
}

impl Trigger {
    /// What a row of `table.sql` says of one: of SQLite's, the statement that made it.
    pub(super) fn read(name: String, events: &str, said: &str, does: &str) -> Self {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        if events == "text" {
            let told = fired(said);
            let (skips, instead, early) = (told.skips, told.instead, told.early);
            return Self { name, events: owned(&told.events), columns: told.columns, skips, instead, early };
        }
        let events: Vec<&str> = events.split_whitespace().collect();
        let columns = said.split('\u{1f}').filter(|column| !column.is_empty()).map(str::to_lowercase).collect();
        let (skips, instead) = (does == "skips", does == "instead");
        Self { name, events: owned(&events), columns, skips, instead, early: skips || does == "early" }
    }

    /// Whether one of these events fires it; an update, where it sets these columns. None stand for any.
    pub(super) fn fires(&self, events: &[&str], set: &[String]) -> bool {
        const NUMBERS: [&str; 4] = ["*", "rowid", "_rowid_", "oid"];
        let any = set.is_empty() || self.columns.is_empty() || set.iter().any(|set| NUMBERS.contains(&set.as_str()));
        let sets = any || set.iter().any(|set| self.columns.contains(set));
        self.events.iter().any(|event| events.contains(&event.as_str()) && (sets || event != "update"))
    }
}
