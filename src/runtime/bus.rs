//! The bus: bounded lanes into one loop. A lane's sender can say only its lane's words; a full lane makes its
//! sender wait (the model's socket, the child's pipe), never the keys. There is no event that approves.

use std::time::{Duration, Instant};

use crossterm::event::{Event as TermEvent, EventStream};
use futures::StreamExt as _;
use tokio::sync::mpsc;

use crate::app::{Event, Millis, Proposal};
use crate::domain::{Enforceable, Foresight, ModelEvent, OperationId, RunEvent, Seal, StepId};

/// Room in each lane.
const ROOM: usize = 256;

/// What preparing and journalling tasks say.
#[derive(Debug)]
pub enum Work {
    /// A call was read.
    Proposed(OperationId, Proposal),
    /// A draft of an edited call was read and judged.
    Assessed(u64, Proposal),
    /// An operation was looked at again.
    Refreshed(OperationId, Proposal),
    /// The effects of an operation were measured.
    Measured(OperationId, Seal, Foresight),
    /// The journal failed.
    JournalFailed(String),
    /// It was proved what this machine enforces.
    Proved(Enforceable),
}

/// The senders, handed to the tasks at the edges.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// One task for each step; stamped with it.
    pub model: mpsc::Sender<(StepId, ModelEvent)>,
    /// One task for each running operation; stamped with its number.
    pub run: mpsc::Sender<(OperationId, RunEvent)>,
    /// Preparing tasks.
    pub work: mpsc::Sender<Work>,
}

/// The other ends, for the bus alone.
#[derive(Debug)]
pub struct Receivers {
    model: mpsc::Receiver<(StepId, ModelEvent)>,
    run: mpsc::Receiver<(OperationId, RunEvent)>,
    work: mpsc::Receiver<Work>,
}

/// The lanes: a dropped sender means that its task ended, a dropped receiver that the program leaves.
#[must_use]
pub fn lanes() -> (Lanes, Receivers) {
    let (model, from_model) = mpsc::channel(ROOM);
    let (run, from_run) = mpsc::channel(ROOM);
    let (work, from_work) = mpsc::channel(ROOM);
    (Lanes { model, run, work }, Receivers { model: from_model, run: from_run, work: from_work })
}

/// What the loop wakes for.
#[derive(Debug)]
pub enum Input {
    /// Something for the state.
    Event(Event),
    /// The frame that was put off is due.
    Frame,
    /// The terminal is gone or a signal asks to leave.
    Leave,
}

/// The receiving side.
#[derive(Debug)]
pub struct Bus {
    term: EventStream,
    model: mpsc::Receiver<(StepId, ModelEvent)>,
    run: mpsc::Receiver<(OperationId, RunEvent)>,
    work: mpsc::Receiver<Work>,
    signals: Signals,
    start: Instant,
}

impl Bus {
    /// The bus over its lanes. Reads the terminal from now on.
    ///
    /// # Errors
    /// Signals can't be listened to.
    pub fn new(receivers: Receivers, start: Instant) -> std::io::Result<Self> {
        let Receivers { model, run, work } = receivers;
        Ok(Self { term: EventStream::new(), model, run, work, signals: Signals::new()?, start })
    }

    /// The time, as the state counts it.
    #[must_use]
    pub fn now(&self) -> Millis {
        Millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// The next thing to do. Keys come first, then what is due, then the model, then work and runs. The
    /// senders of every lane are kept by the loop, so no lane ever closes while it runs.
    pub async fn next(&mut self, wake: Option<Millis>, frame: Option<Instant>) -> Input {
        let wake = wake.map(|at| self.start + Duration::from_millis(at.0));
        loop {
            let event = tokio::select! {
                biased;
                term = self.term.next() => match term {
                    Some(Ok(TermEvent::Key(key))) => Event::Key(key),
                    Some(Ok(TermEvent::Paste(text))) => Event::Paste(text),
                    Some(Ok(TermEvent::Mouse(mouse))) => Event::Mouse(mouse),
                    Some(Ok(TermEvent::Resize(columns, rows))) => Event::Resize(columns, rows),
                    Some(Ok(TermEvent::FocusGained | TermEvent::FocusLost)) => continue,
                    Some(Err(_)) | None => return Input::Leave,
                },
                () = self.signals.recv() => return Input::Leave,
                () = until(frame) => return Input::Frame,
                () = until(wake) => Event::Wake,
                Some((step, event)) = self.model.recv() => Event::Model(step, event),
                Some(work) = self.work.recv() => match work {
                    Work::Proposed(id, proposal) => Event::Proposed(id, proposal),
                    Work::Assessed(draft, proposal) => Event::Assessed(draft, proposal),
                    Work::Refreshed(id, proposal) => Event::Refreshed(id, proposal),
                    Work::Measured(id, seal, foresight) => Event::Measured(id, seal, foresight),
                    Work::JournalFailed(reason) => Event::JournalFailed(reason),
                    Work::Proved(enforceable) => Event::Proved(enforceable),
                },
                Some((id, event)) = self.run.recv() => Event::Run(id, event),
            };
            return Input::Event(event);
        }
    }

    /// What running operations still say while the program leaves.
    pub async fn last_words(&mut self) -> Option<(OperationId, RunEvent)> {
        self.run.recv().await
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// The signals that ask to leave.
#[derive(Debug)]
struct Signals {
    #[cfg(unix)]
    each: [tokio::signal::unix::Signal; 3],
}

impl Signals {
    #[cfg(unix)]
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let each = [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?];
        Ok(Self { each })
    }

    #[cfg(unix)]
    async fn recv(&mut self) {
        let [terminate, hangup, interrupt] = &mut self.each;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn recv(&mut self) {
        let _ended = tokio::signal::ctrl_c().await;
    }
}
