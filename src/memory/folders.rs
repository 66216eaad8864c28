//! `workspaces.toml`: the folders that the person said yes to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{MemoryError, file};

#[derive(Debug, Default, Serialize, Deserialize)]
struct Page {
    #[serde(default)]
    folders: BTreeSet<PathBuf>,
}

/// The folders that are known.
#[derive(Clone, Debug)]
pub struct Workspaces {
    path: PathBuf,
}

impl Workspaces {
    /// Those of a data folder.
    #[must_use]
    pub fn at(data: &Path) -> Self {
        Self { path: data.join("workspaces.toml") }
    }

    /// Whether the person said yes to a folder, by its real path. What can't be read knows none.
    #[must_use]
    pub fn knows(&self, folder: &Path) -> bool {
        let page = file::read(&self.path).ok().and_then(|text| toml::from_str::<Page>(&text).ok());
        page.is_some_and(|page| page.folders.contains(folder))
    }

    /// The person said yes to a folder.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn add(&self, folder: &Path) -> Result<(), MemoryError> {
        file::change(&self.path, |text| {
            let mut page: Page = toml::from_str(text).unwrap_or_default();
            page.folders.insert(folder.to_path_buf());
            let text = toml::to_string(&page).map_err(|error| MemoryError::Broken(error.to_string()))?;
            Ok((text, ()))
        })
    }
}
