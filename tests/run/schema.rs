//! Compares events with the schema that is published. Knows the words of JSON Schema that stand in it and fails at any
//! other, so that nothing in it goes unread. Stricter than it: a member that it doesn't name is wrong, too.

use serde_json::Value;

/// Why a line isn't an event of the schema; none if it is one.
pub fn objection(schema: &Value, line: &str) -> Option<String> {
    let event: Value = match serde_json::from_str(line) {
        Ok(event) => event,
        Err(error) => return Some(format!("{error}: {line}")),
    };
    check(schema, schema, &event, "event").err()
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    for (word, said) in schema.as_object().unwrap() {
        let sound = match word.as_str() {
            "$schema" | "title" | "description" | "$defs" => true,
            "$ref" => {
                let pointer = said.as_str().unwrap().strip_prefix('#').unwrap();
                check(root, root.pointer(pointer).unwrap(), value, at)?;
                true
            }
            "oneOf" => {
                let tried: Vec<_> = said.as_array().unwrap().iter().map(|one| check(root, one, value, at)).collect();
                match tried.iter().filter(|tried| tried.is_ok()).count() {
                    1 => true,
                    0 => {
                        // The objection that is about more than the wrong type of event.
                        let wrong = tried.into_iter().filter_map(Result::err).find(|why| !why.contains("event.type"));
                        return Err(wrong.unwrap_or_else(|| format!("no such event: {value}")));
                    }
                    _ => false,
                }
            }
            "const" => value == said,
            "enum" => said.as_array().unwrap().contains(value),
            "type" => match said {
                Value::String(name) => is(name, value),
                names => names.as_array().unwrap().iter().any(|name| is(name.as_str().unwrap(), value)),
            },
            "minimum" => value.as_u64().is_some_and(|number| number >= said.as_u64().unwrap()),
            "maximum" => value.as_u64().is_some_and(|number| number <= said.as_u64().unwrap()),
            "required" => said.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
            "properties" => {
                // The type first: it says which event this is meant to be.
                let known = said.as_object().unwrap();
                let mut members: Vec<_> = value.as_object().into_iter().flatten().collect();
                members.sort_by_key(|(name, _)| *name != "type");
                for (name, member) in members {
                    let at = format!("{at}.{name}");
                    let Some(schema) = known.get(name) else { return Err(format!("{at} isn't in the schema")) };
                    check(root, schema, member, &at)?;
                }
                true
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    check(root, said, item, &format!("{at}[]"))?;
                }
                true
            }
            other => panic!("{other} is a word of the schema that this test doesn't know"),
        };
        if !sound {
            return Err(format!("{at} is {value}, against {word} {said}"));
        }
    }
    Ok(())
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is a type that this test doesn't know"),
    }
}
