//! The program's own files: no tool writes them, whoever allowed it, and a command that does is told on.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use common::{bench, countersigned, facts, run};
use countersign::contain::Walls;
use countersign::domain::{
    Arguments, Assessment, CommandOperation, FileOperation, OperationKind, Outcome, PathFact, PathKind, RunEvent,
};
use countersign::memory::Trusted;
use countersign::tools::{Address, CommandTool, Connections, FileTool, OwnFiles, SqlTool, Tool as _, Workbench};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// A workbench whose workspace is the home folder, in which the program's own folder lies.
fn at_home(home: &Path) -> (Arc<Workbench>, PathBuf) {
    let own = home.join(".config/countersign");
    std::fs::create_dir_all(&own).unwrap();
    let config = own.join("config.toml");
    std::fs::write(&config, "mode = 'strict'\n").unwrap();
    let plain = bench(home);
    let own_files = OwnFiles::new(
        ["config.toml", "rules.toml", "trusted.toml", "mcp.json"].map(|name| own.join(name)).into(),
        &own,
    );
    let walls = Walls::new(plain.launcher.clone(), own.clone(), vec![config.clone(), own], None);
    (Arc::new(Workbench { walls: Arc::new(walls), own_files, ..(*plain).clone() }), config)
}

#[tokio::test]
async fn no_approved_change_of_a_file_reaches_them() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let (bench, config) = at_home(&home);
    let path = ".config/countersign/config.toml".to_owned();
    for file in [
        FileOperation::Write { path: path.clone(), content: "mode = 'smart'".to_owned() },
        FileOperation::Edit { path: path.clone(), old: "strict".to_owned(), new: "smart".to_owned(), all: false },
        FileOperation::Delete { path: path.clone() },
        FileOperation::Move { path: path.clone(), destination: "gone".to_owned() },
    ] {
        let mut facts = facts(&home);
        let fact = |real: PathBuf, kind| PathFact { real, kind, size: 0, content: None };
        facts.paths.insert(path.clone(), fact(config.clone(), PathKind::File));
        facts.paths.insert("gone".to_owned(), fact(home.join("gone"), PathKind::Missing));
        let allowed = countersigned(OperationKind::File(file), facts, Assessment::default());
        let (_, report) = run(&FileTool::new(Arc::clone(&bench)), allowed, CancellationToken::new()).await;
        assert!(
            matches!(&report.outcome, Outcome::Failed { reason } if reason.contains("belongs to Countersign itself"))
        );
    }
    assert_eq!(std::fs::read_to_string(config).unwrap(), "mode = 'strict'\n");
}

#[tokio::test]
async fn what_a_command_changed_of_them_is_told_and_counts_only_after_a_look() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let (bench, config) = at_home(&home);
    let own = config.parent().unwrap().to_owned();
    let changed = async |command: &str| {
        let kind =
            OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false });
        let allowed = countersigned(kind, facts(&home), Assessment::default());
        let (events, report) = run(&CommandTool::new(Arc::clone(&bench)), allowed, CancellationToken::new()).await;
        let notes = events.into_iter().filter_map(|event| match event {
            RunEvent::Warning(said) if said.contains("own files changed") => Some(said),
            _ => None,
        });
        (notes.collect::<Vec<_>>(), report.result)
    };
    let said = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(arguments)
            .env_clear()
            .env("HOME", &home)
            .env("COUNTERSIGN_DATA", &own)
            .env("COUNTERSIGN_CONFIG", &config)
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(changed("true").await.0, Vec::<String>::new());
    assert!(said(&["config", "check"]).0);
    let (notes, result) =
        changed("cd .config; f=config; echo \"hosts = ['evil.example']\" >> countersign/$f.toml").await;
    assert!(notes.len() == 1 && notes[0].contains("config.toml") && result.contains("The person is told"), "{notes:?}");
    let (sound, text) = said(&["config", "check"]);
    assert!(!sound && text.contains("changed while `cd .config; f=config") && text.contains("config accept"), "{text}");
    let shown = said(&["config", "show"]).1;
    assert!(shown.contains("strict") && !shown.contains("\nhosts = [\"evil"), "{shown}");
    let (sound, text) = said(&["config", "accept"]);
    assert!(sound && text.contains("config.toml: counts as it is now"), "{text}");
    assert!(said(&["config", "check"]).0 && said(&["config", "show"]).1.contains("evil.example"));
    assert_eq!(said(&["config", "accept"]).1, "Nothing waits to be looked at.\n");
    let (notes, _) = changed("cd .config/c*sign; cp config.toml r.toml; mv r.toml ru''les.toml").await;
    assert!(notes.len() == 1 && notes[0].contains("rules.toml"), "{notes:?}");
    assert!(said(&["rules", "list"]).1.is_empty() || !said(&["rules", "list"]).0);
    // A forged record excuses nothing, one that is erased comes back.
    assert!(said(&["config", "accept"]).0);
    let forge = "cd .config/c*sign; echo \"hosts = ['forged.example']\" > config.toml
        printf '[left]\\n\"%s\" = \"%s\"\\n' $PWD/config.toml $(sha256sum config.toml | cut -c-64) > tou''ched.toml";
    let (notes, _) = changed(forge).await;
    assert!(notes.len() == 1 && !said(&["config", "check"]).0, "{notes:?}");
    changed("cd .config/c*sign; rm tou''ched.toml").await;
    assert!(!said(&["config", "check"]).0);
    // Nor does what the program itself writes next.
    let servers = "echo '{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"b\":{\"command\":\"x\"}}}' > mcp.json";
    changed(&format!("cd .config/c*sign; {servers}; echo '[files]' > tru''sted.toml")).await;
    let (sound, text) = said(&["mcp", "remove", "a"]);
    assert!(!sound && text.contains("Nothing was removed") && text.contains("config accept"), "{text}");
    let why = Trusted::at(&own).set(Path::new("/w/.mcp.json"), Some("x")).unwrap_err().to_string();
    assert!(why.contains("config accept"), "{why}");
    assert!(said(&["config", "accept"]).0 && said(&["mcp", "remove", "a"]).0);
    Trusted::at(&own).set(Path::new("/w/.mcp.json"), Some("x")).unwrap();
}

#[tokio::test]
async fn a_database_among_them_is_only_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().canonicalize().unwrap().join("journal.sqlite");
    let address = |create: &str| Connections::parse_url(&format!("sqlite:{}{create}", file.display())).unwrap();
    let call = async |address: Address, sql: &str| {
        let mut connections = Connections::default();
        connections.add("own", address);
        let tool = SqlTool::new(bench(folder.path()), Arc::new(connections));
        let kind = tool.prepare(&Arguments::parse(&json!({ "sql": sql }).to_string()).unwrap()).unwrap();
        let allowed = countersigned(kind, facts(folder.path()), Assessment::default());
        run(&tool, allowed, CancellationToken::new()).await.1
    };
    assert!(matches!(call(address("?mode=rwc"), "CREATE TABLE t (a)").await.outcome, Outcome::Succeeded { .. }));
    let own = |path: &Path| path == file;
    let refused = call(address("?mode=rwc").sparing(own), "INSERT INTO t VALUES (1)").await;
    assert!(refused.result.contains("readonly"), "{}", refused.result);
    assert!(matches!(call(address("").sparing(own), "SELECT * FROM t").await.outcome, Outcome::Succeeded { .. }));
}

#[test]
fn what_names_them_is_denied_in_every_mode_and_in_every_tool() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let calls = r#"{"id":1,"tool":"execute_command","arguments":{"command":"echo x >> ~/.config/countersign/config.toml"}}
{"id":2,"tool":"file_operations","arguments":{"operation":"write","path":"~/.config/countersign/config.toml","content":""}}
{"id":3,"tool":"execute_sql","dialect":"sqlite","arguments":{"sql":"VACUUM INTO 'HOME/.local/share/countersign/x'"}}
{"id":4,"tool":"execute_command","arguments":{"command":"cat ~/.config/countersign/config.toml"}}"#;
    for mode in ["guarded", "smart", "allow-all"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(["assess", "--mode", mode])
            .env_clear()
            .env("HOME", &home)
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let text = calls.replace("HOME", &home.to_string_lossy());
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let answers: Vec<serde_json::Value> =
            String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for answer in &answers[..3] {
            assert_eq!(answer["decision"], "deny", "{mode}: {answer}");
        }
        assert_ne!(answers[3]["decision"], "deny", "{mode}: reading asks");
    }
}
