//! What a server says of its models: their names, and how many tokens each takes. Every sort of server says it in
//! another place; what it doesn't say stays unknown.

use serde_json::Value;
use url::Url;

use super::super::settings::ProviderKind;
use super::{ASIDE, Line, MOST_LIST, Trouble};
use crate::domain::{FailureKind, ModelFailure};

/// A model that a server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name there.
    pub id: String,
    /// Tokens that it takes, where the server says so.
    pub context: Option<u64>,
}

/// Most models that are kept of one list.
const MOST: usize = 2_000;
/// Longest name of a model.
const LONGEST: usize = 200;

impl Line {
    /// Asks the server which models it has: those that can chat, in its order.
    pub(super) async fn list(&self, http: &reqwest::Client) -> Result<Vec<Listed>, Trouble> {
        let scene = self.scene();
        let mut request = http.get(self.list_address()).timeout(self.patience.min(ASIDE));
        for (name, value) in self.chat_headers() {
            request = request.header(name, value);
        }
        let mut response = request.send().await.map_err(|error| scene.connection(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(bytes) = response.chunk().await.map_err(|error| scene.connection(&error))? {
            body.extend_from_slice(&bytes);
            if body.len() > MOST_LIST {
                return Err(scene.garbled());
            }
        }
        if !status.is_success() {
            return Err(scene.status(status.as_u16(), &String::from_utf8_lossy(&body), &headers));
        }
        let list: Value = serde_json::from_slice(&body).map_err(|_| scene.garbled())?;
        Ok(read(&list))
    }

    /// The first model of the server.
    pub(super) async fn first_model(&self, http: &reqwest::Client) -> Result<String, Trouble> {
        let listed = self.list(http).await?;
        match listed.into_iter().next() {
            Some(first) => {
                self.learn(first.context);
                Ok(first.id)
            }
            None => Err(Trouble {
                failure: ModelFailure {
                    kind: FailureKind::NotFound,
                    message: format!(
                        "{} has no model yet. Load one there, or name one with --model, then send the message again.",
                        self.place
                    ),
                },
                again: None,
            }),
        }
    }

    /// Where the list is: all of it on one page.
    fn list_address(&self) -> Url {
        let mut url = self.endpoint.call("models");
        match self.settings.kind() {
            ProviderKind::OpenAi | ProviderKind::Ollama => {}
            ProviderKind::Anthropic => drop(url.query_pairs_mut().append_pair("limit", "1000")),
            ProviderKind::Gemini => drop(url.query_pairs_mut().append_pair("pageSize", "1000")),
        }
        url
    }
}

/// The models of a list that aren't plainly made for something else than chatting.
fn read(list: &Value) -> Vec<Listed> {
    let models = list.get("data").or_else(|| list.get("models")).and_then(Value::as_array);
    models.into_iter().flatten().filter_map(model).take(MOST).collect()
}

fn model(model: &Value) -> Option<Listed> {
    let id = ["id", "name"].iter().find_map(|key| model.get(key)).and_then(Value::as_str)?;
    let id = id.strip_prefix("models/").unwrap_or(id);
    if id.is_empty() || id.len() > LONGEST || id.chars().any(char::is_control) {
        return None;
    }
    let lower = id.to_ascii_lowercase();
    let other = ["embed", "rerank", "whisper", "tts", "dall-e", "moderation"].iter().any(|word| lower.contains(word));
    let methods = model.get("supportedGenerationMethods").and_then(Value::as_array);
    let chats = methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"));
    (!other && chats).then(|| Listed { id: id.to_owned(), context: context(model) })
}

/// OpenRouter, vLLM, LM Studio, llama.cpp (what it was started with comes before what the model was made for),
/// Gemini, Anthropic.
fn context(model: &Value) -> Option<u64> {
    const PLACES: [&str; 10] = [
        "/top_provider/context_length",
        "/context_length",
        "/max_model_len",
        "/loaded_context_length",
        "/max_context_length",
        "/meta/n_ctx",
        "/meta/n_ctx_train",
        "/inputTokenLimit",
        "/max_input_tokens",
        "/context_window",
    ];
    PLACES.iter().find_map(|place| model.pointer(place)).and_then(Value::as_u64).filter(|tokens| *tokens >= 512)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_sort_of_list_is_read() {
        let listed = |id: &str, context| Listed { id: id.to_owned(), context };
        let list = json!({"data": [
            {"id": "text-embedding-3"},
            {"id": "a/b", "context_length": 131_072, "top_provider": {"context_length": 65_536}},
            {"id": "c", "meta": {"n_ctx_train": 32_768}},
            {"id": "d\u{1b}[2J"},
            {"id": "e", "max_model_len": 3},
        ]});
        assert_eq!(read(&list), [listed("a/b", Some(65_536)), listed("c", Some(32_768)), listed("e", None)]);
        let gemini = json!({"models": [
            {"name": "models/gemini-x", "inputTokenLimit": 1_048_576, "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/imagen", "supportedGenerationMethods": ["predict"]},
        ]});
        assert_eq!(read(&gemini), [listed("gemini-x", Some(1_048_576))]);
        assert!(read(&json!({"data": "x"})).is_empty() && read(&json!([])).is_empty());
    }
}
