//! The code of a text in its colours, made when it is first shown: a long answer holds more code than anybody looks
//! at while it comes, and colouring it took most of the time.

use std::ops::Range;

use ratatui::text::Line;

use super::highlight::highlight;
use super::paint::Page;
use super::rows::Rows;
use super::text::{self, Break, wrap};
use super::theme::{Role, Theme};

/// Closed fences in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Fences(Vec<Closed>);

#[derive(Debug)]
struct Closed {
    /// Its rows among those of the whole text.
    rows: Range<usize>,
    /// Where its code stands in the text.
    code: Range<usize>,
    language: String,
    /// The same rows in colours, once they were shown.
    coloured: Option<Rows>,
}

impl Fences {
    /// Adds a fence that comes after all others.
    pub fn push(&mut self, rows: Range<usize>, code: Range<usize>, language: &str) {
        self.0.push(Closed { rows, code, language: language.to_owned(), coloured: None });
    }

    /// Colours the fences that reach into some of the rows.
    pub fn colour(&mut self, text: &str, shown: &Range<usize>, page: Page<'_>) {
        let first = self.0.partition_point(|fence| fence.rows.end <= shown.start);
        for fence in self.0[first..].iter_mut().take_while(|fence| fence.rows.start < shown.end) {
            let code = text.get(fence.code.clone()).unwrap_or_default();
            fence.coloured.get_or_insert_with(|| {
                let mut rows = Rows::default();
                for row in &code_rows(code, &fence.language, page) {
                    rows.push(row);
                }
                rows
            });
        }
    }

    /// A row in colours, if it is code that was coloured.
    pub fn row(&self, at: usize) -> Option<Line<'_>> {
        let fence = self.0.get(self.0.partition_point(|fence| fence.rows.end <= at))?;
        let coloured = fence.coloured.as_ref().filter(|rows| rows.len() == fence.rows.len())?;
        coloured.row(at.checked_sub(fence.rows.start)?)
    }
}

/// Code as rows with a mark before each; in the colours of its language, where it has one.
pub(super) fn code_rows(code: &str, language: &str, page: Page<'_>) -> Vec<Line<'static>> {
    let code = text::prose(&page.masks.hide(code.strip_suffix('\n').unwrap_or(code)));
    let rows = highlight(&code, language, page.theme);
    let rows = rows.iter().flat_map(|line| wrap(line, page.columns.saturating_sub(2), 0, Break::Anywhere));
    rows.map(|row| fenced(row, page.theme)).collect()
}

fn fenced(mut row: Line<'static>, theme: &Theme) -> Line<'static> {
    let style = row.style;
    for span in &mut row.spans {
        span.style = style.patch(span.style);
    }
    row.spans.insert(0, ratatui::text::Span::styled("▏ ", theme.style(Role::Border)));
    row.style = ratatui::style::Style::default();
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Masks;

    #[test]
    fn only_fences_that_are_shown_are_coloured() {
        let masks = Masks::default();
        let (theme, text) = (Theme::named("dark").unwrap(), "SELECT 1;\nSELECT 2;\nSELECT 3;\n");
        let mut fences = Fences::default();
        fences.push(2..4, 0..20, "sql");
        fences.push(6..7, 20..30, "sql");
        let page = Page { columns: 40, theme: &theme, masks: &masks };
        fences.colour(text, &(0..2), page);
        assert!((0..8).all(|at| fences.row(at).is_none()));
        fences.colour(text, &(3..6), page);
        let said: Vec<_> = (0..8).map(|at| fences.row(at).map(|row| row.to_string())).collect();
        let first = |text: &str| Some(format!("▏ {text}"));
        assert_eq!(said, [None, None, first("SELECT 1;"), first("SELECT 2;"), None, None, None, None]);
        let row = fences.row(3).unwrap();
        assert!(row.spans.iter().any(|span| span.style.fg == theme.style(Role::Keyword).fg), "{row:?}");
    }
}
