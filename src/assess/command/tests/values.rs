//! Words that only look like what they are taken for: values that look like flags, text that the shell itself fills in.

use super::*;
use crate::domain::FolderFact;

#[test]
fn a_value_that_looks_like_a_flag_is_none() {
    for command in [
        "awk -F '-+e' 'BEGIN{system(\"id\")}'",
        "awk -v '-+e' 'BEGIN{system(\"id\")}' a",
        "sed -l '-+e' '1e id' a",
        "sed -n -l '-+e' 'w f' a",
        "tar -xf a.tar --exclude '-+O'",
        "tar xf a -C -O",
        "rpm -V -p a.rpm --qf '-+q'",
        "git branch --format '-+l' evil",
        "git branch --sort '-+l' evil",
        "git tag --format '-+l' evil",
        "grep -r -e '-*q*' ~",
        "grep -rE -e '--include=*.md|' /etc",
        "grep --exclude '-*q' -r . ~",
        "grep -r --exclude '-+c' '' /etc",
        "rg -e '-*q*' /etc",
        "rg -e '-g*.md|' /etc",
        "diff -N -L '-*q' -r ~ /tmp/x",
        "diff -I '-*q*' -r /etc /dev/null",
        "pg_dump -t x -T '-+s' db",
        "find ~ ! -path -name -type f -exec cat {} +",
        "find ~ ! -path -name -type f | xargs cat",
        "find . -newer '!' -name .env -exec cat {} +",
        "grep -e\"$x\" .env",
    ] {
        asks(command);
    }
    assert!(judged("find . ! -path -name -type f -exec cat {} +").walled.is_some());
    for command in [
        "grep -r -e q --include='*.md' .",
        "grep -e '-q' -rn src",
        "sed -n -e 1p -e '$p' a",
        "awk -F: '{print $1}' a",
        "awk -F '-' '{print $2}' a",
        "tar -xOf a.tar b",
        "git branch --sort=-committerdate -l 'x*'",
        "diff -qr src lib",
        "find . ! -path './x/*' -name '*.rs' -exec head -1 {} +",
    ] {
        allowed(command);
    }
}

#[test]
fn a_mark_of_xargs_may_give_way_to_a_limit() {
    for flags in ["-I{} -L1", "-I{} -n2", "-i -l", "-i -l1", "--replace --max-lines=1", "-E -I -n 1", "-I{} -I%"] {
        asks(&format!("echo .env | xargs {flags} cat"));
        asks(&format!("echo x | xargs {flags} tee"));
    }
    allowed("git ls-files | xargs -I{} echo {}");
    allowed("git ls-files | xargs -P4 -I{} grep -n x {}");
}

#[test]
fn a_found_name_behind_its_folder_is_a_found_name() {
    for command in ["ls *.json | xargs -I{} jq -r .name ./{}", "cd src && ls *.rs | xargs -I{} head -5 ./{}"] {
        let seen = |dashed: bool| {
            let folder = |name: &str| (format!("/home/me/project{name}"), FolderFact { dashed });
            judged_where(command, |facts| facts.folders = [folder(""), folder("/src")].into()).class()
        };
        assert_eq!(seen(false), Class::Whitelisted, "{command}");
        assert_ne!(seen(true), Class::Whitelisted, "a name may be a flag that prints other words: {command}");
    }
    allowed("find . -name '*.rs' | xargs -I{} wc -l ./{}");
    for command in [
        "find / -name id | xargs -I{} cat ~/.ssh/{}",
        "ls src | xargs -I{} cat ~/.ssh/{}",
        "ls | xargs -I{} cat ../{}",
        "ls | xargs -I{} cat /etc/ssl/private/{}",
        "ls | xargs -I{} cat ./{}/.env",
        "ls | xargs -I{} sort -o./{} a",
        "ls | xargs -I{} rm ./{}",
        "cat list | xargs -I{} cat ./{}",
        "cd ~/.ssh && ls | xargs -I{} cat ./{}",
        "ls | xargs -I{} ./{}",
        "ls | xargs -I{} grep -f ./{}/{} a",
    ] {
        asks(command);
    }
}

#[test]
fn what_the_shell_fills_in_is_no_number() {
    for command in [
        ": 'a[$(touch x)]'; echo $((_))",
        "read <<< 'a[$(touch x)]'; echo $((REPLY))",
        "[[ 'a[$(touch x)]' =~ .* ]]; echo $((BASH_REMATCH))",
        ": x; let _",
        ": x; [[ _ -eq 1 ]]",
        "cd a; echo $((PWD))",
        "echo $((FUNCNAME + 1))",
        "while read; do echo $((REPLY)); done",
    ] {
        asks(command);
    }
    allowed("echo $((RANDOM % 6)) $((SECONDS / 60))");
}

#[test]
fn another_shell_is_not_bash() {
    for script in [
        "[[ a > README.md ]]",
        "((a>b))",
        "[[ a || touch ]]",
        "x=.env; declare x=a; cat $x",
        "x=.env; typeset x=a; cat $x",
        "x=.env; x+=.example; cat $x",
        "x=$(echo \".e\\0156v\"); cat $x",
        "cat .env$RANDOM",
        "let a",
    ] {
        for shell in ["sh -c", "dash -c", "watch -n1"] {
            asks(&format!("{shell} '{script}'"));
        }
    }
    for script in ["ls -l | wc -l", "cd src && cat a.rs", "for f in *.rs; do wc -l \"$f\"; done", "[ -f a ] && cat a"] {
        allowed(&format!("sh -c '{script}'"));
    }
}

#[test]
fn awk_has_other_ways_to_its_variables() {
    asks("gawk 'BEGIN{print SYMTAB[\"ENVIRON\"][\"TOKEN\"]}'");
    asks("awk 'BEGIN{SYMTAB[\"ARGV\"][1]=\".en\" \"v\"; SYMTAB[\"ARGC\"]=2} {print}'");
    asks("awk 'BEGIN{print PROCINFO[\"argv\"][1]}'");
    asks("HTML_TIDY=tidy.cfg tidy -q a.html");
}

#[test]
fn a_pattern_that_means_nothing_to_find_is_one() {
    for command in [
        "find . -name *foo*",
        "find . -type f -name *conf* 2>/dev/null",
        "find . -name *.[ch]",
        "find . -name [a-z]*",
        "find . -path */src/*",
        "find . -name *2011*",
    ] {
        allowed(command);
    }
    for command in
        ["find . -name *", "find . -name *e*", "find . -name -*", "find . -name *delete*", "find . -name ?exec"]
    {
        asks(command);
    }
}

#[test]
fn flags_in_one_word_are_read_one_by_one() {
    for command in [
        "find . -name '*.rs' -print0 | xargs -r0 md5sum",
        "find . -name '*.rs' -print0 | xargs -0n1 ls",
        "find . -name '*.rs' -print0 | xargs -0I{} ls {}",
        "find . -name '*.rs' -print0 | xargs -0P4 -n1 wc -l",
        "jq .[] a.json",
        "jq -r .items[].id a.json",
    ] {
        allowed(command);
    }
    for command in [
        "ls | xargs -0I{} sed -n {} a",
        "ls | xargs -rI{} sh -c {}",
        "echo .env | xargs -0rI{} -L1 cat",
        "ls | xargs -rZ cat",
    ] {
        asks(command);
    }
}

#[test]
fn a_value_that_may_be_missing_moves_the_next_word() {
    for command in [
        "awk -F\"$SEP\" '{print}' 'BEGIN{system(\"id\")}'",
        "awk -v\"$X\" x=1 'BEGIN{system(\"id\")}'",
        "X=$(true); awk -F\"$X\" '{print}' a",
        "sed -n -l\"$SEP\" p 1eid",
        "grep -m\"$X\" .env y",
    ] {
        asks(command);
    }
    allowed("cut -d' ' -f\"$n\" a");
    allowed("sort -k\"$n\" a");
    allowed("n=3; head -n\"$n\" a");
    allowed("awk -F'|' '{print $2}' a");
}

#[test]
fn a_value_that_may_be_several_words_brings_flags_along() {
    for command in [
        "nice -n ${x:-5 rm -rf ~} ls",
        "nice -n $(cat f) ls",
        "nice -n 5${IFS}touch${IFS}x ls",
        "nice -n \"$@\" ls",
        "timeout ${x:-5 rm -rf ~} ls",
        "timeout -k ${x:-1 5 touch y} 5 ls",
        "timeout 5* ls",
        "env -u ${x:-A rm -rf y} ls",
        "xargs -n $(cat f) ls",
        "xargs sort a -k < f",
        "sort -k ${x:-1 -o y} a",
        "sort -k${K:-1 -o y} a",
        "sort -k$n a",
        "cut -d' ' -f$n a",
        "x='1 -o y'; sort -k $x a",
        "set -- 1 -o y; sort -k $@ a",
        "a=(1 -o y); sort -k ${a[@]} a",
        "mapfile -t a < f; sort -k \"${a[@]}\" b",
        "while read -r n; do head -n $n a; done < f",
        "head -n ${x:-1 .env} a",
        "awk -F $(cat f) '{print $1}' a",
        "git log -n $(cat f)",
        "git log --format=%H${x:- --output=y}",
        "git diff -U $(cat f)",
        "rg -g *.rs${x:- --pre=./y} x",
        "fd -d ${x:-1 -x touch y} x",
        "tar -tf a.tar --strip-components ${x:-1 --to-command=./y}",
        "jq --arg a $(cat f) . a.json",
        "head -c *.env a",
    ] {
        asks(command);
    }
    for command in [
        "n=3; head -n $n a",
        "head -n \"$(wc -l < a)\" b",
        "head -n $(cat a | wc -l) b",
        "for n in 1 2; do sort -k $n a; done",
        "grep -r --include=*.rs x .",
        "while read -r n; do head -n \"$n\" a; done < f",
        "timeout $((5+1)) ls",
    ] {
        allowed(command);
    }
}

#[test]
fn a_shortened_flag_is_the_long_one() {
    for command in
        ["grep --rege=. .env x", "grep --regex=foo .env x", "grep --recurs -h '' /etc", "grep --dereference-recurs x ~"]
    {
        asks(command);
    }
    allowed("grep --line-number x a");
}

#[test]
fn a_class_is_what_bash_makes_of_it() {
    for command in [
        "cat .en[^[:digit:]]",
        "cat .en[![:space:]]",
        "cat < .en[^[:digit:]]",
        "cat .en[![.x.]]",
        "cat .en[\"!\"v]",
        "cat .en[\\^v]",
        "cat .en[[.].]v]",
        "sh -c 'cat .en[^v]'",
        "sh -c 'cd -e /tmp; cat a'",
        "find . -name '.en[^[:digit:]]' -exec cat {} +",
        "find . -name [[:punct:]]delete",
        "find . -name [\"-\"]delete",
        "find . -name *-delete",
        "find . -name *-o",
    ] {
        asks(command);
    }
    allowed("ls [a-z]*.txt");
    allowed("sh -c 'cd src && ls'");
}

#[test]
fn what_ends_names_is_a_flag_of_xargs_and_no_value() {
    for command in [
        "find . -name '*.rs' -print0 | xargs -E -0 rg x",
        "find . -name '*.rs' -print0 | xargs -I -0 rg x -0",
        "echo .env | xargs -I\"$m\" cat",
    ] {
        asks(command);
    }
}

#[test]
fn a_text_that_is_known_comes_apart_at_its_blanks() {
    for command in [
        "files='README.md data.csv'; cat $files",
        "f='src/main.rs a.txt'; for x in ${f}; do wc -l \"$x\"; done",
        "cmd='ls -l'; $cmd",
        "f='.env a'; cat \"$f\"",
    ] {
        allowed(command);
    }
    for command in [
        "x='a -o b'; sort $x",
        "x='a .env'; cat $x",
        "x='a *'; cat $x",
        "IFS=,; x='a b,.env'; cat $x",
        "x='rm -rf y'; $x",
        "read IFS; x='a b'; cat $x",
    ] {
        asks(command);
    }
}

#[test]
fn what_reads_a_variable_takes_its_flags_as_bash_does() {
    for command in [
        "while read -r -u3 l; do echo \"$l\"; done 3< a.txt",
        "while read -rn1 c; do echo \"$c\"; done < a",
        "read -t1 -rp 'x' y < a; echo \"$y\"",
        ". /etc/os-release && echo \"$PRETTY_NAME\"",
        "source /etc/os-release; [ \"$ID\" = debian ] && echo yes",
    ] {
        allowed(command);
    }
    for command in [
        "find . -name '*.txt' | while read -u3 f; do cat \"$f\"; done 3< a",
        "find . -name '*.txt' | while read -ru3 f; do cat \"$f\"; done 3< a",
        "read -aarr < a",
        "read -rx < a",
        "ID=ls; . /etc/os-release; $ID",
        ". ./os-release",
        ". /etc/os-release x",
    ] {
        asks(command);
    }
}

#[test]
fn places_in_arrays_and_processes_are_seen_wherever_they_stand() {
    let evil = "x='a[$(touch z)]'; p=$x";
    for command in [
        "echo ${x:-<(touch z)}",
        "echo ${x/a/>(touch z)}",
        "[[ a =~ ${x:-<(touch z)} ]]",
        "bash -c 'echo ${x:-<(touch z)}'",
        "echo \"${a[$(touch z)]+x}\"",
        "echo ${a[$(touch z)]:+x}",
        "echo ${a[x]+x}",
        "a=([b[p]]=1)",
        "a=([ p ]=1)",
        "a=([p]+=1)",
        "declare -a a=([b[p]]=1)",
        "export x; bash -c 'echo $((x))'",
        "x=$x bash -c 'echo $((x))'",
        "env x=$x bash -c '((x))'",
        "local -A m; echo ${m[x]}",
        "declare -pA m; echo ${m[x]}",
        "declare -A m; unset m; echo ${m[x]}",
        "declare -A m </nope; echo ${m[x]}",
        "declare -A DIRSTACK; echo ${DIRSTACK[x]}",
        "[ \"$(tr x v <<< -x)\" 'a[$(touch z)]' ]",
        "y=$(tr x v <<< x); test \"-$y\" 'a[$(touch z)]'",
        "[ a -a \"$(cat f)\" 'a[$(touch z)]' ]",
        "y=$(tr x v <<< x); printf \"-$y\" 'a[$(touch z)]' hi",
        "printf 'ab%n' PATH; ls",
        "printf 'ab%%%-5n' PATH; ls",
        "printf -v x -- '1%n' PATH; ls",
        "printf -- '1%n' PATH; ls",
        "printf -v x -- \"$(cat a)\" PATH; ls",
        "sh -c 'printf -v x -- 1%n PATH; ls'",
        "OPAMROOT=./evil opam list",
        "GPGME_DEBUG=9:./pwned podman ps",
        "export TDSDUMP=./pwned; ls",
        "declare -a PATH; ls",
    ] {
        asks(&format!("{evil}; {command}"));
    }
    for command in [
        "declare -A m=([a]=1 [b]=2); echo \"${m[a]}\"",
        "a=(1 2 3); echo ${a[1]} \"${a[2]+set}\"",
        "i=1; a=(x y); echo \"${a[$i]}\"",
        "[ \"$x\" = '[' ]",
        "[ -n \"$x\" ] && echo yes",
        "printf '%s: 100%%, %d new\\n' \"$x\" 3",
        "x=5; bash -c 'echo $x'",
        "echo ${x:-default} \"${x:+set}\"",
        "declare -a list; list=(a b); echo ${list[0]}",
    ] {
        allowed(command);
    }
}

#[test]
fn a_name_that_xargs_parts_is_none() {
    for command in [
        "find . -name '*.txt' -print0 | xargs -0 sort",
        "find . -name '*.txt' | xargs -d '\\n' cat",
        "find . -name '*.txt' | xargs -d $'\\n' wc -l",
        "find . -name '*.txt' -print0 | xargs -d '\\0' cat",
    ] {
        allowed(command);
    }
    for command in [
        "find . -name '*.txt' -print0 | xargs -0 -d ' ' sort",
        "find . -name '*.txt' -print0 | xargs -d ' ' -0 sort",
        "find . -name '*.txt' -print0 | xargs -0d' ' sort",
        "find . -name '*.txt' -print0 | xargs -0 --delimiter=x sort",
        "find . -name '*.txt' -print0 | xargs -0 -d '\\n' sort",
        "find . -name '*.txt' | xargs -d x cat",
        "find . -name '*.txt' | xargs -d x -I{} cat {}",
        "git log --format=%H | xargs -d x git show",
    ] {
        asks(command);
    }
}

#[test]
fn whether_a_secret_is_set_tells_nothing_of_it() {
    for command in [
        "[ -n \"$GITHUB_TOKEN\" ] && echo set || echo unset",
        "[ -z \"${OPENAI_API_KEY:-}\" ] && echo missing",
        "[[ -n \"$AWS_SECRET_ACCESS_KEY\" ]] && echo ok",
        "if test -z \"${API_KEY-}\"; then echo no key; fi",
    ] {
        allowed(command);
    }
    for command in [
        "[ \"$GITHUB_TOKEN\" = a ] && echo yes",
        "[[ $GITHUB_TOKEN == a* ]] && echo yes",
        "[ -f \"$GITHUB_TOKEN\" ]",
        "[ -n \"${GITHUB_TOKEN#a}\" ]",
        "[ -n \"${GITHUB_TOKEN%%[b-z]*}\" ] && echo yes",
        "[ -n \"$GITHUB_TOKEN\" = \"$GITHUB_TOKEN\" ]",
        "echo -n \"$GITHUB_TOKEN\"",
        "[[ -n \"${GITHUB_TOKEN:0:1}\" ]]",
    ] {
        asks(command);
    }
}

#[test]
fn words_are_split_where_a_script_says() {
    for command in [
        "IFS=,; for x in $list; do echo \"$x\"; done",
        "IFS=','; read -ra parts <<< \"$line\"; echo \"${parts[0]}\"",
        "(IFS=:; for d in $PATH; do ls -d \"./$d\"; done)",
        "IFS=:; for d in $PATH; do echo \"$d\"; done",
        "old=$IFS; IFS=$'\\n'; for l in $(cat a); do echo \"$l\"; done; IFS=$old",
        "IFS=,; echo \"$x\"; unset IFS; x=src/a; cat $x",
        "IFS=$'\\n'; x=src/a; cat $x",
    ] {
        allowed(command);
    }
    for command in [
        "IFS=,; x='a,-delete'; find . $x",
        "IFS=/; x=a/.env; cat $x",
        "IFS=,; x=src,/etc/shadow; cat $x",
        "IFS=X; x=aX.env; cat ${x}",
        "IFS=,; ls | while read -r f; do cat $f; done",
        "IFS=x; for f in $(find . -name '*.rs'); do cat $f; done",
        "IFS=$y; x=src/a; cat $x",
        "IFS=,; a=(src/a,-x); find ${a[@]}",
        "IFS=,; f() { find $1; }; f .,-delete",
        "export IFS=,; cat a",
        "IFS=,; x=.,-delete; eval find $x",
        "for i in 1 2; do x=.,-delete; find $x; IFS=,; done",
    ] {
        asks(command);
    }
}

#[test]
fn a_function_may_have_the_name_of_a_view() {
    allowed("log() { echo \"$(date +%T) $*\"; }; log start; ls src; log end");
    allowed("info() { printf '%s\\n' \"$1\"; }; info a");
    asks("log() { rm \"$1\"; }; log a");
    asks("ls() { echo \"$1\"; }; ls a");
    asks("log() { echo a; }; unset -f log; log show");
}

#[test]
fn signs_that_mean_nothing_may_be_escaped_in_an_expansion() {
    for command in ["echo \"${f//\\//_}\"", "echo \"${x#*\\:}\"", "for f in src/*; do echo \"${f/\\.rs/}\"; done"] {
        allowed(command);
    }
    for command in ["echo \"${f//\\\\//_}\"", "echo ${f//\\}/_}", "echo ${f//\\\\/.}", "echo \"${f//\\\"/_}\""] {
        asks(command);
    }
}
