//! Whether an id of git's is one of a file. What git shows of a file by its id has no name by which it could be
//! sensitive, and `git ls-files -s` tells the ids. Read as git keeps its objects (gitformat-pack(5)), since a commit's id
//! looks the same; what can't be read counts as a file's.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::repository::{common, own};
use crate::private::{self, SMALL};

/// Most packs that are looked into, most objects of one that an abbreviated id may be, and most steps to what a delta is
/// of.
const PACKS: usize = 500;
const ALIKE: usize = 16;
const STEPS: usize = 100;
/// Bytes of an id, and where the ids begin in an index of a pack: behind its head and 256 counts.
const ID: usize = 20;
const IDS: u64 = 8 + 256 * 4;

/// Whether an id, or the beginning of one, in the repository of a folder may be one of a file. False where there is no
/// repository, or no such object in it.
pub(super) fn is_file(folder: &Path, id: &str) -> bool {
    let Some(own) = own(folder) else { return false };
    let common = common(&own);
    let objects = common.join("objects");
    let odd =
        private::read_text(&common.join("config"), SMALL).is_ok_and(|config| config.to_lowercase().contains("sha256"));
    odd || objects.join("info/alternates").exists() || !matches!(found(&objects, id), Some(false))
}

/// Whether a file is among the objects of an id; none where that can't be told.
fn found(objects: &Path, id: &str) -> Option<bool> {
    let id = id.to_ascii_lowercase();
    let (first, rest) = (id.get(..2)?, id.get(2..)?);
    for entry in fs::read_dir(objects.join(first)).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(rest) && loose(&entry.path())? {
            return Some(true);
        }
    }
    let packs: Vec<_> = fs::read_dir(objects.join("pack")).into_iter().flatten().flatten().collect();
    let is = |path: &Path, suffix: &str| path.extension().is_some_and(|end| end == suffix);
    let indices: Vec<_> = packs.iter().map(fs::DirEntry::path).filter(|path| is(path, "idx")).collect();
    let bare =
        packs.iter().map(fs::DirEntry::path).any(|path| is(&path, "pack") && !path.with_extension("idx").exists());
    if indices.len() > PACKS || bare {
        return None;
    }
    for index in indices {
        if Pack::open(&index)?.holds_file(&id)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether an object that lies by itself is a file: `blob 12\0…`, deflated.
fn loose(path: &Path) -> Option<bool> {
    let mut head = [0; 5];
    flate2::read::ZlibDecoder::new(private::open_regular(path).ok()?.take(4096)).read_exact(&mut head).ok()?;
    Some(&head == b"blob ")
}

/// An id as git writes it.
fn letters(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| DIGITS[usize::from(digit)]).collect()
}

/// The names that an object bears in itself if it is a tag, wherever it is kept; none where that can't be told, or it is
/// found nowhere.
pub(super) fn tag_names(objects: &Path, id: &str) -> Option<Vec<Vec<u8>>> {
    let (mut names, mut found) = (Vec::new(), false);
    let apart = objects.join(id.get(..2)?).join(id.get(2..)?);
    if apart.symlink_metadata().is_ok() {
        found = true;
        let text = inflated(private::open_regular(&apart).ok()?);
        let end = text.iter().position(|byte| *byte == 0)?;
        if text.starts_with(b"tag ") {
            names.push(tag_name(&text[end + 1..])?);
        }
    }
    for (nth, entry) in fs::read_dir(objects.join("pack")).into_iter().flatten().flatten().enumerate() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "idx") {
            (nth < PACKS).then_some(())?;
            found |= Pack::open(&path)?.add_tag_name(id, &mut names)?;
        }
    }
    found.then_some(names)
}

/// The beginning of what is deflated, as far as that can be read.
fn inflated(from: impl Read) -> Vec<u8> {
    let mut text = Vec::new();
    // Where only the beginning was given, it ends in the midst of it.
    _ = flate2::read::ZlibDecoder::new(from.take(4096)).take(4096).read_to_end(&mut text);
    text
}

/// The name in a tag: it stands in the third line, behind `tag `.
fn tag_name(text: &[u8]) -> Option<Vec<u8>> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let (line, _) = (lines.nth(2)?, lines.next()?);
    line.strip_prefix(b"tag ").map(<[u8]>::to_vec)
}

/// A pack and the index of it.
struct Pack {
    index: File,
    objects: File,
    count: u64,
}

impl Pack {
    fn open(index: &Path) -> Option<Self> {
        let open = |path: &Path| private::open_regular(path).ok();
        let pack = Self { objects: open(&index.with_extension("pack"))?, index: open(index)?, count: 0 };
        let mut head = [0; 8];
        pack.index.read_exact_at(&mut head, 0).ok()?;
        // The first format has no head, and no git makes it any more.
        (&head == b"\xfftOc\0\0\0\x02").then_some(())?;
        Some(Self { count: u64::from(pack.word(8 + 255 * 4)?), ..pack })
    }

    fn word(&self, at: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.index.read_exact_at(&mut bytes, at).ok()?;
        Some(u32::from_be_bytes(bytes))
    }

    fn id(&self, nth: u64) -> Option<String> {
        let mut bytes = [0; ID];
        self.index.read_exact_at(&mut bytes, IDS + nth * ID as u64).ok()?;
        Some(letters(&bytes))
    }

    /// Whether a file is among the objects whose ids begin so.
    fn holds_file(&self, id: &str) -> Option<bool> {
        for (step, nth) in (self.first(id)?..self.count).enumerate() {
            if !self.id(nth)?.starts_with(id) {
                break;
            }
            if step == ALIKE || self.kind(self.place(nth)?)? == 3 {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The first object whose id isn't before another.
    fn first(&self, id: &str) -> Option<u64> {
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = from + (to - from) / 2;
            if self.id(middle)?.as_str() < id {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Some(from)
    }

    /// Where in the pack an object lies.
    fn place(&self, nth: u64) -> Option<u64> {
        let places = IDS + self.count * (ID as u64 + 4);
        let place = self.word(places + nth * 4)?;
        if place & 0x8000_0000 == 0 {
            return Some(u64::from(place));
        }
        let large = places + self.count * 4 + u64::from(place & 0x7fff_ffff) * 8;
        Some(u64::from(self.word(large)?) << 32 | u64::from(self.word(large + 4)?))
    }

    /// Adds the name that an object of a pack bears, if it is there and a tag. One that is a delta of another isn't put
    /// together. Gives whether the object is there.
    fn add_tag_name(&self, id: &str, names: &mut Vec<Vec<u8>>) -> Option<bool> {
        let nth = self.first(id)?;
        if nth >= self.count || self.id(nth)? != id {
            return Some(false);
        }
        // Of two under one id nobody knows which git takes.
        (nth + 1 >= self.count || self.id(nth + 1)? != id).then_some(())?;
        let at = self.place(nth)?;
        if self.kind(at)? != 4 {
            return Some(true);
        }
        let mut bytes = [0; 4096];
        let read = self.objects.read_at(&mut bytes, at).ok()?;
        let bytes = &bytes[..read];
        ((bytes.first()? >> 4) & 7 == 4).then_some(())?;
        let behind = bytes.iter().position(|byte| byte & 0x80 == 0)? + 1;
        names.push(tag_name(&inflated(&bytes[behind..]))?);
        Some(true)
    }

    /// What an object is: 1 a commit, 2 a folder, 3 a file, 4 a tag. A delta is what it is a delta of.
    fn kind(&self, mut at: u64) -> Option<u8> {
        for _ in 0..STEPS {
            let mut head = [0; 64];
            let read = self.objects.read_at(&mut head, at).ok()?;
            let head = &head[..read];
            let kind = (head.first()? >> 4) & 7;
            let behind = head.iter().position(|byte| byte & 0x80 == 0)? + 1;
            match kind {
                6 => {
                    // Each byte but the last says that one follows, and counts one more.
                    let bytes = head.get(behind..)?;
                    let last = bytes.iter().position(|byte| byte & 0x80 == 0)?;
                    let mut back = 0_u64;
                    for (nth, byte) in bytes.get(..=last)?.iter().enumerate() {
                        back = (back.checked_add(u64::from(nth > 0))?.checked_mul(128)?) | u64::from(byte & 0x7f);
                    }
                    at = at.checked_sub(back).filter(|_| back > 0)?;
                }
                7 => {
                    let id = letters(head.get(behind..behind + ID)?);
                    let nth = self.first(&id)?;
                    (nth < self.count && self.id(nth)? == id).then_some(())?;
                    at = self.place(nth)?;
                }
                kind => return Some(kind),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, arguments: &[&str]) -> String {
        let git = Command::new("git")
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .args(["-c", "user.name=ann", "-c", "user.email=ann@example.org"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(git.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&git.stderr));
        String::from_utf8(git.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn files_are_told_from_commits_wherever_git_keeps_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(!is_file(root, "0123abcd"), "no repository");
        git(root, &["init", "-q"]);
        let mut text = "a line of it\n".repeat(400);
        for round in 0..6 {
            text.push_str(&format!("{round}\n"));
            std::fs::write(root.join("a.txt"), &text).unwrap();
            git(root, &["add", "a.txt"]);
            git(root, &["commit", "-q", "-m", "x"]);
        }
        let told = |of: &str| {
            let id = git(root, &["rev-parse", of]);
            (is_file(root, &id), is_file(&root.join("deep"), &id[..7]))
        };
        let all = || {
            for back in 0..6 {
                assert_eq!(told(&format!("HEAD~{back}:a.txt")), (true, true), "a file {back}");
                assert_eq!(told(&format!("HEAD~{back}")), (false, false), "a commit {back}");
                assert_eq!(told(&format!("HEAD~{back}^{{tree}}")), (false, false), "a folder {back}");
            }
        };
        all();
        git(root, &["repack", "-q", "-a", "-d"]);
        all();
        assert!(!is_file(root, "00000000"), "there is none");
        let pack = std::fs::read_dir(root.join(".git/objects/pack")).unwrap().flatten().map(|entry| entry.path());
        let index = pack.into_iter().find(|path| path.extension().is_some_and(|end| end == "idx")).unwrap();
        let bytes = std::fs::read(&index).unwrap();
        std::fs::remove_file(&index).unwrap();
        std::fs::write(&index, &bytes[..bytes.len() / 3]).unwrap();
        assert!(is_file(root, "0123abcd"), "what can't be read is unknown");
    }
}
