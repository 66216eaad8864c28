use super::*;

#[test]
fn an_ordinary_clone_has_no_foreign_keys() {
    let text = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
        \tlogallrefupdates = true\n[remote \"origin\"]\n\turl = https://example.com/x.git\n\
        \tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\
        \tmerge = refs/heads/main\n[core]\n\thooksPath = .husky\n[diff]\n\talgorithm = histogram\n[remote \"origin\"]\n\tgh-resolved = base\n[lfs \"https://example.com/x.git/info/lfs\"]\n\taccess = basic\n[user]\n\tname = A # [filter \"x\"]\n\temail = a@b\n";
    assert_eq!(foreign(text), Vec::<String>::new());
}

#[test]
fn programs_that_git_would_run_are_named() {
    let text = "[core] fsmonitor = ./x\n[filter \"x\"]\n  clean = ./x\n[diff \"y\"] textconv=x\n[GPG]\nprogram=x\n\
        [include]\npath = ../x\n[includeIf \"gitdir:/\"]\npath=x\n[remote \"o\"]\n uploadpack = x\n[alias]\nst=!x\n\
        [log]\nshowSignature\n[core.x] y=z\n[merge \"m\"]\ndriver=x\n[tag] sort = -\"si\"gnature\n[branch] sort = -refname";
    let expected = [
        "core.fsmonitor",
        "filter.*.clean",
        "diff.*.textconv",
        "gpg.program",
        "include.path",
        "includeif.*.path",
        "remote.*.uploadpack",
        "alias.st",
        "log.showsignature",
        "core.*.y",
        "merge.*.driver",
        "tag.sort",
    ];
    assert_eq!(foreign(text), expected);
}

#[test]
fn a_helper_of_gits_own_is_none_of_somebody_elses() {
    assert_eq!(
        foreign("[credential]\nhelper = store\n[credential \"https://x\"]\nhelper=\nhelper = manager-core"),
        [""; 0]
    );
    for helper in ["!touch x", "/tmp/x", "./x", "\"!x\"", "cache --timeout=1"] {
        assert_eq!(foreign(&format!("[credential]\n\thelper = {helper}")), ["credential.helper"], "{helper}");
    }
}

#[test]
fn what_is_not_understood_is_foreign() {
    for text in [
        "[core\nbare = x",
        "[user]\nname = x \\\n[branch]\nfsmonitor = y",
        "# \\\n[core]\nfsmonitor = y",
        "[filter \"x\"] clean = y # ]",
        "[core][filter \"x\"] clean = y",
        "[user \"a]\"] [core] fsmonitor = y",
    ] {
        assert!(!foreign(text).is_empty(), "{text}");
    }
    assert_eq!(foreign("[core]\nx\u{1}y = 1").len(), 1);
}

/// A folder that git takes for a repository, with this configuration.
fn repository(at: &Path, config: &str) {
    std::fs::create_dir_all(at.join("objects")).unwrap();
    std::fs::create_dir_all(at.join("refs")).unwrap();
    std::fs::write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(at.join("config"), config).unwrap();
}

#[test]
fn the_nearest_valid_repository_counts_even_a_bare_one() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    repository(&folder.path().join(".git"), "[core]\nbare = false\n");
    repository(&inner, "[core]\nbare = false\nfsmonitor = x\n");
    assert_eq!(look(&inner).unwrap().foreign_keys, ["core.fsmonitor"]);
    assert!(look(folder.path()).unwrap().foreign_keys.is_empty());
}

#[test]
fn what_git_would_not_take_for_a_repository_hides_none_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let sub = folder.path().join("sub");
    repository(&folder.path().join(".git"), "[diff]\nexternal = evil\n");
    std::fs::create_dir_all(sub.join(".git")).unwrap();
    assert_eq!(look(&sub).unwrap().foreign_keys, ["diff.external"]);
    std::fs::create_dir_all(sub.join("objects")).unwrap();
    std::fs::write(sub.join("HEAD"), "").unwrap();
    std::fs::write(sub.join("config"), "[core]\nbare = true\n").unwrap();
    assert_eq!(look(&sub).unwrap().foreign_keys, ["diff.external"]);
}

#[test]
fn submodules_that_ask_to_be_looked_into_are_foreign() {
    let folder = tempfile::tempdir().unwrap();
    repository(&folder.path().join(".git"), "");
    let modules = folder.path().join(".gitmodules");
    std::fs::write(&modules, "[submodule \"s\"]\n\tpath = s\n\turl = ../s\n").unwrap();
    assert!(look(folder.path()).unwrap().foreign_keys.is_empty());
    std::fs::write(&modules, "[submodule \"s\"]\n\tpath = s\n\tignore = none\n").unwrap();
    assert_eq!(look(folder.path()).unwrap().foreign_keys, ["submodule.*.ignore"]);
}

#[test]
fn the_repository_is_found_above_and_through_a_worktree_file() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("repo/.git/info")).unwrap();
    std::fs::create_dir_all(root.join("repo/src")).unwrap();
    repository(&root.join("repo/.git"), "[core]\nfsmonitor = x\n");
    assert_eq!(look(&root.join("repo/src")).unwrap().foreign_keys, ["core.fsmonitor"]);
    std::fs::create_dir_all(root.join("repo/.git/worktrees/w")).unwrap();
    std::fs::write(root.join("repo/.git/worktrees/w/commondir"), "../..\n").unwrap();
    std::fs::write(root.join("repo/.git/worktrees/w/HEAD"), "ref: refs/heads/w\n").unwrap();
    std::fs::create_dir_all(root.join("tree")).unwrap();
    let pointer = format!("gitdir: {}\n", root.join("repo/.git/worktrees/w").display());
    std::fs::write(root.join("tree/.git"), pointer).unwrap();
    assert_eq!(look(&root.join("tree")).unwrap().foreign_keys, ["core.fsmonitor"]);
    std::fs::write(root.join("repo/.git/info/attributes"), "* filter=x\n").unwrap();
    assert!(look(&root.join("tree")).unwrap().own_attributes);
}

#[test]
fn what_has_no_end_or_waits_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for (file, foreign) in [(".gitmodules", true), (".git/HEAD", true), (".git/config", true), (".git/index", true)] {
        for pipe in [false, true] {
            let _before = std::fs::remove_dir_all(root.join(".git"));
            for part in ["objects", "refs"] {
                std::fs::create_dir_all(root.join(".git").join(part)).unwrap();
            }
            std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
            let _before = std::fs::remove_file(root.join(file));
            if pipe {
                nix::unistd::mkfifo(&root.join(file), nix::sys::stat::Mode::S_IRWXU).unwrap();
            } else {
                std::os::unix::fs::symlink("/dev/zero", root.join(file)).unwrap();
            }
            let found = look(&root).unwrap();
            assert_eq!(!found.foreign_keys.is_empty(), foreign, "{file}: {:?}", found.foreign_keys);
            let _of_both = (tracks(&root.join(".git"), &[OsStr::new("x")]), configurations(&root));
            std::fs::remove_file(root.join(file)).unwrap();
        }
    }
}

#[test]
fn what_git_may_follow_and_nobody_can_read_is_foreign() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (git, tree) = (root.join(".git"), root.join("tree"));
    repository(&git, "");
    std::fs::create_dir(&tree).unwrap();
    for evil in ["evil", "evil "] {
        repository(&root.join(evil), "[core]\nfsmonitor = x\n");
    }
    // Git cuts off as many of them as there are.
    let endless = "\n".repeat(300_000);
    let unread = |file: &Path, start: &[u8], key: &str| {
        let before = std::fs::read(file).ok();
        let folder = if file.starts_with(&tree) { &tree } else { root };
        std::fs::write(file, [start, endless.as_bytes()].concat()).unwrap();
        assert_eq!(look(folder).unwrap().foreign_keys, [key], "too long");
        std::fs::write(file, [start, b"\xff"].concat()).unwrap();
        assert!(!look(folder).unwrap().foreign_keys.is_empty(), "no text");
        std::fs::remove_file(file).unwrap();
        std::os::unix::fs::symlink(file.file_name().unwrap(), file).unwrap();
        assert!(!look(folder).unwrap().foreign_keys.is_empty(), "a link to itself");
        std::fs::remove_file(file).unwrap();
        if let Some(before) = before {
            std::fs::write(file, before).unwrap();
        }
        assert_eq!(look(root).unwrap().foreign_keys, [""; 0]);
    };
    unread(&git.join("commondir"), b"../evil", "a commondir that can't be read");
    unread(&git.join("HEAD"), b"ref: refs/heads/main", "a HEAD that can't be read");
    unread(&tree.join(".git"), b"gitdir: ../evil", "a .git file that can't be read");
    for (file, start) in [(git.join("commondir"), "../"), (tree.join(".git"), "gitdir: ../")] {
        for end in ["evil", "evil\n\n", "evil \n", "evil\0of a name that ends"] {
            std::fs::write(&file, format!("{start}{end}")).unwrap();
            assert!(!look(file.parent().unwrap()).unwrap().foreign_keys.is_empty(), "{end:?}");
        }
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn a_head_that_git_may_read_otherwise_is_foreign() {
    let folder = tempfile::tempdir().unwrap();
    let git = folder.path().join(".git");
    repository(&git, "");
    for head in ["ref:refs/heads/main", "ref: refs/heads/a b", &format!("{} x", "a".repeat(40))] {
        std::fs::write(git.join("HEAD"), head).unwrap();
        assert_eq!(look(folder.path()).unwrap().foreign_keys, ["a HEAD that isn't understood"], "{head}");
    }
    std::fs::remove_file(git.join("HEAD")).unwrap();
    std::os::unix::fs::symlink("refs/heads/main", git.join("HEAD")).unwrap();
    assert_eq!(look(folder.path()).unwrap().foreign_keys, ["a HEAD that is a link"]);
}
