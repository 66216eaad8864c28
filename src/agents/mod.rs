//! Other agents: what each tells a hook before it uses a tool, in terms of ours, and how it is answered. Pure: a hook's
//! input comes in, a reply goes out. One file an agent; a new one is its file and its line in [`ALL`].
//!
//! `tools` reads the arguments that most agents spell alike, `patch` the patches that some of them write, `settings`
//! changes a settings file without touching the rest of it.

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini_cli;
mod patch;
pub mod settings;
mod tools;

pub use tools::quoted;

use std::path::PathBuf;

use serde_json::Value;

use crate::domain::OperationKind;

/// The agents that are known, in the order of their names.
pub const ALL: [&dyn Agent; 5] =
    [&claude_code::ClaudeCode, &codex::Codex, &copilot::Copilot, &cursor::Cursor, &gemini_cli::GeminiCli];

/// The agent of that name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Agent> {
    ALL.into_iter().find(|agent| agent.name() == name)
}

/// What a call would do.
#[derive(Clone, Debug, PartialEq)]
pub enum Wants {
    /// Nothing beyond the agent itself: its own lists, plans and questions. We have no opinion of it.
    Nothing,
    /// These operations, each under the name of the tool of ours that it is judged as.
    Operations(Vec<(String, OperationKind)>),
    /// A search on the web.
    WebSearch(String),
    /// A tool of an MCP server's, with the arguments as they are.
    Foreign {
        /// The server and the tool, where the agent says them; otherwise its name for the tool is all there is.
        of: Option<(String, String)>,
        /// The arguments.
        arguments: Value,
    },
    /// A tool that isn't known here, with the arguments as they are.
    Unknown(Value),
}

/// One call that an agent is about to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The agent's own id of the session.
    pub session: Option<String>,
    /// The agent's own id of the call.
    pub id: Option<String>,
    /// The folder that it happens in; none if the agent didn't say.
    pub cwd: Option<PathBuf>,
    /// The root of what the agent works on, where it says that.
    pub root: Option<PathBuf>,
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The event of the agent's that this is.
    pub event: String,
    /// The arguments, as the agent sent them.
    pub input: Value,
    /// What it would do.
    pub wants: Wants,
}

impl Call {
    /// A call with what every agent says of it, under the names that most of them give that.
    fn of(sent: &Value, event: &str, tool: String, input: Value, wants: Wants) -> Result<Self, String> {
        let said = |names: &[&str]| {
            // What isn't gone by must be a text all the same: an agent that sends another sort isn't understood.
            let texts: Result<Vec<_>, _> = names.iter().map(|name| tools::optional(sent, &[name])).collect();
            texts.map(|texts| texts.into_iter().flatten().find(|text| !text.is_empty()))
        };
        Ok(Self {
            session: said(&SESSION)?,
            id: said(&["tool_use_id", "toolUseId", "generation_id", "turn_id"])?,
            cwd: said(&["cwd"])?.map(PathBuf::from),
            root: None,
            tool,
            event: event.to_owned(),
            input,
            wants,
        })
    }

    /// Lets it happen in a folder that its arguments name. What the agent works on stays where it was.
    fn happen_in(&mut self, folder: &str) {
        let here = self.cwd.take().unwrap_or_else(|| PathBuf::from("."));
        self.cwd = Some(here.join(folder));
        self.root.get_or_insert(here);
    }

    /// The arguments with another command.
    fn with_command(&self, command: &str) -> Value {
        let mut input = self.input.clone();
        if let Some(members) = input.as_object_mut() {
            members.insert("command".to_owned(), command.into());
        }
        input
    }
}

/// Names that agents give their session's id.
const SESSION: [&str; 3] = ["session_id", "conversation_id", "sessionId"];

/// The agent's own id of the session, where what it sent is no call that can be read.
#[must_use]
pub fn session_of(sent: &Value) -> Option<&str> {
    SESSION.iter().find_map(|name| sent.get(name)?.as_str())
}

/// What we think of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opinion {
    /// Nothing: the agent goes by its own rules.
    None,
    /// It may run.
    Allow,
    /// A person is asked.
    Ask,
    /// It may not run.
    Deny,
}

/// An answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What we think.
    pub opinion: Opinion,
    /// Why, for the person and the model.
    pub reason: String,
    /// The command that is to run in the place of the one that was asked for.
    pub command: Option<String>,
    /// Where the agent can't be made to ask: leave it to the agent's own approvals, rather than refuse.
    pub leave_asking: bool,
}

impl Answer {
    /// An answer that asks, or says why it couldn't be told.
    #[must_use]
    pub fn ask(reason: impl Into<String>) -> Self {
        Self { opinion: Opinion::Ask, reason: reason.into(), command: None, leave_asking: false }
    }

    /// What to answer where the agent can't be made to ask: a refusal that says so, unless the person chose otherwise.
    /// What couldn't be read is refused all the same.
    fn where_none_can_ask(&self, agent: &str, call: Option<&Call>) -> Self {
        match (self.opinion, self.leave_asking && call.is_some()) {
            (Opinion::Ask, true) => Self { opinion: Opinion::None, ..self.clone() },
            (Opinion::Ask, false) => {
                let reason = format!(
                    "{} This would ask the person, but {agent}'s hook can't ask here, so it is refused. Tell the person \
                     what you wanted to do and why.",
                    self.reason
                );
                Self { opinion: Opinion::Deny, reason, ..self.clone() }
            }
            (Opinion::None | Opinion::Allow | Opinion::Deny, _) => self.clone(),
        }
    }
}

/// What a hook's process says and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// On standard output.
    pub out: String,
    /// On standard error.
    pub err: String,
    /// Its exit code.
    pub code: u8,
}

impl Reply {
    fn json(value: &Value) -> Self {
        Self { out: format!("{value}\n"), ..Self::default() }
    }
}

/// Where an agent keeps its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The variable that names the agent's folder, where there is one.
    pub variable: Option<&'static str>,
    /// That folder without the variable, in the home folder.
    pub folder: &'static str,
    /// The person's settings in that folder.
    pub user: &'static str,
    /// A project's settings, in the project.
    pub project: &'static str,
}

/// One addition to an agent's settings: `value` as a further element of the list at `hooks` and `event`.
#[derive(Clone, Debug, PartialEq)]
pub struct Addition {
    /// The event's name.
    pub event: &'static str,
    /// The element.
    pub value: Value,
}

/// Another agent, as its hooks see it.
pub trait Agent: Sync {
    /// Its name on our command line and in the journal.
    fn name(&self) -> &'static str;

    /// Its name for people.
    fn title(&self) -> &'static str;

    /// Reads what it sent.
    ///
    /// # Errors
    /// Why that isn't a call, as the end of a sentence.
    fn read(&self, sent: &Value) -> Result<Call, String>;

    /// Says our answer its way. Without a call it sent nothing that could be read: the reply must not let anything
    /// run unasked then.
    fn reply(&self, call: Option<&Call>, answer: &Answer) -> Reply;

    /// Whether its hook can make it ask the person about this call.
    fn asks(&self, _call: Option<&Call>) -> bool {
        true
    }

    /// An answer as far as the agent can take it.
    fn heard(&self, call: Option<&Call>, answer: &Answer) -> Answer {
        if self.asks(call) { answer.clone() } else { answer.where_none_can_ask(self.title(), call) }
    }

    /// Whether a hook can put another command in the place of the one that was asked for.
    fn replaces(&self) -> bool {
        false
    }

    /// Whether its search tool leaves out what git ignores, as ripgrep does. Said only where it was seen.
    fn searches_spare_ignored(&self) -> bool {
        false
    }

    /// The variable in which it tells its hooks the root of what it works on.
    fn root_variable(&self) -> Option<&'static str> {
        None
    }

    /// Where its settings are.
    fn places(&self) -> Places;

    /// What a file of settings holds beside the hooks, if it is ours to begin.
    fn beginning(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// What is added to its settings so that it runs `command` before each use of a tool.
    fn additions(&self, command: &str) -> Vec<Addition>;

    /// What the person should know about its hooks, in full sentences.
    fn notes(&self) -> &'static [&'static str] {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_name_of_its_own_and_without_a_call_lets_nothing_run() {
        for agent in ALL {
            assert_eq!(named(agent.name()).map(Agent::name), Some(agent.name()));
            for leave_asking in [true, false] {
                let reply = agent.reply(None, &Answer { leave_asking, ..Answer::ask("It can't be read.") });
                let told = format!("{}{}", reply.out, reply.err);
                assert!(told.contains("It can't be read."), "{}: {reply:?}", agent.name());
                assert!(!told.contains("\"allow\""), "{}: {reply:?}", agent.name());
                let refused = reply.code == 2 && !reply.err.is_empty();
                assert!(
                    refused || told.contains("\"ask\"") || told.contains("\"deny\""),
                    "{}: {reply:?}",
                    agent.name()
                );
            }
        }
    }
}
