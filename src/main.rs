//! The `countersign` binary. A child's first moment comes before anything else is set up.

use std::process::ExitCode;

use countersign::cli::{self, Task};
use countersign::config::process_environment;
use countersign::{logs, runtime, tools};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == tools::CHILD) {
        cli::child::main(arguments);
    }
    match cli::dispatch(cli::parse()) {
        Task::Done(code) => code,
        Task::Assess(terms) => cli::assess(*terms),
        Task::Session(start) => {
            let level = process_environment("COUNTERSIGN_LOG");
            let log = logs::start(&start.folders.state, level.as_deref());
            if let Err(error) = &log {
                eprintln!("countersign: {error}");
            }
            // The one TLS provider of the process; a second installation is refused and changes nothing.
            let _already = rustls::crypto::ring::default_provider().install_default();
            runtime::run(*start)
        }
    }
}
