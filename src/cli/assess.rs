//! `countersign assess`: tool calls in, verdicts out, as JSON Lines in the same order. Nothing runs. What it judges
//! by is a `Terms`; a line that can't be read is answered too.

use std::cell::RefCell;
use std::io::{self, BufWriter, IsTerminal as _, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Terms;
use super::calls::{Calls, LINE_CAP};
use super::explanation::Explanation;
use super::weigh::{Scales, Searches, rule};
use crate::assess::{
    AnswerAssessor, ApplyAssessor, CommandAssessor, FileAssessor, HttpAssessor, McpAssessor, RiskAssessor,
    SearchAssessor, SqlAssessor, UndoAssessor, Unknown,
};
use crate::config::process_environment;
use crate::domain::{
    Arguments, Containment, Dialect, Enforceable, Operation, OperationId, OperationKind, Origin, Place, RiskLevel,
    Verdict,
};
use crate::tools::{self, Seen};

/// Behind the options of `countersign assess --help`.
pub(super) const HELP: &str = "\
A line has `tool` and `arguments`, maybe an `id`, a `dialect` (sqlite, postgres or mysql) and a `cwd`:
    {\"tool\": \"execute_command\", \"arguments\": {\"command\": \"git status\"}}
    {\"tool\": \"execute_sql\", \"dialect\": \"postgres\", \"arguments\": {\"sql\": \"SELECT 1\"}}
    {\"tool\": \"file_operations\", \"arguments\": {\"operation\": \"read\", \"path\": \"README.md\"}}
    {\"tool\": \"http_request\", \"arguments\": {\"method\": \"GET\", \"url\": \"https://example.com\"}}
    {\"tool\": \"search_files\", \"arguments\": {\"pattern\": \"TODO\"}}

Try it:  countersign assess --explain 'rm a'
         echo '{\"tool\":\"execute_command\",\"arguments\":{\"command\":\"rm a\"}}' | countersign assess --explain";

/// Stack of the thread that judges: parsers of deeply nested text need it.
const STACK: usize = 64 * 1024 * 1024;
/// How long lines that were sent before the last answer could be read may share what was seen on the disk.
const SEEN: Duration = Duration::from_secs(1);
/// How much of a bad line is searched for its id.
const ID_CAP: usize = 4096;
/// How many characters of a wrong value a reason quotes.
const MOST_QUOTED: usize = 60;
/// A call as it is sent.
const EXAMPLE: &str = r#"{"tool":"execute_command","arguments":{"command":"ls"}}"#;

/// One call, as a line says it. Other members are somebody else's notes.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    tool: Value,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(default)]
    dialect: Value,
    #[serde(default)]
    cwd: Value,
}

/// One answer.
#[derive(Serialize)]
struct Answer {
    id: Value,
    decision: Verdict,
    risk: RiskLevel,
    containment: Containment,
    enforced: bool,
    rule: String,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
}

/// What all lines are judged with.
struct Bench {
    terms: Terms,
    enforceable: Enforceable,
    cwd: PathBuf,
    home: Option<PathBuf>,
    search_path: Option<std::ffi::OsString>,
    seen: RefCell<Seen>,
}

/// Judges the calls on standard input.
#[must_use]
pub fn assess(terms: Terms) -> ExitCode {
    // A parser that fails on hostile text is caught and answered; its words don't belong between the answers.
    std::panic::set_hook(Box::new(|_| {}));
    if io::stdin().is_terminal() {
        crate::say!("countersign: calls are read as lines of JSON, such as {EXAMPLE}; ctrl+d ends");
    }
    match judge_all(terms.proved(), Calls::new(io::stdin(), more_is_there), io::stdout()) {
        Ok(0) => {
            crate::say!(
                "countersign: nothing was judged: no call came on standard input. Send lines such as {EXAMPLE}"
            );
            ExitCode::SUCCESS
        }
        Ok(_) => ExitCode::SUCCESS,
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            crate::say!("countersign: assess stopped: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Judges the lines of an input that is there whole and waits for no answer. Gives how many there were.
///
/// # Errors
/// Input that can't be read, output that can't be written.
pub fn run(terms: Terms, input: impl Read + Send, output: impl Write + Send) -> io::Result<u64> {
    judge_all(terms, Calls::new(input, || true), output)
}

/// Judges line by line. Each is answered before another one is waited for.
fn judge_all(terms: Terms, input: Calls<impl Read + Send>, output: impl Write + Send) -> io::Result<u64> {
    let bench = Bench::new(terms);
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || bench.all(input, output))?;
        worker.join().unwrap_or_else(|_| Err(io::Error::other("the judging thread failed")))
    })
}

/// Whether standard input can be read without waiting. Where the system has no word for it, nothing can.
fn more_is_there() -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;

        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

        let input = io::stdin();
        poll(&mut [PollFd::new(input.as_fd(), PollFlags::POLLIN)], PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
    }
    #[cfg(not(unix))]
    false
}

impl Bench {
    fn new(terms: Terms) -> Self {
        let path = std::env::var_os("PATH");
        Self {
            enforceable: terms.enforced,
            cwd: std::env::current_dir().and_then(|cwd| cwd.canonicalize()).unwrap_or_else(|_| PathBuf::from("/")),
            home: process_environment("HOME").map(PathBuf::from),
            search_path: path.map(|path| tools::search_path(&path)),
            seen: RefCell::default(),
            terms,
        }
    }

    fn all(&self, mut input: Calls<impl Read>, output: impl Write) -> io::Result<u64> {
        let mut output = BufWriter::new(output);
        let mut number = 0;
        let mut text = Vec::new();
        loop {
            // Who has sent the next line already doesn't wait for the last answer.
            let waits = !input.are_there()?;
            if waits {
                output.flush()?;
            }
            let Some(line) = input.next()? else { return output.flush().map(|()| number) };
            // The next line may be about what was done since the last answer.
            let age = if waits { Duration::ZERO } else { SEEN };
            self.seen.borrow_mut().refresh(age);
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            number += 1;
            // An assessor that fails is caught closer by; this is for everything around it.
            let answer = catch_unwind(AssertUnwindSafe(|| self.answer(number, &line)))
                .unwrap_or_else(|_| Answer::malformed(id_of(&line), "call.failed", "the call couldn't be judged"));
            text.clear();
            serde_json::to_writer(&mut text, &answer)?;
            text.push(b'\n');
            output.write_all(&text)?;
        }
    }

    fn answer(&self, number: u64, line: &[u8]) -> Answer {
        let malformed = |why: &str| Answer::malformed(id_of(line), "call.malformed", why);
        if line.len() > LINE_CAP {
            return malformed(&format!("the line is longer than {LINE_CAP} bytes"));
        }
        let Ok(text) = std::str::from_utf8(line) else { return malformed("the line is not UTF-8 text") };
        // An array would be taken for the members in order.
        if text.trim_start().starts_with('[') {
            return malformed("the line is an array, not an object");
        }
        match serde_json::from_str::<Line<'_>>(text) {
            Ok(line) => self.call(number, &line),
            Err(error) => malformed(&format!("the line is not a call in JSON: {error}")),
        }
    }

    fn call(&self, number: u64, line: &Line<'_>) -> Answer {
        let malformed = |why: &str| Answer::malformed(line.id.clone(), "call.malformed", why);
        let Some(tool) = line.tool.as_str() else { return malformed("the call names no tool") };
        let dialect = match dialect(&line.dialect) {
            Ok(dialect) => dialect,
            Err(why) => return malformed(&why),
        };
        let cwd = match &line.cwd {
            Value::Null => self.cwd.clone(),
            Value::String(cwd) => real(self.cwd.join(cwd)),
            other => return malformed(&format!("`cwd` is no text but {}", shown(other))),
        };
        let arguments = match Arguments::parse(line.arguments.map_or("null", RawValue::get)) {
            Ok(arguments) => arguments,
            Err(error) => return malformed(&error.0),
        };
        let mut kind = match OperationKind::read(tool, &arguments) {
            Some(Ok(kind)) => kind,
            Some(Err(error)) => return malformed(&error.0),
            None => {
                let why =
                    format!("there is no tool named `{}`; `countersign assess --help` has them", tool.escape_debug());
                return Answer::malformed(line.id.clone(), "call.unknown-tool", &why);
            }
        };
        if let OperationKind::Sql(sql) = &mut kind {
            sql.dialect = dialect;
        }
        let operation = Operation {
            id: OperationId(number),
            origin: Origin::Model { call_id: number.to_string() },
            tool: tool.to_owned(),
            claim: arguments.claim,
            kind,
            cwd,
        };
        self.judged(line.id.clone(), operation)
    }

    fn judged(&self, id: Value, operation: Operation) -> Answer {
        let workspace = operation.cwd.clone();
        let place = Place { cwd: workspace.clone(), workspace, home: self.home.clone() };
        let mut seen = self.seen.take();
        let scales = Scales {
            settings: &self.terms.settings,
            policy: &self.terms.policy,
            enforceable: self.enforceable,
            search_path: self.search_path.as_deref(),
            searches: Searches::Ours,
        };
        let (prepared, judgement) = scales.weigh(operation, &place, &mut seen);
        self.seen.replace(seen);
        Answer {
            id,
            decision: judgement.verdict,
            risk: judgement.risk,
            containment: judgement.containment,
            enforced: judgement.enforced,
            rule: rule(&judgement, &prepared),
            explanation: self
                .terms
                .explain
                .then(|| Explanation::new(judgement.step, self.terms.policy.mode, &prepared, &self.terms.settings)),
            reason: judgement.reason,
        }
    }
}

impl Answer {
    /// The answer to what isn't a call: it asks, whatever the mode.
    fn malformed(id: Value, rule: &str, why: &str) -> Self {
        Self {
            id,
            decision: Verdict::Ask,
            risk: RiskLevel::High,
            containment: Containment::None,
            enforced: false,
            rule: rule.to_owned(),
            reason: format!("It can't run as it stands: {why}."),
            explanation: None,
        }
    }
}

/// A folder after links and `..`, or as it is written if it isn't there.
fn real(folder: PathBuf) -> PathBuf {
    folder.canonicalize().unwrap_or(folder)
}

/// The dialect that a line names, if it names one.
fn dialect(named: &Value) -> Result<Option<Dialect>, String> {
    let read = match named {
        Value::Null => return Ok(None),
        Value::String(name) => Dialect::deserialize(Value::from(name.to_ascii_lowercase())).ok(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let known = Dialect::ALL.map(Dialect::word).join(", ");
    read.map(Some).ok_or_else(|| format!("there is no `dialect` {}; there are {known}", shown(named)))
}

/// A value as a reason quotes it: in one line, and only its beginning.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let mut letters = text.chars();
    let start: String = letters.by_ref().take(MOST_QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if letters.next().is_none() { start } else { format!("{start}…") }
}

/// What judges each sort of operation.
#[must_use]
pub fn assessor(kind: &OperationKind) -> &'static dyn RiskAssessor {
    match kind {
        OperationKind::Sql(_) => &SqlAssessor,
        OperationKind::Command(_) => &CommandAssessor,
        OperationKind::File(_) => &FileAssessor,
        OperationKind::Http(_) => &HttpAssessor,
        OperationKind::Search(_) | OperationKind::Find(_) => &SearchAssessor,
        OperationKind::Undo(_) => &UndoAssessor,
        OperationKind::Apply(_) => &ApplyAssessor,
        OperationKind::Mcp(_) => &McpAssessor,
        OperationKind::Answer(_) => &AnswerAssessor,
        OperationKind::Other(_) => &Unknown,
    }
}

/// The id at the beginning of a line that can't be read, where it can be found.
fn id_of(line: &[u8]) -> Value {
    let start = String::from_utf8_lossy(&line[..line.len().min(ID_CAP)]).into_owned();
    let Some((_, after)) = start.split_once("\"id\"") else { return Value::Null };
    let Some(value) = after.trim_start().strip_prefix(':') else { return Value::Null };
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
    values.next().and_then(Result::ok).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::ApprovalMode;

    fn answers(input: &str) -> Vec<Value> {
        let mut output = Vec::new();
        run(Terms::default(), input.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn each_line_is_answered_in_order_and_bad_ones_too() {
        let input = r#"{"id":"a","tool":"file_operations","arguments":{"operation":"read","path":"README.md"}}
{"id":"b","tool":"file_operations","arguments":{"operation":"del

{"id":3,"tool":"no_such_tool","arguments":{}}
{"id":"d","tool":"file_operations","arguments":{"operation":"read","path":"a","path":"b"}}
{"id":"e","tool":"file_operations","arguments":{"operation":"delete","path":"/"},"note":1}
nonsense
{"id":"g","tool":"http_request","arguments":{"url":"https://example.org"}}"#;
        let answers = answers(input);
        let told: Vec<_> = answers
            .iter()
            .map(|answer| (answer["id"].clone(), answer["decision"].clone(), answer["rule"].clone()))
            .collect();
        let expected = [
            (json!("a"), json!("allow"), json!("file.look")),
            (json!("b"), json!("ask"), json!("call.malformed")),
            (json!(3), json!("ask"), json!("call.unknown-tool")),
            (json!("d"), json!("ask"), json!("call.malformed")),
            (json!("e"), json!("deny"), json!("file.catastrophe")),
            (json!(null), json!("ask"), json!("call.malformed")),
            (json!("g"), json!("allow"), json!("http.look")),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_line_that_is_no_object_or_names_a_wrong_dialect_or_cwd_asks_and_says_so() {
        let call = |more: &str| {
            format!(r#"{{"id":1,"tool":"execute_sql","arguments":{{"connection":"c","sql":"SELECT 1"}}{more}}}"#)
        };
        for (line, named) in [
            (r#" [1,"execute_sql",{"connection":"c","sql":"SELECT 1"},"sqlite",null]"#.to_owned(), "array"),
            (call(r#","dialect":"oracle""#), "`dialect` \"oracle\""),
            (call(r#","dialect":"""#), "there are sqlite, postgres, mysql"),
            (call(r#","dialect":5"#), "`dialect` 5"),
            (call(r#","dialect":{"sqlite":null}"#), "`dialect` {"),
            (call(r#","dialect":"sqlite","cwd":["/"]"#), "`cwd`"),
        ] {
            let answer = &answers(&line)[0];
            assert_eq!((&answer["decision"], &answer["rule"]), (&json!("ask"), &json!("call.malformed")), "{line}");
            assert!(answer["reason"].as_str().unwrap().contains(named), "{answer}");
        }
        for more in ["", r#","dialect":null,"cwd":null"#, r#","dialect":"sqlite","cwd":"/""#] {
            assert_ne!(answers(&call(more))[0]["rule"], "call.malformed", "{more}");
        }
        for name in ["mariadb", "MariaDB", "postgresql", "PostgreSQL", "pg", "sqlite3"] {
            let more = format!(r#","dialect":"{name}""#);
            assert_eq!(answers(&call(&more))[0]["decision"], "allow", "{more}");
        }
    }

    #[test]
    fn an_answer_has_exactly_the_members_that_are_promised() {
        let answers =
            answers(r#"{"id":1,"tool":"http_request","arguments":{"method":"POST","url":"https://example.org"}}"#);
        let names: Vec<_> = answers[0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["id", "decision", "risk", "containment", "enforced", "rule", "reason"]);
        assert_eq!(answers[0]["risk"], "high");
    }

    #[test]
    fn a_claim_and_the_mode_decide_as_ever() {
        let line = r#"{"id":1,"tool":"http_request","arguments":{"method":"POST","url":"https://example.org","risk_level":"low"}}"#;
        let decision = |mode| {
            let mut output = Vec::new();
            run(Terms { explain: true, ..Terms::of(mode) }, line.as_bytes(), &mut output).unwrap();
            let answer: Value = serde_json::from_slice(&output).unwrap();
            (answer["decision"].clone(), answer["explanation"]["number"].clone())
        };
        assert_eq!(decision(ApprovalMode::Guarded), (json!("ask"), json!(9)));
        assert_eq!(decision(ApprovalMode::Smart), (json!("allow"), json!(9)));
        assert_eq!(decision(ApprovalMode::Strict), (json!("ask"), json!(4)));
    }

    #[test]
    fn a_line_over_the_cap_is_answered_and_the_next_one_read() {
        let long = "x".repeat(LINE_CAP + 10);
        let input = format!("{{\"id\":7,\"x\":\"{long}\"}}\n{{\"id\":8}}\n");
        let ids: Vec<_> = answers(&input).iter().map(|answer| answer["id"].clone()).collect();
        assert_eq!(ids, [7, 8]);
    }
}
