//! The grammar of the command line and its help text.

use std::convert::Infallible;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, ValueEnum};
use secrecy::SecretString;

use super::hook::HookArguments;
use crate::config::{Overrides, ProviderName};
use crate::domain::ApprovalMode;

const EXAMPLES: &str = "\
Examples:
  countersign
      Start here. The first start asks for a model; esc there tries the built-in practice model.
  countersign --db postgres://ann@localhost/shop
      Work on a database. --db also takes an SQLite file or the name of a connection.
  countersign --provider ollama --model qwen3 --workspace ~/project
      Talk to a local model about a project.
  countersign --base-url http://127.0.0.1:8080/v1 --model local
      Use any server that speaks OpenAI's format.
  countersign --continue
      Go on with the newest session of this workspace.
  countersign --mode strict
      Ask before everything.
  countersign run --model practice \"show the tables\"
      Let a model do one thing without a person: in scripts and CI.
  echo '{\"id\":1,\"tool\":\"execute_command\",\"arguments\":{\"command\":\"ls\"}}' | countersign assess
      Ask what would happen, without running anything.
  countersign journal show --since 1d
      Look at what was decided since yesterday, by whom or what, and how it ended.

The first start asks for a model, and `countersign setup` asks again. Keys come from OPENAI_API_KEY,
ANTHROPIC_API_KEY, … or from where the configuration says; `countersign config path` says where that is.";

/// A URL may hold a password: it is never printed by `Debug`.
#[allow(clippy::unnecessary_wraps)] // clap wants a result
pub(super) fn secret(text: &str) -> Result<SecretString, Infallible> {
    Ok(text.into())
}

/// A terminal for language models whose every tool call is judged, and countersigned where it could harm.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// The options.
    #[command(flatten)]
    pub options: Options,
    /// A subcommand; without one the screen opens.
    #[command(subcommand)]
    pub(super) command: Option<Subcommand>,
}

/// Options of a session.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// What runs unasked
    #[arg(long, value_enum)]
    pub(super) mode: Option<Mode>,
    /// Run everything unasked, except catastrophes and what a deny rule names
    #[arg(short = 'y', long, conflicts_with = "mode")]
    pub allow_all: bool,
    /// A database: a URL, an SQLite file or the name of a connection; may be repeated
    #[arg(long = "db", value_name = "URL|NAME", value_parser = secret)]
    pub databases: Vec<SecretString>,
    /// A model: a name of the configuration, or the provider's own name of it
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Who serves the model: openai, anthropic, gemini, openrouter, ollama, …
    #[arg(long, value_name = "NAME", value_parser = provider_words(), hide_possible_values = true)]
    pub(super) provider: Option<ProviderName>,
    /// Address of the provider, such as http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Folder to work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Configuration file to read instead of the usual one
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Go on with a session: by its id, or picked from a list
    ///
    /// Where there is no terminal to pick on, it is the newest.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "go_on")]
    pub resume: Option<String>,
    /// Go on with the newest session of this workspace
    #[arg(long = "continue")]
    pub go_on: bool,
    /// Plain lines instead of a screen: for screen readers and pipes
    #[arg(long)]
    pub linear: bool,
    /// Colours
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
}

/// What can be done without the screen.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Subcommand {
    /// Let a model do one thing without a person: no screen, no questions
    #[command(after_help = super::run::HELP)]
    Run(Box<super::run::RunOptions>),
    /// Judge tool calls without running them: a command line, or JSON Lines in and out
    ///
    /// Goes by the defaults, or by the configuration that --config names; never by the usual file.
    #[command(after_help = super::assess::HELP)]
    Assess {
        /// The mode that decides [default: guarded]
        #[arg(long, value_enum)]
        mode: Option<Mode>,
        /// Say how each decision came about
        #[arg(long)]
        explain: bool,
        /// Judge as the screen would here, with what this machine enforces around commands
        ///
        /// Without it nothing counts as enforced, since whoever reads the answer runs the call without our walls: what
        /// runs only staged asks. With it, what is enforced is found out once and kept.
        #[arg(long)]
        contained: bool,
        /// A command line to judge, answered in words; without one, lines of JSON are read
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
    /// Answer another agent's hook, or have it ask us: Claude Code, Codex, Copilot, Cursor, Gemini CLI
    Hook(HookArguments),
    /// Run one command that only reads, behind walls, and pass its output through
    ///
    /// What isn't clearly read-only is refused (exit 126). It has no input; its exit code is passed on.
    Exec {
        /// The command line, as bash gets it
        #[arg(long, value_name = "LINE", conflicts_with = "words", required_unless_present = "words")]
        command: Option<String>,
        /// The words of one command
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORD")]
        words: Vec<String>,
    },
    /// Choose provider, model and mode on one page
    ///
    /// Writes them into the configuration, and keeps everything else in it, comments too. Keys are only named there.
    Setup,
    /// Say what works here and what doesn't, and what to do
    ///
    /// Fails if something that is needed is broken. Asks nobody beyond this machine, except databases that --db names.
    Doctor {
        /// Ask models and databases on other machines, too
        #[arg(long)]
        connect: bool,
        /// Tell it as JSON
        #[arg(long)]
        json: bool,
        /// A database to look at: a URL, an SQLite file or the name of a connection; may be repeated
        #[arg(long = "db", value_name = "URL|NAME", value_parser = secret)]
        databases: Vec<SecretString>,
    },
    /// Sessions that were left: list, search, show, export, delete
    Sessions {
        /// What to do with them.
        #[command(subcommand)]
        command: Option<super::sessions::Command>,
        /// JSON instead of text
        #[arg(long, global = true)]
        json: bool,
    },
    /// What was decided and done, by whom or what, and how it ended: the audit log
    Journal {
        /// What to do with it.
        #[command(subcommand)]
        command: super::journal::JournalCommand,
    },
    /// What you told it to remember: "don't ask again" and "never again"
    Rules {
        /// What to do with it.
        #[command(subcommand)]
        command: super::rules::RulesCommand,
    },
    /// Show the settings and MCP servers that the workspace brings along, and trust them as they are
    ///
    /// `.countersign/config.toml` of a workspace can only tighten, and no server of its `.mcp.json` or
    /// `.countersign/mcp.json` is started, until you trust the file. A change of the file ends that.
    Trust {
        /// The beginning of the digest that is printed with the file: trusts exactly that content
        digest: Option<String>,
        /// No longer trust it
        #[arg(long, conflicts_with = "digest")]
        revoke: bool,
    },
    /// MCP servers: other people's tools, each call of which asks
    ///
    /// They are written down in mcp.json beside the configuration, as other clients do: { "mcpServers": { … } }.
    Mcp {
        /// What to do with them.
        #[command(subcommand)]
        command: McpCommand,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page, or that of a subcommand
    Man {
        /// The subcommand, and one of its own
        command: Vec<String>,
    },
    /// The configuration
    Config {
        /// What to do with it.
        #[command(subcommand)]
        command: ConfigCommand,
    },
}

/// What can be done with MCP servers.
#[derive(Clone, Debug, PartialEq, Eq, clap::Subcommand)]
pub(super) enum McpCommand {
    /// List the servers; starts none
    List,
    /// List the tools of a server, or of all
    Tools {
        /// Its name
        server: Option<String>,
    },
    /// Start a server, and say whether it works
    Test {
        /// Its name
        server: String,
    },
    /// Take servers from the files of Claude, Cursor, VS Code and Gemini CLI, each approved by itself
    Import {
        /// A file with `mcpServers` or `servers` [default: the places where those keep them]
        files: Vec<std::path::PathBuf>,
        /// Approve the server of this name; may be repeated
        #[arg(long, value_name = "NAME")]
        yes: Vec<String>,
    },
    /// Take a server out of mcp.json
    Remove {
        /// Its name
        server: String,
    },
}

/// What can be done with the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Subcommand)]
pub(super) enum ConfigCommand {
    /// Print where the configuration file is
    Path,
    /// Print what holds, with secrets masked
    Show,
    /// Say what is wrong with it, with line and column
    Check,
    /// Open it in $VISUAL or $EDITOR, making it if there is none, and check it afterwards
    Edit,
    /// Let own files count again that changed while a command ran; look at them first
    Accept,
}

/// The modes as words of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Mode {
    /// Everything asks
    Strict,
    /// What clearly only reads runs, low risk on a copy; the rest asks (the default)
    Guarded,
    /// What the model calls low risk runs too
    Smart,
    /// Everything runs, except catastrophes and what a deny rule names
    AllowAll,
}

impl From<Mode> for ApprovalMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Strict => Self::Strict,
            Mode::Guarded => Self::Guarded,
            Mode::Smart => Self::Smart,
            Mode::AllowAll => Self::AllowAll,
        }
    }
}

/// The providers as words of the command line.
pub(super) fn provider_words() -> impl TypedValueParser<Value = ProviderName> {
    PossibleValuesParser::new(ProviderName::all().map(ProviderName::word))
        .map(|word| ProviderName::named(&word).unwrap_or(ProviderName::Practice))
}

impl Options {
    /// The mode that the options ask for.
    pub(super) fn approval_mode(&self) -> Option<ApprovalMode> {
        if self.allow_all { Some(ApprovalMode::AllowAll) } else { self.mode.map(Into::into) }
    }

    /// The same options for a new session.
    pub(super) fn without_session(&self) -> Self {
        Self { resume: None, go_on: false, ..self.clone() }
    }

    /// Whether they say how to work, beyond where and how it looks.
    pub(super) fn says_something(&self) -> bool {
        self.approval_mode().is_some() || self.model.is_some() || self.provider.is_some() || self.base_url.is_some()
    }

    /// The options in the configuration's terms.
    pub(super) fn overrides(&self) -> Overrides {
        Overrides {
            mode: self.approval_mode(),
            databases: self.databases.clone(),
            model: self.model.clone(),
            provider: self.provider,
            base_url: self.base_url.clone(),
            theme: self.theme.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_grammar_is_consistent_and_the_help_names_every_option() {
        Cli::command().debug_assert();
        let help = Cli::command().render_help().to_string();
        for word in [
            "--mode",
            "-y, --allow-all",
            "--db",
            "--model",
            "--provider",
            "--base-url",
            "--workspace",
            "--config",
            "--theme",
            "--linear",
            "--resume",
            "--continue",
            "--version",
            "--help",
            "assess",
            "sessions",
            "config",
            "Examples:",
        ] {
            assert!(help.contains(word), "{word} is missing:\n{help}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 120), "{help}");
    }

    #[test]
    fn allow_all_contradicts_a_mode() {
        assert!(Cli::try_parse_from(["countersign", "-y", "--mode", "strict"]).is_err());
        assert!(Cli::try_parse_from(["countersign", "--mode", "smrt"]).unwrap_err().to_string().contains("smart"));
    }

    #[test]
    fn examples_of_the_help_can_be_typed() {
        for line in EXAMPLES.lines().filter_map(|line| line.strip_prefix("  countersign")) {
            // What stands between quotes is one word.
            let parts = line.split('"').enumerate().flat_map(|(at, part)| match at % 2 {
                0 => part.split_whitespace().collect::<Vec<_>>(),
                _ => vec![part],
            });
            let words = std::iter::once("countersign").chain(parts);
            assert!(Cli::try_parse_from(words).is_ok(), "{line}");
        }
    }
}
