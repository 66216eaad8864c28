//! Scripts of harmless commands with every kind of quoting and expansion, in every position.

use proptest::prelude::*;
use proptest::sample::select;

/// One script.
#[derive(Clone, Debug)]
pub struct Script {
    /// Its text.
    pub text: String,
    /// Nothing in it decides what runs, or how often.
    pub straight: bool,
}

/// Scripts of one to four parts.
pub fn script() -> impl Strategy<Value = Script> {
    let parts = prop::collection::vec(prop_oneof![5 => simple().prop_map(|text| (text, true)), 2 => structure()], 1..4);
    let joints = prop::collection::vec(select(vec!["; ", "\n", " && ", " | ", " |& ", " &&\n", ";", "\n\n"]), 4);
    (assignments(), parts, joints, comment()).prop_map(|(assigned, parts, joints, comment)| {
        let mut text = assigned;
        for (nth, (part, _)) in parts.iter().enumerate() {
            let document = text.ends_with("END\n");
            text += if nth == 0 || document { "" } else { joints[nth] };
            text += part;
        }
        if !text.ends_with('\n') {
            text += &comment;
        }
        // A file that isn't there keeps a command from running; `command` is no program; what stands in a process
        // substitution may end later than the rest.
        let unsure = ["missing", "command", "<("].iter().any(|mark| text.contains(mark));
        let straight = parts.iter().all(|(_, straight)| *straight) && !unsure;
        Script { text, straight }
    })
}

/// Variables that the script sets first.
fn assignments() -> impl Strategy<Value = String> {
    prop::collection::vec((select(vec!["v", "w"]), value(), select(vec!["; ", "\n", " "])), 0..3)
        .prop_map(|all| all.iter().map(|(name, value, end)| [*name, "=", value, end].concat()).collect::<String>())
        .prop_map(
            |text| if text.ends_with(' ') && !text.ends_with("; ") { text.trim_end().to_owned() + "\n" } else { text },
        )
}

/// One command with its words.
fn simple() -> impl Strategy<Value = String> {
    let program =
        select(vec!["echo", "ls", "echo", "'echo'", "e\\cho", "\"ls\"", "echo -n", "l$'\\x73'", "command echo"]);
    let blank = select(vec![" ", "  ", "\t", " \\\n", " "]);
    let words = prop::collection::vec((blank, word()), 0..5);
    let redirect = select(vec![
        "",
        "",
        "",
        "",
        " >/dev/null",
        " 2>&1",
        " </dev/null",
        " 2>/dev/null >&2",
        " <<<x",
        " {v}>/dev/null",
        "{v}</dev/null",
    ]);
    (program, words, redirect).prop_map(|(program, words, redirect)| {
        let words: String = words.iter().flat_map(|(blank, word)| [*blank, word]).collect();
        format!("{program}{words}{redirect}")
    })
}

/// A compound command.
fn structure() -> impl Strategy<Value = (String, bool)> {
    let list = || prop::collection::vec(word(), 1..4).prop_map(|words| words.join(" "));
    prop_oneof![
        simple().prop_map(|inner| (format!("( {inner} )"), true)),
        simple().prop_map(|inner| (format!("{{ {inner}; }}"), true)),
        (simple(), simple()).prop_map(|(a, b)| (format!("if {a}; then {b}; fi"), false)),
        (list(), simple())
            .prop_map(|(list, inner)| (format!("for v in {list}; do {inner}; echo $v \"$v\"; done"), false)),
        (word(), simple()).prop_map(|(word, inner)| (format!("case {word} in a*) {inner};; *) echo x;; esac"), false)),
        (word(), simple()).prop_map(|(word, inner)| (format!("[[ {word} == a* ]] || {inner}"), false)),
        (simple(), word()).prop_map(|(inner, word)| (format!("{inner} || echo {word}"), false)),
        body().prop_map(|body| (format!("cat <<'END'\n{body}\nEND\n"), true)),
        body().prop_map(|body| (format!("cat <<END\n{body}\nEND\n"), true)),
        simple().prop_map(|inner| (format!("echo <({inner})"), true)),
        simple().prop_map(|inner| (format!("echo $({inner}) \"$({inner})\""), false)),
        simple().prop_map(|inner| (format!("bash -c '{}'", inner.replace('\'', "'\\''")), true)),
        (select(vec!["env A=b", "nice -n 3", "timeout 5", "nohup", "xargs", "time", "!"]), simple())
            .prop_map(|(wrapper, inner)| (format!("{wrapper} {inner}"), false)),
        (
            select(vec!["declare", "export", "local", "readonly", "typeset", "declare -r", "readonly v=a; export"]),
            value(),
            value()
        )
            .prop_map(|(builtin, v, w)| (format!("{builtin} v={v} w={w}; echo $v \"$v\" $w"), false)),
        (list(), word()).prop_map(|(list, word)| (format!("v=({list}); echo \"${{v[@]}}\" {word}"), false)),
        (word(), word()).prop_map(|(a, b)| (format!("test {a} = {b} && echo {b}"), false)),
        (simple(), simple()).prop_map(|(a, b)| (format!("{a} & {b}"), false)),
        (simple(), word())
            .prop_map(|(inner, word)| (format!("{inner} | while read -r v; do echo \"$v\" {word}; done"), false)),
    ]
}

/// Lines of a here-document.
fn body() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("plain 'text' \"here\"".to_owned()),
        Just("# rm x ; rm y".to_owned()),
        Just("$v ${w} \\$x \\\\".to_owned()),
        Just(" END".to_owned()),
        Just("$(echo inner)".to_owned()),
        "[a-z *'\"#;|&<>(){}~=]{0,12}",
    ];
    prop::collection::vec(line, 0..4).prop_map(|lines| lines.join("\n"))
}

/// What may follow a `#`.
fn comment() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        1 => "[a-z '\"`$(){};|&<>*~=!-]{0,12}".prop_map(|text| format!(" #{text}")),
        1 => Just(" # 'open".to_owned()),
    ]
}

/// A word of one to four pieces.
fn word() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop_oneof![6 => quoted(), 3 => expanded(), 2 => patterned()], 1..4);
    let start = prop_oneof![8 => Just(""), 1 => Just("~"), 1 => Just("~/"), 1 => Just("x=~/")];
    (start, pieces).prop_map(|(start, pieces)| format!("{start}{}", pieces.concat()))
}

/// The value of an assignment.
fn value() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![8 => quoted(), 1 => expanded(), 1 => patterned(), 1 => Just("~/x:~".to_owned())],
        0..3,
    )
    .prop_map(|pieces| pieces.concat())
}

/// Plain and quoted text.
fn quoted() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-zA-Z0-9_./:@%+,=^-]{1,4}",
        1 => "[a-z#~!\\]}=]{1,3}".prop_map(|text| format!("a{text}")),
        3 => "[a-z *?$`\"\\\\;|&<>(){}#~!\n\té\\[\\]-]{0,6}".prop_map(|text| format!("'{text}'")),
        3 => prop::collection::vec(
            select(vec!["a", " ", "*", "'", ";", "|", ">", "(", ")", "{a,b}", "#", "~", "\n", "é", "\\$", "\\`", "\\\"",
                "\\\\", "\\\n", "\\a", "\\*", "!", "[x]"]),
            0..5,
        ).prop_map(|text| format!("\"{}\"", text.concat())),
        2 => prop::collection::vec(
            select(vec!["a", " ", "*", "\\n", "\\t", "\\\\", "\\'", "\\\"", "\\x41", "\\x2f", "\\u00e9", "\\u0072", "\\101", "\\e", "\\a",
                "\\cA", "\\q", "\\x4", "$v", "`", "\"", "é"]),
            0..4,
        ).prop_map(|text| format!("$'{}'", text.concat())),
        2 => select(vec!["\\ ", "\\*", "\\$", "\\;", "\\'", "\\\"", "\\\\", "\\a", "\\~", "\\{", "\\#", "\\é", "\\|", "\\\n"])
            .prop_map(str::to_owned),
        1 => Just("\"\"".to_owned()),
    ]
}

/// Variables, substitutions, arithmetic.
fn expanded() -> impl Strategy<Value = String> {
    select(vec![
        "$v",
        "${v}",
        "\"$v\"",
        "\"${w}\"",
        "\"a$v\"",
        "${v:-x}",
        "\"${v:-x y}\"",
        "${#v}",
        "${v%x}",
        "\"${v#*/}\"",
        "${v/a/b}",
        "${v:1}",
        "$?",
        "$#",
        "$$",
        "$HOME",
        "\"$PWD\"",
        "$unset",
        "\"$unset\"",
        "$(echo a)",
        "\"$(echo 'a b')\"",
        "`echo a`",
        "\"`echo a`\"",
        "$((1+2))",
        "$((1-5))",
        "$(ls | wc)",
        "$(wc -l <a)",
        "$(wc -l <missing)",
        "\"$(wc -l <missing)\"",
        "\"$(( 3 * (2) ))\"",
        "$(ls | wc -l)",
        "$@",
        "\"$@\"",
        "\"$*\"",
        "$1",
        "\"$(echo \"$v\")\"",
        "$[1+1]",
        "${v^^}",
        "\"${v@Q}\"",
        "$-",
        "$!",
        "$_",
        "$",
        "\"$\"",
        "a$",
    ])
    .prop_map(str::to_owned)
}

/// Braces and patterns.
fn patterned() -> impl Strategy<Value = String> {
    const PATTERNS: &str = r#"
        * ? *.txt [ab] [!a]* a* src/* .* [ ] [] {a,b} {a,b,c}d {1..3} {a..c} {3..1} {01..3} {1..10..4} {a,} {,} {} {a}
        {a,b a,b} {'a',c} {a,{b,c}} {$v,x} {"a",c} {a\,b,c} -{a,b} {~,x} {a,b}{c,d} {*,x} {1..a} {a..3} {-1..1} x{1..2}y
        {a}{b,c} {a{b,c}} {a},b} {{a,b} {"{a,b}",c} "{01..2}" ${v}{a,b} {a,b}${v} {a..c..2} {1..2}{x,} "$v"{a,b} {a,"$v"}
        '{a,b}' \{a,b} {a,b\} {a,b}'c' {2..-1} {+1..3} {a,b}*
    "#;
    const SPACED: [&str; 4] = ["{a,`echo b`}", "{a,$(echo b)}", "$(echo {a,b}){c,d}", "\"$(echo {a,b})\""];
    select(PATTERNS.split_whitespace().chain(SPACED).map(str::to_owned).collect::<Vec<_>>())
}
