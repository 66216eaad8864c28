//! Golden lines about loops over what a pattern matches: in quotes the variable is one name of those, without it is
//! split. `tools/loops_tests` has those that depend on what lies in a folder.

use super::{allowed, asks};

#[test]
fn a_variable_in_quotes_is_one_name_of_those_that_a_pattern_matches() {
    for command in [
        "for f in src/*.json; do python3 -m json.tool \"$f\"; done",
        "for f in src/*; do xxd \"$f\"; done",
        "show() { head -3 \"$1\"; }; for f in src/*.md; do show \"$f\"; done",
        "count() { wc -l < \"$1\"; }; for f in src/*.py; do count \"$f\"; done",
        "both() { diff \"$1\" \"$2\"; }; for f in a/*; do both \"$f\" b/x; done",
        "for f in src/*.md; do bash -c 'wc -l \"$1\"' _ \"$f\"; done",
        "for f in src/*.md; do g() { local x=$1; wc -l \"$x\"; }; g \"$f\"; done",
        "for d in a/*; do for f in \"$d\"/*.json; do xxd \"$f\"; done; done",
        "a=(src/*.md); xxd \"${a[0]}\"",
        "find . -name '*.json' -exec python3 -m json.tool {} \\;",
    ] {
        allowed(command);
    }
    for command in [
        "for f in src/*.json; do python3 -m json.tool $f; done",
        "for f in src/*.json; do python3 -m json.tool \"$f\" out; done",
        "for f in src/*.json; do python3 -m json.tool a \"$f\"; done",
        "python3 -m json.tool src/*.json",
        "f=src/*.json; python3 -m json.tool $f",
        "a=(src/*.json); python3 -m json.tool \"${a[@]}\"",
        "g() { python3 -m json.tool \"$@\"; }; g src/*.json",
        "g() { python3 -m json.tool \"$@\"; }; for f in src/*.json; do g $f; done",
        "g() { python3 -m json.tool $1; }; for f in src/*.json; do g \"$f\"; done",
        "show() { head -3 \"$1\"; }; for f in ~/.ssh/*; do show \"$f\"; done",
        "show() { head -3 \"$2\"; }; show src/*.md ok",
        "find . -name '*.json' -exec python3 -m json.tool {} +",
        "find . -name '*.json' | xargs python3 -m json.tool",
        "for f in src/*; do rm \"$f\"; done",
        "for f in src/*; do f=$(cat x); xxd \"$f\"; done",
        "for f in src/*; do read -r f; xxd \"$f\"; done",
        "for f in src/*; do . \"$f\"; done",
        "for f in src/*; do bash \"$f\"; done",
        "for f in src/*; do bash -c \"$f\"; done",
        "for f in src/*; do \"$f\"; done",
    ] {
        asks(command);
    }
}

#[test]
fn where_the_program_of_find_ends_is_what_find_takes_for_it() {
    for command in [
        "find . -name '*.rs' -exec grep -n \"$1\" {} +",
        "find . -name '*.rs' -exec grep -n \"$1\" {} \\;",
        "find . -name '*.rs' -exec head -n 3 + {} \\;",
    ] {
        allowed(command);
    }
    for command in [
        "find / -exec cat + {} \\;",
        "find ~ -exec cat + {} \\; -print",
        "find . -exec echo + -delete",
        "find . -exec echo \"$x\" -delete \\;",
        "find . -exec echo \"$x\" \"$y\" \"$z\" \\;",
        "x=$(cat f); find . -exec echo $x \\;",
        "find . -exec echo $(cat f) {} \\;",
        "find . -exec echo \"$x\" + -delete \\;",
        "find . -exec echo * \\;",
        "find . -exec echo ? -delete \\;",
    ] {
        asks(command);
    }
}

#[test]
fn what_is_known_to_print_numbers_is_computed_with() {
    for command in [
        "for i in $(seq 1 3); do echo $((i * 2)); done",
        "n=5; for i in $(seq -1 \"$n\"); do echo $((i + n)); done",
        "seq 3 | while read -r i; do echo $((i * 2)); done",
        "x=$(grep -c x README.md); echo $((x + 1))",
        "x=$(cat a | grep -ci 'a b'); echo $((x + 1))",
        "x=$(grep -c x README.md 2>/dev/null); echo $((x + 1))",
        "n=$(git rev-list --count HEAD); echo $((n / 2))",
        "a=$(stat -c %s f); echo $((a / 1024))",
        "x=$(git log --format=%ct); echo $((x))",
        "a=$(stat -L --format=%Y f); echo $((a / 1024))",
        "ts=$(git log -1 --format=%ct -- src); now=$(date +%s); echo $(((now - ts) / 86400))",
        "n=$(ls | wc -l | tr -d ' '); echo $((n + 1))",
        "for s in $(find . -printf '%s\\n'); do total=$((total + s)); done",
        "size=$(stat -c%s f); [ $size -gt 10 ] && ls",
        "for f in src/*.md; do n=$(grep -c TODO \"$f\"); t=$((t + n)); done; echo $t",
        "for pid in $(pgrep node); do cat /proc/$pid/status; done",
        "cat /proc/$(pgrep -o nginx)/limits",
        "pgrep -f x | while read pid; do tr '\\0' ' ' < /proc/$pid/cmdline; done",
        "for pid in $(pidof nginx); do ls -l /proc/$pid/fd; done",
    ] {
        allowed(command);
    }
    for command in [
        "for i in $(seq $x); do echo $((i)); done",
        "for i in $(seq \"$1\"); do echo $((i)); done",
        "for i in $(seq -f '%g x' 3); do echo $((i)); done",
        "for i in $(seq -s 'a[$(x)]' 3); do echo $((i)); done",
        "for i in $(seq 3)$(cat f); do echo $((i)); done",
        "for i in $(seq 3; cat f); do echo $((i)); done",
        "for i in $(seq 3) $(cat f); do echo $((i)); done",
        "for i in $(seq 3 | cat - f); do echo $((i)); done",
        "for i in $(seq 3 | sed 's/1/a/'); do echo $((i)); done",
        "for i in $(seq 3); do i=$(cat f); echo $((i)); done",
        "for i in $(seq 3 2>&1); do echo $((i)); done",
        "x=$(grep -c x a b); echo $((x))",
        "x=$(grep -rc x .); echo $((x))",
        "x=$(grep -cH x a); echo $((x))",
        "x=$(grep -c x *.md); echo $((x))",
        "x=$(grep -c \"$1\" a); echo $((x))",
        "x=$(grep -c x \"$1\"); echo $((x))",
        "x=$(grep -c x a -r); echo $((x))",
        "x=$(grep -c x a 2>&1); echo $((x))",
        "x=$(grep -c x a 2>/dev/stdout); echo $((x))",
        "x=$(grep -c x a |& cat); echo $((x))",
        "x=$(grep x a); echo $((x))",
        "x=$(stat -c %n f); echo $((x))",
        "x=$(stat -c %s%n f); echo $((x))",
        "x=$(stat -c %s *); echo $((x))",
        "x=$(git log -1 --format=%s); echo $((x))",
        "x=$(git log -1 --format=%ct -p); echo $((x))",
        "x=$(cat f | tr -d ' '); echo $((x))",
        "n=$(wc -l < f | tr 1 a); echo $((n))",
        "for s in $(find . -printf '%s\\n' -print); do echo $((s)); done",
        "for s in $(find . -printf '%p\\n'); do echo $((s)); done",
        "for s in $(find . -printf '%s\\n' -printf '%p'); do echo $((s)); done",
        "for pid in $(pgrep node); do cat /proc/$pid/environ; done",
        "for pid in $(pgrep node); do cat /proc/$pid/mem; done",
        "cat /proc/$(pgrep -o x)/environ",
        "cat /proc/$(pgrep x)/../../etc/shadow",
        "for pid in $(pgrep -a node); do cat /proc/$pid/status; done",
        "for pid in $(pgrep -l node); do cat /proc/$pid/status; done",
        "for pid in $(pgrep -d / node); do cat /proc/$pid/status; done",
        "for pid in $(pgrep node); do cat /proc/$pid/root/etc/shadow; done",
        "for pid in $(pgrep node); do kill $pid; done",
    ] {
        asks(command);
    }
}
