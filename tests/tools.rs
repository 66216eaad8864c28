//! The tools as a session uses them: arguments, local facts, judgement, gate, run.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{bench, place, run};
use countersign::assess::AssessSettings;
use countersign::domain::{
    Admission, ApprovalMode, Arguments, Claim, Enforceable, Gate, Operation, OperationId, Origin, Outcome, Policy,
    Prepared, Release,
};
use countersign::tools::{Connections, Registry, Tool, prepare, standard};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// How a call came to run, and its result.
#[derive(Debug)]
enum Ran {
    Unasked(String),
    Approved(String),
    Failed(String),
}

/// A workspace with all tools.
struct Desk {
    folder: tempfile::TempDir,
    registry: Registry,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connections = Connections::default();
        let url = format!("sqlite:{}?mode=rwc", folder.path().join("shop.db").display());
        connections.add("shop", Connections::parse_url(&url).unwrap());
        let registry = standard(&bench(folder.path()), &Arc::new(connections));
        Self { folder, registry }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        self.registry.get(name).unwrap()
    }

    fn prepared(&self, name: &str, arguments: &Value) -> Prepared {
        let arguments = Arguments::parse(&arguments.to_string()).unwrap();
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: name.to_owned(),
            claim: Claim::Absent,
            kind: self.tool(name).prepare(&arguments).unwrap(),
            cwd: self.path(),
        };
        let search_path = std::env::var_os("PATH");
        let place = place(&self.path());
        prepare(self.tool(name).assessor(), operation, &place, search_path.as_deref(), &AssessSettings::default())
    }

    /// Runs a call; the person says yes where they are asked. `meanwhile` happens between yes and start.
    async fn call_with(&self, name: &str, arguments: Value, meanwhile: impl FnOnce(&Path)) -> Ran {
        let enforceable = Enforceable { read_only_sql: true, ..Enforceable::default() };
        let mut gate = Gate::new(Policy { mode: ApprovalMode::Guarded, ..Policy::default() }, enforceable);
        let asked = match gate.admit(self.prepared(name, &arguments)) {
            Admission::Allowed(_) => false,
            Admission::Waiting(_) => gate.approve(OperationId(1), gate.seal(OperationId(1)).unwrap()),
            Admission::Denied(judgement, _) => panic!("{judgement}"),
        };
        meanwhile(&self.path());
        let countersigned = match gate.release(OperationId(1), self.prepared(name, &arguments)) {
            Release::Run(countersigned) => *countersigned,
            other => return Ran::Failed(format!("{other:?}")),
        };
        let (_, report) = run(self.tool(name).as_ref(), countersigned, CancellationToken::new()).await;
        match (report.outcome, asked) {
            (Outcome::Succeeded { .. }, false) => Ran::Unasked(report.result),
            (Outcome::Succeeded { .. }, true) => Ran::Approved(report.result),
            (_, _) => Ran::Failed(report.result),
        }
    }

    async fn call(&self, name: &str, arguments: Value) -> Ran {
        self.call_with(name, arguments, |_| {}).await
    }
}

fn file(operation: &str, path: &str) -> Value {
    json!({ "operation": operation, "path": path })
}

#[tokio::test]
async fn looking_runs_unasked_and_changing_asks() {
    let desk = Desk::new();
    let mut write = file("write", "notes/a.txt");
    write["content"] = json!("one\ntwo\n");
    let Ran::Approved(text) = desk.call("file_operations", write).await else { panic!() };
    assert_eq!(text, "notes/a.txt created, 8 bytes.");
    let Ran::Unasked(text) = desk.call("file_operations", file("read", "notes/../notes/a.txt")).await else { panic!() };
    assert_eq!(text, "one\ntwo\n");
    let Ran::Unasked(text) = desk.call("file_operations", file("list", ".")).await else { panic!() };
    assert!(text.contains("notes/"), "{text}");
    let Ran::Unasked(text) = desk.call("file_operations", file("exists", "none/at/all")).await else { panic!() };
    assert_eq!(text, "none/at/all does not exist.");
    let Ran::Unasked(text) = desk.call("search_files", json!({ "pattern": "tw", "path": "notes" })).await else {
        panic!()
    };
    assert_eq!(text, "1 match\nnotes/a.txt\n  2: two\n");
    let Ran::Unasked(text) = desk.call("find_files", json!({ "glob": "*.txt" })).await else { panic!() };
    assert_eq!(text, "1 path\nnotes/a.txt\n");
    let mut edit = file("edit", "notes/a.txt");
    edit["old_text"] = json!("two");
    edit["new_text"] = json!("2");
    assert!(matches!(desk.call("file_operations", edit).await, Ran::Approved(_)));
    let mut relocate = file("move", "notes/a.txt");
    relocate["destination"] = json!("notes/deep/b.txt");
    assert!(matches!(desk.call("file_operations", relocate).await, Ran::Approved(_)));
    assert!(matches!(desk.call("file_operations", file("delete", "notes/deep/b.txt")).await, Ran::Approved(_)));
    assert!(!desk.path().join("notes/deep/b.txt").exists());
}

#[tokio::test]
async fn a_sensitive_file_is_one_under_its_other_name() {
    let desk = Desk::new();
    fs::write(desk.path().join(".env"), "KEY=planted-1").unwrap();
    fs::write(desk.path().join("plain.txt"), "planted-2").unwrap();
    fs::hard_link(desk.path().join(".env"), desk.path().join("notes.txt")).unwrap();
    fs::hard_link(desk.path().join("plain.txt"), desk.path().join("more.txt")).unwrap();
    let read = desk.call("file_operations", file("read", "notes.txt")).await;
    assert!(
        matches!(&read, Ran::Failed(why) if why.contains("notes.txt is a sensitive file under another name")),
        "{read:?}"
    );
    assert!(matches!(desk.call("file_operations", file("read", "more.txt")).await, Ran::Unasked(_)));
    let Ran::Unasked(found) = desk.call("search_files", json!({ "pattern": "planted" })).await else { panic!() };
    assert!(found.contains("more.txt") && found.contains("plain.txt") && !found.contains("planted-1"), "{found}");
    assert!(found.contains("[sensitive files or folders not looked at: 2]"), "{found}");
    let asked = desk.call("file_operations", file("read", ".env")).await;
    assert!(
        matches!(&asked, Ran::Approved(text) if text.contains("planted-1")),
        "who is asked by its name may have it"
    );
}

#[tokio::test]
async fn a_query_reads_unasked_and_a_change_asks() {
    let desk = Desk::new();
    let sql = |text: &str| json!({ "sql": text });
    assert!(matches!(desk.call("execute_sql", sql("CREATE TABLE t (i)")).await, Ran::Approved(_)));
    assert!(matches!(desk.call("execute_sql", sql("INSERT INTO t VALUES (7)")).await, Ran::Approved(_)));
    let Ran::Unasked(text) = desk.call("execute_sql", sql("SELECT i FROM t")).await else { panic!() };
    assert_eq!(text, "1 row\ni\n7\n");
}

#[tokio::test]
async fn what_changes_between_yes_and_start_does_not_run() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.txt"), "precious").unwrap();
    let desk = Desk::new();
    fs::create_dir(desk.path().join("dir")).unwrap();
    fs::write(desk.path().join("dir/a.txt"), "plain").unwrap();
    let mut write = file("write", "dir/a.txt");
    write["content"] = json!("new");
    let swapped = |folder: &Path| {
        fs::remove_dir_all(folder.join("dir")).unwrap();
        symlink(outside.path(), folder.join("dir")).unwrap();
    };
    let Ran::Failed(reason) = desk.call_with("file_operations", write, swapped).await else { panic!() };
    assert!(reason.contains("dir/a.txt changed since it was shown"), "{reason}");
    assert_eq!(fs::read_to_string(outside.path().join("a.txt")).unwrap(), "precious");
}
