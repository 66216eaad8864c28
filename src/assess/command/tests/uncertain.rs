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
