//! The imperative shell: assembles a session from the configuration and runs the loop that joins state, tools,
//! model, journal and terminal. One loop owns the state: next event, update, effects, draw when due.

mod assemble;
mod bus;
mod cells;
mod composing;
mod editor;
mod engine;
mod heap;
mod judging;
mod kept;
mod lent;
mod linear;
mod lines;
mod look;
mod measure;
mod notify;
mod pager;
mod perform;
mod proof;
mod reached;
mod recorder;
mod remember;
mod resume;
mod retire;
mod servers;
mod setup;
mod swap;
mod switch;
pub mod terminal;
mod unattended;
mod withheld;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assemble::{Assembled, assemble};
use bus::{Bus, Input, Work};
use engine::Engine;
use lent::Lent;
use linear::Linear;
use resume::claim;
use retire::{clear_out, retire};
use terminal::Screen;
use tokio_util::sync::CancellationToken;

use crate::app::{Another, Effect, Event, State, update};
use crate::cli::{Errand, Start, Which};
use crate::config::{Notify, process_environment};
use crate::domain::RunEvent;
use crate::providers::PracticeWorld;
use crate::store::Claims;
use crate::ui::{Cache, Theme, colour_later, draw, load, wanted};

/// Least time between two frames that no key asked for.
const FRAME: Duration = Duration::from_millis(33);
/// Most pieces of an answer that are taken at once: to look at the keyboard between any two takes longer than they do.
const PIECES: usize = 64;
/// How long running operations may take to end when the program leaves.
const GRACE: Duration = Duration::from_secs(3);
/// Columns and rows that a session by lines counts on.
const LINES: (u16, u16) = (120, 40);
/// Stack of a blocking task: parsers of hostile text run there.
const STACK: usize = 8 * 1024 * 1024;

/// Runs a session on the terminal until the person leaves it.
#[must_use]
pub fn run(start: Start) -> ExitCode {
    match drive(session(start, Instant::now())) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(sentence)) | Err(sentence) => {
            crate::say!("countersign: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Lets a model do one thing, with nobody there.
#[must_use]
pub fn run_unattended(start: Start, errand: Errand) -> ExitCode {
    let began = Instant::now();
    let start = Arc::new(start);
    match drive(async move { Box::pin(unattended::run(&start, errand, began)).await }) {
        Ok(code) => ExitCode::from(code),
        Err(sentence) => {
            crate::say!("countersign: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a session on threads of its own. The loop is a task like those it speaks with: to wake a thread that does
/// nothing else for each event would cost a short call a part of its time.
fn drive<T: Send + 'static>(session: impl Future<Output = T> + Send + 'static) -> Result<T, String> {
    heap::keep_little();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_stack_size(STACK).enable_all().build();
    let runtime = runtime.map_err(|error| format!("the system gives no threads: {error}"))?;
    let ended = runtime.block_on(runtime.spawn(session));
    runtime.shutdown_timeout(Duration::from_millis(200));
    ended.map_err(|_| "the session failed; the log has more".to_owned())
}

async fn session(start: Start, began: Instant) -> Result<(), String> {
    let start = Arc::new(start);
    if start.linear {
        return Box::pin(by_lines(&start, began)).await;
    }
    let terminal = |error: io::Error| format!("the terminal can't be used: {error}. Start it in a terminal window");
    let size = crossterm::terminal::size().map_err(terminal)?;
    let claims = Arc::new(Claims::open(&start.folders.data));
    claim(&claims, &start)?;
    clear_out(&start, &claims);
    retire(&start, &claims);
    let (lanes, receivers) = bus::lanes();
    let Assembled { mut state, engine, theme, mut effects, notices, world } =
        Box::pin(assemble(&start, lanes, size)).await?;
    if matches!(start.which, Which::Pick) {
        state.pick_session(&mut effects);
    }
    let mut screen = Screen::enter().map_err(terminal)?;
    let bus = Bus::new(receivers, began).map_err(terminal)?;
    let mut session = Session {
        state,
        engine,
        theme,
        bus,
        cache: Cache::default(),
        drawn: None,
        scratch: start.folders.state.clone(),
        away: None,
        notify: start.settings.notify.unwrap_or_else(|| notify::usual(&process_environment)),
        woken: false,
        start,
        claims,
        began,
        world,
        wish: None,
    };
    for notice in notices {
        update(&mut session.state, session.bus.now(), notice);
    }
    colour_later();
    session.perform(effects, &mut screen).map_err(terminal)?;
    let farewell = Box::pin(session.live(&mut screen)).await.map_err(terminal)?;
    drop(screen);
    if let Some(farewell) = farewell {
        // Who leaves may have closed the terminal.
        let _closed = writeln!(io::stdout(), "{farewell}");
    }
    Ok(())
}

/// The same by plain lines.
async fn by_lines(start: &Arc<Start>, began: Instant) -> Result<(), String> {
    let broken = |error: io::Error| format!("standard input or output can't be used: {error}");
    let claims = Arc::new(Claims::open(&start.folders.data));
    claim(&claims, start)?;
    clear_out(start, &claims);
    retire(start, &claims);
    let (lanes, receivers) = bus::lanes();
    let Assembled { state, mut engine, effects, notices, world, .. } = Box::pin(assemble(start, lanes, LINES)).await?;
    let bus = Bus::lines(receivers, began).map_err(broken)?;
    for effect in effects {
        engine.perform(effect);
    }
    let lived = Box::pin(Linear::new(state, engine, bus).live(notices, &start.again())).await.map_err(broken);
    drop(world);
    if let Some(farewell) = lived? {
        let _closed = writeln!(io::stdout(), "{farewell}");
    }
    Ok(())
}

/// What the loop owns.
struct Session {
    state: State,
    engine: Engine,
    theme: Theme,
    bus: Bus,
    cache: Cache,
    drawn: Option<Instant>,
    /// Where a text lies while the person's own editor has it.
    scratch: PathBuf,
    /// The person's own editor or pager has the terminal.
    away: Option<Lent>,
    /// The MCP servers were started.
    woken: bool,
    /// How the person is told while they look at something else.
    notify: Notify,
    /// What the session was put together from.
    start: Arc<Start>,
    /// Which sessions this program has open.
    claims: Arc<io::Result<Claims>>,
    /// Since when time counts.
    began: Instant,
    /// The practice model's world; its server ends with it.
    world: Option<PracticeWorld>,
    /// Another session is wanted.
    wish: Option<Another>,
}

impl Session {
    /// Goes on until the person leaves. Gives what is said then.
    async fn live(mut self, screen: &mut Screen) -> io::Result<Option<String>> {
        self.draw(screen)?;
        self.engine.read_typed(&self.claims);
        let mut pending = false;
        loop {
            let due =
                (pending && self.away.is_none()).then(|| self.drawn.map_or_else(Instant::now, |drawn| drawn + FRAME));
            let mut prompt = false;
            match self.bus.next(self.state.deadline(), due).await {
                Input::Leave(_) => break,
                Input::Line(..) | Input::Closed => {}
                Input::Pause => {
                    self.pause(screen)?;
                    (prompt, pending) = (true, true);
                }
                Input::Frame => prompt = true,
                Input::Coloured => {
                    self.cache.forget_rows();
                    pending = true;
                }
                Input::Event(event) => {
                    prompt |= matches!(event, Event::Key(_) | Event::Keys(_) | Event::Paste(_) | Event::Resize(..));
                    if matches!(event, Event::Edited(..) | Event::Paged(_)) {
                        screen.resume()?;
                        self.resized()?;
                        self.bus.attach();
                        self.away = None;
                        prompt = true;
                    }
                    let now = self.bus.now();
                    let open = self.state.modal.is_some();
                    remember::clock(&mut self.state, now, &event);
                    let mut pieces = if matches!(event, Event::Model(..)) { PIECES } else { 0 };
                    let mut effects = update(&mut self.state, now, event);
                    while let Some(piece) = (pieces > 0).then(|| self.bus.piece()).flatten() {
                        effects.extend(update(&mut self.state, now, piece));
                        pieces -= 1;
                    }
                    // One opens at most for each that the person closes: no flood of output or calls can draw this way.
                    prompt |= !open && self.state.modal.is_some();
                    if !self.woken && !self.state.composer.is_empty() {
                        // Whoever types a message wants a model soon; before that, nothing of others is started.
                        self.woken = true;
                        self.engine.wake();
                    }
                    if !self.perform(effects, screen)? {
                        break;
                    }
                    if let Some(wish) = self.wish.take() {
                        self.switch(wish).await;
                        prompt = true;
                    }
                    pending |= self.state.take_dirty();
                }
            }
            let rested = self.drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME);
            if pending && self.away.is_none() && (prompt || rested) {
                self.draw(screen)?;
                pending = self.state.take_dirty();
            }
        }
        if let Some(lent) = self.away.take() {
            lent.call_back().await;
        }
        let farewell = self.state.farewell(&self.start.again());
        leave(self.state, self.engine, self.bus).await;
        drop(self.world);
        Ok(farewell)
    }

    /// Gives the terminal back, stops, and takes it again once the program goes on; unless another program has it.
    fn pause(&mut self, screen: &mut Screen) -> io::Result<()> {
        if self.away.is_some() {
            terminal::stop();
            return Ok(());
        }
        screen.suspend();
        terminal::stop();
        screen.resume()?;
        self.resized()
    }

    /// The terminal may have another size than before.
    fn resized(&mut self) -> io::Result<()> {
        let (columns, rows) = crossterm::terminal::size()?;
        update(&mut self.state, self.bus.now(), Event::Resize(columns, rows));
        Ok(())
    }

    /// Draws one frame and tells the state what was on it.
    fn draw(&mut self, screen: &mut Screen) -> io::Result<()> {
        let mut sight = crate::app::Sight::default();
        screen.terminal.draw(|frame| sight = draw(frame, &self.state, &mut self.cache, &self.theme))?;
        self.drawn = Some(Instant::now());
        self.state.take_dirty();
        let wanted = wanted();
        if !wanted.is_empty() {
            let lane = self.engine.lanes.work.clone();
            tokio::task::spawn_blocking(move || {
                if load(wanted) {
                    let _leaving = lane.blocking_send(Work::Coloured);
                }
            });
        }
        let now = self.bus.now();
        let effects = update(&mut self.state, now, Event::Drawn(Box::new(sight)));
        self.perform(effects, screen).map(|_stays| ())
    }

    /// Performs effects; false to leave.
    fn perform(&mut self, effects: Vec<Effect>, screen: &mut Screen) -> io::Result<bool> {
        for effect in effects {
            let Some(effect) = self.engine.perform(effect) else { continue };
            match effect {
                Effect::OpenEditor { id, text, suffix } => {
                    let (scratch, lane) = (self.scratch.clone(), self.engine.lanes.work.clone());
                    self.lend(screen, |back| async move {
                        let edited = editor::edit(&scratch, id, &text, &suffix, &back).await;
                        let _leaving = lane.send(Work::Edited(id, edited)).await;
                    });
                }
                Effect::Page(content) => {
                    let outputs = Arc::clone(&self.engine.person_side.bench.outputs);
                    let lane = self.engine.lanes.work.clone();
                    self.lend(screen, |back| async move {
                        let trouble = pager::show(outputs, content, &back).await.err();
                        let _leaving = lane.send(Work::Paged(trouble)).await;
                    });
                }
                Effect::Copy(text) => Screen::copy(&pager::plain(&text)),
                Effect::Theme(name) => match look::theme(&name, &process_environment) {
                    Ok(theme) => self.theme = theme,
                    Err(why) => drop(update(&mut self.state, self.bus.now(), Event::Notice(why))),
                },
                Effect::Notify(said) => notify::tell(self.notify, &said, process_environment("TMUX").is_some()),
                Effect::Redraw => screen.redraw()?,
                Effect::ListSessions(picker) => self.list_sessions(picker),
                Effect::Switch(another) => self.wish = Some(another),
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Gives the terminal to a program of the person's own until its task says that it ended.
    fn lend<F>(&mut self, screen: &mut Screen, task: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        screen.suspend();
        self.bus.release();
        self.away = Some(Lent::to(task));
    }
}

/// Stops what runs, gives it a grace time to report its end, closes the journal.
async fn leave(state: State, mut engine: Engine, mut bus: Bus) {
    engine.stop_all();
    let running = |state: &State| {
        state.queue.running().filter(|item| matches!(item.status, crate::app::Status::Running { .. })).count()
    };
    let mut left = running(&state);
    let farewell = async {
        while left > 0 {
            match bus.last_words().await {
                Some((_, RunEvent::Finished(_))) => left -= 1,
                Some(_) => {}
                None => return,
            }
        }
    };
    let _too_late = tokio::time::timeout(GRACE, farewell).await;
    if let Some(servers) = engine.person_side.registry.servers() {
        servers.close().await;
    }
    let _too_late = tokio::time::timeout(GRACE, engine.recorder.close()).await;
}
