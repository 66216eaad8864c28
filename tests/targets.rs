//! What an operation would hit, told from real folders: the branch, the cluster, the host; and that one that hits
//! something else than when it was shown goes back to the queue.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::bench;
use countersign::assess::AssessSettings;
use countersign::domain::{
    Admission, Arguments, Claim, Enforceable, Gate, Operation, OperationId, Origin, Place, Policy, Prepared, Release,
    Step,
};
use countersign::tools::{Connections, Registry, prepare, standard};
use serde_json::{Value, json};

/// A home folder and a repository as the workspace, with every tool.
struct Desk {
    folder: tempfile::TempDir,
    registry: Registry,
    settings: AssessSettings,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connections = Connections::default();
        for (name, url) in [
            ("shop", "postgres://ann:hunter2@db.prod.example.com/orders"),
            ("notes", "sqlite:notes.db?mode=rwc"),
            ("maria", "mysql://ann:hunter2@127.0.0.1/shop"),
        ] {
            connections.add(name, Connections::parse_url(url).unwrap());
        }
        fs::create_dir(folder.path().join("work")).unwrap();
        let settings = AssessSettings { databases: connections.targets().into(), ..AssessSettings::default() };
        let registry = standard(&bench(folder.path()), &connections.into());
        let desk = Self { folder, registry, settings };
        desk.git(&["init", "-q", "-b", "main"]);
        desk.git(&["remote", "add", "origin", "https://me:hunter2@example.com/shop.git"]);
        desk.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
        desk
    }

    fn work(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work")
    }

    fn git(&self, arguments: &[&str]) {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let ran = Command::new("git").current_dir(self.work()).args(who).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    fn prepared(&self, id: u64, tool: &str, arguments: &Value) -> Prepared {
        let tool = self.registry.get(tool).unwrap();
        let arguments = Arguments::parse(&arguments.to_string()).unwrap();
        let operation = Operation {
            id: OperationId(id),
            origin: Origin::Model { call_id: id.to_string() },
            tool: tool.spec().name,
            claim: Claim::Absent,
            kind: tool.prepare(&arguments).unwrap(),
            cwd: self.work(),
        };
        let home = Some(self.folder.path().canonicalize().unwrap());
        let place = Place { cwd: self.work(), workspace: self.work(), home };
        let path = std::env::var_os("PATH");
        prepare(tool.assessor(), operation, &place, path.as_deref(), &self.settings)
    }

    fn command(&self, id: u64, command: &str) -> Prepared {
        self.prepared(id, "execute_command", &json!({ "command": command }))
    }

    fn told(&self, command: &str) -> (String, Vec<String>, String) {
        let prepared = self.command(1, command);
        let targets = prepared.facts.targets.iter().map(ToString::to_string).collect();
        (prepared.title(), targets, prepared.assessment.production.join(", "))
    }
}

fn kubeconfig(home: &Path, context: &str) {
    fs::create_dir_all(home.join(".kube")).unwrap();
    let text = format!(
        "contexts:\n- context:\n    namespace: shop\n  name: {context}\ncurrent-context: {context}\nusers:\n- user:\n    \
         token: hunter2\n"
    );
    fs::write(home.join(".kube/config"), text).unwrap();
}

#[test]
fn a_title_and_a_target_say_what_is_hit() {
    let desk = Desk::new();
    kubeconfig(desk.folder.path(), "staging");
    for (command, title, targets, production) in [
        (
            "git push",
            "Push to origin/main",
            vec!["main on origin (https://example.com/shop.git)"],
            "the branch main is protected",
        ),
        (
            "git push origin HEAD:feature",
            "Push to origin/feature",
            vec!["feature on origin (https://example.com/shop.git)"],
            "",
        ),
        ("git commit -m x", "Commit to main", vec!["branch main"], ""),
        ("git reset --hard HEAD~1", "Reset main", vec!["branch main"], "the branch main is protected"),
        ("kubectl delete pod x", "Run command: kubectl", vec!["cluster context staging, namespace shop"], ""),
        (
            "kubectl --context prod-eu delete pod x",
            "Run command: kubectl",
            vec!["cluster context prod-eu"],
            "the cluster context prod-eu matches `prod`",
        ),
        ("make report", "Run command: make", vec![], ""),
        ("ls | xargs rm -f", "Delete files", vec![], ""),
        ("rm a && make && mv b c", "Delete files and 2 more", vec![], ""),
        ("echo x > out.txt", "Write file", vec![], ""),
        ("git log --oneline", "Run command", vec![], ""),
    ] {
        let (said, hit, told) = desk.told(command);
        assert_eq!((said.as_str(), told.as_str()), (title, production), "{command}");
        assert_eq!(hit, targets, "{command}");
    }
    for (sql, title) in [
        ("DELETE FROM orders WHERE id = 1", "Delete rows"),
        ("DELETE FROM orders", "Delete all rows"),
        ("WITH old AS (SELECT id FROM orders) DELETE FROM orders WHERE id IN (SELECT id FROM old)", "Delete rows"),
        ("WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone", "Delete all rows"),
        ("WITH s AS (SELECT upper(replace(name, 'a', 'b')) FROM t) SELECT * FROM s", "Read rows"),
        ("UPDATE orders SET a = 1 WHERE id = 1", "Update rows"),
        ("DROP TABLE IF EXISTS orders", "Drop table orders"),
        ("/* drop view x */ TRUNCATE TABLE orders", "Empty table orders"),
        ("CREATE UNIQUE INDEX i ON t (a)", "Create index i"),
        ("INSERT INTO t VALUES (1); DROP TABLE t", "Insert rows and drop table t"),
        ("VACUUM", "Run VACUUM"),
    ] {
        let prepared = desk.prepared(1, "execute_sql", &json!({ "sql": sql, "connection": "shop" }));
        assert_eq!(prepared.title(), title, "{sql}");
        assert_eq!(prepared.facts.targets[0].to_string(), "shop (postgres) · orders on db.prod.example.com");
        assert_eq!(prepared.assessment.production, ["the host db.prod.example.com matches `prod`"]);
    }
    let prepared = desk.prepared(1, "http_request", &json!({ "method": "post", "url": "https://api.live.test/x" }));
    assert_eq!(prepared.title(), "POST to api.live.test");
    assert_eq!(prepared.facts.targets[0].to_string(), "api.live.test:443");
    assert!(prepared.assessment.hits_production());
    let journalled = serde_json::to_string(&prepared).unwrap();
    assert!(!journalled.contains("hunter2"), "{journalled}");
}

#[test]
fn what_hits_something_else_by_its_start_goes_back_to_the_queue() {
    let desk = Desk::new();
    kubeconfig(desk.folder.path(), "staging");
    let moved: [(&str, &dyn Fn(), &str); 3] = [
        (
            "kubectl delete pod x",
            &|| kubeconfig(desk.folder.path(), "prod-eu"),
            "It would hit cluster context prod-eu, namespace shop now. When it was shown, that was cluster context \
             staging, namespace shop.",
        ),
        (
            "git commit -m x",
            &|| desk.git(&["checkout", "-q", "-b", "feature"]),
            "It would hit branch feature now. When it was shown, that was branch main.",
        ),
        (
            "git push",
            &|| desk.git(&["remote", "set-url", "origin", "https://example.org/other.git"]),
            "It would hit feature on origin (https://example.org/other.git) now. When it was shown, that was feature on \
             origin (https://example.com/shop.git).",
        ),
    ];
    for (command, meanwhile, why) in moved {
        let mut gate = Gate::new(Policy::default(), Enforceable::default());
        assert!(matches!(gate.admit(desk.command(1, command)), Admission::Waiting(_)), "{command}");
        let seal = gate.seal(OperationId(1)).unwrap();
        assert!(gate.approve(OperationId(1), seal));
        meanwhile();
        let Release::Requeued(said) = gate.release(OperationId(1), desk.command(1, command)) else {
            panic!("{command} ran")
        };
        assert_eq!(said, why);
        assert_ne!(gate.seal(OperationId(1)), Some(seal), "what was approved is another");
    }
}

#[test]
fn the_turns_approval_ends_before_production_and_reads_of_it_run() {
    let desk = Desk::new();
    let mut gate = Gate::new(Policy::default(), Enforceable::default());
    let delete = |id: u64, connection: &str| {
        desk.prepared(id, "execute_sql", &json!({ "sql": "DELETE FROM t WHERE id = 1", "connection": connection }))
    };
    for (id, connection, covered) in [(1, "notes", true), (3, "shop", false)] {
        assert!(matches!(gate.admit(delete(id, connection)), Admission::Waiting(_)));
        let seal = gate.seal(OperationId(id)).unwrap();
        gate.approve_all(&[(OperationId(id), seal)]);
        match gate.admit(delete(id + 1, connection)) {
            Admission::Allowed(judgement) => assert_eq!((judgement.step, covered), (Step::TurnApproval, true)),
            Admission::Waiting(_) => assert!(!covered, "{connection}"),
            Admission::Denied(judgement, _) => panic!("{judgement}"),
        }
    }
    let named = json!({ "sql": "DELETE FROM shop_prod.t WHERE id = 1", "connection": "maria" });
    let named = desk.prepared(7, "execute_sql", &named);
    assert_eq!(named.assessment.production, ["the database shop_prod matches `prod`"]);
    let targets: Vec<String> = named.facts.targets.iter().map(ToString::to_string).collect();
    assert_eq!(targets, ["maria (mysql) · shop on 127.0.0.1", "maria (mysql) · shop_prod on 127.0.0.1"]);
    for sql in ["DELETE FROM live.t AS live", "USE prod"] {
        let other = desk.prepared(8, "execute_sql", &json!({ "sql": sql, "connection": "maria" }));
        assert!(other.assessment.hits_production(), "{sql}");
    }
    let read = desk.prepared(5, "execute_sql", &json!({ "sql": "SELECT 1", "connection": "shop" }));
    assert!(read.assessment.hits_production());
    assert!(matches!(gate.admit(read), Admission::Allowed(_)));
}
