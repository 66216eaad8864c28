//! What bash ignores: more blanks, comments, and quotes around what needs none.

use super::Change;
use super::Promise::Same;

/// The changes.
pub fn changes() -> Vec<Change> {
    let blanks = |name: &str, blank: &'static str| Change::new(name, Same, move |line| spaced(line, blank));
    let quoted = |name: &str, quote: fn(&str) -> String, first: bool| {
        Change::new(name, Same, move |line| requoted(line, quote, first))
    };
    let single: fn(&str) -> String = |word| format!("'{word}'");
    let double: fn(&str) -> String = |word| format!("\"{word}\"");
    let escaped: fn(&str) -> String = |word| format!("\\{word}");
    let ansi: fn(&str) -> String = |word| format!("$'{word}'");
    let empty: fn(&str) -> String = |word| format!("{word}''");
    let split: fn(&str) -> String = |word| format!("{}\"{}\"", &word[..1], &word[1..]);
    let late: fn(&str) -> String = |word| format!("{}\\{}", &word[..word.len() - 1], &word[word.len() - 1..]);
    let hex: fn(&str) -> String = |word| {
        let bytes: Vec<String> = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("$'{}'", bytes.concat())
    };
    let mut changes = vec![
        blanks("two blanks", "  "),
        blanks("a tab", "\t"),
        blanks("a continued line", " \\\n "),
        Change::new("blanks around", Same, |line| ends(line).then(|| format!(" \t{line}  "))),
        Change::new("lines around", Same, |line| ends(line).then(|| format!("\n\n{line}\n\n"))),
        Change::new("a comment before", Same, |line| Some(format!("# it's \"a\" comment\n{line}"))),
        Change::new("a comment behind", Same, |line| last(line).then(|| format!("{line} # it's a `comment"))),
        Change::new("a semicolon behind", Same, |line| last(line).then(|| format!("{line};"))),
        Change::new("no blanks at operators", Same, |line| {
            plain(line).then(|| line.replace(" | ", "|").replace(" && ", "&&").replace(" || ", "||").replace("; ", ";"))
        }),
    ];
    let kinds = [
        ("'…'", single),
        ("\"…\"", double),
        ("\\…", escaped),
        ("$'…'", ansi),
        ("…''", empty),
        ("a\"…\"", split),
        ("…\\z", late),
        ("$'\\x…'", hex),
    ];
    for (name, quote) in kinds {
        changes.push(quoted(&format!("{name} around the program"), quote, true));
        changes.push(quoted(&format!("{name} around the words"), quote, false));
    }
    changes
}

/// Whether a line ends where its text ends.
fn ends(line: &str) -> bool {
    !line.ends_with('\\') && !line.contains("<<")
}

/// Whether its last character is the end of a command.
fn last(line: &str) -> bool {
    ends(line) && !line.contains(['#', '\n', '`']) && !line.trim_end().ends_with([';', '&', '|'])
}

/// Whether nothing in a line is quoted or expanded, so that each blank parts words.
fn plain(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./=:,@%+-|&;<> ".contains(&byte))
}

/// The places of the blanks that part words; none where that would take a shell to tell.
fn gaps(line: &str) -> Option<Vec<usize>> {
    if line.contains(['`', '#', '\n', '\t', '(']) || line.contains("<<") || line.contains("$'") || line.contains("[[") {
        return None;
    }
    let (mut gaps, mut quote, mut escaped) = (Vec::new(), None, false);
    for (place, sign) in line.char_indices() {
        match (quote, sign) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), sign) if open == sign => quote = None,
            // A blank in an expansion isn't one between words.
            (None, '{' | '}') => return None,
            (None, ' ') => gaps.push(place),
            _ => {}
        }
    }
    (quote.is_none() && !escaped && !gaps.is_empty()).then_some(gaps)
}

/// The line with other blanks between its words.
fn spaced(line: &str, blank: &str) -> Option<String> {
    let mut spaced = line.to_owned();
    for place in gaps(line)?.into_iter().rev() {
        spaced.replace_range(place..=place, blank);
    }
    Some(spaced)
}

/// The line with its plain words quoted: only those that are programs, or all others.
fn requoted(line: &str, quote: fn(&str) -> String, first: bool) -> Option<String> {
    const RESERVED: &str = "if then else elif fi while until for do done case esac in function time ! { } [[ ]] select \
        coproc export declare typeset local readonly alias";
    let mut begins = true;
    let words = line.split(' ').map(|word| {
        let operator = ["|", "||", "&&", ";", "&"].contains(&word);
        let program = std::mem::replace(&mut begins, operator) && !operator;
        let quotable =
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./:,@%+-".contains(&byte));
        begins |= word.ends_with([';', '|', '&']);
        if quotable && program == first { quote(word) } else { word.to_owned() }
    });
    let fits = plain(line) && !line.split(' ').any(|word| RESERVED.split_whitespace().any(|reserved| reserved == word));
    fits.then(|| words.collect::<Vec<_>>().join(" "))
}
