//! `awk` programs: read token by token for what runs commands, writes or reads files, or shows the environment.
//! A program in which strings and regular expressions can't be told apart for sure asks, if such a word is in it.

use super::judge::Judge;
use super::scope::secret_variable;
use super::sed::{Brackets, pattern_end};
use super::word::{ACCOUNT, Word};
use super::wrapper::shell;

/// Words after which a slash begins a regular expression, though they look like names.
const KEYWORDS: [&str; 13] =
    ["print", "printf", "return", "in", "case", "else", "do", "if", "while", "for", "exit", "delete", "func"];

impl Judge<'_> {
    /// Judges the program of `awk`.
    pub(super) fn awk_program(&mut self, word: &Word) {
        match (word.text(), word.numbered()) {
            (Some(program), _) => self.awk_text(program),
            (None, Some(programs)) => programs.iter().for_each(|program| self.awk_text(program)),
            (None, None) => self.unreadable(
                "command.vague-script",
                format!("The `awk` program {} may become any program.", self.spelt(word)),
            ),
        }
    }

    fn awk_text(&mut self, program: &str) {
        match scan(program) {
            Scan { strange: Some(what), .. } => {
                self.ineligible = true;
                self.unknown("command.awk-program", format!("The `awk` program {what}."));
            }
            Scan { .. } if self.opened && program.contains("/dev/") => {
                self.ineligible = true;
                self.unknown("command.awk-program", "The `awk` program may write to a file that the shell opened.");
            }
            Scan { strings, commands, files, .. } => {
                for file in files {
                    self.reads(&Word::exact(file));
                }
                for command in commands {
                    // What flows in is what the program makes of its input.
                    self.isolated(|judge| shell(judge, "sh", &[Word::exact("-c"), Word::exact(&command)]));
                }
                for text in strings {
                    if let Some(entry) = self.sensitive_entry(&text) {
                        self.sensitive(format!("The `awk` program names {text}, which is sensitive: {entry}."));
                    }
                }
            }
        }
    }
}

#[derive(Default)]
struct Scan {
    strange: Option<&'static str>,
    strings: Vec<String>,
    /// What it pipes to, or from.
    commands: Vec<String>,
    /// What it reads by `getline`.
    files: Vec<String>,
    /// It looks at a variable of the environment, and may set one for what it runs.
    environment: bool,
}

/// What the token before was, as far as it tells a regular expression from a division.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Operator,
    Value,
    Unclear,
}

fn scan(program: &str) -> Scan {
    const LOUD: [&str; 11] =
        ["system", "getline", "|", ">", "@", "ENVIRON", "ARGV", "ARGC", "SYMTAB", "FUNCTAB", "PROCINFO"];
    let mut found = Scan::default();
    let loud = LOUD.iter().any(|word| program.contains(word));
    let mut before = Before::Operator;
    let mut parens = 0_i32;
    // Of each open one, whether a word such as `if` stands before it: behind what that asks, a pattern may stand.
    let mut asking: Vec<bool> = Vec::new();
    let mut word = "";
    let mut printing: Option<i32> = None;
    // A string that is all there is of its expression so far.
    let mut whole: Option<&str> = None;
    let mut begins = true;
    let mut rest = program;
    while let Some(c) = rest.chars().next() {
        let tail = &rest[c.len_utf8()..];
        if !matches!(c, ' ' | '\t' | '(') && !c.is_ascii_alphabetic() {
            word = "";
        }
        let told = if matches!(c, ' ' | '\t') { whole } else { whole.take() };
        let first = begins;
        begins = matches!(c, '(' | '{' | ';' | '\n') || first && matches!(c, ' ' | '\t');
        match c {
            ' ' | '\t' => rest = tail,
            '#' => rest = tail.find('\n').map_or("", |at| &tail[at..]),
            '"' => {
                let Some(end) = closing(tail, '"') else { return strange("has a string without an end") };
                found.strings.push(tail[..end].to_owned());
                whole = Some(&tail[..end]).filter(|_| first);
                rest = &tail[end + 1..];
                before = Before::Value;
            }
            '/' if before == Before::Unclear && loud => {
                return strange("has a slash that may be a division or a pattern");
            }
            '/' if before != Before::Value => {
                let Some(end) = closing(tail, '/') else { return strange("has a pattern without an end") };
                let clear = !tail[..end].contains('\n')
                    && Brackets::ALL.iter().all(|&brackets| pattern_end(tail, '/', brackets) == Some(end + 1));
                if tail[..end].contains('\n') || loud && !clear {
                    return strange("has a pattern whose end is not clear");
                }
                rest = &tail[end + 1..];
                before = Before::Value;
            }
            '@' => return strange("loads code or calls by name (`@`)"),
            '|' => {
                let piped = match (printing, told) {
                    _ if tail.starts_with('|') => Some((None, &tail[1..])),
                    (Some(at), _) if at == parens => constant(tail).map(|(command, rest)| (Some(command), rest)),
                    (None, Some(command)) if into_line(tail) => Some((Some(command), tail)),
                    _ => None,
                };
                let Some((command, after)) = piped else { return strange("pipes to or from a command") };
                if command.is_some_and(|command| command.contains(['\\', '\n', ACCOUNT])) {
                    return strange("pipes to or from a command that is not clear");
                }
                found.commands.extend(command.map(str::to_owned));
                rest = after;
                before = Before::Operator;
            }
            '>' if printing == Some(parens) && !tail.starts_with('=') => {
                let target = tail.trim_start_matches('>').trim_start();
                let harmless = ["\"/dev/stderr\"", "\"/dev/stdout\"", "\"/dev/null\""];
                let after = harmless.iter().find_map(|file| target.strip_prefix(file)).map(str::trim_start);
                if !after.is_some_and(|after| after.is_empty() || after.starts_with([';', '}', '\n'])) {
                    return strange("writes to a file");
                }
                rest = tail.trim_start_matches('>');
                before = Before::Operator;
            }
            '(' | ')' | '{' | '}' | ';' => {
                parens += i32::from(c == '(') - i32::from(c == ')');
                if matches!(c, '{' | '}' | ';') {
                    printing = None;
                }
                rest = tail;
                if c == '(' {
                    asking.push(matches!(word, "if" | "while" | "for" | "switch"));
                    word = "";
                }
                before = match c {
                    ')' if asking.pop() == Some(false) => Before::Value,
                    ')' => Before::Unclear,
                    _ => Before::Operator,
                };
            }
            '+' | '-' if tail.starts_with(c) => {
                rest = &tail[1..];
                before = Before::Unclear;
            }
            ']' | '$' => {
                rest = tail;
                before = if c == ']' { Before::Value } else { Before::Operator };
            }
            '0'..='9' | '.' => {
                let Some(after) = after_number(rest) else { return strange("has a number that runs into a name") };
                rest = after;
                before = Before::Value;
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let name = &rest[..end];
                word = name;
                match name {
                    "system" => return strange("runs a shell command (`system`)"),
                    "getline" => match read_file(&rest[end..]) {
                        Some((file, after)) => {
                            found.files.push(file.to_owned());
                            (rest, before) = (after, Before::Value);
                            continue;
                        }
                        None if rest[end..].contains('<') => return strange("reads a file by `getline`"),
                        None => {}
                    },
                    "ENVIRON" if of_environment(&rest[end..]) => found.environment = true,
                    "ENVIRON" => return strange("reads the environment"),
                    "ARGV" | "ARGC" => return strange("changes or reads the list of its files"),
                    "SYMTAB" | "FUNCTAB" => return strange("reaches every variable by its name"),
                    "PROCINFO" if !rest[end..].trim_start().starts_with("[\"sorted_in\"]") => {
                        return strange("changes or reads how it runs (`PROCINFO`)");
                    }
                    "print" | "printf" => printing = Some(parens),
                    _ => {}
                }
                before = match name {
                    // The value that they take is optional, so a slash behind may be a division.
                    "length" | "getline" => Before::Unclear,
                    _ if KEYWORDS.contains(&name) => Before::Operator,
                    _ => Before::Value,
                };
                rest = &rest[end..];
            }
            '/' | '\n' | '=' | '!' | '<' | '>' | '&' | '~' | '+' | '-' | '*' | '%' | '^' | ',' | '?' | ':' | '[' => {
                rest = tail;
                before = Before::Operator;
            }
            '\\' if tail.starts_with('\n') => rest = &tail[1..],
            _ => return strange("has a character that is not understood"),
        }
    }
    if found.environment && !found.commands.is_empty() {
        return strange("may change the environment of what it runs");
    }
    found
}

fn strange(what: &'static str) -> Scan {
    Scan { strange: Some(what), ..Scan::default() }
}

/// The string that is all of what something is printed to, and what stands behind it.
fn constant(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    let end = closing(text, '"')?;
    let behind = &text[end + 1..];
    let after = behind.trim_start_matches([' ', '\t']);
    (after.is_empty() || after.starts_with([';', '}', '\n', '#'])).then_some((&text[..end], behind))
}

/// Whether lines are read from what stands before, and from nothing else.
fn into_line(text: &str) -> bool {
    let behind = text.trim_start_matches([' ', '\t']).strip_prefix("getline");
    behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// The file whose lines are read into what stands before it (`getline line < "file"`), and what stands behind: nothing
/// that may belong to its name.
fn read_file(text: &str) -> Option<(&str, &str)> {
    const STEERS: [&str; 6] = ["ARGV", "ARGC", "ENVIRON", "SYMTAB", "FUNCTAB", "PROCINFO"];
    let text = text.trim_start_matches([' ', '\t']);
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let file = text[end..].trim_start_matches([' ', '\t']).strip_prefix('<')?;
    let file = file.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    let (name, behind) = file.split_at(closing(file, '"')?);
    let after = behind[1..].trim_start_matches([' ', '\t']);
    let clear = !name.contains(['\\', '\n', ACCOUNT]) && !name.is_empty() && !name.starts_with("/inet");
    let ends = after.is_empty() || after.starts_with([')', ';', '}', '\n']);
    (clear && ends && !STEERS.contains(&&text[..end])).then_some((name, &behind[1..]))
}

/// Whether one variable of the environment is meant, by a name that says of no secret.
fn of_environment(text: &str) -> bool {
    let name = text.strip_prefix("[\"").and_then(|text| text.split_once("\"]")).map(|(name, _)| name);
    name.is_some_and(|name| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty() && name.bytes().all(plain) && !secret_variable(&name.to_ascii_uppercase())
    })
}

/// The text after the number that it begins with: `1`, `.5`, `1.5e-3`, `0x1f`. None if there is no digit, or a name
/// begins right behind: what belongs to which differs from `awk` to `awk`.
fn after_number(text: &str) -> Option<&str> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let after = if let Some(hex) = hex {
        hex.trim_start_matches(|c: char| c.is_ascii_hexdigit())
    } else {
        let whole = digits(text);
        let fraction = text[whole..].strip_prefix('.').map(digits);
        if whole + fraction.unwrap_or(0) == 0 {
            return None;
        }
        let after = &text[whole + fraction.map_or(0, |count| count + 1)..];
        let exponent = after.strip_prefix(['e', 'E']).map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
        exponent.filter(|rest| digits(rest) > 0).map_or(after, |rest| &rest[digits(rest)..])
    };
    let bare = hex.is_some_and(|hex| hex.len() == after.len());
    (!bare && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')).then_some(after)
}

/// Where an unescaped `end` stands.
fn closing(text: &str, end: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == end => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allowed, asks};

    #[test]
    fn a_number_ends_where_a_name_begins() {
        for program in [
            "BEGIN{x=1system(\"id\")}",
            "BEGIN{x=.5system(\"id\")}",
            "{$1system(\"id\")}",
            "BEGIN{while(1getline<\"f\");}",
            "BEGIN{x=0x1system(\"id\")}",
            "BEGIN{x=0xsystem(\"id\")}",
            "BEGIN{x=1e5system(\"id\")}",
            "BEGIN{x=1esystem(\"id\")}",
            "BEGIN{x=1e+system(\"id\")}",
            "BEGIN{x=1.2.3system(\"id\")}",
            "BEGIN{x=1 system(\"id\")}",
            "BEGIN{print 1ENVIRON[\"X\"]}",
            "BEGIN{x=0x;y=.}",
        ] {
            asks(&format!("awk '{program}' a"));
        }
        for program in [
            "$1 > 1.5e-3 {print $2*0x1F, .5, 1., 2E3}",
            "{print substr($0,1,3)}",
            "NR==1,NR==5",
            "$1 ~ /^[0-9]+$/ && $2 > 10 || /[[:space:]]/ && NF > 3",
            "BEGIN{PROCINFO[\"sorted_in\"]=\"@ind_str_asc\"} {a[$1]++} END{for(k in a) if (a[k] > 1) print k}",
            "{x+=$3/1024.0} END{print x/NR}",
            "{print 1.2.3}",
        ] {
            allowed(&format!("awk '{program}' a"));
        }
    }

    #[test]
    fn a_pattern_ends_the_same_for_every_awk_or_asks() {
        for program in [
            "/[/]/{print > \"x\"} /]/",
            "/[]/]/{system(\"id\")}",
            "/[\\]/]/{system(\"id\")} /]/",
            "/[[:a/]/{print|\"sh\"}/:]]/",
        ] {
            asks(&format!("awk '{program}' a"));
        }
    }

    #[test]
    fn a_slash_behind_what_is_in_brackets_divides() {
        for program in ["END{print a[NR/2], (b+c)/2}", "{if (NR>1) print ($3+$4)/2}", "{print (a)?(b)/2:((c)/d)/3}"] {
            allowed(&format!("awk '{program}' a"));
        }
        for program in [
            "(a)/ system(\"id\") /b",
            "{if (x) /re\"/; system(\"id\") #\"/ }",
            "{while ((x)) /a/ || system(\"id\") /b/}",
            "NR>1 && ($2)/3 > 1 {print > \"out\"}",
        ] {
            asks(&format!("awk '{program}' a"));
        }
    }

    #[test]
    fn a_slash_behind_getline_is_not_taken_for_a_pattern() {
        asks("awk 'BEGIN{getline / 1; system(\"id\") #/\n}' a");
        asks("awk 'BEGIN{getline\\\n/ 1; system(\"id\") #/\n}' a");
        asks("awk 'BEGIN{length / 1; system(\"id\") #/\n}' a");
        allowed("awk '{getline; print / x /, $1/2}' a");
    }

    #[test]
    fn a_file_and_a_variable_that_are_named_are_judged_by_their_names() {
        for program in [
            "BEGIN{while ((getline line < \"a.txt\") > 0) n++; print n}",
            "BEGIN{getline < \"a.txt\"; print}",
            "NR==1{getline x <\"a.txt\"} {print x / 2, $1}",
            "BEGIN{print ENVIRON[\"HOME\"]}",
            "$1 ~ ENVIRON[\"USER\"] {print ENVIRON[\"LANG\"] / 2}",
        ] {
            allowed(&format!("awk '{program}' a"));
        }
        for program in [
            "BEGIN{getline < \".env\"}",
            "BEGIN{getline < \"/inet/tcp/0/evil.example/80\"}",
            "BEGIN{getline < \"a\" x}",
            "BEGIN{getline < \".e\" \"nv\"}",
            "BEGIN{getline < x}",
            "BEGIN{getline x[1] < \"a\"}",
            "BEGIN{getline ARGV[1] < \"a\"}",
            "BEGIN{getline ARGC < \"a\"}",
            "BEGIN{getline < \"\\056env\"}",
            "BEGIN{print ENVIRON[\"API_TOKEN\"]}",
            "BEGIN{print ENVIRON[x]}",
            "BEGIN{print ENVIRON[\"A\" \"B\"]}",
            "BEGIN{for (x in ENVIRON) print x}",
            "BEGIN{ENVIRON[\"PATH\"]=\".\"; \"ls\" | getline}",
            "BEGIN{sub(/^/, \".:\", ENVIRON[\"PATH\"]); print | \"sort\"}",
        ] {
            asks(&format!("awk '{program}' a"));
        }
    }

    #[test]
    fn a_command_that_is_a_constant_is_judged_as_one() {
        for program in [
            "{print $1 | \"sort -u\"}",
            "{print $1, $2 | \"sort -k2\" } END {close(\"sort -k2\")}",
            "{print(x) | \"sort\"; n++}",
            "{print > \"/dev/stderr\"; print \"a\" | \"cat 1>&2\"}",
            "BEGIN{while ((\"ls\" | getline name) > 0) print name}",
            "BEGIN{\"date +%s\" | getline now; print now}",
        ] {
            allowed(&format!("awk '{program}' a"));
        }
        for program in [
            "{print | \"sh\"}",
            "{print | \"sort -o x\"}",
            "{print | \"sort\" \" -o x\"}",
            "{print | \"sort > x\"}",
            "{print | \"so\\162t -o x\"}",
            "{print | x}",
            "{print | \"cat .env\"}",
            "{print |& \"sort\"}",
            "BEGIN{\"touch x\" | getline}",
            "{print \".env\" | \"xargs cat\"}",
            "BEGIN{x \"ls\" | getline}",
            "BEGIN{print \"ls\" | getline}",
            "BEGIN{(x)\"ls\" | getline}",
            "BEGIN{x=\"touch x\"; x | getline}",
        ] {
            asks(&format!("awk '{program}' a"));
        }
        asks("find . -type f | awk '{print \"x\" | \"xargs cat\"}'");
    }
}
