//! What statements would do in a few words, told from their tokens: `Delete rows`, `Drop table orders`.

use super::lex::{Kind, Token};
use super::statements::{self, Narrowing};

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
    match acts.as_slice() {
        [] => String::new(),
        [act] => act.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
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
        "select" | "with" | "values" | "table" => "Read rows".to_owned(),
        "truncate" => named("Empty", tokens),
        "drop" | "create" | "alter" | "rename" | "attach" | "detach" => named(&capital(&first.text), tokens),
        verb if verb.len() <= NAME => format!("Run {}", verb.to_uppercase()),
        _ => "Run SQL".to_owned(),
    }
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
