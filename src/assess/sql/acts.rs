//! What statements would do in a few words, told from their tokens: `Delete rows`, `Drop table orders`.

use super::lex::{Kind, Token};
use super::statements::{self, Narrowing};
use crate::domain;

/// Longest name in it, in characters.
const NAME: usize = 40;

/// The few words for a text of these statements.
pub(super) fn told(statements: &[&[Token]]) -> String {
    let mut acts: Vec<String> = Vec::new();
    for tokens in statements {
        let act = act(tokens);
        if !acts.contains(&act) {
            acts.push(act);
        }
    }
    domain::joined(&acts, &["Read rows", "Insert rows"])
}

fn act(tokens: &[Token]) -> String {
    let Some(first) = tokens.iter().find(|token| !token.mark('(')).filter(|token| token.kind == Kind::Word) else {
        return "Run SQL".to_owned();
    };
    let all = || if statements::narrowing(tokens) == Narrowing::Clause { "" } else { "all " };
    match first.text.as_str() {
        "delete" => format!("Delete {}rows", all()),
        "update" => format!("Update {}rows", all()),
        "insert" => "Insert rows".to_owned(),
        "replace" => "Replace rows".to_owned(),
        "merge" => "Merge rows".to_owned(),
        "copy" => "Copy rows".to_owned(),
        "grant" => "Grant rights".to_owned(),
        "revoke" => "Revoke rights".to_owned(),
        "with" => match changing(tokens) {
            [] => "Read rows".to_owned(),
            changing => act(changing),
        },
        "select" | "values" | "table" => "Read rows".to_owned(),
        "truncate" => named("Empty", tokens),
        "drop" | "create" | "alter" | "rename" | "attach" | "detach" => named(&capital(&first.text), tokens),
        verb if verb.len() <= NAME => format!("Run {}", verb.to_uppercase()),
        _ => "Run SQL".to_owned(),
    }
}

/// The part of a `WITH` that changes something: the statement behind the named queries, or the first of those.
fn changing(tokens: &[Token]) -> &[Token] {
    let (mut depth, mut named, mut within) = (0_usize, false, None);
    for (at, token) in tokens.iter().enumerate() {
        let called = tokens.get(at + 1).is_some_and(|next| next.mark('('));
        let verb = token.kind == Kind::Word
            && !called
            && matches!(token.text.as_str(), "delete" | "update" | "insert" | "merge" | "replace");
        if token.mark('(') {
            depth += 1;
        } else if token.mark(')') {
            depth = depth.saturating_sub(1);
            named |= depth == 0;
        } else if verb && depth == 0 && named {
            return &tokens[at..];
        } else if verb && within.is_none() && at > 0 && tokens[at - 1].mark('(') {
            within = Some(at);
        } else if token.kind == Kind::Word && token.text == "select" && depth == 0 && named {
            break;
        }
    }
    within.map_or(&[], |at| &tokens[at..at + length(&tokens[at..])])
}

/// How many tokens stand before the bracket that ends them.
fn length(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    let end = tokens.iter().position(|token| {
        let ends = depth == 0 && token.mark(')');
        depth = if token.mark('(') { depth + 1 } else { depth.saturating_sub(usize::from(token.mark(')'))) };
        ends
    });
    end.unwrap_or(tokens.len())
}

/// The verb, what kind of thing, and its name: `Drop table orders`.
fn named(verb: &str, tokens: &[Token]) -> String {
    let object = statements::object(&tokens[1..], "");
    let object = object.trim_start_matches("the ").replace('`', "");
    let mut letters = object.chars();
    let mut short: String = letters.by_ref().take(NAME).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    format!("{verb} {short}").trim_end().to_owned()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
