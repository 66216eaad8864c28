//! The comparison of layers with workspaces, on layers made by hand as the kernel makes them; and putting in place.

mod additions;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::stat::{Mode, SFlag, mknod};
use nix::unistd::mkfifo;

use super::harvest::{Ground, Harvest, gather};
use super::products::Products;
use super::*;
use crate::assess::Sensitive;
use crate::domain::{Deed, UndoOperation};
use crate::store::{Images, Layer, Layers};
use crate::tools::file::put_back;

/// A workspace with a layer over it.
struct Desk {
    _folder: tempfile::TempDir,
    work: PathBuf,
    images: Images,
    layer: Layer,
    products: Products,
}

impl Desk {
    /// What `prepare` makes in the workspace was there before the run.
    fn new(prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let work = root.join("work");
        fs::create_dir(&work).unwrap();
        prepare(&work);
        // A disk's clock is coarse: nothing that was there may look as if it came with the run.
        std::thread::sleep(Duration::from_millis(30));
        let layers = Layers::new(&root.join("layers"), "s");
        let layer = layers.begin(&work).unwrap();
        std::mem::forget(layers);
        std::thread::sleep(Duration::from_millis(30));
        let images = Images::new(&root.join("images"), "s");
        Self { _folder: folder, work, images, layer, products: Products::default() }
    }

    fn upper(&self, path: &str) -> PathBuf {
        self.layer.upper().join(path)
    }

    /// The run wrote a file.
    fn wrote(&self, path: &str, content: &str) {
        let place = self.upper(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
    }

    /// The run deleted something. False where this system's user may not say so in a layer.
    fn deleted(&self, path: &str) -> bool {
        let place = self.upper(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        mknod(&place, SFlag::S_IFCHR, Mode::empty(), 0).is_ok()
    }

    fn harvest(&self) -> Harvest {
        self.tried().unwrap()
    }

    fn tried(&self) -> Result<Harvest, String> {
        let sensitive = Sensitive::default();
        let (upper, workspace) = (self.layer.upper(), self.work.as_path());
        let home = Some(Path::new("/home/ann"));
        gather(&Ground {
            upper: &upper,
            workspace,
            home,
            since: self.layer.since,
            sensitive: &sensitive,
            products: &self.products,
        })
    }

    /// Puts changes in place for operation `id`.
    fn apply(&self, id: u64, changes: &[StagedChange]) -> Result<(), String> {
        let keeper = Keeper::new(&self.images, OperationId(id));
        for change in changes {
            let done =
                place::set(change, &self.layer.upper(), &self.work, &keeper).map_err(|error| error.to_string())?;
            self.images.note_all(OperationId(id), done.into_iter().collect()).unwrap();
        }
        Ok(())
    }

    fn undo(&self, id: u64) -> Result<(String, String), String> {
        let changes = self.images.changes(OperationId(id)).into_iter().rev().collect();
        let undo = UndoOperation { operations: vec![OperationId(id)], changes };
        put_back(&undo, &Keeper::new(&self.images, OperationId(id + 100)))
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.work.join(path)).ok()
    }
}

fn told(changes: &[StagedChange]) -> Vec<String> {
    changes.iter().map(StagedChange::told).collect()
}

#[test]
fn what_only_adds_is_apart_from_what_changes_or_deletes() {
    let desk = Desk::new(|work| {
        fs::create_dir(work.join("src")).unwrap();
        for name in ["src/a", "src/b", "same", "run.sh"] {
            fs::write(work.join(name), "one\n").unwrap();
        }
    });
    desk.wrote("src/a", "two\n");
    desk.wrote("same", "one\n");
    desk.wrote("run.sh", "one\n");
    fs::set_permissions(desk.upper("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    desk.wrote("new/deep/c", "three\n");
    if !desk.deleted("src/b") {
        return;
    }
    let harvest = desk.harvest();
    assert_eq!(told(&harvest.adds), ["make the folder new", "make the folder new/deep", "add new/deep/c (6 B)"]);
    assert_eq!(
        told(&harvest.waits),
        ["set the permissions of run.sh to 755", "change src/a (then 4 B)", "delete src/b"]
    );
    assert!(harvest.left_out.is_empty() && harvest.products.is_empty());

    desk.apply(3, &harvest.adds).unwrap();
    assert_eq!(desk.read("new/deep/c").as_deref(), Some("three\n"));
    assert_eq!(desk.read("src/a").as_deref(), Some("one\n"), "it waits");
    desk.apply(4, &harvest.waits).unwrap();
    assert_eq!((desk.read("src/a").as_deref(), desk.read("src/b")), (Some("two\n"), None));
    assert_eq!(fs::metadata(desk.work.join("run.sh")).unwrap().permissions().mode() & 0o777, 0o755);
    desk.undo(4).unwrap();
    assert_eq!((desk.read("src/a").as_deref(), desk.read("src/b").as_deref()), (Some("one\n"), Some("one\n")));
    assert_eq!(fs::metadata(desk.work.join("run.sh")).unwrap().permissions().mode() & 0o777, 0o644);
    desk.undo(3).unwrap();
    assert!(!desk.work.join("new").exists(), "folders that it made go too");
    desk.undo(103).unwrap();
    assert_eq!(desk.read("new/deep/c").as_deref(), Some("three\n"), "done again");
}

#[test]
fn a_folder_that_goes_or_becomes_another_is_told_file_by_file() {
    let desk = Desk::new(|work| {
        fs::create_dir_all(work.join("old/in")).unwrap();
        fs::write(work.join("old/in/a"), "a").unwrap();
        symlink("in/a", work.join("old/link")).unwrap();
        fs::create_dir(work.join("again")).unwrap();
        fs::write(work.join("again/gone"), "x").unwrap();
        fs::write(work.join("again/kept"), "x").unwrap();
        fs::write(work.join("turned"), "a file").unwrap();
    });
    if !desk.deleted("old") {
        return;
    }
    // Deleted and made anew: the layer's folder hides all that was in it.
    desk.wrote("again/kept", "y");
    #[cfg(target_os = "linux")]
    rustix::fs::lsetxattr(desk.upper("again"), "user.overlay.opaque", b"y", rustix::fs::XattrFlags::empty()).unwrap();
    desk.wrote("turned/into", "a folder");
    let harvest = desk.harvest();
    assert!(harvest.adds.is_empty());
    assert_eq!(
        told(&harvest.waits),
        [
            "delete again/gone",
            "change again/kept (then 1 B)",
            "delete old/link",
            "delete old/in/a",
            "delete old/in",
            "delete old",
            "delete turned",
            "make the folder turned",
            "add turned/into (8 B)"
        ]
    );
    desk.apply(4, &harvest.waits).unwrap();
    assert!(!desk.work.join("old").exists() && desk.read("turned/into").as_deref() == Some("a folder"));
    desk.undo(4).unwrap();
    assert_eq!(fs::read_link(desk.work.join("old/link")).unwrap(), Path::new("in/a"));
    assert_eq!((desk.read("turned").as_deref(), desk.read("again/gone").as_deref()), (Some("a file"), Some("x")));
}

#[test]
fn what_was_moved_waits_whole() {
    let text = "one\ntwo\nthree\nfour\n";
    let desk = Desk::new(|work| {
        fs::create_dir(work.join("old")).unwrap();
        for (name, content) in [("a", "moved\n"), ("old/b", text), ("old/.keep", ""), ("kept", text)] {
            fs::write(work.join(name), content).unwrap();
        }
    });
    desk.wrote("b", "moved\n");
    desk.wrote("new/b", &text.replace("two", "2"));
    desk.wrote("new/.keep", "");
    desk.wrote("both/in", "moved\n");
    desk.wrote("both/out", "something else\n");
    desk.wrote("empty", "");
    desk.wrote("other", "five\nsix\nseven\neight\n");
    if !desk.deleted("a") || !desk.deleted("old") {
        return;
    }
    let harvest = desk.harvest();
    assert_eq!(
        told(&harvest.adds),
        ["make the folder both", "add both/out (15 B)", "add empty (0 B)", "add other (21 B)"]
    );
    assert_eq!(
        crate::domain::change_lines(&harvest.waits),
        [
            "move a to b",
            "add both/in (6 B)",
            "make the folder new",
            "move old/.keep to new/.keep",
            "add new/b (17 B)",
            "delete old/b",
            "delete old"
        ]
    );
    desk.apply(3, &harvest.adds).unwrap();
    desk.apply(4, &harvest.waits).unwrap();
    assert_eq!((desk.read("a"), desk.read("b").as_deref()), (None, Some("moved\n")));
    assert!(!desk.work.join("old").exists() && desk.read("new/.keep").is_some());
    desk.undo(4).unwrap();
    assert_eq!((desk.read("b"), desk.read("a").as_deref()), (None, Some("moved\n")));
}

#[test]
fn what_makes_a_folder_a_repository_without_the_name_waits_with_it() {
    let desk = Desk::new(|work| {
        for path in ["begun/objects", "mirror/objects", "headless"] {
            fs::create_dir_all(work.join(path)).unwrap();
        }
        fs::write(work.join("mirror/HEAD"), "ref: refs/heads/main").unwrap();
    });
    // New whole, and in the folder above it.
    for path in ["deep/bare/HEAD", "deep/bare/config", "deep/bare/objects/.keep", "deep/bare/refs/.keep", "deep/note"] {
        desk.wrote(path, "x");
    }
    // Begun before, finished now; there before, given more; a link to another repository.
    for path in ["begun/HEAD", "begun/refs/.keep", "mirror/sub/note", "linked/HEAD", "linked/commondir", "sub/.git"] {
        desk.wrote(path, "x");
    }
    // No repository.
    for path in ["headless/HEAD", "plain/config", "plain/refs/x"] {
        desk.wrote(path, "x");
    }
    let harvest = desk.harvest();
    let paths = |changes: &[StagedChange]| {
        changes.iter().map(|change| change.path.display().to_string()).collect::<BTreeSet<_>>()
    };
    let adds = ["deep", "deep/note", "headless/HEAD", "plain", "plain/config", "plain/refs", "plain/refs/x", "sub"];
    assert_eq!(paths(&harvest.adds), adds.map(str::to_owned).into());
    let waits = paths(&harvest.waits);
    for path in ["deep/bare", "deep/bare/config", "begun/HEAD", "mirror/sub/note", "linked/HEAD", "sub/.git"] {
        assert!(waits.contains(path), "{path}: {waits:?}");
    }
}

#[test]
fn a_workspace_that_becomes_a_repository_itself_waits() {
    let desk = Desk::new(|work| fs::create_dir(work.join("refs")).unwrap());
    desk.wrote("HEAD", "x");
    desk.wrote("src/a", "x");
    assert_eq!(told(&desk.harvest().adds), [""; 0]);
}

#[test]
fn special_files_are_never_put_in_place() {
    use std::os::unix::ffi::OsStringExt as _;
    let desk = Desk::new(|_| {});
    mkfifo(&desk.upper("pipe"), Mode::S_IRWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(desk.upper("s"));
    desk.wrote("suid", "x");
    fs::set_permissions(desk.upper("suid"), fs::Permissions::from_mode(0o4755)).unwrap();
    fs::write(desk.layer.upper().join(std::ffi::OsString::from_vec(vec![b'a', 0xff])), "x").unwrap();
    let harvest = desk.harvest();
    assert!(harvest.adds.is_empty() && harvest.waits.is_empty(), "{harvest:?}");
    assert!(harvest.left_out.len() >= 3, "{:?}", harvest.left_out);
}

#[test]
fn what_somebody_else_touched_meanwhile_waits_and_is_compared_again() {
    let desk = Desk::new(|work| {
        fs::create_dir(work.join("quiet")).unwrap();
        fs::create_dir(work.join("busy")).unwrap();
        fs::write(work.join("edited"), "one").unwrap();
    });
    desk.wrote("quiet/new", "x");
    desk.wrote("busy/new", "x");
    desk.wrote("edited", "by the run");
    // The person works on.
    fs::write(desk.work.join("busy/other"), "theirs").unwrap();
    fs::write(desk.work.join("edited"), "theirs").unwrap();
    let harvest = desk.harvest();
    assert_eq!(told(&harvest.adds), ["add quiet/new (1 B)"]);
    assert_eq!(told(&harvest.waits), ["add busy/new (1 B)", "change edited (then 10 B)"]);
    fs::write(desk.work.join("edited"), "theirs, later").unwrap();
    assert!(desk.apply(4, &harvest.waits[1..]).unwrap_err().contains("changed since"));
    fs::write(desk.work.join("quiet/new"), "theirs").unwrap();
    assert!(desk.apply(3, &harvest.adds).is_err());
    assert_eq!(
        (desk.read("edited").as_deref(), desk.read("quiet/new").as_deref()),
        (Some("theirs, later"), Some("theirs"))
    );
}

#[test]
fn no_link_is_followed_on_the_way() {
    let desk = Desk::new(|work| {
        fs::create_dir(work.join("d")).unwrap();
        fs::create_dir(work.parent().unwrap().join("outside")).unwrap();
    });
    desk.wrote("d/new", "x");
    let harvest = desk.harvest();
    fs::remove_dir(desk.work.join("d")).unwrap();
    symlink("../outside", desk.work.join("d")).unwrap();
    assert!(desk.apply(3, &harvest.adds).is_err());
    assert_eq!(fs::read_dir(desk.work.parent().unwrap().join("outside")).unwrap().count(), 0);
}

#[test]
fn build_products_are_put_in_place_and_caches_moved() {
    let mut desk = Desk::new(|work| {
        for name in ["build/kept", "build/old", "target/debug/app", "target/debug/stale"] {
            let place = work.join(name);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, "old").unwrap();
        }
    });
    desk.products.folders.insert("build".into());
    desk.products.caches.insert("target".into());
    desk.wrote("build/kept", "new");
    desk.wrote("build/Makefile", "all:");
    desk.wrote("target/debug/app", "new");
    desk.wrote("target/release/app", "new");
    fs::set_permissions(desk.upper("target/release/app"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("/etc", desk.upper("target/out")).unwrap();
    if !desk.deleted("target/debug/stale") || !desk.deleted("build/old") {
        return;
    }
    let harvest = desk.harvest();
    assert_eq!(told(&harvest.products), ["change build/kept (then 3 B)", "delete build/old"]);
    assert_eq!(told(&harvest.waits), ["add build/Makefile (4 B)"], "others run it");
    assert_eq!(harvest.caches.len(), 1);
    let merged = caches::merge(&desk.upper("target"), &desk.work.join("target"), desk.layer.since).unwrap();
    assert_eq!(merged.left_out, 1);
    assert_eq!((desk.read("target/debug/app").as_deref(), desk.read("target/debug/stale")), (Some("new"), None));
    assert_eq!(fs::metadata(desk.work.join("target/release/app")).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(desk.work.join("target/out").symlink_metadata().is_err());
    desk.wrote("target/debug/app", "newer");
    fs::write(desk.work.join("target/debug/app"), "theirs").unwrap();
    let refused = caches::merge(&desk.upper("target"), &desk.work.join("target"), desk.layer.since);
    assert!(refused.unwrap_err().contains("meanwhile"));
    assert_eq!(desk.read("target/debug/app").as_deref(), Some("theirs"));
}

#[test]
fn a_folder_that_became_a_file_becomes_one_again() {
    let desk = Desk::new(|work| {
        fs::create_dir_all(work.join("docs/deep")).unwrap();
        for name in ["docs/a", "docs/deep/b"] {
            fs::write(work.join(name), name).unwrap();
        }
    });
    desk.wrote("docs", "all in one");
    let harvest = desk.harvest();
    desk.apply(3, &harvest.waits).unwrap();
    assert_eq!(desk.read("docs").as_deref(), Some("all in one"));
    desk.undo(3).unwrap();
    assert_eq!(
        (desk.read("docs/a").as_deref(), desk.read("docs/deep/b").as_deref()),
        (Some("docs/a"), Some("docs/deep/b"))
    );
    desk.undo(103).unwrap();
    assert_eq!(desk.read("docs").as_deref(), Some("all in one"));
}

#[test]
fn what_would_make_build_products_of_what_was_there_waits() {
    let desk = Desk::new(|work| {
        fs::create_dir(work.join("target")).unwrap();
        fs::write(work.join("target/thesis.txt"), "x").unwrap();
    });
    let tag = "Signature: 8a477f597d28d172789f06886806bc55";
    desk.wrote(".gitignore", "target");
    desk.wrote("target/.gitignore", "*");
    desk.wrote("target/CACHEDIR.TAG", tag);
    desk.wrote("new/CACHEDIR.TAG", tag);
    desk.wrote("new/.gitignore", "*");
    let harvest = desk.harvest();
    let paths = |changes: &[StagedChange]| -> BTreeSet<String> {
        changes.iter().map(|change| change.path.display().to_string()).collect()
    };
    let waits = [".gitignore", "target/.gitignore", "target/CACHEDIR.TAG"].map(str::to_owned);
    assert_eq!(paths(&harvest.waits), BTreeSet::from(waits));
    assert_eq!(paths(&harvest.adds), BTreeSet::from(["new", "new/.gitignore", "new/CACHEDIR.TAG"].map(str::to_owned)));
}

#[test]
fn a_folder_of_build_products_that_goes_whole_waits() {
    let mut desk = Desk::new(|work| {
        fs::create_dir(work.join("build")).unwrap();
        fs::write(work.join("build/a"), "x").unwrap();
    });
    desk.products.folders.insert("build".into());
    if !desk.deleted("build") {
        return;
    }
    let harvest = desk.harvest();
    assert!(harvest.products.is_empty());
    assert!(harvest.waits.iter().all(|change| change.deed() == Deed::Delete) && harvest.waits.len() == 2);
}

#[test]
fn a_cache_among_what_others_obey_and_what_they_obey_among_products_waits() {
    let mut desk = Desk::new(|work| fs::create_dir_all(work.join("build/.vscode")).unwrap());
    desk.products.caches.extend([".claude/skills/target".into(), "x/target".into()]);
    desk.products.folders.insert("build".into());
    for file in [".claude/skills/target/a", "x/target/a", "build/.vscode/tasks.json", "build/a"] {
        desk.wrote(file, "x");
    }
    let harvest = desk.harvest();
    assert_eq!(harvest.caches, BTreeSet::from(["x/target".into()]));
    assert_eq!(harvest.products.len(), 1, "{:?}", harvest.products);
    let waits: Vec<String> = harvest.waits.iter().map(|change| change.path.display().to_string()).collect();
    assert!(
        ["build/.vscode/tasks.json", ".claude/skills/target/a"].iter().all(|path| waits.contains(&(*path).to_owned()))
    );
}

#[test]
fn too_much_is_refused_whole() {
    let desk = Desk::new(|_| {});
    (0..=2_000).for_each(|number| desk.wrote(&format!("n{number}"), ""));
    assert!(desk.tried().unwrap_err().contains("more than 2,000 files"));
}
