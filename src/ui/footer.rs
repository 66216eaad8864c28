//! The bottom of the screen: the composer, and one row that says which keys do what here.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::paint::{GAP, View, keys, named, put};
use super::text::{self, Break};
use super::theme::Role;
use super::typing::Rows;
use crate::app::{Command, Context, Modal, Pane, Shape, Sight, Typing};

/// Columns of the prompt.
const PROMPT: u16 = 3;
/// Most rows that the composer takes.
const MOST: u16 = 6;

/// How many rows the composer wants on a screen of this size.
pub fn wanted(view: View<'_>, screen: Rect) -> u16 {
    let most = MOST.min(screen.height / 4).max(1);
    let rows = Rows::new(
        view,
        view.state.composer.area(),
        Break::Words,
        usize::from(screen.width.saturating_sub(PROMPT + 1)),
        most.into(),
    );
    u16::try_from(rows.len()).unwrap_or(most).clamp(1, most)
}

/// Draws the composer; says where the cursor belongs, if keys go there.
pub fn composer(view: View<'_>, area: Rect, buf: &mut Buffer) -> Option<Position> {
    let focused = view.focused(Pane::Composer);
    put(buf, area, 0, &view.line(" › ", if focused { Role::Accent } else { Role::Dim }));
    let width = area.width.saturating_sub(PROMPT + 1);
    let room = Rect { x: area.x + PROMPT.min(area.width), width, ..area };
    if view.state.composer.is_empty() {
        let said = match &view.state.modal {
            Some(Modal::Confirm(_)) => "what you type comes here; a key by itself decides above",
            Some(Modal::Edit(_) | Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => {
                "type a message · ! command · / for commands"
            }
        };
        put(buf, room, 0, &view.line(said, Role::Dim));
    }
    let rows = Rows::new(view, view.state.composer.area(), Break::Words, width.into(), area.height.into());
    let cursor = rows.draw(room, buf);
    focused.then_some(cursor)
}

/// Draws the hint of the last key, or the keys that work here.
pub fn hints(view: View<'_>, area: Rect, buf: &mut Buffer, sight: &mut Sight) {
    let room = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(2), ..area };
    if let Some(hint) = &view.state.hint {
        put(buf, room, 0, &view.line(text::fit(&text::line(hint), room.width.into()), Role::Accent));
        return;
    }
    let context = view.state.context();
    if let (Context::Queue, Some(typing)) = (context, view.state.queue.plan().typing()) {
        let (word, typed, said) = match typing {
            Typing::Filter => (
                "filter",
                view.state.queue.plan().filter(),
                "words · high med low · waiting running done denied · 1,3-5 · esc clears it",
            ),
            Typing::Pick(typed) => {
                ("mark", typed.as_str(), "numbers and ranges, such as 1,3-5 · enter marks them · esc back")
            }
        };
        let mut line = view.line(format!("{word} {}▏  ", text::line(typed)), Role::Accent);
        let left = usize::from(room.width).saturating_sub(line.width());
        line.push_span(view.span(text::fit(said, left), Role::Dim));
        put(buf, room, 0, &line);
        return;
    }
    let marked = view.state.queue.marked().next().is_some();
    let counts = |(command, ..): &Entry| {
        // Both keys that deny mean those that are marked then: one is named.
        context != Context::Queue || view.state.counts(*command) && !(marked && *command == Command::DenyAll)
    };
    let live = matches!(view.state.modal, None | Some(Modal::Page { .. }));
    let (help, others): (Vec<Entry>, Vec<Entry>) =
        commands(view, context).into_iter().filter(counts).partition(|(command, ..)| *command == Command::Help);
    let bind =
        |entries: Vec<Entry>| entries.into_iter().filter_map(|entry| bind(view, context, entry)).collect::<Vec<_>>();
    let mut bound = bind(others);
    bound.splice(0..0, into_terminal(view, context).filter(|_| live));
    let lines = with_last(view, &bound, &bind(help), room.width.into(), live);
    put(buf, room, 0, lines.first().unwrap_or(&Line::default()));
    if live {
        sight.keys = named(&lines, room);
    }
}

/// A row of keys, as many as fit before the last ones, which tell where the others stand.
fn with_last(view: View<'_>, bound: &[Key], last: &[Key], columns: usize, live: bool) -> Vec<Line<'static>> {
    let wide = |(key, says): &Key| text::width(key) + 1 + text::width(says) + GAP;
    let mut left = (columns + GAP).saturating_sub(last.iter().map(wide).sum());
    let fits = bound.iter().take_while(|entry| {
        let fits = wide(entry) <= left;
        left = left.saturating_sub(wide(entry));
        fits
    });
    keys(view, &fits.chain(last).cloned().collect::<Vec<_>>(), columns, 1, live)
}

/// How one gets from here into the terminal that is shown, where a program runs in one.
fn into_terminal(view: View<'_>, context: Context) -> Option<Key> {
    let elsewhere = matches!(context, Context::Composer | Context::Queue | Context::Chat);
    let (id, _) = view.state.terminal().filter(|_| elsewhere)?;
    let keymap = &view.state.keymap;
    let there = keymap.key(Context::Everywhere, Command::FocusOutput)?;
    let types = keymap.key(Context::Output, Command::TypeInto)?;
    Some((format!("{there} {types}"), format!("type into {id}")))
}

/// A key and what it does.
type Key = (String, String);
/// One command, or two that belong together, and what they do.
type Entry = (Command, Option<Command>, &'static str);

fn bind(view: View<'_>, context: Context, (one, other, says): Entry) -> Option<Key> {
    let (key, says) = view.key(context, one, says)?;
    let second = other.and_then(|other| view.state.keymap.key(context, other));
    Some((second.map_or(key.clone(), |second| format!("{key} {second}")), says))
}

/// Whether a chart is shown: whether it scrolls, and whether another column could be drawn.
fn charted(view: View<'_>) -> Option<(bool, bool)> {
    let printout = view.state.output.printout().filter(|printout| printout.grid.shape != Shape::Rows)?;
    let table = printout.table.as_ref()?;
    let grid = &printout.grid;
    let scrolls = grid.shape == Shape::Bar && grid.len(table) > view.state.sight.rows.output;
    Some((scrolls, grid.values(table).len() > 1))
}

/// What is worth knowing here, the most useful first.
fn commands(view: View<'_>, context: Context) -> Vec<Entry> {
    let mut commands = usual(view, context);
    let finds = &view.state.finds;
    let sought = match context {
        Context::Chat if matches!(view.state.modal, Some(Modal::Page { .. })) => &finds.page,
        Context::Chat => &finds.chat,
        Context::Output => &finds.output,
        _ => return commands,
    };
    if !sought.text.is_empty() {
        commands.insert(0, (Command::FindNext, Some(Command::FindPrevious), "next, earlier match"));
    }
    commands
}

fn usual(view: View<'_>, context: Context) -> Vec<Entry> {
    let one = |command, says| (command, None, says);
    let scroll = (Command::LineUp, Some(Command::LineDown), "scroll");
    // What is meant where all in the list are spoken of.
    let (deny_these, approve_these) = match (view.state.queue.marked().next(), view.state.queue.plan().filter()) {
        (Some(_), _) => ("deny marked", "approve marked"),
        (None, "") => ("deny all", "approve all"),
        (None, _) => ("deny shown", "approve shown"),
    };
    let marked = view.state.queue.marked().next().is_some();
    let shown = view.state.output.shown().and_then(|id| view.state.queue.get(id));
    let ended = shown.is_none_or(|item| item.status.closed());
    match context {
        Context::Composer | Context::Everywhere => {
            let mut commands = Vec::new();
            if view.state.paused().is_some() && view.state.composer.is_empty() {
                commands.extend([one(Command::Send, "go on"), one(Command::Back, "stop")]);
            }
            if view.state.chat.question().is_some_and(|question| question.choices.is_empty()) {
                commands.extend([one(Command::AnswerYes, "yes"), one(Command::AnswerNo, "no")]);
            }
            if view.state.paused().is_none() || !view.state.composer.is_empty() {
                let own = view.state.composer.acts();
                commands.push(one(Command::Send, if own { "run it, the model reads the result" } else { "send" }));
            }
            commands.extend(view.state.moving().then_some(one(Command::Back, "stop")));
            let tab = if view.state.composer.runs() { "complete a path" } else { "pane" };
            commands.extend([
                one(Command::NextPane, tab),
                one(Command::FocusQueue, "operations"),
                one(Command::Help, "keys"),
                one(Command::Palette, "commands"),
                one(Command::Quit, "leave"),
                one(Command::Newline, "new line"),
            ]);
            // Where the first screen has room for one of them: it lists the commands by itself, not how to leave.
            if view.state.size.0 < super::WIDE && view.state.queue.newest().is_none() {
                commands.retain(|(command, ..)| *command != Command::Palette);
            }
            commands
        }
        Context::Chat if matches!(view.state.modal, Some(Modal::Page { .. })) => vec![
            scroll,
            (Command::PageUp, Some(Command::PageDown), "a page"),
            (Command::ToStart, Some(Command::ToEnd), "start, end"),
            one(Command::Find, "find"),
            one(Command::Back, "close"),
        ],
        Context::Chat => vec![
            one(Command::FocusComposer, "type"),
            one(Command::NextPane, "pane"),
            scroll,
            (Command::NextEntry, Some(Command::PreviousEntry), "choose"),
            (Command::PreviousTurn, Some(Command::NextTurn), "turn"),
            one(Command::Find, "find"),
            one(Command::Copy, "copy"),
            one(Command::ToEnd, "end"),
            one(Command::Help, "keys"),
        ],
        Context::Queue => vec![
            one(Command::Open, "open"),
            one(Command::Deny, if marked { "deny marked" } else { "deny" }),
            one(Command::ApproveAll, approve_these),
            one(Command::DenyAll, deny_these),
            one(Command::Edit, "edit"),
            one(Command::Details, "details"),
            one(Command::DenyWithReason, "with reason"),
            one(Command::Mark, "mark"),
            one(Command::ShowOutput, "output"),
            one(Command::Filter, "filter"),
            one(Command::Sort, "sort"),
            one(Command::CancelRun, "stop it"),
            one(Command::InTerminal, "in a terminal"),
            one(Command::Undo, "undo"),
            one(Command::NextPane, "pane"),
            one(Command::Help, "keys"),
            one(Command::RunAgain, "run again"),
        ],
        Context::Output if charted(view).is_some() => {
            let (scrolls, columns) = charted(view).unwrap_or_default();
            let mut commands = vec![one(Command::Chart, "next chart")];
            commands.extend(columns.then_some((Command::ColumnLeft, Some(Command::ColumnRight), "column")));
            commands.extend(scrolls.then_some(scroll));
            commands.extend([
                one(Command::Find, "filter"),
                one(Command::Copy, "copy"),
                one(Command::Save, "save"),
                (Command::PreviousOutput, Some(Command::NextOutput), "other output"),
                one(Command::Help, "keys"),
            ]);
            commands
        }
        Context::Output if view.state.output.printout().is_some_and(|printout| printout.table.is_some()) => vec![
            scroll,
            (Command::ColumnLeft, Some(Command::ColumnRight), "column"),
            one(Command::SortRows, "sort"),
            one(Command::Find, "filter"),
            one(Command::Chart, "chart"),
            one(Command::Copy, "copy"),
            one(Command::Save, "save"),
            one(Command::Separators, "thousands"),
            (Command::Wider, Some(Command::Narrower), "width"),
            (Command::PreviousOutput, Some(Command::NextOutput), "other output"),
            one(Command::Help, "keys"),
        ],
        Context::Output if view.state.terminal().is_some() => vec![
            one(Command::TypeInto, "type into its terminal"),
            one(Command::CancelRun, "stop it"),
            (Command::PreviousOutput, Some(Command::NextOutput), "other output"),
            one(Command::NextPane, "pane"),
            one(Command::Help, "keys"),
        ],
        Context::Output if !ended => vec![
            scroll,
            one(Command::Follow, "follow"),
            one(Command::CancelRun, "stop it"),
            (Command::PreviousOutput, Some(Command::NextOutput), "other output"),
            one(Command::Find, "find"),
            one(Command::Wrap, "wrap"),
            one(Command::Save, "save"),
            one(Command::Help, "keys"),
        ],
        Context::Output => vec![
            scroll,
            (Command::PreviousOutput, Some(Command::NextOutput), "other output"),
            one(Command::Find, "find"),
            (Command::ColumnLeft, Some(Command::ColumnRight), "sideways"),
            one(Command::Wrap, "wrap"),
            one(Command::Copy, "copy"),
            one(Command::Save, "save"),
            one(Command::Pager, "pager"),
            one(Command::ToEnd, "end"),
            one(Command::Help, "keys"),
        ],
        Context::Terminal => vec![one(Command::LeaveTerminal, "leave the terminal; every other key goes into it")],
        Context::Dialog | Context::Remember | Context::Editor | Context::Picker => Vec::new(),
    }
}
