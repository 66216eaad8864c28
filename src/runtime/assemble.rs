//! Assembles a session from the configuration: the model, the two sides' tools, the journal, and the state that
//! the screen starts with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt as _;
use secrecy::ExposeSecret as _;

use super::bus::{Lanes, Work};
use super::engine::{Engine, Side};
use super::look;
use super::proof::prove;
use super::reached;
use super::recorder::{Opening, Recorder};
use super::remember::{Followed, Memory};
use super::resume::{allow_outputs, resume};
use super::servers;
use super::setup;
use super::swap::Switchboard;
use crate::app::{Briefing, Budget, Effect, Event, Keymap, Looks, OwnDatabase, Setting, State};
use crate::assess::Known;
use crate::cli::{Asking, Start, Which};
use crate::config::{ChosenModel, Problem, process_environment};
use crate::contain;
use crate::domain::number::size;
use crate::domain::{Target, below_home};
use crate::memory::{Instructions, Rules, ThemeChoice, Workspaces, instructions};
use crate::providers::prompt::{Surroundings, fill, project};
use crate::providers::{Practice, PracticeWorld, Provider, from_settings};
use crate::store::{History, Journal, Session, Unsent};
use crate::tools::mcp::AnswerTool;
use crate::tools::{ApplyTool, Connections, UndoTool, Workbench, look_around, search_path, standard};
use crate::ui::{Theme, themes};

/// Everything that the loop needs beside the bus.
pub struct Assembled {
    /// The state, before its first event.
    pub state: State,
    /// What acts.
    pub engine: Engine,
    /// The look.
    pub theme: Theme,
    /// What is to be done first, before anything is drawn.
    pub effects: Vec<Effect>,
    /// What the person should know first.
    pub notices: Vec<Event>,
    /// The practice model's world; its server ends with it.
    pub world: Option<PracticeWorld>,
}

/// Name of the connection to the practice model's database.
const PRACTICE: &str = "practice";
/// What is said where the practice model goes on with a session that has no practice world any more: it may have been
/// had with another model.
const RESUMED_IN_PRACTICE: &str = "The practice model goes on with this session, in a practice world that is new. If \
    another model answered before, leave and start again with the same --base-url, --model and --db.";

/// The person alone takes changes back, and the program alone proposes to put in place what a staged run changed and to
/// answer a server.
pub(super) fn add_own_tools(side: &mut Side) {
    side.registry.add(UndoTool::new(Arc::clone(&side.bench)));
    side.registry.add(ApplyTool::new(Arc::clone(&side.bench)));
    if let Some(servers) = side.registry.servers().map(Arc::clone) {
        side.registry.add(AnswerTool::new(&servers));
    }
}

/// Puts a session together. Without a model the practice model works in a world of its own, while the person's
/// own operations stay in the person's workspace. Called before the screen opens: a key command may ask.
///
/// # Errors
/// One sentence: a key, an address, a database of the command line or the practice world can't be used.
pub async fn assemble(start: &Arc<Start>, lanes: Lanes, size: (u16, u16)) -> Result<Assembled, String> {
    let mut notices: Vec<String> = Problem::notice(&start.problems).into_iter().collect();
    let (connections, left_out) = start.connections(&process_environment).map_err(|error| error.to_string())?;
    notices.extend(left_out);
    notices.extend(start.notices.iter().cloned());
    if let Some(why) = start.settings.opened.iter().find_map(|name| connections.missing(name)) {
        return Err(why.trim_end_matches('.').to_owned());
    }
    let chosen = start.settings.chosen_model(&process_environment).await.map_err(|error| error.to_string())?;
    let mut bench = start.bench().map_err(|error| error.to_string())?;
    bench.settings.known = known(&chosen, &connections);
    let mut person_side = side(bench, Arc::new(connections));
    servers::join(&mut person_side, start, lanes.work.clone());
    let (provider, model_side, world) = match chosen {
        ChosenModel::Provider(settings) => {
            (from_settings(settings).map_err(|error| error.to_string())?, person_side.clone(), None)
        }
        ChosenModel::Practice => {
            let (provider, practice_side, world) = practice(start, &person_side.bench).await?;
            if person_side.connections.is_empty() {
                // The person's own SQL works on the practice database while they have no connection.
                person_side = side((*person_side.bench).clone(), Arc::clone(&practice_side.connections));
                servers::join(&mut person_side, start, lanes.work.clone());
            } else if let Some(name) = person_side.connections.default_name() {
                notices.push(format!("Your own SQL goes to {name}; the practice model keeps to its own database."));
            }
            (provider, practice_side, Some(world))
        }
    };
    add_own_tools(&mut person_side);
    let setting = setting(provider.as_ref(), world.is_some(), &model_side, &person_side);
    // The practice model reads no prompt, and works in a folder of its own. Of a folder that the person was not asked
    // about yet nothing is read.
    let told = world.is_none() && !start.unknown;
    let notes = if told { notes(&start.workspace, &mut notices) } else { None };
    let briefing = briefing(&model_side, notes.as_ref());
    let keymap = keymap(start, &mut notices);
    let (theme, looks) = theme(start, &mut notices);
    let mut state =
        State::new(briefing, start.settings.policy(), contain::enforceable(None, false), keymap, setting, size);
    state.looks = looks;
    state.masks.known = person_side.bench.settings.known.clone();
    let limits = start.settings.limits;
    state.setting.folder = below_home(&start.workspace, start.folders.home.as_deref());
    if start.unknown {
        state.ask_folder();
    }
    match start.setup {
        Asking::Never => {}
        Asking::First => state.set_up(setup::page()),
        Asking::Again => state.set_up(setup::again(&start.folders)),
    }
    state.budget = Budget { calls: limits.calls, minutes: limits.minutes, tokens: limits.tokens, cost: limits.cost };
    // Both sides have the same walls around different workspaces; the test of them is none of the loop's business.
    let (sides, lane) = ([person_side.clone(), model_side.clone()], lanes.work.clone());
    tokio::spawn(async move {
        prove(&sides[1], &lane).await;
        for side in sides {
            look_around(side.bench).await;
        }
    });
    reached::reach(&person_side, &start.settings.opened, &lanes.work);
    let journal = opening(start.folders.journal(), start.session.clone(), lanes.work.clone());
    let (state, effects) = Box::pin(resume(start, state)).await?;
    notices.extend(missing_connection(&state));
    allow_outputs(&state, &model_side.bench);
    notices.extend(start.elsewhere());
    if matches!(start.which, Which::Left(_)) && world.as_ref().is_some_and(|world| world.fresh) {
        notices.push(RESUMED_IN_PRACTICE.to_owned());
    }
    let recorder = Recorder::start(journal, lanes.work.clone(), person_side.bench.settings.known.clone());
    let rules = Rules::at(&start.folders.data);
    let broken = start.problems.iter().any(|problem| problem.file == rules.path());
    let memory = Memory {
        rules: Followed::since(rules, start.settings.remembered.clone(), broken),
        workspaces: Workspaces::at(&start.folders.data),
        theme: ThemeChoice::at(&start.folders.data),
        folder: start.workspace.clone(),
        journal: (start.folders.journal(), start.session.id.to_string()),
    };
    let board = Switchboard::new(Arc::clone(start));
    let mut engine = Engine::new(model_side, person_side, provider, recorder, lanes, memory, board);
    engine.typed.history = Some(History::new(start.folders.history()));
    engine.typed.unsent = Some(Arc::new(Unsent::new(&start.folders.unsent(), &start.session.id)));
    Ok(Assembled { state, engine, theme, effects, notices: notices.into_iter().map(Event::Notice).collect(), world })
}

/// Opens the journal in the background, once; everything that needs it waits for the same opening. The person
/// is told at once if it can't be.
fn opening(path: PathBuf, session: Session, lane: tokio::sync::mpsc::Sender<Work>) -> Opening {
    let opening =
        async move { Journal::open(&path, session).await.map_err(|error| error.to_string()) }.boxed().shared();
    let opened = opening.clone();
    tokio::spawn(async move {
        if let Err(reason) = opened.await {
            let _leaving = lane.send(Work::JournalFailed(reason)).await;
        }
    });
    opening
}

/// The secrets that the session holds: they are masked wherever an operation's text has them.
fn known(chosen: &ChosenModel, connections: &Connections) -> Known {
    let key = match chosen {
        ChosenModel::Practice => None,
        ChosenModel::Provider(settings) => settings.key.as_ref().map(|key| key.expose_secret().to_owned()),
    };
    let known = Known::of_environment(std::env::vars_os());
    known.learn(key.into_iter().chain(connections.secrets()));
    known
}

pub(super) fn side(mut bench: Workbench, connections: Arc<Connections>) -> Side {
    bench.settings.databases = Arc::new(connections.targets());
    let bench = Arc::new(bench);
    let path = std::env::var_os("PATH").map(|path| search_path(&path));
    Side { registry: standard(&bench, &connections), bench, connections, path }
}

/// What is said where a session that goes on worked on a database to which there is no connection now.
fn missing_connection(state: &State) -> Option<String> {
    let hit = state.queue.all().filter_map(|item| item.prepared.as_ref()).flat_map(|prepared| &prepared.facts.targets);
    let absent = hit.filter(|target| match target {
        Target::Database { connection, .. } => {
            connection != PRACTICE && !state.setting.connections.contains_key(connection)
        }
        _ => false,
    });
    let target = absent.last()?;
    Some(format!(
        "This session worked on {target}, to which there is no connection now. To have it again, leave and go on with the \
         same `--db` before `--continue`."
    ))
}

/// The practice model, or a scripted session from the file that is named as its model, with a database, folder
/// and server of its own. Its folder lies in the program's own, so its
/// list of sensitive paths names the files there that are not its own, rather than the whole.
pub(super) async fn practice(
    start: &Start,
    of: &Workbench,
) -> Result<(Arc<dyn Provider>, Side, PracticeWorld), String> {
    let world = PracticeWorld::open(&start.practice_world()).await.map_err(|error| error.to_string())?;
    let script = start.settings.provider.as_ref().and_then(|model| model.model.as_deref());
    let provider = match script {
        Some(file) => Practice::from_file(Path::new(file)).map(|script| script.with_server(&*world.server_url)),
        None => Practice::new(&world),
    }
    .map_err(|error| error.to_string())?;
    let address = Connections::parse_url(&world.database_url).map_err(|error| error.to_string())?;
    let mut connections = Connections::default();
    connections.add(PRACTICE, address);
    let mut bench = start.bench().map_err(|error| error.to_string())?;
    bench.walls = Arc::clone(&of.walls);
    bench.settings.known = of.settings.known.clone();
    bench.workspace.clone_from(&world.workspace);
    bench.settings.sensitive = start.practice_sensitive();
    Ok((Arc::new(provider), side(bench, Arc::new(connections)), world))
}

pub(super) fn setting(provider: &dyn Provider, practice: bool, side: &Side, person: &Side) -> Setting {
    let usual = usual(side);
    let apart = !Arc::ptr_eq(&side.connections, &person.connections);
    let own = apart.then(|| self::usual(person)).flatten();
    let known =
        |side: &Side| side.bench.settings.databases.iter().map(|(name, to)| (name.clone(), led_to(to))).collect();
    let mut connections: BTreeMap<String, String> = known(side);
    if apart && practice {
        for what in connections.values_mut() {
            what.push_str(" · the practice model's own");
        }
    }
    if apart {
        connections.extend(known(person));
    }
    Setting {
        production: usual.as_ref().is_some_and(|usual| usual.production),
        model: provider.label(),
        practice,
        remote: provider.remote(),
        connection: usual.map(|usual| usual.label),
        workspace: below_home(&side.bench.workspace, side.bench.home.as_deref()),
        folder: String::new(),
        context: provider.context(),
        prices: provider.prices(),
        own,
        connections,
    }
}

/// The database that is meant where none is named.
fn usual(side: &Side) -> Option<OwnDatabase> {
    let name = side.connections.default_name()?;
    let address = side.connections.address(&name)?;
    let target = side.bench.settings.databases.get(&name).map(std::slice::from_ref).unwrap_or_default();
    Some(OwnDatabase {
        label: format!("{name} ({})", address.dialect.word()),
        production: !side.bench.settings.production.told(target).is_empty(),
    })
}

/// What a connection leads to, without its name.
fn led_to(target: &Target) -> String {
    let Target::Database { engine, database, host, .. } = target else { return target.to_string() };
    let place = match (database, host) {
        (Some(database), Some(host)) => Some(format!("{database} on {host}")),
        (None, Some(host)) => Some(format!("on {host}")),
        (database, None) => database.clone(),
    };
    engine.map(|engine| engine.word().to_owned()).into_iter().chain(place).collect::<Vec<_>>().join(" · ")
}

pub(super) fn briefing(side: &Side, notes: Option<&Instructions>) -> Briefing {
    let mut connections: Vec<(&str, &str)> = side
        .connections
        .names()
        .filter_map(|name| side.connections.address(name).map(|address| (name, address.dialect.word())))
        .collect();
    let usual = side.connections.default_name();
    connections.sort_by_key(|(name, _)| Some(*name) != usual.as_deref());
    let surroundings = Surroundings {
        workspace: &side.bench.workspace.to_string_lossy(),
        connections: &connections,
        date: &time::OffsetDateTime::now_utc().date().to_string(),
        os: std::env::consts::OS,
    };
    let told = notes.map(quoted).unwrap_or_default();
    Briefing {
        system: format!("{}{told}", fill(&surroundings)).into(),
        tools: side.registry.specs().into(),
        notes: notes.is_some(),
    }
}

/// The project's own notes, as the model is told of them.
pub(super) fn quoted(notes: &Instructions) -> String {
    project(&notes.text, notes.cut, &notes.mark)
}

/// The project's own notes for the model, and what the person is told of them.
pub(super) fn notes(workspace: &Path, notices: &mut Vec<String>) -> Option<Instructions> {
    match instructions(workspace) {
        Ok(Some(notes)) => {
            let cut = if notes.cut { "; its first 32 KiB" } else { "" };
            notices.push(format!(
                "The model is given AGENTS.md of this folder ({}{cut}), as notes that nobody vouches for. \
                 /read AGENTS.md shows it.",
                size(notes.bytes)
            ));
            Some(notes)
        }
        Ok(None) => None,
        Err(why) => {
            notices.push(format!("{why}."));
            None
        }
    }
}

fn keymap(start: &Start, notices: &mut Vec<String>) -> Keymap {
    let Some(path) = &start.settings.keymap else { return Keymap::default() };
    let read = match path.to_str().filter(|name| !look::is_file(name)) {
        Some(name) => Keymap::named(name),
        None => std::fs::read_to_string(path).map_err(|error| error.to_string()).and_then(|text| Keymap::parse(&text)),
    };
    read.unwrap_or_else(|why| {
        notices.push(format!("The usual keys are used: {} can't be ({why}).", path.display()));
        Keymap::default()
    })
}

/// The look, and the themes there are to choose from: one of the person's own among them.
fn theme(start: &Start, notices: &mut Vec<String>) -> (Theme, Looks) {
    let mut known = themes();
    let named = start.settings.theme.as_deref();
    // One that was chosen may be of another version of the program.
    let chosen =
        ThemeChoice::at(&start.folders.data).get().filter(|chosen| known.iter().any(|(name, _)| name == chosen));
    let name = named.or(chosen.as_deref()).unwrap_or("dark");
    if look::is_file(name) {
        known.push((name.to_owned(), "your own".to_owned()));
    }
    let plain = process_environment("NO_COLOR").is_some();
    match look::theme(name, &process_environment) {
        Ok(theme) => (theme, Looks::new(known, name, named.is_some()).plain(plain)),
        Err(why) => {
            notices.push(why);
            (
                look::theme("dark", &process_environment).unwrap_or_default(),
                Looks::new(known, "dark", named.is_some()).plain(plain),
            )
        }
    }
}
