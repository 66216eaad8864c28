//! The variables of SQLite and MySQL, whose names go by rules of their own. Each is a number without digits: nothing
//! that names anything. Called by `lex.rs` alone.

use super::{Kind, Lexer, Odd, holds_odd_blank, in_word};

impl Lexer<'_> {
    /// SQLite: `@name`, `:name`, `$name`, `$space::name`. The form with brackets may swallow quotes, so it isn't
    /// read at all.
    pub(super) fn variable(&mut self) -> Result<(), Odd> {
        let mut end = self.at + 1;
        let mut letters = 0;
        loop {
            let length = self.word_length(end);
            (letters, end) = (letters + length, end + length);
            if self.bytes[end..].starts_with(b"::") {
                end += 2;
            } else {
                break;
            }
        }
        if letters == 0 || self.bytes.get(end) == Some(&b'(') {
            return Err(self.odd("a variable is written in an unusual way"));
        }
        self.push(Kind::Number, String::new(), end);
        Ok(())
    }

    /// MySQL: `@name`, to whose name points belong, also the last one. What begins with `@@` is the server's.
    pub(super) fn user_variable(&mut self) -> Result<(), Odd> {
        self.push(Kind::Mark('@'), String::new(), self.at + 1);
        if self.peek(0) == b'@' {
            self.push(Kind::Mark('@'), String::new(), self.at + 1);
            return Ok(());
        }
        let length = self.bytes[self.at..].iter().take_while(|byte| in_word(**byte) || **byte == b'.').count();
        let end = self.at + length;
        if holds_odd_blank(&self.text[self.at..end]) {
            return Err(self.odd("it holds an unusual blank"));
        }
        if length > 0 {
            self.out.masked.push_str(&self.text[self.at..end].replace('.', "_"));
            self.take(Kind::Number, String::new(), end);
        }
        Ok(())
    }
}
