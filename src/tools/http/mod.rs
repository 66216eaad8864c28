//! `http_request`: one request, its answer told as text. A run that no person allowed dials public addresses
//! only, and each redirect is judged again before it is followed.

pub(super) mod address;
mod hops;
mod json;
mod preview;
mod reply;

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response, Url};
use serde_json::json;
use thiserror::Error;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use self::address::{NotPublic, Resolver, is_public};
use super::sink::Sink;
use super::{RunPort, Tool, Workbench};
use crate::assess::{HttpAssessor, Reach as HostReach, RiskAssessor, host_reach};
use crate::domain::{
    Arguments, ArgumentsError, Countersigned, Decider, HttpOperation, Measurement, OperationKind, Origin, Outcome,
    Prepared, RunEvent, RunReport, ToolSpec,
};

/// Time to reach a server.
const CONNECT: Duration = Duration::from_secs(10);
/// How we name ourselves, unless the request does.
const AGENT: &str = concat!("countersign/", env!("CARGO_PKG_VERSION"));

/// Why a request has no answer. No message holds a URL's query.
#[derive(Debug, Error)]
enum HttpError {
    #[error("the URL can't be read: {0}")]
    Url(String),
    #[error("the method `{0}` can't be sent")]
    Method(String),
    #[error("the header `{0}` can't be sent")]
    Header(String),
    #[error("{0} is at {1}, which is not a public address; nothing was sent there")]
    NotPublic(String, IpAddr),
    #[error("{0} can't be reached: {1}")]
    Unreachable(String, String),
    #[error("the answer of {0} broke off: {1}")]
    Broken(String, String),
    #[error("no client could be made: {0}")]
    Client(String),
}

/// Sends requests. Its clients are made at the first use, as that takes a while.
#[derive(Debug)]
pub struct HttpTool {
    bench: Arc<Workbench>,
    public: OnceLock<Client>,
    any: OnceLock<Client>,
}

/// Which addresses may be dialled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// Those of the public internet.
    Public,
    /// Any: somebody agreed to this host.
    Any,
}

/// A request, read from what the caller wrote.
#[derive(Clone, Debug)]
struct Request {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<String>,
}

impl Request {
    fn of(operation: &HttpOperation) -> Result<Self, HttpError> {
        let url = Url::parse(&operation.url).map_err(|error| HttpError::Url(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(HttpError::Url(format!("{} is not http or https", url.scheme())));
        }
        let method = Method::from_bytes(operation.method.to_ascii_uppercase().as_bytes())
            .map_err(|_| HttpError::Method(operation.method.chars().take(40).collect()))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &operation.headers {
            let refused = || HttpError::Header(name.chars().take(40).collect());
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused())?;
            headers.append(key, HeaderValue::from_str(value).map_err(|_| refused())?);
        }
        Ok(Self { method, url, headers, body: operation.body.clone() })
    }

    /// The host, for sentences.
    fn host(&self) -> String {
        self.url.host_str().unwrap_or("the server").to_owned()
    }
}

impl HttpTool {
    /// The tool of a workbench.
    #[must_use]
    pub fn new(bench: Arc<Workbench>) -> Self {
        Self { bench, public: OnceLock::new(), any: OnceLock::new() }
    }

    fn client(&self, reach: Reach) -> Result<&Client, HttpError> {
        let (slot, public_only) = match reach {
            Reach::Public => (&self.public, true),
            Reach::Any => (&self.any, false),
        };
        if let Some(client) = slot.get() {
            return Ok(client);
        }
        let client = build(public_only).map_err(|error| HttpError::Client(plain(&error)))?;
        Ok(slot.get_or_init(|| client))
    }

    /// Sends one request and waits for the head of its answer.
    async fn send(&self, request: &Request, reach: Reach) -> Result<Response, HttpError> {
        let literal = match request.url.host() {
            Some(url::Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(url::Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(url::Host::Domain(_)) | None => None,
        };
        if let (Reach::Public, Some(address)) = (reach, literal.filter(|address| !is_public(*address))) {
            return Err(HttpError::NotPublic(request.host(), address));
        }
        let mut builder =
            self.client(reach)?.request(request.method.clone(), request.url.clone()).headers(request.headers.clone());
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        builder.send().await.map_err(|error| explain(request, error))
    }
}

fn build(public_only: bool) -> Result<Client, reqwest::Error> {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Somebody else may have been first: then theirs is used.
        let _installed = rustls::crypto::ring::default_provider().install_default();
    }
    Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .user_agent(AGENT)
        .connect_timeout(CONNECT)
        .dns_resolver(Resolver { public_only })
        .build()
}

/// An error of the client as ours.
fn explain(request: &Request, error: reqwest::Error) -> HttpError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(refused) = inner.downcast_ref::<NotPublic>() {
            return HttpError::NotPublic(refused.name.clone(), refused.address);
        }
        cause = inner.source();
    }
    HttpError::Unreachable(request.host(), plain(&error.without_url()))
}

/// The innermost cause of an error: the outer ones only say that a request failed.
fn plain(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    if error.is_timeout() { format!("no answer in time ({inner})") } else { inner.to_string() }
}

/// Whether somebody decided about this host, and not our tables alone.
fn asked(decider: &Decider) -> bool {
    match decider {
        Decider::Person | Decider::PersonAll | Decider::TurnApproval | Decider::Rule | Decider::AllowAll => true,
        Decider::Claim | Decider::Whitelist | Decider::Policy | Decider::Interrupt => false,
    }
}

/// Which addresses a run may dial. Who approved a name that looks public didn't approve what it may turn out to lead
/// to: that is offered as an operation of its own, and only that one goes anywhere.
fn reach(run: &Countersigned, url: &Url) -> Reach {
    let offered = matches!(run.operation().origin, Origin::Program { .. });
    let wide = matches!(run.decider(), Decider::Rule | Decider::AllowAll);
    if asked(run.decider()) && (offered || wide || host_reach(url) != HostReach::Public) {
        Reach::Any
    } else {
        Reach::Public
    }
}

impl Tool for HttpTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "http_request".to_owned(),
            description: "Sends one HTTP request and returns status, main headers and body; JSON is laid out. \
                Redirects of GET and HEAD are followed where they are as safe as the request."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["url"],
                "properties": {
                    "url": { "type": "string", "description": "The URL, http or https." },
                    "method": { "type": "string", "description": "GET without it." },
                    "headers": {
                        "type": "object", "additionalProperties": { "type": "string" },
                        "description": "Headers by name."
                    },
                    "body": { "type": "string", "description": "The body, as it is sent. Needs a method." }
                }
            }),
        }
    }

    fn assessor(&self) -> &dyn RiskAssessor {
        &HttpAssessor
    }

    fn prepare(&self, arguments: &Arguments) -> Result<OperationKind, ArgumentsError> {
        HttpOperation::read(arguments).map(OperationKind::Http)
    }

    fn preview<'a>(&'a self, prepared: &'a Prepared, _cancel: CancellationToken) -> BoxFuture<'a, Measurement> {
        let measured = match &prepared.operation.kind {
            OperationKind::Http(operation) => Ok(Some(preview::measure(operation))),
            _ => Ok(None),
        };
        Box::pin(std::future::ready(measured))
    }

    fn run(&self, countersigned: Countersigned, port: RunPort, cancel: CancellationToken) -> BoxFuture<'_, RunReport> {
        Box::pin(async move {
            let started = Instant::now();
            let OperationKind::Http(operation) = &countersigned.operation().kind else {
                return super::foreign(started);
            };
            let sink = Sink::new(port.clone());
            let limit = self.bench.time_limit;
            let done = tokio::select! {
                done = self.exchange(operation, &countersigned, &sink) => Some(done),
                () = cancel.cancelled() => None,
                () = sleep(Duration::from_secs(limit)) => {
                    let text = sink.finish(self.bench.result_limit).await;
                    let result = format!("stopped at the time limit of {limit} s\n{text}");
                    return RunReport { outcome: Outcome::TimedOut { seconds: limit }, result, took: started.elapsed() };
                }
            };
            let text = sink.finish(self.bench.result_limit).await;
            // It is the request's own host: where a redirect leads elsewhere, that isn't followed.
            if let Some(Err(error @ HttpError::NotPublic(..))) = &done {
                port.send(RunEvent::Note(error.to_string())).await;
                port.send(RunEvent::Stopped).await;
            }
            match done {
                None => super::cancelled(started),
                Some(Ok(outcome)) => RunReport { outcome, result: text, took: started.elapsed() },
                Some(Err(error)) if text.is_empty() => super::failed(error.to_string(), started),
                Some(Err(error)) => {
                    let reason = error.to_string();
                    let result = format!("error: {reason}\n{text}");
                    RunReport { outcome: Outcome::Failed { reason }, result, took: started.elapsed() }
                }
            }
        })
    }
}

impl HttpTool {
    /// Sends, follows, and writes the answer into the sink.
    async fn exchange(
        &self,
        operation: &HttpOperation,
        run: &Countersigned,
        sink: &Sink,
    ) -> Result<Outcome, HttpError> {
        let first = Request::of(operation)?;
        let (request, response) = self.follow(first, run, sink).await?;
        reply::tell(&request, response, sink).await
    }
}

#[cfg(test)]
mod tests;
