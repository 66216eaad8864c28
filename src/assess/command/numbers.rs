//! Programs that print whole numbers alone, told by their words: what is computed from them can run no code, and no
//! path or flag comes of them.

use super::judge::{Feed, Judge};
use super::word::{Piece, Reach, Word};

/// What `stat` tells in digits alone.
const STAT: [&str; 11] = ["%s", "%Y", "%X", "%Z", "%u", "%g", "%i", "%h", "%b", "%B", "%a"];
/// What `git log` tells so of a commit.
const LOG: [&str; 2] = ["%ct", "%at"];
/// Longest number that is written out as one.
const DIGITS: usize = 15;

impl Judge<'_> {
    /// Remembers it where a program that passed prints nothing but numbers.
    pub(super) fn prints_numbers(&mut self, name: &str, words: &[Word]) {
        let told = match name {
            "seq" => seq(words),
            "grep" | "egrep" | "fgrep" => {
                let counts = self.counts(words);
                if counts.is_none() && Self::numbers_its_lines(words) {
                    self.produced = Feed::Numbered;
                }
                counts
            }
            "cut" | "sed" | "awk" | "gawk" | "mawk"
                if matches!(self.feed, Feed::Numbered | Feed::Counted | Feed::Hashed | Feed::Named) =>
            {
                self.first_column(words)
            }
            "wc" | "du" | "uniq" => {
                if self.begins_with_counts(name, words) {
                    self.produced = Feed::Counted;
                }
                None
            }
            "sed" => words
                .strip_prefix(&[Word::exact("-n")])
                .and_then(|words| self.line_numbers(words, |script| at_a_pattern(script) == Some("="))),
            "awk" | "gawk" | "mawk" if counts_lines(words) => Some(Feed::Number),
            "awk" | "gawk" | "mawk" if measures_memory(words) => Some(Feed::Numbers),
            "awk" | "gawk" | "mawk" => self.line_numbers(words, |program| {
                matches!(at_a_pattern(program), Some("{print NR}" | "{print NR; exit}" | "{print NR;exit}"))
            }),
            "head" | "tail" if self.feed == Feed::Numbers => one_line(words).then_some(Feed::Number),
            "true" | "false" | ":" => Some(Feed::Nothing),
            _ if name.starts_with("gh ") => numbered_there(words).then_some(Feed::Numbers),
            "lsof" => processes_alone(words).then_some(Feed::Numbers),
            "ps" => columned(words).then_some(Feed::Numbers),
            "stat" => self.tells(words),
            "pgrep" => match words.split_first() {
                // In one line.
                Some((comma, rest)) if comma.text() == Some("-d,") => {
                    self.processes(rest, "finowxvq", "").map(|_| Feed::Number)
                }
                _ => self.processes(words, "finowxcvq", "onc"),
            },
            "pidof" => self.processes(words, "sxcq", "s"),
            "tr" if digits_alone(words) => Some(Feed::Number),
            "tr" if self.feed == Feed::Number => blanks(words).then_some(Feed::Number),
            _ => None,
        };
        if let Some(told) = told {
            self.numbers(told);
        }
    }

    /// The last command prints one number, or some.
    pub(super) fn numbers(&mut self, told: Feed) {
        self.produced = told;
        self.printed = (told == Feed::Number).then(|| Piece::Digits.into());
    }

    /// A word is printed, and nothing else: what it may be flows on. Some shells read a path's backslashes in their own way,
    /// unless `whole` says that none does.
    pub(super) fn passes_on(&mut self, word: &Word, whole: bool) {
        let mut pieces = word.pieces.iter().filter(|piece| !matches!(piece, Piece::Exact(text) if text.is_empty()));
        let (Some(piece), None) = (pieces.next(), pieces.next()) else { return };
        if word.many {
            return;
        }
        self.produced = match piece {
            Piece::Found(reach) | Piece::Whole(reach) => Feed::Paths(if whole { *reach } else { Reach::Everything }),
            Piece::Hashes => Feed::Hashes,
            Piece::Refs => Feed::Refs,
            Piece::Numbers => Feed::Numbers,
            Piece::Names => Feed::Names,
            _ => return,
        };
        self.led = false;
    }

    /// What flows on where the last command is known to print one number.
    pub(super) fn flowing(&self) -> Feed {
        let digits = |word: &Word| matches!(word.pieces[..], [Piece::Number | Piece::Digits]);
        if self.produced == Feed::Text && self.printed.as_ref().is_some_and(digits) {
            return Feed::Number;
        }
        self.produced
    }

    /// What is printed where one command ran, and another behind `||` if that failed: the first may have printed something.
    pub(super) fn either(&mut self, first: Feed) {
        let text = self.last_said();
        let named = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte))
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let second = match (first, text) {
            (Feed::Hashes | Feed::Refs, Some(text)) if named(&text) => Feed::Refs,
            (Feed::Number | Feed::Numbers, Some(text)) if digits(&text) => Feed::Number,
            _ => self.flowing(),
        };
        (self.printed, self.echoed) = (None, None);
        self.led = false;
        self.produced = match (first, second) {
            (feed, Feed::Nothing) | (Feed::Nothing, feed) => feed,
            (Feed::Hashes | Feed::Refs, Feed::Hashes | Feed::Refs) if first == second => first,
            (Feed::Hashes | Feed::Refs, Feed::Hashes | Feed::Refs) => Feed::Refs,
            (Feed::Number | Feed::Numbers, Feed::Number | Feed::Numbers) => Feed::Numbers,
            (Feed::Paths(reach), Feed::Paths(other)) if reach == other => first,
            _ => Feed::Text,
        };
    }

    /// Whether a word is surely one operand.
    pub(super) fn operand_alone(&mut self, word: &Word) -> bool {
        let dash = word.prefix().starts_with('-') && word.text() != Some("-");
        let flag = || dash || word.vague() || word.may_be_empty();
        !word.several() && !flag() && (!word.may_be_flag() || !self.folder_may_have_flags(word))
    }

    /// `grep -c PATTERN`, of one file or of what comes in.
    fn counts(&mut self, words: &[Word]) -> Option<Feed> {
        let end = words.iter().position(|word| !word.prefix().starts_with('-')).unwrap_or(words.len());
        let (flags, operands) = words.split_at(end);
        let text: Option<String> = flags.iter().map(|word| word.text()?.strip_prefix('-')).collect();
        let text = text.filter(|text| text.contains('c') && text.bytes().all(|flag| b"civwxEFPsha".contains(&flag)))?;
        let few = !text.is_empty() && (1..=2).contains(&operands.len());
        let files = operands.iter().skip(1).cloned().collect::<Vec<_>>();
        let sought = operands.first()?;
        // What is sought may be anything, as long as it is one word and no flag.
        let sought = !sought.several() && (sought.text().is_some() || !sought.prefix().is_empty());
        (few && sought && files.iter().all(|file| self.operand_alone(file))).then_some(Feed::Number)
    }

    /// A program whose only script, of a kind, prints the numbers of lines; its files don't matter.
    fn line_numbers(&mut self, words: &[Word], prints: impl Fn(&str) -> bool) -> Option<Feed> {
        let (script, files) = words.split_first()?;
        let quiet = script.text().is_some_and(prints);
        (quiet && files.iter().all(|file| !sets(file) && self.operand_alone(file))).then_some(Feed::Numbers)
    }

    /// `stat -c %s FILE`.
    fn tells(&mut self, words: &[Word]) -> Option<Feed> {
        let words = words.strip_prefix(&[Word::exact("-L")]).unwrap_or(words);
        let (format, file) = match words {
            [flag, format, file] if matches!(flag.text(), Some("-c" | "--format")) => (format.text()?, file),
            [format, file] => {
                let text = format.text()?;
                (text.strip_prefix("--format=").or_else(|| text.strip_prefix("-c"))?, file)
            }
            _ => return None,
        };
        (STAT.contains(&format) && self.operand_alone(file)).then_some(Feed::Number)
    }

    /// Numbers of processes, one with some flags.
    fn processes(&mut self, words: &[Word], plain: &str, single: &str) -> Option<Feed> {
        let mut one = false;
        for word in words {
            match word.text().and_then(|text| text.strip_prefix('-')) {
                Some(flags) if !flags.is_empty() && flags.chars().all(|flag| plain.contains(flag)) => {
                    one |= flags.chars().any(|flag| single.contains(flag));
                }
                None if self.operand_alone(word) => {}
                Some(_) | None => return None,
            }
        }
        Some(if one { Feed::Number } else { Feed::Numbers })
    }
}

/// What `date` prints for a format of numbers and plain text; none if a word of a language is in it.
pub(super) fn dated(format: &str) -> Option<Word> {
    let mut word = Word::default();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        let mut letter = if c == '%' { rest.next()? } else { c };
        if c == '%' && letter == '-' {
            letter = rest.next()?;
        } else if c == '%' && letter.is_ascii_digit() {
            // The first digits of a second's parts.
            letter = rest.next().filter(|letter| *letter == 'N')?;
        }
        let parts: &[&str] = match (c, letter) {
            ('%', 's' | 'Y' | 'm' | 'd' | 'H' | 'M' | 'S' | 'j' | 'u' | 'w' | 'y' | 'C' | 'V' | 'G' | 'N') => &[""],
            ('%', 'F') => &["", "-", "-"],
            ('%', 'T') => &["", ":", ":"],
            ('%', 'R') => &["", ":"],
            (c, plain) if c == plain && (c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':')) => {
                word.push(Piece::Exact(c.to_string()));
                continue;
            }
            _ => return None,
        };
        for between in parts {
            if !between.is_empty() {
                word.push(Piece::Exact((*between).to_owned()));
            }
            if word.pieces.last() != Some(&Piece::Number) {
                word.push(Piece::Number);
            }
        }
    }
    Some(word)
}

/// `seq` of whole numbers.
fn seq(words: &[Word]) -> Option<Feed> {
    let written = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        (1..=DIGITS).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let whole = |word: &Word| word.text().map_or_else(|| word.number().is_some(), written);
    (!words.is_empty() && words.iter().all(whole)).then_some(Feed::Numbers)
}

/// Whether `tr` takes away all but digits, ends of lines among it.
fn digits_alone(words: &[Word]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
    matches!(texts.as_deref(), Some(["-dc" | "-cd", "0-9" | "[:digit:]"] | ["-d", "-c", "0-9" | "[:digit:]"]))
}

/// Whether `tr` takes away blanks alone.
fn blanks(words: &[Word]) -> bool {
    let [flag, what] = words else { return false };
    flag.text() == Some("-d") && matches!(what.text(), Some(" " | "[:space:]" | "[:blank:]" | "\\n" | " \\n"))
}

/// Whether `head` or `tail` leaves one line.
fn one_line(words: &[Word]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
    matches!(texts.as_deref(), Some(["-1" | "-n1"] | ["-n", "1"]))
}

/// What stands behind a pattern, `/…/`, in a script of `sed` or `awk` that begins with one.
fn at_a_pattern(script: &str) -> Option<&str> {
    let (pattern, action) = script.strip_prefix('/')?.split_once('/')?;
    (!pattern.contains(['\\', '[', '\n'])).then_some(action.trim_start())
}

/// What `gh` says in numbers alone: of what there is none it says nothing.
fn numbered_there(words: &[Word]) -> bool {
    const NUMBERS: [&str; 6] =
        [".number", ".[0].number", ".[].number", ".databaseId", ".[0].databaseId", ".[].databaseId"];
    let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
    let Some(texts) = texts else { return false };
    let follows = |flags: [&str; 2]| texts.windows(2).find(|pair| flags.contains(&pair[0])).map(|pair| pair[1]);
    let attached = |flag: &str| texts.iter().find_map(|text| text.strip_prefix(flag));
    let json = follows(["--json", "--json"]).or_else(|| attached("--json="));
    let filter = follows(["-q", "--jq"]).or_else(|| attached("--jq="));
    let template = texts.iter().any(|text| text.starts_with("-t") || text.starts_with("--template"));
    json.is_some() && filter.is_some_and(|filter| NUMBERS.contains(&filter)) && !template
}

/// Whether `awk` may take a word for an assignment, such as one of what ends a line.
fn sets(word: &Word) -> bool {
    let text = word.text().unwrap_or_else(|| word.prefix());
    let folder = word.text().is_none() && text.contains('/');
    !folder && (word.text().is_none() || text.contains('=')) || text.starts_with('-')
}

/// `awk 'END{print NR}'`, whatever it reads.
fn counts_lines(words: &[Word]) -> bool {
    let program = words.first().and_then(Word::text);
    let files = words.get(1..).unwrap_or_default();
    !files.iter().any(sets) && matches!(program, Some("END{print NR}" | "END {print NR}" | "END { print NR }"))
}

/// `lsof -t`, which prints numbers of processes alone.
fn processes_alone(words: &[Word]) -> bool {
    let first = words.first().and_then(Word::text).and_then(|text| text.strip_prefix('-')).unwrap_or_default();
    let (letters, _) = first.split_at(first.find('i').unwrap_or(first.len()));
    let plain = |text: &str| {
        !text.starts_with('-') || ["-i", "-s"].iter().any(|flag| text.starts_with(flag)) || ["-n", "-P"].contains(&text)
    };
    let others = words.iter().skip(1).all(|word| word.text().is_some_and(plain));
    letters.contains('t') && letters.bytes().all(|letter| b"tnPaU".contains(&letter)) && others
}

/// `ps -o pid= …`: one column, of numbers, under no head. Words that fail as those of Unix it takes for those of BSD, and
/// then the value of another flag may say which columns there are.
fn columned(words: &[Word]) -> bool {
    const COLUMNS: [&str; 9] = ["pid=", "ppid=", "pgid=", "sid=", "rss=", "vsz=", "nlwp=", "etimes=", "uid="];
    let column = |word: &Word| word.text().is_some_and(|text| COLUMNS.contains(&text));
    let program = |word: &Word| {
        let plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        word.text().is_some_and(plain)
    };
    let (mut columns, mut selections) = (0, 0);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let next = |fits: &dyn Fn(&Word) -> bool, rest: &mut std::slice::Iter<'_, Word>| rest.next().is_some_and(fits);
        let fits = match word.text() {
            Some("-e" | "-A" | "--no-headers" | "--sort=-rss" | "--sort=-%mem" | "--sort=-%cpu" | "--sort=-pcpu") => {
                true
            }
            Some("-o" | "-eo" | "-Ao") => {
                columns += 1;
                next(&column, &mut rest)
            }
            Some("-C") => {
                selections += 1;
                next(&program, &mut rest)
            }
            Some("-p" | "--pid" | "--ppid") => {
                selections += 1;
                next(&|word| word.number().is_some(), &mut rest)
            }
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    columns == 1 && selections <= 1
}

/// Whether `awk` prints the second column of what the kernel says of the memory: `MemTotal:  16384 kB`.
fn measures_memory(words: &[Word]) -> bool {
    let [program, file] = words else { return false };
    let action = program.text().and_then(at_a_pattern).map(|action| action.replace(' ', ""));
    file.text() == Some("/proc/meminfo") && matches!(action.as_deref(), Some("{print$2}" | "{print$2;exit}"))
}

/// What a subcommand of git prints, if that is numbers alone.
pub(super) fn of_git(subcommand: &str, words: &[Word], others: impl Fn(&Word) -> bool) -> Option<Feed> {
    let is = |word: &Word, wanted: &[String]| word.text().is_some_and(|text| wanted.iter().any(|known| known == text));
    let marks: Vec<String> = match subcommand {
        "rev-list" => vec!["--count".to_owned()],
        "log" => LOG.iter().flat_map(|of| [format!("--format={of}"), format!("--pretty=format:{of}")]).collect(),
        _ => return None,
    };
    let end = words.iter().position(|word| word.text() == Some("--")).filter(|_| subcommand == "log");
    let (flags, _) = words.split_at(end.unwrap_or(words.len()));
    let (marked, rest): (Vec<&Word>, Vec<&Word>) = flags.iter().partition(|word| is(word, &marks));
    let last = || rest.iter().any(|word| matches!(word.text(), Some("-1" | "-n1" | "--max-count=1")));
    let sides = |word: &&Word| matches!(word.text(), Some("--left-right" | "--cherry-mark" | "--cherry-pick"));
    let both = subcommand == "rev-list" && rest.iter().any(&sides);
    let one = subcommand == "rev-list" && !both || last();
    (marked.len() == 1 && rest.iter().all(|word| both && sides(word) || others(word))).then_some(if one {
        Feed::Number
    } else {
        Feed::Numbers
    })
}

/// Whether `find` prints numbers alone, one a line: the format of its only action, where that is at a place.
pub(super) fn of_find(words: &[Word], tests: &[usize]) -> bool {
    const LINES: [&str; 6] = ["%s\\n", "%i\\n", "%n\\n", "%d\\n", "%U\\n", "%G\\n"];
    let acts = |at: &&usize| {
        let named =
            |text: &str| ["-print", "-ls", "-exec", "-ok", "-fprint", "-fls"].iter().any(|a| text.starts_with(a));
        words[**at].text().is_some_and(named)
    };
    let actions: Vec<&usize> = tests.iter().filter(acts).collect();
    let [at] = actions.as_slice() else { return false };
    let format = words.get(*at + 1).and_then(Word::text);
    words[**at].text() == Some("-printf") && format.is_some_and(|format| LINES.contains(&format))
}
