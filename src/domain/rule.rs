//! Typed patterns: the shape of an operation's parts, and rules that match them. Never a string prefix.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::mcp::MCP;

/// The part of an MCP tool's shape that says what its server says of it: a digest.
pub(super) const SCHEMA: &str = "schema";

/// The typed form of one part of an operation (one command of a pipeline, one SQL statement, one request):
/// `program`, `subcommand`; `statement`, `table`; `method`, `host`; `operation`, `path`; …
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape(pub BTreeMap<String, String>);

impl Shape {
    /// A shape of the given parts.
    pub fn new<K: Into<String>, V: Into<String>>(parts: impl IntoIterator<Item = (K, V)>) -> Self {
        Self(parts.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// Whether a part has that value.
    pub(super) fn is(&self, part: &str, value: &str) -> bool {
        self.0.get(part).is_some_and(|is| is == value)
    }
}

/// What a rule says of an operation that it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Never run.
    Deny,
    /// Always ask.
    Ask,
    /// Run, where it covers every finding.
    Allow,
}

/// A person's rule: a tool, and values that the parts of its operations must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// What it says.
    pub effect: Effect,
    /// The tool it is about.
    pub tool: String,
    /// Parts and the exact values they must have; empty matches every operation of the tool.
    #[serde(default, rename = "match")]
    pub parts: BTreeMap<String, String>,
}

/// Programs that run code that the operation doesn't show. An allow rule on them would allow anything.
const RUN_CODE: [&str; 30] = [
    "bash", "sh", "zsh", "fish", "dash", "ksh", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php",
    "lua", "env", "sudo", "doas", "xargs", "eval", "exec", "source", "make", "npm", "npx", "docker", "podman", "ssh",
    "nohup", "watch",
];

impl fmt::Display for Rule {
    /// `execute_command program git, subcommand push`: a rule of the configuration has no other name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        for (at, (part, value)) in self.parts.iter().enumerate() {
            write!(f, "{} {part} {value}", if at == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl Rule {
    /// Whether the rule says something of an operation of `tool` with these shapes. A deny or ask rule needs
    /// one part to match; an allow rule needs every part to match.
    #[must_use]
    pub fn covers(&self, tool: &str, shapes: &[Shape]) -> bool {
        if self.tool != tool {
            return false;
        }
        let hit = |shape: &Shape| self.parts.iter().all(|(part, value)| shape.0.get(part) == Some(value));
        match self.effect {
            Effect::Deny | Effect::Ask => self.parts.is_empty() || shapes.iter().any(hit),
            Effect::Allow => !shapes.is_empty() && !self.parts.is_empty() && shapes.iter().all(hit),
        }
    }

    /// Whether it would allow the operation, had the server of an MCP tool not changed what it says of the tool.
    #[must_use]
    pub fn outdated(&self, tool: &str, shapes: &[Shape]) -> bool {
        let schema = self.parts.get(SCHEMA);
        schema.is_some_and(|schema| {
            let as_it_was: Vec<Shape> = shapes
                .iter()
                .map(|shape| {
                    let mut shape = shape.clone();
                    shape.0.entry(SCHEMA.to_owned()).and_modify(|now| now.clone_from(schema));
                    shape
                })
                .collect();
            self.effect == Effect::Allow && !self.covers(tool, shapes) && self.covers(tool, &as_it_was)
        })
    }

    /// Why the rule may not stand, if so: an allow rule must name something, and never a program that runs code.
    #[must_use]
    pub fn objection(&self) -> Option<String> {
        if self.effect != Effect::Allow {
            return None;
        }
        if self.parts.is_empty() {
            return Some(format!("an allow rule for {} must match at least one part", self.tool));
        }
        if self.tool.starts_with(MCP) && ["server", "tool", SCHEMA].iter().any(|part| !self.parts.contains_key(*part)) {
            return Some(format!(
                "an allow rule for {} must match `server`, `tool` and `{SCHEMA}`, as `countersign mcp tools` prints them",
                self.tool
            ));
        }
        let program = self.parts.get("program");
        if self.tool == "execute_command" && program.is_none() {
            return Some("an allow rule for execute_command must name the program".to_owned());
        }
        program
            .filter(|program| RUN_CODE.contains(&program.as_str()))
            .map(|program| format!("{program} runs code that the rule can't see, so it can't be allowed by a rule"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(effect: Effect, parts: &[(&str, &str)]) -> Rule {
        Rule { effect, tool: "execute_command".to_owned(), parts: Shape::new(parts.iter().copied()).0 }
    }

    #[test]
    fn an_allow_rule_must_match_every_part_and_a_deny_rule_one() {
        let shapes = [Shape::new([("program", "git"), ("subcommand", "push")]), Shape::new([("program", "cargo")])];
        assert!(rule(Effect::Deny, &[("program", "git"), ("subcommand", "push")]).covers("execute_command", &shapes));
        assert!(!rule(Effect::Allow, &[("program", "git")]).covers("execute_command", &shapes));
        assert!(rule(Effect::Allow, &[("program", "git")]).covers("execute_command", &shapes[..1]));
        assert!(!rule(Effect::Allow, &[("program", "git")]).covers("execute_command", &[]));
    }

    #[test]
    fn a_rule_is_told_as_it_stands_in_the_configuration() {
        let rule = rule(Effect::Deny, &[("program", "git"), ("subcommand", "push")]);
        assert_eq!(rule.to_string(), "execute_command program git, subcommand push");
        assert_eq!(Rule { parts: BTreeMap::new(), ..rule }.to_string(), "execute_command");
    }

    #[test]
    fn programs_that_run_code_cannot_be_allowed() {
        assert!(rule(Effect::Allow, &[("program", "bash")]).objection().is_some());
        assert!(rule(Effect::Allow, &[]).objection().is_some());
        assert!(rule(Effect::Allow, &[("program", "mkdir")]).objection().is_none());
        assert!(rule(Effect::Deny, &[]).objection().is_none());
    }

    #[test]
    fn an_allow_rule_for_a_tool_of_a_server_names_what_the_server_says_of_it() {
        let mcp =
            |parts: &[(&str, &str)]| Rule { tool: "mcp__git__git_status".to_owned(), ..rule(Effect::Allow, parts) };
        assert!(mcp(&[("server", "git"), ("tool", "git_status")]).objection().is_some());
        let full = mcp(&[("server", "git"), ("tool", "git_status"), ("schema", "1")]);
        assert!(full.objection().is_none());
        let shape = |schema| Shape::new([("server", "git"), ("tool", "git_status"), ("schema", schema)]);
        assert!(full.outdated("mcp__git__git_status", &[shape("2")]));
        assert!(!full.outdated("mcp__git__git_status", &[shape("1")]));
        assert!(!full.outdated("mcp__git__git_status", &[shape("2"), Shape::new([("finding", "mcp.secret")])]));
    }
}
