//! Whether other shells than `bash` read a script as it does. The tree is bash's: where another shell may run the text,
//! only what both are known to read alike is trusted. What this refuses is asked about, so that it may be narrow.

/// Commands of zsh's own that do more, or something else, than those of bash of that name, and what begins its own
/// constructs (<https://zsh.sourceforge.io/Doc/Release/Shell-Builtin-Commands.html>).
const OWN: &str = " hash print let typeset declare integer float local select function coproc repeat foreach nocorrect \
    noglob pushd popd dirs jobs mapfile readarray shopt getopts set trap eval source . ";
/// What zsh's parameters do when they are set (<https://zsh.sourceforge.io/Doc/Release/Parameters.html>): they change
/// which programs run and under which name, are computed, name files that it writes, or are the shell's own tables. Behind
/// them what mksh, yash and ksh have of that kind.
const SPECIAL: &str = " path PATH fpath FPATH cdpath CDPATH manpath MANPATH mailpath MAILPATH module_path \
    MODULE_PATH fignore FIGNORE psvar PSVAR watch WATCH argv ARGC ARGV0 STTY commands functions dis_functions \
    functions_source dis_functions_source builtins dis_builtins reswords dis_reswords patchars dis_patchars aliases \
    dis_aliases galiases dis_galiases saliases dis_saliases options parameters modules nameddirs userdirs usergroups \
    dirstack history historywords jobtexts jobstates jobdirs keymaps widgets status pipestatus signals errnos \
    sysparams mapfile termcap terminfo langinfo ERRNO NULLCMD READNULLCMD histchars HISTCHARS TMOUT TMPPREFIX \
    TMPSUFFIX COLUMNS LINES HISTSIZE SAVEHIST LISTMAX KEYTIMEOUT MAILCHECK FUNCNEST BAUD SHLVL LINENO OPTIND OPTARG \
    TTYIDLE DIRSTACKSIZE LOGCHECK REPORTTIME REPORTMEMORY TIMEFMT WATCHFMT UID EUID GID EGID USERNAME SECONDS RANDOM \
    EPOCHSECONDS EPOCHREALTIME TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT CORRECT_IGNORE CORRECT_IGNORE_FILE HISTORY_IGNORE \
    POSTEDIT prompt PROMPT PROMPT2 PROMPT3 PROMPT4 PROMPT_EOL_MARK RPROMPT RPROMPT2 RPS1 RPS2 SPROMPT WORDCHARS \
    ZBEEP EXECSHELL COMMAND_NOT_FOUND_HANDLER SHACCT JOBMAX SIGNAL ATTY ";
/// Behind these a command begins.
const OPENING: &str = " if then elif else while until do ! { time builtin command exec - ";
/// What ends a word.
const ENDS: &[u8] = b" \t\n;|&()";

/// Whether a list of words between blanks has one.
fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Whether a script has what other shells than `bash` read in another way: they take `[[` for a program, print what
/// stands behind a backslash, and don't know bash's own variables.
pub(super) fn only_bash(script: &str) -> bool {
    const MARKS: [&str; 15] =
        ["$'", "$\"", "&>", "<(", ">(", "<<", "{", "|&", "[[", "((", "$[", "+=", "~+", "~-", "[^"];
    const WORDS: [&str; 21] = [
        "declare",
        "typeset",
        "let",
        "pushd",
        "popd",
        "dirs",
        "mapfile",
        "readarray",
        "shopt",
        "select",
        "coproc",
        "function",
        "local",
        "source",
        "builtin",
        "enable",
        "time",
        "RANDOM",
        "SECONDS",
        "UID",
        "EUID",
    ];
    let mut words = script.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    // A folder that it can't go to, for a flag that it doesn't know, leaves it where it is.
    let moves = |rest: &str| rest.trim_start().starts_with(['-', '"', '\'', '\\', '$']);
    let goes = || script.match_indices("cd").any(|(at, _)| moves(&script[at + 2..]));
    let printed = || script.contains('\\') && script.contains("echo");
    // Sums are read alike.
    let marked = script.replace("$((", "$(");
    MARKS.iter().any(|mark| marked.contains(mark))
        || words
            .any(|word| WORDS.contains(&word) || ["BASH", "EPOCH", "SRANDOM"].iter().any(|own| word.starts_with(own)))
        || goes()
        || printed()
}

/// Whether `zsh` reads a script as `bash` does. What it has of its own, and each case that isn't known to be alike, says no:
/// among them words put in without quotes, which zsh doesn't split; `$x:h` and `$x[1]`; names of files with
/// qualifiers; what the last part of a pipeline sets, which lasts in zsh.
pub(super) fn zsh_reads(script: &str) -> bool {
    Scan {
        text: script,
        bytes: script.as_bytes(),
        around: Vec::new(),
        among: Among::Command,
        piped: false,
        assigning: None,
        opened: None,
    }
    .alike()
}

/// Whether a variable is one that another shell than `bash` computes, obeys or shares with another, as zsh does `path` with
/// `PATH`.
pub(super) fn of_a_shell(variable: &str) -> bool {
    listed(SPECIAL, variable)
        || variable.ends_with("_functions")
        || ["ZSH", "ZLE_", "zle_", "KSH", "YASH"].iter().any(|start| variable.starts_with(start))
}

/// Whether shells that aren't like `sh` at all (fish, nu, pwsh, tcsh, …) take a script for the same programs with the same
/// words: names, whole words in quotes, pipes and lists, and no command that a shell has of its own.
pub(super) fn plain_everywhere(script: &str) -> bool {
    const OWN: &str = " alias begin bind builtin case coproc declare do eval exec export for function if let local \
        printf read readarray readonly mapfile select set shopt source test time trap type typeset unset until while ";
    let plain = |c: char| c.is_ascii_alphanumeric() || " _./:=+-'\"|;&\n".contains(c);
    let names = script.split(|c: char| !c.is_ascii_alphanumeric());
    // `pwsh` takes `-x.env` for two words.
    let parted = |word: &str| word.starts_with('-') && word.contains(['.', ':']);
    script.chars().all(plain)
        && whole_quotes(script)
        && !script.split_ascii_whitespace().any(parted)
        && !names.into_iter().any(|name| listed(OWN, name))
        && zsh_reads(script)
}

/// Whether what is in quotes is each time a whole word.
fn whole_quotes(script: &str) -> bool {
    let (mut quote, mut before) = (None, b'\n');
    script.bytes().zip(script.bytes().skip(1).chain(*b"\n")).all(|(byte, next)| {
        let fits = match quote {
            Some(open) if open == byte => ENDS.contains(&next),
            None if b"'\"".contains(&byte) => ENDS.contains(&before),
            Some(_) | None => true,
        };
        quote = match quote {
            Some(open) => Some(open).filter(|open| *open != byte),
            None => Some(byte).filter(|byte| b"'\"".contains(byte)),
        };
        before = byte;
        fits
    })
}

/// What stands open at one place of a script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Bracket,
    Quote,
}

/// Whose words stand at one place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    /// Some command's.
    Command,
    /// `[[ … ]]`.
    Test,
    /// `[ … ]`, where fewer words are no harm, or `echo`, for which it is the same how they are split.
    Harmless,
}

/// One pass over a script.
struct Scan<'t> {
    text: &'t str,
    bytes: &'t [u8],
    around: Vec<Open>,
    among: Among,
    /// Behind a `|`.
    piped: bool,
    /// In what a variable is set to: how much stands open around that.
    assigning: Option<usize>,
    /// Where the last of that ended: a command may follow.
    opened: Option<usize>,
}

impl Scan<'_> {
    fn at(&self, place: usize) -> u8 {
        self.bytes.get(place).copied().unwrap_or(b'\n')
    }

    fn quoted(&self) -> bool {
        self.around.last() == Some(&Open::Quote)
    }

    fn alike(mut self) -> bool {
        // In a substitution the bracket behind a case's pattern would close it.
        let cases = self.text.contains("case ") && self.text.contains("$(");
        if cases || ["]=", "**", ";&", ";|", "&!", "&|"].iter().any(|own| self.text.contains(own)) {
            return false;
        }
        let mut place = 0;
        while place < self.bytes.len() {
            let Some(next) = self.step(place) else { return false };
            place = next;
        }
        self.around.is_empty()
    }

    /// Where the next step begins; none where zsh may read it in another way.
    fn step(&mut self, place: usize) -> Option<usize> {
        let byte = self.bytes[place];
        let before = if place == 0 { b'\n' } else { self.bytes[place - 1] };
        let (next, begins) = (self.at(place + 1), ENDS.contains(&before));
        if self.assigning == Some(self.around.len()) && ENDS.contains(&byte) {
            (self.assigning, self.opened) = (None, Some(place));
        }
        match byte {
            b'\\' if begins && self.opens(place) => return None,
            b'\\' => return Some(place + 2),
            b'`' => return None,
            b'"' if self.quoted() => _ = self.around.pop(),
            b'$' => return self.dollar(place),
            _ if self.quoted() => {}
            b'"' | b'\'' if begins && self.opens(place) => return None,
            b'"' => self.around.push(Open::Quote),
            b'\'' => return self.text[place + 1..].find('\'').map(|length| place + length + 2),
            b'(' if next == b')' || self.among == Among::Test || !begins && before != b'<' => return None,
            b'(' => self.around.push(Open::Bracket),
            b')' => _ = self.around.pop(),
            b'=' if before == b'=' && !ENDS.contains(&self.at(place.wrapping_sub(2))) => return None,
            b'=' if begins && !ENDS.contains(&next) && !(b"=~".contains(&next) && self.at(place + 2) == b' ') => {
                return None;
            }
            b'~' if (begins || b"=:".contains(&before)) && next != b'/' && !ENDS.contains(&next) => return None,
            b'~' if b"*?])}".contains(&before) => return None,
            b'^' if begins => return None,
            b'#' if begins => return self.comment(place),
            b'<' | b'>' if self.among != Among::Test => return self.redirection(place),
            b'|' if next == b'|' => return Some(place + 2),
            b'|' => self.piped = true,
            b'[' if begins && next == b'[' => self.among = Among::Test,
            b'[' if begins && next == b' ' => self.among = Among::Harmless,
            b']' if next == b']' || begins && self.among != Among::Test => self.among = Among::Command,
            _ if begins && !ENDS.contains(&byte) => return self.word(place),
            _ => {}
        }
        Some(place + 1)
    }

    /// Whether a command begins at a place, as far as the word or sign before it tells.
    fn opens(&self, place: usize) -> bool {
        let before = self.text[..place].trim_end_matches([' ', '\t']);
        if self.opened == Some(before.len()) {
            return true;
        }
        let word = before.rsplit(|c: char| c.is_ascii_whitespace() || ";|&(".contains(c)).next().unwrap_or_default();
        word.is_empty() || listed(OPENING, word) || assigned(word).is_some()
    }

    /// Skips a comment: where it isn't one, its words must do nothing.
    fn comment(&self, place: usize) -> Option<usize> {
        let line = self.text[place..].split('\n').next().unwrap_or_default();
        let quiet = line[1..].chars().all(|c| c.is_alphanumeric() || " .,:_/-".contains(c));
        quiet.then_some(place + line.len())
    }

    /// A redirection: from a file, to `/dev/null` or between the descriptors of output.
    fn redirection(&self, place: usize) -> Option<usize> {
        let rest = &self.text[place..];
        let before = self.text[..place].trim_end_matches(|c: char| c.is_ascii_digit() || c == '&');
        if self.opens(before.len()) {
            return None;
        }
        if let Some(behind) = rest.strip_prefix("<<<") {
            return (!behind.starts_with('<')).then_some(place + 3);
        }
        if let Some(behind) = rest.strip_prefix('<') {
            let own = behind.starts_with(|c: char| "<>&-".contains(c) || c.is_ascii_digit());
            return (!own).then_some(place + 1);
        }
        let known = [">/dev/null", "> /dev/null", ">>/dev/null", ">&1", ">&2"];
        let known = known.iter().find(|known| rest.starts_with(**known))?;
        ENDS.contains(&self.at(place + known.len())).then_some(place + known.len())
    }

    /// A word outside of quotes that begins at a place, as far as its letters go.
    fn word(&mut self, place: usize) -> Option<usize> {
        let rest = &self.text[place..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.+-!{".contains(byte)).count();
        let (word, behind) = (&rest[..length], &rest[length..]);
        if self.opens(place) {
            // A part of a name in quotes would hide which command it is.
            if behind.starts_with(['"', '\'', '\\', '$']) {
                return None;
            }
            if behind.starts_with('=') {
                self.assigning = Some(self.around.len());
            }
            if self.among != Among::Test {
                self.among = if word == "echo" { Among::Harmless } else { Among::Command };
            }
            let command = ENDS.contains(&self.at(place + length));
            let reads = command && word == "read" || behind.starts_with('=') && word == "IFS";
            let lasts = behind.starts_with('=') || command && listed(" cd export readonly unset shift for ", word);
            let own = command && listed(OWN, word)
                || command && word == "cd" && !plainly_goes(behind)
                || command && word == "echo" && self.text.contains('\\')
                || reads && !self.reads_lines(place)
                || lasts && !reads && self.piped;
            if own {
                return None;
            }
        }
        Some(place + length.max(1))
    }

    /// Whether it is the head of the one loop at the end of a script that reads lines.
    fn reads_lines(&self, place: usize) -> bool {
        let head = self.text[..place].trim_end();
        let head = head.strip_suffix("IFS=").map_or(head, str::trim_end);
        let names = self.text[place..].split([';', '\n']).next().unwrap_or_default();
        let names = names.strip_prefix("IFS= ").unwrap_or(names);
        let names = names.strip_prefix("read").unwrap_or(names).trim_start();
        let names = names.strip_prefix("-r ").unwrap_or(names);
        let plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let once = self.text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| *word == "done").count() == 1;
        head.ends_with("while")
            && names.split_whitespace().all(|name| plain(name) && !listed(SPECIAL, name))
            && once
            && self.text.trim_end().ends_with("done")
    }

    /// What begins with a `$`.
    fn dollar(&mut self, place: usize) -> Option<usize> {
        let (next, rest) = (self.at(place + 1), &self.text[place + 1..]);
        let end = match next {
            b'(' if rest.starts_with("((") => {
                let length = rest.find("))")?;
                let plain = |c: char| c.is_ascii_alphanumeric() || "_ +-*/%$<>=!&|?:()".contains(c);
                return rest[..length].chars().all(plain).then_some(place + length + 3);
            }
            b'(' => {
                self.around.push(Open::Bracket);
                return Some(place + 2);
            }
            b'{' => {
                let length = rest.find('}')?;
                if !plain_parameter(&rest[1..length]) {
                    return None;
                }
                place + length + 2
            }
            b'#' => {
                let ends = self.at(place + 2);
                return (ENDS.contains(&ends) || b"\"]".contains(&ends)).then_some(place + 2);
            }
            b'?' | b'$' | b'!' | b'-' | b'@' | b'*' | b'0'..=b'9' => place + 2,
            _ if next.is_ascii_alphabetic() || next == b'_' => {
                let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
                place + 1 + name
            }
            b'"' if self.quoted() => return Some(place + 1),
            _ if ENDS.contains(&next) || b"/.,%".contains(&next) => return Some(place + 1),
            _ => return None,
        };
        let (behind, further) = (self.at(end), self.at(end + 1));
        let modified = behind == b':' && (further.is_ascii_alphabetic() || b"&#^".contains(&further));
        let number = b"?$!".contains(&next);
        let whole = self.quoted() || self.among != Among::Command || number || self.assigns(place);
        (behind != b'[' && behind.is_ascii() && !modified && whole).then_some(end)
    }

    /// Whether what begins at a place is what a variable is set to: no shell splits it.
    fn assigns(&self, place: usize) -> bool {
        let word = self.text[..place].rsplit(|c: char| ENDS.contains(&(c as u8)) && c.is_ascii()).next();
        word.and_then(assigned).is_some_and(str::is_empty)
    }
}

/// What a word gives to the variable that it sets.
fn assigned(word: &str) -> Option<&str> {
    let (name, value) = word.split_once('=')?;
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let plain = name.trim_end_matches('+').bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (begins && plain).then_some(value)
}

/// Whether what stands behind `cd` is one folder.
fn plainly_goes(behind: &str) -> bool {
    let operand = behind.split([';', '|', '&', '\n', ')']).next().unwrap_or_default().trim();
    !operand.starts_with(['-', '+']) && !operand.contains(char::is_whitespace)
}

/// Whether what stands between the braces of `${…}` is a variable, its length, or it with a part cut off or replaced.
fn plain_parameter(inside: &str) -> bool {
    let inside = inside.strip_prefix('#').unwrap_or(inside);
    let name = inside.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let rest = &inside[name..];
    let mut signs = rest.bytes();
    let known = match (signs.next(), signs.next()) {
        (None, _) => true,
        (Some(b':'), Some(second)) => b"-+?".contains(&second) || second.is_ascii_digit(),
        (Some(sign), _) => b"%#/-+?".contains(&sign),
    };
    name > 0 && known && rest.chars().all(|c| c.is_ascii_alphanumeric() || "_./%#*?:=+-, ".contains(c))
}
