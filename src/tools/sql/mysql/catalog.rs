//! Asks MySQL or MariaDB what the names in a statement lead to. They keep no record of what a view uses, so its
//! text is read for names again, until nothing new is found. Questions are sent together and as plain text: preparing
//! each would cost a round trip more, and closing it a delay in the network.

use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;
use sqlx::mysql::{MySql, MySqlConnection};

use super::super::session::collect;
use super::super::value::quoted_text;

use crate::assess::sql_catalog::{self, Names};
use crate::domain::{Catalog, CatalogEntry, Dialect, Maker, Meaning, Role, Sort};

/// Most tables that are looked at, and most rounds from view to view.
const TABLES: usize = 500;
const ROUNDS: usize = 30;

/// Storage engines that keep their rows on the server itself.
const ENGINES: &str = " innodb myisam aria memory csv archive blackhole sequence mrg_myisam rocksdb tokudb columnstore \
    ndbcluster ndb performance_schema partition ";

/// Tables of the information schema for which the server opens every table that they tell of.
const SURVEYS: &str = " tables partitions statistics columns key_column_usage table_constraints check_constraints \
    referential_constraints ";

/// Schemas that the server brings along. Their tables are its own; what is secret in them goes by its name.
const OWN: [&str; 4] = ["information_schema", "performance_schema", "mysql", "sys"];

/// Privileges over the whole server that reach beyond the data.
const POWERS: &str = " file super shutdown process reload grant_option create_user replication_slave \
    replication_slave_admin binlog_admin connection_admin system_variables_admin system_user role_admin \
    set_user set_user_id ";

/// One row of an answer, each value as text; empty for NULL.
type Found = Vec<String>;

/// Asks. `mariadb` says that the server lists its own functions.
pub(super) async fn ask(
    connection: &mut MySqlConnection,
    names: &Names,
    mariadb: bool,
) -> Result<Catalog, sqlx::Error> {
    let (entries, words, seen) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut search = Search { connection, mariadb, entries, words, seen, moving: None };
    let (role, trouble) = search.follow(names).await?;
    Ok(Catalog { entries: search.entries.into_iter().collect(), role, trouble })
}

struct Search<'a> {
    connection: &'a mut MySqlConnection,
    mariadb: bool,
    entries: BTreeSet<CatalogEntry>,
    /// Every name so far: one that turns out to be a schema may hold a table of an earlier one.
    words: BTreeSet<String>,
    /// Tables that were looked at.
    seen: BTreeSet<(String, String)>,
    /// A table or view that the server lists and says nothing of: somebody is changing it.
    moving: Option<String>,
}

impl Search<'_> {
    /// Follows names through views. Gives the role, and the reason where it can't come to an end.
    async fn follow(&mut self, names: &Names) -> Result<(Role, Option<String>), sqlx::Error> {
        let (mut words, mut called) = (nameable(&names.words), nameable(&names.called));
        let mut role = Role::default();
        for round in 0..ROUNDS {
            self.words.append(&mut words);
            let schemas = self.schemas(&called, (round == 0).then_some(&mut role)).await?;
            self.loaded(&called).await?;
            let texts = self.within(&schemas, &called).await?;
            if let Some(name) = self.moving.take() {
                return Ok((role, Some(format!("`{name}` is being changed"))));
            }
            if self.seen.len() > TABLES {
                return Ok((role, Some(format!("its names lead to more than {TABLES} tables"))));
            }
            if texts.is_empty() {
                if surveys(&names.verb, &self.words) {
                    self.far().await?;
                }
                return Ok((role, None));
            }
            called = BTreeSet::new();
            for text in texts {
                let Some(more) = sql_catalog::names(Dialect::Mysql, &text) else {
                    return Ok((role, Some("the text of a view can't be read".to_owned())));
                };
                words.extend(nameable(&more.words));
                called.extend(nameable(&more.called));
            }
        }
        Ok((role, Some(format!("its views lead on after {ROUNDS} steps"))))
    }

    /// The default schema and those that are named; beside it, which of the names are the server's functions, and
    /// who the role is.
    async fn schemas(
        &mut self,
        called: &BTreeSet<String>,
        role: Option<&mut Role>,
    ) -> Result<BTreeSet<String>, sqlx::Error> {
        let mut questions = vec!["SELECT 'schema', DATABASE(), ''".to_owned()];
        if !self.words.is_empty() {
            let schemas = "SELECT 'schema', SCHEMA_NAME, '' FROM information_schema.SCHEMATA WHERE SCHEMA_NAME IN";
            questions.push(format!("{schemas} {}", list(&self.words)));
        }
        if self.mariadb && !called.is_empty() {
            let functions = "SELECT 'function', FUNCTION, '' FROM information_schema.SQL_FUNCTIONS WHERE FUNCTION IN";
            questions.push(format!("{functions} {}", list(called)));
        }
        if role.is_some() {
            questions.extend([ROLE.to_owned(), POWERS_HELD.to_owned()]);
        }
        let rows = self.ask(&questions).await?;
        if let Some(role) = role {
            *role = told(&rows);
        }
        for row in rows.iter().filter(|row| row[0] == "function") {
            self.function(Sort::Function, row[1].to_ascii_lowercase(), Maker::Engine);
        }
        let schemas = rows.into_iter().filter(|row| row[0] == "schema" && !row[1].is_empty());
        Ok(schemas.map(|mut row| row.swap_remove(1)).collect())
    }

    /// Looks at the tables of these schemas that were not seen yet, and at their functions; gives the texts of views.
    async fn within(
        &mut self,
        schemas: &BTreeSet<String>,
        called: &BTreeSet<String>,
    ) -> Result<Vec<String>, sqlx::Error> {
        let mut questions = Vec::new();
        for schema in schemas.iter().map(|schema| text(schema)) {
            // Without a further column nothing has to be opened for this.
            if !self.words.is_empty() {
                questions.push(format!(
                    "SELECT 'table', TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES \
                     WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME IN {}",
                    list(&self.words)
                ));
            }
            if !called.is_empty() {
                questions.push(format!(
                    "SELECT 'routine', ROUTINE_SCHEMA, ROUTINE_NAME FROM information_schema.ROUTINES \
                     WHERE ROUTINE_TYPE = 'FUNCTION' AND ROUTINE_SCHEMA = {schema} AND ROUTINE_NAME IN {}",
                    list(called)
                ));
            }
        }
        for name in called {
            self.function(Sort::Field, name.to_ascii_lowercase(), Maker::Engine);
        }
        let mut tables = Vec::new();
        for row in self.ask(&questions).await? {
            let (schema, name) = (row[1].clone(), row[2].clone());
            if row[0] == "routine" {
                // The functions of `sys` come with the server; the table knows them with their schema.
                let maker = if schema == "sys" { Maker::Engine } else { Maker::Database };
                self.function(Sort::Function, format!("{schema}.{name}"), maker);
            } else if self.seen.len() <= TABLES && self.seen.insert((schema.clone(), name.clone())) {
                tables.push((schema, name));
            }
        }
        self.tables(&tables).await
    }

    /// Looks at tables, each by its exact name: the server opens no other then. Gives the texts of views.
    async fn tables(&mut self, tables: &[(String, String)]) -> Result<Vec<String>, sqlx::Error> {
        let mut questions = Vec::new();
        for (schema, table) in tables {
            let own = own(schema);
            let full = format!("{schema}.{table}").to_ascii_lowercase();
            if own && sql_catalog::relation_is_secret(Dialect::Mysql, &full) {
                let (sort, meaning) = (Sort::Relation, Meaning::Code(Maker::Engine));
                self.entries.insert(CatalogEntry { sort, name: full, meaning });
            }
            let of = format!("WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {}", text(schema), text(table));
            let place = "TABLE_SCHEMA, TABLE_NAME";
            questions.push(format!("SELECT 'table', {place}, TABLE_TYPE, ENGINE FROM information_schema.TABLES {of}"));
            questions.push(format!("SELECT 'view', {place}, VIEW_DEFINITION, '' FROM information_schema.VIEWS {of}"));
            if !own {
                questions.push(format!(
                    "SELECT 'column', {place}, COLUMN_NAME, GENERATION_EXPRESSION FROM information_schema.COLUMNS \
                     {of} AND GENERATION_EXPRESSION <> ''"
                ));
            }
        }
        let mut texts = Vec::new();
        let rows = self.ask(&questions).await?;
        let said = |sort: &str, place: &(String, String)| {
            rows.iter().find(|row| row[0] == sort && row[1] == place.0 && row[2] == place.1)
        };
        self.moving = tables.iter().find_map(|place| {
            let whole = match said("table", place).map(|row| row[3].as_str()) {
                None | Some("") => false,
                Some(kind) => !kind.eq_ignore_ascii_case("view") || said("view", place).is_some(),
            };
            (!whole).then(|| format!("{}.{}", place.0, place.1))
        });
        for row in &rows {
            let (schema, name) = (&row[1], format!("{}.{}", row[1], row[2]));
            let (sort, name, meaning) = match row[0].as_str() {
                "table" => {
                    self.table(schema, name, &row[3], &row[4]);
                    continue;
                }
                "column" => (Sort::Column, format!("{name}.{}", row[3]), Meaning::Text(row[4].clone())),
                // Without the right to see it, a view's text is empty.
                _ if row[3].is_empty() => (Sort::View, name, Meaning::Hidden),
                _ => {
                    texts.push(row[3].clone());
                    (Sort::View, name, Meaning::Text(row[3].clone()))
                }
            };
            self.entries.insert(CatalogEntry { sort, name, meaning });
        }
        Ok(texts)
    }

    /// Finds a table that lies elsewhere, among all that there are.
    async fn far(&mut self) -> Result<(), sqlx::Error> {
        let known = list(&ENGINES.split_whitespace().map(str::to_owned).collect());
        let engines = "SELECT 'engine', ENGINE, '' FROM information_schema.ENGINES WHERE SUPPORT IN ('YES', 'DEFAULT')";
        // Few servers have others, and to look through all tables takes its time.
        if self.ask(&[format!("{engines} AND LOWER(ENGINE) NOT IN {known}")]).await?.is_empty() {
            return Ok(());
        }
        // The engine's name stands in the definition: nothing is opened for it.
        let far = "SELECT 'far', CONCAT(TABLE_SCHEMA, '.', TABLE_NAME), ENGINE FROM information_schema.TABLES WHERE";
        for row in self.ask(&[format!("{far} LOWER(ENGINE) NOT IN {known} LIMIT 1")]).await? {
            let place = format!("it is kept by {}, which is asked too where many tables are told of", row[2]);
            let (sort, meaning) = (Sort::Table, Meaning::Outside(place));
            self.entries.insert(CatalogEntry { sort, name: row[1].clone(), meaning });
        }
        Ok(())
    }

    fn table(&mut self, schema: &str, name: String, kind: &str, engine: &str) {
        let view = is_view(kind);
        let known = engine.is_empty() || ENGINES.contains(&format!(" {} ", engine.to_ascii_lowercase()));
        if !view && !own(schema) && !known {
            let (sort, meaning) = (Sort::Table, Meaning::Outside(format!("it is kept by {engine}")));
            self.entries.insert(CatalogEntry { sort, name, meaning });
        }
    }

    /// Functions that were loaded into the server: only an administrator sees them.
    async fn loaded(&mut self, called: &BTreeSet<String>) -> Result<(), sqlx::Error> {
        if called.is_empty() {
            return Ok(());
        }
        let sql = format!("SELECT 'loaded', name, '' FROM mysql.func WHERE name IN {}", list(called));
        match self.ask(&[sql]).await {
            Ok(rows) => {
                for row in rows {
                    self.function(Sort::Function, row[1].to_ascii_lowercase(), Maker::Database);
                }
                Ok(())
            }
            Err(sqlx::Error::Database(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn function(&mut self, sort: Sort, name: String, maker: Maker) {
        let plain = sort == Sort::Field && !sql_catalog::function_acts(Dialect::Mysql, &name);
        let known = maker == Maker::Engine && (plain || sql_catalog::function_reads(Dialect::Mysql, &name));
        if !known {
            self.entries.insert(CatalogEntry { sort, name, meaning: Meaning::Code(maker) });
        }
    }

    async fn ask(&mut self, questions: &[String]) -> Result<Vec<Found>, sqlx::Error> {
        answers(&mut *self.connection, questions).await
    }
}

/// The rows of all these questions, which are sent together.
async fn answers(connection: &mut MySqlConnection, questions: &[String]) -> Result<Vec<Found>, sqlx::Error> {
    if questions.is_empty() {
        return Ok(Vec::new());
    }
    let items = sqlx::raw_sql(AssertSqlSafe(questions.join("; "))).fetch_many(connection);
    let answer = collect::<MySql>(items).await?;
    if answer.cut {
        return Err(sqlx::Error::Protocol("the catalog says more than can be taken in".to_owned()));
    }
    let plain =
        |value: Option<Vec<u8>>| value.map_or_else(String::new, |bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(answer.rows.into_iter().map(|row| row.into_iter().map(plain).collect()).collect())
}

/// Whether a statement asks the server about tables that it doesn't name.
fn surveys(verb: &str, words: &BTreeSet<String>) -> bool {
    let named = |word: &str| words.iter().any(|name| name.eq_ignore_ascii_case(word));
    let shows = verb == "show" && named("table") && named("status");
    shows || SURVEYS.split_whitespace().any(|table| verb != "show" && named(table))
}

/// Whether a kind of table is a view.
fn is_view(kind: &str) -> bool {
    kind.to_ascii_lowercase().contains("view")
}

/// Whether the server brings a schema along.
fn own(schema: &str) -> bool {
    OWN.contains(&schema.to_ascii_lowercase().as_str())
}

/// A name as a literal that every setting of the server reads the same.
fn text(name: &str) -> String {
    quoted_text(Dialect::Mysql, name)
}

/// Those that can be names: no name has a letter of four bytes, and the server can't compare one with its own.
fn nameable(words: &BTreeSet<String>) -> BTreeSet<String> {
    words.iter().filter(|word| word.chars().all(|letter| letter.len_utf8() < 4)).cloned().collect()
}

fn list(names: &BTreeSet<String>) -> String {
    format!("({})", names.iter().map(|name| text(name)).collect::<Vec<_>>().join(", "))
}

/// The user.
const ROLE: &str = "SELECT 'role', CURRENT_USER(), ''";
/// Its privileges over the whole server. The last `@` parts user and host.
const POWERS_HELD: &str = "SELECT 'power', PRIVILEGE_TYPE, '' FROM information_schema.USER_PRIVILEGES WHERE GRANTEE = \
    CONCAT('''', LEFT(CURRENT_USER(), CHAR_LENGTH(CURRENT_USER()) \
    - CHAR_LENGTH(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)) - 1), \
    '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')";

/// The user, and what it may do beyond the data of this server.
pub(super) async fn role(connection: &mut MySqlConnection) -> Result<Role, sqlx::Error> {
    Ok(told(&answers(connection, &[ROLE.to_owned(), POWERS_HELD.to_owned()]).await?))
}

/// The role in these rows.
fn told(rows: &[Found]) -> Role {
    let of = |sort: &'static str| rows.iter().filter(move |row| row[0] == sort).map(|row| row[1].clone());
    let reaches = |held: &String| POWERS.contains(&format!(" {} ", held.to_ascii_lowercase().replace(' ', "_")));
    let powers: BTreeSet<String> = of("power").filter(reaches).collect();
    Role { name: of("role").next().unwrap_or_default(), powers: powers.into_iter().collect() }
}
