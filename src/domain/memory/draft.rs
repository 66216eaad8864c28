//! A rule while the person makes it from an operation that waits: each part can be widened or narrowed, within what may
//! stand. Every state of a draft is a sound rule.

use super::liftable::{self, may_lift};
use super::written::{ordered, shown};
use super::{Lift, Pattern, Remembered, RuleId, Says, Scope, Want, hit};
use crate::domain::{OperationKind, Origin, Prepared, RuleEffect, Shape};

/// How long a rule holds, if its scope outlives the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lasting {
    /// Until it is revoked.
    #[default]
    Forever,
    /// For an hour.
    Hour,
    /// For a day.
    Day,
    /// For thirty days.
    Month,
}

impl Lasting {
    /// Every one, in the order of the key.
    pub const ALL: [Self; 4] = [Self::Forever, Self::Hour, Self::Day, Self::Month];

    /// Seconds; none for ever.
    #[must_use]
    pub fn seconds(self) -> Option<u64> {
        match self {
            Self::Forever => None,
            Self::Hour => Some(3_600),
            Self::Day => Some(86_400),
            Self::Month => Some(30 * 86_400),
        }
    }

    /// As it is shown.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Forever => "until you revoke it",
            Self::Hour => "for 1 hour",
            Self::Day => "for 1 day",
            Self::Month => "for 30 days",
        }
    }
}

/// One part of a pattern, and what it may be, from narrow to wide.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Choice {
    part: String,
    wants: Vec<Want>,
    at: usize,
}

/// What can be chosen of a draft, in the order of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A part of one of the patterns.
    Part(usize, usize),
    /// Which part of a compound a deny rule is about.
    Which,
    /// Where it holds.
    Scope,
    /// How long.
    Lasting,
}

/// One row of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is about.
    pub setting: Setting,
    /// Its name.
    pub name: String,
    /// What it is now; not neutralised.
    pub value: String,
    /// Whether it can be narrowed, and widened.
    pub can: (bool, bool),
}

/// A rule that is being made.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    effect: RuleEffect,
    /// What it is made from.
    prepared: Box<Prepared>,
    patterns: Vec<Vec<Choice>>,
    /// The pattern that a deny rule takes.
    which: usize,
    scopes: Vec<Scope>,
    scope: usize,
    lasting: Lasting,
}

impl Draft {
    /// "Don't ask again" about an operation.
    ///
    /// # Errors
    /// In one sentence, why no rule can lift it.
    pub fn allow(prepared: &Prepared) -> Result<Self, String> {
        let assessment = &prepared.assessment;
        if matches!(
            prepared.operation.kind,
            OperationKind::Undo(_) | OperationKind::Apply(_) | OperationKind::Answer(_)
        ) || matches!(prepared.operation.origin, Origin::Program { .. })
        {
            return Err("It is asked each time: the program offered it.".to_owned());
        }
        if assessment.hits_production() {
            return Err("It hits production: that is asked each time.".to_owned());
        }
        let objections: Vec<_> = assessment.objections().collect();
        if objections.is_empty() {
            return Err("Nothing in it asks by itself, so there is nothing to remember.".to_owned());
        }
        if let Some(finding) = objections.iter().find(|finding| !may_lift(finding)) {
            return Err(format!("No rule lifts this, it is asked each time: {}", finding.sentence));
        }
        if assessment.forms.is_empty() {
            let why = match prepared.operation.kind {
                OperationKind::Sql(_) => "no rule can say all that such a statement does",
                _ => "it runs code that a rule can't see, or has too many parts for one",
            };
            return Err(format!("It is asked each time: {why}."));
        }
        let patterns: Vec<Vec<Choice>> =
            assessment.forms.iter().map(|form| allow_choices(&prepared.operation.tool, form)).collect();
        let built: Vec<Pattern> = patterns.iter().map(|choices| pattern(choices)).collect();
        let pinned = |rule: &str| liftable::pinned(&prepared.operation.tool, rule, &built);
        if let Some(finding) = objections.iter().find(|finding| !pinned(&finding.rule)) {
            return Err(format!("No rule lifts this, it is asked each time: {}", finding.sentence));
        }
        let draft = Self::of(RuleEffect::Allow, prepared, patterns);
        draft.rule(RuleId(String::new()), 0).map_err(|why| format!("It is asked each time: {why}."))?;
        Ok(draft)
    }

    /// "Never again" about an operation.
    ///
    /// # Errors
    /// In one sentence, why there is nothing to name.
    pub fn deny(prepared: &Prepared) -> Result<Self, String> {
        let shapes = &prepared.assessment.shapes;
        let named: Vec<Vec<Choice>> = shapes.iter().map(deny_choices).filter(|choices| !choices.is_empty()).collect();
        if named.is_empty() {
            return Err("It has no parts that a rule could name; deny it with n.".to_owned());
        }
        let mut draft = Self::of(RuleEffect::Deny, prepared, named);
        // What objected says which part is meant, where its finding is named after the program.
        let blamed = |choices: &Vec<Choice>| {
            let Some(Want::Is(program)) = choices.first().and_then(|choice| choice.wants.first()) else { return false };
            prepared.assessment.objections().any(|finding| finding.rule == format!("command.{program}"))
        };
        draft.which = draft.patterns.iter().position(blamed).unwrap_or(draft.patterns.len() - 1);
        Ok(draft)
    }

    /// The same at its narrowest: what is seen, and nothing else like it.
    #[must_use]
    pub fn narrowest(mut self) -> Self {
        self.patterns.iter_mut().flatten().for_each(|choice| choice.at = 0);
        self
    }

    fn of(effect: RuleEffect, prepared: &Prepared, patterns: Vec<Vec<Choice>>) -> Self {
        let here = Scope::Workspace(prepared.facts.place.workspace.clone());
        let scopes = vec![Scope::Turn, Scope::Session, here, Scope::Always];
        let prepared = Box::new(prepared.clone());
        Self { effect, prepared, patterns, which: 0, scopes, scope: 1, lasting: Lasting::default() }
    }

    /// What the rule says.
    #[must_use]
    pub fn effect(&self) -> RuleEffect {
        self.effect
    }

    /// What it is made from.
    #[must_use]
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// Where it holds.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scopes[self.scope]
    }

    /// Chooses where it holds, by its word. False for any other word.
    pub fn set_scope(&mut self, word: &str) -> bool {
        let found = self.scopes.iter().position(|scope| scope.word() == word);
        self.scope = found.unwrap_or(self.scope);
        found.is_some()
    }

    /// How long it holds, if it is kept.
    #[must_use]
    pub fn lasting(&self) -> Lasting {
        if self.scope().kept() { self.lasting } else { Lasting::Forever }
    }

    /// The rows of the screen.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        if self.effect == RuleEffect::Deny && self.patterns.len() > 1 {
            let value = format!("{} of {}", self.which + 1, self.patterns.len());
            let can = (self.which > 0, self.which + 1 < self.patterns.len());
            rows.push(Row { setting: Setting::Which, name: "part".to_owned(), value, can });
        }
        for (number, choices) in self.patterns.iter().enumerate() {
            if self.effect == RuleEffect::Deny && number != self.which {
                continue;
            }
            let has = |part: &str| choices.iter().any(|choice| choice.part == part);
            for (place, choice) in choices.iter().enumerate().filter(|(_, choice)| shown(&choice.part)) {
                rows.push(Row {
                    setting: Setting::Part(number, place),
                    name: choice.part.clone(),
                    value: choice.wants[choice.at].says(&choice.part, has),
                    can: (choice.at > 0, choice.at + 1 < choice.wants.len()),
                });
            }
        }
        let value = self.scope().says(None);
        let can = (self.scope > 0, self.scope + 1 < self.scopes.len());
        rows.push(Row { setting: Setting::Scope, name: "scope".to_owned(), value, can });
        if self.scope().kept() {
            let (name, value) = ("holds".to_owned(), self.lasting.says().to_owned());
            rows.push(Row { setting: Setting::Lasting, name, value, can: (true, true) });
        }
        rows
    }

    /// Widens or narrows what a row is about, as far as that goes.
    pub fn change(&mut self, setting: Setting, wider: bool) {
        let step = |at: usize, count: usize| {
            if wider { (at + 1).min(count.saturating_sub(1)) } else { at.saturating_sub(1) }
        };
        match setting {
            Setting::Part(number, place) => {
                let Some(choice) = self.patterns.get_mut(number).and_then(|choices| choices.get_mut(place)) else {
                    return;
                };
                let before = choice.at;
                choice.at = step(choice.at, choice.wants.len());
                // A deny rule that names nothing would deny everything.
                let open = self.effect == RuleEffect::Deny && pattern(&self.patterns[number]).is_open();
                if open {
                    self.patterns[number][place].at = before;
                }
            }
            Setting::Which => self.which = step(self.which, self.patterns.len()),
            Setting::Scope => self.scope = step(self.scope, self.scopes.len()),
            Setting::Lasting => {
                let at = Lasting::ALL.iter().position(|lasting| *lasting == self.lasting).unwrap_or(0);
                let count = Lasting::ALL.len();
                self.lasting = Lasting::ALL[(if wider { at + 1 } else { at + count - 1 }) % count];
            }
        }
    }

    /// The rule as it stands, saved at a time.
    ///
    /// # Errors
    /// In one sentence, why it may not stand.
    pub fn rule(&self, id: RuleId, saved: u64) -> Result<Remembered, String> {
        let assessment = &self.prepared.assessment;
        let says = match self.effect {
            RuleEffect::Allow => Says::Allow(Lift {
                patterns: self.patterns.iter().map(|choices| pattern(choices)).collect(),
                findings: assessment.objections().map(|finding| finding.rule.clone()).collect(),
                ceiling: assessment.level(),
                targets: hit(&self.prepared).collect(),
            }),
            RuleEffect::Deny | RuleEffect::Ask => Says::Deny(pattern(&self.patterns[self.which])),
        };
        let expires = self.lasting().seconds().map(|seconds| saved.saturating_add(seconds));
        let tool = self.prepared.operation.tool.clone();
        Remembered::new(id, tool, says, self.scope().clone(), saved, expires)
    }
}

/// The pattern that the choices come to.
fn pattern(choices: &[Choice]) -> Pattern {
    let at = |part: &str| choices.iter().find(|choice| choice.part == part).map(|choice| &choice.wants[choice.at]);
    let free = at("arguments").is_some_and(Want::is_any);
    let want = |choice: &Choice| match choice.part.as_str() {
        // A folder matters to arguments that are told by their letters, not to ones that are told by where they lead.
        "folder" if free => Want::any(),
        _ => choice.wants[choice.at].clone(),
    };
    Pattern(choices.iter().map(|choice| (choice.part.clone(), want(choice))).collect())
}

fn exactly(part: &str, value: &str) -> Choice {
    Choice { part: part.to_owned(), wants: vec![Want::Is(value.to_owned())], at: 0 }
}

/// Whether a flag holds a program back: what it does without it is another thing.
fn restrains(flag: &str) -> bool {
    const RESTRAINS: [&str; 13] = [
        "--check",
        "--confirm",
        "--diff",
        "--dry-run",
        "--interactive",
        "--just-print",
        "--no-act",
        "--no-clobber",
        "--preview",
        "--simulate",
        "--test",
        "--what-if",
        "--noop",
    ];
    let name = flag.split('=').next().unwrap_or(flag);
    let short = !name.starts_with("--") && name.chars().any(|letter| matches!(letter, 'i' | 'I' | 'n' | 's' | 't'));
    short || RESTRAINS.contains(&name)
}

/// What each part of a form may be in an allow rule.
fn allow_choices(tool: &str, form: &Shape) -> Vec<Choice> {
    let has = |part: &str| form.0.contains_key(part);
    let mut choices: Vec<Choice> = Vec::new();
    for part in ordered(form.0.keys()) {
        let value = form.0[part].as_str();
        let mut choice = exactly(part, value);
        match (tool, part) {
            ("execute_command", "program" | "flags" | "subcommand") if has("clean") => choice.wants.push(Want::any()),
            // Fewer of them must not be more than was seen: without `-i` or `--dry-run` it does what nobody looked at.
            ("execute_command", "flags") if !value.is_empty() && !value.split_whitespace().any(restrains) => {
                choice.wants.push(Want::Among { among: value.split_whitespace().map(str::to_owned).collect() });
            }
            ("execute_command", "arguments" | "redirect") if has("place") || has("free") || has("clean") => {
                choice.wants.push(Want::any());
                choice.at = 1;
            }
            ("file_operations", "path" | "destination") => choice.wants.extend(folders(value)),
            ("search_files" | "find_files", "path") => {
                choice.wants.push(Want::Within { within: value.to_owned() });
                choice.at = 1;
            }
            ("http_request", "path") => choice.wants.extend(segments(value)),
            _ => {}
        }
        choices.push(choice);
    }
    // A clean part is free as a whole: what it does beyond reading would be a finding.
    if has("clean") {
        for choice in choices.iter_mut().filter(|choice| matches!(choice.part.as_str(), "flags" | "subcommand")) {
            choice.at = choice.wants.len() - 1;
        }
    }
    choices
}

/// What each part of a shape may be in a deny rule: itself or anything, of a path its folders between them. What says
/// which program, table, file or address is meant begins as itself.
fn deny_choices(shape: &Shape) -> Vec<Choice> {
    const NARROW: [&str; 11] = [
        "program",
        "subcommand",
        "connection",
        "statement",
        "table",
        "host",
        "method",
        "operation",
        "redirect",
        "path",
        "destination",
    ];
    let choices = ordered(shape.0.keys()).into_iter().map(|part| {
        let value = shape.0[part].as_str();
        let mut choice = exactly(part, value);
        match part {
            "path" if shape.0.contains_key("host") => choice.wants.extend(segments(value)),
            "path" | "destination" => choice.wants.extend(folders(value)),
            _ => {}
        }
        choice.wants.push(Want::any());
        choice.at = if NARROW.contains(&part) || shape.0.len() == 1 { 0 } else { choice.wants.len() - 1 };
        choice
    });
    let mut choices: Vec<Choice> = choices.collect();
    if pattern(&choices).is_open() {
        for choice in &mut choices {
            choice.at = 0;
        }
    }
    choices
}

/// The folders of a path, from the nearest, up to the second of the root: a rule about `/home` would be one about
/// anything.
fn folders(path: &str) -> Vec<Want> {
    let mut folders = Vec::new();
    let mut rest = path;
    while let Some((folder, _)) = rest.rsplit_once('/') {
        if folder.matches('/').count() < 2 {
            break;
        }
        folders.push(Want::Within { within: folder.to_owned() });
        rest = folder;
    }
    folders.truncate(8);
    folders
}

/// The beginnings of a URL's path, from the longest, the whole last.
fn segments(path: &str) -> Vec<Want> {
    let mut found = Vec::new();
    let mut rest = path;
    while let Some((folder, _)) = rest.rsplit_once('/') {
        found.push(Want::Within { within: if folder.is_empty() { "/".to_owned() } else { folder.to_owned() } });
        rest = folder;
    }
    found.truncate(8);
    found
}
