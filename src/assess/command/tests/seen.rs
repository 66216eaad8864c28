//! What was seen on the machine counts: where programs lie, what is behind a path, what a repository sets.

use super::judged_where;
use crate::domain::{Class, Danger, Facts, PathFact, PathKind, RepositoryFact};

#[test]
fn facts_about_programs_paths_and_repositories_count() {
    let judged = |command: &str, seen: &Facts| {
        let add = |facts: &mut Facts| *facts = Facts { place: facts.place.clone(), ..seen.clone() };
        judged_where(command, add).class()
    };
    let mut facts = Facts::default();
    facts.programs.insert("ls".into(), Some("/home/me/project/bin/ls".into()));
    assert_eq!(judged("ls", &facts), Class::Unreadable);
    let link = PathFact { real: "/home/me/.ssh/id_rsa".into(), kind: PathKind::File, size: 1, content: None };
    facts.paths.insert("notes.txt".into(), link);
    assert_eq!(judged("cat notes.txt", &facts), Class::Declared(Danger::Sensitive));
    let repository = RepositoryFact {
        foreign_keys: vec!["filter.x.clean".into()],
        own_attributes: false,
        ..RepositoryFact::default()
    };
    facts.repositories.insert("/home/me/project".into(), repository);
    assert_eq!(judged("git status", &facts), Class::Unknown);
}
