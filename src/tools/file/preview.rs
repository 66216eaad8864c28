//! What a waiting operation on a file would do: the diff of a write or an edit, what a delete or a move takes away.
//! Reads the same way as the operation itself would: at the judged path, through no link, devices unopened.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ignore::WalkBuilder;
use nix::dir::Dir;
use similar::{ChangeTag, TextDiff};
use tokio_util::sync::CancellationToken;

use super::super::Workbench;
use super::super::look::located;
use super::super::versions::{Version, Versions};
use super::real::{self, Sort, Spot, sort};
use super::{FileError, Judged, writing};
use crate::domain::number::{count, size, thousands};
use crate::domain::{Detail, Facts, FileOperation, Measurement, PathKind, Place, Preview, Remedy};

/// Longest text that is compared, in bytes, on either side.
const COMPARED: usize = 4 * 1024 * 1024;
/// Time that comparing may take before it becomes coarse.
const PATIENCE: Duration = Duration::from_millis(800);
/// Most lines of a diff that are shown, and the longest of them in bytes.
const LINES: usize = 2_000;
const LINE: usize = 2_000;
/// Most entries of a folder that are counted.
const ENTRIES: usize = 100_000;

/// Measures an operation. None for what only reads.
pub(super) async fn measure(
    bench: &Arc<Workbench>,
    operation: &FileOperation,
    facts: &Facts,
    cancel: CancellationToken,
) -> Measurement {
    let (own, known) = (operation.clone(), facts.clone());
    let measured = tokio::task::spawn_blocking(move || effect(&own, &known)).await;
    let told = |error: FileError| format!("{}.", sentence(&error.to_string()));
    let Some(effect) = measured.map_err(|_| "Looking at it failed; the log has more.".to_owned())?.map_err(told)?
    else {
        return Ok(None);
    };
    let Effect { mut preview, takes, moves } = effect;
    if moves {
        let path = operation.path();
        let real = facts.paths.get(path).map(|fact| fact.real.clone()).unwrap_or_default();
        preview.effects.push(held(bench, path, &real, &cancel).await);
    }
    if let Some(bytes) = takes {
        let path = operation.path();
        let real = facts.paths.get(path).map(|fact| fact.real.clone()).unwrap_or_default();
        let lost = match Versions::of(bench, std::slice::from_ref(&real), &cancel).await {
            Ok(versions) => versions.version(&real).lost(path),
            Err(reason) => Some(format!("Whether git has {path} isn't known: {reason}.")),
        };
        preview.effects.push(lost.clone().unwrap_or_else(|| format!("Git has {path} as it is now.")));
        preview.remedy = match lost {
            _ if bench.images.would_keep(bytes) => Remedy::Possible("the program keeps what it replaces.".to_owned()),
            None => Remedy::ByHand("git has it as it is now.".to_owned()),
            Some(lost) => Remedy::Impossible(lost),
        };
    }
    Ok(Some(preview))
}

/// What git has of a file, or of the files in a folder, that is moved: a full sentence.
async fn held(bench: &Arc<Workbench>, path: &str, real: &Path, cancel: &CancellationToken) -> String {
    let versions = match Versions::of(bench, &[real.to_path_buf()], cancel).await {
        Ok(versions) => versions,
        Err(reason) => return format!("Whether git has {path} isn't known: {reason}."),
    };
    if !real.is_dir() {
        return versions.version(real).lost(path).unwrap_or_else(|| format!("Git has {path} as it is now."));
    }
    let (folder, stop) = (real.to_path_buf(), cancel.clone());
    let within = tokio::task::spawn_blocking(move || Within::of(&folder, &stop)).await.unwrap_or_default();
    let kept = within.files.iter().filter(|file| versions.version(file) == Version::Kept).count();
    let (files, bytes) = (count(within.files.len(), "file"), size(within.bytes));
    let least = if within.more { "at least " } else { "" };
    match within.files.len() - kept {
        _ if within.files.is_empty() => "There is no file in it.".to_owned(),
        0 => format!("In it {least}{files}, {bytes}: git has all of them as they are now."),
        _ if kept == 0 => format!("In it {least}{files}, {bytes}: git has none of them as they are now."),
        _ => format!("In it {least}{files}, {bytes}: git has {} of them as they are now.", thousands(kept as u64)),
    }
}

/// The files in a folder and in those below it.
#[derive(Default)]
struct Within {
    files: Vec<PathBuf>,
    bytes: u64,
    /// There is more: the bound was reached, or time was up.
    more: bool,
}

impl Within {
    fn of(folder: &Path, cancel: &CancellationToken) -> Self {
        let mut within = Self::default();
        for (seen, entry) in
            WalkBuilder::new(folder).standard_filters(false).follow_links(false).build().flatten().enumerate()
        {
            if seen == ENTRIES || cancel.is_cancelled() {
                within.more = true;
                break;
            }
            if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                within.bytes += entry.path().symlink_metadata().map_or(0, |found| found.len());
                within.files.push(entry.into_path());
            }
        }
        within
    }
}

/// What was measured without git: how many bytes it takes away that git might have, and whether it moves something.
struct Effect {
    preview: Preview,
    takes: Option<u64>,
    moves: bool,
}

impl Effect {
    fn new(brief: String, effect: String) -> Self {
        Self { preview: Preview { brief, effects: vec![effect], ..Preview::default() }, takes: None, moves: false }
    }

    /// It would run and do nothing but fail.
    fn failing(error: &FileError) -> Self {
        let mut effect = Self::new("would fail".to_owned(), String::new());
        effect.preview.effects.clear();
        effect.preview.warnings.push(format!("It would fail: {error}."));
        effect
    }

    fn taking(mut self, bytes: u64) -> Self {
        self.takes = Some(bytes);
        self
    }

    fn remedy(mut self, how: &str) -> Self {
        self.preview.remedy = Remedy::Possible(how.to_owned());
        self
    }

    fn diff(mut self, text: String, path: &Path) -> Self {
        let language = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default().to_owned();
        self.preview.details.push(Detail::Diff { text, language });
        self
    }
}

/// What stands at a path now.
pub(super) enum Present {
    Nothing,
    Text(String),
    /// Not compared: its size in bytes and why.
    Opaque(u64, &'static str),
}

fn effect(operation: &FileOperation, facts: &Facts) -> Result<Option<Effect>, FileError> {
    let path = Judged::of(facts, operation.path())?;
    let link = writing::refuse_link(&path, &located(operation.path(), &facts.place)).err();
    let mut effect = match operation {
        FileOperation::Delete { .. } | FileOperation::Move { .. } if link.is_some() => {
            Effect::failing(&FileError::Link(path.name()))
        }
        FileOperation::Write { content, .. } => write(&path, content)?,
        FileOperation::Edit { old, new, all, .. } => match present(&path) {
            Ok(Present::Text(text)) => match writing::edited(&path, &text, old, new, *all) {
                Ok((edited, _)) => compared(&path, &text, &edited).taking(text.len() as u64),
                Err(error) => Effect::failing(&error),
            },
            Ok(Present::Nothing) => Effect::failing(&FileError::Missing(path.name())),
            Ok(Present::Opaque(bytes, why)) => opaque(&path, bytes, why).taking(bytes),
            Err(error) => Effect::failing(&error),
        },
        FileOperation::Delete { .. } => delete(&path)?,
        FileOperation::Move { destination, .. } => {
            let target = Judged::of(facts, destination)?;
            if target.fact.kind == PathKind::Missing {
                moved(&path, &target)?
            } else {
                Effect::failing(&FileError::Occupied(target.name()))
            }
        }
        FileOperation::Read { .. } | FileOperation::List { .. } | FileOperation::Exists { .. } => return Ok(None),
    };
    if matches!(operation, FileOperation::Write { .. } | FileOperation::Edit { .. }) {
        effect.preview.warnings.extend(other_names(&path));
    }
    effect.preview.warnings.extend(linked(&path, &facts.place));
    Ok(Some(effect))
}

/// Where a path really leads, if that is through a link.
fn linked(path: &Judged<'_>, place: &Place) -> Option<String> {
    let spelled = place.cwd.join(path.spelled);
    let mut within = spelled.ancestors().take_while(|up| *up != place.cwd);
    let real = &path.fact.real;
    let shown = real.strip_prefix(&place.cwd).unwrap_or(real).display();
    within.any(Path::is_symlink).then(|| format!("{} leads through a link to {shown}.", path.spelled))
}

/// What becomes of a file's other names: a finished file is put in its place, under this name alone.
fn other_names(path: &Judged<'_>) -> Option<String> {
    let status = Spot::of(path, false).ok()?.status(path).ok()??;
    let others = count(status.st_nlink.checked_sub(1).filter(|others| *others > 0)?, "other name");
    let regular = sort(&status) == Sort::File;
    regular.then(|| format!("{} has {others} (hard links): there the old content stays.", path.spelled))
}

/// What a write or an edit changes of a text that is there, as a unified diff.
pub(super) fn diff(operation: &FileOperation, facts: &Facts) -> Option<String> {
    let (FileOperation::Write { .. } | FileOperation::Edit { .. }) = operation else { return None };
    let details = effect(operation, facts).ok()??.preview.details;
    details.into_iter().find_map(|detail| if let Detail::Diff { text, .. } = detail { Some(text) } else { None })
}

pub(super) fn present(path: &Judged<'_>) -> Result<Present, FileError> {
    if path.fact.kind == PathKind::Missing {
        return Ok(Present::Nothing);
    }
    let (mut file, status) = Spot::of(path, false)?.open(path)?;
    let bytes = u64::try_from(status.st_size).unwrap_or(u64::MAX);
    if bytes > COMPARED as u64 {
        return Ok(Present::Opaque(bytes, "too long to be compared"));
    }
    match writing::whole(path, &mut file, &status) {
        Ok(text) => Ok(Present::Text(text)),
        Err(FileError::Binary(_, bytes)) => Ok(Present::Opaque(bytes, "not text but binary data")),
        Err(error) => Err(error),
    }
}

fn write(path: &Judged<'_>, content: &str) -> Result<Effect, FileError> {
    let new = format!("{}, {}", lines(content), size(content.len() as u64));
    Ok(match present(path) {
        Ok(Present::Nothing) => {
            let effect = Effect::new(format!("new, {}", lines(content)), format!("Creates the file: {new}."));
            effect.remedy("deleting the new file undoes it.")
        }
        Ok(Present::Text(old)) if content.len() <= COMPARED => compared(path, &old, content).taking(old.len() as u64),
        Ok(Present::Text(old)) => {
            let bytes = old.len() as u64;
            opaque(path, bytes, "too long to be compared").taking(bytes)
        }
        Ok(Present::Opaque(bytes, why)) => {
            let mut effect = opaque(path, bytes, why).taking(bytes);
            effect.preview.effects.push(format!("Its new text has {new}."));
            effect
        }
        Err(error @ (FileError::Folder(_) | FileError::Special(_) | FileError::Changed(_))) => Effect::failing(&error),
        Err(error) => return Err(error),
    })
}

fn opaque(path: &Judged<'_>, bytes: u64, why: &str) -> Effect {
    let effect = format!("Replaces all of {}, which is {why}: {}.", path.spelled, size(bytes));
    Effect::new(format!("replaces {}", size(bytes)), effect)
}

/// A text against another.
pub(in crate::tools) struct Compared {
    /// Lines that are only in the new one.
    pub(in crate::tools) added: u64,
    /// Lines that are only in the old one.
    pub(in crate::tools) removed: u64,
    /// How many places differ.
    places: usize,
    /// The unified diff, as far as it is shown.
    pub(in crate::tools) diff: String,
}

/// Compares texts, for a bounded time.
pub(in crate::tools) fn compare(old: &str, new: &str) -> Compared {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let (mut added, mut removed) = (0, 0);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => added += 1,
            ChangeTag::Delete => removed += 1,
            ChangeTag::Equal => {}
        }
    }
    let places = diff.grouped_ops(3).len();
    let text = diff.unified_diff().context_radius(3).to_string();
    Compared { added, removed, places, diff: shortened(&text) }
}

/// A text against another: how much changes, and the diff.
fn compared(path: &Judged<'_>, old: &str, new: &str) -> Effect {
    if old == new {
        return Effect::new(
            "no change".to_owned(),
            format!("{} has exactly this text: nothing changes.", path.spelled),
        );
    }
    let Compared { added, removed, places, diff } = compare(old, new);
    let total = count(old.lines().count() as u64, "line");
    let signs = format!("+{} −{}", thousands(added), thousands(removed));
    let effect = format!("Changes {signs} lines in {} of {total}.", count(places, "place"));
    Effect::new(format!("{signs} lines"), effect).diff(diff, &path.fact.real)
}

/// The diff as far as it is shown, saying what is left out.
fn shortened(diff: &str) -> String {
    let mut text = String::new();
    let (mut shown, mut left) = (0, 0);
    for line in diff.lines() {
        if shown == LINES {
            left += 1;
            continue;
        }
        shown += 1;
        let cut = line.floor_char_boundary(LINE.min(line.len()));
        text.push_str(&line[..cut]);
        if cut < line.len() {
            text.push_str(&format!("… {} more", size((line.len() - cut) as u64)));
        }
        text.push('\n');
    }
    if left > 0 {
        text.push_str(&format!("@@ {} of the diff left out @@\n", count(left, "more line")));
    }
    text.pop();
    text
}

fn delete(path: &Judged<'_>) -> Result<Effect, FileError> {
    let spot = Spot::of(path, false)?;
    let Some(status) = spot.status(path)? else { return Ok(Effect::failing(&FileError::Missing(path.name()))) };
    let bytes = u64::try_from(status.st_size).unwrap_or(0);
    Ok(match sort(&status) {
        Sort::Folder => match entries(path)? {
            0 => Effect::new("empty folder".to_owned(), "Deletes an empty folder.".to_owned())
                .remedy("making the folder again undoes it."),
            _ => Effect::failing(&FileError::NotEmpty(path.name())),
        },
        Sort::File => {
            let held = match present(path)? {
                Present::Text(text) => lines(&text),
                Present::Nothing => "nothing".to_owned(),
                Present::Opaque(_, why) => why.to_owned(),
            };
            let effect = format!("Deletes a file: {}, {held}.", size(bytes));
            let mut effect = Effect::new(format!("1 file, {}", size(bytes)), effect).taking(bytes);
            if status.st_mode & 0o7000 != 0 {
                let special = "It runs with the rights of its owner or group, which an undo doesn't give back.";
                effect.preview.effects.push(special.to_owned());
            }
            effect
        }
        Sort::Link => Effect::failing(&FileError::Link(path.name())),
        Sort::Special => Effect::new("1 special file".to_owned(), "Deletes a device, a pipe or a socket.".to_owned()),
    })
}

fn moved(path: &Judged<'_>, target: &Judged<'_>) -> Result<Effect, FileError> {
    let spot = Spot::of(path, false)?;
    let Some(status) = spot.status(path)? else { return Ok(Effect::failing(&FileError::Missing(path.name()))) };
    let (brief, what) = match sort(&status) {
        Sort::Folder => {
            let held = entries(path)?;
            let noun = if held == 1 { "entry" } else { "entries" };
            let more = if held == ENTRIES { " or more" } else { "" };
            let held = format!("{} {noun}{more}", thousands(held as u64));
            ("1 folder".to_owned(), format!("a folder of {held}"))
        }
        Sort::File => {
            let bytes = size(u64::try_from(status.st_size).unwrap_or(0));
            (format!("1 file, {bytes}"), format!("a file of {bytes}"))
        }
        Sort::Link => return Ok(Effect::failing(&FileError::Link(path.name()))),
        Sort::Special => ("1 special file".to_owned(), "a device, a pipe or a socket".to_owned()),
    };
    let effect = format!("Moves {what} to {}, where nothing is.", target.spelled);
    let moved = Effect::new(brief, effect).remedy("moving it back undoes it.");
    Ok(Effect { moves: sort(&status) != Sort::Special, ..moved })
}

/// How many entries a folder has, counted up to a bound.
fn entries(path: &Judged<'_>) -> Result<usize, FileError> {
    let mut folder = Dir::from_fd(real::folder(path)?).map_err(|errno| real::explain(path, errno))?;
    let own = |name: &[u8]| name == b"." || name == b"..";
    Ok(folder.iter().flatten().filter(|entry| !own(entry.file_name().to_bytes())).take(ENTRIES).count())
}

fn lines(text: &str) -> String {
    count(text.lines().count(), "line")
}

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
