//! Bash among probes: a folder whose programs, whatever they are called, write down their arguments. Builtins that
//! only print are switched off, so that they are found there too; wrappers go on as the real program, so that what
//! they run is written down as well.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use countersign::domain::Place;

use crate::folder::Snapshot;

/// Longest run.
const LIMIT: Duration = Duration::from_secs(3);
/// Builtins that don't change the shell: as programs, they are written down.
const BUILTINS: &str = "echo printf test [ kill type hash times umask ulimit jobs wait";
/// Wrappers, which must run what they are given; and `find`, which runs programs too.
const WRAPPERS: [&str; 13] =
    ["env", "nice", "ionice", "nohup", "timeout", "stdbuf", "setsid", "chronic", "xargs", "find", "sh", "bash", "dash"];

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited,
    /// It was ended at the limit.
    Limit,
}

/// What a run did.
pub struct Run {
    /// The arguments of every program that was started, its name first.
    pub ran: Vec<Vec<Vec<u8>>>,
    /// What changed in the folder or the home folder.
    pub changes: Vec<String>,
    /// How it ended.
    pub end: End,
}

/// A folder to run in, a home folder, and probes for each exit status.
pub struct Probes {
    root: tempfile::TempDir,
    linked: Mutex<BTreeSet<String>>,
    before: Snapshot,
}

impl Probes {
    /// Sets the folders up.
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["work/src", "work/-d", "home/notes", "log", "bin0", "bin1"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        // No name with a blank: a loop's unquoted variable would be split there. That is a fact about the folder, which
        // asks wherever words may be flags; a word alone is read as the pattern that it was.
        for file in ["a", "ab", "a.txt", "bc.txt", "README.md", "src/main.rs", ".hidden", "*", "[x]", "x=1", "é"] {
            fs::write(root.path().join("work").join(file), "x\n").unwrap();
        }
        fs::write(root.path().join("home/notes/a.md"), "x\n").unwrap();
        let real = root.path().canonicalize().unwrap();
        for status in [0, 1] {
            probe(&real, status);
        }
        let before = Snapshot::of(&real.join("work"));
        let probes = Self { root, linked: Mutex::default(), before };
        let names = BUILTINS.split(' ').chain(WRAPPERS).chain(["rm", "touch", "ls", "cat", ".unknown"]);
        names.for_each(|name| probes.link(name));
        probes
    }

    /// Where commands run.
    pub fn place(&self) -> Place {
        let (work, home) = (self.path("work"), self.path("home"));
        Place { cwd: work.clone(), workspace: work, home: Some(home) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    fn link(&self, name: &str) {
        if self.linked.lock().unwrap().insert(name.to_owned()) {
            for status in [0, 1] {
                symlink("../probe".to_owned() + &status.to_string(), self.path(&format!("bin{status}")).join(name))
                    .unwrap();
            }
        }
    }

    /// Runs a command line in bash; every program ends with `status`.
    pub fn run(&self, command: &str, status: u8) -> Run {
        // A log of its own for each run: what outlives one must not write into the next.
        let log = tempfile::tempdir_in(self.path("log")).unwrap();
        let mut child = Command::new("/bin/bash")
            .args(["--noprofile", "--norc", "-c", command])
            .current_dir(self.path("work"))
            .env_clear()
            .env("PATH", self.path(&format!("bin{status}")))
            .env("HOME", self.path("home"))
            .env("PROBE_LOG", log.path())
            .env("BASH_ENV", self.path(&format!("rc{status}")))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let end = waited(&mut child);
        let mut ran = Vec::new();
        for entry in log.path().read_dir().unwrap() {
            ran.extend(records(&fs::read(entry.unwrap().path()).unwrap()));
        }
        let changes = self.before.changes(&Snapshot::of(&self.path("work")));
        Run { ran, changes, end }
    }
}

/// Waits for its end, for so long; then ends its whole group.
fn waited(child: &mut std::process::Child) -> End {
    let started = Instant::now();
    loop {
        if child.try_wait().unwrap().is_some() {
            return End::Exited;
        }
        if started.elapsed() > LIMIT {
            let group = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
            let _gone = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
            child.wait().unwrap();
            return End::Limit;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Writes the probe for an exit status, and what bash reads before the command. Each process has a log of its own;
/// what it prints is as hostile as anything that a real program could print.
fn probe(root: &Path, status: u8) {
    let mut script = String::from(
        "#!/bin/sh\nname=${0##*/}\nif [ \"$name\" = .unknown ]; then name=$1; shift; fi\n\
         printf '%s\\0' \"$#\" \"$name\" \"$@\" >> \"$PROBE_LOG\"/$$\ncase $name in\n",
    );
    for name in WRAPPERS {
        let folders = ["/usr/bin/", "/bin/"];
        if let Some(real) = folders.iter().map(|folder| format!("{folder}{name}")).find(|path| Path::new(path).exists())
        {
            script += &format!("{name}) exec {real} \"$@\" ;;\n");
        }
    }
    script += &format!(
        "esac\nhostile() {{ printf '%s\\n' '-rf a  b*' '$(touch planted); touch planted' '~'; }}\n\
         case $name in\nwc) case $* in -[lwcmL]) echo 7 ;; *) echo 1 2 x ;; esac ;;\n\
         uname) case $* in -[rmspi]|--kernel-*|--machine) echo 6.1.0-9_x+b ;; *) hostile ;; esac ;;\n\
         dpkg-query) case $* in *ackage*) printf '%s\\n' bash libc6:amd64 ;; *) hostile ;; esac ;;\n\
         git) case $* in merge-base*|rev-parse*|rev-list*|*format=%[hH]*) printf '%s\\n' 1f2e3d4 ab12cd3 ;; *) hostile ;; esac ;;\n\
         docker) case $* in 'ps -q'*|'ps -aq'*|'images -q'*) printf '%s\\n' 1f2e3d4c5b6a ;;\n\
         'volume ls -q'*|*format*.Names*|*format*.ID*) printf '%s\\n' web-1 A.b_c ;;\n\
         ps|'ps -a') printf '%s\\n' 'CONTAINER ID  IMAGE' '1f2e3d4c5b6a  web -rf' ;; *) hostile ;; esac ;;\n\
         kubectl) case $* in *'-o name'*|*'.metadata.name}}'*) printf '%s\\n' pod/web-1 a.b-c ;;\n\
         *-o*) hostile ;;\n\
         'get pods'*|'top pods'*) printf '%s\\n' 'NAME   READY' 'web-1  -rf 1/1' ;; *) hostile ;; esac ;;\n\
         grep|head) if [ -p /dev/stdin ]; then /bin/cat; else hostile; fi ;;\n\
         awk) if [ -p /dev/stdin ]; then exec /usr/bin/awk \"$@\"; else hostile; fi ;;\n\
         *) hostile ;;\nesac\nexit {status}\n"
    );
    let path = root.join(format!("probe{status}"));
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let unknown = root.join(format!("bin{status}/.unknown"));
    let rc = format!("enable -n {BUILTINS}\ncommand_not_found_handle() {{ {} \"$@\"; }}\n", unknown.display());
    fs::write(root.join(format!("rc{status}")), rc).unwrap();
}

/// The argument lists in a log.
fn records(log: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut fields = log.split(|byte| *byte == 0);
    let mut records = Vec::new();
    while let Some(count) = fields.next().and_then(|count| std::str::from_utf8(count).ok()?.parse::<usize>().ok()) {
        records.push(fields.by_ref().take(count + 1).map(<[u8]>::to_vec).collect());
    }
    records
}

/// An argument list for a person.
pub fn shown(argv: &[Vec<u8>]) -> String {
    format!("{:?}", argv.iter().map(|word| String::from_utf8_lossy(word)).collect::<Vec<_>>())
}
