//! Which branch is checked out, and where a push would go: read from `HEAD` and the repository's own configuration.
//! Git isn't asked, as asking already obeys the repository.

use std::collections::BTreeMap;
use std::path::Path;

use super::{repository, small};
use crate::domain::Target;

/// Largest configuration that is read, in bytes.
const LARGEST: u64 = 256 * 1024;
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

/// The branches that a push would write, there.
pub(super) fn pushed(folder: &Path, remote: Option<String>, refspecs: &[String], all: bool) -> Vec<Target> {
    let Some((_, common)) = repository(folder) else { return Vec::new() };
    let settings = small(&common.join("config"), LARGEST).map_or_else(BTreeMap::new, |text| settings(&text));
    let setting = |key: String| settings.get(&key).cloned();
    let branch = current(folder).unwrap_or_default();
    let remote = remote
        .or_else(|| setting(format!("branch.{branch}.pushremote")))
        .or_else(|| setting("remote.pushdefault".to_owned()))
        .or_else(|| setting(format!("branch.{branch}.remote")))
        .unwrap_or_else(|| "origin".to_owned());
    let address = setting(format!("remote.{remote}.pushurl")).or_else(|| setting(format!("remote.{remote}.url")));
    let name = |text: &str| text.strip_prefix("refs/heads/").unwrap_or(text).to_owned();
    let there = |branch: Option<String>| Target::Remote {
        remote: plain(&remote),
        address: address.as_deref().map(plain),
        branch,
    };
    if all || setting(format!("remote.{remote}.mirror")).is_some_and(|mirror| mirror == "true") {
        return vec![there(None)];
    }
    if refspecs.is_empty() {
        let upstream = setting(format!("branch.{branch}.merge")).map(|merge| name(&merge));
        return vec![there(Some(upstream.unwrap_or(branch)))];
    }
    refspecs
        .iter()
        .map(|refspec| {
            let refspec = refspec.trim_start_matches('+');
            let (_, to) = refspec.split_once(':').unwrap_or((refspec, refspec));
            there(Some(if matches!(to, "HEAD" | "@") { branch.clone() } else { name(to) }))
        })
        .collect()
}

/// The settings of a repository: `section.subsection.key`, section and key in lower case. The last one counts.
fn settings(text: &str) -> BTreeMap<String, String> {
    let mut section = String::new();
    let mut settings = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            let head = head.split(']').next().unwrap_or_default();
            section = match head.split_once('"') {
                Some((name, rest)) => {
                    format!(
                        "{}.{}",
                        name.trim().to_ascii_lowercase(),
                        rest.rsplit_once('"').map_or(rest, |(name, _)| name)
                    )
                }
                None => head.trim().to_ascii_lowercase(),
            };
        } else if let Some((key, value)) = line.split_once('=')
            && !line.starts_with(['#', ';'])
        {
            let value = value.trim().trim_matches('"').to_owned();
            settings.insert(format!("{section}.{}", key.trim().to_ascii_lowercase()), value);
        }
    }
    settings
}

/// An address without the user's name and password.
fn plain(address: &str) -> String {
    match address.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
        Some((scheme, (user, host))) if !user.contains('/') => format!("{scheme}://{host}"),
        Some(_) | None => address.to_owned(),
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
            let targets = pushed(&below, remote.map(str::to_owned), &refspecs, all);
            targets.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let origin = "on origin (https://example.com/shop.git)";
        assert_eq!(told(None, &[], false), format!("main {origin}"));
        assert_eq!(told(Some("origin"), &["+HEAD"], false), format!("feature/x {origin}"));
        assert_eq!(told(Some("origin"), &["a:refs/heads/b", ":c"], false), format!("b {origin}; c {origin}"));
        assert_eq!(told(None, &[], true), format!("every branch {origin}"));
        assert_eq!(told(Some("ssh://git@host/x"), &["main"], false), "main on ssh://host/x");
        std::fs::write(git.join("HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        assert_eq!(current(&below).unwrap(), "no branch, 0123456789");
    }
}
