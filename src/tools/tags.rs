//! Whether what `git describe` prints may be taken for a flag: it is called by the name that stands in an annotated tag
//! itself, which may be another than the one that the tag is found by, and any text.

use std::path::Path;

use super::repository::{common, own};
use super::{objects, refs};
use crate::private::{self, SMALL};

/// Most tags that are looked at, and most bytes of the packed names.
const TAGS: usize = 2_000;
const PACKED: u64 = 16 * 1024 * 1024;

/// Whether no tag of the repository in a folder bears a name in itself that isn't as plain as those of branches are, nor any
/// name in it begins with a dash. False where nobody could tell.
pub(super) fn plain(folder: &Path) -> bool {
    refs::plain(folder) && named(folder).unwrap_or(false)
}

fn named(folder: &Path) -> Option<bool> {
    let common = common(&own(folder)?);
    let kept = common.join("objects");
    let odd =
        private::read_text(&common.join("config"), SMALL).is_ok_and(|text| text.to_lowercase().contains("sha256"));
    let packed = private::read_if_there(&common.join("packed-refs"), PACKED).ok()?.unwrap_or_default();
    // Others may stand in the place of objects, or be kept elsewhere, or be found by an index of all packs together, which
    // git believes before that of each.
    let of_all = |name: &str| kept.join("pack").join(name).symlink_metadata().is_ok();
    if odd
        || of_all("multi-pack-index")
        || of_all("multi-pack-index.d")
        || kept.join("info/alternates").exists()
        || common.join("refs/replace").exists()
        || packed.contains(" refs/replace/")
    {
        return Some(false);
    }
    let mut ids: Vec<String> = Vec::new();
    for line in packed.lines() {
        if let Some((id, _)) = line.split_once(' ').filter(|(_, name)| name.starts_with("refs/tags/")) {
            ids.push(id.to_owned());
        }
    }
    let mut folders = vec![common.join("refs/tags")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.ok()?.path();
            if path.symlink_metadata().ok()?.is_dir() {
                folders.push(path);
            } else {
                ids.push(private::read_text(&path, SMALL).ok()?.trim_end().to_owned());
            }
            (ids.len() <= TAGS && folders.len() <= TAGS).then_some(())?;
        }
    }
    let id = |id: &String| id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"._/+@=-".contains(byte);
    let name = |name: &Vec<u8>| !name.starts_with(b"-") && !name.is_empty() && name.iter().all(byte);
    if ids.len() > TAGS || !ids.iter().all(id) {
        return Some(false);
    }
    for id in &ids {
        if !objects::tag_names(&kept, &id.to_ascii_lowercase())?.iter().all(name) {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    fn git(folder: &Path, arguments: &[&str], input: &str) -> String {
        let mut child = Command::new("git")
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .args(["-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn a_tag_that_calls_itself_like_a_flag_is_seen_wherever_git_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(!plain(root), "no repository");
        git(root, &["init", "-q"], "");
        git(root, &["commit", "-q", "--allow-empty", "-m", "x"], "");
        git(root, &["tag", "light"], "");
        git(root, &["tag", "-a", "-m", "x", "v1.0"], "");
        assert!(plain(root));
        assert!(plain(&root.join("deep")), "found from below");
        git(root, &["pack-refs", "--all"], "");
        git(root, &["repack", "-q", "-a", "-d"], "");
        assert!(plain(root), "packed");
        let commit = git(root, &["rev-parse", "HEAD"], "");
        let tag = |name: &str| format!("object {commit}\ntype commit\ntag {name}\ntagger a <a@b> 1 +0000\n\nx\n");
        for name in ["--output=x", "v2 --output=x", "-p", "v2\t-p", "v\u{a0}-p"] {
            let id = git(root, &["hash-object", "-t", "tag", "--literally", "-w", "--stdin"], &tag(name));
            git(root, &["update-ref", "refs/tags/harmless", &id], "");
            assert!(!plain(root), "{name}");
            git(root, &["repack", "-q", "-a", "-d"], "");
            assert!(!plain(root), "{name}, packed");
            git(root, &["pack-refs", "--all"], "");
            assert!(!plain(root), "{name}, all of it packed");
            git(root, &["update-ref", "-d", "refs/tags/harmless"], "");
            assert!(plain(root), "gone");
        }
        git(root, &["multi-pack-index", "write"], "");
        assert!(!plain(root), "an index of all packs stands before theirs");
        std::fs::remove_file(root.join(".git/objects/pack/multi-pack-index")).unwrap();
        std::fs::write(root.join(".git/refs/tags/none"), format!("{}\n", "1".repeat(40))).unwrap();
        assert!(!plain(root), "a tag whose object is found nowhere");
        std::fs::remove_file(root.join(".git/refs/tags/none")).unwrap();
        assert!(plain(root));
        git(root, &["replace", "-f", "v1.0", "HEAD"], "");
        assert!(!plain(root), "something else stands in its place");
    }
}
