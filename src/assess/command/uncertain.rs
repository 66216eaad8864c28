//! Where what a script changes may not come about: a redirection fails, another process runs it, or an expansion fails
//! and the shell leaves out the rest of the line. What holds then is what would hold either way.

use super::judge::Judge;
use super::word::Word;

impl Judge<'_> {
    /// Runs `inner`, which may change nothing if that isn't sure to run here.
    pub(super) fn perhaps(&mut self, unsure: bool, inner: impl FnOnce(&mut Self)) {
        let before = unsure.then(|| self.scope.clone());
        inner(self);
        if let Some(before) = before {
            self.scope.join(&before);
        }
    }

    /// Judges what another process runs: a command of the shell's own changes nothing here.
    pub(super) fn outside(&mut self, argv: &[Word]) {
        self.perhaps(true, |judge| judge.deeper(|judge| judge.dispatch(argv)));
    }
}
