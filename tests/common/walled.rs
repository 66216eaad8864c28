//! A workspace, a home folder and the program's own folder behind walls, with a secret in each. The assessor is
//! bypassed: every line is run as if it had been whitelisted.

#![allow(dead_code, clippy::unwrap_used)] // each test binary uses its own part

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use countersign::assess::{CommandAssessor, RiskAssessor as _};
use countersign::contain::{Proof, Walls};
use countersign::domain::{
    Assessment, CommandOperation, Containment, Facts, Need, OperationKind, Place, RunEvent, RunReport,
};
use countersign::store::{Images, Layers};
use countersign::tools::{CommandTool, Workbench, gather};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::common::{bench, countersigned, place, run};
use super::left_out::not_here;

/// A workspace, a home folder and the program's own folder, with a secret in each.
pub struct World {
    _folder: TempDir,
    pub work: PathBuf,
    pub home: PathBuf,
    pub own: PathBuf,
    pub bench: Arc<Workbench>,
    pub proof: Proof,
}

/// Word in every secret.
pub const TOKEN: &str = "planted-8c1f";

/// A world with walls, or none after saying that they are left out.
pub async fn world(what: &str) -> Option<World> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (work, home, own) = (root.join("work"), root.join("home"), root.join("own"));
    for (folder, name) in [(&work, ".env"), (&home.join(".ssh"), "id_ed25519"), (&own, "journal.sqlite")] {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(name), TOKEN).unwrap();
    }
    std::fs::write(work.join("notes.txt"), "as it was\n").unwrap();
    let plain = bench(&work);
    let walls = Walls::new(plain.launcher.clone(), own.clone(), vec![own.clone()], None);
    let proof = walls.proof().await;
    if proof.layers.is_none() {
        not_here(what, &format!("nothing is enforced here: {}", proof.passed_over.join("; ")));
        return None;
    }
    let images = Arc::new(Images::new(&own.join("images"), "test"));
    let layers = Arc::new(Layers::new(&own.join("layers"), "test"));
    let bench = Workbench { home: Some(home.clone()), walls: Arc::new(walls), images, layers, ..(*plain).clone() };
    Some(World { _folder: folder, work, home, own, bench: Arc::new(bench), proof })
}

impl World {
    pub fn place(&self) -> Place {
        Place { home: Some(self.home.clone()), ..place(&self.work) }
    }

    pub async fn with(&self, line: &str, needs: BTreeSet<Need>) -> RunReport {
        let kind =
            OperationKind::Command(CommandOperation { command: line.to_owned(), timeout: Some(20), terminal: false });
        let assessment = Assessment { needs, ..Assessment::whitelisted("test", "It reads.") };
        let facts = Facts { place: self.place(), ..Facts::default() };
        let operation = countersigned(kind, facts, assessment);
        run(&CommandTool::new(Arc::clone(&self.bench)), operation, CancellationToken::new()).await.1
    }

    /// What a line prints that was looked at as a call is, before it is run as if it had been whitelisted.
    pub async fn says_of_named(&self, line: &str) -> String {
        let kind =
            OperationKind::Command(CommandOperation { command: line.to_owned(), timeout: Some(20), terminal: false });
        let place = self.place();
        let facts = gather(&CommandAssessor.mentions(&kind, &place), &place, None);
        let operation = countersigned(kind, facts, Assessment::whitelisted("test", "It reads."));
        run(&CommandTool::new(Arc::clone(&self.bench)), operation, CancellationToken::new()).await.1.result
    }

    pub async fn bash(&self, line: &str) -> RunReport {
        self.with(line, BTreeSet::new()).await
    }

    /// Runs a line staged, as if it had been whitelisted so.
    pub async fn staged(&self, line: &str, timeout: u64) -> (Vec<RunEvent>, RunReport) {
        let command = CommandOperation { command: line.to_owned(), timeout: Some(timeout), terminal: false };
        let facts = Facts { place: self.place(), ..Facts::default() };
        let whitelisted = Assessment::whitelisted("test", "It tests.");
        let assessment = Assessment { containment: Containment::Staged, ..whitelisted };
        let operation = countersigned(OperationKind::Command(command), facts, assessment);
        run(&CommandTool::new(Arc::clone(&self.bench)), operation, CancellationToken::new()).await
    }

    /// What a line prints, whatever came of it.
    pub async fn says(&self, line: &str) -> String {
        self.bash(line).await.result
    }
}
