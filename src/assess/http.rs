//! Judges HTTP requests: a look at a public host is whitelisted; what sends, carries a secret or reaches for
//! this machine's own network isn't. Names are judged unresolved: the tool judges addresses as it dials.

use url::Url;

use super::host::{self, Reach};
use super::secrets::{opaque, secret_kind};
use super::spelling::percent_decoded;
use super::{RiskAssessor, Subject};
use crate::domain::{Assessment, Class, Danger, Finding, HttpOperation, OperationKind, Shape};

/// Longest URL that is whitelisted, and longest run of packed data in it.
const URL_CAP: usize = 2000;
const PACKED_CAP: usize = 100;
/// Longest part of a host's name that may be packed data.
const LABEL_CAP: usize = 40;
/// Longest value of a header that is whitelisted.
const HEADER_CAP: usize = 300;

/// Headers that only say how to answer.
const HARMLESS: [&str; 18] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "content-type",
    "dnt",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-unmodified-since",
    "origin",
    "pragma",
    "range",
    "referer",
    "user-agent",
    "x-github-api-version",
    "x-requested-with",
];

/// Ports of services that don't speak HTTP, which a request could talk to by accident or on purpose.
const FOREIGN_PORTS: [u16; 58] = [
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 79, 110, 111, 113, 119, 123, 135, 137, 139,
    143, 161, 389, 445, 465, 514, 587, 636, 993, 995, 1433, 1521, 2049, 2375, 2376, 2379, 3306, 3389, 5432, 5672, 5900,
    5901, 6000, 6379, 6667, 9042, 9092, 10250, 11211, 27017, 61616,
];

/// The assessor of `http_request`.
#[derive(Clone, Copy, Debug)]
pub struct HttpAssessor;

impl RiskAssessor for HttpAssessor {
    fn assess(&self, subject: Subject<'_>) -> Assessment {
        let OperationKind::Http(http) = &subject.operation.kind else { return Assessment::default() };
        let url = match read(&http.url) {
            Ok(url) => url,
            Err(trouble) => return Assessment::unreadable("http.url", format!("The URL {trouble}.")),
        };
        let findings: Vec<Finding> = [
            by_method(http, &url),
            by_spelling(http, &url),
            by_host(&url),
            by_port(&url),
            by_secret(http, &url),
            by_size(http, &url),
        ]
        .into_iter()
        .flatten()
        .chain(http.headers.iter().filter_map(|(name, value)| by_header(name, value)))
        .collect();
        let target = target(&url);
        let shapes = vec![shape(http, &url)];
        if findings.is_empty() {
            let sentence = format!("It only looks: {} at {target}.", http.method.to_ascii_uppercase());
            return Assessment { shapes, target, ..Assessment::whitelisted("http.look", sentence) };
        }
        Assessment { findings, shapes, target, ..Assessment::default() }
    }
}

/// The host, with its port, of a look at what a program's word names as a URL. Without a scheme it is taken for `http`,
/// as clients do.
///
/// # Errors
/// Why it isn't whitelisted.
pub(super) fn look(word: &str) -> Result<String, Finding> {
    let url = if word.contains("://") { word.to_owned() } else { format!("http://{word}") };
    let http = HttpOperation { method: "GET".to_owned(), url, headers: Vec::new(), body: None };
    let unread = |trouble| Finding::new("http.url", Class::Unknown, format!("The URL {trouble}."));
    let url = read(&http.url).map_err(unread)?;
    let findings =
        [by_spelling(&http, &url), by_host(&url), by_port(&url), by_secret(&http, &url), by_size(&http, &url)];
    findings.into_iter().flatten().next().map_or_else(|| Ok(target(&url)), Err)
}

/// Why text that a program adds to a look as a part of its query, or to say who asks, isn't whitelisted; none if it is.
pub(super) fn objection_to_text(text: &str) -> Option<Finding> {
    by_query(text.split(['&', ';'])).or_else(|| by_header("User-Agent", text))
}

/// Why a look may not end at a host, in a sentence without its end; none if it may.
#[must_use]
pub fn beyond_look(url: &Url) -> Option<String> {
    let finding = by_host(url).or_else(|| by_port(url))?;
    Some(finding.sentence.trim_end_matches('.').to_owned())
}

/// Reads a URL that says what it is: nothing that a parser would silently take away or add.
fn read(text: &str) -> Result<Url, &'static str> {
    if text.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        return Err("holds blanks or control characters");
    }
    if text.contains('\\') {
        return Err("holds a backslash");
    }
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if !matches!(scheme.as_deref(), Some("http" | "https")) {
        return Err("doesn't begin with http:// or https://");
    }
    let url = Url::parse(text).map_err(|_| "can't be read")?;
    if url.host_str().is_none_or(str::is_empty) {
        return Err("names no host");
    }
    Ok(url)
}

/// The host and port, for the person and for rules.
fn target(url: &Url) -> String {
    let port = url.port_or_known_default().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}{port}", plain_host(url))
}

fn plain_host(url: &Url) -> &str {
    url.host_str().unwrap_or_default().trim_end_matches('.')
}

fn shape(http: &HttpOperation, url: &Url) -> Shape {
    Shape::new([
        ("method", http.method.to_ascii_uppercase()),
        ("scheme", url.scheme().to_owned()),
        ("host", plain_host(url).to_owned()),
        ("port", url.port_or_known_default().unwrap_or_default().to_string()),
        ("path", url.path().to_owned()),
    ])
}

fn by_method(http: &HttpOperation, url: &Url) -> Option<Finding> {
    let token = |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    if http.method.is_empty() || !http.method.chars().all(token) {
        let sentence = format!("{} is not the name of a method.", http.method.escape_debug());
        return Some(Finding::new("http.method", Class::Unreadable, sentence));
    }
    let method = http.method.to_ascii_uppercase();
    let host = plain_host(url);
    let destructive = |rule: &str, sentence| Some(Finding::new(rule, Class::Declared(Danger::Destructive), sentence));
    match method.as_str() {
        "GET" | "HEAD" | "OPTIONS" => match &http.body {
            Some(body) if !body.is_empty() => {
                destructive("http.body", format!("Sends {} bytes to {host} with a {method}.", body.len()))
            }
            _ => None,
        },
        "POST" => destructive("http.post", format!("Sends data to {host} (POST).")),
        "PUT" => destructive("http.put", format!("Replaces what is at {host}{} (PUT).", url.path())),
        "PATCH" => destructive("http.patch", format!("Changes what is at {host}{} (PATCH).", url.path())),
        "DELETE" => destructive("http.delete", format!("Deletes what is at {host}{} (DELETE).", url.path())),
        _ => destructive("http.other-method", format!("{method} may change what is at {host}.")),
    }
}

/// What the text of the URL says beside the host that it leads to.
fn by_spelling(http: &HttpOperation, url: &Url) -> Option<Finding> {
    let authority = http.url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') || !url.username().is_empty() || url.password().is_some() {
        let sentence = format!("The URL carries a user name or password; it leads to {}.", plain_host(url));
        return Some(Finding::new("http.userinfo", Class::Declared(Danger::Sensitive), sentence));
    }
    let spelled = match authority.rfind(':') {
        Some(colon) if !authority[colon..].contains(']') => &authority[..colon],
        _ => authority,
    };
    let real = plain_host(url);
    if host::plainly_spelled(spelled.trim_end_matches('.'), real) {
        return None;
    }
    let sentence = match letters(real).filter(|_| spelled.trim_end_matches('.').eq_ignore_ascii_case(real)) {
        // The same look as by its letters.
        Some(letters) if host::plainly_spelled(&letters, real) && url::quirks::domain_to_ascii(&letters) == real => {
            return None;
        }
        Some(letters) => {
            format!(
                "The host is spelled {spelled}, which stands for {letters}, with letters that may look like others."
            )
        }
        None => format!("The host is spelled {spelled}, and leads to {real}."),
    };
    Some(Finding::new("http.spelling", Class::Unknown, sentence))
}

/// The letters that a host's `xn--` labels stand for, if they can be read.
fn letters(host: &str) -> Option<String> {
    let letters = url::quirks::domain_to_unicode(host);
    let readable = letters.chars().all(|letter| letter != char::REPLACEMENT_CHARACTER && !letter.is_control());
    (readable && !letters.is_empty() && letters != host).then_some(letters)
}

fn by_host(url: &Url) -> Option<Finding> {
    let name = plain_host(url);
    let unknown = |rule: &str, sentence| Some(Finding::new(rule, Class::Unknown, sentence));
    match host::reach(url) {
        Reach::Public => None,
        Reach::Metadata => {
            let sentence = format!("{name} is a link-local or metadata address, which hands out keys of this machine.");
            Some(Finding::new("http.metadata", Class::Declared(Danger::Sensitive), sentence))
        }
        Reach::Private => unknown("http.private", format!("{name} is on this machine or a private network.")),
        Reach::Catcher => unknown("http.catcher", format!("{name} records requests for whoever set it up.")),
        Reach::Unclear => unknown("http.host", format!("{name} is not plainly a public host.")),
    }
}

fn by_port(url: &Url) -> Option<Finding> {
    let port = url.port().filter(|port| *port == 0 || FOREIGN_PORTS.contains(port))?;
    Some(Finding::new("http.port", Class::Unknown, format!("Port {port} belongs to another service than HTTP.")))
}

fn by_secret(http: &HttpOperation, url: &Url) -> Option<Finding> {
    let where_and_kind = [("URL", Some(http.url.as_str())), ("path", Some(url.path())), ("body", http.body.as_deref())]
        .into_iter()
        .find_map(|(place, text)| secret_kind(text?).map(|kind| (place, kind)));
    if let Some((place, kind)) = where_and_kind {
        let sentence = format!("The {place} seems to carry a secret: {kind}.");
        return Some(Finding::new("http.secret", Class::Declared(Danger::Sensitive), sentence));
    }
    if let Some(kind) = url.query_pairs().find_map(|(_, value)| secret_kind(&value)) {
        let sentence = format!("A value of the query seems to carry a secret: {kind}.");
        return Some(Finding::new("http.secret", Class::Declared(Danger::Sensitive), sentence));
    }
    by_query(url.path().split(['/', ';']).chain(url.query().unwrap_or_default().split(['&', ';'])))
}

fn by_query<'q>(mut parts: impl Iterator<Item = &'q str>) -> Option<Finding> {
    let overrides = parts
        .by_ref()
        .filter_map(|part| part.split_once('='))
        .map(|(name, _)| percent_decoded(name).unwrap_or_else(|| name.to_owned()))
        .any(|name| overriding(&name));
    overrides.then(|| {
        let sentence = "The query tells the server to treat it as another method.";
        Finding::new("http.override", Class::Declared(Danger::Destructive), sentence)
    })
}

fn by_size(http: &HttpOperation, url: &Url) -> Option<Finding> {
    let long = http.url.len() > URL_CAP;
    (long || opaque(&http.url, PACKED_CAP) || opaque(plain_host(url), LABEL_CAP)).then(|| {
        let sentence = "The URL is long or holds packed data: it may carry something out.";
        Finding::new("http.packed", Class::Unknown, sentence)
    })
}

pub(super) fn by_header(name: &str, value: &str) -> Option<Finding> {
    let lower = name.trim().to_ascii_lowercase();
    if overriding(&lower) {
        let sentence = format!("The header {name} tells the server to treat it as {value}.");
        return Some(Finding::new("http.override", Class::Declared(Danger::Destructive), sentence));
    }
    let telling = ["auth", "cookie", "key", "token", "secret", "password", "session", "credential", "signature"];
    if telling.iter().any(|word| lower.contains(word)) || secret_kind(value).is_some() {
        let sentence = format!("The header {name} carries credentials.");
        return Some(Finding::new("http.credentials", Class::Declared(Danger::Sensitive), sentence));
    }
    if HARMLESS.contains(&lower.as_str()) && value.len() <= HEADER_CAP && !opaque(value, PACKED_CAP) {
        return None;
    }
    let sentence = format!("The header {name} may do more than say how to answer.");
    Some(Finding::new("http.header", Class::Unknown, sentence))
}

/// Whether a header or a part of the query stands for another method.
fn overriding(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['_', '$'], "-");
    let name = name.strip_suffix("[]").unwrap_or(&name).replace("--", "-");
    let methods = ["x-http-method", "http-method", "-http-method", "-httpmethod", "httpmethod", "-method", "x-method"];
    name.contains("method-override") || name.contains("methodoverride") || methods.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::{AssessSettings, assess};
    use crate::domain::{Claim, Facts, Operation, OperationId, Origin};

    fn judged(http: HttpOperation) -> Assessment {
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: "http_request".to_owned(),
            claim: Claim::Absent,
            kind: OperationKind::Http(http),
            cwd: "/".into(),
        };
        let subject = Subject { operation: &operation, facts: &Facts::default(), settings: &AssessSettings::default() };
        assess(&HttpAssessor, subject)
    }

    fn request(method: &str, url: &str) -> HttpOperation {
        HttpOperation { method: method.to_owned(), url: url.to_owned(), headers: Vec::new(), body: None }
    }

    fn class(method: &str, url: &str) -> Class {
        judged(request(method, url)).class()
    }

    fn with_header(name: &str, value: &str) -> Class {
        let headers = vec![(name.to_owned(), value.to_owned())];
        judged(HttpOperation { headers, ..request("GET", "https://example.org/") }).class()
    }

    #[test]
    fn a_look_at_a_public_host_is_whitelisted() {
        for (method, url) in [
            ("GET", "https://example.org"),
            ("get", "http://example.org:8080/a?b=c#d"),
            ("HEAD", "https://Example.org./x%20y"),
            ("OPTIONS", "https://1.1.1.1/"),
            ("GET", "https://[2606:4700::1111]/"),
            ("GET", "https://müller.example.org/"),
            ("GET", "https://example.org/a/0123456789abcdef0123456789abcdef01234567"),
        ] {
            assert_eq!(class(method, url), Class::Whitelisted, "{method} {url}");
        }
        for (name, value) in [("Accept", "text/html"), ("user-agent", "countersign"), ("If-None-Match", "\"abc\"")] {
            assert_eq!(with_header(name, value), Class::Whitelisted, "{name}");
        }
        let assessment = judged(request("GET", "https://example.org/a"));
        assert_eq!(assessment.target, "example.org:443");
        assert_eq!(assessment.shapes[0].0["path"], "/a");
    }

    #[test]
    fn what_sends_is_destructive() {
        for method in ["POST", "put", "PATCH", "DELETE", "PURGE", "TRACE"] {
            assert_eq!(class(method, "https://example.org/1"), Class::Declared(Danger::Destructive), "{method}");
        }
        let body = HttpOperation { body: Some("a".to_owned()), ..request("GET", "https://example.org/") };
        assert_eq!(judged(body).class(), Class::Declared(Danger::Destructive));
        assert_eq!(with_header("X-HTTP-Method-Override", "DELETE"), Class::Declared(Danger::Destructive));
        for url in [
            "https://example.org/?_method=delete",
            "https://example.org/a;_me%74hod=PUT",
            "https://example.org/?a=1;_method=PUT",
            "https://example.org/?_method[]=PUT",
            "https://example.org/?__method=PUT",
            "https://example.org/?$method=PUT",
        ] {
            assert_eq!(class("GET", url), Class::Declared(Danger::Destructive), "{url}");
        }
    }

    #[test]
    fn own_networks_are_not_whitelisted_however_they_are_spelled() {
        for url in ["http://169.254.1.1/", "http://[fe80::1]/", "http://2852039166/", "http://[::ffff:a9fe:101]/"] {
            assert_eq!(class("GET", url), Class::Declared(Danger::Sensitive), "{url}");
        }
        for url in [
            "http://localhost:3000/",
            "http://127.1/",
            "http://0x7f.1/",
            "http://017700000001/",
            "http://10.0.0.1/",
            "http://[::1]/",
            "http://intranet/",
            "http://nas.local/",
            "http://app.default.svc/",
            "http://127.0.0.1.nip.io/",
            "http://ex\u{430}mple.org/",
            "http://xn--exmple-4nf.org/",
            "http://example.org:22/",
        ] {
            assert!(class("GET", url) >= Class::Unknown, "{url}");
        }
    }

    #[test]
    fn what_a_coded_host_stands_for_is_said() {
        for url in ["https://xn--bcher-kva.example/", "https://b\u{fc}cher.example/", "https://XN--wgv71a119e.jp/a"] {
            let http = HttpOperation { method: "GET".to_owned(), url: url.to_owned(), headers: Vec::new(), body: None };
            assert_eq!(by_spelling(&http, &read(url).unwrap()), None, "{url}");
        }
        for (url, ends) in [
            (
                "https://XN--exmple-4nf.org:8443/a",
                "stands for ex\u{430}mple.org, with letters that may look like others.",
            ),
            ("https://ex\u{430}mple.org/", "and leads to xn--exmple-4nf.org."),
        ] {
            let http = HttpOperation { method: "GET".to_owned(), url: url.to_owned(), headers: Vec::new(), body: None };
            let finding = by_spelling(&http, &read(url).unwrap()).unwrap();
            assert!(finding.sentence.ends_with(ends), "{}", finding.sentence);
        }
    }

    #[test]
    fn urls_that_say_something_else_than_they_do_are_unreadable() {
        for url in [
            "",
            "example.org",
            "//example.org",
            "file:///etc/hosts",
            "ftp://example.org",
            " https://example.org",
            "https://exa\tmple.org",
            "https://example.org\\@localhost",
            "https:///example.org",
            "https://",
        ] {
            assert_ne!(class("GET", url), Class::Whitelisted, "{url:?}");
        }
        for method in ["GET\0", "ＧET", "", "GE T"] {
            assert_eq!(class(method, "https://example.org"), Class::Unreadable, "{method:?}");
        }
    }

    #[test]
    fn secrets_and_credentials_are_sensitive() {
        for url in [
            "https://ann@example.org/",
            "https://ann:pw@example.org/",
            "https://example.org/?password=hunter2",
            "https://example.org/#access_token=a1b2c3d4e5f6a7b8c9d0",
            "https://example.org/AKIAABCDEFGHIJKLMNOP",
        ] {
            assert_eq!(class("GET", url), Class::Declared(Danger::Sensitive), "{url}");
        }
        for name in ["Authorization", "Cookie", "X-Api-Key", "X-Auth-Token"] {
            assert_eq!(with_header(name, "x"), Class::Declared(Danger::Sensitive), "{name}");
        }
        for name in ["Host", "X-Forwarded-For", "Connection", "X-Anything"] {
            assert_eq!(with_header(name, "x"), Class::Unknown, "{name}");
        }
        let packed = format!("https://example.org/?d={}", "aB3d9".repeat(40));
        assert_eq!(class("GET", &packed), Class::Unknown);
    }
}
