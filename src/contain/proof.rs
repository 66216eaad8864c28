//! What is really enforced here: a canary is sent behind walls of each sort, the strongest first, and tries to get
//! out. Walls with a hole are not used. The result is kept until the kernel or the program changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::canary::{CANARY, CHANGED, Errand, Try};
use super::door::{DOOR, Door};
use super::handover::{Answer, Handover, Program};
use super::layer::Layer;
use super::plan::{Layers, Plan, Surroundings};
use super::{CHILD, WALLED};
use crate::domain::Wall;

/// Longest that one canary may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// File in the state folder that keeps the result.
const KEPT: &str = "walls.json";
/// Version of the tests: another one makes a kept result worthless.
const VERSION: u32 = 3;
/// What the files hold that must not change.
const AS_IT_WAS: &str = "as it was";
/// Word in every planted secret.
const TOKEN: &str = "canary-4be1d0";

/// The sorts of walls, the strongest first.
const SORTS: [(&str, Layers); 3] = [
    ("namespaces, Landlock and a filter of system calls", Layers { namespaces: true, landlock: true, syscalls: true }),
    ("namespaces and a filter of system calls", Layers { namespaces: true, landlock: false, syscalls: true }),
    ("Landlock and a filter of system calls", Layers { namespaces: false, landlock: true, syscalls: true }),
];

/// What was proved on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// What the result is good for: kernel, program, person.
    key: String,
    /// The walls in use; none if no sort of them holds.
    pub layers: Option<Layers>,
    /// In words.
    pub made_of: String,
    /// By wall: how many ways out were tried, none of which led out.
    pub tried: BTreeMap<Wall, usize>,
    /// Why stronger walls are not used, one sentence for each.
    pub passed_over: Vec<String>,
    /// The same as `tried` with the workspace as a layer; or why that isn't used, in a sentence without its end.
    pub staged: Result<BTreeMap<Wall, usize>, String>,
    /// Whether the same holds where a proxy of ours is in the network of a staged run; or why not, as before.
    pub proxied: Result<(), String>,
}

impl Default for Proof {
    fn default() -> Self {
        Self {
            key: String::new(),
            layers: None,
            made_of: String::new(),
            tried: BTreeMap::new(),
            passed_over: Vec::new(),
            staged: Err("nothing is contained here".to_owned()),
            proxied: Err("nothing is contained here".to_owned()),
        }
    }
}

impl Proof {
    /// A proof of nothing, for the reason given.
    #[must_use]
    pub fn nothing(why: String) -> Self {
        Self { passed_over: vec![why], ..Self::default() }
    }

    /// Whether a workspace as a layer holds.
    #[must_use]
    pub fn stages(&self) -> bool {
        self.layers.is_some() && self.staged.is_ok()
    }
}

/// The result that was kept, if it is still good.
#[must_use]
pub fn kept(launcher: &Path, state: &Path) -> Option<Proof> {
    let text = fs::read(state.join(KEPT)).ok()?;
    let proof: Proof = serde_json::from_slice(&text).ok()?;
    (proof.key == key(launcher)).then_some(proof)
}

/// Sends the canaries, and keeps what came of it. Takes tens of milliseconds; waits for children.
#[must_use]
pub fn prove(launcher: &Path, state: &Path) -> Proof {
    let mut proof = Proof { key: key(launcher), ..Proof::default() };
    for (made_of, layers) in SORTS {
        match send(launcher, state, layers, Kind::Reader) {
            Ok(tried) => {
                let staged = if layers.namespaces {
                    send(launcher, state, layers, Kind::Staged)
                } else {
                    Err("there are no namespaces for a layer".to_owned())
                };
                let proxied = match &staged {
                    Ok(_) => send(launcher, state, layers, Kind::Proxied).map(drop),
                    Err(why) => Err(why.clone()),
                };
                proof = Proof { layers: Some(layers), made_of: made_of.to_owned(), tried, staged, proxied, ..proof };
                break;
            }
            Err(why) => proof.passed_over.push(format!("{made_of}: {why}")),
        }
    }
    // A result that can't be kept is found again the next time.
    let _lost = keep(&proof, state);
    proof
}

/// Throws a kept result away.
pub fn forget(state: &Path) {
    let _gone = fs::remove_file(state.join(KEPT));
}

fn keep(proof: &Proof, state: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(state)?;
    let place = state.join(KEPT);
    let part = state.join(format!("{KEPT}.{}", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
    io::Write::write_all(&mut file, &serde_json::to_vec(proof)?)?;
    fs::rename(part, place)
}

/// Kernel, program and person, as far as a change of them may change what holds.
fn key(launcher: &Path) -> String {
    let kernel = nix::sys::utsname::uname();
    let kernel = kernel.as_ref().map(|name| [name.release(), name.version()].map(|part| part.display().to_string()));
    let program =
        fs::metadata(launcher).map(|about: Metadata| (about.mtime(), about.mtime_nsec(), about.len(), about.ino()));
    format!("{VERSION} {kernel:?} {program:?} {}", nix::unistd::getuid())
}

/// What a canary is sent as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A command that only reads.
    Reader,
    /// A command whose changes land in a layer.
    Staged,
    /// The same with a proxy in its network.
    Proxied,
}

/// Sends one canary behind walls of one sort. Gives how often each wall was tried.
fn send(launcher: &Path, state: &Path, layers: Layers, kind: Kind) -> Result<BTreeMap<Wall, usize>, String> {
    let told = |error: io::Error| format!("it couldn't be tried: {error}");
    let cage = Cage::build(state, kind).map_err(told)?;
    let plan = cage.plan(launcher, layers);
    let handover = Handover::new(Some(&plan)).map_err(told)?;
    let errand = serde_json::to_string(&cage.errand).map_err(|error| error.to_string())?;
    let program = Program { path: launcher.to_path_buf(), arguments: vec![CANARY.to_owned(), errand] };
    handover.send(&program).map_err(told)?;
    let child = Command::new(launcher)
        .args([CHILD, &std::process::id().to_string(), WALLED])
        .current_dir(&plan.cwd)
        .env_clear()
        .stdin(handover.input().map_err(told)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(told)?;
    let said = ended(child).map_err(told)?;
    match handover.answer() {
        Answer::Began => {}
        Answer::Failed(why) => return Err(why),
        Answer::Up | Answer::Silent => return Err("the walls couldn't be put up".to_owned()),
    }
    cage.unharmed()?;
    let report: Vec<Try> = serde_json::from_slice(&said).map_err(|_| "the test said nothing".to_owned())?;
    let mut tried = BTreeMap::new();
    for one in &report {
        if one.refused.is_none() {
            return Err(format!("a test got through: {}", one.what));
        }
        *tried.entry(one.wall).or_default() += 1;
    }
    if String::from_utf8_lossy(&said).contains(TOKEN) {
        return Err("a planted secret was read".to_owned());
    }
    match Wall::ALL.into_iter().find(|wall| !tried.contains_key(wall)) {
        Some(untried) => Err(format!("it wasn't tried that {}", untried.promise())),
        None => Ok(tried),
    }
}

/// Waits for a child's end, and takes what it printed.
fn ended(mut child: Child) -> io::Result<Vec<u8>> {
    let mut out = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        // A cut output doesn't parse, which counts as a hole.
        let _cut = out.as_mut().map(|out| out.take(64 * 1024).read_to_end(&mut text));
        text
    });
    let until = Instant::now() + PATIENCE;
    while child.try_wait()?.is_none() {
        if Instant::now() > until {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other("it took too long"));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    reader.join().map_err(|_| io::Error::other("its output was lost"))
}

/// A small world of its own for one canary: a workspace and a home folder with planted secrets, a server, a socket
/// and a terminal that are listened to. Gone at the end.
struct Cage {
    folder: PathBuf,
    errand: Errand,
    own: PathBuf,
    server: TcpListener,
    socket: UnixListener,
    /// Who waits for the listener of a proxy, which is never asked for anything.
    door: Option<Door>,
    #[cfg(target_os = "linux")]
    _terminal: Option<nix::pty::OpenptyResult>,
}

impl Cage {
    fn build(state: &Path, kind: Kind) -> io::Result<Self> {
        let folder = state.join(format!("canary-{}", std::process::id()));
        let _left = fs::remove_dir_all(&folder);
        let (work, home, own) = (folder.join("work"), folder.join("home"), folder.join("own"));
        let layer = Layer { workspace: work.clone(), folder: own.join("layer") };
        for folder in [&work, &home.join(".ssh"), &own, &layer.upper(), &layer.work()] {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let folder = folder.canonicalize()?;
        let secrets = [work.join(".env"), home.join(".ssh/id_ed25519"), own.join("journal.sqlite")];
        for secret in &secrets {
            fs::write(secret, TOKEN)?;
        }
        let (notes, letter) = (work.join("notes.txt"), home.join("letter.txt"));
        for file in [&notes, &letter] {
            fs::write(file, AS_IT_WAS)?;
        }
        let (file, staged) = match kind {
            Kind::Reader => (notes, None),
            Kind::Staged | Kind::Proxied => (letter, Some(notes)),
        };
        let door = if kind == Kind::Proxied { Some(Door::open(&layer.folder.join(DOOR))?) } else { None };
        let server = TcpListener::bind("127.0.0.1:0")?;
        server.set_nonblocking(true)?;
        // A path of a socket is short, wherever the state folder is.
        let place = if folder.as_os_str().len() < 80 { folder.clone() } else { std::env::temp_dir() };
        let place = place.join(format!("canary-{}.sock", std::process::id()));
        let _left = fs::remove_file(&place);
        let socket = UnixListener::bind(&place)?;
        socket.set_nonblocking(true)?;
        let number = i32::try_from(std::process::id()).ok().filter(|number| *number > 16);
        #[cfg(target_os = "linux")]
        let terminal = nix::pty::openpty(None, None).ok();
        #[cfg(target_os = "linux")]
        let path = terminal.as_ref().and_then(|pair| nix::unistd::ttyname(&pair.slave).ok());
        #[cfg(not(target_os = "linux"))]
        let path = None;
        let errand = Errand {
            file,
            staged,
            home,
            secrets: secrets.to_vec(),
            port: server.local_addr()?.port(),
            socket: place,
            process: number,
            terminal: path,
        };
        Ok(Self {
            folder,
            errand,
            own,
            server,
            socket,
            door,
            #[cfg(target_os = "linux")]
            _terminal: terminal,
        })
    }

    fn plan(&self, launcher: &Path, layers: Layers) -> Plan {
        let surroundings = Surroundings {
            workspace: self.folder.join("work"),
            home: Some(self.folder.join("home")),
            own: vec![self.own.clone()],
            runtime: None,
            kept: vec![launcher.to_path_buf()],
        };
        let secrets = BTreeSet::from([self.folder.join("work/.env"), self.folder.join("home/.ssh")]);
        let plan = surroundings.read_only(layers, &secrets, &BTreeSet::new(), &surroundings.workspace);
        let layer = self.errand.staged.is_some().then(|| self.layer());
        Plan { layer, door: self.door.as_ref().map(|_| self.layer().folder.join(DOOR)), ..plan }
    }

    fn layer(&self) -> Layer {
        let folder = self.folder.join("own/layer");
        Layer { workspace: self.folder.join("work"), folder }
    }

    /// Whether everything is as it was, and nobody called.
    fn unharmed(&self) -> Result<(), String> {
        let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        let (notes, letter) = (self.folder.join("work/notes.txt"), self.errand.home.join("letter.txt"));
        let names = |folder: &Path| folder.read_dir().map(Iterator::count).unwrap_or_default();
        let as_it_was = text(&notes) == AS_IT_WAS && text(&letter) == AS_IT_WAS;
        if !as_it_was || names(&self.folder.join("work")) != 2 || names(&self.errand.home) != 2 {
            return Err("something was changed on the disk".to_owned());
        }
        if self.errand.staged.is_some() && text(&self.layer().upper().join("notes.txt")) != CHANGED {
            return Err("a change did not land in the layer".to_owned());
        }
        if self.server.accept().is_ok() || self.socket.accept().is_ok() {
            return Err("something called from inside".to_owned());
        }
        Ok(())
    }
}

impl Drop for Cage {
    fn drop(&mut self) {
        use std::os::unix::fs::PermissionsExt as _;
        let _left = fs::remove_file(&self.errand.socket);
        // The kernel leaves a folder there that nobody may look into.
        let _none = fs::set_permissions(self.layer().work().join("work"), fs::Permissions::from_mode(0o700));
        let _left = fs::remove_dir_all(&self.folder);
    }
}
