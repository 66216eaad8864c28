//! Golden lines about what may not come about: behind redirections that fail, in other processes, in a line the rest of
//! which is left out. What is judged by it later must hold either way.

use super::{allowed, asks};

#[test]
fn what_a_failed_redirection_skips_is_not_taken_for_done() {
    for command in [
        "x=.env; { x=1; } </nope; cat $x",
        "x=.env; f() { x=a; }; f </nope; cat $x",
        "x=.env; f() { x=a; } </nope; f; cat $x",
        "x=.env; declare x=1 </nope; cat $x",
        "x=.env; export x=1 </nope; cat $x",
        "x=.env; if x=1; then :; fi </nope; cat $x",
        "set -- .env; set -- a </nope; cat $1",
        "a=(.env); { a=(a.txt); } </nope; cat \"${a[@]}\"",
        "x=.env; { x=a; } <\"$y\"; cat $x",
        "x=.env; { x=a; } 2>/dev/tty; cat $x",
        "x=.env; { x=a; } >&3; cat $x",
        "x=.env; exec 1>&-; { x=a; } 2>&1; cat $x >&2",
        "x=.env; { x=a; } 1>&- 2>&1; cat $x >&2",
        "{ touch() { ls; }; } </nope; touch z",
        "x='a[$(touch z)]'; { x=1; } </nope; echo $((x))",
    ] {
        asks(command);
    }
    for command in [
        "{ x=src; } 2>/dev/null; cat $x/main.rs",
        "{ x=src; ls $x; } 2>&1; cat $x/main.rs",
        "f() { x=src; } >&2; f 2>&1; cat $x/main.rs",
        "cd src >/dev/null 2>&1; ls; cat main.rs",
        "cd src &>/dev/null; cat main.rs",
        "cd src 2>&-; cat main.rs",
        "n=0; while read -r f; do n=$((n + 1)); done < notes.txt; echo $((n))",
        "n=0; while read -r f; do n=$((n + 1)); done < <(find . -name '*.rs'); echo $((n))",
        "read -r v < VERSION; echo \"$v\"; [ -n \"$v\" ] && ls",
        "mapfile -t a < notes.txt; for x in \"${a[@]}\"; do echo \"$x\"; done",
        "x=src; { ls; } < notes.txt; cat $x/main.rs",
    ] {
        allowed(command);
    }
}

#[test]
fn a_line_whose_expansion_fails_is_not_taken_for_done() {
    let failing = [
        "echo $((1/0))",
        "echo $((08))",
        "echo $((2**-1))",
        "echo $((1+))",
        "echo $((1 2))",
        "echo $((1=2))",
        "echo $((y = 5, 1/0))",
        "(($((1/0))))",
        "[[ $((1/0)) -eq 1 ]]",
        "echo ${HOME:0:-500}",
        "echo ${HOME:1/0}",
        "a=(1); echo ${a[@]:0:-1}",
        "a=(1); a[-5]=3",
        "a=([08]=x)",
        "a=(1); echo ${a[1/0]}",
        "a=(1); echo ${#a[1/0]}",
        "readonly r=1; r=2",
        "readonly r=1; r=(2)",
        "UID=5",
        "shopt -s failglob; ls *.nope",
        "f() { echo $((1/0)); }; f",
        "for i in 1 2; do echo $((1/0)); done",
        "if ls; then echo $((1/0)); fi",
        "cat < $((1/0))",
        "cat <<< $((1/0))",
        "for i in $((1/0)); do ls; done",
        "case $((1/0)) in a) ls;; esac",
    ];
    for line in failing {
        asks(&format!("x=.env; {line}; x=a.txt\ncat $x"));
        asks(&format!("x=.env; {line} && x=a.txt\ncat $x"));
        asks(&format!("set -- .env; {line}; set -- a.txt\nls\ncat $1"));
        asks(&format!("{line}; touch() {{ ls; }}\ntouch z"));
    }
    for command in [
        "x=.env; f() { local x=a.txt; echo $((1/0)); }; f; x=a.txt\ncat $x",
        "set -- .env; f() { echo $((1/0)); }; f a.txt; set -- a.txt\ncat $1",
        "x=.env; f() { x=b; echo $((1/0)); x=a.txt; }; x=a.txt; f\nx=a.txt; g() { x=.env; f; }; g; x=a.txt\ncat $x",
        "bash -c 'x=.env; echo $((1/0)); x=a.txt\ncat $x'",
        "x=.env; echo $((1/0)); x=a.txt;\ncat $x",
        "x=.env; echo $((1/0)); x=a.txt; ls &\ncat $x",
        "x=.env; echo $((1/0)); x=a.txt # a\n\n# b\ncat $x",
        "x=.env; read -r y <<E; x=a.txt\n$((1/0))\nE\ncat $x",
        "x=.env; cat <<E; x=a.txt\n$((1/0))\nE\ncat $x",
        "x=.env\n{ echo $((1/0))\nx=a.txt\n}\ncat $x",
        "ls $(x=.env; echo $((1/0)); x=a.txt\ncat $x)",
    ] {
        asks(command);
    }
    for command in [
        "x=.env; ls; x=a.txt\ncat $x",
        "set -- .env; ls; set -- a.txt\nls\ncat $1",
        "x=.env; ls; x=a.txt;\ncat $x",
        "x=src; ls $x; n=$((1 + 2))\ncat $x/main.rs",
        "n=0\nfor f in src/*.rs; do n=$((n + 1)); done\necho $((n))",
        "x=src; n=1\nn=$((n + 1))\ncat $x/main.rs",
        "n=$((1/0)) | ls; x=src\ncat $x/main.rs",
        "(echo $((1/0))); x=src\ncat $x/main.rs",
        "y=$(echo $((1/0))); x=src\ncat $x/main.rs",
        "echo $((1/0)) & x=src\ncat $x/main.rs",
        "bash -c 'echo $((1/0))'; x=src\ncat $x/main.rs",
        "((1/0)); x=src\ncat $x/main.rs",
        "[[ 1/0 -eq 1 ]]; x=src\ncat $x/main.rs",
        "h=$(git rev-parse HEAD); echo ${h:0:7} ${h: -3}; x=src\ncat $x/main.rs",
        "a=(a b); echo ${a[0]} ${#a[@]}; a[1]=c; x=src\ncat $x/main.rs",
        "show() { local d=$1; n=$((n + 1)); head $d/README.md; }\nshow src\nshow docs",
        "for i in 1 2 3; do p=src/$i.md; head $p; t=$((t + i)); done\necho $t; ls",
        "cd src && n=$((n + 1))\nls; cat main.rs",
        "echo $((1/0)); x=src; cat $x/main.rs",
    ] {
        allowed(command);
    }
}

#[test]
fn what_another_process_changes_does_not_hold_here() {
    for command in [
        "x=.env; env export x=a.txt; cat $x",
        "x=.env; timeout 5 export x=a.txt; cat $x",
        "x=.env; setsid declare x=a.txt; cat $x",
        "x=.env; nohup readonly x=a.txt; cat $x",
        "x=.env; /usr/bin/time export x=a.txt; cat $x",
        "x=.env; /usr/bin/export x=a.txt; cat $x",
        "x=.env; /bin/declare x=a.txt; cat $x",
        "x=.env; watch -x export x=a.txt; cat $x",
        "set -- .env; find . -exec set -- a.txt \\; ; cat $1",
        "set -- .env; ls | xargs -I{} set -- a.txt; cat $1",
        "set -- .env; xargs set -- a.txt; cat $1",
        "set -- .env; fd x -x set -- a.txt; cat $1",
        "x='a[$(touch z)]'; nice export x=1; echo $((x))",
        "cd ..; env cd project; cat .env",
        "cd ~/.ssh/..; /usr/bin/cd project; cat .ssh/id_rsa",
    ] {
        asks(command);
    }
    for command in [
        "x=.txt; command export x=src; cat $x/main.rs",
        "x=.txt; builtin export x=src; cat $x/main.rs",
        "x=src; timeout 5 ls; env A=b ls; find . -name '*.rs' -exec wc -l {} \\; ; /bin/ls; cat $x/main.rs",
        "x=src; ls | xargs wc -l; nice bash -c 'x=a; ls'; cat $x/main.rs",
    ] {
        allowed(command);
    }
}

#[test]
fn a_function_that_is_taken_away_is_none() {
    for command in [
        "touch() { ls; }; unset touch; touch z",
        "touch() { ls; }; if ls; then unset touch; fi; touch z",
        "touch() { ls; }; unset x touch; touch z",
        "touch() { ls; }; unset -f touch; touch z",
        "touch() { ls; }; builtin unset touch; touch z",
        "touch() { ls; }; f() { unset touch; }; f; touch z",
    ] {
        asks(command);
    }
    for command in [
        "show() { ls; }; unset x; show",
        "show() { ls; }; unset -v show; show",
        "show() { ls; }; unset show; show() { pwd; }; show",
    ] {
        allowed(command);
    }
}
