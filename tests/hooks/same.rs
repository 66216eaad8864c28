//! Every gate gives the same answer: `assess`, the hooks, and the one of the screen.

use std::path::{Path, PathBuf};

use countersign::agents::{self, Agent, Opinion};
use countersign::assess::AssessSettings;
use countersign::cli::hook::{Desk, Manner};
use countersign::cli::weigh::assessor;
use countersign::domain::{
    Admission, Arguments, Claim, Enforceable, Gate, Operation, OperationId, OperationKind, Origin, Place, Policy, Step,
};
use countersign::tools;
use serde_json::{Value, json};

use super::{examples, harmless, left_out};

/// The calls of the corpora: tool and arguments.
fn calls() -> Vec<(String, String)> {
    let folder = std::env::var_os("COUNTERSIGN_CORPUS").map(PathBuf::from).filter(|folder| folder.is_dir());
    let own = examples::allowed().into_iter().chain(examples::asked());
    let call =
        |example: examples::Example| ("execute_command".to_owned(), json!({ "command": example.command }).to_string());
    let mut calls: Vec<(String, String)> = own.map(call).collect();
    let Some(folder) = folder else {
        left_out::left_out("the same answers over the labelled corpora", "set COUNTERSIGN_CORPUS to their folder");
        return calls;
    };
    for file in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|suffix| suffix == "jsonl") {
            let text = std::fs::read_to_string(&file).unwrap();
            for line in text.lines().filter(|line| !line.contains("$repeat")) {
                let call: Value = serde_json::from_str(line).unwrap();
                let mut arguments = call["arguments"].clone();
                if let Some(members) = arguments.as_object_mut() {
                    members.shift_remove("risk_level");
                }
                calls.push((call["tool"].as_str().unwrap().to_owned(), arguments.to_string()));
            }
        }
    }
    calls
}

/// A command as an agent would send it.
fn spoken(agent: &dyn Agent, command: &str, cwd: &Path) -> Value {
    let mut sent = harmless(agent, cwd);
    for member in ["tool_input", "toolArgs"] {
        if sent.get(member).is_some() {
            sent[member]["command"] = json!(command);
        }
    }
    if sent.get("command").is_some() {
        sent["command"] = json!(command);
    }
    sent
}

#[test]
fn assess_the_hooks_and_the_screens_gate_give_the_same_answer() {
    let calls = calls();
    let share = calls.len().div_ceil(std::thread::available_parallelism().map_or(1, usize::from));
    std::thread::scope(|scope| {
        let start = |calls| {
            // Parsers of deeply nested text need it.
            let big = std::thread::Builder::new().stack_size(64 * 1024 * 1024);
            big.spawn_scoped(scope, move || same_answers(calls)).unwrap()
        };
        let workers: Vec<_> = calls.chunks(share).map(start).collect();
        let (compared, stricter) = workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        assert!(compared > 200 && stricter * 20 < compared, "{stricter} of {compared}");
    });
}

/// Compares what each gate says of calls, and counts them, and those of which a hook thinks worse because nobody guards
/// git or `psql` in that run, or no walls hide what it would read.
fn same_answers(calls: &[(String, String)]) -> (usize, usize) {
    use countersign::cli::{Terms, assess::run};
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let path = std::env::var_os("PATH").map(|path| tools::search_path(&path));
    // What a machine's own configuration of git sets isn't what is tried.
    let own = [("GIT_CONFIG_NOSYSTEM".into(), "1".into())];
    let variables: Vec<_> = path.clone().map(|path| ("PATH".into(), path)).into_iter().chain(own).collect();
    let (mut compared, mut stricter) = (0, 0);
    for enforced in [Enforceable::default(), Enforceable { read_only_command: true, ..Enforceable::default() }] {
        let desk = Desk::of(Policy::default(), AssessSettings::default(), home.clone(), variables.clone());
        let desk = desk.enforcing(enforced);
        let line = |(tool, arguments): &(String, String)| {
            format!("{{\"tool\":{},\"arguments\":{arguments},\"cwd\":{}}}\n", json!(tool), json!(cwd))
        };
        let mut output = Vec::new();
        let terms = Terms { enforced, ..Terms::default() };
        run(terms, calls.iter().map(line).collect::<String>().as_bytes(), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        let answers: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), calls.len());
        for (number, ((tool, arguments), answer)) in calls.iter().zip(&answers).enumerate() {
            let read = Arguments::parse(arguments).ok().and_then(|arguments| OperationKind::read(tool, &arguments));
            let Some(Ok(kind)) = read else {
                assert_eq!(answer["decision"], "ask", "{tool} {arguments}");
                continue;
            };
            let screen = screens(tool, kind.clone(), &cwd, home.as_deref(), path.as_deref(), enforced);
            assert_eq!(answer["decision"], screen, "{tool} {arguments}: {answer}");
            // Commands as the agents take turns to say them; the rest as the operation that any of them would be read as.
            let agent = agents::ALL[number % agents::ALL.len()];
            let call = if let OperationKind::Command(command) = &kind {
                agent.read(&spoken(agent, &command.command, &cwd)).unwrap()
            } else {
                let mut call = agent.read(&harmless(agent, &cwd)).unwrap();
                call.wants = agents::Wants::Operations(vec![(tool.clone(), kind)]);
                call
            };
            let contain = enforced.read_only_command && agent.replaces();
            let thought = desk.think(agent, &call, &Manner { contain, ..Manner::default() });
            let judged = &thought.weighed[0].judgement;
            compared += 1;
            if judged.step == Step::Exposure {
                // An agent's session has read files, for all that a hook knows.
                assert!(["http_request", "execute_command"].contains(&tool.as_str()), "{arguments}");
                assert_eq!(thought.answer.opinion, Opinion::Ask, "{arguments}");
                assert_eq!(answer["decision"], "allow", "{arguments}");
                continue;
            }
            if thought.answer.reason.contains("from writing its cache here") {
                // Walls of our own would.
                assert_eq!(thought.answer.opinion, Opinion::Ask, "{arguments}");
                continue;
            }
            if thought.answer.reason.contains("Nothing guards `") {
                // A look at a public host isn't put behind walls, as the session has read files.
                let looks = ["curl", "wget"].iter().any(|name| arguments.contains(name))
                    || answer["reason"].as_str().is_some_and(|reason| reason.contains("over the network"));
                let alone = answer["decision"] == "allow";
                assert!(!(alone && contain) || looks, "{}", thought.answer.reason);
                assert_eq!(thought.answer.opinion, Opinion::Ask, "{}", thought.answer.reason);
                stricter += usize::from(alone);
                continue;
            }
            if thought.answer.reason.contains("No walls hide it here.") && !contain && enforced.read_only_command {
                // Walls of our own hide what it would read.
                assert_eq!(thought.answer.opinion, Opinion::Ask, "{}", thought.answer.reason);
                assert_eq!(answer["decision"], "allow", "{arguments}");
                stricter += 1;
                continue;
            }
            let word = match thought.answer.opinion {
                Opinion::Allow => "allow",
                Opinion::Ask => "ask",
                Opinion::Deny => "deny",
                Opinion::None => "none",
            };
            let told = format!("{} {tool} {arguments}: {}", agent.name(), thought.answer.reason);
            assert_eq!(answer["decision"], word, "{told}");
            assert_eq!(
                (&answer["risk"], answer["reason"].as_str()),
                (&json!(judged.risk), Some(&*judged.reason)),
                "{told}"
            );
        }
    }
    (compared, stricter)
}

/// What the screen's gate says of an operation.
fn screens(
    tool: &str,
    kind: OperationKind,
    cwd: &Path,
    home: Option<&Path>,
    path: Option<&std::ffi::OsStr>,
    enforced: Enforceable,
) -> &'static str {
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Model { call_id: "1".to_owned() },
        tool: tool.to_owned(),
        claim: Claim::Absent,
        kind,
        cwd: cwd.to_owned(),
    };
    let place = Place { cwd: cwd.to_owned(), workspace: cwd.to_owned(), home: home.map(Path::to_path_buf) };
    let judge = assessor(&operation);
    let prepared = tools::prepare(judge, operation, &place, path, &AssessSettings::default());
    let mut gate = Gate::new(Policy::default(), Enforceable { read_only_sql: true, ..enforced });
    match gate.admit(prepared) {
        Admission::Allowed(_) => "allow",
        Admission::Waiting(_) => "ask",
        Admission::Denied(..) => "deny",
    }
}
