//! Loops: a body that runs any number of times, and one that runs once for each value.

use brush_parser::ast::CompoundList;

use super::judge::Judge;
use super::word::Word;
use crate::assess::LISTED;

impl Judge<'_> {
    /// Judges a body that may run any number of times.
    pub(super) fn repeated(&mut self, body: impl Fn(&mut Self)) {
        self.any_times(|judge| judge.passes(body));
    }

    /// Judges what may run any number of times, in a single pass.
    pub(super) fn any_times(&mut self, inner: impl FnOnce(&mut Self)) {
        self.repeats += 1;
        inner(self);
        self.repeats -= 1;
    }

    /// Judges a body until a pass changes nothing: what one pass changes may be anything in the next.
    fn passes(&mut self, body: impl Fn(&mut Self)) {
        const PASSES: usize = 16;
        let beside = |judge: &Self| (judge.opened, judge.closed, judge.searched.len(), judge.stood_in.len());
        let left = self.left.len();
        for _ in 0..PASSES {
            let before = (self.scope.clone(), beside(self));
            body(self);
            self.lands(left);
            if self.scope != before.0 {
                self.scope.join(&before.0);
            }
            // What one pass sets may reach the next by way of others: until a pass changes nothing.
            if (&self.scope, beside(self)) == (&before.0, before.1) {
                return;
            }
        }
        self.unreadable("command.loop", "What the variables of its loop hold isn't known.");
    }

    /// What holds behind a body may be what held where `break`, `continue` or `return` left it.
    pub(super) fn lands(&mut self, since: usize) {
        for at in since..self.left.len() {
            self.scope.join(&self.left[at]);
        }
    }

    pub(super) fn for_loop(&mut self, name: &str, values: Vec<Word>, listed: bool, body: &CompoundList) {
        const PASSES: usize = 16;
        let most = if listed { PASSES + LISTED } else { PASSES };
        let values = if values.len() > most { vec![Word::any()] } else { values };
        let before = self.scope.clone();
        let left = self.left.len();
        for value in values {
            // Of a word that may be anything there may be many.
            let many = value.text().is_none();
            let value = if value.open() { Word::any() } else { value };
            // Before as in every pass: where nothing else changes, one is enough.
            self.assign(name, value.clone());
            let pass = |judge: &mut Self| {
                judge.assign(name, value.clone());
                judge.list(body);
            };
            if many {
                self.repeated(pass);
            } else {
                self.passes(pass);
            }
        }
        self.scope.join(&before);
        self.lands(left);
        self.scope.forget(&[name.to_owned()]);
    }
}
