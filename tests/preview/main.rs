//! Previews as a session asks for them: what a waiting operation would do, told without doing any of it.

#![allow(clippy::unwrap_used, clippy::panic)]

mod commands;
#[path = "../common/mod.rs"]
mod common;
mod happens;
#[path = "../common/left_out.rs"]
mod left_out;
mod listed;
mod refs;
mod repository;
mod signals;

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
                    Remedy::ByHand(how) => format!("undo: {how}"),
                    // The program keeps nothing of what a command changes.
                    Remedy::Possible(how) => panic!("{command}: {how}"),
                    Remedy::Impossible(why) => format!("no undo: {why}"),
                    Remedy::Unsure(why) => format!("undo unsure: {why}"),
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
async fn a_write_shows_its_diff_and_whether_git_has_the_old_text() {
    let desk = Desk::versioned();
    let write = || json!({ "operation": "write", "path": "kept.rs", "content": "fn main() {\n    two();\n}\n" });
    let preview = desk.file(write()).await;
    assert_eq!(preview.brief, "+1 −1 lines");
    assert_eq!(diff(&preview), "@@ -1,3 +1,3 @@\n fn main() {\n-    one();\n+    two();\n }");
    assert!(matches!(&preview.remedy, Remedy::ByHand(_)), "{preview:?}");
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
async fn a_file_behind_a_link_is_shown_by_its_real_path() {
    let desk = Desk::new();
    desk.write("real/a.txt", "one");
    for (target, link) in [("real/a.txt", "link.txt"), ("real", "there"), ("../..", "real/up")] {
        std::os::unix::fs::symlink(target, desk.path().join(link)).unwrap();
    }
    for (path, says) in [
        ("link.txt", "link.txt leads through a link to real/a.txt."),
        ("there/a.txt", "there/a.txt leads through a link to real/a.txt."),
        ("there/new.txt", "there/new.txt leads through a link to real/new.txt."),
    ] {
        let preview = desk.file(json!({ "operation": "write", "path": path, "content": "two" })).await;
        assert_eq!(preview.warnings, [says], "{preview:?}");
    }
    let preview = desk.file(json!({ "operation": "write", "path": "real/up/x", "content": "two" })).await;
    let outside = desk.path().parent().unwrap().join("x");
    assert_eq!(preview.warnings, [format!("real/up/x leads through a link to {}.", outside.display())]);
    let preview = desk.file(json!({ "operation": "write", "path": "real/a.txt", "content": "two" })).await;
    assert!(preview.warnings.is_empty(), "{preview:?}");
    let told = desk.told("echo x > link.txt").await;
    let says = format!("leads through a link to {}/real/a.txt. Replaces all of link.txt", desk.path().display());
    assert!(told.contains(&says), "{told}");
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
    assert!(matches!(preview.remedy, Remedy::ByHand(_)), "{preview:?}");
    std::os::unix::fs::symlink("kept.rs", desk.path().join("linked")).unwrap();
    let preview = desk.file(delete("linked")).await;
    assert!(preview.warnings[0].contains("is a link") && preview.remedy == Remedy::Unknown, "{preview:?}");
    let preview = desk.file(delete("dir")).await;
    assert!(preview.warnings[0].contains("not empty"), "{preview:?}");
    let preview = desk.file(json!({ "operation": "move", "path": "dir", "destination": "there" })).await;
    let says = "In it 2 files, 6 B: git has 1 of them as they are now.";
    assert_eq!(preview.effects, ["Moves a folder of 2 entries to there, where nothing is.", says]);
    let preview = desk.file(json!({ "operation": "move", "path": "new.txt", "destination": "there" })).await;
    assert_eq!(preview.effects[1], "new.txt is untracked: git doesn't have it.");
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
