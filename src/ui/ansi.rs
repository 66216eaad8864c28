//! Output of processes: colours survive as styles, everything else that steers a terminal is dropped, a carriage
//! return starts its line over. Bounded in line length. Called by the output pane.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthChar;
use vte::{Params, Parser, Perform};

use super::number;
use super::text;

/// Columns between tab stops.
const TAB: usize = 8;
/// Longest line that is kept, in bytes; what is left out is counted.
const LINE: usize = 16 * 1024;

/// One line and whether standard error printed it.
#[derive(Clone, Debug)]
pub struct Printed {
    /// The line, neutral.
    pub line: Line<'static>,
    /// Whether it began on standard error.
    pub error: bool,
}

/// The lines of pieces of output, each from standard output or (true) standard error.
pub fn lines<'a>(pieces: impl IntoIterator<Item = (bool, &'a str)>) -> Vec<Printed> {
    let mut parser: Parser = Parser::new();
    let mut screen = Screen::default();
    for (error, text) in pieces {
        screen.error = error;
        parser.advance(&mut screen, text.as_bytes());
    }
    screen.finish()
}

#[derive(Default)]
struct Screen {
    done: Vec<Printed>,
    spans: Vec<Span<'static>>,
    open: String,
    style: Style,
    error: bool,
    began_as_error: bool,
    column: usize,
    bytes: usize,
    left_out: u64,
    marks: usize,
    /// A carriage return came: the next character starts the line over.
    returned: bool,
}

impl Screen {
    fn finish(mut self) -> Vec<Printed> {
        if self.column > 0 || !self.open.is_empty() || !self.spans.is_empty() {
            self.end_line();
        }
        self.done
    }

    fn close_span(&mut self) {
        if !self.open.is_empty() {
            if self.spans.is_empty() {
                // Most lines have one, and there are many lines.
                self.spans.reserve_exact(1);
            }
            self.spans.push(Span::styled(std::mem::take(&mut self.open), self.style));
        }
    }

    fn start_over(&mut self) {
        self.spans.clear();
        self.open.clear();
        (self.column, self.bytes, self.left_out, self.marks) = (0, 0, 0, 0);
        self.returned = false;
    }

    fn end_line(&mut self) {
        self.close_span();
        if self.left_out > 0 {
            let said = format!(" … {} more characters", number::thousands(self.left_out));
            self.spans.push(Span::styled(said, Style::new().add_modifier(Modifier::DIM)));
        }
        let spans = std::mem::take(&mut self.spans);
        self.done.push(Printed { line: Line::from(spans), error: self.began_as_error });
        self.start_over();
    }

    fn add(&mut self, c: char) {
        // Joiners and selectors of emoji: terminals disagree on their width, and nothing is decided from output.
        if matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
            && self.open.chars().next_back().is_some_and(|c| !c.is_ascii())
        {
            return;
        }
        if self.returned {
            self.start_over();
        }
        if self.column == 0 && self.bytes == 0 {
            self.began_as_error = self.error;
        }
        if self.bytes > LINE {
            self.left_out += 1;
            return;
        }
        let before = self.open.len();
        text::show(&mut self.open, c, &mut self.marks);
        self.bytes += self.open.len() - before;
        self.column += c.width().unwrap_or(0);
    }

    fn set(&mut self, style: Style) {
        if style != self.style {
            self.close_span();
            self.style = style;
        }
    }
}

impl Perform for Screen {
    fn print(&mut self, c: char) {
        self.add(c);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                if self.column == 0 && self.bytes == 0 {
                    self.began_as_error = self.error;
                }
                self.end_line();
            }
            b'\r' => self.returned = true,
            b'\t' => {
                for _ in 0..TAB - self.column % TAB {
                    self.add(' ');
                }
            }
            // Bells and shifts are dropped, a backspace takes the last character back.
            0x08 => {
                if let Some(c) = self.open.pop() {
                    self.column -= c.width().unwrap_or(0).min(self.column);
                }
            }
            0x07 | 0x0e | 0x0f => {}
            other => self.add(char::from(other)),
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        if action == 'm' && intermediates.is_empty() && !ignore {
            self.set(graphic(self.style, params));
        }
    }
}

/// A style after "select graphic rendition". Concealing and blinking are not taken over.
fn graphic(mut style: Style, params: &Params) -> Style {
    let mut params = params.iter();
    while let Some(param) = params.next() {
        let code = param.first().copied().unwrap_or(0);
        style = match code {
            0 => Style::default(),
            1 => style.add_modifier(Modifier::BOLD),
            2 => style.add_modifier(Modifier::DIM),
            3 => style.add_modifier(Modifier::ITALIC),
            4 => style.add_modifier(Modifier::UNDERLINED),
            7 => style.add_modifier(Modifier::REVERSED),
            9 => style.add_modifier(Modifier::CROSSED_OUT),
            21 | 22 => style.remove_modifier(Modifier::BOLD | Modifier::DIM),
            23 => style.remove_modifier(Modifier::ITALIC),
            24 => style.remove_modifier(Modifier::UNDERLINED),
            27 => style.remove_modifier(Modifier::REVERSED),
            29 => style.remove_modifier(Modifier::CROSSED_OUT),
            30..=37 => style.fg(indexed(code - 30)),
            90..=97 => style.fg(indexed(code - 90 + 8)),
            40..=47 => style.bg(indexed(code - 40)),
            100..=107 => style.bg(indexed(code - 100 + 8)),
            38 | 48 => match extended(param, &mut params) {
                Some(colour) if code == 38 => style.fg(colour),
                Some(colour) => style.bg(colour),
                None => style,
            },
            39 => Style { fg: None, ..style },
            49 => Style { bg: None, ..style },
            _ => style,
        };
    }
    // Text in the colour of its background would be hidden.
    if style.fg.is_some() && style.fg == style.bg { Style { fg: None, bg: None, ..style } } else { style }
}

/// The colour of `38` or `48`: `5;n`, `2;r;g;b`, or the same after colons.
fn extended<'a>(param: &[u16], rest: &mut impl Iterator<Item = &'a [u16]>) -> Option<Color> {
    let mut values: Vec<u16> = param.get(1..).unwrap_or_default().to_vec();
    let mut next = |values: &mut Vec<u16>| {
        values.push(rest.next().and_then(|param| param.first().copied()).unwrap_or(0));
    };
    if values.is_empty() {
        next(&mut values);
        let more = match values.first() {
            Some(5) => 1,
            Some(2) => 3,
            _ => 0,
        };
        for _ in 0..more {
            next(&mut values);
        }
    }
    let byte = |value: u16| u8::try_from(value).ok();
    match values.as_slice() {
        [5, index] => {
            byte(*index).map(|index| if index < 16 { indexed(u16::from(index)) } else { Color::Indexed(index) })
        }
        [2, red, green, blue] | [2, _, red, green, blue] => Some(Color::Rgb(byte(*red)?, byte(*green)?, byte(*blue)?)),
        _ => None,
    }
}

fn indexed(index: u16) -> Color {
    match index {
        0 => Color::Black,
        1 => Color::Red,
        2 => Color::Green,
        3 => Color::Yellow,
        4 => Color::Blue,
        5 => Color::Magenta,
        6 => Color::Cyan,
        7 => Color::Gray,
        8 => Color::DarkGray,
        9 => Color::LightRed,
        10 => Color::LightGreen,
        11 => Color::LightYellow,
        12 => Color::LightBlue,
        13 => Color::LightMagenta,
        14 => Color::LightCyan,
        _ => Color::White,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styled(raw: &str) -> Vec<Line<'static>> {
        lines([(false, raw)]).into_iter().map(|printed| printed.line).collect()
    }

    fn text(raw: &str) -> Vec<String> {
        styled(raw).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn colours_survive_and_nothing_else_does() {
        let lines = styled("\x1b[1;31mred\x1b[0m plain \x1b[38;5;200mpink\x1b[48;2;1;2;3mon dark");
        assert_eq!(lines[0].spans[0].style, Style::new().fg(Color::Red).add_modifier(Modifier::BOLD));
        assert_eq!(lines[0].to_string(), "red plain pinkon dark");
        assert_eq!(lines[0].spans[3].style.bg, Some(Color::Rgb(1, 2, 3)));
        for raw in [
            "\x1b[2J\x1b[Hx",
            "\x1b]0;title\x07x",
            "\x1b]8;;http://evil\x1b\\x\x1b]8;;\x1b\\",
            "\x1bPq#0;2\x1b\\x",
            "\x07x",
            "\x1b[?1049hx",
            "\x1b[8mx",
            "\x1bcx",
            "\x1b[6nx",
        ] {
            assert_eq!(text(raw), ["x"], "{raw:?}");
        }
        assert!(!styled("\x1b[8mx")[0].spans[0].style.add_modifier.contains(Modifier::HIDDEN));
        assert_eq!(styled("\x1b[30;40mx")[0].spans[0].style.fg, None);
    }

    #[test]
    fn a_carriage_return_starts_the_line_over() {
        assert_eq!(text("10%\r50%\r100%\ndone\r\n"), ["100%", "done"]);
        assert_eq!(text("a\tb"), ["a       b"]);
        assert_eq!(text("\n\nx"), ["", "", "x"]);
    }

    #[test]
    fn long_lines_say_how_much_is_left_out() {
        let lines = text(&"x".repeat(20_000));
        assert!(lines[0].ends_with(" … 3,615 more characters"), "{}", &lines[0][16_000..]);
    }

    #[test]
    fn error_lines_are_told_apart() {
        let printed = lines([(false, "out\n"), (true, "err\n"), (false, "out")]);
        assert_eq!(printed.iter().map(|line| line.error).collect::<Vec<_>>(), [false, true, false]);
    }
}
