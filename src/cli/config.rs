//! `countersign config`: where the configuration is, what it comes to, and what is wrong with it.

use std::io::{IsTerminal as _, Write};
use std::process::ExitCode;

use super::arguments::ConfigCommand;
use super::edit;
use crate::config::{Folders, Problem, Settings, process_environment};

/// Runs one of them. Fails when the file has problems, so that scripts can tell.
pub(super) fn run(command: ConfigCommand, folders: &Folders, out: &mut dyn Write) -> ExitCode {
    let (settings, problems) = Settings::load(folders);
    let (text, sound) = match command {
        ConfigCommand::Path => (format!("{}\n", folders.config.display()), true),
        ConfigCommand::Show => (format!("{}{}", lines("# ", &problems), settings.shown()), problems.is_empty()),
        ConfigCommand::Check if problems.is_empty() => {
            let file = folders.config.display();
            let text = if folders.config.exists() {
                format!("{file}: nothing to object to.\n")
            } else {
                format!("{file}: there is no such file, so the defaults hold.\n")
            };
            (text, true)
        }
        ConfigCommand::Check => (lines("", &problems), false),
        ConfigCommand::Edit => {
            let mut lines = std::io::stdin().lock();
            let ask = std::io::stdin().is_terminal().then_some(&mut lines as &mut dyn std::io::BufRead);
            return edit::run(folders, &process_environment, ask, out);
        }
    };
    // A reader that left early has seen what it wanted.
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if sound && written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Each problem on a line of its own.
fn lines(prefix: &str, problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |text, problem| text + &format!("{prefix}{problem}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(command: ConfigCommand, text: &str) -> (String, bool) {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        std::fs::write(&config, text).unwrap();
        let data = folder.path().to_path_buf();
        let folders = Folders { config, config_named: true, state: data.clone(), data, data_named: true, home: None };
        let mut out = Vec::new();
        let code = run(command, &folders, &mut out);
        let text = String::from_utf8(out).unwrap().replace(folder.path().to_str().unwrap(), "");
        (text, code == ExitCode::SUCCESS)
    }

    #[test]
    fn check_lists_each_problem_and_fails() {
        let (text, sound) = said(ConfigCommand::Check, "mode = 'smrt'\n[limits]\noutput = 1\n");
        assert!(!sound);
        assert_eq!(
            text,
            "/config.toml:1:8: `mode` can't be `smrt`. Did you mean `smart`?\n\
             /config.toml:3:10: `output` must be from 1024 to 1048576.\n"
        );
        assert_eq!(said(ConfigCommand::Check, ""), ("/config.toml: nothing to object to.\n".to_owned(), true));
    }

    #[test]
    fn show_masks_passwords() {
        let (text, sound) = said(ConfigCommand::Show, "[connections.shop]\nurl = 'mysql://ann:hunter2@db/shop'\n");
        assert!(sound && text.contains("mysql://ann:***@db/shop") && !text.contains("hunter2"), "{text}");
    }
}
