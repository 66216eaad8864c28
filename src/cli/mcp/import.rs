//! `countersign mcp import` and `remove`: takes servers from other clients' files into ours, each shown and approved by
//! itself, and takes one out again.

use std::io::{self, BufRead as _, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Start, plain};
use crate::private::{Rights, Touched};
use crate::tools::mcp::{BROUGHT, Config, KEY, read_file, read_servers};

/// Where other clients keep their servers, from the home folder.
const HOME: [&str; 7] = [
    ".claude.json",
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
    ".cursor/mcp.json",
    ".config/Code/User/mcp.json",
    "Library/Application Support/Code/User/mcp.json",
    ".gemini/settings.json",
];
/// The same from the workspace, beside what a session looks at itself.
const WORKSPACE: [&str; 3] = [".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json"];
/// What they call the object of servers. The last is VS Code's.
const KEYS: [&str; 2] = [KEY, "servers"];
/// The object in which Claude Code keeps the servers of one project, by its path.
const PROJECTS: &str = "projects";

/// Takes in what the person approves: the servers named by `yes`, or, at a terminal, those that are answered with y.
pub(super) fn import(start: &Start, files: &[PathBuf], yes: &[String], out: &mut dyn Write) -> io::Result<bool> {
    let own = start.folders.servers();
    let mut kept = match load(&own) {
        Ok(kept) => kept,
        Err(why) => {
            writeln!(out, "{}: {}. Nothing was imported.", own.display(), plain(&why))?;
            return Ok(false);
        }
    };
    let asks = yes.is_empty() && io::stdin().is_terminal();
    let (mut taken, mut offered) = (0, 0);
    for file in if files.is_empty() { known(start) } else { files.to_vec() } {
        let servers = match found(&file, &start.workspace) {
            Ok(Some((servers, problems))) => {
                problems.iter().try_for_each(|why| writeln!(out, "{}: {}", file.display(), plain(why)))?;
                servers
            }
            // Other clients' settings needn't be there, nor have servers.
            Ok(None) | Err(_) if files.is_empty() => continue,
            Ok(None) => {
                writeln!(out, "There is no {}.", file.display())?;
                continue;
            }
            Err(why) => {
                writeln!(out, "{}: {}", file.display(), plain(&why))?;
                continue;
            }
        };
        for server in servers {
            let name = plain(&server.name);
            let note =
                if server_of(&kept, &server.name).is_some() { " (there is one of that name already)" } else { "" };
            writeln!(out, "{name} from {}{note}\n  {}", file.display(), plain(&server.reach.shown()))?;
            if !note.is_empty() {
                continue;
            }
            offered += 1;
            let approved = yes.contains(&server.name) || asks && ask(&name, out)?;
            if approved {
                put(&mut kept, &server);
                taken += 1;
            }
        }
    }
    if taken > 0 {
        if let Err(why) = save(&start.folders.data, &own, &kept) {
            writeln!(out, "{}: {}. Nothing was imported.", own.display(), plain(&why.to_string()))?;
            return Ok(false);
        }
        writeln!(out, "Imported {taken} into {}. `countersign mcp test NAME` tries one.", own.display())?;
    } else if offered == 0 {
        writeln!(out, "There is nothing to import.")?;
    } else if !asks {
        writeln!(out, "Nothing was imported. Approve one by one: countersign mcp import --yes NAME")?;
    }
    Ok(true)
}

/// Takes a server out of our file.
pub(super) fn remove(start: &Start, name: &str, out: &mut dyn Write) -> io::Result<bool> {
    let own = start.folders.servers();
    let removed = load(&own).map(|mut kept| {
        let servers = kept.get_mut(KEY).and_then(Value::as_object_mut);
        let there = servers.is_some_and(|servers| servers.shift_remove(name).is_some());
        there.then_some(kept)
    });
    match removed {
        Ok(Some(kept)) => {
            if let Err(why) = save(&start.folders.data, &own, &kept) {
                writeln!(out, "{}: {}. Nothing was removed.", own.display(), plain(&why.to_string()))?;
                return Ok(false);
            }
            writeln!(out, "{} is removed from {}.", plain(name), own.display())?;
            Ok(true)
        }
        Ok(None) => {
            writeln!(out, "There is no {} in {}.", plain(name), own.display())?;
            Ok(false)
        }
        Err(why) => {
            writeln!(out, "{}: {}", own.display(), plain(&why))?;
            Ok(false)
        }
    }
}

/// The files of other clients, whether they are there or not.
fn known(start: &Start) -> Vec<PathBuf> {
    let home = start.folders.home.iter().flat_map(|home| HOME.iter().map(|file| home.join(file)));
    home.chain(BROUGHT.iter().chain(&WORKSPACE).map(|file| start.workspace.join(file))).collect()
}

type Found = (Vec<Config>, Vec<String>);

/// The servers of a file, those that it keeps for the workspace first: they go before others of the same name. None
/// where there is no such file.
fn found(file: &Path, workspace: &Path) -> Result<Option<Found>, String> {
    let Some(text) = read_file(file)? else { return Ok(None) };
    let text = uncommented(&text);
    let mut read = of_project(&text, workspace).into_iter().map(|own| read_servers(&own, KEY));
    let own = read.find_map(Result::ok);
    let mut read = KEYS.iter().map(|key| read_servers(&text, key));
    let first = read.next().unwrap_or_else(|| Err(String::new()));
    let rest = first.or_else(|why| read.find_map(Result::ok).ok_or(why));
    match (own, rest) {
        (None, rest) => rest.map(Some),
        (own, Err(_)) => Ok(own),
        (Some((mut servers, mut problems)), Ok((more, wrong))) => {
            for server in more {
                if !servers.iter().any(|one| one.name == server.name) {
                    servers.push(server);
                }
            }
            problems.extend(wrong);
            Ok(Some((servers, problems)))
        }
    }
}

/// What a file keeps for a workspace, as Claude Code does of every project by its path.
fn of_project(text: &str, workspace: &Path) -> Vec<String> {
    let Ok(root) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let Some(projects) = root.get(PROJECTS).and_then(Value::as_object) else { return Vec::new() };
    let real = workspace.canonicalize();
    let paths = std::iter::once(workspace).chain(real.as_deref());
    paths.filter_map(|path| projects.get(path.to_str()?)).map(Value::to_string).collect()
}

/// JSON without the comments and the commas at the end that some editors allow.
fn uncommented(text: &str) -> String {
    let (mut plain, mut quoted) = (String::with_capacity(text.len()), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if quoted => {
                plain.push(letter);
                plain.extend(letters.next());
                continue;
            }
            '"' => quoted = !quoted,
            '/' if !quoted && letters.peek() == Some(&'/') => {
                while letters.next_if(|letter| *letter != '\n').is_some() {}
                continue;
            }
            '/' if !quoted && letters.peek() == Some(&'*') => {
                let mut before = ' ';
                for letter in letters.by_ref().skip(1) {
                    if before == '*' && letter == '/' {
                        break;
                    }
                    before = letter;
                }
                continue;
            }
            '}' | ']' if !quoted => {
                let end = plain.trim_end().len();
                if plain[..end].ends_with(',') {
                    plain.truncate(end - 1);
                }
            }
            _ => {}
        }
        plain.push(letter);
    }
    plain
}

/// One question, one answer; anything but y is no.
fn ask(name: &str, out: &mut dyn Write) -> io::Result<bool> {
    write!(out, "  import {name}? [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn server_of<'a>(kept: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    kept.get(KEY)?.get(name)
}

fn put(kept: &mut Map<String, Value>, server: &Config) {
    let servers = kept.entry(KEY).or_insert_with(|| Value::Object(Map::new()));
    if let Some(servers) = servers.as_object_mut() {
        servers.insert(server.name.clone(), server.written());
    }
}

/// Our file as it is; nothing where there is none.
fn load(own: &Path) -> Result<Map<String, Value>, String> {
    let Some(text) = read_file(own)? else { return Ok(Map::new()) };
    match serde_json::from_str(&text) {
        Ok(Value::Object(kept)) if kept.get(KEY).is_none_or(Value::is_object) => Ok(kept),
        Ok(_) => Err(format!("it must be an object, and `{KEY}` in it another")),
        Err(error) => Err(format!("it isn't JSON: {error}")),
    }
}

/// Writes our file; the old one stays until the new one is whole, and for good where nobody looked at it.
fn save(data: &Path, own: &Path, kept: &Map<String, Value>) -> io::Result<()> {
    let text = serde_json::to_string_pretty(kept)? + "\n";
    Touched::at(data).write(own, text.as_bytes(), Rights::Private)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_commas_at_the_end_are_taken_out_and_texts_are_left() {
        let text = r#"{ // servers
            "servers": { "a": { "command": "x", "args": ["http://b/*c*/", "d\"//e",], /* f */ }, } }"#;
        let read: Value = serde_json::from_str(&uncommented(text)).unwrap();
        assert_eq!(read["servers"]["a"]["args"], serde_json::json!(["http://b/*c*/", "d\"//e"]));
    }

    #[test]
    fn what_claude_code_keeps_for_one_project_counts_in_that_project() {
        let folder = tempfile::tempdir().unwrap();
        let (file, here) = (folder.path().join(".claude.json"), folder.path().join("work"));
        std::fs::create_dir(&here).unwrap();
        let real = here.canonicalize().unwrap();
        let server = |command: &str| serde_json::json!({ "command": command });
        let mut kept = serde_json::json!({ "numStartups": 3, "projects": {
            real.to_str().unwrap(): { "mcpServers": { "mine": server("a"), "both": server("b") } },
            "/elsewhere": { "mcpServers": { "theirs": server("c") } },
        } });
        let names = |kept: &Value, here: &Path| {
            std::fs::write(&file, kept.to_string()).unwrap();
            let (servers, problems) = found(&file, here).map(Option::unwrap_or_default).unwrap_or_default();
            assert_eq!(problems, Vec::<String>::new());
            servers.iter().map(|server| format!("{} {}", server.name, server.reach.shown())).collect::<Vec<_>>()
        };
        assert_eq!(names(&kept, &here).len(), 2);
        assert_eq!(names(&kept, Path::new("/nowhere")).len(), 0);
        kept["mcpServers"] = serde_json::json!({ "both": server("d"), "all": server("e") });
        let all = names(&kept, &here);
        assert!(
            all.len() == 3 && all.iter().any(|server| server.starts_with("both") && server.ends_with('b')),
            "{all:?}"
        );
        assert_eq!(names(&kept, Path::new("/nowhere")).len(), 2);
    }

    #[test]
    fn a_file_is_written_for_its_owner_alone_and_keeps_what_else_is_in_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("mcp.json");
        std::fs::write(&own, r#"{"other":1,"mcpServers":{"a":{"command":"x"}}}"#).unwrap();
        let mut kept = load(&own).unwrap();
        put(&mut kept, &Config::read("b", &serde_json::json!({ "url": "https://a.example" })).unwrap());
        save(&folder.path().join("data"), &own, &kept).unwrap();
        assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o600);
        let kept = load(&own).unwrap();
        assert!(server_of(&kept, "a").is_some() && server_of(&kept, "b").is_some() && kept["other"] == 1);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
