//! What the words of commands tell of files and repositories.

use super::*;
use crate::domain::Place;

fn told(command: &str) -> Vec<String> {
    let place = Place { cwd: "/w".into(), workspace: "/w".into(), home: Some("/home/a".into()) };
    let facts = Facts { place, ..Facts::default() };
    let names = |names: &[Word]| names.iter().map(Word::shown).collect::<Vec<_>>().join(" ");
    let deep = |recursive: bool| if recursive { " with everything in it" } else { "" };
    acts(command, &facts, &AssessSettings::default())
        .iter()
        .map(|act| {
            let does = match &act.does {
                Does::Delete { names: which, recursive } => format!("delete {}{}", names(which), deep(*recursive)),
                Does::Listed { names: which, recursive, .. } => {
                    format!("delete as listed {}{}", names(which), deep(*recursive))
                }
                Does::Link { names: which, goal, .. } => format!("link {} to {}", names(which), goal.to.shown()),
                Does::Move { names: which, goal } => format!("move {} to {}", names(which), goal.to.shown()),
                Does::Copy { names: which, goal, recursive, .. } => {
                    format!("copy {} to {}{}", names(which), goal.to.shown(), deep(*recursive))
                }
                Does::Rights { names: which, recursive, .. } => {
                    format!("rights {}{}", names(which), deep(*recursive))
                }
                Does::Redirect { name, appends } => {
                    format!("{} {}", if *appends { "append" } else { "write" }, name.shown())
                }
                Does::Resize { names: which, to, .. } => format!("resize {} to {to:?}", names(which)),
                Does::Rewrite { names: which, suffix, .. } => {
                    format!("rewrite {} {}", names(which), suffix.as_deref().unwrap_or("and keep nothing"))
                }
                Does::Make { names: which, folders, parents } => {
                    let what = if *folders { "folders" } else { "files" };
                    format!("make {what} {}{}", names(which), if *parents { " and those above" } else { "" })
                }
                Does::Install { names: which, goal } => {
                    let to = goal.as_ref().map_or_else(String::new, |goal| format!(" to {}", goal.to.shown()));
                    format!("install {}{to}", names(which))
                }
                Does::Search(search) => {
                    let does = if search.goal.is_some() { "move" } else { "delete" };
                    format!("{does} by {} {}", search.lister.name(), search.words.join(" "))
                }
                Does::Bring(bringing) => {
                    let to = if bringing.to.is_empty() { "here" } else { &bringing.to };
                    format!("bring to {to} what {} {} lists", bringing.by.name(), bringing.words.join(" "))
                }
                Does::Signal(signal) => format!("send {} to {:?}", signal.name, signal.to),
                Does::Git { subcommand, words } => format!("git {subcommand} {}", names(words)),
                Does::Unmeasured(what) => format!("? {what}"),
            };
            format!("{}: {does}", act.folder.as_deref().unwrap_or("anywhere"))
        })
        .collect()
}

#[test]
fn what_the_words_tell_is_told() {
    for (command, does) in [
        ("rm -rf build *.log", "/w: delete build *.log with everything in it"),
        ("rm -- -r", "/w: delete -r"),
        ("rm --recurs a 'b c'", "/w: delete a b c with everything in it"),
        ("cd sub && rm a", "/w/sub: delete a"),
        ("sudo rm -r /x", "/w: delete /x with everything in it"),
        ("mv -t there a b", "/w: move a b to there"),
        ("mv --target-directory=there a", "/w: move a to there"),
        ("mv a b/", "/w: move a to b/"),
        ("cp -a a b", "/w: copy a to b with everything in it"),
        ("chmod -R 777 .", "/w: rights . with everything in it"),
        ("ls > out.txt", "/w: write out.txt"),
        ("ls >> out.txt 2>/dev/null", "/w: append out.txt"),
        ("ls &>> out.txt", "/w: append out.txt"),
        ("git -C sub reset --hard HEAD~1", "/w/sub: git reset --hard HEAD~1"),
        ("git --no-pager push -f", "/w: git push -f"),
        ("git -c core.pager=x push", "/w: ? git"),
        ("make clean", "/w: ? make"),
        ("rm $x", "/w: ? rm"),
        ("mv a", "/w: ? mv"),
        ("mv -T a b", "/w: move a to b"),
        ("mv -T a b c", "/w: ? mv"),
        ("ln -s a b", "/w: link a to b"),
        ("ln -sfn ../a", "/w: link ../a to ."),
        ("install -m 755 -o root a b", "/w: install a to b"),
        ("install -d a b", "/w: install a b"),
        ("install --backup=numbered a b", "/w: ? install"),
        ("ln -sL a b", "/w: ? ln"),
        ("cp --parents a/b c", "/w: copy a/b to c"),
        ("cp --parents -T a b", "/w: ? cp"),
        ("cp -n -f a b", "/w: ? cp"),
        ("chmod -w a b", "/w: rights a b"),
        ("chmod --reference=a b", "/w: ? chmod"),
        ("truncate -cs0 a b", "/w: resize a b to Exactly(0)"),
        ("truncate --size=+1K a", "/w: resize a to More(1024)"),
        ("truncate -s -5 a", "/w: resize a to Less(5)"),
        ("truncate -s '%2K' a", "/w: resize a to Up(2048)"),
        ("truncate -s +x a", "/w: ? truncate"),
        ("truncate -r a b", "/w: ? truncate"),
        ("ls | tee -a out.txt", "/w: append out.txt"),
        ("sed -ni.bak 's/a/b/p' a b", "/w: rewrite a b .bak"),
        ("sed --in-place -e 's/a/b/' a", "/w: rewrite a and keep nothing"),
        ("sed -i 's/a/b/' *.txt", "/w: rewrite *.txt and keep nothing"),
        ("sed -I .bak 's/a/b/' a", "/w: ? sed"),
        ("find . -name '*.o' -delete", "/w: delete by find . -depth -name *.o -print0"),
        ("find $x -delete", "/w: ? find"),
        ("find . -name x -prune -o -name y -delete", "/w: ? find"),
        ("find a -name x -exec mv -n {} b \\;", "/w: move by find a -name x -print0"),
        ("ls -1 a* b | xargs rm -f", "/w: delete as listed a* b"),
        ("git ls-files -oz | xargs -0 rm", "/w: delete by git ls-files -z -oz"),
        ("dd if=a of=b bs=1M count=2", "/w: write b"),
        ("dd if=a of=b conv=notrunc", "/w: ? dd"),
        ("perl -pi -e 's/a/b/g' a b", "/w: rewrite a b and keep nothing"),
        ("perl -i.bak -0777 -pe 's/a/b/' a", "/w: rewrite a .bak"),
        // What stands behind the letter is the suffix.
        ("perl -pie 's/a/b/' a", "/w: ? perl"),
        ("perl x.pl", "/w: ? perl"),
        (
            "tar xzf a.tgz -C out --strip-components=1 b",
            "/w: bring to out what tar -t --quoting-style=escape -f a.tgz -z -- b lists",
        ),
        ("tar --extract --file a.tar", "/w: bring to here what tar -t --quoting-style=escape -f a.tar lists"),
        ("tar xf a.tar --to-command=x", "/w: ? tar"),
        ("tar xf - ", "/w: ? tar"),
        ("tar xf a.tar b -C out", "/w: ? tar"),
        ("tar cf a.tar b", "/w: ? tar"),
        ("unzip -oq a.zip 'b*' -d out -x c", "/w: bring to out what unzip -Z1 a.zip b* -x c lists"),
        ("unzip -u a.zip", "/w: ? unzip"),
        ("rsync -av --delete a/ b/", "/w: bring to b/ what rsync -n -i -a --delete -- a/ b/ lists"),
        ("rsync -a -e ssh a/ b/", "/w: ? rsync"),
        ("rsync -a --remove-source-files a/ b/", "/w: ? rsync"),
        ("kill -9 12 13", "/w: send KILL to Numbers([12, 13])"),
        ("kill 12", "/w: send TERM to Numbers([12])"),
        ("kill -s HUP 12", "/w: send HUP to Numbers([12])"),
        ("kill -9 -- -12", "/w: send KILL to Numbers([-12])"),
        ("kill %1", "/w: ? kill"),
        ("kill $(cat pid)", "/w: ? kill"),
        ("pkill -f 'node server'", "/w: send TERM to Like { expression: \"node server\", whole: true }"),
        ("pkill -KILL -x node", "/w: send KILL to Like { expression: \"^(node)$\", whole: false }"),
        ("pkill --signal INT node", "/w: send INT to Like { expression: \"node\", whole: false }"),
        ("pkill -u root node", "/w: ? pkill"),
        ("pkill -f '[n]ode'", "/w: ? pkill"),
        ("pkill -f 'nod+?'", "/w: ? pkill"),
        ("killall -9 node deno", "/w: send KILL to Called([\"node\", \"deno\"])"),
        ("killall -r node", "/w: ? killall"),
    ] {
        assert_eq!(told(command), [does], "{command}");
    }
    for command in [
        "find a -name x -exec mv {} {}.bak \\;",
        "ls a* | xargs -0 rm",
        "ls -l a* | xargs rm",
        "ls a* | xargs rm $x",
        "ls a* | xargs -I{} rm {}",
        "ls a* | head -1 | xargs rm",
        "git ls-files -o | xargs -0 rm",
        "git ls-files -oz | xargs rm",
        "git ls-files -t | xargs rm",
        "git -C sub ls-files | xargs rm",
    ] {
        let told = told(command);
        let listed =
            |does: &String| does.contains("as listed") || does.contains(" by git") || does.contains(" by find");
        assert!(!told.is_empty() && !told.iter().any(listed), "{command}: {told:?}");
    }
    assert_eq!(told("ls | tee a b"), ["/w: write a", "/w: write b"]);
    assert_eq!(told("sed -i 's/a/b/w c' a"), ["/w: rewrite a and keep nothing", "/w: ? sed"]);
    assert!(told("ls -la | wc -l").is_empty());
    assert_eq!(told("make && rm a && ls && rm a"), ["/w: ? make", "/w: delete a"]);
    assert_eq!(told("for f in *.log; do rm \"$f\"; done").len(), 1);
}

#[test]
fn what_may_happen_more_than_once_is_known() {
    for (command, again) in [
        ("git stash drop", false),
        ("git stash drop; git stash drop", true),
        ("for i in 1; do git stash drop; done", false),
        ("for i in 1 2; do git stash drop; done", true),
        ("for i in $(seq 3); do git stash drop; done", true),
        ("while true; do git stash drop; done", true),
        ("f() { git stash drop; }; f", false),
        ("f() { git stash drop; }; f; f", true),
        ("seq 3 | xargs -I{} git stash drop", true),
    ] {
        let acts = acts(command, &Facts::default(), &AssessSettings::default());
        let drops = acts.iter().filter(|act| matches!(act.does, Does::Git { .. }));
        assert_eq!(drops.map(|act| act.again).collect::<Vec<_>>(), [again], "{command}");
    }
}
