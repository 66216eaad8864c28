//! Models behind one small trait: a request in, a stream of events out. Dropping the stream cancels it.

use futures::stream::BoxStream;

use crate::domain::{ModelEvent, ModelRequest};

/// A model at a provider.
pub trait Provider: Send + Sync {
    /// Name for the status line, such as `gpt-5 (openai)`.
    fn label(&self) -> String;

    /// Whether messages and results leave this machine.
    fn remote(&self) -> bool;

    /// Starts one request. The stream ends with exactly one `Ended` or `Failed`; dropping it cancels.
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent>;
}
