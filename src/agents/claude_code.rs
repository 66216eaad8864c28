//! Claude Code: `PreToolUse` hooks. One JSON object on standard input; the decision is `permissionDecision` in
//! `hookSpecificOutput`, which also takes `updatedInput`. An exit code other than 0 and 2 lets the call go on, so the
//! reply is always 0. From its reference of hooks and of tools.

use serde_json::{Value, json};

use super::tools;
use super::{Addition, Agent, Answer, Call, Opinion, Places, Reply, Wants};

/// Claude Code.
pub(super) struct ClaudeCode;

const EVENT: &str = "PreToolUse";

impl Agent for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn read(&self, sent: &Value) -> Result<Call, String> {
        let event = tools::text(sent, &["hook_event_name"])?;
        if event != EVENT {
            return Err(format!("its event is `{event}`, not `{EVENT}`"));
        }
        let tool = tools::text(sent, &["tool_name"])?;
        let input = sent.get("tool_input").cloned().unwrap_or_default();
        let wants = wants(&tool, &input).map_err(|why| format!("the arguments of `{tool}` can't be read: {why}"))?;
        Call::of(sent, EVENT, tool, input, wants)
    }

    fn reply(&self, call: Option<&Call>, answer: &Answer) -> Reply {
        let said = |word: &str| json!({ "hookEventName": EVENT, "permissionDecision": word, "permissionDecisionReason": answer.reason });
        let mut output = match answer.opinion {
            Opinion::None if answer.command.is_none() => return Reply::json(&json!({})),
            Opinion::None => json!({ "hookEventName": EVENT }),
            Opinion::Allow => said("allow"),
            Opinion::Ask => said("ask"),
            Opinion::Deny => said("deny"),
        };
        if let (Some(call), Some(command), Some(members)) = (call, &answer.command, output.as_object_mut()) {
            members.insert("updatedInput".to_owned(), call.with_command(command));
        }
        Reply::json(&json!({ "hookSpecificOutput": output }))
    }

    fn replaces(&self) -> bool {
        true
    }

    fn root_variable(&self) -> Option<&'static str> {
        Some("CLAUDE_PROJECT_DIR")
    }

    fn searches_spare_ignored(&self) -> bool {
        true
    }

    fn places(&self) -> Places {
        Places {
            variable: Some("CLAUDE_CONFIG_DIR"),
            folder: ".claude",
            user: "settings.json",
            // The file that isn't shared: the path of the program is this machine's.
            project: ".claude/settings.local.json",
        }
    }

    fn additions(&self, command: &str) -> Vec<Addition> {
        let hook = json!({ "type": "command", "command": command, "timeout": 30, "onFailure": "block" });
        vec![Addition { event: EVENT, value: json!({ "matcher": "*", "hooks": [hook] }) }]
    }

    fn notes(&self) -> &'static [&'static str] {
        &["Its own deny and ask rules still hold beside what is answered here."]
    }
}

fn wants(tool: &str, input: &Value) -> tools::Read {
    match tool {
        "Bash" | "Monitor" => tools::command(input),
        "Read" | "NotebookRead" => tools::read_file(input),
        "LS" => tools::list_folder(input),
        "Write" => tools::write_file(input),
        "Edit" | "MultiEdit" | "NotebookEdit" => tools::edit_file(input),
        "Glob" => tools::find_files(input),
        "Grep" => tools::search_files(input),
        "WebFetch" => tools::fetch(input),
        "WebSearch" => tools::search_web(input),
        // Its own lists, plans, questions and helpers; what a helper does comes by here itself.
        "Agent" | "AskUserQuestion" | "BashOutput" | "EnterPlanMode" | "ExitPlanMode" | "KillBash" | "KillShell"
        | "Skill" | "SlashCommand" | "StructuredOutput" | "Task" | "TaskCreate" | "TaskGet" | "TaskList"
        | "TaskOutput" | "TaskStop" | "TaskUpdate" | "TodoRead" | "TodoWrite" | "ToolSearch" => Ok(Wants::Nothing),
        _ if tool.starts_with("mcp__") => Ok(Wants::Foreign { of: None, arguments: input.clone() }),
        _ => Ok(Wants::Unknown(input.clone())),
    }
}
