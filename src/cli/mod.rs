//! The command line and its subcommands. Reads arguments and the configuration, does what needs no screen
//! itself, and hands `main` the rest as a [`Task`].

mod arguments;
pub mod child;
mod config;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser as _;

pub use arguments::{Cli, Options};
use arguments::{ConfigCommand, Subcommand};

use crate::config::{ConfigError, Folders, Problem, Settings, process_environment};
use crate::domain::ApprovalMode;

/// Exit code for a wrong option, as clap's own.
const BAD_USAGE: u8 = 2;

/// What is left for `main` to do.
#[derive(Debug)]
pub enum Task {
    /// Open the screen.
    Session(Box<Start>),
    /// Judge calls from standard input.
    Assess {
        /// The mode that decides.
        mode: ApprovalMode,
        /// Print the derivation.
        explain: bool,
    },
    /// Nothing: it is done.
    Done(ExitCode),
}

/// Everything that a session starts from.
#[derive(Debug)]
pub struct Start {
    /// The configuration with the command line on top.
    pub settings: Settings,
    /// What is wrong with the file; the screen shows [`Problem::notice`] of it.
    pub problems: Vec<Problem>,
    /// Where the program's files are.
    pub folders: Folders,
    /// Root of the workspace, resolved.
    pub workspace: PathBuf,
}

/// Reads the command line. Prints help, version or a mistake and leaves, where that is asked for.
#[must_use]
pub fn parse() -> Cli {
    Cli::parse()
}

/// Does what needs no screen, and says what is left.
#[must_use]
pub fn dispatch(cli: Cli) -> Task {
    let options = cli.options;
    let done = match cli.command {
        None => start(&options).map(|start| Task::Session(Box::new(start))),
        Some(Subcommand::Assess { mode, explain }) => {
            let mode = mode.map_or_else(|| options.approval_mode(), |mode| Some(mode.into()));
            Ok(Task::Assess { mode: mode.unwrap_or_default(), explain })
        }
        Some(Subcommand::Config { command }) => config_task(&options, command).map(Task::Done),
    };
    done.unwrap_or_else(|error| {
        eprintln!("countersign: {error}");
        Task::Done(ExitCode::from(BAD_USAGE))
    })
}

fn config_task(options: &Options, command: ConfigCommand) -> Result<ExitCode, ConfigError> {
    let folders = Folders::find(options.config.as_deref(), &process_environment)?;
    Ok(config::run(command, &folders, &mut std::io::stdout().lock()))
}

/// Reads the configuration and applies the options.
fn start(options: &Options) -> Result<Start, ConfigError> {
    let folders = Folders::find(options.config.as_deref(), &process_environment)?;
    let workspace = workspace(options.workspace.as_deref())?;
    let (settings, problems) = Settings::load(&folders);
    let settings = settings.overridden(&options.overrides(), &problems)?;
    Ok(Start { settings, problems, folders, workspace })
}

/// The workspace: the folder named, else the one the program was started in.
fn workspace(named: Option<&Path>) -> Result<PathBuf, ConfigError> {
    let folder = named.unwrap_or(Path::new("."));
    let wrong = |why: String| ConfigError::Option(format!("the workspace {} {why}", folder.display()));
    let real = folder.canonicalize().map_err(|error| wrong(format!("can't be opened ({error})")))?;
    if real.is_dir() { Ok(real) } else { Err(wrong("is not a folder".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let Task::Assess { mode, .. } = run(words) else { panic!("{words:?}") };
            assert_eq!(mode, wanted, "{words:?}");
        }
    }

    #[test]
    fn a_session_starts_from_the_file_and_the_options() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, "mode = 'smart'\ntheme = 'dark'\n").unwrap();
        let (file, folder) = (file.to_str().unwrap(), folder.path().to_str().unwrap());
        let words = ["countersign", "--config", file, "--workspace", folder, "--db", "shop.db", "--theme", "light"];
        let Task::Session(start) = run(&words) else { panic!("no session") };
        assert_eq!(start.settings.mode, ApprovalMode::Smart);
        assert_eq!(start.settings.theme.as_deref(), Some("light"));
        assert_eq!(start.settings.default_connection.as_deref(), Some("shop"));
        assert!(start.problems.is_empty() && start.workspace.is_dir());
    }

    #[test]
    fn a_typo_in_the_file_still_starts_a_session_that_asks() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, "moed = 'smart'\n").unwrap();
        let Task::Session(start) = run(&["countersign", "-y", "--config", file.to_str().unwrap()]) else {
            panic!("no session")
        };
        assert_eq!(start.settings.mode, ApprovalMode::Strict);
        assert!(Problem::notice(&start.problems).unwrap().contains("Did you mean `mode`?"));
    }

    #[test]
    fn a_workspace_that_is_no_folder_is_bad_usage() {
        assert!(workspace(Some(Path::new("/nonexistent"))).is_err());
        assert!(workspace(Some(Path::new("Cargo.toml"))).unwrap_err().to_string().contains("not a folder"));
    }
}
