//! Golden lines about what a script takes of a value: an end, a folder, a name.

use super::{allowed, asks, judged_where};
use crate::domain::{Class, FolderFact, PathFact, PathKind};

#[test]
fn what_is_left_of_a_name_is_read_as_what_is_written() {
    for command in [
        "for f in src/*.c; do cat \"${f%.c}.h\"; done",
        "for f in src/*.c; do diff \"$f\" \"${f%.c}.h\"; done",
        "for f in src/*.c; do diff \"$f\" \"${f%.*}.h\"; done",
        "for f in src/*.c; do wc -l < \"${f%.c}.h\"; done",
        "for f in a.c b.c; do cat \"${f%.c}.h\"; done",
        "f=src/lib/x.c; sed -n 1,5p \"${f%/*}/y.c\" \"lib/${f##*/}\"",
        "f=src/x.tar.gz; cat \"${f%%.*}.txt\" \"${f#src/}\"",
        "for p in packages/*/package.json; do cat \"$(dirname \"$p\")/README.md\"; done",
        "for p in packages/*/package.json; do d=$(dirname \"$p\"); cat \"$d/README.md\"; done",
        "for p in packages/*/package.json; do cat \"${p%/*}/README.md\"; done",
        "for m in $(find src -name mod.rs); do head -3 \"${m%/*}/README.md\"; done",
        "for f in src/*.ts; do n=$(basename \"$f\" .ts); cat \"tests/$n.test.ts\"; done",
        "for f in src/*.ts; do cat \"tests/$(basename \"$f\")\"; done",
        "for d in packages/*/; do cat \"docs/$(basename \"$d\").md\"; done",
        "g() { cat \"${1%.c}.h\"; }; g src/a.c",
        "for f in lib/*.c; do cat \"${f%.c}.h\"; done",
        "f=sub/x; cat \"${f%/*}/l\" \"${f%/*}l\"",
        "f=x; cat \"${f%/*}\"",
        "for f in lib/*.c; do grep -n x \"${f%/*}/README.md\"; done",
    ] {
        allowed(command);
    }
    for command in [
        "for f in src/*.c; do cat \"${f%.c}.pem\"; done",
        "for f in src/*.c; do cat \"${f%.c}/.env\"; done",
        "f=.env.c; cat \"${f%.c}\"",
        "f=.env.example; cat \"${f%.*}\"",
        "f=a/.env; cat \"${f##*/}\"",
        "f=xx.env; cat \"${f#xx}\"",
        "f=id_rsa.pub; cat ~/.ssh/\"${f%.pub}\"",
        "f=$(cat list); cat \"${f%.c}.h\"",
        "read -r f < list; cat \"$(dirname \"$f\")/x\"",
        "for f in src/*; do cat \"${f%$x}\"; done",
        "for f in src/*; do cat \"${f%%/*}\"; done",
        "for f in src/*; do cat \"${f#*.}\"; done",
        "for f in $(find . -name '*.c'); do cat \"${f%.c}.h\"; done",
        "for m in $(find . -name x); do cat \"$(dirname \"$m\")/.env\"; done",
        "for m in $(find /etc/nginx -name x); do cat \"$(dirname \"$m\")/shadow\"; done",
        "for m in $(find ~/src -name x); do grep -r x \"$(dirname \"$m\")\"; done",
        "for m in $(find .. -name x); do grep -r x \"$(dirname \"$m\")\"; done",
        "for m in $(find . -name x); do cat \"$(dirname \"$(dirname \"$m\")\")/../.env\"; done",
        "cat \"$(dirname \"$x\")/README.md\"",
        "dirname() { echo .env; }; for p in a/*/b; do cat \"$(dirname \"$p\")\"; done",
        "shopt -s globstar; for p in a/**/b.c; do cat \"$(dirname \"$p\")/x\"; done",
        "x=$(find . -name a | xargs -I{} dirname {}); cat \"$x\"",
        "for f in a/*.c; do cat $(basename $f); done",
        "for f in src/*.ts; do rm \"${f%.ts}.js\"; done",
        "for f in src/*.ts; do echo x > \"${f%.ts}.js\"; done",
    ] {
        asks(command);
    }
}

#[test]
fn of_a_path_at_the_root_nothing_is_left_before_its_slash() {
    for command in [
        "f=/x; \"${f%/*}bin/ls\"",
        "f=/x; find . \"${f%/*}-delete\"",
        "f=/x; sort a \"${f%/*}-oout\"",
        "for f in /*; do sort a \"${f%/*}-oout\"; done",
        "for f in /*.c; do sort a \"${f%/*}-oout\"; done",
        "f=/x; rg \"${f%/*}--pre=./bin/ls\" x",
        "f=/x; echo hi > \"${f%/*}dev/null\"",
        "f=/x; cat \"${f%/*}.env\"",
        "g() { cat \"${1%/*}.env\"; }; g /x",
        "f=.env//b; cat \"${f%/*}\"",
        "f=x//b; cat \"${f%/*}.env\"",
        "for f in .ssh//*; do cat ~/\"${f%/*}id_rsa\"; done",
        "f=$(find / -maxdepth 1 -name x); sort a \"${f%/*}-oout\"",
    ] {
        asks(command);
    }
    // What the shell reads there are files of the workspace.
    for command in [
        "f=/x; cat \"${f%/*}notes\"",
        "g() { cat \"${1%/*}notes\"; }; g /x",
        "f=sub//b; cat \"${f%/*}l\"",
        "f=/x; cat \"$(dirname \"$f\")etc/hosts\" \"$(dirname sub//b)l\"",
    ] {
        allowed(command);
    }
    // What lies at that path is what was looked at.
    for (command, path) in [
        ("f=/x; cat \"${f%/*}notes\"", "notes"),
        ("g() { cat \"${1%/*}notes\"; }; g /x", "notes"),
        ("f=sub//b; cat \"${f%/*}l\"", "sub/l"),
    ] {
        let fact = PathFact { real: "/home/me/.ssh/id_rsa".into(), kind: PathKind::File, size: 1, content: None };
        let read = judged_where(command, |facts| _ = facts.paths.insert(path.to_owned(), fact));
        assert_ne!(read.class(), Class::Whitelisted, "{command}");
    }
}

#[test]
fn a_name_alone_is_what_basename_and_the_shell_leave_of_it() {
    for command in [
        "grep -rh '' \"$(basename /)etc\"",
        "grep -rh '' \"$(basename //)root\"",
        "grep -rh '' \"$(basename / .c)etc\"",
        "f=/; grep -rh '' \"$(basename \"$f\")etc\"",
        "cat \"$(basename $'x/.env\\n')\"",
        "cat \"$(basename $'x/.env\\n\\n')\"",
        "cat \"$(basename $'x/.env\\n.c' .c)\"",
        "cat \"$(dirname $'.env\\n/x')\"",
        "x=$(dirname $'.env\\n/x'); cat \"$x\"",
        "for f in src/s*[!x]; do cat \"$(basename \"$f\")\"; done",
        "for f in src/server.key?; do cat \"$(basename \"$f\")\"; done",
        "for f in src/s?*; do cat \"$(basename \"$f\")\"; done",
    ] {
        asks(command);
    }
    for command in [
        "cat \"$(basename src/a.c)\" \"$(basename lib/ .c)\"",
        "cat \"$(basename $'x/a\\n')\" \"$(dirname $'lib\\n/x')/a.c\"",
        "ls \"$(basename /)\" \"$(dirname /)\"",
        "for f in src/a*; do cat \"docs/$(basename \"$f\")\"; done",
    ] {
        allowed(command);
    }
}

#[test]
fn a_name_without_its_folder_is_a_flag_where_a_name_in_that_folder_is_one() {
    let class = |command: &str, dashed: bool| {
        let folder = |name: &str, dashed| (format!("/home/me/project{name}"), FolderFact { dashed });
        judged_where(command, |facts| facts.folders = [folder("", false), folder("/src", dashed)].into()).class()
    };
    for command in [
        "for f in src/*.txt; do sort \"${f##*/}\"; done",
        "for f in src/*.txt; do sort \"$(basename \"$f\")\"; done",
        "for f in src/*.txt; do n=$(basename \"$f\" .txt); sort \"$n.md\"; done",
    ] {
        assert_eq!(class(command, false), Class::Whitelisted, "{command}");
        assert_ne!(class(command, true), Class::Whitelisted, "{command}");
    }
    // Behind a folder it begins with that.
    assert_eq!(class("for f in src/*.txt; do sort \"b/${f##*/}\"; done", true), Class::Whitelisted);
}
