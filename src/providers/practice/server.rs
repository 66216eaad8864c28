//! A very small HTTP server on this machine for practice: it tells its status, lists products and echoes orders.
//! It keeps nothing, reaches nothing, and listens on loopback alone.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Largest request that is read.
const MOST_BYTES: usize = 64 << 10;
/// Longest time that one connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The server; it stops when this is dropped.
#[derive(Debug)]
pub(super) struct PracticeServer {
    url: String,
    task: JoinHandle<()>,
}

impl PracticeServer {
    /// Starts it on a free port.
    pub(super) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let task = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        tokio::spawn(async move { timeout(PATIENCE, serve(stream)).await });
                    }
                    // Out of file handles, say: other connections will end.
                    Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                }
            }
        });
        Ok(Self { url, task })
    }

    /// Its address, without a slash at the end.
    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for PracticeServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers one request and closes.
async fn serve(mut stream: TcpStream) -> io::Result<()> {
    let asked = read(&mut stream).await?;
    let (status, body) = match &asked {
        Some(request) => answer(&request.method, &request.path, &request.body),
        None => (400, json!({"error": "this is no HTTP request, or larger than 64 KB"})),
    };
    let reason = match status {
        200 => "OK",
        201 => "Created",
        400 => "Bad Request",
        405 => "Method Not Allowed",
        _ => "Not Found",
    };
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    if asked.is_none_or(|request| request.method != "HEAD") {
        stream.write_all(body.as_bytes()).await?;
    }
    stream.shutdown().await
}

/// What was asked.
struct Request {
    method: String,
    path: String,
    body: String,
}

/// Reads one request; none if it is malformed or too large.
async fn read(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        if let Some(request) = parse(&bytes) {
            return Ok(Some(request));
        }
        let count = stream.read(&mut chunk).await?;
        if count == 0 || bytes.len() > MOST_BYTES {
            return Ok(None);
        }
        bytes.extend_from_slice(chunk.get(..count).unwrap_or_default());
    }
}

/// A request, once head and body are there.
fn parse(bytes: &[u8]) -> Option<Request> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split_whitespace();
    let (method, target) = (first.next()?, first.next()?);
    let length = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse::<usize>().ok())
        .unwrap_or(0);
    let path = target.split('?').next().unwrap_or_default();
    (body.len() >= length).then(|| Request { method: method.to_owned(), path: path.to_owned(), body: body.to_owned() })
}

/// The answer to a request.
fn answer(method: &str, path: &str, body: &str) -> (u16, Value) {
    match (method, path) {
        ("GET" | "HEAD", "/" | "/status") => {
            (200, json!({"shop": "open", "serves": ["GET /status", "GET /products", "POST /orders"]}))
        }
        ("GET" | "HEAD", "/products") => (
            200,
            json!([
                {"id": 1, "name": "kettle", "price": 34.90},
                {"id": 3, "name": "teapot", "price": 28.00},
                {"id": 4, "name": "mug", "price": 9.80},
            ]),
        ),
        ("POST", "/orders") => match serde_json::from_str::<Value>(body) {
            Ok(order) => (201, json!({"received": order, "note": "a practice order: nothing is kept"})),
            Err(_) => (400, json!({"error": "the body is no JSON"})),
        },
        (_, "/" | "/status" | "/products" | "/orders") => (405, json!({"error": "this method is not served here"})),
        _ => (404, json!({"error": "nothing is served here"})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(url: &str, request: &str) -> String {
        let mut stream = TcpStream::connect(url.trim_start_matches("http://")).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn it_tells_its_status_and_echoes_an_order() {
        let server = PracticeServer::start().await.unwrap();
        assert!(asked(server.url(), "GET /status HTTP/1.1\r\n\r\n").await.contains("\"shop\":\"open\""));
        let order = "POST /orders HTTP/1.1\r\nContent-Length: 9\r\n\r\n{\"mug\":2}";
        let answer = asked(server.url(), order).await;
        assert!(answer.starts_with("HTTP/1.1 201") && answer.contains("{\"mug\":2}"), "{answer}");
        assert!(asked(server.url(), "GET /nothing HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 404"));
        assert!(asked(server.url(), "DELETE /orders HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 405"));
    }
}
