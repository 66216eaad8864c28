//! What a word means to a program, as the rule files name it, and how each meaning is judged.

use serde::Deserialize;

use super::clients::{mysql_shows, psql_lists, psql_shows};
use super::fields::{plain_fields, plain_variables};
use super::filter::{filters_with_numbers, only_filters};
use super::judge::Judge;
use super::meanings::{
    address, archived_elsewhere, below_a_folder, columns, document, inline, installed, own_database, own_repository,
    piped, plain_byte, queue, shows_environment, this_machine,
};
use super::numbers::dated;
use super::path::descriptor;
use super::published::{image, module, package, unresolved};
use super::redirect::TERMINAL;
use super::regex::as_glob;
use super::selectors::{
    asks_graphql, endpoint, ledger, own_document, own_revisions, plain_columns, plain_key, plain_path, plain_resource,
    plain_section, plain_template,
};
use super::word::{Piece, Word};

/// What a word means to a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Any text is harmless.
    #[default]
    Text,
    /// A path whose name or data about it are looked at.
    Path,
    /// A file whose content is read, or a folder whose files are.
    File,
    /// A file that is written.
    Write,
    /// A script of `sed`.
    Sed,
    /// A program of `awk`.
    Awk,
    /// A filter of `jq` or `yq`.
    Filter,
    /// The same, or a file where one has that name.
    Query,
    /// A setting that is read, not set: without `=`.
    Setting,
    /// A format, beginning with `+`.
    Format,
    /// The letters of `ps` without a dash: `e` shows every process's environment.
    Bsd,
    /// The word `never`.
    Never,
    /// A word that turns a flag off: `false`, `never`.
    Off,
    /// A filter of jq that can see the environment.
    Jq,
    /// A key of git's configuration, not one that holds a secret.
    Key,
    /// A file on this machine, not an address (`/vsis3/…` is one of GDAL's), a list of files (`@file`), a command
    /// (`|command`) or a text of XML.
    Archive,
    /// A plain name, not a path, nor a file of arguments (`@file`).
    Name,
    /// A file of the system's own folders of programs and libraries.
    Installed,
    /// One word of letters, digits, `-`, `_` and dots, which doesn't begin with a dot.
    Word,
    /// An expression over a document that reads no other.
    Xpath,
    /// A revision of Mercurial, by an expression that asks no other repository.
    Revset,
    /// A template of Mercurial that shows no settings, nor the environment.
    Template,
    /// A glob of names whose files Mercurial reads, not another kind of its patterns.
    Pattern,
    /// A field of the journal that isn't the environment of a process.
    Field,
    /// A format of gcloud that picks columns, and none with settings that hold secrets.
    Columns,
    /// A journal of hledger, not rules, which may name a command.
    Ledger,
    /// A file whose name a shell would take for one word that means nothing else.
    Plain,
    /// A name on this machine's own server, not `server:name`.
    Local,
    /// A kind of thing in a cluster, not a secret one.
    Resource,
    /// A revision or path of git, whose content may be shown.
    Revision,
    /// A glob of names whose files are read.
    Glob,
    /// A regular expression of such names.
    Regex,
    /// A regular expression, or an ending, of names that a search lists.
    Sought,
    /// Lines of a path within a repository: `1,5:path`.
    Lines,
    /// A repository of the server that is asked anyway: `owner/name`, a number, or an address at github.com.
    Repository,
    /// What a server of repositories is asked for: a path on it, not an address, and no secret.
    Endpoint,
    /// What a server of repositories is asked in GraphQL: the text that only asks, or a value put into it.
    Graphql,
    /// A regular expression of keys of git's configuration, in a section that holds no secrets.
    Keys,
    /// A method that only reads.
    Get,
    /// A header that only says which form an answer should have.
    Accept,
    /// Text that stands here itself, not in a file or at an address that it names.
    Inline,
    /// A queue by its address at the service that is asked anyway.
    Queue,
    /// The name of a package, not a path or an address whose script would run.
    Package,
    /// Packages of Go, here or at a host that everybody uses.
    Module,
    /// A filter of addresses without a name to look up.
    Address,
    /// A server on this machine.
    Here,
    /// A format that doesn't pick the environment out of what is shown.
    Shown,
    /// A format that picks fields of a container without its environment.
    Fields,
    /// An image in a registry that everybody uses.
    Image,
    /// A path in the store of Nix.
    Store,
    /// What `psql` shows of a server: its own commands that describe, and settings.
    Psql,
    /// What `mysql` shows of a server.
    Mysql,
    /// A text in a form, told by its ending, that takes in no other file.
    Document,
    /// A file of manifests, not a folder of them, or what comes in.
    Manifest,
    /// The URL of something at a public host that is only looked at.
    Url,
    /// A header of such a look, which only says how to answer.
    Header,
    /// Text of such a look that goes out as it is: no file, no secret.
    Sent,
    /// What `curl` tells of a transfer at its end, not into a file.
    Told,
    /// Names of variables (`$HOME ${LANG}`), none of which says of a secret.
    Variables,
    /// A format of rpm that expands no macro.
    Tags,
    /// Sums of `dc`, without what runs a command or a text.
    Sums,
    /// How many processes or threads run at once.
    Few,
    /// A database of a server on this machine: its name, or its address.
    Database,
    /// None may stand here.
    None,
}

impl Kind {
    /// Whether something may be told of what a file holds, be it that it holds a text: not where the word is a mere text,
    /// or the name of what is listed.
    pub(super) fn opens(self) -> bool {
        !matches!(self, Self::Text | Self::Path | Self::Format | Self::Sought | Self::Few)
    }
}

impl Judge<'_> {
    /// Judges a word by what it means.
    pub(super) fn meant(&mut self, kind: Kind, name: &str, word: &Word) {
        // A number is judged as one of them.
        let number = matches!(word.pieces(), [Piece::Number | Piece::Digits | Piece::Numbers]);
        let word =
            if number && kind.opens() && kind != Kind::File { &Word::exact("1").at(word.span.clone()) } else { word };
        match kind {
            Kind::Text | Kind::Path => {}
            Kind::File if name.ends_with("awk") && word.pattern().starts_with("/inet") => {
                self.external("command.awk", format!("`{name}` opens the connection {}.", self.spelt(word)));
            }
            Kind::File if address(word) => {
                self.external("command.address", format!("`{name}` may fetch {}.", self.spelt(word)));
                self.ineligible = true;
            }
            Kind::File | Kind::Archive if piped(word) => {
                self.ineligible = true;
                self.unknown("command.operand", format!("`{name}` may run what {} names.", self.spelt(word)));
            }
            Kind::File => self.reads(word),
            Kind::Few => self.few(name, word),
            Kind::Write => self.writes(name, word),
            Kind::Sed => self.sed_script(word),
            Kind::Awk => self.awk_program(word),
            Kind::Revision => self.revision(word),
            Kind::Glob => self.selects(name, word, &word.pattern()),
            Kind::Regex => {
                let glob = as_glob(&word.pattern());
                self.selects(name, word, &glob);
                self.selects(name, word, &format!("*.{}", glob.trim_start_matches(['*', '?', '.'])));
            }
            Kind::Sought => {
                let glob = as_glob(&word.pattern());
                self.sought.push(glob);
            }
            Kind::Lines => {
                let text = word.pattern();
                let path = text.rsplit_once(':').map_or("", |(_, path)| path);
                self.selects(name, word, path);
            }
            Kind::Bsd
                if word.text().is_some_and(|text| !text.contains(['e', 'E']) || columns(text)) => {}
            Kind::Key if word.text().is_some_and(plain_key) => {}
            Kind::Never if word.text() == Some("never") => {}
            Kind::Off if matches!(word.text(), Some("false" | "never")) => {}
            Kind::Jq if word.text().is_some_and(only_filters) => {}
            Kind::Format if word.prefix().starts_with('+') && !word.open() => {
                self.printed = word.text().and_then(|text| dated(&text[1..]));
            }
            Kind::Archive
                if word
                    .text()
                    .map_or(below_a_folder(word, self.led), |text| !archived_elsewhere(name, text)) =>
            {
                self.reads(word);
                // To Subversion `file@5` is an earlier state of `file`.
                if let Some(text) = word.text().filter(|_| name.starts_with("svn ")) {
                    text.match_indices('@').for_each(|(at, _)| self.reads(&Word::exact(&text[..at])));
                }
            }
            Kind::Manifest if word.text() == Some("-") => {}
            Kind::Manifest
                // A comma would part two of them, the second of which may be an address.
                if word.text().is_some_and(|text| {
                    !text.contains(',') && [".yaml", ".yml"].iter().any(|end| text.ends_with(end))
                }) =>
            {
                self.meant(Kind::File, name, word);
            }
            Kind::Document if word.text().is_some_and(document) => self.reads(word),
            Kind::Installed if word.text().is_some_and(installed) => {}
            Kind::Database if word.text().is_some_and(own_database) => {}
            Kind::Setting if word.text().is_some_and(|text| !text.contains(['=', '/'])) => {}
            Kind::Name if word.text().is_some_and(|text| !text.contains('/') && !text.starts_with('@')) => {}
            // A name that begins with a dot is a file's, which some programs open where there is one.
            Kind::Word if word.text().is_some_and(|text| !text.starts_with('.') && text.bytes().all(plain_byte)) => {}
            Kind::Xpath
                if word.text().is_some_and(own_document) => {}
            Kind::Revset if word.text().is_some_and(own_revisions) => {}
            Kind::Template if word.text().is_some_and(plain_template) => self.reads(word),
            Kind::Pattern if word.text().is_some_and(|text| !text.contains(':')) => {
                self.selects(name, word, &word.pattern());
            }
            Kind::Field if word.text().is_some_and(|text| !text.to_ascii_uppercase().contains("ENVIRON")) => {}
            Kind::Columns if word.text().is_some_and(plain_columns) => {}
            Kind::Ledger if ledger(&word.pattern()) => self.reads(word),
            Kind::Plain if word.text().is_some_and(plain_path) => self.reads(word),
            Kind::Local if word.text().is_some_and(|text| !text.contains(':')) => {}
            Kind::Resource if word.text().is_some_and(plain_resource) => {}
            Kind::Resource if word.one_name() && self.typed == Some(true) => {}
            Kind::Repository if word.text().is_some_and(own_repository) => {}
            Kind::Endpoint if !word.vague() && !endpoint(&word.pattern()).contains(':') && word.text() != Some("graphql") => {
                self.selects(name, word, &endpoint(&word.pattern()));
            }
            Kind::Graphql if word.text().is_some_and(asks_graphql) => {}
            Kind::Keys if word.text().is_some_and(plain_section) => {}
            Kind::Get
                if word.text().is_some_and(|text| ["get", "head"].contains(&text.to_ascii_lowercase().as_str())) => {}
            Kind::Accept
                if word.text().is_some_and(|text| {
                    ["Accept:", "accept:", "X-GitHub-Api-Version:"].iter().any(|header| text.starts_with(header))
                }) => {}
            Kind::Inline if word.text().is_some_and(inline) => {}
            Kind::Queue if word.text().is_some_and(queue) => {}
            Kind::Package if word.text().is_some_and(|text| package(name, text)) => {}
            Kind::Address if word.text().is_some_and(|text| unresolved(name, text)) => {}
            Kind::Module if word.text().is_some_and(|text| module(name, text)) => {}
            Kind::Here if word.text().is_some_and(|text| text.starts_with('/') && !text.contains(',') || this_machine(text)) => {}
            Kind::Shown if word.text().is_some_and(|text| !shows_environment(text)) => {}
            Kind::Variables if word.text().is_some_and(plain_variables) => {}
            Kind::Tags if word.text().is_some_and(|text| !text.contains("expand")) => {}
            Kind::Fields if word.text().is_some_and(plain_fields) => {}
            Kind::Image if word.text().is_some_and(|text| image(name, text)) => {}
            Kind::Sums if word.text().is_some_and(|text| text.bytes().all(|byte| b" \n0123456789._+-*/%^~|pnfcdrvkKiIoOzZ".contains(&byte))) => {}
            Kind::Store if word.text().is_some_and(|text| text.starts_with("/nix/store/")) => {}
            Kind::Psql if word.text().is_some_and(psql_shows) => {
                if self.facts.is_some_and(|facts| facts.unguarded) && !word.text().is_some_and(psql_lists) {
                    let sentence = "Nothing guards `psql` in this run, so a function of that name may write.";
                    self.unknown("command.client-unguarded", sentence);
                }
            }
            Kind::Mysql if word.text().is_some_and(mysql_shows) => {}
            Kind::Url | Kind::Header | Kind::Sent => self.goes_out(kind, name, word),
            Kind::Told if word.text().is_some_and(|text| !text.starts_with('@') && !text.contains("%output")) => {}
            Kind::Variables | Kind::Bsd | Kind::Key | Kind::Jq | Kind::Shown | Kind::Fields | Kind::Template | Kind::Field | Kind::Columns => {
                self.sensitive(format!("`{name} {}` may show secrets.", word.shown()));
            }
            Kind::Repository
            | Kind::Endpoint
            | Kind::Graphql
            | Kind::Keys
            | Kind::Get
            | Kind::Accept
            | Kind::Inline
            | Kind::Queue
            | Kind::Package
            | Kind::Address
            | Kind::Module
            | Kind::Here
            | Kind::Image
            | Kind::Psql
            | Kind::Mysql
            | Kind::Told
            | Kind::Sums
            | Kind::Tags
            | Kind::Store
            | Kind::Format
            | Kind::Never
            | Kind::Off
            | Kind::Archive
            | Kind::Setting
            | Kind::Database
            | Kind::Name
            | Kind::Word
            | Kind::Installed
            | Kind::Document
            | Kind::Manifest
            | Kind::Xpath
            | Kind::Revset
            | Kind::Pattern
            | Kind::Ledger
            | Kind::Plain
            | Kind::Local
            | Kind::Resource => {
                self.ineligible = true;
                self.unknown("command.operand", format!("No rule says that `{name} {}` only reads.", word.shown()));
            }
            Kind::Filter | Kind::Query => {
                if kind == Kind::Query {
                    self.queried(name, word);
                }
                let digits = || kind == Kind::Filter && filters_with_numbers(word);
                if !word.text().map_or_else(digits, only_filters) {
                    self.unknown(
                        "command.filter",
                        format!("The filter of `{name}` may read the environment or other files."),
                    );
                }
            }
            Kind::None => {
                self.unknown("command.operand", format!("No rule says that `{name} {}` only reads.", word.shown()));
            }
        }
    }

    /// A search reads the files whose names match a glob; with `!` before it, it passes over them.
    fn selects(&mut self, name: &str, word: &Word, glob: &str) {
        if word.prefix().starts_with('!') {
            return;
        }
        let glob = glob.rsplit_once(':').map_or(glob, |(_, glob)| glob);
        if let Some(entry) = self.may_be_sensitive(glob) {
            self.sensitive(format!(
                "`{name}` looks for {}, which may match a sensitive file: {entry}.",
                self.spelt(word)
            ));
        }
    }

    /// A program writes the file that a word names.
    pub(super) fn writes(&mut self, name: &str, word: &Word) {
        // To `tee`, `sort` and others it is a file of that name.
        const PRINT: [&str; 9] =
            ["curl", "wget", "msgfmt", "qrencode", "pdftotext", "metaflac", "docx2txt", "ncdu", "xlsx2csv"];
        let mut harmless = vec!["/dev/null", "/dev/stdout", "/dev/stderr"];
        if PRINT.contains(&name) {
            harmless.push("-");
        }
        // Standard input may be a file, which this name opens again for writing; so may what a script opened.
        let open = descriptor(word).is_some_and(|number| !number.trim_start_matches('0').is_empty());
        if !self.opened && (open || word.text().is_some_and(|text| harmless.contains(&text))) {
            return;
        }
        if word.text() == Some(TERMINAL) {
            self.about(word, |judge| judge.reaches_terminal(name));
            return;
        }
        self.lands_on(word);
        self.ineligible |= self.writes_later(word);
        self.about(word, |judge| {
            if judge.raw_device(&word.pattern()) {
                let sentence = format!("`{name}` writes straight to the device {}.", judge.spelt(word));
                judge.catastrophe("command.raw-device", sentence);
            } else {
                judge.destructive("command.writes", format!("`{name}` writes the file {}.", judge.spelt(word)));
            }
        });
    }
}

/// Whether a glob says plainly which names it means: one name, an ending (`*.conf`), or a beginning of some letters.
/// Others, such as `*a*`, may mean any file among those that a person didn't think of.
pub(super) fn narrows(glob: &str) -> bool {
    named_by(glob).is_some()
}

/// The names that a glob says plainly: endings, beginnings or whole names; none where it says more.
pub(super) fn named_by(glob: &str) -> Option<Vec<String>> {
    // A part of it may stand on either side of a slash; to some a comma parts two of them, and `^` turns one around.
    let parted = glob.find(['{', '[']).is_some_and(|at| glob[at..].contains('/'));
    if parted || glob.starts_with('^') {
        return None;
    }
    let name = glob.rsplit('/').next().unwrap_or(glob);
    if let Some(endings) = name.strip_prefix("*.{").and_then(|rest| rest.strip_suffix('}')) {
        let plain = |ending: &str| !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let endings = endings.split(',').map(|ending| plain(ending).then(|| format!("*.{ending}")));
        return endings.collect();
    }
    let wild = |c: char| matches!(c, '*' | '?' | '[' | '{' | '\\');
    let ending = name.strip_prefix("*.").is_some_and(|ending| !ending.is_empty() && !ending.contains(wild));
    let beginning = name.find(wild).unwrap_or(name.len());
    let whole = beginning > 0 && beginning == name.len();
    if name.contains(',') || !(ending || whole || beginning >= 3) {
        return None;
    }
    Some(vec![if ending || whole { name.to_owned() } else { format!("{}*", &name[..beginning]) }])
}

/// Whether a glob names files by an ending that sources and texts have: where secrets lie below, others may be theirs.
pub(super) fn ordinary(glob: &str) -> bool {
    const ENDINGS: &str = " adoc bash c cc conf cpp cs css csv cxx dart erl ex exs fish go h hh hpp hs htm html ipynb java jl js \
        jsx kt kts less lock log lua md mjs ml php pl pm proto py pyi r rb rs rst s scala scss sh sql svelte svg swift ts tsx \
        txt v vue xsl zig zsh ";
    let name = glob.rsplit('/').next().unwrap_or(glob);
    let all = |names: Vec<String>| names.iter().all(|name| has_ending(name, ENDINGS));
    if name.contains('{') { named_by(glob).is_some_and(all) } else { has_ending(name, ENDINGS) }
}

/// Whether a name, or the pattern of some, has one of some endings.
fn has_ending(name: &str, endings: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        !ending.is_empty() && endings.contains(&format!(" {} ", ending.to_ascii_lowercase()))
    })
}
