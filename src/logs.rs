//! The program's own log: a file in the state folder, never the screen. Called by `main`. It holds what this
//! program says of itself; what the libraries say below a warning may hold secrets and is never written.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::private;

/// Size at which the file is put aside at the next start.
const CAP: u64 = 8 * 1024 * 1024;

/// Lines that may wait for the disk; more are dropped. There is room for all of them from the start.
const WAITING: usize = 4096;

/// A line on standard error, as `eprintln!` writes it. Where nobody is there to read it, it is lost, and nothing else is.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => {{
        let _read = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", format_args!($($words)*)));
    }};
}

/// Keeps the log going; when it is dropped, what still waits is written.
#[derive(Debug)]
#[must_use = "the log ends when this is dropped"]
pub struct LogGuard {
    _worker: WorkerGuard,
}

/// Why there is no log. The program works without one.
#[derive(Debug, thiserror::Error)]
pub enum LogsError {
    /// The file can't be written.
    #[error("the log {} can't be written ({source}); the program goes on without one", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The level isn't one.
    #[error("COUNTERSIGN_LOG can't be `{0}`; it is one of off, error, warn, info, debug, trace")]
    Level(String),
    /// Somebody else logs already.
    #[error("there is a log already")]
    Twice,
}

/// Starts the log in `folder` at the level that `COUNTERSIGN_LOG` names, `info` without it.
pub fn start(folder: &Path, level: Option<&str>) -> Result<LogGuard, LogsError> {
    let level = parse_level(level)?;
    let path = folder.join("countersign.log");
    let file = open(folder, &path).map_err(|source| LogsError::File { path, source })?;
    let (writer, worker) = NonBlockingBuilder::default().buffered_lines_limit(WAITING).finish(file);
    let lines = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false);
    tracing_subscriber::registry().with(lines).with(targets(level)).try_init().map_err(|_| LogsError::Twice)?;
    Ok(LogGuard { _worker: worker })
}

fn parse_level(level: Option<&str>) -> Result<LevelFilter, LogsError> {
    let Some(level) = level else { return Ok(LevelFilter::INFO) };
    level.trim().parse().map_err(|_| LogsError::Level(level.chars().take(40).collect()))
}

/// Ours at the level asked for. The libraries' at warnings; sqlx warns of slow statements with their text.
fn targets(level: LevelFilter) -> Targets {
    let others = level.min(LevelFilter::WARN);
    Targets::new()
        .with_default(others)
        .with_target("sqlx", level.min(LevelFilter::ERROR))
        .with_target("countersign", level)
}

/// Opens the file for its owner alone, after putting a large one aside.
fn open(folder: &Path, path: &Path) -> std::io::Result<File> {
    private::make_folder(folder)?;
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > CAP) {
        std::fs::rename(path, path.with_extension("old.log"))?;
    }
    private::open(path, OpenOptions::new().append(true).create(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn libraries_never_log_below_a_warning_and_sqlx_no_statements() {
        let targets = targets(LevelFilter::TRACE);
        assert!(targets.would_enable("countersign::runtime", &Level::TRACE));
        assert!(targets.would_enable("hyper::client", &Level::WARN));
        assert!(!targets.would_enable("hyper::client", &Level::INFO));
        assert!(!targets.would_enable("sqlx::query", &Level::WARN));
        assert!(!super::targets(LevelFilter::OFF).would_enable("countersign", &Level::ERROR));
    }

    #[test]
    fn a_level_is_a_word_and_a_wrong_one_says_which_there_are() {
        assert_eq!(parse_level(Some("debug")).unwrap(), LevelFilter::DEBUG);
        assert_eq!(parse_level(None).unwrap(), LevelFilter::INFO);
        assert!(parse_level(Some("loud")).unwrap_err().to_string().contains("one of off, error"));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_the_owners_and_a_large_one_is_put_aside() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/countersign.log");
        open(path.parent().unwrap(), &path).unwrap().set_len(CAP + 1).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(open(path.parent().unwrap(), &path).unwrap().metadata().unwrap().len(), 0);
        assert!(path.with_extension("old.log").exists());
    }
}
