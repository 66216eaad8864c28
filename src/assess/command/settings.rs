//! Variables that a script sets: those that steer programs, unless to a value that makes them run nothing: no pager,
//! no colours, no questions.

use super::dialect::of_a_shell;
use super::judge::Judge;
use super::steering::{obeyed_variable, steering_variable};
use super::word::Word;
use crate::domain::Shell;

/// Variables that name a pager, which may be none, or one that only prints.
const PAGERS: [&str; 8] =
    ["PAGER", "GIT_PAGER", "MANPAGER", "GH_PAGER", "GLAB_PAGER", "SYSTEMD_PAGER", "AWS_PAGER", "PSQL_PAGER"];
/// Switches, a level or a name, of letters and digits.
const SWITCHES: [&str; 23] = [
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "FORCE_COLOR",
    "CARGO_TERM_COLOR",
    "CARGO_NET_OFFLINE",
    "NODE_ENV",
    "NODE_NO_WARNINGS",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONNOUSERSITE",
    "PYTHONUTF8",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    "PIP_NO_COLOR",
    "GOOS",
    "GOARCH",
    "GH_PROMPT_DISABLED",
    "GH_NO_UPDATE_NOTIFIER",
    "HOMEBREW_NO_AUTO_UPDATE",
    "HOMEBREW_NO_ENV_HINTS",
    "DOCKER_CLI_HINTS",
    "DOTNET_CLI_TELEMETRY_OPTOUT",
    "DOTNET_NOLOGO",
    "SYSTEMD_COLORS",
];
/// Which account and region of a cloud is asked, by names that its own settings have.
const ACCOUNTS: [&str; 4] = ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_DEFAULT_OUTPUT"];
/// Variables of bash's that hold integers: what they are set to is evaluated as arithmetic (`declare -p`).
const INTEGERS: [&str; 12] = [
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "HISTCMD",
    "BASHPID",
    "BASH_SUBSHELL",
    "EPOCHSECONDS",
    "OPTIND",
    "PPID",
    "UID",
    "EUID",
];

impl Judge<'_> {
    /// Sets a variable of the shell, unless it steers the shell or is one that programs are known to obey.
    pub(super) fn assign(&mut self, name: &str, value: Word) {
        let plain = value.text().is_some_and(|value| plain_setting(name, value));
        if obeyed_variable(name) && !plain || self.shell != Shell::Bash && of_a_shell(name) {
            self.steered(name);
        }
        if INTEGERS.contains(&name) && value.number().is_none() {
            let sentence = format!("`{name}` computes what it is set to, and arithmetic can run commands.");
            self.unreadable("command.arithmetic", sentence);
        }
        // Where it can't be set, the rest of the line is left out.
        if self.scope.fixed(name) || matches!(name, "UID" | "EUID" | "PPID") {
            self.may_drop();
        }
        self.scope.set(name, value);
    }

    /// Sets a variable that programs get, unless it may steer them. No value: it may be any.
    pub(super) fn exported(&mut self, name: &str, value: Option<&Word>) {
        let plain = value.and_then(Word::text).is_some_and(|value| plain_setting(name, value));
        if INTEGERS.contains(&name) && value.is_none_or(|value| value.number().is_none()) {
            self.unreadable("command.arithmetic", format!("`{name}` computes what it is set to."));
        }
        if steering_variable(name) && !plain || self.shell != Shell::Bash && of_a_shell(name) {
            self.steered(name);
        }
        // What reads the file that a variable names is known of few programs, and which variables those are.
        if let Some(entry) = value.and_then(Word::text).and_then(|value| self.sensitive_entry(value)) {
            self.sensitive(format!("`{name}` names a file that is sensitive: {entry}."));
        }
    }
}

/// Whether a variable that may steer programs makes none run or write anything at this value.
pub(super) fn plain_setting(name: &str, value: &str) -> bool {
    let word = |more: &[u8]| value.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte));
    match name {
        // Git's own default is the other way round: these make it ask nobody and take no lock.
        "GIT_TERMINAL_PROMPT" | "GIT_OPTIONAL_LOCKS" => value == "0",
        "GIT_NO_LAZY_FETCH" => value == "1",
        "RUST_LOG" => word(b"_:=,-"),
        // With a slash it leads to another folder's messages, which are formats.
        "LANGUAGE" => word(b"_.@:-"),
        "GREP_COLORS" | "GREP_COLOR" | "JQ_COLORS" | "LS_COLORS" | "TREE_COLORS" => word(b"=;:*.-_+~"),
        _ if PAGERS.contains(&name) => matches!(value, "" | "cat"),
        _ if SWITCHES.contains(&name) => word(b""),
        _ if ACCOUNTS.contains(&name) => word(b"_-"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::plain_setting;
    use crate::assess::command::steering::steering_variable;

    #[test]
    fn a_variable_named_after_a_program_steers_it() {
        for name in [
            "CONSUL_HTTP_ADDR",
            "VAULT_ADDR",
            "OLLAMA_HOST",
            "CEPH_ARGS",
            "QSV_LOG_LEVEL",
            "TRIVY_OUTPUT",
            "GREP",
            "DIFF",
            "CMP",
            "ZCAT",
            "ZSTD",
            "LSB_OS_RELEASE",
            "GL_HOST",
            "MPD_HOST",
            "TPM2TOOLS_TCTI",
            "TUNNEL_API_URL",
            "TESSDATA_PREFIX",
        ] {
            assert!(steering_variable(name), "{name}");
        }
        for name in ["FOO", "VAR", "TEST_MODE", "MY_NAME", "DEBUG", "NO_COLOR", "CI", "_X"] {
            assert!(!steering_variable(name), "{name}");
        }
    }

    #[test]
    fn only_values_that_run_nothing_are_plain() {
        for (name, value) in [
            ("PAGER", "cat"),
            ("GIT_PAGER", ""),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("RUST_BACKTRACE", "full"),
            ("RUST_LOG", "a::b=debug,info"),
            ("GREP_COLORS", "mt=01;31:fn=35"),
            ("AWS_PROFILE", "my-team_1"),
            ("LANGUAGE", "de_DE.UTF-8:en"),
        ] {
            assert!(plain_setting(name, value), "{name}={value}");
        }
        for (name, value) in [
            ("PAGER", "cat x"),
            ("GIT_PAGER", "./cat"),
            ("GIT_OPTIONAL_LOCKS", "1"),
            ("GIT_SSH_COMMAND", "cat"),
            ("NODE_OPTIONS", "x"),
            ("AWS_REGION", "x.evil.example/"),
            ("RUSTC_WRAPPER", "x"),
            ("LESSOPEN", ""),
            ("LANGUAGE", "../../tmp/x"),
        ] {
            assert!(!plain_setting(name, value), "{name}={value}");
        }
    }
}
