//! Redirections: which file each reads or writes, which descriptor it stands for, and where a here-document ends.
//! Called by the walk.

use brush_parser::ast::{
    CommandPrefixOrSuffixItem, IoFileRedirectKind, IoFileRedirectTarget, IoHereDocument, IoRedirect,
    ProcessSubstitutionKind, RedirectList, SimpleCommand, Word as Raw,
};

use super::judge::{Feed, Judge};
use super::reading::Redirect;
use super::walk::alone;
use super::word::{Piece, Word};
use crate::domain::Shape;

/// The terminal that a program was started from.
pub(super) const TERMINAL: &str = "/dev/tty";

impl Judge<'_> {
    /// Judges redirections. What flowed in before, if something else does now.
    pub(super) fn redirects(&mut self, redirects: Option<&RedirectList>) -> Option<Feed> {
        let (before, mut replaced) = (self.feed, false);
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            replaced |= self.redirect(redirect);
        }
        replaced.then_some(before)
    }

    /// Judges a redirection. Whether something else flows in from here on.
    pub(super) fn redirect(&mut self, redirect: &IoRedirect) -> bool {
        match redirect {
            IoRedirect::File(descriptor, kind, target) => {
                let input = matches!(kind, IoFileRedirectKind::Read | IoFileRedirectKind::ReadAndWrite);
                self.opened |= input && descriptor.is_some_and(|number| number != 0);
                self.redirected(kind, target);
                let flows = input || matches!(kind, IoFileRedirectKind::DuplicateInput);
                if descriptor.map_or(!flows, |number| number != 0) {
                    return false;
                }
                self.feed = match target {
                    IoFileRedirectTarget::ProcessSubstitution(ProcessSubstitutionKind::Read, subshell)
                        if alone(&subshell.list) =>
                    {
                        self.produced
                    }
                    IoFileRedirectTarget::Filename(word) if word.value == "/dev/null" => Feed::Nothing,
                    _ => Feed::Text,
                };
                self.says(None);
                true
            }
            IoRedirect::HereDocument(descriptor, document) => {
                self.here_document(document);
                let expands = document.requires_expansion && document.doc.value.contains(['$', '`', '\\']);
                let text = (!expands && !document.remove_tabs).then(|| document.doc.value.clone());
                self.flows(*descriptor, Feed::Text, text)
            }
            IoRedirect::HereString(descriptor, word) => {
                self.odd = true;
                let word = self.value(word);
                let mut pieces =
                    word.pieces.iter().filter(|piece| !matches!(piece, Piece::Exact(text) if text.is_empty()));
                let feed = match (pieces.next(), pieces.next()) {
                    (Some(Piece::Found(reach) | Piece::Whole(reach)), None) => Feed::Paths(*reach),
                    (Some(Piece::Hashes), None) => Feed::Hashes,
                    (Some(Piece::Numbers), None) => Feed::Numbers,
                    (Some(Piece::Refs), None) => Feed::Refs,
                    _ => Feed::Text,
                };
                let text = word.text().map(str::to_owned);
                self.flows(*descriptor, feed, text)
            }
            IoRedirect::OutputAndError(word, appends) => {
                self.written(word, *appends);
                false
            }
        }
    }

    /// Something flows in by a descriptor, the standard one if none is named.
    fn flows(&mut self, descriptor: Option<i32>, feed: Feed, text: Option<String>) -> bool {
        let standard = descriptor.is_none_or(|number| number == 0);
        if standard {
            self.feed = feed;
            self.says(text);
        }
        standard
    }

    /// Something else flows out beside what was printed: it is known no longer, but for paths, which may be anything.
    pub(super) fn mixed(&mut self) {
        (self.printed, self.echoed) = (None, None);
        self.produced = match self.produced {
            Feed::Paths(reach) | Feed::Whole(reach) => Feed::Paths(reach),
            Feed::Download => Feed::Download,
            Feed::Text
            | Feed::Hashes
            | Feed::Number
            | Feed::Numbers
            | Feed::Numbered
            | Feed::Counted
            | Feed::Hashed
            | Feed::Named
            | Feed::Refs
            | Feed::Names
            | Feed::Nothing => Feed::Text,
        };
    }

    fn redirected(&mut self, kind: &IoFileRedirectKind, target: &IoFileRedirectTarget) {
        match (kind, target) {
            (_, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.starts_beside();
                self.deeper(|judge| judge.isolated(|judge| judge.list(&subshell.list)));
            }
            (_, IoFileRedirectTarget::Fd(number)) => self.opened |= *number == 0,
            (IoFileRedirectKind::Read, IoFileRedirectTarget::Filename(word)) => self.read_from(word),
            (
                IoFileRedirectKind::Write
                | IoFileRedirectKind::Append
                | IoFileRedirectKind::ReadAndWrite
                | IoFileRedirectKind::Clobber,
                IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word),
            ) => self.written(word, matches!(kind, IoFileRedirectKind::Append)),
            (
                IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput,
                IoFileRedirectTarget::Filename(word),
            )
            | (
                IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput | IoFileRedirectKind::Read,
                IoFileRedirectTarget::Duplicate(word),
            ) => {
                let descriptor = word.value.trim_end_matches('-');
                self.opened |= descriptor.starts_with('0');
                if !descriptor.bytes().all(|byte| byte.is_ascii_digit()) {
                    self.written(word, false);
                }
            }
        }
    }

    fn read_from(&mut self, raw: &Raw) {
        self.odd = true;
        let word = self.value(raw);
        let word = Word { span: self.with_operator(word.span.clone()), ..word };
        let pattern = word.pattern();
        if pattern.starts_with("/dev/tcp") || pattern.starts_with("/dev/udp") {
            self.about(&word, |judge| {
                judge.external("command.redirect", "The shell opens a connection to read from it.");
            });
        } else {
            self.reads(&word);
        }
    }

    /// Something writes to the terminal that it was started from. Behind walls there is none; elsewhere it obeys some of
    /// what is written, past what is watched.
    pub(super) fn reaches_terminal(&mut self, what: &str) {
        if self.facts.is_some_and(|facts| facts.unguarded) {
            let sentence =
                format!("Nothing guards `{what}` in this run: a terminal obeys some of what is written to it.");
            self.ineligible = true;
            self.unknown("command.to-terminal", sentence);
        }
    }

    /// A redirection to a file.
    fn written(&mut self, raw: &Raw, appends: bool) {
        const HARMLESS: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];
        let word = self.value(raw);
        let pattern = word.pattern();
        if !self.opened && word.text().is_some_and(|text| HARMLESS.contains(&text)) {
            return;
        }
        if word.text() == Some(TERMINAL) {
            self.around(self.with_operator(word.span.clone()), |judge| judge.reaches_terminal("> /dev/tty"));
            return;
        }
        if let Some(read) = &mut self.read {
            read.redirects.push(Redirect { word: word.clone(), folder: self.scope.cwd.clone(), appends });
        }
        if !appends {
            self.lands_on(&word);
        }
        self.ineligible |= self.writes_later(&word);
        self.redirect_form(&word, appends);
        self.shapes.push(Shape::new([("redirect", pattern.as_str())]));
        self.around(self.with_operator(word.span.clone()), |judge| {
            if pattern.starts_with("/dev/tcp") || pattern.starts_with("/dev/udp") {
                judge.ineligible = true;
                judge.external("command.redirect", "The shell opens a connection and writes to it.");
            } else if judge.raw_device(&pattern) {
                judge.catastrophe(
                    "command.raw-device",
                    format!("Writes straight to the device {}.", judge.spelt(&word)),
                );
            } else if judge.own(&word) {
                let sentence =
                    format!("Writes to {}, which is Countersign's own and no tool changes.", judge.spelt(&word));
                judge.catastrophe("command.own", sentence);
            } else {
                judge.destructive(
                    "command.redirect",
                    format!("Writes to the file {} by redirection.", judge.spelt(&word)),
                );
            }
        });
    }

    fn here_document(&mut self, document: &IoHereDocument) {
        self.odd = true;
        let end = document.here_end.value.as_str();
        let bare = end
            .strip_prefix('\'')
            .and_then(|end| end.strip_suffix('\''))
            .or_else(|| end.strip_prefix('"').and_then(|end| end.strip_suffix('"')))
            .unwrap_or(end);
        let plain = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let body = document.doc.value.as_str();
        let early = body.lines().any(|line| line.trim() == bare);
        if !plain || early || document.requires_expansion && body.contains("\\\n") {
            self.unreadable("command.here-document", "Where its here-document ends is not clear.");
        }
        if document.requires_expansion {
            self.document(body);
        }
    }
}

/// Whether what a command complains of may flow where what it prints does.
pub(super) fn complains(command: &SimpleCommand) -> bool {
    let before = command.prefix.iter().flat_map(|prefix| &prefix.0);
    let mut items = before.chain(command.suffix.iter().flat_map(|suffix| &suffix.0));
    items.any(|item| match item {
        CommandPrefixOrSuffixItem::IoRedirect(IoRedirect::OutputAndError(..)) => true,
        CommandPrefixOrSuffixItem::IoRedirect(IoRedirect::File(descriptor, kind, target)) => {
            let input = matches!(kind, IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput);
            let lost = matches!(target, IoFileRedirectTarget::Filename(word) if word.value == "/dev/null");
            !(lost || input && descriptor.is_none_or(|number| number == 0))
        }
        _ => false,
    })
}
