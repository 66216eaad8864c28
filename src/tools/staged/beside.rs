//! Whether something new would be loaded in place of something that was there. A loader that is asked for a name without
//! its ending takes what it finds first: the file `util` for `util.js`, `helper/__init__.py` for `helper.py`, `a.o` for
//! `a.c`. Endings that no loader confuses (`a.c` and `a.h`, `foo.py` and `foo.md`) and other names (`foo_test.go`,
//! `foo.test.js`) are none of its business. Which of two comes first isn't asked: it differs by version and settings.

use std::path::Path;

/// What one loader takes for the same name.
struct Loader {
    /// Endings of code.
    code: &'static [&'static str],
    /// Endings of what else it finds by that name: a person's, of which the new file would take the place.
    other: &'static [&'static str],
    /// Whether a folder, a link to one or a file without an ending is found by that name, too.
    bare: bool,
}

const PYTHON: Loader = Loader { code: &["py", "pyc", "pyo", "pyw", "so", "pyd"], other: &[], bare: true };
const LOADERS: [Loader; 8] = [
    PYTHON,
    // Node and bundlers. What TypeScript compiles to lies beside it, and is found first.
    Loader {
        code: &["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx", "node", "wasm", "coffee"],
        other: &["json", "vue"],
        bare: true,
    },
    Loader { code: &["lua", "luac", "so"], other: &[], bare: true },
    Loader { code: &["rb", "so"], other: &[], bare: false },
    // Perl
    Loader { code: &["pm", "pmc"], other: &[], bare: false },
    // Emacs
    Loader { code: &["el", "elc", "eln", "el.gz"], other: &[], bare: false },
    Loader { code: &["java", "class"], other: &[], bare: false },
    // `make` builds a program of what it finds first, and links an object that is newer than its source.
    Loader {
        code: &["o", "obj", "lo", "c", "cc", "C", "cpp", "cxx", "m", "mm", "s", "S", "f", "F", "f90", "y", "l", "d"],
        other: &[],
        bare: false,
    },
];

/// Whether a loader may take a new file for something that `stood` there before.
pub(super) fn displaces(path: &Path, folder: bool, stood: impl Fn(&Path) -> bool) -> bool {
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let (last, within) = (name(path), path.parent().unwrap_or(Path::new("")));
    // A folder takes nothing's place before there is something in it.
    if folder || last.is_empty() {
        return false;
    }
    let around = within.parent().filter(|_| last.starts_with("__init__."));
    around.is_some_and(|around| finds(around, &name(within), PYTHON.code, &last, &stood))
        || LOADERS.iter().any(|loader| match loader.stem(&last) {
            Some(stem) => {
                let bare = loader.bare && stood(&within.join(stem));
                bare || [loader.code, loader.other].iter().any(|all| finds(within, stem, all, &last, &stood))
            }
            None => loader.bare && finds(within, &last, loader.code, &last, &stood),
        })
}

impl Loader {
    /// The name by which it finds a file of code. Python writes for which version a library is between name and ending.
    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        let ended = |ending: &&str| name.strip_suffix(*ending)?.strip_suffix('.').filter(|stem| !stem.is_empty());
        let stem = self.code.iter().find_map(ended)?;
        let library = self.bare && [".so", ".pyd"].iter().any(|ending| name.ends_with(ending));
        Some(if library { stem.split('.').next().unwrap_or(stem) } else { stem })
    }
}

/// Whether something else that is called so, with one of these endings, stood in a folder.
fn finds(folder: &Path, stem: &str, endings: &[&str], but: &str, stood: impl Fn(&Path) -> bool) -> bool {
    endings.iter().map(|ending| format!("{stem}.{ending}")).any(|other| other != but && stood(&folder.join(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const THERE: [&str; 16] = [
        "helper.py",
        "util.js",
        "config.json",
        "View.vue",
        "pack",
        "a.c",
        "a.h",
        "b.rb",
        "Main.java",
        "theme.ts",
        "x.js",
        "foo.go",
        "lib.rs",
        "init.el",
        "sub/mod.py",
        "report.txt",
    ];

    fn takes(path: &str, folder: bool) -> bool {
        displaces(Path::new(path), folder, |place| THERE.iter().any(|there| Path::new(there) == place))
    }

    #[test]
    fn what_a_loader_would_take_for_something_else_is_known() {
        for path in [
            "helper/__init__.py",
            "helper.cpython-311-x86_64-linux-gnu.so",
            "helper.abi3.so",
            "helper.pyc",
            "helper",
            "util",
            "util.ts",
            "util.mjs",
            "config.js",
            "View.ts",
            "pack.py",
            "pack.js",
            "a.o",
            "a.cpp",
            "b.so",
            "Main.class",
            "theme.js",
            "x.node",
            "init.elc",
            "sub/mod/__init__.py",
            "sub/mod.so",
        ] {
            assert!(takes(path, false), "{path}");
        }
    }

    #[test]
    fn what_no_loader_confuses_is_not() {
        for path in [
            "helper.md",
            "helper_test.py",
            "helper.pyi",
            "util.test.js",
            "util.d.ts",
            "util.css",
            "util.js.map",
            "util.json",
            "config",
            "config.yaml",
            "foo_test.go",
            "foo.md",
            "lib/mod.rs",
            "a.txt",
            "a",
            "theme.css",
            "x.test.js",
            "helper/notes.py",
            "sub/helper.py",
            "report",
            "new.py",
            "",
        ] {
            assert!(!takes(path, false), "{path}");
        }
        assert!(!takes("helper", true) && !takes("util", true));
    }
}
