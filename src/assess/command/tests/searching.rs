//! Golden lines about what searches find, what picks from it, and how far they go.

use super::super::{Judge, assessment};
use super::{allowed, asks, judged};
use crate::assess::AssessSettings;
use crate::domain::{Class, Facts, FolderFact, Place};

#[test]
fn the_path_of_a_program_is_no_flag_where_it_is_known() {
    let place = Place { cwd: "/w".into(), workspace: "/w".into(), home: None };
    let judged = |command: &str, path: Option<&str>| {
        let mut facts = Facts { place: place.clone(), ..Facts::default() };
        facts.programs.extend(["file", "dpkg", "which"].map(|name| (name.into(), Some(format!("/bin/{name}").into()))));
        facts.programs.insert("tool".into(), path.map(Into::into));
        let settings = AssessSettings::default();
        let mut judge = Judge::new(&facts.place, Some(&facts), &settings.sensitive, command);
        judge.whole(command);
        assessment(judge).class()
    };
    for command in ["file $(which tool)", "dpkg -S \"$(which tool)\"", "p=$(which tool); file $p"] {
        assert_eq!(judged(command, Some("/usr/bin/tool")), Class::Whitelisted, "{command}");
        for path in [None, Some("/usr/bin/other"), Some("/opt/-a b/tool"), Some("/x/*/tool")] {
            assert_ne!(judged(command, path), Class::Whitelisted, "{command} {path:?}");
        }
    }
    for command in ["file $(which -a tool)", "file $(which tool file)", "which() { echo -f; }; file $(which tool)"] {
        assert_ne!(judged(command, Some("/usr/bin/tool")), Class::Whitelisted, "{command}");
    }
}

#[test]
fn a_pattern_becomes_a_flag_only_where_a_name_begins_with_a_dash() {
    let place =
        Place { cwd: "/home/me/project".into(), workspace: "/home/me/project".into(), home: Some("/home/me".into()) };
    let judged = |command: &str, dashed: bool| {
        let mut facts = Facts { place: place.clone(), ..Facts::default() };
        for folder in ["/home/me/project", "/home/me/project/src"] {
            facts.folders.insert(folder.into(), FolderFact { dashed: dashed && !folder.ends_with("src") });
        }
        facts.parted.insert("/home/me/project/*.c".into(), false);
        let settings = AssessSettings::default();
        let mut judge = Judge::new(&facts.place, Some(&facts), &settings.sensitive, command);
        judge.whole(command);
        assessment(judge).class()
    };
    for command in [
        "sort *",
        "sed -n 1p *.txt",
        "file ?.c",
        "for f in *.json; do jq . \"$f\"; done",
        "sort [a-c]*",
        "printf *",
        "for f in *; do printf \"$f\\n\" a; done",
        "[ * ]",
        "for f in *.c; do [ -s $f ] && wc -l $f; done",
    ] {
        assert_eq!(judged(command, false), Class::Whitelisted, "{command}");
        assert_ne!(judged(command, true), Class::Whitelisted, "{command}");
    }
    assert_eq!(judged("cd src && sort *", false), Class::Whitelisted);
    for command in ["cd \"$x\" && sort *", "sort $x*", "cd /elsewhere && sort *", "find . -execdir sort * \\;"] {
        assert_ne!(judged(command, false), Class::Whitelisted, "{command}");
    }
    // The folder where the pattern was expanded counts, not the one where it is used.
    assert_ne!(judged("for f in *.json; do (cd src && jq . \"$f\"); done", true), Class::Whitelisted);
    for command in
        ["printf $(ls)", "[ $(ls) = x ]", "x=$(ls); test $x = y", "for f in $(git ls-files); do printf \"$f\" x; done"]
    {
        assert_ne!(judged(command, false), Class::Whitelisted, "{command}");
    }
    for command in
        ["for f in *; do [ -f \"$f\" ] && echo \"$f\"; done", "[ -f src/*.c ]", "[ $(git rev-parse HEAD) = x ]"]
    {
        assert_eq!(judged(command, false), Class::Whitelisted, "{command}");
    }
    assert_eq!(judged("find . -name '*.json' | xargs sort", false), Class::Unreadable, "names are split at blanks");
}

#[test]
fn everything_below_a_home_or_system_folder_is_not_shown() {
    for command in [
        "grep -r . ~",
        "grep -rh '' /etc",
        "rg . /root",
        "cd / && grep -r x .",
        "find ~ -type f -exec cat {} +",
        "find / -exec grep x {} \\;",
        "find /etc -type f | xargs cat",
        "find / -name shadow -exec cat {} \\;",
        "find ~ -name deploy -exec cat {} +",
        "find ~ -name hosts.yml -exec cat {} +",
        "find /etc -iname 'SHAD*' | xargs head",
        "find / -name x -o -type f -exec cat {} +",
        "find / -exec cat {} + -name x",
        "find / ! -name x -exec cat {} +",
        "find / -not \\( -name x \\) -exec cat {} +",
        "find / -path /proc -prune -o -print | xargs cat",
        "ls -a ~ | xargs cat",
        "cat $(find / -type f)",
        "for f in $(find ~ -type f); do cat \"$f\"; done",
        "diff -r ~ /dev/null",
    ] {
        asks(command);
    }
    for command in [
        "grep -r x ~/src",
        "grep -rl x /etc",
        "grep -r --include='*.conf' x /etc",
        "find / -name '*.conf' -exec grep x {} +",
        "find / \\( -name '*.c' -o -name '*.h' \\) -exec grep x {} +",
        "find / -type f -exec md5sum {} +",
        "find /etc -type f | wc -l",
        "find ~ -size +10M -exec ls -l {} \\;",
        "find . -type f -exec cat {} +",
        "find /usr/share -type f | xargs grep -l x",
        "cat $(find . -name '*.md')",
        "for f in $(git ls-files); do wc -l \"$f\"; done",
    ] {
        allowed(command);
    }
}

#[test]
fn what_a_filter_picks_from_a_search_is_not_read_unseen() {
    for command in [
        "find . -type f | grep '\\.env$' | xargs cat",
        "git ls-files | grep -i 'id_rsa' | xargs cat",
        "find . | grep -E '\\.(en|x)v$' | xargs cat",
        "find . | grep -o '.*\\.env' | xargs cat",
        "find . -name .env.example | head -c 6 | xargs cat",
        "ls | rev | xargs cat",
        "find . | grep -f patterns | xargs cat",
        "cat $(ls -a | grep '^\\.e')",
        "find /etc -regex '.*/sha.ow' -exec cat {} +",
        "find /etc -regex '.*\\(shad\\)ow' -exec cat {} +",
        "find /etc -name 's*w' -exec cat {} +",
        "grep -r --include='*a*' . /etc",
        "cd /etc && ls s* | xargs cat",
        "cd /etc; for f in s*; do cat $f; done",
        "fd '\\.(en|x)v$' -H -x cat",
    ] {
        asks(command);
    }
    for command in [
        "find . -type f | grep '\\.rs$' | xargs wc -l",
        "git ls-files | grep -v test | head -5 | xargs head -3",
        "ls | grep '^a' | sort | xargs cat",
        "cat $(git ls-files | grep '\\.md$')",
        "grep env README.md | head -c 20",
    ] {
        allowed(command);
    }
}

#[test]
fn what_a_listing_shows_beside_names_is_no_path() {
    for command in [
        "ls -l --time-style=+-oout | xargs -n1 sort",
        "TZ='<-oout>0' ls -l --time-style=+%Z | xargs -n1 sort",
        "ls -l --time-style=+/etc/shadow | xargs cat",
        "ls -l --time-st=+/etc/shadow | xargs cat",
        "ls -l sub | xargs -n1 cat",
        "for f in $(ls -l sub); do cat $f; done",
        "ls -F | xargs cat",
        "ls --indicator-style=classify | xargs cat",
        "ls --color=always | xargs cat",
        "vdir sub | xargs -n1 cat",
        "ls * | xargs sort",
        "fd --path-separator=' -oout ' | xargs -n1 sort",
        "fd --path-separator ' .env ' | xargs cat",
        "fd --path-separator=' .env ' -x cat",
        "fd -l . sub | xargs -n1 cat",
        "fd --format .env | xargs cat",
        "fd . --search-path /etc | xargs cat",
        "grep -l --label=-oout hello - < src/a.c | xargs sort",
        "echo x | grep -l --label=.env x | xargs cat",
        "echo x | grep -l --label .env x | xargs cat",
        "ls | grep -L --label=.env x | xargs cat",
        "ls | grep -L --lab=.env x | xargs cat",
        "git ls-files --format=.env | xargs cat",
        "git ls-files --form=.env | xargs cat",
        "git ls-files -s | xargs cat",
        "git ls-tree -r HEAD --format=/etc/shadow | xargs cat",
        "git ls-tree -r HEAD | xargs cat",
        "eza -l --time-style=+.env | xargs cat",
        "eza -l | xargs cat",
        "rg --files --hyperlink-format='x:// .env {path}' --color=always | xargs cat",
        "rg --files --path-separator=x | xargs cat",
        "rg -l -c x | xargs cat",
        "find sub -ls | xargs -n1 cat",
        "cat $(command -V g)",
        ".env() { ls; }; cat $(command -v .env)",
        "f=$(fd -a x); cat \"${f%/*}.env\"",
    ] {
        asks(command);
    }
    for command in [
        "ls src/*.ts | xargs head -1",
        "find . -name '*.c' | xargs grep x",
        "ls -t | head -3 | xargs cat",
        "ls -1tr --sort=time src | xargs cat",
        "ls -I '*.o' -p src | grep -v / | xargs cat",
        "git ls-files | xargs wc -l",
        "git ls-files -o --exclude-standard -x '*.o' | xargs wc -l",
        "git ls-tree -r --name-only HEAD | xargs wc -l",
        "grep -rlni --include='*.c' x src | xargs head -3",
        "grep -rlE --exclude-dir vendor x . | xargs wc -l",
        "rg -l -t rust -g '!x' x src | xargs wc -l",
        "rg --files --sort path src | xargs wc -l",
        "fd -e rs -t f -d 3 | xargs wc -l",
        "fd -a -e rs | xargs wc -l",
        "ag -l x src | xargs wc -l",
        "eza -1 src | xargs wc -l",
        "cat $(command -v npm)",
    ] {
        allowed(command);
    }
}

#[test]
fn names_among_which_a_sensitive_one_may_be_are_shown_whole_only_behind_walls() {
    for (command, walled) in [
        ("ls -a | xargs cat", true),
        ("cat $(ls -a)", true),
        ("for f in $(ls -A); do head -3 \"$f\"; done", true),
        ("find . -type f | xargs cat", true),
        ("find . -type f -print0 | sort -z | xargs -0 cat", true),
        ("find . -type f -exec cat {} +", true),
        ("find . -name '*.rs' -o -type f -exec sed -n 1p {} +", true),
        ("fd -H -x cat", true),
        ("rg --files --hidden | xargs head", true),
        ("grep -rl todo . | xargs cat", true),
        ("git ls-files -o | xargs cat", true),
        ("find . -type f | grep -v '\\.rs$' | xargs cat", true),
        ("find . -type f | xargs cat | wc -l", true),
        ("ls | xargs cat", false),
        ("find . -name '*.rs' | xargs cat", false),
        ("find . -type f -name '*.md' -exec head -3 {} +", false),
        ("find . -type f | grep '\\.rs$' | xargs cat", false),
        ("fd -H -e rs -x cat", false),
        ("grep -rl --include='*.rs' x . | xargs cat", false),
        ("git ls-files | xargs cat", false),
        ("git ls-files | xargs wc -l", false),
        ("find . -type f -exec grep -n x {} +", false),
        ("find . -type f | xargs grep -l x", false),
        ("find . -type f | xargs md5sum", false),
        ("find . -type f -exec ls -l {} +", false),
        ("find . -type f | head", false),
    ] {
        allowed(command);
        assert_eq!(judged(command).walled.is_some(), walled, "{command}");
    }
}

#[test]
fn a_listing_shows_names_and_nothing_that_files_hold() {
    for (command, listing) in [
        ("ls -la /srv | head -50", true),
        ("cd /srv && ls; echo; du -sh ./* | sort -h | tail", true),
        ("find /srv -name '*.rs' -size +1M | wc -l", true),
        ("ls -R /srv | grep '\\.rs$' | wc -l", true),
        ("wc -l /srv/*", false),
        ("grep -rl 'PASSWORD=a' /srv", false),
        ("cd /srv && grep -rc 'PASSWORD=a'", false),
        ("cd /srv && rg -c 'PASSWORD=a'", false),
        ("find /srv -type f -exec grep -q 'PASSWORD=a' {} \\; -print", false),
        ("md5sum /srv/*", false),
        ("cd /srv && ls | make -n", false),
        ("find /srv -type f -exec wc --files0-from={} \\;", false),
        ("find /srv -type f | xargs file -m", false),
        ("ls /srv | xargs cat", false),
        ("ls /srv; cat /srv/a", false),
        ("find /srv -type f -exec head -3 {} +", false),
        ("head -3 < /srv/a", false),
        ("echo \"$(< /srv/a)\"", false),
        ("echo \"$(cat /srv/a)\"; ls", false),
        ("ls | grep -r x", false),
        ("ls | git -C /srv diff", false),
        ("grep -r x /srv", false),
        ("while read -r x; do echo \"$x\"; done < /srv/a", false),
        ("ls; rm a", false),
    ] {
        assert_eq!(judged(command).listing, listing, "{command}");
    }
}
