//! What `git rm` would delete, told from the index and the files.

use std::collections::BTreeSet;

use super::Effects;
use super::called::Called;
use super::commits::{Git, some};
use super::tally::Tally;
use crate::domain::Remedy;
use crate::domain::number::count;

/// Measures it.
///
/// # Errors
/// Git can't be asked, or which files are meant can't be told.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    if called.has("--pathspec-from-file", None) {
        return Err("which files `git rm` deletes".to_owned());
    }
    let paths: Vec<String> = called.operands.iter().chain(&called.paths).cloned().collect();
    let head = ["ls-files", "-z", "--"];
    let told = git.text(&head.into_iter().chain(paths.iter().map(String::as_str)).collect::<Vec<_>>()).await?;
    let names: Vec<&str> = told.split('\0').filter(|name| !name.is_empty()).collect();
    if called.has("--dry-run", Some('n')) {
        effects.effect("Only lists what it would delete.");
        return Ok(());
    }
    if names.is_empty() || paths.is_empty() {
        effects.warning("As things are now, it would fail: git tracks nothing of that name.");
        return Ok(());
    }
    let folders = paths.iter().filter(|path| git.folder.join(path).is_dir()).map(String::as_str);
    let folders: Vec<&str> = folders.collect();
    if !folders.is_empty() && !called.has("", Some('r')) {
        let folders = some(folders.into_iter());
        effects.warning(format!("As things are now, it would fail: without -r it takes no folder ({folders})."));
    }
    let changed = git.changed(&paths, false).await?;
    if !changed.is_empty() && !called.has("--force", Some('f')) && !called.has("--cached", None) {
        let names = some(changed.iter().map(|(_, name)| name.as_str()));
        effects.warning(format!(
            "As things are now, it would fail: without -f it takes nothing that has changes ({names})."
        ));
    }
    let shown = some(names.iter().copied());
    if called.has("--cached", None) {
        effects.effect(format!("Git no longer tracks {}: {shown}. The files stay.", count(names.len(), "file")));
        effects.briefs.push(count(names.len(), "file"));
        untracked(effects, &changed);
        return Ok(());
    }
    let (mut tally, mut roots) = (Tally::default(), BTreeSet::new());
    for name in &names {
        let path = git.folder.join(name);
        tally.add(&path, false, git.cancel);
        let first = path.strip_prefix(&git.repository.root).ok().and_then(|rest| rest.iter().next());
        roots.extend(first.map(|first| git.repository.root.join(first)));
    }
    tally.roots = roots.into_iter().collect();
    let staged: Vec<&str> = changed.iter().filter(|(state, _)| staged(state)).map(|(_, name)| name.as_str()).collect();
    effects.only_staged.extend(staged.iter().map(|name| git.repository.root.join(name)));
    let gone: Vec<&str> =
        staged.into_iter().filter(|name| git.repository.root.join(name).symlink_metadata().is_err()).collect();
    if !gone.is_empty() {
        let names = some(gone.into_iter());
        effects.remedies.push(Remedy::Impossible(format!("what is staged of {names} is in no commit.")));
    }
    if tally.is_empty() {
        effects.effect(format!("Git no longer tracks {}: {shown}. They are not there.", count(names.len(), "file")));
        return Ok(());
    }
    effects.effect(format!("Deletes {} that git tracks: {shown}.", tally.told()));
    effects.briefs.push(tally.brief());
    effects.take(tally);
    Ok(())
}

/// Whether something is staged that is in no commit, by the two letters of git's status.
fn staged(state: &str) -> bool {
    !state.starts_with([' ', '?', 'D'])
}

/// Says how what git doesn't track any longer, but stays, is staged again.
fn untracked(effects: &mut Effects, changed: &[(String, String)]) {
    let parted = changed.iter().filter(|(state, _)| staged(state) && !state.ends_with(' '));
    let parted: Vec<&str> = parted.map(|(_, name)| name.as_str()).collect();
    if parted.is_empty() {
        let plain = changed.iter().all(|(state, _)| state.ends_with(' '));
        effects.remedies.push(Remedy::ByHand(if plain {
            "`git add` of the same names undoes it.".to_owned()
        } else {
            "`git restore --staged` undoes it where nothing was staged, `git add` elsewhere.".to_owned()
        }));
        return;
    }
    let names = some(parted.into_iter());
    effects.warning(format!("What is staged of {names} differs from the file: without -f git refuses."));
    effects.remedies.push(Remedy::Impossible(format!("what is staged of {names} is in no commit.")));
}
