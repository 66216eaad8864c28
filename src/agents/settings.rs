//! Changes a settings file in JSON as text: what is added goes in at one place each, and everything else stays as it
//! was, to the byte. What was added can be taken out again just so. Comments and repeated names are not JSON: such a
//! file is left alone.

use std::ops::Range;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Addition;

/// The member that holds every agent's hooks.
const HOOKS: &str = "hooks";

/// A text that went into a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Insert {
    /// Where, in bytes.
    pub at: usize,
    /// What.
    pub text: String,
}

/// A file's text with something added, and what was added, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The text.
    pub text: String,
    /// What went in.
    pub inserts: Vec<Insert>,
}

/// Adds hooks to the text of a settings file; an empty one, or none, is begun with `beginning`.
///
/// # Errors
/// Why it can't be, as the end of a sentence.
pub fn add(text: &str, beginning: &[(&'static str, Value)], additions: &[Addition]) -> Result<Added, String> {
    if text.trim().is_empty() {
        let mut whole: serde_json::Map<String, Value> =
            beginning.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let events = additions.iter().map(|addition| (addition.event.to_owned(), vec![addition.value.clone()].into()));
        whole.insert(HOOKS.to_owned(), Value::Object(events.collect()));
        let insert = Insert { at: 0, text: pretty(&Value::Object(whole), "  ", "") + "\n" };
        return Ok(Added { text: format!("{}{text}", insert.text), inserts: vec![insert] });
    }
    let mut added = Added { text: text.to_owned(), inserts: Vec::new() };
    for addition in additions {
        let insert = place(&added.text, addition)?;
        added.text.insert_str(insert.at, &insert.text);
        added.inserts.push(insert);
    }
    // What went in must be there, and nothing else be different: the text is read once more.
    let (before, after) = (whole(text)?, whole(&added.text)?);
    if !extends(&before, &after) {
        return Err("it couldn't be changed without touching something else".to_owned());
    }
    Ok(added)
}

/// Takes out what went in, where every piece of it still stands where it was put or stands nowhere else.
#[must_use]
pub fn take_out(text: &str, inserts: &[Insert]) -> Option<String> {
    let mut text = text.to_owned();
    for Insert { at, text: piece } in inserts.iter().rev() {
        let here = text.get(*at..).is_some_and(|rest| rest.starts_with(piece.as_str()));
        let at = if here {
            *at
        } else {
            let mut places = text.match_indices(piece.as_str());
            let (only, _) = places.next()?;
            places.next().is_none().then_some(only)?
        };
        text.replace_range(at..at + piece.len(), "");
    }
    (text.trim().is_empty() || whole(&text).is_ok()).then_some(text)
}

/// Takes out every hook that `ours` knows, whoever put it there, and says how many they were. Lists that become empty
/// stay.
///
/// # Errors
/// Why it can't be read, as the end of a sentence.
pub fn sweep(text: &str, ours: &dyn Fn(&Value) -> bool) -> Result<(String, usize), String> {
    let (mut text, mut swept) = (text.to_owned(), 0);
    while let Some(span) = next_of_ours(&text, ours)? {
        text.replace_range(span, "");
        swept += 1;
    }
    Ok((text, swept))
}

/// The hooks in a text that `ours` knows.
///
/// # Errors
/// Why it can't be read, as the end of a sentence.
pub fn find(text: &str, ours: &dyn Fn(&Value) -> bool) -> Result<Vec<Value>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let whole = whole(text)?;
    let events = whole.get(HOOKS).and_then(Value::as_object).into_iter().flat_map(|events| events.values());
    Ok(events.filter_map(Value::as_array).flatten().filter(|hook| ours(hook)).cloned().collect())
}

/// Where one addition goes.
fn place(text: &str, addition: &Addition) -> Result<Insert, String> {
    let unit = unit(text);
    let deeper = |depth: usize| unit.repeat(depth);
    let alone = |depth: usize| pretty(&Value::Array(vec![addition.value.clone()]), &unit, &deeper(depth));
    let top = object(text, 0..text.len()).map_err(|why| format!("it isn't plain JSON ({why})"))?;
    let wrong = |what: &str| format!("its `{what}` isn't what an agent would have there");
    let insert = match top.member(HOOKS) {
        None => {
            let event = format!("{}: {}", Value::from(addition.event), alone(2));
            let nl = format!("\n{}", deeper(2));
            top.with_member(text, HOOKS, &format!("{{{nl}{event}\n{}}}", deeper(1)), &unit, 0)
        }
        Some(hooks) => {
            let events = object(text, hooks).map_err(|_| wrong(HOOKS))?;
            match events.member(addition.event) {
                None => events.with_member(text, addition.event, &alone(2), &unit, 1),
                Some(span) => {
                    let items = items(text, span.clone()).map_err(|_| wrong(addition.event))?;
                    let value = pretty(&addition.value, &unit, &deeper(3));
                    match items.last() {
                        Some(last) => Insert { at: last.end, text: format!(",\n{}{value}", deeper(3)) },
                        None => Insert { at: span.start + 1, text: format!("\n{}{value}\n{}", deeper(3), deeper(2)) },
                    }
                }
            }
        }
    };
    let text = if text.contains("\r\n") { insert.text.replace('\n', "\r\n") } else { insert.text };
    Ok(Insert { text, ..insert })
}

/// What an object is made of.
struct Object {
    span: Range<usize>,
    members: Vec<(String, Range<usize>)>,
}

impl Object {
    fn member(&self, name: &str) -> Option<Range<usize>> {
        self.members.iter().find(|(known, _)| known == name).map(|(_, span)| span.clone())
    }

    /// A further member, `depth` objects deep.
    fn with_member(&self, text: &str, name: &str, value: &str, unit: &str, depth: usize) -> Insert {
        let (inner, outer) = (unit.repeat(depth + 1), unit.repeat(depth));
        let member = format!("\n{inner}{}: {value}", Value::from(name));
        if let Some((_, last)) = self.members.last() {
            return Insert { at: last.end, text: format!(",{member}") };
        }
        let open = self.span.start + text[self.span.clone()].find('{').unwrap_or_default() + 1;
        Insert { at: open, text: format!("{member}\n{outer}") }
    }
}

/// The members of the object that stands at a place of a text.
fn object(text: &str, span: Range<usize>) -> Result<Object, String> {
    let pairs: Pairs<'_> = serde_json::from_str(&text[span.clone()]).map_err(|error| error.to_string())?;
    let members = pairs.0.into_iter().map(|(name, value)| (name, within(text, value.get()))).collect::<Vec<_>>();
    Ok(Object { span, members })
}

/// The elements of the list that stands at a place of a text.
fn items(text: &str, span: Range<usize>) -> Result<Vec<Range<usize>>, String> {
    let items: Vec<&RawValue> = serde_json::from_str(&text[span]).map_err(|error| error.to_string())?;
    Ok(items.into_iter().map(|item| within(text, item.get())).collect())
}

/// Where a piece that was borrowed from a text stands in it.
fn within(text: &str, piece: &str) -> Range<usize> {
    let start = piece.as_ptr() as usize - text.as_ptr() as usize;
    start..start + piece.len()
}

/// The place of the next hook that `ours` knows, with the comma and blanks that belong to it.
fn next_of_ours(text: &str, ours: &dyn Fn(&Value) -> bool) -> Result<Option<Range<usize>>, String> {
    let top = object(text, 0..text.len())?;
    let Some(hooks) = top.member(HOOKS) else { return Ok(None) };
    let Ok(events) = object(text, hooks) else { return Ok(None) };
    for (_, span) in events.members {
        let Ok(items) = items(text, span.clone()) else { continue };
        let known = |item: &Range<usize>| serde_json::from_str(&text[item.clone()]).is_ok_and(|value| ours(&value));
        let Some(at) = items.iter().position(known) else { continue };
        return Ok(Some(match (at.checked_sub(1).map(|before| &items[before]), items.get(at + 1)) {
            (Some(before), _) => before.end..items[at].end,
            (None, Some(next)) => items[at].start..next.start,
            (None, None) => span.start + 1..span.end - 1,
        }));
    }
    Ok(None)
}

/// The text as one value.
fn whole(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("it isn't plain JSON ({error})"))
}

/// Whether one value is the other with more members or elements at its ends.
fn extends(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(name, value)| after.get(name).is_some_and(|later| extends(value, later)))
        }
        (Value::Array(before), Value::Array(after)) => after.starts_with(before),
        _ => before == after,
    }
}

/// What one step of indentation is in a text.
fn unit(text: &str) -> String {
    let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    indented.map_or_else(|| "  ".to_owned(), |line| line.chars().take_while(|c| [' ', '\t'].contains(c)).collect())
}

/// A value over several lines, whose further lines begin with `before`.
fn pretty(value: &Value, unit: &str, before: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let written = value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter));
    let text = written.ok().and_then(|()| String::from_utf8(bytes).ok()).unwrap_or_else(|| value.to_string());
    text.replace('\n', &format!("\n{before}"))
}

/// The members of an object in order; a repeated name is an error.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs: Vec<(String, &'de RawValue)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if pairs.iter().any(|(known, _)| *known == name) {
                        return Err(serde::de::Error::custom(format!("`{name}` stands there twice")));
                    }
                    pairs.push((name, value));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn additions() -> [Addition; 2] {
        let value = json!({"matcher": "*", "hooks": [{"type": "command", "command": "x hook y"}]});
        [Addition { event: "Before", value: value.clone() }, Addition { event: "Asked", value }]
    }

    fn ours(hook: &Value) -> bool {
        hook.to_string().contains("x hook y")
    }

    const FILES: [&str; 10] = [
        "{}",
        "{ }\n",
        "{\n  \"model\": \"a\"\n}\n",
        "{\"a\":1,\"b\":[1,2,{\"hooks\":3}]}",
        "{\n\t\"hooks\": {},\n\t\"z\": \"\\u00e9 }] \\\" {\"\n}",
        "{\n    \"hooks\": {\n        \"Before\": []\n    }\n}\n",
        "{\n  \"hooks\": {\n    \"Before\": [ {\"hooks\": [{\"command\": \"other\"}]} ]\n  },\n  \"env\": {\"K\": \"v\"}\n}",
        "{\r\n  \"hooks\": {\r\n    \"After\": [1]\r\n  }\r\n}\r\n",
        "{\"hooks\":{\"Before\":[{\"command\":\"other\"}],\"Asked\":[{\"command\":\"another\"}]}}",
        "",
    ];

    #[test]
    fn what_is_added_is_there_and_comes_out_to_the_byte() {
        for file in FILES {
            let added = add(file, &[("version", json!(1))], &additions()).unwrap();
            let value: Value = serde_json::from_str(&added.text).unwrap();
            for addition in additions() {
                let hooks = value["hooks"][addition.event].as_array().unwrap();
                assert_eq!(hooks.last(), Some(&addition.value), "{file}");
            }
            assert_eq!(find(&added.text, &ours).unwrap().len(), 2, "{file}");
            assert_eq!(take_out(&added.text, &added.inserts).as_deref(), Some(file), "{}", added.text);
        }
    }

    #[test]
    fn an_ordinary_file_is_added_to_in_its_own_style() {
        let added = add("{\n  \"model\": \"a\"\n}\n", &[], &additions()[..1]).unwrap();
        let expected = "{\n  \"model\": \"a\",\n  \"hooks\": {\n    \"Before\": [\n      {\n        \"matcher\": \"*\",\n        \
                        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"x hook y\"\n          \
                        }\n        ]\n      }\n    ]\n  }\n}\n";
        assert_eq!(added.text, expected);
    }

    #[test]
    fn what_others_changed_meanwhile_stays() {
        for file in &FILES[..9] {
            let added = add(file, &[], &additions()).unwrap();
            let open = added.text.find('{').unwrap() + 1;
            let comma = if *file == "{}" || *file == "{ }\n" { "\"new\": 1, " } else { "\"new\": 1," };
            let changed = format!("{}{comma}{}", &added.text[..open], &added.text[open..]);
            let out = take_out(&changed, &added.inserts);
            if let Some(out) = out {
                assert!(out.contains("\"new\": 1") && !out.contains("x hook y"), "{out}");
            }
            let (swept, count) = sweep(&changed, &ours).unwrap();
            assert_eq!(count, 2, "{changed}");
            let value: Value = serde_json::from_str(&swept).unwrap();
            assert_eq!((value["new"].as_i64(), swept.contains("x hook y")), (Some(1), false), "{swept}");
        }
    }

    #[test]
    fn what_is_no_plain_json_or_of_another_shape_is_left_alone() {
        for file in [
            "{ // a comment\n}",
            "{\"a\": 1,}",
            "[]",
            "{\"hooks\": []}",
            "{\"hooks\": {\"Before\": {}}}",
            "{\"hooks\": {}, \"hooks\": {}}",
            "nonsense",
        ] {
            assert!(add(file, &[], &additions()).is_err(), "{file}");
        }
    }
}
