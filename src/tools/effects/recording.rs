//! What `git add` and `git commit` would record, told from the index and the files. Nothing of them runs, hooks least of
//! all.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;

use super::super::gitconfig::{self, last};
use super::Effects;
use super::called::Called;
use super::commits::{Git, short, some};
use crate::domain::Remedy;
use crate::domain::number::count;

/// Hooks that a commit runs, and whether `--no-verify` leaves them out
/// (<https://git-scm.com/docs/githooks>).
const HOOKS: [(&str, bool); 4] =
    [("pre-commit", true), ("prepare-commit-msg", false), ("commit-msg", true), ("post-commit", false)];

/// Flags of `add` that don't change what is staged but how it is told.
const ADDING: [&str; 8] = ["-A", "--all", "-v", "--verbose", "-u", "--update", "-n", "--dry-run"];

/// Flags of `git commit` with a value.
pub(super) const VALUED: [&str; 17] = [
    "-m",
    "--message",
    "-F",
    "--file",
    "-C",
    "--reuse-message",
    "-c",
    "--reedit-message",
    "-t",
    "--template",
    "--author",
    "--date",
    "--cleanup",
    "--fixup",
    "--squash",
    "--trailer",
    "--pathspec-from-file",
];

/// Measures `git add`.
///
/// # Errors
/// Git can't be asked, or which files it stages can't be told.
pub(super) async fn add(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    if !called.flags.iter().all(|flag| ADDING.contains(&flag.as_str())) {
        return Err("which files `git add` stages".to_owned());
    }
    if called.has("--dry-run", Some('n')) {
        effects.effect("Only lists what it would stage.");
        return Ok(());
    }
    let paths: Vec<String> = called.operands.iter().chain(&called.paths).cloned().collect();
    let tracked = called.has("--update", Some('u'));
    if paths.is_empty() && !tracked && !called.has("--all", Some('A')) {
        effects.effect("Stages nothing: it names no path.");
        return Ok(());
    }
    let mut staged = git.changed(&paths, !tracked).await?;
    staged.retain(|(state, _)| !state.ends_with(' '));
    let again = staged.iter().filter(|(state, _)| !state.starts_with([' ', '?']));
    let again: Vec<&str> = again.map(|(_, name)| name.as_str()).collect();
    if staged.is_empty() {
        effects.effect("There is nothing that it would stage.");
        return Ok(());
    }
    let names = some(staged.iter().map(|(_, name)| name.as_str()));
    effects.effect(format!("Stages {}: {names}.", count(staged.len(), "file")));
    effects.briefs.push(format!("stages {}", count(staged.len(), "file")));
    effects.remedies.push(if again.is_empty() {
        Remedy::ByHand("`git restore --staged` takes them out again.".to_owned())
    } else {
        let names = some(again.into_iter());
        Remedy::Impossible(format!("what is staged of {names} already is replaced."))
    });
    effects.staged.extend(staged.into_iter().map(|(_, name)| name));
    Ok(())
}

/// Measures `git commit`.
///
/// # Errors
/// Git can't be asked, or what goes into the commit can't be told.
pub(super) async fn commit(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    let part = [("--patch", Some('p')), ("--include", Some('i')), ("--interactive", None), ("--fixup", None)];
    if part.iter().any(|(long, letter)| called.has(long, *letter)) || called.has("--dry-run", None) {
        return Err("what `git commit` takes of it".to_owned());
    }
    let paths: Vec<String> = called.operands.iter().chain(&called.paths).cloned().collect();
    let all = called.has("--all", Some('a')) || !paths.is_empty();
    let mut names: BTreeSet<String> = std::mem::take(&mut effects.staged).into_iter().collect();
    let added = !names.is_empty();
    let mut parted: Vec<String> = Vec::new();
    for (state, name) in git.changed(&paths, false).await? {
        let taken = if all { state != "??" } else { !state.starts_with([' ', '?']) };
        if taken {
            parted.extend((!state.contains([' ', '?'])).then(|| name.clone()));
            names.insert(name);
        }
    }
    let branch = git.branch_name().await.unwrap_or_else(|| "no branch".to_owned());
    if all && !parted.is_empty() {
        let names = some(parted.iter().map(String::as_str));
        effects.warning(format!("What is staged of {names} differs from the file, and is lost."));
        effects.remedies.push(Remedy::Impossible(format!("what is staged of {names} is in no commit.")));
    }
    let head = git.commit("HEAD").await;
    let amends = called.has("--amend", None);
    if names.is_empty() && !amends {
        effects.effect("There is nothing staged: git would refuse, unless it is to be empty.");
        return Ok(());
    }
    let files = count(names.len(), "file");
    let of = if names.is_empty() { String::new() } else { format!(": {}", some(names.iter().map(String::as_str))) };
    match (amends, head) {
        (true, Some(head)) => {
            let head = short(&head).to_owned();
            effects.effect(format!("Replaces the commit {head} of {branch} by one with {files} more{of}."));
            effects.briefs.push("replaces the last commit".to_owned());
            effects.remedies.push(Remedy::ByHand(format!("`git reset --soft {head}` takes it back.")));
        }
        (_, Some(_)) => {
            effects.effect(format!("Commits {files} to {branch}{of}."));
            effects.briefs.push(format!("commits {files}"));
            effects.remedies.push(Remedy::ByHand("`git reset --soft HEAD~1` takes it back.".to_owned()));
        }
        (_, None) => {
            effects.effect(format!("Commits {files} to {branch}{of}. It is the first commit."));
            effects.briefs.push(format!("commits {files}"));
            effects.remedies.push(Remedy::ByHand("`git update-ref -d HEAD` takes it back.".to_owned()));
        }
    }
    hooks(git, effects, &HOOKS, called.has("--no-verify", Some('n'))).await?;
    // Of what is staged on the way there is no diff yet.
    if !added {
        effects.preview.details.push(git.diff(Some(if all { "HEAD" } else { "--cached" }), &paths).await?);
    }
    Ok(())
}

/// That what is in no commit keeps git from it.
pub(super) fn in_the_way(names: &str) -> String {
    format!("As things are now, it would fail: changes that are in no commit stand in its way ({names}).")
}

/// Says which hooks would run, of these, each with whether `--no-verify` leaves it out: nobody knows what they do.
pub(super) async fn hooks(
    git: &Git<'_>,
    effects: &mut Effects,
    names: &[(&str, bool)],
    unverified: bool,
) -> Result<(), String> {
    let own = git.text(&["config", "--local", "--get", "core.hooksPath"]).await.ok();
    let folder = match own.or_else(|| last(&gitconfig::of_person(git.bench.home.as_deref()), "core.hookspath")) {
        Some(folder) => git.repository.root.join(folder),
        None => git.folder.join(git.text(&["rev-parse", "--git-common-dir"]).await?).join("hooks"),
    };
    let runs = |name: &str| {
        let found = folder.join(name).metadata();
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let found = names.iter().filter(|(name, verifies)| !(unverified && *verifies) && runs(name));
    let found: Vec<&str> = found.map(|(name, _)| *name).collect();
    if !found.is_empty() {
        effects.warning(format!("Hooks of the repository run: {}.", found.join(", ")));
        effects.remedies.push(Remedy::Impossible("nothing is kept of what the hooks change.".to_owned()));
    }
    Ok(())
}
