//! Tests of commands in loops over what a pattern matches, on real folders: each name that is there counts.

use std::path::{Path, PathBuf};

use super::{Seen, judged as judged_alone, prepare};
use crate::assess::{AssessSettings, CommandAssessor};
use crate::domain::{Assessment, Claim, Class, CommandOperation, Operation, OperationId, OperationKind, Origin, Place};

/// A workspace with some names in it.
pub(super) fn world(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().canonicalize().unwrap().join("work");
    std::fs::create_dir(&workspace).unwrap();
    for name in names {
        put(&workspace, name, "x");
    }
    (folder, workspace)
}

pub(super) fn put(workspace: &Path, name: &str, text: &str) {
    let path = workspace.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Whether a command runs unasked there.
pub(super) fn runs(command: &str, workspace: &Path) -> bool {
    judged(command, workspace).class() == Class::Whitelisted
}

pub(super) fn judged(command: &str, workspace: &Path) -> Assessment {
    judged_by(command, workspace, &AssessSettings::default())
}

fn judged_by(command: &str, workspace: &Path, settings: &AssessSettings) -> Assessment {
    let (operation, place) = proposed(command, workspace);
    prepare(&CommandAssessor, operation, &place, None, settings).assessment
}

fn proposed(command: &str, workspace: &Path) -> (Operation, Place) {
    proposed_in(workspace, command, workspace)
}

/// A command in a folder of a workspace, whose parent is the home folder.
pub(super) fn proposed_in(folder: &Path, command: &str, workspace: &Path) -> (Operation, Place) {
    let (cwd, home) = (folder.to_path_buf(), workspace.parent().map(Path::to_path_buf));
    let place = Place { cwd: cwd.clone(), workspace: workspace.to_path_buf(), home };
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Person,
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false }),
        cwd,
    };
    (operation, place)
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
fn what_a_listing_finds_is_shown_whole_only_where_nothing_sensitive_is_among_it() {
    let walled = |command: &str, workspace: &Path| judged(command, workspace).walled.is_some();
    for command in [
        "ls | xargs cat",
        "cat $(ls)",
        "for f in $(ls); do cat \"$f\"; done",
        "ls | while read -r f; do cat \"$f\"; done",
        "rg --files | xargs cat",
        "fd -X cat",
        "git ls-files | xargs cat",
    ] {
        for (names, asks) in [
            (&["a.txt", "src/b.rs", ".env"][..], false),
            (&["a.txt", "server.pem"], true),
            (&["a.txt", "src/id_rsa"], true),
            (&["a.txt", "node_modules/x/key.pem"], true),
        ] {
            let (_kept, workspace) = world(names);
            assert!(runs(command, &workspace), "behind walls: {command}");
            assert_eq!(walled(command, &workspace), asks, "{command} {names:?}");
        }
    }
    // An index that isn't there may hold any name.
    let (_kept, workspace) = world(&["a.txt", ".env", ".git/description"]);
    assert!(walled("git ls-files | xargs cat", &workspace) && !walled("ls | xargs cat", &workspace));
    let (_kept, workspace) = world(&["a.txt", "vendor/key.pem", ".git/description"]);
    assert!(walled("git ls-files | xargs cat", &workspace) && walled("rg --files | xargs cat", &workspace));
    let (_kept, workspace) = world(&["server.pem"]);
    assert!(!walled("ls | xargs grep -l x", &workspace) && !walled("ls | head -3", &workspace));
}

#[test]
fn lines_of_sensitive_files_are_searched_only_where_walls_hide_them() {
    let asks = |command: &str, names: &[&str]| {
        let (_kept, workspace) = world(names);
        let found = judged(command, &workspace);
        assert_eq!(found.class(), Class::Whitelisted, "behind walls: {command}: {:?}", found.findings);
        found.searched.is_some_and(|why| why.contains("is sensitive"))
    };
    for command in [
        "grep -rn TODO .",
        "grep -r ''",
        "rgrep x .",
        "cd src && grep -rn x ..",
        "rg --hidden x",
        "rg -uu x",
        "ag -u x",
        "git grep --no-index x",
        "git grep --no-index x .",
        "git diff --no-index . src",
        "git diff src .",
        "ctags -x -R .",
        "tar cf - . | wc -c",
        "diff -r . src",
        "find . -type f | xargs grep x",
        "find . -type f -exec grep -H x {} +",
    ] {
        assert!(asks(command, &["a.txt", "src/b.rs", ".env"]), "{command}");
        assert!(asks(command, &["a.txt", "src/b.rs", "node_modules/x/key.pem"]), "{command}");
        assert!(!asks(command, &["a.txt", "src/b.rs", ".gitignore"]), "{command}");
    }
    for command in [
        "grep -rn TODO src",
        "grep -rn TODO . --include='*.rs'",
        "grep -rl TODO .",
        "grep -rc TODO .",
        "grep TODO a.txt",
        "rg TODO",
        "diff -rq . src",
        "git diff --no-index a.txt src/b.rs",
        "git diff a.txt src/b.rs",
        "ctags -x a.txt",
        "find . -name '*.rs' | xargs grep x",
        "find . -type f | xargs grep -l x",
        "find . -type f | wc -l",
    ] {
        assert!(!asks(command, &["a.txt", "src/b.rs", ".env"]), "{command}");
    }
    for command in [
        "grep -r x *",
        "grep -rn x s*/",
        "for d in */; do grep -rn x \"$d\" | head -3; done",
        "diff -r s* t",
        "ls | xargs grep -r x",
        "tar cf - s* | wc -c",
        "rg --hidden x *",
    ] {
        assert!(asks(command, &["a.txt", "src/deep/.env", "t/a"]), "{command}");
        assert!(!asks(command, &["a.txt", "src/deep/a", "t/a"]), "{command}");
    }
    // What a pattern doesn't match, no search comes to.
    for command in ["grep -r x *", "grep -r x s*", "rg x *"] {
        assert!(!asks(command, &["a.txt", ".env", "src/a", ".hidden/server.pem"]), "{command}");
    }
    assert!(asks("rg x *", &["src/server.pem"]) && !asks("rg x *", &["src/.env"]));
    // In a repository these are revisions and paths of it, but for places outside.
    let (_kept, workspace) = world(&["a.txt", "src/b.rs", ".env", ".git/objects/x", ".git/refs/x", "../other/.env"]);
    put(&workspace, ".git/HEAD", "ref: refs/heads/main\n");
    let at = workspace.display();
    for (command, outside) in [
        ("git diff . src".to_owned(), false),
        ("git diff HEAD -- src".to_owned(), false),
        (format!("git diff {at}/src {at}"), false),
        ("git diff ../other src".to_owned(), true),
        (format!("git diff src {at}/../other"), true),
        ("git diff --no-index . src".to_owned(), true),
    ] {
        assert!(runs(&command, &workspace), "behind walls: {command}");
        assert_eq!(judged(&command, &workspace).searched.is_some(), outside, "{command}");
    }
    assert!(asks("rg TODO", &["a.txt", "server.pem"]) && !asks("rg -g '*.rs' TODO", &["a.txt", "server.pem"]));
    // Behind walls nobody looks, which would take longer than the search: without them it asks all the same.
    let (_kept, workspace) = world(&["a.txt"]);
    let behind = AssessSettings { walled: true, ..AssessSettings::default() };
    let unlooked = judged_by("grep -rn TODO .", &workspace, &behind).searched;
    assert!(unlooked.is_some_and(|why| why.contains("wasn't looked for")));
    assert_eq!(judged("grep -rn TODO .", &workspace).searched, None);
    assert_eq!(judged_by("grep TODO a.txt", &workspace, &behind).searched, None);
}

#[test]
fn what_is_found_begins_with_what_is_written() {
    for (command, names, same) in [
        ("find . -name '*.tgz' | while read -r f; do tar tzf \"$f\"; done", &["a b.tgz"][..], true),
        ("find src -name '*.tgz' | while IFS= read -r f; do tar tzf \"$f\" | head -3; done", &["src/b.tgz"], true),
        (
            "find . -name '*.crt' | sort | while read f; do openssl x509 -noout -enddate -in \"$f\"; done",
            &["b.crt"],
            true,
        ),
        ("find . -name '*.tgz' | while read -r f; do tar tzf \"$f\"; done", &["a\nevil:b.tgz"], false),
        ("find . -name '*.tgz' | while read -r f; do tar tzf \"$f\"; done", &["-a.tgz"], false),
        ("find http: -name '*.tgz' | while read -r f; do tar tzf \"$f\"; done", &["http:/b.tgz"], false),
        ("find -L . -name '*.tgz' | while read -r f; do tar tzf \"$f\"; done", &["b.tgz"], false),
        ("ls src | while read -r f; do tar tzf \"$f\"; done", &["src/b.tgz"], false),
        ("for m in $(find . -name b); do cat \"$(dirname \"$m\")/c\"; done", &["a/b", "a/c"], true),
        ("find . -name b | while read -r m; do cat \"$(dirname \"$m\")/c\"; done", &["a/b", "a/c"], true),
        ("for m in $(find . -name b); do d=$(dirname \"$m\"); grep -rn x \"$d\"; done", &["a/b", "a/c"], true),
        ("for m in $(find . -name b); do cat \"$(dirname \"$m\")/c\"; done", &["-a/b", "a/c"], false),
        ("for m in $(find . -name b); do cat \"$(dirname \"$m\")/.env\"; done", &["a/b", "a/c"], false),
        ("for m in $(find .. -name b); do grep -rn x \"$(dirname \"$m\")\"; done", &["a/b", "a/c"], false),
        ("find . | while read -r a b; do tar tzf \"$b\"; done", &["b.tgz"], false),
        ("find . | while read -r f; do tar tzf $f; done", &["b.tgz"], false),
        ("find . | xargs -n1 tar tzf", &["b.tgz"], false),
        ("{ find .; cat list; } | while read -r f; do tar tzf \"$f\"; done", &["b.tgz"], false),
        ("(ls src || find .) | while read -r f; do tar tzf \"$f\"; done", &["b.tgz"], false),
        ("find . -type f | while read f; do cat \"$f\"; done", &["b", "a .env "], false),
    ] {
        let (_kept, workspace) = world(names);
        let found = judged(command, &workspace);
        assert_eq!(found.class() == Class::Whitelisted, same, "{command} {names:?} {:?}", found.findings);
    }
}

#[test]
fn what_a_listing_or_git_names_is_a_flag_only_where_a_name_is_one() {
    for command in [
        "ls src/*.ts | xargs sed -n 1,5p",
        "ls -t src/*.ts | head -3 | xargs sort",
        "sed -n 1p \"$(ls src | head -1)\"",
    ] {
        for (names, same) in [
            (&["src/a.ts", "src/b.ts", "c"][..], true),
            (&["src/a b.ts"], true),
            (&["src/-i.ts"], false),
            (&["src/a.ts/-i"], false),
            (&["src/a -i.ts"], false),
            (&["src/a.ts", "evil/-i"], false),
        ] {
            let (_kept, workspace) = world(names);
            assert_eq!(runs(command, &workspace), same, "{command} {names:?}");
        }
    }
    let (kept, workspace) = world(&["src/a.ts", "c"]);
    std::fs::create_dir(kept.path().join("other")).unwrap();
    std::os::unix::fs::symlink(kept.path().canonicalize().unwrap().join("other"), workspace.join("src/b.ts")).unwrap();
    assert!(!runs("ls src/*.ts | xargs sed -n 1,5p", &workspace), "a link leads where nobody looked");
    let (_kept, workspace) = world(&["src/in/@args", "src/in/a.o"]);
    assert!(!runs("ls src/* | xargs nm", &workspace) && !runs("ls -R src | xargs nm", &workspace));
    let (_kept, workspace) = world(&["src/a.ts"]);
    for command in [
        "ls -l src | xargs sort",
        "vdir src | xargs sort",
        "ls -la | xargs sort",
        "ls -Q src/*.ts | xargs sort",
        "ls \"$x\" | xargs sort",
        "cd \"$x\"; ls src | xargs sort",
    ] {
        assert!(!runs(command, &workspace), "{command}");
    }
}

#[test]
fn an_answer_alone_is_the_same_though_less_is_looked_at() {
    let names = ["a.txt", "src/a b.ts", "src/-i.ts", "t/.env", "t/x y/server.pem", "u/a \n -o"];
    for command in [
        "find . -type f | xargs cat",
        "find . -type f -exec gzip {} +",
        "find t -type f | xargs sort",
        "ls | xargs sed -n 1p",
        "ls src | xargs sed -n 1p",
        "find . -name '*.ts' | while read -r f; do tar tzf \"$f\"; done",
        "cat $(find . -name '*.txt')",
        "grep -rL x u/* | xargs rm",
        "for f in $(find u); do sort $f; done",
    ] {
        let (_kept, workspace) = world(&names);
        let (operation, place) = proposed(command, &workspace);
        let settings = AssessSettings::default();
        let answer = |lifted| {
            let seen = &mut Seen::default();
            judged_alone(&CommandAssessor, operation.clone(), &place, None, seen, (&settings, lifted)).assessment
        };
        let (short, whole) = (answer(false), answer(true));
        assert_eq!(short.class() == Class::Whitelisted, whole.class() == Class::Whitelisted, "{command}");
        assert_eq!((short.walled.is_some(), short.searched), (whole.walled.is_some(), whole.searched), "{command}");
    }
}

#[test]
fn names_come_apart_where_a_variable_has_no_quotes() {
    let commands = [
        ("for f in ./*; do find $f; done", "d -delete"),
        ("for f in ./*; do find . -name $f; done", "d -delete"),
        ("for f in ./*; do find . -newer $f -exec echo $f \\;; done", "d ; -delete"),
        ("for f in ./*.txt; do sort $f; done", "a.txt -oz.txt"),
        ("for f in ./*; do sed -n p $f; done", "a.txt -ewz"),
        ("for f in *.txt; do cat $f; done", "a.txt .env .txt"),
        ("for f in *.txt; do cat $f; done", "[.]env.txt"),
        ("for f in ./*.txt; do x=$f; sort $x; done", "a.txt -oz.txt"),
        ("for f in ./*.txt; do x=\"$f.bak\"; sort $x; done", "a -oz.txt"),
        ("for f in ./*.txt; do sort old/$f; done", "a -oz.txt"),
        ("for f in ./*.txt; do for g in $f; do sort \"$g\"; done; done", "a -oz.txt"),
        ("shopt -s nullglob; for f in ./*.txt; do sort $f; done", "a.txt -oz.txt"),
        ("f() { sort $1; }; for i in ./*.txt; do f \"$i\"; done", "a.txt -oz.txt"),
        ("for f in ./*.txt; do bash -c 'sort $1' _ \"$f\"; done", "a.txt -oz.txt"),
        ("x=./*.txt; for f in $x; do sort $f; done", "a.txt -oz.txt"),
        ("f() { local x=\"$1.bak\"; sort $x; }; for i in ./*.txt; do f \"$i\"; done", "a -oz.txt"),
        ("for f in ./*.txt; do for g in $f; do declare x=$g; sort \"$x\"; done; done", "a -oz.txt"),
        ("a=(./*.txt); sort ${a[0]}", "a -oz.txt"),
        ("for d in *; do for f in ./$d/*; do sort $f; done; done", "a -oz"),
        ("for f in ./*.txt; do dd if=$f; done", "a of=b.txt"),
        ("for f in ./*.txt; do [ -f $f ] && echo x; done", "a -v x[$(y)].txt"),
        ("for f in ./*; do grep x $f; done", "a .env"),
    ];
    let many: Vec<String> = (0..40).map(|number| format!("many{number}.txt")).collect();
    for (command, name) in commands {
        for more in [&[][..], &many] {
            let (_kept, workspace) = world(&["a.txt", "sub/b.txt"]);
            for name in more {
                put(&workspace, name, "x");
            }
            assert!(runs(command, &workspace), "{command}");
            put(&workspace, name, "x");
            assert!(!runs(command, &workspace), "{command} {name}");
        }
    }
    let (_kept, workspace) = world(&["a.txt"]);
    for options in ["dotglob", "nullglob dotglob", "nullglob $x"] {
        assert!(!runs(&format!("shopt -s {options}; for f in *.txt; do cat $f; done"), &workspace), "{options}");
    }
    let (_kept, workspace) = world(&["a.txt", "b c.txt", "sub/x -o.txt"]);
    for command in [
        "for f in *.txt; do wc -l $f; done",
        "for f in *.txt; do echo $f; done",
        "for f in ./*.txt; do sort \"$f\"; done",
        "for f in ./*.txt; do n=$f; sort \"$n\"; done",
        "f() { local x=$1; sort \"$x\"; }; for i in ./*.txt; do f \"$i\"; done",
        "sort ./*.txt",
        "for f in ./*.md; do sort $f; done",
        "d=sub; sort $d/*.txt",
        "x=./*.txt; sort \"$x\"",
    ] {
        assert!(runs(command, &workspace), "{command}");
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
fn paths_that_a_search_found_come_apart() {
    let commands = [
        "cat $(find . -name \"*.txt\")",
        "find . -name \"*.txt\" | xargs cat",
        "cat $(ls *.txt)",
        "ls *.txt | xargs cat",
        "for f in $(find . -name '*.txt'); do cat \"$f\"; done",
        "find . -name '*.txt' | while read f; do cat \"$f\"; done",
        "find . -name '*.txt' -exec sh -c 'cat $1' _ {} \\;",
        "find sub -name '*.txt' | xargs grep x",
    ];
    for command in commands {
        // Where a name has a blank nobody says whether a pattern may become a flag of `ls`.
        let other = if command.contains("ls *") { "b.txt" } else { "b c.txt" };
        let (_kept, workspace) = world(&["a.txt", other, "sub/it's.txt"]);
        let found = judged(command, &workspace);
        assert_eq!(found.class(), Class::Whitelisted, "{command}: {:?}", found.findings);
        put(&workspace, "sub/a.txt .env .txt", "x");
        assert!(!runs(command, &workspace), "{command}");
        for whole in [
            "find . -name '*.txt' -exec cat {} +",
            "find . -name '*.txt' -print0 | xargs -0 cat",
            "find . -name '*.txt' | xargs wc -l",
            "find . -name '*.txt' | head",
        ] {
            assert!(runs(whole, &workspace), "{whole}");
        }
    }
}
