//! Lines that begin with their number, with a hash or with a name, and what is left of them where only that column is taken: then a
//! substitution of it is no flag, and no path that matters.

use super::judge::{Feed, Judge};
use super::word::Word;

impl Judge<'_> {
    /// `grep -n PATTERN FILE`, or of what comes in: each line that matches, behind its number and a colon. Of a file that
    /// is no text it says so instead, in words that begin with the name of either.
    pub(super) fn numbers_its_lines(words: &[Word]) -> bool {
        const FLAGS: &[u8] = b"niwxEFPv";
        let (mut numbers, mut operands) = (false, Vec::new());
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match word.text() {
                Some("-m" | "--max-count") => {
                    if rest.next().is_none_or(|count| count.number().is_none()) {
                        return false;
                    }
                }
                Some("--line-number") => numbers = true,
                Some(flags) if flags.len() > 1 && flags.starts_with('-') => {
                    let letters = flags[1..].trim_end_matches(|c: char| c.is_ascii_digit());
                    let letters = if letters.len() + 1 < flags.len() {
                        let Some(letters) = letters.strip_suffix('m') else { return false };
                        letters
                    } else {
                        letters
                    };
                    if !letters.bytes().all(|letter| FLAGS.contains(&letter)) {
                        return false;
                    }
                    numbers |= letters.contains('n');
                }
                Some(_) | None => operands.push(word),
            }
        }
        let [sought, files @ ..] = operands.as_slice() else { return false };
        // Of more files than one it shows the names, one of which may be any.
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte));
        let one = match files {
            [] => true,
            [file] => !file.several() && file.text().is_some_and(plain),
            _ => false,
        };
        let sought = !sought.several() && (sought.text().is_some() || !sought.prefix().is_empty());
        numbers && sought && one
    }

    /// Whether each line that `wc`, `du` or `uniq` prints begins with a number: names of files are in it, of which none goes
    /// over several lines.
    pub(super) fn begins_with_counts(&mut self, name: &str, words: &[Word]) -> bool {
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte));
        let (mut flags, mut files) = (Vec::new(), 0);
        for word in words {
            if !word.text().map_or_else(|| name != "uniq" && self.matches_whole_names(word), plain) {
                return false;
            }
            if let Some(flag) = word.text().filter(|text| text.starts_with('-')) {
                flags.push(flag);
            } else {
                files += 1;
            }
        }
        let known = |letters: &str| {
            let among = |flag: &&str| flag.len() > 1 && flag[1..].chars().all(|letter| letters.contains(letter));
            flags.iter().all(among)
        };
        let says = |letter: char| flags.iter().any(|flag| flag.contains(letter));
        match name {
            "wc" => known("lwcmL") && !flags.is_empty() && files > 0,
            // Of one folder without those below, in whole units.
            "du" => known("sbkmxlLD") && says('s'),
            _ => known("cidu") && says('c') && files <= 1,
        }
    }

    /// What is left where a program takes the first column of such lines alone.
    pub(super) fn first_column(&self, words: &[Word]) -> Option<Feed> {
        match self.feed {
            Feed::Numbered => (first_field(words) || before_a_colon(words)).then_some(Feed::Numbers),
            Feed::Counted => (first_word(words) || first_tab(words)).then_some(Feed::Numbers),
            Feed::Hashed => first_word(words).then_some(Feed::Hashes),
            Feed::Named => first_word(words).then_some(Feed::Names),
            _ => None,
        }
    }
}

/// Whether what `git log` prints with these words are lines that begin with a hash and a blank: no message goes over
/// several.
pub(super) fn hashed(subcommand: &str, words: &[Word], others: impl Fn(&Word) -> bool) -> bool {
    let end = words.iter().position(|word| word.text() == Some("--")).unwrap_or(words.len());
    let begins = |word: &Word| {
        let text = word.text().unwrap_or_default();
        let format =
            ["--format=", "--pretty=format:", "--pretty=tformat:"].iter().find_map(|flag| text.strip_prefix(flag));
        text == "--oneline" || format.is_some_and(one_line)
    };
    // In a format of its own an end of a line could stand.
    let dates = |word: &Word| {
        const DATES: &str = " short iso iso8601 iso-strict relative human unix raw rfc rfc2822 local default ";
        let date = word.text().and_then(|text| text.strip_prefix("--date="));
        date.is_some_and(|date| DATES.contains(&format!(" {date} ")))
    };
    let (begin, rest): (Vec<&Word>, Vec<&Word>) = words[..end].iter().partition(|word| begins(word));
    subcommand == "log" && begin.len() == 1 && rest.into_iter().all(|word| dates(word) || others(word))
}

/// Whether a format of `git log` is a hash, a blank and what never has an end of a line, by git-log(1).
fn one_line(format: &str) -> bool {
    let Some(rest) = ["%h ", "%H "].iter().find_map(|hash| format.strip_prefix(hash)) else { return false };
    rest.split('%').skip(1).all(|placeholder| {
        let mut letters = placeholder.chars();
        match letters.next() {
            Some('h' | 'H' | 't' | 'T' | 'p' | 'P' | 's' | 'd' | 'D') => true,
            Some('a' | 'c') => letters.next().is_some_and(|letter| "nNeElLdDrtiIsh".contains(letter)),
            _ => false,
        }
    }) && !rest.contains('\n')
}

/// Whether `cut` leaves what stands before the first tab.
fn first_tab(words: &[Word]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
    matches!(texts.as_deref(), Some(["-f1"] | ["-f", "1"]))
}

/// Whether `cut` leaves what stands before the first colon.
fn first_field(words: &[Word]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
    matches!(
        texts.as_deref(),
        Some(["-d:", "-f1"] | ["-f1", "-d:"] | ["-d", ":", "-f", "1"] | ["-d", ":", "-f1"] | ["-f", "1", "-d", ":"])
    )
}

/// The same of `awk`. To `sed` a byte that is no letter in its language ends what `.*` takes.
fn before_a_colon(words: &[Word]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
    matches!(texts.as_deref(), Some(["-F:", "{print $1}" | "{print $1; exit}"] | ["-F", ":", "{print $1}"]))
}

/// Whether a program of `awk` prints the first word of some lines, and nothing else: behind a pattern that only tests.
fn takes_first(program: &str) -> bool {
    let Some((pattern, action)) = program.trim().strip_suffix('}').and_then(|rest| rest.split_once('{')) else {
        return false;
    };
    let action = action.trim().trim_end_matches(';').trim_end();
    let action = action.strip_suffix("exit").map_or(action, |action| action.trim_end().trim_end_matches(';'));
    // What assigns may set the word, what calls may change it; in a pattern of letters a slash ends it.
    let tested = pattern.replace("==", "").replace("!=", "").replace(">=", "").replace("<=", "");
    let changes =
        ["++", "--"].iter().any(|sign| tested.contains(sign)) || tested.contains(['=', '(', '\\', '\n', '}', ';', '#']);
    let names = ["BEGIN", "END", "getline"].iter().any(|word| pattern.contains(word));
    action == "print $1" && !changes && !names
}

/// Whether `awk` or `cut` leaves the first word of each line.
fn first_word(words: &[Word]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
    if let Some([program]) = texts.as_deref() {
        return takes_first(program);
    }
    matches!(
        texts.as_deref(),
        Some(["-d ", "-f1"] | ["-f1", "-d "] | ["-d", " ", "-f1"] | ["-d", " ", "-f", "1"] | ["-f1", "-d", " "])
    )
}
