//! What is put into an agent's settings and taken out again, to the byte.

use std::path::PathBuf;

use countersign::agents::{self, Agent};
use serde_json::{Value, json};

use super::{Person, harmless, holds, with_input};

/// The file that holds an agent's hooks, and an existing one of its kind.
fn settings(person: &Person, agent: &dyn Agent, project: bool) -> PathBuf {
    let places = agent.places();
    if project { person.project.join(places.project) } else { person.home.join(places.folder).join(places.user) }
}

#[test]
fn an_installed_hook_is_shown_asked_about_and_comes_out_to_the_byte() {
    let files = [
        None,
        Some("{}"),
        Some("{\n  \"model\": \"x\",\n  \"env\": {\"KEY\": \"v\"}\n}\n"),
        Some(
            "{\n\t\"hooks\": {\n\t\t\"Stop\": [{\"hooks\": []}],\n\t\t\"PreToolUse\": [],\n\t\t\"preToolUse\": [{\"command\": \"x\"}]\n\t}\n}",
        ),
    ];
    for agent in agents::ALL {
        for (before, project) in files.iter().flat_map(|file| [(file, false), (file, true)]) {
            let person = Person::new();
            let file = settings(&person, agent, project);
            if let Some(text) = before {
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(&file, text).unwrap();
            }
            let flag: &[&str] = if project { &["--project"] } else { &[] };
            let words = |verb: &str, more: &[&'static str]| {
                let mut words = vec!["hook".to_owned(), verb.to_owned(), agent.name().to_owned()];
                words.extend(flag.iter().chain(more).map(|word| (*word).to_owned()));
                words
            };
            let run = |words: Vec<String>, input: &str| {
                person.countersign(&words.iter().map(String::as_str).collect::<Vec<_>>(), input)
            };
            let declined = run(words("install", &[]), "n\n");
            let shown = String::from_utf8_lossy(&declined.stdout).into_owned();
            assert!(shown.contains('+') && shown.contains("hook") && shown.contains("Nothing was changed"), "{shown}");
            assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), *before, "a no changes nothing");

            let silent = run(words("install", &[]), "");
            let told = String::from_utf8_lossy(&silent.stderr).into_owned();
            assert!(!silent.status.success() && told.contains("nobody is there to answer"), "{silent:?}");
            assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), *before, "nor does nobody");

            let installed = run(words("install", &[]), "y\n");
            assert!(installed.status.success(), "{installed:?}");
            let text = std::fs::read_to_string(&file).unwrap();
            serde_json::from_str::<Value>(&text).unwrap();
            assert!(text.contains("countersign") && text.contains(agent.name()), "{text}");
            let again = run(words("install", &["--yes"]), "");
            assert!(String::from_utf8_lossy(&again.stdout).contains("already asks"), "{again:?}");
            let status = String::from_utf8_lossy(&person.countersign(&["hook", "status"], "").stdout).into_owned();
            assert!(status.contains(&format!("({}): asks", agent.name())), "{status}");

            let changed = run(words("install", &["--yes", "--advise"]), "");
            assert!(std::fs::read_to_string(&file).unwrap().contains("--advise"), "{changed:?}");
            let out = run(words("uninstall", &["--yes"]), "");
            assert!(out.status.success(), "{out:?}");
            assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), *before, "{}: {out:?}", agent.name());
        }
    }
}

#[test]
fn folders_that_were_made_go_with_the_file_unless_something_else_lies_in_them() {
    for agent in agents::ALL {
        for (project, used) in [(false, false), (true, false), (true, true)] {
            let person = Person::new();
            let file = settings(&person, agent, project);
            let base = if project { &person.project } else { &person.home };
            let outermost = file.ancestors().find(|folder| folder.parent() == Some(base)).unwrap();
            assert!(!outermost.exists());
            let flag: &[&str] = if project { &["--project", "--yes"] } else { &["--yes"] };
            let run = |words: &[&str]| {
                let output = person.countersign(&[&["hook"], words, &[agent.name()], flag].concat(), "");
                assert!(output.status.success(), "{output:?}");
            };
            run(&["install"]);
            person.countersign(&[&["hook", "install", agent.name(), "--advise"], flag].concat(), "");
            if used {
                std::fs::write(file.parent().unwrap().join("mine"), "x").unwrap();
            }
            run(&["uninstall"]);
            assert_eq!(outermost.exists(), used, "{}: {}", agent.name(), file.display());
            // One that was there before stays, empty as it is.
            let person = Person::new();
            let file = settings(&person, agent, project);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            for verb in ["install", "uninstall"] {
                person.countersign(&[&["hook", verb, agent.name()], flag].concat(), "");
            }
            assert!(file.parent().unwrap().exists() && !file.exists());
        }
    }
}

#[test]
fn what_a_person_changed_since_stays_and_is_said() {
    let person = Person::new();
    let agent = agents::named("claude-code").unwrap();
    let file = settings(&person, agent, false);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{\n  \"model\": \"x\"\n}\n").unwrap();
    assert!(person.countersign(&["hook", "install", "claude-code", "--yes"], "").status.success());
    let text = std::fs::read_to_string(&file).unwrap().replace("\"model\": \"x\"", "\"model\": \"y\"");
    std::fs::write(&file, &text).unwrap();
    let status = person.countersign(&["hook", "status"], "");
    assert!(String::from_utf8_lossy(&status.stdout).contains("changed since"), "{status:?}");
    let out = person.countersign(&["hook", "uninstall", "claude-code", "--yes"], "");
    assert!(String::from_utf8_lossy(&out.stdout).contains("was changed since"), "{out:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{\n  \"model\": \"y\"\n}\n");

    // Changed in the middle of what went in: the entry goes, the rest stays.
    assert!(person.countersign(&["hook", "install", "claude-code", "--yes"], "").status.success());
    let text = std::fs::read_to_string(&file).unwrap().replace("\"timeout\": 30", "\"timeout\": 31");
    std::fs::write(&file, text).unwrap();
    let out = person.countersign(&["hook", "uninstall", "claude-code", "--yes"], "");
    assert!(String::from_utf8_lossy(&out.stdout).contains("changed by hand"), "{out:?}");
    let left: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(left, json!({ "model": "y", "hooks": { "PreToolUse": [] } }));
}

#[test]
fn a_file_with_comments_is_left_alone_and_the_way_by_hand_is_told() {
    let person = Person::new();
    let file = settings(&person, agents::named("gemini-cli").unwrap(), false);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = "{\n  // mine\n  \"theme\": \"x\"\n}\n";
    std::fs::write(&file, text).unwrap();
    let output = person.countersign(&["hook", "install", "gemini-cli", "--yes"], "");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains("left as it is") && told.contains("BeforeTool"), "{told}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

/// The command that an installed file has an agent run.
fn installed_command(value: &Value) -> Option<String> {
    match value {
        Value::Object(members) => members
            .iter()
            .find(|(name, value)| {
                (*name == "command" || *name == "bash")
                    && value.as_str().is_some_and(|text| text.contains("ountersign"))
            })
            .and_then(|(_, value)| value.as_str().map(str::to_owned))
            .or_else(|| members.values().find_map(installed_command)),
        Value::Array(items) => items.iter().find_map(installed_command),
        _ => None,
    }
}

#[test]
fn the_installed_command_answers_and_asks_when_the_program_is_gone() {
    for agent in agents::ALL {
        let person = Person::new();
        assert!(person.countersign(&["hook", "install", agent.name(), "--yes"], "").status.success());
        let file = settings(&person, agent, false);
        let command =
            installed_command(&serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap()).unwrap();
        let sent = harmless(agent, &person.project).to_string();
        let answered = with_input(person.command("/bin/sh").args(["-c", &command]), &sent);
        assert!(answered.status.success() && !holds(&answered), "{}: {answered:?}", agent.name());
        let gone = format!("'/nonexistent/countersign{}", &command[command.find("' hook").unwrap()..]);
        let asked = with_input(person.command("/bin/sh").args(["-c", &gone]), &sent);
        assert!(holds(&asked), "{}: {asked:?}", agent.name());
    }
}
