//! Rows that are kept for later frames, packed: one text, where each span and each row in it ends, and every style
//! once. As lines of spans of strings, the rows of a long answer would take twenty times its own length.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Packed rows; they are only ever added to.
#[derive(Debug, Default)]
pub struct Rows {
    text: String,
    /// Where each span ends in the text, and the place of its style.
    spans: Vec<(u32, u16)>,
    /// Behind which span each row ends.
    ends: Vec<u32>,
    /// A theme has a few dozen styles: they are found by looking at all of them.
    styles: Vec<Style>,
}

impl Rows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a row.
    pub fn push(&mut self, line: &Line<'_>) {
        for span in &line.spans {
            self.text.push_str(&span.content);
            let style = self.style(line.style.patch(span.style));
            self.spans.push((number(self.text.len()), style));
        }
        self.ends.push(number(self.spans.len()));
    }

    /// One row.
    pub fn row(&self, at: usize) -> Option<Line<'_>> {
        let before = |place: Option<usize>| place.and_then(|place| self.ends.get(place)).map_or(0, |end| *end as usize);
        let (from, to) = (before(at.checked_sub(1)), *self.ends.get(at)? as usize);
        let mut start = from.checked_sub(1).and_then(|span| self.spans.get(span)).map_or(0, |span| span.0 as usize);
        let spans = self.spans.get(from..to)?.iter().map(|(end, style)| {
            let text = &self.text[start..*end as usize];
            start = *end as usize;
            Span::styled(text, self.styles[usize::from(*style)])
        });
        Some(Line::from(spans.collect::<Vec<_>>()))
    }

    fn style(&mut self, style: Style) -> u16 {
        let known = self.styles.iter().position(|known| *known == style);
        let place = known.unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        u16::try_from(place).unwrap_or_default()
    }
}

/// What an answer's cap keeps far below four thousand million.
fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
        let red = Style::new().fg(Color::Red);
        let lines = [
            Line::default(),
            Line::from(vec![Span::raw("a "), Span::styled("über", red)]),
            Line::styled("whole", red),
            Line::default(),
        ];
        let mut rows = Rows::default();
        for line in &lines {
            rows.push(line);
        }
        assert_eq!(rows.len(), 4);
        for (at, line) in lines.iter().enumerate() {
            let spans = line.spans.iter().map(|span| Span::styled(span.content.clone(), line.style.patch(span.style)));
            assert_eq!(rows.row(at), Some(Line::from(spans.collect::<Vec<_>>())));
        }
        assert_eq!(rows.row(4), None);
    }
}
