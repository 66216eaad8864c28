//! Files that others run later without asking: writing one is declared danger for every tool, and never done on
//! a claim alone. The entries are data in `assets/rules/run-later.toml`.

use std::sync::LazyLock;

use super::paths::List;
use super::written::Written;
use crate::domain::Place;

/// The list, parsed once.
static LIST: LazyLock<List> = LazyLock::new(|| List::parse(include_str!("../../assets/rules/run-later.toml")));

/// Who runs what a path (as spelled, or real) holds, and the entry that it matches, as in "shell start-up file
/// (`.bashrc`)".
pub fn entry(path: &str, place: &Place) -> Option<String> {
    LIST.entry(&Written::new(path, place))
}

/// The same for a pattern, or a path with parts that may become anything, where its own letters point there.
pub(super) fn may_match(pattern: &str, place: &Place) -> Option<String> {
    LIST.may_match(&Written::new(pattern, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_run_is_known() {
        let place = Place { cwd: "/work".into(), workspace: "/work".into(), home: Some("/home/ann".into()) };
        for path in [
            "package.json",
            "web/package.json",
            "Makefile",
            ".envrc",
            ".git/config",
            ".git/hooks/pre-commit",
            ".husky/pre-push",
            ".github/workflows/ci.yml",
            ".vscode/tasks.json",
            "~/.bashrc",
            "/root/.zshenv",
            "AGENTS.md",
            ".claude/settings.json",
            "/etc/cron.d/x",
            "~/.config/systemd/user/a.service",
            "~/.ssh/authorized_keys",
            "/usr/local/bin/ls",
        ] {
            assert!(entry(path, &place).is_some(), "{path}");
        }
        for path in ["src/main.rs", "notes.txt", "docs/make.md", ".gitignore", "data/package.txt", "/tmp/a"] {
            assert_eq!(entry(path, &place), None, "{path}");
        }
        assert!(may_match("pack*.json", &place).is_some() && may_match("*.txt", &place).is_none());
    }
}
