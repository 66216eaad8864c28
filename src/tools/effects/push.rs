//! What `git push` would send, and where to: told from the local refs and the repository's configuration, as they
//! are known here. Nothing is asked of the other side.

use std::collections::BTreeMap;

use super::Effects;
use super::called::Called;
use super::commits::{Git, short};
use crate::domain::Remedy;
use crate::domain::number::count;

/// One branch that is sent.
struct Sent {
    /// What is sent; empty to delete there.
    from: String,
    /// The name it gets there.
    to: String,
    forced: bool,
}

/// Measures a push.
///
/// # Errors
/// Git can't be asked, or what is sent can't be told.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    let settings = settings(git).await?;
    let setting = |key: String| settings.get(&key).cloned();
    let branch = git.branch_name().await;
    let remote = called
        .operands
        .first()
        .cloned()
        .or_else(|| branch.as_ref().and_then(|branch| setting(format!("branch.{branch}.pushremote"))))
        .or_else(|| setting("remote.pushdefault".to_owned()))
        .or_else(|| branch.as_ref().and_then(|branch| setting(format!("branch.{branch}.remote"))))
        .unwrap_or_else(|| "origin".to_owned());
    let address = setting(format!("remote.{remote}.pushurl")).or_else(|| setting(format!("remote.{remote}.url")));
    let place = address.as_ref().map_or_else(|| remote.clone(), |address| format!("{remote} ({})", plain(address)));
    if called.has("--dry-run", Some('n')) {
        effects.effect(format!("Only asks {place} what a push would do; the hook pre-push runs all the same."));
        return Ok(());
    }
    for (flag, says) in
        [("--all", "every branch"), ("--mirror", "every ref, and deletes the others"), ("--tags", "every tag")]
    {
        if called.has(flag, None) {
            effects.effect(format!("Sends {says} to {place}."));
        }
    }
    if called.has("--all", None) || called.has("--mirror", None) {
        effects.briefs.push("everything".to_owned());
        effects.remedies.push(Remedy::Impossible("what others fetched stays with them.".to_owned()));
        return Ok(());
    }
    let forced = called.has("--force", Some('f')) || called.has("--force-with-lease", None);
    let deletes = called.has("--delete", Some('d'));
    let refspecs = called.operands.get(1..).unwrap_or_default();
    let sent = sent(refspecs, branch.as_deref(), &settings, (forced, deletes));
    if sent.is_empty() {
        return Err("no branch is checked out".to_owned());
    }
    for sent in sent {
        one(git, effects, &remote, &place, &sent).await?;
    }
    effects.remedies.push(Remedy::Impossible("what others fetched stays with them.".to_owned()));
    Ok(())
}

/// What is sent, by the refspecs or by the branch that is checked out.
fn sent(
    refspecs: &[String],
    branch: Option<&str>,
    settings: &BTreeMap<String, String>,
    (forced, deletes): (bool, bool),
) -> Vec<Sent> {
    let name = |text: &str| text.strip_prefix("refs/heads/").unwrap_or(text).to_owned();
    if refspecs.is_empty() {
        let Some(branch) = branch else { return Vec::new() };
        let upstream = settings.get(&format!("branch.{branch}.merge")).map_or(branch.to_owned(), |merge| name(merge));
        return vec![Sent { from: branch.to_owned(), to: upstream, forced }];
    }
    let read = |refspec: &String| {
        let (plus, refspec) = refspec.strip_prefix('+').map_or((false, refspec.as_str()), |rest| (true, rest));
        let (from, to) = refspec.split_once(':').unwrap_or((refspec, refspec));
        let from = if deletes { "" } else { from };
        let to = match (to, branch) {
            ("HEAD", Some(branch)) => branch.to_owned(),
            (to, _) => name(to),
        };
        Sent { from: from.to_owned(), to, forced: forced || plus }
    };
    refspecs.iter().map(read).collect()
}

/// One branch: how many commits go there, and whether some would be dropped there.
async fn one(git: &Git<'_>, effects: &mut Effects, remote: &str, place: &str, sent: &Sent) -> Result<(), String> {
    let known = format!("refs/remotes/{remote}/{}", sent.to);
    let there = git.commit(&known).await;
    if sent.from.is_empty() {
        effects.warning(format!("Deletes {} on {place}.", sent.to));
        effects.briefs.push("deletes a branch there".to_owned());
        return Ok(());
    }
    let Some(here) = git.commit(&sent.from).await else {
        effects.warning(format!("It would fail: `{}` names no commit here.", sent.from));
        return Ok(());
    };
    let Some(there) = there else {
        effects.effect(format!("Sends {} to {place} as {}, which isn't known there yet.", sent.from, sent.to));
        effects.briefs.push("new branch there".to_owned());
        return Ok(());
    };
    let ahead = git.count(&["rev-list", "--count", &here, &format!("^{there}")]).await?;
    let behind = git.count(&["rev-list", "--count", &there, &format!("^{here}")]).await?;
    let to = &sent.to;
    effects.effect(format!("Sends {} to {to} on {place}.", count(ahead, "commit")));
    effects.briefs.push(count(ahead, "commit"));
    if behind > 0 && sent.forced {
        let at = short(&there);
        effects.warning(format!(
            "Forced: {} of {to} there would be dropped; {at} is the latest known here.",
            count(behind, "commit")
        ));
        effects.preview.details.push(git.list(&[&there, &format!("^{here}")], behind).await?);
    } else if behind > 0 {
        effects.effect(format!(
            "{to} has {} there that this clone lacks: git refuses without force.",
            count(behind, "commit")
        ));
    } else if sent.forced {
        effects.effect("Forced, though nothing that is known here would be dropped.");
    }
    if ahead > 0 {
        effects.preview.details.push(git.list(&[&here, &format!("^{there}")], ahead).await?);
    }
    Ok(())
}

/// The repository's own settings of branches and remotes. Those of the person don't count.
async fn settings(git: &Git<'_>) -> Result<BTreeMap<String, String>, String> {
    let told = git.text(&["config", "--local", "-z", "--list"]).await?;
    let pairs = told.split('\0').filter_map(|pair| pair.split_once('\n'));
    Ok(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
}

/// An address without the user's name and password.
fn plain(address: &str) -> String {
    match address.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
        Some((scheme, (user, host))) if !user.contains('/') => format!("{scheme}://{host}"),
        _ => address.to_owned(),
    }
}
