//! Measures what waits, off the loop: a few at once, each for a short time, ended when nobody needs it any more.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::bus::Work;
use super::engine::Side;
use crate::app::Expected;
use crate::assess::conceal;
use crate::domain::{Foresight, OperationId, Prepared, Seal};

/// Operations that are measured at once.
const AT_ONCE: usize = 4;
/// Time that one may take.
const LIMIT: Duration = Duration::from_secs(3);
/// Time to tell what was found by then.
const GRACE: Duration = Duration::from_millis(500);

/// Time that measuring may take right before a start.
const AGAIN: Duration = Duration::from_secs(1);

/// The measuring tasks.
pub(super) struct Measuring {
    room: Arc<Semaphore>,
    open: HashMap<OperationId, CancellationToken>,
}

impl Default for Measuring {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(AT_ONCE)), open: HashMap::new() }
    }
}

impl Measuring {
    /// Measures one, in the place of what was measured of it before.
    pub(super) fn start(&mut self, side: Side, prepared: Prepared, seal: Seal, lane: mpsc::Sender<Work>) {
        let id = prepared.operation.id;
        self.stop(id);
        self.open.retain(|_, token| !token.is_cancelled());
        let cancel = CancellationToken::new();
        self.open.insert(id, cancel.clone());
        let room = Arc::clone(&self.room);
        let guard = cancel.clone().drop_guard();
        tokio::spawn(async move {
            let _ended = guard;
            let _room = tokio::select! {
                room = room.acquire_owned() => room,
                () = cancel.cancelled() => return,
            };
            let foresight = measure(&side, prepared, &cancel).await;
            let _leaving = lane.send(Work::Measured(id, seal, foresight)).await;
        });
    }

    /// Ends the measuring of one: it was decided.
    pub(super) fn stop(&mut self, id: OperationId) {
        if let Some(token) = self.open.remove(&id) {
            token.cancel();
        }
    }

    /// Ends all of it.
    pub(super) fn stop_all(&mut self) {
        self.open.drain().for_each(|(_, token)| token.cancel());
    }
}

/// What an operation would do now, where that isn't what is expected, and why it waits then.
pub(super) async fn otherwise(
    side: &Side,
    prepared: &Prepared,
    expected: Option<Expected>,
) -> Option<(Foresight, String)> {
    let expected = expected?;
    let cancel = CancellationToken::new();
    // Nobody waits for what it still does then.
    let _ended = cancel.clone().drop_guard();
    let now = timeout(AGAIN, measure(side, prepared.clone(), &cancel)).await.ok();
    let why = expected.unlike(now.as_ref())?;
    let late = || Foresight::Unmeasurable(format!("Measuring it takes longer than {} s.", AGAIN.as_secs()));
    Some((now.unwrap_or_else(late), why))
}

/// One measure in a task of its own, so that a tool that fails can't take the program along.
async fn measure(side: &Side, prepared: Prepared, cancel: &CancellationToken) -> Foresight {
    let Some(tool) = side.registry.get(&prepared.operation.tool) else { return Foresight::Nothing };
    let stop = cancel.child_token();
    let own = stop.clone();
    let mut task = tokio::spawn(async move { tool.preview(&prepared, own).await });
    let ended = tokio::select! {
        ended = &mut task => Some(ended),
        () = sleep(LIMIT) => None,
        () = cancel.cancelled() => None,
    };
    stop.cancel();
    let ended = match ended {
        Some(ended) => Some(ended),
        None => timeout(GRACE, &mut task).await.ok(),
    };
    match ended {
        Some(Ok(measured)) => {
            let concealed = measured.map(|preview| {
                preview.map(|mut preview| {
                    conceal(&mut preview, &side.bench.settings);
                    preview
                })
            });
            concealed.into()
        }
        Some(Err(_)) => Foresight::Unmeasurable("Measuring it failed; the log has more.".to_owned()),
        None => {
            task.abort();
            Foresight::Unmeasurable(format!("Measuring it takes longer than {} s.", LIMIT.as_secs()))
        }
    }
}
