//! `read_output`: reads on in what an operation of the model's own printed, where the result left some of it out. Of
//! any other it shows nothing.

use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::sink::Sink;
use super::{RunPort, Tool, Workbench};
use crate::assess::{Committed, RereadAssessor, RiskAssessor, withheld_spans};
use crate::domain::{
    Arguments, ArgumentsError, Countersigned, Facts, OperationId, OperationKind, Outcome, Place, RunReport, Span,
    ToolSpec, masked_part,
};

/// Bytes before and behind a part that are looked through for secrets which reach into it.
const AROUND: u64 = 16 * 1024;
/// Bytes that are read at once of what stands before a part.
const STEP: usize = 64 * 1024;

/// Reads on in outputs.
#[derive(Clone, Debug)]
pub struct RereadTool {
    bench: Arc<Workbench>,
}

impl RereadTool {
    /// The tool of a workbench.
    #[must_use]
    pub fn new(bench: Arc<Workbench>) -> Self {
        Self { bench }
    }

    /// Where a part of an output that begins at `from` holds lines of sensitive files, as all that stands before it says.
    fn committed(&self, id: OperationId, from: u64, part: &str) -> Vec<Span> {
        let workspace = self.bench.workspace.clone();
        let place = Place { cwd: workspace.clone(), workspace, home: self.bench.home.clone() };
        let facts = Facts { place, ..Facts::default() };
        let mut committed = Committed::of(None, &facts, &self.bench.settings);
        let (mut line, mut at) = (Vec::new(), 0);
        while at < from {
            let size = usize::try_from(from - at).unwrap_or(STEP).min(STEP);
            let Ok((bytes, _)) = self.bench.outputs.text(id, at, size) else { break };
            if bytes.is_empty() {
                break;
            }
            at += bytes.len() as u64;
            for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
                // Only the beginning of a line says of what it is.
                line.extend_from_slice(&piece[..piece.len().min(STEP.saturating_sub(line.len()))]);
                if piece.ends_with(b"\n") {
                    committed.hides(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
                    line.clear();
                }
            }
        }
        let begun = String::from_utf8_lossy(&line).into_owned();
        let spans = committed.spans(&format!("{begun}{part}"));
        let within = spans.into_iter().filter(|span| span.end > begun.len());
        within.map(|span| span.start.saturating_sub(begun.len())..span.end - begun.len()).collect()
    }

    /// The part that is asked for, and a note of what is left.
    fn part(&self, id: OperationId, from: u64, bytes: usize) -> Result<String, String> {
        if !self.bench.outputs.readable(id) {
            return Err(format!("{id} is no operation of yours whose output is kept"));
        }
        // A secret that is cut at either end is one all the same: what is around the part is looked at, too.
        let lead = from.min(AROUND);
        let room = usize::try_from(lead + AROUND).unwrap_or_default();
        let read = self.bench.outputs.text(id, from - lead, bytes.saturating_add(room));
        let (window, size) = read.map_err(|error| format!("the output of {id} can't be read: {error}"))?;
        let (before, rest) = window.split_at(window.len().min(usize::try_from(lead).unwrap_or_default()));
        if rest.is_empty() {
            return Err(format!("there is nothing at {from}: {size} bytes are kept"));
        }
        let mut end = bytes.min(rest.len());
        if from + (end as u64) < size {
            // Whole characters: the next part begins with the one that is cut off.
            let cut = rest[..end].iter().rev().take(3).position(|byte| *byte >= 0xC0).map_or(0, |at| at + 1);
            let incomplete = std::str::from_utf8(&rest[end - cut..end]).is_err();
            if incomplete && cut < end {
                end -= cut;
            }
        }
        let next = from + end as u64;
        let [before, part, behind] = [before, &rest[..end], &rest[end..]].map(String::from_utf8_lossy);
        let whole = [&*before, &*part, &*behind].concat();
        let secrets = withheld_spans(&whole, &self.bench.settings.known);
        let part = before.len()..before.len() + part.len();
        let committed = self.committed(id, from, &whole[part.clone()]);
        let mut text = masked_part(&whole, &beside(&secrets, &committed, part.start), part);
        if next < size {
            text.push_str(&format!("\n[bytes {from} to {next} of {size}; from {next} reads on]"));
        }
        Ok(text)
    }
}

/// Spans of a text and those of a part of it that begins at `start`, in order, those that meet made one.
fn beside(spans: &[Span], of_part: &[Span], start: usize) -> Vec<Span> {
    let moved = of_part.iter().map(|span| span.start + start..span.end + start);
    let mut all: Vec<Span> = spans.iter().cloned().chain(moved).collect();
    all.sort_by_key(|span| (span.start, span.end));
    all.dedup_by(|next, last| {
        let meet = next.start <= last.end;
        if meet {
            last.end = last.end.max(next.end);
        }
        meet
    });
    all
}

impl Tool for RereadTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_output".to_owned(),
            description: "Reads on in the output of an operation of yours whose result said that bytes were left out."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["operation", "from"],
                "properties": {
                    "operation": { "type": "integer", "minimum": 1, "description": "Its number, as the result says." },
                    "from": { "type": "integer", "minimum": 0, "description": "First byte." },
                    "bytes": {
                        "type": "integer", "minimum": 1, "maximum": self.bench.result_limit,
                        "description": format!("How many; {} without it.", self.bench.result_limit)
                    }
                }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &RereadAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        arguments.only(&["operation", "from", "bytes"])?;
        for name in ["operation", "from"] {
            if arguments.optional_number(name)?.is_none() {
                return Err(ArgumentsError(format!("the argument `{name}` is missing")));
            }
        }
        arguments.optional_number("bytes")?;
        Ok(OperationKind::Other(arguments.values.clone().into()))
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, _cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::Other(arguments) = &countersigned.operation().kind else {
                return super::foreign(started);
            };
            let number = |name: &str| arguments.get(name).and_then(serde_json::Value::as_u64);
            let (Some(id), Some(from)) = (number("operation"), number("from")) else {
                return super::foreign(started);
            };
            let bytes = number("bytes").and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
            let (tool, bytes) = (self.clone(), bytes.min(self.bench.result_limit));
            let read = tokio::task::spawn_blocking(move || tool.part(OperationId(id), from, bytes)).await;
            match read.unwrap_or_else(|_| Err("it couldn't be read".to_owned())) {
                Ok(text) => {
                    // A look at what is kept is not kept again.
                    let sink = Sink::new(RunPort { outputs: None, ..port });
                    sink.say(&text);
                    sink.finish(0).await;
                    let outcome = Outcome::Succeeded { summary: format!("from {from}") };
                    RunReport { outcome, result: text, took: started.elapsed() }
                }
                Err(reason) => super::failed(reason, started),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stream;
    use crate::store::Outputs;

    #[test]
    fn a_secret_that_a_part_begins_or_ends_in_is_masked_as_far_as_it_reaches() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = Arc::new(Outputs::new(folder.path(), "s", 1 << 20));
        let said = format!("{}\nDB_PASSWORD=hunter2and-more\nend é\n", "x".repeat(40_000));
        outputs.begin(OperationId(1)).unwrap().unwrap().write(Stream::Out, said.as_bytes());
        outputs.allow(OperationId(1));
        let bench = Workbench { outputs, ..Workbench::new("/".into(), None, "/".into()) };
        let tool = RereadTool::new(Arc::new(bench));
        let value = said.find("hunter2").unwrap();
        for from in value - 14..value + 14 {
            for bytes in [5, 9, 400] {
                let part = tool.part(OperationId(1), from as u64, bytes).unwrap();
                assert!(
                    !part.contains("hun") && !part.contains("2and") && !part.contains("mor"),
                    "{from}, {bytes}: {part}"
                );
            }
        }
        assert!(tool.part(OperationId(1), value as u64, 400).unwrap().ends_with("⟧\nend é\n"));
    }

    #[test]
    fn only_what_a_model_may_see_is_read_on() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = Arc::new(Outputs::new(folder.path(), "s", 1 << 20));
        for id in [1, 2].map(OperationId) {
            outputs.begin(id).unwrap().unwrap().write(Stream::Out, "0123€789".as_bytes());
        }
        outputs.allow(OperationId(1));
        let bench = Workbench { outputs, ..Workbench::new("/".into(), None, "/".into()) };
        let tool = RereadTool::new(Arc::new(bench));
        let part = |id, from, bytes| tool.part(OperationId(id), from, bytes);
        assert_eq!(part(1, 0, 5).unwrap(), "0123\n[bytes 0 to 4 of 10; from 4 reads on]");
        assert_eq!(part(1, 4, 100).unwrap(), "€789");
        assert!(part(1, 10, 5).unwrap_err().contains("10 bytes are kept"));
        assert!(part(2, 0, 5).unwrap_err().contains("no operation of yours"));
        let read = |text: &str| tool.prepare(&Arguments::parse(text).unwrap());
        assert!(read(r#"{"operation":1,"from":0}"#).is_ok());
        assert!(read(r#"{"operation":1}"#).is_err() && read(r#"{"operation":"1","from":0}"#).is_err());
    }
}
