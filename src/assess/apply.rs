//! Judges putting the changes of a staged run in place, by the same rules as writing and deleting those files one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::undo::LOOKED_AT;
use super::{Mentions, RiskAssessor, Subject, run_later};
use crate::domain::{
    ApplyOperation, Assessment, Class, Danger, Deed, Finding, Image, OperationKind, Place, RiskLevel, Shape,
    StagedChange,
};

/// Most findings of one sort that are told one by one.
const TOLD: usize = 10;

/// The assessor of `apply`.
#[derive(Clone, Copy, Debug)]
pub struct ApplyAssessor;

impl RiskAssessor for ApplyAssessor {
    fn mentions(&self, kind: &OperationKind, _place: &Place) -> Mentions {
        let OperationKind::Apply(apply) = kind else { return Mentions::default() };
        // What stands at each is compared once more as it is replaced; here it is enough that most are looked at.
        let contents: BTreeSet<String> =
            apply.paths().map(|path| path.to_string_lossy().into_owned()).take(LOOKED_AT).collect();
        Mentions { contents, ..Mentions::default() }
    }

    fn assess(&self, subject: Subject<'_>) -> Assessment {
        let OperationKind::Apply(apply) = &subject.operation.kind else { return Assessment::default() };
        let mut findings = vec![whole(apply)];
        findings.extend(apply.changes.iter().filter_map(|change| later(apply, change, subject)).take(TOLD));
        findings.extend(repositories(apply).take(TOLD));
        findings.extend(apply.changes.iter().filter_map(|change| sensitive(apply, change, subject)).take(TOLD));
        findings.extend(apply.changes.iter().filter_map(link).take(TOLD));
        Assessment {
            findings,
            shapes: vec![Shape::new([("operation", apply.of.to_string())])],
            target: apply.workspace.to_string_lossy().into_owned(),
            ..Assessment::default()
        }
    }
}

fn whole(apply: &ApplyOperation) -> Finding {
    let sentence = format!("Puts what {} changed in place: {}.", apply.of, apply.brief());
    let finding = Finding::new("apply.changes", Class::Declared(Danger::Destructive), sentence);
    let takes = |change: &StagedChange| matches!(change.deed(), Deed::Change | Deed::Delete);
    if apply.changes.iter().any(takes) { finding } else { finding.level(RiskLevel::Medium) }
}

fn place(apply: &ApplyOperation, subject: Subject<'_>) -> Place {
    Place { cwd: apply.workspace.clone(), workspace: apply.workspace.clone(), home: subject.facts.place.home.clone() }
}

fn later(apply: &ApplyOperation, change: &StagedChange, subject: Subject<'_>) -> Option<Finding> {
    let path = apply.workspace.join(&change.path);
    let entry = run_later::entry(&path.to_string_lossy(), &place(apply, subject))?;
    let sentence = format!("Others run what {} holds: {entry}.", change.path.display());
    Some(Finding::new("apply.run-later", Class::Declared(Danger::Destructive), sentence))
}

/// Folders that become a repository without the name of one.
fn repositories(apply: &ApplyOperation) -> impl Iterator<Item = Finding> {
    let mut folders: BTreeMap<&Path, Vec<&str>> = BTreeMap::new();
    for change in apply.changes.iter().filter(|change| change.after != Image::Nothing) {
        let name = change.path.file_name().and_then(|name| name.to_str());
        if let Some((folder, name)) = change.path.parent().zip(name) {
            folders.entry(folder).or_default().push(name);
        }
    }
    folders.into_iter().filter(|(_, names)| run_later::repository(names.iter().copied())).map(|(folder, _)| {
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        let sentence = format!("Makes {} a git repository: git runs what its `config` names.", folder.display());
        Finding::new("apply.run-later", Class::Declared(Danger::Destructive), sentence)
    })
}

fn sensitive(apply: &ApplyOperation, change: &StagedChange, subject: Subject<'_>) -> Option<Finding> {
    let (sensitive, place) = (&subject.settings.sensitive, place(apply, subject));
    // The practice model's workspace lies in a folder of the program's own: its files are judged by their names.
    let own = sensitive.entry(&apply.workspace.to_string_lossy(), &place).is_some();
    let root = if own { Path::new("/") } else { &apply.workspace };
    let entry = sensitive.entry(&root.join(&change.path).to_string_lossy(), &place)?;
    let sentence = format!("{} is sensitive: {entry}.", change.path.display());
    Some(Finding::new("apply.sensitive", Class::Declared(Danger::Sensitive), sentence))
}

fn link(change: &StagedChange) -> Option<Finding> {
    let Image::Link { target } = &change.after else { return None };
    let sentence = format!("Makes {} a link to {}.", change.path.display(), target.display());
    Some(Finding::new("apply.link", Class::Declared(Danger::Destructive), sentence))
}
