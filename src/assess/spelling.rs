//! The spellings of a path: what `~`, `$HOME`, `..`, `file://`, quotes and percent signs come to. Text alone,
//! no files: links are resolved by local reading, into `Facts`.

use crate::domain::Place;

/// The home folder where none is known.
const SOME_HOME: &str = "/home/~";

/// Every absolute path that a spelling may stand for, without `.`, `..` and doubled slashes. At least one.
pub(super) fn absolute(path: &str, place: &Place) -> Vec<String> {
    let mut found = Vec::new();
    let mut texts = vec![unquoted(path).to_owned()];
    // Decoded at most twice: nothing that reads a path decodes more often.
    for round in 0..2 {
        if let Some(decoded) = texts.get(round).and_then(|text| percent_decoded(text)) {
            texts.push(decoded);
        }
    }
    // Some write the backslash of other systems where a slash is meant.
    texts.extend(texts.clone().iter().filter(|text| text.contains('\\')).map(|text| text.replace('\\', "/")));
    for text in &texts {
        let plain = file_url(text).unwrap_or(text);
        let rooted = rooted(plain, place);
        push(&mut found, join(&rooted));
        // How far `..` climbs depends on a folder that we may not know: assume that it reaches the root.
        if let Some(rest) = climbed(plain) {
            push(&mut found, join(rest));
        }
    }
    let reached: Vec<String> = found.iter().filter_map(|path| through_process(path)).collect();
    found.extend(reached);
    found
}

/// Whether `path` is `folder` or below it. Both absolute and without `..`.
pub(super) fn within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The home folder as text.
pub(super) fn home(place: &Place) -> String {
    place.home.as_ref().map_or_else(|| SOME_HOME.to_owned(), |home| join(&home.to_string_lossy()))
}

/// An absolute path without `.`, `..`, empty parts and a trailing slash.
pub(super) fn join(path: &str) -> String {
    let mut joined = String::with_capacity(path.len() + 1);
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => joined.truncate(joined.rfind('/').unwrap_or(0)),
            part => {
                joined.push('/');
                joined.push_str(part);
            }
        }
    }
    if joined.is_empty() {
        joined.push('/');
    }
    joined
}

fn push(found: &mut Vec<String>, path: String) {
    if !found.contains(&path) {
        found.push(path);
    }
}

/// Without one pair of quotes around it.
fn unquoted(text: &str) -> &str {
    ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(text)
}

/// The path of a `file:` URL, whatever its host.
fn file_url(text: &str) -> Option<&str> {
    let rest = text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")).and(text.get(5..))?;
    match rest.strip_prefix("//") {
        Some(after) => Some(after.find('/').map_or("/", |slash| &after[slash..])),
        None => Some(rest),
    }
}

/// The text with `%2e` and the like decoded, if that changes it.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = hex.filter(|_| bytes[at] == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        decoded.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    let decoded = String::from_utf8_lossy(&decoded).into_owned();
    (decoded != text).then_some(decoded)
}

/// The path with its start resolved: home folders, the working folder.
pub(super) fn rooted(text: &str, place: &Place) -> String {
    if let Some(resolved) = variable(text, place) {
        return resolved;
    }
    match text.strip_prefix('~') {
        Some(rest) => {
            let (user, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            match user {
                "" => home(place) + rest,
                "root" => format!("/root{rest}"),
                "+" | "-" => format!("{}/{rest}", place.cwd.display()),
                user => format!("/home/{user}{rest}"),
            }
        }
        None if text.starts_with('/') => text.to_owned(),
        None => format!("{}/{text}", place.cwd.display()),
    }
}

/// A path that begins with a variable whose value is known.
fn variable(text: &str, place: &Place) -> Option<String> {
    let text = text.strip_prefix('$')?;
    let (name, rest) = match text.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => text.split_at(text.find('/').unwrap_or(text.len())),
    };
    let value = match name {
        "HOME" => home(place),
        "XDG_CONFIG_HOME" => format!("{}/.config", home(place)),
        "XDG_DATA_HOME" => format!("{}/.local/share", home(place)),
        "PWD" => place.cwd.to_string_lossy().into_owned(),
        _ => return None,
    };
    (rest.is_empty() || rest.starts_with('/')).then(|| value + rest)
}

/// What follows the leading `..` parts of a relative path.
fn climbed(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches("./");
    let before = rest.len();
    while let Some(after) = rest.strip_prefix("../") {
        rest = after.trim_start_matches(['/']).trim_start_matches("./");
    }
    (rest.len() != before).then_some(rest)
}

/// The path behind `/proc/<pid>/root` or `/proc/<pid>/cwd`, which are other doors to the same files.
fn through_process(path: &str) -> Option<String> {
    let rest = path.strip_prefix("/proc/")?;
    let mut parts = rest.splitn(3, '/');
    let (_process, door, behind) = (parts.next()?, parts.next()?, parts.next()?);
    matches!(door, "root" | "cwd").then(|| join(behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place { cwd: "/home/ann/work".into(), workspace: "/home/ann/work".into(), home: Some("/home/ann".into()) }
    }

    #[test]
    fn every_spelling_comes_to_the_same_path() {
        for spelling in [
            "~/.netrc",
            "$HOME/.netrc",
            "${HOME}//.netrc",
            "../.netrc",
            "./x/../../.netrc/",
            "'/home/ann/.netrc'",
            "file:///home/ann/.netrc",
            "FILE://localhost/home/ann/%2enetrc",
            "%252e./.netrc",
            "/proc/self/root/home/ann/.netrc",
            "..\\.netrc",
            "C:\\..\\..\\.netrc",
        ] {
            assert!(absolute(spelling, &place()).contains(&"/home/ann/.netrc".to_owned()), "{spelling}");
        }
    }

    #[test]
    fn climbing_may_reach_the_root() {
        assert!(absolute("../../etc/hosts", &Place::default()).contains(&"/etc/hosts".to_owned()));
        assert!(absolute("../.././../etc/hosts", &place()).contains(&"/etc/hosts".to_owned()));
    }

    #[test]
    fn odd_text_does_not_fail() {
        for odd in ["", "%", "%2", "~", "$HOME", "file:", "file://", "\u{202e}", "%ff%fe", "é%"] {
            assert!(!absolute(odd, &place()).is_empty(), "{odd}");
        }
    }

    #[test]
    fn within_compares_whole_names() {
        assert!(within("/a/b", "/a") && within("/a", "/a/") && within("/a", "/"));
        assert!(!within("/ab", "/a"));
    }
}
