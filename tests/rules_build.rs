//! What the build says of rule files that are wrong: its own tests, which nothing else runs.

#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)] // the build begins at its `main`

#[path = "../assets/rules/build.rs"]
mod build;
