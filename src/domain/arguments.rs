//! Reads the arguments of a tool call strictly: one JSON object, no key twice, the claim taken off.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::risk::Claim;

/// The argument by which a model states its claim.
pub const CLAIM: &str = "risk_level";

/// Arguments of a call after strict reading, with the claim taken off.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// The named values, without the claim.
    pub values: Map<String, Value>,
    /// What the model claimed.
    pub claim: Claim,
}

/// Why arguments can't be used; the text is made for the model and the person alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentsError(pub String);

impl fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ArgumentsError {}

impl Arguments {
    /// Reads JSON text as the arguments of a call. A repeated key is an error, except the claim,
    /// which then counts as high.
    ///
    /// # Errors
    /// Text that is not one JSON object, or a key that comes twice.
    pub fn parse(text: &str) -> Result<Self, ArgumentsError> {
        let mut values = Map::new();
        let mut claim = Claim::Absent;
        for (key, value) in pairs(text)? {
            if key == CLAIM {
                claim = if claim == Claim::Absent { Claim::read(&value) } else { Claim::Repeated };
            } else if values.insert(key.clone(), value).is_some() {
                return Err(ArgumentsError(format!("the argument `{key}` is given twice")));
            }
        }
        Ok(Self { values, claim })
    }

    /// The same for a tool that has an argument of the claim's name: it keeps it, and there is no claim.
    ///
    /// # Errors
    /// Text that is not one JSON object, or a key that comes twice.
    pub fn verbatim(text: &str) -> Result<Self, ArgumentsError> {
        let mut values = Map::new();
        for (key, value) in pairs(text)? {
            if values.insert(key.clone(), value).is_some() {
                return Err(ArgumentsError(format!("the argument `{key}` is given twice")));
            }
        }
        Ok(Self { values, claim: Claim::Absent })
    }

    /// Refuses arguments that the tool doesn't know: one that isn't in the schema is never ignored.
    ///
    /// # Errors
    /// Names the first unknown argument and the known ones.
    pub fn only(&self, known: &[&str]) -> Result<(), ArgumentsError> {
        match self.values.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(ArgumentsError(format!("unknown argument `{key}`; this tool takes {}", known.join(", ")))),
        }
    }

    /// Refuses arguments that only a key of the person's adds.
    ///
    /// # Errors
    /// One of them.
    pub fn without(&self, reserved: &[&str]) -> Result<(), ArgumentsError> {
        match reserved.iter().find(|name| self.values.contains_key(**name)) {
            None => Ok(()),
            Some(name) => {
                let why = "is no argument of yours: only a key of the person's adds it";
                Err(ArgumentsError(format!("`{name}` {why}")))
            }
        }
    }

    /// A text argument that must be there.
    ///
    /// # Errors
    /// Absent, or not a string.
    pub fn text(&self, name: &str) -> Result<String, ArgumentsError> {
        self.optional_text(name)?.ok_or_else(|| ArgumentsError(format!("the argument `{name}` is missing")))
    }

    /// A text argument that may be absent or null.
    ///
    /// # Errors
    /// Not a string.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>, ArgumentsError> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => {
                Err(ArgumentsError(format!("the argument `{name}` must be a string, not {}", kind_of(other))))
            }
        }
    }

    /// A whole number that may be absent or null.
    ///
    /// # Errors
    /// Not a whole number of zero or more.
    pub fn optional_number(&self, name: &str) -> Result<Option<u64>, ArgumentsError> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| {
                ArgumentsError(format!("the argument `{name}` must be a whole number, not {}", kind_of(value)))
            }),
        }
    }

    /// A truth value; absent or null is false.
    ///
    /// # Errors
    /// Not a boolean.
    pub fn flag(&self, name: &str) -> Result<bool, ArgumentsError> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => {
                Err(ArgumentsError(format!("the argument `{name}` must be true or false, not {}", kind_of(other))))
            }
        }
    }
}

/// The members of an object in order, repeated keys included.
fn pairs(text: &str) -> Result<Vec<(String, Value)>, ArgumentsError> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let mut reader = serde_json::Deserializer::from_str(text);
    reader
        .deserialize_any(Pairs)
        .and_then(|pairs| reader.end().map(|()| pairs))
        .map_err(|error| ArgumentsError(format!("the arguments are not a complete JSON object: {error}")))
}

/// What a JSON value is, for a person.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Collects the members of an object in order, repeated keys included; `serde_json` alone keeps the last.
struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some((key, Strict(value))) = map.next_entry()? {
            pairs.push((key, value));
        }
        Ok(pairs)
    }
}

/// A value in which no object has a key twice: whoever runs the call may take the first where `serde_json` keeps the last.
#[derive(Debug)]
pub struct Strict(pub Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Once).map(Strict)
    }
}

/// Builds such a value.
struct Once;

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some((key, Strict(value))) = map.next_entry::<String, _>()? {
            if values.contains_key(&key) {
                return Err(A::Error::custom(format!("`{key}` is given twice")));
            }
            values.insert(key, value);
        }
        Ok(Value::Object(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RiskLevel;

    #[test]
    fn the_claim_is_taken_off() {
        let read = Arguments::parse(r#"{"sql":"SELECT 1","risk_level":"low"}"#).unwrap();
        assert_eq!(read.claim, Claim::Level(RiskLevel::Low));
        assert_eq!(read.text("sql").unwrap(), "SELECT 1");
        assert!(read.only(&["sql"]).is_ok());
    }

    #[test]
    fn a_claim_twice_or_unknown_counts_as_high() {
        for text in [r#"{"risk_level":"low","risk_level":"low"}"#, r#"{"risk_level":"safe"}"#, r#"{"risk_level":1}"#] {
            assert_eq!(Arguments::parse(text).unwrap().claim.level(), Some(RiskLevel::High), "{text}");
        }
        for text in [r#"{"risk_level":null}"#, r#"{"risk_level":""}"#, "{}", ""] {
            assert_eq!(Arguments::parse(text).unwrap().claim, Claim::Absent, "{text}");
        }
    }

    #[test]
    fn truncated_repeated_and_foreign_arguments_are_refused() {
        for text in [r#"{"sql":"SEL"#, "[]", "1", r#"{"a":1,"a":2}"#, r#"{"a":1} x"#] {
            assert!(Arguments::parse(text).is_err(), "{text}");
        }
        for text in [r#"{"a":{"b":1,"b":2}}"#, r#"{"a":[1,{"b":{"c":null,"c":null}}]}"#] {
            for read in [Arguments::parse(text), Arguments::verbatim(text)] {
                assert!(read.unwrap_err().0.contains("is given twice"), "{text}");
            }
        }
        let text = r#"{"a":{"b":[1,-2,1.5,"c",null,true],"d":{"b":{}}}}"#;
        assert_eq!(Value::Object(Arguments::parse(text).unwrap().values), text.parse::<Value>().unwrap());
        let error = Arguments::parse(r#"{"sql":"x","sqll":"y"}"#).unwrap().only(&["sql"]).unwrap_err();
        assert_eq!(error.0, "unknown argument `sqll`; this tool takes sql");
    }
}
