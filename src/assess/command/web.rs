//! What a program that looks at public hosts sends out: the same looks as a request of ours, in the words of `curl` and
//! `wget`. While they run a proxy of ours is all the network that they have, and judges each host as it is dialled.

use super::judge::Judge;
use super::kind::Kind;
use super::word::{Piece, Word};
use crate::assess::http;

/// Hosts that begin so are asked by other protocols than HTTP where no scheme is said. From curl(1).
const GUESSED: [&str; 6] = ["ftp.", "dict.", "ldap.", "imap.", "smtp.", "pop3."];

impl Judge<'_> {
    /// Judges a word that goes out with a look.
    pub(super) fn goes_out(&mut self, kind: Kind, name: &str, word: &Word) {
        let text = word.text().map(str::to_owned).or_else(|| Some(word).filter(|_| kind == Kind::Url).and_then(query));
        let Some(text) = text.as_deref() else {
            self.ineligible = true;
            let sentence = format!("What `{name}` sends in {} isn't known before it runs.", word.shown());
            self.unknown("command.sends", sentence);
            return;
        };
        let finding = match kind {
            Kind::Url if one(text) => match http::look(text) {
                Ok(host) => {
                    self.hosts.insert(host);
                    None
                }
                Err(finding) => Some(finding),
            },
            Kind::Header if !text.starts_with('@') && text.contains(':') => {
                text.split_once(':').and_then(|(header, value)| http::by_header(header, value.trim()))
            }
            Kind::Sent if !text.contains('@') => http::objection_to_text(text),
            _ => {
                self.ineligible = true;
                self.unknown("command.operand", format!("No rule says that `{name} {}` only reads.", word.shown()));
                return;
            }
        };
        if let Some(finding) = finding {
            self.ineligible = true;
            self.object(&finding.rule, finding.class, finding.sentence);
        }
    }
}

/// A URL whose query begins with a question mark that nobody quoted. A file of the shape that it then is to the shell
/// would lie in a folder called like the host, so that the host stays the same.
fn query(word: &Word) -> Option<String> {
    let plain = |piece: &Piece| match piece {
        Piece::Exact(_) => true,
        Piece::Pattern(text) => text.bytes().all(|byte| byte == b'?'),
        _ => false,
    };
    let text = word.pattern();
    let host = word.prefix();
    let host = host.split_once("://").map_or(host, |(_, rest)| rest);
    (word.pieces.iter().all(plain) && host.contains('/')).then_some(text)
}

/// Whether a word stands for one URL, and of HTTP: `curl` makes many of some (`[1-9]`, `{a,b}`).
fn one(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    !text.contains(['[', ']', '{', '}'])
        && (lower.contains("://") || !GUESSED.iter().any(|start| lower.starts_with(start)))
}
