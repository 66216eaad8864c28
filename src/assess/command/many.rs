//! How many processes run side by side: what starts some without waiting for them, in a loop, or is told to run very many
//! at once. Walls limit that; where none are, it asks.

use super::judge::Judge;
use super::word::Word;

/// Most processes at once, or threads, that a flag may ask for.
const FEW: u32 = 64;

impl Judge<'_> {
    /// A number of processes or threads that run at once, as a program is told it. What is no number it refuses, or takes
    /// for as many as the machine has processors.
    pub(super) fn few(&mut self, name: &str, word: &Word) {
        let all = |number: u32| number.saturating_mul(self.at_once);
        let most = |text: &str| text.parse::<u32>().is_ok_and(|number| all(number) > FEW) || text.len() > 9;
        if word.text().is_none_or(most) {
            let sentence = format!("`{name}` may start very many processes at once ({}).", self.spelt(word));
            self.crowds = Some(sentence);
        }
    }

    /// How many programs `xargs` runs at once: with none for a number as many as it has words for.
    pub(super) fn crowds_by(&mut self, word: &Word) {
        let all = word.text().is_some_and(|text| text.trim().bytes().all(|byte| byte == b'0' || byte == b'+'));
        if all {
            self.crowds = Some("`xargs` starts as many processes at once as it has words for.".to_owned());
        } else {
            self.few("xargs", word);
        }
        let number = word.text().and_then(|text| text.parse::<u32>().ok());
        self.at_once = self.at_once.saturating_mul(number.unwrap_or(FEW).max(1));
    }

    /// Something is started that nobody waits for, or that flows in or out as a file, which not every program reads to its
    /// end: in a loop that is any number of processes.
    pub(super) fn starts_beside(&mut self) {
        if self.repeats > 0 {
            self.crowds = Some("A loop of it starts processes without waiting for them.".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allowed, judged};

    #[test]
    fn very_many_processes_and_what_a_view_names_run_only_where_walls_limit_them() {
        for (command, crowds) in [
            ("while true; do sleep 100 & done", true),
            ("for ((i = 0; i < 99999; i++)); do sleep 100 & done", true),
            ("for i in $(seq 100000); do sleep 100 & done", true),
            ("for f in *; do wc -l \"$f\" & done; wait", true),
            ("while :; do : <(sleep 100); done", true),
            ("find . -name x -exec sh -c 'sleep 100 &' \\;", true),
            ("until [ -f x ]; do { sleep 1; sleep 2; } & done", true),
            ("f() { sleep 100 & }; while :; do f; done", true),
            ("seq 100000 | xargs -P 0 -n1 sleep", true),
            ("seq 100000 | xargs -P0 -n1 sleep", true),
            ("seq 100000 | xargs --max-procs=5000 -n1 sleep", true),
            ("seq 100000 | xargs -P 00 -n1 sleep", true),
            ("seq 100000 | xargs -P $((100000)) -n1 sleep", true),
            ("seq 100000 | xargs -P 4294967297 -n1 sleep", true),
            ("seq 100000 | xargs -P 2 -P 0 -n1 sleep", true),
            ("openssl speed -multi 100000 sha256", true),
            ("openssl speed -async_jobs 99999 -evp aes-128-gcm", true),
            ("rg -j 100000 x", true),
            ("rg --threads=100000 x", true),
            ("fd -j100000 x", true),
            ("git grep --threads=100000 x", true),
            ("sort --parallel=100000 a", true),
            ("sleep 1 & sleep 2 & wait", false),
            ("for p in a b c; do curl -s http://localhost:1/$p & done; wait", false),
            ("seq 10 | xargs -P 8 -n1 sleep", false),
            ("openssl speed -multi 4 sha256", false),
            ("rg -j 0 x", false),
            ("rg -j4 x", false),
            ("sort --parallel=4 a", false),
            ("while read -r f; do diff <(sort a) /dev/null; done < a", true),
            ("for i in $(seq 100000); do : <(sleep 1000); done", true),
            ("while read -r x; do : <(sleep 1000); done < <(yes)", true),
            ("while read -r x; do exec 3< <(sleep 1000); done < a", true),
            ("watch -n0.1 'sleep 1000 &'", true),
            ("yes | xargs -n1 bash -c 'exec 3< <(sleep 1000)'", true),
            ("find . -name x -exec bash -c ': <(sleep 1000)' \\;", true),
            ("seq 9999 | xargs -P 64 xargs -P 64 -n1 sleep", true),
            ("seq 9999 | xargs -P 64 sort --parallel=4", true),
            ("seq 9999 | xargs -P 8 xargs -P 8 -n1 sleep", false),
            ("seq 99 | xargs -P 64 -n1 sleep; seq 99 | xargs -P 64 -n1 sleep", false),
            ("for f in a b; do diff <(sort \"$f\") c; done", false),
            ("while read -r x; do echo x; done < <(sort a)", false),
            ("watch -n1 'ls | wc -l'", false),
            ("diff <(sort a) <(sort b)", false),
            ("while sleep 1; do date; done", false),
            ("sqlite3 -readonly a.db 'select a from t'", true),
            ("echo 'select a from t;' | sqlite3 -readonly a.db", true),
            ("sqlite3 -safe -readonly a.db 'select a from t'", false),
            ("sqlite3 -readonly a.db .tables", false),
            ("sqlite3 :memory: 'select 1'", false),
        ] {
            let assessment = judged(command);
            assert_eq!(assessment.crowds.is_some(), crowds, "{command}");
            if !command.contains("curl") && !command.contains("$f") {
                allowed(command);
            }
        }
    }
}
