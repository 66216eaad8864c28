//! The command line that goes on with a session here: the options that it was started with, as far as they name what it
//! works on. Secrets are left out, as it is printed.

use secrecy::ExposeSecret as _;

use super::arguments::Options;

/// The whole command.
pub(super) fn command(options: &Options) -> String {
    let mut words = vec!["countersign".to_owned()];
    let mut with = |option: &str, value: &str| words.push(format!("{option} {}", word(value)));
    for database in &options.databases {
        with("--db", open(database.expose_secret()));
    }
    if let Some(provider) = options.provider {
        with("--provider", provider.word());
    }
    for (option, value) in [("--base-url", &options.base_url), ("--model", &options.model)] {
        if let Some(value) = value {
            with(option, open(value));
        }
    }
    for (option, path) in [("--workspace", &options.workspace), ("--config", &options.config)] {
        if let Some(path) = path {
            with(option, &path.to_string_lossy());
        }
    }
    words.push("--continue".to_owned());
    words.join(" ")
}

/// An address that may hold a password or a token stands for itself by its sort alone.
fn open(value: &str) -> &str {
    let secret = value.contains("://") && value.contains(['@', '?']);
    if secret { "URL" } else { value }
}

/// A word as a shell takes it for one.
fn word(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./+@%,:=~".contains(c);
    if !value.is_empty() && value.chars().all(plain) && !value.starts_with('~') {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn what_a_session_works_on_is_named_again_and_no_secret_is() {
        let again = |line: &[&str]| command(&Line::parse_from([&["countersign"][..], line].concat()).options);
        assert_eq!(again(&[]), "countersign --continue");
        assert_eq!(again(&["--resume", "abc", "--linear", "-y"]), "countersign --continue", "nor what runs unasked");
        assert_eq!(
            again(&["--db", "my shop.sqlite", "--db", "postgres://ann:secret@h/shop", "--model", "m:1"]),
            "countersign --db 'my shop.sqlite' --db URL --model m:1 --continue"
        );
        assert_eq!(
            again(&["--base-url", "http://127.0.0.1:8080/v1", "--workspace", "it's"]),
            r"countersign --base-url http://127.0.0.1:8080/v1 --workspace 'it'\''s' --continue"
        );
    }
}
