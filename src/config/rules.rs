//! The `[[rules]]` of the configuration. A rule that could never match is refused aloud: a deny rule that
//! does nothing is worse than none.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeTable;

use super::problem::suggestion;
use super::reader::{Placed, Reader, short};
use crate::domain::{Rule, RuleEffect};

/// The built-in tools and the parts that their operations have. Tools of MCP servers, named
/// `mcp__server__tool`, have parts of their own.
const TOOLS: [(&str, &[&str]); 7] = [
    ("execute_sql", &["connection", "statement", "table", "where"]),
    ("execute_command", &["program", "subcommand", "redirect"]),
    ("file_operations", &["operation", "path", "destination"]),
    ("http_request", &["method", "scheme", "host", "port", "path"]),
    ("search_files", &["path"]),
    ("find_files", &["path"]),
    ("web_search", &[]),
];

/// Every rule that can stand.
pub(super) fn rules(reader: &mut Reader<'_>, top: &DeTable<'_>, home: Option<&Path>) -> Vec<Rule> {
    let tables = reader.list(top, "rules");
    tables.into_iter().filter_map(|(table, place)| rule(reader, table, place.start, home)).collect()
}

fn rule(reader: &mut Reader<'_>, table: &DeTable<'_>, at: usize, home: Option<&Path>) -> Option<Rule> {
    reader.only(table, &["effect", "tool", "match"], |_| None);
    let effects = [("deny", RuleEffect::Deny), ("ask", RuleEffect::Ask), ("allow", RuleEffect::Allow)];
    let effect = reader.choice(table, "effect", &effects);
    let tool = reader.text(table, "tool");
    for key in ["effect", "tool"] {
        if !table.contains_key(key) {
            reader.object(at, format!("a rule needs `{key}`."));
        }
    }
    let (effect, (tool, place)) = (effect?, tool?);
    let known = TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, parts)| *parts);
    if known.is_none() && !tool.starts_with("mcp__") {
        let advice = suggestion(&tool, TOOLS.map(|(name, _)| name));
        reader.object(place.start, format!("there is no tool `{}`. {advice}", short(&tool)));
        return None;
    }
    let parts = parts(reader, table, &tool, known, home)?;
    let rule = Rule { effect, tool, parts };
    if let Some(objection) = rule.objection() {
        reader.object(at, format!("this rule can't stand: {objection}."));
        return None;
    }
    Some(rule)
}

/// The parts to match; none if one of them can't be read, since the rest would match more than was meant.
fn parts(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    tool: &str,
    known: Option<&[&str]>,
    home: Option<&Path>,
) -> Option<BTreeMap<String, String>> {
    if !table.contains_key("match") {
        return Some(BTreeMap::new());
    }
    let wanted = reader.table(table, "match")?;
    if let Some(known) = known {
        reader.only(wanted, known, |_| None);
    }
    let mut parts = BTreeMap::new();
    for key in wanted.keys() {
        let name = key.get_ref().as_ref();
        if known.is_none_or(|known| known.contains(&name)) {
            let value = reader.text(wanted, name).and_then(|value| spelled(reader, tool, name, value, home));
            parts.extend(value.map(|value| (name.to_owned(), value)));
        }
    }
    (parts.len() == wanted.len()).then_some(parts)
}

/// A part's value in the spelling that operations have.
fn spelled(
    reader: &mut Reader<'_>,
    tool: &str,
    part: &str,
    (value, place): Placed<String>,
    home: Option<&Path>,
) -> Option<String> {
    match (tool, part) {
        ("http_request", "method") => Some(value.to_uppercase()),
        ("http_request", "scheme" | "host") | ("execute_sql", "statement") | ("file_operations", "operation") => {
            Some(value.to_lowercase())
        }
        ("execute_sql", "where") => {
            let word = value.to_lowercase();
            let valid = ["yes", "no"].contains(&word.as_str());
            if !valid {
                reader.object(place.start, "`where` is `yes` for statements with a condition, or `no`.");
            }
            valid.then_some(word)
        }
        ("file_operations" | "search_files" | "find_files", "path" | "destination") => {
            let below_home = value.strip_prefix("~/").zip(home).map(|(rest, home)| home.join(rest));
            let path = below_home.map_or(value, |path| path.to_string_lossy().into_owned());
            let whole = Path::new(&path).is_absolute();
            if !whole {
                reader.object(place.start, "a rule needs the whole path, from `/` or `~/`.");
            }
            whole.then_some(path)
        }
        _ => Some(value),
    }
}
