//! What a request's own text doesn't say of how it will be sent, for the person: the address as it is read, its body
//! laid out, the headers that are added to it, and its size. Nothing is looked up and nothing is sent.

use super::Request;
use crate::domain::number::{count, size};
use crate::domain::{Detail, HttpOperation, Preview, Remedy, Text};

/// Longest body that is shown, in bytes.
const SHOWN: usize = 16 * 1024;
/// Lines that JSON laid out has at least to be worth them.
const LEAST: usize = 5;

/// What would be sent.
pub(super) fn measure(operation: &HttpOperation) -> Preview {
    let request = match Request::of(operation) {
        Ok(request) => request,
        Err(error) => {
            let warnings = vec![format!("It would fail: {error}.")];
            return Preview { brief: "would fail".to_owned(), warnings, ..Preview::default() };
        }
    };
    let sent = request.body.as_deref().unwrap_or_default();
    let json = serde_json::from_str::<serde_json::Value>(sent).ok();
    let kind = if json.is_some() { " of JSON" } else { "" };
    // The operation's text says the rest: nothing is said twice.
    let mut details = Vec::new();
    if request.url.as_str().trim_end_matches('/') != operation.url.trim_end_matches('/') {
        details.push(Text { language: "http", body: format!("{} {}", request.method, request.url) });
    }
    if let Some(laid_out) = json.and_then(|json| serde_json::to_string_pretty(&json).ok()) {
        let lines = laid_out.lines().count();
        if lines > LEAST && sent.lines().count() < lines {
            let end = laid_out.floor_char_boundary(SHOWN.min(laid_out.len()));
            let left = size((laid_out.len() - end) as u64);
            let left = if end < laid_out.len() { format!("\n… {left} left out") } else { String::new() };
            details.push(Text { language: "json", body: format!("{}{left}", &laid_out[..end]) });
        }
    }
    let bytes = size(sent.len() as u64);
    let with = if sent.is_empty() { "no body".to_owned() } else { format!("a body of {bytes}{kind}") };
    let headers = match request.headers.len() {
        0 => "no headers".to_owned(),
        some => count(some, "header"),
    };
    let effect = format!(
        "Sends {} to {}: {with}, {headers} of its own; added: {}.",
        request.method,
        request.host(),
        added(&request)
    );
    let reads = matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    let remedy = if reads { Remedy::Unknown } else { Remedy::Impossible("what was sent stays sent.".to_owned()) };
    Preview {
        brief: if sent.is_empty() { request.method.to_string() } else { format!("{} {bytes}", request.method) },
        effects: vec![effect],
        details: details.into_iter().map(Detail::Text).collect(),
        remedy,
        ..Preview::default()
    }
}

/// `host, user-agent, accept`: the headers that are added because the request doesn't name them.
fn added(request: &Request) -> String {
    let body = request.body.as_deref().is_some_and(|body| !body.is_empty());
    let length = body.then_some("content-length");
    let own = ["host", "user-agent", "accept", "accept-encoding"].into_iter().chain(length);
    own.filter(|name| !request.headers.contains_key(*name)).collect::<Vec<_>>().join(", ")
}
