//! Expressions that pick something out of what a program has, and those of them that make it read, show or run something
//! else. `kind` asks for each word that means one.

/// Whether an expression over a document reads no other, and takes no text for an expression.
pub(super) fn own_document(text: &str) -> bool {
    const OTHERS: [&str; 7] = ["document", "unparsed", "evaluate", "dyn", "saxon", "exslt.org/dynamic", "readFile"];
    !OTHERS.iter().any(|other| text.contains(other))
}

/// Whether an expression of revisions asks no other repository, nor a command of the configuration.
pub(super) fn own_revisions(text: &str) -> bool {
    calls(text).all(|name| !["remote", "outgoing", "extdata"].contains(&name))
}

/// Whether a template shows nothing of the configuration or the environment, and picks no other revisions or files.
pub(super) fn plain_template(text: &str) -> bool {
    const OTHERS: [&str; 6] = ["config", "env", "extdata", "revset", "peerurls", "url"];
    !OTHERS.iter().any(|other| text.contains(other)) && calls(text).all(|name| name != "files")
}

/// Whether a format of gcloud picks columns, of what has neither an environment nor keys.
pub(super) fn plain_columns(text: &str) -> bool {
    const SECRET: [&str; 9] = ["metadata", "env", "template", "spec", "config", "auth", "password", "secret", "build"];
    let text = text.to_ascii_lowercase();
    ["table", "none", "disable"].contains(&text.as_str())
        || text.contains('(')
            && !text.ends_with("()")
            && !text.contains('*')
            && !SECRET.iter().any(|word| text.contains(word))
}

/// The names of the functions that an expression calls.
fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').map(|(at, _)| {
        let before = text[..at].trim_end();
        before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default()
    })
}

/// Whether a file of hledger is none of rules, which may name a command to run, nor one in a form that is named.
pub(super) fn ledger(pattern: &str) -> bool {
    !pattern.contains([':', '|']) && !pattern.ends_with("rules") && !pattern.ends_with(['*', '?', ']'])
}

/// Whether a shell takes a path for one word, as it stands.
pub(super) fn plain_path(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || "/._+-,@=%:".contains(c))
}

/// Whether a key of a configuration is none that holds a secret.
pub(super) fn plain_key(key: &str) -> bool {
    const SECRET: [&str; 14] = [
        "extraheader",
        "token",
        "pass",
        "secret",
        "credential",
        "cookie",
        "sslkey",
        "url",
        "proxy",
        "auth",
        "header",
        "links",
        "cert",
        "private",
    ];
    let key = key.to_ascii_lowercase();
    key != "key" && !key.starts_with('-') && !SECRET.iter().any(|word| key.contains(word))
        || key.starts_with("remote.") && key.rsplit('.').next() == Some("url")
}

/// Whether a regular expression of such keys matches none but those of a section in which no secrets stand.
pub(super) fn plain_section(pattern: &str) -> bool {
    const SECTIONS: &str = " advice alias branch color column commit diff fetch help i18n init log merge pull push rebase \
        status tag ";
    let named = pattern.strip_prefix('^').and_then(|rest| rest.split_once("\\."));
    // What stands before a bar alone is bound to the beginning; what may be left out isn't there.
    named.is_some_and(|(section, rest)| {
        SECTIONS.contains(&format!(" {section} ")) && !rest.contains('|') && !rest.starts_with(['?', '*', '{'])
    })
}

/// What a server of repositories is asked for, with names for what its client puts there: `repos/:owner/:repo`.
pub(super) fn endpoint(path: &str) -> String {
    [":owner", ":repo", ":branch"].iter().fold(path.to_owned(), |path, name| path.replace(name, &name[1..]))
}

/// Whether a field of a request in GraphQL is the text of it, which only asks, or a value that stands there itself.
pub(super) fn asks_graphql(field: &str) -> bool {
    // What `gh` puts there may be called `mutation`: the branch that is checked out, or the repository's owner.
    const PUT: [&str; 6] = ["{owner}", "{repo}", "{branch}", ":owner", ":repo", ":branch"];
    let Some((name, value)) = field.split_once('=') else { return false };
    if name.trim() != "query" {
        return !value.starts_with('@')
            && !name.starts_with("query[")
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_[]".contains(&byte));
    }
    let text = value.trim_start();
    let asks = text.starts_with('{')
        || text.strip_prefix("query").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    asks && !["mutation", "subscription"].iter().chain(&PUT).any(|word| text.contains(word))
}

/// Whether a kind of things in a cluster, or one of them, isn't known to hold secrets in the open: those of `OpenShift`
/// too, and what machines are set up by.
pub(super) fn plain_resource(text: &str) -> bool {
    const SECRET: [&str; 14] = [
        "secret",
        "oauth",
        "machineconfig",
        "kubeadm",
        "bootstrapconfig",
        "talosconfig",
        "rke2config",
        "kthreesconfig",
        "eksconfig",
        "token",
        "authconfig",
        "virtualmachine",
        "userattribute",
        "buildconfig",
    ];
    const SHORT: [&str; 7] = ["bc", "kcp", "mc", "vm", "vmi", "vmis", "vms"];
    let text = text.to_ascii_lowercase();
    let short = |text: &str| text.split([',', '/', '.']).any(|kind| SHORT.contains(&kind));
    !SECRET.iter().any(|kind| text.contains(kind)) && !short(&text)
}

/// Whether it is one type of such things, and none of them by its name.
pub(super) fn names_a_type(text: &str) -> bool {
    plain_resource(text) && !text.contains(['/', ','])
}

/// Whether a path begins with a host of repositories: what reads pages there fetches it.
pub(super) fn forge(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or(text).to_ascii_lowercase();
    ["github.com", "gitlab.com"].iter().any(|host| first.ends_with(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_stay_with_what_they_are_about() {
        assert!(plain_section("^alias\\.") && !plain_section("^alias\\.?") && !plain_section("^alias\\.x|^http"));
        assert!(asks_graphql("query=query A { b }") && asks_graphql("query={b}") && asks_graphql("owner=a"));
        for field in [
            "query=queryX",
            "query=@a",
            "query=mutation { a }",
            "query={a} mutation B {c}",
            "query={a} {branch} B {c}",
            "query={owner} {a}",
            "query={a} :repo B {c}",
            "a=@b",
            "query",
            "a b=c",
        ] {
            assert!(!asks_graphql(field), "{field}");
        }
        assert!(own_document("//a[@b='c']") && own_document("concat(., 'x')"));
        for text in ["document('a')", "dyn:evaluate(concat('docu','ment(1)'))", "dyn:map(a, b)", "readFile(\"x\")"] {
            assert!(!own_document(text), "{text}");
        }
        assert!(
            own_revisions("tip") && own_revisions("ancestors(remote/x) and not merge()") && own_revisions("p1(.)^")
        );
        for text in ["remote('x', 'ssh://h/y')", "outgoing ()", "only(tip, remote(a))"] {
            assert!(!own_revisions(text), "{text}");
        }
        assert!(plain_template("{node|short} {desc|firstline}\\n") && plain_template("{join(files, ' ')}"));
        for text in [
            "{config('auth','x.password')}",
            "{envvars}",
            "{get(envvars,'A')}",
            "{revset('remote(1)')}",
            "{files('re:x')}",
        ] {
            assert!(!plain_template(text), "{text}");
        }
        assert!(plain_columns("table(name,zone.basename())") && plain_columns("value(name)") && plain_columns("table"));
        for text in ["json", "yaml", "json(metadata)", "value(spec.template)", "json()", "value[](labels,*)"] {
            assert!(!plain_columns(text), "{text}");
        }
        assert!(ledger("a.journal") && ledger("*.journal") && ledger("bank.csv"));
        assert!(!ledger("bank.csv.rules") && !ledger("rules:x") && !ledger("*"));
        assert!(
            plain_path("a/b-1.patch.gz") && !plain_path("a;b.gz") && !plain_path("$(a).gz") && !plain_path("a b.gz")
        );
        assert!(forge("github.com/a/b") && forge("me@GitLab.com/a/b") && !forge("docs/github.com.md"));
    }
}
