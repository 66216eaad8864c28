//! `find`: its expression, word by word. Tests look; `-exec` runs a program, which is judged with a found path in
//! its words; `-delete`, `-fprint` and their kind change things.

use std::path::Path;

use super::judge::{Feed, Judge, Objects};
use super::kind::{named_by, narrows, ordinary};
use super::numbers;
use super::programs::plain_name;
use super::regex::as_glob;
use super::word::{Piece, Reach, Word};
use crate::assess::overlap::Name;

/// Tests and options with one word after them.
const ONE: &str = " amin anewer atime cmin cnewer context ctime fstype gid group ilname iname inum ipath iregex \
    iwholename links lname maxdepth mindepth mmin mtime name path perm regex regextype size type uid used \
    user wholename xtype printf newer samefile flags D ";
/// Tests, options, operators and actions without.
const NONE: &str = " H L P empty executable false true nogroup nouser readable writable print print0 ls prune quit \
    daystart depth d follow mount xdev x noleaf ignore_readdir_race noignore_readdir_race warn nowarn not a and o or help \
    -help version -version O0 O1 O2 O3 acl xattr E X s ";

/// Of these, what leaves hardly anything out.
const WHOLE: &str = " maxdepth mindepth type xtype depth d follow mount xdev x noleaf print print0 printf ls true \
    a and o or H L P warn nowarn X s E O0 O1 O2 O3 D readable writable ";

/// Judges the words of `find`.
pub(super) fn judge(judge: &mut Judge<'_>, words: &[Word]) {
    let before = judge.findings.len();
    let follows = words.iter().any(|word| matches!(word.text(), Some("-L" | "-H" | "-follow")));
    judge.through |= follows;
    let (roots, names) = places(words);
    let roots: Vec<Word> = if roots.is_empty() { vec![Word::exact(".")] } else { roots.into_iter().cloned().collect() };
    let root = if let [only] = roots.as_slice() { only.clone() } else { Word::any() };
    let hidden = names.iter().any(|name| judge.names_sensitive(name, &roots))
        || roots.iter().any(|root| root.text().is_none_or(|root| judge.sensitive_entry(root).is_some()));
    let vital = roots.iter().find(|root| judge.vital(root)).filter(|_| !narrowed(words));
    let everything = roots.iter().any(|root| judge.begins_at(root) == Reach::Everything);
    // Where secrets lie below, a mere name may be that of one.
    let chosen = named(words) && !(everything && names.iter().any(|name| !ordinary(name)));
    let reach = match (chosen, everything) {
        (true, _) => Reach::Named,
        (false, true) => Reach::Everything,
        (false, false) => Reach::Hidden,
    };
    judge.unearths = match unearths(words) {
        false => Objects::None,
        true if roots.iter().any(|root| holds_repository(judge, root)) => Objects::Here,
        true => Objects::Elsewhere,
    };
    // What a program that it runs is given, too.
    let only = sought_names(words);
    judge.looks_for(only.clone());
    // Behind the place where the search began.
    let found = if hidden { Piece::Any } else { Piece::Whole(reach) };
    let mut plain = true;
    // Whether a test may lack its word: then each word behind it may be that of another.
    let mut lacking = false;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let Some(text) = word.text() else {
            let begun = word.prefix().starts_with('-');
            if begun || word.may_be_none() || word.may_be_flag() && judge.folder_may_have_flags(word) {
                judge.about(word, |judge| vague(judge, word));
                return;
            }
            continue;
        };
        let Some(action) = text.strip_prefix('-') else { continue };
        let padded = format!(" {action} ");
        if NONE.contains(&padded) || action.is_empty() {
            // It shows where links lead.
            plain &= action != "ls";
            continue;
        }
        if ONE.contains(&padded) || action.starts_with("newer") && action.len() == 7 {
            plain &= action != "printf";
            let dashed = words.get(at).filter(|word| lacking && word.prefix().starts_with('-'));
            if let Some(word) = dashed {
                judge.about(word, |judge| vague(judge, word));
            }
            value(judge, words.get(at));
            lacking |= words.get(at).is_some_and(Word::account);
            at += 1;
            continue;
        }
        match action {
            "exec" | "execdir" | "ok" | "okdir" => {
                let Some(length) = end(&words[at..]) else {
                    judge.unreadable("command.find", "`find -exec` has no end.");
                    return;
                };
                let inner = &words[at..at + length];
                let apart = inner.iter().find(|word| judge.comes_apart(word));
                if let Some(word) = apart.or_else(|| may_end(inner)) {
                    judge.about(word, |judge| vague(judge, word));
                }
                // By `;` it runs once for each.
                let several = words[at + length].text() == Some("+");
                let inner: Vec<Word> =
                    words[at..at + length].iter().map(|word| with_found(word, &root, &found, several)).collect();
                let outer = judge.elsewhere;
                judge.elsewhere |= action.ends_with("dir");
                judge.any_times(|judge| judge.outside(&inner));
                judge.elsewhere = outer;
                if let Some(vital) = vital {
                    on_everything(judge, &words[at..at + length], vital);
                }
                plain = false;
                at += length + 1;
            }
            "delete" => judge.about(word, |judge| match vital {
                Some(vital) => judge.catastrophe(
                    "command.find-delete",
                    format!("`find -delete` deletes everything below `{}`.", vital.shown()),
                ),
                None => judge.destructive("command.find-delete", "`find -delete` deletes what it finds."),
            }),
            "fprint" | "fprint0" | "fls" | "fprintf" => {
                if let Some(file) = words.get(at) {
                    judge.writes("find", file);
                }
                at += if action == "fprintf" { 2 } else { 1 };
            }
            _ => judge.about(word, |judge| {
                judge.unknown("command.unknown-flag", format!("No rule says that `find` with `{text}` only reads."));
            }),
        }
    }
    if judge.findings.len() == before {
        judge.searched_here(only);
        let written = |root: &Word| {
            root.text().is_some_and(|root| !root.contains([':', '\n']) && !root.starts_with(['@', '|', '-']))
        };
        judge.led = roots.iter().all(written) && !follows;
        judge.readers.insert("find".to_owned());
        let prints = |wanted: &str| tests(words).into_iter().any(|at| words[at].text() == Some(wanted));
        // A found path begins with the place where the search began.
        let whole =
            prints("-print0") && !prints("-print") && !prints("-ls") && roots.iter().all(|root| root.text().is_some());
        judge.produced = match (plain && !hidden, whole) {
            (false, _) if numbers::of_find(words, &tests(words)) => Feed::Numbers,
            (true, true) => Feed::Whole(reach),
            (true, false) => Feed::Paths(reach),
            (false, _) => Feed::Text,
        };
    }
}

/// A program is run on everything below a place that matters: as bad as on that place itself.
fn on_everything(judge: &mut Judge<'_>, inner: &[Word], vital: &Word) {
    let on_it =
        |word: &Word| if word.text() == Some("{}") { vital.clone().at(word.span.clone()) } else { word.clone() };
    let on_it: Vec<Word> = inner.iter().map(on_it).collect();
    let before = judge.findings.len();
    judge.trial(|judge| judge.dispatch(&on_it));
    let deletes = |word: &Word| matches!(word.text().map(plain_name), Some("rm" | "unlink" | "shred" | "srm"));
    if judge.findings.len() == before && inner.first().is_some_and(deletes) {
        judge.catastrophe("command.find-delete", format!("`find -exec` deletes everything below `{}`.", vital.shown()));
    }
}

/// The places of the words that are tests, operators and actions, not the values of others.
fn tests(words: &[Word]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        found.push(at);
        let action = word.text().and_then(|text| text.strip_prefix('-')).unwrap_or_default();
        at += match action {
            "exec" | "execdir" | "ok" | "okdir" => end(&words[at..]).map_or(words.len(), |length| length + 1),
            "fprintf" => 3,
            "fprint" | "fprint0" | "fls" => 2,
            _ if ONE.contains(&format!(" {action} ")) && !action.is_empty() => 2,
            _ if action.starts_with("newer") && action.len() == 7 => 2,
            _ => 1,
        };
    }
    found
}

/// Whether it looks for some things among all that it passes.
fn narrowed(words: &[Word]) -> bool {
    // What stands behind it leaves nothing from it.
    let mut tests = tests(words);
    let end = tests.iter().position(|at| words[*at].text() == Some("-delete")).unwrap_or(tests.len());
    tests.truncate(end + 1);
    // Neither files nor folders.
    let odd = |at: usize| {
        words.get(at).and_then(Word::text).is_some_and(|kinds| kinds.bytes().all(|kind| b"lpsbcD,".contains(&kind)))
    };
    // What runs once for each thing passes on those of which it says yes.
    let asked = tests.iter().zip(tests.iter().skip(1)).any(|(at, next)| {
        let runs = matches!(words[*at].text(), Some("-exec" | "-execdir" | "-ok" | "-okdir"));
        runs && words[*next - 1].text() == Some(";")
    });
    asked
        || tests.into_iter().take(end).any(|at| {
            let Some(test) = words[at].text().and_then(|text| text.strip_prefix('-')) else { return false };
            let padded = format!(" {test} ");
            (ONE.contains(&padded) || NONE.contains(&padded) || test.starts_with("newer")) && !WHOLE.contains(&padded)
                || matches!(test, "type" | "xtype") && odd(at + 1)
        })
}

/// Whether git's own folder may lie below a place: the folder that it runs in, the workspace, what lies around or
/// elsewhere.
fn holds_repository(judge: &Judge<'_>, root: &Word) -> bool {
    let Some(place) = root.text().and_then(|root| judge.normal(root)) else { return true };
    let below = Path::new(&place).starts_with(&judge.place.workspace) && Path::new(&place) != judge.place.workspace;
    !below || Some(&place) == judge.folder().as_ref() || place.contains(".git")
}

/// Whether it may find the files in which git keeps others: they lie four folders deep, under names of hexadecimal digits
/// or with endings of their own.
fn unearths(words: &[Word]) -> bool {
    let tests = tests(words);
    let text = |at: usize| words.get(at).and_then(Word::text).unwrap_or_default();
    let near = |at: &usize| text(*at) == "-maxdepth" && matches!(text(at + 1), "0" | "1" | "2" | "3");
    let passed_over = |at: &usize| {
        let git = matches!(text(at + 1), "*/.git/*" | "./.git/*" | "*/.git" | "./.git" | ".git" | "*/.git*" | "*.git*");
        let before = at.checked_sub(1).map(text).unwrap_or_default();
        git && (matches!(before, "!" | "-not") && text(*at) == "-path"
            || text(at + 2) == "-prune" && matches!(text(at + 3), "-o" | "-or"))
    };
    if tests.iter().any(|at| near(at) || passed_over(at)) {
        return false;
    }
    let other = |at: &&usize| {
        let Some(glob) = words.get(**at + 1).map(|word| sought(text(**at), word)) else { return false };
        let whole = !matches!(text(**at), "-name" | "-iname");
        seeks(words, &tests, **at) && !of_an_object(&glob, whole)
    };
    !(named(words) && tests.iter().filter(|at| seeks(words, &tests, **at)).all(|at| other(&at)))
}

/// Whether such a file may have that name, or that path where the pattern is one of `whole` paths.
fn of_an_object(glob: &str, whole: bool) -> bool {
    const ENDINGS: [&str; 7] = ["pack", "idx", "rev", "bitmap", "graph", "midx", "mtimes"];
    let name = glob.rsplit('/').next().unwrap_or(glob).to_ascii_lowercase();
    let wild = |letter: char| matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '^' | '!' | '-' | ',');
    match name.rsplit_once('.') {
        Some((_, ending)) if !ending.is_empty() && !ending.contains(wild) => ENDINGS.contains(&ending),
        _ => whole || name.chars().all(|letter| letter.is_ascii_hexdigit() || wild(letter) || letter == '.'),
    }
}

/// Where it starts, and the names it looks for, not those it passes over.
fn places(words: &[Word]) -> (Vec<&Word>, Vec<String>) {
    let starts = |word: &&Word| {
        !word.text().is_some_and(|text| {
            text.starts_with('-') && !matches!(text, "-H" | "-L" | "-P") || matches!(text, "(" | "!")
        })
    };
    let roots = words.iter().take_while(starts).filter(|word| !word.prefix().starts_with('-')).collect();
    let name = |at: usize| Some(sought(words[at].text()?, words.get(at + 1)?));
    let tests = tests(words);
    let names = tests.iter().filter(|at| seeks(words, &tests, **at)).filter_map(|at| name(*at)).collect();
    (roots, names)
}

/// The names that it looks for, as globs say them plainly; none where it finds others, too.
fn sought_names(words: &[Word]) -> Option<Vec<String>> {
    let tests = tests(words);
    let all = |test: &str, name: &Word| {
        let said =
            middle(&sought(test, name)).map_or_else(|| named_by(&sought(test, name)), |name| Some(vec![name]))?;
        // A pattern of paths says how they end, not how the names in them begin.
        let ends = |name: &String| matches!(test, "-name" | "-iname") || name.starts_with("*.") && !name.ends_with('*');
        said.iter().all(ends).then_some(said)
    };
    let mut names = Vec::new();
    for at in tests.iter().copied().filter(|at| seeks(words, &tests, *at)) {
        names.extend(all(words[at].text()?, words.get(at + 1)?)?);
    }
    asks_for_names(words, |test, name| all(test, name).is_some()).then_some(names)
}

/// A name of which a glob says what stands somewhere in it.
fn middle(glob: &str) -> Option<String> {
    let inner = glob.strip_prefix('*')?.strip_suffix('*')?;
    let plain = inner.len() >= 4 && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    plain.then(|| glob.to_owned())
}

/// What a test for names looks for, as a glob.
fn sought(test: &str, name: &Word) -> String {
    let pattern = name.pattern();
    if matches!(test, "-regex" | "-iregex") { as_glob(&format!("^{pattern}$")) } else { pattern }
}

/// Whether the word at a place asks for a name, and doesn't pass it over.
fn seeks(words: &[Word], tests: &[usize], at: usize) -> bool {
    const NAMES: [&str; 8] = ["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"];
    let is = |at: usize, wanted: &[&str]| words.get(at).and_then(Word::text).is_some_and(|text| wanted.contains(&text));
    let over = |before: usize| tests.contains(&before) && is(before, &["!", "-not"]);
    is(at, &NAMES) && !at.checked_sub(1).is_some_and(over)
}

/// Whether only names that are said plainly are found: each alternative asks for one before it does anything.
fn named(words: &[Word]) -> bool {
    asks_for_names(words, |test, name| narrows(&sought(test, name)))
}

/// The same for names of some kind.
fn asks_for_names(words: &[Word], plain: impl Fn(&str, &Word) -> bool) -> bool {
    let mut named = false;
    let tests = tests(words);
    for at in tests.iter().copied() {
        let Some(text) = words[at].text() else { continue };
        let group_passed_over =
            matches!(text, "!" | "-not") && words.get(at + 1).and_then(Word::text).is_some_and(|next| next == "(");
        let acts = ["-exec", "-ok", "-print", "-fprint", "-ls", "-fls"].iter().any(|action| text.starts_with(action));
        match text {
            "," => return false,
            "-o" | "-or" if !named => return false,
            "-o" | "-or" => named = false,
            _ if group_passed_over || acts && !named => return false,
            _ => named |= seeks(words, &tests, at) && words.get(at + 1).is_some_and(|name| plain(text, name)),
        }
    }
    named
}

/// The word after a test. A pattern that the shell may expand to several words, one of them an action, asks; so does
/// an action, which a test that the shell leaves without its word would let through.
fn value(judge: &mut Judge<'_>, word: Option<&Word>) {
    let Some(word) = word else { return };
    let beginning = !word.prefix().is_empty() && !word.prefix().starts_with('-');
    let apart = judge.comes_apart(word);
    let none = word.may_be_none() && !word.account();
    if apart || acts(word) || word.open() || none || word.several() && !beginning && may_be_found(word) {
        judge.about(word, |judge| vague(judge, word));
    }
}

/// Whether a file may have a name that the pattern of a word matches and that means something to `find`.
fn may_be_found(word: &Word) -> bool {
    const ACTIONS: &str = "exec execdir ok okdir delete fprint fprint0 fls fprintf files0-from";
    let named = word.pieces.iter().all(|piece| matches!(piece, Piece::Exact(_) | Piece::Pattern(_)));
    let pattern = Name::glob(&word.pattern());
    let means = |text: &str| pattern.matches(text);
    let times = "aBcmt".chars().flat_map(|a| "aBcmt".chars().map(move |b| format!("-newer{a}{b}")));
    let known = ONE.split_whitespace().chain(NONE.split_whitespace()).chain(ACTIONS.split_whitespace());
    !named
        || ["!", "(", ")", ",", ";", "+", "{}"].into_iter().any(means)
        || known.map(|word| format!("-{word}")).chain(times).any(|word| means(&word))
}

fn vague(judge: &mut Judge<'_>, word: &Word) {
    judge.unreadable("command.vague-flag", format!("{} may become an action of `find`.", judge.spelt(word)));
}

/// Where the program ends that an action runs: `+` ends it behind `{}` alone.
fn end(words: &[Word]) -> Option<usize> {
    let is = |at: usize, wanted: &str| words[at].text() == Some(wanted);
    (0..words.len()).find(|&at| is(at, ";") || is(at, "+") && at > 0 && is(at - 1, "{}"))
}

/// The word among those of a program that may end it, and let what stands behind be an action of `find`.
fn may_end(words: &[Word]) -> Option<&Word> {
    let loose = |word: &Word| word.vague() && word.prefix().is_empty();
    let several = |word: &Word| word.several() && word.prefix().is_empty() && may_be_found(word);
    let ends = |at: &usize| {
        let behind = || words[at + 1..].iter().any(|word| acts(word) || loose(word));
        words[*at].open() || several(&words[*at]) || loose(&words[*at]) && behind()
    };
    (0..words.len()).find(ends).map(|at| &words[at])
}

/// Whether a word is an action that runs or writes something.
fn acts(word: &Word) -> bool {
    let acts = ["-delete", "-exec", "-ok", "-fprint", "-fls"];
    word.text().is_some_and(|text| acts.iter().any(|action| text.starts_with(action)))
}

/// A word of `-exec` with `{}` taken for what was found.
fn with_found(word: &Word, root: &Word, found: &Piece, several: bool) -> Word {
    let Some((before, after)) = word.text().and_then(|text| text.split_once("{}")) else { return word.clone() };
    let mut whole = Word { many: several, ..Word::default().at(word.span.clone()) };
    if !before.is_empty() {
        whole.push(Piece::Exact(before.to_owned()));
    }
    for piece in &root.pieces {
        whole.push(piece.clone());
    }
    whole.push(Piece::Exact("/".to_owned()));
    whole.push(found.clone());
    if !after.is_empty() {
        whole.push(if after.contains("{}") { Piece::Any } else { Piece::Exact(after.to_owned()) });
    }
    whole
}

impl Judge<'_> {
    /// Whether a name or pattern given to a search points at sensitive files, wherever it starts.
    pub(super) fn names_sensitive(&mut self, pattern: &str, starts: &[Word]) -> bool {
        /// How deep below the start the names of the list are tried.
        const DEPTH: usize = 5;
        if self.told(true, pattern).is_some() {
            return true;
        }
        let roots = starts.iter().filter_map(Word::text).filter_map(|start| self.normal(start));
        let roots: Vec<String> = roots.filter(|root| self.sensitive.lies_below(root, self.place)).collect();
        roots.iter().any(|root| {
            (0..DEPTH).any(|depth| {
                let path = format!("{}{}/{pattern}", root.trim_end_matches('/'), "/*".repeat(depth));
                self.told(true, &path).is_some()
            })
        })
    }
}
