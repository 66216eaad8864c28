//! Here-documents that the parser sees where bash has none, or begins too early. Its tokenizer keeps one list of those that
//! are open for a text and all that is nested in it: behind `<<END` it loses what a substitution on the same line says, it
//! takes the first end of a line within `<(…)` for the end of the command, and it takes the shift of `((…))` and a `<<` in
//! `${…}` for one, so that the lines behind are text to it and commands to bash. `parse` refuses such texts.

use brush_parser::Token;

use super::brackets::{Letters, lead};

/// What may not stand behind a here-document's sign on its line.
const OPENERS: [&str; 8] = ["$(", "${", "$[", "((", "`", "<(", ">(", "\\\n"];

/// How a sum begins.
const SUMS: [&str; 2] = ["((", "$["];

/// Says why a text with `<<` can't be read as bash reads it.
pub(super) fn told_apart(text: &str, tokens: &[Token]) -> Result<(), String> {
    let refused = |what: &str| Err(format!("It has {what} beside a here-document, which may be read in two ways."));
    if !text.contains("<<") {
        return Ok(());
    }
    if within_braces(text) {
        return Err("It has `<<` within `${…}`, which may be read in two ways.".to_owned());
    }
    let letters = Letters::of(text);
    let mut open: Vec<usize> = Vec::new();
    // The body and the last line of a here-document follow its sign and its word.
    let mut bodies = 0..0;
    for (at, token) in tokens.iter().enumerate() {
        let place = token.location();
        match token {
            Token::Operator(sign, _) => match sign.as_str() {
                "(" => open.push(at),
                ")" => _ = open.pop(),
                "<<" | "<<-" => {
                    let edge = |at: usize| tokens[at].location().end.index;
                    let sum = open.windows(2).find(|pair| edge(pair[0]) + 1 == edge(pair[1]));
                    if let Some(pair) = sum {
                        // It shifts, unless a sum before it ended what the parser takes for arithmetic.
                        if SUMS.iter().any(|sum| letters.between(edge(pair[1]), place.start.index).contains(sum)) {
                            return refused("arithmetic");
                        }
                        continue;
                    }
                    let behind = letters.between(place.end.index, usize::MAX);
                    let line = behind.split_inclusive('\n').next().unwrap_or_default();
                    if OPENERS.iter().any(|opener| line.contains(opener)) {
                        return refused("an expansion");
                    }
                    if ['"', '\''].iter().any(|quote| line.matches(*quote).count() % 2 == 1) {
                        return refused("a quote that goes on in the next line");
                    }
                    bodies = at + 2..at + 4;
                }
                _ => {}
            },
            Token::Word(..) if bodies.contains(&at) => {}
            Token::Word(word, _) => {
                let written = letters.between(place.start.index, place.end.index);
                let written = &written[lead(written).len()..];
                if spaced(word) != spaced(written) {
                    return refused("a word");
                }
                // A sum within another ends the outer one for the parser.
                let sums = SUMS.iter().map(|sum| written.matches(sum).count()).sum::<usize>();
                if sums > 1 && written.contains("<<") && !written.contains("<<<") {
                    return refused("arithmetic");
                }
            }
        }
    }
    Ok(())
}

/// A text with one blank or end of a line for each run of them: what is nested in a word has others to the parser.
fn spaced(text: &str) -> String {
    let mut spaced = String::new();
    for c in text.replace("\\\n", "").chars() {
        match c {
            '\n' => {
                spaced.truncate(spaced.trim_end().len());
                spaced.push('\n');
            }
            ' ' | '\t' if spaced.ends_with([' ', '\n']) => {}
            ' ' | '\t' => spaced.push(' '),
            c => spaced.push(c),
        }
    }
    spaced.truncate(spaced.trim_end().len());
    spaced
}

/// Whether `<<` stands within some `${…}`.
fn within_braces(text: &str) -> bool {
    text.match_indices("${").any(|(at, _)| {
        let mut depth = 0_usize;
        let end = text[at..].find(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0 && c == '}'
        });
        let inside = end.map_or(&text[at..], |end| &text[at..at + end]);
        inside.replace("<<<", "").contains("<<")
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allowed, asks};

    #[test]
    fn what_bash_runs_beside_a_here_document_is_not_passed_over() {
        for command in [
            "cat <<'EOF' && echo \"$(touch x)\"\nhello\nEOF\n",
            "cat <<EOF; ls $(touch x)\na\nEOF\n",
            "cat <<EOF | grep `touch x`\na\nEOF\n",
            "(cat <<-EOF; for i in $(touch x); do echo a; done)\na\nEOF\n",
            "cat <<E; cat <(echo a\ntouch x\n)\nE\n)",
            "cat <<E | cat - <(ls\ntouch x\n)\nE\n)",
            "cat <<E; ls >(cat\ntouch x\n)\nE\n)",
            "echo \"${x:-a <<E b}\"; ls\ntouch x\nE\n",
            "echo ${x%<<E }\ntouch x\nE\n",
            "echo \"${x:1 << 2 }\"\ntouch x\n2\n",
            "echo $(echo ${x%<<E }\n)\ntouch x\nE\n)",
            "(( $((1)) << 2 ))\ntouch x\n2\n",
            "(( ((1)) << 2 ))\ntouch x\n2\n",
            "(( $[1] << 2 ))\ntouch x\n2\n",
            "for (( i=((0)); i<<1; )); do break; done\ntouch x\n1\n",
            "if (( $((1)) << 2 )); then ls; fi\ntouch x\n2\n",
            "echo $(( $((1)) << 2 ))\ntouch x\n2\n",
            "cat <<E \"a\nE\ntouch x\n\"",
            "cat <<E \\\n| cat\nE\ntouch x\n",
        ] {
            asks(command);
        }
    }

    #[test]
    fn plain_here_documents_are_read_as_ever() {
        for command in [
            "cat <<'EOF'\n$(touch x) ${a} it's `x` ((\nEOF\n",
            "cat <<EOF | grep -v '^#' | sort\na $(date +%F) b\nEOF\n",
            "grep x <<'A' && cat <<-B\na\nA\n\tb\nB\n",
            "echo $((1 << 4)); (( 1 << 2 )) && echo yes",
            "wc -l <<< \"$(ls)\"",
        ] {
            allowed(command);
        }
    }
}
