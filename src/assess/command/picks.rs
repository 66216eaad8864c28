//! Which places of what flows in a filter of `jq` shows: read by its manual's grammar, as far as that is understood. Who
//! takes all of a document from a program, and shows some of its fields, shows no more than those.

/// Longest filter that is read, and deepest nesting in it.
const LONGEST: usize = 1000;
const DEEPEST: usize = 24;

/// What tells of whatever it is given no more than a number, a kind, or nothing.
const TELLS: &str = " length type not empty true false null ";
/// What answers a question about what may be shown; what it doesn't understand of it, it complains of with a part of it.
const ANSWERS: &str = " any all has test startswith endswith contains inside in index rindex isempty ";
/// What gives a part of what may be shown, or the whole in another order.
const ORDERS: &str = " sort unique min max reverse flatten values arrays objects scalars strings numbers select sort_by group_by \
    unique_by min_by max_by ";
/// What shows what it is given in another form.
const FORMS: &str = " tostring tonumber ascii_downcase ascii_upcase ltrimstr rtrimstr split join add tojson floor round \
    todate strftime to_entries from_entries ";

/// What a part of the filter gives.
#[derive(Clone)]
enum Gives {
    /// What stands there in the document: the names on the way, and through how many lists it was come to.
    Place(Vec<String>, u8),
    /// What was judged already.
    Shown,
}

/// What of a document may be told.
pub(super) struct Plain<'p> {
    /// Which places may be shown.
    pub(super) places: &'p dyn Fn(&[String]) -> bool,
    /// Which of those at the top that may not, with names of their own that may.
    pub(super) keyed: &'p [&'p str],
}

/// Whether a filter shows nothing of a document but what is plain. What goes wrong is told, too, with a part of what was at
/// hand: so nothing but that is taken for a list, or for a text.
pub(super) fn picks(filter: &str, plain: &Plain<'_>) -> bool {
    let mut reader = Reader { rest: filter.trim(), plain, depth: 0 };
    let input = Gives::Place(Vec::new(), 0);
    // A comment may hide what closes a bracket.
    filter.len() <= LONGEST
        && !filter.contains('#')
        && reader.pipe(&input).is_some_and(|output| reader.shows(&output))
        && reader.rest.is_empty()
}

struct Reader<'f> {
    rest: &'f str,
    plain: &'f Plain<'f>,
    depth: usize,
}

impl<'f> Reader<'f> {
    fn shows(&self, output: &Gives) -> bool {
        match output {
            Gives::Place(path, _) => (self.plain.places)(path),
            Gives::Shown => true,
        }
    }

    fn shown(&self, output: &Gives) -> Option<Gives> {
        self.shows(output).then_some(Gives::Shown)
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n']);
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn name(&mut self) -> Option<&'f str> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        begins.then(|| {
            self.rest = rest;
            name
        })
    }

    /// `a | b`
    fn pipe(&mut self, input: &Gives) -> Option<Gives> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut output = self.several(input)?;
        while self.eat("|") {
            if self.rest.starts_with('=') {
                return None;
            }
            output = self.several(&output)?;
        }
        self.depth -= 1;
        Some(output)
    }

    /// `a, b`
    fn several(&mut self, input: &Gives) -> Option<Gives> {
        let mut output = self.operation(input)?;
        while self.eat(",") {
            self.shown(&output)?;
            let next = self.operation(input)?;
            output = self.shown(&next)?;
        }
        Some(output)
    }

    /// `a // b`, `a + b`, `a == b`
    fn operation(&mut self, input: &Gives) -> Option<Gives> {
        const SIGNS: [&str; 12] = ["//", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "and "];
        let mut output = self.term(input)?;
        loop {
            self.skip();
            let Some(sign) = SIGNS.iter().chain(&["or ", "%"]).find(|sign| self.rest.starts_with(**sign)) else {
                return Some(output);
            };
            self.rest = &self.rest[sign.len()..];
            // `+=` and its kind change a document.
            if self.rest.starts_with('=') {
                return None;
            }
            self.shown(&output)?;
            let next = self.term(input)?;
            output = self.shown(&next)?;
        }
    }

    fn term(&mut self, input: &Gives) -> Option<Gives> {
        self.skip();
        let first = self.rest.chars().next()?;
        let mut output = match first {
            '.' => self.place(input)?,
            '"' => self.text(input)?,
            '(' => {
                self.rest = &self.rest[1..];
                let inner = self.pipe(input)?;
                self.eat(")").then_some(inner)?
            }
            '[' => {
                self.rest = &self.rest[1..];
                if self.eat("]") {
                    Gives::Shown
                } else {
                    let inner = self.pipe(input)?;
                    self.eat("]").then_some(inner)?
                }
            }
            '{' => self.object(input)?,
            '@' => {
                self.rest = &self.rest[1..];
                let form = self.name()?;
                if self.rest.trim_start().starts_with('"')
                    || !["tsv", "csv", "text", "json", "html", "sh"].contains(&form)
                {
                    return None;
                }
                self.shown(input)?
            }
            '0'..='9' => {
                self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                Gives::Shown
            }
            _ => self.call(input)?,
        };
        while self.rest.starts_with(['.', '[', '?']) {
            output = if let Some(rest) = self.rest.strip_prefix('?') {
                self.rest = rest;
                output
            } else if self.rest.starts_with('.') {
                self.place(&output)?
            } else {
                self.within(output)?
            };
        }
        Some(output)
    }

    /// `.`, `.a`, `."a"`, `.[…]`
    fn place(&mut self, input: &Gives) -> Option<Gives> {
        self.rest = self.rest.strip_prefix('.')?;
        if self.rest.starts_with('.') {
            return None;
        }
        if let Some(name) = self.name() {
            return Some(at(input, name));
        }
        if self.rest.starts_with('"') {
            let name = self.literal()?;
            return Some(at(input, name));
        }
        Some(input.clone())
    }

    /// `[]`, `[0]`, `[1:3]`, `["a"]`
    fn within(&mut self, input: Gives) -> Option<Gives> {
        self.rest = self.rest.strip_prefix('[')?;
        if self.rest.starts_with('"') {
            let name = self.literal()?;
            return self.rest.strip_prefix(']').map(|rest| {
                self.rest = rest;
                at(&input, name)
            });
        }
        let (inside, rest) = self.rest.split_once(']')?;
        self.rest = rest;
        let numbers = inside.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':'));
        if numbers { self.each(input) } else { None }
    }

    /// What is in a list: in the document itself, once, or in what may be shown.
    fn each(&self, input: Gives) -> Option<Gives> {
        match input {
            Gives::Place(path, 0) if path.is_empty() => Some(Gives::Place(path, 1)),
            input => self.shows(&input).then_some(input),
        }
    }

    /// Whether what is given has names that may be told, whatever they name.
    fn has_names(&self, input: &Gives) -> bool {
        let listed = |path: &[String], lists: u8| match path {
            [] => lists == u8::from(!self.plain.keyed.is_empty()),
            [name] => self.plain.keyed.contains(&name.as_str()),
            _ => false,
        };
        self.shows(input) || matches!(input, Gives::Place(path, lists) if listed(path, *lists))
    }

    /// A text in which nothing is put.
    fn literal(&mut self) -> Option<&'f str> {
        let (text, rest) = self.rest.strip_prefix('"')?.split_once('"')?;
        self.rest = rest;
        (!text.contains('\\')).then_some(text)
    }

    /// A text, in which `\(…)` shows what it gives.
    fn text(&mut self, input: &Gives) -> Option<Gives> {
        self.rest = self.rest.strip_prefix('"')?;
        loop {
            let end = self.rest.find(['"', '\\'])?;
            let sign = self.rest[end..].chars().next()?;
            self.rest = &self.rest[end + 1..];
            if sign == '"' {
                return Some(Gives::Shown);
            }
            let escaped = self.rest.chars().next()?;
            self.rest = &self.rest[escaped.len_utf8()..];
            if escaped == '(' {
                let inner = self.pipe(input)?;
                self.shown(&inner)?;
                if !self.eat(")") {
                    return None;
                }
            }
        }
    }

    /// `{a, b: .c, "d": .e}`
    fn object(&mut self, input: &Gives) -> Option<Gives> {
        self.rest = self.rest.strip_prefix('{')?;
        if self.eat("}") {
            return Some(Gives::Shown);
        }
        loop {
            self.skip();
            let name = if self.rest.starts_with('"') { self.literal()? } else { self.name()? };
            let value = if self.eat(":") { self.operation(input)? } else { at(input, name) };
            self.shown(&value)?;
            if self.eat("}") {
                return Some(Gives::Shown);
            }
            if !self.eat(",") {
                return None;
            }
        }
    }

    /// What has a name.
    fn call(&mut self, input: &Gives) -> Option<Gives> {
        let name = self.name()?;
        let among = |names: &str| names.contains(&format!(" {name} "));
        if among(TELLS) {
            return (!self.rest.starts_with('(')).then_some(Gives::Shown);
        }
        if matches!(name, "keys" | "keys_unsorted") {
            return self.has_names(input).then_some(Gives::Shown);
        }
        if matches!(name, "first" | "last") && !self.rest.starts_with('(') {
            return self.each(input.clone());
        }
        if name == "map" {
            self.rest = self.rest.strip_prefix('(')?;
            let each = self.each(input.clone())?;
            let inner = self.pipe(&each)?;
            // What each gives is in a list again.
            let inner = match inner {
                Gives::Place(path, 1) if path.is_empty() => Gives::Place(path, 0),
                inner => inner,
            };
            return self.eat(")").then_some(inner);
        }
        if name == "select" {
            return self.asked(input).map(|()| input.clone());
        }
        if among(ORDERS) {
            let whole = matches!(input, Gives::Place(path, 0) if path.is_empty());
            return (whole || self.shows(input)).then(|| self.asked(input)).flatten().map(|()| input.clone());
        }
        if among(ANSWERS) || among(FORMS) {
            self.shown(input)?;
            return self.asked(input).map(|()| Gives::Shown);
        }
        None
    }

    /// What is asked in the brackets of a call, if it has some: all of it may be shown.
    fn asked(&mut self, input: &Gives) -> Option<()> {
        if !self.rest.starts_with('(') {
            return Some(());
        }
        self.rest = &self.rest[1..];
        loop {
            let output = self.pipe(input)?;
            self.shown(&output)?;
            if self.eat(")") {
                return Some(());
            }
            if !self.eat(";") {
                return None;
            }
        }
    }
}

/// What has that name in something.
fn at(input: &Gives, name: &str) -> Gives {
    match input {
        Gives::Place(path, lists) => Gives::Place(path.iter().cloned().chain(Some(name.to_owned())).collect(), *lists),
        Gives::Shown => Gives::Shown,
    }
}

#[cfg(test)]
mod tests {
    use super::{Plain, picks};

    #[test]
    fn a_filter_shows_the_places_that_it_names() {
        let places = |path: &[String]| path.first().is_some_and(|name| name == "a");
        let plain = Plain { places: &places, keyed: &["k"] };
        for filter in [
            ".a",
            ".a.b[0]?.c",
            ".[0].a",
            ".[] | .a",
            ".[\"a\"][1:3]",
            ".\"a\"",
            "[.[] | .a]",
            "{a, x: .a.b, \"y z\": (.a // \"none\")}",
            "select(.a == \"x)\" and .a.c) | .a",
            "map(select(.a.b)) | map(.a)",
            ".[] | keys",
            ".[0].k | keys",
            "\"\\(.a) is \\(.a.b | length)\"",
            "[.a, .a.c] | @tsv",
            ".b | length",
            ".[] | select(.a | test(\"x\")) | .a | tostring | ascii_downcase",
            "map(.a) | unique | length",
            ".[] | select(.b | length > 3) | .a",
            ".a == .a",
            "sort_by(.a) | reverse | first | .a",
            ".a | join(\", \")",
        ] {
            assert!(picks(filter, &plain), "{filter}");
        }
        for filter in [
            "",
            ".",
            "..",
            ".b",
            ".[]",
            ".a, .b",
            ".a, .",
            "[.b]",
            "{b}",
            "{x: .b}",
            "{a: .}",
            "{(.b): 1}",
            "\"\\(.b)\"",
            "\"\\(.)\"",
            "select(.a)",
            "select(.b == 1) | .a",
            "select(.b | test(\"x\")) | .a",
            "select(.b[]) | .a",
            "sort_by(.b) | .a",
            ".b | keys",
            ".k.b | keys",
            "keys",
            ".[] | .[] | .a",
            ".[0][0].a",
            ".b[] | length",
            ".b | first | length",
            ".b | sort | length",
            ".b | map(.a)",
            "map(.)",
            "to_entries",
            "tostring",
            "@json",
            "@json \"\\(.b)\"",
            ".a // .b",
            ".a + .b",
            ".a as $x | $x",
            "$__loc__",
            "env",
            "$ENV.a",
            "input",
            ".a | input",
            ".a | ltrimstr(input)",
            ".a | split(input.b)",
            "reduce .[] as $x (0; .)",
            "if .a then .b else .a end",
            "try .a catch .b",
            ".a |= .b",
            ".a += .b",
            "def a: .b; a",
            "recurse",
            "getpath([\"b\"])",
            ".a[.b]",
            ".[\"b\"]",
            ".\"b\"",
            ".[\"\\(.b)\"]",
            "first(.b)",
            ".a | debug",
            ".a) | .b",
            ".a # | x",
            "select(.b # (\n) | . # )| .a",
            ".a | first(input)",
            ".a | min_by(.b) | flatten(input)",
            "error",
            "limit(1; .b)",
            "with_entries(.)",
        ] {
            assert!(!picks(filter, &plain), "{filter}");
        }
    }

    #[test]
    fn long_and_deep_filters_are_left() {
        let plain = Plain { places: &|_| true, keyed: &[] };
        assert!(picks(".a", &plain));
        assert!(!picks(&"(".repeat(500), &plain));
        assert!(!picks(&format!("{}.a{}", "(".repeat(100), ")".repeat(100)), &plain));
        assert!(!picks(&".a".repeat(600), &plain));
    }
}
