//! The `countersign` binary. A child's first moment comes before anything else is set up.

use std::process::ExitCode;

use countersign::cli::{self, Start, Task};
use countersign::config::process_environment;
use countersign::private::Touched;
use countersign::{contain, logs, runtime};

fn main() -> ExitCode {
    contain::hear_of_children();
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(first) if first == contain::CHILD => cli::child::main(arguments),
        Some(first) if first == contain::CANARY => {
            return contain::canary(arguments.next().and_then(|text| text.into_string().ok()));
        }
        Some(_) | None => {}
    }
    match cli::dispatch(cli::parse()) {
        Task::Done(code) => code,
        Task::Assess(terms) => cli::assess(*terms),
        Task::Session(start) => {
            let _log = settle(&start);
            runtime::run(*start)
        }
        Task::Run(start, errand) => {
            let _log = settle(&start);
            runtime::run_unattended(*start, errand)
        }
    }
}

/// What holds for the whole process. The log is written as long as what is given back is held.
fn settle(start: &Start) -> impl Sized + use<> {
    contain::guard_memory();
    if let Err(error) = start.folders.close() {
        countersign::say!("countersign: others may look into the folders of the program: {error}");
    }
    if let Err(error) = Touched::at(&start.folders.data).settle() {
        countersign::say!("countersign: what a command changed can't be noted, and doesn't count: {error}");
    }
    let level = process_environment("COUNTERSIGN_LOG");
    let log = logs::start(&start.folders.state, level.as_deref());
    if let Err(error) = &log {
        countersign::say!("countersign: {error}");
    }
    // The one TLS provider of the process; a second installation is refused and changes nothing.
    let _already = rustls::crypto::ring::default_provider().install_default();
    log
}
