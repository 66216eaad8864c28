//! The bus: bounded lanes into one loop. A lane's sender can say only its lane's words; a full lane makes its
//! sender wait (the model's socket, the child's pipe), never the keys. No task's word approves: only a key, or a line, of the person's.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{Event as TermEvent, EventStream, poll, read};
use futures::StreamExt as _;
use tokio::sync::mpsc;

use super::lines::{Heard, listen};
use crate::app::{Collected, Content, Done, Event, Millis, PickerId, Proposal, Row, Switched};
use crate::domain::{
    Enforceable, Foresight, Leaf, Look, ModelEvent, OperationId, Page, Prepared, Recalled, Remembered, RunEvent, Seal,
    StepId,
};

/// Room in each lane.
const ROOM: usize = 256;
/// Most keys that are taken at once.
const KEYS: usize = 256;
/// An interrupt from the keyboard, by its number as a signal.
pub const INTERRUPT: u8 = 2;
/// The terminal was hung up.
#[cfg(unix)]
const HANGUP: u8 = 1;
/// Somebody asks politely.
#[cfg(unix)]
const TERMINATE: u8 = 15;

/// What preparing and journalling tasks say.
#[derive(Debug)]
pub enum Work {
    /// A call was read.
    Proposed(OperationId, Proposal),
    /// A draft of an edited call was read and judged.
    Assessed(u64, Proposal),
    /// An operation was looked at again.
    Refreshed(OperationId, Proposal),
    /// The same, and it would do something else than was shown.
    Otherwise(OperationId, Box<Prepared>, Foresight, String),
    /// The effects of an operation were measured.
    Measured(OperationId, Seal, Foresight),
    /// The journal failed.
    JournalFailed(String),
    /// It was proved what this machine enforces.
    Proved(Enforceable),
    /// A text came back from the person's own editor.
    Edited(OperationId, Result<String, String>),
    /// The pager ended, or why it couldn't be started.
    Paged(Option<String>),
    /// What an operation printed in an earlier sitting was read.
    Recalled(OperationId, Option<Recalled>),
    /// A part of an output was read.
    Looked(OperationId, Look, Option<Page>),
    /// Rows of a result were read.
    Leafed(OperationId, u64, Option<Leaf>),
    /// The lines of an output that hold a text were counted.
    Counted(OperationId, String, u64),
    /// What is kept of an output was read to be copied.
    Collected(Content, Collected),
    /// What became of saving.
    Saved(Result<String, (String, String)>),
    /// The rows of a list came, or why they don't.
    Filled(PickerId, Result<Vec<Row>, String>),
    /// Operations of earlier sessions were read.
    History(Vec<Prepared>),
    /// A rule was saved, or why it couldn't be.
    Remembered(Result<Remembered, String>),
    /// The rules that outlive a session are these now, and what is wrong with them, if that is news.
    Ruled(Vec<Remembered>, Option<String>),
    /// A sentence for the person.
    Notice(String),
    /// What was sent in earlier sessions.
    Earlier(Vec<String>),
    /// The files of the workspace.
    Files(Arc<[String]>),
    /// Something came of a step of the first start.
    SetUp(Done),
    /// A switch is ready, or failed.
    Switched(u64, Result<Box<Switched>, String>),
    /// Tokens that one request to the model may hold, as its server says.
    Context(u64),
    /// A connection was reached, or wasn't.
    Reached(String, bool),
    /// What the model is told of the folder's notes.
    Briefed(String),
    /// Colours that were missing are there.
    Coloured,
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
    /// Colours that the last frame lacked are there.
    Coloured,
    /// A line, none if it was too long, and since when it may have lain there.
    Line(Option<String>, Millis),
    /// No line comes any more.
    Closed,
    /// Somebody asks to stop for a while.
    Pause,
    /// The terminal is gone, or a signal with this number asks to leave.
    Leave(Option<u8>),
}

/// Where the person's words come from.
#[derive(Debug)]
enum Source {
    /// The keys of a terminal.
    Keys(Box<EventStream>),
    /// Nowhere: the person's own editor has the terminal.
    Away,
    /// Nowhere: nobody is there.
    Nobody,
    /// Lines, unless nobody listens just now.
    Lines(mpsc::Receiver<Heard>, bool),
}

/// What came from there.
enum Word {
    Key(Option<std::io::Result<TermEvent>>),
    Line(Option<Heard>),
}

impl Source {
    async fn next(&mut self) -> Word {
        match self {
            Self::Keys(term) => Word::Key(term.next().await),
            Self::Lines(lines, true) => Word::Line(lines.recv().await),
            Self::Lines(_, false) | Self::Away | Self::Nobody => std::future::pending().await,
        }
    }
}

/// The receiving side.
#[derive(Debug)]
pub struct Bus {
    source: Source,
    /// What the terminal said right behind some keys.
    held: Option<TermEvent>,
    model: mpsc::Receiver<(StepId, ModelEvent)>,
    run: mpsc::Receiver<(OperationId, RunEvent)>,
    work: mpsc::Receiver<Work>,
    signals: Signals,
    pauses: Pauses,
    start: Instant,
}

impl Bus {
    /// The bus over its lanes. Reads the terminal from now on.
    ///
    /// # Errors
    /// Signals can't be listened to.
    pub fn new(receivers: Receivers, start: Instant) -> std::io::Result<Self> {
        let Receivers { model, run, work } = receivers;
        let source = Source::Keys(Box::new(EventStream::new()));
        let (signals, pauses) = (Signals::new()?, Pauses::new()?);
        Ok(Self { source, held: None, model, run, work, signals, pauses, start })
    }

    /// The same, hearing lines of standard input.
    ///
    /// # Errors
    /// Signals can't be listened to.
    pub fn lines(receivers: Receivers, start: Instant) -> std::io::Result<Self> {
        let Receivers { model, run, work } = receivers;
        let source = Source::Lines(listen(move || since(start)), true);
        let (signals, pauses) = (Signals::new()?, Pauses::default());
        Ok(Self { source, held: None, model, run, work, signals, pauses, start })
    }

    /// The same, hearing nobody but signals.
    ///
    /// # Errors
    /// Signals can't be listened to.
    pub fn unattended(receivers: Receivers, start: Instant) -> std::io::Result<Self> {
        let Receivers { model, run, work } = receivers;
        let (signals, pauses) = (Signals::new()?, Pauses::default());
        Ok(Self { source: Source::Nobody, held: None, model, run, work, signals, pauses, start })
    }

    /// Stops reading the terminal, which another program gets.
    pub fn release(&mut self) {
        self.source = Source::Away;
    }

    /// Reads the terminal again.
    pub fn attach(&mut self) {
        self.source = Source::Keys(Box::new(EventStream::new()));
    }

    /// Whether the next line is wanted.
    pub fn hear(&mut self, wanted: bool) {
        if let Source::Lines(_, hears) = &mut self.source {
            *hears = wanted;
        }
    }

    /// The time, as the state counts it.
    #[must_use]
    pub fn now(&self) -> Millis {
        since(self.start)
    }

    /// What the model says next, if it is there already.
    pub fn piece(&mut self) -> Option<Event> {
        self.model.try_recv().ok().map(|(step, event)| Event::Model(step, event))
    }

    /// The next thing to do. Keys come first, then what is due, then the model, then work and runs. The
    /// senders of every lane are kept by the loop, so no lane ever closes while it runs.
    pub async fn next(&mut self, wake: Option<Millis>, frame: Option<Instant>) -> Input {
        if let Some(said) = self.held.take() {
            return Input::Event(self.heard(said));
        }
        let wake = wake.map(|at| self.start + Duration::from_millis(at.0));
        let away = matches!(self.source, Source::Away);
        loop {
            let event = tokio::select! {
                biased;
                word = self.source.next() => match word {
                    Word::Line(Some((line, typed))) => return Input::Line(line, typed),
                    Word::Line(None) => return Input::Closed,
                    Word::Key(Some(Ok(said))) => self.heard(said),
                    Word::Key(Some(Err(_)) | None) => return Input::Leave(None),
                },
                // An interrupt is the other program's while it has the terminal.
                signal = self.signals.recv() => {
                    if signal == INTERRUPT && away {
                        continue;
                    }
                    return Input::Leave(Some(signal));
                }
                () = self.pauses.recv() => return Input::Pause,
                () = until(frame) => return Input::Frame,
                () = until(wake) => Event::Wake,
                Some((step, event)) = self.model.recv() => Event::Model(step, event),
                Some(work) = self.work.recv() => match work {
                    Work::Proposed(id, proposal) => Event::Proposed(id, proposal),
                    Work::Assessed(draft, proposal) => Event::Assessed(draft, proposal),
                    Work::Refreshed(id, proposal) => Event::Refreshed(id, proposal),
                    Work::Otherwise(id, prepared, foresight, why) => Event::Otherwise(id, prepared, foresight, why),
                    Work::Measured(id, seal, foresight) => Event::Measured(id, seal, foresight),
                    Work::JournalFailed(reason) => Event::JournalFailed(reason),
                    Work::Proved(enforceable) => Event::Proved(enforceable),
                    Work::Edited(id, text) => Event::Edited(id, text),
                    Work::Paged(trouble) => Event::Paged(trouble),
                    Work::Recalled(id, recalled) => Event::Recalled(id, recalled),
                    Work::Looked(id, look, page) => Event::Looked(id, look, page),
                    Work::Leafed(id, at, leaf) => Event::Leafed(id, at, leaf),
                    Work::Counted(id, text, lines) => Event::Counted(id, text, lines),
                    Work::Collected(content, kept) => Event::Collected(content, kept),
                    Work::Saved(said) => Event::Saved(said),
                    Work::Filled(picker, rows) => Event::Filled(picker, rows),
                    Work::History(earlier) => Event::History(earlier),
                    Work::Ruled(kept, wrong) => Event::Ruled(kept, wrong),
                    Work::Remembered(saved) => Event::Remembered(Box::new(saved)),
                    Work::Notice(said) => Event::Notice(said),
                    Work::Earlier(earlier) => Event::Earlier(earlier),
                    Work::Files(files) => Event::Files(files),
                    Work::SetUp(done) => Event::SetUp(done),
                    Work::Switched(number, outcome) => Event::Switched(number, outcome),
                    Work::Context(tokens) => Event::Context(tokens),
                    Work::Reached(connection, reached) => Event::Reached(connection, reached),
                    Work::Briefed(notes) => Event::Briefed(notes),
                    Work::Coloured => return Input::Coloured,
                },
                Some((id, event)) = self.run.recv() => Event::Run(id, event),
            };
            return Input::Event(event);
        }
    }

    /// What the terminal said. Keys that are there at once come together.
    fn heard(&mut self, said: TermEvent) -> Event {
        let first = match said {
            TermEvent::Key(key) => key,
            TermEvent::Paste(text) => return Event::Paste(text),
            TermEvent::Mouse(mouse) => return Event::Mouse(mouse),
            TermEvent::Resize(columns, rows) => return Event::Resize(columns, rows),
            TermEvent::FocusGained => return Event::Focus(true),
            TermEvent::FocusLost => return Event::Focus(false),
        };
        let mut keys = vec![first];
        // Not by the stream: whoever only looks into it is the one that it wakes the next time.
        while keys.len() < KEYS && poll(Duration::ZERO).unwrap_or(false) {
            match read() {
                Ok(TermEvent::Key(key)) => keys.push(key),
                Ok(other) => {
                    self.held = Some(other);
                    break;
                }
                // What is wrong is wrong the next time, too.
                Err(_) => break,
            }
        }
        if let [only] = keys.as_slice() { Event::Key(*only) } else { Event::Keys(keys) }
    }

    /// The next signal that asks to leave, by its number.
    pub async fn signal(&mut self) -> u8 {
        self.signals.recv().await
    }

    /// What running operations still say while the program leaves.
    pub async fn last_words(&mut self) -> Option<(OperationId, RunEvent)> {
        self.run.recv().await
    }
}

fn since(start: Instant) -> Millis {
    Millis(u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX))
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// The signal that asks to stop for a while, where the screen is to be given back before.
#[derive(Debug, Default)]
struct Pauses {
    #[cfg(unix)]
    each: Option<tokio::signal::unix::Signal>,
}

impl Pauses {
    #[cfg(unix)]
    fn new() -> std::io::Result<Self> {
        use nix::sys::signal::Signal;
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { each: Some(signal(SignalKind::from_raw(Signal::SIGTSTP as i32))?) })
    }

    #[cfg(not(unix))]
    fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    async fn recv(&mut self) {
        #[cfg(unix)]
        if let Some(each) = &mut self.each {
            each.recv().await;
            return;
        }
        std::future::pending::<()>().await;
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
    /// The number of the next one.
    async fn recv(&mut self) -> u8 {
        let [terminate, hangup, interrupt] = &mut self.each;
        tokio::select! {
            _ = terminate.recv() => TERMINATE,
            _ = hangup.recv() => HANGUP,
            _ = interrupt.recv() => INTERRUPT,
        }
    }

    #[cfg(not(unix))]
    fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn recv(&mut self) -> u8 {
        let _ended = tokio::signal::ctrl_c().await;
        INTERRUPT
    }
}
