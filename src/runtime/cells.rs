//! What a frame changes on the terminal, written so that no character damages the cells beside it. Terminals disagree
//! on the width of some characters: where one stands or stood, its row is written anew as a whole, every such character
//! on blanks of its own and what follows it at a place of its own.

use std::collections::BTreeSet;
use std::iter::once;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Cell, CellWidth as _};
use ratatui::layout::{Position, Size};

/// A terminal, and what was written to it.
#[derive(Debug)]
pub struct Steady<B> {
    inner: B,
    rows: Vec<Vec<Cell>>,
    /// How wide the terminal is.
    columns: fn() -> u16,
}

impl<B: Backend> Steady<B> {
    /// A terminal that is blank, and as wide as is said when it is asked for.
    pub fn new(inner: B, columns: fn() -> u16) -> Self {
        Self { inner, rows: Vec::new(), columns }
    }

    fn uncertain(&self, row: u16) -> bool {
        self.rows.get(usize::from(row)).is_some_and(|cells| cells.iter().any(|cell| !certain(cell.symbol())))
    }

    fn keep(&mut self, (column, row): (u16, u16), cell: &Cell) {
        let (column, row) = (usize::from(column), usize::from(row));
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Vec::new);
        }
        let cells = &mut self.rows[row];
        let end = column + usize::from(cell.cell_width().max(1));
        if cells.len() < end {
            cells.resize_with(end, Cell::default);
        }
        // What a wide one covers is gone, and nobody says so.
        for covered in &mut cells[column + 1..end] {
            covered.clone_from(cell);
            covered.set_symbol(" ");
        }
        cells[column].clone_from(cell);
    }

    /// Writes a row as a whole, `columns` wide at least.
    fn rewrite(&mut self, row: u16, columns: u16) -> Result<(), B::Error> {
        let Some(cells) = self.rows.get(usize::from(row)) else { return Ok(()) };
        let blank = Cell::default();
        let last = columns.max(u16::try_from(cells.len()).unwrap_or(u16::MAX));
        let at = |column: u16| cells.get(usize::from(column)).unwrap_or(&blank);
        // What stands where, and blanks under all that may not fill its own cells.
        let mut stands: Vec<(u16, &Cell)> = Vec::new();
        let mut under: Vec<(u16, Cell)> = Vec::new();
        let mut column = 0;
        while column < last {
            let cell = at(column);
            let wide = cell.cell_width().max(1);
            stands.push((column, cell));
            if certain(cell.symbol()) {
                under.push((column, cell.clone()));
            } else {
                under.extend((column..column.saturating_add(wide).min(last)).map(|column| {
                    let mut empty = cell.clone();
                    empty.set_symbol(" ");
                    (column, empty)
                }));
            }
            column = column.saturating_add(wide);
        }
        self.inner.draw(under.iter().map(|(column, cell)| (*column, row, cell)))?;
        for run in stands.chunk_by(|_, next| certain(next.1.symbol())) {
            let Some((first, rest)) = run.split_first() else { continue };
            if certain(first.1.symbol()) {
                continue;
            }
            self.inner.draw(once((first.0, row, first.1)))?;
            self.inner.draw(rest.iter().map(|(column, cell)| (*column, row, *cell)))?;
        }
        Ok(())
    }
}

/// Whether terminals agree on the width of what a cell holds.
fn certain(symbol: &str) -> bool {
    let mut characters = symbol.chars();
    let (Some(c), None) = (characters.next(), characters.next()) else { return symbol.is_empty() };
    matches!(c, '\0'..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{52f}' | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}' | '\u{2070}'..='\u{20cf}' | '\u{2100}'..='\u{2319}' | '\u{231c}'..='\u{23e8}'
        | '\u{2400}'..='\u{25fc}' | '\u{2713}'..='\u{2727}' | '\u{2800}'..='\u{28ff}' | '\u{3000}'..='\u{3029}'
        | '\u{3041}'..='\u{3096}' | '\u{309b}'..='\u{4dbf}' | '\u{4e00}'..='\u{a48c}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{ff01}'..='\u{ff9d}' | '\u{fffd}')
}

impl<B: Backend> Backend for Steady<B> {
    type Error = B::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), Self::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut changed: Vec<(u16, u16, &Cell)> = Vec::new();
        let (mut whole, mut current) = (BTreeSet::new(), None);
        for (column, row, cell) in content {
            if current != Some(row) {
                current = Some(row);
                if self.uncertain(row) {
                    whole.insert(row);
                }
            }
            if !certain(cell.symbol()) {
                whole.insert(row);
            }
            self.keep((column, row), cell);
            changed.push((column, row, cell));
        }
        self.inner.draw(changed.into_iter().filter(|(_, row, _)| !whole.contains(row)))?;
        if whole.is_empty() {
            return Ok(());
        }
        let columns = (self.columns)();
        whole.into_iter().try_for_each(|row| self.rewrite(row, columns))
    }

    fn hide_cursor(&mut self) -> Result<(), Self::Error> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), Self::Error> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, Self::Error> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Self::Error> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), Self::Error> {
        self.rows.clear();
        self.inner.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> Result<(), Self::Error> {
        // Only all of it is ever cleared: what else is kept would be written once too often at most.
        if region == ClearType::All {
            self.rows.clear();
        }
        self.inner.clear_region(region)
    }

    fn size(&self) -> Result<Size, Self::Error> {
        self.inner.size()
    }

    fn window_size(&mut self) -> Result<WindowSize, Self::Error> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io::{self, Write};
    use std::rc::Rc;

    use ratatui::backend::CrosstermBackend;
    use ratatui::layout::Rect;
    use ratatui::{Terminal, TerminalOptions, Viewport};

    use super::*;

    /// A terminal that counts every character by itself, and takes a skin tone for a second sign.
    #[derive(Clone)]
    struct Emulated(Rc<RefCell<vt100::Parser>>);

    impl Write for Emulated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().process(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Emulated {
        fn rows(&self) -> Vec<String> {
            self.0.borrow().screen().rows(0, 30).map(|row| row.trim_end().to_owned()).collect()
        }
    }

    #[test]
    fn a_cluster_of_another_width_leaves_the_cells_beside_it_as_they_are() {
        let emulated = Emulated(Rc::new(RefCell::new(vt100::Parser::new(3, 30, 0))));
        let area = Rect::new(0, 0, 30, 3);
        let backend = Steady::new(CrosstermBackend::new(emulated.clone()), || 30);
        let mut terminal =
            Terminal::with_options(backend, TerminalOptions { viewport: Viewport::Fixed(area) }).unwrap();
        let frames = [
            ["│a👍🏽b│ 🇩🇪 │", "y approve│", "│"],
            ["│plain│ 🇩🇪 │", "👨\u{200d}👩\u{200d}👧y approve│", "│"],
            ["│plain│ xx │", "  y deny  │", "│👍🏽│👍🏽│"],
            ["│plain│ xx │", "abcdefghij", "││"],
            ["│plain│ xx │", "ab👧👧👍🏽👧", "││"],
            ["│plain│ xx │", "ab", "││"],
            ["│plain│ xx │", "  y deny  │", "││"],
        ];
        for frame in frames {
            terminal
                .draw(|drawn| {
                    for (row, text) in (0..).zip(frame) {
                        drawn.buffer_mut().set_string(0, row, text, ratatui::style::Style::new());
                    }
                })
                .unwrap();
            let letters = |row: &str| row.chars().filter(|c| c.is_ascii_alphabetic() || *c == '│').collect::<String>();
            let shown = emulated.rows();
            for (row, text) in shown.iter().zip(frame) {
                assert_eq!(letters(row), letters(text), "{shown:?}");
            }
            // Each stands in the column that it was given.
            let parser = emulated.0.borrow();
            for (row, text) in (0..).zip(frame) {
                let mut expected = ratatui::buffer::Buffer::empty(Rect::new(0, 0, 30, 1));
                expected.set_string(0, 0, text, ratatui::style::Style::new());
                for (column, cell) in (0..).zip(&expected.content).filter(|(_, cell)| cell.symbol().trim() != "") {
                    let drawn = parser.screen().cell(row, column).map(|cell| cell.contents().to_owned());
                    if certain(cell.symbol()) {
                        assert_eq!(drawn.as_deref(), Some(cell.symbol()), "{frame:?} {row} {column}");
                    }
                }
            }
        }
        assert_eq!(emulated.rows(), ["│plain│ xx │", "  y deny  │", "││"]);
    }
}
