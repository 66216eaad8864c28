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
    waiting: Mutex<VecDeque<Request>>,
    woken: Notify,
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
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(request);
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
        let closing = waiting.iter().position(|request| matches!(request, Request::Close(_)));
        let end = closing.map_or(waiting.len(), |at| at + 1);
        waiting.drain(..end).collect()
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
