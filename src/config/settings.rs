//! What the configuration says, typed. No secret is in here in the clear, and none comes out by `Debug`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::file;
use super::{Connection, Folders, ModelSettings, Problem};
use crate::domain::{self, Amount, ApprovalMode, Policy, Remembered, Rule};
use crate::private::Touched;

/// What one run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Default time limit of a command, a query or a request, in seconds.
    pub time_limit: u64,
    /// About how many bytes of a result the model reads.
    pub output: u64,
    /// Calls, minutes and tokens that one turn may use before the person is asked to go on; none for tokens means no
    /// limit.
    pub calls: u64,
    /// Minutes.
    pub minutes: u64,
    /// Tokens.
    pub tokens: Option<u64>,
    /// What one turn may cost, by the prices of the configuration; none means no limit.
    pub cost: Option<Amount>,
    /// Bytes of what an operation prints that are kept on disk.
    pub kept_output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let kept_output = 256 * 1024 * 1024;
        Self { time_limit: 120, output: 10 * 1024, kept_output, calls: 50, minutes: 30, tokens: None, cost: None }
    }
}

/// What counts as production.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Production {
    /// Words within names, and globs over whole names: connections, databases, hosts, clusters, accounts.
    pub patterns: Vec<String>,
    /// Globs of the branches that are protected.
    pub branches: Vec<String>,
}

impl Default for Production {
    fn default() -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Self { patterns: texts(&domain::PRODUCTION), branches: texts(&domain::PROTECTED) }
    }
}

/// How long the journal keeps what sessions say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Days since a session's latest entry; none for ever.
    pub days: Option<u64>,
}

impl Default for Retention {
    fn default() -> Self {
        Self { days: Some(365) }
    }
}

/// Everything that the configuration file can say.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The mode.
    pub mode: ApprovalMode,
    /// The model that is used: `[provider]`, or the named one that `model` chooses. None means that the
    /// environment decides, and practice takes over where it says nothing.
    pub provider: Option<ModelSettings>,
    /// Models by name.
    pub models: BTreeMap<String, ModelSettings>,
    /// Databases by name.
    pub connections: BTreeMap<String, Connection>,
    /// Names of the connections that the command line opened.
    pub opened: Vec<String>,
    /// The connection that is used when none is named.
    pub default_connection: Option<String>,
    /// Globs of further sensitive paths.
    pub sensitive: Vec<String>,
    /// Hosts that the person named.
    pub hosts: BTreeSet<String>,
    /// Hosts that staged commands may reach, each with its port.
    pub staged_hosts: BTreeSet<String>,
    /// True if catastrophes ask, rather than being denied.
    pub catastrophes_ask: bool,
    /// Rules, none of them objectionable.
    pub rules: Vec<Rule>,
    /// What the person decided for later.
    pub remembered: Vec<Remembered>,
    /// Whether some of that can't be read.
    pub rules_broken: bool,
    /// What counts as production.
    pub production: Production,
    /// Limits of one run.
    pub limits: Limits,
    /// What becomes of old sessions.
    pub retention: Retention,
    /// Name of the theme, or the path of one of the person's own.
    pub theme: Option<String>,
    /// How the person is told while the terminal hasn't the focus, unless as its terminal usually is.
    pub notify: Option<Notify>,
    /// Name of the keymap, or the path of one of the person's own.
    pub keymap: Option<PathBuf>,
}

/// How a person who looks at something else is told that something waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notify {
    /// Not at all.
    Off,
    /// By the terminal's bell.
    Bell,
    /// By OSC 9, as iTerm2, WezTerm, kitty, Ghostty and Windows Terminal understand it.
    Osc9,
    /// By OSC 777, as foot, urxvt and Ghostty understand it.
    Osc777,
}

impl Notify {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::Off, Self::Bell, Self::Osc9, Self::Osc777];

    /// Its word in the configuration.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Bell => "bell",
            Self::Osc9 => "osc9",
            Self::Osc777 => "osc777",
        }
    }
}

impl Settings {
    /// Reads the configuration file. With any problem the mode is strict, and what would loosen anything is
    /// left out: allow rules, the line about catastrophes and hosts for staged commands.
    #[must_use]
    pub fn load(folders: &Folders) -> (Self, Vec<Problem>) {
        if let Some(why) = Touched::at(&folders.data).why_not(&folders.config) {
            return (Self::strict(), vec![Problem::whole(&folders.config, format!("{why}."))]);
        }
        let text = match file::read(&folders.config) {
            Ok(Some(text)) => text,
            Ok(None) if folders.config_named => {
                let sentence = "there is no such file. Create it, or leave `--config` and COUNTERSIGN_CONFIG away.";
                return (Self::strict(), vec![Problem::whole(&folders.config, sentence)]);
            }
            Ok(None) => return (Self::default(), Vec::new()),
            Err(problem) => return (Self::strict(), vec![problem]),
        };
        Self::parse(&text, folders)
    }

    /// The settings that ask for everything.
    fn strict() -> Self {
        Self { mode: ApprovalMode::Strict, ..Self::default() }
    }

    /// What the gate decides by.
    #[must_use]
    pub fn policy(&self) -> Policy {
        Policy {
            mode: self.mode,
            rules: self.rules.clone(),
            remembered: self.remembered.clone(),
            rules_broken: self.rules_broken,
            now: seconds(),
            deny_catastrophes: !self.catastrophes_ask,
            named_hosts: self.hosts.clone(),
        }
    }

    /// Globs of sensitive paths: the configured ones and the program's own places.
    #[must_use]
    pub fn sensitive_globs(&self, folders: &Folders) -> Vec<String> {
        self.sensitive.iter().cloned().chain(folders.own_globs()).collect()
    }
}

/// Seconds since 1970 by the wall's clock.
fn seconds() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
