//! What is left of a stream for who reads it next. A program that took a part of it may have ended in the midst of a
//! line: then nobody knows any more what the next line, or its first column, is.

use super::judge::{Feed, Judge};
use super::scope::Scope;
use super::word::Word;

/// Commands that take nothing of what flows in, unless a word of theirs says so.
const NEVER: &str = " : [ [[ alias basename break cargo cd column continue curl date declare df dirname docker dpkg \
    dpkg-query du echo exit export false fd find free gh git glab helm hostname id kubectl local ls lsof nproc npm pgrep pip \
    pip3 pnpm podman popd printf ps pushd pwd read readlink readonly realpath return rpm seq set shift shopt sleep ss stat \
    systemctl test tput trap tree true tty type typeset umask uname unset wait wget which who whoami yarn apt apt-cache \
    arch getent groups journalctl uptime file mapfile readarray ";
/// Commands that take a part whatever their words are, and those that run another one.
const ALWAYS: &str = " bc cmp cpio dc dd less line more parallel pv sh bash dash ksh zsh tee tr watch xargs ";
const WRAPPERS: &str = " builtin command env ionice nice nohup setsid stdbuf time timeout ";
/// Commands that may end before what flows in does, and read files where some are named: by the letters that take no
/// value, and how many words stand before the first file.
const FILES: [(&str, &str, usize); 9] = [
    (" wc ", "lwcmL", 0),
    (" cat tac rev nl ", "nAbEsTvetu", 0),
    (" head tail ", "qvz", 0),
    (" sort uniq ", "nrufbdghiMRVsmzcD", 0),
    (" md5sum sha1sum sha256sum sha512sum cksum sum b2sum ", "bt", 0),
    (" grep egrep fgrep zgrep rg ", "cnqilLrREFPowhHsvxzaUI", 1),
    (" sed ", "nErsuz", 1),
    (" awk gawk mawk jq yq ", "reSMCca", 1),
    (" od xxd hexdump strings cut fold ", "", 0),
];
/// Letters of flags whose value may be the next word in others.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
/// Subcommands of git that read what flows in by themselves.
const GIT: [&str; 8] =
    ["shortlog", "apply", "patch-id", "stripspace", "interpret-trailers", "column", "mailinfo", "check-mailmap"];

impl Judge<'_> {
    /// What flows in is what it was, unless a part of it was taken.
    pub(super) fn bleeds(&mut self) {
        if self.bitten && !matches!(self.feed, Feed::Download | Feed::Nothing) {
            self.feed = Feed::Text;
            self.says(None);
        }
    }

    /// A command was judged: what flows into the next one is known no longer if it may have taken a part of it.
    pub(super) fn bitten_by(&mut self, argv: &[Word]) {
        if bites(argv, &self.scope) {
            self.bitten = true;
            self.bleeds();
        }
    }
}

/// Whether a command may take a part of what flows in.
fn bites(argv: &[Word], scope: &Scope) -> bool {
    let Some((first, words)) = argv.split_first() else { return false };
    let Some(name) = first.text() else { return true };
    // What it does is judged where it is called.
    if scope.function(name).is_some() {
        return false;
    }
    let name = name.rsplit('/').next().unwrap_or(name);
    if name == "exec" && words.is_empty() {
        return false;
    }
    let named = |names: &str| names.contains(&format!(" {name} "));
    let standard = |word: &Word| {
        let text = word.pattern().replace("/dev/null", "");
        text == "-" || ["@-", "/dev/", "/proc/", "--stdin", "--batch", "-stdin"].iter().any(|part| text.contains(part))
    };
    if words.iter().any(standard) {
        return true;
    }
    if name == "git" {
        return words.iter().any(|word| word.text().is_some_and(|text| GIT.contains(&text)));
    }
    if named(NEVER) {
        return match name {
            // Of a line whole, nothing is left.
            "read" => words.iter().enumerate().any(|(at, word)| cuts(word, words.get(at + 1))),
            "mapfile" | "readarray" => words.iter().any(|word| word.prefix().starts_with("-d")),
            _ => false,
        };
    }
    if named(WRAPPERS) {
        let asks = words.first().is_some_and(|word| matches!(word.text(), Some("-v" | "-V")));
        // Of a flag nobody here knows whether the next word is its value, or what is run.
        let flagged = words.iter().take_while(|word| !named_word(word)).any(|word| word.prefix().starts_with('-'));
        let run = words.iter().position(named_word).unwrap_or(words.len());
        return !asks && (flagged || bites(&words[run..], scope));
    }
    if let Some((_, letters, before)) = FILES.iter().find(|(names, ..)| named(names)) {
        return operands(words, letters) <= *before;
    }
    let has = |wanted: &dyn Fn(&str) -> bool| words.iter().any(|word| wanted(word.prefix()));
    match name {
        _ if named(ALWAYS) => true,
        // What they read is told by a flag.
        "tar" | "gtar" => {
            !words.first().is_some_and(|word| word.prefix().contains('f')) && !has(&|text| text.starts_with("--file"))
        }
        "openssl" => !has(&|text| matches!(text, "-in" | "-connect" | "version" | "ciphers")),
        _ => operands(words, LETTERS) == 0,
    }
}

/// Whether a word before which nothing but numbers and assignments stands is what a wrapper runs.
fn named_word(word: &Word) -> bool {
    let text = word.prefix();
    !(text.starts_with('-') || text.contains('=') || text.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// Whether a word lets `read` end before the end of a line. Up to a zero byte it takes all of a name.
fn cuts(word: &Word, next: Option<&Word>) -> bool {
    let Some(flags) = word.prefix().strip_prefix('-') else { return false };
    let zero = flags.ends_with('d') && !flags.contains(['n', 'N', 't']) && next.and_then(Word::text) == Some("");
    word.text().is_none() || flags.contains(['n', 'N', 'd', 't']) && !zero
}

/// How many words are neither flags nor may be the value of one, nor numbers.
fn operands(words: &[Word], letters: &str) -> usize {
    let (mut count, mut value) = (0, false);
    for word in words {
        let text = word.prefix();
        let number = !text.is_empty() && word.text().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        if text.starts_with('-') {
            let cluster = text.trim_start_matches('-');
            let known = cluster.chars().all(|letter| letters.contains(letter) || letter.is_ascii_digit());
            value = !(text.contains('=') || !text.starts_with("--") && known);
        } else {
            count += usize::from(!value && !number && !word.may_be_none());
            value = false;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allowed, asks};

    #[test]
    fn who_reads_after_somebody_took_a_part_knows_nothing_of_it() {
        for command in [
            "uniq -c a.txt | { read -rN8 z; read -r n w; echo $((n)); }",
            "uniq -c a.txt | while read -r n w; do head -c8 >/dev/null; echo $((n)); done",
            "uniq -c a.txt | while read -r n w; do head -c 8 >/dev/null; echo $((n)); done",
            "uniq -c a.txt | { head -c8; while read -r n w; do echo $((n)); done; }",
            "sort a.txt | uniq -c | { dd bs=1 count=8 2>/dev/null; read -r n w; echo $((n)); }",
            "{ head -c8; read -r n w; echo $((n)); } < <(uniq -c a.txt)",
            "uniq -c a.txt | ( head -c8; read -r n w; echo $((n)) )",
            "uniq -c a.txt | if head -c8; then read -r n w; echo $((n)); fi",
            "f() { head -c8; }; uniq -c a.txt | { f; read -r n w; echo $((n)); }",
            "uniq -c a.txt | { x=$(head -c8); read -r n w; echo $((n)); }",
            "uniq -c a.txt | { head -c8 | cat; read -r n w; echo $((n)); }",
            "uniq -c a.txt | { (head -c8); read -r n w; echo $((n)); }",
            "uniq -c a.txt | { cat $(head -c8) </dev/null; read -r n w; echo $((n)); }",
            "git log --oneline | { head -c 8; read -r f g; git show \"$f\"; }",
            "git tag | { read -rn3 z; read -r f; git show \"$f\"; }",
            "git tag | { sed -n 1q; read -r f; git show \"$f\"; }",
            "git tag | { grep -m1 x; read -r f; git show \"$f\"; }",
            "git tag | { grep -m 1 -e x; read -r f; git show \"$f\"; }",
            "git tag | { awk '{exit}'; read -r f; git show \"$f\"; }",
            "git tag | { timeout 1 cat; read -r f; git show \"$f\"; }",
            "git tag | { command head -c3; read -r f; git show \"$f\"; }",
            "git tag | { /usr/bin/sed -n 1q; read -r f; git show \"$f\"; }",
            "git tag | { env -u X head -c3; read -r f; git show \"$f\"; }",
            "git tag | { openssl x509; read -r f; git show \"$f\"; }",
            "git tag | { tar tz; read -r f; git show \"$f\"; }",
            "git ls-files | { head -c3; xargs cat; }",
            "git ls-files | { head -c \"$n\"; xargs cat; }",
        ] {
            asks(command);
        }
        for command in [
            "git log --format=%H | while read -r f; do git show --stat \"$f\"; done",
            "git log --format=%H | while read -r f; do echo \"$f\"; git log -1 --format=%cd \"$f\"; done",
            "git ls-files '*.rs' | while read -r f; do wc -l \"$f\"; grep -c fn \"$f\"; head -n 3 \"$f\"; done",
            "uniq -c a.txt | { read -r n w; echo $((n)); }",
            "git log --format=%H | while read -r f; do x=$(git log --format=%cd \"$f\" | head -1); git show --stat \"$f\"; echo \"$x\"; done",
            "uniq -c a.txt | while read -r n w; do [ \"$n\" -gt 1 ] && echo $((n)); done",
        ] {
            allowed(command);
        }
    }
}
