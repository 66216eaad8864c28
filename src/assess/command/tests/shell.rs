//! Golden lines about what the shell itself does, and about its variables.

use super::{allowed, asks, judged};

#[test]
fn variables_of_a_script_are_its_own_until_programs_get_them() {
    for command in [
        "FILE=a.txt; wc -l \"$FILE\"",
        "SRC_DIR=src; ls $SRC_DIR",
        "LOG_FILE=x.log; tail -n 5 \"$LOG_FILE\"",
        "CMD=ls; echo $CMD",
        "TARGET=a; MANIFEST=b; EXT=rs; find . -name \"*.$EXT\"",
        "DEBUG=1 ls",
    ] {
        allowed(command);
    }
    for command in [
        "LOG_FILE=x ls",
        "export SRC_DIR=x; ls",
        "declare -x MY_PLUGIN=x; ls",
        "LD_PRELOAD=x; export LD_PRELOAD; ls",
        "X_CONFIG=a; export X_CONFIG; ls",
        "PATH=/tmp; ls",
        "PAGER=./x; man ls",
        "BASH_ENV=x; bash -c ls",
        "TMPDIR=x; sort a",
        "https_proxy=x; ls",
    ] {
        asks(command);
    }
}

#[test]
fn what_the_shell_does_itself_is_followed() {
    for command in [
        "exec 3< notes.txt; read -r -u 3 line; echo \"$line\"; exec 3<&-",
        "exec 2>/dev/null; ls",
        "mapfile -t lines < notes.txt; echo \"${#lines[@]}\"",
        "readarray -t a < <(ls); echo \"${a[0]}\"",
        "while getopts ab: o; do echo \"$o\"; done",
        "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done",
        "t=0; for f in *.md; do n=$(wc -l < \"$f\"); t=$((t + n)); done; echo $t",
        "a=(x y z); for ((i = 0; i < ${#a[@]}; i++)); do echo \"${a[i]} ${a[$i]}\"; done",
        "declare -a a=(x y); local b=(1 2); echo ${a[0]}",
        "let n=1+2 'n = n * 3'; echo $n",
        "bash -lc 'git status'",
        "bash -euo pipefail -c 'ls | head'",
        "bash -o pipefail -c ls",
        "bash -n script.sh",
        "zsh -lc 'ls -la | head -5'",
        "zsh -c 'grep -rn \"a b\" src 2>/dev/null | wc -l'",
        "cd $(pwd)/src && ls",
        "find \"$(pwd)\" -name x",
        "command -p ls",
        "echo {0..3} {01..03}",
        "cat /proc/$$/status",
        "set -o",
    ] {
        allowed(command);
    }
    for command in [
        "exec rm x",
        "exec > out",
        "exec < .env; cat",
        "mapfile -C 'rm x' a < f",
        "mapfile PATH < f",
        "mapfile 'a[$(rm x)]' < f",
        "getopts a PATH",
        "x=$(cat f); let y=x",
        "let 'a[$(rm x)]=1'",
        "let PATH=1",
        "x=$(cat f); echo ${a[x]}",
        "echo ${a[$(rm x)]}",
        "x='b[$(rm y)]'; echo ${a[$x]}",
        "declare -a 'a=($(rm x))'",
        "declare -a a=$(cat f)",
        "declare a=(1 $(rm x))",
        "bash -lc 'rm x'",
        "bash -n -c ls x",
        "bash -co ls pipefail",
        "bash -o history -c ls",
        "bash -ic ls",
        "bash -s < f",
        "zsh -n -o exec -c 'touch x'",
        "zsh -n -o exec a.sh",
        "zsh -no EXEC a.sh",
        "zsh -c 'ls *(e:\"rm x\":)'",
        "zsh -c 'echo =(rm x)'",
        "zsh -c '=rm x'",
        "zsh -c \"ls\\n=rm x\"",
        "zsh -c 'cat ~/.e*'",
        "zsh -c 'hash ls=./evil; ls'",
        "zsh -c 'noglob rm x'",
        "zsh -c 'ls $x'",
        "cat .env$(wc -l < f)",
        "n=; [ -e x ] && n=1; cat .env$n",
        "set -o history",
    ] {
        asks(command);
    }
}

#[test]
fn variables_that_programs_obey_ask_before_them() {
    for variable in [
        "FFREPORT=file=x ffprobe a.mp4",
        "PYENV_VERSION=../x python3 --version",
        "GIO_EXTRA_MODULES=. gsettings get a b",
        "LIBVIRT_DEFAULT_URI=qemu+ssh://evil/system virsh list",
        "PULSE_SERVER=evil pactl info",
        "OCL_ICD_VENDORS=. clinfo",
        "MAGICK_CODER_MODULE_PATH=. identify a.png",
        "DBUS_SESSION_BUS_ADDRESS=unixexec:path=x busctl list",
        "PIGZ=-k pigz -dc a",
        "ASPELL_CONF=x aspell list",
    ] {
        asks(variable);
    }
}

#[test]
fn a_number_that_may_be_missing_or_more_than_one_is_no_number() {
    for command in [
        "sort -T $(wc -l < missing) -k1 -o out a",
        "echo $(( $(wc) ))",
        "echo $(( $(wc --files0-from=names) ))",
        "echo $(( $(nproc --help) ))",
        "echo $((16#$x))",
        "echo $((16#ff[$(id)]))",
        "x='a[$(id)]'; echo $((16#f+x))",
        "rm {1..500}",
    ] {
        asks(command);
    }
    for command in [
        "echo $(( $(wc -l < a) + 1 ))",
        "n=$(wc -l < a); echo $((n + 1)) $n",
        "head -n \"$(wc -l < a)\" b",
        "echo $(( $(ls | wc -l) * 2 ))",
        "cat $(wc -l < missing) $(ls | wc -l)",
        "n=$(wc -l < a); head -n $n b",
        "echo $((16#ff + 2#101)) {1..500}",
    ] {
        allowed(command);
    }
}

#[test]
fn what_only_newer_shells_run_asks() {
    for command in
        ["echo ${ rm x; }", "echo \"${ rm x; }\"", "echo \"${| rm x; }\"", "echo ${1..3}", "cat <<END\n${ rm x; }\nEND"]
    {
        asks(command);
    }
    allowed("echo '${ rm x; }' \\${ \"$\"");
}

#[test]
fn a_variable_that_an_assignment_does_not_change_may_be_anything() {
    for command in [
        "readonly x=.env\nx=a\ncat $x",
        "readonly x=.env; export x=a; cat $x",
        "declare -r x=.env; read x < a; cat $x",
        "_=a; echo .env > /dev/null; cat $_",
        "GROUPS=a; cat $GROUPS",
        "local x=a; cat $x",
    ] {
        asks(command);
    }
    allowed("readonly x=src; ls $x");
    allowed("declare -r x=README.md; cat \"$x\"");
}

#[test]
fn a_descriptor_that_goes_into_a_variable_is_no_word() {
    for command in [
        "awk {x}>/dev/null 'BEGIN{system(\"rm y\")}'",
        "ls {fd}</dev/null",
        "{ ls; } {fd}>/dev/null",
        "echo $(ls {fd}>&1)",
    ] {
        asks(command);
    }
    allowed("echo {x} >/dev/null");
    allowed("awk '{print}' a >/dev/null");
}

#[test]
fn a_sentence_that_names_some_says_how_many_more_there_are() {
    let judged = judged("rm a b c d e f");
    let said: Vec<&str> = judged.objections().map(|finding| finding.sentence.as_str()).collect();
    assert!(said.contains(&"`rm` deletes a, b, c, d, and 2 more."), "{said:?}");
}

#[test]
fn elements_that_nothing_closes_end_soon() {
    let began = std::time::Instant::now();
    for count in [8, 11, 24, 400] {
        let open = "x[\\n".repeat(count);
        for line in [format!("[ {open} ]"), format!("(({open}"), format!("read a[{open}"), format!("echo \"{open}\"")] {
            judged(&line);
        }
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
    asks(&format!("[ {} ]", "x[\\n".repeat(11)));
    allowed(&format!("awk '{{ {} }}' f", "a[$1] = b[$2]; ".repeat(8)));
    allowed("grep 'x[0-9]y[0-9]z[0-9]x[0-9]y[0-9]z[0-9]x[0-9]y[0-9]z[0-9]x[0-9]y[0-9]z[0-9]' f");
}

#[test]
fn brackets_and_comments_that_bash_reads_otherwise_ask() {
    for command in [
        // Not arithmetic, but commands in two pairs of brackets.
        "((rm -rf d) )",
        "(( rm -rf d ) )",
        "( (touch z))",
        "((cat a > z) )",
        "time ((rm a) )",
        "f() ((rm a) ); f",
        "echo $(( (rm a) ) )",
        "cat <<E\n$(( (rm a) ) )\nE",
        "[[ $(( (rm a) ) ) -eq 1 ]]",
        "echo $( ((rm a) ) )",
        // No comment within arithmetic.
        "echo $(( 1 # $(touch z)\n ))",
        "echo \"$(( 1 # $(touch z)\n ))\"",
        "(( # `touch z`\n 1 ))",
        "(( 1 # )) \ntouch z \n ))",
        "echo $[ 1 # $(touch z)\n ]",
        "for ((i=0;i<1 # $(touch z)\n;i++)); do ls; done",
        "echo $( (( 1 # $(touch z)\n )) )",
        "(( 1 &&\n# $(touch z)\n1 ))",
        // Nor right behind a process substitution or an array.
        ": <(:)#;rm a",
        "ls <(ls)#y; touch z",
        "ls <(ls)\\\n#y; touch z",
        "echo a<(ls)#y; touch z",
        "cat < <(ls)#y; touch z",
        "a=()#;rm a",
        "declare a=(1)#c; touch z",
        "echo $(ls <(ls)#y; touch z\n)",
        "echo \"${x:-$(ls <(ls)#y; touch z\n)}\"",
        "cat <<E\n$(ls <(ls)#y; touch z\n)\nE",
        "bash -c 'ls <(ls)#y; touch z'",
    ] {
        asks(command);
    }
    for command in [
        "(( 1 )) # one",
        "(ls) # one",
        "ls # one",
        "# one\nls",
        "echo $(ls # one\n)",
        "echo $((1+2)) # three",
        "echo $(( (1+2) * 3 ))",
        "for ((i=0; i<3; i++)); do echo $i; done",
        "((cd src && ls); ls)",
        "x=abc; echo $(( ${#x} + 1 ))",
        "diff <(ls a) <(ls b) # compare",
        "cat <<E\na $(( 1 + 1 )) # no comment\nE",
        "grep ')#' README.md",
    ] {
        allowed(command);
    }
}

#[test]
fn a_delimiter_that_may_be_expanded_asks_at_once() {
    for command in [
        "<<E$[ ]; <<<; ",
        "<<E$[ ]]; ls <<<; ",
        "<<\"E$( )\"; <<<; ",
        "<<\\\nE$(( )); <<<; ",
        "cat <<`ls`",
        "~$($time 1<< <<\"E\"for ",
        "}; <<<<<\"E\"$(( ; ?]# ? ",
        "?$(-<< \\\n>(a -<<E ]] ",
        "!1) <( 2>&1# $( $x<< <<E *# ",
        "cat <<E\nx\nE\\",
    ] {
        asks(command);
    }
    for command in ["cat <<E\n1\nE", "cat <<'E'; ls\n$x\nE\n", "grep a <<< \"$HOME\"", "wc -l <<<$(ls)"] {
        allowed(command);
    }
}

#[test]
fn a_pattern_behind_a_dash_may_become_an_action() {
    for command in [
        "find . -name a -exe? sh -c 'touch z' \\;",
        "find . -del*",
        "find . \"-del\"*",
        "find . -{del,x}*",
        "for f in -*; do find . \"$f\"; done",
        "printf -? 'a[$(touch z)]' x",
        "printf -[v] 'a[$(touch z)]' x",
    ] {
        asks(command);
    }
}
