//! What `git merge` would bring into a branch, told from the local refs alone. Nothing of it runs, hooks least of all.

use super::Effects;
use super::called::Called;
use super::commits::{Git, short, some};
use super::recording::{hooks, in_the_way};
use crate::domain::Remedy;
use crate::domain::number::count;

/// Flags of `git merge` with a value.
pub(super) const VALUED: [&str; 2] = ["-m", "--message"];
/// Those that change nothing of what is told here.
const KNOWN: [&str; 10] =
    ["-m", "--message", "--ff", "--ff-only", "--no-ff", "--no-edit", "-q", "--quiet", "--stat", "--squash"];
/// Hooks that a merge runs, and whether `--no-verify` leaves them out (<https://git-scm.com/docs/githooks>).
const HOOKS: [(&str, bool); 4] =
    [("pre-merge-commit", true), ("prepare-commit-msg", false), ("commit-msg", true), ("post-merge", false)];

/// Measures `git merge` of one revision.
///
/// # Errors
/// Git can't be asked, or it is another use.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    let known = |flag: &String| KNOWN.contains(&flag.split([' ', '=']).next().unwrap_or(flag));
    let [name] = called.operands.as_slice() else { return Err("what `git merge` does".to_owned()) };
    if !called.flags.iter().all(known) {
        return Err("what `git merge` does".to_owned());
    }
    // What the settings say of it may be another merge.
    if git.text(&["config", "--get-regexp", r"^(merge\.ff|branch\..*\.mergeoptions)$"]).await.is_ok() {
        return Err("what `git merge` does by the settings here".to_owned());
    }
    let Some(commit) = git.commit(if name == "-" { "@{-1}" } else { name }).await else {
        effects.warning(format!("It would fail: `{name}` names no commit here."));
        return Ok(());
    };
    let here = git.commit("HEAD").await.ok_or("there is no commit yet")?;
    let branch = git.branch_name().await.unwrap_or_else(|| "HEAD".to_owned());
    let new = git.count(&["rev-list", "--count", &commit, "^HEAD"]).await?;
    if new == 0 {
        effects.effect(format!("Does nothing: {branch} has all of {name} already."));
        return Ok(());
    }
    let own = git.count(&["rev-list", "--count", "HEAD", &format!("^{commit}")]).await?;
    let commits = count(new, "commit");
    let squashes = called.has("--squash", None);
    if squashes && (called.has("--no-ff", None)) {
        effects.warning("It would fail: `--squash` and `--no-ff` don't go together.");
        return Ok(());
    }
    if squashes && (own == 0 || !called.has("--ff-only", None)) {
        effects.effect(format!(
            "Stages what {commits} changed, without a commit; it stops where both changed the same lines."
        ));
    } else if own == 0 && !called.has("--no-ff", None) {
        effects.effect(format!("Moves {branch} forward to {}, by {commits}.", short(&commit)));
    } else if called.has("--ff-only", None) {
        effects.warning(format!("It would fail: {branch} has {} that {name} lacks.", count(own, "commit")));
        return Ok(());
    } else {
        effects.effect(format!("Merges {commits} into {branch}; it stops where both changed the same lines."));
    }
    effects.briefs.push(commits);
    let listing = ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--name-only", "-z"];
    let names = git.text(&[&listing[..], &[&format!("HEAD...{commit}"), "--"]].concat()).await?;
    let names: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    if !names.is_empty() {
        let files = count(names.len(), "file");
        effects.effect(format!("Changes {files}: {}.", some(names.iter().copied())));
    }
    let mut stands: Vec<String> = Vec::new();
    let untracked = git.ignored_written_over(effects, &commit, &names).await?;
    stands.extend(
        untracked.iter().map(|path| path.strip_prefix(&git.repository.root).unwrap_or(path).display().to_string()),
    );
    // A merge of two sides takes nothing that is staged.
    let both = own > 0 || called.has("--no-ff", None);
    let changed = git.changed(&[], false).await?;
    let refuses =
        |(state, name): &&(String, String)| names.contains(&name.as_str()) || both && !state.starts_with([' ', '?']);
    stands.extend(changed.iter().filter(refuses).map(|(_, name)| name.clone()));
    if !stands.is_empty() {
        let names = some(stands.iter().map(String::as_str));
        effects.warning(in_the_way(&names));
    }
    effects.remedies.push(Remedy::ByHand(if squashes {
        "`git restore --source=HEAD --staged --worktree` of the same names undoes it.".to_owned()
    } else {
        format!("`git reset --keep {}` goes back.", short(&here))
    }));
    hooks(git, effects, &HOOKS, called.has("--no-verify", None)).await?;
    effects.preview.details.push(git.list(&[&commit, "^HEAD"], new).await?);
    Ok(())
}
