//! What the machine gives: a terminal and its colours, programs that are called by name, room on the disk, files of
//! the program's own.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Section;
use crate::config::{Environment, Folders, Problem, chosen_editor, chosen_pager};
use crate::domain::number::{count, size};
use crate::store::Archive;

/// Bytes free on the disk below which it is said, and below which nothing can be relied on.
const LITTLE: u64 = 500 * 1024 * 1024;
const NOTHING: u64 = 20 * 1024 * 1024;

/// The terminal and its colours.
pub(super) fn terminal(environment: Environment<'_>) -> Section {
    let mut lines = Vec::new();
    let term = environment("TERM").unwrap_or_default();
    if !std::io::stdout().is_terminal() {
        lines.push("- standard output is no terminal here: the screen needs one, `--linear` doesn't".to_owned());
    }
    lines.push(match term.as_str() {
        "" => "✗ TERM is not set: set it to what your terminal is, such as xterm-256color".to_owned(),
        "dumb" => "✗ TERM is dumb, which has no screen: use another terminal, or --linear".to_owned(),
        term => format!("✓ {term}"),
    });
    let colour = environment("COLORTERM").unwrap_or_default();
    lines.push(if environment("NO_COLOR").is_some() {
        "- NO_COLOR is set: signs and words alone tell risks".to_owned()
    } else if ["truecolor", "24bit"].contains(&colour.as_str()) {
        "✓ 16 million colours".to_owned()
    } else {
        "- themes are reduced to 256 colours: set COLORTERM=truecolor if your terminal has more".to_owned()
    });
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(environment).unwrap_or_default();
    let lower = locale.to_ascii_lowercase();
    lines.push(if lower.contains("utf-8") || lower.contains("utf8") {
        format!("✓ {locale}")
    } else {
        "- the locale isn't UTF-8: if signs are garbled, set LANG=C.UTF-8".to_owned()
    });
    // What needs no screen works without one.
    Section { title: "terminal", lines, broken: false }
}

/// Programs that are called by their names.
pub(super) fn programs(environment: Environment<'_>) -> Section {
    let mut lines = Vec::new();
    let version = Command::new("git").arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    lines.push(match version {
        Ok(output) if output.status.success() => {
            let said = String::from_utf8_lossy(&output.stdout);
            format!("✓ {}", said.lines().next().unwrap_or_default().replace(char::is_control, ""))
        }
        Ok(_) | Err(_) => {
            "- git is not found: branches aren't told, and what git ignores isn't known; install it".to_owned()
        }
    });
    for (what, variable, line) in
        [("editor", "EDITOR", chosen_editor(environment)), ("pager", "PAGER", chosen_pager(environment))]
    {
        let program = line.split_whitespace().next().unwrap_or_default();
        lines.push(if on_path(program, environment) {
            format!("✓ {what}: {line}")
        } else {
            format!("✗ {what}: {program} is not found; set {variable} to one that is there")
        });
    }
    Section { title: "programs", lines, broken: false }
}

fn on_path(program: &str, environment: Environment<'_>) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = environment("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The configuration, the journal, and room for both.
pub(super) async fn files(folders: &Folders, problems: &[Problem]) -> Section {
    let mut lines = Vec::new();
    let config = folders.config.display();
    lines.push(match problems {
        [] if folders.config.exists() => format!("✓ configuration: {config}"),
        [] => format!("- no configuration at {config}: the defaults hold; `countersign setup` writes one"),
        _ => format!(
            "✗ configuration: everything asks until it is mended, with `countersign config edit`; {}",
            told(problems)
        ),
    });
    let mut broken = !problems.is_empty();
    let journal = folders.journal();
    let opened = match Archive::open(&journal).await {
        Ok(Some(mut archive)) => {
            let read = archive.sessions().await.map(|sessions| sessions.len()).map_err(|error| error.to_string());
            archive.close().await;
            read
        }
        Ok(None) => writable(&folders.data).map(|()| 0),
        Err(error) => Err(error.to_string()),
    };
    match opened {
        Ok(kept) => lines.push(format!("✓ journal: {}, {}", journal.display(), count(kept, "session"))),
        Err(why) => {
            broken = true;
            lines.push(format!("✗ journal: nothing runs without it: {}", why.trim_end_matches('.')));
        }
    }
    if let Some(free) = free(&folders.data) {
        let place = folders.data.display();
        lines.push(match free {
            0..NOTHING => {
                format!("✗ {} free for {place}: make room, or set COUNTERSIGN_DATA to another folder", size(free))
            }
            NOTHING..LITTLE => format!("- only {} free for {place}", size(free)),
            _ => format!("✓ {} free for {place}", size(free)),
        });
        broken |= free < NOTHING;
    }
    Section { title: "files", lines, broken }
}

fn told(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Whether files can be made in a folder, or in the first one above it that there is.
fn writable(folder: &Path) -> Result<(), String> {
    let there = existing(folder);
    let probe = there.join(format!(".countersign-{}", std::process::id()));
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&probe);
    made.map_err(|error| format!("{} can't be written to: {error}", there.display()))?;
    std::fs::remove_file(&probe).map_err(|error| format!("{}: {error}", probe.display()))
}

fn existing(folder: &Path) -> PathBuf {
    folder.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new("/")).to_path_buf()
}

#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let about = nix::sys::statvfs::statvfs(&existing(folder)).ok()?;
    Some(about.blocks_available().saturating_mul(about.fragment_size()))
}

#[cfg(not(unix))]
fn free(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_cannot_show_the_screen_is_said_with_what_to_do() {
        let said = |pairs: &'static [(&'static str, &'static str)]| {
            let lookup = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            let section = terminal(&lookup);
            section.lines.join("\n")
        };
        let text = said(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("LANG", "C.UTF-8")]);
        assert!(text.contains("✓ 16 million colours") && text.contains("✓ C.UTF-8"), "{text}");
        let text = said(&[]);
        assert!(text.contains("✗ TERM is not set") && text.contains("LANG=C.UTF-8"), "{text}");
    }

    #[test]
    fn a_program_that_is_not_there_is_said_with_its_variable() {
        let section = programs(&|name| (name == "EDITOR").then(|| "no-such-editor --wait".to_owned()));
        assert!(
            section
                .lines
                .contains(&"✗ editor: no-such-editor is not found; set EDITOR to one that is there".to_owned()),
            "{:?}",
            section.lines
        );
    }
}
