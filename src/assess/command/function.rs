//! Functions that a script defines and calls itself: each call is judged as if the body stood there, with the words of
//! the call for `$1`, `$2`, … A function that takes the place of something known, or that may be one of several, asks.

use std::rc::Rc;

use brush_parser::ast::FunctionDefinition;

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
        (self.printed, self.echoed) = (None, None);
        self.produced = Feed::Text;
        true
    }
}
