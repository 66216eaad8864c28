//! The one way into the journal: what the loop and its tasks add, in the order in which they handed it over, as many
//! entries at once as wait. Nothing here is dropped, and nobody waits to hand something over: what waits is bounded by
//! what the state holds anyway.
//!
//! A write that is safely on disk costs as much as a short command. So what nobody waits for goes with the next entries
//! that somebody does wait for, or by itself a moment later. In a call that only reads that makes two writes of five:
//! one before it starts, with all that led to it, and one before the model is asked again. Both are only written at
//! first, so that they outlive this program. The first is synced while the call runs behind its walls, and what it read
//! goes nowhere before; the second along with the model's answer: asking runs nothing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::{BoxFuture, Shared};
use tokio::sync::{Notify, mpsc, oneshot};

use super::bus::Work;
use crate::assess::{Known, known_spans};
use crate::domain::JournalEntry;
use crate::store::{Journal, JournalError, Kept, Line};

/// How long entries may wait for others that somebody waits for.
const SOON: Duration = Duration::from_millis(10);

/// The journal once it is open; asked for by everything that needs it.
pub type Opening = Shared<BoxFuture<'static, Result<Journal, String>>>;

/// A handle to it. Clones share the one order.
#[derive(Clone, Debug)]
pub struct Recorder(Arc<Queue>);

#[derive(Debug, Default)]
struct Queue {
    /// What the session knows by value: where it stands in an entry is noted with it.
    known: Known,
    waiting: Mutex<Waiting>,
    woken: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    requests: VecDeque<Request>,
    /// Somebody waits for one of them.
    urgent: bool,
    /// The wish to close was handed over: nobody takes what would come after it.
    closed: bool,
}

#[derive(Debug)]
enum Request {
    Append(Vec<Line>, Option<Waiter>),
    Close(oneshot::Sender<Result<(), String>>),
}

/// Somebody who waits until everything up to here is as safe as that.
type Waiter = (Kept, oneshot::Sender<Result<(), String>>);

impl Recorder {
    /// Begins to write once the journal is open. Says on the lane if it can't be written.
    pub fn start(opening: Opening, lane: mpsc::Sender<Work>, known: Known) -> Self {
        let queue = Arc::new(Queue { known, ..Queue::default() });
        tokio::spawn(write(opening, Arc::clone(&queue), lane));
        Self(queue)
    }

    /// Adds entries after all that were handed over before. They have their place at once; the answer comes when they are
    /// as safe as that, and everything before. If one can't be expressed, none is handed over.
    pub fn append(&self, entries: &[JournalEntry], kept: Kept) -> impl Future<Output = Result<(), String>> + use<> {
        let (answer, answered) = oneshot::channel();
        match entries.iter().map(|entry| self.line(entry)).collect() {
            Ok(lines) => self.push(Request::Append(lines, Some((kept, answer)))),
            Err(error) => drop(answer.send(Err(error.to_string()))),
        }
        told(answered)
    }

    /// Tells when everything that was handed over is as safe as that.
    pub fn all(&self, kept: Kept) -> impl Future<Output = Result<(), String>> + use<> {
        self.append(&[], kept)
    }

    /// Adds entries after all that were handed over before. They have their place at once, and are on disk soon, and
    /// before anything that is added later.
    ///
    /// # Errors
    /// One can't be expressed, in one sentence without its end. It alone is left out: it tells nothing of the others.
    pub fn note(&self, entries: &[JournalEntry]) -> Result<(), String> {
        let (mut lines, mut left_out) = (Vec::new(), Ok(()));
        for entry in entries {
            match self.line(entry) {
                Ok(line) => lines.push(line),
                Err(error) => left_out = Err(error.to_string()),
            }
        }
        if !lines.is_empty() {
            self.push(Request::Append(lines, None));
        }
        left_out
    }

    fn line(&self, entry: &JournalEntry) -> Result<Line, JournalError> {
        Line::hiding(entry, &|text| known_spans(text, &self.0.known))
    }

    /// Writes what still waits and closes the journal.
    pub async fn close(&self) {
        let (answer, answered) = oneshot::channel();
        self.push(Request::Close(answer));
        let _nobody_is_left_to_tell = told(answered).await;
    }

    fn push(&self, request: Request) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.closed {
            // Without its sender, whoever waits is told at once that the journal is closed.
            return;
        }
        waiting.closed = matches!(request, Request::Close(_));
        waiting.urgent |= !matches!(request, Request::Append(_, None));
        waiting.requests.push_back(request);
        drop(waiting);
        self.0.woken.notify_one();
    }
}

async fn told(answered: oneshot::Receiver<Result<(), String>>) -> Result<(), String> {
    answered.await.unwrap_or_else(|_| Err("the journal is closed, so nothing more runs".to_owned()))
}

impl Queue {
    /// Waits until there is something, and then for what is soon to come, unless somebody waits already.
    async fn ready(&self) {
        let state = || {
            let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            (waiting.requests.is_empty(), waiting.urgent)
        };
        while state() == (true, false) {
            self.woken.notified().await;
        }
        let urgent = async {
            while !state().1 {
                self.woken.notified().await;
            }
        };
        let _late = tokio::time::timeout(SOON, urgent).await;
    }

    /// What waits, up to a wish to close.
    fn take(&self) -> Vec<Request> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.urgent = false;
        let closing = waiting.requests.iter().position(|request| matches!(request, Request::Close(_)));
        let end = closing.map_or(waiting.requests.len(), |at| at + 1);
        waiting.requests.drain(..end).collect()
    }
}

async fn write(opening: Opening, queue: Arc<Queue>, lane: mpsc::Sender<Work>) {
    let journal = opening.await;
    // What comes after a gap would tell of what isn't there: the session ends where the first entry was lost.
    let mut gap: Option<String> = None;
    // What was written last isn't on disk for certain.
    let mut unsynced = false;
    loop {
        queue.ready().await;
        let requests = queue.take();
        let (mut lines, mut answers, mut closing): (Vec<Line>, Vec<Waiter>, _) = (Vec::new(), Vec::new(), None);
        for request in requests {
            match request {
                Request::Append(more, answer) => {
                    lines.extend(more);
                    answers.extend(answer);
                }
                Request::Close(answer) => closing = Some(answer),
            }
        }
        // Only where all who wait are content with less: what nobody waits for is synced when it is written by itself.
        let kept = answers.iter().map(|(kept, _)| *kept).max().unwrap_or(Kept::Synced);
        let wanted = !lines.is_empty() || unsynced && kept == Kept::Synced;
        let written = match (&journal, &gap) {
            (Err(reason), _) | (Ok(_), Some(reason)) => Err(reason.clone()),
            (Ok(journal), None) if wanted => journal.append_lines(lines, kept).await.map_err(|error| error.to_string()),
            (Ok(_), None) => Ok(()),
        };
        if wanted {
            unsynced = kept == Kept::Written;
        }
        if let Err(reason) = &written
            && wanted
        {
            gap = Some(reason.clone());
            let _leaving = lane.send(Work::JournalFailed(reason.clone())).await;
        }
        for (_, answer) in answers {
            let _nobody_waits = answer.send(written.clone());
        }
        if let Some(answer) = closing {
            let closed = match journal {
                Ok(journal) => journal.close().await.map_err(|error| error.to_string()),
                Err(reason) => Err(reason),
            };
            let _nobody_waits = answer.send(closed);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt as _;

    use super::*;
    use crate::domain::{JournalEvent, OperationId, Outcome};
    use crate::store::{Archive, Session, Wanted};

    #[tokio::test]
    async fn what_nobody_waits_for_is_there_before_what_somebody_does_and_soon_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open(&path, Session::new(folder.path())).await.unwrap();
        let recorder = Recorder::start(async { Ok(journal) }.boxed().shared(), mpsc::channel(1).0, Known::default());
        let said = |text: &str| JournalEntry::of_session(JournalEvent::Said { text: text.to_owned() });
        recorder.note(&[said("one")]).unwrap();
        recorder.note(&[said("two")]).unwrap();
        recorder.all(Kept::Written).await.unwrap();
        recorder.append(&[said("three")], Kept::Synced).await.unwrap();
        let mut archive = Archive::open(&path).await.unwrap().unwrap();
        assert_eq!(archive.entries(&Wanted::default(), 0, 9).await.unwrap().len(), 3);
        recorder.note(&[said("four")]).unwrap();
        for _ in 0..500 {
            if archive.latest().await.unwrap() == 4 {
                break;
            }
            tokio::time::sleep(SOON).await;
        }
        assert_eq!(archive.latest().await.unwrap(), 4);
        recorder.close().await;
    }

    #[tokio::test]
    async fn what_the_session_knows_by_value_is_noted_with_what_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open(&path, Session::new(folder.path())).await.unwrap();
        let known = Known::default();
        let recorder = Recorder::start(async { Ok(journal) }.boxed().shared(), mpsc::channel(1).0, known.clone());
        known.learn(["plain-horse-42".to_owned()]);
        let said = |text: String| JournalEntry::of_session(JournalEvent::Said { text });
        let within = said("explain-horse-421 is a word of its own".to_owned());
        let said = said(format!("{} plain-horse-42 at its end", "a".repeat(100)));
        recorder.append(&[said.clone(), within], Kept::Synced).await.unwrap();
        recorder.close().await;
        let mut archive = Archive::open(&path).await.unwrap().unwrap();
        assert_eq!(archive.hidden(0).await.unwrap(), ["plain-horse-42"]);
        assert!(archive.hidden(1).await.unwrap().is_empty());
        let entries = archive.entries(&Wanted::default(), 0, 9).await.unwrap();
        assert_eq!(entries[0].content, crate::store::Content::Event(Box::new(said.event)), "it goes on as it was");
        let title = archive.sessions().await.unwrap()[0].title.clone().unwrap();
        assert!(title.contains("masked") && !title.contains("horse"), "{title}");
    }

    #[tokio::test]
    async fn nothing_is_written_after_a_gap() {
        use crate::domain::JournalEvent;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let session = crate::store::Session::new(folder.path());
        let journal = Journal::open(&path, session).await.unwrap();
        let opening = async { Ok(journal) }.boxed().shared();
        let (lane, mut told) = mpsc::channel(8);
        let recorder = Recorder::start(opening, lane, Known::default());
        let said = |text: &str| [JournalEntry::of_session(JournalEvent::Said { text: text.to_owned() })];
        recorder.append(&said("one"), Kept::Synced).await.unwrap();
        let away = folder.path().join("away");
        std::fs::rename(&path, &away).unwrap();
        assert!(recorder.append(&said("two"), Kept::Synced).await.is_err());
        std::fs::rename(&away, &path).unwrap();
        assert!(recorder.append(&said("three"), Kept::Synced).await.is_err(), "the journal could be written again");
        assert!(matches!(told.recv().await, Some(Work::JournalFailed(_))));
        recorder.close().await;
        let mut archive = crate::store::Archive::open(&path).await.unwrap().unwrap();
        assert_eq!(archive.latest().await.unwrap(), 1);
    }

    #[tokio::test]
    async fn what_is_only_written_is_synced_once_somebody_waits_for_that() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open(&path, Session::new(folder.path())).await.unwrap();
        let (lane, mut told) = mpsc::channel(8);
        let recorder = Recorder::start(async { Ok(journal) }.boxed().shared(), lane, Known::default());
        let said = |text: &str| [JournalEntry::of_session(JournalEvent::Said { text: text.to_owned() })];
        recorder.append(&said("one"), Kept::Written).await.unwrap();
        recorder.all(Kept::Synced).await.unwrap();
        std::fs::rename(&path, folder.path().join("away")).unwrap();
        recorder.all(Kept::Synced).await.unwrap();
        std::fs::rename(folder.path().join("away"), &path).unwrap();
        recorder.append(&said("two"), Kept::Written).await.unwrap();
        std::fs::rename(&path, folder.path().join("away")).unwrap();
        assert!(recorder.all(Kept::Synced).await.unwrap_err().contains("deleted or replaced"));
        assert!(matches!(told.recv().await, Some(Work::JournalFailed(_))));
        assert!(recorder.append(&said("three"), Kept::Written).await.is_err(), "nothing is written after a gap");
        recorder.close().await;
    }

    #[tokio::test]
    async fn an_entry_that_cant_be_expressed_leaves_no_gap() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let journal = Journal::open(&path, Session::new(folder.path())).await.unwrap();
        let (lane, mut told) = mpsc::channel(8);
        let recorder = Recorder::start(async { Ok(journal) }.boxed().shared(), lane, Known::default());
        let of = |id: u64| JournalEntry::of(OperationId(id), JournalEvent::ended(Outcome::Cancelled, 1));
        recorder.append(&[of(1)], Kept::Synced).await.unwrap();
        // No number in the file is as large.
        assert!(recorder.note(&[of(2), of(u64::MAX), of(3)]).unwrap_err().contains("can't be written"));
        assert!(recorder.append(&[of(u64::MAX), of(4)], Kept::Synced).await.unwrap_err().contains("can't be written"));
        recorder.append(&[of(5)], Kept::Synced).await.unwrap();
        recorder.close().await;
        drop(recorder);
        assert!(told.recv().await.is_none(), "the session was to end");
        let mut archive = Archive::open(&path).await.unwrap().unwrap();
        let entries = archive.entries(&Wanted::default(), 0, 9).await.unwrap();
        let there: Vec<_> = entries.iter().filter_map(|entry| entry.operation).collect();
        assert_eq!(there, [1, 2, 3, 5].map(OperationId));
    }

    #[tokio::test]
    async fn what_comes_after_the_end_is_answered_at_once() {
        let opening = async { Err("no disk".to_owned()) }.boxed().shared();
        let recorder = Recorder::start(opening, mpsc::channel(1).0, Known::default());
        recorder.close().await;
        let answered = tokio::time::timeout(Duration::from_secs(5), recorder.all(Kept::Written)).await.unwrap();
        assert!(answered.unwrap_err().starts_with("the journal is closed"));
        recorder.close().await;
    }
}
