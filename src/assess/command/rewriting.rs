//! The words of what changes files by its own name: `truncate`, `tee`, `shred`, `dd`, `sed -i`, `perl -i`. Material of a preview, as in
//! `acts`; decides nothing.

use super::acts::{Does, Size};
use super::searching;
use super::sed::only_edits;
use super::word::Word;

/// What such a program does, if its words tell.
pub(super) fn told(name: &str, words: &[Word]) -> Option<Vec<Does>> {
    match name {
        "truncate" => truncate(words).map(|does| vec![does]),
        "tee" => tee(words),
        "shred" => shred(words),
        "dd" => dd(words).map(|does| vec![does]),
        "sed" | "gsed" => sed(words),
        "perl" => perl(words),
        "find" => searching::deletes(words).map(|search| vec![Does::Search(search)]),
        _ => None,
    }
}

/// Flags with their values, and the words that are none.
pub(super) struct Spelled {
    pub(super) flags: Vec<(String, Option<Word>)>,
    pub(super) operands: Vec<Word>,
}

impl Spelled {
    /// Reads words: of `valued`, a flag takes the next word; of `open`, a letter takes what is behind it, if anything is.
    /// None if a word may be a flag or anything.
    pub(super) fn of(words: &[Word], valued: &[&str], open: &[char]) -> Option<Self> {
        let mut read = Self { flags: Vec::new(), operands: Vec::new() };
        let mut words = words.iter();
        let mut ended = false;
        while let Some(word) = words.next() {
            if ended || !word.prefix().starts_with('-') || word.text() == Some("-") {
                if word.may_be_flag() && word.vague() {
                    return None;
                }
                read.operands.push(word.clone());
                continue;
            }
            let text = word.text()?;
            if text == "--" {
                ended = true;
            } else if text.starts_with("--") {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, Some(Word::exact(value))),
                    None if valued.contains(&text) => (text, Some(words.next()?.clone())),
                    None => (text, None),
                };
                read.flags.push((name.to_owned(), value));
            } else {
                for (at, letter) in text.char_indices().skip(1) {
                    let (name, rest) = (format!("-{letter}"), &text[at + letter.len_utf8()..]);
                    let attached = (!rest.is_empty()).then(|| Word::exact(rest));
                    if open.contains(&letter) {
                        read.flags.push((name, attached));
                        break;
                    }
                    if valued.contains(&name.as_str()) {
                        let value = attached.map_or_else(|| words.next().cloned(), Some)?;
                        read.flags.push((name, Some(value)));
                        break;
                    }
                    read.flags.push((name, None));
                }
            }
        }
        Some(read)
    }

    fn has(&self, wanted: &[&str]) -> bool {
        self.flags.iter().any(|(name, _)| wanted.contains(&name.as_str()))
    }

    /// Whether all of its flags are among these.
    fn only(&self, known: &[&str]) -> bool {
        self.flags.iter().all(|(name, _)| known.contains(&name.as_str()))
    }

    /// The values of a flag.
    pub(super) fn values<'r>(&'r self, wanted: &'r [&str]) -> impl Iterator<Item = &'r Word> {
        self.flags.iter().filter(|(name, _)| wanted.contains(&name.as_str())).filter_map(|(_, value)| value.as_ref())
    }
}

fn truncate(words: &[Word]) -> Option<Does> {
    let read = Spelled::of(words, &["-s", "--size"], &[])?;
    if !read.only(&["-s", "--size", "-c", "--no-create"]) {
        return None;
    }
    let to = size(read.values(&["-s", "--size"]).last()?.text()?)?;
    let creates = !read.has(&["-c", "--no-create"]);
    Some(Does::Resize { names: read.operands, to, creates })
}

/// A size, or how one is made of what is there.
fn size(text: &str) -> Option<Size> {
    let rule: fn(u64) -> Size = match text.chars().next()? {
        '+' => Size::More,
        '-' => Size::Less,
        '<' => Size::AtMost,
        '>' => Size::AtLeast,
        '/' => Size::Down,
        '%' => Size::Up,
        _ => return bytes(text).map(Size::Exactly),
    };
    bytes(&text[1..]).map(rule)
}

/// A number of bytes.
fn bytes(size: &str) -> Option<u64> {
    let digits = size.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(size.len());
    let (number, unit) = size.split_at(digits);
    let letter = unit.chars().next();
    let base: u64 = match unit.get(letter.map_or(0, char::len_utf8)..) {
        Some("" | "iB") => 1024,
        Some("B") => 1000,
        _ => return None,
    };
    let power = match letter.map(|letter| letter.to_ascii_uppercase()) {
        None => 0,
        Some('K') => 1,
        Some('M') => 2,
        Some('G') => 3,
        Some('T') => 4,
        Some(_) => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(base.checked_pow(power)?)
}

fn tee(words: &[Word]) -> Option<Vec<Does>> {
    let read = Spelled::of(words, &[], &[])?;
    let known = ["-a", "--append", "-i", "--ignore-interrupts", "-p", "--output-error"];
    if !read.only(&known) || read.operands.is_empty() {
        return None;
    }
    let appends = read.has(&["-a", "--append"]);
    Some(read.operands.into_iter().map(|name| Does::Redirect { name, appends }).collect())
}

/// Writes over what is there, of a link what it leads to, and with `-u` deletes the name.
fn shred(words: &[Word]) -> Option<Vec<Does>> {
    let valued = ["-n", "--iterations", "-s", "--size", "--random-source"];
    let read = Spelled::of(words, &valued, &[])?;
    let known = ["-f", "--force", "-v", "--verbose", "-x", "--exact", "-z", "--zero", "-u", "--remove"];
    if !read.only(&[valued.as_slice(), &known].concat()) || read.operands.is_empty() {
        return None;
    }
    let deletes = read.has(&["-u", "--remove"]);
    let names = read.operands.clone();
    let over = read.operands.into_iter().map(|name| Does::Redirect { name, appends: false });
    Some(over.chain(deletes.then_some(Does::Delete { names, recursive: false })).collect())
}

fn sed(words: &[Word]) -> Option<Vec<Does>> {
    let valued = ["-e", "--expression", "-f", "--file", "-l", "--line-length"];
    let read = Spelled::of(words, &valued, &['i'])?;
    let place = ["-i", "--in-place"];
    let known = [
        "-n",
        "-E",
        "-r",
        "-s",
        "-u",
        "-z",
        "-b",
        "--quiet",
        "--silent",
        "--regexp-extended",
        "--separate",
        "--unbuffered",
        "--null-data",
        "--zero-terminated",
        "--posix",
        "--sandbox",
        "--follow-symlinks",
    ];
    if !read.has(&place) || !read.only(&[valued.as_slice(), &place, &known].concat()) {
        return None;
    }
    let mut scripts: Vec<Word> = read.values(&["-e", "--expression"]).cloned().collect();
    let files = read.values(&["-f", "--file"]).count();
    let own = scripts.is_empty() && files == 0;
    let mut names = read.operands.iter();
    if own {
        scripts.extend(names.next().cloned());
    }
    let suffix = read.values(&place).last().map(|suffix| suffix.text().unwrap_or("*").to_owned());
    if suffix.as_ref().is_some_and(|suffix| suffix.contains(['*', '/'])) {
        return None;
    }
    let rewrite = Does::Rewrite { names: names.cloned().collect(), suffix, follows: read.has(&["--follow-symlinks"]) };
    // Its script may write other files, or run something.
    let edits = files == 0 && scripts.iter().all(|script| script.text().is_some_and(only_edits));
    Some(if edits { vec![rewrite] } else { vec![rewrite, Does::Unmeasured("sed".to_owned())] })
}

/// Writes a file anew from its beginning, unless it is told to keep what is there.
fn dd(words: &[Word]) -> Option<Does> {
    const PLAIN: [&str; 8] = ["if=", "bs=", "ibs=", "obs=", "count=", "skip=", "iskip=", "status="];
    let mut to = None;
    for word in words {
        if word.prefix().starts_with("of=") {
            to = Some(word.after(3));
        } else if !PLAIN.iter().any(|operand| word.prefix().starts_with(operand)) {
            return None;
        }
    }
    to.map(|name| Does::Redirect { name, appends: false })
}

/// Puts files with other text in the place of files, as `sed -i` does. Its script may do anything.
fn perl(words: &[Word]) -> Option<Vec<Does>> {
    let read = Spelled::of(words, &["-e", "-E"], &['i', '0'])?;
    if !read.has(&["-i"]) || !read.only(&["-i", "-0", "-e", "-E", "-p", "-n", "-w", "-a", "-l"]) {
        return None;
    }
    let digits = |value: &Word| value.text().is_some_and(|text| text.chars().all(|letter| letter.is_ascii_digit()));
    let suffix = read.values(&["-i"]).last().map(|suffix| suffix.text().unwrap_or("*").to_owned());
    let scripts: Vec<&Word> = read.values(&["-e", "-E"]).collect();
    let odd = suffix.as_ref().is_some_and(|suffix| suffix.contains(['*', '/']));
    if odd || scripts.is_empty() || !read.values(&["-0"]).all(digits) {
        return None;
    }
    let edits = scripts.iter().all(|script| script.text().is_some_and(only_substitutes));
    let rewrite = Does::Rewrite { names: read.operands.clone(), suffix, follows: false };
    Some(if edits { vec![rewrite] } else { vec![rewrite, Does::Unmeasured("perl".to_owned())] })
}

/// Whether a script of Perl's is `s/…/…/` and no more: nothing in it is worked out or run.
fn only_substitutes(script: &str) -> bool {
    let script = script.trim().trim_end_matches(';');
    let Some(mut parts) = script.strip_prefix("s/").map(|rest| rest.split('/')) else { return false };
    // A slash that is escaped parts them otherwise, which then are too many.
    let (Some(_), Some(_), Some(flags), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    // A variable may have an index, which is worked out.
    let mut pieces = script.split('$').skip(1);
    let plain = |piece: &str| {
        let behind = piece.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '&');
        let ends = behind.is_empty() || behind.starts_with([')', '|', '/']);
        ends || behind.len() < piece.len() && !behind.starts_with(['[', '{', '-'])
    };
    let runs = script.contains(['@', '`']) || script.contains("(?") || !pieces.all(plain);
    !runs && flags.chars().all(|flag| "gimsx".contains(flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_substitutions_of_perl_are_taken_for_edits() {
        for script in ["s/a/b/", "s/^foo$/bar/gi;", "s/a.*b/$1 c/"] {
            assert!(only_substitutes(script), "{script}");
        }
        for script in [
            "s/a/system(1)/e",
            "s/a/b/ge",
            "s/a/@{[`id`]}/",
            "s/a/${\\system 1}/",
            "s/(a)/$1[system 1]/",
            "s/a/$x[system 1]/",
            "s/(?{ system 1 })/b/",
            "s/a/b/; unlink",
            "s/a/b/; print 1/2",
            "s|a|b|",
            "y/a/b/",
            "unlink",
        ] {
            assert!(!only_substitutes(script), "{script}");
        }
    }

    #[test]
    fn sizes_that_depend_on_nothing_are_told() {
        for (size, told) in [
            ("0", Some(0)),
            ("10", Some(10)),
            ("2K", Some(2048)),
            ("2KB", Some(2000)),
            ("1MiB", Some(1_048_576)),
            ("+5", None),
            ("<5", None),
            ("5x", None),
            ("", None),
            ("99999999999T", None),
        ] {
            assert_eq!(bytes(size), told, "{size}");
        }
    }
}
