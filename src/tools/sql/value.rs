//! Values as SQL: how a column is read so that a text tells its values exactly, how that text is written as a literal,
//! and how a condition says that a column still holds it. Exact means: byte for byte, whatever the collation, the
//! time zone or the way that a server reads backslashes.

use super::table::Column;
use crate::domain::Dialect;

/// Stands for bytes that are no text: every engine refuses it, so that nothing else is written in their place.
const NO_TEXT: &str = "x'?'";

/// How the values of a column are told, read and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// PostgreSQL: the type's own text, and its own `=` is exact. MySQL: dates, times, addresses.
    Plain,
    /// PostgreSQL: the type's own text, which is compared, as its `=` is not exact or not there.
    Printed,
    /// MySQL: digits.
    Number,
    /// MySQL: a number with an exponent.
    Double,
    /// MySQL: prints fewer digits than it holds, unless it is made a double.
    Float,
    /// MySQL: bits, as a number.
    Bits,
    /// MySQL: a moment, told in UTC.
    Stamp,
    /// MySQL: text, compared byte by byte.
    Text,
    /// MySQL: bytes.
    Bytes,
    /// SQLite: each value has a type of its own.
    Any,
}

impl Form {
    /// The form of that name in `table.sql`. None for values that no text tells exactly.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "plain" => Self::Plain,
            "printed" => Self::Printed,
            "number" => Self::Number,
            "double" => Self::Double,
            "float" => Self::Float,
            "bits" => Self::Bits,
            "stamp" => Self::Stamp,
            "text" | "json" => Self::Text,
            "bytes" => Self::Bytes,
            "any" => Self::Any,
            _ => return None,
        })
    }

    /// The expression that reads a value as bytes that tell it exactly.
    pub(super) fn image(self, column: &str) -> String {
        match self {
            Self::Plain | Self::Printed | Self::Number | Self::Double | Self::Bytes => column.to_owned(),
            Self::Float => format!("CAST({column} AS DOUBLE)"),
            Self::Bits => format!("CAST({column} AS UNSIGNED)"),
            Self::Text => format!("CONVERT({column} USING utf8mb4)"),
            Self::Stamp => format!(
                "IF(UNIX_TIMESTAMP({column}) = 0, '0000-00-00 00:00:00', \
                 DATE_ADD('1970-01-01', INTERVAL UNIX_TIMESTAMP({column}) SECOND))"
            ),
            // A text may hold NUL characters, which `quote` doesn't get over.
            Self::Any => {
                format!("CASE typeof({column}) WHEN 'text' THEN 't' || hex({column}) ELSE quote({column}) END")
            }
        }
    }

    /// The literal of a value that `image` gave. None for NULL.
    fn literal(self, dialect: Dialect, image: Option<&[u8]>) -> Option<String> {
        let image = image?;
        if self == Self::Bytes {
            return Some(format!("x'{}'", hex(image)));
        }
        let Ok(text) = std::str::from_utf8(image) else { return Some(NO_TEXT.to_owned()) };
        Some(match self {
            Self::Plain | Self::Printed | Self::Stamp | Self::Text => quoted_text(dialect, text),
            Self::Double | Self::Float if !text.contains('e') => format!("{text}e0"),
            Self::Any if text == "NULL" => return None,
            Self::Any => match text.strip_prefix('t') {
                None => text.to_owned(),
                Some(digits) => {
                    let bytes = unhex(digits.as_bytes());
                    match std::str::from_utf8(&bytes) {
                        Ok(text) if !text.contains('\0') => quoted_text(dialect, text),
                        Ok(_) | Err(_) => format!("CAST(x'{digits}' AS TEXT)"),
                    }
                }
            },
            Self::Number | Self::Bits | Self::Double | Self::Float | Self::Bytes => text.to_owned(),
        })
    }
}

/// A value of a column: the literal, or NULL.
pub(super) fn literal(dialect: Dialect, form: Form, image: Option<&[u8]>) -> String {
    form.literal(dialect, image).unwrap_or_else(|| "NULL".to_owned())
}

/// The condition that a column holds exactly this value.
pub(super) fn holds(dialect: Dialect, column: &Column, collated: bool, form: Form, image: Option<&[u8]>) -> String {
    let name = quoted_name(dialect, &column.name);
    let Some(literal) = form.literal(dialect, image) else {
        return if form == Form::Printed {
            format!("{name} IS NOT DISTINCT FROM NULL")
        } else {
            format!("{name} IS NULL")
        };
    };
    match form {
        Form::Plain | Form::Number | Form::Double | Form::Bits | Form::Stamp | Form::Bytes => {
            format!("{name} = {literal}")
        }
        Form::Float => format!("CAST({name} AS DOUBLE) = {literal}"),
        Form::Text => format!("CAST(CONVERT({name} USING utf8mb4) AS BINARY) = {literal}"),
        // The text of NULL is empty, too.
        Form::Printed if literal == "''" => format!("{name} IS DISTINCT FROM NULL AND {} = {literal}", printed(&name)),
        Form::Printed => format!("{} = {literal}", printed(&name)),
        Form::Any if collated => format!("{name} COLLATE BINARY IS {literal}"),
        Form::Any => format!("{name} IS {literal}"),
    }
}

/// The text of a value, which is compared byte by byte: by the column's own collation others may equal it.
fn printed(name: &str) -> String {
    format!("pg_catalog.format('%s', {name}) COLLATE pg_catalog.\"C\"")
}

/// The condition by which the engine finds a key in its index. None where the column has no such one.
pub(super) fn found_by(dialect: Dialect, column: &Column, form: Form, image: Option<&[u8]>) -> Option<String> {
    let literal = form.literal(dialect, image)?;
    (form != Form::Float).then(|| format!("{} = {literal}", quoted_name(dialect, &column.name)))
}

/// A name of ours in the engine's quotes.
pub(super) fn quoted_name(dialect: Dialect, name: &str) -> String {
    let quote = if dialect == Dialect::Mysql { '`' } else { '"' };
    format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
}

/// A text as a literal that every setting of a server reads the same.
pub(super) fn quoted_text(dialect: Dialect, text: &str) -> String {
    let odd = text.contains('\\') || text.contains('\0');
    match dialect {
        Dialect::Mysql if odd => format!("_utf8mb4 x'{}'", hex(text.as_bytes())),
        Dialect::Postgres if odd => format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''")),
        Dialect::Mysql | Dialect::Postgres | Dialect::Sqlite => format!("'{}'", text.replace('\'', "''")),
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(digits: &[u8]) -> Vec<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0);
    digits.chunks(2).map(|pair| value(pair[0]) << 4 | pair.get(1).map_or(0, |digit| value(*digit))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read_the_same_by_every_server() {
        assert_eq!(quoted_text(Dialect::Mysql, r"it's \ here"), "_utf8mb4 x'69742773205c2068657265'");
        assert_eq!(quoted_text(Dialect::Postgres, r"it's \ here"), r"E'it''s \\ here'");
        assert_eq!(quoted_text(Dialect::Sqlite, r"it's \ here"), r"'it''s \ here'");
        assert_eq!(quoted_name(Dialect::Mysql, "a`b\"c"), "`a``b\"c`");
        assert_eq!(literal(Dialect::Sqlite, Form::Any, Some(b"t616200")), "CAST(x'616200' AS TEXT)");
        assert_eq!(literal(Dialect::Sqlite, Form::Any, Some(b"tc3a4")), "'ä'");
        assert_eq!(literal(Dialect::Sqlite, Form::Any, Some(b"NULL")), "NULL");
        assert_eq!(literal(Dialect::Mysql, Form::Double, Some(b"0.1")), "0.1e0");
        assert_eq!(literal(Dialect::Mysql, Form::Double, Some(b"1e300")), "1e300");
        assert_eq!(literal(Dialect::Mysql, Form::Bytes, Some(b"\xe9")), "x'e9'");
        assert_eq!(literal(Dialect::Postgres, Form::Plain, Some(b"caf\xe9")), NO_TEXT);
    }
}
