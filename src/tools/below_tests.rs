//! Tests of what is looked for below the folders that commands search where no walls hide what is sensitive, on real
//! folders.

use std::path::Path;

use super::loops_tests::{proposed_in, put as put_text, world};
use super::prepare;
use crate::assess::{AssessSettings, CommandAssessor};
use crate::domain::Class;

fn put(workspace: &Path, name: &str) {
    put_text(workspace, name, "x");
}

fn link(workspace: &Path, name: &str, target: impl AsRef<Path>) {
    let path = workspace.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, path).unwrap();
}

fn git(workspace: &Path, words: &[&str]) {
    let words = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"].iter().chain(words);
    let ran = std::process::Command::new("git").args(words).current_dir(workspace).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Whether a command runs unasked in a folder of the workspace where no walls hide anything from it.
fn runs_in(folder: &str, command: &str, workspace: &Path) -> bool {
    let (operation, place) = proposed_in(&workspace.join(folder), command, workspace);
    let told = prepare(&CommandAssessor, operation, &place, None, &AssessSettings::default()).assessment;
    told.class() == Class::Whitelisted && told.walled.is_none() && told.searched.is_none()
}

fn runs(command: &str, workspace: &Path) -> bool {
    runs_in("", command, workspace)
}

#[test]
fn links_are_followed_to_where_they_lead() {
    let following = [
        "grep -R root: .",
        "grep -R root: src",
        "rg -L root:",
        "rg -L root: src",
        "find -L . -type f | xargs grep -h K",
        "find -L src -name '*.rs' -exec cat {} +",
        "for d in */; do grep -R K \"$d\"; done",
    ];
    let all = |workspace: &Path, wanted: bool, what: &str| {
        for command in following {
            assert_eq!(runs(command, workspace), wanted, "{what}: {command}");
        }
    };
    let (kept, workspace) = world(&["src/a.rs", "other/b.rs"]);
    link(&workspace, "src/within", "a.rs");
    link(&workspace, "src/other", "../other");
    link(&workspace, "src/up", "../src");
    link(&workspace, "src/usr", "/usr/share");
    link(&workspace, "src/nowhere", "gone");
    all(&workspace, true, "inside");
    put(&workspace, "other/server.key");
    all(&workspace, false, "another folder has a secret");
    assert!(runs("grep -r x src", &workspace) && runs("rg x src", &workspace), "not followed");
    assert!(runs("find src -name '*.rs' | xargs grep x", &workspace), "not followed");
    for (target, what) in [("/etc", "the system's"), ("/", "everything"), ("..", "the home folder")] {
        let (_kept, workspace) = world(&["src/a.rs"]);
        link(&workspace, "src/deep/link", if target == ".." { kept.path() } else { Path::new(target) });
        all(&workspace, false, what);
    }
    let (kept, workspace) = world(&["src/a.rs", "src/x id_rsa y"]);
    std::fs::create_dir(kept.path().join("out")).unwrap();
    assert!(runs("grep -r K src", &workspace));
    link(&workspace, "src/out", kept.path().join("out"));
    all(&workspace, false, "beside a name that comes apart");
    let (_kept, workspace) = world(&["src/a.rs", ".priv/server.key"]);
    assert!(runs("rg K", &workspace));
    link(&workspace, "src/conf", "../.priv");
    for command in ["rg -L K", "rg -L K src", "rg -L K src/conf"] {
        assert!(!runs(command, &workspace), "a hidden folder: {command}");
    }
}

#[test]
fn each_of_many_folders_is_looked_at() {
    let (kept, workspace) = world(&[]);
    for number in 0..40 {
        put(&workspace, &format!("l{number}/a.rs"));
    }
    let commands = [
        "grep -r K l*/",
        "for d in l*/; do grep -r K \"$d\"; done",
        "rg K */",
        "for d in */; do grep -rn x \"$d\"; done",
    ];
    let all = |workspace: &Path, wanted: bool, what: &str| {
        for command in commands {
            assert_eq!(runs(command, workspace), wanted, "{what}: {command}");
        }
    };
    all(&workspace, true, "plain");
    put(kept.path(), "outside/server.key");
    link(&workspace, "lz", kept.path().join("outside"));
    all(&workspace, false, "a link that is named");
    std::fs::remove_file(workspace.join("lz")).unwrap();
    put(&workspace, "vendor/server.key");
    assert!(runs("rg K l*/", &workspace));
    assert!(!runs("rg K */", &workspace), "a folder that is named is not passed over");
}

#[test]
fn a_pattern_of_very_many_parts_is_not_looked_up() {
    let (_kept, workspace) = world(&["src/a.rs"]);
    let deep = |depth: usize| format!("rg -L x {}", "*/".repeat(depth));
    assert!(runs(&deep(3), &workspace));
    assert!(!runs(&deep(300), &workspace));
}

#[test]
fn what_a_listing_names_is_searched_for_lines_too() {
    let listed = [
        "git ls-files | xargs grep -h ''",
        "grep -h '' $(git ls-files)",
        "for m in $(find d -name '*.c'); do grep -h '' \"${m%/*}\"/*; done",
        "ls d | xargs grep -h ''",
        "rg --files | xargs grep -h ''",
    ];
    let (_kept, workspace) = world(&["d/a.c", "b.txt"]);
    git(&workspace, &["init", "-q"]);
    git(&workspace, &["add", "."]);
    for command in listed {
        assert!(runs(command, &workspace), "{command}");
    }
    put(&workspace, "d/server.key");
    git(&workspace, &["add", "."]);
    for command in listed {
        assert!(!runs(command, &workspace), "{command}");
    }
    for command in [
        "git ls-files | xargs wc -l",
        "git ls-files | grep '\\.c$' | xargs grep -n x",
        "find . -name '*.c' | xargs grep -n x",
        "find . -name '*.c' -exec grep -n x {} +",
        "ls | xargs wc -l",
    ] {
        assert!(runs(command, &workspace), "{command}");
    }
    let (_kept, workspace) = world(&["d/a.c", ".conf/server.key"]);
    git(&workspace, &["init", "-q"]);
    git(&workspace, &["add", "d"]);
    assert!(runs(listed[0], &workspace), "hidden, and not tracked");
    git(&workspace, &["add", ".conf"]);
    assert!(!runs(listed[0], &workspace), "hidden, but tracked");
}

#[test]
fn names_that_git_has_count_though_no_such_file_was_found() {
    let (_kept, workspace) = world(&["a.txt", "sub/b.txt", ".env"]);
    git(&workspace, &["init", "-q"]);
    git(&workspace, &["add", "."]);
    git(&workspace, &["commit", "-qm", "a"]);
    git(&workspace, &["rm", "-q", "--cached", ".env"]);
    git(&workspace, &["commit", "-qm", "b"]);
    for command in [
        "git diff --name-only HEAD~1 | xargs cat",
        "cat $(git diff --name-only HEAD~1)",
        "git ls-tree -r --name-only HEAD~1 | xargs cat",
        "git diff --name-only HEAD~1 | xargs grep -h ''",
        "git ls-files ':/' | xargs cat",
    ] {
        assert!(!runs(command, &workspace), "{command}");
    }
    for command in [
        "git ls-files | xargs cat",
        "git ls-files | xargs grep x",
        "git diff --name-only | xargs cat",
        "git diff --name-only HEAD~1 | xargs wc -l",
        "git diff --name-only HEAD~1",
    ] {
        assert!(runs(command, &workspace), "{command}");
    }
    put(&workspace, "server.key");
    git(&workspace, &["add", "server.key"]);
    for command in ["git ls-files ':/' | xargs cat", "git ls-files ':(top)' | xargs cat", "git ls-files .. | xargs cat"]
    {
        assert!(!runs_in("sub", command, &workspace), "{command}");
    }
    assert!(runs_in("sub", "git ls-files | xargs cat", &workspace));
    let (_kept, workspace) = world(&["a.txt", ".en[v]"]);
    git(&workspace, &["init", "-q"]);
    git(&workspace, &["add", "."]);
    std::fs::remove_file(workspace.join(".en[v]")).unwrap();
    for command in ["for f in $(git ls-files); do cat $f; done", "cat $(git grep -l x)"] {
        assert!(!runs(command, &workspace), "{command}");
    }
    git(&workspace, &["rm", "-q", "--cached", ".en[v]"]);
    assert!(runs("for f in $(git ls-files); do cat $f; done", &workspace));
    let (_kept, workspace) = world(&["a.txt", ".m/n/server.key"]);
    for number in 0..70 {
        put(&workspace, &format!(".h/{number}.pem"));
    }
    git(&workspace, &["init", "-q"]);
    git(&workspace, &["add", "a.txt"]);
    assert!(runs("git ls-files a.txt | xargs wc -l", &workspace));
    git(&workspace, &["add", ".m"]);
    assert!(!runs("git ls-files | xargs cat", &workspace), "one of very many");
}
