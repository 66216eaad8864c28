//! A scripted model server on loopback, in the format of OpenAI's chat completions. What it answers depends on the
//! conversation alone; it keeps every conversation that it was given, and says at once if one can't be.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

type Heard = Arc<Mutex<Vec<Vec<Value>>>>;

/// The server; its threads end with the test.
pub struct Model {
    /// The base URL.
    pub url: String,
    heard: Heard,
}

impl Model {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let heard = Heard::default();
        let log = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&log);
                std::thread::spawn(move || _ = converse(&stream, &log));
            }
        });
        Self { url, heard }
    }

    /// The messages of each request so far, without the system's.
    pub fn heard(&self) -> Vec<Vec<Value>> {
        self.heard.lock().unwrap().clone()
    }
}

fn converse(stream: &TcpStream, heard: &Heard) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while !reader.fill_buf()?.is_empty() {
        let body = request(&mut reader)?;
        let Ok(body) = serde_json::from_slice::<Value>(&body) else {
            (&*stream).write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?;
            continue;
        };
        let messages: Vec<Value> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| message["role"] != "system")
            .cloned()
            .collect();
        heard.lock().unwrap().push(messages.clone());
        send(stream, &messages)?;
    }
    Ok(())
}

/// A message of the person's is answered with two calls of its own: one that writes, one that reads. Results are
/// answered with a text.
fn send(mut stream: &TcpStream, messages: &[Value]) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let mut say = |delta: Value, end: Option<&str>| {
        std::thread::sleep(Duration::from_millis(8));
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": end });
        let event = json!({ "id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [choice] });
        stream.write_all(chunk(&format!("data: {event}\n\n")).as_bytes())
    };
    let last = messages.last().unwrap();
    let task = last["content"].as_str().and_then(|text| text.rsplit("task ").next()?.parse::<u64>().ok());
    if let Some(task) = task.filter(|_| last["role"] == "user") {
        for word in ["On ", "it", "."] {
            say(json!({ "content": word }), None)?;
        }
        // A number that no other message of the conversation has.
        let id = format!("call_{task}_{}", messages.len());
        for (at, command) in
            [format!("sleep 0.05; echo {id} >> log.txt"), "cat /etc/hostname".to_owned()].iter().enumerate()
        {
            let arguments = json!({ "command": command }).to_string();
            let function = json!({ "name": "execute_command", "arguments": arguments });
            let call = json!({ "index": at, "id": format!("{id}_{at}"), "type": "function", "function": function });
            say(json!({ "role": "assistant", "tool_calls": [call] }), None)?;
        }
        say(json!({}), Some("tool_calls"))?;
    } else {
        for word in ["All ", "of ", "that ", "is ", "done."] {
            say(json!({ "content": word }), None)?;
        }
        say(json!({}), Some("stop"))?;
    }
    stream.write_all((chunk("data: [DONE]\n\n") + "0\r\n\r\n").as_bytes())
}

fn request(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn chunk(text: &str) -> String {
    let mut chunk = String::new();
    write!(chunk, "{:x}\r\n{text}\r\n", text.len()).unwrap();
    chunk
}
