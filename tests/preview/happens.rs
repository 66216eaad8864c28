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

/// What a command did: files that went, folders that went, files whose text differs, files that have other rights, and
/// files and folders that are new.
#[derive(Debug, Default, PartialEq, Eq)]
struct Done {
    files: usize,
    bytes: usize,
    folders: usize,
    changed: usize,
    rights: usize,
    new: usize,
    new_folders: usize,
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
    let fresh = |folders: bool| {
        let new = after.iter().filter(|(path, _)| !before.contains_key(*path));
        new.filter(|(_, (text, _))| text.is_none() == folders).count()
    };
    let mut done = Done { new: fresh(false), new_folders: fresh(true), ..Done::default() };
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
        ("dd if=/dev/zero of=new.txt bs=4 count=1 status=none", "Replaces all of new.txt, which has 10 B now"),
        ("perl -pi -e 's/o/0/' src/a.c src/b.c", "Rewrites {changed} files"),
        ("git mv src/deep build/deep", "Moves {files} file ({bytes} B) and {folders} folder"),
    ] {
        compare(&world(), command, says).await;
    }
}

/// Compares what is told of a command with what it then does.
async fn compare(desk: &Desk, command: &str, says: &str) {
    let told = desk.told(command).await;
    let done = run(desk, command);
    let figures = [
        ("{files}", done.files),
        ("{bytes}", done.bytes),
        ("{folders}", done.folders),
        ("{changed}", done.changed),
        ("{rights}", done.rights),
        ("{new}", done.new),
        ("{new folders}", done.new_folders),
    ];
    let says = figures.iter().fold(says.to_owned(), |says, (place, number)| says.replace(place, &number.to_string()));
    assert!(told.contains(&says), "{command}: {told}\nbut {done:?}: {says}");
}

/// The same world, with archives of other files for it: two that are there, three that aren't.
fn packed() -> Desk {
    let desk = world();
    for (path, text) in [
        ("pack/src/a.c", "another\n"),
        ("pack/src/new.c", "new\n"),
        ("pack/build/x.o", "xxxxx"),
        ("pack/fresh/deep/one.txt", "one"),
        ("pack/fresh/größe \\n.txt", "two"),
    ] {
        desk.write(path, text);
    }
    let script = "tar czf a.tgz -C pack . && tar cf whole.tar pack && mkdir empty";
    let made = Command::new("bash").args(["--noprofile", "--norc", "-c", script]).current_dir(desk.path()).status();
    assert!(made.unwrap().success());
    desk
}

#[tokio::test]
async fn what_an_archive_brings_is_told_as_it_then_happens() {
    for (command, says) in [
        ("tar xzf a.tgz", "Brings {new} new files and {new folders} new folders: "),
        ("tar xzf a.tgz", "Replaces {changed} files (18 B): "),
        ("tar -x -f a.tgz -C src", "Brings {new} new files and {new folders} new folders: "),
        ("tar xf a.tgz --directory=empty", "[5 new files] Brings {new} new files and {new folders} new folders: "),
        ("tar xf whole.tar --strip-components=1", "Replaces {changed} files (18 B): "),
        ("tar xf whole.tar --strip-components=2", "Brings {new} new files and {new folders} new folder: "),
        ("tar xf a.tgz ./src", "Replaces {changed} file (13 B): a.c. Brings {new} new file: new.c."),
        ("tar xf a.tgz --skip-old-files", "Brings {new} new files and {new folders} new folders: "),
        ("tar xf a.tgz --skip-old-files", "What is there already is kept: x.o, a.c."),
        ("tar xf a.tgz --exclude=fresh -C empty", "Brings {new} new files and {new folders} new folders: "),
    ] {
        compare(&packed(), command, says).await;
    }
    // What isn't known of the others, what comes says.
    let desk = packed();
    for (command, says) in [
        ("tar xzf none.tgz", "? What `tar` brings (none.tgz is not there) isn't known beforehand."),
        ("tar xzf a.tgz && rm a.tgz", "Deletes 1 file ("),
        ("tar xzf a.tgz && rm -r fresh", "What a part of it does to fresh, which another part changes,"),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn what_a_patch_changes_is_told_as_it_then_happens() {
    let patched = |text: &str| {
        let desk = world();
        desk.git(&["stash", "-q", "-u"]);
        desk.write("x.patch", text);
        desk
    };
    let both =
        "--- a/src/a.c\n+++ b/src/a.c\n@@ -1 +1,2 @@\n-one\n+1\n+2\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+n\n";
    for (command, says) in [
        (
            "git apply x.patch",
            "[2 files] Changes 2 files (+3 −1 lines), {new} of them new: src/a.c, n.txt. Git refuses",
        ),
        ("git apply --include='src/*' x.patch", "Changes {changed} file (+2 −1 lines): src/a.c."),
    ] {
        compare(&patched(both), command, says).await;
    }
    let told = world().told("git apply none.patch").await;
    assert!(told.contains("? What `git apply` does (git said: error: can't open patch"), "{told}");
}

/// Whether a program is there; says so where it isn't.
fn there(program: &str) -> bool {
    let there = Command::new(program).arg("--help").output().is_ok();
    if !there {
        super::left_out::not_here("what it brings", &format!("{program} is not there"));
    }
    there
}

#[tokio::test]
async fn what_unzip_brings_is_told_as_it_then_happens() {
    if !there("zip") || !there("unzip") {
        return;
    }
    let zipped = || {
        let desk = packed();
        let script = "rm pack/fresh/gr* && cd pack && zip -qr ../a.zip .";
        let made = Command::new("bash").args(["--noprofile", "--norc", "-c", script]).current_dir(desk.path()).status();
        assert!(made.unwrap().success());
        desk
    };
    for (command, says) in [
        ("unzip -o a.zip", "Replaces {changed} files (18 B): "),
        ("unzip -qo a.zip", "Brings {new} new files and {new folders} new folders: "),
        ("unzip a.zip -d empty", "[4 new files] Brings {new} new files and {new folders} new folders: "),
        ("unzip -n a.zip", "What is there already is kept: x.o, a.c."),
        ("unzip -oj a.zip -d empty", "Brings {new} new files: "),
        ("unzip -o a.zip 'src/*'", "Replaces {changed} file (13 B): a.c."),
    ] {
        compare(&zipped(), command, says).await;
    }
    let told = zipped().told("unzip a.zip").await;
    assert!(told.contains("Replaces 2 files (18 B) if its question is answered so: x.o, a.c."), "{told}");
}

#[tokio::test]
async fn what_rsync_brings_and_deletes_is_told_as_it_then_happens() {
    if !there("rsync") {
        return;
    }
    for (command, says) in [
        ("rsync -a pack/src/ src/", "Replaces {changed} file (13 B): a.c."),
        ("rsync -a --delete pack/src/ src/", "Deletes {files} files ({bytes} B) and {folders} folder that rsync"),
        ("rsync -av --delete --exclude='*.c' pack/build/ build", "Deletes {files} file ({bytes} B) that rsync"),
        ("rsync -a pack/fresh empty/", "Brings {new} new files and {new folders} new folders: "),
        ("rsync -a pack/src/new.c src/renamed.c", "Brings {new} new file: renamed.c."),
        ("rsync -a pack/src/new.c new.txt", "Replaces {changed} file (10 B): new.txt."),
    ] {
        compare(&packed(), command, says).await;
    }
}
