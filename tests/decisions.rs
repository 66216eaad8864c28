//! "How a decision is made", step by step and sentence by sentence: each case is one promise of the README.
//! Judged through the real assessors where the sentence names an operation, through `judge` where it names a class.

#![allow(clippy::unwrap_used, clippy::panic)]

use countersign::assess::{
    AssessSettings, CommandAssessor, FileAssessor, HttpAssessor, RiskAssessor, SearchAssessor, SqlAssessor, Subject,
    assess,
};
use countersign::domain::{
    Admission, ApprovalMode, Arguments, Assessment, Claim, Class, Containment, Danger, Enforceable, Facts, Finding,
    Gate, Grants, Judgement, Operation, OperationId, OperationKind, Origin, Place, Policy, Prepared, RiskLevel, Rule,
    RuleEffect, Shape, Step, Verdict, judge,
};
use serde_json::json;

const MODES: [ApprovalMode; 4] =
    [ApprovalMode::Strict, ApprovalMode::Guarded, ApprovalMode::Smart, ApprovalMode::AllowAll];
const CLASSES: [Class; 7] = [
    Class::Whitelisted,
    Class::Unknown,
    Class::Declared(Danger::Destructive),
    Class::Declared(Danger::Sensitive),
    Class::Declared(Danger::External),
    Class::Unreadable,
    Class::Catastrophe,
];
/// A machine that can stage commands, as a claim in guarded mode needs.
const STAGING: Enforceable = Enforceable { read_only_command: true, read_only_sql: true, staged_command: true };

fn place() -> Place {
    Place { cwd: "/home/ann/work".into(), workspace: "/home/ann/work".into(), home: Some("/home/ann".into()) }
}

fn prepared(tool: &str, kind: OperationKind, claim: Claim, assessment: Assessment) -> Prepared {
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Model { call_id: "call".to_owned() },
        tool: tool.to_owned(),
        claim,
        kind,
        cwd: place().cwd,
    };
    Prepared { operation, facts: Facts { place: place(), ..Facts::default() }, assessment }
}

/// A call of a tool, read and judged as the program does.
fn call(tool: &str, arguments: &str) -> Prepared {
    let arguments = Arguments::parse(arguments).unwrap();
    let kind = OperationKind::read(tool, &arguments).unwrap().unwrap();
    let assessor: &dyn RiskAssessor = match kind {
        OperationKind::Sql(_) => &SqlAssessor,
        OperationKind::Command(_) => &CommandAssessor,
        OperationKind::File(_) => &FileAssessor,
        OperationKind::Http(_) => &HttpAssessor,
        OperationKind::Search(_) | OperationKind::Find(_) => &SearchAssessor,
        OperationKind::Apply(_)
        | OperationKind::Undo(_)
        | OperationKind::Answer(_)
        | OperationKind::Mcp(_)
        | OperationKind::Other(_) => {
            panic!("{tool} is not built in")
        }
    };
    let mut prepared = prepared(tool, kind, arguments.claim, Assessment::default());
    let settings = AssessSettings::default();
    let subject = Subject { operation: &prepared.operation, facts: &prepared.facts, settings: &settings };
    let assessment = assess(assessor, subject);
    prepared.assessment = assessment;
    prepared
}

/// Calls in the words of the first source's scenarios.
fn operation(name: &str, claim: Option<&str>) -> Prepared {
    let (tool, mut arguments) = match name {
        "SELECT" => ("execute_sql", json!({"sql": "SELECT name FROM customers"})),
        "DROP" => ("execute_sql", json!({"sql": "DROP TABLE customers"})),
        "TRUNCATE" => ("execute_sql", json!({"sql": "TRUNCATE TABLE customers"})),
        "DELETE row" => ("execute_sql", json!({"sql": "DELETE FROM customers WHERE id = 7"})),
        "INSERT" => ("execute_sql", json!({"sql": "INSERT INTO customers (name) VALUES ('Bo')"})),
        "SHOW" => ("execute_sql", json!({"sql": "EXPLAIN SELECT 1"})),
        "ls" => ("execute_command", json!({"command": "ls -la"})),
        "cat" => ("execute_command", json!({"command": "cat README.md"})),
        "rm" => ("execute_command", json!({"command": "rm notes.txt"})),
        "script" => ("execute_command", json!({"command": "./deploy.sh"})),
        "read" => ("file_operations", json!({"operation": "read", "path": "notes.txt"})),
        "list" => ("file_operations", json!({"operation": "list", "path": "."})),
        "write" => ("file_operations", json!({"operation": "write", "path": "notes.txt", "content": "x"})),
        "delete file" => ("file_operations", json!({"operation": "delete", "path": "notes.txt"})),
        "read secret" => ("file_operations", json!({"operation": "read", "path": ".env"})),
        "GET" => ("http_request", json!({"method": "GET", "url": "https://example.org/"})),
        "POST" => ("http_request", json!({"method": "POST", "url": "https://example.org/", "body": "x"})),
        "DELETE request" => ("http_request", json!({"method": "DELETE", "url": "https://example.org/1"})),
        other => panic!("{other}"),
    };
    if let Some(claim) = claim {
        arguments["risk_level"] = json!(claim);
    }
    call(tool, &arguments.to_string())
}

fn policy(mode: ApprovalMode) -> Policy {
    Policy { mode, ..Policy::default() }
}

fn decided(prepared: &Prepared, mode: ApprovalMode) -> Judgement {
    judge(prepared, &policy(mode), &Grants::default(), Enforceable::default(), false)
}

fn verdict(name: &str, claim: Option<&str>, mode: ApprovalMode) -> Verdict {
    decided(&operation(name, claim), mode).verdict
}

/// A command of a class, as if an assessor had said so.
fn of_class(class: Class, claim: Claim) -> Prepared {
    let kind = call("execute_command", r#"{"command":"x"}"#).operation.kind;
    let assessment = Assessment {
        claim_eligible: true,
        shapes: vec![Shape::new([("program", "x")])],
        target: "/home/ann/work".to_owned(),
        ..Assessment::of(Finding::new("test.class", class, "It is of this class."))
    };
    prepared("execute_command", kind, claim, assessment)
}

fn claims() -> [Claim; 6] {
    [
        Claim::Absent,
        Claim::Level(RiskLevel::Low),
        Claim::Level(RiskLevel::Medium),
        Claim::Level(RiskLevel::High),
        Claim::Unreadable("safe".to_owned()),
        Claim::Repeated,
    ]
}

// --- the first source's scenarios, in `smart` ---

#[test]
fn smart_runs_anything_that_the_model_claims_low() {
    for name in ["SELECT", "ls", "read", "GET", "INSERT", "script", "DROP", "rm", "write", "POST", "read secret"] {
        assert_eq!(verdict(name, Some("low"), ApprovalMode::Smart), Verdict::Allow, "{name}");
    }
}

#[test]
fn smart_asks_for_anything_that_the_model_claims_medium_or_high() {
    for name in ["SELECT", "SHOW", "ls", "cat", "read", "list", "GET", "DROP", "rm", "write", "POST"] {
        for claim in ["medium", "high"] {
            let judgement = decided(&operation(name, Some(claim)), ApprovalMode::Smart);
            assert_eq!(judgement.verdict, Verdict::Ask, "{name} {claim}");
            assert_eq!(judgement.step, Step::ClaimedRisk, "{name} {claim}");
        }
    }
}

#[test]
fn smart_leaves_it_to_the_whitelist_where_nothing_is_claimed() {
    for name in ["SELECT", "SHOW", "ls", "cat", "read", "list", "GET"] {
        let judgement = decided(&operation(name, None), ApprovalMode::Smart);
        assert_eq!((judgement.verdict, judgement.step), (Verdict::Allow, Step::Whitelisted), "{name}");
    }
}

#[test]
fn smart_asks_for_what_is_neither_claimed_nor_whitelisted() {
    for name in ["INSERT", "script", "DROP", "TRUNCATE", "DELETE row", "rm", "write", "delete file", "POST"] {
        assert_eq!(verdict(name, None, ApprovalMode::Smart), Verdict::Ask, "{name}");
    }
}

#[test]
fn an_empty_or_null_claim_is_none_and_an_odd_one_is_high() {
    for (claim, wanted) in [(json!(null), Verdict::Allow), (json!(""), Verdict::Allow), (json!("safe"), Verdict::Ask)] {
        let arguments = json!({"operation": "read", "path": "notes.txt", "risk_level": claim});
        let judgement = decided(&call("file_operations", &arguments.to_string()), ApprovalMode::Smart);
        assert_eq!(judgement.verdict, wanted, "{claim}");
    }
    let twice = r#"{"operation":"read","path":"notes.txt","risk_level":"low","risk_level":"low"}"#;
    let judgement = decided(&call("file_operations", twice), ApprovalMode::Smart);
    assert_eq!((judgement.verdict, judgement.reason.as_str()), (Verdict::Ask, "The model made its claim twice: high."));
}

// --- `guarded`: two walls behind a claim ---

#[test]
fn guarded_asks_for_declared_danger_whatever_is_claimed() {
    for name in
        ["DROP", "TRUNCATE", "DELETE row", "rm", "write", "delete file", "POST", "DELETE request", "read secret"]
    {
        for claim in [None, Some("low"), Some("medium"), Some("high")] {
            assert_eq!(verdict(name, claim, ApprovalMode::Guarded), Verdict::Ask, "{name} {claim:?}");
        }
    }
}

#[test]
fn guarded_runs_what_is_whitelisted_without_a_claim_and_with_a_low_one() {
    for name in ["SELECT", "SHOW", "ls", "cat", "read", "list", "GET"] {
        for (claim, wanted) in [(None, Verdict::Allow), (Some("low"), Verdict::Allow), (Some("high"), Verdict::Ask)] {
            assert_eq!(verdict(name, claim, ApprovalMode::Guarded), wanted, "{name} {claim:?}");
        }
    }
}

#[test]
fn guarded_runs_a_low_claim_on_the_unknown_staged_or_not_at_all() {
    let low = Claim::Level(RiskLevel::Low);
    let unknown = of_class(Class::Unknown, low.clone());
    let on = |prepared: &Prepared, enforceable| {
        judge(prepared, &policy(ApprovalMode::Guarded), &Grants::default(), enforceable, false)
    };
    let staged = on(&unknown, STAGING);
    assert_eq!((staged.verdict, staged.step), (Verdict::Allow, Step::ClaimedLow));
    assert_eq!((staged.containment, staged.enforced), (Containment::Staged, true));
    assert_eq!(on(&unknown, Enforceable::default()).verdict, Verdict::Ask);
    let mut ineligible = of_class(Class::Unknown, low);
    ineligible.assessment.claim_eligible = false;
    assert_eq!(on(&ineligible, STAGING).verdict, Verdict::Ask);
}

#[test]
fn a_test_runner_runs_staged_or_asks() {
    let mut runner = of_class(Class::Whitelisted, Claim::Absent);
    runner.assessment.containment = Containment::Staged;
    let on = |enforceable| judge(&runner, &policy(ApprovalMode::Guarded), &Grants::default(), enforceable, false);
    assert_eq!(on(STAGING).containment, Containment::Staged);
    assert_eq!(on(Enforceable::default()).verdict, Verdict::Ask);
}

#[test]
fn a_whitelisted_read_runs_where_nothing_can_be_enforced() {
    let mut read = of_class(Class::Whitelisted, Claim::Absent);
    read.assessment.containment = Containment::ReadOnly;
    let judgement = decided(&read, ApprovalMode::Guarded);
    assert_eq!((judgement.verdict, judgement.enforced), (Verdict::Allow, false));
}

// --- first match decides, step by step ---

#[test]
fn a_catastrophe_is_denied_in_every_mode_until_the_config_says_otherwise() {
    for mode in MODES {
        for claim in claims() {
            let judgement = decided(&of_class(Class::Catastrophe, claim), mode);
            assert_eq!((judgement.verdict, judgement.step), (Verdict::Deny, Step::Catastrophe), "{mode:?}");
        }
    }
    let policy = Policy { deny_catastrophes: false, ..policy(ApprovalMode::Smart) };
    let catastrophe = of_class(Class::Catastrophe, Claim::Level(RiskLevel::Low));
    let judgement = judge(&catastrophe, &policy, &Grants::default(), STAGING, false);
    assert_eq!(judgement.verdict, Verdict::Ask, "a claim never runs it");
}

#[test]
fn a_deny_rule_comes_before_every_mode() {
    for mode in MODES {
        let policy = Policy { rules: vec![rule(RuleEffect::Deny)], ..policy(mode) };
        let judgement =
            judge(&of_class(Class::Whitelisted, Claim::Absent), &policy, &Grants::default(), STAGING, false);
        assert_eq!((judgement.verdict, judgement.step), (Verdict::Deny, Step::DenyRule), "{mode:?}");
    }
}

fn rule(effect: RuleEffect) -> Rule {
    Rule { effect, tool: "execute_command".to_owned(), parts: Shape::new([("program", "x")]).0 }
}

#[test]
fn allow_all_runs_what_is_left_and_strict_asks_for_it() {
    for class in CLASSES.into_iter().filter(|class| *class != Class::Catastrophe) {
        for claim in claims() {
            let prepared = of_class(class, claim);
            assert_eq!(decided(&prepared, ApprovalMode::AllowAll).verdict, Verdict::Allow, "{class:?}");
            assert_eq!(decided(&prepared, ApprovalMode::Strict).verdict, Verdict::Ask, "{class:?}");
        }
    }
}

#[test]
fn an_ask_rule_comes_before_the_whitelist_and_the_claim() {
    for mode in [ApprovalMode::Guarded, ApprovalMode::Smart] {
        let policy = Policy { rules: vec![rule(RuleEffect::Ask), rule(RuleEffect::Allow)], ..policy(mode) };
        let whitelisted = of_class(Class::Whitelisted, Claim::Level(RiskLevel::Low));
        let judgement = judge(&whitelisted, &policy, &Grants::default(), STAGING, false);
        assert_eq!((judgement.verdict, judgement.step), (Verdict::Ask, Step::AskRule));
    }
}

#[test]
fn the_unreadable_asks_whatever_the_claim_but_in_smart_with_a_low_one() {
    for claim in claims() {
        let low = claim == Claim::Level(RiskLevel::Low);
        let unreadable = of_class(Class::Unreadable, claim);
        assert_eq!(decided(&unreadable, ApprovalMode::Guarded).verdict, Verdict::Ask);
        let wanted = if low { Verdict::Allow } else { Verdict::Ask };
        assert_eq!(decided(&unreadable, ApprovalMode::Smart).verdict, wanted);
    }
}

#[test]
fn an_allow_rule_lifts_danger_and_a_high_claim_but_not_the_unreadable() {
    let policy = Policy { rules: vec![rule(RuleEffect::Allow)], ..policy(ApprovalMode::Guarded) };
    let on = |class, claim| judge(&of_class(class, claim), &policy, &Grants::default(), STAGING, false);
    for class in [Class::Unknown, Class::Declared(Danger::Destructive)] {
        assert_eq!(on(class, Claim::Level(RiskLevel::High)).step, Step::AllowRule, "{class:?}");
    }
    assert_eq!(on(Class::Unreadable, Claim::Absent).verdict, Verdict::Ask);
}

#[test]
fn the_turns_approval_covers_what_is_like_it_and_nothing_else() {
    let mut gate = Gate::new(policy(ApprovalMode::Guarded), Enforceable::default());
    let write = |id: u64, path: &str| {
        let arguments = json!({"operation": "edit", "path": path, "old_text": "a", "new_text": "b"});
        let mut prepared = call("file_operations", &arguments.to_string());
        prepared.operation.id = OperationId(id);
        prepared
    };
    assert!(matches!(gate.admit(write(1, "a.txt")), Admission::Waiting(_)));
    let seal = gate.seal(OperationId(1)).unwrap();
    gate.approve_all(&[(OperationId(1), seal)]);
    let Admission::Allowed(judgement) = gate.admit(write(2, "b.txt")) else { panic!("the turn's edits are covered") };
    assert_eq!(judgement.step, Step::TurnApproval);
    assert!(matches!(gate.admit(write(3, ".env")), Admission::Waiting(_)), "never a sensitive file");
    assert!(matches!(gate.admit(write(4, "package.json")), Admission::Waiting(_)), "never what others run later");
    assert!(matches!(gate.admit(write(5, "../x.txt")), Admission::Waiting(_)), "never outside the workspace");
    let mut delete = operation("delete file", None);
    delete.operation.id = OperationId(6);
    assert!(matches!(gate.admit(delete), Admission::Waiting(_)), "not a delete");
    gate.end_turn();
    assert!(matches!(gate.admit(write(7, "c.txt")), Admission::Waiting(_)), "it ends with the turn");
}

#[test]
fn the_turns_approval_never_covers_production() {
    let hits = |id: u64, production: bool| {
        let mut prepared = of_class(Class::Declared(Danger::Destructive), Claim::Absent);
        prepared.operation.id = OperationId(id);
        if production {
            prepared.assessment.production = vec!["the host db.prod matches `prod`".to_owned()];
        }
        prepared
    };
    for (first, second, covered) in
        [(false, false, true), (false, true, false), (true, true, false), (true, false, false)]
    {
        let mut gate = Gate::new(policy(ApprovalMode::Guarded), Enforceable::default());
        gate.admit(hits(1, first));
        let seal = gate.seal(OperationId(1)).unwrap();
        assert_eq!(gate.approve_all(&[(OperationId(1), seal)]), [OperationId(1)], "approve all takes it along");
        let admitted = matches!(gate.admit(hits(2, second)), Admission::Allowed(_));
        assert_eq!(admitted, covered, "{first} {second}");
    }
    let mut read = of_class(Class::Whitelisted, Claim::Absent);
    read.assessment.production = vec!["the host db.prod matches `prod`".to_owned()];
    assert_eq!(decided(&read, ApprovalMode::Guarded).verdict, Verdict::Allow, "a read of it still runs unasked");
}

#[test]
fn a_claim_of_medium_or_high_asks_even_for_the_whitelisted() {
    for claim in claims().into_iter().skip(2) {
        for mode in [ApprovalMode::Guarded, ApprovalMode::Smart] {
            let judgement = decided(&of_class(Class::Whitelisted, claim.clone()), mode);
            assert_eq!((judgement.verdict, judgement.step), (Verdict::Ask, Step::ClaimedRisk), "{claim:?}");
        }
    }
}

#[test]
fn a_third_partys_tool_asks_in_smart_too() {
    let kind = OperationKind::Other(json!({"to": "ann"}));
    let assessment =
        Assessment::of(Finding::new("mcp.call", Class::Declared(Danger::External), "A third party's tool."));
    let call = prepared("mail__send", kind, Claim::Level(RiskLevel::Low), assessment);
    assert_eq!(decided(&call, ApprovalMode::Smart).verdict, Verdict::Ask);
}

#[test]
fn a_tool_without_an_assessor_is_unknown() {
    let kind = OperationKind::Other(json!({}));
    let judgement = decided(&prepared("other", kind, Claim::Absent, Assessment::default()), ApprovalMode::Guarded);
    assert_eq!((judgement.verdict, judgement.step, judgement.risk), (Verdict::Ask, Step::Default, RiskLevel::Medium));
}

#[test]
fn a_get_to_an_unnamed_host_asks_once_private_data_was_read() {
    let get = operation("GET", None);
    let on = |policy: &Policy, read| judge(&get, policy, &Grants::default(), STAGING, read);
    let guarded = policy(ApprovalMode::Guarded);
    assert_eq!(on(&guarded, false).verdict, Verdict::Allow);
    assert_eq!((on(&guarded, true).verdict, on(&guarded, true).step), (Verdict::Ask, Step::Exposure));
    assert_eq!(on(&policy(ApprovalMode::Smart), true).verdict, Verdict::Allow);
    for name in ["example.org", "example.org:443"] {
        let named = Policy { named_hosts: [name.to_owned()].into(), ..policy(ApprovalMode::Guarded) };
        assert_eq!(on(&named, true).verdict, Verdict::Allow, "{name}");
    }
}

#[test]
fn every_combination_has_one_sentence_and_danger_never_runs_on_the_whitelist() {
    for mode in MODES {
        for class in CLASSES {
            for claim in claims() {
                let judgement = decided(&of_class(class, claim), mode);
                assert!(judgement.reason.ends_with('.'), "{}", judgement.reason);
                assert!(judgement.step != Step::Whitelisted || class == Class::Whitelisted, "{class:?}");
            }
        }
    }
}

#[test]
fn danger_excludes_the_whitelist() {
    let mut both = of_class(Class::Whitelisted, Claim::Absent);
    both.assessment.findings.push(Finding::new("a.b", Class::Declared(Danger::Sensitive), "It is sensitive."));
    assert_eq!(decided(&both, ApprovalMode::Guarded).step, Step::Danger);
}
