//! The shapes of secrets: keys and tokens by their known forms, and values under names that say so. Used for
//! everything that leaves this machine, and for masks. Text in, the kind of secret out; never the secret.

use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexSet};

use super::pem;
use super::spelling::percent_decoded;
use crate::domain::Span;

/// Known forms, each with what it is.
const FORMS: [(&str, &str); 34] = [
    (r"\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b", "AWS access key"),
    (r"\bgh[pousr]_[A-Za-z0-9]{20,}", "GitHub token"),
    (r"\bgithub_pat_[A-Za-z0-9_]{20,}", "GitHub token"),
    (r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{16,}", "GitLab token"),
    (r"\bsk-[A-Za-z0-9_-]{16,}", "API key"),
    (r"\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}", "Stripe key"),
    (r"\bwhsec_[A-Za-z0-9+/=]{16,}", "webhook secret"),
    (r"\bxox[abeoprs]-[A-Za-z0-9-]{8,}", "Slack token"),
    (r"\bxapp-[0-9]-[A-Za-z0-9-]{8,}", "Slack token"),
    (r"\bhooks\.slack\.com/services/[A-Z0-9]+/", "Slack webhook"),
    (r"\bdiscord(?:app)?\.com/api/webhooks/[0-9]+/", "Discord webhook"),
    (r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}", "signed token (JWT)"),
    (r"\bAIza[0-9A-Za-z_-]{30,}", "Google API key"),
    (r"\bya29\.[0-9A-Za-z_-]{16,}", "Google access token"),
    (r"\bGOCSPX-[0-9A-Za-z_-]{16,}", "Google client secret"),
    (r"-----BEGIN[A-Z0-9 +]*PRIVATE[ +]KEY", "private key"),
    // The same in Base64, as configurations of clusters hold it.
    (
        r"\bLS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJVkFU|FQyBQUklWQVRF|PUEVOU1NIIFBSSVZB|EU0EgUFJJVkFU|FTkNSWVBURUQgUFJJVkFU)[A-Za-z0-9+/]*",
        "private key",
    ),
    (r"\bAGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]*", "private key"),
    (r"\bnpm_[A-Za-z0-9]{30,}", "npm token"),
    (r"\bpypi-AgE[A-Za-z0-9_-]{16,}", "PyPI token"),
    (r"\bcio[A-Za-z0-9]{32}\b", "Cargo registry token"),
    (r"\bhf_[A-Za-z0-9]{20,}", "Hugging Face token"),
    (r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}", "SendGrid key"),
    (r"\bdo[opr]_v1_[a-f0-9]{32,}", "DigitalOcean token"),
    (r"\bhv[sb]\.[A-Za-z0-9_-]{16,}", "Vault token"),
    (r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "Shopify token"),
    (r"\bSK[0-9a-f]{32}\b", "Twilio key"),
    (r"(?:\b|bot)[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}", "Telegram token"),
    (
        r"\b(?:lin_api|sbp|pul|dapi|figd|glc|fo1|FlyV1|rnd|ntn|secret|key|dop|PMAK|NRAK|dckr_pat|ATATT|ATCTT)[_-][A-Za-z0-9_-]{28,}",
        "API key",
    ),
    (r"(?i)\bbearer\s+[A-Za-z0-9._~+/=-]{16,}", "bearer token"),
    (r"(?i)\bbasic\s+[A-Za-z0-9+/]{12,}={0,2}", "user name and password"),
    (r"(?i)\b[a-z][a-z0-9+.-]*://[^\s/?#@:]*:[^\s/?#@]+@", "password in a URL"),
    (r"\broot:[^:\s]*:0:0:", "password file"),
    (r"\bnvapi-[A-Za-z0-9_-]{20,}", "API key"),
];

/// Each form alone never backtracks; the set looks once.
static SHAPES: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(FORMS.iter().map(|form| form.0)).ok());

/// A name that says secret, then its value.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(r#"(?i)(?:^|[?&;,\s"'{{/#])({TELLING})["']?\s*[=:]\s*["']?([^\s"'&;,#}}]+)"#)).ok()
});

/// Names that say secret.
const TELLING: &str = r"[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|pwd|api[_-]?key|apikey|access[_-]?key|auth|credential|signature|session[_-]?id|jwt|private[_-]?key)[\w.-]*|(?:key|sig|sid|pass)";

/// What kind of secret a text holds, if any. Percent-encoded text is looked at decoded too, also where it was
/// encoded twice.
#[must_use]
pub fn secret_kind(text: &str) -> Option<String> {
    let once = percent_decoded(text);
    let twice = once.as_deref().and_then(percent_decoded);
    let texts = [Some(text), once.as_deref(), twice.as_deref()];
    texts.into_iter().flatten().find_map(|text| by_form(text).or_else(|| by_name(text)))
}

fn by_form(text: &str) -> Option<String> {
    // Without its shapes this could tell nothing: everything would count.
    let Some(shapes) = SHAPES.as_ref() else { return Some("unreadable text".to_owned()) };
    let first = shapes.matches(text).into_iter().next()?;
    FORMS.get(first).map(|form| form.1.to_owned())
}

/// The forms one by one, each made when it is first needed.
static EACH: [OnceLock<Option<Regex>>; FORMS.len()] = [const { OnceLock::new() }; FORMS.len()];

/// Where secrets of known forms stand in a text: without the words that only introduce them, and to their end.
pub(super) fn forms(text: &str) -> Vec<Span> {
    forms_where(text, |_, _| true)
}

fn forms_where(text: &str, counts: impl Fn(&str, &str) -> bool) -> Vec<Span> {
    let Some(shapes) = SHAPES.as_ref() else { return Vec::new() };
    let mut spans = Vec::new();
    for at in shapes.matches(text) {
        let (form, kind) = FORMS[at];
        let Some(each) = EACH[at].get_or_init(|| Regex::new(form).ok()) else { continue };
        let found = each.find_iter(text).map(|found| whole(text, kind, found.range()));
        spans.extend(found.filter(|found| counts(kind, &text[found.clone()])));
    }
    spans
}

/// Where what is certainly a secret stands in a text: known forms, of the looser ones only what looks random, and values
/// that are set as an environment's are (`DB_PASSWORD=…`). Programs' own text is left as it is, though it may speak of
/// passwords.
pub(super) fn certain(text: &str) -> Vec<Span> {
    const NAMES: &str =
        "PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|DATABASE_URL";
    static SET: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let value = r#""([^"\n]+)"|('[^'\n]+')|([^\s"']+)"#;
        Regex::new(&format!(r"\b[A-Z0-9_]*(?:{NAMES})[A-Z0-9_]*=(?:{value})")).ok()
    });
    // As YAML, JSON and files of properties write the same: one word, alone in its line if it has no quotes.
    static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let value = r#"(?:"([^"\s]+)"|'([^'\s]+)'|([^\s"'(){}\[\]<>,;]+)[ \t]*$)"#;
        let property =
            r"^[a-z][A-Za-z0-9_-]*\.(?:[A-Za-z0-9_-]+\.)*(?:password|passwd|secret|secret-key|api-key|token)";
        Regex::new(&format!(r#"(?m)(?:\b[A-Z0-9_]*(?:{NAMES})[A-Z0-9_]*"?:[ \t]+|{property}[ \t]*=[ \t]*){value}"#))
            .ok()
    });
    // How libpq writes a connection down (its manual, 32.1.1.1): words of a setting each, in any order.
    static CONNECTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let others = r"(?:host|hostaddr|port|dbname|user)=[^\s,;()=]+";
        let password = |name| format!(r"password=(?<{name}>'[^'\n]+'|[^\s'\x22,;()]+)");
        let (behind, before) = (password("behind"), password("before"));
        let between = r"[^\n,;()]*?[ \t]";
        Regex::new(&format!(r"\b{others}[ \t](?:{between})?{behind}|\b{before}[ \t](?:{between})?{others}")).ok()
    });
    if !may_hold(text) {
        return Vec::new();
    }
    let loose = ["API key", "bearer token", "user name and password"];
    let mut spans =
        forms_where(text, |kind, said| kind != "password file" && (!loose.contains(&kind) || random(said, 12)));
    let set = text.contains('=').then(|| SET.as_ref()).flatten();
    for found in set.into_iter().flat_map(|set| set.captures_iter(text)) {
        let value = (1..=3).find_map(|part| found.get(part));
        spans.extend(value.filter(|value| !placeholder(value.as_str())).map(|value| value.range()));
    }
    for found in SAID.as_ref().into_iter().flat_map(|said| said.captures_iter(text)) {
        let value = (1..=3).find_map(|part| found.get(part));
        spans.extend(value.filter(|value| mixed(value.as_str())).map(|value| value.range()));
    }
    let connection = text.contains("password=").then(|| CONNECTION.as_ref()).flatten();
    for found in connection.into_iter().flat_map(|connection| connection.captures_iter(text)) {
        let value = ["behind", "before"].iter().find_map(|name| found.name(name));
        spans.extend(value.filter(|value| !placeholder(value.as_str())).map(|value| value.range()));
    }
    spans.extend(pem::begun(text));
    spans
}

/// Whether a word is no placeholder and neither letters nor digits alone, as words of a language, types and limits are.
fn mixed(word: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_alphabetic() || b"-_./".contains(&byte);
    let digits = |byte: u8| byte.is_ascii_digit() || b"_.".contains(&byte);
    word.len() >= 6 && !placeholder(word) && !word.bytes().all(letters) && !word.bytes().all(digits)
}

/// Whether a text can hold one at all: a value that is set or said, a URL, a key of several lines, or a word as long as the
/// shortest. The screen asks this of every row.
fn may_hold(text: &str) -> bool {
    const SHORTEST: usize = 12;
    let mut run = 0;
    text.bytes().any(|byte| {
        run = if byte.is_ascii_alphanumeric() || b"_-.+/~".contains(&byte) { run + 1 } else { 0 };
        run >= SHORTEST || byte == b'='
    }) || text.contains(": ") && ["PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL"].iter().any(|name| text.contains(name))
        || text.contains("://")
        || text.contains("-----")
}

/// The secret in what a form found, up to where it ends.
fn whole(text: &str, kind: &str, found: Span) -> Span {
    let said = &text[found.clone()];
    let more = |end: usize| {
        let rest = text[end..].find(|c: char| !(c.is_ascii_alphanumeric() || "._~+/=%-".contains(c)));
        rest.map_or(text.len(), |rest| end + rest)
    };
    match kind {
        "password in a URL" => {
            let from = said.find("://").map_or(0, |at| at + 3);
            let from = said[from..].find(':').map_or(from, |at| from + at + 1);
            found.start + from..found.end - 1
        }
        "private key" => found.start..pem::end(text, found.end),
        "bearer token" | "user name and password" => {
            let word = said.find(char::is_whitespace).unwrap_or(0);
            let blanks = said[word..].len() - said[word..].trim_start().len();
            found.start + word + blanks..more(found.end)
        }
        "password file" => found,
        _ => found.start..more(found.end),
    }
}

/// Where values stand under names that say that they are secrets. One in quotes goes to its closing quote.
pub(super) fn named(text: &str) -> Vec<Span> {
    if !text.contains(['=', ':']) {
        return Vec::new();
    }
    let Some(named) = NAMED.as_ref() else { return Vec::new() };
    let spans = named.captures_iter(text).filter_map(|found| {
        let (name, value) = (found.get(1)?.as_str(), found.get(2)?);
        let quote = text[..value.start()].chars().next_back().filter(|quote| matches!(quote, '"' | '\''));
        let end =
            quote.and_then(|quote| text[value.end()..].find([quote, '\n'])).map_or(value.end(), |at| value.end() + at);
        telling(name, value.as_str()).then(|| value.start()..end)
    });
    spans.collect()
}

/// Whether a value under a name is a secret as a whole: what a column would hold stands beside it as `new` of its name.
pub(super) fn under(name: &str, value: &str) -> bool {
    static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("(?i)^(?:{TELLING})$")).ok());
    let name = name.strip_prefix("new ").unwrap_or(name);
    NAME.as_ref().is_none_or(|whole| whole.is_match(name)) && telling(name, value)
}

fn by_name(text: &str) -> Option<String> {
    // No value stands under a name without one of these; the pattern costs more to make than all other looks.
    if !text.contains(['=', ':']) {
        return None;
    }
    let Some(named) = NAMED.as_ref() else { return Some("unreadable text".to_owned()) };
    named.captures_iter(text).find_map(|found| {
        let (name, value) = (found.get(1)?.as_str(), found.get(2)?.as_str());
        telling(name, value).then(|| format!("value under the name `{name}`"))
    })
}

/// Whether a value under such a name is the secret itself: any value of a password, else one that looks random.
fn telling(name: &str, value: &str) -> bool {
    let name = name.to_lowercase();
    if placeholder(value) {
        return false;
    }
    let spoken = ["passw", "passphrase", "pwd", "secret", "private"].iter().any(|word| name.contains(word));
    spoken || random(value, 16) || name.contains("api") && value.len() >= 8 && random(value, 8)
}

/// Whether a value only stands for one: `$KEY`, `<key>`, `xxx`, a mask of ours.
pub(super) fn placeholder(value: &str) -> bool {
    value.starts_with(['$', '<', '{', '*', '⟦'])
        || value.len() > 2 && value.chars().all(|letter| matches!(letter, 'x' | 'X'))
}

/// Letters and digits mixed, long enough: hexadecimal, base64 and the like.
fn random(value: &str, length: usize) -> bool {
    let count = |test: fn(&char) -> bool| value.chars().filter(test).count();
    let digits = count(char::is_ascii_digit);
    let letters = count(char::is_ascii_alphabetic);
    value.len() >= length && digits >= 2 && letters >= 2 && (digits + letters) * 10 >= value.chars().count() * 8
}

/// Whether a part of a text is long and says nothing to a reader: packed data rather than words.
pub(super) fn opaque(text: &str, length: usize) -> bool {
    let packed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '_' | '-' | '=');
    text.split(|letter: char| !packed(letter)).any(|run| {
        let words = run.split(['-', '_', '+']).map(str::len).max().unwrap_or_default();
        run.len() >= length && words >= length / 2 && random(run, length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_a_valid_expression() {
        assert!(SHAPES.is_some() && NAMED.is_some());
    }

    #[test]
    fn secrets_are_known_by_form_and_by_name() {
        let long = "a1".repeat(20);
        for text in [
            "AKIAABCDEFGHIJKLMNOP".to_owned(),
            format!("x=ghp_{long}"),
            format!("sk-proj-{long}"),
            "xoxb-123456789012-abc".to_owned(),
            format!("https://api.telegram.org/bot123456789:AA{long}/getMe"),
            "-----BEGIN+PRIVATE+KEY-----".to_owned(),
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x".to_owned(),
            "-----BEGIN RSA PRIVATE KEY-----".to_owned(),
            "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk".to_owned(),
            "?password=hunter2".to_owned(),
            "?pass%77ord=hunter2".to_owned(),
            "?pass%2577ord=hunter2".to_owned(),
            "&client_secret=a".to_owned(),
            format!("?access_token={long}"),
            format!("?key={long}"),
            format!("{{\"apiKey\": \"{long}\"}}"),
            "postgres://ann:hunter2@db/shop".to_owned(),
            format!("Bearer {long}"),
        ] {
            assert!(secret_kind(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn ordinary_text_is_not() {
        for text in [
            "",
            "https://example.org/docs/token-ring?page=2&key=name&sort=asc",
            "https://example.org/auth/login?next=/home",
            "?q=how+to+reset+a+password",
            "?page_token=abc",
            "?commit=0123456789abcdef0123456789abcdef01234567",
            "Mozilla/5.0 (X11; Linux x86_64)",
            "?api_key=$KEY",
            "sk-learn",
            "https://example.org/a:b@c",
        ] {
            assert_eq!(secret_kind(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_certainly_a_secret_is_told_from_text_that_speaks_of_some() {
        let hidden = |text: &str| certain(text).into_iter().map(|span| text[span].to_owned()).collect::<Vec<_>>();
        for (text, secret) in [
            ("+STRIPE_KEY=sk_live_4eC39HqLyjWDarjtT1zdp7dc", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
            ("-DB_PASSWORD=hunter2", "hunter2"),
            ("export APP_SECRET='s3cret'", "'s3cret'"),
            ("APP_SECRET='$up3r s3cret'", "'$up3r s3cret'"),
            ("APP_PASSPHRASE=\"correct horse, battery\"", "correct horse, battery"),
            ("DB_PASSWORD=ab#Real&Secret;x", "ab#Real&Secret;x"),
            ("url = https://bot:glpat-AbCdEfGh1234567890xy@git.example/x", "glpat-AbCdEfGh1234567890xy"),
            ("Authorization: Bearer abc123def456ghi789", "abc123def456ghi789"),
            ("host=db user=app password=hunter2 dbname=shop", "hunter2"),
            ("password='hunt er2' host=db", "'hunt er2'"),
            ("{\"dsn\":\"dbname=shop password=hunter2\"}", "hunter2"),
            ("  DB_PASSWORD: hunter2", "hunter2"),
            ("{\"DB_PASSWORD\": \"hunt/er2\", \"A\": 1}", "hunt/er2"),
            ("spring.datasource.password=hunter2\nspring.x=1", "hunter2"),
        ] {
            assert!(hidden(text).iter().any(|found| found == secret), "{text}: {:?}", hidden(text));
        }
        for text in [
            "password: String,",
            "let password = get_password()?;",
            "Basic authentication and bearer authentication-of-requests",
            "PASSWORD=$1",
            "  DB_PASSWORD: ${DB_PASSWORD}",
            "  TOKEN: string;\n  SECRET: String",
            "PASSWORD_MIN_LENGTH: 100000",
            "API_KEY_HEADER: X-Api-Key",
            "PASSWORD: the one of 2024 is gone",
            "SECRET_KEY: env(\"SECRET_1\"),",
            "self.password = password",
            "config.password = get(\"x1\")",
            "connect(host=db, user=app, password=prompt())",
            "a host=db and\npassword=hunter2 elsewhere",
            "root:x:0:0:root:/root:/bin/bash",
            "sk-loading-indicator-of-a-page",
            "commit 0123456789abcdef0123456789abcdef01234567",
        ] {
            assert_eq!(hidden(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn packed_data_is_told_from_words() {
        assert!(opaque(&"aB3d9".repeat(20), 80));
        assert!(!opaque("a-very-long-title-of-an-article-2024-with-many-words-in-it-and-some-more-words-2025", 80));
    }
}
