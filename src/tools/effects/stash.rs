//! What `git stash` would put aside, bring back or drop, and how long that can be found again.

use super::Effects;
use super::called::Called;
use super::commits::{DIFF, Git, some};
use crate::domain::number::count;
use crate::domain::{Detail, Remedy, Text};

impl Git<'_> {
    /// False if it is another use of `stash`.
    pub(super) async fn stash(&self, effects: &mut Effects, called: &Called) -> Result<bool, String> {
        let mut operands = called.operands.iter();
        let entries: Vec<String> = match operands.next().map(String::as_str) {
            Some("clear") => self.stashes().await?,
            Some("drop") => self.stashed(operands.next()).await?.into_iter().collect(),
            None | Some("push") => return self.put_aside(effects, called).await,
            Some(back @ ("pop" | "apply")) => return self.bring_back(effects, back == "pop", operands.next()).await,
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

    /// False if only a part of the changes is put aside.
    async fn put_aside(&self, effects: &mut Effects, called: &Called) -> Result<bool, String> {
        const KNOWN: [&str; 8] =
            ["-m", "--message", "-q", "--quiet", "-u", "--include-untracked", "-k", "--keep-index"];
        let known = |flag: &String| KNOWN.contains(&flag.split([' ', '=']).next().unwrap_or(flag));
        let partly = called.operands.len() > 1 || !called.paths.is_empty();
        if partly || !called.flags.iter().all(known) {
            return Ok(false);
        }
        let changed = self.changed(&[], called.has("--include-untracked", Some('u'))).await?;
        if changed.is_empty() {
            effects.effect("There is nothing that it would put aside.");
            return Ok(true);
        }
        let files = count(changed.len(), "file");
        let names = some(changed.iter().map(|(_, name)| name.as_str()));
        effects.effect(format!("Puts the changes in {files} aside: {names}."));
        effects.briefs.push(format!("changes in {files}"));
        // Where other text is staged than the file has, both come back by that alone.
        let staged = changed.iter().any(|(state, _)| !state.starts_with([' ', '?']));
        let pop = if staged { "git stash pop --index" } else { "git stash pop" };
        let but = if changed.iter().any(|(state, _)| state == "??") {
            ", but no empty folders, and of their rights only whether they run"
        } else {
            ""
        };
        effects.remedies.push(Remedy::ByHand(format!("`{pop}` brings them back{but}.")));
        Ok(true)
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
