//! Which branch is checked out, and where a push would go: read from `HEAD` and the repository's own configuration.
//! Git isn't asked, as asking already obeys the repository.

use std::path::Path;

use super::super::gitconfig;
use super::super::refspecs::{self, Push, plain};
use super::{repository, small};
use crate::domain::Target;
use crate::private::SMALL;

/// Letters of a commit that stands for a branch.
const SHORT: usize = 10;

/// The branch that is checked out, or the commit.
pub(super) fn current(folder: &Path) -> Option<String> {
    let (own, _) = repository(folder)?;
    let head = small(&own.join("HEAD"), 4_096)?;
    let head = head.trim();
    let named = head.strip_prefix("ref:").map(|name| name.trim().trim_start_matches("refs/heads/").to_owned());
    Some(named.unwrap_or_else(|| format!("no branch, {}", head.chars().take(SHORT).collect::<String>())))
}

/// The branches that a push would write, there. Where that can't be told, it may be all of them.
pub(super) fn pushed(
    folder: &Path,
    remote: Option<String>,
    refspecs: &[String],
    all: bool,
    home: Option<&Path>,
) -> Vec<Target> {
    let Some((own, common)) = repository(folder) else { return Vec::new() };
    let files = [common.join("config"), own.join("config.worktree")];
    let text: Vec<String> = files.iter().filter_map(|file| small(file, SMALL)).collect();
    let mut settings = gitconfig::of_person(home);
    for (key, values) in gitconfig::of_text(&text.join("\n")) {
        settings.entry(key).or_default().extend(values);
    }
    let branch = current(folder);
    let remote = refspecs::remote(remote, branch.as_deref(), &settings);
    let address = refspecs::address(&remote, &settings);
    let there = |branch: Option<String>| Target::Remote { remote: plain(&remote), address: address.clone(), branch };
    let push = Push { remote: &remote, refspecs, branch: branch.as_deref(), settings: &settings };
    match push.sent() {
        Ok(sent) if !all && !refspecs::mirrors(&remote, &settings) => {
            sent.into_iter().map(|sent| there(Some(sent.to))).collect()
        }
        Ok(_) | Err(_) => vec![there(None)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_goes_where_the_words_and_the_configuration_say() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        std::fs::create_dir(&git).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        let config = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://me:pw@example.com/shop.git\n\
            [branch \"feature/x\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";
        std::fs::write(git.join("config"), config).unwrap();
        let below = folder.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        assert_eq!(current(&below).unwrap(), "feature/x");
        let told = |remote: Option<&str>, refspecs: &[&str], all| {
            let refspecs: Vec<String> = refspecs.iter().map(|text| (*text).to_owned()).collect();
            let targets = pushed(&below, remote.map(str::to_owned), &refspecs, all, None);
            targets.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let origin = "on origin (https://example.com/shop.git)";
        assert_eq!(told(None, &[], false), format!("main {origin}"));
        assert_eq!(told(Some("origin"), &["+HEAD"], false), format!("feature/x {origin}"));
        assert_eq!(told(Some("origin"), &["a:refs/heads/b", ":c"], false), format!("b {origin}; c {origin}"));
        assert_eq!(told(None, &[], true), format!("every branch {origin}"));
        assert_eq!(told(Some("ssh://git@host/x"), &["main"], false), "main on ssh://host/x");
        for refspec in [":", "refs/heads/*", "+refs/heads/*:refs/heads/*"] {
            assert_eq!(told(Some("origin"), &[refspec], false), format!("every branch {origin}"), "{refspec}");
        }
        let own = |line: &str| format!("{config}[remote \"origin\"] {line}\n");
        for (config, there) in [
            (own("push = +a:main # ours\n\tpush = \"b#1\""), "main {}; b#1 {}"),
            (own("push = +refs/heads/*:refs/heads/*"), "every branch {}"),
            (own("mirror"), "every branch {}"),
            (format!("{config}[push]\n\tdefault = matching\n"), "every branch {}"),
            (format!("{config}[remote]\n\tpushDefault = other\n"), "feature/x on other"),
            (
                format!("{config}[url \"ssh://git@b/\"]\n\tpushInsteadOf = https://me:pw@example.com/\n"),
                "main on origin (ssh://b/shop.git)",
            ),
        ] {
            std::fs::write(git.join("config"), &config).unwrap();
            assert_eq!(told(None, &[], false), there.replace("{}", origin), "{config}");
        }
        std::fs::write(git.join("config"), config).unwrap();
        std::fs::write(git.join("HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        assert_eq!(current(&below).unwrap(), "no branch, 0123456789");
    }
}
