//! `countersign run`: its options, and the message and the text that go to the model.

use std::io::{self, IsTerminal as _, Read};
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;
use secrecy::SecretString;

use super::Options;
use super::arguments::{Mode, provider_words, secret};
use super::start::Start;
use crate::config::{ConfigError, Environment, ProviderName};

/// What happens to a program's events is written down here.
const SCHEMA: &str = include_str!("../../assets/run-events.schema.json");
/// Most bytes that are read from standard input.
const MOST: u64 = 1024 * 1024;
/// How long standard input may be silent before it is said what is waited for.
const SILENCE: Duration = Duration::from_secs(3);

/// What it does, at length; its exit codes are those of [`crate::ui::End`].
pub(super) const HELP: &str = "\
Standard output gets the model's last message and nothing else; in a terminal all that the model
says, as it says it. Standard error says what was refused and what went wrong; in a terminal also
what ran.

What needs a confirmation is refused, and the model is told why. -y runs it, except catastrophes and
what a deny rule names.

Exit codes:
    0  the model came to its last message, and nothing was refused
    1  standard output can't be written, or the system gives no threads
    2  bad usage: a wrong option, no prompt, no model, a mistake in the configuration
    3  it came to its last message, but something was refused
    4  the model failed, or its answer is empty or cut off
    5  the journal can't be written: nothing runs without it
    6  a limit of the turn was reached
  130  interrupted (143 terminated, 129 hung up): children are ended
  141  nobody reads standard output any more

Examples:
  countersign run --model practice \"show the tables\"
  git diff | countersign run \"is anything dangerous in this?\"
  countersign run --continue \"and what about the tests?\"
  countersign run --json -y --max-calls 20 \"bring the changelog up to date\"";

/// Options of a run.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // options of a command line are independent
pub(super) struct RunOptions {
    /// What the model is asked; `-` reads it from standard input
    ///
    /// Without it, standard input is the prompt. With it, text that is piped in is attached to it, up to 1 MiB.
    #[arg(value_name = "PROMPT")]
    prompt: Option<String>,
    /// Write one event a line as JSON
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of these events, and leave
    #[arg(long)]
    schema: bool,
    /// What runs unasked; what would ask is refused
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Run what would ask, too, except catastrophes and what a deny rule names
    #[arg(short = 'y', long, conflicts_with = "mode")]
    allow_all: bool,
    /// A database: a URL, an SQLite file or the name of a connection; may be repeated
    #[arg(long = "db", value_name = "URL|NAME", value_parser = secret)]
    databases: Vec<SecretString>,
    /// A model: a name of the configuration, the provider's own name of it, or practice
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Who serves the model
    #[arg(long, value_name = "NAME", value_parser = provider_words(), hide_possible_values = true)]
    provider: Option<ProviderName>,
    /// Address of the provider, such as http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Folder to work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    workspace: Option<std::path::PathBuf>,
    /// Go on with a session, by its id; what waited in it is refused
    #[arg(long, value_name = "ID", conflicts_with = "go_on")]
    resume: Option<String>,
    /// Go on with the newest session of this workspace
    #[arg(long = "continue")]
    go_on: bool,
    /// Calls that the model may make before the run ends
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    max_calls: Option<u64>,
    /// Minutes after which no further message of the model is asked for
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_440))]
    max_minutes: Option<u64>,
    /// Tokens, read and written, after which no further message of the model is asked for
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1_000..=1_000_000_000))]
    max_tokens: Option<u64>,
}

/// What a run is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    /// The message.
    pub prompt: String,
    /// Text that was piped in with it.
    pub attached: Option<String>,
    /// Events for a program rather than text for a person.
    pub json: bool,
}

impl RunOptions {
    /// The schema, if that alone is wanted.
    pub(super) fn schema(&self) -> Option<&'static str> {
        self.schema.then_some(SCHEMA)
    }

    /// What a run starts from, and what it is to do. Reads standard input to its end where that is wanted.
    ///
    /// # Errors
    /// No model, no prompt, a mistake in the configuration, or an option that names nothing there is.
    pub(super) fn read(
        self,
        mut options: Options,
        environment: Environment<'_>,
    ) -> Result<(Start, Errand), ConfigError> {
        options.mode = self.mode.or(options.mode);
        options.allow_all |= self.allow_all;
        if options.allow_all && options.mode.is_some() {
            return Err(wrong("-y contradicts --mode; leave one of them away"));
        }
        options.databases.extend(self.databases);
        options.model = self.model.or(options.model);
        options.provider = self.provider.or(options.provider);
        options.base_url = self.base_url.or(options.base_url);
        options.workspace = self.workspace.or(options.workspace);
        options.resume = self.resume.or(options.resume);
        options.go_on |= self.go_on;
        if options.resume.is_some() && options.go_on {
            return Err(wrong("--resume contradicts --continue; leave one of them away"));
        }
        if options.resume.as_deref() == Some("") {
            return Err(wrong("nobody is there to pick a session: --resume ID names one, --continue takes the newest"));
        }
        let mut start = Start::read(&options, environment)?;
        if let Some(problem) = start.problems.first() {
            return Err(wrong(format!("{problem}\nNothing is run while the configuration has a mistake in it")));
        }
        if !start.settings.names_a_model(environment) {
            return Err(wrong(
                "no model is configured, and nobody is there to choose one. Name it with --provider and --model, set \
                 OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_HOST, or try it with --model practice",
            ));
        }
        let limits = &mut start.settings.limits;
        limits.calls = self.max_calls.unwrap_or(limits.calls);
        limits.minutes = self.max_minutes.unwrap_or(limits.minutes);
        limits.tokens = self.max_tokens.or(limits.tokens);
        let (prompt, attached) = words(self.prompt.as_deref(), io::stdin().is_terminal(), read_input)?;
        Ok((start, Errand { prompt, attached, json: self.json }))
    }
}

/// The prompt, and what is attached to it. `input` reads standard input.
fn words(
    prompt: Option<&str>,
    terminal: bool,
    input: impl Fn() -> Result<String, ConfigError>,
) -> Result<(String, Option<String>), ConfigError> {
    let said = match prompt {
        Some("-") => (input()?, None),
        None if !terminal => (input()?, None),
        None => {
            return Err(wrong("no prompt: say what the model is asked, as in: countersign run \"list the tables\""));
        }
        Some(prompt) if terminal => (prompt.to_owned(), None),
        Some(prompt) => (prompt.to_owned(), Some(input()?).filter(|text| !text.trim().is_empty())),
    };
    if said.0.trim().is_empty() {
        return Err(wrong("the prompt is empty: say what the model is asked"));
    }
    Ok(said)
}

/// Standard input to its end. Says so where that takes long: whoever started this may have left a pipe open.
fn read_input() -> Result<String, ConfigError> {
    let (sender, read) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let ended = io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes);
        // Nobody waits for it any more if the program is leaving.
        let _leaving = sender.send(ended.map(|_| bytes));
    });
    let bytes = read.recv_timeout(SILENCE).or_else(|_| {
        crate::say!("countersign: reading standard input to its end; `< /dev/null` if there is nothing to read");
        read.recv()
    });
    let bytes = match bytes {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return Err(wrong(format!("standard input can't be read ({error})"))),
        Err(_) => return Err(wrong("standard input can't be read")),
    };
    if bytes.len() as u64 > MOST {
        return Err(wrong("standard input is longer than 1 MiB; name a file in the prompt instead"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn wrong(sentence: impl Into<String>) -> ConfigError {
    ConfigError::Option(sentence.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(prompt: Option<&str>, terminal: bool, input: &str) -> Result<(String, Option<String>), String> {
        words(prompt, terminal, || Ok(input.to_owned())).map_err(|error| error.to_string())
    }

    #[test]
    fn a_prompt_comes_from_the_line_or_from_standard_input_and_both_go_together() {
        let pair = |prompt: &str, attached: Option<&str>| Ok((prompt.to_owned(), attached.map(str::to_owned)));
        assert_eq!(said(Some("look"), true, "never read"), pair("look", None));
        assert_eq!(said(Some("look"), false, "a log"), pair("look", Some("a log")));
        assert_eq!(said(Some("look"), false, " \n"), pair("look", None));
        assert_eq!(said(None, false, "look"), pair("look", None));
        assert_eq!(said(Some("-"), true, "look"), pair("look", None));
        assert!(said(None, true, "").unwrap_err().contains("no prompt"));
        assert!(said(None, false, "\n").unwrap_err().contains("empty"));
        assert!(said(Some(" "), true, "").unwrap_err().contains("empty"));
    }
}
