//! What children are made of before anybody asks for them: a template, whose copies need not come up first, and two
//! children whose walls are up. Walls take longer than most commands that run behind them, and all of them need the
//! same: so the next children are started with the plan of the last, and wait, walled in already, for what they are to
//! become. Two, so that a model that calls again at once doesn't wait for the walls that were begun as its last call
//! ended. They are used only where the walls would be built the very same way now; otherwise they are thrown away. They
//! wait a little while and no longer, so that nothing of a session at rest holds the disks as they were.

use std::collections::VecDeque;
use std::fs;
use std::io::ErrorKind;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;

use super::children::{Child, Pipes};
use crate::contain::{Copied, Plan, Setting, Template};

/// How long one waits.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many wait.
const MOST: usize = 2;

/// Starts a child.
type Job = Box<dyn FnOnce() + Send>;

/// The children in reserve and the template, if there are any.
#[derive(Debug, Default)]
pub struct Spare {
    /// Oldest first: its walls are the likeliest to be up.
    waiting: Mutex<VecDeque<Waiting>>,
    template: Mutex<Option<Template>>,
    /// The thread that starts them. It stays as long as this does: the kernel ends a child with the thread that started
    /// it. And it is none of those that work, as a start holds its thread up until the child has become our program.
    starter: OnceLock<Sender<Job>>,
}

#[derive(Debug)]
struct Waiting {
    plan: Plan,
    sight: Sight,
    child: Child,
    pipes: Pipes,
    _until: AbortOnDropHandle<()>,
}

/// What walls were built around, as the disk had it: what is mounted where, and which files lie at the paths that the
/// plan names. Another file at such a path is not the one that was hidden.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sight {
    mounts: Vec<u8>,
    paths: Vec<Option<Seen>>,
}

/// Which file it is. A folder's content may change; of anything else nothing may have.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    device: u64,
    number: u64,
    born: Option<SystemTime>,
    changed: Option<(i64, i64)>,
}

impl Sight {
    /// What is there now.
    pub(super) fn of(plan: &Plan) -> Self {
        let covers = plan.covers.iter().flat_map(|cover| [&cover.at].into_iter().chain(&cover.keep));
        let paths = [&plan.cwd].into_iter().chain(covers).chain(plan.hidden.iter().map(|hidden| &hidden.path));
        let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
        Self { mounts, paths: paths.map(seen).collect() }
    }
}

fn seen(path: &PathBuf) -> Option<Seen> {
    let about = fs::symlink_metadata(path).ok()?;
    let changed = (!about.is_dir()).then(|| (about.ctime(), about.ctime_nsec()));
    Some(Seen { device: about.dev(), number: about.ino(), born: about.created().ok(), changed })
}

impl Spare {
    /// A child that still waits, and whose walls are those of this plan and stand where they would be put now. Others are
    /// thrown away on the way.
    pub(super) fn take(&self, plan: &Plan) -> Option<(Child, Pipes)> {
        let mut sight = None;
        loop {
            let mut waiting = held(&self.waiting).pop_front()?;
            let now = || Sight::of(plan);
            let fits =
                waiting.plan == *plan && waiting.sight == *sight.get_or_insert_with(now) && waiting.child.waits();
            if fits {
                return Some((waiting.child, waiting.pipes));
            }
        }
    }

    /// How many more may wait with the walls of this plan.
    pub(super) fn room(&self, plan: &Plan) -> usize {
        MOST.saturating_sub(held(&self.waiting).iter().filter(|waiting| waiting.plan == *plan).count())
    }

    /// Starts a template where there is none. Called by what [`Self::later`] runs: it ends with its thread.
    pub(super) fn warm(&self, launcher: &Path) {
        if held(&self.template).as_mut().is_none_or(Template::over) {
            // Nobody who wants a copy waits for it to come up.
            let started = Template::start(launcher).ok();
            *held(&self.template) = started;
        }
    }

    /// A copy of the template, if there is one and it answers.
    pub(super) fn copy(&self, setting: &Setting, files: [BorrowedFd<'_>; 3]) -> Option<Copied> {
        let mut template = held(&self.template);
        let copied = template.as_ref()?.copy(setting, files);
        if let Err(error) = &copied
            && error.kind() != ErrorKind::FileTooLarge
        {
            tracing::debug!(%error, "there is no copy of the template");
            *template = None;
        }
        copied.ok()
    }

    /// Starts a child beside everything else. Where no thread can be had there is none.
    pub(super) fn later(&self, job: Job) {
        let starter = self.starter.get_or_init(|| {
            let (starter, jobs) = channel::<Job>();
            let runtime = Handle::current();
            let start = move || {
                let _within = runtime.enter();
                for job in jobs {
                    job();
                }
            };
            let _none = thread::Builder::new().name("reserve".to_owned()).spawn(start);
            starter
        });
        let _no_thread = starter.send(job);
    }

    /// Puts a child in reserve that was started after `sight` was seen. One for which there is no room is thrown away.
    pub(super) fn put(self: &Arc<Self>, plan: Plan, sight: Sight, (child, pipes): (Child, Pipes)) {
        let spare = Arc::downgrade(self);
        let until = AbortOnDropHandle::new(tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            // The oldest is the first whose time is over.
            let late = spare.upgrade().and_then(|spare| held(&spare.waiting).pop_front());
            drop(late);
        }));
        let mut waiting = held(&self.waiting);
        waiting.push_back(Waiting { plan, sight, child, pipes, _until: until });
        let over = if waiting.len() > MOST { waiting.pop_front() } else { None };
        drop(waiting);
        drop(over);
    }
}

fn held<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
