//! Files of several names. What a file is called says nothing of what it holds where a sensitive file is the same one:
//! a command can't read it behind its walls, and what reads without walls leaves it out.

use std::fs::Metadata;
use std::sync::{Arc, OnceLock};

use super::{Workbench, contained};
use crate::contain::{Linked, other_names};
use crate::domain::Decider;

/// The sensitive files by what they are on their disks. Looked for when the first file of several names comes by: few
/// searches meet one.
#[derive(Debug)]
pub(super) struct Names {
    bench: Arc<Workbench>,
    secrets: OnceLock<Linked>,
}

impl Names {
    /// Of what is sensitive to a workbench, unless the person decided about this very operation, or lets everything run.
    pub(super) fn unless_asked(bench: &Arc<Workbench>, decider: &Decider) -> Option<Self> {
        let asked = matches!(decider, Decider::Person | Decider::PersonAll | Decider::AllowAll);
        (!asked).then(|| Self { bench: Arc::clone(bench), secrets: OnceLock::new() })
    }

    /// Whether a file has a sensitive name, too, in the workspace or in the person's folders. Looks at the disk.
    pub(super) fn hide(&self, about: &Metadata) -> bool {
        other_names(about) && self.secrets.get_or_init(|| Linked::of(&contained::hidden(&self.bench))).holds(about)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_secret_is_one_under_every_name() {
        let kept = tempfile::tempdir().unwrap();
        let root = kept.path().canonicalize().unwrap();
        let (work, home) = (root.join("work"), root.join("home"));
        for (folder, name) in [(&work, ".env"), (&work, "plain"), (&home.join(".ssh"), "id_ed25519")] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(name), "x").unwrap();
        }
        let bench = Arc::new(Workbench::new(work.clone(), Some(home.clone()), root.join("none")));
        assert!(Names::unless_asked(&bench, &Decider::Person).is_none());
        let names = || Names::unless_asked(&bench, &Decider::Rule).unwrap();
        let hidden = |name: &str| names().hide(&fs::symlink_metadata(work.join(name)).unwrap());
        assert!(!hidden(".env"), "its name says it");
        for (of, name) in [(work.join(".env"), "a"), (home.join(".ssh/id_ed25519"), "b"), (work.join("plain"), "c")] {
            fs::hard_link(of, work.join(name)).unwrap();
        }
        assert!(hidden("a") && hidden("b") && hidden(".env"));
        assert!(!hidden("c") && !hidden("plain"));
    }
}
