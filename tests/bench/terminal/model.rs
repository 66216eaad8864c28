//! A scripted model server on loopback, in the format of OpenAI's chat completions. It answers the requests of one
//! session in order and notes when the first byte of each came and when its last byte went.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What it answers.
#[derive(Clone)]
pub enum Reply {
    /// One call of a command, with the risk that it claims.
    Command(String, &'static str),
    /// A text in pieces of about so many bytes.
    Text(String, usize),
}

/// One request and its reply.
#[derive(Clone)]
pub struct Exchange {
    /// When its first byte came.
    pub asked: Instant,
    /// When the reply began, and when its last byte went.
    pub begun: Instant,
    pub replied: Option<Instant>,
    /// The text of the last message of the request.
    pub said: String,
}

type Heard = Arc<(Mutex<Vec<Exchange>>, Condvar)>;

/// The server; its thread ends with the bench.
pub struct Model {
    /// The base URL.
    pub url: String,
    heard: Heard,
}

impl Model {
    /// Answers the nth request, counted from 0, as `script` says.
    pub fn start(script: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let heard = Heard::default();
        let (log, script) = (Arc::clone(&heard), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                std::thread::spawn(move || _ = converse(&stream, &log, &*script));
            }
        });
        Self { url, heard }
    }

    /// The nth exchange, once it is there and so.
    pub fn exchange(&self, nth: usize, patience: Duration, so: impl Fn(&Exchange) -> bool) -> Option<Exchange> {
        let (log, changed) = &*self.heard;
        let there = |log: &mut Vec<Exchange>| !log.get(nth).is_some_and(&so);
        let (log, _) = changed.wait_timeout_while(log.lock().unwrap(), patience, there).unwrap();
        log.get(nth).filter(|exchange| so(exchange)).cloned()
    }

    /// The nth exchange, once its reply has gone.
    pub fn replied(&self, nth: usize, patience: Duration) -> Option<Exchange> {
        self.exchange(nth, patience, |exchange| exchange.replied.is_some())
    }
}

/// Requests and replies on one connection, until it is closed.
fn converse(stream: &TcpStream, heard: &Heard, script: &dyn Fn(usize) -> Reply) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        if reader.fill_buf()?.is_empty() {
            return Ok(());
        }
        let asked = Instant::now();
        let (posted, body) = request(&mut reader)?;
        if !posted {
            (&*stream).write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?;
            continue;
        }
        let said = last(&body);
        let nth = note(heard, |log| {
            log.push(Exchange { asked, begun: Instant::now(), replied: None, said });
            log.len() - 1
        });
        let reply = script(nth);
        note(heard, |log| log[nth].begun = Instant::now());
        send(stream, nth, &reply)?;
        note(heard, |log| log[nth].replied = Some(Instant::now()));
    }
}

fn note<T>(heard: &Heard, change: impl FnOnce(&mut Vec<Exchange>) -> T) -> T {
    let told = change(&mut heard.0.lock().unwrap());
    heard.1.notify_all();
    told
}

/// What the last message of a request holds. The others are passed over: a long conversation takes the program's time,
/// not ours.
fn last(body: &[u8]) -> String {
    #[derive(serde::Deserialize)]
    struct Request<'a> {
        #[serde(borrow)]
        messages: Vec<&'a RawValue>,
    }
    let read = serde_json::from_slice::<Request<'_>>(body).ok();
    let message = read.and_then(|request| serde_json::from_str::<Value>(request.messages.last()?.get()).ok());
    message.map_or_else(String::new, |message| message["content"].to_string())
}

/// One request: whether something is posted, and its body.
fn request(reader: &mut impl BufRead) -> io::Result<(bool, Vec<u8>)> {
    let (mut posted, mut length, mut first) = (false, 0, true);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        posted |= first && line.starts_with("POST ");
        first = false;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((posted, body))
}

fn send(mut stream: &TcpStream, nth: usize, reply: &Reply) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let end = match reply {
        Reply::Command(command, claim) => {
            let arguments = json!({ "command": command, "risk_level": claim }).to_string();
            let function = json!({ "name": "execute_command", "arguments": arguments });
            let call = json!({ "index": 0, "id": format!("call_{nth}"), "type": "function", "function": function });
            stream.write_all(event(&json!({ "role": "assistant", "tool_calls": [call] }), None).as_bytes())?;
            "tool_calls"
        }
        Reply::Text(text, piece) => {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rest.ceil_char_boundary((*piece).max(1)));
                stream.write_all(event(&json!({ "content": now }), None).as_bytes())?;
                rest = later;
            }
            "stop"
        }
    };
    let last = event(&json!({}), Some(end)) + &chunk("data: [DONE]\n\n") + "0\r\n\r\n";
    stream.write_all(last.as_bytes())
}

fn event(delta: &Value, end: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": end });
    let event = json!({ "id": "x", "object": "chat.completion.chunk", "model": "bench", "choices": [choice] });
    chunk(&format!("data: {event}\n\n"))
}

fn chunk(text: &str) -> String {
    let mut chunk = String::new();
    write!(chunk, "{:x}\r\n{text}\r\n", text.len()).unwrap();
    chunk
}
