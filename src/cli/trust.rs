//! `countersign trust`: what a workspace brings along, its settings and its MCP servers, trusted file by file and only as
//! it was shown.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::start::{SETTINGS_CAP, WORKSPACE_SETTINGS};
use crate::config::Folders;
use crate::memory::{Trusted, inside};
use crate::tools::mcp::BROUGHT;
use crate::ui::text::{line, plain};

/// Letters of a digest that name a file's content.
const LETTERS: usize = 16;

/// A file that the workspace brings.
struct Brought {
    path: PathBuf,
    text: String,
    /// Whether servers are in it, and not settings.
    servers: bool,
}

/// Shows what a workspace brings, and trusts exactly what was shown.
pub fn trust(
    folders: &Folders,
    workspace: &Path,
    digest: Option<&str>,
    revoke: bool,
    out: &mut impl Write,
) -> io::Result<ExitCode> {
    let trusted = Trusted::at(&folders.data);
    let refuse = |why: &str| {
        crate::say!("countersign: {}", line(why));
        Ok(ExitCode::FAILURE)
    };
    let files = std::iter::once(WORKSPACE_SETTINGS).chain(BROUGHT);
    if revoke {
        for path in files.map(|name| workspace.join(name)) {
            if let Err(error) = trusted.set(&path, None) {
                return refuse(&error.to_string());
            }
        }
        writeln!(out, "Nothing that {} brings is trusted any more.", named(workspace))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut brought = Vec::new();
    for name in files {
        match read(workspace, name) {
            Ok(Some(text)) => {
                brought.push(Brought { path: workspace.join(name), text, servers: name != WORKSPACE_SETTINGS });
            }
            Ok(None) => {}
            Err(why) => return refuse(&format!("{name}: {why}")),
        }
    }
    if brought.is_empty() {
        let missing: Vec<&str> = std::iter::once(WORKSPACE_SETTINGS).chain(BROUGHT).collect();
        return refuse(&format!("{} brings nothing along: no {}", workspace.display(), missing.join(", no ")));
    }
    let Some(typed) = digest else {
        for file in &brought {
            show(file, &trusted, out)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let meant = |file: &&Brought| typed.len() >= LETTERS && Trusted::digest(&file.text).starts_with(typed);
    match brought.iter().find(meant) {
        Some(Brought { path, text, .. }) => match trusted.set(path, Some(text)) {
            Ok(()) => {
                writeln!(out, "{} is trusted as it is now. A change makes it untrusted again.", named(path))?;
                Ok(ExitCode::SUCCESS)
            }
            Err(error) => refuse(&error.to_string()),
        },
        None => refuse("no file has that digest now: look again by countersign trust"),
    }
}

/// The text of a file of the workspace; none where there is none.
fn read(workspace: &Path, name: &str) -> Result<Option<String>, String> {
    match inside(workspace, Path::new(name), SETTINGS_CAP + 1)? {
        Some((_, length)) if length > SETTINGS_CAP => Err("the file is larger than 64 KiB".to_owned()),
        Some((bytes, _)) => String::from_utf8(bytes).map(Some).map_err(|_| "the file isn't UTF-8 text".to_owned()),
        None => Ok(None),
    }
}

fn show(file: &Brought, trusted: &Trusted, out: &mut impl Write) -> io::Result<()> {
    let Brought { path, text, servers } = file;
    writeln!(out, "{}\n", named(path))?;
    for brought in text.lines() {
        writeln!(out, "| {}", plain(brought))?;
    }
    let (is, _) = trusted.knows(path, text);
    let (stands, trusted) = if *servers {
        (
            "It isn't trusted: none of its servers is started.",
            "its servers are started like those of your own file, with the variables that they name",
        )
    } else {
        (
            "It isn't trusted: it can only tighten.",
            "its allow rules, hosts, limits, connections, theme and mode count too; never a model or where it is, \
             programs, keys or keymaps",
        )
    };
    let state = if is { "It is trusted." } else { stands };
    let digest = Trusted::digest(text);
    writeln!(out, "\n{state} Trusted, {trusted}.\nTo trust exactly this: countersign trust {}\n", &digest[..LETTERS])
}

/// A path with what can't be seen spelled out.
fn named(path: &Path) -> String {
    line(&path.to_string_lossy())
}
