//! What a person decided once for later: "don't ask again" and "never again". A remembered rule is a typed pattern over
//! an operation's forms, never a string prefix; it names the findings that it lifts, and where and how long it holds.

mod draft;
mod liftable;
mod neighbours;
mod written;

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::number::count;
use super::operation::Prepared;
use super::policy::{ApprovalMode, Policy};
use super::risk::{Class, Danger, Finding, RiskLevel};
use super::rule::{Effect, SCHEMA, Shape};
use super::target::Target;

pub use draft::{Draft, Lasting, Row, Setting};
pub use liftable::runs_code;
pub use neighbours::Neighbour;
pub use written::{Pattern, Want};

/// The part by which a form names a finding of its own.
pub const FINDING: &str = "finding";

/// How a person names a remembered rule: `r1`, `r2` for those that are kept, `s1` for those of the session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuleId(pub String);

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a remembered rule holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For the rest of the turn.
    Turn,
    /// Until the program ends.
    Session,
    /// In this workspace.
    Workspace(PathBuf),
    /// Everywhere.
    Always,
}

impl Scope {
    /// The word that is shown and typed.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Session => "session",
            Self::Workspace(_) => "workspace",
            Self::Always => "always",
        }
    }

    /// Where that is, in words; its folder by another name, if one is given. Not neutralised.
    #[must_use]
    pub fn says(&self, folder: Option<&str>) -> String {
        match self {
            Self::Turn => "this turn".to_owned(),
            Self::Session => "this session".to_owned(),
            Self::Workspace(path) => {
                format!("always in {}", folder.map_or_else(|| path.display().to_string(), str::to_owned))
            }
            Self::Always => "always, in every folder".to_owned(),
        }
    }

    /// Whether it outlives the program.
    #[must_use]
    pub fn kept(&self) -> bool {
        matches!(self, Self::Workspace(_) | Self::Always)
    }
}

/// What a remembered rule says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// Never run what has one such part.
    Deny(Pattern),
    /// Run what has only such parts.
    Allow(Lift),
}

/// What a remembered rule lifts, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lift {
    /// Every part of an operation must match one of them.
    pub patterns: Vec<Pattern>,
    /// Rule ids of the findings that it lifts, and of no other.
    pub findings: BTreeSet<String>,
    /// No higher risk than what was approved.
    pub ceiling: RiskLevel,
    /// What it may hit beside the workspace, as it was told when it was saved.
    pub targets: BTreeSet<String>,
}

/// A rule that the person saved from an operation. Only sound ones exist: whatever reads or makes one goes through
/// [`Remembered::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    id: RuleId,
    tool: String,
    says: Says,
    scope: Scope,
    saved: u64,
    expires: Option<u64>,
}

impl Remembered {
    /// A rule about operations of `tool`. Times are seconds since 1970.
    ///
    /// # Errors
    /// In one sentence, why such a rule may not stand: it lifts nothing, or what no rule lifts, or a program that runs
    /// code, or it would match anything.
    pub fn new(
        id: RuleId,
        tool: String,
        says: Says,
        scope: Scope,
        saved: u64,
        expires: Option<u64>,
    ) -> Result<Self, String> {
        match &says {
            Says::Allow(lift) => liftable::check(&tool, lift)?,
            Says::Deny(pattern) if pattern.is_open() => {
                return Err(format!("a deny rule for {tool} must name at least one part"));
            }
            Says::Deny(_) => {}
        }
        Ok(Self { id, tool, says, scope, saved, expires })
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &RuleId {
        &self.id
    }

    /// The same rule under another name.
    #[must_use]
    pub fn named(self, id: RuleId) -> Self {
        Self { id, ..self }
    }

    /// The tool it is about.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What it says.
    #[must_use]
    pub fn says(&self) -> &Says {
        &self.says
    }

    /// Where it holds.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// When it was saved.
    #[must_use]
    pub fn saved(&self) -> u64 {
        self.saved
    }

    /// When it ends, if it does.
    #[must_use]
    pub fn expires(&self) -> Option<u64> {
        self.expires
    }

    /// Whether it is over at a time. A clock that is not known, or stands before the rule was saved, ends an allow rule
    /// that expires, and no deny rule.
    #[must_use]
    pub fn over(&self, now: u64) -> bool {
        let Some(expires) = self.expires else { return false };
        match self.says {
            Says::Deny(_) => now >= expires,
            Says::Allow(_) => now >= expires || now < self.saved,
        }
    }

    /// Where and how long it holds, in words; its folder by another name, if one is given. Not neutralised.
    #[must_use]
    pub fn holds(&self, folder: Option<&str>, now: u64) -> String {
        let scope = self.scope.says(folder);
        let hours = |at: u64| at.saturating_sub(now).div_ceil(3_600);
        match self.expires.map(hours) {
            _ if self.over(now) => format!("{scope}, over"),
            None if self.scope.kept() => format!("{scope}, {}", Lasting::Forever.says()),
            None => scope,
            Some(hours) if hours > 48 => format!("{scope}, {}", count(hours / 24, "more day")),
            Some(hours) => format!("{scope}, {}", count(hours, "more hour")),
        }
    }

    /// Whether it denies an operation now.
    #[must_use]
    pub fn denies(&self, prepared: &Prepared, now: u64) -> bool {
        let Says::Deny(pattern) = &self.says else { return false };
        self.about(prepared) && !self.over(now) && prepared.assessment.shapes.iter().any(|shape| pattern.hits(shape))
    }

    /// Whether it lets an operation run now: every part matches, every finding is one that it lifts, and it hits nothing
    /// else. Never production.
    #[must_use]
    pub fn allows(&self, prepared: &Prepared, now: u64) -> bool {
        let Says::Allow(lift) = &self.says else { return false };
        let assessment = &prepared.assessment;
        let mut objections = assessment.objections().peekable();
        self.about(prepared)
            && !self.over(now)
            && !assessment.hits_production()
            && assessment.level() <= lift.ceiling
            && objections.peek().is_some()
            && objections.all(|finding| liftable::may_lift(finding) && lift.findings.contains(&finding.rule))
            && !assessment.forms.is_empty()
            && assessment.forms.iter().all(|form| lift.patterns.iter().any(|pattern| pattern.fits(form)))
            && hit(prepared).all(|target| lift.targets.contains(&target))
    }

    /// Whether it would let an operation run, had the server of an MCP tool not changed what it says of the tool.
    #[must_use]
    pub fn outdated(&self, prepared: &Prepared, now: u64) -> bool {
        let Says::Allow(lift) = &self.says else { return false };
        if !prepared.operation.tool.starts_with(super::mcp::MCP) || self.allows(prepared, now) {
            return false;
        }
        lift.patterns.iter().filter_map(|pattern| pattern.exact(SCHEMA)).any(|schema| {
            let mut as_it_was = prepared.clone();
            for form in &mut as_it_was.assessment.forms {
                form.0.entry(SCHEMA.to_owned()).and_modify(|now| schema.clone_into(now));
            }
            self.allows(&as_it_was, now)
        })
    }

    /// Whether it would lift a finding of an operation that it is about, whatever else holds that back.
    fn lifts(&self, finding: &Finding, prepared: &Prepared, now: u64) -> bool {
        let Says::Allow(lift) = &self.says else { return false };
        let fits = |form: &Shape| lift.patterns.iter().any(|pattern| pattern.fits(form));
        self.about(prepared)
            && !self.over(now)
            && liftable::may_lift(finding)
            && finding.level <= lift.ceiling
            && lift.findings.contains(&finding.rule)
            && prepared.assessment.forms.iter().chain(&prepared.assessment.shapes).any(fits)
    }

    fn about(&self, prepared: &Prepared) -> bool {
        let here = match &self.scope {
            Scope::Workspace(folder) => *folder == prepared.facts.place.workspace,
            Scope::Turn | Scope::Session | Scope::Always => true,
        };
        here && self.tool == prepared.operation.tool
    }
}

/// What a rule pins beside the parts: everything that an operation would hit, but for the branch that is checked out and
/// only added to.
fn hit(prepared: &Prepared) -> impl Iterator<Item = String> {
    let stays = |target: &&Target| !matches!(target, Target::Branch { rewrites: false, .. });
    prepared.facts.targets.iter().filter(stays).map(Target::identity)
}

impl Policy {
    /// The mode that is judged by: strict while what is remembered can't be read.
    #[must_use]
    pub fn in_force(&self) -> ApprovalMode {
        if self.rules_broken { ApprovalMode::Strict } else { self.mode }
    }

    /// Whether a rule of either sort would let it run, had its server not changed what it says of the tool.
    #[must_use]
    pub fn outdated(&self, prepared: &Prepared) -> bool {
        let (tool, shapes) = (&prepared.operation.tool, &prepared.assessment.shapes);
        self.rules.iter().any(|rule| rule.outdated(tool, shapes))
            || self.remembered.iter().any(|rule| rule.outdated(prepared, self.now))
    }

    /// What holds an operation back although a rule lifts something of it: the worst that is left. Only the reason goes
    /// by it, never the verdict. None where no rule lifts anything.
    #[must_use]
    pub fn left<'a>(&self, prepared: &'a Prepared) -> Option<&'a Finding> {
        let assessment = &prepared.assessment;
        let (tool, named) = (&prepared.operation.tool, |shape: &Shape| shape.0.contains_key(FINDING));
        // A rule of the configuration allows a tool as it is, and nothing that its arguments add.
        let plain: Vec<Shape> = assessment.shapes.iter().filter(|shape| !named(shape)).cloned().collect();
        let allowed = self.rules.iter().any(|rule| rule.effect == Effect::Allow && rule.covers(tool, &plain));
        let added = |finding: &Finding| {
            finding.class == Class::Declared(Danger::Sensitive)
                || assessment.shapes.iter().any(|shape| shape.0.get(FINDING) == Some(&finding.rule))
        };
        let lifted = |finding: &Finding| {
            allowed && !added(finding) || self.remembered.iter().any(|rule| rule.lifts(finding, prepared, self.now))
        };
        let left: Vec<&Finding> = assessment.objections().filter(|finding| !lifted(finding)).collect();
        let class = left.iter().map(|finding| finding.class).max()?;
        let some = left.len() < assessment.objections().count();
        left.into_iter().find(|finding| finding.class == class).filter(|_| some)
    }

    /// The remembered rule that denies an operation, if one does.
    #[must_use]
    pub fn denying(&self, prepared: &Prepared) -> Option<&Remembered> {
        self.remembered.iter().find(|rule| rule.denies(prepared, self.now))
    }

    /// The remembered rule that lets an operation run, if one does.
    #[must_use]
    pub fn allowing(&self, prepared: &Prepared) -> Option<&Remembered> {
        self.remembered.iter().find(|rule| rule.allows(prepared, self.now))
    }
}

#[cfg(test)]
mod tests;
