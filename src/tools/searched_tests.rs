//! Tests of searches for lines, on real folders: to which files below a folder each comes, by its flags and by the rules that
//! say what searches leave out. Where it comes to a sensitive one, only walls let it run.

use super::loops_tests::{judged, put, world};
use crate::domain::Class;

/// Whether a search asks in a folder with some names where no walls are.
fn asks(command: &str, names: &[&str]) -> bool {
    let (_kept, workspace) = world(names);
    let found = judged(command, &workspace);
    assert_eq!(found.class(), Class::Whitelisted, "behind walls: {command}: {:?}", found.findings);
    found.searched.is_some_and(|why| why.contains("is sensitive"))
}

#[test]
fn a_search_that_is_not_limited_comes_to_hidden_files() {
    for command in [
        "grep -r -e SECRET .",
        "grep -re SECRET",
        "grep -r --regexp=SECRET .",
        "grep -rh '' --include='*.json' --include='*' .",
        "grep -rh '' --exclude=x --include='*.rs' .",
        "rg -uu SECRET -g '*.md' -g '*'",
        "rg -uu SECRET --type-add 'web:*.{html,css}'",
        "rg SECRET -g '*'",
        "rg -uun SECRET",
        "rg -u SECRET",
        "rg -g '*.rs' -g '{*,a/bcd}' SECRET",
        "rg '' --type-add 'x:*' -t x",
        "rg --unrestricted --unrestricted SECRET",
        "rg -t all SECRET",
        "git grep --untracked --no-exclude-standard SECRET",
        "git grep --untracked K",
        "ugrep -rn SECRET",
        "ugrep -g '*.rs,*' SECRET",
        "ugrep -g '^abc*' SECRET",
        "pt -U SECRET",
        "difft . src",
    ] {
        assert!(asks(command, &["a.txt", "src/b.rs", ".env"]), "{command}");
        assert!(!asks(command, &["a.txt", "src/b.rs", ".gitignore"]), "{command}");
    }
    assert!(!asks("git grep TODO", &["a.txt", ".env"]));
}

#[test]
fn a_search_of_some_names_comes_to_the_sensitive_ones_among_them() {
    for command in [
        "grep -rh '' --include='*.json' .",
        "grep -rh '' --include='*.{json,md}' .",
        "cd src && grep -rh '' --include='*.json' ..",
        "grep -rh '' --include='*.json' s*",
        "rg -g '*.json' ''",
        "rg -g '*.json' '' src",
    ] {
        assert!(asks(command, &["a.txt", "src/secrets.json"]), "{command}");
        assert!(!asks(command, &["a.txt", "src/package.json", "src/a/x.md"]), "{command}");
    }
}

#[test]
fn folders_of_other_peoples_code_are_left_out_where_git_ignores_them() {
    for command in ["rg KEY", "rg --no-ignore KEY", "ugrep -rn KEY", "rg -t rust --no-ignore KEY -g '*'", "codespell"] {
        assert!(asks(command, &["a.txt", "vendor/x/server.key"]), "{command}");
    }
    let (_kept, workspace) = world(&["a.txt", "src/b.rs", ".env", "node_modules/x/key.pem", ".git/HEAD"]);
    put(&workspace, ".gitignore", "node_modules\n.env\n");
    for command in [
        "grep -rn TODO src --include='*.rs'",
        "grep -rn TODO . --include='*.rs'",
        "grep -rn --exclude-dir=node_modules --include='*.rs' TODO .",
        "rg TODO",
        "rg -n TODO src",
        "rg -g '*.rs' TODO",
        "rg -g '*.{rs,md}' TODO",
        "rg -g '!*.md' TODO",
        "rg -t rust TODO",
        "rg TODO -tpy -trust",
        "ag TODO",
    ] {
        let found = judged(command, &workspace);
        assert_eq!((found.class(), found.searched), (Class::Whitelisted, None), "{command}");
    }
    for command in ["rg -g '*' TODO", "rg --no-ignore TODO", "rg -u TODO", "ugrep TODO", "codespell"] {
        assert!(judged(command, &workspace).searched.is_some(), "{command}");
    }
    for command in ["rg --files | xargs cat", "fd -t f | xargs cat"] {
        assert!(judged(command, &workspace).walled.is_none(), "{command}");
    }
    for command in [
        "rg --files -g '*.md' -g '*' | xargs cat",
        "rg --files -g '*' | xargs cat",
        "rg --files --hidden -g '*.md' -g '*' | xargs cat",
        "grep -rl '' --include='*.md' --include='*' . | xargs cat",
        "rg --files --no-ignore | xargs cat",
        "fd -I -t f | xargs cat",
    ] {
        assert!(judged(command, &workspace).walled.is_some(), "{command}");
    }
    let json = "rg --files -g '*.json' | xargs cat";
    assert!(judged(json, &workspace).walled.is_none());
    put(&workspace, "src/secrets.json", "x");
    assert!(judged(json, &workspace).walled.is_some());
}
