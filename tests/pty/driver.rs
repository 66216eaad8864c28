//! Drives a program in a pseudo-terminal and reads its screen as a person would.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long anything may take; generous, since other tests run beside it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running program and its screen.
pub struct Driver {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    folder: tempfile::TempDir,
}

impl Driver {
    /// Countersign with the given arguments in a world of its own, configured already by an empty file, its folder named.
    pub fn start(columns: u16, rows: u16, arguments: &[&str]) -> Self {
        let arguments = [&["--workspace", "."], arguments].concat();
        Self::start_program(Path::new(env!("CARGO_BIN_EXE_countersign")), &arguments, columns, rows, &[])
    }

    /// Any program, with a scrubbed environment and an empty configuration.
    pub fn start_program(
        program: &Path,
        arguments: &[&str],
        columns: u16,
        rows: u16,
        variables: &[(&str, &str)],
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join(".config/countersign");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("config.toml"), "").unwrap();
        Self::start_in(folder, program, arguments, (columns, rows), variables)
    }

    /// Countersign as it is started for the very first time: no configuration, nothing said.
    #[cfg(target_os = "linux")]
    pub fn first_start(columns: u16, rows: u16, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
        Self::start_in(tempfile::tempdir().unwrap(), program, arguments, (columns, rows), variables)
    }

    /// The same once more, in the folders that it had.
    #[cfg(target_os = "linux")]
    pub fn start_again(mut self, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let (rows, columns) = self.screen.lock().unwrap().screen().size();
        let empty = tempfile::tempdir().unwrap();
        let folder = std::mem::replace(&mut self.folder, empty);
        let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
        Self::start_in(folder, program, arguments, (columns, rows), variables)
    }

    fn start_in(
        folder: tempfile::TempDir,
        program: &Path,
        arguments: &[&str],
        (columns, rows): (u16, u16),
        variables: &[(&str, &str)],
    ) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.env_clear();
        command.args(arguments);
        let workspace = folder.path().join("workspace");
        std::fs::create_dir_all(&workspace).unwrap();
        command.cwd(&workspace);
        command.env("HOME", folder.path());
        command.env("COUNTERSIGN_DATA", folder.path().join("data"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0)));
        let (mut reader, shown) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = vec![0; 65_536];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..count]);
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Self { child, master: pair.master, writer, screen, folder }
    }

    /// The program's data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Its home folder.
    #[cfg(target_os = "linux")]
    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    /// The folder it was started in.
    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// What the screen shows.
    pub fn shows(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// The emulated screen.
    pub fn screen(&self) -> std::sync::MutexGuard<'_, vt100::Parser> {
        self.screen.lock().unwrap()
    }

    /// Whether the program still has the terminal.
    pub fn in_alternate_screen(&self) -> bool {
        self.screen.lock().unwrap().screen().alternate_screen()
    }

    /// Whether the terminal gives whole lines and shows what is typed, as a shell leaves it.
    pub fn reads_lines(&self) -> bool {
        use nix::sys::termios::LocalFlags;
        let wanted = (LocalFlags::ICANON | LocalFlags::ECHO).bits();
        self.master.get_termios().is_some_and(|modes| modes.local_flags.bits() & wanted == wanted)
    }

    /// Sends keys as the terminal would.
    pub fn keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Leaves what is in front, types a message letter by letter, sends it.
    pub fn say(&mut self, text: &str) {
        for letter in text.chars() {
            self.keys(&letter.to_string());
            std::thread::sleep(Duration::from_millis(3));
        }
        std::thread::sleep(Duration::from_millis(50));
        self.keys("\r");
    }

    /// Waits until the screen shows a text.
    pub fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |it| it.shows().contains(text));
    }

    /// Waits until something is so.
    pub fn wait_until(&mut self, what: &str, mut so: impl FnMut(&Self) -> bool) {
        let began = Instant::now();
        while !so(self) {
            assert!(began.elapsed() < PATIENCE, "not seen: {what}\n{}", self.shows());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The number of the operation in the dialog, from its title.
    pub fn dialog_number(&self) -> String {
        let shown = self.shows();
        let title = shown.lines().find(|line| line.contains("HIGH") && line.contains('╔')).unwrap_or_default();
        let title = title.split_once('╔').map_or("", |(_, title)| title);
        title.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect()
    }

    /// Another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.screen.lock().unwrap().screen_mut().set_size(rows, columns);
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
        std::thread::sleep(Duration::from_millis(150));
    }

    /// Asks the program to leave by a signal.
    pub fn terminate(&mut self) {
        self.signal(nix::sys::signal::Signal::SIGTERM);
    }

    /// Sends the program a signal.
    pub fn signal(&mut self, signal: nix::sys::signal::Signal) {
        let id = i32::try_from(self.child.process_id().unwrap()).unwrap();
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), signal).unwrap();
    }

    /// Sends a signal to what the terminal's shell runs, as the terminal would.
    pub fn signal_foreground(&mut self, signal: nix::sys::signal::Signal) {
        let group = self.master.process_group_leader().unwrap();
        nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), signal).unwrap();
    }

    /// Waits for the end; the terminal must have been given back.
    pub fn wait_for_exit(&mut self) {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status:?}\n{}", self.shows());
                break;
            }
            assert!(began.elapsed() < PATIENCE, "it doesn't leave\n{}", self.shows());
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(100));
        assert!(!self.in_alternate_screen());
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ended = self.child.kill();
    }
}

/// How many orders the practice database of the only session holds, and how many of them are cancelled.
pub fn practice_orders(data: &Path) -> (i64, i64) {
    use sqlx::{Connection as _, SqliteConnection};
    let worlds: Vec<_> = std::fs::read_dir(data.join("practice")).unwrap().map(|world| world.unwrap().path()).collect();
    assert_eq!(worlds.len(), 1, "{worlds:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = format!("sqlite:{}?mode=ro", worlds[0].join("shop.db").display());
        let mut connection = SqliteConnection::connect(&url).await.unwrap();
        let sql = "SELECT count(*), coalesce(sum(status = 'cancelled'), 0) FROM orders";
        let counts: (i64, i64) = sqlx::query_as(sql).fetch_one(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        counts
    })
}
