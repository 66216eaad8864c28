//! Clusters of characters in the cells of a frame. Terminals disagree on the width of flags, skin tones, joined emoji
//! and scripts whose vowels stand in cells of their own: here each becomes what they draw alike, in the cells that it
//! was given. What is still left open stays within its row: see the terminal's side of it.

use ratatui::buffer::{Buffer, Cell, CellWidth as _};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What stands where the sign that is left is wider than its cells.
const NARROWED: &str = "□";
/// The first letter of flags; the others follow it.
const FLAG: char = '\u{1f1e6}';

/// Gives every cell what terminals agree on, as far as there is such a thing.
pub fn settle(buf: &mut Buffer) {
    let area = buf.area;
    for y in area.top()..area.bottom() {
        let mut x = area.left();
        while x < area.right() {
            let wide = buf[(x, y)].cell_width().max(1).min(area.right() - x);
            if contested(buf[(x, y)].symbol()) {
                spread(buf, (x, y), wide);
            }
            x += wide;
        }
    }
}

/// Whether a cell holds more than one character, or one that is half a flag.
fn contested(symbol: &str) -> bool {
    let mut characters = symbol.chars();
    symbol.len() > 1 && (characters.next().is_some_and(flag) || characters.next().is_some())
}

/// Puts the parts of a cluster into its cells, one behind the other.
fn spread(buf: &mut Buffer, (x, y): (u16, u16), wide: u16) {
    let cell = buf[(x, y)].clone();
    let Some(parts) = parts(cell.symbol(), wide.into()) else { return };
    let mut at = x;
    for part in parts {
        let taken = u16::try_from(part.width()).unwrap_or(1).max(1);
        // The cells beside it are others', whatever the widths say.
        if at + taken > x + wide {
            break;
        }
        let next: &mut Cell = &mut buf[(at, y)];
        next.clone_from(&cell);
        next.set_symbol(&part);
        at += taken;
    }
}

/// The parts of a cluster, each with a width, which take as many columns as it does together. None where it stays as
/// it is.
fn parts(cluster: &str, columns: usize) -> Option<Vec<String>> {
    let first = cluster.chars().next()?;
    if flag(first) {
        let letters = cluster.chars().filter(|letter| flag(*letter)).map(letter);
        return Some(filled(letters.collect(), columns));
    }
    // Signs of telephones and keyboards: the first of them says what it is.
    if pictured(first) || (cluster.ends_with('\u{20e3}') && first.width() > Some(0)) {
        return Some(filled(vec![first.to_string()], columns));
    }
    let mut parts: Vec<String> = Vec::new();
    for c in cluster.chars().filter(|c| !joins(*c)) {
        match parts.last_mut() {
            // A cluster may begin with what has no width: it stands in the cell of what follows it.
            Some(last) if c.width().unwrap_or(0) == 0 || last.width() == 0 => last.push(c),
            _ => parts.push(c.to_string()),
        }
    }
    if parts.iter().any(|part| part.width() == 0) {
        return None;
    }
    (parts.iter().map(|part| part.width()).sum::<usize>() == columns).then_some(parts)
}

/// The parts with blanks behind them, up to so many columns.
fn filled(mut parts: Vec<String>, columns: usize) -> Vec<String> {
    let used: usize = parts.iter().map(|part| part.width()).sum();
    if used > columns {
        parts = vec![NARROWED.to_owned(); columns];
    }
    parts.extend(std::iter::repeat_n(" ".to_owned(), columns.saturating_sub(used)));
    parts
}

/// Half a flag: one of the two letters of a country.
fn flag(c: char) -> bool {
    (FLAG..='\u{1f1ff}').contains(&c)
}

fn letter(half: char) -> String {
    let number = u32::from('A') + half as u32 - FLAG as u32;
    char::from_u32(number).map(String::from).unwrap_or_default()
}

/// Whether it is a sign that others can be joined to, rather than a letter.
pub fn pictured(c: char) -> bool {
    matches!(c, '©' | '®' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2bff}' | '\u{3030}'
        | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// What only says how its neighbours are to be drawn.
fn joins(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Style};
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::*;

    #[test]
    fn clusters_become_what_every_terminal_draws_alike_in_the_same_columns() {
        let cases = [
            ("🇩🇪x", vec!["D", "E", "x"]),
            ("👍🏽x", vec!["👍", " ", "x"]),
            ("👨\u{200d}👩\u{200d}👧x", vec!["👨", " ", "x"]),
            ("⚠\u{fe0f}x", vec!["⚠", " ", "x"]),
            ("1\u{fe0f}\u{20e3}x", vec!["1", " ", "x"]),
            ("e\u{301}x", vec!["e\u{301}", "x"]),
            ("宽x", vec!["宽", " ", "x"]),
            ("क\u{94d}षि", vec!["क\u{94d}", "ष", "ि"]),
            ("น้ำ", vec!["น้", "ำ"]),
            // What begins with a character without a width takes no cell of its neighbours'.
            ("ab\u{70f}y", vec!["a", "b", "\u{70f}y"]),
            ("\u{70f}yn", vec!["\u{70f}y", "n"]),
            ("\u{d4e}\u{d15}n", vec!["\u{d4e}\u{d15}", "n"]),
            ("\u{605}宽n", vec!["\u{605}宽", " ", "n"]),
            ("\u{70f}1\u{20e3}n", vec!["\u{70f}1\u{20e3}", "n"]),
        ];
        for (text, cells) in cases {
            let mut buf = Buffer::empty(Rect::new(0, 0, u16::try_from(cells.len()).unwrap(), 1));
            buf.set_string(0, 0, text, Style::new().fg(Color::Red));
            settle(&mut buf);
            let shown: Vec<&str> = buf.content.iter().map(Cell::symbol).collect();
            assert_eq!(shown, cells, "{text}");
            assert_eq!(buf[(0, 0)].fg, Color::Red);
        }
    }

    /// Characters that clusters are made of: of each kind some, and any other.
    fn character() -> impl Strategy<Value = char> {
        let kinds = "ay宽1#\u{301}\u{20e3}\u{200d}\u{fe0f}\u{605}\u{70f}\u{d4e}\u{111c2}\u{1f1e9}\u{1f1ea}👍\u{1f3fd}👩⚠\
                     \u{915}\u{94d}\u{937}\u{93f}\u{e33}\u{d15}ｶ\u{ff9e}\u{1100}\u{1161}\u{11a8}\u{627}\u{644}";
        prop_oneof![4 => prop::sample::select(kinds.chars().collect::<Vec<_>>()), 1 => any::<char>()]
    }

    proptest! {
        #[test]
        fn no_text_panics_or_overwrites_the_cells_beside_a_cluster(
            text in prop::collection::vec(character(), 0..12),
            columns in 1_u16..16,
            cut in 0_usize..16,
        ) {
            let text: String = text.into_iter().collect();
            let mut buf = Buffer::empty(Rect::new(0, 0, columns, 1));
            buf.set_stringn(0, 0, &text, cut, Style::new());
            // As where a dialog covers the second half of a wide sign.
            if let Some(wide) = text.graphemes(true).find(|cluster| cluster.width() > 1) {
                buf[(columns - 1, 0)].set_symbol(wide);
            }
            let before = buf.clone();
            settle(&mut buf);
            let mut x = 0;
            while x < columns {
                let wide = before[(x, 0)].cell_width().max(1);
                if !contested(before[(x, 0)].symbol()) {
                    for at in x..(x + wide).min(columns) {
                        prop_assert_eq!(&before[(at, 0)], &buf[(at, 0)], "{:?}", text);
                    }
                }
                x += wide;
            }
        }
    }
}
