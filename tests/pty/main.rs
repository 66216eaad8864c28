//! The real binary in a pseudo-terminal: the main job by keys, and every way out that must give the terminal back.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod composing;
mod driver;
#[cfg(target_os = "linux")]
mod first;
#[path = "../common/left_out.rs"]
mod left_out;
#[path = "../common/model_server.rs"]
mod model_server;
mod output;
mod picture;
mod task;
mod terminal;

use std::path::Path;
use std::time::Duration;

use driver::{Driver, practice_orders};

#[test]
fn the_main_job_by_keys() {
    let mut it = Driver::start(120, 40, &[]);
    it.wait_for("practice model");
    assert_eq!(practice_orders(&it.data()), (340, 12));

    it.say("delete the cancelled orders");
    it.wait_for("DELETE FROM orders");
    it.wait_for("H HIGH");
    it.keys("\r");
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(practice_orders(&it.data()), (340, 12), "enter approves nothing");

    let number = it.dialog_number();
    it.keys("y");
    it.wait_for(&format!("Type {number}"));
    std::thread::sleep(Duration::from_millis(300));
    it.keys(&number);
    it.wait_until("the cancelled orders are gone", |it| practice_orders(&it.data()) == (328, 0));

    it.say("! echo out-of-the-$((40+2))-th");
    it.wait_for("out-of-the-42-th");
    // What still runs would ask for a second key.
    it.wait_for("✓ exit 0");
    it.keys("\x11");
    it.wait_for_exit();
}

#[test]
fn a_new_session_says_what_waits_in_the_one_that_was_left_and_has_a_world_of_its_own() {
    let mut it = Driver::start(120, 40, &[]);
    it.wait_for("practice model");
    it.say("clean up");
    it.wait_for("esc later");
    std::thread::sleep(Duration::from_millis(600));
    it.keys("\x1b");
    it.wait_for("It keeps waiting");
    it.say("/new");
    it.wait_for("2 operations still wait in the session that you left.");
    let worlds = std::fs::read_dir(it.data().join("practice")).unwrap().count();
    assert_eq!(worlds, 2);
    // What runs would be cut off: that is said first.
    it.say("! sleep 30");
    it.wait_for("1 running");
    it.keys("\x11");
    it.wait_for("again leaves. #1 runs, and would be stopped.");
    it.keys("\x11");
    it.wait_for_exit();
}

#[test]
fn a_denied_operation_changes_nothing_and_the_model_answers() {
    let mut it = Driver::start(80, 24, &[]);
    it.wait_for("practice model");
    it.say("delete the cancelled orders");
    it.wait_for("H HIGH");
    std::thread::sleep(Duration::from_millis(600));
    it.keys("n");
    it.wait_for("denied");
    assert_eq!(practice_orders(&it.data()), (340, 12));
    it.keys("\x11");
    it.wait_for_exit();
}

/// Twenty keys a second while requests arrive: nothing runs, and the draft keeps every letter.
#[test]
fn typing_on_while_something_asks_approves_nothing() {
    let mut it = Driver::start(120, 40, &[]);
    it.wait_for("practice model");
    it.say("clean up");
    let typed = "yes approve 1 y 2 A y 3 y D n x e 23 yyy";
    for (at, letter) in typed.chars().enumerate() {
        // A letter at once, so that no dialog had its first moment.
        it.keys(&letter.to_string());
        if at == 19 {
            it.keys("\x1b[200~y\ry\r\x1b[201~");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(practice_orders(&it.data()), (340, 12), "{}", it.shows());
    it.wait_for("2 waiting (2 HIGH)");
    let shown = it.shows();
    for piece in ["yes approve 1 y 2 A y", "y 3 y D n x e 23 yyy"] {
        assert!(shown.contains(piece), "{piece}: {shown}");
    }
}

/// A program whose operation was just given to a script in the place of the person's own editor.
#[cfg(unix)]
fn with_editor(script: &str) -> (Driver, tempfile::TempDir) {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let editor = folder.path().join("editor");
    std::fs::write(&editor, script).unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o700)).unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_countersign"));
    let mut it =
        Driver::start_program(program, &["--workspace", "."], 120, 40, &[("EDITOR", editor.to_str().unwrap())]);
    it.wait_for("practice model");
    it.say("delete the cancelled orders");
    it.wait_for("H HIGH");
    std::thread::sleep(Duration::from_millis(600));
    it.keys("e");
    it.wait_for("in $EDITOR");
    it.keys("\x07");
    (it, folder)
}

/// Whether the text that an editor was lent lies there.
#[cfg(unix)]
fn lent_text(it: &Driver) -> bool {
    let mut files = std::fs::read_dir(it.data()).unwrap().flatten();
    files.any(|file| file.file_name().to_string_lossy().starts_with("edit-"))
}

/// The person's own editor gets the terminal, and gives it back with another text.
#[cfg(unix)]
#[test]
fn an_operation_is_edited_in_the_persons_own_editor() {
    let (mut it, _folder) =
        with_editor("#!/bin/sh\nls -l \"$1\" | cut -c1-10\nread -r line\nprintf '%s\\n' \"$line\" > \"$1\"\n");
    it.wait_for("-rw-------");
    assert!(lent_text(&it));
    assert!(!it.in_alternate_screen());
    it.keys("SELECT 'edited outside'\r");
    it.wait_for("SELECT 'edited outside'");
    it.wait_until("the screen is back", Driver::in_alternate_screen);
    it.wait_for("L low");
    assert!(!lent_text(&it));
    assert_eq!(practice_orders(&it.data()), (340, 12));
    it.keys("\x11");
    it.wait_for("isn't used and goes");
    it.keys("\x11");
    it.wait_for_exit();
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let mut it = Driver::start(100, 30, &[]);
    it.wait_for("practice model");
    it.terminate();
    it.wait_for_exit();
}

#[cfg(unix)]
#[test]
fn a_program_that_is_stopped_gives_the_screen_back_and_takes_it_again() {
    use nix::sys::signal::Signal;
    // A shell that lets it go on once a line is typed.
    let script = format!("'{}' --workspace .; read go; fg", env!("CARGO_BIN_EXE_countersign"));
    let mut it = Driver::start_program(Path::new("/bin/sh"), &["-mc", &script], 100, 30, &[]);
    it.wait_for("practice model");
    it.keys("a draft");
    it.wait_for("a draft");
    it.signal_foreground(Signal::SIGTSTP);
    it.wait_until("the screen is given back", |it| !it.in_alternate_screen());
    std::thread::sleep(Duration::from_millis(200));
    assert!(it.reads_lines() && !it.in_alternate_screen());
    it.keys("\r");
    it.wait_until("the screen is back", Driver::in_alternate_screen);
    it.wait_for("a draft");
    it.keys("\x11");
    it.wait_for("again leaves");
    it.keys("\x11");
    it.wait_for_exit();
}

/// As where a terminal was opened for it alone: nobody could let it go on.
#[cfg(unix)]
#[test]
fn a_program_without_job_control_does_not_stop_for_good() {
    let mut it = Driver::start(100, 30, &[]);
    it.wait_for("practice model");
    it.signal(nix::sys::signal::Signal::SIGTSTP);
    std::thread::sleep(Duration::from_millis(200));
    it.wait_until("the screen is back", Driver::in_alternate_screen);
    it.keys("a draft");
    it.wait_for("a draft");
    it.keys("\x11");
    it.wait_for("again leaves");
    it.keys("\x11");
    it.wait_for_exit();
}

/// A program that has the terminal meanwhile is called back; what it left of the terminal is put right.
#[cfg(unix)]
#[test]
fn a_signal_gives_the_terminal_back_that_an_editor_has() {
    let (mut it, _folder) = with_editor("#!/bin/sh\nstty raw -echo\nprintf '\\033[?1049hediting'\nexec sleep 50\n");
    it.wait_for("editing");
    it.terminate();
    it.wait_for_exit();
    assert!(it.reads_lines());
    assert!(!lent_text(&it));
}

#[test]
fn the_smallest_and_the_changing_terminal_stay_usable() {
    let mut it = Driver::start(60, 15, &[]);
    it.wait_for("practice");
    it.resize(30, 8);
    it.resize(1, 1);
    it.resize(120, 40);
    it.say("! echo still-$((1+1))-here");
    it.wait_for("still-2-here");
    it.keys("\x11");
    it.wait_for_exit();
}

#[test]
fn a_panic_gives_the_terminal_back() {
    let test = std::env::current_exe().unwrap();
    let mut it =
        Driver::start_program(&test, &["--exact", "inner_panic", "--nocapture"], 80, 24, &[("PANIC_HERE", "1")]);
    it.wait_for("this panic is on purpose");
    assert!(!it.in_alternate_screen());
}

/// Runs only inside the pseudo-terminal of the test above.
#[test]
fn inner_panic() {
    if std::env::var_os("PANIC_HERE").is_some() {
        let _screen = countersign::runtime::terminal::Screen::enter().unwrap();
        panic!("this panic is on purpose");
    }
}

/// The README's picture: the practice session up to its question. Kept with `COUNTERSIGN_PICTURE=1`.
#[test]
fn the_picture_of_the_screen() {
    let mut it = Driver::start(110, 32, &[]);
    it.wait_for("practice model");
    it.say("how much did each customer spend");
    it.wait_for("rows");
    std::thread::sleep(Duration::from_millis(1_500));
    it.say("delete the cancelled orders");
    it.wait_for("H HIGH");
    std::thread::sleep(Duration::from_millis(800));
    let drawn = picture::svg(it.screen().screen());
    assert!(drawn.contains("</svg>"));
    if std::env::var_os("COUNTERSIGN_PICTURE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/screen.svg"), drawn).unwrap();
    }
}
