//! What stands in the journal of the calls that hooks were asked about, how it is told, and what a hook does where it
//! isn't understood or heard.

use std::process::Stdio;

use countersign::agents;
use serde_json::{Value, json};

use super::{Person, harmless, holds, pre_tool_use, with_input};

/// What a command of the program prints.
fn told(person: &Person, words: &[&str]) -> String {
    let output = person.countersign(words, "");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// All recorded operations.
fn shown(person: &Person) -> Vec<Value> {
    let text = told(person, &["journal", "show", "--json"]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A shell command of Claude Code's in a session.
fn bash(person: &Person, session: &str, command: &str) -> Value {
    let mut sent = pre_tool_use(&person.project, "Bash", &json!({ "command": command }));
    sent["session_id"] = json!(session);
    sent
}

#[test]
fn what_is_left_to_the_agent_is_neither_allowed_nor_denied() {
    let person = Person::new();
    person.hook(&["claude-code"], &bash(&person, "abc", "rm x"));
    person.hook(&["claude-code", "--advise"], &bash(&person, "abc", "ls"));
    person.hook(&["claude-code"], &bash(&person, "abc", "ls"));
    person.hook(&["claude-code"], &bash(&person, "abc", "rm -rf /"));
    // An agent whose hook can't ask is refused, and that is what is said.
    person.hook(&["codex"], &bash(&person, "abc", "rm x"));
    let all = shown(&person);
    let decisions: Vec<_> = all.iter().map(|row| row["decision"].as_str().unwrap()).collect();
    assert_eq!(decisions, ["asked", "left", "allowed", "denied", "denied"]);
    assert!(all.iter().all(|row| row["said"].is_null()), "nobody said anything: {all:?}");
    assert_eq!(all[4]["note"], "Codex's hook can't ask here, so it was refused.");
    for (number, decided) in [(1, "asked by claude-code"), (2, "left to claude-code")] {
        let whole = told(&person, &["journal", "show", &format!("claude-code-abc#{number}")]);
        assert!(whole.contains(&format!("decided    {decided}\n")), "{whole}");
        assert!(!whole.contains("you said") && !whole.contains("denied"), "{whole}");
    }
    let stats: Value = serde_json::from_str(&told(&person, &["journal", "stats", "--json"])).unwrap();
    assert_eq!((&stats["asked"], &stats["left"], &stats["denied"]), (&json!(2), &json!(1), &json!(0)), "{stats}");
    assert!(told(&person, &["journal", "stats"]).contains("left to agents 1, "));
    let replay: Value = serde_json::from_str(&told(&person, &["journal", "replay", "--json"])).unwrap();
    assert_eq!((&replay["same"], &replay["denied_now_allowed"]), (&json!(5), &json!(0)), "{replay}");
    let session = told(&person, &["sessions", "show", "claude-code-abc"]);
    assert!(session.contains("the agent was told to ask") && session.contains("left to the agent"), "{session}");
}

#[test]
fn sessions_of_agents_go_by_their_names_and_are_not_gone_on_with() {
    let person = Person::new();
    let long = "00893aaf-19fa-41d2-8238-13269b9b3ca0";
    for (agent, session) in [("claude-code", "abc"), ("codex", "abc"), ("claude-code", long)] {
        person.hook(&[agent], &bash(&person, session, "ls"));
    }
    let rows = told(&person, &["journal", "show"]);
    let sessions = told(&person, &["sessions"]);
    for name in ["claude-code-abc", "codex-abc", "claude-code-13269b9b3ca0"] {
        assert!(rows.contains(&format!("  {name}#1 ")), "{rows}");
        assert!(sessions.contains(&format!("{name}  ")), "{sessions}");
        told(&person, &["journal", "show", &format!("{name}#1")]);
        told(&person, &["sessions", "show", name]);
        let resumed = person.countersign(&["--resume", name], "");
        let why = String::from_utf8_lossy(&resumed.stderr).into_owned();
        assert!(!resumed.status.success() && why.contains("holds calls of"), "{resumed:?}");
    }
    let unclear = person.countersign(&["journal", "show", "abc#1"], "");
    assert!(String::from_utf8_lossy(&unclear.stderr).contains("claude-code-abc"), "{unclear:?}");
}

#[test]
fn what_could_not_be_read_is_in_the_journal_without_what_was_sent() {
    const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let person = Person::new();
    let mut wrong = bash(&person, "abc", &format!("echo {SECRET}"));
    wrong["hook_event_name"] = json!("PostToolUse");
    let sent = [format!("{{\"key\": \"{SECRET}\", "), wrong.to_string(), format!("[\"{SECRET}\"]")];
    for agent in ["claude-code", "cursor"] {
        for sent in &sent {
            let output = person.countersign(&["hook", agent], sent);
            assert!(holds(&output), "{output:?}");
        }
    }
    let all = shown(&person);
    let of = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        (text("session"), text("decision"), text("step"))
    };
    let expected = [
        ("claude-code-unread", "asked"),
        ("claude-code-abc", "asked"),
        ("claude-code-unread", "asked"),
        ("cursor-unread", "denied"),
        ("cursor-abc", "denied"),
        ("cursor-unread", "denied"),
    ]
    .map(|(session, decision)| (session.to_owned(), decision.to_owned(), "unreadable".to_owned()));
    assert_eq!(all.iter().map(of).collect::<Vec<_>>(), expected);
    assert!(all[0]["reason"].as_str().unwrap().contains("its input can't be read as JSON"), "{}", all[0]);
    assert!(all[1]["reason"].as_str().unwrap().contains("its event is `PostToolUse`"), "{}", all[1]);
    assert!(!person.journal().contains(SECRET));
}

#[test]
fn a_member_of_another_sort_is_not_passed_over() {
    let person = Person::new();
    for agent in agents::ALL {
        for member in ["cwd", "session_id", "sessionId", "conversation_id", "tool_use_id", "generation_id", "turn_id"] {
            let mut sent = harmless(agent, &person.project);
            sent[member] = json!(7);
            let output = person.countersign(&["hook", agent.name()], &sent.to_string());
            assert!(holds(&output), "{} {member}: {output:?}", agent.name());
        }
    }
    let mut sent = harmless(agents::named("cursor").unwrap(), &person.project);
    sent["workspace_roots"] = json!([7]);
    assert!(holds(&person.countersign(&["hook", "cursor"], &sent.to_string())));
}

#[test]
fn an_answer_that_nobody_hears_is_told_by_the_exit_code() {
    let person = Person::new();
    let sent = bash(&person, "abc", "ls").to_string();
    let binary = env!("CARGO_BIN_EXE_countersign");
    for to in [">&-", ">/dev/full", ">/dev/null"] {
        let mut shell = person.command("/bin/sh");
        let output = with_input(shell.args(["-c", &format!("exec \"$0\" hook claude-code {to}"), binary]), &sent);
        assert_eq!(output.status.code(), Some(2), "{to}: {output:?}");
    }
    let heard = with_input(person.command(binary).args(["hook", "claude-code"]).stderr(Stdio::null()), &sent);
    assert_eq!(heard.status.code(), Some(0));
}

#[test]
fn gemini_cli_says_which_server_and_tool_it_is() {
    let person = Person::new();
    let config = person.home.join("mine.toml");
    let rule = "[[rules]]\neffect = 'deny'\ntool = 'mcp__my_files__read_file'\n";
    std::fs::write(&config, rule).unwrap();
    let decision = |named: &str, server: &str, tool: &str| {
        let sent = json!({
            "session_id": "g", "cwd": person.project, "hook_event_name": "BeforeTool", "tool_name": named,
            "tool_input": {}, "mcp_context": { "server_name": server, "tool_name": tool, "command": "x" },
        });
        let output =
            person.countersign(&["--config", config.to_str().unwrap(), "hook", "gemini-cli"], &sent.to_string());
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["decision"].clone()
    };
    for named in ["mcp_my_files_read_file", "my_files__read_file", "read_file"] {
        assert_eq!(decision(named, "my_files", "read_file"), "deny", "{named}");
    }
    // Where they don't fit together a person is asked, whichever of them a rule names.
    assert_eq!(decision("mcp_my_files_read_file", "other", "read_file"), "ask");
    assert_eq!(decision("mcp_other_read_file", "my_files", "read_file"), "ask");
    let gemini = agents::named("gemini-cli").unwrap();
    let read = |named: &str, server: &str, tool: &str| {
        let context = json!({ "server_name": server, "tool_name": tool });
        gemini.read(&json!({
            "hook_event_name": "BeforeTool", "tool_name": named, "tool_input": {}, "mcp_context": context,
        }))
    };
    let long = format!("mcp_files_{}", "x".repeat(80));
    let cut = format!("{}...{}", &long[..30], &long[60..]);
    assert!(read(&cut, "files", &"x".repeat(80)).is_ok());
    assert!(read("mcp_f...x", "files", &"x".repeat(80)).is_err());
    assert!(read("mcp_my_files_a_b", "my files", "a/b").is_ok(), "other letters stand for what can't be spelled");
}
