//! Compares a layer with the workspace that it lies over: what was added, changed, deleted, and what of that may be put
//! in place unasked. The workspace may have changed meanwhile: what somebody else touched since the run began waits.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, Metadata, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use super::super::modules;
use super::links::leads_out;
use super::place::look;
use super::products::{Products, bytecode, compiled_by_python, declares, hidden, obeyed};
use super::{beside, moves};
use crate::assess::{Sensitive, repository, runs_later, visible};
use crate::domain::number::{size, thousands};
use crate::domain::{Deed, Image, Place, StagedChange};
use crate::private;

/// Most changes outside caches that are told apart.
const MOST: usize = 2_000;
/// Most bytes that are read to tell them apart.
const READ: u64 = 1 << 30;
/// Most bytes of build products that are kept before they are replaced; beyond it, their changes wait.
const KEPT: u64 = 32 * 1024 * 1024;
/// Deepest folder that is gone into.
const DEPTH: usize = 128;
/// What Bazel reads. In lower case it is the usual name of a folder, and lists know no other letters.
const BUILD: &str = "BUILD";

/// What lies over what.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    /// What was changed.
    pub(super) upper: &'a Path,
    /// What it lies over.
    pub(super) workspace: &'a Path,
    pub(super) home: Option<&'a Path>,
    /// When the run began.
    pub(super) since: (i64, i64),
    pub(super) sensitive: &'a Sensitive,
    pub(super) products: &'a Products,
}

/// What a layer holds.
#[derive(Debug, Default)]
pub(super) struct Harvest {
    /// What is new where nothing was, folders before what is in them.
    pub(super) adds: Vec<StagedChange>,
    /// Changes of build products.
    pub(super) products: Vec<StagedChange>,
    /// Caches that were changed.
    pub(super) caches: BTreeSet<PathBuf>,
    /// Everything else.
    pub(super) waits: Vec<StagedChange>,
    /// What is never put in place, each with why.
    pub(super) left_out: Vec<String>,
    /// Whether modules that Python compiled were left out.
    compiled: bool,
    read: u64,
}

/// What stands in the workspace where the layer has a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    /// A folder, too.
    Folder,
    /// A folder, too, into which nothing comes before somebody agrees.
    Guarded,
    /// Nothing, and it can be put there.
    Nothing,
    /// Nothing that the content of the new folder can be put into before somebody agrees.
    Waits,
}

/// Goes through a layer.
///
/// # Errors
/// Too much was changed to be told apart, or it can't be read, without the end of a sentence.
pub(super) fn gather(ground: &Ground<'_>) -> Result<Harvest, String> {
    let mut harvest = Harvest::default();
    let top = Path::new("");
    harvest.folder(ground, top, if ground.repository(top) { Base::Guarded } else { Base::Folder }, 0)?;
    if harvest.compiled {
        harvest.left_out.push("__pycache__ (Python makes it anew)".to_owned());
    }
    moves::keep_together(ground, &mut harvest);
    // More than can be kept is not replaced unasked.
    let lost = |change: &StagedChange| match &change.before {
        Image::File { size, .. } => *size,
        Image::Nothing | Image::Folder { .. } | Image::Link { .. } => 0,
    };
    if harvest.products.iter().map(lost).sum::<u64>() > KEPT {
        let (adds, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut harvest.products).into_iter().partition(|change| change.deed() == Deed::Add);
        harvest.products = adds;
        harvest.waits.extend(others);
    }
    Ok(harvest)
}

impl Harvest {
    fn folder(&mut self, ground: &Ground<'_>, path: &Path, base: Base, depth: usize) -> Result<(), String> {
        if depth > DEPTH {
            return Err("it made folders that are too deep".to_owned());
        }
        let (upper, lower) = (ground.upper.join(path), ground.workspace.join(path));
        let names = names(&upper)?;
        let stands = matches!(base, Base::Folder | Base::Guarded);
        // Whether something came or went in the folder since: what is new in the layer may have been there.
        let stirred = stands && fs::symlink_metadata(&lower).is_ok_and(|about| late(&about, ground));
        if stands && opaque(&upper) {
            for name in self::names(&lower)?.difference(&names) {
                self.deleted(ground, &path.join(name))?;
            }
        }
        for name in &names {
            let path = path.join(name);
            if name.to_str().is_none() {
                self.left_out.push(format!("{} (its name is no text)", path.display()));
                continue;
            }
            let above = fs::symlink_metadata(ground.upper.join(&path)).map_err(|error| unread(&path, &error))?;
            let below = if stands { standing(&ground.workspace.join(&path))? } else { None };
            let touched = below.as_ref().map_or(stirred, |below| !below.is_dir() && late(below, ground));
            let held = matches!(base, Base::Guarded | Base::Waits);
            let waits = held || touched || ground.waits(&path, above.is_dir());
            if whiteout(&above) {
                if below.is_some() {
                    self.deleted(ground, &path)?;
                }
            } else if compiled_by_python(Path::new(name)) {
                self.compiled = true;
            } else if above.is_dir()
                && base != Base::Waits
                && below.as_ref().is_none_or(Metadata::is_dir)
                && ground.products.write_through(&path)
            {
                self.caches.insert(path);
            } else if above.is_dir() {
                // What is in a repository waits with it, however deep it lies.
                let guarded = base == Base::Guarded || ground.repository(&path);
                self.directory(ground, &path, (&above, below.as_ref()), (waits, guarded), depth)?;
            } else if special(&above) {
                self.left_out.push(format!("{} (a special file)", path.display()));
            } else {
                self.leaf(ground, &path, (&above, below.as_ref()), waits)?;
            }
        }
        Ok(())
    }

    fn directory(
        &mut self,
        ground: &Ground<'_>,
        path: &Path,
        (above, below): (&Metadata, Option<&Metadata>),
        (waits, guarded): (bool, bool),
        depth: usize,
    ) -> Result<(), String> {
        let after = Image::Folder { mode: above.mode() & 0o777 };
        let base = match below {
            Some(below) if below.is_dir() => {
                let before = Image::Folder { mode: below.mode() & 0o777 };
                if before != after {
                    self.keep(ground, StagedChange { path: path.to_path_buf(), before, after }, true)?;
                }
                if guarded { Base::Guarded } else { Base::Folder }
            }
            Some(_) => {
                self.deleted(ground, path)?;
                self.keep(ground, StagedChange { path: path.to_path_buf(), before: Image::Nothing, after }, true)?;
                Base::Waits
            }
            None => {
                let waits = waits || guarded;
                self.keep(ground, StagedChange { path: path.to_path_buf(), before: Image::Nothing, after }, waits)?;
                if waits { Base::Waits } else { Base::Nothing }
            }
        };
        // A run may have closed its own folder; nobody else uses it any more.
        if above.mode() & 0o500 != 0o500 {
            let open = Permissions::from_mode(above.mode() & 0o777 | 0o700);
            fs::set_permissions(ground.upper.join(path), open).map_err(|error| unread(path, &error))?;
        }
        self.folder(ground, path, base, depth + 1)
    }

    /// A file or a link.
    fn leaf(
        &mut self,
        ground: &Ground<'_>,
        path: &Path,
        (above, below): (&Metadata, Option<&Metadata>),
        waits: bool,
    ) -> Result<(), String> {
        if above.is_file() && above.mode() & 0o6000 != 0 {
            self.left_out.push(format!("{} (it would run as another user)", path.display()));
            return Ok(());
        }
        let after = self.image(&ground.upper.join(path), path)?;
        if let Image::Link { target } = &after
            && target.to_str().is_none()
        {
            self.left_out.push(format!("{} (where it leads is no text)", path.display()));
            return Ok(());
        }
        let waits = waits
            || below.is_none() && !ground.products.hold(path) && program(&ground.upper.join(path), above)
            || matches!(&after, Image::Link { target }
                if leads_out(ground.upper, ground.workspace, path, target) || ground.stands_for_waiting(path, target));
        let before = match below {
            None => Image::Nothing,
            Some(below) if below.is_dir() || special(below) => {
                self.deleted(ground, path)?;
                return self.keep(
                    ground,
                    StagedChange { path: path.to_path_buf(), before: Image::Nothing, after },
                    true,
                );
            }
            Some(_) => self.image(&ground.workspace.join(path), path)?,
        };
        let sort = |image: &Image| matches!(image, Image::File { .. });
        if before != Image::Nothing && sort(&before) != sort(&after) {
            self.deleted(ground, path)?;
            return self.keep(ground, StagedChange { path: path.to_path_buf(), before: Image::Nothing, after }, true);
        }
        // It was only opened, or got another time.
        if before == after {
            return Ok(());
        }
        self.keep(ground, StagedChange { path: path.to_path_buf(), before, after }, waits)
    }

    /// Something of the workspace is gone, with all that was in it: the inner first.
    fn deleted(&mut self, ground: &Ground<'_>, path: &Path) -> Result<(), String> {
        let mut waiting = vec![(path.to_path_buf(), false)];
        let mut gone = Vec::new();
        while let Some((path, entered)) = waiting.pop() {
            let place = ground.workspace.join(&path);
            let Some(about) = standing(&place)? else { continue };
            if special(&about) || path.to_str().is_none() {
                // Nothing could bring it back, so nothing around it goes either.
                self.left_out.push(format!("deleting {} (it is no file)", path.display()));
                return Ok(());
            }
            if about.is_dir() && !entered {
                waiting.push((path.clone(), true));
                waiting.extend(names(&place)?.into_iter().map(|name| (path.join(name), false)));
            } else {
                let before = self.image(&place, &path)?;
                gone.push(StagedChange { path, before, after: Image::Nothing });
            }
            if gone.len() + waiting.len() > MOST {
                return Err(many());
            }
        }
        // A folder of build products that goes whole may hold what nobody can make again.
        let whole = gone.last().is_some_and(|last| ground.products.folders.contains(&last.path));
        for change in gone {
            let touched = standing(&ground.workspace.join(&change.path))?
                .is_none_or(|about| !about.is_dir() && late(&about, ground));
            let waits = whole || touched || ground.waits(&change.path, false);
            self.keep(ground, change, waits)?;
        }
        Ok(())
    }

    /// Keeps a change where it belongs.
    fn keep(&mut self, ground: &Ground<'_>, change: StagedChange, waits: bool) -> Result<(), String> {
        let product = ground.products.hold(&change.path);
        match change.deed() {
            _ if waits => self.waits.push(change),
            Deed::Add if !product => self.adds.push(change),
            Deed::Add | Deed::Change | Deed::Permit | Deed::Delete if product => self.products.push(change),
            Deed::Add | Deed::Change | Deed::Permit | Deed::Delete => self.waits.push(change),
        }
        if self.adds.len() + self.products.len() + self.waits.len() > MOST { Err(many()) } else { Ok(()) }
    }

    fn image(&mut self, place: &Path, path: &Path) -> Result<Image, String> {
        self.read += fs::symlink_metadata(place).map(|about| about.len()).unwrap_or_default();
        if self.read > READ {
            return Err(format!("it changed files of more than {}", size(READ)));
        }
        look(place).map_err(|error| format!("{} can't be looked at ({error})", path.display()))
    }
}

impl Ground<'_> {
    /// Whether nothing at a path is ever put in place unasked: git's own files, what others run later or in place of
    /// something else, what is sensitive, what would let the next run change unasked what stands around it.
    fn waits(&self, path: &Path, folder: bool) -> bool {
        let place = Place {
            cwd: self.workspace.to_path_buf(),
            workspace: self.workspace.to_path_buf(),
            home: self.home.map(Path::to_path_buf),
        };
        // A cache inside a folder of installed programs is one all the same.
        let product = self.products.hold(path);
        let name = path.file_name().map_or(path, Path::new);
        let full = self.workspace.join(path);
        let later = |path: &Path| runs_later(&path.to_string_lossy(), &place).is_some();
        let stood = path.parent().is_some_and(|folder| real_folder(&self.workspace.join(folder)));
        path.components().any(|part| part.as_os_str() == ".git")
            || declares(name) && stood
            || modules::stands_for(path, folder, |folder| self.package(folder))
            || !product && (hidden(name) || beside::displaces(path, folder, |path| self.stood(path)))
            || bytecode(name)
            || name == Path::new(BUILD) && !folder
            || misleading(name)
            || later(if product { name } else { &full })
            || product && obeyed(path)
            || self.sensitive.means(&full.to_string_lossy(), folder, &place)
    }

    /// Whether something stands at a path of the workspace, whatever became of it in the layer.
    fn stood(&self, path: &Path) -> bool {
        self.workspace.join(path).symlink_metadata().is_ok()
    }

    /// Whether a link is another name of something that is never put in place unasked.
    fn stands_for_waiting(&self, path: &Path, target: &Path) -> bool {
        let whole = self.workspace.join(path).parent().unwrap_or(self.workspace).join(target);
        let mut real = PathBuf::new();
        for part in whole.components() {
            match part {
                Component::ParentDir => _ = real.pop(),
                Component::CurDir => {}
                part => real.push(part),
            }
        }
        real.strip_prefix(self.workspace).is_ok_and(|within| self.waits(within, false) || self.waits(within, true))
    }

    /// Whether a folder is part of a package of Python.
    fn package(&self, folder: &Path) -> bool {
        let begun = |root: &Path| root.join(folder).join("__init__.py").symlink_metadata().is_ok();
        folder != Path::new("") && (begun(self.upper) || begun(self.workspace))
    }

    /// Whether a folder would be a git repository without the name of one, part of which may have been there before:
    /// git obeys the configuration of each folder that looks like one, and runs what it names.
    fn repository(&self, path: &Path) -> bool {
        let mut there: Vec<String> = Vec::new();
        for root in [self.upper, self.workspace] {
            let Ok(names) = fs::read_dir(root.join(path)) else { continue };
            // What was deleted in the layer still stands until somebody agrees.
            let gone = |entry: &DirEntry| entry.metadata().is_ok_and(|about| whiteout(&about));
            there.extend(
                names.flatten().filter(|entry| !gone(entry)).filter_map(|entry| entry.file_name().into_string().ok()),
            );
        }
        repository(there.iter().map(String::as_str))
    }
}

/// Whether a file is one that somebody may run by its name.
fn program(place: &Path, about: &Metadata) -> bool {
    use std::io::Read as _;
    let mut start = [0; 2];
    about.is_file()
        && (about.mode() & 0o111 != 0
            || private::open_regular(place)
                .is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && start == *b"#!"))
}

/// Whether a name may be taken for something else: for a flag where a pattern brings it up, or, by letters that aren't
/// seen, for another name.
fn misleading(name: &Path) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('-') || name.chars().any(char::is_control) || visible(&name) != name
}

fn many() -> String {
    format!("it changed more than {} files", thousands(MOST as u64))
}

fn unread(path: &Path, error: &std::io::Error) -> String {
    format!("{} can't be read ({error})", path.display())
}

/// What stands at a path, a link itself included.
fn standing(path: &Path) -> Result<Option<Metadata>, String> {
    match fs::symlink_metadata(path) {
        Ok(about) => Ok(Some(about)),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => Ok(None),
        Err(error) => Err(unread(path, &error)),
    }
}

fn names(folder: &Path) -> Result<BTreeSet<std::ffi::OsString>, String> {
    let told = |error: std::io::Error| unread(folder, &error);
    fs::read_dir(folder).map_err(told)?.map(|entry| entry.map(|entry| entry.file_name()).map_err(told)).collect()
}

/// Whether it changed since the run began.
fn late(about: &Metadata, ground: &Ground<'_>) -> bool {
    (about.ctime(), about.ctime_nsec()) >= ground.since
}

/// Whether it stands for something that was deleted.
fn whiteout(about: &Metadata) -> bool {
    about.file_type().is_char_device() && about.rdev() == 0
}

/// Neither file, folder nor link.
fn special(about: &Metadata) -> bool {
    !about.is_file() && !about.is_dir() && !about.is_symlink()
}

/// Whether a real folder stands at a path.
pub(super) fn real_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Whether a folder of a layer hides everything that is below it.
pub(super) fn opaque(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return rustix::fs::lgetxattr(folder, "user.overlay.opaque", &mut [0_u8; 8]).is_ok_and(|length| length > 0);
    #[cfg(not(target_os = "linux"))]
    let _ = folder;
    #[cfg(not(target_os = "linux"))]
    false
}

/// The same of a folder that is open.
pub(super) fn marked_opaque(folder: &std::os::fd::OwnedFd) -> bool {
    #[cfg(target_os = "linux")]
    return rustix::fs::fgetxattr(folder, "user.overlay.opaque", &mut [0_u8; 8]).is_ok_and(|length| length > 0);
    #[cfg(not(target_os = "linux"))]
    let _ = folder;
    #[cfg(not(target_os = "linux"))]
    false
}
