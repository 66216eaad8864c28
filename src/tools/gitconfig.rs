//! What git's configuration files say, read without git: asking it already obeys the repository, and walls hide what the
//! person has at home.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::targets::small;
use crate::private::SMALL;

/// Settings by their keys (`section.subsection.key`, section and key in lower case), each with all its values in order.
pub(super) type Settings = BTreeMap<String, Vec<String>>;

/// How deep a file may include others, as git has it (<https://git-scm.com/docs/git-config#_includes>).
const DEPTH: usize = 10;
/// The configuration of the whole machine, as git is usually built.
const SYSTEM: [&str; 2] = ["/etc/gitconfig", "/usr/local/etc/gitconfig"];

/// The value of a setting that counts: the last one.
pub(super) fn last(settings: &Settings, key: &str) -> Option<String> {
    settings.get(key)?.last().cloned()
}

/// The settings of the machine and of the person with this home, with those of the files that they include.
pub(super) fn of_person(home: Option<&Path>) -> Settings {
    let Some(home) = home else { return Settings::new() };
    let configured = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let own = [configured.unwrap_or_else(|| home.join(".config")).join("git/config"), home.join(".gitconfig")];
    of_files(SYSTEM.iter().map(PathBuf::from).chain(own), home)
}

fn of_files(files: impl Iterator<Item = PathBuf>, home: &Path) -> Settings {
    let mut settings = Settings::new();
    for file in files {
        add(&mut settings, &file, home, DEPTH);
    }
    settings
}

/// Adds the settings of a file. What may be included or not stays as a setting if it says anything of pushes.
fn add(settings: &mut Settings, file: &Path, home: &Path, depth: usize) {
    let text = small(file, SMALL).unwrap_or_default();
    for (key, value) in pairs(&text) {
        let condition = key.starts_with("includeif.") && key.rsplit('.').next() == Some("path");
        if key != "include.path" && !condition {
            settings.entry(key).or_default().push(value);
            continue;
        }
        let other = value.strip_prefix("~/").map_or_else(|| file.with_file_name(&value), |rest| home.join(rest));
        let mut more = Settings::new();
        if depth > 0 {
            add(&mut more, &other, home, depth - 1);
        }
        let steers = more.keys().any(|key| steers(key));
        if depth == 0 || condition && steers {
            settings.entry(key).or_default().push(value);
        } else if !condition {
            for (key, values) in more {
                settings.entry(key).or_default().extend(values);
            }
        }
    }
}

/// Whether a setting says where a push goes, or what it sends; or may, as it reads another file.
fn steers(key: &str) -> bool {
    let of_one = ["remote.", "url.", "include"].iter().any(|start| key.starts_with(start));
    of_one || key == "push.default" || key.starts_with("branch.") && key.matches('.').count() > 1
}

/// The settings of a text.
pub(super) fn of_text(text: &str) -> Settings {
    let mut settings = Settings::new();
    for (key, value) in pairs(text) {
        settings.entry(key).or_default().push(value);
    }
    settings
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut pairs = Vec::new();
    for line in text.lines().map(str::trim) {
        let mut setting = line;
        if let Some(line) = line.strip_prefix('[') {
            let (head, rest) = line.split_once(']').unwrap_or((line, ""));
            setting = rest.trim();
            section = match head.split_once('"') {
                Some((name, rest)) => {
                    let rest = rest.rsplit_once('"').map_or(rest, |(name, _)| name);
                    format!("{}.{rest}", name.trim().to_ascii_lowercase())
                }
                None => head.trim().to_ascii_lowercase(),
            };
        }
        if setting.is_empty() || setting.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
        let value = match value.trim().strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => value.split([';', '#']).next(),
        };
        let value = value.unwrap_or_default().trim().to_owned();
        pairs.push((format!("{section}.{}", key.trim().to_ascii_lowercase()), value));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_s_settings_are_read_with_what_they_include() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let file = home.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        put(".config/git/config", "[push]\n\tdefault = upstream\n[include]\n\tpath = more\n");
        put(".config/git/more", "[url \"https://a/\"]\n\tinsteadOf = a:\n");
        put(
            ".gitconfig",
            "[push]\ndefault = matching\n[include] path = ~/gone\n[includeIf \"gitdir:~/w/\"]\npath = names\n",
        );
        put("names", "[user]\n\tname = Ann\n");
        let files = [".config/git/config", ".gitconfig"].map(|name| home.path().join(name));
        let told = || of_files(files.iter().cloned(), home.path());
        assert_eq!(last(&told(), "push.default").as_deref(), Some("matching"));
        assert_eq!(last(&told(), "url.https://a/.insteadof").as_deref(), Some("a:"));
        assert!(!told().keys().any(|key| key.starts_with("include") || key.starts_with("user")), "{:?}", told());
        // What holds only somewhere may hold here.
        put("names", "[remote]\n\tpushDefault = other\n");
        assert_eq!(last(&told(), "includeif.gitdir:~/w/.path").as_deref(), Some("names"));
        // A file that includes itself ends, and is said.
        put("names", "");
        put(".gitconfig", "[include]\n\tpath = .gitconfig\n");
        assert_eq!(last(&told(), "include.path").as_deref(), Some(".gitconfig"));
    }
}
