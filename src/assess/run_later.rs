//! Files that others run later without asking: writing one is declared danger for every tool, and never done on
//! a claim alone. The entries are data in `assets/rules/run-later.toml`.

use std::sync::LazyLock;

use super::paths::List;
use super::written::Written;
use crate::domain::Place;

/// The list, parsed once.
static LIST: LazyLock<List> = LazyLock::new(|| List::parse(TEXT));
/// Those of its entries that whoever enters a folder obeys.
static ENTERED: LazyLock<List> = LazyLock::new(|| List::parse_kinds(TEXT, |kind| kind.entered));
const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/run-later.json"));

/// Who runs what a path (as spelled, or real) holds, and the entry that it matches, as in "shell start-up file
/// (`.bashrc`)".
pub fn entry(path: &str, place: &Place) -> Option<String> {
    let listed = |path: &str| LIST.entry(&Written::new(path, place));
    listed(path).or_else(|| listed(of_everybody(path)?))
}

/// The path of which another is somebody's own addition, that is read with it: `.zshrc.local`, `app.csproj.user`.
fn of_everybody(path: &str) -> Option<&str> {
    let (rest, ending) = path.rsplit_once('.')?;
    let own = ["local", "user"].iter().any(|own| ending.eq_ignore_ascii_case(own));
    (own && !rest.is_empty() && !rest.ends_with('/')).then_some(rest)
}

/// Whether what stands at a path below `/` is obeyed by whoever only enters or opens the folder that it lies in: git's own,
/// and what agents, editors and shells look for. The folders on the way there were asked about before.
pub fn entered(path: &str, folder: bool) -> bool {
    let means = |path: &str| ENTERED.means(path, folder, &Place::default());
    means(path) || of_everybody(path).is_some_and(means)
}

/// The same for a pattern, or a path with parts that may become anything, where its own letters point there.
pub(super) fn may_match(pattern: &str, place: &Place) -> Option<String> {
    let listed = |pattern: &str| LIST.may_match(&Written::new(pattern, place));
    listed(pattern).or_else(|| listed(of_everybody(pattern)?))
}

/// Whether git takes a folder with these names in it for a repository, whatever its own name is. It then obeys the
/// configuration there, and runs what that names.
pub fn repository<'n>(names: impl IntoIterator<Item = &'n str>) -> bool {
    let (mut head, mut others) = (false, false);
    for name in names {
        head |= name.eq_ignore_ascii_case("HEAD");
        others |= ["config", "objects", "refs", "commondir"].iter().any(|part| name.eq_ignore_ascii_case(part));
    }
    head && others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_run_is_known() {
        let place = Place { cwd: "/work".into(), workspace: "/work".into(), home: Some("/home/ann".into()) };
        for path in [
            "package.json",
            "web/package.json",
            "requirements-dev.txt",
            "api/requirements/base.txt",
            "Pipfile",
            "pnpm-workspace.yaml",
            ".helix/config.toml",
            "Makefile",
            ".envrc",
            ".git/config",
            ".git/hooks/pre-commit",
            ".husky/pre-push",
            ".github/workflows/ci.yml",
            ".vscode/tasks.json",
            "~/.bashrc",
            "/root/.zshenv",
            "AGENTS.md",
            ".claude/settings.json",
            "/etc/cron.d/x",
            "~/.config/systemd/user/a.service",
            "~/.ssh/authorized_keys",
            "/usr/local/bin/ls",
            ".babelrc",
            ".mocharc.js",
            "web/.commitlintrc.mjs",
            "karma.conf.js",
            "svelte.config.js",
            "next-tool.config.mts",
            ".nycrc.json",
            ".pnpmfile.mjs",
            "pytest.ini",
            ".pylintrc",
            "rust-toolchain.toml",
            ".ghci",
            "Guardfile",
            "Snakefile",
            "gunicorn.conf.py",
            ".gitlab-ci.yaml",
            ".travis.yaml",
            ".pre-commit-hooks.yaml",
            "lefthook-local.yml",
            "build.sc",
            "build.ninja",
            "BUCK",
            "config.nims",
            "x.nimble",
            "project/Build.scala",
            ".jvmopts",
            "test/mocha.opts",
            "mkdocs.yml",
            "src-tauri/tauri.conf.json",
            "Procfile.dev",
            "x.pkr.hcl",
            ".terraform/providers/x",
            "renv/activate.R",
            "script/bootstrap",
            "package.json5",
            "mise.ci.toml",
            ".mise.ci.toml",
            ".moon/tasks.yml",
            "electron-builder.yml",
            ".build.yml",
            ".zuul.yaml",
            ".readthedocs.yaml",
            ".goreleaser.yml",
            ".ebextensions/a.config",
            ".devcontainer.json",
            ".RData",
            ".merlin",
            "build/compile_commands.json",
            "compile_flags.txt",
            ".Renviron",
            "hie.yaml",
            ".clangd",
            ".run/a.run.xml",
            ".codesandbox/tasks.json",
            ".roomodes",
            ".factory/a.json",
            ".autoenv",
            "config.mak",
            "drivers/Kbuild",
            ".sl/config",
            "CVS/Root",
            "_FOSSIL_",
            ".lfsconfig",
            ".python-version",
            ".terraform-version",
            "IFLOW.md",
            ".kimi/a.json",
            ".zshrc.local",
            "~/.bashrc.local",
            "app.csproj.user",
            ".bazelrc.user",
            ".aliases",
            "lib/libx.so-gdb.gdb",
            "x.sublime-project",
            "nbproject/project.xml",
            "WORKSPACE.bzlmod",
            "config/initializers/a.rb",
            "tool/__main__.py",
            "a.command",
            "src/all.h.gch",
        ] {
            assert!(entry(path, &place).is_some(), "{path}");
        }
        for path in [
            "src/main.rs",
            "notes.txt",
            "docs/make.md",
            ".gitignore",
            "data/package.txt",
            "/tmp/a",
            "config.js",
            "a.conf",
            "build",
            "src/Main.scala",
            "Cargo.lock",
            "terraform.tfvars",
            "run.xml",
            "rustfmt.toml",
            "notes.local",
            ".local",
            "src/user",
            "project/readme.md",
            "app/main.py",
            "config/app.rb",
            "test/data.opts",
        ] {
            assert_eq!(entry(path, &place), None, "{path}");
        }
        assert!(may_match("pack*.json", &place).is_some() && may_match("*.txt", &place).is_none());
    }

    #[test]
    fn what_programs_obey_where_they_only_look_is_listed() {
        // Ordinary names of folders: what is obeyed in them is listed. Records that a build keeps for itself.
        let within =
            [("project", "project/plugins.sbt"), ("tasks", "tasks/__init__.py"), ("fabfile", "fabfile/__init__.py")];
        let packages =
            [("app", "app/__init__.py"), ("wsgi", "wsgi/__init__.py"), ("locustfile", "locustfile/__init__.py")];
        let apart = [".ninja_log", ".ninja_deps"];
        let place = Place { cwd: "/work".into(), workspace: "/work".into(), home: Some("/home/ann".into()) };
        let sensitive = crate::assess::Sensitive::default();
        let rules: serde_json::Value =
            serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/obeys.json"))).unwrap();
        let files = rules["rule"].as_array().unwrap().iter().flat_map(|rule| rule["files"].as_array().unwrap());
        for file in files.map(|file| file.as_str().unwrap()).filter(|file| !apart.contains(file)) {
            let file =
                within.iter().chain(&packages).find(|(folder, _)| *folder == file).map_or(file, |(_, inside)| inside);
            let known = entry(file, &place).is_some() || sensitive.entry(file, &place).is_some();
            assert!(known, "{file} is obeyed, and may be written unasked");
        }
    }

    #[test]
    fn what_is_obeyed_on_entering_is_told_from_what_a_build_makes() {
        for path in ["/target/.git", "/target/a/.GIT", "/out/.vscode", "/out/.envrc", "/out/a/CLAUDE.md", "/out/.cargo"]
        {
            assert!(entered(path, false) && (entered(path, true) || path.ends_with(['c', 'd'])), "{path}");
        }
        for path in [
            "/out/package.json",
            "/out/Makefile",
            "/out/doc/hooks",
            "/out/.gitignore",
            "/out/bin/tool",
            "/out/a.py",
            "/build/compile_commands.json",
            "/build/compile_flags.txt",
            "/_build/default/.merlin",
            "/out/.RData",
        ] {
            assert!(!entered(path, false) && !entered(path, true), "{path}");
        }
    }
}
