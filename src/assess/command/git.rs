//! `git`: the options before its subcommand, the repository it would run in, and names of files within revisions.
//! Subcommands stand in the table.

use std::path::Path;

use super::builtin;
use super::flags::Flags;
use super::judge::Judge;
use super::kind::Kind;
use super::parted::Depth;
use super::table::{Takes, table};
use super::word::{Piece, Word};
use crate::domain::{PathKind, RepositoryFact, Shape};

/// Beginnings of settings that only change how output looks, and whole ones.
const LOOKS: [&str; 7] =
    ["color.", "core.quotepath=", "core.quotePath=", "log.date=", "diff.renames=", "column.", "advice."];
const PLAIN: [&str; 4] = ["log.showSignature=false", "core.pager=cat", "core.pager=", "pager.log=false"];

/// Settings that every run of git here is given, whatever the repository and the person say, and what they lead to.
pub const SET_FOR_GIT: [&str; 24] = [
    "core.fsmonitor",
    "core.hooksPath",
    "core.attributesFile",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.askPass",
    "core.alternateRefsCommand",
    "credential.helper",
    "submodule.recurse",
    "diff.ignoreSubmodules",
    "status.submoduleSummary",
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.x509.program",
    "gpg.ssh.program",
    "log.showSignature",
    "protocol.allow",
    "gc.auto",
    "maintenance.auto",
    "interactive.diffFilter",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
];

/// What a flag before the subcommand takes; none if it isn't known.
pub(super) fn leading_flag(flag: &str) -> Option<Takes> {
    match flag {
        "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" => Some(Takes::Value(Kind::Text)),
        "--no-pager"
        | "-P"
        | "-p"
        | "--paginate"
        | "--bare"
        | "--no-optional-locks"
        | "--literal-pathspecs"
        | "--no-replace-objects"
        | "--no-lazy-fetch"
        | "--no-advice" => Some(Takes::Nothing),
        _ => None,
    }
}

/// Judges the words of `git`.
pub(super) fn judge(judge: &mut Judge<'_>, words: &[Word]) {
    let mut at = 0;
    let outer = (judge.scope.cwd.clone(), judge.scope.moved);
    while let Some(word) = words.get(at) {
        let Some(text) = word.text() else {
            judge.any_flag("git", word);
            return;
        };
        match text {
            "--no-pager"
            | "-P"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--no-replace-objects"
            | "--no-lazy-fetch" => {}
            // With a name behind it help opens a page, by a program that the repository's configuration may choose.
            "--help" | "-h" if at + 1 == words.len() => {
                judge.readers.insert("git".to_owned());
                return;
            }
            "--version" | "-v" | "--exec-path" | "--html-path" | "--man-path" | "--info-path" => {
                judge.readers.insert("git".to_owned());
                return;
            }
            "-C" => {
                at += 1;
                if judge.uncertain_value("git", words.get(at)) {
                    return;
                }
                if let Some(word) = words.get(at) {
                    builtin::enters(judge, word);
                }
                let folder = words.get(at).and_then(Word::text).and_then(|path| judge.physical(path));
                if folder.as_deref().is_none_or(|folder| !Path::new(folder).starts_with(&judge.place.workspace)) {
                    judge.shapes.push(Shape::new([("setting", "-C")]));
                }
                judge.scope.moved |= folder != judge.scope.cwd;
                judge.scope.cwd = folder;
            }
            "-c" => {
                at += 1;
                let setting = words.get(at).and_then(Word::text).unwrap_or("");
                if !PLAIN.contains(&setting) && !LOOKS.iter().any(|look| setting.starts_with(look)) {
                    judge.ineligible = true;
                    // A rule that names git alone doesn't allow what git is told to run.
                    judge.shapes.push(Shape::new([("setting", setting)]));
                    judge.around(words.get(at).and_then(|word| word.span.clone()), |judge| {
                        let sentence = format!("The setting `{setting}` can make git run or write something.");
                        judge.unknown("command.git-setting", sentence);
                    });
                }
            }
            flag if flag.starts_with('-') => {
                judge.ineligible = true;
                judge.shapes.push(Shape::new([("setting", flag)]));
                judge.about(word, |judge| {
                    let sentence = format!("No rule says that `git` with `{flag}` only reads.");
                    judge.unknown("command.unknown-flag", sentence);
                });
                break;
            }
            _ => break,
        }
        at += 1;
    }
    if let Some(subcommand) = words.get(at).and_then(Word::text) {
        let before = judge.findings.len();
        let rest = &words[at + 1..];
        if words.iter().any(|word| of_signatures(subcommand, &word.pattern())) {
            judge.unknown("command.git-signature", "A format of signatures makes git run a program that checks them.");
        }
        let ours =
            |word: &Word| word.text().is_some_and(|key| SET_FOR_GIT.iter().any(|ours| key.eq_ignore_ascii_case(ours)));
        let scoped = |word: &&Word| {
            ["--local", "--global", "--system", "--worktree"].iter().any(|scope| word.text() == Some(scope))
        };
        let whole = ["config", "var"].contains(&subcommand) && !rest.iter().any(|word| scoped(&word));
        if let Some(key) = rest.iter().find(|word| whole && ours(word)) {
            let key = key.shown();
            judge.blind =
                Some(format!("Countersign runs git with settings of its own, and this is what it set {key} to."));
        }
        let flags = || rest.iter().take_while(|word| word.text() != Some("--"));
        if subcommand == "format-patch" && !flags().any(|word| word.text() == Some("--no-binary")) {
            let sentence =
                "A patch holds all of a binary file, also of a sensitive one: `--no-binary` leaves them out.";
            judge.unknown("command.git-binary", sentence);
        }
        // It takes no notice of what hides the text of sensitive files, and follows a file to its earlier names.
        let follows = ["log", "show", "whatchanged"].contains(&subcommand);
        if follows && (judge.feeds || judge.depth > 0) && flags().any(|word| word.prefix().starts_with("-L")) {
            let sentence = "`-L` also shows a file under its earlier names, which may be sensitive, and what it prints goes elsewhere.";
            judge.unknown("command.git-lines", sentence);
        }
        let words: Vec<&Word> = flags().collect();
        let vague = |pair: &[&Word]| pair[0].text() == Some("-L") && pair[1].text().is_none();
        let lines = words.windows(2).any(vague)
            || words.iter().any(|word| word.prefix().starts_with("-L") && word.text().is_none());
        if subcommand != "blame" && lines {
            judge.unreadable("command.vague-path", "Behind `-L` stands a file that the command doesn't name.");
        }
        // A format may run a program, too, and the name of a branch may be one.
        if let Some(word) = rest.iter().find(|word| word.prefix().starts_with('-') && word.names()) {
            judge.about(word, |judge| {
                let sentence = format!("{} may hold a format with which `git` runs a program.", judge.spelt(word));
                judge.unreadable("command.vague-flag", sentence);
            });
        }
        let name = format!("git {subcommand}");
        let known = table().entry(&name).is_some() || table().danger(&name).is_some();
        match rest {
            [only] if known && only.text() == Some("-h") => _ = judge.readers.insert(name),
            _ if subcommand == "archive" && judge.taken_for_names() && packs(rest) => judge.lists_archive(name),
            _ => judge.subcommand(&name, rest),
        }
        if judge.findings.len() > before {
            judge.ineligible = true;
        }
        repository(judge);
        if subcommand == "diff" {
            judge.compares_folders(rest);
        }
        if judge.findings.len() == before {
            judge.shows_recorded(subcommand, rest);
            judge.git_prints(subcommand, rest);
        }
    } else {
        judge.readers.insert("git".to_owned());
    }
    (judge.scope.cwd, judge.scope.moved) = outer;
}

/// The repository's own configuration must not make reading commands run or write something.
pub(super) fn repository(judge: &mut Judge<'_>) {
    let Some(folder) = judge.folder() else {
        judge.unreadable("command.git-repository", "Which repository `git` would use is not known.");
        return;
    };
    judge.mentions.repositories.insert(folder.clone());
    let Some(fact) = judge.facts.and_then(|facts| facts.repositories.get(&folder)).cloned() else { return };
    judge.ineligible |= !fact.foreign_keys.is_empty() || fact.own_attributes;
    if let Some(why) = fact.unguarded.first() {
        judge.unknown("command.git-unguarded", format!("Nothing guards `git` in this run, and {why}."));
    }
    if let Some(key) = fact.foreign_keys.first() {
        judge.unknown(
            "command.git-configuration",
            format!("The repository's configuration sets `{key}`, which reading commands obey."),
        );
    }
    if fact.own_attributes {
        judge.unknown(
            "command.git-configuration",
            "The repository has its own attributes, which can make reading commands run programs.",
        );
    }
}

impl Judge<'_> {
    /// What git keeps under an id is shown: of a file nobody knows what it is called.
    fn shows_by_id(&mut self, id: &str) {
        let Some(folder) = self.folder() else { return };
        let object = format!("{folder}:{id}");
        if self.facts.is_some_and(|facts| facts.objects.get(&object) == Some(&true)) {
            self.sensitive(format!("{id} names a file by its id, not by its name: it may be a sensitive one."));
        }
        self.mentions.objects.insert(object);
    }

    /// What is committed is packed, and nothing but names and numbers is left of that. Where nothing keeps git from it, a
    /// filter of the person's own may fetch what stands elsewhere.
    fn lists_archive(&mut self, name: String) {
        if self.facts.is_some_and(|facts| facts.unguarded) {
            let sentence = "Nothing guards `git archive` in this run, so filters of files may run as it packs.";
            self.unknown("command.git-unguarded", sentence);
        }
        self.readers.insert(name);
    }

    /// A revision, a path, or a path within a revision, whose content is shown.
    pub(super) fn revision(&mut self, word: &Word) {
        let Some(text) = word.text() else {
            // What stands behind the revision is a path of its own: `$commit:secrets.yml`.
            let pattern = word.pattern();
            let entry = pattern.rsplit_once(':').and_then(|(_, path)| self.told(true, path));
            if let Some(entry) = entry {
                self.sensitive(format!("{} may be sensitive: {entry}.", self.spelt(word)));
            }
            if begins_an_id(word) {
                self.unreadable(
                    "command.path",
                    format!("{} may become the id of any file that is committed.", self.spelt(word)),
                );
            } else if self.recurses || !(word.revises() || self.tells_commits_here()) {
                self.reads(word);
            }
            return;
        };
        text.split("..").filter(|side| !side.contains(':')).filter_map(object_id).for_each(|id| self.shows_by_id(id));
        let path = text.rsplit_once(':').map_or(text, |(_, path)| path);
        let path = path.rsplit_once(')').map_or(path, |(_, path)| path);
        let glob = path.contains(['*', '?', '[']);
        let hit = if glob { self.told(true, path) } else { self.sensitive_entry(path) };
        if let Some(entry) = hit.filter(|_| !self.tells_commits_here()) {
            self.sensitive(format!("{path} is sensitive: {entry}."));
        }
        // Outside of a repository, or of its working tree, folders are compared and searched whole.
        let outside = self.recurses || path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..");
        if outside && self.shows && self.lies_below(path) {
            self.sensitive(format!("Below {path} there are sensitive files."));
        } else if let Some(folder) = self.normal(path).filter(|_| self.recurses && self.shows) {
            self.all_below(&folder);
        }
    }

    /// Whether it tells of commits alone, whatever their files are, and nobody else: by the commits of a file another
    /// command would show what was in it.
    fn tells_commits_here(&self) -> bool {
        self.commits && !self.feeds && self.depth == 0
    }

    /// Whether `git diff` may compare two places of the disk, with all that lies below, as one of them is in no
    /// repository that git would use here.
    pub(super) fn compares_places(&self, words: &[Word]) -> bool {
        let root = self.repository_here().and_then(|fact| fact.root.clone());
        let outside = |word: &&Word| {
            let text = word.prefix();
            let leaves = text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..");
            let place = word.text().and_then(|text| self.normal(text));
            let inside = || place.zip(root.as_ref()).is_some_and(|(place, root)| Path::new(&place).starts_with(root));
            leaves && !inside()
        };
        let operands = || words.iter().filter(|word| !word.prefix().starts_with('-'));
        operands().count() > 1 && operands().any(|word| outside(&word))
    }

    /// What is known of the repository that git would use here.
    pub(super) fn repository_here(&self) -> Option<&RepositoryFact> {
        self.facts?.repositories.get(&self.folder()?)
    }

    /// In no repository `git diff` compares two folders whole, whatever they are called.
    fn compares_folders(&mut self, words: &[Word]) {
        let operands: Vec<&Word> = words.iter().filter(|word| !word.prefix().starts_with('-')).collect();
        let [one, other] = operands.as_slice() else { return };
        if self.repository_here().is_some_and(|fact| fact.root.is_some()) {
            return;
        }
        for word in [one, other] {
            let Some(text) = word.text() else { continue };
            let Some(folder) = self.normal(text) else { continue };
            let Some(facts) = self.facts else {
                // Where it is a revision, nobody needs to look.
                if !text.starts_with("HEAD") {
                    self.mentions.below.insert(folder);
                }
                continue;
            };
            if facts.below.contains_key(&folder) {
                self.lines_below(folder, Depth::All);
            } else if self.fact_of(text).is_some_and(|fact| fact.kind == PathKind::Folder) {
                self.lines =
                    Some(format!("In no repository git shows all that is in {folder}, sensitive files among it."));
            }
        }
    }
}

/// Whether a subcommand tells of commits alone, and shows nothing of what they hold.
pub(super) fn tells_commits(name: &str, given: &Flags) -> bool {
    const SHOWING: [&str; 24] = [
        "-I",
        "--ignore-matching-lines",
        "-p",
        "-u",
        "-U",
        "-c",
        "-m",
        "-L",
        "-W",
        "-S",
        "-G",
        "--unified",
        "--patch",
        "--patch-with-stat",
        "--patch-with-raw",
        "--cc",
        "--remerge-diff",
        "--dd",
        "--diff-merges",
        "--function-context",
        "--word-diff",
        "--word-diff-regex",
        "--color-words",
        "--check",
    ];
    matches!(name, "git log" | "git rev-list") && !SHOWING.iter().any(|flag| given.has(flag))
}

/// Whether `git archive` packs what is committed, and only prints that, in a form that git makes by itself.
fn packs(words: &[Word]) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./~@{}^+-".contains(&byte);
    let formed = |text: &str| matches!(text, "--format=tar" | "--format=zip" | "-v" | "--verbose");
    let known = |text: &str| match text.strip_prefix('-') {
        Some(_) => formed(text) || text.starts_with("--prefix=") || text == "--",
        None => !text.is_empty() && text.bytes().all(plain),
    };
    !words.is_empty() && words.iter().all(|word| word.text().is_some_and(known))
}

/// What may be the id of an object, or the beginning of one, in a revision: as it is, or as `git describe` prints it
/// (`v1.0-3-gID`), of which git believes the id alone.
fn object_id(text: &str) -> Option<&str> {
    let name = text.trim_start_matches(['^', '.']).split(['^', '~', '@']).next()?;
    let id = described(name);
    ((4..=64).contains(&id.len()) && hexadecimal(id)).then_some(id)
}

/// The id behind what `git describe` puts before it, or the whole name.
fn described(name: &str) -> &str {
    name.rsplit_once("-g").map(|(_, id)| id).filter(|id| hexadecimal(id)).unwrap_or(name)
}

fn hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a word begins as the id of an object may, and goes on with what only the run will tell.
fn begins_an_id(word: &Word) -> bool {
    let exact = |piece: &Piece| if let Piece::Exact(text) = piece { Some(text.clone()) } else { None };
    let known: String = word.pieces().iter().map_while(exact).collect();
    // What a pattern becomes is a name of a file.
    if word.pieces().iter().all(|piece| matches!(piece, Piece::Exact(_) | Piece::Pattern(_))) {
        return false;
    }
    let side = known.rsplit("..").next().unwrap_or_default();
    let begun = described(side.trim_start_matches('^'));
    hexadecimal(begun) && (!begun.is_empty() || side.ends_with("-g"))
}

/// Whether a push may drop or delete what is there, as its words say.
pub(super) fn forces(words: &[Word]) -> bool {
    words.iter().any(|word| {
        let text = word.prefix();
        let short = text.starts_with('-') && !text.starts_with("--") && text.contains(['f', 'd']);
        let name = text.split('=').next().unwrap_or_default();
        let means = |flag: &&str| name.starts_with(*flag) || name.len() > 3 && flag.starts_with(name);
        let long = ["--force", "--mirror", "--delete", "--prune"].iter().any(means);
        short || long || text.starts_with(['+', ':'])
    })
}

/// Whether a format, or what lines are sorted by, asks who signed something: by git-log(1) and git-for-each-ref(1).
fn of_signatures(subcommand: &str, text: &str) -> bool {
    const FORMATS: [&str; 6] = ["%G", "%+G", "%-G", "% G", "(signature", "(*signature"];
    let key = text.strip_prefix("--sort=").unwrap_or(text).trim_start_matches(['-', '*']);
    let sorts = ["branch", "tag", "for-each-ref"].contains(&subcommand) && key.starts_with("signature");
    sorts || FORMATS.iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_however_it_is_written() {
        for (name, id) in [
            ("f58730e", Some("f58730e")),
            ("^F587~2", Some("F587")),
            ("v1.0-3-gf58730e", Some("f58730e")),
            ("a-g-gf587^{}", Some("f587")),
            ("main", None),
            ("abc", None),
            ("x-gmain", None),
        ] {
            assert_eq!(object_id(name), id, "{name}");
        }
        let word = |pieces: &[Piece]| Word { pieces: pieces.to_vec(), ..Word::default() };
        let exact = |text: &str| Piece::Exact(text.to_owned());
        let found = Piece::Found(super::super::word::Reach::Chosen);
        for (pieces, begins) in [
            (vec![exact("f5"), found.clone()], true),
            (vec![exact("v1-g"), found.clone()], true),
            (vec![exact("main..f5"), found.clone()], true),
            (vec![exact("src/"), found.clone()], false),
            (vec![found], false),
            (vec![exact("d"), Piece::Pattern("*".to_owned())], false),
        ] {
            assert_eq!(begins_an_id(&word(&pieces)), begins, "{pieces:?}");
        }
    }
}
