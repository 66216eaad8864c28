//! Staged runs through the real binary: tests of small projects pass, what only adds is put in place, what changes
//! something that was there waits with its diff, is put in place when it is approved, and can be taken back.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/walled.rs"]
mod walled;

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use common::{countersigned, run};
use countersign::domain::{
    APPLY, Arguments, Assessment, Countersigned, Detail, Facts, Outcome, Prepared, RunEvent, UNDO,
};
use countersign::tools::{ApplyTool, Tool, UndoTool, stages};
use left_out::not_here;
use tokio_util::sync::CancellationToken;
use walled::{TOKEN, World, world};

/// What a folder says of itself that can be made again.
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55";

/// A world in which commands can be staged.
async fn stage(what: &str) -> Option<World> {
    let world = world(what).await?;
    if let Err(why) = &world.proof.staged {
        not_here(what, why);
        return None;
    }
    Some(world)
}

fn waits(events: &[RunEvent]) -> Option<&str> {
    events.iter().find_map(|event| match event {
        RunEvent::Waits(what) => Some(what.as_str()),
        _ => None,
    })
}

/// A call of one of the program's own tools, as if everything ran unasked.
fn own(world: &World, tool: &dyn Tool, arguments: &str) -> Result<Countersigned, String> {
    let kind = tool.prepare(&Arguments::parse(arguments).unwrap()).map_err(|error| error.0)?;
    Ok(countersigned(kind, Facts { place: world.place(), ..Facts::default() }, Assessment::default()))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn project(world: &World, files: &[(&str, &str)]) {
    for (name, text) in files {
        let place = world.work.join(name);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }
    let git =
        "git -c init.defaultBranch=main init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm x";
    assert!(Command::new("bash").args(["-c", git]).current_dir(&world.work).status().unwrap().success());
    // What was there before is older than the run, by the coarse clock of a disk.
    std::thread::sleep(std::time::Duration::from_millis(50));
}

#[tokio::test]
async fn this_workspace_can_be_staged() {
    let Some(world) = stage("staged runs").await else { return };
    println!("{:?}", world.proof.staged);
    assert_eq!(stages(&world.bench).await, Ok(()));
}

#[tokio::test]
async fn what_changes_waits_is_put_in_place_and_taken_back() {
    let Some(world) = stage("changes of staged runs").await else { return };
    project(&world, &[("src/a.txt", "one\n"), ("gone", "x\n"), ("d/e", "y\n")]);
    let line =
        "echo two > src/a.txt; rm gone; rm -r d; mkdir -p new && echo n > new/file; chmod +x notes.txt; cat src/a.txt";
    let (events, report) = world.staged(line, 20).await;
    assert!(report.result.contains("two"), "it sees what it wrote: {}", report.result);
    assert_eq!(
        waits(&events),
        Some("1 changed, 1 with other permissions, 3 deleted (d/e, d, gone, notes.txt, src/a.txt)")
    );
    assert!(report.result.contains("added new, new/file"), "{}", report.result);
    assert_eq!(
        (read(&world.work.join("new/file")).as_str(), read(&world.work.join("src/a.txt")).as_str()),
        ("n\n", "one\n")
    );
    assert!(world.work.join("gone").exists());

    let tool = ApplyTool::new(Arc::clone(&world.bench));
    let call = r#"{"operation":1}"#;
    let operation = own(&world, &tool, call).unwrap();
    let kind = operation.operation().kind.clone();
    let prepared = Prepared { ..operation.prepared().clone() };
    let preview = tool.preview(&prepared, CancellationToken::new()).await.unwrap().unwrap();
    assert!(preview.warnings.is_empty(), "{:?}", preview.warnings);
    let diffs: String = preview
        .details
        .iter()
        .map(|detail| match detail {
            Detail::Diff { text, .. } => text.as_str(),
            Detail::Rows { .. } | Detail::Text(_) => "",
        })
        .collect();
    assert!(diffs.contains("-one\n+two") && diffs.contains("-x"), "{diffs}");
    assert!(kind.gist().starts_with("apply changes of #1"), "{}", kind.gist());
    let (events, report) = run(&tool, operation, CancellationToken::new()).await;
    assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{}", report.result);
    assert!(events.iter().any(|event| matches!(event, RunEvent::Undoable(_))));
    assert_eq!(read(&world.work.join("src/a.txt")), "two\n");
    assert!(!world.work.join("gone").exists() && !world.work.join("d").exists());
    assert!(own(&world, &tool, call).is_err(), "nothing waits any more");

    let undo = UndoTool::new(Arc::clone(&world.bench));
    let operation = own(&world, &undo, r#"{"operations":[1]}"#).unwrap();
    let (_, report) = run(&undo, operation, CancellationToken::new()).await;
    assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{}", report.result);
    assert_eq!(
        (read(&world.work.join("src/a.txt")).as_str(), read(&world.work.join("d/e")).as_str()),
        ("one\n", "y\n")
    );
    assert!(!world.work.join("new").exists(), "what was added is taken away, too");
    assert_eq!((APPLY, UNDO), ("apply", "undo"));
}

#[tokio::test]
async fn what_was_there_among_build_products_is_named() {
    let Some(world) = stage("changes of build products").await else { return };
    project(&world, &[(".gitignore", "/build\n"), ("build/notes.txt", "by hand\n"), ("build/old", "x\n")]);
    let (events, report) = world.staged("echo made > build/notes.txt; rm build/old; echo n > build/new", 20).await;
    assert_eq!(waits(&events), None, "{}", report.result);
    let said = "wrote 3 build products; replaced build/notes.txt; deleted build/old.";
    assert!(report.result.contains(said), "{}", report.result);
    assert!(
        events.iter().any(|event| matches!(event, RunEvent::Note(note) if note.contains("replaced build/notes.txt"))),
        "{events:?}"
    );
    assert_eq!(read(&world.work.join("build/notes.txt")), "made\n");
}

#[tokio::test]
async fn what_others_obey_is_written_into_no_folder_that_tags_itself() {
    let Some(world) = stage("what is planted among build products").await else { return };
    project(&world, &[(".gitignore", "target/\nbuild/\n"), ("target/CACHEDIR.TAG", TAG)]);
    let plant = "mkdir -p target/.vscode target/debug src2/build; git init -q target; echo x > target/.vscode/tasks.json; \
        echo x > target/CLAUDE.md; echo x > target/.envrc; echo x > target/debug/app; \
        cp target/CACHEDIR.TAG src2/build/; echo x > src2/build/Makefile; echo x > src2/build/a.o";
    let (events, report) = world.staged(plant, 20).await;
    let lies = |path: &str| world.work.join(path).exists();
    assert!(lies("target/debug/app") && lies("src2/build/a.o"), "{}", report.result);
    for path in ["target/.git", "target/.vscode", "target/CLAUDE.md", "target/.envrc", "src2/build/Makefile"] {
        assert!(!lies(path), "{path}: {}", report.result);
    }
    assert_eq!(waits(&events), Some("1 added (src2/build/Makefile)"), "a new folder's own tag makes it no cache");
    assert!(report.result.contains("target/.git (others obey it)"), "{}", report.result);
}

#[tokio::test]
async fn what_is_denied_is_gone() {
    let Some(world) = stage("denied changes").await else { return };
    let (events, _) = world.staged("echo other > notes.txt", 20).await;
    assert_eq!(waits(&events), Some("1 changed (notes.txt)"));
    world.bench.layers.release(countersign::domain::OperationId(1));
    assert!(own(&world, &ApplyTool::new(Arc::clone(&world.bench)), r#"{"operation":1}"#).is_err());
    assert_eq!(read(&world.work.join("notes.txt")), "as it was\n");
}

#[tokio::test]
async fn the_walls_are_those_of_a_reader() {
    let Some(world) = stage("the walls of staged runs").await else { return };
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let own = world.own.display();
    for line in [
        "cat .env; cp .env copy; ln .env link; mv .env moved; cat ../home/.ssh/*".to_owned(),
        format!("cat {own}/*; ls -R {own}; echo x > {own}/journal.sqlite"),
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}"),
        "echo x > ../home/new; echo x > ../home/.ssh/id_ed25519; touch ../home; chmod 777 ../home".to_owned(),
        "chmod 777 /dev/null; touch /dev/null; umount .; umount -l .env; cat .env".to_owned(),
        "rm -rf .env; chmod 644 .env; : > .env; cat .env".to_owned(),
    ] {
        let (events, report) = world.staged(&line, 20).await;
        assert!(!report.result.contains(TOKEN), "{line}: {}", report.result);
        assert_eq!(waits(&events), None, "{line}: a hidden file is none that changed");
    }
    assert!(server.accept().is_err());
    assert_eq!(read(&world.work.join(".env")), TOKEN);
    assert_eq!(std::fs::read_dir(&world.home).unwrap().count(), 1);
}

#[tokio::test]
async fn what_is_committed_of_a_secret_is_no_way_to_it() {
    let Some(world) = stage("what is committed, in staged runs").await else { return };
    let commit = |what: &str| {
        let git = format!(
            "git -c init.defaultBranch=main init -q . && git add {what} && git -c user.name=a -c user.email=a@b commit -qm x"
        );
        assert!(
            std::process::Command::new("bash").args(["-c", &git]).current_dir(&world.work).status().unwrap().success()
        );
    };
    commit("notes.txt");
    let (_, report) = world.staged("find .git/objects -type f | wc -l; git log --oneline | wc -l", 20).await;
    assert!(report.result.contains("3\n1"), "what holds no secret is there: {}", report.result);
    commit(".env");
    let (_, report) = world.staged("find .git/objects -type f | wc -l", 20).await;
    assert!(report.result.contains("\n0"), "{}", report.result);
}

#[tokio::test]
async fn a_run_that_is_ended_leaves_nothing() {
    let Some(world) = stage("the end of staged runs").await else { return };
    let (events, report) = world.staged("echo x > new; echo y > notes.txt; sleep 30", 1).await;
    assert!(matches!(report.outcome, Outcome::TimedOut { .. }));
    assert!(report.result.contains("the workspace is as it was"), "{}", report.result);
    assert_eq!((waits(&events), world.work.join("new").exists()), (None, false));
}

#[tokio::test]
async fn tests_of_small_projects_pass() {
    let Some(world) = stage("tests of projects run staged").await else { return };
    project(
        &world,
        &[
            (".gitignore", "__pycache__/\ntarget/\n"),
            (
                "test_sum.py",
                "import sum, unittest\nclass T(unittest.TestCase):\n  def test(self):\n    self.assertEqual(sum.sum(1, 2), 3)\n",
            ),
            ("sum.py", "def sum(a, b): return a + b\n"),
            ("Cargo.toml", "[package]\nname = \"hello\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("src/lib.rs", "#[test]\nfn adds() { assert_eq!(1 + 2, 3); }\n"),
            (
                "package.json",
                "{\"name\":\"p\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"node -e 'require(\\\"assert\\\")(1+2===3)'\"}}",
            ),
        ],
    );
    let there = |program: &str| {
        let found = Command::new("bash").args(["-c", &format!("command -v {program}")]).output();
        found.is_ok_and(|output| output.status.success())
    };
    for (program, line, said) in [
        ("python3", "env -u PYTHONDONTWRITEBYTECODE python3 -m unittest 2>&1", "OK"),
        ("python3", "env -u PYTHONDONTWRITEBYTECODE python3 -m unittest 2>&1", "OK"),
        ("cargo", "env -u CARGO_TARGET_DIR cargo test --offline 2>&1", "1 passed"),
        ("cargo", "env -u CARGO_TARGET_DIR cargo test --offline 2>&1", "1 passed"),
        ("npm", "npm test 2>&1", "node -e"),
    ] {
        if !there(program) {
            not_here(line, &format!("there is no {program}"));
            continue;
        }
        let (events, report) = world.staged(line, 120).await;
        println!("{line}: {}", report.result);
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{line}: {}", report.result);
        assert!(report.result.contains(said), "{line}: {}", report.result);
        assert_eq!(waits(&events), None, "{line}");
        let compiled = report.result.contains("left out __pycache__ (Python makes it anew)");
        assert_eq!(compiled, program == "python3", "{line}: {}", report.result);
        assert!(!world.work.join("__pycache__").exists(), "{line}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    if there("cargo") {
        assert!(world.work.join("target/debug").is_dir(), "build products are kept for the next run");
        assert!(world.work.join("Cargo.lock").is_file(), "what only adds is put in place");
        let again = "env -u CARGO_TARGET_DIR cargo test --offline 2>&1";
        std::fs::write(world.work.join("src/lib.rs"), "#[test]\nfn adds() { assert_eq!(1 + 2, 4); }\n").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let (events, report) = world.staged(again, 120).await;
        assert!(report.result.contains("1 failed"), "{}", report.result);
        assert_eq!(waits(&events), None);
    }
}
