//! Golden lines about what may not come about: behind redirections that fail, in other processes, in a line the rest of
//! which is left out. What is judged by it later must hold either way.

use super::{allowed, asks};

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
