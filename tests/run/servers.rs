//! MCP servers in a run that nobody watches.

use super::*;

impl World {
    /// Writes down the scripted server `s`, which behaves as `mode` says, and a rule where one is given. False without a
    /// python.
    fn server(&self, mode: &str, extra: &Value, rule: &str) -> bool {
        let python = Command::new("python3").arg("--version").output().is_ok_and(|said| said.status.success());
        let folder = self.home.path().join(".config/countersign");
        std::fs::create_dir_all(&folder).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/server.py");
        let mut entry = json!({ "command": "python3", "args": [script, mode, self.path("notes")] });
        entry.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        std::fs::write(folder.join("mcp.json"), json!({ "mcpServers": { "s": entry } }).to_string()).unwrap();
        std::fs::write(folder.join("config.toml"), rule).unwrap();
        python
    }

    /// What the program prints of the server's tools.
    fn tools(&self) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
        command.args(["mcp", "tools", "s"]).env("HOME", self.home.path()).current_dir(self.path(""));
        String::from_utf8(command.env("COUNTERSIGN_DATA", self.home.path().join("data")).output().unwrap().stdout)
            .unwrap()
    }
}

fn calls(tool: &'static str) -> Model {
    Model::start(vec![Reply::Calls("", vec![(tool, json!({ "text": "hello" }))]), Reply::Text("Done.")])
}

#[test]
fn a_remembered_tool_runs_until_its_server_says_something_else_of_it() {
    let world = World::new();
    if !world.server("good", &json!({}), "") {
        return;
    }
    let tools = world.tools();
    let schema = tools.split("tool change, schema ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let rule = format!(
        "[[rules]]\neffect = 'allow'\ntool = 'mcp__s__change'\n\
         match = {{ server = 's', tool = 'change', schema = '{schema}' }}\n"
    );
    world.server("good", &json!({}), &rule);
    let model = calls("mcp__s__change");
    let ended = world.ask(&model, &["change it"]);
    assert_eq!(ended.code, Some(0), "{}", ended.error);
    assert!(model.asked(1).contains("hello"), "{}", model.asked(1));
    // Another day the server describes the tool in other words.
    std::fs::write(world.path("notes.other"), "").unwrap();
    let model = calls("mcp__s__change");
    let ended = world.ask(&model, &["change it"]);
    assert!(model.asked(1).contains("Its server describes it differently since you allowed it"), "{}", model.asked(1));
    assert!(!model.asked(1).contains("hello"), "{}", ended.error);
}

#[test]
fn what_a_server_asks_is_refused_where_nobody_is_there() {
    let world = World::new();
    if !world.server("form", &json!({ "elicitation": true }), "") {
        return;
    }
    let model = calls("mcp__s__echo");
    world.ask(&model, &["-y", "ask me"]);
    assert!(model.asked(1).contains(r#""action": "decline""#), "{}", model.asked(1));
}
