//! The gate: the only maker of [`Countersigned`], the one type that tools run. Holds every operation from
//! its proposal to its release, the policy and the turn's approval. Called by `app/queue` alone.

use std::collections::{BTreeMap, BTreeSet};

use super::grants::Grants;
use super::memory::{Remembered, RuleId, Says, Scope};
use super::operation::{Operation, OperationId, OperationKind, Origin, Prepared};
use super::policy::{Containment, Enforceable, Judgement, NOBODY_BACK, Policy, Step, Verdict, judge};
use super::record::Decider;
use super::target::moved;

/// Identity of exactly what was shown. A new one for every change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seal(u64);

/// An operation that may run. Made only by [`Gate::release`]; neither cloned nor built elsewhere.
#[derive(Debug)]
pub struct Countersigned {
    prepared: Prepared,
    containment: Containment,
    decider: Decider,
    judgement: Judgement,
}

impl Countersigned {
    /// What may run.
    #[must_use]
    pub fn operation(&self) -> &Operation {
        &self.prepared.operation
    }

    /// Everything that it was judged on.
    #[must_use]
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// What must be enforced while it runs.
    #[must_use]
    pub fn containment(&self) -> Containment {
        self.containment
    }

    /// Who decided.
    #[must_use]
    pub fn decider(&self) -> &Decider {
        &self.decider
    }

    /// The derivation.
    #[must_use]
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }
}

/// Where an operation stands at the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It waits for the person.
    Waiting,
    /// It may start once its facts were read again.
    Allowed(Decider),
}

/// What became of a proposed operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It may start when its turn comes.
    Allowed(Judgement),
    /// It waits for the person.
    Waiting(Judgement),
    /// It is not run.
    Denied(Judgement, Decider),
}

/// What became of an operation right before its start.
#[derive(Debug)]
pub enum Release {
    /// Run it.
    Run(Box<Countersigned>),
    /// It changed since it was shown or judged: it waits again, for the reason given.
    Requeued(String),
    /// It is not run.
    Denied(Judgement),
    /// The gate doesn't hold it as allowed: nothing happens.
    Unknown,
}

#[derive(Debug)]
struct Entry {
    prepared: Prepared,
    judgement: Judgement,
    seal: Seal,
    standing: Standing,
}

/// Every operation between its proposal and its release.
#[derive(Debug, Default)]
pub struct Gate {
    entries: BTreeMap<OperationId, Entry>,
    policy: Policy,
    grants: Grants,
    enforceable: Enforceable,
    /// Denied in this turn: the same again is denied again.
    denied: Vec<Prepared>,
    private_data_read: bool,
    /// Nobody is there to ask.
    unattended: bool,
    /// Rules that let something run and were taken back here: none of them comes back by what their file still says.
    forgotten: BTreeSet<RuleId>,
    seals: u64,
}

impl Gate {
    /// A gate with a policy, on a machine that can enforce `enforceable`.
    #[must_use]
    pub fn new(policy: Policy, enforceable: Enforceable) -> Self {
        Self { policy, enforceable, ..Self::default() }
    }

    /// The same where private data was read before it began.
    #[must_use]
    pub fn having_read(self, private_data_read: bool) -> Self {
        Self { private_data_read, ..self }
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What this machine enforces.
    #[must_use]
    pub fn enforceable(&self) -> Enforceable {
        self.enforceable
    }

    /// This machine enforces something else than was known. What waits or starts is judged by it from now on.
    pub fn set_enforceable(&mut self, enforceable: Enforceable) {
        self.enforceable = enforceable;
    }

    /// Nobody is there to ask from now on: what would wait is denied.
    pub fn leave_unattended(&mut self) {
        self.unattended = true;
    }

    /// Takes a proposed operation in and judges it.
    pub fn admit(&mut self, prepared: Prepared) -> Admission {
        let judgement = self.judge(&prepared);
        let by_model = prepared.operation.origin.by_model();
        let before = self.denied_before(&prepared);
        if by_model && before > 0 {
            let again = if before > 1 { format!(" Denied again ×{before}.") } else { String::new() };
            let reason = format!("You denied exactly this before in this turn.{again}");
            self.denied.push(prepared);
            return Admission::Denied(Judgement { verdict: Verdict::Deny, reason, ..judgement }, Decider::Policy);
        }
        if by_model && self.grants.refuse_rest {
            let reason = "You denied the rest of this turn.".to_owned();
            return Admission::Denied(Judgement { verdict: Verdict::Deny, reason, ..judgement }, Decider::PersonAll);
        }
        let (standing, admission) = match judgement.verdict {
            Verdict::Deny => return Admission::Denied(judgement.clone(), judgement.decider()),
            Verdict::Ask => (Standing::Waiting, Admission::Waiting(judgement.clone())),
            Verdict::Allow => (Standing::Allowed(judgement.decider()), Admission::Allowed(judgement.clone())),
        };
        let seal = self.next_seal();
        self.entries.insert(prepared.operation.id, Entry { prepared, judgement, seal, standing });
        admission
    }

    /// Takes in what was pending when its session was left. It is judged anew, and whatever the verdict, it runs only
    /// once the person approves it.
    pub fn hold(&mut self, prepared: Prepared) -> Admission {
        let judgement = self.judge(&prepared);
        if judgement.verdict == Verdict::Deny {
            return Admission::Denied(judgement.clone(), judgement.decider());
        }
        if self.unattended {
            let reason = NOBODY_BACK.to_owned();
            let denied = Judgement { verdict: Verdict::Deny, unattended: true, reason, ..judgement };
            return Admission::Denied(denied, Decider::Policy);
        }
        let seal = self.next_seal();
        let entry = Entry { prepared, judgement: judgement.clone(), seal, standing: Standing::Waiting };
        self.entries.insert(entry.prepared.operation.id, entry);
        Admission::Waiting(judgement)
    }

    /// How often exactly this was denied before in this turn.
    #[must_use]
    pub fn denied_before(&self, prepared: &Prepared) -> usize {
        self.denied.iter().filter(|denied| same_demand(denied, prepared)).count()
    }

    /// What an operation would do, for the views. None once it left the gate.
    #[must_use]
    pub fn prepared(&self, id: OperationId) -> Option<&Prepared> {
        self.entries.get(&id).map(|entry| &entry.prepared)
    }

    /// Why it stands where it stands.
    #[must_use]
    pub fn judgement(&self, id: OperationId) -> Option<&Judgement> {
        self.entries.get(&id).map(|entry| &entry.judgement)
    }

    /// The seal of an operation that waits.
    #[must_use]
    pub fn seal(&self, id: OperationId) -> Option<Seal> {
        self.entries.get(&id).filter(|entry| entry.standing == Standing::Waiting).map(|entry| entry.seal)
    }

    /// Where an operation stands.
    #[must_use]
    pub fn standing(&self, id: OperationId) -> Option<&Standing> {
        self.entries.get(&id).map(|entry| &entry.standing)
    }

    /// Operations that wait, in order.
    pub fn waiting(&self) -> impl Iterator<Item = OperationId> {
        self.entries.iter().filter(|(_, entry)| entry.standing == Standing::Waiting).map(|(id, _)| *id)
    }

    /// The person approves exactly what `seal` stands for. False if it changed, left or no longer waits.
    pub fn approve(&mut self, id: OperationId, seal: Seal) -> bool {
        self.allow(id, seal, Decider::Person)
    }

    /// The person approves all that was shown, and the rest of the turn within the reach of it. Returns what
    /// may now start.
    pub fn approve_all(&mut self, shown: &[(OperationId, Seal)]) -> Vec<OperationId> {
        let mut approved = Vec::new();
        for (id, seal) in shown {
            if self.allow(*id, *seal, Decider::PersonAll) {
                let granted = self.entries.get(id).filter(|entry| entry.judgement.step != Step::AskRule);
                if let Some(entry) = granted {
                    self.grants.extend(&entry.prepared);
                }
                approved.push(*id);
            }
        }
        approved
    }

    /// Takes an operation out: denied, interrupted or withdrawn. A person's denial is remembered for the turn.
    pub fn reject(&mut self, id: OperationId, decider: &Decider) -> Option<Prepared> {
        let entry = self.entries.remove(&id)?;
        let offered = matches!(entry.prepared.operation.origin, Origin::Program { .. });
        if matches!(decider, Decider::Person | Decider::PersonAll) && !offered {
            self.denied.push(entry.prepared.clone());
        }
        Some(entry.prepared)
    }

    /// Takes out an operation that waits, to be proposed again as the person edited it. False if it changed, left or
    /// no longer waits.
    pub fn take_back(&mut self, id: OperationId, seal: Seal) -> bool {
        let waits = self.seal(id) == Some(seal);
        if waits {
            self.entries.remove(&id);
        }
        waits
    }

    /// How an operation would be judged, without taking it in.
    #[must_use]
    pub fn weigh(&self, prepared: &Prepared) -> Judgement {
        self.judge(prepared)
    }

    /// "Deny all" covers the rest of the turn whole.
    pub fn refuse_rest(&mut self) {
        self.grants.refuse_rest = true;
    }

    /// Right before the start: `fresh` was prepared anew from the same call. Mints the only type that runs,
    /// or puts the operation back.
    pub fn release(&mut self, id: OperationId, fresh: Prepared) -> Release {
        let judgement = self.judge(&fresh);
        let seal = self.next_seal();
        let Some(entry) = self.entries.get_mut(&id) else { return Release::Unknown };
        let Standing::Allowed(decider) = entry.standing.clone() else { return Release::Unknown };
        if judgement.verdict == Verdict::Deny {
            self.entries.remove(&id);
            return Release::Denied(judgement);
        }
        let by_person = matches!(decider, Decider::Person | Decider::PersonAll);
        let (shown, now) = (contained(&entry.judgement), contained(&judgement));
        let problem = if by_person {
            let barer = shown != Containment::None && shown != now;
            changed(&entry.prepared, &fresh)
                .or_else(|| barer.then(|| "The walls that were shown with it can't be put up now.".to_owned()))
        } else if judgement.verdict == Verdict::Allow {
            None
        } else {
            Some(judgement.reason.clone())
        };
        if let Some(why) = problem {
            *entry = Entry { prepared: fresh, judgement, seal, standing: Standing::Waiting };
            return Release::Requeued(why);
        }
        self.entries.remove(&id);
        // What a person approved runs as it was shown, even where more could be enforced by now.
        let containment = if by_person { shown } else { now };
        Release::Run(Box::new(Countersigned { prepared: fresh, containment, decider, judgement }))
    }

    /// Whether a rule that was saved from a dialog lets it run, and not one that was written into the configuration.
    #[must_use]
    pub fn by_saved_rule(&self, id: OperationId) -> bool {
        let by = self.judgement(id).and_then(|judgement| judgement.by_rule.as_ref());
        by.is_some_and(|by| self.policy.remembered.iter().any(|rule| rule.id().0 == *by))
    }

    /// Instead of its start, an allowed operation waits again, as `fresh`: then its new seal.
    pub fn put_back(&mut self, id: OperationId, fresh: Prepared) -> Option<Seal> {
        let (judgement, seal) = (self.judge(&fresh), self.next_seal());
        let entry = self.entries.get_mut(&id).filter(|entry| matches!(entry.standing, Standing::Allowed(_)))?;
        *entry = Entry { prepared: fresh, judgement, seal, standing: Standing::Waiting };
        Some(seal)
    }

    /// The turn is over: approvals, refusals and remembered denials end with it, and rules for the turn.
    pub fn end_turn(&mut self) {
        self.grants = Grants::default();
        self.denied.clear();
        self.policy.remembered.retain(|rule| *rule.scope() != Scope::Turn);
    }

    /// The person decided something for later. What waits is judged anew, and nothing starts by it.
    pub fn remember(&mut self, rule: Remembered) {
        self.forgotten.remove(rule.id());
        self.policy.remembered.retain(|other| other.id() != rule.id());
        self.policy.remembered.push(rule);
        self.rejudge();
    }

    /// The person takes such a decision back. False if there is none of that name.
    pub fn forget(&mut self, id: &RuleId) -> bool {
        let rules = &mut self.policy.remembered;
        let Some(at) = rules.iter().position(|rule| rule.id() == id) else { return false };
        let rule = rules.remove(at);
        if matches!(rule.says(), Says::Allow(_)) {
            self.forgotten.insert(rule.id().clone());
        }
        self.rejudge();
        true
    }

    /// The rules that outlive a session are these now, whoever changed them. What waits is judged anew, and nothing
    /// starts by it. Gives back those that hold no more and those that are new or say something else.
    pub fn follow(&mut self, mut kept: Vec<Remembered>) -> (Vec<Remembered>, Vec<Remembered>) {
        kept.retain(|rule| !self.forgotten.contains(rule.id()) || matches!(rule.says(), Says::Deny(_)));
        let (before, mut rules): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.policy.remembered).into_iter().partition(|rule| rule.scope().kept());
        let come: Vec<Remembered> = kept.iter().filter(|rule| !before.contains(rule)).cloned().collect();
        let gone = |rule: &Remembered| kept.iter().all(|other| other.id() != rule.id());
        let gone: Vec<Remembered> = before.into_iter().filter(gone).collect();
        rules.append(&mut kept);
        self.policy.remembered = rules;
        if !(gone.is_empty() && come.is_empty()) {
            self.rejudge();
        }
        (gone, come)
    }

    /// Whether what outlives a session can't be read just now. What was approved for the turn ends with a change of it.
    pub fn set_rules_broken(&mut self, broken: bool) {
        if std::mem::replace(&mut self.policy.rules_broken, broken) != broken {
            self.grants = Grants::default();
            self.rejudge();
        }
    }

    /// The time by the wall's clock, in seconds since 1970: rules end by it.
    pub fn set_clock(&mut self, now: u64) {
        self.policy.now = now;
    }

    /// Whether private data was read in this session.
    #[must_use]
    pub fn private_data_read(&self) -> bool {
        self.private_data_read
    }

    /// From now on a GET to an unnamed host asks once in guarded mode.
    pub fn note_private_data(&mut self) {
        self.private_data_read = true;
    }

    /// The person named hosts, in words or by approving a request.
    pub fn name_host(&mut self, host: String) {
        self.policy.named_hosts.insert(host);
    }

    /// Changes the mode. What waits is judged anew, but nothing starts that the person didn't see: a verdict
    /// of allow leaves it waiting, and what was allowed by the old mode waits if the new one asks.
    pub fn set_mode(&mut self, mode: super::policy::ApprovalMode) {
        self.policy.mode = mode;
        self.grants = Grants::default();
        self.policy.remembered.retain(|rule| *rule.scope() != Scope::Turn);
        self.rejudge();
    }

    /// Judges what waits or may start anew. A verdict of allow leaves it waiting; what may start without the person, and
    /// wouldn't any more, waits.
    fn rejudge(&mut self) {
        let (policy, grants, enforceable, read) =
            (self.policy.clone(), self.grants.clone(), self.enforceable, self.private_data_read);
        for entry in self.entries.values_mut() {
            entry.judgement = judge(&entry.prepared, &policy, &grants, enforceable, read);
            let by_person = matches!(entry.standing, Standing::Allowed(Decider::Person | Decider::PersonAll));
            if !by_person && entry.judgement.verdict != Verdict::Allow {
                entry.standing = Standing::Waiting;
            }
        }
    }

    fn allow(&mut self, id: OperationId, seal: Seal, decider: Decider) -> bool {
        match self.entries.get_mut(&id) {
            Some(entry)
                if entry.seal == seal
                    && entry.standing == Standing::Waiting
                    && entry.judgement.verdict != Verdict::Deny =>
            {
                entry.standing = Standing::Allowed(decider);
                true
            }
            _ => false,
        }
    }

    fn judge(&self, prepared: &Prepared) -> Judgement {
        let judgement = judge(prepared, &self.policy, &self.grants, self.enforceable, self.private_data_read);
        if self.unattended { judgement.unattended(&prepared.assessment) } else { judgement }
    }

    fn next_seal(&mut self) -> Seal {
        self.seals += 1;
        Seal(self.seals)
    }
}

/// Whether two operations ask for the same thing, whatever is claimed of them.
fn same_demand(a: &Prepared, b: &Prepared) -> bool {
    let same = match (&a.operation.kind, &b.operation.kind) {
        (OperationKind::Command(a), OperationKind::Command(b)) => {
            a.terminal == b.terminal && a.timeout == b.timeout && same_words(&a.command, &b.command)
        }
        (a, b) => a == b,
    };
    same && a.operation.tool == b.operation.tool && a.operation.cwd == b.operation.cwd
}

/// Whether two commands are the same but for the blanks between their words. Where a blank may be part of a word, or
/// a line's end ends a command, every one counts.
fn same_words(a: &str, b: &str) -> bool {
    let plain = |text: &str| !text.contains(['\'', '"', '\\', '\n', '`', '$']);
    a == b || plain(a) && plain(b) && a.split_whitespace().eq(b.split_whitespace())
}

/// What an operation that was judged so runs contained by.
fn contained(judgement: &Judgement) -> Containment {
    if judgement.verdict == Verdict::Allow { judgement.containment } else { Containment::None }
}

/// What changed between what was shown and what would run, in one sentence.
fn changed(shown: &Prepared, fresh: &Prepared) -> Option<String> {
    if shown.operation != fresh.operation {
        return Some("The operation changed since it was shown.".to_owned());
    }
    if let Some(sentence) = moved(&shown.facts.targets, &fresh.facts.targets) {
        return Some(sentence);
    }
    if shown.facts.declared != fresh.facts.declared {
        return Some("What its server says of the tool changed since it was shown.".to_owned());
    }
    if shown.facts != fresh.facts {
        let path = fresh.facts.paths.iter().find(|(path, fact)| shown.facts.paths.get(*path) != Some(fact));
        let program = fresh.facts.programs.iter().find(|(name, at)| shown.facts.programs.get(*name) != Some(at));
        return Some(match (path, program) {
            (Some((path, _)), _) => format!("{path} changed since it was shown."),
            (None, Some((name, _))) => format!("{name} is another program than when it was shown."),
            (None, None) => "What it acts on changed since it was shown.".to_owned(),
        });
    }
    (shown.assessment != fresh.assessment).then(|| "It is judged differently than when it was shown.".to_owned())
}

#[cfg(test)]
mod tests;
