//! Modes, containment and `judge`: the one place where claim, findings, rules and mode become a verdict.
//! The screen, `assess`, and every later gate call it. Its steps are the list in "How a decision is made".

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::grants::Grants;
use super::memory::Remembered;
use super::operation::{OperationKind, Origin, Prepared};
use super::record::Decider;
use super::risk::{Assessment, Claim, Class, RiskLevel};
use super::rule::{Effect, Rule};

/// Which walls decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalMode {
    /// Everything asks.
    Strict,
    /// The whitelist decides; a claim of low needs containment behind it.
    #[default]
    Guarded,
    /// A claim of low is followed.
    Smart,
    /// Everything but catastrophes and deny rules runs. Only from the command line.
    AllowAll,
}

impl ApprovalMode {
    /// The word that is shown, configured and serialised.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Guarded => "guarded",
            Self::Smart => "smart",
            Self::AllowAll => "allow-all",
        }
    }
}

/// What is enforced while an operation runs, by the kernel or the database engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Containment {
    /// Nothing on disk changes, no secret is readable, no network beyond the entry's own.
    ReadOnly,
    /// Writes land in a copy-on-write layer over the workspace.
    Staged,
    /// Nothing.
    #[default]
    None,
}

impl Containment {
    /// The word that is shown and serialised.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Staged => "staged",
            Self::None => "none",
        }
    }
}

/// What this machine can enforce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforceable {
    /// Read-only commands.
    pub read_only_command: bool,
    /// Read-only SQL.
    pub read_only_sql: bool,
    /// Staged commands.
    pub staged_command: bool,
}

impl Enforceable {
    /// Whether `containment` is really enforced for this sort of operation.
    #[must_use]
    pub fn covers(self, kind: &OperationKind, containment: Containment) -> bool {
        match (kind, containment) {
            (OperationKind::Command(_), Containment::ReadOnly) => self.read_only_command,
            (OperationKind::Command(_), Containment::Staged) => self.staged_command,
            (OperationKind::Sql(_), Containment::ReadOnly) => self.read_only_sql,
            _ => false,
        }
    }
}

/// What the person decided beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The mode.
    pub mode: ApprovalMode,
    /// Rules, in any order: deny before ask before allow.
    pub rules: Vec<Rule>,
    /// What the person decided for later.
    pub remembered: Vec<Remembered>,
    /// Some of that can't be read: until it can, everything asks, whatever the mode.
    pub rules_broken: bool,
    /// The time by the wall's clock, in seconds since 1970; 0 where nobody knows it.
    pub now: u64,
    /// Whether catastrophes are denied; one line of the configuration turns it off, then they ask.
    pub deny_catastrophes: bool,
    /// Hosts that the configuration or the person named.
    pub named_hosts: BTreeSet<String>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            mode: ApprovalMode::default(),
            rules: Vec::new(),
            remembered: Vec::new(),
            rules_broken: false,
            now: 0,
            deny_catastrophes: true,
            named_hosts: BTreeSet::new(),
        }
    }
}

/// The verdict's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Runs.
    Allow,
    /// Waits for the person.
    Ask,
    /// Is not run, even if approved.
    Deny,
}

/// Which step of "first match decides" decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// 1: a catastrophe.
    Catastrophe,
    /// 2: a deny rule.
    DenyRule,
    /// 3: mode allow-all.
    AllowAll,
    /// 4: mode strict.
    Strict,
    /// 5: an ask rule.
    AskRule,
    /// 6: unreadable.
    Unreadable,
    /// 7: an allow rule.
    AllowRule,
    /// 7: the turn's approval.
    TurnApproval,
    /// 8: a claim of medium or high.
    ClaimedRisk,
    /// 9: declared danger.
    Danger,
    /// 10: whitelisted, but a GET to an unnamed host after private data was read.
    Exposure,
    /// 10: whitelisted.
    Whitelisted,
    /// 11: a claim of low on an unknown operation.
    ClaimedLow,
    /// 12: otherwise.
    Default,
}

impl Step {
    /// Its number in the list.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Catastrophe => 1,
            Self::DenyRule => 2,
            Self::AllowAll => 3,
            Self::Strict => 4,
            Self::AskRule => 5,
            Self::Unreadable => 6,
            Self::AllowRule | Self::TurnApproval => 7,
            Self::ClaimedRisk => 8,
            Self::Danger => 9,
            Self::Exposure | Self::Whitelisted => 10,
            Self::ClaimedLow => 11,
            Self::Default => 12,
        }
    }
}

/// A verdict with its derivation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Run, ask or deny.
    pub verdict: Verdict,
    /// The step that decided.
    pub step: Step,
    /// How bad it could be.
    pub risk: RiskLevel,
    /// The containment it would run under.
    pub containment: Containment,
    /// Whether this machine enforces that.
    pub enforced: bool,
    /// One sentence that says why.
    pub reason: String,
    /// The person's rule that decided, if one did: its name such as `r3`, or a rule of the configuration as it stands
    /// there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_rule: Option<String>,
    /// It would ask, and is denied because nobody is there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unattended: bool,
}

impl Judgement {
    /// Who decided, if nobody had to be asked.
    #[must_use]
    pub fn decider(&self) -> Decider {
        if self.verdict == Verdict::Deny && self.step != Step::DenyRule {
            return Decider::Policy;
        }
        match self.step {
            Step::Catastrophe | Step::Strict | Step::AskRule | Step::Danger | Step::Exposure | Step::Default => {
                Decider::Policy
            }
            Step::DenyRule | Step::AllowRule => Decider::Rule,
            Step::AllowAll => Decider::AllowAll,
            Step::TurnApproval => Decider::TurnApproval,
            Step::Unreadable | Step::ClaimedRisk | Step::ClaimedLow => Decider::Claim,
            Step::Whitelisted => Decider::Whitelist,
        }
    }
}

/// How the reason begins where an operation is denied because nobody is there to ask.
const NOBODY: &str = "Nobody is there to confirm it";

/// The reason where that holds for one that was pending.
pub(super) const NOBODY_BACK: &str = "It waited when its session was left, and nobody is there to approve it.";

impl Judgement {
    /// The same as it was meant: journals of earlier versions say in the sentence alone that nobody was there.
    #[must_use]
    pub fn of_earlier(self) -> Self {
        let said = self.reason.starts_with(NOBODY) || self.reason == NOBODY_BACK;
        Self { unattended: self.unattended || self.verdict == Verdict::Deny && said, ..self }
    }

    /// The same where nobody is there to ask: what would ask is denied, on the same derivation.
    #[must_use]
    pub fn unattended(self, assessment: &Assessment) -> Self {
        match self.verdict {
            Verdict::Ask => {
                let mut reason = format!("{NOBODY} (step {}). {}", self.step.number(), self.reason);
                let found = assessment.leading().filter(|found| !reason.contains(&found.sentence));
                reason.extend(found.map(|found| format!(" {}", found.sentence)));
                Self { verdict: Verdict::Deny, unattended: true, reason, ..self }
            }
            Verdict::Allow | Verdict::Deny => self,
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// Judges one prepared operation: pure, total, and the only fusion of claim, findings, rules and mode.
///
/// `private_data_read` says whether files, rows or output were read in this session.
#[must_use]
pub fn judge(
    prepared: &Prepared,
    policy: &Policy,
    grants: &Grants,
    enforceable: Enforceable,
    private_data_read: bool,
) -> Judgement {
    let Prepared { operation, assessment, .. } = prepared;
    let class = assessment.class();
    let claim = &operation.claim;
    let claimed_low = claim.level() == Some(RiskLevel::Low);
    let mode = policy.in_force();
    let terminal = matches!(&operation.kind, OperationKind::Command(command) if command.terminal);
    let level = if terminal { assessment.level().max(RiskLevel::Medium) } else { assessment.level() };
    let smart = mode == ApprovalMode::Smart;
    let rule = |effect| {
        policy.rules.iter().find(|rule| rule.effect == effect && rule.covers(&operation.tool, &assessment.shapes))
    };
    let lead = || assessment.leading().map_or_else(|| unknown_sentence(&operation.tool), |f| f.sentence.clone());
    let decide = |verdict, step, containment, reason: String| Judgement {
        verdict,
        step,
        // A claim can make it look worse, never better.
        risk: claim.level().map_or(level, |claimed| claimed.max(level)),
        containment,
        enforced: enforceable.covers(&operation.kind, containment),
        reason,
        by_rule: None,
        unattended: false,
    };
    let configured = |which: &str, rule: &Rule| format!("{which} rule of the configuration covers it: {rule}.");
    let ruled = |judgement: Judgement, rule: String| Judgement { by_rule: Some(rule), ..judgement };
    let run = |step, reason| decide(Verdict::Allow, step, Containment::None, reason);
    let ask = |step, reason| decide(Verdict::Ask, step, Containment::None, reason);

    if class == Class::Catastrophe && policy.deny_catastrophes {
        return decide(Verdict::Deny, Step::Catastrophe, Containment::None, lead());
    }
    let deny = |reason| decide(Verdict::Deny, Step::DenyRule, Containment::None, reason);
    if let Some(rule) = rule(Effect::Deny) {
        return ruled(deny(configured("A deny", rule)), rule.to_string());
    }
    if let Some(rule) = policy.denying(prepared) {
        return ruled(deny(format!("Your rule {} never lets it run.", rule.id())), rule.id().to_string());
    }
    if let Origin::Program { after, .. } = &operation.origin {
        // What a wall stopped wanted more than a reader does.
        let reason = match &operation.kind {
            OperationKind::Http(_) => format!(
                "{after} was stopped: its host leads to an address that isn't public. This sends it there all the same."
            ),
            OperationKind::Apply(_) | OperationKind::Answer(_) => lead(),
            _ => format!(
                "{after} failed, perhaps because of its walls. This runs it again without walls; what {after} did already stays."
            ),
        };
        return Judgement { risk: assessment.level().max(RiskLevel::Medium), ..ask(Step::Default, reason) };
    }
    if let Some(edit) = operation.origin.edited() {
        // Neither a claim nor a rule nor the turn's approval was given for it as it is now.
        let why = format!("You {}: it needs your approval. {}", edit.did("it"), lead());
        return Judgement { risk: level, ..ask(Step::Default, why) };
    }
    if mode == ApprovalMode::AllowAll {
        return run(Step::AllowAll, "Mode allow-all runs everything.".to_owned());
    }
    if mode == ApprovalMode::Strict {
        const BROKEN: &str = "Your rules can't be read: everything asks until their file is mended.";
        let why = if policy.rules_broken { BROKEN } else { "Mode strict asks for everything." };
        return ask(Step::Strict, why.to_owned());
    }
    if let Some(rule) = rule(Effect::Ask) {
        return ruled(ask(Step::AskRule, configured("An ask", rule)), rule.to_string());
    }
    if terminal {
        // Only a person can type there, and nothing contains it: no claim, rule or earlier yes stands for them.
        return ask(Step::Default, format!("What runs in a terminal always asks. {}", lead()));
    }
    let external = matches!(operation.kind, OperationKind::Mcp(_) | OperationKind::Other(_));
    if class >= Class::Unreadable {
        return if smart && claimed_low && class == Class::Unreadable && !external {
            run(Step::Unreadable, format!("The model claims low, and mode smart follows it. {}", lead()))
        } else {
            ask(Step::Unreadable, lead())
        };
    }
    if let Some(rule) = rule(Effect::Allow).filter(|_| !assessment.touches_secrets()) {
        return ruled(run(Step::AllowRule, configured("An allow", rule)), rule.to_string());
    }
    if let Some(rule) = policy.allowing(prepared) {
        return ruled(run(Step::AllowRule, format!("Your rule {} covers it.", rule.id())), rule.id().to_string());
    }
    if grants.cover(prepared) {
        return run(Step::TurnApproval, "Your approval of this turn covers it.".to_owned());
    }
    if let Some(reason) = claimed_risk(claim) {
        return ask(Step::ClaimedRisk, reason);
    }
    if let Class::Declared(_) = class {
        return if smart && claimed_low && !external {
            run(Step::Danger, format!("The model claims low, and mode smart follows it. {}", lead()))
        } else if prepared.facts.declared.is_some() && policy.outdated(prepared) {
            ask(Step::Danger, format!("Its server describes it differently since you allowed it. {}", lead()))
        } else {
            ask(Step::Danger, policy.left(prepared).map_or_else(lead, |left| left.sentence.clone()))
        };
    }
    if class == Class::Whitelisted {
        return whitelisted(prepared, policy, enforceable, private_data_read, &decide, lead());
    }
    if claimed_low && smart {
        return run(Step::ClaimedLow, format!("The model claims low, and mode smart follows it. {}", lead()));
    }
    let staged = enforceable.covers(&operation.kind, Containment::Staged) && prepared.facts.place.stageable();
    if claimed_low && assessment.claim_eligible && staged {
        let reason = format!("The model claims low, so it runs staged. {}", lead());
        return decide(Verdict::Allow, Step::ClaimedLow, Containment::Staged, reason);
    }
    ask(Step::Default, lead())
}

/// Step 10: runs contained as its entry says; test runners need the staging enforced.
fn whitelisted(
    prepared: &Prepared,
    policy: &Policy,
    enforceable: Enforceable,
    private_data_read: bool,
    decide: &dyn Fn(Verdict, Step, Containment, String) -> Judgement,
    reason: String,
) -> Judgement {
    let kind = &prepared.operation.kind;
    if policy.mode == ApprovalMode::Guarded && private_data_read {
        // Named with its port, or by its name alone for every port.
        let name = |host: &str| host.rsplit_once(':').map_or(host, |(name, _)| name).to_owned();
        let named = |host: &String| policy.named_hosts.contains(host) || policy.named_hosts.contains(&name(host));
        if let Some(host) = prepared.hosts().find(|host| !named(host)) {
            let reason = format!("Private data was read in this session, and you have not named the host {host}.");
            return decide(Verdict::Ask, Step::Exposure, Containment::None, reason);
        }
    }
    let containment = prepared.assessment.containment;
    let staged = enforceable.covers(kind, Containment::Staged) && prepared.facts.place.stageable();
    if let Some(why) = prepared.assessment.without_walls().filter(|_| !enforceable.covers(kind, containment)) {
        let reason = format!("{reason} {why}");
        return decide(Verdict::Ask, Step::Default, Containment::None, reason);
    }
    match containment {
        Containment::Staged if !staged => {
            let reason = format!("{reason} It would run staged, which can't be enforced here.");
            decide(Verdict::Ask, Step::Default, Containment::None, reason)
        }
        Containment::Staged | Containment::ReadOnly | Containment::None => {
            decide(Verdict::Allow, Step::Whitelisted, containment, reason)
        }
    }
}

/// Step 8: the sentence for a claim of medium or high.
fn claimed_risk(claim: &Claim) -> Option<String> {
    match claim {
        Claim::Absent | Claim::Level(RiskLevel::Low) => None,
        Claim::Level(level) => Some(format!("The model claims {level}.")),
        Claim::Unreadable(word) => Some(format!("The model's claim `{word}` is none of the three words: high.")),
        Claim::Repeated => Some("The model made its claim twice: high.".to_owned()),
    }
}

fn unknown_sentence(tool: &str) -> String {
    format!("No rule says that this use of {tool} only reads.")
}

#[cfg(test)]
mod tests {
    use super::super::{Facts, HttpOperation, Operation, OperationId, Origin};
    use super::*;

    fn get(target: &str) -> Prepared {
        let http =
            HttpOperation { method: "GET".into(), url: format!("http://{target}/"), headers: Vec::new(), body: None };
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: "http_request".into(),
            kind: OperationKind::Http(http),
            claim: Claim::Absent,
            cwd: "/w".into(),
        };
        let assessment = Assessment { target: target.into(), ..Assessment::whitelisted("http.look", "It only looks.") };
        Prepared { operation, facts: Facts::default(), assessment }
    }

    #[test]
    fn while_what_is_remembered_cant_be_read_everything_asks_in_every_mode() {
        for mode in [ApprovalMode::Strict, ApprovalMode::Guarded, ApprovalMode::Smart, ApprovalMode::AllowAll] {
            let policy = |rules_broken| Policy { mode, rules_broken, ..Policy::default() };
            let none = (Grants::default(), Enforceable::default());
            let judged = |broken| judge(&get("docs.rs"), &policy(broken), &none.0, none.1, false);
            assert_eq!((judged(true).verdict, judged(true).step), (Verdict::Ask, Step::Strict), "{mode:?}");
            assert_eq!(judged(false).verdict == Verdict::Allow, mode != ApprovalMode::Strict, "{mode:?}");
        }
    }

    #[test]
    fn once_private_data_was_read_only_named_hosts_are_asked_nothing() {
        let policy = Policy {
            named_hosts: ["example.org".to_owned(), "example.com:8080".to_owned()].into(),
            ..Policy::default()
        };
        let verdict =
            |target: &str, read| judge(&get(target), &policy, &Grants::default(), Enforceable::default(), read).verdict;
        for target in ["example.org:443", "example.org:8080", "example.com:8080"] {
            assert_eq!(verdict(target, true), Verdict::Allow, "{target}");
        }
        for target in ["example.com:443", "org:443", "example.org.evil.test:443"] {
            assert_eq!(verdict(target, true), Verdict::Ask, "{target}");
            assert_eq!(verdict(target, false), Verdict::Allow, "{target}");
        }
        let mut both = get("example.org:443");
        both.assessment.hosts = ["a.org:443".to_owned()].into();
        let judged = judge(&both, &policy, &Grants::default(), Enforceable::default(), true);
        assert!(judged.verdict == Verdict::Ask && judged.reason.contains("a.org:443"), "{}", judged.reason);
    }
}
