//! The contexts that clients of clusters and daemons would use. Their files hold credentials: of each, only the name
//! of the context and its namespace is taken, and everything else is forgotten at once.

use std::path::Path;

use serde_json::Value;

use super::small;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;
/// Longest name that counts as one.
const LONGEST: usize = 200;

/// The context of a cluster's client, the named one or that in force, and its namespace.
pub(super) fn cluster(file: Option<&Path>, named: Option<String>) -> (Option<String>, Option<String>) {
    let Some(text) = file.and_then(|file| small(file, LARGEST)) else { return (named, None) };
    let read: Box<dyn Kubeconfig> = match serde_json::from_str::<Value>(&text) {
        Ok(value) => Box::new(value),
        Err(_) => Box::new(Lines(&text)),
    };
    let Some(context) = named.or_else(|| read.current()) else { return (None, None) };
    let namespace = read.namespace(&context);
    (Some(context), namespace)
}

/// The two things that are read of a cluster's configuration.
trait Kubeconfig {
    fn current(&self) -> Option<String>;
    fn namespace(&self, context: &str) -> Option<String>;
}

impl Kubeconfig for Value {
    fn current(&self) -> Option<String> {
        name(self.get("current-context")?.as_str()?)
    }

    fn namespace(&self, context: &str) -> Option<String> {
        let contexts = self.get("contexts")?.as_array()?;
        let entry = contexts.iter().find(|entry| entry.get("name").and_then(Self::as_str) == Some(context))?;
        name(entry.get("context")?.get("namespace")?.as_str()?)
    }
}

/// The file as clients write it: a key a line, the entries of a list behind dashes.
struct Lines<'t>(&'t str);

impl Kubeconfig for Lines<'_> {
    fn current(&self) -> Option<String> {
        self.0.lines().filter_map(|line| line.strip_prefix("current-context:")).find_map(name)
    }

    fn namespace(&self, context: &str) -> Option<String> {
        let inside = |line: &&str| line.starts_with([' ', '-', '#']) || line.trim().is_empty();
        let entries = self.0.lines().skip_while(|line| line.trim_end() != "contexts:").skip(1).take_while(inside);
        let (mut named, mut namespace) = (false, None);
        for line in entries {
            let key = line.trim_start();
            if key.starts_with("- ") {
                if named {
                    break;
                }
                namespace = None;
            }
            let key = key.trim_start_matches("- ").trim_start();
            if let Some(value) = key.strip_prefix("namespace:") {
                namespace = name(value);
            } else if let Some(value) = key.strip_prefix("name:") {
                named = name(value).as_deref() == Some(context);
            }
        }
        namespace.filter(|_| named)
    }
}

/// A name as it is written after its key, with or without quotes.
fn name(value: &str) -> Option<String> {
    let value = value.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    let name = quoted.unwrap_or_else(|| value.split(" #").next().unwrap_or_default().trim_end());
    (!name.is_empty() && name.len() <= LONGEST).then(|| name.to_owned())
}

/// Docker's context in force.
pub(super) fn docker(file: Option<&Path>) -> String {
    let chosen = file.and_then(|file| small(file, LARGEST)).and_then(|text| {
        let value = serde_json::from_str::<Value>(&text).ok()?;
        name(value.get("currentContext")?.as_str()?)
    });
    chosen.unwrap_or_else(|| "default".to_owned())
}

/// The workspace of Terraform that is selected in a folder.
pub(super) fn terraform(folder: &Path) -> String {
    let chosen = small(&folder.join(".terraform/environment"), 4_096).and_then(|text| name(&text));
    chosen.unwrap_or_else(|| "default".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "apiVersion: v1\nclusters:\n- cluster:\n    server: https://k.example\n  name: c\ncontexts:\n\
        - context:\n    cluster: c\n    namespace: shop\n    user: u\n  name: prod-eu\n- context:\n    cluster: c\n\
        \x20   user: u\n  name: staging\ncurrent-context: \"prod-eu\"\nkind: Config\nusers:\n- name: u\n  user:\n\
        \x20   token: hunter2\n";

    #[test]
    fn only_the_context_and_its_namespace_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        let known = |name: &str| Some(name.to_owned());
        std::fs::write(&file, CONFIG).unwrap();
        assert_eq!(cluster(Some(&file), None), (known("prod-eu"), known("shop")));
        assert_eq!(cluster(Some(&file), known("staging")), (known("staging"), None));
        assert_eq!(cluster(None, known("staging")), (known("staging"), None));
        let json = r#"{"current-context":"a","contexts":[{"name":"a","context":{"namespace":"n"}}]}"#;
        std::fs::write(&file, json).unwrap();
        assert_eq!(cluster(Some(&file), None), (known("a"), known("n")));
        for odd in
            ["", "current-context:\n", "current-context: ''\n", "\u{0}", "{\"current-context\":5}", "contexts:\n"]
        {
            std::fs::write(&file, odd).unwrap();
            assert_eq!(cluster(Some(&file), None), (None, None), "{odd:?}");
        }
        assert_eq!(cluster(Some(folder.path()), None), (None, None));
    }

    #[test]
    fn docker_and_terraform_have_a_default() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.json");
        assert_eq!(docker(Some(&file)), "default");
        std::fs::write(&file, r#"{"auths":{"x":{"auth":"hunter2"}},"currentContext":"remote"}"#).unwrap();
        assert_eq!(docker(Some(&file)), "remote");
        assert_eq!(terraform(folder.path()), "default");
        std::fs::create_dir(folder.path().join(".terraform")).unwrap();
        std::fs::write(folder.path().join(".terraform/environment"), "prod\n").unwrap();
        assert_eq!(terraform(folder.path()), "prod");
    }
}
