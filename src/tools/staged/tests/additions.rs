//! What only adds, and waits all the same.

use super::*;

fn paths(changes: &[StagedChange]) -> Vec<String> {
    changes.iter().map(|change| change.path.display().to_string()).collect()
}

#[test]
fn what_others_run_or_what_is_sensitive_waits_even_where_it_is_new() {
    let desk = Desk::new(|_| {});
    for path in
        [".git/hooks/pre-commit", "web/package.json", ".envrc", "AGENTS.md", "node_modules/x/index.js", ".env", "k.pem"]
    {
        desk.wrote(path, "x");
    }
    symlink("/etc/passwd", desk.upper("out")).unwrap();
    symlink("../../x", desk.upper("up")).unwrap();
    symlink("plain", desk.upper("in")).unwrap();
    desk.wrote("plain", "x");
    let harvest = desk.harvest();
    assert_eq!(told(&harvest.adds), ["make in a link to plain", "add plain (1 B)", "make the folder web"]);
    let waits: BTreeSet<String> = harvest.waits.iter().map(|change| change.path.display().to_string()).collect();
    for path in [
        ".git/hooks/pre-commit",
        "web/package.json",
        ".envrc",
        "AGENTS.md",
        "node_modules/x/index.js",
        ".env",
        "k.pem",
        "out",
        "up",
    ] {
        assert!(waits.contains(path), "{path}: {waits:?}");
    }
}

#[test]
fn what_is_loaded_or_run_in_place_of_something_else_waits() {
    let desk = Desk::new(|_| ());
    for path in
        ["os.py", "re/__init__.py", "phpunit.xml", "lib/sitecustomize.pyc", "artisan", "app/os.py", "phpunit.txt"]
    {
        desk.wrote(path, "x");
    }
    let harvest = desk.harvest();
    assert_eq!(
        paths(&harvest.waits),
        ["app/os.py", "artisan", "lib/sitecustomize.pyc", "os.py", "phpunit.xml", "re/__init__.py"]
    );
    assert_eq!(paths(&harvest.adds), ["app", "lib", "phpunit.txt", "re"]);
}

#[test]
fn what_a_loader_would_take_for_what_was_there_waits() {
    let mut desk = Desk::new(|work| {
        for name in ["helper.py", "util.js", "a.c", "build/b.js"] {
            fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
            fs::write(work.join(name), "x").unwrap();
        }
    });
    desk.products.folders.insert("build".into());
    let beside = ["a.o", "helper/__init__.py", "helper.cpython-312-x86_64-linux-gnu.so", "util", "util.ts"];
    let harmless = ["a.h", "helper.md", "new/helper.py", "util.test.js"];
    for path in beside.iter().chain(&harmless).chain(&["build/b.mjs"]) {
        desk.wrote(path, "x");
    }
    let harvest = desk.harvest();
    assert_eq!(paths(&harvest.waits), beside);
    assert_eq!(paths(&harvest.adds), ["a.h", "helper", "helper.md", "new", "new/helper.py", "util.test.js"]);
    assert_eq!(paths(&harvest.products), ["build/b.mjs"]);
}

#[test]
fn programs_and_hidden_files_wait_but_for_those_that_tests_leave() {
    let mut desk = Desk::new(|work| fs::create_dir(work.join("build")).unwrap());
    desk.products.folders.insert("build".into());
    for (path, text) in [("tool", "#!/bin/sh"), ("app", "x"), ("data", "x"), ("build/app", "x"), ("BUILD", "x")] {
        desk.wrote(path, text);
    }
    for path in ["app", "build/app"] {
        fs::set_permissions(desk.upper(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    for path in [".any", ".own/a", ".coverage", ".coverage.host.1", ".pytest_cache/v/a", ".pytest_cache/.gitignore"] {
        desk.wrote(path, "x");
    }
    let harvest = desk.harvest();
    assert_eq!(paths(&harvest.waits), [".any", ".own", ".own/a", "BUILD", "app", "tool"]);
    let left = [".coverage", ".coverage.host.1", ".pytest_cache", ".pytest_cache/.gitignore"];
    assert_eq!(paths(&harvest.adds)[..4], left);
    assert_eq!(paths(&harvest.products), ["build/app"]);
}

#[test]
fn what_python_compiled_is_never_put_in_place_unasked() {
    let mut desk = Desk::new(|work| {
        for name in ["__pycache__/os.cpython-312.pyc", "lib/__pycache__/a.pyc", "build/a"] {
            fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
            fs::write(work.join(name), "as it was").unwrap();
        }
    });
    desk.products.folders.insert("build".into());
    let cached = ["__pycache__/os.cpython-312.pyc", "lib/__pycache__/b.pyc", "build/__pycache__/a.pyc"];
    for path in cached.iter().chain(&["lib/c.pyc", "build/d.pyo"]) {
        desk.wrote(path, "planted");
    }
    let harvest = desk.harvest();
    assert!(harvest.adds.is_empty() && harvest.products.is_empty(), "{harvest:?}");
    assert_eq!(paths(&harvest.waits), ["build/d.pyo", "lib/c.pyc"]);
    assert_eq!(harvest.left_out, ["__pycache__ (Python makes it anew)"]);
    // Nor where a folder says that it can be made again.
    desk.wrote("target/a.pyc", "planted");
    desk.wrote("target/__pycache__/b.pyc", "planted");
    desk.wrote("target/c", "x");
    let merged = caches::merge(&desk.upper("target"), &desk.work.join("target"), desk.layer.since).unwrap();
    assert_eq!((merged.entries, merged.obeyed.len()), (1, 2));
    assert!(!desk.work.join("target/a.pyc").exists() && !desk.work.join("target/__pycache__").exists());
}
