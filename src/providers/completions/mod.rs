//! OpenAI's chat completions in our own words: most providers and all local servers speak them. A request is put
//! together from parts that were serialised once, as otherwise each call of a long turn would write the whole
//! conversation anew; an answer is read delta by delta. Pure but for reading the answer's bytes; `remote` sends.
//!
//! Source: OpenAI's API reference, "Create chat completion" and its streaming events.

mod answer;
mod body;

pub(super) use answer::answer;
pub(super) use body::Body;
