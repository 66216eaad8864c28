//! The settings as text for `countersign config show`: in the file's own form, secrets masked.

use toml::{Table, Value};

use super::{KeySource, ModelSettings, Settings};
use crate::domain::Amount;

impl Settings {
    /// What holds now, in the form of the configuration file. Passwords in URLs are masked; keys were never
    /// in it.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut top = Table::new();
        top.insert("mode".to_owned(), self.mode.word().into());
        top.insert("catastrophes".to_owned(), if self.catastrophes_ask { "ask" } else { "deny" }.into());
        if let Some(name) = &self.default_connection {
            top.insert("default_connection".to_owned(), name.as_str().into());
        }
        if let Some(theme) = &self.theme {
            top.insert("theme".to_owned(), theme.as_str().into());
        }
        if let Some(keymap) = &self.keymap {
            top.insert("keymap".to_owned(), keymap.display().to_string().into());
        }
        if let Some(notify) = self.notify {
            top.insert("notify".to_owned(), notify.word().into());
        }
        top.insert("sensitive".to_owned(), list(&self.sensitive));
        top.insert("hosts".to_owned(), list(&self.hosts));
        top.insert("staged_hosts".to_owned(), list(&self.staged_hosts));
        let mut production = Table::new();
        production.insert("patterns".to_owned(), list(&self.production.patterns));
        production.insert("protected_branches".to_owned(), list(&self.production.branches));
        top.insert("production".to_owned(), production.into());
        let mut limits = Table::new();
        limits.insert("time_limit".to_owned(), number(self.limits.time_limit));
        limits.insert("output".to_owned(), number(self.limits.output));
        limits.insert("calls".to_owned(), number(self.limits.calls));
        limits.insert("minutes".to_owned(), number(self.limits.minutes));
        limits.extend(self.limits.tokens.map(|tokens| ("tokens".to_owned(), number(tokens))));
        limits.extend(self.limits.cost.map(|most| ("cost".to_owned(), amount(most))));
        limits.insert("kept_output".to_owned(), number(self.limits.kept_output));
        top.insert("limits".to_owned(), limits.into());
        let mut journal = Table::new();
        journal.insert("keep_days".to_owned(), number(self.retention.days.unwrap_or(0)));
        top.insert("journal".to_owned(), journal.into());
        if let Some(model) = &self.provider {
            top.insert("provider".to_owned(), model_table(model).into());
        }
        let models: Table = self.models.iter().map(|(name, model)| (name.clone(), model_table(model).into())).collect();
        let connections: Table = self
            .connections
            .iter()
            .map(|(name, connection)| {
                let mut table = Table::new();
                table.insert("url".to_owned(), connection.url.shown().into());
                if let Some(url) = &connection.read_url {
                    table.insert("read_url".to_owned(), url.shown().into());
                }
                if connection.local_results {
                    table.insert("results".to_owned(), "local".into());
                }
                (name.clone(), table.into())
            })
            .collect();
        let rules: Vec<Value> = self.rules.iter().filter_map(|rule| Value::try_from(rule).ok()).collect();
        for (key, value, empty) in [
            ("models", Value::Table(models), self.models.is_empty()),
            ("connections", Value::Table(connections), self.connections.is_empty()),
            ("rules", Value::Array(rules), self.rules.is_empty()),
        ] {
            if !empty {
                top.insert(key.to_owned(), value);
            }
        }
        toml::to_string_pretty(&top).unwrap_or_default()
    }
}

fn model_table(model: &ModelSettings) -> Table {
    let mut table = Table::new();
    table.insert("kind".to_owned(), model.kind.word().into());
    if let Some(url) = &model.base_url {
        table.insert("base_url".to_owned(), super::mask_url(url).into());
    }
    if let Some(name) = &model.model {
        table.insert("model".to_owned(), name.as_str().into());
    }
    match &model.key {
        KeySource::Usual => {}
        KeySource::Variable(name) => {
            table.insert("key_env".to_owned(), name.as_str().into());
        }
        KeySource::Command(words) => {
            // Its arguments may be a secret themselves.
            table.insert("key_command".to_owned(), list(words.iter().take(1).map(String::as_str).chain(["…"])));
        }
        KeySource::Keyring(service) => {
            table.insert("key_keyring".to_owned(), service.as_str().into());
        }
    }
    table.extend(model.context.map(|tokens| ("context".to_owned(), number(tokens))));
    if let Some(prices) = model.prices {
        table.insert("price_in".to_owned(), amount(prices.input));
        table.insert("price_out".to_owned(), amount(prices.output));
    }
    table
}

fn list<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Value {
    texts.into_iter().map(|text| Value::from(text.as_ref())).collect::<Vec<_>>().into()
}

#[allow(clippy::cast_precision_loss)] // six places of what a person wrote
fn amount(amount: Amount) -> Value {
    (amount.0 as f64 / 1e6).into()
}

fn number(value: u64) -> Value {
    i64::try_from(value).unwrap_or(i64::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::super::{ProviderName, UrlSource};
    use super::*;

    #[test]
    fn what_is_shown_is_masked_and_in_the_files_form() {
        let mut settings = Settings::default();
        let url = "postgres://ann:hunter2@db.example/shop".to_owned();
        settings.connections.insert("shop".to_owned(), UrlSource::Url(url.into()).into());
        let words = ["pass", "show", "hunter2"].map(ToOwned::to_owned).to_vec();
        let key = KeySource::Command(words);
        settings.provider = Some(ModelSettings { key, ..ModelSettings::of(ProviderName::openai()) });
        let shown = settings.shown();
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(shown.contains("postgres://ann:***@db.example/shop") && shown.contains("[limits]"), "{shown}");
        assert!(shown.parse::<Table>().is_ok());
    }
}
