//! A real task of several steps: a third party's model server asks, PostgreSQL answers, a file is written, a
//! command runs. Left out aloud where either server isn't there.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::driver::Driver;
use super::left_out::left_out;
use super::model_server::server;

/// What the model says, step by step. `schema` keeps runs apart.
fn fixtures(schema: &str) -> String {
    let call = |id: &str, name: &str, arguments: serde_json::Value| serde_json::json!({ "id": id, "name": name, "arguments": arguments });
    let sql = format!("SELECT item, amount FROM {schema}.sales ORDER BY amount DESC");
    let write = serde_json::json!({ "operation": "write", "path": "report.md", "content": "# Sales\n\n- pens 7\n" });
    serde_json::json!({ "fixtures": [
        { "match": { "userMessage": "write a report", "hasToolResult": false },
          "response": { "content": "I will read the sales first.",
                        "toolCalls": [call("step_1", "execute_sql", serde_json::json!({ "sql": sql }))] } },
        { "match": { "toolCallId": "step_1" },
          "response": { "content": "Now the file.", "toolCalls": [call("step_2", "file_operations", write)] } },
        { "match": { "toolCallId": "step_2" },
          "response": { "content": "And a look at it.",
                        "toolCalls": [call("step_3", "execute_command", serde_json::json!({ "command": "wc -l report.md" }))] } },
        { "match": { "toolCallId": "step_3" }, "response": { "content": "The **report** is written." } },
    ] })
    .to_string()
}

/// The URL of PostgreSQL with a table of its own, or nothing after saying what is left out.
async fn postgres(schema: &str) -> Option<String> {
    let Ok(url) = std::env::var("COUNTERSIGN_POSTGRES") else {
        left_out("the task against PostgreSQL", "set COUNTERSIGN_POSTGRES to the URL of one");
        return None;
    };
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let setup = format!(
        "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}; \
         CREATE TABLE {schema}.sales (item text, amount numeric(8,2)); \
         INSERT INTO {schema}.sales VALUES ('ink', 2.50), ('pens', 7)"
    );
    sqlx::raw_sql(AssertSqlSafe(setup)).execute(&mut connection).await.unwrap();
    Some(url)
}

#[test]
fn a_task_of_several_steps_on_real_servers() {
    let schema = format!("countersign_{}", std::process::id());
    let Some(model) = server(&fixtures(&schema)) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let Some(url) = runtime.block_on(postgres(&schema)) else { return };
    for rows in [40, 24] {
        let base = format!("{}/v1", model.url);
        let arguments = ["--base-url", &base, "--model", "mock", "--provider", "openai", "--db", &url];
        let mut it = Driver::start(if rows == 40 { 120 } else { 80 }, rows, &arguments);
        // On a small screen the database stands before the model.
        it.wait_for("postgres (postgres)");
        it.say("write a report");
        it.wait_for("H HIGH");
        it.wait_for("report.md");
        assert!(!it.workspace().join("report.md").exists(), "it waits for the person");
        std::thread::sleep(Duration::from_millis(600));
        let number = it.dialog_number();
        it.keys("y");
        it.wait_for(&format!("Type {number}"));
        std::thread::sleep(Duration::from_millis(300));
        it.keys(&number);
        it.wait_for("report is written");
        assert_eq!(std::fs::read_to_string(it.workspace().join("report.md")).unwrap(), "# Sales\n\n- pens 7\n");
        it.keys("\x11");
        it.wait_for_exit();
    }
    runtime.block_on(async {
        let mut connection = PgConnection::connect(&url).await.unwrap();
        let drop = AssertSqlSafe(format!("DROP SCHEMA {schema} CASCADE"));
        sqlx::raw_sql(drop).execute(&mut connection).await.unwrap();
    });
}
