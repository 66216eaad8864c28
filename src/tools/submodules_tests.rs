//! Tests of what submodules say, on repositories that git made.

use std::process::Command;

use super::super::repository::look;
use super::*;

fn git(folder: &Path, words: &[&str]) {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    let output = Command::new("git")
        .args(settings)
        .args(words)
        .current_dir(folder)
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository in a folder, with one commit.
fn repository(at: &Path) {
    std::fs::create_dir_all(at).unwrap();
    git(at, &["init", "-q"]);
    std::fs::write(at.join("a"), "a").unwrap();
    git(at, &["add", "a"]);
    git(at, &["commit", "-q", "-m", "a"]);
}

fn keys(folder: &Path) -> Vec<String> {
    look(folder).unwrap().foreign_keys
}

/// The configuration of the submodule gets another line, which is then named, and loses it again.
fn obeyed(top: &Path, config: &Path, submodule: &str) {
    let before = std::fs::read_to_string(config).unwrap();
    std::fs::write(config, format!("{before}[core]\n\tfsmonitor = ./x\n")).unwrap();
    let found = keys(top);
    assert!(
        !found.is_empty() && found.iter().all(|key| key == &format!("core.fsmonitor of the submodule {submodule}")),
        "{found:?}"
    );
    std::fs::write(config, before).unwrap();
    assert_eq!(keys(top), [""; 0]);
}

#[test]
fn what_the_configuration_of_a_submodule_sets_is_named_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (top, inner, innermost) = (folder.path().join("top"), folder.path().join("in"), folder.path().join("most"));
    for at in [&top, &inner, &innermost] {
        repository(at);
    }
    git(&inner, &["submodule", "--quiet", "add", "../most", "deep/most"]);
    git(&inner, &["commit", "-q", "-m", "b"]);
    assert_eq!(keys(&top), [""; 0]);
    git(&top, &["submodule", "--quiet", "add", "--name", "lib/named", "../in", "sub"]);
    git(&top, &["submodule", "--quiet", "update", "--init", "--recursive"]);
    assert_eq!(keys(&top), [""; 0]);
    let git_folder = top.join(".git/modules/lib/named");
    for (config, submodule) in [
        (git_folder.join("modules/deep/most/config"), "lib/named/modules/deep/most"),
        (git_folder.join("config"), "lib/named"),
    ] {
        let text = std::fs::read_to_string(&config).unwrap();
        std::fs::write(&config, format!("{text}[core]\n\tfsmonitor = ./x\n")).unwrap();
        let found = keys(&top);
        assert!(found.contains(&format!("core.fsmonitor of the submodule {submodule}")), "{found:?}");
        std::fs::write(&config, text).unwrap();
    }
    std::fs::write(git_folder.join("info/attributes"), "* filter=x\n").unwrap();
    assert!(look(&top).unwrap().own_attributes);
}

#[test]
fn a_submodule_whose_git_folder_lies_in_its_own_is_found_by_the_index() {
    for version in ["2", "3", "4"] {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        repository(&top);
        git(&top, &["config", "--local", "user.name", "a"]);
        std::fs::create_dir_all(top.join("some/folder")).unwrap();
        for number in 0..30 {
            std::fs::write(top.join(format!("some/folder/file{number}")), "x").unwrap();
        }
        repository(&top.join("some/folder/sub"));
        git(&top, &["-c", "advice.addEmbeddedRepo=false", "add", "-A"]);
        git(&top, &["update-index", "--index-version", version]);
        if version == "3" {
            git(&top, &["add", "--intent-to-add", "-f", "a"]);
        }
        obeyed(&top, &top.join("some/folder/sub/.git/config"), "some/folder/sub");
        // Split indices name it in one of two files.
        git(&top, &["update-index", "--split-index"]);
        obeyed(&top, &top.join("some/folder/sub/.git/config"), "some/folder/sub");
    }
}

#[test]
fn the_files_of_a_submodule_lie_in_the_repository() {
    let folder = tempfile::tempdir().unwrap();
    let (top, inner) = (folder.path().join("top"), folder.path().join("in"));
    repository(&top);
    repository(&inner);
    git(&top, &["submodule", "--quiet", "add", "../in", "sub"]);
    let config = top.join(".git/modules/sub/config");
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.contains("worktree = ../../../sub"), "{text}");
    for elsewhere in ["../../../..", "/", "\"../../../sub\"", "../../../sub # x"] {
        std::fs::write(&config, text.replace("../../../sub", elsewhere)).unwrap();
        assert_eq!(keys(&top), ["core.worktree of the submodule sub"], "{elsewhere}");
    }
    std::fs::write(&config, text).unwrap();
    assert_eq!(keys(&top), [""; 0]);
    // Another working tree of the repository keeps its own.
    git(&top, &["commit", "-q", "-m", "b"]);
    let other = folder.path().join("other");
    git(&top, &["worktree", "add", "-q", other.to_str().unwrap()]);
    git(&other, &["submodule", "--quiet", "update", "--init"]);
    obeyed(&other, &top.join(".git/worktrees/other/modules/sub/config"), "sub");
}

#[test]
fn an_index_that_is_not_understood_is_foreign_where_it_may_name_submodules() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path());
    let index = folder.path().join(".git/index");
    let bytes = std::fs::read(&index).unwrap();
    let mut later = [&bytes[..], &SUBMODULE[..]].concat();
    later[7] = 9;
    std::fs::write(&index, later).unwrap();
    assert_eq!(keys(folder.path()), ["submodules in an index that isn't understood"]);
    std::fs::write(&index, bytes).unwrap();
    assert_eq!(keys(folder.path()), [""; 0]);
}
