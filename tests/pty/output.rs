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
