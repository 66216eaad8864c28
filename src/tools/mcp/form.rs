//! A form that a server asks the person to fill in: its fields as lines that can be typed into, and the typed lines as
//! the values that the server takes. Pure.

use serde_json::{Map, Number, Value};

/// Most fields of a form.
const FIELDS: usize = 50;
/// Most choices of a field.
const CHOICES: usize = 100;
/// Longest text of a server's in a line of the form, in characters.
const SAID: usize = 200;
/// Words in the name of a field that ask for a secret. The protocol forbids to ask for one so.
const SECRETS: [&str; 10] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "apikey",
    "privatekey",
    "credential",
    "accesstoken",
    "authtoken",
];
/// The same as words of their own.
const SECRET_WORDS: [&str; 6] = ["token", "pin", "otp", "cvv", "cvc", "pwd"];

/// A form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form(Vec<Field>);

#[derive(Clone, Debug, PartialEq)]
struct Field {
    name: String,
    /// What the server says of it, in one line.
    about: String,
    takes: Takes,
    required: bool,
    default: Option<Value>,
}

#[derive(Clone, Debug, PartialEq)]
enum Takes {
    Text { least: u64, most: u64 },
    Whole { least: f64, most: f64 },
    Number { least: f64, most: f64 },
    Truth,
    One(Vec<String>),
    Several { of: Vec<String>, least: u64, most: u64 },
}

impl Form {
    /// Reads a form's schema.
    ///
    /// # Errors
    /// It isn't one that can be shown, or it asks for a secret; in one sentence without its end.
    pub(super) fn read(schema: &Value) -> Result<Self, String> {
        let properties = schema.get("properties").and_then(Value::as_object).ok_or("it has no fields")?;
        if properties.is_empty() || properties.len() > FIELDS {
            return Err(format!("it has {} fields; 1 to {FIELDS} can be shown", properties.len()));
        }
        let required = strings(schema.get("required"));
        let read = |(name, field): (&String, &Value)| Field::read(name, field, required.contains(name));
        Ok(Self(properties.iter().map(read).collect::<Result<Vec<Field>, String>>()?))
    }

    /// The form before anybody typed: a line about each field, and one to type into.
    pub(super) fn blank(&self) -> String {
        let lines = self.0.iter().map(|field| {
            let default = field.default.as_ref().map(shown).unwrap_or_default();
            format!("# {}\n{}: {default}\n", field.told(), field.name)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The values that lines give, and the names of the fields that need one and have none.
    ///
    /// # Errors
    /// A line that is of no field, or a value that its field doesn't take; in one sentence.
    pub(super) fn filled(&self, lines: &str) -> Result<(Map<String, Value>, Vec<String>), String> {
        let mut values = Map::new();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, typed) = line.split_once(':').ok_or_else(|| format!("`{line}` has no `:` behind a field"))?;
            let (name, typed) = (name.trim(), typed.trim());
            let field = self.0.iter().find(|field| field.name == name).ok_or_else(|| format!("no field `{name}`"))?;
            if typed.is_empty() {
                continue;
            }
            if values.contains_key(name) {
                return Err(format!("`{name}` stands there twice"));
            }
            values.insert(name.to_owned(), field.takes.value(typed).map_err(|why| format!("`{name}` {why}"))?);
        }
        let open = self.0.iter().filter(|field| field.required && !values.contains_key(&field.name));
        let open = open.map(|field| field.name.clone()).collect();
        Ok((values, open))
    }
}

impl Field {
    fn read(name: &str, field: &Value, required: bool) -> Result<Self, String> {
        let plain = !name.is_empty() && name.chars().count() <= 60;
        if !plain || name.contains([':', '#']) || name.chars().any(char::is_control) || name.trim() != name {
            return Err("a field has a name that can't be shown".to_owned());
        }
        let text = |key: &str| field.get(key).and_then(Value::as_str).unwrap_or_default();
        if [name, text("title")].into_iter().any(asks_secret) {
            return Err(format!("it asks for a secret ({name}), which the protocol forbids"));
        }
        let number = |key: &str| field.get(key).and_then(Value::as_f64);
        let count = |key: &str, otherwise: u64| field.get(key).and_then(Value::as_u64).unwrap_or(otherwise);
        let bounds = (number("minimum").unwrap_or(f64::NEG_INFINITY), number("maximum").unwrap_or(f64::INFINITY));
        let choices = choices(field);
        if choices.len() > CHOICES {
            return Err(format!("{name} has more than {CHOICES} choices"));
        }
        let takes = match (text("type"), choices.is_empty()) {
            ("string", false) => Takes::One(choices),
            ("string", true) => Takes::Text { least: count("minLength", 0), most: count("maxLength", u64::MAX) },
            ("integer", _) => Takes::Whole { least: bounds.0, most: bounds.1 },
            ("number", _) => Takes::Number { least: bounds.0, most: bounds.1 },
            ("boolean", _) => Takes::Truth,
            ("array", false) => {
                Takes::Several { of: choices, least: count("minItems", 0), most: count("maxItems", u64::MAX) }
            }
            _ => return Err(format!("{name} takes what can't be typed here")),
        };
        let format = text("format");
        let format = if format.is_empty() { String::new() } else { format!(", as {format}") };
        let said = [text("title"), text("description")].into_iter().filter(|said| !said.trim().is_empty());
        let about = said.map(one_line).collect::<Vec<_>>().join(": ") + &format;
        let default = field.get("default").filter(|value| !value.is_null()).cloned();
        Ok(Self { name: name.to_owned(), about, takes, required, default })
    }

    /// What the person is told of it, in one line.
    fn told(&self) -> String {
        let takes = match &self.takes {
            Takes::Text { least: 0, most: u64::MAX } => "text".to_owned(),
            Takes::Text { least, most: u64::MAX } => format!("text of at least {least} letters"),
            Takes::Text { least, most } => format!("text of {least} to {most} letters"),
            Takes::Whole { least, most } => format!("a whole number{}", between(*least, *most)),
            Takes::Number { least, most } => format!("a number{}", between(*least, *most)),
            Takes::Truth => "yes or no".to_owned(),
            Takes::One(of) => format!("one of {}", of.iter().map(|one| one_line(one)).collect::<Vec<_>>().join(", ")),
            Takes::Several { of, .. } => {
                format!("some of {}", of.iter().map(|one| one_line(one)).collect::<Vec<_>>().join(", "))
            }
        };
        let need = if self.required { "needed; " } else { "" };
        let gap = if self.about.is_empty() { "" } else { " " };
        format!("{}{gap}({need}{takes})", self.about)
    }
}

impl Takes {
    fn value(&self, typed: &str) -> Result<Value, String> {
        match self {
            Self::Text { least, most } => {
                let letters = typed.chars().count() as u64;
                if letters < *least || letters > *most {
                    return Err(format!("has {letters} letters; {least} to {most} are taken"));
                }
                Ok(Value::String(typed.to_owned()))
            }
            Self::Whole { least, most } => {
                let whole: i64 = typed.parse().map_err(|_| "must be a whole number".to_owned())?;
                #[allow(clippy::cast_precision_loss)] // bounds of a form are small
                within(whole as f64, *least, *most)?;
                Ok(Value::from(whole))
            }
            Self::Number { least, most } => {
                let number: f64 = typed.parse().map_err(|_| "must be a number".to_owned())?;
                within(number, *least, *most)?;
                Number::from_f64(number).map(Value::Number).ok_or_else(|| "must be a number".to_owned())
            }
            Self::Truth => match typed.to_ascii_lowercase().as_str() {
                "yes" | "y" | "true" => Ok(Value::Bool(true)),
                "no" | "n" | "false" => Ok(Value::Bool(false)),
                _ => Err("must be yes or no".to_owned()),
            },
            Self::One(of) => one(typed, of).map(Value::String),
            Self::Several { of, least, most } => {
                let chosen = typed.split(',').map(|word| one(word.trim(), of).map(Value::String));
                let chosen = chosen.collect::<Result<Vec<Value>, String>>()?;
                let number = chosen.len() as u64;
                if number < *least || number > *most {
                    return Err(format!("has {number} choices; {least} to {most} are taken"));
                }
                Ok(Value::Array(chosen))
            }
        }
    }
}

fn one(typed: &str, of: &[String]) -> Result<String, String> {
    let found = of.iter().find(|one| one.as_str() == typed);
    found.cloned().ok_or_else(|| format!("takes {}", of.join(", ")))
}

fn within(number: f64, least: f64, most: f64) -> Result<(), String> {
    if number >= least && number <= most { Ok(()) } else { Err(format!("must be{}", between(least, most))) }
}

fn between(least: f64, most: f64) -> String {
    match (least.is_finite(), most.is_finite()) {
        (true, true) => format!(" from {least} to {most}"),
        (true, false) => format!(" of at least {least}"),
        (false, true) => format!(" of at most {most}"),
        (false, false) => String::new(),
    }
}

/// A default as it is typed.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Bool(truth) => if *truth { "yes" } else { "no" }.to_owned(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// What may be chosen, in each of the ways to write it down.
fn choices(field: &Value) -> Vec<String> {
    let of = |field: &Value| -> Vec<String> {
        let constants = ["oneOf", "anyOf"].into_iter().filter_map(|key| field.get(key)?.as_array());
        let constants = constants.flatten().filter_map(|one| Some(one.get("const")?.as_str()?.to_owned()));
        strings(field.get("enum")).into_iter().chain(constants).collect()
    };
    field.get("items").map_or_else(|| of(field), of)
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Whether the name of a field asks for a secret.
fn asks_secret(name: &str) -> bool {
    let letters: String = name.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase();
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.ends_with(|last: char| last.is_uppercase()) {
            words.push(' ');
        }
        words.push(if letter.is_alphanumeric() { letter } else { ' ' });
    }
    let words = words.to_lowercase();
    SECRETS.iter().any(|secret| letters.contains(secret)) || words.split(' ').any(|word| SECRET_WORDS.contains(&word))
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(SAID).collect();
    if cut.len() == line.len() { line } else { format!("{cut}…") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form() -> Form {
        Form::read(&json!({
            "type": "object", "required": ["name", "size"],
            "properties": {
                "name": { "type": "string", "title": "Name", "description": "Your\nname", "minLength": 2 },
                "size": { "type": "integer", "minimum": 1, "maximum": 9, "default": 4 },
                "share": { "type": "number" },
                "sure": { "type": "boolean", "default": true },
                "colour": { "type": "string", "oneOf": [{ "const": "r", "title": "Red" }, { "const": "g" }] },
                "tools": { "type": "array", "items": { "type": "string", "enum": ["saw", "axe"] }, "maxItems": 1 }
            }
        }))
        .unwrap()
    }

    #[test]
    fn a_form_is_lines_with_what_is_needed_and_what_is_set_already() {
        let blank = form().blank();
        assert!(blank.starts_with("# Name: Your name (needed; text of at least 2 letters)\nname: \n"), "{blank}");
        assert!(blank.contains("# (needed; a whole number from 1 to 9)\nsize: 4\n"), "{blank}");
        assert!(blank.contains("(yes or no)\nsure: yes\n") && blank.contains("(one of r, g)\ncolour: \n"), "{blank}");
        let (values, open) = form().filled(&blank).unwrap();
        assert_eq!((Value::Object(values), open), (json!({ "size": 4, "sure": true }), vec!["name".to_owned()]));
    }

    #[test]
    fn what_is_typed_becomes_the_values_of_the_schema_or_is_said_to_be_wrong() {
        let typed = "name: Ann: the first\nsize: 7\nshare: 0.5\nsure: no\ncolour: g\ntools: saw\n";
        let (values, open) = form().filled(typed).unwrap();
        let right = json!({
            "name": "Ann: the first", "size": 7, "share": 0.5, "sure": false, "colour": "g", "tools": ["saw"]
        });
        assert_eq!((Value::Object(values), open.len()), (right, 0));
        for (typed, why) in [
            ("size: 12", "from 1 to 9"),
            ("size: 1.5", "whole number"),
            ("name: A", "1 letters"),
            ("sure: maybe", "yes or no"),
            ("colour: blue", "takes r, g"),
            ("tools: saw, axe", "2 choices"),
            ("share: NaN", "must be"),
            ("other: 1", "no field"),
            ("words", "no `:`"),
            ("size: 1\nsize: 2", "twice"),
        ] {
            let said = form().filled(typed).unwrap_err();
            assert!(said.contains(why), "{typed}: {said}");
        }
    }

    #[test]
    fn a_form_that_asks_for_a_secret_or_holds_what_cannot_be_typed_is_refused() {
        for (name, title) in
            [("password", ""), ("x", "API key"), ("userPin", ""), ("x", "Your access token"), ("client_secret", "")]
        {
            let schema = json!({ "properties": { name: { "type": "string", "title": title } } });
            assert!(Form::read(&schema).unwrap_err().contains("a secret"), "{name} {title}");
        }
        for schema in [
            json!({}),
            json!({ "properties": {} }),
            json!({ "properties": { "a:b": { "type": "string" } } }),
            json!({ "properties": { "a": { "type": "object" } } }),
            json!({ "properties": { "a": { "type": "array", "items": { "type": "string" } } } }),
        ] {
            assert!(Form::read(&schema).is_err(), "{schema}");
        }
        let plain = json!({ "properties": { "tokens": { "type": "integer" }, "pinned": { "type": "boolean" } } });
        assert!(Form::read(&plain).is_ok());
    }
}
