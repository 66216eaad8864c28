//! What a program that looks at public hosts sends out: the same looks as a request of ours, in the words of `curl` and
//! `wget`. While they run a proxy of ours is all the network that they have, and judges each host as it is dialled.

use super::judge::Judge;
use super::kind::Kind;
use super::word::Word;
use crate::assess::http;

/// Hosts that begin so are asked by other protocols than HTTP where no scheme is said. From curl(1).
const GUESSED: [&str; 6] = ["ftp.", "dict.", "ldap.", "imap.", "smtp.", "pop3."];

impl Judge<'_> {
    /// Judges a word that goes out with a look.
    pub(super) fn goes_out(&mut self, kind: Kind, name: &str, word: &Word) {
        let Some(text) = word.text() else {
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

/// Whether a word stands for one URL, and of HTTP: `curl` makes many of some (`[1-9]`, `{a,b}`).
fn one(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    !text.contains(['[', ']', '{', '}'])
        && (lower.contains("://") || !GUESSED.iter().any(|start| lower.starts_with(start)))
}
