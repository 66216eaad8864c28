//! What an `ALTER TABLE` makes of the values of its columns: those that go, and those that become another type's, as reads.

use sqlparser::ast::{AlterColumnOperation, AlterTableOperation, CharacterLength, DataType, Ident, Statement};

use super::{Parsed, count, lead, statement};
use crate::domain::Dialect;

/// What becomes of the values of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// They go.
    Go {
        /// The column, as the statement spells it.
        column: String,
        /// Counts the rows that have one.
        sql: String,
    },
    /// They become another type's.
    Become {
        /// The column, as the statement spells it.
        column: String,
        /// The type.
        kind: String,
        /// Computes them, where the engine says what it can't make of one.
        tried: Option<String>,
        /// Counts the texts that are longer than it takes, and how many letters that is.
        longer: Option<(String, u64)>,
    },
}

/// What a statement makes of the values of columns.
#[must_use]
pub fn values(dialect: Dialect, sql: &str) -> Vec<Values> {
    let Some(Parsed { statement: Statement::AlterTable(alter), .. }) = statement(dialect, sql) else {
        return Vec::new();
    };
    let from = format!("{}{}", lead(alter.only), alter.name);
    let turned = |column: &Ident, kind: &DataType, value: Option<String>| {
        let own = column.to_string();
        let longer = most(kind).filter(|_| value.is_none()).map(|most| (long(dialect, &from, &own, most), most));
        let value = value.unwrap_or_else(|| own.clone());
        // A read of each value: what isn't asked for isn't computed.
        let tried = format!(
            "SELECT {} FROM (SELECT CAST(({value}) AS {kind}) AS made FROM {from}) AS countersign_made WHERE made IS NULL",
            count(dialect)
        );
        let tried = (dialect == Dialect::Postgres).then_some(tried);
        Values::Become { column: own, kind: kind.to_string(), tried, longer }
    };
    let one = |operation: &AlterTableOperation| match operation {
        AlterTableOperation::DropColumn { column_names, .. } => {
            let go = |name: &Ident| Values::Go {
                column: name.to_string(),
                sql: format!("SELECT {} FROM {from} WHERE {name} IS NOT NULL", count(dialect)),
            };
            column_names.iter().map(go).collect()
        }
        AlterTableOperation::AlterColumn {
            column_name,
            op: AlterColumnOperation::SetDataType { data_type, using, .. },
        } => {
            vec![turned(column_name, data_type, using.as_ref().map(ToString::to_string))]
        }
        AlterTableOperation::ModifyColumn { col_name: name, data_type, .. }
        | AlterTableOperation::ChangeColumn { old_name: name, data_type, .. } => vec![turned(name, data_type, None)],
        _ => Vec::new(),
    };
    alter.operations.iter().flat_map(one).collect()
}

/// The most letters that a text of a type has.
fn most(kind: &DataType) -> Option<u64> {
    let (DataType::Varchar(length)
    | DataType::CharacterVarying(length)
    | DataType::CharVarying(length)
    | DataType::Char(length)
    | DataType::Character(length)) = kind
    else {
        return None;
    };
    match length {
        Some(CharacterLength::IntegerLength { length, .. }) => Some(*length),
        _ => None,
    }
}

/// Counts the texts that are longer: blanks at the end don't count.
fn long(dialect: Dialect, from: &str, column: &str, most: u64) -> String {
    let length = match dialect {
        Dialect::Postgres => format!("pg_catalog.char_length(pg_catalog.rtrim(CAST({column} AS text)))"),
        Dialect::Mysql => format!("CHAR_LENGTH(RTRIM({column}))"),
        Dialect::Sqlite => format!("length({column})"),
    };
    format!("SELECT {} FROM {from} WHERE {length} > {most}", count(dialect))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_of_values_is_told_as_reads() {
        let told = values(Dialect::Postgres, "ALTER TABLE ONLY t DROP COLUMN \"A\", ALTER b TYPE varchar(3)");
        let [Values::Go { column, sql }, Values::Become { tried, longer, .. }] = told.as_slice() else {
            panic!("{told:?}")
        };
        assert_eq!(column, "\"A\"");
        assert_eq!(sql, "SELECT pg_catalog.count(*) FROM ONLY t WHERE \"A\" IS NOT NULL");
        assert!(tried.as_ref().unwrap().contains("CAST((b) AS VARCHAR(3))"), "{tried:?}");
        assert_eq!(longer.as_ref().unwrap().1, 3);
        let told = values(Dialect::Postgres, "ALTER TABLE t ALTER COLUMN b SET DATA TYPE int USING length(b)");
        assert!(
            matches!(&told[0], Values::Become { tried: Some(tried), longer: None, .. } if tried.contains("length(b)"))
        );
        let told = values(Dialect::Mysql, "ALTER TABLE t MODIFY b varchar(2) NOT NULL");
        assert!(matches!(&told[0], Values::Become { tried: None, longer: Some((_, 2)), .. }), "{told:?}");
        assert_eq!(values(Dialect::Sqlite, "ALTER TABLE t RENAME TO u"), []);
    }
}
