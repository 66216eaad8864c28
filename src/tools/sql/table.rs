//! What an engine's catalog says of one table: columns, keys, triggers, what refers to it. Asked once for a preview,
//! and again inside the transaction that keeps rows. Each engine's question is in `table.sql` beside its catalog.

mod link;
mod policies;
mod trigger;

use self::link::place;
pub(super) use self::link::{Fate, Link};
pub(super) use self::policies::Policies;
use self::trigger::Trigger;
use super::connections::Failure;
use super::session::Session;
use super::value::{Form, quoted_name, quoted_text};
use crate::assess::sql_foresee::{InTheWay, Key, table_says};
use crate::assess::sql_touch::Target;
use crate::domain::Dialect;

const POSTGRES: &str = include_str!("postgres/table.sql");
const MYSQL: &str = include_str!("mysql/table.sql");
const SQLITE: &str = include_str!("sqlite/table.sql");
const POSTGRES_LINKS: &str = include_str!("postgres/links.sql");
const MYSQL_LINKS: &str = include_str!("mysql/links.sql");
const SQLITE_LINKS: &str = include_str!("sqlite/links.sql");
const POSTGRES_PARENTS: &str = include_str!("postgres/parents.sql");
const MYSQL_PARENTS: &str = include_str!("mysql/parents.sql");
const SQLITE_PARENTS: &str = include_str!("sqlite/parents.sql");
const MYSQL_READERS: &str = include_str!("mysql/readers.sql");

/// A column that a table stores.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent facts of one column
pub(super) struct Column {
    /// Its name.
    pub(super) name: String,
    /// How its values are told and compared. None if no text tells them exactly.
    pub(super) form: Option<Form>,
    /// Its type, as the engine spells it.
    pub(super) kind: String,
    /// The engine computes it: it is never written.
    pub(super) generated: bool,
    /// The engine numbers it, and takes a number of ours only if told to.
    pub(super) numbered: bool,
    /// The engine sets it anew with each change of its row.
    pub(super) renewed: bool,
    /// It has a default that isn't NULL.
    pub(super) filled: bool,
    /// It takes no NULL, nor makes a number of one.
    pub(super) required: bool,
    /// A 0 becomes a new number. Of MySQL.
    pub(super) counts: bool,
    /// By what its texts are compared: character set and collation, of MySQL.
    pub(super) collation: String,
}

/// Another table whose rows refer to this one's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Referrer {
    /// Its name.
    pub(super) table: String,
    /// `delete`, `update`: what takes its rows along, or changes them. `no-delete`, `no-update`: what it forbids.
    pub(super) along: Vec<String>,
    /// The column that it refers to; empty for the key.
    pub(super) column: String,
}

/// A rule by which the engine rewrites what is done to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rewrite {
    pub(super) name: String,
    /// `insert`, `update` or `delete`.
    event: String,
    pub(super) does: Does,
}

/// What becomes of a statement that is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Something else runs, too.
    Adds,
    /// Something else, or nothing, runs instead.
    Replaces,
    /// The same, for the rows that meet a condition.
    ReplacesSome,
}

/// What is known of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent facts of one table
pub(super) struct Known {
    pub(super) schema: String,
    pub(super) name: String,
    /// Why its rows can't be kept, nor a write be tried: in words that end a sentence. Empty where they can.
    pub(super) objection: String,
    /// Size with its indexes in bytes, where that is known.
    pub(super) size: Option<u64>,
    /// Texts of its columns may be compared by other rules than byte by byte.
    pub(super) collated: bool,
    pub(super) columns: Vec<Column>,
    /// The columns of each unique key without NULLs, the primary one first.
    pub(super) keys: Vec<Vec<String>>,
    /// By what name SQLite tells its rows apart, where they have a number. Empty where they have none.
    pub(super) number: String,
    /// All unique keys.
    pub(super) unique: Vec<Key>,
    /// What it says itself of rows that are in the way of those that come: SQLite.
    pub(super) in_the_way: InTheWay,
    /// It leaves out some of the rows that have others in their way: SQLite.
    pub(super) leaves_out: bool,
    /// It may refuse a row for another reason than a key or a NULL. Of MySQL and SQLite.
    pub(super) refuses: bool,
    pub(super) triggers: Vec<Trigger>,
    /// Triggers that a row fires which moves from one of its parts to another, each with a column, in small letters, that
    /// decides where a row lies; `*` for any. Of PostgreSQL.
    moves: Vec<(String, String)>,
    /// The rules for what is done to it.
    rewrites: Vec<Rewrite>,
    pub(super) referrers: Vec<Referrer>,
    /// Schema and name of the tables whose rows are its own, too: itself, what it is a part of, its parts. Of PostgreSQL;
    /// elsewhere no row is in two tables.
    kin: Vec<(String, String)>,
    /// Policies may decide which of its rows a role sees. Of PostgreSQL.
    pub(super) guarded: bool,
    /// What they say of each event, where they do for this role.
    policies: Vec<(String, Policies)>,
    /// Views that read it.
    pub(super) views: Vec<String>,
    /// Rules of other tables that name it.
    pub(super) named_by: Vec<String>,
    /// Whether the engine returns the rows that an `INSERT` adds.
    pub(super) returns: bool,
}

impl Known {
    /// Asks. None if there is no such table.
    pub(super) async fn ask(
        session: &mut dyn Session,
        dialect: Dialect,
        spelled: &str,
        (schema, name): (Option<&str>, &str),
    ) -> Result<Option<Self>, Failure> {
        if dialect == Dialect::Sqlite && schema.is_some_and(|schema| !schema.eq_ignore_ascii_case("main")) {
            return Ok(Some(Self { objection: "it is in another file".to_owned(), ..Self::default() }));
        }
        let text = [SQLITE, POSTGRES, MYSQL];
        let answer = session.ask(&question(dialect, text, spelled, schema, name)).await?;
        let texts = answer.rows.into_iter().map(|row| {
            let mut texts = row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes)));
            std::array::from_fn(|_| texts.next().unwrap_or_default())
        });
        let Some(mut known) = Self::read(dialect, texts) else { return Ok(None) };
        known.returns = session.returns();
        if known.objection.is_empty() && !session.tells() {
            "this server doesn't say whether a transaction is open".clone_into(&mut known.objection);
        }
        Ok(Some(known))
    }

    /// The foreign keys that lead to its rows: by which others go along with deleted or changed ones, change, or forbid
    /// that.
    pub(super) async fn links(&self, session: &mut dyn Session, dialect: Dialect) -> Result<Vec<Link>, Failure> {
        self.ends(session, dialect, [SQLITE_LINKS, POSTGRES_LINKS, MYSQL_LINKS]).await
    }

    /// The foreign keys by which its rows refer to others.
    pub(super) async fn parents(&self, session: &mut dyn Session, dialect: Dialect) -> Result<Vec<Link>, Failure> {
        self.ends(session, dialect, [SQLITE_PARENTS, POSTGRES_PARENTS, MYSQL_PARENTS]).await
    }

    async fn ends(&self, session: &mut dyn Session, dialect: Dialect, text: [&str; 3]) -> Result<Vec<Link>, Failure> {
        let spelled = format!("{}.{}", quoted_name(dialect, &self.schema), quoted_name(dialect, &self.name));
        let answer = session.ask(&question(dialect, text, &spelled, Some(&self.schema), &self.name)).await?;
        let mut links: Vec<(String, Link)> = Vec::new();
        for row in answer.rows {
            let mut texts = row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes)));
            let [sort, key, one, two, three] = std::array::from_fn(|_| texts.next().unwrap_or_default());
            match (sort.as_str(), links.iter_mut().find(|(known, _)| *known == key)) {
                ("link", _) => {
                    let mut said = three.split('/');
                    let (deleted, updated) = (said.next().unwrap_or_default(), said.next().unwrap_or_default());
                    let (on_delete, on_update) = (Fate::named(dialect, deleted), Fate::named(dialect, updated));
                    let marks: Vec<&str> = said.collect();
                    let has = |mark: &str| marks.contains(&mark);
                    let (part, off, late, guarded) = (has("part"), has("off"), has("late"), has("guarded"));
                    let (schema, table, pairs) = (one, two, Vec::new());
                    links.push((key, Link { schema, table, on_delete, on_update, part, off, late, guarded, pairs }));
                }
                ("pair", Some((_, link))) => link.pairs.push((one, two)),
                _ => {}
            }
        }
        Ok(links.into_iter().map(|(_, link)| link).filter(|link| !link.pairs.is_empty()).collect())
    }

    /// Looks for the views that read it, where the question about a table doesn't tell: in MySQL and MariaDB.
    pub(super) async fn find_readers(&mut self, session: &mut dyn Session, dialect: Dialect) -> Result<(), Failure> {
        if dialect != Dialect::Mysql {
            return Ok(());
        }
        let place = quoted_text(dialect, &self.place(dialect));
        for row in session.ask(&MYSQL_READERS.replace("{place}", &place)).await?.rows {
            let mut texts = row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes)));
            let [schema, name] = std::array::from_fn(|_| texts.next().unwrap_or_default());
            self.views.push(if schema == self.schema { name } else { format!("{schema}.{name}") });
        }
        Ok(())
    }

    fn read(dialect: Dialect, rows: impl Iterator<Item = [String; 6]>) -> Option<Self> {
        let mut known = Self::default();
        let (mut tables, mut nullable) = (0, Vec::new());
        let mut keys: Vec<(String, Key)> = Vec::new();
        for [sort, one, two, three, four, _] in rows {
            match sort.as_str() {
                "table" => {
                    tables += 1;
                    (known.schema, known.name, known.objection) = (one, two, three);
                    known.size = four.parse().ok().filter(|_| dialect != Dialect::Sqlite);
                    known.collated = dialect == Dialect::Sqlite && four == "1";
                }
                "column" => known.columns.push(Column {
                    form: Form::named(&two),
                    kind: four,
                    generated: three.contains("generated"),
                    numbered: three.contains("always"),
                    renewed: three.contains("renewed"),
                    filled: three.contains("filled"),
                    required: three.contains("required"),
                    counts: three.contains("counts"),
                    collation: three
                        .split(' ')
                        .find_map(|flag| flag.strip_prefix("by:"))
                        .unwrap_or_default()
                        .to_owned(),
                    name: one,
                }),
                "key" => {
                    if !three.is_empty() {
                        nullable.push(one.clone());
                    }
                    let partial = three == "part";
                    match keys.iter_mut().find(|(key, _)| *key == one) {
                        Some((_, key)) => {
                            key.columns.push(two);
                            key.partial |= partial;
                        }
                        None => keys.push((one, Key { name: four, columns: vec![two], partial })),
                    }
                }
                "made" => {
                    (known.in_the_way, known.leaves_out) = table_says(&one);
                    known.refuses |= one.to_lowercase().contains("check");
                }
                "refuses" => known.refuses = true,
                "trigger" => known.triggers.push(Trigger::read(one, &two, &three, &four)),
                "rule" => {
                    let does = match three.as_str() {
                        "adds" => Does::Adds,
                        "replaces" => Does::Replaces,
                        _ => Does::ReplacesSome,
                    };
                    known.rewrites.push(Rewrite { name: one, event: two, does });
                }
                "moves" => known.moves.push((one, two.to_lowercase())),
                "names" => known.named_by.push(one),
                "number" => known.number = one,
                "guarded" if one.is_empty() => known.guarded = true,
                "guarded" => known.policies.push((one, Policies::named(&two))),
                "kin" => known.kin.push((one, two)),
                "refers" => known.referrers.push(Referrer {
                    table: one,
                    along: two.split_whitespace().map(str::to_owned).collect(),
                    column: three,
                }),
                "view" if two != "text" || names(dialect, &three, &known.name) => known.views.push(one),
                _ => {}
            }
        }
        let whole = keys.iter().filter(|(name, _)| !nullable.contains(name));
        known.keys = whole.map(|(_, key)| key.columns.clone()).collect();
        known.unique = keys.into_iter().map(|(_, key)| key).collect();
        // Two of a name are told apart by nothing that we know.
        (tables == 1).then_some(known)
    }

    /// The table with its schema, quoted.
    pub(super) fn place(&self, dialect: Dialect) -> String {
        place(dialect, &self.schema, &self.name)
    }

    /// Schema and name of all tables that hold rows of its own, itself first.
    pub(super) fn kin(&self) -> Vec<(String, String)> {
        let own = (self.schema.clone(), self.name.clone());
        let others = self.kin.iter().filter(|place| **place != own).cloned();
        std::iter::once(own.clone()).chain(others).collect()
    }

    /// Whether it is a view: its rows lie in other tables.
    pub(super) fn is_view(&self) -> bool {
        self.objection == "it is a view"
    }

    /// What policies say of an event to the role that asked. None where they don't concern it.
    pub(super) fn policies(&self, event: &str) -> Option<Policies> {
        self.policies.iter().find(|(of, _)| of == event).map(|(_, policies)| *policies)
    }

    /// Asks about the table of a statement.
    pub(super) async fn of(
        session: &mut dyn Session,
        dialect: Dialect,
        target: &Target,
    ) -> Result<Option<Self>, Failure> {
        let (schema, name) = &target.table;
        Self::ask(session, dialect, &target.spelled, (schema.as_deref(), name)).await
    }

    /// The triggers that one of these events fires, by the columns that it sets; none of these stand for any.
    pub(super) fn firing(&self, events: &[&str], set: &[String]) -> Vec<&str> {
        let mut firing: Vec<&str> = Vec::new();
        for trigger in self.triggers.iter().filter(|trigger| trigger.fires(events, set)) {
            if !firing.contains(&trigger.name.as_str()) {
                firing.push(&trigger.name);
            }
        }
        firing
    }

    /// The triggers that a change of these columns fires for rows that move from one part to another.
    pub(super) fn firing_for_moves(&self, set: &[String]) -> Vec<&str> {
        let moving =
            self.moves.iter().filter(|(_, column)| column == "*" || set.iter().any(|set| set == column || set == "*"));
        let mut names: Vec<&str> = moving.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The triggers of a view that decide what one of these events does.
    pub(super) fn deciding(&self, events: &[&str], set: &[String]) -> Vec<&str> {
        let decides = |trigger: &&Trigger| trigger.instead && trigger.fires(events, set);
        self.triggers.iter().filter(decides).map(|trigger| trigger.name.as_str()).collect()
    }

    /// Whether some of the rows that a statement meets may be left as they are: by a trigger, or by what the table says
    /// of rows that come.
    pub(super) fn skips(&self, events: &[&str], set: &[String]) -> bool {
        let comes = events.iter().any(|event| ["insert", "update"].contains(event));
        self.leaves_out && comes || self.triggers.iter().any(|trigger| trigger.skips && trigger.fires(events, set))
    }

    /// Whether a trigger may change rows before the table looks at them.
    pub(super) fn alters(&self, events: &[&str], set: &[String]) -> bool {
        self.triggers.iter().any(|trigger| trigger.early && trigger.fires(events, set))
    }

    /// The rules that rewrite one of these events in this way.
    pub(super) fn rewriting(&self, events: &[&str], does: Does) -> Vec<&str> {
        let rewrites = |rule: &&Rewrite| rule.does == does && events.contains(&rule.event.as_str());
        self.rewrites.iter().filter(rewrites).map(|rule| rule.name.as_str()).collect()
    }

    /// Whether these columns, in small letters, put its rows into one order alone.
    pub(super) fn orders(&self, columns: &[String]) -> bool {
        self.keys.iter().any(|key| key.iter().all(|name| columns.contains(&name.to_lowercase())))
    }

    /// Whether the engine's own `=` tells values of these columns apart.
    pub(super) fn exact(&self, names: &[String]) -> bool {
        let plain = |column: &Column| column.form == Some(Form::Plain);
        names.iter().all(|name| self.columns.iter().any(|column| column.name == *name && plain(column)))
    }

    /// A column of a unique key among those that are set.
    pub(super) fn unique_among(&self, set: &[String]) -> Option<&str> {
        let named =
            |name: &&String| !name.is_empty() && set.iter().any(|set| set == "*" || *set == name.to_lowercase());
        self.unique.iter().flat_map(|key| &key.columns).find(named).map(String::as_str)
    }

    /// Other tables whose rows an event takes along or changes. An update does only where it sets what they refer to.
    pub(super) fn taken_along(&self, event: &str, set: &[String]) -> Vec<&str> {
        self.referring(event, event, set)
    }

    /// Other tables whose rows forbid an event, where they refer to one of its rows.
    pub(super) fn held_by(&self, event: &str, set: &[String]) -> Vec<&str> {
        self.referring(&format!("no-{event}"), event, set)
    }

    /// Other tables that refer to it and say this of an event.
    fn referring(&self, says: &str, event: &str, set: &[String]) -> Vec<&str> {
        let key = self.keys.first();
        let sets = |column: &str| {
            let named = |name: &str| set.iter().any(|set| set == "*" || *set == name.to_lowercase());
            if column.is_empty() { key.is_none_or(|key| key.iter().any(|name| named(name))) } else { named(column) }
        };
        let concerns = |referrer: &&Referrer| {
            referrer.along.iter().any(|along| along == says) && (event == "delete" || sets(&referrer.column))
        };
        let mut tables: Vec<&str> =
            self.referrers.iter().filter(concerns).map(|referrer| referrer.table.as_str()).collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Puts values in their places in a text of ours, all at once: a name that looks like a place stays the name that it is.
pub(super) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let (mut filled, mut rest) = (String::with_capacity(text.len()), text);
    loop {
        let found = values.iter().filter_map(|(place, value)| Some((rest.find(place)?, place.len(), value)));
        let Some((at, length, value)) = found.min_by_key(|(at, ..)| *at) else { break };
        filled.push_str(&rest[..at]);
        filled.push_str(value);
        rest = &rest[at + length..];
    }
    filled + rest
}

/// A question about a table, of which there is a text for each engine: SQLite, PostgreSQL, MySQL.
pub(super) fn question(dialect: Dialect, texts: [&str; 3], spelled: &str, schema: Option<&str>, name: &str) -> String {
    question_with(dialect, texts, spelled, schema, name, &[])
}

/// The same with further values in their places, as the engine takes them.
pub(super) fn question_with(
    dialect: Dialect,
    [sqlite, postgres, mysql]: [&str; 3],
    spelled: &str,
    schema: Option<&str>,
    name: &str,
    more: &[(&str, &str)],
) -> String {
    let quoted = quoted_text(dialect, name);
    let values = |schema| [&[("{schema}", schema), ("{name}", quoted.as_str())], more].concat();
    match dialect {
        // Our own names are the engine's, whatever the search path says; the table's name goes by the path.
        Dialect::Postgres => format!(
            "SAVEPOINT look; SELECT pg_catalog.set_config('countersign.table', \
             COALESCE(pg_catalog.to_regclass({})::pg_catalog.oid::pg_catalog.text, '0'), true); \
             SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL jit = off; {}; ROLLBACK TO SAVEPOINT look",
            quoted_text(dialect, spelled),
            fill(postgres, more)
        ),
        Dialect::Mysql => {
            let schema = schema.map_or_else(|| "DATABASE()".to_owned(), |schema| quoted_text(dialect, schema));
            fill(mysql, &values(&schema))
        }
        Dialect::Sqlite => fill(sqlite, &values("")),
    }
}

/// Whether the text of a view names a table.
fn names(dialect: Dialect, text: &str, table: &str) -> bool {
    let names = crate::assess::sql_catalog::names(dialect, text);
    names.is_none_or(|names| names.words.iter().any(|word| word.eq_ignore_ascii_case(table)))
}

#[cfg(test)]
mod tests;
