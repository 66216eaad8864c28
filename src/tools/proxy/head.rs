//! The head of a call to the proxy: reads it, bounded in size and time, and says which host it names. Of HTTP `CONNECT`
//! is known, and plain requests that only look.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;
use url::Url;

/// Most bytes of a head.
const LONGEST: usize = 8 * 1024;
/// Longest name of a host with its port that there can be.
const NAME: usize = 253 + 6;
/// Longest that it may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A host that is called, in the spelling of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The same as a URL.
    pub(super) url: Url,
    /// `host:port`.
    pub(super) spelled: String,
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// Where it is to lead.
    pub(super) target: Target,
    /// What the host is sent first: what came behind the head of a `CONNECT`, or a whole request.
    pub(super) first: Vec<u8>,
    /// Whether that is a plain request that only looks. Nothing may follow it.
    pub(super) look: bool,
}

/// Why a call can't be connected: what the caller gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Code and phrase of HTTP.
    pub(super) status: &'static str,
    /// A plain sentence.
    pub(super) sentence: String,
}

impl Refusal {
    pub(super) fn new(status: &'static str, sentence: impl Into<String>) -> Self {
        Self { status, sentence: sentence.into() }
    }
}

/// Reads a head.
pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> Result<Call, Refusal> {
    let late = |_| Refusal::new("408 Request Timeout", "The head of the request took too long.");
    timeout(PATIENCE, whole(from)).await.map_err(late)?
}

async fn whole(from: &mut (impl AsyncRead + Unpin)) -> Result<Call, Refusal> {
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    loop {
        let read = from.read(&mut piece).await.unwrap_or_default();
        if read == 0 {
            return Err(Refusal::new("400 Bad Request", "The head of the request broke off."));
        }
        head.extend_from_slice(&piece[..read]);
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n").filter(|end| *end < LONGEST) {
            let behind = head.split_off(end + 4);
            return call(&head, behind);
        }
        if head.len() > LONGEST {
            let sentence = "The head of the request is longer than 8 KiB.";
            return Err(Refusal::new("431 Request Header Fields Too Large", sentence));
        }
    }
}

/// What a head asks for.
fn call(head: &[u8], behind: Vec<u8>) -> Result<Call, Refusal> {
    let text = std::str::from_utf8(head).unwrap_or_default();
    let (line, headers) = text.split_once("\r\n").unwrap_or((text, ""));
    let words: Vec<&str> = line.split(' ').collect();
    let [method, address, version] = words[..] else {
        return Err(Refusal::new("400 Bad Request", "That is no request of HTTP."));
    };
    let known = ["HTTP/1.1", "HTTP/1.0"].contains(&version);
    if method == "CONNECT" && known {
        let named =
            named(address).ok_or_else(|| Refusal::new("400 Bad Request", "CONNECT needs a host and a port."))?;
        return Ok(Call { target: named, first: behind, look: false });
    }
    if !known || !["GET", "HEAD", "OPTIONS"].contains(&method) {
        return Err(Refusal::new(
            "405 Method Not Allowed",
            "Only CONNECT is known here, and plain requests that look: GET, HEAD and OPTIONS.",
        ));
    }
    let plain = Url::parse(address).ok().filter(|url| url.scheme() == "http" && url.username().is_empty());
    let target = plain.as_ref().and_then(|url| named(&format!("{}:{}", url.host_str()?, url.port_or_known_default()?)));
    let (Some(url), Some(target)) = (plain, target) else {
        return Err(Refusal::new("400 Bad Request", "A plain request needs the whole address: http://host/path."));
    };
    let first = handed_on(method, &url, headers).ok_or_else(|| {
        Refusal::new("403 Forbidden", "What only looks sends no body, and no words about the connection.")
    })?;
    Ok(Call { target, first, look: true })
}

/// A plain request as the host gets it: the last one of its connection (RFC 9112, 3.2.1 and 9.6). None if it has a body,
/// or a header that can't be read.
fn handed_on(method: &str, url: &Url, headers: &str) -> Option<Vec<u8>> {
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let mut request = format!("{method} {path} HTTP/1.1\r\n");
    for header in headers.split("\r\n").filter(|header| !header.is_empty()) {
        let (name, value) = header.split_once(':')?;
        let sound = |text: &str| !text.chars().any(char::is_control);
        if name.is_empty() || name.contains(char::is_whitespace) || !sound(name) || !sound(value.trim_matches('\t')) {
            return None;
        }
        match name.to_ascii_lowercase().as_str() {
            "connection" | "proxy-connection" | "proxy-authorization" | "keep-alive" | "te" => {}
            "content-length" if value.trim() == "0" => {}
            "content-length" | "transfer-encoding" | "upgrade" | "expect" => return None,
            _ => request.push_str(&format!("{name}:{value}\r\n")),
        }
    }
    request.push_str("Connection: close\r\n\r\n");
    Some(request.into_bytes())
}

/// A host and its port, as they are spelled everywhere: lower case, addresses in their one form.
fn named(authority: &str) -> Option<Target> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
    let port: u16 = authority.rsplit_once(':').and_then(|(_, port)| port.parse().ok())?;
    let url = Url::parse(&format!("https://{authority}/")).ok().filter(|_| authority.chars().all(plain))?;
    let spelled = format!("{}:{port}", url.host_str()?);
    let sound = url.port_or_known_default() == Some(port) && spelled.len() <= NAME;
    sound.then_some(Target { url, spelled })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str) -> Result<String, &'static str> {
        call(head.as_bytes(), Vec::new()).map(|call| call.target.spelled).map_err(|refusal| &refusal.status[..3])
    }

    #[test]
    fn a_host_has_one_spelling() {
        for (written, spelled) in [
            ("Registry.Example.com:443", "registry.example.com:443"),
            ("127.1:80", "127.0.0.1:80"),
            ("0x7f000001:443", "127.0.0.1:443"),
            ("[::0:1]:8443", "[::1]:8443"),
            ("a.example.:443", "a.example.:443"),
        ] {
            assert_eq!(of(&format!("CONNECT {written} HTTP/1.1\r\n\r\n")), Ok(spelled.to_owned()), "{written}");
        }
    }

    #[test]
    fn what_is_no_connection_to_a_host_is_refused() {
        for (head, code) in [
            ("POST http://a.example/ HTTP/1.1\r\n\r\n", "405"),
            ("GET http://a.example/ HTTP/2\r\n\r\n", "405"),
            ("GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n", "400"),
            ("GET ftp://a.example/x HTTP/1.1\r\n\r\n", "400"),
            ("GET https://a.example/x HTTP/1.1\r\n\r\n", "400"),
            ("GET http://me@a.example/x HTTP/1.1\r\n\r\n", "400"),
            ("GET http://a.example/x HTTP/1.1\r\nContent-Length: 5\r\n\r\n", "403"),
            ("GET http://a.example/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "403"),
            ("GET http://a.example/x HTTP/1.1\r\nUpgrade: h2c\r\n\r\n", "403"),
            ("GET http://a.example/x HTTP/1.1\r\nA: b\nContent-Length: 5\r\n\r\n", "403"),
            ("GET http://a.example/x HTTP/1.1\r\nContent-Length : 5\r\n\r\n", "403"),
            ("CONNECT a.example:443 HTTP/2\r\n\r\n", "405"),
            ("CONNECT a.example:443\r\n\r\n", "400"),
            ("CONNECT  a.example:443 HTTP/1.1\r\n\r\n", "400"),
            ("CONNECT a.example HTTP/1.1\r\n\r\n", "400"),
            ("CONNECT a.example:443@b.example:443 HTTP/1.1\r\n\r\n", "400"),
            ("CONNECT a.example:443/x:443 HTTP/1.1\r\n\r\n", "400"),
            ("CONNECT a.example:99999 HTTP/1.1\r\n\r\n", "400"),
            ("CONNECT a%2eexample:443 HTTP/1.1\r\n\r\n", "400"),
            ("CONNECT :443 HTTP/1.1\r\n\r\n", "400"),
            ("\r\n\r\n", "400"),
        ] {
            assert_eq!(of(head), Err(code), "{head}");
        }
        assert_eq!(of(&format!("CONNECT {}.example:443 HTTP/1.1\r\n\r\n", "a".repeat(260))), Err("400"));
        assert_eq!(call(b"CONNECT \xff:443 HTTP/1.1\r\n\r\n", Vec::new()).unwrap_err().status, "400 Bad Request");
    }

    #[test]
    fn a_look_is_handed_on_as_the_last_of_its_connection() {
        let head = "GET http://A.example:8080/a/b?c=d#e HTTP/1.1\r\nHost: A.example:8080\r\nAccept: */*\r\nProxy-Connection: Keep-Alive\r\n\r\n";
        let call = call(head.as_bytes(), b"GET http://b.example/ HTTP/1.1".to_vec()).unwrap();
        assert_eq!((call.target.spelled.as_str(), call.look), ("a.example:8080", true));
        let sent = "GET /a/b?c=d HTTP/1.1\r\nHost: A.example:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n";
        assert_eq!(String::from_utf8(call.first).unwrap(), sent);
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_said_a_host_that_is_named_is_one(words in "(CONNECT |GET http://|[a-z0-9.:@/%\\[\\]-]{0,12}| HTTP/1.1|\\PC){0,6}") {
            if let Ok(call) = call(words.as_bytes(), Vec::new()) {
                let again = named(&call.target.spelled).map(|again| again.spelled);
                proptest::prop_assert_eq!(again, Some(call.target.spelled));
            }
        }
    }

    #[tokio::test]
    async fn a_head_ends_or_is_refused() {
        let mut whole: &[u8] = b"CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\nhello";
        let call = read(&mut whole).await.unwrap();
        assert_eq!((call.target.spelled.as_str(), call.first.as_slice()), ("a.example:443", &b"hello"[..]));
        let long = format!("CONNECT a.example:443 HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(2 * LONGEST));
        assert_eq!(&read(&mut long.as_bytes()).await.unwrap_err().status[..3], "431");
        assert_eq!(&read(&mut &b"CONNECT a"[..]).await.unwrap_err().status[..3], "400");
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_says_nothing_is_not_waited_for() {
        let (mut inside, _silent) = tokio::io::duplex(64);
        assert_eq!(&read(&mut inside).await.unwrap_err().status[..3], "408");
    }
}
