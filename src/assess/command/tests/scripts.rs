//! Golden lines about scripts: functions, arrays, loops that are left early, paths that a search found.

use super::{allowed, asks};

#[test]
fn functions_are_judged_where_they_are_called() {
    for command in [
        "count() { ls \"$1\" | wc -l; }; count src",
        "count() { wc -l < \"$1\"; }; count notes.txt",
        "f() { grep -n \"$1\" src/main.rs; }; f foo; f bar | head",
        "function show { head -n 5 \"$1\"; }; show README.md",
        "hr() { printf '%s\\n' '-----'; }; hr; ls; hr",
        "all() { for f in \"$@\"; do wc -l \"$f\"; done; }; all a.txt b.txt",
        "inner() { cat \"$1\"; }; outer() { inner \"$1\" | sort; }; outer a.txt",
        "f() { local n=$1; head -n \"$n\" a.txt; }; f 3",
        "f() { if [ -z \"$1\" ]; then return 1; fi; ls \"$1\"; }; f src",
        "danger() { rm -rf build; }; ls",
    ] {
        allowed(command);
    }
    for command in [
        "f() { rm -rf \"$1\"; }; f build",
        "f() { cat \"$1\"; }; f .env",
        "f() { cat \"$@\"; }; f a.txt .env",
        "f() { cat \"$2\"; }; f .env a.txt .env; f a .env",
        "f() { shift; cat \"$1\"; }; f a.txt .env",
        "x=a.txt; f() { cat $x; }; x=.env f",
        "x=a.txt; f() { x=.env; return; x=a.txt; }; f; cat $x",
        "x=a.txt; f() { local x=.env; g; }; g() { cat $x; }; f",
        "f() { ls; }; if [ -f a ]; then f() { rm x; }; fi; f",
        "[ -f a ] && f() { rm x; }; f",
        "ls() { rm x; }; ls",
        "cd() { rm x; }; cd src",
        "command_not_found_handle() { rm x; }; nosuch",
        "f() { f; }; f",
        "f() { g; }; g() { f; }; f",
        "f; f() { ls; }",
        "f() { ls; } > out; f",
        "f() { \"$@\"; }; f rm x",
        "f() { $1 x; }; f rm",
        "f() { cd /etc; }; f; cat shadow",
        "f() { cat \"$1\"; }; env f .env",
    ] {
        asks(command);
    }
}

#[test]
fn arrays_are_their_members() {
    for command in [
        "files=(a.txt b.txt); wc -l \"${files[@]}\"",
        "files=(a.txt b.txt); for f in \"${files[@]}\"; do head -1 \"$f\"; done",
        "files=(a.txt b.txt); cat \"${files[0]}\"",
        "files=(a.txt); files+=(b.txt); cat ${files[@]}",
        "files=(*.md); wc -l \"${files[@]}\"",
        "declare -A m=([a]=1 [b]=2); echo \"${m[a]}\"",
        "arr=(a b c); for i in \"${!arr[@]}\"; do echo \"$i ${arr[$i]}\"; done",
        "f=src/a.rs; d=src; echo \"${f#\"$d\"/}\" \"${f:-\"none\"}\" ${f:+\"$f\"}",
        "declare -A m; m[a]=1; echo \"${m[a]}\"; echo \"${!m[@]}\"",
    ] {
        allowed(command);
    }
    for command in [
        "declare -A arr; arr=(a b); for i in \"${!arr[@]}\"; do echo $((i)); done",
        "arr=(a b); for x in 1 2; do for i in \"${!arr[@]}\"; do echo $((i)); done; unset arr; declare -A arr; arr=(\"$y\" 2); done",
        "f() { local -A arr; arr=(a b); }; f; for i in \"${!arr[@]}\"; do cat \"/srv/$i/../$x\"; done",
        "echo \"${x:-\"$(rm a)\"}\"",
        "echo \"${x#\"}\"; rm a; \"${y}\"",
        "files=(a.txt .env); cat \"${files[@]}\"",
        "files=(a.txt .env); cat \"${files[1]}\"",
        "files=(a.txt); files+=(.env); cat \"${files[@]}\"",
        "files=(a.txt); files[0]=.env; cat \"${files[@]}\"",
        "files=(a.txt); files=.env; cat \"${files[@]}\"",
        "files=(.env); local files=(a.txt); cat \"${files[@]}\"",
        "f=(a.txt); [ -f x ] && f=(.env); cat \"${f[@]}\"",
        "f=($(cat list)); cat \"${f[@]}\"",
        "f=(-o out); sort \"${f[@]}\" a.txt",
        "m['$(rm x)']=1",
        "read k; m[$k]=1",
        "declare -A m; read k; m[$k]=1",
        "m=(1); declare -A m; read k; echo ${m[$k]}",
        "x=(a) ls",
    ] {
        asks(command);
    }
}

#[test]
fn what_a_loop_passes_on_from_pass_to_pass_is_followed_to_its_end() {
    for head in ["for i in a b c d", "for i in *", "while true", "for i in {1..40}"] {
        let chain = |steps: usize| {
            let set: Vec<String> = (0..=steps).map(|at| format!("v{at}=ok")).collect();
            let pass: Vec<String> = (0..steps).map(|at| format!("v{at}=$v{}", at + 1)).collect();
            format!("{}; {head}; do cat $v0; {}; v{steps}=/etc/shadow; done", set.join(" "), pass.join("; "))
        };
        for steps in [1, 2, 3, 8, 20] {
            asks(&chain(steps));
        }
    }
    allowed("n=0; for f in a b; do n=$((n+1)); m=$n; cat $f; echo $m; done");
}

#[test]
fn a_loop_may_be_left_where_it_says_so() {
    for command in [
        "f=a; for i in 1; do f=.env; break; f=a; done; cat $f",
        "f=a; while true; do f=.env; continue; f=a; done; cat $f",
        "for i in 1 2; do while true; do f=.env; break 2; done; f=a; done; cat $f",
        "cd src; for i in 1; do cd /etc; break; cd /home/me/project/src; done; cat shadow",
    ] {
        asks(command);
    }
    allowed("for f in a b; do [ -f \"$f\" ] || continue; wc -l \"$f\"; done");
}

#[test]
fn whole_paths_of_a_search_are_no_flags() {
    for command in [
        "find . -name '*.json' -print0 | xargs -0 jq .version",
        "find src -name '*.rs' -print0 | xargs -0 sed -n '1,5p'",
        "find . -type f -print0 | xargs -0 file",
        "find . -type d -exec cat {}/Cargo.toml \\;",
        "find . -type d | while read -r d; do wc -l \"$d/README.md\"; done",
        "find . -name x -exec sh -c 'wc -l $1' _ {} \\;",
        "find . -name '*.rs' -print0 | while IFS= read -r -d '' f; do sed -n 1p \"$f\"; done",
    ] {
        allowed(command);
    }
    for command in [
        "find . -name '*.rs' | xargs sed -n '1,5p'",
        "find . -name '*.rs' -print0 | xargs sed -n '1,5p'",
        "find . -name '*.rs' -print0 | sort -z | xargs -0 sed -n '1,5p'",
        "find . -name '*.rs' -print0 -print | xargs -0 sed -n '1,5p'",
        "find \"$d\" -name '*.rs' -print0 | xargs -0 sed -n '1,5p'",
        "find . -print0 | while read -r -d '' f; do sed -n 1p $f; done",
        "find . -name .env -print0 | xargs -0 cat",
        "find . -type d -exec cat {}/.env \\;",
        "find . -type d -exec cat '{}/../notes' \\;",
        "find . -type d | xargs -I% cat %/../.ssh/id_rsa",
        "find . -type d -print0 | xargs -0 -I{} head {}/id_rsa",
        "cat $(find . -name x)/../.env",
        "cat $(which which)/../../../etc/shadow",
        "find . -type d | while read -r d; do cat \"$d/.env\"; done",
        "for d in $(find . -type d); do cat $d/.env; done",
        "for d in $(find . -type d); do cat \"$d/$x\"; done",
        "find . -type d -exec grep -r x {}/secrets.yml \\;",
        "find . -name x -exec sh -c 'sort $1' _ {} \\;",
    ] {
        asks(command);
    }
}

#[test]
fn a_date_is_numbers_with_text_between() {
    for command in [
        "cat \"app-$(date +%F).log\"",
        "tail -n 20 log.$(date +%Y-%m-%d)",
        "IFS=$'\\n'; for l in $(cat a); do echo \"$l\"; done",
    ] {
        allowed(command);
    }
    for command in [
        "cat \".env$(date -d x +%F)\"",
        "cat \"$(date +.env)\"",
        "cat log.$(date +%B)",
        "cat log.$(date +%c)",
        "x=a.txt; x=.env :; cat $x",
    ] {
        asks(command);
    }
}

#[test]
fn what_sh_runs_has_the_words_behind_it() {
    for command in [
        "bash -c 'wc -l \"$1\"' _ a.txt",
        "bash -c 'wc -l \"$0\"' a.txt",
        "sh -c 'for f; do wc -l \"$f\"; done' _ a.txt b.txt",
        "find . -type f -exec sh -c 'wc -l \"$1\"' _ {} \\;",
        "find . -name '*.txt' -exec sh -c 'for f; do wc -l \"$f\"; done' _ {} +",
        "if [ $(wc -l < a.txt) -gt 10 ]; then head a.txt; fi",
        "sed -n \"$((3 + 2))p\" a.txt",
        "n=$(wc -l < a.txt); sed -n \"${n}p\" a.txt; awk \"NR==$n\" a.txt",
        "cat a.txt | while read -r l; do echo \"$((++i)) $l\"; done",
        "head -1 $(command -v npm)",
    ] {
        allowed(command);
    }
    for command in [
        "bash -c 'cat \"$1\"' _ .env",
        "bash -c 'cat \"$0\"' .env",
        "bash -c 'cat \"$1\"' _ $x",
        "bash -c 'cat \"$2\"' _ *.txt .env",
        "bash -c 'cat $1' _ 'a .env'",
        "bash -c '\"$@\"' _ rm x",
        "sh -c 'for f; do cat \"$f\"; done' _ .env",
        "find . -name .env -exec sh -c 'cat \"$1\"' _ {} \\;",
        "[ -v $(wc -l < a) \"$x\" ]",
        "[ \"$a\" $(wc -l < a) \"$b\" ]",
        "sed \"s/a/b/$((1))e\" a.txt",
        "n=$(wc -l < a); sed \"${n}e id\" a.txt",
        "n=$(wc -l < a); sed -n \"${n}w out\" a.txt",
        "n=$(wc -l < a); awk \"BEGIN { system$n(\\\"id\\\") }\"",
        "i=x; read l; echo $((l))",
        "cat $(command -v ./.env)",
    ] {
        asks(command);
    }
}

#[test]
fn values_that_double_stay_small() {
    let doubled = |start: &str, step: &str| format!("{start}{}echo hi", step.repeat(60));
    for script in [
        doubled("x=a; ", "x=$x$x; "),
        doubled("x=aaaa; ", "x=\"$x$x\"; "),
        doubled("a=(b c); ", "a=(\"${a[@]}\" \"${a[@]}\"); "),
        doubled("a=(b); ", "a=(\"${a[0]}${a[0]}\"); "),
    ] {
        allowed(&script);
    }
    let calls: Vec<String> = (1..12).map(|n| format!("f{n}() {{ f{} \"$@\" \"$@\"; }}; ", n - 1)).collect();
    allowed(&format!("f0() {{ echo \"$@\"; }}; {}f11 {}", calls.concat(), "a ".repeat(1000)));
}

#[test]
fn what_a_redirection_brings_is_not_what_a_pipe_brings() {
    for command in [
        "git ls-files | xargs head <<< .env",
        "git ls-files | xargs head < list",
        "git ls-files | { xargs head; } < list",
        "git ls-files | (xargs head < list)",
        "git ls-files | { exec < list; xargs head; }",
        "git ls-files | { { exec < list; }; xargs head; }",
        "git ls-files | while read -r f; do read -r g < list; cat \"$g\"; done",
        "git ls-files | while read -r f; do cat \"$f\"; done < list",
        "git ls-files | while read -r f <&3; do cat \"$f\"; done 3< list",
        "git ls-files | while read -u 3 f; do cat \"$f\"; done 3< list",
        "git ls-files | sort < list | xargs cat",
        "git ls-files | bash -c 'read -r f; cat \"$f\"' <<< .env",
        "f() { xargs cat; } < list; git ls-files | f",
        "while read -r f; do cat \"$f\"; done < <(cat list)",
        "while read -r f; do cat \"$f\"; done < <(git ls-files; cat list)",
        "while read -r f; do cat \"$f\"; done <<< \"$(cat list)\"",
    ] {
        asks(command);
    }
    for command in [
        "git ls-files | { exec 3< list; xargs wc -l; }",
        "while read -r f; do wc -l \"$f\"; done < <(git ls-files '*.rs')",
        "while read -r f; do wc -l \"$f\"; done <<< \"$(git ls-files)\"",
        "git log --format=%H -n 3 | while read -r h; do git show --stat \"$h\"; done",
        "git rev-list -n 5 HEAD | xargs -n1 git show -s",
        "f() { head -5 \"${1:-README.md}\"; }; f; f src/a.rs",
        "d=src; ls \"${d:-.}\"",
        "printf -v s '%05d' 42; echo \"$s\"",
    ] {
        allowed(command);
    }
    for command in
        ["cat \"${f:-README.md}\"", "f() { cat \"${1:-.env}\"; }; f", "printf -v PATH x; ls", "printf -v \"$x\" y"]
    {
        asks(command);
    }
}

#[test]
fn help_of_what_may_be_code_asks() {
    for command in [
        "node x.js --help",
        "php x.php --version",
        "bun x.ts --help",
        "deno x.ts --version",
        "dotnet x.dll --help",
        "yarn foo --help",
        "yarn run foo --help",
        "pnpm foo --version",
        "poetry run foo --help",
        "uv run foo --help",
        "bundle exec foo --version",
        "npx foo --version",
        "mix foo --help",
        "swift x.swift --help",
        "cargo +/tmp/x --version",
        "rustfmt +/tmp/x --version",
        "git ./x --help",
        "kubectl ./x --help",
    ] {
        asks(command);
    }
    for command in [
        "npm install --help",
        "yarn add --help",
        "cargo build --help",
        "docker run --help",
        "git commit --help",
        "pip install --help",
    ] {
        allowed(command);
    }
}

#[test]
fn a_piece_of_what_read_takes_is_no_name() {
    for command in [
        "find . -name '*.txt' -print0 | while IFS= read -r -d '' f; do sort \"$f\"; done",
        "find . -name '*.txt' -print0 | while IFS= read -rd '' f; do sort \"$f\"; done",
        "find . -name '*.txt' | while read -r -p more f; do cat \"$f\"; done",
        "git log --format=%H | while read -r h; do git show \"$h\"; done",
        "seq 30 | while read -n 1 i; do echo $((i + 1)); done",
        "cat a | while read -rn1 c; do echo \"$c\"; done",
    ] {
        allowed(command);
    }
    for flags in ["-n 3", "-n3", "-N 3", "-t 1", "-t0.1", "-d ' '", "-d x", "-rn3", "-rd x"] {
        for command in [
            format!("find . -name '*.txt' -print0 | while IFS= read -r -d '' {flags} f; do sort \"$f\"; done"),
            format!("find . -name '*.txt' -print0 | while IFS= read {flags} -d '' f; do sort \"$f\"; done"),
            format!("find . -name '*.txt' | while read -r {flags} f; do cat \"$f\"; done"),
            format!("git log --format=%H | while read {flags} h; do git show \"$h\"; done"),
        ] {
            asks(&command);
        }
    }
    asks("find . -name '*.txt' -print0 | while read -r -d '' -a f; do sort \"$f\"; done");
    asks("find . -name '*.txt' -print0 | while read -r -d '' -e -i '-oz' f; do sort \"$f\"; done");
}
