//! What `countersign assess` judges by: the defaults, or the configuration file that `--config` names. The usual
//! file is never read, so that the same calls get the same answers on every machine. Whoever reads them runs the calls
//! without our walls, so nothing counts as enforced, unless `--contained` asks what the screen would do here.

use std::path::PathBuf;

use super::{Options, start};
use crate::assess::{AssessSettings, Sensitive};
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
    /// Our own binary and the folder for what it proves, where it is still to be found out what is enforced.
    pub unproved: Option<(PathBuf, PathBuf)>,
}

impl Terms {
    /// The defaults, in a mode.
    #[must_use]
    pub fn of(mode: ApprovalMode) -> Self {
        Self { policy: Policy { mode, ..Policy::default() }, ..Self::default() }
    }

    /// Finds out what this machine enforces, if nobody did before. Takes tens of milliseconds, once.
    #[must_use]
    pub(super) fn proved(mut self) -> Self {
        if let Some((launcher, state)) = self.unproved.take() {
            self.enforced = contain::enforceable(Some(&contain::prove(&launcher, &state)), true);
        }
        self.settings.walled = self.enforced.read_only_command;
        self
    }

    /// What the options say, with a sentence for the person if the named file can't be used as it is: everything
    /// asks then.
    ///
    /// # Errors
    /// The program's own folders aren't known, though a file is named.
    pub(super) fn read(
        options: &Options,
        mode: Option<ApprovalMode>,
        (explain, contained): (bool, bool),
        environment: Environment<'_>,
    ) -> Result<(Self, Option<String>), ConfigError> {
        let folders = Folders::find(options.config.as_deref(), environment);
        let machine = folders.as_ref().ok().filter(|_| contained);
        let machine = machine.and_then(|folders| Some((start::launcher().ok()?, folders.state.clone())));
        let kept = machine.as_ref().and_then(|(launcher, state)| contain::kept(launcher, state));
        let enforced = if contained { contain::enforceable(kept.as_ref(), true) } else { Enforceable::default() };
        let unproved = machine.filter(|_| kept.is_none());
        if options.config.is_none() {
            let sensitive = folders.map(|folders| Sensitive::with(folders.own_globs()).and(start::own(&folders)));
            let settings = AssessSettings { sensitive: sensitive.unwrap_or_default(), ..AssessSettings::default() };
            return Ok((Self { settings, explain, enforced, unproved, ..Self::of(mode.unwrap_or_default()) }, None));
        }
        let folders = folders?;
        let (settings, problems) = Settings::load(&folders);
        let settings = settings.overridden(&Overrides { mode, ..Overrides::default() }, &problems)?;
        let judging = start::judging(&settings, &folders);
        let terms = Self { policy: settings.policy(), settings: judging, explain, enforced, unproved };
        Ok((terms, Problem::notice(&problems)))
    }
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
        Terms::read(&cli.options, mode, (false, false), &environment).unwrap()
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
