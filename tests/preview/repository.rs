//! Previews of what git commands would lose or send.

use std::fs;

use super::{Desk, diff};

#[tokio::test]
async fn untracked_files_that_git_writes_over_are_named() {
    let desk = Desk::versioned();
    desk.git(&["checkout", "-q", "-b", "o"]);
    for path in ["new.txt", "way/in.txt", "deep", "x.log"] {
        desk.write(path, "theirs");
    }
    desk.git(&["add", "-f", "."]);
    desk.git(&["commit", "-q", "-m", "more"]);
    desk.git(&["checkout", "-q", "main"]);
    for path in ["new.txt", "way", "deep/own.txt", "x.log"] {
        desk.write(path, "mine");
    }
    let all = "Writes over 4 files (16 B) and 1 folder that git doesn't track: own.txt, new.txt, way, 1 more.";
    for command in [
        "git reset --hard o",
        "git checkout -f o",
        "git switch -f o",
        "git restore --source=o .",
        "git restore -so .",
        "git checkout o .",
        "git checkout -f -b p o",
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(all) && told.contains("bring back 4 of 4 files"), "{command}: {told}");
    }
    let told = desk.told("git checkout o -- new.txt").await;
    assert!(told.contains("Writes over 1 file (4 B) that git doesn't track: new.txt."), "{told}");
    for command in ["git checkout o", "git switch o", "git switch -c p o"] {
        let told = desk.told(command).await;
        assert!(told.contains("Writes over 1 file (4 B) that git doesn't track: x.log."), "{command}: {told}");
    }
    for command in ["git reset --hard", "git checkout .", "git restore .", "git checkout -f"] {
        assert!(!desk.told(command).await.contains("Writes over"), "{command}");
    }
    // A tracked file that made room for a folder.
    fs::remove_file(desk.path().join("kept.rs")).unwrap();
    desk.write("kept.rs/own", "mine");
    let told = desk.told("git checkout kept.rs").await;
    assert!(told.contains("Writes over 1 file (4 B) and 1 folder that git doesn't track: own."), "{told}");
}

#[tokio::test]
async fn what_git_would_lose_is_told_from_what_is_here() {
    let desk = Desk::versioned();
    desk.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    desk.git(&["branch", "merged"]);
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "on the side"]);
    desk.git(&["checkout", "-q", "main"]);
    desk.write("kept.rs", "fn main() {}\n");
    desk.write("new.txt", "x");
    desk.write("a.log", "x");
    desk.write("fresh/b.txt", "xy");
    for (command, says) in [
        (
            "git reset --hard",
            "[changes in 1 file] Throws away the changes in 1 file: kept.rs. no undo: the changes are in no commit.",
        ),
        ("git reset --hard HEAD~1", "Moves main back to"),
        ("git reset --hard nowhere", "It would fail: `nowhere` names no commit here."),
        (
            "git reset HEAD~1",
            ", by 1 commit. Nothing of it is staged. The files stay as they are. undo: the reflog keeps the commits",
        ),
        ("git checkout -- kept.rs", "Throws away the changes in 1 file: kept.rs."),
        ("git checkout .", "Throws away the changes in 1 file: kept.rs."),
        (
            "git checkout side",
            "Switches to side. Git refuses where that would overwrite changes. undo: `git switch main` goes back.",
        ),
        ("git restore dir", "No tracked file has changes that it would throw away."),
        ("git clean -f", "Deletes 1 file (1 B) that git doesn't have."),
        (
            "git clean -fd",
            "[2 files, 3 B] Deletes 2 files (3 B) that git doesn't have. no undo: git can't bring back 2 of 2 files as now: 2 untracked",
        ),
        ("git clean -fdx", "Deletes 3 files (4 B)"),
        ("git clean -fX", "Deletes 1 file (1 B)"),
        ("git branch -D side", "side isn't merged: 1 commit is on no other branch or tag. Deletes the branch side."),
        ("git branch -D merged", "every commit of it is on another branch or tag. undo: `git branch merged "),
        ("git branch -D nowhere", "It would fail: there is no branch nowhere."),
        ("git branch -D main", "It would fail: main is checked out."),
        ("git stash drop", "There is no such stash."),
        (
            "git stash",
            "[changes in 1 file] Puts the changes in 1 file aside: kept.rs. undo: `git stash pop` brings them back.",
        ),
        ("git stash push -u -m 'a b'", "Puts the changes in 3 files aside: "),
        ("git stash -u", "`git stash pop` brings them back, but no empty folders"),
        (
            "git stash push -p",
            "[some changes in 1 file] Asks of each change in 1 file whether to put it aside: kept.rs. undo: `git stash pop`",
        ),
        ("git stash -p -- kept.rs", "Asks of each change in 1 file whether to put it aside: kept.rs."),
        ("git stash -S", "There is nothing that it would put aside."),
        ("git stash save 'a b'", "Puts the changes in 1 file aside: kept.rs. undo: `git stash pop` brings them back."),
        (
            "git stash push -a",
            " 1 of them is ignored, and is gone until it comes back. undo: `git stash pop` brings them",
        ),
        ("git stash pop", "There is no such stash."),
        ("git stash pop stash@{now}", "? Which stash stash@{now} is isn't known beforehand."),
        ("git merge side", "[1 commit] Moves main forward to "),
        (
            "git merge --no-ff -m x side",
            "Merges 1 commit into main; it stops where both changed the same lines. undo: `git reset --keep ",
        ),
        ("git merge merged", "Does nothing: main has all of merged already."),
        ("git merge nowhere", "It would fail: `nowhere` names no commit here."),
        ("git merge --no-commit side", "? What `git merge` does isn't known beforehand."),
        ("git tag v1", "Makes the tag v1 at "),
        ("git push", "It would fail: there is no remote origin."),
        ("git push origin main --force", "It would fail: there is no remote origin."),
        ("git checkout --detach", "Checks out the same commit, and no branch."),
        ("git tag -d v1", "It would fail: there is no tag v1."),
        ("git merge -", "[1 commit] Moves main forward to "),
        ("git commit -m x", "There is nothing staged: git would refuse"),
        ("git checkout -p", "? Which changes `git checkout` takes isn't known beforehand."),
        ("git reset -p", "? Which changes `git reset` takes isn't known beforehand."),
        ("git commit -p", "? What `git commit` takes of it isn't known beforehand."),
        ("git -c alias.x=y reset --hard", "? What `git` does isn't known beforehand."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
    let preview = desk.command("git reset --hard").await.unwrap().unwrap();
    assert!(diff(&preview).contains("-    one();"), "{preview:?}");
    fs::remove_file(desk.path().join("dir/kept.txt")).unwrap();
    let told = desk.told("git checkout -- dir").await;
    assert!(told.starts_with("[1 file back] Brings back 1 file: dir/kept.txt."), "{told}");
    desk.git(&["stash", "-q"]);
    let told = desk.told("git stash drop").await;
    assert!(told.contains("[1 stash] Drops 1 stash. undo: for some weeks `git stash store "), "{told}");
    let told = desk.told("git stash pop").await;
    assert!(
        told.contains("Brings back the changes in 2 files: dir/kept.txt, kept.rs, and drops the stash if they fit."),
        "{told}"
    );
    desk.git(&["tag", "v1"]);
    let told = desk.told("git tag -d v1").await;
    assert!(told.contains("Deletes the tag v1, here alone. undo: `git tag v1 "), "{told}");
    assert!(desk.told("git tag v1").await.contains("It would fail: there is a tag v1."));
}

#[tokio::test]
async fn what_is_staged_and_committed_is_told() {
    let desk = Desk::versioned();
    desk.write("kept.rs", "fn main() {}\n");
    desk.write("new.txt", "x");
    for (command, says) in [
        (
            "git add .",
            "[stages 2 files] Stages 2 files: kept.rs, new.txt. undo: `git restore --staged` takes them out again.",
        ),
        ("git add -u", "Stages 1 file: kept.rs."),
        ("git add dir", "There is nothing that it would stage."),
        ("git mv kept.rs there.rs", "Moves 1 file (13 B): kept.rs to there.rs. undo: moving it back undoes it."),
        ("git mv kept.rs dir", "Moves 1 file (13 B): kept.rs into dir."),
        ("git mv kept.rs new.txt", "As things are now, it would fail: "),
        ("git mv new.txt there.txt", "As things are now, it would fail: git tracks nothing of that name (new.txt)."),
        ("git mv -k kept.rs dir", "? What `git mv` does isn't known beforehand."),
        ("git add -p", "? Which files `git add` stages isn't known beforehand."),
        (
            "git commit -am x",
            "[commits 1 file] Commits 1 file to main: kept.rs. undo: `git reset --soft HEAD~1` takes it back.",
        ),
        ("git commit --amend --no-edit", "Replaces the commit "),
        ("git add -A && git commit -qm 'one two'", "Commits 2 files to main: kept.rs, new.txt."),
        ("echo x > new.txt && git add new.txt", "one part acts on what another leaves"),
        ("git commit -am x && git push", "one part acts on what another leaves"),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
    desk.git(&["add", "kept.rs"]);
    let preview = desk.command("git commit -m x").await.unwrap().unwrap();
    assert!(diff(&preview).contains("-    one();"), "{preview:?}");
    desk.write("kept.rs", "fn main() { two(); }\n");
    let told = desk.told("git add kept.rs").await;
    assert!(told.contains("no undo: what is staged of kept.rs already is replaced."), "{told}");
    let hook = desk.path().join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let told = desk.told("git commit -m x").await;
    assert!(told.contains("Hooks of the repository run: pre-commit.") && told.contains("no undo: "), "{told}");
    assert!(!desk.told("git commit -nm x").await.contains("Hooks"));
}

#[tokio::test]
async fn what_a_push_sends_and_drops_is_told_without_asking_the_other_side() {
    let desk = Desk::versioned();
    desk.git(&["remote", "add", "origin", "https://ann:secret@example.com/shop.git"]);
    desk.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    let there = "main on origin (https://example.com/shop.git)";
    let told = desk.told("git push").await;
    assert!(told.contains("As things are now, it would fail: main has no upstream branch."), "{told}");
    desk.git(&["config", "branch.main.remote", "origin"]);
    desk.git(&["config", "branch.main.merge", "refs/heads/main"]);
    let told = desk.told("git push").await;
    assert!(told.contains(&format!("[1 commit] Sends 1 commit to {there}. no undo: what others fetched")), "{told}");
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "other"]);
    desk.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    for (command, says) in [
        ("git push", "main has 1 commit there that this clone lacks: git refuses without force."),
        ("git push -f origin main", "Forced: 1 commit of main there would be dropped;"),
        ("git push origin +HEAD", "Forced: 1 commit of main there would be dropped;"),
        (
            "git push origin main:fresh",
            "Sends main to origin (https://example.com/shop.git) as fresh, which isn't known there yet.",
        ),
        ("git push origin :main", "Deletes main on origin"),
        ("git push --delete origin main", "Deletes main on origin"),
        ("git push -d origin tag v1", "[deletes a tag there] Deletes refs/tags/v1 on origin"),
        ("git push --mirror", "Forced: drops commits of 1 branch there: main. Sends every ref, and deletes the others"),
        ("git push origin :main", "1 commit of it is on no other branch or tag that is known here."),
        ("git push -n", "the hook pre-push runs all the same."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn what_git_rm_deletes_is_told_from_the_index() {
    let desk = Desk::versioned();
    desk.write("new.txt", "x");
    for (command, says) in [
        (
            "git rm kept.rs",
            "[1 file, 25 B] Deletes 1 file (25 B) that git tracks: kept.rs. undo: git has a copy of each",
        ),
        ("git rm -r dir", "Deletes 1 file (5 B) that git tracks: dir/kept.txt."),
        ("git rm dir", "As things are now, it would fail: without -r it takes no folder (dir)."),
        ("git rm 'k*.rs'", "Deletes 1 file (25 B) that git tracks: kept.rs."),
        ("git rm new.txt", "[] As things are now, it would fail: git tracks nothing of that name. "),
        (
            "git rm --cached kept.rs",
            "Git no longer tracks 1 file: kept.rs. The files stay. undo: `git add` of the same",
        ),
        ("git rm -n kept.rs", "nothing"),
        ("cd dir && git rm kept.txt", "Deletes 1 file (5 B) that git tracks: kept.txt. undo: git has a copy"),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
    desk.write("kept.rs", "fn main() {}\n");
    let told = desk.told("git rm kept.rs").await;
    assert!(told.contains("without -f it takes nothing that has changes (kept.rs)."), "{told}");
    let told = desk.told("git rm -f kept.rs").await;
    assert!(told.contains("Deletes 1 file (13 B) that git tracks: kept.rs. no undo: git can't bring back"), "{told}");
}

#[tokio::test]
async fn what_is_only_staged_has_no_copy_once_git_removes_it() {
    let desk = Desk::versioned();
    desk.write("new.txt", "only staged");
    desk.write("kept.rs", "staged\n");
    desk.write("gone.txt", "staged, then deleted");
    desk.git(&["add", "."]);
    fs::remove_file(desk.path().join("gone.txt")).unwrap();
    let told = desk.told("git rm -f new.txt kept.rs").await;
    assert!(told.contains("bring back 2 of 2 files as now: 2 only staged (kept.rs, new.txt)"), "{told}");
    let told = desk.told("git rm -f gone.txt").await;
    assert!(told.contains("no undo: what is staged of gone.txt is in no commit."), "{told}");
    let told = desk.told("git rm --cached new.txt").await;
    assert!(told.contains("undo: `git add` of the same names undoes it."), "{told}");
    desk.write("new.txt", "and then");
    desk.write("dir/kept.txt", "changed\n");
    let told = desk.told("git rm -rf .").await;
    assert!(
        told.contains("no undo: ") && told.contains("bring back 3 of 4 files as now: 1 modified (kept.txt), 2 only"),
        "{told}"
    );
    let told = desk.told("git rm -f --cached new.txt").await;
    assert!(told.contains("no undo: what is staged of new.txt is in no commit."), "{told}");
    let told = desk.told("git rm --cached dir/kept.txt").await;
    assert!(told.contains("undo: `git restore --staged` undoes it"), "{told}");
}

#[tokio::test]
async fn a_dash_is_the_branch_before() {
    let desk = Desk::versioned();
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.git(&["checkout", "-q", "main"]);
    for command in ["git checkout -", "git switch -"] {
        let told = desk.told(command).await;
        assert!(told.contains("Switches to side. Git refuses") && told.contains("undo: `git switch main`"), "{told}");
    }
}

#[tokio::test]
async fn what_git_spares_moves_or_takes_along_is_told() {
    let desk = Desk::versioned();
    desk.git(&["checkout", "-q", "-b", "feat"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "on feat"]);
    desk.git(&["checkout", "-q", "main"]);
    desk.write("late.txt", "late\n");
    desk.git(&["add", "late.txt"]);
    desk.git(&["commit", "-q", "-m", "late"]);
    desk.write("late.txt", "later\n");
    desk.write("new.txt", "x");
    desk.write("other.txt", "x");
    for (command, says) in [
        ("git checkout -B feat", "1 commit of feat is on no other branch or tag. Moves the branch feat from "),
        ("git switch -C feat main", "1 commit of feat is on no other branch or tag. Moves the branch feat from "),
        ("git checkout -b feat", "It would fail: there is a branch feat already."),
        ("git checkout -b fresh", "Makes the branch fresh and switches to it."),
        ("git clean -f -e new.txt", "Deletes 1 file (1 B) that git doesn't have."),
        ("git clean -f '--exclude=*.txt'", "There is nothing that it would delete."),
        ("git checkout feat -- .", "No tracked file has changes that it would throw away."),
        ("git restore --source feat .", "Throws away the changes in 1 file: late.txt."),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
    let way = desk.told("git checkout -B feat").await;
    assert!(way.contains("undo: `git reset --keep "), "{way}");
    desk.write("kept.rs", "staged\n");
    desk.git(&["add", "kept.rs"]);
    for command in ["git reset", "git reset kept.rs", "git restore --staged kept.rs", "git reset HEAD -- kept.rs"] {
        let told = desk.told(command).await;
        let says = "Takes 1 file out of what is staged: kept.rs. The files stay as they are. undo: `git add` stages it";
        assert!(told.contains(says), "{command}: {told}");
    }
    desk.write("kept.rs", "and then\n");
    for command in ["git reset", "git reset HEAD~1", "git restore --staged kept.rs"] {
        let told = desk.told(command).await;
        let says = "What is staged of kept.rs differs from the file, and is lost.";
        assert!(told.contains(says) && told.contains("no undo: what is staged of kept.rs is in no commit."), "{told}");
    }
    desk.git(&["stash", "-q"]);
    desk.write("kept.rs", "once more\n");
    desk.git(&["stash", "-q"]);
    let told = desk.told("git stash clear").await;
    assert!(told.contains("Drops 2 stashes. undo: ") && told.contains("if you keep the numbers"), "{told}");
    desk.git(&["remote", "add", "origin", "https://example.com/shop.git"]);
    desk.git(&["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
    desk.git(&["tag", "-a", "v2", "-m", "second"]);
    desk.git(&["tag", "light"]);
    assert!(!desk.told("git push origin main").await.contains("tags"));
    desk.git(&["config", "push.followTags", "true"]);
    let told = desk.told("git push origin main").await;
    assert!(told.contains("Sends tags that aren't there yet, too, of v2."), "{told}");
}

#[tokio::test]
async fn commits_that_nothing_names_are_told_where_they_are_left() {
    let desk = Desk::versioned();
    desk.git(&["branch", "feature"]);
    desk.git(&["checkout", "-q", "--detach"]);
    let told = desk.told("git switch main").await;
    assert!(told.contains("undo: `git switch --detach ") && told.contains(" goes back."), "{told}");
    desk.git(&["commit", "-q", "--allow-empty", "-m", "own"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    let lost = "No branch is checked out, and 2 commits are on no branch or tag: they are left behind without a name.";
    for command in ["git checkout main", "git switch main", "git switch -f feature", "git checkout -b fresh main"] {
        let told = desk.told(command).await;
        assert!(told.contains(lost) && told.contains("or some weeks `git branch NAME "), "{command}: {told}");
    }
    for command in ["git checkout -b fresh", "git checkout HEAD -- kept.rs", "git switch --detach"] {
        let told = desk.told(command).await;
        assert!(!told.contains("left behind"), "{command}: {told}");
    }
    desk.git(&["tag", "named"]);
    assert!(!desk.told("git checkout main").await.contains("left behind"));
}

#[tokio::test]
async fn every_way_that_a_branch_moves_or_stays_is_told_with_its_way_back() {
    let desk = Desk::versioned();
    desk.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    desk.git(&["branch", "ahead"]);
    desk.git(&["branch", "merged"]);
    desk.git(&["worktree", "add", "-q", "wt", "ahead"]);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    desk.write("kept.rs", "fn main() {}\n");
    desk.git(&["stash", "-q"]);
    for (command, says) in [
        ("git reset --hard ahead", "Moves main forward to "),
        ("git reset --hard 'stash@{0}'", "Moves main forward to "),
        ("git reset --soft ahead", "undo: the reflog keeps where main stood: "),
        ("git branch -D ahead merged", "It would fail: ahead is checked out in "),
        ("git branch -D ahead merged", "Deletes the branch merged"),
        ("git checkout -b fresh", "undo: `git switch main` goes back, and `git branch -D fresh` deletes it then."),
        ("git checkout ahead -- kept.rs", "undo: `git restore --source=HEAD --staged --worktree` of the same names"),
        ("git stash pop", "undo: `git stash"),
        ("git stash apply", "undo: `git stash"),
    ] {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn a_forced_push_of_every_branch_says_what_it_drops() {
    let desk = Desk::versioned();
    desk.git(&["remote", "add", "origin", "https://example.com/shop.git"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "theirs"]);
    desk.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let dropped = "Forced: drops commits of 1 branch there: main.";
    for command in ["git push --force --all origin", "git push --all --force", "git push origin --all -f"] {
        let told = desk.told(command).await;
        assert!(told.contains(dropped) && told.contains("Sends every branch to origin"), "{command}: {told}");
    }
    let told = desk.told("git push --all origin").await;
    assert!(
        told.contains("Git refuses 1 branch, as commits there are missing here: main.") && !told.contains("Forced"),
        "{told}"
    );
    assert!(desk.told("git push --tags --force origin").await.contains("Forced: a tag there"), "tags");
}
