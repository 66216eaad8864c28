use super::*;

fn found(survey: &Survey, root: &Path) -> Vec<String> {
    let judge = |path: &Path, _| path.file_name().is_some_and(|name| name.to_string_lossy().contains("secret"));
    let found = survey.find(root, &BTreeSet::new(), &BTreeSet::from([root.to_path_buf()]), &judge);
    assert_eq!(found.missed, None);
    found.paths.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect()
}

#[test]
fn what_comes_and_goes_is_seen_and_links_lead_to_what_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let survey = Survey::default();
    std::fs::create_dir_all(root.join("a/b/.git")).unwrap();
    std::fs::write(root.join("a/b/secret"), "").unwrap();
    std::fs::write(root.join("a/b/.git/secret-branch"), "").unwrap();
    std::fs::write(root.join("plain"), "").unwrap();
    assert_eq!(found(&survey, &root), ["a/b/secret"]);
    std::os::unix::fs::symlink("plain", root.join("link-to-secret")).unwrap();
    std::fs::create_dir(root.join("a/secrets")).unwrap();
    std::fs::write(root.join("a/secrets/inside"), "").unwrap();
    assert_eq!(found(&survey, &root), ["a/b/secret", "a/secrets", "plain"]);
    std::fs::remove_file(root.join("a/b/secret")).unwrap();
    assert_eq!(found(&survey, &root), ["a/secrets", "plain"]);
}

#[test]
fn the_same_file_under_a_harmless_name_is_found() {
    for rest in [Duration::ZERO, Duration::from_millis(60)] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let survey = Survey::default();
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::write(root.join("secret"), "").unwrap();
        std::fs::write(root.join("a/other"), "").unwrap();
        let found = || {
            std::thread::sleep(rest);
            let first = found(&survey, &root);
            assert_eq!(found(&survey, &root), first);
            first
        };
        assert_eq!(found(), ["secret"]);
        std::fs::hard_link(root.join("secret"), root.join("a/notes")).unwrap();
        assert_eq!(found(), ["a/notes", "secret"]);
        std::fs::create_dir(root.join("secrets")).unwrap();
        std::fs::write(root.join("secrets/inside"), "").unwrap();
        std::fs::hard_link(root.join("secrets/inside"), root.join("a/plain")).unwrap();
        assert_eq!(found(), ["a/notes", "a/plain", "secret", "secrets"]);
        std::fs::hard_link(root.join("a/other"), root.join("secrets/other")).unwrap();
        assert_eq!(found(), ["a/notes", "a/other", "a/plain", "secret", "secrets"]);
        std::fs::remove_file(root.join("a/plain")).unwrap();
        std::fs::remove_dir_all(root.join("secrets")).unwrap();
        std::fs::remove_file(root.join("a/notes")).unwrap();
        assert_eq!(found(), ["secret"]);
    }
}

#[test]
fn more_than_can_be_hidden_is_said_and_what_lies_near_is_found_first() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for (place, names) in [("node_modules/a", HIDDEN), ("src/b/c", 1)] {
        std::fs::create_dir_all(root.join(place)).unwrap();
        (0..names).for_each(|number| std::fs::write(root.join(place).join(number.to_string()), "").unwrap());
    }
    let none = BTreeSet::new();
    let found = || Survey::default().find(&root, &none, &none, &|_, sort| sort == Sort::File);
    assert_eq!((found().missed, found().paths.len()), (Some(TooMuch::Files), HIDDEN));
    assert!(found().paths.contains(&root.join("src/b/c/0")));
    std::fs::remove_file(root.join("node_modules/a/0")).unwrap();
    assert_eq!((found().missed, found().paths.len()), (None, HIDDEN));
}

#[test]
fn what_a_command_names_is_looked_through_for_a_while_and_the_workspace_whole() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for place in ["work/a/b", "work/target/b", "named/a/b"] {
        std::fs::create_dir_all(root.join(place)).unwrap();
        std::fs::write(root.join(place).join("secret"), "").unwrap();
    }
    let (named, none) = (BTreeSet::from([root.join("named")]), BTreeSet::new());
    let found = |patience| {
        let is_file = |_: &Path, sort| sort == Sort::File;
        Survey::default().find_within(patience, &root.join("work"), (&named, &none), &is_file)
    };
    let short = found(Duration::ZERO);
    let within = BTreeSet::from(["work/a/b/secret", "work/target/b/secret"].map(|path| root.join(path)));
    assert_eq!((short.missed, short.paths), (Some(TooMuch::Time), within));
    let long = found(Duration::from_mins(1));
    assert_eq!((long.missed, long.paths.len()), (None, 3));
}

#[test]
fn folders_that_a_command_names_are_searched_with_the_workspace_under_one_cap_and_none_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for (place, names) in [("work", HIDDEN / 2), ("named/a", HIDDEN / 2), ("named/b", 1), ("other/c", 1)] {
        std::fs::create_dir_all(root.join(place)).unwrap();
        (0..names).for_each(|number| std::fs::write(root.join(place).join(number.to_string()), "").unwrap());
    }
    let survey = Survey::default();
    let found = |named: &[&str]| {
        let named = named.iter().map(|name| root.join(name)).collect();
        survey.find(&root.join("work"), &named, &BTreeSet::new(), &|_, sort| sort == Sort::File)
    };
    let kept = || survey.last.lock().unwrap().folders.len();
    let both = found(&["named/a", "named"]);
    assert_eq!((both.missed, both.paths.len()), (Some(TooMuch::Files), HIDDEN));
    assert_eq!(kept(), 4);
    let one = found(&["other"]);
    assert_eq!((one.missed, one.paths.len(), kept()), (None, HIDDEN / 2 + 1, 3));
    assert_eq!((found(&[]).paths.len(), kept()), (HIDDEN / 2, 1));
}

#[test]
fn links_that_lead_out_of_the_workspace_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (work, other) = (root.join("work"), root.join("other"));
    std::fs::create_dir_all(work.join("docs")).unwrap();
    std::fs::create_dir_all(other.join("deep")).unwrap();
    std::fs::write(other.join("deep/secret"), "").unwrap();
    let survey = Survey::default();
    let judge = |path: &Path, _| path.file_name().is_some_and(|name| name == "secret");
    let found = || survey.find(&work, &BTreeSet::new(), &BTreeSet::new(), &judge).paths;
    assert_eq!(found(), BTreeSet::new());
    std::os::unix::fs::symlink("../../other/deep/secret", work.join("docs/n.txt")).unwrap();
    assert_eq!(found(), BTreeSet::from([other.join("deep/secret")]));
    std::fs::remove_file(work.join("docs/n.txt")).unwrap();
    assert_eq!(found(), BTreeSet::new());
    std::os::unix::fs::symlink("../other", work.join("link")).unwrap();
    assert_eq!(found(), BTreeSet::from([other.join("deep/secret")]));
    std::fs::remove_file(work.join("link")).unwrap();
    std::os::unix::fs::symlink(other.join("late"), work.join("link")).unwrap();
    assert_eq!(found(), BTreeSet::new());
    std::fs::rename(other.join("deep"), other.join("late")).unwrap();
    assert_eq!(found(), BTreeSet::from([other.join("late/secret")]), "what it leads to came later");
}

#[test]
fn a_chain_of_links_that_comes_back_is_followed_anew() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (work, out) = (root.join("work"), root.join("out"));
    std::fs::create_dir_all(work.join("a")).unwrap();
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(work.join("ok"), "").unwrap();
    std::fs::write(out.join("secret"), "").unwrap();
    std::os::unix::fs::symlink(work.join("ok"), out.join("current")).unwrap();
    std::os::unix::fs::symlink("../../out/current", work.join("a/l")).unwrap();
    let survey = Survey::default();
    let judge = |path: &Path, _| path.file_name().is_some_and(|name| name == "secret");
    let found = || {
        std::thread::sleep(Duration::from_millis(60));
        survey.find(&work, &BTreeSet::new(), &BTreeSet::new(), &judge).paths
    };
    assert_eq!((found(), found()), (BTreeSet::new(), BTreeSet::new()));
    std::fs::remove_file(out.join("current")).unwrap();
    std::os::unix::fs::symlink("secret", out.join("current")).unwrap();
    assert_eq!(found(), BTreeSet::from([out.join("secret")]));
}

#[test]
fn a_time_that_is_put_back_hides_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("conf")).unwrap();
    let survey = Survey::default();
    let put_back = || {
        let conf = std::fs::File::open(root.join("conf")).unwrap();
        conf.set_modified(std::time::UNIX_EPOCH).unwrap();
        std::thread::sleep(Duration::from_millis(60));
    };
    put_back();
    assert_eq!((found(&survey, &root), found(&survey, &root)), (vec![], vec![]));
    std::fs::write(root.join("conf/secret"), "").unwrap();
    put_back();
    assert_eq!(found(&survey, &root), ["conf/secret"]);
}
