//! Hidden or confusable text: control characters, bidi, zero-width, look-alike letters, padding. Added to
//! every assessment by [`super::assess`], so that no assessor can forget it. Ordinary text of any script is
//! left alone, and so are words that are written in one script throughout.

use super::letters::{disguised, dressed, invisible, joins, name, sign, takes_variation, twin, unusual_blank};
use super::sql;
use crate::domain::{Class, Danger, Declared, FileOperation, Finding, OperationKind, Span};

/// More blanks in a row, or more empty lines, push what follows out of view.
const BLANKS: usize = 200;
const EMPTY_LINES: usize = 30;

/// What a piece of text is to the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Shell text: quotes matter, a carriage return is a letter of a word.
    Command,
    /// SQL: what is a name and what is a string is told by the engine's own splitting.
    Sql,
    /// A path, URL, method or header: one line, no quotes.
    Name,
    /// What is written, sent or searched for: its letters are somebody's text.
    Content,
}

/// One piece of text of an operation.
struct Field<'a> {
    name: &'static str,
    role: Role,
    text: &'a str,
    /// For SQL that can be split: where its names stand.
    names: Option<Vec<Span>>,
}

/// Findings about characters that a person can't see or would take for others.
pub(super) fn findings(kind: &OperationKind) -> Vec<Finding> {
    fields(kind).iter().flat_map(examine).collect()
}

/// The same about what a server says of its tool.
pub(super) fn described(declared: &Declared) -> Vec<Finding> {
    let name = "server's description";
    let mut findings = examine(&Field { name, role: Role::Content, text: &declared.description, names: None });
    if declared.hides {
        let sentence = "The server's schema of the tool holds characters that nobody sees.";
        findings.push(Finding::new("text.hidden", Class::Declared(Danger::Sensitive), sentence));
    }
    findings
}

/// A text without the characters that nobody sees: what a server says reaches a model without what it hides.
#[must_use]
pub fn visible(text: &str) -> String {
    let field = Field { name: "text", role: Role::Content, text, names: None };
    let mut hidden = hidden(&field).into_iter().map(|(at, _)| at).peekable();
    let seen = text.char_indices().filter(|(at, _)| hidden.next_if_eq(at).is_none());
    seen.map(|(_, letter)| letter).collect()
}

/// A command without the characters that nobody sees, or that shells and people read differently: an unusual blank is a
/// usual one, and what goes back to the line's start begins one. None if it has no such.
pub(super) fn as_it_looks(command: &str) -> Option<String> {
    let field = Field { name: "command", role: Role::Command, text: command, names: None };
    let mut hidden = hidden(&field).into_iter().map(|(at, _)| at).peekable();
    let seen = command.char_indices().filter_map(|(at, letter)| {
        let unseen = hidden.next_if_eq(&at).is_some();
        match letter {
            ' ' | '\n' | '\t' => Some(letter),
            '\r' => Some('\n').filter(|_| !command[at + 1..].starts_with('\n')),
            _ if letter.is_whitespace() => Some(' '),
            _ => Some(letter).filter(|_| !unseen),
        }
    });
    Some(seen.collect()).filter(|seen| seen != command)
}

fn fields(kind: &OperationKind) -> Vec<Field<'_>> {
    let field = |name, role, text| Field { name, role, text, names: None };
    match kind {
        OperationKind::Sql(operation) => {
            // Only foreign letters are looked for in names.
            let names = if operation.sql.is_ascii() { None } else { sql::spans_of_names(operation) };
            vec![Field { names, ..field("SQL", Role::Sql, operation.sql.as_str()) }]
        }
        OperationKind::Command(command) => vec![field("command", Role::Command, command.command.as_str())],
        OperationKind::File(file) => {
            let mut fields = vec![field("path", Role::Name, file.path())];
            match file {
                FileOperation::Write { content, .. } => fields.push(field("content", Role::Content, content)),
                FileOperation::Edit { new, .. } => fields.push(field("new text", Role::Content, new)),
                FileOperation::Move { destination, .. } => fields.push(field("destination", Role::Name, destination)),
                FileOperation::Read { .. }
                | FileOperation::List { .. }
                | FileOperation::Exists { .. }
                | FileOperation::Delete { .. } => {}
            }
            fields
        }
        OperationKind::Http(http) => {
            let mut fields =
                vec![field("method", Role::Name, http.method.as_str()), field("URL", Role::Name, &http.url)];
            for (name, value) in &http.headers {
                fields.extend([field("header", Role::Name, name.as_str()), field("header", Role::Name, value)]);
            }
            fields.extend(http.body.as_deref().map(|body| field("body", Role::Content, body)));
            fields
        }
        OperationKind::Search(search) => {
            let mut fields = vec![field("pattern", Role::Content, search.pattern.as_str())];
            fields.extend(search.path.as_deref().map(|path| field("path", Role::Name, path)));
            fields.extend(search.glob.as_deref().map(|glob| field("glob", Role::Name, glob)));
            fields
        }
        OperationKind::Find(find) => {
            let mut fields = vec![field("glob", Role::Name, find.glob.as_str())];
            fields.extend(find.path.as_deref().map(|path| field("path", Role::Name, path)));
            fields
        }
        // Its paths were judged when they were changed.
        OperationKind::Undo(_) => Vec::new(),
        // A name that a run chose may hide something; what it wrote is shown as it is, neutralised.
        OperationKind::Apply(apply) => {
            let names = apply.changes.iter().filter_map(|change| change.path.to_str());
            names.map(|path| field("path", Role::Name, path)).collect()
        }
        OperationKind::Mcp(mcp) => {
            let texts =
                mcp.arguments.iter().flat_map(|(key, value)| std::iter::once(key.as_str()).chain(strings(value)));
            texts.map(|text| field("arguments", Role::Content, text)).collect()
        }
        OperationKind::Answer(answer) => answer.texts().map(|text| field("arguments", Role::Content, text)).collect(),
        // Shown as JSON, which escapes control characters; the rest is looked at as text.
        OperationKind::Other(arguments) => {
            strings(arguments).map(|text| field("arguments", Role::Content, text)).collect()
        }
    }
}

/// Every string of a JSON value, keys included.
fn strings(value: &serde_json::Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        serde_json::Value::String(text) => Box::new(std::iter::once(text.as_str())),
        serde_json::Value::Array(items) => Box::new(items.iter().flat_map(strings)),
        serde_json::Value::Object(map) => {
            Box::new(map.iter().flat_map(|(key, value)| std::iter::once(key.as_str()).chain(strings(value))))
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
            Box::new(std::iter::empty())
        }
    }
}

fn examine(field: &Field<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Most text is plain: then nothing in it can be hidden or taken for another letter.
    let plain = |byte: u8| matches!(byte, b' '..=b'~') || matches!(byte, b'\n' | b'\t') && field.role != Role::Name;
    if !field.text.bytes().all(plain) {
        findings.extend(unseen(field));
    }
    if let Some(what) = padding(field.text) {
        let sentence = format!("The {} holds {what}, which push what follows out of view.", field.name);
        findings.push(Finding::new("text.padding", Class::Declared(Danger::Sensitive), sentence));
    }
    findings
}

/// What a person can't see, or would take for something else.
fn unseen(field: &Field<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let hidden = hidden(field);
    if let Some((at, letter)) = hidden.first().copied() {
        let more = match hidden.len() {
            1 => String::new(),
            many => format!(", and {} more", many - 1),
        };
        let sentence = format!("The {} hides text: {}{more}.", field.name, place(field.text, at, letter));
        findings.push(spanned(field, Finding::new("text.hidden", class(field.role), sentence), at, letter));
    }
    if field.role != Role::Content
        && let Some((at, letter)) = look_alike(field)
    {
        let sentence = format!("The {} has a look-alike letter: {}.", field.name, place(field.text, at, letter));
        findings.push(spanned(field, Finding::new("text.look-alike", class(field.role), sentence), at, letter));
    }
    findings
}

fn class(role: Role) -> Class {
    match role {
        Role::Command | Role::Sql | Role::Name => Class::Unreadable,
        Role::Content => Class::Declared(Danger::Sensitive),
    }
}

/// Adds the byte range where the field is the whole judged text.
fn spanned(field: &Field<'_>, finding: Finding, at: usize, letter: char) -> Finding {
    match field.role {
        Role::Command | Role::Sql => finding.at(at..at + letter.len_utf8()),
        Role::Name | Role::Content => finding,
    }
}

/// `U+202E right-to-left override at character 12`.
fn place(text: &str, at: usize, letter: char) -> String {
    let number = text[..at].chars().count() + 1;
    format!("U+{:04X} {} at character {number}", u32::from(letter), name(letter))
}

/// Where hidden characters are.
fn hidden(field: &Field<'_>) -> Vec<(usize, char)> {
    let quoted = quoted(field);
    let mut found = Vec::new();
    let mut before = None;
    let mut letters = field.text.char_indices().enumerate().peekable();
    while let Some((number, (at, letter))) = letters.next() {
        let after = letters.peek().map(|(_, (_, letter))| *letter);
        let counts = match letter {
            '\n' | '\t' => field.role == Role::Name,
            '\r' => field.role == Role::Command || field.role == Role::Name || after != Some('\n'),
            '\u{0c}' => field.role != Role::Content && field.role != Role::Sql,
            '\u{feff}' => field.role != Role::Content || at > 0,
            '\u{200c}' | '\u{200d}' => !joins(before, after),
            '\u{200e}' | '\u{200f}' => field.role != Role::Content,
            '\u{fe00}'..='\u{fe0f}' => !before.is_some_and(takes_variation),
            letter if unusual_blank(letter) => match field.role {
                Role::Command => !quoted.get(number).copied().unwrap_or(false),
                // Text that can be split has them in names, strings and comments alone.
                Role::Sql => field.names.is_none(),
                Role::Name => true,
                Role::Content => false,
            },
            letter => letter.is_control() || invisible(letter),
        };
        if counts {
            found.push((at, letter));
        }
        before = Some(letter);
    }
    found
}

/// The first letter that is drawn like another one, where it surprises.
fn look_alike(field: &Field<'_>) -> Option<(usize, char)> {
    match field.role {
        Role::Sql => field.names.as_ref()?.iter().find_map(|span| {
            let name: Vec<_> =
                field.text.get(span.clone())?.char_indices().map(|(at, c)| (at + span.start, c)).collect();
            disguised(&name)
        }),
        Role::Name => {
            field.text.char_indices().find(|(_, letter)| sign(*letter)).or_else(|| in_words(field, disguised))
        }
        Role::Command => {
            in_words(field, |word| word.iter().find(|(_, letter)| dressed(*letter)).copied().or_else(|| twin(word)))
        }
        Role::Content => None,
    }
}

/// Asks for each run of letters outside of quotes.
fn in_words(field: &Field<'_>, find: impl Fn(&[(usize, char)]) -> Option<(usize, char)>) -> Option<(usize, char)> {
    let quoted = quoted(field);
    let mut word: Vec<(usize, char)> = Vec::new();
    for (number, (at, letter)) in field.text.char_indices().enumerate() {
        let plain = !quoted.get(number).copied().unwrap_or(false);
        if plain && (letter.is_alphabetic() || dressed(letter)) {
            word.push((at, letter));
        } else if let Some(found) = find(&word) {
            return Some(found);
        } else {
            word.clear();
        }
    }
    find(&word)
}

/// For each letter, whether it stands between quotes. A rough reading, for the eye: what runs is read by
/// the parsers.
fn quoted(field: &Field<'_>) -> Vec<bool> {
    if field.role != Role::Command {
        return Vec::new();
    }
    let mut open = None;
    let mut escaped = false;
    field
        .text
        .chars()
        .map(|letter| {
            let inside = open.is_some();
            match (letter, open) {
                _ if escaped => escaped = false,
                ('\\', None | Some('"')) => escaped = true,
                ('\'' | '"', None) => open = Some(letter),
                (letter, Some(quote)) if letter == quote => open = None,
                _ => {}
            }
            inside
        })
        .collect()
}

fn padding(text: &str) -> Option<String> {
    let (mut blanks, mut most_blanks, mut lines, mut most_lines) = (0_usize, 0, 0_usize, 0);
    for letter in text.chars() {
        match letter {
            '\n' => {
                // Blanks at the end of a line hide nothing.
                blanks = 0;
                lines += 1;
            }
            letter if letter.is_whitespace() => blanks += 1,
            _ => {
                most_blanks = most_blanks.max(blanks);
                most_lines = most_lines.max(lines.saturating_sub(1));
                (blanks, lines) = (0, 0);
            }
        }
    }
    if most_blanks > BLANKS {
        return Some(format!("{most_blanks} blanks in a row"));
    }
    (most_lines > EMPTY_LINES).then(|| format!("{most_lines} empty lines in a row"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{CommandOperation, HttpOperation, SqlOperation, SqlWay};

    fn command(text: &str) -> OperationKind {
        OperationKind::Command(CommandOperation { command: text.to_owned(), timeout: None, terminal: false })
    }

    fn sql(text: &str) -> OperationKind {
        OperationKind::Sql(SqlOperation {
            connection: String::new(),
            dialect: None,
            sql: text.to_owned(),
            way: SqlWay::Plain,
        })
    }

    fn read(path: &str) -> OperationKind {
        OperationKind::File(FileOperation::Read { path: path.to_owned(), offset: None, limit: None })
    }

    fn write(content: &str) -> OperationKind {
        OperationKind::File(FileOperation::Write { path: "a".to_owned(), content: content.to_owned() })
    }

    #[test]
    fn hidden_text_in_what_runs_is_unreadable_and_says_where() {
        let found = findings(&command("ls \u{202e}txt.exe"));
        assert_eq!(found[0].class, Class::Unreadable);
        assert_eq!(found[0].sentence, "The command hides text: U+202E right-to-left override at character 4.");
        assert_eq!(found[0].span, Some(3..6));
        for kind in [
            command("ls\u{200b}"),
            command("ls\u{a0}-l"),
            command("ls\r"),
            command("echo \u{1b}[8m"),
            sql("SELECT 1 \u{feff}"),
            sql("SELECT\u{3000}1"),
            read("a\0b"),
            read("a\nb"),
            read("a\u{e0041}"),
            OperationKind::Http(HttpOperation {
                method: "GET\0".to_owned(),
                url: "https://example.org".to_owned(),
                headers: Vec::new(),
                body: None,
            }),
        ] {
            assert!(findings(&kind).iter().any(|f| f.class == Class::Unreadable), "{kind:?}");
        }
    }

    #[test]
    fn look_alike_letters_are_named() {
        for kind in [
            command("саt a.txt"),
            command("gіt push"),
            read("docs/pаssword"),
            read("docs/ｐassword"),
            command("ｒm a"),
            read("a\u{2215}b"),
            read("a．．／b"),
            sql("SELECT pаssword FROM t"),
            sql("SELECT `uｓers`.a FROM t"),
        ] {
            assert_eq!(findings(&kind)[0].rule, "text.look-alike", "{kind:?}");
        }
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        for kind in [
            command("echo 你好 Привет γειά σου"),
            command("echo '👩\u{200d}💻 ❤\u{fe0f}' \"日本\u{3000}語\""),
            command("cat отчёт_final.txt\nls\t-l"),
            command("echo 'Δt=5µs; аbc'"),
            sql("SELECT 'Привет', N'ａｂｃ'\r\nFROM t"),
            sql("SELECT \"naïve\" FROM café"),
            sql("SELECT `Ｃ１`, 金額（円） FROM ｔ１ WHERE a = 'it\\'s ａ\u{3000}b'"),
            sql("SELECT 'раssword' FROM имя -- ｓee"),
            read("報告（最終）：ａ.txt"),
            read("Übersicht/naïve.md"),
            read("خانه\u{200c}ها.txt"),
            write("fn main() {\r\n\tprintln!(\"שלום\u{200f}\");\n}\n"),
        ] {
            assert_eq!(findings(&kind), [], "{kind:?}");
        }
    }

    #[test]
    fn hidden_text_in_content_is_said_but_readable() {
        let found = findings(&write("if admin {\u{2066}// check"));
        assert_eq!((found[0].rule.as_str(), found[0].class), ("text.hidden", Class::Declared(Danger::Sensitive)));
    }

    #[test]
    fn padding_is_said() {
        let spaces = " ".repeat(300);
        let lines = "\n".repeat(40);
        for text in [format!("ls{spaces}; rm a"), format!("ls{lines}rm a")] {
            assert_eq!(findings(&command(&text))[0].rule, "text.padding");
        }
        assert_eq!(findings(&command(&format!("ls{spaces}\n{lines}"))), []);
    }
}
