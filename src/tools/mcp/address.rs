//! A server behind an address: streamable HTTP, with the headers of the configuration.

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};

use super::frames::MESSAGE;

/// Time to reach a server.
const CONNECT: Duration = Duration::from_secs(10);

/// What speaks to an address. Follows no redirect: the headers are for this one.
pub(super) fn transport(
    url: &str,
    headers: &[(String, String)],
) -> Result<StreamableHttpClientTransport<Client>, String> {
    let mut named = HashMap::new();
    for (name, value) in headers {
        let refused = || format!("the header {name} can't be sent");
        let mut value = HeaderValue::from_str(value).map_err(|_| refused())?;
        value.set_sensitive(true);
        named.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused())?, value);
    }
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Somebody else may have been first: then theirs is used.
        let _installed = rustls::crypto::ring::default_provider().install_default();
    }
    let client = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|error| format!("no client could be made: {error}"))?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(named)
        .max_sse_event_size(MESSAGE)
        .max_json_response_size(MESSAGE);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// What to do about an address that doesn't answer as it should. None where the error says it itself.
pub(super) fn advice(error: &(dyn Error + 'static)) -> Option<String> {
    let mut error = error;
    let met = loop {
        match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            Some(met) => break met,
            None => error = error.source()?,
        }
    };
    let status = match met {
        StreamableHttpError::AuthRequired(_) => 401,
        StreamableHttpError::InsufficientScope(_) => 403,
        StreamableHttpError::ServerDoesNotSupportSse => 405,
        StreamableHttpError::UnexpectedContentType(_) => 404,
        StreamableHttpError::HttpStatus(met) => met.status,
        StreamableHttpError::UnexpectedServerResponse(said) => {
            said.strip_prefix("HTTP ")?.split(' ').next()?.trim_end_matches(':').parse().ok()?
        }
        _ => return None,
    };
    match status {
        401 | 403 => Some(format!(
            "it wants you to sign in (HTTP {status}). There is no sign-in by browser here: get a token where the server \
             gives them and write it down as \"headers\": {{ \"Authorization\": \"Bearer ${{NAME}}\" }}, with the \
             token in the variable NAME"
        )),
        404 | 405 | 406 | 415 => Some(
            "nothing there speaks streamable HTTP. An address that ends in /sse belongs to the old transport, which isn't \
             spoken here: write down the server's newer address, which often ends in /mcp"
                .to_owned(),
        ),
        _ => None,
    }
}
