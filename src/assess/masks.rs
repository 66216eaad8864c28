//! Where a text holds secrets: by their value, where the session knows it, and by their shape. What is found is only
//! masked on the screen; nothing is decided by it.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex::Regex;

use super::AssessSettings;
use super::secrets::{certain, forms, named, placeholder, secret_kind, under};
use crate::domain::{Detail, Operation, OperationKind, Prepared, Preview, Span, Table, Text, masked, masked_part};

/// Shortest value that is looked for, in bytes: a shorter one is a word of its own too often.
const SHORTEST: usize = 6;
/// Longest part of a call that wasn't read that is shown, in bytes.
const LONGEST: usize = 8 * 1024;
/// Parts of the name of a variable that say that its value is a secret.
const TELLING: [&str; 11] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "KEY", "APIKEY", "CREDENTIAL", "CREDENTIALS", "PW"];

/// The secrets that the session itself holds: its model's key, its connections' passwords, what its environment says.
/// What is learnt later is masked everywhere from then on: copies share it.
#[derive(Clone, Default)]
pub struct Known(Arc<RwLock<Vec<String>>>);

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({} values)", self.0.read().unwrap_or_else(PoisonError::into_inner).len())
    }
}

impl Known {
    /// These values, as they are and as a URL spells them.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = String>) -> Self {
        let known = Self::default();
        known.learn(values);
        known
    }

    /// These values too, from now on, wherever this is known.
    pub fn learn(&self, values: impl IntoIterator<Item = String>) {
        let long = |value: &String| value.len() >= SHORTEST;
        let encoded = |value: &str| url::form_urlencoded::byte_serialize(value.as_bytes()).collect::<String>();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.extend(values.into_iter().filter(long).flat_map(|value| [encoded(&value), value]));
        known.sort_by_key(|value| (usize::MAX - value.len(), value.clone()));
        known.dedup();
    }

    /// The values of an environment whose names say that they are secrets.
    #[must_use]
    pub fn values_of(environment: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
        let telling = |name: &str| name.to_ascii_uppercase().split('_').any(|word| TELLING.contains(&word));
        let plain = |value: &str| value.starts_with(['/', '~', '.']) || value.contains(char::is_whitespace);
        let told = environment.into_iter().filter_map(|(name, value)| {
            (telling(&name) && !plain(&value) && value.len() >= SHORTEST + 2).then_some(value)
        });
        told.collect()
    }

    /// How many there are: only more come.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// All of them, the longest first.
    #[must_use]
    pub fn values(&self) -> Vec<String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn found(&self, text: &str) -> Vec<Span> {
        let apart = |at: Option<char>| at.is_none_or(|letter| !letter.is_alphanumeric());
        let of = |value: &'_ String| {
            text.match_indices(value.as_str())
                .filter(|(at, _)| {
                    apart(text[..*at].chars().next_back()) && apart(text[at + value.len()..].chars().next())
                })
                .map(|(at, _)| at..at + value.len())
                .collect::<Vec<_>>()
        };
        self.0.read().unwrap_or_else(PoisonError::into_inner).iter().flat_map(of).collect()
    }
}

/// Where words of a command or of SQL say that a secret follows.
static SPOKEN: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let spoken = [
        r#"(?i)(?:^|\s)--?[\w-]*(?:password|passwd|passphrase|token|secret|api-?key)\s+["']?([^\s"'-][^\s"']*)"#,
        r"(?i)\b(?:identified(?:\s+with\s+\S+)?\s+by|password)\s+'([^']+)'",
        r#"(?i)\bcurl\b[^|;&\n]*?\s(?:-u|--user)[\s=]?["']?[^\s:"'/]*:([^\s"'@]+)"#,
        r"(?i)\b(?:mysql|mariadb)[\w-]*\b[^|;&\n]*?\s-p([^\s-]\S*)",
    ];
    spoken.iter().filter_map(|spoken| Regex::new(spoken).ok()).collect()
});

/// The headers of a request whose value is a secret.
static HEADERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?im)(?:^|["'])[\w-]*(?:authorization|cookie|token|api-key|apikey|secret)[\w-]*:[ \t]*([^"'\n]+)"#)
        .ok()
});

/// Where the text of an operation holds secrets, in order and apart.
#[must_use]
pub fn secrets_of(operation: &Operation, settings: &AssessSettings) -> Vec<Span> {
    let headers = matches!(operation.kind, OperationKind::Http(_) | OperationKind::Command(_));
    let Text { language, body } = operation.kind.text();
    let body = if language == "diff" { unsigned(&body) } else { body };
    secret_spans(&body, headers, &settings.known)
}

/// Rows as one may look at them: what stands under a name such as `password` counts as a secret.
#[must_use]
pub fn table_shown(table: &Table, known: &Known) -> Table {
    table.masked(&secret_cells(table, known))
}

/// Where the text of a recorded operation holds secrets: as was noted then, and as far as is known today.
#[must_use]
pub fn secrets_again(prepared: &Prepared, settings: &AssessSettings) -> Vec<Span> {
    let today = secrets_of(&prepared.operation, settings);
    joined(prepared.assessment.secrets.iter().cloned().chain(today).collect())
}

/// Whether a text holds a secret, by its value or by its shape.
#[must_use]
pub fn holds_secret(text: &str, known: &Known) -> bool {
    !secret_spans(text, true, known).is_empty()
}

/// The beginning of a call that wasn't read, with masks in the place of what has the shape of a secret. It is looked at
/// a little further than it is shown, so that no secret is cut where it begins.
#[must_use]
pub fn call_shown(name: &str, arguments: &str) -> String {
    let said = format!("{name} {arguments}");
    let seen = &said[..said.floor_char_boundary(2 * LONGEST)];
    let end = seen.floor_char_boundary(LONGEST);
    let mut spans = secret_spans(seen, true, &Known::default());
    let (plain, offsets) = unescaped(seen);
    let at = |place: usize| offsets.get(place).copied().unwrap_or(seen.len());
    let within = secret_spans(&plain, true, &Known::default());
    spans.extend(within.into_iter().map(|span| at(span.start)..at(span.end)));
    let shown = masked_part(seen, &joined(spans), 0..end);
    if end < said.len() { format!("{shown}…") } else { shown }
}

/// A text of a model's or of an operation's with masks in the place of secrets: of those that are known by their value,
/// and of what has the shape of one.
#[must_use]
pub fn conceal_text(text: &str, known: &Known) -> String {
    masked(text, &secret_spans(text, true, known))
}

/// What nobody was asked about, as a model may have it: with masks in the place of what is certainly a secret, and how many
/// those are. None where there is none.
#[must_use]
pub fn withheld(text: &str, known: &Known) -> Option<(String, usize)> {
    let spans = withheld_spans(text, known);
    (!spans.is_empty()).then(|| (masked(text, &spans), spans.len()))
}

/// A cell of a table as it may be shown: all of it masked under a name such as `password`, else what is certainly a
/// secret in it. None where there is none.
#[must_use]
pub fn cell_withheld(column: &str, value: &str, known: &Known) -> Option<String> {
    if under(column, value) {
        return Some(masked(value, std::slice::from_ref(&(0..value.len()))));
    }
    withheld(value, known).map(|(shown, _)| shown)
}

/// Where a text holds what is certainly a secret, in order and apart.
#[must_use]
pub fn withheld_spans(text: &str, known: &Known) -> Vec<Span> {
    joined(known.found(text).into_iter().chain(certain(text)).collect())
}

/// Where a text holds what is known by its value, in order and apart.
#[must_use]
pub fn known_spans(text: &str, known: &Known) -> Vec<Span> {
    joined(known.found(text))
}

/// A text without the backslashes of JSON, and where each of its bytes stood.
fn unescaped(text: &str) -> (String, Vec<usize>) {
    let (mut plain, mut offsets) = (String::new(), Vec::new());
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        let letter = match letter {
            '\\' => match letters.next() {
                Some((_, 'n' | 'r' | 't')) => ' ',
                Some((_, escaped)) => escaped,
                None => letter,
            },
            letter => letter,
        };
        plain.push(letter);
        offsets.extend(std::iter::repeat_n(at, letter.len_utf8()));
    }
    (plain, offsets)
}

/// A diff with blanks in the place of its signs, which no name stands behind.
fn unsigned(diff: &str) -> String {
    let plain = |line: &str| match line.strip_prefix(['+', '-']) {
        Some(rest) => format!(" {rest}"),
        None => line.to_owned(),
    };
    diff.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// Says of each part of a preview where it holds secrets.
pub fn conceal(preview: &mut Preview, settings: &AssessSettings) {
    let spans = |detail: &Detail| match detail {
        Detail::Diff { text, .. } => secret_spans(&unsigned(text), false, &settings.known),
        Detail::Text(text) => secret_spans(&text.body, text.language == "http", &settings.known),
        Detail::Rows { table, .. } => secret_cells(table, &settings.known),
    };
    preview.secrets = preview.details.iter().map(spans).collect();
}

/// Where the cells of a table, written one after the other, hold secrets. What stands in a column counts as a value under
/// the column's name, and is one as a whole.
fn secret_cells(table: &Table, known: &Known) -> Vec<Span> {
    let (mut spans, mut start) = (Vec::new(), 0);
    for row in &table.rows {
        for (at, value) in row.iter().enumerate() {
            let Some(value) = value else { continue };
            let column = table.columns.get(at).map_or("", String::as_str);
            if under(column, value) {
                spans.push(start..start + value.len());
            } else {
                let within = secret_spans(value, false, known);
                spans.extend(within.into_iter().map(|span| start + span.start..start + span.end));
            }
            start += value.len();
        }
    }
    spans
}

/// Whether one of the words of `SPOKEN` may stand in a text; other spellings of its letters are left to the patterns.
fn may_speak(text: &str) -> bool {
    const WORDS: [&str; 8] = ["pass", "token", "secret", "api", "identified", "curl", "mysql", "mariadb"];
    !text.is_ascii() || {
        let lower = text.to_ascii_lowercase();
        WORDS.iter().any(|word| lower.contains(word))
    }
}

fn secret_spans(text: &str, headers: bool, known: &Known) -> Vec<Span> {
    let mut spans = known.found(text);
    spans.extend(forms(text));
    spans.extend(named(text));
    // The patterns are made only for a text that they can match in: a hook is a new process each time.
    let spoken = may_speak(text).then(|| SPOKEN.iter()).into_iter().flatten();
    let headers = (headers && text.contains(':')).then(|| HEADERS.as_ref()).flatten();
    for found in spoken.chain(headers).flat_map(|spoken| spoken.captures_iter(text)) {
        if let Some(value) = found.get(1).filter(|value| !placeholder(value.as_str())) {
            spans.push(value.start()..value.end());
        }
    }
    if spans.is_empty() && text.contains('%') && secret_kind(text).is_some() {
        spans.extend(encoded(text));
    }
    joined(spans)
}

/// The words that hold a secret only once they are decoded: a URL's query, or all of the word.
fn encoded(text: &str) -> impl Iterator<Item = Span> {
    words(text).filter(|word| secret_kind(&text[word.clone()]).is_some()).map(|word| {
        let from = text[word.clone()].find('?').map_or(0, |at| at + 1);
        word.start + from..word.end
    })
}

fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_whitespace().map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        start..start + word.len()
    })
}

/// In order, those that meet made one.
pub(super) fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans.into_iter().filter(|span| span.start < span.end) {
        match joined.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::masked;

    fn shown(text: &str) -> String {
        let known = Known::of(["s+cret!1".to_owned(), "short".to_owned()]);
        let spans = secret_spans(text, true, &known);
        let shown = masked(text, &spans);
        let mut plain = shown.clone();
        while let (Some(start), Some(end)) = (plain.find('⟦'), plain.find('⟧')) {
            plain.replace_range(start..end + '⟧'.len_utf8(), "•");
        }
        plain
    }

    #[test]
    fn only_the_secret_itself_is_masked() {
        let long = "a1".repeat(20);
        for (text, said) in [
            ("echo s+cret!1 short", "echo • short"),
            ("echo s%2Bcret%211", "echo •"),
            ("psql postgres://ann:hunter2@db/shop", "psql postgres://ann:•@db/shop"),
            ("PGPASSWORD=hunter2 psql", "PGPASSWORD=• psql"),
            ("x --password hunter2 -v", "x --password • -v"),
            ("x --password \"$PW\"", "x --password \"$PW\""),
            ("x --token-file a", "x --token-file a"),
            ("x --token ⟦masked: 40 characters⟧", "x --token •"),
            ("A_TOKEN=⟦masked: 40 characters⟧", "A_TOKEN=•"),
            ("mysql -u root -phunter2 shop", "mysql -u root -p• shop"),
            ("curl -u ann:hunter2 https://x.example", "curl -u ann:• https://x.example"),
            ("docker run -u 1000:1000 x", "docker run -u 1000:1000 x"),
            ("curl -H 'X-Api-Key: abc' x", "curl -H 'X-Api-Key: •' x"),
            ("CREATE USER a IDENTIFIED BY 'pw'", "CREATE USER a IDENTIFIED BY '•'"),
            ("ALTER ROLE a PASSWORD 'p w'", "ALTER ROLE a PASSWORD '•'"),
            ("password: \"my long one\"\nname: x", "password: \"•\"\nname: x"),
            ("GET https://x.example/?pass%77ord=hunter2", "GET https://x.example/?•"),
            ("authorization: Bearer abc\nx: y", "authorization: •\nx: y"),
            ("a -----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nb", "a •\n•\n•\nb"),
            ("SELECT name FROM customers WHERE id = 7", "SELECT name FROM customers WHERE id = 7"),
        ] {
            assert_eq!(shown(text), said, "{text}");
        }
        assert_eq!(shown(&format!("x ghp_{long} y")), "x • y");
        assert_eq!(shown(&format!("curl -H 'Authorization: Bearer {long}'")), "curl -H 'Authorization: •'");
        assert_eq!(shown("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl x"), "• x");
    }

    #[test]
    fn a_call_that_was_not_read_is_shown_masked_and_cut() {
        let key = format!("sk-proj-{}", "a1B2".repeat(12));
        for (arguments, secret) in [
            (r#"{"command":"mysql -phunter2 shop""#, "hunter2"),
            (r#"{"password":"hunter2"}"#, "hunter2"),
            (r#"{"command":"export DB_PASSWORD=\"hunter2\""}"#, "hunter2"),
            (r#"{"headers":{"authorization":"Bearer a8F3kQ9zL2mX7pR4tV6w"}}"#, "a8F3kQ9zL2mX7pR4tV6w"),
            (key.as_str(), key.as_str()),
        ] {
            let shown = call_shown("run", arguments);
            assert!(shown.starts_with("run ") && shown.contains("⟦masked: ") && !shown.contains(secret), "{shown}");
        }
        let long = call_shown("run", &format!("{} {key} {}", "é ".repeat(2_725), "b ".repeat(100_000)));
        assert!(long.len() < LONGEST + 100 && long.contains("⟦masked: ") && !long.contains("sk-proj"), "{long}");
        assert_eq!(call_shown("run", r#"{"command":"ls"}"#), r#"run {"command":"ls"}"#);
    }

    #[test]
    fn an_environment_says_by_its_names_what_is_secret() {
        let variables = [
            ("OPENAI_API_KEY", "sk-12345678"),
            ("DB_PASSWORD", "hunter22"),
            ("SSH_KEY_FILE", "/home/a/key"),
            ("MONKEY", "bananabanana"),
            ("HOME", "/home/a"),
            ("A_TOKEN", "short"),
        ];
        let values = Known::values_of(variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(values, ["sk-12345678", "hunter22"]);
        assert_eq!(format!("{:?}", Known::of(values)), "Known(2 values)");
    }

    #[test]
    fn a_preview_says_of_each_part_where_its_secrets_are() {
        let text = |body: &str| Detail::Text(Text { language: "http", body: body.to_owned() });
        let diff = Detail::Diff { text: "+password=hunter2".to_owned(), language: String::new() };
        let mut preview = Preview { details: vec![text("cookie: a=b"), diff], ..Preview::default() };
        conceal(&mut preview, &AssessSettings::default());
        let starts: Vec<Vec<usize>> =
            preview.secrets.iter().map(|spans| spans.iter().map(|span| span.start).collect()).collect();
        assert_eq!(starts, [[8], [10]]);
    }

    #[test]
    fn rows_are_masked_by_the_names_of_their_columns_and_by_the_shapes_of_their_cells() {
        let row = |cells: [&str; 4]| cells.map(|cell| Some(cell.to_owned())).to_vec();
        let table = Table {
            columns: ["id", "password_hash", "note", "new api_key"].map(str::to_owned).to_vec(),
            rows: vec![
                row(["1", "two words", "ñ postgres://ann:hunter2@db/shop", "k1k2k3k4k5"]),
                vec![Some("2".to_owned()), None, Some("hunter22".to_owned()), Some("none".to_owned())],
            ],
            ..Table::default()
        };
        let rows = Detail::Rows { title: String::new(), table: table.clone() };
        let mut preview = Preview { details: vec![rows], ..Preview::default() };
        let settings = AssessSettings { known: Known::of(["hunter22".to_owned()]), ..AssessSettings::default() };
        conceal(&mut preview, &settings);
        let shown = table.masked(&preview.secrets[0]);
        let cells: Vec<String> = shown.rows.iter().flatten().map(|cell| cell.clone().unwrap_or_default()).collect();
        assert_eq!(
            cells,
            [
                "1",
                "⟦masked: 9 characters⟧",
                "ñ postgres://ann:⟦masked: 7 characters⟧@db/shop",
                "⟦masked: 10 characters⟧",
                "2",
                "",
                "⟦masked: 8 characters⟧",
                "none",
            ]
        );
        assert_eq!(table.masked(&[]), table);
    }

    proptest! {
        #[test]
        fn what_is_found_lies_apart_on_whole_letters(text in "(?s)[a-z ñ%=:'\"\n/@?-]{0,40}(password|token|--secret|://)?[=: ]?.{0,40}") {
            let spans = secret_spans(&text, true, &Known::of(["secret".to_owned()]));
            let mut last = 0;
            for span in spans {
                prop_assert!(span.start >= last && span.start < span.end && text.get(span.clone()).is_some());
                last = span.end;
            }
        }
    }
}
