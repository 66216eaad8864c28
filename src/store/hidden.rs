//! Where an entry holds secrets that only its session knew by value: noted beside what it says, as byte ranges of its own
//! text. The text itself stays, as a session that goes on gives it back to the model.

use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Deserializer as Json;

use crate::domain::Finder;

/// An entry's text, as serde writes it, with a note of where the secrets of its strings stand in it.
pub(super) fn noted(mut body: String, secrets: Finder<'_>) -> String {
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(start) = body[at..].find('"').map(|quote| at + quote) {
        let mut strings = Json::from_str(&body[start..]).into_iter::<IgnoredAny>();
        let Some(Ok(IgnoredAny)) = strings.next() else { break };
        at = start + strings.byte_offset();
        let Ok(found) = (Places { secrets }).deserialize(&mut Json::from_str(&body[start..at])) else { break };
        places.extend(found.into_iter().map(|(from, to)| (start + 1 + from, start + 1 + to)));
    }
    if let (false, Ok(places), true) = (places.is_empty(), serde_json::to_string(&places), body.ends_with('}')) {
        body.truncate(body.len() - 1);
        body.push_str(&format!(",\"hidden\":{places}}}"));
    }
    body
}

/// Reads a string of JSON where it lies, as an answer may be megabytes long: where in it secrets stand, as it is written.
struct Places<'a> {
    secrets: Finder<'a>,
}

impl<'de> DeserializeSeed<'de> for Places<'_> {
    type Value = Vec<(usize, usize)>;

    fn deserialize<D: Deserializer<'de>>(self, string: D) -> Result<Self::Value, D::Error> {
        string.deserialize_str(self)
    }
}

impl Visitor<'_> for Places<'_> {
    type Value = Vec<(usize, usize)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let place = |span: std::ops::Range<usize>| {
            let from = written(&text[..span.start]);
            (from, from + written(&text[span]))
        };
        Ok((self.secrets)(text).into_iter().map(place).collect())
    }
}

/// How many bytes a text has within a string of JSON.
fn written(text: &str) -> usize {
    serde_json::to_string(text).map_or(0, |written| written.len() - 2)
}

/// What is looked for to find the entries that have such a note.
pub(super) const SIGN: &str = ",\"hidden\":[[";

/// The values that were noted in an entry.
pub(super) fn values(body: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Noted {
        #[serde(default)]
        hidden: Vec<(usize, usize)>,
    }
    let noted = serde_json::from_str(body).unwrap_or(Noted { hidden: Vec::new() });
    let written = noted.hidden.into_iter().filter_map(|(start, end)| body.get(start..end));
    written.filter_map(|written| serde_json::from_str(&format!("\"{written}\"")).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::JournalEvent;

    #[test]
    fn a_noted_value_is_found_again_and_the_entry_reads_as_before() {
        let secrets = ["plain-horse-42".to_owned(), "a\"b\\c\nd".to_owned(), "nowhere".to_owned()];
        let said = JournalEvent::Said { text: format!("\"use\"\n{} and\t{}", secrets[0], secrets[1]) };
        let find = |text: &str| {
            let places = |secret: &String| text.find(secret.as_str()).map(|at| at..at + secret.len());
            secrets.iter().filter_map(places).collect()
        };
        let body = noted(serde_json::to_string(&said).unwrap(), &find);
        assert!(body.contains(SIGN));
        assert_eq!(values(&body), secrets[..2]);
        assert_eq!(serde_json::from_str::<JournalEvent>(&body).unwrap(), said);
        let taken = serde_json::to_string(&JournalEvent::Taken).unwrap();
        assert_eq!(noted(taken.clone(), &find), taken);
        assert!(values(&taken).is_empty());
    }

    #[test]
    fn what_somebody_says_is_no_note() {
        let said = JournalEvent::Said { text: ",\"hidden\":[[0,9]]".to_owned() };
        let body = serde_json::to_string(&said).unwrap();
        assert!(!body.contains(SIGN) && values(&body).is_empty());
    }
}
