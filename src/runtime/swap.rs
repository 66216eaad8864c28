//! Another model or connection while a session runs. Keys are read off the loop; what is ready waits in a slot until
//! the state has taken notice of it, so that no step begins with half of it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use secrecy::ExposeSecret as _;

use super::assemble::{add_own_tools, briefing, notes, practice, quoted, setting, side};
use super::bus::Work;
use super::engine::{Engine, Side};
use super::reached;
use crate::app::{Pick, PickerId, Row, Switched, Wanted};
use crate::cli::Start;
use crate::config::{ModelSettings, ProviderName, process_environment};
use crate::providers::{PracticeWorld, Provider, from_settings, models};

/// What a session can be switched by, and to.
#[derive(Clone)]
pub struct Switchboard {
    start: Arc<Start>,
    ready: Arc<Mutex<Option<Ready>>>,
    /// The model in use.
    now: Arc<Mutex<ModelSettings>>,
    /// Whether the person was asked about this folder: until then nothing of it is read for a model.
    arrived: Arc<AtomicBool>,
}

/// A model that is ready to be taken into use.
struct Ready {
    number: u64,
    model: ModelSettings,
    provider: Arc<dyn Provider>,
    /// Another workspace for the model, with the world that it is in.
    side: Option<(Side, Option<PracticeWorld>)>,
    /// Another side for the person, who had the practice model's database while they had none of their own.
    own: Option<Side>,
}

impl Switchboard {
    /// The one of a session.
    #[must_use]
    pub fn new(start: Arc<Start>) -> Self {
        let now = start.settings.in_use(&process_environment);
        let arrived = Arc::new(AtomicBool::new(!start.unknown));
        Self { start, ready: Arc::default(), now: Arc::new(Mutex::new(now)), arrived }
    }

    /// What the session was started from.
    #[must_use]
    pub fn start(&self) -> &Start {
        &self.start
    }

    fn now(&self) -> ModelSettings {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the state is told of a model and its side.
    fn told(
        &self,
        provider: &dyn Provider,
        practising: bool,
        (side, person): (&Side, &Side),
        elsewhere: bool,
    ) -> Switched {
        // What is said of them was said at the start.
        let unread = practising || !self.arrived.load(Ordering::Acquire);
        let notes = if unread { None } else { notes(&self.start.workspace, &mut Vec::new()) };
        let setting = setting(provider, practising, side, person);
        Switched { setting, briefing: briefing(side, notes.as_ref()), elsewhere }
    }

    /// The person said yes to the folder: its notes may be read from now on. Gives what the model is told of them, and
    /// what is said of that to the person.
    pub fn arrive(&self) -> (String, Vec<String>) {
        let mut said = Vec::new();
        self.arrived.store(true, Ordering::Release);
        let practising = self.now().kind == ProviderName::Practice;
        let notes = if practising { None } else { notes(&self.start.workspace, &mut said) };
        (notes.as_ref().map(quoted).unwrap_or_default(), said)
    }

    /// The model that is wanted, with the configuration as it was when the session began.
    fn meant(&self, wanted: Wanted) -> Result<ModelSettings, String> {
        match wanted {
            Wanted::Named(name) => {
                self.start.settings.meant(&name, Some(&self.now())).map_err(|error| error.to_string())
            }
            Wanted::Chosen(chosen) => super::setup::settings(&chosen),
        }
    }
}

impl Engine {
    /// Makes another model ready; the state hears of it, and has it taken into use.
    pub fn switch_model(&self, number: u64, wanted: Wanted) {
        let (board, lane) = (self.switchboard.clone(), self.lanes.work.clone());
        let (person, model, practising) = (self.person_side.clone(), self.model_side.clone(), self.practising());
        tokio::spawn(async move {
            let switched = match board.meant(wanted) {
                Ok(meant) => make_ready(&board, number, meant, (&person, &model), practising).await,
                Err(why) => Err(why),
            };
            let _leaving = lane.send(Work::Switched(number, switched)).await;
        });
    }

    /// Takes the model with this number into use. What is still being said by the one before is no longer heard.
    pub fn adopt(&mut self, number: u64) {
        let mut slot = self.switchboard.ready.lock().unwrap_or_else(PoisonError::into_inner);
        // A later one waits on for its own turn.
        let ready = slot.take_if(|ready| ready.number <= number);
        drop(slot);
        let Some(ready) = ready.filter(|ready| ready.number == number) else { return };
        self.provider = ready.provider;
        *self.switchboard.now.lock().unwrap_or_else(PoisonError::into_inner) = ready.model;
        if let Some((side, world)) = ready.side {
            self.model_side = side;
            self.world = world;
        }
        if let Some(own) = ready.own {
            self.person_side = own;
        }
    }

    /// Chooses the connection that is meant where none is named.
    pub fn choose_connection(&self, number: u64, name: &str) {
        let (side, person) = (self.model_side.clone(), self.person_side.clone());
        // The person's side has databases of its own where the practice model has its world.
        let switched = match (person.connections.choose(name), side.connections.address(name).is_some()) {
            (true, _) => {
                side.connections.choose(name);
                Ok(())
            }
            (false, true) => Err(format!("`{name}` is the practice model's own")),
            (false, false) => {
                let known: BTreeSet<&str> = side.connections.names().chain(person.connections.names()).collect();
                let known: Vec<String> = known.into_iter().map(|known| format!("`{known}`")).collect();
                let known = if known.is_empty() {
                    "Start with --db, or name one in the configuration.".to_owned()
                } else {
                    format!(
                        "Valid here: {}. Others: start with --db, or name them in the configuration.",
                        known.join(", ")
                    )
                };
                Err(format!("There is no connection `{name}`. {known}"))
            }
        };
        if switched.is_ok() {
            reached::reach(&person, &[name.to_owned()], &self.lanes.work);
        }
        let (board, provider, lane) = (self.switchboard.clone(), Arc::clone(&self.provider), self.lanes.work.clone());
        let practising = self.practising();
        tokio::task::spawn_blocking(move || {
            let told = switched.map(|()| Box::new(board.told(provider.as_ref(), practising, (&side, &person), false)));
            let _leaving = lane.blocking_send(Work::Switched(number, told));
        });
    }

    /// Fills a list with models: those of the configuration, of the provider in use, and the practice model.
    pub fn list_models(&self, list: PickerId) {
        let (board, lane) = (self.switchboard.clone(), self.lanes.work.clone());
        tokio::spawn(async move {
            let row = |name: &str| Row::new(name, Pick::Line(format!("/model {name}")));
            let configured = board.start.settings.models.iter().map(|(name, model)| {
                let place = model.base_url.as_deref().unwrap_or(model.kind.word());
                row(name).detail(&format!("{} {place}, configured", model.model.as_deref().unwrap_or_default()))
            });
            let mut rows: Vec<Row> = configured.collect();
            let now = board.now();
            let listed = match now.provider(&process_environment).await {
                Ok(Some(settings)) => {
                    let place = settings.maker.name;
                    models(settings).await.map(|listed| (place, listed)).map_err(|failure| failure.message)
                }
                Ok(None) => Ok(("", Vec::new())),
                Err(error) => Err(error.to_string()),
            };
            // The one in use is there also where its provider lists nothing, and says why it doesn't.
            let used = now.model.as_deref().filter(|_| now.kind != ProviderName::Practice);
            let in_use = |what: &str| {
                used.map(|used| {
                    Row::new(used, Pick::Nothing).detail(format!("in use · {what}").trim_end_matches([' ', '·']))
                })
            };
            match listed {
                Ok((place, listed)) => {
                    rows.extend(in_use(place));
                    let others = listed.iter().filter(|model| Some(model.id.as_str()) != used);
                    rows.extend(others.map(|model| row(&model.id).detail(place)));
                }
                Err(why) => {
                    let why = format!("others can't be listed: {why}");
                    rows.push(in_use(&why).unwrap_or_else(|| Row::new(&why, Pick::Nothing)));
                }
            }
            rows.push(row(ProviderName::Practice.word()).detail("built in, no language model"));
            let _leaving = lane.send(Work::Filled(list, Ok(rows))).await;
        });
    }

    fn practising(&self) -> bool {
        self.switchboard.now().kind == ProviderName::Practice
    }
}

async fn make_ready(
    board: &Switchboard,
    number: u64,
    model: ModelSettings,
    (person, present): (&Side, &Side),
    practising: bool,
) -> Result<Box<Switched>, String> {
    let wanted = model.provider(&process_environment).await.map_err(|error| error.to_string())?;
    let practice_wanted = wanted.is_none();
    // While the person has no connection of their own, theirs is the practice database.
    let lent = practising && Arc::ptr_eq(&person.connections, &present.connections);
    let (provider, other) = match wanted {
        Some(settings) => {
            // It is masked from now on, wherever an operation's text has it.
            let key = settings.key.as_ref().map(|key| key.expose_secret().to_owned());
            for side in [person, present] {
                side.bench.settings.known.learn(key.clone());
            }
            // What was printed before holds it perhaps, as the command that prints the key was tried.
            let (outputs, values) = (Arc::clone(&person.bench.outputs), person.bench.settings.known.values());
            tokio::task::spawn_blocking(move || {
                if let Err(error) = outputs.note_secrets_of_all(&values) {
                    tracing::warn!(%error, "where outputs hold secrets can't be noted");
                }
            });
            let provider = from_settings(settings).map_err(|error| error.to_string())?;
            let elsewhere = || {
                let connections = if lent { Arc::default() } else { Arc::clone(&person.connections) };
                let mut side = side((*person.bench).clone(), connections);
                if let Some(servers) = person.registry.servers() {
                    side.registry.join(Arc::clone(servers));
                }
                (side, None)
            };
            (provider, practising.then(elsewhere))
        }
        None if practising => return Err("The practice model answers already.".to_owned()),
        None => {
            let (provider, side, world) = practice(&board.start, &person.bench).await?;
            (provider, Some((side, Some(world))))
        }
    };
    let side = other.as_ref().map_or(present, |(side, _)| side);
    // It goes with its model.
    let own = lent.then(|| {
        let mut own = side.clone();
        add_own_tools(&mut own);
        own
    });
    let person = own.as_ref().unwrap_or(person);
    let switched = board.told(provider.as_ref(), practice_wanted, (side, person), other.is_some());
    let ready = Ready { number, model, provider, side: other, own };
    let mut slot = board.ready.lock().unwrap_or_else(PoisonError::into_inner);
    // One that was asked for earlier and took longer doesn't take the place of a later one.
    if slot.as_ref().is_none_or(|waiting| waiting.number < number) {
        *slot = Some(ready);
    }
    drop(slot);
    Ok(Box::new(switched))
}
