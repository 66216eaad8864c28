//! Previews as a session asks for them: what a waiting operation would do, told without doing any of it.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use common::{bench, place};
use countersign::assess::{AssessSettings, conceal};
use countersign::domain::{
    Arguments, Claim, Detail, Operation, OperationId, Origin, Prepared, Preview, Remedy, masked,
};
use countersign::tools::{Connections, Registry, prepare, standard};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A workspace with all tools.
struct Desk {
    folder: tempfile::TempDir,
    registry: Registry,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = standard(&bench(folder.path()), &Arc::new(Connections::default()));
        Self { folder, registry }
    }

    /// A workspace under git, with `kept.rs` and `dir/kept.txt` committed.
    fn versioned() -> Self {
        let desk = Self::new();
        desk.git(&["init", "-q", "-b", "main"]);
        desk.write("kept.rs", "fn main() {\n    one();\n}\n");
        desk.write("dir/kept.txt", "kept\n");
        desk.write(".gitignore", "/target\n*.log\n");
        desk.git(&["add", "."]);
        desk.git(&["commit", "-q", "-m", "first"]);
        desk
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.path(), arguments);
    }

    async fn preview(&self, name: &str, arguments: &Value) -> Result<Option<Preview>, String> {
        let prepared = self.prepared(name, arguments);
        self.registry.get(name).unwrap().preview(&prepared, CancellationToken::new()).await
    }

    /// A preview of a file operation.
    async fn file(&self, arguments: Value) -> Preview {
        self.preview("file_operations", &arguments).await.unwrap().unwrap()
    }

    fn prepared(&self, name: &str, arguments: &Value) -> Prepared {
        let tool = self.registry.get(name).unwrap();
        let arguments = Arguments::parse(&arguments.to_string()).unwrap();
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: name.to_owned(),
            claim: Claim::Absent,
            kind: tool.prepare(&arguments).unwrap(),
            cwd: self.path(),
        };
        prepare(tool.assessor(), operation, &place(&self.path()), None, &AssessSettings::default())
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let ended = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(ended.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
}

fn diff(preview: &Preview) -> &str {
    let Some(Detail::Diff { text, .. }) = preview.details.first() else { panic!("no diff: {preview:?}") };
    text
}

#[tokio::test]
async fn a_write_shows_its_diff_and_whether_git_has_the_old_text() {
    let desk = Desk::versioned();
    let write = || json!({ "operation": "write", "path": "kept.rs", "content": "fn main() {\n    two();\n}\n" });
    let preview = desk.file(write()).await;
    assert_eq!(preview.brief, "+1 −1 lines");
    assert_eq!(diff(&preview), "@@ -1,3 +1,3 @@\n fn main() {\n-    one();\n+    two();\n }");
    assert!(matches!(&preview.remedy, Remedy::Possible(_)), "{preview:?}");
    desk.write("kept.rs", "fn main() {}\n");
    let preview = desk.file(write()).await;
    assert!(matches!(&preview.remedy, Remedy::Impossible(why) if why.contains("modified")), "{preview:?}");
    fs::hard_link(desk.path().join("kept.rs"), desk.path().join("also.rs")).unwrap();
    let warnings = desk.file(write()).await.warnings;
    assert!(warnings[0].contains("1 other name (hard links)"), "{warnings:?}");
    let preview = desk.file(json!({ "operation": "write", "path": "new.rs", "content": "a\nb\n" })).await;
    assert_eq!((preview.brief.as_str(), preview.details.len()), ("new, 2 lines", 0));
    assert!(!desk.path().join("new.rs").exists());
    assert_eq!(fs::read_to_string(desk.path().join("kept.rs")).unwrap(), "fn main() {}\n");
}

#[tokio::test]
async fn an_edit_that_would_fail_says_so_beforehand() {
    let desk = Desk::new();
    desk.write("a.txt", "one one");
    let edit = |old: &str| json!({ "operation": "edit", "path": "a.txt", "old_text": old, "new_text": "x" });
    for (old, says) in [("two", "doesn't occur"), ("one", "occurs 2 times")] {
        let preview = desk.file(edit(old)).await;
        assert!(preview.warnings[0].contains(says), "{preview:?}");
    }
    let preview = desk.file(edit("one one")).await;
    assert_eq!(preview.brief, "+1 −1 lines");
    assert!(matches!(&preview.remedy, Remedy::Impossible(why) if why.contains("no git repository")), "{preview:?}");
}

#[tokio::test]
async fn what_is_not_text_or_too_long_is_said_not_shown() {
    let desk = Desk::new();
    fs::write(desk.path().join("image"), [0, 1, 2, 3]).unwrap();
    desk.write("long", &"x\n".repeat(3 * 1024 * 1024));
    for (path, says) in [("image", "binary"), ("long", "too long")] {
        let preview = desk.file(json!({ "operation": "write", "path": path, "content": "a" })).await;
        assert!(preview.effects[0].contains(says) && preview.details.is_empty(), "{preview:?}");
    }
    desk.write("many", &"x\n".repeat(3_000));
    let preview = desk.file(json!({ "operation": "write", "path": "many", "content": "y\n".repeat(3_000) })).await;
    assert!(diff(&preview).ends_with("more lines of the diff left out @@"), "{}", preview.brief);
}

#[tokio::test]
async fn a_delete_and_a_move_say_what_is_there_and_what_git_has_of_it() {
    let desk = Desk::versioned();
    desk.write("new.txt", "a\nb\n");
    desk.write("target/out.bin", "x");
    desk.write("dir/a.log", "x");
    let delete = |path: &str| json!({ "operation": "delete", "path": path });
    for (path, undo) in [("new.txt", "untracked"), ("target/out.bin", "ignored"), ("dir/a.log", "ignored")] {
        let preview = desk.file(delete(path)).await;
        assert!(matches!(&preview.remedy, Remedy::Impossible(why) if why.contains(undo)), "{path}: {preview:?}");
    }
    let preview = desk.file(delete("dir/kept.txt")).await;
    assert_eq!(preview.effects, ["Deletes a file: 5 B, 1 line.", "Git has dir/kept.txt as it is now."]);
    assert!(matches!(preview.remedy, Remedy::Possible(_)), "{preview:?}");
    let preview = desk.file(delete("dir")).await;
    assert!(preview.warnings[0].contains("not empty"), "{preview:?}");
    let preview = desk.file(json!({ "operation": "move", "path": "dir", "destination": "there" })).await;
    assert_eq!(preview.effects, ["Moves a folder of 2 entries to there, where nothing is."]);
    let preview = desk.file(json!({ "operation": "move", "path": "dir", "destination": "kept.rs" })).await;
    assert!(preview.warnings[0].contains("never overwrites"), "{preview:?}");
    assert!(desk.path().join("dir/kept.txt").exists());
}

#[tokio::test]
async fn a_repository_that_would_make_git_run_something_is_not_asked() {
    let desk = Desk::versioned();
    desk.git(&["config", "core.fsmonitor", "touch pwned; false"]);
    let preview = desk.file(json!({ "operation": "delete", "path": "kept.rs" })).await;
    assert!(matches!(&preview.remedy, Remedy::Impossible(why) if why.contains("core.fsmonitor")), "{preview:?}");
    assert!(!desk.path().join("pwned").exists());
}

impl Desk {
    /// A preview of a command; none where it only reads.
    async fn command(&self, command: &str) -> Result<Option<Preview>, String> {
        self.preview("execute_command", &json!({ "command": command })).await
    }

    /// What a command would do, as one text: warnings, effects, whether it could be undone.
    async fn told(&self, command: &str) -> String {
        let before = snapshot(&self.path());
        let told = match self.command(command).await {
            Ok(Some(preview)) => {
                let remedy = match preview.remedy {
                    Remedy::Unknown => String::new(),
                    Remedy::Possible(how) => format!("undo: {how}"),
                    Remedy::Impossible(why) => format!("no undo: {why}"),
                };
                let said = preview.warnings.iter().chain(&preview.effects).cloned().chain([remedy]);
                format!("[{}] {}", preview.brief, said.collect::<Vec<_>>().join(" "))
            }
            Ok(None) => "nothing".to_owned(),
            Err(why) => format!("? {why}"),
        };
        assert_eq!(snapshot(&self.path()), before, "{command} changed something");
        told
    }
}

/// Every file of a folder with its content, so that nothing a preview does stays unseen.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else {
                all.push((path.clone(), fs::read(&path).unwrap_or_default()));
            }
        }
    }
    all.sort();
    all
}

#[tokio::test]
async fn what_rm_deletes_is_counted_and_looked_up_in_git() {
    let desk = Desk::versioned();
    desk.write("new.txt", "0123456789");
    desk.write("a.log", "x");
    desk.write("target/deep/out.bin", "xx");
    desk.write(".hidden.log", "x");
    for (command, says) in [
        (
            "rm kept.rs",
            "[1 file, 25 B] Deletes 1 file (25 B): kept.rs. undo: git has a copy of each file as it is now.",
        ),
        (
            "rm new.txt",
            "[1 file, 10 B] Deletes 1 file (10 B): new.txt. no undo: git has no copy of the file as now: 1 untracked (new.txt).",
        ),
        (
            "rm *.log",
            "[1 file, 1 B] Deletes 1 file (1 B): *.log. no undo: git has no copy of the file as now: 1 ignored (a.log).",
        ),
        ("rm nothing*", "[nothing there] nothing* is not there. "),
        ("rm dir", "[] dir: folders, which it deletes only if they are empty, or leaves. "),
        ("ls | wc -l", "nothing"),
        ("make", "? What `make` does isn't known beforehand."),
        ("rm $x", "? What `rm` does isn't known beforehand."),
        ("find . -name x | xargs rm", "? What … becomes isn't known beforehand."),
    ] {
        assert_eq!(desk.told(command).await, says, "{command}");
    }
    let told = desk.told("cd dir && rm -rf ../target ../dir ../new.txt && make").await;
    assert!(told.contains("Deletes 3 files (17 B) and 3 folders: ../target, ../dir, ../new.txt."), "{told}");
    assert!(told.contains("2 of 3 files as now: 1 untracked (new.txt), 1 ignored (out.bin)."), "{told}");
    assert!(told.contains("What `make` does isn't known beforehand."), "{told}");
}

#[tokio::test]
async fn what_is_replaced_is_told_of_moves_copies_and_redirections() {
    let desk = Desk::versioned();
    desk.write("new.txt", "0123456789");
    for (command, says) in [
        ("mv kept.rs there.rs", "Moves 1 file (25 B): kept.rs to there.rs. undo: moving it back undoes it."),
        ("mv new.txt kept.rs", "Replaces 1 file (25 B): kept.rs. Moves 1 file (10 B): new.txt to kept.rs."),
        ("mv -n new.txt kept.rs", "What is there already is kept: kept.rs."),
        ("mv kept.rs dir/", "Moves 1 file (25 B): kept.rs into dir/."),
        ("cp -r dir copy", "Copies 1 file (5 B) and 1 folder: dir to copy. undo: deleting the copies undoes it."),
        ("cp dir/kept.txt new.txt", "no undo: git has no copy of the file as now: 1 untracked (new.txt)."),
        ("echo x > new.txt", "Replaces all of new.txt, which has 10 B now. no undo: git has no copy"),
        ("echo x > fresh.txt", "Creates fresh.txt. undo: deleting the new file undoes it."),
        ("echo x >> new.txt", "Adds to new.txt, which has 10 B now."),
        ("chmod -R 777 dir", "Changes the rights or owner of 1 file (5 B) and 1 folder: dir."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn what_a_link_a_class_or_a_flag_makes_of_a_name_is_told() {
    let desk = Desk::new();
    for (path, text) in [("d/f1", "1"), ("d/f2", "22"), ("d/e/x", "x"), ("x1", "x"), ("y1", "yy"), ("dst/f1", "one")] {
        desk.write(path, text);
    }
    for (target, link) in [("d", "dl"), ("d/f1", "fl"), ("made", "broken"), ("dl", "d/e/up")] {
        std::os::unix::fs::symlink(target, desk.path().join(link)).unwrap();
    }
    for (command, says) in [
        ("rm -rf dl", "[1 file, 1 B] Deletes 1 file (1 B): dl."),
        ("rm -rf dl/", "Deletes 4 files (6 B) and 1 folder: dl/."),
        ("rm -rf d d/f1", "Deletes 4 files (6 B) and 2 folders: d, d/f1."),
        ("rm -rf d/.", "[] It refuses to delete `.` and `..`. "),
        ("rm x[1]", "Deletes 1 file (1 B): x[1]."),
        ("rm [!x]1", "Deletes 1 file (2 B): [!x]1."),
        ("rm 'x[1]'", "[nothing there] x[1] is not there. "),
        ("rm x['1']", "? What x[1] becomes isn't known beforehand."),
        ("rm x[[:digit:]]", "? What x[[:digit:]] becomes isn't known beforehand."),
        ("rm -r d*/", "Deletes 5 files"),
        ("chmod -R 700 dl", "Changes the rights or owner of 3 files (4 B) and 2 folders: dl."),
        ("echo a > broken", "broken is a link: it creates "),
        ("echo a > nodir/x", "As things are now, it would fail: the folder of nodir/x is not there."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
    desk.write("-r", "");
    for command in ["rm *", "rm ?r", "mv * dst"] {
        let told = desk.told(command).await;
        assert!(told.starts_with("? What ") && told.contains("may be a flag"), "{command}: {told}");
    }
    assert!(desk.told("rm ./*").await.contains("Deletes 6 files"), "{}", desk.told("rm ./*").await);
}

#[tokio::test]
async fn what_is_there_where_things_go_is_replaced_kept_or_in_the_way_as_the_flags_say() {
    let desk = Desk::versioned();
    for (path, text) in [("d/f1", "1"), ("d/f2", "22"), ("d/e/x", "x"), ("dst/f1", "one"), ("x1", "x")] {
        desk.write(path, text);
    }
    std::os::unix::fs::symlink("d/f1", desk.path().join("fl")).unwrap();
    desk.write("old", "old");
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1);
    fs::File::open(desk.path().join("old")).unwrap().set_modified(long_ago).unwrap();
    desk.git(&["add", "fl"]);
    let lost = "no undo: git has no copy of the file as now: 1 untracked (f1).";
    for (command, says) in [
        (
            "cp -r d/. dst",
            format!("Replaces 1 file (3 B): f1. Copies 3 files (4 B) and 2 folders: d/. into dst. {lost}"),
        ),
        ("cp -r d/ dst", "Copies 3 files (4 B) and 2 folders: d/ into dst. undo: deleting the copies".to_owned()),
        ("cp d/f2 fl", format!("d/f1. {lost}")),
        ("cp -u d/f2 old", "Replaces 1 file (3 B): old.".to_owned()),
        ("mv -u d/f2 old", "Replaces 1 file (3 B): old.".to_owned()),
        ("cp -u old dst/f1", "What is there already is kept: f1. ".to_owned()),
        ("cp -n d/f1 dst/f1", "What is there already is kept: f1. ".to_owned()),
        ("cp -n d/f1 d/f2 dst", "into dst. What is there already is kept: f1. ".to_owned()),
        ("cp -b d/f1 dst/f1", "What is there already gets another name: f1. ".to_owned()),
        ("mv d/e dst/f1", "[would fail] As things are now, it would fail: of ".to_owned()),
        ("cp -f d/f2 dst/f1 x1", "[would fail] As things are now, it would fail: x1 is no folder. ".to_owned()),
        ("mv d/f1 nodir/x", "[would fail] As things are now, it would fail: the folder of nodir/x".to_owned()),
        ("cp d/f1 fl", "are the same file. ".to_owned()),
        ("mv d d/e/z", "would go into itself. ".to_owned()),
        ("cp d dst", "[] d: folders, which it leaves out. ".to_owned()),
        ("cp d/f1 dst/f1 d", "? What becomes of two that go to ".to_owned()),
        ("cp -rT d dst", "? What `cp` does isn't known beforehand.".to_owned()),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(&says), "{command}: {told}");
        let promises = ["cp -n d/f1 dst/f1", "cp -b d/f1 dst/f1", "cp -n d/f1 d/f2 dst"].contains(&command);
        assert!(!promises || !told.contains("undo"), "{command}: {told}");
    }
}

#[tokio::test]
async fn untracked_files_that_git_writes_over_are_named() {
    let desk = Desk::versioned();
    desk.git(&["checkout", "-q", "-b", "o"]);
    for path in ["new.txt", "way/in.txt", "deep", "x.log"] {
        desk.write(path, "theirs");
    }
    desk.git(&["add", "-f", "."]);
    desk.git(&["commit", "-q", "-m", "more"]);
    desk.git(&["checkout", "-q", "main"]);
    for path in ["new.txt", "way", "deep/own.txt", "x.log"] {
        desk.write(path, "mine");
    }
    let all = "Writes over 4 files (16 B) and 1 folder that git doesn't track: own.txt, new.txt, way, 1 more.";
    for command in [
        "git reset --hard o",
        "git checkout -f o",
        "git switch -f o",
        "git restore --source=o .",
        "git restore -so .",
        "git checkout o .",
        "git checkout -f -b p o",
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(all) && told.contains("no copy of 4 of 4 files"), "{command}: {told}");
    }
    let told = desk.told("git checkout o -- new.txt").await;
    assert!(told.contains("Writes over 1 file (4 B) that git doesn't track: new.txt."), "{told}");
    for command in ["git checkout o", "git switch o", "git switch -c p o"] {
        let told = desk.told(command).await;
        assert!(told.contains("Writes over 1 file (4 B) that git doesn't track: x.log."), "{command}: {told}");
    }
    for command in ["git reset --hard", "git checkout .", "git restore .", "git checkout -f"] {
        assert!(!desk.told(command).await.contains("Writes over"), "{command}");
    }
    // A tracked file that made room for a folder.
    fs::remove_file(desk.path().join("kept.rs")).unwrap();
    desk.write("kept.rs/own", "mine");
    let told = desk.told("git checkout kept.rs").await;
    assert!(told.contains("Writes over 1 file (4 B) and 1 folder that git doesn't track: own."), "{told}");
}

#[tokio::test]
async fn what_git_would_lose_is_told_from_what_is_here() {
    let desk = Desk::versioned();
    desk.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    desk.git(&["branch", "merged"]);
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "on the side"]);
    desk.git(&["checkout", "-q", "main"]);
    desk.write("kept.rs", "fn main() {}\n");
    desk.write("new.txt", "x");
    desk.write("a.log", "x");
    desk.write("fresh/b.txt", "xy");
    for (command, says) in [
        (
            "git reset --hard",
            "[changes in 1 file] Throws away the changes in 1 file: kept.rs. no undo: the changes are in no commit.",
        ),
        ("git reset --hard HEAD~1", "Moves main back to"),
        ("git reset --hard nowhere", "It would fail: `nowhere` names no commit here."),
        ("git reset HEAD~1", ", by 1 commit. The files stay as they are. undo: the reflog keeps the commits"),
        ("git checkout -- kept.rs", "Throws away the changes in 1 file: kept.rs."),
        ("git checkout .", "Throws away the changes in 1 file: kept.rs."),
        ("git checkout side", "Switches to side. Git refuses where that would overwrite changes."),
        ("git restore dir", "No tracked file has changes that it would throw away."),
        ("git clean -f", "Deletes 1 file (1 B) that git doesn't have."),
        (
            "git clean -fd",
            "[2 files, 3 B] Deletes 2 files (3 B) that git doesn't have. no undo: git has no copy of 2 of 2 files as now: 2 untracked",
        ),
        ("git clean -fdx", "Deletes 3 files (4 B)"),
        ("git clean -fX", "Deletes 1 file (1 B)"),
        ("git branch -D side", "side isn't merged: 1 commit is on no other branch or tag. Deletes the branch side."),
        ("git branch -D merged", "every commit of it is on another branch or tag. undo: `git branch merged "),
        ("git branch -D nowhere", "It would fail: there is no branch nowhere."),
        ("git stash drop", "There is no such stash."),
        ("git commit -m x", "? What `git commit` does isn't known beforehand."),
        ("git -c alias.x=y reset --hard", "? What `git` does isn't known beforehand."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
    let preview = desk.command("git reset --hard").await.unwrap().unwrap();
    assert!(diff(&preview).contains("-    one();"), "{preview:?}");
    desk.git(&["stash", "-q"]);
    let told = desk.told("git stash drop").await;
    assert!(told.contains("[1 stash] Drops 1 stash. undo: for some weeks `git stash store "), "{told}");
}

#[tokio::test]
async fn what_a_push_sends_and_drops_is_told_without_asking_the_other_side() {
    let desk = Desk::versioned();
    desk.git(&["remote", "add", "origin", "https://ann:secret@example.com/shop.git"]);
    desk.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    let there = "main on origin (https://example.com/shop.git)";
    let told = desk.told("git push").await;
    assert!(told.contains(&format!("[1 commit] Sends 1 commit to {there}. no undo: what others fetched")), "{told}");
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "other"]);
    desk.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    for (command, says) in [
        ("git push", "main has 1 commit there that this clone lacks: git refuses without force."),
        ("git push -f origin main", "Forced: 1 commit of main there would be dropped;"),
        ("git push origin +HEAD", "Forced: 1 commit of main there would be dropped;"),
        (
            "git push origin main:fresh",
            "Sends main to origin (https://example.com/shop.git) as fresh, which isn't known there yet.",
        ),
        ("git push origin :main", "Deletes main on origin"),
        ("git push --delete origin main", "Deletes main on origin"),
        ("git push -d origin tag v1", "[deletes a tag there] Deletes refs/tags/v1 on origin"),
        ("git push --mirror", "Sends every ref, and deletes the others to origin"),
        ("git push -n", "the hook pre-push runs all the same."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn a_request_is_shown_as_it_will_be_sent_without_its_secrets() {
    let desk = Desk::new();
    let request = json!({
        "method": "POST", "url": "http://127.0.0.1:9/a/../b?api_key=a1b2c3d4e5f6a7b8c9d0",
        "headers": { "Authorization": "Bearer abcdefghijklmnop1234", "X-Trace": "7" },
        "body": "{\"id\":1,\"token\":\"ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2\",\"city\":\"Paris\",\"note\":null}"
    });
    let mut preview = desk.preview("http_request", &request).await.unwrap().unwrap();
    conceal(&mut preview, &AssessSettings::default());
    assert_eq!(
        preview.effects,
        ["Sends POST to 127.0.0.1: a body of 86 B of JSON, 2 headers of its own; added: host, user-agent, accept, \
          accept-encoding, content-length."]
    );
    let [Detail::Text(sent), Detail::Text(laid_out)] = &preview.details[..] else { panic!("{:?}", preview.details) };
    assert!(sent.body.starts_with("POST http://127.0.0.1:9/b?api_key="), "the way that is left out: {}", sent.body);
    assert!(laid_out.body.contains("\n  \"city\": \"Paris\""), "{}", laid_out.body);
    let masked = [masked(&sent.body, &preview.secrets[0]), masked(&laid_out.body, &preview.secrets[1])].concat();
    assert!(!masked.contains("ghp_") && !masked.contains("a1b2c3"), "{masked}");
    assert!(masked.contains("?api_key=⟦masked: 20 characters⟧"), "{masked}");
}
