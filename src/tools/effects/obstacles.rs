//! Files that git doesn't track and that stand where a command of git puts others: a hard reset, a forced checkout and
//! `restore` write over them without a word, every checkout over those that are ignored.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::super::versions::{Version, Versions};
use super::commits::Git;
use super::tally::{Found, Tally};
use super::{Effects, named};

/// A folder for another repository, in the letters of git's modes: what is in it stays.
const SUBMODULE: &[u8] = b":160000";

impl Git<'_> {
    /// Says which untracked files are lost where the files become as they are in a commit, or in what is staged.
    pub(super) async fn written_over(
        &self,
        effects: &mut Effects,
        commit: Option<&str>,
        paths: &[String],
    ) -> Result<(), String> {
        let tally = self.obstacles(commit, paths).await?;
        tell(effects, tally);
        Ok(())
    }

    /// The same where git asks before it writes over what isn't ignored: of the files of a commit that it puts there, or
    /// of all where none are named. Gives those that it asks about.
    pub(super) async fn ignored_written_over(
        &self,
        effects: &mut Effects,
        commit: &str,
        brought: &[&str],
    ) -> Result<Vec<PathBuf>, String> {
        let mut tally = self.obstacles(Some(commit), &[]).await?;
        let versions = Versions::of(self.bench, &tally.roots, self.cancel).await?;
        let put = |path: &Path| {
            let name = path.strip_prefix(&self.repository.root).ok();
            brought.is_empty()
                || name.is_some_and(|name| brought.iter().any(|brought| Path::new(brought).starts_with(name)))
        };
        tally.files.retain(|found| put(&found.path));
        let (ignored, others) = std::mem::take(&mut tally.files)
            .into_iter()
            .partition(|found| versions.version(&found.path) == Version::Ignored);
        tally.files = ignored;
        tally.bytes = tally.files.iter().map(|found| found.bytes).sum();
        tally.folders = 0;
        tell(effects, tally);
        let others: Vec<Found> = others;
        Ok(others.into_iter().map(|found| found.path).collect())
    }

    /// What stands where a commit has files that aren't staged, or what is staged isn't there: in their place, or in
    /// the place of a folder that they are in.
    async fn obstacles(&self, commit: Option<&str>, paths: &[String]) -> Result<Tally, String> {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let (mut names, mut tally) = (BTreeSet::new(), Tally::default());
        let staged = ["diff-files", "--raw", "-z", "--no-renames", "--"];
        names.extend(gone(&self.repository.ask(self.bench, &[&staged, paths.as_slice()].concat(), self.cancel).await?));
        if let Some(commit) = commit {
            let brought = ["diff-index", "--cached", "--raw", "-z", "--no-renames", commit, "--"];
            let brought = [&brought, paths.as_slice()].concat();
            names.extend(gone(&self.repository.ask(self.bench, &brought, self.cancel).await?));
        }
        let mut stand = BTreeSet::new();
        for name in names {
            let mut path = self.repository.root.clone();
            let whole = path.join(OsStr::from_bytes(&name));
            for part in Path::new(OsStr::from_bytes(&name)) {
                path.push(part);
                match path.symlink_metadata() {
                    Err(_) => break,
                    Ok(found) if found.is_dir() && path != whole => {}
                    Ok(_) => {
                        stand.insert(path);
                        break;
                    }
                }
            }
        }
        for path in stand {
            tally.add(&path, true, self.cancel);
        }
        Ok(tally)
    }
}

fn tell(effects: &mut Effects, tally: Tally) {
    if tally.files.is_empty() {
        return;
    }
    let names = tally.files.iter().map(|found| &found.path).collect::<Vec<_>>();
    effects.warning(format!("Writes over {} that git doesn't track: {}.", tally.told(), named(names.into_iter())));
    effects.briefs.push(format!("over {}", tally.brief()));
    effects.take(tally);
}

/// The names of what one side of a comparison has and the other doesn't.
fn gone(told: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = told.split(|byte| *byte == 0);
    let mut names = Vec::new();
    while let (Some(about), Some(name)) = (parts.next(), parts.next()) {
        if about.ends_with(b" D") && !about.starts_with(SUBMODULE) {
            names.push(name.to_vec());
        }
    }
    names
}
