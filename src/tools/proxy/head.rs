//! The head of a call to the proxy: reads it, bounded in size and time, and says which host it names. Of HTTP only
//! `CONNECT` is known.

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

/// Reads a head. Gives the host, and what the caller sent behind it.
pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> Result<(Target, Vec<u8>), Refusal> {
    let late = |_| Refusal::new("408 Request Timeout", "The head of the request took too long.");
    timeout(PATIENCE, whole(from)).await.map_err(late)?
}

async fn whole(from: &mut (impl AsyncRead + Unpin)) -> Result<(Target, Vec<u8>), Refusal> {
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
            return Ok((target(&head)?, behind));
        }
        if head.len() > LONGEST {
            let sentence = "The head of the request is longer than 8 KiB.";
            return Err(Refusal::new("431 Request Header Fields Too Large", sentence));
        }
    }
}

/// The host that a head names.
fn target(head: &[u8]) -> Result<Target, Refusal> {
    let line = head.split(|byte| *byte == b'\r').next().and_then(|line| std::str::from_utf8(line).ok());
    let words: Vec<&str> = line.unwrap_or_default().split(' ').collect();
    let [method, authority, version] = words[..] else {
        return Err(Refusal::new("400 Bad Request", "That is no request of HTTP."));
    };
    if method != "CONNECT" || !["HTTP/1.1", "HTTP/1.0"].contains(&version) {
        return Err(Refusal::new(
            "405 Method Not Allowed",
            "Only CONNECT is known here: https gets through, http doesn't.",
        ));
    }
    named(authority).ok_or_else(|| Refusal::new("400 Bad Request", "CONNECT needs a host and a port."))
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
        target(head.as_bytes()).map(|target| target.spelled).map_err(|refusal| &refusal.status[..3])
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
            ("GET http://a.example/ HTTP/1.1\r\n\r\n", "405"),
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
        assert_eq!(target(b"CONNECT \xff:443 HTTP/1.1\r\n\r\n").unwrap_err().status, "400 Bad Request");
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_said_a_host_that_is_named_is_one(words in "(CONNECT |[a-z0-9.:@/%\\[\\]-]{0,12}| HTTP/1.1|\\PC){0,6}") {
            if let Ok(target) = target(words.as_bytes()) {
                let again = named(&target.spelled).map(|again| again.spelled);
                proptest::prop_assert_eq!(again, Some(target.spelled));
            }
        }
    }

    #[tokio::test]
    async fn a_head_ends_or_is_refused() {
        let mut whole: &[u8] = b"CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\nhello";
        let (target, behind) = read(&mut whole).await.unwrap();
        assert_eq!((target.spelled.as_str(), behind.as_slice()), ("a.example:443", &b"hello"[..]));
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
