//! How the person looks at a table: which column is chosen, how wide, in what order, which rows, and as which chart.
//! The rows themselves stay as they came.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::State;
use super::event::Pane;
use super::keymap::{Command, Context};
use crate::domain::{Table, number_of};

/// How rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// As rows.
    #[default]
    Rows,
    /// A bar for each label, or for each row.
    Bar,
    /// Values along the labels, or over the rows in order.
    Line,
    /// One number against another.
    Scatter,
    /// How often values fall into ranges.
    Histogram,
    /// Each label's part of the whole.
    Share,
}

impl Shape {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Bar => "bar",
            Self::Line => "line",
            Self::Scatter => "scatter",
            Self::Histogram => "histogram",
            Self::Share => "share",
        }
    }

    /// Whether it shows rows of one label together.
    #[must_use]
    pub fn gathers(self) -> bool {
        match self {
            Self::Bar | Self::Line | Self::Share => true,
            Self::Rows | Self::Scatter | Self::Histogram => false,
        }
    }
}

/// What a chart shows of the rows of one label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gather {
    /// The sum of their values.
    #[default]
    Sum,
    /// The average of their values.
    Mean,
    /// How many they are.
    Count,
    /// Each by itself.
    Each,
}

impl Gather {
    /// What it shows.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sum => "sums",
            Self::Mean => "averages",
            Self::Count => "counts",
            Self::Each => "each row",
        }
    }
}

/// How a table is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The chosen column.
    pub column: usize,
    /// Sorted by this column, downwards or not.
    pub sort: Option<(usize, bool)>,
    /// Only rows that hold this text.
    pub filter: String,
    /// Columns added to a column's own width.
    pub wider: BTreeMap<usize, i16>,
    /// Whether numbers have their thousands apart.
    pub thousands: bool,
    /// As what.
    pub shape: Shape,
    /// What a chart shows of the rows of one label.
    pub gather: Gather,
    /// The column of labels that was chosen for a chart.
    named: Option<usize>,
    /// The column by which a chart counts rows where it has no numbers: looked for once, as there may be many.
    counted: Option<usize>,
    /// Rows in the order that they are shown in; none means all as they came.
    order: Option<Arc<[usize]>>,
}

impl Grid {
    /// How many rows are shown of a table.
    #[must_use]
    pub fn len(&self, table: &Table) -> usize {
        self.order.as_ref().map_or(table.rows.len(), |order| order.len())
    }

    /// The row of the table that is shown at a place.
    #[must_use]
    pub fn row(&self, table: &Table, at: usize) -> Option<usize> {
        match &self.order {
            Some(order) => order.get(at).copied(),
            None => (at < table.rows.len()).then_some(at),
        }
    }

    /// Whether all rows are shown as they came.
    #[must_use]
    pub fn plain(&self) -> bool {
        self.order.is_none()
    }

    /// Puts the rows in order anew: after another sort or filter, or when more of them came.
    pub(super) fn arrange(&mut self, table: &Table) {
        if self.sort.is_none() && self.filter.is_empty() {
            self.order = None;
            return;
        }
        let wanted = self.filter.to_lowercase();
        let exact = self.filter.chars().any(char::is_uppercase);
        let holds = |cell: &Option<String>| {
            let Some(text) = cell else { return wanted == "null" };
            if exact { text.contains(&self.filter) } else { text.to_lowercase().contains(&wanted) }
        };
        let mut order: Vec<usize> =
            (0..table.rows.len()).filter(|row| self.filter.is_empty() || table.rows[*row].iter().any(holds)).collect();
        if let Some((column, downwards)) = self.sort {
            let numeric = table.numeric(column);
            order.sort_by(|a, b| {
                let (a, b) = (table.cell(*a, column), table.cell(*b, column));
                compare(a, b, numeric, downwards)
            });
        }
        self.order = Some(order.into());
    }

    /// The ways in which a table can be shown, as far as its columns allow, the best chart first.
    #[must_use]
    pub fn shapes(&self, table: &Table) -> Vec<Shape> {
        let mut shapes = vec![Shape::Rows];
        if table.rows.is_empty() {
            return shapes;
        }
        let (value, label) = (self.value(table), self.label(table));
        if label.is_some_and(|at| table.temporal(at)) {
            shapes.extend([Shape::Line, Shape::Bar]);
        } else if label.is_some() {
            shapes.extend([Shape::Bar, Shape::Line]);
        }
        if value.is_some() {
            let numbers = (0..table.columns.len()).filter(|at| table.numeric(*at)).count();
            shapes.extend((numbers > 1).then_some(Shape::Scatter));
            shapes.push(Shape::Histogram);
        }
        let negative = |cell: &str| cell.trim_start().starts_with('-');
        let whole = (0..table.rows.len()).all(|row| !value.and_then(|at| table.cell(row, at)).is_some_and(negative));
        shapes.extend((label.is_some() && whole).then_some(Shape::Share));
        shapes.extend((label.is_none() && value.is_some()).then_some(Shape::Line));
        shapes
    }

    /// The column whose numbers a chart shows: the chosen one, or the last that measures something. None where there
    /// is nothing but rows to count.
    #[must_use]
    pub fn value(&self, table: &Table) -> Option<usize> {
        let numbers = || (0..table.columns.len()).rev().filter(|at| table.numeric(*at));
        let measured = || numbers().find(|at| !table.identifies(*at));
        let named = || numbers().next().filter(|_| self.counted.is_none());
        Some(self.column).filter(|at| table.numeric(*at) && *at > 0).or_else(measured).or_else(named)
    }

    /// To the numbers before or after those that a chart shows.
    fn step_value(&mut self, table: &Table, forward: bool) {
        let (values, shown) = (self.values(table), self.value(table));
        let next = match values.iter().position(|at| Some(*at) == shown) {
            Some(at) if forward => values.get(at + 1),
            Some(at) => at.checked_sub(1).and_then(|at| values.get(at)),
            None => values.last(),
        };
        self.column = next.copied().unwrap_or(self.column);
        if !self.shapes(table).contains(&self.shape) {
            self.shape = Shape::Bar;
        }
    }

    /// The columns that a chart can show.
    #[must_use]
    pub fn values(&self, table: &Table) -> Vec<usize> {
        (1..table.columns.len()).filter(|at| table.numeric(*at)).collect()
    }

    /// The column that names the rows of a chart: the chosen one, the first of texts or times, else the first but the
    /// value's.
    #[must_use]
    pub fn label(&self, table: &Table) -> Option<usize> {
        let value = self.value(table);
        if value.is_none() {
            return self.counted.filter(|at| *at < table.columns.len());
        }
        let others = || (0..table.columns.len()).filter(|at| Some(*at) != value);
        let named = self.named.filter(|at| Some(*at) != value && *at < table.columns.len());
        named.or_else(|| others().find(|at| !table.numeric(*at))).or_else(|| others().next())
    }

    /// What the chart that is shown makes of the rows of one label; each is shown where no label has several.
    #[must_use]
    pub fn gathered(&self, table: &Table) -> Gather {
        if !self.shape.gathers() || !self.label(table).is_some_and(|at| table.repeats(at)) {
            return Gather::Each;
        }
        match self.gather {
            _ if self.value(table).is_none() => Gather::Count,
            // An average is no part of a whole.
            Gather::Mean | Gather::Each if self.shape == Shape::Share => Gather::Sum,
            gather => gather,
        }
    }

    /// What it would show of them next; none where there is no choice.
    #[must_use]
    pub fn next_gather(&self, table: &Table) -> Option<Gather> {
        let several = self.shape.gathers() && self.label(table).is_some_and(|at| table.repeats(at));
        self.value(table).filter(|_| several)?;
        Some(match self.gathered(table) {
            Gather::Sum if self.shape == Shape::Share => Gather::Count,
            Gather::Sum => Gather::Mean,
            Gather::Mean => Gather::Count,
            Gather::Count if self.shape != Shape::Share => Gather::Each,
            Gather::Count | Gather::Each => Gather::Sum,
        })
    }
}

/// NULLs come last, either way.
fn compare(a: Option<&str>, b: Option<&str>, numeric: bool, downwards: bool) -> Ordering {
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (a, b) => return b.is_some().cmp(&a.is_some()),
    };
    let order = match (number_of(a), number_of(b)) {
        (Some(a), Some(b)) if numeric => a.total_cmp(&b),
        _ => a.cmp(b),
    };
    if downwards { order.reverse() } else { order }
}

impl State {
    fn with_grid(&mut self, change: impl FnOnce(&mut Grid, &Table)) -> bool {
        let Some(printout) = self.output.printout_mut() else { return false };
        let Some(table) = printout.table.clone() else { return false };
        change(&mut printout.grid, &table);
        true
    }

    /// The output that is shown is no table: says so.
    fn no_table(&mut self) {
        self.hint = Some("This output is no table.".to_owned());
    }

    pub(super) fn filter(&mut self, text: &str) {
        self.with_grid(|grid, table| {
            text.clone_into(&mut grid.filter);
            grid.arrange(table);
        });
        self.scroll_to_start_of_output();
    }

    /// By the chosen column: upwards, downwards, as it came.
    pub(super) fn sort(&mut self) {
        if self.charted() {
            return;
        }
        let sorted = self.with_grid(|grid, table| {
            let column = grid.column;
            grid.sort = match grid.sort {
                Some((by, false)) if by == column => Some((by, true)),
                Some((by, true)) if by == column => None,
                _ => Some((column, false)),
            };
            grid.arrange(table);
        });
        if !sorted {
            self.no_table();
            return;
        }
        self.scroll_to_start_of_output();
        if self.output.printout().is_some_and(|printout| !printout.grid.plain()) {
            self.only_held("sorted", "ORDER BY sorts");
        }
    }

    pub(super) fn widen(&mut self, by: i16) {
        if self.charted() {
            return;
        }
        if !self.with_grid(|grid, _| {
            let wider = grid.wider.entry(grid.column).or_default();
            *wider = wider.saturating_add(by);
        }) {
            self.no_table();
        }
    }

    pub(super) fn separate(&mut self) {
        if !self.with_grid(|grid, _| grid.thousands = !grid.thousands) {
            self.no_table();
        }
    }

    /// The next chart that the columns allow, and after the last one the rows.
    pub(super) fn next_shape(&mut self) {
        let mut only = false;
        let table = self.with_grid(|grid, table| {
            if grid.shape == Shape::Rows {
                grid.named = Some(grid.column).filter(|at| !table.numeric(*at));
                let all = 0..table.columns.len();
                grid.counted = grid.named.into_iter().chain(all).find(|at| table.repeats(*at));
            }
            let shapes = grid.shapes(table);
            let at = shapes.iter().position(|shape| *shape == grid.shape).unwrap_or(0);
            grid.shape = shapes[(at + 1) % shapes.len()];
            only = shapes.len() == 1;
        });
        if !table {
            self.no_table();
        } else if only {
            self.hint =
                Some("There is no number to make a chart of, and no value that comes twice to count.".to_owned());
        } else if self.output.printout().is_some_and(|printout| printout.grid.shape != Shape::Rows) {
            self.only_held("drawn", "GROUP BY adds up");
        }
    }

    /// Sums, averages or counts of the rows of one label, or each row by itself.
    pub(super) fn gather(&mut self) {
        let mut next = None;
        let mut charted = false;
        let table = self.with_grid(|grid, table| {
            next = grid.next_gather(table);
            charted = grid.shape != Shape::Rows;
            grid.gather = next.unwrap_or(grid.gather);
        });
        if !table {
            self.no_table();
        } else if !charted {
            let key = self.keymap.key(Context::Output, Command::Chart).unwrap_or_default();
            self.hint = Some(format!("That is for charts: {key} draws one."));
        } else if next.is_none() {
            self.hint = Some("There is nothing to add up: no label has several rows with numbers here.".to_owned());
        } else {
            self.scroll_to_start_of_output();
        }
    }

    /// To the column before or after; none where the output is no table of rows.
    pub(super) fn step_column(&mut self, forward: bool) -> bool {
        self.focus == Pane::Output
            && self.with_grid(|grid, table| {
                let last = table.columns.len().saturating_sub(1);
                if grid.shape == Shape::Rows {
                    grid.column = if forward { (grid.column + 1).min(last) } else { grid.column.saturating_sub(1) };
                } else {
                    grid.step_value(table, forward);
                }
            })
    }

    /// What sorts and widens columns does nothing in a chart: says so. False where rows are shown.
    fn charted(&mut self) -> bool {
        let charted = self.output.printout().is_some_and(|it| it.table.is_some() && it.grid.shape != Shape::Rows);
        if charted {
            let key = self.keymap.key(Context::Output, Command::Chart).unwrap_or_default();
            self.hint = Some(format!("That is for rows: {key} goes on to them."));
        }
        charted
    }

    fn scroll_to_start_of_output(&mut self) {
        if let Some(printout) = self.output.printout_mut() {
            printout.scroll.to_start();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let row = |name: Option<&str>, sum: Option<&str>| vec![name.map(str::to_owned), sum.map(str::to_owned)];
        Table {
            columns: vec!["name".to_owned(), "sum".to_owned()],
            types: vec!["text".to_owned(), "INTEGER".to_owned()],
            rows: vec![
                row(Some("ada"), Some("9")),
                row(None, Some("100")),
                row(Some("Bo"), None),
                row(Some("cy"), Some("-3")),
            ],
            total: 4,
            ..Table::default()
        }
    }

    fn order(grid: &Grid, table: &Table) -> Vec<usize> {
        (0..grid.len(table)).filter_map(|at| grid.row(table, at)).collect()
    }

    #[test]
    fn numbers_sort_as_numbers_and_nulls_come_last() {
        let table = table();
        let mut grid = Grid { sort: Some((1, false)), ..Grid::default() };
        grid.arrange(&table);
        assert_eq!(order(&grid, &table), [3, 0, 1, 2]);
        grid.sort = Some((1, true));
        grid.arrange(&table);
        assert_eq!(order(&grid, &table), [1, 0, 3, 2]);
        grid.sort = Some((0, false));
        grid.arrange(&table);
        assert_eq!(order(&grid, &table), [2, 0, 3, 1]);
    }

    #[test]
    fn a_filter_keeps_rows_that_hold_it() {
        let table = table();
        let mut grid = Grid { filter: "b".to_owned(), ..Grid::default() };
        grid.arrange(&table);
        assert_eq!(order(&grid, &table), [2]);
        grid.filter = "null".to_owned();
        grid.arrange(&table);
        assert_eq!(order(&grid, &table), [1, 2]);
        grid.filter.clear();
        grid.arrange(&table);
        assert_eq!(order(&grid, &table), [0, 1, 2, 3]);
    }

    #[test]
    fn charts_are_those_that_the_columns_allow() {
        let grid = Grid::default();
        assert_eq!(grid.shapes(&table()), [Shape::Rows, Shape::Bar, Shape::Line, Shape::Histogram]);
        let texts = Table { types: vec!["text".to_owned(); 2], ..table() };
        assert_eq!(grid.shapes(&texts), [Shape::Rows]);
        assert_eq!((grid.value(&table()), grid.label(&table())), (Some(1), Some(0)));
    }

    #[test]
    fn a_chart_steps_through_the_columns_of_numbers() {
        let table = Table {
            columns: ["id", "name", "price", "city", "count"].map(str::to_owned).to_vec(),
            types: ["INTEGER", "text", "REAL", "text", "INTEGER"].map(str::to_owned).to_vec(),
            ..Table::default()
        };
        let mut grid = Grid { shape: Shape::Bar, ..Grid::default() };
        assert_eq!(grid.value(&table), Some(4));
        for (forward, shown) in [(false, 2), (false, 2), (true, 4), (true, 4)] {
            grid.step_value(&table, forward);
            assert_eq!(grid.value(&table), Some(shown));
        }
    }
}
