//! What `git stash` would put aside, bring back or drop, and how long that can be found again.

use super::Effects;
use super::called::Called;
use super::commits::{DIFF, Git, short, some};
use crate::domain::number::{count, thousands};
use crate::domain::{Detail, Remedy, Text};

impl Git<'_> {
    /// False if it is another use of `stash`.
    pub(super) async fn stash(&self, effects: &mut Effects, called: &Called) -> Result<bool, String> {
        let mut operands = called.operands.iter();
        let entries: Vec<String> = match operands.next().map(String::as_str) {
            Some("clear") => self.stashes().await?,
            Some("drop") => self.stashed(operands.next()).await?.into_iter().collect(),
            None | Some("push") => {
                let paths: Vec<String> = operands.chain(&called.paths).cloned().collect();
                return self.put_aside(effects, called, &paths).await;
            }
            // All words behind it are its message.
            Some("save") => return self.put_aside(effects, called, &[]).await,
            Some(back @ ("pop" | "apply")) => return self.bring_back(effects, back == "pop", operands.next()).await,
            Some("branch") => return self.branch_off(effects, operands.next(), operands.next()).await,
            Some(_) => return Ok(false),
        };
        if entries.is_empty() {
            effects.effect("There is no such stash.");
            return Ok(true);
        }
        let stashes = if entries.len() == 1 { "1 stash".to_owned() } else { format!("{} stashes", entries.len()) };
        effects.effect(format!("Drops {stashes}."));
        effects.briefs.push(stashes);
        let commit = entries[0].split(' ').next().unwrap_or_default().to_owned();
        let way = if entries.len() == 1 {
            format!("for some weeks `git stash store {commit}` brings it back, if you keep that number.")
        } else {
            "for some weeks `git stash store` and the number of one brings it back, if you keep the numbers.".to_owned()
        };
        effects.remedies.push(Remedy::ByHand(way));
        effects.preview.details.push(Detail::Text(Text { language: "text", body: entries.join("\n") }));
        if let [_] = entries.as_slice() {
            let against = format!("{commit}^1");
            let mut arguments = vec!["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"];
            arguments.extend([against.as_str(), commit.as_str(), "--"]);
            let text = self.text(&arguments).await?;
            if text.len() <= DIFF {
                effects.preview.details.push(Detail::Diff { text, language: String::new() });
            }
        }
        Ok(true)
    }

    /// Every stash entry as `abc1234 2026-01-31 subject`, newest first.
    async fn stashes(&self) -> Result<Vec<String>, String> {
        if self.commit("refs/stash").await.is_none() {
            return Ok(Vec::new());
        }
        let told = self.text(&["log", "-g", "--no-show-signature", "--format=%h %cs %gs", "refs/stash", "--"]).await?;
        Ok(told.lines().map(str::to_owned).collect())
    }

    /// The entry that a word names by its number, or the newest.
    ///
    /// # Errors
    /// It is named otherwise.
    async fn stashed(&self, which: Option<&String>) -> Result<Option<String>, String> {
        let which = which.map_or("0", String::as_str);
        let number = which.strip_prefix("stash@{").and_then(|rest| rest.strip_suffix('}')).unwrap_or(which);
        let number: usize = number.parse().map_err(|_| format!("which stash {which} is"))?;
        Ok(self.stashes().await?.into_iter().nth(number))
    }

    /// A branch for what is put aside. False if it names none.
    async fn branch_off(
        &self,
        effects: &mut Effects,
        name: Option<&String>,
        which: Option<&String>,
    ) -> Result<bool, String> {
        let Some(name) = name else { return Ok(false) };
        if self.commit(&format!("refs/heads/{name}")).await.is_some() {
            effects.warning(format!("It would fail: there is a branch {name} already."));
            return Ok(true);
        }
        let Some(entry) = self.stashed(which).await? else {
            effects.effect("There is no such stash.");
            return Ok(true);
        };
        let stash = entry.split(' ').next().unwrap_or_default();
        let base = self.commit(&format!("{stash}^1")).await.ok_or("where that stash stands")?;
        let at = short(&base);
        effects.effect(format!("Makes the branch {name} at {at}, where the stash was made, and switches to it."));
        effects.effect("Brings back what the stash holds, and drops it if that fits.");
        self.ignored_written_over(effects, stash, &[]).await?;
        effects.briefs.push(format!("new branch {name}"));
        let way = self.way_back().await;
        let way = way.map(|way| {
            let then = format!("then {way} goes back, and `git branch -D {name}` deletes the branch");
            format!("`git stash -u` puts the changes aside again; {then}.")
        });
        effects.remedies.push(way.map_or(Remedy::Unknown, Remedy::ByHand));
        Ok(true)
    }

    /// False if it is another use.
    async fn put_aside(&self, effects: &mut Effects, called: &Called, paths: &[String]) -> Result<bool, String> {
        const KNOWN: [&str; 14] = [
            "-m",
            "--message",
            "-q",
            "--quiet",
            "-u",
            "--include-untracked",
            "-a",
            "--all",
            "-k",
            "--keep-index",
            "-p",
            "--patch",
            "-S",
            "--staged",
        ];
        let known = |flag: &String| KNOWN.contains(&flag.split([' ', '=']).next().unwrap_or(flag));
        if !called.flags.iter().all(known) {
            return Ok(false);
        }
        let all = called.has("--all", Some('a'));
        let mut changed = self.changed(paths, all || called.has("--include-untracked", Some('u'))).await?;
        let ignored = if all { self.ignored(paths).await? } else { Vec::new() };
        let hidden = ignored.len();
        // To a stash they are files that git doesn't track, like others.
        changed.extend(ignored.into_iter().map(|name| ("??".to_owned(), name)));
        let picks = called.has("--patch", Some('p'));
        let only_staged = called.has("--staged", Some('S'));
        if only_staged && (picks || !paths.is_empty()) {
            return Ok(false);
        }
        if only_staged {
            changed.retain(|(state, _)| !state.starts_with([' ', '?']));
        }
        if changed.is_empty() {
            effects.effect("There is nothing that it would put aside.");
            return Ok(true);
        }
        let files = count(changed.len(), "file");
        let names = some(changed.iter().map(|(_, name)| name.as_str()));
        if picks || only_staged {
            some_aside(effects, &changed, picks);
            return Ok(true);
        }
        effects.effect(format!("Puts the changes in {files} aside: {names}."));
        effects.briefs.push(format!("changes in {files}"));
        if hidden > 0 {
            let are = if hidden == 1 { "is" } else { "are" };
            effects.effect(format!(
                "{} of them {are} ignored, and {are} gone until it comes back.",
                thousands(hidden as u64)
            ));
        }
        let is_staged = |(state, _): &&(String, String)| !state.starts_with([' ', '?']);
        let staged = changed.iter().any(|entry| is_staged(&entry));
        let others = !paths.is_empty()
            && self.changed(&[], false).await?.iter().any(|entry| is_staged(&entry) && !changed.contains(entry));
        let keeps = staged && called.has("--keep-index", Some('k'));
        if keeps {
            effects.effect("What is staged stays in the files, too.");
        }
        let but = if changed.iter().any(|(state, _)| state == "??") {
            ", but no empty folders, and of their rights only whether they run"
        } else {
            ""
        };
        effects.remedies.push(Remedy::ByHand(if keeps && paths.is_empty() {
            // What stays in the files stands in the way of what comes back, and the stash has it.
            let way = "`git reset --hard` and then `git stash pop --index` bring them back";
            format!("{way}{but}, if nothing else was changed meanwhile.")
        } else if keeps {
            let way = "`git restore --source=HEAD --staged --worktree` of the same names and then `git stash pop`";
            format!("{way} bring the files back{but}; what is staged of them is in `stash@{{0}}^2` until then.")
        } else if staged && others {
            // With what else is staged, git brings back the files alone.
            format!(
                "`git stash pop` brings the files back{but}; what is staged of them is in `stash@{{0}}^2` until then."
            )
        } else if staged {
            // Where other text is staged than the file has, both come back by that alone.
            format!("`git stash pop --index` brings them back{but}.")
        } else {
            format!("`git stash pop` brings them back{but}.")
        }));
        Ok(true)
    }

    /// Files that git ignores.
    async fn ignored(&self, paths: &[String]) -> Result<Vec<String>, String> {
        let head = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored", "--"];
        let told = self.text(&head.into_iter().chain(paths.iter().map(String::as_str)).collect::<Vec<_>>()).await?;
        Ok(told.split('\0').filter_map(|entry| entry.strip_prefix("!! ")).map(str::to_owned).collect())
    }

    async fn bring_back(&self, effects: &mut Effects, drops: bool, which: Option<&String>) -> Result<bool, String> {
        let Some(entry) = self.stashed(which).await? else {
            effects.effect("There is no such stash.");
            return Ok(true);
        };
        let commit = entry.split(' ').next().unwrap_or_default();
        let head = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"];
        let between = [&format!("{commit}^1"), commit, "--"];
        let names = self.text(&[&head[..], &["--name-only", "-z"], &between].concat()).await?;
        // Files that git didn't track are a commit of their own.
        let others = [commit, "^3"].concat();
        let others = match self.commit(&others).await {
            Some(others) => self.text(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", &others, "--"]).await?,
            None => String::new(),
        };
        let names: Vec<&str> = names.split('\0').chain(others.split('\0')).filter(|name| !name.is_empty()).collect();
        let files = count(names.len(), "file");
        let then = if drops { ", and drops the stash if they fit" } else { "" };
        effects.effect(format!("Brings back the changes in {files}: {}{then}.", some(names.iter().copied())));
        self.ignored_written_over(effects, commit, &names).await?;
        let way = if self.changed(&[], true).await?.is_empty() {
            let untracked = if others.is_empty() { "" } else { " -u" };
            format!("`git stash{untracked}` puts them aside again.")
        } else {
            let deleting = if others.is_empty() { "" } else { ", but for the files that git didn't track" };
            format!("`git stash show -p {commit} | git apply -R` takes them out again{deleting}.")
        };
        effects.remedies.push(Remedy::ByHand(way));
        effects.briefs.push(format!("changes in {files}"));
        let text = self.text(&[&head[..], &between].concat()).await?;
        if text.len() <= DIFF {
            effects.preview.details.push(Detail::Diff { text, language: String::new() });
        }
        Ok(true)
    }
}

/// A part of the changes: chosen one by one, or what is staged.
fn some_aside(effects: &mut Effects, changed: &[(String, String)], picks: bool) {
    let files = count(changed.len(), "file");
    let names = some(changed.iter().map(|(_, name)| name.as_str()));
    let both = changed.iter().any(|(state, _)| !state.starts_with([' ', '?']) && !state.ends_with(' '));
    if picks {
        effects.effect(format!("Asks of each change in {files} whether to put it aside: {names}."));
        effects.briefs.push(format!("some changes in {files}"));
    } else {
        effects.effect(format!("Puts what is staged of {files} aside: {names}."));
        effects.briefs.push(format!("what is staged of {files}"));
    }
    let staged = changed.iter().any(|(state, _)| !state.starts_with([' ', '?']));
    // What stays in a file may stand in the way of what comes back.
    effects.remedies.push(match (picks, staged, both) {
        (true, false, _) => {
            Remedy::ByHand("`git stash pop` brings them back into files that have no other changes.".to_owned())
        }
        (false, _, false) => Remedy::ByHand("`git stash pop --index` brings them back.".to_owned()),
        (true, true, _) | (false, _, true) => Remedy::Unknown,
    });
}
