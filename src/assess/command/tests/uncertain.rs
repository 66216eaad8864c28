//! Golden lines about what may not come about: behind redirections that fail, in other processes, in a line the rest of
//! which is left out. What is judged by it later must hold either way.

use super::{allowed, asks};

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
