//! The walls of this machine, as a session holds them: proved once, off the loop, and asked for before every start.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tokio::sync::Mutex;

use super::plan::{Layers, Plan, Surroundings};
use super::proof::{self, Proof};
use super::survey::{Judge, Survey};
use crate::domain::Need;

/// What a machine has to contain commands with.
#[derive(Debug, Default)]
pub struct Walls {
    /// Our own binary, and the folder that keeps what was proved; none where nothing is contained.
    tools: Option<(PathBuf, PathBuf)>,
    own: Vec<PathBuf>,
    runtime: Option<PathBuf>,
    proof: Mutex<Option<Proof>>,
    survey: Survey,
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
    /// What is sensitive.
    pub judge: Judge<'a>,
}

impl Walls {
    /// Walls that our binary `launcher` puts up. What is proved is kept in `state`; `own` are the program's files and
    /// folders, `runtime` is the person's runtime folder.
    #[must_use]
    pub fn new(launcher: PathBuf, state: PathBuf, own: Vec<PathBuf>, runtime: Option<PathBuf>) -> Self {
        Self { tools: Some((launcher, state)), own, runtime, ..Self::default() }
    }

    /// Whether a path is one of the program's own, lies in one or holds one.
    #[must_use]
    pub fn own(&self, path: &Path) -> bool {
        let touches = |own: &Path| path.starts_with(own) || own.starts_with(path);
        self.own.iter().any(|own| touches(own) || own.canonicalize().is_ok_and(|own| touches(&own)))
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
    }

    /// The plan of a reader behind walls of these layers. Looks at the disk.
    ///
    /// # Errors
    /// One sentence: why it can't be contained.
    pub fn read_only(&self, layers: Layers, reader: Reader<'_>) -> Result<Plan, String> {
        if reader.needs.contains(&Need::Processes) && !layers.landlock {
            return Err("without Landlock it would see into other processes".to_owned());
        }
        let secrets =
            self.survey.find(reader.workspace, reader.folders, reader.judge).map_err(|error| error.to_string())?;
        let surroundings = Surroundings {
            workspace: reader.workspace.to_path_buf(),
            home: reader.home.map(Path::to_path_buf),
            own: self.own.clone(),
            runtime: self.runtime.clone(),
            kept: Vec::new(),
        };
        Ok(surroundings.read_only(layers, &secrets, reader.needs, reader.cwd))
    }
}
