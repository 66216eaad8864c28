//! Judges SQL: splits the text as the engine would, judges each statement by its tokens and by its syntax tree,
//! and allows a single statement that only reads. Never talks to a database. Called through `assess::assess`.

mod acts;
pub mod catalog;
mod clauses;
mod danger;
mod figures;
pub mod foresee;
mod forms;
mod functions;
mod grammar;
mod lex;
mod names;
mod operators;
mod plain;
mod reading;
mod secrets;
mod statements;
pub mod touch;
mod tree;

use std::collections::{BTreeSet, HashSet};

use forms::Form;
use functions::Calls;
use lex::{Kind, Lexed, Odd, Token};
use reading::{Reading, unparsed};
use statements::Narrowing;

use super::{RiskAssessor, Subject};
use crate::domain::number::count;
use crate::domain::{
    Assessment, Catalog, Class, Containment, Danger, Dialect, Finding, OperationKind, Shape, Span, SqlOperation, SqlWay,
};

/// With more findings than this, another one is told only of a kind that isn't among them.
const SHOWN: usize = 200;

/// Judges `execute_sql`.
#[derive(Clone, Copy, Debug)]
pub struct SqlAssessor;

impl RiskAssessor for SqlAssessor {
    fn assess(&self, subject: Subject<'_>) -> Assessment {
        match &subject.operation.kind {
            OperationKind::Sql(sql) => {
                let mut assessment = with_catalog(judge(sql), sql, subject.facts.catalog.as_ref());
                if assessment.class() != Class::Whitelisted {
                    assessment.findings.extend(own(sql, subject));
                }
                if sql.way == SqlWay::Trial {
                    assessment.findings.iter_mut().for_each(tried);
                }
                if let Some(finding) = way(&sql.way) {
                    assessment.findings.push(finding);
                    assessment.containment = Containment::default();
                }
                assessment
            }
            OperationKind::Command(_)
            | OperationKind::File(_)
            | OperationKind::Http(_)
            | OperationKind::Search(_)
            | OperationKind::Find(_)
            | OperationKind::Undo(_)
            | OperationKind::Apply(_)
            | OperationKind::Answer(_)
            | OperationKind::Mcp(_)
            | OperationKind::Other(_) => Assessment::default(),
        }
    }
}

/// What isn't known to read alone may write the files that its strings name.
fn own(sql: &SqlOperation, subject: Subject<'_>) -> Option<Finding> {
    let dialect = sql.dialect.unwrap_or(Dialect::Sqlite);
    let quoting = *lex::quotings(dialect, &sql.sql).first()?;
    let tokens = lex::lex(&sql.sql, dialect, quoting).ok()?.tokens;
    let (own, place) = (subject.settings.sensitive.own(), &subject.facts.place);
    let path = |text: &str| text.split('?').next().unwrap_or_default().to_owned();
    let names = |token: &&Token| {
        matches!(token.kind, Kind::Text | Kind::Name)
            && token.text.contains('/')
            && own.named(&path(&token.text), place)
    };
    let token = tokens.iter().find(names)?;
    let sentence = format!("It may write {}, which is Countersign's own and no tool changes.", token.text);
    Some(Finding { span: Some(token.span.clone()), ..Finding::new("sql.own", Class::Catastrophe, sentence) })
}

/// A trial destroys no rows: they are as they were at its end. Whatever else stands against a statement stands against its
/// trial as well.
fn tried(finding: &mut Finding) {
    const ROWS: [&str; 5] = ["sql.delete", "sql.update", "sql.insert-overwrites", "sql.replace", "sql.merge"];
    let rows = ROWS.iter().any(|rule| {
        finding.rule.strip_prefix(rule).is_some_and(|rest| ["", "-without-where", "-where-always-true"].contains(&rest))
    });
    if rows && finding.class == Class::Declared(Danger::Destructive) {
        *finding =
            Finding { span: finding.span.clone(), ..Finding::new(&*finding.rule, Class::Unknown, &*finding.sentence) };
    }
}

/// What has to be said of a statement that isn't simply run: never whitelisted.
fn way(way: &SqlWay) -> Option<Finding> {
    let (rule, sentence) = match way {
        SqlWay::Plain => return None,
        SqlWay::Trial => (
            "sql.trial",
            "A trial really runs it, then rolls it back: it takes locks, and sequences and counters stay advanced."
                .to_owned(),
        ),
        SqlWay::TakeBack(back) => {
            let rows = count(back.rows, "row");
            ("sql.take-back", format!("It takes back what was changed: {rows}."))
        }
    };
    Some(Finding::new(rule, Class::Unknown, sentence))
}

/// What only reads by its text still asks where its names lead to more than that.
fn with_catalog(assessment: Assessment, sql: &SqlOperation, catalog: Option<&Catalog>) -> Assessment {
    let (Some(catalog), Some(dialect), Class::Whitelisted) = (catalog, sql.dialect, assessment.class()) else {
        return assessment;
    };
    let names = catalog::names(dialect, &sql.sql).unwrap_or_default();
    let findings = catalog::objections(dialect, &names, catalog);
    if findings.is_empty() {
        return assessment;
    }
    Assessment { findings, containment: Containment::default(), ..assessment }
}

/// Where the bare words and quoted names of a text stand, as its engine usually splits it; nothing where it
/// can't be split.
pub(super) fn spans_of_names(sql: &SqlOperation) -> Option<Vec<Span>> {
    let dialect = sql.dialect.unwrap_or(Dialect::Mysql);
    let quoting = *lex::quotings(dialect, &sql.sql).first()?;
    let tokens = lex::lex(&sql.sql, dialect, quoting).ok()?.tokens;
    Some(tokens.into_iter().filter(Token::names).map(|token| token.span).collect())
}

/// Whether a text is a single statement that only reads.
pub(super) fn only_reads(dialect: Dialect, text: &str) -> bool {
    let sql =
        SqlOperation { connection: String::new(), dialect: Some(dialect), sql: text.to_owned(), way: SqlWay::Plain };
    judge(&sql).class() == Class::Whitelisted
}

/// What a text destroys where it is run, in a sentence; none if nothing of it is declared destructive.
pub(super) fn destroys(dialect: Dialect, text: &str) -> Option<String> {
    let sql =
        SqlOperation { connection: String::new(), dialect: Some(dialect), sql: text.to_owned(), way: SqlWay::Plain };
    let destructive = |finding: &Finding| finding.class == Class::Declared(Danger::Destructive);
    judge(&sql).findings.into_iter().find(destructive).map(|finding| finding.sentence)
}

/// Without a dialect all three judge, and the worst counts.
fn judge(sql: &SqlOperation) -> Assessment {
    let dialects = match &sql.dialect {
        Some(dialect) => vec![*dialect],
        None => vec![Dialect::Postgres, Dialect::Mysql, Dialect::Sqlite],
    };
    let judged = dialects.into_iter().map(|dialect| by_dialect(sql, dialect));
    worst(judged).unwrap_or_default()
}

fn worst(assessments: impl Iterator<Item = Assessment>) -> Option<Assessment> {
    assessments.reduce(|worst, next| {
        let rank = |assessment: &Assessment| (assessment.class(), assessment.level());
        if rank(&next) > rank(&worst) { next } else { worst }
    })
}

/// Servers can be set up to read quotes differently; where that makes a difference, the worst reading counts. A
/// reading that doesn't come to an end says nothing, unless the server would run a statement before it stumbles.
fn by_dialect(sql: &SqlOperation, dialect: Dialect) -> Assessment {
    let mut readings = lex::quotings(dialect, &sql.sql).into_iter().map(|quoting| lex::lex(&sql.sql, dialect, quoting));
    let usual = match readings.next() {
        Some(Ok(lexed)) => lexed,
        Some(Err(broken)) => {
            let Odd(what, span) = broken.odd;
            let finding = unparsed(dialect);
            let sentence = format!("{} Reason: {what}.", finding.sentence);
            return finish(sql, vec![Finding { sentence, ..finding.at(span) }], vec![]);
        }
        None => return Assessment::default(),
    };
    let others = readings.filter_map(|reading| match reading {
        Ok(lexed) => Some(lexed),
        Err(broken) => Some(broken.before).filter(|before| before.tokens.iter().any(|token| token.mark(';'))),
    });
    let judged = std::iter::once(usual).chain(others).map(|lexed| by_tokens(sql, dialect, &lexed));
    worst(judged).unwrap_or_default()
}

fn finish(sql: &SqlOperation, findings: Vec<Finding>, shapes: Vec<Shape>) -> Assessment {
    let assessment = Assessment { findings, shapes, target: sql.connection.clone(), ..Assessment::default() };
    let containment =
        if assessment.class() == Class::Whitelisted { Containment::ReadOnly } else { Containment::default() };
    Assessment { containment, ..assessment }
}

fn by_tokens(sql: &SqlOperation, dialect: Dialect, lexed: &Lexed) -> Assessment {
    let statements: Vec<&[Token]> =
        lexed.tokens.split(|token| token.mark(';')).filter(|statement| !statement.is_empty()).collect();
    let mut findings = Vec::new();
    let mut shapes = Vec::new();
    let mut known_forms = BTreeSet::new();
    for tokens in &statements {
        let judged = statement(dialect, tokens, &lexed.masked);
        // However many there are, each is looked at: rules go by every shape, and the worst counts.
        shapes.extend(judged.shapes(&sql.connection).into_iter().filter(|shape| known_forms.insert(shape.0.clone())));
        for finding in judged.objections {
            let told = |known: &Finding| known.rule == finding.rule && known.class == finding.class;
            if findings.len() < SHOWN || !findings.iter().any(told) {
                findings.push(finding);
            }
        }
    }
    if statements.is_empty() {
        findings.push(Finding::new("sql.empty", Class::Unknown, "There is no statement in it."));
    }
    if statements.len() > 1 {
        findings.push(several(statements.len()));
    }
    if let Some(span) = &lexed.conditional {
        let sentence = "It holds a conditional comment, which the server may run as code.";
        findings.push(Finding::new("sql.conditional-comment", Class::Unknown, sentence).at(span.clone()));
    }
    if let Some(span) = &lexed.hint {
        let sentence = "It holds a hint that may change settings.";
        findings.push(Finding::new("sql.hint-sets", Class::Unknown, sentence).at(span.clone()));
    }
    if findings.is_empty() {
        findings.push(Finding::new("sql.reads", Class::Whitelisted, "Only reads."));
    }
    let plain = matches!(statements.as_slice(), [only] if plain::writes(dialect, only));
    let forms = if plain { shapes.clone() } else { Vec::new() };
    Assessment { act: acts::told(&statements), forms, ..finish(sql, findings, shapes) }
}

fn several(count: usize) -> Finding {
    let sentence = format!("It holds {count} statements; only a single one that reads runs unasked.");
    Finding::new("sql.several", Class::Unknown, sentence)
}

/// What is known of one statement.
struct Judged {
    verb: String,
    tables: BTreeSet<String>,
    narrowing: Narrowing,
    objections: Vec<Finding>,
}

impl Judged {
    /// One shape for each table, so that every table must match.
    fn shapes(&self, connection: &str) -> Vec<Shape> {
        let narrowed = if self.narrowing == Narrowing::Clause { "yes" } else { "no" };
        let shape = |table: Option<&String>| {
            let parts = [("connection", connection), ("statement", &self.verb), ("where", narrowed)];
            let table = table.map(|table| ("table", table.as_str()));
            Shape::new(parts.into_iter().chain(table))
        };
        if self.tables.is_empty() {
            return vec![shape(None)];
        }
        self.tables.iter().map(|table| shape(Some(table))).collect()
    }
}

fn statement(dialect: Dialect, tokens: &[Token], masked: &str) -> Judged {
    let verb = match tokens.first() {
        Some(first) if first.kind == Kind::Word => first.text.as_str(),
        _ => "",
    };
    match verb {
        "show" => form(dialect, verb, forms::show(dialect, tokens), masked),
        "explain" | "describe" | "desc" => form(dialect, verb, forms::explain(dialect, tokens), masked),
        "help" if dialect == Dialect::Mysql => form(dialect, verb, forms::help(tokens), masked),
        "pragma" if dialect == Dialect::Sqlite => form(dialect, verb, forms::pragma(tokens), masked),
        "analyze" | "xa" if dialect == Dialect::Mysql => {
            match forms::analyze(tokens).or_else(|| forms::recover(tokens)) {
                Some(looks) => form(dialect, verb, looks, masked),
                None => writes(dialect, verb, tokens, masked),
            }
        }
        _ if reads(dialect, tokens) => query(dialect, Calls::Run, tokens, masked),
        _ => writes(dialect, verb, tokens, masked),
    }
}

/// Whether a query starts here.
fn reads(dialect: Dialect, tokens: &[Token]) -> bool {
    let Some(first) = tokens.iter().find(|token| !token.mark('(')) else { return false };
    let table = first.is("table") && dialect != Dialect::Sqlite;
    table || ["select", "with", "values"].iter().any(|word| first.is(word))
}

fn query(dialect: Dialect, calls: Calls, tokens: &[Token], masked: &str) -> Judged {
    let tree = tree::query(dialect, calls, tokens, masked);
    let empty = HashSet::new();
    let aliases = tree.as_ref().map_or(&empty, |tree| &tree.aliases);
    let mut objections = Reading { dialect, calls, aliases, tokens }.objections();
    let tables = match tree {
        Some(tree) => {
            let known: HashSet<String> = objections.iter().map(|finding| finding.rule.clone()).collect();
            objections.extend(tree.objections.into_iter().filter(|finding| !known.contains(&finding.rule)));
            tree.tables
        }
        None => tree::tables_by_tokens(tokens),
    };
    let verb = tokens.iter().find(|token| token.kind == Kind::Word).map(|token| token.text.clone());
    Judged { verb: verb.unwrap_or_default(), tables, narrowing: statements::narrowing(tokens), objections }
}

fn writes(dialect: Dialect, verb: &str, tokens: &[Token], masked: &str) -> Judged {
    let joined = foresee::changes(dialect, tokens, masked);
    let written =
        if joined.is_empty() { statements::written(dialect, tokens) } else { statements::joined(tokens, &joined) };
    let mut objections = vec![written];
    objections.extend(secrets::findings(dialect, tokens));
    let tables = if joined.is_empty() { statements::targets(tokens) } else { joined };
    let tables = tables.into_iter().collect();
    Judged { verb: verb.to_owned(), tables, narrowing: statements::narrowing(tokens), objections }
}

fn form(dialect: Dialect, verb: &str, form: Form<'_>, masked: &str) -> Judged {
    let named =
        Judged { verb: verb.to_owned(), tables: BTreeSet::new(), narrowing: Narrowing::None, objections: vec![] };
    match form {
        Form::Objection(finding) => Judged { objections: vec![finding], ..named },
        Form::Tells => named,
        Form::Looks(part) => {
            let reading = Reading { dialect, calls: Calls::Run, aliases: &HashSet::new(), tokens: part };
            Judged { tables: tree::tables_by_tokens(part), objections: reading.objections(), ..named }
        }
        Form::Runs(inner) if reads(dialect, inner) => query(dialect, Calls::Run, inner, masked),
        Form::Runs(inner) => writes(dialect, "explain analyze", inner, masked),
        Form::Plans(inner) => Judged { verb: verb.to_owned(), ..query(dialect, Calls::Planned, inner, masked) },
    }
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
