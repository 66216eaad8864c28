//! Judges answering a server: what the person types, or what the session's model says, goes to somebody else's program.

use super::{RiskAssessor, Subject, secret_kind};
use crate::domain::{AnswerOperation, Asks, Assessment, Class, Danger, Finding, OperationKind, Shape};

/// The assessor of `answer`.
#[derive(Clone, Copy, Debug)]
pub struct AnswerAssessor;

impl RiskAssessor for AnswerAssessor {
    fn assess(&self, subject: Subject<'_>) -> Assessment {
        let OperationKind::Answer(answer) = &subject.operation.kind else { return Assessment::default() };
        let mut findings = vec![given(answer)];
        if let Asks::Form { answers, .. } = &answer.asks {
            findings.extend(answers.iter().filter_map(|(name, value)| {
                let kind = secret_kind(value.as_str()?)?;
                let sentence = format!("The answer {name} carries a secret: {kind}.");
                Some(Finding::new("answer.secret", Class::Declared(Danger::Sensitive), sentence))
            }));
        }
        Assessment {
            findings,
            shapes: vec![Shape::new([("request", answer.request.to_string())])],
            target: answer.server.clone(),
            ..Assessment::default()
        }
    }
}

fn given(answer: &AnswerOperation) -> Finding {
    let server = &answer.server;
    let (rule, sentence) = match &answer.asks {
        Asks::Form { open, .. } if !open.is_empty() => {
            ("answer.form", format!("{server} asks you. Still open: {}.", open.join(", ")))
        }
        Asks::Form { .. } => ("answer.form", format!("Your answers go to the MCP server {server}.")),
        Asks::Sample { .. } => (
            "answer.sample",
            format!("Your model is asked this, without tools; its answer goes to the MCP server {server}."),
        ),
    };
    Finding::new(rule, Class::Declared(Danger::External), sentence)
}
