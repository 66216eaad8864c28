//! What counts as production: patterns on the names of what an operation would hit, and protected branches. It raises
//! no level and decides nothing by itself; the badge says it, and a turn's approval never covers it.

use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};

use crate::domain::{PRODUCTION, PROTECTED, Target};

/// What the configuration says of production.
#[derive(Clone, Debug)]
pub struct Production {
    patterns: Arc<[Pattern]>,
    branches: Arc<[Pattern]>,
}

impl Default for Production {
    fn default() -> Self {
        Self::with(PRODUCTION, PROTECTED)
    }
}

/// A pattern: a word that a name may hold, or a glob over the whole name. Case doesn't matter.
#[derive(Clone, Debug)]
struct Pattern {
    written: String,
    matcher: Option<GlobMatcher>,
}

impl Pattern {
    fn glob(written: &str) -> Option<GlobMatcher> {
        let glob = GlobBuilder::new(written).case_insensitive(true).backslash_escape(false).build();
        glob.ok().map(|glob| glob.compile_matcher())
    }

    /// Letters and digits alone are a word; anything else stands for a whole name.
    fn of(written: &str) -> Self {
        let word = written.chars().all(char::is_alphanumeric);
        Self { written: written.to_owned(), matcher: if word { None } else { Self::glob(written) } }
    }

    /// A pattern that stands for a whole name, whatever it is made of.
    fn whole(written: &str) -> Self {
        Self { written: written.to_owned(), matcher: Self::glob(written) }
    }

    fn matches(&self, name: &str) -> bool {
        match &self.matcher {
            Some(matcher) => matcher.is_match(name),
            None => name.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(&self.written)),
        }
    }
}

impl Production {
    /// Patterns on names, and on branches. One that can't be read matches nothing: the configuration refuses it.
    pub fn with<P: AsRef<str>, B: AsRef<str>>(
        patterns: impl IntoIterator<Item = P>,
        branches: impl IntoIterator<Item = B>,
    ) -> Self {
        let patterns = patterns.into_iter().map(|pattern| Pattern::of(pattern.as_ref())).collect();
        let branches = branches.into_iter().map(|branch| Pattern::whole(branch.as_ref())).collect();
        Self { patterns, branches }
    }

    /// Why these targets are production: what names it and which pattern says so. Empty if they aren't.
    #[must_use]
    pub fn told(&self, targets: &[Target]) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for target in targets {
            let named = target.names().into_iter().filter_map(|(sort, name)| {
                let pattern = self.patterns.iter().find(|pattern| pattern.matches(name))?;
                Some(format!("the {sort} {name} matches `{}`", pattern.written))
            });
            for said in named.chain(self.protected(target)) {
                if !told.contains(&said) {
                    told.push(said);
                }
            }
        }
        told
    }

    /// Whether a protected branch is rewritten here, or written there.
    fn protected(&self, target: &Target) -> Option<String> {
        let branch = match target {
            Target::Branch { name, rewrites: true } => name,
            Target::Remote { branch: Some(branch), .. } => branch,
            Target::Remote { branch: None, .. } if !self.branches.is_empty() => {
                return Some("it writes every branch there, protected ones too".to_owned());
            }
            Target::Branch { rewrites: false, .. }
            | Target::Remote { branch: None, .. }
            | Target::Database { .. }
            | Target::Host { .. }
            | Target::Cluster { .. }
            | Target::Docker { .. }
            | Target::Terraform { .. }
            | Target::Server { .. }
            | Target::Account { .. } => return None,
        };
        let pattern = self.branches.iter().find(|pattern| pattern.matches(branch))?;
        let as_said = if pattern.written == *branch { String::new() } else { format!(" by `{}`", pattern.written) };
        Some(format!("the branch {branch} is protected{as_said}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> Target {
        Target::Host { name: name.to_owned(), port: None, database: None }
    }

    #[test]
    fn a_word_is_found_within_a_name_and_a_glob_is_the_whole_name() {
        let usual = Production::default();
        for name in ["prod", "PROD", "shop-prod", "db.prod.example.com", "prod_eu", "live.example.com"] {
            assert_eq!(usual.told(&[host(name)]).len(), 1, "{name}");
        }
        for name in ["product.example.com", "reproduce", "staging", "livestream.example.com", "delivery"] {
            assert!(usual.told(&[host(name)]).is_empty(), "{name}");
        }
        let own = Production::with(["*.prod.example.com", "db?"], ["main"]);
        for (name, production) in [
            ("a.prod.example.com", true),
            ("A.PROD.example.com", true),
            ("prod.example.com", false),
            ("a.prod.example.com.evil.test", false),
            ("db1", true),
            ("db", false),
            ("prod", false),
        ] {
            assert_eq!(!own.told(&[host(name)]).is_empty(), production, "{name}");
        }
    }

    #[test]
    fn a_protected_branch_counts_where_it_is_pushed_to_or_rewritten() {
        let usual = Production::default();
        let here = |name: &str, rewrites| Target::Branch { name: name.to_owned(), rewrites };
        let there = |branch: Option<&str>| Target::Remote {
            remote: "origin".to_owned(),
            address: None,
            branch: branch.map(str::to_owned),
        };
        for (target, production) in [
            (here("main", true), true),
            (here("main", false), false),
            (here("maintenance", true), false),
            (here("feature/prod", true), false),
            (there(Some("release/1.2")), true),
            (there(Some("releases")), false),
            (there(Some("feature")), false),
            (there(None), true),
        ] {
            assert_eq!(!usual.told(std::slice::from_ref(&target)).is_empty(), production, "{target}");
        }
        assert!(Production::with::<&str, &str>([], []).told(&[there(None), here("main", true)]).is_empty());
    }

    #[test]
    fn it_says_what_matches_what() {
        let database = Target::Database {
            connection: "shop".to_owned(),
            engine: None,
            database: Some("orders".to_owned()),
            host: Some("db.prod.example.com:5433".to_owned()),
            place: None,
        };
        assert_eq!(Production::default().told(&[database]), ["the host db.prod.example.com matches `prod`"]);
    }
}
