//! `trusted.toml`: settings of workspaces that the person trusts, each by the digest of its content. A changed file is a
//! stranger again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{MemoryError, file};
use crate::private::Touched;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Page {
    /// Digests by the file's path.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// The files that are trusted.
#[derive(Clone, Debug)]
pub struct Trusted {
    path: PathBuf,
}

impl Trusted {
    /// Those of a data folder.
    #[must_use]
    pub fn at(data: &Path) -> Self {
        Self { path: data.join("trusted.toml") }
    }

    /// What a content is known by.
    #[must_use]
    pub fn digest(content: &str) -> String {
        format!("{:x}", Sha256::digest(content.as_bytes()))
    }

    /// Whether a file is trusted with this content, and whether it was with another one.
    #[must_use]
    pub fn knows(&self, path: &Path, content: &str) -> (bool, bool) {
        let data = self.path.parent().unwrap_or(Path::new("."));
        if Touched::at(data).why_not(&self.path).is_some() {
            return (false, true);
        }
        let page = file::read(&self.path).ok().and_then(|text| toml::from_str::<Page>(&text).ok());
        let known = page.and_then(|page| page.files.get(&path.to_string_lossy().into_owned()).cloned());
        match known {
            Some(digest) if digest == Self::digest(content) => (true, false),
            Some(_) => (false, true),
            None => (false, false),
        }
    }

    /// Trusts a file with this content; with none, no longer.
    ///
    /// # Errors
    /// The file of digests can't be written.
    pub fn set(&self, path: &Path, content: Option<&str>) -> Result<(), MemoryError> {
        file::change(&self.path, |text| {
            let mut page: Page = toml::from_str(text).unwrap_or_default();
            let name = path.to_string_lossy().into_owned();
            match content {
                Some(content) => page.files.insert(name, Self::digest(content)),
                None => page.files.remove(&name),
            };
            let text = toml::to_string(&page).map_err(|error| MemoryError::Broken(error.to_string()))?;
            Ok((text, ()))
        })
    }
}
