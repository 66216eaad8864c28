//! What `tar`, `unzip` and `rsync` would bring, and what they would replace or delete where it goes: told from the same
//! program's own listing, where the judge says that it only reads, behind a reader's walls.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::super::Workbench;
use super::super::git::{answer, program};
use super::files::settled;
use super::search::reads;
use super::tally::Tally;
use super::{ACTS, Effects, named};
use crate::assess::{Act, Bringer, Bringing, Clash, Does, Strip};
use crate::domain::number::{count, thousands};
use crate::domain::{Prepared, Remedy};

/// Most names of a listing that are looked up: each is one more look at the disk.
const MOST: usize = 10_000;

/// Bytes of the longest name of a folder.
const LONGEST: usize = 1_024;

/// What comes, as a listing names it, each where it comes to lie.
#[derive(Clone, Debug, Default)]
pub(super) struct Brought {
    /// Files and links.
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    /// What goes as it isn't where the others come from.
    pub(super) deleted: Vec<PathBuf>,
    /// Files of which only time, rights or owner change.
    touched: usize,
    /// Names that would lead out of the folder, which stay where they are.
    astray: usize,
    clash: Option<Clash>,
    by: Option<Bringer>,
    /// The folder where they go.
    base: PathBuf,
}

impl Brought {
    /// What is there by then: of a folder with all that comes into it, the folder.
    pub(super) fn lands(&self) -> Vec<PathBuf> {
        let mut lands: Vec<PathBuf> = Vec::new();
        let mut all: Vec<&PathBuf> = self.files.iter().chain(&self.folders).collect();
        all.sort();
        for path in all.into_iter().filter(|path| **path != self.base) {
            if lands.last().is_none_or(|last| !path.starts_with(last)) {
                lands.push(path.clone());
            }
        }
        lands
    }
}

/// What each part brings that brings something.
pub(super) async fn brought(
    bench: &Arc<Workbench>,
    prepared: &Prepared,
    acts: &[Act],
    cancel: &CancellationToken,
) -> Vec<Option<Result<Brought, String>>> {
    let (mut all, mut asked) = (Vec::new(), 0);
    for act in acts {
        all.push(match (&act.does, &act.folder) {
            (Does::Bring(bringing), Some(folder)) if asked < ACTS => {
                asked += 1;
                let unknown = |why: String| format!("what `{}` brings ({why})", bringing.by.name());
                Some(list(bench, prepared, Path::new(folder), bringing, cancel).await.map_err(unknown))
            }
            (Does::Bring(bringing), _) => Some(Err(format!("what `{}` brings", bringing.by.name()))),
            _ => None,
        });
    }
    all
}

async fn list(
    bench: &Arc<Workbench>,
    prepared: &Prepared,
    folder: &Path,
    bringing: &Bringing,
    cancel: &CancellationToken,
) -> Result<Brought, String> {
    let name = bringing.by.name();
    if !reads(bench, prepared, folder, (name, &bringing.words)) {
        return Err("no rule says that its listing only reads".to_owned());
    }
    if let Some(from) = bringing.from.iter().find(|from| !folder.join(from).exists()) {
        return Err(format!("{from} is not there"));
    }
    // A pipe that it drained would be empty by then.
    let file = |from: &String| folder.join(from).is_file();
    if bringing.by != Bringer::Rsync && !bringing.from.iter().all(file) {
        return Err("it comes from no ordinary file".to_owned());
    }
    // Each name is kept behind it.
    if bringing.to.len() > LONGEST {
        return Err("the folder's name is very long".to_owned());
    }
    let program = program(name, &bench.workspace).ok_or_else(|| format!("there is no {name} on this machine"))?;
    let arguments: Vec<&str> = bringing.words.iter().map(String::as_str).collect();
    let listed = answer(bench, (folder, Some(&prepared.facts)), (name, &program), &arguments, cancel).await?;
    let to = settled(&folder.join(&bringing.to));
    let base = to.canonicalize().unwrap_or(to);
    let mut brought = Brought { clash: bringing.clash, by: Some(bringing.by), base, ..Brought::default() };
    // One file goes to another name.
    let renamed = bringing.by == Bringer::Rsync
        && matches!(bringing.from.as_slice(), [one] if folder.join(one).is_file())
        && !bringing.to.ends_with('/')
        && !brought.base.is_dir();
    for line in listed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if brought.files.len() + brought.folders.len() + brought.deleted.len() >= MOST {
            return Err(format!("it has more than {} names", thousands(MOST as u64)));
        }
        match bringing.by {
            Bringer::Tar | Bringer::Unzip => brought.comes(&unescaped(line, bringing.by)?, bringing.strip),
            Bringer::Rsync => brought.itemized(line, renamed)?,
        }
    }
    let within: BTreeSet<&Path> = brought.files.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    if bringing.by == Bringer::Tar
        && within.iter().any(|up| up.starts_with(&brought.base) && **up != brought.base && up.is_symlink())
    {
        // It takes the link's place, or goes where that leads: which, the version says.
        return Err("a link stands where a folder of it would".to_owned());
    }
    Ok(brought)
}

impl Brought {
    /// One name out of an archive.
    fn comes(&mut self, name: &Path, strip: Strip) {
        let whole = name.as_os_str().as_encoded_bytes().ends_with(b"/");
        // `unzip` leaves such parts out, `tar` the whole member.
        if self.by != Some(Bringer::Unzip) && name.components().any(|part| part == Component::ParentDir) {
            self.astray += 1;
            return;
        }
        let parts: Vec<Component<'_>> = name.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        let left = match strip {
            Strip::Parts(count) => parts.get(count..).unwrap_or_default(),
            Strip::Folders if whole => &[],
            Strip::Folders => &parts[parts.len().saturating_sub(1)..],
        };
        if left.is_empty() {
            return;
        }
        let path = self.base.join(left.iter().collect::<PathBuf>());
        if whole {
            self.folders.insert(path)
        } else {
            self.files.insert(path)
        };
    }

    /// One line of what `rsync` would do: eleven letters, and a name.
    fn itemized(&mut self, line: &[u8], renamed: bool) -> Result<(), String> {
        let unknown = || "its listing isn't understood".to_owned();
        let (letters, name) = line.split_at_checked(12).ok_or_else(unknown)?;
        let letters = std::str::from_utf8(letters).map_err(|_| unknown())?.trim_end();
        // Behind a link stands where it leads, behind another name of a file the first one.
        let behind = |mark: &[u8]| name.windows(mark.len()).position(|part| part == mark);
        let end = match letters.as_bytes() {
            [_, b'L', ..] => behind(b" -> ").ok_or_else(unknown)?,
            [b'h', ..] => behind(b" => ").unwrap_or(name.len()),
            _ => name.len(),
        };
        let path = self.base.join(unescaped(&name[..end], Bringer::Rsync)?.components().as_path());
        let path = if renamed { self.base.clone() } else { path };
        match letters.as_bytes() {
            b"*deleting" => self.deleted.push(path),
            [b'c', b'd', ..] => drop(self.folders.insert(path)),
            [b'>' | b'c' | b'h', ..] => drop(self.files.insert(path)),
            [b'.', b'd', ..] => {}
            [b'.', ..] => self.touched += 1,
            _ => return Err(unknown()),
        }
        Ok(())
    }
}

/// A name as it is. Programs write letters that can't be shown as `\303`, `rsync` as `\#303`.
///
/// # Errors
/// It may be another one.
fn unescaped(line: &[u8], by: Bringer) -> Result<PathBuf, String> {
    let odd = || "a name in it can't be read".to_owned();
    if by == Bringer::Unzip {
        // It writes them as something else.
        let plain = |byte: &u8| byte.is_ascii_graphic() && !b"^?\\".contains(byte) || *byte == b' ';
        return if line.iter().all(plain) { Ok(PathBuf::from(OsString::from_vec(line.to_vec()))) } else { Err(odd()) };
    }
    let (mut name, mut rest) = (Vec::new(), line);
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'\\' || by == Bringer::Rsync && !behind.starts_with(b"#") {
            name.push(*first);
            continue;
        }
        let behind = behind.strip_prefix(b"#").unwrap_or(behind);
        let letter = behind.first().copied().ok_or_else(odd)?;
        let digits = behind.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)));
        if let Some(digits) = digits {
            let value = digits.iter().fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            name.push(u8::try_from(value).map_err(|_| odd())?);
            rest = &behind[3..];
            continue;
        }
        name.push(match letter {
            b'\\' | b'"' | b' ' => letter,
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            _ => return Err(odd()),
        });
        rest = &behind[1..];
    }
    Ok(PathBuf::from(OsString::from_vec(name)))
}

/// Tells what comes, what it replaces and what goes.
pub(super) fn tell(effects: &mut Effects, brought: &Brought, cancel: &CancellationToken) {
    let (mut new, mut taken, mut kept) = (Vec::new(), Tally::default(), Vec::new());
    let (mut folders, mut barred) = (0_usize, Vec::new());
    // What stands in the way of a folder goes; what is in that then is new.
    let mut cleared: BTreeSet<&Path> = BTreeSet::new();
    for path in &brought.folders {
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            // It goes into what a link leads to, or takes the link's place: which, the flags and the version say.
            Ok(found) if found.is_symlink() && path.is_dir() => {}
            Ok(_) if brought.clash == Some(Clash::Kept) => kept.push(path.clone()),
            Ok(_) => {
                taken.add(path, false, cancel);
                cleared.insert(path);
            }
            Err(_) => folders += 1,
        }
    }
    for path in &brought.files {
        let there = path.symlink_metadata().ok().filter(|_| !path.ancestors().skip(1).any(|up| cleared.contains(up)));
        match (there, brought.clash) {
            (None, _) => new.push(path),
            (Some(_), Some(Clash::Kept)) => kept.push(path.clone()),
            (Some(found), _) if found.is_dir() => barred.push(path),
            (Some(_), _) => drop(taken.add(path, false, cancel)),
        }
    }
    let name = brought.by.map_or("it", Bringer::name);
    if !barred.is_empty() {
        effects.warning(format!("It may fail: a folder is there already: {}.", named(barred.into_iter())));
    }
    if brought.astray > 0 {
        effects.warning(format!("{} in it would lead out of the folder.", count(brought.astray, "name")));
    }
    if !new.is_empty() || folders > 0 {
        let files = if new.is_empty() { Vec::new() } else { vec![count(new.len(), "new file")] };
        let folders = if folders > 0 { vec![count(folders, "new folder")] } else { Vec::new() };
        let told = [files, folders].concat();
        let names = if new.is_empty() { String::new() } else { format!(": {}", named(new.into_iter())) };
        effects.effect(format!("Brings {}{names}.", told.join(" and ")));
        effects.briefs.push(told.first().cloned().unwrap_or_default());
        effects.remedies.push(Remedy::ByHand("deleting what is new undoes it.".to_owned()));
    }
    if !taken.is_empty() {
        let names: Vec<&PathBuf> = taken.files.iter().map(|found| &found.path).collect();
        let asks = if brought.clash.is_none() { " if its question is answered so" } else { "" };
        effects.warning(format!("Replaces {}{asks}: {}.", taken.told(), named(names.into_iter())));
        effects.briefs.push(format!("replaces {}", taken.brief()));
        effects.take(taken);
    }
    if !kept.is_empty() {
        effects.effect(format!("What is there already is kept: {}.", named(kept.iter())));
    }
    let mut gone = Tally::default();
    for path in &brought.deleted {
        gone.add(path, false, cancel);
    }
    if !gone.is_empty() {
        let names: Vec<&PathBuf> = gone.files.iter().map(|found| &found.path).collect();
        let names = if names.is_empty() { String::new() } else { format!(": {}", named(names.into_iter())) };
        effects.warning(format!("Deletes {} that {name} doesn't find where it copies from{names}.", gone.told()));
        effects.briefs.push(format!("deletes {}", gone.brief()));
        effects.take(gone);
    }
    if brought.touched > 0 {
        effects.effect(format!("Sets time, rights or owner of {}.", count(brought.touched, "file")));
        effects.remedies.push(Remedy::Impossible("nobody keeps times and rights as they are now.".to_owned()));
    }
    if effects.briefs.is_empty() && effects.preview.effects.is_empty() && effects.preview.warnings.is_empty() {
        effects.effect("Changes no file: all of it is there already.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brought(by: Bringer) -> Brought {
        Brought { by: Some(by), base: PathBuf::from("/w"), ..Brought::default() }
    }

    #[test]
    fn names_that_lead_out_are_told_as_each_program_takes_them() {
        let mut unzip = brought(Bringer::Unzip);
        unzip.comes(Path::new("../notes.txt"), Strip::Parts(0));
        assert_eq!((unzip.astray, unzip.files.contains(Path::new("/w/notes.txt"))), (0, true));
        let mut tar = brought(Bringer::Tar);
        tar.comes(Path::new("../notes.txt"), Strip::Parts(0));
        assert_eq!((tar.astray, tar.files.is_empty()), (1, true));
    }

    #[test]
    fn of_another_name_of_a_file_its_own_is_told() {
        let mut rsync = brought(Bringer::Rsync);
        rsync.itemized(b"hf+++++++++ b => a", false).unwrap();
        rsync.itemized(b">f+++++++++ c => d", false).unwrap();
        let both = ["/w/b", "/w/c => d"].iter().all(|name| rsync.files.contains(Path::new(name)));
        assert!(both, "{:?}", rsync.files);
    }
}
