//! The turn's approval: what "approve all" covers for the rest of a turn, and nothing beyond.

use std::collections::BTreeSet;
use std::mem::{Discriminant, discriminant};

use super::operation::{OperationKind, Prepared, SqlWay};
use super::risk::{Class, Danger, RiskLevel};
use super::rule::Shape;

/// One approved sort of thing: same tool, same target, same kinds of finding, no higher risk.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Grant {
    tool: String,
    target: String,
    rules: BTreeSet<String>,
    /// How SQL is run: a trial has every finding of the write that it tries.
    way: Option<Discriminant<SqlWay>>,
    /// What an unknown one was: unknown is no kind of danger, so only the same program, statement or host is alike.
    shapes: Vec<Shape>,
    /// The text of a command, and what its parts were.
    command: Option<String>,
    forms: Vec<Shape>,
    /// It wrote over what was there.
    replaces: bool,
    ceiling: RiskLevel,
}

/// What the person granted or refused for the rest of the turn. Ends with the next message, Esc, resume,
/// or a change of mode, connection or workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    granted: Vec<Grant>,
    /// "Deny all": everything else of the turn is denied.
    pub refuse_rest: bool,
}

impl Grants {
    /// Extends the turn's approval to what is like `prepared`. Production, and sensitive, hidden, unreadable and
    /// catastrophic findings, are never granted; of an MCP tool, only the same tool as it was described.
    pub fn extend(&mut self, prepared: &Prepared) {
        if !grantable(prepared) {
            return;
        }
        self.granted.push(Grant {
            tool: prepared.operation.tool.clone(),
            target: prepared.assessment.target.clone(),
            rules: rules(prepared),
            way: way(prepared),
            shapes: prepared.assessment.shapes.clone(),
            command: command(prepared).map(str::to_owned),
            forms: prepared.assessment.forms.clone(),
            replaces: prepared.assessment.replaces,
            ceiling: prepared.assessment.level(),
        });
    }

    /// Whether the turn's approval covers every finding of `prepared`: what the model asks for, not what the person
    /// begins beside it, who is there to be asked.
    #[must_use]
    pub fn cover(&self, prepared: &Prepared) -> bool {
        prepared.operation.origin.by_model()
            && grantable(prepared)
            && self.granted.iter().any(|grant| {
                grant.tool == prepared.operation.tool
                    && grant.target == prepared.assessment.target
                    && prepared.assessment.level() <= grant.ceiling
                    && way(prepared) == grant.way
                    && rules(prepared).is_subset(&grant.rules)
                    && same_kind(prepared, grant)
            })
    }
}

/// Whether it does the same as what was approved, to the same sort of thing: a command the same to ordinary files of the
/// workspace, SQL the same to the same tables. Of other tools the findings tell it, unless nothing is known of it.
fn same_kind(prepared: &Prepared, grant: &Grant) -> bool {
    let assessment = &prepared.assessment;
    match &prepared.operation.kind {
        OperationKind::Command(command) if grant.command.as_ref() == Some(&command.command) => true,
        OperationKind::Command(_) => {
            // What only prints writes where its output goes into a file.
            let writes = assessment.forms.iter().any(|part| part.0.contains_key("redirect"));
            let printed =
                |part: &Shape| grant.forms.iter().any(|other| other.0.get("program") == part.0.get("program"));
            let clean = |part: &Shape| part.is("clean", "yes") && (!writes || printed(part));
            let like = |part: &Shape| clean(part) || grant.forms.iter().any(|other| commands_alike(part, other));
            !assessment.forms.is_empty()
                && (grant.replaces || !assessment.replaces)
                && assessment.forms.iter().all(like)
        }
        OperationKind::Sql(_) => alike(&assessment.shapes, &grant.shapes),
        _ => !(unknown(prepared) || foreign(prepared)) || alike(&assessment.shapes, &grant.shapes),
    }
}

/// Whether two parts of commands are the same, or differ in nothing but which files of the workspace, or which texts,
/// they name.
fn commands_alike(part: &Shape, approved: &Shape) -> bool {
    let free = [("place", "workspace"), ("free", "yes")].iter().any(|(name, value)| part.is(name, value));
    let named = |name: &str| free && ["arguments", "folder"].contains(&name);
    let kept = |shape: &Shape| -> Vec<(String, String)> {
        let written =
            |name: &str, value: &str| if free && name == "redirect" { String::new() } else { value.to_owned() };
        let parts = shape.0.iter().filter(|(name, _)| !named(name));
        parts.map(|(name, value)| (name.clone(), written(name, value))).collect()
    };
    kept(part) == kept(approved)
}

fn unknown(prepared: &Prepared) -> bool {
    prepared.assessment.objections().any(|finding| finding.class == Class::Unknown)
}

fn command(prepared: &Prepared) -> Option<&str> {
    if let OperationKind::Command(command) = &prepared.operation.kind { Some(&command.command) } else { None }
}

/// Whether SQL is run as it is, tried, or takes something back.
fn way(prepared: &Prepared) -> Option<Discriminant<SqlWay>> {
    if let OperationKind::Sql(sql) = &prepared.operation.kind { Some(discriminant(&sql.way)) } else { None }
}

/// Whether it is a call of somebody else's tool.
fn foreign(prepared: &Prepared) -> bool {
    matches!(prepared.operation.kind, OperationKind::Mcp(_))
}

/// Whether every part is one that was approved.
fn alike(parts: &[Shape], approved: &[Shape]) -> bool {
    !parts.is_empty() && parts.iter().all(|part| approved.contains(part))
}

fn rules(prepared: &Prepared) -> BTreeSet<String> {
    prepared.assessment.objections().map(|finding| finding.rule.clone()).collect()
}

/// Whether approval of one such thing may stand for another.
fn grantable(prepared: &Prepared) -> bool {
    if prepared.assessment.hits_production() {
        return false;
    }
    let mut objections = prepared.assessment.objections().peekable();
    objections.peek().is_some()
        && objections.all(|finding| match finding.class {
            Class::Whitelisted | Class::Unknown | Class::Declared(Danger::Destructive) => true,
            Class::Declared(Danger::External) => foreign(prepared),
            Class::Declared(Danger::Sensitive) | Class::Unreadable | Class::Catastrophe => false,
        })
}
