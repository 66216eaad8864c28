//! Tests of `file_operations` on a real folder.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::*;
use crate::domain::{OperationId, PathKind, Place};
use crate::store::Images;

/// Looks at paths as local reading does, in short.
fn facts(folder: &Path, paths: &[&str]) -> Facts {
    let place = Place { cwd: folder.to_owned(), workspace: folder.to_owned(), home: Some(folder.to_owned()) };
    let mut facts = Facts { place, ..Facts::default() };
    for spelled in paths {
        let path = located(spelled, &facts.place);
        let (real, kind) = match (path.canonicalize(), path.metadata()) {
            (Ok(real), Ok(metadata)) if metadata.is_dir() => (real, PathKind::Folder),
            (Ok(real), Ok(metadata)) if metadata.is_file() => (real, PathKind::File),
            (Ok(real), _) => (real, PathKind::Special),
            (Err(_), _) => {
                let real = folder.canonicalize().unwrap().join(path.strip_prefix(folder).unwrap());
                (real, PathKind::Missing)
            }
        };
        facts.paths.insert((*spelled).to_owned(), PathFact { real, kind, size: 0, content: None });
    }
    facts
}

#[allow(clippy::needless_pass_by_value)] // reads better where it is called
fn run(folder: &Path, operation: FileOperation) -> Result<String, String> {
    let mut paths = vec![operation.path()];
    if let FileOperation::Move { destination, .. } = &operation {
        paths.push(destination);
    }
    let facts = facts(folder, &paths);
    perform(&operation, &facts, 1000, &Keeper::new(&Images::off(), OperationId(1)), &CancellationToken::new())
        .map(|done| done.text)
        .map_err(|error| error.to_string())
}

fn read(folder: &Path, path: &str, offset: Option<u64>, limit: Option<u64>) -> Result<String, String> {
    run(folder, FileOperation::Read { path: path.to_owned(), offset, limit })
}

fn write(folder: &Path, path: &str, content: &str) -> Result<String, String> {
    run(folder, FileOperation::Write { path: path.to_owned(), content: content.to_owned() })
}

fn edit(folder: &Path, old: &str, new: &str, all: bool) -> Result<String, String> {
    let (old, new) = (old.to_owned(), new.to_owned());
    run(folder, FileOperation::Edit { path: "a.txt".to_owned(), old, new, all })
}

fn relocate(folder: &Path, path: &str, destination: &str) -> Result<String, String> {
    run(folder, FileOperation::Move { path: path.to_owned(), destination: destination.to_owned() })
}

fn delete(folder: &Path, path: &str) -> Result<String, String> {
    run(folder, FileOperation::Delete { path: path.to_owned() })
}

#[test]
fn a_token_in_the_configuration_of_a_repository_is_masked() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[remote \"origin\"]\n\turl = https://ann:planted-8c1f@git.example/a\n";
    for (place, masked) in [(".git", true), (".git/modules/a", true), ("other", false)] {
        fs::create_dir_all(folder.path().join(place)).unwrap();
        fs::write(folder.path().join(place).join("config"), text).unwrap();
        let path = format!("{place}/config");
        let said = run(folder.path(), FileOperation::Read { path, offset: None, limit: None }).unwrap();
        assert_eq!(!said.contains("planted-8c1f") && said.contains("Secrets are masked"), masked, "{said}");
    }
}

#[test]
fn a_file_is_read_in_parts_that_say_what_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.txt"), "one\ntwo\nthree\n").unwrap();
    assert_eq!(read(folder, "a.txt", None, None).unwrap(), "one\ntwo\nthree\n");
    let part = read(folder, "~/a.txt", Some(2), Some(1)).unwrap();
    assert_eq!(part, "two\n[Lines 2-2 of 3; read on with offset 3.]");
    assert_eq!(read(folder, "a.txt", Some(9), None).unwrap_err(), "a.txt has only 3 lines");
    let long: String = (1..=5000).map(|line| line.to_string() + " of the file\n").collect();
    fs::write(folder.join("long.txt"), long).unwrap();
    let text = read(folder, "long.txt", None, None).unwrap();
    let next = text.rsplit("offset ").next().unwrap().trim_end_matches(".]").parse().unwrap();
    assert!(text.len() < 5200 && text.contains("of 5000; read on"), "{}", &text[text.len() - 80..]);
    assert!(read(folder, "long.txt", Some(next), Some(1)).unwrap().starts_with(&format!("{next} of the file\n")));
    fs::write(folder.join("wide.txt"), "x".repeat(9000)).unwrap();
    assert!(read(folder, "wide.txt", None, None).unwrap().contains("Line 1 is too long and cut after 5000 bytes"));
}

#[test]
fn what_is_not_a_text_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("b"), [1, 0, 2]).unwrap();
    fs::write(folder.join("empty"), "").unwrap();
    nix::unistd::mkfifo(&folder.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(read(folder, "b", None, None).unwrap_err(), "b is not text but 3 bytes of binary data");
    assert_eq!(read(folder, "empty", None, None).unwrap(), "empty is empty.");
    assert_eq!(read(folder, "none", None, None).unwrap_err(), "none is not there");
    assert!(read(folder, "pipe", None, None).unwrap_err().contains("a pipe"));
    assert!(read(folder, ".", None, None).unwrap_err().contains("is a folder"));
    assert!(read(folder, "/dev/zero", None, None).unwrap_err().contains("a device"));
}

#[test]
fn a_listing_names_folders_files_and_links() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("a\nb"), "12").unwrap();
    symlink("src", folder.join("link")).unwrap();
    let list = |path: &str| run(folder, FileOperation::List { path: path.to_owned() });
    assert_eq!(list(".").unwrap(), "a\\nb  2 bytes\nlink -> src\nsrc/\n");
    assert_eq!(list("src").unwrap(), "src is an empty folder.");
    let exists = |path: &str| run(folder, FileOperation::Exists { path: path.to_owned() }).unwrap();
    assert_eq!(exists("src"), "src exists: a folder.");
    assert_eq!(exists("none/deep"), "none/deep does not exist.");
}

#[test]
fn a_write_creates_folders_and_keeps_permissions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_eq!(write(folder, "new/deep/a.sh", "echo").unwrap(), "new/deep/a.sh created, 4 bytes.");
    let file = folder.join("new/deep/a.sh");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    assert_eq!(write(folder, "new/deep/a.sh", "ls").unwrap(), "new/deep/a.sh replaced, 2 bytes.");
    assert_eq!(fs::read_to_string(&file).unwrap(), "ls");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read_dir(folder.join("new/deep")).unwrap().count(), 1, "no draft stays");
    assert!(write(folder, "new", "x").unwrap_err().contains("is a folder"));
}

#[test]
fn an_edit_needs_one_occurrence_or_all() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.txt"), "one two\r\none three\r\n").unwrap();
    assert!(edit(folder, "one", "1", false).unwrap_err().contains("occurs 2 times"));
    assert!(edit(folder, "two\none", "1", false).unwrap_err().contains("CR LF"));
    assert!(edit(folder, "four", "1", false).unwrap_err().contains("doesn't occur"));
    assert_eq!(edit(folder, "two", "2", false).unwrap(), "1 replacement in a.txt.");
    assert_eq!(edit(folder, "one", "1", true).unwrap(), "2 replacements in a.txt.");
    assert_eq!(fs::read_to_string(folder.join("a.txt")).unwrap(), "1 2\r\n1 three\r\n");
}

#[test]
fn nothing_is_deleted_recursively_and_nothing_overwritten_by_a_move() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("full")).unwrap();
    fs::write(folder.join("full/a"), "a").unwrap();
    fs::write(folder.join("b"), "b").unwrap();
    symlink("b", folder.join("link")).unwrap();
    assert!(delete(folder, "full").unwrap_err().contains("is not empty"));
    assert!(delete(folder, "link").unwrap_err().contains("is a link"));
    assert!(relocate(folder, "b", "full/a").unwrap_err().contains("never overwrites"));
    assert_eq!(relocate(folder, "b", "new/c").unwrap(), "b moved to new/c.");
    assert_eq!(fs::read_to_string(folder.join("new/c")).unwrap(), "b");
    delete(folder, "full/a").unwrap();
    delete(folder, "full").unwrap();
    assert!(!folder.join("full").exists());
}

#[test]
fn a_link_that_came_after_the_judgement_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.txt"), "secret").unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("dir")).unwrap();
    fs::write(folder.path().join("dir/a.txt"), "harmless").unwrap();
    let judged = facts(folder.path(), &["dir/a.txt"]);
    fs::remove_dir_all(folder.path().join("dir")).unwrap();
    symlink(outside.path(), folder.path().join("dir")).unwrap();
    let path = "dir/a.txt".to_owned();
    let operations = [
        FileOperation::Read { path: path.clone(), offset: None, limit: None },
        FileOperation::Write { path: path.clone(), content: "x".to_owned() },
        FileOperation::Delete { path: path.clone() },
    ];
    for operation in operations {
        let done =
            perform(&operation, &judged, 1000, &Keeper::new(&Images::off(), OperationId(1)), &CancellationToken::new());
        assert!(matches!(done, Err(FileError::Changed(_))), "{}", operation.verb());
    }
    assert_eq!(fs::read_to_string(outside.path().join("a.txt")).unwrap(), "secret");
}
