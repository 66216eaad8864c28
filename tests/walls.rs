//! Commands behind read-only walls, through the real binary: what they can't do, what they still can, what it costs.
//! The assessor is bypassed: every line here is run as if it had been whitelisted.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
#[path = "common/left_out.rs"]
mod left_out;

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{bench, countersigned, place, run};
use countersign::contain::{Proof, Walls};
use countersign::domain::{Assessment, CommandOperation, Facts, Need, OperationKind, Outcome, Place, RunReport};
use countersign::tools::{CommandTool, Workbench};
use left_out::left_out;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A workspace, a home folder and the program's own folder, with a secret in each.
struct World {
    _folder: TempDir,
    work: PathBuf,
    home: PathBuf,
    own: PathBuf,
    bench: Arc<Workbench>,
    proof: Proof,
}

const TOKEN: &str = "planted-8c1f";

/// A world with walls, or none after saying that they are left out.
async fn world(what: &str) -> Option<World> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (work, home, own) = (root.join("work"), root.join("home"), root.join("own"));
    for (folder, name) in [(&work, ".env"), (&home.join(".ssh"), "id_ed25519"), (&own, "journal.sqlite")] {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(name), TOKEN).unwrap();
    }
    std::fs::write(work.join("notes.txt"), "as it was\n").unwrap();
    let plain = bench(&work);
    let walls = Walls::new(plain.launcher.clone(), own.clone(), vec![own.clone()], None);
    let proof = walls.proof().await;
    if proof.layers.is_none() {
        left_out(what, &format!("nothing is enforced here: {}", proof.passed_over.join("; ")));
        return None;
    }
    let bench = Workbench { home: Some(home.clone()), walls: Arc::new(walls), ..(*plain).clone() };
    Some(World { _folder: folder, work, home, own, bench: Arc::new(bench), proof })
}

impl World {
    fn place(&self) -> Place {
        Place { home: Some(self.home.clone()), ..place(&self.work) }
    }

    async fn with(&self, line: &str, needs: BTreeSet<Need>) -> RunReport {
        let kind = OperationKind::Command(CommandOperation { command: line.to_owned(), timeout: Some(20) });
        let assessment = Assessment { needs, ..Assessment::whitelisted("test", "It reads.") };
        let facts = Facts { place: self.place(), ..Facts::default() };
        let operation = countersigned(kind, facts, assessment);
        run(&CommandTool::new(Arc::clone(&self.bench)), operation, CancellationToken::new()).await.1
    }

    async fn bash(&self, line: &str) -> RunReport {
        self.with(line, BTreeSet::new()).await
    }

    /// What a line prints, whatever came of it.
    async fn says(&self, line: &str) -> String {
        self.bash(line).await.result
    }
}

#[tokio::test]
async fn what_holds_here_is_proved() {
    let Some(world) = world("the walls").await else { return };
    println!("{}: {:?}", world.proof.made_of, world.proof.tried);
    for why in &world.proof.passed_over {
        println!("passed over: {why}");
    }
    println!("{}", std::fs::read_to_string(world.own.join("walls.json")).unwrap());
    assert!(world.own.join("walls.json").is_file(), "it is kept");
    assert_eq!(std::fs::read_dir(&world.own).unwrap().count(), 2, "the canary leaves nothing behind");
}

#[tokio::test]
async fn nothing_can_be_changed() {
    let Some(world) = world("that nothing changes behind walls").await else { return };
    let lines = [
        "echo x > notes.txt",
        "echo x >> notes.txt",
        "rm notes.txt",
        "mv notes.txt other.txt",
        "cp notes.txt copy.txt",
        "mkdir folder",
        "ln notes.txt hard",
        "ln -s notes.txt soft",
        "chmod 777 notes.txt",
        "touch -d 2001-01-01 notes.txt",
        "touch new.txt",
        "truncate -s 0 notes.txt",
        "sed -i s/as/was/ notes.txt",
        "dd if=/dev/zero of=notes.txt count=1",
        "mkfifo pipe",
        "echo x > ../home/new.txt",
        "echo x > /etc/countersign-was-here",
        "echo x > /usr/countersign-was-here",
        "echo x > /proc/sys/kernel/hostname",
        "mount -t tmpfs none .",
        "unshare -Ur true",
    ];
    for line in lines {
        let report = world.bash(line).await;
        assert!(matches!(report.outcome, Outcome::Failed { .. }), "{line}: {}", report.result);
    }
    assert_eq!(std::fs::read_to_string(world.work.join("notes.txt")).unwrap(), "as it was\n");
    assert_eq!(std::fs::read_dir(&world.work).unwrap().count(), 2);
    assert_eq!(std::fs::read_dir(&world.home).unwrap().count(), 1);
}

#[tokio::test]
async fn readers_read_as_ever() {
    let Some(world) = world("that readers work behind walls").await else { return };
    let git = "git -c init.defaultBranch=main init -q . && git add notes.txt && git -c user.name=a -c user.email=a@b commit -qm x";
    assert!(std::process::Command::new("bash").args(["-c", git]).current_dir(&world.work).status().unwrap().success());
    for (line, wanted) in [
        ("cat notes.txt", "as it was"),
        ("ls -l notes.txt | wc -l", "1"),
        ("git status --short", "?? .env"),
        ("git log --oneline | wc -l", "1"),
        ("find . -name '*.txt'", "./notes.txt"),
        ("grep -c was notes.txt", "1"),
        ("seq 200000 | sort -n | tail -1", "200000"),
        ("echo kept > $TMPDIR/a && cat $TMPDIR/a", "kept"),
        ("cat <<< $(seq 100000) | wc -c", "588895"),
        ("echo hi > /dev/null; echo said > /dev/stdout", "said"),
        ("head -c 4 /dev/urandom | wc -c", "4"),
        ("pwd", world.work.to_str().unwrap()),
        ("id -u", &nix::unistd::getuid().to_string()),
        ("timeout 5 sleep 0; echo $?", "0"),
        ("sleep 30 & kill $!; wait $!; echo $?", "143"),
        ("(sleep 0.05; echo late) & echo early", "early\nlate"),
        ("exit 7", "exit 7"),
        ("kill -9 $$", "exit 137"),
    ] {
        let writes = ["TMPDIR", "sort", "<<<"].iter().any(|word| line.contains(word));
        if writes && !world.proof.layers.unwrap().namespaces {
            left_out(line, "without namespaces there is no temporary folder");
            continue;
        }
        let said = world.says(line).await;
        assert!(said.contains(wanted), "{line}: {said}");
    }
}

#[tokio::test]
async fn no_secret_is_read_and_none_looks_changed() {
    let Some(world) = world("that no secret is read behind walls").await else { return };
    let own = world.own.display();
    for line in [
        "cat .env".to_owned(),
        "head -c 100 ./.env ../work/.env".to_owned(),
        "cat ../home/.ssh/id_ed25519".to_owned(),
        "cat ../home/.ssh/*; ls ../home/.ssh".to_owned(),
        format!("cat {own}/*; cat {own}/journal.sqlite"),
        "grep -r planted . ../home ../own".to_owned(),
        "cp .env /tmp/x; cat /tmp/x".to_owned(),
        "cat /proc/self/cwd/.env; cat /proc/1/cwd/.env; cat /proc/1/root/$PWD/.env".to_owned(),
        "umount .env; umount -l .env; cat .env".to_owned(),
    ] {
        let said = world.says(&line).await;
        assert!(!said.contains(TOKEN), "{line}: {said}");
    }
    let looks = world.says("stat -c '%s %n' .env").await;
    assert!(looks.contains(&format!("{} .env", TOKEN.len())), "{looks}");
    std::fs::write(world.work.join("late.pem"), TOKEN).unwrap();
    assert!(!world.says("cat late.pem").await.contains(TOKEN), "a secret that came later");
}

#[tokio::test]
async fn nothing_is_reached_that_is_not_needed() {
    let Some(world) = world("that nothing is reached behind walls").await else { return };
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    let (path, other) = (dir.path().join("a.sock"), dir.path().join("b.sock"));
    let (socket, hidden) = (UnixListener::bind(&path).unwrap(), UnixListener::bind(&other).unwrap());
    for listener in [&socket, &hidden] {
        listener.set_nonblocking(true).unwrap();
    }
    server.set_nonblocking(true).unwrap();
    let tcp = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached");
    let unix = |path: &Path| {
        format!(
            "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{}'); print('reached')\"",
            path.display()
        )
    };
    assert!(!world.says(&tcp).await.contains("reached"));
    assert!(!world.says(&unix(&path)).await.contains("reached"));
    assert!(server.accept().is_err() && socket.accept().is_err());
    let network = BTreeSet::from([Need::Network]);
    assert!(world.with(&tcp, network.clone()).await.result.contains("reached"));
    assert!(!world.with(&unix(&path), network).await.result.contains("reached"));
    let daemon = BTreeSet::from([Need::Socket(path.clone())]);
    let said = world.with(&unix(&path), daemon.clone()).await.result;
    assert!(said.contains("reached"), "{said}");
    assert!(!world.with(&tcp, daemon.clone()).await.result.contains("reached"));
    if world.proof.layers.unwrap().namespaces {
        assert!(!world.with(&unix(&other), daemon).await.result.contains("reached"));
    }
    let processes = world.with("ps -e | wc -l", BTreeSet::from([Need::Processes])).await.result;
    println!("processes seen by need: {processes}; without: {}", world.says("ps -e | wc -l").await);
    let environ = format!("cat /proc/{}/environ | wc -c", std::process::id());
    let said = world.with(&environ, BTreeSet::from([Need::Processes])).await.result;
    assert!(said.contains("ermission denied"), "{said}");
}

#[tokio::test]
async fn a_start_costs_little() {
    let Some(world) = world("the cost of walls").await else { return };
    let open = bench(&world.work);
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..30 {
        for (at, bench) in [&open, &world.bench].into_iter().enumerate() {
            let kind = OperationKind::Command(CommandOperation { command: ":".to_owned(), timeout: None });
            let facts = Facts { place: world.place(), ..Facts::default() };
            let operation = countersigned(kind, facts, Assessment::whitelisted("test", "It reads."));
            let began = Instant::now();
            run(&CommandTool::new(Arc::clone(bench)), operation, CancellationToken::new()).await;
            took[at].push(began.elapsed());
        }
    }
    for took in &mut took {
        took.sort();
    }
    let [open, walled] = took.map(|took| (took[took.len() / 2], took[took.len() - 2]));
    println!("open: {open:?}  walled: {walled:?} (median, nearly the worst)");
    assert!(walled.0 < open.0 + Duration::from_millis(50), "open {open:?}, walled {walled:?}");
}
