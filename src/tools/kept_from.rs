//! What a listing shows of files that were hidden from the command that made it: an entry without size, owner or rights,
//! of which nobody would know what it means.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::contain::Plan;
use crate::domain::number;

/// Programs that tell of entries rather than of what is in files: where one ran, a name at the end of a line is an
/// entry's. Elsewhere it may be anybody's words.
const LISTERS: [&str; 16] =
    ["ls", "gls", "dir", "vdir", "ll", "find", "fd", "fdfind", "tree", "stat", "du", "file", "wc", "exa", "eza", "lsd"];
/// Names that are told.
const NAMED: usize = 3;

/// A sentence that says which of the entries that were printed are hidden from it; none where none is.
pub(super) fn told(command: &str, output: &str, plan: &Plan) -> Option<String> {
    let first = |part: &str| {
        let word = part.split_whitespace().next().unwrap_or_default();
        LISTERS.contains(&word.rsplit('/').next().unwrap_or(word))
    };
    if !command.split(['|', '&', ';', '(', '{', '`', '\n']).any(first) {
        return None;
    }
    let hidden = plan.hidden.iter().filter(|hidden| hidden.instead.is_none() && hidden.path.starts_with(&plan.cwd));
    let hidden: BTreeMap<&str, &Path> =
        hidden.filter_map(|hidden| Some((hidden.path.file_name()?.to_str()?, hidden.path.as_path()))).collect();
    if hidden.is_empty() {
        return None;
    }
    let found: BTreeSet<&Path> =
        output.lines().flat_map(entries).filter_map(|name| hidden.get(name).copied()).collect();
    let shown = |path: &Path| path.strip_prefix(&plan.cwd).unwrap_or(path).display().to_string();
    let named: Vec<String> = found.iter().take(NAMED).map(|path| shown(path)).collect();
    let more = match found.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more", number::thousands(more as u64)),
    };
    let one = if found.len() == 1 { "it" } else { "one" };
    (!named.is_empty()).then(|| {
        format!(
            "Hidden from commands that run unasked: {}{more}. A command that names {one} asks, and then sees it.",
            named.join(", ")
        )
    })
}

/// What may be the name of an entry in a line: its last word, and what stands before a colon.
fn entries(line: &str) -> impl Iterator<Item = &str> {
    let name = |part: &'_ str| -> Option<usize> {
        let mut letters = part.char_indices().rev();
        let from = letters.find(|(_, c)| *c == '/' || c.is_whitespace()).map_or(0, |(at, c)| at + c.len_utf8());
        (from < part.len()).then_some(from)
    };
    let line = line.trim_end().trim_end_matches(['/', '*', '@', '\'', '"']);
    let before = line.split_once(": ").map(|(before, _)| before);
    [Some(line), before].into_iter().flatten().filter_map(move |part| name(part).map(|from| &part[from..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contain::Hidden;

    fn plan() -> Plan {
        let hidden = ["/w/.env", "/w/certs/a.pem", "/home/u/.config/gh"];
        let hidden = hidden.map(|path| Hidden { path: path.into(), instead: None }).to_vec();
        Plan { hidden, cwd: "/w".into(), ..Plan::default() }
    }

    #[test]
    fn an_odd_entry_is_explained_and_what_others_write_is_not() {
        for (command, output, hidden) in [
            ("ls -la", "drwxr-xr-x 2 u u 40 Jan  1 10:00 src\n---------- 1 root root 0 Jan  1 10:00 .env\n", ".env"),
            ("find . -type f | sort", "./certs/a.pem\n./src/app.py\n", "certs/a.pem"),
            ("/bin/ls -a", ".env\na.pem\n", ".env, certs/a.pem"),
            ("file .e*", ".env: regular file, no read permission\n", ".env"),
            ("ls -F", ".env*\n", ".env"),
            ("ls -la", "Screenshot at 9.41\u{202f}AM.png\n---------- 1 root root 0 Jan  1 10:00 .env\n", ".env"),
        ] {
            let told = told(command, output, &plan()).unwrap();
            assert!(told.starts_with(&format!("Hidden from commands that run unasked: {hidden}. ")), "{told}");
        }
        for (command, output) in [
            ("ls -la", "-rw-r--r-- 1 u u 40 Jan  1 10:00 .env.example\n-rw-r--r-- 1 u u 4 Jan  1 10:00 gh\n"),
            ("cat README.md", "cp .env.example .env\n"),
            ("grep -rn ls src", "src/app.py:3: .env\n"),
            ("ls", ""),
        ] {
            assert_eq!(told(command, output, &plan()), None, "{command}");
        }
        let many: Vec<Hidden> = (0..5).map(|n| Hidden { path: format!("/w/{n}.pem").into(), instead: None }).collect();
        let output = (0..5).map(|n| format!("{n}.pem\n")).collect::<Vec<_>>().concat();
        let told = told("ls", &output, &Plan { hidden: many, ..plan() }).unwrap();
        assert!(told.contains("0.pem, 1.pem, 2.pem and 2 more. A command that names one asks"), "{told}");
    }
}
