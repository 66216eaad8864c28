//! The layers: which folder may import which. The pure column never meets the one that acts, but in `runtime`.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use regex::Regex;

const EVERYTHING: [&str; 15] = [
    "agents",
    "app",
    "assess",
    "cli",
    "config",
    "contain",
    "domain",
    "logs",
    "memory",
    "private",
    "providers",
    "runtime",
    "store",
    "tools",
    "ui",
];

/// What each folder or file of `src` may import beside itself.
const ALLOWED: [(&str, &[&str]); 15] = [
    ("domain", &[]),
    ("assess", &["domain"]),
    ("app", &["domain", "assess"]),
    ("ui", &["domain", "app"]),
    ("contain", &["domain"]),
    ("tools", &["domain", "assess", "contain", "store", "private"]),
    ("providers", &["domain"]),
    ("private", &[]),
    ("store", &["domain", "private"]),
    ("agents", &["domain"]),
    ("logs", &["private"]),
    ("memory", &["domain", "private"]),
    ("config", &["domain", "private", "providers"]),
    ("cli", &["domain", "agents", "assess", "contain", "tools", "store", "config", "memory", "private", "ui"]),
    ("runtime", &EVERYTHING),
];

/// Crates that act; the pure folders don't know them.
const ACTING: [&str; 6] = ["tokio", "tokio_util", "sqlx", "reqwest", "genai", "rmcp"];
const PURE: [&str; 5] = ["domain", "agents", "assess", "app", "ui"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_layer_imports_what_it_may_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (own, foreign) = (Regex::new(r"\bcrate::(\w+)").unwrap(), Regex::new(r"(?:^|[^:\w])(\w+)::").unwrap());
    let mut found = Vec::new();
    files(&root, &mut found);
    let mut wrong = Vec::new();
    for file in found {
        let inside = file.strip_prefix(&root).unwrap();
        let layer = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        // Tests may stand on anything: those in a folder of their own, and those at a file's end.
        if ["lib", "main"].contains(&layer) || inside.iter().any(|part| part == "tests") {
            continue;
        }
        let row = ALLOWED.iter().find(|(name, _)| *name == layer);
        let (_, allowed) = row.unwrap_or_else(|| panic!("{layer} has no row in the table"));
        let text = std::fs::read_to_string(&file).unwrap();
        let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let upward = |name: &str| name != layer && !allowed.contains(&name);
            let acting = |name: &str| PURE.contains(&layer) && ACTING.contains(&name);
            let names = |regex: &Regex| {
                let names = regex.captures_iter(line).map(|hit| hit[1].to_owned());
                names.collect::<Vec<_>>()
            };
            let hits = names(&own).into_iter().filter(|name| upward(name) && EVERYTHING.contains(&name.as_str()));
            let hits = hits.chain(names(&foreign).into_iter().filter(|name| acting(name)));
            wrong.extend(hits.map(|name| format!("{}:{}: {name}", inside.display(), number + 1)));
            assert!(!line.contains("crate::{"), "{}:{}: one crate:: for each layer", inside.display(), number + 1);
        }
    }
    assert!(wrong.is_empty(), "imports against the layers:\n{}", wrong.join("\n"));
}
