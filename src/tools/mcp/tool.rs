//! A tool of a server, as one of ours: asked about like any other, and run by the server.

use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::super::sink::Sink;
use super::super::{RunPort, Tool, Workbench, cancelled, failed, foreign};
use super::client::{Word, cut};
use super::offer::Offer;
use super::result::told;
use super::server::{NoResult, Server};
use crate::assess::{McpAssessor, RiskAssessor};
use crate::domain::{
    Arguments, ArgumentsError, Countersigned, Declared, Detail, McpOperation, Measurement, OperationKind, Outcome,
    Part, Prepared, Preview, Remedy, RunEvent, RunReport, Text, ToolSpec,
};

/// Notes of progress that wait to be shown.
const NOTES: usize = 16;

/// One tool of one server.
#[derive(Clone, Debug)]
pub(super) struct McpTool {
    pub(super) server: Arc<Server>,
    pub(super) offer: Arc<Offer>,
    pub(super) bench: Arc<Workbench>,
}

impl Tool for McpTool {
    fn spec(&self) -> ToolSpec {
        self.offer.spec.clone()
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &McpAssessor
    }

    fn declared(&self) -> Option<&Declared> {
        Some(&self.offer.declared)
    }

    fn takes_claim(&self) -> bool {
        !self.offer.own_level
    }

    /// The server has the last word about its arguments.
    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        Ok(OperationKind::Mcp(McpOperation {
            server: self.server.config.name.clone(),
            tool: self.offer.tool.clone(),
            arguments: arguments.values.clone(),
        }))
    }

    /// What the server says of the tool: nothing else is known of its effect.
    fn preview<'a>(&'a self, prepared: &'a Prepared, _cancel: CancellationToken) -> BoxFuture<'a, Measurement> {
        let OperationKind::Mcp(mcp) = &prepared.operation.kind else { return Box::pin(async { Ok(None) }) };
        let said = prepared.facts.declared.as_ref().map_or("", |declared| declared.description.as_str());
        let details = if said.trim().is_empty() {
            Vec::new()
        } else {
            vec![Detail::Text(Text { language: "text", body: format!("{} says of it:\n\n{said}", mcp.server) })]
        };
        let preview = Preview {
            effects: vec!["Only the server knows what it does.".to_owned()],
            details,
            remedy: Remedy::Impossible("nothing is kept of what it changes.".to_owned()),
            ..Preview::default()
        };
        Box::pin(async move { Ok(Some(preview)) })
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::Mcp(mcp) = &countersigned.operation().kind else { return foreign(started) };
            let declared = countersigned.prepared().facts.declared.as_ref();
            let (notes, mut progress) = mpsc::channel(NOTES);
            let limit = self.server.config.time_limit.unwrap_or(self.bench.time_limit);
            let calling = self.server.call(mcp, declared, limit, notes, &cancel);
            let done = {
                // Progress is shown while it lasts; the result takes its place.
                let live = Sink::new(RunPort { outputs: None, ..port.clone() });
                tokio::pin!(calling);
                loop {
                    tokio::select! {
                        done = &mut calling => break done,
                        Some(word) = progress.recv() => match word {
                            Word::Progress(note) => live.say(&format!("progress {note}\n")),
                            Word::Refused(why) => port.send(refused(&why)).await,
                            Word::Asks(call) => port.send(RunEvent::Asks(call)).await,
                        },
                    }
                }
            };
            // The result may be there before what was said ahead of it was heard.
            while let Ok(word) = progress.try_recv() {
                if let Word::Refused(why) = word {
                    port.send(refused(&why)).await;
                }
            }
            let sink = Sink::new(port.clone());
            match done {
                Ok(result) => {
                    let told = told(&result);
                    sink.say(&told.text);
                    keep(told.parts, &countersigned, &port).await;
                    let result = sink.finish(self.bench.result_limit).await;
                    if told.failed {
                        let line = told.text.lines().find(|line| !line.trim().is_empty()).unwrap_or("without a word");
                        let reason = format!("{} says that it failed: {}", mcp.tool, cut(line));
                        let result = format!("error: {result}");
                        return RunReport { outcome: Outcome::Failed { reason }, result, took: started.elapsed() };
                    }
                    let outcome = Outcome::Succeeded { summary: told.summary };
                    let result = if result.trim().is_empty() { "it returned nothing".to_owned() } else { result };
                    RunReport { outcome, result, took: started.elapsed() }
                }
                Err(NoResult::Cancelled) => cancelled(started),
                Err(NoResult::TimedOut(seconds)) => RunReport {
                    outcome: Outcome::TimedOut { seconds },
                    result: format!("error: stopped at the time limit of {seconds} s; it may have acted all the same"),
                    took: started.elapsed(),
                },
                Err(NoResult::Failed(why)) => failed(why, started),
            }
        })
    }
}

fn refused(why: &str) -> RunEvent {
    RunEvent::Note(format!("The server asked for something and was refused: {why}."))
}

/// Keeps what of a result is no text, and says which of it can be saved.
async fn keep(parts: Vec<(Part, Vec<u8>)>, run: &Countersigned, port: &RunPort) {
    let (Some(outputs), false) = (port.outputs.clone(), parts.is_empty()) else { return };
    let id = run.operation().id;
    let kept = tokio::task::spawn_blocking(move || {
        let kept = |(part, bytes): &(Part, Vec<u8>)| outputs.keep_part(id, part.number, bytes).is_ok();
        parts.into_iter().filter(kept).map(|(part, _)| part).collect::<Vec<Part>>()
    });
    port.send(RunEvent::Parts(kept.await.unwrap_or_default())).await;
}
