//! What is known of variables and of the working folder at one point of a script. Values only; the walk changes them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::word::{Piece, Word};

/// Variables whose value is the shell's, whatever a script assigns.
const OWN: [&str; 17] = [
    "_",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "BASHPID",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "GROUPS",
    "FUNCNAME",
    "DIRSTACK",
    "PIPESTATUS",
    "HISTCMD",
    "PPID",
    "UID",
    "EUID",
    "REPLY",
];

/// Longest value that is kept, in bytes, and most words of an array or a call: a script can double them at each step.
const LONGEST: usize = 1024;
const WORDS: usize = 17;

/// Whether a value is short enough to be kept.
fn short(value: &Word) -> bool {
    value.length() <= LONGEST
}

/// What a name is defined as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Defined {
    /// The function at that place in the judge's list.
    As(usize),
    /// One function or another, or none.
    Unsure,
}

/// What is known at one point of the script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scope {
    variables: HashMap<String, Word>,
    /// Variables that may keep their value whatever the script assigns.
    fixed: BTreeSet<String>,
    /// The members of arrays, where they are known.
    arrays: BTreeMap<String, Vec<Word>>,
    /// Arrays that may have keys instead of places.
    keyed: BTreeSet<String>,
    functions: BTreeMap<String, Defined>,
    /// The name that the script or function was called by and its words, where they are known.
    arguments: Option<Vec<Word>>,
    /// The working folder, absolute, unless it may be anywhere.
    pub(super) cwd: Option<String>,
    /// Whether `cwd` is still the folder that the command starts in.
    pub(super) moved: bool,
    /// Where it stands instead if a `cd` fails whose folder isn't there.
    pub(super) astray: BTreeSet<String>,
    /// A folder that a `cd` was to go to and that isn't there.
    pub(super) missing: Option<String>,
}

impl Scope {
    /// The scope at the start, in a folder.
    pub(super) fn at(cwd: String) -> Self {
        Self { cwd: Some(cwd), ..Self::default() }
    }

    /// Sets a variable. What the shell sets itself, or doesn't let be set any more, may be anything then; so may what
    /// is too large to be followed.
    pub(super) fn set(&mut self, name: &str, value: Word) {
        let own = OWN.contains(&name) || self.fixed.contains(name);
        let value = if own || !short(&value) { Word::any() } else { value };
        self.variables.insert(name.to_owned(), value);
        self.arrays.remove(name);
    }

    /// The members of an array that was just assigned.
    pub(super) fn fill(&mut self, name: &str, members: Vec<Word>) {
        let placed = !self.fixed.contains(name) && !self.keyed.contains(name);
        if placed && !OWN.contains(&name) && members.len() <= WORDS && members.iter().all(short) {
            self.arrays.insert(name.to_owned(), members);
        }
    }

    /// From here on an array may have keys.
    pub(super) fn key(&mut self, name: &str) {
        self.keyed.insert(name.to_owned());
        self.arrays.remove(name);
    }

    /// The members of an array.
    pub(super) fn members(&self, name: &str) -> Option<&[Word]> {
        self.arrays.get(name).map(Vec::as_slice)
    }

    /// From here on a name is that function.
    pub(super) fn define(&mut self, name: &str, at: usize) {
        self.functions.insert(name.to_owned(), Defined::As(at));
    }

    /// From here on a name may be that of a function no more.
    pub(super) fn undefine(&mut self, name: &str) {
        if let Some(defined) = self.functions.get_mut(name) {
            *defined = Defined::Unsure;
        }
    }

    /// What a name is defined as, if it is.
    pub(super) fn function(&self, name: &str) -> Option<Defined> {
        self.functions.get(name).copied()
    }

    /// The name that the script or function was called by and its words.
    pub(super) fn arguments(&self) -> Option<&[Word]> {
        self.arguments.as_deref()
    }

    /// Sets the words that a function is called with; gives back those that were there.
    pub(super) fn take_arguments(&mut self, words: Option<Vec<Word>>) -> Option<Vec<Word>> {
        let few = words.filter(|words| words.len() <= WORDS && words.iter().all(short));
        std::mem::replace(&mut self.arguments, few)
    }

    /// From here on a variable can't be set.
    pub(super) fn fix(&mut self, name: &str) {
        self.fixed.insert(name.to_owned());
    }

    /// Whether a variable may be one that can't be set.
    pub(super) fn fixed(&self, name: &str) -> bool {
        self.fixed.contains(name)
    }

    /// The value that the script gave a variable.
    pub(super) fn get(&self, name: &str) -> Option<&Word> {
        self.variables.get(name)
    }

    /// Whether `IFS` may split words elsewhere than at blanks, where they are taken to be split otherwise.
    pub(super) fn splits_oddly(&self) -> bool {
        self.get("IFS").is_some_and(|value| !blank(value))
    }

    /// Whether `IFS` is what it is at the start.
    pub(super) fn splits_usually(&self) -> bool {
        self.get("IFS").is_none_or(|value| value.text() == Some(" \t\n"))
    }

    /// What another scope knows by name may have any value here: it may be exported, or not.
    pub(super) fn inherit<'n>(&mut self, other: &'n Self, given: impl Iterator<Item = &'n str>) {
        let names = other.variables.keys().map(String::as_str).chain(given);
        self.variables.extend(names.map(|name| (name.to_owned(), Word::any())));
    }

    /// Keeps what is the same here and in another scope that may hold instead.
    pub(super) fn join(&mut self, other: &Self) {
        // A number, or what the environment has: no more is known of it than of any other variable.
        self.variables.retain(|name, value| value.number().is_none() || other.variables.contains_key(name));
        for (name, value) in &other.variables {
            if value.number().is_none() {
                self.variables.entry(name.clone()).or_insert_with(Word::any);
            }
        }
        for (name, value) in &mut self.variables {
            *value = match other.variables.get(name) {
                Some(same) if same == value => continue,
                Some(other) => match (other.number(), value.number()) {
                    (Some(Piece::Number), Some(Piece::Number)) => Piece::Number.into(),
                    (Some(_), Some(_)) => Piece::Digits.into(),
                    (None, _) | (_, None) => some_or_none(value, other).unwrap_or_else(Word::any),
                },
                None => Word::any(),
            };
        }
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        self.moved |= other.moved;
        self.astray.extend(other.astray.iter().cloned());
        self.missing = self.missing.take().or_else(|| other.missing.clone());
        self.fixed.extend(other.fixed.iter().cloned());
        self.keyed.extend(other.keyed.iter().cloned());
        self.arrays.retain(|name, members| other.arrays.get(name) == Some(members));
        for name in other.functions.keys() {
            self.functions.entry(name.clone()).or_insert(Defined::Unsure);
        }
        for (name, defined) in &mut self.functions {
            if other.functions.get(name) != Some(defined) {
                *defined = Defined::Unsure;
            }
        }
        if self.arguments != other.arguments {
            self.arguments = None;
        }
    }

    /// Forgets the values of variables: they may be anything from here on.
    pub(super) fn forget(&mut self, names: &[String]) {
        for name in names {
            self.set(name, Word::any());
        }
    }
}

/// What a value is that is one thing or another, where one of them is nothing, or `HEAD`, and the other may be that, too:
/// as of a variable that is empty before a loop.
fn some_or_none(one: &Word, other: &Word) -> Option<Word> {
    let (none, some) = if one.text().is_some() { (one, other) } else { (other, one) };
    let [piece] = some.pieces() else { return None };
    match (none.text()?, piece) {
        ("", Piece::Numbers | Piece::Hashes | Piece::Refs | Piece::Names) => Some(some.clone()),
        ("HEAD", Piece::Hashes | Piece::Refs) => Some(Word { pieces: vec![Piece::Refs], ..some.clone() }),
        _ => None,
    }
}

/// Whether a value of `IFS` splits words at blanks alone.
pub(super) fn blank(value: &Word) -> bool {
    value.text().is_some_and(|text| text.chars().all(|c| matches!(c, ' ' | '\t' | '\n')))
}

/// Well-known variables whose value is known, or harmless and short.
pub(super) fn known_variable(name: &str, scope: &Scope, home: Option<&str>) -> Option<Word> {
    match name {
        "HOME" => home.map(Word::exact),
        "IFS" => Some(Word::exact(" \t\n")),
        "PWD" => scope.cwd.as_deref().map(Word::exact),
        "RANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID" | "PPID" | "BASHPID" | "COLUMNS" | "LINES" | "SHLVL"
        | "EPOCHSECONDS" => Some(Piece::Number.into()),
        // Set at the login, or by the shell.
        "USER" | "LOGNAME" | "HOSTNAME" => Some(Piece::Account.into()),
        _ => None,
    }
}

/// Whether a variable's name tells that its value is secret.
pub(super) fn secret_variable(name: &str) -> bool {
    const WORDS: [&str; 51] = [
        "DBPW",
        "KUBE_CONFIG",
        "JWT",
        "INDEX_URL",
        "BINDPW",
        "_SK",
        "WEBJOBSSTORAGE",
        "AMQP_URL",
        "KUBECONFIG_DATA",
        "TOKEN",
        "SECRET",
        "PASS",
        "PWD",
        "KEY",
        "CRED",
        "AUTH",
        "COOKIE",
        "SESSION",
        "PRIVATE",
        "SALT",
        "CERT",
        "DATABASE_URL",
        "DB_URL",
        "REDIS_URL",
        "PG_URL",
        "POSTGRES_URL",
        "MYSQL_URL",
        "JDBC_URL",
        "RABBITMQ_URL",
        "BROKER_URL",
        "CLOUDINARY_URL",
        "_PAT",
        "_PW",
        "PSWD",
        "MNEMONIC",
        "SEED",
        "HOOK",
        "PROXY",
        "_SAS",
        "MONGO",
        "DSN",
        "CONN",
        "AWS_",
        "AZURE_",
        "GCP_",
        "WEBHOOK",
        "_URI",
        "SIGN",
        "LICENSE",
        "OTP",
        "BEARER",
    ];
    const PLAIN: [&str; 11] = [
        "PWD",
        "OLDPWD",
        "SSH_AUTH_SOCK",
        "AWS_REGION",
        "AWS_PROFILE",
        "AWS_DEFAULT_REGION",
        "XDG_SESSION_TYPE",
        "DESKTOP_SESSION",
        "XDG_SESSION_ID",
        "GPG_AGENT_INFO",
        "XDG_SESSION_DESKTOP",
    ];
    // What fills these chose their names' small letters; others in small letters are a script's own.
    const MIXED: [&str; 2] = ["TF_VAR_", "npm_config_"];
    let mixed = MIXED.iter().any(|start| name.starts_with(start)) || name.ends_with("s_proxy") || name == "http_proxy";
    let upper = name.to_ascii_uppercase();
    !PLAIN.contains(&upper.as_str()) && (mixed || name == upper) && WORDS.iter().any(|word| upper.contains(word))
}
