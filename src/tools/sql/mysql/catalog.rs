//! Asks MySQL or MariaDB what the names in a statement lead to. They keep no record of what a view uses, so its
//! text is read for names again, until nothing new is found.

use std::collections::BTreeSet;

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{AssertSqlSafe, Row as _};

use crate::assess::sql_catalog::{self, Names};
use crate::domain::{Catalog, CatalogEntry, Dialect, Maker, Meaning, Role, Sort};

/// Most tables that are looked at, and most rounds from view to view.
const TABLES: usize = 500;
const ROUNDS: usize = 30;

/// Storage engines that keep their rows on the server itself.
const ENGINES: &str = " innodb myisam aria memory csv archive blackhole sequence mrg_myisam rocksdb tokudb columnstore \
    ndbcluster ndb performance_schema partition ";

/// Schemas that the server brings along. Their tables are its own; what is secret in them goes by its name.
const OWN: [&str; 4] = ["information_schema", "performance_schema", "mysql", "sys"];

/// Privileges over the whole server that reach beyond the data.
const POWERS: &str = " file super shutdown process reload grant_option create_user replication_slave \
    replication_slave_admin binlog_admin connection_admin system_variables_admin system_user role_admin \
    set_user set_user_id ";

/// Asks.
pub(super) async fn ask(connection: &mut MySqlConnection, names: &Names) -> Result<Catalog, sqlx::Error> {
    let mut search = Search { connection, entries: BTreeSet::new(), schemas: BTreeSet::new(), seen: BTreeSet::new() };
    let trouble = search.follow(names).await?;
    let Search { connection, entries, .. } = search;
    Ok(Catalog { entries: entries.into_iter().collect(), role: role(connection).await?, trouble })
}

struct Search<'a> {
    connection: &'a mut MySqlConnection,
    entries: BTreeSet<CatalogEntry>,
    /// The default schema and those that are named.
    schemas: BTreeSet<String>,
    /// Tables that were looked at.
    seen: BTreeSet<(String, String)>,
}

impl Search<'_> {
    /// Follows names through views. Gives the reason where it can't come to an end.
    async fn follow(&mut self, names: &Names) -> Result<Option<String>, sqlx::Error> {
        let current: Option<String> = sqlx::query_scalar("SELECT DATABASE()").fetch_one(&mut *self.connection).await?;
        self.schemas.extend(current);
        let (mut words, mut called) = (names.words.clone(), names.called.clone());
        let mut known = BTreeSet::new();
        for _ in 0..ROUNDS {
            let schemas = self.schemas.len();
            let sql = "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME IN (…)";
            let found = self.list(sql, &[&words]).await?;
            self.schemas.extend(found.iter().map(|row| text(row, 0)));
            if self.schemas.len() > schemas {
                // A name that was looked up before may be one of a table there.
                words.extend(std::mem::take(&mut known));
            }
            known.extend(words.iter().cloned());
            self.functions(&called).await?;
            let texts = self.tables(&words).await?;
            if self.seen.len() > TABLES {
                return Ok(Some(format!("its names lead to more than {TABLES} tables")));
            }
            if texts.is_empty() {
                return Ok(None);
            }
            (words, called) = (BTreeSet::new(), BTreeSet::new());
            for text in texts {
                let Some(more) = sql_catalog::names(Dialect::Mysql, &text) else {
                    return Ok(Some("the text of a view can't be read".to_owned()));
                };
                words.extend(more.words);
                called.extend(more.called);
            }
        }
        Ok(Some(format!("its views lead on after {ROUNDS} steps")))
    }

    /// Looks at the tables of these names that were not seen yet; gives the texts of views.
    async fn tables(&mut self, words: &BTreeSet<String>) -> Result<Vec<String>, sqlx::Error> {
        // Without a further column nothing has to be opened for this.
        let sql = "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES \
            WHERE TABLE_SCHEMA IN (…) AND TABLE_NAME IN (…)";
        let schemas = self.schemas.clone();
        let found = self.list(sql, &[&schemas, words]).await?;
        let mut texts = Vec::new();
        for row in found {
            let place = (text(&row, 0), text(&row, 1));
            if self.seen.len() <= TABLES && self.seen.insert(place.clone()) {
                texts.extend(self.table(&place.0, &place.1).await?);
            }
        }
        Ok(texts)
    }

    async fn table(&mut self, schema: &str, table: &str) -> Result<Option<String>, sqlx::Error> {
        let own = OWN.contains(&schema.to_ascii_lowercase().as_str());
        let name = format!("{schema}.{table}");
        if own && sql_catalog::relation_is_secret(Dialect::Mysql, &name.to_ascii_lowercase()) {
            let (sort, meaning) = (Sort::Relation, Meaning::Code(Maker::Engine));
            self.entries.insert(CatalogEntry { sort, name: name.to_ascii_lowercase(), meaning });
        }
        let rows = self.about("SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES", schema, table).await?;
        // Gone in between: then the statement says so itself.
        let Some(row) = rows.first() else { return Ok(None) };
        let (kind, engine) = (text(row, 0).to_ascii_lowercase(), text(row, 1));
        if kind.contains("view") && kind != "system view" {
            return self.view(schema, table, name).await;
        }
        if !own && !engine.is_empty() && !ENGINES.contains(&format!(" {} ", engine.to_ascii_lowercase())) {
            self.entries.insert(CatalogEntry {
                sort: Sort::Table,
                name: name.clone(),
                meaning: Meaning::Outside(format!("it is kept by {engine}")),
            });
        }
        if !own {
            let sql = "SELECT COLUMN_NAME, GENERATION_EXPRESSION FROM information_schema.COLUMNS";
            for row in self.about(sql, schema, table).await? {
                let expression = text(&row, 1);
                if !expression.is_empty() {
                    let (sort, meaning) = (Sort::Column, Meaning::Text(expression));
                    self.entries.insert(CatalogEntry { sort, name: format!("{name}.{}", text(&row, 0)), meaning });
                }
            }
        }
        Ok(None)
    }

    /// Without the right to see it, a view's text is empty.
    async fn view(&mut self, schema: &str, table: &str, name: String) -> Result<Option<String>, sqlx::Error> {
        let rows = self.about("SELECT VIEW_DEFINITION FROM information_schema.VIEWS", schema, table).await?;
        let found = rows.first().map(|row| text(row, 0)).filter(|text| !text.is_empty());
        let meaning = found.clone().map_or(Meaning::Hidden, Meaning::Text);
        self.entries.insert(CatalogEntry { sort: Sort::View, name, meaning });
        Ok(found)
    }

    /// Functions that were put into the database or the server, and those of the server that are known to act.
    async fn functions(&mut self, called: &BTreeSet<String>) -> Result<(), sqlx::Error> {
        let sql = "SELECT ROUTINE_SCHEMA, ROUTINE_NAME FROM information_schema.ROUTINES \
            WHERE ROUTINE_TYPE = 'FUNCTION' AND ROUTINE_SCHEMA IN (…) AND ROUTINE_NAME IN (…)";
        let schemas = self.schemas.clone();
        for row in self.list(sql, &[&schemas, called]).await? {
            let (schema, name) = (text(&row, 0), text(&row, 1));
            // The functions of `sys` come with the server; the table knows them with their schema.
            let maker = if schema == "sys" { Maker::Engine } else { Maker::Database };
            self.function(Sort::Function, format!("{schema}.{name}"), maker);
        }
        // Only MariaDB lists its functions; only an administrator sees those that were loaded.
        for (sql, maker) in [
            ("SELECT FUNCTION FROM information_schema.SQL_FUNCTIONS WHERE FUNCTION IN (…)", Maker::Engine),
            ("SELECT name FROM mysql.func WHERE name IN (…)", Maker::Database),
        ] {
            match self.list(sql, &[called]).await {
                Ok(rows) => rows.iter().for_each(|row| {
                    self.function(Sort::Function, text(row, 0).to_ascii_lowercase(), maker.clone());
                }),
                Err(sqlx::Error::Database(_)) => {}
                Err(error) => return Err(error),
            }
        }
        for name in called {
            self.function(Sort::Field, name.to_ascii_lowercase(), Maker::Engine);
        }
        Ok(())
    }

    fn function(&mut self, sort: Sort, name: String, maker: Maker) {
        let plain = sort == Sort::Field && !sql_catalog::function_acts(Dialect::Mysql, &name);
        let known = maker == Maker::Engine && (plain || sql_catalog::function_reads(Dialect::Mysql, &name));
        if !known {
            self.entries.insert(CatalogEntry { sort, name, meaning: Meaning::Code(maker) });
        }
    }

    /// Runs a query in which each `…` stands for a list.
    async fn list(&mut self, sql: &str, lists: &[&BTreeSet<String>]) -> Result<Vec<MySqlRow>, sqlx::Error> {
        if lists.iter().any(|list| list.is_empty()) {
            return Ok(Vec::new());
        }
        let mut spelled = sql.to_owned();
        for list in lists {
            spelled = spelled.replacen('…', &vec!["?"; list.len()].join(", "), 1);
        }
        let mut query = sqlx::query(AssertSqlSafe(spelled)).persistent(false);
        for name in lists.iter().flat_map(|list| list.iter()) {
            query = query.bind(name.clone());
        }
        query.fetch_all(&mut *self.connection).await
    }

    async fn about(&mut self, sql: &str, schema: &str, table: &str) -> Result<Vec<MySqlRow>, sqlx::Error> {
        let sql = format!("{sql} WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?");
        sqlx::query(AssertSqlSafe(sql))
            .persistent(false)
            .bind(schema)
            .bind(table)
            .fetch_all(&mut *self.connection)
            .await
    }
}

/// A column as text, whatever type the server gives it; empty for NULL.
fn text(row: &MySqlRow, index: usize) -> String {
    let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(index).ok().flatten();
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The user, and what it may do beyond the data of this server.
pub(super) async fn role(connection: &mut MySqlConnection) -> Result<Role, sqlx::Error> {
    let row = sqlx::query("SELECT CURRENT_USER()").fetch_one(&mut *connection).await?;
    let name = text(&row, 0);
    let (user, host) = name.rsplit_once('@').unwrap_or((&name, "%"));
    let sql = "SELECT PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES WHERE GRANTEE = ?";
    let rows = sqlx::query(sql).bind(format!("'{user}'@'{host}'")).fetch_all(connection).await?;
    let held = rows.iter().map(|row| text(row, 0));
    let powers: BTreeSet<String> =
        held.filter(|held| POWERS.contains(&format!(" {} ", held.to_ascii_lowercase().replace(' ', "_")))).collect();
    Ok(Role { name, powers: powers.into_iter().collect() })
}
