//! What `git cherry-pick` and `git revert` would add to a branch, told from the local refs alone. Nothing of it runs,
//! hooks least of all.

use super::Effects;
use super::called::Called;
use super::commits::{Git, short, some};
use super::recording::{self, hooks};
use crate::domain::Remedy;
use crate::domain::number::count;

/// Flags that change nothing of what is told here.
const KNOWN: [&str; 10] =
    ["-n", "--no-commit", "-x", "--no-edit", "--ff", "-s", "--signoff", "--allow-empty", "-q", "--quiet"];
/// Hooks that run for each commit (<https://git-scm.com/docs/githooks>).
const HOOKS: [(&str, bool); 4] =
    [("pre-commit", false), ("prepare-commit-msg", false), ("commit-msg", false), ("post-commit", false)];

/// Measures it.
///
/// # Errors
/// Git can't be asked, or it is another use.
pub(super) async fn measure(
    git: &Git<'_>,
    effects: &mut Effects,
    subcommand: &str,
    called: &Called,
) -> Result<(), String> {
    let unknown = || format!("what `git {subcommand}` does");
    if called.operands.is_empty()
        || !called.paths.is_empty()
        || !called.flags.iter().all(|flag| KNOWN.contains(&&**flag))
    {
        return Err(unknown());
    }
    let operands: Vec<&str> = called.operands.iter().map(String::as_str).collect();
    let Ok(told) = git
        .text(&[&["rev-list", "--no-walk", "--parents", "--end-of-options"], operands.as_slice(), &["--"]].concat())
        .await
    else {
        effects.warning("It would fail: what it names is no commit here.");
        return Ok(());
    };
    let commits: Vec<Vec<&str>> = told.lines().map(|line| line.split(' ').collect()).collect();
    if commits.is_empty() {
        effects.warning("It would fail: it names no commit.");
        return Ok(());
    }
    if commits.iter().any(|commit| commit.len() > 2) {
        effects.warning("It would fail: one of the commits is a merge.");
        return Ok(());
    }
    let here = git.commit("HEAD").await.ok_or("there is no commit yet")?;
    let branch = git.branch_name().await.unwrap_or_else(|| "HEAD".to_owned());
    let number = count(commits.len(), "commit");
    let staged = called.has("--no-commit", Some('n'));
    let what = if subcommand == "revert" { "that take back what" } else { "that do what" };
    effects.effect(if staged {
        let back = if subcommand == "revert" { "the opposite of what" } else { "what" };
        format!("Stages {back} {number} changed, without a commit; it stops where the same lines were changed.")
    } else {
        let did = if commits.len() == 1 { "another did" } else { "others did" };
        let that =
            if commits.len() == 1 { what.replace("take", "takes").replace("do", "does") } else { what.to_owned() };
        format!("Adds {number} to {branch} {that} {did}; it stops where the same lines were changed.")
    });
    effects.briefs.push(number);
    let listing = ["diff-tree", "-r", "--root", "--no-commit-id", "--no-renames", "--name-only", "-z"];
    let mut names: Vec<String> = Vec::new();
    for commit in &commits {
        let told = git.text(&[&listing[..], &[commit[0], "--"]].concat()).await?;
        names.extend(told.split('\0').filter(|name| !name.is_empty()).map(str::to_owned));
    }
    names.sort();
    names.dedup();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if !names.is_empty() {
        effects.effect(format!("Changes {}: {}.", count(names.len(), "file"), some(names.iter().copied())));
    }
    let changed = git.changed(&[], false).await?;
    let refuses =
        |(state, name): &&(String, String)| names.contains(&name.as_str()) || !staged && !state.starts_with([' ', '?']);
    let mut stands: Vec<&str> = changed.iter().filter(refuses).map(|(_, name)| name.as_str()).collect();
    let untracked = match commits.as_slice() {
        [commit] if subcommand == "cherry-pick" => git.ignored_written_over(effects, commit[0], &names).await?,
        _ => Vec::new(),
    };
    let untracked = untracked.iter().map(|path| path.strip_prefix(&git.repository.root).unwrap_or(path));
    let untracked: Vec<String> = untracked.map(|path| path.display().to_string()).collect();
    stands.extend(untracked.iter().map(String::as_str));
    if !stands.is_empty() {
        effects.warning(recording::in_the_way(&some(stands.into_iter())));
    }
    effects.remedies.push(Remedy::ByHand(if staged {
        "`git restore --source=HEAD --staged --worktree` of the same names undoes it.".to_owned()
    } else {
        format!("`git reset --keep {}` goes back; where it stopped, `git {subcommand} --abort` does.", short(&here))
    }));
    if !staged {
        hooks(git, effects, &HOOKS, false).await?;
    }
    let shown = [&["--no-walk", "--end-of-options"], operands.as_slice(), &["--"]].concat();
    effects.preview.details.push(git.list(&shown, commits.len()).await?);
    Ok(())
}
