//! `rules.toml`: the rules that outlive a session. Rules are numbered by the file, so that two programs at once give no
//! name twice.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{MemoryError, file};
use crate::domain::{Lift, Pattern, Remembered, RiskLevel, RuleId, Says, Scope};
use crate::private::{Touched, lock};

/// Version of the file that this program writes.
const VERSION: u32 = 1;
/// What stands above the rules.
const HEAD: &str = "# What you told Countersign to remember. `countersign rules` lists, tests and revokes.\n";

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    version: u32,
    /// The highest number that was given.
    #[serde(default)]
    last: u64,
    #[serde(default)]
    rules: Vec<Entry>,
}

/// One rule as the file has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: RuleId,
    effect: Word,
    tool: String,
    /// Where it holds; everywhere without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workspace: Option<PathBuf>,
    /// Seconds since 1970.
    saved: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    lifts: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ceiling: Option<RiskLevel>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    targets: BTreeSet<String>,
    #[serde(rename = "match")]
    patterns: Vec<Pattern>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Allow,
    Deny,
}

impl Entry {
    fn of(rule: &Remembered) -> Self {
        let (effect, lifts, ceiling, targets, patterns) = match rule.says() {
            Says::Deny(pattern) => (Word::Deny, BTreeSet::new(), None, BTreeSet::new(), vec![pattern.clone()]),
            Says::Allow(lift) => {
                (Word::Allow, lift.findings.clone(), Some(lift.ceiling), lift.targets.clone(), lift.patterns.clone())
            }
        };
        let workspace = match rule.scope() {
            Scope::Workspace(folder) => Some(folder.clone()),
            Scope::Turn | Scope::Session | Scope::Always => None,
        };
        Self {
            id: rule.id().clone(),
            effect,
            tool: rule.tool().to_owned(),
            workspace,
            saved: rule.saved(),
            expires: rule.expires(),
            lifts,
            ceiling,
            targets,
            patterns,
        }
    }

    fn rule(self) -> Result<Remembered, String> {
        let id = self.id.clone();
        let broken = |why: &str| format!("rule {id}: {why}");
        let says = match (self.effect, self.ceiling, self.patterns.as_slice()) {
            (Word::Deny, None, [pattern]) if self.lifts.is_empty() => Says::Deny(pattern.clone()),
            (Word::Deny, ..) => return Err(broken("a deny rule has one match, and lifts nothing")),
            (Word::Allow, Some(ceiling), _) => {
                Says::Allow(Lift { patterns: self.patterns, findings: self.lifts, ceiling, targets: self.targets })
            }
            (Word::Allow, None, _) => return Err(broken("an allow rule needs its ceiling")),
        };
        let scope = self.workspace.map_or(Scope::Always, Scope::Workspace);
        Remembered::new(self.id, self.tool, says, scope, self.saved, self.expires).map_err(|why| broken(&why))
    }
}

/// The file of remembered rules.
#[derive(Clone, Debug)]
pub struct Rules {
    path: PathBuf,
}

impl Rules {
    /// The one in a data folder.
    #[must_use]
    pub fn at(data: &Path) -> Self {
        Self { path: data.join("rules.toml") }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every rule that is kept, and what is wrong with the file. If anything is, no allow rule of it counts.
    #[must_use]
    pub fn load(&self) -> (Vec<Remembered>, Vec<String>) {
        let loaded = self.look();
        if loaded.1.is_empty() {
            return loaded;
        }
        // Between a write and its record it looks as if something else had written it.
        let _nobody_writes = lock(&self.path.with_extension("lock"));
        self.look()
    }

    fn look(&self) -> (Vec<Remembered>, Vec<String>) {
        let (read, mut problems) = match file::read(&self.path).and_then(|text| self.page(&text)) {
            Ok(page) => (page.rules, Vec::new()),
            Err(error) => (Vec::new(), vec![error.to_string()]),
        };
        let data = self.path.parent().unwrap_or(Path::new("."));
        problems.extend(Touched::at(data).why_not(&self.path).map(|why| format!("{}: {why}", self.path.display())));
        let mut rules = Vec::new();
        for entry in read {
            match entry.rule() {
                Ok(rule) => rules.push(rule),
                Err(why) => problems.push(format!("{}: {why}", self.path.display())),
            }
        }
        if !problems.is_empty() {
            rules.retain(|rule| matches!(rule.says(), Says::Deny(_)));
        }
        (rules, problems)
    }

    /// Keeps a rule, under a number of the file's own.
    ///
    /// # Errors
    /// The file can't be read or written, or is broken: then it is left as it is.
    pub fn save(&self, rule: Remembered) -> Result<Remembered, MemoryError> {
        file::change(&self.path, |text| {
            let mut page = self.page(text)?;
            page.last += 1;
            let rule = rule.named(RuleId(format!("r{}", page.last)));
            page.rules.push(Entry::of(&rule));
            Ok((written(&page)?, rule))
        })
    }

    /// Takes a rule out. False if there is none of that name.
    ///
    /// # Errors
    /// As for [`Rules::save`].
    pub fn revoke(&self, id: &RuleId) -> Result<bool, MemoryError> {
        file::change(&self.path, |text| {
            let mut page = self.page(text)?;
            let before = page.rules.len();
            page.rules.retain(|entry| entry.id != *id);
            Ok((written(&page)?, page.rules.len() < before))
        })
    }

    fn page(&self, text: &str) -> Result<Page, MemoryError> {
        if text.trim().is_empty() {
            return Ok(Page { version: VERSION, ..Page::default() });
        }
        let broken = |why: String| MemoryError::Broken(format!("{}: {why}", self.path.display()));
        let page: Page = toml::from_str(text).map_err(|error| broken(error.message().to_owned()))?;
        if page.version != VERSION {
            return Err(broken(format!("it is of version {}, and this program knows {VERSION}", page.version)));
        }
        Ok(page)
    }
}

fn written(page: &Page) -> Result<String, MemoryError> {
    let text = toml::to_string_pretty(page).map_err(|error| MemoryError::Broken(error.to_string()))?;
    Ok(format!("{HEAD}{text}"))
}
