//! What `git branch` and `git tag` would drop or make, and how long it can be found again.

use super::Effects;
use super::called::Called;
use super::commits::{Git, short};
use crate::domain::Remedy;
use crate::domain::number::count;

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
            let place = self.text(&["for-each-ref", "--format=%(worktreepath)", "--", &reference]).await?;
            if !place.is_empty() {
                effects.warning(format!("It would fail: {name} is checked out in {place}."));
                continue;
            }
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

    /// A tag that is deleted or made. False if it is another use of `tag`.
    pub(super) async fn tag(&self, effects: &mut Effects, called: &Called) -> Result<bool, String> {
        const MAKING: [&str; 5] = ["-a", "--annotate", "-m", "--message", "--no-sign"];
        let here =
            async |name: &str| self.text(&["rev-parse", "--verify", "-q", &format!("refs/tags/{name}")]).await.ok();
        if called.flags.len() == 1 && called.has("--delete", Some('d')) {
            for name in called.operands.iter().chain(&called.paths) {
                let Some(tag) = here(name).await else {
                    effects.warning(format!("It would fail: there is no tag {name}."));
                    continue;
                };
                effects.effect(format!("Deletes the tag {name}, here alone."));
                effects.briefs.push(format!("deletes {name}"));
                effects.remedies.push(Remedy::ByHand(format!("`git tag {name} {}` makes it again.", short(&tag))));
            }
            return Ok(true);
        }
        let known = |flag: &String| MAKING.contains(&flag.split([' ', '=']).next().unwrap_or(flag));
        let (name, revision) = match called.operands.as_slice() {
            [name] => (name, "HEAD"),
            [name, revision] => (name, revision.as_str()),
            _ => return Ok(false),
        };
        if !called.flags.iter().all(known) {
            return Ok(false);
        }
        if here(name).await.is_some() {
            effects.warning(format!("It would fail: there is a tag {name}."));
            return Ok(true);
        }
        let Some(commit) = self.commit(revision).await else { return Ok(false) };
        effects.effect(format!("Makes the tag {name} at {}, here alone.", short(&commit)));
        effects.briefs.push(format!("tags {}", short(&commit)));
        effects.remedies.push(Remedy::ByHand(format!("`git tag -d {name}` deletes it.")));
        Ok(true)
    }
}
