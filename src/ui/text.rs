//! Text that others wrote, made safe to draw. Nothing else in `ui` may draw a string that came from a model, a
//! server, a file or a process without going through here. Control characters and hidden ones are shown, not
//! obeyed; only `ansi` reads colours.

use std::borrow::Cow;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::cells::pictured;
use crate::app::unusual_blank;

/// Blanks that a tab becomes where no columns are counted.
const TAB: &str = "    ";
/// Marks without a width that may follow one another; the rest is shown by number.
const MARKS: usize = 3;
/// What makes a key of the sign before it.
const KEYCAP: char = '\u{20e3}';

/// Who reads a text, and what for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// Exactly what is asked about.
    Exactly,
    /// In lines, and on one line.
    Lines,
    Line,
    /// As prose.
    Prose,
}

/// Everything shown, lines kept: control characters as pictures, hidden ones by number. What is previewed, and every
/// message, path and reason.
pub fn plain(text: &str) -> String {
    shown(text, Reads::Lines)
}

/// The same of what is asked about: blanks that aren't the usual one, which no shell takes for one, by number, too, and
/// what changes a sign that terminals don't draw alike.
pub fn exact(text: &str) -> String {
    shown(text, Reads::Exactly)
}

/// The same on one line: for gists, cells and titles.
pub fn line(text: &str) -> String {
    shown(text, Reads::Line)
}

/// Prose of a model or a person: joiners and variation selectors after a letter that isn't ASCII are left out
/// rather than shown, so that emoji and scripts that use them stay readable.
pub fn prose(text: &str) -> String {
    shown(text, Reads::Prose)
}

/// What was parsed from neutral text may hold raw characters again, such as those that Markdown's entities name.
pub fn again(text: Cow<'_, str>) -> String {
    if text.chars().any(needs_showing) { prose(&text) } else { text.into_owned() }
}

fn shown(text: &str, reads: Reads) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut marks = 0;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let joined = pictured(before) || before == '\u{fe0f}';
        match c {
            '\n' if reads != Reads::Line => out.push('\n'),
            '\r' if reads == Reads::Prose => {}
            '\t' => out.push_str(if reads == Reads::Line { " " } else { TAB }),
            _ if reads == Reads::Exactly && (unusual_blank(c) || changes_a_sign(c)) => {
                out.push_str(&number(c));
                marks = 0;
            }
            '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' if reads == Reads::Prose && !before.is_ascii() => {}
            // It says how the sign before it is drawn, and hides nothing.
            '\u{fe0e}' | '\u{fe0f}' if reads != Reads::Exactly && pictured(before) => {}
            '\u{fe0f}' if reads != Reads::Exactly && rest.as_str().starts_with(KEYCAP) => {}
            // It joins two signs, which stand beside each other then.
            '\u{200d}' if reads != Reads::Exactly && joined && rest.as_str().starts_with(pictured) => {}
            _ => show(&mut out, c, &mut marks),
        }
        before = c;
    }
    out
}

/// Half a flag, or the tone of a skin: beside another sign it is drawn in one with it, if at all.
fn changes_a_sign(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Adds one character, escaped if it is a control character, hidden, or one mark too many.
pub(super) fn show(out: &mut String, c: char, marks: &mut usize) {
    match c {
        '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('?')),
        '\u{7f}' => out.push('␡'),
        '\u{80}'..='\u{9f}' => out.push_str(&number(c)),
        _ if hidden(c) => out.push_str(&number(c)),
        _ if c.width() == Some(0) => {
            *marks += 1;
            if *marks > MARKS {
                out.push_str(&number(c));
            } else {
                out.push(c);
            }
            return;
        }
        _ => out.push(c),
    }
    *marks = 0;
}

fn number(c: char) -> String {
    format!("<U+{:04X}>", c as u32)
}

fn needs_showing(c: char) -> bool {
    (c.is_control() && c != '\n') || hidden(c)
}

/// Characters that change how text reads without being seen: direction marks, zero widths, tags, selectors; and those
/// without a width that would stand in the cell of what follows them.
pub fn hidden(c: char) -> bool {
    leads(c)
        || matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// What has no width and joins what follows it.
fn leads(c: char) -> bool {
    matches!(
        c,
        '\u{605}'
            | '\u{70f}'
            | '\u{890}'
            | '\u{891}'
            | '\u{8e2}'
            | '\u{d4e}'
            | '\u{111c2}'
            | '\u{111c3}'
            | '\u{113d1}'
            | '\u{1193f}'
            | '\u{11941}'
            | '\u{11a84}'..='\u{11a89}' | '\u{11d46}' | '\u{11f02}'
    )
}

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most `columns`, ending in `…` where it was shortened.
pub fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    if text.len() <= columns || text.width() <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut kept = head(text, columns - 1).trim_end().to_owned();
    kept.push('…');
    Cow::Owned(kept)
}

/// The longest start of a text that fits.
fn head(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme.width();
        if used > columns {
            return &text[..at];
        }
    }
    text
}

/// The text in at most `columns`, its middle left out where it is too long: of a path both ends tell.
pub fn middle(text: &str, columns: usize) -> Cow<'_, str> {
    if columns == 0 || text.width() <= columns {
        return fit(text, columns);
    }
    let start = head(text, (columns - 1) / 2);
    let room = columns - 1 - start.width();
    let mut from = text.len();
    for (at, _) in text.grapheme_indices(true).rev() {
        if text[at..].width() > room {
            break;
        }
        from = at;
    }
    Cow::Owned(format!("{start}…{}", &text[from..]))
}

/// The text shortened or filled with blanks to exactly `columns`.
pub fn column(text: &str, columns: usize) -> String {
    let mut out = fit(text, columns).into_owned();
    let used = out.width();
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(used)));
    out
}

/// The same with the blanks before it, for numbers.
pub fn column_right(text: &str, columns: usize) -> String {
    let kept = fit(text, columns);
    format!("{}{kept}", " ".repeat(columns.saturating_sub(kept.width())))
}

/// How a line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// Between words where there are any.
    Words,
    /// Between words in the later half of a row, else anywhere: code, which is to be read and stay as long as it is.
    Late,
    /// Anywhere: what was printed or is being typed.
    Anywhere,
}

/// One row while it is being filled: its characters with their styles and widths.
struct Row<'a> {
    cells: Vec<(&'a str, Style, usize)>,
    columns: usize,
}

impl Row<'_> {
    fn line(&self) -> Line<'static> {
        let mut spans: Vec<Span<'static>> = Vec::new();
        for (text, style, _) in &self.cells {
            match spans.last_mut() {
                Some(last) if last.style == *style => last.content.to_mut().push_str(text),
                _ => spans.push(Span::styled((*text).to_owned(), *style)),
            }
        }
        Line::from(spans)
    }

    /// Where the row is cut: after its last blank, or at its end if there is none.
    fn cut_at_word(&self, least: usize) -> usize {
        let blank = self.cells.iter().rposition(|(text, ..)| *text == " ");
        blank.filter(|at| *at >= least).map_or(self.cells.len(), |at| at + 1)
    }
}

/// Breaks a line into rows of at most `columns`; later rows start after `hang` blanks. Nothing is lost.
pub fn wrap(line: &Line<'_>, columns: usize, hang: usize, how: Break) -> Vec<Line<'static>> {
    let columns = columns.max(1);
    let hang = if hang + 4 > columns { 0 } else { hang };
    if line.spans.iter().map(|span| span.content.len()).sum::<usize>() <= columns {
        return vec![owned(borrowed(line))];
    }
    let mut rows = Vec::new();
    let mut row = Row { cells: Vec::with_capacity(columns), columns: 0 };
    for span in &line.spans {
        let style = line.style.patch(span.style);
        for grapheme in span.content.graphemes(true) {
            let wide = grapheme.width();
            if row.columns + wide > columns && row.columns > 0 {
                let cut = match how {
                    Break::Words => row.cut_at_word(if rows.is_empty() { 1 } else { hang + 1 }),
                    Break::Late => row.cut_at_word(row.cells.len() / 2),
                    Break::Anywhere => row.cells.len(),
                };
                let rest = row.cells.split_off(cut);
                rows.push(row.line());
                row.cells.clear();
                row.cells.resize(hang, (" ", Style::default(), 1));
                row.cells.extend(rest);
                row.columns = row.cells.iter().map(|cell| cell.2).sum();
            }
            row.columns += wide;
            row.cells.push((grapheme, style, wide));
        }
    }
    rows.push(row.line());
    rows
}

/// Breaks every line of a neutral text in one style.
pub fn wrap_text(text: &str, columns: usize, style: Style, how: Break) -> Vec<Line<'static>> {
    text.split('\n').flat_map(|line| wrap(&Line::styled(line, style), columns, 0, how)).collect()
}

/// The same line, its text another's.
pub fn borrowed<'a>(line: &'a Line<'_>) -> Line<'a> {
    let spans = line.spans.iter().map(|span| Span::styled(&*span.content, line.style.patch(span.style)));
    Line::from(spans.collect::<Vec<_>>())
}

/// The same line, its text its own.
pub fn owned(line: Line<'_>) -> Line<'static> {
    let style = line.style;
    let own = |span: Span<'_>| Span::styled(span.content.into_owned(), style.patch(span.style));
    Line::from(line.spans.into_iter().map(own).collect::<Vec<_>>())
}

/// The columns of a line from `left` on, in at most `columns`; a wide character cut in half becomes a blank.
pub fn window(line: &Line<'static>, left: usize, columns: usize) -> Line<'static> {
    let mut spans = Vec::new();
    let mut at = 0;
    for span in &line.spans {
        let mut kept = String::new();
        for grapheme in span.content.graphemes(true) {
            let wide = grapheme.width();
            if at >= left && at + wide <= left + columns {
                kept.push_str(grapheme);
            } else if at < left && at + wide > left {
                kept.push(' ');
            }
            at += wide;
            if at >= left + columns {
                break;
            }
        }
        spans.push(Span::styled(kept, line.style.patch(span.style)));
        if at >= left + columns {
            break;
        }
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_hidden_characters_are_shown_not_obeyed() {
        let cases = [
            ("a\x1b[31mb", "a␛[31mb"),
            ("bell\x07 null\0", "bell␇ null␀"),
            ("a\u{202e}b", "a<U+202E>b"),
            ("zero\u{200b}width", "zero<U+200B>width"),
            ("tag\u{e0041}", "tag<U+E0041>"),
            ("c1\u{9b}31m", "c1<U+009B>31m"),
            ("over\rwrite", "over␍write"),
            ("two\nlines", "two\nlines"),
        ];
        for (text, says) in cases {
            assert_eq!(plain(text), says);
        }
        assert_eq!(line("two\nlines\there"), "two␊lines here");
        assert_eq!(plain("e\u{301}"), "e\u{301}");
        let blank = "rm\u{a0}-rf x";
        assert_eq!([plain(blank), exact(blank)], [blank.to_owned(), "rm<U+00A0>-rf x".to_owned()]);
        assert!(plain(&"\u{301}".repeat(50)).contains("<U+0301>"));
    }

    #[test]
    fn how_a_sign_is_drawn_is_shown_only_where_it_is_asked_about() {
        for (sign, drawn) in [("⚠\u{fe0f}", "⚠"), ("1\u{fe0f}\u{20e3}", "1\u{20e3}"), ("❤\u{fe0e}", "❤")] {
            assert_eq!([plain(sign), line(sign), prose(sign)], [drawn; 3], "{sign:?}");
        }
        assert_eq!(line("👨\u{200d}👩\u{200d}👧 a\u{200d}👧"), "👨👩👧 a<U+200D>👧");
        assert_eq!(exact("⚠\u{fe0f} 👍🏽 🇩🇪"), "⚠<U+FE0F> 👍<U+1F3FD> <U+1F1E9><U+1F1EA>");
        assert_eq!(line("a\u{fe0f}⚠\u{fe0f}\u{fe0f}"), "a<U+FE0F>⚠<U+FE0F>", "what has nothing to say is hidden text");
    }

    #[test]
    fn nothing_without_a_width_is_drawn_in_the_cell_of_what_follows_it() {
        for c in ('\0'..=char::MAX).filter(|c| c.width() == Some(0)) {
            let alone = line(&c.to_string()).width() > 0 || format!("{c}a").graphemes(true).count() > 1;
            assert!(alone, "{c:?}");
        }
        assert_eq!([plain("a\u{70f}y"), prose("\u{d4e}\u{d15}")], ["a<U+070F>y", "<U+0D4E>\u{d15}"]);
    }

    #[test]
    fn prose_keeps_emoji_readable_and_still_shows_direction_marks() {
        assert_eq!(prose("⚠\u{fe0f} ok\u{202e}"), "⚠ ok<U+202E>");
        assert_eq!(prose("a\u{200d}b"), "a<U+200D>b");
    }

    #[test]
    fn wrapping_loses_nothing_and_keeps_to_the_width() {
        let text = "the quick 宽字符 brown fox   jumps over averyveryverylongword indeed";
        for columns in 1..40 {
            for how in [Break::Words, Break::Late, Break::Anywhere] {
                let rows = wrap(&Line::raw(text), columns, 0, how);
                assert_eq!(rows.iter().map(ToString::to_string).collect::<String>(), text);
                assert!(rows.iter().all(|row| row.width() <= columns.max(2)), "{columns}");
            }
        }
    }

    #[test]
    fn code_breaks_between_words_unless_that_costs_half_a_row() {
        let rows = |text: &'static str| {
            let rows = wrap(&Line::raw(text), 10, 0, Break::Late);
            rows.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(rows("select a, b from t"), ["select a, ", "b from t"]);
        assert_eq!(rows("git log --stat"), ["git log ", "--stat"]);
        assert_eq!(rows("cat averyveryverylongword"), ["cat averyv", "eryverylon", "gword"]);
    }

    #[test]
    fn later_rows_hang() {
        let rows = wrap(&Line::raw("- one two three four"), 10, 2, Break::Words);
        assert_eq!(
            rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect::<Vec<_>>(),
            ["- one two", "  three", "  four"]
        );
    }

    #[test]
    fn shortening_says_so_and_respects_wide_characters() {
        assert_eq!(fit("SELECT 1", 8), "SELECT 1");
        assert_eq!(fit("SELECT 12", 8), "SELECT…");
        assert_eq!(fit("宽字符", 4), "宽…");
        assert_eq!(middle("/home/ann/shop", 14), "/home/ann/shop");
        assert_eq!(middle("in /home/ann/work/shop", 15), "in /hom…rk/shop");
        assert_eq!(middle("宽字符宽字符", 6), "宽…符");
        assert_eq!((middle("abc", 1), middle("abc", 0)), ("…".into(), "".into()));
        assert_eq!(column("ab", 4), "ab  ");
        assert_eq!(column_right("12", 4), "  12");
        assert_eq!(window(&Line::raw("宽字符"), 1, 4).to_string(), " 字");
    }
}
