//! Golden lines about loops over what a pattern matches: in quotes the variable is one name of those, without it is
//! split.

use std::path::{Path, PathBuf};

use super::{allowed, asks};
use crate::assess::{AssessSettings, CommandAssessor};
use crate::domain::{Claim, Class, CommandOperation, Operation, OperationId, OperationKind, Origin, Place};

/// A workspace with some names in it.
fn world(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().canonicalize().unwrap().join("work");
    std::fs::create_dir(&workspace).unwrap();
    for name in names {
        put(&workspace, name, "x");
    }
    (folder, workspace)
}

fn put(workspace: &Path, name: &str, text: &str) {
    let path = workspace.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Whether a command runs unasked there.
fn runs(command: &str, workspace: &Path) -> bool {
    let cwd = workspace.to_path_buf();
    let place = Place { cwd: cwd.clone(), workspace: cwd.clone(), home: workspace.parent().map(Path::to_path_buf) };
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Person,
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false }),
        cwd,
    };
    let prepared = crate::tools::prepare(&CommandAssessor, operation, &place, None, &AssessSettings::default());
    prepared.assessment.class() == Class::Whitelisted
}

#[test]
fn a_variable_in_quotes_is_one_name_of_those_that_a_pattern_matches() {
    for command in [
        "for f in src/*.json; do python3 -m json.tool \"$f\"; done",
        "for f in src/*; do xxd \"$f\"; done",
        "show() { head -3 \"$1\"; }; for f in src/*.md; do show \"$f\"; done",
        "count() { wc -l < \"$1\"; }; for f in src/*.py; do count \"$f\"; done",
        "both() { diff \"$1\" \"$2\"; }; for f in a/*; do both \"$f\" b/x; done",
        "for f in src/*.md; do bash -c 'wc -l \"$1\"' _ \"$f\"; done",
        "for f in src/*.md; do g() { local x=$1; wc -l \"$x\"; }; g \"$f\"; done",
        "for d in a/*; do for f in \"$d\"/*.json; do xxd \"$f\"; done; done",
        "a=(src/*.md); xxd \"${a[0]}\"",
        "find . -name '*.json' -exec python3 -m json.tool {} \\;",
    ] {
        allowed(command);
    }
    for command in [
        "for f in src/*.json; do python3 -m json.tool $f; done",
        "for f in src/*.json; do python3 -m json.tool \"$f\" out; done",
        "for f in src/*.json; do python3 -m json.tool a \"$f\"; done",
        "python3 -m json.tool src/*.json",
        "f=src/*.json; python3 -m json.tool $f",
        "a=(src/*.json); python3 -m json.tool \"${a[@]}\"",
        "g() { python3 -m json.tool \"$@\"; }; g src/*.json",
        "g() { python3 -m json.tool \"$@\"; }; for f in src/*.json; do g $f; done",
        "g() { python3 -m json.tool $1; }; for f in src/*.json; do g \"$f\"; done",
        "show() { head -3 \"$1\"; }; for f in ~/.ssh/*; do show \"$f\"; done",
        "show() { head -3 \"$2\"; }; show src/*.md ok",
        "find . -name '*.json' -exec python3 -m json.tool {} +",
        "find . -name '*.json' | xargs python3 -m json.tool",
        "for f in src/*; do rm \"$f\"; done",
        "for f in src/*; do f=$(cat x); xxd \"$f\"; done",
        "for f in src/*; do read -r f; xxd \"$f\"; done",
        "for f in src/*; do . \"$f\"; done",
        "for f in src/*; do bash \"$f\"; done",
        "for f in src/*; do bash -c \"$f\"; done",
        "for f in src/*; do \"$f\"; done",
    ] {
        asks(command);
    }
}

#[test]
fn names_in_a_folder_may_be_flags_of_the_loops_program() {
    for (command, names, same) in [
        ("for f in *.json; do python3 -m json.tool \"$f\"; done", &["a.json", "b c.json"][..], true),
        ("for f in *.json; do python3 -m json.tool \"$f\"; done", &["a.json", "b.json"], true),
        ("for f in *.json; do python3 -m json.tool \"$f\"; done", &["--indent.json"], false),
        ("for f in *; do xxd \"$f\"; done", &["r"], true),
        ("show() { head -3 \"$1\"; }; for f in *; do show \"$f\"; done", &["r", ".env"], true),
    ] {
        let (_kept, workspace) = world(names);
        assert_eq!(runs(command, &workspace), same, "{command} {names:?}");
    }
}

#[test]
fn where_the_program_of_find_ends_is_what_find_takes_for_it() {
    for command in [
        "find . -name '*.rs' -exec grep -n \"$1\" {} +",
        "find . -name '*.rs' -exec grep -n \"$1\" {} \\;",
        "find . -name '*.rs' -exec head -n 3 + {} \\;",
    ] {
        allowed(command);
    }
    for command in [
        "find / -exec cat + {} \\;",
        "find ~ -exec cat + {} \\; -print",
        "find . -exec echo + -delete",
        "find . -exec echo \"$x\" -delete \\;",
        "find . -exec echo \"$x\" \"$y\" \"$z\" \\;",
        "x=$(cat f); find . -exec echo $x \\;",
        "find . -exec echo $(cat f) {} \\;",
        "find . -exec echo \"$x\" + -delete \\;",
        "find . -exec echo * \\;",
        "find . -exec echo ? -delete \\;",
    ] {
        asks(command);
    }
}

/// A folder with repositories in it, one of which has a setting.
fn repositories(setting: &str) -> (tempfile::TempDir, PathBuf) {
    let (kept, workspace) = world(&["notes/a.md"]);
    for (name, settings) in [("one", ""), ("two", setting)] {
        put(&workspace, &format!("{name}/.git/HEAD"), "ref: refs/heads/main\n");
        put(&workspace, &format!("{name}/.git/config"), settings);
        put(&workspace, &format!("{name}/.git/objects/x"), "");
        put(&workspace, &format!("{name}/.git/refs/x"), "");
    }
    (kept, workspace)
}

#[test]
fn every_folder_that_a_pattern_matches_is_looked_at() {
    let commands = [
        "for d in */; do git -C \"$d\" status -s; done",
        "for d in ./*/; do git -C $d status -s; done",
        "for d in *; do (cd \"$d\" && git log -1 --oneline); done",
        "for d in */; do [ -d \"$d/.git\" ] && echo \"$d: $(git -C \"$d\" branch --show-current)\"; done",
        "for d in */; do cd \"$d\"; git status; cd ..; done",
        "show() { git -C \"$1\" status; }; for d in t*/ o*/; do show \"$d\"; done",
        "set -e; for d in */; do bash -c 'git -C \"$1\" status' _ \"$d\"; done",
        "cd notes; for d in ../work/../*; do ls \"$d\"; done; cd ..; for d in */; do git -C \"$d\" status; done",
    ];
    for command in commands {
        assert!(runs(command, &repositories("").1), "{command}");
        assert!(!runs(command, &repositories("[core]\n\tfsmonitor = ./x\n").1), "{command}");
    }
    let (_kept, workspace) = repositories("");
    std::os::unix::fs::symlink(workspace.join("../far"), workspace.join("link")).unwrap();
    for command in commands {
        assert!(runs(command, &workspace), "a link that leads nowhere: {command}");
    }
    put(&workspace, "../far/.git/config", "[core]\n\tfsmonitor = ./x\n");
    put(&workspace, "../far/.git/HEAD", "ref: refs/heads/main\n");
    put(&workspace, "../far/.git/objects/x", "");
    put(&workspace, "../far/.git/refs/x", "");
    assert!(!runs(commands[0], &workspace), "a link to a folder of other settings");
}

#[test]
fn names_that_are_not_listed_for_sure_ask() {
    let (_kept, workspace) = repositories("");
    for command in [
        "for d in */; do git -C \"$d\" push; done",
        "for d in */; do d=$(cat x); git -C \"$d\" status; done",
        "for d in */; do cd \"$d\"; git status; done",
        "for d in */; do cd \"$d\" || cd x; git status; cd ..; done",
        "for d in .*/; do git -C \"$d\" status; done",
        "for d in ???/; do git -C \"$d\" status; done",
        "for d in [a-z]*/; do git -C \"$d\" status; done",
        "for d in **/; do git -C \"$d\" status; done",
        "for d in \"$x\"*/; do git -C \"$d\" status; done",
        "for d in $x*/; do git -C \"$d\" status; done",
        "p=*/; for d in $p; do git -C \"$d\" status; done",
        "a=(*/); cd notes; for d in \"${a[@]}\"; do git -C \"$d\" status; done",
        "shopt -s nocaseglob; for d in T*/; do git -C \"$d\" status; done",
        "shopt -s globstar; for d in */; do git -C \"$d\" status; done",
        "cd \"$x\"; for d in */; do git -C \"$d\" status; done",
        "for d in */; do rm -r \"$d\"; done",
        "for d in */; do \"$d/x\"; done",
        "for d in */; do . \"$d\"x; done",
        "for d in */; do cat \"$d/.env\"; done",
    ] {
        assert!(!runs(command, &workspace), "{command}");
    }
    put(&workspace, "a\nb/x", "");
    assert!(!runs("for d in */; do git -C \"$d\" status; done", &workspace), "a name of two lines");
    let (_kept, workspace) = repositories("");
    put(&workspace, "-x/y", "");
    put(&workspace, "a b/y", "");
    assert!(runs("for d in */; do git -C \"$d\" status; done", &workspace), "a value, whatever it begins with");
    assert!(!runs("for d in */; do git -C $d status; done", &workspace), "split at its blank");
    assert!(!runs("for d in */; do cd \"$d\"; git status; cd ..; done", &workspace), "a flag of cd");
    for number in 0..40 {
        put(&workspace, &format!("many{number}/x"), "");
    }
    assert!(!runs("for d in */; do git -C \"$d\" status; done", &workspace), "too many to look at each");
    assert!(runs("for d in */; do ls \"$d\"; done", &workspace));
}

#[test]
fn names_with_a_meaning_are_seen_for_what_they_are() {
    for (names, same) in [
        (&["a.png", "b c.png"][..], true),
        (&["https:x.png"], false),
        (&["@a.png"], false),
        (&["a.png", "-x.png"], false),
    ] {
        let (_kept, workspace) = world(names);
        assert_eq!(runs("for f in *.png; do identify \"$f\"; done", &workspace), same, "{names:?}");
    }
    let (_kept, workspace) = world(&[]);
    assert!(runs("for f in *.png; do identify \"$f\"; done", &workspace), "the pattern itself");
}

#[test]
fn what_is_known_to_print_numbers_is_computed_with() {
    for command in [
        "for i in $(seq 1 3); do echo $((i * 2)); done",
        "n=5; for i in $(seq -1 \"$n\"); do echo $((i + n)); done",
        "seq 3 | while read -r i; do echo $((i * 2)); done",
        "x=$(grep -c x README.md); echo $((x + 1))",
        "x=$(cat a | grep -ci 'a b'); echo $((x + 1))",
        "x=$(grep -c x README.md 2>/dev/null); echo $((x + 1))",
        "n=$(git rev-list --count HEAD); echo $((n / 2))",
        "a=$(stat -c %s f); echo $((a / 1024))",
        "a=$(stat -L --format=%Y f); echo $((a / 1024))",
        "ts=$(git log -1 --format=%ct -- src); now=$(date +%s); echo $(((now - ts) / 86400))",
        "n=$(ls | wc -l | tr -d ' '); echo $((n + 1))",
        "for s in $(find . -printf '%s\\n'); do total=$((total + s)); done",
        "size=$(stat -c%s f); [ $size -gt 10 ] && ls",
        "for f in src/*.md; do n=$(grep -c TODO \"$f\"); t=$((t + n)); done; echo $t",
        "for pid in $(pgrep node); do cat /proc/$pid/status; done",
        "cat /proc/$(pgrep -o nginx)/limits",
        "pgrep -f x | while read pid; do tr '\\0' ' ' < /proc/$pid/cmdline; done",
        "for pid in $(pidof nginx); do ls -l /proc/$pid/fd; done",
    ] {
        allowed(command);
    }
    for command in [
        "for i in $(seq $x); do echo $((i)); done",
        "for i in $(seq \"$1\"); do echo $((i)); done",
        "for i in $(seq -f '%g x' 3); do echo $((i)); done",
        "for i in $(seq -s 'a[$(x)]' 3); do echo $((i)); done",
        "for i in $(seq 3)$(cat f); do echo $((i)); done",
        "for i in $(seq 3; cat f); do echo $((i)); done",
        "for i in $(seq 3) $(cat f); do echo $((i)); done",
        "for i in $(seq 3 | cat - f); do echo $((i)); done",
        "for i in $(seq 3 | sed 's/1/a/'); do echo $((i)); done",
        "for i in $(seq 3); do i=$(cat f); echo $((i)); done",
        "for i in $(seq 3 2>&1); do echo $((i)); done",
        "x=$(grep -c x a b); echo $((x))",
        "x=$(grep -rc x .); echo $((x))",
        "x=$(grep -cH x a); echo $((x))",
        "x=$(grep -c x *.md); echo $((x))",
        "x=$(grep -c \"$1\" a); echo $((x))",
        "x=$(grep -c x \"$1\"); echo $((x))",
        "x=$(grep -c x a -r); echo $((x))",
        "x=$(grep -c x a 2>&1); echo $((x))",
        "x=$(grep -c x a 2>/dev/stdout); echo $((x))",
        "x=$(grep -c x a |& cat); echo $((x))",
        "x=$(grep x a); echo $((x))",
        "x=$(stat -c %n f); echo $((x))",
        "x=$(stat -c %s%n f); echo $((x))",
        "x=$(stat -c %s *); echo $((x))",
        "x=$(git log --format=%ct); echo $((x))",
        "x=$(git log -1 --format=%s); echo $((x))",
        "x=$(git log -1 --format=%ct -p); echo $((x))",
        "x=$(cat f | tr -d ' '); echo $((x))",
        "n=$(wc -l < f | tr 1 a); echo $((n))",
        "for s in $(find . -printf '%s\\n' -print); do echo $((s)); done",
        "for s in $(find . -printf '%p\\n'); do echo $((s)); done",
        "for s in $(find . -printf '%s\\n' -printf '%p'); do echo $((s)); done",
        "for pid in $(pgrep node); do cat /proc/$pid/environ; done",
        "for pid in $(pgrep node); do cat /proc/$pid/mem; done",
        "cat /proc/$(pgrep -o x)/environ",
        "cat /proc/$(pgrep x)/../../etc/shadow",
        "for pid in $(pgrep -a node); do cat /proc/$pid/status; done",
        "for pid in $(pgrep -l node); do cat /proc/$pid/status; done",
        "for pid in $(pgrep -d / node); do cat /proc/$pid/status; done",
        "for pid in $(pgrep node); do cat /proc/$pid/root/etc/shadow; done",
        "for pid in $(pgrep node); do kill $pid; done",
    ] {
        asks(command);
    }
}
