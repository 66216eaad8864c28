//! What a program is handed to do elsewhere: statements for a database's client, a command for another machine or a
//! container. Whether it asks is settled by then; here the worst of it is named, so that it doesn't pass for less.

use super::judge::{DEPTH, Judge};
use super::word::Word;
use crate::assess::sql::destroys;
use crate::domain::{Class, Danger, Dialect, Finding};

/// Flags of `ssh` whose value is a word of its own (<https://man.openbsd.org/ssh>).
const OF_SSH: &str = "BbcDEeFIiJLlmOopQRSWw";
/// Flags of what runs a command in a container whose value is a word of its own.
const OF_EXEC: [&str; 13] = [
    "-e",
    "-u",
    "-w",
    "-c",
    "-n",
    "--env",
    "--env-file",
    "--user",
    "--workdir",
    "--detach-keys",
    "--container",
    "--namespace",
    "--context",
];
/// Flags before a statement, which may stand in the same word.
const STATEMENT: [&str; 4] = ["--command=", "--execute=", "-c", "-e"];

impl Judge<'_> {
    /// Objects to the worst that a program of the table of dangers is handed.
    pub(super) fn handed(&mut self, name: &str, words: &[Word]) {
        let program = name.split(' ').next().unwrap_or(name);
        let found = match name {
            "psql" => self.stated(Dialect::Postgres, words),
            "mysql" | "mariadb" => self.stated(Dialect::Mysql, words),
            "sqlite3" => self.stated(Dialect::Sqlite, words),
            "ssh" => there(words).and_then(|command| {
                let script: Vec<&str> = command.iter().map(|word| word.text().unwrap_or(word.prefix())).collect();
                let script = script.join(" ");
                self.elsewhere(&script, |judge| judge.whole(&script))
            }),
            "docker exec" | "podman exec" | "nerdctl exec" | "kubectl exec" | "oc exec" => {
                inside(words).and_then(|argv| self.elsewhere("", |judge| judge.dispatch(argv)))
            }
            _ => None,
        };
        if let Some(sentence) = found {
            self.destructive(&format!("command.{program}"), format!("What `{name}` is to do: {sentence}"));
        }
    }

    /// What a statement among the words, or one that flows in, destroys.
    fn stated(&self, dialect: Dialect, words: &[Word]) -> Option<String> {
        let worded = words.iter().filter_map(Word::text);
        let bare = |text| STATEMENT.iter().find_map(|flag| str::strip_prefix(text, flag)).unwrap_or(text);
        worded.map(bare).chain(self.said()).find_map(|text| destroys(dialect, text))
    }

    /// What a command destroys where it runs: nothing of it is here.
    fn elsewhere(&self, text: &str, look: impl FnOnce(&mut Judge<'_>)) -> Option<String> {
        if self.depth + 1 >= DEPTH {
            return None;
        }
        let mut there = Judge::new(self.place, None, self.sensitive, text);
        there.depth = self.depth + 1;
        look(&mut there);
        let destroys =
            |finding: &&Finding| matches!(finding.class, Class::Catastrophe | Class::Declared(Danger::Destructive));
        there.findings.iter().filter(destroys).max_by_key(|finding| finding.class).map(|found| found.sentence.clone())
    }
}

/// The words behind the host.
fn there(words: &[Word]) -> Option<&[Word]> {
    let mut at = 0;
    while let Some(flag) = words.get(at)?.prefix().strip_prefix('-') {
        at += if flag.len() == 1 && OF_SSH.contains(flag) { 2 } else { 1 };
    }
    words.get(at + 1..).filter(|command| !command.is_empty())
}

/// The words behind the container, or behind `--`.
fn inside(words: &[Word]) -> Option<&[Word]> {
    if let Some(end) = words.iter().position(|word| word.text() == Some("--")) {
        return words.get(end + 1..);
    }
    let mut at = 0;
    while words.get(at)?.prefix().starts_with('-') {
        at += if words[at].text().is_some_and(|flag| OF_EXEC.contains(&flag)) { 2 } else { 1 };
    }
    words.get(at + 1..)
}

#[cfg(test)]
mod tests {
    use super::super::tests::judged;
    use crate::domain::RiskLevel;

    #[test]
    fn what_is_destroyed_elsewhere_is_high() {
        for command in [
            "psql -h prod -c 'DELETE FROM orders'",
            "psql -cDROP\\ TABLE\\ x shop",
            "mysql --execute='TRUNCATE t' shop",
            "sqlite3 shop.db 'UPDATE t SET a = 1'",
            "echo 'DROP TABLE x' | psql shop",
            "ssh root@prod rm -rf /data",
            "ssh -p 2222 -o BatchMode=yes prod 'cd /srv && git push --force'",
            "docker exec -it -u root web rm -rf /var/lib",
            "kubectl exec -n shop web-1 -- rm x",
            "ssh a ssh b rm x",
        ] {
            assert_eq!(judged(command).level(), RiskLevel::High, "{command}");
        }
        for command in ["psql -h prod -c 'SELECT 1 FROM t'", "ssh prod uptime", "ssh prod", "docker exec web ls"] {
            assert_eq!(judged(command).level(), RiskLevel::Medium, "{command}");
        }
        let deep = format!("{}rm x", "docker exec c ".repeat(4_000));
        assert!(judged(&deep).objections().next().is_some());
    }
}
