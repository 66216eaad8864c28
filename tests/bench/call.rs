//! One call and how it is judged and timed: from the arguments as a model writes them to the verdict, local reading
//! included. Shared by the bench and by the test of hostile calls.

use std::path::PathBuf;
use std::time::Duration;

use countersign::assess::AssessSettings;
use countersign::cli::weigh::assessor;
use countersign::contain;
use countersign::domain::{
    Arguments, Dialect, Grants, Operation, OperationId, OperationKind, Origin, Place, Policy, Verdict, judge,
};
use countersign::tools::{prepare, search_path};
use serde_json::{Value, json};

/// One call.
pub struct Call {
    /// For the table.
    pub name: String,
    /// The tool.
    pub tool: &'static str,
    /// Its arguments, as a model writes them.
    pub arguments: String,
    /// The dialect of SQL.
    pub dialect: Option<Dialect>,
    /// Bytes of the text that is judged.
    pub size: usize,
}

impl Call {
    /// What it would do, if it can be read.
    pub fn kind(&self) -> Option<(Arguments, OperationKind)> {
        let arguments = Arguments::parse(&self.arguments).ok()?;
        let mut kind = OperationKind::read(self.tool, &arguments)?.ok()?;
        if let OperationKind::Sql(sql) = &mut kind {
            sql.dialect = self.dialect;
        }
        Some((arguments, kind))
    }
}

pub fn call(name: &str, tool: &'static str, arguments: &Value, size: usize) -> Call {
    Call { name: name.to_owned(), tool, arguments: arguments.to_string(), dialect: None, size }
}

pub fn shell(name: &str, command: &str) -> Call {
    call(name, "execute_command", &json!({ "command": command }), command.len())
}

pub fn sql(name: &str, dialect: Option<Dialect>, sql: &str) -> Call {
    let named = format!("{name}, {}", dialect.map_or("no dialect", Dialect::word));
    Call { dialect, ..call(&named, "execute_sql", &json!({ "sql": sql }), sql.len()) }
}

/// A text of about this size from a piece. An `@` in the piece is the number of the time.
pub fn sized(piece: &str, size: usize) -> String {
    if !piece.contains('@') {
        return piece.repeat(size / piece.len());
    }
    let mut text = String::new();
    for number in 0.. {
        let next = piece.replace('@', &number.to_string());
        if text.len() + next.len() > size {
            break;
        }
        text.push_str(&next);
    }
    text
}

/// Where everything is judged.
pub struct Bench {
    place: Place,
    path: Option<std::ffi::OsString>,
    settings: AssessSettings,
    policy: Policy,
}

impl Bench {
    /// In the folder of this package, with the environment's `PATH`.
    pub fn new() -> Self {
        let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Self {
            place: Place { cwd: workspace.clone(), workspace, home },
            path: std::env::var_os("PATH").map(|path| search_path(&path)),
            settings: AssessSettings::default(),
            policy: Policy::default(),
        }
    }

    /// From the arguments as a model writes them to the verdict.
    pub fn judged(&self, call: &Call) -> Verdict {
        let (arguments, kind) = call.kind().unwrap();
        let operation = Operation {
            id: OperationId(1),
            origin: Origin::Person,
            tool: call.tool.to_owned(),
            claim: arguments.claim,
            kind,
            cwd: self.place.cwd.clone(),
        };
        let assessor = assessor(&operation);
        let prepared = prepare(assessor, operation, &self.place, self.path.as_deref(), &self.settings);
        judge(&prepared, &self.policy, &Grants::default(), contain::enforceable(None, false), false).verdict
    }
}

/// The processor's time that this thread has had so far. On a busy machine it says what a call costs, where the clock
/// on the wall says how long others were in the way; where the system doesn't tell it, it is the latter.
pub fn spent() -> Duration {
    #[cfg(unix)]
    return Duration::from(nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap());
    #[cfg(not(unix))]
    {
        static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed()
    }
}
