//! The hosts that staged runs may reach, through the real binary: by the proxy in their network alone, those of the
//! list alone, and nothing at all without the list. Servers are this machine's own, on its loopback.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/left_out.rs"]
mod left_out;
#[path = "common/walled.rs"]
mod walled;

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use countersign::contain::PROXY;
use countersign::domain::{Need, Outcome, RunEvent};
use countersign::tools::Workbench;
use left_out::not_here;
use walled::{World, world};

/// What a server of ours says.
const HELLO: &str = "hello from outside";

/// A server that says hello to everybody, once they said something.
struct Server {
    port: u16,
    /// How many called.
    calls: Arc<AtomicUsize>,
    /// How many of those are gone again.
    gone: Arc<AtomicUsize>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (calls, gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counts = (Arc::clone(&calls), Arc::clone(&gone));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(mut stream), gone) = (stream, Arc::clone(&counts.1)) else { break };
                counts.0.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || {
                    let mut piece = [0; 4096];
                    if stream.read(&mut piece).is_ok_and(|read| read > 0) {
                        let length = HELLO.len();
                        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{HELLO}");
                        let _gone = stream.write_all(answer.as_bytes());
                    }
                    while stream.read(&mut piece).is_ok_and(|read| read > 0) {}
                    gone.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Self { port, calls, gone }
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

/// A world in which staged commands may reach these hosts.
async fn stage(what: &str, hosts: &[String]) -> Option<World> {
    let mut world = world(what).await?;
    if let Err(why) = world.proof.staged.as_ref().map(drop).and(world.proof.proxied.as_ref().map(drop)) {
        not_here(what, why);
        return None;
    }
    let staged_hosts = hosts.iter().cloned().collect();
    world.bench = Arc::new(Workbench { staged_hosts, ..(*world.bench).clone() });
    Some(world)
}

/// A line that asks the proxy for a host, says something and prints the answer.
fn through(host: &str) -> String {
    format!(
        "exec 3<>/dev/tcp/127.0.0.1/{PROXY} && printf 'CONNECT {host} HTTP/1.1\\r\\n\\r\\nhello' >&3 && timeout 2 cat <&3"
    )
}

fn notes(events: &[RunEvent]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| match event {
            RunEvent::Note(note) => Some(note.as_str()),
            _ => None,
        })
        .collect()
}

fn there(program: &str) -> bool {
    let found = std::process::Command::new("bash").args(["-c", &format!("command -v {program}")]).output();
    found.is_ok_and(|output| output.status.success())
}

#[tokio::test]
async fn an_allowed_host_is_reached_and_told() {
    let server = Server::start();
    let Some(world) = stage("hosts of staged runs", &[server.host()]).await else { return };
    let (events, report) = world.staged(&format!("{}; echo x > new", through(&server.host())), 20).await;
    assert!(report.result.contains("200 Connection established"), "{}", report.result);
    assert!(report.result.contains(HELLO) && server.calls() == 1, "{}", report.result);
    assert!(report.result.contains(&format!("[It reached {}: 5 B sent", server.host())), "{}", report.result);
    let notes = notes(&events);
    assert_eq!(notes[0], format!("It may reach {}.", server.host()));
    let last = notes.last().unwrap();
    assert!(last.contains("It reached") && last.contains("added new"), "one note says both: {last}");
    if there("curl") {
        let (_, report) = world.staged(&format!("curl -sS --proxytunnel http://{}/", server.host()), 20).await;
        assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{}", report.result);
        assert!(report.result.contains(HELLO) && server.calls() == 2, "{}", report.result);
    } else {
        not_here("curl through the proxy", "there is no curl");
    }
}

#[tokio::test]
async fn another_host_or_port_is_refused_with_the_key_that_would_allow_it() {
    let (server, other) = (Server::start(), Server::start());
    let Some(world) = stage("other hosts of staged runs", &[server.host()]).await else { return };
    let port = server.port;
    for host in [other.host(), format!("127.0.0.2:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")] {
        let (events, report) = world.staged(&format!("{}; false", through(&host)), 20).await;
        assert!(report.result.contains("403 Forbidden"), "{host}: {}", report.result);
        assert!(report.result.contains("staged_hosts") && !report.result.contains(HELLO), "{}", report.result);
        assert!(notes(&events).last().unwrap().contains(&format!("It did not reach {host}")), "{:?}", notes(&events));
        assert!(events.iter().any(|event| matches!(event, RunEvent::Stopped)), "it is offered again");
    }
    let plain = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{PROXY} && printf 'GET http://{}/ HTTP/1.1\\r\\n\\r\\n' >&3 && timeout 2 cat <&3",
        server.host()
    );
    assert!(world.staged(&plain, 20).await.1.result.contains("405 Method Not Allowed"));
    assert_eq!((server.calls(), other.calls()), (0, 0));
}

#[tokio::test]
async fn nothing_leads_past_the_proxy() {
    let server = Server::start();
    let Some(world) = stage("ways past the proxy", &[server.host()]).await else { return };
    let port = server.port;
    for line in [
        format!("exec 3<>/dev/tcp/127.0.0.1/{port} && printf hello >&3 && timeout 2 cat <&3"),
        format!("exec 3<>/dev/tcp/::1/{port} && printf hello >&3"),
        "exec 3<>/dev/tcp/192.0.2.1/80 && printf hello >&3".to_owned(),
        format!("exec 3<>/dev/udp/127.0.0.1/{port} && printf hello >&3 && echo sent"),
        "getent ahosts example.com".to_owned(),
    ] {
        let (_, report) = world.staged(&line, 20).await;
        println!("{line}: {}", report.result);
        assert!(matches!(report.outcome, Outcome::Failed { .. }), "{line}: {}", report.result);
        assert!(!report.result.contains(HELLO) && !report.result.contains("sent\n"), "{line}: {}", report.result);
    }
    assert_eq!(server.calls(), 0);
    if !there("python3") {
        return not_here("sockets of staged runs", "there is no python3");
    }
    // Families and sorts by number: UDP, raw, MPTCP, SCTP, Unix, netlink, packets, vsock; then TCP, which there is.
    let tries = "import socket\n\
        for family, sort, protocol in [(2,2,0),(10,2,0),(2,3,1),(2,3,6),(2,1,262),(2,1,132),(2,5,132),(1,1,0),(1,2,0),\
        (16,3,0),(17,3,0),(40,1,0),(2,1,0),(10,1,6)]:\n  \
        try: socket.socket(family, sort, protocol); print('made', family, sort, protocol)\n  \
        except PermissionError: pass\n";
    let (_, report) = world.staged(&format!("python3 -c \"{tries}\""), 20).await;
    let made: Vec<&str> = report.result.lines().filter(|line| line.starts_with("made")).collect();
    assert_eq!(made, ["made 2 1 0", "made 10 1 6"], "{}", report.result);
}

#[tokio::test]
async fn without_the_key_there_is_no_socket_and_no_word_of_a_proxy() {
    let server = Server::start();
    let Some(world) = stage("staged runs without hosts", &[]).await else { return };
    let line = format!("env | grep -i proxy; {} ; exec 3<>/dev/tcp/127.0.0.1/{}", through(&server.host()), server.port);
    let (events, report) = world.staged(&line, 20).await;
    assert!(
        report.result.contains("Operation not permitted") && !report.result.contains("http://"),
        "{}",
        report.result
    );
    assert!(!report.result.contains("It reached") && !report.result.contains("did not reach"), "{}", report.result);
    assert!(!notes(&events).iter().any(|note| note.contains("reach")), "{:?}", notes(&events));
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn a_reader_never_gets_it() {
    let server = Server::start();
    let Some(world) = stage("readers beside hosts", &[server.host()]).await else { return };
    for needs in [BTreeSet::new(), BTreeSet::from([Need::Processes]), BTreeSet::from([Need::Interfaces])] {
        let line = format!("env | grep -i proxy; {}", through(&server.host()));
        let report = world.with(&line, needs).await;
        assert!(matches!(report.outcome, Outcome::Failed { .. }), "{}", report.result);
        assert!(report.result.contains("Operation not permitted") && !report.result.contains("http://"));
    }
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn connections_end_with_the_run() {
    let server = Server::start();
    let Some(world) = stage("the end of staged connections", &[server.host()]).await else { return };
    let line = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{PROXY}; printf 'CONNECT {} HTTP/1.1\\r\\n\\r\\nhello' >&3; sleep 30",
        server.host()
    );
    let (events, report) = world.staged(&line, 2).await;
    assert!(matches!(report.outcome, Outcome::TimedOut { .. }), "{}", report.result);
    assert!(notes(&events).last().unwrap().contains("It reached"), "a run that is ended is told, too");
    let until = Instant::now() + Duration::from_secs(5);
    while server.gone.load(Ordering::SeqCst) < 1 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!((server.calls(), server.gone.load(Ordering::SeqCst)), (1, 1));
}
