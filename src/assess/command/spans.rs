//! Findings point at the words that matter: the text under each span, by rule.

use super::tests::judged;

/// The pieces of the text that findings of a rule point at.
fn pointed(command: &str, rule: &str) -> Vec<String> {
    let findings = judged(command).findings.into_iter().filter(|finding| finding.rule == rule);
    findings.map(|finding| command[finding.span.unwrap()].to_owned()).collect()
}

#[test]
fn a_finding_points_at_the_words_that_matter() {
    let mut wrong = Vec::new();
    for (command, rule, piece) in [
        ("ls; rm -rf build", "command.rm", "rm -rf build"),
        ("ls -la > out.txt", "command.redirect", "> out.txt"),
        ("ls 2>>err.log", "command.redirect", "2>>err.log"),
        ("ls &>out", "command.redirect", "&>out"),
        ("echo é; ls >out", "command.redirect", ">out"),
        ("cat README.md .env", "command.sensitive", ".env"),
        ("cat 'a b' \".env\"", "command.sensitive", "\".env\""),
        ("cat < .env", "command.sensitive", "< .env"),
        ("head -n 5 ~/.ssh/id_rsa", "command.sensitive", "~/.ssh/id_rsa"),
        ("grep --file=.env x", "command.sensitive", "--file=.env"),
        ("sort -o out a", "command.writes", "out"),
        ("sort --unheard-of a", "command.unknown-flag", "--unheard-of"),
        ("ls && frobnicate -x", "command.unknown-program", "frobnicate"),
        ("$x a", "command.vague-program", "$x"),
        ("find . -name a -delete", "command.find-delete", "-delete"),
        ("find . -exec rm {} +", "command.rm", "rm {}"),
        ("git -c a.b=c status", "command.git-setting", "a.b=c"),
        ("sudo -u root rm -rf build", "command.rm", "rm -rf build"),
        ("echo a | xargs rm -f", "command.rm", "rm -f"),
        ("echo \"$(ls; rm x)\" b", "command.rm", "rm x"),
        ("echo `rm x`", "command.rm", "rm x"),
        ("bash -c 'ls; rm x'", "command.rm", "rm x"),
        ("bash -c \"cat é .env\"", "command.sensitive", ".env"),
        ("if true; then\n  for f in a; do rm \"$f\"; done\nfi", "command.rm", "rm \"$f\""),
        ("cat <(rm x)", "command.rm", "rm x"),
        ("cat <<END\n$(rm x)\nEND", "command.rm", "rm x"),
        ("echo {a,b}; cat {a,.env}", "command.sensitive", "{a,.env}"),
    ] {
        let pointed = pointed(command, rule);
        if pointed != [piece] {
            wrong.push(format!("{command}: {pointed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_put_together_points_at_the_command() {
    assert_eq!(pointed("bash -c 'rm '\\''x'\\'''", "command.rm"), ["bash -c 'rm '\\''x'\\'''"]);
    assert_eq!(pointed("x=.env; cat $x", "command.sensitive"), ["$x"]);
}

#[test]
fn a_word_that_may_become_anything_is_told_as_it_is_written() {
    for (command, rule, sentence) in [
        ("cat $X", "command.path", "It reads `$X`, which may become any file."),
        ("cat \"$DIR/notes\"", "command.path", "It reads `\"$DIR/notes\"`, which may become any file."),
        ("cat $(cat list)", "command.path", "It reads `$(cat list)`, which may become any file."),
        ("git log $1", "command.vague-flag", "`$1` may become a flag of `git log`."),
        ("$PROGRAM a", "command.vague-program", "Which program it runs is not known."),
        ("ls > $OUT", "command.redirect", "Writes to the file `$OUT` by redirection."),
        ("x=notes; ls > $x", "command.redirect", "Writes to the file notes by redirection."),
    ] {
        let findings = judged(command).findings;
        assert!(
            findings.iter().any(|finding| finding.rule == rule && finding.sentence == sentence),
            "{command}: {findings:#?}"
        );
    }
}
