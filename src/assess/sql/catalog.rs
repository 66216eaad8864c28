//! Judges what a catalog says of a statement's names: code that somebody put into the database, views and
//! policies that run it, data that lies elsewhere. Called by the assessor for the facts of an operation, and by
//! the tool once more inside the transaction that it reads in.

use std::sync::OnceLock;

use serde::Deserialize;

use super::forms;
use super::functions::{self, Calls};
use super::lex::{self, Token};
use super::reading::unparsed;
use super::secrets;
use crate::domain::{Catalog, CatalogEntry, Class, Danger, Dialect, Finding, Maker, Meaning, RiskLevel, Sort};

pub use super::names::{Names, databases, names, statements};

/// With more objections than this nothing new is learnt.
const FINDINGS: usize = 20;

/// Whether an engine's function is known to only read.
#[must_use]
pub fn function_reads(dialect: Dialect, name: &str) -> bool {
    functions::reads(dialect, name)
}

/// Whether an engine's function is known to do more than read.
#[must_use]
pub fn function_acts(dialect: Dialect, name: &str) -> bool {
    functions::act(dialect, name, Calls::Run, 0..0).is_some()
}

/// Whether a relation of the engine is known to hold passwords or keys.
#[must_use]
pub fn relation_is_secret(dialect: Dialect, name: &str) -> bool {
    secrets::relation(dialect, name).is_some()
}

/// Whether an SQLite `PRAGMA` is known to only tell something; `value` says whether it is given one.
#[must_use]
pub fn pragma_reads(name: &str, value: bool) -> bool {
    forms::pragma_tells(&name.to_ascii_lowercase(), value)
}

/// Whether a text asks SQLite for the journal mode of the database that is open.
#[must_use]
pub fn asks_journal_mode(sql: &str) -> bool {
    let quoting = lex::quotings(Dialect::Sqlite, sql)[0];
    let Ok(lexed) = lex::lex(sql, Dialect::Sqlite, quoting) else { return false };
    let statement: Vec<&[Token]> =
        lexed.tokens.split(|token| token.mark(';')).filter(|part| !part.is_empty()).collect();
    matches!(statement.as_slice(), [only] if forms::asks_journal_mode(only))
}

/// What stands in the way of running a statement unasked, as far as its engine's catalog says. `planned` says
/// that the statement is planned and not run.
#[must_use]
pub fn objections(dialect: Dialect, names: &Names, catalog: &Catalog) -> Vec<Finding> {
    if let Some(trouble) = &catalog.trouble {
        let sentence = format!("What its names lead to couldn't be looked up in the database: {trouble}.");
        return vec![Finding::new("sql.catalog-unknown", Class::Unknown, sentence)];
    }
    if let Some(verb) = &names.planned_change {
        let verb = verb.to_uppercase();
        let sentence = format!(
            "MySQL and MariaDB explain `{verb}` only where it could also run, so not in a read-only transaction."
        );
        return vec![Finding::new("sql.plans-change", Class::Unknown, sentence)];
    }
    let calls = if names.planned { Calls::Planned } else { Calls::Run };
    let mut found: Vec<Finding> = Vec::new();
    let plain = |entry: &&CatalogEntry| match (names.plain.as_deref(), &entry.meaning) {
        // In MariaDB it is a view, which only who may change every account can change.
        (Some("mysql.user"), Meaning::Code(Maker::Engine) | Meaning::Text(_)) => {
            matches!(entry.name.as_str(), "mysql.user" | "mysql.global_priv")
        }
        (Some(plain), Meaning::Code(Maker::Engine)) => entry.sort == Sort::Relation && entry.name == plain,
        _ => false,
    };
    for entry in catalog.entries.iter().filter(|entry| !plain(entry)) {
        for finding in judged(dialect, calls, entry) {
            if found.len() < FINDINGS && !found.contains(&finding) {
                found.push(finding);
            }
        }
    }
    found
}

fn judged(dialect: Dialect, calls: Calls, entry: &CatalogEntry) -> Vec<Finding> {
    let (name, word) = (&entry.name, entry.sort.word());
    match &entry.meaning {
        Meaning::Text(sql) => within(dialect, calls, entry, sql),
        Meaning::Code(maker) => code(dialect, calls, entry, maker).into_iter().collect(),
        Meaning::Outside(place) => {
            let sentence = format!("The {word} `{name}` reads from outside of the database: {place}.");
            let class = Class::Declared(Danger::External);
            vec![Finding::new("sql.outside", class, sentence).level(RiskLevel::High)]
        }
        Meaning::Hidden => {
            let sentence =
                format!("The connected role can't look into the {word} `{name}`, so what it does isn't known.");
            vec![Finding::new("sql.hidden", Class::Unknown, sentence)]
        }
    }
}

fn code(dialect: Dialect, calls: Calls, entry: &CatalogEntry, maker: &Maker) -> Option<Finding> {
    // An extension may be in any schema; the engine's own names carry theirs where it counts.
    let bare = || vec![entry.name.rsplit('.').next().unwrap_or_default().to_owned()];
    let whole = || entry.name.split('.').map(str::to_owned).collect::<Vec<_>>();
    let objection = match (maker, entry.sort) {
        (Maker::Engine, Sort::Field) => functions::act(dialect, &entry.name, calls, 0..0),
        (Maker::Engine, Sort::Function) => functions::objection(dialect, &whole(), calls, 0..0),
        (Maker::Engine, Sort::Relation) => secrets::relation(dialect, &entry.name),
        (Maker::Engine, _) => None,
        // Not the engine's own: planning may call whatever it finds.
        (Maker::Extension(_), Sort::Function | Sort::Field) => functions::objection(dialect, &bare(), Calls::Run, 0..0),
        (Maker::Extension(extension), _) => (!computes(extension)).then(|| {
            let sentence = format!(
                "No rule says that the {} `{}` of the extension `{extension}` only reads.",
                entry.sort.word(),
                entry.name
            );
            Finding::new("sql.code-unknown", Class::Unknown, sentence)
        }),
        (Maker::Database, sort) => {
            let word = sort.word();
            let sentence =
                format!("The {word} `{}` was put into this database, and no rule says that it only reads.", entry.name);
            Some(Finding::new("sql.code-unknown", Class::Unknown, sentence))
        }
    };
    objection.map(|finding| Finding { span: None, ..finding })
}

/// What the text in the place of a name does more than read. It is judged as if it were the statement.
fn within(dialect: Dialect, calls: Calls, entry: &CatalogEntry, sql: &str) -> Vec<Finding> {
    let text = match entry.sort {
        Sort::Policy | Sort::Column => format!("SELECT {sql}"),
        _ => sql.to_owned(),
    };
    let mut found = Vec::new();
    for (at, quoting) in lex::quotings(dialect, &text).into_iter().enumerate() {
        match lex::lex(&text, dialect, quoting) {
            Ok(lexed) => {
                let statements = lexed.tokens.split(|token| token.mark(';'));
                let statements: Vec<&[Token]> = statements.filter(|statement| !statement.is_empty()).collect();
                match statements.as_slice() {
                    [one] if super::reads(dialect, one) => {
                        found.extend(super::query(dialect, calls, one, &lexed.masked).objections);
                    }
                    _ => found.push(unparsed(dialect)),
                }
            }
            Err(_) if at == 0 => found.push(unparsed(dialect)),
            Err(_) => {}
        }
    }
    if dialect == Dialect::Postgres {
        // It knows what every name in there leads to, and each that counts is an entry of its own.
        found.retain(|finding| finding.rule != "sql.function-unknown");
    }
    let place = format!("In the {} `{}`: ", entry.sort.word(), entry.name);
    let told = |finding: Finding| Finding { sentence: format!("{place}{}", finding.sentence), span: None, ..finding };
    found.into_iter().take(FINDINGS).map(told).collect()
}

/// Whether the operators, casts and types of a PostgreSQL extension are known to only compute.
fn computes(extension: &str) -> bool {
    #[derive(Default, Deserialize)]
    struct Extensions {
        names: String,
    }
    static TABLE: OnceLock<Extensions> = OnceLock::new();
    let source = include_str!("../../../assets/rules/sql/extensions.toml");
    let table = TABLE.get_or_init(|| toml::from_str(source).unwrap_or_default());
    table.names.split_whitespace().any(|name| name == extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged_in(dialect: Dialect, planned: bool, sort: Sort, name: &str, meaning: Meaning) -> Vec<(String, String)> {
        let entry = CatalogEntry { sort, name: name.to_owned(), meaning };
        let catalog = Catalog { entries: vec![entry], ..Catalog::default() };
        objections(dialect, &Names { planned, ..Names::default() }, &catalog)
            .into_iter()
            .map(|finding| (finding.rule, finding.sentence))
            .collect()
    }

    fn judged(sort: Sort, name: &str, meaning: Meaning) -> Vec<(String, String)> {
        judged_in(Dialect::Postgres, false, sort, name, meaning)
    }

    #[test]
    fn code_that_somebody_put_into_the_database_is_named() {
        let sentence = "The function `public.lower` was put into this database, and no rule says that it only reads.";
        let found = judged(Sort::Function, "public.lower", Meaning::Code(Maker::Database));
        assert_eq!(found, [("sql.code-unknown".to_owned(), sentence.to_owned())]);
        for sort in [Sort::Operator, Sort::Cast, Sort::Type, Sort::OperatorClass, Sort::Field] {
            assert_eq!(judged(sort, "public.x", Meaning::Code(Maker::Database)).len(), 1);
        }
    }

    #[test]
    fn the_engines_functions_and_known_extensions_are_judged_by_their_tables() {
        let engine = |sort, name: &str| judged(sort, name, Meaning::Code(Maker::Engine)).len();
        assert_eq!(engine(Sort::Function, "lower") + engine(Sort::Field, "boolin"), 0);
        assert_eq!(engine(Sort::Function, "pg_read_file") + engine(Sort::Field, "pg_sleep"), 2);
        let extension = |name: &str| Meaning::Code(Maker::Extension(name.to_owned()));
        assert!(judged(Sort::Function, "public.digest", extension("pgcrypto")).is_empty());
        assert_eq!(judged(Sort::Function, "public.dblink", extension("dblink"))[0].0, "sql.function-connects");
        assert!(judged(Sort::Operator, "public.->", extension("hstore")).is_empty());
        assert_eq!(judged(Sort::Operator, "public.->", extension("mystery")).len(), 1);
    }

    #[test]
    fn a_plan_calls_only_what_the_engine_does_not_know_to_be_volatile() {
        let planned =
            |name: &str, maker| judged_in(Dialect::Postgres, true, Sort::Function, name, Meaning::Code(maker));
        assert!(planned("nextval", Maker::Engine).is_empty());
        assert_eq!(planned("public.f", Maker::Database).len(), 1);
    }

    #[test]
    fn the_text_behind_a_name_is_judged_like_a_statement() {
        let view = |sql: &str| judged(Sort::View, "public.v", Meaning::Text(sql.to_owned()));
        assert!(view(" SELECT t.a, lower(t.b) AS b FROM public.t;").is_empty());
        let found = view(" SELECT pg_terminate_backend(1) AS x;");
        assert_eq!(found[0].1, "In the view `public.v`: Stops what others run with `pg_terminate_backend`.");
        assert_eq!(view("SELECT rolpassword FROM pg_authid")[0].0, "sql.secret");
        assert_eq!(view("DELETE FROM t RETURNING a").len(), 1);
        assert_eq!(judged(Sort::Policy, "p", Meaning::Text("(a = pg_sleep(1)::text)".to_owned())).len(), 1);
        let mysql = |sql: &str| judged_in(Dialect::Mysql, false, Sort::View, "v", Meaning::Text(sql.to_owned())).len();
        assert_eq!((mysql("select own(1) AS `a`"), mysql("select lower(`t`.`a`) from `d`.`t`")), (1, 0));
        assert_eq!(judged(Sort::Relation, "pg_authid", Meaning::Code(Maker::Engine))[0].0, "sql.secret");
        assert!(judged(Sort::Policy, "p", Meaning::Text("(tenant = current_setting('a.b'))".to_owned())).is_empty());
    }

    #[test]
    fn what_lies_elsewhere_or_cannot_be_seen_is_said() {
        let found = judged(Sort::Table, "public.far", Meaning::Outside("the server `there`".to_owned()));
        assert_eq!(found[0].1, "The table `public.far` reads from outside of the database: the server `there`.");
        assert_eq!(judged(Sort::View, "v", Meaning::Hidden)[0].0, "sql.hidden");
        let found = objections(Dialect::Mysql, &Names::default(), &Catalog::unknown("no answer within 2 s"));
        assert!(found[0].sentence.ends_with("in the database: no answer within 2 s."));
    }
}
