//! One call to the proxy: checked, dialled, and its bytes carried until either side has ended.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;
use url::Host;

use super::super::http::address;
use super::Hosts;
use super::head::{self, Call, Refusal, Target};
use super::tally::{Tally, Way};
use crate::assess::{Reach, address_reach, beyond_look, host_reach};

/// Time to reach a host.
const CONNECT: Duration = Duration::from_secs(10);
/// Most bytes that are carried at once.
const PIECE: usize = 32 * 1024;

/// Answers a call and sees it through.
pub(super) async fn answer(mut inside: TcpStream, hosts: &Hosts, tally: &Tally) {
    let refusal = match head::read(&mut inside).await {
        Err(refusal) => refusal,
        Ok(call) => match dial(&call, hosts).await {
            Ok(outside) => {
                tally.reached(&call.target.spelled);
                // A connection that breaks is the caller's to notice.
                let _ended = if call.look {
                    carry_look(inside, outside, &call.first, tally).await
                } else {
                    carry_both(inside, outside, &call.first, tally).await
                };
                return;
            }
            Err((refusal, why)) => {
                tally.refused(&call.target.spelled, &why);
                refusal
            }
        },
    };
    let Refusal { status, sentence } = refusal;
    let length = sentence.len() + 1;
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{sentence}\n"
    );
    let _gone = inside.write_all(text.as_bytes()).await;
    let _gone = inside.shutdown().await;
}

/// Reaches a host if that is allowed; or says why not, to the caller and, in a few words, to the person.
async fn dial(call: &Call, hosts: &Hosts) -> Result<TcpStream, (Refusal, String)> {
    let (target, host) = (&call.target, &call.target.spelled);
    allowed(call, hosts)?;
    let public = matches!(hosts, Hosts::Public);
    let addresses = addresses(target, public).await.map_err(|error| {
        (Refusal::new("502 Bad Gateway", format!("{host} is not dialled: {error}.")), error.to_string())
    })?;
    let unreachable = |why: String| (Refusal::new("502 Bad Gateway", format!("{host} can't be reached: {why}.")), why);
    match timeout(CONNECT, TcpStream::connect(&addresses[..])).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) => Err(unreachable(error.to_string())),
        Err(_) => Err(unreachable("no answer in time".to_owned())),
    }
}

/// Whether a call may lead where it wants, by its name.
fn allowed(call: &Call, hosts: &Hosts) -> Result<(), (Refusal, String)> {
    let host = &call.target.spelled;
    match hosts {
        Hosts::Listed(_) if call.look => {
            let sentence = "Only CONNECT is known to a staged command: https gets through, http doesn't.";
            Err((Refusal::new("405 Method Not Allowed", sentence), "only https gets through".to_owned()))
        }
        Hosts::Listed(hosts) if !hosts.contains(host) => {
            let sentence = format!(
                "{host} is none of the hosts that a staged command may reach. The person can allow it by the key \
                 staged_hosts of the configuration."
            );
            let why = "the key `staged_hosts` of the configuration would allow it".to_owned();
            Err((Refusal::new("403 Forbidden", sentence), why))
        }
        Hosts::Listed(_) => Ok(()),
        Hosts::Public => match beyond_look(&call.target.url) {
            Some(why) => Err((Refusal::new("403 Forbidden", format!("{host} is not dialled unasked: {why}.")), why)),
            None => Ok(()),
        },
    }
}

/// Where a host is. A name that looks public leads to public addresses or nowhere; one that plainly leads to this machine
/// or its network leads there, if the person wrote it down: not where only `public` ones may be reached.
async fn addresses(target: &Target, public: bool) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
    let reach = host_reach(&target.url);
    let may = |address: IpAddr| {
        let leads = address_reach(address);
        leads == Reach::Public || !public && leads == reach
    };
    let port = target.url.port_or_known_default().unwrap_or(443);
    match target.url.host() {
        Some(Host::Ipv4(address)) if !public || may(address.into()) => Ok(vec![(address, port).into()]),
        Some(Host::Ipv6(address)) if !public || may(address.into()) => Ok(vec![(address, port).into()]),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => Err("it is not a public address".into()),
        Some(Host::Domain(name)) => address::resolve(name, port, may).await,
        None => Ok(Vec::new()),
    }
}

async fn carry_both(mut inside: TcpStream, outside: TcpStream, behind: &[u8], tally: &Tally) -> io::Result<()> {
    inside.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    let (from_inside, to_inside) = inside.into_split();
    let (from_outside, mut to_outside) = outside.into_split();
    hand(&mut to_outside, behind, Way::Out, tally).await?;
    let out = carry(from_inside, to_outside, Way::Out, tally);
    let back = carry(from_outside, to_inside, Way::In, tally);
    tokio::try_join!(out, back).map(drop)
}

/// Hands on a request that looks, and carries the answer back. What else the caller says is for nobody.
async fn carry_look(inside: TcpStream, mut outside: TcpStream, request: &[u8], tally: &Tally) -> io::Result<()> {
    let (_from_inside, to_inside) = inside.into_split();
    if !tally.takes(Way::Out, request.len()) {
        return Err(io::Error::other("it carried too much"));
    }
    outside.write_all(request).await?;
    let (from_outside, _to_outside) = outside.into_split();
    carry(from_outside, to_inside, Way::In, tally).await
}

/// Carries to the end of one side, and tells the other that it ended.
async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, way: Way, tally: &Tally) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece).await? {
            0 => return to.shutdown().await,
            read => hand(&mut to, &piece[..read], way, tally).await?,
        }
    }
}

async fn hand(to: &mut OwnedWriteHalf, bytes: &[u8], way: Way, tally: &Tally) -> io::Result<()> {
    if !tally.takes(way, bytes.len()) {
        return Err(io::Error::other("it carried too much"));
    }
    to.write_all(bytes).await
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokio::net::TcpListener;

    use super::*;

    fn call(address: &str, look: bool) -> Call {
        let url = url::Url::parse(&format!("https://{address}/")).unwrap();
        Call { target: Target { url, spelled: address.to_owned() }, first: Vec::new(), look }
    }

    #[tokio::test]
    async fn a_host_that_is_not_listed_is_not_looked_up() {
        let hosts = Hosts::Listed(BTreeSet::from(["a.example:443".to_owned()]));
        for other in ["a.example:80", "b.example:443", "x.a.example:443", "a.example.:443", "127.0.0.1:443"] {
            let (refusal, why) = dial(&call(other, false), &hosts).await.unwrap_err();
            assert_eq!(refusal.status, "403 Forbidden", "{other}");
            assert!(refusal.sentence.contains("staged_hosts") && why.contains("staged_hosts"));
        }
        assert_eq!(dial(&call("a.example:443", true), &hosts).await.unwrap_err().0.status, "405 Method Not Allowed");
    }

    #[tokio::test]
    async fn what_looks_at_public_hosts_reaches_no_other() {
        let others = [
            "127.0.0.1:443",
            "localhost:443",
            "[::1]:443",
            "[::ffff:10.0.0.1]:443",
            "10.0.0.1:80",
            "169.254.169.254:80",
            "metadata.google.internal:80",
            "printer.local:443",
            "127.0.0.1.nip.io:443",
            "a.webhook.site:443",
            "example.com:6379",
        ];
        for other in others {
            let (refusal, why) = dial(&call(other, true), &Hosts::Public).await.unwrap_err();
            assert_eq!(refusal.status, "403 Forbidden", "{other}: {why}");
        }
        assert!(addresses(&call("127.0.0.1:443", true).target, true).await.is_err());
        assert!(addresses(&call("localhost:443", true).target, true).await.is_err());
    }

    #[tokio::test]
    async fn a_private_name_leads_to_this_machine_and_no_further() {
        assert!(addresses(&call("localhost:443", false).target, false).await.is_ok());
        let listed = addresses(&call("127.0.0.1:8443", false).target, false).await.unwrap();
        assert_eq!(listed, ["127.0.0.1:8443".parse().unwrap()]);
    }

    #[tokio::test]
    async fn of_a_look_the_answer_comes_back_and_nothing_follows_the_request() {
        let pair = async || {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let near = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            (near, listener.accept().await.unwrap().0)
        };
        let ((mut caller, inside), (outside, mut server)) = (pair().await, pair().await);
        caller.write_all(b"GET http://b.example/ HTTP/1.1\r\n\r\n").await.unwrap();
        let tally = Tally::new(true);
        let answering = async {
            let mut request = [0; 64];
            let read = server.read(&mut request).await.unwrap();
            server.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
            drop(server);
            request[..read].to_vec()
        };
        let (ended, request) = tokio::join!(carry_look(inside, outside, b"GET / HTTP/1.1\r\n\r\n", &tally), answering);
        assert!(ended.is_ok());
        assert_eq!(request, b"GET / HTTP/1.1\r\n\r\n");
        let mut answer = String::new();
        caller.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "HTTP/1.1 204 No Content\r\n\r\n");
    }
}
