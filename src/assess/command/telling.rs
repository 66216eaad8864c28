//! What is said of a command that asks where something sensitive would come of it, although nothing declares that: in a
//! cloud, or by a format that shows all there is.

use super::judge::Judge;
use super::table::{Entry, table};
use super::word::Word;

/// Parts of a subcommand's name that say of what it shows that it lets somebody in.
const LETS_IN: [&str; 8] =
    ["secret", "password", "token", "credential", "kubeconfig", "api-key", "access-key", "connection-string"];
/// Beginnings of verbs that look.
const LOOKS: [&str; 8] = ["get", "list", "show", "describe", "print", "access", "read", "view"];
/// Clients of clouds and of what is hosted, which name their things so.
const CLOUDS: [&str; 12] =
    ["aws", "gcloud", "az", "doctl", "heroku", "fly", "flyctl", "ibmcloud", "oci", "scw", "aliyun", "linode-cli"];

impl Judge<'_> {
    /// Objects to a subcommand that no rule covers.
    pub(super) fn uncovered(&mut self, name: &str) {
        let mut words = name.split([' ', ':']);
        let cloud = words.next().is_some_and(|program| CLOUDS.contains(&program));
        let parts: Vec<&str> = words.collect();
        let looks = parts.iter().any(|part| LOOKS.iter().any(|verb| part.starts_with(verb)));
        let lets_in = LETS_IN.iter().any(|what| parts.iter().any(|part| part.contains(what)));
        if table().bars(name) || cloud && looks && lets_in {
            self.ineligible = true;
            self.sensitive(format!("`{name}` may show secrets."));
        } else {
            self.unknown("command.unknown-subcommand", format!("No rule covers `{name}`."));
        }
    }

    /// What a subcommand shows without the flags that its entry asks for: where others like it show secrets, those. Whether
    /// that was all that stood against it.
    pub(super) fn shows_unnamed(&mut self, name: &str, before: usize) -> bool {
        let found = &self.findings[before..];
        let unnamed = found.len() == 1 && found[0].rule == "command.needs-flag" && table().bars(name);
        if unnamed {
            self.findings.truncate(before);
            self.ineligible = true;
            self.sensitive(format!("`{name}` may show secrets unless it is told what to show."));
        }
        unnamed
    }

    /// Objects to a value of a flag that isn't among those that the entry lists.
    pub(super) fn other_value(&mut self, entry: &Entry, name: &str, (flag, value): (&str, &Word)) {
        self.ineligible = true;
        if let Some(reason) = entry.reasons.get(flag) {
            self.sensitive(format!("`{name}` with `{flag} {}` {reason}.", value.shown()));
        } else {
            let sentence = format!("No rule says that `{name}` with `{flag} {}` only reads.", value.shown());
            self.unknown("command.operand", sentence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::judged;

    #[test]
    fn it_is_said_where_secrets_would_come() {
        for (command, says) in [
            (
                "aws secretsmanager get-secret-value --secret-id x",
                "`aws secretsmanager get-secret-value` shows secrets.",
            ),
            (
                "aws ecs describe-task-definition --task-definition x",
                "`aws ecs describe-task-definition` may show secrets.",
            ),
            (
                "aws lambda list-functions",
                "`aws lambda list-functions` may show secrets unless it is told what to show.",
            ),
            (
                "gcloud run services describe s",
                "`gcloud run services describe` may show secrets unless it is told what to show.",
            ),
            ("az keyvault secret show --name x --vault-name y", "`az keyvault secret show` shows secrets."),
            (
                "journalctl -u nginx -o json",
                "shows every field of an entry, the environment of a program that crashed among them.",
            ),
            ("journalctl --output=verbose", "the environment of a program that crashed among them."),
            ("aws ssm get-parameter --name x --with-decryption", "`aws ssm get-parameter` shows secrets."),
            ("az webapp config connection-string list", "`az webapp config connection-string list` may show secrets."),
        ] {
            let findings = judged(command).findings;
            assert!(findings.iter().any(|finding| finding.sentence.ends_with(says)), "{command}: {findings:#?}");
        }
    }
}
