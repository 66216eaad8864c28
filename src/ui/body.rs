//! What scrolls in a dialog: the operation's whole text, its preview in full, or the derivation. Made once for each
//! seal, width and theme; secrets are masked unless the person asked for them.

use std::ops::Range;
use std::sync::Arc;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::cache::{Cache, DialogRows};
use super::derivation::derivation;
use super::highlight::highlight;
use super::paint::View;
use super::preview;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::{Dialog, Placing, leads};
use crate::domain::{
    self, Detail, FileOperation, Foresight, Judgement, OperationId, OperationKind, Prepared, Preview, masked,
};

/// What scrolls: one part after the other.
#[derive(Default)]
pub struct Body {
    pub parts: Vec<Arc<Vec<Line<'static>>>>,
    /// After how many rows everything was seen that must be seen before a High is approved: the list, or the
    /// operation's own text. None if it isn't among them.
    pub end: Option<usize>,
    /// The same for each high operation of a list.
    pub ends: Vec<(OperationId, usize)>,
    /// How many rows at the end only show in full what the sentences below the text say: they stand below those where
    /// there is room, so that no sentence has to go for a sample.
    pub samples: usize,
}

impl Body {
    pub fn of(lines: Vec<Line<'static>>, end: Option<usize>) -> Self {
        Self { parts: vec![Arc::new(lines)], end, ..Self::default() }
    }

    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    pub fn from(&self, first: usize) -> impl Iterator<Item = &Line<'static>> {
        self.parts.iter().flat_map(|part| part.iter()).skip(first)
    }
}

/// The derivation's rows, made once.
pub fn derived(
    view: View<'_>,
    cache: &mut Cache,
    dialog: &Dialog,
    prepared: &Prepared,
    judgement: &Judgement,
    columns: usize,
) -> Option<Arc<Vec<Line<'static>>>> {
    let held = cache.dialog.as_mut()?;
    // A change of mode judges anew under the same seal.
    let known = held.derivation.as_ref().filter(|(of, _)| of == judgement).map(|(_, rows)| Arc::clone(rows));
    Some(known.unwrap_or_else(|| {
        let rows = Arc::new(derivation(view, prepared, judgement, dialog.revealed, columns));
        held.derivation = Some((judgement.clone(), Arc::clone(&rows)));
        rows
    }))
}

/// The whole text: neutral, highlighted, each of its lines numbered in the gutter, so that a wrapped line can't
/// pass for two. Secrets are masked unless the person asked for them.
pub fn operation(
    view: View<'_>,
    cache: &mut Cache,
    dialog: &Dialog,
    prepared: &Prepared,
    columns: usize,
) -> Arc<Vec<Line<'static>>> {
    let known = cache.dialog.as_ref().is_some_and(|rows| {
        (rows.seal, rows.columns, rows.revealed) == (dialog.seal, columns, dialog.revealed)
            && rows.theme == view.theme.name()
    });
    if !known {
        let rows = text(view, prepared, dialog.revealed, columns);
        let theme = view.theme.name().to_owned();
        cache.dialog = Some(DialogRows {
            seal: dialog.seal,
            columns,
            theme,
            revealed: dialog.revealed,
            lines: Arc::new(rows),
            derivation: None,
            details: None,
        });
    }
    cache.dialog.as_ref().map_or_else(Arc::default, |rows| Arc::clone(&rows.lines))
}

/// The rows of an operation's whole text.
pub fn text(view: View<'_>, prepared: &Prepared, revealed: bool, columns: usize) -> Vec<Line<'static>> {
    let said = prepared.operation.kind.text();
    let secrets: &[domain::Span] = if revealed { &[] } else { &prepared.assessment.secrets };
    let shown = masked(&said.body, secrets);
    let numbers = numbers(&prepared.operation.kind, &shown);
    // The end of a file's last line is no line of its own.
    let shown = if numbers.start > 0 { shown.strip_suffix('\n').unwrap_or(&shown) } else { &shown };
    let lines = highlight(&text::exact(shown), said.language, view.theme);
    let digits = if lines.len() > 1 { numbers.len().to_string().len() } else { 0 };
    let digits = if numbers.is_empty() { 0 } else { digits };
    let room = columns.saturating_sub(digits + 3).max(1);
    let hidden = view.theme.style(Role::High);
    let mut rows = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for (part, row) in text::wrap(line, room, 0, Break::Late).into_iter().enumerate() {
            let numbered = digits > 0 && part == 0 && numbers.contains(&at);
            let number = if numbered { (at + 1 - numbers.start).to_string() } else { String::new() };
            let sign = if part == 0 { "│" } else { "┆" };
            let mut spans = vec![view.span(format!("{number:>digits$} {sign} "), Role::Dim)];
            spans.extend(row.spans.into_iter().flat_map(|span| marked(span, hidden)));
            rows.push(Line::from(spans));
        }
    }
    rows
}

/// Which of a text's lines are numbered: of a file that is written its own, not those that say which file; of an edit
/// and of a request, which are no lines of anything, none.
fn numbers(kind: &OperationKind, text: &str) -> Range<usize> {
    let all = text.lines().count();
    match kind {
        OperationKind::File(FileOperation::Write { .. }) => (kind.gist().matches('\n').count() + 2).min(all)..all,
        OperationKind::File(FileOperation::Edit { .. }) | OperationKind::Http(_) => 0..0,
        _ => 0..text.split('\n').count(),
    }
}

/// Whether a diff says every line that an edit takes out and puts in, so that the edit's own text says nothing more.
fn told(kind: &OperationKind, diff: Option<&Detail>) -> bool {
    let (OperationKind::File(FileOperation::Edit { old, new, .. }), Some(Detail::Diff { text, .. })) = (kind, diff)
    else {
        return false;
    };
    let says = |signs: [char; 2], wanted: &str| {
        let mut rows = text.lines().filter(|row| row.starts_with(signs));
        wanted.lines().all(|line| line.is_empty() || rows.any(|row| row[1..].contains(line)))
    };
    says(['-', ' '], old) && says(['+', ' '], new)
}

/// The operation's text and what its preview shows in full. A diff that was there first stands before the text, or in
/// its place where it says all of it.
pub fn whole(
    view: View<'_>,
    cache: &mut Cache,
    dialog: &Dialog,
    prepared: &Prepared,
    text: Arc<Vec<Line<'static>>>,
    columns: usize,
) -> Body {
    let rows = text.len();
    let foresight = view.state.queue.foresight(dialog.id);
    let come = !matches!(dialog.placing, Placing::Kept | Placing::Late);
    let (Some(Foresight::Measured(preview)), Some(held), true) = (foresight, &mut cache.dialog, come) else {
        return Body { parts: vec![text], end: Some(rows), ..Body::default() };
    };
    let leads = dialog.placing == Placing::Free
        && foresight.is_some_and(|foresight| leads(&prepared.operation.kind, foresight));
    let make = || {
        let mut lines = preview::details(view, preview, dialog.revealed, columns);
        // Nothing stands before it that a blank would part it from.
        lines.drain(..usize::from(leads && !lines.is_empty()));
        Arc::new(lines)
    };
    let known = held.details.as_ref().filter(|(of, _)| of == preview.as_ref()).map(|(_, rows)| Arc::clone(rows));
    let details = known.unwrap_or_else(|| {
        let rows = make();
        held.details = Some((preview.as_ref().clone(), Arc::clone(&rows)));
        rows
    });
    if let Some(mut tried) = preview::tried_rows(view, dialog.id, columns) {
        // The first ones are those that it touches.
        let sample = matches!(preview.details.first(), Some(Detail::Rows { .. }));
        let rest = preview.details.get(usize::from(sample)..).unwrap_or_default().to_vec();
        let secrets = preview.secrets.get(usize::from(sample)..).unwrap_or_default().to_vec();
        let rest = Preview { details: rest, secrets, ..Preview::default() };
        tried.extend(preview::details(view, &rest, dialog.revealed, columns));
        return Body { end: Some(rows), samples: tried.len(), parts: vec![text, Arc::new(tried)], ..Body::default() };
    }
    if !leads {
        return Body { end: Some(rows), samples: details.len(), parts: vec![text, details], ..Body::default() };
    }
    if told(&prepared.operation.kind, preview.details.first()) {
        return Body { end: Some(details.len()), parts: vec![details], ..Body::default() };
    }
    let blank = Arc::new(vec![Line::default()]);
    Body { end: Some(details.len() + 1 + rows), parts: vec![details, blank, text], ..Body::default() }
}

/// Makes what stands for a hidden or control character stand out.
fn marked(span: Span<'static>, style: Style) -> Vec<Span<'static>> {
    let odd = |c: char| ('\u{2400}'..='\u{2421}').contains(&c);
    if !span.content.contains(odd) && !span.content.contains("<U+") {
        return vec![span];
    }
    let mut spans = Vec::new();
    let mut rest: &str = &span.content;
    while let Some(at) = rest.find(|c: char| odd(c)).into_iter().chain(rest.find("<U+")).min() {
        let sign = &rest[at..];
        let end = if sign.starts_with('<') { sign.find('>').map_or(3, |end| end + 1) } else { '\u{2400}'.len_utf8() };
        spans.push(Span::styled(rest[..at].to_owned(), span.style));
        spans.push(Span::styled(sign[..end].to_owned(), style));
        rest = &sign[end..];
    }
    spans.push(Span::styled(rest.to_owned(), span.style));
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str) -> OperationKind {
        let (path, old, new) = ("a".to_owned(), old.to_owned(), new.to_owned());
        OperationKind::File(FileOperation::Edit { path, old, new, all: false })
    }

    #[test]
    fn an_edits_text_gives_way_only_to_a_diff_that_says_every_line_of_it() {
        let diff = |text: &str| Detail::Diff { text: text.to_owned(), language: String::new() };
        let whole = diff("@@ -1,2 +1,3 @@\n keep\n-old one;\n+new one;\n+two");
        assert!(told(&edit("old", "new one;\ntwo"), Some(&whole)));
        assert!(!told(&edit("old", "new one;\nthree"), Some(&whole)), "a line is missing");
        assert!(!told(&edit("older", "two"), Some(&whole)), "what goes isn't there");
        assert!(!told(&edit("old", "two"), Some(&diff("@@ 9 more lines of the diff left out @@"))));
        assert!(!told(&edit("old", "two"), None));
        let write = FileOperation::Write { path: "a".to_owned(), content: "two".to_owned() };
        assert!(!told(&OperationKind::File(write), Some(&whole)), "the diff of a write leaves out what stays");
    }

    #[test]
    fn only_a_files_own_lines_are_numbered() {
        let write = FileOperation::Write { path: "a".to_owned(), content: "x\ny\n".to_owned() };
        let write = OperationKind::File(write);
        assert_eq!(numbers(&write, &write.text().body), 2..4);
        let edit = edit("x", "y");
        assert!(numbers(&edit, &edit.text().body).is_empty());
    }
}
