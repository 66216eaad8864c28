//! Runs command lines in a throw-away folder, as the program would but without its walls, and tells every path that
//! they touched, wherever it lies. A cage is around them (`cage.sh`): each folder of this machine is the lower layer
//! of an overlay, so that everything can be written and nothing of it lands. It has no network and no processes but
//! its own.
//!
//! A test binary that uses it has a test named `in_the_cage` that calls [`serve`]: the cage starts that one again.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // each test binary uses its own part

use std::collections::BTreeSet;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use countersign::domain::{Assessment, CommandOperation, Facts, OperationKind, Outcome};
use countersign::tools::CommandTool;
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{common, notes};

/// Says that this process is the caged one.
const CAGED: &str = "COUNTERSIGN_CAGED";
/// Begins the line with what came of it.
const MARK: &str = "what came of it: ";
/// How a line ended that took too long.
const LIMITED: &str = "limit";
/// Lines that run at once.
const AT_ONCE: usize = 4;
/// Lines that share a cage, as long as nothing is touched.
const SHARED: usize = 48;

/// What a cage is to run.
#[derive(Serialize, Deserialize)]
struct Orders {
    base: PathBuf,
    lines: Vec<String>,
    seconds: u64,
}

/// What came of the lines of one cage.
#[derive(Serialize, Deserialize)]
struct Aftermath {
    /// How each line ended.
    ended: Vec<String>,
    /// Every path that was touched, but for a program's own notes.
    touched: BTreeSet<String>,
}

/// What came of many lines.
#[derive(Default)]
pub struct Watched {
    /// Lines that were ended at the time limit.
    pub limited: usize,
    /// Each line that touched something, with the paths.
    pub touching: Vec<(String, BTreeSet<String>)>,
}

/// The folder that lines run in, its home folder, and the cage around them.
pub struct Cage {
    base: tempfile::TempDir,
    seconds: u64,
}

impl Cage {
    /// A cage with an empty folder, in which a line may take so many seconds.
    pub fn new(seconds: u64) -> Self {
        let base = tempfile::tempdir().unwrap();
        for folder in ["cage", "world/work", "world/home"] {
            std::fs::create_dir_all(base.path().join(folder)).unwrap();
        }
        Self { base, seconds }
    }

    fn base(&self) -> PathBuf {
        self.base.path().canonicalize().unwrap()
    }

    /// Where lines run.
    pub fn work(&self) -> PathBuf {
        self.base().join("world/work")
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.base().join("world/home")
    }

    /// Whether one can be put up here, and why not.
    pub fn stands(&self) -> Result<(), String> {
        self.once(&["true".to_owned()]).map(drop)
    }

    /// Runs the lines, many in one cage, and names those that touched something.
    pub fn run(&self, lines: &[String]) -> Watched {
        let mut all = Watched::default();
        for shared in lines.chunks(SHARED) {
            let aftermath = self.around(shared);
            all.limited += aftermath.ended.iter().filter(|ended| *ended == LIMITED).count();
            if !aftermath.touched.is_empty() {
                let found = all.touching.len();
                self.search(shared, aftermath.touched.clone(), &mut all.touching);
                if all.touching.len() == found {
                    all.touching.push((format!("one of: {}", shared.join("\n  ")), aftermath.touched));
                }
            }
        }
        all
    }

    /// The lines among these that touched something, by halves.
    fn search(&self, lines: &[String], touched: BTreeSet<String>, found: &mut Vec<(String, BTreeSet<String>)>) {
        if let [line] = lines {
            let _unseen = writeln!(std::io::stderr(), "touched the disk: {line}\n  {}", joined(&touched));
            found.push((line.clone(), touched));
            return;
        }
        let (one, other) = lines.split_at(lines.len() / 2);
        for half in [one, other] {
            let touched = self.around(half).touched;
            if !touched.is_empty() {
                self.search(half, touched, found);
            }
        }
    }

    /// The same, for lines that must not end the one who runs them.
    fn around(&self, lines: &[String]) -> Aftermath {
        self.once(lines).unwrap_or_else(|why| panic!("with one of: {}\n{why}", lines.join("\n  ")))
    }

    /// One cage around all lines.
    fn once(&self, lines: &[String]) -> Result<Aftermath, String> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let base = self.base();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/cage.sh");
        let programs = Path::new(env!("CARGO_BIN_EXE_countersign")).parent().unwrap();
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "--net", "--ipc", "--uts", "--pid", "--fork"]);
        command.args(["--mount-proc", "--kill-child", "prlimit", "--nproc=6000", "--fsize=50000000", "sh"]);
        command.arg(script).arg(&base).arg(base.join("world")).arg(programs).arg("--");
        command.arg(this).args(["--exact", "in_the_cage", "--nocapture"]);
        command.current_dir("/").env(CAGED, "1").env("HOME", self.home()).env("TMPDIR", "/tmp");
        for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
            if let (None, Some(home)) = (std::env::var_os(name), std::env::home_dir()) {
                command.env(name, home.join(folder));
            }
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.as_mut().map_err(|error| error.to_string())?;
        let orders = Orders { base, lines: lines.to_vec(), seconds: self.seconds };
        let _gone = serde_json::to_writer(child.stdin.take().unwrap(), &orders);
        let output = wait(child);
        let text = String::from_utf8_lossy(&output.stdout);
        let told = text.lines().find_map(|line| line.split_once(MARK)).map(|(_, told)| told);
        told.and_then(|told| serde_json::from_str(told).ok())
            .ok_or_else(|| format!("{text}{}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// Paths for a person.
pub fn joined(paths: &BTreeSet<String>) -> String {
    paths.iter().map(String::as_str).collect::<Vec<_>>().join("\n  ")
}

/// Both outputs of a child, read to their ends.
fn wait(child: &mut std::process::Child) -> std::process::Output {
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let mut output =
        std::process::Output { status: std::process::ExitStatus::default(), stdout: Vec::new(), stderr: Vec::new() };
    std::thread::scope(|scope| {
        scope.spawn(|| std::io::Read::read_to_end(&mut err, &mut output.stderr));
        let _read = std::io::Read::read_to_end(&mut out, &mut output.stdout);
    });
    output.status = child.wait().unwrap();
    output
}

/// In the caged process: runs what it is told and says what came of it. Elsewhere: nothing.
pub fn serve() {
    if std::env::var_os(CAGED).is_none() {
        return;
    }
    // Nothing runs outside: the mark lies in the new root folder alone.
    assert!(Path::new("/.caged").exists(), "this is no cage");
    let orders: Orders = serde_json::from_reader(std::io::stdin()).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let upper = orders.base.join("cage/upper");
    let scratch = ["/tmp", "/run", "/dev", "/mnt", "/media"].map(PathBuf::from);
    let before = (paths(&upper), scratch.clone().map(|folder| paths(&folder)));
    let ended = runtime.block_on(all(&orders));
    // What a line left running ends before the look.
    drop(runtime);
    let after = (paths(&upper), scratch.map(|folder| paths(&folder)));
    let prefix = upper.display().to_string();
    let own = orders.base.display().to_string();
    // Below the upper layers each folder of the machine has a number.
    let name = |path: &str| path.trim_start_matches(&prefix).splitn(3, '/').nth(2).map(|rest| format!("/{rest}"));
    let inside = after.0.difference(&before.0).filter_map(|(path, _)| name(path));
    let loose = after.1.iter().zip(&before.1).flat_map(|(after, before)| after.difference(before));
    let loose = loose.map(|(path, _)| path.clone()).filter(|path| !path.starts_with(&own));
    let touched = leaves(&inside.chain(loose).collect());
    let kept = |path: &String| notes::kept(path, &orders.lines, &orders.base.join("world"));
    let aftermath = Aftermath { ended, touched: touched.into_iter().filter(|path| !kept(path)).collect() };
    let told = format!("{MARK}{}", serde_json::to_string(&aftermath).unwrap());
    let _unread = writeln!(std::io::stdout(), "{told}");
}

async fn all(orders: &Orders) -> Vec<String> {
    let (work, home) = (orders.base.join("world/work"), orders.base.join("world/home"));
    let bench = common::bench(&work);
    let runs = futures::stream::iter(&orders.lines).map(|line| {
        let (bench, home) = (Arc::clone(&bench), home.clone());
        let place = countersign::domain::Place { home: Some(home), ..common::place(&work) };
        async move {
            let kind = OperationKind::Command(CommandOperation {
                command: line.clone(),
                timeout: Some(orders.seconds),
                terminal: false,
            });
            let facts = Facts { place, ..Facts::default() };
            let operation = common::countersigned(kind, facts, Assessment::whitelisted("test", "It reads."));
            let report = common::run(&CommandTool::new(bench), operation, CancellationToken::new()).await.1;
            match report.outcome {
                Outcome::Succeeded { .. } => "success".to_owned(),
                Outcome::TimedOut { .. } => LIMITED.to_owned(),
                Outcome::Failed { reason } => reason,
                Outcome::Cancelled | Outcome::Lost => "otherwise".to_owned(),
            }
        }
    });
    runs.buffered(AT_ONCE).collect().await
}

/// The paths without the folders that others lie in.
fn leaves(paths: &BTreeSet<String>) -> BTreeSet<String> {
    let within = |path: &&String| {
        let folder = format!("{path}/");
        paths.range(folder.clone()..).next().is_some_and(|next| next.starts_with(&folder))
    };
    paths.iter().filter(|path| !within(path)).cloned().collect()
}

/// Every path below a folder, with its size and when it changed.
fn paths(folder: &Path) -> BTreeSet<(String, (u64, i64, i64))> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(path) = waiting.pop() {
        let Ok(about) = path.symlink_metadata() else { continue };
        if about.is_dir() {
            waiting.extend(path.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        if path != folder {
            let state = if about.is_dir() { (0, 0, 0) } else { (about.len(), about.mtime(), about.ctime()) };
            found.insert((path.display().to_string(), state));
        }
    }
    found
}
