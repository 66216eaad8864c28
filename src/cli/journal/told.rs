//! Recorded operations in words: a row, a page, a JSON object. Secrets are masked by what was noted when they were
//! proposed and by today's eyes; everything is neutralised for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::arguments::DeciderWord;
use super::when;
use crate::assess::{AssessSettings, conceal_text, secrets_again};
use crate::domain::number::{duration, thousands};
use crate::domain::{Claim, Decider, Finding, Left, Origin, Outcome, Prepared, RiskLevel, Verdict};
use crate::store::{Decided, Recorded, Untold, short};
use crate::ui::text::{fit, line, plain, width};

/// Version of the JSON objects. Further members may come; none goes or changes its meaning without a higher one.
pub(super) const SCHEMA: u8 = 1;

/// Columns from which on a row takes in what the operation does.
const WIDE: usize = 110;

/// Longest text of an operation in a row, in characters.
const GIST: usize = 500;

/// How operations are told.
pub(super) struct Teller {
    /// What today's eyes know of secrets; none where those are shown as they are.
    pub(super) eyes: Option<AssessSettings>,
    /// Columns of the terminal; none for a pipe or a file, where only what is very long is cut.
    pub(super) columns: Option<usize>,
}

/// The name of an operation in lists, which commands take too: `89abcdef#3`.
pub(super) fn name(recorded: &Recorded) -> String {
    format!("{}{}", short(&recorded.session, recorded.agent.as_deref()), recorded.id)
}

/// A serialised word, such as `turn-approval`.
pub(super) fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The word for who decided: for the person the same, one by one or several at once.
pub(super) fn decider(decider: &Decider) -> DeciderWord {
    match decider {
        Decider::Person | Decider::PersonAll => DeciderWord::Person,
        Decider::TurnApproval => DeciderWord::TurnApproval,
        Decider::Rule => DeciderWord::Rule,
        Decider::Claim => DeciderWord::Claim,
        Decider::Whitelist => DeciderWord::Whitelist,
        Decider::AllowAll => DeciderWord::AllowAll,
        Decider::Policy => DeciderWord::Policy,
        Decider::Interrupt => DeciderWord::Interrupt,
    }
}

/// How bad it could be: as it was decided, else by its findings.
pub(super) fn risk(recorded: &Recorded) -> Option<RiskLevel> {
    let found = || recorded.prepared.as_ref().ok().map(|prepared| prepared.assessment.level());
    recorded.decided.as_ref().map(|decided| decided.judgement.risk).or_else(found)
}

impl Teller {
    /// The operation with every secret noted that is masked.
    fn seen(&self, prepared: &Prepared) -> Prepared {
        let mut prepared = prepared.clone();
        prepared.assessment.secrets = self.eyes.as_ref().map_or_else(Vec::new, |eyes| secrets_again(&prepared, eyes));
        prepared
    }

    /// One line that says what it does.
    pub(super) fn gist(&self, recorded: &Recorded) -> String {
        match &recorded.prepared {
            Ok(prepared) => line(&self.seen(prepared).gist()),
            Err(Untold::Deleted) => "(deleted with its session)".to_owned(),
            Err(Untold::Unreadable(why)) => format!("(written by another version of the program: {})", line(why)),
        }
    }

    /// A sentence about it, for a terminal.
    pub(super) fn said(&self, recorded: &Recorded, sentence: &str) -> String {
        line(&self.masked(recorded, sentence))
    }

    /// A sentence about it with its secrets masked, not neutralised: JSON spells what can't be seen by itself.
    pub(super) fn masked(&self, recorded: &Recorded, sentence: &str) -> String {
        match &recorded.prepared {
            Ok(prepared) => self.concealed(&self.seen(prepared).hidden(sentence)),
            Err(_) => self.concealed(sentence),
        }
    }

    /// A text of no operation with its secrets masked.
    pub(super) fn concealed(&self, text: &str) -> String {
        self.eyes.as_ref().map_or_else(|| text.to_owned(), |eyes| conceal_text(text, &eyes.known))
    }

    /// One operation in one row, or in two where the terminal is narrow.
    pub(super) fn row(&self, recorded: &Recorded) -> String {
        let tool = recorded.prepared.as_ref().map_or("", |prepared| prepared.operation.kind.word());
        let risk = risk(recorded).map_or("", RiskLevel::word);
        let (decided, outcome) = (decided(recorded), self.outcome(recorded));
        let head = format!("{}  {:<12} {tool:<7} {risk:<6} ", &when::shown(recorded.at_ms)[..16], name(recorded));
        let gist = self.gist(recorded);
        match self.columns {
            Some(columns) if columns < WIDE => {
                let dot = if outcome.is_empty() { "" } else { " · " };
                let first = fit(&format!("{head}{decided}{dot}{outcome}"), columns).into_owned();
                format!("{}\n    {}", first.trim_end(), fit(&gist, columns.saturating_sub(4)))
            }
            Some(columns) => {
                let head = format!("{head}{decided:<26} {} ", pad(&fit(&outcome, 22), 22));
                let rest = columns.saturating_sub(width(&head));
                format!("{head}{}", fit(&gist, rest)).trim_end().to_owned()
            }
            None => format!("{head}{decided:<26} {} {}", pad(&outcome, 22), shortened(&gist)),
        }
    }

    /// How it ended, in a few words.
    pub(super) fn outcome(&self, recorded: &Recorded) -> String {
        let Some((outcome, took)) = &recorded.finished else {
            return match recorded.started {
                Some(_) => "runs, or broke off".to_owned(),
                None => String::new(),
            };
        };
        let how = match outcome {
            Outcome::Succeeded { summary } if summary.is_empty() => "done".to_owned(),
            Outcome::Succeeded { summary } => self.said(recorded, summary),
            Outcome::Failed { .. } => "failed".to_owned(),
            Outcome::Cancelled => "stopped".to_owned(),
            Outcome::TimedOut { .. } => "timed out".to_owned(),
            Outcome::Lost => "interrupted, outcome unknown".to_owned(),
        };
        format!("{how}, {}", duration(*took))
    }

    /// One operation whole, with its derivation.
    pub(super) fn whole(&self, recorded: &Recorded) -> String {
        let mut out = String::new();
        let mut part = |head: &str, text: &str| {
            let _infallible = writeln!(out, "{head:<10} {text}");
        };
        part(&name(recorded), &format!("entry {} of the journal", recorded.number));
        part("proposed", &format!("{} in session {}", when::shown(recorded.at_ms), recorded.session));
        let Ok(prepared) = &recorded.prepared else {
            part("content", &self.gist(recorded));
            return out;
        };
        let prepared = self.seen(prepared);
        let operation = &prepared.operation;
        part("by", &format!("{}, which claims {}", origin(&operation.origin), claim(&operation.claim)));
        part("tool", &line(&operation.tool));
        part("in", &line(&operation.cwd.to_string_lossy()));
        let targets: Vec<String> = prepared.facts.targets.iter().map(|target| line(&target.to_string())).collect();
        if !targets.is_empty() {
            part("hits", &targets.join(", "));
        }
        for why in &prepared.assessment.production {
            part("production", &line(why));
        }
        part("decided", &decided(recorded));
        if let Some(decided) = &recorded.decided {
            let judgement = &decided.judgement;
            let step = format!("step {}, {}; risk {}", judgement.step.number(), word(&judgement.step), judgement.risk);
            part("by step", &step);
            if let Some(rule) = by_rule(decided) {
                part("by rule", &self.said(recorded, rule));
            }
            part("because", &self.said(recorded, &judgement.reason));
            if let Some(reason) = &decided.reason {
                let head = if by_person(decided) { "you said" } else { "note" };
                part(head, &self.said(recorded, reason));
            }
        }
        for finding in &prepared.assessment.findings {
            let class = class(finding);
            let sentence = line(&prepared.hidden(&finding.sentence));
            part("finding", &format!("{}: {class}, {}. {sentence}", finding.rule, finding.level));
        }
        if let Some(reason) = &recorded.dropped {
            part("dropped", &self.said(recorded, reason));
        }
        if let Some((containment, at_ms)) = &recorded.started {
            part("started", &format!("{}, contained: {}", when::shown(*at_ms), containment.word()));
        }
        if let Some((outcome, _)) = &recorded.finished {
            part("ended", &self.outcome(recorded));
            if let Outcome::Failed { reason } = outcome {
                part("", &self.said(recorded, reason));
            }
        }
        let _infallible = write!(out, "\n{}\n", plain(&prepared.shown()));
        out
    }

    /// One operation as JSON; with text and findings if `whole`.
    pub(super) fn json(&self, recorded: &Recorded, whole: bool) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| {
            object.insert(key.to_owned(), value);
        };
        put("schema", SCHEMA.into());
        put("entry", recorded.number.into());
        put("session", recorded.session.as_str().into());
        put("operation", recorded.id.0.into());
        put("at", when::stamp(recorded.at_ms).into());
        let decided = recorded.decided.as_ref();
        put("decision", decision(recorded).into());
        let by = decided.filter(|decided| decided.left.is_none());
        put("decider", by.map(|decided| word(&decided.decider)).into());
        put("waited_ms", decided.and_then(|decided| decided.waited).into());
        put("verdict", decided.map(|decided| word(&decided.judgement.verdict)).into());
        put("step", decided.map(|decided| word(&decided.judgement.step)).into());
        put("reason", decided.map(|decided| self.masked(recorded, &decided.judgement.reason)).into());
        let rule = decided.and_then(by_rule);
        put("by_rule", rule.map(|rule| self.masked(recorded, rule)).into());
        for (key, of_person) in [("said", true), ("note", false)] {
            let reason = decided.filter(|decided| by_person(decided) == of_person);
            let reason = reason.and_then(|decided| decided.reason.as_ref());
            put(key, reason.map(|reason| self.masked(recorded, reason)).into());
        }
        put("risk", risk(recorded).map(RiskLevel::word).into());
        put("containment", recorded.started.map(|(containment, _)| containment.word()).into());
        put("enforced", decided.map(|decided| decided.judgement.enforced).into());
        let outcome = recorded.finished.as_ref().map(|(outcome, _)| outcome);
        put("outcome", outcome.map(outcome_word).into());
        let summary = outcome.and_then(|outcome| match outcome {
            Outcome::Succeeded { summary } => Some(summary),
            Outcome::Failed { reason } => Some(reason),
            Outcome::Cancelled | Outcome::TimedOut { .. } | Outcome::Lost => None,
        });
        put("summary", summary.map(|summary| self.masked(recorded, summary)).into());
        put("took_ms", recorded.finished.as_ref().map(|(_, took)| *took).into());
        let prepared = match &recorded.prepared {
            Ok(prepared) => self.seen(prepared),
            Err(untold) => {
                put("untold", if *untold == Untold::Deleted { "deleted" } else { "unreadable" }.into());
                return object.into();
            }
        };
        let (operation, assessment) = (&prepared.operation, &prepared.assessment);
        put("tool", operation.tool.as_str().into());
        put("kind", operation.kind.word().into());
        put("by", origin_word(&operation.origin).into());
        put("claim", operation.claim.level().map(RiskLevel::word).into());
        put("rule", assessment.leading().map(|finding| finding.rule.as_str()).into());
        put("production", assessment.hits_production().into());
        put("gist", prepared.gist().into());
        if whole {
            put("cwd", operation.cwd.to_string_lossy().into());
            put("text", prepared.shown().into());
            let finding = |finding: &Finding| {
                let sentence = prepared.hidden(&finding.sentence);
                json!({"rule": finding.rule, "class": class(finding), "level": finding.level, "sentence": sentence})
            };
            put("findings", assessment.findings.iter().map(finding).collect::<Vec<_>>().into());
            put("targets", prepared.facts.targets.iter().map(ToString::to_string).collect::<Vec<_>>().into());
        }
        object.into()
    }
}

/// What an operation does, for a row that no terminal cuts. Shown alone, the operation is whole.
fn shortened(gist: &str) -> Cow<'_, str> {
    match gist.char_indices().nth(GIST) {
        None => Cow::Borrowed(gist),
        Some((at, _)) => {
            let more = thousands(gist[at..].chars().count() as u64);
            Cow::Owned(format!("{} … ({more} more characters)", &gist[..at]))
        }
    }
}

fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The person's rule that decided. One that only covers what they approved by themselves, such as the one that they made
/// of it, decided nothing.
fn by_rule(decided: &Decided) -> Option<&String> {
    decided.judgement.by_rule.as_ref().filter(|_| decided.decider == Decider::Rule)
}

/// Whether the person decided, so that the reason is theirs.
fn by_person(decided: &Decided) -> bool {
    decider(&decided.decider) == DeciderWord::Person
}

/// What was decided, who did and after how long.
pub(super) fn decided(recorded: &Recorded) -> String {
    let Some(decided) = &recorded.decided else { return decision(recorded).unwrap_or_default().to_owned() };
    let agent = recorded.other_agent().unwrap_or("the agent");
    match decided.left {
        Some(Left::Question) => return format!("asked by {agent}"),
        Some(Left::Everything) => return format!("left to {agent}"),
        None => {}
    }
    // Nobody denied it: what it belonged to was stopped.
    if !decided.allowed && decided.decider == Decider::Interrupt {
        return "not started".to_owned();
    }
    let what = if decided.allowed { "allowed" } else { "denied" };
    let after = decided.waited.map_or_else(String::new, |waited| format!(", {}", duration(waited)));
    // A rule that has a name is told by it.
    let named = by_rule(decided).filter(|rule| !rule.contains(' '));
    let rule = named.map_or_else(String::new, |rule| format!(" {}", line(rule)));
    let by = match decided.decider {
        Decider::Person => "you".to_owned(),
        Decider::PersonAll => "you, with others".to_owned(),
        _ => word(&decided.decider),
    };
    format!("{what} by {by}{rule}{after}")
}

/// The word for what was decided; none where that was deleted.
pub(super) fn decision(recorded: &Recorded) -> Option<&'static str> {
    match &recorded.decided {
        Some(Decided { left: Some(Left::Question), .. }) => Some("asked"),
        Some(Decided { left: Some(Left::Everything), .. }) => Some("left"),
        Some(Decided { allowed: true, .. }) => Some("allowed"),
        Some(Decided { allowed: false, .. }) => Some("denied"),
        None if recorded.prepared == Err(Untold::Deleted) => None,
        None if recorded.dropped.is_some() => Some("dropped"),
        None => Some("pending"),
    }
}

/// Whether the person was asked.
pub(super) fn asked(recorded: &Recorded) -> bool {
    let Some(decided) = &recorded.decided else { return recorded.dropped.is_none() };
    if let Some(left) = decided.left {
        return left == Left::Question;
    }
    decided.waited.is_some()
        || decider(&decided.decider) == DeciderWord::Person && decided.judgement.verdict != Verdict::Deny
        || decided.judgement.verdict == Verdict::Ask
}

fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded { .. } => "succeeded",
        Outcome::Failed { .. } => "failed",
        Outcome::Cancelled => "stopped",
        Outcome::TimedOut { .. } => "timed-out",
        Outcome::Lost => "interrupted",
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Model { .. } => "the model".to_owned(),
        Origin::Person => "you".to_owned(),
        Origin::Program { after, .. } => format!("the program, after {after}"),
        Origin::Again { after, .. } => format!("you, who ran {after} again"),
        Origin::Beside { .. } => "you, about an operation of the model".to_owned(),
        Origin::Edited { of, what } => format!("{}, {} by you", self::origin(of), what.done()),
    }
}

fn origin_word(origin: &Origin) -> &'static str {
    match origin {
        Origin::Model { .. } => "model",
        Origin::Person | Origin::Again { .. } | Origin::Beside { .. } => "person",
        Origin::Program { .. } => "program",
        Origin::Edited { what, .. } if what.says_else() => "edited",
        Origin::Edited { of, .. } => origin_word(of),
    }
}

fn claim(claim: &Claim) -> String {
    claim.level().map_or_else(|| "nothing".to_owned(), |level| level.to_string())
}

/// A class in one word: `whitelisted`, `destructive`, …
fn class(finding: &Finding) -> String {
    match finding.class {
        crate::domain::Class::Declared(danger) => word(&danger),
        class => word(&class),
    }
}
