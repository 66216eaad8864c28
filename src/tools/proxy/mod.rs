//! The way of a run to hosts: a proxy of ours, the one thing in the network of the run. A staged run reaches the hosts
//! that the person allows (`staged_hosts`) and no others; what runs unasked because it looks at public hosts reaches
//! those, at the address that was judged, redirects included. The proxy speaks `CONNECT`, and for looks hands on plain
//! requests too, which it sees to be some; it bounds what goes through, and ends with the run.

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
use crate::store::Layer;

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
    /// What may be reached.
    pub(super) hosts: Hosts,
    /// The private folder of its door, where that isn't the folder of the run's layer: it goes with the proxy.
    pub(super) _place: Option<Layer>,
}

/// What a proxy leads to.
#[derive(Debug)]
pub(super) enum Hosts {
    /// These alone, each with its port.
    Listed(BTreeSet<String>),
    /// Any public host.
    Public,
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
        match &self.hosts {
            Hosts::Listed(hosts) => format!("It may reach {}.", listed(hosts)),
            Hosts::Public => "It may look at public hosts.".to_owned(),
        }
    }

    /// Begins to serve. The listener comes when the run begins.
    pub(super) fn open(self) -> Proxy {
        let tally = Arc::new(Tally::new(matches!(self.hosts, Hosts::Public)));
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
async fn serve(Closed { door, hosts, _place }: Closed, tally: Arc<Tally>) {
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
