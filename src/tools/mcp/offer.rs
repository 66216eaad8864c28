//! What a server says of its tools, made into what a model is offered: names that can't be taken for ours, texts of
//! bounded length without what nobody sees, and a digest that tells when anything of it changed.

use std::collections::BTreeMap;

use rmcp::model::Tool as Described;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::assess::visible;
use crate::domain::{CLAIM, Declared, MCP, ToolSpec};

/// Longest name, as the providers take it.
const NAME: usize = 64;
/// Longest description that a model reads, in bytes.
const DESCRIPTION: usize = 4 * 1024;
/// Longest schema of a tool that is offered, in bytes.
const SCHEMA: usize = 32 * 1024;
/// Most tools of one server that are offered.
const TOOLS: usize = 100;
/// Letters of a digest that tell apart what a name can't.
const MARK: usize = 6;
/// Letters of a digest.
const LETTERS: usize = 32;

/// One tool as it is offered.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Its name at the server.
    pub tool: String,
    /// How a model is offered it, without the claim.
    pub spec: ToolSpec,
    /// What the server says of it.
    pub declared: Declared,
    /// Whether it has an argument of the claim's name, which it keeps.
    pub own_level: bool,
}

/// The tools of a server as they are offered, and why others aren't. `address` is how the server is reached.
pub(super) fn offers(server: &str, address: &str, described: &[Described]) -> (Vec<Offer>, Vec<String>) {
    let (mut offers, mut left_out) = (BTreeMap::new(), Vec::new());
    for tool in described {
        let told = visible(&tool.name).chars().filter(|letter| !letter.is_control()).take(80).collect::<String>();
        match offer(server, address, tool) {
            Err(why) => left_out.push(format!("{told}: {why}")),
            Ok(_) if offers.len() == TOOLS => {
                left_out.push(format!("{told}: only {TOOLS} tools of a server are offered"));
            }
            Ok(offer) if offers.contains_key(&offer.spec.name) => {
                left_out.push(format!("{told}: there is another tool of that name"));
            }
            Ok(offer) => {
                offers.insert(offer.spec.name.clone(), offer);
            }
        }
    }
    (offers.into_values().collect(), left_out)
}

fn offer(server: &str, address: &str, tool: &Described) -> Result<Offer, String> {
    if tool.name.is_empty() {
        return Err("it has no name".to_owned());
    }
    let schema = Value::Object((*tool.input_schema).clone());
    let length = schema.to_string().len();
    if length > SCHEMA {
        return Err(format!("its schema is {length} bytes long; up to {SCHEMA} are offered"));
    }
    let parameters = parameters(&schema).ok_or("its schema isn't one of an object")?;
    let said = tool.description.as_deref().unwrap_or_default();
    let description = cut(said);
    let own_level = parameters["properties"].get(CLAIM).is_some();
    let annotations = tool.annotations.as_ref();
    let declared = Declared {
        schema: digest(address, tool),
        description: description.clone(),
        read_only: annotations.and_then(|hints| hints.read_only_hint).unwrap_or(false),
        destructive: annotations.and_then(|hints| hints.destructive_hint).unwrap_or(false),
        hides: seen(&schema) != schema,
    };
    let description =
        format!("A tool of the MCP server {}, which says of it: {}", visible(server), visible(&description));
    let spec = ToolSpec { name: name(server, &tool.name), description, parameters };
    Ok(Offer { tool: tool.name.to_string(), spec, declared, own_level })
}

/// A description's beginning, with a word about how much is missing.
fn cut(text: &str) -> String {
    let end = text.floor_char_boundary(DESCRIPTION);
    if end == text.len() { text.to_owned() } else { format!("{}… ({} bytes more)", &text[..end], text.len() - end) }
}

/// The schema of the arguments as the providers take it. None if it isn't one of an object.
fn parameters(schema: &Value) -> Option<Value> {
    let Value::Object(mut schema) = seen(schema) else { return None };
    if schema.get("type").is_some_and(|kind| kind != "object") {
        return None;
    }
    schema.remove("$schema");
    schema.insert("type".to_owned(), json!("object"));
    let properties = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    properties.is_object().then_some(Value::Object(schema))
}

/// A value without the characters that nobody sees.
fn seen(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(visible(text)),
        Value::Array(items) => Value::Array(items.iter().map(seen).collect()),
        Value::Object(map) => Value::Object(map.iter().map(|(key, value)| (visible(key), seen(value))).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// The name that a model calls a tool by. The same for the same names, whatever else is offered; where the letters
/// don't say it all, a part of a digest does.
fn name(server: &str, tool: &str) -> String {
    let letters = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
    };
    let plain = format!("{MCP}{}__{}", letters(server), letters(tool));
    let parted = !server.contains("__") && !server.ends_with('_') && !tool.starts_with('_');
    if parted && plain == format!("{MCP}{server}__{tool}") && plain.len() <= NAME {
        return plain;
    }
    let mark = hex(format!("{server}\0{tool}").as_bytes());
    format!("{}_{}", &plain[..plain.len().min(NAME - MARK - 1)], &mark[..MARK])
}

/// Digest of a server's address and all that it says of a tool.
fn digest(address: &str, tool: &Described) -> String {
    let said = serde_json::to_value(tool).unwrap_or(Value::Null);
    hex(json!([address, sorted(said)]).to_string().as_bytes())[..LETTERS].to_owned()
}

/// The same value with the members of its objects in the order of their names: their order means nothing.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        Value::Object(map) => {
            let ordered: BTreeMap<String, Value> = map.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            Value::Object(ordered.into_iter().collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(value: Value) -> Described {
        serde_json::from_value(value).unwrap()
    }

    fn described(name: &str, description: &str) -> Described {
        tool(json!({ "name": name, "description": description, "inputSchema": { "type": "object" } }))
    }

    #[test]
    fn no_name_is_taken_for_ours_or_for_another() {
        assert_eq!(name("git", "git_status"), "mcp__git__git_status");
        let names = [
            ("a", "b__c"),
            ("a__b", "c"),
            ("a_", "b"),
            ("a", "_b"),
            ("a b", "c"),
            ("a_b", "c"),
            ("a", "é"),
            ("a", "e"),
        ]
        .map(|(server, tool)| name(server, tool));
        for (at, one) in names.iter().enumerate() {
            assert!(one.starts_with(MCP) && one.len() <= NAME, "{one}");
            assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'), "{one}");
            assert!(names[at + 1..].iter().all(|other| other != one), "{names:?}");
        }
        let (long, longer) = (name("s", &"t".repeat(90)), name("s", &"t".repeat(91)));
        assert!(long.len() == NAME && long != longer);
    }

    #[test]
    fn a_second_tool_of_a_name_a_huge_schema_and_one_of_no_object_are_left_out() {
        let huge = json!({ "type": "object", "properties": { "a": { "description": "x".repeat(SCHEMA) } } });
        let tools = [
            described("a", "first"),
            described("a", "second"),
            tool(json!({ "name": "b", "inputSchema": huge })),
            tool(json!({ "name": "c", "inputSchema": { "type": "array" } })),
            described("", "nameless"),
        ];
        let (offers, left_out) = offers("s", "x", &tools);
        assert_eq!(offers.len(), 1);
        assert!(offers[0].declared.description == "first" && left_out.len() == 4, "{left_out:?}");
    }

    #[test]
    fn what_nobody_sees_is_taken_off_and_said() {
        let said = tool(json!({
            "name": "a", "description": "Adds\u{e0041} numbers",
            "inputSchema": { "type": "object", "$schema": "x", "properties": { "n": { "description": "a\u{200b}b" } } }
        }));
        let offer = &offers("s", "x", &[said]).0[0];
        assert!(offer.spec.description.ends_with("Adds numbers"), "{}", offer.spec.description);
        assert_eq!(offer.spec.parameters["properties"]["n"]["description"], "ab");
        assert!(offer.spec.parameters.get("$schema").is_none());
        assert!(offer.declared.hides && offer.declared.description.contains('\u{e0041}'));
        assert!(!offers("s", "x", &[described("a", "plain")]).0[0].declared.hides);
    }

    #[test]
    fn the_digest_tells_any_change_but_that_of_an_order() {
        let of = |description: &str| digest("x", &described("a", description));
        assert_eq!(of("one"), of("one"));
        assert_ne!(of("one"), of("two"));
        assert_ne!(digest("x", &described("a", "one")), digest("y", &described("a", "one")));
        let ordered = |text: &str| {
            let schema: Value = serde_json::from_str(text).unwrap();
            digest("x", &tool(json!({ "name": "a", "inputSchema": schema })))
        };
        let one = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{}}}"#;
        assert_eq!(ordered(one), ordered(r#"{"properties":{"b":{},"a":{"type":"string"}},"type":"object"}"#));
        assert_ne!(ordered(one), ordered(r#"{"type":"object","properties":{"a":{"type":"number"},"b":{}}}"#));
    }

    #[test]
    fn a_tool_with_an_argument_of_the_claims_name_keeps_it() {
        let own = json!({ "type": "object", "properties": { "risk_level": { "type": "integer" } } });
        assert!(offers("s", "x", &[tool(json!({ "name": "a", "inputSchema": own }))]).0[0].own_level);
    }
}
