//! What was seen on the machine counts: where programs lie, what is behind a path, what a repository sets.

use super::{judged, judged_where};
use crate::domain::{Class, Danger, Facts, PathFact, PathKind, RepositoryFact, RiskLevel};

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

#[test]
fn what_hides_text_is_told_with_what_it_does_without_that() {
    for command in [
        "rm -rf build\u{7}",
        "echo hi; \u{7}rm -rf build",
        "ls\r\nrm -rf build\r\n",
        "ls\rrm -rf build",
        "rm\u{a0}-rf build",
        "r\u{200b}m -rf build",
        "rm -rf build \u{202e}# dliub",
    ] {
        let told: Vec<String> = judged(command).objections().map(|finding| finding.sentence.clone()).collect();
        assert!(told.iter().any(|said| said.contains("build")), "{command:?}: {told:?}");
        assert_eq!(judged(command).level(), RiskLevel::High, "{command:?}");
    }
    let told = judged("rm -rf / \u{7}");
    assert_eq!(told.class(), Class::Catastrophe, "it is no less than what it looks like");
    let plain = judged("rm -rf build");
    assert!(plain.objections().all(|finding| !finding.sentence.starts_with("Without its hidden characters")));
}
