//! What a statement would do that drops a schema or a database with what is in it: its tables with their rows, its views.

use std::time::Instant;

use super::super::session::Access;
use super::super::table::lossy;
use super::super::value::{quoted_name, quoted_text};
use super::NOTHING;
use super::desk::Desk;
use super::reach::{KEYS, Number, PATIENCE, Reach, TIME};
use crate::assess::sql_foresee::Whole;
use crate::domain::number::{count, thousands};
use crate::domain::{Dialect, Preview, Remedy};

const POSTGRES: &str = include_str!("../postgres/schema.sql");
const MYSQL: &str = include_str!("../mysql/schema.sql");

/// Most tables that are named.
const NAMED: usize = 40;

impl Desk<'_> {
    /// Measures it.
    pub(super) async fn whole(&self, whole: &Whole) -> Preview {
        let Whole { word, spelled, name, cascade } = whole;
        let mut preview = Preview { remedy: Remedy::Impossible(NOTHING.to_owned()), ..Preview::default() };
        let found = match self.within(name).await {
            Ok(found) => found,
            Err(why) => {
                preview.effects.push(format!("What goes can't be counted beforehand: it can't be looked up: {why}."));
                return preview;
            }
        };
        let of = |sort: &str| found.iter().filter(|(found, _)| found == sort).map(|(_, name)| name.as_str()).collect();
        let (schemas, tables, views): (Vec<&str>, Vec<&str>, Vec<&str>) = (of("schema"), of("table"), of("view"));
        if schemas.is_empty() {
            preview.effects.push(format!("There is no {word} {spelled}."));
            return preview;
        }
        preview.brief = count(tables.len(), "table");
        let (started, mut reach) = (Instant::now(), Reach::default());
        for (at, table) in tables.iter().take(NAMED).enumerate() {
            let stops = at >= KEYS || started.elapsed() > TIME || self.cancel.is_cancelled();
            let place = format!("{}.{}", quoted_name(self.dialect, name), quoted_name(self.dialect, table));
            let rows = if stops { None } else { self.count(&format!("FROM {place}")).await };
            reach.add(&(name.clone(), (*table).to_owned()), rows.map_or(Number::Unknown, Number::Exactly));
        }
        let mut listed = reach.told(&tables[..tables.len().min(NAMED)], "");
        let left = tables.len().saturating_sub(NAMED);
        listed.extend((left > 0).then(|| format!("and {} more", thousands(left as u64))));
        let with = if listed.is_empty() { ".".to_owned() } else { format!(": {}.", listed.join(", ")) };
        preview.effects.push(format!("Drops the {word} {spelled} with {}{with}", count(tables.len(), "table")));
        if !views.is_empty() {
            preview.effects.push(format!("Views that go, too: {}.", views.join(", ")));
        }
        if *cascade || self.dialect == Dialect::Mysql {
            preview.effects.push("What else is in it or depends on it goes, too; that isn't looked up.".to_owned());
        } else if found.len() > schemas.len() {
            preview.warnings.push(format!("It would fail: {spelled} isn't empty."));
            "would fail".clone_into(&mut preview.brief);
            preview.remedy = Remedy::Unknown;
        }
        preview
    }

    /// The schema of a name, its tables and its views: each sort with a name.
    async fn within(&self, name: &str) -> Result<Vec<(String, String)>, String> {
        let asked = match self.dialect {
            Dialect::Mysql => MYSQL,
            Dialect::Postgres | Dialect::Sqlite => POSTGRES,
        };
        let asked = asked.replace("{name}", &quoted_text(self.dialect, name));
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.map_err(|error| error.to_string())?;
        let answer = session.ask(&asked).await.map_err(|failure| self.source.explain(failure).to_string())?;
        self.source.give_back(Access::ReadOnly, session).await;
        let found = answer.rows.into_iter().filter(|row| row.len() == 2).map(|row| {
            let mut texts = row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes)));
            (texts.next().unwrap_or_default(), texts.next().unwrap_or_default())
        });
        Ok(found.collect())
    }
}
