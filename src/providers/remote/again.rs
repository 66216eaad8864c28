//! A request that failed before the first piece of its answer is tried again; the wait is said before it begins.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};

use super::{LONGEST_PAUSE, Line, RETRIES};
use crate::domain::{FailureKind, ModelEvent, ModelRequest};

/// A request on its way to the first piece of its answer.
pub(super) struct Trying {
    line: Arc<Line>,
    request: ModelRequest,
    /// How long to wait before the next try, and after that where the provider names no time.
    wait: Duration,
    pause: Duration,
    tried: u32,
}

impl Trying {
    /// Nothing was sent yet.
    pub(super) fn new(line: Arc<Line>, request: ModelRequest) -> Self {
        let pause = line.pause;
        Self { line, request, wait: Duration::ZERO, pause, tried: 0 }
    }

    /// What comes of it: that it is tried again, then the answer or the trouble.
    pub(super) fn events(self) -> BoxStream<'static, ModelEvent> {
        stream::unfold(Some(self), |trying| async { Some(trying?.step().await) }).flatten().boxed()
    }

    /// One try, and what is left to do after it.
    async fn step(mut self) -> (BoxStream<'static, ModelEvent>, Option<Self>) {
        if !self.wait.is_zero() {
            tokio::time::sleep(self.wait).await;
        }
        let trouble = match self.line.attempt(&self.request).await {
            Ok(reading) => return (reading.events(), None),
            Err(trouble) => trouble,
        };
        let one = |event: ModelEvent| stream::once(async { event }).boxed();
        let wait = trouble.again.map(|asked| if asked.is_zero() { self.pause } else { asked });
        match wait.filter(|wait| self.tried < RETRIES && *wait <= LONGEST_PAUSE) {
            Some(wait) => {
                self.wait = wait;
                self.tried += 1;
                self.pause *= 3;
                let said = format!("trying again: {}", why(trouble.failure.kind));
                (one(ModelEvent::Again(said)), Some(self))
            }
            None => (one(ModelEvent::Failed(trouble.failure)), None),
        }
    }
}

/// Why, in two words.
fn why(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::RateLimited => "rate limit",
        FailureKind::Unavailable => "server trouble",
        FailureKind::Unreachable => "no connection",
        FailureKind::Unauthorised
        | FailureKind::NotFound
        | FailureKind::TooLong
        | FailureKind::CutOff
        | FailureKind::BadReply => "no answer",
    }
}
