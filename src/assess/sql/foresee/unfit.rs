//! Values that MySQL and MariaDB refuse as they come: a text where a number, a date or a word of a list has to stand, and
//! what divides by zero. PostgreSQL is asked to compute them, and SQLite refuses none.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, SelectItem, SetExpr, Statement,
    Visit, Visitor,
};

use super::broken::{Break, Look};
use super::brought::{Brought, Own};
use super::kept::given;
use super::{NewValue, Reads, statement};
use crate::domain::Dialect;

/// Functions that may leave out what stands in them.
const CHOOSING: [&str; 7] = ["coalesce", "elt", "if", "ifnull", "nullif", "nvl", "nvl2"];

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

/// Conditions of what divides by zero in a value, each where that is computed: none where that can't be told.
fn divided(value: &str) -> Vec<String> {
    let Some(parsed) = statement(Dialect::Mysql, &format!("SELECT {value}")) else { return Vec::new() };
    let Statement::Query(query) = parsed.statement else { return Vec::new() };
    let SetExpr::Select(select) = *query.body else { return Vec::new() };
    let [SelectItem::UnnamedExpr(value)] = select.projection.as_slice() else { return Vec::new() };
    let mut found = Vec::new();
    if divides(value, &mut Vec::new(), &mut found).is_some() { found } else { Vec::new() }
}

/// Finds what divides in an expression that is computed where these conditions hold. None where it isn't told when a part
/// of it is.
fn divides(value: &Expr, holds: &mut Vec<String>, found: &mut Vec<String>) -> Option<()> {
    const DIVIDES: [BinaryOperator; 3] =
        [BinaryOperator::Divide, BinaryOperator::Modulo, BinaryOperator::MyIntegerDivide];
    match value {
        Expr::Case { operand, conditions, else_result, .. } => {
            let whole = holds.len();
            for CaseWhen { condition, result } in conditions {
                let meets = match operand {
                    Some(operand) => format!("({operand}) = ({condition})"),
                    None => condition.to_string(),
                };
                divides(condition, holds, found)?;
                under(result, format!("({meets}) IS TRUE"), holds, found)?;
                holds.push(format!("({meets}) IS NOT TRUE"));
            }
            else_result.as_ref().map_or(Some(()), |value| divides(value, holds, found))?;
            holds.truncate(whole);
            operand.as_ref().map_or(Some(()), |operand| divides(operand, holds, found))
        }
        Expr::Function(function) => {
            let FunctionArguments::List(list) = &function.args else { return Some(()) };
            let values: Option<Vec<&Expr>> = list
                .args
                .iter()
                .map(|value| match value {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
                    _ => None,
                })
                .collect();
            let values = values?;
            match (function.name.to_string().to_lowercase().as_str(), values.as_slice()) {
                ("if", [condition, one, other]) => {
                    under(one, format!("({condition}) IS TRUE"), holds, found)?;
                    under(other, format!("({condition}) IS NOT TRUE"), holds, found)?;
                    divides(condition, holds, found)
                }
                ("coalesce" | "ifnull" | "nvl", [first, rest @ ..]) => {
                    let (depth, mut before) = (holds.len(), *first);
                    for value in rest {
                        holds.push(format!("({before}) IS NULL"));
                        divides(value, holds, found)?;
                        before = value;
                    }
                    holds.truncate(depth);
                    divides(first, holds, found)
                }
                (name, _) if CHOOSING.contains(&name) => None,
                (_, values) => values.iter().try_for_each(|value| divides(value, holds, found)),
            }
        }
        Expr::BinaryOp { op: BinaryOperator::And | BinaryOperator::Or, .. } => plainly(value),
        Expr::BinaryOp { left, op, right } => {
            if DIVIDES.contains(op) {
                let zero = format!("({left}) IS NOT NULL AND ({right}) = 0");
                found.push(if holds.is_empty() { zero } else { format!("({}) AND {zero}", holds.join(" AND ")) });
            }
            divides(left, holds, found)?;
            divides(right, holds, found)
        }
        Expr::UnaryOp { expr, .. } | Expr::Nested(expr) | Expr::Cast { expr, .. } => divides(expr, holds, found),
        _ => plainly(value),
    }
}

/// The same of a part that is computed where this holds, too.
fn under(value: &Expr, condition: String, holds: &mut Vec<String>, found: &mut Vec<String>) -> Option<()> {
    holds.push(condition);
    divides(value, holds, found)?;
    holds.pop();
    Some(())
}

/// Passes what divides nowhere.
fn plainly(value: &Expr) -> Option<()> {
    struct Look;
    impl Visitor for Look {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            use BinaryOperator::{Divide, Modulo, MyIntegerDivide};
            match expr {
                Expr::BinaryOp { op: Divide | Modulo | MyIntegerDivide, .. } => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    value.visit(&mut Look).is_continue().then_some(())
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
        let zero = "(a) IS NOT NULL AND (b) = 0";
        for (value, holds) in [
            ("CASE WHEN b > 0 THEN a / b END", "(b > 0) IS TRUE"),
            ("CASE c WHEN 1 THEN 2 WHEN 3 THEN a / b END", "((c) = (1)) IS NOT TRUE AND ((c) = (3)) IS TRUE"),
            ("CASE WHEN c THEN 1 ELSE a / b END", "(c) IS NOT TRUE"),
            ("1 + if(b, (a / b), 0)", "(b) IS TRUE"),
            ("coalesce(c, d, a / b)", "(c) IS NULL AND (d) IS NULL"),
        ] {
            assert_eq!(divided(value), [format!("({holds}) AND {zero}")], "{value}");
        }
        for value in ["b > 0 AND a / b > 1", "a * b", "elt(b, a / b)", "CASE WHEN c THEN (SELECT a / b) END"] {
            assert_eq!(divided(value), [""; 0], "{value}");
        }
    }
}
