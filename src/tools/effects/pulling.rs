//! What `git pull` would do with what comes: that itself only the other side knows, which isn't asked.

use super::Effects;
use super::called::Called;
use super::commits::{Git, short};
use super::{push, rebasing};
use crate::domain::Remedy;
use crate::domain::number::count;
use crate::tools::refspecs::{address, plain, remote};

/// Flags that change nothing of what is told here.
const KNOWN: [&str; 15] = [
    "-q",
    "--quiet",
    "-v",
    "--verbose",
    "-r",
    "--rebase",
    "--no-rebase",
    "--ff",
    "--ff-only",
    "--no-ff",
    "--autostash",
    "--no-autostash",
    "--no-edit",
    "--stat",
    "--no-stat",
];

/// Measures a pull.
///
/// # Errors
/// Git can't be asked, or it is another use.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    let known = |flag: &String| KNOWN.contains(&flag.split('=').next().unwrap_or(flag));
    if !called.flags.iter().all(known) || !called.paths.is_empty() || called.operands.len() > 2 {
        return Err("what `git pull` does".to_owned());
    }
    let settings = push::settings(git).await?;
    let current = git.branch_name().await;
    let branch = current.clone().unwrap_or_else(|| "HEAD".to_owned());
    let remote = remote(called.operands.first().cloned(), current.as_deref(), &settings);
    let named = plain(&remote);
    let place = address(&remote, &settings).map_or_else(|| named.clone(), |address| format!("{named} ({address})"));
    let address = |key: &String| key.strip_prefix("remote.").is_some_and(|rest| rest.rsplit('.').next() == Some("url"));
    let some = settings.keys().any(|key| key.starts_with("include") || address(key));
    if called.operands.is_empty() && !some && !remote.contains(['/', ':', '.']) {
        effects.warning("It would fail: there is no remote.");
        effects.briefs.push("would fail".to_owned());
        return Ok(());
    }
    let value = |key: &str| settings.get(key).and_then(|values| values.last()).map(String::as_str);
    let set = value(&format!("branch.{branch}.rebase")).or_else(|| value("pull.rebase"));
    let mut rebases = set.is_some_and(|set| set != "false");
    for flag in &called.flags {
        match flag.as_str() {
            "-r" | "--rebase" => rebases = true,
            "--no-rebase" | "--rebase=false" => rebases = false,
            flag if flag.starts_with("--rebase=") => rebases = true,
            _ => {}
        }
    }
    let then = if rebases {
        format!("puts the commits of {branch} that are not there on top of it, as other commits")
    } else if called.has("--ff-only", None) {
        format!("moves {branch} forward to it, or fails where both have commits of their own")
    } else {
        format!("merges it into {branch}")
    };
    effects.effect(format!("Fetches from {place} and {then}. What comes is up to that side, and isn't known here."));
    effects.effect("An ignored file is overwritten where one of the same name comes.");
    effects.briefs.push("what comes isn't known".to_owned());
    let upstream = git.commit("@{upstream}").await.filter(|_| called.operands.len() < 2);
    if let Some(upstream) = upstream {
        let new = git.count(&["rev-list", "--count", &upstream, "^HEAD"]).await?;
        let own = git.count(&["rev-list", "--count", "HEAD", &format!("^{upstream}")]).await?;
        let (new, own) = (count(new, "commit"), count(own, "commit"));
        effects
            .effect(format!("As known here, that side has {new} that {branch} lacks, and {branch} {own} of its own."));
    }
    if rebases {
        let stashes = value("rebase.autostash") == Some("true") || called.has("--autostash", None);
        rebasing::clean(git, effects, stashes && !called.has("--no-autostash", None)).await?;
    }
    effects.remedies.push(match git.commit("HEAD").await {
        Some(here) => {
            let aborts = if rebases { "git rebase --abort" } else { "git merge --abort" };
            Remedy::ByHand(format!(
                "`git reset --keep {}` puts {branch} back; where it stopped, `{aborts}` does. Ignored files that it wrote \
                 over don't come back.",
                short(&here)
            ))
        }
        None => Remedy::Unknown,
    });
    Ok(())
}
