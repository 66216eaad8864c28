//! The name that a misspelt one was probably meant to be.

/// Letters of the longest word that is compared.
const LONGEST: usize = 100;

/// The one of `valid` that `word` was probably meant to be.
#[must_use]
pub fn nearest<'a>(word: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = word.chars().count();
    let allowed = (letters / 3).max(1);
    // It takes time and memory by the product of both lengths.
    if letters > LONGEST {
        return None;
    }
    valid
        .into_iter()
        .filter(|name| name.len() <= 4 * LONGEST)
        .map(|name| (strsim::damerau_levenshtein(&word.to_lowercase(), &name.to_lowercase()), name))
        // Of two that are as near, letters changed places rather than being left out.
        .min_by_key(|(distance, name)| (*distance, name.chars().count().abs_diff(letters)))
        .filter(|(distance, _)| *distance <= allowed)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(nearest("moed", ["mode", "model"]), Some("mode"));
        assert_eq!(nearest("catastrophies", ["catastrophes", "connections"]), Some("catastrophes"));
        assert_eq!(nearest("modle", ["mode", "model"]), Some("model"));
        assert_eq!(nearest("colour", ["mode", "rules"]), None);
    }
}
