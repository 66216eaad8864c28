//! The command behind a pipe, where its words are plain: what it leaves of what flows in may be harmless though all of
//! that is not, as names are of an archive, and fields that `jq` picks of all there is to tell.

use brush_parser::ast::{
    Command, CommandPrefixOrSuffixItem, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, SimpleCommand,
};

use super::fields::plain_field;
use super::judge::Judge;
use super::picks::{Plain, picks};
use super::raw::{is_plain, quoted};
use super::table::Entry;
use super::word::Word;

/// The words of a command that takes all of what flows in; none where one of them isn't plain, or something else flows in.
pub(super) fn taker(command: &Command) -> Option<Vec<String>> {
    let Command::Simple(SimpleCommand { prefix: None, word_or_name: Some(name), suffix }) = command else {
        return None;
    };
    let plain = |raw: &str| {
        let bare = is_plain(raw) && !raw.is_empty() || raw == "." || raw == "[]";
        bare.then(|| raw.to_owned()).or_else(|| quoted(raw).map(str::to_owned))
    };
    let mut words = vec![plain(&name.value)?];
    for item in suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            CommandPrefixOrSuffixItem::Word(word) => words.push(plain(&word.value)?),
            CommandPrefixOrSuffixItem::IoRedirect(redirect) if complaints(redirect) => {}
            CommandPrefixOrSuffixItem::IoRedirect(_)
            | CommandPrefixOrSuffixItem::AssignmentWord(..)
            | CommandPrefixOrSuffixItem::ProcessSubstitution(..) => return None,
        }
    }
    Some(words)
}

/// Whether all that a command prints goes where the pipe leads: nothing but its complaints goes elsewhere.
pub(super) fn prints_into_the_pipe(command: &SimpleCommand) -> bool {
    let mut suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
    command.prefix.is_none()
        && suffix.all(|item| match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => complaints(redirect),
            CommandPrefixOrSuffixItem::Word(_) | CommandPrefixOrSuffixItem::AssignmentWord(..) => true,
            CommandPrefixOrSuffixItem::ProcessSubstitution(..) => false,
        })
}

/// Whether a redirection is `2>/dev/null`.
fn complaints(redirect: &IoRedirect) -> bool {
    matches!(redirect, IoRedirect::File(Some(2), IoFileRedirectKind::Write, IoFileRedirectTarget::Filename(word))
        if word.value == "/dev/null")
}

impl Judge<'_> {
    /// Whether nothing but names and numbers is left of an archive that the judged command prints.
    pub(super) fn taken_for_names(&self) -> bool {
        let Some([program, words @ ..]) = self.taker.as_deref() else { return false };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match (program.as_str(), words.as_slice()) {
            // The last letter takes the name of the archive, and `-` is what flows in.
            ("tar" | "gtar" | "bsdtar", [flags, "-"]) => {
                matches!(*flags, "tf" | "-tf" | "tvf" | "-tvf" | "-vtf")
            }
            ("tar" | "gtar" | "bsdtar", [flags]) => matches!(*flags, "t" | "-t" | "tv" | "-tv" | "--list"),
            ("wc", words) => words.iter().all(|word| matches!(*word, "-c" | "-l" | "--bytes" | "--lines")),
            ("sha256sum" | "sha1sum" | "sha512sum" | "md5sum" | "cksum", []) => true,
            _ => false,
        }
    }

    /// The words that a program would be given to tell no more than `jq` picks of what it tells: fields that are no secrets.
    pub(super) fn picked(&self, entry: &Entry, words: &[Word]) -> Option<Vec<Word>> {
        let filter = filter_of(self.taker.as_deref()?)?;
        let named = |word: &Word| word.text().map_or(!word.may_be_flag(), |text| !text.starts_with('-'));
        match entry.name.as_str() {
            "journalctl" => {
                let places =
                    |path: &[String]| path.first().is_some_and(|name| !name.to_ascii_uppercase().contains("ENVIRON"));
                let told = as_json(words)?;
                let others =
                    words.iter().enumerate().filter(|(at, _)| !told.contains(at)).map(|(_, word)| word.clone());
                picks(filter, &Plain { places: &places, keyed: &[] }).then(|| others.collect())
            }
            "docker inspect" => {
                let places = |path: &[String]| plain_field(&path.join("."));
                let plain = Plain { places: &places, keyed: &["Config", "HostConfig"] };
                let some = || std::iter::once(Word::exact("--format={{.Id}}")).chain(words.iter().cloned()).collect();
                (words.iter().all(named) && picks(filter, &plain)).then(some)
            }
            _ => None,
        }
    }
}

/// The filter of `jq`, if it takes what flows in for JSON and prints what the filter leaves, and nothing else.
fn filter_of(taker: &[String]) -> Option<&str> {
    let (program, words) = taker.split_first()?;
    let known = |word: &&String| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        let short = !letters.is_empty() && letters.bytes().all(|letter| b"rcsSeMCj".contains(&letter));
        short || matches!(word.as_str(), "--raw-output" | "--compact-output" | "--slurp" | "--sort-keys" | "--tab")
    };
    let mut operands = words.iter().filter(|word| !known(word));
    let (filter, more) = (operands.next()?, operands.next());
    (program == "jq" && more.is_none() && !filter.starts_with('-')).then_some(filter.as_str())
}

/// Which of the words make `journalctl` tell its entries as JSON.
fn as_json(words: &[Word]) -> Option<std::ops::RangeInclusive<usize>> {
    let form = |text: &str| matches!(text, "json" | "json-pretty");
    let text = |at: usize| words.get(at).and_then(Word::text);
    (0..words.len()).find_map(|at| match text(at)? {
        "-o" | "--output" => text(at + 1).is_some_and(form).then_some(at..=at + 1),
        one => ["-o", "--output="].iter().find_map(|flag| one.strip_prefix(flag)).is_some_and(form).then_some(at..=at),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allowed, asks};

    #[test]
    fn names_of_an_archive_may_be_told_though_what_it_holds_may_not() {
        for command in [
            "git archive HEAD | tar -t",
            "git archive --format=tar HEAD src | tar tvf - | head",
            "git archive HEAD 2>/dev/null | wc -c",
            "git archive --prefix=a/ v1.0 | sha256sum",
        ] {
            allowed(command);
        }
        for command in [
            "git archive HEAD",
            "git archive HEAD | tar -x",
            "git archive HEAD | tar -xO",
            "git archive HEAD | tar -tf a.tar",
            "git archive HEAD | tar -t --to-command=x",
            "git archive HEAD | tar -tx",
            "git archive HEAD | cat",
            "git archive HEAD | tee a | tar -t",
            "git archive HEAD >&2 | tar -t",
            "git archive HEAD > a | tar -t",
            "git archive HEAD > >(cat) | tar -t",
            "git archive -o a.tar HEAD | tar -t",
            "git archive --output=a.tar HEAD | tar -t",
            "git archive --remote=ssh://evil.example/x HEAD | tar -t",
            "git archive --exec=x HEAD | tar -t",
            "git archive --add-file=.env HEAD | tar -t",
            "git archive --add-virtual-file=a:b HEAD | tar -t",
            "git archive --format=tar.gz HEAD | tar -t",
            "git archive --format=x HEAD | tar -t",
            "git archive $x | tar -t",
            "git archive HEAD $(cat a) | tar -t",
            "{ git archive HEAD; } | tar -t",
            "git archive HEAD | tar -t < a",
            "git archive HEAD | TAPE=x tar -t",
            "echo $(git archive HEAD | cat) | tar -t",
            "echo $(git archive HEAD) | tar -t",
            "cat <(git archive HEAD) | tar -t",
        ] {
            asks(command);
        }
    }

    #[test]
    fn fields_that_jq_picks_are_told_though_all_there_is_may_not() {
        for command in [
            "journalctl -u nginx -o json | jq -r .MESSAGE",
            "journalctl -o json -n 50 --no-pager 2>/dev/null | jq -r 'select(.PRIORITY==\"3\") | .MESSAGE' | sort | uniq -c",
            "journalctl --output=json-pretty -b | jq -c '{t: .__REALTIME_TIMESTAMP, MESSAGE, u: ._SYSTEMD_UNIT}'",
            "journalctl -ojson -k | jq -r '[.PRIORITY, .MESSAGE] | @tsv'",
            "timeout 5 journalctl -o json | jq '.MESSAGE'",
            "docker inspect web | jq '.[0].State.Status'",
            "docker inspect web db | jq -r '.[] | \"\\(.Name) \\(.State.Health.Status)\"'",
            "docker ps -q | xargs docker inspect | jq -r '.[].NetworkSettings.Networks | keys'",
            "docker inspect web | jq '.[0].Config | keys'",
        ] {
            allowed(command);
        }
        for command in [
            "journalctl -o json | jq .",
            "journalctl -o json | jq -r .COREDUMP_ENVIRON",
            "journalctl -o json | jq 'select(.MESSAGE)'",
            "journalctl -o json | jq '.COREDUMP_ENVIRON | keys'",
            "journalctl -o json | jq 'select(.COREDUMP_ENVIRON | keys) | .MESSAGE'",
            "docker inspect web | jq '.[] | .[] | .Mounts'",
            "journalctl -o json | jq -R .",
            "journalctl -o json | jq -n input",
            "journalctl -o json | jq .MESSAGE - a",
            "journalctl -o json | jq --arg x y .MESSAGE",
            "journalctl -o verbose | jq .MESSAGE",
            "journalctl -o json -o verbose | jq .MESSAGE",
            "journalctl -o json | jq .MESSAGE a.json",
            "journalctl -o json | jq -f a.jq",
            "journalctl -o json >&2 | jq .MESSAGE",
            "journalctl -o json | grep x",
            "journalctl -o json | tee a | jq .MESSAGE",
            "journalctl -o json | cat | jq .MESSAGE",
            "journalctl -o json | { cat; jq .MESSAGE; }",
            "journalctl -o json | jq \"$x\"",
            "sh -c 'journalctl -o json >&2' | jq .MESSAGE",
            "(journalctl -o json) | jq .MESSAGE",
            "docker inspect web | jq .",
            "docker inspect web | jq '.[0].Config'",
            "docker inspect web | jq '.[0].Config.Env'",
            "docker inspect web | jq '.[0] | .Config | .Env[]'",
            "docker inspect web | jq '.[0]'",
            "docker inspect --type container web | jq '.[0].Id'",
            "docker inspect web | jq '..'",
        ] {
            asks(command);
        }
    }
}
