//! Golden lines about what a script takes from its own parts: what a function prints, what `read` takes, the keys of an
//! array, the words that a command is given.

use super::{allowed, asks, judged_where};
use crate::domain::Class;

#[test]
fn a_function_prints_what_its_last_command_prints() {
    for command in [
        "many() { wc -l < \"$1\"; }; echo $(( $(many a.txt) + 1 ))",
        "many() { local f=$1; find \"$f\" -type f | wc -l; }; printf '%8d\\n' \"$(many src)\"",
        "many() { a=1; grep -c x a.txt || echo 0; }; x=$(many); head -n \"$x\" a.txt",
        "base() { local f=$1; git merge-base HEAD main; }; git log --oneline $(base x)..HEAD",
    ] {
        allowed(command);
    }
    for command in [
        "many() { cat a.txt; wc -l < a.txt; }; echo $(( $(many) + 1 ))",
        "many() { local f; wc -l < a.txt; }; echo $(( $(many) + 1 ))",
        "many() { local f=$1; cat \"$f\"; }; echo $(( $(many a.txt) + 1 ))",
        "many() { wc -l < a.txt; cat b.txt; }; echo $(( $(many) + 1 ))",
        "many() { wc -l < a.txt; x=1; }; echo $(( $(many) + 1 ))",
        "many() { [ -f a ] && return; wc -l < a.txt; }; echo $(( $(many) + $(cat b) ))",
        "many() { wc -l < a.txt; } 2>&1; echo $(( $(many) + 1 ))",
        "many() { cat a.txt & wc -l < a.txt; }; echo $(( $(many) + 1 ))",
        "many() { wc -l < a.txt && cat b.txt; }; echo $(( $(many) + 1 ))",
        "many() { trap 'cat b.txt' EXIT; wc -l < a.txt; }; echo $(( $(many) + 1 ))",
    ] {
        asks(command);
    }
}

#[test]
fn what_is_read_comes_apart_where_the_shell_takes_it_apart() {
    for command in [
        "IFS=. read -r major minor patch <<< \"1.2.3\"; echo $((minor + 1))",
        "v=1.2.3; IFS=. read -r a b c <<< \"$v\"; head -n \"$c\" a.txt",
        "while read -r n w; do echo $((n * 2)) \"$w\"; done < <(sort words.txt | uniq -c)",
        "wc -l a.txt b.txt | while read -r n f; do echo $((n + 1)); done",
        "read -r ahead behind < <(git rev-list --left-right --count HEAD...main); echo $((ahead + behind))",
        "read -r a b < <(seq 2); echo $((a + b))",
        "printf '%s\\n' a.txt b.txt | xargs -n1 head -1",
        "mem=$(awk '/MemTotal/ {print $2}' /proc/meminfo); echo $((mem / 1024))",
        "ps -C nginx -o pid= | xargs -r -I{} cat /proc/{}/status",
        "used=$(df --output=pcent / | tail -1 | tr -dc '0-9'); echo $((100 - used))",
        "files=(a.txt b.txt c.txt); head -1 \"${files[@]:1}\"; cat \"${files[@]:0:2}\"",
        "files=($(git ls-files '*.rs')); for f in \"${files[@]:0:5}\"; do wc -l \"$f\"; done",
        "df -P | while read -r a p b; do n=${p%\\%}; echo \"$n\"; done",
    ] {
        allowed(command);
    }
    for command in [
        "IFS=. read -r major minor patch <<< \"a.b[\\$(id)].c\"; echo $((minor + 1))",
        "IFS=$x read -r a b <<< \"1.2\"; echo $((b))",
        "IFS=x builtin read -r a b <<< \"1x.env y\"; cat \"$b\"",
        "sort a.txt | uniq -c | while IFS=: command read -r n w; do echo $((n)); done",
        "IFS=.: read -r a b <<< \"1:x.2\"; echo $((b))",
        "IFS=$'\\n'; read -r a b <<< \".env x\"; cat $b a",
        "IFS=$'\\n'; while read -r n w; do echo $((n)); done < <(sort a.txt | uniq -c)",
        "sort a.txt | uniq -c | while IFS= read -r n w; do echo $((n)); done",
        "sort a.txt | uniq -c | while IFS=' ' read -r n w; do echo $((w)); done",
        "sort a.txt | uniq -c | while read -r n; do echo $((n)); done",
        "sort a.txt | uniq -c | while read -r -d x n w; do echo $((n)); done",
        "sort a.txt | uniq -c | while read -r -a n w; do echo $((n)); done",
        "sort a.txt | while read -r n w; do echo $((n)); done",
        "IFS=:; git log --format='%h %s' | while read -r h s; do IFS=' '; git show $h; done",
        "printf '%s\\n' a.txt .env | xargs -n1 head -1",
        "printf '%s\\n' -x \"$y\" | xargs head",
        "printf '%b\\n' 'a' '.e\\156v' | xargs head",
        "mem=$(awk '/MemTotal/ {print $2}' a.txt); echo $((mem / 1024))",
        "mem=$(awk '/x/ {print $2; print $3}' /proc/meminfo); echo $((mem / 1024))",
        "ps -C nginx -o pid=,args= | xargs -I{} cat /proc/{}/status",
        "ps -C nginx -o pid= -o args= | xargs -I{} cat /proc/{}/status",
        "ps -C nginx -o args= | xargs -I{} cat /proc/{}/status",
        "ps -C nginx -o pid | xargs -I{} cat /proc/{}/status",
        "ps -C axocmd -p \"$(pgrep x)\" -o pid= | xargs -I{} cat /proc/{}/status",
        "ps -u axocmd -o pid= | xargs -I{} cat /proc/{}/status",
        "ps -C $x -o pid= | xargs -I{} cat /proc/{}/status",
        "ps -C nginx -o pid= | xargs -I{} cat /proc/{}/environ",
        "x=$(cat a.txt | tr -dc '0-9a'); echo $((x))",
        "x=$(cat a.txt | tr -d '0-9'); echo $((x))",
        "x=$(cat a.txt | tr -dc '0-9' | cat - b.txt); echo $((x))",
        "files=(a.txt .env); cat \"${files[@]:1}\"",
        "files=(a.txt .env); cat \"${files[@]:x}\"",
        "files=(a.txt .env); cat \"${files[@]: -1}\"",
        "files=($(cat a)); for f in \"${files[@]:0:5}\"; do wc -l \"$f\"; done",
        "files=($(git ls-files)); cat \"${files[@]:0:5}\"",
    ] {
        asks(command);
    }
}

#[test]
fn a_command_has_no_words_of_its_own_where_nobody_gives_it_some() {
    for command in [
        "tail -100 \"${1:-app.log}\" | grep -i error",
        "main() { local dir=\"${1:-.}\"; find \"$dir\" -name '*.rs' | wc -l; }; main \"$@\"",
        "f=${2:-a.txt}; head -1 \"$f\"",
    ] {
        allowed(command);
        let unguarded = |facts: &mut crate::domain::Facts| facts.unguarded = true;
        assert_ne!(judged_where(command, unguarded).class(), Class::Whitelisted, "a hook allows: {command}");
    }
    for command in [
        "cat \"${1:-.env}\"",
        "cat \"$1\"",
        "cat \"${1:?usage}\"",
        "cat \"${1:-}\"",
        "cat \"${1%.txt}\"",
        "cat \"$@\"",
        "\"$@\"",
        "exec \"$@\"",
        "cat $1",
        "f() { cat \"${1:-a}\"; }; f $@",
        "f() { cat \"${1:-a}\"; }; f \"$@\" .env",
        "for f; do rm \"$f\"; done",
        "for f in \"$@\"; do rm \"$f\"; done",
        "if [ $# -gt 0 ]; then rm x; fi",
        "set -- .env; cat \"${1:-a}\"",
        "set -- \"$x\"; cat \"${1:-a}\"",
        "shift; cat \"$1\"",
        "sh -c 'cat \"$1\"' a .env",
        "f() { cat \"${1:-a}\"; }; f .env",
        "while read -r x; do set -- $x; done < b; cat \"${1:-a}\"",
    ] {
        asks(command);
    }
}

#[test]
fn numbers_may_be_put_where_only_numbers_matter() {
    for command in [
        "a=$(wc -l < x); b=$(wc -l < y); sum=0; sum=$(( a + b )); printf '%d %d %d\\n' \"$a\" \"$b\" \"$sum\"",
        "for ((i=0; i<3; i++)); do jq -r \".[$i].name\" a.json; done",
    ] {
        allowed(command);
    }
    for command in [
        "avg=$(cat a); printf '%d\\n' \"$avg\"",
        "read -r avg < a; avg=$(( 1 / avg )); printf '%d\\n' \"$avg\"",
        "if [ -f a ]; then avg=$(cat a); fi; printf '%d\\n' \"$avg\"",
        "printf '%d\\n' \"$PATH\"",
        "jq \"$(whoami)\" a.json",
        "jq \".a | env$((1))\" a.json",
        "jq \".[$x]\" a.json",
    ] {
        asks(command);
    }
}

#[test]
fn a_key_of_an_array_may_be_arithmetic_once_the_array_is_another() {
    for command in [
        "m[a]=1; read -r a b < evil; for k in \"${!m[@]}\"; do echo \"${m[$k]}\"; unset m; done",
        "for k in \"${!m[@]}\"; do echo \"${n[$k]}\"; done",
        "for k in \"${!m[@]}\"; do unset m; m=(1); echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\"; do m=(1); echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\"; do k=$(cat a); echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\"; do read -r k < a; echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\"; do for k in $(cat a); do :; done; echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\"; do [ -f a ] && k=$(cat a); echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\" $(cat a); do echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\"; do :; done; echo \"${m[$k]}\"",
        "for k in \"${!m[@]}\"; do echo $(( m[$k] )); done",
        "for k in \"${!m[@]}\"; do echo \"${m[$k+1]}\"; done",
        "for k in \"${!m[@]}\"; do f; echo \"${m[$k]}\"; done; f() { m=(1); }",
        "f() { m=(1); }; for k in \"${!m[@]}\"; do f; echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\"; do m[$k]=1; done",
        "for m in \"${!m[@]}\"; do echo \"${m[$m]}\"; done",
        "for k in \"${!m[@]}\"; do read -ra m < a; echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\"; do mapfile -t m < a; echo \"${m[$k]}\"; done",
        "for k in \"${!m[@]}\"; do declare -a m=(1 2); echo \"${m[$k]}\"; done",
    ] {
        asks(command);
    }
}

#[test]
fn what_compares_texts_looks_at_no_file() {
    for command in [
        "code=$(curl -s -o /dev/null -w '%{http_code}' https://example.com); [ \"$code\" = 200 ] && echo ok",
        "curl -s https://example.com | while read -r x; do [ -n \"$x\" ] && test ! \"$x\" = y && echo \"$x\"; done",
    ] {
        allowed(command);
    }
    for command in [
        "[ -f a ] && curl -s https://example.com/1",
        "[ a -nt b ] && curl -s https://example.com/1",
        "[ ! -s a ] || curl -s https://example.com/1",
        "x=$(curl -s https://example.com); [ $x = 1 ] && curl -s https://example.com/1",
        "[ \"$x\" a ] && curl -s https://example.com/1",
        "[ \"$@\" = a ] && curl -s https://example.com/1",
        "a=($(cat x)); [ \"${a[@]}\" ] && curl -s https://example.com/1",
        "[ 1 = 1 -a -f a ] && curl -s https://example.com/1",
        "[ a \"$x\" b ] && curl -s https://example.com/1",
        "test -d a && curl -s https://example.com/1",
    ] {
        asks(command);
    }
}

#[test]
fn lines_begin_with_counts_where_no_name_goes_over_several() {
    let runs = |command: &str, apart: Option<bool>| {
        let seen = |facts: &mut crate::domain::Facts| {
            let patterns = ["src/*.rs", "*/"].map(|pattern| format!("/home/me/project/{pattern}"));
            facts.parted.extend(patterns.into_iter().filter_map(|pattern| Some((pattern, apart?))));
        };
        judged_where(command, seen).class() == Class::Whitelisted
    };
    for command in [
        "while read -r n; do t=$((t + n)); done < <(wc -l src/*.rs | awk '{print $1}')",
        "wc -l src/*.rs | sort -rn | while read -r n f; do echo $((n + 1)) \"$f\"; done",
        "du -sk */ 2>/dev/null | sort -rn | while read -r kb d; do echo $((kb / 1024)); done",
    ] {
        assert!(runs(command, Some(false)), "asks: {command}");
        assert!(!runs(command, Some(true)) && !runs(command, None), "allows: {command}");
    }
    for command in [
        "wc -l src/*.rs | while read -r n f; do echo $((f)); done",
        "wc -l src/*.rs \"$x\" | while read -r n f; do echo $((n)); done",
        "wc -l $'a\\nb'src/*.rs | while read -r n f; do echo $((n)); done",
        "du -k src/*.rs | while read -r n f; do echo $((n)); done",
        "shopt -s globstar; wc -l src/*.rs | while read -r n f; do echo $((n)); done",
        "cd elsewhere; wc -l src/*.rs | while read -r n f; do echo $((n)); done",
        "wc -l other/*.rs | while read -r n f; do echo $((n)); done",
    ] {
        assert!(!runs(command, Some(false)), "allows: {command}");
    }
}
