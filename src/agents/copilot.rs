//! GitHub Copilot CLI: `preToolUse` hooks. The decision is `permissionDecision`, and `modifiedArgs` takes the place of
//! the arguments. An exit code other than 0 lets the call go on, so the reply is always 0. From its reference of hooks,
//! with both of its spellings of the input.

use serde_json::{Value, json};

use super::{Addition, Agent, Answer, Call, Opinion, Places, Reply, Wants};
use super::{patch, tools};
use crate::domain::Strict;

/// GitHub Copilot CLI.
pub(super) struct Copilot;

const EVENT: &str = "preToolUse";

impl Agent for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn title(&self) -> &'static str {
        "GitHub Copilot CLI"
    }

    fn read(&self, sent: &Value) -> Result<Call, String> {
        if let Some(event) =
            tools::optional(sent, &["hook_event_name"])?.filter(|event| !event.eq_ignore_ascii_case(EVENT))
        {
            return Err(format!("its event is `{event}`, not `{EVENT}`"));
        }
        let tool = tools::text(sent, &["toolName", "tool_name"])?;
        let input = match tools::member(sent, &["toolArgs", "tool_input"]) {
            // Older versions send the arguments as a text that holds them.
            Some(Value::String(text)) if tool != "apply_patch" => {
                let read = serde_json::from_str::<Strict>(text);
                read.map_err(|error| format!("the arguments of `{tool}` can't be read as JSON: {error}"))?.0
            }
            Some(input) => input.clone(),
            None => Value::Null,
        };
        let wants = wants(&tool, &input).map_err(|why| format!("the arguments of `{tool}` can't be read: {why}"))?;
        Call::of(sent, EVENT, tool, input, wants)
    }

    fn reply(&self, call: Option<&Call>, answer: &Answer) -> Reply {
        let said = |word: &str| json!({ "permissionDecision": word, "permissionDecisionReason": answer.reason });
        let mut output = match answer.opinion {
            Opinion::None => json!({}),
            Opinion::Allow => said("allow"),
            Opinion::Ask => said("ask"),
            Opinion::Deny => said("deny"),
        };
        if let (Some(call), Some(command), Some(members)) = (call, &answer.command, output.as_object_mut()) {
            members.insert("modifiedArgs".to_owned(), call.with_command(command));
        }
        Reply::json(&output)
    }

    fn replaces(&self) -> bool {
        true
    }

    fn searches_spare_ignored(&self) -> bool {
        true
    }

    fn places(&self) -> Places {
        Places {
            variable: Some("COPILOT_HOME"),
            folder: ".copilot",
            user: "hooks/countersign.json",
            project: ".github/hooks/countersign.json",
        }
    }

    fn beginning(&self) -> Vec<(&'static str, Value)> {
        vec![("version", json!(1))]
    }

    fn additions(&self, command: &str) -> Vec<Addition> {
        let value = json!({ "type": "command", "bash": command, "timeoutSec": 30 });
        vec![Addition { event: EVENT, value }]
    }
}

fn wants(tool: &str, input: &Value) -> tools::Read {
    match tool {
        "bash" => tools::command(input),
        "view" => tools::read_file(input),
        "create" => tools::write_file(input),
        "edit" => tools::edit_file(input),
        "apply_patch" => match input {
            Value::String(text) => patch::read(text),
            _ => patch::read(&tools::the(input, &["input", "patch", "command"])?),
        },
        "glob" => tools::find_files(input),
        "grep" | "rg" => tools::search_files(input),
        "web_fetch" => tools::fetch(input),
        "web_search" => tools::search_web(input),
        // Its own lists, questions and helpers; what a helper does comes by here itself.
        "ask_user" | "list_agents" | "list_bash" | "read_agent" | "read_bash" | "report_intent" | "skill"
        | "stop_bash" | "task" | "update_todo" | "write_agent" => Ok(Wants::Nothing),
        _ => Ok(Wants::Unknown(input.clone())),
    }
}
