//! The servers that their makers publish, where they are installed.

use super::*;

/// Servers that their makers publish, in the folder that `COUNTERSIGN_MCP` names: npm's below `node_modules`, PyPI's
/// below `venv`.
fn published(path: &str) -> Option<String> {
    let there =
        std::env::var_os("COUNTERSIGN_MCP").map(|folder| Path::new(&folder).join(path)).filter(|at| at.exists());
    if there.is_none() {
        left_out("a test against a published MCP server", &format!("set COUNTERSIGN_MCP to a folder with {path}"));
    }
    Some(there?.to_string_lossy().into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_server_is_used_with_everything_it_has() {
    let Some(everything) = published("node_modules/@modelcontextprotocol/server-everything/dist/index.js") else {
        return;
    };
    let desk = Desk::new(|_| json!({ "s": { "command": "node", "args": [everything, "stdio"] } }));
    desk.start().await.unwrap();
    let said = desk.say("mcp__s__echo", json!({ "message": "hello" })).await.result;
    assert_eq!(said, "Echo: hello");
    let image = desk.say("mcp__s__get-tiny-image", json!({})).await.result;
    assert!(image.contains("[image: image/png, "), "{image}");
    let sum = desk.say("mcp__s__get-sum", json!({ "a": 2, "b": 3 })).await.result;
    assert!(sum.contains('5'), "{sum}");
    let structured = desk.say("mcp__s__get-structured-content", json!({ "location": "New York" })).await.result;
    assert!(serde_json::from_str::<Value>(&structured).unwrap().is_object(), "{structured}");
    let links = desk.say("mcp__s__get-resource-links", json!({ "count": 2 })).await.result;
    assert!(links.contains("[link: "), "{links}");
    let cancel = CancellationToken::new();
    let long = json!({ "duration": 2, "steps": 4 });
    let (events, report) = desk.call("mcp__s__trigger-long-running-operation", long, cancel).await;
    assert!(text(&events).contains("progress 3 of 4") && report.result.contains("completed"), "{report:?}");
    let refused = desk.say("mcp__s__get-sum", json!({ "a": "x" })).await;
    assert!(matches!(refused.outcome, Outcome::Failed { .. }), "{refused:?}");
    desk.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_server_offers_to_ask_only_where_that_is_allowed() {
    let Some(everything) = published("node_modules/@modelcontextprotocol/server-everything/dist/index.js") else {
        return;
    };
    for (more, asks) in [(json!({}), false), (json!({ "elicitation": true, "sampling": true }), true)] {
        let mut entry = json!({ "command": "node", "args": [everything, "stdio"] });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let desk = Desk::new(|_| json!({ "s": entry }));
        desk.start().await.unwrap();
        // It offers these two once it knows that the client takes such requests.
        let names = desk.registry.names();
        for tool in ["mcp__s__trigger-elicitation-request", "mcp__s__trigger-sampling-request"] {
            assert_eq!(names.iter().any(|name| name == tool), asks, "{tool}: {names:?}");
        }
        desk.servers.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_server_is_spoken_to_over_http() {
    let Some(everything) = published("node_modules/@modelcontextprotocol/server-everything/dist/index.js") else {
        return;
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut child = Command::new("node")
        .args([&everything, "streamableHttp"])
        .env("PORT", port.to_string())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until("it listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()).await;
    let entry = json!({ "url": format!("http://127.0.0.1:{port}/mcp"), "headers": { "X-Test": "1" } });
    let desk = Desk::new(|_| json!({ "s": entry }));
    desk.start().await.unwrap();
    assert_eq!(desk.say("mcp__s__echo", json!({ "message": "hello" })).await.result, "Echo: hello");
    child.kill().unwrap();
    child.wait().unwrap();
    let gone = desk.say("mcp__s__echo", json!({ "message": "hello" })).await;
    assert!(matches!(gone.outcome, Outcome::Failed { .. }), "{gone:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn published_servers_of_files_and_of_git_do_their_work() {
    if let Some(files) = published("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js") {
        let desk = Desk::new(|_| json!({ "s": { "command": "node", "args": [files, "${workspaceFolder}"] } }));
        let workspace = desk.folder.path().join("workspace");
        std::fs::write(workspace.join("a.txt"), "inside").unwrap();
        desk.start().await.unwrap();
        assert!(desk.tool("mcp__s__write_file").declared().unwrap().destructive);
        let path = workspace.join("a.txt");
        assert!(desk.say("mcp__s__read_text_file", json!({ "path": path })).await.result.contains("inside"));
        let outside = desk.say("mcp__s__read_text_file", json!({ "path": "/etc/hostname" })).await;
        assert!(reason(&outside).contains("denied"), "{}", reason(&outside));
    }
    if let Some(git) = published("venv/bin/mcp-server-git") {
        let desk = Desk::new(|_| json!({ "s": { "command": git } }));
        let workspace = desk.folder.path().join("workspace");
        assert!(Command::new("git").args(["init", "-q"]).current_dir(&workspace).status().unwrap().success());
        std::fs::write(workspace.join("new.txt"), "").unwrap();
        desk.start().await.unwrap();
        let status = desk.say("mcp__s__git_status", json!({ "repo_path": workspace })).await.result;
        assert!(status.contains("new.txt"), "{status}");
    }
}
