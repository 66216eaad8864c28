//! Of what a file may be a copy, by its name: an editor's, one that was kept before a change, a packed one, one of a series.
//! What is sensitive stays so under such a name.

/// Endings of copies that hardly any other file has: editors' and people's.
const KEPT: [&str; 8] = ["bak", "old", "orig", "save", "backup", "swp", "swo", "swn"];
/// Endings that others have, too.
const SHARED: [&str; 12] = ["copy", "tmp", "txt", "gz", "bz2", "xz", "zst", "zip", "br", "lz4", "lzma", "z"];
/// Fewest digits of a date that no dot stands before: `-1` belongs to a name.
const DATE: usize = 8;

/// Steps that are looked up each. Of a longer way only the end is, too: a text may be of endings alone.
const STEPS: usize = 8;

/// The paths of which another may be a copy, each a copy of the next: of `key.pem.old.gz`, `key.pem.old` and `key.pem`.
pub(super) fn originals(path: &str) -> impl Iterator<Item = String> {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, _)| path.split_at(folder.len() + 1));
    let mut names = std::iter::successors(original(name), |name| original(name));
    let mut looked_up: Vec<&str> = names.by_ref().take(STEPS).collect();
    looked_up.extend(names.last());
    looked_up.into_iter().map(move |name| format!("{folder}{name}"))
}

/// Whether what is `left` of a pattern still says what it means: `*.key` of `*.key.gz` does, and `.en*`. What `*s.txt` and
/// `access*.gz` leave would point at half the list. An ending that tells of a copy says it by itself.
pub(super) fn telling(pattern: &str, left: &str) -> bool {
    let name = left.rsplit('/').next().unwrap_or_default();
    let kept = |(_, ending): (&str, &str)| KEPT.iter().any(|end| ending.eq_ignore_ascii_case(end));
    let open = |text: &str| text.contains(['*', '?', '[', '{']);
    pattern.ends_with(['~', '#'])
        || pattern.rsplit_once('.').is_some_and(kept)
        || !open(name)
        || name.starts_with('.')
        || name.rsplit_once('.').is_some_and(|(_, ending)| !open(ending))
}

/// The name without what one copy added: `key.pem~`, `.key.pem.swp`, `#key.pem#`, `key.pem.bak`, `key.pem.1`, `key.pem.gz`.
fn original(name: &str) -> Option<&str> {
    let copied = if let Some(name) = name.strip_suffix('~') {
        name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '~').trim_end_matches('.')
    } else if let Some(name) = name.strip_prefix('#').and_then(|name| name.strip_suffix('#')) {
        name
    } else if let Some(name) = name.strip_prefix(".#") {
        name
    } else {
        without_ending(name).or_else(|| without_number(name))?
    };
    (!copied.is_empty()).then_some(copied)
}

fn without_ending(name: &str) -> Option<&str> {
    let (rest, ending) = name.rsplit_once('.')?;
    let end = KEPT.iter().chain(&SHARED).find(|end| ending.eq_ignore_ascii_case(end))?;
    Some(if end.starts_with("sw") { rest.strip_prefix('.').unwrap_or(rest) } else { rest })
}

/// Without the number of a copy, or its date: `.1`, `.2024-01-01`, `-20240101`.
fn without_number(name: &str) -> Option<&str> {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '_');
    let digits = name.bytes().skip(rest.len()).filter(u8::is_ascii_digit).count();
    match rest.strip_suffix('.') {
        Some(rest) if digits > 0 => Some(rest),
        None if digits >= DATE && !name.as_bytes()[rest.len()].is_ascii_digit() => Some(rest),
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_copy_is_of_is_told_step_by_step() {
        let of = |path: &str| originals(path).collect::<Vec<_>>();
        assert_eq!(of("a/key.pem.old.GZ"), ["a/key.pem.old", "a/key.pem"]);
        assert_eq!(of(".env-20240101.1.xz"), [".env-20240101.1", ".env-20240101", ".env"]);
        assert_eq!(of("x/.key.pem.swp"), ["x/key.pem"]);
        assert_eq!(of("key.pem.~1~"), ["key.pem"]);
        assert_eq!(of("passwords.txt.gz"), ["passwords.txt", "passwords"]);
        assert_eq!(of(".netrc.2024-01-01"), [".netrc"]);
        let long = of(&format!("key.pem{}", ".gz".repeat(20_000)));
        assert_eq!((long.len(), long.last().map(String::as_str)), (STEPS + 1, Some("key.pem")));
        for path in ["a/", "", ".gz", "~", "key-1", "20240101", "v1.2.x", ".env.example", "a.b/c", "key20240101"] {
            assert!(of(path).is_empty(), "{path}: {:?}", of(path));
        }
    }
}
