//! Where searches began, and what that says of what they found: whether a path, or a part of one where it comes apart at a
//! blank, may be a flag of the program that takes it, and whether it is used in another folder.

use super::judge::Judge;
use super::table::Entry;
use super::word::{Piece, Reach, Word};
use crate::domain::GlobFact;

/// Flags with which `git ls-files` names what is tracked or lies there, and nothing else.
const TRACKED: [&str; 11] =
    ["-c", "-m", "-d", "-o", "-z", "--cached", "--modified", "--deleted", "--others", "--exclude-standard", "--"];
/// Letters of flags with which `ls` prints names and nothing else, one a line.
const PLAIN: &str = "1trSUdaAcuvXRL";

impl Judge<'_> {
    /// A search ran in the folder that it stands in, for these names alone, if any are given.
    pub(super) fn searched_here(&mut self, names: Option<Vec<String>>) {
        self.looks_for(names);
        let folder = self.folder();
        self.unplaced |= folder.is_none();
        self.searched.insert(folder);
    }

    /// What a search finds is called by one of these names, if any are given.
    pub(super) fn looks_for(&mut self, names: Option<Vec<String>>) {
        self.only = self.only.take().zip(names).map(|(mut all, names)| {
            let more: Vec<String> = names.into_iter().filter(|name| !all.contains(name)).collect();
            all.extend(more);
            all
        });
    }

    /// Git named paths: what it tracks now, or something else, too.
    pub(super) fn recalls(&mut self, name: &str, words: &[Word]) {
        self.recalled = true;
        let known = |word: &Word| {
            let text = word.text().unwrap_or_default();
            let compared = text == "--name-only" || text.starts_with("--diff-filter=");
            TRACKED.contains(&text) && name == "git ls-files" || compared && name == "git diff"
        };
        // One that begins with a colon may begin at the top.
        let operand = |word: &Word| name == "git ls-files" && !word.prefix().starts_with(['-', ':']);
        // It names nothing but what is there, with a revision before it where it is of another one.
        let present = name == "git grep";
        self.mentions.tracked.extend(self.folder());
        match self.folder() {
            Some(folder) if present || words.iter().all(|word| known(word) || operand(word)) => {
                self.tracked.insert(folder);
            }
            Some(_) | None => {
                self.remembers = true;
                self.historic |= !present;
            }
        }
    }

    /// Whether each line of what flows in is a path that begins with a place which is written in the command.
    pub(super) fn flows_in_whole(&mut self) -> bool {
        let whole = self.led && self.found_flags() == Some(false);
        self.by_line |= whole;
        whole
    }

    /// How far a search goes from a place that its words name.
    pub(super) fn begins_at(&mut self, word: &Word) -> Reach {
        let pattern = word.pattern();
        self.climbs |= word.vague() || pattern.starts_with(['/', '~']) || pattern.split('/').any(|part| part == "..");
        self.reach(word)
    }

    /// A program of the table printed paths.
    pub(super) fn searches(&mut self, entry: &Entry, name: &str, words: &[Word], operands: usize) {
        self.led = false;
        self.through |= self.follows;
        self.unplaced |= entry.bare && !prints_names(name, words);
        // A listing of a folder has names that say nothing of the folder.
        if entry.bare && operands > 0 {
            self.unplaced |= self.folder().is_none();
            self.listed = true;
            self.nested |=
                words.iter().any(|word| word.text().is_none_or(|text| text.starts_with('-') && text.contains('R')));
            self.looks_for(None);
            self.searched.insert(None);
        } else {
            self.searched_here(None);
        }
        if name.starts_with("git ") {
            self.recalls(name, words);
        }
    }

    /// Whether a path that a search found, or a part of it where it comes apart, may be a flag; none where nobody could
    /// tell.
    pub(super) fn found_flags(&mut self) -> Option<bool> {
        let mut folders: Vec<String> = self.searched.iter().flatten().chain(&self.reached).cloned().collect();
        if folders.is_empty() || self.unplaced {
            return None;
        }
        // A listing goes into folders by links that its words name.
        folders.extend(self.listed.then(|| self.place.workspace.to_string_lossy().into_owned()));
        self.mentions.below.extend(folders.iter().cloned());
        // While it is asked what should be looked at, whatever follows counts too.
        let Some(facts) = self.facts else { return Some(false).filter(|_| !self.remembers) };
        let told = |wanted| move |folder: &String| facts.dashed.get(folder) == Some(&Some(wanted));
        if folders.iter().any(told(true)) {
            return Some(true);
        }
        let plain = |folder: &String| facts.tracked.get(folder) == Some(&Some(false));
        let recalled = self.remembers || !self.tracked.iter().all(plain);
        let inside = |folder: &String| {
            let fact = facts.below.get(folder);
            !self.listed && !self.through
                || matches!(fact, Some(GlobFact::Nothing | GlobFact::Listed(_) | GlobFact::Tracked(_)))
        };
        (!recalled && folders.iter().all(|folder| told(false)(folder) && inside(folder))).then_some(false)
    }

    /// Whether paths that a search found in one folder are used in another, below which secrets lie.
    pub(super) fn found_elsewhere(&mut self) -> bool {
        let here = self.folder();
        self.searched.iter().any(|folder| *folder != here) && here.is_none_or(|here| self.lies_below(&here))
    }

    /// A found path behind the name of a folder that was never searched may be any file below it.
    pub(super) fn relocated(&mut self, word: &mut Word) {
        let Some((folder, _)) = word.prefix().rsplit_once('/').filter(|_| word.found().is_some()) else { return };
        let folder = if folder.is_empty() { "/" } else { folder };
        if self.reach(&Word::exact(folder)) == Reach::Everything {
            for piece in &mut word.pieces {
                if matches!(piece, Piece::Found(_) | Piece::Whole(_)) {
                    *piece = Piece::Found(Reach::Everything);
                }
            }
        }
    }
}

/// Whether a listing is one of names, and nothing else.
fn prints_names(name: &str, words: &[Word]) -> bool {
    let letters = |text: &str| text.strip_prefix('-').is_some_and(|flags| flags.chars().all(|c| PLAIN.contains(c)));
    let mut flags = words.iter().filter(|word| word.prefix().starts_with('-'));
    ["ls", "gls"].contains(&name) && flags.all(|word| word.text().is_some_and(letters))
}
