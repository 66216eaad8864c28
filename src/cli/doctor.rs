//! `countersign doctor`: what works here and what doesn't, in plain words. One section a subject.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use crate::config::Folders;
use crate::contain::{self, Proof};
use crate::domain::Wall;

/// One subject: a heading, and what is said of it.
struct Section {
    title: &'static str,
    lines: Vec<String>,
}

/// Looks, and prints what it found.
pub(super) fn run(folders: &Folders, launcher: &Path, out: &mut dyn Write) -> ExitCode {
    let sections = [containment(&contain::prove(launcher, &folders.state))];
    let mut text = String::new();
    for section in sections {
        text.push_str(section.title);
        text.push('\n');
        section.lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    // A reader that left early has seen what it wanted.
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What is enforced around commands that run unasked.
fn containment(proof: &Proof) -> Section {
    let mut lines = Vec::new();
    if let Some(layers) = proof.layers {
        lines.push(format!("Commands that only read run behind walls: {}.", proof.made_of));
        for wall in Wall::ALL {
            let tried = proof.tried.get(&wall).copied().unwrap_or_default();
            lines.push(format!("✓ {} ({tried} ways tried)", wall.promise()));
        }
        lines.extend(contain::lost(layers).iter().map(|lost| format!("- {lost}")));
    } else {
        lines.push("Commands are not contained here: what only reads runs as you, with all your rights.".to_owned());
        lines.extend(Wall::ALL.iter().map(|wall| format!("✗ not enforced: {}", wall.promise())));
    }
    lines.extend(proof.passed_over.iter().map(|why| format!("- not used: {why}")));
    lines.push("SQL that only reads is held to it by its engine, in a read-only transaction.".to_owned());
    Section { title: "containment", lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_proved_is_not_claimed() {
        let lines = containment(&Proof::nothing("there is no kernel".to_owned())).lines;
        assert!(lines.iter().all(|line| !line.starts_with('✓')));
        assert_eq!(lines.iter().filter(|line| line.starts_with('✗')).count(), Wall::ALL.len());
        assert!(lines.contains(&"- not used: there is no kernel".to_owned()));
    }
}
