//! The grammar of `config.toml`: TOML text in, `Settings` and every problem out. Pure.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::keyring;
use super::problem::{Problem, suggestion};
use super::reader::{Reader, short};
use super::rules::rules;
use super::{
    Connection, Folders, KeySource, Limits, ModelSettings, Notify, Production, ProviderName, Retention, Settings,
};
use crate::domain::{ApprovalMode, Prices, RuleEffect};

const TOP: [&str; 17] = [
    "mode",
    "model",
    "provider",
    "models",
    "connections",
    "default_connection",
    "sensitive",
    "hosts",
    "staged_hosts",
    "catastrophes",
    "rules",
    "production",
    "limits",
    "journal",
    "theme",
    "keymap",
    "notify",
];
const MODEL: [&str; 9] =
    ["kind", "base_url", "model", "key_env", "key_command", "key_keyring", "context", "price_in", "price_out"];

/// The themes that are built in.
pub const THEMES: [&str; 6] = ["dark", "light", "ansi16", "mono", "colourblind", "contrast"];
/// The keymaps that are built in.
pub const KEYMAPS: [&str; 2] = ["default", "vim"];

/// Most problems that are told at once. The first ones are what to correct first.
const PROBLEMS_SHOWN: usize = 20;

impl Settings {
    /// Reads the text of the configuration file. See [`Settings::load`] for what problems do.
    #[must_use]
    pub fn parse(text: &str, folders: &Folders) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(&folders.config, text);
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let at = error.span().map_or(0, |span| span.start);
            let sentence = format!("this isn't valid TOML: {}. Correct the line.", error.message().replace('\n', ", "));
            reader.object(at, sentence);
        }
        // Half a document has no meaning: only its mistakes are told.
        if !reader.problems.is_empty() {
            reader.problems.truncate(PROBLEMS_SHOWN);
            return (Self { mode: ApprovalMode::Strict, ..Self::default() }, reader.problems);
        }
        let mut settings = read(&mut reader, document.get_ref(), folders);
        if !reader.problems.is_empty() {
            settings.mode = ApprovalMode::Strict;
            settings.catastrophes_ask = false;
            settings.staged_hosts.clear();
            settings.rules.retain(|rule| rule.effect != RuleEffect::Allow);
        }
        reader.problems.sort_by_key(|problem| problem.position);
        reader.problems.truncate(PROBLEMS_SHOWN);
        (settings, reader.problems)
    }
}

fn read(reader: &mut Reader<'_>, top: &DeTable<'_>, folders: &Folders) -> Settings {
    reader.only(top, &TOP, |_| None);
    let mut settings = Settings {
        mode: mode(reader, top),
        connections: reader
            .named(top, "connections")
            .into_iter()
            .filter_map(|(name, table)| Connection::parse(reader, &name, table).map(|connection| (name, connection)))
            .collect(),
        catastrophes_ask: reader.choice(top, "catastrophes", &[("deny", false), ("ask", true)]).unwrap_or(false),
        sensitive: sensitive(reader, top),
        hosts: hosts(reader, top, "hosts"),
        staged_hosts: hosts(reader, top, "staged_hosts").into_iter().map(with_port).collect(),
        rules: rules(reader, top, folders.home.as_deref()),
        production: production(reader, top),
        limits: limits(reader, top),
        retention: retention(reader, top),
        theme: look(reader, top, ("theme", &THEMES), folders),
        keymap: look(reader, top, ("keymap", &KEYMAPS), folders).map(PathBuf::from),
        notify: reader.choice(top, "notify", &Notify::ALL.map(|way| (way.word(), way))),
        ..Settings::default()
    };
    models(reader, top, &mut settings);
    if let Some((name, place)) = reader.text(top, "default_connection") {
        if settings.connections.contains_key(&name) {
            settings.default_connection = Some(name);
        } else {
            let advice = known(&name, settings.connections.keys(), "connections");
            reader.object(place.start, format!("there is no connection `{}`. {advice}", short(&name)));
        }
    } else if settings.connections.len() == 1 {
        settings.default_connection = settings.connections.keys().next().cloned();
    }
    settings
}

fn mode(reader: &mut Reader<'_>, top: &DeTable<'_>) -> ApprovalMode {
    let value = top.get("mode");
    if let Some(value) = value.filter(|value| value.get_ref().as_str() == Some(ApprovalMode::AllowAll.word())) {
        let sentence = "`allow-all` can't be set here: it holds for one start only. Start with `-y` instead.";
        reader.object(value.span().start, sentence);
        return ApprovalMode::Strict;
    }
    let modes = [ApprovalMode::Strict, ApprovalMode::Guarded, ApprovalMode::Smart].map(|mode| (mode.word(), mode));
    reader.choice(top, "mode", &modes).unwrap_or_default()
}

fn models(reader: &mut Reader<'_>, top: &DeTable<'_>, settings: &mut Settings) {
    let provider = reader.table(top, "provider").and_then(|table| model(reader, table, None));
    for (name, table) in reader.named(top, "models") {
        if let Some(read) = model(reader, table, provider.as_ref()) {
            settings.models.insert(name, read);
        }
    }
    settings.provider = provider;
    let Some((name, place)) = reader.text(top, "model") else { return };
    if let Some(chosen) = settings.models.get(&name) {
        settings.provider = Some(chosen.clone());
    } else {
        let advice = known(&name, settings.models.keys(), "models");
        reader.object(place.start, format!("there is no model `{}`. {advice}", short(&name)));
    }
}

/// One model; what it leaves out is as in `[provider]`, if that is of the same kind.
fn model(reader: &mut Reader<'_>, table: &DeTable<'_>, base: Option<&ModelSettings>) -> Option<ModelSettings> {
    reader.only(table, &MODEL, |name| {
        let secret = ["key", "api_key", "apikey", "token", "secret"].contains(&name);
        secret.then_some("A key isn't kept in this file: name a variable with key_env, a program with key_command, or the keyring's entry with key_keyring.")
    });
    let kinds: Vec<_> = ProviderName::all().map(|kind| (kind.word(), kind)).collect();
    let kind = match (reader.choice(table, "kind", &kinds), base) {
        (Some(kind), _) => kind,
        (None, Some(base)) if !table.contains_key("kind") => base.kind,
        (None, _) => {
            if !table.contains_key("kind") {
                let at = table.keys().next().map_or(0, |key| key.span().start);
                let words: Vec<String> = kinds.iter().map(|(word, _)| format!("`{word}`")).collect();
                let words = words.join(", ");
                reader.object(at, format!("`kind` is missing. Say which provider it is: {words}."));
            }
            return None;
        }
    };
    let mut model = base.filter(|base| base.kind == kind).cloned().unwrap_or_else(|| ModelSettings::of(kind));
    if let Some(url) = address(reader, table) {
        model.base_url = Some(url);
    }
    if let Some((name, _)) = reader.text(table, "model") {
        model.model = Some(name);
    }
    if let Some(key) = key(reader, table) {
        model.key = key;
    }
    model.context = reader.number(table, "context", (2_000, 100_000_000)).or(model.context);
    model.prices = prices(reader, table).or(model.prices);
    Some(model)
}

/// Prices for a million tokens; both, or none.
fn prices(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Prices> {
    let [input, output] = ["price_in", "price_out"].map(|key| reader.amount(table, key));
    for (key, other) in [("price_in", "price_out"), ("price_out", "price_in")] {
        if let (Some(value), false) = (table.get(key), table.contains_key(other)) {
            reader.object(value.span().start, format!("`{key}` needs `{other}` beside it: both for a million tokens."));
        }
    }
    Some(Prices { input: input?, output: output? })
}

fn address(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<String> {
    let (text, place) = reader.text(table, "base_url")?;
    match check_address(&text) {
        Ok(()) => Some(text),
        Err(sentence) => {
            reader.object(place.start, format!("`base_url` {sentence}"));
            None
        }
    }
}

/// Why a text isn't the address of a provider, if it isn't. The scheme may be left away.
pub(super) fn check_address(text: &str) -> Result<(), &'static str> {
    let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = url::Url::parse(&full).ok().filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
    match url {
        None => Err("must be an address such as https://api.example.com/v1."),
        Some(url) if !url.username().is_empty() || url.password().is_some() => {
            Err("must not hold a user or password: use key_env, key_command or key_keyring for the key.")
        }
        Some(_) => Ok(()),
    }
}

fn key(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<KeySource> {
    let given: Vec<&str> =
        ["key_env", "key_command", "key_keyring"].into_iter().filter(|key| table.contains_key(*key)).collect();
    if let [_, second, ..] = given.as_slice() {
        let place = table.get(*second).map_or(0, |value| value.span().start);
        reader.object(place, "give only one of `key_env`, `key_command` and `key_keyring`.");
        return None;
    }
    match given.first().copied()? {
        "key_env" => reader.text(table, "key_env").map(|(name, _)| KeySource::Variable(name)),
        "key_keyring" => {
            let (service, place) = reader.text(table, "key_keyring")?;
            if keyring::sound(&service) {
                return Some(KeySource::Keyring(service));
            }
            reader.object(place.start, "`key_keyring` is the name of an entry of the keyring, such as \"openai\".");
            None
        }
        _ => {
            let place = table.get("key_command").map_or(0, |value| value.span().start);
            let words = reader.texts(table, "key_command");
            if words.is_empty() {
                reader.object(place, "`key_command` needs a program, such as [\"pass\", \"show\", \"openai\"].");
                return None;
            }
            Some(KeySource::Command(words.into_iter().map(|(word, _)| word).collect()))
        }
    }
}

fn sensitive(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Vec<String> {
    let mut globs = Vec::new();
    for (glob, place) in reader.texts(top, "sensitive") {
        match globset::Glob::new(&glob) {
            Ok(_) if !glob.is_empty() => globs.push(glob),
            _ => reader.object(place.start, "this isn't a pattern of paths, such as `*.key` or `~/finance/**`."),
        }
    }
    globs
}

fn production(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Production {
    let usual = Production::default();
    let Some(table) = reader.table(top, "production") else { return usual };
    reader.only(table, &["patterns", "protected_branches"], |_| None);
    let mut globs = |key: &str, usual: Vec<String>| {
        if !table.contains_key(key) {
            return usual;
        }
        let mut globs = Vec::new();
        for (glob, place) in reader.texts(table, key) {
            match globset::Glob::new(&glob) {
                Ok(_) if !glob.is_empty() => globs.push(glob),
                _ => reader.object(
                    place.start,
                    "this isn't a pattern of names, such as `prod`, `*.prod.example.com` or `release/*`.",
                ),
            }
        }
        globs
    };
    Production { patterns: globs("patterns", usual.patterns), branches: globs("protected_branches", usual.branches) }
}

fn hosts(reader: &mut Reader<'_>, top: &DeTable<'_>, key: &str) -> BTreeSet<String> {
    let mut hosts = BTreeSet::new();
    for (written, place) in reader.texts(top, key) {
        match host(&written) {
            Some(host) => {
                hosts.insert(host);
            }
            None => reader.object(place.start, "a host is a name, such as `api.example.com`, with or without a port."),
        }
    }
    hosts
}

/// A host with its port: that of https where none is written.
fn with_port(host: String) -> String {
    // What stands between the brackets of an address is no port.
    let has = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
    if has { host } else { format!("{host}:443") }
}

/// A host in the spelling of requests: lower case, international names encoded; a port stays with it.
fn host(written: &str) -> Option<String> {
    let port = written.rsplit_once(':').and_then(|(name, port)| Some((name, port.parse::<u16>().ok()?)));
    let port = port.filter(|(name, _)| !name.ends_with(':'));
    let (name, port) = port.map_or((written, None), |(name, port)| (name, Some(port)));
    let name = name.trim_end_matches('.');
    let name = url::Host::parse(name).ok().filter(|_| !name.contains('*'))?.to_string();
    Some(port.map_or_else(|| name.clone(), |port| format!("{name}:{port}")))
}

fn limits(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Limits {
    let usual = Limits::default();
    let Some(table) = reader.table(top, "limits") else { return usual };
    reader.only(table, &["time_limit", "output", "kept_output", "calls", "minutes", "tokens", "cost"], |_| None);
    Limits {
        time_limit: reader.number(table, "time_limit", (1, 3_600)).unwrap_or(usual.time_limit),
        output: reader.number(table, "output", (1_024, 1 << 20)).unwrap_or(usual.output),
        calls: reader.number(table, "calls", (1, 10_000)).unwrap_or(usual.calls),
        minutes: reader.number(table, "minutes", (1, 1_440)).unwrap_or(usual.minutes),
        tokens: reader.number(table, "tokens", (1_000, 1_000_000_000)),
        cost: reader.amount(table, "cost"),
        kept_output: reader.number(table, "kept_output", (0, 1 << 36)).unwrap_or(usual.kept_output),
    }
}

fn retention(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Retention {
    let usual = Retention::default();
    let Some(table) = reader.table(top, "journal") else { return usual };
    reader.only(table, &["keep_days"], |_| None);
    reader
        .number(table, "keep_days", (0, 36_500))
        .map_or(usual, |days| Retention { days: Some(days).filter(|days| *days > 0) })
}

/// One of the built-in names as it is, or where it is a file its path.
fn look(
    reader: &mut Reader<'_>,
    top: &DeTable<'_>,
    (key, known): (&str, &[&str]),
    folders: &Folders,
) -> Option<String> {
    let (name, place) = reader.text(top, key)?;
    if name.contains(['/', '\\']) || Path::new(&name).extension().is_some_and(|ending| ending == "toml") {
        return Some(resolve(&name, &reader.folder(), folders).to_string_lossy().into_owned());
    }
    if !known.contains(&name.as_str()) {
        let advice = suggestion(&name, known.iter().copied());
        let sentence =
            format!("there is no {key} `{}`. {advice} A file of your own is named by its path.", short(&name));
        reader.object(place.start, sentence);
        return None;
    }
    Some(name)
}

/// A path of the file: `~` is the home folder, and a relative one starts from the file's folder.
fn resolve(path: &str, folder: &Path, folders: &Folders) -> PathBuf {
    match (path.strip_prefix("~/"), &folders.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(path),
    }
}

/// Advice on a name that isn't among the named tables of the file.
fn known<'a>(name: &str, names: impl Iterator<Item = &'a String>, table: &str) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    if names.is_empty() { format!("Add it as [{table}.{}].", short(name)) } else { suggestion(name, names) }
}

#[cfg(test)]
mod tests;
