//! Commands behind read-only walls, through the real binary: what they can't do, what they still can, what it costs.
//! The assessor is bypassed: every line here is run as if it had been whitelisted.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic)]

mod common;
#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/walled.rs"]
mod walled;

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{bench, countersigned, run};
use countersign::domain::{Assessment, CommandOperation, Facts, Need, OperationKind, Outcome};
use countersign::tools::CommandTool;
use left_out::not_here;
use tokio_util::sync::CancellationToken;
use walled::{TOKEN, world};

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
async fn a_reader_is_the_first_to_go_where_memory_runs_out() {
    let Some(world) = world("what ends where memory runs out").await else { return };
    for _ in 0..2 {
        assert!(world.says("cat /proc/self/oom_score_adj").await.contains("\n1000\n"));
    }
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
            not_here(line, "without namespaces there is no temporary folder");
            continue;
        }
        if line.contains("kill") && !world.proof.layers.unwrap().namespaces {
            not_here(line, "without namespaces no signal is let through");
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
    // Git reads again what changed in the very moment in which it was added; that can't be had here.
    let past = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
    std::fs::File::options().write(true).open(world.work.join(".env")).unwrap().set_modified(past).unwrap();
    let git =
        "git -c init.defaultBranch=main init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm x";
    assert!(std::process::Command::new("bash").args(["-c", git]).current_dir(&world.work).status().unwrap().success());
    let status = world.says("git status --short; git diff --stat").await;
    assert_eq!(status, "exit 0, no output", "a hidden file that git knows is none that changed");
    for line in [
        "git show | tac",
        "git log -p | awk '{print}'",
        "echo \"$(git show HEAD)\"",
        "git grep planted HEAD | tac",
        "git diff --no-index /dev/null .env | tac",
    ] {
        let said = world.says(line).await;
        assert!(!said.contains(TOKEN), "{line}: {said}");
    }
    assert!(world.says("git show | tac").await.contains("notes"), "other files are shown");
    std::fs::write(world.work.join("late.pem"), TOKEN).unwrap();
    assert!(!world.says("cat late.pem").await.contains(TOKEN), "a secret that came later");
}

#[tokio::test]
async fn walls_in_reserve_hide_what_came_since() {
    let Some(world) = world("that walls in reserve are no older than they look").await else { return };
    let path = |name: &str| world.work.join(name);
    std::fs::create_dir(path("deep")).unwrap();
    std::fs::write(path("deep/.env"), TOKEN).unwrap();
    let changes: [(&str, &dyn Fn()); 5] = [
        ("another file in the place of a hidden one", &|| {
            std::fs::write(path("new"), TOKEN).unwrap();
            std::fs::rename(path("new"), path(".env")).unwrap();
        }),
        ("the same file under its name again", &|| {
            std::fs::hard_link(path(".env"), path("link")).unwrap();
            std::fs::remove_file(path(".env")).unwrap();
            std::fs::rename(path("link"), path(".env")).unwrap();
        }),
        ("a folder moved away, another in its place", &|| {
            std::fs::rename(path("deep"), path("gone")).unwrap();
            std::fs::remove_file(path("gone/.env")).unwrap();
            std::fs::create_dir(path("deep")).unwrap();
            std::fs::write(path("deep/.env"), TOKEN).unwrap();
        }),
        ("a new one", &|| std::fs::write(path("late.pem"), TOKEN).unwrap()),
        ("none that wasn't there", &|| {}),
    ];
    for (what, change) in changes {
        // Starts the child in reserve, and lets it put its walls up.
        assert_eq!(world.says("true").await, "exit 0, no output");
        tokio::time::sleep(Duration::from_millis(300)).await;
        change();
        let said = world.says("cat .env deep/.env *.pem; cat notes.txt").await;
        assert!(!said.contains(TOKEN) && said.contains("as it was"), "{what}: {said}");
    }
    std::fs::write(path("plain.txt"), "newer than the walls").unwrap();
    assert!(world.says("cat plain.txt").await.contains("newer than the walls"));
    assert!(world.says("echo mine > $TMPDIR/a; cat $TMPDIR/a").await.ends_with("mine\n"));
    assert!(world.says("cat $TMPDIR/a").await.contains("No such file"), "each has a folder of its own");
}

#[test]
fn walls_in_reserve_outlive_threads_that_come_and_go() {
    // The kernel ends a child with the thread that started it, and threads for what blocks end when they rest.
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_keep_alive(Duration::from_millis(300))
        .enable_all()
        .build();
    threads.unwrap().block_on(async {
        let Some(world) = world("that walls wait").await else { return };
        assert_eq!(world.says("echo first").await, "exit 0\nfirst\n");
        tokio::time::sleep(Duration::from_millis(150)).await;
        assert_eq!(world.says("sleep 1.5; echo over").await, "exit 0\nover\n");
    });
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
    // One that lies where nothing is covered.
    let elsewhere = Path::new("/var/lib").join(format!("countersign-{}.sock", std::process::id()));
    if let Ok(elsewhere_socket) = UnixListener::bind(&elsewhere) {
        elsewhere_socket.set_nonblocking(true).unwrap();
        let said = world.with(&unix(&elsewhere), BTreeSet::from([Need::Socket(path.clone())])).await.result;
        std::fs::remove_file(&elsewhere).unwrap();
        assert!(!world.proof.layers.unwrap().namespaces || !said.contains("reached"), "{said}");
    }
    let processes = world.with("ps -e | wc -l", BTreeSet::from([Need::Processes])).await.result;
    println!("processes seen by need: {processes}; without: {}", world.says("ps -e | wc -l").await);
    let environ = format!("cat /proc/{}/environ | wc -c", std::process::id());
    let said = world.with(&environ, BTreeSet::from([Need::Processes])).await.result;
    assert!(said.contains("ermission denied"), "{said}");
}

#[tokio::test]
async fn nothing_is_reached_by_a_back_door() {
    let Some(world) = world("that back doors of the walls are shut").await else { return };
    // From a pair of datagrams, letters go to any socket that has a path.
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = dir.path().join("log");
    let letters = UnixDatagram::bind(&path).unwrap();
    letters.set_nonblocking(true).unwrap();
    let keep = world.work.join("log");
    std::fs::hard_link(&path, &keep).or_else(|_| std::fs::rename(&path, &keep)).unwrap();
    let send = "perl -MSocket -e 'socketpair(A, B, AF_UNIX, $ARGV[0], 0) or die \"no pair\"; \
        send(A, \"letter\", 0, sockaddr_un(\"log\")) or die \"not sent\"; print \"sent\"'";
    let outside =
        std::process::Command::new("bash").args(["-c", &format!("{send} 2")]).current_dir(&world.work).status();
    assert!(outside.unwrap().success() && letters.recv(&mut [0; 9]).is_ok(), "it can be done without walls");
    for sort in 1..=6 {
        let said = world.says(&format!("{send} {sort}")).await;
        assert!(!said.contains("sent\n") && letters.recv(&mut [0; 9]).is_err(), "{sort}: {said}");
    }
    // Memory of other programs, by its number.
    let made = std::process::Command::new("ipcmk").args(["-M", "64"]).output();
    if let Some(number) = made
        .ok()
        .and_then(|made| String::from_utf8(made.stdout).ok()?.split(' ').next_back()?.trim().parse::<u32>().ok())
    {
        let said = world.says(&format!("ipcrm -m {number} && echo gone")).await;
        let removed = std::process::Command::new("ipcrm").args(["-m", &number.to_string()]).status();
        assert!(removed.unwrap().success(), "it was still there: {said}");
    } else {
        not_here("memory of other programs", "there is no ipcmk");
    }
    // A device, wherever it lies.
    let device = world.work.join("device");
    if std::process::Command::new("mknod").arg(&device).args(["c", "1", "5"]).status().is_ok_and(|made| made.success())
        && world.proof.layers.unwrap().namespaces
    {
        let said =
            world.says("head -c 3 device | wc -c; head -c 3 /dev/zero | wc -c; echo x > /dev/null && echo well").await;
        assert!(said.contains("0\n3\nwell"), "{said}");
    } else {
        not_here("devices in a workspace", "only root can make one");
    }
    assert!(world.says("grep core /proc/self/limits").await.contains(" 1  "), "nobody is started when it crashes");
}

#[tokio::test]
async fn there_is_room_for_a_thousand_processes_and_no_more() {
    let Some(world) = world("that processes are counted").await else { return };
    let many = "import os, time\nstarted = 0\ntry:\n while started < 1500:\n  if os.fork() == 0:\n   time.sleep(20)\n   \
        os._exit(0)\n  started += 1\nexcept OSError: pass\nprint('started', started)";
    let said = world.says(&format!("python3 -c \"{many}\"")).await;
    let started = said.split("started ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let started: u64 = started.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{said}"));
    let held =
        nix::unistd::getuid().is_root() && !world.says("cat /proc/sys/kernel/pid_max").await.contains("\n1024\n");
    assert!(started > 500 && (started < 1_024 || held), "{started}");
}

#[tokio::test]
async fn a_secret_stays_one_under_another_name() {
    let Some(world) = world("that secrets have no other names").await else { return };
    std::fs::create_dir(world.work.join("docs")).unwrap();
    std::fs::hard_link(world.work.join(".env"), world.work.join("docs/notes.md")).unwrap();
    std::os::unix::fs::symlink("../.env", world.work.join("docs/linked")).unwrap();
    for name in [".env~", ".env.swp", ".#.env", "server.key.bak", "#server.key#", ".server.key.swp"] {
        std::fs::write(world.work.join(name), TOKEN).unwrap();
    }
    let said = world.says("cat docs/* .[!.]* *; grep -r planted .").await;
    assert!(!said.contains(TOKEN), "{said}");
}

#[tokio::test]
async fn secrets_of_another_folder_that_a_command_names_are_hidden_too() {
    let Some(world) = world("that secrets of other folders are hidden").await else { return };
    let root = world.home.join("other");
    std::fs::create_dir_all(root.join("app/deep")).unwrap();
    for name in ["app/.env", "app/deep/server.pem"] {
        std::fs::write(root.join(name), TOKEN).unwrap();
    }
    std::fs::write(root.join("app/deep/notes"), "to be read").unwrap();
    std::os::unix::fs::symlink(root.join("app"), world.work.join("linked")).unwrap();
    let root = root.display();
    for line in [
        format!("grep -rn '' {root}/app"),
        format!("find {root} -type f -exec cat {{}} +"),
        format!("tail -n 5 {root}/app/deep/*"),
        "grep -r '' linked/".to_owned(),
        format!("grep -rn '' {}", world.work.parent().unwrap().display()),
    ] {
        let said = world.says_of_named(&line).await;
        assert!(!said.contains(TOKEN) && said.contains("to be read"), "{line}: {said}");
    }
}

#[tokio::test]
async fn what_is_named_among_temporary_files_is_there_and_no_other() {
    let Some(world) = world("that temporary files can be named").await else { return };
    let folder = || tempfile::Builder::new().prefix("left").tempdir_in("/tmp").unwrap();
    let (named, other) = (folder(), folder());
    std::fs::write(named.path().join("out.log"), "to be read\n").unwrap();
    std::fs::write(named.path().join(".env"), TOKEN).unwrap();
    let (named, other) = (named.path().display(), other.path().file_name().unwrap().to_str().unwrap().to_owned());
    for line in [
        format!("cat {named}/out.log"),
        format!("cd {named}; cat *.log; ls"),
        format!("grep -r '' {named}; cat {named}/.env; cd {named}; cat .env; cat .[!.]*"),
        format!("cat {named}/out.log; echo x > {named}/out.log"),
    ] {
        let said = world.says_of_named(&format!("{line}; cd /; for f in /tmp/*; do echo $f; done")).await;
        assert!(said.contains("to be read") && !said.contains(TOKEN) && !said.contains(&other), "{line}: {said}");
    }
    assert_eq!(std::fs::read_to_string(format!("{named}/out.log")).unwrap(), "to be read\n");
    let report = world.says_of_named(&format!("ls /tmp; cat /tmp/{other}/.env")).await;
    assert!(report.contains(&other), "{report}");
}

#[tokio::test]
async fn what_shows_files_whole_is_not_run_where_some_secret_stays_in_sight() {
    let Some(world) = world("what is run where not every secret can be hidden").await else { return };
    let line = "find . -type f | xargs cat";
    let shown = || async {
        let command = CommandOperation { command: line.to_owned(), timeout: Some(20), terminal: false };
        let walled = Some("It may show a sensitive file.".to_owned());
        let assessment = Assessment { walled, ..Assessment::whitelisted("test", "It reads.") };
        let facts = Facts { place: world.place(), ..Facts::default() };
        let operation = countersigned(OperationKind::Command(command), facts, assessment);
        run(&CommandTool::new(Arc::clone(&world.bench)), operation, CancellationToken::new()).await.1
    };
    assert!(shown().await.result.contains("as it was"));
    // One more than can be hidden, with the one that is there.
    for number in 0..1_000 {
        std::fs::write(world.work.join(format!("{number}.pem")), TOKEN).unwrap();
    }
    let report = shown().await;
    assert!(matches!(report.outcome, Outcome::Failed { .. }), "{}", report.result);
    assert!(report.result.contains("it may show sensitive files whole and"), "{}", report.result);
    assert!(!report.result.contains(TOKEN), "{}", report.result);
    // What only looks for a text goes on, and says so.
    assert!(world.says("grep -c as notes.txt").await.contains('1'));
}

#[tokio::test]
async fn a_token_in_a_remote_is_masked_and_a_pipe_is_not_drained() {
    let Some(world) = world("that tokens of remotes are masked behind walls").await else { return };
    if !world.proof.layers.unwrap().namespaces {
        return not_here("tokens of remotes", "without namespaces no file can be replaced");
    }
    let git = format!(
        "git -c init.defaultBranch=main init -q . && git remote add origin https://ann:{TOKEN}@git.example/a && mkdir sub"
    );
    assert!(std::process::Command::new("bash").args(["-c", &git]).current_dir(&world.work).status().unwrap().success());
    let said =
        world.says("git remote -v; cat .git/config; cd sub; git config remote.origin.url; git status --short").await;
    assert!(said.contains("https://ann:⟦masked") && said.contains("@git.example/a"), "{said}");
    assert!(!said.contains(TOKEN), "{said}");
    let pipe = world.work.join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let said = world.says("cat pipe; git status --short").await;
    assert!(said.contains("ermission denied") && !said.contains("?? pipe"), "{said}");
}

#[tokio::test]
async fn a_start_costs_little() {
    let Some(world) = world("the cost of walls").await else { return };
    let open = bench(&world.work);
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..30 {
        for (at, bench) in [&open, &world.bench].into_iter().enumerate() {
            let kind =
                OperationKind::Command(CommandOperation { command: ":".to_owned(), timeout: None, terminal: false });
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

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn calls_in_another_tongue_are_refused() {
    let Some(world) = world("calls of other architectures").await else { return };
    if !Path::new("/usr/bin/python3").exists() {
        return not_here("calls of other architectures", "there is no python3 to make them");
    }
    // `getpid` in the numbers of x32 and of newer calls, then as a 32-bit program makes it.
    let numbers = "/usr/bin/python3 -c 'import ctypes; c=ctypes.CDLL(None, use_errno=True); \
        print([(c.syscall(n), ctypes.get_errno()) for n in (0x40000027, 463, 468, 435)])'";
    let said = world.says(numbers).await;
    assert!(said.contains("[(-1, 38), (-1, 38), (-1, 38), (-1, 38)]"), "{said}");
    let old = "/usr/bin/python3 -c 'import ctypes, mmap; m=mmap.mmap(-1, 4096, prot=7); \
        m.write(bytes.fromhex(\"b814000000cd80c3\")); \
        print(\"got\", ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))())'";
    let said = world.says(old).await;
    assert!(said.contains("SIGSYS") && !said.contains("got"), "{said}");
}
