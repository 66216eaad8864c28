//! Judges the words of one program by its entry in the table: flags as the program would read them, operands by
//! what they mean. What the entry doesn't know asks.

use super::flags::{BUNDLE, Flags, is_flag, raw, revokes, unbundled, unled};
use super::git::tells_commits;
use super::judge::{Feed, Judge, Objects};
use super::kind::{Kind, narrows};
use super::naming::{begins_with_names, calls, identifies, with_types};
use super::parted::{Depth, Search};
use super::sed::script_before;
use super::selectors::names_a_type;
use super::table::{Entry, Produces, Style, Takes, table};
use super::word::{Piece, Reach, Word};

/// What reading the words has found so far.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts, each told by a flag or an operand
struct Reading {
    operands: usize,
    /// The first operand isn't what `first` says.
    whole: bool,
    /// A word of unknown number came by: positions are no longer known.
    shifted: bool,
    /// Every operand is text.
    open: bool,
    /// It prints the paths it found.
    lists: bool,
    /// An operand may be sensitive, or anything.
    tainted: bool,
    /// Hidden files may be among the paths that it found.
    hidden: bool,
    /// It passes on something other than what came in, or what doesn't match.
    altered: bool,
    inverted: bool,
    /// How far it searches, and whether it names what it reads.
    reach: Option<Reach>,
    required: bool,
    /// A flag that must be there was taken back, as by `--quiet=false`.
    revoked: bool,
    /// The first operand is the type of what the others name.
    typed: bool,
}

impl Reading {
    /// A flag is there that must be, with or without a value.
    fn requires(&mut self, entry: &Entry, flag: &str, value: Option<&Word>) {
        let wanted = entry.requires.contains(flag);
        self.revoked |= wanted && value.is_some_and(revokes);
        self.required |= wanted && !(entry.early && self.operands > 0);
    }
}

impl Judge<'_> {
    /// Judges `words` (without the program's name) by an entry. `name` is for people.
    pub(super) fn by_entry(&mut self, entry: &Entry, name: &str, words: &[Word]) {
        let outer = (self.shows, self.recurses, self.prints, self.follows, self.seeks.clone());
        let commits = self.commits;
        self.raw = entry.raw || raw(words);
        self.sought.clear();
        self.by_words(entry, name, words);
        (self.shows, self.recurses, self.prints, self.follows, self.seeks) = outer;
        self.commits = commits;
    }

    fn by_words(&mut self, entry: &Entry, name: &str, words: &[Word]) {
        let before = self.findings.len();
        let picked = self.picked(entry, words);
        let words = picked.as_deref().unwrap_or(words);
        let unled = unled(entry, words);
        let words = unled.as_deref().unwrap_or(words);
        let unbundled = entry.bundled.then(|| unbundled(entry, words)).flatten();
        let words = unbundled.as_deref().unwrap_or(words);
        let mut reading = Reading { required: entry.requires.is_empty(), ..Reading::default() };
        let mut flags = true;
        let mut rest = words.iter().peekable();
        let given = Flags::of(entry, words);
        reading.whole = given.carry(&entry.whole);
        if let Some(script) = script_before(entry, words).filter(|_| reading.whole) {
            self.sed_script(script);
        }
        reading.open = given.carry(&entry.opens);
        reading.lists = given.carry(&entry.lists);
        let ordinary = given.ordinary(entry);
        let narrow = given.narrow(entry) && (ordinary || !self.among_secrets(words));
        let quiet = reading.lists || entry.quiet.contains("*") || given.carry(&entry.quiet);
        self.commits = tells_commits(name, &given);
        self.shows = !quiet && !self.commits || given.carry(&entry.loud);
        // A search shows the lines that are looked for.
        self.prints = self.shows && entry.lists.is_empty() && entry.first.first() != Some(&Kind::Sought);
        let apart = name == "git diff" && self.compares_places(words);
        let hidden = apart || given.selects(entry) || entry.hidden.contains("*") || given.carry(&entry.hidden);
        reading.hidden = hidden && !(narrow && ordinary);
        reading.inverted = given.has("-v") || given.has("--invert-match");
        reading.altered = given.carry(&entry.alters);
        let recurses = apart || entry.recurses.contains("*") || given.carry(&entry.recurses);
        self.recurses = !narrow && recurses;
        let searches = recurses && self.shows && !entry.hidden.is_empty();
        let depth = if hidden { Depth::All } else { Depth::Plain };
        self.seeks = searches.then(|| Search { depth, only: given.only(entry).unwrap_or_default() });
        self.follows = entry.follows.contains("*") || given.carry(&entry.follows);
        let marks = ["file://", "fileb://", "-file=", "templatefile="];
        let by_file = |word: &&Word| marks.iter().any(|mark| word.pattern().contains(mark));
        // A flag that says how to print may name a file that says so.
        let keyed = || entry.flags.values().any(|takes| matches!(takes, Takes::Value(Kind::Key)));
        if let Some(word) = words.iter().find(by_file).filter(|_| entry.needs.is_some() || keyed()) {
            self.about(word, |judge| {
                let sentence = format!("`{name}` may send or show the file in {}.", judge.spelt(word));
                judge.unknown("command.operand", sentence);
            });
        }
        if let Some(word) = words.iter().find(|word| entry.response && word.prefix().starts_with('@')) {
            self.about(word, |judge| {
                let sentence = format!("`{name}` takes more words from the file in {}.", judge.spelt(word));
                judge.unknown("command.operand", sentence);
            });
        }
        while let Some(word) = rest.next() {
            if flags && word.text() == Some("--") {
                flags = entry.through;
                // What is a revision before it is a path behind it.
                for path in rest.clone().filter(|path| path.names()) {
                    self.about(path, |judge| {
                        judge.unreadable("command.path", format!("It may read any file as {}.", judge.spelt(path)));
                    });
                }
                continue;
            }
            let flag = is_flag(word) || entry.plus && word.prefix().starts_with('+');
            // Where each operand means the same, it doesn't matter how many numbers there are.
            let even = entry.even() && entry.max.is_none() && entry.splits.is_none();
            if let Some(number) = word.counted().filter(|_| even && !flag) {
                self.about(word, |judge| judge.operand(entry, name, &Word::exact(number), &mut reading));
                flags &= entry.style != Style::Posix;
                continue;
            }
            if !flags || !flag {
                self.about(word, |judge| {
                    // What isn't listed of a free one is harmless, but for files that its flags name.
                    // A name that begins with `@` is a file of more words to some, wherever it stands.
                    let free = entry.free && !entry.response;
                    let flag = || word.may_be_flag() && (!free || word.found().is_some());
                    let certain = |judge: &mut Self| !free || judge.found_flags() == Some(true);
                    // Names that begin so are looked for in the folders that were named alone.
                    let begins = judge.nested && (entry.response || entry.plus);
                    if (flags || entry.response)
                        && flag()
                        && certain(judge)
                        && (judge.folder_may_have_flags(word) || begins)
                    {
                        let sentence = format!("{} may become a flag of `{name}`.", judge.spelt(word));
                        judge.unreadable("command.vague-flag", sentence);
                    }
                    if entry.splits.is_some() && entry.first.is_empty() {
                        judge.splits(name, word);
                    }
                    judge.operand(entry, name, word, &mut reading);
                });
                flags &= entry.style != Style::Posix;
                continue;
            }
            if let Some(Takes::Pair(kind)) = word.text().and_then(|text| entry.flags.get(text)) {
                let values = [rest.next(), rest.next()];
                values.iter().flatten().for_each(|value| self.one_value(entry, name, value));
                if let [_, Some(value)] = values {
                    self.meant(*kind, name, value);
                }
                continue;
            }
            // Behind a pattern stands what was before it, so that such a word stays the same flag.
            if word.open() || self.comes_apart(word) {
                self.about(word, |judge| judge.one_value(entry, name, word));
            }
            if entry.splits.is_some() {
                self.splits(name, word);
            }
            if let Some((flag, kind)) = self.about(word, |judge| judge.flag(entry, name, word, &mut reading))
                && let Some(value) = rest.next()
            {
                // Where it is none, the next word is taken: nobody misses an operand.
                let operand = |next: &&Word| !is_flag(next) && !next.may_be_flag();
                let taken = |next: &&Word| entry.even() && kind == Kind::Text && operand(next);
                let spared = rest.peek().is_none_or(taken);
                if let Some(number) = value.counted().filter(|_| even && spared) {
                    let number = Word::exact(number).at(value.span.clone());
                    self.about(value, |judge| {
                        judge.valued(entry, name, (&flag, kind), &number);
                        judge.operand(entry, name, &number, &mut reading);
                    });
                    continue;
                }
                reading.shifted |= value.open();
                self.about(value, |judge| {
                    if value.open() || value.several() && value.may_be_flag() && judge.folder_may_have_flags(value) {
                        judge.one_value(entry, name, value);
                    } else if value.several() {
                        // All but the first of the words that it may become.
                        judge.operand(entry, name, value, &mut reading);
                    }
                    if value.may_be_none() && !spared {
                        let sentence =
                            format!("If {} is empty, a flag takes the next word as its value.", judge.spelt(value));
                        judge.unreadable("command.vague-flag", sentence);
                    }
                    if entry.splits.as_ref().is_some_and(|whole| !whole.contains(&flag)) {
                        judge.splits(name, value);
                    }
                    judge.valued(entry, name, (&flag, kind), value);
                    judge.maybe_no_value(entry, kind, name, word, value);
                });
            }
        }
        reading.required |= entry.pipes && reading.operands == 0;
        let patterns = if reading.whole { 0 } else { entry.first.iter().filter(|kind| **kind != Kind::File).count() };
        if reading.operands <= patterns {
            self.reads_folder();
        }
        if reading.reach.is_none() {
            reading.reach = self.folder().map(|folder| self.reach(&Word::exact(folder)));
        }
        if narrow {
            reading.reach = Some(Reach::Named);
        }
        let together = !entry.apart.is_empty() && entry.apart.iter().all(|flags| given.carry(flags));
        if together || given.carry(&entry.clash) && !given.carry(&entry.unless) {
            reading.required = false;
        }
        if !reading.required || reading.revoked || reading.operands < entry.min {
            self.unknown(
                "command.needs-flag",
                format!("`{name}` only reads with certain flags or operands, and has none of them."),
            );
        }
        self.beyond_the_words(entry, name, &given, reading.operands);
        if self.findings.len() == before {
            // By way of a program that fetches or runs it, it is that program's to say.
            let itself = !name.split_once(' ').is_some_and(|(program, _)| table().hosts.has(program));
            // What stands beside it may be obeyed before it is.
            let alone = words.iter().all(|word| word.text().is_some_and(|text| entry.prints.contains(text)));
            let prints = !words.is_empty() && alone && itself;
            if entry.checks && !prints {
                let sentence = format!("`{name}` runs code of the workspace to check it, and is no test runner.");
                self.unknown("command.checks", sentence);
                return;
            }
            self.staged |= entry.staged && !prints;
            self.passed(entry, name, words, &reading);
        } else {
            self.ineligible |= entry.needs.is_some();
        }
    }

    /// The program only reads: remember it, and what flows out of it.
    fn passed(&mut self, entry: &Entry, name: &str, words: &[Word], reading: &Reading) {
        let operands = reading.operands;
        self.readers.insert(name.to_owned());
        if entry.quiet.contains("*") || self.fed && entry.rest == Kind::File && !self.recurses {
            self.listers.insert(name.to_owned());
        }
        let lists = reading.lists || entry.produces == Produces::Paths;
        let paths_in = matches!(self.feed, Feed::Paths(_) | Feed::Whole(_));
        let named = lists || entry.produces == Produces::Same && paths_in;
        let picks = !reading.inverted && !self.sought.is_empty() && self.sought.iter().all(|glob| narrows(glob));
        let seeks = named && self.seeks_sensitive();
        // Other words in a list of names would count as some.
        let tainted = reading.tainted || seeks || lists && !self.lists_alone(entry, name, words);
        let paths = Feed::Paths(match reading.reach.unwrap_or(Reach::Chosen) {
            Reach::Chosen if picks => Reach::Named,
            Reach::Chosen if reading.hidden => Reach::Hidden,
            reach => reach,
        });
        self.produced = match entry.produces {
            _ if lists && tainted => Feed::Text,
            _ if lists => paths,
            // It takes a folder instead of what comes in, too.
            Produces::Same if reading.altered || seeks || self.recurses => Feed::Text,
            // Some of them take a zero byte for text.
            Produces::Same if operands == 0 || !reading.whole && entry.first.len() == operands => match self.feed {
                Feed::Paths(Reach::Chosen | Reach::Hidden) | Feed::Whole(Reach::Chosen | Reach::Hidden) if picks => {
                    Feed::Paths(Reach::Named)
                }
                Feed::Whole(reach) => Feed::Paths(reach),
                // It may add to what came in.
                Feed::Nothing => Feed::Text,
                same => same,
            },
            Produces::Same | Produces::Text | Produces::Paths => Feed::Text,
        };
        // It names others than those that were found by name before, unless it was given these.
        let given = |piece: &Piece| matches!(piece, Piece::Found(_) | Piece::Whole(_));
        if lists && (self.recurses || !words.iter().any(|word| word.pieces.iter().any(given))) {
            self.looks_for(None);
        }
        if entry.produces != Produces::Same && matches!(self.produced, Feed::Paths(_)) {
            self.searches(entry, name, words, operands);
            let in_git = |text: &str| text.contains(".git");
            let within =
                self.folder().is_none_or(|folder| in_git(&folder)) || words.iter().any(|word| in_git(&word.pattern()));
            let any = |word: &Word| matches!(word.text(), Some("" | "." | "^" | "$" | ".*"));
            self.unearths = match within || name.ends_with("grep") && words.iter().any(any) {
                _ if name.starts_with("git ") => Objects::None,
                true => Objects::Here,
                false if entry.bare => Objects::None,
                false => Objects::Elsewhere,
            };
        }
        if identifies(entry, words) {
            self.printed = Some(Piece::Hashes.into());
            self.produced = Feed::Hashes;
        } else if calls(entry, words) {
            self.printed = Some(Piece::Names.into());
            self.produced = Feed::Names;
            self.typed = Some(self.typed != Some(false) && with_types(entry, words));
        } else if begins_with_names(entry, name, words) {
            self.produced = Feed::Named;
            self.typed = Some(false);
        }
        for (known, printed) in [(&entry.numbers, Piece::Number), (&entry.labels, Piece::Label)] {
            if !known.is_empty() {
                let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
                self.printed = texts.is_some_and(|texts| known.contains(&texts.join(" "))).then(|| printed.into());
            }
        }
        self.prints_numbers(name, words);
        self.prints_part(name, words);
        if let ("which", [program]) = (name, words) {
            self.printed = program.text().and_then(|program| self.installed_as(program)).map(Word::exact);
        }
    }

    fn operand(&mut self, entry: &Entry, name: &str, word: &Word, reading: &mut Reading) {
        let nth = reading.operands;
        reading.operands += 1;
        reading.shifted |= word.open() || word.names() || word.many && word.account();
        // Only what is passed on as paths needs to be clean.
        if reading.lists || entry.produces == Produces::Paths {
            reading.tainted |= word.vague() || self.may_be_sensitive(&word.pattern()).is_some();
        }
        if nth == 0 && word.text().is_some_and(|text| entry.not.contains(text)) {
            self.ineligible = true;
            self.unknown("command.operand", format!("No rule says that `{name} {}` only reads.", word.shown()));
        }
        if word.text().is_some_and(|text| entry.never.contains(text)) || !entry.never.is_empty() && word.vague() {
            self.ineligible = true;
            self.unknown(
                "command.operand",
                format!("No rule says that `{name}` with {} only reads.", self.spelt(word)),
            );
        }
        if reading.open {
            return;
        }
        if let Some(choices) = entry.choices.get(nth).filter(|choices| !choices.is_empty()) {
            if !choices.contains("*") && !word.text().is_some_and(|text| choices.contains(text)) {
                self.ineligible = true;
                self.unknown("command.operand", format!("No rule says that `{name} {}` only reads.", word.shown()));
            }
            if !choices.contains("*") && entry.max.is_none_or(|max| reading.operands <= max) {
                return;
            }
        }
        let too_many = entry.max.is_some_and(|max| reading.operands > max || word.several());
        if too_many {
            self.unknown("command.operands", format!("No rule says that `{name}` with such operands only reads."));
            return;
        }
        if let Some(words) = &entry.words {
            if !word.text().is_some_and(|text| words.contains(text)) {
                self.unknown("command.operand", format!("No rule says that `{name} {}` only reads.", word.shown()));
            }
            return;
        }
        let first = entry.first.get(nth).copied().filter(|_| !reading.whole);
        let kind = match first {
            Some(kind) if !reading.shifted => kind,
            Some(Kind::File) => Kind::File,
            Some(_) | None => entry.rest,
        };
        if kind == Kind::Resource {
            // Behind a type stand names alone: one with a type of its own is refused there.
            let typed = reading.typed;
            reading.typed |= nth == 0 && word.text().is_some_and(names_a_type);
            if typed && word.one_name() {
                return;
            }
        }
        self.disclosed |= kind.opens();
        if matches!(kind, Kind::Path | Kind::File) {
            let reach = self.begins_at(word);
            reading.reach = reading.reach.filter(|reach| *reach == Reach::Everything).or(Some(reach));
        }
        self.meant(kind, name, word);
    }

    /// Judges the value of a flag: one of those that the entry lists, or what it means.
    fn valued(&mut self, entry: &Entry, name: &str, (flag, kind): (&str, Kind), value: &Word) {
        self.disclosed |= kind.opens();
        match entry.values.get(flag) {
            None => self.meant(kind, name, value),
            Some(values) if value.text().is_some_and(|text| values.contains(text)) => {}
            Some(values) if values.contains("NUM") && !value.pieces.is_empty() && value.number().is_some() => {}
            Some(values) if values.contains("TEXT") && !value.may_be_empty() => self.meant(kind, name, value),
            Some(_) => self.other_value(entry, name, (flag, value)),
        }
    }

    /// Judges a flag; its name and some kind if its value is in the next word.
    fn flag(&mut self, entry: &Entry, name: &str, word: &Word, reading: &mut Reading) -> Option<(String, Kind)> {
        let head = word.prefix();
        let exact = word.text().is_some();
        if matches!(entry.style, Style::Single | Style::Go) || head.starts_with("--") {
            let doubled = entry.style == Style::Go && head.starts_with("--");
            let (word, head) = if doubled { (&word.after(1), &head[1..]) } else { (word, head) };
            let (flag, value) = match head.split_once('=') {
                Some((flag, _)) => (flag, Some(word.after(flag.len() + 1))),
                None if exact => (head, None),
                None => {
                    self.any_flag(name, word);
                    return None;
                }
            };
            reading.requires(entry, flag, value.as_ref());
            return self.long(entry, name, flag, value);
        }
        match entry.flags.get(head) {
            Some(Takes::Nothing) if exact => {
                reading.requires(entry, head, None);
                return None;
            }
            // Several in one word, as the entry spells them.
            Some(Takes::Value(kind)) if exact && head.len() > 2 => return Some((head.to_owned(), *kind)),
            Some(_) | None => {}
        }
        let flags = head.strip_prefix('-').unwrap_or(head);
        if let [Piece::Exact(dash), Piece::Number | Piece::Digits | Piece::Numbers] = word.pieces()
            && dash == "-"
            && entry.flags.contains_key("-NUM")
        {
            return None;
        }
        let (number, digits) = flags.strip_prefix('+').map_or(("-NUM", flags), |digits| ("+NUM", digits));
        let counts = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if exact && counts && entry.flags.contains_key(number) {
            return None;
        }
        for (at, c) in flags.char_indices().take(BUNDLE) {
            let flag = format!("-{c}");
            let tail = word.after(1 + at + c.len_utf8());
            reading.requires(entry, &flag, tail.prefix().starts_with('=').then_some(&tail));
            let attached = !(tail.pieces.is_empty() || tail.text() == Some(""));
            match entry.flags.get(&flag) {
                Some(Takes::Nothing | Takes::Pair(_)) => {}
                Some(Takes::Value(kind)) if !attached => return Some((flag, *kind)),
                Some(Takes::Value(kind)) if tail.may_be_empty() && !(entry.even() && *kind == Kind::Text) => {
                    let sentence = format!("If {} has no value of its own, it takes the next word.", self.spelt(word));
                    self.unreadable("command.vague-flag", sentence);
                    return None;
                }
                Some(Takes::Value(kind) | Takes::Attached(kind)) => {
                    self.valued(entry, name, (&flag, *kind), &tail);
                    return None;
                }
                None => {
                    self.unlisted(entry, name, &flag, Some(&tail));
                    if !entry.free {
                        return None;
                    }
                }
            }
        }
        if !exact || flags.chars().nth(BUNDLE).is_some() {
            self.any_flag(name, word);
        }
        None
    }

    fn long(&mut self, entry: &Entry, name: &str, flag: &str, value: Option<Word>) -> Option<(String, Kind)> {
        match (entry.flags.get(flag), value) {
            (Some(Takes::Attached(kind)), None) if entry.values.contains_key(flag) => {
                self.valued(entry, name, (flag, *kind), &Word::exact(String::new()));
                None
            }
            (Some(Takes::Nothing | Takes::Attached(_) | Takes::Pair(_)), None) => None,
            (Some(Takes::Value(kind)), None) => Some((flag.to_owned(), *kind)),
            (Some(Takes::Value(kind) | Takes::Attached(kind)), Some(value)) => {
                self.valued(entry, name, (flag, *kind), &value);
                None
            }
            (Some(Takes::Nothing | Takes::Pair(_)) | None, value) => {
                self.unlisted(entry, name, flag, value.as_ref());
                None
            }
        }
    }
}
