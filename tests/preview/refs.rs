//! Previews of git commands that move, rewrite or take away the names of commits.

use std::fs;

use super::Desk;

/// Each line is told what each of these says.
async fn says(desk: &Desk, lines: &[(&str, &str)]) {
    for (command, says) in lines {
        let told = desk.told(command).await;
        assert!(told.contains(says), "{command}: {told}");
    }
}

#[tokio::test]
async fn no_name_that_goes_too_counts_as_what_keeps_a_commit() {
    let desk = Desk::versioned();
    desk.git(&["checkout", "-q", "-b", "feat"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "own"]);
    desk.git(&["branch", "feat2"]);
    desk.git(&["checkout", "-q", "main"]);
    let lost = "feat isn't merged: 1 commit is on no other branch or tag.";
    says(
        &desk,
        &[
            ("git branch -D feat", "every commit of it is on another branch or tag. undo: `git branch feat "),
            ("git branch -D feat feat2", lost),
            ("git branch -D feat feat2", "feat2 isn't merged: 1 commit is on no other branch or tag."),
            ("git branch -D feat && git branch -D feat2", lost),
            (
                "git branch -D feat && git branch -D feat2",
                " Deletes the branch feat. Deletes the branch feat2. undo: for some weeks `git branch feat ",
            ),
            ("git branch -D feat && git branch -D feat", "when it happens again isn't known beforehand."),
            ("git branch -D feat && git branch -f feat2 main", lost),
            ("git branch -D feat && git checkout -B feat2 main", lost),
            (
                "git branch -D feat && git reset --hard main",
                "feat: as things are now, every commit of it is on another",
            ),
            ("git branch -D feat; ./tidy", "feat: as things are now, every commit of it is on another"),
        ],
    )
    .await;
    desk.git(&["branch", "-q", "-D", "feat2"]);
    desk.git(&["tag", "keep", "feat"]);
    says(
        &desk,
        &[
            ("git branch -D feat && git tag -d keep", lost),
            ("git branch -D feat", "every commit of it is on another"),
            ("git tag -d keep", "Deletes the tag keep, here alone. undo: `git tag keep "),
        ],
    )
    .await;
    desk.git(&["branch", "-q", "-D", "feat"]);
    let told = desk.told("git tag -d keep").await;
    assert!(
        told.contains("1 commit of keep is on no other branch or tag.") && told.contains("undo: for some"),
        "{told}"
    );
    // Of another side: what leads to a branch that goes is no other name of it.
    desk.git(&["remote", "add", "origin", "https://example.com/shop.git"]);
    desk.git(&["update-ref", "refs/remotes/origin/a", "keep"]);
    desk.git(&["update-ref", "refs/remotes/origin/b", "keep"]);
    desk.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/a"]);
    desk.git(&["tag", "-d", "keep"]);
    let known = "that is known here is on another branch or tag.";
    says(
        &desk,
        &[
            ("git push origin --delete a", known),
            ("git push origin --delete a b", "1 commit of it is on no other branch or tag that is known here."),
            ("git push origin :refs/heads/a :b", "1 commit of it is on no other branch or tag that is known here."),
            ("git push origin :refs/tags/v1", "Whether there is such a tag isn't known here."),
            ("git push origin :gone", "Whether there is such a branch isn't known here."),
        ],
    )
    .await;
    desk.git(&["update-ref", "-d", "refs/remotes/origin/b"]);
    says(&desk, &[("git push origin :a", "1 commit of it is on no other branch or tag that is known here.")]).await;
}

#[tokio::test]
async fn a_branch_or_tag_that_is_made_or_put_elsewhere_is_told_with_its_way_back() {
    let desk = Desk::versioned();
    desk.git(&["checkout", "-q", "-b", "feat"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "own"]);
    desk.git(&["tag", "v1"]);
    desk.git(&["commit", "-q", "--allow-empty", "-m", "more"]);
    desk.git(&["checkout", "-q", "main"]);
    desk.git(&["branch", "old"]);
    says(
        &desk,
        &[
            ("git branch fresh", "[new branch fresh] Makes the branch fresh at "),
            ("git branch fresh feat~1", "undo: `git branch -D fresh` deletes it."),
            ("git branch fresh nowhere", "It would fail: `nowhere` names no commit here."),
            ("git branch feat", "It would fail: there is a branch feat already."),
            ("git branch -f main feat", "It would fail: main is checked out."),
            ("git branch -f feat main", "1 commit of feat is on no other branch or tag. Moves the branch feat from "),
            ("git branch -f feat main", "undo: for some weeks `git branch -f feat "),
            ("git branch --force old feat", "[moves old] Moves the branch old from "),
            ("git branch -f old main", "Does nothing: old stands at "),
            (
                "git branch -m old new",
                "Gives the branch old the name new. undo: `git branch -m new old` takes that back.",
            ),
            ("git branch -m old feat", "It would fail: there is a branch feat already."),
            (
                "git branch -M feat",
                "Gives the branch main the name feat, in the place of the branch feat, which stands",
            ),
            ("git branch -M feat", "1 commit of feat is on no other branch or tag."),
            (
                "git branch -M feat",
                "undo: for some weeks `git branch -m feat main` takes that back, and `git branch feat",
            ),
            ("git branch -M feat main", "It would fail: main is checked out."),
            ("git branch -C main feat", "a copy of main, in the place of the branch feat, which stands at "),
            (
                "git branch -c main copy",
                "Makes the branch copy, a copy of main. undo: `git branch -D copy` deletes it.",
            ),
            ("git branch -m nowhere x", "It would fail: there is no branch nowhere."),
            ("git branch --set-upstream-to=x", "? What `git branch` does"),
            ("git tag v1 main", "It would fail: there is a tag v1."),
            ("git tag -f v1 main", "[moves v1] Moves the tag v1 to "),
            ("git tag -f v1 main", "undo: `git tag -f v1 "),
            ("git tag -fam x v1 main", "undo: `git tag -f v1 "),
        ],
    )
    .await;
    for command in ["git checkout -b x feat", "git switch -c x feat", "git switch --create x feat"] {
        let told = desk.told(command).await;
        assert!(told.ends_with("undo: `git switch main` goes back, and `git branch -D x` deletes it then."), "{told}");
    }
}

#[tokio::test]
async fn what_a_rebase_or_a_pick_rewrites_is_told_from_what_is_here() {
    let desk = Desk::versioned();
    desk.git(&["checkout", "-q", "-b", "feat"]);
    desk.write("feat.txt", "x");
    desk.git(&["add", "."]);
    desk.git(&["commit", "-q", "-m", "one"]);
    desk.write("feat.txt", "xx");
    desk.git(&["commit", "-q", "-am", "two"]);
    desk.git(&["checkout", "-q", "main"]);
    desk.git(&["branch", "behind"]);
    desk.write("late.txt", "x");
    desk.git(&["add", "."]);
    desk.git(&["commit", "-q", "-m", "late"]);
    says(
        &desk,
        &[
            (
                "git rebase feat",
                "[rewrites 1 commit] Rewrites 1 commit of main, which becomes another commit on top of ",
            ),
            ("git rebase feat", "undo: `git reset --keep "),
            ("git rebase main feat", "Rewrites 2 commits of feat, which become other commits on top of "),
            ("git rebase main feat", "and `git switch main` then goes back to what is checked out now"),
            ("git rebase behind", "Does nothing to main: it stands on behind already."),
            ("git rebase main behind", "Moves behind to "),
            ("git rebase nowhere", "It would fail: `nowhere` names no commit here."),
            ("git rebase", "It would fail: the branch has no upstream branch."),
            (
                "git rebase -i feat",
                "[may rewrite 1 commit] Lists 1 commit of main in an editor, to be rewritten, left out or joined on top of ",
            ),
            ("git rebase -i HEAD~1", "Which of them become other commits is chosen there."),
            ("git rebase --abort", "? What `git rebase` does"),
            ("git rebase -x make feat", "? What `git rebase` does"),
            ("git cherry-pick feat", "[1 commit] Adds 1 commit to main that does what another did;"),
            ("git cherry-pick main..feat", "Adds 2 commits to main that do what others did;"),
            ("git cherry-pick feat", "Changes 1 file: feat.txt. undo: `git reset --keep "),
            ("git cherry-pick -n feat~1", "Stages what 1 commit changed, without a commit;"),
            ("git cherry-pick nowhere", "It would fail: what it names is no commit here."),
            ("git revert --no-edit HEAD", "Adds 1 commit to main that takes back what another did;"),
            ("git merge --squash feat", "Stages what 2 commits changed, without a commit;"),
            ("git merge --squash feat", "undo: `git restore --source=HEAD --staged --worktree` of the same names"),
        ],
    )
    .await;
    says(&desk, &[("git pull", "[would fail] It would fail: there is no remote.")]).await;
    desk.git(&["remote", "add", "origin", "https://example.com/shop.git"]);
    desk.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    desk.git(&["config", "branch.main.remote", "origin"]);
    desk.git(&["config", "branch.main.merge", "refs/heads/main"]);
    says(
        &desk,
        &[
            ("git rebase feat", "1 commit of main is known on a remote:"),
            (
                "git pull",
                "Fetches from origin (https://example.com/shop.git) and merges it into main. What comes is up to",
            ),
            ("git pull", "As known here, that side has 0 commits that main lacks, and main 0 commits of its own."),
            ("git pull", "undo: `git reset --keep "),
            ("git pull --rebase", "puts the commits of main that are not there on top of it, as other commits."),
            ("git pull --prune", "? What `git pull` does"),
        ],
    )
    .await;
    desk.write("late.txt", "changed");
    says(
        &desk,
        &[
            ("git rebase feat", "stand in its way (late.txt)."),
            ("git rebase --autostash feat", "Puts the changes in late.txt aside, and back when it is done."),
            ("git pull --rebase", "stand in its way (late.txt)."),
            ("git revert --no-edit HEAD", "stand in its way (late.txt)."),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_a_careful_reset_leaves_throws_away_or_refuses_is_told() {
    let desk = Desk::versioned();
    desk.write("late.txt", "x");
    desk.git(&["add", "."]);
    desk.git(&["commit", "-q", "-m", "late"]);
    desk.write("kept.rs", "staged\n");
    desk.git(&["add", "."]);
    let keep = desk.told("git reset --keep HEAD~1").await;
    assert!(
        keep.contains("Moves main back to ") && keep.contains("Takes 1 file out of what is staged: kept.rs."),
        "{keep}"
    );
    let merge = desk.told("git reset --merge HEAD~1").await;
    assert!(merge.contains("Throws away the changes in 1 file: kept.rs.") && merge.contains("no undo: "), "{merge}");
    desk.write("late.txt", "changed");
    for command in ["git reset --keep HEAD~1", "git reset --merge HEAD~1"] {
        let told = desk.told(command).await;
        assert!(told.contains("stand in its way (late.txt)."), "{command}: {told}");
    }
    desk.git(&["checkout", "-q", "late.txt"]);
    desk.write("kept.rs", "and then\n");
    let keep = desk.told("git reset --keep HEAD~1").await;
    assert!(keep.contains("What is staged of kept.rs differs from the file, and is lost."), "{keep}");
    let merge = desk.told("git reset --merge HEAD~1").await;
    assert!(merge.contains("stand in its way (kept.rs)."), "{merge}");
}

#[tokio::test]
async fn a_worktree_that_goes_is_counted() {
    let desk = Desk::versioned();
    desk.git(&["worktree", "add", "-q", "wt", "-b", "linked"]);
    let told = desk.told("git worktree remove wt").await;
    assert!(told.contains("/wt: 4 files") && told.contains("The branch linked stays."), "{told}");
    desk.write("wt/new.txt", "x");
    desk.write("wt/a.log", "x");
    let told = desk.told("git worktree remove wt").await;
    assert!(
        told.contains("it would fail: without force git deletes none with changes") && told.contains("(new.txt)"),
        "{told}"
    );
    let told = desk.told("git worktree remove --force wt").await;
    assert!(told.contains("bring back 2 of ") && told.contains("1 untracked (new.txt), 1 ignored (a.log)"), "{told}");
    says(
        &desk,
        &[
            ("git worktree remove nowhere", "is no worktree of this repository."),
            ("git worktree remove .", "is the main worktree."),
            ("git worktree add x", "[new worktree, 3 files] Makes the worktree "),
            (
                "git worktree add x",
                " on the new branch x. undo: `git worktree remove x` deletes it, and then `git branch -D x`",
            ),
            ("git worktree add x linked", "It would fail: linked is checked out in "),
            ("git worktree add -b linked x", "It would fail: there is a branch linked already."),
            ("git worktree add --detach x HEAD", ", on no branch. undo: `git worktree remove x` deletes it."),
            ("git worktree add wt", "/wt is there already."),
            ("git worktree add --lock x", "? What `git worktree` does"),
            ("git worktree add -f x", "[new worktree, 3 files] Makes the worktree "),
            ("git worktree add -f x linked", ", on the branch linked."),
            ("git worktree add -f -B linked x", "It would fail: linked is checked out in "),
            ("git worktree add --track -b b x main", ", on the new branch b. The branch follows main."),
            ("git worktree add --track -b b x HEAD~0", "It would fail: HEAD~0 is no branch that another could follow."),
            ("git worktree add --track x linked", "It would fail: only a new branch can be told what to follow."),
        ],
    )
    .await;
    desk.git(&["branch", "other"]);
    let told = desk.told("git worktree add -B other x HEAD").await;
    assert!(
        told.contains(", on the branch other. Moves the branch other from ") && told.contains("git branch -f other"),
        "{told}"
    );
    desk.git(&["worktree", "add", "-q", "gone", "other"]);
    std::fs::remove_dir_all(desk.path().join("gone")).unwrap();
    says(
        &desk,
        &[
            ("git worktree add gone", "/gone, whose folder is gone."),
            ("git worktree add -f gone", "Makes the worktree "),
        ],
    )
    .await;
    desk.git(&["-C", "wt", "checkout", "-q", "--detach"]);
    desk.git(&["-C", "wt", "commit", "-q", "--allow-empty", "-m", "own"]);
    let told = desk.told("git worktree remove -f wt").await;
    assert!(told.contains("No branch is checked out there, and 1 commit is on no branch or tag."), "{told}");
    desk.git(&["worktree", "lock", "wt"]);
    says(&desk, &[("git worktree remove -f wt", "It would fail: the worktree is locked")]).await;
}

#[tokio::test]
async fn a_stash_of_all_takes_what_is_ignored_too() {
    let desk = Desk::versioned();
    desk.write("new.txt", "x");
    desk.write("a.log", "x");
    let told = desk.told("git stash -a").await;
    assert!(told.contains("Puts the changes in 2 files aside: ") && told.contains("a.log"), "{told}");
    assert!(told.contains(" 1 of them is ignored, and is gone until it comes back."), "{told}");
    assert!(desk.told("git stash -u").await.contains("Puts the changes in 1 file aside: new.txt."));
}

#[tokio::test]
async fn what_restore_deletes_and_what_is_only_staged_is_told() {
    let desk = Desk::versioned();
    desk.git(&["branch", "before"]);
    desk.write("late.txt", "late\n");
    desk.git(&["add", "."]);
    desk.git(&["commit", "-q", "-m", "late"]);
    says(
        &desk,
        &[
            (
                "git restore --source=before .",
                "[deletes 1 file, 5 B] Deletes 1 file (5 B) that before lacks: late.txt.",
            ),
            ("git restore -s HEAD~1 kept.rs late.txt", "Deletes 1 file (5 B) that HEAD~1 lacks: late.txt."),
            ("git restore -s HEAD~1 kept.rs", "No tracked file has changes that it would throw away."),
            ("git checkout --no-overlay before -- .", "Deletes 1 file (5 B) that before lacks: late.txt."),
        ],
    )
    .await;
    assert!(!desk.told("git checkout before -- .").await.contains("Deletes"));
    desk.write("new.txt", "staged");
    desk.write("kept.rs", "staged\n");
    desk.git(&["add", "."]);
    let told = desk.told("git restore -s before .").await;
    assert!(
        told.contains("Deletes 2 files (11 B) that before lacks: late.txt, new.txt.") && told.contains("no undo"),
        "{told}"
    );
    desk.write("kept.rs", "and then\n");
    for command in ["git commit -am x", "git commit -m x kept.rs"] {
        let told = desk.told(command).await;
        assert!(told.contains("What is staged of kept.rs differs from the file, and is lost."), "{told}");
        assert!(told.contains("no undo: what is staged of kept.rs is in no commit."), "{told}");
    }
    for command in ["git commit -m x", "git commit -m x new.txt"] {
        let told = desk.told(command).await;
        assert!(told.contains("undo: `git reset --soft") && !told.contains("lost"), "{command}: {told}");
    }
    says(
        &desk,
        &[
            ("git stash", "undo: `git stash pop --index` brings them back."),
            (
                "git stash -k",
                "undo: `git reset --hard` and then `git stash pop --index` bring them back, if nothing else",
            ),
            (
                "git stash push kept.rs",
                "Puts the changes in 1 file aside: kept.rs. undo: `git stash pop` brings the files back;",
            ),
            (
                "git stash push -k kept.rs",
                "of the same names and then `git stash pop` bring the files back; what is staged",
            ),
            ("git stash push -- new.txt kept.rs", "undo: `git stash pop --index` brings them back."),
        ],
    )
    .await;
    desk.git(&["stash", "-q"]);
    says(
        &desk,
        &[
            ("git stash branch fresh", "Makes the branch fresh at "),
            ("git stash branch main", "It would fail: there is a branch main already."),
        ],
    )
    .await;
    fs::write(desk.path().join("kept.rs"), "again\n").unwrap();
    says(&desk, &[("git stash -k", "undo: `git stash pop` brings them back.")]).await;
}
