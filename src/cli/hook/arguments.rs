//! The command line of `countersign hook`.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::{Manner, Scope};
use crate::agents::{ALL, Agent, named};
use crate::cli::{BAD_USAGE, Options};
use crate::config::{Folders, process_environment};

/// What `countersign hook` takes.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct HookArguments {
    /// The agent whose call is on standard input
    #[arg(value_name = "AGENT", value_parser = agents())]
    agent: Option<String>,
    #[command(flatten)]
    manner: MannerArguments,
    #[command(subcommand)]
    command: Option<HookCommand>,
}

/// How a hook answers.
#[derive(Args, Clone, Copy, Debug)]
pub(in crate::cli) struct MannerArguments {
    /// Have no opinion where it would allow: the agent's own rules decide
    #[arg(long)]
    advise: bool,
    /// Run commands that only read behind our walls, by way of `countersign exec`
    ///
    /// For agents whose hooks can put another command in the place of their own: Claude Code, Gemini CLI, Copilot.
    #[arg(long)]
    contain: bool,
    /// Leave to the agent's own approvals what its hook can't ask about; without it that is refused
    #[arg(long)]
    leave_asking: bool,
}

/// What can be done with hooks beside answering.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum HookCommand {
    /// Have an agent ask us: shows the change of its settings, and writes it after a yes
    Install {
        /// The agent
        #[arg(value_name = "AGENT", value_parser = agents())]
        agent: String,
        /// In the project of the current folder alone
        #[arg(long)]
        project: bool,
        /// Write without asking
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        manner: MannerArguments,
    },
    /// Take back exactly what was installed
    Uninstall {
        /// The agent
        #[arg(value_name = "AGENT", value_parser = agents())]
        agent: String,
        /// In the project of the current folder
        #[arg(long)]
        project: bool,
        /// Write without asking
        #[arg(long)]
        yes: bool,
    },
    /// Say which agents ask us, and where that is written
    Status,
}

fn agents() -> PossibleValuesParser {
    PossibleValuesParser::new(ALL.map(Agent::name))
}

impl HookArguments {
    /// Does it.
    pub(in crate::cli) fn run(self, options: &Options) -> ExitCode {
        let folders = Folders::find(options.config.as_deref(), &process_environment);
        let manner = |given: MannerArguments| Manner {
            advise: given.advise,
            contain: given.contain,
            leave_asking: given.leave_asking,
            config: options.config.as_deref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.into())),
        };
        let scope = |project: bool| if project { Scope::Project } else { Scope::Person };
        let command = match (self.command, self.agent.as_deref().and_then(named)) {
            (Some(command), _) => command,
            (None, Some(agent)) => return super::run(agent, manner(self.manner), folders),
            (None, None) => {
                crate::say!(
                    "countersign: name an agent ({}), or install, uninstall or status",
                    ALL.map(Agent::name).join(", ")
                );
                return ExitCode::from(BAD_USAGE);
            }
        };
        let done = folders.map_err(|error| error.to_string()).and_then(|folders| {
            let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
            let about = (&folders, &process_environment as crate::config::Environment<'_>);
            let streams = (&mut input as &mut dyn std::io::BufRead, &mut output as &mut dyn std::io::Write);
            let unknown = || "there is no such agent".to_owned();
            match command {
                HookCommand::Install { agent, project, yes, manner: given } => {
                    let agent = named(&agent).ok_or_else(unknown)?;
                    super::install(agent, (scope(project), yes), &manner(given), about, streams)
                }
                HookCommand::Uninstall { agent, project, yes } => {
                    super::uninstall(named(&agent).ok_or_else(unknown)?, (scope(project), yes), about, streams)
                }
                HookCommand::Status => super::status(about.0, about.1, streams.1),
            }
        });
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                crate::say!("countersign: {why}");
                ExitCode::FAILURE
            }
        }
    }
}
