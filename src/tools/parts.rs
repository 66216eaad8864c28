//! Whether a path below a folder names a sensitive file where it comes apart: `cat $(find .)` reads `.env` where a file
//! is called `a.txt .env`, and `xargs` drops quotes and backslashes, too. And whether a part may be a flag, as of `a -i`.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::look::{Below, Look};
use super::repository;
use super::spared::Spared;
use crate::assess::Sensitive;
use crate::contain::system;
use crate::domain::{GlobFact, Place, SecretFact};

/// Most sensitive names of which it is asked whether git tracks them.
const TRACKED: usize = 64;
/// Signs by which a name is a pattern.
const GLOB: [char; 3] = ['*', '?', '['];
/// Signs that a shell, or `xargs`, drops.
const QUOTES: [char; 3] = ['\'', '"', '\\'];

/// A folder that is still to be looked through.
struct Folder {
    path: PathBuf,
    /// Whether a listing comes to it which leaves out what is hidden.
    plain: bool,
    /// Whether its own path may come apart.
    odd: bool,
    /// The link through which alone it is come to: it lies elsewhere in the workspace.
    through: Option<PathBuf>,
    /// It is called by a name that counts, or lies in a folder that is: whatever is in it counts.
    counts: bool,
}

impl Look<'_> {
    /// Looks through all that lies below a folder: for parts of paths that are sensitive, and for those that may be
    /// flags, where that could be told. Links are not followed, but where they lead is looked at. Hidden folders, and build
    /// products that git ignores, are passed over unless everything is wanted; where names are given, files of others don't
    /// count as sensitive. Looks at so many names at most, and gives how many are left.
    pub(super) fn looked_below(
        &self,
        root: &Path,
        (only, everything): (&[&str], bool),
        most: usize,
        sensitive: &Sensitive,
    ) -> (Below, usize) {
        // Rules are about names as they stand, without `.`.
        let root = root.components().collect::<PathBuf>();
        let root = root.as_path();
        let named = root.file_name().is_some_and(|name| counts(&name.to_string_lossy(), only));
        // What a plain search passes over comes last: where there is too much of it, nothing plain is left out.
        let (mut folders, mut passed_over) =
            (vec![Folder { path: root.to_owned(), plain: true, odd: false, through: None, counts: named }], Vec::new());
        // Behind links, last of all.
        let (mut behind, mut led) = (Vec::new(), HashSet::new());
        let (mut left, mut dashed, mut parted, mut linked, mut listed) = (most, false, None, None, None);
        let mut leading = None;
        let mut left_out: BTreeMap<OsString, PathBuf> = BTreeMap::new();
        let mut spared = Spared::below(root);
        let (mut all, mut plainly) = (true, false);
        'all: while let Some(folder) = folders.pop().or_else(|| passed_over.pop()).or_else(|| behind.pop()) {
            if !folder.plain && !everything && !spared.may_admit() {
                all = false;
                break;
            }
            let Ok(entries) = std::fs::read_dir(&folder.path) else { continue };
            for entry in entries.flatten() {
                let Some(fewer) = left.checked_sub(1) else {
                    all = false;
                    plainly = !folders.is_empty() || folder.plain;
                    break 'all;
                };
                left = fewer;
                let path = entry.path();
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let kind = entry.file_type().ok();
                let is_folder = kind.is_some_and(|kind| kind.is_dir());
                let leads = kind.is_some_and(|kind| kind.is_symlink()).then(|| self.leads(&path, sensitive));
                if let Some(link) = &folder.through {
                    let out = matches!(leads, Some(Leads::Out));
                    if out || sensitive.means(&path.to_string_lossy(), is_folder, self.place()) {
                        leading.get_or_insert_with(|| link.to_string_lossy().into_owned());
                    }
                    dashed |= may_be_flag(&name);
                    if is_folder {
                        behind.push(Folder {
                            path,
                            plain: false,
                            odd: false,
                            through: folder.through.clone(),
                            counts: true,
                        });
                    } else if let Some(Leads::To(target)) = leads
                        && led.insert(target.clone())
                    {
                        let through = folder.through.clone();
                        behind.push(Folder { path: target, plain: false, odd: false, through, counts: true });
                    }
                    continue;
                }
                dashed |= may_be_flag(&name) || folder.path == root && name.starts_with(['+', '@']);
                let odd = folder.odd || comes_apart(&name);
                if parted.is_none()
                    && odd
                    && names_sensitive(path.strip_prefix(root).unwrap_or(&path), sensitive, self.place())
                {
                    parted = Some(path.to_string_lossy().into_owned());
                }
                let plain = folder.plain && spared.come_to(&path, &name, is_folder);
                if listed.is_none()
                    && (is_folder || folder.counts || counts(&name, only))
                    && (plain || left_out.len() < TRACKED)
                    && sensitive.means(&path.to_string_lossy(), is_folder, self.place())
                {
                    if plain {
                        listed = Some(path.to_string_lossy().into_owned());
                    } else {
                        left_out.entry(entry.file_name()).or_insert_with(|| path.clone());
                    }
                }
                match leads {
                    _ if is_folder => {
                        let to = if plain { &mut folders } else { &mut passed_over };
                        let counts = folder.counts || counts(&name, only);
                        to.push(Folder { path, plain, odd, through: None, counts });
                    }
                    Some(Leads::Out) => _ = linked.get_or_insert_with(|| path.to_string_lossy().into_owned()),
                    Some(Leads::To(target)) if !target.starts_with(root) && led.insert(target.clone()) => {
                        behind.push(Folder {
                            path: target,
                            plain: false,
                            odd: false,
                            through: Some(path),
                            counts: true,
                        });
                    }
                    Some(Leads::To(_) | Leads::Nowhere) | None => {}
                }
            }
        }
        if spared.may_admit() {
            listed = listed.or_else(|| left_out.values().next().map(|path| path.to_string_lossy().into_owned()));
            plainly |= !all;
        }
        let secret = match (&listed, left_out.values().next()) {
            (Some(path), _) => SecretFact::Plain(path.clone()),
            (None, _) if plainly => SecretFact::TooMany,
            (None, Some(path)) => SecretFact::Hidden(path.to_string_lossy().into_owned()),
            (None, None) if all => SecretFact::Nothing,
            (None, None) => SecretFact::HiddenTooMany,
        };
        let below = Below {
            all: everything,
            parted: match (parted, all) {
                (Some(path), _) => GlobFact::Sensitive(path),
                (None, false) => GlobFact::TooMany,
                (None, true) => linked
                    .map(GlobFact::Linked)
                    .or_else(|| listed.map(GlobFact::Listed))
                    .or_else(|| tracked(root, &left_out))
                    .or_else(|| leading.map(GlobFact::Behind))
                    .unwrap_or(GlobFact::Nothing),
            },
            dashed: (dashed || all).then_some(dashed),
            secret,
        };
        (below, left)
    }

    /// Where a link leads: out of the workspace not by a folder of the system below which nothing is sensitive.
    fn leads(&self, link: &Path, sensitive: &Sensitive) -> Leads {
        let place = self.place();
        let Ok(target) = link.canonicalize() else { return Leads::Nowhere };
        let text = target.to_string_lossy();
        let folder = target.is_dir();
        let inside = target.starts_with(&place.workspace);
        if sensitive.entry(&text, place).is_some()
            || folder && !inside && (!system(&target) || sensitive.lies_below(&text, place))
        {
            Leads::Out
        } else if folder && inside {
            Leads::To(target)
        } else {
            Leads::Nowhere
        }
    }
}

/// Where a link leads.
enum Leads {
    /// To something sensitive, or to a folder outside of the workspace, of which nobody knows what is in it.
    Out,
    /// To a folder of the workspace.
    To(PathBuf),
    /// To nothing that matters.
    Nowhere,
}

/// One of these paths, by their names, that git tracks in the repository of a folder.
fn tracked(root: &Path, paths: &BTreeMap<OsString, PathBuf>) -> Option<GlobFact> {
    let own = repository::own(root).filter(|_| !paths.is_empty())?;
    // Of the rest nobody knows.
    let many = paths.len() >= TRACKED;
    let (_, path) = paths.iter().find(|(name, _)| many || repository::tracks(&own, &[name.as_os_str()]))?;
    let hidden =
        path.strip_prefix(root).is_ok_and(|below| below.iter().any(|part| part.as_encoded_bytes().starts_with(b".")));
    let path = path.to_string_lossy().into_owned();
    // A search passes over no folder that git has.
    Some(if hidden { GlobFact::Tracked(path) } else { GlobFact::Listed(path) })
}

/// Whether a file's name is among those that count: all, or some endings, beginnings, middles and whole names.
fn counts(name: &str, only: &[&str]) -> bool {
    let name = name.to_lowercase();
    only.is_empty()
        || only.iter().map(|told| told.to_lowercase()).any(|told| {
            match (told.strip_prefix('*'), told.strip_suffix('*')) {
                (Some(_), Some(_)) => name.contains(told.trim_matches('*')),
                (Some(ending), _) => name.ends_with(ending),
                (None, Some(beginning)) => name.starts_with(beginning),
                (None, None) => name == told,
            }
        })
}

/// Whether a shell may take a name apart, or for a pattern.
pub(super) fn comes_apart(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_whitespace() || GLOB.contains(&c) || QUOTES.contains(&c))
}

/// Whether a part of a name begins with a dash, or with what may become one; so too where it goes over several lines, each
/// of which is one to who reads lines.
pub(super) fn may_be_flag(name: &str) -> bool {
    let part = |part: &str| part.trim_start_matches(QUOTES).starts_with(['-', '+', '@', '*', '?', '[']);
    name.starts_with('-')
        || name.contains('\n')
        || name.split_ascii_whitespace().skip(1).any(part)
        || QUOTES.iter().any(|c| name.starts_with(*c)) && part(name)
}

/// Whether a part of a path is, or as a pattern matches, a sensitive one that the path as a whole is not.
pub(super) fn names_sensitive(path: &Path, sensitive: &Sensitive, place: &Place) -> bool {
    let text = path.to_string_lossy();
    let bare = text.replace(QUOTES, "");
    let mut parts = text.split_ascii_whitespace().chain(bare.split_ascii_whitespace());
    parts.any(|part| {
        let told = if part.contains(GLOB) { sensitive.may_match(part, place) } else { sensitive.entry(part, place) };
        told.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Seen;

    /// What is told of a folder with one file.
    fn told(name: &str) -> GlobFact {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::fs::write(root.join(name), "").unwrap();
        let place = Place { cwd: root.clone(), workspace: root, home: None };
        Look::new(&place, None, &mut Seen::default()).below(".", true, &Sensitive::default()).parted
    }

    #[test]
    fn a_path_that_comes_apart_into_a_sensitive_one_is_seen_at_any_depth() {
        for (name, seen) in [
            ("a.txt .env .txt", true),
            ("in/deep/a .env", true),
            ("x /etc/shadow", true),
            ("a\n.env", true),
            (".\\env", true),
            ("a [i]d_rsa", true),
            ("a b.txt", false),
            ("app/[id]/page.tsx", false),
            (".env", false),
            ("it's.txt", false),
        ] {
            let fact = told(name);
            assert_eq!(matches!(fact, GlobFact::Sensitive(_)), seen, "{name:?}");
        }
    }

    #[test]
    fn what_a_plain_listing_shows_is_seen_and_what_is_hidden_or_passed_over_is_not() {
        for (name, seen) in [
            ("server.pem", true),
            ("src/deep/id_rsa", true),
            ("secrets/a.txt", true),
            (".env", false),
            (".hidden/server.pem", false),
            ("node_modules/x/key.pem", true),
            ("notes.txt", false),
        ] {
            let fact = told(name);
            assert_eq!(matches!(fact, GlobFact::Listed(_)), seen, "{name:?}");
        }
    }

    #[test]
    fn what_searches_leave_out_is_said_by_rules() {
        for (rules, text, name, seen) in [
            (".gitignore", "node_modules\n", "node_modules/x/key.pem", false),
            (".gitignore", "/build/\n", "build/x/key.pem", false),
            (".gitignore", "/build/\n", "sub/build/x/key.pem", true),
            (".gitignore", "vendor\n!vendor\n", "vendor/x/key.pem", true),
            (".gitignore", "!.env.example\n!.vscode\n", ".env", false),
            (".gitignore", "!.env\n", ".env", true),
            (".ignore", "!.env\n", "deep/.env", true),
            (".ignore", "!.hidden\n", ".hidden/x/key.pem", true),
            (".rgignore", "!vendor\n", ".env", true),
            (".fdignore", "*.md\n", ".env", false),
            ("deep/.fdignore", "!.a\n", ".hidden/key.pem", true),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            for (path, text) in [(name, ""), (rules, text), (".git/HEAD", "")] {
                std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
                std::fs::write(root.join(path), text).unwrap();
            }
            let place = Place { cwd: root.clone(), workspace: root, home: None };
            let secret = Look::new(&place, None, &mut Seen::default()).below(".", false, &Sensitive::default()).secret;
            assert_eq!(matches!(secret, SecretFact::Plain(_)), seen, "{rules} {text:?} {name}");
        }
    }

    #[test]
    fn files_of_some_names_alone_count_where_these_are_told() {
        for (name, only, seen) in [
            ("server.pem", "*.rs", false),
            ("secrets.json", "*.json", true),
            ("deep/SECRETS.JSON", "*.json", true),
            ("id_rsa", "id_*", true),
            ("id_rsa", "idx*", false),
            (".env", ".env", true),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "").unwrap();
            let place = Place { cwd: root.clone(), workspace: root, home: None };
            let mut seen_here = Seen::default();
            let below = Look::new(&place, None, &mut seen_here).below_named(".", &[only], true, &Sensitive::default());
            assert_eq!(below.secret != SecretFact::Nothing, seen, "{name} {only}");
        }
    }

    #[test]
    fn a_part_that_may_be_a_flag_is_seen() {
        for (name, seen) in [
            ("-i", true),
            ("a -i.rs", true),
            ("a\n-i", true),
            ("a \"-i\"", true),
            ("a \\-i", true),
            ("a *", true),
            ("\\-i", true),
            ("a-i b.rs", false),
            ("[id]", false),
            ("a - b", true),
            ("a\nb", true),
        ] {
            assert_eq!(may_be_flag(name), seen, "{name:?}");
        }
    }
}
