//! What a table or a trigger of SQLite says itself, by the statement that made it.

use sqlparser::ast::{CheckConstraint, ColumnOption, Statement, TableConstraint};

use super::super::lex::{self, Token};
use super::{Check, InTheWay, statement};
use crate::domain::Dialect;

/// What fires a trigger, and what it may do to the rows that fire it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fired {
    /// `insert`, `update`, `delete`.
    pub events: Vec<&'static str>,
    /// The columns that have to be set, in small letters; none if any will do.
    pub columns: Vec<String>,
    /// It may leave rows as they are.
    pub skips: bool,
    /// It stands for what is done to a view.
    pub instead: bool,
    /// It may change what the table is looked through for, before that is done.
    pub early: bool,
}

/// What SQLite's triggers fire for.
const EVENTS: [&str; 3] = ["insert", "update", "delete"];

fn tokens(made: &str) -> Option<Vec<Token>> {
    let quoting = *lex::quotings(Dialect::Sqlite, made).first()?;
    Some(lex::lex(made, Dialect::Sqlite, quoting).ok()?.tokens)
}

/// What a table says of rows that are in the way: `ON CONFLICT …`. The worst of it, and whether it leaves some out, too.
#[must_use]
pub fn table_says(made: &str) -> (InTheWay, bool) {
    let Some(tokens) = tokens(made) else { return (InTheWay::Go, true) };
    let said = tokens.windows(3).filter(|three| three[0].is("on") && three[1].is("conflict"));
    let ways = said.map(|three| match three[2].text.as_str() {
        "abort" | "rollback" => InTheWay::Fail,
        "ignore" | "fail" => InTheWay::Stay,
        _ => InTheWay::Go,
    });
    let ways: Vec<InTheWay> = ways.collect();
    (ways.iter().max().copied().unwrap_or_default(), ways.contains(&InTheWay::Stay))
}

/// The checks of a table. None where they can't be read.
#[must_use]
pub fn checks(made: &str) -> Option<Vec<Check>> {
    let Statement::CreateTable(table) = statement(Dialect::Sqlite, made)?.statement else { return None };
    let check = |check: &CheckConstraint| Check { text: check.expr.to_string() };
    let options = table.columns.iter().flat_map(|column| &column.options);
    let own = options.filter_map(|option| match &option.option {
        ColumnOption::Check(one) => Some(check(one)),
        _ => None,
    });
    let whole = table.constraints.iter().filter_map(|constraint| match constraint {
        TableConstraint::Check(one) => Some(check(one)),
        _ => None,
    });
    Some(own.chain(whole).collect())
}

/// What fires a trigger: the words before `ON`. One event too many does no harm.
#[must_use]
pub fn fired(made: &str) -> Fired {
    let all = Fired { events: EVENTS.to_vec(), columns: Vec::new(), skips: true, instead: false, early: true };
    let Some(tokens) = tokens(made) else { return all };
    let head = tokens.iter().position(|token| token.is("on")).unwrap_or(tokens.len());
    let (head, body) = tokens.split_at(head);
    let events: Vec<&str> = EVENTS.into_iter().filter(|event| head.iter().any(|token| token.is(event))).collect();
    let of = head.windows(2).position(|two| two[0].is("update") && two[1].is("of"));
    let columns = of.filter(|_| events.len() == 1).map(|at| &head[at + 2..]).unwrap_or_default();
    let columns = columns.iter().filter(|token| token.names()).map(|token| token.text.to_lowercase()).collect();
    let ignores = body.windows(3).any(|three| three[0].is("raise") && three[1].mark('(') && three[2].is("ignore"));
    let skips = ignores && !head.iter().any(|token| token.is("after"));
    let instead = head.windows(2).any(|two| two[0].is("instead") && two[1].is("of"));
    // What it does behind one row, the next one may meet.
    let table = body.get(1).filter(|token| token.names());
    let own = table.is_none_or(|table| body.iter().skip(2).any(|token| token.text.eq_ignore_ascii_case(&table.text)));
    let early = own || !head.iter().any(|token| token.is("after"));
    if events.is_empty() { Fired { skips, ..all } } else { Fired { events, columns, skips, instead, early } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fires_a_trigger_is_read_from_its_text() {
        for (made, events, columns, skips) in [
            (
                "CREATE TRIGGER IF NOT EXISTS a AFTER UPDATE OF x, \"Y z\" ON t BEGIN DELETE FROM u; END",
                &["update"] as &[&str],
                &["x", "y z"] as &[&str],
                false,
            ),
            ("create trigger b delete on t begin select raise(ignore); end", &["delete"], &[], true),
            ("CREATE TRIGGER c AFTER INSERT ON t BEGIN SELECT RAISE (IGNORE); END", &["insert"], &[], false),
            ("CREATE TRIGGER odd", &EVENTS, &[], false),
            ("CREATE TRIGGER 'odd", &EVENTS, &[], true),
        ] {
            let told = fired(made);
            assert_eq!((told.events.as_slice(), told.skips), (events, skips), "{made}");
            assert_eq!(told.columns, columns, "{made}");
        }
    }

    #[test]
    fn what_a_table_leaves_out_is_told_beside_the_worst() {
        assert_eq!(
            table_says("CREATE TABLE t (a UNIQUE ON CONFLICT IGNORE, b UNIQUE ON CONFLICT REPLACE)"),
            (InTheWay::Go, true)
        );
        assert_eq!(table_says("CREATE TABLE t (a UNIQUE ON CONFLICT REPLACE)"), (InTheWay::Go, false));
        assert_eq!(table_says("CREATE TABLE t (a UNIQUE)"), (InTheWay::Fail, false));
    }
}
