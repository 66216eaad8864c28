//! Tools of other agents that look further than ours, and tools of servers that only the agent sees.

use super::*;

#[test]
fn a_search_that_may_read_a_sensitive_file_asks() {
    let person = Person::new();
    let grep = |input: Value| {
        let sent = pre_tool_use(&person.project, "Grep", &input);
        person.hook(&["claude-code"], &sent)["hookSpecificOutput"].clone()
    };
    std::fs::create_dir_all(person.project.join("src")).unwrap();
    assert_eq!(grep(json!({ "pattern": "KEY" }))["permissionDecision"], "allow");
    std::fs::write(person.project.join(".env"), "KEY=x").unwrap();
    let answer = grep(json!({ "pattern": "KEY" }));
    assert_eq!(answer["permissionDecision"], "ask", "{answer}");
    assert!(answer["permissionDecisionReason"].as_str().unwrap().contains(".env"), "{answer}");
    assert_eq!(grep(json!({ "pattern": "KEY", "path": "src" }))["permissionDecision"], "allow");
    assert_eq!(grep(json!({ "pattern": "KEY", "path": "src", "no_ignore": true }))["permissionDecision"], "ask");
    // Where git ignores it, this agent's search leaves it out, unless a glob names it.
    std::fs::create_dir(person.project.join(".git")).unwrap();
    std::fs::write(person.project.join(".gitignore"), ".env\n").unwrap();
    assert_eq!(grep(json!({ "pattern": "KEY" }))["permissionDecision"], "allow");
    assert_eq!(grep(json!({ "pattern": "KEY", "glob": "*" }))["permissionDecision"], "ask");
    std::fs::write(person.project.join(".rgignore"), "!.env\n").unwrap();
    assert_eq!(grep(json!({ "pattern": "KEY" }))["permissionDecision"], "ask");
    std::fs::remove_file(person.project.join(".rgignore")).unwrap();
    // Another agent's may be of a kind that leaves nothing out.
    let sent = json!({
        "session_id": "g", "cwd": person.project, "hook_event_name": "BeforeTool", "tool_name": "grep_search",
        "tool_input": { "pattern": "KEY" },
    });
    assert_eq!(person.hook(&["gemini-cli"], &sent)["decision"], "ask");
}

#[test]
fn a_client_of_a_database_only_lists_where_nothing_holds_it_to_reading() {
    let person = Person::new();
    let decision = |command: &str| {
        let sent = pre_tool_use(&person.project, "Bash", &json!({ "command": command }));
        person.hook(&["claude-code"], &sent)["hookSpecificOutput"]["permissionDecision"].clone()
    };
    for command in ["psql -c 'SELECT * FROM v'", "psql -Atc 'select now()'"] {
        assert_eq!(decision(command), "ask", "{command}");
    }
    for command in ["psql -l", "psql -c '\\dt'"] {
        assert_eq!(decision(command), "allow", "{command}");
    }
}

#[test]
fn settings_that_only_move_what_a_program_writes_matter_where_no_walls_are() {
    let person = Person::new();
    let decision = |command: &str| {
        let sent = pre_tool_use(&person.project, "Bash", &json!({ "command": command }));
        person.hook(&["claude-code"], &sent)["hookSpecificOutput"]["permissionDecision"].clone()
    };
    assert_eq!(decision("ruff check --no-fix --no-cache"), "allow");
    for command in ["ruff check --no-fix", "ruff format --check"] {
        assert_eq!(decision(command), "ask", "{command}");
    }
    std::fs::write(person.project.join("ruff.toml"), "cache-dir = '/elsewhere'").unwrap();
    assert_eq!(decision("ruff check --no-fix --no-cache"), "ask");
}

#[test]
fn names_that_may_be_sensitive_are_shown_whole_only_where_walls_hide_them() {
    let person = Person::new();
    let answer = |command: &str| {
        let sent = pre_tool_use(&person.project, "Bash", &json!({ "command": command }));
        person.hook(&["claude-code"], &sent)["hookSpecificOutput"].clone()
    };
    let asked = answer("find . -type f | xargs cat");
    assert_eq!(asked["permissionDecision"], "ask", "{asked}");
    assert!(asked["permissionDecisionReason"].as_str().unwrap().contains("No walls hide it here"), "{asked}");
    for command in ["find . -name '*.rs' | xargs cat", "find . -type f | xargs wc -l"] {
        assert_eq!(answer(command)["permissionDecision"], "allow", "{command}");
    }
}

#[test]
fn a_search_in_several_folders_is_judged_in_each() {
    let person = Person::new();
    let decision = |tool: &str, paths: Value| {
        let sent = json!({
            "sessionId": "s", "cwd": person.project, "toolName": tool, "toolArgs": { "pattern": "x", "paths": paths },
        });
        person.hook(&["copilot"], &sent)["permissionDecision"].clone()
    };
    for tool in ["grep", "glob"] {
        assert_eq!(decision(tool, json!("src")), "allow", "{tool}");
        assert_eq!(decision(tool, json!(["src", "/etc"])), "ask", "{tool}");
        assert_eq!(decision(tool, json!("~/.ssh")), "ask", "{tool}");
    }
}

#[test]
fn a_tool_of_a_server_is_judged_as_on_the_screen_and_no_rule_counts_for_what_nobody_sees() {
    let person = Person::new();
    let mcp = |tool: &str, input: Value| {
        let sent = pre_tool_use(&person.project, tool, &input);
        let answer = person.hook(&["claude-code"], &sent)["hookSpecificOutput"].clone();
        (answer["permissionDecision"].clone(), answer["permissionDecisionReason"].as_str().unwrap().to_owned())
    };
    let (decision, why) = mcp("mcp__files__read_file", json!({ "path": "a.txt" }));
    assert_eq!(decision, "ask");
    assert!(why.contains("read_file is a tool of the MCP server files, of which nothing else is known here"), "{why}");
    let (_, why) = mcp("mcp__files__read_file", json!({ "deep": [{ "path": "~/.ssh/id_rsa" }] }));
    assert!(why.contains("The argument deep names what is sensitive"), "{why}");
    let (_, why) = mcp("mcp__files__read_file", json!({ "text": "harmless\u{202e}gpj.exe" }));
    assert!(why.contains("hid") || why.contains("direction"), "{why}");
    let rule = |effect: &str, more: &str| {
        let text = format!(
            "[[rules]]\neffect = '{effect}'\ntool = 'mcp__files__read_file'\n\
             match = {{ server = 'files', tool = 'read_file'{more} }}\n"
        );
        std::fs::create_dir_all(person.home.join(".config/countersign")).unwrap();
        std::fs::write(person.home.join(".config/countersign/config.toml"), text).unwrap();
    };
    for schema in ["unknown", "0123456789abcdef0123456789abcdef"] {
        rule("allow", &format!(", schema = '{schema}'"));
        let (decision, why) = mcp("mcp__files__read_file", json!({ "path": "a.txt" }));
        assert_eq!(decision, "ask", "{schema}: {why}");
        assert!(!why.contains("changed since"), "{why}");
    }
    rule("deny", "");
    assert_eq!(mcp("mcp__files__read_file", json!({ "path": "a.txt" })).0, "deny");
}
