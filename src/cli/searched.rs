//! Searches by another agent's tools. Ours leave sensitive files out; theirs may read whatever lies in the folder, but
//! for what git ignores where they say so: what they would read is looked at before.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;

use crate::assess::Sensitive;
use crate::domain::{Class, Danger, Finding, OperationKind, Place, Prepared};
use crate::private::{self, SMALL};

/// How many files and folders are looked at in any case.
const ENTRIES: usize = 2_000;
/// Time that the look takes at most beyond them: a call is answered before anybody waits for it.
const BUDGET: Duration = Duration::from_millis(8);

/// Files with which ripgrep overrules `.gitignore`.
const OVERRULING: [&str; 2] = [".ignore", ".rgignore"];

/// Whose searches they are, and what they leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searches {
    /// Ours: what `.gitignore` names and what is sensitive.
    Ours,
    /// Another agent's: what `.gitignore` names in a repository, as ripgrep does.
    Sparing,
    /// Another agent's: nothing.
    Everything,
}

/// What speaks against a search in files that leaves no sensitive file out.
pub(super) fn unspared(prepared: &Prepared, searches: Searches, sensitive: &Sensitive) -> Option<Finding> {
    let OperationKind::Search(search) = &prepared.operation.kind else { return None };
    if searches == Searches::Ours {
        return None;
    }
    let (facts, place) = (&prepared.facts, &prepared.facts.place);
    let folder = search.path.as_ref().map_or_else(
        || place.workspace.clone(),
        |path| facts.paths.get(path).map_or_else(|| place.cwd.join(path), |fact| fact.real.clone()),
    );
    let declared =
        |sentence: String| Some(Finding::new("search.unspared", Class::Declared(Danger::Sensitive), sentence));
    let how = match searches {
        Searches::Sparing => "leaves out only what git ignores",
        Searches::Ours | Searches::Everything => "leaves nothing out",
    };
    if sensitive.lies_below(&folder.to_string_lossy(), place) {
        return declared(format!("The agent's search {how}, and sensitive files lie in {}.", folder.display()));
    }
    let glob = search.glob.as_deref();
    match first(&folder, glob, searches == Searches::Sparing, sensitive, place, Instant::now() + BUDGET) {
        Met::Nothing => None,
        Met::Sensitive(path) => declared(format!("The agent's search {how} and may read {}.", path.display())),
        Met::TooMany => {
            let sentence = format!(
                "The agent's search {how}, and {} holds too many files to look for sensitive ones in time.",
                folder.display()
            );
            Some(Finding::new("search.unspared", Class::Unknown, sentence))
        }
    }
}

/// What a look at a folder met.
#[derive(Debug, PartialEq, Eq)]
enum Met {
    Nothing,
    /// The first sensitive file or folder.
    Sensitive(PathBuf),
    /// There is more than can be looked at in time.
    TooMany,
}

/// Goes through what a search may read, until something sensitive is met. Links aren't followed, as searches don't by
/// themselves; what we can't open, the agent can't either.
fn first(
    folder: &Path,
    glob: Option<&str>,
    sparing: bool,
    sensitive: &Sensitive,
    place: &Place,
    deadline: Instant,
) -> Met {
    let mut walk = WalkBuilder::new(folder);
    let odd = Arc::new(AtomicBool::new(false));
    let met = Arc::clone(&odd);
    walk.standard_filters(false).follow_links(false).filter_entry(move |entry| {
        // The walker reads the rules of a folder before it tells of it, whatever stands in their place.
        let unread = sparing && entry.file_type().is_some_and(|kind| kind.is_dir()) && unreadable(entry.path());
        met.fetch_or(unread, Ordering::Relaxed);
        entry.file_name() != ".git" && !unread
    });
    let mut walks = vec![walk.clone()];
    if sparing {
        // A file that a glob names is searched whether it is ignored or not; several may stand in one text.
        let globs: Vec<&str> = glob.iter().flat_map(|glob| [*glob].into_iter().chain(glob.split([' ', ',']))).collect();
        let simple = globs.iter().all(|glob| !glob.contains(['/', '{', '\\']));
        let named = globs.iter().map(|glob| OverrideBuilder::new(folder).add(glob).and_then(|built| built.build()));
        if let (true, Ok(named)) = (simple, named.collect::<Result<Vec<_>, _>>()) {
            walk.git_ignore(true).parents(!anchored_above(folder)).require_git(true);
            walks = if named.is_empty() { vec![walk.clone()] } else { Vec::new() };
            walks.extend(named.into_iter().map(|named| walk.clone().overrides(named).clone()));
        }
    }
    if sparing && folder.ancestors().any(|up| overrules(up) || unreadable(up)) {
        return first(folder, glob, false, sensitive, place, deadline);
    }
    for (seen, entry) in walks.iter().flat_map(WalkBuilder::build).enumerate() {
        if seen > ENTRIES && Instant::now() >= deadline {
            return Met::TooMany;
        }
        let Ok(entry) = entry else { continue };
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if sparing && is_folder && overrules(entry.path()) {
            return first(folder, glob, false, sensitive, place, deadline);
        }
        if sensitive.means(&entry.path().to_string_lossy(), is_folder, place) {
            return Met::Sensitive(entry.into_path());
        }
    }
    if odd.load(Ordering::Relaxed) {
        return first(folder, glob, false, sensitive, place, deadline);
    }
    Met::Nothing
}

/// Whether a folder has rules of git's that nobody can read to their end, so that what they spare isn't known.
fn unreadable(folder: &Path) -> bool {
    folder.join(".gitignore").metadata().is_ok_and(|about| !about.is_file() || about.len() > SMALL)
}

/// Whether a folder has rules of ripgrep's own that make it read what git ignores.
fn overrules(folder: &Path) -> bool {
    OVERRULING.iter().any(|name| has_line(&folder.join(name), |line| line.starts_with('!')))
}

/// Whether a folder above, as far as its repository goes, has rules that name something in this one by its way there:
/// older versions of ripgrep forget them when they search from here.
fn anchored_above(folder: &Path) -> bool {
    let repository = folder.ancestors().take_while(|up| !up.join(".git").exists()).count();
    folder.ancestors().skip(1).take(repository).any(|up| {
        let below = folder.strip_prefix(up).unwrap_or(folder);
        let Some(next) = below.iter().next().and_then(|name| name.to_str()) else { return true };
        has_line(&up.join(".gitignore"), |line| {
            let way = line.trim_end_matches('/');
            let step = way.trim_start_matches('/').split('/').next().unwrap_or_default();
            way.contains('/') && (step == next || step.contains(['*', '?', '[', '\\']))
        })
    })
}

/// Whether a file has such a line, or can't be read.
fn has_line(file: &Path, such: impl Fn(&str) -> bool) -> bool {
    private::read_if_there(file, SMALL).map_or(true, |text| text.unwrap_or_default().lines().any(such))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place in a folder of its own, with these files.
    fn place(files: &[&str]) -> (tempfile::TempDir, Place) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in files {
            let at = root.join(file);
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            std::fs::write(at, if file.ends_with(".gitignore") { ".env\n/kept\n" } else { "" }).unwrap();
        }
        let place = Place { cwd: root.clone(), workspace: root, home: None };
        (folder, place)
    }

    fn met(place: &Place, glob: Option<&str>, sparing: bool) -> Met {
        let deadline = Instant::now() + Duration::from_mins(1);
        first(&place.workspace, glob, sparing, &Sensitive::default(), place, deadline)
    }

    #[cfg(unix)]
    #[test]
    fn rules_without_end_spare_nothing_and_hold_nobody_up() {
        for at in [".gitignore", "a/.gitignore"] {
            let (_folder, place) = place(&["a/b/notes.txt", ".git/HEAD"]);
            std::os::unix::fs::symlink("/dev/zero", place.workspace.join(at)).unwrap();
            assert_eq!(met(&place, None, true), Met::Nothing);
            let env = place.workspace.join("a/b/.env");
            std::fs::write(&env, "").unwrap();
            assert_eq!(met(&place, None, true), Met::Sensitive(env), "{at}");
        }
    }

    #[test]
    fn a_sensitive_file_is_met_and_too_many_files_are_said() {
        let (_folder, place) = place(&["a/b/notes.txt"]);
        assert_eq!(met(&place, None, false), Met::Nothing);
        let env = place.workspace.join("a/b/.env");
        std::fs::write(&env, "").unwrap();
        assert_eq!(met(&place, None, false), Met::Sensitive(env));
        let many = place.workspace.join("many");
        std::fs::create_dir(&many).unwrap();
        for number in 0..=ENTRIES {
            std::fs::write(many.join(number.to_string()), "").unwrap();
        }
        let late = |deadline| first(&many, None, false, &Sensitive::default(), &place, deadline);
        assert_eq!(late(Instant::now()), Met::TooMany);
        assert_eq!(late(Instant::now() + Duration::from_mins(1)), Met::Nothing);
    }

    #[test]
    fn what_git_ignores_is_left_out_where_the_agent_leaves_it_out() {
        let (_folder, place) = place(&[".git/HEAD", ".gitignore", ".env", "a/.env", "kept/server.pem", "src/a.rs"]);
        assert_eq!(met(&place, None, true), Met::Nothing);
        assert_eq!(met(&place, Some("*.rs"), true), Met::Nothing);
        assert!(matches!(met(&place, None, false), Met::Sensitive(_)));
        for glob in ["*", ".env", "*.rs .e*", "*.rs,.env", "{.env,x}", "**/.env"] {
            assert!(matches!(met(&place, Some(glob), true), Met::Sensitive(_)), "{glob}: a glob names what is ignored");
        }
        std::fs::write(place.workspace.join("src/key.pem"), "").unwrap();
        assert!(matches!(met(&place, None, true), Met::Sensitive(_)), "it isn't ignored");
    }

    #[test]
    fn outside_of_a_repository_nothing_is_ignored() {
        let (_folder, place) = place(&[".gitignore", ".env"]);
        assert!(matches!(met(&place, None, true), Met::Sensitive(_)));
    }

    #[test]
    fn what_outranks_gitignore_is_obeyed() {
        for rules in [".ignore", ".rgignore", "a/.ignore", "../.rgignore"] {
            let (folder, place) = place(&["in/.git/HEAD", "in/.gitignore", "in/a/.env"]);
            let place = Place { cwd: place.cwd.join("in"), workspace: place.workspace.join("in"), ..place };
            std::fs::write(place.workspace.join(rules), "target\n").unwrap();
            assert_eq!(met(&place, None, true), Met::Nothing, "{rules}");
            std::fs::write(place.workspace.join(rules), "target\n!.env\n").unwrap();
            assert!(matches!(met(&place, None, true), Met::Sensitive(_)), "{rules}");
            assert!(matches!(met(&place, Some("*.env"), true), Met::Sensitive(_)), "{rules}");
            drop(folder);
        }
    }

    #[test]
    fn rules_above_that_name_the_way_are_not_counted_on() {
        let (_folder, place) = place(&[".git/HEAD", ".gitignore", "conf/.env", "conf/x"]);
        let below = Place { cwd: place.cwd.join("conf"), workspace: place.workspace.join("conf"), home: None };
        for (rules, spared) in [
            (".env\n/target\ndist/\n", true),
            ("/conf/.env\n", false),
            ("conf/.env\n", false),
            (".env\n**/x/y\n", false),
        ] {
            std::fs::write(place.workspace.join(".gitignore"), rules).unwrap();
            assert_eq!(met(&below, None, true) == Met::Nothing, spared, "{rules}");
            assert_eq!(met(&place, None, true), Met::Nothing, "{rules}");
        }
    }
}
