//! Colours for code, by the scopes of a syntax rather than by a foreign colour theme: keywords, strings, numbers,
//! comments, names. Loaded once, when first needed. Only neutral text comes in here.

use std::ops::Range;
use std::sync::OnceLock;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};

use super::theme::{Role, Theme};

/// Longest text that is highlighted, in bytes.
const TEXT: usize = 32 * 1024;
/// Longest line, in bytes: beyond it regular expressions get slow.
const LINE: usize = 2_000;

/// The lines of a neutral text in the colours of its language, where it has one and the theme has colours.
pub fn highlight(text: &str, language: &str, theme: &Theme) -> Vec<Line<'static>> {
    match language {
        "diff" => return diff(text, theme),
        _ if !theme.colours() || text.len() > TEXT || text.lines().any(|line| line.len() > LINE) => {}
        _ => {
            if let Some(syntax) = syntax(language) {
                return coloured(text, syntax, theme);
            }
        }
    }
    let style = theme.style(Role::Code);
    text.split('\n').map(|line| Line::styled(line.to_owned(), style)).collect()
}

/// Loads the syntaxes and compiles what dialogs show most: a first text in colours takes long otherwise.
pub fn warm() {
    let theme = Theme::default();
    for (text, language) in
        [("rm -r \"$a\" | b > c", "bash"), ("DELETE FROM a WHERE b = 'c'", "sql"), ("{\"a\": 1}", "json")]
    {
        highlight(text, language, &theme);
    }
}

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

fn syntax(language: &str) -> Option<&'static SyntaxReference> {
    let word = language.split([',', ' ', '{']).next().unwrap_or_default();
    if matches!(word, "" | "text" | "txt" | "plain" | "http") {
        return None;
    }
    syntaxes().find_syntax_by_token(word)
}

fn coloured(text: &str, syntax: &SyntaxReference, theme: &Theme) -> Vec<Line<'static>> {
    let set = syntaxes();
    let mut state = ParseState::new(syntax);
    let mut scopes = ScopeStack::new();
    let mut out = Vec::new();
    for line in text.split('\n') {
        let fed = format!("{line}\n");
        let mut spans = Vec::new();
        let mut from = 0;
        for (at, change) in state.parse_line(&fed, set).unwrap_or_default() {
            push(&mut spans, line, from..at, role(&scopes), theme);
            from = at.min(line.len());
            if scopes.apply(&change).is_err() {
                scopes = ScopeStack::new();
            }
        }
        push(&mut spans, line, from..line.len(), role(&scopes), theme);
        out.push(Line::from(spans));
    }
    out
}

fn push(spans: &mut Vec<Span<'static>>, line: &str, range: Range<usize>, role: Role, theme: &Theme) {
    let Some(piece) = line.get(range.start..range.end.min(line.len())).filter(|piece| !piece.is_empty()) else {
        return;
    };
    spans.push(Span::styled(piece.to_owned(), theme.style(role)));
}

/// The role of the innermost scope that says something.
fn role(scopes: &ScopeStack) -> Role {
    for scope in scopes.as_slice().iter().rev() {
        let name = scope.build_string();
        let hit = |start: &str| name.starts_with(start);
        if hit("comment") {
            return Role::Comment;
        } else if hit("string") || hit("constant.character") {
            return Role::String;
        } else if hit("constant") {
            return Role::Number;
        } else if hit("keyword") || hit("storage") {
            return Role::Keyword;
        } else if hit("entity.name") || hit("support.function") || hit("variable.function") {
            return Role::Name;
        }
    }
    Role::Code
}

fn diff(text: &str, theme: &Theme) -> Vec<Line<'static>> {
    let style = |line: &str| -> Style {
        theme.style(match line.bytes().next() {
            Some(b'+') => Role::Added,
            Some(b'-') => Role::Removed,
            _ => Role::Code,
        })
    };
    text.split('\n').map(|line| Line::styled(line.to_owned(), style(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_coloured_and_complete() {
        let theme = Theme::default();
        for (language, text) in [
            ("sql", "DELETE FROM orders -- all\nWHERE status = 'cancelled'"),
            ("bash", "rm -rf \"$HOME\" # gone"),
            ("json", "{\"a\": [1, true]}"),
            ("rust", "fn main() {}"),
            ("nonsense", "a b"),
            ("", "a\n"),
        ] {
            let lines = highlight(text, language, &theme);
            assert_eq!(lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"), text);
        }
        let sql = highlight("SELECT 1", "sql", &theme);
        assert_eq!(sql[0].spans[0].style, theme.style(Role::Keyword));
    }

    #[test]
    fn without_colours_or_over_the_cap_it_is_plain() {
        let mono = Theme::named("mono").unwrap();
        assert_eq!(highlight("SELECT 1", "sql", &mono)[0].style, mono.style(Role::Code));
        let long = "SELECT 1;\n".repeat(4_000);
        assert_eq!(highlight(&long, "sql", &Theme::default()).len(), 4_001);
    }
}
