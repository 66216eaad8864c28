//! Functions that a script defines and calls itself: each call is judged as if the body stood there, with the words of
//! the call for `$1`, `$2`, … A function that takes the place of something known, or that may be one of several, asks.

use std::rc::Rc;

use brush_parser::ast::{
    AndOr, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundListItem, FunctionDefinition,
    SeparatorOperator, SimpleCommand,
};

use super::judge::{Feed, Judge};
use super::scope::Defined;
use super::source::Source;
use super::table::table;
use super::word::Word;

/// Names that scripts give to functions of their own, though there are programs called so. Nothing but the table is about
/// these.
const NAMES: [&str; 4] = ["log", "info", "size", "look"];

/// A function, and the script that its words stand in.
pub(super) struct Function {
    definition: FunctionDefinition,
    source: Source,
}

impl Function {
    /// Whether all that it prints is what the last of its commands prints: those before it only set variables.
    fn prints_once(&self) -> bool {
        let (CompoundCommand::BraceGroup(group), None) = (&self.definition.body.0, &self.definition.body.1) else {
            return false;
        };
        let Some((CompoundListItem(last, separator), before)) = group.list.0.split_last() else { return false };
        let instead = last.additional.iter().all(|next| matches!(next, AndOr::Or(_)));
        let sets = |item: &CompoundListItem| {
            item.0.additional.is_empty()
                && matches!(item.1, SeparatorOperator::Sequence)
                && matches!(item.0.first.seq.as_slice(), [Command::Simple(command)] if only_sets(command))
        };
        instead && matches!(separator, SeparatorOperator::Sequence) && before.iter().all(sets)
    }
}

/// Whether a command gives variables their values and prints nothing. Without a value some shells print what they have.
fn only_sets(command: &SimpleCommand) -> bool {
    let assigns = |item: &CommandPrefixOrSuffixItem| matches!(item, CommandPrefixOrSuffixItem::AssignmentWord(..));
    let local = command.word_or_name.as_ref().is_none_or(|name| name.value == "local");
    let (before, behind) = (command.prefix.as_ref(), command.suffix.as_ref());
    local
        && before.is_none_or(|items| items.0.iter().all(assigns))
        && behind.is_none_or(|items| items.0.iter().all(assigns))
        && (before.is_some() || behind.is_some())
}

impl Judge<'_> {
    /// A function is defined: nothing runs yet.
    pub(super) fn define(&mut self, function: &FunctionDefinition) {
        let name = function.fname.value.as_str();
        let body = function.body.to_string();
        let calls = body.split(|c: char| c.is_whitespace() || ";&|".contains(c)).filter(|word| *word == name).count();
        if calls > 1 && body.contains('|') {
            self.catastrophe("command.fork-bomb", format!("`{name}` starts itself again and again."));
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        // bash calls this one itself for a name that it doesn't find.
        let own = name.bytes().all(plain) && name != "command_not_found_handle";
        if !own || calls > 0 || table().knows(name) && !NAMES.contains(&name) {
            self.unreadable("command.function", "It defines a function, which can take any program's place.");
            return;
        }
        let at = self.functions.len();
        self.functions.push(Rc::new(Function { definition: function.clone(), source: self.source.clone() }));
        self.scope.define(name, at);
    }

    /// Judges a call of a function of the script; false if it is none.
    pub(super) fn called(&mut self, argv: &[Word]) -> bool {
        let Some((first, words)) = argv.split_first() else { return false };
        let function = match first.text().and_then(|name| self.scope.function(name)) {
            None => return false,
            Some(Defined::As(at)) => Rc::clone(&self.functions[at]),
            Some(Defined::Unsure) => {
                let sentence = format!("Which function {} calls is not known.", self.spelt(first));
                self.unreadable("command.function", sentence);
                return true;
            }
        };
        let known = !words.iter().any(Word::open);
        let words = std::iter::once(Word::any()).chain(words.iter().cloned());
        let arguments = self.scope.take_arguments(known.then(|| words.collect()));
        let source = std::mem::replace(&mut self.source, function.source.clone());
        let (left, outer) = (self.left.len(), self.locals.replace(Vec::new()));
        let dropped = self.dropped.take();
        self.deeper(|judge| {
            let before = judge.redirects(function.definition.body.1.as_ref());
            let (body, redirects) = (&function.definition.body.0, &function.definition.body.1);
            let unsure = judge.may_fail(redirects.iter().flat_map(|list| &list.0));
            judge.perhaps(unsure, |judge| judge.compound(body));
            judge.feed = before.unwrap_or(judge.feed);
        });
        self.lands(left);
        // What was the function's own is what it was before, or what the body set before it made it its own.
        let locals = std::mem::replace(&mut self.locals, outer).unwrap_or_default();
        self.scope.forget(&locals);
        self.dropped_in_call(dropped, &locals, arguments.as_deref());
        self.source = source;
        self.scope.take_arguments(arguments);
        // It may have printed that at another depth.
        self.echoed = None;
        if !function.prints_once() {
            self.printed = None;
            self.produced = Feed::Text;
        }
        true
    }
}
