//! What is judged: ordinary calls by size, and a mix of lines.

use countersign::domain::Dialect;
use serde_json::{Value, json};

use crate::call::{Call, call, shell, sized, sql};

const DIALECTS: [Option<Dialect>; 4] = [Some(Dialect::Sqlite), Some(Dialect::Postgres), Some(Dialect::Mysql), None];

const SCRIPT: &str = "for f in src/*.rs; do wc -l \"$f\"; done\ngit log --oneline -20 | head -5 && echo done\n\
    find . -name '*.toml' -not -path './target/*' | sort | uniq -c\ngrep -rn \"fn main\" src | cut -d: -f1\n\
    if [ -f Cargo.toml ]; then cat Cargo.toml | head -20; fi\necho \"$(git rev-parse HEAD) $(date +%F)\" # where we are\n";
const QUERY: &str = "SELECT o.id, c.name, sum(i.price * i.amount) AS total FROM orders o JOIN customers c ON \
    c.id = o.customer_id JOIN items i ON i.order_id = o.id WHERE o.created_at > '2024-01-01' AND c.country IN \
    ('DE', 'FR', 'PL') GROUP BY o.id, c.name HAVING sum(i.price) > 100 ORDER BY total DESC LIMIT 50";

/// A query of about this size: a long list behind `IN`.
fn long_query(size: usize) -> String {
    let items: Vec<String> = (0..size / 14).map(|number| format!("'item-{number:05}'")).collect();
    format!("SELECT id, name FROM items WHERE code IN ({}) ORDER BY id", items.join(", "))
}

/// Ordinary calls, by tool and size.
pub fn ordinary() -> Vec<Call> {
    let mut calls = vec![
        shell("shell: a program", "git status"),
        shell("shell: a pipeline", "grep -rn \"TODO\" src --include='*.rs' | sort | uniq -c | head -20"),
        shell("shell: a list", "cd src && ls -la && cat main.rs lib.rs 2>/dev/null | wc -l"),
        shell("shell: find and xargs", "find . -name '*.rs' -mtime -2 -print0 | xargs -0 grep -l 'unsafe'"),
        shell("shell: a loop", "for f in a b c; do echo \"$f: $(wc -l < \"src/$f.rs\")\"; done"),
        shell("shell: asks", "rm -rf build/* && npm run build > out.log 2>&1"),
    ];
    for (name, query) in [
        ("SQL: one row", "SELECT name, email FROM users WHERE id = 42"),
        ("SQL: a report", QUERY),
        ("SQL: asks", "DELETE FROM sessions WHERE expires_at < now()"),
    ] {
        calls.extend(DIALECTS.map(|dialect| sql(name, dialect, query)));
    }
    let file = |verb: &str, path: &str| json!({ "operation": verb, "path": path });
    let http = |method: &str, url: &str| json!({ "method": method, "url": url });
    calls.extend([
        call("file: read", "file_operations", &file("read", "src/main.rs"), 11),
        call("file: delete", "file_operations", &file("delete", "./src/../notes.txt"), 18),
        call("HTTP: GET", "http_request", &http("GET", "https://docs.rs/serde/latest/serde/?search=x"), 44),
        call("HTTP: POST", "http_request", &http("POST", "https://api.example.com/v1/orders"), 33),
        call("search", "search_files", &json!({ "pattern": "fn main", "path": "src" }), 7),
        shell("shell, 1 KiB: a script", &sized(SCRIPT, 1024)),
        sql("SQL, 1 KiB: a union", Some(Dialect::Postgres), &[QUERY; 3].join(" UNION ALL ")),
        sql("SQL, 1 KiB: a list", Some(Dialect::Postgres), &long_query(1024)),
        shell("shell, 8 KiB: a script", &sized(SCRIPT, 8 * 1024)),
        shell("shell, 64 KiB: a script", &sized(SCRIPT, 64 * 1024)),
        shell("shell, 64 KiB: long words", &format!("echo{}", sized(" one-long-word-of-many", 64 * 1024 - 8))),
        shell("shell, 64 KiB: one quoted text", &format!("echo '{}'", sized("a line of text, ", 64 * 1024 - 16))),
        shell("shell, 64 KiB: a here-document", &format!("cat <<'END'\n{}END\n", sized("a line\n", 64 * 1024 - 32))),
        sql("SQL, 64 KiB: one text", Some(Dialect::Mysql), &format!("SELECT '{}'", sized("text ", 64 * 1024 - 16))),
    ]);
    calls.extend(DIALECTS.map(|dialect| sql("SQL, 64 KiB: a list", dialect, &long_query(64 * 1024 - 1024))));
    calls
}

/// Lines for `countersign assess`: of the corpora in `COUNTERSIGN_CORPUS`, else of the calls above.
pub fn lines() -> (&'static str, String) {
    let folder = std::env::var_os("COUNTERSIGN_CORPUS").map(std::path::PathBuf::from);
    let files = folder.and_then(|folder| folder.read_dir().ok()).into_iter().flatten();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|suffix| suffix == "jsonl"));
    files.sort();
    if !files.is_empty() {
        return ("lines of the corpora", files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect());
    }
    let calls = ordinary().into_iter().filter(|call| call.size < 400);
    let line = |call: Call| {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        json!({ "id": call.name, "tool": call.tool, "arguments": arguments, "dialect": call.dialect }).to_string()
    };
    ("lines of short calls", calls.map(|call| line(call) + "\n").collect())
}

/// The call of such a line, where its text has no break.
pub fn one_line(line: &str) -> Option<Call> {
    let line: Value = serde_json::from_str(line).unwrap();
    let arguments = &line["arguments"];
    let tool = ["execute_command", "execute_sql", "file_operations", "http_request", "search_files"]
        .into_iter()
        .find(|tool| line["tool"] == **tool)?;
    let broken = arguments.as_object()?.values().filter_map(Value::as_str).any(|text| text.contains('\n'));
    let dialect = DIALECTS.into_iter().flatten().find(|dialect| line["dialect"] == dialect.word());
    let call = Call { dialect, ..call("", tool, arguments, arguments.to_string().len()) };
    // What can't be read as a call isn't judged.
    (!broken && call.kind().is_some()).then_some(call)
}
