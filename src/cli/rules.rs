//! `countersign rules`: what is remembered, and taking it back.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::config::Folders;
use crate::domain::{Remembered, RuleId, Says, Scope};
use crate::memory::Rules;
use crate::ui::text::line;

/// What can be done with what is remembered.
#[derive(Clone, Debug, PartialEq, Eq, clap::Subcommand)]
pub enum RulesCommand {
    /// Print every rule that outlives a session
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Say what the rules would do with calls, or what one rule would have done
    ///
    /// Without a name: JSON Lines in, JSON Lines out, as for assess. With one: the recorded operations that this rule
    /// would have covered.
    Test {
        /// Its name, such as r3
        rule: Option<String>,
    },
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
            for told in lines(rule) {
                writeln!(out, "{told}")?;
            }
        }
    }
    if kept.is_empty() && wrong.is_empty() && !as_json {
        writeln!(
            out,
            "Nothing is remembered. m in a dialog makes a rule; it is kept in {}.",
            line(&rules.path().to_string_lossy())
        )?;
    }
    for why in &wrong {
        crate::say!("countersign: {}", line(why));
    }
    if !wrong.is_empty() {
        crate::say!("countersign: until that is mended everything asks (mode strict), and no allow rule counts");
    }
    Ok(ExitCode::from(u8::from(!wrong.is_empty())))
}

/// Takes a rule back.
pub fn revoke(folders: &Folders, rule: &str, out: &mut impl Write) -> io::Result<ExitCode> {
    let id = RuleId(rule.to_owned());
    match Rules::at(&folders.data).revoke(&id) {
        Ok(true) => writeln!(out, "Rule {} is revoked.", line(rule)).map(|()| ExitCode::SUCCESS),
        Ok(false) => {
            crate::say!("countersign: there is no rule {}; `countersign rules list` names those there are", line(rule));
            Ok(ExitCode::FAILURE)
        }
        Err(error) => {
            crate::say!("countersign: {}", line(&error.to_string()));
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
    let mut lines =
        vec![format!("{}  {effect}  {}  {}", line(&rule.id().0), line(rule.tool()), line(&patterns.join("; ")))];
    let mut about = Vec::new();
    if let Says::Allow(lift) = rule.says() {
        about.push(format!("lifts {}", lift.findings.iter().cloned().collect::<Vec<_>>().join(", ")));
        if !lift.targets.is_empty() {
            about.push(format!("on {}", lift.targets.iter().cloned().collect::<Vec<_>>().join(", ")));
        }
    }
    about.push(rule.holds(None, now()));
    lines.push(format!("    {}", line(&about.join(" · "))));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Trusted;

    #[test]
    fn what_nobody_sees_is_spelled_out() {
        let root = tempfile::tempdir().unwrap();
        let folders = Folders::find(None, &|_| Some(root.path().join("own").display().to_string())).unwrap();
        let workspace = root.path().join("w\u{202e}x");
        std::fs::create_dir_all(&folders.data).unwrap();
        std::fs::create_dir(&workspace).unwrap();
        let brought = "{\"mcpServers\":\t{\"a\u{202e}b\u{200b}c\u{1b}[2J\": {\"command\": \"x\"}}}\n";
        std::fs::write(workspace.join(".mcp.json"), brought).unwrap();
        let mut out = Vec::new();
        crate::cli::trust::trust(&folders, &workspace, None, false, &mut out).unwrap();
        let digest = Trusted::digest(brought);
        crate::cli::trust::trust(&folders, &workspace, Some(&digest), false, &mut out).unwrap();
        crate::cli::trust::trust(&folders, &workspace, None, true, &mut out).unwrap();
        let told = String::from_utf8(out).unwrap();
        assert!(told.contains("a<U+202E>b<U+200B>c␛[2J"), "{told}");
        assert_eq!(told.matches("w<U+202E>x").count(), 3, "{told}");
        assert!(!told.contains(['\u{202e}', '\u{200b}', '\u{1b}', '\t']), "{told}");
    }
}
