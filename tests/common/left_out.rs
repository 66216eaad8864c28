//! Says which tests are left out because something isn't on this machine. Where nothing may be left out
//! (`COUNTERSIGN_REQUIRE`), that is a failure.

#![allow(dead_code)] // each test binary uses its own part

use std::io::Write as _;

/// Says it on standard error itself: the test harness swallows what passing tests print.
pub fn left_out(what: &str, instead: &str) {
    assert!(std::env::var_os("COUNTERSIGN_REQUIRE").is_none(), "left out: {what}; {instead}");
    let _unseen = writeln!(std::io::stderr(), "left out: {what}; {instead}");
}

/// Says that this kernel or system can't do what a test is about, which nothing can be done about here.
pub fn not_here(what: &str, why: &str) {
    let _unseen = writeln!(std::io::stderr(), "left out: {what}; {why}");
}
