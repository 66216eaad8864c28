//! `countersign run`: one message, no screen, no questions. The same state, engine and journal as everywhere; what
//! would ask is denied by the gate. Tells events for programs, or the answer and a line for each operation.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;

use super::assemble::{Assembled, assemble};
use super::bus::{self, Bus, INTERRUPT, Input};
use super::engine::Engine;
use super::resume::claim;
use super::retire::clear_out;
use super::{GRACE, LINES, leave};
use crate::app::{Effect, Event, Phase, Said, State, Status, update};
use crate::assess::conceal_text;
use crate::cli::{Errand, Start};
use crate::domain::{ApprovalMode, number};
use crate::store::{Claims, Kept};
use crate::ui::{End, Happened, Report, plain};

/// Exit code of bad usage.
const BAD_USAGE: u8 = 2;
/// Exit code where nobody reads standard output any more, as if by the signal for it.
const UNREAD: u8 = 141;
/// What a signal's number is added to.
const SIGNALLED: u8 = 128;
/// How long the test of the walls may take. What it would have allowed is refused without it.
const PROOF: Duration = Duration::from_secs(10);

/// Why a run stops before its end.
enum Stop {
    /// A signal, by its number.
    Signal(u8),
    /// Standard output can't be written.
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Runs it; gives the exit code.
pub async fn run(start: &Arc<Start>, errand: Errand, began: Instant) -> u8 {
    // Nobody goes on with it while it runs.
    let claims = Arc::new(Claims::open(&start.folders.data));
    if let Err(sentence) = claim(&claims, start) {
        return complain(&sentence, BAD_USAGE);
    }
    clear_out(start, &claims);
    let (lanes, receivers) = bus::lanes();
    let assembled = match Box::pin(assemble(start, lanes, LINES)).await {
        Ok(assembled) => assembled,
        Err(sentence) => return complain(&sentence, BAD_USAGE),
    };
    let Assembled { mut state, engine, effects, notices, world, .. } = assembled;
    if let Err(reason) = engine.recorder.all(Kept::Written).await {
        return complain(&format!("nothing runs without the journal: {reason}"), End::Journal.code());
    }
    let bus = match Bus::unattended(receivers, began) {
        Ok(bus) => bus,
        Err(error) => return complain(&format!("signals can't be listened to: {error}"), 1),
    };
    state.go_unattended();
    let tells = match (errand.json, io::stdout().is_terminal()) {
        (true, _) => Tells::Events,
        (false, true) => Tells::Speech,
        (false, false) => Tells::Answer,
    };
    let known = engine.model_side.bench.settings.known.clone();
    let run = Run {
        report: Report::new(Box::new(move |text| conceal_text(text, &known))).after(&state),
        state,
        engine,
        bus,
        tells,
        watched: io::stderr().is_terminal(),
        muted: false,
    };
    let code = Box::pin(run.live(&start.session.id, errand, effects, notices)).await;
    drop(world);
    code
}

fn complain(sentence: &str, code: u8) -> u8 {
    tell(sentence);
    code
}

/// A line on standard error; where nobody reads that either, nothing is lost.
fn tell(sentence: &str) {
    let _unread = writeln!(io::stderr(), "countersign: {sentence}");
}

/// What standard output gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tells {
    /// Events, one a line.
    Events,
    /// The model's last message.
    Answer,
    /// The model as it speaks, since it is a terminal.
    Speech,
}

struct Run {
    state: State,
    engine: Engine,
    bus: Bus,
    report: Report,
    tells: Tells,
    /// Standard error is a terminal: what runs is told.
    watched: bool,
    /// Nothing is written to standard output any more.
    muted: bool,
}

impl Run {
    async fn live(mut self, session: &str, errand: Errand, effects: Vec<Effect>, notices: Vec<Event>) -> u8 {
        let began = Instant::now();
        let stop = self.converse(session, errand, effects, notices).await.err();
        if stop.is_some() {
            self.muted |= matches!(stop, Some(Stop::Output(_))) || self.tells != Tells::Events;
            self.wind_down().await;
        }
        let mut status = self.report.end(&self.state);
        let code = match &stop {
            None => status.code(),
            Some(Stop::Signal(number)) => {
                status = End::Interrupted;
                SIGNALLED + number
            }
            Some(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => UNREAD,
            Some(Stop::Output(error)) => complain(&format!("standard output can't be written: {error}"), 1),
        };
        let needed = self.report.needed();
        if needed > 0 && self.tells != Tells::Events && stop.is_none() {
            let refused = number::count(needed, "operation");
            let hint = match self.state.queue.gate().policy().in_force() {
                // The workspace may set it, which -y doesn't change.
                ApprovalMode::Strict => "mode strict asks for everything",
                ApprovalMode::Guarded | ApprovalMode::Smart | ApprovalMode::AllowAll => "-y runs such",
            };
            tell(&format!("{refused} needed a confirmation and didn't get it: {hint}"));
        }
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.report.ended(status, code, milliseconds).line();
        let ends = self.tells == Tells::Events && !self.muted;
        leave(self.state, self.engine, self.bus).await;
        if ends {
            // Everything is in the journal by now. There is no later word that this could be told by.
            let _unread = tokio::time::timeout(GRACE, print(&format!("{last}\n"))).await;
        }
        code
    }

    async fn converse(
        &mut self,
        session: &str,
        errand: Errand,
        effects: Vec<Effect>,
        notices: Vec<Event>,
    ) -> Result<(), Stop> {
        let first = Report::begin(&self.state, session);
        self.happened(vec![first]).await?;
        for notice in notices {
            self.take(notice).await?;
        }
        self.prove().await?;
        // What a session that goes on is settled with: what was pending in it is read, and refused.
        for effect in effects {
            let _screens = self.engine.perform(effect);
        }
        self.take(Event::Task(errand.prompt, errand.attached)).await?;
        while self.moves() {
            let wake = self.bus.next(None, None).await;
            self.input(wake).await?;
        }
        if let (Tells::Answer, Some(answer)) = (self.tells, self.report.answer()) {
            let answer = plain(answer.trim_end());
            self.write(format!("{answer}\n")).await?;
        }
        Ok(())
    }

    /// Waits until it is known what is enforced here: what may run staged would be refused before.
    async fn prove(&mut self) -> Result<(), Stop> {
        let until = tokio::time::Instant::now() + PROOF;
        loop {
            let Ok(input) = tokio::time::timeout_at(until, self.bus.next(None, None)).await else { return Ok(()) };
            let proved = matches!(input, Input::Event(Event::Proved(_)));
            self.input(input).await?;
            if proved {
                return Ok(());
            }
        }
    }

    /// Whether the model speaks, or something that was asked for isn't over.
    fn moves(&self) -> bool {
        *self.state.chat.phase() != Phase::Idle || self.state.queue.running().next().is_some()
    }

    async fn input(&mut self, input: Input) -> Result<(), Stop> {
        match input {
            Input::Event(event) => self.take(event).await,
            Input::Leave(signal) => Err(Stop::Signal(signal.unwrap_or(INTERRUPT))),
            Input::Frame | Input::Coloured | Input::Line(..) | Input::Closed | Input::Pause => Ok(()),
        }
    }

    /// One event, what it wants done, and what is to be told of it.
    async fn take(&mut self, event: Event) -> Result<(), Stop> {
        let mut happened = Vec::new();
        self.report.hear(&self.state, &event, &mut happened);
        for effect in update(&mut self.state, self.bus.now(), event) {
            // What only a screen can do is asked for by keys, and there are none.
            let _screens = self.engine.perform(effect);
        }
        self.report.look(&self.state, &mut happened);
        self.happened(happened).await
    }

    async fn happened(&mut self, happened: Vec<Happened>) -> Result<(), Stop> {
        for event in happened {
            match (self.tells, &event) {
                (Tells::Events, event) => {
                    self.write(format!("{}\n", event.line())).await?;
                    continue;
                }
                (Tells::Speech, Happened::Text { text, .. }) => self.write(plain(text)).await?,
                // A message of the model ends where the next thing begins.
                (Tells::Speech, Happened::Usage { .. }) => self.write("\n".to_owned()).await?,
                (Tells::Speech | Tells::Answer, _) => {}
            }
            if let Some((line, always)) = event.progress()
                && (always || self.watched)
            {
                tell(&line);
            }
        }
        Ok(())
    }

    /// Ends the model's message and the children, and gives them time to say so.
    async fn wind_down(&mut self) {
        let now = self.bus.now();
        let until = tokio::time::Instant::now() + GRACE;
        let mut event = Event::Said(Said::StopAll, now);
        loop {
            if self.take(event).await.is_err() {
                // A second signal, or nobody reads any more: what runs is still ended in order.
                self.muted = true;
            }
            let running =
                |state: &State| state.queue.running().any(|item| matches!(item.status, Status::Running { .. }));
            loop {
                if !running(&self.state) {
                    return;
                }
                match tokio::time::timeout_at(until, self.bus.next(None, None)).await {
                    Ok(Input::Event(next)) => {
                        event = next;
                        break;
                    }
                    Ok(Input::Frame | Input::Coloured | Input::Line(..) | Input::Closed | Input::Pause) => {}
                    Ok(Input::Leave(_)) | Err(_) => return,
                }
            }
        }
    }

    /// Writes to standard output, unless a signal comes before somebody reads it.
    async fn write(&mut self, text: String) -> Result<(), Stop> {
        if self.muted {
            return Ok(());
        }
        tokio::select! {
            biased;
            signal = self.bus.signal() => Err(Stop::Signal(signal)),
            written = print(&text) => Ok(written?),
        }
    }
}

async fn print(text: &str) -> io::Result<()> {
    let mut out = tokio::io::stdout();
    out.write_all(text.as_bytes()).await?;
    out.flush().await
}
