//! What `git push` would send, and where to: told from the local refs and the repository's configuration, as they
//! are known here. Nothing is asked of the other side.

use super::super::gitconfig::{self, Settings};
use super::super::refspecs::{Push, Sent, address, deleting, mirrors, plain, remote};
use super::called::Called;
use super::commits::{Git, short, some};
use super::{Effects, NAMED, capital};
use crate::domain::Remedy;
use crate::domain::number::count;

/// Measures a push.
///
/// # Errors
/// Git can't be asked, or what is sent can't be told.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    let settings = settings(git).await?;
    let branch = git.branch_name().await;
    let remote = remote(called.operands.first().cloned(), branch.as_deref(), &settings);
    let named = plain(&remote);
    let place = address(&remote, &settings).map_or_else(|| named.clone(), |address| format!("{named} ({address})"));
    let name = !remote.contains(['/', ':']) && remote != ".";
    let whole = !settings.keys().any(|key| key.starts_with("include"));
    // What is no remote may be the path of a repository.
    let path = || [git.folder, &git.repository.root].iter().any(|folder| folder.join(&remote).exists());
    if name && whole && address(&remote, &settings).is_none() && (called.operands.is_empty() || !path()) {
        effects.warning(format!("It would fail: there is no remote {named}."));
        return Ok(());
    }
    if called.has("--dry-run", Some('n')) {
        effects.effect(format!("Only asks {place} what a push would do; the hook pre-push runs all the same."));
        return Ok(());
    }
    let (tags, prunes) = (called.has("--tags", None), called.has("--prune", None));
    let whole = if called.has("--mirror", None) || mirrors(&remote, &settings) {
        Some("every ref, and deletes the others")
    } else if called.has("--all", None) || called.has("--branches", None) {
        Some(if prunes { "every branch, and deletes the others" } else { "every branch" })
    } else {
        None
    };
    for says in whole.into_iter().chain(tags.then_some("every tag")) {
        effects.effect(format!("Sends {says} to {place}."));
    }
    effects.remedies.push(Remedy::Impossible("what others fetched stays with them.".to_owned()));
    let forced = called.has("--force", Some('f')) || called.has("--force-with-lease", None);
    if tags && forced {
        effects.warning("Forced: a tag there that has the name of one here and another commit is replaced.");
    }
    if whole.is_some() {
        effects.briefs.push("everything".to_owned());
        let mirrors = whole.is_some_and(|whole| whole.starts_with("every ref"));
        return everything(git, effects, &remote, mirrors || forced, mirrors || prunes).await;
    }
    let named = called.operands.get(1..).unwrap_or_default();
    let refspecs = if called.has("--delete", Some('d')) { deleting(named) } else { named.to_vec() };
    if tags && refspecs.is_empty() {
        return Ok(());
    }
    let push = Push { remote: &remote, refspecs: &refspecs, branch: branch.as_deref(), settings: &settings };
    let sent = match push.sent() {
        Ok(sent) => sent,
        Err(why) => {
            let prunes = if prunes { ", and `--prune` deletes branches there" } else { "" };
            effects.warning(format!("Which branches it changes on {place} can't be told: {why}{prunes}."));
            effects.briefs.push("branches that can't be told".to_owned());
            return Ok(());
        }
    };
    if sent.is_empty() {
        return Err("no branch is checked out".to_owned());
    }
    if push.refused()
        && let Some(branch) = &branch
    {
        effects.warning(format!("As things are now, it would fail: {branch} has no upstream branch."));
    }
    let value = |key: &str| settings.get(key).and_then(|values| values.last()).map(String::as_str);
    let follows = called.has("--follow-tags", None) || value("push.followtags") == Some("true");
    let follows = follows && !called.has("--no-follow-tags", None);
    let submodules = value("push.recursesubmodules").is_some_and(|value| ["on-demand", "only"].contains(&value));
    if submodules || called.flags.iter().any(|flag| flag.starts_with("--recurse-submodules=")) {
        effects.unmeasured.push("what it sends of submodules".to_owned());
    }
    for mut sent in sent {
        sent.forced |= forced;
        one(git, effects, &remote, &place, &sent).await?;
        if follows && !sent.from.is_empty() {
            tags_along(git, effects, &sent.from).await?;
        }
    }
    Ok(())
}

/// What of the branches there, as they are known here, a push of everything deletes or drops.
async fn everything(
    git: &Git<'_>,
    effects: &mut Effects,
    remote: &str,
    forced: bool,
    prunes: bool,
) -> Result<(), String> {
    let head = ["for-each-ref", "--format=%(refname:lstrip=3)"];
    let there = git.text(&[head.as_slice(), &[&format!("refs/remotes/{remote}")]].concat()).await?;
    let (mut deleted, mut behind) = (Vec::new(), Vec::new());
    for name in there.lines().filter(|name| *name != "HEAD") {
        let Some(here) = git.commit(&format!("refs/heads/{name}")).await else {
            deleted.push(name);
            continue;
        };
        let known = format!("refs/remotes/{remote}/{name}");
        let range = [known, format!("^{here}")];
        let commits = git.count(&["rev-list", "--count", &range[0], &range[1]]).await?;
        if commits > 0 {
            behind.push((name, range, commits));
        }
    }
    if prunes && !deleted.is_empty() {
        let names = some(deleted.iter().copied());
        effects.warning(format!("Deletes {} there that this clone lacks: {names}.", branches(deleted.len())));
    }
    let names = some(behind.iter().map(|(name, ..)| *name));
    if behind.is_empty() {
        if forced {
            effects.effect("Forced; nothing of its branches that is known here would be dropped.");
        }
    } else if forced {
        effects.warning(format!("Forced: drops commits of {} there: {names}.", branches(behind.len())));
        for (_, [there, here], commits) in behind.iter().take(NAMED) {
            effects.preview.details.push(git.list(&[there, here], *commits).await?);
        }
    } else {
        let branches = branches(behind.len());
        effects.effect(format!("Git refuses {branches}, as commits there are missing here: {names}."));
    }
    Ok(())
}

fn branches(number: usize) -> String {
    if number == 1 { "1 branch".to_owned() } else { format!("{number} branches") }
}

/// Tags with a text of their own that go along if they aren't there yet, which nobody here knows.
async fn tags_along(git: &Git<'_>, effects: &mut Effects, from: &str) -> Result<(), String> {
    let Some(here) = git.commit(from).await else { return Ok(()) };
    let merged = format!("--merged={here}");
    let head = ["for-each-ref", "--format=%(objecttype) %(refname:lstrip=2)", "--sort=-creatordate"];
    let told = git.text(&[head.as_slice(), &[&merged, "refs/tags"]].concat()).await?;
    let tags: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("tag ")).collect();
    if !tags.is_empty() {
        effects.effect(format!("Sends tags that aren't there yet, too, of {}.", some(tags.iter().copied())));
    }
    Ok(())
}

/// One branch: how many commits go there, and whether some would be dropped there.
async fn one(git: &Git<'_>, effects: &mut Effects, remote: &str, place: &str, sent: &Sent) -> Result<(), String> {
    let known = format!("refs/remotes/{remote}/{}", sent.to);
    effects.doomed.extend(sent.from.is_empty().then(|| known.clone()));
    let there = git.commit(&known).await;
    if sent.from.is_empty() {
        effects.warning(format!("Deletes {} on {place}.", sent.to));
        let sort = if sent.to.starts_with("refs/tags/") { "tag" } else { "branch" };
        effects.briefs.push(format!("deletes a {sort} there"));
        if let Some(there) = there {
            let alone = git.alone(effects, &there, None).await?;
            if alone.0 == 0 {
                let now = capital(&format!("{}every commit", effects.now()));
                effects.effect(format!("{now} of {} that is known here is on another branch or tag.", sent.to));
            } else {
                let are = if alone.0 == 1 { "is" } else { "are" };
                effects.warning(format!(
                    "{} of it {are} on no other branch or tag that is known here.",
                    count(alone.0, "commit")
                ));
                git.show(effects, alone).await?;
            }
        } else {
            effects.effect(format!("Whether there is such a {sort} isn't known here."));
        }
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
        effects.effect("Forced; nothing that is known here would be dropped.");
    }
    if ahead > 0 {
        effects.preview.details.push(git.list(&[&here, &format!("^{there}")], ahead).await?);
    }
    Ok(())
}

/// The settings of the person and of the repository.
pub(super) async fn settings(git: &Git<'_>) -> Result<Settings, String> {
    let told = git.text(&["config", "--local", "-z", "--list"]).await?;
    let mut settings = gitconfig::of_person(git.bench.home.as_deref());
    for pair in told.split('\0').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('\n').unwrap_or((pair, "true"));
        settings.entry(key.to_owned()).or_default().push(value.to_owned());
    }
    Ok(settings)
}
