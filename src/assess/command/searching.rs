//! What a search deletes: by `-delete`, by an `rm` that it runs, or by one behind `xargs`. Each becomes the same search
//! that lists instead. Material of a preview, as in `acts`; decides nothing.

use super::programs::plain_name;
use super::reading::ReadCommand;
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

/// A search that lists what another command would delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Its words, behind `find`.
    pub words: Vec<String>,
    /// Where it begins.
    pub starts: Vec<String>,
    /// What happens to a folder that it finds.
    pub folders: Folders,
    /// Whether what it finds is taken apart at blanks and quotes before it is deleted.
    pub parts: bool,
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
    // To delete is to look into folders first.
    let starts = texts.contains(&DELETE).then(|| listing(&texts, &["-depth"], &[LIST]))??;
    Some(Search { folders: Folders::Emptied, ..starts })
}

/// A search whose only action, at its end, has `rm` delete what it finds.
pub(super) fn runs(command: &ReadCommand) -> Option<Search> {
    let mut texts = texts(of("find", command)?)?;
    let at = texts.iter().position(|text| *text == "-exec")?;
    let action = texts.split_off(at);
    let ["-exec", "rm", flags @ .., "{}", ";" | "+"] = action.as_slice() else { return None };
    removed(texts, whole(flags)?)
}

/// What `xargs` behind a search has `rm` delete: what is found, and nothing else.
pub(super) fn fed(search: &ReadCommand, xargs: &ReadCommand, run: &ReadCommand) -> Option<Search> {
    let mut found = texts(of("find", search)?)?;
    let nulls = nulls(of("xargs", xargs)?)?;
    let (last, flags) = of("rm", run)?.split_last()?;
    let [Piece::Found(_) | Piece::Whole(_)] = last.pieces.as_slice() else { return None };
    let flags = texts(flags)?;
    if search.folder != xargs.folder || xargs.folder != run.folder {
        return None;
    }
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
    Some(Search { parts: !nulls, ..removed(found, whole(&flags)?)? })
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
