//! What a session starts from, in the terms of the tools: workspace, workbench and connections.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use secrecy::ExposeSecret as _;

use super::Options;
use super::kept::kept;
use super::sessions::{Which, which};
use crate::assess::{AssessSettings, Own, Production, Sensitive};
use crate::config::{
    ConfigError, Connection, Environment, Folders, Problem, Settings, UrlSource, process_environment, stricter,
};
use crate::contain::Walls;
use crate::domain::ApprovalMode;
use crate::memory::{Rules, Trusted, Workspaces, inside};
use crate::store::{Images, Layers, Listed, Outputs, Session};
use crate::tools::{Connections, Database, OwnFiles, Results, Workbench};

/// The settings that a workspace brings along.
pub(super) const WORKSPACE_SETTINGS: &str = ".countersign/config.toml";
/// Largest file of them, in bytes.
pub(super) const SETTINGS_CAP: u64 = 64 * 1024;

/// Whether the session begins with the page of the first start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// There is a configuration, something was said, or the person wanted nothing of it.
    Never,
    /// It is the first start.
    First,
    /// The person asked for it.
    Again,
}

/// Everything that a session starts from.
#[derive(Debug)]
pub struct Start {
    /// Whether it begins with the page of the first start.
    pub setup: Asking,
    /// The configuration with the command line on top.
    pub settings: Settings,
    /// What is wrong with the file; the screen shows [`Problem::notice`] of it.
    pub problems: Vec<Problem>,
    /// Where the program's files are.
    pub folders: Folders,
    /// Root of the workspace, resolved.
    pub workspace: PathBuf,
    /// What the journal says of the session; what is kept beside it lies in folders of its id.
    pub session: Session,
    /// What operations replace, for undo.
    pub images: Arc<Images>,
    /// Where what staged runs change lands.
    pub layers: Arc<Layers>,
    /// Plain lines instead of a screen.
    pub linear: bool,
    /// What operations print.
    pub outputs: Arc<Outputs>,
    /// What the person is told of the workspace's own settings and of what is remembered.
    pub notices: Vec<String>,
    /// Whether the person never said yes to this folder, nor named it.
    pub unknown: bool,
    /// Which session it is: a new one, or one that was left.
    pub which: Which,
    options: Options,
}

impl Start {
    /// Reads the configuration and applies the options.
    ///
    /// # Errors
    /// An option that names nothing there is. A mistake in the file is none: it is among the problems.
    pub(super) fn read(options: &Options, environment: Environment<'_>) -> Result<Self, ConfigError> {
        let folders = Folders::find(options.config.as_deref(), environment)?;
        let screen = !options.linear && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let which = which(options, &folders, screen)?;
        Self::open(options, folders, which)
    }

    /// The same for another session: a new one in the same workspace, or one that was left.
    ///
    /// # Errors
    /// The session's workspace isn't there any more, or the configuration can't be used.
    pub fn another(&self, which: Which) -> Result<Self, ConfigError> {
        let mut start = Self::open(&self.options, self.folders.clone(), which)?;
        if matches!(start.which, Which::New) && start.workspace != self.workspace {
            let options = Options { workspace: Some(self.workspace.clone()), ..self.options.clone() };
            start = Self::open(&options, self.folders.clone(), Which::New)?;
        }
        // Who gets to another session was asked before.
        Ok(Self { unknown: false, setup: Asking::Never, ..start })
    }

    fn open(options: &Options, folders: Folders, which: Which) -> Result<Self, ConfigError> {
        let (workspace, session) = match &which {
            Which::New | Which::Pick => {
                let workspace = workspace(options.workspace.as_deref())?;
                (workspace.clone(), Session::new(&workspace))
            }
            Which::Left(listed) => {
                let workspace = left_in(listed, options.workspace.as_deref())?;
                let (id, agent) = (listed.id.as_str().into(), listed.agent.clone());
                (workspace.clone(), Session { id, workspace, agent })
            }
        };
        let (mut settings, mut problems) = Settings::load(&folders);
        let mut notices = Vec::new();
        let brought = brought(&mut settings, &workspace, &folders, &mut problems, &mut notices);
        remembered(&mut settings, &folders, &mut problems);
        let mut settings = settings.overridden(&options.overrides(), &problems)?;
        if let Some(mode) = brought.filter(|mode| stricter(settings.mode, *mode) != settings.mode) {
            notices.push(format!("Mode {} of this workspace holds, whatever the command line says.", mode.word()));
            settings.mode = mode;
        }
        // Who works in a folder already, or names it, said yes to it.
        let unknown = !matches!(which, Which::Left(_))
            && options.workspace.is_none()
            && !Workspaces::at(&folders.data).knows(&workspace);
        let setup = first(options, &folders);
        let images = Arc::new(Images::new(&folders.images(), &session.id));
        let layers = match which {
            Which::New | Which::Pick => Layers::new(&folders.layers(), &session.id),
            Which::Left(_) => Layers::again(&folders.layers(), &session.id),
        };
        let layers = Arc::new(layers);
        let outputs = Arc::new(Outputs::new(&folders.outputs(), &session.id, settings.limits.kept_output));
        let (linear, options) = (options.linear, options.clone());
        Ok(Self {
            setup,
            settings,
            problems,
            folders,
            workspace,
            session,
            images,
            layers,
            linear,
            outputs,
            notices,
            unknown,
            which,
            options,
        })
    }

    /// What is to be said of where a session works that was left: elsewhere than where the program was started.
    #[must_use]
    pub fn elsewhere(&self) -> Option<String> {
        let here = std::env::current_dir().and_then(|folder| folder.canonicalize()).ok();
        let named = self.options.workspace.is_some();
        (matches!(self.which, Which::Left(_)) && !named && here.as_ref() != Some(&self.workspace))
            .then(|| format!("This session works in {}.", self.workspace.display()))
    }

    /// The same, with or without the page of the first start.
    #[must_use]
    pub(super) fn asking(self, setup: Asking) -> Self {
        Self { setup, ..self }
    }

    /// The workbench of the tools.
    ///
    /// # Errors
    /// The system doesn't say which program this is, so no child could be started.
    pub fn bench(&self) -> Result<Workbench, ConfigError> {
        let mut bench = Workbench::new(self.workspace.clone(), self.folders.home.clone(), launcher()?);
        bench.time_limit = self.settings.limits.time_limit;
        bench.result_limit = usize::try_from(self.settings.limits.output).unwrap_or(bench.result_limit);
        bench.settings = self.judging();
        bench.staged_hosts.clone_from(&self.settings.staged_hosts);
        bench.images = Arc::clone(&self.images);
        bench.layers = Arc::clone(&self.layers);
        bench.outputs = Arc::clone(&self.outputs);
        bench.walls = Arc::new(walls(&self.folders, bench.launcher.clone()));
        bench.own_files = OwnFiles::new(self.folders.deciding(), &self.folders.data);
        Ok(bench)
    }

    /// The command line that goes on with this session here.
    #[must_use]
    pub fn again(&self) -> String {
        super::again::command(&self.options)
    }

    /// What the configuration adds to judging.
    #[must_use]
    pub fn judging(&self) -> AssessSettings {
        judging(&self.settings, &self.folders)
    }

    /// The practice model's world of this session.
    #[must_use]
    pub fn practice_world(&self) -> PathBuf {
        self.folders.practice().join(&*self.session.id)
    }

    /// The sensitive paths of the practice world. It lies among the program's own files, so those that aren't its own are
    /// named, rather than the whole folder.
    #[must_use]
    pub fn practice_sensitive(&self) -> Sensitive {
        let folders = &self.folders;
        let kept = [folders.images(), folders.layers(), folders.outputs()]
            .map(|folder| format!("{}/**", globset::escape(&folder.to_string_lossy())));
        let guarded = [&folders.config, &folders.journal()].map(|path| globset::escape(&path.to_string_lossy()));
        let named = self.settings.sensitive.iter().cloned().chain(guarded).chain(kept).collect();
        Sensitive::with(named).keeping(self::kept(&self.settings)).and(own(folders))
    }

    /// The databases on offer, none of them opened yet, and a sentence for each that can't be used.
    ///
    /// # Errors
    /// One that the command line opens can't be used.
    pub fn connections(&self, environment: Environment<'_>) -> Result<(Connections, Vec<String>), ConfigError> {
        let (mut connections, mut notes) = (Connections::default(), Vec::new());
        for (name, connection) in &self.settings.connections {
            match reached(name, connection, &own(&self.folders), environment) {
                Ok(database) => connections.add(name, database),
                Err(error) if self.settings.opened.contains(name) => return Err(error),
                Err(error) => notes.push(error.to_string()),
            }
        }
        if let Some(name) = &self.settings.default_connection {
            connections.choose(name);
        }
        Ok((connections, notes))
    }
}

/// Takes in what the workspace's own settings say. Gives back the mode that they set, if they do.
pub(super) fn brought(
    settings: &mut Settings,
    workspace: &Path,
    folders: &Folders,
    problems: &mut Vec<Problem>,
    notices: &mut Vec<String>,
) -> Option<ApprovalMode> {
    let path = workspace.join(WORKSPACE_SETTINGS);
    let text = match inside(workspace, Path::new(WORKSPACE_SETTINGS), SETTINGS_CAP + 1) {
        Ok(None) => return None,
        Ok(Some((_, length))) if length > SETTINGS_CAP => Err("it is larger than 64 KiB. Shorten it.".to_owned()),
        Ok(Some((bytes, _))) => {
            String::from_utf8(bytes).map_err(|_| "it isn't UTF-8 text. Save it as UTF-8.".to_owned())
        }
        Err(why) => Err(format!("{why}.")),
    };
    match text {
        Ok(text) => {
            let (trusted, changed) = Trusted::at(&folders.data).knows(&path, &text);
            if changed {
                notices.push(format!("{} changed since you trusted it: it isn't trusted any more.", path.display()));
            }
            let (brought, wrong) = settings.bring(&path, &text, trusted, folders);
            problems.extend(wrong);
            notices.extend(brought.notices);
            brought.mode
        }
        // What can't be read may have tightened.
        Err(sentence) => {
            problems.push(Problem::whole(&path, sentence));
            settings.mode = ApprovalMode::Strict;
            None
        }
    }
}

/// Takes in what is remembered. A broken file makes everything ask, as a broken configuration does.
pub(super) fn remembered(settings: &mut Settings, folders: &Folders, problems: &mut Vec<Problem>) {
    let rules = Rules::at(&folders.data);
    let (remembered, wrong) = rules.load();
    settings.remembered = remembered;
    settings.rules_broken = !wrong.is_empty();
    problems.extend(wrong.into_iter().map(|why| {
        let sentence = format!("{why}. No allow rule of it counts. Mend it, or move it away.");
        Problem::whole(rules.path(), sentence)
    }));
}

/// What a configuration adds to judging.
pub(super) fn judging(settings: &Settings, folders: &Folders) -> AssessSettings {
    let sensitive = Sensitive::with(settings.sensitive_globs(folders)).keeping(kept(settings)).and(own(folders));
    let production = Production::with(&settings.production.patterns, &settings.production.branches);
    AssessSettings { sensitive, production, ..AssessSettings::default() }
}

/// Whether this is the first start: nothing is configured, nothing was said, and there is somebody to ask.
fn first(options: &Options, folders: &Folders) -> Asking {
    let known = folders.config_named || folders.config.exists() || folders.asked().exists();
    let somebody = !options.linear || std::io::stdin().is_terminal();
    if known || options.says_something() || !somebody { Asking::Never } else { Asking::First }
}

/// How the database of a connection is reached.
fn reached(
    name: &str,
    connection: &Connection,
    own: &Own,
    environment: Environment<'_>,
) -> Result<Database, ConfigError> {
    let address = |source: &UrlSource| {
        let url = source.read(name, environment)?;
        let sentence = |why| ConfigError::Option(format!("the connection {name} can't be used: {why}"));
        Connections::parse_url(url.expose_secret())
            .map(|address| address.sparing(|file| own.has(file)))
            .map_err(sentence)
    };
    let database = Database::from(address(&connection.url)?);
    let reading = connection.read_url.as_ref().map(address).transpose()?;
    if reading.as_ref().is_some_and(|reading| reading.dialect != database.address.dialect) {
        let sentence = format!("the connection {name} can't be used: its read_url leads to another kind of database");
        return Err(ConfigError::Option(sentence));
    }
    let results = if connection.local_results { Results::Local } else { Results::Model };
    Ok(Database { reading, results, ..database })
}

/// The path of this program, which starts children.
///
/// # Errors
/// The system doesn't say.
pub(super) fn launcher() -> Result<PathBuf, ConfigError> {
    std::env::current_exe().map_err(|error| {
        ConfigError::Option(format!("the path of this program can't be found ({error}); start it by its full path"))
    })
}

/// The walls around commands that `launcher` puts up.
pub(super) fn walls(folders: &Folders, launcher: PathBuf) -> Walls {
    let runtime = process_environment("XDG_RUNTIME_DIR").map(PathBuf::from);
    Walls::new(launcher, folders.state.clone(), folders.own(), runtime).sparing(folders.practice())
}

/// What no tool writes, as it is spelled and after links.
pub fn own(folders: &Folders) -> Own {
    let mut places = folders.own();
    places.extend(folders.own().iter().filter_map(|place| place.canonicalize().ok()));
    places.sort();
    places.dedup();
    Own::of(places, Some(folders.practice()))
}

/// The workspace of a session that was left.
///
/// # Errors
/// It isn't there any more, or the person named another one.
fn left_in(listed: &Listed, named: Option<&Path>) -> Result<PathBuf, ConfigError> {
    let session = format!("the session {}", listed.short());
    let look = format!("`countersign sessions show {}` shows what is kept of it", listed.short());
    let wrong = |why: String| Err(ConfigError::Option(why));
    let Some(folder) = &listed.workspace else {
        return wrong(format!("{session} doesn't say where it worked; {look}"));
    };
    let Some(real) = Path::new(folder).canonicalize().ok().filter(|real| real.is_dir()) else {
        return wrong(format!("{session} worked in {folder}, which is gone; {look}"));
    };
    match named.map(|named| workspace(Some(named))).transpose()? {
        Some(other) if other != real => {
            wrong(format!("{session} works in {folder}: leave out --workspace, or start a new session there"))
        }
        Some(_) | None => Ok(real),
    }
}

/// The workspace: the folder named, else the one the program was started in.
pub(super) fn workspace(named: Option<&Path>) -> Result<PathBuf, ConfigError> {
    let folder = named.unwrap_or(Path::new("."));
    let wrong = |why: String| ConfigError::Option(format!("the workspace {} {why}", folder.display()));
    let real = folder.canonicalize().map_err(|error| wrong(format!("can't be opened ({error})")))?;
    if real.is_dir() { Ok(real) } else { Err(wrong("is not a folder".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;
    use crate::domain::Place;
    use clap::Parser as _;

    /// Starts from a configuration file of this text, with further words of the command line.
    fn start(text: &str, words: &[&str]) -> Result<(tempfile::TempDir, Start), ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        let data = folder.path().join("data").display().to_string();
        let fixed = ["countersign", "--config", file.to_str().unwrap()];
        let cli = Cli::try_parse_from(fixed.iter().chain(words)).unwrap();
        let environment = |name: &str| (name == "COUNTERSIGN_DATA").then(|| data.clone());
        Start::read(&cli.options, &environment).map(|start| (folder, start))
    }

    #[test]
    fn a_session_starts_from_the_file_and_the_options() {
        let words = ["--workspace", "/", "--db", "shop.db", "--theme", "light"];
        let (_folder, start) = start("mode = 'smart'\ntheme = 'dark'\n[limits]\ntime_limit = 7", &words).unwrap();
        assert_eq!(start.settings.mode, ApprovalMode::Smart);
        assert_eq!(start.settings.theme.as_deref(), Some("light"));
        assert!(start.problems.is_empty() && start.workspace == Path::new("/"));
        assert_eq!(start.bench().unwrap().time_limit, 7);
        let (connections, notes) = start.connections(&|_| None).unwrap();
        assert_eq!((connections.default_name().as_deref(), notes.len()), (Some("shop"), 0));
    }

    #[test]
    fn a_typo_in_the_file_still_starts_a_session_that_asks() {
        let (_folder, start) = start("moed = 'smart'", &["-y"]).unwrap();
        assert_eq!(start.settings.mode, ApprovalMode::Strict);
        assert!(Problem::notice(&start.problems).unwrap().contains("Did you mean `mode`?"));
    }

    #[test]
    fn a_connection_that_cannot_be_used_is_said_and_stops_only_who_asked_for_it() {
        let text = "[connections.books]\nurl_env = 'BOOKS_URL'\n[connections.shop]\nurl = 'sqlite:shop.db'";
        let (_folder, started) = start(text, &[]).unwrap();
        let (connections, notes) = started.connections(&|_| None).unwrap();
        assert_eq!(connections.names().collect::<Vec<_>>(), ["shop"]);
        assert!(notes[0].contains("BOOKS_URL, which is not set"), "{notes:?}");
        let (_folder, started) = start(text, &["--db", "books"]).unwrap();
        assert!(started.connections(&|_| None).is_err());
    }

    #[test]
    fn the_programs_own_files_are_sensitive() {
        let (folder, start) = start("sensitive = ['*.ledger']", &[]).unwrap();
        let (judging, place) = (start.judging(), Place::default());
        let journal = start.folders.journal().display().to_string();
        let config = folder.path().join("config.toml").display().to_string();
        for path in [journal.as_str(), &config, "/books/2026.ledger"] {
            assert!(judging.sensitive.entry(path, &place).is_some(), "{path}");
        }
        assert!(judging.sensitive.entry("/books/2026.txt", &place).is_none());
    }

    #[test]
    fn a_workspace_that_is_no_folder_is_bad_usage() {
        assert!(workspace(Some(Path::new("/nonexistent"))).is_err());
        assert!(workspace(Some(Path::new("Cargo.toml"))).unwrap_err().to_string().contains("not a folder"));
    }
}
