//! What a substitution, a loop or `xargs` passes on where its kind is known: numbers of lines and processes, revisions,
//! names of branches, paths of a folder in which no name is a flag.

use super::{allowed, asks, judged_where};
use crate::domain::Class;

#[test]
fn numbers_of_lines_stand_in_for_one_or_some() {
    for command in [
        "sed -n \"$(grep -n 'fn main' a.rs | cut -d: -f1),+20p\" a.rs",
        "n=$(grep -n 'fn main' a.rs | head -1 | cut -d: -f1); sed -n \"${n},$((n+20))p\" a.rs",
        "n=$(grep -n -m1 x a.rs | cut -d ':' -f 1); tail -n +$n a.rs | head",
        "for n in $(grep -n '^class ' a.py | cut -d: -f1); do sed -n \"${n},$((n+3))p\" a.py; done",
        "grep -n '^def ' a.py | cut -d: -f1 | while read n; do sed -n \"${n}p\" a.py; done",
        "sed -n \"$(awk '/class Foo/{print NR; exit}' a.py),+25p\" a.py",
        "sed -n \"$(sed -n '/x/=' a.py | tail -1),\\$p\" a.py",
        "git blame -L \"$(grep -n main a.py | cut -d: -f1),+10\" a.py",
        "awk \"NR>=$(grep -n foo a.txt | head -1 | awk -F: '{print $1}')\" a.txt",
        "ps -fp $(pgrep -f node)",
        "pgrep firefox | xargs ps -o pid,rss,cmd -p",
        "lsof -ti :3000 | xargs ps -fp",
        "pgrep x | xargs -I{} ls -l /proc/{}/fd",
        "gh run view $(gh run list --limit 1 --json databaseId -q '.[0].databaseId') --log-failed",
    ] {
        allowed(command);
    }
    for command in [
        "n=$(grep -n x a b | cut -d: -f1); echo $((n))",
        "n=$(grep -n x *.rs | cut -d: -f1); echo $((n))",
        "n=$(grep -rn x src | cut -d: -f1); echo $((n))",
        "n=$(grep -nH x a | cut -d: -f1); echo $((n))",
        "n=$(grep -n -A3 x a | cut -d: -f1); echo $((n))",
        "n=$(grep -n x a | cut -d: -f2); echo $((n))",
        "n=$(grep -n x $f | cut -d: -f1); echo $((n))",
        "n=$(grep -n x 'a[$(id)]' | cut -d: -f1); echo $((n))",
        "n=$(grep -n x a 2>&1 | cut -d: -f1); echo $((n))",
        // Of a file that is no text it says `grep: a: binary file matches`.
        "grep='a[$(id)]'; n=$(grep -n x a | cut -d: -f1); echo $((n))",
        "n=$(grep -n x a | cut -d: -f1); for grep in 'a[$(id)]'; do echo $((n)); done",
        "n=$(grep -n x a | cut -d: -f1); sed \"${n}e id\" a",
        "n=$(grep -n x a | cut -d: -f1); sed -i \"${n}d\" a",
        "kill $(pgrep x)",
        "pgrep x | xargs kill -9",
        "pgrep x | xargs -I{} cat /proc/{}/environ",
        "uniq $(pgrep x) $(pgrep y)",
        "gh run view $(gh run list --json name -q '.[0].name')",
        "n=$(sed '/x/=' a); sed -n \"${n}p\" a",
        "sed '/x/=' a | xargs cat",
        "n=$(seq 3 | grep -rh .); echo $((n))",
        "git log --format=%h | grep -rh . | while read -r h; do git show \"$h\"; done",
        "git log --format=%h | grep -d recurse . | xargs git show",
        "for n in $(LC_ALL=C grep -n x g | sed 's/:.*//'); do sed -n \"${n}p\" f; done",
        "bash -n +n a.sh",
        "bash -n -v +n a.sh",
        "echo 'touch x' | sh -n +n -s",
        "find . -name '*.sh' | xargs bash -n +n",
        "bash -n *",
        "ls | xargs bash -n",
        "nm *",
        "nm -- *",
        "ls | xargs nm",
        "git tag | grep -e v a.txt | xargs git log",
        "n=$(wc -l < a | grep -e 1 e.txt); sed -n \"${n}p\" a",
        "a2=$(cat v); i=2; echo $((a$i))",
        "a2=$(cat v); for i in 1 2; do [[ 5 -gt a$i ]]; done",
        "a2=$(cat v); i=2; echo ${PATH:a$i}",
        "awk $(pgrep x) 'BEGIN{system(\"touch x\")}'",
        "n=$(sed -n '/x/=' a); awk -v x=$n 'BEGIN{system(\"touch x\")}'",
        "n=$(sed -n '/x/=' a); a=($n 'BEGIN{system(\"x\")}'); awk \"${a[0]}\"",
        "printf $(pgrep x) -v 'x[$(touch y)]' z",
        "h=$(git rev-list -1 HEAD -- z); printf $h -v 'x[$(touch y)]' z",
        "n=$(sed -n '/x/=' a); jq -n $n env",
        "n=$(sed -n '/x/=' a); yq $n 'load(\".env\")' b.json",
        "n=$(sed -n '/x/=' a); kubectl -n $n get delete pod x",
        "n=$(sed -n '/x/=' a); docker compose -p $n ps down",
        "n=$(awk '/x/{print NR}' ORS='w /tmp/p' a); sed -n \"${n}p\" a",
        "n=$(awk 'END{print NR}' ORS='w /tmp/p' a); sed -n \"${n}p\" a",
        "for f in *; do n=$(awk 'END{print NR}' \"$f\"); sed -n \"${n}p\" a; done",
        "n=$(sed -n '/x/=' a); git reflog $n delete HEAD@{0}",
        "gh run view $(gh run list --json number -q '.[0].number' -t '{{.x}}')",
    ] {
        asks(command);
    }
}

#[test]
fn a_column_of_hashes_is_hashes() {
    for command in [
        "git log --oneline -5 | awk '{print $1}' | xargs -n1 git show --stat",
        "git log --format='%h %s' | grep -i fix | while read -r h rest; do git show --stat \"$h\"; done",
        "git show --stat $(git log --oneline -1 -- src | cut -d' ' -f1)",
        "git show $(git rev-list -1 HEAD -- src/a.ts) --stat",
        "git diff main...HEAD --name-only -- '*.ts' | xargs -r wc -l",
        "echo \"${PATH//:/$'\\n'}\"",
        "git diff --stat $(git rev-list --max-parents=0 HEAD) HEAD",
        "git log --oneline $(git rev-parse --verify -q x || git rev-list --max-parents=0 HEAD)..HEAD",
        "n=$(git rev-list --count HEAD || echo 0); echo $((n))",
    ] {
        allowed(command);
    }
    for command in [
        "git log --format='%h %b' | while read -r h rest; do git show --stat \"$h\"; done",
        "git log --format='%h %s%n%b' | awk '{print $1}' | xargs -n1 git show",
        "git log --format='%s %h' | awk '{print $1}' | xargs -n1 git show",
        "git log --format='%h %s' | IFS=, read -r h rest; git show $h",
        "git log --format='%h %s' | while IFS= read -r h rest; do git show $h; done",
        "git log --format='%h %s' | while read -r h rest; do git show \"$rest\"; done",
        "git log --graph --oneline | awk '{print $1}' | xargs git show",
        "git log --oneline | awk '{print $2}' | xargs git show",
        "git show $(git rev-parse HEAD || cat a)",
        "git show $(git rev-parse HEAD || echo --output=x)",
        "git show $(cat a || git rev-parse HEAD)",
        "git show $(git rev-parse HEAD && cat a)",
    ] {
        asks(command);
    }
}

#[test]
fn what_describes_a_revision_is_one_where_no_tag_calls_itself_a_flag() {
    let runs = |command: &str, plain: Option<bool>| {
        let seen = |facts: &mut crate::domain::Facts| {
            facts.described.extend(plain.map(|plain| ("/home/me/project".to_owned(), plain)));
        };
        judged_where(command, seen).class() == Class::Whitelisted
    };
    for command in [
        "last=$(git describe --tags --abbrev=0); git log $last..HEAD",
        "git log --oneline \"$(git describe --tags --abbrev=0 --match 'v*' HEAD~1)\"..HEAD",
        "tag=$(git describe --tags --abbrev=0 2>/dev/null || echo HEAD); git diff --stat $tag",
    ] {
        assert!(runs(command, Some(true)), "asks: {command}");
        assert!(!runs(command, Some(false)) && !runs(command, None), "allows: {command}");
    }
    for command in [
        "git log $(git describe --all)",
        "git log $(git describe --dirty=' --output=x')",
        "git diff $(git describe --dirty=.json)",
        "git log $(git describe \"$x\")",
        "git log $(git describe --match \"$x\")",
        "git log -p -- $(git describe)",
        "cat $(git describe)",
        "git log --format=$(git describe)",
        "cd elsewhere; git log $(git describe)",
    ] {
        assert!(!runs(command, Some(true)), "allows: {command}");
    }
}

#[test]
fn names_of_branches_are_revisions_where_none_is_a_flag() {
    let runs = |command: &str, plain: Option<bool>| {
        let seen = |facts: &mut crate::domain::Facts| {
            facts.refs.extend(plain.map(|plain| ("/home/me/project".to_owned(), plain)));
        };
        judged_where(command, seen).class() == Class::Whitelisted
    };
    for command in [
        "git diff --stat \"origin/$(git branch --show-current)..HEAD\"",
        "b=$(git rev-parse --abbrev-ref HEAD); git diff --stat main...$b",
        "for b in $(git branch --format='%(refname:short)'); do git log -1 --format=%cr $b; done",
        "git for-each-ref --format='%(refname:short)' refs/heads | while read b; do git rev-list --count main..$b; done",
        "git tag --sort=-creatordate | head -1 | xargs git show --stat",
        "git diff --stat $(git symbolic-ref --short refs/remotes/origin/HEAD 2>/dev/null || echo main)...HEAD",
        "git show $(git tag | tail -1):src/a.rs",
        "prev=''; for t in $(git tag | tail -4); do git log --oneline \"$prev..$t\"; prev=$t; done",
        "mapfile -t tags < <(git tag | head -2); git log --oneline \"${tags[1]}..${tags[0]}\"",
    ] {
        assert!(runs(command, Some(true)), "asks: {command}");
        assert!(!runs(command, Some(false)) && !runs(command, None), "allows: {command}");
    }
    for command in [
        "prev=-p; for t in $(git tag); do git log $prev..$t; prev=$t; done",
        "prev=a.txt; for t in $(git tag); do git diff $prev $t; prev=$t; done",
        "mapfile -t tags < <(git tag -n); git log \"${tags[0]}\"",
        "mapfile -d ' ' -t tags < <(git tag); git log \"${tags[0]}\"",
        "mapfile -t tags < <(git tag); git log \"${tags[$x]}\"",
        "b=$(git branch --show-current); git log -p -- $b",
        "cat $(git branch --show-current)",
        "git show HEAD:$(git branch --show-current)",
        "git show $(git tag | head -1):secrets.yml",
        "git diff --no-index $(git tag | head -1) x",
        "git checkout $(git branch --show-current)",
        "git tag -d $(git tag)",
        "git log --format=$(git tag)",
        "git log $(git branch -a)",
        "git log $(git tag -n)",
        "git log $(git for-each-ref --format='%(contents)')",
        // What it prints stands in the tag itself.
        "git log $(git describe --tags --abbrev=0)..HEAD",
        "git reflog $(git branch --show-current) HEAD@{0}",
        "git tag | xargs git reflog",
        "git tag | xargs git -C",
        "b=$(git tag); git -C $b",
        "git tag | xargs kubectl -n",
        "git log $(git tag 2>&1)",
        "bash -c \"git log $(git tag)\"",
    ] {
        assert!(!runs(command, Some(true)), "allows: {command}");
    }
}

#[test]
fn paths_of_a_folder_are_no_flags_where_none_of_its_names_is_one() {
    let runs = |command: &str, dashed: Option<bool>| {
        let seen = |facts: &mut crate::domain::Facts| {
            for folder in ["/home/me/project", "/home/me/project/src"] {
                facts.dashed.insert(folder.to_owned(), dashed);
            }
        };
        judged_where(command, seen).class() == Class::Whitelisted
    };
    for command in [
        "find . -name '*.py' | xargs sed -n 1,5p",
        "find src -name '*.rs' | xargs sort -u",
        "f=$(find src -name x.rs | head -1); sed -n 1,80p \"$f\"",
        "find . -name package.json | while read -r p; do jq -r .name \"$p\"; done",
        "rg -l A src | xargs file",
    ] {
        assert!(runs(command, Some(false)), "asks: {command}");
        assert!(!runs(command, Some(true)) && !runs(command, None), "allows: {command}");
    }
    // A flag may name a file: `wc --files0-from=.env`.
    assert!(runs("git ls-files | xargs wc -l", Some(false)) && !runs("git ls-files | xargs wc -l", Some(true)));
    // Names of the index and of history are in no folder.
    for command in [
        "git ls-files | xargs sed -n 1p",
        "git diff --name-only HEAD~1 | xargs sort",
        "find . -name '*.py' | xargs sed -i 1d",
        "find . -name '*.py' | xargs tee",
        "find . | xargs uniq a",
    ] {
        assert!(!runs(command, Some(false)), "allows: {command}");
    }
}

#[test]
fn counts_stand_in_for_numbers() {
    for command in [
        "n=$(wc -l a.rs | awk '{print $1}'); echo $((n * 2))",
        "echo $(( $(wc -c a.rs | cut -d' ' -f1) / 1024 ))",
        "echo $(( $(du -sk src | cut -f1) / 1024 ))",
        "s=$(du -sb . | awk '{print $1}'); echo $((s / 1048576)) MB",
        "n=$(wc -l a.rs b.rs | tail -1 | awk '{print $1}'); [ $((n + 1)) -gt 5 ] && echo many",
        "n=$(cut -d: -f1 a | sort | uniq -c | sort -rn | head -1 | awk '{print $1}'); echo $((n + 1))",
        "a=$(date +%s%3N); b=$(date +%s%3N); echo $((b - a)) ms",
        "echo $(( ($(date +%-H) + 1) % 24 ))",
    ] {
        allowed(command);
    }
    for command in [
        "n=$(wc -l $f | awk '{print $1}'); echo $((n))",
        "n=$(wc -l *.rs | awk '{print $1}'); echo $((n))",
        "n=$(wc -l a.rs | awk '{print $2}'); echo $((n))",
        "n=$(wc -l --total=never a.rs | awk '{print $1}'); echo $((n))",
        "n=$(wc -l a.rs 2>&1 | awk '{print $1}'); echo $((n))",
        "n=$(du -k src | cut -f1); echo $((n))",
        "n=$(du -sh src | cut -f1); echo $((n))",
        "n=$(du -sk src | cut -f2); echo $((n))",
        "n=$(sort a | uniq -cz | awk '{print $1}'); echo $((n))",
        "n=$(sort a | uniq | awk '{print $1}'); echo $((n))",
        "n=$(date +%s%p); echo $((n))",
    ] {
        asks(command);
    }
}

#[test]
fn what_is_printed_as_it_is_stays_what_it_was() {
    for command in [
        "files=$(git diff --name-only HEAD); echo \"$files\" | while read -r f; do wc -c \"$f\"; done",
        "f=$(find src -name '*.rs'); printf '%s\\n' \"$f\" | xargs head -3",
        "n=$(grep -n main a.rs | cut -d: -f1); echo \"$n\" | while read n; do sed -n \"${n}p\" a.rs; done",
        "h=$(git rev-parse HEAD); echo \"$h\" | xargs git show --stat",
        "read A B <<< '10 20'; sed -n \"${A},${B}p\" a.rs",
        "IFS=:; for p in a b; do [ -d \"$p\" ] && echo \"$p\"; done",
        "sh -c 'echo $((1+1))'",
        "read -r a b c <<< 'x y z w'; echo \"$c\"; cat \"$a\"",
    ] {
        allowed(command);
    }
    for command in [
        "f=$(cat list); echo \"$f\" | xargs cat",
        "f=$(find . -name x); echo \"$f\" .env | xargs cat",
        "f=$(find . -name x); printf '%b\\n' \"$f\" | xargs cat",
        "f=$(find . -name x); printf 'a%s\\n' \"$f\" | xargs cat",
        "f=$(find . -name x); sh -c \"echo \\\"$f\\\"\" | xargs cat",
        "h=$(git rev-parse HEAD); echo \"$h\" x | xargs git show --stat",
        "IFS=, read A B <<< '1,-i'; sed $B p a",
        "IFS=_ read A B <<< 'x_.env'; cat \"$B\"",
        "IFS=:; x='[:b'; $x",
        "sh -c '((x))'",
        "read A B <<< 'x .env'; cat \"$B\"",
        "read A B <<< 'x -i'; sed \"$B\" p a",
        "read A <<< \"$(cat x)\"; cat \"$A\"",
    ] {
        asks(command);
    }
}
