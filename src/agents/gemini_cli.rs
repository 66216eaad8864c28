//! Gemini CLI: `BeforeTool` hooks. The decision is `decision` (`allow`, `ask`, `deny`), and `tool_input` in
//! `hookSpecificOutput` is laid over the arguments. `allow` is no more than no objection: its own policy still decides.
//! An exit code other than 0 and 2 lets the call go on, so the reply is always 0. From its reference of hooks and its
//! tools' declarations (0.61); its documentation doesn't name `ask`, which its scheduler takes.

use serde_json::{Value, json};

use super::tools;
use super::{Addition, Agent, Answer, Call, Opinion, Places, Reply, Wants};

/// Gemini CLI.
pub(super) struct GeminiCli;

const EVENT: &str = "BeforeTool";
/// Shortest name, in bytes, that is what the agent left of a longer one.
const CUT: usize = 60;

impl Agent for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn read(&self, sent: &Value) -> Result<Call, String> {
        let event = tools::text(sent, &["hook_event_name"])?;
        if event != EVENT {
            return Err(format!("its event is `{event}`, not `{EVENT}`"));
        }
        let tool = tools::text(sent, &["tool_name"])?;
        let input = sent.get("tool_input").cloned().unwrap_or_default();
        let wants = match tools::member(sent, &["mcp_context"]) {
            Some(context) => Ok(Wants::Foreign { of: server_and_tool(&tool, context)?, arguments: input.clone() }),
            None => wants(&tool, &input),
        };
        let wants = wants.map_err(|why| format!("the arguments of `{tool}` can't be read: {why}"))?;
        let mut call = Call::of(sent, EVENT, tool, input, wants)?;
        if let ("run_shell_command", Some(folder)) = (call.tool.as_str(), tools::only(&call.input, &FOLDERS)?) {
            call.happen_in(&folder);
        }
        Ok(call)
    }

    fn reply(&self, _call: Option<&Call>, answer: &Answer) -> Reply {
        let mut output = match answer.opinion {
            Opinion::None => json!({}),
            Opinion::Allow => json!({ "decision": "allow", "reason": answer.reason }),
            // Shown in its question.
            Opinion::Ask => json!({ "decision": "ask", "reason": answer.reason, "systemMessage": answer.reason }),
            Opinion::Deny => json!({ "decision": "deny", "reason": answer.reason }),
        };
        if let (Some(command), Some(members)) = (&answer.command, output.as_object_mut()) {
            let over = json!({ "hookEventName": EVENT, "tool_input": { "command": command } });
            members.insert("hookSpecificOutput".to_owned(), over);
        }
        Reply::json(&output)
    }

    fn replaces(&self) -> bool {
        true
    }

    fn root_variable(&self) -> Option<&'static str> {
        Some("GEMINI_PROJECT_DIR")
    }

    fn places(&self) -> Places {
        Places { variable: None, folder: ".gemini", user: "settings.json", project: ".gemini/settings.json" }
    }

    fn additions(&self, command: &str) -> Vec<Addition> {
        let hook = json!({ "type": "command", "name": "countersign", "command": command, "timeout": 30000 });
        vec![Addition { event: EVENT, value: json!({ "matcher": "*", "hooks": [hook] }) }]
    }

    fn notes(&self) -> &'static [&'static str] {
        &["It still asks by its own policy where nothing is objected to here; its approval mode changes that."]
    }
}

/// Where a command is to run, if not where the agent is.
const FOLDERS: [&str; 2] = ["dir_path", "directory"];

/// The server and the tool of a call, as the agent says them beside its own name for the tool: `mcp_server_tool`, or
/// in its earlier versions `server__tool` or the tool alone, with other letters in the place of what a model can't
/// spell, and the middle of a long one left out.
fn server_and_tool(named: &str, context: &Value) -> Result<Option<(String, String)>, String> {
    let said = |name| tools::optional(context, &[name]).map(|text| text.filter(|text| !text.is_empty()));
    let (Some(server), Some(tool)) = (said("server_name")?, said("tool_name")?) else { return Ok(None) };
    let spelled = |text: &str| {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || "_-.:".contains(c) { c } else { '_' }).collect::<String>()
    };
    let spellings =
        [format!("mcp_{server}_{tool}"), format!("mcp__{server}__{tool}"), format!("{server}__{tool}"), tool.clone()];
    let is = |name: &String| {
        let name = spelled(name);
        let cut = named.split_once("...").filter(|_| named.len() >= CUT && named.len() < name.len());
        let cut = cut.is_some_and(|(start, end)| name.starts_with(start) && name.ends_with(end));
        cut || name == spelled(named)
    };
    if spellings.iter().any(is) {
        Ok(Some((server, tool)))
    } else {
        Err(format!("`{named}` isn't what its `mcp_context` names"))
    }
}

fn wants(tool: &str, input: &Value) -> tools::Read {
    match tool {
        _ if tool.starts_with("mcp_") => Ok(Wants::Foreign { of: None, arguments: input.clone() }),
        "run_shell_command" => tools::command(input),
        "read_file" => tools::read_file(input),
        "list_directory" => tools::list_folder(input),
        "write_file" => tools::write_file(input),
        "replace" => tools::edit_file(input),
        "glob" => tools::find_files(input),
        "grep_search" | "search_file_content" => tools::search_files(input),
        "web_fetch" => tools::fetch_prompted(input),
        "google_web_search" => tools::search_web(input),
        // Its own lists, plans, questions and helpers; what a helper does comes by here itself.
        "activate_skill"
        | "ask_user"
        | "complete_task"
        | "enter_plan_mode"
        | "exit_plan_mode"
        | "get_internal_docs"
        | "invoke_agent"
        | "tracker_add_dependency"
        | "tracker_create_task"
        | "tracker_get_task"
        | "tracker_list_tasks"
        | "tracker_update_task"
        | "tracker_visualize"
        | "update_topic"
        | "write_todos" => Ok(Wants::Nothing),
        _ => Ok(Wants::Unknown(input.clone())),
    }
}
