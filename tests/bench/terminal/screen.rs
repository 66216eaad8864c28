//! A program in a pseudo-terminal of 120x40: keys in, an emulated screen out, and what the process costs.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Its size, in cells.
const COLUMNS: u16 = 120;
const ROWS: u16 = 40;

/// A turn's usual limits would stop a thousand calls.
const SETTINGS: &str = "[limits]\ncalls = 5000\n";

struct Shown {
    parser: vt100::Parser,
    first: Option<Instant>,
    bytes: usize,
}

/// A running program.
pub struct Program {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    shown: Arc<(Mutex<Shown>, Condvar)>,
    started: Instant,
    folder: tempfile::TempDir,
}

impl Program {
    /// Starts it in a world of its own.
    pub fn start(program: &Path, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.env_clear();
        if program.file_name().is_some_and(|name| name == "countersign") {
            // A folder that is named isn't asked about.
            command.args(["--workspace", "."]);
        }
        command.args(arguments);
        let workspace = folder.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        command.cwd(&workspace);
        command.env("HOME", folder.path());
        let settings = folder.path().join("config.toml");
        std::fs::write(&settings, SETTINGS).unwrap();
        command.env("COUNTERSIGN_CONFIG", settings);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        let shown = Shown { parser: vt100::Parser::new(ROWS, COLUMNS, 0), first: None, bytes: 0 };
        let shown = Arc::new((Mutex::new(shown), Condvar::new()));
        let (mut reader, seen) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&shown));
        let writer = pair.master.take_writer().unwrap();
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        std::thread::spawn(move || {
            let mut bytes = vec![0; 65_536];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                let mut shown = seen.0.lock().unwrap();
                shown.first.get_or_insert_with(Instant::now);
                shown.bytes += count;
                shown.parser.process(&bytes[..count]);
                drop(shown);
                seen.1.notify_all();
            }
        });
        Self { child, _master: pair.master, writer, shown, started, folder }
    }

    /// The folder it was started in.
    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// When it was started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// When its first byte came.
    pub fn first_byte(&self) -> Instant {
        self.shown.0.lock().unwrap().first.unwrap()
    }

    /// How many bytes it has written to the terminal.
    pub fn bytes(&self) -> usize {
        self.shown.0.lock().unwrap().bytes
    }

    /// Waits until its screen is so, and says when it was.
    pub fn until(&self, what: &str, patience: Duration, so: impl Fn(&vt100::Screen) -> bool) -> Instant {
        let not_yet = |shown: &mut Shown| !so(shown.parser.screen());
        let guard = self.shown.0.lock().unwrap();
        let (shown, waited) = self.shown.1.wait_timeout_while(guard, patience, not_yet).unwrap();
        assert!(!waited.timed_out(), "not seen: {what}\n{}", shown.parser.screen().contents());
        Instant::now()
    }

    /// Waits until its screen holds a text.
    pub fn until_shown(&self, text: &str, patience: Duration) -> Instant {
        self.until(text, patience, |screen| screen.contents().contains(text))
    }

    /// Sends keys.
    pub fn keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// The cell of the first letter that is typed, once the sign before it is drawn: row and column.
    pub fn composer(&self) -> (u16, u16) {
        let sign = |screen: &vt100::Screen| {
            let shown = |row: &u16| screen.cell(*row, 1).is_some_and(|cell| cell.contents() == "›");
            let at_start = |row: &u16| screen.cell(*row, 0).is_some_and(|cell| cell.contents() == "›");
            (0..ROWS).find(at_start).map(|row| (row, 2)).or_else(|| (0..ROWS).find(shown).map(|row| (row, 3)))
        };
        self.until("the sign before what is typed", Duration::from_secs(20), |screen| sign(screen).is_some());
        sign(self.shown.0.lock().unwrap().parser.screen()).unwrap()
    }

    /// Types a letter for a cell and says how long it took to show there.
    pub fn echo(&mut self, letter: char, (row, column): (u16, u16)) -> Duration {
        let begun = Instant::now();
        self.keys(&letter.to_string());
        let told = letter.to_string();
        let there = |screen: &vt100::Screen| screen.cell(row, column).is_some_and(|cell| cell.contents() == told);
        self.until("the letter that was typed", Duration::from_secs(20), there) - begun
    }

    /// The processor's time that the process itself has had, in seconds.
    pub fn spent(&self) -> f64 {
        let stat = self.proc("stat");
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: f64 = [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<f64>().ok()).sum();
        ticks / 100.0
    }

    /// A line of its memory's account in megabytes: `VmRSS`, `VmHWM` of `status`, `Pss` of `smaps_rollup`.
    pub fn memory(&self, file: &str, name: &str) -> f64 {
        let text = self.proc(file);
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap_or("0");
        line.split_whitespace().next().and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
    }

    fn proc(&self, file: &str) -> String {
        let id = self.child.process_id().unwrap_or(0);
        std::fs::read_to_string(format!("/proc/{id}/{file}")).unwrap_or_default()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
