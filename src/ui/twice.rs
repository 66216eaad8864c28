//! Rows of a result that a model says again as a table of Markdown: read by lines, once is enough.

use std::borrow::Cow;

use super::number;
use crate::app::{Masks, State};
use crate::domain::{OperationId, Table};

/// Operations that are looked back at.
const BACK: usize = 50;

/// Whether a line belongs to a table of Markdown.
pub fn tabular(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// Where these lines are the rows of a result that was told by its first `shown` lines, header and all, and say no more
/// than that: a line that says so.
pub fn again(state: &State, lines: &[&str], shown: usize, told: impl Fn(OperationId) -> bool) -> Option<String> {
    let rows = lines.len().checked_sub(2).filter(|rows| *rows > 0)?;
    let recent = state.queue.all().collect::<Vec<_>>().into_iter().rev().take(BACK);
    let repeated = recent.map(|item| item.id).find(|id| {
        let table = state.output.of(*id).and_then(|printout| printout.table.as_ref()).filter(|_| told(*id));
        table.is_some_and(|table| {
            let whole = rows as u64 == table.total && table.first == 0;
            (whole || table.first == 0 && rows + 2 >= shown) && repeats(&state.masks, lines, table)
        })
    })?;
    let table = state.output.of(repeated)?.table.as_ref()?;
    let number = repeated.0;
    Some(if rows as u64 == table.total && rows + 2 <= shown {
        format!("the rows of operation {number}, told above")
    } else {
        let count = number::thousands(rows as u64);
        format!("the first {count} rows of operation {number}, told above in part: output {number} tells all")
    })
}

/// Whether the lines are a table's header and its first rows.
fn repeats(masks: &Masks, lines: &[&str], table: &Table) -> bool {
    let [head, sides, rows @ ..] = lines else { return false };
    let name = |at: usize| table.columns.get(at).map_or("", String::as_str);
    let header = same(head, table.columns.iter().map(|name| Cow::Borrowed(name.trim())));
    header
        && sides.contains('-')
        && sides.chars().all(|c| "|-: \t".contains(c))
        && rows.len() <= table.rows.len()
        && rows.iter().zip(&table.rows).all(|(line, row)| {
            let shown = |(at, cell): (usize, &Option<String>)| match cell {
                Some(value) => Cow::Owned(masks.hide_cell(name(at), value).trim().to_owned()),
                None => Cow::Borrowed("NULL"),
            };
            same(line, row.iter().enumerate().map(shown))
        })
}

/// Whether a line has these cells.
fn same<'a>(line: &str, wanted: impl Iterator<Item = Cow<'a, str>>) -> bool {
    cells(line).is_some_and(|cells| cells.into_iter().map(Cow::<str>::Owned).eq(wanted))
}

/// The cells of a line of a table of Markdown.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for c in inner.chars() {
        match c {
            '\\' if !escaped => escaped = true,
            '|' if !escaped => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            c => {
                if escaped && !matches!(c, '\\' | '|') {
                    cell.push('\\');
                }
                cell.push(c);
                escaped = false;
            }
        }
    }
    cells.push(cell.trim().to_owned());
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_rows_in_the_same_order_are_said_again() {
        let row = |name: Option<&str>, sum: &str| vec![name.map(str::to_owned), Some(sum.to_owned())];
        let table = Table {
            columns: ["name", "sum"].map(str::to_owned).to_vec(),
            types: vec![String::new(); 2],
            rows: vec![row(Some("a | b"), "1"), row(None, "2"), row(Some(r"c\d"), "3")],
            total: 3,
            ..Table::default()
        };
        let masks = Masks::default();
        let repeats = |text: &str| repeats(&masks, &text.lines().collect::<Vec<_>>(), &table);
        assert!(repeats("| name | sum |\n| --- | ---: |\n| a \\| b | 1 |\n| NULL | 2 |\n| c\\\\d | 3 |"));
        assert!(repeats("|name|sum|\n|:-|-:|\n|a \\| b|1|"), "the first of them");
        for other in [
            "| name | sum |\n| --- | ---: |\n| NULL | 2 |",
            "| name | total |\n| --- | ---: |\n| a \\| b | 1 |",
            "| name | sum |\n| a \\| b | 1 |\n| NULL | 2 |",
            "| name | sum |\n| --- | ---: |\n| a \\| b | 1 | x |",
            "| name | sum |",
        ] {
            assert!(!repeats(other), "{other}");
        }
    }
}
