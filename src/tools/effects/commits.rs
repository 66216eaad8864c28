//! What git commands would lose or send, told from the index, the files and the local refs alone: nothing is fetched,
//! nothing of the command runs, not even as a dry run, which runs hooks.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::super::Workbench;
use super::super::git::Repository;
use super::called::Called;
use super::resetting::new_deleted;
use super::{
    Effects, merging, named, patching, picking, pulling, push, rebasing, recording, removal, renaming, tally, worktrees,
};
use crate::assess::Word;
use crate::domain::number::count;
use crate::domain::{Detail, Remedy, Text};

/// Longest diff that is shown, in bytes.
pub(super) const DIFF: usize = 64 * 1024;
/// Subcommands of which it is told what they would lose.
pub(super) const MEASURED: [&str; 20] = [
    "add",
    "apply",
    "branch",
    "checkout",
    "cherry-pick",
    "clean",
    "commit",
    "merge",
    "mv",
    "pull",
    "push",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
    "tag",
    "worktree",
];
/// Most commits that are listed.
const COMMITS: usize = 15;

/// A repository in which something waits.
pub(super) struct Git<'a> {
    pub(super) bench: &'a Arc<Workbench>,
    pub(super) repository: Repository,
    pub(super) folder: &'a Path,
    pub(super) cancel: &'a CancellationToken,
}

/// Measures a git command.
///
/// # Errors
/// It can't be told beforehand, as what isn't known.
pub(super) async fn measure(
    effects: &mut Effects,
    bench: &Arc<Workbench>,
    folder: &Path,
    subcommand: &str,
    words: &[Word],
    cancel: &CancellationToken,
) -> Result<(), String> {
    let unknown = || format!("what `git {subcommand}` does");
    let folder = &folder.canonicalize().map_err(|_| unknown())?;
    let why = |reason: String| format!("what `git {subcommand}` does ({reason})");
    let repository =
        Repository::of(bench, folder).map_err(why)?.ok_or_else(|| why("no repository is there".to_owned()))?;
    let git = Git { bench, repository, folder, cancel };
    // The files of a linked worktree may lie where git can't look here.
    git.text(&["rev-parse", "--git-dir"]).await.map_err(why)?;
    let called = Called::read(words, valued(subcommand)).ok_or_else(unknown)?;
    match subcommand {
        "reset" => git.reset(effects, &called).await,
        "clean" => git.clean(effects, &called).await,
        "checkout" | "restore" | "switch" => git.checkout(effects, subcommand, &called).await,
        "branch" => git.branch(effects, &called).await.and_then(|told| if told { Ok(()) } else { Err(unknown()) }),
        "push" => push::measure(&git, effects, &called).await,
        "add" => recording::add(&git, effects, &called).await,
        "apply" => patching::measure(&git, effects, &called).await,
        "mv" => renaming::measure(&git, effects, &called).await,
        "commit" => recording::commit(&git, effects, &called).await,
        "rm" => removal::measure(&git, effects, &called).await,
        "merge" => merging::measure(&git, effects, &called).await,
        "rebase" => rebasing::measure(&git, effects, &called).await,
        "cherry-pick" | "revert" => picking::measure(&git, effects, subcommand, &called).await,
        "pull" => pulling::measure(&git, effects, &called).await,
        "worktree" => worktrees::measure(&git, effects, &called).await,
        "stash" => git.stash(effects, &called).await.and_then(|told| if told { Ok(()) } else { Err(unknown()) }),
        "tag" => git.tag(effects, &called).await.and_then(|told| if told { Ok(()) } else { Err(unknown()) }),
        _ => return Err(unknown()),
    }
    .map_err(|reason| if reason.starts_with("what ") || reason.starts_with("which ") { reason } else { why(reason) })
}

/// The flags of a subcommand behind which a value stands.
pub(super) fn valued(subcommand: &str) -> &'static [&'static str] {
    match subcommand {
        "restore" => &["-s", "--source"],
        "clean" => &["-e", "--exclude"],
        "push" => &["-o", "--push-option", "--repo", "--receive-pack", "--exec"],
        "apply" => &patching::VALUED,
        "commit" => &recording::VALUED,
        "merge" | "stash" | "tag" => &merging::VALUED,
        "checkout" | "switch" => &["-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create"],
        "rebase" => &rebasing::VALUED,
        "worktree" => &worktrees::VALUED,
        _ => &[],
    }
}

impl Git<'_> {
    /// What git answers, as text.
    pub(super) async fn text(&self, arguments: &[&str]) -> Result<String, String> {
        let answer = self.repository.ask(self.bench, arguments, self.cancel).await?;
        Ok(String::from_utf8_lossy(&answer).trim_end_matches('\n').to_owned())
    }

    /// A number that git counts.
    pub(super) async fn count(&self, arguments: &[&str]) -> Result<usize, String> {
        let told = self.text(arguments).await?;
        told.trim().parse().map_err(|_| "git counted nothing".to_owned())
    }

    /// The commit that a revision names, if it names one.
    pub(super) async fn commit(&self, revision: &str) -> Option<String> {
        let commit = format!("{revision}^{{commit}}");
        self.text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).await.ok()
    }

    /// The branch that is checked out.
    pub(super) async fn branch_name(&self) -> Option<String> {
        self.text(&["symbolic-ref", "--short", "-q", "HEAD"]).await.ok()
    }

    /// A list of commits as `abc1234 subject`, one a line.
    pub(super) async fn list(&self, range: &[&str], total: usize) -> Result<Detail, String> {
        let most = format!("--max-count={COMMITS}");
        let head = ["log", "--no-decorate", "--no-show-signature", "--format=%h %s", &most];
        let mut body = self.text(&[head.as_slice(), range].concat()).await?;
        if total > COMMITS {
            body.push_str(&format!("\n… {}", count(total - COMMITS, "more commit")));
        }
        Ok(Detail::Text(Text { language: "text", body }))
    }

    /// Files that differ from the last commit, each with the two letters of git's status.
    pub(super) async fn changed(&self, paths: &[String], untracked: bool) -> Result<Vec<(String, String)>, String> {
        let untracked = if untracked { "--untracked-files=all" } else { "--untracked-files=no" };
        let head = ["status", "--porcelain=v1", "-z", "--no-renames", untracked, "--"];
        let paths = paths.iter().map(String::as_str);
        let told = self.text(&head.into_iter().chain(paths).collect::<Vec<_>>()).await?;
        Ok(told
            .split('\0')
            .filter_map(|entry| Some((entry.get(..2)?.to_owned(), entry.get(3..)?.to_owned())))
            .collect())
    }

    /// The changes that would be thrown away, as a diff against what they are thrown away for.
    pub(super) async fn diff(&self, against: Option<&str>, paths: &[String]) -> Result<Detail, String> {
        let head = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--submodule=short"];
        let paths = paths.iter().map(String::as_str);
        let arguments = head.into_iter().chain(against).chain(["--"]).chain(paths);
        let mut text = self.text(&arguments.collect::<Vec<_>>()).await?;
        if text.len() > DIFF {
            let left = text.len() - DIFF;
            text.truncate(text.floor_char_boundary(DIFF));
            text.push_str(&format!("\n… {} of the diff left out", crate::domain::number::size(left as u64)));
        }
        Ok(Detail::Diff { text, language: String::new() })
    }

    /// Says which files lose their changes, and shows the changes.
    pub(super) async fn thrown_away(
        &self,
        effects: &mut Effects,
        changed: &[(String, String)],
        against: Option<&str>,
        paths: &[String],
    ) -> Result<(), String> {
        let unseen = self.unseen(paths).await?;
        if !unseen.is_empty() {
            let names = some_of(&unseen);
            effects.warning(format!("Git was told not to look for changes in {names}: any in there may be lost."));
            effects.briefs.push(format!("changes not seen in {}", count(unseen.len(), "file")));
            effects.remedies.push(Remedy::Unknown);
        }
        if changed.is_empty() {
            if unseen.is_empty() {
                effects.effect("No tracked file has changes that it would throw away.");
            }
            return Ok(());
        }
        // A file that is gone comes back, and nothing is lost of it.
        let (back, lost): (Vec<_>, Vec<_>) =
            changed.iter().partition(|(state, _)| matches!(state.as_str(), " D" | "D "));
        let names = |of: &[&(String, String)]| some(of.iter().map(|(_, name)| name.as_str()));
        if !back.is_empty() {
            effects.effect(format!("Brings back {}: {}.", count(back.len(), "file"), names(&back)));
        }
        if lost.is_empty() {
            effects.briefs.push(format!("{} back", count(back.len(), "file")));
            effects.remedies.push(Remedy::ByHand("deleting what comes back undoes it.".to_owned()));
            return Ok(());
        }
        effects.effect(format!("Throws away the changes in {}: {}.", count(lost.len(), "file"), names(&lost)));
        effects.briefs.push(format!("changes in {}", count(lost.len(), "file")));
        effects.remedies.push(Remedy::Impossible("the changes are in no commit.".to_owned()));
        effects.preview.details.push(self.diff(against, paths).await?);
        Ok(())
    }

    /// Tracked files that are there and that git doesn't look at for changes: marked `assume-unchanged` or
    /// `skip-worktree`.
    async fn unseen(&self, paths: &[String]) -> Result<Vec<String>, String> {
        let paths = if paths.is_empty() { vec![":/"] } else { paths.iter().map(String::as_str).collect() };
        let told = self.text(&[&["ls-files", "-v", "-z", "--"], paths.as_slice()].concat()).await?;
        let there = |name: &&str| self.folder.join(name).symlink_metadata().is_ok();
        Ok(told.split('\0').filter_map(unseen).filter(there).map(str::to_owned).collect())
    }

    async fn checkout(&self, effects: &mut Effects, name: &str, called: &Called) -> Result<(), String> {
        if called.has("--patch", Some('p')) {
            return Err(format!("which changes `git {name}` takes"));
        }
        let forced = called.has("--force", Some('f')) || called.has("--discard-changes", None);
        let staged = name == "restore" && called.has("--staged", Some('S'));
        if staged && !called.has("--worktree", Some('W')) {
            return self.unstage(effects, &[called.operands.as_slice(), &called.paths].concat()).await;
        }
        self.submodules(effects, called).await?;
        let (revision, paths) = match name {
            "restore" => {
                let source = called.flags.iter().find_map(|flag| {
                    flag.strip_prefix("--source=")
                        .or_else(|| flag.strip_prefix("--source "))
                        .or_else(|| flag.strip_prefix("-s"))
                });
                let paths = called.operands.iter().chain(&called.paths).cloned().collect();
                let source = source.map(|source| source.trim_start().to_owned());
                (source.or_else(|| staged.then(|| "HEAD".to_owned())), paths)
            }
            "switch" => (called.operands.first().cloned(), Vec::new()),
            _ => self.split(called, false).await,
        };
        let detaches = called.has("--detach", Some('d')) && name != "restore";
        let to = revision.as_deref().unwrap_or("HEAD");
        let commit = self.commit(if to == "-" { "@{-1}" } else { to }).await;
        let made = called.made(&["-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create"]);
        if let Some(name) = made {
            self.made(effects, name, commit.as_deref(), called).await?;
            if !forced && revision.is_none() {
                return Ok(());
            }
        } else if paths.is_empty() && (!forced || revision.is_some()) {
            let to = match revision.as_deref() {
                Some("-") => {
                    self.text(&["rev-parse", "--abbrev-ref", "@{-1}"]).await.unwrap_or_else(|_| "-".to_owned())
                }
                Some(to) => to.to_owned(),
                None if detaches => "the same commit".to_owned(),
                None => "another branch".to_owned(),
            };
            let refuses = if forced { "" } else { " Git refuses where that would overwrite changes." };
            effects.effect(if detaches {
                format!("Checks out {to}, and no branch.{refuses}")
            } else {
                format!("Switches to {to}.{refuses}")
            });
        }
        if paths.is_empty() && name != "restore" && (made.is_none() && !forced || revision.is_some()) {
            self.left(effects, commit.as_deref(), made.is_none()).await?;
        }
        if paths.is_empty() && !forced {
            let commit = commit.ok_or("which ignored files it writes over")?;
            return self.ignored_written_over(effects, &commit, &[]).await.map(drop);
        }
        let mut changed = self.changed(&paths, false).await?;
        // `checkout` leaves alone what the other commit lacks, `restore` deletes it.
        if let Some(commit) = commit.as_ref().filter(|_| name == "checkout" && !paths.is_empty() && revision.is_some())
        {
            let there = self.text(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--"]).await?;
            let there: BTreeSet<&str> = there.split('\0').collect();
            changed.retain(|(_, name)| called.has("--no-overlay", None) || there.contains(name.as_str()));
        }
        let staged_too = revision.is_some() || paths.is_empty();
        let lost: Vec<(String, String)> =
            changed.into_iter().filter(|(state, _)| staged_too || !state.ends_with(' ')).collect();
        let against = staged_too.then_some("HEAD");
        self.thrown_away(effects, &lost, against, &paths).await?;
        if paths.is_empty() {
            new_deleted(effects, &lost);
        }
        let lacks = commit.as_deref().filter(|_| revision.is_some() && !paths.is_empty());
        if let Some(commit) = lacks.filter(|_| name == "restore" || called.has("--no-overlay", None)) {
            self.lacking(effects, (commit, to), &paths, name != "restore" || staged).await?;
        }
        let commit = match commit {
            Some(commit) if revision.is_some() || paths.is_empty() => Some(commit),
            None if revision.is_some() => return Err("which files it writes over".to_owned()),
            Some(_) | None => None,
        };
        self.written_over(effects, commit.as_deref(), &paths).await?;
        if let Some(revision) = revision.filter(|_| !paths.is_empty()) {
            effects.effect(format!("The files become as they are in {revision}."));
            if lost.is_empty() {
                let both = if name == "checkout" || staged { " --source=HEAD --staged --worktree" } else { "" };
                let way = format!("`git restore{both}` of the same names undoes it, and deleting what is new.");
                effects.remedies.push(Remedy::ByHand(way));
            }
        }
        Ok(())
    }

    /// Says which tracked files are deleted, as a commit lacks them, and whether what is staged of them goes, too.
    async fn lacking(
        &self,
        effects: &mut Effects,
        (commit, name): (&str, &str),
        paths: &[String],
        index: bool,
    ) -> Result<(), String> {
        let lists = ["diff-index", "--cached", "--name-only", "--diff-filter=A", "-z", "--no-renames", commit, "--"];
        let paths = paths.iter().map(String::as_str);
        let lists: Vec<&str> = lists.into_iter().chain(paths).collect();
        let told = self.repository.ask(self.bench, &lists, self.cancel).await?;
        let mut tally = tally::Tally::default();
        for name in told.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            tally.add(&self.repository.root.join(OsStr::from_bytes(name)), false, self.cancel);
        }
        // A submodule stays.
        tally.folders = 0;
        if tally.files.is_empty() {
            return Ok(());
        }
        let names = tally.files.iter().map(|found| &found.path).collect::<Vec<_>>();
        effects.warning(format!("Deletes {} that {name} lacks: {}.", tally.told(), named(names.into_iter())));
        effects.briefs.push(format!("deletes {}", tally.brief()));
        if index {
            let staged = self.changed(&[], false).await?.into_iter().filter(|(state, _)| !state.starts_with(' '));
            effects.only_staged.extend(staged.map(|(_, name)| self.repository.root.join(name)));
        }
        effects.take(tally);
        Ok(())
    }

    /// Says where submodules go along, whose files aren't looked at.
    pub(super) async fn submodules(&self, effects: &mut Effects, called: &Called) -> Result<(), String> {
        let flagged = called.has("--recurse-submodules", None);
        let set = async || self.text(&["config", "--type=bool", "--get", "submodule.recurse"]).await;
        if !called.has("--no-recurse-submodules", None)
            && (flagged || set().await.is_ok_and(|set| set == "true"))
            && !self.text(&["ls-files", "--", ":/.gitmodules"]).await?.is_empty()
        {
            effects.unmeasured.push("what it throws away in submodules".to_owned());
        }
        Ok(())
    }

    /// A revision and paths, as git tells them apart. With `--hard`, there are no paths.
    pub(super) async fn split(&self, called: &Called, only_revision: bool) -> (Option<String>, Vec<String>) {
        let mut operands = called.operands.clone();
        let first = match operands.first() {
            // The branch before.
            Some(first) if first == "-" => Some(operands.remove(0)),
            Some(first) if called.split || only_revision || self.commit(first).await.is_some() => {
                Some(operands.remove(0))
            }
            _ => None,
        };
        operands.extend(called.paths.iter().cloned());
        (first, operands)
    }
}

/// The name behind the letter of `git ls-files -v`, if git doesn't look at that file for changes.
fn unseen(entry: &str) -> Option<&str> {
    let (letter, name) = entry.split_once(' ')?;
    (letter == "S" || letter.chars().all(|letter| letter.is_ascii_lowercase())).then_some(name)
}

/// The first names, and how many more.
pub(super) fn some<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(super::NAMED);
    let first: Vec<&str> = names.take(super::NAMED).collect();
    if more > 0 { format!("{}, {more} more", first.join(", ")) } else { first.join(", ") }
}

fn some_of(names: &[String]) -> String {
    some(names.iter().map(String::as_str))
}

/// The beginning of a commit's number.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_git_does_not_look_at_are_known_by_their_letters() {
        let unseen: Vec<_> = ["H a", "h b c", "S d", "s e", "C f", ""].into_iter().filter_map(unseen).collect();
        assert_eq!(unseen, ["b c", "d", "e"]);
    }
}
