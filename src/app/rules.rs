//! `/rules`: what is remembered, in a list; each with all that it says, and a way to revoke it.

use super::State;
use super::event::Effect;
use super::keymap::{Command, Context};
use super::picker::Picker;
use super::row::{Pick, Row};
use crate::domain::{Pattern, Remembered, RuleEffect, RuleId, Says, Scope, number::count};

impl State {
    /// `/rules`, `/rules r3`, `/rules revoke r3`.
    pub(super) fn rules(&mut self, argument: &str, effects: &mut Vec<Effect>) -> Result<(), String> {
        let words: Vec<&str> = argument.split_whitespace().collect();
        match words.as_slice() {
            [] => self.list_rules(),
            [name] => self.show_rule(name)?,
            ["revoke", name] => {
                let id = self.rule(name)?.id().clone();
                self.revoke_rule(&id, effects);
            }
            _ => return Err("Type /rules, /rules r1 or /rules revoke r1.".to_owned()),
        }
        Ok(())
    }

    fn rule(&self, name: &str) -> Result<&Remembered, String> {
        let id = RuleId(name.to_owned());
        let found = self.queue.gate.policy().remembered.iter().find(|rule| *rule.id() == id);
        found.ok_or_else(|| format!("There is no rule {name}. /rules lists those there are."))
    }

    fn list_rules(&mut self) {
        let policy = self.queue.gate.policy();
        let mut rows: Vec<Row> = policy
            .remembered
            .iter()
            .map(|rule| {
                let label = format!("{}  {}", rule.id(), summary(rule));
                // The whole path stands where the rule is shown alone.
                let place = match rule.scope() {
                    Scope::Workspace(folder) => folder.file_name().map(|name| name.to_string_lossy().into_owned()),
                    Scope::Turn | Scope::Session | Scope::Always => None,
                };
                let held = rule.holds(place.as_deref(), policy.now);
                Row::new(&label, Pick::Line(format!("/rules {}", rule.id()))).detail(&held).known_by_ends()
            })
            .collect();
        rows.extend(policy.rules.iter().map(|rule| {
            let word = match rule.effect {
                RuleEffect::Deny => "deny",
                RuleEffect::Ask => "ask about",
                RuleEffect::Allow => "allow",
            };
            let parts: Vec<String> = rule.parts.iter().map(|(part, value)| format!("{part} {value}")).collect();
            let label = format!("{word} {} {}", rule.tool, parts.join(", "));
            Row::new(&label, Pick::Nothing).detail("from a configuration file").known_by_ends()
        }));
        let key = self.keymap.key(Context::Dialog, Command::Remember).unwrap_or_default();
        let none = format!("Nothing is remembered yet. {key} in a dialog: don't ask again.");
        self.open_picker(Picker::new("Rules", rows).of("rule").or_else(&none));
    }

    fn show_rule(&mut self, name: &str) -> Result<(), String> {
        let now = self.queue.gate.policy().now;
        let rule = self.rule(name)?;
        let says = |label: &str, detail: &str| Row::new(label, Pick::Nothing).detail(detail).known_by_ends();
        let mut rows = vec![
            Row::new("Revoke it", Pick::Line(format!("/rules revoke {name}"))).detail("it asks again"),
            says("holds", &rule.holds(None, now)),
        ];
        match rule.says() {
            Says::Deny(pattern) => {
                rows.push(says("never runs", rule.tool()));
                rows.extend(parts(pattern));
            }
            Says::Allow(lift) => {
                for (number, pattern) in lift.patterns.iter().enumerate() {
                    rows.push(says(if number == 0 { "only" } else { "and" }, rule.tool()));
                    rows.extend(parts(pattern));
                }
                rows.extend(lift.findings.iter().map(|finding| says("lifts", finding)));
                rows.extend(lift.targets.iter().map(|target| says("on", target)));
            }
        }
        let covered = self.queue.all().filter_map(|item| item.prepared.as_deref());
        let covered = covered.filter(|prepared| rule.allows(prepared, now) || rule.denies(prepared, now)).count();
        rows.push(says("covers", &format!("{} of this session", count(covered, "operation"))));
        rows.push(Row::new("Back to the rules", Pick::Line("/rules".to_owned())));
        let title = format!("Rule {name}");
        self.open_picker(Picker::new(&title, rows));
        Ok(())
    }
}

/// What a pattern names, a row for each part.
fn parts(pattern: &Pattern) -> impl Iterator<Item = Row> {
    let told = pattern.told().into_iter();
    told.map(|(part, says)| Row::new(&format!("  {part}"), Pick::Nothing).detail(&says).known_by_ends())
}

/// A rule in one line.
fn summary(rule: &Remembered) -> String {
    let (word, patterns) = match rule.says() {
        Says::Deny(pattern) => ("deny", vec![pattern.to_string()]),
        Says::Allow(lift) => ("allow", lift.patterns.iter().map(ToString::to_string).collect()),
    };
    let tool = match rule.tool() {
        "execute_command" => "command",
        "execute_sql" => "sql",
        "file_operations" => "file",
        "http_request" => "http",
        other => other,
    };
    format!("{word} {tool}: {}", patterns.join("; "))
}
