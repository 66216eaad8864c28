//! The walls of this machine, as a session holds them: proved once, off the loop, and asked for before every start.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use tokio::sync::Mutex;

use super::layer::{Layer, stageable};
use super::leads::Leads;
use super::plan::{Hidden, Layers, Plan, Surroundings};
use super::proof::{self, Proof};
use super::survey::{Judge, Survey};
use crate::domain::Need;

/// What a machine has to contain commands with.
#[derive(Debug, Default)]
pub struct Walls {
    /// Our own binary, and the folder that keeps what was proved; none where nothing is contained.
    tools: Option<(PathBuf, PathBuf)>,
    own: Vec<PathBuf>,
    /// What lies in them and may be written.
    spared: Option<PathBuf>,
    runtime: Option<PathBuf>,
    proof: Mutex<Option<Proof>>,
    survey: Survey,
    leads: Leads,
    /// By workspace: whether a layer holds over it, as far as that was tried, or why not.
    stages: std::sync::Mutex<BTreeMap<PathBuf, Result<(), String>>>,
}

/// One command that is to be contained.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// Root of its workspace.
    pub workspace: &'a Path,
    /// The folder it starts in.
    pub cwd: &'a Path,
    /// The person's home folder.
    pub home: Option<&'a Path>,
    /// The ways out that it needs.
    pub needs: &'a BTreeSet<Need>,
    /// Folders outside the workspace in which sensitive files may lie.
    pub folders: &'a BTreeSet<PathBuf>,
    /// Folders outside the workspace that it was told to look into, whatever lies below: without links in them.
    pub named: &'a BTreeSet<PathBuf>,
    /// What it was told to look at in folders for temporary files, which are empty otherwise: without links in them.
    pub kept: &'a BTreeSet<PathBuf>,
    /// What is sensitive.
    pub judge: Judge<'a>,
    /// Files that are read with masks in the place of their secrets.
    pub masked: &'a [Hidden],
    /// What git is told of committed files that are sensitive, in lines of a file of attributes.
    pub attributes: &'a str,
}

impl Walls {
    /// Walls that our binary `launcher` puts up. What is proved is kept in `state`; `own` are the program's files and
    /// folders, `runtime` is the person's runtime folder.
    #[must_use]
    pub fn new(launcher: PathBuf, state: PathBuf, own: Vec<PathBuf>, runtime: Option<PathBuf>) -> Self {
        Self { tools: Some((launcher, state)), own, runtime, ..Self::default() }
    }

    /// The same, but for a folder among the program's own that tools may write to.
    #[must_use]
    pub fn sparing(self, folder: PathBuf) -> Self {
        Self { spared: Some(folder), ..self }
    }

    /// Whether a real path is one of the program's own, lies in one or holds one.
    #[must_use]
    pub fn own(&self, path: &Path) -> bool {
        let is =
            |own: &PathBuf, test: &dyn Fn(&Path) -> bool| test(own) || own.canonicalize().is_ok_and(|own| test(&own));
        if self.spared.as_ref().is_some_and(|spared| is(spared, &|spared| path.starts_with(spared))) {
            return false;
        }
        self.own.iter().any(|own| is(own, &|own| path.starts_with(own) || own.starts_with(path)))
    }

    /// Where paths lead after links, those that lead somewhere.
    pub fn real(&self, paths: &[PathBuf]) -> BTreeSet<PathBuf> {
        self.leads.real(paths).into_iter().collect()
    }

    /// What is proved. The first call finds it out, and every other one waits for it.
    pub async fn proof(&self) -> Proof {
        let mut proof = self.proof.lock().await;
        if let Some(proof) = &*proof {
            return proof.clone();
        }
        let found = match self.tools.clone() {
            None => Proof::nothing("containment is switched off".to_owned()),
            Some((launcher, state)) => {
                let find = move || proof::kept(&launcher, &state).unwrap_or_else(|| proof::prove(&launcher, &state));
                let failed = |_| Proof::nothing("the test of the walls failed; the log has more".to_owned());
                tokio::task::spawn_blocking(find).await.unwrap_or_else(failed)
            }
        };
        proof.insert(found).clone()
    }

    /// Forgets what was proved: walls that should have been there were not. The next command waits for a new proof.
    pub async fn distrust(&self) {
        if let Some((_, state)) = &self.tools {
            proof::forget(state);
        }
        *self.proof.lock().await = None;
        self.stages.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether a layer holds over a workspace, or why not. None if that was not tried.
    #[must_use]
    pub fn stages(&self, workspace: &Path) -> Option<Result<(), String>> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner).get(workspace).cloned()
    }

    /// It was tried whether a layer holds over a workspace.
    pub fn note_stages(&self, workspace: &Path, holds: Result<(), String>) {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner).insert(workspace.to_path_buf(), holds);
    }

    /// The plan of a command whose changes of the workspace land in a layer: the walls of a reader that needs no way
    /// out, and the layer. Looks at the disk.
    ///
    /// # Errors
    /// One sentence without its end: why it can't be staged.
    pub fn staged(&self, layers: Layers, reader: Reader<'_>, layer: Layer) -> Result<Plan, String> {
        if !layers.namespaces {
            return Err("this system has no namespaces for a layer".to_owned());
        }
        stageable(&layer.workspace, reader.home, &self.own)?;
        let plan = self.read_only(layers, Reader { needs: &BTreeSet::new(), ..reader })?;
        if let Some(missed) = plan.missed {
            return Err(missed.to_string());
        }
        Ok(Plan { layer: Some(layer), ..plan })
    }

    /// The plan of a reader behind walls of these layers. Looks at the disk.
    ///
    /// # Errors
    /// One sentence: why it can't be contained.
    pub fn read_only(&self, layers: Layers, reader: Reader<'_>) -> Result<Plan, String> {
        if reader.needs.contains(&Need::Processes) && !layers.landlock {
            return Err("without Landlock it would see into other processes".to_owned());
        }
        let found = self.survey.find(reader.workspace, reader.named, reader.folders, reader.judge);
        let surroundings = Surroundings {
            workspace: reader.workspace.to_path_buf(),
            home: reader.home.map(Path::to_path_buf),
            own: self.own.clone(),
            runtime: self.runtime.clone(),
            kept: reader.kept.iter().cloned().collect(),
        };
        let mut plan = surroundings.read_only(layers, &found.paths, reader.needs, reader.cwd);
        plan.hidden.extend(reader.masked.iter().cloned());
        reader.attributes.clone_into(&mut plan.attributes);
        Ok(Plan { missed: found.missed, repositories: found.repositories, ..plan })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_places_are_its_own_wherever_the_workspace_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (data, link) = (root.join("data"), root.join("link"));
        std::fs::create_dir_all(data.join("practice")).unwrap();
        std::os::unix::fs::symlink(&data, &link).unwrap();
        let own = vec![root.join("config.toml"), link.clone()];
        let walls = Walls::new(root.join("x"), data.clone(), own, None).sparing(link.join("practice"));
        for path in [&root, &data, &data.join("journal.sqlite"), &link.join("images/a"), &root.join("config.toml")] {
            assert!(walls.own(path), "{}", path.display());
        }
        for path in [&root.join("work/a"), &data.join("practice/shop.db"), &root.join("config.toml.txt")] {
            assert!(!walls.own(path), "{}", path.display());
        }
    }
}
