//! Tells an answer as text: status, the headers that matter, and the body as far as it is text and not too
//! long.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, Response};

use super::super::sink::Sink;
use super::{HttpError, Request, json, plain};
use crate::domain::Outcome;
use crate::domain::number::size;

/// Bytes of a body that are read.
const BODY: usize = 5 * 1024 * 1024;
/// Headers that are told.
const HEADERS: [&str; 11] = [
    "content-type",
    "content-length",
    "location",
    "etag",
    "last-modified",
    "cache-control",
    "retry-after",
    "www-authenticate",
    "allow",
    "link",
    "x-request-id",
];
/// Bytes of one header that are told.
const HEADER: usize = 500;

/// Writes an answer into the sink as it comes and says how it ended. A status of 400 or more is a failure.
pub(super) async fn tell(request: &Request, mut response: Response, sink: &Sink) -> Result<Outcome, HttpError> {
    let status = response.status();
    sink.say(&format!("{:?} {status}\n{}\n", response.version(), headers(response.headers())));
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.to_ascii_lowercase();
    let body = if request.method == Method::HEAD {
        Body::default()
    } else {
        read(request, &mut response, &kind, sink).await?
    };
    if body.cut {
        sink.say(&format!("\n[only the first {BODY} bytes of the body were read]\n"));
    }
    let summary = format!("{status}, {}", size(body.bytes as u64));
    Ok(if status.is_client_error() || status.is_server_error() {
        Outcome::Failed { reason: summary }
    } else {
        Outcome::Succeeded { summary }
    })
}

fn headers(headers: &HeaderMap) -> String {
    let mut text = String::new();
    for name in HEADERS {
        for value in headers.get_all(name) {
            let value = String::from_utf8_lossy(value.as_bytes());
            let shown: String = value.chars().take(HEADER).collect();
            text.push_str(&format!("{name}: {shown}{}\n", if shown.len() < value.len() { "…" } else { "" }));
        }
    }
    text
}

/// What is known of a body once it was told.
#[derive(Debug, Default)]
struct Body {
    bytes: usize,
    cut: bool,
}

/// Reads a body: text is told as it comes, JSON at its end, anything else only by its size.
async fn read(request: &Request, response: &mut Response, kind: &str, sink: &Sink) -> Result<Body, HttpError> {
    let mut body = Body::default();
    let mut held = Vec::new();
    let mut sort = None;
    while let Some(chunk) = response.chunk().await.map_err(|error| broken(request, error))? {
        let part = &chunk[..chunk.len().min(BODY - body.bytes)];
        body.bytes += part.len();
        body.cut = part.len() < chunk.len();
        match *sort.get_or_insert_with(|| Sort::of(kind, part)) {
            Sort::Text => sink.say(&String::from_utf8_lossy(&with_held(&mut held, part))),
            Sort::Json => held.extend_from_slice(part),
            Sort::Binary => {}
        }
        if body.cut {
            break;
        }
    }
    let rest = String::from_utf8_lossy(&held);
    match sort {
        Some(Sort::Json) => sink.say(&json::laid_out(&rest).unwrap_or_else(|| rest.into_owned())),
        Some(Sort::Binary) => {
            let kind = if kind.is_empty() { "of no named type" } else { kind };
            sink.say(&format!("[binary body, {} bytes, {kind}]\n", body.bytes));
        }
        Some(Sort::Text) => sink.say(&rest),
        None => {}
    }
    Ok(body)
}

fn broken(request: &Request, error: reqwest::Error) -> HttpError {
    HttpError::Broken(request.host(), plain(&error.without_url()))
}

/// How a body is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Text,
    Json,
    Binary,
}

impl Sort {
    /// Told by the named type and, as that may be wrong, by the first bytes.
    fn of(kind: &str, start: &[u8]) -> Self {
        let cut_off = |error: &std::str::Utf8Error| error.error_len().is_none();
        let text = std::str::from_utf8(start).map_or_else(|error| cut_off(&error), |_| true);
        if start.contains(&0) || !(text || kind.starts_with("text/") || kind.contains("charset=")) {
            Self::Binary
        } else if kind.contains("json") && !kind.contains("ndjson") && !kind.contains("json-seq") {
            Self::Json
        } else {
            Self::Text
        }
    }
}

/// The bytes held back and the new ones, without a character that is cut off at the end: that is held back.
fn with_held(held: &mut Vec<u8>, part: &[u8]) -> Vec<u8> {
    let mut bytes = std::mem::take(held);
    bytes.extend_from_slice(part);
    let tail = bytes.len().saturating_sub(3);
    let cut = (tail..bytes.len()).find(|at| {
        std::str::from_utf8(&bytes[*at..]).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    });
    if let Some(at) = cut {
        *held = bytes.split_off(at);
    }
    bytes
}
