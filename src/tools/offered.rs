//! The files of a workspace that the composer offers after an `@`: what `.gitignore` and the sensitive list leave.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::Workbench;
use super::walk::{Leash, Scope};
use crate::domain::{Facts, Place};

/// Most files that are offered.
const MOST: usize = 20_000;
/// How long the search may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The paths of files within the workspace, in order, as far as they were found in time. Blocks.
#[must_use]
pub fn offered(bench: &Workbench) -> Vec<String> {
    let workspace = bench.workspace.clone();
    let place = Place { cwd: workspace.clone(), workspace, home: bench.home.clone() };
    let facts = Facts { place, ..Facts::default() };
    let leash = Leash { cancel: CancellationToken::new(), deadline: Instant::now() + PATIENCE };
    let mut files = Vec::new();
    let Ok(scope) = Scope::of(None, &facts, bench.settings.sensitive.clone()) else { return files };
    let walked = scope.walk(&leash, |entry, scope| {
        let path = scope.inner(entry.path()).to_str();
        if let Some(path) = path
            .filter(|path| entry.file_type().is_some_and(|kind| kind.is_file()) && !path.chars().any(char::is_control))
        {
            files.push(path.to_owned());
        }
        Ok(files.len() < MOST)
    });
    if let Err(halt) = walked {
        tracing::info!("not every file is offered: {halt:?}");
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_or_sensitive_is_not_offered() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in
            [(".gitignore", "target\n"), ("src/a b.rs", ""), (".env", "KEY=1"), ("id_rsa", ""), ("target/x", "")]
        {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(offered(&Workbench::new(folder.path().to_owned(), None, "/".into())), [".gitignore", "src/a b.rs"]);
    }
}
