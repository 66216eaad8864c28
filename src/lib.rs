//! Countersign: a terminal for language models whose every tool call is judged, and countersigned where it could harm.

pub mod app;
pub mod assess;
pub mod cli;
pub mod config;
pub mod contain;
pub mod domain;
pub mod logs;
pub mod providers;
pub mod runtime;
pub mod store;
pub mod tools;
pub mod ui;
