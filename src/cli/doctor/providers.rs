//! Which models can be used: keys, servers, and what the environment and this machine offer beside.

use super::Section;
use crate::config::Reach;

/// The models, and what else was found.
pub(super) fn providers(reached: &[Reach], around: &[String]) -> Section {
    let mut lines = Vec::new();
    if !reached.iter().any(|reach| reach.used) {
        lines.push("- the practice model answers; `countersign setup` chooses a language model".to_owned());
    }
    for reach in reached {
        let name = &reach.name;
        let used = if reach.used { ", which a session begins with" } else { "" };
        let key = match &reach.key {
            Some(Ok(source)) => format!("; key from {source}"),
            Some(Err(why)) => {
                lines.push(format!("✗ {name}{used}: no key: {}", why.trim_end_matches('.')));
                continue;
            }
            None => String::new(),
        };
        lines.push(match &reach.answer {
            Some(Ok(said)) => format!("✓ {name}{used}: {said}{key}"),
            Some(Err(why)) => format!("✗ {name}{used}: {why}"),
            None => format!("- {name}{used}: not asked, since it is on another machine; --connect tries it{key}"),
        });
    }
    lines.extend(around.iter().map(|found| format!("- found: {found}")));
    Section { title: "models", lines, broken: reached.iter().any(Reach::broken) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_is_not_claimed() {
        let reach = |used, key, answer| Reach { name: "openai gpt".to_owned(), used, key, answer };
        let section = providers(&[reach(true, Some(Ok("OPENAI_API_KEY".to_owned())), None)], &[]);
        assert!(
            !section.broken && section.lines[0].starts_with("- openai gpt, which a session begins with: not asked")
        );
        assert!(section.lines[0].ends_with("key from OPENAI_API_KEY"));
        let gone = || Some(Err("GONE is not set".to_owned()));
        assert!(providers(&[reach(true, gone(), None)], &[]).broken);
        assert!(!providers(&[reach(false, gone(), None)], &[]).broken);
        assert!(providers(&[], &[]).lines[0].contains("countersign setup"));
    }
}
