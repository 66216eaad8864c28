//! Containment for commands: which run gets which walls, and what is sensitive to it. The walls are `contain`'s.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Workbench;
use crate::contain::{Layers, Plan, Reader, Sort};
use crate::domain::{Containment, Countersigned, Need, Place};

/// How a run is contained.
#[derive(Debug)]
pub(super) enum Contained {
    /// By these walls.
    By(Box<Plan>),
    /// It was promised none.
    Unasked,
    /// By none, though it would be where that can be done. In one sentence.
    Cannot(String),
}

impl Contained {
    /// The walls, if there are any.
    pub(super) fn plan(&self) -> Option<&Plan> {
        match self {
            Self::By(plan) => Some(plan),
            Self::Unasked | Self::Cannot(_) => None,
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
        Containment::Staged | Containment::None => return Contained::Unasked,
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

/// The plan of a reader in a folder of the workspace.
fn read_only(bench: &Workbench, layers: Layers, needs: &BTreeSet<Need>, cwd: &Path) -> Result<Plan, String> {
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
    bench.walls.read_only(layers, reader)
}
