//! Why an operation asks, in sentences, and the derivation behind it for whoever wants to check.

use ratatui::text::Line;

use super::item;
use super::paint::View;
use super::text::{self, Break};
use super::theme::Role;
use crate::app::Item;
use crate::domain::{
    ApprovalMode, Claim, Class, Containment, Danger, Enforceable, Finding, Judgement, OperationKind, Origin, Prepared,
    RiskLevel, Span, Step, Verdict, Wall, masked_part,
};

/// Columns of the words at the left.
const LABEL: usize = 11;
/// What is said of what the person typed themself.
const OWN: &str = "You typed it. It asks as the model's would, so that you see what it would do before it does.";
/// Most characters of the text that one rule is about.
const MOST: usize = 2_000;

/// The sentences: what changed, the reason, what else was found, what the claim counts for.
pub fn why(
    view: View<'_>,
    item: &Item,
    prepared: &Prepared,
    judgement: &Judgement,
    columns: usize,
) -> Vec<Line<'static>> {
    let quoted = |said: &str| text::line(&prepared.hidden(said));
    let mut lines = targets(view, prepared, columns);
    let mut sentences = Vec::new();
    if let Some(why) = &item.requeued {
        sentences.push((format!("It came back: {}", text::line(why)), Role::Trouble));
    }
    sentences
        .extend(view.state.queue.lacks(item.id).map(|lack| (format!("It {}.", item::lacks(&lack)), Role::Trouble)));
    sentences.push((quoted(&judgement.reason), Role::Text));
    for finding in prepared.assessment.objections() {
        let sentence = quoted(&finding.sentence);
        if sentences.iter().all(|(said, _)| !said.contains(&sentence)) {
            sentences.push((sentence, Role::Text));
        }
    }
    let gate = view.state.queue.gate();
    let said = claim(&prepared.operation.claim, judgement, gate.policy().in_force());
    let why = unlifted(prepared, judgement, gate.enforceable()).unwrap_or_default();
    sentences.extend(said.map(|said| (format!("{said}{}.", quoted(&why)), Role::Dim)));
    if matches!(item.origin, Origin::Person) && !view.state.is_linear() {
        sentences.push((OWN.to_owned(), Role::Dim));
    }
    lines.extend(labelled(view, "why", sentences, columns));
    lines
}

/// What it would hit, where its first line doesn't say it, and why that is production.
fn targets(view: View<'_>, prepared: &Prepared, columns: usize) -> Vec<Line<'static>> {
    let production = &prepared.assessment.production;
    let quoted = |said: &str| text::line(&prepared.hidden(said));
    let mut said = Vec::new();
    if !production.is_empty() {
        said.push((quoted(&format!("PRODUCTION: {}.", production.join(", "))), Role::High));
    }
    if let OperationKind::Command(_) = &prepared.operation.kind {
        said.extend(prepared.facts.targets.iter().map(|target| (quoted(&target.to_string()), Role::Text)));
    }
    labelled(view, "target", said, columns)
}

/// Why a claim of low doesn't let it run staged, as the end of a sentence.
fn unlifted(prepared: &Prepared, judgement: &Judgement, enforceable: Enforceable) -> Option<String> {
    let Prepared { operation, assessment, facts } = prepared;
    let low = operation.claim == Claim::Level(RiskLevel::Low);
    if !low || judgement.step != Step::Default || assessment.class() != Class::Unknown {
        return None;
    }
    Some(match (&operation.kind, &assessment.outlasts) {
        (OperationKind::Command(command), _) if command.terminal => return None,
        (OperationKind::Command(_), Some(why)) => format!(", as {why}"),
        (OperationKind::Command(_), None) if !assessment.claim_eligible => {
            ", as it may outlast the run, or send something".to_owned()
        }
        (kind, _) if enforceable.covers(kind, Containment::Staged) && facts.place.stageable() => return None,
        (OperationKind::Command(_), None) => ", as nothing can run staged here".to_owned(),
        _ => ", as that counts for commands alone".to_owned(),
    })
}

/// What the model's claim counts for, unless the reason says it already.
fn claim(claim: &Claim, judgement: &Judgement, mode: ApprovalMode) -> Option<String> {
    if judgement.step == Step::ClaimedRisk {
        return None;
    }
    match claim {
        Claim::Absent => None,
        // Of what runs unasked there was nothing to lift.
        Claim::Level(RiskLevel::Low) if judgement.verdict == Verdict::Allow => None,
        Claim::Level(RiskLevel::Low) => Some(format!("The model claimed low: not enough in {} mode", mode.word())),
        Claim::Level(level) => Some(format!("The model claimed {level}")),
        Claim::Unreadable(word) => Some(format!("The model claimed `{}`, which counts as high", text::line(word))),
        Claim::Repeated => Some("The model made its claim twice, which counts as high".to_owned()),
    }
}

/// The derivation: step, class, rules with the text they are about, claim, mode, containment.
pub fn derivation(
    view: View<'_>,
    prepared: &Prepared,
    judgement: &Judgement,
    revealed: bool,
    columns: usize,
) -> Vec<Line<'static>> {
    let assessment = &prepared.assessment;
    let policy = view.state.queue.gate().policy();
    let mut lines = Vec::new();
    let mut add = |label: &str, said: String| {
        lines.extend(labelled(view, label, vec![(said, Role::Text)], columns));
    };
    add("step", format!("{} of 12: {}", judgement.step.number(), step(judgement.step)));
    add("class", class(assessment.class()).to_owned());
    add("risk", judgement.risk.word().to_owned());
    add("claim", said_claim(&prepared.operation.claim));
    add("mode", super::status::mode(policy));
    add("contained", contained(prepared, judgement));
    if !assessment.target.is_empty() {
        add("acts on", text::line(&assessment.target));
    }
    for (at, target) in prepared.facts.targets.iter().enumerate() {
        add(if at == 0 { "hits" } else { "" }, text::line(&target.to_string()));
    }
    if !assessment.production.is_empty() {
        add("production", text::line(&assessment.production.join(", ")));
    }
    if assessment.findings.is_empty() {
        add("rules", "none of them knows it".to_owned());
    }
    let body = prepared.operation.kind.text().body;
    let secrets: &[Span] = if revealed { &[] } else { &assessment.secrets };
    for (at, finding) in assessment.findings.iter().enumerate() {
        add(if at == 0 { "rules" } else { "" }, rule(finding));
        if let Some(piece) = about(finding, &body, secrets) {
            add("", piece);
        }
        add("", text::line(&if revealed { finding.sentence.clone() } else { prepared.hidden(&finding.sentence) }));
    }
    lines
}

/// What is enforced while it runs, wall by wall for a command.
fn contained(prepared: &Prepared, judgement: &Judgement) -> String {
    let word = judgement.containment.word();
    match (judgement.containment, judgement.enforced, &prepared.operation.kind) {
        (Containment::None, ..) => word.to_owned(),
        (_, false, _) => format!("{word}, which is not enforced here"),
        (_, true, OperationKind::Command(_)) => {
            let promise =
                |wall: &Wall| if judgement.containment == Containment::Staged { wall.staged() } else { wall.promise() };
            let promises: Vec<&str> = Wall::ALL.iter().map(promise).collect();
            format!("{word}, enforced: {}", promises.join("; "))
        }
        (_, true, _) => format!("{word}, enforced"),
    }
}

fn rule(finding: &Finding) -> String {
    let level = item::badge(finding.level).trim_end();
    format!("{} ({level}, {})", text::line(&finding.rule), class(finding.class))
}

/// The text that a finding is about, all of it.
fn about(finding: &Finding, body: &str, secrets: &[Span]) -> Option<String> {
    let span = finding.span.clone()?;
    body.get(span.clone())?;
    if span == (0..body.len()) {
        return Some("about all of it".to_owned());
    }
    let piece = text::line(&masked_part(body, secrets, span.clone()));
    Some(format!("about {}–{} {}", span.start, span.end, quoted(&piece)))
}

/// The text that a rule is about, whole unless it is very long: many rules may be about all of a long text.
fn quoted(piece: &str) -> String {
    match piece.char_indices().nth(MOST) {
        None => format!("`{piece}`"),
        Some((end, _)) => {
            let more = piece[end..].chars().count();
            format!("`{}…` and {more} more characters, which stand in the operation", &piece[..end])
        }
    }
}

fn said_claim(claim: &Claim) -> String {
    match claim {
        Claim::Absent => "none".to_owned(),
        Claim::Level(level) => level.word().to_owned(),
        Claim::Unreadable(word) => format!("`{}`, counts as high", text::line(word)),
        Claim::Repeated => "made twice, counts as high".to_owned(),
    }
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Whitelisted => "whitelisted",
        Class::Unknown => "unknown",
        Class::Declared(Danger::Destructive) => "declared destructive",
        Class::Declared(Danger::Sensitive) => "declared sensitive",
        Class::Declared(Danger::External) => "declared external",
        Class::Unreadable => "unreadable",
        Class::Catastrophe => "catastrophe",
    }
}

fn step(step: Step) -> &'static str {
    match step {
        Step::Catastrophe => "a catastrophe",
        Step::DenyRule => "a deny rule",
        Step::AllowAll => "mode allow-all",
        Step::Strict => "mode strict",
        Step::AskRule => "an ask rule",
        Step::Unreadable => "not fully understood",
        Step::AllowRule => "an allow rule",
        Step::TurnApproval => "your approval of this turn",
        Step::ClaimedRisk => "a claim of medium or high",
        Step::Danger => "declared danger",
        Step::Exposure => "private data was read, the host is not named",
        Step::Whitelisted => "whitelisted",
        Step::ClaimedLow => "a claim of low",
        Step::Default => "nothing says that it is harmless",
    }
}

/// Sentences beside a word that names them.
pub fn labelled(view: View<'_>, label: &str, sentences: Vec<(String, Role)>, columns: usize) -> Vec<Line<'static>> {
    let room = columns.saturating_sub(LABEL).max(8);
    let mut lines = Vec::new();
    for (sentence, role) in sentences {
        for row in text::wrap(&view.line(sentence, role), room, 0, Break::Late) {
            let label = if lines.is_empty() { label } else { "" };
            let mut line = view.line(text::column(label, LABEL), Role::Dim);
            line.spans.extend(row.spans);
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_rule_is_told_whole_or_by_how_much_it_is_cut() {
        let long = "git -C a/very/long/path/of/a/workspace branch -D feature";
        assert_eq!(quoted(long), format!("`{long}`"));
        let told = quoted(&"é".repeat(MOST + 7));
        assert!(told.ends_with("é…` and 7 more characters, which stand in the operation"), "{told}");
    }
}
