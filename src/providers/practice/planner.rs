//! Chooses what the practice model says next, from the conversation alone: no state, no clock, no IO. The same
//! conversation always leads to the same words.

use std::collections::BTreeMap;
use std::time::Duration;

use regex::Captures;
use serde_json::{Map, Value};

use super::script::{self, Answer, Call, Ending, Entry, PLACEHOLDER, Say, Script};
use super::table::table;
use crate::domain::{Edit, FailureKind, Message, ModelRequest, RiskLevel, ToolCall, ToolResult};

/// How much of the person's last message is looked at.
const MOST_TEXT: usize = 4_000;
/// How many lines of a result a reply quotes.
pub(super) const MOST_LINES: usize = 24;
/// How many rounds of results one turn may have.
const MOST_ROUNDS: usize = 8;

/// What is said next.
#[derive(Debug)]
pub(super) struct Plan {
    /// Silence before it.
    pub(super) delay: Duration,
    /// The text.
    pub(super) text: String,
    /// The calls.
    pub(super) calls: Vec<ToolCall>,
    /// How it ends.
    pub(super) end: End,
}

/// How a message ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As it should.
    Done,
    /// At the length limit.
    Length,
    /// Never.
    Hang,
    /// It fails.
    Fail(FailureKind, String),
}

impl Plan {
    /// Text alone.
    fn text(text: String) -> Self {
        Self { delay: Duration::ZERO, text, calls: Vec::new(), end: End::Done }
    }
}

/// What a turn looks like: what the person said last, what they said before, and the results since.
struct Turn<'a> {
    said: &'a str,
    before: Option<&'a str>,
    rounds: Vec<&'a [ToolResult]>,
    calls_before: usize,
}

/// The next message of the model.
pub(super) fn plan(script: &Script, request: &ModelRequest, server: &str) -> Plan {
    let turn = turn(request);
    let wish = choose(script, turn.said);
    let answer = turn.before.and_then(|before| {
        let asked = choose(script, before)?;
        let answer = answer(turn.said)?;
        let another = wish.is_some_and(|wish| wish.name != asked.name);
        let waits = asked.says.iter().any(|say| say.answer == Some(answer));
        (waits && !another).then_some((asked, answer, before))
    });
    let (entry, answer, said) = match answer {
        Some((entry, answer, before)) => (Some(entry), Some(answer), before),
        None => (wish, None, turn.said),
    };
    let mut values = values(entry, said);
    values.insert("server".to_owned(), server.to_owned());
    values.insert("requests".to_owned(), known(script));
    values.insert("requests_count".to_owned(), script.entries.len().to_string());
    let Some(entry) = entry else { return Plan::text(fill(&script.otherwise.unknown, &values, &[])) };
    let results = turn.rounds.last().copied().unwrap_or_default();
    // What the script would say of its own call isn't so.
    if let Some(text) = edited(results) {
        return Plan::text(text);
    }
    let outcome = (!turn.rounds.is_empty()).then(|| outcome(results));
    let fits = |say: &&Say| {
        say.after == turn.rounds.len() && say.answer == answer && say.when.is_none_or(|when| Some(when) == outcome)
    };
    match entry.says.iter().find(fits).filter(|_| turn.rounds.len() < MOST_ROUNDS) {
        Some(say) => message(say, &values, results, turn.calls_before),
        None => Plan::text(fill(otherwise(script, outcome), &values, results)),
    }
}

/// One message with everything filled in.
fn message(say: &Say, values: &BTreeMap<String, String>, results: &[ToolResult], calls_before: usize) -> Plan {
    let call = |(place, call): (usize, &Call)| ToolCall {
        id: format!("practice-{}", calls_before + place + 1),
        name: call.tool.clone(),
        arguments: arguments(call, values, results),
    };
    let end = match (say.end, say.end.failure()) {
        (_, Some(kind)) => {
            End::Fail(kind, "The script says that the provider fails here. Send the message again.".to_owned())
        }
        (Ending::Length, None) => End::Length,
        (Ending::Hang, None) => End::Hang,
        (_, None) => End::Done,
    };
    Plan {
        delay: Duration::from_millis(say.delay_ms),
        text: fill(&say.text, values, results).trim_end().to_owned(),
        calls: say.calls.iter().enumerate().map(call).collect(),
        end,
    }
}

/// What is said of calls that the person changed and ran. None if there is no such.
fn edited(results: &[ToolResult]) -> Option<String> {
    let said = |result: &ToolResult| {
        let (call, result) = Edit::parted(&result.text)?;
        if of(result) == script::Result::Cancelled {
            return None;
        }
        let arguments: Map<String, Value> = serde_json::from_str(call).unwrap_or_default();
        let text = ["sql", "command"].iter().find_map(|name| arguments.get(*name)?.as_str()).unwrap_or(call);
        let first = result.lines().next().unwrap_or_default();
        Some(format!("You changed my call. This ran instead:\n\n```\n{text}\n```\n\nIt says: {first}"))
    };
    let said: Vec<String> = results.iter().filter_map(said).collect();
    (!said.is_empty()).then(|| said.join("\n\n"))
}

/// What is said where the entry says nothing for this outcome.
fn otherwise(script: &Script, outcome: Option<script::Result>) -> &str {
    match outcome {
        None => &script.otherwise.unknown,
        Some(script::Result::Succeeded) => &script.otherwise.succeeded,
        Some(script::Result::Cancelled) => &script.otherwise.cancelled,
        Some(script::Result::Failed) => &script.otherwise.failed,
        Some(script::Result::Partly) => &script.otherwise.partly,
    }
}

/// Where the conversation stands.
fn turn(request: &ModelRequest) -> Turn<'_> {
    let mut turn = Turn { said: "", before: None, rounds: Vec::new(), calls_before: 0 };
    for message in &request.messages {
        match &**message {
            Message::User(text) => {
                turn.before = (!turn.said.is_empty()).then_some(turn.said);
                turn.said = last_words(text);
                turn.rounds.clear();
            }
            Message::Assistant { calls, .. } => turn.calls_before += calls.len(),
            Message::Results(results) => turn.rounds.push(results),
        }
    }
    turn
}

/// What the person said themselves: the last paragraph. Results of their own operations come before it.
fn last_words(text: &str) -> &str {
    let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default().trim();
    let end = last.char_indices().nth(MOST_TEXT).map_or(last.len(), |(at, _)| at);
    last.get(..end).unwrap_or_default()
}

/// The entry that fits best; the first of equals.
fn choose<'a>(script: &'a Script, said: &str) -> Option<&'a Entry> {
    let words = words(said);
    let mut best: Option<(usize, &Entry)> = None;
    for entry in &script.entries {
        let fit = fit(entry, said, &words);
        if fit > best.map_or(0, |(fit, _)| fit) {
            best = Some((fit, entry));
        }
    }
    best.map(|(_, entry)| entry)
}

/// How well an entry fits: words of its longest phrase that is there, and more for its pattern.
fn fit(entry: &Entry, said: &str, words: &[String]) -> usize {
    let phrase = |phrase: &String| {
        let parts: Vec<&str> = phrase.split_whitespace().collect();
        let mut rest = words.iter();
        if parts.iter().all(|part| rest.any(|word| is_word(part, word))) { parts.len() * 2 } else { 0 }
    };
    let pattern = if entry.regex.as_ref().is_some_and(|regex| regex.is_match(said)) { 5 } else { 0 };
    entry.phrases.iter().map(phrase).max().unwrap_or(0) + pattern
}

/// Whether a word is what a part of a phrase asks for: `a|b` is either, `a*` a beginning.
fn is_word(part: &str, word: &str) -> bool {
    part.split('|').any(|form| match form.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == form,
    })
}

/// The words of a text, in small letters; a dot, hyphen or slash inside one belongs to it.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '\'')))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether a short message is a yes or a no, by its first word.
fn answer(said: &str) -> Option<Answer> {
    let words = words(said);
    let first = words.first().filter(|_| words.len() <= 6)?;
    match first.as_str() {
        "yes" | "y" | "yeah" | "yep" | "sure" | "ok" | "okay" | "please" | "go" => Some(Answer::Yes),
        "do" if words.get(1).is_some_and(|word| word == "it" || word == "so" || word == "that") => Some(Answer::Yes),
        "no" | "n" | "nope" | "not" | "don't" | "dont" | "stop" | "cancel" | "leave" | "never" => Some(Answer::No),
        _ => None,
    }
}

/// The values of an entry's own placeholders.
fn values(entry: Option<&Entry>, said: &str) -> BTreeMap<String, String> {
    let Some(entry) = entry else { return BTreeMap::new() };
    let mut values = entry.defaults.clone();
    if let Some(regex) = &entry.regex
        && let Some(found) = regex.captures(said)
    {
        for name in regex.capture_names().flatten() {
            if let Some(value) = found.name(name).map(|value| value.as_str().trim()).filter(|value| !value.is_empty()) {
                values.insert(name.to_owned(), value.to_owned());
            }
        }
    }
    values
}

/// The names of the requests that the script knows, as a list.
fn known(script: &Script) -> String {
    let lines: Vec<String> = script.entries.iter().map(|entry| format!("- {}", entry.name)).collect();
    lines.join("\n")
}

/// How results came out, all together.
fn outcome(results: &[ToolResult]) -> script::Result {
    let mut outcomes = results.iter().map(|result| of(&result.text));
    let first = outcomes.next().unwrap_or(script::Result::Succeeded);
    if outcomes.all(|next| next == first) { first } else { script::Result::Partly }
}

/// A result without what the program says of an edited call.
fn own(text: &str) -> &str {
    Edit::parted(text).map_or(text, |(_, result)| result)
}

/// How one result came out, by its first word: results are text for a model, so this is all there is to read.
fn of(text: &str) -> script::Result {
    let text = own(text).trim_start().to_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    if starts(&["cancelled"]) {
        script::Result::Cancelled
    } else if starts(&["error", "failed", "timed out", "stopped", "ended"])
        || (text.starts_with("exit ") && !starts(&["exit 0"]))
    {
        script::Result::Failed
    } else {
        script::Result::Succeeded
    }
}

/// The arguments of a call as JSON text, with the claim where there is one.
fn arguments(call: &Call, values: &BTreeMap<String, String>, results: &[ToolResult]) -> String {
    if let Some(raw) = &call.raw {
        return raw.clone();
    }
    let mut filled: Map<String, Value> = call
        .arguments
        .iter()
        .map(|(name, value)| {
            let value = match value {
                Value::String(text) => Value::String(fill(text, values, results)),
                other => other.clone(),
            };
            (name.clone(), value)
        })
        .collect();
    if let Some(claim) = call.claim {
        let level = match claim {
            RiskLevel::Low => "low",
            RiskLevel::Medium => "medium",
            RiskLevel::High => "high",
        };
        filled.insert("risk_level".to_owned(), Value::String(level.to_owned()));
    }
    Value::Object(filled).to_string()
}

/// A text with its placeholders filled in. What nothing fills stays as it is.
fn fill(text: &str, values: &BTreeMap<String, String>, results: &[ToolResult]) -> String {
    let Some(regex) = PLACEHOLDER.as_ref() else { return text.to_owned() };
    let filled = regex.replace_all(text, |found: &Captures<'_>| {
        let group = |number: usize| found.get(number).map_or("", |part| part.as_str());
        let place = group(2).parse::<usize>().unwrap_or(1).saturating_sub(1);
        let result = results.get(place).map_or("", |result| result.text.trim_end());
        let value = match group(1) {
            "result" => head(result),
            "rows" => table(result).unwrap_or_else(|| format!("```\n{}\n```", head(result))),
            "body" => head(result.split_once('\n').map_or(result, |(_, body)| body)),
            "first_line" => result.lines().next().unwrap_or_default().to_owned(),
            "last_line" => result.lines().last().unwrap_or_default().to_owned(),
            "outcome" => told(result),
            "reason" => reason(results),
            name => match values.get(name) {
                Some(value) => value.clone(),
                None => return group(0).to_owned(),
            },
        };
        match group(3) {
            "sql" => value.replace('\'', "''"),
            "sh" => format!("'{}'", value.replace('\'', r"'\''")),
            _ => value,
        }
    });
    filled.into_owned()
}

/// The first lines of a result, saying how many are left out.
fn head(result: &str) -> String {
    let lines = result.lines().count();
    if lines <= MOST_LINES {
        return result.to_owned();
    }
    let shown: Vec<&str> = result.lines().take(MOST_LINES).collect();
    format!("{}\n… {} more lines in the output pane", shown.join("\n"), lines - MOST_LINES)
}

/// How one operation came out, in a few words to the person.
fn told(result: &str) -> String {
    match of(result) {
        script::Result::Cancelled => format!("not done ({})", to_person(result)),
        script::Result::Succeeded if result.starts_with("exit 0") => "done".to_owned(),
        script::Result::Succeeded | script::Result::Failed | script::Result::Partly => {
            result.lines().next().unwrap_or_default().to_owned()
        }
    }
}

/// Why something was cancelled: what the first result says that was.
fn reason(results: &[ToolResult]) -> String {
    let cancelled = results.iter().map(|result| own(&result.text)).find(|text| text.starts_with("cancelled:"));
    to_person(cancelled.unwrap_or_default())
}

/// The reason in one result, as the program said it, turned to the person.
fn to_person(result: &str) -> String {
    let said = result.strip_prefix("cancelled:");
    let said = said.map_or("you said no", |reason| reason.trim().trim_end_matches('.'));
    if let Some(rest) = said.strip_prefix("The person ") {
        return format!("you {rest}");
    }
    let mut letters = said.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
