//! The request as it will be sent, for the person: with the headers that are added to it, and its size.
//! Nothing is looked up and nothing is sent.

use super::{AGENT, Request};
use crate::domain::number::{count, size};
use crate::domain::{Detail, HttpOperation, Preview, Remedy, Text};

/// Longest body that is shown, in bytes.
const SHOWN: usize = 16 * 1024;

/// What would be sent.
pub(super) fn measure(operation: &HttpOperation) -> Preview {
    let request = match Request::of(operation) {
        Ok(request) => request,
        Err(error) => {
            let warnings = vec![format!("It would fail: {error}.")];
            return Preview { brief: "would fail".to_owned(), warnings, ..Preview::default() };
        }
    };
    let mut target = request.url.path().to_owned();
    if let Some(query) = request.url.query() {
        target.push_str(&format!("?{query}"));
    }
    let port = request.url.port().map_or_else(String::new, |port| format!(":{port}"));
    let mut body = format!("{} {target}\nhost: {}{port}\n", request.method, request.host());
    let own = |name: &str| request.headers.contains_key(name);
    for (name, value) in [("user-agent", AGENT), ("accept", "*/*"), ("accept-encoding", "gzip")] {
        if !own(name) {
            body.push_str(&format!("{name}: {value}\n"));
        }
    }
    for (name, value) in &request.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        body.push_str(&format!("{name}: {value}\n"));
    }
    let sent = request.body.as_deref().unwrap_or_default();
    let json = serde_json::from_str::<serde_json::Value>(sent).ok();
    let kind = if json.is_some() { " of JSON" } else { "" };
    if !sent.is_empty() {
        body.push_str(&format!("content-length: {}\n\n", sent.len()));
        let laid_out =
            json.and_then(|json| serde_json::to_string_pretty(&json).ok()).unwrap_or_else(|| sent.to_owned());
        let end = laid_out.floor_char_boundary(SHOWN.min(laid_out.len()));
        body.push_str(&laid_out[..end]);
        if end < laid_out.len() {
            body.push_str(&format!("\n… {} left out", size((laid_out.len() - end) as u64)));
        }
    }
    let bytes = size(sent.len() as u64);
    let with = if sent.is_empty() { "no body".to_owned() } else { format!("a body of {bytes}{kind}") };
    let headers = count(request.headers.len(), "header");
    let effect = format!("Sends {} to {} with {with} and {headers} of its own.", request.method, request.host());
    let reads = matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    let remedy = if reads { Remedy::Unknown } else { Remedy::Impossible("what was sent stays sent.".to_owned()) };
    Preview {
        brief: if sent.is_empty() { request.method.to_string() } else { format!("{} {bytes}", request.method) },
        effects: vec![effect],
        details: vec![Detail::Text(Text { language: "http", body })],
        remedy,
        ..Preview::default()
    }
}
