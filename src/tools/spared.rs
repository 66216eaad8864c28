//! What searches such as `rg` and `fd` leave out by themselves: hidden names, and of folders that hold other people's code
//! or build products those that git ignores. What the rules admit again, they come to.

use std::path::Path;

use super::ignored::Ignored;
use crate::private::{self, SMALL};

/// Folders of other people's code and of build products, which git ignores in most places.
const PASSED: [&str; 6] = ["node_modules", "target", "venv", "vendor", "dist", "build"];
/// Files by which a search alone leaves names out, or admits them.
const OWN: [&str; 3] = [".rgignore", ".fdignore", ".agignore"];

/// What is left out below a folder.
#[derive(Debug)]
pub(super) struct Spared {
    rules: Ignored,
    /// Whether a search's own file admits something: it may be anything.
    admits: bool,
}

impl Spared {
    pub(super) fn below(root: &Path) -> Self {
        let own = |up: &Path| OWN.iter().any(|name| admits(&up.join(name)));
        Self { rules: Ignored::by_searches(), admits: root.ancestors().skip(1).any(own) }
    }

    /// Whether a search that leaves out what it can comes to a name in a folder that it comes to.
    pub(super) fn come_to(&mut self, path: &Path, name: &str, folder: bool) -> bool {
        self.admits |= OWN.contains(&name) && admits(path);
        if name.starts_with('.') {
            return self.rules.admit(path, folder);
        }
        // Outside of a repository nobody asks git.
        let repository = || path.ancestors().any(|up| up.join(".git").symlink_metadata().is_ok());
        !(folder && PASSED.contains(&name) && repository() && self.rules.name(path, true))
    }

    /// Whether something that would be left out may be admitted.
    pub(super) fn may_admit(&self) -> bool {
        self.admits
    }
}

/// Whether a file of rules has one that admits something.
fn admits(file: &Path) -> bool {
    // One that can't be read may have any.
    file.symlink_metadata().is_ok()
        && private::read(file, SMALL).map_or(true, |rules| {
            String::from_utf8_lossy(&rules).lines().any(|line| line.trim_start_matches('\u{feff}').starts_with('!'))
        })
}
