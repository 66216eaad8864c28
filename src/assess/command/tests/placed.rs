//! What depends on which folders and files are there: what a turn's approval covers, and where a `cd` that fails leaves
//! a command standing.

use std::path::Path;

use super::{asks, judged, judged_where};
use crate::assess::{AssessSettings, CommandAssessor, RiskAssessor as _, Subject, assess};
use crate::domain::{
    Assessment, Claim, Class, CommandOperation, Facts, Grants, Operation, OperationId, OperationKind, Origin, PathFact,
    PathKind, Place, Prepared,
};

/// A command in `/w`, where every name that it has is there: a folder without a dot in it, a file with one. Those that
/// begin with `no` aren't.
fn prepared(command: &str, origin: Origin) -> Prepared {
    let kind = CommandOperation { command: command.to_owned(), timeout: None, terminal: false };
    let operation = Operation {
        id: OperationId(1),
        origin,
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(kind),
        cwd: "/w".into(),
    };
    let place = Place { cwd: "/w".into(), workspace: "/w".into(), home: Some("/home/ann".into()) };
    let fact = |word: &str| {
        let path = word.trim_end_matches([';', ')']);
        let kind = match path {
            _ if path.starts_with("no") => PathKind::Missing,
            _ if path.contains('.') => PathKind::File,
            _ => PathKind::Folder,
        };
        (path.to_owned(), PathFact { real: Path::new("/w").join(path), kind, size: 1, content: None })
    };
    let facts = Facts { place, paths: command.split(' ').map(fact).collect(), ..Facts::default() };
    let settings = AssessSettings::default();
    let assessment = assess(&CommandAssessor, Subject { operation: &operation, facts: &facts, settings: &settings });
    Prepared { operation, facts, assessment }
}

fn model() -> Origin {
    Origin::Model { call_id: "1".to_owned() }
}

fn assessed(command: &str) -> Assessment {
    prepared(command, model()).assessment
}

#[test]
fn a_turns_approval_covers_the_same_to_ordinary_files_of_the_workspace() {
    for (approved, asked, covered) in [
        ("rm a.txt", "rm b.txt", true),
        ("rm a.txt", "ls && rm b.txt c.txt", true),
        ("rm a.txt", "rm -rf docs", false),
        ("rm a.txt", "rm ../outside.txt", false),
        ("rm a.txt", "rm /home/ann/notes.txt", false),
        ("rm -r docs", "rm -r .git", false),
        ("rm a.txt", "rm .env", false),
        ("rm a.txt", "mv b.txt c.txt", false),
        ("cp a.txt b.txt", "cp a.txt ../b.txt", false),
        ("git add a.txt", "git add b.txt", true),
        ("git add a.txt", "git clean -f", false),
        ("git commit -m x", "git commit -m y", true),
        ("git commit -m x", "git commit --amend", false),
        ("echo x > a.txt", "echo y > b.txt", true),
        ("echo x > a.txt", "echo y > ../b.txt", false),
        ("echo x > no1.txt", "echo y > no2.txt", true),
        ("echo x > no1.txt", "echo y > b.txt", false),
        ("echo x > a.txt", "cat b.txt > c.txt", false),
        ("mv a.txt no1.txt", "mv b.txt no2.txt", true),
        ("mv a.txt no1.txt", "mv b.txt c.txt", false),
        ("mv a.txt b.txt", "mv c.txt d.txt", true),
        ("make build", "make build", true),
        ("make build", "make deploy", false),
        ("chmod 600 a.txt", "chmod 777 a.txt", false),
    ] {
        let mut grants = Grants::default();
        grants.extend(&prepared(approved, model()));
        assert_eq!(grants.cover(&prepared(asked, model())), covered, "{approved} covers {asked}");
        assert!(!grants.cover(&prepared(asked, Origin::Person)), "{asked} of the person");
    }
}

#[test]
fn where_a_folder_is_not_there_a_catastrophe_may_happen_where_the_command_stood() {
    for command in [
        "cd nope; rm -rf *",
        "cd nope || true; rm -rf .git *",
        "cd nope/deep; rm -rf ../*",
        "(cd nope; rm -rf *)",
        "pushd nope; rm -rf *",
        "cd nope; cd src; cd ..; rm -rf *",
        "cd nope || true && rm -rf *",
        "! cd nope && rm -rf *",
        "{ cd nope; true; } && rm -rf *",
        "f() { cd nope; true; }; f && rm -rf *",
        "cd a.txt; rm -rf *",
    ] {
        assert_eq!(assessed(command).class(), Class::Catastrophe, "{command}");
    }
    for command in [
        "cd nope && rm -rf *",
        "cd nope || exit 1; rm -rf *",
        "cd src; rm -rf *",
        "(cd nope); rm -rf src",
        "mkdir -p nope && cd nope && rm -rf *",
        "cd nope; rm -rf src",
    ] {
        assert!(assessed(command).class() < Class::Catastrophe, "{command}");
    }
}

#[test]
fn where_a_folder_is_not_there_what_is_read_lies_where_the_command_stood() {
    for command in [
        "cd nope; cat link",
        "cd nope || true; cat link",
        "(cd nope; head -3 < link)",
        "cd nope; git log -p",
        "cd nope; cd sub; cat link",
        "cd a.txt; cat link",
    ] {
        assert_eq!(assessed(command).class(), Class::Unreadable, "{command}");
    }
    for command in ["cd nope && cat link", "cd nope || exit 1; cat link", "cd nope; ls", "cd src; cat link"] {
        assert_eq!(assessed(command).class(), Class::Whitelisted, "{command}");
    }
}

#[test]
fn a_variable_of_the_shell_that_computes_is_set_to_numbers_alone() {
    for command in [
        "RANDOM='a[$(touch z)]'",
        "SRANDOM=$(cat a.txt)",
        "read -r RANDOM < a.txt",
        "for RANDOM in 'a[$(id)]'; do :; done",
        "printf -v SECONDS '%s' 'a[$(id)]'",
        "mapfile RANDOM < a.txt",
        "export RANDOM='a[$(id)]'",
        "declare LINENO='a[$(id)]'",
        "readonly SECONDS='a[$(id)]'",
        "RANDOM='a[$(id)]' ls",
        "RANDOM+='a[$(id)]'",
        "OPTIND='a[$(id)]'",
        ": ${RANDOM:='a[$(id)]'}",
        "RANDOM=('a[$(id)]')",
        "getopts ab RANDOM",
        "f() { local RANDOM=\"$1\"; }; f 'a[$(id)]'",
        "while read RANDOM; do :; done < a.txt",
        "zsh -c 'path=/tmp/evil; ls'",
        "zsh -c 'path+=/tmp/evil; rg x'",
        "zsh -c 'for path in .; do ls; done'",
        "zsh -c 'export path=.; ls'",
    ] {
        asks(command);
    }
    for command in ["path=src; ls $path", "zsh -lc 'ls -la'", "SECONDS=0; ls; echo $SECONDS", "RANDOM=5; echo $RANDOM"]
    {
        assert_eq!(judged(command).class(), Class::Whitelisted, "{command}");
    }
}

#[test]
fn a_link_behind_a_cd_is_looked_at_whichever_way_it_goes() {
    let link = |facts: &mut Facts| {
        let fact = PathFact { real: "/home/me/project/.env".into(), kind: PathKind::File, size: 1, content: None };
        facts.paths.insert("/home/me/project/src/x".to_owned(), fact);
    };
    for command in ["cd src; cat x", "cd -P src; cat x", "cd src -P; cat x"] {
        assert_ne!(judged_where(command, link).class(), Class::Whitelisted, "{command}");
        let kind =
            OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false });
        let place = Place { cwd: "/w".into(), workspace: "/w".into(), home: None };
        assert!(CommandAssessor.mentions(&kind, &place).paths.contains("/w/src/x"), "{command}");
    }
}

#[test]
fn a_folder_reached_by_links_is_not_the_one_that_its_letters_say() {
    let linked = |command: &str| {
        let fact = |real: &str| PathFact { real: real.into(), kind: PathKind::Folder, size: 0, content: None };
        judged_where(command, |facts| {
            for (spelled, real) in [
                ("dl", "/etc/ssl"),
                ("..", "/home/me"),
                ("src", "/home/me/project/src"),
                ("/home/me/project/dl", "/etc/ssl"),
                ("/home/me/project/dl/..", "/etc"),
                ("/home/me/project/dl/.", "/etc/ssl"),
                ("/home/me/project/src", "/home/me/project/src"),
            ] {
                facts.paths.insert(spelled.to_owned(), fact(real));
            }
        })
        .class()
    };
    for command in [
        "cd -P dl; cd ..; cat shadow",
        "cd -P -- dl && cat shadow",
        "cd -LP -- dl; cat shadow",
        "cd dl; cd -P ..; cat shadow",
        "cd dl; cd -P .; cat shadow",
        "cd dl; cd \"$(pwd -P)/..\"; cat shadow",
        "cd dl; cd \"$(env pwd)/..\"; cat shadow",
        "cd -x dl; cat shadow",
        "cd -P; cat shadow",
        "git -C dl grep --no-index . shadow",
    ] {
        assert_ne!(linked(command), Class::Whitelisted, "{command}");
    }
    for command in ["cd -P src; cat a.rs", "cd src && cat a.rs", "git -C src log", "cd src; cat \"$(pwd)/a.rs\""] {
        assert_eq!(linked(command), Class::Whitelisted, "{command}");
    }
}

#[test]
fn a_sensitive_folder_is_one_by_way_of_git_too() {
    for command in ["git -C ~/.ssh log -p", "git -C ~/.password-store grep .", "git -C /home/me/.ssh show"] {
        assert_ne!(judged(command).class(), Class::Whitelisted, "{command}");
    }
}
