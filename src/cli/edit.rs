//! `countersign config edit`: the configuration in the person's own editor, checked afterwards.

use std::io::{BufRead, Write};
use std::process::{Command, ExitCode};

use crate::config::{Environment, Folders, Settings, chosen_editor};
use crate::private::Touched;

/// What a new file says: every line there is, switched off.
const EXAMPLE: &str = include_str!("../../assets/config.example.toml");

/// Opens the file, making it if there is none, and says what is wrong with it afterwards. Where somebody is there to
/// `ask`, offers to go back in.
pub(super) fn run(
    folders: &Folders,
    environment: Environment<'_>,
    mut ask: Option<&mut dyn BufRead>,
    out: &mut dyn Write,
) -> ExitCode {
    let path = folders.config.display();
    if let Err(error) = folders.make_config(EXAMPLE) {
        return told(out, &format!("{path} can't be made: {error}.\n"), false);
    }
    let line = chosen_editor(environment);
    let mut words = line.split_whitespace();
    let Some(program) = words.next() else { return told(out, "Set EDITOR to an editor.\n", false) };
    let options: Vec<&str> = words.collect();
    loop {
        let ended = Command::new(program).args(&options).arg(&folders.config).status();
        match ended {
            // Who had it open has looked at it.
            Ok(status) if status.success() => {
                if let Err(error) = Touched::at(&folders.data).looked(&folders.config) {
                    return told(out, &format!("{}: {error}.\n", folders.data.display()), false);
                }
            }
            Ok(_) => return told(out, &format!("{line} ended with a failure.\n"), false),
            Err(error) => {
                return told(out, &format!("{line} can't be started: {error}. Set EDITOR to another one.\n"), false);
            }
        }
        let (_, problems) = Settings::load(folders);
        if problems.is_empty() {
            return told(out, &format!("{path}: nothing to object to.\n"), true);
        }
        let mut text = String::new();
        for problem in &problems {
            text.push_str(&format!("{problem}\n"));
        }
        let Some(ask) = ask.as_mut() else { return told(out, &text, false) };
        text.push_str("While that is so, everything asks. Edit it again? [Y/n] ");
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            return ExitCode::FAILURE;
        }
        let mut answer = String::new();
        let read = ask.read_line(&mut answer).unwrap_or(0);
        if read == 0 || answer.trim().to_ascii_lowercase().starts_with('n') {
            return ExitCode::FAILURE;
        }
    }
}

fn told(out: &mut dyn Write, text: &str, sound: bool) -> ExitCode {
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if sound && written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn the_file_is_made_edited_checked_and_edited_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        let editor = root.join("editor");
        // The first time it leaves a mistake, then it mends it.
        let script = "#!/bin/sh\nif grep -q moed \"$2\"; then echo \"mode = 'smart'\" > \"$2\"; else \
                      grep -q 'Every line is optional' \"$2\" && echo \"moed = 'smart'\" > \"$2\"; fi\n";
        std::fs::write(&editor, script).unwrap();
        std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o700)).unwrap();
        let folders = Folders {
            config: root.join("config.toml"),
            config_named: false,
            data: root.clone(),
            state: root.clone(),
            data_named: true,
            home: None,
        };
        let line = format!("{} --wait", editor.display());
        let environment = move |name: &str| (name == "VISUAL").then(|| line.clone());
        let mut out = Vec::new();
        let code = run(&folders, &environment, Some(&mut &b"\n"[..]), &mut out);
        let said = String::from_utf8(out).unwrap();
        assert!(said.contains("config.toml:1:1: unknown key `moed`. Did you mean `mode`?"), "{said}");
        assert!(said.contains("Edit it again? [Y/n] ") && said.ends_with("nothing to object to.\n"), "{said}");
        assert_eq!(code, ExitCode::SUCCESS);
        std::fs::write(&folders.config, "moed = 1").unwrap();
        let gone = |name: &str| (name == "EDITOR").then(|| "/nonexistent/editor".to_owned());
        let mut out = Vec::new();
        assert_eq!(run(&folders, &gone, None, &mut out), ExitCode::FAILURE);
        assert!(String::from_utf8(out).unwrap().contains("can't be started"));
    }
}
