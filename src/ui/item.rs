//! How an operation looks in a row: its badge, its mark, what became of it. The same in the conversation and in
//! the list of operations.

use std::path::Path;

use ratatui::text::Span;

use super::number;
use super::paint::View;
use super::text;
use super::theme::Role;
use crate::app::{Item, Lack, Masks, Status, Undo};
use crate::domain::{Containment, Decider, OperationKind, Outcome, Prepared, RiskLevel, below_home};

/// Frames of what moves, four a second.
const FRAMES: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠹"];
/// Longest reason of a failure, in bytes, that a row says.
const BRIEF: usize = 20;
/// Longest gist that is looked at, in bytes, before it is shortened to its row.
const GIST: usize = 1_000;

/// What became of an operation: a mark, a word or figure, and the time it took.
pub struct Fate {
    /// One sign.
    pub mark: &'static str,
    /// In which look.
    pub role: Role,
    /// A word or a figure.
    pub says: String,
    /// The same where there is little room.
    pub brief: String,
    /// Time taken so far, if it runs or ran.
    pub time: String,
}

/// What a search found, in its own words: `3 matches`. Its lines are no count of anything, as they name files too.
pub fn found(item: &Item) -> Option<String> {
    let searches = matches!(item.prepared.as_ref()?.operation.kind, OperationKind::Search(_) | OperationKind::Find(_));
    match &item.status {
        Status::Ended { outcome: Outcome::Succeeded { summary }, .. } if searches => Some(text::line(summary)),
        _ => None,
    }
}

/// The sign that moves while something is under way.
pub fn spinner(view: View<'_>) -> &'static str {
    let frame = usize::try_from(view.state.now.0 / 250).unwrap_or(0);
    FRAMES[frame % FRAMES.len()]
}

/// What became of an operation.
pub fn fate(view: View<'_>, item: &Item) -> Fate {
    let quiet = |mark, role, says: &str| Fate {
        mark,
        role,
        says: says.to_owned(),
        brief: says.to_owned(),
        time: String::new(),
    };
    let behind = || view.state.queue.waits_for(item.id);
    match &item.status {
        Status::Preparing => quiet("·", Role::Dim, "reading"),
        Status::Waiting => {
            let role = item.judgement.as_ref().map_or(Role::Medium, |judgement| risk_role(judgement.risk));
            // What a server asks is a question, not something that would be done.
            let mark = if item.answers().is_some() { "?" } else { "●" };
            quiet(mark, role, &format!("waiting {}", item.id))
        }
        Status::Allowed { starting: true } => quiet("·", Role::Dim, "starting"),
        Status::Allowed { starting: false } => {
            let says = behind().map_or_else(|| "starting".to_owned(), |id| format!("starts after {id}"));
            quiet("·", Role::Dim, &says)
        }
        Status::Running { since, .. } => {
            let says = if staged(item) { "running, staged" } else { "running" };
            let time = number::duration(view.state.now.since(*since));
            Fate { time, ..quiet(spinner(view), Role::Accent, says) }
        }
        Status::Ended { outcome, took } => {
            let (mark, role, says) = match &item.undo {
                Undo::Done { by, .. } => ("↶", Role::Dim, format!("undone by {by}")),
                Undo::Possible(_) | Undo::Impossible => ended(outcome),
            };
            let brief = match outcome {
                _ if matches!(item.undo, Undo::Done { .. }) => says.clone(),
                Outcome::Lost => "interrupted".to_owned(),
                Outcome::TimedOut { .. } => "timed out".to_owned(),
                Outcome::Succeeded { .. } | Outcome::Failed { .. } | Outcome::Cancelled => says.clone(),
            };
            let says = if staged(item) { format!("{says}, staged") } else { says };
            // What ran is not what the model asked for.
            let edit = item.origin.edited().map(|edit| format!(", {} by you", edit.done()));
            let says = says + edit.as_deref().unwrap_or_default();
            // Nobody knows how long it ran.
            let time = if *outcome == Outcome::Lost { String::new() } else { number::duration(*took) };
            Fate { mark, role, says, brief, time }
        }
        Status::Denied { .. } => {
            let says = denied(&view.state.masks, item);
            let brief = if matches!(item.decider, Some(Decider::Person | Decider::PersonAll)) {
                "denied by you".to_owned()
            } else {
                says.clone()
            };
            Fate { brief, ..quiet("✗", Role::Dim, &says) }
        }
        Status::Refused { .. } => quiet("!", Role::Trouble, "refused"),
    }
}

/// What became of one that was not run, in the words that stand everywhere: `denied by you: not now`.
pub fn denied(masks: &Masks, item: &Item) -> String {
    match (&item.decider, item.again) {
        // Nobody denied it: what it belonged to was stopped.
        (Some(Decider::Interrupt), _) => "not started".to_owned(),
        (_, 1) => "denied again".to_owned(),
        (_, 2..) => format!("denied again ×{}", item.again),
        (Some(Decider::PersonAll), 0) => "denied by you, with others".to_owned(),
        (Some(Decider::Person), 0) => match item.denied_why() {
            Some(why) => format!("denied by you: {}", text::line(&masks.hide(why))),
            None => "denied by you".to_owned(),
        },
        (Some(Decider::Rule), 0) => "denied by a rule".to_owned(),
        (
            Some(Decider::TurnApproval | Decider::Claim | Decider::Whitelist | Decider::AllowAll | Decider::Policy)
            | None,
            0,
        ) => "denied".to_owned(),
    }
}

/// Why it failed, on lines: `failed: exit 3`.
pub fn failed(reason: &str) -> String {
    format!("failed: {}", text::plain(reason[..reason.floor_char_boundary(4_000)].trim_end()))
}

/// The same where it is so short that a row says all of it.
fn failed_briefly(reason: &str) -> Option<String> {
    (reason.len() <= BRIEF && !reason.contains('\n')).then(|| failed(reason))
}

/// Whether what it changes of its workspace lands in a layer.
fn staged(item: &Item) -> bool {
    item.judgement.as_ref().is_some_and(|judgement| judgement.containment == Containment::Staged)
}

fn ended(outcome: &Outcome) -> (&'static str, Role, String) {
    match outcome {
        Outcome::Succeeded { summary } => ("✓", Role::Good, text::line(summary)),
        Outcome::Failed { reason } => {
            ("!", Role::Trouble, failed_briefly(reason).unwrap_or_else(|| "failed".to_owned()))
        }
        Outcome::Cancelled => ("✗", Role::Dim, "stopped".to_owned()),
        Outcome::TimedOut { seconds } => {
            ("!", Role::Trouble, format!("timed out after {}", number::duration(seconds.saturating_mul(1_000))))
        }
        Outcome::Lost => ("!", Role::Trouble, "interrupted, outcome unknown".to_owned()),
    }
}

/// What went wrong, where a sentence says more than the row does.
pub fn trouble(item: &Item) -> Option<&str> {
    match &item.status {
        Status::Refused { reason } => Some(reason),
        Status::Ended { outcome: Outcome::Failed { reason }, .. } if failed_briefly(reason).is_none() => Some(reason),
        Status::Denied { reason } if !by_person(item) => Some(reason),
        Status::Preparing
        | Status::Waiting
        | Status::Allowed { .. }
        | Status::Running { .. }
        | Status::Denied { .. }
        | Status::Ended { .. } => None,
    }
}

fn by_person(item: &Item) -> bool {
    matches!(item.decider, Some(Decider::Person | Decider::PersonAll | Decider::Interrupt))
}

/// The role of a risk.
pub fn risk_role(level: RiskLevel) -> Role {
    match level {
        RiskLevel::Low => Role::Low,
        RiskLevel::Medium => Role::Medium,
        RiskLevel::High => Role::High,
    }
}

/// A risk as letter and word, six columns.
pub fn badge(level: RiskLevel) -> &'static str {
    match level {
        RiskLevel::Low => "L low ",
        RiskLevel::Medium => "M MED ",
        RiskLevel::High => "H HIGH",
    }
}

/// The badge of an operation; dots while it is not judged.
pub fn badge_span(view: View<'_>, item: &Item) -> Span<'static> {
    match &item.judgement {
        Some(judgement) if item.status.closed() => view.span(badge(judgement.risk), Role::Dim),
        Some(judgement) => view.span(badge(judgement.risk), risk_role(judgement.risk)),
        None => view.span("·     ", Role::Dim),
    }
}

/// What an operation would do, on one line, neutral, and without what is known to be secret by now.
pub fn gist(masks: &Masks, item: &Item) -> String {
    let gist = item.gist();
    // What is cut off here doesn't reach into what is shown.
    let seen = masks.hide(&gist[..gist.floor_char_boundary(4 * GIST)]);
    let mut brief = text::line(&seen[..seen.floor_char_boundary(GIST)]);
    if gist.len() > GIST {
        brief.push('…');
    }
    brief
}

/// What is missing because of a denial.
pub fn lacks(lack: &Lack) -> String {
    format!("depends on {}, which was denied: that was to {} {}", lack.by, lack.what, text::line(&lack.name))
}

/// Whether it hits production, as far as is known.
pub fn hits_production(item: &Item) -> bool {
    item.prepared.as_ref().is_some_and(|prepared| prepared.assessment.hits_production())
}

/// The badge of what hits production: a word, as a colour alone says nothing to many.
pub fn production_span(view: View<'_>, item: &Item) -> Option<Span<'static>> {
    let role = if item.status.closed() { Role::Dim } else { Role::High };
    hits_production(item).then(|| view.span("PROD", role))
}

/// The same in a column of its own, empty for the others.
pub fn production_column(view: View<'_>, item: &Item) -> Span<'static> {
    production_span(view, item).unwrap_or_else(|| Span::raw("    "))
}

/// What it acts on, as a person would name it: one place, or the folder where a command runs.
pub fn target(prepared: &Prepared) -> String {
    match &prepared.operation.kind {
        OperationKind::Sql(_)
        | OperationKind::Http(_)
        | OperationKind::Mcp(_)
        | OperationKind::Answer(_)
        | OperationKind::Other(_) => match prepared.facts.targets.first() {
            Some(target) => text::line(&target.to_string()),
            None => text::line(&prepared.assessment.target),
        },
        OperationKind::File(file) => {
            let real = prepared.facts.paths.get(file.path()).map(|fact| fact.real.as_path());
            let within =
                |path: &Path| path.strip_prefix(&prepared.facts.place.workspace).unwrap_or(path).display().to_string();
            text::line(&real.map_or_else(|| file.path().to_owned(), within))
        }
        OperationKind::Apply(apply) => within(prepared, &apply.workspace),
        OperationKind::Command(_) | OperationKind::Search(_) | OperationKind::Find(_) | OperationKind::Undo(_) => {
            within(prepared, &prepared.operation.cwd)
        }
    }
}

/// `in ~/shop`
fn within(prepared: &Prepared, folder: &Path) -> String {
    text::line(&format!("in {}", below_home(folder, prepared.facts.place.home.as_deref())))
}

/// The same for a row: in a few words, and without the folder that most work in.
pub fn brief_target(prepared: &Prepared) -> String {
    let told: Vec<String> = prepared.facts.targets.iter().map(|target| text::line(&target.brief())).collect();
    let home = prepared.operation.cwd == prepared.facts.place.workspace;
    match &prepared.operation.kind {
        _ if !told.is_empty() => told.join(", "),
        OperationKind::File(_) | OperationKind::Apply(_) => String::new(),
        OperationKind::Command(_) | OperationKind::Search(_) | OperationKind::Find(_) | OperationKind::Undo(_)
            if home =>
        {
            String::new()
        }
        OperationKind::Sql(_)
        | OperationKind::Answer(_)
        | OperationKind::Http(_)
        | OperationKind::Mcp(_)
        | OperationKind::Other(_)
        | OperationKind::Command(_)
        | OperationKind::Search(_)
        | OperationKind::Find(_)
        | OperationKind::Undo(_) => target(prepared),
    }
}
