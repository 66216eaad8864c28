//! The picker: what was typed, the rows that fit it, and how many there are. Letters that fit are underlined, the
//! chosen row has a sign, so that neither is told by colour alone.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;

use super::floating::{WIDEST, column, frame, place};
use super::grouped;
use super::number;
use super::paint::{View, keys, named, put, put_right, tint};
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Command, Context, Fit, Form, Picker, Sight};

/// Draws it; says where the cursor belongs.
pub fn draw(view: View<'_>, screen: Rect, buf: &mut Buffer, picker: &Picker, sight: &mut Sight) -> Option<Position> {
    if let Form::Question(sentences) = &picker.form {
        question(view, screen, buf, (picker, sentences), sight);
        return None;
    }
    let (fitting, all) = picker.counts();
    let columns = if picker.form == Form::Grouped { grouped::columns(screen.width) } else { 1 };
    // As high as all of its rows, so that it keeps its place while they get fewer.
    let wanted = all.div_ceil(columns).max(3) + 4;
    let area = place(screen, wanted, wanted, false);
    let title = view.line(format!(" {} ", text::line(&picker.title)), Role::Strong);
    let inside = frame(view, area, buf, &title, &view.line(count(picker), Role::Dim));
    let mut rest = inside;
    let cursor = typed(view, super::top(&mut rest, 1), buf, picker);
    if rest.height >= 6 {
        super::top(&mut rest, 1);
        help(view, super::bottom(&mut rest, 1), buf, sight);
        super::bottom(&mut rest, 1);
    }
    if picker.form == Form::Grouped {
        grouped::draw(view, rest, buf, picker, sight);
    } else {
        let height = usize::from(rest.height);
        sight.rows.dialog = height;
        sight.limits.dialog = fitting.saturating_sub(height);
        rows(view, rest, buf, picker, sight);
    }
    if fitting == 0 {
        put(buf, rest, 0, &view.line(text::fit(&text::line(picker.says()), rest.width.into()), Role::Dim));
    }
    cursor
}

/// The rows, each on a line.
fn rows(view: View<'_>, area: Rect, buf: &mut Buffer, picker: &Picker, sight: &mut Sight) {
    let height = usize::from(area.height);
    let first = picker.first(height);
    let fits = picker.fits(first, height);
    let labels = fits.iter().map(|fit| text::width(&fit.row.label)).max().unwrap_or(0);
    let details = fits.iter().map(|fit| text::width(&fit.row.detail)).max().unwrap_or(0);
    let room = usize::from(area.width).saturating_sub(2);
    // What more is said gives way to the half of a row, and takes no more than it needs.
    let label = if details > 0 { labels.min((room * 11 / 20).max(room.saturating_sub(details + 2))) } else { room };
    for (at, fit) in fits.iter().enumerate() {
        let line = Rect { y: area.y + u16::try_from(at).unwrap_or(0), height: 1, ..area };
        row(view, line, buf, fit, label, first + at == picker.selected());
        sight.picks.push((line.y, line.x, line.right(), first + at));
    }
}

/// Sentences, the first of them what it is about, and the answers below.
fn question(view: View<'_>, screen: Rect, buf: &mut Buffer, (picker, said): (&Picker, &[String]), sight: &mut Sight) {
    let columns = usize::from(screen.width.min(WIDEST)).saturating_sub(4).max(1);
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (at, sentence) in said.iter().enumerate() {
        let role = if at == 0 { Role::Strong } else { Role::Text };
        lines.extend(text::wrap(&view.line(text::line(sentence), role), columns, 0, Break::Words));
    }
    let answers = picker.counts().1;
    let wanted = lines.len() + answers + 4;
    let area = place(screen, wanted, wanted, false);
    let title = view.line(format!(" {} ", text::line(&picker.title)), Role::Strong);
    let mut rest = frame(view, area, buf, &title, &Line::default());
    // The answers stay in sight on a screen that has no room for the sentences.
    let roomy = usize::from(rest.height) >= wanted;
    if usize::from(rest.height) >= answers + 2 {
        answering(view, super::bottom(&mut rest, 1), buf, sight);
        super::bottom(&mut rest, u16::from(roomy));
    }
    let below = super::bottom(&mut rest, u16::try_from(answers).unwrap_or(u16::MAX));
    rows(view, below, buf, picker, sight);
    super::top(&mut rest, u16::from(roomy));
    column(buf, rest, &lines);
    sight.rows.dialog = answers;
}

fn answering(view: View<'_>, area: Rect, buf: &mut Buffer, sight: &mut Sight) {
    let Some((take, _)) = view.key(Context::Picker, Command::Choose, "") else { return };
    let answer = |letter: &str, says: &str| Some((letter.to_owned(), says.to_owned()));
    let keys: Vec<_> = [answer("y", "yes"), answer("n", "no"), Some((take, "confirm".to_owned())), moving(view)]
        .into_iter()
        .flatten()
        .collect();
    let lines = super::paint::keys(view, &keys, area.width.into(), 1, true);
    put(buf, area, 0, lines.first().unwrap_or(&Line::default()));
    sight.keys = named(&lines, area);
}

/// ` 12 of 340 commands `
fn count(picker: &Picker) -> String {
    let (fitting, all) = picker.counts();
    let said = |count: usize| number::thousands(count as u64);
    let dropped =
        if picker.dropped > 0 { format!(", {} more not listed", said(picker.dropped)) } else { String::new() };
    match (picker.reading, fitting == all) {
        (true, _) => String::new(),
        (false, true) => format!(" {}{dropped} ", number::count(all as u64, picker.noun)),
        (false, false) => format!(" {} of {}{dropped} ", said(fitting), number::count(all as u64, picker.noun)),
    }
}

/// Draws what was typed, its end in sight.
fn typed(view: View<'_>, area: Rect, buf: &mut Buffer, picker: &Picker) -> Option<Position> {
    if area.height == 0 {
        return None;
    }
    put(buf, area, 0, &view.line("› ", Role::Accent));
    let room = Rect { x: area.x + 2.min(area.width), width: area.width.saturating_sub(2), ..area };
    if picker.typed.is_empty() && picker.counts().1 > 3 {
        put(buf, room, 0, &view.line(text::fit("type to narrow the list", room.width.into()), Role::Dim));
    }
    let said = text::line(&picker.typed);
    let mut shown = said.as_str();
    while text::width(shown) + 1 > usize::from(room.width.max(1)) {
        shown = shown.graphemes(true).next().map_or("", |first| &shown[first.len()..]);
    }
    put(buf, room, 0, &view.line(shown, Role::Text));
    let x = room.x + u16::try_from(text::width(shown)).unwrap_or(0).min(room.width.saturating_sub(1));
    Some(Position { x, y: room.y })
}

fn help(view: View<'_>, area: Rect, buf: &mut Buffer, sight: &mut Sight) {
    let key = |command, says| view.key(Context::Picker, command, says);
    let bound: Vec<_> =
        [key(Command::Choose, "choose"), moving(view), key(Command::Back, "close")].into_iter().flatten().collect();
    let lines = keys(view, &bound, area.width.into(), 1, true);
    put(buf, area, 0, lines.first().unwrap_or(&Line::default()));
    sight.keys = named(&lines, area);
}

fn moving(view: View<'_>) -> Option<(String, String)> {
    let key = |command| view.key(Context::Picker, command, "move");
    key(Command::LineUp).zip(key(Command::LineDown)).map(|((up, says), (down, _))| (format!("{up} {down}"), says))
}

fn row(view: View<'_>, area: Rect, buf: &mut Buffer, fit: &Fit<'_>, label: usize, chosen: bool) {
    let role = if chosen { Role::Strong } else { Role::Text };
    put(buf, area, 0, &view.line(if chosen { "▸ " } else { "  " }, Role::Accent));
    let mut room = Rect { x: area.x + 2.min(area.width), width: area.width.saturating_sub(2), ..area };
    if !fit.row.key.is_empty() && room.width > 30 {
        let taken = put_right(buf, room, 0, &view.line(text::line(&fit.row.key), Role::Accent));
        room.width = room.width.saturating_sub(taken + 2);
    }
    let own = Rect { width: room.width.min(u16::try_from(label).unwrap_or(u16::MAX)), ..room };
    let shown = |said: &str, marks: &[u32], columns: u16, role: Role| {
        if fit.row.ends && text::width(said) > usize::from(columns) {
            return view.line(text::middle(&text::line(said), columns.into()).into_owned(), role);
        }
        marked(said, marks, columns, view.theme.style(role))
    };
    put(buf, own, 0, &shown(&fit.row.label, &fit.label, own.width, role));
    let used = own.width.saturating_add(2).min(room.width);
    // What has no room in its column, but has it with what its own label leaves free, begins there.
    let wide = |said: &str| u16::try_from(text::width(&text::line(said))).unwrap_or(u16::MAX);
    let begins = room.width.saturating_sub(wide(&fit.row.detail));
    let used = if begins >= wide(&fit.row.label).saturating_add(2) { used.min(begins) } else { used };
    let rest = Rect { x: room.x + used, width: room.width - used, ..room };
    if rest.width > 4 {
        put(buf, rest, 0, &shown(&fit.row.detail, &fit.detail, rest.width, Role::Dim));
    }
    if chosen {
        tint(buf, area, view.theme.style(Role::Selection));
    }
}

/// A text in so many columns, the letters that fit underlined. One with hidden characters is shown as ever, unmarked.
pub fn marked(said: &str, marks: &[u32], columns: u16, style: Style) -> Line<'static> {
    let shown = text::line(said);
    let kept = text::fit(&shown, columns.into());
    if shown != said || marks.is_empty() {
        return Line::styled(kept.into_owned(), style);
    }
    let mark = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (at, letter) in (0u32..).zip(kept.graphemes(true)) {
        let style = if marks.binary_search(&at).is_ok() && letter != "…" { mark } else { style };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(letter),
            _ => spans.push(Span::styled(letter.to_owned(), style)),
        }
    }
    Line::from(spans)
}

/// The same as plain lines, for a session without a screen: its first rows, each with a number to type.
pub fn told(picker: &Picker, most: usize) -> Vec<String> {
    let (fitting, _) = picker.counts();
    let asks = matches!(picker.form, Form::Question(_));
    let mut lines = vec![format!("{}{}", text::line(&picker.title), if asks { "" } else { ":" })];
    if let Form::Question(sentences) = &picker.form {
        lines.extend(sentences.iter().map(|sentence| text::line(sentence)));
    }
    if fitting == 0 {
        lines.push(text::line(picker.says()));
        return lines;
    }
    for (number, fit) in (1..).zip(picker.fits(0, most)) {
        let detail =
            if fit.row.detail.is_empty() { String::new() } else { format!(" – {}", text::line(&fit.row.detail)) };
        lines.push(format!("{number}: {}{detail}", text::line(&fit.row.label)));
    }
    if let Some(more) = fitting.checked_sub(most).filter(|more| *more > 0) {
        lines.push(format!("{} more: type ? and words to narrow the list", number::thousands(more as u64)));
    }
    let how = if asks {
        "type yes or no"
    } else {
        "type a number to choose, or ? and words to narrow; anything else closes the list"
    };
    lines.push(how.to_owned());
    lines
}
