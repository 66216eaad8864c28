//! Judges searches in files and for files: inside the workspace they are whitelisted, as they skip what is
//! ignored, sensitive files and links that lead out. A sensitive path named outright asks.

use std::path::Path;

use globset::GlobBuilder;

use super::{Mentions, RiskAssessor, Subject, spelling};
use crate::domain::{Assessment, Class, Danger, Finding, OperationKind, PathKind, Place, Shape};

/// Longest glob that is looked at, in bytes.
const GLOB_CAP: usize = 4096;

/// The assessor of `search_files` and `find_files`.
#[derive(Clone, Copy, Debug)]
pub struct SearchAssessor;

impl RiskAssessor for SearchAssessor {
    fn mentions(&self, kind: &OperationKind, _place: &Place) -> Mentions {
        let mut mentions = Mentions::default();
        mentions.paths.extend(parts(kind).and_then(|(folder, _)| folder).map(str::to_owned));
        mentions
    }

    fn assess(&self, subject: Subject<'_>) -> Assessment {
        let Some((folder, glob)) = parts(&subject.operation.kind) else { return Assessment::default() };
        let place = &subject.facts.place;
        let mut findings = Vec::new();
        findings.extend(folder.and_then(|folder| in_folder(folder, subject)));
        findings.extend(glob.and_then(|glob| by_glob(folder, glob, subject)));
        let path = folder.map_or_else(
            || place.workspace.to_string_lossy().into_owned(),
            |folder| spelling::absolute(folder, place).into_iter().next().unwrap_or_default(),
        );
        let shapes = vec![Shape::new([("path", path)])];
        let target = place.workspace.to_string_lossy().into_owned();
        if findings.is_empty() {
            return Assessment {
                shapes,
                target,
                ..Assessment::whitelisted("search.look", "It only looks, inside the workspace.")
            };
        }
        Assessment { findings, shapes, target, ..Assessment::default() }
    }
}

/// Folder and glob of a search.
fn parts(kind: &OperationKind) -> Option<(Option<&str>, Option<&str>)> {
    match kind {
        OperationKind::Search(search) => Some((search.path.as_deref(), search.glob.as_deref())),
        OperationKind::Find(find) => Some((find.path.as_deref(), Some(&find.glob))),
        OperationKind::Sql(_)
        | OperationKind::Command(_)
        | OperationKind::File(_)
        | OperationKind::Http(_)
        | OperationKind::Undo(_)
        | OperationKind::Apply(_)
        | OperationKind::Answer(_)
        | OperationKind::Mcp(_)
        | OperationKind::Other(_) => None,
    }
}

/// What speaks against the folder.
fn in_folder(folder: &str, subject: Subject<'_>) -> Option<Finding> {
    let place = &subject.facts.place;
    if folder.is_empty() || folder.trim() != folder || folder.chars().any(char::is_control) {
        let sentence = "The folder is empty, or has blanks or control characters where none belong.";
        return Some(Finding::new("search.path", Class::Unreadable, sentence));
    }
    let fact = subject.facts.paths.get(folder);
    let mut reached = spelling::absolute(folder, place);
    reached.extend(fact.map(|fact| fact.real.to_string_lossy().into_owned()));
    if let Some(entry) = reached.iter().find_map(|path| subject.settings.sensitive.entry(path, place)) {
        let sentence = format!("{folder} is sensitive: {entry}.");
        return Some(Finding::new("search.sensitive", Class::Declared(Danger::Sensitive), sentence));
    }
    if fact.is_some_and(|fact| fact.kind == PathKind::Special) {
        let sentence = format!("{folder} is no folder or ordinary file.");
        return Some(Finding::new("search.special", Class::Unknown, sentence));
    }
    let in_workspace = |path: &String| Path::new(path).starts_with(&place.workspace);
    let inside = match fact {
        // The tool takes a percent sign as it stands; what it might be meant for counts too.
        Some(fact) => {
            fact.real.starts_with(&place.workspace) && (!folder.contains('%') || reached.iter().all(in_workspace))
        }
        None => reached.iter().all(in_workspace),
    };
    (!inside).then(|| {
        let sentence = format!("{folder} is outside the workspace {}.", place.workspace.display());
        Finding::new("search.outside", Class::Unknown, sentence)
    })
}

/// What speaks against the glob.
fn by_glob(folder: Option<&str>, glob: &str, subject: Subject<'_>) -> Option<Finding> {
    let place = &subject.facts.place;
    let pattern = glob.strip_prefix('!').unwrap_or(glob);
    if glob.is_empty() || glob.len() > GLOB_CAP || GlobBuilder::new(pattern).build().is_err() {
        let shown: String = glob.chars().take(100).collect();
        let sentence = format!("The glob {shown} can't be read: it is empty, too long or not closed.");
        return Some(Finding::new("search.glob", Class::Unknown, sentence));
    }
    if pattern.starts_with(['/', '~']) && folder.is_none()
        || pattern.split(['/', '{', ',', '}']).any(|part| part == "..")
    {
        let sentence = format!("The glob {glob} may lead out of the folder.");
        return Some(Finding::new("search.outside", Class::Unknown, sentence));
    }
    let below = format!("{}/{pattern}", folder.unwrap_or("."));
    let entry = subject.settings.sensitive.may_match(&below, place).filter(|_| pattern == glob)?;
    // Sensitive files that a pattern matches among others are left out of what is found: `*config*` names none.
    let parts = pattern.split('/').filter(|part| !part.chars().all(|letter| letter == '*'));
    let outright = parts.map(|part| part.replace(['*', '?'], "")).collect::<Vec<_>>().join("/");
    subject.settings.sensitive.may_match(&format!("{}/{outright}", folder.unwrap_or(".")), place)?;
    let sentence = format!("The glob {glob} names sensitive files: {entry}.");
    Some(Finding::new("search.sensitive", Class::Declared(Danger::Sensitive), sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::{AssessSettings, assess};
    use crate::domain::{Claim, Facts, FindOperation, Operation, OperationId, Origin, PathFact, SearchOperation};

    fn place() -> Place {
        Place { cwd: "/home/ann/work".into(), workspace: "/home/ann/work".into(), home: Some("/home/ann".into()) }
    }

    fn class(kind: OperationKind, facts: &Facts) -> Class {
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: "search_files".to_owned(),
            claim: Claim::Absent,
            kind,
            cwd: place().cwd,
        };
        assess(&SearchAssessor, Subject { operation: &operation, facts, settings: &AssessSettings::default() }).class()
    }

    fn search(path: Option<&str>, glob: Option<&str>) -> Class {
        let kind = OperationKind::Search(SearchOperation {
            pattern: "TODO".to_owned(),
            path: path.map(str::to_owned),
            glob: glob.map(str::to_owned),
            ignore_case: false,
        });
        class(kind, &Facts { place: place(), ..Facts::default() })
    }

    fn find(glob: &str) -> Class {
        let kind = OperationKind::Find(FindOperation { glob: glob.to_owned(), path: None });
        class(kind, &Facts { place: place(), ..Facts::default() })
    }

    #[test]
    fn inside_the_workspace_is_whitelisted() {
        for (path, glob) in
            [(None, None), (Some("src"), Some("*.rs")), (Some("."), Some("!*.lock")), (Some("a/../b"), None)]
        {
            assert_eq!(search(path, glob), Class::Whitelisted, "{path:?} {glob:?}");
        }
        for glob in ["**/*.md", "src/{a,b}*.rs", "*", "*config*", "**/settings*", "*docker*", "*.tf*", "kube*"] {
            assert_eq!(find(glob), Class::Whitelisted, "{glob}");
        }
    }

    #[test]
    fn a_sensitive_path_named_outright_is_declared() {
        for (path, glob) in
            [(Some(".env"), None), (Some("~/.ssh"), None), (None, Some(".env*")), (None, Some("**/*.pem"))]
        {
            assert_eq!(search(path, glob), Class::Declared(Danger::Sensitive), "{path:?} {glob:?}");
        }
    }

    #[test]
    fn outside_and_unreadable_ones_ask() {
        for (path, glob) in [
            (Some("/usr"), None),
            (Some(".."), None),
            (Some("%2e%2e"), None),
            (None, Some("../*")),
            (None, Some("{..,a}/*")),
            (None, Some("[")),
            (Some(""), None),
        ] {
            assert_ne!(search(path, glob), Class::Whitelisted, "{path:?} {glob:?}");
        }
        let mut facts = Facts { place: place(), ..Facts::default() };
        let fact = PathFact { real: "/srv".into(), kind: PathKind::Folder, size: 0, content: None };
        facts.paths.insert("link".to_owned(), fact);
        let kind = OperationKind::Find(FindOperation { glob: "*".to_owned(), path: Some("link".to_owned()) });
        assert_eq!(class(kind, &facts), Class::Unknown);
    }
}
