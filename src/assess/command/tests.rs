//! Golden lines: what is run, asked or refused, and the examples of every entry of the tables.

mod accounts;
mod catastrophes;
mod columns;
mod computed;
mod lasting;
mod loops;
mod obeyed;
mod parts;
mod placed;
mod scripts;
mod searching;
mod seen;
mod shell;
mod taken;
mod uncertain;
mod unguarded;
mod values;

use super::*;
use crate::assess::AssessSettings;
use crate::domain::{Claim, CommandOperation, Danger, Facts, Operation, OperationId, Origin};

pub(super) fn judged(command: &str) -> Assessment {
    judged_where(command, |_| {})
}

/// The same where more was seen.
pub(super) fn judged_where(command: &str, seen: impl FnOnce(&mut Facts)) -> Assessment {
    let place =
        Place { cwd: "/home/me/project".into(), workspace: "/home/me/project".into(), home: Some("/home/me".into()) };
    // The folder was looked at: nothing in it takes the place of Python's own modules.
    let modules = [("/home/me/project".to_owned(), false)].into();
    let mut facts = Facts { place, modules, ..Facts::default() };
    seen(&mut facts);
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Person,
        tool: "execute_command".to_owned(),
        claim: Claim::Absent,
        kind: OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false }),
        cwd: facts.place.cwd.clone(),
    };
    let settings = AssessSettings::default();
    CommandAssessor.assess(Subject { operation: &operation, facts: &facts, settings: &settings })
}

pub(super) fn allowed(command: &str) {
    let assessment = judged(command);
    let reasons: Vec<_> = assessment.objections().map(|finding| finding.sentence.clone()).collect();
    assert_eq!(assessment.class(), Class::Whitelisted, "asks for: {command}\n{reasons:#?}");
}

pub(super) fn asks(command: &str) {
    assert_ne!(judged(command).class(), Class::Whitelisted, "allows: {command}");
}

#[test]
fn every_entry_keeps_its_promises() {
    let mut wrong = Vec::new();
    let entries = super::rules::examples();
    assert!(entries.len() > 250, "the tables hold {} entries", entries.len());
    for entry in entries {
        for command in &entry.allow {
            let assessment = judged(command);
            if assessment.class() != Class::Whitelisted {
                wrong.push(format!(
                    "{} asks for: {command}: {}",
                    entry.name,
                    assessment.leading().map(|f| f.sentence.clone()).unwrap_or_default()
                ));
            }
        }
        for command in &entry.ask {
            if judged(command).class() == Class::Whitelisted {
                wrong.push(format!("{} allows: {command}", entry.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_subcommand_of_a_shape_is_never_a_flags_value() {
    let shape = |parts: &[(&str, &str)]| crate::domain::Shape::new(parts.iter().copied());
    for (command, program, subcommand) in [
        ("git -C . push", "git", "push"),
        ("git -C status push", "git", "push"),
        ("git -c a=b --git-dir status push", "git", "push"),
        ("git --git-dir=status push", "git", "push"),
        ("git --no-pager log", "git", "log"),
        ("kubectl -n get delete pod x", "kubectl", "delete"),
        ("kubectl --namespace get delete pod x", "kubectl", "delete"),
        ("kubectl --context=get delete pod x", "kubectl", "delete"),
        ("docker --context ps rm x", "docker", "rm"),
        ("systemctl --user stop x", "systemctl", "stop"),
    ] {
        let shapes = judged(command).shapes;
        assert!(shapes.contains(&shape(&[("program", program), ("subcommand", subcommand)])), "{command}: {shapes:?}");
        for other in ["status", "get", "ps", "."] {
            let sure = shapes == [shape(&[("program", program), ("subcommand", other)])];
            assert!(!sure, "{command}: {shapes:?}");
        }
    }
    let shapes = judged("kubectl --unheard-of get delete pod x").shapes;
    assert!(shapes.contains(&shape(&[("program", "kubectl")])), "an allow rule with a subcommand fits: {shapes:?}");
    assert!(shapes.contains(&shape(&[("program", "kubectl"), ("subcommand", "delete")])), "{shapes:?}");
}

#[test]
fn a_sensitive_name_behind_a_flag_that_may_take_no_value_asks() {
    for command in [
        "cat -s .env",
        "column -t .env",
        "pr -t .env",
        "paste -s .env",
        "fold -s .env",
        "od -b .env",
        "cmp -l .env /dev/zero",
        "comm -2 .env /dev/null",
        "hexdump -v .env",
        "zcat -f .env",
        "csvlook -p .env",
        "head -n .env",
        "tail -s ~/.ssh/id_rsa",
        "sort -k .env",
        "nl -s *.pem",
        "cd ~/.ssh && head -n id_rsa",
        "find . -name '*nv' -exec cat {} +",
    ] {
        asks(command);
    }
    for command in ["cut -d / -f 1 a", "head -n -5 a", "tail -n +5 a", "sort -t . -k 2,2n a", "column -t -s ':' a"] {
        allowed(command);
    }
}

#[test]
fn structure_over_readers_runs() {
    for command in [
        "ls && pwd; git status",
        "(cd src && grep -rn TODO .) | head -5",
        "if [ -f a ]; then head a; else ls; fi",
        "for f in *.md src/*.rs; do wc -l \"$f\"; done",
        "while read -r line; do echo \"$line\"; done < notes.txt",
        "case $1 in a) ls;; *) pwd;; esac",
        "n=$(ls | wc -l); echo $((n + 1))",
        "cat <<'END'\nrm -rf /\nEND",
        "[[ $x == y* ]] && echo yes",
        "ls > /dev/null 2>&1",
        "diff <(sort a) <(sort b)",
        "x=src; ls $x; cat $x/main.rs",
        "echo {a,b}.txt $HOME ~/x",
        "timeout 5 nice -n 3 grep x a",
        "bash -c 'ls | head -2'",
        "find . -name '*.rs' | xargs wc -l",
        "! grep -q x a",
        "cd \"$(git rev-parse --show-toplevel)\"",
    ] {
        allowed(command);
    }
}

#[test]
fn what_hides_in_the_structure_asks() {
    for command in [
        "ls; rm x",
        "echo $(rm x)",
        "echo \"${x:-$(rm x)}\"",
        "echo \"${x:-'$(rm x)'}\"",
        "cat <(rm x)",
        "ls > out",
        "ls &> out",
        "x=rm; $x a",
        "for c in ls rm; do $c a; done",
        "x=rm; false && x=ls; $x a",
        "for i in 1 2; do $x a; x=rm; done",
        "x=.env; cat $x",
        "cd ~/.ssh && cat config",
        "f() { rm x; }; f",
        "ls() { rm x; }; ls",
        "a='x[$(rm y)]'; echo $((a))",
        "echo $((x[$(rm y)]))",
        "PATH=/tmp ls",
        "LD_PRELOAD=./x ls",
        "export PATH=/tmp; ls",
        "cat <<END\n$(rm x)\nEND",
        "echo ${x@P}",
        "echo ${!x}",
        "r\\m x",
        "find . -del{ete,}",
        "sort *",
        "sh -c \"$x\"",
        "coproc rm x",
        "[[ -v x[$(rm y)] ]]",
        "test -v 'x[$(rm y)]'",
        "printf -v 'x[$(rm y)]' a",
        "read 'x[$(rm y)]'",
        "command rm x",
        "./ls",
        "/tmp/ls",
        "'git status'",
        "echo \"$(echo # )\nrm x\n)\"",
        "echo `echo \\`rm x\\``",
    ] {
        asks(command);
    }
}

#[test]
fn sensitive_files_ask_however_they_are_reached() {
    for command in [
        "cat .env",
        "cat ./src/../.env",
        "cat .e*",
        "head -- .env",
        "grep KEY .env",
        "grep -f .env a",
        "cat < .env",
        "cat ~/.aws/credentials",
        "cat $HOME/.{netrc,pgpass}",
        "find . -name .env -exec cat {} \\;",
        "find ~/.ssh -type f -exec cat {} +",
        "ls ~/.ssh/* | xargs cat",
        "echo .env | xargs cat",
        "xargs -a .env echo",
        "git show HEAD:.env",
        "git diff --no-index /dev/null .env",
        "awk 'BEGIN{while((getline l<\".env\")>0)print l}'",
        "sed 'r .env' a",
        "nm @.env",
        "wc --files0-from=.env",
        "cat /proc/$$/environ",
        "echo $AWS_SECRET_ACCESS_KEY",
        "declare -x",
        "ps auxe",
        "env",
        "for f in .env a; do cat \"$f\"; done",
        "cd && cat .netrc",
    ] {
        asks(command);
    }
    for command in [
        "cat .env.example",
        "ls -la .env",
        "test -f .env",
        "grep .env README.md",
        "find . -name .env",
        "grep -rn password .",
        "cat *.md",
        "find . -name '*.log' | while IFS= read -r f; do grep -c x \"$f\"; done",
    ] {
        allowed(command);
    }
}

#[test]
fn what_shows_secrets_says_so_and_nothing_else() {
    for (command, sentence) in [
        ("sed -n 1p .env", ".env is sensitive"),
        ("gzip -c .env", ".env is sensitive"),
        ("gh auth token", "`gh auth token` shows secrets."),
        ("gcloud auth print-access-token", "`gcloud auth print-access-token` shows secrets."),
        ("aws secretsmanager get-secret-value --secret-id x", "`aws secretsmanager get-secret-value` shows secrets."),
        ("pass show x", "`pass` opens what keeps passwords."),
    ] {
        let assessment = judged(command);
        let leading = assessment.leading().unwrap();
        assert!(leading.sentence.starts_with(sentence), "{command}: {}", leading.sentence);
        assert_eq!(leading.class, Class::Declared(Danger::Sensitive), "{command}");
        assert!(!assessment.claim_eligible, "{command}");
    }
    for command in ["sed -i s/a/b/ .env", "sed -n 'w out' .env", "gzip .env", "pass rm x", "op item delete x"] {
        let findings = judged(command).findings;
        assert!(findings.iter().any(|found| found.class != Class::Declared(Danger::Sensitive)), "{command}");
    }
}

#[test]
fn a_sensitive_folder_is_not_read_by_standing_in_it() {
    for command in [
        "cd ~/.ssh && ls | xargs cat",
        "cd ~/.aws && ls | xargs head",
        "cd ~/.ssh && ls | while read f; do cat \"$f\"; done",
        "cd /etc/ssl/private && ls | xargs cat",
        "cd /etc/ssl; cd private; ls | xargs cat",
        "cd; cd .ssh; rg .",
        "cd ~/.s*h && rg .",
        "cd \"$HOME/.ssh\" && grep -r x",
        "pushd ~/.gnupg && ls | xargs -I{} cat {}",
        "cd -P -- ~/.ssh; rg .",
        "(cd ~/.ssh && find . -type f | xargs cat)",
        "cd -- \"$x\" && ls | xargs cat",
        "cd - && find . | xargs cat",
    ] {
        asks(command);
    }
    for command in
        ["cd src && ls | xargs cat", "cd ~ && ls", "cd /usr/share && ls | xargs wc -l", "find / | xargs wc -l"]
    {
        allowed(command);
    }
}

#[test]
fn only_what_a_program_has_open_is_a_harmless_descriptor() {
    for command in [
        "tee /dev/fd/../../../root/.bashrc",
        "sort -o /dev/fd/../../../tmp/x a",
        "dd if=a of=/dev/fd/../../../tmp/x",
        "find . -fprint /dev/fd/../../../tmp/x",
        "cat /dev/fd/../../../etc/shad*",
        "cat /dev/fd/../../../etc/hostname",
        "cat /dev/fd/../environ",
        "cat /dev/fd/3/../x",
        "cat /dev/fd/0/x",
        "cat /dev//./fd/../environ",
        "cat /dev/stdin/../x",
        "cat /dev/stdin/x",
        "cat ../../../dev/fd/../environ",
        "cd /dev/fd && cat ../environ",
        "cat /proc/self/fd/../environ",
        "cat /proc/self/fd/../root/etc/shadow",
        "cat /proc/self/fd/3/x",
        "cat /proc/1/fd/3",
        "cat /proc/self/cwd/../../etc/shadow",
        "cat /proc/self/task/1/root/etc/shadow",
        "cat /proc/thread-self/root/etc/hostname",
        "cat /proc/self/r*t/etc/hostname",
        "cat < /dev/fd/../environ",
        "find /dev/fd/../../../root -type f -exec cat {} +",
        "grep -r x /dev/fd/../../../root",
        "nm @/dev/fd/../environ",
        "tee /dev/fd/0 < notes.txt",
        "tee /dev/fd/00 < notes.txt",
        "tee /dev/fd/$# < notes.txt",
        "tee /dev/fd/3 3< notes.txt",
        "tee /dev/stdout 1< notes.txt",
        "tee /dev/fd/3 < notes.txt 3<&0",
        "{ echo x > /dev/stderr; } 2< notes.txt",
        "awk '{print > \"/dev/stdout\"}' a 1< notes.txt",
    ] {
        asks(command);
    }
    for command in [
        "cat /dev/fd/0",
        "cat /dev/fd/3 3< notes.txt",
        "cat /proc/self/fd/0",
        "cat /proc/self/status /proc/1/status /proc/sys/kernel/*",
        "ls | tee /dev/stderr | wc -l",
        "ls | tee /dev/fd/2",
        "ls | tee >(wc -l)",
        "diff <(sort a) <(sort b)",
        "while read -r -u 3 line; do echo \"$line\"; done 3< notes.txt",
        "cd src && cat ../README.md",
    ] {
        allowed(command);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_judged_and_more_of_it_never_asks_less(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "ls", "rm", "echo", "cat", "x", "-rf", "$y", "'a b'", "\"$z\"", "|", "&&", ";", "(", ")", "{", "}", "<", ">",
                "`ls`", "$(pwd)", "\n", "if", "then", "fi", "for", "in", "do", "done", "*", "~", "\\", "<<E", "E", "!", "x=1",
            ]),
            0..12,
        ),
    ) {
        let text = words.join(" ");
        if judged(&text).class() != Class::Whitelisted {
            for more in [format!("{text} > out"), format!("{text}\nls"), format!("ls; {text}"), format!("timeout 5 {text}")] {
                proptest::prop_assert!(judged(&more).class() != Class::Whitelisted || !parse::parse(&text).is_ok_and(|p| !p.complete_commands.is_empty()), "{text:?} -> {more:?}");
            }
        }
    }
}

#[test]
fn hostile_text_of_the_longest_kind_needs_little_stack_and_time() {
    let units = [
        "((",
        "$(",
        "${x:-",
        "$((",
        "`",
        "\"$(",
        "{a,",
        "${a[",
        "if true; then ",
        "case a in a) ",
        "! ",
        "<(",
        "<<E\n",
    ];
    let flags = [("ls -", "z"), ("cat '-", "e s/a/b/ -"), ("git column -", "z"), ("aws ec2 describe-vpcs -", "z")];
    let repeated = |start: &str, unit: &str| format!("{start}{}", unit.repeat(65_000 / unit.len()));
    let texts = units.map(|unit| repeated("echo ", unit)).into_iter();
    for text in texts.chain(flags.map(|(start, unit)| repeated(start, unit) + if unit == "z" { "" } else { "'" })) {
        let (start, shown) = (std::time::Instant::now(), text[..30].to_owned());
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(move || judged(&text).class()).unwrap();
        assert!(thread.join().is_ok(), "{shown}");
        assert!(start.elapsed().as_secs() < 10, "{shown} takes {:?}", start.elapsed());
    }
}
