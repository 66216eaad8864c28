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
    assert!(it.end().1.success());
}
