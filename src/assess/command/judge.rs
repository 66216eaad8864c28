//! The judge of one command text: what it knows, what it has found so far, and how it objects. The walk, the
//! words, the paths and the programs are further `impl` blocks in the files beside this one.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::function::Function;
use super::parted::Search;
use super::reading::Reading;
use super::scope::Scope;
use super::source::Source;
use super::word::{Reach, Word};
use crate::assess::{Mentions, Sensitive};
use crate::domain::{Class, Danger, Facts, Finding, Place, Shape, Shell, Span};

/// Most simple commands judged in one text, loops and substitutions included.
const COMMANDS: usize = 600;
/// No names were listed.
static UNLISTED: BTreeMap<String, Vec<String>> = BTreeMap::new();
/// Deepest nesting of substitutions and peeled wrappers.
pub(super) const DEPTH: usize = 12;

/// What flows into a command by a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feed {
    /// Anything.
    Text,
    /// Paths that a search found, none of them sensitive by name, and how far it went.
    Paths(Reach),
    /// The same, each beginning with a folder that was named and ended by a zero byte.
    Whole(Reach),
    /// What git or a daemon calls things by, in hexadecimal, one a line.
    Hashes,
    /// Lines that begin with a hash and a blank.
    Hashed,
    /// One whole number, or nothing.
    Number,
    /// Whole numbers, apart from one another by blanks or lines.
    Numbers,
    /// Lines that begin with their number and a colon.
    Numbered,
    /// Lines that begin with a number, maybe behind blanks, and a blank or a tab.
    Counted,
    /// Lines that begin with what a daemon or a cluster calls a thing, and a blank.
    Named,
    /// Names of branches and tags of which none begins with a dash, one a line.
    Refs,
    /// What a daemon or a cluster calls its things: no word of it begins with a dash.
    Names,
    /// What came from the network.
    Download,
    /// Nothing, or an empty line.
    Nothing,
}

/// Whether a search may find the files in which git keeps others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Objects {
    /// It rules them out.
    None,
    /// Those of a repository that lies somewhere below.
    Elsewhere,
    /// Those of the repository around it, too.
    Here,
}

/// Judges one text.
#[allow(clippy::struct_excessive_bools)] // independent facts about what was judged so far
pub(super) struct Judge<'a> {
    pub(super) place: &'a Place,
    /// None while asking what should be looked at.
    pub(super) facts: Option<&'a Facts>,
    pub(super) sensitive: &'a Sensitive,
    /// The names that patterns match, where they were listed.
    pub(super) lists: &'a BTreeMap<String, Vec<String>>,
    pub(super) scope: Scope,
    pub(super) findings: Vec<Finding>,
    pub(super) shapes: Vec<Shape>,
    /// The same in full, and whether anything in the text has no such form.
    pub(super) forms: Vec<Shape>,
    pub(super) odd: bool,
    /// Commands that were judged so far, what others run included.
    pub(super) dispatched: usize,
    /// Whether the command that is judged is fed by a pipe, and feeds one.
    pub(super) fed: bool,
    pub(super) feeds: bool,
    pub(super) mentions: Mentions,
    /// Programs that only read, in order, by their names in the table where they stand there.
    pub(super) readers: BTreeSet<String>,
    /// The public hosts that they look at, each with its port.
    pub(super) hosts: BTreeSet<String>,
    /// What goes out with those looks.
    pub(super) sent: BTreeSet<String>,
    /// Whether a test runner is among them.
    pub(super) staged: bool,
    /// Whether something stands against a claim of low.
    pub(super) ineligible: bool,
    /// What does, where a word of the text says it.
    pub(super) outlasts: Option<String>,
    /// Whether it tells of commits, and nothing of the files in them.
    pub(super) commits: bool,
    /// What flows into the next command, and out of the last one.
    pub(super) feed: Feed,
    pub(super) produced: Feed,
    /// Whether a part of what flows in may have been taken.
    pub(super) bitten: bool,
    /// The signs at which `read` takes it apart, where they stand before it.
    pub(super) signs: Option<Word>,
    /// All that flows into the command that is judged at this depth, where that stands in the text.
    pub(super) said: Option<(usize, String)>,
    /// The same of what `echo` or `printf` printed last at this depth.
    pub(super) echoed: Option<(usize, String)>,
    /// All that the last command prints, where that is known: a number, a text, both.
    pub(super) printed: Option<Word>,
    /// Whether the command that is judged shows the content of what it reads, and reads whole folders.
    pub(super) shows: bool,
    pub(super) recurses: bool,
    /// Where it reads whole folders for lines: whether it comes to hidden files and build products, too.
    pub(super) seeks: Option<Search>,
    /// Links that it finds below them are followed.
    pub(super) follows: bool,
    /// The same of a search for names.
    pub(super) through: bool,
    /// What searches find of what git keeps of files, and how much of that is shown.
    pub(super) unearths: Objects,
    pub(super) finds: Objects,
    /// Whether what is read is shown even where it is no text.
    pub(super) raw: bool,
    /// It writes over what is there, as far as is known.
    pub(super) replaces: bool,
    /// Something is told to another machine whose owner its words choose.
    pub(super) exposed: bool,
    /// Whether it prints files as they are, not only what it looks for in them.
    pub(super) prints: bool,
    /// Programs that showed names and data about files alone, or what was piped to them; and whether any file was opened.
    pub(super) listers: BTreeSet<String>,
    pub(super) disclosed: bool,
    /// Whether it reads any file, shown or not.
    pub(super) looked: bool,
    /// What it may show of sensitive files that walls would hide from it: a sentence.
    pub(super) walled: Option<String>,
    /// Of which sensitive file it may show lines that walls would hide from it: a sentence.
    pub(super) lines: Option<String>,
    /// What it may start unless walls limit it, many processes side by side or what a file names: a sentence.
    pub(super) crowds: Option<String>,
    /// What walls keep from its sight, which its output doesn't say: a sentence.
    pub(super) blind: Option<String>,
    /// What it looks for in names or lines, as patterns of names.
    pub(super) sought: Vec<String>,
    /// The names that all searches so far looked for, said plainly; none where one found others, too.
    pub(super) only: Option<Vec<String>>,
    /// Whether it runs in folders that a search finds, not in the one that the scope knows.
    pub(super) elsewhere: bool,
    /// Whether a descriptor other than standard input may be a file, which `/dev/fd/3` would open for writing.
    pub(super) opened: bool,
    /// Whether a descriptor may have been closed.
    pub(super) closed: bool,
    /// The folders that searches ran in, whose paths may be used in another one; none for one that may be any.
    pub(super) searched: BTreeSet<Option<String>>,
    /// Whether a search began somewhere else than below the folder that it ran in.
    pub(super) climbs: bool,
    /// Whether names of a listing are used that say nothing of their folder, and whether it isn't known where a search began.
    pub(super) listed: bool,
    /// Whether names of folders below those that were named are among them.
    pub(super) nested: bool,
    pub(super) unplaced: bool,
    /// The folders in which git named what it tracks now, and whether it named paths of its history, too.
    pub(super) tracked: BTreeSet<String>,
    pub(super) remembers: bool,
    /// Of these, whether such a path may be that of a file which it doesn't track now, or which lies elsewhere.
    pub(super) historic: bool,
    /// Whether all names that a cluster printed say of what type they are, and none of those is secret; none before it did.
    pub(super) typed: Option<bool>,
    /// Whether every line of what a search finds begins with a place that its words name.
    pub(super) led: bool,
    /// Whether such lines are taken one by one: their blanks at either end may be lost.
    pub(super) by_line: bool,
    /// Whether git named the paths: its index and its history have names that are in no folder.
    pub(super) recalled: bool,
    /// The places that searches began at, where they are known.
    pub(super) reached: BTreeSet<String>,
    /// The folders that it left by `cd`; none for one that may be any.
    pub(super) stood_in: BTreeSet<Option<String>>,
    pub(super) depth: usize,
    /// How many of the bodies that it is in may run any number of times.
    pub(super) repeats: usize,
    /// How many of them programs were told to run at once, each by the one before.
    pub(super) at_once: u32,
    /// The words of the command that takes all of what the judged one prints, where they are plain.
    pub(super) taker: Option<Vec<String>>,
    /// What is judged now: a command, or a word of it.
    pub(super) span: Option<Span>,
    /// The raw word that is expanded now.
    pub(super) word: Option<Span>,
    /// The shell that runs what is judged.
    pub(super) shell: Shell,
    /// The whole text, and the script in it that is walked now.
    pub(super) text: &'a str,
    pub(super) source: Source,
    /// What those that objected would do, in a few words each.
    pub(super) acts: Vec<String>,
    /// Whether the words that are expanded are those of `[` or `test`, which looks at what may be missing itself.
    pub(super) tested: bool,
    /// What held where `break`, `continue` and `return` left a body.
    pub(super) left: Vec<Scope>,
    /// What held where the rest of the line may have been left out.
    pub(super) dropped: Option<Scope>,
    /// The functions that were defined, and the variables of the one that is judged that are its own.
    pub(super) functions: Vec<Rc<Function>>,
    pub(super) locals: Option<Vec<String>>,
    /// What stands before the commands that are judged, of variables that point somewhere.
    pub(super) given: Vec<(String, Word)>,
    /// The commands as they were read, if anybody wants to know.
    pub(super) read: Option<Reading>,
    commands: usize,
}

impl<'a> Judge<'a> {
    pub(super) fn new(place: &'a Place, facts: Option<&'a Facts>, sensitive: &'a Sensitive, text: &'a str) -> Self {
        Self {
            place,
            facts,
            sensitive,
            lists: facts.map_or(&UNLISTED, |facts| &facts.lists),
            scope: Scope::at(place.cwd.to_string_lossy().into_owned()),
            findings: Vec::new(),
            shapes: Vec::new(),
            forms: Vec::new(),
            odd: false,
            dispatched: 0,
            fed: false,
            feeds: false,
            mentions: Mentions::default(),
            readers: BTreeSet::new(),
            hosts: BTreeSet::new(),
            sent: BTreeSet::new(),
            staged: false,
            ineligible: false,
            outlasts: None,
            feed: Feed::Text,
            produced: Feed::Text,
            bitten: false,
            printed: None,
            signs: None,
            shows: true,
            recurses: false,
            seeks: None,
            follows: false,
            through: false,
            unearths: Objects::Elsewhere,
            finds: Objects::None,
            raw: false,
            exposed: false,
            replaces: false,
            prints: false,
            listers: BTreeSet::new(),
            disclosed: false,
            looked: false,
            walled: None,
            lines: None,
            crowds: None,
            blind: None,
            said: None,
            echoed: None,
            sought: Vec::new(),
            only: Some(Vec::new()),
            commits: false,
            elsewhere: false,
            opened: false,
            closed: false,
            searched: BTreeSet::new(),
            tracked: BTreeSet::new(),
            remembers: false,
            historic: false,
            typed: None,
            led: false,
            by_line: false,
            climbs: false,
            listed: false,
            nested: false,
            unplaced: false,
            recalled: false,
            reached: BTreeSet::new(),
            stood_in: BTreeSet::new(),
            depth: 0,
            repeats: 0,
            at_once: 1,
            taker: None,
            span: None,
            word: None,
            shell: facts.map(|facts| facts.shell).unwrap_or_default(),
            text,
            source: Source::new("", None),
            acts: Vec::new(),
            tested: false,
            left: Vec::new(),
            dropped: None,
            functions: Vec::new(),
            locals: None,
            given: Vec::new(),
            read: None,
            commands: 0,
        }
    }

    /// Counts one more command; false once there are too many.
    pub(super) fn counted(&mut self) -> bool {
        self.commands += 1;
        if self.commands == COMMANDS {
            self.unreadable("command.too-many", format!("It has more than {COMMANDS} commands, loops counted out."));
        }
        self.commands < COMMANDS
    }

    /// Whether there were too many commands already: the rest is not looked at.
    pub(super) fn exhausted(&self) -> bool {
        self.commands >= COMMANDS
    }

    /// Runs `inner` one level deeper, unless that is too deep.
    pub(super) fn deeper(&mut self, inner: impl FnOnce(&mut Self)) {
        if self.depth >= DEPTH {
            self.unreadable("command.too-deep", format!("It is nested deeper than {DEPTH} levels."));
            return;
        }
        self.depth += 1;
        self.odd = true;
        let span = self.span.clone();
        inner(self);
        self.span = span;
        self.depth -= 1;
    }

    /// All that flows into the command that is judged, where that is known.
    pub(super) fn said(&self) -> Option<&str> {
        self.said.as_ref().filter(|(depth, _)| *depth == self.depth).map(|(_, text)| text.as_str())
    }

    /// What the last command printed, if it is all in the text.
    pub(super) fn last_said(&self) -> Option<String> {
        let printed = self.printed.as_ref().and_then(Word::text).map(str::to_owned);
        printed.or_else(|| self.echoed.as_ref().filter(|(depth, _)| *depth == self.depth).map(|(_, text)| text.clone()))
    }

    /// Something flows in from here on: a text that is known, or anything.
    pub(super) fn says(&mut self, text: Option<String>) {
        self.said = text.map(|text| (self.depth, text));
    }

    pub(super) fn object(&mut self, rule: &str, class: Class, sentence: impl Into<String>) {
        let mut finding = Finding::new(rule, class, sentence);
        finding.span.clone_from(&self.span);
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Not understood: asks, whatever is claimed.
    pub(super) fn unreadable(&mut self, rule: &str, sentence: impl Into<String>) {
        self.object(rule, Class::Unreadable, sentence);
    }

    /// Neither known to be harmless nor declared dangerous.
    pub(super) fn unknown(&mut self, rule: &str, sentence: impl Into<String>) {
        self.object(rule, Class::Unknown, sentence);
    }

    /// Changes or deletes something.
    pub(super) fn destructive(&mut self, rule: &str, sentence: impl Into<String>) {
        self.object(rule, Class::Declared(Danger::Destructive), sentence);
    }

    /// Reads something sensitive.
    pub(super) fn sensitive(&mut self, sentence: impl Into<String>) {
        self.shapes.push(Shape::new([("reads", "sensitive")]));
        self.object("command.sensitive", Class::Declared(Danger::Sensitive), sentence);
    }

    /// Sends something, or reaches another machine.
    pub(super) fn external(&mut self, rule: &str, sentence: impl Into<String>) {
        self.object(rule, Class::Declared(Danger::External), sentence);
    }

    /// Must never run.
    pub(super) fn catastrophe(&mut self, rule: &str, sentence: impl Into<String>) {
        self.object(rule, Class::Catastrophe, sentence);
    }

    /// A variable that steers programs is set.
    pub(super) fn steered(&mut self, name: &str) {
        self.ineligible = true;
        self.shapes.push(Shape::new([("variable", name)]));
        self.unknown("command.variable", format!("Setting `{name}` can change what programs load, run or write."));
    }
}
