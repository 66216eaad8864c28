//! Containment for commands: which run gets which walls, and what is sensitive to it. The walls are `contain`'s.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Workbench;
use super::children;
use super::environment::Asked;
use crate::contain::{Answer, Layers, Plan, Reader, Sort};
use crate::domain::{Containment, Countersigned, Need, Place};
use crate::store::Layer;

/// How a run is contained.
#[derive(Debug)]
pub(super) enum Contained {
    /// By these walls.
    By(Box<Plan>),
    /// It was promised none.
    Unasked,
    /// By none, though it would be where that can be done. In one sentence.
    Cannot(String),
    /// By these walls, and what it changes in its workspace lands in a layer.
    Staged(Box<Plan>, Layer),
    /// It runs only in a layer, which can't be had. Without the end of a sentence.
    Refused(String),
}

impl Contained {
    /// The walls, if there are any.
    pub(super) fn plan(&self) -> Option<&Plan> {
        match self {
            Self::By(plan) | Self::Staged(plan, _) => Some(plan),
            Self::Unasked | Self::Cannot(_) | Self::Refused(_) => None,
        }
    }

    /// Where what it changes in its workspace lands.
    pub(super) fn upper(&self) -> Option<PathBuf> {
        match self {
            Self::Staged(_, layer) => Some(layer.upper()),
            Self::By(_) | Self::Unasked | Self::Cannot(_) | Self::Refused(_) => None,
        }
    }
}

/// Needs with the places of this person's sockets, where the table has `$HOME` and the like.
fn located(needs: &BTreeSet<Need>, home: Option<&Path>) -> BTreeSet<Need> {
    let user = nix::unistd::getuid().to_string();
    let place = |path: &Path| {
        let text = path.to_str()?.replace("$UID", &user);
        let Some(rest) = text.strip_prefix('$') else { return Some(PathBuf::from(text)) };
        let (name, rest) = rest.split_once('/')?;
        let folder = if name == "HOME" { home?.to_path_buf() } else { std::env::var_os(name)?.into() };
        Some(folder.join(rest))
    };
    let located = |need: &Need| match need {
        Need::Socket(path) => place(path).map(Need::Socket),
        Need::Network | Need::Processes | Need::Interfaces => Some(need.clone()),
    };
    needs.iter().filter_map(located).collect()
}

/// Looks for sensitive files once, so that the first command doesn't wait for it.
pub async fn look_around(bench: Arc<Workbench>) {
    let _known = tokio::task::spawn_blocking(move || {
        let cwd = bench.workspace.clone();
        read_only(&bench, Layers::default(), &BTreeSet::new(), &cwd).map(drop)
    })
    .await;
}

/// The containment of a run that was countersigned.
pub(super) async fn plan(bench: &Arc<Workbench>, run: &Countersigned) -> Contained {
    match run.containment() {
        Containment::ReadOnly => {}
        Containment::Staged => {
            return match staged(bench, &run.operation().cwd).await {
                Ok((plan, layer)) => Contained::Staged(Box::new(plan), layer),
                Err(why) => Contained::Refused(why),
            };
        }
        Containment::None => return Contained::Unasked,
    }
    let needs = located(&run.prepared().assessment.needs, bench.home.as_deref());
    reader(bench, &run.operation().cwd, needs).await
}

/// The containment of a reader that starts in a folder.
pub(super) async fn reader(bench: &Arc<Workbench>, cwd: &Path, needs: BTreeSet<Need>) -> Contained {
    let proof = bench.walls.proof().await;
    let Some(layers) = proof.layers else {
        return Contained::Cannot("this system has no walls that hold".to_owned());
    };
    let (bench, cwd) = (Arc::clone(bench), cwd.to_path_buf());
    let planned = tokio::task::spawn_blocking(move || read_only(&bench, layers, &needs, &cwd));
    match planned.await {
        Ok(Ok(plan)) => Contained::By(Box::new(plan)),
        Ok(Err(why)) => Contained::Cannot(why),
        Err(_) => Contained::Cannot("its walls couldn't be planned".to_owned()),
    }
}

/// The walls of a staged run, and its layer.
async fn staged(bench: &Arc<Workbench>, cwd: &Path) -> Result<(Plan, Layer), String> {
    let proof = bench.walls.proof().await;
    proof.staged.clone()?;
    let layers = proof.layers.ok_or("this system has no walls that hold")?;
    let (bench, cwd) = (Arc::clone(bench), cwd.to_path_buf());
    let planned = tokio::task::spawn_blocking(move || {
        let layer = bench
            .layers
            .begin(&bench.workspace)
            .map_err(|error| format!("there is no place for its layer: {error}"))?;
        let folder = layer.folder.canonicalize().map_err(|error| format!("its layer is gone: {error}"))?;
        let plan = with_reader(&bench, &BTreeSet::new(), &cwd, |reader| bench.walls.staged(layers, reader, folder))?;
        Ok((plan, layer))
    });
    planned.await.unwrap_or_else(|_| Err("its layer couldn't be planned".to_owned()))
}

/// Whether a layer holds over this very workspace. Found out once, by a run of nothing.
///
/// # Errors
/// Why not, without the end of a sentence.
pub async fn stages(bench: &Arc<Workbench>) -> Result<(), String> {
    if let Some(known) = bench.walls.stages(&bench.workspace) {
        return known;
    }
    let stages = tried(bench).await;
    if let Err(why) = &stages {
        tracing::info!("nothing runs staged in {}: {why}", bench.workspace.display());
    }
    bench.walls.note_stages(&bench.workspace, stages.clone());
    stages
}

async fn tried(bench: &Arc<Workbench>) -> Result<(), String> {
    let (plan, _layer) = staged(bench, &bench.workspace).await?;
    let bash = children::bash().ok_or("there is no bash")?;
    let told = |error: std::io::Error| error.to_string();
    let arguments = ["--noprofile", "--norc", "-c", ":"];
    let (mut child, _pipes) =
        children::start(bench, Asked::No, &bench.workspace, &bash, &arguments, Some(&plan)).map_err(told)?;
    let status = child.wait().await.map_err(told)?;
    child.clear_up().await;
    match child.answer() {
        Some(Answer::Up) if status.success() => Ok(()),
        Some(Answer::Failed(why)) => Err(why),
        Some(Answer::Up | Answer::Silent) | None => Err("nothing could be run there".to_owned()),
    }
}

/// The plan of a reader in a folder of the workspace.
fn read_only(bench: &Workbench, layers: Layers, needs: &BTreeSet<Need>, cwd: &Path) -> Result<Plan, String> {
    with_reader(bench, needs, cwd, |reader| bench.walls.read_only(layers, reader))
}

/// Plans for a command in a folder of the workspace.
fn with_reader<T>(bench: &Workbench, needs: &BTreeSet<Need>, cwd: &Path, plan: impl FnOnce(Reader<'_>) -> T) -> T {
    let place = Place { cwd: cwd.to_path_buf(), workspace: bench.workspace.clone(), home: bench.home.clone() };
    let sensitive = &bench.settings.sensitive;
    let judge = |path: &Path, sort| sensitive.means(&path.to_string_lossy(), sort == Sort::Folder, &place);
    let folders: BTreeSet<PathBuf> =
        sensitive.folders(&place).iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let reader = Reader {
        workspace: &bench.workspace,
        cwd,
        home: bench.home.as_deref(),
        needs,
        folders: &folders,
        judge: &judge,
    };
    plan(reader)
}
