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
        if !deletes {
            return self.branch_made(effects, called).await;
        }
        if called.has("--remotes", Some('r')) {
            return Ok(false);
        }
        // What names another branch is for git to say.
        if called.operands.iter().chain(&called.paths).any(|name| name.contains("@{") || name == "-") {
            return Ok(false);
        }
        let mut found = Vec::new();
        for name in called.operands.iter().chain(&called.paths) {
            let reference = format!("refs/heads/{name}");
            let Some(commit) = self.commit(&reference).await else {
                effects.warning(format!("It would fail: there is no branch {name}."));
                continue;
            };
            if let Some(out) = self.checked_out(name).await? {
                effects.warning(format!("It would fail: {out}."));
                effects.doomed.remove(&reference);
                continue;
            }
            found.push((name, commit));
        }
        for (name, commit) in found {
            let alone = self.alone(effects, &commit, None).await?;
            let only = alone.0;
            if only == 0 {
                let now = effects.now();
                effects
                    .effect(format!("Deletes the branch {name}: {now}every commit of it is on another branch or tag."));
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
            self.show(effects, alone).await?;
        }
        Ok(true)
    }

    /// A tag that is deleted or made. False if it is another use of `tag`.
    pub(super) async fn tag(&self, effects: &mut Effects, called: &Called) -> Result<bool, String> {
        const MAKING: [&str; 6] = ["-a", "--annotate", "-m", "--message", "--no-sign", "--force"];
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
                let way = format!("`git tag {name} {}` makes it again.", short(&tag));
                self.untagged(effects, name, &tag, way).await?;
            }
            return Ok(true);
        }
        let letters = |flag: &str| flag.len() > 1 && flag.chars().skip(1).all(|letter| "af".contains(letter));
        let known = |flag: &String| MAKING.contains(&flag.split([' ', '=']).next().unwrap_or(flag)) || letters(flag);
        let (name, revision) = match called.operands.as_slice() {
            [name] => (name, "HEAD"),
            [name, revision] => (name, revision.as_str()),
            _ => return Ok(false),
        };
        if !called.flags.iter().all(known) {
            return Ok(false);
        }
        let there = here(name).await;
        if there.is_some() && !called.has("--force", Some('f')) {
            effects.warning(format!("It would fail: there is a tag {name}."));
            return Ok(true);
        }
        let Some(commit) = self.commit(revision).await else { return Ok(false) };
        if let Some(tag) = there {
            let (from, to) = (short(&tag), short(&commit));
            effects.effect(format!("Moves the tag {name} to {to}, here alone. It is {from} now."));
            effects.briefs.push(format!("moves {name}"));
            self.untagged(effects, name, &tag, format!("`git tag -f {name} {from}` moves it back.")).await?;
            return Ok(true);
        }
        effects.effect(format!("Makes the tag {name} at {}, here alone.", short(&commit)));
        effects.briefs.push(format!("tags {}", short(&commit)));
        effects.remedies.push(Remedy::ByHand(format!("`git tag -d {name}` deletes it.")));
        Ok(true)
    }

    /// Says which commits nothing names without a tag, and the way back.
    async fn untagged(&self, effects: &mut Effects, name: &str, tag: &str, way: String) -> Result<(), String> {
        let Some(commit) = self.commit(tag).await else {
            effects.remedies.push(Remedy::ByHand(format!("for some weeks {way}")));
            return Ok(());
        };
        let alone = self.alone(effects, &commit, None).await?;
        if alone.0 > 0 {
            let are = if alone.0 == 1 { "is" } else { "are" };
            effects.warning(format!("{} of {name} {are} on no other branch or tag.", count(alone.0, "commit")));
            self.show(effects, alone).await?;
            effects.remedies.push(Remedy::ByHand(format!("for some weeks {way}")));
        } else if commit == tag {
            effects.remedies.push(Remedy::ByHand(way));
        } else {
            // A tag with a text of its own is an object that nothing else names.
            effects.remedies.push(Remedy::ByHand(format!("for some weeks {way}")));
        }
        Ok(())
    }
}
