//! `sed` scripts: every command of one is read, so that `e`, `w`, `r` and the `s///e` and `s///w` flags are seen
//! wherever they stand. A script that isn't understood to its end asks.

use super::judge::Judge;
use super::word::Word;

impl Judge<'_> {
    /// Judges the script of `sed`.
    pub(super) fn sed_script(&mut self, word: &Word) {
        let Some(script) = word.text() else {
            self.unreadable(
                "command.vague-script",
                format!("The `sed` script {} may become any commands.", word.shown()),
            );
            return;
        };
        let mut reader = Reader { rest: script };
        while let Some(action) = reader.next() {
            match action {
                Action::Harmless => {}
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

enum Action {
    Harmless,
    Reads(String),
    Writes(String),
    Runs,
    Strange,
}

struct Reader<'s> {
    rest: &'s str,
}

impl Reader<'_> {
    /// The next command; none at the end of the script.
    fn next(&mut self) -> Option<Action> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', ';', '}']);
        if self.rest.is_empty() {
            return None;
        }
        Some(self.command().unwrap_or(Action::Strange))
    }

    fn command(&mut self) -> Option<Action> {
        if self.rest.starts_with('#') {
            self.line();
            return Some(Action::Harmless);
        }
        self.addresses()?;
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
            'b' | 't' | 'T' | ':' => {
                self.blanks();
                let end = self.rest.find([';', '\n', ' ', '}']).unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
            }
            'r' => return Some(Action::Reads(self.line())),
            'w' => return Some(Action::Writes(self.line())),
            'e' => return Some(Action::Runs),
            's' => return self.substitute(),
            'y' => {
                let delimiter = self.character().filter(|&c| c != '\\' && c != '\n')?;
                self.until(delimiter)?;
                self.until(delimiter)?;
            }
            _ => return None,
        }
        self.ended()?;
        Some(Action::Harmless)
    }

    fn substitute(&mut self) -> Option<Action> {
        let delimiter = self.character().filter(|&c| c != '\\' && c != '\n')?;
        self.until(delimiter)?;
        self.until(delimiter)?;
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
                self.character();
                self.until('/')?;
                self.modifiers();
            }
            '\\' => {
                self.character();
                let delimiter = self.character()?;
                self.until(delimiter)?;
                self.modifiers();
            }
            _ => {}
        }
        Some(())
    }

    fn modifiers(&mut self) {
        self.rest = self.rest.trim_start_matches(['I', 'M']);
    }

    /// The text of `a`, `i`, `c`: to the end of its last line. A script that ends within it goes on elsewhere.
    fn text_lines(&mut self) -> Option<()> {
        loop {
            let line = self.line();
            if !line.ends_with('\\') {
                return Some(());
            }
            if self.rest.is_empty() {
                return None;
            }
        }
    }

    /// The rest of the line, without blanks before it.
    fn line(&mut self) -> String {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line.trim_start().to_owned()
    }

    /// Past the next unescaped `delimiter`.
    fn until(&mut self, delimiter: char) -> Option<()> {
        loop {
            match self.character()? {
                '\\' => {
                    self.character()?;
                }
                c if c == delimiter => return Some(()),
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
