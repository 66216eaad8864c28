//! `ps`, which takes its words for those of BSD where they make no sense as those of Unix: a mere `-x` is enough, or the
//! name of no user. Then an `e` behind a dash, which is every process to Unix, is every process's environment. The rest
//! of `ps` stands in the table.

use super::judge::Judge;
use super::word::Word;

/// Letters of Unix without a value, which never fail together.
const UNIX: &str = "AadefFHjLlMNPVwyZc";
/// Letters whose value both read, and that fail for both alike.
const BOTH: &str = "oOpqU";
/// Letters whose value only Unix reads, where any makes sense.
const ANY: &str = "CG";
/// Letters whose value only Unix reads, where a name that there isn't makes none.
const NAMES: &str = "gsu";
/// Letters of BSD without a value.
const BSD: &str = "aAcCefghHjlLmMnrsSTuvVwWxXZ";
/// Long options whose value may be the next word.
const LONG: [&str; 20] = [
    "--sort",
    "--format",
    "--pid",
    "--ppid",
    "--quick-pid",
    "--user",
    "--User",
    "--group",
    "--Group",
    "--sid",
    "--tty",
    "--cols",
    "--columns",
    "--width",
    "--rows",
    "--lines",
    "--cumulative",
    "--delimiter",
    "--date-format",
    "--signames",
];

/// Judges the words of `ps`.
pub(super) fn judge(judge: &mut Judge<'_>, first: &Word, words: &[Word]) {
    let texts: Vec<&str> = words.iter().map_while(Word::text).collect();
    if shows_environment(&texts) {
        judge.sensitive(format!("`ps {}` may show every process's environment.", texts.join(" ")));
    }
    judge.looked_up("ps", first, words);
}

/// Whether there is an `e` that BSD would read, in words that Unix may not.
fn shows_environment(texts: &[&str]) -> bool {
    let (mut environment, mut certain) = (false, true);
    let mut rest = texts.iter();
    while let Some(text) = rest.next() {
        if LONG.contains(text) {
            rest.next();
            continue;
        }
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else { continue };
        for (at, c) in letters.char_indices() {
            environment |= c == 'e';
            if UNIX.contains(c) {
                continue;
            }
            let attached = &letters[at + c.len_utf8()..];
            let value = if attached.is_empty() { rest.next().copied().unwrap_or_default() } else { attached };
            certain &= !value.is_empty()
                && match c {
                    't' => {
                        value.starts_with(|c: char| c.is_ascii_digit())
                            || ["pts/", "tty"].iter().any(|tty| value.starts_with(tty))
                    }
                    _ if NAMES.contains(c) => number(value) || !of_bsd(value),
                    _ => BOTH.contains(c) || ANY.contains(c),
                };
            environment |= !BOTH.contains(c) && value.contains('e');
            break;
        }
    }
    environment && !certain
}

/// Whether a word is a number, or some.
fn number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

/// Whether BSD may read a word as letters.
fn of_bsd(text: &str) -> bool {
    for (at, c) in text.char_indices() {
        let value = &text[at + c.len_utf8()..];
        match c {
            'p' | 'q' => return value.is_empty() || number(value),
            'o' | 'O' | 'k' => return value.is_empty() || value.contains("id") || value.contains(','),
            't' => return !value.starts_with(char::is_alphabetic) || value.starts_with("ty"),
            'U' | 'N' => return true,
            _ if BSD.contains(c) || c.is_ascii_digit() => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each of them does was seen with ps of procps 4.0.2.
    #[test]
    fn an_e_that_only_bsd_understands_shows_the_environment() {
        for line in [
            "-axe",
            "-auxe",
            "-auxfe",
            "-xe",
            "-uxe",
            "-vxe",
            "-hxe",
            "-jaxe",
            "-gxe",
            "-axeww",
            "-auxwwe",
            "-ax -e",
            "-aux -e",
            "-x -e",
            "-e -x",
            "-ewx",
            "-U root -xe",
            "-et",
            "-egT",
            "-ehT",
            "-eTu",
            "-eHT",
            "-u xe",
            "-u axel",
            "-e -u www",
        ] {
            assert!(shows_environment(&line.split(' ').collect::<Vec<_>>()), "{line}");
        }
        for line in [
            "-ef",
            "-e",
            "-eo pid,user,cmd",
            "-e -o pid,etime --sort -etime",
            "-elf",
            "-eLf",
            "-efww",
            "-ejH",
            "-ef --forest",
            "-p 1 -o etime=",
            "-ae",
            "-Aewwf",
            "-e -u root",
            "-u postgres -o pid,etime",
            "-ef -u www-data",
            "-aux",
            "-axo pid,etime",
            "-C node -e",
            "-ewwo pid,args",
            "-t pts/0 -e",
            "-u 1000 -e",
            "-ef --sort=-pcpu",
        ] {
            assert!(!shows_environment(&line.split(' ').collect::<Vec<_>>()), "{line}");
        }
    }
}
