//! What `git clean` would delete, told by git's own list of what it doesn't track.

use super::Effects;
use super::called::Called;
use super::commits::{Git, some};
use super::tally::Tally;
use crate::domain::number::count;

impl Git<'_> {
    /// What it deletes of what git doesn't track.
    pub(super) async fn clean(&self, effects: &mut Effects, called: &Called) -> Result<(), String> {
        if called.has("--dry-run", Some('n')) {
            effects.effect("Only lists what it would delete.");
            return Ok(());
        }
        let forces = called.times("--force", 'f');
        if forces == 0 {
            effects.effect("Without -f git refuses to delete anything.");
        }
        // Of what is named, git deletes folders too.
        let folders = called.has("", Some('d')) || !called.operands.is_empty() || !called.paths.is_empty();
        let mut arguments = vec!["ls-files", "-z", "--others"];
        if called.has("", Some('X')) {
            arguments.extend(["--ignored", "--exclude-standard"]);
        } else if !called.has("", Some('x')) {
            arguments.push("--exclude-standard");
        }
        if !folders {
            arguments.push("--directory");
        }
        let excluded: Vec<String> =
            called.values("-e", "--exclude").map(|pattern| format!("--exclude={pattern}")).collect();
        arguments.extend(excluded.iter().map(String::as_str));
        arguments.push("--");
        arguments.extend(called.operands.iter().chain(&called.paths).map(String::as_str));
        let told = self.text(&arguments).await?;
        // With a slash at its end: a folder that git has nothing of, or a repository of its own. Both stay, but
        // forced twice git deletes repositories with the folders.
        let deep = folders && forces > 1;
        let names = told.split('\0').filter(|name| !name.is_empty() && (deep || !name.ends_with('/')));
        let mut tally = Tally::default();
        for name in names {
            tally.add(&self.folder.join(name.trim_end_matches('/')), deep, self.cancel);
        }
        let empty = if folders { self.empty_folders(&arguments).await? } else { Vec::new() };
        if !empty.is_empty() {
            let folders = count(empty.len(), "empty folder");
            effects.effect(format!("Deletes {folders}: {}.", some(empty.iter().map(String::as_str))));
        }
        if tally.is_empty() {
            if empty.is_empty() {
                effects.effect("There is nothing that it would delete.");
            }
            return Ok(());
        }
        effects.effect(format!("Deletes {} that git doesn't have.", tally.told()));
        effects.briefs.push(tally.brief());
        effects.take(tally);
        Ok(())
    }

    /// Folders without a file among what git lists as its others with these arguments.
    async fn empty_folders(&self, arguments: &[&str]) -> Result<Vec<String>, String> {
        let list = async |also: &[&str]| {
            let (head, rest) = arguments.split_at(1);
            let told = self.text(&[head, &["--directory"], also, rest].concat()).await?;
            Ok::<_, String>(told.split('\0').filter(|name| name.ends_with('/')).map(str::to_owned).collect::<Vec<_>>())
        };
        let (all, full) = (list(&[]).await?, list(&["--no-empty-directory"]).await?);
        Ok(all.into_iter().filter(|name| !full.contains(name)).collect())
    }
}
