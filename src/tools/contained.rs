//! Containment for commands: which run gets which walls, and what is sensitive to it. The walls are `contain`'s.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Workbench;
use super::environment::Asked;
use super::proxy::{Closed, Hosts, Proxy};
use super::{children, repository};
use crate::assess::{Known, conceal_text};
use crate::contain::{self, Answer, Cover, DOOR, Door, Hidden, Layers, Plan, Reader, Sort, TEMPORARY, system};
use crate::domain::{Assessment, Containment, Countersigned, Facts, Need, PathKind, Place};
use crate::private;
use crate::store::Layer;

/// Most files and folders that stay in sight among temporary ones.
const KEPT: usize = 64;

/// Most folders of git that are emptied, each of them a mount.
const REPOSITORIES: usize = 64;

/// How a run is contained.
#[derive(Debug)]
pub(super) enum Contained {
    /// By these walls.
    By(Box<Plan>, Way),
    /// It was promised none.
    Unasked,
    /// By none, though it would be where that can be done. In one sentence.
    Cannot(String),
    /// By these walls, and what it changes in its workspace lands in a layer.
    Staged(Box<Plan>, Layer, Way),
    /// It runs only in a layer, or behind walls that hide everything sensitive, which can't be had. Without the end of a
    /// sentence.
    Refused(String),
}

/// The way of a run to other machines, where it has a network of its own.
#[derive(Debug)]
pub(super) enum Way {
    /// There is none.
    None,
    /// There is none, though the person allows hosts. Why, in a sentence without its end.
    Cannot(String),
    /// It leads to a proxy.
    Proxy(Closed),
}

impl Contained {
    /// The walls, if there are any.
    pub(super) fn plan(&self) -> Option<&Plan> {
        match self {
            Self::By(plan, _) | Self::Staged(plan, ..) => Some(plan),
            Self::Unasked | Self::Cannot(_) | Self::Refused(_) => None,
        }
    }

    /// Nothing can come of the run but what it prints: whole walls, no layer and no way out.
    pub(super) fn inert(&self) -> bool {
        let Self::By(plan, _) = self else { return false };
        plan.layers.namespaces && plan.layers.syscalls && plan.needs.is_empty()
    }

    /// What the person is told where it isn't all that was promised.
    pub(super) fn note(&self) -> Option<String> {
        match self {
            Self::Cannot(why) => Some(format!("Not contained: {why}.")),
            Self::By(plan, _) => {
                plan.missed.map(|missed| format!("Contained, but not every secret is hidden: {missed}."))
            }
            Self::Staged(_, _, Way::Proxy(proxy)) => Some(proxy.note()),
            Self::Staged(_, _, Way::Cannot(why)) => Some(format!("It reaches no host of `staged_hosts`: {why}.")),
            Self::Unasked | Self::Staged(_, _, Way::None) | Self::Refused(_) => None,
        }
    }

    /// Opens its proxy, once, if it is to have one.
    pub(super) fn open(&mut self) -> Option<Proxy> {
        let (Self::By(_, way) | Self::Staged(_, _, way)) = self else { return None };
        match std::mem::replace(way, Way::None) {
            Way::Proxy(closed) => Some(closed.open()),
            Way::None | Way::Cannot(_) => None,
        }
    }

    /// Where what it changes in its workspace lands.
    pub(super) fn upper(&self) -> Option<PathBuf> {
        match self {
            Self::Staged(_, layer, _) => Some(layer.upper()),
            Self::By(..) | Self::Unasked | Self::Cannot(_) | Self::Refused(_) => None,
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
        Need::Network | Need::Web | Need::Processes | Need::Interfaces => Some(need.clone()),
    };
    needs.iter().filter_map(located).collect()
}

/// Looks for sensitive files once, so that the first command doesn't wait for it.
pub async fn look_around(bench: Arc<Workbench>) {
    let _known = tokio::task::spawn_blocking(move || {
        let cwd = bench.workspace.clone();
        read_only(&bench, Layers::default(), (&BTreeSet::new(), &Named::default()), &cwd).map(drop)
    })
    .await;
}

/// The containment of a run that was countersigned.
pub(super) async fn plan(bench: &Arc<Workbench>, run: &Countersigned) -> Contained {
    match run.containment() {
        Containment::ReadOnly => {}
        Containment::Staged => {
            let named = Named::of(&run.prepared().facts, &bench.workspace);
            return match staged(bench, &run.operation().cwd, named, &bench.staged_hosts).await {
                Ok((plan, layer, way)) => Contained::Staged(Box::new(plan), layer, way),
                Err(why) => Contained::Refused(format!("it runs staged alone and {why}")),
            };
        }
        Containment::None => return Contained::Unasked,
    }
    let assessment = &run.prepared().assessment;
    let needs = located(&assessment.needs, bench.home.as_deref());
    // What shows nothing that files hold needn't wait until those are found that must not be shown.
    let named = Named::of(&run.prepared().facts, &bench.workspace);
    let named = if assessment.listing { Named { folders: BTreeSet::new(), ..named } } else { named };
    let mut contained = walled(bench, &run.operation().cwd, needs, named).await;
    // What a search finds may be what git keeps of files, sensitive ones among them, which git alone needs.
    if let Contained::By(plan, _) = &mut contained
        && assessment.finds
    {
        empty_repositories(&run.operation().cwd, plan, None);
    }
    let shown = match &contained {
        Contained::By(plan, _) => plan.missed.map(|missed| missed.to_string()),
        Contained::Cannot(why) => Some(why.clone()),
        Contained::Unasked | Contained::Staged(..) | Contained::Refused(_) => None,
    };
    let unheld = match &contained {
        Contained::By(_, Way::Cannot(why)) | Contained::Cannot(why) => Some(why),
        Contained::By(..) | Contained::Unasked | Contained::Staged(..) | Contained::Refused(_) => None,
    };
    if let Some(why) = unheld.filter(|_| assessment.needs.contains(&Need::Web)) {
        return Contained::Refused(format!("it looks at public hosts by a proxy alone and {why}"));
    }
    let bare = matches!(&contained, Contained::Cannot(_));
    let does = match assessment {
        Assessment { walled: Some(_), .. } => "show sensitive files whole",
        Assessment { searched: Some(_), .. } if bare => "show lines of sensitive files",
        Assessment { crowds: Some(_), .. } if bare => "start any programs",
        _ => return contained,
    };
    shown.map_or(contained, |why| Contained::Refused(format!("it may {does} and {why}")))
}

/// Empties the folders of what is committed, of the repository that it runs in and of those around: nothing behind these
/// walls needs them. With `names` of those alone whose index has one of them.
fn empty_repositories(cwd: &Path, plan: &mut Plan, names: Option<&[&OsStr]>) {
    let mut own: BTreeSet<PathBuf> = plan.repositories.iter().cloned().collect();
    own.extend(repository::own(cwd));
    own.retain(|own| names.is_none_or(|names| repository::tracks(own, names)));
    let kept: BTreeSet<PathBuf> = own.iter().flat_map(|own| repository::kept(own)).take(REPOSITORIES).collect();
    for at in kept {
        let gone = |cover: &Cover| at.starts_with(&cover.at) && !cover.keep.iter().any(|kept| at.starts_with(kept));
        if !plan.covers.iter().any(gone) {
            plan.covers.push(Cover { at, keep: Vec::new(), writable: false });
        }
    }
}

/// What a command names outside the workspace, after links.
#[derive(Clone, Debug, Default)]
struct Named {
    /// Folders, but for those of the system, which hold programs and their data, and too much of it to look through.
    folders: BTreeSet<PathBuf>,
    /// Files and folders below those for temporary files.
    temporary: BTreeSet<PathBuf>,
}

impl Named {
    fn of(facts: &Facts, workspace: &Path) -> Self {
        let elsewhere =
            |folder: &&PathBuf| folder.parent().is_some() && !folder.starts_with(workspace) && !system(folder);
        let temporary = |path: &&PathBuf| TEMPORARY.iter().any(|folder| path.starts_with(folder));
        let of = |kinds: &[PathKind]| {
            let kinds = kinds.to_vec();
            facts.paths.values().filter(move |fact| kinds.contains(&fact.kind)).map(|fact| &fact.real)
        };
        Self {
            folders: of(&[PathKind::Folder]).filter(elsewhere).cloned().collect(),
            temporary: of(&[PathKind::Folder, PathKind::File]).filter(temporary).take(KEPT).cloned().collect(),
        }
    }
}

/// The containment of a reader that starts in a folder; what an operation named lies before it, too.
pub(super) async fn reader(bench: &Arc<Workbench>, cwd: &Path, facts: Option<&Facts>) -> Contained {
    let named = facts.map(|facts| Named::of(facts, &bench.workspace)).unwrap_or_default();
    walled(bench, cwd, BTreeSet::new(), named).await
}

async fn walled(bench: &Arc<Workbench>, cwd: &Path, needs: BTreeSet<Need>, named: Named) -> Contained {
    let proof = bench.walls.proof().await;
    let Some(layers) = proof.layers else {
        return Contained::Cannot("this system has no walls that hold".to_owned());
    };
    let (bench, cwd) = (Arc::clone(bench), cwd.to_path_buf());
    let planned = tokio::task::spawn_blocking(move || {
        let mut plan = read_only(&bench, layers, (&needs, &named), &cwd)?;
        let way = if needs.contains(&Need::Web) { to_public(&bench, &mut plan, proof.proxied) } else { Way::None };
        Ok((plan, way))
    });
    match planned.await {
        Ok(Ok((plan, way))) => Contained::By(Box::new(plan), way),
        Ok(Err(why)) => Contained::Cannot(why),
        Err(_) => Contained::Cannot("its walls couldn't be planned".to_owned()),
    }
}

/// The walls of a staged run that may reach some hosts, its layer and its way to them.
async fn staged(
    bench: &Arc<Workbench>,
    cwd: &Path,
    named: Named,
    hosts: &BTreeSet<String>,
) -> Result<(Plan, Layer, Way), String> {
    let proof = bench.walls.proof().await;
    proof.staged.clone()?;
    let layers = proof.layers.ok_or("this system has no walls that hold")?;
    let (bench, cwd, hosts) = (Arc::clone(bench), cwd.to_path_buf(), hosts.clone());
    let planned = tokio::task::spawn_blocking(move || {
        let layer = bench
            .layers
            .begin(&bench.workspace)
            .map_err(|error| format!("there is no place for its layer: {error}"))?;
        let folder = layer.folder.canonicalize().map_err(|error| format!("its layer is gone: {error}"))?;
        let over = contain::Layer { workspace: bench.workspace.clone(), folder };
        let asked = (&BTreeSet::new(), &named);
        let mut plan = with_reader(&bench, asked, &cwd, |reader| bench.walls.staged(layers, reader, over))?;
        // Code that nobody saw could read from what is committed what it can't read where it lies.
        let hidden: Vec<PathBuf> = plan.hidden.iter().map(|hidden| hidden.path.clone()).collect();
        let here = |path: &&PathBuf| path.starts_with(&bench.workspace);
        let secrets: Vec<&OsStr> = hidden.iter().filter(here).filter_map(|path| path.file_name()).collect();
        if !secrets.is_empty() {
            empty_repositories(&cwd, &mut plan, Some(&secrets));
        }
        let way = to_listed(&mut plan, hosts, proof.proxied);
        Ok((plan, layer, way))
    });
    planned.await.unwrap_or_else(|_| Err("its layer couldn't be planned".to_owned()))
}

/// The way of a staged run to the hosts that the person allows.
fn to_listed(plan: &mut Plan, hosts: BTreeSet<String>, holds: Result<(), String>) -> Way {
    let Some(layer) = plan.layer.as_ref().filter(|_| !hosts.is_empty()) else { return Way::None };
    let place = layer.folder.join(DOOR);
    proxied(plan, place, holds, (Hosts::Listed(hosts), None))
}

/// The way of a reader to public hosts. A layer that nothing lies over is the place of its door.
fn to_public(bench: &Workbench, plan: &mut Plan, holds: Result<(), String>) -> Way {
    let place = bench.layers.begin(&bench.workspace).and_then(|layer| Ok((layer.folder.canonicalize()?, layer)));
    match place {
        Ok((folder, layer)) => proxied(plan, folder.join(DOOR), holds, (Hosts::Public, Some(layer))),
        Err(error) => Way::Cannot(no_place(&error)),
    }
}

/// A way by a proxy, which the plan says, too.
fn proxied(
    plan: &mut Plan,
    place: PathBuf,
    holds: Result<(), String>,
    (hosts, of_door): (Hosts, Option<Layer>),
) -> Way {
    match holds.and_then(|()| Door::open(&place).map_err(|error| no_place(&error))) {
        Ok(door) => {
            plan.door = Some(place);
            Way::Proxy(Closed { door, hosts, _place: of_door })
        }
        Err(why) => Way::Cannot(why),
    }
}

fn no_place(error: &std::io::Error) -> String {
    format!("there is no place for a door: {error}")
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
    let (plan, _layer, _way) = staged(bench, &bench.workspace, Named::default(), &BTreeSet::new()).await?;
    let bash = children::bash().ok_or("there is no bash")?;
    let told = |error: std::io::Error| error.to_string();
    let arguments = ["--noprofile", "--norc", "-c", ":"];
    let (mut child, _pipes) =
        children::start(bench, Asked::No, &bench.workspace, &bash, &arguments, Some(&plan)).map_err(told)?;
    let status = child.wait().await.map_err(told)?;
    child.clear_up().await;
    match child.answer() {
        Some(Answer::Began) if status.success() => Ok(()),
        Some(Answer::Failed(why)) => Err(why),
        Some(Answer::Began | Answer::Up | Answer::Silent) | None => Err("nothing could be run there".to_owned()),
    }
}

/// The plan of a reader in a folder of the workspace.
fn read_only(bench: &Workbench, layers: Layers, asked: (&BTreeSet<Need>, &Named), cwd: &Path) -> Result<Plan, String> {
    with_reader(bench, asked, cwd, |reader| bench.walls.read_only(layers, reader))
}

/// The files and folders that no command can read behind the walls of a reader in the workspace.
pub(super) fn hidden(bench: &Workbench) -> Vec<PathBuf> {
    let none = (&BTreeSet::new(), &Named::default());
    let plan = read_only(bench, Layers::default(), none, &bench.workspace).unwrap_or_default();
    plan.hidden.into_iter().filter(|hidden| hidden.instead.is_none()).map(|hidden| hidden.path).collect()
}

/// Plans for a command in a folder of the workspace: with the ways out that it needs, and the folders that it names.
fn with_reader<T>(
    bench: &Workbench,
    (needs, named): (&BTreeSet<Need>, &Named),
    cwd: &Path,
    plan: impl FnOnce(Reader<'_>) -> T,
) -> T {
    let place = Place { cwd: cwd.to_path_buf(), workspace: bench.workspace.clone(), home: bench.home.clone() };
    let sensitive = &bench.settings.sensitive;
    let judge = |path: &Path, sort| sensitive.means(&path.to_string_lossy(), sort == Sort::Folder, &place);
    let folders = bench.walls.real(&sensitive.folders(&place));
    let masked = masked(&[cwd, &bench.workspace]);
    let reader = Reader {
        workspace: &bench.workspace,
        cwd,
        home: bench.home.as_deref(),
        needs,
        folders: &folders,
        named: &named.folders,
        kept: &named.temporary,
        judge: &judge,
        masked: &masked,
        attributes: &sensitive.attributes(),
    };
    plan(reader)
}

/// Git's configuration of the repositories in these folders where it holds secrets (a token in the URL of a remote), with
/// masks in their place: git must read it, and whoever asks for the remotes must not get them.
fn masked(folders: &[&Path]) -> Vec<Hidden> {
    let files: BTreeSet<PathBuf> = folders.iter().flat_map(|folder| repository::configurations(folder)).collect();
    let masked = |file: PathBuf| {
        let path = file.canonicalize().ok()?;
        let text = private::read_text(&path, private::SMALL).ok()?;
        let shown = conceal_text(&text, &Known::default());
        (shown != text).then_some(Hidden { path, instead: Some(shown) })
    };
    files.into_iter().filter_map(masked).collect()
}
