//! The page of the first start: one question at a time, what was found, the keys. Also as plain lines.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::paint::{View, keys, put};
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Fetched, KEYS, Offer, Setup, Stage};
use crate::domain::ApprovalMode;

/// Widest page.
const WIDEST: u16 = 96;
/// Columns of the name before its note.
const NAME: usize = 20;
/// What is said of what the configuration names.
const CONFIGURED: &str = "configured";

/// A row that can be chosen: what it is, and what is known of it.
struct Row {
    name: String,
    note: String,
    good: bool,
}

/// Draws the page over the whole screen; says where the cursor belongs.
pub fn draw(view: View<'_>, screen: Rect, buf: &mut Buffer, setup: &Setup) -> Option<Position> {
    buf.set_style(screen, view.theme.style(Role::Text));
    let width = screen.width.min(WIDEST).saturating_sub(2);
    let area = Rect { x: screen.x + 1, width, ..screen };
    let columns = usize::from(width);
    let mut foot = foot(view, setup, columns);
    foot.extend(keys(view, &bound(setup), columns, 2, true));
    let height = usize::from(area.height);
    let room = height.saturating_sub(foot.len());
    let listed = listed(setup);
    let longest = listed.iter().map(|row| text::width(&row.name)).max().unwrap_or(0);
    let name = longest.clamp(NAME, (columns / 2).max(NAME));
    // What a mode means is never cut.
    let whole = setup.stage == Stage::Mode;
    let notes = if whole { usize::MAX } else { columns.saturating_sub(name + 5) };
    let options = listed.iter().enumerate().map(|(at, row)| {
        let line = line(view, row, at == setup.at, (name, notes));
        let hang = (name + 5).min(columns / 2);
        if whole { text::wrap(&line, columns.max(10), hang, Break::Words) } else { vec![line] }
    });
    let options: Vec<Vec<Line<'static>>> = options.collect();
    let wanted: usize = options.iter().map(Vec::len).sum();
    let typing = usize::from(setup.types());
    let mut rows = head(view, setup, columns, room.saturating_sub(wanted.min(FEW) + typing));
    let mut cursor = None;
    if setup.types() {
        let typed = text::line(&setup.typed);
        let fits = tail(&typed, columns.saturating_sub(5));
        rows.push(Line::from(vec![view.span("  › ", Role::Accent), view.span(fits.clone(), Role::Text)]));
        let x = area.x + 4 + u16::try_from(text::width(&fits)).unwrap_or_default();
        let y = area.y + u16::try_from(rows.len() - 1).unwrap_or_default();
        cursor = Some(Position { x: x.min(area.right().saturating_sub(1)), y: y.min(area.bottom().saturating_sub(1)) });
    }
    let left = room.saturating_sub(rows.len()).max(1);
    rows.extend(in_sight(view, &options, setup.at, left));
    for (at, row) in rows.iter().take(room.max(1)).enumerate() {
        put(buf, area, u16::try_from(at).unwrap_or(u16::MAX), row);
    }
    let from = height.saturating_sub(foot.len());
    for (at, row) in foot.iter().enumerate() {
        put(buf, area, u16::try_from(from + at).unwrap_or(u16::MAX), row);
    }
    cursor
}

/// Rows of what can be chosen that are worth more than what stands above the question.
const FEW: usize = 9;

/// What stands above what can be chosen, in so many rows: the question always, the rest as far as there is room.
fn head(view: View<'_>, setup: &Setup, columns: usize, room: usize) -> Vec<Line<'static>> {
    let welcome = if setup.again {
        "Who answers, and what runs unasked. Nothing is written before the last step."
    } else {
        "Welcome. A few questions, then you can begin; nothing is written before the last one."
    };
    let asked = if setup.stage == Stage::Address && setup.at_home() {
        format!("{} Empty means its usual place.", question(setup))
    } else {
        question(setup)
    };
    let blank = || vec![Line::default()];
    // In the order in which they stand, each with how soon it goes.
    let mut parts = vec![
        (3, vec![view.line("countersign", Role::Strong)]),
        (0, blank()),
        (2, wrapped(&view.line(welcome, Role::Text), columns)),
        (4, wrapped(&view.line(so_far(setup), Role::Dim), columns)),
        (1, blank()),
        (5, wrapped(&view.line(asked, Role::Accent), columns)),
    ];
    for goes in 0..5 {
        if parts.iter().map(|(_, rows)| rows.len()).sum::<usize>() <= room {
            break;
        }
        parts.retain(|(order, _)| *order != goes);
    }
    parts.into_iter().flat_map(|(_, rows)| rows).collect()
}

/// The rows of what can be chosen that are in sight, and how much there is above and below.
fn in_sight(view: View<'_>, options: &[Vec<Line<'static>>], at: usize, room: usize) -> Vec<Line<'static>> {
    let all: Vec<&Line<'static>> = options.iter().flatten().collect();
    if all.len() <= room {
        return all.into_iter().cloned().collect();
    }
    let room = room.saturating_sub(1).max(1);
    let before: usize = options.iter().take(at).map(Vec::len).sum();
    let tall = options.get(at).map_or(1, Vec::len);
    let first = before.saturating_sub(room.saturating_sub(tall) / 2).min(all.len() - room);
    let mut rows: Vec<Line<'static>> = all[first..first + room].iter().map(|row| (*row).clone()).collect();
    let (above, below) = (first, all.len() - room - first);
    let said = [(above, "↑"), (below, "↓")].into_iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = said.map(|(count, sign)| format!("{sign} {count} more")).collect();
    rows.push(view.line(format!("  {}", said.join(" · ")), Role::Dim));
    rows
}

/// The end of what is typed, as much as fits.
fn tail(typed: &str, columns: usize) -> String {
    let mut from = 0;
    while text::width(&typed[from..]) > columns {
        from = typed.ceil_char_boundary(from + 1);
    }
    typed[from..].to_owned()
}

fn wrapped(line: &Line<'static>, columns: usize) -> Vec<Line<'static>> {
    if line.width() == 0 { Vec::new() } else { text::wrap(line, columns.max(10), 0, Break::Words) }
}

/// What was chosen already; before anything was, what is configured.
fn so_far(setup: &Setup) -> String {
    let mut parts = Vec::new();
    if setup.stage == Stage::Provider {
        let Some(configured) = &setup.configured else { return String::new() };
        parts.extend(setup.offers.iter().find(|offer| offer.configured).map(|offer| text::line(&offer.name)));
        parts.extend([&configured.address, &configured.model].into_iter().flatten().map(|part| text::line(part)));
        parts.push(format!("mode {}", configured.mode.word()));
        return format!("Configured: {}", parts.join(" · "));
    }
    parts.push(text::line(&setup.name));
    parts.extend(setup.chosen.address.as_deref().map(text::line));
    if setup.stage == Stage::Mode {
        parts.extend(setup.chosen.model.as_deref().map(text::line));
    }
    format!("Chosen: {}", parts.join(" · "))
}

fn question(setup: &Setup) -> String {
    match setup.stage {
        Stage::Provider => "Who serves the model?".to_owned(),
        Stage::Address if setup.at_home() => "Where is the server?".to_owned(),
        Stage::Address => "Where is the server? It must speak OpenAI's format.".to_owned(),
        Stage::Key => match setup.lacks() {
            Some(variable) => format!("It needs a key, and {variable} isn't set. Where does the key come from?"),
            None => "Where does the key come from?".to_owned(),
        },
        Stage::KeyName => {
            let (what, example) = KEYS.get(setup.at.saturating_sub(1)).copied().unwrap_or(KEYS[0]);
            format!("Type {what}, such as {example}. Never the key itself.")
        }
        Stage::Model => "Which model?".to_owned(),
        Stage::Mode => "What may run unasked?".to_owned(),
    }
}

fn listed(setup: &Setup) -> Vec<Row> {
    let plain = |name: &str, note: &str| Row { name: name.to_owned(), note: note.to_owned(), good: false };
    match setup.stage {
        Stage::Provider => setup.offers.iter().map(offer).collect(),
        Stage::Address | Stage::KeyName => Vec::new(),
        Stage::Key => {
            let first = match setup.lacks() {
                Some(variable) => plain(&variable, "set it in your shell and start again"),
                None => plain("the usual way", "its usual variable, or no key"),
            };
            let others = KEYS.iter().map(|(what, example)| plain(what, &format!("that you name, such as {example}")));
            let mut rows: Vec<Row> = std::iter::once(first).chain(others).collect();
            if let Some(row) = setup.unchanged().and_then(|configured| rows.get_mut(configured.key.row())) {
                mark(&mut row.note);
            }
            rows
        }
        Stage::Model => {
            let configured = setup.unchanged().and_then(|configured| configured.model.as_deref());
            let note = |model| if Some(model) == configured { CONFIGURED } else { "" };
            setup.matching().into_iter().map(|model| plain(&text::line(model), note(model))).collect()
        }
        Stage::Mode => {
            let configured = setup.configured.as_ref().map(|configured| configured.mode);
            let row = |(mode, says): (ApprovalMode, &str)| {
                let mut row = plain(mode.word(), says);
                if Some(mode) == configured {
                    mark(&mut row.note);
                }
                row
            };
            setup.modes().into_iter().map(row).collect()
        }
    }
}

/// Says of a row that it is what the configuration names.
fn mark(note: &mut String) {
    *note = format!("{CONFIGURED} · {note}");
}

fn offer(offer: &Offer) -> Row {
    let mut note = text::line(&offer.note);
    if offer.configured {
        mark(&mut note);
    }
    Row { name: text::line(&offer.name), note, good: offer.found }
}

/// A row whose name and note have so many columns.
fn line(view: View<'_>, row: &Row, chosen: bool, (name, columns): (usize, usize)) -> Line<'static> {
    let mark = if chosen { "▸ " } else { "  " };
    let role = if chosen { Role::Accent } else { Role::Text };
    if row.note.is_empty() {
        return Line::from(vec![view.span(mark, Role::Accent), view.span(row.name.clone(), role)]);
    }
    let sign = if row.good { "✓ " } else { "  " };
    Line::from(vec![
        view.span(mark, Role::Accent),
        view.span(text::column(&row.name, name), role),
        Span::raw(" "),
        view.span(sign, Role::Good),
        view.span(text::fit(&row.note, columns).into_owned(), if row.good { Role::Text } else { Role::Dim }),
    ])
}

/// What is under way or came of it, above the keys.
fn foot(view: View<'_>, setup: &Setup, columns: usize) -> Vec<Line<'static>> {
    let mut rows: Vec<Line<'static>> =
        news(setup).into_iter().flat_map(|(said, role)| wrapped(&view.line(said, role), columns)).collect();
    rows.push(Line::default());
    rows
}

/// What is under way, what came of it, what the last key had to say.
fn news(setup: &Setup) -> Vec<(String, Role)> {
    let mut news = Vec::new();
    let place = setup.chosen.address.as_deref().map_or_else(|| text::line(&setup.name), text::line);
    match (setup.stage, &setup.models) {
        (Stage::Model, Fetched::Waits) => news.push((format!("asking {place} for its models …"), Role::Dim)),
        (Stage::Model, Fetched::Failed(why)) => {
            news.push((format!("✗ {}", text::line(why)), Role::Trouble));
            news.push(("Type a name all the same, or go back with ←.".to_owned(), Role::Text));
        }
        (Stage::Model, Fetched::Here(models)) if models.is_empty() => {
            news.push((format!("{place} lists no model. Load one there, or type a name."), Role::Medium));
        }
        _ => {}
    }
    match (setup.stage, &setup.trial) {
        (Stage::Mode, Fetched::Waits) => {
            news.push((format!("trying it: one short sentence to {place} …"), Role::Dim));
        }
        (Stage::Mode, Fetched::Here(said)) => news.push((format!("✓ {}", text::line(said)), Role::Good)),
        (Stage::Mode, Fetched::Failed(why)) => news.push((format!("✗ {}", text::line(why)), Role::Trouble)),
        _ => {}
    }
    news.extend(setup.hint.as_deref().map(|hint| (text::line(hint), Role::Medium)));
    news
}

fn bound(setup: &Setup) -> Vec<(String, String)> {
    let key = |key: &str, says: &str| (key.to_owned(), says.to_owned());
    let mut bound = Vec::new();
    if setup.rows() > 0 {
        bound.push(key("↑ ↓", "choose"));
    }
    bound.push(key("enter", if setup.stage == Stage::Mode { "write it and begin" } else { "take it" }));
    if setup.stage != Stage::Provider {
        bound.push(key("←", "back"));
    }
    bound.push(if setup.again {
        key("esc", "change nothing")
    } else {
        key("esc", "try the practice model, nothing is written")
    });
    bound
}

/// The question as lines, each row with its number.
pub fn lines(setup: &Setup) -> Vec<String> {
    let mut lines = Vec::new();
    if setup.stage == Stage::Provider && setup.configured.is_some() {
        lines.push(so_far(setup));
    }
    lines.push(question(setup));
    for (at, row) in listed(setup).iter().enumerate().take(40) {
        let note = if row.note.is_empty() { String::new() } else { format!(" – {}", row.note) };
        lines.push(format!("{}: {}{note}", at + 1, row.name));
    }
    lines.extend(news(setup).into_iter().map(|(said, _)| said));
    let home = setup.stage == Stage::Address && setup.at_home();
    if home && setup.typed.is_empty() {
        lines.push("an empty line takes its usual place".to_owned());
    } else if home {
        lines.push(format!("an empty line takes {}, `usual` its usual place", text::line(&setup.typed)));
    } else if setup.types() && !setup.typed.is_empty() {
        lines.push(format!("an empty line takes {}", text::line(&setup.typed)));
    } else if let Some(row) = listed(setup).get(setup.at).filter(|_| setup.configured.is_some()) {
        lines.push(format!("an empty line takes {}", row.name));
    }
    let back = if setup.stage == Stage::Provider { "" } else { ", back" };
    lines.push(match setup.rows() {
        0 => format!("type it{back} or skip"),
        _ if setup.types() => format!("type a number or a name{back} or skip"),
        _ => format!("type a number{back} or skip"),
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Chosen, KeyWay, Sort};

    #[test]
    fn what_is_configured_is_said_to_be_it() {
        let offer = |word: &str, found| Offer {
            word: word.to_owned(),
            name: word.to_owned(),
            note: "a note".to_owned(),
            found,
            place: String::new(),
            lacks: None,
            sort: Sort::Provider,
            configured: false,
        };
        let configured = Chosen {
            provider: "groq".to_owned(),
            address: Some("https://proxy.example".to_owned()),
            key: KeyWay::Usual,
            model: Some("small".to_owned()),
            mode: ApprovalMode::Strict,
        };
        let mut setup = Setup::new(vec![offer("openai", true), offer("groq", false)], true).already(configured);
        let told = lines(&setup);
        assert_eq!(told[0], "Configured: groq · https://proxy.example · small · mode strict");
        assert_eq!(told[2..4], ["1: groq – configured · a note", "2: openai – a note"]);
        assert!(told.contains(&"an empty line takes groq".to_owned()), "{told:?}");
        setup.stage = Stage::Mode;
        assert!(lines(&setup).iter().any(|line| line.starts_with("3: strict – configured · ")), "{:?}", lines(&setup));
    }
}
