//! Cursor: hooks by sort of action, `beforeShellExecution`, `beforeMCPExecution` and `beforeReadFile`, and `preToolUse`
//! for every other tool. The decision is `permission`; the first two can ask, the others only allow or deny (`ask` is
//! taken and not enforced). Exit code 2 refuses in each. From its reference of hooks.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::tools;
use super::{Addition, Agent, Answer, Call, Opinion, Places, Reply, Wants};

/// Cursor.
pub(super) struct Cursor;

const SHELL: &str = "beforeShellExecution";
const MCP: &str = "beforeMCPExecution";
const READ: &str = "beforeReadFile";
const TOOL: &str = "preToolUse";

impl Agent for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn read(&self, sent: &Value) -> Result<Call, String> {
        let event = tools::text(sent, &["hook_event_name"])?;
        let input = sent.get("tool_input").cloned().unwrap_or_default();
        let named = || tools::text(sent, &["tool_name"]);
        let (tool, input, wants) = match event.as_str() {
            SHELL => ("Shell".to_owned(), json!({ "command": sent.get("command") }), tools::command(sent)),
            READ => ("Read".to_owned(), json!({ "file_path": sent.get("file_path") }), tools::read_file(sent)),
            MCP => {
                let server = tools::optional(sent, &["mcp_server_name"])?;
                let tool = named()?;
                let of = server.map(|server| (server, tool.clone()));
                let named = of.as_ref().map_or(tool.clone(), |(server, tool)| format!("{server}:{tool}"));
                (named, input.clone(), Ok(Wants::Foreign { of, arguments: input }))
            }
            TOOL => {
                let tool = named()?;
                let wants = wants(&tool, &input);
                (tool, input, wants)
            }
            other => return Err(format!("its event is `{other}`, which isn't one before an action")),
        };
        let wants = wants.map_err(|why| format!("the arguments of `{tool}` can't be read: {why}"))?;
        let mut call = Call::of(sent, &event, tool, input, wants)?;
        let roots = match tools::member(sent, &["workspace_roots"]) {
            None => Vec::new(),
            Some(Value::Array(roots)) => {
                let root =
                    |root: &Value| root.as_str().map(PathBuf::from).ok_or("one of its `workspace_roots` is no text");
                roots.iter().map(root).collect::<Result<Vec<_>, _>>()?
            }
            Some(_) => return Err("its `workspace_roots` is no list".to_owned()),
        };
        call.root = match call.cwd.as_deref() {
            Some(cwd) => roots.iter().find(|root| cwd.starts_with(root)).or(roots.first()).cloned(),
            None => roots.first().cloned(),
        };
        call.cwd = call.cwd.or_else(|| call.root.clone());
        // A folder that the model chose moves the call, never what it counts as lying in.
        let named = tools::only(&call.input, &["working_directory", "cwd"])?;
        if let Some(folder) = named.filter(|folder| !folder.is_empty()) {
            call.happen_in(&folder);
        }
        Ok(call)
    }

    fn reply(&self, call: Option<&Call>, answer: &Answer) -> Reply {
        let answer = self.heard(call, answer);
        let word = match answer.opinion {
            Opinion::None => return Reply::json(&json!({})),
            Opinion::Allow => return Reply::json(&json!({ "permission": "allow" })),
            Opinion::Ask => "ask",
            Opinion::Deny => "deny",
        };
        // Which event it was isn't known then; the exit code refuses in each.
        let code = if call.is_none() { 2 } else { 0 };
        let told = json!({ "permission": word, "user_message": answer.reason, "agent_message": answer.reason });
        Reply { out: format!("{told}\n"), err: if code == 2 { answer.reason } else { String::new() }, code }
    }

    fn asks(&self, call: Option<&Call>) -> bool {
        call.is_some_and(|call| call.event == SHELL || call.event == MCP)
    }

    fn root_variable(&self) -> Option<&'static str> {
        Some("CURSOR_PROJECT_DIR")
    }

    fn places(&self) -> Places {
        Places { variable: None, folder: ".cursor", user: "hooks.json", project: ".cursor/hooks.json" }
    }

    fn beginning(&self) -> Vec<(&'static str, Value)> {
        vec![("version", json!(1))]
    }

    fn additions(&self, command: &str) -> Vec<Addition> {
        let hook = json!({ "command": command, "timeout": 30, "failClosed": true });
        // What the other three see comes by them alone.
        let mut rest = hook.clone();
        if let Some(members) = rest.as_object_mut() {
            members.insert("matcher".to_owned(), json!("^(?!Shell$|Read$|MCP:)"));
        }
        let own = [SHELL, MCP, READ].map(|event| Addition { event, value: hook.clone() });
        own.into_iter().chain([Addition { event: TOOL, value: rest }]).collect()
    }

    fn notes(&self) -> &'static [&'static str] {
        &[
            "Its hooks can ask before commands and MCP tools alone. Edits, and reads that would ask, are refused, and \
             the model is told to tell you; with --leave-asking they are left to its own approvals.",
            "Restart it after a change of its hooks.",
        ]
    }
}

fn wants(tool: &str, input: &Value) -> tools::Read {
    match tool {
        "Shell" => tools::command(input),
        "Read" => tools::read_file(input),
        "Write" if input.get("content").is_some() || input.get("contents").is_some() => tools::write_file(input),
        "Write" | "StrReplace" | "Edit" | "MultiEdit" | "EditNotebook" => tools::edit_file(input),
        "Delete" => tools::delete_file(input),
        "Grep" => tools::search_files(input),
        "Glob" => tools::find_files(input),
        "LS" | "ListDir" => tools::list_folder(input),
        "Fetch" | "WebFetch" => tools::fetch(input),
        "WebSearch" => tools::search_web(input),
        // Its own lists, questions and helpers; what a helper does comes by here itself.
        "Task" | "TodoWrite" | "AskQuestion" | "SwitchMode" => Ok(Wants::Nothing),
        _ if tool.starts_with("MCP:") => Ok(Wants::Foreign { of: None, arguments: input.clone() }),
        _ => Ok(Wants::Unknown(input.clone())),
    }
}
