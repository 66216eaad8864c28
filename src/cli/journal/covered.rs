//! `countersign rules test RULE`: the recorded operations that a remembered rule would have covered, in the rows of
//! `countersign journal show`.

use std::process::ExitCode;

use super::told::asked;
use super::{Filters, Teller, block_on, each, print, when, with};
use crate::cli::Options;
use crate::config::{ConfigError, Folders};
use crate::domain::number::{count, thousands};
use crate::domain::{RuleId, Says};
use crate::memory::Rules;

/// Prints the operations that a rule would have covered, the oldest first, and how many of them asked.
///
/// # Errors
/// There is no such rule.
pub(in crate::cli) fn covered(options: &Options, folders: &Folders, named: &str) -> Result<ExitCode, ConfigError> {
    // Before there is a second thread.
    when::offset();
    let (kept, wrong) = Rules::at(&folders.data).load();
    for why in wrong {
        crate::say!("countersign: {why}");
    }
    let id = RuleId(named.to_owned());
    let rule = kept.into_iter().find(|rule| *rule.id() == id).ok_or_else(|| {
        ConfigError::Option(format!(
            "there is no rule {}; `countersign rules list` names those there are",
            named.escape_debug()
        ))
    })?;
    let teller = Teller::masking(options);
    block_on(with(&folders.journal(), async |archive| {
        teller.learn(archive, 0).await?;
        let (mut all, mut hit, mut questions) = (0_usize, 0_usize, 0_usize);
        let mut open = true;
        each(archive, &Filters::default(), |recorded| {
            all += 1;
            let Ok(prepared) = &recorded.prepared else { return };
            // As if it had been in force then, however long ago that was.
            let now = rule.saved();
            if rule.allows(prepared, now) || rule.denies(prepared, now) {
                hit += 1;
                questions += usize::from(asked(&recorded));
                open = open && print(&format!("{}\n", teller.row(&recorded)));
            }
        })
        .await?;
        let would = if matches!(rule.says(), Says::Allow(_)) {
            "asked, and would not have"
        } else {
            "asked, and would have been denied"
        };
        print(&format!(
            "{} would have covered {} of {}; {} of them {would}.\n",
            rule.id(),
            thousands(hit as u64),
            count(all, "recorded operation"),
            thousands(questions as u64)
        ));
        Ok(ExitCode::SUCCESS)
    }))
}
