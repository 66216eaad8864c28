//! Weighs one operation as every gate does: what it names is looked at, its assessor judges, and `judge` decides.
//! `assess`, the hooks and `exec` come by here; the screen does the same with its own gate around it.

use std::ffi::OsStr;

pub use super::searched::Searches;
use super::searched::unspared;
use crate::assess::{AssessSettings, RiskAssessor, WebSearchAssessor};
use crate::domain::{
    ApprovalMode, Claim, Enforceable, Grants, Judgement, Operation, OperationKind, Place, Policy, Prepared, Step, judge,
};
use crate::tools::{self, Seen};

/// The tool of a search on the web, where another agent has one.
pub const WEB_SEARCH: &str = "web_search";

/// What an operation is weighed with.
#[derive(Clone, Copy)]
pub struct Scales<'a> {
    /// What the configuration adds to judging.
    pub settings: &'a AssessSettings,
    /// Mode, rules and hosts.
    pub policy: &'a Policy,
    /// What is enforced around it.
    pub enforceable: Enforceable,
    /// The `PATH` of its children.
    pub search_path: Option<&'a OsStr>,
    /// Whose tools run it. Another agent's session has read files by then, for all that we know, and its searches leave
    /// no sensitive file out.
    pub searches: Searches,
}

impl Scales<'_> {
    /// Looks at an operation, judges it and decides. What is there may be as it was when `seen` saw it first.
    pub fn weigh(self, operation: Operation, place: &Place, seen: &mut Seen) -> (Prepared, Judgement) {
        let assessor = assessor(&operation);
        let lifted = operation.claim != Claim::Absent
            || !matches!(self.policy.mode, ApprovalMode::Guarded | ApprovalMode::Strict)
            || !(self.policy.rules.is_empty() && self.policy.remembered.is_empty());
        let eyes = (self.settings, lifted);
        let mut prepared = tools::judged(assessor, operation, place, self.search_path, seen, eyes);
        prepared.assessment.findings.extend(unspared(&prepared, self.searches, &self.settings.sensitive));
        let others = self.searches != Searches::Ours;
        let judgement = judge(&prepared, self.policy, &Grants::default(), self.enforceable, others);
        (prepared, judgement)
    }
}

/// What judges an operation.
#[must_use]
pub fn assessor(operation: &Operation) -> &'static dyn RiskAssessor {
    match &operation.kind {
        OperationKind::Other(_) if operation.tool == WEB_SEARCH => &WebSearchAssessor,
        kind => super::assess::assessor(kind),
    }
}

/// The finding that decided, or the step where no finding did.
pub(super) fn rule(judgement: &Judgement, prepared: &Prepared) -> String {
    let step = || serde_json::to_value(judgement.step).ok().and_then(|step| step.as_str().map(str::to_owned));
    // What a rule of the person's lifts leads, and isn't what decided.
    let decided = || prepared.assessment.objections().find(|finding| finding.sentence == judgement.reason);
    let finding = || decided().or_else(|| prepared.assessment.leading()).map(|finding| finding.rule.clone());
    match judgement.step {
        Step::Catastrophe | Step::Unreadable | Step::Danger | Step::Whitelisted | Step::ClaimedLow | Step::Default => {
            finding().or_else(step)
        }
        Step::DenyRule
        | Step::AllowAll
        | Step::Strict
        | Step::AskRule
        | Step::AllowRule
        | Step::TurnApproval
        | Step::ClaimedRisk
        | Step::Exposure => step(),
    }
    .unwrap_or_default()
}
