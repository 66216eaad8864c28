//! The environment of children: what is harmless of ours, nothing that is a key, and a git that runs nothing
//! of its repository's choosing when nobody was asked. Pure; called by `children.rs`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::contain::ATTRIBUTES;

/// Names that pass as they are. Anything else of ours stays with us: keys, tokens, proxies with passwords,
/// `BASH_ENV`, `BASH_FUNC_*`, `LD_*`.
const PASSED: [&str; 43] = [
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "ANDROID_HOME",
    "BUN_INSTALL",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CONDA_PREFIX",
    "DENO_DIR",
    "DOTNET_ROOT",
    "GEM_HOME",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GRADLE_USER_HOME",
    "HOMEBREW_PREFIX",
    "JAVA_HOME",
    "MAVEN_HOME",
    "NVM_BIN",
    "NVM_DIR",
    "PNPM_HOME",
    "POETRY_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
    "NIX_PROFILES",
];

/// For every child: no pager, no question, no lock taken for a mere look.
const FIXED: [(&str, &str); 6] = [
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("SYSTEMD_PAGER", "cat"),
];

/// What a terminal of ours understands.
const TERMINAL: &str = "xterm-256color";

/// For children that nobody was asked about: variables that keep git from running other programs, and psql from
/// writing. The empty tree as source of attributes switches off filters, textconv and diff drivers.
const UNASKED: [(&str, &str); 13] = [
    // Go would fetch and become the toolchain that a workspace names.
    ("GOTOOLCHAIN", "local"),
    ("GIT_ATTR_SOURCE", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("PGOPTIONS", "-c default_transaction_read_only=on"),
];

/// Settings that outrank the repository's own. Where there are no walls there are no attributes either.
const GIT_SETTINGS: [(&str, &str); 21] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.attributesFile", ATTRIBUTES),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.sshCommand", "false"),
    ("core.askPass", "false"),
    ("core.alternateRefsCommand", "false"),
    ("credential.helper", ""),
    ("submodule.recurse", "false"),
    ("diff.ignoreSubmodules", "dirty"),
    ("status.submoduleSummary", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("log.showSignature", "false"),
    ("protocol.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("interactive.diffFilter", "cat"),
];

/// For children whose changes land in a layer. Walls keep what they run from harm, so git obeys its repository; but what
/// it and npm would read at home is hidden, which both take for a failure, caches at home can't be written, and compiled
/// Python beside the sources would be a change of every run.
const STAGED: [(&str, &str); 6] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("NPM_CONFIG_USERCONFIG", "/dev/null"),
    ("GOCACHE", "/tmp/go-build"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// What leads a run to the proxy in its network.
const BY_PROXY: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
/// The same for plain http, which is a way out for looks alone.
const PLAINLY: &str = "http_proxy";

/// The same where walls show a file from another disk, or a decoy of it: what git remembers of a file is compared by
/// size and time alone.
const GIT_BEHIND_WALLS: [(&str, &str); 2] = [("core.checkStat", "minimal"), ("core.trustctime", "false")];

/// Whether somebody decided about a run, or the program alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A person, or what a person set up, allowed it.
    Yes,
    /// The same, and a person sits at its terminal.
    Terminal,
    /// It runs unasked, as it only reads.
    No,
    /// It runs unasked, and what it changes lands in a layer.
    Staged,
}

/// The environment of a child, from ours.
pub(super) fn of_child(
    ours: impl Iterator<Item = (OsString, OsString)>,
    asked: Asked,
    walls: bool,
) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<_> = ours.filter_map(|(name, value)| passed(name, value, asked)).collect();
    let mut set = |name: &str, value: &str| environment.push((name.into(), value.into()));
    if asked == Asked::Terminal {
        // Pagers, questions and colours are what it is for.
        set("TERM", TERMINAL);
    } else {
        for (name, value) in FIXED {
            set(name, value);
        }
    }
    if asked == Asked::No {
        for (name, value) in UNASKED {
            set(name, value);
        }
    }
    if asked == Asked::Staged {
        for (name, value) in STAGED {
            set(name, value);
        }
    }
    let unasked: &[_] = match asked {
        Asked::No => &GIT_SETTINGS,
        Asked::Staged => &[("core.attributesFile", ATTRIBUTES)],
        Asked::Yes | Asked::Terminal => &[],
    };
    let settings = unasked.iter().chain(if walls { &GIT_BEHIND_WALLS[..] } else { &[] });
    let mut count = 0;
    for (name, value) in settings {
        set(&format!("GIT_CONFIG_KEY_{count}"), name);
        set(&format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    if count > 0 {
        set("GIT_CONFIG_COUNT", &count.to_string());
    }
    environment
}

/// What is added where there is a proxy, one that knows `plain` http too or not.
pub(super) fn by_proxy(plain: bool) -> impl Iterator<Item = (&'static str, String)> {
    BY_PROXY
        .into_iter()
        .chain(plain.then_some(PLAINLY))
        .map(|name| (name, format!("http://127.0.0.1:{}", crate::contain::PROXY)))
}

/// One of our variables as a child gets it, if it gets it. A person's own run may use the agent that holds
/// their ssh keys (`git push`); what runs unasked may not.
fn passed(name: OsString, value: OsString, asked: Asked) -> Option<(OsString, OsString)> {
    let text = name.to_str()?;
    match text {
        "PATH" => Some((name, search_path(&value))),
        "SSH_AUTH_SOCK" if matches!(asked, Asked::Yes | Asked::Terminal) => Some((name, value)),
        _ if PASSED.contains(&text) || text.starts_with("LC_") => Some((name, value)),
        _ => None,
    }
}

/// The folders of `PATH` that say where they are: relative ones would be the workspace's.
#[must_use]
pub fn search_path(path: &OsStr) -> OsString {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        // The second time finds nothing that the first didn't.
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    std::env::join_paths(folders).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(ours: &[(&str, &str)], asked: Asked) -> Vec<(String, String)> {
        let ours = ours.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let text = |text: OsString| text.into_string().unwrap();
        of_child(ours, asked, false).into_iter().map(|(name, value)| (text(name), text(value))).collect()
    }

    #[test]
    fn only_harmless_variables_pass() {
        let ours = [
            ("OPENAI_API_KEY", "k"),
            ("AWS_SECRET_ACCESS_KEY", "k"),
            ("GITHUB_TOKEN", "k"),
            ("BASH_ENV", "/x"),
            ("BASH_FUNC_ls%%", "() { :; }"),
            ("LD_PRELOAD", "/x"),
            ("GIT_DIR", "/x"),
            ("HTTPS_PROXY", "http://me:secret@proxy"),
            ("LC_ALL", "C"),
            ("HOME", "/home/me"),
        ];
        let names: Vec<_> = child(&ours, Asked::Yes).into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"LC_ALL".to_owned()) && names.contains(&"HOME".to_owned()));
        assert_eq!(names.len(), 2 + FIXED.len(), "{names:?}");
    }

    #[test]
    fn the_ssh_agent_is_for_runs_that_somebody_allowed() {
        let ours = [("SSH_AUTH_SOCK", "/run/agent")];
        assert!(child(&ours, Asked::Yes).iter().any(|(name, _)| name == "SSH_AUTH_SOCK"));
        assert!(!child(&ours, Asked::No).iter().any(|(name, _)| name == "SSH_AUTH_SOCK"));
    }

    #[test]
    fn a_run_in_a_terminal_may_ask_and_page() {
        let of = child(&[("HOME", "/home/me"), ("GITHUB_TOKEN", "k"), ("TERM", "xterm-kitty")], Asked::Terminal);
        let names = |name: &str| of.iter().filter(|(known, _)| known == name).count();
        assert_eq!((names("TERM"), names("PAGER"), names("GIT_TERMINAL_PROMPT"), names("GITHUB_TOKEN")), (1, 0, 0, 0));
        assert!(of.contains(&("TERM".to_owned(), TERMINAL.to_owned())));
    }

    #[test]
    fn a_staged_run_reads_nothing_that_is_hidden_at_home_and_obeys_its_repository() {
        let of = child(&[("SSH_AUTH_SOCK", "/run/agent")], Asked::Staged);
        let names: Vec<&str> = of.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.contains(&"NPM_CONFIG_USERCONFIG") && !names.contains(&"SSH_AUTH_SOCK"));
        let said: Vec<&str> =
            of.iter().filter(|(name, _)| name.starts_with("GIT_CONFIG_KEY")).map(|(_, key)| key.as_str()).collect();
        assert_eq!(said, ["core.attributesFile"], "but for what hides committed files");
    }

    #[test]
    fn what_runs_unasked_reads_a_postgres_server_and_writes_none() {
        let read_only = ("PGOPTIONS".to_owned(), "-c default_transaction_read_only=on".to_owned());
        let theirs = [("PGOPTIONS", "-c default_transaction_read_only=off")];
        assert_eq!(
            child(&theirs, Asked::No).iter().filter(|(name, _)| name == "PGOPTIONS").collect::<Vec<_>>(),
            [&read_only]
        );
        assert!(!child(&theirs, Asked::Yes).iter().any(|(name, _)| name == "PGOPTIONS"));
    }

    #[test]
    fn what_git_is_told_of_settings_that_are_ours_is_not_taken_for_the_persons() {
        let unknown = |(name, _): &&(&str, &str)| !crate::assess::SET_FOR_GIT.contains(name);
        assert_eq!(GIT_SETTINGS.iter().find(unknown), None);
    }

    #[test]
    fn relative_folders_leave_the_path() {
        let path = child(&[("PATH", "/usr/bin::.:bin:/bin")], Asked::No);
        assert_eq!(path[0].1, "/usr/bin:/bin");
    }
}
