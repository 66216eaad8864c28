//! What children are made of before anybody asks for them: a template, whose copies need not come up first, and one
//! child whose walls are up. Walls take longer than most commands that run behind them, and all of them need the same:
//! so the next child is started with the plan of the last, and waits, walled in already, for what it is to become. It is
//! used only where the walls would be built the very same way now; otherwise it is thrown away. It waits a little while
//! and no longer, so that nothing of a session at rest holds the disks as they were.

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

/// How long it waits.
const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a child.
type Job = Box<dyn FnOnce() + Send>;

/// The one child in reserve and the template, if there are any.
#[derive(Debug, Default)]
pub struct Spare {
    waiting: Mutex<Option<Waiting>>,
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
    /// The child that waits, if it still does, and its walls are those of this plan and stand where they would be put now.
    pub(super) fn take(&self, plan: &Plan) -> Option<(Child, Pipes)> {
        let mut waiting = held(&self.waiting).take()?;
        let fits = waiting.plan == *plan && waiting.sight == Sight::of(plan) && waiting.child.waits();
        fits.then_some((waiting.child, waiting.pipes))
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

    /// Puts a child in reserve that was started after `sight` was seen. One that waits already is thrown away.
    pub(super) fn put(self: &Arc<Self>, plan: Plan, sight: Sight, (child, pipes): (Child, Pipes)) {
        let spare = Arc::downgrade(self);
        let until = AbortOnDropHandle::new(tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            let late = spare.upgrade().and_then(|spare| held(&spare.waiting).take());
            drop(late);
        }));
        let before = held(&self.waiting).replace(Waiting { plan, sight, child, pipes, _until: until });
        drop(before);
    }
}

fn held<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
