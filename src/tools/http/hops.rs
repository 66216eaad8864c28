//! Follows redirects by hand. A hop is judged like a request of its own: it may not be judged worse than what
//! was countersigned, and it doesn't carry secrets to another host. Where nobody was asked it stays at its server,
//! since rules and named hosts were judged for that one alone.

use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, LOCATION, USER_AGENT};
use reqwest::{Method, Response, Url};

use super::super::sink::Sink;
use super::{HttpError, HttpTool, Reach, Request, asked, reach};
use crate::assess::{HttpAssessor, Subject, assess};
use crate::domain::{Countersigned, HttpOperation, Operation, OperationKind};

/// Redirects that are followed.
const HOPS: usize = 5;

impl HttpTool {
    /// Sends a request and follows where its answers lead. Gives the last request with its answer.
    pub(super) async fn follow(
        &self,
        first: Request,
        run: &Countersigned,
        sink: &Sink,
    ) -> Result<(Request, Response), HttpError> {
        let agreed = first.url.clone();
        let mut request = first;
        let mut response = self.send(&request, reach(run, &agreed)).await?;
        for _ in 0..HOPS {
            let Some(next) = target(&request, &response) else { return Ok((request, response)) };
            let next = match next.and_then(|url| hop(&request, url)) {
                Ok(next) => next,
                Err(reason) => {
                    sink.say(&format!("[{reason}; the redirect is not followed]\n"));
                    return Ok((request, response));
                }
            };
            let elsewhere = !same_server(&agreed, &next.url);
            let unasked = (elsewhere && !asked(run.decider())).then(|| {
                "It leads to another server, and nobody was asked. Request it by itself, so that it can be decided"
                    .to_owned()
            });
            if let Some(objection) = unasked.or_else(|| self.objection(&next, run)) {
                sink.say(&format!("[redirect to {} not followed: {objection}]\n", shown(&next.url)));
                return Ok((request, response));
            }
            sink.say(&format!("{} redirects to {}\n", response.status(), shown(&next.url)));
            let reach = if elsewhere { Reach::Public } else { reach(run, &agreed) };
            response = match self.send(&next, reach).await {
                // Sending the first request again, to wherever its own host leads, would end here again.
                Err(error @ HttpError::NotPublic(..)) if elsewhere => {
                    sink.say(&format!("[not followed: {error}. Request it by itself, so that it can be decided]\n"));
                    return Ok((request, response));
                }
                sent => sent?,
            };
            request = next;
        }
        if target(&request, &response).is_some() {
            sink.say(&format!("[{HOPS} redirects were followed, no more]\n"));
        }
        Ok((request, response))
    }

    /// Why a hop may not be made without a decision of its own.
    fn objection(&self, next: &Request, run: &Countersigned) -> Option<String> {
        let headers = next
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        let kind = OperationKind::Http(HttpOperation {
            method: next.method.to_string(),
            url: next.url.to_string(),
            headers: headers.collect(),
            body: None,
        });
        let operation = Operation { kind, ..run.operation().clone() };
        let facts = &run.prepared().facts;
        let subject = Subject { operation: &operation, facts, settings: &self.bench.settings };
        let assessment = assess(&HttpAssessor, subject);
        if assessment.class() <= run.prepared().assessment.class() {
            return None;
        }
        let sentence = assessment.leading().map_or("It is not known to be safe.", |finding| &finding.sentence);
        Some(format!("{sentence} Request it by itself, so that it can be decided"))
    }
}

/// Whether a hop stays at the server that was agreed to: same host and port, or from plain to encrypted.
fn same_server(agreed: &Url, next: &Url) -> bool {
    let ports = (agreed.port_or_known_default(), next.port_or_known_default());
    agreed.host_str() == next.host_str() && (ports.0 == ports.1 || ports == (Some(80), Some(443)))
}

/// Where an answer leads, if it is a redirect that is followed at all.
fn target(request: &Request, response: &Response) -> Option<Result<Url, String>> {
    let followed = matches!(request.method, Method::GET | Method::HEAD)
        && matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| followed)?;
    let text = String::from_utf8_lossy(location.as_bytes());
    Some(request.url.join(&text).map_err(|error| format!("the answer's location can't be read: {error}")))
}

/// The request of a hop. Only harmless headers go along to another host.
fn hop(request: &Request, url: Url) -> Result<Request, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("the answer leads to {}, which is not http or https", url.scheme()));
    }
    let mut next = Request { url, body: None, ..request.clone() };
    if next.url.origin() != request.url.origin() {
        next.headers = [ACCEPT, ACCEPT_LANGUAGE, USER_AGENT]
            .into_iter()
            .filter_map(|name| request.headers.get(&name).map(|value| (name, value.clone())))
            .collect();
    }
    Ok(next)
}

/// A URL for a sentence: without user, password and query, which may hold secrets.
fn shown(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(url: &str) -> Request {
        let headers = [("Authorization", "secret"), ("X-Key", "secret"), ("Accept", "text/html")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let operation = HttpOperation { method: "GET".to_owned(), url: url.to_owned(), headers, body: None };
        Request::of(&operation).unwrap()
    }

    #[test]
    fn a_hop_to_another_host_carries_no_secret() {
        let to = |url: &str| hop(&request("https://a.example/x"), Url::parse(url).unwrap()).unwrap().headers;
        assert_eq!(to("https://a.example/y").len(), 3);
        for url in ["https://b.example/", "http://a.example/", "https://a.example:8443/"] {
            assert_eq!(to(url).keys().map(ToString::to_string).collect::<Vec<_>>(), ["accept"], "{url}");
        }
    }

    #[test]
    fn the_agreed_server_is_host_and_port() {
        let same = |a: &str, b: &str| same_server(&Url::parse(a).unwrap(), &Url::parse(b).unwrap());
        assert!(same("http://a.example/x", "https://a.example/y") && same("http://h:8080/", "http://h:8080/z"));
        assert!(!same("http://h/", "http://h:6379/") && !same("https://a.example/", "https://b.example/"));
    }
}
