//! What a program that looks at public hosts sends out: the same looks as a request of ours, in the words of `curl` and
//! `wget`. While they run a proxy of ours is all the network that they have, and judges each host as it is dialled.
//! Nothing goes out but what stands in the command, which whoever wrote it knows: no name of a file, no folder.

use super::judge::Judge;
use super::kind::Kind;
use super::obeys::flag_values;
use super::word::{Piece, Word};
use crate::assess::http;

/// Hosts that begin so are asked by other protocols than HTTP where no scheme is said. From curl(1).
const GUESSED: [&str; 6] = ["ftp.", "dict.", "ldap.", "imap.", "smtp.", "pop3."];
/// Most that goes out in all, in bytes.
const SENT_CAP: usize = 4096;

impl Judge<'_> {
    /// Judges a word that goes out with a look.
    pub(super) fn goes_out(&mut self, kind: Kind, name: &str, word: &Word) {
        let before = std::mem::replace(&mut self.ineligible, true);
        let query = || Some(word).filter(|_| kind == Kind::Url).and_then(query);
        let text = word.text().map(str::to_owned).or_else(query).filter(|text| self.stands_here(word, text));
        let Some(text) = text else {
            let sentence = format!("The command doesn't show what `{name}` sends in {}.", self.spelt(word));
            self.unknown("command.sends", sentence);
            return;
        };
        let plain = !text.contains(char::is_control);
        let finding = match kind {
            Kind::Url if one(&text) => match http::look(&text) {
                Ok(host) => {
                    self.hosts.insert(host);
                    None
                }
                Err(finding) => Some(finding),
            },
            Kind::Header if plain && !text.starts_with('@') && text.contains(':') => {
                text.split_once(':').and_then(|(header, value)| http::by_header(header, value.trim()))
            }
            Kind::Sent if plain && !text.starts_with('@') && !names_file(&text) => http::objection_to_text(&text),
            _ => {
                self.unknown("command.operand", format!("No rule says that `{name} {}` only reads.", word.shown()));
                return;
            }
        };
        if let Some(finding) = finding {
            self.object(&finding.rule, finding.class, finding.sentence);
            return;
        }
        self.sent.insert(text);
        if self.sent.iter().map(String::len).sum::<usize>() > SENT_CAP {
            self.unknown("command.sends", format!("`{name}` sends more than a look needs."));
            return;
        }
        self.ineligible = before;
    }

    /// Whether all of a word stands in the command itself: written there, or the value of variables that is written there.
    /// What a pattern, a substitution or the shell brings (`$PWD`) doesn't.
    fn stands_here(&self, word: &Word, text: &str) -> bool {
        let Some(raw) = word.span.as_ref().and_then(|span| self.text.get(span.clone())) else {
            return self.text.contains(text);
        };
        // In these quotes nothing is expanded.
        let quoted = raw.strip_prefix("$'").and_then(|raw| raw.strip_suffix('\''));
        if quoted.is_some_and(|inner| !inner.contains('\'') && !text.contains(char::is_control)) {
            return true;
        }
        let mut rest = text;
        let mut parts = raw.split('$');
        let literal = |part: &str| !part.contains(['`', '*', '[', '\\', '\'', '(', ')']) && !part.starts_with('~');
        // Without variables quotes and braces make it what it is, and all of that is written here.
        if !raw.contains(['$', '`', '*', '[']) && !raw.starts_with('~') {
            return true;
        }
        let Some(first) = parts.next().filter(|part| literal(part)) else { return false };
        let Some(behind) = rest.strip_prefix(first.replace('"', "").as_str()) else { return false };
        rest = behind;
        for part in parts {
            let (name, after) = if let Some(braced) = part.strip_prefix('{') {
                braced.split_once('}').unwrap_or_default()
            } else {
                let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
                part.split_at(end)
            };
            if !is_name(name) || !literal(after) {
                return false;
            }
            let after = after.replace('"', "");
            let end = match self.shown_value(name).filter(|value| rest.starts_with(value)) {
                Some(value) => Some(value.len()),
                None if after.is_empty() => Some(rest.len()).filter(|end| self.text.contains(&rest[..*end])),
                None => rest.find(&after).filter(|end| self.text.contains(&rest[..*end])),
            };
            let behind = end.and_then(|end| rest[end..].strip_prefix(after.as_str()));
            let Some(behind) = behind else { return false };
            rest = behind;
        }
        rest.is_empty()
    }

    /// The value of a variable, if it stands in the command: as it is, or as one of those that braces stand for.
    fn shown_value(&self, name: &str) -> Option<&str> {
        let value = self.scope.get(name)?;
        let text = value.text()?;
        let raw = value.span.as_ref().and_then(|span| self.text.get(span.clone()));
        let braces = |raw: &str| {
            raw.starts_with('{') && raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"{},.".contains(&byte))
        };
        (self.text.contains(text) || raw.is_some_and(braces)).then_some(text)
    }
}

/// What a `curl` or a `wget` that is no look sends, for a person: the files that it names, or that it is something. None
/// where no flag says so.
pub(super) fn sends(words: &[Word]) -> Option<String> {
    const FILES: [&str; 4] = ["-T", "--upload-file", "--post-file", "--body-file"];
    const DATA: [&str; 11] = [
        "-d",
        "--data",
        "--data-binary",
        "--data-ascii",
        "--data-urlencode",
        "--data-raw",
        "--json",
        "-F",
        "--form",
        "--post-data",
        "--body-data",
    ];
    const METHODS: [&str; 3] = ["-X", "--request", "--method"];
    let asks = |word: &Word| matches!(word.text(), Some("-G" | "--get"));
    if words.iter().any(asks) {
        return None;
    }
    let values = |flags: &'static [&'static str]| flags.iter().flat_map(|flag| flag_values(words, flag));
    let within = |word: &Word| {
        let text = word.shown();
        text.split_once('@').map(|(_, file)| file.split(';').next().unwrap_or(file).to_owned())
    };
    let files: Vec<String> =
        values(&FILES).map(|word| word.shown()).chain(values(&DATA).filter_map(|word| within(&word))).collect();
    if !files.is_empty() {
        return Some(format!("sends {}", files.join(", ")));
    }
    let writes = |word: Word| {
        word.text().is_none_or(|method| !["GET", "HEAD", "OPTIONS"].contains(&method.to_uppercase().as_str()))
    };
    let sends = values(&DATA).next().is_some() || values(&METHODS).any(writes);
    sends.then(|| "sends something".to_owned())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether `--data-urlencode` would take a file of this name: `name@file`. Behind `=` it is text.
fn names_file(text: &str) -> bool {
    text.split_once('@').is_some_and(|(before, _)| !before.contains('='))
}

/// A URL whose query begins with a question mark that nobody quoted. A file of the shape that it then is to the shell
/// would lie in a folder called like the host, so that the host stays the same.
fn query(word: &Word) -> Option<String> {
    let plain = |piece: &Piece| match piece {
        Piece::Exact(_) => true,
        Piece::Pattern(text) => text.bytes().all(|byte| byte == b'?'),
        _ => false,
    };
    let host = word.prefix();
    let host = host.split_once("://").map_or(host, |(_, rest)| rest);
    (word.pieces.iter().all(plain) && host.contains('/')).then(|| word.pattern())
}

/// Whether a word stands for one URL, and of HTTP: `curl` makes many of some (`[1-9]`, `{a,b}`), and to `wget`
/// `host:path` is a file of FTP, be it that the path begins with numbers.
fn one(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let (host, schemed) = lower.split_once("://").map_or((lower.as_str(), false), |(_, rest)| (rest, true));
    let authority = host.split('/').next().unwrap_or_default();
    let port = authority.rsplit_once(':').is_none_or(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    !text.contains(['[', ']', '{', '}']) && port && (schemed || !GUESSED.iter().any(|start| lower.starts_with(start)))
}
