//! The lines of an output as its sort of operation asks for: code with line numbers, an answer's head told from its
//! body, matches by file. Whatever it is, it was neutralised first.

use std::borrow::Cow;
use std::path::Path;

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use regex::{Regex, RegexBuilder};

use super::ansi::{self, Printed};
use super::highlight::highlight;
use super::number;
use super::paint::View;
use super::theme::Role;
use crate::app::{Item, Printout, Status};
use crate::domain::{FileOperation, OperationKind, Outcome, SearchOperation, Stream};

/// Memory that the pattern of a search may take to mark its matches, in bytes.
const PATTERN: usize = 256 * 1024;

/// The lines of what is shown of an output.
pub fn lines(view: View<'_>, item: Option<&Item>, printout: &Printout, closed: bool) -> Vec<Printed> {
    let pieces = printout.pieces().iter().map(|piece| (piece.stream == Stream::Err, piece.text.as_ref()));
    let lines = masked(view, ansi::lines(pieces));
    let kind = item.and_then(|item| item.prepared.as_ref()).map(|prepared| &prepared.operation.kind);
    // A part of an output begins anywhere: only the whole of it can be told apart.
    let whole = closed && printout.span().0 == 0;
    match kind {
        Some(OperationKind::File(FileOperation::Read { path, offset, .. })) if whole => {
            code(view, &lines, path, offset.unwrap_or(1).max(1))
        }
        Some(OperationKind::File(FileOperation::Write { .. } | FileOperation::Edit { .. })) if whole => {
            changes(view, lines)
        }
        Some(OperationKind::Http(_)) if whole => answer(view, lines, item.map(|item| &item.status)),
        Some(OperationKind::Search(search)) => matches(view, &lines, search),
        _ => lines,
    }
}

/// The lines with masks in the place of secrets. Where one stands a line loses its colours.
pub fn masked(view: View<'_>, mut lines: Vec<Printed>) -> Vec<Printed> {
    let whole = text(&lines);
    let Cow::Owned(shown) = view.state.masks.hide(&whole) else { return lines };
    for (printed, shown) in lines.iter_mut().zip(shown.split('\n')) {
        if printed.line.to_string() != shown {
            printed.line = view.line(shown, Role::Text);
        }
    }
    lines
}

fn plain(line: Line<'static>) -> Printed {
    Printed { line, error: false }
}

fn text(lines: &[Printed]) -> String {
    lines.iter().map(|printed| printed.line.to_string()).collect::<Vec<_>>().join("\n")
}

/// A file with the numbers of its lines. What the tool says of it stands in brackets at the end.
fn code(view: View<'_>, lines: &[Printed], path: &str, first: u64) -> Vec<Printed> {
    let note = lines.last().filter(|printed| printed.line.to_string().starts_with('[')).map(|_| lines.len() - 1);
    let (body, note) = lines.split_at(note.unwrap_or(lines.len()));
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let wide = (first + body.len() as u64).to_string().len();
    let coloured = if body.is_empty() { Vec::new() } else { highlight(&text(body), ending, view.theme) };
    let numbered = (first..).zip(coloured).map(|(number, line)| {
        let mut spans = vec![view.span(format!("{number:>wide$}  "), Role::Dim)];
        spans.extend(line.spans.into_iter().map(|span| Span::styled(span.content, line.style.patch(span.style))));
        plain(Line::from(spans))
    });
    numbered.chain(note.iter().map(|printed| plain(view.line(printed.line.to_string(), Role::Dim)))).collect()
}

/// What was done in one line, and the diff below it.
fn changes(view: View<'_>, lines: Vec<Printed>) -> Vec<Printed> {
    let Some((said, diff)) = lines.split_first().filter(|(_, diff)| !diff.is_empty()) else { return lines };
    let coloured = highlight(&text(diff), "diff", view.theme).into_iter().map(plain);
    std::iter::once(said.clone()).chain(coloured).collect()
}

/// Status and figures in one line, headers, and the body in the colours of its type.
fn answer(view: View<'_>, lines: Vec<Printed>, ended: Option<&Status>) -> Vec<Printed> {
    let Some(status) = lines.iter().position(|printed| printed.line.to_string().starts_with("HTTP/")) else {
        return lines;
    };
    let head =
        lines[status..].iter().position(|printed| printed.line.width() == 0).map_or(lines.len(), |at| status + at);
    let headers: Vec<String> = lines[status + 1..head].iter().map(|printed| printed.line.to_string()).collect();
    let kind = headers.iter().find_map(|said| {
        let (name, value) = said.split_once(':')?;
        name.eq_ignore_ascii_case("content-type").then(|| value.split(';').next().unwrap_or_default().trim())
    });
    let mut out: Vec<Printed> = lines[..status].iter().map(|printed| header(view, &printed.line.to_string())).collect();
    out.push(plain(summed_up(view, &lines[status].line.to_string(), ended, kind)));
    out.extend(headers.iter().map(|said| header(view, said)));
    let kind = kind.unwrap_or_default().to_ascii_lowercase();
    let known = [("json", "json"), ("html", "html"), ("xml", "xml"), ("javascript", "js"), ("css", "css")];
    let body = &lines[head..];
    match known.iter().find(|(word, _)| kind.contains(word)) {
        Some((_, language)) if !body.is_empty() => {
            out.extend(highlight(&text(body), language, view.theme).into_iter().map(plain));
        }
        Some(_) | None => out.extend(body.iter().cloned()),
    }
    out
}

/// `HTTP/1.1 200 OK   12 ms   30 B   application/json`
fn summed_up(view: View<'_>, said: &str, ended: Option<&Status>, kind: Option<&str>) -> Line<'static> {
    let (_, status) = said.split_once(' ').unwrap_or_default();
    let role = match status.split(' ').next().and_then(|code| code.parse::<u16>().ok()).unwrap_or(0) {
        200..300 => Role::Good,
        400.. => Role::Trouble,
        _ => Role::Medium,
    };
    let (time, size) = match ended {
        Some(Status::Ended { outcome, took }) => {
            let ended = match outcome {
                Outcome::Succeeded { summary: said } | Outcome::Failed { reason: said } => said.as_str(),
                Outcome::Cancelled | Outcome::TimedOut { .. } | Outcome::Lost => "",
            };
            // One whose body broke off ends with another word than its status.
            let size = ended.strip_prefix(status).and_then(|rest| rest.strip_prefix(", "));
            (Some(number::duration(*took)), size.map(str::to_owned))
        }
        Some(_) | None => (None, None),
    };
    let mut spans = vec![view.span(said.to_owned(), role)];
    let figures = [time, size, kind.map(str::to_owned)].into_iter().flatten().filter(|figure| !figure.is_empty());
    spans.extend(figures.map(|figure| view.span(format!("   {figure}"), Role::Dim)));
    Line::from(spans)
}

/// The name of a header, and its value.
fn header(view: View<'_>, said: &str) -> Printed {
    let (name, value) = said.split_once(':').unwrap_or((said, ""));
    let colon = if value.is_empty() { "" } else { ":" };
    let spans = vec![view.span(format!("{name}{colon}"), Role::Dim), view.span(value.to_owned(), Role::Text)];
    plain(Line::from(spans))
}

/// Each file's name, then its matches with their lines' numbers, one column for all.
fn matches(view: View<'_>, lines: &[Printed], search: &SearchOperation) -> Vec<Printed> {
    let pattern =
        RegexBuilder::new(&search.pattern).case_insensitive(search.ignore_case).size_limit(PATTERN).build().ok();
    let split = |said: &str| {
        let (number, found) = said.strip_prefix("  ")?.split_once(": ")?;
        number.parse::<u64>().ok().map(|number| (number, found.to_owned()))
    };
    let wide = lines.iter().filter_map(|printed| split(&printed.line.to_string())).map(|(number, _)| number);
    let wide = wide.max().unwrap_or(0).to_string().len();
    let mut out = Vec::with_capacity(lines.len());
    for printed in lines {
        let said = printed.line.to_string();
        if let Some((number, found)) = split(&said) {
            let mut spans = vec![view.span(format!("  {number:>wide$}  "), Role::Dim)];
            spans.extend(hits(view, &found, pattern.as_ref()));
            out.push(plain(Line::from(spans)));
        } else {
            if !out.is_empty() {
                out.push(plain(Line::default()));
            }
            out.push(plain(view.line(said, Role::Strong)));
        }
    }
    out
}

fn hits(view: View<'_>, found: &str, pattern: Option<&Regex>) -> Vec<Span<'static>> {
    let (mut spans, mut at) = (Vec::new(), 0);
    for hit in pattern.iter().flat_map(|pattern| pattern.find_iter(found)).filter(|hit| !hit.is_empty()) {
        spans.push(view.span(&found[at..hit.start()], Role::Text));
        let mut span = view.span(hit.as_str(), Role::Accent);
        span.style = span.style.add_modifier(Modifier::BOLD);
        spans.push(span);
        at = hit.end();
    }
    spans.push(view.span(&found[at..], Role::Text));
    spans
}
