//! A third party's mock model server, started from the folder that `COUNTERSIGN_SERVICES` names. Shared by the
//! tests that speak to it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::left_out::left_out;

/// The running server; it is stopped when this is dropped.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub url: String,
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // TERM, so that the script stops its own child too.
        let _asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let _ended = self.child.wait();
    }
}

/// The first start installs the server: one at a time.
static STARTING: Mutex<()> = Mutex::new(());

/// Starts the server with what it answers; none if its script isn't on this machine, which fails where nothing may be left out.
pub fn server(fixtures_text: &str) -> Option<Server> {
    let Some(script) = std::env::var_os("COUNTERSIGN_SERVICES").map(|folder| Path::new(&folder).join("fake-llm"))
    else {
        left_out("the tests against a mock model server", "set COUNTERSIGN_SERVICES to the folder with `fake-llm`");
        return None;
    };
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let fixtures = folder.path().join("fixtures.json");
    std::fs::write(&fixtures, fixtures_text).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut child = Command::new(script)
        .arg(port.to_string())
        .arg(&fixtures)
        .args(["--chunk-size", "7"])
        // The folder with the scripts is not where the server's own files go.
        .env_remove("COUNTERSIGN_SERVICES")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let url = url.trim().to_owned();
    assert!(url.starts_with("http://127.0.0.1:"), "the fake model server didn't start: {url:?}");
    Some(Server { child, url, _folder: folder })
}
