//! Rows that an `INSERT` brings, or that an `UPDATE` leaves, which the table refuses: a key that is there already, NULL
//! where none may be, a check that isn't met, a value that a column can't hold.

use std::time::Instant;

use super::super::session::Access;
use super::super::table::{Known, lossy, question};
use super::desk::Desk;
use super::held::FAILS;
use super::reach::{PATIENCE, TIME};
use super::replaced::own;
use super::told;
use crate::assess::sql_foresee::{
    Act, Break, Brought, Check, Demands, InTheWay, Look, Own, Reads, Singular, checks, singular,
};
use crate::domain::Dialect;
use crate::domain::number::thousands;

const POSTGRES: &str = include_str!("../postgres/checks.sql");
const MYSQL: &str = include_str!("../mysql/checks.sql");
const SQLITE: &str = include_str!("../sqlite/checks.sql");

/// Most reads for one statement.
const LOOKS: usize = 40;
/// Most characters of a check that are shown.
const SHOWN: usize = 120;

/// What a table demands of its rows, beside its keys and columns.
#[derive(Default)]
struct Demanded {
    /// What a column can't hold is refused, not made fit.
    strict: bool,
    /// What divides by zero is refused, too, where a value is.
    divides: bool,
    checks: Vec<Check>,
    /// Unique keys that aren't plain.
    keys: Vec<Singular>,
}

impl Desk<'_> {
    /// What has to be said of them.
    pub(super) async fn broken(&self, reads: &Reads, known: &Known, touched: u64) -> Vec<String> {
        let brings = reads.act == Act::Add && reads.brought.is_some();
        let changes = reads.act == Act::Change && !reads.bounded;
        // What is refused is left out, or made to fit.
        let ignores = reads.upsert.as_ref().is_some_and(|upsert| upsert.ignores);
        let leaves = ignores || reads.in_the_way == InTheWay::Stay && reads.upsert.is_none();
        if !brings && !changes || leaves || !known.objection.is_empty() || known.leaves_out {
            return Vec::new();
        }
        let Some(Demanded { strict, divides, checks, keys: others }) = self.demanded(known).await else {
            return Vec::new();
        };
        let (table, own) = (known.place(self.dialect), self.own(reads, known));
        let plain = reads.in_the_way == InTheWay::Fail && !known.collated;
        let exact = |columns: &[String]| self.dialect != Dialect::Postgres || known.exact(columns);
        let keys: Vec<_> = known.unique.iter().filter(|key| plain && exact(&key.columns)).cloned().collect();
        let checks = if known.collated { Vec::new() } else { checks };
        let demands = Demands { table: &table, own: &own, keys: &keys, checks: &checks, strict };
        let mut looks = match &reads.brought {
            Some(brought) if brings => brought.broken(self.dialect, &reads.columns, &demands),
            _ => reads.broken(self.dialect, &demands),
        };
        // A trial ends before what is looked at late.
        let counts = |key: &&Singular| plain && !(key.late && self.tries());
        for key in others.iter().filter(counts) {
            looks.extend(match &reads.brought {
                Some(brought) if brings => brought.singular(self.dialect, &reads.columns, (&table, &own), key),
                _ => reads.singular(self.dialect, (&table, &own), key),
            });
        }
        if self.dialect == Dialect::Mysql && strict {
            looks.extend(match &reads.brought {
                Some(brought) if brings => brought.undated(&reads.columns, &own),
                _ => reads.undated(&own),
            });
        }
        if divides && strict {
            looks.extend(reads.brought.as_ref().map_or_else(|| reads.divided(), Brought::divided));
        }
        let sure = !reads.chance
            && !known.alters(&told::events(self.dialect, reads), &reads.updates)
            && self.source.database.reading.is_none();
        let mut said = if strict { self.unfit(reads, known, (&own, touched), sure) } else { Vec::new() };
        let started = Instant::now();
        for look in looks.into_iter().take(LOOKS) {
            if started.elapsed() > TIME || self.cancel.is_cancelled() {
                break;
            }
            said.extend(
                self.numbers(&look.sql).await.map(|numbers| sentences(&look, &numbers, sure)).unwrap_or_default(),
            );
        }
        let computed = match &reads.brought {
            Some(brought) if brings => brought.computed(self.dialect, &reads.columns, &own),
            _ => reads.computed(self.dialect, &own),
        };
        if let Some(sql) = computed
            && let Some(why) = self.refused_value(&sql).await
        {
            said.push(format!("{}{why}.", begins(sure)));
        }
        said
    }

    /// What MySQL refuses as it comes: what a column can't hold, or what it computes itself.
    fn unfit(&self, reads: &Reads, known: &Known, (own, touched): (&[Own], u64), sure: bool) -> Vec<String> {
        if self.dialect != Dialect::Mysql || touched == 0 {
            return Vec::new();
        }
        let computed =
            |name: &str| known.columns.iter().any(|column| column.generated && column.name.eq_ignore_ascii_case(name));
        let (values, given): (Vec<(Break, u64)>, Vec<&String>) = if let Some(brought) = &reads.brought {
            let given = |name: &&String| computed(name) && brought.gives_all(&reads.columns, own, name);
            (brought.unfit(&reads.columns, own), reads.columns.iter().filter(given).collect())
        } else {
            let values = reads.unfit(own).into_iter().map(|broken| (broken, touched)).collect();
            (values, reads.new.iter().map(|new| &new.column).filter(|name| computed(name)).collect())
        };
        let given = given.into_iter().map(|name| (Break::Computed(name.clone()), touched));
        let all = values.into_iter().chain(given).filter(|(_, rows)| *rows > 0);
        all.map(|(broken, rows)| sentence(&broken, rows, false, sure)).collect()
    }

    /// The columns as a statement means them.
    fn own(&self, reads: &Reads, known: &Known) -> Vec<Own> {
        let all = own(self.dialect, known);
        if reads.act == Act::Add {
            return all;
        }
        // What the engine sets itself isn't told.
        let itself = |own: &Own| {
            let column = known.columns.iter().find(|column| column.name == own.name);
            column.is_some_and(|column| column.generated || column.renewed)
        };
        all.into_iter().filter(|own| !itself(own)).collect()
    }

    /// What its table demands. None if the catalog doesn't tell.
    async fn demanded(&self, known: &Known) -> Option<Demanded> {
        let place = known.place(self.dialect);
        let asked = question(self.dialect, [SQLITE, POSTGRES, MYSQL], &place, Some(&known.schema), &known.name);
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.ok()?;
        let answer = session.ask(&asked).await.ok()?;
        self.source.give_back(Access::ReadOnly, session).await;
        let mut demanded = Demanded::default();
        for row in answer.rows.into_iter().filter(|row| row.len() == 2) {
            let mut texts = row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes)));
            let [sort, text] = std::array::from_fn(|_| texts.next().unwrap_or_default());
            match sort.as_str() {
                "strict" => demanded.strict = true,
                "divides" => demanded.divides = true,
                "check" => demanded.checks.push(Check { text }),
                "index" => demanded.keys.extend(singular(&text)),
                "unique" => demanded.keys.extend(told_apart(&text)),
                "made" => demanded.checks.extend(checks(&text).unwrap_or_default()),
                _ => {}
            }
        }
        Some(demanded)
    }
}

/// A unique key as PostgreSQL's catalog tells it: whether it is looked at late, for which rows it holds, its parts.
fn told_apart(text: &str) -> Option<Singular> {
    let mut said = text.split('\u{1e}');
    let (late, condition, parts) = (said.next()?, said.next()?, said.next()?);
    let parts = parts.split('\u{1f}').map(str::to_owned).collect();
    let condition = Some(condition.to_owned()).filter(|condition| !condition.is_empty());
    Some(Singular { parts, condition, late: late == "late" })
}

fn begins(sure: bool) -> &'static str {
    if sure { FAILS } else { "It may fail: " }
}

/// What the numbers of a read tell.
fn sentences(look: &Look, numbers: &[u64], sure: bool) -> Vec<String> {
    let odd = numbers.last().is_some_and(|rows| *rows > 0);
    let found = look.breaks.iter().zip(numbers).filter(|(_, rows)| **rows > 0);
    found.map(|(broken, rows)| sentence(broken, *rows, odd, sure)).collect()
}

/// What is said of rows that break a demand; of `odd` ones more may.
fn sentence(broken: &Break, rows: u64, odd: bool, sure: bool) -> String {
    let say = |one: &str, several: &str| {
        let least = if odd { "at least " } else { "" };
        format!("{least}{} of its rows {}", thousands(rows), if rows == 1 { one } else { several })
    };
    let (has, begins) = (say("has", "have"), begins(sure));
    match broken {
        Break::Taken(key) => format!("{begins}{key} is unique, and {has} one that is there already."),
        Break::Repeated(key) => format!("{begins}{key} is unique, and {has} one that another of them has."),
        Break::Moving(key) => {
            let gets = say("gets", "get");
            format!("It may fail: {key} is unique, and {gets} one that another of them still has.")
        }
        Break::Null(column) => format!("{begins}{has} no {column}, which takes no NULL."),
        Break::Check(text) => {
            format!("{begins}{} the check {}.", say("breaks", "break"), short(text))
        }
        Break::Long(column, most) => format!("{begins}{has} more than {} characters in {column}.", thousands(*most)),
        Break::Unfit(column, kind) => format!("{begins}{has} a value for {column} that {kind} can't hold."),
        Break::Divided => format!("{begins}{} by zero.", say("divides", "divide")),
        Break::Computed(column) => format!("{begins}the engine computes {column}, and takes no value for it."),
    }
}

/// The text of a check in one line of bounded length.
pub(super) fn short(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_table_refuses_is_told_in_words() {
        let look = |breaks| Look { sql: String::new(), breaks };
        let told = |broken, rows, odd, sure| sentences(&look(vec![broken]), &[rows, odd], sure).join(" ");
        assert_eq!(
            told(Break::Taken("id".to_owned()), 1, 0, true),
            "It would fail: id is unique, and 1 of its rows has one that is there already."
        );
        assert_eq!(
            told(Break::Check("n\n > 0".to_owned()), 2000, 3, false),
            "It may fail: at least 2,000 of its rows break the check n > 0."
        );
        assert_eq!(told(Break::Null("n".to_owned()), 0, 0, true), "");
    }
}
