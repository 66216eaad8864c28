//! What a statement makes that others use: a function or a view that takes the place of one that is there, and what differs;
//! an index, and how long its table is. Questions to the catalog alone.

use super::super::session::Access;
use super::super::table::lossy;
use super::super::value::quoted_text;
use super::NOTHING;
use super::desk::Desk;
use super::held::depended;
use super::told::counted;
use crate::assess::sql_foresee::{Act, Function, Reads, indexed, reads, spread, viewed};
use crate::domain::number::size;
use crate::domain::{Detail, Dialect, Preview, Remedy, Text};
use crate::tools::file::compare;

/// What is known of a function by its name and the types of what it takes.
const FUNCTION: &str = include_str!("../postgres/function.sql");
/// Seconds that a question to the catalog may take.
const PATIENCE: u64 = 2;

impl Desk<'_> {
    /// What a statement does that makes a function.
    pub(super) async fn function(&self, function: &Function) -> Preview {
        let Function { spelled, body, replaces } = function;
        let found = match self.there(spelled).await {
            Ok(found) => found,
            Err(why) => {
                let said = format!("Makes the function {spelled}; whether one is there can't be looked up: {why}.");
                return Preview {
                    effects: vec![said],
                    remedy: Remedy::Impossible(NOTHING.to_owned()),
                    ..Preview::default()
                };
            }
        };
        let Some([whole, old, triggers]) = found else {
            return Preview {
                brief: "new function".to_owned(),
                effects: vec![format!("Creates the function {spelled}.")],
                remedy: Remedy::ByHand(format!("`DROP FUNCTION {spelled}` undoes it.")),
                ..Preview::default()
            };
        };
        if !replaces {
            return Preview {
                brief: "would fail".to_owned(),
                warnings: vec![format!("It would fail: {spelled} is there already.")],
                ..Preview::default()
            };
        }
        let mut effects = vec![format!("Replaces the function {spelled}.")];
        let mut details = Vec::new();
        match body {
            Some(new) if *new == old => effects.push("Its body stays as it is.".to_owned()),
            Some(new) => details.push(Detail::Diff { text: compare(&old, new).diff, language: "sql".to_owned() }),
            None => details.push(Detail::Text(Text { language: "sql", body: whole })),
        }
        if !triggers.is_empty() {
            effects.push(format!("Triggers that run it: {triggers}."));
        }
        Preview {
            brief: "replaces a function".to_owned(),
            effects,
            details,
            remedy: Remedy::Impossible(NOTHING.to_owned()),
            ..Preview::default()
        }
    }

    /// The text, the body and the triggers of a function. None if there is none.
    async fn there(&self, spelled: &str) -> Result<Option<[String; 3]>, String> {
        let asked = FUNCTION.replace("{function}", &quoted_text(self.dialect, spelled));
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.map_err(|error| error.to_string())?;
        let answer = session.ask(&asked).await.map_err(|failure| self.source.explain(failure).to_string())?;
        self.source.give_back(Access::ReadOnly, session).await;
        Ok(answer.rows.into_iter().next().map(|row| {
            let mut texts = row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes)));
            std::array::from_fn(|_| texts.next().unwrap_or_default())
        }))
    }

    /// How many rows an index takes in that a statement makes, and who waits for it.
    pub(super) async fn indexing(&self, sql: &str) -> Vec<String> {
        let Some(made) = indexed(self.dialect, sql) else { return Vec::new() };
        let table = &made.table;
        let Ok(Some(whole)) = reads(self.dialect, &format!("DROP TABLE {table}")) else { return Vec::new() };
        let whole = Reads { act: Act::Alter, place: made.place, ..whole };
        let Ok(counts) = self.counts(&whole, None).await else { return Vec::new() };
        let known = self.known(&whole).await.ok().flatten();
        let bytes = counts.size.or_else(|| known.as_ref()?.size);
        let with = bytes.map(|bytes| format!(", {} with its indexes", size(bytes))).unwrap_or_default();
        let mut said = vec![format!("{table} has {}{with}.", counted(counts.touched))];
        let plain = known.is_some_and(|known| known.objection.is_empty());
        said.extend(match self.dialect {
            Dialect::Postgres if made.apart => Some("Others go on writing to it meanwhile.".to_owned()),
            Dialect::Postgres => Some("Until it is done, others read it, but nobody writes to it.".to_owned()),
            Dialect::Mysql if made.plain && plain => Some("Others go on writing to it meanwhile.".to_owned()),
            Dialect::Mysql => None,
            Dialect::Sqlite => Some("Until it is done, nobody else writes to this database.".to_owned()),
        });
        said
    }

    /// How a view differs from the one whose place it takes: its text, its columns. PostgreSQL's must keep those that
    /// it has.
    pub(super) async fn changes_of_view(&self, made: &mut Preview, sql: &str, spelled: &str) {
        let Some((query, names)) = viewed(self.dialect, sql) else { return };
        let one = "SELECT v.* FROM (SELECT 1 AS countersign_one) AS o LEFT JOIN";
        let old = self.rows(&format!("{one} {spelled} AS v ON 1 = 0")).await;
        let new = self.rows(&format!("{one} ({query}) AS v ON 1 = 0")).await;
        if let [Detail::Text(text)] = made.details.as_slice()
            && let (Some(was), Some(is)) = (spread(self.dialect, &text.body), spread(self.dialect, &query))
        {
            made.details = if was == is {
                Vec::new()
            } else {
                vec![Detail::Diff { text: compare(&was, &is).diff, language: "sql".to_owned() }]
            };
        }
        let (Ok(old), Ok(new)) = (old, new) else { return };
        let mut columns = new.columns;
        for (column, name) in columns.iter_mut().zip(names) {
            *column = name;
        }
        let lacks = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|name| !other.contains(name)).cloned().collect()
        };
        let (added, gone) = (lacks(&columns, &old.columns), lacks(&old.columns, &columns));
        if !added.is_empty() {
            made.effects.push(format!("Columns that are new: {}.", added.join(", ")));
        }
        if !gone.is_empty() {
            made.effects.push(format!("Columns that go: {}.", gone.join(", ")));
        }
        if self.dialect == Dialect::Postgres {
            let own = old.columns.iter().zip(&old.types);
            let kept = columns.iter().zip(&new.types).take(old.columns.len()).eq(own);
            if !kept {
                let why = "the columns that a view has must keep their names, types and order.";
                depended(made, vec![format!("It would fail: {why}")]);
            }
        }
    }
}
