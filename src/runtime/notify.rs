//! How a person who looks at something else is told that something waits: as their terminal understands it, or by its
//! bell. Written between two frames.

use std::io::{self, Write as _};

use crate::config::{Environment, Notify};

/// The way that the environment's terminal is known to understand; for every other one the bell.
pub fn usual(environment: Environment<'_>) -> Notify {
    let term = environment("TERM").unwrap_or_default();
    let program = environment("TERM_PROGRAM").unwrap_or_default();
    if environment("TMUX").is_some() || term.starts_with("screen") || term.starts_with("tmux") {
        Notify::Bell
    } else if matches!(&*program, "iTerm.app" | "WezTerm" | "ghostty")
        || term == "xterm-kitty"
        || term == "xterm-ghostty"
    {
        Notify::Osc9
    } else if term.starts_with("foot") || term.starts_with("rxvt-unicode") {
        Notify::Osc777
    } else {
        Notify::Bell
    }
}

/// Tells it. What can't be written isn't told.
pub fn tell(how: Notify, said: &str, tmux: bool) {
    let mut out = io::stdout();
    if let Err(error) = out.write_all(bytes(how, said, tmux).as_bytes()).and_then(|()| out.flush()) {
        tracing::warn!("nobody could be told: {error}");
    }
}

fn bytes(how: Notify, said: &str, tmux: bool) -> String {
    // Nothing in it can end the sequence or begin another.
    let said: String = said.chars().filter(|c| !c.is_control() && *c != ';').take(100).collect();
    let sequence = match how {
        Notify::Off => return String::new(),
        Notify::Bell => return "\x07".to_owned(),
        Notify::Osc9 => format!("\x1b]9;countersign: {said}\x07"),
        Notify::Osc777 => format!("\x1b]777;notify;countersign;{said}\x07"),
    };
    // tmux hands on what is wrapped, where it is allowed to (`allow-passthrough`).
    if tmux { format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b")) } else { sequence }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_has_its_bytes_and_no_text_breaks_out() {
        assert_eq!(bytes(Notify::Osc9, "sql waits for you", false), "\x1b]9;countersign: sql waits for you\x07");
        assert_eq!(bytes(Notify::Osc777, "a\x07\x1b]0;b\u{9c}", false), "\x1b]777;notify;countersign;a]0b\x07");
        assert_eq!(bytes(Notify::Osc9, "a", true), "\x1bPtmux;\x1b\x1b]9;countersign: a\x07\x1b\\");
        assert_eq!((bytes(Notify::Bell, "a", true), bytes(Notify::Off, "a", false)), ("\x07".into(), String::new()));
    }

    #[test]
    fn only_terminals_that_are_known_get_more_than_a_bell() {
        let of = |variables: &[(&str, &str)]| {
            usual(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[("TERM", "xterm-256color")]), Notify::Bell);
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Notify::Osc9);
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "x")]), Notify::Bell);
        assert_eq!(of(&[("TERM", "foot")]), Notify::Osc777);
        assert_eq!(of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")]), Notify::Osc9);
    }
}
