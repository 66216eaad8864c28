//! Children that are copies of a template, through the real binary: they start as those do that come up by themselves,
//! and end as those do.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/walled.rs"]
mod walled;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{countersigned, run};
use countersign::domain::{Assessment, CommandOperation, Facts, Need, OperationKind, Outcome};
use countersign::tools::CommandTool;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use walled::{World, world};

/// Says all that a command may notice of its start, and at last the word that its parent was started with.
const SCRIPT: &str = r"env | sort; pwd; ulimit -a; ulimit -Ha; umask
grep -E '^(Sig[^Q]|Shd|Cap|NoNewPrivs|Seccomp:|Groups)' /proc/self/status
ls /proc/$$/fd; readlink /proc/$$/fd/0; cut -d' ' -f4- /proc/self/mountinfo | sed 's/,*inode[^ ]*//'
cat /proc/net/dev /proc/net/route | cut -c-6
tr '\0' '\n' < /proc/$PPID/cmdline | sed -n 4p; exit 3";

impl World {
    async fn asked(&self, line: &str) -> Outcome {
        self.of(line, Assessment::default()).await.0
    }

    async fn of(&self, line: &str, assessed: Assessment) -> (Outcome, String) {
        let kind =
            OperationKind::Command(CommandOperation { command: line.to_owned(), timeout: None, terminal: false });
        let facts = Facts { place: self.place(), ..Facts::default() };
        let tool = CommandTool::new(Arc::clone(&self.bench));
        let report = run(&tool, countersigned(kind, facts, assessed), CancellationToken::new()).await.1;
        (report.outcome, report.result)
    }

    /// Waits until the template has come up.
    async fn copies(&self) {
        let since = Instant::now();
        while self.start(Assessment::default()).await.1 != "template" {
            assert!(since.elapsed() < Duration::from_secs(20));
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// What the script says, and its last word.
    async fn start(&self, assessed: Assessment) -> (String, String) {
        let (outcome, said) = self.of(SCRIPT, assessed).await;
        assert_eq!(outcome, Outcome::Failed { reason: "exit 3".to_owned() }, "{said}");
        let said = said.split("\n[It ran").next().unwrap_or_default().trim_end();
        let (rest, origin) = said.rsplit_once('\n').unwrap();
        (rest.to_owned(), origin.to_owned())
    }
}

/// Whether a process runs whose arguments hold `mark`.
fn runs(mark: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").contains(mark)
    })
}

/// Waits until there is such a process, or none.
async fn until(mark: &str, there: bool) {
    let since = Instant::now();
    while runs(mark) != there {
        assert!(since.elapsed() < Duration::from_secs(10), "{mark}");
        sleep(Duration::from_millis(20)).await;
    }
}

fn template() -> String {
    format!("__child {} template", std::process::id())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_starts_as_any_other_child_and_ends_with_whoever_waited() {
    let Some(world) = world("that copies of a template start as other children").await else { return };
    let whitelisted = || Assessment::whitelisted("test", "It reads.");
    let (open, walled) = (world.start(Assessment::default()).await, world.start(whitelisted()).await);
    assert_eq!((open.1.as_str(), walled.1.as_str()), ("open", "walled"));
    world.copies().await;
    for _ in 0..3 {
        let (copied, behind_walls) = (world.start(Assessment::default()).await, world.start(whitelisted()).await);
        assert_eq!((&copied.0, copied.1.as_str()), (&open.0, "template"));
        assert_eq!((&behind_walls.0, behind_walls.1.as_str()), (&walled.0, "template"));
    }

    // Those that need no way out share a network in which there is nothing; all others have their own or the machine's.
    let network = async |assessed: Assessment| {
        let (outcome, said) = world.of("readlink /proc/self/ns/net", assessed).await;
        assert!(matches!(outcome, Outcome::Succeeded { .. }), "{said}");
        said.lines().find(|line| line.starts_with("net:")).unwrap().to_owned()
    };
    let needing = |need| Assessment { needs: [need].into(), ..whitelisted() };
    let ours = std::fs::read_link("/proc/self/ns/net").unwrap().display().to_string();
    let quiet = network(whitelisted()).await;
    assert_ne!(quiet, ours);
    assert_eq!(network(whitelisted()).await, quiet);
    assert_eq!(network(Assessment::default()).await, ours);
    assert_eq!(network(needing(Need::Network)).await, ours);
    let apart = network(needing(Need::Processes)).await;
    assert!(apart != ours && apart != quiet, "{apart}");

    let dropped = timeout(Duration::from_millis(400), world.asked("sleep 64.731")).await;
    assert!(dropped.is_err());
    until("sleep 64.731", false).await;

    // A template that is gone is missed by nobody.
    let pid = std::process::Command::new("pkill").args(["-KILL", "-f", &template()]).status();
    assert!(pid.unwrap().success());
    assert_eq!(world.start(Assessment::default()).await, open);
    assert_eq!(world.start(whitelisted()).await.0, walled.0);
    world.copies().await;
    drop(world);
    until(&template(), false).await;
    let since = Instant::now();
    while let Some(left) = children() {
        assert!(since.elapsed() < Duration::from_secs(5), "{left}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// What `/proc` says of the children of this process, those that have ended and that nobody took note of among them.
fn children() -> Option<String> {
    let of = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
    let numbers: String = std::fs::read_dir("/proc/self/task").unwrap().flatten().map(of).collect();
    let about = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    Some(numbers.split_whitespace().map(about).collect::<String>()).filter(|left| !left.is_empty())
}
