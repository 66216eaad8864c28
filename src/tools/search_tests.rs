//! Tests of both searches on real folders.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::assess::Sensitive;
use crate::domain::{Facts, PathFact, PathKind, Place};

fn facts(folder: &Path) -> Facts {
    let folder = folder.canonicalize().unwrap();
    let place = Place { cwd: folder.clone(), workspace: folder.clone(), home: Some(folder) };
    Facts { place, ..Facts::default() }
}

fn leash() -> Leash {
    Leash { cancel: CancellationToken::new(), deadline: Instant::now() + Duration::from_secs(30) }
}

fn writer() -> Writer {
    let (lane, _) = tokio::sync::mpsc::channel(1);
    Sink::new(RunPort::new(crate::domain::OperationId(1), lane)).writer()
}

fn seek(folder: &Path, pattern: &str, glob: Option<&str>) -> String {
    let operation =
        SearchOperation { pattern: pattern.to_owned(), path: None, glob: glob.map(str::to_owned), ignore_case: false };
    let scope = Scope::of(None, &facts(folder), Sensitive::default()).unwrap();
    let (found, halt) = search(scope, &Query::of(&operation).unwrap(), &leash(), (&writer(), 2000), None);
    assert_eq!(halt, None);
    found.text
}

/// A folder with files of every sort that a search must leave out.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for path in ["src/deep", "build", ".github", ".git", "src/keep"] {
        fs::create_dir_all(at(path)).unwrap();
    }
    fs::write(at(".gitignore"), "build/\n*.log\n!wanted.log\n").unwrap();
    fs::write(at("src/.gitignore"), "generated.rs\n").unwrap();
    for path in [
        "src/a.rs",
        "src/deep/b.rs",
        "src/deep/generated.rs",
        "build/c.rs",
        "d.log",
        "wanted.log",
        ".github/ci.yml",
        ".git/config",
        ".env",
        "server.pem",
    ] {
        fs::write(at(path), "one\nneedle here\n").unwrap();
    }
    fs::write(at("binary"), b"needle\0needle").unwrap();
    symlink("/etc", at("out")).unwrap();
    symlink("src/a.rs", at("link.rs")).unwrap();
    folder
}

#[tokio::test]
async fn matches_come_by_file_without_what_is_ignored_or_sensitive() {
    let folder = project();
    let text = seek(folder.path(), "need.e", None);
    let expected = "  2: needle here\n";
    let files = [".github/ci.yml", "src/a.rs", "src/deep/b.rs", "wanted.log"];
    assert_eq!(text, files.map(|file| format!("{file}\n{expected}")).concat());
    assert_eq!(seek(folder.path(), "needle", Some("*.rs")).lines().count(), 4);
    assert_eq!(seek(folder.path(), "needle", Some("src/*.rs")), format!("src/a.rs\n{expected}"));
    // Rules of a folder above hold too.
    let below = seek(&folder.path().join("src"), "needle", None);
    assert_eq!(below, format!("a.rs\n{expected}deep/b.rs\n{expected}"));
}

#[tokio::test]
async fn what_a_model_does_not_read_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("long.txt"), "needle in the haystack\n".repeat(9000)).unwrap();
    fs::write(folder.path().join("wide.txt"), "needle".repeat(1000)).unwrap();
    let query = |path: &str| SearchOperation {
        pattern: "needle".to_owned(),
        path: Some(path.to_owned()),
        glob: None,
        ignore_case: false,
    };
    let mut facts = facts(folder.path());
    for name in ["long.txt", "wide.txt"] {
        let real = facts.place.cwd.join(name);
        facts.paths.insert(name.to_owned(), PathFact { real, kind: PathKind::File, size: 0, content: None });
    }
    let run = |name: &str| {
        let scope = Scope::of(Some(name), &facts, Sensitive::default()).unwrap();
        search(scope, &Query::of(&query(name)).unwrap(), &leash(), (&writer(), 1000), None).0
    };
    let found = run("long.txt");
    assert_eq!((found.count, found.more), (MOST, true));
    assert_eq!(found.left_out + found.text.lines().count() as u64 - 1, MOST);
    assert!(run("wide.txt").text.ends_with("… (5700 more bytes)\n"));
}

#[tokio::test]
async fn a_search_stops_when_asked_and_refuses_what_it_cannot_read() {
    let folder = project();
    let leash = leash();
    leash.cancel.cancel();
    let scope = Scope::of(None, &facts(folder.path()), Sensitive::default()).unwrap();
    let operation = SearchOperation { pattern: "x".to_owned(), path: None, glob: None, ignore_case: true };
    let (_, halt) = search(scope, &Query::of(&operation).unwrap(), &leash, (&writer(), 1000), None);
    assert_eq!(halt, Some(Halt::Cancelled));
    let refused = |pattern: &str, glob: Option<&str>| {
        let glob = glob.map(str::to_owned);
        Query::of(&SearchOperation { pattern: pattern.to_owned(), path: None, glob, ignore_case: false }).err()
    };
    let said = "the pattern can't be searched for: unclosed group; a \\ before a sign such as ( finds the sign itself";
    assert_eq!(refused("(", None).unwrap(), said, "one line, without the parser's drawing");
    assert!(refused("x", Some("[")).unwrap().starts_with("the glob can't be read"));
    let error = Scope::of(Some("../x"), &facts(folder.path()), Sensitive::default()).unwrap_err();
    assert!(error.contains("wasn't looked at"), "{error}");
}

#[test]
fn a_glob_matches_names_or_paths() {
    let matches = |glob: &str, path: &str| Pattern::new(glob).unwrap().matches(Path::new(path), path.ends_with('/'));
    assert!(matches("*.rs", "src/deep/a.rs") && matches("./*.rs", "a.rs") && matches("{a,b}.rs", "src/b.rs"));
    assert!(matches("src/**/*.rs", "src/deep/a.rs") && matches("**/deep/*", "src/deep/a.rs"));
    assert!(!matches("src/*.rs", "src/deep/a.rs") && !matches("/a.rs", "src/a.rs"));
    assert!(matches("deep/", "src/deep/") && !matches("deep/", "src/deep"));
}

#[tokio::test]
async fn rules_without_end_and_pipes_hold_no_search_up() {
    let folder = project();
    let expected = seek(folder.path(), "needle", None);
    fs::create_dir(folder.path().join("src/odd")).unwrap();
    fs::write(folder.path().join("src/odd/e.rs"), "needle here\n").unwrap();
    symlink("/dev/zero", folder.path().join("src/odd/.gitignore")).unwrap();
    for pipe in [".ignore", "src/odd/.ignore", ".git/info"] {
        nix::unistd::mkfifo(&folder.path().join(pipe), nix::sys::stat::Mode::S_IRWXU).unwrap();
    }
    let found = seek(folder.path(), "needle", None);
    assert!(found.contains("src/odd/e.rs") && found.len() > expected.len(), "{found}");
    assert!(!found.contains("build/c.rs"), "the others count: {found}");
}
