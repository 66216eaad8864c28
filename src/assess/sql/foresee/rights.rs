//! What `GRANT` and `REVOKE` say, in sentences, and the statement that does the opposite.

use sqlparser::ast::{CascadeOption, Grant, Grantee, Revoke, Statement};

use super::{Parsed, statement};
use crate::domain::Dialect;

/// What a statement does to rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    /// In few words.
    pub brief: &'static str,
    /// In full sentences.
    pub told: Vec<String>,
    /// How it is undone, in a sentence that begins small.
    pub back: String,
}

/// What a statement does to rights. None for any other, and for one that isn't fully understood.
#[must_use]
pub fn rights(dialect: Dialect, sql: &str) -> Option<Rights> {
    let Parsed { statement, .. } = statement(dialect, sql)?;
    match statement {
        Statement::Grant(grant) => Some(given(&grant)),
        Statement::Revoke(revoke) => Some(taken(&revoke)),
        _ => None,
    }
}

fn listed(grantees: &[Grantee]) -> String {
    grantees.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn given(grant: &Grant) -> Rights {
    let (to, what) = (listed(&grant.grantees), &grant.privileges);
    let (mut told, on) = match &grant.objects {
        Some(objects) => (vec![format!("Gives {what} on {objects} to {to}.")], format!(" ON {objects}")),
        None => (vec![format!("Gives {to} the rights of {what}.")], String::new()),
    };
    if grant.with_grant_option {
        told.push("Whoever gets it may give it to others.".to_owned());
    }
    if to.to_uppercase().split(", ").any(|one| one == "PUBLIC") {
        told.push("PUBLIC is everybody who can connect.".to_owned());
    }
    let back = format!("`REVOKE {what}{on} FROM {to}` takes it away again, and what of it was given before, too.");
    Rights { brief: "gives rights", told, back }
}

fn taken(revoke: &Revoke) -> Rights {
    let (from, what) = (listed(&revoke.grantees), &revoke.privileges);
    let only = if revoke.grant_option_for { "the right to give others " } else { "" };
    let (mut told, on) = match &revoke.objects {
        Some(objects) => (vec![format!("Takes {only}{what} on {objects} from {from}.")], format!(" ON {objects}")),
        None => (vec![format!("Takes the rights of {what} from {from}.")], String::new()),
    };
    if revoke.cascade == Some(CascadeOption::Cascade) {
        told.push("What they gave to others of it goes, too; that isn't looked up.".to_owned());
    }
    let option = if revoke.grant_option_for { " WITH GRANT OPTION" } else { "" };
    let back = format!("`GRANT {what}{on} TO {from}{option}` gives it again to those who had it.");
    Rights { brief: "takes rights", told, back }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_and_taken_is_told() {
        let told =
            rights(Dialect::Postgres, "GRANT SELECT, UPDATE (a) ON s.t TO ann, PUBLIC WITH GRANT OPTION").unwrap();
        assert_eq!(told.told[0], "Gives SELECT, UPDATE (a) on s.t to ann, PUBLIC.");
        assert_eq!(told.told.len(), 3);
        assert!(told.back.starts_with("`REVOKE SELECT, UPDATE (a) ON s.t FROM ann, PUBLIC`"), "{}", told.back);
        let told = rights(Dialect::Postgres, "REVOKE ALL ON t FROM ann CASCADE").unwrap();
        assert_eq!((told.brief, told.told.len()), ("takes rights", 2));
        assert!(told.told[0].ends_with(" on t from ann."), "{:?}", told.told);
        assert_eq!(rights(Dialect::Postgres, "SELECT 1"), None);
    }
}
