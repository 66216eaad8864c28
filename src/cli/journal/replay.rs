//! `countersign journal replay`: recorded operations through today's assessor and `judge`, by what was recorded of
//! them. Nothing is run, and nothing is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::super::start::launcher;
use super::super::weigh::assessor;
use super::told::{self, SCHEMA, Teller};
use super::{Filters, Start, Trouble, each, meant, operation, print, session};
use crate::assess::{AssessSettings, Mentions, Subject, assess};
use crate::config::{ConfigError, Problem};
use crate::contain;
use crate::domain::number::{count, thousands};
use crate::domain::{
    Decider, Enforceable, Facts, Grants, Judgement, OperationKind, Outcome, Policy, Prepared, Step, Verdict, judge,
};
use crate::store::{Archive, Recorded};

/// Stack of the thread that judges: parsers of deeply nested text need it.
const STACK: usize = 64 * 1024 * 1024;

/// What operations are judged by today.
#[derive(Debug)]
pub(in crate::cli) struct Terms {
    pub(super) policy: Policy,
    pub(super) enforceable: Enforceable,
    pub(super) settings: AssessSettings,
    /// For what happened in the practice world, which lies among the program's own files.
    pub(super) practice: (std::path::PathBuf, AssessSettings),
}

impl Terms {
    /// The configuration's, as the screen would judge here. Says on standard error what is wrong with it.
    ///
    /// # Errors
    /// The system doesn't say which program this is.
    pub(super) fn read(start: &Start) -> Result<Self, ConfigError> {
        if let Some(notice) = Problem::notice(&start.problems) {
            crate::say!("countersign: {notice}");
        }
        let (launcher, state) = (launcher()?, start.folders.state.clone());
        let proof = contain::kept(&launcher, &state).unwrap_or_else(|| contain::prove(&launcher, &state));
        let settings = start.judging();
        let practice = AssessSettings { sensitive: start.practice_sensitive(), ..settings.clone() };
        Ok(Self {
            policy: start.settings.policy(),
            enforceable: contain::enforceable(Some(&proof), true),
            settings,
            practice: (start.folders.practice(), practice),
        })
    }
}

/// What became of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// How it was decided; none where nobody decided, which means that it waited.
    before: (Verdict, Option<Step>),
    after: Judgement,
    rule: Option<String>,
    /// The person, a rule or the policy refused it.
    refused: bool,
    /// It ran.
    ran: bool,
    /// Today's rules look at more than was looked at then.
    uncertain: bool,
}

/// What became of all of them.
#[derive(Debug, Default)]
pub(super) struct Tally {
    judged: u64,
    same: u64,
    fewer: u64,
    more: u64,
    freed: u64,
    stopped: u64,
    uncertain: u64,
    untold: u64,
    of_turns: u64,
    repeated: u64,
    changed: Vec<(Recorded, Change)>,
}

/// Why an operation isn't judged again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Out {
    /// It was deleted, or another version wrote it.
    Untold,
    /// The person's word on the rest of a turn decided it.
    OfTurn,
    /// The person had denied exactly the same before in its turn.
    Repeated,
}

/// What of a session decides on what comes later in it.
#[derive(Debug, Default)]
struct Past {
    /// When something private was first read, in milliseconds since 1970.
    read_ms: Option<i64>,
    /// Hosts that the person approved a request to.
    hosts: BTreeSet<String>,
}

/// Judges again and prints.
pub(super) async fn run(
    archive: &mut Archive,
    terms: &Terms,
    (ids, filters): (&[String], &Filters),
    teller: &Teller,
) -> Result<ExitCode, Trouble> {
    let mut all = Vec::new();
    if ids.is_empty() {
        each(archive, filters, |recorded| all.push(recorded)).await?;
    }
    for id in ids {
        if id.contains('#') {
            all.extend(Some(operation(archive, id).await?).filter(|recorded| meant(filters, recorded)));
        } else {
            let of = Filters { session: Some(session(archive, id).await?), ..filters.clone() };
            each(archive, &of, |recorded| all.push(recorded)).await?;
        }
    }
    let tally = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || replay(all, terms));
        worker.ok().and_then(|worker| worker.join().ok())
    });
    let Some(tally) = tally else { return Err(Trouble::Usage("no thread to judge in could be started".to_owned())) };
    let text = if filters.json { format!("{}\n", tally.json(terms, teller)) } else { tally.text(terms, teller) };
    print(&text);
    Ok(ExitCode::SUCCESS)
}

/// Judges operations again, the oldest of each session first.
pub(super) fn replay(all: Vec<Recorded>, terms: &Terms) -> Tally {
    let (mut tally, mut pasts) = (Tally::default(), BTreeMap::<String, Past>::new());
    for mut recorded in all {
        let past = pasts.entry(recorded.session.clone()).or_default();
        let foreign = recorded.other_agent().is_some();
        let change = match &mut recorded.prepared {
            Err(_) => Err(Out::Untold),
            Ok(prepared) => {
                let decided = recorded.decided.as_ref();
                // Another agent runs its calls without us: nothing is enforced around them but what a hook put there.
                let enforceable = if !foreign {
                    terms.enforceable
                } else if decided.is_some_and(|decided| decided.judgement.enforced) {
                    Enforceable { read_only_sql: false, staged_command: false, ..terms.enforceable }
                } else {
                    Enforceable::default()
                };
                again(prepared, decided, (recorded.at_ms, enforceable), past, terms)
            }
        };
        past.learn(&recorded);
        match change {
            Err(Out::Untold) => tally.untold += 1,
            Err(Out::OfTurn) => tally.of_turns += 1,
            Err(Out::Repeated) => tally.repeated += 1,
            Ok(change) => tally.add(recorded, change),
        }
    }
    tally
}

/// Judges one operation again, unless what the person had said in its turn decided it: that isn't replayed.
fn again(
    prepared: &mut Prepared,
    decided: Option<&crate::store::Decided>,
    (at_ms, enforceable): (i64, Enforceable),
    past: &Past,
    terms: &Terms,
) -> Result<Change, Out> {
    let before = match decided {
        None => (Verdict::Ask, None),
        Some(decided) => {
            let (verdict, step) = (decided.judgement.verdict, decided.judgement.step);
            let verdict = match verdict {
                _ if step == Step::TurnApproval => return Err(Out::OfTurn),
                // It asked, and nobody was there.
                Verdict::Deny if decided.judgement.unattended => Verdict::Ask,
                Verdict::Deny if matches!(step, Step::Catastrophe | Step::DenyRule) => verdict,
                Verdict::Deny if decided.decider == Decider::PersonAll => return Err(Out::OfTurn),
                Verdict::Deny => return Err(Out::Repeated),
                // The person was asked, whatever the mode said by the time of the start.
                Verdict::Allow if decided.waited.is_some() => Verdict::Ask,
                Verdict::Allow | Verdict::Ask => verdict,
            };
            (verdict, Some(step))
        }
    };
    let (practice, of_practice) = &terms.practice;
    let settings = if prepared.facts.place.workspace.starts_with(practice) { of_practice } else { &terms.settings };
    let assessor = assessor(&prepared.operation);
    let subject = Subject { operation: &prepared.operation, facts: &prepared.facts, settings };
    let mut assessment = assess(assessor, subject);
    assessment.production = settings.production.told(&prepared.facts.targets);
    let mentions = assessor.mentions(&prepared.operation.kind, &prepared.facts.place);
    let unseen = !looked_at(&mentions, &prepared.facts);
    prepared.assessment = assessment;
    let read = past.read_ms.is_some_and(|read| read <= at_ms);
    let http = prepared.hosts().next().is_some() && !past.hosts.is_empty();
    let after = if http {
        let mut policy = terms.policy.clone();
        policy.named_hosts.extend(past.hosts.iter().cloned());
        judge(prepared, &policy, &Grants::default(), enforceable, read)
    } else {
        judge(prepared, &terms.policy, &Grants::default(), enforceable, read)
    };
    // What reads by its text is looked up in the catalog before it runs; that wasn't done for what asked.
    let catalog = matches!(&prepared.operation.kind, OperationKind::Sql(_)) && prepared.facts.catalog.is_none();
    let uncertain = unseen || catalog && after.verdict == Verdict::Allow && before.0 != Verdict::Allow;
    let refused = decided
        .is_some_and(|decided| !decided.allowed && decided.left.is_none() && decided.decider != Decider::Interrupt);
    let ran = decided.is_some_and(|decided| decided.allowed);
    let rule = prepared.assessment.leading().map(|finding| finding.rule.clone());
    Ok(Change { before, after, rule, refused, ran, uncertain })
}

/// Whether everything was looked at then that today's rules look at.
fn looked_at(mentions: &Mentions, facts: &Facts) -> bool {
    facts.trouble.is_some()
        || mentions.paths.iter().chain(&mentions.contents).all(|path| facts.paths.contains_key(path))
            && mentions.programs.iter().all(|name| facts.programs.contains_key(name))
            && mentions.repositories.iter().all(|folder| facts.repositories.contains_key(folder))
            && mentions.folders.iter().all(|folder| facts.folders.contains_key(folder))
            && mentions.modules.iter().all(|folder| facts.modules.contains_key(folder))
            && mentions.settings.iter().all(|file| facts.settings.contains_key(file))
}

impl Past {
    fn learn(&mut self, recorded: &Recorded) {
        let Ok(prepared) = &recorded.prepared else { return };
        if let (Some((_, began)), Some((outcome, took))) = (&recorded.started, &recorded.finished)
            && prepared.reads_private(recorded.decided.as_ref().map(|decided| &decided.decider))
            && *outcome != Outcome::Lost
        {
            let ended = began.saturating_add_unsigned(*took);
            self.read_ms = Some(self.read_ms.map_or(ended, |read| read.min(ended)));
        }
        let approved = recorded.decided.as_ref().is_some_and(|decided| decided.allowed && told::asked(recorded));
        if approved {
            self.hosts.extend(prepared.hosts().cloned());
        }
    }
}

impl Change {
    fn freed(&self) -> bool {
        self.refused && self.after.verdict == Verdict::Allow
    }

    /// Whether it is decided otherwise than before. A denial by the person was an answer to a question.
    fn differs(&self) -> bool {
        self.before.0 != self.after.verdict
    }
}

impl Tally {
    fn add(&mut self, recorded: Recorded, change: Change) {
        self.judged += 1;
        if !change.differs() {
            self.same += 1;
            return;
        }
        let (before, after) = (change.before.0, change.after.verdict);
        self.fewer += u64::from(before == Verdict::Ask && after != Verdict::Ask);
        self.more += u64::from(before != Verdict::Ask && after == Verdict::Ask);
        self.freed += u64::from(change.freed());
        self.stopped += u64::from(change.ran && after == Verdict::Deny);
        self.uncertain += u64::from(change.uncertain);
        self.changed.push((recorded, change));
    }

    /// What would change, in one sentence.
    pub(super) fn sentence(&self) -> String {
        let more = if self.more > 0 { format!(" and {} more", thousands(self.more)) } else { String::new() };
        let stopped =
            if self.stopped > 0 { format!(", {} that ran now denied", thousands(self.stopped)) } else { String::new() };
        format!(
            "{} fewer{more}, {} formerly denied now allowed{stopped}",
            count(self.fewer, "question"),
            thousands(self.freed)
        )
    }

    fn text(&self, terms: &Terms, teller: &Teller) -> String {
        let mut out = String::new();
        for (recorded, change) in &self.changed {
            let _infallible = writeln!(
                out,
                "{:<12} {} → {}{}  {}",
                told::name(recorded),
                shown(change.before.0, change.before.1),
                shown(change.after.verdict, Some(change.after.step)),
                match (change.freed(), change.uncertain) {
                    (true, _) => " (was denied)",
                    (false, true) => " (uncertain)",
                    (false, false) => "",
                },
                teller.gist(recorded)
            );
            let rule = change.rule.as_deref().map_or_else(String::new, |rule| format!("{rule}: "));
            let _infallible = writeln!(out, "    {rule}{}", teller.said(recorded, &change.after.reason));
        }
        let mut say = |text: &str| {
            let _infallible = writeln!(out, "{text}");
        };
        say(&format!("{}.", self.sentence()));
        say(&format!(
            "{} judged again in mode {}, {} as before. Nothing was run or looked at.",
            count(self.judged, "operation"),
            terms.policy.in_force().word(),
            thousands(self.same)
        ));
        if self.uncertain > 0 {
            say(&format!(
                "{} uncertain: today's rules would look at something that wasn't looked at then.",
                thousands(self.uncertain)
            ));
        }
        if self.of_turns > 0 {
            say(&format!(
                "{} left out: your word on the rest of a turn decided, and that isn't replayed.",
                thousands(self.of_turns)
            ));
        }
        if self.repeated > 0 {
            say(&format!(
                "{} left out: you had denied exactly the same before in its turn, and that isn't replayed.",
                thousands(self.repeated)
            ));
        }
        if self.untold > 0 {
            say(&format!("{} left out: deleted, or written by another version.", thousands(self.untold)));
        }
        out
    }

    fn json(&self, terms: &Terms, teller: &Teller) -> Value {
        let changed: Vec<Value> = self
            .changed
            .iter()
            .map(|(recorded, change)| {
                let tool = recorded.prepared.as_ref().map_or("", |prepared| prepared.operation.tool.as_str());
                json!({
                    "entry": recorded.number,
                    "session": recorded.session,
                    "operation": recorded.id.0,
                    "tool": tool,
                    "gist": teller.gist(recorded),
                    "before": {"verdict": change.before.0, "step": change.before.1},
                    "after": {"verdict": change.after.verdict, "step": change.after.step, "rule": change.rule,
                        "reason": teller.masked(recorded, &change.after.reason)},
                    "was_denied": change.refused,
                    "uncertain": change.uncertain,
                })
            })
            .collect();
        json!({
            "schema": SCHEMA,
            "mode": terms.policy.in_force(),
            "judged": self.judged,
            "same": self.same,
            "questions_fewer": self.fewer,
            "questions_more": self.more,
            "denied_now_allowed": self.freed,
            "ran_now_denied": self.stopped,
            "uncertain": self.uncertain,
            "left_out": {"of_turns": self.of_turns, "repeated": self.repeated, "untold": self.untold},
            "changed": changed,
        })
    }
}

fn shown(verdict: Verdict, step: Option<Step>) -> String {
    let verdict = told::word(&verdict);
    step.map_or_else(|| verdict.clone(), |step| format!("{verdict} ({}, {})", step.number(), told::word(&step)))
}
