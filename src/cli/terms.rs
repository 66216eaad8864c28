//! What `countersign assess` judges by: the defaults, or the configuration file that `--config` names. The usual
//! file is never read, so that the same calls get the same answers on every machine that enforces as much.

use super::{Options, start};
use crate::assess::{AssessSettings, Production, Sensitive};
use crate::config::{ConfigError, Environment, Folders, Overrides, Problem, Settings};
use crate::contain;
use crate::domain::{ApprovalMode, Enforceable, Policy};

/// What calls are judged by.
#[derive(Debug, Default)]
pub struct Terms {
    /// Mode, rules, hosts, and what a catastrophe means.
    pub policy: Policy,
    /// What the configuration adds to judging.
    pub settings: AssessSettings,
    /// Whether each answer says how it came about.
    pub explain: bool,
    /// What was proved to be enforced on this machine. It is told; and what runs only staged asks where that isn't
    /// enforced.
    pub enforced: Enforceable,
}

impl Terms {
    /// The defaults, in a mode.
    #[must_use]
    pub fn of(mode: ApprovalMode) -> Self {
        Self { policy: Policy { mode, ..Policy::default() }, ..Self::default() }
    }

    /// What the options say, with a sentence for the person if the named file can't be used as it is: everything
    /// asks then.
    ///
    /// # Errors
    /// The program's own folders aren't known, though a file is named.
    pub(super) fn read(
        options: &Options,
        mode: Option<ApprovalMode>,
        explain: bool,
        environment: Environment<'_>,
    ) -> Result<(Self, Option<String>), ConfigError> {
        let folders = Folders::find(options.config.as_deref(), environment);
        let enforced = folders.as_ref().map(proved).unwrap_or_default();
        if options.config.is_none() {
            let sensitive = folders.map(|folders| Sensitive::with(folders.own_globs()).and(start::own(&folders)));
            let settings = AssessSettings { sensitive: sensitive.unwrap_or_default(), ..AssessSettings::default() };
            return Ok((Self { settings, explain, enforced, ..Self::of(mode.unwrap_or_default()) }, None));
        }
        let folders = folders?;
        let (settings, problems) = Settings::load(&folders);
        let settings = settings.overridden(&Overrides { mode, ..Overrides::default() }, &problems)?;
        let sensitive = Sensitive::with(settings.sensitive_globs(&folders)).and(start::own(&folders));
        let production = Production::with(&settings.production.patterns, &settings.production.branches);
        let judging = AssessSettings { sensitive, production, ..AssessSettings::default() };
        let terms = Self { policy: settings.policy(), settings: judging, explain, enforced };
        Ok((terms, Problem::notice(&problems)))
    }
}

/// What the program proved on this machine when it was last used.
fn proved(folders: &Folders) -> Enforceable {
    let proof = start::launcher().ok().and_then(|launcher| contain::kept(&launcher, &folders.state));
    contain::enforceable(proof.as_ref(), true)
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;
    use clap::Parser as _;

    /// Terms from a configuration file of this text.
    fn terms(text: &str, mode: Option<ApprovalMode>) -> (Terms, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("judging.toml");
        std::fs::write(&file, text).unwrap();
        let data = folder.path().join("data").display().to_string();
        let cli = Cli::try_parse_from(["countersign", "assess", "--config", file.to_str().unwrap()]).unwrap();
        let environment = |name: &str| (name == "COUNTERSIGN_DATA").then(|| data.clone());
        Terms::read(&cli.options, mode, false, &environment).unwrap()
    }

    #[test]
    fn the_mode_of_the_command_line_comes_before_that_of_the_file() {
        assert_eq!(terms("mode = 'smart'", None).0.policy.mode, ApprovalMode::Smart);
        assert_eq!(terms("mode = 'smart'", Some(ApprovalMode::Strict)).0.policy.mode, ApprovalMode::Strict);
        assert_eq!(terms("", None).0.policy.mode, ApprovalMode::Guarded);
    }

    #[test]
    fn a_file_with_a_mistake_asks_for_everything_and_is_named() {
        let (terms, notice) = terms("moed = 'smart'\ncatastrophes = 'ask'", Some(ApprovalMode::AllowAll));
        assert_eq!((terms.policy.mode, terms.policy.deny_catastrophes), (ApprovalMode::Strict, true));
        assert!(notice.unwrap().contains("judging.toml:1:1: unknown key `moed`"));
    }
}
