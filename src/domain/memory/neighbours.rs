//! Dangerous operations next to one that a rule is made from: the same with another flag, elsewhere, without its
//! condition, with something behind it. Each is put to the rule itself, so that what the screen says of it is true.

use super::{Draft, RuleId, Says};
use crate::domain::{Class, Danger, Finding, Prepared, RuleEffect, Shape};

/// An operation that wasn't asked for, and whether the rule would let it run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// In a few words; not neutralised.
    pub says: String,
    /// Whether the rule covers it.
    pub covered: bool,
}

impl Draft {
    /// A few dangerous neighbours of what an allow rule is made from. A deny rule has none.
    #[must_use]
    pub fn neighbours(&self) -> Vec<Neighbour> {
        let (RuleEffect::Allow, Ok(rule)) = (self.effect(), self.rule(RuleId(String::new()), 0)) else {
            return Vec::new();
        };
        let Says::Allow(_) = rule.says() else { return Vec::new() };
        neighbours(self.prepared())
            .into_iter()
            .map(|(says, neighbour)| Neighbour { covered: rule.allows(&neighbour, 0), says })
            .collect()
    }

    /// How many of these operations the rule would cover, and the first of them.
    #[must_use]
    pub fn covered<'a>(&self, among: impl IntoIterator<Item = &'a Prepared>) -> (usize, Option<&'a Prepared>) {
        let Ok(rule) = self.rule(RuleId(String::new()), 0) else { return (0, None) };
        let mut found =
            among.into_iter().filter(|prepared| rule.allows(prepared, 0) || rule.denies(prepared, 0)).peekable();
        let first = found.peek().copied();
        (found.count(), first)
    }
}

fn neighbours(of: &Prepared) -> Vec<(String, Prepared)> {
    match of.operation.tool.as_str() {
        "execute_command" => commands(of),
        "execute_sql" => statements(of),
        "http_request" => requests(of),
        "file_operations" => files(of),
        _ => Vec::new(),
    }
}

/// The same with a part of every form changed.
fn changed(of: &Prepared, part: &str, value: &str) -> Prepared {
    let mut other = of.clone();
    for form in other.assessment.forms.iter_mut().filter(|form| form.0.contains_key(part)) {
        form.0.insert(part.to_owned(), value.to_owned());
    }
    other
}

/// The same with its objections under another name, or with one more.
fn found(mut of: Prepared, instead: bool, finding: Finding) -> Prepared {
    if instead {
        of.assessment.findings.retain(|finding| finding.class == Class::Whitelisted);
    }
    of.assessment.findings.push(finding);
    of
}

fn danger(rule: &str, danger: Danger) -> Finding {
    Finding::new(rule, Class::Declared(danger), String::new())
}

fn commands(of: &Prepared) -> Vec<(String, Prepared)> {
    let mut list = Vec::new();
    let Some(first) = of.assessment.forms.iter().position(|form| !form.0.contains_key("clean")) else { return list };
    let form = &of.assessment.forms[first];
    if let Some(program) = form.0.get("program") {
        let words = [Some(program), form.0.get("subcommand")].into_iter().flatten().map(String::as_str);
        let name = words.collect::<Vec<_>>().join(" ");
        let more = |part: &str| format!("{} --force", form.0.get(part).map_or("", String::as_str)).trim().to_owned();
        let mut forced = of.clone();
        for part in ["flags", "arguments"] {
            forced.assessment.forms[first].0.insert(part.to_owned(), more(part));
        }
        list.push((format!("{name} --force …"), forced));
        let mut elsewhere = of.clone();
        let parts = &mut elsewhere.assessment.forms[first].0;
        parts.remove("place");
        parts.insert("arguments".to_owned(), "/etc/hosts".to_owned());
        list.push((format!("{name} /etc/hosts"), elsewhere));
    } else if form.0.contains_key("redirect") {
        let mut elsewhere = of.clone();
        let parts = &mut elsewhere.assessment.forms[first].0;
        parts.remove("place");
        parts.insert("redirect".to_owned(), "/etc/hosts".to_owned());
        list.push(("… > /etc/hosts".to_owned(), elsewhere));
    }
    let mut followed = found(of.clone(), false, danger("command.rm", Danger::Destructive));
    followed.assessment.forms.push(Shape::new([("program", "rm"), ("flags", "-r -f"), ("arguments", "-rf src")]));
    list.push(("… && rm -rf src".to_owned(), followed));
    let secret = found(of.clone(), false, danger("command.sensitive", Danger::Sensitive));
    list.push(("… with .env in it".to_owned(), secret));
    list
}

fn statements(of: &Prepared) -> Vec<(String, Prepared)> {
    let mut list = Vec::new();
    let Some(form) = of.assessment.forms.first() else { return list };
    let part = |name: &str| form.0.get(name).map_or("", String::as_str);
    let (verb, table) = (part("statement").to_uppercase(), part("table"));
    list.push((format!("{verb} of another table"), changed(of, "table", "another_table")));
    if part("where") == "yes" {
        // As it is: the rule can't tell one condition from another.
        list.push((format!("{verb} {table} with any WHERE, up to half of it"), of.clone()));
        let rule = format!("sql.{}-without-where", part("statement"));
        let all = found(changed(of, "where", "no"), true, danger(&rule, Danger::Destructive));
        list.push((format!("{verb} {table} without WHERE"), all));
    }
    let dropped = found(changed(of, "statement", "drop"), true, danger("sql.drop", Danger::Destructive));
    list.push((format!("DROP TABLE {table}"), dropped));
    list.push((format!("{verb} {table} on another connection"), changed(of, "connection", "another connection")));
    list
}

fn requests(of: &Prepared) -> Vec<(String, Prepared)> {
    let Some(form) = of.assessment.forms.first() else { return Vec::new() };
    let part = |name: &str| form.0.get(name).map_or("", String::as_str);
    let method = part("method");
    let mut list = vec![
        (format!("{method} to another host"), changed(of, "host", "another.example")),
        (format!("{method} of another path, /admin"), changed(of, "path", "/admin")),
    ];
    if method != "DELETE" {
        let deletes = found(changed(of, "method", "DELETE"), true, danger("http.delete", Danger::Destructive));
        list.push(("DELETE of the same".to_owned(), deletes));
    }
    let secret = found(of.clone(), false, danger("http.secret", Danger::Sensitive));
    list.push((format!("{method} that carries a secret"), secret));
    list
}

fn files(of: &Prepared) -> Vec<(String, Prepared)> {
    let Some(form) = of.assessment.forms.first() else { return Vec::new() };
    let part = |name: &str| form.0.get(name).map_or("", String::as_str);
    let verb = part("operation");
    let mut list = Vec::new();
    if verb != "delete" {
        let deletes = found(changed(of, "operation", "delete"), true, danger("file.delete", Danger::Destructive));
        list.push(("delete of the same file".to_owned(), deletes));
    }
    let outside = found(changed(of, "path", "/etc/hosts"), false, danger("file.outside", Danger::Destructive));
    list.push((format!("{verb} /etc/hosts"), outside));
    let later = found(of.clone(), false, danger("file.run-later", Danger::Destructive));
    list.push((format!("{verb} of a file that others run, such as Makefile"), later));
    let secret = found(of.clone(), false, danger("file.sensitive", Danger::Sensitive));
    list.push((format!("{verb} .env"), secret));
    list
}
