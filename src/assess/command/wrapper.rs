//! Programs that run another one: `timeout`, `nice`, `env`, `command`, `sh -c`, … Peeled where what runs is in the
//! words, so that the inner command is judged as if it stood alone.

use super::dialect::{only_bash, zsh_reads};
use super::flags::Flags;
use super::flags::leading;
use super::judge::{Feed, Judge};
use super::scope::Scope;
use super::source::over;
use super::table::table;
use super::word::{Reach, Word};
use crate::domain::Shell;

/// Wrappers whose flags the table knows.
pub(super) fn peel(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    // Nothing but the number of a process: it says how that is treated.
    let asked = |flag: &Word| matches!(flag.text(), Some("-p" | "--pid"));
    if name == "ionice" && matches!(words, [flag, id] if asked(flag) && id.number().is_some()) {
        judge.readers.insert(name.to_owned());
        return;
    }
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
    } else if matches!(name, "command" | "builtin") {
        judge.deeper(|judge| judge.dispatch(inner));
    } else {
        judge.outside(inner);
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
    let given = table().entry("env").map(|entry| Flags::of(entry, words));
    let mut emptied = given.as_ref().is_some_and(|given| given.has("-i") || given.has("--ignore-environment"));
    if inner.first().and_then(Word::text) == Some("-") {
        inner = &inner[1..];
        emptied = true;
    }
    // What keeps programs to reading (git, psql, …) stands in variables.
    if emptied && !inner.is_empty() {
        judge.ineligible = true;
        judge.unknown("command.environment", "`env` takes away the variables that keep programs to reading.");
    }
    for (_, name) in given.iter().flat_map(|given| given.values(&["-u", "--unset"])) {
        judge.exported(name.text().unwrap_or("PATH"), None);
    }
    let mut given = Vec::new();
    while let Some(word) = inner.first() {
        let Some((variable, _)) = word.prefix().split_once('=') else { break };
        let value = word.after(variable.len() + 1);
        judge.exported(variable, Some(&value));
        given.push((variable.to_owned(), value));
        inner = &inner[1..];
    }
    if inner.is_empty() {
        judge.sensitive("`env` prints every variable, secrets included.");
    } else if inner[0].vague() {
        judge.unreadable("command.vague-program", "Which program it runs is not known.");
    } else {
        let before = judge.scope.clone();
        let names: Vec<String> = given.iter().map(|(name, _)| name.clone()).collect();
        judge.scope.forget(&names);
        judge.giving(given, |judge| inside(judge, "env", inner));
        judge.scope = before;
    }
}

/// `command` and `builtin`: `command -v` looks a name up.
pub(super) fn command(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    match words.first().and_then(Word::text) {
        Some(flag @ ("-v" | "-V" | "-pv" | "-pV")) if name == "command" => {
            judge.readers.insert(name.to_owned());
            // The name of a function is printed as it is, and of an alias what it stands for.
            let mut plain = |word: &Word| {
                let name = word.text().filter(|text| !text.contains('/') && !text.starts_with('-'));
                name.is_some_and(|name| judge.may_be_sensitive(name).is_none())
            };
            let named = flag.ends_with('v') && words[1..].iter().all(&mut plain);
            if named && !judge.text.to_ascii_lowercase().contains("alias") {
                judge.searched_here(None);
                judge.led = false;
                judge.produced = Feed::Paths(Reach::Named);
            }
        }
        Some("-p") if name == "command" => command(judge, name, &words[1..]),
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

/// Options that change nothing but how strict the shell is, and what it shows.
const STRICTNESS: [&str; 7] = ["pipefail", "errexit", "nounset", "noglob", "xtrace", "verbose", "noclobber"];

/// What a shell is told to do.
enum Told<'w> {
    /// To run a text, with a name and arguments.
    Run(&'w str, &'w [Word]),
    /// To read scripts without running them.
    Check(&'w [Word]),
}

/// The shell of a name that runs a text.
fn of_name(name: &str) -> Shell {
    match name {
        "bash" => Shell::Bash,
        "zsh" => Shell::Zsh,
        _ => Shell::Other,
    }
}

/// What the words of a shell tell it; none if that isn't shown or not known.
fn told(words: &[Word]) -> Option<Told<'_>> {
    let (mut runs, mut checks) = (false, false);
    let mut at = 0;
    loop {
        let flag = words.get(at)?.text()?;
        at += 1;
        match flag {
            // Another one may take back that it only checks: zsh's `exec`.
            "-o" if !STRICTNESS.contains(&words.get(at)?.text()?) => return None,
            "-o" => at += 1,
            "--norc" | "--noprofile" | "--login" => {}
            _ => {
                let letters =
                    flag.strip_prefix('-').filter(|letters| letters.bytes().all(|c| b"ceuxvlfno".contains(&c)))?;
                // Which word names the option and which is the text differs where both stand in one word.
                let (option, text) = (letters.contains('o'), letters.contains('c'));
                if letters.is_empty() || option && (text || !letters.ends_with('o')) {
                    return None;
                }
                if option && !STRICTNESS.contains(&words.get(at)?.text()?) {
                    return None;
                }
                at += usize::from(option);
                runs |= text;
                checks |= letters.contains('n');
            }
        }
        match words.get(at)?.text() {
            Some(next) if next.starts_with('-') => {}
            _ if runs && !checks => {
                let (script, arguments) = words.get(at..)?.split_first()?;
                return Some(Told::Run(script.text()?, arguments));
            }
            _ if checks && !runs => return Some(Told::Check(&words[at..])),
            _ => return None,
        }
    }
}

/// `sh -c TEXT`: the text is judged like the whole command.
pub(super) fn shell(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    if let [only] = words
        && matches!(only.text(), Some("--version" | "--help"))
    {
        judge.readers.insert(name.to_owned());
        return;
    }
    let before = std::mem::replace(&mut judge.ineligible, true);
    let (script, arguments) = match told(words) {
        Some(Told::Run(script, arguments)) => (script, arguments),
        Some(Told::Check(scripts)) => {
            judge.readers.insert(name.to_owned());
            for script in scripts {
                judge.reads(script);
                // `+n` takes back that it only checks.
                let named = script.text().is_none() && script.prefix().is_empty();
                if script.prefix().starts_with('+') || named && judge.folder_may_have_flags(script) {
                    judge.about(script, |judge| {
                        let sentence =
                            format!("{} may be a flag with which `{name}` runs what it checks.", judge.spelt(script));
                        judge.unknown("command.runs-code", sentence);
                    });
                }
            }
            return;
        }
        None => {
            if judge.feed == Feed::Download {
                judge.destructive("command.download-and-run", format!("It runs what it downloads with `{name}`."));
            }
            judge.unknown("command.runs-code", format!("`{name}` runs a script that the command doesn't show."));
            // A file by its name runs behind the same walls as another program's.
            let by_name = |file: &str| !["-", "+", "/dev/", "/proc/"].iter().any(|start| file.starts_with(start));
            if words.first().and_then(Word::text).is_some_and(by_name) {
                judge.ineligible = before;
                judge.beyond_claims(None, words);
            }
            if let Some(said) = judge.said().map(str::to_owned) {
                judge.trial(|judge| judge.script(&said, None));
            }
            judge.behind(words);
            return;
        }
    };
    if name == "zsh" && !zsh_reads(script) {
        judge.unreadable("command.dialect", "`zsh` reads parts of that script in its own way.");
        judge.behind(words);
        return;
    }
    if !matches!(name, "bash" | "zsh") && only_bash(script) {
        judge.unreadable("command.dialect", format!("`{name}` reads parts of that script in its own way."));
        judge.behind(words);
        return;
    }
    judge.ineligible = before;
    let start = judge.begins(over(words).as_ref(), script);
    let mut fresh = Scope::default();
    fresh.cwd.clone_from(&judge.scope.cwd);
    fresh.moved = judge.scope.moved;
    fresh.inherit(&judge.scope, judge.given.iter().map(|(name, _)| name.as_str()));
    let named = if arguments.is_empty() { &[Word::any()] } else { arguments };
    // Without any they are none here, and unknown where the same stands alone: a wrapper is not to make it run.
    let known = !arguments.is_empty() && !named.iter().any(Word::open);
    fresh.take_arguments(known.then(|| named.to_vec()));
    judge.deeper(|judge| {
        std::mem::swap(&mut judge.scope, &mut fresh);
        let outer = std::mem::replace(&mut judge.shell, of_name(name));
        judge.script(script, start);
        judge.shell = outer;
        std::mem::swap(&mut judge.scope, &mut fresh);
    });
}

/// `watch`: what it runs again and again, by a shell or (`-x`) as it stands.
pub(super) fn watch(judge: &mut Judge<'_>, words: &[Word]) {
    let inner = table().entry("watch").and_then(|entry| leading(entry, words)).unwrap_or_default();
    let exec = words[..words.len() - inner.len()].iter().any(|word| matches!(word.text(), Some("-x" | "--exec")));
    let texts: Option<Vec<&str>> = inner.iter().map(Word::text).collect();
    match texts {
        Some(texts) if !texts.is_empty() && !exec => {
            let script = [Word::exact("-c"), Word::exact(texts.join(" ")).at(over(inner))];
            judge.any_times(|judge| judge.deeper(|judge| shell(judge, "sh", &script)));
        }
        Some(texts) if !texts.is_empty() => judge.any_times(|judge| inside(judge, "watch", inner)),
        Some(_) | None => {
            judge.ineligible = true;
            judge.unknown("command.unknown-flag", "No rule knows what `watch` runs with these flags.");
            judge.behind(words);
        }
    }
}
