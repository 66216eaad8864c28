//! The figures of previews against what the commands then do: each is measured, then run, in a folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Desk;

/// Every file and folder below one, but for git's own, with what is in it and its rights.
fn state(folder: &Path) -> BTreeMap<PathBuf, (Option<Vec<u8>>, u32)> {
    use std::os::unix::fs::PermissionsExt as _;
    let (mut all, mut open) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if entry.file_name() == ".git" {
                continue;
            }
            let found = path.symlink_metadata().unwrap();
            let text = if found.is_dir() {
                open.push(path.clone());
                None
            } else if found.is_symlink() {
                Some(fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes())
            } else {
                Some(fs::read(&path).unwrap())
            };
            all.insert(path.strip_prefix(folder).unwrap().to_path_buf(), (text, found.permissions().mode()));
        }
    }
    all
}

/// What a command did: files that went, folders that went, files whose text differs, and files that have other rights.
#[derive(Debug, Default, PartialEq, Eq)]
struct Done {
    files: usize,
    bytes: usize,
    folders: usize,
    changed: usize,
    rights: usize,
}

fn run(desk: &Desk, command: &str) -> Done {
    let before = state(&desk.path());
    let ended = Command::new("bash")
        .args(["--noprofile", "--norc", "-c", command])
        .current_dir(desk.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(ended.status.success(), "{command}: {}", String::from_utf8_lossy(&ended.stderr));
    let after = state(&desk.path());
    let mut done = Done::default();
    for (path, (text, mode)) in &before {
        match (after.get(path), text) {
            (None, Some(text)) => {
                done.files += 1;
                done.bytes += text.len();
            }
            (None, None) => done.folders += 1,
            (Some((now, rights)), _) => {
                done.changed += usize::from(now != text);
                done.rights += usize::from(rights != mode && text.is_some());
            }
        }
    }
    done
}

fn world() -> Desk {
    let desk = Desk::versioned();
    for (path, text) in [
        ("src/a.c", "one\n"),
        ("src/b.c", "two\n"),
        ("src/deep/c.c", "three\n"),
        ("build/x.o", "12345"),
        ("build/y.o", "1234567"),
    ] {
        desk.write(path, text);
    }
    desk.git(&["add", "src"]);
    desk.git(&["commit", "-q", "-m", "second"]);
    desk.write("new.txt", "0123456789");
    desk.write("notes/n.txt", "n");
    desk.write("a.log", "log");
    desk.write("target/t.bin", "tt");
    desk.write("src/a.c", "one, changed\n");
    desk.write("src/b.c", "two, staged\n");
    desk.git(&["add", "src/b.c"]);
    std::os::unix::fs::symlink("src/a.c", desk.path().join("link")).unwrap();
    desk
}

#[tokio::test]
async fn the_figures_are_those_of_what_happens() {
    for (command, says) in [
        ("rm -r src", "Deletes {files} files ({bytes} B) and {folders} folders"),
        ("rm -rf build new.txt link", "Deletes {files} files ({bytes} B) and {folders} folder"),
        ("rm src/*.c", "Deletes {files} files ({bytes} B)"),
        ("find . -name '*.c' -delete", "Deletes {files} files ({bytes} B)"),
        ("find build -type f -delete", "Deletes {files} files ({bytes} B)"),
        ("find src -name '*.c' -exec rm {} +", "Deletes {files} files ({bytes} B)"),
        ("git clean -fd", "{files} "),
        ("git clean -fdx", "{files} "),
        ("git clean -f", "{files} "),
        ("git clean -fX", "{files} "),
        ("git checkout -- .", "{changed} "),
        ("git checkout -- src", "{changed} "),
        ("git restore .", "{changed} "),
        ("git restore --staged --worktree .", "{changed} "),
        ("git reset --hard", "{changed} "),
        ("git reset --hard HEAD~1", "by 1 commit. Throws away the changes in 2 files"),
        ("git stash", "{changed} "),
        ("git rm -rqf src", "{files} "),
        ("chmod -R go-rwx src", "of {rights} files (31 B) and 2 folders"),
        ("chmod 600 new.txt src/a.c", "of {rights} files"),
        ("chmod -R 751 build", "of {rights} files (12 B) and 1 folder"),
        ("sed -i s/one/1/ src/*.c", "Rewrites 2 files"),
        ("sed -i 's/^/x/' src/*.c new.txt", "Rewrites {changed} files"),
        ("echo x > new.txt", "Replaces all of new.txt, which has 10 B now"),
        ("mv src/*.c build/", "Moves {files} files ({bytes} B)"),
        ("mv new.txt src/a.c", "Replaces {changed} file"),
        ("mv src moved", "Moves {files} files ({bytes} B) and {folders} folders"),
        ("cp -r src copy", "Copies 3 files"),
        ("truncate -s 0 new.txt src/a.c", "Cuts {changed} files"),
    ] {
        let desk = world();
        let told = desk.told(command).await;
        let done = run(&desk, command);
        let figures = [
            ("{files}", done.files),
            ("{bytes}", done.bytes),
            ("{folders}", done.folders),
            ("{changed}", done.changed),
            ("{rights}", done.rights),
        ];
        let says =
            figures.iter().fold(says.to_owned(), |says, (place, number)| says.replace(place, &number.to_string()));
        assert!(told.contains(&says), "{command}: {told}\nbut {done:?}: {says}");
    }
}
