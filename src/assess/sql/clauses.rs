//! The clauses of a query that do more than read: `INTO`, locks, and statements that write where a query may stand.
//! Called by `reading.rs` for every bare word.

use super::functions::Calls;
use super::lex::{Kind, Token};
use super::reading::{Reading, unparsed};
use super::{grammar, statements};
use crate::domain::{Class, Danger, Dialect, Finding, RiskLevel};

impl Reading<'_> {
    /// What a bare word begins that does more than read.
    pub(super) fn word(&self, at: usize) -> Option<Finding> {
        let token = &self.tokens[at];
        if self.is_named(at) {
            return None;
        }
        let span = token.span.clone();
        match token.text.as_str() {
            "into" if self.calls == Calls::Run || self.writes_file(at) => Some(self.into(at)),
            "for" if (self.calls == Calls::Run || self.dialect == Dialect::Mysql) && self.locks(at) => {
                Some(Finding::new("sql.locks", Class::Unknown, "Locks the rows that it reads.").at(span))
            }
            "lock" if self.dialect == Dialect::Mysql && self.is(at + 1, "in") => {
                Some(Finding::new("sql.locks", Class::Unknown, "Locks the rows that it reads.").at(span))
            }
            "procedure" if self.dialect == Dialect::Mysql && !self.is(0, "show") && !self.is(at + 1, "analyse") => {
                Some(Finding::new("sql.procedure", Class::Unknown, "Runs a procedure over its result.").at(span))
            }
            "drop" | "alter" | "create" | "truncate" | "grant" | "revoke" if self.is_foreign(at) => {
                Some(unparsed(self.dialect).at(span))
            }
            "next" if self.is(at + 1, "value") && self.is(at + 2, "for") => {
                let sentence = "Takes the next value of a sequence.";
                Some(Finding::new("sql.function-writes", Class::Declared(Danger::Destructive), sentence).at(span))
            }
            "insert" | "update" | "delete" | "merge" | "replace" if self.calls == Calls::Run && self.is_verb(at) => {
                Some(statements::written(self.dialect, self.part(at)))
            }
            "union" | "intersect" | "except" if self.combines_no_query(at) => Some(unparsed(self.dialect).at(span)),
            _ if self.is_misplaced(at) && !self.is_planned(at) => Some(unparsed(self.dialect).at(span)),
            _ => None,
        }
    }

    /// Whether a word is a name for what stands before it: behind a point, or behind `AS`.
    fn is_named(&self, at: usize) -> bool {
        self.before(at, 1).is_some_and(|before| before.mark('.') || before.is("as") && self.names_next(at - 1))
    }

    /// Whether an `as` is the keyword, behind something that can get a name. PostgreSQL takes `AS as` and `x.as`, MySQL
    /// the latter: what follows such a name is no name.
    fn names_next(&self, at: usize) -> bool {
        let Some(before) = self.before(at, 1) else { return false };
        let point = |steps| self.before(at, steps).is_some_and(|token| token.mark('.'));
        match before.kind {
            Kind::Mark(mark) => matches!(mark, ')' | ']' | '}'),
            Kind::Word => point(2) || !grammar::before_expression(&before.text),
            Kind::Name | Kind::Text | Kind::Number => true,
        }
    }

    /// Another statement that goes on without a `;`: nothing that these engines take, but nothing that reads.
    fn is_foreign(&self, at: usize) -> bool {
        at > 0 && !self.is(0, "show") && self.at(at + 1).is_some_and(grammar::kind_of_object)
    }

    /// Whether nothing that reads follows `UNION` and its kind. No engine takes it, but nothing says that it reads.
    fn combines_no_query(&self, at: usize) -> bool {
        let next = at + 1 + usize::from(self.is(at + 1, "all") || self.is(at + 1, "distinct"));
        let bracket = self.at(next).is_some_and(|token| token.mark('('));
        let table = self.is(next, "table") && self.dialect != Dialect::Sqlite;
        !bracket && !table && !["select", "values", "with"].iter().any(|word| self.is(next, word))
    }

    /// Another statement in the brackets of a subquery. No engine takes it, but nothing says that it reads. A verb
    /// alone, or before a sign, is a column there.
    fn is_misplaced(&self, at: usize) -> bool {
        let before = |steps| self.before(at, steps);
        let bracket = before(1).is_some_and(|token| token.mark('('))
            && before(2)
                .is_none_or(|token| token.mark('(') || token.kind == Kind::Word && grammar::before_query(&token.text));
        let goes_on = self.at(at + 1).is_some_and(|next| match next.kind {
            Kind::Word => !grammar::after_expression(&next.text),
            Kind::Name | Kind::Text | Kind::Number => true,
            Kind::Mark(_) => false,
        });
        let verb = self.tokens[at].text.as_str();
        bracket && goes_on && (statements::begins(verb) || verb == "table" && self.dialect == Dialect::Sqlite)
    }

    /// Whether it is a named query of PostgreSQL that changes rows, of a statement that is planned and not run.
    fn is_planned(&self, at: usize) -> bool {
        let named = self.before(at, 2).is_some_and(|token| token.is("as") || token.is("materialized"));
        let changes = ["insert", "update", "delete", "merge"].iter().any(|verb| self.is(at, verb));
        self.dialect == Dialect::Postgres && self.calls == Calls::Planned && named && changes
    }

    /// `FOR UPDATE`, `FOR NO KEY UPDATE`, `FOR SHARE`, `FOR KEY SHARE`.
    fn locks(&self, at: usize) -> bool {
        ["update", "share", "no", "key"].iter().any(|word| self.is(at + 1, word))
    }

    fn writes_file(&self, into: usize) -> bool {
        self.is(into + 1, "outfile") || self.is(into + 1, "dumpfile")
    }

    fn into(&self, at: usize) -> Finding {
        let span = self.tokens[at].span.clone();
        if self.writes_file(at) {
            let class = Class::Declared(Danger::External);
            return Finding::new("sql.into-file", class, "Writes a file on the database server.")
                .level(RiskLevel::High)
                .at(span);
        }
        if self.dialect == Dialect::Mysql {
            return Finding::new("sql.into-variable", Class::Unknown, "Stores its result in a variable.").at(span);
        }
        let sentence = format!("Creates {} from its result.", statements::object(&self.tokens[at + 1..], "a table"));
        Finding::new("sql.select-into", Class::Unknown, sentence).at(span)
    }

    /// A verb that writes, rather than a name: not where only an expression or an alias can stand.
    fn is_verb(&self, at: usize) -> bool {
        let next = self.at(at + 1).is_some_and(|next| !matches!(next.kind, Kind::Mark(_)) && !next.is("as"));
        let locked = [1, 2, 3].iter().map_while(|steps| self.before(at, *steps)).find(|token| !is_lock(token));
        let locks = locked.is_some_and(|token| token.is("for")) && self.is(at, "update");
        let before = match self.before(at, 1) {
            Some(before) => match before.kind {
                Kind::Mark(mark) => matches!(mark, '(' | ')'),
                Kind::Word => !self.expects_name(at, &before.text),
                Kind::Name | Kind::Text | Kind::Number => true,
            },
            None => true,
        };
        next && before && !locks
    }

    /// Whether a name rather than a statement follows a keyword.
    fn expects_name(&self, at: usize, keyword: &str) -> bool {
        match keyword {
            "by" => self
                .before(at, 2)
                .is_some_and(|token| ["order", "group", "partition"].iter().any(|word| token.is(word))),
            "recursive" => self.before(at, 2).is_some_and(|token| token.is("with")),
            "as" => self.names_next(at - 1),
            _ => grammar::before_expression(keyword),
        }
    }

    /// The tokens from a verb to the end of its bracket.
    fn part(&self, at: usize) -> &[Token] {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            match token.kind {
                Kind::Mark('(') => depth += 1,
                Kind::Mark(')') if depth == 0 => return &self.tokens[at..index],
                Kind::Mark(')') => depth -= 1,
                _ => {}
            }
        }
        &self.tokens[at..]
    }
}

/// The words between `FOR` and `UPDATE`.
fn is_lock(token: &Token) -> bool {
    token.is("no") || token.is("key")
}
