//! A session as text: plain for the terminal, Markdown and JSON for files.

use std::fmt::Write as _;

use serde_json::json;
use time::OffsetDateTime;

use super::transcript::{DENIED, Piece, Told};
use crate::domain::{Decider, number};
use crate::store::Listed;
use crate::ui::plain as safe;

/// Version of the JSON form: a member may be added, none changes its meaning.
const VERSION: u32 = 1;
/// Lines of what an operation printed that the terminal shows.
const LINES: usize = 40;

/// A day and a time.
pub fn moment(at_ms: i64) -> String {
    let Ok(at) = OffsetDateTime::from_unix_timestamp(at_ms / 1_000) else { return "?".to_owned() };
    let (day, hour, minute) = (at.date(), at.hour(), at.minute());
    format!("{day} {hour:02}:{minute:02} UTC")
}

/// How long ago something was, in a few words.
#[must_use]
pub fn ago(at_ms: i64, now_ms: i64) -> String {
    let minutes = now_ms.saturating_sub(at_ms).max(0) / 60_000;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1_440 => format!("{} h ago", minutes / 60),
        1_440..43_200 => format!("{} d ago", minutes / 1_440),
        _ => moment(at_ms).split(' ').next().unwrap_or_default().to_owned(),
    }
}

/// One line that says which session it is.
pub fn head(listed: &Listed, title: &str) -> String {
    let operations = number::count(listed.operations, "operation");
    let workspace = listed.workspace.as_deref().unwrap_or("no workspace");
    format!("{title}\n{} · {} · {workspace} · {operations}", listed.short(), moment(listed.started_ms))
}

/// For the terminal: nothing in it is obeyed by one.
pub fn plain(head: &str, pieces: &[Piece]) -> String {
    let mut text = format!("{}\n", safe(head));
    for piece in pieces {
        text.push('\n');
        match piece {
            Piece::Person { text: said, .. } => part(&mut text, "you", said),
            Piece::Model { text: said, .. } => part(&mut text, "model", said),
            Piece::Notice { text: said, .. } => {
                let _infallible = writeln!(text, "· {}", safe(said));
            }
            Piece::Operation(told) => {
                part(&mut text, &summary(told), &told.text);
                let lines: Vec<&str> = told.printed.lines().collect();
                for line in lines.iter().take(LINES) {
                    let _infallible = writeln!(text, "  ▏ {}", safe(line));
                }
                if lines.len() > LINES {
                    let more = number::count(lines.len() - LINES, "line");
                    let _infallible = writeln!(text, "  ▏ … {more} more: `countersign sessions export` has them");
                }
            }
        }
    }
    text
}

fn part(text: &mut String, head: &str, body: &str) {
    let _infallible = writeln!(text, "{}", safe(head));
    for line in body.lines() {
        let _infallible = writeln!(text, "  {}", safe(line));
    }
}

/// `#3 Delete rows · high · asked by the model · you approved it · 12 rows, 4 ms`
fn summary(told: &Told) -> String {
    let title = if told.title.is_empty() { &told.tool } else { &told.title };
    let mut parts = vec![format!("#{} {title}", told.number)];
    parts.extend(told.risk.map(|risk| risk.word().to_owned()));
    parts.push(format!("asked by {}", told.asked_by));
    parts.extend(decision(told));
    let took = told.took_ms.map_or_else(String::new, |took| format!(", {}", number::duration(took)));
    let outcome = told.outcome.lines().next().unwrap_or_default();
    // Who denied it is told already.
    parts.extend((outcome != DENIED || told.allowed.is_none()).then(|| format!("{outcome}{took}")));
    parts.join(" · ")
}

fn decision(told: &Told) -> Option<String> {
    let allowed = told.allowed?;
    let decider = told.decided_by.as_ref().filter(|decider| **decider != Decider::Interrupt)?;
    let who = match decider {
        Decider::Person | Decider::PersonAll => "you",
        Decider::TurnApproval => "your approval for the turn",
        Decider::Rule => "a rule",
        Decider::Claim => "the model's claim",
        Decider::Whitelist => "the whitelist",
        Decider::AllowAll => "mode allow-all",
        Decider::Policy => "the policy",
        Decider::Interrupt => "the end of the turn",
    };
    Some(format!("{} by {who}", if allowed { "allowed" } else { "denied" }))
}

/// For a file that people read.
pub fn markdown(head: &str, pieces: &[Piece]) -> String {
    let (title, rest) = head.split_once('\n').unwrap_or((head, ""));
    let mut text = format!("# {}\n\n{rest}\n", title.trim());
    for piece in pieces {
        match piece {
            Piece::Person { at_ms, text: said } => {
                let _infallible = write!(text, "\n## You, {}\n\n{}\n", moment(*at_ms), said.trim_end());
            }
            Piece::Model { at_ms, text: said } => {
                let _infallible = write!(text, "\n## Model, {}\n\n{}\n", moment(*at_ms), said.trim_end());
            }
            Piece::Notice { text: said, .. } => {
                let _infallible = write!(text, "\n> {}\n", said.replace('\n', "\n> "));
            }
            Piece::Operation(told) => {
                let _infallible = write!(text, "\n### {}\n\n", summary(told));
                fenced(&mut text, told.language, &told.text);
                if let Some(reason) = &told.reason {
                    let _infallible = write!(text, "\n{}\n", reason.trim_end());
                }
                if !told.printed.is_empty() {
                    text.push('\n');
                    fenced(&mut text, "text", &told.printed);
                }
            }
        }
    }
    text
}

/// Behind a fence that nothing in the text closes.
fn fenced(text: &mut String, language: &str, body: &str) {
    let longest = body.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let _infallible = write!(text, "{fence}{language}\n{}\n{fence}\n", body.trim_end());
}

/// For another program.
///
/// # Errors
/// It can't be expressed.
pub fn json(listed: &Listed, title: &str, pieces: &[Piece]) -> serde_json::Result<String> {
    let whole = json!({
        "version": VERSION,
        "session": listed.id,
        "title": title,
        "workspace": listed.workspace,
        "agent": listed.agent,
        "started_ms": listed.started_ms,
        "last_ms": listed.last_ms,
        "pieces": pieces,
    });
    serde_json::to_string_pretty(&whole).map(|text| text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        let mut text = String::new();
        fenced(&mut text, "sh", "a ```` b");
        assert_eq!(text, "`````sh\na ```` b\n`````\n");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(ago(0, 30_000), "just now");
        assert_eq!(ago(0, 5 * 60_000), "5 min ago");
        assert_eq!(ago(0, 26 * 3_600_000), "1 d ago");
        assert_eq!(ago(0, 90 * 86_400_000), "1970-01-01");
    }

    #[test]
    fn nothing_in_a_session_is_obeyed_by_the_terminal() {
        let pieces = [Piece::Model { at_ms: 0, text: "a\x1b[2Jb".to_owned() }];
        assert!(!plain("t\x07", &pieces).contains(['\x1b', '\x07']));
    }
}
