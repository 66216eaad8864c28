//! Gathers the rows of a run: the first ones for the screen and the model, the rest on disk for the person to leaf
//! through, a count of all, and bounds on everything. Shows the growing table a few times a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::RunPort;
use super::statement::Answers;
use crate::domain::{Cells, RunEvent, Table, number};
use crate::store::RowSpool;

/// Rows kept of each result.
const ROWS: usize = 1000;
/// Bytes kept of each result.
const BYTES: usize = 4 * 1024 * 1024;
/// Results kept of one run.
const SETS: usize = 8;
/// Columns kept of a result.
const COLUMNS: usize = 512;
/// Time between two looks at a growing table.
const LOOK: Duration = Duration::from_millis(250);

/// Everything that a run yielded.
#[derive(Debug)]
pub(super) struct Rows {
    port: RunPort,
    sets: Vec<Table>,
    /// Whether the next row belongs to a result of its own.
    new_set: bool,
    bytes: usize,
    changed: u64,
    shown: Option<Instant>,
    seen: usize,
    dropped_sets: u64,
    rest: Rest,
    /// Nobody may see them yet.
    held: bool,
    /// The triggers of views that decided what changed.
    deciding: String,
}

/// Where rows go that aren't held.
#[derive(Debug)]
enum Rest {
    /// There are none so far.
    Later,
    /// To disk, those that are held as well.
    On(RowSpool),
    /// Nowhere: they are only counted.
    Off,
}

impl Rows {
    /// Nothing yet.
    pub(super) fn new(port: RunPort) -> Self {
        Self {
            port,
            sets: Vec::new(),
            new_set: true,
            bytes: 0,
            changed: 0,
            shown: None,
            seen: 0,
            dropped_sets: 0,
            rest: Rest::Later,
            held: false,
            deciding: String::new(),
        }
    }

    /// Whether the engine says of no row that it changed.
    pub(super) fn none_changed(&self) -> bool {
        self.changed == 0
    }

    /// These triggers of views decided what changed.
    pub(super) fn decided(&mut self, triggers: &[String]) {
        self.deciding = triggers.join(", ");
    }

    /// From here on nobody sees a row, until they are released.
    pub(super) fn hold(&mut self) {
        self.held = true;
    }

    /// The rows may be seen.
    pub(super) fn release(&mut self) {
        self.held = false;
    }

    pub(super) fn is_new_set(&self) -> bool {
        self.new_set
    }

    /// A result begins, with the names and types of its columns.
    pub(super) fn begin_set(&mut self, columns: impl Iterator<Item = (String, String)>) {
        if self.sets.len() == SETS {
            self.sets.remove(0);
            self.dropped_sets += 1;
        }
        let (columns, types) = columns.take(COLUMNS).unzip();
        self.sets.push(Table { columns, types, ..Table::default() });
        self.new_set = false;
        self.bytes = 0;
        self.seen = 0;
        self.drop_rest();
    }

    /// A statement ended; `changed` is what the engine says of it. Engines count rows that they returned too.
    pub(super) fn end_set(&mut self, changed: u64) {
        if self.new_set {
            self.changed += changed;
        }
        self.new_set = true;
    }

    /// Whether the values of the next row are wanted.
    pub(super) fn has_room(&self) -> bool {
        !matches!(self.rest, Rest::Off)
    }

    fn holds_more(&self) -> bool {
        // The held ones are the first ones, without a gap.
        matches!(self.rest, Rest::Later)
            && self.bytes < BYTES
            && self.sets.last().is_some_and(|set| set.rows.len() < ROWS)
    }

    /// Keeps a row, whose values are bounded already.
    pub(super) fn keep(&mut self, row: Cells) {
        let row: Cells = row.into_iter().take(COLUMNS).collect();
        if self.holds_more() {
            self.bytes += row.iter().map(|cell| cell.as_ref().map_or(1, |text| text.len() + 1)).sum::<usize>();
            if let Some(set) = self.sets.last_mut() {
                set.rows.push(row);
            }
        } else {
            self.put_away(&row);
        }
        self.pass();
    }

    /// Keeps a row on disk; the first one after all that are held.
    fn put_away(&mut self, row: &Cells) {
        if let (Rest::Later, Some(set)) = (&self.rest, self.sets.last()) {
            let spool = self.port.outputs.as_ref().and_then(|outputs| outputs.begin_rows(self.port.id).ok().flatten());
            let begun = spool.and_then(|mut spool| set.rows.iter().all(|row| spool.keep(row)).then_some(spool));
            self.rest = begun.map_or(Rest::Off, Rest::On);
        }
        if let Rest::On(spool) = &mut self.rest
            && !spool.keep(row)
        {
            self.end_rest();
        }
    }

    /// No more rows go to disk: says how many are there.
    fn end_rest(&mut self) {
        if let Rest::On(spool) = std::mem::replace(&mut self.rest, Rest::Off)
            && let (Some(outputs), Some(set)) = (&self.port.outputs, self.sets.last_mut())
        {
            set.kept = outputs.end_rows(spool).unwrap_or(0);
        }
    }

    /// The rows on disk belong to a result that nobody sees any more.
    fn drop_rest(&mut self) {
        if let Rest::On(spool) = std::mem::replace(&mut self.rest, Rest::Later)
            && let Some(outputs) = &self.port.outputs
        {
            outputs.drop_rows(self.port.id, spool);
        }
    }

    /// Counts a row.
    pub(super) fn pass(&mut self) {
        if let Some(set) = self.sets.last_mut() {
            set.total += 1;
        }
    }

    /// Shows the table if there is more to see and the last look was long enough ago.
    pub(super) async fn show(&mut self) {
        let Some(set) = self.sets.last() else { return };
        let due = self.shown.is_none_or(|at| at.elapsed() >= LOOK);
        // A look costs a copy: rows that are only counted are shown at the end.
        if !self.held && due && set.rows.len() > self.seen {
            self.seen = set.rows.len();
            self.shown = Some(Instant::now());
            self.port.send(RunEvent::Table(Arc::new(set.clone()))).await;
        }
    }

    /// Shows the last table as it ended. Rows that were never released are forgotten.
    pub(super) async fn finish(&mut self) {
        if self.held {
            self.clear();
        }
        self.end_rest();
        if let Some(set) = self.sets.last() {
            self.port.send(RunEvent::Table(Arc::new(set.clone()))).await;
        }
    }

    /// Rows that its one statement touched, whether it returned them or not.
    pub(super) fn touched(&self) -> u64 {
        self.sets.last().map_or(self.changed, |set| set.total)
    }

    /// An empty one beside it, whose rows nobody sees.
    pub(super) fn beside(&self) -> Self {
        Self { held: true, ..Self::new(self.port.clone()) }
    }

    /// These rows are shown, which are some of so many.
    pub(super) fn shows(&mut self, table: Table, total: u64) {
        self.sets.push(Table { total, ..table });
        self.new_set = true;
    }

    /// Forgets everything: the statement was rolled back.
    pub(super) fn clear(&mut self) {
        self.drop_rest();
        *self = Self::new(self.port.clone());
    }

    /// The last result.
    pub(super) fn last(&self) -> Option<&Table> {
        self.sets.last()
    }

    /// The figure for a list: `12 rows`, `3 rows changed`, `done`.
    pub(super) fn summary(&self, answers: Answers) -> String {
        let rows = some_rows;
        match (self.sets.last(), self.changed) {
            (Some(set), 0) => rows(set.total),
            (Some(set), changed) => format!("{}, {} changed", rows(set.total), rows(changed)),
            (None, 0) if !self.deciding.is_empty() => format!("the view's trigger decided: {}", self.deciding),
            (None, 0) => match answers {
                Answers::Rows => rows(0),
                Answers::Changes => "no rows changed".to_owned(),
                Answers::Nothing => "done".to_owned(),
            },
            (None, changed) => format!("{} changed", rows(changed)),
        }
    }

    /// The results without a value: how many rows, and the columns with their types. Within about `limit` bytes.
    pub(super) fn shapes(&self, limit: usize) -> String {
        let mut text = String::new();
        for set in &self.sets {
            let columns = set.columns.iter().zip(&set.types);
            let columns: Vec<String> = columns.map(|(name, kind)| format!("{name} {kind}").trim().to_owned()).collect();
            text.push_str(&format!("columns: {}; rows: {}\n", columns.join(" | "), set.total));
        }
        text.truncate(text.floor_char_boundary(limit));
        if !self.sets.is_empty() {
            text.push_str("The rows stay on this machine: the person sees them, you don't.\n");
        }
        text
    }

    /// The results as text, within about `limit` bytes.
    pub(super) fn for_model(&self, limit: usize) -> String {
        let share = limit / self.sets.len().max(1);
        let mut text = String::new();
        if self.dropped_sets > 0 {
            text.push_str(&format!("… {} earlier results left out …\n", self.dropped_sets));
        }
        for set in &self.sets {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&as_text(set, share));
        }
        text
    }
}

/// `1 row`, `12 rows`.
pub(super) fn some_rows(count: u64) -> String {
    number::count(count, "row")
}

/// A table as lines of `a | b`, one row a line.
fn as_text(table: &Table, limit: usize) -> String {
    let mut text = cut(table.columns.iter().map(|name| flat(name)).collect::<Vec<_>>().join(" | "), limit);
    text.push('\n');
    let mut shown = 0;
    for row in &table.rows {
        let cells = row.iter().map(|cell| match cell {
            None => "NULL".to_owned(),
            Some(value) => flat(&cut(value.clone(), limit / 4)),
        });
        let line = cut(cells.collect::<Vec<_>>().join(" | "), limit);
        if shown > 0 && text.len() + line.len() > limit {
            break;
        }
        text.push_str(&line);
        text.push('\n');
        shown += 1;
    }
    if shown < table.total {
        let more = table.total - shown;
        text.push_str(&format!("… {more} more row{}\n", if more == 1 { "" } else { "s" }));
    }
    text
}

/// A value on one line, its separators told from the table's.
fn flat(value: &str) -> String {
    if !value.contains(['\n', '\r', '\t', '|', '\\']) {
        return value.to_owned();
    }
    value.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t").replace('|', "\\|")
}

/// At most `limit` bytes of a value, and how many more there are.
fn cut(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        let end = text.floor_char_boundary(limit);
        let more = text.len() - end;
        text.truncate(end);
        text.push_str(&format!("… ({more} more bytes)"));
    }
    text
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::domain::OperationId;

    fn rows() -> Rows {
        let (lane, _) = mpsc::channel(1);
        Rows::new(RunPort::new(OperationId(1), lane))
    }

    fn columns() -> impl Iterator<Item = (String, String)> {
        [("id", "integer"), ("name", "text")].into_iter().map(|(name, kind)| (name.to_owned(), kind.to_owned()))
    }

    #[test]
    fn rows_beyond_the_kept_ones_are_counted() {
        let mut rows = rows();
        rows.begin_set(columns());
        for number in 0..5000 {
            if rows.has_room() {
                rows.keep(vec![Some(number.to_string()), None]);
            } else {
                rows.pass();
            }
        }
        rows.end_set(5000);
        assert_eq!(rows.summary(Answers::Rows), "5,000 rows");
        let text = rows.for_model(200);
        assert!(text.starts_with("id | name\n0 | NULL\n") && text.len() < 300, "{text}");
        assert!(text.ends_with("more rows\n"), "{text}");
    }

    #[test]
    fn rows_beyond_the_held_ones_are_on_disk_with_them() {
        let root = tempfile::tempdir().unwrap();
        let outputs = std::sync::Arc::new(crate::store::Outputs::new(root.path(), "s", 40_000));
        let (lane, _) = mpsc::channel(1);
        let mut rows = Rows::new(RunPort::new(OperationId(1), lane).keeping(Arc::clone(&outputs), false));
        for round in [2_500, 5_000, 7] {
            rows.begin_set(columns());
            for number in 0..round {
                if rows.has_room() {
                    rows.keep(vec![Some(number.to_string()), None]);
                } else {
                    rows.pass();
                }
            }
            rows.end_set(round);
            rows.end_rest();
            let set = rows.last().unwrap();
            assert_eq!((set.total, set.rows.len() as u64), (round, round.min(1_000)));
            if round == 7 {
                assert_eq!(set.kept, 0, "a short result is held whole");
                continue;
            }
            assert!(set.kept > 1_000 && set.kept <= round, "{}", set.kept);
            let last = outputs.leaf(OperationId(1), set.kept).unwrap().rows.pop().unwrap();
            assert_eq!(last, [Some((set.kept - 1).to_string()), None]);
        }
    }

    #[test]
    fn rows_of_an_earlier_or_undone_result_leave_the_disk() {
        let root = tempfile::tempdir().unwrap();
        let outputs = Arc::new(crate::store::Outputs::new(root.path(), "s", 1 << 20));
        let (lane, _) = mpsc::channel(1);
        let mut rows = Rows::new(RunPort::new(OperationId(1), lane).keeping(Arc::clone(&outputs), false));
        let there = || root.path().join("s/1.rows").exists() || root.path().join("s/1.places").exists();
        for undone in [false, true] {
            rows.begin_set(columns());
            for number in 0..1_500 {
                rows.keep(vec![Some(number.to_string()), None]);
            }
            rows.end_set(1_500);
            assert!(there());
            if undone {
                rows.clear();
            } else {
                rows.begin_set(columns());
            }
            assert!(!there(), "undone: {undone}");
        }
    }

    #[test]
    fn a_shape_holds_no_value() {
        let mut rows = rows();
        rows.begin_set(columns());
        rows.keep(vec![Some("4711".to_owned()), Some("ann".to_owned())]);
        rows.end_set(1);
        let text = rows.shapes(1000);
        assert!(
            text.starts_with("columns: id integer | name text; rows: 1\n") && text.contains("stay on this machine")
        );
        assert!(!text.contains("4711") && !text.contains("ann"), "{text}");
    }

    #[test]
    fn a_long_value_leaves_room_for_the_others() {
        let mut rows = rows();
        rows.begin_set(columns());
        rows.keep(vec![Some("ä".repeat(5000)), Some("a\nb|c".to_owned())]);
        let text = rows.for_model(400);
        assert!(text.len() < 700 && text.contains("a\\nb\\|c"), "{text}");
    }

    #[test]
    fn changes_are_told_from_rows() {
        let mut rows = rows();
        rows.end_set(12);
        assert_eq!(rows.summary(Answers::Changes), "12 rows changed");
        rows.begin_set(columns());
        rows.keep(vec![None, None]);
        rows.end_set(1);
        assert_eq!(rows.summary(Answers::Rows), "1 row, 12 rows changed");
    }
}
