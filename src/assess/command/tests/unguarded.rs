//! What views do beyond their words where nothing is put up around commands.

use super::{allowed, judged_where};
use crate::domain::Class;

fn unguarded(command: &str) -> Class {
    judged_where(command, |facts| facts.unguarded = true).class()
}

#[test]
fn what_shows_or_fetches_more_than_its_words_name_asks_without_walls() {
    for command in [
        "cargo tree",
        "cargo tree --locked",
        "cargo metadata --format-version 1",
        "go list -m all",
        "go list ./...",
        "go mod graph",
        "rustfmt --check src/main.rs",
        "cargo fmt --check",
        "cppcheck src/a.c",
        "shellcheck -x a.sh",
        "shellcheck --external-sources a.sh",
        "helm template .",
        "helm lint ./charts/web",
        "promtool check config prometheus.yml",
        "amtool check-config alertmanager.yml",
        "named-checkzone example.com db.example.com",
        "svn log -l 5",
        "svn blame a",
        "bsdtar -xOf a.tar b",
        "bsdtar xOf a.tar b",
    ] {
        allowed(command);
        assert_eq!(unguarded(command), Class::Unknown, "{command}");
    }
}

#[test]
fn their_other_forms_stay_as_they_are() {
    for command in [
        "cargo tree --offline",
        "cargo tree --frozen -e features",
        "cargo --offline metadata",
        "cargo metadata --no-deps --format-version 1",
        "cargo locate-project",
        "cargo --version",
        "rustfmt --version",
        "cppcheck --version",
        "shellcheck a.sh",
        "promtool check rules a.yml",
        "svn status",
        "svn info",
        "tar -tf a.tar",
        "bsdtar -tf a.tar",
        "helm version",
    ] {
        allowed(command);
        assert_eq!(unguarded(command), Class::Whitelisted, "{command}");
    }
}
