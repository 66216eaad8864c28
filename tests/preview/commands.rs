//! Previews of commands that change files.

use std::fs;

use super::Desk;

#[tokio::test]
async fn what_rm_deletes_is_counted_and_looked_up_in_git() {
    let desk = Desk::versioned();
    desk.write("new.txt", "0123456789");
    desk.write("a.log", "x");
    desk.write("target/deep/out.bin", "xx");
    desk.write(".hidden.log", "x");
    for (command, says) in [
        (
            "rm kept.rs",
            "[1 file, 25 B] Deletes 1 file (25 B): kept.rs. undo: git has a copy of each file as it is now.",
        ),
        (
            "rm new.txt",
            "[1 file, 10 B] Deletes 1 file (10 B): new.txt. no undo: git can't bring back the file as now: 1 untracked (new.txt).",
        ),
        (
            "rm *.log",
            "[1 file, 1 B] Deletes 1 file (1 B): *.log. no undo: git can't bring back the file as now: 1 ignored (a.log).",
        ),
        ("rm nothing*", "[nothing there] nothing* is not there. "),
        (
            "rm dir",
            "[] dir: folders, which it deletes only if they are empty, or leaves. \
             undo: `mkdir` makes an empty folder again.",
        ),
        ("ls | wc -l", "nothing"),
        ("make", "? What `make` does isn't known beforehand."),
        ("rm $x", "? What `rm` does isn't known beforehand."),
        ("cat list | xargs rm", "? What `rm` does isn't known beforehand."),
        ("rm \"$x\"", "? What `rm` does isn't known beforehand."),
    ] {
        assert_eq!(desk.told(command).await, says, "{command}");
    }
    let told = desk.told("cd dir && rm -rf ../target ../dir ../new.txt && make").await;
    assert!(told.contains("Deletes 3 files (17 B) and 3 folders: ../target, ../dir, ../new.txt."), "{told}");
    assert!(told.contains("2 of 3 files as now: 1 untracked (new.txt), 1 ignored (out.bin)."), "{told}");
    assert!(told.contains("What `make` does isn't known beforehand."), "{told}");
}

/// Each part is measured by what is there now: where one acts on what another leaves, no number and no way back holds.
#[tokio::test]
async fn nothing_is_promised_where_one_part_acts_on_what_another_leaves() {
    let desk = Desk::versioned();
    desk.write("new.txt", "0123456789");
    desk.write("b.txt", "b");
    desk.write("dir/c.txt", "c");
    for command in [
        "mv new.txt b.txt && rm b.txt",
        "mv new.txt moved.txt && echo hi > moved.txt",
        "mv new.txt moved.txt; mv b.txt moved.txt",
        "mv new.txt dir/ && rm -rf dir",
        "mv new.txt dir/moved.txt && rm dir/*.txt",
        "mv new.txt dir/ && cd dir && rm new.txt",
        "mv new.txt dir/ && find dir -type f -delete",
        "cp b.txt copy.txt && sed -i s/b/c/ copy.txt",
        "echo x > moved.txt; mv moved.txt b.txt",
        "mv new.txt b.txt && git checkout .",
        "mkdir q && mv * q/",
        "mkdir q && mv b.txt q && rm -r q",
        "touch q && mv -n b.txt q",
        "ln -s b.txt l && rm l",
        "mv new.txt gone.txt || true; truncate -s 0 gone.txt",
        "git rm --cached kept.rs && git clean -f",
        "cd dir && git stash && git checkout main",
        "cd dir && git reset --hard; cd ..; rm new.txt",
    ] {
        let told = desk.told(command).await;
        assert!(
            told.contains("isn't known beforehand") && told.contains("one part acts on what another leaves"),
            "{command}: {told}"
        );
        assert!(!told.contains("undo: moving it back"), "{command}: {told}");
    }
    // Where things are put is known also of what isn't measured.
    for command in ["install new.txt b.txt && rm b.txt", "install -d dir/new && rmdir dir/new"] {
        let told = desk.told(command).await;
        assert!(
            told.contains("What `install` does") && told.contains("which another part changes"),
            "{command}: {told}"
        );
    }
    for (command, says) in [
        ("mv new.txt moved.txt && mv b.txt dir/", "undo: moving it back undoes it."),
        (
            "cp new.txt copy.txt && mv new.txt moved.txt",
            "undo: deleting the copies undoes it. Moving it back undoes it.",
        ),
        ("mv new.txt moved.log && rm b*.txt", "Deletes 1 file (1 B): b*.txt."),
        (
            "mkdir q && mv *.txt q/",
            "Moves 2 files (11 B): *.txt into q/. undo: deleting what is new undoes it. Moving it",
        ),
        ("mkdir -p q/r && cp b.txt new.txt q/r", "Copies 2 files (11 B): b.txt, new.txt into q/r. undo: "),
        ("mkdir q && mv b.txt q", "Moves 1 file (1 B): b.txt into q. undo: "),
        ("echo a > fresh.txt; echo b >> fresh.txt", "undo: deleting the new file undoes it."),
        ("git add new.txt && git commit -m x", "Stages 1 file: new.txt. Commits 1 file to main: new.txt. undo: "),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says) && !told.contains("another leaves"), "{command}: {told}");
    }
}

#[tokio::test]
async fn what_is_made_is_told() {
    let desk = Desk::versioned();
    for (command, says) in [
        ("mkdir -p build", "[1 new folder] Makes 1 new folder: build. undo: deleting what is new undoes it."),
        (
            "mkdir -p build && touch build/a",
            "[1 new folder · 1 new file] Makes 1 new folder: build. Makes 1 new file: a.",
        ),
        ("mkdir -p a/b && echo x > a/b/c", "Makes 2 new folders: a, b. Creates a/b/c. undo: "),
        ("mkdir -p dir", "dir is there already."),
        ("mkdir dir", "As things are now, it would fail: dir is there."),
        ("mkdir no/way", "As things are now, it would fail: the folder of way is not there."),
        ("touch no/way", "As things are now, it would fail: the folder of way is not there."),
        ("touch kept.rs new.rs", "Sets the time of 1 file: kept.rs. no undo: nobody keeps the time as it is now."),
        ("mkdir src/{a,b} -p", "Makes 3 new folders: src, a, b."),
        (
            "cat .env | head -3",
            "[only reads] Changes nothing. What it prints may hold secrets, and the model gets it as it is.",
        ),
        ("touch -r kept.rs x", "? What `touch` does isn't known beforehand."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn what_is_replaced_is_told_of_moves_copies_and_redirections() {
    let desk = Desk::versioned();
    desk.write("new.txt", "0123456789");
    for (command, says) in [
        ("mv kept.rs there.rs", "Moves 1 file (25 B): kept.rs to there.rs. undo: moving it back undoes it."),
        ("mv new.txt kept.rs", "Replaces 1 file (25 B): kept.rs. Moves 1 file (10 B): new.txt to kept.rs."),
        ("mv -n new.txt kept.rs", "What is there already is kept: kept.rs."),
        ("mv kept.rs dir/", "Moves 1 file (25 B): kept.rs into dir/."),
        ("cp -r dir copy", "Copies 1 file (5 B) and 1 folder: dir to copy. undo: deleting the copies undoes it."),
        ("cp dir/kept.txt new.txt", "no undo: git can't bring back the file as now: 1 untracked (new.txt)."),
        ("echo x > new.txt", "Replaces all of new.txt, which has 10 B now. no undo: git can't bring back"),
        ("echo x > fresh.txt", "Creates fresh.txt. undo: deleting the new file undoes it."),
        ("echo x >> new.txt", "Adds to new.txt, which has 10 B now."),
        ("chmod -R 777 dir", "Changes the rights or owner of 1 file (5 B) and 1 folder: dir."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn what_a_link_a_class_or_a_flag_makes_of_a_name_is_told() {
    let desk = Desk::new();
    for (path, text) in [("d/f1", "1"), ("d/f2", "22"), ("d/e/x", "x"), ("x1", "x"), ("y1", "yy"), ("dst/f1", "one")] {
        desk.write(path, text);
    }
    for (target, link) in [("d", "dl"), ("d/f1", "fl"), ("made", "broken"), ("dl", "d/e/up")] {
        std::os::unix::fs::symlink(target, desk.path().join(link)).unwrap();
    }
    for (command, says) in [
        ("rm -rf dl", "[1 file, 1 B] Deletes 1 file (1 B): dl."),
        ("rm -rf dl/", "Deletes 4 files (6 B) and 1 folder: dl/."),
        ("rm -rf d d/f1", "Deletes 4 files (6 B) and 2 folders: d, d/f1."),
        ("rm -rf d/.", "[] It refuses to delete `.` and `..`. "),
        ("rm x[1]", "Deletes 1 file (1 B): x[1]."),
        ("rm [!x]1", "Deletes 1 file (2 B): [!x]1."),
        ("rm 'x[1]'", "[nothing there] x[1] is not there. "),
        ("rm x['1']", "? What x[1] becomes isn't known beforehand."),
        ("rm x[[:digit:]]", "? What x[[:digit:]] becomes isn't known beforehand."),
        ("rm -r d*/", "Deletes 5 files"),
        ("chmod -R 700 dl", "Changes the rights or owner of 3 files (4 B) and 2 folders: dl."),
        ("echo a > broken", "broken is a link: it creates "),
        ("echo a > nodir/x", "As things are now, it would fail: the folder of nodir/x is not there."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
    desk.write("-r", "");
    for command in ["rm *", "rm ?r", "mv * dst"] {
        let told = desk.told(command).await;
        assert!(told.starts_with("? What ") && told.contains("may be a flag"), "{command}: {told}");
    }
    assert!(desk.told("rm ./*").await.contains("Deletes 6 files"), "{}", desk.told("rm ./*").await);
}

#[tokio::test]
async fn what_is_there_where_things_go_is_replaced_kept_or_in_the_way_as_the_flags_say() {
    let desk = Desk::versioned();
    for (path, text) in [("d/f1", "1"), ("d/f2", "22"), ("d/e/x", "x"), ("dst/f1", "one"), ("x1", "x")] {
        desk.write(path, text);
    }
    std::os::unix::fs::symlink("d/f1", desk.path().join("fl")).unwrap();
    desk.write("old", "old");
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1);
    fs::File::open(desk.path().join("old")).unwrap().set_modified(long_ago).unwrap();
    desk.git(&["add", "fl"]);
    let lost = "no undo: git can't bring back the file as now: 1 untracked (f1).";
    for (command, says) in [
        (
            "cp -r d/. dst",
            format!("Replaces 1 file (3 B): f1. Copies 3 files (4 B) and 2 folders: d/. into dst. {lost}"),
        ),
        ("cp -r d/ dst", "Copies 3 files (4 B) and 2 folders: d/ into dst. undo: deleting the copies".to_owned()),
        ("cp d/f2 fl", format!("d/f1. {lost}")),
        ("cp -u d/f2 old", "Replaces 1 file (3 B): old.".to_owned()),
        ("mv -u d/f2 old", "Replaces 1 file (3 B): old.".to_owned()),
        ("cp -u old dst/f1", "What is there already is kept: f1. ".to_owned()),
        ("cp -n d/f1 dst/f1", "What is there already is kept: f1. ".to_owned()),
        ("cp -n d/f1 d/f2 dst", "into dst. What is there already is kept: f1. ".to_owned()),
        ("cp -b d/f1 dst/f1", "What is there already gets another name: f1. ".to_owned()),
        ("mv d/e dst/f1", "[would fail] As things are now, it would fail: of ".to_owned()),
        ("cp -f d/f2 dst/f1 x1", "[would fail] As things are now, it would fail: x1 is no folder. ".to_owned()),
        ("mv d/f1 nodir/x", "[would fail] As things are now, it would fail: the folder of nodir/x".to_owned()),
        ("cp d/f1 fl", "are the same file. ".to_owned()),
        ("mv d d/e/z", "would go into itself. ".to_owned()),
        ("cp d dst", "[] d: folders, which it leaves out. ".to_owned()),
        ("cp d/f1 dst/f1 d", "? What becomes of two that go to ".to_owned()),
        ("cp -rT d dst", format!("Replaces 1 file (3 B): f1. Copies 3 files (4 B) and 2 folders: d to dst. {lost}")),
        ("cp -T d/f1 dst", "one is a folder, the other is not".to_owned()),
        ("mv -T d dst", "dst is there and not empty".to_owned()),
        ("mv d/f2 .", "Moves 1 file (2 B): d/f2 into the folder where it runs. undo: moving it back".to_owned()),
        (
            "cp --parents d/f1 dst",
            "[1 file, 1 B] Copies 1 file (1 B): d/f1 into dst. undo: deleting the copies".to_owned(),
        ),
        ("cp --parents d/f1 dst/f1", "[would fail] As things are now, it would fail: dst/f1 is no folder. ".to_owned()),
        ("cp --parents d/../d/f1 dst", "? Where d/../d/f1 comes to lie isn't known beforehand.".to_owned()),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(&says), "{command}: {told}");
        assert!(command != "cp -n d/f1 dst/f1" || !told.contains("undo"), "{command}: {told}");
    }
    for (command, way) in [
        ("cp -n d/f1 d/f2 dst", "deleting the copies, but for what is kept, undoes it."),
        ("cp -b d/f1 dst/f1", "deleting the copies, and then giving what was there its name again, undoes it."),
        ("mv -b d/f1 dst/f1", "moving it back, and then giving what was there its name again, undoes it."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(&format!("undo: {way}")), "{command}: {told}");
    }
}

#[tokio::test]
async fn whether_a_folder_that_goes_could_be_made_again_is_said() {
    let desk = Desk::versioned();
    fs::create_dir_all(desk.path().join("a/b")).unwrap();
    for (command, says) in [
        ("rmdir a/b", "undo: `mkdir` makes an empty folder again."),
        ("find a -type d -empty -delete", "undo: the folders are empty."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn of_a_linked_worktree_the_history_stays_and_git_has_its_files() {
    let desk = Desk::versioned();
    desk.git(&["worktree", "add", "-q", "wt", "-b", "linked"]);
    desk.write("wt/new.txt", "x");
    let told = desk.told("rm -rf wt").await;
    assert!(told.contains("wt belongs to a git repository that lies elsewhere, whose history stays."), "{told}");
    assert!(!told.contains("its history goes with it"), "{told}");
    assert!(told.contains("1 untracked (new.txt)") && !told.contains("kept.rs"), "{told}");
}

#[tokio::test]
async fn what_happens_again_acts_on_what_it_left() {
    let desk = Desk::versioned();
    for text in ["one", "two"] {
        desk.write("kept.rs", text);
        desk.git(&["stash", "-q"]);
    }
    desk.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "third"]);
    for command in [
        "git stash drop; git stash drop",
        "git stash drop && git stash drop",
        "for i in 1 2; do git stash drop; done",
        "while true; do git stash drop; done",
        "git reset --hard HEAD~1 && git reset --hard HEAD~1",
        "git reset --soft HEAD~1; git reset --soft HEAD~1",
        "sed -i.bak s/a/b/ kept.rs; sed -i.bak s/a/b/ kept.rs",
    ] {
        let told = desk.told(command).await;
        assert!(told.contains("when it happens again isn't known beforehand."), "{command}: {told}");
        // Of what is no git nothing is told then, and so no way back either.
        let lost = "no undo: when it happens again, it acts on what it left.";
        assert!(told.starts_with("? ") || told.contains(lost), "{command}: {told}");
        assert!(!command.contains("git") || told.contains("As things are now: "), "{command}: {told}");
    }
    for command in ["git stash drop", "for i in 1; do git stash drop; done", "rm kept.rs; rm kept.rs"] {
        assert!(desk.told(command).await.contains(" undo: "), "{command}");
    }
}

#[tokio::test]
async fn what_is_cut_or_written_by_name_is_told() {
    let desk = Desk::versioned();
    desk.write("new.txt", "0123456789");
    desk.write("short", "x");
    desk.write("c.bak", "old");
    desk.write("c", "one");
    std::os::unix::fs::symlink("kept.rs", desk.path().join("link")).unwrap();
    for (command, says) in [
        (
            "truncate -s 0 new.txt kept.rs",
            "[cuts 2 files, 35 B] Cuts 2 files (35 B) to 0 B: kept.rs, new.txt. no undo:",
        ),
        ("truncate -s 4 new.txt short", "Fills 1 file (1 B) up to 4 B: short. Cuts 1 file (10 B) to 4 B: new.txt."),
        (
            "truncate -s +1K new.txt",
            "[fills 1 file, 10 B] Fills 1 file (10 B) up to 1.0 kB: new.txt. undo: taking the added end away",
        ),
        ("truncate -s +5 new.txt short", "Fills 2 files (11 B) up to 5 B more each: new.txt, short."),
        ("truncate -s -4 new.txt", "Cuts 1 file (10 B) to 6 B: new.txt. no undo:"),
        ("truncate -s 0 fresh", "[] Creates fresh. undo: deleting the new files undoes it."),
        ("truncate -c -s 0 fresh", "[] fresh is not there. "),
        ("truncate -r short new.txt", "? What `truncate` does isn't known beforehand."),
        ("ls | tee new.txt", "Replaces all of new.txt, which has 10 B now."),
        ("ls | tee -a new.txt fresh", "Adds to new.txt, which has 10 B now. Creates fresh."),
        (
            "sed -i 's/one/two/' *.rs",
            "[rewrites 1 file, 25 B] Rewrites 1 file (25 B): *.rs. undo: git has a copy of each file as it is now.",
        ),
        ("sed -i s/a/b/ new.txt nowhere", "nowhere is not there. Rewrites 1 file (10 B): new.txt, nowhere. no undo:"),
        (
            "sed -i.old s/a/b/ new.txt",
            "kept under their names with .old behind them. undo: moving the copies back undoes it.",
        ),
        ("sed -i.bak s/a/b/ c", "Replaces 1 file (3 B) with the copies: c.bak. no undo:"),
        ("sed -i s/a/b/ link", "link is a link: a file takes its place, and what it leads to stays."),
        ("sed -i --follow-symlinks s/a/b/ link", "Rewrites 1 file (25 B): link."),
        ("sed -i s/a/b/ dir", "It leaves dir: no ordinary file."),
        ("sed -i '1e rm x' c", "Rewrites 1 file (3 B): c. What `sed` does isn't known beforehand."),
        ("sed -i -f x.sed c", "Rewrites 1 file (3 B): c. What `sed` does isn't known beforehand."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn what_a_search_deletes_is_listed_by_the_same_search() {
    let desk = Desk::versioned();
    for path in ["a.o", "dir/b.o", "dir/deep/c.o", "gone/d.o", "e f.txt"] {
        desk.write(path, "xx");
    }
    for (command, says) in [
        (
            "find . -name '*.o' -delete",
            "[4 files, 8 B] Deletes 4 files (8 B) that it finds: a.o, b.o, c.o, 1 more. \
             no undo: git can't bring back 4 of 4 files as now: 4 untracked",
        ),
        ("find dir -name '*.txt' -delete", "Deletes 1 file (5 B) that it finds: kept.txt. undo: git has a copy"),
        ("find gone -delete", "Deletes 1 file (2 B) and 1 folder that it finds: d.o."),
        ("find gone dir -type d -delete", "It leaves 3 folders that would not be empty"),
        ("find . -name '*.x' -delete", "[] It finds nothing that it would delete. "),
        ("cd dir && find . -name 'b*' -delete", "Deletes 1 file (2 B) that it finds: b.o."),
        ("find dir -name '*.o' -print -delete", "Deletes 2 files (4 B) that it finds: "),
        ("find dir -name '*.o' -delete -o -print", "Deletes 2 files (4 B) that it finds: "),
        ("find dir -name '*.o' -exec rm -f {} +", "Deletes 2 files (4 B) that it finds: "),
        ("find . -name '*.x' -exec rm {} \\;", "[] It finds nothing that it would delete. "),
        ("find dir -exec rm -v {} \\;", "Deletes 3 files (9 B) that it finds: "),
        ("find dir -name deep -exec rm -r {} +", "Deletes 1 file (2 B) and 1 folder that it finds: c.o."),
        (
            "find . -type d -name deep -prune -exec rm -rf {} \\;",
            "Deletes 1 file (2 B) and 1 folder that it finds: c.o.",
        ),
        ("find dir -exec rm -rf {} +", "Deletes 3 files (9 B) and 2 folders that it finds"),
        ("find dir -depth -exec rm -rf {} +", "Deletes 3 files (9 B) and 2 folders that it finds"),
        ("find dir -exec rm -ri {} +", "? What"),
        ("find . -path ./gone -prune -o -name '*.o' -delete", "? What `find` does isn't known beforehand."),
        ("find . -depth -path ./gone -prune -o -name '*.o' -delete", "Deletes 4 files (8 B) that it finds: "),
        (
            "find dir -name '*.o' -exec mv {} gone \\;",
            "Moves 2 files (4 B): dir/b.o, dir/deep/c.o into gone. undo: moving it back undoes it.",
        ),
        ("find dir -name '*.o' -exec mv -t gone {} +", "Moves 2 files (4 B): "),
        ("find dir gone -name '*.o' -exec mv {} a.o \\;", "What becomes of two that go to "),
        ("find dir -name deep -exec mv {} gone \\;", "? What it finds once a folder is moved"),
        ("find dir -name '*.x' -exec mv {} gone \\;", "It finds nothing that it would move."),
        ("ls *.o | xargs rm", "Deletes 1 file (2 B): *.o. no undo: "),
        ("ls -d gone | xargs rm -r", "Deletes 1 file (2 B) and 1 folder: gone. no undo: "),
        ("ls *.o gone | xargs rm", "? Which files it is about (it lists what is in folders)"),
        ("ls e* | xargs rm", "? Which files it is about (names with blanks or quotes are taken apart)"),
        ("ls -l *.o | xargs rm", "? Wh"),
        ("ls *.o | xargs -I{} rm {}", "? Wh"),
        ("git ls-files -o | xargs rm", "? What `git` deletes (names with blanks or quotes are taken apart)"),
        ("git ls-files -oz | xargs -0 rm", "Deletes 5 files (10 B) that it finds: "),
        ("git ls-files -o dir | xargs rm -f", "Deletes 2 files (4 B) that it finds: b.o, c.o."),
        ("cd dir && git ls-files -co | xargs rm", "Deletes 3 files (9 B) that it finds: "),
        ("git ls-files -s | xargs rm", "? Wh"),
        ("find dir -name '*.o' | xargs rm", "Deletes 2 files (4 B) that it finds: "),
        ("find dir -name '*.o' -print0 | xargs -0r rm -f", "Deletes 2 files (4 B) that it finds: "),
        ("cd dir && find . -name 'b*' 2>/dev/null | xargs -n 1 rm -v", "Deletes 1 file (2 B) that it finds: b.o."),
        ("find dir -name '*.o' | xargs -0 rm", "? Wh"),
        ("find dir -name '*.o' | head -1 | xargs rm", "? Wh"),
        ("find dir -name a -o -name '*.o' | xargs rm", "? Wh"),
        ("{ find dir; find gone; } | xargs rm", "? Wh"),
        ("find . -name 'e *' | xargs rm", "? What `find` deletes (names with blanks or quotes are taken apart)"),
        ("find . -name 'e *' -print0 | xargs -0 rm", "Deletes 1 file (2 B) that it finds: e f.txt."),
        ("find $x -exec rm {} +", "? What"),
        ("find dir -name '*.o' -exec rm {} + -print", "? What"),
        ("shred a.o", "a.o"),
        ("find . -exec rm {} + -delete", "? What"),
        ("find . -newerXY x -delete", "? What"),
        ("find $x -delete", "? What `find` does isn't known beforehand."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn where_it_happens_elsewhere_or_patterns_match_otherwise_nothing_is_told() {
    let desk = Desk::versioned();
    desk.write("a.txt", "a");
    for (command, says) in [
        ("cd nope; rm *", "What it does where it can't go into nope, which isn't there, isn't known beforehand."),
        ("cd nope || true; echo x > a.txt", "which isn't there"),
        ("cd nope && cd ../dir && rm kept.txt", "which isn't there"),
        ("cd a.txt; rm *", "which isn't there"),
        ("cd -P dir; cd ..; rm a.txt; rm b.txt", "in a folder that isn't known"),
        ("CDPATH=/; cd dir; rm *", "in a folder that isn't known"),
        ("(cd nope); rm a.txt", "Deletes 1 file (1 B): a.txt."),
        ("shopt -s globstar; rm **/*.txt", "? What `rm` does isn't known beforehand."),
        ("shopt -s nocaseglob; rm A*", "? What `rm` does isn't known beforehand."),
        ("set -f; rm *.txt", "? What `rm` does isn't known beforehand."),
        ("set -euo pipefail; rm *.txt", "Deletes 1 file (1 B): *.txt."),
        ("cd dir; rm *", "Deletes 1 file (5 B): *."),
        ("mkdir -p new/deep && cd new && echo x > deep/y", "Makes 2 new folders: new, deep. Creates deep/y."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
        assert!(!says.contains("which isn't") || told.contains("? ") || told.contains("no undo"), "{command}: {told}");
    }
}

#[tokio::test]
async fn a_file_of_two_names_changes_under_both() {
    let desk = Desk::versioned();
    desk.write("one.txt", "0123");
    fs::hard_link(desk.path().join("one.txt"), desk.path().join("two.txt")).unwrap();
    for command in ["echo x > two.txt", "echo x >> two.txt", "cp kept.rs two.txt", "truncate -s 1 two.txt"] {
        let told = desk.told(command).await;
        assert!(
            told.contains("two.txt has another name (hard links): what is there changes, too."),
            "{command}: {told}"
        );
    }
    for command in ["rm two.txt", "sed -i s/0/1/ two.txt", "echo x > kept.rs"] {
        assert!(!desk.told(command).await.contains("hard link"), "{command}");
    }
}

#[tokio::test]
async fn what_a_link_takes_the_place_of_is_told() {
    let desk = Desk::versioned();
    desk.write("new.txt", "0123456789");
    std::os::unix::fs::symlink("dir", desk.path().join("now")).unwrap();
    for (command, says) in [
        ("ln -s kept.rs l", "[1 new link] Makes 1 link at l: l. undo: deleting the link undoes it."),
        ("ln -s ../kept.rs dir", "Makes 1 link in dir: kept.rs."),
        ("ln -s dir/kept.txt", "Makes 1 link in the folder where it runs: kept.txt."),
        ("ln -s kept.rs new.txt", "As things are now, it would fail: new.txt is there."),
        ("ln -sf kept.rs new.txt", "Replaces 1 file (10 B): new.txt. Makes 1 link at new.txt: new.txt. no undo: "),
        (
            "ln -sfn elsewhere now",
            "Replaces now, a link to dir. Makes 1 link at now: now. undo: making the link to dir",
        ),
        ("ln -sf elsewhere now", "Makes 1 link in now: elsewhere. undo: deleting the link undoes it."),
        ("ln -sfT elsewhere dir", "As things are now, it would fail: dir is there."),
        ("ln nowhere l", "nowhere is not there."),
        ("ln kept.rs l", "Makes 1 link at l: l."),
        ("ln -sb kept.rs new.txt", "? What `ln` does isn't known beforehand."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn of_many_parts_those_that_take_away_are_measured_and_told_first() {
    let desk = Desk::versioned();
    desk.write("old.log", "x");
    let makes: Vec<String> = (0..30).map(|at| format!("mkdir -p d{at}")).collect();
    let told = desk.told(&format!("{} && rm old.log", makes.join(" && "))).await;
    assert!(told.contains("] Deletes 1 file (1 B): old.log. Makes"), "{told}");
    assert!(told.contains("What the other 11 parts of it do isn't known beforehand."), "{told}");
}
