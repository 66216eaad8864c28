//! The person's own programs, by the variables that name them.

use super::Environment;

/// The person's editor: `$VISUAL`, `$EDITOR` or `vi`, with its options.
#[must_use]
pub fn chosen_editor(environment: Environment<'_>) -> String {
    chosen(environment, &["VISUAL", "EDITOR"], "vi")
}

/// The person's pager: `$PAGER` or `less`, with its options.
#[must_use]
pub fn chosen_pager(environment: Environment<'_>) -> String {
    chosen(environment, &["PAGER"], "less")
}

fn chosen(environment: Environment<'_>, variables: &[&str], usual: &str) -> String {
    let set = variables.iter().copied().filter_map(environment);
    set.map(|value| value.trim().to_owned()).find(|value| !value.is_empty()).unwrap_or_else(|| usual.to_owned())
}
