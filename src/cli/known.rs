//! What commands that show the journal know of secrets by their value. What only a session could know, such as a key that
//! a command printed, is noted in the journal itself.

use super::{Options, Start};
use crate::assess::Known;
use crate::config::process_environment;

/// The secrets that this program knows of: they are masked wherever they stand.
pub(super) fn known(options: &Options) -> Known {
    let known = Known::of_environment(std::env::vars_os());
    let connections = Start::read(&options.without_session(), &process_environment)
        .and_then(|start| start.connections(&process_environment));
    known.learn(connections.map(|(connections, _)| connections.secrets()).unwrap_or_default());
    known
}
