//! `countersign hook install|uninstall|status`: puts our hook into an agent's settings after showing the change, takes
//! back exactly that, and says where it is. A receipt of each change is kept, so that it can be taken back to the byte.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use similar::TextDiff;

use super::Manner;
use crate::agents::settings::{self, Insert};
use crate::agents::{ALL, Agent, Answer, quoted};
use crate::cli::start;
use crate::config::{Environment, Folders};
use crate::contain;
use crate::private::{Rights, read_if_there, replace};

/// Largest settings file that is changed, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Whose settings are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The person's, for every project.
    Person,
    /// Those of the project in the current folder.
    Project,
}

/// What was changed in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Receipt {
    agent: String,
    /// What went in, in order.
    inserts: Vec<Insert>,
    /// Whether there was no such file before.
    created: bool,
    /// Folders that were made for it, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folders: Vec<PathBuf>,
    /// Digest of the file as it was left.
    left: String,
}

/// By file.
type Receipts = BTreeMap<PathBuf, Receipt>;

/// Shows what would change in an agent's settings, and changes it after a yes.
///
/// # Errors
/// Why nothing was changed, in a sentence.
pub fn install(
    agent: &dyn Agent,
    (scope, yes): (Scope, bool),
    manner: &Manner,
    (folders, environment): (&Folders, Environment<'_>),
    (input, output): (&mut dyn BufRead, &mut dyn Write),
) -> Result<(), String> {
    if manner.contain && !agent.replaces() {
        return Err(format!("--contain isn't for {}: its hook takes no other command", agent.title()));
    }
    let file = file(agent, scope, folders, environment)?;
    let launcher = start::launcher().map_err(|error| error.to_string())?;
    let command = command(agent, &launcher, manner)?;
    let before = read(&file)?;
    let text = before.as_deref().unwrap_or_default();
    let found =
        settings::find(text, &|hook| is_ours(agent, hook)).map_err(|why| refused(&file, &why, agent, &command))?;
    let additions = agent.additions(&command);
    if found.len() == additions.len() && additions.iter().all(|addition| found.contains(&addition.value)) {
        return say(output, &format!("{} already asks Countersign: {}\n", agent.title(), file.display()));
    }
    let mut receipts = receipts(folders);
    // An older one goes first, with what it began.
    let (bare, gone) = match without(agent, &file, text, &receipts)? {
        Some(Taken { text, empty, .. }) => (text, empty),
        None => (text.to_owned(), before.is_none()),
    };
    let added =
        settings::add(&bare, &agent.beginning(), &additions).map_err(|why| refused(&file, &why, agent, &command))?;
    show(output, &file, text, &added.text)?;
    if !confirmed(yes, input, output)? {
        return say(output, "Nothing was changed.\n");
    }
    if read(&file)? != before {
        return Err(format!("{} was changed meanwhile; nothing was written", file.display()));
    }
    // Those of an older change are still ours.
    let made = receipts.get(&file).map(|older| older.folders.clone()).filter(|made| !made.is_empty());
    let receipt = Receipt {
        agent: agent.name().to_owned(),
        inserts: added.inserts,
        created: gone,
        folders: made.unwrap_or_else(|| missing(&file)),
        left: digest(&added.text),
    };
    receipts.insert(file.clone(), receipt);
    keep(folders, &receipts)?;
    write(&file, &added.text)?;
    say(output, &format!("{} asks Countersign from its next session on: {}\n", agent.title(), file.display()))?;
    for note in agent.notes() {
        say(output, &format!("{note}\n"))?;
    }
    if manner.contain {
        // A hook has no time to find out what holds here, so that is found out now.
        let kept = contain::kept(&launcher, &folders.state);
        let proof = kept.unwrap_or_else(|| contain::prove(&launcher, &folders.state));
        let none = "Nothing can be contained on this machine: commands are judged as they are, and `countersign doctor` \
                    says why.\n";
        let told = if proof.layers.is_some() { "Commands that only read run contained.\n" } else { none };
        say(output, told)?;
    }
    Ok(())
}

/// Shows what would be taken out of an agent's settings again, and takes it out after a yes.
///
/// # Errors
/// Why nothing was changed, in a sentence.
pub fn uninstall(
    agent: &dyn Agent,
    (scope, yes): (Scope, bool),
    (folders, environment): (&Folders, Environment<'_>),
    (input, output): (&mut dyn BufRead, &mut dyn Write),
) -> Result<(), String> {
    let file = file(agent, scope, folders, environment)?;
    let mut receipts = receipts(folders);
    let before = read(&file)?;
    let text = before.as_deref().unwrap_or_default();
    let Some(taken) = without(agent, &file, text, &receipts)? else {
        if receipts.remove(&file).is_some() {
            keep(folders, &receipts)?;
        }
        return say(output, &format!("{} doesn't ask Countersign: {}\n", agent.title(), file.display()));
    };
    show(output, &file, text, &taken.text)?;
    if let Some(note) = taken.note {
        say(output, &format!("{note}\n"))?;
    }
    if !confirmed(yes, input, output)? {
        return say(output, "Nothing was changed.\n");
    }
    if read(&file)? != before {
        return Err(format!("{} was changed meanwhile; nothing was written", file.display()));
    }
    if taken.empty {
        fs::remove_file(&file).map_err(|error| format!("{} can't be removed ({error})", file.display()))?;
        let made = receipts.get(&file).map(|receipt| receipt.folders.as_slice()).unwrap_or_default();
        // One that isn't empty stays, and with it those around it.
        let _one_stays = made.iter().try_for_each(fs::remove_dir);
    } else {
        write(&file, &taken.text)?;
    }
    receipts.remove(&file);
    keep(folders, &receipts)?;
    say(output, &format!("{} doesn't ask Countersign any more: {}\n", agent.title(), file.display()))
}

/// Says for each agent whether and where it asks us.
///
/// # Errors
/// It can't be written.
pub fn status(folders: &Folders, environment: Environment<'_>, output: &mut dyn Write) -> Result<(), String> {
    let receipts = receipts(folders);
    let launcher = start::launcher().map_err(|error| error.to_string())?;
    for agent in ALL {
        let mut places = Vec::new();
        for (scope, name) in [(Scope::Person, "everywhere"), (Scope::Project, "in this project")] {
            let Ok(file) = file(agent, scope, folders, environment) else { continue };
            let text = match read(&file) {
                Ok(text) => text.unwrap_or_default(),
                Err(why) => {
                    places.push(format!("{name}: {why}"));
                    continue;
                }
            };
            match settings::find(&text, &|hook| is_ours(agent, hook)) {
                Ok(found) if found.is_empty() => {}
                Ok(found) => places.push(state(agent, name, &file, &text, &found, &receipts, &launcher)),
                Err(why) => places.push(format!("{name}: {}: {why}", file.display())),
            }
        }
        let told = if places.is_empty() { "doesn't ask Countersign".to_owned() } else { places.join("\n  ") };
        say(output, &format!("{} ({}): {told}\n", agent.title(), agent.name()))?;
    }
    Ok(())
}

/// One line about a file that has our hook.
fn state(
    agent: &dyn Agent,
    name: &str,
    file: &Path,
    text: &str,
    found: &[Value],
    receipts: &Receipts,
    launcher: &Path,
) -> String {
    let mut told = format!("asks {name}, by {}", file.display());
    let all = found.iter().map(ToString::to_string).collect::<String>();
    for option in ["--contain", "--advise", "--leave-asking"] {
        if all.contains(option) {
            let _written = write!(told, ", {option}");
        }
    }
    if agent.additions("").len() != found.len() {
        told.push_str("; some of its hooks are gone: install it again");
    } else if !all.contains(json!(quoted(&launcher.to_string_lossy())).to_string().trim_matches('"')) {
        told.push_str("; it starts another program than this one");
    }
    if receipts.get(file).is_some_and(|receipt| receipt.left != digest(text)) {
        told.push_str("; the file was changed since");
    }
    told
}

/// A file's text without our hook.
struct Taken {
    text: String,
    /// Nothing is left of a file that we began.
    empty: bool,
    /// What the person should know of it.
    note: Option<String>,
}

/// Takes our hook out of a text: what the receipt says, else whatever of ours is there. None if nothing is.
fn without(agent: &dyn Agent, file: &Path, text: &str, receipts: &Receipts) -> Result<Option<Taken>, String> {
    let ours = |hook: &Value| is_ours(agent, hook);
    let receipt = receipts.get(file).filter(|receipt| receipt.agent == agent.name());
    if let Some(receipt) = receipt
        && let Some(bare) = settings::take_out(text, &receipt.inserts)
        && settings::find(&bare, &ours).is_ok_and(|found| found.is_empty())
    {
        let changed = receipt.left != digest(text);
        let note = changed
            .then(|| "The file was changed since the hook went in; only what went in then is taken out.".to_owned());
        let empty = receipt.created && bare.trim().is_empty();
        return Ok(Some(Taken { text: bare, empty, note }));
    }
    if text.trim().is_empty() {
        return Ok(None);
    }
    let (bare, count) = settings::sweep(text, &ours).map_err(|why| format!("{}: {why}", file.display()))?;
    let note = "The hook was changed by hand since it went in, or another Countersign put it there: its entries are \
                taken out, and lists that become empty stay.";
    Ok((count > 0).then(|| Taken { text: bare, empty: false, note: Some(note.to_owned()) }))
}

/// Whether an element of an agent's hooks is ours: it runs the hook of that agent.
fn is_ours(agent: &dyn Agent, hook: &Value) -> bool {
    let runs = |text: &str| text.contains("ountersign") && text.contains(&format!(" hook {} ", agent.name()));
    match hook {
        Value::String(text) => runs(text),
        Value::Array(items) => items.iter().any(|item| is_ours(agent, item)),
        Value::Object(members) => members.values().any(|member| is_ours(agent, member)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The command that an agent runs: our hook, and an answer that asks if it can't be started or dies.
fn command(agent: &dyn Agent, launcher: &Path, manner: &Manner) -> Result<String, String> {
    let path = |path: &Path| {
        let text = path.to_str().ok_or_else(|| format!("the path {} isn't text", path.display()))?;
        Ok::<_, String>(quoted(text))
    };
    let mut words = vec![path(launcher)?];
    if let Some(config) = &manner.config {
        words.extend(["--config".to_owned(), path(config)?]);
    }
    words.extend(["hook".to_owned(), agent.name().to_owned()]);
    for (given, option) in
        [(manner.contain, "--contain"), (manner.advise, "--advise"), (manner.leave_asking, "--leave-asking")]
    {
        if given {
            words.push(option.to_owned());
        }
    }
    let reply = agent.reply(None, &Answer::ask("Countersign gave no answer."));
    let fallback = if reply.code == 0 {
        format!("echo {}", quoted(reply.out.trim_end()))
    } else {
        format!("{{ echo {} >&2; exit {}; }}", quoted(&reply.err), reply.code)
    };
    Ok(format!("{} || {fallback}", words.join(" ")))
}

/// The settings file.
fn file(agent: &dyn Agent, scope: Scope, folders: &Folders, environment: Environment<'_>) -> Result<PathBuf, String> {
    let places = agent.places();
    let file = match scope {
        Scope::Project => {
            let here = std::env::current_dir().map_err(|error| format!("the current folder is gone ({error})"))?;
            here.join(places.project)
        }
        Scope::Person => {
            let named = places.variable.and_then(environment).map(PathBuf::from).filter(|folder| folder.is_absolute());
            let at_home = || folders.home.as_ref().map(|home| home.join(places.folder));
            named.or_else(at_home).ok_or("there is no home folder")?.join(places.user)
        }
    };
    // Settings are often links into a folder that is kept elsewhere: what they lead to is changed.
    Ok(file.canonicalize().unwrap_or(file))
}

fn read(file: &Path) -> Result<Option<String>, String> {
    read_if_there(file, LARGEST).map_err(|error| format!("{} can't be read ({error})", file.display()))
}

/// The folders of a file that aren't there yet, the innermost first.
fn missing(file: &Path) -> Vec<PathBuf> {
    file.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect()
}

/// Writes a file whole or not at all.
fn write(file: &Path, text: &str) -> Result<(), String> {
    replace(file, text.as_bytes(), Rights::Kept)
        .map_err(|error| format!("{} can't be written ({error})", file.display()))
}

/// The refusal to change a file, with what the person can put there by hand.
fn refused(file: &Path, why: &str, agent: &dyn Agent, command: &str) -> String {
    let mut events = serde_json::Map::new();
    for addition in agent.additions(command) {
        events.insert(addition.event.to_owned(), json!([addition.value]));
    }
    let by_hand = serde_json::to_string_pretty(&json!({ "hooks": events })).unwrap_or_default();
    format!("{} is left as it is: {why}. To add the hook by hand, put this in:\n{by_hand}", file.display())
}

fn show(output: &mut dyn Write, file: &Path, before: &str, after: &str) -> Result<(), String> {
    let name = file.display().to_string();
    let diff = TextDiff::from_lines(before, after);
    say(output, &diff.unified_diff().context_radius(2).header(&name, &name).to_string())
}

fn confirmed(yes: bool, input: &mut dyn BufRead, output: &mut dyn Write) -> Result<bool, String> {
    if yes {
        return Ok(true);
    }
    say(output, "Write this? [y/N] ")?;
    let mut line = String::new();
    let read = input.read_line(&mut line).map_err(|error| format!("your answer can't be read ({error})"))?;
    if read == 0 {
        say(output, "\n")?;
        return Err(
            "nobody is there to answer, so nothing was changed. Add --yes to write it without asking".to_owned()
        );
    }
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn say(output: &mut dyn Write, text: &str) -> Result<(), String> {
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| format!("can't write ({error})"))
}

fn digest(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

/// The file of the receipts.
fn kept(folders: &Folders) -> PathBuf {
    folders.data.join("hooks.json")
}

/// What was changed so far. Without it, what is ours is told by what it runs.
fn receipts(folders: &Folders) -> Receipts {
    fs::read(kept(folders)).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

fn keep(folders: &Folders, receipts: &Receipts) -> Result<(), String> {
    let text = serde_json::to_string_pretty(receipts).map_err(|error| error.to_string())?;
    write(&kept(folders), &text)
}
