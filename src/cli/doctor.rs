//! `countersign doctor`: what works here and what doesn't, in plain words. One section a subject.

use std::io::Write;
use std::process::ExitCode;

use crate::contain::{self, Proof};
use crate::domain::Wall;
use crate::tools::Roles;

/// What is true of the program's own files.
const OWN: [&str; 2] = [
    "- what names Countersign's own files and may write them is denied, in every mode; files and SQLite are looked at again as they are written",
    "- not enforced: a command that you approve runs with your rights, and may write them under a name that its text doesn't show; if it changed the configuration, you are told",
];

/// One subject: a heading, and what is said of it.
struct Section {
    title: &'static str,
    lines: Vec<String>,
}

/// Looks, and prints what it found.
pub(super) fn run(
    (proof, staged): (&Proof, &Result<(), String>),
    (roles, left_out): (&[Roles], &[String]),
    servers: Vec<String>,
    out: &mut dyn Write,
) -> ExitCode {
    let servers = Section { title: "MCP servers", lines: servers };
    let sections = [containment(proof, staged), databases(roles, left_out), servers];
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
fn containment(proof: &Proof, here: &Result<(), String>) -> Section {
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
    match &proof.staged {
        Ok(tried) if proof.layers.is_some() => {
            lines.push(
                "Test runners, and what a model claims is harmless, run staged behind the same walls:".to_owned(),
            );
            let ways: usize = tried.values().sum();
            lines.push(format!("✓ {} ({ways} ways tried)", Wall::Write.staged()));
            lines.push(match here {
                Ok(()) => "✓ this workspace can be staged".to_owned(),
                Err(why) => format!("✗ not this workspace: {why}; there, test runners and claims ask"),
            });
        }
        Ok(_) | Err(_) => {
            let why = proof.staged.as_ref().err().map_or("nothing is contained here", String::as_str);
            lines.push(format!("✗ not enforced: staged runs ({why}); test runners and claims ask"));
        }
    }
    lines.extend(proof.passed_over.iter().map(|why| format!("- not used: {why}")));
    lines.extend(OWN.map(str::to_owned));
    lines.push("SQL that only reads is held to it by its engine, in a read-only transaction.".to_owned());
    Section { title: "containment", lines }
}

/// As whom databases are read, and how to make a role that only reads.
fn databases(roles: &[Roles], left_out: &[String]) -> Section {
    let mut lines = Vec::new();
    for known in roles {
        lines.push(known.label.clone());
        match &known.reading {
            Ok(role) if role.name.is_empty() => lines.push("✓ a file, which is opened for reading alone".to_owned()),
            Ok(role) if role.powers.is_empty() => {
                let apart = if known.apart { ", by a URL of its own" } else { "" };
                lines.push(format!("✓ read as {}{apart}", role.name));
            }
            Ok(role) => {
                let powers = role.powers.join(", ");
                lines.push(format!("✗ read as {}, who may do more than read data: {powers}", role.name));
            }
            Err(why) => lines.push(format!("- not asked: {why}")),
        }
        if !known.advice.is_empty() {
            lines.push("a role that only reads is made so; then name it as the connection's `read_url`:".to_owned());
            lines.extend(known.advice.iter().map(|statement| format!("    {statement}")));
        }
    }
    lines.extend(left_out.iter().map(|why| format!("- {why}")));
    if lines.is_empty() {
        lines.push("there is no connection".to_owned());
    }
    Section { title: "databases", lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Role;

    #[test]
    fn a_role_that_may_do_more_than_read_is_said_with_what_to_do() {
        let role = |powers: &[&str]| {
            Ok(Role { name: "ann".to_owned(), powers: powers.iter().map(ToString::to_string).collect() })
        };
        let known = |reading, apart, advice: &[&str]| Roles {
            label: "shop: shop@db (postgres)".to_owned(),
            reading,
            apart,
            advice: advice.iter().map(ToString::to_string).collect(),
        };
        let roles = [
            known(role(&["superuser"]), false, &["CREATE ROLE reader;"]),
            known(role(&[]), true, &[]),
            known(Err("no answer".to_owned()), false, &[]),
        ];
        let lines = databases(&roles, &["books can't be used".to_owned()]).lines;
        assert!(lines.contains(&"✗ read as ann, who may do more than read data: superuser".to_owned()), "{lines:?}");
        assert!(lines.contains(&"    CREATE ROLE reader;".to_owned()));
        assert!(lines.contains(&"✓ read as ann, by a URL of its own".to_owned()));
        assert!(
            lines.contains(&"- not asked: no answer".to_owned()) && lines.contains(&"- books can't be used".to_owned())
        );
    }

    #[test]
    fn what_is_not_proved_is_not_claimed() {
        let lines = containment(&Proof::nothing("there is no kernel".to_owned()), &Ok(())).lines;
        assert!(lines.iter().all(|line| !line.starts_with('✓')));
        assert_eq!(lines.iter().filter(|line| line.starts_with('✗')).count(), Wall::ALL.len() + 1);
        assert!(lines.contains(&"- not used: there is no kernel".to_owned()));
    }
}
