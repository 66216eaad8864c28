//! The pure view: state in, frame out. Imports `domain`, `app` (reading) and ratatui.
