//! A model's text as rows. Parsed block by block: closed blocks are frozen, only the last one is parsed again as
//! it grows, so that a long answer in small pieces stays cheap. Model text is untrusted: neutral before parsing
//! and, because entities can name any character, again after it.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use tui_markdown::{Options, StyleSheet, from_str_with_options};

use super::fences::{Fences, code_rows};
use super::paint::Page;
use super::rows::Rows;
use super::text::{self, Break, wrap};
use super::theme::{Role, Theme};

/// Longest block that is parsed as a whole, in bytes: a longer one is closed where it stands.
const BLOCK: usize = 8 * 1024;
/// Longest fence that waits for its end to be coloured.
const FENCE: usize = 32 * 1024;
/// Bytes of a text that tell whether it is still the same one.
const SAMPLE: usize = 48;

/// The rows of one text, kept while it grows.
#[derive(Debug, Default)]
pub struct Markdown {
    frozen: Rows,
    open: Vec<Line<'static>>,
    /// Bytes of the text whose rows are frozen.
    closed: usize,
    /// Bytes of the text that were seen.
    seen: usize,
    /// The bytes before `closed`, to notice another text.
    sample: Vec<u8>,
    /// A fence that was closed in pieces goes on.
    fence: Option<Fence>,
    /// A blank row belongs before the next block.
    gap: bool,
    fences: Fences,
}

/// An open fence: its mark and language.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
    language: String,
}

/// A stretch of text that is rendered at once.
struct Block {
    /// Where it ends, from the start of the rest.
    end: usize,
    /// Whether it can't change any more.
    closed: bool,
    kind: Kind,
}

enum Kind {
    Blank,
    Prose,
    /// The lines of a fence between `from` and `to`.
    Code {
        from: usize,
        to: usize,
        whole: bool,
        next: Option<Fence>,
        language: String,
    },
}

impl Markdown {
    /// Brings the rows up to date with a text that was seen before and may have grown.
    pub fn update(&mut self, text: &str, page: Page<'_>) {
        if text.len() < self.seen || !text.as_bytes()[..self.closed.min(text.len())].ends_with(&self.sample) {
            *self = Self::default();
        } else if text.len() == self.seen {
            return;
        }
        self.seen = text.len();
        self.open.clear();
        while let Some(rest) = text.get(self.closed..).filter(|rest| !rest.is_empty()) {
            let block = next_block(rest, self.fence.as_ref());
            let mut rows = Vec::new();
            self.render(&rest[..block.end], &block, page, &mut rows);
            if !block.closed {
                self.open = rows;
                break;
            }
            if let Kind::Code { from, to, whole: true, language, .. } = &block.kind {
                let first = self.frozen.len() + usize::from(self.gap);
                let code = self.closed + from..self.closed + to;
                self.fences.push(first..self.frozen.len() + rows.len(), code, language);
            }
            for row in &rows {
                self.frozen.push(row);
            }
            self.closed += block.end;
            self.gap = !matches!(&block.kind, Kind::Code { next: Some(_), .. })
                && (self.gap || !matches!(block.kind, Kind::Blank));
            self.fence = match block.kind {
                Kind::Code { next, .. } => next,
                Kind::Blank | Kind::Prose => None,
            };
        }
        let from = self.closed.saturating_sub(SAMPLE);
        self.sample = text.as_bytes()[from..self.closed].to_vec();
    }

    /// Colours the code among some of the rows of the text that it was brought up to date with.
    pub fn colour(&mut self, text: &str, rows: &Range<usize>, page: Page<'_>) {
        self.fences.colour(text, rows, page);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.frozen.len() + self.open.len()
    }

    /// One row.
    pub fn row(&self, at: usize) -> Option<Line<'_>> {
        let frozen = || self.fences.row(at).or_else(|| self.frozen.row(at));
        frozen().or_else(|| self.open.get(at.checked_sub(self.frozen.len())?).map(text::borrowed))
    }

    /// The rows of a block; code that is closed is coloured only when it is shown.
    fn render(&self, raw: &str, block: &Block, page: Page<'_>, rows: &mut Vec<Line<'static>>) {
        if self.gap && !matches!(block.kind, Kind::Blank) {
            rows.push(Line::default());
        }
        match &block.kind {
            Kind::Blank => {}
            Kind::Prose => prose(raw, page, rows),
            Kind::Code { from, to, whole, language, .. } => {
                let language = if *whole && !block.closed { language } else { "" };
                rows.extend(code_rows(raw.get(*from..*to).unwrap_or_default(), language, page));
            }
        }
    }
}

fn prose(raw: &str, page: Page<'_>, rows: &mut Vec<Line<'static>>) {
    let Page { columns, theme, masks } = page;
    let neutral = text::prose(&masks.hide(raw));
    let table = u16::try_from(columns).unwrap_or(u16::MAX);
    let rendered = from_str_with_options(&neutral, &Options::new(Sheet::of(theme)).table_width(table));
    for line in rendered.lines {
        let style = line.style;
        let spans = line
            .spans
            .into_iter()
            .map(|span| Span::styled(text::again(span.content), theme.tame(style.patch(span.style))));
        let line = Line::from(spans.collect::<Vec<_>>());
        let said = line.to_string();
        if said.starts_with(['┌', '│', '├', '└']) && line.width() <= columns {
            rows.push(line);
        } else if said == "---" {
            rows.push(Line::styled("─".repeat(columns), theme.style(Role::Border)));
        } else {
            rows.extend(wrap(&line, columns, hang(&said), Break::Words));
        }
    }
}

/// Under what later rows of a list item or quote start.
fn hang(line: &str) -> usize {
    let body = line.trim_start_matches(' ');
    let indent = line.len() - body.len();
    let marker = ["- ", "* ", "> ", "• "].iter().find(|marker| body.starts_with(**marker)).map(|_| 2);
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let number = (digits > 0 && digits < 4 && body[digits..].starts_with(". ")).then_some(digits + 2);
    indent + marker.or(number).unwrap_or(0)
}

/// The next block of a text that isn't empty.
fn next_block(rest: &str, fence: Option<&Fence>) -> Block {
    if let Some(fence) = fence {
        return code_block(rest, 0, fence);
    }
    let blank = rest.len() - rest.trim_start_matches(['\n', '\r']).len();
    if blank > 0 {
        return Block { end: blank, closed: true, kind: Kind::Blank };
    }
    let first = rest.split_inclusive('\n').next().unwrap_or(rest);
    if let (Some(fence), true) = (opening(first), first.ends_with('\n')) {
        return code_block(rest, first.len(), &fence);
    }
    prose_block(rest)
}

fn prose_block(rest: &str) -> Block {
    let mut at = 0;
    let mut after_blank = false;
    for line in rest.split_inclusive('\n') {
        let empty = line.trim().is_empty();
        let starts_new = !empty && at > 0 && (after_blank && !line.starts_with([' ', '\t']) || opening(line).is_some());
        if starts_new {
            return Block { end: at, closed: true, kind: Kind::Prose };
        }
        if at + line.len() > BLOCK {
            let end = if at > 0 { at } else { cut(rest, BLOCK) };
            return Block { end, closed: true, kind: Kind::Prose };
        }
        after_blank = empty;
        at += line.len();
    }
    Block { end: rest.len(), closed: false, kind: Kind::Prose }
}

/// The lines of a fence up to its end, or a piece of it where it is too long to wait for that.
fn code_block(rest: &str, from: usize, fence: &Fence) -> Block {
    let mut at = from;
    let code = |to, whole, next| Kind::Code { from, to, whole, next, language: fence.language.clone() };
    for line in rest[from..].split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed.len() >= fence.length && line.ends_with('\n') && trimmed.chars().all(|c| c == fence.mark) {
            return Block { end: at + line.len(), closed: true, kind: code(at, true, None) };
        }
        if at + line.len() - from > FENCE {
            let end = if at > from { at } else { cut(rest, FENCE) };
            return Block { end, closed: true, kind: code(end, false, Some(fence.clone())) };
        }
        at += line.len();
    }
    // What looks like the end of the fence isn't code, even before its line ends: a message mostly ends there.
    let last = rest[from..at].rfind('\n').map_or(from, |line| from + line + 1);
    let tail = rest[last..at].trim();
    let marks = !tail.is_empty() && tail.chars().all(|c| c == fence.mark);
    let whole = marks && tail.len() >= fence.length;
    Block { end: rest.len(), closed: false, kind: code(if marks { last } else { at }, whole, Some(fence.clone())) }
}

/// A place near `limit` to cut a line that is too long: after a blank, else between characters.
fn cut(rest: &str, limit: usize) -> usize {
    let limit = rest.floor_char_boundary(limit);
    rest[..limit].rfind(' ').map_or(limit, |at| at + 1).max(1)
}

fn opening(line: &str) -> Option<Fence> {
    let body = line.trim_start_matches(' ');
    if line.len() - body.len() > 3 {
        return None;
    }
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = body.chars().take_while(|c| *c == mark).count();
    let language = body[length..].trim();
    (length >= 3 && !language.contains('`')).then(|| Fence { mark, length, language: language.to_lowercase() })
}

/// Our roles as the styles that Markdown asks for.
#[derive(Clone)]
struct Sheet {
    strong: Style,
    accent: Style,
    dim: Style,
    code: Style,
    link: Style,
    border: Style,
}

impl Sheet {
    fn of(theme: &Theme) -> Self {
        Self {
            strong: theme.style(Role::Strong),
            accent: theme.style(Role::Accent),
            dim: theme.style(Role::Dim),
            code: theme.style(Role::Name),
            link: theme.style(Role::Link),
            border: theme.style(Role::Border),
        }
    }
}

impl StyleSheet for Sheet {
    fn heading(&self, level: u8) -> Style {
        if level <= 2 { self.accent } else { self.strong }
    }

    fn code(&self) -> Style {
        self.code
    }

    fn link(&self) -> Style {
        self.link
    }

    fn blockquote(&self) -> Style {
        self.dim
    }

    fn heading_meta(&self) -> Style {
        self.dim
    }

    fn metadata_block(&self) -> Style {
        self.dim
    }

    fn heading_marker(&self, _level: u8) -> &'static str {
        ""
    }

    fn code_block_fence(&self) -> &'static str {
        ""
    }

    fn html(&self) -> Style {
        self.dim
    }

    fn math_inline(&self) -> Style {
        self.code
    }

    fn math_display(&self) -> Style {
        self.code
    }

    fn footnote_ref(&self) -> Style {
        self.dim
    }

    fn footnote_def(&self) -> Style {
        self.dim
    }

    fn definition_term(&self) -> Style {
        self.strong
    }

    fn alert(&self, _kind: tui_markdown::AlertKind) -> Style {
        self.accent
    }

    fn alert_icon(&self, _kind: tui_markdown::AlertKind) -> &'static str {
        ""
    }

    fn table_header(&self) -> Style {
        self.strong
    }

    fn table_border(&self) -> Style {
        self.border
    }

    fn list_marker(&self) -> Style {
        self.dim
    }

    fn image_alt(&self) -> Style {
        self.dim
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Masks;
    use crate::assess::Known;

    /// Brings the rows up to date where nothing is masked but what looks like a secret.
    fn update(markdown: &mut Markdown, text: &str, columns: usize, theme: &Theme) {
        markdown.update(text, Page { columns, theme, masks: &Masks::default() });
    }

    fn rows(text: &str, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut markdown = Markdown::default();
        update(&mut markdown, text, columns, theme);
        (0..markdown.len()).filter_map(|at| markdown.row(at)).map(text::owned).collect()
    }

    fn shown(text: &str, columns: usize) -> Vec<String> {
        rows(text, columns, &Theme::default()).iter().map(|row| row.to_string().trim_end().to_owned()).collect()
    }

    const ANSWER: &str = "# Orders\n\nThere are **three** of them:\n\n- one that is long enough to wrap here\n- two\n\n1. first\n2. second\n\n```sql\nSELECT 1;\n\nSELECT 2;\n```\n\nDone, `ok`?\n";

    #[test]
    fn markdown_becomes_rows() {
        insta::assert_snapshot!(shown(ANSWER, 28).join("\n"));
    }

    #[test]
    fn a_thematic_break_is_a_rule_across_the_page() {
        assert_eq!(shown("one\n\n---\n\ntwo\n", 12), ["one", "", "────────────", "", "two"]);
    }

    #[test]
    fn growing_piece_by_piece_ends_as_all_at_once() {
        let theme = Theme::default();
        for piece in [1, 3, 7, 80] {
            let mut markdown = Markdown::default();
            let mut text = String::new();
            for c in ANSWER.as_bytes().chunks(piece) {
                text.push_str(std::str::from_utf8(c).unwrap());
                update(&mut markdown, &text, 28, &theme);
            }
            let grown: Vec<String> = (0..markdown.len())
                .filter_map(|at| markdown.row(at))
                .map(|row| row.to_string().trim_end().to_owned())
                .collect();
            assert_eq!(grown, shown(ANSWER, 28), "{piece}");
        }
    }

    #[test]
    fn code_at_the_very_end_has_its_colours() {
        let theme = Theme::named("dark").unwrap();
        let keyword = theme.style(Role::Keyword).fg;
        for end in ["```", "```\n", "````"] {
            let mut markdown = Markdown::default();
            update(&mut markdown, "Look:\n\n```sql\nSELECT 1;\n", 40, &theme);
            let text = format!("Look:\n\n```sql\nSELECT 1;\n{end}");
            update(&mut markdown, &text, 40, &theme);
            let masks = Masks::default();
            markdown.colour(&text, &(0..markdown.len()), Page { columns: 40, theme: &theme, masks: &masks });
            let row = markdown.row(markdown.len() - 1).unwrap();
            assert!(row.to_string().contains("SELECT 1;"), "{row}");
            assert!(
                row.spans.iter().any(|span| span.content == "SELECT" && span.style.fg == keyword),
                "{end}: {row:?}"
            );
        }
    }

    #[test]
    fn a_long_answer_in_small_pieces_stay_cheap() {
        let theme = Theme::default();
        for paragraph in ["word ", "word\n", "a line of an answer\n\n", "```\n", "- item\n"] {
            let mut markdown = Markdown::default();
            let mut text = String::new();
            let started = std::time::Instant::now();
            let mut parsed = 0;
            while text.len() < 300_000 {
                while text.len() < (parsed + 1) * 4_000 {
                    text.push_str(paragraph);
                }
                parsed += 1;
                update(&mut markdown, &text, 80, &theme);
                assert!(text.len() - markdown.closed <= FENCE + 4_100, "{paragraph:?}: the open part grows");
            }
            assert!(started.elapsed().as_secs() < 60);
        }
    }

    #[test]
    fn entities_cannot_bring_control_characters_back() {
        for hostile in ["&#x1b;[31m &#x202e;x &#7;", "`\u{202e}`", "[a](b&#x1b;c)", "| a&#x1b; |\n|---|\n| \u{9b}31m |"]
        {
            for row in rows(hostile, 40, &Theme::default()) {
                let said = row.to_string();
                assert!(!said.chars().any(|c| c.is_control() || text::hidden(c)), "{said:?}");
            }
        }
    }

    #[test]
    fn a_secret_is_masked_before_its_text_is_wrapped() {
        let (theme, long) = (Theme::default(), "a1B2".repeat(10));
        let key = format!("-----BEGIN PRIVATE KEY-----\n{long}\n{long}\n-----END PRIVATE KEY-----");
        let masks = Masks { known: Known::of(["correct-horse-battery".to_owned()]), lifted: false };
        let said = format!("Take ghp_{long} or correct-horse-battery.\n\n```\n{key}\nx\n```\n");
        let rows = |masks: &Masks| {
            let (mut markdown, page) = (Markdown::default(), Page { columns: 20, theme: &theme, masks });
            for end in [30, 60, 120, said.len()] {
                markdown.update(&said[..end], page);
            }
            markdown.colour(&said, &(0..markdown.len()), page);
            (0..markdown.len()).filter_map(|at| markdown.row(at)).map(|row| row.to_string()).collect::<String>()
        };
        let shown = rows(&masks);
        assert!(!shown.contains("a1B2") && !shown.contains("horse") && shown.contains('x'), "{shown}");
        assert!(rows(&Masks { lifted: true, ..masks }).contains("a1B2"));
    }

    #[test]
    fn another_text_in_the_same_place_starts_over() {
        let theme = Theme::default();
        let mut markdown = Markdown::default();
        update(&mut markdown, "one\n\ntwo\n\nthree", 20, &theme);
        update(&mut markdown, "eins\n\nzwei\n\ndrei und mehr", 20, &theme);
        assert_eq!(markdown.row(0).unwrap().to_string(), "eins");
    }
}
