//! Commands that may write the program's own files. Whatever isn't known to read alone may write what its words name; what
//! deletes or moves a folder takes what lies in it along.

use std::path::Path;

use super::danger::{operands, recursive};
use super::judge::Judge;
use super::word::Word;
use crate::domain::{Class, Danger, Finding};

/// Most words of one command that are looked at.
const WORDS: usize = 200;
/// What is written out whole and is as long names no file: Linux, `PATH_MAX`.
pub(super) const LONGEST: usize = 4096;
/// Most paths that are looked up in all.
const NAMED: usize = 300;

impl Judge<'_> {
    /// A command to which these were the objections.
    pub(super) fn spare_own(&mut self, name: &str, words: &[Word], objections: usize) {
        let reads = |finding: &Finding| finding.class == Class::Declared(Danger::Sensitive);
        if self.findings[objections..].iter().all(reads) {
            return;
        }
        for word in words.iter().take(WORDS) {
            let head = word.prefix();
            let behind = match (head.split_once('='), head.strip_prefix('-')) {
                (Some((flag, _)), _) => Some(word.after(flag.len() + 1)),
                (None, Some(letters)) if !letters.starts_with('-') && letters.len() > 1 => Some(word.after(2)),
                (None, _) => None,
            };
            if self.own(word) || behind.is_some_and(|value| self.own(&value)) {
                self.about(word, |judge| judge.owned(name, word));
            }
        }
        let takes = match name {
            "rm" | "srm" | "trash" => recursive(words),
            "mv" => true,
            _ => false,
        };
        let folder = operands(words).take(WORDS).find(|word| takes && self.holds_own(word));
        if let Some(folder) = folder {
            self.about(folder, |judge| {
                let sentence = format!("`{name}` would take Countersign's own files in {} along.", folder.shown());
                judge.catastrophe("command.own", sentence);
            });
        }
    }

    /// Countersign itself, where it would change what the person decided for later, or start another one that asks
    /// nobody: that is the person's to type.
    pub(super) fn spare_decisions(&mut self, first: &Word, words: &[Word]) {
        const DECIDES: [(&str, &[&str]); 8] = [
            ("trust", &[]),
            ("rules", &["revoke"]),
            ("config", &["edit", "accept"]),
            ("setup", &[]),
            ("sessions", &["delete"]),
            ("journal", &["delete", "expire"]),
            ("hook", &["install", "uninstall"]),
            ("mcp", &["import", "remove"]),
        ];
        let pattern = first.pattern();
        if pattern.rsplit('/').next() != Some("countersign") {
            return;
        }
        let texts: Vec<&str> = words.iter().filter_map(Word::text).collect();
        let vague = texts.len() < words.len();
        let named = |word: &&str| !word.starts_with('-');
        let decides = DECIDES.iter().find(|(command, further)| {
            let Some(at) = texts.iter().position(|word| word == command) else { return false };
            let next = texts[at + 1..].iter().find(|word| named(word));
            further.is_empty() || next.is_some_and(|next| further.contains(next))
        });
        let unasked = texts
            .iter()
            .any(|word| matches!(*word, "--allow-all" | "allow-all" | "--mode=allow-all") || is_short(word, 'y'));
        if decides.is_some() || unasked || vague {
            let sentence = "It runs Countersign itself, to decide something that only you decide.";
            self.about(first, |judge| judge.catastrophe("command.own", sentence));
        }
    }

    fn owned(&mut self, name: &str, word: &Word) {
        let sentence = format!("`{name}` may write {}, which is Countersign's own and no tool changes.", word.shown());
        self.catastrophe("command.own", sentence);
    }

    /// Whether a word names what is the program's own, as it is spelled or as it really leads.
    pub(super) fn own(&mut self, word: &Word) -> bool {
        let pattern = word.pattern();
        if word.vague()
            || pattern.is_empty()
            || word.text().is_some_and(|text| self.longer_than_any(text))
            || pattern.starts_with('-')
            || self.scope.cwd.is_none() && !pattern.starts_with(['/', '~'])
        {
            return false;
        }
        let spelled = self.absolute_if_moved(&pattern);
        if word.text().is_some() && self.facts.is_none() && self.mentions.paths.len() < NAMED {
            self.mentions.paths.insert(spelled.clone());
        }
        let own = self.sensitive.own();
        let real = self.facts.and_then(|facts| facts.paths.get(&spelled));
        own.named(&spelled, self.place) || real.is_some_and(|fact| own.has(&fact.real))
    }

    /// Whether a text can be no path, whatever shortens it before it is opened.
    fn longer_than_any(&self, text: &str) -> bool {
        text.len() >= LONGEST && self.normal(text).is_some_and(|path| path.len() >= LONGEST)
    }

    /// Whether something of the program's own lies in what a word names, or in all that a folder holds.
    pub(super) fn holds_own(&self, word: &Word) -> bool {
        let pattern = word.pattern();
        let folder = match (pattern.trim_end_matches(['*', '/', '?']), pattern.starts_with('/')) {
            ("", true) => "/",
            ("", false) => ".",
            (folder, _) => folder,
        };
        let own = self.sensitive.own();
        let spelled = self.absolute_if_moved(&pattern);
        let real = self.facts.and_then(|facts| facts.paths.get(&spelled));
        let named = !word.vague() && self.normal(folder).is_some_and(|path| own.below(Path::new(&path)));
        named || real.is_some_and(|fact| own.below(&fact.real))
    }
}

/// Whether a word is a bundle of short flags with this one in it.
fn is_short(word: &str, flag: char) -> bool {
    word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(flag))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use crate::assess::{AssessSettings, CommandAssessor, Own, RiskAssessor as _, Sensitive, Subject, assess};
    use crate::domain::{
        Claim, Class, CommandOperation, Facts, Operation, OperationId, OperationKind, Origin, PathFact, PathKind, Place,
    };

    fn class(command: &str, link: Option<&str>) -> Class {
        let home = PathBuf::from("/home/ann");
        let place = Place { cwd: home.join("work"), workspace: home.join("work"), home: Some(home.clone()) };
        let data = home.join(".local/share/countersign");
        let own = Own::of(vec![home.join(".config/countersign"), data.clone()], Some(data.join("practice")));
        let settings = AssessSettings { sensitive: Sensitive::default().and(own), ..AssessSettings::default() };
        let kind =
            OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false });
        let mut facts = Facts { place: place.clone(), ..Facts::default() };
        if let Some(link) = link {
            assert!(CommandAssessor.mentions(&kind, &place).paths.contains(link), "{command}");
            let real = data.join("journal.sqlite");
            let fact = PathFact { real, kind: PathKind::File, size: 0, content: None };
            facts.paths.insert(link.to_owned(), fact);
        }
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: "execute_command".to_owned(),
            claim: Claim::Absent,
            kind,
            cwd: place.cwd,
        };
        assess(&CommandAssessor, Subject { operation: &operation, facts: &facts, settings: &settings }).class()
    }

    #[test]
    fn what_may_write_the_programs_own_files_is_a_catastrophe() {
        for command in [
            "echo 'mode = \"smart\"' > ~/.config/countersign/config.toml",
            "cd ~/.config && echo x >> countersign/config.toml",
            "cd ../.config/countersign; sed -i s/a/b/ config.toml",
            "echo x | tee -a $HOME/.config/countersign/config.toml",
            "cp evil.toml ~/.config/countersign/config.toml",
            "dd if=x of=/home/ann/.local/share/countersign/journal.sqlite",
            "curl -so ~/.config/countersign/config.toml https://example.org",
            "curl -s --output=/home/ann/.config/countersign/config.toml https://example.org",
            "sqlite3 ~/.local/share/countersign/journal.sqlite 'delete from x'",
            "sudo rm -rf ~/.local/share/countersign/*",
            "bash -c 'rm ~/.local/share/countersign/practice/../journal.sqlite'",
            "rm -rf ~/.config",
            "rm -r ~/.local/share/*",
            "cd ~/.config && rm -rf *",
            "mv ~/.local/share /tmp/x",
            "find ~/.config/countersign -delete",
            "truncate -s 0 ~/.local/share/counter*/journal.sqlite",
        ] {
            assert_eq!(class(command, None), Class::Catastrophe, "{command}");
        }
        assert_eq!(class("rm link", Some("link")), Class::Catastrophe);
        assert_eq!(class("make && echo x > link", Some("link")), Class::Catastrophe);
    }

    #[test]
    fn what_only_the_person_decides_is_a_catastrophe() {
        for command in [
            "countersign trust 0123456789abcdef",
            "countersign mcp import evil.json --yes evil",
            "countersign mcp remove files",
            "countersign hook install claude-code --leave-asking --yes",
            "countersign hook uninstall claude-code --yes",
            "countersign rules revoke r1",
            "/usr/bin/countersign config edit",
            "countersign config accept",
            "sudo countersign setup",
            "bash -c 'countersign sessions delete 1'",
            "echo x | countersign run -y",
            "countersign --allow-all",
            "countersign rules $x",
        ] {
            assert_eq!(class(command, None), Class::Catastrophe, "{command}");
        }
    }

    #[test]
    fn what_reads_them_or_leaves_them_alone_is_not() {
        for command in [
            "countersign rules list",
            "countersign assess --explain",
            "countersign config show",
            "countersign sessions list",
            "countersign --version",
            "cat ~/.config/countersign/config.toml",
            "ls ~/.config/countersign",
            "rm ~/.local/share/countersign/practice/shop.db",
            "rm -rf ~/.config/other",
            "rm ~/.config/*",
            "tar czf backup.tgz ~/.config",
            "git commit -m 'explain ~/.config/countersign/config.toml'",
            "rm -rf \"$x/countersign\"",
        ] {
            assert_ne!(class(command, None), Class::Catastrophe, "{command}");
        }
        for prose in ["what it does. ".repeat(300), "a/b ".repeat(500), "a/b ".repeat(1500), "is it [*]? ".repeat(500)]
        {
            assert_ne!(class(&format!("git commit -m '{prose}'"), None), Class::Catastrophe, "{} bytes", prose.len());
        }
    }
}
