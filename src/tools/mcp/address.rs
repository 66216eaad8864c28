//! A server behind an address: streamable HTTP, with the headers of the configuration.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

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
