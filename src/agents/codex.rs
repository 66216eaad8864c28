//! Codex: `PreToolUse` and `PermissionRequest` hooks. `PreToolUse` comes before every tool and can refuse; it can't ask
//! (`ask` makes it carry on), nor allow past its own approvals. `PermissionRequest` comes when Codex itself would ask,
//! and can allow or refuse in the person's place. Exit code 2 with words on standard error refuses in both; any other
//! but 0 carries on. From its reference of hooks and its schemas of them (0.169).

use serde_json::{Value, json};

use super::{Addition, Agent, Answer, Call, Opinion, Places, Reply, Wants};
use super::{patch, tools};

/// Codex.
pub(super) struct Codex;

const BEFORE: &str = "PreToolUse";
const ASKED: &str = "PermissionRequest";

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn read(&self, sent: &Value) -> Result<Call, String> {
        let event = tools::text(sent, &["hook_event_name"])?;
        if event != BEFORE && event != ASKED {
            return Err(format!("its event is `{event}`, neither `{BEFORE}` nor `{ASKED}`"));
        }
        let tool = tools::text(sent, &["tool_name"])?;
        let input = sent.get("tool_input").cloned().unwrap_or_default();
        let wants = wants(&tool, &input).map_err(|why| format!("the arguments of `{tool}` can't be read: {why}"))?;
        let mut call = Call::of(sent, &event, tool, input, wants)?;
        if let (true, Some(folder)) = (SHELLS.contains(&call.tool.as_str()), tools::only(&call.input, &FOLDERS)?) {
            call.happen_in(&folder);
        }
        Ok(call)
    }

    fn reply(&self, call: Option<&Call>, answer: &Answer) -> Reply {
        let Some(call) = call else {
            let refused = self.heard(call, answer);
            return Reply { err: refused.reason, code: 2, ..Reply::default() };
        };
        if call.event == ASKED {
            // Whoever says nothing leaves the question to the person.
            let decision = match answer.opinion {
                Opinion::None | Opinion::Ask => return Reply::json(&json!({})),
                Opinion::Allow => json!({ "behavior": "allow" }),
                Opinion::Deny => json!({ "behavior": "deny", "message": answer.reason }),
            };
            return Reply::json(&json!({ "hookSpecificOutput": { "hookEventName": ASKED, "decision": decision } }));
        }
        let answer = self.heard(Some(call), answer);
        if answer.opinion != Opinion::Deny {
            return Reply::json(&json!({}));
        }
        Reply::json(&json!({ "hookSpecificOutput": {
            "hookEventName": BEFORE,
            "permissionDecision": "deny",
            "permissionDecisionReason": answer.reason,
        }}))
    }

    fn asks(&self, call: Option<&Call>) -> bool {
        call.is_some_and(|call| call.event == ASKED)
    }

    fn places(&self) -> Places {
        Places { variable: Some("CODEX_HOME"), folder: ".codex", user: "hooks.json", project: ".codex/hooks.json" }
    }

    fn additions(&self, command: &str) -> Vec<Addition> {
        let hook = json!({ "hooks": [{ "type": "command", "command": command, "timeout": 30 }] });
        [BEFORE, ASKED].map(|event| Addition { event, value: hook.clone() }).into()
    }

    fn notes(&self) -> &'static [&'static str] {
        &[
            "It runs a new hook only once you trusted it: open /hooks in it.",
            "Its hooks can't ask. What would ask is refused, and the model is told to tell you; with --leave-asking it \
             is left to its own approvals and its sandbox.",
        ]
    }
}

/// Its tools that run commands.
const SHELLS: [&str; 4] = ["Bash", "shell", "exec_command", "local_shell"];
/// Where a command is to run, if not where the session is.
const FOLDERS: [&str; 2] = ["workdir", "cwd"];

fn wants(tool: &str, input: &Value) -> tools::Read {
    match tool {
        _ if SHELLS.contains(&tool) => tools::command(input),
        "apply_patch" => patch::read(&tools::the(input, &["command", "input", "patch"])?),
        "web_search" => tools::search_web(input),
        // Its own lists, plans, questions and helpers; what a helper does comes by here itself.
        "update_plan" | "request_user_input" | "spawn_agent" | "wait_agent" | "close_agent" | "list_agents" => {
            Ok(Wants::Nothing)
        }
        _ if tool.starts_with("mcp__") => Ok(Wants::Foreign { of: None, arguments: input.clone() }),
        _ => Ok(Wants::Unknown(input.clone())),
    }
}
