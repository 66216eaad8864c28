//! Tests of names that git lists: what its index holds counts, and what lies there.

use super::loops_tests::{put, runs, world};

#[test]
fn tracked_names_are_flags_where_the_index_has_one() {
    let (_kept, workspace) = world(&["src/a.ts", "src/b c.ts"]);
    let git = |words: &[&str]| {
        let ran = std::process::Command::new("git").args(words).current_dir(&workspace).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    git(&["init", "-q"]);
    let commands = [
        "git ls-files | xargs sed -n 1p",
        "git ls-files src | xargs sort",
        "git ls-files '*.ts' | while read -r f; do sed -n 1p \"$f\"; done",
        "sed -n 1,9p \"$(git ls-files | head -1)\"",
        "git diff --name-only | xargs sort",
    ];
    let none =
        |what: &str| commands.iter().for_each(|command| assert!(!runs(command, &workspace), "{what}: {command}"));
    none("no index");
    git(&["add", "."]);
    for command in commands {
        assert!(runs(command, &workspace), "{command}");
    }
    for command in [
        "git ls-files -s | xargs sort",
        "git ls-files --format='-o %(path)' | xargs sort",
        "git ls-tree -r --name-only HEAD | xargs sort",
        "git diff --name-only HEAD~1 | xargs sort",
        "git diff --name-only --cached | xargs sort",
        "git log --name-only | xargs sort",
        "git ls-files --recurse-submodules | xargs sort",
    ] {
        assert!(!runs(command, &workspace), "{command}");
    }
    put(&workspace, "src/a -o.ts", "x");
    git(&["add", "."]);
    std::fs::remove_file(workspace.join("src/a -o.ts")).unwrap();
    none("a name that is tracked");
    git(&["rm", "-q", "--cached", "src/a -o.ts"]);
    put(&workspace, "-o", "x");
    none("a name that lies there");
}
