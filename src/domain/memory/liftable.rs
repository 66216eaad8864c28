//! What a remembered rule may lift. A finding is liftable where the form pins what it is about; what runs code that
//! nobody sees, reads secrets, hides text or can't be read is never.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::{Lift, Pattern, Want};
use crate::domain::{Class, Danger, Finding};

/// Programs that run code that the operation doesn't show, beside those that the tables of commands know.
const RUN_CODE: &[&str] = &[
    "ansible",
    "ansible-playbook",
    "ant",
    "ar",
    "at",
    "awk",
    "bash",
    "batch",
    "bazel",
    "bunx",
    "bun",
    "busybox",
    "bwrap",
    "cargo",
    "chroot",
    "clisp",
    "cmake",
    "composer",
    "countersign",
    "crontab",
    "csh",
    "dash",
    "dart",
    "deno",
    "doas",
    "docker",
    "docker-compose",
    "dotnet",
    "ed",
    "elixir",
    "emacs",
    "env",
    "erl",
    "eval",
    "ex",
    "exec",
    "expect",
    "fakeroot",
    "find",
    "firejail",
    "fish",
    "flock",
    "gawk",
    "gdb",
    "ghci",
    "go",
    "gradle",
    "groovy",
    "guile",
    "gulp",
    "helm",
    "irb",
    "java",
    "jshell",
    "julia",
    "just",
    "kotlin",
    "ksh",
    "lldb",
    "lua",
    "luajit",
    "m4",
    "make",
    "mage",
    "mawk",
    "mvn",
    "nano",
    "ninja",
    "nix",
    "node",
    "nodejs",
    "nohup",
    "nox",
    "npm",
    "npx",
    "nsenter",
    "ocaml",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pip",
    "pipx",
    "pnpm",
    "podman",
    "poetry",
    "powershell",
    "pre-commit",
    "psql",
    "pwsh",
    "pypy",
    "python",
    "python2",
    "python3",
    "racket",
    "rake",
    "Rscript",
    "ruby",
    "rustup",
    "sbcl",
    "sbt",
    "scala",
    "screen",
    "script",
    "sed",
    "setsid",
    "sh",
    "source",
    "ssh",
    "strace",
    "su",
    "sudo",
    "swift",
    "task",
    "tclsh",
    "terraform",
    "timeout",
    "tmux",
    "tox",
    "trap",
    "ts-node",
    "tsx",
    "uv",
    "uvx",
    "vagrant",
    "vi",
    "vim",
    "nvim",
    "watch",
    "wish",
    "xargs",
    "yarn",
    "zsh",
    "sqlite3",
    "mysql",
    "mariadb",
    "mongosh",
    "kubectx",
    "systemd-run",
    "tcsh",
    "unshare",
    "valgrind",
    "vite",
    "webpack",
    "rollup",
    "esbuild",
    "parcel",
    "tsc",
    "rails",
    "bundle",
    "hatch",
    "pdm",
    "rye",
    "pixi",
    "mix",
    "stack",
    "cabal",
    "direnv",
    "mise",
    "asdf",
    "grunt",
    "nx",
    "turbo",
    "lerna",
    "scons",
    "meson",
    "invoke",
    "fab",
    "playwright",
    "cypress",
    "rsync",
    "tar",
    "hugo",
    "jekyll",
    "conda",
    "mamba",
];

/// The same, to look one up.
static RUNNERS: LazyLock<HashSet<&str>> = LazyLock::new(|| RUN_CODE.iter().copied().collect());

/// Findings that a form of their tool pins.
const PINNED: [(&str, &[&str]); 4] = [
    (
        "execute_command",
        &[
            "command.redirect",
            "command.unknown-program",
            "command.unknown-subcommand",
            "command.unknown-flag",
            "command.needs-flag",
            "command.no-subcommand",
            "command.operand",
            "command.operands",
            "command.writes",
        ],
    ),
    (
        "execute_sql",
        &[
            "sql.insert",
            "sql.insert-overwrites",
            "sql.replace",
            "sql.update",
            "sql.delete",
            "sql.update-without-where",
            "sql.delete-without-where",
            "sql.truncate",
        ],
    ),
    ("http_request", &["http.post", "http.put", "http.patch", "http.delete", "http.private", "http.host", "http.port"]),
    ("file_operations", &["file.create", "file.overwrite", "file.edit", "file.delete", "file.move", "file.outside"]),
];
const SEARCHES: [&str; 2] = ["search_files", "find_files"];

/// Whether a program runs code that a rule can't see.
#[must_use]
pub fn runs_code(program: &str) -> bool {
    // `python3.12`, `lua5.4`, `gcc-13` are what they are without their version.
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    RUNNERS.contains(program) || RUNNERS.contains(plain) || program.contains('/')
}

/// Whether a finding is of a class that a remembered rule may lift at all.
pub(super) fn may_lift(finding: &Finding) -> bool {
    match finding.class {
        Class::Unknown | Class::Declared(Danger::Destructive | Danger::External) => true,
        Class::Whitelisted | Class::Declared(Danger::Sensitive) | Class::Unreadable | Class::Catastrophe => false,
    }
}

/// Whether the forms of a tool say all that a finding of this name is about.
pub(super) fn pinned(tool: &str, rule: &str, patterns: &[Pattern]) -> bool {
    if tool.starts_with("mcp__") {
        return rule.starts_with("mcp.");
    }
    if SEARCHES.contains(&tool) {
        return rule == "search.outside";
    }
    // `command.rm` is about the program `rm`, which the pattern names.
    let program = |name: &str| patterns.iter().any(|pattern| pattern.exact("program") == Some(name));
    let named = tool == "execute_command" && rule.strip_prefix("command.").is_some_and(program);
    named || PINNED.iter().any(|(known, rules)| *known == tool && rules.contains(&rule))
}

/// Why a rule may not lift this, if it may not.
pub(super) fn check(tool: &str, lift: &Lift) -> Result<(), String> {
    if lift.patterns.is_empty() || lift.patterns.iter().any(Pattern::is_open) {
        return Err(format!("an allow rule for {tool} must name at least one part"));
    }
    if lift.findings.is_empty() {
        return Err(format!("an allow rule for {tool} must name the findings that it lifts"));
    }
    if let Some(rule) = lift.findings.iter().find(|rule| !pinned(tool, rule, &lift.patterns)) {
        return Err(format!("no remembered rule lifts {rule}"));
    }
    lift.patterns.iter().try_for_each(|pattern| complete(tool, pattern))
}

/// Every pattern says what makes an operation what it is.
fn complete(tool: &str, pattern: &Pattern) -> Result<(), String> {
    let exact = |part: &str| pattern.exact(part).is_some();
    let needs = |parts: &[&str]| match parts.iter().find(|part| !exact(part)) {
        Some(part) => Err(format!("an allow rule for {tool} must say exactly what `{part}` is")),
        None => Ok(()),
    };
    match tool {
        "execute_command" => command(pattern),
        "execute_sql" => needs(&["connection", "statement", "where"]),
        "http_request" => needs(&["method", "scheme", "host", "port"]),
        "file_operations" => {
            let placed = matches!(pattern.0.get("path"), Some(Want::Is(_) | Want::Within { .. }));
            if placed { needs(&["operation"]) } else { Err(format!("an allow rule for {tool} must say which `path`")) }
        }
        _ => Ok(()),
    }
}

fn command(pattern: &Pattern) -> Result<(), String> {
    if pattern.exact("clean").is_some() {
        return Ok(());
    }
    let placed = pattern.exact("place").is_some();
    if let Some(redirect) = pattern.0.get("redirect") {
        let held = placed || matches!(redirect, Want::Is(_));
        return if held { Ok(()) } else { Err("an allow rule for a redirection must say where it leads".to_owned()) };
    }
    let Some(program) = pattern.exact("program") else {
        return Err("an allow rule for execute_command must name the program".to_owned());
    };
    if runs_code(program) {
        return Err(format!("{program} runs code that the rule can't see, so it can't be allowed by a rule"));
    }
    if !placed && pattern.exact("free").is_none() && pattern.exact("arguments").is_none() {
        return Err(format!("an allow rule for {program} must say which arguments, or where they lead"));
    }
    match pattern.0.get("flags") {
        Some(Want::Is(_) | Want::Among { .. }) => Ok(()),
        Some(Want::Within { .. } | Want::Any { .. }) | None => {
            Err(format!("an allow rule for {program} must say which flags"))
        }
    }
}
