//! Numbers that the shell's own commands compute.

use super::{allowed, asks, judged_where};
use crate::domain::{Class, Shell};

#[test]
fn what_the_shells_own_commands_take_for_a_number_holds_no_code() {
    for command in [
        "printf '%d' 'path[$(touch pwn)]'",
        "printf '%5d %s\\n' \"$(cat f)\" x",
        "printf \"%d\" \"$(cat f)\"",
        "printf '%*s' \"$(cat f)\" x",
        "printf '%s %d' a 'x[`id`]'",
        "printf '%(%F %H)T %d' 1 \"$x\"",
        "printf '%2$d' 1 \"$x\"",
        "printf -v y '%x' 'path[$(id)]'",
        "printf -- '%i' 'path[$(id)]'",
        "x='path[$(id)]'; printf '%d' x",
        "printf \"a$f\" 'path[$(id)]'",
        "printf '%s %d\\n' $x 'path[$(id)]'",
        "exit 'path[$(touch pwn)]'",
        "return \"$(cat f)\"",
        "shift 'path[$(id)]'",
        "for i in 1 2; do break 'path[$(id)]'; done",
        "for i in 1 2; do continue \"$(cat f)\"; done",
        "[ -t 'path[$(touch pwn)]' ]",
        "test -t \"$(cat f)\"",
        "[ 'path[$(id)]' -eq 1 ]",
        "read -t 'a[$(touch pwn)]' y",
        "read -rt'a[$(touch pwn)]' y",
        "read -r -n \"$(cat f)\" y",
        "read -u 'a[$(id)]' y",
    ] {
        asks(command);
    }
    for command in [
        "printf '%s\\n' \"$(cat f)\"",
        "printf '%s %d\\n' \"$x\" 5",
        "n=$(wc -l < a); printf '%d lines\\n' \"$n\"",
        "printf '%05.1f%%\\n' 1.5",
        "printf '%d' \"'A\"",
        "printf '%x %s\\n' 255 \"$x\" 0x1f \"$y\"",
        "printf '%(%F %H)T %s' -1 \"$x\"",
        "printf '%-10s|%5s\\n' \"$a\" \"$b\"",
        "ls; rc=$?; exit $rc",
        "exit 1",
        "f() { return 2; }; f",
        "[ -t 1 ] && echo yes",
        "[ \"$n\" -gt 5 ] && echo yes",
        "read -r -t 5 -n 1 y < a",
    ] {
        allowed(command);
    }
}

#[test]
fn what_is_compared_as_a_number_holds_no_code_where_the_shell_computes_it() {
    let class = |command: &str| judged_where(command, |facts| facts.shell = Shell::Zsh).class();
    for command in [
        "[ \"$x\" -gt 5 ]",
        "x=$(cat f); [ \"$x\" -gt 5 ] && echo yes",
        "x=$(cat f); if test 5 -lt \"$x\"; then echo yes; fi",
        "[ \"$(cat f)\" -eq 1 ]",
        "while read -r l; do [ \"$l\" -ne 0 ]; done < f",
    ] {
        allowed(command);
        assert_eq!(class(command), Class::Unreadable, "{command}");
    }
    assert_eq!(class("x='path[$(id)]'; [ x -gt 5 ]"), Class::Unreadable);
    for command in [
        "n=$(wc -l < a); [ \"$n\" -gt 5 ] && echo yes",
        "[ $? -eq 0 ] && echo yes",
        "for i in 1 2 3; do [ $i -lt 3 ] && echo $i; done",
        "[ \"$(git rev-list --count HEAD)\" -gt 100 ]",
        "[ \"$x\" = \"$y\" ]",
        "[ -n \"$x\" -a -f \"$y\" ]",
        "[ $# -ge 1 ]",
    ] {
        assert_eq!(class(command), Class::Whitelisted, "{command}");
    }
    // These every shell computes.
    for command in ["[[ \"$(cat f)\" -gt 5 ]]", "[[ a =~ b ]]; [[ $MATCH -gt 5 ]]", "x=$(cat f); [[ $x -gt 5 ]]"] {
        asks(command);
    }
}
