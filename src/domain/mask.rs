//! What stands in the place of a secret that isn't shown. What is approved and run is always the whole text; the mask
//! is only how it looks, and a text that holds one is refused: it was copied from what was shown.

use super::number::count;
use super::operation::{FileOperation, HttpOperation, OperationKind, Prepared};
use super::risk::Span;
use super::table::Table;

/// How every mask begins. Nobody writes this by chance.
const SIGN: &str = "⟦masked: ";

/// Shortest secret that is looked for in sentences, in bytes.
const QUOTED: usize = 4;

/// The mask of a secret of so many characters.
#[must_use]
pub fn mask(characters: usize) -> String {
    format!("{SIGN}{}⟧", count(characters, "character"))
}

/// A text with masks in the place of its secrets: byte ranges, in order and apart.
#[must_use]
pub fn masked(text: &str, secrets: &[Span]) -> String {
    masked_part(text, secrets, 0..text.len())
}

/// A part of a text with masks in the place of the text's secrets. One that is cut is masked as far as it reaches in;
/// one of several lines has a mask on each, so that every line stays where it was.
#[must_use]
pub fn masked_part(text: &str, secrets: &[Span], part: Span) -> String {
    let mut shown = String::new();
    let mut at = part.start;
    for secret in secrets.iter().filter(|secret| secret.start < part.end && secret.end > part.start) {
        let (start, end) = (secret.start.max(part.start), secret.end.min(part.end));
        shown.push_str(text.get(at..start).unwrap_or_default());
        for line in text.get(start..end).unwrap_or_default().split_inclusive('\n') {
            let letters = line.trim_end_matches(['\n', '\r']);
            shown.extend((!letters.is_empty()).then(|| mask(letters.chars().count())));
            shown.push_str(&line[letters.len()..]);
        }
        at = end;
    }
    shown.push_str(text.get(at..part.end).unwrap_or_default());
    shown
}

impl Table {
    /// The same with masks in the place of its secrets: byte ranges of all its cells, one row after the other, written
    /// without anything between them.
    #[must_use]
    pub fn masked(&self, secrets: &[Span]) -> Self {
        let mut start = 0;
        let mut cell = |value: &String| {
            let part = start..start + value.len();
            start = part.end;
            let secrets: Vec<Span> = secrets
                .iter()
                .filter(|secret| secret.start < part.end && secret.end > part.start)
                .map(|secret| secret.start.max(part.start) - part.start..secret.end.min(part.end) - part.start)
                .collect();
            masked(value, &secrets)
        };
        let rows =
            self.rows.iter().map(|row| row.iter().map(|value| value.as_ref().map(&mut cell)).collect()).collect();
        Self { rows, ..self.clone() }
    }
}

impl OperationKind {
    /// Why it can't be what was meant, if it would write or send one of our masks.
    #[must_use]
    pub fn copied_mask(&self) -> Option<String> {
        let holds = |text: &str| text.contains(SIGN.trim_end());
        let copied = match self {
            Self::Sql(sql) => holds(&sql.sql),
            Self::Command(command) => holds(&command.command),
            Self::File(FileOperation::Write { content, .. }) => holds(content),
            Self::File(FileOperation::Edit { new, .. }) => holds(new),
            Self::Http(HttpOperation { url, headers, body, .. }) => {
                let headers = headers.iter().any(|(name, value)| holds(name) || holds(value));
                holds(url) || headers || body.as_deref().is_some_and(holds)
            }
            Self::Mcp(mcp) => holds(&serde_json::to_string(&mcp.arguments).unwrap_or_default()),
            Self::Answer(answer) => holds(&answer.text()),
            Self::Other(arguments) => holds(&arguments.to_string()),
            // What is put in place is on the disk already: a run wrote it, no model here.
            Self::File(_) | Self::Search(_) | Self::Find(_) | Self::Undo(_) | Self::Apply(_) => false,
        };
        copied.then(|| {
            format!(
                "it holds `{SIGN}…⟧`, which stands for a secret that was not shown and would be written as it stands; \
                 name the file or variable that holds the secret instead, or leave that part out"
            )
        })
    }
}

impl Prepared {
    /// A sentence about it with masks in the place of its secrets: a reason may quote a word of it. A secret of a few
    /// letters is left, as a word may hold it by chance.
    #[must_use]
    pub fn hidden(&self, said: &str) -> String {
        if self.assessment.secrets.is_empty() {
            return said.to_owned();
        }
        let body = self.operation.kind.text().body;
        let secrets = self.assessment.secrets.iter().filter_map(|span| body.get(span.clone()));
        secrets.filter(|secret| secret.len() >= QUOTED).fold(said.to_owned(), |said, secret| {
            if said.contains(secret) { said.replace(secret, &mask(secret.chars().count())) } else { said }
        })
    }

    /// The whole text of it, with masks in the place of secrets.
    #[must_use]
    pub fn shown(&self) -> String {
        masked(&self.operation.kind.text().body, &self.assessment.secrets)
    }

    /// One line that says what it would do, with masks in the place of secrets. Not shortened, not neutralised.
    #[must_use]
    pub fn gist(&self) -> String {
        let secrets = &self.assessment.secrets;
        if secrets.is_empty() {
            return self.operation.kind.gist();
        }
        let shown = self.shown();
        match &self.operation.kind {
            OperationKind::Sql(_) | OperationKind::Command(_) | OperationKind::Other(_) => {
                shown.split_whitespace().collect::<Vec<_>>().join(" ")
            }
            OperationKind::Mcp(mcp) => {
                format!("{} {}", mcp.name(), shown.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            OperationKind::Answer(_) => shown.lines().take(2).collect::<Vec<_>>().join(" "),
            // Their text begins with the line that says it.
            OperationKind::File(_)
            | OperationKind::Http(_)
            | OperationKind::Search(_)
            | OperationKind::Find(_)
            | OperationKind::Undo(_)
            | OperationKind::Apply(_) => shown.lines().next().unwrap_or_default().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        Assessment, Claim, CommandOperation, Facts, Operation, OperationId, Origin, SqlOperation, SqlWay,
    };

    #[test]
    fn a_part_is_masked_as_far_as_a_secret_reaches_into_it() {
        let text = "curl -u me:hunter2 https://x/abc";
        let secrets = [11..18, 29..32];
        assert_eq!(masked(text, &secrets), "curl -u me:⟦masked: 7 characters⟧ https://x/⟦masked: 3 characters⟧");
        assert_eq!(masked_part(text, &secrets, 8..14), "me:⟦masked: 3 characters⟧");
        assert_eq!(masked_part(text, &secrets, 0..4), "curl");
        assert_eq!(masked(text, &[]), text);
        let mask = mask(2);
        assert_eq!(masked("a\nbb\r\n\ncc\nd", std::slice::from_ref(&(2..9))), format!("a\n{mask}\r\n\n{mask}\nd"));
    }

    #[test]
    fn a_sentence_that_quotes_a_secret_is_masked_too() {
        let kind = OperationKind::Command(CommandOperation {
            command: "x -phunter2".to_owned(),
            timeout: None,
            terminal: false,
        });
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: String::new(),
            claim: Claim::Absent,
            kind,
            cwd: "/".into(),
        };
        let assessment = Assessment { secrets: vec![4..11, 0..1], ..Assessment::default() };
        let prepared = Prepared { operation, facts: Facts::default(), assessment };
        let said = prepared.hidden("No rule says that `x` with `-phunter2` only reads.");
        assert_eq!(said, "No rule says that `x` with `-p⟦masked: 7 characters⟧` only reads.");
    }

    #[test]
    fn what_would_write_a_mask_is_refused_and_what_only_looks_for_one_is_not() {
        let held = format!("x {} y", mask(12));
        let http = |url: &str, value: &str, body: Option<&str>| {
            OperationKind::Http(HttpOperation {
                method: "POST".to_owned(),
                url: url.to_owned(),
                headers: vec![("authorization".to_owned(), value.to_owned())],
                body: body.map(str::to_owned),
            })
        };
        let path = || "a".to_owned();
        for kind in [
            OperationKind::Sql(SqlOperation {
                connection: String::new(),
                dialect: None,
                sql: held.clone(),
                way: SqlWay::Plain,
            }),
            OperationKind::Command(CommandOperation { command: held.clone(), timeout: None, terminal: false }),
            OperationKind::File(FileOperation::Write { path: path(), content: held.clone() }),
            OperationKind::File(FileOperation::Edit { path: path(), old: path(), new: held.clone(), all: false }),
            http(&held, "", None),
            http("", &held, None),
            http("", "", Some(&held)),
            OperationKind::Other(serde_json::json!({ "deep": [{ "text": held.clone() }] })),
        ] {
            assert!(kind.copied_mask().is_some_and(|why| why.contains("stands for a secret")), "{kind:?}");
        }
        for kind in [
            OperationKind::File(FileOperation::Read { path: held.clone(), offset: None, limit: None }),
            http("https://example.org", "***", Some("masked: 12 characters")),
        ] {
            assert_eq!(kind.copied_mask(), None, "{kind:?}");
        }
    }
}
