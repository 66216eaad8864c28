//! One call to the proxy: checked, dialled, and its bytes carried until either side has ended.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;
use url::Host;

use super::super::http::address;
use super::head::{self, Refusal, Target};
use super::tally::{Tally, Way};
use crate::assess::{Reach, address_reach, host_reach};

/// Time to reach a host.
const CONNECT: Duration = Duration::from_secs(10);
/// Most bytes that are carried at once.
const PIECE: usize = 32 * 1024;

/// Answers a call and sees it through.
pub(super) async fn answer(mut inside: TcpStream, hosts: &BTreeSet<String>, tally: &Tally) {
    let refusal = match head::read(&mut inside).await {
        Err(refusal) => refusal,
        Ok((target, behind)) => match dial(&target, hosts).await {
            Ok(outside) => {
                tally.reached(&target.spelled);
                // A connection that breaks is the caller's to notice.
                let _ended = carry_both(inside, outside, &behind, tally).await;
                return;
            }
            Err((refusal, why)) => {
                tally.refused(&target.spelled, &why);
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
async fn dial(target: &Target, hosts: &BTreeSet<String>) -> Result<TcpStream, (Refusal, String)> {
    let host = &target.spelled;
    if !hosts.contains(host) {
        let sentence = format!(
            "{host} is none of the hosts that a staged command may reach. The person can allow it by the key \
             staged_hosts of the configuration."
        );
        let why = "the key `staged_hosts` of the configuration would allow it".to_owned();
        return Err((Refusal::new("403 Forbidden", sentence), why));
    }
    let addresses = addresses(target).await.map_err(|error| {
        (Refusal::new("502 Bad Gateway", format!("{host} is not dialled: {error}.")), error.to_string())
    })?;
    let unreachable = |why: String| (Refusal::new("502 Bad Gateway", format!("{host} can't be reached: {why}.")), why);
    match timeout(CONNECT, TcpStream::connect(&addresses[..])).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) => Err(unreachable(error.to_string())),
        Err(_) => Err(unreachable("no answer in time".to_owned())),
    }
}

/// Where a host is. A name that looks public leads to public addresses or nowhere; one that plainly leads to this machine
/// or its network, and that the person wrote down, leads there.
async fn addresses(target: &Target) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
    let reach = host_reach(&target.url);
    let may = |address: IpAddr| [Reach::Public, reach].contains(&address_reach(address));
    let port = target.url.port_or_known_default().unwrap_or(443);
    match target.url.host() {
        Some(Host::Ipv4(address)) => Ok(vec![(address, port).into()]),
        Some(Host::Ipv6(address)) => Ok(vec![(address, port).into()]),
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
    use super::*;

    fn target(host: &str) -> Target {
        let url = url::Url::parse(&format!("https://{host}/")).unwrap();
        Target { url, spelled: host.to_owned() }
    }

    #[tokio::test]
    async fn a_host_that_is_not_listed_is_not_looked_up() {
        let hosts = BTreeSet::from(["a.example:443".to_owned()]);
        for other in ["a.example:80", "b.example:443", "x.a.example:443", "a.example.:443", "127.0.0.1:443"] {
            let (refusal, why) = dial(&target(other), &hosts).await.unwrap_err();
            assert_eq!(refusal.status, "403 Forbidden", "{other}");
            assert!(refusal.sentence.contains("staged_hosts") && why.contains("staged_hosts"));
        }
    }

    #[tokio::test]
    async fn a_private_name_leads_to_this_machine_and_no_further() {
        assert!(addresses(&target("localhost:443")).await.is_ok());
        assert_eq!(addresses(&target("127.0.0.1:8443")).await.unwrap(), ["127.0.0.1:8443".parse().unwrap()]);
    }
}
