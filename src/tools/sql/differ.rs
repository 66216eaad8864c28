//! How the rows of a table differ before and after a statement, and what makes the one of the other.

use std::collections::BTreeMap;

use super::along::Reference;
use super::inverse::{Plan, Row, Script};

/// How the rows differ that were there and those that are.
pub(super) struct Differ {
    /// Those that are gone.
    pub(super) gone: Vec<Row>,
    /// Those that changed: as they were, and as they are.
    changed: Vec<(Row, Row)>,
    /// Those that are new.
    pub(super) new: Vec<Row>,
}

impl Differ {
    /// Of rows by what tells them from others. Those that change are deleted and added anew where the plan says so.
    pub(super) fn of(plan: &Plan, before: &BTreeMap<Row, Row>, after: &BTreeMap<Row, Row>) -> Self {
        let gone = before.iter().filter(|(key, _)| !after.contains_key(*key)).map(|(_, row)| row.clone()).collect();
        let new = after.iter().filter(|(key, _)| !before.contains_key(*key)).map(|(_, row)| row.clone()).collect();
        let pairs = before.iter().filter_map(|(key, row)| Some((row, after.get(key)?)));
        let changed = pairs.filter(|(was, is)| was != is).map(|(was, is)| (was.clone(), is.clone())).collect();
        let mut differ = Self { gone, changed, new };
        if plan.anew {
            let (were, are): (Vec<Row>, Vec<Row>) = differ.changed.drain(..).unzip();
            differ.gone.extend(were);
            differ.new.extend(are);
        }
        differ
    }

    /// What makes them what they were. What is taken away goes first: it may stand in the way of the others.
    pub(super) fn back(&self, plan: &Plan, references: &[&Reference]) -> Vec<Script> {
        let changed = self.changed.iter().map(|(was, is)| (is, was));
        vec![plan.delete(&self.new, references), plan.update(changed), plan.insert(&self.gone)]
    }

    /// What makes them again what they are.
    pub(super) fn again(&self, plan: &Plan, references: &[&Reference]) -> Vec<Script> {
        let changed = self.changed.iter().map(|(was, is)| (was, is));
        vec![plan.delete(&self.gone, references), plan.update(changed), plan.insert(&self.new)]
    }
}
