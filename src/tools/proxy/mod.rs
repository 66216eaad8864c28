//! The way of a staged run to the hosts that the person allows (`staged_hosts`): a proxy of ours, the one thing in the
//! network of the run. It speaks `CONNECT` alone, reaches hosts of the list and no others, bounds what goes through,
//! and ends with the run. It sees bytes, and reads none.

mod call;
mod head;
mod tally;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use self::tally::Tally;
use crate::contain::Door;

/// Most calls at once; further ones wait.
const AT_ONCE: usize = 32;
/// Most calls of a run.
const CALLS: usize = 4096;
/// Pause after a call that couldn't be taken: files may have run out.
const PAUSE: Duration = Duration::from_millis(100);

/// A proxy that isn't open yet.
#[derive(Debug)]
pub(super) struct Closed {
    /// Where the listener comes from.
    pub(super) door: Door,
    /// The hosts that may be reached, each with its port.
    pub(super) hosts: BTreeSet<String>,
}

/// A proxy for as long as its run lasts. Dropping it ends every connection.
#[derive(Debug)]
pub(super) struct Proxy {
    tally: Arc<Tally>,
    serving: AbortOnDropHandle<()>,
}

impl Closed {
    /// What the person is told while the run lasts.
    pub(super) fn note(&self) -> String {
        format!("It may reach {}.", listed(&self.hosts))
    }

    /// Begins to serve. The listener comes when the run begins.
    pub(super) fn open(self) -> Proxy {
        let tally = Arc::new(Tally::default());
        let serving = AbortOnDropHandle::new(tokio::spawn(serve(self, Arc::clone(&tally))));
        Proxy { tally, serving }
    }
}

impl Proxy {
    /// Ends every connection, and says what came of the run's calls: in sentences, if there were any, and whether it
    /// didn't get where it wanted.
    pub(super) async fn close(self) -> (Option<String>, bool) {
        self.serving.abort();
        let _ended = self.serving.await;
        (self.tally.told(), self.tally.lacks())
    }
}

/// Hosts for a sentence.
#[must_use]
pub fn listed(hosts: &BTreeSet<String>) -> String {
    hosts.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Takes calls until it is ended.
async fn serve(Closed { door, hosts }: Closed, tally: Arc<Tally>) {
    let listener = match door.listener().await.and_then(|listener| {
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    }) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::warn!(%error, "a staged run reaches no host: its listener didn't come");
            return;
        }
    };
    let hosts = Arc::new(hosts);
    let (mut calls, mut taken) = (JoinSet::new(), 0);
    while taken < CALLS || !calls.is_empty() {
        tokio::select! {
            accepted = listener.accept(), if calls.len() < AT_ONCE && taken < CALLS => match accepted {
                Ok((inside, _)) => {
                    taken += 1;
                    let (hosts, tally) = (Arc::clone(&hosts), Arc::clone(&tally));
                    calls.spawn(async move { call::answer(inside, &hosts, &tally).await });
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = calls.join_next() => {}
        }
    }
}
