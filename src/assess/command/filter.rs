//! Filters of `jq`, `yq` and their kind: whether one sees more than its input, such as the environment or files.

use super::judge::Judge;
use super::word::{ACCOUNT, Word};
use crate::domain::PathKind;

impl Judge<'_> {
    /// Judges a filter that is a file where one has its name (`yq FILE`, of the one written in Go): a sensitive one is
    /// read, and one that ends in `.yq` holds the filter. With input by a pipe it is a filter where no such file is.
    pub(super) fn queried(&mut self, name: &str, word: &Word) {
        let Some(text) = word.text() else { return };
        let sensitive = self.sensitive_entry(text).is_some();
        let path = self.absolute_if_moved(text);
        let missing =
            self.facts.and_then(|facts| facts.paths.get(&path)).is_some_and(|fact| fact.kind == PathKind::Missing);
        if (sensitive || text.rsplit_once('.').is_some_and(|(_, ending)| ending == "yq")) && !(self.fed && missing) {
            self.unknown("command.filter", format!("`{name}` may take {} for a file.", self.spelt(word)));
        }
    }
}

/// Letters that every name has which sees more.
const LOUD: [&str; 9] = ["env", "ENV", "load", "import", "include", "modulemeta", "search_list", "eval", "system"];

/// Whether a filter only sees its input. Names of fields, of variables and text in strings may say anything; where
/// strings can't be told apart for sure (interpolation, comments) they may not.
pub(super) fn only_filters(filter: &str) -> bool {
    if !LOUD.iter().any(|loud| filter.contains(loud)) {
        return true;
    }
    if filter.contains('#') || filter.contains("\\(") {
        return false;
    }
    let mut rest = filter;
    let (mut before, mut last) = (' ', ' ');
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '"' => match end_of_string(&rest[1..]) {
                Some(end) => length += end,
                None => return false,
            },
            'a'..='z' | 'A'..='Z' | '_' => {
                length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let name = &rest[..length];
                let named = match last {
                    '.' => before != '.',
                    '$' => name != "ENV" && !name.starts_with("__"),
                    _ => !LOUD.iter().any(|loud| name.contains(loud)),
                };
                if !named {
                    return false;
                }
            }
            _ => {}
        }
        (before, last) = (last, c);
        rest = &rest[length..];
    }
    true
}

/// How many bytes of a string are left, its end included.
fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        end.then_some(at + 1)
    })
}

/// The same of a filter in which numbers were put, but the name of no account, which may be any word.
pub(super) fn filters_with_numbers(word: &Word) -> bool {
    word.numbered().is_some_and(|all| all.iter().all(|text| !text.contains(ACCOUNT) && only_filters(text)))
}

#[cfg(test)]
mod tests {
    use super::only_filters;

    #[test]
    fn only_bare_names_see_more_than_the_input() {
        for filter in [
            ".environment",
            ".a.env.X",
            ".\"import\" | .[\"env\"]",
            ".load as $load | $load",
            "\"env\"",
            ".a|.eval",
            ".systems[] | .include",
        ] {
            assert!(only_filters(filter), "{filter}");
        }
        for filter in [
            "env",
            ".a|env.X",
            "$ENV.X",
            "[env]",
            ".[env]",
            "..env",
            "\"a\"+env",
            "\"\\\"\" + env",
            "\"\\(env)\"",
            "1 # \"\nenv # \"",
            "load(\"x\")",
            "load_str(\"x\")",
            ".a = strenv(X)",
            "\"$X\" | envsubst",
            "include \"x\"; f",
            "import \"x\" as x; x::f",
            "\"x\" | modulemeta",
            "eval(.a)",
            "system(\"id\")",
            ". env",
            "\"unclosed env",
        ] {
            assert!(!only_filters(filter), "{filter}");
        }
    }
}
