//! A table as text for another program: CSV, JSON or Markdown. Only the rows that are shown, in their order.

use serde_json::value::{RawValue, to_raw_value};

use super::State;
use super::event::{Content, Effect};
use super::grid::Grid;
use super::output::Printout;
use crate::domain::Table;

/// A form of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// Comma-separated values, RFC 4180; NULL is an empty cell.
    Csv,
    /// A list of objects; numbers as they came, NULL as null.
    Json,
    /// A Markdown table; NULL as `NULL`.
    Markdown,
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
            _ => None,
        }
    }

    /// The rows that are shown of a table.
    ///
    /// # Errors
    /// A row can't be written, in one sentence.
    pub fn write(self, table: &Table, grid: &Grid) -> Result<String, String> {
        let rows = (0..grid.len(table)).filter_map(|at| grid.row(table, at)).filter_map(|row| table.rows.get(row));
        match self {
            Self::Csv => csv(table, rows).map_err(|why| format!("The table can't be written as CSV: {why}.")),
            Self::Json => json(table, rows).map_err(|why| format!("The table can't be written as JSON: {why}.")),
            Self::Markdown => Ok(markdown(table, rows)),
        }
    }
}

type Cells = Vec<Option<String>>;

fn csv<'a>(table: &Table, rows: impl Iterator<Item = &'a Cells>) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&table.columns)?;
    for row in rows {
        writer.write_record(row.iter().map(|cell| cell.as_deref().unwrap_or_default()))?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn json<'a>(table: &Table, rows: impl Iterator<Item = &'a Cells>) -> Result<String, serde_json::Error> {
    let mut names: Vec<String> = Vec::new();
    for (at, name) in table.columns.iter().enumerate() {
        // Two columns of a name would be one member.
        names.push(if names.contains(name) { format!("{name}_{}", at + 1) } else { name.clone() });
    }
    let numeric: Vec<bool> = (0..names.len()).map(|at| table.numeric(at)).collect();
    let mut text = String::from("[");
    for (number, row) in rows.enumerate() {
        text.push_str(if number == 0 { "\n  {" } else { ",\n  {" });
        for (at, (name, cell)) in names.iter().zip(row).enumerate() {
            let value = match cell {
                // As it was written: no digit is lost.
                Some(value) if numeric[at] => RawValue::from_string(value.clone()).or_else(|_| to_raw_value(value))?,
                value => to_raw_value(value)?,
            };
            text.push_str(if at == 0 { "" } else { ", " });
            text.push_str(&format!("{}: {}", to_raw_value(name)?.get(), value.get()));
        }
        text.push('}');
    }
    text.push_str("\n]\n");
    Ok(text)
}

fn markdown<'a>(table: &Table, rows: impl Iterator<Item = &'a Cells>) -> String {
    let cell = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ");
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(table.columns.iter().map(|name| cell(name)).collect());
    let rule = |at| if table.numeric(at) { "---:" } else { "---" };
    text.push_str(&line((0..table.columns.len()).map(|at| rule(at).to_owned()).collect()));
    for row in rows {
        text.push_str(&line(row.iter().map(|value| value.as_deref().map_or("NULL".to_owned(), cell)).collect()));
    }
    text
}

impl State {
    /// Copies the rows that are shown.
    pub(super) fn copy_table(&mut self, export: Export, effects: &mut Vec<Effect>) {
        let Some(Printout { table: Some(table), grid, .. }) = self.output.printout() else { return };
        self.hint = Some(match export.write(table, grid) {
            Ok(text) => {
                let said = format!("Copied {}{}.", some(table, grid), ", as shown");
                effects.push(Effect::Copy(text));
                said
            }
            Err(sentence) => sentence,
        });
    }

    /// Saves what is shown where the person said: a table in the form of the file's ending, anything else as it was
    /// printed.
    pub(super) fn save_as(&mut self, path: &str, effects: &mut Vec<Effect>) {
        if path.is_empty() {
            return;
        }
        let Some((id, printout)) = self.output.shown().zip(self.output.printout()) else { return };
        let content = match &printout.table {
            Some(table) => match Export::named(path).map(|export| export.write(table, &printout.grid)) {
                Some(Ok(text)) => Content::Text(text),
                Some(Err(sentence)) => {
                    self.hint = Some(sentence);
                    return;
                }
                None => {
                    self.hint = Some("Name a file that ends in .csv, .json or .md.".to_owned());
                    return;
                }
            },
            None => Content::Printed(id, printout.tail.pieces.clone()),
        };
        effects.push(Effect::Save(path.to_owned(), content));
    }
}

/// `12 rows`, `1,000 of 25,000 rows`
fn some(table: &Table, grid: &Grid) -> String {
    use crate::domain::number::{count, thousands};
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
    }

    #[test]
    fn the_ending_names_the_form() {
        assert_eq!(Export::named("rows.CSV"), Some(Export::Csv));
        assert_eq!(Export::named("json"), Some(Export::Json));
        assert_eq!(Export::named("out.txt"), None);
    }
}
