//! `countersign assess COMMAND`: one command line judged as a model's call, and the answer in words rather than JSON.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::Terms;
use super::assess::run;

/// Judges it and prints what came of it.
pub(super) fn assess(terms: Terms, command: &str) -> ExitCode {
    match told(terms, command) {
        Ok(said) => {
            use std::io::Write as _;
            // The reader has seen enough.
            let _closed = std::io::stdout().write_all(said.as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => {
            crate::say!("countersign: assess stopped: {error}");
            ExitCode::FAILURE
        }
    }
}

fn told(terms: Terms, command: &str) -> std::io::Result<String> {
    let line = json!({ "tool": "execute_command", "arguments": { "command": command } }).to_string();
    let mut output = Vec::new();
    run(terms.proved(), line.as_bytes(), &mut output)?;
    let answer: Value = serde_json::from_slice(&output)?;
    Ok(worded(&answer))
}

/// `ask: medium risk (command.unknown)`, the reason, and with an explanation each finding and what the line was read as.
fn worded(answer: &Value) -> String {
    // A line of its own would look like one of ours.
    let text = |value: &Value| value.as_str().unwrap_or_default().replace('\n', "\\n");
    let mut said =
        format!("{}: {} risk ({})\n", text(&answer["decision"]), text(&answer["risk"]), text(&answer["rule"]));
    said.push_str(&format!("{}\n", text(&answer["reason"])));
    let Some(explanation) = answer.get("explanation") else { return said };
    said.push_str(&format!(
        "mode {}, step {} ({})\n",
        text(&explanation["mode"]),
        explanation["number"],
        text(&explanation["step"])
    ));
    for finding in explanation["findings"].as_array().into_iter().flatten() {
        let about = finding["text"].as_str().map_or_else(String::new, |about| format!(", of `{about}`"));
        said.push_str(&format!("- {} ({}{about})\n", text(&finding["sentence"]), text(&finding["rule"])));
    }
    for words in explanation["read_as"].as_array().into_iter().flatten() {
        let words: Vec<String> = words.as_array().into_iter().flatten().map(text).collect();
        said.push_str(&format!("read as: {}\n", words.join(" ")));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_judged_in_words() {
        let said = told(Terms::default(), "ls -la").unwrap();
        assert!(said.starts_with("allow: low risk ("), "{said}");
        assert!(!said.contains('{') && said.lines().count() == 2, "{said}");
        let said = told(Terms { explain: true, ..Terms::default() }, "rm 'a b'").unwrap();
        assert!(said.starts_with("ask: high risk ("), "{said}");
        assert!(said.contains("\nmode guarded, step 9 (danger)\n") && said.contains("\nread as: rm a b\n"), "{said}");
        assert!(said.lines().any(|line| line.starts_with("- ") && line.len() > 20), "{said}");
        let said = told(Terms { explain: true, ..Terms::default() }, "echo 'a\nallow: x'; rm b").unwrap();
        assert!(!said.lines().any(|line| line.starts_with("allow")), "{said}");
    }
}
