//! Judges a search on the web, which another agent may have a tool for: it only looks, unless what is looked for carries
//! a secret.

use super::{RiskAssessor, Subject, secret_kind};
use crate::domain::{Assessment, Class, Danger, Finding, OperationKind};

/// Longest query that only looks, in bytes: a longer one may carry anything out.
const QUERY: usize = 500;

/// The assessor of searches on the web; the arguments are its `query`.
#[derive(Clone, Copy, Debug)]
pub struct WebSearchAssessor;

impl RiskAssessor for WebSearchAssessor {
    fn assess(&self, subject: Subject<'_>) -> Assessment {
        let OperationKind::Other(arguments) = &subject.operation.kind else { return Assessment::default() };
        let Some(query) = arguments["query"].as_str() else {
            return Assessment::unreadable("search.query", "What it looks for can't be read.");
        };
        if let Some(kind) = secret_kind(query) {
            let sentence = format!("What it looks for on the web holds a secret: {kind}.");
            return Assessment::of(Finding::new("search.secret", Class::Declared(Danger::Sensitive), sentence));
        }
        if query.len() > QUERY {
            let sentence = format!("What it looks for on the web is {} bytes long: that can carry much.", query.len());
            return Assessment::of(Finding::new("search.size", Class::Unknown, sentence));
        }
        Assessment::whitelisted("search.web", "It only looks for something on the web.")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::assess::{AssessSettings, assess};
    use crate::domain::{Claim, Facts, Operation, OperationId, Origin};

    fn class(assessor: &dyn RiskAssessor, arguments: Value) -> Class {
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: "x".to_owned(),
            claim: Claim::Absent,
            kind: OperationKind::Other(arguments),
            cwd: "/w".into(),
        };
        let (facts, settings) = (Facts::default(), AssessSettings::default());
        assess(assessor, Subject { operation: &operation, facts: &facts, settings: &settings }).class()
    }

    #[test]
    fn a_search_on_the_web_only_looks_unless_it_carries_something_out() {
        let looked_for = |query: &str| class(&WebSearchAssessor, json!({ "query": query }));
        assert_eq!(looked_for("rust serde borrow lifetime"), Class::Whitelisted);
        let key = format!("{}{}", "ghp_", "0123456789abcdefghijABCDEFGHIJ012345");
        assert_eq!(looked_for(&key), Class::Declared(Danger::Sensitive));
        assert_eq!(looked_for(&"word ".repeat(200)), Class::Unknown);
        assert_eq!(class(&WebSearchAssessor, json!({})), Class::Unreadable);
    }
}
