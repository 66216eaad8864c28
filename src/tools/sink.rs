//! Where a running tool writes its output: takes bytes at once, shows at most one snapshot a frame, and
//! never waits for the screen. Every tool that prints has one for each run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use super::RunPort;
use super::output::Log;
use crate::domain::{RunEvent, Stream};

/// Time between two snapshots.
const FRAME: Duration = Duration::from_millis(33);
/// Bytes of one read.
const READ: usize = 64 * 1024;

#[derive(Debug, Default)]
struct Shared {
    log: Mutex<Log>,
    changed: Notify,
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, stream: Stream, bytes: &[u8]) {
        self.log().write(stream, bytes);
        self.changed.notify_one();
    }
}

/// The output of one run. Dropping it stops its snapshots.
#[derive(Debug)]
pub(super) struct Sink {
    shared: Arc<Shared>,
    port: RunPort,
    painter: AbortOnDropHandle<()>,
}

impl Sink {
    /// A sink whose snapshots go to `port`. What is long is kept on disk where the port says so.
    pub(super) fn new(port: RunPort) -> Self {
        let log = Log::new(port.outputs.clone().map(|outputs| (outputs, port.id)));
        let shared = Arc::new(Shared { log: Mutex::new(log), changed: Notify::new() });
        let painter = AbortOnDropHandle::new(tokio::spawn(paint(Arc::clone(&shared), port.clone())));
        Self { shared, port, painter }
    }

    /// Takes text of the tool itself, at once.
    pub(super) fn say(&self, text: &str) {
        self.shared.write(Stream::Out, text.as_bytes());
    }

    /// The same for another thread.
    pub(super) fn writer(&self) -> Writer {
        Writer { shared: Arc::clone(&self.shared) }
    }

    /// Reads a child's pipe to its end, in a task that ends with the handle.
    pub(super) fn drain(&self, stream: Stream, pipe: impl AsyncRead + Unpin + Send + 'static) -> AbortOnDropHandle<()> {
        AbortOnDropHandle::new(tokio::spawn(read(Arc::clone(&self.shared), stream, pipe)))
    }

    /// Shows the last snapshot and gives the text for the model, at most about `limit` bytes of it.
    pub(super) async fn finish(self, limit: usize) -> String {
        drop(self.painter);
        let (tail, text) = {
            let mut log = self.shared.log();
            log.close();
            (log.end(), log.for_model(limit, self.port.readable.then_some(self.port.id)))
        };
        self.port.send(RunEvent::Tail(tail.tail())).await;
        text
    }
}

/// Writes into a sink from another thread.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
}

impl Writer {
    /// Takes text, at once.
    pub(super) fn say(&self, text: &str) {
        self.shared.write(Stream::Out, text.as_bytes());
    }
}

/// Sends a snapshot after each change, at most one a frame. A full lane delays snapshots, never the reading.
async fn paint(shared: Arc<Shared>, port: RunPort) {
    loop {
        shared.changed.notified().await;
        let end = shared.log().end();
        port.send(RunEvent::Tail(end.tail())).await;
        tokio::time::sleep(FRAME).await;
    }
}

/// Reads until the end, or until reading fails: both mean that nothing more comes.
async fn read(shared: Arc<Shared>, stream: Stream, mut pipe: impl AsyncRead + Unpin) {
    let mut buffer = vec![0; READ];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        shared.write(stream, &buffer[..count]);
    }
}
