//! Whether databases can be reached, for the status line: looked at where the command line names one, and learnt from
//! each use.

use std::sync::Arc;

use tokio::sync::mpsc::Sender;

use super::bus::Work;
use super::engine::Side;
use super::judging;
use crate::domain::{Operation, OperationKind, Prepared};
use crate::tools::Connections;

/// Looks at a new operation and judges it; tells whether the database that it is for was reached.
pub(super) async fn look(side: Side, operation: Operation, lane: &Sender<Work>) -> Result<Prepared, String> {
    let database = match &operation.kind {
        OperationKind::Sql(sql) => Some((Arc::clone(&side.connections), sql.connection.clone())),
        _ => None,
    };
    let judged = judging::look(side, operation).await;
    if let Some((connections, name)) = database {
        tell(&connections, name, lane).await;
    }
    judged
}

async fn tell(connections: &Connections, name: String, lane: &Sender<Work>) {
    if let Some(reached) = connections.reached(&name) {
        let _leaving = lane.send(Work::Reached(name, reached)).await;
    }
}

/// Looks whether the databases that the command line names can be reached: who named them wants to know at once.
pub(super) fn reach(side: &Side, opened: &[String], lane: &Sender<Work>) {
    for name in opened {
        let (connections, name, lane) = (Arc::clone(&side.connections), name.clone(), lane.clone());
        tokio::spawn(async move {
            if let Err(why) = connections.reach(&name, false).await {
                let _leaving = lane.send(Work::Notice(why)).await;
            }
            tell(&connections, name, &lane).await;
        });
    }
}
