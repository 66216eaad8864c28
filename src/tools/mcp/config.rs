//! MCP servers as the ecosystem writes them down: `{ "mcpServers": { "name": { "command": … } } }`, in a JSON file of
//! its own beside the configuration. What is secret in it stays as it is written until a server starts.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};

use crate::private;

/// Longest file that is read, in bytes.
const FILE: u64 = 8 * 1024 * 1024;
/// Most servers of one file.
const SERVERS: usize = 100;
/// Longest name of a server, in characters.
const NAME: usize = 40;

/// One server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub reach: Reach,
    /// The person switched it off.
    pub disabled: bool,
    /// What it may ask.
    pub may: May,
    /// Seconds that a call may take; none for the usual limit.
    pub time_limit: Option<u64>,
}

/// What a server may ask of its client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct May {
    /// Where the workspace is.
    pub roots: bool,
    /// The session's model, each time with the person's word.
    pub sampling: bool,
    /// The person, to fill in a form.
    pub elicitation: bool,
}

/// How a server is reached.
#[derive(Clone)]
pub enum Reach {
    /// A program that is started here and speaks on its standard input and output.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// Variables of its environment, beside the harmless ones that it gets anyway.
        environment: BTreeMap<String, SecretString>,
        /// Folder that it starts in; none for the workspace.
        folder: Option<String>,
    },
    /// An address that speaks streamable HTTP.
    Address {
        /// The URL.
        url: String,
        /// Headers that go with every request.
        headers: BTreeMap<String, SecretString>,
    },
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Reach {
    /// As a person is shown it: names of variables and headers, never their values.
    #[must_use]
    pub fn shown(&self) -> String {
        let names = |what: &str, of: &BTreeMap<String, SecretString>| {
            if of.is_empty() {
                String::new()
            } else {
                format!("; {what} {}", of.keys().cloned().collect::<Vec<_>>().join(", "))
            }
        };
        match self {
            Self::Program { command, arguments, environment, folder } => {
                let words: Vec<&str> = std::iter::once(command).chain(arguments).map(String::as_str).collect();
                let folder = folder.as_ref().map(|folder| format!("; in {folder}")).unwrap_or_default();
                format!("{}{folder}{}", words.join(" "), names("environment", environment))
            }
            Self::Address { url, headers } => {
                // A query may hold a key.
                let url = url.split('?').next().unwrap_or_default();
                format!("{url}{}", names("headers", headers))
            }
        }
    }
}

impl Config {
    /// Reads one entry of `mcpServers`. Keys that others add and that mean nothing here are left aside.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn read(name: &str, entry: &Value) -> Result<Self, String> {
        let broken = |why: &str| format!("MCP server {name}: {why}");
        if name.trim().is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
            return Err(format!("a name of an MCP server must have 1 to {NAME} characters"));
        }
        let entry = entry.as_object().ok_or_else(|| broken("it must be an object"))?;
        let text = |key: &str| match entry.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(broken(&format!("`{key}` must be text"))),
        };
        let flag = |key: &str| match entry.get(key) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(broken(&format!("`{key}` must be true or false"))),
        };
        let secrets = |key: &str| match entry.get(key) {
            None | Some(Value::Null) => Ok(BTreeMap::new()),
            Some(Value::Object(map)) => map.iter().map(|(name, value)| Ok((name.clone(), plain(value)?))).collect(),
            Some(_) => Err(()),
        };
        let secrets =
            |key: &str| secrets(key).map_err(|()| broken(&format!("`{key}` must be an object of texts by name")));
        if text("type")?.is_some_and(|kind| kind == "sse") {
            return Err(broken("the old transport `sse` isn't spoken here; use its streamable HTTP address"));
        }
        // Gemini CLI calls the address of streamable HTTP so.
        let url = text("url")?.or(text("httpUrl")?);
        let reach = match (text("command")?, url) {
            (Some(command), None) if !command.trim().is_empty() => Reach::Program {
                command,
                arguments: arguments(entry.get("args")).ok_or_else(|| broken("`args` must be a list of texts"))?,
                environment: secrets("env")?,
                folder: text("cwd")?,
            },
            (None, Some(url)) if url.starts_with("http://") || url.starts_with("https://") || url.starts_with("${") => {
                Reach::Address { url, headers: secrets("headers")? }
            }
            (None, Some(_)) => return Err(broken("`url` must begin with http:// or https://")),
            _ => return Err(broken("it needs either a `command` or a `url`")),
        };
        let time_limit = match entry.get("timeoutSeconds") {
            None | Some(Value::Null) => None,
            Some(value) => match value.as_u64() {
                Some(seconds @ 1..=86_400) => Some(seconds),
                _ => return Err(broken("`timeoutSeconds` must be from 1 to 86400")),
            },
        };
        Ok(Self {
            name: name.to_owned(),
            reach,
            disabled: flag("disabled")?,
            may: May { roots: flag("roots")?, sampling: flag("sampling")?, elicitation: flag("elicitation")? },
            time_limit,
        })
    }

    /// The entry as the file holds it.
    #[must_use]
    pub fn written(&self) -> Value {
        let exposed = |of: &BTreeMap<String, SecretString>| {
            Value::Object(of.iter().map(|(name, value)| (name.clone(), value.expose_secret().into())).collect())
        };
        let mut entry = Map::new();
        match &self.reach {
            Reach::Program { command, arguments, environment, folder } => {
                entry.insert("command".to_owned(), json!(command));
                entry.insert("args".to_owned(), json!(arguments));
                if !environment.is_empty() {
                    entry.insert("env".to_owned(), exposed(environment));
                }
                if let Some(folder) = folder {
                    entry.insert("cwd".to_owned(), json!(folder));
                }
            }
            Reach::Address { url, headers } => {
                entry.insert("url".to_owned(), json!(url));
                if !headers.is_empty() {
                    entry.insert("headers".to_owned(), exposed(headers));
                }
            }
        }
        let switches = [
            ("disabled", self.disabled),
            ("roots", self.may.roots),
            ("sampling", self.may.sampling),
            ("elicitation", self.may.elicitation),
        ];
        for (name, _) in switches.into_iter().filter(|(_, on)| *on) {
            entry.insert(name.to_owned(), json!(true));
        }
        if let Some(seconds) = self.time_limit {
            entry.insert("timeoutSeconds".to_owned(), json!(seconds));
        }
        Value::Object(entry)
    }
}

/// A text, a number or a truth value as a text: some write a port without quotes.
fn plain(value: &Value) -> Result<SecretString, ()> {
    match value {
        Value::String(text) => Ok(text.as_str().into()),
        Value::Number(number) => Ok(number.to_string().into()),
        Value::Bool(flag) => Ok(flag.to_string().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(()),
    }
}

fn arguments(value: Option<&Value>) -> Option<Vec<String>> {
    match value {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        Some(_) => None,
    }
}

/// The servers of a file's text, by name, and what is wrong with the others.
///
/// # Errors
/// It is no JSON, or has nothing of the kind.
pub fn read_servers(text: &str, key: &str) -> Result<(Vec<Config>, Vec<String>), String> {
    let root: Value = serde_json::from_str(text).map_err(|error| format!("it isn't JSON: {error}"))?;
    let entries = match root.get(key) {
        Some(Value::Object(entries)) => entries,
        Some(_) => return Err(format!("`{key}` must be an object")),
        None => return Err(format!("it has no `{key}`")),
    };
    let (mut servers, mut problems) = (Vec::new(), Vec::new());
    for (name, entry) in entries.iter().take(SERVERS) {
        match Config::read(name, entry) {
            Ok(server) => servers.push(server),
            Err(why) => problems.push(why),
        }
    }
    if entries.len() > SERVERS {
        problems.push(format!("only the first {SERVERS} MCP servers count"));
    }
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((servers, problems))
}

/// The text of a file of servers; none where there is no such file.
///
/// # Errors
/// It can't be read, or is too long, in one sentence without its name.
pub fn read_file(path: &Path) -> Result<Option<String>, String> {
    private::read_if_there(path, FILE).map_err(|error| error.to_string())
}

/// A text with the variables that it names: `${NAME}` and `${NAME:-otherwise}`, also as `${env:NAME}`. In the place of
/// `${workspaceFolder}` comes the workspace.
///
/// # Errors
/// A variable that isn't set, or an input that an editor would ask for, in one sentence.
pub fn expand(text: &str, workspace: &Path, environment: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut expanded, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push_str(before);
        let Some((name, after)) = after.split_once('}') else { return Err("a `${` has no `}`".to_owned()) };
        let (name, otherwise) = name.split_once(":-").map_or((name, None), |(name, text)| (name, Some(text)));
        let name = name.strip_prefix("env:").unwrap_or(name);
        if name == "workspaceFolder" {
            expanded.push_str(&workspace.to_string_lossy());
        } else if name.contains(':') {
            return Err(format!(
                "`${{{name}}}` is asked for by an editor; write a variable of the environment instead"
            ));
        } else {
            let value = environment(name).or_else(|| otherwise.map(str::to_owned));
            expanded.push_str(&value.ok_or_else(|| format!("the variable {name} isn't set"))?);
        }
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::needless_pass_by_value)] // a literal at each place of use
    fn one(entry: Value) -> Result<Config, String> {
        Config::read("s", &entry)
    }

    #[test]
    fn programs_and_addresses_are_read_and_written_back() {
        let program = json!({
            "command": "npx", "args": ["-y", "server"], "env": { "TOKEN": "hunter2", "PORT": 80 }, "cwd": "/srv",
            "autoApprove": ["*"], "timeout": 60_000
        });
        let server = one(program).unwrap();
        assert_eq!(server.reach.shown(), "npx -y server; in /srv; environment PORT, TOKEN");
        assert!(!format!("{server:?}").contains("hunter2"));
        assert_eq!(server.written()["env"]["TOKEN"], "hunter2");
        let address =
            one(json!({ "httpUrl": "https://a.example/mcp?key=k", "headers": { "Authorization": "Bearer x" } }));
        assert_eq!(address.unwrap().reach.shown(), "https://a.example/mcp; headers Authorization");
    }

    #[test]
    fn what_is_wrong_is_said_and_the_rest_is_used() {
        for (entry, why) in [
            (json!({}), "either a `command` or a `url`"),
            (json!({ "command": "a", "url": "http://b" }), "either a `command` or a `url`"),
            (json!({ "command": 1 }), "`command` must be text"),
            (json!({ "command": "a", "args": "b" }), "`args` must be a list"),
            (json!({ "command": "a", "env": { "A": [] } }), "`env` must be an object"),
            (json!({ "url": "ftp://a" }), "http://"),
            (json!({ "type": "sse", "url": "http://a/sse" }), "sse"),
            (json!([]), "an object"),
        ] {
            let said = one(entry.clone()).unwrap_err();
            assert!(said.contains(why), "{entry}: {said}");
        }
        let text = r#"{"mcpServers":{"b":{"command":"x"},"a":{"url":"https://a.example"},"c":{}}}"#;
        let (servers, problems) = read_servers(text, "mcpServers").unwrap();
        assert_eq!(servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(problems.len(), 1);
        assert!(read_servers("{", "mcpServers").is_err() && read_servers("{}", "mcpServers").is_err());
    }

    #[test]
    fn variables_are_put_in_and_one_that_is_not_set_is_said() {
        let environment = |name: &str| (name == "HOME").then(|| "/home/ann".to_owned());
        let expanded = |text: &str| expand(text, Path::new("/w"), &environment);
        assert_eq!(expanded("${HOME}/x ${A:-b} ${env:HOME} ${workspaceFolder}").unwrap(), "/home/ann/x b /home/ann /w");
        assert_eq!(expanded("$HOME {}").unwrap(), "$HOME {}");
        assert!(expanded("${TOKEN}").unwrap_err().contains("TOKEN isn't set"));
        assert!(expanded("${input:key}").is_err() && expanded("${HOME").is_err());
    }
}
