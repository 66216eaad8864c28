//! A scripted model server on loopback, in the format of OpenAI's chat completions: answers one request after the
//! other, and keeps what it was asked.

use std::io::{self, BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What it answers.
#[derive(Clone)]
pub enum Reply {
    /// A text.
    Text(&'static str),
    /// A text, and calls of tools with their arguments.
    Calls(&'static str, Vec<(&'static str, Value)>),
    /// A text that ends at the length limit.
    Long(&'static str),
    /// The beginning of a text; then the connection breaks.
    Cut(&'static str),
    /// Nothing but a status.
    Status(u16),
}

/// One call of a command.
pub fn command(text: &str) -> Reply {
    Reply::Calls("", vec![("execute_command", json!({ "command": text }))])
}

/// The server; its thread ends with the tests.
pub struct Model {
    /// The base URL.
    pub url: String,
    asked: Arc<Mutex<Vec<Value>>>,
    keys: Arc<Mutex<Vec<String>>>,
}

impl Model {
    /// Answers the requests in order, and from then on with the last reply.
    pub fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let keys: Arc<Mutex<Vec<String>>> = Arc::default();
        let (log, seen) = (Arc::clone(&asked), Arc::clone(&keys));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, seen, script) = (Arc::clone(&log), Arc::clone(&seen), script.clone());
                std::thread::spawn(move || _ = converse(&stream, &log, &seen, &script));
            }
        });
        Self { url, asked, keys }
    }

    /// What stood in the `authorization` of each request.
    pub fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }

    /// The text of all messages of the nth request, from 0.
    pub fn asked(&self, nth: usize) -> String {
        let asked = self.asked.lock().unwrap();
        let messages = asked[nth]["messages"].as_array().unwrap();
        messages.iter().flat_map(|message| [message["content"].as_str().unwrap_or_default(), "\n"]).collect()
    }
}

/// Requests and replies on one connection, until it is closed.
fn converse(
    mut stream: &TcpStream,
    log: &Mutex<Vec<Value>>,
    keys: &Mutex<Vec<String>>,
    script: &[Reply],
) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while !reader.fill_buf()?.is_empty() {
        let (posted, body) = request(&mut reader, keys)?;
        if !posted {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?;
            continue;
        }
        let nth = {
            let mut log = log.lock().unwrap();
            log.push(serde_json::from_slice(&body).unwrap());
            log.len() - 1
        };
        match script.get(nth).or(script.last()).unwrap() {
            Reply::Status(code) => {
                let body = r#"{"error":{"message":"out of order"}}"#;
                write!(stream, "HTTP/1.1 {code} Trouble\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
            }
            Reply::Text(text) => send(stream, text, &[], Some("stop"))?,
            Reply::Calls(text, calls) => send(stream, text, calls, Some("tool_calls"))?,
            Reply::Long(text) => send(stream, text, &[], Some("length"))?,
            Reply::Cut(text) => {
                send(stream, text, &[], None)?;
                return stream.shutdown(std::net::Shutdown::Both);
            }
        }
    }
    Ok(())
}

/// One request: whether something is posted, and its body.
fn request(reader: &mut impl BufRead, keys: &Mutex<Vec<String>>) -> io::Result<(bool, Vec<u8>)> {
    let (mut posted, mut length) = (false, 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        posted |= line.starts_with("POST ");
        match line.split_once(':').map(|(name, value)| (name.to_ascii_lowercase(), value.trim())) {
            Some((name, value)) if name == "content-length" => length = value.parse().unwrap_or(0),
            Some((name, value)) if name == "authorization" => keys.lock().unwrap().push(value.to_owned()),
            Some(_) | None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((posted, body))
}

/// A message in pieces of one word; without an end the stream breaks off.
fn send(mut stream: &TcpStream, text: &str, calls: &[(&str, Value)], end: Option<&str>) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let mut event = |delta: Value, end: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": end });
        let usage = end.map(|_| json!({ "prompt_tokens": 70, "completion_tokens": 30, "total_tokens": 100 }));
        let event = json!({ "id": "x", "object": "chat.completion.chunk", "choices": [choice], "usage": usage });
        let text = format!("data: {event}\n\n");
        write!(stream, "{:x}\r\n{text}\r\n", text.len())
    };
    for piece in text.split_inclusive(' ') {
        event(json!({ "content": piece }), None)?;
    }
    for (at, (name, arguments)) in calls.iter().enumerate() {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        let call = json!({ "index": at, "id": format!("call_{at}"), "type": "function", "function": function });
        event(json!({ "tool_calls": [call] }), None)?;
    }
    let Some(end) = end else { return Ok(()) };
    event(json!({}), Some(end))?;
    stream.write_all(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
}
