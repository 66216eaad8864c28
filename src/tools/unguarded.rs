//! What steers a run that isn't ours. Around our own we clear the environment and overrule what git would obey; where
//! another program runs a command, its variables, the person's own git configuration, hooks and submodules count, and
//! what isn't known to be harmless makes git's reading commands ask.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::repository;
use crate::assess::Mentions;
use crate::domain::{RepositoryFact, Shell};
use crate::private::{self, SMALL};

/// Sections of a person's own configuration that reading commands don't obey, or only to show things. From
/// git-config(1).
const SECTIONS: [&str; 37] = [
    "advice",
    "alias",
    "apply",
    "branch",
    "browser",
    "clone",
    "color",
    "column",
    "commit",
    "credential",
    "delta",
    "difftool",
    "feature",
    "fetch",
    "gc",
    "github",
    "gpg",
    "grep",
    "gui",
    "help",
    "http",
    "i18n",
    "init",
    "interactive",
    "merge",
    "mergetool",
    "pager",
    "pull",
    "push",
    "rebase",
    "rerere",
    "safe",
    "sendemail",
    "tag",
    "url",
    "user",
    "versionsort",
];

/// Single keys that are harmless in a person's own configuration.
const KEYS: [&str; 30] = [
    "core.askpass",
    "core.commentchar",
    "core.deltabasecachelimit",
    "core.editor",
    "core.excludesfile",
    "core.pager",
    "core.preloadindex",
    "core.attributesfile",
    "diff.algorithm",
    "diff.colormoved",
    "diff.colormovedws",
    "diff.context",
    "diff.guitool",
    "diff.indentheuristic",
    "diff.interhunkcontext",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "diff.relative",
    "diff.renamelimit",
    "diff.renames",
    "diff.suppressblankempty",
    "diff.tool",
    "diff.wserrorhighlight",
    "log.abbrevcommit",
    "log.date",
    "log.decorate",
    "log.follow",
    "status.short",
    "status.branch",
    "status.showuntrackedfiles",
];

/// Keys of a repository's own configuration that are harmless only where our guards stand around git: it would fetch
/// what is missing, or look into other repositories.
const ONLY_GUARDED: [&str; 10] = [
    "core.hookspath",
    "core.pager",
    "credential.helper",
    "credential.*.helper",
    "remote.*.promisor",
    "remote.*.partialclonefilter",
    "extensions.partialclone",
    "submodule.*.url",
    "submodule.*.active",
    "submodule.active",
];

/// Hooks that reading commands run.
const HOOKS: [&str; 2] = ["post-index-change", "reference-transaction"];

/// Variables of git's that reading commands don't obey, or only to show things.
const VARIABLES: [&str; 10] = [
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_MERGE_AUTOEDIT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_PAGER",
    "GIT_PAGER_IN_USE",
    "GIT_PS1_SHOWDIRTYSTATE",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_TERMINAL_PROMPT",
];

/// Where the configuration of the whole machine may be.
const SYSTEM: [&str; 3] = ["/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];

/// How many files deep one configuration may include another.
const DEPTH: usize = 5;
/// Largest index that is looked through for submodules.
const INDEX: u64 = 64 * 1024 * 1024;
/// The mode of a submodule, with the two empty bytes before it, as an index has it.
const SUBMODULE: [u8; 4] = [0, 0, 0xe0, 0];

/// What steers the runs of another program that was started as we were.
#[derive(Clone, Debug, Default)]
pub struct Unguarded {
    /// A variable that git would obey.
    variable: Option<String>,
    /// A folder of `PATH` that isn't named from the root.
    relative: bool,
    /// `rg` obeys a file of flags, which may make it read or run anything.
    configured: bool,
    /// The person's shell.
    shell: Shell,
    /// The person's own configuration of git, and the machine's.
    files: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl Unguarded {
    /// From an environment, which is the other program's as far as we can see.
    #[must_use]
    pub fn of(environment: impl Iterator<Item = (OsString, OsString)>, home: Option<&Path>) -> Self {
        let mut unguarded = Self { home: home.map(Path::to_path_buf), ..Self::default() };
        let mut files = home.map(|home| home.join(".config/git/config"));
        let mut system = true;
        for (name, value) in environment {
            let Some(name) = name.to_str() else { continue };
            match name {
                "SHELL" => unguarded.shell = value.to_str().map_or(Shell::Foreign, shell),
                "PATH" => unguarded.relative = std::env::split_paths(&value).any(|folder| !folder.is_absolute()),
                "RIPGREP_CONFIG_PATH" => unguarded.configured = !value.is_empty(),
                "XDG_CONFIG_HOME" if !value.is_empty() => files = Some(PathBuf::from(value).join("git/config")),
                // git(1): with it the machine's configuration isn't read.
                "GIT_CONFIG_NOSYSTEM" => system = !matches!(value.to_str(), Some("1" | "true" | "yes" | "on")),
                _ if name.starts_with("GIT_") && !harmless(name) => {
                    unguarded.variable = unguarded.variable.min(Some(name.to_owned())).or(Some(name.to_owned()));
                }
                _ => {}
            }
        }
        unguarded.files = SYSTEM.iter().filter(|_| system).map(PathBuf::from).chain(files).collect();
        unguarded.files.extend(home.map(|home| home.join(".gitconfig")));
        unguarded
    }

    /// The shell that commands may run in.
    pub(super) fn shell(&self) -> Shell {
        self.shell
    }

    /// Why nothing that it names can be told here: the end of a sentence.
    pub(super) fn trouble(&self, mentions: &Mentions) -> Option<String> {
        let searches = |name: &String| name == "rg" || name.ends_with("/rg");
        if self.configured && mentions.programs.iter().any(searches) {
            return Some("RIPGREP_CONFIG_PATH is set, so `rg` takes more flags than stand here".to_owned());
        }
        let by_name = mentions.programs.iter().any(|name| !name.contains('/'));
        (self.relative && by_name).then(|| {
            "the PATH has a folder that isn't named from the root, so a program may be any of the folder's".to_owned()
        })
    }

    /// Adds what git would obey in a folder of the repository that it finds there, if it finds one.
    pub(super) fn add(&self, folder: &Path, fact: &mut Option<RepositoryFact>) {
        let mut found: Vec<String> = self.variable.iter().map(|name| format!("the variable {name} is set")).collect();
        for file in &self.files {
            self.own(file, 0, &mut found);
        }
        if fact.is_some() {
            in_repository(folder, &mut found);
        }
        if !found.is_empty() {
            fact.get_or_insert_default().unguarded = found;
        }
    }

    /// What one file of the person's own sets, and those that it includes.
    fn own(&self, file: &Path, depth: usize, found: &mut Vec<String>) {
        let unreadable = || format!("{} can't be read", file.display());
        let text = match private::read_if_there(file, SMALL) {
            Ok(None) => return,
            Ok(Some(text)) if depth <= DEPTH => text,
            Ok(Some(_)) | Err(_) => return found.push(unreadable()),
        };
        for (key, value) in repository::entries(&text) {
            if key == "include.path" || key == "includeif.*.path" {
                match self.included(file, &value) {
                    Some(included) => self.own(&included, depth + 1, found),
                    None => found.push(format!("{} includes what can't be told", file.display())),
                }
            } else if !(own_allowed(&key) || key == "core.fsmonitor" && value == "false") {
                found.push(format!("{} sets `{key}`", file.display()));
            }
        }
    }

    /// The file that an `include` means.
    fn included(&self, from: &Path, value: &str) -> Option<PathBuf> {
        let plain = value.trim_matches('"');
        if plain.is_empty() || plain.contains(['"', '\\', '%', '#', ';']) {
            return None;
        }
        match plain.strip_prefix("~/") {
            Some(rest) => Some(self.home.as_ref()?.join(rest)),
            None if plain.starts_with('~') => None,
            None => Some(from.parent()?.join(plain)),
        }
    }
}

/// A shell by its path. Who needs one that reads as POSIX says takes bash or zsh where the person's is of another kind;
/// not everybody does.
fn shell(path: &str) -> Shell {
    match path.rsplit('/').next().unwrap_or(path) {
        "" => Shell::Bash,
        name if name.starts_with("bash") => Shell::Bash,
        name if name.contains("ksh") || matches!(name, "sh" | "dash" | "ash" | "yash" | "busybox") => Shell::Other,
        name if name.contains("zsh") => Shell::Zsh,
        _ => Shell::Foreign,
    }
}

/// Whether reading commands don't obey a key of the person's own.
fn own_allowed(key: &str) -> bool {
    let section = key.split_once('.').map_or(key, |(section, _)| section);
    SECTIONS.contains(&section) || KEYS.contains(&key) || repository::allowed(key) && !ONLY_GUARDED.contains(&key)
}

fn harmless(variable: &str) -> bool {
    let said = ["GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_PS1_"].iter().any(|start| variable.starts_with(start));
    said || VARIABLES.contains(&variable)
}

/// What git would obey in a repository beside the keys that are looked at for our own runs.
fn in_repository(folder: &Path, found: &mut Vec<String>) {
    let Some(top) = folder.ancestors().find(|up| up.join(".git").symlink_metadata().is_ok()) else {
        // Bare: nothing is checked out, so nothing is compared and no submodule is there.
        return;
    };
    let git = top.join(".git");
    let own = repository::pointed(&git).unwrap_or(git);
    let common = repository::common(&own);
    for hook in HOOKS {
        if common.join("hooks").join(hook).symlink_metadata().is_ok() {
            found.push(format!("the repository has a hook `{hook}`, which reading commands run"));
        }
    }
    let text = private::read_if_there(&common.join("config"), SMALL).map(Option::unwrap_or_default);
    let text = text.unwrap_or_else(|_| {
        found.push("the repository's configuration can't be read".to_owned());
        String::new()
    });
    let key =
        repository::entries(&text).into_iter().map(|(key, _)| key).find(|key| ONLY_GUARDED.contains(&key.as_str()));
    if let Some(key) = key {
        found.push(format!("the repository's configuration sets `{key}`"));
    } else if top.join(".gitmodules").symlink_metadata().is_ok() || has_submodules(&own) {
        found.push("the repository has submodules, whose configurations git obeys".to_owned());
    }
}

/// Whether an index names a submodule, or can't be looked through.
fn has_submodules(own: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(own) else { return true };
    let indices = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        name == "index" || name.as_encoded_bytes().starts_with(b"sharedindex.")
    });
    indices.map(|entry| entry.path()).any(|file| {
        private::read(&file, INDEX).map_or(true, |bytes| memchr::memmem::find(&bytes, &SUBMODULE).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(folder: &Path, words: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"])
            .args(words)
            .current_dir(folder)
            .env("HOME", folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(status.status.success(), "{words:?}: {}", String::from_utf8_lossy(&status.stderr));
    }

    /// What git would obey in a folder, of a person with this home and these variables.
    fn obeyed(folder: &Path, home: &Path, variables: &[(&str, &str)]) -> Vec<String> {
        let environment = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let mut unguarded = Unguarded::of(environment, Some(home));
        unguarded.files.retain(|file| file.starts_with(home));
        let mut fact = repository::look(folder);
        unguarded.add(folder, &mut fact);
        fact.unwrap_or_default().unguarded
    }

    #[test]
    fn an_ordinary_person_in_an_ordinary_repository_steers_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (home, work) = (folder.path().join("home"), folder.path().join("work"));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(&work).unwrap();
        git(&work, &["init", "-q"]);
        std::fs::write(work.join("a"), "a").unwrap();
        git(&work, &["add", "a"]);
        git(&work, &["commit", "-q", "-m", "a"]);
        std::fs::write(
            home.join(".gitconfig"),
            "[user]\n name = A\n[alias]\n st = status\n[core]\n editor = vi\n pager = less\n[init]\n defaultBranch = main\n\
             [include]\n path = more\n",
        )
        .unwrap();
        std::fs::write(home.join("more"), "[pull]\n rebase = true\n").unwrap();
        assert_eq!(obeyed(&work, &home, &[("GIT_PAGER", "cat"), ("GIT_AUTHOR_NAME", "A")]), [""; 0]);
    }

    #[test]
    fn what_reading_commands_would_obey_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (home, work, other) = (folder.path().join("h"), folder.path().join("w"), folder.path().join("o"));
        for at in [&home, &work, &other] {
            std::fs::create_dir_all(at).unwrap();
        }
        git(&work, &["init", "-q"]);
        git(&other, &["init", "-q"]);
        std::fs::write(other.join("a"), "a").unwrap();
        git(&other, &["add", "a"]);
        git(&other, &["commit", "-q", "-m", "a"]);
        for (text, key) in [
            ("[core]\n fsmonitor = /x\n", "core.fsmonitor"),
            ("[diff]\n external = /x\n", "diff.external"),
            ("[diff \"x\"]\n textconv = /x\n", "diff.*.textconv"),
            ("[filter \"lfs\"]\n process = git-lfs filter-process\n", "filter.*.process"),
            ("[core]\n hooksPath = /x\n", "core.hookspath"),
            ("[log]\n showSignature = true\n", "log.showsignature"),
            ("[includeIf \"gitdir:/x\"]\n path = deep\n", "core.fsmonitor"),
        ] {
            std::fs::write(home.join(".gitconfig"), text).unwrap();
            std::fs::write(home.join("deep"), "[core]\n fsmonitor = /x\n").unwrap();
            let found = obeyed(&work, &home, &[]);
            assert!(found.len() == 1 && found[0].contains(key), "{text}: {found:?}");
        }
        std::fs::remove_file(home.join(".gitconfig")).unwrap();
        assert_eq!(obeyed(&work, &home, &[("GIT_EXTERNAL_DIFF", "/x")]), ["the variable GIT_EXTERNAL_DIFF is set"]);
        let hook = work.join(".git/hooks/post-index-change");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, "").unwrap();
        assert!(obeyed(&work, &home, &[])[0].contains("post-index-change"));
        std::fs::remove_file(&hook).unwrap();
        git(&work, &["submodule", "--quiet", "add", other.to_str().unwrap(), "sub"]);
        assert_eq!(obeyed(&work, &home, &[]).len(), 1);
        std::fs::remove_file(work.join(".gitmodules")).unwrap();
        std::fs::write(work.join(".git/config"), "[core]\n bare = false\n").unwrap();
        let found = obeyed(&work, &home, &[]);
        assert!(found.len() == 1 && found[0].contains("submodules"), "{found:?}");
    }

    #[test]
    fn programs_are_not_told_where_the_path_has_a_folder_of_the_workspace() {
        let environment = |path: &str| [(OsString::from("PATH"), OsString::from(path))].into_iter();
        let mentions = Mentions { programs: ["ls".to_owned()].into(), ..Mentions::default() };
        for path in ["/bin:", "bin:/bin", ".:/bin"] {
            assert!(Unguarded::of(environment(path), None).trouble(&mentions).is_some(), "{path}");
        }
        assert_eq!(Unguarded::of(environment("/bin:/usr/bin"), None).trouble(&mentions), None);
    }

    #[test]
    fn flags_that_a_variable_brings_to_a_search_are_not_told() {
        let environment = [(OsString::from("RIPGREP_CONFIG_PATH"), OsString::from("/x"))];
        let trouble = |environment: &[(OsString, OsString)], program: &str| {
            let mentions = Mentions { programs: [program.to_owned()].into(), ..Mentions::default() };
            Unguarded::of(environment.iter().cloned(), None).trouble(&mentions).is_some()
        };
        assert!(trouble(&environment, "rg") && trouble(&environment, "/usr/bin/rg"));
        assert!(!trouble(&environment, "ls") && !trouble(&[], "rg"));
    }

    #[test]
    fn a_shell_is_told_by_its_name() {
        let told = |shell: &str| {
            let environment = [(OsString::from("SHELL"), OsString::from(shell))].into_iter();
            Unguarded::of(environment, None).shell()
        };
        for (shell, kind) in [
            ("/bin/bash", Shell::Bash),
            ("", Shell::Bash),
            ("/bin/zsh", Shell::Zsh),
            ("zsh-5.9", Shell::Zsh),
            ("/usr/bin/fish", Shell::Foreign),
            ("/usr/bin/pwsh", Shell::Foreign),
            ("/bin/tcsh", Shell::Foreign),
            ("/home/me/nu", Shell::Foreign),
            ("/usr/bin/ksh93", Shell::Other),
            ("/bin/mksh", Shell::Other),
            ("/bin/sh", Shell::Other),
        ] {
            assert_eq!(told(shell), kind, "{shell}");
        }
        assert_eq!(Unguarded::of(std::iter::empty(), None).shell(), Shell::Bash);
    }

    #[test]
    fn a_configuration_that_cannot_be_read_is_none_that_sets_nothing() {
        let root = tempfile::tempdir().unwrap();
        let (home, work) = (root.path().join("home"), root.path().join("work"));
        for folder in [&home, &work] {
            std::fs::create_dir(folder).unwrap();
        }
        git(&work, &["init", "-q"]);
        assert_eq!(obeyed(&work, &home, &[]), [""; 0]);
        let long = format!("[core]\n\thooksPath = x\n{}", "#\n".repeat(150_000));
        std::fs::write(work.join(".git/config"), &long).unwrap();
        assert_eq!(obeyed(&work, &home, &[]), ["the repository's configuration can't be read"]);
        std::fs::write(home.join(".gitconfig"), &long).unwrap();
        assert!(obeyed(&work, &home, &[])[0].ends_with(".gitconfig can't be read"));
    }
}
