//! `countersign config`: where the configuration is, what it comes to, and what is wrong with it.

use std::io::{IsTerminal as _, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::arguments::ConfigCommand;
use super::edit;
use crate::config::{Folders, Problem, Settings, process_environment};
use crate::private::Touched;

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
        ConfigCommand::Accept => match Touched::at(&folders.data).accept() {
            Ok(files) if files.is_empty() => ("Nothing waits to be looked at.\n".to_owned(), true),
            Ok(files) => {
                let counts = |file: &PathBuf| format!("{}: counts as it is now.\n", file.display());
                (files.iter().map(counts).collect(), true)
            }
            Err(error) => (format!("{}: {error}.\n", folders.data.display()), false),
        },
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
    use crate::config::{KEYMAPS, THEMES};

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
    fn a_look_that_there_is_none_of_is_objected_to() {
        let (text, sound) = said(ConfigCommand::Check, "theme = 'drak'\nkeymap = 'vi'\n");
        assert!(!sound);
        assert_eq!(
            text,
            "/config.toml:1:9: there is no theme `drak`. Did you mean `dark`? A file of your own is named by its path.\n\
             /config.toml:2:10: there is no keymap `vi`. Did you mean `vim`? A file of your own is named by its path.\n"
        );
        for (key, known) in [("theme", &THEMES[..]), ("keymap", &KEYMAPS)] {
            for name in known.iter().chain(&["mine.toml"]) {
                assert!(said(ConfigCommand::Check, &format!("{key} = '{name}'")).1, "{key} {name}");
            }
        }
        let themes: Vec<String> = crate::ui::themes().into_iter().map(|(name, _)| name).collect();
        assert_eq!(themes, THEMES);
        assert_eq!(crate::app::Keymap::NAMED.map(|(name, _)| name), KEYMAPS);
    }

    #[test]
    fn show_masks_passwords() {
        let (text, sound) = said(ConfigCommand::Show, "[connections.shop]\nurl = 'mysql://ann:hunter2@db/shop'\n");
        assert!(sound && text.contains("mysql://ann:***@db/shop") && !text.contains("hunter2"), "{text}");
    }
}
