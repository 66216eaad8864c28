//! The bare program that everything is compared with: one line of text that echoes keys, drawn by ratatui when a key
//! comes and at no other time. The bench starts itself as it.

use std::io;

use crossterm::event::{Event, KeyCode, read};
use ratatui::widgets::Paragraph;

/// How it is asked for.
pub const ARGUMENT: &str = "--hello";
/// What its first frame shows.
pub const READY: &str = "hello, ready";

/// Runs it until ctrl+q or the end of its terminal.
pub fn run() -> io::Result<()> {
    let mut terminal = ratatui::init();
    let mut text = String::new();
    loop {
        terminal.draw(|frame| {
            let area = frame.area();
            frame.render_widget(Paragraph::new(format!("{READY}\n› {text}")), area);
            let column = u16::try_from(text.chars().count() + 2).unwrap_or(0);
            frame.set_cursor_position((column.min(area.width.saturating_sub(1)), 1));
        })?;
        let Event::Key(key) = read()? else { continue };
        match key.code {
            KeyCode::Char('q') if !key.modifiers.is_empty() => break,
            KeyCode::Char(letter) => text.push(letter),
            KeyCode::Backspace => _ = text.pop(),
            _ => {}
        }
    }
    ratatui::restore();
    Ok(())
}
