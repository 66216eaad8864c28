//! What is enforced around commands: found out beside the loop, and told to it before a command is judged or starts.

use std::time::Duration;

use tokio::sync::mpsc;

use super::bus::Work;
use super::engine::Side;
use crate::contain;
use crate::tools::stages;

/// How long a command that is read waits until it is known what is enforced around it.
pub(super) const PROOF: Duration = Duration::from_secs(10);

/// Says what is enforced around commands, once that is known: whether they can be staged, in the model's workspace. A
/// command that is judged or starts waits for it.
pub async fn prove(side: &Side, lane: &mpsc::Sender<Work>) {
    let proof = side.bench.walls.proof().await;
    let stages = proof.stages() && stages(&side.bench).await.is_ok();
    let _leaving = lane.send(Work::Proved(contain::enforceable(Some(&proof), stages))).await;
}
