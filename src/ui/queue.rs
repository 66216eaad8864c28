//! The operations: what waits, what runs, what is done. Rows are counted, and only the visible ones made, so
//! that a thousand operations scroll as easily as three.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::cache::{Anchor, Cache};
use super::item;
use super::number;
use super::paint::{View, put, tint};
use super::preview;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Item, Order, Pane, Sight, Status, Typing, Undo};
use crate::domain::{Judgement, OperationId, RiskLevel, Step, WOULD_FAIL};

/// Columns of the word for a tool.
const WORD: usize = 8;
/// Columns of the badge for production.
const PRODUCTION: usize = 4;
/// Fewest columns of a number, so that the tenth operation moves nothing.
const DIGITS: usize = 2;
/// Columns that what an operation would do keeps beside how it ended, and beside what it would do to what.
const LEAST: usize = 12;
const BESIDE: usize = 20;
/// Fewest columns of a reason that is cut.
const SAID: usize = 30;
/// Columns beside the word for a tool from which on there is room for it.
const ROOMY: usize = 32;
/// Columns that how it ended, and how long it took, have beside what is left of that.
const ENDED: usize = 23;

/// Columns that what it waits for, or would do, has beside a long text.
const MOST: usize = 34;
/// Columns between two parts of that.
const PARTED: usize = 3;
/// Most rows that what a waiting operation would do takes below it.
const TALL: usize = 3;

/// What the rows of a frame have in common.
#[derive(Clone, Copy)]
struct Columns {
    /// Columns of a number.
    digits: usize,
    /// Columns of a row.
    all: usize,
}

impl Columns {
    /// Where the second row of an operation begins, and its columns.
    fn second(self) -> (usize, usize) {
        let indent = 1 + self.digits + 2;
        (indent, self.all.saturating_sub(indent + 1).max(1))
    }
}

/// One row of the list.
enum Row<'a> {
    /// The head of a section, and whether it wants the person's eye.
    Section(String, bool),
    /// An operation's first row.
    First(&'a Item),
    /// Its second row, if it waits; where there is room for all that it says, which row of that.
    Second(&'a Item, Option<usize>),
}

/// Draws the list.
pub fn draw(view: View<'_>, area: Rect, buf: &mut Buffer, cache: &mut Cache, sight: &mut Sight) {
    let height = usize::from(area.height);
    sight.rows.queue = height;
    let columns = Columns {
        digits: view.state.queue.newest().map_or(0, |id| id.0).to_string().len().max(DIGITS),
        all: area.width.into(),
    };
    let rows = unfolded(view, rows(view), columns, height);
    if rows.is_empty() {
        let filtered = !view.state.queue.plan().filter().is_empty();
        let (first, second) = if filtered {
            ("Nothing fits the filter.", "Words of what it does, high, med, low, waiting, running, done, 1,3-5.")
        } else {
            ("Nothing waits.", "What waits for you, runs or is done stands here.")
        };
        put(buf, inside(area), 0, &view.line(first, Role::Strong));
        put(buf, inside(area), 1, &view.line(second, Role::Dim));
        return;
    }
    sight.limits.queue = rows.len().saturating_sub(height);
    let selected = view.state.queue.selected();
    let first = first_row(&rows, selected, height, cache);
    let focused = view.focused(Pane::Queue);
    for (at, row) in rows.iter().skip(first).take(height).enumerate() {
        let at = u16::try_from(at).unwrap_or(u16::MAX);
        let place = Rect { y: area.y + at, height: 1, ..area };
        match row {
            Row::Section(said, strong) => {
                let role = if *strong { Role::Strong } else { Role::Dim };
                put(buf, inside(area), at, &view.line(said.clone(), role));
            }
            Row::First(item) => {
                let chosen = selected == Some(item.id);
                put(buf, area, at, &first_line(view, item, chosen, columns));
                if chosen && focused {
                    tint(buf, place, view.theme.style(Role::Selection));
                }
                sight.queue_rows.push((place.y, item.id));
            }
            Row::Second(item, part) => {
                let line = match part {
                    Some(part) => second_lines(view, item, columns).swap_remove(*part),
                    None => second_line(view, item, columns),
                };
                put(buf, area, at, &line);
                if selected == Some(item.id) && focused {
                    tint(buf, place, view.theme.style(Role::Selection));
                }
                sight.queue_rows.push((place.y, item.id));
            }
        }
    }
}

fn inside(area: Rect) -> Rect {
    Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(1), ..area }
}

/// Whether there is one row for each, as on a narrow screen.
fn flat(view: View<'_>) -> bool {
    view.state.size.0 < super::WIDE
}

fn row(item: &Item, tall: bool) -> impl Iterator<Item = Row<'_>> {
    let second = (tall && item.status == Status::Waiting).then_some(Row::Second(item, None));
    std::iter::once(Row::First(item)).chain(second)
}

/// The rows with all that stands in the second ones, if the list has room for that.
fn unfolded<'a>(view: View<'_>, rows: Vec<Row<'a>>, columns: Columns, height: usize) -> Vec<Row<'a>> {
    if rows.len() >= height {
        return rows;
    }
    let tall = |row: &Row<'_>| match row {
        Row::Second(item, _) => second_lines(view, item, columns).len(),
        Row::Section(..) | Row::First(_) => 1,
    };
    let talls: Vec<usize> = rows.iter().map(tall).collect();
    if talls.iter().sum::<usize>() > height {
        return rows;
    }
    let parts = |(row, tall): (Row<'a>, usize)| match row {
        Row::Second(item, _) => (0..tall).map(|part| Row::Second(item, Some(part))).collect(),
        Row::Section(..) | Row::First(_) => vec![row],
    };
    rows.into_iter().zip(talls).flat_map(parts).collect()
}

fn rows(view: View<'_>) -> Vec<Row<'_>> {
    let queue = &view.state.queue;
    let listed = queue.listed();
    let tall = !flat(view);
    let mut rows = Vec::with_capacity(listed.len() * 2 + 3);
    let waits = |item: &&&Item| item.status == Status::Waiting;
    let waiting: Vec<&Item> = listed.iter().filter(waits).copied().collect();
    let done: Vec<&Item> = listed.iter().filter(|item| item.status.closed()).copied().collect();
    let running: Vec<&Item> = listed.iter().filter(|item| !waits(item) && !item.status.closed()).copied().collect();
    if waiting.len() + running.len() + done.len() == 0 {
        return rows;
    }
    let counted = |name: &str, count: usize| format!("{name} {}", number::thousands(count as u64));
    let all = queue.counts().0;
    // What the filter leaves out waits, too.
    let of = if all > waiting.len() { format!(" of {}", number::thousands(all as u64)) } else { String::new() };
    rows.push(Row::Section(counted("WAITING", waiting.len()) + &of, !waiting.is_empty()));
    rows.extend(waiting.into_iter().flat_map(|item| row(item, tall)));
    let behind = running.iter().filter(|item| behind(item)).count();
    let heads = [counted("RUNNING", running.len() - behind), counted("NEXT", behind)];
    let under_way = match (running.len() - behind, behind) {
        (0, _) => heads[1].clone(),
        (_, 0) => heads[0].clone(),
        _ => heads.join(" · "),
    };
    for (head, items) in [(under_way, running), (counted("DONE", done.len()), done)] {
        if !items.is_empty() {
            rows.push(Row::Section(head, false));
            rows.extend(items.into_iter().map(Row::First));
        }
    }
    rows
}

/// The first visible row. The selected operation stays on the screen row it was on; a list that was seen from its
/// start is still seen from there, so that nothing new pushes what waits out of sight; and where another one is
/// selected or it went to another section, the list moves no more than it must.
fn first_row(rows: &[Row<'_>], selected: Option<OperationId>, height: usize, cache: &mut Cache) -> usize {
    let last = rows.len().saturating_sub(height);
    let at = rows.iter().position(|row| matches!(row, Row::First(item) if Some(item.id) == selected));
    let (Some(id), Some(at)) = (selected, at) else {
        cache.anchor = None;
        return 0;
    };
    let tall = if matches!(rows.get(at + 1), Some(Row::Second(..))) { 2 } else { 1 };
    // Above the first operation stands its section.
    let headed = matches!(at.checked_sub(1).and_then(|above| rows.get(above)), Some(Row::Section(..)));
    let head = usize::from(headed && height > tall);
    // Where the list may begin so that all of it is seen.
    let (from, to) = ((at + tall).saturating_sub(height), at - head);
    let closed = matches!(rows[at], Row::First(item) if item.status.closed());
    let wanted = match cache.anchor {
        None | Some(Anchor { first: 0, .. }) => 0,
        Some(old) if (old.id, old.closed) == (id, closed) => at.saturating_sub(old.offset),
        Some(old) => old.first,
    };
    let first = wanted.clamp(from.min(to), to).min(last);
    cache.anchor = Some(Anchor { id, closed, first, offset: at - first });
    first
}

/// Whether it doesn't run yet: it is being read, or is allowed and waits for one before it.
fn behind(item: &Item) -> bool {
    matches!(item.status, Status::Preparing | Status::Allowed { starting: false })
}

/// How it ended in so many columns, of which so many are `free` beside all of what it was. Where there is little room, that
/// it can be undone is told in a word, then not at all, then the end of its words goes.
fn ended(fate: &item::Fate, undoable: bool, (room, free): (usize, usize)) -> String {
    // A reason to have denied it is told where there is room beside what it was; a long one gives way to that.
    let most = free.saturating_sub(2).max(room / 2);
    let says = if text::width(&fate.says) > most && most < SAID {
        fate.brief.as_str().into()
    } else {
        text::fit(&fate.says, most)
    };
    // `created` says how it ended; how much that was is told where there is room.
    let succeeded = fate.role == Role::Good;
    let short = fate.brief.split(", ").next().filter(|_| succeeded).unwrap_or(&fate.brief);
    let (full, short) = (format!("{} {says}", fate.mark), format!("{} {short}", fate.mark));
    let undo = if undoable { "undo  " } else { "" };
    let mut ways = Vec::new();
    if fate.time.is_empty() {
        ways.extend([format!("{undo}{full}"), format!("{undo}{short}"), full, short]);
    } else {
        let time = &fate.time;
        ways.extend(undoable.then(|| format!("can be undone  {full}  {time:>6}")));
        for undo in [undo, ""] {
            for brief in [&full, &short] {
                ways.extend([format!("{undo}{brief}  {time:>6}"), format!("{undo}{brief}  {time}")]);
            }
        }
    }
    if let Some(fits) = ways.into_iter().find(|said| text::width(said) <= room) {
        return fits;
    }
    let time = if fate.time.is_empty() { String::new() } else { format!("  {}", fate.time) };
    format!("{} {}{time}", fate.mark, text::fit(&fate.brief, room.saturating_sub(2 + text::width(&time))))
}

/// `▸ 1  H HIGH  sql      DELETE FROM orders WHERE …`
fn first_line(view: View<'_>, item: &Item, selected: bool, columns: Columns) -> Line<'static> {
    let Columns { digits, all: columns } = columns;
    let marker = if selected { "▸" } else { " " };
    let mark = if view.state.queue.plan().marks(item.id) { '•' } else { ' ' };
    let id = format!("{:>digits$}{mark} ", item.id.0);
    let fate = item::fate(view, item);
    let production = item::hits_production(item);
    let badge = if production { PRODUCTION + 2 } else { 0 };
    let used = 1 + digits + 2 + 6 + 2;
    let wide = columns > used + WORD + ROOMY;
    let used = used + badge + if wide { WORD + 1 } else { 0 };
    let gist = item::gist(&view.state.masks, item);
    let end = match &item.status {
        Status::Waiting => {
            let room = columns.saturating_sub(used + 3);
            // What a short text leaves free is its own.
            waits(view, item, room.saturating_sub(BESIDE).min(MOST).max(room.saturating_sub(text::width(&gist))))
        }
        Status::Running { .. } => format!("{}  {}", fate.time, fate.mark),
        Status::Preparing | Status::Allowed { .. } => fate.says.clone(),
        Status::Ended { .. } | Status::Denied { .. } | Status::Refused { .. } => {
            let beside = |gist: usize| columns.saturating_sub(used + gist + 3);
            // How it ended, and how long it took, stay where there is little room.
            let room = beside(text::width(&gist).min(LEAST)).max(beside(0).min(ENDED));
            ended(&fate, matches!(item.undo, Undo::Possible(_)), (room, beside(text::width(&gist))))
        }
    };
    let quiet = behind(item) || item.status.closed() && fate.role != Role::Trouble;
    let role = if quiet { Role::Dim } else { Role::Text };
    let mut spans = vec![
        view.span(marker, Role::Accent),
        view.span(id, Role::Strong),
        item::badge_span(view, item),
        Span::raw("  "),
    ];
    if wide {
        spans.push(view.span(format!("{} ", text::column(&text::line(item.word()), WORD)), Role::Dim));
    }
    if let Some(badge) = item::production_span(view, item) {
        spans.extend([badge, Span::raw("  ")]);
    }
    let end_width = if end.is_empty() { 0 } else { text::width(&end) + 2 };
    let room = columns.saturating_sub(used + end_width + 1);
    spans.push(view.span(text::column(&gist, room), role));
    if !end.is_empty() {
        let end_role = match fate.role {
            _ if preview::fails(view, item.id) => Role::Trouble,
            Role::Trouble | Role::Good | Role::Accent => fate.role,
            _ => Role::Dim,
        };
        spans.push(view.span(format!("  {end}"), end_role));
    }
    Line::from(spans)
}

/// What a waiting operation waits for beside the person; on a narrow screen, which has no second row, before that what
/// it would do, to what and why it asks, as many parts of that as there is room for.
fn waits(view: View<'_>, item: &Item, room: usize) -> String {
    let before = view.state.queue.waits_for(item.id).map(|id| format!("after {id}"));
    // Of what surely fails nothing else matters.
    if preview::fails(view, item.id) {
        return std::iter::once(WOULD_FAIL.to_owned()).chain(before).collect::<Vec<_>>().join(" · ");
    }
    if !flat(view) {
        return before.unwrap_or_default();
    }
    let left = room.saturating_sub(before.as_ref().map_or(0, |before| text::width(before) + PARTED));
    let hidden = |said: String| item.prepared.as_ref().map_or(said.clone(), |prepared| prepared.hidden(&said));
    let effect = view.state.queue.foresight(item.id).and_then(preview::brief);
    let target =
        item.prepared.as_ref().map(|prepared| item::brief_target(prepared)).filter(|target| !target.is_empty());
    let mut told: Vec<&str> = Vec::new();
    let known: Vec<String> = [
        item.requeued.as_ref().map(|_| "back again".to_owned()),
        effect,
        view.state.queue.lacks(item.id).map(|lack| item::lacks(&lack)),
        target,
        item.judgement.as_ref().map(reason),
    ]
    .into_iter()
    .flatten()
    .map(hidden)
    .collect();
    let mut used = 0;
    for part in known.iter().flat_map(|part| part.split(" · ")) {
        let wide = text::width(part) + if told.is_empty() { 0 } else { PARTED };
        if used + wide > left {
            break;
        }
        told.push(part);
        used += wide;
    }
    let first = known.first().filter(|_| told.is_empty() && left >= LEAST).map(|part| text::fit(part, left));
    told.extend(first.as_deref());
    told.extend(before.as_deref());
    told.join(" · ")
}

/// What a waiting operation acts on, what it would do there, or why it asks: `practice.db · 12 of 340 rows · can be
/// undone`, `no rule covers make · asks by default`. What it acts on takes no more than so many columns.
fn second(view: View<'_>, item: &Item, most: usize) -> String {
    let mut parts = Vec::new();
    parts.extend(item.requeued.as_ref().map(|_| "back again".to_owned()));
    let target =
        item.prepared.as_ref().map(|prepared| item::brief_target(prepared)).filter(|target| !target.is_empty());
    parts.extend(target.map(|target| text::middle(&target, most).into_owned()));
    let effect = view.state.queue.foresight(item.id).and_then(preview::brief);
    parts.extend(effect.filter(|_| !preview::fails(view, item.id)));
    parts.extend(view.state.queue.lacks(item.id).map(|lack| item::lacks(&lack)));
    parts.extend(item.requeued.as_ref().map(|why| text::line(why.trim_end_matches('.'))));
    parts.extend(item.judgement.as_ref().map(reason));
    let said = parts.join(" · ");
    item.prepared.as_ref().map_or(said.clone(), |prepared| prepared.hidden(&said))
}

/// That in one row: what it acts on gives way where there isn't room for all.
fn second_line(view: View<'_>, item: &Item, columns: Columns) -> Line<'static> {
    let (indent, room) = columns.second();
    let whole = second(view, item, room);
    let said = if text::width(&whole) > room { second(view, item, columns.all / 2) } else { whole };
    view.line(format!("{}{}", " ".repeat(indent), text::fit(&said, room)), weight(view, item))
}

/// What meets most of its table, or is high and can't be undone, stands out among what is as high and small.
fn weight(view: View<'_>, item: &Item) -> Role {
    let foresight = view.state.queue.foresight(item.id);
    let high = item.judgement.as_ref().is_some_and(|judgement| judgement.risk == RiskLevel::High);
    let kind = item.prepared.as_ref().map(|prepared| &prepared.operation.kind);
    let lasting = high && kind.is_some_and(|kind| preview::lasting(kind, foresight));
    if lasting || preview::most(foresight) { Role::Trouble } else { Role::Dim }
}

/// The same in as many rows as it takes, up to a few.
fn second_lines(view: View<'_>, item: &Item, columns: Columns) -> Vec<Line<'static>> {
    let (indent, room) = columns.second();
    let said = text::fit(&second(view, item, room), room * TALL).into_owned();
    let role = weight(view, item);
    let mut lines = text::wrap(&view.line(said, role), room, 0, Break::Words);
    if lines.len() > TALL {
        lines.truncate(TALL);
        let end = lines.pop().map(|end| text::fit(&format!("{end} …"), room).into_owned());
        lines.extend(end.map(|end| view.line(end, role)));
    }
    for line in &mut lines {
        line.spans.insert(0, Span::raw(" ".repeat(indent)));
    }
    lines
}

/// Why it asks, as a part of a row.
fn reason(judgement: &Judgement) -> String {
    let sentence = text::line(judgement.reason.trim_end_matches('.'));
    // A name at the beginning keeps its letters.
    let mut letters = sentence.chars();
    let plain = |rest: &str| rest.chars().next().is_none_or(|next| !next.is_uppercase());
    let said = match letters.next() {
        Some(first) if plain(letters.as_str()) => first.to_lowercase().chain(letters).collect(),
        Some(_) | None => sentence.clone(),
    };
    if judgement.step == Step::Default { format!("{said} · asks by default") } else { said }
}

/// `OPERATIONS  by risk · /orders high · 3 marked`: the list says what it leaves out.
pub fn title(view: View<'_>) -> String {
    let plan = view.state.queue.plan();
    let mut parts = Vec::new();
    if plan.order() != Order::State {
        parts.push(plan.order().word().to_owned());
    }
    let filter = text::line(plan.filter());
    match plan.typing() {
        Some(Typing::Filter) => parts.push(format!("/{filter}▏")),
        Some(Typing::Pick(_)) | None if filter.is_empty() => {}
        Some(Typing::Pick(_)) | None => parts.push(format!("/{filter}")),
    }
    if let Some(Typing::Pick(typed)) = plan.typing() {
        parts.push(format!("mark {}▏", text::line(typed)));
    }
    let marked = view.state.queue.marked().count();
    if marked > 0 {
        parts.push(format!("{marked} marked"));
    }
    if parts.is_empty() { "OPERATIONS".to_owned() } else { format!("OPERATIONS  {}", parts.join(" · ")) }
}

/// `2 waiting: 1 HIGH · 1 MED`, for screens without room for the list.
pub fn summary(view: View<'_>) -> Line<'static> {
    use crate::domain::RiskLevel;
    let count = |level| {
        let of = |item: &&Item| item.judgement.as_ref().is_some_and(|judgement| judgement.risk == level);
        view.state.queue.waiting().filter(of).count()
    };
    let (waiting, _) = view.state.queue.counts();
    if waiting == 0 {
        return view.line(" nothing waits ", Role::Dim);
    }
    let mut line = view.line(format!(" {waiting} waiting: "), Role::Strong);
    let mut first = true;
    for (level, word) in [(RiskLevel::High, "HIGH"), (RiskLevel::Medium, "MED"), (RiskLevel::Low, "low")] {
        let count = count(level);
        if count > 0 {
            if !first {
                line.push_span(view.span(" · ", Role::Dim));
            }
            first = false;
            line.push_span(view.span(format!("{count} {word}"), item::risk_role(level)));
        }
    }
    line.push_span(Span::raw(" "));
    line
}
