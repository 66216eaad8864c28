//! What looks at public hosts, through the real binary: a proxy of ours is all the network that it has, and no private
//! host is reached by it, however it is spelled. No public one is called here.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/walled.rs"]
mod walled;

use std::collections::BTreeSet;
use std::net::TcpListener;

use countersign::contain::PROXY;
use countersign::domain::{Need, Outcome};
use left_out::not_here;
use walled::{World, world};

/// A world with a proxy for readers, and a server on loopback that nobody is to call.
async fn looks(what: &str) -> Option<(World, TcpListener)> {
    let world = world(what).await?;
    if let Err(why) = world.proof.proxied.as_ref() {
        not_here(what, why);
        return None;
    }
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    Some((world, server))
}

fn web() -> BTreeSet<Need> {
    BTreeSet::from([Need::Web])
}

/// A line that says something to the proxy and prints the answer.
fn said(head: &str) -> String {
    format!("exec 3<>/dev/tcp/127.0.0.1/{PROXY} && printf '{head}\\r\\n\\r\\n' >&3 && timeout 2 cat <&3; false")
}

#[tokio::test]
async fn no_private_host_is_reached() {
    let Some((world, server)) = looks("looks at public hosts").await else { return };
    let port = server.local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "127.1", "0x7f000001", "127.0.0.1.nip.io"] {
        for head in [format!("CONNECT {host}:{port} HTTP/1.1"), format!("GET http://{host}:{port}/ HTTP/1.1")] {
            let report = world.with(&said(&head), web()).await;
            assert!(report.result.contains("403 Forbidden"), "{head}: {}", report.result);
            assert!(report.result.contains("[It did not reach "), "{head}: {}", report.result);
        }
    }
    for (head, answer) in [
        (format!("POST http://127.0.0.1:{port}/ HTTP/1.1"), "405 Method Not Allowed"),
        (format!("GET http://127.0.0.1:{port}/ HTTP/1.1\\r\\nContent-Length: 3"), "403 Forbidden"),
        ("GET / HTTP/1.1".to_owned(), "400 Bad Request"),
    ] {
        let report = world.with(&said(&head), web()).await;
        assert!(report.result.contains(answer), "{head}: {}", report.result);
    }
    assert!(server.accept().is_err(), "nobody called");
}

#[tokio::test]
async fn nothing_leads_past_the_proxy_and_nothing_is_changed() {
    let Some((world, server)) = looks("ways past the proxy of looks").await else { return };
    let port = server.local_addr().unwrap().port();
    for line in [
        format!("exec 3<>/dev/tcp/127.0.0.1/{port} && printf hello >&3"),
        format!("exec 3<>/dev/udp/127.0.0.1/{port} && printf hello >&3"),
        "exec 3<>/dev/tcp/192.0.2.1/80".to_owned(),
        "echo x > notes.txt".to_owned(),
        "cat .env".to_owned(),
        "ls ../own/layers/*/door".to_owned(),
    ] {
        let report = world.with(&line, web()).await;
        assert!(matches!(report.outcome, Outcome::Failed { .. }), "{line}: {}", report.result);
    }
    let told = world.with("echo $http_proxy $https_proxy", web()).await.result;
    let proxy = format!("http://127.0.0.1:{PROXY}");
    assert!(told.contains(&format!("{proxy} {proxy}")), "{told}");
    assert_eq!(std::fs::read_to_string(world.work.join("notes.txt")).unwrap(), "as it was\n");
    assert!(server.accept().is_err(), "nobody called");
    let left = std::fs::read_dir(world.own.join("layers")).unwrap().filter_map(Result::ok);
    let doors = left.filter(|entry| entry.path().join("test").exists() || entry.path().join("door").exists());
    assert_eq!(doors.count(), 0, "the folder of a door goes with its run");
}
