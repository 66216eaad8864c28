//! The real binary in a pseudo-terminal: the main job by keys, and every way out that must give the terminal back.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod driver;
#[path = "../common/left_out.rs"]
mod left_out;
#[path = "../common/model_server.rs"]
mod model_server;
mod picture;
mod task;

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
    it.keys(&number);
    it.wait_until("the cancelled orders are gone", |it| practice_orders(&it.data()) == (328, 0));

    it.say("! echo out-of-the-$((40+2))-th");
    it.wait_for("out-of-the-42-th");
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

#[test]
fn a_signal_gives_the_terminal_back() {
    let mut it = Driver::start(100, 30, &[]);
    it.wait_for("practice model");
    it.terminate();
    it.wait_for_exit();
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
