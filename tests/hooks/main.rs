//! Hooks of other agents through the real binary: what each agent documents that it sends, and what it gets; that
//! nothing that fails lets anything run; that a settings file comes back to the byte; and that every gate gives the
//! same answer.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

#[path = "../common/examples.rs"]
mod examples;
mod foreign;
mod installed;
mod journalled;
#[path = "../common/left_out.rs"]
mod left_out;
mod same;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use countersign::agents::{self, Agent};
use serde_json::{Value, json};

/// A person: a home folder, a project in it, and the program's own folders.
struct Person {
    _folder: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
    data: PathBuf,
}

impl Person {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (home, project, data) = (root.join("home"), root.join("home/work"), root.join("data"));
        for at in [&project, &data] {
            std::fs::create_dir_all(at).unwrap();
        }
        std::fs::write(project.join("README.md"), "hello").unwrap();
        Self { _folder: folder, home, project, data }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("COUNTERSIGN_DATA", &self.data)
            // What a machine's own configuration sets isn't what is tried.
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(&self.project);
        command
    }

    fn countersign(&self, words: &[&str], input: &str) -> Output {
        with_input(self.command(env!("CARGO_BIN_EXE_countersign")).args(words), input)
    }

    /// What a hook answers to something sent.
    fn hook(&self, words: &[&str], sent: &Value) -> Value {
        let output = self.countersign(&[&["hook"], words].concat(), &sent.to_string());
        assert!(output.status.success(), "{words:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
    }

    /// Everything that the journal's files hold.
    fn journal(&self) -> String {
        ["", "-wal"]
            .iter()
            .map(|suffix| self.data.join(format!("journal.sqlite{suffix}")))
            .fold(String::new(), |all, file| all + &String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()))
    }
}

fn with_input(command: &mut Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that leaves early reads no more.
    let _early = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// What Claude Code and Codex send before a tool.
fn pre_tool_use(cwd: &Path, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "00893aaf-19fa-41d2-8238-13269b9b3ca0", "transcript_path": "/tmp/transcript.jsonl", "cwd": cwd,
        "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        "tool_use_id": "toolu_01ABC123", "turn_id": "t1", "model": "m",
    })
}

#[test]
fn claude_code_is_answered_in_its_own_words() {
    let person = Person::new();
    let file = |name: &str| person.project.join(name);
    let cases = [
        ("Bash", json!({ "command": "ls -la", "description": "List files", "timeout": 120_000 }), "allow"),
        ("Bash", json!({ "command": "npm install express" }), "ask"),
        ("Bash", json!({ "command": "cargo test" }), "ask"),
        ("Bash", json!({ "command": "rm -rf ~" }), "deny"),
        ("Read", json!({ "file_path": file("README.md"), "offset": 1, "limit": 20 }), "allow"),
        ("Read", json!({ "file_path": file(".env") }), "ask"),
        ("Write", json!({ "file_path": file("new.txt"), "content": "file content" }), "ask"),
        ("Edit", json!({ "file_path": file("README.md"), "old_string": "hello", "new_string": "bye" }), "ask"),
        (
            "MultiEdit",
            json!({ "file_path": file("README.md"), "edits": [{ "old_string": "h", "new_string": "H" }] }),
            "ask",
        ),
        ("NotebookEdit", json!({ "notebook_path": file("a.ipynb"), "new_source": "1" }), "ask"),
        ("Glob", json!({ "pattern": "**/*.rs" }), "allow"),
        ("Grep", json!({ "pattern": "TODO", "path": "src", "output_mode": "content", "-i": true }), "allow"),
        ("WebFetch", json!({ "url": "https://example.org/docs", "prompt": "Summarise" }), "ask"),
        ("WebFetch", json!({ "url": "http://169.254.169.254/latest", "prompt": "x" }), "ask"),
        ("WebFetch", json!({ "url": "http://127.0.0.1:8080/", "prompt": "x" }), "ask"),
        ("WebSearch", json!({ "query": "serde borrow" }), "allow"),
        ("mcp__memory__create_entities", json!({ "entities": [] }), "ask"),
        ("BrandNewTool", json!({ "anything": 1 }), "ask"),
    ];
    for (tool, input, expected) in cases {
        let answer = person.hook(&["claude-code"], &pre_tool_use(&person.project, tool, &input));
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "PreToolUse");
        assert_eq!(output["permissionDecision"], expected, "{tool} {input}: {answer}");
        assert!(output["permissionDecisionReason"].as_str().unwrap().contains(", step "), "{answer}");
        let advised = person.hook(&["claude-code", "--advise"], &pre_tool_use(&person.project, tool, &input));
        let decision = if expected == "allow" { Value::Null } else { json!(expected) };
        assert_eq!(advised["hookSpecificOutput"]["permissionDecision"], decision, "{advised}");
    }
    // Its own lists and helpers are its own business.
    for tool in ["TodoWrite", "Task", "ExitPlanMode"] {
        assert_eq!(person.hook(&["claude-code"], &pre_tool_use(&person.project, tool, &json!({}))), json!({}));
    }
    let journal = person.journal();
    assert!(
        journal.contains("claude-code-00893aaf-19fa-41d2-8238-13269b9b3ca0") && journal.contains("npm install express")
    );
}

#[test]
fn gemini_cli_is_answered_in_its_own_words() {
    let person = Person::new();
    let sent = |tool: &str, input: Value| {
        json!({
            "session_id": "g-1", "transcript_path": "/tmp/t.json", "cwd": person.project, "timestamp": "2026-11-22T10:00:00Z",
            "hook_event_name": "BeforeTool", "tool_name": tool, "tool_input": input,
        })
    };
    for (tool, input, expected) in [
        ("run_shell_command", json!({ "command": "git log --oneline -3" }), "allow"),
        ("run_shell_command", json!({ "command": "git push" }), "ask"),
        ("run_shell_command", json!({ "command": "rm -rf /" }), "deny"),
        ("read_file", json!({ "file_path": "README.md" }), "allow"),
        ("list_directory", json!({ "dir_path": "." }), "allow"),
        ("write_file", json!({ "file_path": "a", "content": "b" }), "ask"),
        ("replace", json!({ "file_path": "README.md", "old_string": "h", "new_string": "b" }), "ask"),
        ("glob", json!({ "pattern": "*.md" }), "allow"),
        ("grep_search", json!({ "pattern": "x", "dir_path": "src" }), "allow"),
        ("web_fetch", json!({ "prompt": "What is on https://example.org/?" }), "ask"),
        ("web_fetch", json!({ "prompt": "What is here?", "url": "http://localhost/admin" }), "ask"),
        ("grep_search", json!({ "pattern": "x", "dir_path": "/etc", "path": "src" }), "ask"),
        ("read_file", json!({ "absolute_path": "/etc/shadow", "file_path": "README.md" }), "ask"),
        ("web_fetch", json!({ "prompt": "Read https://example.org/ and http://localhost/admin" }), "ask"),
        ("google_web_search", json!({ "query": "weather" }), "allow"),
        ("save_memory", json!({ "fact": "x" }), "ask"),
        ("mcp__github__create_issue", json!({}), "ask"),
    ] {
        let answer = person.hook(&["gemini-cli"], &sent(tool, input));
        assert_eq!(answer["decision"], expected, "{tool}: {answer}");
        assert_eq!(answer["systemMessage"].is_string(), expected == "ask", "{answer}");
    }
    assert_eq!(person.hook(&["gemini-cli"], &sent("write_todos", json!({ "todos": [] }))), json!({}));
}

#[test]
fn codex_is_refused_what_would_ask_and_its_own_questions_are_answered() {
    let person = Person::new();
    let before = |tool: &str, input: Value| pre_tool_use(&person.project, tool, &input);
    let shell = |command: &str| before("Bash", json!({ "command": command }));
    // It can't be told to allow: no objection is all.
    assert_eq!(person.hook(&["codex"], &shell("ls")), json!({}));
    let patch = "*** Begin Patch\n*** Update File: README.md\n@@\n-hello\n+bye\n*** End Patch";
    for sent in [shell("rm README.md"), shell("rm -rf /"), before("apply_patch", json!({ "command": patch }))] {
        let answer = person.hook(&["codex"], &sent);
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer}");
        assert!(!answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().is_empty());
    }
    assert_eq!(person.hook(&["codex", "--leave-asking"], &shell("rm README.md")), json!({}));
    let denied = person.hook(&["codex", "--leave-asking"], &shell("rm -rf /"));
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny");
    let asked = |command: &str| {
        let mut sent = shell(command);
        sent["hook_event_name"] = json!("PermissionRequest");
        person.hook(&["codex"], &sent)
    };
    let decision = |behavior: &str| json!(behavior);
    assert_eq!(asked("ls")["hookSpecificOutput"]["decision"]["behavior"], decision("allow"));
    assert_eq!(asked("rm README.md"), json!({}), "the person is asked by Codex");
    assert_eq!(asked("rm -rf /")["hookSpecificOutput"]["decision"]["behavior"], decision("deny"));
}

#[test]
fn cursor_is_asked_where_it_can_ask_and_refused_elsewhere() {
    let person = Person::new();
    let sent = |event: &str, more: Value| {
        let mut sent = json!({
            "conversation_id": "668320d2-2fd8-4888-b33c-2a466fec86e7", "generation_id": "490b90b7", "model": "default",
            "hook_event_name": event, "cursor_version": "3.9.16", "workspace_roots": [person.project], "user_email": null,
        });
        sent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sent
    };
    let shell =
        |command: &str| sent("beforeShellExecution", json!({ "command": command, "cwd": "", "sandbox": false }));
    for (sent, expected) in [
        (shell("git status"), "allow"),
        (shell("git commit -m x"), "ask"),
        (shell("rm -rf /"), "deny"),
        (
            sent("beforeMCPExecution", json!({ "tool_name": "query", "tool_input": "{}", "mcp_server_name": "db" })),
            "ask",
        ),
        (sent("beforeReadFile", json!({ "file_path": person.project.join("README.md"), "content": "" })), "allow"),
        (sent("beforeReadFile", json!({ "file_path": person.project.join(".env"), "content": "" })), "deny"),
        (
            sent(
                "preToolUse",
                json!({ "tool_name": "Write", "tool_input": { "file_path": "a", "content": "b" }, "cwd": "" }),
            ),
            "deny",
        ),
        (sent("preToolUse", json!({ "tool_name": "Grep", "tool_input": { "pattern": "x" }, "cwd": "" })), "allow"),
        (sent("preToolUse", json!({ "tool_name": "Unheard", "tool_input": {} })), "deny"),
    ] {
        let answer = person.hook(&["cursor"], &sent);
        assert_eq!(answer["permission"], expected, "{sent}: {answer}");
        assert_eq!(answer["user_message"].is_string(), expected != "allow", "{answer}");
    }
    let write = sent("preToolUse", json!({ "tool_name": "Write", "tool_input": { "file_path": "a", "content": "b" } }));
    assert_eq!(person.hook(&["cursor", "--leave-asking"], &write), json!({}));
}

#[test]
fn copilot_is_answered_in_its_own_words() {
    let person = Person::new();
    let sent = |tool: &str, input: Value| json!({ "sessionId": "c-1", "timestamp": 1_704_614_600_000_u64, "cwd": person.project, "toolName": tool, "toolArgs": input });
    for (tool, input, expected) in [
        ("bash", json!({ "command": "ls", "description": "x" }), "allow"),
        ("bash", json!("{\"command\":\"rm -rf dist\",\"description\":\"Clean build directory\"}"), "ask"),
        ("bash", json!({ "command": "rm -rf /" }), "deny"),
        ("view", json!({ "path": person.project.join("README.md") }), "allow"),
        ("create", json!({ "path": "a", "file_text": "b" }), "ask"),
        ("edit", json!({ "path": "a", "old_str": "b", "new_str": "c" }), "ask"),
        ("github-mcp-server-create_issue", json!({}), "ask"),
    ] {
        let answer = person.hook(&["copilot"], &sent(tool, input));
        assert_eq!(answer["permissionDecision"], expected, "{tool}: {answer}");
    }
    let other = json!({
        "hook_event_name": "PreToolUse", "session_id": "c-2", "timestamp": "2026-11-22T10:00:00Z", "cwd": person.project,
        "tool_name": "bash", "tool_input": { "command": "ls" },
    });
    assert_eq!(person.hook(&["copilot"], &other)["permissionDecision"], "allow");
}

/// Whether an answer lets nothing run unasked: it asks, or refuses.
fn holds(output: &Output) -> bool {
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let refused = output.status.code() == Some(2) && !output.stderr.is_empty();
    let asked = output.status.success() && (told.contains("\"ask\"") || told.contains("\"deny\""));
    (refused || asked) && !told.contains("\"allow\"")
}

/// A call that would be allowed.
fn harmless(agent: &dyn Agent, cwd: &Path) -> Value {
    match agent.name() {
        "gemini-cli" => {
            json!({ "session_id": "s", "cwd": cwd, "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": { "command": "ls" } })
        }
        "cursor" => {
            json!({ "conversation_id": "s", "cwd": cwd, "hook_event_name": "beforeShellExecution", "command": "ls", "workspace_roots": [cwd] })
        }
        "copilot" => json!({ "sessionId": "s", "cwd": cwd, "toolName": "bash", "toolArgs": { "command": "ls" } }),
        _ => pre_tool_use(cwd, "Bash", &json!({ "command": "ls" })),
    }
}

#[test]
fn whatever_fails_lets_nothing_run() {
    let person = Person::new();
    for agent in agents::ALL {
        let ok = harmless(agent, &person.project);
        let hook = ["hook", agent.name()];
        assert!(!holds(&person.countersign(&hook, &ok.to_string())), "{}: it would be allowed", agent.name());
        let mut unknown = ok.clone();
        unknown["hook_event_name"] = json!("SomethingElse");
        let mut unread = ok.clone();
        for member in ["tool_input", "toolArgs", "command"] {
            if unread.get(member).is_some() {
                unread[member] = json!(7);
            }
        }
        let long = format!("{{\"x\":\"{}\"}}", "x".repeat(1024 * 1024));
        let deep = "[".repeat(100_000);
        // The agent may go by the first of two members of a name.
        let plain = ok.to_string();
        let twice = plain.replacen('{', "{\"command\":\"rm README.md\",\"command\":\"ls\",", 1);
        let within = plain.replacen(":{", ":{\"x\":1,\"x\":2,", 1);
        let within = if within == plain { twice.clone() } else { within };
        let (unknown, unread) = (unknown.to_string(), unread.to_string());
        for sent in ["", "nonsense", "[]", "7", "{}", "{\"a\":", &long, &deep, &twice, &within, &unknown, &unread] {
            let output = person.countersign(&hook, sent);
            assert!(holds(&output), "{}: {sent:.80}: {output:?}", agent.name());
        }
        let not_text = with_input(person.command(env!("CARGO_BIN_EXE_countersign")).args(hook), "\u{0}");
        assert!(holds(&not_text), "{not_text:?}");
    }
}

#[test]
fn a_journal_that_cannot_be_reached_and_a_broken_configuration_ask_and_say_so() {
    let person = Person::new();
    let broken = person.home.join("broken.toml");
    std::fs::write(&broken, "moed = 'smart'").unwrap();
    for agent in agents::ALL {
        let sent = harmless(agent, &person.project).to_string();
        let binary = env!("CARGO_BIN_EXE_countersign");
        let nowhere = person.project.join("README.md");
        let output =
            with_input(person.command(binary).args(["hook", agent.name()]).env("COUNTERSIGN_DATA", nowhere), &sent);
        assert!(holds(&output), "{}: {output:?}", agent.name());
        assert!(String::from_utf8_lossy(&output.stdout).contains("journal"), "{output:?}");
        let output =
            with_input(person.command(binary).args(["hook", agent.name()]).env("COUNTERSIGN_CONFIG", &broken), &sent);
        assert!(holds(&output), "{}: {output:?}", agent.name());
        assert!(String::from_utf8_lossy(&output.stdout).contains("broken.toml"), "{output:?}");
    }
}

#[test]
fn the_configuration_of_the_person_counts() {
    let person = Person::new();
    let config = person.home.join("mine.toml");
    let rules = "[[rules]]\neffect = 'allow'\ntool = 'execute_command'\nmatch = { program = 'mkdir' }\n\
                 [[rules]]\neffect = 'deny'\ntool = 'execute_command'\nmatch = { program = 'uname' }\n";
    std::fs::write(&config, rules).unwrap();
    let words = ["--config", config.to_str().unwrap(), "hook", "claude-code"];
    for (command, expected) in [("mkdir x", "allow"), ("uname", "deny"), ("touch x", "ask")] {
        let sent = pre_tool_use(&person.project, "Bash", &json!({ "command": command }));
        let output = person.countersign(&words, &sent.to_string());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], expected, "{answer}");
    }
}

#[test]
fn a_folder_that_the_model_chose_is_not_the_workspace() {
    let person = Person::new();
    let other = person.home.join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("notes.txt"), "x").unwrap();
    let folder = other.to_str().unwrap();
    let cat = json!({ "command": "cat notes.txt", "dir_path": folder, "workdir": folder, "working_directory": folder });
    let sent = |agent: &str| match agent {
        "gemini-cli" => {
            json!({ "session_id": "s", "cwd": person.project, "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": cat })
        }
        "cursor" => {
            json!({ "conversation_id": "s", "cwd": "", "hook_event_name": "preToolUse", "tool_name": "Grep", "tool_input": { "pattern": "x", "working_directory": folder }, "workspace_roots": [person.project] })
        }
        _ => pre_tool_use(&person.project, "Bash", &cat),
    };
    for agent in ["gemini-cli", "cursor", "codex"] {
        let agent = agents::named(agent).unwrap();
        let call = agent.read(&sent(agent.name())).unwrap();
        assert_eq!((call.root.as_ref(), call.cwd.as_ref()), (Some(&person.project), Some(&other)), "{}", agent.name());
    }
    let output = person.countersign(&["hook", "cursor"], &sent("cursor").to_string());
    assert!(holds(&output), "{output:?}");
    // Nor is one that its shell went to.
    let sent = pre_tool_use(&other, "Grep", &json!({ "pattern": "x" })).to_string();
    let mut command = person.command(env!("CARGO_BIN_EXE_countersign"));
    let output = with_input(command.args(["hook", "claude-code"]).env("CLAUDE_PROJECT_DIR", &person.project), &sent);
    assert!(holds(&output) && String::from_utf8_lossy(&output.stdout).contains("outside the workspace"), "{output:?}");
}

#[test]
fn what_the_workspace_tightens_counts() {
    let person = Person::new();
    let decision = |command: &str| {
        let sent = pre_tool_use(&person.project, "Bash", &json!({ "command": command }));
        person.hook(&["claude-code"], &sent)["hookSpecificOutput"]["permissionDecision"].clone()
    };
    assert_eq!((decision("uname"), decision("ls")), (json!("allow"), json!("allow")));
    std::fs::create_dir(person.project.join(".countersign")).unwrap();
    let brings = |text: &str| std::fs::write(person.project.join(".countersign/config.toml"), text).unwrap();
    let rule = |effect: &str| {
        format!("[[rules]]\neffect = '{effect}'\ntool = 'execute_command'\nmatch = {{ program = 'uname' }}\n")
    };
    brings(&rule("deny"));
    assert_eq!((decision("uname"), decision("ls")), (json!("deny"), json!("allow")));
    brings("mode = 'strict'\n");
    assert_eq!(decision("ls"), "ask");
    // It can only tighten.
    brings(&format!("mode = 'smart'\n{}", rule("allow").replace("uname", "touch")));
    assert_eq!((decision("ls"), decision("touch x")), (json!("allow"), json!("ask")));
}

#[test]
fn git_that_nobody_guards_asks_where_something_steers_it() {
    let person = Person::new();
    let git = |words: &[&str]| {
        let status = person.command("git").args(words).output().unwrap();
        assert!(status.status.success(), "{status:?}");
    };
    git(&["init", "-q"]);
    let decision = |person: &Person| {
        let sent = pre_tool_use(&person.project, "Bash", &json!({ "command": "git status" }));
        person.hook(&["claude-code"], &sent)["hookSpecificOutput"]["permissionDecision"].clone()
    };
    assert_eq!(decision(&person), "allow");
    std::fs::write(person.home.join(".gitconfig"), "[core]\n fsmonitor = /tmp/x\n").unwrap();
    assert_eq!(decision(&person), "ask");
    std::fs::remove_file(person.home.join(".gitconfig")).unwrap();
    git(&["config", "filter.x.clean", "/tmp/x"]);
    assert_eq!(decision(&person), "ask");
}

#[test]
fn a_contained_command_does_the_same_and_sees_no_secret() {
    let person = Person::new();
    let install = person.countersign(&["hook", "install", "claude-code", "--contain", "--yes"], "");
    let told = String::from_utf8_lossy(&install.stdout).into_owned();
    if !told.contains("run contained") {
        return left_out::not_here("commands that hooks contain", "no walls hold here");
    }
    std::fs::write(person.project.join(".env"), "KEY=planted").unwrap();
    let rewritten = |command: &str| {
        let sent =
            pre_tool_use(&person.project, "Bash", &json!({ "command": command, "description": "d", "timeout": 5000 }));
        person.hook(&["claude-code", "--contain"], &sent)["hookSpecificOutput"].clone()
    };
    let output = rewritten("cat README.md; grep -rh KEY . || echo 'it'\"'\"'s \"$HOME\"'");
    assert_eq!(
        (&output["permissionDecision"], &output["updatedInput"]["timeout"]),
        (&json!("allow"), &json!(5000)),
        "{output}"
    );
    let command = output["updatedInput"]["command"].as_str().unwrap();
    let ran = person.command("/bin/bash").args(["-c", command]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "helloit's \"$HOME\"\n", "{ran:?}");
    // What steers the shell, what writes, and what runs only staged isn't replaced.
    for command in ["cd src", "cd src && ls", "touch x", "npm test"] {
        assert_eq!(rewritten(command)["updatedInput"], Value::Null, "{command}");
    }
    let advised = pre_tool_use(&person.project, "Bash", &json!({ "command": "ls" }));
    let advised = person.hook(&["claude-code", "--contain", "--advise"], &advised)["hookSpecificOutput"].clone();
    assert_eq!(advised["permissionDecision"], Value::Null);
    assert!(advised["updatedInput"]["command"].is_string(), "{advised}");

    let exec = |words: &[&str]| person.countersign(&[&["exec"], words].concat(), "");
    let code = |output: &Output| output.status.code();
    assert_eq!(code(&exec(&["--command", "exit 3"])), Some(3));
    assert_eq!(code(&exec(&["--", "ls", "no such file"])), Some(2));
    // A shell that may leave no core files behind, and no more than a person's rights to change that.
    let probe = person.command("unshare").args(["-Ur", "true"]).output();
    if probe.is_ok_and(|output| output.status.success()) {
        let shell = "ulimit -c 0; exec \"$0\" exec -- ls README.md";
        let output =
            person.command("unshare").args(["-Ur", "sh", "-c", shell, env!("CARGO_BIN_EXE_countersign")]).output();
        let output = output.unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "README.md\n", "{output:?}");
    }
    for refused in ["touch x", "rm README.md", "cat .env", "npm test", "ls > x"] {
        let output = exec(&["--command", refused]);
        assert_eq!((code(&output), output.stdout.is_empty()), (Some(126), true), "{refused}: {output:?}");
    }
    assert!(!person.project.join("x").exists());
    // Nobody can read what it says of itself.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut unread = person.command(env!("CARGO_BIN_EXE_countersign"));
    assert_eq!(unread.args(["exec", "--command", "touch x"]).stderr(full).status().unwrap().code(), Some(126));
    let stopped = exec(&["--command", "grep -r KEY ."]);
    assert!(String::from_utf8_lossy(&stopped.stderr).contains("countersign: sensitive files"), "{stopped:?}");
}
