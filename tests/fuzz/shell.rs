//! Command lines: by bash's grammar, over the words of real ones; real ones, changed; nesting; noise.

use super::random::{Random, mutated, noise};

/// What mutations put in.
const MARKS: &[&str] = &[
    " ",
    "\n",
    ";",
    "|",
    "&",
    "&&",
    "||",
    ">",
    ">>",
    "<",
    "<<",
    "<<<",
    ">&",
    "2>",
    "&>",
    "|&",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "((",
    "))",
    "$",
    "$(",
    "${",
    "$((",
    "`",
    "'",
    "\"",
    "\\",
    "$'",
    "$\"",
    "#",
    "!",
    "~",
    "*",
    "?",
    "=",
    "-",
    "--",
    "x=",
    "PATH=",
    "{a,b}",
    "{1..3}",
    "$x",
    "\"$x\"",
    "$@",
    "${x:-y}",
    "${x/y/z}",
    "\\\n",
    "\t",
    "-exec",
    "xargs",
    "env",
    "cd ..;",
    "; rm x",
    "$(rm x)",
    "> out",
    "eval",
    "sh -c",
    "<(",
    ">(",
    "EOF",
    "<<EOF\n",
    "<<\"E\"",
    "<<-E",
    ") )",
    "((rm x) )",
    "<(:)#",
    "a=()#",
    "# $(rm x)\n",
    "function",
    "alias",
    "trap",
    "coproc",
    "/dev/tcp/a/1",
    "-o out",
    "--output=out",
    "-i",
    "-w",
    "tee out",
    "| sh",
    "exec",
    "source",
    ". ",
    "export",
    "IFS=",
    "set --",
    "read",
    "printf -v",
];

/// What nests, each with what closes it.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("{ ", "; }"),
    ("$(", ")"),
    ("${x:-", "}"),
    ("`", "`"),
    ("\"$(", ")\""),
    ("((", "))"),
    ("$((", "))"),
    ("[[ ", " ]]"),
    ("if ", "; then :; fi"),
    ("while ", "; do :; done"),
    ("for x in ", "; do :; done"),
    ("case ", " in *) ;; esac"),
    ("{a,", "}"),
    ("! ", ""),
    ("a|", ""),
    ("a&&", ""),
    ("a;", ""),
    ("<(", ")"),
    ("'", "'"),
    ("\"", "\""),
    ("\\", ""),
    ("env ", ""),
    ("sh -c '", "'"),
    ("x=", ""),
    ("<<a\n", "\na\n"),
    ("> ", ""),
    ("f() { ", "; }"),
    ("time ", ""),
    ("-", ""),
    ("$[", "]"),
    ("x[", "]=1"),
    ("*", ""),
    ("find . \\( ", " \\)"),
    ("awk '{", "}'"),
    ("sed -n '{", "}'"),
    ("xargs ", ""),
    ("a=$((a+", "))"),
    ("{1..9}", ""),
    ("$x", ""),
];

/// Real lines, and the words of them.
pub struct Pool {
    /// Lines that only read.
    readers: Vec<String>,
    /// All lines.
    lines: Vec<String>,
    programs: Vec<String>,
    words: Vec<String>,
}

impl Pool {
    /// From lines that only read, and others.
    pub fn new(readers: Vec<String>, others: Vec<String>) -> Self {
        let programs = readers.iter().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
        let words = readers.iter().flat_map(|line| line.split_whitespace().skip(1)).map(str::to_owned).collect();
        let lines = others.into_iter().chain(readers.iter().cloned()).collect();
        Self { readers, lines, programs, words }
    }

    /// A line, mostly one that only reads.
    fn some(&self, random: &mut Random) -> String {
        if random.one_in(3) { random.of(&self.lines).to_owned() } else { random.of(&self.readers).to_owned() }
    }
}

/// One command line.
pub fn line(random: &mut Random, pool: &Pool) -> String {
    match random.below(20) {
        0..=6 => list(random, pool, 0),
        7..=14 => {
            let line = pool.some(random);
            mutated(random, &line, &pool.lines, MARKS)
        }
        15 | 16 => {
            let joint = random.pick(&["; ", " && ", " || ", " | ", " & ", "\n", " |& "]);
            [pool.some(random), pool.some(random)].join(joint)
        }
        17 => nested(random, pool),
        18 => (0..random.below(20)).map(|_| random.pick(MARKS)).collect::<Vec<_>>().join(random.pick(&["", " "])),
        _ => noise(random),
    }
}

/// Something within something, many times.
fn nested(random: &mut Random, pool: &Pool) -> String {
    // The longest take as long as a thousand others.
    let cap = if random.one_in(50) { 64 * 1024 } else { [20, 20, 200, 200, 200, 2_000, 2_000][random.below(7)] };
    let kinds: Vec<(&str, &str)> = (0..=random.below(2)).map(|_| NESTS[random.below(NESTS.len())]).collect();
    let width: usize = kinds.iter().map(|(open, close)| open.len() + close.len()).sum();
    let times = 1 + random.below(cap) / width.max(1);
    let opened: String = kinds.iter().map(|kind| kind.0).collect::<String>().repeat(times);
    let closed: String =
        kinds.iter().rev().map(|kind| kind.1).collect::<String>().repeat(if random.one_in(3) { 0 } else { times });
    format!("{opened}{}{closed}", random.of(&pool.lines))
}

fn list(random: &mut Random, pool: &Pool, depth: usize) -> String {
    let mut text = pipeline(random, pool, depth);
    while random.one_in(3) && text.len() < 2_000 {
        text += random.pick(&["; ", " && ", " || ", "\n", " & "]);
        text += &pipeline(random, pool, depth);
    }
    text
}

fn pipeline(random: &mut Random, pool: &Pool, depth: usize) -> String {
    let mut text = if random.one_in(20) { "! ".to_owned() } else { String::new() };
    text += &command(random, pool, depth);
    while random.one_in(4) && text.len() < 2_000 {
        text += " | ";
        text += &command(random, pool, depth);
    }
    text
}

fn command(random: &mut Random, pool: &Pool, depth: usize) -> String {
    if depth > 3 || !random.one_in(3) {
        return simple(random, pool, depth);
    }
    let mut inner = || list(random, pool, depth + 1);
    let (one, two) = (inner(), inner());
    let word = word(random, pool, depth + 1);
    match random.below(13) {
        0 => format!("( {one} )"),
        1 => format!("{{ {one}; }}"),
        2 => format!("if {one}; then {two}; else :; fi"),
        3 => format!("for v in {word} a; do {one}; done"),
        4 => format!("while {one}; do {two}; break; done"),
        5 => format!("case {word} in a*) {one};; *) {two};; esac"),
        6 => format!("[[ {word} == a* ]] && {one}"),
        7 => format!("(( x = 1 + {} )); {one}", random.below(99)),
        8 => format!("bash -c '{}'", one.replace('\'', "'\\''")),
        9 => format!(
            "{} {one}",
            random.pick(&["env", "nice", "timeout 5", "command", "xargs", "nohup", "time", "env A=b"])
        ),
        10 => format!("cat <<END\n{word}\n$({one})\nEND\n"),
        11 => format!("v=$({one}); echo \"$v\" {word}"),
        _ => format!("{one} {}", redirect(random, pool)),
    }
}

fn simple(random: &mut Random, pool: &Pool, depth: usize) -> String {
    // A real command with its own words, or with anybody's.
    let mut words: Vec<String> = if random.one_in(4) {
        let program = random.of(&pool.programs).to_owned();
        let rest = (0..random.below(4)).map(|_| word(random, pool, depth)).collect::<Vec<_>>();
        std::iter::once(program).chain(rest).collect()
    } else {
        random.of(&pool.readers).split(' ').map(str::to_owned).collect()
    };
    if random.one_in(4) {
        let at = 1 + random.below(words.len());
        words.insert(at, word(random, pool, depth));
    }
    if random.one_in(6) {
        words.push(redirect(random, pool));
    }
    if random.one_in(12) {
        words.insert(0, random.pick(&["A=b", "LC_ALL=C", "x=$y", "PATH=.", "GIT_DIR=x", "v=1"]).to_owned());
    }
    words.join(" ")
}

fn word(random: &mut Random, pool: &Pool, depth: usize) -> String {
    let plain = random.of(&pool.words).to_owned();
    match random.below(12) {
        0 => format!("'{}'", plain.replace('\'', "")),
        1 => format!("\"{}\"", plain.replace(['"', '$', '`', '\\'], "")),
        2 => format!("\\{plain}"),
        3 if depth < 3 => format!("$({})", simple(random, pool, depth + 1)),
        4 => random
            .pick(&["$v", "\"$v\"", "${v:-x}", "$1", "\"$@\"", "$HOME/x", "~", "$?", "${v%x}", "${#v}"])
            .to_owned(),
        5 => random.pick(&["*", "*.txt", "[ab]*", "?", "src/*", "{a,b}", "{1..3}", "-{n,l}"]).to_owned(),
        6 => random
            .pick(&["notes.txt", "README.md", "src/main.rs", "data/a.csv", "src", ".", "..", "/tmp", "a b.txt"])
            .to_owned(),
        7 if depth < 3 => format!("<({})", simple(random, pool, depth + 1)),
        _ => plain,
    }
}

fn redirect(random: &mut Random, pool: &Pool) -> String {
    let target = word(random, pool, 3);
    match random.below(9) {
        0..=3 => random
            .pick(&["> /dev/null", "2>&1", "2>/dev/null", "< notes.txt", "< /dev/null", ">&2", "&>/dev/null"])
            .to_owned(),
        4 => format!("< {target}"),
        5 => format!("<<< {target}"),
        6 => format!("> {target}"),
        7 => format!("2>> {target}"),
        _ => format!("{}> {target}", random.below(12)),
    }
}
