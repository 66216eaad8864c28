//! What `git worktree` would make or delete: a folder with the files of a commit, which belongs to a repository that
//! lies elsewhere.

use std::path::{Path, PathBuf};

use super::Effects;
use super::called::Called;
use super::commits::{Git, short, some};
use super::files::Meant;
use super::recording::hooks;
use super::tally::Tally;
use crate::domain::Remedy;
use crate::domain::number::count;
use crate::tools::git::Repository;

/// One worktree, as git lists it.
#[derive(Default)]
struct Listed {
    place: PathBuf,
    commit: String,
    branch: Option<String>,
    locked: bool,
}

/// Flags of `git worktree` with a value.
pub(super) const VALUED: [&str; 3] = ["-b", "-B", "--reason"];

/// Measures `git worktree add` and `remove`.
///
/// # Errors
/// Git can't be asked, or it is another use.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    if called.operands.first().is_some_and(|first| first == "add") && called.paths.is_empty() {
        return added(git, effects, called).await;
    }
    let forces = called.times("--force", 'f');
    let known = called.flags.iter().all(|flag| ["-f", "-ff", "--force"].contains(&flag.as_str()));
    let place = match called.operands.as_slice() {
        [remove, place] if remove == "remove" && known && called.paths.is_empty() => {
            Meant::of(&git.folder.join(place)).path
        }
        _ => return Err("what `git worktree` does".to_owned()),
    };
    let told = git.text(&["worktree", "list", "--porcelain"]).await?;
    let all = listed(&told);
    let Some(at) =
        all.iter().position(|tree| tree.place == place || tree.place.canonicalize().ok() == Some(place.clone()))
    else {
        // Git takes the end of a path for one, too, where it is the only one that ends so.
        let end = git.folder.join(&called.operands[1]);
        if all.iter().any(|tree| tree.place.file_name() == end.file_name()) {
            return Err("which worktree is meant".to_owned());
        }
        effects.warning(format!("It would fail: {} is no worktree of this repository.", place.display()));
        return Ok(());
    };
    let tree = &all[at];
    if at == 0 {
        effects.warning(format!("It would fail: {} is the main worktree.", place.display()));
        return Ok(());
    }
    if tree.locked && forces < 2 {
        effects.warning("It would fail: the worktree is locked, and it is forced once at most.");
        return Ok(());
    }
    if forces == 0 {
        refused(git, effects, &place).await?;
    }
    let mut tally = Tally::default();
    tally.add(&place, true, git.cancel);
    if tally.is_empty() {
        effects.effect(format!("Forgets the worktree {}, which isn't there.", place.display()));
        effects.remedies.push(Remedy::Unknown);
        return Ok(());
    }
    effects.effect(format!("Deletes the worktree {}: {}.", place.display(), tally.told()));
    effects.briefs.push(tally.brief());
    let again = match &tree.branch {
        Some(branch) => {
            effects.effect(format!("The branch {branch} stays."));
            format!("`git worktree add {} {branch}` makes it again.", place.display())
        }
        None => format!("`git worktree add --detach {} {}` makes it again.", place.display(), short(&tree.commit)),
    };
    if tree.branch.is_none() && !tree.commit.is_empty() {
        let alone = git.alone(effects, &tree.commit, None).await?;
        if alone.0 > 0 {
            let are = if alone.0 == 1 { "is" } else { "are" };
            let commits = count(alone.0, "commit");
            effects.warning(format!("No branch is checked out there, and {commits} {are} on no branch or tag."));
            git.show(effects, alone).await?;
        }
    }
    effects.remedies.push(Remedy::ByHand(again));
    effects.take(tally);
    Ok(())
}

/// A new worktree: at which commit, on which branch.
async fn added(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    const KNOWN: [&str; 10] = ["-b", "-B", "-f", "--force", "--track", "--no-track", "--detach", "-d", "-q", "--quiet"];
    let unknown = || "what `git worktree` does".to_owned();
    let known = |flag: &String| KNOWN.contains(&flag.split(' ').next().unwrap_or(flag));
    let (written, revision) = match called.operands.as_slice() {
        [_, place] => (place, None),
        [_, place, revision] if !revision.contains("@{") && revision != "-" => (place, Some(revision.as_str())),
        _ => return Err(unknown()),
    };
    if !called.flags.iter().all(known) || git.text(&["config", "--get", "worktree.guessRemote"]).await.is_ok() {
        return Err(unknown());
    }
    let meant = Meant::of(&git.folder.join(written));
    let place = meant.path;
    let filled = |mut inside: std::fs::ReadDir| inside.next().is_some();
    if place.symlink_metadata().is_ok() && place.read_dir().map_or(true, filled) {
        effects.warning(format!("It would fail: {} is there already.", place.display()));
        return Ok(());
    }
    let forces = called.has("--force", Some('f'));
    let all = listed(&git.text(&["worktree", "list", "--porcelain"]).await?);
    match all.iter().find(|tree| tree.place == place && place.symlink_metadata().is_err()) {
        Some(tree) if tree.locked => return Err(unknown()),
        Some(_) if !forces => {
            effects
                .warning(format!("It would fail: git knows the worktree {}, whose folder is gone.", place.display()));
            return Ok(());
        }
        Some(_) | None => {}
    }
    let heads = |name: &str| format!("refs/heads/{name}");
    let made = called.made(&["-b", "-B"]);
    let moves = called.values("-B", "-B").next().is_some();
    if moves && called.values("-b", "-b").next().is_some() {
        return Err(unknown());
    }
    let name = meant.name.as_ref().and_then(|name| name.to_str()).ok_or_else(unknown)?;
    let detaches = called.has("--detach", Some('d'));
    // Without any, git takes the branch of the folder's name, or makes it.
    let (new, branch) = match (made, revision) {
        (Some(_), _) if detaches => return Err(unknown()),
        (Some(made), _) => (Some(made), None),
        _ if detaches => (None, None),
        (None, Some(revision)) => (None, git.commit(&heads(revision)).await.map(|_| revision)),
        (None, None) if git.commit(&heads(name)).await.is_some() => (None, Some(name)),
        (None, None) => (Some(name), None),
    };
    let was = match new.filter(|_| made.is_some()) {
        Some(new) => git.commit(&heads(new)).await.map(|was| (new, was)),
        None => None,
    };
    if let Some((new, _)) = was.as_ref().filter(|_| !moves) {
        effects.warning(format!("It would fail: there is a branch {new} already."));
        return Ok(());
    }
    let follows = match (called.has("--track", None), new) {
        (true, None) => {
            effects.warning("It would fail: only a new branch can be told what to follow.");
            return Ok(());
        }
        (true, Some(_)) => Some(git.followed(revision).await?),
        (false, _) => None,
    };
    if follows == Some(None) {
        effects
            .warning(format!("It would fail: {} is no branch that another could follow.", revision.unwrap_or("HEAD")));
        return Ok(());
    }
    // By force, a branch may be checked out twice, but not moved meanwhile.
    if let Some(branch) = branch.filter(|_| !forces).or(was.as_ref().map(|(new, _)| *new))
        && let Some(out) = git.checked_out(branch).await?
    {
        effects.warning(format!("It would fail: {out}."));
        return Ok(());
    }
    let at = revision.or(branch).unwrap_or("HEAD");
    // One that only another side has may become a branch that follows it.
    let commit = git.commit(at).await.ok_or_else(unknown)?;
    let files = git.text(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", &commit, "--"]).await?;
    let files = count(files.split('\0').filter(|name| !name.is_empty()).count(), "file");
    let on = match (new, branch) {
        (Some(new), _) if was.is_some() => format!("on the branch {new}"),
        (Some(new), _) => format!("on the new branch {new}"),
        (None, Some(branch)) => format!("on the branch {branch}"),
        (None, None) => "on no branch".to_owned(),
    };
    effects.effect(format!("Makes the worktree {} with {files} of {}, {on}.", place.display(), short(&commit)));
    effects.briefs.push(format!("new worktree, {files}"));
    if let Some(followed) = follows.flatten() {
        effects.effect(format!("The branch follows {followed}."));
    }
    if let Some((new, was)) = was {
        effects.effect(format!("Moves the branch {new} from {} to {}.", short(&was), short(&commit)));
        let back = format!("`git branch -f {new} {}` moves the branch back", short(&was));
        let way = format!("`git worktree remove {written}` deletes it, and then {back}.");
        git.dropped(effects, (new, &was), Some(&commit), way).await?;
        return hooks(git, effects, &[("post-checkout", false)], false).await;
    }
    let then = new.map(|new| format!(", and then `git branch -D {new}` the branch")).unwrap_or_default();
    effects.remedies.push(Remedy::ByHand(format!("`git worktree remove {written}` deletes it{then}.")));
    hooks(git, effects, &[("post-checkout", false)], false).await
}

impl Git<'_> {
    /// The branch that a new one follows which begins there: the one that is checked out, if none is named. None if that
    /// is no branch.
    async fn followed(&self, revision: Option<&str>) -> Result<Option<String>, String> {
        let Some(named) = revision.filter(|named| *named != "HEAD") else {
            return Ok(self.branch_name().await);
        };
        for name in [format!("refs/heads/{named}"), format!("refs/remotes/{named}")] {
            if self.commit(&name).await.is_some() {
                return Ok(Some(named.to_owned()));
            }
        }
        // It may be spelled in full, or otherwise.
        if named.starts_with("refs/") { Err("what the new branch follows".to_owned()) } else { Ok(None) }
    }
}

/// Says that it refuses without force where something there is in no commit.
async fn refused(git: &Git<'_>, effects: &mut Effects, place: &Path) -> Result<(), String> {
    let Some(repository) = Repository::of(git.bench, place)? else { return Ok(()) };
    let there = Git { bench: git.bench, repository, folder: place, cancel: git.cancel };
    let changed = there.changed(&[], true).await?;
    if !changed.is_empty() {
        let names = some(changed.iter().map(|(_, name)| name.as_str()));
        effects.warning(format!(
            "As things are now, it would fail: without force git deletes none with changes ({names})."
        ));
    }
    Ok(())
}

/// The worktrees that git lists, the main one first.
fn listed(told: &str) -> Vec<Listed> {
    let mut all: Vec<Listed> = Vec::new();
    for line in told.lines() {
        if let Some(place) = line.strip_prefix("worktree ") {
            all.push(Listed { place: PathBuf::from(place), ..Listed::default() });
        }
        let Some(tree) = all.last_mut() else { continue };
        match line.split_once(' ').unwrap_or((line, "")) {
            ("HEAD", commit) => commit.clone_into(&mut tree.commit),
            ("branch", name) => tree.branch = Some(name.trim_start_matches("refs/heads/").to_owned()),
            ("locked", _) => tree.locked = true,
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktrees_are_read_from_the_list_of_git() {
        let told = "worktree /a b\nHEAD 12\nbranch refs/heads/x/y\n\nworktree /c\nHEAD 34\ndetached\nlocked why\n";
        let all = listed(told);
        assert_eq!(
            (all[0].place.as_path(), all[0].branch.as_deref(), all[0].locked),
            (Path::new("/a b"), Some("x/y"), false)
        );
        assert_eq!((all[1].commit.as_str(), all[1].branch.as_deref(), all[1].locked), ("34", None, true));
    }
}
