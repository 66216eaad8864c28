//! Commands through the real binary: sessions, environments, floods, limits and ends.

#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::{bench, countersigned, facts, run};
use countersign::domain::{Assessment, CommandOperation, OperationKind, Outcome, RunEvent, RunReport};
use countersign::tools::CommandTool;
use tokio_util::sync::CancellationToken;

fn kind(command: &str, timeout: Option<u64>) -> OperationKind {
    OperationKind::Command(CommandOperation { command: command.to_owned(), timeout, terminal: false })
}

async fn bash(folder: &Path, command: &str) -> (Vec<RunEvent>, RunReport) {
    let tool = CommandTool::new(bench(folder));
    let run_of = countersigned(kind(command, None), facts(folder), Assessment::default());
    run(&tool, run_of, CancellationToken::new()).await
}

async fn unasked(folder: &Path, command: &str) -> RunReport {
    let tool = CommandTool::new(bench(folder));
    let run_of = countersigned(kind(command, None), facts(folder), Assessment::whitelisted("test", "It reads."));
    run(&tool, run_of, CancellationToken::new()).await.1
}

/// Whether a process runs whose arguments hold `mark`.
fn runs(mark: &str) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else { return false };
    entries.flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).replace('\0', " ").contains(mark))
    })
}

#[tokio::test]
async fn output_exit_and_error_stream_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (events, report) = bash(folder.path(), "echo hello; echo oh >&2; exit 2").await;
    assert_eq!(report.outcome, Outcome::Failed { reason: "exit 2".to_owned() });
    assert!(report.result.contains("hello") && report.result.contains("[stderr]\noh"), "{}", report.result);
    assert!(matches!(events.last(), Some(RunEvent::Tail(tail)) if tail.lines == 2));
    let (_, report) = bash(folder.path(), "pwd").await;
    assert!(report.result.contains(folder.path().to_str().unwrap()));
    let (_, report) = bash(folder.path(), "no-such-program-here").await;
    assert!(report.result.starts_with("exit 127 (command not found)"), "{}", report.result);
}

#[tokio::test]
async fn there_is_no_terminal_and_no_input() {
    let folder = tempfile::tempdir().unwrap();
    // On Linux our own binary stays as the parent of the command, and leads the session.
    let leader = if cfg!(target_os = "linux") { "$PPID" } else { "$$" };
    let script = format!(
        "tty; (exec 3<>/dev/tty) 2>/dev/null && echo reached; cat; ps -o sid= -p $$ | tr -d ' '; echo {leader}"
    );
    let (_, report) = bash(folder.path(), &script).await;
    let lines: Vec<_> = report.result.lines().collect();
    assert!(lines.contains(&"not a tty") && !lines.contains(&"reached"), "{lines:?}");
    assert_eq!(lines[lines.len() - 1], lines[lines.len() - 2], "its session is its own");
}

#[tokio::test]
async fn a_child_starts_with_clean_signals_and_no_file_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let left_open = std::fs::File::open("/dev/null").unwrap();
    nix::fcntl::fcntl(&left_open, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    let script =
        "grep SigBlk /proc/self/status; yes | head -1 >/dev/null; echo ${PIPESTATUS[0]}; ls /proc/$$/fd; ulimit -c";
    let (_, report) = bash(folder.path(), script).await;
    let none = "0000000000000000";
    let expected = format!("exit 0\nSigBlk:\t{none}\n141\n0\n1\n2\n");
    assert!(report.result.starts_with(&expected) && report.result.ends_with("\n0\n"), "{}", report.result);
}

#[tokio::test]
async fn the_environment_holds_nothing_of_ours_that_is_secret() {
    let folder = tempfile::tempdir().unwrap();
    // Cargo sets some hundred variables for a test; none of them may pass.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let (_, report) = bash(folder.path(), "env").await;
    assert!(!report.result.contains("CARGO_MANIFEST_DIR") && !report.result.contains("CARGO_PKG_NAME"));
    assert!(report.result.contains("GIT_TERMINAL_PROMPT=0") && report.result.contains("PATH="));
}

#[tokio::test]
async fn a_cancelled_command_takes_its_grandchildren_along() {
    let folder = tempfile::tempdir().unwrap();
    let tool = CommandTool::new(bench(folder.path()));
    let script = "set -m; (trap '' TERM; while :; do sleep 61.731; done) & sleep 61.732 | cat; wait";
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        while !runs("sleep 61.731") || !runs("sleep 61.732") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.cancel();
    });
    let run_of = countersigned(kind(script, None), facts(folder.path()), Assessment::default());
    let (_, report) = run(&tool, run_of, cancel).await;
    assert_eq!(report.outcome, Outcome::Cancelled);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!runs("sleep 61.731") && !runs("sleep 61.732"));
}

#[tokio::test]
async fn a_command_without_end_ends_at_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let tool = CommandTool::new(bench(folder.path()));
    let started = Instant::now();
    let run_of = countersigned(kind("echo first; sleep 62.731", Some(1)), facts(folder.path()), Assessment::default());
    let (_, report) = run(&tool, run_of, CancellationToken::new()).await;
    assert_eq!(report.outcome, Outcome::TimedOut { seconds: 1 });
    assert!(report.result.contains("first"), "{}", report.result);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn what_runs_on_in_the_background_ends_with_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let started = Instant::now();
    let (_, report) = bash(folder.path(), "sleep 63.731 & sleep 63.732 >/dev/null 2>&1 & echo done").await;
    assert!(report.result.starts_with("exit 0; 2 background processes"), "{}", report.result);
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(!runs("sleep 63.73"));
    // One that left the session holds the pipe: nobody waits for it.
    for held in ["", " 2>/dev/null", " >/dev/null"] {
        let (_, report) = bash(folder.path(), &format!("setsid sleep 4.731{held} & echo done")).await;
        assert!(report.result.contains("done"), "{held}: {}", report.result);
    }
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_flood_is_counted_and_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let (events, report) = bash(folder.path(), "seq 1 2000000").await;
    let Some(RunEvent::Tail(tail)) = events.last() else { panic!("no snapshot") };
    assert_eq!((tail.lines, tail.bytes), (2_000_000, 14_888_896));
    assert!(tail.pieces.iter().map(|piece| piece.text.len()).sum::<usize>() <= 256 * 1024);
    assert!(report.result.len() < 12_000 && report.result.starts_with("exit 0\n1\n2\n"));
    assert!(report.result.ends_with("\n2000000\n"));
}

#[tokio::test]
async fn binary_output_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (_, report) = bash(folder.path(), "head -c 100000 /dev/zero; printf '\\377\\376'").await;
    assert!(report.result.contains("binary output, 100002 bytes"), "{}", report.result);
}

/// A repository that would run a program of its own at every turn.
fn booby_trapped(folder: &Path) -> std::path::PathBuf {
    let mark = folder.join("ran");
    let trap = folder.join("trap");
    std::fs::write(&trap, format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", mark.display())).unwrap();
    let trap = trap.to_str().unwrap();
    let script = format!(
        "set -e; chmod +x {trap}; git init -q; git config user.email a@example.org; git config user.name A
         echo one > a.txt; git add a.txt; git commit -qm one
         for hook in post-index-change post-checkout reference-transaction pre-commit fsmonitor-watchman; do
           cp {trap} .git/hooks/$hook; done
         git config core.fsmonitor {trap}; git config core.pager {trap}; git config pager.log {trap}
         git config filter.f.clean {trap}; git config filter.f.smudge {trap}; git config filter.f.process {trap}
         git config diff.d.textconv {trap}; git config diff.d.command {trap}; git config gpg.program {trap}
         git config log.showSignature true; git config core.sshCommand {trap}; git config credential.helper {trap}
         echo '*.txt filter=f diff=d' > .gitattributes; echo two > a.txt; rm -f ran"
    );
    let done = Command::new("bash").args(["-c", &script]).current_dir(folder).env("HOME", folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    mark
}

#[tokio::test]
async fn git_runs_nothing_of_its_repository_when_nobody_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mark = booby_trapped(folder.path());
    for command in
        ["git status", "git diff", "git diff HEAD", "git log -p", "git show", "git log --format=%G?", "git blame a.txt"]
    {
        let report = unasked(folder.path(), command).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{command}: {}", report.result);
        assert!(!mark.exists(), "{command} ran {}", std::fs::read_to_string(&mark).unwrap());
    }
    let shown = unasked(folder.path(), "git diff").await;
    assert!(shown.result.contains("+two"), "{}", shown.result);
    bash(folder.path(), "git status").await;
    assert!(mark.exists(), "the trap is one: a run that somebody allowed sets it off");
}

#[tokio::test]
async fn git_runs_nothing_of_a_submodule_either() {
    let folder = tempfile::tempdir().unwrap();
    let (inner, outer) = (folder.path().join("inner"), folder.path().join("outer"));
    for path in [&inner, &outer] {
        std::fs::create_dir(path).unwrap();
        booby_trapped(path);
    }
    let script = "set -e; git -c protocol.file.allow=always -c core.fsmonitor=false submodule --quiet add ../inner sub
        git config -f .gitmodules submodule.sub.ignore none; cat ../inner/.git/config >> .git/modules/sub/config
        git config -f .git/modules/sub/config core.worktree ../../../sub; git config diff.submodule diff
        git config status.submoduleSummary true; cp ../inner/.gitattributes sub; echo two > sub/a.txt; rm -f ran ../inner/ran";
    let made =
        Command::new("bash").args(["-c", script]).current_dir(&outer).env("HOME", folder.path()).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for command in ["git status", "git diff", "git diff --submodule=diff", "git diff HEAD"] {
        let report = unasked(&outer, command).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{command}: {}", report.result);
        for mark in [outer.join("ran"), inner.join("ran")] {
            assert!(!mark.exists(), "{command} ran {}", std::fs::read_to_string(&mark).unwrap());
        }
    }
    bash(&outer, "git status").await;
    assert!(inner.join("ran").exists(), "the trap in the submodule is one");
}

fn in_terminal(command: &str, timeout: u64) -> OperationKind {
    let timeout = Some(timeout);
    OperationKind::Command(CommandOperation { command: command.to_owned(), timeout, terminal: true })
}

#[tokio::test]
async fn a_terminal_is_the_childs_own_and_its_text_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let tool = CommandTool::new(bench(folder.path()));
    let script = "tty; echo $TERM; (exec 3<>/dev/tty) && echo reached; stty size; printf '\\033[31mred\\033[0m\\a\\n'; seq 1 60; sleep 0.3";
    let run_of = countersigned(in_terminal(script, 20), facts(folder.path()), Assessment::default());
    let (events, report) = run(&tool, run_of, CancellationToken::new()).await;
    let lines: Vec<&str> = report.result.lines().collect();
    assert!(lines[0] == "exit 0" && lines[1].starts_with("/dev/") && lines[2] == "xterm-256color", "{lines:?}");
    assert_eq!(&lines[3..6], ["reached", "24 80", "red"], "{lines:?}");
    assert_eq!((lines[6], lines.last()), ("1", Some(&"60")), "what scrolled out is there");
    assert!(events.iter().any(|event| matches!(event, RunEvent::Glass(glass) if glass.size == (24, 80))));
}

#[tokio::test]
async fn a_terminal_ends_with_its_limit_and_takes_along_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let tool = CommandTool::new(bench(folder.path()));
    let script = "sleep 86207 & cat";
    let run_of = countersigned(in_terminal(script, 1), facts(folder.path()), Assessment::default());
    let (_, report) = run(&tool, run_of, CancellationToken::new()).await;
    assert_eq!(report.outcome, Outcome::TimedOut { seconds: 1 });
    assert!(!runs("sleep 86207"));
}

#[tokio::test]
async fn no_terminal_is_given_to_what_was_to_have_walls() {
    let folder = tempfile::tempdir().unwrap();
    let tool = CommandTool::new(bench(folder.path()));
    let judged = Assessment::whitelisted("test", "It reads.");
    let place = facts(folder.path());
    let operation = countersign::domain::Operation {
        id: countersign::domain::OperationId(1),
        origin: countersign::domain::Origin::Person,
        tool: "test".to_owned(),
        claim: countersign::domain::Claim::Absent,
        kind: in_terminal("touch made", 5),
        cwd: folder.path().to_owned(),
    };
    // The gate doesn't let it through unasked at all.
    let prepared = countersign::domain::Prepared { operation, facts: place, assessment: judged };
    let mut gate = countersign::domain::Gate::default();
    let admitted = gate.admit(prepared);
    assert!(matches!(admitted, countersign::domain::Admission::Waiting(_)), "{admitted:?}");
    let spec = countersign::tools::Tool::spec(&tool);
    assert!(spec.parameters["properties"]["terminal"]["description"].as_str().unwrap().contains("always asks"));
}
