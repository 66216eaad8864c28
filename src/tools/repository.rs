//! What a git repository's own configuration would make git do. A key outside the allow-list makes git's
//! whitelisted commands ask, naming the key: filters, helpers, pagers and hooks are programs that git runs.
//! Reads the files itself, since asking git would already obey them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::submodules;
use crate::domain::RepositoryFact;
use crate::private::{self, SMALL};

/// Sections whose every key only describes or displays. From git-config(1).
const SECTIONS: [&str; 13] =
    ["branch", "color", "column", "fetch", "gitflow", "github", "gui", "i18n", "init", "pull", "push", "tag", "user"];

/// Single keys that only describe or display; `*` stands for a subsection.
const KEYS: [&str; 103] = [
    "core.repositoryformatversion",
    "core.filemode",
    "core.bare",
    "core.logallrefupdates",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.abbrev",
    "core.quotepath",
    "core.compression",
    "core.whitespace",
    "core.sharedrepository",
    "core.protecthfs",
    "core.protectntfs",
    "core.longpaths",
    "core.untrackedcache",
    "core.splitindex",
    "core.multipackindex",
    "core.commitgraph",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "extensions.objectformat",
    "extensions.refstorage",
    "extensions.worktreeconfig",
    "remote.*.url",
    "remote.*.pushurl",
    "remote.*.fetch",
    "remote.*.push",
    "remote.*.mirror",
    "remote.*.prune",
    "remote.*.tagopt",
    "remote.*.skipdefaultupdate",
    "submodule.*.url",
    "submodule.*.active",
    "submodule.active",
    "lfs.repositoryformatversion",
    "remote.*.promisor",
    "remote.*.partialclonefilter",
    "extensions.partialclone",
    "commit.gpgsign",
    // Our own setting takes its place where we run git.
    "core.hookspath",
    "diff.algorithm",
    "diff.colormoved",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "diff.renamelimit",
    "diff.renames",
    "gc.auto",
    "index.threads",
    "index.version",
    "merge.conflictstyle",
    "merge.ff",
    "rebase.autosquash",
    "rebase.autostash",
    "rerere.autoupdate",
    "rerere.enabled",
    "status.showuntrackedfiles",
    // What other programs keep here: gh, git-lfs, editors and forges.
    "remote.*.gh-resolved",
    "remote.*.glab-resolved",
    "remote.*.lfsurl",
    "remote.pushdefault",
    "lfs.*.access",
    "lfs.*.locksverify",
    "lfs.url",
    "lfs.locksverify",
    "am.threeway",
    "apply.whitespace",
    "blame.coloring",
    "checkout.defaultremote",
    "core.excludesfile",
    "grep.linenumber",
    "grep.extendregexp",
    "help.autocorrect",
    "mergetool.keepbackup",
    "pack.threads",
    "safe.directory",
    "status.branch",
    "status.short",
    "submodule.fetchjobs",
    "transfer.fsckobjects",
    "blame.date",
    "commit.template",
    "commit.verbose",
    "core.editor",
    "core.pager",
    "credential.helper",
    "credential.*.helper",
    "credential.*.username",
    "credential.username",
    "diff.tool",
    "feature.manyfiles",
    "gpg.format",
    "http.*.extraheader",
    "http.extraheader",
    "http.postbuffer",
    "log.date",
    "log.decorate",
    "log.abbrevcommit",
    "merge.tool",
    "protocol.version",
];

/// Keys of the allowed sections that are programs all the same.
const PROGRAMS: [&str; 2] = ["branch.*.mergeoptions", "push.gpgsign"];

/// Looks at the repository that git would use in a folder: as git does, from the folder up to the first valid
/// one, a `.git` or a bare repository. What looks like one on the way counts too. None without any.
pub(super) fn look(folder: &Path) -> Option<RepositoryFact> {
    let mut fact = None;
    for up in folder.ancestors() {
        let git = up.join(".git");
        let named = git.symlink_metadata().is_ok().then(|| pointed(&git).unwrap_or(git));
        let bare = up.join("config").is_file().then(|| up.to_path_buf());
        let roots = [named.is_some().then(|| up.canonicalize().ok()).flatten(), None];
        let roots = if named.is_some() { &roots[..] } else { &roots[1..] };
        for (own, root) in named.into_iter().chain(bare).zip(roots) {
            let found = fact.get_or_insert_with(RepositoryFact::default);
            found.foreign_keys.extend(misunderstood(&up.join(".git")));
            if add(found, &own) {
                found.root.clone_from(root);
                found.foreign_keys.extend(submodule_keys(&up.join(".gitmodules")));
                submodules::add_all(found, &own, up);
                found.foreign_keys.sort();
                found.foreign_keys.dedup();
                return fact;
            }
        }
    }
    fact
}

/// The configuration files that git would read of the repository in a folder.
pub(super) fn configurations(folder: &Path) -> Vec<PathBuf> {
    own(folder).map(|own| configured(&own).to_vec()).unwrap_or_default()
}

/// Largest index that is searched, in bytes.
const INDEX: u64 = 64 * 1024 * 1024;

/// The folder of git that a folder belongs to: its `.git`, or what that leads to.
pub(super) fn own(folder: &Path) -> Option<PathBuf> {
    let named = folder.ancestors().map(|up| up.join(".git")).find(|git| git.symlink_metadata().is_ok());
    named.map(|git| pointed(&git).unwrap_or(git))
}

/// Where a folder of git keeps what is committed, in it and in its submodules.
pub(super) fn kept(own: &Path) -> impl Iterator<Item = PathBuf> {
    let common = common(own);
    ["objects", "modules"].into_iter().filter_map(move |name| common.join(name).canonicalize().ok())
}

/// Whether one of these names is in the index of a folder of git, wherever it is: more than that makes no difference to
/// anybody. So too where it can't be searched. What has no index, as it has no working tree, may hold any.
pub(super) fn tracks(own: &Path, names: &[&OsStr]) -> bool {
    let place = own.join("index");
    private::read(&place, INDEX).map_or(true, |index| {
        // From version 4 on a name holds only what differs from the one before, and another file may hold the rest
        // (gitformat-index(5)).
        let whole = index.get(4..8).is_some_and(|version| version < [0, 0, 0, 4].as_slice());
        let split = memchr::memmem::find(&index, b"link\0\0\0").is_some();
        // A name ends with a zero byte; one of a folder goes on.
        let holds = |name: &&OsStr| {
            [b"\0", b"/"]
                .iter()
                .any(|end| memchr::memmem::find(&index, &[name.as_encoded_bytes(), *end].concat()).is_some())
        };
        !whole || split || names.iter().any(holds)
    })
}

/// The configuration files of a git folder.
pub(super) fn configured(own: &Path) -> [PathBuf; 3] {
    let common = common(own);
    [common.join("config"), common.join("config.worktree"), own.join("config.worktree")]
}

/// Whether a file is a repository's configuration, where remotes are named with their tokens.
pub(super) fn is_configuration(file: &Path) -> bool {
    let named = file.file_name().is_some_and(|name| name == "config" || name == "config.worktree");
    let bare = |folder: &Path| folder.join("HEAD").is_file() && folder.join("objects").is_dir();
    named && (file.components().any(|part| part.as_os_str() == ".git") || file.parent().is_some_and(bare))
}

/// The folder that all worktrees of a git folder share. What can't be read leads nowhere here; `add` tells of it, since
/// git may follow it.
pub(super) fn common(own: &Path) -> PathBuf {
    match private::read_text(&own.join("commondir"), SMALL) {
        // As git: nothing else is cut off.
        Ok(relative) => own.join(relative.trim_end_matches(['\n', '\r'])),
        Err(_) => own.to_path_buf(),
    }
}

/// Adds what one git folder says. True if git would take it for a repository.
pub(super) fn add(fact: &mut RepositoryFact, own: &Path) -> bool {
    let common = common(own);
    if private::read_if_there(&own.join("commondir"), SMALL).is_err() {
        fact.foreign_keys.push("a commondir that can't be read".to_owned());
    }
    for file in configured(own) {
        fact.foreign_keys.extend(foreign_keys(&file));
    }
    let attributes = |at: &Path| at.join("info/attributes").metadata().is_ok_and(|found| found.len() > 0);
    fact.own_attributes |= attributes(own) || attributes(&common);
    let valid = is_head(&own.join("HEAD")).unwrap_or_else(|why| {
        fact.foreign_keys.push(why.to_owned());
        false
    });
    valid && common.join("objects").is_dir() && common.join("refs").is_dir()
}

/// Whether a file is a repository's `HEAD`. What git may take for one although we can't tell is an error: it is what
/// decides which repository counts.
fn is_head(file: &Path) -> Result<bool, &'static str> {
    // Of a link git takes the name that it leads to for the branch.
    if file.is_symlink() {
        return Err("a HEAD that is a link");
    }
    let Some(head) = private::read_if_there(file, SMALL).map_err(|_| "a HEAD that can't be read")? else {
        return Ok(false);
    };
    let head = head.trim_end();
    let hexadecimal = matches!(head.len(), 40 | 64) && head.bytes().all(|byte| byte.is_ascii_hexdigit());
    let branch =
        head.strip_prefix("ref: refs/").is_some_and(|name| !name.is_empty() && !name.contains(char::is_whitespace));
    if hexadecimal || branch || head.is_empty() { Ok(!head.is_empty()) } else { Err("a HEAD that isn't understood") }
}

/// Keys of `.gitmodules` that win over what unasked runs set: how submodules are looked into.
fn submodule_keys(file: &Path) -> Vec<String> {
    let text = match private::read_text(file, SMALL) {
        Ok(text) => text,
        Err(_) if file.symlink_metadata().is_err() => return Vec::new(),
        Err(_) => return vec!["a .gitmodules that can't be read".to_owned()],
    };
    keys(&text)
        .into_iter()
        .filter(|key| {
            !["submodule.*.path", "submodule.*.url", "submodule.*.branch", "submodule.*.shallow"]
                .contains(&key.as_str())
        })
        .collect()
}

/// Where a `.git` file points (worktrees, submodules).
pub(super) fn pointed(file: &Path) -> Option<PathBuf> {
    let text = private::read_text(file, SMALL).ok()?;
    // As git: nothing else is cut off.
    let target = text.strip_prefix("gitdir: ")?.trim_end_matches(['\n', '\r']);
    Some(file.parent()?.join(target))
}

/// A foreign key for a `.git` that is there, is no folder, and doesn't say where it points: git may follow it all the
/// same.
pub(super) fn misunderstood(git: &Path) -> Option<String> {
    let there = git.symlink_metadata().is_ok() && !git.is_dir();
    (there && pointed(git).is_none()).then(|| "a .git file that can't be read".to_owned())
}

/// The keys of one configuration file that are outside the allow-list.
fn foreign_keys(file: &Path) -> Vec<String> {
    match private::read_if_there(file, SMALL) {
        Ok(text) => foreign(&text.unwrap_or_default()),
        Err(_) => vec!["a configuration that can't be read".to_owned()],
    }
}

fn foreign(text: &str) -> Vec<String> {
    let foreign = |(key, value): &(String, String)| !allowed(key) || runs(key, value);
    entries(text).into_iter().filter(foreign).map(|(key, _)| key).collect()
}

/// Whether a key, lower case and with its subsection as `*`, only describes or displays.
pub(super) fn allowed(key: &str) -> bool {
    if PROGRAMS.contains(&key) {
        return false;
    }
    KEYS.contains(&key) || key.split_once('.').is_some_and(|(section, _)| SECTIONS.contains(&section))
}

/// Whether a key that may name one of git's own helpers names a program or a command instead: an object that isn't here
/// is fetched, and then it runs.
fn runs(key: &str, value: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_\"".contains(&byte);
    let helps = key.starts_with("credential.") && key.ends_with("helper") && !value.trim().bytes().all(plain);
    // Who signed is what another program says.
    helps || key.rsplit('.').next() == Some("sort") && value.replace('"', "").to_ascii_lowercase().contains("sig")
}

/// Every key of a configuration text as `section.key` or `section.*.key`. What isn't understood exactly as git
/// reads it becomes a key of its own, so that it is never allowed; a continued line is such a case.
fn keys(text: &str) -> Vec<String> {
    entries(text).into_iter().map(|(key, _)| key).collect()
}

/// The same with what stands behind each equals sign, as it is written.
pub(super) fn entries(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if line.ends_with('\\') {
            found.push(("a continued line".to_owned(), String::new()));
        }
        let rest = match trimmed.strip_prefix('[').map(header) {
            None => trimmed,
            Some(Some((name, rest))) => {
                section = name;
                rest.trim()
            }
            Some(None) => {
                found.push((format!("the line `{trimmed}`"), String::new()));
                continue;
            }
        };
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let name = rest.split(['=', ' ', '\t', '#', ';']).next().unwrap_or_default().to_ascii_lowercase();
        let value = rest.split_once('=').map_or("", |(_, value)| value.trim()).to_owned();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            found.push((format!("the line `{trimmed}`"), value));
        } else {
            found.push((format!("{section}.{name}"), value));
        }
    }
    found
}

/// The section of a header after its `[`, and what follows its `]`: `core` of `[core]`, `remote.*` of
/// `[remote "origin"]` and of the old `[remote.origin]`.
fn header(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.'))?;
    let (name, rest) = text.split_at(end);
    let name = name.to_ascii_lowercase();
    if let Some(rest) = rest.strip_prefix(']') {
        let section = name.split_once('.').map_or_else(|| name.clone(), |(section, _)| format!("{section}.*"));
        return Some((section, rest));
    }
    let quoted = rest.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let close = quoted.find(|c| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    })?;
    Some((format!("{name}.*"), quoted[close + 1..].strip_prefix(']')?))
}

#[cfg(test)]
#[path = "repository_tests.rs"]
mod tests;
