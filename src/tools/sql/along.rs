//! Rows of other tables that go along with deleted ones, or lose what refers to them (`ON DELETE CASCADE`, `SET NULL`):
//! found by their foreign keys, table by table, so that they can be counted beforehand and kept with the others.

use futures::future::BoxFuture;

use super::connections::Failure;
use super::inverse::{Plan, Row, Script, too_many};
use super::session::Session;
use super::table::{Fate, Known, Link};
use super::value::{Form, quoted_name};
use crate::assess::sql_foresee::Act;
use crate::assess::sql_touch::Target;
use crate::domain::Dialect;

/// Longest chain of tables.
const DEPTH: usize = 8;
/// Why rows of SQLite's tables may refer to others than an equal value says.
const COLLATED: &str = "texts of its keys may be compared by rules of their own.";
/// Rows whose followers are read at once.
const CHUNK: usize = 500;

/// A table whose rows follow those of another.
#[derive(Debug)]
pub(super) struct Along {
    /// How its rows are kept.
    pub(super) plan: Plan,
    /// Its rows stay and only lose what they refer to.
    clears: bool,
    /// Why none of its rows is kept: it must have none.
    pub(super) unkept: Option<String>,
    /// By what they follow.
    pub(super) reference: Reference,
    /// What follows its rows.
    next: Vec<Along>,
}

/// By what rows of a table refer to those of another.
#[derive(Debug)]
pub(super) struct Reference {
    /// The table, quoted.
    place: String,
    /// Its columns that refer, quoted.
    columns: Vec<String>,
    /// Where what they refer to stands among the columns of the other table.
    refers: Vec<usize>,
}

/// What follows rows that a statement deletes. `path` holds the tables that were met, each with those that share its rows.
///
/// # Errors
/// Of the inner result: why that can't be kept, in words that begin small.
pub(super) fn along<'a>(
    session: &'a mut dyn Session,
    dialect: Dialect,
    (plan, known): (&'a Plan, &'a Known),
    path: &'a mut Vec<Vec<(String, String)>>,
) -> BoxFuture<'a, Result<Result<Vec<Along>, String>, Failure>> {
    Box::pin(async move {
        let followers = known.taken_along("delete", &[]);
        if followers.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        path.push(known.kin());
        let links = match links(session, dialect, known, &followers).await? {
            Ok(links) => links,
            Err(why) => return Ok(Err(why)),
        };
        let mut all = Vec::new();
        for link in links {
            let spelled = format!("{}.{}", quoted_name(dialect, &link.schema), quoted_name(dialect, &link.table));
            let child = Known::ask(session, dialect, &spelled, (Some(&link.schema), &link.table)).await?;
            let Some(child) = child else {
                return Ok(Err(format!("rows of {} go along or change, and it is not found.", link.table)));
            };
            let kin = child.kin();
            if path.iter().flatten().any(|place| kin.contains(place)) || path.len() > DEPTH {
                return Ok(Err(format!("rows of {} go along or change in more than one way.", link.table)));
            }
            let mut follower = match follower(dialect, plan, known, &link, &child) {
                Ok(follower) => follower,
                Err(why) => return Ok(Err(why)),
            };
            if !follower.clears {
                match along(&mut *session, dialect, (&follower.plan, &child), &mut *path).await? {
                    Ok(next) => follower.next = next,
                    Err(why) => return Ok(Err(why)),
                }
            }
            path.push(kin);
            all.push(follower);
        }
        Ok(Ok(all))
    })
}

/// The foreign keys by which rows go along with deleted ones, or change.
///
/// # Errors
/// Of the inner result: why what follows can't be told, in words that begin small.
async fn links(
    session: &mut dyn Session,
    dialect: Dialect,
    known: &Known,
    followers: &[&str],
) -> Result<Result<Vec<Link>, String>, Failure> {
    let mut links = known.links(session, dialect).await?;
    links.retain(|link| !link.on_delete.stays());
    if let Some(missing) = followers.iter().find(|table| !links.iter().any(|link| link.table == **table)) {
        return Ok(Err(format!("rows of {missing} go along or change with them, and can't be told beforehand.")));
    }
    for link in &links {
        if dialect == Dialect::Mysql && session.hides(&link.schema, &link.table).await? {
            return Ok(Err(format!("a temporary table hides {}.", link.table)));
        }
    }
    Ok(Ok(links))
}

/// By what others may come to refer to rows that a statement adds: deleted again, those would take them along.
///
/// # Errors
/// Of the inner result: why that can't be told, in words that begin small.
pub(super) async fn references(
    session: &mut dyn Session,
    dialect: Dialect,
    (plan, known): (&Plan, &Known),
) -> Result<Result<Vec<Reference>, String>, Failure> {
    let followers = known.taken_along("delete", &[]);
    if followers.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let links = links(session, dialect, known, &followers).await?;
    // Whoever can't see a row can't tell that it refers to another, which takes it along all the same.
    let seen = |link: &Link| {
        if link.guarded {
            return Err(unkept(&link.table, "row policies may hide some of them."));
        }
        Reference::of(dialect, plan, known, link)
    };
    Ok(links.and_then(|links| links.iter().map(seen).collect()))
}

/// Why rows of a table can't be told by what they refer to.
fn unkept(table: &str, why: &str) -> String {
    format!("rows of {table} go along or change, and aren't kept: {why}")
}

/// How the rows behind one foreign key are kept.
fn follower(dialect: Dialect, plan: &Plan, known: &Known, link: &Link, child: &Known) -> Result<Along, String> {
    let table = link.table.clone();
    let clears = link.on_delete != Fate::Cascade;
    let other = link.on_delete == Fate::Other;
    let unkept_why = other.then(|| format!("rows of {table} get another value, and aren't kept."));
    let why = |why: &str| unkept(&table, why);
    if link.part {
        return Err(why("they refer to a part of it."));
    }
    if child.collated {
        return Err(why(COLLATED));
    }
    let reference = Reference::of(dialect, plan, known, link)?;
    let set: Vec<String> = link.pairs.iter().map(|(child, _)| child.to_lowercase()).collect();
    if clears && let Some(other) = child.taken_along("update", &set).first() {
        return Err(why(&format!("{other} refers to what changes there.")));
    }
    let target = Target {
        set: if clears { set.clone() } else { Vec::new() },
        moved: if clears { set } else { Vec::new() },
        ..Target::new(
            if clears { Act::Change } else { Act::Delete },
            (Some(link.schema.clone()), table.clone()),
            table.clone(),
        )
    };
    let plan = Plan::of(dialect, target, child).map_err(|reason| why(&reason))?;
    Ok(Along { plan, clears, unkept: unkept_why, reference, next: Vec::new() })
}

impl Reference {
    /// By what the rows behind one foreign key refer to those of a table.
    ///
    /// # Errors
    /// Why they can't be found by that, in words that begin small.
    fn of(dialect: Dialect, plan: &Plan, known: &Known, link: &Link) -> Result<Self, String> {
        if known.collated {
            return Err(unkept(&link.table, COLLATED));
        }
        let key = known.keys.first();
        let mut refers = Vec::new();
        for (at, (_, parent)) in link.pairs.iter().enumerate() {
            let name = if parent.is_empty() { key.and_then(|key| key.get(at)) } else { Some(parent) };
            let found = name.and_then(|name| plan.column(name));
            let exact = |form| matches!(form, Form::Plain | Form::Number | Form::Text | Form::Bytes | Form::Any);
            match found {
                Some((place, form)) if exact(form) => refers.push(place),
                _ => return Err(unkept(&link.table, "what they refer to can't be told exactly.")),
            }
        }
        let columns = link.pairs.iter().map(|(child, _)| quoted_name(dialect, child)).collect();
        Ok(Self { place: link.place(dialect), columns, refers })
    }

    /// The rows that follow those of a read, as the end of a `SELECT`.
    fn rows_behind(&self, parent: &Plan, rows: &str) -> String {
        let names: Vec<String> = self.refers.iter().map(|at| parent.name(*at)).collect();
        format!("FROM {} WHERE ({}) IN (SELECT {} {rows})", self.place, self.columns.join(", "), names.join(", "))
    }

    /// Those that follow some rows. None where these refer to nothing.
    fn rows_of(&self, parent: &Plan, rows: &[Row]) -> Option<String> {
        let values = |row: &Row| {
            let values: Option<Vec<String>> = self.refers.iter().map(|at| parent.value(row, *at)).collect();
            Some(format!("({})", values?.join(", ")))
        };
        let values: Vec<String> = rows.iter().filter_map(values).collect();
        if values.is_empty() {
            return None;
        }
        let (names, list) = (self.columns.join(", "), values.join(", "));
        let list = if parent.dialect == Dialect::Sqlite { format!("VALUES {list}") } else { list };
        Some(format!("FROM {} WHERE ({names}) IN ({list})", self.place))
    }

    /// The condition that nothing refers to a row.
    pub(super) fn free(&self, parent: &Plan, row: &Row) -> Option<String> {
        let rows = self.rows_of(parent, std::slice::from_ref(row))?;
        Some(format!("NOT EXISTS (SELECT 1 {rows})"))
    }
}

impl Along {
    /// What follows, one table after the other, with the rows of each as the end of a `SELECT`.
    pub(super) fn all<'a>(&'a self, parent: &Plan, rows: &str) -> Vec<(&'a Self, String)> {
        let rows = self.reference.rows_behind(parent, rows);
        let mut all = vec![(self, rows.clone())];
        all.extend(self.next.iter().flat_map(|next| next.all(&self.plan, &rows)));
        all
    }

    /// Schema and name of its table.
    pub(super) fn place(&self) -> (String, String) {
        let (schema, table) = &self.plan.target.table;
        (schema.clone().unwrap_or_default(), table.clone())
    }

    /// The same with those that follow it.
    pub(super) fn tables(&self) -> Vec<(String, String)> {
        std::iter::once(self.place()).chain(self.next.iter().flat_map(Self::tables)).collect()
    }
}

/// Rows that follow others: as they were, and as they were left.
#[derive(Debug)]
pub(super) struct Branch<'b> {
    along: &'b Along,
    before: Vec<Row>,
    after: Vec<Row>,
    next: Vec<Branch<'b>>,
}

/// Reads what follows rows of a table, and keeps others from changing it. `held` counts rows and bytes of all of it.
///
/// # Errors
/// Of the inner result: it is too much, or of rows that aren't kept, in words that begin small.
pub(super) fn follow<'a, 'b: 'a>(
    session: &'a mut dyn Session,
    (plan, rows): (&'a Plan, &'a [Row]),
    along: &'b [Along],
    held: &'a mut (u64, u64),
) -> BoxFuture<'a, Result<Result<Vec<Branch<'b>>, String>, Failure>> {
    Box::pin(async move {
        let mut branches = Vec::new();
        for along in along {
            let mut before = Vec::new();
            for some in rows.chunks(CHUNK) {
                let Some(behind) = along.reference.rows_of(plan, some) else { continue };
                let measured = session.ask(&along.plan.measure_of(&behind)).await?;
                *held = (held.0 + measured.number(0), held.1 + measured.number(1));
                if let Some(why) = along.unkept.as_ref().filter(|_| measured.number(0) > 0) {
                    return Ok(Err(why.clone()));
                }
                if let Some(why) = too_many(held.0, held.1) {
                    return Ok(Err(why));
                }
                before.extend(session.ask(&along.plan.before_of(&behind)).await?.rows);
            }
            let next = match follow(&mut *session, (&along.plan, &before), &along.next, &mut *held).await? {
                Ok(next) => next,
                Err(why) => return Ok(Err(why)),
            };
            branches.push(Branch { along, before, after: Vec::new(), next });
        }
        Ok(Ok(branches))
    })
}

/// Reads what is left of them. False if that is other than what was to be expected.
pub(super) fn look<'a>(
    session: &'a mut dyn Session,
    branches: &'a mut [Branch<'_>],
) -> BoxFuture<'a, Result<bool, Failure>> {
    Box::pin(async move {
        for branch in branches {
            let plan = &branch.along.plan;
            for some in branch.before.chunks(CHUNK) {
                branch.after.extend(session.ask(&plan.after(some)).await?.rows);
            }
            let expected = if branch.along.clears {
                plan.changed(&branch.before, &branch.after).is_some_and(|pairs| pairs.len() == branch.before.len())
            } else {
                branch.after.is_empty()
            };
            if !expected || !look(&mut *session, &mut branch.next).await? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

impl Branch<'_> {
    /// What puts these rows back, once those that they refer to are there.
    pub(super) fn back(&self, scripts: &mut Vec<Script>) {
        let plan = &self.along.plan;
        scripts.push(if self.along.clears {
            plan.update(self.pairs().map(|(before, after)| (after, before)))
        } else {
            plan.insert(&self.before)
        });
        self.next.iter().for_each(|next| next.back(scripts));
    }

    /// What does the same to them again, before those that they refer to go.
    pub(super) fn again(&self, scripts: &mut Vec<Script>) {
        let plan = &self.along.plan;
        self.next.iter().for_each(|next| next.again(scripts));
        scripts.push(if self.along.clears {
            plan.update(self.pairs())
        } else {
            plan.delete(&self.before, &self.along.next.iter().map(|next| &next.reference).collect::<Vec<_>>())
        });
    }

    /// What they were and what they are.
    fn pairs(&self) -> impl Iterator<Item = (&Row, &Row)> {
        self.along.plan.changed(&self.before, &self.after).unwrap_or_default().into_iter()
    }
}
