//! What walls cost: the time from the start of a command that does nothing to its end, with them and without, taken in
//! turns. `cargo bench --bench start` prints the difference; the number of starts may follow `--`. Under
//! `cargo test --benches` each starts once.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use countersign::contain::Walls;
use countersign::domain::{
    Admission, ApprovalMode, Assessment, Claim, CommandOperation, Containment, Countersigned, Enforceable, Facts, Gate,
    Operation, OperationId, OperationKind, Origin, Place, Policy, Prepared, Release,
};
use countersign::tools::{CommandTool, RunPort, Tool as _, Workbench};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use tokio_util::sync::CancellationToken;

/// Starts of each sort, unless the command line says how many.
const STARTS: usize = 200;
/// Files of the workspace, in as many folders as a small project has.
const FILES: usize = 400;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let measuring = std::env::args().any(|word| word == "--bench");
    let starts = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let starts = starts.unwrap_or(if measuring { STARTS } else { 1 });
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (work, own) = (root.join("work"), root.join("own"));
    for file in 0..FILES {
        let place = work.join(format!("d{}/f{file}", file % 20));
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, "x").unwrap();
    }
    std::fs::write(work.join(".env"), "KEY=planted").unwrap();
    std::fs::create_dir(&own).unwrap();
    let launcher = PathBuf::from(env!("CARGO_BIN_EXE_countersign"));
    let home = std::env::home_dir();
    let walls = Walls::new(launcher.clone(), own.clone(), vec![own], None);
    let made_of = walls.proof().await.made_of;
    let bench = Arc::new(Workbench { walls: Arc::new(walls), ..Workbench::new(work.clone(), home, launcher) });
    if made_of.is_empty() {
        println!("no walls hold here: there is nothing to measure");
        return;
    }
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for round in 0..starts + 10 {
        let open = once(&bench, &work, Containment::None).await;
        let walled = once(&bench, &work, Containment::ReadOnly).await;
        // The first ones warm up.
        if round >= 10 {
            without.push(open);
            with.push(walled);
        }
    }
    println!("{starts} starts of `true` in turns; walls: {made_of}");
    for (name, times) in [("without walls", &without), ("with walls", &with)] {
        let wall = figures(times.iter().map(|time| time.0));
        let cpu = figures(times.iter().map(|time| time.1));
        println!("{name:>14}: {wall} from start to end; {cpu} of CPU");
    }
    let middle = |times: &[(Duration, Duration)], of: fn(&(Duration, Duration)) -> Duration| {
        sorted(times.iter().map(of))[times.len() / 2].as_secs_f64() * 1e3
    };
    let more = |of| middle(&with, of) - middle(&without, of);
    println!(
        "walls add {:.1} ms from start to end and {:.1} ms of CPU (medians)",
        more(|time| time.0),
        more(|time| time.1)
    );
}

/// Runs `true` once: from the plan of its walls to its end, and the CPU time of us and our children.
async fn once(bench: &Arc<Workbench>, work: &Path, containment: Containment) -> (Duration, Duration) {
    let run = countersigned(work, containment);
    let (lane, mut events) = tokio::sync::mpsc::channel(64);
    let drain = tokio::spawn(async move { while events.recv().await.is_some() {} });
    let (before, began) = (cpu(), Instant::now());
    let port = RunPort::new(OperationId(1), lane);
    let report = CommandTool::new(Arc::clone(bench)).run(run, port, CancellationToken::new()).await;
    let took = began.elapsed();
    assert!(report.result.starts_with("exit 0"), "{}", report.result);
    drain.await.unwrap();
    (took, cpu().saturating_sub(before))
}

fn cpu() -> Duration {
    let of = |who| {
        let usage = getrusage(who).unwrap();
        usage.user_time().num_microseconds() + usage.system_time().num_microseconds()
    };
    Duration::from_micros((of(UsageWho::RUSAGE_SELF) + of(UsageWho::RUSAGE_CHILDREN)).unsigned_abs())
}

fn sorted(times: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times
}

fn figures(times: impl Iterator<Item = Duration>) -> String {
    let times = sorted(times);
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    format!("median {:.1} ms, p99 {:.1} ms", at(50), at(99))
}

fn countersigned(work: &Path, containment: Containment) -> Countersigned {
    let place = Place { cwd: work.to_owned(), workspace: work.to_owned(), home: None };
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Person,
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command: "true".to_owned(), timeout: None, terminal: false }),
        cwd: work.to_owned(),
    };
    let assessment = Assessment { containment, ..Assessment::whitelisted("bench", "It reads.") };
    let prepared = Prepared { operation, facts: Facts { place, ..Facts::default() }, assessment };
    let enforceable = Enforceable { read_only_command: true, ..Enforceable::default() };
    let mut gate = Gate::new(Policy { mode: ApprovalMode::Guarded, ..Policy::default() }, enforceable);
    let Admission::Allowed(_) = gate.admit(prepared.clone()) else { unreachable!("it only reads") };
    match gate.release(OperationId(1), prepared) {
        Release::Run(run) => *run,
        other => unreachable!("{other:?}"),
    }
}
