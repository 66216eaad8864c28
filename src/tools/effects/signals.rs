//! What `kill`, `pkill` and `killall` would reach: the processes that are there now, told from `/proc` alone.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use nix::unistd::{Uid, User};
use regex::Regex;

use super::{Effects, NAMED};
use crate::assess::{Receivers, Signal};
use crate::domain::number::{elapsed, thousands};
use crate::domain::{Detail, Remedy, Table};

/// Processes that are listed.
const LISTED: usize = 20;
/// Longest command line that is listed, in letters.
const LINE: usize = 200;
/// In what `/proc` counts time, a second: the same on every machine that this is built for.
const TICKS: u64 = 100;
/// Longest name that the kernel keeps of a process.
const NAME: usize = 15;
/// Signals that end nothing.
const SPARING: [&str; 4] = ["0", "CONT", "WINCH", "STOP"];

/// A process.
#[derive(Clone, Debug)]
struct Process {
    pid: i64,
    group: i64,
    user: u32,
    name: String,
    /// How it was called; empty for one of the kernel's.
    line: String,
    /// How long it has been there, in milliseconds.
    age: u64,
}

/// Tells which processes get a signal.
///
/// # Errors
/// They can't be told beforehand, as what isn't known.
pub(super) fn send(effects: &mut Effects, signal: &Signal) -> Result<(), String> {
    let all = processes().ok_or("which processes it reaches (this system doesn't list them)")?;
    let reached: Vec<&Process> = match &signal.to {
        Receivers::Numbers(numbers) => {
            if numbers.contains(&0) {
                return Err("which processes are of its own group".to_owned());
            }
            let none = |number: &&i64| !all.iter().any(|one| one.is(**number));
            let absent: Vec<String> = numbers.iter().filter(none).map(ToString::to_string).collect();
            if !absent.is_empty() {
                effects.effect(format!("There is no process {}.", absent.join(", ")));
            }
            all.iter().filter(|one| numbers.iter().any(|number| one.is(*number))).collect()
        }
        Receivers::Like { expression, whole } => {
            let unknown = |_| "which processes it reaches".to_owned();
            let expression = Regex::new(expression).map_err(unknown)?;
            all.iter().filter(|one| expression.is_match(one.spoken(*whole))).collect()
        }
        Receivers::Called(names) => all.iter().filter(|one| names.iter().any(|name| one.called(name))).collect(),
    };
    tell(effects, signal, &reached);
    Ok(())
}

fn tell(effects: &mut Effects, signal: &Signal, reached: &[&Process]) {
    if reached.is_empty() {
        effects.effect("No process that is there now gets it.");
        effects.briefs.push("no process".to_owned());
        return;
    }
    let user = fs::metadata("/proc/self").map_or(u32::MAX, |own| own.uid());
    let names: Vec<String> = reached.iter().take(NAMED).map(|one| format!("{} ({})", one.name, one.pid)).collect();
    let more = reached.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", {more} more") } else { String::new() };
    let processes = match reached.len() {
        1 => "1 process".to_owned(),
        many => format!("{} processes", thousands(many as u64)),
    };
    let does = match signal.name.as_str() {
        "KILL" => format!("Ends {processes} at once"),
        "STOP" => format!("Halts {processes}"),
        "CONT" => format!("Lets {processes} go on"),
        name => format!("Sends {name} to {processes}"),
    };
    effects.effect(format!("{does}: {}{more}.", names.join(", ")));
    effects.briefs.push(processes);
    let itself = i64::from(std::process::id());
    if reached.iter().any(|one| one.pid == itself) {
        effects.warning("Countersign itself is among them.");
    }
    let others = reached.iter().filter(|one| one.user != user).count();
    if others > 0 {
        let may = if user == 0 { "" } else { ", and it may not reach them" };
        effects.warning(format!("{others} of them run as somebody else{may}."));
    }
    effects.remedies.push(match signal.name.as_str() {
        "STOP" | "TSTP" | "TTIN" | "TTOU" => Remedy::ByHand("`kill -CONT` lets them go on.".to_owned()),
        name if SPARING.contains(&name) => Remedy::Unknown,
        _ => Remedy::Impossible("what ends doesn't come back by itself, and what it hadn't saved is lost.".to_owned()),
    });
    let row = |one: &&Process| {
        let who = if one.user == user { "you".to_owned() } else { named(one.user) };
        let line = if one.line.is_empty() { &one.name } else { &one.line };
        let line: String = line.chars().take(LINE).collect();
        [one.pid.to_string(), who, elapsed(one.age), line].map(Some).to_vec()
    };
    let table = Table {
        columns: ["pid", "runs as", "for", "command"].map(str::to_owned).to_vec(),
        types: ["INTEGER", "TEXT", "TEXT", "TEXT"].map(str::to_owned).to_vec(),
        rows: reached.iter().take(LISTED).map(row).collect(),
        total: reached.len() as u64,
        ..Table::default()
    };
    effects.preview.details.push(Detail::Rows { title: "processes that get it".to_owned(), table });
}

impl Process {
    /// Whether a number means it: its own, that of its group below zero, or all.
    fn is(&self, number: i64) -> bool {
        match number {
            -1 => self.pid > 1,
            group if group < 0 => group.checked_neg() == Some(self.group),
            pid => self.pid == pid,
        }
    }

    fn spoken(&self, whole: bool) -> &str {
        if whole && !self.line.is_empty() { &self.line } else { &self.name }
    }

    /// Whether it has a name. Of a long one the kernel keeps the beginning.
    fn called(&self, name: &str) -> bool {
        let program = self.line.split(' ').next().and_then(|path| path.rsplit('/').next());
        if name.len() > NAME { name.starts_with(&self.name) && program == Some(name) } else { self.name == name }
    }

    /// One that is alive.
    fn of(pid: i64, now: u64) -> Option<Self> {
        let folder = format!("/proc/{pid}");
        // A long name is cut anywhere, and may be no text.
        let stat = fs::read(format!("{folder}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        let (head, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        if ["Z", "X"].contains(fields.first()?) {
            return None;
        }
        let line = fs::read(format!("{folder}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let since: u64 = fields.get(19)?.parse().ok()?;
        Some(Self {
            pid,
            group: fields.get(2)?.parse().ok()?,
            user: fs::metadata(&folder).ok()?.uid(),
            name: head.split_once('(')?.1.trim_end_matches('\u{fffd}').to_owned(),
            line: line.trim_end().to_owned(),
            age: now.saturating_sub(since * 1_000 / TICKS),
        })
    }
}

/// The name of a user, or the number.
fn named(user: u32) -> String {
    let known = User::from_uid(Uid::from_raw(user)).ok().flatten();
    known.map_or_else(|| format!("user {user}"), |user| user.name)
}

/// Those that are there. None where nobody lists them.
fn processes() -> Option<Vec<Process>> {
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let now = uptime.split('.').next()?.parse::<u64>().ok()? * 1_000;
    let numbers = fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Some(numbers.filter_map(|pid| Process::of(pid, now)).collect())
}
