//! What `git reset` would throw away, and what it takes out of what is staged.

use super::Effects;
use super::called::Called;
use super::commits::{Git, short, some};
use super::recording::in_the_way;
use crate::domain::Remedy;
use crate::domain::number::count;

impl Git<'_> {
    pub(super) async fn reset(&self, effects: &mut Effects, called: &Called) -> Result<(), String> {
        if called.has("--patch", Some('p')) {
            return Err("which changes `git reset` takes".to_owned());
        }
        let (revision, paths) = self.split(called, called.has("--hard", None)).await;
        if !paths.is_empty() {
            return self.unstage(effects, &paths).await;
        }
        let revision = revision.unwrap_or_else(|| "HEAD".to_owned());
        let Some(commit) = self.commit(&revision).await else {
            if revision == "HEAD" {
                return Err("there is no commit yet".to_owned());
            }
            effects.warning(format!("It would fail: `{revision}` names no commit here."));
            return Ok(());
        };
        let gone = self.count(&["rev-list", "--count", "HEAD", &format!("^{commit}")]).await?;
        let branch = self.branch_name().await.unwrap_or_else(|| "HEAD".to_owned());
        let now = self.commit("HEAD").await.unwrap_or_default();
        if commit != now {
            let (to, own) = (short(&commit), count(gone, "commit"));
            let come = self.count(&["rev-list", "--count", &commit, "^HEAD"]).await?;
            effects.effect(match (gone, come) {
                (0, come) => format!("Moves {branch} forward to {to}, by {}.", count(come, "commit")),
                (_, 0) => format!("Moves {branch} back to {to}, by {own}."),
                (_, come) => format!("Moves {branch} to {to}: {own} of its own go, {} come.", count(come, "commit")),
            });
            effects.briefs.push(if gone > 0 { own } else { count(come, "commit") });
            effects.remedies.push(Remedy::ByHand(if gone > 0 {
                format!("the reflog keeps the commits: {} is the latest.", short(&now))
            } else {
                format!("the reflog keeps where {branch} stood: {}.", short(&now))
            }));
        }
        if called.has("--hard", None) {
            let changed = self.changed(&[], false).await?;
            self.submodules(effects, called).await?;
            self.thrown_away(effects, &changed, Some("HEAD"), &[]).await?;
            new_deleted(effects, &changed);
            self.written_over(effects, Some(&commit), &[]).await?;
        } else if called.has("--keep", None) || called.has("--merge", None) {
            self.careful(effects, &commit, called.has("--merge", None)).await?;
        } else if called.has("--soft", None) {
            effects.effect("The files stay as they are.");
        } else {
            self.unstage(effects, &[]).await?;
        }
        if gone > 0 {
            effects.preview.details.push(self.list(&["HEAD", &format!("^{commit}")], gone).await?);
        }
        Ok(())
    }

    /// What `--keep` or `--merge` leaves, throws away, or refuses.
    async fn careful(&self, effects: &mut Effects, commit: &str, merges: bool) -> Result<(), String> {
        let lists = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", "HEAD", commit, "--"];
        let told = self.text(&lists).await?;
        let brought: Vec<&str> = told.split('\0').filter(|name| !name.is_empty()).collect();
        let changed = self.changed(&[], false).await?;
        let untracked = self.ignored_written_over(effects, commit, &brought).await?;
        let untracked = untracked.iter().map(|path| path.strip_prefix(&self.repository.root).unwrap_or(path));
        let mut stands: Vec<String> = untracked.map(|path| path.display().to_string()).collect();
        // What is staged is thrown away by `--merge`, unless the file has other text again.
        let goes = |state: &str| merges && !state.starts_with(' ') && (state.ends_with(' ') || state.contains('U'));
        let refuses = |(state, name): &&(String, String)| {
            !goes(state) && (brought.contains(&name.as_str()) || merges && !state.starts_with(' '))
        };
        stands.extend(changed.iter().filter(refuses).map(|(_, name)| name.clone()));
        if !stands.is_empty() {
            let names = some(stands.iter().map(String::as_str));
            effects.warning(in_the_way(&names));
        }
        if merges {
            let lost: Vec<(String, String)> = changed.into_iter().filter(|(state, _)| goes(state)).collect();
            self.thrown_away(effects, &lost, Some("HEAD"), &names_of(&lost)).await?;
            new_deleted(effects, &lost);
            return Ok(());
        }
        self.unstage(effects, &[]).await
    }

    /// Says what is no longer staged, and of which file more was staged than is kept.
    pub(super) async fn unstage(&self, effects: &mut Effects, paths: &[String]) -> Result<(), String> {
        let staged: Vec<(String, String)> =
            self.changed(paths, false).await?.into_iter().filter(|(state, _)| !state.starts_with(' ')).collect();
        let names = |of: &[&(String, String)]| some(of.iter().map(|(_, name)| name.as_str()));
        let all: Vec<_> = staged.iter().collect();
        if all.is_empty() {
            effects.effect("Nothing of it is staged. The files stay as they are.");
            return Ok(());
        }
        let files = count(all.len(), "file");
        effects.effect(format!("Takes {files} out of what is staged: {}. The files stay as they are.", names(&all)));
        let parted: Vec<_> = staged.iter().filter(|(state, _)| !state.ends_with(' ')).collect();
        if parted.is_empty() {
            effects.remedies.push(Remedy::ByHand("`git add` stages it again.".to_owned()));
        } else {
            let names = names(&parted);
            effects.warning(format!("What is staged of {names} differs from the file, and is lost."));
            effects.remedies.push(Remedy::Impossible(format!("what is staged of {names} is in no commit.")));
        }
        Ok(())
    }
}

/// The files of a list, from the folder of the repository.
fn names_of(changed: &[(String, String)]) -> Vec<String> {
    changed.iter().map(|(_, name)| format!(":(top,literal){name}")).collect()
}

/// Says which files go as a whole with the changes: those that are staged and in no commit.
pub(super) fn new_deleted(effects: &mut Effects, changed: &[(String, String)]) {
    let new: Vec<&str> =
        changed.iter().filter(|(state, _)| state.starts_with('A')).map(|(_, name)| name.as_str()).collect();
    if !new.is_empty() {
        effects.effect(format!("Deletes what is new and in no commit: {}.", some(new.iter().copied())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_go_as_a_whole() {
        let changed: Vec<_> =
            [("A ", "n"), ("M ", "m"), ("AM", "o")].map(|(state, name)| (state.to_owned(), name.to_owned())).into();
        let mut effects = Effects::default();
        new_deleted(&mut effects, &changed[1..2]);
        assert!(effects.preview.effects.is_empty());
        new_deleted(&mut effects, &changed);
        assert_eq!(effects.preview.effects, ["Deletes what is new and in no commit: n, o."]);
    }
}
