//! Programs that run another one: `timeout`, `nice`, `env`, `command`, `sh -c`, … Peeled where what runs is in the
//! words, so that the inner command is judged as if it stood alone.

use super::judge::{Feed, Judge};
use super::programs::leading;
use super::scope::{Scope, steering_variable};
use super::table::table;
use super::word::Word;

/// Wrappers whose flags the table knows.
pub(super) fn peel(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    let Some(inner) = table().entry(name).and_then(|entry| leading(entry, words)) else {
        judge.ineligible = true;
        judge.unknown("command.unknown-flag", format!("No rule knows these flags of `{name}`."));
        judge.behind(words);
        return;
    };
    let inner = if name == "timeout" { inner.get(1..).unwrap_or_default() } else { inner };
    inside(judge, name, inner);
}

fn inside(judge: &mut Judge<'_>, name: &str, inner: &[Word]) {
    if inner.is_empty() {
        judge.readers.insert(name.to_owned());
    } else {
        judge.deeper(|judge| judge.dispatch(inner));
    }
}

/// `env`: assignments, then a program; alone it prints every variable.
pub(super) fn env(judge: &mut Judge<'_>, words: &[Word]) {
    let Some(mut inner) = table().entry("env").and_then(|entry| leading(entry, words)) else {
        judge.ineligible = true;
        judge.unknown("command.unknown-flag", "No rule knows these flags of `env`.");
        judge.behind(words);
        return;
    };
    if inner.first().and_then(Word::text) == Some("-") {
        inner = &inner[1..];
    }
    while let Some(word) = inner.first() {
        let Some((variable, _)) = word.prefix().split_once('=') else { break };
        if steering_variable(variable) {
            judge.steered(variable);
        }
        inner = &inner[1..];
    }
    if inner.is_empty() {
        judge.sensitive("`env` prints every variable, secrets included.");
    } else if inner[0].vague() {
        judge.unreadable("command.vague-program", format!("Which program {} becomes is not known.", inner[0].shown()));
    } else {
        inside(judge, "env", inner);
    }
}

/// `command` and `builtin`: `command -v` looks a name up.
pub(super) fn command(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    match words.first().and_then(Word::text) {
        Some("-v" | "-V") if name == "command" => {
            judge.readers.insert(name.to_owned());
        }
        Some(flag) if flag.starts_with('-') && flag != "--" => {
            judge.unknown("command.unknown-flag", format!("No rule says that `{name}` with `{flag}` only reads."));
            judge.behind(words);
        }
        Some("--") => inside(judge, name, &words[1..]),
        Some(_) => inside(judge, name, words),
        None if words.is_empty() => {}
        None => judge.unreadable("command.vague-program", "Which program it runs is not known."),
    }
}

/// `sh -c TEXT`: the text is judged like the whole command.
pub(super) fn shell(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    let texts: Vec<Option<&str>> = words.iter().map(Word::text).collect();
    if let [Some("--version" | "--help")] = texts.as_slice() {
        judge.readers.insert(name.to_owned());
        return;
    }
    judge.ineligible = true;
    let script = if let [Some("-c" | "-ec" | "-uc" | "-euc"), Some(script), ..] = texts.as_slice() {
        *script
    } else {
        if judge.feed == Feed::Download {
            judge.destructive("command.download-and-run", format!("It runs what it downloads with `{name}`."));
        }
        judge.unknown("command.runs-code", format!("`{name}` runs a script that the command doesn't show."));
        judge.behind(words);
        return;
    };
    let dialect = ["$'", "$\"", "&>", "<(", ">(", "<<", "{", "|&"];
    if name != "bash" && dialect.iter().any(|mark| script.contains(mark)) {
        judge.unreadable("command.dialect", format!("`{name}` reads parts of that script in its own way."));
        judge.behind(words);
        return;
    }
    judge.ineligible = false;
    let mut fresh = Scope::default();
    fresh.cwd.clone_from(&judge.scope.cwd);
    fresh.moved = judge.scope.moved;
    judge.deeper(|judge| {
        std::mem::swap(&mut judge.scope, &mut fresh);
        judge.script(script);
        std::mem::swap(&mut judge.scope, &mut fresh);
    });
}
