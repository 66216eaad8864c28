//! The command line and its subcommands. Reads arguments and the configuration, does what needs no screen
//! itself, and hands `main` the rest as a [`Task`].

mod again;
mod arguments;
pub mod assess;
mod calls;
pub mod child;
mod config;
mod doctor;
mod edit;
pub mod exec;
mod explanation;
pub mod hook;
mod journal;
mod keeper;
mod kept;
mod known;
mod mcp;
mod rules;
mod run;
mod searched;
mod sessions;
mod shells;
mod start;
mod terms;
mod trust;
mod warden;
pub mod weigh;
mod worded;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

pub use arguments::{Cli, Options};
use arguments::{ConfigCommand, Subcommand};
pub use assess::assess;
use known::known;
pub use mcp::places;
use rules::RulesCommand;
pub use run::Errand;
pub use sessions::{Which, ago, named, now_ms};
pub use start::{Asking, Start};
pub use terms::Terms;

use crate::config::{ConfigError, Folders, process_environment};
use crate::memory::Rules;

/// Exit code for a wrong option, as clap's own.
const BAD_USAGE: u8 = 2;

/// What is left for `main` to do.
#[derive(Debug)]
pub enum Task {
    /// Open the screen.
    Session(Box<Start>),
    /// Let a model do one thing, with nobody there.
    Run(Box<Start>, Errand),
    /// Judge calls from standard input.
    Assess(Box<Terms>),
    /// Nothing: it is done.
    Done(ExitCode),
}

/// Reads the command line. Prints help, version or a mistake and leaves, where that is asked for.
#[must_use]
pub fn parse() -> Cli {
    Cli::parse()
}

/// Does what needs no screen, and says what is left.
#[must_use]
pub fn dispatch(cli: Cli) -> Task {
    let mut options = cli.options;
    let done = match cli.command {
        None => Start::read(&options, &process_environment).map(|start| Task::Session(Box::new(start))),
        Some(Subcommand::Setup) => Start::read(&options, &process_environment)
            .map(|start| Task::Session(Box::new(start.asking(Asking::Again)))),
        Some(Subcommand::Run(run)) => {
            if let Some(schema) = run.schema() {
                let printed = std::io::stdout().write_all(schema.as_bytes());
                return Task::Done(ExitCode::from(u8::from(printed.is_err())));
            }
            run.read(options, &process_environment).map(|(start, errand)| {
                // Nobody is there to be asked about the folder, nor about a model.
                let mut start = start.asking(Asking::Never);
                start.unknown = false;
                Task::Run(Box::new(start), errand)
            })
        }
        Some(Subcommand::Assess { mode, explain, contained, command }) => {
            let mode = mode.map_or_else(|| options.approval_mode(), |mode| Some(mode.into()));
            Terms::read(&options, mode, (explain, contained), &process_environment).map(|(terms, notice)| {
                if let Some(notice) = notice {
                    crate::say!("countersign: {notice}");
                }
                match command {
                    Some(command) => Task::Done(worded::assess(terms, &command)),
                    None => Task::Assess(Box::new(terms)),
                }
            })
        }
        Some(Subcommand::Doctor { databases, connect, json }) => {
            options.databases.extend(databases);
            doctor::task(&options, connect, json).map(Task::Done)
        }
        Some(Subcommand::Sessions { command, json }) => sessions::run(&options, command, json).map(Task::Done),
        Some(Subcommand::Journal { command }) => journal::run(command, &mut options).map(Task::Done),
        Some(Subcommand::Rules { command }) => rules_task(&options, &command),
        Some(Subcommand::Trust { digest, revoke }) => trust_task(&options, digest.as_deref(), revoke).map(Task::Done),
        Some(Subcommand::Mcp { command }) => {
            Start::read(&options, &process_environment).and_then(|start| mcp::run(&command, &start)).map(Task::Done)
        }
        Some(Subcommand::Hook(hook)) => return Task::Done(hook.run(&options)),
        Some(Subcommand::Exec { command, words }) => Start::read(&options, &process_environment)
            .map(|start| Task::Done(exec::exec(&start, exec::command_line(command, &words)))),
        Some(Subcommand::Completions { shell }) => {
            Ok(Task::Done(shells::completions(shell, &mut std::io::stdout().lock())))
        }
        Some(Subcommand::Man { command }) => shells::man(&command, &mut std::io::stdout().lock()).map(Task::Done),
        Some(Subcommand::Config { command }) => config_task(&options, command).map(Task::Done),
    };
    done.unwrap_or_else(|error| {
        crate::say!("countersign: {error}");
        Task::Done(ExitCode::from(BAD_USAGE))
    })
}

/// A runtime for a command, which ends with it.
fn runtime() -> Result<tokio::runtime::Runtime, ConfigError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| ConfigError::Option(format!("no runtime could be started ({error})")))
}

fn config_task(options: &Options, command: ConfigCommand) -> Result<ExitCode, ConfigError> {
    let folders = Folders::find(options.config.as_deref(), &process_environment)?;
    Ok(config::run(command, &folders, &mut std::io::stdout().lock()))
}

fn rules_task(options: &Options, command: &RulesCommand) -> Result<Task, ConfigError> {
    let folders = Folders::find(options.config.as_deref(), &process_environment)?;
    let mut out = std::io::stdout().lock();
    let printed = match command {
        RulesCommand::List { json } => rules::list(&folders, *json, &mut out),
        RulesCommand::Revoke { rule } => rules::revoke(&folders, rule, &mut out),
        RulesCommand::Test { rule: Some(rule) } => {
            drop(out);
            return journal::covered(options, &folders, rule).map(Task::Done);
        }
        RulesCommand::Test { rule: None } => {
            let mode = options.approval_mode();
            let (mut terms, notice) = Terms::read(options, mode, (false, false), &process_environment)?;
            let (remembered, wrong) = Rules::at(&folders.data).load();
            for said in notice.into_iter().chain(wrong) {
                crate::say!("countersign: {said}");
            }
            (terms.policy.remembered, terms.policy.now) = (remembered, rules::now());
            return Ok(Task::Assess(Box::new(terms)));
        }
    };
    Ok(Task::Done(printed.unwrap_or(ExitCode::FAILURE)))
}

fn trust_task(options: &Options, digest: Option<&str>, revoke: bool) -> Result<ExitCode, ConfigError> {
    let folders = Folders::find(options.config.as_deref(), &process_environment)?;
    let workspace = start::workspace(options.workspace.as_deref())?;
    let printed = trust::trust(&folders, &workspace, digest, revoke, &mut std::io::stdout().lock());
    Ok(printed.unwrap_or(ExitCode::FAILURE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ApprovalMode;

    fn run(words: &[&str]) -> Task {
        dispatch(Cli::try_parse_from(words.iter().copied()).unwrap())
    }

    #[test]
    fn assess_takes_its_mode_from_either_side_and_is_guarded_without() {
        for (words, wanted) in [
            (&["countersign", "assess"][..], ApprovalMode::Guarded),
            (&["countersign", "assess", "--mode", "smart"], ApprovalMode::Smart),
            (&["countersign", "--mode", "strict", "assess"], ApprovalMode::Strict),
            (&["countersign", "-y", "assess"], ApprovalMode::AllowAll),
        ] {
            let Task::Assess(terms) = run(words) else { panic!("{words:?}") };
            assert_eq!(terms.policy.mode, wanted, "{words:?}");
        }
    }
}
