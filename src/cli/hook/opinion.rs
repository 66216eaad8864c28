//! What we think of another agent's call: each of its operations is weighed as if it ran without us, and the worst of
//! them decides. Where the agent takes another command in the place of its own, one that only reads may run behind our
//! walls instead.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::Manner;
use crate::agents::{Agent, Answer, Call, Opinion, Wants, quoted};
use crate::assess::{AssessSettings, Known, read, secrets_of};
use crate::cli::start;
use crate::cli::weigh::{Scales, Searches, WEB_SEARCH, rule};
use crate::config::{Folders, Problem, Settings};
use crate::contain;
use crate::domain::{
    CONTAINED, Claim, CommandOperation, Containment, Enforceable, FindOperation, Judgement, MCP, McpOperation,
    Operation, OperationId, OperationKind, Origin, Place, Policy, Prepared, SearchOperation, Step, Verdict,
};
use crate::tools::{Seen, Unguarded, search_path};

/// Longest reason, in characters: agents show it in a question, and models read it.
const REASON: usize = 1500;
/// Commands that change the shell that they run in: behind walls that change would be lost.
const STEERING: [&str; 21] = [
    ".", "alias", "cd", "declare", "enable", "eval", "exec", "export", "hash", "local", "popd", "pushd", "readonly",
    "set", "shopt", "source", "trap", "typeset", "umask", "unalias", "unset",
];

/// An operation, what was thought of it, and what was answered instead of that, if it was something else.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// Everything it was judged on.
    pub prepared: Prepared,
    /// The judgement.
    pub judgement: Judgement,
    /// What became of it, in a sentence.
    pub note: Option<String>,
}

/// What was thought of a call.
#[derive(Clone, Debug)]
pub struct Thought {
    /// What is answered.
    pub answer: Answer,
    /// What it would do, each as it was judged.
    pub weighed: Vec<Weighed>,
    /// The folder that the agent works on.
    pub workspace: PathBuf,
}

/// What calls are judged with.
#[derive(Debug)]
pub struct Desk {
    policy: Policy,
    settings: AssessSettings,
    /// What is wrong with the configuration.
    notice: Option<String>,
    home: Option<PathBuf>,
    /// Our environment, which is the agent's as far as we can see.
    environment: Vec<(OsString, OsString)>,
    /// Our own binary.
    launcher: Option<PathBuf>,
    /// What was proved to be enforced around commands, where that was found out before.
    enforceable: Enforceable,
}

impl Desk {
    /// Reads the configuration, and what the workspace of the call brings along, with what is wrong in them kept:
    /// everything asks then.
    #[must_use]
    pub fn new(
        folders: &Folders,
        variables: impl Iterator<Item = (OsString, OsString)>,
        (agent, call): (&dyn Agent, &Call),
    ) -> Self {
        let environment: Vec<_> = variables.collect();
        let workspace = place(agent, call, &environment, None).workspace;
        let (mut configured, mut problems) = Settings::load(folders);
        // What was used of the workspace's file is told by the screen and by `countersign trust`, not at every call.
        start::brought(&mut configured, &workspace, folders, &mut problems, &mut Vec::new());
        start::remembered(&mut configured, folders, &mut problems);
        let known = Known::of_environment(environment.iter().cloned());
        let launcher = start::launcher().ok();
        let kept = launcher.as_ref().and_then(|launcher| contain::kept(launcher, &folders.state));
        let settings = AssessSettings { known, ..start::judging(&configured, folders) };
        let desk = Self::of(configured.policy(), settings, folders.home.clone(), environment);
        Self { notice: Problem::notice(&problems), enforceable: contain::enforceable(kept.as_ref(), false), ..desk }
    }

    /// The same from its parts, on a machine that enforces nothing.
    #[must_use]
    pub fn of(
        policy: Policy,
        settings: AssessSettings,
        home: Option<PathBuf>,
        environment: Vec<(OsString, OsString)>,
    ) -> Self {
        let launcher = start::launcher().ok();
        Self { policy, settings, notice: None, home, environment, launcher, enforceable: Enforceable::default() }
    }

    /// The same on a machine that enforces something else.
    #[must_use]
    pub fn enforcing(self, enforceable: Enforceable) -> Self {
        Self { enforceable, ..self }
    }

    /// Thinks about a call.
    #[must_use]
    pub fn think(&self, agent: &dyn Agent, call: &Call, manner: &Manner) -> Thought {
        let place = place(agent, call, &self.environment, self.home.as_deref());
        let workspace = place.workspace.clone();
        let operations = match &call.wants {
            Wants::Nothing => {
                let reason = format!("{} is {}'s own business.", call.tool, agent.title());
                let answer = Answer { opinion: Opinion::None, ..Answer::ask(reason) };
                return Thought { answer, weighed: Vec::new(), workspace };
            }
            Wants::Operations(operations) => operations.clone(),
            Wants::WebSearch(query) => {
                vec![(WEB_SEARCH.to_owned(), OperationKind::Other(serde_json::json!({ "query": query })))]
            }
            Wants::Foreign { of, arguments } => {
                let mcp = foreign(&call.tool, of.as_ref(), arguments);
                vec![(format!("{MCP}{}__{}", mcp.server, mcp.tool), OperationKind::Mcp(mcp))]
            }
            Wants::Unknown(arguments) => vec![(call.tool.clone(), OperationKind::Other(arguments.clone()))],
        };
        let operation = |(tool, mut kind): (String, OperationKind)| {
            if let (
                OperationKind::Search(SearchOperation { path, .. }) | OperationKind::Find(FindOperation { path, .. }),
                false,
            ) = (&mut kind, place.cwd.starts_with(&place.workspace))
            {
                // Their tools look where the call is made, ours in the workspace.
                path.get_or_insert_with(|| place.cwd.to_string_lossy().into_owned());
            }
            Operation {
                id: OperationId(0),
                origin: Origin::Model { call_id: call.id.clone().unwrap_or_default() },
                tool,
                // A claim that another agent's model makes isn't offered by us, so it is none.
                claim: Claim::Absent,
                kind,
                cwd: place.cwd.clone(),
            }
        };
        let operations: Vec<Operation> = operations.into_iter().map(operation).collect();
        if let (true, [only]) = (manner.contain && agent.replaces(), &operations[..])
            && let Some((weighed, command)) = self.behind_walls(agent, only, &place, manner)
        {
            return self.contained(weighed, command, workspace, manner);
        }
        let mut seen = Seen::unguarded(Unguarded::of(self.environment.iter().cloned(), self.home.as_deref()));
        let scales = self.scales(agent);
        let weigh = |operation: Operation| self.weigh(scales.get(Enforceable::default()), operation, &place, &mut seen);
        let weighed: Vec<Weighed> = operations.into_iter().map(weigh).collect();
        let answer = self.answer(&weighed, manner);
        Thought { answer: Answer { leave_asking: manner.leave_asking, ..answer }, weighed, workspace }
    }

    /// Weighs one operation, and finds the secrets in it: they are masked wherever it is shown.
    fn weigh(&self, scales: Scales<'_>, operation: Operation, place: &Place, seen: &mut Seen) -> Weighed {
        let (mut prepared, judgement) = scales.weigh(operation, place, seen);
        prepared.assessment.secrets = secrets_of(&prepared.operation, &self.settings);
        Weighed { prepared, judgement, note: None }
    }

    /// A command that only reads as it is judged behind walls, and the command that puts it there. None where it isn't
    /// one, or no walls hold here, or its shell would have to remember it.
    fn behind_walls(
        &self,
        agent: &dyn Agent,
        operation: &Operation,
        place: &Place,
        manner: &Manner,
    ) -> Option<(Weighed, String)> {
        let OperationKind::Command(CommandOperation { command, .. }) = &operation.kind else { return None };
        let launcher = self.launcher.as_deref().filter(|_| self.enforceable.read_only_command)?;
        let scales = self.scales(agent);
        let weighed = self.weigh(scales.get(self.enforceable), operation.clone(), place, &mut Seen::default());
        let judgement = &weighed.judgement;
        let reads = judgement.step == Step::Whitelisted && judgement.verdict == Verdict::Allow;
        if !reads || judgement.containment != Containment::ReadOnly || !judgement.enforced {
            return None;
        }
        let commands = read(command, &weighed.prepared.facts, &self.settings);
        let steers = |word: &str| STEERING.contains(&word);
        if commands.iter().any(|command| command.words.first().and_then(|word| word.text()).is_none_or(steers)) {
            return None;
        }
        // Behind the walls it needs its own folder at least.
        let workspace = if place.cwd.starts_with(&place.workspace) { &place.workspace } else { &place.cwd };
        let mut words = vec![quoted(launcher.to_str()?)];
        for (option, value) in [("--config", manner.config.as_deref()), ("--workspace", Some(workspace.as_path()))] {
            if let Some(value) = value {
                words.extend([option.to_owned(), quoted(value.to_str()?)]);
            }
        }
        words.extend(["exec".to_owned(), "--command".to_owned(), quoted(command)]);
        Some((weighed, words.join(" ")))
    }

    fn contained(&self, mut weighed: Weighed, command: String, workspace: PathBuf, manner: &Manner) -> Thought {
        weighed.note = Some(CONTAINED.to_owned());
        let answer = self.answer(std::slice::from_ref(&weighed), manner);
        Thought { answer: Answer { command: Some(command), ..answer }, weighed: vec![weighed], workspace }
    }

    /// The answer to operations that were weighed: the worst of them decides, and every one of that sort is told.
    fn answer(&self, weighed: &[Weighed], manner: &Manner) -> Answer {
        let worst = weighed.iter().map(|one| badness(one.judgement.verdict)).max().unwrap_or(Opinion::Ask);
        let told = weighed.iter().filter(|one| badness(one.judgement.verdict) == worst);
        let mut sentences: Vec<String> = Vec::new();
        for sentence in told.map(derivation) {
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        if let Some(notice) = &self.notice {
            sentences.push(visible(notice));
        }
        let opinion = if worst == Opinion::Allow && manner.advise { Opinion::None } else { worst };
        Answer { opinion, ..Answer::ask(shortened(&format!("Countersign: {}", sentences.join(" ")))) }
    }

    fn scales(&self, agent: &dyn Agent) -> ScalesMaker<'_> {
        // A configuration of its own may make ripgrep read what git ignores.
        let configured = self.environment.iter().any(|(name, _)| name == "RIPGREP_CONFIG_PATH");
        let sparing = agent.searches_spare_ignored() && !configured;
        let searches = if sparing { Searches::Sparing } else { Searches::Everything };
        let path = self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| search_path(path));
        ScalesMaker { desk: self, path, searches }
    }
}

/// A call of an MCP server's tool: which server and which tool, as the agent says it, else as far as its name for it
/// tells.
fn foreign(named: &str, of: Option<&(String, String)>, arguments: &Value) -> McpOperation {
    let plain = named.strip_prefix(MCP).or_else(|| named.strip_prefix("mcp_")).unwrap_or(named);
    let guessed = || ["__", ":", "_"].iter().find_map(|between| plain.split_once(between)).unwrap_or(("", plain));
    let (server, tool) = of.map_or_else(guessed, |(server, tool)| (server, tool));
    let arguments = match arguments {
        Value::Object(arguments) => arguments.clone(),
        Value::Null => Map::new(),
        other => [("input".to_owned(), other.clone())].into_iter().collect(),
    };
    let server = if server.is_empty() { "of the agent" } else { server };
    McpOperation { server: server.to_owned(), tool: tool.to_owned(), arguments }
}

/// Where a call happens. The workspace is the agent's root, also for a call that is made elsewhere: where that is may
/// be the model's choice.
fn place(agent: &dyn Agent, call: &Call, environment: &[(OsString, OsString)], home: Option<&Path>) -> Place {
    let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let real = |folder: &Path| {
        let whole = here().join(folder);
        whole.canonicalize().unwrap_or(whole)
    };
    let variable = agent
        .root_variable()
        .and_then(|name| environment.iter().find(|(known, _)| known == name).map(|(_, folder)| PathBuf::from(folder)));
    let cwd = real(call.cwd.as_deref().unwrap_or(Path::new("")));
    let root = call.root.clone().or(variable).filter(|root| !root.as_os_str().is_empty());
    let workspace = root.map_or_else(|| cwd.clone(), |root| real(&root));
    Place { cwd, workspace, home: home.map(Path::to_path_buf) }
}

/// Makes scales that share one search path.
struct ScalesMaker<'a> {
    desk: &'a Desk,
    path: Option<OsString>,
    searches: Searches,
}

impl ScalesMaker<'_> {
    fn get(&self, enforceable: Enforceable) -> Scales<'_> {
        // A statement is never run by another agent's tools; nothing is enforced around it.
        Scales {
            settings: &self.desk.settings,
            policy: &self.desk.policy,
            enforceable: Enforceable { read_only_sql: false, staged_command: false, ..enforceable },
            search_path: self.path.as_deref(),
            searches: self.searches,
        }
    }
}

/// How bad a verdict is.
fn badness(verdict: Verdict) -> Opinion {
    match verdict {
        Verdict::Allow => Opinion::Allow,
        Verdict::Ask => Opinion::Ask,
        Verdict::Deny => Opinion::Deny,
    }
}

/// The derivation of one judgement: why, what else speaks against it, and which rule and step decided.
fn derivation(weighed: &Weighed) -> String {
    let Weighed { prepared, judgement, .. } = weighed;
    let others = prepared.assessment.objections().map(|finding| finding.sentence.as_str());
    let mut sentences = vec![judgement.reason.as_str()];
    for sentence in others {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    let basis = format!("[{}, step {}, {}]", rule(judgement, prepared), judgement.step.number(), judgement.risk);
    format!("{} {basis}", visible(&sentences.join(" ")))
}

/// A text in one line, with what can't be seen spelled out.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => visible.push(' '),
            '\'' | '"' | '\\' => visible.push(c),
            _ => visible.extend(c.escape_debug()),
        }
    }
    visible
}

/// A reason that isn't too long, and says how much is missing.
fn shortened(reason: &str) -> String {
    match reason.char_indices().nth(REASON) {
        None => reason.to_owned(),
        Some((at, _)) => format!("{} … ({} more characters)", &reason[..at], reason[at..].chars().count()),
    }
}
