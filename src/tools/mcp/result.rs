//! A tool's result as text, and what of it is none: each part as what it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use crate::domain::Part;
use crate::domain::number::size;

/// Most parts of a result that are kept.
const PARTS: usize = 100;

/// What a result says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// All of it.
    pub(super) text: String,
    /// What it is, in a few words.
    pub(super) summary: String,
    /// Whether the tool says that it failed.
    pub(super) failed: bool,
    /// What of it is no text, in order: what it is, and its bytes.
    pub(super) parts: Vec<(Part, Vec<u8>)>,
}

/// Tells a result.
pub(super) fn told(result: &CallToolResult) -> Told {
    let structured = result.structured_content.as_ref().filter(|value| !value.is_null() && !wraps(value, result));
    let repeated = |text: &str| {
        structured.is_some_and(|value| serde_json::from_str::<Value>(text).is_ok_and(|said| said == *value))
    };
    let (mut texts, mut parts) = (Vec::new(), Vec::new());
    for block in &result.content {
        match block {
            // The specification wants it said twice.
            ContentBlock::Text(text) if repeated(&text.text) => {}
            block => texts.push(told_part(block, &mut parts)),
        }
    }
    if let Some(value) = structured {
        texts.push(serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()));
    }
    let text = texts.iter().map(|part| part.trim_end_matches('\n')).collect::<Vec<_>>().join("\n");
    let lines = text.lines().count();
    let summary = match (result.content.as_slice(), structured) {
        ([], None) => "nothing".to_owned(),
        ([ContentBlock::Image(image)], None) => image.mime_type.chars().take(40).collect(),
        (_, Some(_)) => "JSON".to_owned(),
        _ if lines == 1 => "1 line".to_owned(),
        _ => format!("{lines} lines"),
    };
    Told { text, summary, failed: result.is_error == Some(true), parts }
}

/// Whether a value is no more than the result's only text in an object: servers that must send one make it so.
fn wraps(value: &Value, result: &CallToolResult) -> bool {
    let only = value.as_object().filter(|members| members.len() == 1).and_then(|members| members.values().next());
    match (only, result.content.as_slice()) {
        (Some(Value::String(said)), [ContentBlock::Text(text)]) => *said == text.text,
        _ => false,
    }
}

fn told_part(block: &ContentBlock, parts: &mut Vec<(Part, Vec<u8>)>) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => {
            let what = one_line(&image.mime_type);
            format!("[image: {what}, {}]", decoded(&image.data, &what, "", parts))
        }
        ContentBlock::Audio(audio) => {
            let what = one_line(&audio.mime_type);
            format!("[audio: {what}, {}]", decoded(&audio.data, &what, "", parts))
        }
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                format!("[resource: {}{}]\n{text}", one_line(uri), kind(mime_type.as_deref()))
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let what = one_line(mime_type.as_deref().unwrap_or_default());
                let held = decoded(blob, &what, uri, parts);
                format!("[resource: {}{}, {held}]", one_line(uri), kind(mime_type.as_deref()))
            }
            _ => "[a resource of a kind that isn't known here]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => {
            let bytes = link.size.map(|bytes| format!(", {}", size(bytes))).unwrap_or_default();
            format!(
                "[link: {} → {}{}{bytes}]",
                one_line(&link.name),
                one_line(&link.uri),
                kind(link.mime_type.as_deref())
            )
        }
        _ => "[a part of a kind that isn't known here]".to_owned(),
    }
}

fn kind(mime_type: Option<&str>) -> String {
    mime_type.map(|kind| format!(", {}", one_line(kind))).unwrap_or_default()
}

/// Takes in what Base64 text holds. Says how large it is, under which number it can be saved, and what it is where
/// that isn't what was said.
fn decoded(base64: &str, said: &str, uri: &str, parts: &mut Vec<(Part, Vec<u8>)>) -> String {
    let Ok(bytes) = BASE64.decode(base64.trim_end()) else { return "not readable: it isn't Base64".to_owned() };
    let large = size(bytes.len() as u64);
    if parts.len() >= PARTS {
        return large;
    }
    let found = sniffed(&bytes);
    let lies = found.filter(|(kind, _)| !said.is_empty() && *kind != said.to_ascii_lowercase());
    let is = lies.map(|(kind, _)| format!(", but it is {kind}")).unwrap_or_default();
    let number = parts.len() + 1;
    let ending = found.map(|(_, ending)| ending).or_else(|| ending_of(said));
    let ending = ending.map_or_else(|| ending_in(uri).unwrap_or_else(|| "bin".to_owned()), str::to_owned);
    parts.push((Part { number, ending, bytes: bytes.len() as u64 }, bytes));
    format!("{large}{is}, part {number}")
}

/// What bytes begin as: a kind, and what a file of it ends in.
fn sniffed(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const BEGINNINGS: [(&[u8], &str, &str); 7] = [
        (b"\x89PNG\r\n", "image/png", "png"),
        (b"\xff\xd8\xff", "image/jpeg", "jpg"),
        (b"GIF8", "image/gif", "gif"),
        (b"%PDF-", "application/pdf", "pdf"),
        (b"PK\x03\x04", "application/zip", "zip"),
        (b"\x1f\x8b", "application/gzip", "gz"),
        (b"OggS", "audio/ogg", "ogg"),
    ];
    let begun = BEGINNINGS.iter().find(|(beginning, ..)| bytes.starts_with(beginning));
    begun.map(|(_, kind, ending)| (*kind, *ending))
}

/// What a file of a kind ends in.
fn ending_of(kind: &str) -> Option<&'static str> {
    const ENDINGS: [(&str, &str); 8] = [
        ("image/webp", "webp"),
        ("image/svg+xml", "svg"),
        ("audio/wav", "wav"),
        ("audio/mpeg", "mp3"),
        ("video/mp4", "mp4"),
        ("application/json", "json"),
        ("text/plain", "txt"),
        ("text/csv", "csv"),
    ];
    ENDINGS.iter().find(|(known, _)| *known == kind.to_ascii_lowercase()).map(|(_, ending)| *ending)
}

/// What the last name of an address ends in.
fn ending_in(uri: &str) -> Option<String> {
    let (_, ending) = uri.rsplit('/').next()?.rsplit_once('.')?;
    let plain = (1..=8).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain.then(|| ending.to_ascii_lowercase())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(value: Value) -> Told {
        told(&serde_json::from_value(value).unwrap())
    }

    #[test]
    fn every_part_is_told_as_what_it_is() {
        let parts = of(json!({ "content": [
            { "type": "text", "text": "two\nlines\n" },
            { "type": "image", "data": "aGVsbG8=", "mimeType": "image/png" },
            { "type": "resource", "resource": { "uri": "file:///a.txt", "mimeType": "text/plain", "text": "inside" } },
            { "type": "resource", "resource": { "uri": "file:///a.bin", "blob": "aGVsbG8=" } },
            { "type": "resource_link", "uri": "https://a.example/x", "name": "x", "size": 12_000 }
        ] }));
        assert_eq!(
            parts.text,
            "two\nlines\n[image: image/png, 5 B, part 1]\n[resource: file:///a.txt, text/plain]\ninside\n\
             [resource: file:///a.bin, 5 B, part 2]\n[link: x → https://a.example/x, 12 kB]"
        );
        assert!(!parts.failed && parts.summary == "7 lines", "{}", parts.summary);
        let part = |number, ending: &str| (Part { number, ending: ending.to_owned(), bytes: 5 }, b"hello".to_vec());
        assert_eq!(parts.parts, [part(1, "bin"), part(2, "bin")]);
    }

    #[test]
    fn what_bytes_are_is_said_where_the_server_says_otherwise_and_broken_ones_are_named() {
        let image =
            |kind: &str, data: &str| of(json!({ "content": [{ "type": "image", "data": data, "mimeType": kind }] }));
        let lies = image("image/png", "R0lGODlh");
        assert_eq!(lies.text, "[image: image/png, 6 B, but it is image/gif, part 1]");
        assert_eq!(lies.parts[0].0.ending, "gif");
        assert_eq!(image("audio/wav", "aGk=").parts[0].0.ending, "wav");
        let broken = image("image/png", "***");
        assert!(broken.text.contains("it isn't Base64") && broken.parts.is_empty(), "{}", broken.text);
    }

    #[test]
    fn structured_content_is_told_once_and_a_failure_is_one() {
        let both = of(json!({
            "content": [{ "type": "text", "text": "{\"a\":1}" }], "structuredContent": { "a": 1 }, "isError": true
        }));
        assert_eq!((both.text.as_str(), both.summary.as_str(), both.failed), ("{\n  \"a\": 1\n}", "JSON", true));
        assert_eq!(of(json!({ "content": [] })).summary, "nothing");
        let wrapped = |said: &str| {
            of(json!({ "content": [{ "type": "text", "text": "a\nb\n" }], "structuredContent": { "content": said } }))
        };
        assert_eq!((wrapped("a\nb\n").text.as_str(), wrapped("a\nb\n").summary.as_str()), ("a\nb", "2 lines"));
        assert_eq!(wrapped("other").text, "a\nb\n{\n  \"content\": \"other\"\n}");
    }
}
