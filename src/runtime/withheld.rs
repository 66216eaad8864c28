//! Secrets in what a run printed that nobody was asked about: a history, what lies below a folder and what a script opens
//! may hold some that no name tells of. The model gets masks in their place.

use crate::assess::{Known, withheld};
use crate::domain::{Countersigned, Decider, OperationKind, RunReport};

/// Whether secrets in what a run prints are kept from the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withheld(bool);

impl Withheld {
    /// They are if nobody was asked and it looks at what isn't named one by one. Who was asked saw what is read.
    pub fn of(run: &Countersigned) -> Self {
        let unasked = matches!(run.decider(), Decider::Whitelist | Decider::Claim);
        let looks = match &run.operation().kind {
            OperationKind::Command(_) | OperationKind::Search(_) | OperationKind::Find(_) => true,
            OperationKind::Sql(_)
            | OperationKind::File(_)
            | OperationKind::Http(_)
            | OperationKind::Undo(_)
            | OperationKind::Apply(_)
            | OperationKind::Answer(_)
            | OperationKind::Mcp(_)
            // `read_output` masks by itself: a part says less than what is around it.
            | OperationKind::Other(_) => false,
        };
        Self(unasked && looks && run.operation().origin.by_model())
    }

    /// The report as the model gets it.
    pub fn from(self, report: RunReport, known: &Known) -> RunReport {
        let Some((shown, count)) = self.0.then(|| withheld(&report.result, known)).flatten() else { return report };
        let what = if count == 1 { "A secret is masked".to_owned() } else { format!("{count} secrets are masked") };
        RunReport { result: format!("{shown}\n[{what} here, as nobody was asked before this ran.]"), ..report }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::Outcome;

    #[test]
    fn the_model_gets_masks_where_nobody_was_asked() {
        let report = |result: &str| RunReport {
            outcome: Outcome::Succeeded { summary: String::new() },
            result: result.to_owned(),
            took: Duration::ZERO,
        };
        let known = Known::of(["a-value-of-ours".to_owned()]);
        let given = |asked: bool, result: &str| Withheld(!asked).from(report(result), &known).result;
        let shown = given(false, "+DB_PASSWORD=hunter2\nand a-value-of-ours, and `password: String`");
        assert!(!shown.contains("hunter2") && !shown.contains("a-value-of-ours"), "{shown}");
        assert!(
            shown.contains("`password: String`")
                && shown.ends_with("[2 secrets are masked here, as nobody was asked before this ran.]")
        );
        assert_eq!(given(true, "DB_PASSWORD=hunter2"), "DB_PASSWORD=hunter2");
        assert_eq!(given(false, "nothing"), "nothing");
    }
}
