//! A command in a terminal of its own, in the real program: asked about, typed into, and kept out of every record.

use std::path::Path;
use std::time::Duration;

use crate::driver::Driver;

/// Approves the dialog that is open; its first moment takes no key.
fn approve(it: &mut Driver) {
    it.wait_for("Gets a terminal of its own");
    std::thread::sleep(Duration::from_millis(600));
    it.keys("y");
    it.wait_until("it was approved once", |it| it.shows().contains("Type 1") || !it.shows().contains("1 waiting"));
    if it.shows().contains("Type 1") {
        std::thread::sleep(Duration::from_millis(600));
        it.keys("1");
    }
}

/// Whether any file below a folder holds a text.
fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        if entry.path().is_dir() {
            return holds(&entry.path(), text);
        }
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[test]
fn a_person_answers_a_program_in_its_terminal_and_nothing_of_it_is_kept() {
    let mut it = Driver::start(120, 40, &[]);
    it.wait_for("practice model");
    it.say("/terminal tty; read -rp 'name? ' name; read -rsp 'word? ' word; echo; echo \"$name has ${#word} letters\"");
    approve(&mut it);
    it.wait_for("/dev/pts/");
    it.wait_for("name?");
    // It was asked for by the person, whose last key approved it.
    it.wait_for("YOU TYPE INTO #1");
    it.keys("\x1b[200~pasted\x1b[201~");
    it.wait_for("Pasted text doesn't go into a terminal");
    it.keys("Ann\r");
    it.wait_for("word?");
    it.keys("sesame-open-77\r");
    it.wait_for("Ann has 14 letters");
    it.wait_for("exit 0");
    it.wait_until("the keys are ours again", |it| !it.shows().contains("YOU TYPE INTO"));
    assert!(!it.shows().contains("pasted"), "{}", it.shows());
    assert!(!it.shows().contains("sesame"), "{}", it.shows());
    it.keys("\x11");
    it.wait_for_exit();
    assert!(!holds(&it.data(), "sesame-open-77"));
}

#[test]
fn a_terminal_has_the_size_of_the_pane_and_leaves_and_ends_by_a_key() {
    let mut it = Driver::start(120, 40, &[]);
    it.wait_for("practice model");
    // It asks now and then as well: what matters is the size that a program sees.
    it.say(
        "/terminal trap 'stty size' WINCH; printf '\\033[7mready\\033[0m\\n'; \
         for i in {1..3000}; do sleep 0.1; ((i % 20)) || stty size; done",
    );
    approve(&mut it);
    it.wait_for("ready");
    // Half of the screen, less the gutter.
    it.wait_for(" 57");
    it.wait_for("YOU TYPE INTO #1");
    it.resize(140, 40);
    it.wait_for(" 67");
    it.keys("\x1d");
    it.wait_until("it was left", |it| !it.shows().contains("YOU TYPE INTO"));
    it.keys("c");
    it.wait_for("stopped");
    it.keys("\x11");
    it.wait_for_exit();
}

#[test]
fn a_flood_in_a_terminal_leaves_the_keys_alone() {
    let mut it = Driver::start(120, 40, &[]);
    it.wait_for("practice model");
    it.say("/terminal seq 1 400000; sleep 60");
    approve(&mut it);
    it.wait_for("400000");
    it.keys("\x1d");
    it.wait_until("it was left", |it| !it.shows().contains("YOU TYPE INTO"));
    it.keys("i");
    it.say("still-here");
    it.wait_for("still-here");
    it.keys("\x11");
    it.wait_for("again leaves");
    it.keys("\x11");
    it.wait_for_exit();
}

#[test]
fn what_scrolled_out_of_a_terminal_can_be_looked_at() {
    let mut it = Driver::start(120, 40, &[]);
    it.wait_for("practice model");
    it.say("/terminal seq -f 'row-%g-here' 1 300; read -r line; echo \"got $line\"");
    approve(&mut it);
    it.wait_for("row-300-here");
    it.wait_for("YOU TYPE INTO #1");
    it.keys("\x1d");
    it.wait_for("types into it");
    it.keys("g");
    it.wait_for("row-1-here");
    it.wait_for("above the end");
    it.keys("G");
    it.wait_for("row-300-here");
    it.keys("g");
    it.wait_for("row-1-here");
    // Whoever types is shown where it goes.
    it.keys("\r");
    it.wait_for("YOU TYPE INTO #1");
    it.keys("a");
    it.wait_for("row-300-here");
    it.keys("bc\r");
    it.wait_for("got abc");
    it.keys("\x11");
    it.wait_for_exit();
}
