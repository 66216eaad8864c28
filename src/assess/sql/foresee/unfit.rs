//! Values that MySQL and MariaDB refuse as they come: a text where a number, a date or a word of a list has to stand, and
//! what divides by zero. PostgreSQL is asked to compute them, and SQLite refuses none.

use std::ops::ControlFlow;

use sqlparser::ast::{BinaryOperator, Expr, Visit, Visitor};

use super::broken::{Break, Look};
use super::brought::{Brought, Own};
use super::kept::given;
use super::{NewValue, Reads, statement};
use crate::domain::Dialect;

/// Functions that may leave out what stands in them.
const CHOOSING: [&str; 6] = ["coalesce", "elt", "if", "ifnull", "nullif", "nvl"];

/// What a text in single quotes says. None for anything else, and for what has quotes or escapes in it.
fn literal(value: &str) -> Option<&str> {
    let inner = value.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inner.contains(['\'', '\\'])).then_some(inner)
}

impl Own {
    /// Whether a text is no date, as the engine reads it: 1 where it isn't.
    fn undated(&self, value: &str) -> Option<String> {
        let text = literal(value).filter(|text| text.contains(|letter: char| letter.is_ascii_digit()))?;
        let kind = self.kind.to_ascii_lowercase();
        let kind = match kind.split(['(', ' ']).next().unwrap_or_default() {
            "date" => "date",
            "datetime" => "datetime",
            _ => return None,
        };
        Some(format!("(CAST('{text}' AS {kind}) IS NULL)"))
    }

    /// Whether a text is surely none that a column of this type takes.
    fn refuses(&self, text: &str) -> bool {
        let kind = self.kind.to_ascii_lowercase();
        let text = text.trim();
        match kind.split(['(', ' ']).next().unwrap_or_default() {
            "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "decimal" | "double" | "float" => {
                let letters = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
                !text.chars().all(letters) || text.parse::<f64>().is_err()
            }
            "date" | "datetime" | "timestamp" => !text.contains(|letter: char| letter.is_ascii_digit()),
            "enum" => {
                let list = kind.strip_prefix("enum('").and_then(|list| list.strip_suffix("')"));
                // A number stands for the word at that place.
                let number = text.parse::<u64>().is_ok();
                list.is_some_and(|list| {
                    !list.contains("''") && !number && !list.split("','").any(|word| word == text.to_ascii_lowercase())
                })
            }
            _ => false,
        }
    }
}

/// Conditions of what divides by zero in a value: none where that may be left out.
fn divided(value: &str) -> Vec<String> {
    struct Look(Vec<String>);
    impl Visitor for Look {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::Case { .. } | Expr::Subquery(_) => ControlFlow::Break(()),
                Expr::Function(function) if CHOOSING.contains(&function.name.to_string().to_lowercase().as_str()) => {
                    ControlFlow::Break(())
                }
                Expr::BinaryOp { left, op, right } => {
                    let divides = [BinaryOperator::Divide, BinaryOperator::Modulo, BinaryOperator::MyIntegerDivide];
                    if [BinaryOperator::And, BinaryOperator::Or].contains(op) {
                        return ControlFlow::Break(());
                    }
                    if divides.contains(op) {
                        self.0.push(format!("({left}) IS NOT NULL AND ({right}) = 0"));
                    }
                    ControlFlow::Continue(())
                }
                _ => ControlFlow::Continue(()),
            }
        }
    }
    let mut look = Look(Vec::new());
    let Some(parsed) = statement(Dialect::Mysql, &format!("SELECT {value}")) else { return Vec::new() };
    if parsed.statement.visit(&mut look).is_break() { Vec::new() } else { look.0 }
}

impl Brought {
    /// How many of the rows of a text hold what a column refuses; of MySQL.
    #[must_use]
    pub fn unfit(&self, names: &[String], own: &[Own]) -> Vec<(Break, u64)> {
        let (Self::Values(rows), Some(given)) = (self, given(Dialect::Mysql, names, own)) else { return Vec::new() };
        let one = |(at, own): (usize, &&Own)| {
            let value = |row: &&Vec<Option<String>>| {
                row.get(at).and_then(Option::as_deref).and_then(literal).is_some_and(|text| own.refuses(text))
            };
            (Break::Unfit(own.name.clone(), own.kind.clone()), rows.iter().filter(value).count() as u64)
        };
        given.iter().enumerate().map(one).collect()
    }

    /// The read for rows of a text that divide by zero; of MySQL.
    #[must_use]
    pub fn divided(&self) -> Option<Look> {
        let Self::Values(rows) = self else { return None };
        let row = |row: &Vec<Option<String>>| {
            let all: Vec<String> = row.iter().flatten().flat_map(|value| divided(value)).collect();
            (!all.is_empty()).then(|| format!("CASE WHEN {} THEN 1 ELSE 0 END", all.join(" OR ")))
        };
        let all: Vec<String> = rows.iter().filter_map(row).collect();
        let sql = format!("SELECT {}, 0", all.join(" + "));
        (!all.is_empty()).then(|| Look { sql, breaks: vec![Break::Divided] })
    }
}

impl Brought {
    /// The reads for dates that aren't: the engine makes NULL of one, as it refuses to keep it. Of MySQL.
    #[must_use]
    pub fn undated(&self, names: &[String], own: &[Own]) -> Vec<Look> {
        let (Self::Values(rows), Some(given)) = (self, given(Dialect::Mysql, names, own)) else { return Vec::new() };
        let one = |(at, own): (usize, &&Own)| {
            let all: Vec<String> = rows.iter().filter_map(|row| own.undated(row.get(at)?.as_deref()?)).collect();
            let sql = format!("SELECT {}, 0", all.join(" + "));
            (!all.is_empty()).then(|| Look { sql, breaks: vec![Break::Unfit(own.name.clone(), own.kind.clone())] })
        };
        given.iter().enumerate().filter_map(one).collect()
    }
}

impl Reads {
    /// The same for what an `UPDATE` sets.
    #[must_use]
    pub fn undated(&self, own: &[Own]) -> Vec<Look> {
        let one = |new: &NewValue| {
            let own = own.iter().find(|own| own.name.eq_ignore_ascii_case(&new.column))?;
            let (dated, from) = (own.undated(&new.value)?, self.from.as_ref()?);
            let sql = format!("SELECT ({dated}) * (SELECT count(*) {from}), 0");
            Some(Look { sql, breaks: vec![Break::Unfit(own.name.clone(), own.kind.clone())] })
        };
        self.new.iter().filter_map(one).collect()
    }

    /// What an `UPDATE` sets that a column refuses; of MySQL.
    #[must_use]
    pub fn unfit(&self, own: &[Own]) -> Vec<Break> {
        let refused = self.new.iter().filter_map(|new| {
            let own = own.iter().find(|own| own.name.eq_ignore_ascii_case(&new.column))?;
            literal(&new.value).filter(|text| own.refuses(text))?;
            Some(Break::Unfit(own.name.clone(), own.kind.clone()))
        });
        refused.collect()
    }

    /// The read for rows of an `UPDATE` that divide by zero; of MySQL.
    #[must_use]
    pub fn divided(&self) -> Option<Look> {
        let all: Vec<String> = self.new.iter().flat_map(|new| divided(&new.value)).collect();
        let from = self.from.as_ref().filter(|_| !all.is_empty())?;
        let rows = format!("SELECT ({}) AS zero {from}", all.join(" OR "));
        let sql = format!("SELECT count(*), 0 FROM ({rows}) AS countersign_after WHERE zero");
        Some(Look { sql, breaks: vec![Break::Divided] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_none_of_a_type_is_refused() {
        for (kind, text, refused) in [
            ("int(11)", "'abc'", true),
            ("int(11)", "'12'", false),
            ("int(11)", "' 1e3 '", false),
            ("int(11)", "''", true),
            ("decimal(8,2)", "'12,5'", true),
            ("int(11)", "x'41'", false),
            ("int(11)", "abc", false),
            ("date", "'yesterday'", true),
            ("date", "'2024-01-05'", false),
            ("enum('new','Old')", "'old'", false),
            ("enum('new','old')", "'gone'", true),
            ("enum('new','old')", "'1'", false),
            ("varchar(3)", "'abc'", false),
        ] {
            let own = Own { kind: kind.to_owned(), ..Own::default() };
            assert_eq!(literal(text).is_some_and(|text| own.refuses(text)), refused, "{kind}: {text}");
        }
    }

    #[test]
    fn what_divides_is_looked_at_where_it_is_surely_computed() {
        assert_eq!(divided("1 + a / b"), ["(a) IS NOT NULL AND (b) = 0"]);
        assert_eq!(divided("round(a % 3)"), ["(a) IS NOT NULL AND (3) = 0"]);
        for value in ["CASE WHEN b > 0 THEN a / b END", "if(b, a / b, 0)", "b > 0 AND a / b > 1", "a * b"] {
            assert_eq!(divided(value), [""; 0], "{value}");
        }
    }
}
