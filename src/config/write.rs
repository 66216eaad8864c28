//! Writes what the first start chose into the configuration file, and leaves everything else in it as it was, comments
//! among it. Never writes a key. A file with a mistake is left alone: nobody knows what it was to say.

use toml_edit::{DocumentMut, Item, Table, value};

use super::{Folders, KeySource, ModelSettings, Settings, file};
use crate::domain::ApprovalMode;
use crate::private::{Rights, Touched, replace};

/// What a new file begins with.
const NEW: &str = r#"# Configuration of Countersign. `countersign setup` asks for these lines again and keeps the others;
# `countersign config edit` opens the file, `countersign config check` says what is wrong in it.

# What runs unasked: "strict" (nothing), "guarded" (what is clearly read-only), "smart" (what the model itself calls
# low risk, too).
mode = "guarded"

# The model. A key is never kept here: key_env names a variable, key_command a program, key_keyring an entry of the
# system's keyring.
[provider]
kind = "practice"
"#;

impl Folders {
    /// Puts mode and model into the configuration file, making it if there is none. A model that is configured already
    /// stays as it is written, with its context and its prices.
    ///
    /// # Errors
    /// It can't be written, or holds mistakes; in one sentence.
    pub fn write_choice(&self, model: &ModelSettings, mode: ApprovalMode) -> Result<(), String> {
        let touched = Touched::at(&self.data);
        if let Some(why) = touched.why_not(&self.config) {
            return Err(format!("{}: {why}.", self.config.display()));
        }
        let text = file::read(&self.config).map_err(|problem| problem.to_string())?;
        let (now, problems) = Settings::parse(text.as_deref().unwrap_or_default(), self);
        if let Some(problem) = problems.first() {
            return Err(format!("Mend the configuration first, with `countersign config edit`: {problem}"));
        }
        let kept = now.provider.filter(|configured| {
            ModelSettings { context: configured.context, prices: configured.prices, ..model.clone() } == *configured
        });
        let mut document: DocumentMut = text
            .as_deref()
            .unwrap_or(NEW)
            .parse()
            .map_err(|error| format!("{} can't be read as TOML: {error}", self.config.display()))?;
        set(document.as_table_mut(), "mode", Some(value(mode.word())));
        if kept.is_none() {
            put(&mut document, model);
        }
        let model = kept.as_ref().unwrap_or(model);
        let written = document.to_string();
        // What was written must mean what was chosen.
        let (settings, problems) = Settings::parse(&written, self);
        if !problems.is_empty() || settings.mode != mode || settings.provider.as_ref() != Some(model) {
            let why = problems.first().map(ToString::to_string).unwrap_or_default();
            return Err(format!("This can't be written to {}. {why}", self.config.display()));
        }
        touched
            .write(&self.config, written.as_bytes(), Rights::Kept)
            .map_err(|error| format!("{} can't be written ({error})", self.config.display()))
    }

    /// Makes the configuration file of the example, if there is none; then it can be edited.
    ///
    /// # Errors
    /// It can't be made.
    pub fn make_config(&self, example: &str) -> std::io::Result<()> {
        if self.config.exists() { Ok(()) } else { replace(&self.config, example.as_bytes(), Rights::Kept) }
    }
}

fn put(document: &mut DocumentMut, model: &ModelSettings) {
    // The model that the file named by name would win over the one that was chosen now.
    unset(document.as_table_mut(), "model");
    if document.get("provider").and_then(Item::as_table_like).is_none() {
        document.insert("provider", Item::Table(Table::new()));
    }
    if let Some(inline) = document.get("provider").and_then(Item::as_inline_table).cloned() {
        document.insert("provider", Item::Table(inline.into_table()));
    }
    let Some(table) = document.get_mut("provider").and_then(Item::as_table_mut) else { return };
    let same = table.get("kind").and_then(Item::as_str) == Some(model.kind.word());
    set(table, "kind", Some(value(model.kind.word())));
    set(table, "base_url", model.base_url.as_deref().map(value));
    set(table, "model", model.model.as_deref().map(value));
    let mut key = [None, None, None];
    match &model.key {
        KeySource::Usual => {}
        KeySource::Variable(name) => key[0] = Some(value(name.as_str())),
        KeySource::Command(words) => {
            key[1] = Some(value(words.iter().map(String::as_str).collect::<toml_edit::Array>()));
        }
        KeySource::Keyring(service) => key[2] = Some(value(service.as_str())),
    }
    for (name, item) in ["key_env", "key_command", "key_keyring"].into_iter().zip(key) {
        set(table, name, item);
    }
    if !same || model.context.is_none() {
        unset(table, "context");
    }
    if !same || model.prices.is_none() {
        unset(table, "price_in");
        unset(table, "price_out");
    }
}

/// Sets a value in its place with the comments around it, or takes the line away.
fn set(table: &mut Table, key: &str, item: Option<Item>) {
    let Some(item) = item else { return unset(table, key) };
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            if let Ok(mut new) = item.into_value() {
                *new.decor_mut() = decor;
                *old = new;
            }
        }
        None => drop(table.insert(key, item)),
    }
}

/// Takes a line away. Comments above it stay, above what follows.
fn unset(table: &mut Table, key: &str) {
    let Some(place) = table.iter().position(|(name, _)| name == key) else { return };
    let Some((gone, _)) = table.remove_entry(key) else { return };
    let comments = gone.leaf_decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
    if !comments.contains('#') {
        return;
    }
    if let Some((mut next, _)) = table.iter_mut().skip(place).find(|(_, item)| item.is_value()) {
        let decor = next.leaf_decor_mut();
        let before = decor.prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
        decor.set_prefix(format!("{comments}{before}"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::ProviderName;
    use super::*;
    use std::path::Path;

    fn folders(folder: &Path) -> Folders {
        let data = folder.join("data");
        Folders {
            config: folder.join("deep/config.toml"),
            config_named: false,
            state: data.clone(),
            data,
            data_named: true,
            home: None,
        }
    }

    fn model(word: &str, model: Option<&str>, key: KeySource) -> ModelSettings {
        let model = model.map(str::to_owned);
        ModelSettings { model, key, ..ModelSettings::of(ProviderName::named(word).unwrap()) }
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_the_persons_alone_and_says_what_was_chosen() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let folders = folders(folder.path());
        let chosen = model("openrouter", Some("a/b"), KeySource::Keyring("router".to_owned()));
        folders.write_choice(&chosen, ApprovalMode::Smart).unwrap();
        let text = std::fs::read_to_string(&folders.config).unwrap();
        assert!(text.contains("mode = \"smart\"") && text.contains("key_keyring = \"router\""), "{text}");
        assert!(text.contains("# What runs unasked") && text.contains("# The model. A key is never kept here"));
        let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((rights(&folders.config), rights(folders.config.parent().unwrap())), (0o600, 0o700));
        let left = std::fs::read_dir(folders.config.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "nothing else is left behind");
    }

    #[test]
    fn comments_and_everything_else_in_the_file_stay() {
        let folder = tempfile::tempdir().unwrap();
        let folders = folders(folder.path());
        let before = "# mine\nmode = \"strict\" # for now\n\n# the small one is enough\nmodel = \"small\"\ntheme = \"light\"\n\n\
            [models.small]\nkind = \"ollama\" # at home\n\n[provider] # work\nkind = \"openai\"\n# asked every time\nkey_env = \"TEAM_KEY\"\n\
            model = \"gpt\"\n\n[[rules]]\neffect = \"deny\"\ntool = \"execute_command\"\nmatch = { program = \"git\" } # never\n";
        std::fs::create_dir(folders.config.parent().unwrap()).unwrap();
        std::fs::write(&folders.config, before).unwrap();
        folders.write_choice(&model("anthropic", Some("claude-x"), KeySource::Usual), ApprovalMode::Guarded).unwrap();
        let text = std::fs::read_to_string(&folders.config).unwrap();
        for kept in [
            "# mine\nmode = \"guarded\" # for now\n",
            "# the small one is enough\n",
            "theme = \"light\"\n",
            "[models.small]\nkind = \"ollama\" # at home\n",
            "[provider] # work\nkind = \"anthropic\"\n",
            "# asked every time\n",
            "model = \"claude-x\"\n",
            "match = { program = \"git\" } # never\n",
        ] {
            assert!(text.contains(kept), "{kept:?} is missing:\n{text}");
        }
        assert!(!text.contains("TEAM_KEY") && !text.contains("model = \"small\""), "{text}");
    }

    #[test]
    fn a_model_that_is_configured_already_stays_as_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let folders = folders(folder.path());
        let before = "mode = \"guarded\"\nmodel = \"small\"\n\n[models.small]\nkind = \"ollama\"\nmodel = \"qwen3\"\n\
            context = 9000\nprice_in = 0.1\nprice_out = 0.2\n";
        std::fs::create_dir(folders.config.parent().unwrap()).unwrap();
        std::fs::write(&folders.config, before).unwrap();
        folders.write_choice(&model("ollama", Some("qwen3"), KeySource::Usual), ApprovalMode::Smart).unwrap();
        let text = std::fs::read_to_string(&folders.config).unwrap();
        assert_eq!(text, before.replace("guarded", "smart"));
    }

    #[test]
    fn a_file_with_a_mistake_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folders = folders(folder.path());
        std::fs::create_dir(folders.config.parent().unwrap()).unwrap();
        for broken in ["moed = 'smart'", "mode = "] {
            std::fs::write(&folders.config, broken).unwrap();
            let why =
                folders.write_choice(&model("ollama", None, KeySource::Usual), ApprovalMode::Guarded).unwrap_err();
            assert!(why.starts_with("Mend the configuration first"), "{why}");
            assert_eq!(std::fs::read_to_string(&folders.config).unwrap(), broken);
        }
    }
}
