//! What floats above the panes: the dialog about an operation, and help. A dialog shows the whole operation,
//! scrollable to its last byte, in a double frame; what others wrote stays behind a gutter inside it.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::body::{self, Body};
use super::bound;
use super::cache::Cache;
use super::derivation::why;
use super::editor;
use super::floating::{WIDEST, column, corner, frame, place, shown, title};
use super::item;
use super::listed::{all, list};
use super::number;
use super::paint::{View, named, put};
use super::picker;
use super::preview;
use super::reader;
use super::remember;
use super::text::{self, Break};
use super::theme::Role;
use super::typing::Rows;
use crate::app::{Asking, Command, Context, Dialog, Item, Modal, Numbers, Placing, Sight};
use crate::domain::{self, Detail, Foresight, OperationId, Origin, Prepared};

/// What floats above the panes in this frame.
pub enum Floating<'a> {
    /// The dialog about an operation, laid out.
    Confirm(Box<Laid<'a>>),
    /// Anything else.
    Other(&'a Modal),
}

impl Floating<'_> {
    /// The first row that a dialog takes. It is known before the panes are drawn, so that what the conversation ends
    /// with, as a rule why the model wants it, stays in sight above it.
    pub fn above(&self) -> Option<u16> {
        match self {
            Self::Confirm(laid) => Some(laid.area.y),
            Self::Other(_) => None,
        }
    }
}

/// Lays out what floats, if anything does, in `screen`.
pub fn lay_out<'a>(view: View<'a>, screen: Rect, cache: &mut Cache) -> Option<Floating<'a>> {
    match view.state.modal.as_ref()? {
        Modal::Confirm(dialog) => confirm(view, screen, cache, dialog).map(|laid| Floating::Confirm(Box::new(laid))),
        modal => Some(Floating::Other(modal)),
    }
}

/// Draws what floats; says where the cursor belongs.
pub fn draw(
    view: View<'_>,
    screen: Rect,
    buf: &mut Buffer,
    cache: &mut Cache,
    sight: &mut Sight,
    floating: &Floating<'_>,
) -> Option<Position> {
    match floating {
        Floating::Confirm(laid) => laid.draw(view, buf, sight),
        Floating::Other(Modal::Page { page, scroll }) => {
            reader::draw(view, screen, buf, cache, sight, (*page, *scroll))
        }
        Floating::Other(Modal::Edit(editor)) => Some(editor::draw(view, screen, buf, editor)),
        Floating::Other(Modal::Pick(picker)) => picker::draw(view, screen, buf, picker, sight),
        // The page of the first start is drawn instead of everything else.
        Floating::Other(Modal::Setup(_) | Modal::Confirm(_)) => None,
    }
}

/// Rows of what it does, and of why it asks, that come before the text has its half.
const FEW: usize = 2;
/// Rows of a dialog from which on the text is parted from what follows before that has all of its rows.
const SMALL: usize = 10;

/// Rows of samples, their heading among them, that are worth a place of their own.
const SAMPLES: usize = 5;

/// What a dialog is made of, from top to bottom.
struct Parts {
    /// One line about who asks and where.
    head: Vec<Line<'static>>,
    body: Body,
    /// How many rows the operation's text has: the dialog keeps its place while it shows something else.
    usual: usize,
    /// Why it asks.
    why: Vec<Line<'static>>,
    /// What it would do.
    effect: Vec<Line<'static>>,
    /// What the next key would do, or why the last one didn't count.
    hint: Line<'static>,
    keys: Vec<Line<'static>>,
}

/// A dialog with its place.
pub struct Laid<'a> {
    dialog: &'a Dialog,
    prepared: &'a Prepared,
    parts: Parts,
    area: Rect,
    /// Rows for a reason that is typed.
    reason: usize,
}

fn confirm<'a>(view: View<'a>, screen: Rect, cache: &mut Cache, dialog: &'a Dialog) -> Option<Laid<'a>> {
    let gate = view.state.queue.gate();
    let item = view.state.queue.get(dialog.id)?;
    let prepared = gate.prepared(dialog.id)?;
    // A frame that shows another seal than the dialog's would approve what nobody saw.
    gate.seal(dialog.id).filter(|seal| *seal == dialog.seal)?;
    let columns = usize::from(screen.width.min(WIDEST).saturating_sub(4)).max(1);
    let parts = parts(view, cache, dialog, item, prepared, columns);
    let reason = if matches!(dialog.asking, Asking::Reason(_)) { 3 } else { 0 };
    // A blank above and below the body, and a row for the hint.
    let others = parts.head.len() + parts.why.len() + parts.keys.len() + 3;
    let wanted = others + parts.effect.len() + parts.body.len().max(parts.usual) + reason;
    let late = dialog.placing == Placing::Late && reason == 0;
    let area = place(screen, others + preview::RESERVED + parts.usual, wanted, late);
    Some(Laid { dialog, prepared, parts, area, reason })
}

impl Laid<'_> {
    fn draw(&self, view: View<'_>, buf: &mut Buffer, sight: &mut Sight) -> Option<Position> {
        let Self { dialog, prepared, parts, area, reason } = self;
        let inside = frame(view, *area, buf, &title(view, dialog, prepared), &corner(view, dialog, prepared));
        let (scrolls, cursor) = lay(view, inside, buf, dialog, parts, *reason, sight);
        let Scrolls { skipped, rows, total } = scrolls;
        let first = first(dialog, total, rows);
        shown(view, buf, *area, first, rows, total);
        sight.rows.dialog = rows;
        sight.limits.dialog = total.saturating_sub(rows);
        let end = parts.body.end.is_some_and(|end| rows > 0 && skipped + first + rows >= end);
        sight.dialog = Some((dialog.seal, end));
        let seen = |end: &usize| (first + 1..=first + rows).contains(end);
        sight.ends = parts.body.ends.iter().filter(|(_, end)| skipped == 0 && seen(end)).map(|(id, _)| *id).collect();
        cursor
    }
}

/// The part of a dialog that scrolls.
struct Scrolls {
    /// Rows of the body that stand above it and don't scroll.
    skipped: usize,
    /// Its height.
    rows: usize,
    /// How many rows there are to scroll through.
    total: usize,
}

/// Draws the parts from the top; the body takes the room that the others leave. Gives back what of it scrolls.
fn lay(
    view: View<'_>,
    inside: Rect,
    buf: &mut Buffer,
    dialog: &Dialog,
    parts: &Parts,
    reason: usize,
    sight: &mut Sight,
) -> (Scrolls, Option<Position>) {
    let height = usize::from(inside.height);
    let mut left = height.saturating_sub(1);
    let mut take = |wanted: usize, most: usize| {
        let taken = wanted.min(most).min(left);
        left -= taken;
        taken
    };
    // The body is never without a row; keys come before reasons, reasons before blanks.
    let keys = take(parts.keys.len(), if height < 8 { 1 } else { 3 });
    let reason = take(reason, 3);
    let hint = take(1, 1);
    let head = take(parts.head.len(), usize::from(height >= 6));
    // The first rows of what it does, the first sentence of why it asks, which warns, then half of the dialog for the text, then all of
    // what it does, as that scrolls nowhere, then the rest. Samples of it come last.
    let (few, quarter) = ((height / 4).clamp(1, FEW), (height / 4).max(1));
    let text = parts.body.len() - parts.body.samples;
    let effect = take(parts.effect.len(), few);
    let why = take(parts.why.len(), lead(&parts.why).min(quarter));
    let body = 1 + take(text.saturating_sub(1), (height / 2).saturating_sub(1));
    let effect = effect + take(parts.effect.len() - effect, usize::MAX);
    let parted = take(1, usize::from(height >= SMALL));
    let why = why + take(parts.why.len() - why, quarter.saturating_sub(why));
    let body = body + take(text.saturating_sub(body), usize::MAX);
    let why = why + take(parts.why.len() - why, usize::MAX);
    let samples = take(parts.body.samples, usize::MAX);
    let (above, below) = (take(1, 1), parted + take(1 - parted, 1));
    // Where so little of them is seen that it says nothing, they scroll with the text.
    let apart = body == text && samples >= parts.body.samples.min(SAMPLES);
    let (body, samples) = if apart { (body, samples) } else { (body + samples, 0) };
    let scrolls = if samples > 0 {
        Scrolls { skipped: text, rows: samples, total: parts.body.samples }
    } else {
        Scrolls { skipped: 0, rows: body, total: parts.body.len() }
    };
    let mut rest = inside;
    let mut next = |rows: usize| {
        let rows = u16::try_from(rows).unwrap_or(u16::MAX).min(rest.height);
        let part = Rect { height: rows, ..rest };
        rest = Rect { y: rest.y + rows, height: rest.height - rows, ..rest };
        part
    };
    column(buf, next(head), &parts.head);
    next(above);
    let first = first(dialog, scrolls.total, scrolls.rows);
    let mut rows = |place: Rect, from: usize| {
        (0..place.height).zip(parts.body.from(from)).for_each(|(row, line)| put(buf, place, row, line));
    };
    rows(next(body.min(parts.body.len().max(1))), if samples > 0 { 0 } else { first });
    next(below);
    let sentences = (next(why), next(effect));
    rows(next(samples), scrolls.skipped + first);
    reasons(view, sentences.0, buf, dialog, &parts.why);
    effects(view, sentences.1, buf, &parts.effect);
    let cursor = typed_reason(view, next(reason), buf, dialog);
    column(buf, next(hint), std::slice::from_ref(&parts.hint));
    let keys = next(keys);
    column(buf, keys, &parts.keys);
    sight.keys = named(&parts.keys, keys);
    (scrolls, cursor)
}

/// Rows of the first sentence.
fn lead(sentences: &[Line<'static>]) -> usize {
    let ends = |row: &Line<'static>| row.to_string().trim_end().ends_with('.');
    sentences.iter().position(ends).map_or(sentences.len(), |at| at + 1)
}

/// The first row of the body in sight. Of a rule that is made, the part that is chosen always is.
fn first(dialog: &Dialog, rows: usize, height: usize) -> usize {
    let first = dialog.scroll.first(rows, height);
    match &dialog.asking {
        Asking::Remember(remembering) => {
            let chosen = remember::HEAD + remembering.row;
            first.clamp((chosen + 1).saturating_sub(height.max(1)), chosen)
        }
        Asking::Choice | Asking::Confirm { .. } | Asking::Reason(_) | Asking::All { .. } | Asking::Pick { .. } => first,
    }
}

/// Draws what it would do. Where there is no room for all of it, the last row says whether it could be undone, and
/// how much is left out.
fn effects(view: View<'_>, place: Rect, buf: &mut Buffer, lines: &[Line<'static>]) {
    let left = lines.len().saturating_sub(place.height.into());
    let Some(last) = place.height.checked_sub(1).filter(|_| left > 0) else {
        column(buf, place, lines);
        return;
    };
    let at = preview::undo_row(lines).filter(|at| last > 0 && *at > usize::from(last)).unwrap_or(last.into());
    column(buf, Rect { height: last, ..place }, lines);
    cut(view, place, buf, &lines[at], &format!("… {} more", number::count(left, "line")));
}

/// Draws why it asks; the last row says what there was no room for.
fn reasons(view: View<'_>, place: Rect, buf: &mut Buffer, dialog: &Dialog, why: &[Line<'static>]) {
    let left = why.len().saturating_sub(place.height.into());
    let Some(last) = place.height.checked_sub(1).filter(|_| left > 0) else {
        column(buf, place, why);
        return;
    };
    let key = view.key(Context::Dialog, Command::Derivation, "").filter(|_| !dialog.derivation);
    let see = key.map_or_else(String::new, |(key, _)| format!(", see {key}"));
    column(buf, Rect { height: last, ..place }, why);
    cut(view, place, buf, &why[usize::from(last)], &format!("… {} more{see}", number::count(left, "line")));
}

/// Draws a line on the last row of a place, with a note at its right; cut between words, so that the note stands
/// beside them and not on one, unless a quarter of the room stayed empty then, as before a long path.
fn cut(view: View<'_>, place: Rect, buf: &mut Buffer, line: &Line<'static>, note: &str) {
    let last = place.height - 1;
    let taken = super::paint::put_right(buf, place, last, &view.line(note, Role::Dim));
    let room = place.width.saturating_sub(taken + 1);
    let first = |how| text::wrap(line, room.into(), 0, how).into_iter().next();
    let row = first(Break::Words).filter(|row| 4 * row.width() >= 3 * usize::from(room) || row.width() == line.width());
    if let Some(row) = row.or_else(|| first(Break::Anywhere)) {
        put(buf, Rect { width: room, ..place }, last, &row);
    }
}

fn typed_reason(view: View<'_>, place: Rect, buf: &mut Buffer, dialog: &Dialog) -> Option<Position> {
    let Asking::Reason(area) = &dialog.asking else { return None };
    if place.height == 0 {
        return None;
    }
    put(buf, place, 0, &view.line("Why do you deny it? The model reads this.", Role::Strong));
    let used = u16::from(place.height > 1);
    let room = Rect { y: place.y + used, height: place.height - used, ..place };
    put(buf, room, 0, &view.line("› ", Role::Accent));
    let room = Rect { x: room.x + 2.min(room.width), width: room.width.saturating_sub(2), ..room };
    Some(Rows::new(view, area, Break::Words, room.width.into(), room.height.into()).draw(room, buf))
}

fn parts(
    view: View<'_>,
    cache: &mut Cache,
    dialog: &Dialog,
    item: &Item,
    prepared: &Prepared,
    columns: usize,
) -> Parts {
    let live = dialog.live(view.state.now);
    let judgement = view.state.queue.gate().judgement(dialog.id);
    let why = || judgement.map_or_else(Vec::new, |judgement| why(view, item, prepared, judgement, columns));
    let text = body::operation(view, cache, dialog, prepared, columns);
    let usual = text.len();
    let foresight = view.state.queue.foresight(dialog.id);
    let effect = || {
        let mut lines = preview::tried(view, dialog.id, columns);
        lines.extend(preview::rows(view, prepared, foresight, dialog.placing, columns));
        lines
    };
    let (body, why, effect) = match &dialog.asking {
        Asking::All { listed, high, reach } => {
            let ids: Vec<OperationId> = listed.iter().map(|(id, _)| *id).collect();
            let (lines, ends) = list(view, &ids, high, None, columns);
            let end = Some(lines.len());
            // What a yes to the list reaches is said before all of it is listed.
            (Body { ends, ..Body::of(lines, end) }, Vec::new(), all(view, listed, high, *reach, columns))
        }
        Asking::Pick { typed } => {
            let ids: Vec<OperationId> = view.state.queue.waiting().map(|item| item.id).collect();
            let (lines, _) = list(view, &ids, &[], Numbers::parse(typed).as_ref(), columns);
            (Body::of(lines, None), Vec::new(), Vec::new())
        }
        Asking::Remember(remembering) => {
            let lines = remember::body(view, remembering, columns);
            (Body::of(lines, None), Vec::new(), remember::effect(view, remembering, columns))
        }
        Asking::Choice | Asking::Confirm { .. } | Asking::Reason(_) => {
            let derived = judgement.filter(|_| dialog.derivation);
            let body =
                match derived.and_then(|judgement| body::derived(view, cache, dialog, prepared, judgement, columns)) {
                    Some(rows) => Body { parts: vec![rows], ..Body::default() },
                    None => body::whole(view, cache, dialog, prepared, text, columns),
                };
            (body, why(), effect())
        }
    };
    let keys = bound::rows(view, dialog, columns, live);
    Parts {
        head: vec![head(view, dialog, item, prepared, columns)],
        body,
        usual,
        why,
        effect,
        hint: hint(view, dialog, columns),
        keys,
    }
}

/// `sql   practice.db (sqlite)   asked by practice, turn 3`
fn head(view: View<'_>, dialog: &Dialog, item: &Item, prepared: &Prepared, columns: usize) -> Line<'static> {
    let listed = match &dialog.asking {
        Asking::All { listed, .. } => Some(listed.len()),
        Asking::Pick { .. } => Some(view.state.queue.counts().0),
        Asking::Choice | Asking::Confirm { .. } | Asking::Reason(_) | Asking::Remember(_) => None,
    };
    if let Some(count) = listed {
        let waits = if count == 1 { "waits" } else { "wait" };
        return view.line(format!("{} {waits}.", number::count(count, "operation")), Role::Strong);
    }
    let who = match &item.origin {
        Origin::Person | Origin::Beside { .. } => "asked by you".to_owned(),
        Origin::Program { after, .. } => format!("offered by the program after {after}"),
        Origin::Again { after, .. } => format!("asked by you, {after} again"),
        Origin::Edited { what, .. } => format!("{} by you", what.done()),
        Origin::Model { .. } => {
            let model = &view.state.setting.model;
            let name = if view.state.setting.practice || model.is_empty() {
                "the model".to_owned()
            } else {
                text::line(model)
            };
            format!("asked by {name}, turn {}", item.turn.0)
        }
    };
    let word = text::line(item.word());
    let target = item::target(prepared);
    let behind = view.state.queue.waits_for(item.id);
    let behind = behind.map(|before| format!("starts after {before} (order only)")).unwrap_or_default();
    let taken = if behind.is_empty() { 0 } else { text::width(&behind) + 3 };
    // What it acts on is worth more room than the name of a model, or than the turn.
    let fits = |who: &str| text::width(&word) + text::width(&target) + text::width(who) + 6 + taken <= columns;
    let who = match &item.origin {
        Origin::Model { .. } if !fits(&who) => {
            let shorter = format!("asked by the model, turn {}", item.turn.0);
            if fits(&shorter) { shorter } else { "asked by the model".to_owned() }
        }
        _ => who,
    };
    let room = columns.saturating_sub(text::width(&word) + text::width(&who) + 6 + taken);
    let target = text::middle(&target, room.max(20)).into_owned();
    let said = [word, target, who, behind];
    let said: Vec<String> = said.into_iter().filter(|part| !part.is_empty()).collect();
    view.line(text::fit(&said.join("   "), columns).into_owned(), Role::Dim)
}

fn hint(view: View<'_>, dialog: &Dialog, columns: usize) -> Line<'static> {
    let said = dialog.hint.as_deref().map(text::line);
    // What is asked stays in sight, whatever is said of the last key: a digit counts.
    let asked = match &dialog.asking {
        Asking::Confirm { typed } => Some(("approve it", typed)),
        Asking::Remember(remembering) => remembering.typed.as_ref().map(|typed| ("save the rule and run it", typed)),
        Asking::Choice | Asking::Pick { .. } | Asking::Reason(_) | Asking::All { .. } => None,
    };
    if let Some((what, typed)) = asked {
        let high = if said.is_some() { "Type" } else { "It is high. Type" };
        let mut line = view.line(format!("{high} {} to {what}: ", dialog.id.0), Role::Trouble);
        line.push_span(view.span(format!("{}▏", text::line(typed)), Role::Accent));
        if let Some(said) = said {
            let room = columns.saturating_sub(line.width() + 2);
            line.push_span(view.span(format!("  {}", text::fit(&said, room)), Role::Accent));
        }
        return line;
    }
    if let Some(said) = said {
        return view.line(text::fit(&said, columns).into_owned(), Role::Accent);
    }
    match &dialog.asking {
        Asking::Choice => concealed(view, dialog),
        Asking::Pick { typed } => {
            let mut line = view.line("Which? Numbers and ranges, such as 1,3-5: ", Role::Strong);
            line.push_span(view.span(format!("{}▏", text::line(typed)), Role::Accent));
            line
        }
        Asking::Confirm { .. } | Asking::Remember(_) | Asking::Reason(_) | Asking::All { .. } => Line::default(),
    }
}

/// `2 values masked · s shows them`: what is approved is the whole text, shown or not.
fn concealed(view: View<'_>, dialog: &Dialog) -> Line<'static> {
    let mut values = BTreeSet::new();
    let mut add = |text: &str, spans: &[domain::Span]| {
        values.extend(spans.iter().filter_map(|span| text.get(span.clone())).map(str::to_owned));
    };
    if let Some(prepared) = view.state.queue.gate().prepared(dialog.id).filter(|it| !it.assessment.secrets.is_empty()) {
        add(&prepared.operation.kind.text().body, &prepared.assessment.secrets);
    }
    if let Some(Foresight::Measured(preview)) = view.state.queue.foresight(dialog.id) {
        for (detail, spans) in preview.details.iter().zip(&preview.secrets) {
            match detail {
                Detail::Diff { text, .. } => add(text, spans),
                Detail::Text(text) => add(&text.body, spans),
                Detail::Rows { .. } => {}
            }
        }
    }
    let key = view.key(Context::Dialog, Command::ShowSecrets, "").map_or_else(String::new, |(key, _)| key);
    let them = if values.len() == 1 { "it" } else { "them" };
    match values.len() {
        0 => Line::default(),
        some if dialog.revealed => {
            view.line(format!("{} shown · {key} masks {them}", number::count(some, "value")), Role::Medium)
        }
        some => view.line(format!("{} masked · {key} shows {them}", number::count(some, "value")), Role::Accent),
    }
}
