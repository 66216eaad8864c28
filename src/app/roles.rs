//! As whom databases are used, learnt from what their catalogs said. Kept for the status line; told once, where a
//! role may do more than its data.

use super::State;
use crate::domain::{OperationKind, Prepared, Role};

impl State {
    /// Takes in the role that a database answered as.
    pub(super) fn note_role(&mut self, prepared: &Prepared) {
        let (OperationKind::Sql(sql), Some(catalog)) = (&prepared.operation.kind, &prepared.facts.catalog) else {
            return;
        };
        let known = self.roles.contains_key(&sql.connection);
        if known || catalog.trouble.is_some() {
            return;
        }
        self.roles.insert(sql.connection.clone(), catalog.role.clone());
        if let Some(powers) = powers(&catalog.role) {
            let sentence = format!(
                "{} is read as {}, who may do more than read data: {powers}. What you approve runs with these rights. \
                `countersign doctor` prints how to make a role that only reads.",
                sql.connection, catalog.role.name
            );
            self.chat.notice(sentence, false);
        }
    }

    pub(super) fn powers_of(&self, connection: &str) -> Option<String> {
        powers(self.roles.get(connection)?)
    }
}

/// The power that says most, and how many more there are beside one that doesn't have them all.
fn powers(role: &Role) -> Option<String> {
    const ALL: [&str; 2] = ["superuser", "SUPER"];
    let held = |power: &&&str| role.powers.iter().any(|held| held == **power);
    if let Some(power) = ALL.iter().find(held) {
        return Some((*power).to_owned());
    }
    let first = role.powers.iter().find(|power| *power == "FILE").or_else(|| role.powers.first())?;
    let more = role.powers.len() - 1;
    Some(if more == 0 { first.clone() } else { format!("{first} and {more} more") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_told_in_a_few_words() {
        let role =
            |powers: &[&str]| Role { name: "ann".to_owned(), powers: powers.iter().map(ToString::to_string).collect() };
        assert_eq!(powers(&role(&[])), None);
        assert_eq!(powers(&role(&["superuser"])).as_deref(), Some("superuser"));
        assert_eq!(powers(&role(&["FILE", "RELOAD", "SUPER"])).as_deref(), Some("SUPER"));
        assert_eq!(powers(&role(&["BINLOG ADMIN", "FILE"])).as_deref(), Some("FILE and 1 more"));
    }
}
