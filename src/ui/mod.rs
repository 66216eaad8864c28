//! The pure view: state in, frame out. Imports `domain`, `app` (reading) and ratatui.
#![deny(clippy::disallowed_methods)]

mod ansi;
mod highlight;
mod markdown;
mod number;
mod text;
mod theme;

pub use theme::{Role, THEMES, Theme};
