//! What the grammar of the command line is good for beside reading it: completions of shells, and man pages.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::Cli;
use crate::config::ConfigError;

/// Writes the completions for a shell.
pub(super) fn completions(shell: Shell, out: &mut dyn Write) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "countersign", &mut text);
    written(out, &text)
}

/// Writes the man page of the program, or of one of its subcommands.
///
/// # Errors
/// There is no such subcommand.
pub(super) fn man(of: &[String], out: &mut dyn Write) -> Result<ExitCode, ConfigError> {
    let mut page = Cli::command();
    page.build();
    for name in of {
        page = page.find_subcommand(name).cloned().ok_or_else(|| {
            let known: Vec<&str> = page.get_subcommands().map(clap::Command::get_name).collect();
            let choice =
                if known.is_empty() { "it has none".to_owned() } else { format!("choose one of {}", known.join(", ")) };
            let sentence = format!("{} has no subcommand `{}`; {choice}", page.get_name(), name.escape_debug());
            ConfigError::Option(sentence)
        })?;
    }
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(page).render(&mut text);
    Ok(if rendered.is_ok() { written(out, &text) } else { ExitCode::FAILURE })
}

fn written(out: &mut dyn Write, text: &[u8]) -> ExitCode {
    let written: io::Result<()> = out.write_all(text).and_then(|()| out.flush());
    // A reader that left early has seen what it wanted.
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Ok(()) | Err(_) => ExitCode::SUCCESS,
    }
}
