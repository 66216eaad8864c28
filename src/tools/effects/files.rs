//! What `rm`, `chmod` and redirections would do to the files that are there now.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::names::paths;
use super::tally::{Found, Tally};
use super::{Effects, landing, linking, making, named, rewriting};
use crate::assess::{Does, Word};
use crate::domain::number::size;
use crate::domain::{Detail, Remedy, Table};

/// Most links, one behind the other, that are followed.
const LINKS: usize = 40;
/// Files that are listed where none of them goes.
const LISTED: usize = 5;

/// Measures one thing, on a thread that may wait for a disk.
///
/// # Errors
/// It can't be told beforehand, as what isn't known.
pub(super) async fn measure(
    effects: &mut Effects,
    folder: PathBuf,
    does: Does,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let cancel = cancel.clone();
    let made = effects.made.clone();
    let measured = tokio::task::spawn_blocking(move || {
        let mut effects = Effects { made, ..Effects::default() };
        let told = look(&mut effects, &folder, &does, &cancel);
        (effects, told)
    });
    let (found, told) = measured.await.map_err(|_| "what it does to files (looking failed)".to_owned())?;
    effects.join(found);
    told
}

impl Effects {
    fn join(&mut self, other: Self) {
        self.briefs.extend(other.briefs);
        self.preview.effects.extend(other.preview.effects);
        self.preview.warnings.extend(other.preview.warnings);
        self.preview.details.extend(other.preview.details);
        self.gone.extend(other.gone);
        self.roots.extend(other.roots);
        self.more |= other.more;
        self.remedies.extend(other.remedies);
        self.unmeasured.extend(other.unmeasured);
        self.made = other.made;
    }

    /// The content of these would be gone.
    pub(super) fn take(&mut self, tally: Tally) {
        for folder in &tally.repositories {
            self.warning(format!("{} is a git repository: its history goes with it.", folder.display()));
        }
        for folder in &tally.linked {
            let name = folder.display();
            self.effect(format!("{name} belongs to a git repository that lies elsewhere, whose history stays."));
        }
        self.more |= tally.more;
        // Where the repository lies is all that such a file says.
        let points = |path: &Path| {
            path.file_name() == Some(OsStr::new(".git"))
                && tally.linked.iter().any(|folder| path.parent() == Some(folder))
        };
        self.gone.extend(tally.files.into_iter().filter(|found| !points(&found.path)));
        self.roots.extend(tally.roots);
        self.roots.extend(tally.linked);
    }
}

fn look(effects: &mut Effects, folder: &Path, does: &Does, cancel: &CancellationToken) -> Result<(), String> {
    match does {
        Does::Delete { names, recursive } => delete(effects, folder, names, *recursive, cancel),
        Does::Listed { names, recursive, whole } => {
            parted(names, folder, *whole, cancel)?;
            delete(effects, folder, names, *recursive, cancel)
        }
        Does::Move { names, goal } => landing::relocate(effects, folder, (names, goal), cancel),
        Does::Copy { names, goal, recursive, links } => {
            landing::copy(effects, folder, (names, goal), (*recursive, *links), cancel)
        }
        Does::Link { names, goal, how } => linking::link(effects, folder, (names, goal), *how, cancel),
        Does::Rights { names, recursive, follows } => rights(effects, folder, names, (*recursive, *follows), cancel),
        Does::Redirect { name, appends } => redirect(effects, folder, name, *appends, cancel),
        Does::Resize { names, to, creates } => rewriting::resize(effects, folder, names, (*to, *creates), cancel),
        Does::Rewrite { names, suffix, follows } => {
            rewriting::rewrite(effects, folder, names, (suffix.as_deref(), *follows), cancel)
        }
        Does::Make { names, folders, parents } => making::make(effects, folder, names, (*folders, *parents), cancel),
        Does::Git { .. }
        | Does::Install { .. }
        | Does::Search(_)
        | Does::Bring(_)
        | Does::Signal(_)
        | Does::Unmeasured(_) => Ok(()),
    }
}

/// A path that a command is given.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Meant {
    /// Real up to its last part; whole where its end says that a folder is meant, not a link to it.
    pub(super) path: PathBuf,
    /// Its last part as it is written; none for `.` and `..`.
    pub(super) name: Option<OsString>,
    /// It ends in a slash.
    pub(super) slash: bool,
    /// It is a link, behind which a slash stands.
    pub(super) link: bool,
}

impl Meant {
    /// What a path means by its letters and by what stands there.
    pub(super) fn of(path: &Path) -> Self {
        let text = path.as_os_str().as_bytes();
        let bare = text.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
        let start = text[..bare].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let (name, slash) = (&text[start..bare], bare < text.len());
        let dots = [b"".as_slice(), b".", b".."].contains(&name);
        let whole = || path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        Self {
            path: if dots || slash { whole() } else { settled(path) },
            name: (!dots).then(|| OsStr::from_bytes(name).to_owned()),
            slash,
            link: slash && Path::new(OsStr::from_bytes(&text[..bare])).is_symlink(),
        }
    }
}

/// What words become, each once.
pub(super) fn all(words: &[Word], folder: &Path, cancel: &CancellationToken) -> Result<Vec<Meant>, String> {
    if words.is_empty() {
        return Err("what is piped to it".to_owned());
    }
    let mut all = Vec::new();
    for word in words {
        all.extend(paths(word, folder, cancel)?.iter().map(|path| Meant::of(path)));
    }
    all.sort();
    all.dedup_by(|one, other| one.path == other.path && one.name.is_none() == other.name.is_none());
    Ok(all)
}

/// A path whose folders are real: the last part may be a link that is meant itself.
pub(super) fn settled(path: &Path) -> PathBuf {
    match (path.parent().and_then(|parent| parent.canonicalize().ok()), path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        (_, None) => path.canonicalize().unwrap_or_else(|_| path.to_path_buf()),
        (None, Some(_)) => path.to_path_buf(),
    }
}

/// A word in a sentence: one that is dots alone would be taken for its end.
pub(super) fn spoken(word: &Word) -> String {
    let shown = word.shown();
    match shown.as_str() {
        "." | "./" => "the folder where it runs".to_owned(),
        ".." | "../" => "the folder above the one where it runs".to_owned(),
        _ => shown,
    }
}

pub(super) fn shown(words: &[Word]) -> String {
    let names: Vec<String> = words.iter().take(super::NAMED).map(spoken).collect();
    let more = words.len().saturating_sub(names.len());
    if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
}

/// Lists some of the files that something happens to, where the words alone don't name them.
pub(super) fn list(effects: &mut Effects, title: &str, tally: &Tally, (words, folder): (&[Word], &Path)) {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let name = |found: &Found| found.path.strip_prefix(&real).unwrap_or(&found.path).display().to_string();
    let written = |found: &Found| words.iter().any(|word| word.text() == Some(&name(found)));
    if tally.files.iter().all(written) {
        return;
    }
    let row = |found: &Found| vec![Some(name(found)), Some(size(found.bytes))];
    let table = Table {
        columns: ["file", "size"].map(str::to_owned).to_vec(),
        types: vec!["TEXT".to_owned(); 2],
        rows: tally.files.iter().take(LISTED).map(row).collect(),
        total: tally.files.len() as u64,
        ..Table::default()
    };
    effects.preview.details.push(Detail::Rows { title: title.to_owned(), table });
}

pub(super) fn missing(effects: &mut Effects, missing: &[PathBuf]) {
    if !missing.is_empty() {
        let are = if missing.len() == 1 { "is" } else { "are" };
        effects.effect(format!("{} {are} not there.", named(missing.iter())));
    }
}

/// Whether what `ls` says of these is their names, one by one, and stays so where it is taken apart at blanks.
fn parted(words: &[Word], folder: &Path, whole: bool, cancel: &CancellationToken) -> Result<(), String> {
    let splits = |byte: &u8| {
        byte.is_ascii_whitespace() || !byte.is_ascii_graphic() && byte.is_ascii() || b"'\"\\".contains(byte)
    };
    for word in words {
        for path in paths(word, folder, cancel)? {
            if !whole && path.is_dir() {
                return Err("which files it is about (it lists what is in folders)".to_owned());
            }
            if path.strip_prefix(folder).unwrap_or(&path).as_os_str().as_bytes().iter().any(splits) {
                return Err("which files it is about (names with blanks or quotes are taken apart)".to_owned());
            }
        }
    }
    Ok(())
}

fn delete(
    effects: &mut Effects,
    folder: &Path,
    words: &[Word],
    recursive: bool,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (mut tally, mut absent, mut spared) = (Tally::default(), Vec::new(), Vec::new());
    let mut dots = false;
    let mut before: Option<PathBuf> = None;
    let mut there = Vec::new();
    for Meant { path, name, link, .. } in all(words, folder, cancel)? {
        if name.is_none() {
            dots = true;
        } else if before.as_ref().is_some_and(|before| path.starts_with(before)) {
            // It goes with the folder that it is in.
        } else if !recursive && path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            spared.push(path);
        } else if !tally.add(&path, recursive, cancel) {
            absent.push(path);
        } else {
            there.push(path.clone());
            // Only what is in a folder goes if a link and a slash name it.
            tally.folders -= usize::from(link && tally.folders > 0);
            before = recursive.then_some(path);
        }
    }
    if dots {
        effects.effect("It refuses to delete `.` and `..`.");
    }
    if !spared.is_empty() {
        effects
            .effect(format!("{}: folders, which it deletes only if they are empty, or leaves.", named(spared.iter())));
        effects.remedies.push(Remedy::ByHand("`mkdir` makes an empty folder again.".to_owned()));
    }
    missing(effects, &absent);
    if !tally.is_empty() {
        let names = if absent.is_empty() { shown(words) } else { named(there.iter()) };
        effects.effect(format!("Deletes {}: {names}.", tally.told()));
        effects.briefs.push(tally.brief());
        if tally.files.is_empty() {
            effects.remedies.push(Remedy::ByHand("the folders are empty.".to_owned()));
        }
        effects.take(tally);
    } else if effects.briefs.is_empty() && spared.is_empty() && !dots {
        effects.briefs.push("nothing there".to_owned());
    }
    Ok(())
}

fn rights(
    effects: &mut Effects,
    folder: &Path,
    words: &[Word],
    (recursive, follows): (bool, bool),
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (mut tally, mut absent) = (Tally::default(), Vec::new());
    for Meant { path, .. } in all(words, folder, cancel)? {
        let real = if follows { path.canonicalize() } else { Ok(path.clone()) };
        if !real.is_ok_and(|real| tally.add(&real, recursive, cancel)) {
            absent.push(path);
        }
    }
    if follows {
        // A link inside is neither changed nor followed.
        tally.leave_links();
    }
    missing(effects, &absent);
    if !tally.is_empty() {
        effects.effect(format!("Changes the rights or owner of {}: {}.", tally.told(), shown(words)));
        effects.briefs.push(format!("rights of {}", tally.brief()));
        list(effects, "files whose rights or owner change", &tally, (words, folder));
        effects.remedies.push(Remedy::Impossible("nobody keeps the rights as they are now.".to_owned()));
    }
    Ok(())
}

fn redirect(
    effects: &mut Effects,
    folder: &Path,
    word: &Word,
    appends: bool,
    cancel: &CancellationToken,
) -> Result<(), String> {
    let (path, link) = match paths(word, folder, cancel)?.as_slice() {
        [one] => written(one).ok_or_else(|| format!("where {} leads", word.shown()))?,
        _ => return Err(format!("where the output goes: {} is several names", word.shown())),
    };
    let name = word.shown();
    other_names(effects, &path);
    if link && path.exists() {
        effects.effect(format!("{name} leads through a link to {}.", path.display()));
    }
    match path.metadata() {
        Err(_) if !path.parent().is_some_and(|parent| parent.is_dir() || making::within(&effects.made, parent)) => {
            effects.warning(format!("As things are now, it would fail: the folder of {name} is not there."));
        }
        Err(_) => {
            effects.effect(if link {
                format!("{name} is a link: it creates {}.", path.display())
            } else {
                format!("Creates {name}.")
            });
            effects.briefs.push("new file".to_owned());
            effects.remedies.push(Remedy::ByHand("deleting the new file undoes it.".to_owned()));
        }
        Ok(found) if found.is_dir() => effects.warning(format!("It would fail: {name} is a folder.")),
        Ok(found) if found.file_type().is_block_device() => {
            effects.warning(format!("{name} is a disk or a part of one: what it holds is written over."));
            effects.briefs.push("writes over a disk".to_owned());
            effects.remedies.push(Remedy::Impossible("nothing is kept of what a disk holds.".to_owned()));
        }
        Ok(found) if appends => {
            effects.effect(format!("Adds to {name}, which has {} now.", size(found.len())));
            effects.briefs.push("adds to 1 file".to_owned());
            effects.remedies.push(Remedy::ByHand("taking the added end away undoes it.".to_owned()));
        }
        Ok(found) if found.len() == 0 || !found.is_file() => {
            effects.effect(format!("Writes to {name}, which is empty or no ordinary file."));
            effects.remedies.push(Remedy::Unknown);
        }
        Ok(found) => {
            effects.effect(format!("Replaces all of {name}, which has {} now.", size(found.len())));
            effects.briefs.push(format!("replaces {}", size(found.len())));
            let mut tally = Tally::default();
            tally.add(&path, false, cancel);
            effects.take(tally);
        }
    }
    Ok(())
}

/// Says that a file which is written in its place has other names, too.
pub(super) fn other_names(effects: &mut Effects, path: &Path) {
    let others = path.metadata().ok().filter(std::fs::Metadata::is_file).map_or(0, |found| found.nlink() - 1);
    if others > 0 {
        let names = if others == 1 { "another name".to_owned() } else { format!("{others} other names") };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        effects.warning(format!("{name} has {names} (hard links): what is there changes, too."));
    }
}

/// The file that writing to a path writes, and whether a link leads there. None if that leads round in a circle.
pub(super) fn written(path: &Path) -> Option<(PathBuf, bool)> {
    let mut at = settled(path);
    for step in 0..LINKS {
        match at.read_link() {
            Ok(target) => at = settled(&at.parent()?.join(target)),
            Err(_) => return Some((at, step > 0)),
        }
    }
    None
}
