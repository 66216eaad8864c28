//! Regular expressions over names of files, as globs that match at least as much: what a search looks for is compared
//! with the lists of paths, which are globs.

/// Letters that begin a quantifier.
const QUANTIFIERS: [char; 4] = ['*', '+', '?', '{'];

/// A glob that matches every name in which a regular expression finds something. Groups and alternatives of the basic
/// and of the extended kind count (`\(` and `(`), as in some syntax each is one.
pub(super) fn as_glob(regex: &str) -> String {
    let mut reader = Reader { letters: regex.chars().collect(), at: 0 };
    let mut alternatives = Vec::new();
    loop {
        let begun = reader.peek() == Some('^');
        let glob = reader.sequence();
        let ended = reader.at > 0 && reader.letters.get(reader.at - 1) == Some(&'$');
        alternatives.push(format!("{}{glob}{}", if begun { "" } else { "*" }, if ended { "" } else { "*" }));
        // What closes nothing stands for itself at most.
        if reader.next().is_none() {
            break;
        }
    }
    joined(&alternatives)
}

fn joined(alternatives: &[String]) -> String {
    match alternatives {
        [only] => only.clone(),
        several => format!("{{{}}}", several.join(",")),
    }
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += 1;
        Some(letter)
    }

    /// Everything up to `|`, `)` or the end, which is left.
    fn sequence(&mut self) -> String {
        let mut glob = String::new();
        while let Some(letter) = self.peek() {
            let escaped = letter == '\\';
            let meant = if escaped { self.letters.get(self.at + 1).copied() } else { Some(letter) };
            if matches!(meant, Some('|' | ')')) {
                self.at += usize::from(escaped);
                break;
            }
            self.at += if escaped { 2 } else { 1 };
            let item = match meant {
                Some('(') => self.group(),
                Some('[') if !escaped => self.class(),
                Some('^' | '$') if !escaped => continue,
                Some('.') if !escaped => "?".to_owned(),
                Some(',' | '{' | '}' | '*' | '?' | '[' | ']' | '\\') | None => "?".to_owned(),
                Some(letter) if escaped && letter.is_alphanumeric() => "?".to_owned(),
                Some(letter) => letter.to_string(),
            };
            if self.quantified() { glob.push('*') } else { glob.push_str(&item) }
        }
        glob
    }

    /// The alternatives of a group, with its end.
    fn group(&mut self) -> String {
        if self.peek() == Some('?') {
            while !matches!(self.peek(), None | Some(':' | ')')) {
                self.at += 1;
            }
            self.at += usize::from(self.peek() == Some(':'));
        }
        let mut alternatives = vec![self.sequence()];
        while self.next() == Some('|') {
            alternatives.push(self.sequence());
        }
        joined(&alternatives)
    }

    /// A class of letters, as it stands.
    fn class(&mut self) -> String {
        let start = self.at;
        let mut end = start + usize::from(self.peek() == Some('^'));
        end += 1;
        while self.letters.get(end).is_some_and(|letter| *letter != ']') {
            end += 1;
        }
        self.at = (end + 1).min(self.letters.len());
        let inside: String = self.letters.get(start..end.min(self.letters.len())).unwrap_or_default().iter().collect();
        if inside.is_empty() || inside.contains(['\\', '[', ',', '{', '}']) {
            "?".to_owned()
        } else {
            format!("[{inside}]")
        }
    }

    /// Whether a quantifier stands here; past it.
    fn quantified(&mut self) -> bool {
        let quantifier = |letter: Option<char>| letter.is_some_and(|letter| QUANTIFIERS.contains(&letter));
        let escaped = self.peek() == Some('\\') && matches!(self.letters.get(self.at + 1), Some('+' | '?' | '{'));
        if !escaped && !quantifier(self.peek()) {
            return false;
        }
        self.at += usize::from(escaped);
        while quantifier(self.peek()) {
            if self.next() == Some('{') {
                while self.next().is_some_and(|letter| letter != '}') {}
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::as_glob;

    #[test]
    fn every_regular_expression_becomes_a_glob_that_matches_as_much() {
        for (regex, glob) in [
            ("env", "*env*"),
            ("^\\.env$", ".env"),
            ("\\.rs$", "*.rs"),
            ("^.*\\.conf$", "*.conf"),
            ("\\.(en|x)v$", "*.{en,x}v"),
            ("^\\(a\\|b\\)$", "{a,b}"),
            ("(\\.env)", "*.env*"),
            ("^a|b$", "{a*,*b}"),
            ("(?i)^x(?:y)", "*xy*"),
            ("a[bc]d?", "*a[bc]**"),
            ("[^/]+x", "**x*"),
            ("(ab)*c", "**c*"),
            ("a{2,3}", "***"),
            ("\\d\\w", "*??*"),
            ("a,b", "*a?b*"),
            ("x\\", "*x?*"),
            ("[", "*?*"),
            ("a)b", "{*a*,*b*}"),
        ] {
            assert_eq!(as_glob(regex), glob, "{regex}");
        }
        for odd in ["(((", "\\", "[^", "(?", "{", ")|(", "*", ""] {
            assert!(!as_glob(odd).is_empty());
        }
    }
}
