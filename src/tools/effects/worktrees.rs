//! What `git worktree` would make or delete: a folder with the files of a commit, which belongs to a repository that
//! lies elsewhere.

use std::path::{Path, PathBuf};

use super::Effects;
use super::called::Called;
use super::commits::{Git, short, some};
use super::files::Meant;
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

/// Measures `git worktree remove`.
///
/// # Errors
/// Git can't be asked, or it is another use.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
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
