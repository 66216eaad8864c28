//! The sensitive paths: one list for every tool and every spelling. The entries are data in
//! `assets/rules/sensitive.toml`; the configuration adds its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::copies::{originals, telling};
use super::own::Own;
use super::paths::{Data, Kind, List};
use super::written::Written;
use crate::domain::Place;

/// The built-in list, parsed once.
static BUILT_IN: LazyLock<List> =
    LazyLock::new(|| List::parse(include_str!(concat!(env!("OUT_DIR"), "/sensitive.json"))));

/// Longest text whose answer is remembered, in bytes, and most of them.
const REMEMBERED: usize = 256;
const ANSWERS: usize = 2048;

/// What is asked of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Entry,
    MayMatch,
    LiesBelow,
}

/// What was answered in a place. A command is read twice, and most of its words are asked about more than once each time.
#[derive(Debug, Default)]
struct Memory {
    place: Option<Place>,
    answers: HashMap<String, Vec<(Question, Option<String>)>>,
}

/// Files of databases whose rows stay with the person: read by another program, they would hold nothing back.
#[derive(Debug)]
struct Kept {
    files: Vec<PathBuf>,
    list: List,
}

/// The list of "How a decision is made" and what the configuration adds.
#[derive(Clone, Debug, Default)]
pub struct Sensitive {
    extra: Option<Arc<List>>,
    /// Files of databases whose rows stay with the person.
    kept: Option<Arc<Kept>>,
    /// What no tool may write.
    own: Own,
    /// Whether nothing is looked up at all.
    idle: bool,
    /// Answers of these lists.
    memory: Arc<Mutex<Memory>>,
}

impl Sensitive {
    /// The list with the configuration's own globs: a name, the end of a path, or a whole path (which may
    /// begin with `~`), each with everything below it.
    #[must_use]
    pub fn with(extra: Vec<String>) -> Self {
        let kind = Kind { what: "named sensitive by your configuration".to_owned(), own: extra, ..Kind::default() };
        Self { extra: Some(Arc::new(List::of(Data { kind: vec![kind], ..Data::default() }))), ..Self::default() }
    }

    /// The same, with what no tool may write.
    #[must_use]
    pub fn and(self, own: Own) -> Self {
        Self { own, ..self }
    }

    /// The same, with the files of databases whose rows stay with the person. All of them absolute.
    #[must_use]
    pub fn keeping(self, files: Vec<PathBuf>) -> Self {
        if files.is_empty() {
            return self;
        }
        let own = files.iter().map(|file| globset::escape(&file.to_string_lossy())).collect();
        let kind = Kind { what: "database whose rows stay with you".to_owned(), own, ..Kind::default() };
        let list = List::of(Data { kind: vec![kind], ..Data::default() });
        Self { kept: Some(Arc::new(Kept { files, list })), memory: Arc::default(), ..self }
    }

    /// What no tool may write.
    #[must_use]
    pub fn own(&self) -> &Own {
        &self.own
    }

    /// A list that names nothing, for asking what an operation mentions: nothing is judged then.
    pub(super) fn idle() -> Self {
        Self { idle: true, ..Self::default() }
    }

    /// Why a path (as spelled, or real) is sensitive: the kind of thing and the entry that it matches, as in
    /// "private key or key store (`*.pem`)". A sensitive folder itself counts too.
    #[must_use]
    pub fn entry(&self, path: &str, place: &Place) -> Option<String> {
        self.search(path, place, Question::Entry)
    }

    /// Why a glob, or a path with parts that may become anything (`*`), may name a sensitive path. Only its
    /// own letters count: `.e*`, `*.pem` and `~/.ssh/*` may, `*`, `*.txt` and `src/*` don't.
    #[must_use]
    pub fn may_match(&self, pattern: &str, place: &Place) -> Option<String> {
        self.search(pattern, place, Question::MayMatch)
    }

    /// Whether sensitive paths lie somewhere below a folder that isn't one itself: `/`, `/etc`, a home folder. Names
    /// that are sensitive wherever they are don't count, nor do databases in the workspace: walls and searches leave out
    /// what is sensitive there.
    #[must_use]
    pub fn lies_below(&self, folder: &str, place: &Place) -> bool {
        self.remembered(folder, place, Question::LiesBelow, || {
            let outside = |kept: &&Kept| kept.files.iter().any(|file| !file.starts_with(&place.workspace));
            let kept = self.kept.as_deref().filter(outside).map(|kept| &kept.list);
            self.named().chain(kept).any(|list| list.lies_below(folder, place)).then(String::new)
        })
        .is_some()
    }

    /// Whether a real path is sensitive, or for a folder all that is in it, while no folder that it lies in is. Quick,
    /// for going through a tree.
    #[must_use]
    pub fn means(&self, path: &str, folder: bool, place: &Place) -> bool {
        let listed = |path: &str| self.lists().any(|list| list.means(path, folder, place));
        listed(path) || !folder && originals(path).any(|path| listed(&path))
    }

    /// Folders outside any workspace right in which an entry may lie: the home folder, `~/.config`, `/etc`, ….
    #[must_use]
    pub fn folders(&self, place: &Place) -> Vec<PathBuf> {
        let kept = self.kept.iter().flat_map(|kept| &kept.files).filter_map(|file| file.parent());
        self.named().flat_map(|list| list.folders(place)).chain(kept.map(Path::to_path_buf)).collect()
    }

    /// What git is told of them, in lines of a file of attributes: their text isn't shown, wherever it is committed.
    #[must_use]
    pub fn attributes(&self) -> String {
        self.named().map(List::attributes).collect()
    }

    /// What is sensitive by its name: the built-in list and the configuration's own.
    fn named(&self) -> impl Iterator<Item = &List> {
        let built_in = (!self.idle).then(|| &*BUILT_IN);
        built_in.into_iter().chain(self.extra.as_deref())
    }

    fn lists(&self) -> impl Iterator<Item = &List> {
        self.named().chain(self.kept.as_deref().map(|kept| &kept.list))
    }

    /// What the lists say of a text, and of what it may be a copy of.
    fn search(&self, text: &str, place: &Place, question: Question) -> Option<String> {
        if self.idle {
            return None;
        }
        let told = if question == Question::MayMatch { List::may_match } else { List::entry };
        let said = |text: &str| {
            let written = Written::new(text, place);
            self.lists().find_map(|list| told(list, &written))
        };
        let counts = |left: &String| question == Question::Entry || telling(text, left);
        self.remembered(text, place, question, || {
            said(text).or_else(|| originals(text).filter(counts).find_map(|text| said(&text)))
        })
    }

    /// The answer of before, or a new one.
    fn remembered(
        &self,
        text: &str,
        place: &Place,
        question: Question,
        answer: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        if text.len() > REMEMBERED {
            return answer();
        }
        let memory = || self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut memory = memory();
            if memory.place.as_ref() != Some(place) {
                *memory = Memory { place: Some(place.clone()), ..Memory::default() };
            }
            let known = memory.answers.get(text).and_then(|all| all.iter().find(|(asked, _)| *asked == question));
            if let Some((_, answer)) = known {
                return answer.clone();
            }
        }
        let answer = answer();
        let mut memory = memory();
        // Another thread may have gone elsewhere meanwhile.
        if memory.place.as_ref() == Some(place) {
            if memory.answers.len() >= ANSWERS {
                memory.answers.clear();
            }
            memory.answers.entry(text.to_owned()).or_default().push((question, answer.clone()));
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place { cwd: "/home/ann/work".into(), workspace: "/home/ann/work".into(), home: Some("/home/ann".into()) }
    }

    fn entry(path: &str) -> Option<String> {
        Sensitive::default().entry(path, &place())
    }

    fn may_match(pattern: &str) -> Option<String> {
        Sensitive::default().may_match(pattern, &place())
    }

    #[test]
    fn sensitive_paths_are_known_in_every_spelling() {
        for path in [
            ".env",
            "app/.env.production",
            "src/../.ENV",
            "'.env'",
            ".env~",
            "key.pem~",
            "tls/server.key~",
            "tls/.server.key.swp",
            "tls/#server.key#",
            "server.p12.bak",
            "id_ed25519.orig",
            "key.pem.~1~",
            "..env.swp",
            "server.key.gz",
            ".env.1.bz2",
            ".netrc.1",
            "prod.env-20240101.zst",
            ".pgpass.2024-01-01",
            ".netrc.txt",
            ".netrc.copy.tmp",
            "passwords.txt.xz",
            "~/.lftprc",
            "~/.config/openai/key",
            "~/.aws/credentials",
            "$HOME/.aws",
            "/home/bob/.ssh/id_rsa",
            "/root/.ssh/config",
            "~root/.netrc",
            "deploy/id_ed25519",
            "/etc//shadow",
            "/etc/ssh/../shadow-",
            "../../../../etc/sudoers.d/ann",
            "file://host/etc/passwd",
            "%2e%2e/%2e%2e/%2e%2e/etc/gshadow",
            "/proc/1/environ",
            "/proc/self/root/etc/shadow",
            "/dev/sda1",
            "/dev/nvme0n1",
            "tls/server.key",
            "vpn/wg0.conf",
            "~/.tsh/keys/proxy.example/ann",
            "rootkey.csv",
            "Downloads/ann_accessKeys.csv",
            "~/.local/share/DBeaverData/workspace6/General/.dbeaver/credentials-config.json",
            "config/secrets.yml",
            "infra/terraform.tfstate.backup",
            "~/.m2/settings-security.xml",
            "~/.gitconfig",
            "~/.local/share/keyrings/login.keyring",
            "~/.mozilla/firefox/a.default/key4.db",
        ] {
            assert!(entry(path).is_some(), "{path}");
        }
    }

    #[test]
    fn a_walk_finds_the_same_as_a_look() {
        let sensitive = Sensitive::with(vec!["/srv/vault/**".to_owned()]);
        let means = |path, folder| sensitive.means(path, folder, &place());
        for path in [
            "/w/.env",
            "/w/.ENV~",
            "/w/a/key.pem",
            "/w/a.key.1.gz",
            "/home/ann/.netrc",
            "/root/.bash_history",
            "/etc/shadow",
        ] {
            assert!(means(path, false), "{path}");
        }
        for path in ["/home/ann/.ssh", "/w/.aws", "/srv/vault", "/home/bob/.gnupg"] {
            assert!(means(path, true), "{path}");
        }
        for (path, folder) in
            [("/w/secrets", true), ("/w/.env.example", false), ("/w/src", true), ("/etc/ssl/certs/a.pem", false)]
        {
            assert!(!means(path, folder), "{path}");
        }
    }

    #[test]
    fn ordinary_paths_are_not() {
        for path in [
            "",
            ".",
            "README.md",
            ".env.example",
            "deploy/.env.sample",
            "secrets.yml.template",
            ".dockerignore",
            ".gitignore",
            "src/env.ts",
            "src/secrets_manager.rs",
            "src/id_map.rs",
            "migrations/002_add_api_keys.sql",
            "package.json",
            ".git/config",
            "/etc/hosts",
            "/etc/os-release",
            "/proc/cpuinfo",
            "/dev/null",
            "/dev/urandom",
            "/etc/ssl/certs/ca-certificates.pem",
            "~",
            "~/notes.txt",
            "/home/ann/work/keys.ts",
            "notes.txt~",
            ".main.rs.swp",
            "~",
            "a.bak",
            "server.log.1",
            "data.csv.gz",
            "env.txt",
            "libkey.so.1",
            "a-20240101.txt",
            "1.gz",
            ".gz",
            "/usr/share/man/man5/shadow.5.gz",
        ] {
            assert_eq!(entry(path), None, "{path}");
        }
    }

    #[test]
    fn patterns_that_point_at_an_entry_are_known() {
        for pattern in [
            ".e*",
            ".env*",
            ".*",
            "src/.e?v",
            "~/.ssh/*",
            "~/.s*/id*",
            "*.pem",
            "*.pem~",
            "*.key.gz",
            "*nv.bak",
            "*nv~",
            ".en*.1",
            "*nv",
            "certs/*.k*",
            "id_*",
            "/etc/sh*dow",
            "/etc/s*w",
            "/e*/shadow",
            "*/shadow",
            "*/.env",
            "{README.md,.env}",
            "*{.pem/a,.pem}",
            "/etc/{hosts,pass*}",
            "/home/*/.gitconf*",
            "**/.aws/**",
        ] {
            assert!(may_match(pattern).is_some(), "{pattern}");
        }
    }

    #[test]
    fn patterns_that_say_little_are_not() {
        for pattern in [
            "*",
            "*s.txt",
            "access*.gz",
            "*.log.1",
            "*.[0-9]",
            "*.txt",
            "src/*",
            "*.json",
            "**/*.rs",
            "~/*",
            "a[0-9]",
            "/usr/share/*",
            "{a,b}.md",
            "*/*",
        ] {
            assert_eq!(may_match(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn the_configuration_adds_names_ends_and_paths() {
        let own =
            vec!["private".to_owned(), "/srv/vault/**".to_owned(), "~/diary".to_owned(), "/home/Ann/own/*".to_owned()];
        let sensitive = Sensitive::with(own);
        for path in ["private", "a/private/b.txt", "/srv/vault/x", "~/diary/monday.md", "~/own/journal", ".env"] {
            assert!(sensitive.entry(path, &place()).is_some(), "{path}");
        }
        assert_eq!(sensitive.entry("public", &place()), None);
        assert!(sensitive.may_match("priv*", &place()).is_some());
    }

    #[test]
    fn a_database_whose_rows_stay_here_is_sensitive_where_it_lies_and_searches_go_on_around_it() {
        let files = ["/home/ann/work/Data/[1].db", "/srv/Shop/x.db"].map(PathBuf::from).to_vec();
        let sensitive = Sensitive::default().keeping(files);
        for path in ["Data/[1].db", "~/work/Data/[1].db", "../../../srv/Shop/x.db"] {
            assert!(sensitive.entry(path, &place()).is_some(), "{path}");
        }
        assert!(
            sensitive.means("/srv/Shop/x.db", false, &place()) && sensitive.may_match("Data/*.db", &place()).is_some()
        );
        assert_eq!(sensitive.entry("Data/2.db", &place()), None);
        let folders = sensitive.folders(&place());
        assert!(["/home/ann/work/Data", "/srv/Shop"].iter().all(|folder| folders.contains(&PathBuf::from(folder))));
        assert!(sensitive.lies_below("/srv", &place()) && !sensitive.lies_below("/home/ann/work/src", &place()));
        let here = Sensitive::default().keeping(vec!["/home/ann/work/x.db".into()]);
        assert!(!here.lies_below(".", &place()) && here.entry("x.db", &place()).is_some());
    }
}
