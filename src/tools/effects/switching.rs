//! What leaving what is checked out for a branch or a commit does: the branch that is made, the commits that nothing
//! names once they are left, and the way back.

use super::Effects;
use super::called::Called;
use super::commits::{Git, short};
use crate::domain::Remedy;
use crate::domain::number::count;

/// Flags that put a branch elsewhere, if there is one of that name.
pub(super) const MOVING: [&str; 3] = ["-B", "-C", "--force-create"];

impl Git<'_> {
    /// The command that goes back to what is checked out now. None before the first commit.
    pub(super) async fn way_back(&self) -> Option<String> {
        let now = self.commit("HEAD").await?;
        Some(match self.branch_name().await {
            Some(branch) => format!("`git switch {branch}`"),
            None => format!("`git switch --detach {}`", short(&now)),
        })
    }

    /// Says which commits are left without a name where no branch is checked out, and, unless that is told already, how
    /// it goes back.
    pub(super) async fn left(&self, effects: &mut Effects, commit: Option<&str>, returns: bool) -> Result<(), String> {
        let Some(way) = self.way_back().await else { return Ok(()) };
        let detached = if self.branch_name().await.is_none() { self.commit("HEAD").await } else { None };
        let mut only = 0;
        if let Some(now) = &detached {
            let others = ["--not", "--branches", "--remotes", "--tags"].into_iter().chain(commit);
            let range: Vec<&str> = std::iter::once(now.as_str()).chain(others).collect();
            only = self.count(&[["rev-list", "--count"].as_slice(), &range].concat()).await?;
            if only > 0 {
                let (are, left) = if only == 1 { ("is", "it is") } else { ("are", "they are") };
                let commits = count(only, "commit");
                effects.warning(format!(
                    "No branch is checked out, and {commits} {are} on no branch or tag: {left} left behind without a name."
                ));
                effects.briefs.push(format!("leaves {commits}"));
                effects.preview.details.push(self.list(&range, only).await?);
            }
        }
        match detached.filter(|_| only > 0) {
            Some(now) => effects.remedies.push(Remedy::ByHand(format!(
                "for some weeks `git branch NAME {}` gives what is left a name.",
                short(&now)
            ))),
            None if returns => effects.remedies.push(Remedy::ByHand(format!("{way} goes back."))),
            None => {}
        }
        Ok(())
    }

    /// A branch that is made, or moved, and switched to.
    pub(super) async fn made(
        &self,
        effects: &mut Effects,
        name: &str,
        commit: Option<&str>,
        called: &Called,
    ) -> Result<(), String> {
        let Some(now) = self.commit(&format!("refs/heads/{name}")).await else {
            effects.effect(format!("Makes the branch {name} and switches to it."));
            // Behind an orphan, files may be staged that stand in the way back.
            let way = self.way_back().await.filter(|_| !called.has("--orphan", None));
            let then = |way| Remedy::ByHand(format!("{way} goes back, and `git branch -D {name}` deletes it then."));
            effects.remedies.push(way.map_or(Remedy::Unknown, then));
            return Ok(());
        };
        if called.made(&MOVING).is_none() {
            effects.warning(format!("It would fail: there is a branch {name} already."));
            return Ok(());
        }
        let commit = commit.ok_or_else(|| format!("where it moves the branch {name}"))?;
        effects.effect(format!(
            "Moves the branch {name} from {} to {} and switches to it.",
            short(&now),
            short(commit)
        ));
        let alone = self.alone(effects, &now, Some(commit)).await?;
        if alone.0 > 0 {
            let are = if alone.0 == 1 { "is" } else { "are" };
            let commits = count(alone.0, "commit");
            effects.warning(format!("{commits} of {name} {are} on no other branch or tag."));
            effects.briefs.push(format!("drops {commits}"));
            self.show(effects, alone).await?;
        }
        // It is checked out then, and git moves no such branch by name.
        effects.remedies.push(Remedy::ByHand(format!("`git reset --keep {}` moves it back.", short(&now))));
        Ok(())
    }
}
