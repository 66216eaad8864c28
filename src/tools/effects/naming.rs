//! Which names of commits a command takes away, and which commits nothing names then.

use std::collections::BTreeSet;

use super::Effects;
use super::called::Called;
use super::commits::{Git, valued};
use super::switching::MOVING;
use crate::assess::{Act, Does};

/// Subcommands that take no name of a commit away but those that are told here.
const SETTLED: [&str; 15] = [
    "add",
    "branch",
    "checkout",
    "cherry-pick",
    "clean",
    "merge",
    "mv",
    "push",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
    "tag",
    "worktree",
];
/// Where names lie, and how `git rev-list` calls all of them.
const NAMES: [(&str, &str); 3] =
    [("refs/heads/", "--branches"), ("refs/remotes/", "--remotes"), ("refs/tags/", "--tags")];

impl Effects {
    /// Takes in which names all parts of a command take away, so that none promises what another takes.
    pub(super) fn dooms(&mut self, acts: &[Act]) {
        for act in acts {
            match &act.does {
                Does::Git { subcommand, words } => match Called::read(words, valued(subcommand)) {
                    Some(called) => {
                        self.doomed.extend(doomed(subcommand, &called));
                        let commits = subcommand == "commit" && !called.has("--amend", None);
                        self.unsettled |= !commits && !SETTLED.contains(&subcommand.as_str());
                    }
                    None => self.unsettled = true,
                },
                Does::Unmeasured(_) => self.unsettled = true,
                _ => {}
            }
        }
    }

    /// What stands before a sentence about what names a commit, where another part may change that.
    pub(super) fn now(&self) -> &'static str {
        if self.unsettled { "as things are now, " } else { "" }
    }
}

impl Git<'_> {
    /// How many commits no other name holds once those are gone that the command takes away, and the list of them.
    pub(super) async fn alone(
        &self,
        effects: &Effects,
        commit: &str,
        kept: Option<&str>,
    ) -> Result<(usize, Vec<String>), String> {
        let mut gone = effects.doomed.clone();
        // What leads to a name that is gone leads nowhere.
        let led = self.text(&["for-each-ref", "--format=%(symref) %(refname)"]).await?;
        let led = led.lines().filter_map(|line| line.split_once(' ')).filter(|(to, _)| gone.contains(*to));
        let led: Vec<String> = led.map(|(_, name)| name.to_owned()).collect();
        gone.extend(led);
        let mut range = vec![commit.to_owned(), "--not".to_owned()];
        range.extend(kept.map(str::to_owned));
        for (place, all) in NAMES {
            range.extend(
                gone.iter().filter_map(|name| name.strip_prefix(place)).map(|name| format!("--exclude={name}")),
            );
            range.push(all.to_owned());
        }
        let words: Vec<&str> = range.iter().map(String::as_str).collect();
        let alone = self.count(&[["rev-list", "--count"].as_slice(), &words].concat()).await?;
        Ok((alone, range))
    }

    /// Shows these commits.
    pub(super) async fn show(&self, effects: &mut Effects, (alone, range): (usize, Vec<String>)) -> Result<(), String> {
        let range: Vec<&str> = range.iter().map(String::as_str).collect();
        effects.preview.details.push(self.list(&range, alone).await?);
        Ok(())
    }
}

/// The names that one command takes away, or moves to another commit.
fn doomed(subcommand: &str, called: &Called) -> BTreeSet<String> {
    let named = || called.operands.iter().chain(&called.paths);
    let branch = |name: &String| format!("refs/heads/{name}");
    let forced = called.has("--force", Some('f'));
    let whole = |remote: &str, name: &str| format!("refs/remotes/{remote}/{}", name.trim_start_matches("refs/heads/"));
    match subcommand {
        "branch" if called.has("", Some('D')) || called.has("--delete", Some('d')) => {
            let place = if called.has("--remotes", Some('r')) { "refs/remotes" } else { "refs/heads" };
            named().map(|name| format!("{place}/{name}")).collect()
        }
        "branch" => {
            // The name that another branch gets is the last one.
            let given = called.has("--move", Some('m')) || called.has("--copy", Some('c'));
            let over = called.has("", Some('M')) || called.has("", Some('C'));
            let name = if given || over { named().last() } else { named().next() };
            name.filter(|_| forced || over).map(branch).into_iter().collect()
        }
        "tag" if called.has("--delete", Some('d')) => named().map(|name| format!("refs/tags/{name}")).collect(),
        "tag" => named().next().filter(|_| forced).map(|name| format!("refs/tags/{name}")).into_iter().collect(),
        "checkout" | "switch" => called.made(&MOVING).map(|name| format!("refs/heads/{name}")).into_iter().collect(),
        "push" => {
            let Some((remote, refspecs)) = called.operands.split_first() else { return BTreeSet::new() };
            let all = called.has("--delete", Some('d'));
            let gone = |name: &String| match name.trim_start_matches('+').strip_prefix(':') {
                Some(name) => Some(whole(remote, name)),
                None => all.then(|| whole(remote, name)),
            };
            refspecs.iter().filter_map(gone).collect()
        }
        _ => BTreeSet::new(),
    }
}
