//! What `git branch` and `git stash` would drop, and how long it can be found again.

use super::Effects;
use super::called::Called;
use super::commits::{DIFF, Git, short};
use crate::domain::number::count;
use crate::domain::{Detail, Remedy, Text};

impl Git<'_> {
    /// False if it is another use of `branch`.
    pub(super) async fn branch(&self, effects: &mut Effects, called: &Called) -> Result<bool, String> {
        let forced = called.has("", Some('D')) || called.has("--force", Some('f'));
        let deletes = called.has("", Some('D')) || called.has("--delete", Some('d'));
        if !deletes || called.has("--remotes", Some('r')) {
            return Ok(false);
        }
        let current = self.branch_name().await;
        for name in &called.operands {
            if current.as_ref() == Some(name) {
                effects.warning(format!("It would fail: {name} is checked out."));
                continue;
            }
            let reference = format!("refs/heads/{name}");
            let Some(commit) = self.commit(&reference).await else {
                effects.warning(format!("It would fail: there is no branch {name}."));
                continue;
            };
            let others = ["--not", &format!("--exclude={name}"), "--branches", "--remotes", "--tags"];
            let only = self.count(&[["rev-list", "--count", &commit].as_slice(), &others].concat()).await?;
            if only == 0 {
                effects.effect(format!("Deletes the branch {name}: every commit of it is on another branch or tag."));
                let way = format!("`git branch {name} {}` makes it again.", short(&commit));
                effects.remedies.push(Remedy::ByHand(way));
                effects.briefs.push("merged branch".to_owned());
                continue;
            }
            let refuses = if forced { "" } else { " Without force git refuses." };
            let are = if only == 1 { "is" } else { "are" };
            effects.warning(format!(
                "{name} isn't merged: {} {are} on no other branch or tag.{refuses}",
                count(only, "commit")
            ));
            effects.effect(format!("Deletes the branch {name}."));
            effects.briefs.push(format!("{}, not merged", count(only, "commit")));
            let way = format!("for some weeks `git branch {name} {}` makes it again.", short(&commit));
            effects.remedies.push(Remedy::ByHand(way));
            let range = [[commit.as_str()].as_slice(), &others].concat();
            effects.preview.details.push(self.list(&range, only).await?);
        }
        Ok(true)
    }

    /// False if it is another use of `stash`.
    pub(super) async fn stash(&self, effects: &mut Effects, called: &Called) -> Result<bool, String> {
        let mut operands = called.operands.iter();
        let entries = match operands.next().map(String::as_str) {
            Some("clear") => self.stashes().await?,
            Some("drop") => {
                let which = operands.next().map_or("0", String::as_str);
                let number = which.trim_start_matches("stash@{").trim_end_matches('}');
                let all = self.stashes().await?;
                number.parse::<usize>().ok().and_then(|number| all.into_iter().nth(number)).into_iter().collect()
            }
            Some(_) | None => return Ok(false),
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

    /// Every stash entry as `abc1234 when subject`, newest first.
    async fn stashes(&self) -> Result<Vec<String>, String> {
        if self.commit("refs/stash").await.is_none() {
            return Ok(Vec::new());
        }
        let told = self.text(&["log", "-g", "--no-show-signature", "--format=%h %cr %gs", "refs/stash", "--"]).await?;
        Ok(told.lines().map(str::to_owned).collect())
    }
}
