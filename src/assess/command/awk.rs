//! `awk` programs: read token by token for what runs commands, writes or reads files, or shows the environment.
//! A program in which strings and regular expressions can't be told apart for sure asks, if such a word is in it.

use super::judge::Judge;
use super::word::Word;

/// Words after which a slash begins a regular expression, though they look like names.
const KEYWORDS: [&str; 14] = [
    "print", "printf", "return", "in", "case", "else", "do", "if", "while", "for", "getline", "exit", "delete", "func",
];

impl Judge<'_> {
    /// Judges the program of `awk`.
    pub(super) fn awk_program(&mut self, word: &Word) {
        let Some(program) = word.text() else {
            self.unreadable(
                "command.vague-script",
                format!("The `awk` program {} may become any program.", word.shown()),
            );
            return;
        };
        match scan(program) {
            Scan { strange: Some(what), .. } => {
                self.ineligible = true;
                self.unknown("command.awk-program", format!("The `awk` program {what}."));
            }
            Scan { strings, .. } => {
                for text in strings {
                    if let Some(entry) = self.sensitive_entry(&text) {
                        self.sensitive(format!("The `awk` program names {text}, which is sensitive: {entry}."));
                    }
                }
            }
        }
    }
}

#[derive(Default)]
struct Scan {
    strange: Option<&'static str>,
    strings: Vec<String>,
}

/// What the token before was, as far as it tells a regular expression from a division.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Operator,
    Value,
    Unclear,
}

fn scan(program: &str) -> Scan {
    const LOUD: [&str; 8] = ["system", "getline", "|", ">", "@", "ENVIRON", "ARGV", "ARGC"];
    let mut found = Scan::default();
    let loud = LOUD.iter().any(|word| program.contains(word));
    let mut before = Before::Operator;
    let mut parens = 0_i32;
    let mut printing: Option<i32> = None;
    let mut rest = program;
    while let Some(c) = rest.chars().next() {
        let tail = &rest[c.len_utf8()..];
        match c {
            ' ' | '\t' => rest = tail,
            '#' => rest = tail.find('\n').map_or("", |at| &tail[at..]),
            '"' => {
                let Some(end) = closing(tail, '"') else { return strange("has a string without an end") };
                found.strings.push(tail[..end].to_owned());
                rest = &tail[end + 1..];
                before = Before::Value;
            }
            '/' if before == Before::Unclear && loud => {
                return strange("has a slash that may be a division or a pattern");
            }
            '/' if before != Before::Value => {
                let Some(end) = closing(tail, '/') else { return strange("has a pattern without an end") };
                if tail[..end].contains('\n') || tail[..end].contains('[') && loud {
                    return strange("has a pattern whose end is not clear");
                }
                rest = &tail[end + 1..];
                before = Before::Value;
            }
            '@' => return strange("loads code or calls by name (`@`)"),
            '|' => {
                if !tail.starts_with('|') {
                    return strange("pipes to or from a command");
                }
                rest = &tail[1..];
                before = Before::Operator;
            }
            '>' if printing == Some(parens) && !tail.starts_with('=') => {
                let target = tail.trim_start_matches('>').trim_start();
                let harmless = ["\"/dev/stderr\"", "\"/dev/stdout\"", "\"/dev/null\""];
                let after = harmless.iter().find_map(|file| target.strip_prefix(file)).map(str::trim_start);
                if !after.is_some_and(|after| after.is_empty() || after.starts_with([';', '}', '\n'])) {
                    return strange("writes to a file");
                }
                rest = tail.trim_start_matches('>');
                before = Before::Operator;
            }
            '(' | ')' | '{' | '}' | ';' => {
                parens += i32::from(c == '(') - i32::from(c == ')');
                if matches!(c, '{' | '}' | ';') {
                    printing = None;
                }
                rest = tail;
                before = if c == ')' { Before::Unclear } else { Before::Operator };
            }
            '+' | '-' if tail.starts_with(c) => {
                rest = &tail[1..];
                before = Before::Unclear;
            }
            ']' | '$' => {
                rest = tail;
                before = if c == ']' { Before::Value } else { Before::Operator };
            }
            '0'..='9' | '.' => {
                rest = tail.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '.');
                before = Before::Value;
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let name = &rest[..end];
                match name {
                    "system" => return strange("runs a shell command (`system`)"),
                    "getline" if rest[end..].trim_start().contains('<') => return strange("reads a file by `getline`"),
                    "ENVIRON" | "PROCINFO" => return strange("reads the environment"),
                    "ARGV" | "ARGC" => return strange("changes or reads the list of its files"),
                    "print" | "printf" => printing = Some(parens),
                    _ => {}
                }
                before = match name {
                    "length" => Before::Unclear,
                    _ if KEYWORDS.contains(&name) => Before::Operator,
                    _ => Before::Value,
                };
                rest = &rest[end..];
            }
            '/' | '\n' | '=' | '!' | '<' | '>' | '&' | '~' | '+' | '-' | '*' | '%' | '^' | ',' | '?' | ':' | '[' => {
                rest = tail;
                before = Before::Operator;
            }
            '\\' if tail.starts_with('\n') => rest = &tail[1..],
            _ => return strange("has a character that is not understood"),
        }
    }
    found
}

fn strange(what: &'static str) -> Scan {
    Scan { strange: Some(what), strings: Vec::new() }
}

/// Where an unescaped `end` stands.
fn closing(text: &str, end: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == end => return Some(at),
            _ => {}
        }
    }
    None
}
