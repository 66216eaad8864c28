//! The shell's own commands that change what later words mean: `cd`, `export`, `unset`, `set`, and those that look a
//! word up or test it. Those that take what flows in stand in `lines`.

use super::arithmetic::counts;
use super::judge::{Feed, Judge};
use super::scope::{Scope, secret_variable};
use super::word::Word;
use crate::domain::PathKind;

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `cd` and `pushd`: what follows happens elsewhere.
pub(super) fn cd(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    let Some((physical, target)) = way(name, words) else {
        judge.readers.insert("cd".to_owned());
        judge.stood_in.insert(judge.scope.cwd.take());
        judge.scope.moved = true;
        return;
    };
    judge.readers.insert("cd".to_owned());
    if let Some(word) = target {
        enters(judge, word);
    }
    let home = judge.place.home.as_ref().map(|home| home.to_string_lossy().into_owned());
    judge.stood_in.insert(judge.scope.cwd.clone());
    let before = judge.scope.cwd.clone();
    let kind = target.and_then(Word::text).and_then(|path| judge.fact_of(path)).map(|fact| fact.kind);
    if judge.facts.is_some() && kind != Some(PathKind::Folder) {
        judge.scope.astray.extend(before);
    }
    judge.scope.cwd = match target.map(Word::text) {
        None if name == "cd" && !physical => home,
        Some(Some("-") | None) | None => None,
        // A place in the stack of folders.
        Some(Some(path)) if path.starts_with('+') && name == "pushd" => None,
        Some(Some(path)) if physical => judge.physical(path),
        Some(Some(path)) => judge.normal(path),
    };
    judge.scope.moved = judge.scope.cwd.as_deref() != Some(&*judge.place.cwd.to_string_lossy());
    judge.scope.missing = judge.scope.cwd.clone().filter(|_| kind.is_some_and(|kind| kind != PathKind::Folder));
}

/// Objects to a sensitive folder: much that follows reads the one that it stands in without naming it, as `rg x` does.
pub(super) fn enters(judge: &mut Judge<'_>, word: &Word) {
    let entry = match word.text() {
        Some(path) => judge.sensitive_entry(path),
        None => judge.may_be_sensitive(&word.pattern()),
    };
    if let Some(entry) = entry {
        judge.sensitive(format!("It goes into {}, which is sensitive: {entry}.", judge.spelt(word)));
    }
}

/// Whether links count for the folder that is gone to, and where that is; none for flags that only some shells know, or
/// a place in the stack of folders.
fn way<'w>(name: &str, words: &'w [Word]) -> Option<(bool, Option<&'w Word>)> {
    let mut physical = false;
    for (at, word) in words.iter().enumerate() {
        match word.text() {
            Some("--") => return Some((physical, words.get(at + 1))),
            Some(flags) if flags.len() > 1 && flags.starts_with('-') => {
                if name != "cd" || !flags[1..].bytes().all(|flag| b"LPe".contains(&flag)) {
                    return None;
                }
                physical |= flags.contains('P');
            }
            _ => return Some((physical, Some(word))),
        }
    }
    Some((physical, None))
}

/// `pwd`: it prints the folder.
pub(super) fn pwd(judge: &mut Judge<'_>, words: &[Word]) {
    judge.looked_up("pwd", &Word::exact("pwd"), words);
    // A program of that name tells where links lead, and so does `-P`.
    let folder = judge.folder();
    let told = if judge.scope.moved { folder.and_then(|folder| judge.physical(&folder)) } else { folder };
    judge.printed = told.map(Word::exact);
}

/// `export`, `declare` and their kind.
pub(super) fn declare(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    let shows = |word: &Word| word.text().is_some_and(|text| text.starts_with('-') && text.contains('p'));
    let named = words.iter().any(|word| !word.prefix().starts_with('-'));
    // What a function holds, or only what it is called.
    let printed = matches!(name, "declare" | "typeset") && words.first().and_then(Word::text) == Some("-f");
    if printed && words[1..].iter().all(|word| word.text().is_some_and(is_name)) {
        judge.readers.insert(name.to_owned());
        return;
    }
    let functions = words.iter().any(|word| word.text() == Some("-F"));
    if !named && !functions {
        judge.sensitive(format!("`{name}` prints every variable, secrets included."));
        return;
    }
    if words.iter().any(shows) && words.iter().filter_map(Word::text).any(secret_variable) {
        judge.sensitive(format!("`{name}` prints a variable that may hold a secret."));
    }
    judge.readers.insert(name.to_owned());
    let given = |flag| words.iter().filter_map(Word::text).any(|text| text.starts_with('-') && text.contains(flag));
    let (exports, arrays) = (name == "export" || given('x'), given('a') || given('A'));
    for word in words {
        let head = word.prefix();
        if let Some(flags) = word.text().and_then(|text| text.strip_prefix('-')) {
            if name != "export" && flags.contains(['i', 'n']) {
                let sentence =
                    format!("`{name} -{flags}` computes what is assigned, or follows it to another variable.");
                judge.unreadable("command.arithmetic", sentence);
            } else if !flags.bytes().all(|flag| b"xrgpaAF-".contains(&flag)) {
                judge
                    .unknown("command.unknown-flag", format!("No rule says that `{name}` with `-{flags}` only reads."));
            }
            continue;
        }
        let (variable, value) = match head.split_once('=') {
            Some((variable, _)) => (variable, Some(word.after(variable.len() + 1))),
            None => (word.text().unwrap_or(""), None),
        };
        if !is_name(variable) {
            judge.unreadable("command.assignment", format!("Which variable {} sets is not known.", judge.spelt(word)));
            continue;
        }
        if exports {
            judge.exported(variable, value.as_ref());
        }
        if let Some(value) = value {
            if value.prefix().starts_with('(') || value.vague() && (arrays || judge.scope.get(variable).is_some()) {
                judge.unreadable(
                    "command.array",
                    format!("`{name}` may take {} for an array and expand it.", judge.spelt(word)),
                );
            }
            // Outside of a function `local` fails and sets nothing.
            let fails = name == "local" && judge.locals.is_none();
            let value = if value.vague() || fails { Word::any() } else { value };
            judge.assign(variable, value);
        } else if arrays || judge.locals.is_some() {
            judge.assign(variable, Word::any());
        }
        if let Some(locals) = judge.locals.as_mut().filter(|_| !given('g') && !matches!(name, "export" | "readonly")) {
            locals.push(variable.to_owned());
        }
        if given('A') {
            judge.scope.key(variable);
        }
        if name == "readonly" || given('r') {
            judge.scope.fix(variable);
        }
    }
}

/// `unset`: only plain names.
pub(super) fn unset(judge: &mut Judge<'_>, words: &[Word]) {
    judge.readers.insert("unset".to_owned());
    let variables = words.first().is_some_and(|word| word.text() == Some("-v"));
    for word in words {
        match word.text() {
            Some("-v") => {}
            Some(name) if is_name(name) => {
                // A function of the name is taken away where no variable has it.
                if !variables {
                    judge.scope.undefine(name);
                }
                if name == "IFS" {
                    judge.scope.set(name, Word::exact(" \t\n"));
                } else {
                    judge.assign(name, Word::any());
                }
            }
            Some(_) | None => {
                judge.unreadable("command.assignment", format!("What {} unsets is not known.", judge.spelt(word)));
            }
        }
    }
}

/// `trap - EXIT`, `trap '' INT`: nothing, or what the shell does by itself, is done at a signal.
pub(super) fn untraps(words: &[Word]) -> bool {
    let named = |word: &Word| word.text().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    matches!(words, [action, signals @ ..]
        if matches!(action.text(), Some("-" | "")) && !signals.is_empty() && signals.iter().all(named))
}

/// `echo`: whatever its words are, it prints them.
pub(super) fn echo(judge: &mut Judge<'_>, words: &[Word]) {
    judge.readers.insert("echo".to_owned());
    if words.is_empty() {
        judge.produced = Feed::Nothing;
    }
    if let [word] = words {
        judge.passes_on(word, judge.depth == 0 && !judge.facts.is_some_and(|facts| facts.unguarded));
    }
    let plain = |text: &&str| !text.starts_with('-') && !text.contains('\\');
    let texts: Option<Vec<&str>> = words.iter().map(|word| word.text().filter(plain)).collect();
    judge.echoed = texts.map(|texts| (judge.depth, texts.join(" ")));
}

/// `trap 'echo done' EXIT`: what is done when the shell ends, or is told to. By then its variables and its folder may be
/// others. False where it isn't clear what is done, or when.
pub(super) fn traps(judge: &mut Judge<'_>, words: &[Word]) -> bool {
    let ends = |word: &Word| matches!(word.text(), Some("EXIT" | "0" | "INT" | "TERM" | "HUP" | "QUIT"));
    let [action, signals @ ..] = words else { return false };
    // A variable may be anything by then, and be computed.
    let plain = |c: char| c.is_ascii_alphanumeric() || " _./,:;'\"=+-".contains(c);
    let known = |text: &&str| !text.is_empty() && !text.starts_with('-') && text.chars().all(plain);
    let Some(script) = action.text().filter(known) else { return false };
    if signals.is_empty() || !signals.iter().all(ends) {
        return false;
    }
    let mut then = Scope::default();
    judge.deeper(|judge| {
        std::mem::swap(&mut judge.scope, &mut then);
        judge.isolated(|judge| judge.script(script, None));
        std::mem::swap(&mut judge.scope, &mut then);
    });
    (judge.printed, judge.echoed, judge.produced) = (None, None, Feed::Text);
    judge.readers.insert("trap".to_owned());
    true
}

/// `. /etc/os-release`: a file of the system that only sets variables of these names.
pub(super) fn system_release(judge: &mut Judge<'_>) {
    const SET: &str = "NAME ID ID_LIKE PRETTY_NAME VERSION VERSION_ID VERSION_CODENAME CPE_NAME BUILD_ID VARIANT \
        VARIANT_ID HOME_URL DOCUMENTATION_URL SUPPORT_URL BUG_REPORT_URL PRIVACY_POLICY_URL SUPPORT_END LOGO ANSI_COLOR \
        VENDOR_NAME VENDOR_URL IMAGE_ID IMAGE_VERSION RELEASE_TYPE UBUNTU_CODENAME DEBIAN_CODENAME PLATFORM_ID \
        DISTRIB_ID DISTRIB_RELEASE DISTRIB_CODENAME DISTRIB_DESCRIPTION";
    judge.readers.insert("source".to_owned());
    for name in SET.split_whitespace() {
        judge.assign(name, Word::any());
    }
}

/// Whether a word names such a file.
pub(super) fn of_the_release(word: &Word) -> bool {
    matches!(word.text(), Some("/etc/os-release" | "/usr/lib/os-release" | "/etc/lsb-release"))
}

/// `getopts`: its variable, and the shell's own, may be anything afterwards.
pub(super) fn getopts(judge: &mut Judge<'_>, words: &[Word]) {
    judge.readers.insert("getopts".to_owned());
    judge.scope.forget(&["OPTARG".to_owned(), "OPTIND".to_owned()]);
    match words.get(1).and_then(Word::text) {
        Some(name) if is_name(name) => judge.assign(name, Word::any()),
        Some(_) | None => judge.unreadable("command.assignment", "Which variable `getopts` sets is not known."),
    }
}

/// `let`: arithmetic in words.
pub(super) fn arithmetic(judge: &mut Judge<'_>, words: &[Word]) {
    judge.readers.insert("let".to_owned());
    for word in words {
        match word.text() {
            Some(text) => judge.arithmetic(text),
            None => judge.unreadable(
                "command.arithmetic",
                format!("`let` evaluates {}, which may be any code.", judge.spelt(word)),
            ),
        }
    }
}

/// `set`: the options that make a script stricter or show it. Alone it prints every variable.
pub(super) fn set(judge: &mut Judge<'_>, words: &[Word]) {
    if words.is_empty() {
        judge.sensitive("`set` prints every variable, secrets included.");
        return;
    }
    let end = words.iter().position(|word| word.text() == Some("--"));
    let (flags, given) = words.split_at(end.unwrap_or(words.len()));
    let known = "-e +e -u +u -x +x -v +v -C +C -eu -ex -eux -f -o +o -euo -eo -uo -euxo pipefail errexit nounset noglob xtrace \
        noclobber verbose";
    let every = flags.iter().all(|word| word.text().is_some_and(|text| known.split(' ').any(|flag| flag == text)));
    if every {
        judge.readers.insert("set".to_owned());
        if let Some((_, given)) = given.split_first() {
            let name = judge.scope.arguments().and_then(|words| words.first()).cloned().unwrap_or_else(Word::any);
            judge.scope.take_arguments(Some([&[name], given].concat()));
        }
    } else {
        judge.unknown("command.set", "It changes how the shell reads what follows.");
    }
}

/// `type` and `hash`.
pub(super) fn look_up(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    let harmless = |word: &Word| matches!(word.text(), Some("-t" | "-l" | "-lt" | "-r"));
    let flag = |word: &Word| word.may_be_flag() || word.prefix().starts_with('-') && !harmless(word);
    if name == "hash" && words.iter().any(flag) {
        judge.unreadable("command.hash", "`hash` can make a name run another program.");
    } else {
        judge.readers.insert(name.to_owned());
    }
}

/// `test`, `[` and `printf`: text in, a result out, unless a computed name of a variable is among the words.
pub(super) fn test_or_print(judge: &mut Judge<'_>, name: &str, words: &[Word]) {
    judge.readers.insert(name.to_owned());
    if name == "printf" {
        if let [format] = words {
            let text = format.text().map(|text| text.replace("\\n", "\n"));
            let text = text.filter(|text| !text.contains(['%', '\\']) && !text.starts_with('-'));
            judge.echoed = text.map(|text| (judge.depth, text));
        }
        if let [format, given @ ..] = words
            && matches!(format.text(), Some("%s\\n" | "%s\n"))
        {
            if let [word] = given {
                judge.passes_on(word, true);
            }
            let texts: Option<Vec<&str>> = given.iter().map(Word::text).collect();
            judge.echoed = texts.filter(|texts| !texts.is_empty()).map(|texts| (judge.depth, texts.join("\n")));
        }
        let words = match words {
            [flag, variable, words @ ..] if flag.text() == Some("-v") && variable.text().is_some_and(is_name) => {
                judge.assign(variable.text().unwrap_or_default(), Word::any());
                words
            }
            _ => words,
        };
        // Behind it stands the format.
        let words = match words {
            [dashes, words @ ..] if dashes.text() == Some("--") => words,
            words => words,
        };
        let begins = |word: &Word| word.vague() && "-v".starts_with(word.prefix());
        let vague = words.first().is_some_and(|word| (begins(word) || word.may_be_none()) && words.len() > 1);
        if words.first().is_some_and(|word| counts(&word.pattern())) {
            judge.unreadable("command.printf", "`printf` sets a variable to how much it has printed (`%n`).");
        }
        let named = |word: &Word| {
            let begun = word.prefix().starts_with('-') && word.text().is_none();
            begun || word.may_be_flag() && !word.vague() && judge.folder_may_have_flags(word)
        };
        if words.first().is_some_and(|word| word.prefix().starts_with("-v") || word.open())
            || vague
            || words.first().is_some_and(named)
        {
            judge.unreadable("command.printf", "`printf` may set a variable by a computed name (`-v`).");
        }
        return;
    }
    judge.looked |= !compares(words);
    // What nobody knows may be the flag, too; then a place in an array stands behind it.
    let flag_of =
        |word: &Word| word.text().is_none() && ["-v", "-R"].iter().any(|flag| flag.starts_with(word.prefix()));
    let by_name = |pair: &[Word]| {
        matches!(pair[0].text(), Some("-v" | "-R")) && !pair[1].text().is_some_and(is_name)
            || flag_of(&pair[0]) && pair[1].text().is_some_and(|text| text.contains('['))
    };
    // The name of a file may be the flag, or all of it where it is split at blanks or is several.
    let split = |word: &&Word| word.names_files() && (word.bare || word.begins_with_pattern());
    let flag = |pair: &&[Word]| pair[0].names_files() && pair[0].may_be_flag() && pair[1].names_files();
    let named: Vec<&Word> =
        words.iter().filter(split).chain(words.windows(2).filter(flag).map(|pair| &pair[0])).collect();
    let named = named.into_iter().any(|word| judge.folder_may_have_flags(word));
    let computed = |pair: &[Word]| {
        pair[0].vague() && pair[0].prefix().is_empty() && pair[1].vague() && pair[1].prefix().is_empty()
    };
    // A number that may be none leaves its neighbours side by side.
    let there: Vec<Word> = words.iter().filter(|word| !word.may_vanish()).cloned().collect();
    let open = |word: &Word| word.open() && !word.may_vanish();
    let odd = |words: &[Word]| words.windows(2).any(|pair| by_name(pair) || computed(pair));
    if named || odd(words) || odd(&there) || words.iter().any(open) {
        let sentence = format!("`{name}` may test a variable by a computed name, which can run code.");
        judge.unreadable("command.test", sentence);
    }
}

/// Whether a test compares texts or numbers, and looks at no file.
fn compares(words: &[Word]) -> bool {
    const OPERATORS: [&str; 11] = ["=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
    let words = words.strip_suffix(&[Word::exact("]")]).unwrap_or(words);
    let words = words.strip_prefix(&[Word::exact("!")]).unwrap_or(words);
    // Several words, or none, could be another test.
    let one = |word: &Word| word.text().is_some() || word.number().is_some() || !word.many && !word.open();
    match words {
        [] => true,
        [text] => one(text),
        [operator, text] => matches!(operator.text(), Some("-n" | "-z")) && one(text),
        [left, operator, right] => {
            operator.text().is_some_and(|text| OPERATORS.contains(&text)) && one(left) && one(right)
        }
        _ => false,
    }
}
