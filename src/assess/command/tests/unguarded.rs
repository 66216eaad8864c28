//! What views do beyond their words where nothing is put up around commands.

use super::{allowed, judged_where};
use crate::domain::{Class, Facts, RepositoryFact, Shell};

fn unguarded(command: &str) -> Class {
    judged_where(command, |facts| facts.unguarded = true).class()
}

#[test]
fn what_shows_or_fetches_more_than_its_words_name_asks_without_walls() {
    for command in [
        "cargo tree",
        "cargo tree --locked",
        "cargo tree --offline",
        "cargo tree --frozen",
        "cargo --offline metadata",
        "cargo metadata --no-deps --format-version 1",
        "cargo locate-project --workspace",
        "cargo pkgid serde",
        "cargo package --list",
        "just --list",
        "just --summary",
        "cmake --list-presets",
        "markdownlint a.md",
        "npm ls",
        "npm root -g",
        "npm view react version",
        "npm config get registry",
        "npm help install",
        "npm version",
        "npm run",
        "npm audit",
        "npm fund --json",
        "npm cache ls",
        "neofetch",
        "fastfetch --logo none",
        "tldr tar",
        "zoxide query foo",
        "terraform version",
        "gcloud config list",
        "az account show",
        "gpg --list-keys",
        "black --check a.py",
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
        "cargo locate-project",
        "just --version",
        "cmake --help-command add_library",
        "cargo --version",
        "rustfmt --version",
        "cppcheck --version",
        "shellcheck a.sh",
        "promtool check rules a.yml",
        "npm --version",
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

#[test]
fn what_zsh_may_read_in_its_own_way_asks_where_it_runs_it() {
    let class = |command: &str| judged_where(command, |facts| facts.shell = Shell::Zsh).class();
    for command in [
        "hash ls=./evil; ls",
        "FOO=1 hash ls=./evil; ls",
        "builtin hash ls=x; ls",
        "'hash' ls=./evil; ls",
        "\\hash ls=./evil; ls",
        "commands[ls]=./evil; ls",
        "functions[ls]='touch PW'; ls",
        "functions=(ls 'touch PW'); ls",
        "path=(/x/bin $path); ls",
        "path=bin; ls",
        "for path in bin; do ls; done",
        "ls; for path in bin; do ls; done",
        "export path=bin; ls",
        "NULLCMD=./evil\n> /dev/null",
        "READNULLCMD=./evil; < a.txt",
        "x=1 < a.txt",
        "if true; then < a.txt; fi",
        "zshexit() { touch PW; }",
        "zshexit () { ls; }",
        "chpwd_functions=ls; cd /",
        "x=abc; echo $x['y[$(id)]']",
        "echo \"$x[y]\"",
        "x=.env/y; cat \"$x:h\"",
        "x=sub/.env; cat ${x:t}",
        "x='.e*'; cat $~x",
        "x='a.txt .env'; cat $=x",
        "x=.env; cat $^x",
        ": \"${cdpath:=/tmp}\"; cd deep && cat a",
        "f=(.env a.txt); cat \"${f[1]}\"",
        "ls >&2-",
        "ls >& 2-",
        "cat =ls",
        "ls *(e:touch\\ PW:)",
        "ls @(a|b)",
        "ls **/*.pem",
        "x='1 {system(\"id\")}'; awk $x a.txt",
        "x=a.txt; echo .env | read x; cat \"$x\"",
        "x=a.txt; true | x=.env; cat \"$x\"",
        "ls | cd sub; cat link",
        "x=a.txt; ls | for x in b; do :; done; cat \"$x\"",
        "x=a.txt; ls | while read x; do :; done; cat \"$x\"; for i in 1; do cat \"$x\"; done",
        "ls | while read path; do ls; done",
        "echo '.e\\x6ev' | xargs cat",
        "cd a b; cat link",
        "cd -q sub; cat link",
        "SECONDS='y[$(id)]'",
        "COLUMNS='y[$(id)]' ls",
        "echo $#x",
        "echo $x | awk $x a.txt",
        "echo a; awk $x a.txt",
        "echo $(awk $x a.txt)",
        "echo $[1]",
        "cat <1-5>",
        "cat ~+1/a",
        "x==ls; echo \"$x\"",
        "cat `ls`",
        "cat <<E\n$x[1]\nE",
        "ls # 'touch x'; touch y",
        "[[ a == (a|b) ]]",
        "[[ a = *(e:id:) ]]",
        "echo \"$(ls *(e:id:))\"",
        "echo \"${x:-\"$(ls =id)\"}\"",
        "FOO=\"a b\" hash ls=./evil; ls",
        "FOO='a b' \"hash\" ls=./evil; ls",
        "FOO=\"$(ls a b)\" hash ls=./evil; ls",
        "ha'sh' ls=./evil; ls",
        "h\\ash ls=./evil; ls",
    ] {
        assert!(class(command) >= Class::Unknown, "{command}");
    }
}

#[test]
fn a_variable_of_zshs_own_is_known_however_its_name_is_written() {
    let class = |command: &str| judged_where(command, |facts| facts.shell = Shell::Zsh).class();
    for command in [
        "export \"path=./evil\"; ls",
        "export 'path'=./evil; ls",
        "export pa\\th=./evil; ls",
        "readonly \"path=./evil\"; ls",
        "printf -v \"path\" %s ./evil; ls",
        "unset \"path\"; ls",
        "export \"module_path=./evil\"; ls",
        "export \"chpwd_functions=ls\"; cd /",
        "FOO='a b' path=./evil ls",
        "path=./evil ls",
        "echo ./evil | while read \"path\"; do ls; done",
        "for path in ./evil; do ls; done",
        "echo $((path=1)); ls",
        "((path=1)); ls",
        ": $((path=1)); ls",
        "cat <<< \"$((path=1))\"; ls",
        "[ \"$((path=1))\" ]; ls",
        "head -n $((path=1)) a; ls",
        "y=2; echo $((path=y)); ls",
        "(( x=1,path=1 )); ls",
        "echo $((path++)); ls",
        "echo $((path+=1)); ls",
        "export \"commands=x\"; ls",
        "MODULE_PATH=./evil; echo \"$commands\"",
        "ARGV0=unxz xzcat a.xz",
        "export ARGV0=unxz; xzcat a.xz",
        "ARGV0=rm ls a",
        "STTY=raw ls",
        "TMPPREFIX=./x; cat <<< a",
        "YASH_AFTER_CD='touch x'; cd src",
        "EXECSHELL=./evil; ls",
    ] {
        assert!(class(command) >= Class::Unknown, "{command}");
        assert!(judged_where(command, |facts| facts.shell = Shell::Other).class() >= Class::Unknown, "{command}");
        let within = format!("zsh -c {command:?}");
        assert!(judged_where(&within, |_| {}).class() >= Class::Unknown, "{within}");
    }
}

#[test]
fn a_descriptor_that_a_test_asks_for_is_computed_elsewhere() {
    for command in
        ["[[ -t \"$(cat a)\" ]]", "x=$(cat a); [[ -t \"$x\" ]]", "[[ ! -t \"$(cat a)\" ]]", "[[ -t 'a[$(id)]' ]] && ls"]
    {
        for shell in [Shell::Zsh, Shell::Other] {
            assert!(judged_where(command, |facts| facts.shell = shell).class() >= Class::Unknown, "{command}");
        }
    }
    let class = |command: &str| judged_where(command, |facts| facts.shell = Shell::Zsh).class();
    assert_eq!(class("[[ -t 1 ]] && ls"), Class::Whitelisted);
}

#[test]
fn in_a_shell_with_a_language_of_its_own_only_plain_words_run() {
    let class = |command: &str| judged_where(command, |facts| facts.shell = Shell::Foreign).class();
    for command in [
        "ls 'a\\' '; touch x; #'",
        "cat (echo .env)",
        "cat a ^b",
        "cat a 2>&1",
        "cat a 2>/dev/null",
        "echo ./evil | read fish_user_paths; ls",
        "set -- PATH ./evil; ls",
        "cat 'x'.env",
        "cat x'a b'",
        "grep -x.env a",
        "cat a,.env",
        "echo \"$x\"",
        "ls `pwd`",
        "ls *",
        "ls # a",
        "for x in a; do ls; done",
    ] {
        assert!(class(command) >= Class::Unknown, "{command}");
    }
    for command in
        ["ls -la src", "git log --oneline -5 | head -3", "cd src && ls; cat 'a b.txt'", "grep -rn \"a b\" src"]
    {
        assert_eq!(class(command), Class::Whitelisted, "{command}");
    }
}

#[test]
fn what_zsh_reads_alike_runs_there_too() {
    let class = |command: &str| judged_where(command, |facts| facts.shell = Shell::Zsh).class();
    for command in [
        "ls -la",
        "git log --oneline -5 2>/dev/null | head -3",
        "git diff HEAD~1 --stat",
        "git show HEAD^ --stat",
        "grep -rn \"foo bar\" src --include='*.rs' | wc -l",
        "wc -l $(git ls-files '*.rs') | tail -1",
        "for f in *.txt; do wc -l \"$f\"; done",
        "for i in 1 2 3; do echo \"$i\"; done",
        "for i in 1 2 3; do [ $i -lt 3 ] && echo n: $i; done",
        "if [ -f Cargo.toml ]; then grep -n '^name' Cargo.toml; fi",
        "[[ -d src ]] && ls src || echo none",
        "n=$(ls | wc -l); echo \"$n files\"",
        "cd src && ls -la 2>&1 | head",
        "(cd src; ls)",
        "git ls-files | while IFS= read -r f; do wc -l \"$f\"; done",
        "wc -l < Cargo.toml",
        "cat ~/notes.txt",
        "test -e a.txt && echo yes; echo \"exit $?\"",
        "find . -name '*.rs' -exec grep -l fn {} +",
        "f=src/a.c; echo \"${f%.c}.h\" \"${#f}\" $((1 + 2))",
        "# how many files\nls | wc -l",
        "case x in x) ls;; esac",
        "grep -rn function src | head -20",
        "ls /usr/local/bin; du -sh .",
        "[ \"$x\" = a ] && ls",
        "echo a{b,c}; ls src/*.rs",
    ] {
        allowed(command);
        assert_eq!(class(command), Class::Whitelisted, "{command}");
    }
    let other = |command: &str| judged_where(command, |facts| facts.shell = Shell::Other).class();
    assert_eq!(other("ls -la | head -5; [ -d src ] && ls src"), Class::Whitelisted);
    for command in ["ls $'\\'\\ntouch PW\\n'", "echo $[1\nrm -rf src\n]", "[[ -d src ]] && ls"] {
        assert!(other(command) >= Class::Unknown, "{command}");
    }
}

#[test]
fn what_git_tracks_and_shows_is_told_where_nobody_leaves_it_out() {
    let searched = |command: &str, path: &str| {
        let tracks = vec!["/home/me/project/a/.env".to_owned(), path.to_owned()];
        let fact = RepositoryFact { tracks, ..RepositoryFact::default() };
        let seen = |facts: &mut Facts| _ = facts.repositories.insert("/home/me/project".into(), fact);
        judged_where(command, seen).searched.is_some()
    };
    for command in [
        "git log -p",
        "git log -2 -U1",
        "git show",
        "git show HEAD",
        "git show --stat -p HEAD",
        "git diff",
        "git diff HEAD~1",
        "git diff -- config",
        "git grep -n abc",
        "git stash show -p",
        "git diff-tree -p HEAD",
        "git format-patch --stdout --no-binary HEAD~2",
        "git show ':/fix'",
        "git show 'HEAD^{/fix:x}'",
        "git show HEAD:a.txt ':/fix'",
        "git show ':(top)'",
        "git diff -- ':!a.txt'",
        "git diff HEAD~1 -- a.txt '*'",
        "git grep S -- '*'",
        "git log -p --full-diff -- a.txt",
        "git reflog -p",
        "git log --check",
        "git diff --stat --check",
        "git diff -l 100",
        "git show -l 5",
        "git diff -q",
        "git log -p -- config",
        "git grep abc -- config",
        "git grep -e abc -e -l",
        "git status -v",
        "git status -vv",
        "git status --verbose",
    ] {
        assert!(searched(command, "/home/me/project/config/.env"), "{command}");
        assert!(searched(command, ""), "{command}");
    }
    for command in [
        "git status",
        "git log --oneline -5",
        "git log --stat",
        "git show --stat HEAD",
        "git show --name-only HEAD",
        "git show HEAD:src/a.rs",
        "git diff --stat",
        "git diff --name-only HEAD~1",
        "git diff -- src",
        "git grep -l abc",
        "git grep -n -l abc",
        "git grep -q -e abc",
        "git diff -s",
        "git ls-files",
        "git stash list",
        "git diff-tree --no-commit-id --name-only -r HEAD",
    ] {
        assert!(!searched(command, "/home/me/project/config/.env"), "{command}");
    }
}
