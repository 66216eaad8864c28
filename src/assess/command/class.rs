//! Classes of letters in patterns, `[a-z]`: how long one is. The words ask for each bracket of theirs.

/// Where what ends a class stands, for the many brackets of one text: it is looked for once, not for each of them.
#[derive(Default)]
pub(super) struct Ends {
    /// How much of the text was left behind the next `]` or `/`.
    left: Option<usize>,
}

impl Ends {
    /// How long the class is that the rest of the text begins with, if it does: its first letter may be the bracket that
    /// ends others. Each rest is shorter than the one before.
    pub(super) fn class(&mut self, rest: &str) -> Option<usize> {
        let inside = rest.strip_prefix('[')?;
        let inside = inside.strip_prefix(['!', '^']).unwrap_or(inside);
        let first = inside.chars().next()?;
        let behind = &inside[first.len_utf8()..];
        let left = match self.left {
            Some(left) if left <= behind.len() => left,
            _ => behind.find([']', '/']).map_or(0, |at| behind.len() - at),
        };
        self.left = Some(left);
        let closes = behind[behind.len() - left..].starts_with(']') && first != '/';
        closes.then(|| rest.len() - left + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Ends;

    #[test]
    fn a_class_ends_at_its_bracket_and_never_behind_a_slash() {
        let classes = |text: &str| {
            let mut ends = Ends::default();
            let found = text.match_indices('[').map(|(at, _)| ends.class(&text[at..]));
            found.collect::<Vec<_>>()
        };
        assert_eq!(classes("[a-z]x"), [Some(5)]);
        assert_eq!(classes("[]a]"), [Some(4)]);
        assert_eq!(classes("[!]a]"), [Some(5)]);
        assert_eq!(classes("[a/b]"), [None]);
        assert_eq!(classes("[/]"), [None]);
        assert_eq!(classes("[]"), [None]);
        assert_eq!(classes("[[a]é[b"), [Some(4), Some(3), None]);
        assert_eq!(classes("[a/[b][c"), [None, Some(3), None]);
    }
}
