//! `countersign rules`: what is remembered, and taking it back. `countersign trust`: the settings of a workspace.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::start::{SETTINGS_CAP, WORKSPACE_SETTINGS};
use crate::config::Folders;
use crate::domain::{Remembered, RuleId, Says, Scope};
use crate::memory::{Rules, Trusted, inside};

/// What can be done with what is remembered.
#[derive(Clone, Debug, PartialEq, Eq, clap::Subcommand)]
pub enum RulesCommand {
    /// Print every rule that outlives a session
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Say what the rules would do with calls: JSON Lines in, JSON Lines out, as for assess
    Test,
    /// Take a rule back
    Revoke {
        /// Its name, such as r3
        rule: String,
    },
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Prints the rules.
pub fn list(folders: &Folders, as_json: bool, out: &mut impl Write) -> io::Result<ExitCode> {
    let rules = Rules::at(&folders.data);
    let (kept, wrong) = rules.load();
    for rule in &kept {
        if as_json {
            writeln!(out, "{}", whole(rule))?;
        } else {
            for line in lines(rule) {
                writeln!(out, "{line}")?;
            }
        }
    }
    if kept.is_empty() && wrong.is_empty() && !as_json {
        writeln!(out, "Nothing is remembered. m in a dialog makes a rule; it is kept in {}.", rules.path().display())?;
    }
    for why in &wrong {
        eprintln!("countersign: {}", plain(why));
    }
    if !wrong.is_empty() {
        eprintln!("countersign: until that is mended everything asks (mode strict), and no allow rule counts");
    }
    Ok(ExitCode::from(u8::from(!wrong.is_empty())))
}

/// Takes a rule back.
pub fn revoke(folders: &Folders, rule: &str, out: &mut impl Write) -> io::Result<ExitCode> {
    let id = RuleId(rule.to_owned());
    match Rules::at(&folders.data).revoke(&id) {
        Ok(true) => writeln!(out, "Rule {} is revoked.", plain(rule)).map(|()| ExitCode::SUCCESS),
        Ok(false) => {
            eprintln!("countersign: there is no rule {}; `countersign rules list` names those there are", plain(rule));
            Ok(ExitCode::FAILURE)
        }
        Err(error) => {
            eprintln!("countersign: {}", plain(&error.to_string()));
            Ok(ExitCode::FAILURE)
        }
    }
}

/// A rule as JSON.
fn whole(rule: &Remembered) -> Value {
    let (effect, matches, lifts, targets) = match rule.says() {
        Says::Deny(pattern) => ("deny", json!([pattern]), json!([]), json!([])),
        Says::Allow(lift) => ("allow", json!(lift.patterns), json!(lift.findings), json!(lift.targets)),
    };
    let workspace = match rule.scope() {
        Scope::Workspace(folder) => json!(folder),
        Scope::Turn | Scope::Session | Scope::Always => Value::Null,
    };
    json!({
        "id": rule.id(),
        "effect": effect,
        "tool": rule.tool(),
        "match": matches,
        "lifts": lifts,
        "targets": targets,
        "scope": rule.scope().word(),
        "workspace": workspace,
        "saved": rule.saved(),
        "expires": rule.expires(),
        "over": rule.over(now()),
    })
}

/// A rule in a few lines.
fn lines(rule: &Remembered) -> Vec<String> {
    let (effect, patterns) = match rule.says() {
        Says::Deny(pattern) => ("deny", vec![pattern.to_string()]),
        Says::Allow(lift) => ("allow", lift.patterns.iter().map(ToString::to_string).collect()),
    };
    let mut lines = vec![format!("{}  {effect}  {}  {}", rule.id(), plain(rule.tool()), plain(&patterns.join("; ")))];
    let mut about = Vec::new();
    if let Says::Allow(lift) = rule.says() {
        about.push(format!("lifts {}", lift.findings.iter().cloned().collect::<Vec<_>>().join(", ")));
        if !lift.targets.is_empty() {
            about.push(format!("on {}", lift.targets.iter().cloned().collect::<Vec<_>>().join(", ")));
        }
    }
    about.push(match rule.scope() {
        Scope::Workspace(folder) => format!("in {}", folder.display()),
        Scope::Turn | Scope::Session | Scope::Always => "in every folder".to_owned(),
    });
    about.push(match rule.expires() {
        _ if rule.over(now()) => "over".to_owned(),
        Some(at) => format!("{} more minutes", at.saturating_sub(now()).div_ceil(60)),
        None => "until revoked".to_owned(),
    });
    lines.push(format!("    {}", plain(&about.join(" · "))));
    lines
}

/// Without control characters: the file may have been written by hand.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '·' } else { letter }).collect()
}

/// Shows a workspace's settings, and trusts exactly what was shown.
pub fn trust(
    folders: &Folders,
    workspace: &Path,
    digest: Option<&str>,
    revoke: bool,
    out: &mut impl Write,
) -> io::Result<ExitCode> {
    let path = workspace.join(WORKSPACE_SETTINGS);
    let trusted = Trusted::at(&folders.data);
    let refuse = |why: &str| {
        eprintln!("countersign: {}", plain(why));
        Ok(ExitCode::FAILURE)
    };
    if revoke {
        return match trusted.set(&path, None) {
            Ok(()) => writeln!(out, "{} isn't trusted any more.", path.display()).map(|()| ExitCode::SUCCESS),
            Err(error) => refuse(&error.to_string()),
        };
    }
    let text = match inside(workspace, Path::new(WORKSPACE_SETTINGS), SETTINGS_CAP + 1) {
        Ok(Some((_, length))) if length > SETTINGS_CAP => return refuse("the file is larger than 64 KiB"),
        Ok(Some((bytes, _))) => match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => return refuse("the file isn't UTF-8 text"),
        },
        Ok(None) => return refuse(&format!("there is no {} in {}", WORKSPACE_SETTINGS, workspace.display())),
        Err(why) => return refuse(&why),
    };
    let whole = Trusted::digest(&text);
    let short = &whole[..16];
    match digest {
        Some(named) if named.len() >= 16 && whole.starts_with(named) => match trusted.set(&path, Some(&text)) {
            Ok(()) => {
                writeln!(out, "{} is trusted as it is now. A change makes it untrusted again.", path.display())?;
                Ok(ExitCode::SUCCESS)
            }
            Err(error) => refuse(&error.to_string()),
        },
        Some(_) => refuse(&format!("the file isn't the one that was shown: its digest begins with {short}")),
        None => {
            writeln!(out, "{}\n", path.display())?;
            for line in text.lines() {
                writeln!(out, "| {}", plain(line))?;
            }
            let (is, _) = trusted.knows(&path, &text);
            let state = if is { "It is trusted." } else { "It isn't trusted: it can only tighten." };
            writeln!(
                out,
                "\n{state} Trusted, its allow rules, hosts, limits, connections, theme and mode count too; never a \
                 model or where it is, programs, keys or keymaps.\nTo trust exactly this: countersign trust {short}"
            )?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
