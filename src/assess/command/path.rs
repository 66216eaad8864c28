//! Paths that commands name: where they lead, whether they are sensitive, a raw device, or a file that others run
//! later. Answers by spelling and by the facts of local reading; asks for the facts it needs.

use std::path::Path;

use super::super::run_later;
use super::judge::{Judge, Objects};
use super::own::LONGEST;
use super::word::{Piece, Reach, Word};
use crate::domain::{GlobFact, PathFact, PathKind, Shape};

/// Most words of one command that are looked at for sensitive names.
const NAMED: usize = 200;

/// The beginning of the number in `/dev/fd/3` or `/proc/self/fd/3`, which a program already has open; none for
/// any other path, whatever it begins with.
pub(super) fn descriptor(word: &Word) -> Option<&str> {
    let (path, more) = match word.pieces.as_slice() {
        [Piece::Exact(path)] => (path, false),
        [Piece::Exact(path), Piece::Number | Piece::Digits | Piece::Numbers] => (path, true),
        _ => return None,
    };
    let number = path.strip_prefix("/dev/fd/").or_else(|| path.strip_prefix("/proc/self/fd/"))?;
    ((more || !number.is_empty()) && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}

/// The folder in which a pattern begins to pick names.
fn folder_of(pattern: &str) -> &str {
    let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    fixed.rsplit_once('/').map_or(".", |(folder, _)| if folder.is_empty() { "/" } else { folder })
}

/// Whether a path, or what a pattern may match, lies where a repository of git keeps what is committed.
fn holds_objects(pattern: &str) -> bool {
    let may_be = |part: &str, name: &str| {
        let fixed = part.split(['*', '?', '[', '{']).next().unwrap_or_default();
        // A pattern matches no name with a point in front unless it begins with that itself.
        part == name
            || fixed.len() < part.len() && name.starts_with(fixed) && name.starts_with('.') == fixed.starts_with('.')
    };
    let parts: Vec<&str> = pattern.split('/').collect();
    let of_git = |part: &str| part.strip_suffix(".git").is_some() || may_be(part, ".git");
    let below = |at: usize| parts[at + 1..].iter().any(|part| may_be(part, "objects"));
    // One without a working tree has any name, and what lies in it has no ending.
    let bare = |at: usize| {
        parts[at].contains(['*', '?', '[', '{'])
            && parts.get(at + 1) == Some(&"objects")
            && parts.last().is_some_and(|last| !last.contains('.'))
    };
    parts.iter().position(|part| of_git(part)).is_some_and(below) || (0..parts.len()).any(bare)
}

/// Whether a search that begins there finds what git keeps of files, and was told to go there.
fn begins_in_git(folder: &str) -> bool {
    let mut parts = folder.split('/');
    let inside = parts.by_ref().any(|part| part == ".git");
    inside && parts.next().is_none_or(|part| matches!(part, "objects" | "modules" | "worktrees"))
}

impl Judge<'_> {
    /// The content of what a word names is read.
    pub(super) fn reads(&mut self, word: &Word) {
        if word.text() == Some("-") || descriptor(word).is_some() {
            return;
        }
        self.about(word, |judge| judge.read_by_name(word));
    }

    fn read_by_name(&mut self, word: &Word) {
        self.disclosed |= self.shows;
        self.looked = true;
        if self.recurses && self.shows && self.raw {
            self.finds = Objects::Here;
        }
        let pattern = word.pattern();
        if self.door(&pattern) {
            self.unreadable("command.path", format!("Where {} leads is known only to the program.", self.spelt(word)));
            return;
        }
        if self.shows && holds_objects(&self.absolute_if_moved(&pattern)) {
            self.sensitive(format!("In {} git keeps copies of files, also of sensitive ones.", self.spelt(word)));
            return;
        }
        if let Some(path) = word.text() {
            self.reads_path(path);
            return;
        }
        if self.scope.cwd.is_none() && !pattern.starts_with('/') {
            self.unreadable("command.path", format!("It reads {} in a folder that isn't known.", self.spelt(word)));
            return;
        }
        if self.shows && self.comes_apart(word) {
            self.sensitive(format!(
                "A name in {} has a blank: its parts may be names of other files.",
                self.spelt(word)
            ));
        } else if let Some(reach) = word.found() {
            self.below(word, reach);
            self.behind_found(word, &pattern);
        } else if self.recurses && self.shows && self.picks_among_secrets(&pattern) {
            self.sensitive(format!("Below {} there may be sensitive files.", self.spelt(word)));
        } else if word.vague() {
            self.unreadable("command.path", format!("It reads {}, which may become any file.", self.spelt(word)));
        } else if let Some(entry) = self.may_be_sensitive(&pattern) {
            self.sensitive(format!("The pattern {} may match a sensitive file: {entry}.", self.spelt(word)));
        } else if self.shows && (word.names_files() || word.computes_name() && !pattern.starts_with('/')) {
            self.expands(word, &pattern);
            if self.recurses || self.seeks.is_some() {
                self.all_below_each(&pattern);
            }
        }
    }

    /// What a pattern matches now, whatever its own letters say. Walls hide what is sensitive of it.
    fn expands(&mut self, word: &Word, pattern: &str) {
        let pattern = self.absolute_if_moved(pattern);
        let fact = self.facts.and_then(|facts| facts.globs.get(&pattern));
        let shown = word.shown();
        match fact {
            Some(GlobFact::Sensitive(path)) => {
                self.walled = Some(format!("The pattern {shown} matches {path}, which is sensitive."));
            }
            Some(GlobFact::TooMany) => {
                self.walled = Some(format!("The pattern {shown} may match a sensitive file among very many."));
            }
            Some(
                GlobFact::Nothing
                | GlobFact::Linked(_)
                | GlobFact::Behind(_)
                | GlobFact::Listed(_)
                | GlobFact::Tracked(_),
            )
            | None => {}
        }
        self.mentions.globs.insert(pattern);
    }

    /// What is written behind a path that a search found names another one, which nothing found.
    fn behind_found(&mut self, word: &Word, pattern: &str) {
        let found = |piece: &Piece| matches!(piece, Piece::Found(_) | Piece::Whole(_));
        let behind = word.pieces.iter().skip_while(|piece| !found(piece)).skip(1);
        let mut behind = behind.filter(|piece| !matches!(piece, Piece::Exact(text) if text.is_empty())).peekable();
        if behind.peek().is_none() {
            return;
        }
        let climbs = behind.any(|piece| matches!(piece, Piece::Exact(text) if text.contains("..")));
        if climbs || word.vague() {
            self.unreadable("command.path", format!("It reads {}, which may become any file.", self.spelt(word)));
        } else if let Some(entry) = self.sensitive.may_match(&self.absolute_if_moved(pattern), self.place) {
            self.sensitive(format!("{} may be a sensitive file: {entry}.", self.spelt(word)));
        }
    }

    fn reads_path(&mut self, path: &str) {
        if path.is_empty() {
            return;
        }
        if path.len() >= LONGEST {
            // Some programs shorten it before they open it.
            self.unreadable("command.path", "It reads something with a longer name than any path has.");
            return;
        }
        // Compilers' and linkers' tools read more arguments from `@file`, and print what they don't understand.
        let path = path.trim_start_matches('@');
        if self.scope.cwd.is_none() && !path.starts_with(['/', '~']) {
            self.unreadable("command.path", format!("It reads {path} in a folder that isn't known."));
            return;
        }
        if let Some(entry) = self.sensitive_entry(path) {
            self.sensitive(format!("{path} is sensitive: {entry}."));
        } else if self.device(path) {
            self.sensitive(format!("{path} is a device."));
        } else if self.recurses && self.shows && self.raw && self.normal(path).is_some_and(|path| begins_in_git(&path))
        {
            self.sensitive(format!("In {path} git keeps copies of files, also of sensitive ones."));
        } else if self.recurses && self.shows && self.lies_below(path) {
            self.sensitive(format!("Below {path} there are sensitive files."));
        } else if let Some(folder) = self.normal(path).filter(|_| (self.recurses || self.seeks.is_some()) && self.shows)
        {
            self.all_below(&folder);
        }
    }

    /// A program that reads whole folders, or files of some names there, reads the one that it stands in.
    pub(super) fn reads_folder(&mut self) {
        if self.recurses && self.shows && self.raw {
            self.finds = Objects::Here;
        }
        match self.folder() {
            _ if !self.shows => {}
            Some(folder) if !self.recurses && self.seeks.is_some() => self.all_below(&folder),
            _ if !self.recurses => {}
            None => self.unreadable("command.path", "It reads everything in a folder that isn't known."),
            Some(folder) if self.lies_below(&folder) => {
                self.sensitive(format!("Below {folder} there are sensitive files."));
            }
            Some(folder) => self.all_below(&folder),
        }
    }

    /// Whether sensitive files of the system or of a person lie somewhere below a folder, as spelled and as it really
    /// leads.
    pub(super) fn lies_below(&mut self, path: &str) -> bool {
        let spelled = self.absolute_if_moved(path);
        self.mentions.paths.insert(spelled.clone());
        let real = self.facts.and_then(|facts| facts.paths.get(&spelled)).map(|fact| fact.real.to_string_lossy());
        let mut paths = std::iter::once(spelled.as_str().into()).chain(real);
        paths.any(|path| self.sensitive.lies_below(&path, self.place))
    }

    /// Whether some word of a search, or the folder that it stands in, is a place with secrets of the system or of a person
    /// below it.
    pub(super) fn among_secrets(&mut self, words: &[Word]) -> bool {
        let folder = self.folder().is_some_and(|folder| self.lies_below(&folder));
        folder
            || words.iter().filter(|word| !word.prefix().starts_with('-')).any(|word| match word.text() {
                Some(place) => self.lies_below(place),
                None => self.picks_among_secrets(&word.pattern()),
            })
    }

    /// Whether a pattern picks names in a folder that has sensitive ones below.
    fn picks_among_secrets(&mut self, pattern: &str) -> bool {
        self.lies_below(folder_of(pattern))
    }

    /// How far a search from a place goes, as a word names it: to everything, if secrets lie below it.
    pub(super) fn reach(&mut self, word: &Word) -> Reach {
        let pattern = word.pattern();
        let fixed = if word.text().is_some() { &pattern } else { folder_of(&pattern) };
        let place = self.normal(fixed);
        self.reached.extend(place);
        let everything = if let Some(path) = word.text() {
            self.lies_below(path)
        } else {
            let name = pattern.rsplit('/').next().unwrap_or_default();
            name.bytes().all(|byte| b"*?.[]".contains(&byte)) && self.picks_among_secrets(&pattern)
        };
        if everything { Reach::Everything } else { Reach::Chosen }
    }

    /// What is there by that name, if it was looked at.
    pub(super) fn fact_of(&self, path: &str) -> Option<&PathFact> {
        self.facts?.paths.get(&self.absolute_if_moved(path))
    }

    /// The entry of the sensitive list that a path hits: as spelled, as normalised, as it really leads, or, for a
    /// folder, with what stands in it.
    pub(super) fn sensitive_entry(&mut self, path: &str) -> Option<String> {
        let spelled = self.absolute_if_moved(path);
        self.mentions.paths.insert(spelled.clone());
        let real = self.facts.and_then(|facts| facts.paths.get(&spelled)).map(|fact| fact.real.to_string_lossy());
        self.told(false, &spelled).or_else(|| self.told(false, &real?))
    }

    /// The entry of the sensitive list at which a pattern may point, from the folder that it stands in.
    pub(super) fn may_be_sensitive(&mut self, pattern: &str) -> Option<String> {
        let pattern = self.absolute_if_moved(pattern);
        self.told(true, &pattern)
    }

    /// What the sensitive list says of a pattern, or of a path.
    pub(super) fn told(&self, pattern: bool, text: &str) -> Option<String> {
        let list = self.sensitive;
        if pattern { list.may_match(text, self.place) } else { list.entry(text, self.place) }
    }

    /// A search below a folder reads files: the folder must not be a sensitive one.
    fn below(&mut self, word: &Word, reach: Reach) {
        if self.shows && (self.prints || self.raw) {
            self.finds = self.finds.max(self.unearths);
        }
        if let Some(folder) = self.reached.iter().find(|folder| begins_in_git(folder)).filter(|_| self.shows) {
            let sentence =
                format!("{} is found in {folder}, where git keeps copies of sensitive files too.", self.spelt(word));
            self.sensitive(sentence);
            return;
        }
        if reach == Reach::Everything && self.shows {
            self.sensitive(format!("What is found as {} may be any file, sensitive ones too.", self.spelt(word)));
            return;
        }
        // Which of them are there is looked at, where their names are known.
        let folders: Vec<String> = self.searched.iter().flatten().chain(&self.reached).cloned().collect();
        let only = self.only.clone().filter(|names| !names.is_empty() && !folders.is_empty() && !self.recurses);
        if let Some(names) = only.filter(|_| reach == Reach::Hidden && self.prints) {
            for folder in &folders {
                self.shown_by_name(folder, &names, true);
            }
        } else if reach == Reach::Hidden && self.prints {
            self.walled =
                Some(format!("It shows all of what it finds as {}, which may be a sensitive file.", self.spelt(word)));
        }
        if let Some(depth) = self.depth_of_found(word, reach).filter(|_| self.shows && (self.recurses || !self.prints))
        {
            for folder in folders {
                self.lines_of_tracked(&folder);
                self.lines_below(folder, depth);
            }
        }
        if self.shows && (self.by_line || word.pieces.iter().any(|piece| matches!(piece, Piece::Found(_)))) {
            self.parts_of_found();
        } else if self.shows {
            self.links_of_found();
        }
        if self.shows && !word.prefix().starts_with('/') && self.found_elsewhere() {
            let sentence = format!("{} was found in another folder; here it may be any file.", self.spelt(word));
            self.sensitive(sentence);
            return;
        }
        let root = word.prefix().trim_end_matches('/').to_owned();
        let root = match root.as_str() {
            "" if word.prefix().is_empty() => ".".to_owned(),
            "" => "/".to_owned(),
            _ => root,
        };
        if let Some(entry) = self.sensitive_entry(&root) {
            self.sensitive(format!("{root} is sensitive: {entry}."));
        }
    }

    /// A path as the shell would find it after `cd`: unchanged while the folder is.
    pub(super) fn absolute_if_moved(&self, path: &str) -> String {
        match &self.scope.cwd {
            Some(cwd) if self.scope.moved && !path.starts_with(['/', '~']) => {
                format!("{}/{path}", cwd.trim_end_matches('/'))
            }
            _ => path.to_owned(),
        }
    }

    /// The folder that a program runs in; none where it may be any.
    pub(super) fn folder(&self) -> Option<String> {
        self.scope.cwd.clone().filter(|_| !self.elsewhere)
    }

    /// The absolute, lexically normal form of an exact path; none where the folder may be any.
    pub(super) fn normal(&self, path: &str) -> Option<String> {
        self.normal_in(self.scope.cwd.as_deref(), path)
    }

    /// The same of a folder that is gone to as the system does it, by where links lead; none where that is another folder
    /// than its letters say.
    pub(super) fn physical(&mut self, path: &str) -> Option<String> {
        let (spelled, normal) = (self.absolute_if_moved(path), self.normal(path)?);
        self.mentions.paths.insert(spelled.clone());
        let Some(facts) = self.facts else { return Some(normal) };
        facts.paths.get(&spelled).filter(|fact| fact.real == Path::new(&normal)).map(|_| normal)
    }

    /// The same from another folder, if one is known.
    fn normal_in(&self, folder: Option<&str>, path: &str) -> Option<String> {
        let home = self.place.home.as_ref().map(|home| home.to_string_lossy().into_owned());
        let path = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", home?),
            _ if path.starts_with('/') => path.to_owned(),
            _ => format!("{}/{path}", folder?),
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        Some(format!("/{}", parts.join("/")))
    }

    /// Whether a path is a device whose bytes are not for looking at.
    fn device(&self, path: &str) -> bool {
        const HARMLESS: [&str; 9] = ["null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty"];
        let normal = self.normal(path).unwrap_or_else(|| path.to_owned());
        normal.strip_prefix("/dev/").is_some_and(|name| !HARMLESS.contains(&name))
    }

    /// Whether a path leads on through a link that only its process can follow, or back out of `/dev` or `/proc`
    /// by `..`, which climbs from where such a link leads.
    fn door(&self, path: &str) -> bool {
        const DOORS: [&str; 6] = ["fd", "map_files", "task", "cwd", "root", "exe"];
        let path = self.absolute_if_moved(path.trim_start_matches('@'));
        let path = match &self.scope.cwd {
            Some(cwd) if !path.starts_with(['/', '~']) => format!("{cwd}/{path}"),
            _ => path,
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.len() > 1 && matches!(parts[0], "dev" | "proc") => return true,
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        let glob = |part: &&str| part.contains(['*', '?', '[']);
        let ["proc", process, behind @ ..] = parts.as_slice() else { return false };
        let of_process =
            glob(process) || process.ends_with("self") || process.bytes().all(|byte| byte.is_ascii_digit());
        let through = behind.split_last().is_some_and(|(_, before)| before.iter().any(glob));
        of_process && (through || behind.iter().any(|part| DOORS.contains(part)))
    }

    /// Whether a path or pattern is a disk or memory device.
    pub(super) fn raw_device(&self, path: &str) -> bool {
        const DISKS: [&str; 13] =
            ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "mapper/", "md", "mem", "kmem"];
        let normal = self.normal(path).unwrap_or_else(|| path.to_owned());
        normal.strip_prefix("/dev/").is_some_and(|name| DISKS.iter().any(|disk| name.starts_with(disk)))
    }

    /// What a word names is written, maybe over what is there: a file, or what isn't known. A folder stays what it is.
    /// Gives what is there, as far as is known.
    pub(super) fn lands_on(&mut self, word: &Word) -> Option<PathKind> {
        let Some(path) = word.text().map(|path| self.absolute_if_moved(path)) else {
            self.replaces = true;
            return None;
        };
        let kind = self.facts.and_then(|facts| facts.paths.get(&path)).map(|fact| fact.kind);
        self.replaces |= !matches!(kind, Some(PathKind::Missing | PathKind::Folder));
        self.mentions.paths.insert(path);
        kind
    }

    /// Whether a word may name a file that others run later.
    pub(super) fn run_later(&self, word: &Word) -> bool {
        word.vague() || run_later::may_match(&self.absolute_if_moved(&word.pattern()), self.place).is_some()
    }

    /// The same of a file that is written: a rule that names a program alone doesn't allow that.
    pub(super) fn writes_later(&mut self, word: &Word) -> bool {
        let later = self.run_later(word);
        if later {
            self.shapes.push(Shape::new([("writes", "run later")]));
        }
        later
    }

    /// Notes that some word names a sensitive file, whatever the program does with it: a rule that names the program alone
    /// doesn't allow that.
    pub(super) fn names_secrets(&mut self, words: &[Word]) {
        let named = |word: &Word| {
            let pattern = word.pattern();
            let path =
                pattern.split_once('=').filter(|_| pattern.starts_with('-')).map_or(&*pattern, |(_, value)| value);
            self.told(word.text().is_none(), &self.absolute_if_moved(path))
        };
        if words.len() > NAMED || words.iter().find_map(named).is_some() {
            self.shapes.push(Shape::new([("reads", "sensitive")]));
        }
    }

    /// Whether deleting or changing everything at a path would take the system, the home folder or the workspace.
    pub(super) fn vital(&self, word: &Word) -> bool {
        let mut pattern = String::new();
        for piece in &word.pieces {
            match piece {
                Piece::Exact(text) | Piece::Pattern(text) => pattern.push_str(text),
                Piece::Number
                | Piece::Digits
                | Piece::Numbers
                | Piece::Hashes
                | Piece::Label
                | Piece::Found(_)
                | Piece::Whole(_) => return false,
                // An empty variable leaves what stands around it: `rm -rf "$x/"` may be `rm -rf /`.
                Piece::Names | Piece::Refs | Piece::Account | Piece::Any | Piece::Words => {}
            }
        }
        let everything = ["/*", "/.*", "/{*,.*}", "/**", "/.", "/?*"];
        let mut stem = pattern.as_str();
        while let Some(shorter) = everything.iter().find_map(|end| stem.strip_suffix(end)) {
            stem = if shorter.is_empty() { "/" } else { shorter };
        }
        let stem = if matches!(stem, "*" | ".*" | "**") { "." } else { stem };
        if stem.is_empty() {
            return false;
        }
        let mut meant: Vec<String> =
            self.scope.astray.iter().filter_map(|folder| self.normal_in(Some(folder), stem)).collect();
        meant.extend(self.normal(stem).or_else(|| (stem == "/").then(|| stem.to_owned())));
        meant.iter().any(|normal| self.vital_folder(Path::new(normal)))
    }

    /// Whether a folder is one of the system's, or holds everything of the person or of the workspace.
    fn vital_folder(&self, normal: &Path) -> bool {
        let holds = |inner: &Path| inner.starts_with(normal);
        let system = [
            "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/var", "/home", "/root", "/opt", "/dev",
            "/sys", "/proc",
        ];
        holds(Path::new("/"))
            || system.iter().any(|folder| normal == Path::new(folder))
            || self.place.home.as_deref().is_some_and(holds)
            || holds(&self.place.workspace)
    }
}
