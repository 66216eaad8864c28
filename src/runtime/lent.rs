//! The terminal in the hands of a program of the person's own, an editor or a pager: it is waited for, or called back.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::Child;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long a program that is called back may take to put the terminal right.
const MOMENT: Duration = Duration::from_millis(500);
/// How long its task may take to end then.
const ENDING: Duration = Duration::from_secs(1);

/// A program that has the terminal.
pub struct Lent {
    back: CancellationToken,
    task: JoinHandle<()>,
}

impl Lent {
    /// Lends the terminal to what a task starts and waits for.
    pub fn to<F: Future<Output = ()> + Send + 'static>(task: impl FnOnce(CancellationToken) -> F) -> Self {
        let back = CancellationToken::new();
        Self { task: tokio::spawn(task(back.clone())), back }
    }

    /// Asks for it back, and waits a short time.
    pub async fn call_back(self) {
        self.back.cancel();
        let _too_late = tokio::time::timeout(ENDING, self.task).await;
    }
}

/// Waits for a program's end. Called back, it is asked to end, so that it can put the terminal right, then killed.
///
/// # Errors
/// It can't be waited for.
pub async fn wait(mut child: Child, back: &CancellationToken) -> io::Result<ExitStatus> {
    tokio::select! {
        ended = child.wait() => return ended,
        () = back.cancelled() => {}
    }
    #[cfg(unix)]
    if let Some(id) = child.id().and_then(|id| i32::try_from(id).ok()) {
        use nix::sys::signal::{Signal, kill};
        let _gone = kill(nix::unistd::Pid::from_raw(id), Signal::SIGTERM);
    }
    if let Ok(ended) = tokio::time::timeout(MOMENT, child.wait()).await {
        return ended;
    }
    child.start_kill()?;
    child.wait().await
}
