//! The `countersign` binary. A child's first moment comes before anything else is set up.

use countersign::{cli, tools};

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == tools::CHILD) {
        cli::child::main(arguments);
    }
}
