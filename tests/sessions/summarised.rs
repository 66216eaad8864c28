//! A long conversation with a scripted model server: it is summarised before the model's limit, and says so; the journal
//! keeps the whole, and a session that is gone on with is not summarised anew.

use serde_json::Value;

use crate::model::Model;
use crate::sitting::{Sitting, sessions};

/// Tokens that the model takes.
const CONTEXT: usize = 6_000;

/// Whether a request asks for a summary.
fn summary(messages: &[Value]) -> bool {
    matches!(messages, [one] if one["content"].as_str().is_some_and(|text| text.starts_with("The transcript:")))
}

/// Bytes of what was sent; a token has at least three.
fn size(messages: &[Value]) -> usize {
    messages.iter().map(|message| message.to_string().len()).sum()
}

#[test]
fn a_long_conversation_is_summarised_once_and_kept_whole() {
    let home = crate::home();
    let model = Model::start();
    let config = home.path().join("config.toml");
    let text = format!("[provider]\nkind = 'openai'\nbase_url = '{}'\nmodel = 'm'\ncontext = {CONTEXT}\n", model.url);
    std::fs::write(&config, text).unwrap();
    let words = ["--config", config.to_str().unwrap()];
    let mut it = Sitting::start(home.path(), &words, |_| None);
    let message = |number: usize| format!("message-{number}-begins {} message-{number}-ends", "letter ".repeat(200));
    let mut sent = 0;
    while !model.heard().iter().any(|request| summary(request)) {
        sent += 1;
        assert!(sent < 40, "no summary after {sent} messages");
        it.say(&message(sent));
        it.wait_until("an answer", |told| told.matches("All of that is done.").count() >= sent);
    }
    it.wait_for("Earlier messages were summarised: ");
    it.wait_for("; the journal keeps the whole.");
    let requests = model.heard();
    assert!(
        requests.iter().all(|request| size(request) < CONTEXT * 3),
        "{:?}",
        requests.iter().map(|r| size(r)).collect::<Vec<_>>()
    );
    let last = requests.last().unwrap();
    let first = last[0]["content"].as_str().unwrap();
    assert!(first.contains("The model wrote this summary of it") && first.contains("All of that is done."), "{first}");
    assert!(!last.iter().any(|message| message.to_string().contains("message-1-begins")));
    assert!(it.end().1.success());

    // The journal has every message whole, and what the model is given of them now.
    let (shown, _) = sessions(home.path(), &["show", &crate::newest(home.path())]);
    for number in 1..=sent {
        assert!(shown.contains(&format!("message-{number}-ends")), "{number}\n{shown}");
    }
    let before = requests.len();
    let mut it = Sitting::start(home.path(), &["--continue", words[0], words[1]], |_| None);
    it.wait_for("this session goes on");
    it.wait_for("ready");
    let told_before = it.told().matches("All of that is done.").count();
    it.say("and now?");
    it.wait_until("an answer", |told| told.matches("All of that is done.").count() > told_before);
    let requests = model.heard();
    assert_eq!(requests.len(), before + 1, "one more request, and no summary");
    let last = requests.last().unwrap();
    assert!(last[0]["content"].as_str().unwrap().contains("The model wrote this summary of it"));
    assert!(!last.iter().any(|message| message.to_string().contains("message-1-begins")));
    assert!(it.end().1.success());
}
