//! What `git branch` makes, moves, renames or copies, and what such a branch stood at before.

use super::Effects;
use super::called::Called;
use super::commits::{Git, short};
use crate::domain::Remedy;
use crate::domain::number::count;

/// Flags that change nothing of what is told here, beside the letters of [`LETTERS`].
const KNOWN: [&str; 8] =
    ["--quiet", "--no-track", "--track", "--force", "--move", "--copy", "--create-reflog", "--no-quiet"];
/// The letters of such flags.
const LETTERS: &str = "qtfmMcC";

impl Git<'_> {
    /// False if it is another use of `branch`.
    pub(super) async fn branch_made(&self, effects: &mut Effects, called: &Called) -> Result<bool, String> {
        let known = |flag: &String| match flag.strip_prefix("--") {
            Some(_) => KNOWN.contains(&flag.split('=').next().unwrap_or(flag)),
            None => flag.chars().skip(1).all(|letter| LETTERS.contains(letter)),
        };
        if called.operands.is_empty() || !called.paths.is_empty() || !called.flags.iter().all(known) {
            return Ok(false);
        }
        let renames = called.has("--move", Some('m')) || called.has("", Some('M'));
        let copies = called.has("--copy", Some('c')) || called.has("", Some('C'));
        let forced = called.has("--force", Some('f')) || called.has("", Some('M')) || called.has("", Some('C'));
        if !renames && !copies {
            return self.branch_placed(effects, &called.operands, forced).await;
        }
        let current = self.branch_name().await;
        let (old, new) = match (called.operands.as_slice(), &current) {
            ([new], Some(current)) => (current, new),
            ([old, new], _) => (old, new),
            _ => return Ok(false),
        };
        if old.contains("@{") || old == "-" || self.commit("HEAD").await.is_none() {
            return Ok(false);
        }
        let Some(_) = self.commit(&format!("refs/heads/{old}")).await else {
            effects.warning(format!("It would fail: there is no branch {old}."));
            return Ok(true);
        };
        if old == new {
            effects.effect(format!("Does nothing: {old} has that name."));
            return Ok(true);
        }
        let there = self.commit(&format!("refs/heads/{new}")).await;
        if there.is_some() && self.stays(effects, new, forced).await? {
            return Ok(true);
        }
        let (says, way) = if renames {
            (format!("Gives the branch {old} the name {new}"), format!("`git branch -m {new} {old}` takes that back"))
        } else {
            (format!("Makes the branch {new}, a copy of {old}"), format!("`git branch -D {new}` deletes it"))
        };
        let Some(there) = there else {
            effects.effect(format!("{says}."));
            effects.briefs.push(new.clone());
            effects.remedies.push(Remedy::ByHand(format!("{way}.")));
            return Ok(true);
        };
        let at = short(&there);
        effects.effect(format!("{says}, in the place of the branch {new}, which stands at {at}."));
        let again = if renames {
            format!("{way}, and `git branch {new} {at}` makes the other again.")
        } else {
            format!("`git branch -f {new} {at}` puts it back there.")
        };
        self.dropped(effects, (new, &there), None, again).await?;
        Ok(true)
    }

    /// A branch that is made, or with force put elsewhere.
    async fn branch_placed(&self, effects: &mut Effects, operands: &[String], forced: bool) -> Result<bool, String> {
        let (name, revision) = match operands {
            [name] => (name, "HEAD"),
            [name, revision] => (name, revision.as_str()),
            _ => return Ok(false),
        };
        let Some(commit) = self.commit(revision).await else {
            effects.warning(format!("It would fail: `{revision}` names no commit here."));
            return Ok(true);
        };
        let to = short(&commit);
        let Some(now) = self.commit(&format!("refs/heads/{name}")).await else {
            effects.effect(format!("Makes the branch {name} at {to}."));
            effects.briefs.push(format!("new branch {name}"));
            effects.remedies.push(Remedy::ByHand(format!("`git branch -D {name}` deletes it.")));
            return Ok(true);
        };
        if self.stays(effects, name, forced).await? {
            return Ok(true);
        }
        if now == commit {
            effects.effect(format!("Does nothing: {name} stands at {to} already."));
            return Ok(true);
        }
        let from = short(&now);
        effects.effect(format!("Moves the branch {name} from {from} to {to}."));
        let way = format!("`git branch -f {name} {from}` moves it back.");
        self.dropped(effects, (name, &now), Some(&commit), way).await?;
        Ok(true)
    }

    /// Whether git refuses to put a branch that is there elsewhere, and says so.
    async fn stays(&self, effects: &mut Effects, name: &str, forced: bool) -> Result<bool, String> {
        if !forced {
            effects.warning(format!("It would fail: there is a branch {name} already."));
            return Ok(true);
        }
        let out = self.checked_out(name).await?;
        if let Some(out) = &out {
            effects.warning(format!("It would fail: {out}."));
        }
        Ok(out.is_some())
    }

    /// That a branch is checked out, and where, as a sentence without its end.
    pub(super) async fn checked_out(&self, name: &str) -> Result<Option<String>, String> {
        if self.branch_name().await.as_deref() == Some(name) {
            return Ok(Some(format!("{name} is checked out")));
        }
        let reference = format!("refs/heads/{name}");
        let place = self.text(&["for-each-ref", "--format=%(worktreepath)", "--", &reference]).await?;
        Ok((!place.is_empty()).then(|| format!("{name} is checked out in {place}")))
    }

    /// Says which commits nothing names once a name of them stands elsewhere, and the way back.
    pub(super) async fn dropped(
        &self,
        effects: &mut Effects,
        (name, at): (&str, &str),
        kept: Option<&str>,
        way: String,
    ) -> Result<(), String> {
        let alone = self.alone(effects, at, kept).await?;
        if alone.0 == 0 {
            effects.remedies.push(Remedy::ByHand(way));
            effects.briefs.push(format!("moves {name}"));
            return Ok(());
        }
        let are = if alone.0 == 1 { "is" } else { "are" };
        let commits = count(alone.0, "commit");
        effects.warning(format!("{commits} of {name} {are} on no other branch or tag."));
        effects.briefs.push(format!("drops {commits}"));
        effects.remedies.push(Remedy::ByHand(format!("for some weeks {way}")));
        self.show(effects, alone).await
    }
}
