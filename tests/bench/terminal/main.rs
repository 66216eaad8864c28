//! How quick the screen is: `cargo bench --bench terminal`, or `-- M3 M6` for some of it. The program runs in a
//! pseudo-terminal against a scripted model on loopback, beside a bare ratatui program where that says something. A
//! letter's echo counts from the key to the character on an emulated screen, everything the program does included.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::cast_precision_loss)]

mod hello;
mod measures;
mod model;
mod screen;

use std::path::PathBuf;

use measures::{Rivals, Row};

/// One metric by its name.
type Metric<'a> = (&'a str, Box<dyn Fn(&Rivals) -> Vec<Row>>);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == hello::ARGUMENT) {
        hello::run().expect("the bare program has a terminal");
        return;
    }
    // Under `cargo test --benches` nothing is measured.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let rivals = Rivals {
        ours: PathBuf::from(env!("CARGO_BIN_EXE_countersign")),
        bare: std::env::current_exe().expect("the bench knows its own program"),
    };
    let metrics: [Metric<'_>; 10] = [
        ("M1", Box::new(|rivals| measures::start(rivals, 15))),
        ("M2", Box::new(|rivals| measures::echo(rivals, 200))),
        ("M2F", Box::new(|rivals| measures::echo_in_flood(rivals, 200))),
        ("M3", Box::new(measures::flood)),
        ("M4", Box::new(|rivals| measures::turns(rivals, 100))),
        ("M5", Box::new(|rivals| measures::rest(rivals, 20))),
        ("M6", Box::new(|rivals| measures::long_answer(rivals, 2_000_000))),
        ("M6S", Box::new(|rivals| measures::long_answer(rivals, 200_000))),
        ("M6T", Box::new(|rivals| measures::turns(rivals, 1_000))),
        ("M7", Box::new(|rivals| measures::dialog(rivals, 30))),
    ];
    println!("{:<36} {:>16} {:>18} {:>20}", "", "bare ratatui", "countersign", "at most");
    for (name, measure) in metrics {
        if !wanted.is_empty() && !wanted.iter().any(|asked| *asked == name) {
            continue;
        }
        for [metric, bare, ours, target] in measure(&rivals) {
            println!("{metric:<36} {bare:>16} {ours:>18} {target:>20}");
        }
    }
}
