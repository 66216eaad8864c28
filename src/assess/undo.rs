//! Judges taking changes back. It changes files, so it asks; but what stands there now is kept in turn, and only
//! what the program itself put there is replaced, so it is no worse than medium.

use std::collections::BTreeSet;

use super::{Mentions, RiskAssessor, Subject};
use crate::domain::{Assessment, Change, Class, Danger, Finding, OperationKind, Place, RiskLevel, Shape};

/// Most paths that local reading is asked to look at.
pub(super) const LOOKED_AT: usize = 400;

/// The assessor of `undo`.
#[derive(Clone, Copy, Debug)]
pub struct UndoAssessor;

impl RiskAssessor for UndoAssessor {
    fn mentions(&self, kind: &OperationKind, _place: &Place) -> Mentions {
        let OperationKind::Undo(undo) = kind else { return Mentions::default() };
        let paths = undo.changes.iter().flat_map(Change::paths);
        // What stands at each is compared once more as it is put back; here it is enough that most are looked at.
        let contents: BTreeSet<String> =
            paths.map(|path| path.to_string_lossy().into_owned()).take(LOOKED_AT).collect();
        Mentions { contents, ..Mentions::default() }
    }

    fn assess(&self, subject: Subject<'_>) -> Assessment {
        let OperationKind::Undo(undo) = &subject.operation.kind else { return Assessment::default() };
        let paths: BTreeSet<_> = undo.changes.iter().flat_map(Change::paths).collect();
        let (files, were) = match paths.len() {
            1 => ("1 path".to_owned(), "it was"),
            count => (format!("{count} paths"), "they were"),
        };
        let sentence = format!("Puts {files} back as {were} before {}; undo can reverse it.", undo.numbers());
        let finding = Finding::new("undo.put-back", Class::Declared(Danger::Destructive), sentence);
        Assessment {
            shapes: vec![Shape::new([("operations", undo.numbers())])],
            target: subject.facts.place.workspace.to_string_lossy().into_owned(),
            ..Assessment::of(finding.level(RiskLevel::Medium))
        }
    }
}
