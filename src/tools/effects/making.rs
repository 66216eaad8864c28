//! What `mkdir` and `touch` would make of what isn't there yet.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::files::all;
use super::{Effects, named};
use crate::assess::Word;
use crate::domain::Remedy;
use crate::domain::number::count;

/// Tells which files or folders are new, which are there, and for which there is no place.
pub(super) fn make(
    effects: &mut Effects,
    folder: &Path,
    words: &[Word],
    (folders, parents): (bool, bool),
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (mut new, mut there, mut astray) = (Vec::new(), Vec::new(), Vec::new());
    for meant in all(words, folder, cancel)? {
        let path = meant.path;
        let place = |parent: &Path| parent.is_dir() || within(&effects.made, parent);
        if path.symlink_metadata().is_ok() || within(&effects.made, &path) {
            there.push(path);
        } else if parents && folders || path.parent().is_some_and(place) {
            if folders {
                let above =
                    path.ancestors().skip(1).take_while(|above| !above.exists() && !within(&effects.made, above));
                let above: Vec<PathBuf> = above.map(Path::to_path_buf).collect();
                new.extend(above.into_iter().rev());
                effects.made.push(path.clone());
            }
            new.push(path);
        } else {
            astray.push(path);
        }
    }
    let what = if folders { "folder" } else { "file" };
    if !new.is_empty() {
        effects.effect(format!("Makes {}: {}.", count(new.len(), &format!("new {what}")), named(new.iter())));
        effects.briefs.push(count(new.len(), &format!("new {what}")));
        effects.remedies.push(Remedy::ByHand("deleting what is new undoes it.".to_owned()));
    }
    if !there.is_empty() {
        let are = if there.len() == 1 { "is" } else { "are" };
        let names = named(there.iter());
        if !folders {
            effects.effect(format!("Sets the time of {}: {names}.", count(there.len(), "file")));
            effects.remedies.push(Remedy::Impossible("nobody keeps the time as it is now.".to_owned()));
        } else if parents {
            effects.effect(format!("{names} {are} there already."));
        } else {
            effects.warning(format!("As things are now, it would fail: {names} {are} there."));
        }
    }
    if !astray.is_empty() {
        let names = named(astray.iter());
        effects.warning(format!("As things are now, it would fail: the folder of {names} is not there."));
    }
    Ok(())
}

/// Whether a folder is one of those that are made, or above one.
pub(super) fn within(made: &[PathBuf], folder: &Path) -> bool {
    made.iter().any(|made| made.starts_with(folder))
}
