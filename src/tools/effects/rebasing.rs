//! What `git rebase` would rewrite, told from the local refs alone. Nothing of it runs, hooks least of all.

use super::Effects;
use super::called::Called;
use super::commits::{Git, short, some};
use super::recording::hooks;
use super::{push, recording};
use crate::domain::Remedy;
use crate::domain::number::count;

/// Flags of `git rebase` with a value.
pub(super) const VALUED: [&str; 7] = ["--onto", "-s", "--strategy", "-X", "--strategy-option", "-x", "--exec"];
/// Those that change nothing of what is told here.
const KNOWN: [&str; 15] = [
    "--onto",
    "-i",
    "--interactive",
    "-q",
    "--quiet",
    "-v",
    "--verbose",
    "--stat",
    "-n",
    "--no-stat",
    "--no-verify",
    "--autostash",
    "--no-autostash",
    "--no-ff",
    "--force-rebase",
];
/// Hooks that a rebase runs, and whether `--no-verify` leaves them out (<https://git-scm.com/docs/githooks>).
const HOOKS: [(&str, bool); 6] = [
    ("pre-rebase", true),
    ("prepare-commit-msg", false),
    ("commit-msg", false),
    ("post-commit", false),
    ("post-checkout", false),
    ("post-rewrite", false),
];
/// Settings that change nothing of what is told here.
const SETTINGS: [&str; 3] = ["rebase.autostash", "rebase.stat", "rebase.abbreviatecommands"];

/// Measures a rebase onto one revision.
///
/// # Errors
/// Git can't be asked, or it is another use.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    let unknown = || "what `git rebase` does".to_owned();
    let known = |flag: &String| KNOWN.contains(&flag.split([' ', '=']).next().unwrap_or(flag));
    let (upstream, branch) = match called.operands.as_slice() {
        [] => ("@{upstream}", None),
        [upstream] => (upstream.as_str(), None),
        [upstream, branch] => (upstream.as_str(), Some(branch.as_str())),
        _ => return Err(unknown()),
    };
    if !called.paths.is_empty() || !called.flags.iter().all(known) {
        return Err(unknown());
    }
    let settings = push::settings(git).await?;
    if settings.keys().any(|key| key.starts_with("rebase.") && !SETTINGS.contains(&key.as_str())) {
        return Err("what `git rebase` does by the settings here".to_owned());
    }
    let Some(base) = git.commit(if upstream == "-" { "@{-1}" } else { upstream }).await else {
        effects.warning(if called.operands.is_empty() {
            "It would fail: the branch has no upstream branch.".to_owned()
        } else {
            format!("It would fail: `{upstream}` names no commit here.")
        });
        return Ok(());
    };
    let onto = called.values("--onto", "--onto").last().unwrap_or(upstream);
    if onto.contains("...") {
        return Err("where `git rebase` puts them".to_owned());
    }
    let at = if onto == upstream { Some(base.clone()) } else { git.commit(onto).await };
    let tip = git.commit(branch.unwrap_or("HEAD")).await;
    let (Some(at), Some(tip)) = (at, tip) else {
        effects.warning("It would fail: what it names is no commit here.");
        return Ok(());
    };
    let current = git.branch_name().await.unwrap_or_else(|| "HEAD".to_owned());
    let name = branch.unwrap_or(&current);
    let stashes =
        settings.get("rebase.autostash").and_then(|values| values.last()).is_some_and(|value| value == "true");
    let stashes = (stashes || called.has("--autostash", None)) && !called.has("--no-autostash", None);
    clean(git, effects, stashes).await?;
    let merges = git.count(&["rev-list", "--count", "--merges", &tip, &format!("^{base}")]).await?;
    let all = git.count(&["rev-list", "--count", "--no-merges", &tip, &format!("^{base}")]).await?;
    // What the other side has as another commit is left out.
    let sides = format!("{base}...{tip}");
    let own = git.count(&["rev-list", "--count", "--no-merges", "--right-only", "--cherry-pick", &sides]).await?;
    let behind = git.count(&["rev-list", "--count", &at, &format!("^{tip}")]).await?;
    let again = called.has("--no-ff", None) || called.has("--force-rebase", None);
    let edits = called.has("--interactive", Some('i'));
    if behind == 0 && at == base && merges == 0 && !again && !(edits && own > 0) {
        effects.effect(format!("Does nothing to {name}: it stands on {onto} already."));
        if branch.is_some() {
            git.left(effects, Some(&tip), true).await?;
        }
        return Ok(());
    }
    let to = short(&at);
    if own == 0 {
        effects.effect(format!("Moves {name} to {to}: it has no commit that isn't there."));
        effects.briefs.push(format!("moves {name}"));
    } else {
        let becomes = if own == 1 { "becomes another commit" } else { "become other commits" };
        let commits = count(own, "commit");
        if edits {
            effects.warning(format!(
                "Lists {commits} of {name} in an editor, to be rewritten, left out or joined on top of {to}."
            ));
            effects.effect("Which of them become other commits is chosen there.");
            effects.briefs.push(format!("may rewrite {commits}"));
        } else {
            effects.warning(format!("Rewrites {commits} of {name}, which {becomes} on top of {to}."));
            effects.briefs.push(format!("rewrites {commits}"));
        }
        effects.effect("It stops where both changed the same lines.");
        let here = ["rev-list", "--count", "--no-merges", &tip, &format!("^{base}"), "--not", "--remotes"];
        let sent = all - git.count(&here).await?.min(all);
        if sent > 0 {
            let remote = "known on a remote: it keeps them as they are, and takes the others only by force";
            effects.warning(format!(
                "{} of {name} {} {remote}.",
                count(sent, "commit"),
                if sent == 1 { "is" } else { "are" }
            ));
        }
    }
    if all > own {
        effects.effect(format!("Leaves out {}, as they are there already.", count(all - own, "commit")));
    }
    if merges > 0 {
        effects.effect(format!("Leaves out {}: the others come in one line.", count(merges, "merge commit")));
    }
    blocked(git, effects, &at).await?;
    let goes = match (branch, git.way_back().await) {
        (Some(branch), Some(way)) if branch != current => {
            format!(", and {way} then goes back to what is checked out now")
        }
        _ => String::new(),
    };
    effects.remedies.push(Remedy::ByHand(format!(
        "`git reset --keep {}` puts {name} back (the reflog keeps it, and so does ORIG_HEAD for a while){goes}; where it \
         stopped, `git rebase --abort` does.",
        short(&tip)
    )));
    hooks(git, effects, &HOOKS, called.has("--no-verify", None)).await?;
    effects.preview.details.push(git.list(&[&tip, &format!("^{base}")], all + merges).await?);
    Ok(())
}

/// Says that changes stand in the way, which it refuses to carry along.
pub(super) async fn clean(git: &Git<'_>, effects: &mut Effects, stashes: bool) -> Result<(), String> {
    let changed = git.changed(&[], false).await?;
    if changed.is_empty() {
        return Ok(());
    }
    let names = some(changed.iter().map(|(_, name)| name.as_str()));
    if stashes {
        effects.effect(format!("Puts the changes in {names} aside, and back when it is done."));
    } else {
        effects.warning(recording::in_the_way(&names));
    }
    Ok(())
}

/// Says which untracked files are written over where it takes the files of a commit, and which stand in its way.
async fn blocked(git: &Git<'_>, effects: &mut Effects, commit: &str) -> Result<(), String> {
    let untracked = git.ignored_written_over(effects, commit, &[]).await?;
    if !untracked.is_empty() {
        let names = untracked.iter().map(|path| path.strip_prefix(&git.repository.root).unwrap_or(path).display());
        let names: Vec<String> = names.map(|name| name.to_string()).collect();
        effects.warning(recording::in_the_way(&some(names.iter().map(String::as_str))));
    }
    Ok(())
}
