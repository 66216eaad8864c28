//! What `assess --explain` adds to an answer: the claim and the mode, the step that decided, each rule with the text
//! that it is about, and the commands that a command line was read as.

use serde::Serialize;

use crate::assess::{AssessSettings, Word, read};
use crate::domain::{ApprovalMode, Finding, OperationKind, Prepared, RiskLevel, Step};

/// How a decision came about.
#[derive(Serialize)]
pub(super) struct Explanation {
    /// What the model's claim counts as, if it made one.
    claim: Option<RiskLevel>,
    mode: ApprovalMode,
    step: Step,
    number: u8,
    findings: Vec<Pointed>,
    /// Words of each command, after quotes and expansions; `…` is what can't be known.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_as: Option<Vec<Vec<String>>>,
}

/// A finding and what it points at.
#[derive(Serialize)]
struct Pointed {
    #[serde(flatten)]
    finding: Finding,
    /// The text under its span.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Explanation {
    pub(super) fn new(step: Step, mode: ApprovalMode, prepared: &Prepared, settings: &AssessSettings) -> Self {
        let kind = &prepared.operation.kind;
        let body = kind.text().body;
        let pointed = |finding: &Finding| Pointed {
            text: finding.span.clone().and_then(|span| body.get(span)).map(visible),
            finding: finding.clone(),
        };
        let read_as = match kind {
            OperationKind::Command(command) => {
                let commands = read(&command.command, &prepared.facts, settings);
                Some(commands.iter().map(|command| command.words.iter().map(shown).collect()).collect())
            }
            OperationKind::Sql(_)
            | OperationKind::File(_)
            | OperationKind::Http(_)
            | OperationKind::Search(_)
            | OperationKind::Find(_)
            | OperationKind::Undo(_)
            | OperationKind::Apply(_)
            | OperationKind::Answer(_)
            | OperationKind::Mcp(_)
            | OperationKind::Other(_) => None,
        };
        let findings = prepared.assessment.findings.iter().map(pointed).collect();
        Self { claim: prepared.operation.claim.level(), mode, step, number: step.number(), findings, read_as }
    }
}

fn shown(word: &Word) -> String {
    visible(&word.shown())
}

/// The text with what can't be seen spelled out, but for the line breaks and tabs that JSON spells anyway.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        let escaped = c.escape_debug();
        if escaped.len() > 2 {
            visible.extend(escaped);
        } else {
            visible.push(c);
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Terms;
    use super::super::assess::run;

    fn explained(tool: &str, arguments: &Value) -> Value {
        let line = json!({"tool": tool, "arguments": arguments}).to_string();
        let mut output = Vec::new();
        run(Terms { explain: true, ..Terms::default() }, line.as_bytes(), &mut output).unwrap();
        serde_json::from_slice::<Value>(&output).unwrap()["explanation"].take()
    }

    #[test]
    fn each_rule_is_told_with_the_text_that_it_is_about() {
        let told = explained("execute_command", &json!({"command": "ls; cat 'a b' \"$x\" *.md > out"}));
        let findings = told["findings"].as_array().unwrap();
        let pairs: Vec<_> = findings.iter().map(|finding| (&finding["rule"], &finding["text"])).collect();
        assert!(pairs.contains(&(&json!("command.redirect"), &json!("> out"))), "{told}");
        assert!(pairs.contains(&(&json!("command.path"), &json!("\"$x\""))), "{told}");
        assert_eq!(told["read_as"], json!([["ls"], ["cat", "a b", "…", "*.md"]]));

        let told = explained("execute_sql", &json!({"sql": "SELECT pg_sleep(1)"}));
        assert_eq!(told["findings"][0]["text"], "pg_sleep", "{told}");
        assert_eq!(told.get("read_as"), None);
    }

    #[test]
    fn claim_and_mode_are_told_with_the_step() {
        let told = explained("execute_command", &json!({"command": "rm x", "risk_level": "low"}));
        assert_eq!(
            (&told["claim"], &told["mode"], &told["step"]),
            (&json!("low"), &json!("guarded"), &json!("danger"))
        );
        let told = explained("execute_command", &json!({"command": "ls"}));
        assert_eq!((&told["claim"], &told["number"]), (&Value::Null, &json!(10)));
        assert_eq!(explained("execute_command", &json!({"command": "ls", "risk_level": "?"}))["claim"], "high");
    }

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        let told = explained("execute_command", &json!({"command": "frob\u{202e}nicate"}));
        assert!(told.to_string().contains("frob\\\\u{202e}nicate"), "{told}");
        assert!(!told["read_as"].to_string().contains('\u{202e}'), "{told}");
    }
}
