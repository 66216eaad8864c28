//! The one way into the journal: what the loop and its tasks add, in the order in which they handed it over, as many
//! entries at once as wait. Nothing here is dropped, and nobody waits to hand something over: what waits is bounded by
//! what the state holds anyway.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::{BoxFuture, Shared};
use tokio::sync::{Notify, mpsc, oneshot};

use super::bus::Work;
use crate::domain::JournalEntry;
use crate::store::Journal;

/// The journal once it is open; asked for by everything that needs it.
pub type Opening = Shared<BoxFuture<'static, Result<Journal, String>>>;

/// A handle to it. Clones share the one order.
#[derive(Clone, Debug)]
pub struct Recorder(Arc<Queue>);

#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    woken: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    requests: VecDeque<Request>,
    /// The wish to close was handed over: nobody takes what would come after it.
    closed: bool,
}

#[derive(Debug)]
enum Request {
    Append(Vec<JournalEntry>, oneshot::Sender<Result<(), String>>),
    Close(oneshot::Sender<Result<(), String>>),
}

impl Recorder {
    /// Begins to write once the journal is open. Says on the lane if it can't be written.
    pub fn start(opening: Opening, lane: mpsc::Sender<Work>) -> Self {
        let queue = Arc::new(Queue::default());
        tokio::spawn(write(opening, Arc::clone(&queue), lane));
        Self(queue)
    }

    /// Adds entries after all that were handed over before. They have their place at once; the answer comes when they are
    /// safely on disk. Without entries it tells when everything before is.
    pub fn append(&self, entries: Vec<JournalEntry>) -> impl Future<Output = Result<(), String>> + use<> {
        let (answer, answered) = oneshot::channel();
        self.push(Request::Append(entries, answer));
        told(answered)
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
        waiting.requests.push_back(request);
        drop(waiting);
        self.0.woken.notify_one();
    }
}

async fn told(answered: oneshot::Receiver<Result<(), String>>) -> Result<(), String> {
    answered.await.unwrap_or_else(|_| Err("the journal is closed, so nothing more runs".to_owned()))
}

impl Queue {
    /// What waits, up to a wish to close.
    fn take(&self) -> Vec<Request> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let closing = waiting.requests.iter().position(|request| matches!(request, Request::Close(_)));
        let end = closing.map_or(waiting.requests.len(), |at| at + 1);
        waiting.requests.drain(..end).collect()
    }
}

async fn write(opening: Opening, queue: Arc<Queue>, lane: mpsc::Sender<Work>) {
    let journal = opening.await;
    loop {
        let requests = queue.take();
        if requests.is_empty() {
            queue.woken.notified().await;
            continue;
        }
        let (mut entries, mut answers, mut closing) = (Vec::new(), Vec::new(), None);
        for request in requests {
            match request {
                Request::Append(more, answer) => {
                    entries.extend(more);
                    answers.push(answer);
                }
                Request::Close(answer) => closing = Some(answer),
            }
        }
        let wanted = !entries.is_empty();
        let written = match &journal {
            Ok(journal) if wanted => journal.append_all(&entries).await.map_err(|error| error.to_string()),
            Ok(_) => Ok(()),
            Err(reason) => Err(reason.clone()),
        };
        if let Err(reason) = &written
            && wanted
        {
            let _leaving = lane.send(Work::JournalFailed(reason.clone())).await;
        }
        for answer in answers {
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

    #[tokio::test]
    async fn what_comes_after_the_end_is_answered_at_once() {
        let opening = async { Err("no disk".to_owned()) }.boxed().shared();
        let recorder = Recorder::start(opening, mpsc::channel(1).0);
        recorder.close().await;
        let answered = tokio::time::timeout(Duration::from_secs(5), recorder.append(Vec::new())).await.unwrap();
        assert!(answered.unwrap_err().starts_with("the journal is closed"));
        recorder.close().await;
    }
}
