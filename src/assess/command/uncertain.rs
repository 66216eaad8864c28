//! Where what a script changes may not come about: a redirection fails, another process runs it, or an expansion fails
//! and the shell leaves out the rest of the line. What holds then is what would hold either way.

use brush_parser::ast::{CommandPrefixOrSuffixItem, IoFileRedirectTarget, IoRedirect, SimpleCommand};

use super::judge::Judge;
use super::scope::Scope;
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

    /// Runs `inner` in a subshell: what it changes, and what it leaves out, holds there alone.
    pub(super) fn subshell(&mut self, inner: impl FnOnce(&mut Self)) {
        let (scope, dropped) = (self.scope.clone(), self.dropped.take());
        inner(self);
        (self.scope, self.dropped) = (scope, dropped);
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

    /// An expansion may fail here: the next line then goes on with what holds now.
    pub(super) fn may_drop(&mut self) {
        match &mut self.dropped {
            Some(dropped) => dropped.join(&self.scope),
            None => self.dropped = Some(self.scope.clone()),
        }
    }

    /// Judges arithmetic within a word, which fails where it isn't a plain number.
    pub(super) fn computed(&mut self, raw: &str) {
        let fails = !plain_number(raw);
        if fails {
            self.may_drop();
        }
        self.arithmetic(raw);
        if fails {
            self.may_drop();
        }
    }

    /// A line has ended, the rest of which may have been left out.
    pub(super) fn line_ends(&mut self) {
        if let Some(dropped) = self.dropped.take() {
            self.scope.join(&dropped);
        }
    }

    /// A function has ended: what held where it was left out belongs to its caller, who has other variables of these
    /// names and other arguments.
    pub(super) fn dropped_in_call(&mut self, outer: Option<Scope>, locals: &[String], arguments: Option<&[Word]>) {
        if let Some(dropped) = &mut self.dropped {
            dropped.forget(locals);
            dropped.take_arguments(arguments.map(<[Word]>::to_vec));
        }
        match (&mut self.dropped, outer) {
            (Some(dropped), Some(outer)) => dropped.join(&outer),
            (None, outer) => self.dropped = outer,
            (Some(_), None) => {}
        }
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

/// Whether arithmetic is a number that no shell takes for a mistake: one with a zero in front may be none.
fn plain_number(raw: &str) -> bool {
    let digits = raw.trim();
    (1..=15).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}
