//! A table as text: CSV, JSON or Markdown for another program, columns for the eye. The rows that are shown, in their
//! order; to a file and the pager all that are kept.

use std::borrow::Borrow;
use std::io;
use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use unicode_width::UnicodeWidthStr as _;

use super::State;
use super::event::{Content, Effect, Pane};
use super::grid::Grid;
use super::output::Printout;
use super::prompt::Ask;
use crate::domain::number::{count, thousands};
use crate::domain::{Cells, OperationId, Table, number_of};

/// Widest column that others are aligned to.
const WIDEST: usize = 60;

/// A form of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// Comma-separated values, RFC 4180; NULL is an empty cell.
    Csv,
    /// A list of objects; numbers as they came, NULL as null.
    Json,
    /// A Markdown table; NULL as `NULL`.
    Markdown,
    /// Columns side by side, as the screen shows them; NULL as `NULL`.
    Columns,
}

impl Export {
    /// By its name, or the ending of a file's.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "md" | "markdown" => Some(Self::Markdown),
            "txt" | "text" => Some(Self::Columns),
            _ => None,
        }
    }

    /// The rows that are shown of a table.
    ///
    /// # Errors
    /// A row can't be written, in one sentence.
    pub fn write(self, table: &Table, grid: &Grid) -> Result<String, String> {
        let rows = (0..grid.len(table)).filter_map(|at| grid.row(table, at)).filter_map(|row| table.rows.get(row));
        let mut text = Vec::new();
        let written = self.write_rows(table, rows.map(Ok), &mut text);
        written.map_err(|why| format!("The table can't be written: {why}."))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// What is saved or paged of a table: all rows that are kept, or those that are shown where they were sorted or
    /// filtered.
    ///
    /// # Errors
    /// A row can't be written, in one sentence.
    pub(super) fn content(
        self,
        (id, printout): (OperationId, &Printout),
        table: &Arc<Table>,
    ) -> Result<Content, String> {
        if table.kept > 0 && printout.grid.plain() {
            return Ok(Content::Rows(id, Arc::clone(table), self));
        }
        let grid = &printout.grid;
        let shown = (grid.len(table) as u64) < table.total;
        self.write(table, grid).map(|text| Content::Text(text, shown.then(|| some(table, grid))))
    }

    /// Rows of a result like this one, as they come.
    ///
    /// # Errors
    /// One can't be had or written.
    pub fn write_rows<C: Borrow<Cells>>(
        self,
        table: &Table,
        rows: impl Iterator<Item = io::Result<C>>,
        to: &mut impl io::Write,
    ) -> io::Result<()> {
        match self {
            Self::Csv => csv(table, rows, to),
            Self::Json => json(table, rows, to),
            Self::Markdown => markdown(table, rows, to),
            Self::Columns => columns(table, rows, to),
        }
    }
}

fn csv<C: Borrow<Cells>>(
    table: &Table,
    rows: impl Iterator<Item = io::Result<C>>,
    to: &mut impl io::Write,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record(&table.columns)?;
    for row in rows {
        writer.write_record(row?.borrow().iter().map(|cell| cell.as_deref().unwrap_or_default()))?;
    }
    writer.flush()
}

fn json<C: Borrow<Cells>>(
    table: &Table,
    rows: impl Iterator<Item = io::Result<C>>,
    to: &mut impl io::Write,
) -> io::Result<()> {
    let mut names: Vec<String> = Vec::new();
    for (at, name) in table.columns.iter().enumerate() {
        // Two columns of a name would be one member.
        names.push(if names.contains(name) { format!("{name}_{}", at + 1) } else { name.clone() });
    }
    let numeric: Vec<bool> = (0..names.len()).map(|at| table.numeric(at)).collect();
    to.write_all(b"[")?;
    for (number, row) in rows.enumerate() {
        to.write_all(if number == 0 { b"\n  {" } else { b",\n  {" })?;
        for (at, (name, cell)) in names.iter().zip(row?.borrow()).enumerate() {
            let value = match cell {
                // As it was written: no digit is lost.
                Some(value) if numeric[at] && number_of(value).is_some() => {
                    RawValue::from_string(value.clone()).or_else(|_| to_raw_value(value))?
                }
                value => to_raw_value(value)?,
            };
            let comma = if at == 0 { "" } else { ", " };
            write!(to, "{comma}{}: {}", to_raw_value(name)?.get(), value.get())?;
        }
        to.write_all(b"}")?;
    }
    to.write_all(b"\n]\n")
}

fn markdown<C: Borrow<Cells>>(
    table: &Table,
    rows: impl Iterator<Item = io::Result<C>>,
    to: &mut impl io::Write,
) -> io::Result<()> {
    let cell = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ");
    let mut line = |cells: Vec<String>| writeln!(to, "| {} |", cells.join(" | "));
    line(table.columns.iter().map(|name| cell(name)).collect())?;
    let rule = |at| if table.numeric(at) { "---:" } else { "---" };
    line((0..table.columns.len()).map(|at| rule(at).to_owned()).collect())?;
    for row in rows {
        line(row?.borrow().iter().map(|value| value.as_deref().map_or("NULL".to_owned(), cell)).collect())?;
    }
    Ok(())
}

/// Names, a line and the rows, each column as wide as what is held of it. What is wider is whole, and pushes the rest.
fn columns<C: Borrow<Cells>>(
    table: &Table,
    rows: impl Iterator<Item = io::Result<C>>,
    to: &mut impl io::Write,
) -> io::Result<()> {
    let cell = |text: &str| text.replace(['\n', '\r', '\t'], " ");
    let width = |text: &str| cell(text).width();
    let held = |at: usize| table.rows.iter().map(move |row| row.get(at).and_then(Option::as_deref).unwrap_or("NULL"));
    let wide = |(at, name): (usize, &String)| {
        held(at).map(width).filter(|wide| *wide <= WIDEST).max().unwrap_or(0).max(width(name))
    };
    let widths: Vec<usize> = table.columns.iter().enumerate().map(wide).collect();
    let numeric: Vec<bool> = (0..widths.len()).map(|at| table.numeric(at)).collect();
    let mut line = |cells: Vec<String>| {
        let placed = cells.into_iter().zip(&widths).zip(&numeric).map(|((said, wide), numeric)| {
            let blanks = " ".repeat(wide.saturating_sub(said.width()));
            if *numeric { format!("{blanks}{said}") } else { format!("{said}{blanks}") }
        });
        writeln!(to, "{}", placed.collect::<Vec<_>>().join("  ").trim_end())
    };
    line(table.columns.iter().map(|name| cell(name)).collect())?;
    line(widths.iter().map(|wide| "─".repeat(*wide)).collect())?;
    for row in rows {
        line(row?.borrow().iter().map(|value| value.as_deref().map_or("NULL".to_owned(), cell)).collect())?;
    }
    Ok(())
}

impl Content {
    /// Which rows these are of a result that has more, and why not all.
    #[must_use]
    pub fn lacks(&self) -> Option<(String, &'static str)> {
        match self {
            Self::Text(_, some) => some.clone().map(|some| (some, ", as shown")),
            Self::Rows(_, table, _) if table.kept < table.total => {
                let [kept, total] = [table.kept, table.total].map(thousands);
                Some((format!("the first {kept} of {total} rows"), "; the rest isn't kept (kept_output)"))
            }
            Self::Rows(..) | Self::Printed(..) | Self::Part(..) => None,
        }
    }
}

impl State {
    /// What became of saving. A name that can't be used is asked for again, unless the person went on to something else.
    pub(super) fn saved(&mut self, saved: Result<String, (String, String)>) -> bool {
        match saved {
            Ok(said) => {
                self.chat.remark(&said, false);
                self.hint = Some(said);
            }
            Err((path, why)) if self.modal.is_none() && self.focus == Pane::Output && self.prompt.is_none() => {
                self.name_again(&path, &why);
            }
            Err((_, why)) => self.hint = Some(why),
        }
        true
    }

    /// The name stays, to be mended.
    fn name_again(&mut self, path: &str, why: &str) {
        self.prompt_for(Ask::Save, path.to_owned());
        self.hint = Some(why.to_owned());
    }

    /// Saves what is shown where the person said: a table in the form of the file's ending, a part of a result whose
    /// number stands before the name, anything else as it was printed.
    pub(super) fn save_as(&mut self, path: &str, effects: &mut Vec<Effect>) {
        if path.is_empty() {
            return;
        }
        let Some((id, printout)) = self.output.shown().zip(self.output.printout()) else { return };
        let part = path.split_once(' ').and_then(|(number, name)| Some((number.parse().ok()?, name.trim())));
        if let (Some((number, name)), Some(item)) = (part, self.queue.get(id))
            && item.parts.iter().any(|part| part.number == number)
        {
            effects.push(Effect::Save(name.to_owned(), Content::Part(id, number)));
            return;
        }
        let content = match &printout.table {
            Some(table) => match Export::named(path).map(|export| export.content((id, printout), table)) {
                Some(Ok(content)) => content,
                Some(Err(sentence)) => {
                    self.hint = Some(sentence);
                    return;
                }
                None => return self.name_again(path, "Name a file that ends in .csv, .json, .md or .txt."),
            },
            None => Content::Printed(id, printout.tail.clone()),
        };
        effects.push(Effect::Save(path.to_owned(), content));
    }
}

/// `12 rows`, `1,000 of 25,000 rows`
pub(super) fn some(table: &Table, grid: &Grid) -> String {
    let shown = grid.len(table);
    if shown as u64 == table.total {
        count(shown, "row")
    } else {
        format!("{} of {} rows", thousands(shown as u64), thousands(table.total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let row = |cells: [Option<&str>; 3]| cells.map(|cell| cell.map(str::to_owned)).to_vec();
        Table {
            columns: ["a", "b|c", "a"].map(str::to_owned).to_vec(),
            types: ["INTEGER", "text", "text"].map(str::to_owned).to_vec(),
            rows: vec![
                row([Some("12345678901234567890.10"), Some("x, \"y\"\nz"), None]),
                row([None, Some("p|q"), Some("007")]),
            ],
            total: 2,
            ..Table::default()
        }
    }

    #[test]
    fn each_form_keeps_what_it_can() {
        let write = |export: Export| export.write(&table(), &Grid::default()).unwrap();
        let csv = write(Export::Csv);
        assert_eq!(csv, "a,b|c,a\n12345678901234567890.10,\"x, \"\"y\"\"\nz\",\n,p|q,007\n");
        let json = write(Export::Json);
        assert!(json.contains(r#"{"a": 12345678901234567890.10, "b|c": "x, \"y\"\nz", "a_3": null}"#), "{json}");
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok_and(|json| json[1]["a_3"] == "007"));
        let markdown = write(Export::Markdown);
        assert_eq!(
            markdown,
            "| a | b\\|c | a |\n| ---: | --- | --- |\n| 12345678901234567890.10 | x, \"y\" z | NULL |\n| NULL | p\\|q | 007 |\n"
        );
        let columns = write(Export::Columns);
        let lines: Vec<&str> = columns.lines().collect();
        assert_eq!(lines[0], "                      a  b|c       a");
        assert_eq!(lines[2], "12345678901234567890.10  x, \"y\" z  NULL");
        assert_eq!(lines[3], "                   NULL  p|q       007");
    }

    #[test]
    fn a_text_among_numbers_stays_a_text() {
        let like = Table { columns: vec!["a".to_owned()], types: vec!["INTEGER".to_owned()], ..Table::default() };
        let rows = ["1", "null", "[2]"].map(|value| Ok(vec![Some(value.to_owned())]));
        let mut text = Vec::new();
        Export::Json.write_rows(&like, rows.into_iter(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, "[\n  {\"a\": 1},\n  {\"a\": \"null\"},\n  {\"a\": \"[2]\"}\n]\n");
    }

    #[test]
    fn the_ending_names_the_form() {
        assert_eq!(Export::named("rows.CSV"), Some(Export::Csv));
        assert_eq!(Export::named("json"), Some(Export::Json));
        assert_eq!(Export::named("out.txt"), Some(Export::Columns));
        assert_eq!(Export::named("out.xls"), None);
    }
}
