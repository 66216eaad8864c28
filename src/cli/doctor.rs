//! `countersign doctor`: what works here and what doesn't, in plain words. One section a subject.

mod machine;
mod providers;

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use super::{Options, Start, mcp, runtime, start};
use crate::config::{ConfigError, around, process_environment};
use crate::contain::{self, Proof};
use crate::domain::Wall;
use crate::tools::{Roles, listed_hosts, stages};

/// What is true of the program's own files.
const OWN: [&str; 2] = [
    "- what names Countersign's own files and may write them is denied, in every mode; files and SQLite are looked at again as they are written",
    "- not enforced: a command that you approve runs with your rights, and may write them under a name that its text doesn't show; what it so changed of configuration, rules, trust and servers is told, and doesn't count until you looked at it, unless the command ended Countersign and erased its record",
];

/// One subject: a heading, and what is said of it.
struct Section {
    title: &'static str,
    lines: Vec<String>,
    /// Whether something that is needed doesn't work.
    broken: bool,
}

/// Looks at everything, and prints what it found.
///
/// # Errors
/// An option names nothing there is.
pub(super) fn task(options: &Options, connect: bool, json: bool) -> Result<ExitCode, ConfigError> {
    let start = Start::read(options, &process_environment)?;
    let (mut connections, mut left_out) = start.connections(&process_environment)?;
    if !connect {
        let far = connections.leave_out_remote(&start.settings.opened);
        left_out.extend(
            far.iter().map(|name| format!("{name}: not asked, since it is on another machine; --connect does")),
        );
    }
    let runtime = runtime()?;
    let _already = rustls::crypto::ring::default_provider().install_default();
    let (roles, reached, found, files) = runtime.block_on(async {
        let roles = connections.roles().await;
        let reached = start.settings.reach(&process_environment, connect).await;
        let found = around(&process_environment).await;
        (roles, reached, found, machine::files(&start.folders, &start.problems).await)
    });
    let proof = contain::prove(&start::launcher()?, &start.folders.state);
    let staged = runtime.block_on(stages(&Arc::new(start.bench()?)));
    let servers = Section { title: "MCP servers", lines: mcp::lines(&start)?, broken: false };
    let sections = [
        containment(&proof, &staged, &start.settings.staged_hosts),
        providers::providers(&reached, &found),
        databases(&roles, &left_out),
        servers,
        files,
        machine::terminal(&process_environment),
        machine::programs(&process_environment),
    ];
    Ok(print(&sections, json, &mut std::io::stdout().lock()))
}

fn print(sections: &[Section], json: bool, out: &mut dyn Write) -> ExitCode {
    let broken = sections.iter().any(|section| section.broken);
    let mut text = String::new();
    if json {
        let line = |line: &String| {
            let (sign, said) = line.split_once(' ').unwrap_or_default();
            match sign {
                "✓" => json!({ "state": "good", "text": said }),
                "✗" => json!({ "state": "bad", "text": said }),
                "-" => json!({ "state": "note", "text": said }),
                _ => json!({ "state": "text", "text": line.trim() }),
            }
        };
        let told: Vec<_> = sections
            .iter()
            .map(|section| {
                let lines: Vec<_> = section.lines.iter().map(line).collect();
                json!({ "subject": section.title, "broken": section.broken, "lines": lines })
            })
            .collect();
        text = format!("{}\n", json!({ "broken": broken, "subjects": told }));
    } else {
        for section in sections {
            text.push_str(section.title);
            text.push('\n');
            section.lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
    }
    // A reader that left early has seen what it wanted.
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if written.is_ok() && !broken { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What is enforced around commands that run unasked.
fn containment(proof: &Proof, here: &Result<(), String>, hosts: &BTreeSet<String>) -> Section {
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
            lines.push(match &proof.proxied {
                _ if hosts.is_empty() => "✓ a staged run has no network: `staged_hosts` names no host".to_owned(),
                Ok(()) => {
                    format!("✓ a staged run reaches, by a proxy of ours and nothing else: {}", listed_hosts(hosts))
                }
                Err(why) => format!("✗ not used: `staged_hosts` ({why}); a staged run has no network"),
            });
        }
        Ok(_) | Err(_) => {
            let why = proof.staged.as_ref().err().map_or("nothing is contained here", String::as_str);
            lines.push(format!("✗ not enforced: staged runs ({why}); test runners and claims ask"));
        }
    }
    lines.push(match &proof.proxied {
        Ok(()) => {
            "✓ `curl` and `wget` that only look reach public hosts, by a proxy of ours and nothing else".to_owned()
        }
        Err(why) => format!("✗ not run unasked: `curl` and `wget` that only look ({why})"),
    });
    lines.extend(proof.passed_over.iter().map(|why| format!("- not used: {why}")));
    lines.extend(OWN.map(str::to_owned));
    lines.push("SQL that only reads is held to it by its engine, in a read-only transaction.".to_owned());
    Section { title: "containment", lines, broken: false }
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
            Err(why) => lines.push(format!("✗ not reached: {why}")),
        }
        if !known.advice.is_empty() {
            lines.push("a role that only reads is made so; then name it as the connection's `read_url`:".to_owned());
            lines.extend(known.advice.iter().map(|statement| format!("    {statement}")));
        }
    }
    lines.extend(left_out.iter().map(|why| format!("- {why}")));
    if lines.is_empty() {
        lines.push("there is no connection: open one with --db URL, or write it down as [connections.NAME] in the configuration".to_owned());
    }
    let broken = roles.iter().any(|known| known.reading.is_err());
    Section { title: "databases", lines, broken }
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
            lines.contains(&"✗ not reached: no answer".to_owned())
                && lines.contains(&"- books can't be used".to_owned())
        );
    }

    #[test]
    fn what_is_broken_fails_and_json_tells_it() {
        let section = |broken| Section {
            title: "models",
            lines: vec!["✗ openai: no key: OPENAI_API_KEY is not set".to_owned(), "- found: nothing".to_owned()],
            broken,
        };
        let mut out = Vec::new();
        assert_eq!(print(&[section(true)], true, &mut out), ExitCode::FAILURE);
        let told: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(told["subjects"][0]["lines"][0]["state"], "bad");
        assert_eq!(told["subjects"][0]["lines"][1]["text"], "found: nothing");
        assert_eq!(print(&[section(false)], false, &mut Vec::new()), ExitCode::SUCCESS);
    }

    #[test]
    fn what_is_not_proved_is_not_claimed() {
        let hosts = BTreeSet::from(["a.example:443".to_owned()]);
        let lines = containment(&Proof::nothing("there is no kernel".to_owned()), &Ok(()), &hosts).lines;
        assert!(lines.iter().all(|line| !line.starts_with('✓')));
        assert_eq!(lines.iter().filter(|line| line.starts_with('✗')).count(), Wall::ALL.len() + 2);
        assert!(lines.contains(&"- not used: there is no kernel".to_owned()));
    }
}
