//! The command line and its subcommands.

pub mod child;
