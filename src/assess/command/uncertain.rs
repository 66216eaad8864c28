//! Where what a script changes may not come about: a redirection fails, another process runs it, or an expansion fails
//! and the shell leaves out the rest of the line. What holds then is what would hold either way.

use brush_parser::ast::{CommandPrefixOrSuffixItem, IoFileRedirectTarget, IoRedirect, SimpleCommand};

use super::judge::Judge;
use super::word::Word;

impl Judge<'_> {
    /// Runs `inner`, which may change nothing if that isn't sure to run here.
    pub(super) fn perhaps(&mut self, unsure: bool, inner: impl FnOnce(&mut Self)) {
        let before = unsure.then(|| self.scope.clone());
        inner(self);
        if let Some(before) = before {
            self.scope.join(&before);
        }
    }

    /// Judges what another process runs: a command of the shell's own changes nothing here.
    pub(super) fn outside(&mut self, argv: &[Word]) {
        self.perhaps(true, |judge| judge.deeper(|judge| judge.dispatch(argv)));
    }

    /// Whether a command may not start for its redirections. A descriptor is there until one is closed.
    pub(super) fn may_fail<'r>(&mut self, redirects: impl IntoIterator<Item = &'r IoRedirect>) -> bool {
        let mut fails = false;
        for redirect in redirects {
            fails |= match redirect {
                IoRedirect::HereDocument(..)
                | IoRedirect::HereString(..)
                | IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(..)) => false,
                IoRedirect::OutputAndError(word, _) | IoRedirect::File(_, _, IoFileRedirectTarget::Filename(word)) => {
                    word.value != "/dev/null"
                }
                IoRedirect::File(_, _, IoFileRedirectTarget::Fd(number)) => self.closed || *number > 2,
                IoRedirect::File(_, _, IoFileRedirectTarget::Duplicate(word)) => {
                    self.closed |= word.value.ends_with('-');
                    word.value != "-" && (self.closed || !matches!(word.value.as_str(), "0" | "1" | "2"))
                }
            };
        }
        fails
    }
}

/// The redirections of a simple command.
pub(super) fn redirections(command: &SimpleCommand) -> impl Iterator<Item = &IoRedirect> {
    let before = command.prefix.iter().flat_map(|prefix| &prefix.0);
    let items = before.chain(command.suffix.iter().flat_map(|suffix| &suffix.0));
    items.filter_map(|item| match item {
        CommandPrefixOrSuffixItem::IoRedirect(redirect) => Some(redirect),
        CommandPrefixOrSuffixItem::Word(_)
        | CommandPrefixOrSuffixItem::AssignmentWord(..)
        | CommandPrefixOrSuffixItem::ProcessSubstitution(..) => None,
    })
}
