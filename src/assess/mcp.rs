//! Judges calls of MCP servers' tools. A third party's program does whatever it does: every call is external, and what
//! the server says of the tool makes it worse or nothing. What the arguments name is looked at like everywhere else.

use serde_json::Value;

use super::{RiskAssessor, Subject, secret_kind, spelling};
use crate::domain::{Assessment, Class, Danger, FINDING, Finding, McpOperation, OperationKind, RiskLevel, Shape};

/// Longest string that may be a path, in bytes.
const PATH: usize = 4096;
/// Most strings of one call that are looked at; of more, the rest counts as unread.
const STRINGS: usize = 2_000;

/// The assessor of every tool of an MCP server.
#[derive(Clone, Copy, Debug)]
pub struct McpAssessor;

impl RiskAssessor for McpAssessor {
    fn assess(&self, subject: Subject<'_>) -> Assessment {
        let OperationKind::Mcp(mcp) = &subject.operation.kind else { return Assessment::default() };
        let mut findings = vec![foreign(mcp, subject)];
        let mut shapes = vec![shape(mcp, subject)];
        for (count, (name, text)) in strings(mcp).enumerate() {
            if count == STRINGS {
                let sentence = format!("It has more than {STRINGS} texts; the rest isn't judged.");
                findings.push(Finding::new("mcp.too-many", Class::Unreadable, sentence));
                break;
            }
            findings.extend(named(name, text, subject));
            findings.extend(secret_kind(text).map(|kind| {
                let sentence = format!("The argument {name} carries a secret: {kind}.");
                Finding::new("mcp.secret", Class::Declared(Danger::Sensitive), sentence)
            }));
        }
        // A rule that names the tool alone was not made for these: a part that it doesn't match holds it back.
        let more = findings.iter().skip(1).map(|finding| Shape::new([(FINDING, finding.rule.clone())]));
        shapes.extend(more);
        Assessment { findings, shapes, target: mcp.server.clone(), ..Assessment::default() }
    }
}

/// What is true of every call, and what the server says that makes it worse.
fn foreign(mcp: &McpOperation, subject: Subject<'_>) -> Finding {
    let declared = subject.facts.declared.as_ref();
    let says = |said: fn(&crate::domain::Declared) -> bool| declared.is_some_and(said);
    let (rule, level, and) = if says(|declared| declared.destructive) {
        ("mcp.destructive", RiskLevel::High, ", which says that it may destroy")
    } else if says(|declared| declared.read_only) {
        ("mcp.external", RiskLevel::Medium, ", which says that it only reads; nobody has checked that")
    } else if declared.is_none() {
        ("mcp.external", RiskLevel::Medium, ", of which nothing else is known here")
    } else {
        ("mcp.external", RiskLevel::Medium, "")
    };
    let sentence = format!("{} is a tool of the MCP server {}{and}.", mcp.tool, mcp.server);
    Finding::new(rule, Class::Declared(Danger::External), sentence).level(level)
}

/// What a rule matches: this tool, as its server describes it now.
fn shape(mcp: &McpOperation, subject: Subject<'_>) -> Shape {
    let schema = subject.facts.declared.as_ref().map(|now| ("schema", now.schema.clone()));
    // Without it no allow rule matches: what the server says of the tool isn't seen.
    Shape::new([("server", mcp.server.clone()), ("tool", mcp.tool.clone())].into_iter().chain(schema))
}

/// What is special about a path that an argument names, if it names one.
fn named(name: &str, text: &str, subject: Subject<'_>) -> Option<Finding> {
    if text.is_empty() || text.len() > PATH || text.contains('\n') {
        return None;
    }
    let (place, sensitive) = (&subject.facts.place, &subject.settings.sensitive);
    if sensitive.own().named(text, place) {
        let sentence = format!("The argument {name} names Countersign's own files, which no tool may write.");
        return Some(Finding::new("mcp.own", Class::Catastrophe, sentence));
    }
    let entry = spelling::absolute(text, place).iter().find_map(|path| sensitive.entry(path, place))?;
    let sentence = format!("The argument {name} names what is sensitive: {entry}.");
    Some(Finding::new("mcp.sensitive", Class::Declared(Danger::Sensitive), sentence))
}

/// Every string of the arguments, with the name of the argument that holds it.
fn strings(mcp: &McpOperation) -> impl Iterator<Item = (&str, &str)> {
    mcp.arguments.iter().flat_map(|(name, value)| within(value).map(move |text| (name.as_str(), text)))
}

/// Every string of a value, keys included. Its depth is that of the parser, which is bounded.
fn within(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(items) => Box::new(items.iter().flat_map(within)),
        Value::Object(map) => {
            Box::new(map.iter().flat_map(|(key, value)| std::iter::once(key.as_str()).chain(within(value))))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::assess::{AssessSettings, Own, Sensitive, assess};
    use crate::domain::{
        ApprovalMode, Claim, Declared, Draft, Enforceable, Facts, Grants, Operation, OperationId, Origin, Place,
        Policy, Prepared, Rule, RuleEffect, RuleId, Step, Verdict, judge,
    };

    fn prepared(arguments: Value, declared: Declared, claim: Claim) -> Prepared {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let place =
            Place { cwd: "/home/ann/w".into(), workspace: "/home/ann/w".into(), home: Some("/home/ann".into()) };
        let mcp = McpOperation { server: "files".to_owned(), tool: "read_file".to_owned(), arguments };
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Model { call_id: "c".to_owned() },
            tool: "mcp__files__read_file".to_owned(),
            claim,
            kind: OperationKind::Mcp(mcp),
            cwd: "/home/ann/w".into(),
        };
        let facts = Facts { place, declared: Some(declared), ..Facts::default() };
        let own = Own::of(vec!["/home/ann/.config/countersign".into()], None);
        let settings = AssessSettings { sensitive: Sensitive::default().and(own), ..AssessSettings::default() };
        let assessment = assess(&McpAssessor, Subject { operation: &operation, facts: &facts, settings: &settings });
        Prepared { operation, facts, assessment }
    }

    fn declared(schema: &str) -> Declared {
        Declared { schema: schema.to_owned(), description: "Reads a file.".to_owned(), ..Declared::default() }
    }

    fn rule(schema: &str) -> Rule {
        let parts = Shape::new([("server", "files"), ("tool", "read_file"), ("schema", schema)]).0;
        Rule { effect: RuleEffect::Allow, tool: "mcp__files__read_file".to_owned(), parts }
    }

    fn verdict(prepared: &Prepared, mode: ApprovalMode, rules: &[Rule]) -> (Verdict, Step, String) {
        let policy = Policy { mode, rules: rules.to_vec(), ..Policy::default() };
        let judgement = judge(prepared, &policy, &Grants::default(), Enforceable::default(), false);
        (judgement.verdict, judgement.step, judgement.reason)
    }

    #[test]
    fn every_call_asks_in_smart_too_and_hints_only_raise() {
        let low = || Claim::Level(RiskLevel::Low);
        let plain = prepared(json!({ "path": "a.txt" }), declared("1"), low());
        assert_eq!(plain.assessment.level(), RiskLevel::Medium);
        for mode in [ApprovalMode::Guarded, ApprovalMode::Smart, ApprovalMode::Strict] {
            assert_eq!(verdict(&plain, mode, &[]).0, Verdict::Ask, "{mode:?}");
        }
        let reads = prepared(json!({}), Declared { read_only: true, ..declared("1") }, low());
        assert_eq!(reads.assessment.level(), RiskLevel::Medium);
        assert_eq!(verdict(&reads, ApprovalMode::Smart, &[]).1, Step::Danger);
        let destroys = prepared(json!({}), Declared { destructive: true, read_only: true, ..declared("1") }, low());
        assert_eq!(destroys.assessment.level(), RiskLevel::High);
        let long = prepared(json!({ "text": "x".repeat(100_000) }), declared("1"), low());
        assert_eq!(verdict(&long, ApprovalMode::Smart, &[]).0, Verdict::Ask, "unreadable");
    }

    #[test]
    fn an_allow_rule_lifts_it_until_the_server_says_something_else() {
        let rules = [rule("1")];
        let shown = prepared(json!({ "path": "a.txt" }), declared("1"), Claim::Absent);
        assert_eq!(verdict(&shown, ApprovalMode::Guarded, &rules).0, Verdict::Allow);
        let changed = prepared(json!({ "path": "a.txt" }), declared("2"), Claim::Absent);
        let (verdict, _, reason) = verdict(&changed, ApprovalMode::Guarded, &rules);
        assert_eq!(verdict, Verdict::Ask);
        assert!(reason.contains("differently since you allowed it"), "{reason}");
    }

    #[test]
    fn an_allow_rule_for_the_tool_does_not_cover_what_is_special_about_the_arguments() {
        for arguments in [
            json!({ "path": ".env" }),
            json!({ "deep": [{ "path": "file:///home/ann/.ssh/id_ed25519" }] }),
            json!({ "url": "https://a.example/?token=a8F3kQ9zL2mX7pR4tV6w" }),
            json!({ "text": "harmless\u{202e}gpj.exe" }),
        ] {
            let special = prepared(arguments.clone(), declared("1"), Claim::Absent);
            assert_eq!(verdict(&special, ApprovalMode::Guarded, &[rule("1")]).0, Verdict::Ask, "{arguments}");
        }
        let own = prepared(json!({ "path": "~/.config/countersign/config.toml" }), declared("1"), Claim::Absent);
        assert_eq!(verdict(&own, ApprovalMode::AllowAll, &[]).0, Verdict::Deny);
    }

    #[test]
    fn what_a_rule_does_not_lift_is_the_reason_and_not_what_it_lifts() {
        let reads = Declared { read_only: true, ..declared("1") };
        let call = |arguments| prepared(arguments, reads.clone(), Claim::Absent);
        let key = call(json!({ "text": "/home/ann/.ssh/id_rsa" }));
        let remembered = Draft::allow(&call(json!({ "text": "hi" }))).unwrap();
        let remembered = remembered.rule(RuleId("s1".to_owned()), 0).unwrap();
        let by_configuration = Policy { rules: vec![rule("1")], ..Policy::default() };
        let by_memory = Policy { remembered: vec![remembered], ..Policy::default() };
        for policy in [by_configuration, by_memory] {
            let judged = |call: &Prepared| judge(call, &policy, &Grants::default(), Enforceable::default(), false);
            assert_eq!(judged(&call(json!({ "text": "ho" }))).verdict, Verdict::Allow, "the rule holds");
            let held = judged(&key);
            assert_eq!((held.verdict, held.step), (Verdict::Ask, Step::Danger));
            assert!(held.reason.contains("names what is sensitive"), "{}", held.reason);
        }
        let bare = judge(&key, &Policy::default(), &Grants::default(), Enforceable::default(), false);
        assert_eq!(Some(&bare.reason), key.assessment.leading().map(|finding| &finding.sentence));
    }

    #[test]
    fn a_description_that_hides_text_is_a_finding() {
        let hiding = Declared { description: "Adds\u{200b} numbers".to_owned(), ..declared("1") };
        let found = prepared(json!({}), hiding, Claim::Absent).assessment.findings;
        assert!(
            found.iter().any(|finding| finding.sentence.contains("The server's description hides text")),
            "{found:?}"
        );
    }

    #[test]
    fn the_turns_approval_covers_the_same_tool_alone_and_never_a_sensitive_argument() {
        let mut grants = Grants::default();
        grants.extend(&prepared(json!({ "path": "a.txt" }), declared("1"), Claim::Absent));
        assert!(grants.cover(&prepared(json!({ "path": "b.txt" }), declared("1"), Claim::Absent)));
        assert!(!grants.cover(&prepared(json!({ "path": "b.txt" }), declared("2"), Claim::Absent)), "it changed");
        assert!(!grants.cover(&prepared(json!({ "path": ".env" }), declared("1"), Claim::Absent)));
        let mut other = prepared(json!({}), declared("1"), Claim::Absent);
        other.operation.tool = "mcp__files__write_file".to_owned();
        assert!(!grants.cover(&other), "a new tool");
    }
}
