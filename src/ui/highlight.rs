//! Colours for code, by the scopes of a syntax rather than by a foreign colour theme: keywords, strings, numbers,
//! comments, names. Only neutral text comes in here.
//!
//! The first text of a language takes tens of milliseconds and, for bash, six megabytes: its regular expressions are
//! compiled. So on a screen it is plain in its first frame, and in colours once that was done beside the loop; a
//! session that shows no code never loads any.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

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
            let word = word(language);
            let ready = word.is_empty() || loading().as_mut().is_none_or(|loading| loading.ready(word, text));
            if let Some(syntax) = ready.then(|| syntax(word)).flatten() {
                return coloured(text, syntax, theme);
            }
        }
    }
    let style = theme.style(Role::Code);
    text.split('\n').map(|line| Line::styled(line.to_owned(), style)).collect()
}

/// A text whose language isn't loaded, with its language.
pub type Wanted = (String, String);

/// What is loaded, where that isn't done on the spot.
#[derive(Default)]
struct Loading {
    /// Languages that were asked for, and whether they are loaded.
    asked: BTreeMap<String, bool>,
    wanted: Vec<Wanted>,
}

/// None while every text is coloured on the spot, however long that takes.
static LOADING: Mutex<Option<Loading>> = Mutex::new(None);

fn loading() -> MutexGuard<'static, Option<Loading>> {
    LOADING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on a text whose language isn't loaded stays plain, until [`load`] was given what is [`wanted`].
pub fn colour_later() {
    loading().get_or_insert_default();
}

/// Takes what is to be loaded for what was drawn.
pub fn wanted() -> Vec<Wanted> {
    loading().as_mut().map(|loading| std::mem::take(&mut loading.wanted)).unwrap_or_default()
}

/// Loads what texts need. Takes its time. Says whether any of them has colours now.
pub fn load(wanted: Vec<Wanted>) -> bool {
    let mut any = false;
    for (language, text) in wanted {
        let Some(syntax) = syntax(&language) else { continue };
        coloured(&text, syntax, &Theme::default());
        any = true;
        if let Some(loading) = loading().as_mut() {
            loading.asked.insert(language, true);
        }
    }
    any
}

impl Loading {
    /// Whether a text can be coloured now. If not, it is wanted.
    fn ready(&mut self, language: &str, text: &str) -> bool {
        if let Some(loaded) = self.asked.get(language) {
            return *loaded;
        }
        self.asked.insert(language.to_owned(), false);
        self.wanted.push((language.to_owned(), text.to_owned()));
        false
    }
}

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

/// The word for a language, empty for plain text.
fn word(language: &str) -> &str {
    let word = language.split([',', ' ', '{']).next().unwrap_or_default();
    if matches!(word, "text" | "txt" | "plain" | "http") { "" } else { word }
}

fn syntax(word: &str) -> Option<&'static SyntaxReference> {
    if word.is_empty() { None } else { syntaxes().find_syntax_by_token(word) }
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

/// What scopes say, by how they begin.
const ROLES: [(&str, Role); 9] = [
    ("comment", Role::Comment),
    ("string", Role::String),
    ("constant.character", Role::String),
    ("constant", Role::Number),
    ("keyword", Role::Keyword),
    ("storage", Role::Keyword),
    ("entity.name", Role::Name),
    ("support.function", Role::Name),
    ("variable.function", Role::Name),
];

/// The role of the innermost scope that says something.
fn role(scopes: &ScopeStack) -> Role {
    static KNOWN: LazyLock<Vec<(Scope, Role)>> =
        LazyLock::new(|| ROLES.iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, *role))).collect());
    let said = |scope: &Scope| KNOWN.iter().find(|(start, _)| start.is_prefix_of(*scope)).map(|(_, role)| *role);
    scopes.as_slice().iter().rev().find_map(said).unwrap_or(Role::Code)
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
    fn a_language_is_wanted_once_and_ready_when_it_is_loaded() {
        let mut loading = Loading::default();
        assert!(!loading.ready("sql", "SELECT 1") && !loading.ready("sql", "SELECT 2"));
        assert_eq!(std::mem::take(&mut loading.wanted), [("sql".to_owned(), "SELECT 1".to_owned())]);
        loading.asked.insert("sql".to_owned(), true);
        assert!(loading.ready("sql", "SELECT 2") && loading.wanted.is_empty());
    }

    #[test]
    fn without_colours_or_over_the_cap_it_is_plain() {
        let mono = Theme::named("mono").unwrap();
        assert_eq!(highlight("SELECT 1", "sql", &mono)[0].style, mono.style(Role::Code));
        let long = "SELECT 1;\n".repeat(4_000);
        assert_eq!(highlight(&long, "sql", &Theme::default()).len(), 4_001);
    }
}
