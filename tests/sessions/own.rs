//! What the person runs themself, and what the model is told of it.

use crate::model::Model;
use crate::sitting::Sitting;

#[test]
fn of_what_the_person_runs_the_model_reads_no_secret_that_the_screen_masks() {
    let home = crate::home();
    std::fs::write(home.path().join("workspace/hist.log"), "first line\nDB_PASSWORD=hunter2hunter2\n").unwrap();
    let model = Model::start();
    let config = home.path().join("config.toml");
    std::fs::write(&config, format!("[provider]\nkind = 'openai'\nbase_url = '{}'\nmodel = 'm'\n", model.url)).unwrap();
    let mut it = Sitting::start(home.path(), &["--config", config.to_str().unwrap()], |_| None);
    it.say("! cat hist.log");
    it.wait_for("operation 1 done");
    it.say("what is in it?");
    it.wait_for("All of that is done.");
    let asked: String = model.heard().last().unwrap().iter().map(ToString::to_string).collect();
    assert!(asked.contains("I ran this myself") && asked.contains("first line"), "{asked}");
    assert!(!asked.contains("hunter2") && asked.contains("masked"), "{asked}");
    it.say("quit");
    it.wait_for("The session is kept.\nTo go on with it here: countersign");
    assert!(it.end().1.success());
}

/// While the practice model answers its database is lent to who has none; it goes with that model.
#[test]
fn the_practice_database_is_the_persons_only_while_that_model_answers() {
    let home = crate::home();
    let model = Model::start();
    let config = home.path().join("config.toml");
    std::fs::write(&config, format!("[models.real]\nkind = 'openai'\nbase_url = '{}'\nmodel = 'm'\n", model.url))
        .unwrap();
    let words = ["--config", config.to_str().unwrap(), "--provider", "practice"];
    let mut it = Sitting::start(home.path(), &words, |_| None);
    it.say("/sql SELECT count(*) FROM orders");
    it.wait_for("operation 1 done");
    it.say("/model real");
    it.wait_for("answers here");
    it.say("/sql SELECT count(*) FROM orders");
    it.wait_for("There is no connection");
    it.say("! echo still-$((40+2))");
    it.wait_for("still-42");
    assert!(it.end().1.success());
}
