//! The built-in practice model: a script and a planner instead of a network. It says what it is, makes real tool
//! calls on a world of its own, and never stands in for a provider that fails. The same scripts drive tests.

mod planner;
mod script;
mod server;
mod table;
mod world;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};

use super::{Provider, ProviderError};
use crate::domain::{ModelEvent, ModelFailure, ModelRequest, Prices, StopReason, Usage};
use planner::{End, Plan};
use script::Script;

pub use world::{PracticeWorld, WorldError};

/// What the built-in model knows.
const SESSION: &str = include_str!("../../../assets/practice/session.toml");
/// Time between two pieces of text, so that an answer is seen to arrive.
const PACE: Duration = Duration::from_millis(12);
/// Largest script that is read from a file.
const MOST_BYTES: u64 = 4 << 20;

/// A model that follows a script.
pub struct Practice {
    script: Arc<Script>,
    label: String,
    server: String,
    pace: Duration,
}

impl Practice {
    /// The built-in practice model, at work in `world`.
    pub fn new(world: &PracticeWorld) -> Result<Self, ProviderError> {
        let script = read(SESSION, "of the practice model")?;
        Ok(Self { script, label: "practice model".to_owned(), server: world.server_url.clone(), pace: PACE })
    }

    /// A scripted model from the text of a session, without pauses.
    pub fn from_text(toml: &str) -> Result<Self, ProviderError> {
        let script = read(toml, "given as text")?;
        Ok(Self { script, label: "scripted".to_owned(), server: String::new(), pace: Duration::ZERO })
    }

    /// A scripted model from a file.
    pub fn from_file(path: &Path) -> Result<Self, ProviderError> {
        let place = path.display().to_string();
        let refused = |reason: String| ProviderError::Session { place: place.clone(), reason };
        let size = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?.len();
        if size > MOST_BYTES {
            return Err(refused("it is larger than 4 MB".to_owned()));
        }
        let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
        let script = read(&text, &place)?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { script, label: format!("scripted ({name})"), server: String::new(), pace: Duration::ZERO })
    }

    /// The same with an address in place of `{server}`.
    #[must_use]
    pub fn with_server(mut self, url: impl Into<String>) -> Self {
        self.server = url.into();
        self
    }
}

/// Reads a script, with the place in the error.
fn read(toml: &str, place: &str) -> Result<Arc<Script>, ProviderError> {
    Script::parse(toml).map(Arc::new).map_err(|reason| ProviderError::Session { place: place.to_owned(), reason })
}

impl Provider for Practice {
    fn label(&self) -> String {
        self.label.clone()
    }

    fn remote(&self) -> bool {
        false
    }

    fn context(&self) -> u64 {
        u64::MAX
    }

    fn prices(&self) -> Option<Prices> {
        None
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent> {
        let plan = planner::plan(&self.script, &request, &self.server);
        let (delay, pace, hangs) = (plan.delay, self.pace, matches!(plan.end, End::Hang));
        let events = stream::iter(events(plan)).then(move |event| async move {
            if matches!(event, ModelEvent::Text(_)) && !pace.is_zero() {
                tokio::time::sleep(pace).await;
            }
            event
        });
        let start = stream::once(async move {
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
        })
        .filter_map(|()| async { None });
        let said = start.chain(events);
        if hangs { said.chain(stream::pending()).boxed() } else { said.boxed() }
    }
}

/// Everything that a plan says, in order.
fn events(plan: Plan) -> Vec<ModelEvent> {
    let mut events: Vec<ModelEvent> = pieces(&plan.text).map(|piece| ModelEvent::Text(piece.to_owned())).collect();
    let asked = !plan.calls.is_empty();
    match plan.end {
        End::Done => {
            events.extend(plan.calls.into_iter().map(ModelEvent::Call));
            let stop = if asked { StopReason::ToolCalls } else { StopReason::Done };
            events.push(ModelEvent::Ended(stop, Usage::default()));
        }
        End::Length => {
            events.extend(plan.calls.into_iter().map(ModelEvent::Call));
            events.push(ModelEvent::Ended(StopReason::Length, Usage::default()));
        }
        End::Fail(kind, message) => events.push(ModelEvent::Failed(ModelFailure { kind, message })),
        End::Hang => {}
    }
    events
}

/// A text in pieces of a few characters, cut after white space: what a stream looks like.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let long_enough = rest.char_indices().position(|(at, c)| at >= 6 && c.is_whitespace());
        let end = long_enough.and_then(|place| rest.char_indices().nth(place + 1)).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests;
