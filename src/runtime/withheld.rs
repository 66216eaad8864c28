//! Secrets in what a run printed that nobody was asked about: a history, a log, what lies below a folder and what a script
//! opens may hold some that no name tells of. The model gets masks in their place, as the screen shows them.

use crate::assess::{AssessSettings, Committed, Known, printed_withheld};
use crate::domain::{Countersigned, Decider, Dialect, Facts, OperationKind, RunReport, SqlOperation};

/// Whether secrets in what a run prints are kept from the model: what tells them, if they are.
#[derive(Clone, Debug)]
pub struct Withheld(Option<Committed>);

impl Withheld {
    /// They are if nobody was asked and it reads files. Who was asked saw what is read; who typed it sees masks in what
    /// it printed, and the model gets no more than is seen.
    pub fn of(run: &Countersigned, settings: &AssessSettings) -> Self {
        let unasked = matches!(run.decider(), Decider::Whitelist | Decider::Claim);
        let looks = match &run.operation().kind {
            OperationKind::Command(_) | OperationKind::Search(_) | OperationKind::Find(_) | OperationKind::File(_) => true,
            OperationKind::Sql(operation) => shows_settings(operation),
            OperationKind::Http(_)
            | OperationKind::Undo(_)
            | OperationKind::Apply(_)
            | OperationKind::Answer(_)
            | OperationKind::Mcp(_)
            // `read_output` masks by itself: a part says less than what is around it.
            | OperationKind::Other(_) => false,
        };
        Self((unasked && looks).then(|| committed(&run.operation().kind, &run.prepared().facts, settings)))
    }

    /// The report as the model gets it.
    pub fn from(self, report: RunReport, known: &Known) -> RunReport {
        let withheld = self.0.and_then(|committed| printed_withheld(&report.result, known, committed));
        let Some((shown, count)) = withheld else { return report };
        let what = if count == 1 { "A secret is masked".to_owned() } else { format!("{count} secrets are masked") };
        RunReport { result: format!("{shown}\n[{what} here, as nobody was asked before this ran.]"), ..report }
    }
}

/// Whether SQL may list the settings of PostgreSQL: how a standby reaches its server is among them, and the password in it
/// is no data that somebody asks for.
fn shows_settings(operation: &SqlOperation) -> bool {
    let sql = operation.sql.to_ascii_lowercase();
    operation.dialect != Some(Dialect::Sqlite) && ["show", "settings"].iter().any(|word| sql.contains(word))
}

/// What tells the lines of sensitive files in what an operation prints.
fn committed(kind: &OperationKind, facts: &Facts, settings: &AssessSettings) -> Committed {
    let command = if let OperationKind::Command(command) = kind { command.command.as_str() } else { "" };
    Committed::of(Some(command), facts, settings)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::{CommandOperation, Outcome, SqlWay};

    #[test]
    fn the_model_gets_masks_where_nobody_was_asked() {
        let report = |result: &str| RunReport {
            outcome: Outcome::Succeeded { summary: String::new() },
            result: result.to_owned(),
            took: Duration::ZERO,
        };
        let known = Known::of(["a-value-of-ours".to_owned()]);
        let kind =
            OperationKind::Command(CommandOperation { command: "git show".to_owned(), timeout: None, terminal: false });
        let committed = || committed(&kind, &Facts::default(), &AssessSettings::default());
        let given = |asked: bool, result: &str| Withheld((!asked).then(committed)).from(report(result), &known).result;
        let shown = given(false, "+DB_PASSWORD=hunter2\nand a-value-of-ours, and `password: String`");
        assert!(!shown.contains("hunter2") && !shown.contains("a-value-of-ours"), "{shown}");
        assert!(
            shown.contains("`password: String`")
                && shown.ends_with("[2 secrets are masked here, as nobody was asked before this ran.]")
        );
        assert_eq!(given(true, "DB_PASSWORD=hunter2"), "DB_PASSWORD=hunter2");
        assert_eq!(given(false, "nothing"), "nothing");
        let diff = "diff --git a/.env b/.env\n+API_PLAIN=word\ndiff --git a/a b/a\n+A=word";
        let shown = given(false, diff);
        assert!(!shown.contains("API_PLAIN") && shown.contains("+A=word"), "{shown}");
        assert_eq!(given(true, diff), diff);
        let settings =
            "port | 5432\nprimary_conninfo | user=repl password=hunter2 host=10.0.0.1 port=5432 sslmode=prefer";
        let shown = given(false, settings);
        assert!(shown.contains("user=repl") && !shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn of_sql_only_what_may_list_settings_is_masked() {
        for (sql, masked) in [
            ("SHOW ALL", true),
            ("SELECT * FROM pg_settings", true),
            ("SELECT setting FROM pg_catalog.PG_SETTINGS WHERE name LIKE 'primary%'", true),
            ("SELECT * FROM pg_show_all_settings()", true),
            ("SELECT * FROM orders", false),
        ] {
            let operation = SqlOperation {
                connection: "db".to_owned(),
                dialect: Some(Dialect::Postgres),
                sql: sql.to_owned(),
                way: SqlWay::Plain,
            };
            assert_eq!(shows_settings(&operation), masked, "{sql}");
        }
    }
}
