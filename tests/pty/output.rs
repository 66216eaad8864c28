//! Output in the real program: kept on disk and found there, saved, and shown in a pager that gives the terminal back.

use std::path::Path;

use crate::driver::Driver;

#[test]
fn long_output_is_found_saved_and_paged() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    let pager = format!("cat > {}; echo paged-is-here; sleep 0.5", copy.display());
    let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
    let mut it = Driver::start_program(program, &["--workspace", "."], 120, 40, &[("PAGER", &pager)]);
    it.wait_for("practice model");
    it.say("! seq 1 90000; sleep 0.4; printf 'e\\033[31mnd\\033[2J\\n' >&2");
    it.wait_for("exit 0");
    it.keys("\x1bOR");
    it.wait_for("90,001 lines");
    it.keys("g");
    it.wait_for("earlier, from 0 %");
    it.keys("/77777");
    it.wait_for("find 77777");
    it.keys("\r");
    it.keys("n");
    it.wait_for("▸77777");
    it.wait_for("1 in this part, 1 in all");
    it.keys("S");
    it.wait_for("save as output-1.txt");
    it.keys("\r");
    it.wait_for("in output-1.txt.");
    let saved = std::fs::read_to_string(it.workspace().join("output-1.txt")).unwrap();
    assert!(saved.starts_with("1\n2\n") && saved.lines().count() == 90_001);
    it.keys("P");
    it.wait_until("the pager's text", |it| !it.in_alternate_screen() && it.shows().contains("paged-is-here"));
    it.wait_until("our screen again", |it| it.in_alternate_screen() && it.shows().contains("OUTPUT"));
    let copy = std::fs::read_to_string(copy).unwrap();
    assert!(copy.starts_with("1\n2\n") && copy.ends_with("! e\x1b[31mnd\n"), "colours stay, and nothing else");
    it.say("i");
    it.say("! echo still-$((40+2))-here");
    it.wait_for("still-42-here");
    it.keys("\x11");
    it.wait_for_exit();
}

/// A pager that has the terminal is called back by what ends the program, whatever it made of the terminal.
#[test]
fn a_signal_gives_the_terminal_back_that_a_pager_has() {
    let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
    let pager = "stty raw -echo < /dev/tty; printf '\\033[?1049hpaging'; exec sleep 50";
    let mut it = Driver::start_program(program, &["--workspace", "."], 120, 40, &[("PAGER", pager)]);
    it.wait_for("practice model");
    it.say("! seq 1 9");
    it.wait_for("exit 0");
    it.keys("\x1bOR");
    it.wait_for("↑ ↓ scroll");
    it.keys("P");
    it.wait_for("paging");
    it.terminate();
    it.wait_for_exit();
    assert!(it.reads_lines());
}

#[test]
fn rows_that_are_not_held_are_leafed_to_and_saved() {
    let mut it = Driver::start(120, 40, &["--db", "sqlite::memory:"]);
    it.wait_for("practice model");
    it.say("/sql WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT 30000) SELECT a FROM n");
    it.wait_for(" 1–15 of 30,000 rows");
    it.keys("\x1bOR");
    it.wait_for("↑ ↓ scroll");
    it.keys("G");
    it.wait_for("–30,000 of 30,000 rows");
    it.wait_for(" 30000");
    it.keys("g");
    it.wait_for(" 1–15 of 30,000 rows");
    it.keys("S");
    it.wait_for("save as output-1.csv");
    it.keys("\r");
    it.wait_for("in output-1.csv.");
    let saved = std::fs::read_to_string(it.workspace().join("output-1.csv")).unwrap();
    assert!(saved.starts_with("a\n1\n2\n") && saved.ends_with("\n30000\n"));
    assert_eq!(saved.lines().count(), 30_001);
    it.keys("\x11");
    it.wait_for_exit();
}
