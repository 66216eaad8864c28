//! What a child is to put up around itself, worked out by the program beforehand and handed over as data.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::layer::Layer;
use super::survey::TooMuch;
pub use crate::domain::Need;

/// The layers that walls are made of. Which of them this machine has is proved, not believed: see `proof`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers {
    /// A view of the disk, of processes and of the network of its own.
    pub namespaces: bool,
    /// Landlock.
    pub landlock: bool,
    /// A filter of system calls.
    pub syscalls: bool,
}

/// A file or folder that can't be read inside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Hidden {
    /// Where, after links.
    #[serde(with = "crate::domain::path")]
    pub path: PathBuf,
    /// Text that is read there instead; none means that it can't be opened.
    pub instead: Option<String>,
}

/// A folder that is empty inside but for what is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// The folder, after links.
    #[serde(with = "crate::domain::path")]
    pub at: PathBuf,
    /// What stays visible in it, as it is.
    #[serde(with = "crate::domain::path")]
    pub keep: Vec<PathBuf>,
    /// Whether it may be written to: a temporary folder of its own, gone at the end.
    pub writable: bool,
}

/// Everything that a child needs to know to put up its walls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// What is promised. A child that can't keep it ends.
    pub layers: Layers,
    /// The folder that the program starts in.
    #[serde(with = "crate::domain::path")]
    pub cwd: PathBuf,
    /// What can't be read.
    pub hidden: Vec<Hidden>,
    /// What is empty.
    pub covers: Vec<Cover>,
    /// The text of [`ATTRIBUTES`]; empty where there is no such file.
    pub attributes: String,
    /// The ways out that stay open.
    pub needs: BTreeSet<Need>,
    /// Why not everything sensitive is hidden, if so. Nothing to the child.
    #[serde(skip)]
    pub missed: Option<TooMuch>,
    /// Folders of git in what was looked through. Nothing to the child.
    #[serde(skip)]
    pub repositories: BTreeSet<PathBuf>,
    /// Where changes of the workspace land; none where it can't be changed.
    pub layer: Option<Layer>,
    /// Where the child hands out what a proxy of ours listens on, which is then all that is in its network.
    #[serde(with = "crate::domain::path", default)]
    pub door: Option<PathBuf>,
}

impl Plan {
    /// Whether its network is this machine's. One with a proxy is its own, whatever else it needs.
    pub(super) fn shares_network(&self) -> bool {
        let network = [Need::Network, Need::Interfaces].iter().any(|need| self.needs.contains(need));
        network && self.door.is_none()
    }

    /// Whether it can do in a network that others are in, too, as there is nothing: it needs no way out, and gets no
    /// sockets.
    #[must_use]
    pub fn quiet(&self) -> bool {
        self.layers.namespaces && self.layers.syscalls && self.needs.is_empty() && self.door.is_none()
    }

    /// The folder for temporary files inside, if there is one.
    #[must_use]
    pub fn temporary(&self) -> Option<&Path> {
        let private = self.covers.iter().find(|cover| cover.writable && self.layers.namespaces);
        private.map(|cover| cover.at.as_path())
    }

    /// The paths that can't be read, for Landlock: a file that is replaced can't be there.
    pub(super) fn hidden_paths(&self) -> BTreeSet<PathBuf> {
        let hidden = self.hidden.iter().filter(|hidden| hidden.instead.is_none()).map(|hidden| hidden.path.clone());
        let emptied = self.covers.iter().filter(|cover| !cover.writable).map(|cover| cover.at.clone());
        hidden.chain(emptied).collect()
    }
}

/// Where a contained command works and what of this machine it must not see. The beginning of every plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Root of the workspace; it stays visible whatever it lies in.
    pub workspace: PathBuf,
    /// The person's home folder, which stays visible but for what is hidden in it.
    pub home: Option<PathBuf>,
    /// The program's own files and folders.
    pub own: Vec<PathBuf>,
    /// The person's runtime folder (`XDG_RUNTIME_DIR`).
    pub runtime: Option<PathBuf>,
    /// What else stays visible in a folder for temporary files.
    pub kept: Vec<PathBuf>,
}

/// Folders for temporary files: private inside.
pub const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
/// Where git reads inside which committed files it must not show: a file of attributes, gitattributes(5).
pub const ATTRIBUTES: &str = "/dev/.attributes";
/// Folders in which the sockets of daemons are.
const SOCKETS: [&str; 2] = ["/run", "/var/run"];
/// Where the names of other machines are looked up, kept when there is a network.
const RESOLVER: [&str; 4] = [
    "/run/systemd/resolve/stub-resolv.conf",
    "/run/systemd/resolve/resolv.conf",
    "/run/NetworkManager/resolv.conf",
    "/run/resolvconf/resolv.conf",
];

/// The list of this machine's accounts.
const ACCOUNTS: &str = "/etc/passwd";

impl Surroundings {
    /// The plan of a reader: nothing may be changed, the `secrets` can't be read, and of all ways out only its
    /// `needs` are open.
    #[must_use]
    pub fn read_only(&self, layers: Layers, secrets: &BTreeSet<PathBuf>, needs: &BTreeSet<Need>, cwd: &Path) -> Plan {
        let mut plan = Plan { layers, cwd: cwd.to_path_buf(), needs: needs.clone(), ..Plan::default() };
        let mut kept = vec![self.workspace.clone()];
        kept.extend(self.home.iter().chain(&self.kept).filter_map(|path| real(path)));
        for folder in TEMPORARY.iter().filter_map(|folder| real(Path::new(folder))) {
            plan.cover(folder, &kept, true);
        }
        let sockets: Vec<PathBuf> = needs.iter().filter_map(Need::socket).filter_map(real).collect();
        if !sockets.is_empty() {
            let resolver = RESOLVER.iter().map(PathBuf::from).filter(|_| needs.contains(&Need::Network));
            let keep: Vec<PathBuf> = kept.iter().cloned().chain(sockets.iter().cloned()).chain(resolver).collect();
            let runtime = self.runtime.as_deref();
            for folder in SOCKETS.iter().map(Path::new).chain(runtime).filter_map(real) {
                plan.cover(folder, &keep, false);
            }
            for cover in plan.covers.iter_mut().filter(|cover| cover.writable) {
                cover.keep = within(&cover.at, &keep);
            }
        }
        if !sockets.is_empty() && layers.namespaces {
            let needed = |path: &Path| sockets.iter().any(|socket| path.starts_with(socket));
            for path in sockets_of_others().filter(|path| !needed(path)) {
                plan.hidden.push(Hidden { path, instead: None });
            }
        }
        // With namespaces both folders are the command's own.
        let private = |path: &Path| layers.namespaces && (path.starts_with("/dev") || path.starts_with("/proc"));
        for path in self.own.iter().filter_map(|path| real(path)).chain(secrets.iter().cloned()) {
            if !private(&path) {
                plan.hide(path, &self.workspace);
            }
        }
        plan
    }
}

impl Plan {
    /// Covers a folder once, unless what is kept is the folder itself.
    fn cover(&mut self, at: PathBuf, kept: &[PathBuf], writable: bool) {
        if kept.contains(&at) || self.covers.iter().any(|cover| at.starts_with(&cover.at)) {
            return;
        }
        let keep = within(&at, kept);
        self.covers.push(Cover { at, keep, writable });
    }

    /// Hides a path, or all around the workspace that lies in it.
    fn hide(&mut self, path: PathBuf, workspace: &Path) {
        if workspace.starts_with(&path) && workspace != path {
            self.cover(path, &[workspace.to_path_buf()], false);
        } else if workspace != path && !self.hidden.iter().any(|hidden| path.starts_with(&hidden.path)) {
            let instead = (path == Path::new(ACCOUNTS)).then(accounts).flatten();
            self.hidden.push(Hidden { path, instead });
        }
    }
}

/// The sockets of this machine that are named by a path, where that leads to one from here.
fn sockets_of_others() -> impl Iterator<Item = PathBuf> {
    use std::os::unix::fs::FileTypeExt as _;
    let listed = std::fs::read("/proc/self/net/unix").unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut paths: Vec<PathBuf> =
        listed.lines().filter_map(|line| line.find(" /").and_then(|at| real(Path::new(&line[at + 1..])))).collect();
    paths.sort();
    paths.dedup();
    paths.into_iter().filter(|path| path.symlink_metadata().is_ok_and(|about| about.file_type().is_socket()))
}

/// The list of accounts with hardly any: `root`, this person and `nobody`, so that files have owners by name.
fn accounts() -> Option<String> {
    let user = nix::unistd::getuid().to_string();
    let known = |line: &&str| line.split(':').nth(2).is_some_and(|number| [&user, "0", "65534"].contains(&number));
    let text = std::fs::read_to_string(ACCOUNTS).ok()?;
    Some(text.split_inclusive('\n').filter(known).collect())
}

/// What of the kept paths lies below a folder, outermost only.
fn within(at: &Path, kept: &[PathBuf]) -> Vec<PathBuf> {
    let mut keep: Vec<PathBuf> = kept.iter().filter(|path| path.starts_with(at) && *path != at).cloned().collect();
    keep.sort();
    keep.dedup_by(|path, before| path.starts_with(before));
    keep
}

/// The path after links; none if nothing is there.
fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(workspace: &Path, own: &Path, secrets: &[PathBuf], needs: &[Need]) -> Plan {
        let surroundings = Surroundings {
            workspace: workspace.to_path_buf(),
            home: Some("/".into()),
            own: vec![own.to_path_buf()],
            ..Surroundings::default()
        };
        let layers = Layers { namespaces: true, landlock: true, syscalls: true };
        let (secrets, needs) = (secrets.iter().cloned().collect(), needs.iter().cloned().collect());
        surroundings.read_only(layers, &secrets, &needs, workspace)
    }

    #[test]
    fn a_workspace_stays_in_sight_whatever_it_lies_in() {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let own = folder.path().canonicalize().unwrap();
        let workspace = own.join("practice/work");
        std::fs::create_dir_all(&workspace).unwrap();
        let plan = plan(&workspace, &own, &[workspace.join(".env")], &[]);
        assert_eq!(plan.cwd, workspace);
        let keeps = |at: &Path| plan.covers.iter().any(|cover| cover.at == at && cover.keep == [workspace.clone()]);
        assert!(keeps(Path::new("/tmp")), "{plan:?}");
        assert_eq!(plan.hidden, [Hidden { path: workspace.join(".env"), instead: None }]);
    }

    #[test]
    fn no_plan_of_a_reader_changes_anything_and_one_with_a_proxy_has_no_other_network() {
        let all =
            [Need::Network, Need::Web, Need::Processes, Need::Interfaces, Need::Socket("/run/docker.sock".into())];
        for chosen in 0..1_usize << all.len() {
            let needs: Vec<Need> =
                all.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, need)| need.clone()).collect();
            let plan = plan(Path::new("/usr"), Path::new("/nonexistent"), &[], &needs);
            assert_eq!((&plan.layer, &plan.door), (&None, &None), "{needs:?}");
            assert!(!Plan { door: Some("/door".into()), ..plan }.shares_network(), "{needs:?}");
        }
    }

    #[test]
    fn what_lies_in_a_hidden_folder_is_hidden_with_it_and_accounts_are_few() {
        let secrets = ["/usr/a", "/usr/a/b", "/dev/sda", "/etc/passwd"].map(PathBuf::from);
        let plan = plan(Path::new("/usr/share"), Path::new("/nonexistent"), &secrets, &[]);
        let hidden: Vec<_> = plan.hidden.iter().map(|hidden| hidden.path.to_str().unwrap()).collect();
        assert_eq!(hidden, ["/etc/passwd", "/usr/a"]);
        let accounts = plan.hidden[0].instead.as_ref().unwrap();
        assert!(accounts.starts_with("root:") && accounts.lines().count() <= 4, "{accounts}");
    }

    #[test]
    fn a_socket_is_kept_and_the_others_beside_it_are_not() {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let place = folder.path().canonicalize().unwrap();
        let socket = place.join("a.sock");
        std::fs::write(&socket, "").unwrap();
        let plan = plan(Path::new("/usr"), Path::new("/nonexistent"), &[], &[Need::Socket(socket.clone())]);
        let temporary = plan.covers.iter().find(|cover| cover.at == Path::new("/tmp")).unwrap();
        assert_eq!(temporary.keep, [socket]);
        assert!(plan.covers.iter().any(|cover| !cover.writable && cover.keep.is_empty()), "{plan:?}");
    }
}
