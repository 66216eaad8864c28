//! What a search deletes or moves: by `-delete`, by an `rm` or `mv` that it runs, or by an `rm` behind `xargs`. Each
//! becomes the same search that lists instead. Material of a preview, as in `acts`; decides nothing.

use super::acts::{Clash, Does, Goal};
use super::programs::plain_name;
use super::reading::ReadCommand;
use super::rewriting::Spelled;
use super::word::{Piece, Word};

/// What stands before the first word of a search's expression.
const LEADING: [&str; 2] = ["-P", "-O"];
/// What makes a search follow links, or hand what it finds to something else: what it deletes then can't be listed.
const BEYOND: [&str; 13] = [
    "-L",
    "-H",
    "-follow",
    "-exec",
    "-execdir",
    "-ok",
    "-okdir",
    "-fprint",
    "-fprint0",
    "-fprintf",
    "-fls",
    "-printf",
    "-files0-from",
];
/// What it says of what it finds, which a listing leaves out.
const SAYING: [&str; 3] = ["-print", "-print0", "-ls"];
/// What deletes in a search itself.
const DELETE: &str = "-delete";
/// What lists in its place.
const LIST: &str = "-print0";

/// What searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lister {
    /// `find`.
    Find,
    /// `git ls-files`.
    Git,
}

impl Lister {
    /// The name of the program.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Find => "find",
            Self::Git => "git",
        }
    }
}

/// A search that lists what another command would delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// By which program.
    pub lister: Lister,
    /// Its words, behind the program.
    pub words: Vec<String>,
    /// Where it begins.
    pub starts: Vec<String>,
    /// What happens to a folder that it finds.
    pub folders: Folders,
    /// Whether what it finds is taken apart at blanks and quotes before it is deleted.
    pub parts: bool,
    /// Where what it finds is moved; none where it is deleted.
    pub goal: Option<Goal>,
}

/// What happens to a folder that is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folders {
    /// It goes if all that it holds went before it.
    Emptied,
    /// It stays.
    Kept,
    /// It goes with everything in it.
    Whole,
}

/// A search that deletes by itself.
pub(super) fn deletes(words: &[Word]) -> Option<Search> {
    let texts = texts(words)?;
    // What leaves folders out does nothing once they are looked into first: some refuse that, some delete all.
    if texts.contains(&"-prune") && !texts.iter().any(|text| ["-depth", "-d"].contains(text)) {
        return None;
    }
    // To delete is to look into folders first.
    let starts = texts.contains(&DELETE).then(|| listing(&texts, &["-depth"], &[LIST]))??;
    Some(Search { folders: Folders::Emptied, ..starts })
}

/// A search whose only action, at its end, has `rm` delete what it finds.
pub(super) fn runs(command: &ReadCommand) -> Option<Search> {
    let mut texts = texts(of("find", command)?)?;
    let at = texts.iter().position(|text| *text == "-exec")?;
    let action = texts.split_off(at);
    if let Some(goal) = moves(&action) {
        return Some(Search { goal: Some(goal), ..removed(texts, Folders::Whole)? });
    }
    let ["-exec", "rm", flags @ .., "{}", ";" | "+"] = action.as_slice() else { return None };
    removed(texts, whole(flags)?)
}

/// Where an `mv` takes what a search gives it.
fn moves(action: &[&str]) -> Option<Goal> {
    let (flags, to, folder) = match action {
        ["-exec", "mv", flags @ .., "{}", to, ";"] => (flags, *to, false),
        ["-exec", "mv", flags @ .., "-t", to, "{}", ";" | "+"] => (flags, *to, true),
        _ => return None,
    };
    let mut clash = Clash::Replaced;
    for flag in flags {
        match *flag {
            "-v" | "--verbose" | "-f" | "--force" | "--" => {}
            "-n" | "--no-clobber" => clash = Clash::Kept,
            _ => return None,
        }
    }
    (!to.starts_with('-') && !to.contains("{}")).then(|| Goal {
        to: Word::exact(to),
        folder,
        exact: false,
        whole: false,
        clash,
    })
}

/// What `xargs` behind a search has `rm` delete: what is found, and nothing else.
pub(super) fn fed(search: &ReadCommand, xargs: &ReadCommand, run: &ReadCommand) -> Option<Does> {
    let given = of("xargs", xargs)?;
    let nulls = nulls(given)?;
    let (last, flags) = of("rm", run)?.split_last()?;
    let flags = texts(flags)?;
    if search.folder != xargs.folder || xargs.folder != run.folder {
        return None;
    }
    if let [Piece::Found(_) | Piece::Whole(_)] = last.pieces.as_slice()
        && let Some(words) = of("find", search)
    {
        return found(texts(words)?, nulls, whole(&flags)?).map(Does::Search);
    }
    // With a mark it says itself where the names go, which then isn't known here.
    let marked = |word: &Word| word.text().is_none_or(|text| text.starts_with('-') && text.contains(['I', 'i']));
    let [Piece::Found(_) | Piece::Whole(_) | Piece::Words] = last.pieces.as_slice() else { return None };
    if given.iter().take_while(|word| word.prefix().starts_with('-')).any(marked) {
        return None;
    }
    let recursive = whole(&flags)? == Folders::Whole;
    match of("ls", search) {
        Some(words) => (!nulls).then(|| listed(words, recursive))?,
        None => tracked(of("git", search)?, nulls, whole(&flags)?).map(Does::Search),
    }
}

/// What `ls` names by itself, not what is in folders.
fn listed(words: &[Word], recursive: bool) -> Option<Does> {
    let read = Spelled::of(words, &[], &[])?;
    let mut whole = false;
    for (flag, _) in &read.flags {
        match flag.as_str() {
            "-1" | "-r" | "-t" | "-S" | "-U" => {}
            "-d" | "--directory" => whole = true,
            _ => return None,
        }
    }
    (!read.operands.is_empty()).then_some(Does::Listed { names: read.operands, recursive, whole })
}

/// What `git ls-files` names.
fn tracked(words: &[Word], nulls: bool, folders: Folders) -> Option<Search> {
    let texts = texts(words)?;
    let (first, rest) = texts.split_first()?;
    if *first != "ls-files" {
        return None;
    }
    let mut ends = false;
    for text in rest.iter().take_while(|text| **text != "--").filter(|text| text.starts_with('-')) {
        match *text {
            "--others" | "--cached" | "--modified" | "--deleted" | "--ignored" | "--exclude-standard" => {}
            letters if !letters.starts_with("--") && letters.chars().skip(1).all(|c| "ocmdiz".contains(c)) => {
                ends |= letters.contains('z');
            }
            _ => return None,
        }
    }
    let words = ["ls-files", "-z"].iter().chain(rest).map(|word| (*word).to_owned()).collect();
    let starts = vec![".".to_owned()];
    (ends == nulls).then_some(Search { lister: Lister::Git, words, starts, folders, parts: !nulls, goal: None })
}

/// What `find` names, where all that it says is what it finds.
fn found(mut found: Vec<&str>, nulls: bool, folders: Folders) -> Option<Search> {
    match found.last() {
        Some(&last) if SAYING[..2].contains(&last) => {
            found.pop();
            if (last == LIST) != nulls {
                return None;
            }
        }
        // What it says by itself is what all of its expression holds for.
        _ if nulls => return None,
        _ => {}
    }
    if found.iter().any(|text| SAYING.contains(text) || *text == "-o" || *text == "-or" || *text == ",") {
        return None;
    }
    Some(Search { parts: !nulls, ..removed(found, folders)? })
}

/// The words behind a program's name, if it is this one.
fn of<'c>(name: &str, command: &'c ReadCommand) -> Option<&'c [Word]> {
    let (first, words) = command.words.split_first()?;
    (plain_name(first.text()?) == name).then_some(words)
}

fn texts(words: &[Word]) -> Option<Vec<&str>> {
    words.iter().map(Word::text).collect()
}

/// What the flags of an `rm` make of folders; none where one of them makes more of it.
fn whole(flags: &[&str]) -> Option<Folders> {
    let mut folders = Folders::Kept;
    for flag in flags {
        match flag.strip_prefix('-')? {
            "-" | "-force" | "-verbose" => {}
            "-recursive" => folders = Folders::Whole,
            letters if !letters.is_empty() && letters.chars().all(|letter| "fvrR".contains(letter)) => {
                if letters.contains(['r', 'R']) {
                    folders = Folders::Whole;
                }
            }
            _ => return None,
        }
    }
    Some(folders)
}

/// Whether `xargs` takes names that are ended by zero bytes; none where its flags make more of them.
fn nulls(words: &[Word]) -> Option<bool> {
    const VALUED: [char; 5] = ['n', 'P', 'L', 's', 'I'];
    let mut nulls = false;
    let mut words = words.iter();
    loop {
        let text = words.next()?.text()?;
        match text.strip_prefix('-') {
            None => return Some(nulls),
            Some("-null") => nulls = true,
            Some("-no-run-if-empty" | "-verbose") => {}
            Some(letters) => {
                for (at, letter) in letters.char_indices() {
                    match letter {
                        '0' => nulls = true,
                        'r' | 't' | 'x' => {}
                        letter if VALUED.contains(&letter) => {
                            if at + 1 == letters.len() {
                                words.next()?;
                            }
                            break;
                        }
                        _ => return None,
                    }
                }
            }
        }
    }
}

/// The search without its action, listing what an `rm` takes of what it finds.
fn removed(mut texts: Vec<&str>, folders: Folders) -> Option<Search> {
    if texts.contains(&DELETE) {
        return None;
    }
    texts.push(DELETE);
    let instead: &[&str] = if folders == Folders::Whole { &[LIST] } else { &["!", "-type", "d", LIST] };
    Some(Search { folders, ..listing(&texts, &[], instead)? })
}

/// The words of a search with others in the place of what deletes, and some before its expression.
fn listing(texts: &[&str], more: &[&str], instead: &[&str]) -> Option<Search> {
    if texts.iter().any(|text| BEYOND.contains(text)) {
        return None;
    }
    let leads = |text: &&&str| LEADING.iter().any(|lead| text.starts_with(lead));
    let options = texts.iter().take_while(leads).count();
    let begins = |text: &&str| text.starts_with('-') || ["(", "!", ","].contains(text);
    let start = texts.iter().skip(options).position(begins)? + options;
    let (before, behind) = texts.split_at(start);
    let listing = before.iter().chain(more);
    let behind = behind.iter().flat_map(|text| match *text {
        DELETE => instead,
        text if SAYING.contains(&text) => &["-true"],
        _ => std::slice::from_ref(text),
    });
    let starts: Vec<&str> = before.iter().skip(options).copied().collect();
    Some(Search {
        lister: Lister::Find,
        goal: None,
        words: listing.chain(behind).map(|text| (*text).to_owned()).collect(),
        starts: if starts.is_empty() { vec![".".to_owned()] } else { starts.into_iter().map(str::to_owned).collect() },
        folders: Folders::Kept,
        parts: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        text.split(' ').map(Word::exact).collect()
    }

    #[test]
    fn a_search_that_deletes_becomes_one_that_lists() {
        let search = deletes(&words("-P a b -name *.o -delete")).unwrap();
        assert_eq!(search.words.join(" "), "-P a b -depth -name *.o -print0");
        assert_eq!((search.starts, search.folders), (vec!["a".to_owned(), "b".to_owned()], Folders::Emptied));
        let search = deletes(&words("-delete")).unwrap();
        assert_eq!(
            (search.words.join(" ").as_str(), search.starts.as_slice()),
            ("-depth -print0", [".".to_owned()].as_slice())
        );
        for text in [". -name x", "-L . -delete", ". -exec rm {} + -delete"] {
            assert_eq!(deletes(&words(text)), None, "{text}");
        }
    }

    #[test]
    fn flags_of_rm_and_xargs_that_say_more_are_not_told() {
        assert_eq!(whole(&["-fv", "--"]), Some(Folders::Kept));
        assert_eq!(whole(&["-rf"]), Some(Folders::Whole));
        assert_eq!((whole(&["-i"]), whole(&["x"]), whole(&["-"])), (None, None, None));
        for (text, told) in [
            ("rm", Some(false)),
            ("-0 rm", Some(true)),
            ("-r0n1 rm", Some(true)),
            ("-n 1 -P4 rm", Some(false)),
            ("-I {} rm {}", Some(false)),
            ("-p rm", None),
            ("-a list rm", None),
            ("-d , rm", None),
            ("-0", None),
        ] {
            assert_eq!(nulls(&words(text)), told, "{text}");
        }
    }
}
