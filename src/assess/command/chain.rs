//! Chains of `&&` and `||`: what an earlier part changed holds for a later one, if that runs only after it.

use brush_parser::ast::{AndOr, AndOrList, Command, Pipeline};

use super::judge::{Feed, Judge};

impl Judge<'_> {
    /// A chain of `&&` and `||`. What an earlier part changed holds for a later one, if that runs only after it.
    pub(super) fn and_or(&mut self, list: &AndOrList) {
        let before = self.scope.astray.clone();
        self.pipeline(&list.first);
        if list.additional.is_empty() {
            return;
        }
        // Where it may still stand behind `&&`: a `cd` before that didn't fail.
        let mut sure = if goes(&list.first) { before.clone() } else { self.scope.astray.clone() };
        let mut chained = true;
        let mut after = self.scope.clone();
        for next in &list.additional {
            if self.exhausted() {
                break;
            }
            match next {
                AndOr::And(pipeline) => {
                    if chained {
                        self.scope.astray.clone_from(&sure);
                    }
                    self.pipeline(pipeline);
                    if !goes(pipeline) {
                        sure.clone_from(&self.scope.astray);
                    }
                    (self.produced, self.printed, self.echoed) = (Feed::Text, None, None);
                }
                AndOr::Or(pipeline) => {
                    let first = self.flowing();
                    let skipped = std::mem::replace(&mut self.scope, after.clone());
                    self.pipeline(pipeline);
                    self.scope.join(&skipped);
                    self.either(first);
                    let whole = goes(&list.first) && list.additional.len() == 1;
                    if whole && ends(pipeline) && self.scope.function("exit").is_none() {
                        after.astray.clone_from(&before);
                        self.scope.astray = before;
                        break;
                    }
                    chained = false;
                }
            }
            after.join(&self.scope);
        }
        self.scope = after;
    }
}

/// Whether a pipeline is nothing but a command of this name.
fn named(pipeline: &Pipeline, names: &[&str]) -> bool {
    matches!(pipeline.seq.as_slice(), [Command::Simple(command)]
        if !pipeline.bang && command.word_or_name.as_ref().is_some_and(|name| names.contains(&name.value.as_str())))
}

/// Whether it goes into another folder, or fails.
fn goes(pipeline: &Pipeline) -> bool {
    named(pipeline, &["cd", "pushd"])
}

/// Whether nothing of the script follows it.
fn ends(pipeline: &Pipeline) -> bool {
    named(pipeline, &["exit"])
}
