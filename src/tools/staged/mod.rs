//! What becomes of a staged run's layer. While it runs, `room` sees that it doesn't fill the disk. Once it has ended,
//! `harvest` compares the layer with the workspace: what only adds, and build products that git ignores (`products`),
//! is put in place at once (`place`, `caches`); the rest waits for `apply`, an operation of its own, with its diffs
//! (`preview`). Nothing in a layer is ever followed, run or believed.

mod apply;
mod beside;
mod caches;
mod harvest;
mod links;
mod moves;
mod place;
mod preview;
mod products;
mod room;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub use apply::ApplyTool;
pub(super) use room::over;

use self::harvest::{Ground, Harvest};
use self::products::Products;
use super::Workbench;
use super::file::Keeper;
use crate::domain::number::count;
use crate::domain::{Deed, Image, OperationId, StagedChange, some_of, staged_brief};
use crate::store::Layer;

/// What came of a layer.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// For the model.
    pub(super) told: String,
    /// For the person, if there is anything to say.
    pub(super) note: Option<String>,
    /// What waits, in a few words.
    pub(super) waits: Option<String>,
    /// It can't be kept apart: the run is to be offered again.
    pub(super) again: bool,
}

/// Puts in place what may be, keeps what waits, and drops the rest.
pub(super) async fn settle(bench: &Arc<Workbench>, id: OperationId, layer: Layer) -> Settled {
    let products = Products::find(bench, &layer, &CancellationToken::new()).await;
    let bench = Arc::clone(bench);
    let settled = tokio::task::spawn_blocking(move || all(&bench, id, layer, &products));
    settled.await.unwrap_or_else(|_| refused("looking at what it changed failed; the log has more"))
}

fn all(bench: &Workbench, id: OperationId, layer: Layer, products: &Products) -> Settled {
    let upper = layer.upper();
    let ground = Ground {
        upper: &upper,
        workspace: &layer.workspace,
        home: bench.home.as_deref(),
        since: layer.since,
        sensitive: &bench.settings.sensitive,
        products,
    };
    let mut harvest = match harvest::gather(&ground) {
        Ok(harvest) => harvest,
        Err(why) => return refused(&why),
    };
    let applied = apply(bench, id, &ground, &mut harvest);
    let mut settled = applied.settled(&harvest);
    if !harvest.waits.is_empty() {
        settled.waits = Some(staged_brief(&harvest.waits));
        bench.layers.hold(id, layer, harvest.waits);
    }
    settled
}

/// What was put in place at once.
#[derive(Default)]
struct Applied {
    added: Vec<StagedChange>,
    products: Vec<StagedChange>,
    caches: Vec<String>,
}

/// Puts in place what may be; what fails is left out.
fn apply(bench: &Workbench, id: OperationId, ground: &Ground<'_>, harvest: &mut Harvest) -> Applied {
    let keeper = Keeper::new(&bench.images, id);
    let (mut applied, mut changes) = (Applied::default(), Vec::new());
    for change in std::mem::take(&mut harvest.adds) {
        match place::set(&change, ground.upper, ground.workspace, &keeper) {
            Ok(done) => {
                changes.extend(done);
                applied.added.push(change);
            }
            Err(error) => harvest.left_out.push(error.to_string()),
        }
    }
    for change in std::mem::take(&mut harvest.products) {
        match place::set(&change, ground.upper, ground.workspace, &keeper) {
            Ok(done) => {
                changes.extend(done);
                applied.products.push(change);
            }
            Err(error) => harvest.left_out.push(error.to_string()),
        }
    }
    if !changes.is_empty()
        && let Err(error) = bench.images.note_all(id, changes)
    {
        tracing::warn!("what {id} added can only be taken back in this session: {error}");
    }
    for root in &harvest.caches {
        match caches::merge(&ground.upper.join(root), &ground.workspace.join(root), ground.since) {
            Ok(merged) => {
                if merged.entries > 0 {
                    applied.caches.push(root.display().to_string());
                }
                let obeyed = merged.obeyed.iter().map(|path| root.join(path));
                harvest.left_out.extend(obeyed.map(|path| format!("{} (others obey it)", path.display())));
                if merged.left_out > 0 {
                    let what = count(merged.left_out, "link or special file");
                    harvest.left_out.push(format!("{what} in {}", root.display()));
                }
            }
            Err(why) => harvest.left_out.push(format!("{}: {why}", root.display())),
        }
    }
    applied
}

impl Applied {
    fn settled(&self, harvest: &Harvest) -> Settled {
        let mut said = Vec::new();
        let files: Vec<&Path> = self.added.iter().map(|change| change.path.as_path()).collect();
        if !files.is_empty() {
            said.push(format!("added {}", some_of(files.iter().copied())));
        }
        if !self.products.is_empty() {
            said.push(format!("wrote {}", count(self.products.len(), "build product")));
        }
        // What a person wrote there is no product, and only they can tell.
        for (does, deed) in [("replaced", Deed::Change), ("deleted", Deed::Delete)] {
            let was = |change: &&StagedChange| change.deed() == deed && !matches!(change.before, Image::Folder { .. });
            let files: Vec<&Path> = self.products.iter().filter(was).map(|change| change.path.as_path()).collect();
            if !files.is_empty() {
                said.push(format!("{does} {}", some_of(files.iter().copied())));
            }
        }
        if !self.caches.is_empty() {
            said.push(format!("wrote build products in {}", self.caches.join(", ")));
        }
        if !harvest.left_out.is_empty() {
            let paths = harvest.left_out.iter().map(Path::new);
            said.push(format!("left out {}", some_of(paths)));
        }
        let mut settled = Settled::default();
        if !said.is_empty() {
            let said = said.join("; ");
            settled.told = format!("\n[It ran staged, over a copy of the workspace. In the workspace it {said}.]");
            settled.note = Some(format!("In the workspace it {said}."));
        }
        settled
    }
}

/// Nothing of it is put in place.
fn refused(why: &str) -> Settled {
    Settled {
        told: format!(
            "\n[It ran staged, over a copy of the workspace, and nothing of what it changed is there: {why}. The person \
             is offered to run it again without containment.]"
        ),
        note: Some(format!("Nothing of what it changed was kept: {why}.")),
        waits: None,
        again: true,
    }
}
