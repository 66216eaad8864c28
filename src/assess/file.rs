//! Judges operations on files: looking is whitelisted, changing is declared danger, and a sensitive file is so
//! under every spelling and at the end of every link.

use std::path::Path;

use super::{Mentions, RiskAssessor, Subject, run_later, spelling};
use crate::domain::{
    Assessment, Class, Danger, FileOperation, Finding, OperationKind, PathFact, PathKind, Place, Shape,
};

/// Devices whose content is a disk, whole.
const DISKS: [&str; 11] = [
    "/dev/sd",
    "/dev/hd",
    "/dev/vd",
    "/dev/xvd",
    "/dev/nvme",
    "/dev/mmcblk",
    "/dev/dm-",
    "/dev/mapper",
    "/dev/disk",
    "/dev/md",
    "/dev/loop",
];

/// Longest path that systems take, in bytes.
const PATH_CAP: usize = 4096;

/// Folders whose files are doors to devices or to other programs.
const DOORS: [&str; 2] = ["/dev", "/proc/self/fd"];

/// The assessor of `file_operations`.
#[derive(Clone, Copy, Debug)]
pub struct FileAssessor;

impl RiskAssessor for FileAssessor {
    fn mentions(&self, kind: &OperationKind, place: &Place) -> Mentions {
        let OperationKind::File(file) = kind else { return Mentions::default() };
        let mut mentions = Mentions::default();
        mentions.paths.extend(named(file).map(|(_, path)| path.to_owned()));
        // Who opens it may leave out what stands before `..`, be that a folder, a link or nothing.
        mentions
            .paths
            .extend(named(file).filter(|(_, path)| path.contains("..")).map(|(_, path)| absolute(path, place)));
        if changes(file) {
            mentions.contents.insert(file.path().to_owned());
        }
        mentions
    }

    fn assess(&self, subject: Subject<'_>) -> Assessment {
        let OperationKind::File(file) = &subject.operation.kind else { return Assessment::default() };
        let mut findings = Vec::new();
        for (role, path) in named(file) {
            match malformed(path) {
                Some(trouble) => findings.push(Finding::new(
                    "file.path",
                    Class::Unreadable,
                    format!("The {} {trouble}.", role.word()),
                )),
                None => findings.extend(Target::new(role, path, subject).findings(file)),
            }
        }
        let place = &subject.facts.place;
        let path = absolute(file.path(), place);
        let mut shape = Shape::new([("operation", file.verb().to_owned()), ("path", path)]);
        if let FileOperation::Move { destination, .. } = file {
            shape.0.insert("destination".to_owned(), absolute(destination, place));
        }
        let target = place.workspace.to_string_lossy().into_owned();
        if findings.is_empty() {
            let sentence = format!("It only looks: {} {}.", file.verb(), file.path());
            return Assessment { shapes: vec![shape], target, ..Assessment::whitelisted("file.look", sentence) };
        }
        Assessment { findings, shapes: vec![shape], target, ..Assessment::default() }
    }
}

/// What a path is to the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Path,
    Destination,
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Destination => "destination",
        }
    }
}

/// The paths that an operation names.
fn named(file: &FileOperation) -> impl Iterator<Item = (Role, &str)> {
    let destination = match file {
        FileOperation::Move { destination, .. } => Some((Role::Destination, destination.as_str())),
        FileOperation::Read { .. }
        | FileOperation::List { .. }
        | FileOperation::Exists { .. }
        | FileOperation::Write { .. }
        | FileOperation::Edit { .. }
        | FileOperation::Delete { .. } => None,
    };
    std::iter::once((Role::Path, file.path())).chain(destination)
}

fn changes(file: &FileOperation) -> bool {
    match file {
        FileOperation::Read { .. } | FileOperation::List { .. } | FileOperation::Exists { .. } => false,
        FileOperation::Write { .. }
        | FileOperation::Edit { .. }
        | FileOperation::Delete { .. }
        | FileOperation::Move { .. } => true,
    }
}

/// Why a path can't be meant as it stands.
fn malformed(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        Some("is empty")
    } else if path.chars().any(char::is_control) {
        Some("holds control characters")
    } else if path.trim() != path {
        Some("begins or ends with a blank")
    } else if path.len() > PATH_CAP {
        Some("is too long")
    } else {
        None
    }
}

/// The absolute path of a spelling, without `..`.
fn absolute(path: &str, place: &Place) -> String {
    spelling::absolute(path, place).into_iter().next().unwrap_or_default()
}

/// One path of an operation, with every path that it may stand for.
struct Target<'a> {
    role: Role,
    path: &'a str,
    subject: Subject<'a>,
    fact: Option<&'a PathFact>,
    /// By spelling, and by links.
    reached: Vec<String>,
}

impl<'a> Target<'a> {
    fn new(role: Role, path: &'a str, subject: Subject<'a>) -> Self {
        let fact = subject.facts.paths.get(path);
        let mut reached = spelling::absolute(path, &subject.facts.place);
        let plain = reached.first().and_then(|path| subject.facts.paths.get(path));
        reached.extend([fact, plain].into_iter().flatten().map(|fact| fact.real.to_string_lossy().into_owned()));
        Self { role, path, subject, fact, reached }
    }

    fn findings(&self, file: &FileOperation) -> Vec<Finding> {
        let mut findings = Vec::new();
        if changes(file) {
            findings.push(self.change(file));
            findings.extend(self.vital(file));
            findings.extend(self.run_later());
            findings.extend(self.outside());
        }
        // Names of what is there give nothing away; content does.
        if matches!(file, FileOperation::Read { .. }) || changes(file) {
            findings.extend(self.sensitive());
            findings.extend(self.special());
        }
        findings.extend(self.doubtful());
        findings
    }

    /// What it changes, in the words of the operation.
    fn change(&self, file: &FileOperation) -> Finding {
        let path = self.path;
        let danger = |rule, sentence| Finding::new(rule, Class::Declared(Danger::Destructive), sentence);
        let missing = self.fact.is_some_and(|fact| fact.kind == PathKind::Missing);
        match (file, self.role) {
            (FileOperation::Write { content, .. }, _) if missing => {
                danger("file.create", format!("Creates {path} with {} bytes.", content.len()))
            }
            (FileOperation::Write { content, .. }, _) => {
                let size = self.fact.map_or_else(String::new, |fact| format!(" ({} bytes)", fact.size));
                danger("file.overwrite", format!("Replaces the content of {path}{size} by {} bytes.", content.len()))
            }
            (FileOperation::Edit { all, .. }, _) => {
                let reach = if *all { "every occurrence" } else { "one place" };
                danger("file.edit", format!("Changes {reach} in {path}."))
            }
            (FileOperation::Delete { .. }, _) => danger("file.delete", format!("Deletes {path}.")),
            (FileOperation::Move { destination, .. }, Role::Path) => {
                danger("file.move", format!("Moves {path} to {destination}."))
            }
            (_, Role::Destination) => danger("file.move", format!("Puts a file at {path}.")),
            (FileOperation::Read { .. } | FileOperation::List { .. } | FileOperation::Exists { .. }, Role::Path) => {
                Finding::new("file.look", Class::Whitelisted, format!("Looks at {path}."))
            }
        }
    }

    /// Deleting or moving what everything else lives in, or writing over a disk.
    fn vital(&self, file: &FileOperation) -> Option<Finding> {
        let catastrophe = |sentence| Some(Finding::new("file.catastrophe", Class::Catastrophe, sentence));
        if self.reached.iter().any(|path| DISKS.iter().any(|disk| path.starts_with(disk))) {
            return catastrophe(format!("{} is a disk.", self.path));
        }
        let place = &self.subject.facts.place;
        let own = self.subject.settings.sensitive.own();
        let real = self.fact.is_some_and(|fact| own.has(&fact.real));
        if real || self.reached.iter().any(|path| own.named(path, place)) {
            return catastrophe(format!("{} is Countersign's own, which no tool changes.", self.path));
        }
        let takes = matches!(file, FileOperation::Delete { .. } | FileOperation::Move { .. });
        if !takes || self.role == Role::Destination {
            return None;
        }
        if self.reached.iter().any(|path| own.below(Path::new(path))) {
            return catastrophe(format!("{} holds Countersign's own files, which no tool changes.", self.path));
        }
        let holds = |inner: &Path| self.reached.iter().any(|path| inner.starts_with(path));
        if self.reached.iter().any(|path| path == "/") {
            catastrophe("It would take the whole file system.".to_owned())
        } else if holds(Path::new(&spelling::home(place))) {
            catastrophe("It would take the home folder.".to_owned())
        } else if holds(&place.workspace) {
            catastrophe("It would take the workspace.".to_owned())
        } else {
            None
        }
    }

    fn run_later(&self) -> Option<Finding> {
        let entry = self.reached.iter().find_map(|path| run_later::entry(path, &self.subject.facts.place))?;
        let sentence = format!("Others run what {} holds: {entry}.", self.path);
        Some(Finding::new("file.run-later", Class::Declared(Danger::Destructive), sentence))
    }

    /// By where it really is; by spelling where nobody looked.
    fn outside(&self) -> Option<Finding> {
        let workspace = &self.subject.facts.place.workspace;
        let inside = match self.fact {
            Some(fact) => fact.real.starts_with(workspace),
            None => self.reached.iter().all(|path| Path::new(path).starts_with(workspace)),
        };
        if inside {
            return None;
        }
        let sentence = format!("{} is outside the workspace {}.", self.path, workspace.display());
        Some(Finding::new("file.outside", Class::Declared(Danger::Destructive), sentence))
    }

    fn sensitive(&self) -> Option<Finding> {
        let Subject { facts, settings, .. } = self.subject;
        let exact = self.reached.iter().find_map(|path| settings.sensitive.entry(path, &facts.place));
        // No tool expands a pattern here, but a person may take it for one.
        let entry = exact.or_else(|| settings.sensitive.may_match(self.path, &facts.place))?;
        let sentence = format!("{} is sensitive: {entry}.", self.path);
        Some(Finding::new("file.sensitive", Class::Declared(Danger::Sensitive), sentence))
    }

    fn special(&self) -> Option<Finding> {
        let special = self.fact.is_some_and(|fact| fact.kind == PathKind::Special);
        let door =
            self.reached.iter().any(|path| DOORS.iter().any(|door| spelling::within(path, door)) || descriptor(path));
        (special || door).then(|| {
            let sentence = format!("{} is no ordinary file: a device, a pipe or a socket.", self.path);
            Finding::new("file.special", Class::Unknown, sentence)
        })
    }

    fn doubtful(&self) -> Option<Finding> {
        if self.path.contains("://") {
            let sentence = format!("{} is written as a URL, not as a path.", self.path);
            return Some(Finding::new("file.path", Class::Unknown, sentence));
        }
        let unseen = self.fact.is_some_and(|fact| fact.kind == PathKind::Unreadable);
        unseen.then(|| {
            Finding::new("file.unseen", Class::Unknown, format!("{} couldn't be looked at before.", self.path))
        })
    }
}

/// Whether a path is an open file of a process.
fn descriptor(path: &str) -> bool {
    path.starts_with("/proc/") && path.split('/').any(|part| part == "fd")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::{AssessSettings, assess};
    use crate::domain::{Claim, Facts, Operation, OperationId, Origin, RiskLevel};

    fn place() -> Place {
        Place { cwd: "/home/ann/work".into(), workspace: "/home/ann/work".into(), home: Some("/home/ann".into()) }
    }

    fn judged_with(file: FileOperation, facts: &Facts) -> Assessment {
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: "file_operations".to_owned(),
            claim: Claim::Absent,
            kind: OperationKind::File(file),
            cwd: place().cwd,
        };
        assess(&FileAssessor, Subject { operation: &operation, facts, settings: &AssessSettings::default() })
    }

    fn judged(file: FileOperation) -> Assessment {
        judged_with(file, &Facts { place: place(), ..Facts::default() })
    }

    fn read(path: &str) -> FileOperation {
        FileOperation::Read { path: path.to_owned(), offset: None, limit: None }
    }

    fn write(path: &str) -> FileOperation {
        FileOperation::Write { path: path.to_owned(), content: "x".to_owned() }
    }

    fn rules(assessment: &Assessment) -> Vec<&str> {
        assessment.findings.iter().map(|finding| finding.rule.as_str()).collect()
    }

    fn fact(real: &str, kind: PathKind) -> PathFact {
        PathFact { real: real.into(), kind, size: 5, content: None }
    }

    #[test]
    fn looking_is_whitelisted() {
        let list = FileOperation::List { path: "~/.ssh".to_owned() };
        let exists = FileOperation::Exists { path: ".env".to_owned() };
        for file in [
            read("src/main.rs"),
            read("/etc/hosts"),
            read(".env.example"),
            read("/proc/meminfo"),
            read("app/[slug]/page.tsx"),
            list,
            exists,
        ] {
            assert_eq!(judged(file.clone()).class(), Class::Whitelisted, "{file:?}");
        }
    }

    #[test]
    fn a_sensitive_file_is_declared_in_every_spelling_and_behind_a_link() {
        for path in [".env", "a/../.env", "~/.ssh/id_rsa", "/etc/shadow", "file:///etc/shadow", "%2e%65nv", ".en?"] {
            assert_eq!(judged(read(path)).class(), Class::Declared(Danger::Sensitive), "{path}");
        }
        let mut facts = Facts { place: place(), ..Facts::default() };
        facts.paths.insert("notes.txt".to_owned(), fact("/home/ann/.aws/credentials", PathKind::File));
        assert_eq!(rules(&judged_with(read("notes.txt"), &facts)), ["file.sensitive"]);
    }

    #[test]
    fn changes_are_destructive_and_name_what_they_change() {
        let mut facts = Facts { place: place(), ..Facts::default() };
        facts.paths.insert("new.txt".to_owned(), fact("/home/ann/work/new.txt", PathKind::Missing));
        facts.paths.insert("old.txt".to_owned(), fact("/home/ann/work/old.txt", PathKind::File));
        assert_eq!(rules(&judged_with(write("new.txt"), &facts)), ["file.create"]);
        let overwritten = judged_with(write("old.txt"), &facts);
        assert_eq!(overwritten.leading().unwrap().sentence, "Replaces the content of old.txt (5 bytes) by 1 bytes.");
        assert_eq!((overwritten.level(), overwritten.target.as_str()), (RiskLevel::High, "/home/ann/work"));
        assert_eq!(rules(&judged(FileOperation::Delete { path: "old.txt".to_owned() })), ["file.delete"]);
    }

    #[test]
    fn run_later_and_outside_are_findings_of_their_own() {
        assert_eq!(rules(&judged(write("package.json"))), ["file.overwrite", "file.run-later"]);
        assert_eq!(rules(&judged(write("../x.txt"))), ["file.overwrite", "file.outside"]);
        let moved = FileOperation::Move { path: "a".to_owned(), destination: ".git/hooks/pre-push".to_owned() };
        assert_eq!(rules(&judged(moved)), ["file.move", "file.move", "file.run-later"]);
        let mut facts = Facts { place: place(), ..Facts::default() };
        facts.paths.insert("link/a".to_owned(), fact("/srv/a", PathKind::File));
        assert_eq!(rules(&judged_with(write("link/a"), &facts)), ["file.overwrite", "file.outside"]);
    }

    #[test]
    fn taking_everything_is_a_catastrophe() {
        for path in ["/", "~", ".", "..", "/home/ann", "src/..", "/home"] {
            let file = FileOperation::Delete { path: path.to_owned() };
            assert_eq!(judged(file).class(), Class::Catastrophe, "{path}");
        }
        assert_eq!(judged(write("/dev/sda")).class(), Class::Catastrophe);
    }

    #[test]
    fn malformed_paths_and_special_files_are_never_whitelisted() {
        for path in ["", "a\0", " a", "a ", "a\nb"] {
            assert_eq!(judged(read(path)).class(), Class::Unreadable, "{path:?}");
        }
        assert_ne!(judged(read("/dev/tty")).class(), Class::Whitelisted);
        assert_ne!(judged(read("/proc/self/fd/3")).class(), Class::Whitelisted);
        let mut facts = Facts { place: place(), ..Facts::default() };
        facts.paths.insert("pipe".to_owned(), fact("/home/ann/work/pipe", PathKind::Special));
        assert_ne!(judged_with(read("pipe"), &facts).class(), Class::Whitelisted);
    }
}
