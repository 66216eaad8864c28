//! A disk that fills and a journal that another program holds, on the real program: new operations stop and say why,
//! what was accepted stays, and the session is gone on with afterwards.

use std::process::Command;
use std::time::Duration;

use crate::left_out::not_here;
use crate::sitting::{Sitting, program, sessions};

/// Whether this machine lets us mount a small disk in a namespace of our own.
pub fn mounts() -> bool {
    let tried = Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output();
    tried.is_ok_and(|output| output.status.success())
}

/// What is done on a disk of 3 MiB, whose first argument is the program and whose second is its mount.
const FULL: &str = r#"
set -e
mount -t tmpfs -o size=3m tmpfs "$2"; cd "$2"; mkdir home ws; cd ws
export HOME="$2/home" COUNTERSIGN_DATA="$2/data" LANG=C.UTF-8
{
    echo '! echo before-$((1+1))'; sleep 2
    dd if=/dev/zero of="$2/fill" bs=1k count=9000 2>/dev/null || true
    echo '! touch made'; sleep 2
    rm "$2/fill"
    echo '! touch made'; sleep 2
    echo 'show the tables'; sleep 2
} | "$1" --provider practice --linear --workspace . || echo "failed: $?"
ls "$2/ws"
"$1" journal verify
echo "== and again"
{ echo '! echo again-$((3+3))'; sleep 3; } | "$1" --linear --provider practice --continue
"#;

#[test]
fn a_full_disk_stops_new_operations_and_harms_nothing() {
    if !mounts() {
        return not_here("a full disk", "no user namespace to mount one in");
    }
    let place = tempfile::tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["-rm", "bash", "-c", FULL, "bash", env!("CARGO_BIN_EXE_countersign")])
        .arg(place.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let (first, second) = told.split_once("== and again").unwrap_or_else(|| panic!("{output:?}"));
    assert!(first.contains("| before-2"), "{first}");
    assert_eq!(first.matches("trouble: Nothing runs without the journal: the disk that holds").count(), 1, "{first}");
    assert!(
        first.contains("is full") && first.contains("Free some space, then start again with --continue"),
        "{first}"
    );
    assert!(first.contains("The model was not asked") && !first.contains("\nmade\n"), "nothing more runs: {first}");
    assert!(first.contains("whole: ") && first.contains(" of 1 session are as they were written."), "{first}");
    assert!(second.contains("this session goes on") && second.contains("| again-6"), "{second}");
}

#[test]
fn a_journal_that_another_program_holds_stops_new_operations() {
    let home = crate::home();
    let mut it = Sitting::start(home.path(), &[], |_| None);
    it.say("! echo before-$((1+1))");
    it.wait_for("| before-2");
    let path = home.path().join("data/journal.sqlite");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        use sqlx::{ConnectOptions as _, Connection as _};
        let mut other = sqlx::sqlite::SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
        sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
        it.say("! touch made");
        // It waits for five seconds first: others write, too.
        it.wait_for("is locked by another program, so nothing runs. Close that program, then start again");
        std::thread::sleep(Duration::from_millis(200));
        other.close().await.unwrap();
    });
    assert!(it.end().1.success());
    assert!(!home.path().join("workspace/made").exists());
    assert!(program(home.path()).args(["journal", "verify"]).output().unwrap().status.success());
    assert!(sessions(home.path(), &[]).0.contains("! echo before"));
}
