//! Small requests beside a conversation: which models there are, whether a server answers on this machine, whether a
//! model can be used. Called by the first start, by `/model` and by `countersign doctor`.

use std::net::ToSocketAddrs as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::super::settings::Endpoint;
use super::super::{Provider as _, ProviderSettings};
use super::{Listed, Remote};
use crate::domain::{FailureKind, Message, ModelEvent, ModelFailure, ModelRequest};

/// Longest wait for a connection on this machine.
const NEAR: Duration = Duration::from_millis(300);
/// Longest wait for the list of a server on this machine, when it is only looked for.
const GLANCE: Duration = Duration::from_millis(1_500);
/// Longest silence when a model is tried: a server here may have to load it first.
const TRIAL: Duration = Duration::from_mins(1);

/// What a model answered when it was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Name of the model, as the status line has it.
    pub label: String,
    /// How long its answer took.
    pub took: Duration,
}

fn remote(settings: ProviderSettings) -> Result<Remote, ModelFailure> {
    let failed =
        |error: super::ProviderError| ModelFailure { kind: FailureKind::Unauthorised, message: format!("{error}.") };
    Remote::new(settings).map_err(failed)
}

/// Asks a provider which models it has.
///
/// # Errors
/// It can't be reached, or refuses; in one sentence without the key.
pub async fn models(settings: ProviderSettings) -> Result<Vec<Listed>, ModelFailure> {
    let line = remote(settings)?.line;
    let clients = line.clients().await.map_err(|trouble| trouble.failure)?;
    line.list(&clients.http).await.map_err(|trouble| trouble.failure)
}

/// The models of a server on this machine, if one answers there at once. Looks nowhere else.
pub async fn answers(settings: ProviderSettings) -> Option<Vec<Listed>> {
    let address = settings.base_url.as_deref().unwrap_or(settings.maker.home);
    let endpoint = Endpoint::read(settings.kind(), address).ok().filter(Endpoint::loopback)?;
    let port = endpoint.0.port_or_known_default()?;
    let host = endpoint.0.host_str()?.trim_matches(['[', ']']).to_owned();
    // Names are those of this machine: they need no server to be found.
    let address = if host.ends_with("localhost") { "127.0.0.1".to_owned() } else { host };
    let address = (address.as_str(), port).to_socket_addrs().ok()?.next()?;
    timeout(NEAR, TcpStream::connect(address)).await.ok()?.ok()?;
    timeout(GLANCE, models(settings)).await.ok()?.ok()
}

/// Sends one short sentence and waits for the end of the answer.
///
/// # Errors
/// What went wrong and what to do, in one sentence without the key.
pub async fn try_out(mut settings: ProviderSettings) -> Result<Answered, ModelFailure> {
    settings.patience = Some(settings.patience.unwrap_or(TRIAL));
    let remote = remote(settings)?;
    let request = ModelRequest {
        system: "".into(),
        messages: vec![Arc::new(Message::User("Answer with the one word: ready".to_owned()))],
        tools: Vec::new().into(),
    };
    let began = Instant::now();
    let mut stream = remote.stream(request);
    while let Some(event) = stream.next().await {
        match event {
            ModelEvent::Again(_) | ModelEvent::Text(_) | ModelEvent::Call(_) | ModelEvent::Untaken(_) => {}
            ModelEvent::Ended(..) => return Ok(Answered { label: remote.label(), took: began.elapsed() }),
            ModelEvent::Failed(failure) => return Err(failure),
        }
    }
    Err(ModelFailure { kind: FailureKind::CutOff, message: "The answer broke off. Try again.".to_owned() })
}
