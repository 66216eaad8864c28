//! Tests of the looking, on real folders.

use super::*;
use crate::tools::gather;

fn place(root: &Path) -> Place {
    Place { cwd: root.to_path_buf(), workspace: root.to_path_buf(), home: Some(root.join("home")) }
}

#[test]
fn paths_are_real_after_links_parents_and_the_home_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("home/.ssh")).unwrap();
    std::fs::write(root.join("home/.ssh/key"), "k").unwrap();
    std::os::unix::fs::symlink(root.join("home/.ssh"), root.join("innocent")).unwrap();
    std::os::unix::fs::symlink(root.join("home/new"), root.join("dangling")).unwrap();
    let real = |name: &str| {
        Look::new(&place(&root), None, &mut Seen::default()).path(&located(name, &place(&root)), false).real
    };
    assert_eq!(real("innocent/key"), root.join("home/.ssh/key"));
    assert_eq!(real("~/.ssh/key"), root.join("home/.ssh/key"));
    assert_eq!(real("innocent/../missing/deep"), root.join("home/missing/deep"));
    assert_eq!(real("dangling"), root.join("home/new"));
    assert_eq!(
        Look::new(&place(&root), None, &mut Seen::default()).path(&root.join("nothing"), false).kind,
        PathKind::Missing
    );
}

#[test]
fn content_counts_only_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("a"), "one").unwrap();
    let names = |name: &str| [name.to_owned()].into();
    let watched = Mentions { contents: names("a"), ..Mentions::default() };
    let looked_at = Mentions { paths: names("a"), ..Mentions::default() };
    let before = (gather(&watched, &place(&root), None), gather(&looked_at, &place(&root), None));
    std::fs::write(root.join("a"), "two!").unwrap();
    assert_ne!(gather(&watched, &place(&root), None), before.0);
    assert_eq!(gather(&looked_at, &place(&root), None), before.1);
}

#[test]
fn a_program_is_found_on_the_path_that_children_get() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let found = Look::new(&place(&root), Some(OsStr::new("/nowhere:/bin")), &mut Seen::default()).program("sh");
    assert!(found.is_some_and(|found| found.starts_with("/usr/bin") || found.starts_with("/bin")));
    assert_eq!(Look::new(&place(&root), Some(OsStr::new("/nowhere")), &mut Seen::default()).program("sh"), None);
    std::fs::write(root.join("ls"), "").unwrap();
    assert_eq!(Look::new(&place(&root), None, &mut Seen::default()).program("./ls"), None, "it can't be run");
}

#[test]
fn a_name_that_may_become_a_flag_is_seen_beside_others() {
    for (name, seen) in [("plain.txt", false), ("-o", true), ("a -o out", true), ("x\t.env", true)] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("b"), "").unwrap();
        std::fs::write(folder.path().join(name), "").unwrap();
        assert_eq!(Look::new(&place(folder.path()), None, &mut Seen::default()).dashed(folder.path()), seen, "{name}");
    }
}

#[test]
fn only_so_many_names_are_looked_through_in_all_folders_together() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "").unwrap();
    let place = place(folder.path());
    let mut seen = Seen::default();
    let mut look = Look { listable: 2, ..Look::new(&place, None, &mut seen) };
    assert_eq!([0; 3].map(|_| look.dashed(folder.path())), [false, false, true]);
}

#[test]
fn a_path_is_followed_to_where_the_kernel_would() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("a/b")).unwrap();
    std::fs::write(root.join("a/file"), "").unwrap();
    std::os::unix::fs::symlink("a/b", root.join("link")).unwrap();
    std::os::unix::fs::symlink("link/../file", root.join("chain")).unwrap();
    std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere/x", root.join("dangling")).unwrap();
    let place = place(&root);
    let mut seen = Seen::default();
    let mut look = Look::new(&place, None, &mut seen);
    for (name, real) in [
        ("link/../file", "a/file"),
        ("./a//b/../b/.", "a/b"),
        ("chain", "a/file"),
        ("link/x/../y", "a/b/y"),
        ("missing/../link/x", "link/x"),
        ("dangling", "nowhere/x"),
        ("dangling/x", "dangling/x"),
        ("loop", "loop"),
        ("a/file/x", "a/file/x"),
    ] {
        assert_eq!(look.path(&located(name, &place), false).real, root.join(real), "{name}");
        if let Ok(same) = root.join(name).canonicalize() {
            assert_eq!(same, root.join(real), "{name}");
        }
    }
}

#[test]
fn too_many_names_are_trouble() {
    let paths = (0..=NAMES).map(|number| number.to_string()).collect();
    let facts = gather(&Mentions { paths, ..Mentions::default() }, &place(Path::new("/")), None);
    assert!(facts.trouble.is_some());
}

#[test]
fn what_was_seen_is_shared_until_it_is_refreshed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let place = place(&root);
    let mut seen = Seen::default();
    let mut kind = |age: Duration| {
        seen.refresh(age);
        Look::new(&place, None, &mut seen).path(&root.join("a"), false).kind
    };
    assert_eq!(kind(Duration::from_mins(1)), PathKind::Missing);
    std::fs::write(root.join("a"), "").unwrap();
    assert_eq!(kind(Duration::from_mins(1)), PathKind::Missing);
    assert_eq!(kind(Duration::ZERO), PathKind::File);
}

#[test]
fn what_lies_below_folders_is_looked_through_once_and_only_so_much_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["a/1", "a/2", "a/3", "b/1", "b/2", "b/3"] {
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::fs::write(root.join(name), "").unwrap();
    }
    std::os::unix::fs::symlink(root.join("a"), root.join("l")).unwrap();
    let place = place(&root);
    let mut seen = Seen::default();
    let sensitive = Sensitive::default();
    let mut look = Look { left_below: 5, ..Look::new(&place, None, &mut seen) };
    for name in ["a", "l", "./b/../a"] {
        assert_eq!(look.below(name, true, &sensitive).secret, SecretFact::Nothing, "{name}");
        assert_eq!(look.left_below, 2, "{name}");
    }
    assert_eq!(look.below("b", true, &sensitive).secret, SecretFact::TooMany);
    let mut look = Look::new(&place, None, &mut seen);
    assert_eq!(look.below("b", true, &sensitive).secret, SecretFact::Nothing, "another operation");
}
