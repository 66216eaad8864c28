//! Which words of git print names of branches and tags alone, and whether those may be flags: a repository that somebody
//! else made can have a tag called `--output=x`, so its names are looked at. So are those that stand in its tags
//! themselves, by which `git describe` calls them.

use super::judge::Judge;
use super::word::Word;

/// Formats of a list that are a name alone.
const FORMATS: [&str; 4] = ["%(refname:short)", "%(refname)", "%(refname:lstrip=2)", "%(refname:strip=2)"];
/// Flags of such lists that choose or order.
const CHOOSE: &str = " -a -r -l --all --remotes --list --merged --no-merged --contains --no-contains --points-at \
    --ignore-case -i --sort --count --exclude ";
/// Whether a subcommand prints nothing but such names with these words, each on its line.
pub(super) fn named(subcommand: &str, words: &[Word]) -> bool {
    let Some(texts) = words.iter().map(Word::text).collect::<Option<Vec<&str>>>() else { return false };
    let within = |known: &str, text: &str| {
        let flag = text.split_once('=').map_or(text, |(flag, _)| flag);
        known.contains(&format!(" {flag} "))
    };
    let plain = |text: &str| {
        !text.starts_with('-') && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./~@{}-^*".contains(&byte))
    };
    let chosen = |text: &&str| plain(text) || within(CHOOSE, text);
    match subcommand {
        "branch" if texts == ["--show-current"] => true,
        "branch" | "for-each-ref" => {
            let (formats, others): (Vec<&str>, Vec<&str>) =
                texts.into_iter().partition(|text| text.starts_with("--format="));
            let format = |text: &str| FORMATS.contains(&text.trim_start_matches("--format="));
            matches!(formats.as_slice(), [only] if format(only)) && others.iter().all(chosen)
        }
        "tag" => texts.iter().all(chosen),
        // Those whose target is looked at, too: that of any other may be a branch that isn't there.
        "symbolic-ref" => texts.iter().all(|text| {
            let remote = text.strip_prefix("refs/remotes/").and_then(|name| name.strip_suffix("/HEAD"));
            let looked_at = *text == "HEAD" || remote.is_some_and(|name| plain(name) && !name.contains(".."));
            looked_at || matches!(*text, "--short" | "-q" | "--quiet")
        }),
        "rev-parse" => {
            let mode = |text: &&&str| matches!(**text, "--abbrev-ref" | "--symbolic-full-name");
            let (modes, others): (Vec<&&str>, Vec<&&str>) = texts.iter().partition(|text| mode(text));
            !modes.is_empty() && others.iter().all(|text| ["HEAD", "@", "@{u}", "@{upstream}"].contains(*text))
        }
        _ => false,
    }
}

/// Whether `git describe` prints the name of a tag with these words, or a revision by one: nothing of another kind, and
/// no text that the words bring along.
pub(super) fn described(words: &[Word]) -> bool {
    const FLAGS: &str = " --tags --long --always --dirty --broken --exact-match --first-parent --contains --no-abbrev \
        --abbrev ";
    const VALUED: [&str; 4] = ["--abbrev=", "--match=", "--exclude=", "--candidates="];
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.text() else { return false };
        // Of the id of a file it prints where that lies.
        let head = |text: &str| {
            text.strip_prefix("HEAD")
                .or_else(|| text.strip_prefix('@'))
                .is_some_and(|behind| behind.bytes().all(|byte| byte.is_ascii_digit() || b"~^".contains(&byte)))
        };
        let known = match text {
            "--match" | "--exclude" | "--candidates" => rest.next().is_some_and(|value| value.text().is_some()),
            _ if text.starts_with('-') => {
                FLAGS.contains(&format!(" {text} ")) || VALUED.iter().any(|flag| text.starts_with(flag))
            }
            _ => head(text),
        };
        if !known {
            return false;
        }
    }
    true
}

impl Judge<'_> {
    /// The same where git may call a revision by the name that a tag bears in itself.
    pub(super) fn plain_tags(&mut self) -> bool {
        let Some(folder) = self.folder() else { return false };
        self.mentions.described.insert(folder.clone());
        self.facts.is_none_or(|facts| facts.described.get(&folder) == Some(&true))
    }

    /// Whether no name in the repository begins with a dash, as far as is known. While it is asked what should be looked
    /// at, none does.
    pub(super) fn plain_refs(&mut self) -> bool {
        let Some(folder) = self.folder() else { return false };
        self.mentions.refs.insert(folder.clone());
        self.facts.is_none_or(|facts| facts.refs.get(&folder) == Some(&true))
    }
}
