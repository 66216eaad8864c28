//! `search_files`: lines that match a regular expression, by file. Goes through `walk.rs`; also holds what
//! both searches say at their end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, SinkMatch};
use nix::fcntl::OFlag;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::names::Names;
use super::nolink;
use super::sink::{Sink, Writer};
use super::walk::{Halt, Leash, Pattern, Scope};
use super::{RunPort, Tool, Workbench};
use crate::assess::{RiskAssessor, SearchAssessor};
use crate::domain::{
    Arguments, ArgumentsError, Countersigned, OperationKind, Outcome, RunReport, SearchOperation, ToolSpec,
};

/// Matches after which a search ends.
const MOST: u64 = 5000;
/// Bytes of a line that are shown.
const LINE: usize = 300;
/// Memory for one line that is searched.
const HEAP: usize = 16 * 1024 * 1024;
/// Memory for a compiled expression.
const EXPRESSION: usize = 16 * 1024 * 1024;

/// Searches files for text.
#[derive(Clone, Debug)]
pub struct SearchTool {
    bench: Arc<Workbench>,
}

impl SearchTool {
    /// The tool of a workbench.
    #[must_use]
    pub fn new(bench: Arc<Workbench>) -> Self {
        Self { bench }
    }
}

impl Tool for SearchTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "search_files".to_owned(),
            description: "Searches text files for a regular expression and returns the matching lines with their \
                numbers, by file. Leaves out what .gitignore names, binary files and sensitive files."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["pattern"],
                "properties": {
                    "pattern": { "type": "string", "description": "Regular expression (Rust syntax), within a line." },
                    "path": {
                        "type": "string", "description": "Folder or file to search in; the workspace without it."
                    },
                    "glob": { "type": "string", "description": "Only files that match, such as *.rs." },
                    "ignore_case": { "type": "boolean", "description": "Ignore case." }
                }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &SearchAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        SearchOperation::read(arguments).map(OperationKind::Search)
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::Search(operation) = countersigned.operation().kind.clone() else {
                return super::foreign(started);
            };
            let facts = &countersigned.prepared().facts;
            let scope = Scope::of(operation.path.as_deref(), facts, self.bench.settings.sensitive.clone());
            let query = scope.and_then(|scope| Ok((scope, Query::of(&operation)?)));
            let (scope, query) = match query {
                Ok(query) => query,
                Err(reason) => return super::failed(reason, started),
            };
            let sink = Sink::new(port);
            let leash = Leash { cancel, deadline: started + self.bench.patience() };
            let (writer, limit) = (sink.writer(), self.bench.result_limit);
            let names = Names::unless_asked(&self.bench, countersigned.decider());
            let searched = move || search(scope, &query, &leash, (&writer, limit), names.as_ref());
            let found = tokio::task::spawn_blocking(searched).await;
            conclude(found.ok(), "match", sink, &self.bench, started).await
        })
    }
}

/// What is searched for.
struct Query {
    matcher: RegexMatcher,
    glob: Option<Pattern>,
}

/// Why a pattern isn't one, without the drawing of it that its parser makes over several lines.
fn unreadable(error: &str) -> String {
    let why = error.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").trim_end_matches('.');
    format!("the pattern can't be searched for: {why}; a \\ before a sign such as ( finds the sign itself")
}

impl Query {
    fn of(operation: &SearchOperation) -> Result<Self, String> {
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(operation.ignore_case)
            .line_terminator(Some(b'\n'))
            .size_limit(EXPRESSION)
            .dfa_size_limit(EXPRESSION)
            .build(&operation.pattern)
            .map_err(|error| unreadable(&error.to_string()))?;
        let glob = operation.glob.as_deref().map(Pattern::new).transpose()?;
        Ok(Self { matcher, glob })
    }
}

/// Searches, and writes each file's matches as they are found.
/// What `names` hide is left out.
fn search(
    scope: Scope,
    query: &Query,
    leash: &Leash,
    (writer, limit): (&Writer, usize),
    names: Option<&Names>,
) -> (Found, Option<Halt>) {
    let mut found = Found::new(limit);
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(HEAP))
        .build();
    let done = scope.walk(leash, |entry, scope| {
        let file = entry.file_type().is_some_and(|kind| kind.is_file());
        let wanted = query.glob.as_ref().is_none_or(|glob| glob.matches(scope.inner(entry.path()), false));
        if !file || !wanted {
            return Ok(true);
        }
        let mut lines = Lines { text: String::new(), count: 0, most: MOST - found.count, leash, halt: None };
        // A file that can't be read is passed over; what matched in it before that counts.
        let looked = look(&mut searcher, query, entry.path(), (&mut lines, names));
        found.hidden += u64::from(matches!(looked, Ok(false)));
        if lines.count > 0 {
            let group = format!("{}\n{}", scope.shown(entry.path()), lines.text);
            writer.say(&group);
            found.add(&group, lines.count);
        }
        match lines.halt {
            Some(halt) => Err(halt),
            None => Ok(found.count < MOST),
        }
    });
    found.end(done, MOST)
}

/// Searches one file. It is read only if it is a plain file, reached through no link. False if it has a sensitive name,
/// too, and was left out.
fn look(
    searcher: &mut Searcher,
    query: &Query,
    path: &Path,
    (lines, names): (&mut Lines<'_>, Option<&Names>),
) -> io::Result<bool> {
    let file = File::from(nolink::open(path, OFlag::O_RDONLY)?);
    let about = file.metadata()?;
    if names.is_some_and(|names| names.hide(&about)) {
        return Ok(false);
    }
    if about.is_file() {
        let reader = Leashed { file, leash: lines.leash };
        searcher.search_reader(&query.matcher, reader, lines)?;
    }
    Ok(true)
}

/// A file whose reading ends when the leash is pulled, however long the file is.
struct Leashed<'a> {
    file: File,
    leash: &'a Leash,
}

impl Read for Leashed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.leash.pulled().is_some() {
            return Err(io::Error::other("stopped"));
        }
        self.file.read(buffer)
    }
}

/// The matching lines of one file.
struct Lines<'a> {
    text: String,
    count: u64,
    most: u64,
    leash: &'a Leash,
    halt: Option<Halt>,
}

impl grep_searcher::Sink for &mut Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let line = String::from_utf8_lossy(found.bytes());
        let line = line.trim_end_matches(['\n', '\r']);
        let shown = &line[..line.floor_char_boundary(LINE)];
        self.text.push_str(&format!("  {}: {shown}", found.line_number().unwrap_or(0)));
        if shown.len() < line.len() {
            self.text.push_str(&format!("… ({} more bytes)", line.len() - shown.len()));
        }
        self.text.push('\n');
        self.count += 1;
        self.halt = self.leash.pulled();
        Ok(self.halt.is_none() && self.count < self.most)
    }

    fn finish(&mut self, _searcher: &Searcher, _finish: &grep_searcher::SinkFinish) -> io::Result<()> {
        self.halt = self.leash.pulled();
        Ok(())
    }
}

/// What a search found, as much of it as a model reads, and counts of all.
#[derive(Debug)]
pub(super) struct Found {
    text: String,
    limit: usize,
    pub(super) count: u64,
    left_out: u64,
    sensitive: u64,
    /// Those that a file's other name gave away.
    hidden: u64,
    more: bool,
}

impl Found {
    pub(super) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit, count: 0, left_out: 0, sensitive: 0, hidden: 0, more: false }
    }

    /// Adds lines that are about `count` finds.
    pub(super) fn add(&mut self, lines: &str, count: u64) {
        self.count += count;
        let room = self.limit.saturating_sub(self.text.len());
        if lines.len() <= room {
            self.text.push_str(lines);
            return;
        }
        // The part that fits, in whole lines; each line but a file's name is one find.
        let end = lines[..lines.floor_char_boundary(room)].rfind('\n').map_or(0, |at| at + 1);
        let unseen = lines[end..].lines().count() as u64;
        self.text.push_str(&lines[..end]);
        self.left_out += unseen.min(count);
        self.limit = self.text.len();
    }

    /// Takes in how the walk ended.
    pub(super) fn end(mut self, walked: Result<u64, Halt>, most: u64) -> (Self, Option<Halt>) {
        self.more = self.count >= most;
        match walked {
            Ok(sensitive) => {
                self.sensitive = sensitive + self.hidden;
                (self, None)
            }
            Err(halt) => (self, Some(halt)),
        }
    }
}

/// The report of a search; none means that it broke off.
pub(super) async fn conclude(
    found: Option<(Found, Option<Halt>)>,
    noun: &str,
    sink: Sink,
    bench: &Workbench,
    started: Instant,
) -> RunReport {
    sink.finish(0).await;
    let Some((found, halt)) = found else {
        return super::failed("the search broke off; try a simpler pattern or a smaller folder".to_owned(), started);
    };
    let plural = if noun == "match" { "matches" } else { "paths" };
    let at_least = if found.more { "at least " } else { "" };
    let summary = format!("{at_least}{} {}", found.count, if found.count == 1 { noun } else { plural });
    let mut result = format!("{summary}\n{}", found.text);
    if found.left_out > 0 {
        result.push_str(&format!("[{} {plural} left out; narrow the search]\n", found.left_out));
    }
    if found.more {
        result.push_str("[the search ended there; narrow it]\n");
    }
    if found.sensitive > 0 {
        result.push_str(&format!("[sensitive files or folders not looked at: {}]\n", found.sensitive));
    }
    let outcome = match halt {
        None => Outcome::Succeeded { summary },
        Some(Halt::Cancelled) => Outcome::Cancelled,
        Some(Halt::TimedOut) => {
            result.push_str(&format!("[stopped at the time limit of {} s; narrow it]\n", bench.time_limit));
            Outcome::TimedOut { seconds: bench.time_limit }
        }
    };
    RunReport { outcome, result, took: started.elapsed() }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
