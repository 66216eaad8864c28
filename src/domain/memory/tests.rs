use std::collections::BTreeSet;

use super::*;
use crate::domain::{
    Assessment, Claim, Class, CommandOperation, Danger, Facts, Finding, Operation, OperationId, OperationKind, Origin,
    Shape,
};

fn prepared(tool: &str, findings: &[(&str, Class)], forms: &[&[(&str, &str)]]) -> Prepared {
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Model { call_id: "a".to_owned() },
        tool: tool.to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command: "x".to_owned(), timeout: None, terminal: false }),
        cwd: "/w".into(),
    };
    let findings = findings.iter().map(|(rule, class)| Finding::new(*rule, *class, format!("{rule}."))).collect();
    let forms: Vec<Shape> = forms.iter().map(|form| Shape::new(form.iter().copied())).collect();
    let assessment = Assessment { findings, shapes: forms.clone(), forms, ..Assessment::default() };
    Prepared { operation, facts: Facts::default(), assessment }
}

const DESTROYS: Class = Class::Declared(Danger::Destructive);
const RM: &[(&str, &str)] = &[
    ("program", "rm"),
    ("flags", "-r"),
    ("arguments", "-r build"),
    ("folder", "the workspace"),
    ("place", "workspace"),
];

fn rm() -> Prepared {
    prepared("execute_command", &[("command.rm", DESTROYS)], &[RM])
}

fn rule(of: &Prepared) -> Remembered {
    Draft::allow(of).unwrap().rule(RuleId("s1".to_owned()), 100).unwrap()
}

/// The same with a part of its first form changed.
fn with(of: &Prepared, part: &str, value: Option<&str>) -> Prepared {
    let mut other = of.clone();
    match value {
        Some(value) => drop(other.assessment.forms[0].0.insert(part.to_owned(), value.to_owned())),
        None => drop(other.assessment.forms[0].0.remove(part)),
    }
    other
}

#[test]
fn a_rule_covers_its_like_and_no_other() {
    let rule = rule(&rm());
    assert!(rule.allows(&rm(), 0));
    assert!(rule.allows(&with(&rm(), "arguments", Some("-r dist")), 0), "other files of the workspace");
    for (part, value) in [
        ("place", None),
        ("place", Some("elsewhere")),
        ("flags", Some("-f -r")),
        ("program", Some("mv")),
        ("fed", Some("yes")),
        ("something new", Some("that nobody decided about")),
    ] {
        assert!(!rule.allows(&with(&rm(), part, value), 0), "{part} {value:?}");
    }
    let mut other = rm();
    other.operation.tool = "execute_sql".to_owned();
    assert!(!rule.allows(&other, 0));
}

#[test]
fn every_part_of_a_compound_must_match_and_a_clean_one_may_be_what_it_likes() {
    let tail: &[(&str, &str)] = &[("program", "tail"), ("arguments", "-5"), ("clean", "yes"), ("fed", "yes")];
    let both = prepared("execute_command", &[("command.rm", DESTROYS)], &[RM, tail]);
    let rule = rule(&both);
    assert!(rule.allows(&both, 0));
    let mut longer = both.clone();
    longer.assessment.forms[1].0.insert("arguments".to_owned(), "-9".to_owned());
    assert!(rule.allows(&longer, 0));
    longer.assessment.forms.push(Shape::new([("program", "mv"), ("flags", ""), ("arguments", "a b")]));
    assert!(!rule.allows(&longer, 0));
    longer.assessment.forms.clear();
    assert!(!rule.allows(&longer, 0), "a text that has no forms is none of a rule's");
}

#[test]
fn it_lifts_only_what_it_names_and_no_higher_risk() {
    let rule = rule(&rm());
    for (name, class) in [
        ("command.redirect", DESTROYS),
        ("command.sensitive", Class::Declared(Danger::Sensitive)),
        ("command.rm", Class::Declared(Danger::Sensitive)),
        ("text.hidden", Class::Unreadable),
        ("command.rm", Class::Unreadable),
        ("command.rm-everything", Class::Catastrophe),
        ("command.rm", Class::Catastrophe),
    ] {
        let mut worse = rm();
        worse.assessment.findings.push(Finding::new(name, class, "worse."));
        assert!(!rule.allows(&worse, 0), "{name} {class:?}");
    }
    let mut production = rm();
    production.assessment.production.push("connection prod".to_owned());
    assert!(!rule.allows(&production, 0));
    let mut elsewhere = rm();
    elsewhere.facts.targets.push(Target::Cluster { context: Some("staging".to_owned()), namespace: None });
    assert!(!rule.allows(&elsewhere, 0), "it hits something that it didn't");
    assert!(Draft::allow(&elsewhere).unwrap().rule(RuleId(String::new()), 0).unwrap().allows(&elsewhere, 0));
    let mut low = rm();
    low.assessment.findings.clear();
    assert!(!rule.allows(&low, 0), "there is nothing to lift: containment stays as it is");
}

#[test]
fn scope_and_time_end_it() {
    let mut draft = Draft::allow(&rm()).unwrap();
    assert!(draft.set_scope("workspace"));
    let setting = draft.rows().last().unwrap().setting;
    assert_eq!(setting, Setting::Lasting);
    draft.change(setting, true);
    let rule = draft.rule(RuleId("r1".to_owned()), 1_000).unwrap();
    assert_eq!(rule.expires(), Some(4_600));
    assert!(rule.allows(&rm(), 1_000) && rule.allows(&rm(), 4_599));
    assert!(!rule.allows(&rm(), 4_600) && !rule.allows(&rm(), 999) && !rule.allows(&rm(), 0));
    let mut elsewhere = rm();
    elsewhere.facts.place.workspace = "/v".into();
    assert!(!rule.allows(&elsewhere, 2_000));
    let mut deeper = rm();
    deeper.operation.cwd = deeper.facts.place.workspace.join("below");
    assert!(rule.allows(&deeper, 2_000), "the workspace counts, not the folder in it");
    let mut never = Draft::deny(&rm()).unwrap();
    never.set_scope("always");
    let expiring = Setting::Lasting;
    never.change(expiring, true);
    let never = never.rule(RuleId("r2".to_owned()), 1_000).unwrap();
    assert!(never.denies(&elsewhere, 0), "a deny rule holds while the clock isn't known");
    assert!(!never.denies(&elsewhere, 4_600));
}

#[test]
fn what_runs_code_reads_secrets_or_hides_is_never_offered() {
    let form = |program: &'static str| -> Vec<(&'static str, &'static str)> {
        vec![("program", program), ("flags", ""), ("arguments", "x"), ("folder", "the workspace")]
    };
    for program in ["bash", "python3.12", "make", "npm", "docker", "sudo", "xargs", "./run", "countersign", "env", "go"]
    {
        let parts = form(program);
        let of = prepared("execute_command", &[("command.unknown-program", Class::Unknown)], &[&parts]);
        assert!(Draft::allow(&of).is_err(), "{program}");
        assert!(Draft::deny(&of).is_ok(), "{program} can be denied for good");
    }
    let parts = form("terraform-docs");
    let of = |rule: &str, class| prepared("execute_command", &[(rule, class)], &[&parts]);
    assert!(Draft::allow(&of("command.unknown-program", Class::Unknown)).is_ok());
    for (rule, class) in [
        ("command.runs-code", Class::Unknown),
        ("command.variable", Class::Unknown),
        ("command.git-setting", Class::Unknown),
        ("command.obeyed-file", Class::Unknown),
        ("command.sensitive", Class::Declared(Danger::Sensitive)),
        ("text.hidden", Class::Unreadable),
        ("command.rm-everything", Class::Catastrophe),
        ("command.rm", DESTROYS),
    ] {
        assert!(Draft::allow(&of(rule, class)).is_err(), "{rule}");
    }
    let mut unreadable = of("command.unknown-program", Class::Unknown);
    unreadable.assessment.forms.clear();
    assert!(Draft::allow(&unreadable).is_err());
    let mut offered = of("command.unknown-program", Class::Unknown);
    offered.operation.origin =
        Origin::Program { after: OperationId(1), of: Box::new(Origin::Model { call_id: String::new() }) };
    assert!(Draft::allow(&offered).is_err());
}

#[test]
fn no_state_of_a_draft_is_unsound_and_none_covers_another_danger() {
    let delete: &[(&str, &str)] =
        &[("connection", "shop"), ("statement", "delete"), ("table", "orders"), ("where", "yes")];
    let write: &[(&str, &str)] = &[("operation", "write"), ("path", "/w/src/a/b.rs")];
    let post: &[(&str, &str)] =
        &[("method", "POST"), ("scheme", "https"), ("host", "a.example"), ("port", "443"), ("path", "/v1/x")];
    for (tool, finding, form) in [
        ("execute_command", "command.rm", RM),
        ("execute_sql", "sql.delete", delete),
        ("file_operations", "file.overwrite", write),
        ("http_request", "http.post", post),
    ] {
        let of = prepared(tool, &[(finding, DESTROYS)], &[form]);
        let mut draft = Draft::allow(&of).unwrap();
        // Everything as wide as it goes, one row after the other, and back again.
        for wider in [true, false] {
            for row in draft.rows() {
                for _ in 0..12 {
                    draft.change(row.setting, wider);
                    let rule = draft.rule(RuleId("s1".to_owned()), 0).unwrap();
                    assert!(rule.allows(&of, 0), "{tool}: it covers what it was made from");
                    for class in [Class::Declared(Danger::Sensitive), Class::Unreadable, Class::Catastrophe] {
                        let mut worse = of.clone();
                        worse.assessment.findings.push(Finding::new(finding, class, "worse."));
                        assert!(!rule.allows(&worse, 0), "{tool} {class:?}");
                    }
                    let mut more = of.clone();
                    more.assessment.findings.push(Finding::new("other.danger", DESTROYS, "more."));
                    assert!(!rule.allows(&more, 0), "{tool}");
                }
            }
        }
        let neighbours = Draft::allow(&of).unwrap().neighbours();
        // Of a condition a rule knows that there is one, not which.
        let wide = |neighbour: &Neighbour| neighbour.says.contains("any WHERE");
        assert!(neighbours.len() >= 3, "{neighbours:?}");
        assert!(neighbours.iter().all(|neighbour| neighbour.covered == wide(neighbour)), "{neighbours:?}");
    }
}

#[test]
fn a_widened_rule_says_what_it_covers_besides() {
    let write: &[(&str, &str)] = &[("operation", "write"), ("path", "/w/src/a/b.rs")];
    let of = prepared("file_operations", &[("file.overwrite", DESTROYS)], &[write]);
    let mut draft = Draft::allow(&of).unwrap();
    let others = [with(&of, "path", Some("/w/src/c.rs")), with(&of, "path", Some("/w/src/../../etc/x"))];
    assert_eq!(draft.covered(&others).0, 0);
    let path = draft.rows().iter().find(|row| row.name == "path").unwrap().setting;
    draft.change(path, true);
    draft.change(path, true);
    let (covered, first) = draft.covered(&others);
    assert_eq!((covered, first), (1, Some(&others[0])), "a path that climbs out is none of it");
    assert!(draft.neighbours().iter().all(|neighbour| !neighbour.covered));
}

#[test]
fn a_deny_rule_names_something_and_hits_any_part() {
    let rule = Draft::deny(&rm()).unwrap().rule(RuleId("s1".to_owned()), 0).unwrap();
    let mut compound = rm();
    compound.assessment.shapes.insert(0, Shape::new([("program", "cd")]));
    compound.assessment.shapes[1].0.insert("flags".to_owned(), "-f".to_owned());
    assert!(rule.denies(&compound, 0));
    compound.assessment.shapes.truncate(1);
    assert!(!rule.denies(&compound, 0));
    let mut draft = Draft::deny(&rm()).unwrap();
    for row in draft.rows() {
        for _ in 0..4 {
            draft.change(row.setting, true);
        }
    }
    let Says::Deny(pattern) = draft.rule(RuleId("s1".to_owned()), 0).unwrap().says().clone() else { panic!() };
    assert!(!pattern.is_open());
    let open = Says::Deny(Pattern::default());
    assert!(Remembered::new(RuleId("x".into()), "t".into(), open, Scope::Always, 0, None).is_err());
}

#[test]
fn a_deny_rule_about_a_file_begins_with_that_file_and_widens_by_its_folders() {
    let form: &[(&str, &str)] = &[("operation", "write"), ("path", "/home/ann/shop/src/a.py")];
    let write = prepared("file_operations", &[("file.write", DESTROYS)], &[form]);
    let to = |path: &str| {
        let mut other = write.clone();
        other.assessment.shapes[0].0.insert("path".to_owned(), path.to_owned());
        other
    };
    let denied = |draft: &Draft| {
        let rule = draft.rule(RuleId("s1".to_owned()), 0).unwrap();
        ["/home/ann/shop/src/a.py", "/home/ann/shop/src/b.py", "/home/ann/shop/c.py", "/etc/d"]
            .map(|path| rule.denies(&to(path), 0))
    };
    let mut draft = Draft::deny(&write).unwrap();
    assert_eq!(denied(&draft), [true, false, false, false]);
    let path = draft.rows().into_iter().find(|row| row.name == "path").unwrap();
    assert_eq!((path.value.as_str(), path.can), ("/home/ann/shop/src/a.py", (false, true)));
    draft.change(path.setting, true);
    assert_eq!(denied(&draft), [true, true, false, false]);
    for _ in 0..8 {
        draft.change(path.setting, true);
    }
    assert_eq!(denied(&draft), [true; 4]);
    let get: &[(&str, &str)] =
        &[("method", "POST"), ("scheme", "https"), ("host", "x.example"), ("port", "443"), ("path", "/a/b")];
    let rows = Draft::deny(&prepared("http_request", &[("http.method", DESTROYS)], &[get])).unwrap().rows();
    assert_eq!(rows.iter().find(|row| row.name == "path").unwrap().value, "/a/b");
}

#[test]
fn a_rule_that_would_allow_anything_cannot_be_made() {
    let lift = |findings: &[&str], parts: &[(&str, Want)]| Lift {
        patterns: vec![Pattern(parts.iter().map(|(part, want)| ((*part).to_owned(), want.clone())).collect())],
        findings: findings.iter().map(|rule| (*rule).to_owned()).collect(),
        ceiling: RiskLevel::High,
        targets: BTreeSet::new(),
    };
    let made = |tool: &str, lift: Lift| {
        Remembered::new(RuleId("r1".into()), tool.into(), Says::Allow(lift), Scope::Always, 0, None).is_ok()
    };
    let is = |value: &str| Want::Is(value.to_owned());
    let rm = [("program", is("rm")), ("flags", is("")), ("arguments", is("a"))];
    assert!(made("execute_command", lift(&["command.rm"], &rm)));
    assert!(!made("execute_command", lift(&[], &rm)), "it lifts nothing");
    assert!(!made("execute_command", lift(&["command.mv"], &rm)), "of another program");
    assert!(!made("execute_command", lift(&["command.sensitive"], &rm)));
    let bash = [("program", is("bash")), ("flags", is("")), ("arguments", is("a"))];
    assert!(!made("execute_command", lift(&["command.unknown-program"], &bash)));
    let anything = [("program", is("rm")), ("flags", is("")), ("arguments", Want::any())];
    assert!(!made("execute_command", lift(&["command.rm"], &anything)));
    let flags = [("program", is("rm")), ("flags", Want::any()), ("arguments", is("a"))];
    assert!(!made("execute_command", lift(&["command.rm"], &flags)));
    assert!(!made("execute_sql", lift(&["sql.delete"], &[("statement", is("delete")), ("where", is("yes"))])));
    assert!(!made("http_request", lift(&["http.post"], &[("method", is("POST"))])));
    assert!(!made("file_operations", lift(&["file.delete"], &[("operation", is("delete"))])));
    assert!(!made("file_operations", lift(&["file.run-later"], &[("operation", is("write")), ("path", is("/w/a"))])));
}
