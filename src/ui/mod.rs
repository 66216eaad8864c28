//! The pure view: state in, frame out. Imports `domain`, `app` (reading) and ratatui.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
