//! A tool's result as text: each part as what it is.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use crate::domain::number::size;

/// What a result says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// All of it.
    pub(super) text: String,
    /// What it is, in a few words.
    pub(super) summary: String,
    /// Whether the tool says that it failed.
    pub(super) failed: bool,
}

/// Tells a result.
pub(super) fn told(result: &CallToolResult) -> Told {
    let structured = result.structured_content.as_ref().filter(|value| !value.is_null());
    let repeated = |text: &str| {
        structured.is_some_and(|value| serde_json::from_str::<Value>(text).is_ok_and(|said| said == *value))
    };
    let mut parts = Vec::new();
    for block in &result.content {
        match block {
            // The specification wants it said twice.
            ContentBlock::Text(text) if repeated(&text.text) => {}
            block => parts.push(part(block)),
        }
    }
    if let Some(value) = structured {
        parts.push(serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()));
    }
    let text = parts.iter().map(|part| part.trim_end_matches('\n')).collect::<Vec<_>>().join("\n");
    let lines = text.lines().count();
    let summary = match (result.content.as_slice(), structured) {
        ([], None) => "nothing".to_owned(),
        ([ContentBlock::Image(image)], None) => image.mime_type.chars().take(40).collect(),
        (_, Some(_)) => "JSON".to_owned(),
        _ if lines == 1 => "1 line".to_owned(),
        _ => format!("{lines} lines"),
    };
    Told { text, summary, failed: result.is_error == Some(true) }
}

fn part(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image: {}, {}]", one_line(&image.mime_type), decoded(&image.data)),
        ContentBlock::Audio(audio) => format!("[audio: {}, {}]", one_line(&audio.mime_type), decoded(&audio.data)),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                format!("[resource: {}{}]\n{text}", one_line(uri), kind(mime_type.as_deref()))
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                format!("[resource: {}{}, {}]", one_line(uri), kind(mime_type.as_deref()), decoded(blob))
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

/// The size that Base64 text has once it is decoded.
fn decoded(base64: &str) -> String {
    let padding = base64.bytes().rev().take_while(|byte| *byte == b'=').count();
    size((base64.len() / 4 * 3).saturating_sub(padding) as u64)
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
            "two\nlines\n[image: image/png, 5 B]\n[resource: file:///a.txt, text/plain]\ninside\n\
             [resource: file:///a.bin, 5 B]\n[link: x → https://a.example/x, 12 kB]"
        );
        assert!(!parts.failed && parts.summary == "7 lines", "{}", parts.summary);
    }

    #[test]
    fn structured_content_is_told_once_and_a_failure_is_one() {
        let both = of(json!({
            "content": [{ "type": "text", "text": "{\"a\":1}" }], "structuredContent": { "a": 1 }, "isError": true
        }));
        assert_eq!((both.text.as_str(), both.summary.as_str(), both.failed), ("{\n  \"a\": 1\n}", "JSON", true));
        assert_eq!(of(json!({ "content": [] })).summary, "nothing");
    }
}
