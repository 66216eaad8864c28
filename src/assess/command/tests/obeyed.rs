//! Files of a workspace that programs obey: what asks beside them, and which of them are plain.

use std::path::{Path, PathBuf};

use crate::assess::{AssessSettings, CommandAssessor};
use crate::domain::{Assessment, Claim, Class, CommandOperation, Operation, OperationId, OperationKind, Origin, Place};

/// A folder with a home folder, and in that a workspace with a folder below it.
fn world() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().canonicalize().unwrap().join("home/work");
    std::fs::create_dir_all(workspace.join("crates/a")).unwrap();
    (folder, workspace)
}

/// A file that programs obey, with something in it that counts where there are files that don't.
fn put(folder: &Path, file: &str) {
    std::fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
    let text = if file.contains(".cargo/config") { "paths = []\n" } else { "" };
    std::fs::write(folder.join(file), text).unwrap();
}

fn judged(command: &str, workspace: &Path) -> Assessment {
    let place = Place {
        cwd: workspace.to_path_buf(),
        workspace: workspace.to_path_buf(),
        home: workspace.parent().map(Path::to_path_buf),
    };
    judged_at(command, &place)
}

fn judged_at(command: &str, place: &Place) -> Assessment {
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Person,
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false }),
        cwd: place.cwd.clone(),
    };
    crate::tools::prepare(&CommandAssessor, operation, place, None, &AssessSettings::default()).assessment
}

fn class(command: &str, workspace: &Path) -> Class {
    judged(command, workspace).class()
}

#[test]
fn a_view_asks_where_a_file_that_it_obeys_is_present() {
    for (command, file) in [
        ("cargo tree", ".cargo/config.toml"),
        ("cargo metadata", ".cargo/config"),
        ("cargo metadata --no-deps", "rust-toolchain"),
        ("python3 -m json.tool a.json", "json.py"),
        ("yarn --version", ".yarnrc"),
        ("poetry --version", ".poetry/plugins"),
        ("mix help", "mix.exs"),
        ("pants --version", "pants.toml"),
        ("prisma --version", "prisma.config.ts"),
        ("pnpm ls", ".pnpmfile.cjs"),
        ("hg status", ".hg/hgrc"),
        ("composer --version", "composer.json"),
        ("devspace --version", "devspace.yaml"),
        ("devspace version", "devspace.yaml"),
        ("devspace --help", "devspace.yaml"),
        ("mvn -v", ".mvn/jvm.config"),
        ("flake8 --version", "setup.cfg"),
        ("uv pip list", ".venv/pyvenv.cfg"),
        ("timeout 5 cargo tree | head -3", ".cargo/config.toml"),
        ("sh -c 'ls; cargo tree'", ".cargo/config.toml"),
    ] {
        let (_kept, workspace) = world();
        assert_eq!(class(command, &workspace), Class::Whitelisted, "{command} without {file}");
        put(&workspace, file);
        assert_eq!(class(command, &workspace), Class::Unknown, "{command} with {file}");
        assert_eq!(class("ls; git --version", &workspace), Class::Whitelisted);
    }
    // What would only move where it writes is stopped by walls, which there are here.
    let (_kept, workspace) = world();
    put(&workspace, "ruff.toml");
    assert_eq!(class("ruff check --no-fix", &workspace), Class::Whitelisted);
}

#[test]
fn settings_that_are_plain_run_nothing() {
    for (command, file, plain, other) in [
        ("cargo tree", "rust-toolchain.toml", "[toolchain]\nchannel = \"1.80\"\n", "[toolchain]\npath = \"x\"\n"),
        ("rustc -vV", "rust-toolchain", "stable\n", "./x\n"),
        ("cargo metadata", ".cargo/config.toml", "[alias]\nx = \"run\"\n", "[build]\nrustc = \"./x\"\n"),
        ("ruff check", "pyproject.toml", "[tool.ruff]\nline-length = 9\n", "[tool.ruff]\nfix = true\n"),
        ("ruff check -- --no-fix", "ruff.toml", "line-length = 9\n", "fix = true\n"),
        ("ruff check src", ".ruff.toml", "[lint]\n", "extend = \"x.toml\"\n"),
        ("npm ls", ".npmrc", "registry=https://r.example/\n//r.example/:_authToken=${T}\n", "git=./x\n"),
        ("npm view x", ".npmrc", "save-exact=true\n", "registry=https://r.example/\n"),
        ("npm ls", ".npmrc", "save-exact=true\n", "save-exact=true\ngit=./x\n"),
        ("yarn --version", ".yarnrc.yml", "nodeLinker: pnp\n", "yarnPath: ./x\n"),
        ("docker compose -f compose.dev.yml ps", "compose.dev.yml", "services: {}\n", "include: [x.yml]\n"),
        ("docker-compose --file=a/compose.yaml logs -f web", "a/compose.yaml", "services: {}\n", "extends: {}\n"),
        ("podman compose ps", "docker-compose.yml", "services: {}\n", "include: [x.yml]\n"),
        ("docker compose ps", "compose.yml", "services: {}\n", "? \"inc\\\nlude\"\n: [x.yml]\n"),
        ("docker compose ps", ".env", "A=1\n", "COMPOSE_FILE=x.yml\n"),
        ("composer show", "composer.json", "{}", "{\"scripts\": {\"command\": \"./x\"}}"),
        ("dotnet --info", "global.json", "{}", "{\"sdk\": {\"paths\": [\"./x\"]}}"),
    ] {
        let (_kept, workspace) = world();
        put(&workspace, file);
        std::fs::write(workspace.join(file), plain).unwrap();
        assert_eq!(class(command, &workspace), Class::Whitelisted, "{command}: {plain}");
        std::fs::write(workspace.join(file), other).unwrap();
        assert_eq!(class(command, &workspace), Class::Unknown, "{command}: {other}");
        std::fs::write(workspace.join(file), " ".repeat(20_000)).unwrap();
        assert_eq!(class(command, &workspace), Class::Unknown, "{command}: large");
    }
}

#[test]
fn what_a_program_reads_by_itself_may_be_no_link_to_something_else() {
    for (command, file) in [
        ("cargo locate-project", "Cargo.toml"),
        ("cargo fmt --check", "rustfmt.toml"),
        ("npm ls", "package.json"),
        ("npm run", "package.json"),
        ("clang-format a.c", ".clang-format"),
        ("just --list", "justfile"),
        ("go list", "go.mod"),
        ("docker compose ps", "docker-compose.yml"),
        ("ruff check", "pyproject.toml"),
    ] {
        let (_kept, workspace) = world();
        std::fs::write(workspace.parent().unwrap().join("notes"), "").unwrap();
        std::fs::create_dir(workspace.join("shared")).unwrap();
        std::fs::write(workspace.join("shared").join(file), "").unwrap();
        std::os::unix::fs::symlink(workspace.join("shared").join(file), workspace.join(file)).unwrap();
        assert_eq!(class(command, &workspace), Class::Whitelisted, "{command}: of that name");
        std::fs::remove_file(workspace.join(file)).unwrap();
        std::os::unix::fs::symlink("../notes", workspace.join(file)).unwrap();
        assert_eq!(class(command, &workspace), Class::Unknown, "{command}");
    }
    let (_kept, workspace) = world();
    assert_eq!(class("docker compose -f - ps", &workspace), Class::Unreadable);
}

#[test]
fn the_question_names_the_file_and_no_claim_answers_it() {
    let (_kept, workspace) = world();
    put(&workspace, ".cargo/config.toml");
    let assessment = judged("cargo tree", &workspace);
    assert!(!assessment.claim_eligible);
    let sentence = &assessment.leading().unwrap().sentence;
    assert!(sentence.contains("`cargo tree` obeys .cargo/config.toml of this folder"), "{sentence}");
}

#[test]
fn folders_above_below_and_named_count_and_the_home_folder_does_not() {
    let (kept, workspace) = world();
    let root = kept.path().canonicalize().unwrap();
    put(&workspace, "crates/a/.cargo/config.toml");
    put(&root, "home/.cargo/config.toml");
    assert_eq!(class("cargo tree", &workspace), Class::Whitelisted);
    for command in [
        "cd crates/a && cargo tree",
        "(cd crates && cd a && cargo tree)",
        "cargo tree --manifest-path crates/a/Cargo.toml",
        "cargo tree --manifest-path=crates/a/Cargo.toml",
    ] {
        assert_eq!(class(command, &workspace), Class::Unknown, "{command}");
    }
    put(&root, ".cargo/config.toml");
    assert_eq!(class("cargo tree", &workspace), Class::Unknown, "it lies above the home folder");
}

#[test]
fn a_home_folder_that_is_the_workspace_counts() {
    let (_kept, workspace) = world();
    put(&workspace, ".cargo/config.toml");
    let place = Place { cwd: workspace.clone(), workspace: workspace.clone(), home: Some(workspace.clone()) };
    assert_eq!(judged_at("cargo tree", &place).class(), Class::Unknown);
}

#[test]
fn a_folder_that_is_not_known_asks() {
    let (_kept, workspace) = world();
    std::os::unix::fs::symlink(workspace.join("crates/a"), workspace.join("link")).unwrap();
    put(&workspace, "crates/.cargo/config.toml");
    for command in [
        "cd link && cargo tree",
        "cd \"$1\" && cargo tree",
        "find . -name Cargo.toml -execdir cargo tree \\;",
        "cargo tree --manifest-path \"$1\"",
    ] {
        assert_ne!(class(command, &workspace), Class::Whitelisted, "{command}");
    }
    assert_eq!(class("cd \"$1\" && ls", &workspace), Class::Whitelisted);
}

#[test]
fn a_test_runner_is_staged_whatever_it_obeys() {
    let (_kept, workspace) = world();
    put(&workspace, ".cargo/config.toml");
    let assessment = judged("cargo test", &workspace);
    assert_eq!(assessment.containment, crate::domain::Containment::Staged);
}

#[test]
fn go_is_bound_by_the_repository_that_it_asks_git_about() {
    let (_kept, workspace) = world();
    put(&workspace, ".git/objects/x");
    put(&workspace, ".git/refs/x");
    std::fs::write(workspace.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(workspace.join(".git/config"), "[core]\n\tfsmonitor = ./x\n").unwrap();
    assert_eq!(class("go list -json ./...", &workspace), Class::Unknown);
    assert_eq!(class("go version", &workspace), Class::Whitelisted);
}
