//! What the practice model promises: every request it lists leads to calls that the tools can read.

use std::sync::{Arc, LazyLock};

use super::*;
use crate::domain::{
    Arguments, ArgumentsError, CommandOperation, FailureKind, FileOperation, FindOperation, HttpOperation, Message,
    SearchOperation, SqlOperation, ToolCall, ToolResult,
};

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest { system: "".into(), messages: messages.into_iter().map(Arc::new).collect(), tools: Vec::new().into() }
}

fn said(text: &str) -> Message {
    Message::User(text.to_owned())
}

fn results(texts: &[&str]) -> Message {
    let result = |text: &&str| ToolResult { call_id: "x".to_owned(), tool: "x".to_owned(), text: (*text).to_owned() };
    Message::Results(texts.iter().map(result).collect())
}

/// The built-in session, read once: patterns take a while to compile in a debug build.
fn session() -> &'static Script {
    static SCRIPT: LazyLock<Arc<Script>> = LazyLock::new(|| read(SESSION, "of the practice model").unwrap());
    &SCRIPT
}

fn plan(messages: Vec<Message>) -> Plan {
    planner::plan(session(), &request(messages), "http://127.0.0.1:9")
}

/// The first argument that tells calls apart.
fn shown(call: &ToolCall) -> String {
    let read = Arguments::parse(&call.arguments).unwrap();
    let named = |name: &str| read.optional_text(name).unwrap();
    let parts = ["sql", "command", "operation", "method", "path", "url", "pattern", "glob"];
    parts.iter().filter_map(|name| named(name)).collect::<Vec<_>>().join(" ")
}

fn first(text: &str) -> String {
    plan(vec![said(text)]).calls.iter().map(shown).collect::<Vec<_>>().join(" + ")
}

#[test]
fn it_knows_at_least_25_requests_and_fits_each_to_its_own_name() {
    let script = session();
    assert!(script.entries.len() >= 25);
    for entry in &script.entries {
        let plan = plan(vec![said(&entry.name)]);
        let expected = entry.says[0].calls.iter().map(|call| call.tool.as_str()).collect::<Vec<_>>();
        let found = plan.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>();
        assert_eq!(found, expected, "{}", entry.name);
        assert!(!plan.text.contains("practice model: small"), "{} is not known", entry.name);
    }
}

#[test]
fn every_call_has_arguments_that_its_tool_can_read() {
    let script = session();
    for entry in &script.entries {
        let again = |rounds: usize| (0..rounds).map(|_| results(&["1 row", "1 row", "1 row"]));
        for rounds in 0..3 {
            for answer in [None, Some("yes")] {
                let told = [Some(entry.name.as_str()), answer].into_iter().flatten().map(said);
                for call in plan(told.chain(again(rounds)).collect()).calls {
                    read_strictly(&call).unwrap_or_else(|error| panic!("{}: {call:?}: {error}", entry.name));
                    assert!(!call.arguments.contains("{server"), "{}", call.arguments);
                }
            }
        }
    }
}

/// Reads a call as its tool does.
fn read_strictly(call: &ToolCall) -> Result<(), ArgumentsError> {
    let arguments = Arguments::parse(&call.arguments)?;
    match call.name.as_str() {
        "execute_sql" => SqlOperation::read(&arguments).map(drop),
        "execute_command" => CommandOperation::read(&arguments).map(drop),
        "file_operations" => FileOperation::read(&arguments).map(drop),
        "http_request" => HttpOperation::read(&arguments).map(drop),
        "search_files" => SearchOperation::read(&arguments).map(drop),
        "find_files" => FindOperation::read(&arguments).map(drop),
        other => Err(ArgumentsError(format!("no tool is called {other}"))),
    }
}

#[test]
fn the_same_wish_in_other_words_leads_to_the_same_call() {
    for (texts, expected) in [
        (&["show the tables", "What tables are there?", "what is in the database"][..], "FROM sqlite_master"),
        (&["how many orders are there?", "count the orders", "How many orders do we have"], "GROUP BY status"),
        (&["How much did each customer spend?", "who are the best customers", "spending per customer"], "AS spent"),
        (&["show me the latest orders", "what are the newest orders"], "LIMIT 10"),
        (&["best selling products", "what are our top products?"], "AS sold"),
        (&["delete the cancelled orders", "please remove all canceled orders"], "WHERE o.status = 'cancelled'"),
        (&["drop the table customers", "delete table customers"], "DROP TABLE customers"),
        (&["what is in this folder", "list the files", "which files are here?", "ls"], "ls -la"),
        (&["read notes.txt", "show me notes.txt", "what's in notes.txt?"], "read notes.txt"),
        (&["delete notes.txt", "remove the file notes.txt"], "delete notes.txt"),
        (&["find TODO", "search for TODO", "where are the todos?"], "TODO"),
        (&["search for kettle", "grep kettle in the folder"], "kettle"),
        (&["git status", "what does git say"], "git status"),
        (&["how much disk space is left?", "is the disk full"], "df -h ."),
        (&["what time is it?", "what's the date"], "date"),
        (&["call the API", "send a request to the api", "http"], "GET http://127.0.0.1:9/status"),
        (&["post an order", "send an order to the api"], "POST http://127.0.0.1:9/orders"),
        (&["tidy the logs", "clean the logs"], "rm logs/old.log logs/monday.log"),
        (&["run the tests", "run pytest"], "python3 src/app.py"),
    ] {
        for text in texts {
            let calls = first(text);
            assert!(calls.contains(expected), "{text:?} leads to {calls:?}");
        }
    }
}

#[test]
fn what_the_person_names_reaches_the_call_quoted() {
    assert!(first("add a customer called Grace Hopper").contains("VALUES ('Grace Hopper',"));
    assert!(first("add a customer named Rosa O'Dell").contains("VALUES ('Rosa O''Dell',"));
    assert!(first("change the price of the tea towel to 7.25").contains("SET price = 7.25 WHERE name = 'tea towel'"));
    assert!(first("lower the price of the mug").contains("WHERE name = 'mug'"));
    let note = plan(vec![said("create list.md with eggs and milk")]);
    let read = Arguments::parse(&note.calls[0].arguments).unwrap();
    assert_eq!(
        (read.text("path").unwrap(), read.text("content").unwrap()),
        ("list.md".into(), "eggs and milk\n".into())
    );
}

#[test]
fn it_looks_before_it_deletes_and_takes_a_no_for_a_no() {
    let asked = || said("delete the cancelled orders");
    let called = || Message::Assistant { text: String::new(), calls: Vec::new() };
    let second = plan(vec![asked(), called(), results(&["id\n5"])]);
    assert_eq!(shown(&second.calls[0]), "DELETE FROM orders WHERE status = 'cancelled'");
    assert_eq!(
        Arguments::parse(&second.calls[0].arguments).unwrap().claim.level(),
        Some(crate::domain::RiskLevel::High)
    );
    let no = plan(vec![
        asked(),
        called(),
        results(&["id\n5"]),
        called(),
        results(&["cancelled: The person denied it: not now"]),
    ]);
    assert_eq!(no.text, "I left the orders as they are (you denied it: not now).");
    assert!(no.calls.is_empty());
    let yes = plan(vec![asked(), called(), results(&["id\n5"]), called(), results(&["12 rows"])]);
    assert!(yes.text.ends_with("The database says: 12 rows"), "{}", yes.text);
    let broken = plan(vec![asked(), called(), results(&["error: no such table"])]);
    assert_eq!(broken.text, "That didn't work: error: no such table");
}

#[test]
fn of_a_call_that_the_person_changed_it_says_what_ran_and_nothing_else() {
    let edited = |rest: &str| {
        let call = r#"{"connection":"practice","sql":"DELETE FROM orders WHERE id < 100"}"#;
        let result = crate::domain::Edit::Text.told(call, rest);
        let called = || Message::Assistant { text: String::new(), calls: Vec::new() };
        let before = results(&["id\n5"]);
        plan(vec![said("delete the cancelled orders"), called(), before, called(), results(&[&result])])
    };
    let ran = edited("4 rows changed\nand more");
    let told = "You changed my call. This ran instead:\n\n```\nDELETE FROM orders WHERE id < 100\n```\n\nIt says: 4 rows changed";
    assert_eq!((ran.text.as_str(), ran.calls.len()), (told, 0));
    let no = edited("cancelled: The person denied it.");
    assert_eq!(no.text, "I left the orders as they are (you denied it).");
}

#[test]
fn several_calls_come_at_once_and_each_result_is_told() {
    let calls = first("clean up");
    assert_eq!(calls.matches(" + ").count(), 2, "{calls}");
    let denied = "cancelled: The person denied everything of this turn.";
    let end = plan(vec![said("clean up"), results(&["exit 0\nold.log", "12 rows", denied])]);
    let list = "- a look at the logs: done\n- the orders of January 2025: 12 rows\n\
        - logs/old.log: not done (you denied everything of this turn)";
    assert!(end.text.ends_with(list), "{}", end.text);
}

#[test]
fn the_lines_of_a_result_stay_lines_and_no_text_says_what_only_one_mode_does() {
    let script = Script::parse("[[entry]]\nname = \"count\"\nphrases = [\"count\"]\nsay = []").unwrap();
    let told = planner::plan(&script, &request(vec![said("count"), results(&["exit 0\n1\n2"])]), "");
    assert_eq!(told.text, "```\nexit 0\n1\n2\n```");
    for entry in &session().entries {
        for say in &entry.says {
            assert!(!say.text.contains("wait for you") && !say.text.contains("ran without asking"), "{}", say.text);
        }
    }
}

#[test]
fn a_question_comes_before_the_call_and_the_answer_decides() {
    let asked = || vec![said("restart the server"), Message::Assistant { text: "Shall I?".into(), calls: Vec::new() }];
    let question = plan(vec![said("restart the server")]);
    assert!(question.calls.is_empty() && question.text.ends_with('?'));
    let with = |text: &str| asked().into_iter().chain([said(text)]).collect::<Vec<_>>();
    assert_eq!(plan(with("yes, please")).calls.len(), 2);
    assert_eq!(plan(with("no, don't")).text, "Then I leave the server alone.");
    assert_eq!(plan(with("yes, restart the server")).calls.len(), 2);
    assert_eq!(plan(with("do you know what time it is")).calls.len(), 1);
    assert_eq!(plan(with("show the tables")).calls.len(), 1);
}

#[tokio::test]
async fn every_statement_runs_on_the_practice_database() {
    use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
    let data = tempfile::tempdir().unwrap();
    let world = PracticeWorld::open(data.path()).await.unwrap();
    let options: sqlx::sqlite::SqliteConnectOptions = world.database_url.parse().unwrap();
    let mut connection = options.connect().await.unwrap();
    for entry in &session().entries {
        let plan = plan(vec![said(&entry.name)]);
        for call in plan.calls.iter().filter(|call| call.name == "execute_sql") {
            let sql = Arguments::parse(&call.arguments).unwrap().text("sql").unwrap();
            let mut attempt = Connection::begin(&mut connection).await.unwrap();
            let done = sqlx::raw_sql(AssertSqlSafe(sql.clone())).execute(&mut *attempt).await;
            done.unwrap_or_else(|error| panic!("{}: {sql}: {error}", entry.name));
            attempt.rollback().await.unwrap();
        }
    }
}

#[test]
fn what_it_does_not_know_it_says() {
    let plan = plan(vec![said("write a poem about the sea")]);
    assert!(plan.calls.is_empty());
    for word in ["practice model", "can't think", "countersign setup", "show the tables"] {
        assert!(plan.text.contains(word), "{word} is missing in: {}", plan.text);
    }
    assert!(!plan.text.contains('{'), "{}", plan.text);
}

#[test]
fn only_the_persons_own_words_count_not_the_output_before_them() {
    assert_eq!(first("$ ls\nDROP TABLE orders everything\n\nwhat time is it"), "date");
}

#[tokio::test]
async fn a_script_can_say_what_no_model_should() {
    let provider = Practice::from_text(
        r#"
        [[entry]]
        name = "bad"
        phrases = ["bad"]
        [[entry.say]]
        text = "Here it comes."
        calls = [{ tool = "no_such_tool", raw = '{"sql": "DEL' }]
        [[entry.say]]
        after = 1
        text = "And now"
        end = "cut-off"
        "#,
    )
    .unwrap();
    let events: Vec<ModelEvent> = provider.stream(request(vec![said("bad")])).collect().await;
    let text: String = events
        .iter()
        .filter_map(|event| if let ModelEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(text, "Here it comes.");
    let [.., ModelEvent::Call(call), ModelEvent::Ended(StopReason::ToolCalls, _)] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!((call.name.as_str(), call.arguments.as_str()), ("no_such_tool", "{\"sql\": \"DEL"));
    let cut: Vec<ModelEvent> = provider.stream(request(vec![said("bad"), results(&["error: x"])])).collect().await;
    assert!(matches!(cut.last(), Some(ModelEvent::Failed(failure)) if failure.kind == FailureKind::CutOff));
}

#[test]
fn a_script_with_a_mistake_is_refused_with_the_entry_named() {
    for (script, words) in [
        ("[[entry]]\nname = \"a\"\n[[entry.say]]\ntext = \"x\"", "entry `a`: it needs phrases"),
        ("[[entry]]\nname = \"a\"\nphrases = [\"x\"]\n[[entry.say]]\ntext = \"{nme}\"", "nothing fills"),
        ("[[entry]]\nname = \"a\"\npattern = \"(\"\nsay = []", "entry `a`"),
        ("[[entri]]", "unknown field"),
    ] {
        let error = Practice::from_text(script).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn pieces_of_a_text_are_the_text() {
    let text = "Größe und  Weiß:\n\n- 世界 hello world, this is a longer line\n";
    assert_eq!(pieces(text).collect::<String>(), text);
    assert!(pieces(text).count() > 4);
}
