//! The `/` commands: one table, from which they are read, completed, listed and run. To add one is to add an entry.

use serde_json::json;

use super::State;
use super::budget::Limit;
use super::direct::http;
use super::event::{Another, Effect};
use super::picker::Picker;
use super::row::{Pick, Row};
use super::switch::{NO_CONNECTION, Wanted};
use super::tables;
use crate::domain::{ApprovalMode, nearest};

/// A `/` command.
#[derive(Clone, Copy)]
pub struct Slash {
    /// Its word, without the `/`.
    pub word: &'static str,
    /// What follows it, as help shows it; nothing where nothing does.
    pub takes: &'static str,
    /// What it does, in a few words.
    pub says: &'static str,
    /// Does it with what follows the word. A sentence says what to type instead: then the line stays as it is.
    run: fn(&mut State, &str, &mut Vec<Effect>) -> Result<(), String>,
}

impl Slash {
    const fn new(
        word: &'static str,
        takes: &'static str,
        says: &'static str,
        run: fn(&mut State, &str, &mut Vec<Effect>) -> Result<(), String>,
    ) -> Self {
        Self { word, takes, says, run }
    }

    /// Whether it does nothing by its word alone. What need not follow stands in brackets.
    #[must_use]
    pub fn needs_more(&self) -> bool {
        !self.takes.is_empty() && !self.takes.starts_with('[')
    }

    /// How it is typed: `/mode [MODE]`.
    #[must_use]
    pub fn usage(&self) -> String {
        format!("/{} {}", self.word, self.takes).trim_end().to_owned()
    }
}

/// The line that is not a `/` command, for the lists that show all that can be typed.
pub const COMMAND_LINE: (&str, &str) = ("! COMMAND", "run a command yourself");

/// Every `/` command, in the order of help.
pub const SLASH: &[Slash] = &[
    Slash::new("help", "", "keys and commands", |state, _, _| {
        state.open_help();
        Ok(())
    }),
    Slash::new("mode", "[MODE]", "strict, guarded or smart", |state, word, _| mode(state, word)),
    Slash::new("model", "[NAME]", "another model", |state, name, effects| {
        if name.is_empty() {
            state.list_models(effects);
        } else {
            state.switch_model(Wanted::Named(name.to_owned()), effects);
        }
        Ok(())
    }),
    Slash::new("db", "[NAME]", "another connection", |state, name, effects| {
        if name.is_empty() {
            state.list_connections();
        } else {
            state.choose_connection(name.to_owned(), effects);
        }
        Ok(())
    }),
    Slash::new("sessions", "[ID]", "go on with another session", State::sessions),
    Slash::new("sql", "QUERY", "run SQL on the connection", |state, query, effects| {
        needed(query, "/sql SELECT 1")?;
        if state.setting.connections.is_empty() {
            return Err(NO_CONNECTION.to_owned());
        }
        if let Some(instead) = tables::instead(&state.setting, query) {
            return Err(instead);
        }
        state.direct("execute_sql", &json!({ "sql": query }), effects);
        Ok(())
    }),
    Slash::new("tables", "", "list the tables of the connection", |state, _, effects| state.list_tables(effects)),
    Slash::new("http", "GET URL", "send a request", |state, request, effects| {
        let arguments = http(request).ok_or_else(|| needs("/http GET https://example.com"))?;
        state.direct("http_request", &arguments, effects);
        Ok(())
    }),
    Slash::new("read", "PATH", "read a file", |state, path, effects| {
        needed(path, "/read README.md")?;
        state.direct("file_operations", &json!({ "operation": "read", "path": path }), effects);
        Ok(())
    }),
    Slash::new("list", "[PATH]", "list a folder", |state, path, effects| {
        let path = if path.is_empty() { "." } else { path };
        state.direct("file_operations", &json!({ "operation": "list", "path": path }), effects);
        Ok(())
    }),
    Slash::new("search", "PATTERN", "search in files", |state, pattern, effects| {
        needed(pattern, "/search PATTERN")?;
        state.direct("search_files", &json!({ "pattern": pattern }), effects);
        Ok(())
    }),
    Slash::new("find", "GLOB", "find files by name", |state, glob, effects| {
        needed(glob, "/find '*.rs'")?;
        state.direct("find_files", &json!({ "glob": glob }), effects);
        Ok(())
    }),
    Slash::new("terminal", "COMMAND", "run a command in a terminal that you type into", |state, command, effects| {
        needed(command, "/terminal vim notes.txt")?;
        state.direct("execute_command", &json!({ "command": command, "terminal": true }), effects);
        Ok(())
    }),
    Slash::new("limit", "[calls 100]", "calls, minutes, tokens or cost of a turn", |state, change, _| {
        limit(state, change)
    }),
    Slash::new("usage", "", "tokens and cost so far", |state, _, _| {
        state.tell_usage();
        Ok(())
    }),
    Slash::new("compact", "", "summarise what was said so far", |state, _, effects| {
        state.compact_now(effects);
        Ok(())
    }),
    Slash::new("new", "", "begin a new session", |state, _, effects| state.go_over(Another::New, effects)),
    Slash::new("rules", "[revoke r1]", "what is remembered", State::rules),
    Slash::new("mcp", "[SERVER]", "MCP servers; with a name, start it again", |_, name, effects| {
        effects.push(Effect::Servers((!name.is_empty()).then(|| name.to_owned())));
        Ok(())
    }),
    Slash::new("theme", "[NAME]", "another look", |state, name, _| state.theme_command(name)),
    Slash::new("quit", "", "leave", |state, _, effects| state.quit_typed(effects)),
];

/// Everything that can be typed beside messages, and what it does.
pub fn typed() -> impl Iterator<Item = (String, &'static str)> {
    let all = SLASH.iter().map(|slash| (slash.usage(), slash.says));
    std::iter::once((COMMAND_LINE.0.to_owned(), COMMAND_LINE.1)).chain(all)
}

/// The command of a line that begins with `/`, and what follows its word. None for a message that begins with a
/// path, such as `/etc/hosts is odd`.
///
/// # Errors
/// There is no such command.
pub(super) fn find(line: &str) -> Result<Option<(&'static Slash, &str)>, String> {
    let Some(rest) = line.trim().strip_prefix('/') else { return Ok(None) };
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if word.is_empty() || word.contains('/') {
        return Ok(None);
    }
    let known = if word == "exit" { "quit" } else { word };
    if let Some(slash) = SLASH.iter().find(|slash| slash.word == known) {
        return Ok(Some((slash, argument.trim())));
    }
    let meant = nearest(word, SLASH.iter().map(|slash| slash.word));
    let meant = meant.map_or_else(String::new, |meant| format!("Did you mean /{meant}? "));
    Err(format!("There is no /{word}. {meant}Type /help for those there are."))
}

impl State {
    /// Runs a `/` line that a list offered; what it needs beside is said below.
    pub(super) fn slash_line(&mut self, line: &str, effects: &mut Vec<Effect>) {
        let ran = match find(line) {
            Ok(Some((slash, argument))) => self.slash(slash, argument, effects),
            Ok(None) => Ok(()),
            Err(sentence) => Err(sentence),
        };
        if let Err(sentence) = ran {
            self.hint = Some(sentence);
        }
    }

    pub(super) fn slash(&mut self, slash: &Slash, argument: &str, effects: &mut Vec<Effect>) -> Result<(), String> {
        (slash.run)(self, argument, effects)
    }
}

fn needs(usage: &str) -> String {
    format!("It needs more: {usage}")
}

fn needed(argument: &str, usage: &str) -> Result<(), String> {
    if argument.is_empty() { Err(needs(usage)) } else { Ok(()) }
}

/// What a mode means, in a sentence's end.
pub(super) fn means(mode: ApprovalMode) -> &'static str {
    match mode {
        ApprovalMode::Strict => "everything asks",
        ApprovalMode::Guarded => "what clearly only reads runs; tests and low risk on a copy; the rest asks",
        ApprovalMode::Smart => "what the model calls low runs, high risk and production too",
        ApprovalMode::AllowAll => "everything runs",
    }
}

fn mode(state: &mut State, word: &str) -> Result<(), String> {
    const MODES: [ApprovalMode; 3] = [ApprovalMode::Strict, ApprovalMode::Guarded, ApprovalMode::Smart];
    if let Some(mode) = MODES.into_iter().find(|mode| mode.word() == word) {
        state.set_mode(mode);
        return Ok(());
    }
    match word {
        "" => {
            let row = |mode: ApprovalMode| {
                Row::new(mode.word(), Pick::Line(format!("/mode {}", mode.word()))).detail(means(mode))
            };
            let now = MODES.iter().position(|mode| *mode == state.queue.gate.policy().mode).unwrap_or(0);
            state.open_picker(Picker::new("Mode", MODES.map(row).into()).of("mode").at(now));
            Ok(())
        }
        "allow-all" => Err("Mode allow-all comes from the command line only: countersign --allow-all".to_owned()),
        _ => Err("The modes are strict, guarded and smart: /mode guarded".to_owned()),
    }
}

fn limit(state: &mut State, argument: &str) -> Result<(), String> {
    if argument.is_empty() {
        state.limit(None);
        return Ok(());
    }
    let (word, figure) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let known = Limit::ALL.into_iter().find(|limit| limit.word() == word);
    let limit = known.ok_or("The limits are calls, minutes, tokens and cost: /limit calls 100")?;
    let (least, most) = limit.range();
    match limit.read(figure.trim()) {
        Some(figure) => {
            state.limit(Some((limit, figure)));
            Ok(())
        }
        None => Err(format!(
            "It must be from {} to {}: /limit {word} {}",
            limit.figure(least),
            limit.figure(most),
            if limit == Limit::Cost { "2.50".to_owned() } else { least.max(100).to_string() }
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_and_paths_are_messages() {
        let (slash, argument) = find(" /read a b.txt ").unwrap().unwrap();
        assert_eq!((slash.word, argument, slash.usage().as_str()), ("read", "a b.txt", "/read PATH"));
        assert_eq!(find("/exit").unwrap().unwrap().0.word, "quit");
        for message in ["hello", "what is 1/2", "/etc/hosts is odd", "/"] {
            assert!(find(message).unwrap().is_none(), "{message}");
        }
        assert_eq!(find("/nonsense").err().unwrap(), "There is no /nonsense. Type /help for those there are.");
        let meant = "There is no /modle. Did you mean /model? Type /help for those there are.";
        assert_eq!(find("/modle").err().unwrap(), meant);
    }

    #[test]
    fn every_word_is_there_once() {
        let mut words: Vec<&str> = SLASH.iter().map(|slash| slash.word).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), SLASH.len());
        assert!(typed().all(|(usage, says)| usage.len() < 24 && says.len() < 60));
    }
}
