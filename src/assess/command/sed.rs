//! `sed` scripts: every command of one is read, so that `e`, `w`, `r` and the `s///e` and `s///w` flags are seen
//! wherever they stand. A script that isn't understood to its end asks.

use super::flags::Flags;
use super::judge::Judge;
use super::kind::Kind;
use super::table::Entry;
use super::word::{ACCOUNT, Word};

impl Judge<'_> {
    /// Judges the script of `sed`.
    pub(super) fn sed_script(&mut self, word: &Word) {
        match (word.text(), word.numbered()) {
            (Some(script), _) => self.sed_text(script),
            (None, Some(scripts)) => scripts.iter().for_each(|script| self.sed_text(script)),
            (None, None) => self.unreadable(
                "command.vague-script",
                format!("The `sed` script {} may become any commands.", self.spelt(word)),
            ),
        }
    }

    fn sed_text(&mut self, script: &str) {
        let mut reader = Reader::of(script);
        while let Some(action) = reader.next() {
            match action {
                Action::Harmless => {}
                // Which file it is depends on who is there.
                Action::Reads(file) if file.contains(ACCOUNT) => {
                    self.unknown("command.sed-script", "The `sed` script reads a file by a computed name.");
                }
                Action::Reads(file) => self.reads(&Word::exact(file)),
                Action::Writes(file) => self.writes("sed", &Word::exact(file)),
                Action::Runs => {
                    self.ineligible = true;
                    self.unknown("command.sed-runs", "The `sed` script runs a shell command (`e`).");
                }
                Action::Strange => {
                    self.unknown("command.sed-script", "The `sed` script is not fully understood.");
                    return;
                }
            }
        }
    }
}

/// The first operand, where scripts are given by flags only behind it: a `sed` that looks at flags no more then (POSIX)
/// takes it for its script.
pub(super) fn script_before<'w>(entry: &Entry, words: &'w [Word]) -> Option<&'w Word> {
    let flags = words.iter().take_while(|word| word.prefix().starts_with('-')).count();
    let sed = entry.first.first() == Some(&Kind::Sed) && !Flags::of(entry, &words[..flags]).carry(&entry.whole);
    words.get(flags).filter(|_| sed)
}

/// Whether a script only edits what it is given: it is understood whole, writes no other file and runs nothing.
pub(super) fn only_edits(script: &str) -> bool {
    let mut reader = Reader::of(script);
    std::iter::from_fn(|| reader.next()).all(|action| matches!(action, Action::Harmless | Action::Reads(_)))
}

enum Action {
    Harmless,
    Reads(String),
    Writes(String),
    Runs,
    Strange,
}

struct Reader<'s> {
    rest: &'s str,
    /// How much is left at the end of a line that has a label, until it is reached.
    line_end: Option<usize>,
    /// How much is left at the next end of a line, 0 where there is none: it is looked for once.
    newline: Option<usize>,
    /// Whether an account's name stands in the script.
    named: bool,
}

/// How a `sed` reads brackets while it looks for the end of a pattern.
#[derive(Clone, Copy)]
pub(super) enum Brackets {
    /// As any other text.
    Ignored,
    /// The delimiter within them is text.
    Plain,
    /// And `[:alpha:]` has no end of theirs in it.
    Classes,
    /// And a backslash escapes.
    Escapes,
}

impl Brackets {
    pub(super) const ALL: [Self; 4] = [Self::Ignored, Self::Plain, Self::Classes, Self::Escapes];
}

/// Where the text behind a pattern begins. None without an end of the pattern on its line, or of a bracket.
pub(super) fn pattern_end(text: &str, delimiter: char, brackets: Brackets) -> Option<usize> {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at += c.len_utf8();
        match c {
            '\n' => return None,
            '\\' => at += text[at..].chars().next()?.len_utf8(),
            c if c == delimiter => return Some(at),
            '[' if !matches!(brackets, Brackets::Ignored) => at += bracket_end(&text[at..], brackets)?,
            _ => {}
        }
    }
    None
}

/// The length of a bracket's inside with its end.
fn bracket_end(text: &str, brackets: Brackets) -> Option<usize> {
    let mut at = usize::from(text.starts_with('^'));
    at += usize::from(text[at..].starts_with(']'));
    while let Some(c) = text[at..].chars().next() {
        at += c.len_utf8();
        match c {
            ']' => return Some(at),
            '\n' => return None,
            '\\' if matches!(brackets, Brackets::Escapes) => at += text[at..].chars().next()?.len_utf8(),
            '[' if !matches!(brackets, Brackets::Plain) => {
                let class = [(":", ":]"), (".", ".]"), ("=", "=]")];
                if let Some((_, end)) = class.iter().find(|(begin, _)| text[at..].starts_with(begin)) {
                    at += 1 + text[at + 1..].find(end)? + end.len();
                }
            }
            _ => {}
        }
    }
    None
}

impl<'s> Reader<'s> {
    fn of(script: &'s str) -> Self {
        Self { rest: script, line_end: None, newline: None, named: script.contains(ACCOUNT) }
    }

    /// The next command; none at the end of the script.
    fn next(&mut self) -> Option<Action> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', ';', '}']);
        if self.rest.is_empty() {
            return None;
        }
        self.line_end = self.line_end.filter(|end| self.rest.len() > *end);
        let action = self.command().unwrap_or(Action::Strange);
        // What follows a line is left whole, but for its end.
        let over = self.line_end.is_some_and(|end| self.rest.len() + 1 < end);
        Some(if over { Action::Strange } else { action })
    }

    fn command(&mut self) -> Option<Action> {
        if self.rest.starts_with('#') {
            self.line();
            return Some(Action::Harmless);
        }
        let start = self.rest;
        self.addresses()?;
        // A line with a number alone ends every `sed` before it begins.
        let address = &start[..start.len() - self.rest.len()];
        if self.rest.starts_with('\n') && address.bytes().all(|byte| byte.is_ascii_digit()) {
            self.rest = "";
            return Some(Action::Harmless);
        }
        let command = self.character()?;
        match command {
            '{' => return Some(Action::Harmless),
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {}
            'q' | 'Q' | 'l' | 'L' => {
                self.blanks();
                self.digits();
            }
            'a' | 'i' | 'c' => {
                self.text_lines()?;
                return Some(Action::Harmless);
            }
            'b' | 't' | 'T' | ':' => self.label(),
            'r' => return Some(Action::Reads(self.line())),
            'w' => return Some(Action::Writes(self.line())),
            'e' => return Some(Action::Runs),
            's' => return self.substitute(),
            'y' => {
                let delimiter = self.delimiter()?;
                self.until(delimiter)?;
                self.until(delimiter)?;
            }
            _ => return None,
        }
        self.ended()?;
        Some(Action::Harmless)
    }

    /// `s/re/text/flags`. Where the pattern ends is read as every `sed` would: only one of the readings may be valid.
    fn substitute(&mut self) -> Option<Action> {
        let delimiter = self.delimiter()?;
        let start = self.rest;
        let mut ends = Vec::new();
        for brackets in Brackets::ALL {
            let end = pattern_end(start, delimiter, brackets)?;
            if !ends.contains(&end) {
                ends.push(end);
            }
        }
        let mut valid = None;
        for end in ends {
            self.rest = &start[end..];
            self.until(delimiter)?;
            // Flags that don't exist end every `sed` before it begins.
            if let Some(action) = self.flags()
                && valid.replace((action, self.rest)).is_some()
            {
                return None;
            }
        }
        let (action, rest) = valid?;
        self.rest = rest;
        Some(action)
    }

    fn flags(&mut self) -> Option<Action> {
        loop {
            match self.rest.chars().next() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.character();
                }
                Some('e') => return Some(Action::Runs),
                Some('w') => {
                    self.character();
                    return Some(Action::Writes(self.line()));
                }
                Some(_) | None => break,
            }
        }
        self.ended()?;
        Some(Action::Harmless)
    }

    /// `1`, `$`, `/re/I`, `\cREc`, `1~2`, `1,+3`, `1,/re/`, then maybe `!`.
    fn addresses(&mut self) -> Option<()> {
        self.address()?;
        self.blanks();
        if self.rest.starts_with(',') {
            self.character();
            self.blanks();
            if self.rest.starts_with(['+', '~']) {
                self.character();
            }
            self.address()?;
            self.blanks();
        }
        while self.rest.starts_with('!') {
            self.character();
            self.blanks();
        }
        Some(())
    }

    fn address(&mut self) -> Option<()> {
        match self.rest.chars().next()? {
            '0'..='9' => {
                self.digits();
                if self.rest.starts_with('~') {
                    self.character();
                    self.digits();
                }
            }
            '$' => {
                self.character();
            }
            '/' => {
                self.pattern()?;
                self.modifiers();
            }
            '\\' => {
                self.character();
                self.pattern()?;
                self.modifiers();
            }
            _ => {}
        }
        Some(())
    }

    fn modifiers(&mut self) {
        self.rest = self.rest.trim_start_matches(['I', 'M']);
    }

    /// The text of `a`, `i`, `c`: to the end of its last line. A script that ends within it goes on elsewhere; after
    /// several backslashes it may go on or not.
    fn text_lines(&mut self) -> Option<()> {
        loop {
            let line = self.line();
            match line.len() - line.trim_end_matches('\\').len() {
                0 => return Some(()),
                1 if !self.rest.is_empty() => {}
                _ => return None,
            }
        }
    }

    /// A label and what follows on its line, which some take for a part of it: nothing there may reach over the end
    /// of the line.
    fn label(&mut self) {
        self.blanks();
        let end = self.rest.find([';', '\n', ' ', '}']).unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
        let known = self.newline.filter(|left| *left <= self.rest.len());
        let left = known.unwrap_or_else(|| self.rest.find('\n').map_or(0, |at| self.rest.len() - at));
        self.newline = Some(left);
        self.line_end = Some(left).filter(|left| *left > 0);
    }

    /// Past a pattern of an address, whose end must be clear.
    fn pattern(&mut self) -> Option<()> {
        let delimiter = self.delimiter()?;
        let ends: Option<Vec<usize>> =
            Brackets::ALL.iter().map(|&brackets| pattern_end(self.rest, delimiter, brackets)).collect();
        let ends = ends?;
        let first = *ends.first()?;
        self.rest = &self.rest[first..];
        ends.iter().all(|end| *end == first).then_some(())
    }

    /// Not one that the name of an account in the script may have.
    fn delimiter(&mut self) -> Option<char> {
        let named = self.named;
        self.character().filter(|c| !matches!(c, '\\' | '\n' | '[' | ']') && (!named || "/|,:;#!%~=".contains(*c)))
    }

    /// The rest of the line, without blanks before it.
    fn line(&mut self) -> String {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line.trim_start().to_owned()
    }

    /// Past the next unescaped `delimiter`. A line that ends before it is an error to most.
    fn until(&mut self, delimiter: char) -> Option<()> {
        loop {
            match self.character()? {
                '\\' => {
                    self.character()?;
                }
                c if c == delimiter => return Some(()),
                '\n' => return None,
                _ => {}
            }
        }
    }

    /// After a command only a separator may stand.
    fn ended(&mut self) -> Option<()> {
        self.blanks();
        (self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#'])).then_some(())
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn digits(&mut self) {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
    }

    fn character(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allowed, asks};

    #[test]
    fn the_text_to_append_ends_where_its_backslashes_are_even() {
        for script in [
            "1a foo\\\\\ne id",
            "1c foo\\\\\nw /tmp/x",
            "1i\\\\\ne id",
            "1a\\\\\\\ne id",
            "1a foo\\\\\\\\\ne id",
            "1a\\\nfoo\\\\\ne id",
            "1a foo\ne id",
            "1a foo\\",
        ] {
            asks(&format!("sed '{script}' f"));
        }
        for script in ["1a foo", "1a\\\nfoo\\\ne id", "1i\\  foo", "1a\\\nfoo\n2d", "$a a\\tb"] {
            allowed(&format!("sed '{script}' f"));
        }
    }

    #[test]
    fn a_pattern_ends_the_same_for_every_sed_or_asks() {
        for script in [
            "s/[/]/g;s/;e echo PWN\n/x/p",
            "s/[/]/g;s/;w x",
            "s/[^/]/g;s/;e id #/",
            "s/[[:space:]/]/g;s/;e id\n/x/p",
            "s/[\\]/]/g;s/;e id #/",
            "s/[]/]/g;s/;e id #/",
            "s|[|]|g;s|;e id #|",
            "/[/]/p;e id #/]/p",
            "/[/]/e id",
            "\\,[,],e id",
            "s/[/x/;p",
            "s[a[b[",
            "s/a\nb/c/",
            "s/a/b\nc/",
            ":x;a\\\nw /tmp/x",
            ":x;s/a/b\\\nw /tmp/x\\\n/",
            "s/a/b/ e",
        ] {
            asks(&format!("sed '{script}' f"));
        }
        for script in [
            "s/[^/]*$//",
            "s/[\\/]/x/g",
            "s/[[:space:]]*$//;s/[]x]/y/",
            "s#[^/]*/##",
            "/[a-z]/d",
            "s/a\\[b/c/",
            "s/a/b\\\nc/;p",
            "y/[]/()/",
            ":a;N;$!ba;s/\\n/ /g",
            ":a\ns/x/y/;ta\np",
            ":a;N;$!ba\ns/x/y/\n$!{\na foo\\\nbar\n}",
        ] {
            allowed(&format!("sed '{script}' f"));
        }
    }
}
