//! Keys in the system's keyring, by the platform's own tool: `secret-tool` where the Secret Service is spoken,
//! `security` on macOS. No library of ours holds the keyring open.

/// The command that prints the key of a service, first its program; none where the platform has no such tool.
pub(super) fn command(service: &str) -> Option<Vec<String>> {
    let words: &[&str] = if cfg!(target_os = "macos") {
        &["security", "find-generic-password", "-w", "-s"]
    } else if cfg!(unix) {
        &["secret-tool", "lookup", "service"]
    } else {
        return None;
    };
    Some(words.iter().chain(&[service]).map(|word| (*word).to_owned()).collect())
}

/// What a person types in a shell to put a key there.
#[must_use]
pub fn keeping(service: &str) -> String {
    if cfg!(target_os = "macos") {
        format!("security add-generic-password -s {service} -a countersign -w")
    } else {
        format!("secret-tool store --label=Countersign service {service}")
    }
}

/// Whether a text can name a service: nothing that a tool could take for an option.
pub(super) fn sound(service: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.@/ ".contains(c);
    !service.is_empty() && service.len() <= 100 && !service.starts_with('-') && service.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_one_word_of_the_command_and_no_option() {
        assert_eq!(command("openai").unwrap().last().map(String::as_str), Some("openai"));
        assert!(sound("countersign/openai") && sound("my key"));
        assert!(!sound("--version") && !sound("") && !sound("a\nb") && !sound("$(id)"));
    }
}
