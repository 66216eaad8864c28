//! The imperative shell: assembles a session from the configuration and runs the loop that joins state, tools,
//! model, journal and terminal. One loop owns the state: next event, update, effects, draw when due.

mod assemble;
mod bus;
mod engine;
mod measure;
pub mod terminal;

use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use assemble::{Assembled, assemble};
use bus::{Bus, Input};
use engine::Engine;
use terminal::Screen;

use crate::app::{Effect, Event, State, update};
use crate::cli::Start;
use crate::domain::RunEvent;
use crate::ui::{Cache, Theme, draw};

/// Least time between two frames that no key asked for.
const FRAME: Duration = Duration::from_millis(33);
/// How long running operations may take to end when the program leaves.
const GRACE: Duration = Duration::from_secs(3);
/// Stack of a blocking task: parsers of hostile text run there.
const STACK: usize = 8 * 1024 * 1024;

/// Runs a session on the terminal until the person leaves it.
#[must_use]
pub fn run(start: Start) -> ExitCode {
    let began = Instant::now();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_stack_size(STACK).enable_all().build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(session(start, began));
            runtime.shutdown_timeout(Duration::from_millis(200));
            ended
        }
        Err(error) => Err(format!("the system gives no threads: {error}")),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("countersign: {sentence}");
            ExitCode::FAILURE
        }
    }
}

async fn session(start: Start, began: Instant) -> Result<(), String> {
    let terminal = |error: io::Error| format!("the terminal can't be used: {error}. Start it in a terminal window");
    let size = crossterm::terminal::size().map_err(terminal)?;
    let (lanes, receivers) = bus::lanes();
    let Assembled { state, engine, theme, notices, world } = assemble(&start, lanes, size).await?;
    let mut screen = Screen::enter().map_err(terminal)?;
    let bus = Bus::new(receivers, began).map_err(terminal)?;
    let mut session = Session { state, engine, theme, bus, cache: Cache::default(), drawn: None };
    for notice in notices {
        update(&mut session.state, session.bus.now(), notice);
    }
    let lived = session.live(&mut screen).await.map_err(terminal);
    drop(world);
    lived
}

/// What the loop owns.
struct Session {
    state: State,
    engine: Engine,
    theme: Theme,
    bus: Bus,
    cache: Cache,
    drawn: Option<Instant>,
}

impl Session {
    async fn live(mut self, screen: &mut Screen) -> io::Result<()> {
        self.draw(screen)?;
        let mut pending = false;
        loop {
            let due = pending.then(|| self.drawn.map_or_else(Instant::now, |drawn| drawn + FRAME));
            let mut prompt = false;
            match self.bus.next(self.state.deadline(), due).await {
                Input::Leave => break,
                Input::Frame => prompt = true,
                Input::Event(event) => {
                    prompt |= matches!(event, Event::Key(_) | Event::Paste(_) | Event::Resize(..));
                    let now = self.bus.now();
                    let effects = update(&mut self.state, now, event);
                    if !self.perform(effects, screen)? {
                        break;
                    }
                    pending |= self.state.take_dirty();
                }
            }
            let rested = self.drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME);
            if pending && (prompt || rested) {
                self.draw(screen)?;
                pending = self.state.take_dirty();
            }
        }
        self.leave().await;
        Ok(())
    }

    /// Draws one frame and tells the state what was on it.
    fn draw(&mut self, screen: &mut Screen) -> io::Result<()> {
        let mut sight = crate::app::Sight::default();
        screen.terminal.draw(|frame| sight = draw(frame, &self.state, &mut self.cache, &self.theme))?;
        self.drawn = Some(Instant::now());
        self.state.take_dirty();
        let now = self.bus.now();
        let effects = update(&mut self.state, now, Event::Drawn(sight));
        self.perform(effects, screen).map(|_stays| ())
    }

    /// Performs effects; false to leave.
    fn perform(&mut self, effects: Vec<Effect>, screen: &mut Screen) -> io::Result<bool> {
        for effect in effects {
            match effect {
                Effect::Prepare { id, origin, call } => self.engine.prepare(id, origin, call),
                Effect::Assess { draft, id, origin, call } => self.engine.assess(draft, id, origin, call),
                Effect::Refresh(operation) => self.engine.refresh(*operation),
                Effect::Measure(prepared, seal) => self.engine.measure(prepared, seal),
                Effect::StopMeasuring(id) => self.engine.stop_measuring(id),
                Effect::DropStaged(run) => self.engine.drop_staged(run),
                Effect::Execute(countersigned) => self.engine.execute(*countersigned),
                Effect::Cancel(id) => self.engine.cancel(id),
                Effect::Record(entry) => self.engine.record(*entry),
                Effect::StartStep(step, request) => self.engine.start_step(step, request),
                Effect::StopStep => self.engine.stop_step(),
                Effect::Copy(text) => Screen::copy(&text),
                Effect::Redraw => screen.terminal.clear()?,
                Effect::Quit => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Stops what runs, gives it a grace time to report its end, closes the journal.
    async fn leave(mut self) {
        self.engine.stop_all();
        let running = |state: &State| {
            state.queue.running().filter(|item| matches!(item.status, crate::app::Status::Running { .. })).count()
        };
        let mut left = running(&self.state);
        let farewell = async {
            while left > 0 {
                match self.bus.last_words().await {
                    Some((_, RunEvent::Finished(_))) => left -= 1,
                    Some(_) => {}
                    None => return,
                }
            }
        };
        let _too_late = tokio::time::timeout(GRACE, farewell).await;
        if let Ok(journal) = self.engine.journal.await {
            let _too_late = tokio::time::timeout(GRACE, journal.close()).await;
        }
    }
}
