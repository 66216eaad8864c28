//! The named connections of a session: nothing is opened before its first use, and what broke is opened
//! again at the next one.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use sqlx::mysql::MySqlDatabaseError;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::address::{Address, Options};
use super::session::{Access, Holds, Session, State};
use super::turned::Turned;
use super::{SqlError, mysql, postgres, sqlite, turned};
use crate::domain::{Dialect, Target};

/// Time to make a connection, or to find out that an idle one still works.
const CONNECT: Duration = Duration::from_secs(10);
const PING: Duration = Duration::from_secs(2);
/// Most differences of two sessions that are named.
const NAMED: usize = 3;

/// What engines say of a statement that they stopped. MySQL: killed; at its limit in MariaDB, in MySQL.
const MYSQL_STOPPED: [u16; 3] = [1317, 1969, 3024];
const POSTGRES_STOPPED: &str = "57014";
const SQLITE_STOPPED: &str = "9";

/// Where the rows of a database may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Results {
    /// To the model.
    #[default]
    Model,
    /// To the person alone: the model gets columns, types and counts.
    Local,
}

/// A database: how it is reached, as whom it is read, and where its rows may go.
#[derive(Clone, Debug)]
pub struct Database {
    /// How it is reached.
    pub address: Address,
    /// How it is reached by what runs unasked, where that is another role.
    pub reading: Option<Address>,
    /// Where its rows may go.
    pub results: Results,
}

impl From<Address> for Database {
    fn from(address: Address) -> Self {
        Self { address, reading: None, results: Results::default() }
    }
}

/// One named database with its idle sessions. Those that only read are kept apart: nothing that a statement
/// set on the others reaches them.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) database: Database,
    reading: Mutex<Vec<Box<dyn Session>>>,
    full: Mutex<Vec<Box<dyn Session>>>,
    turned: std::sync::Mutex<Turned>,
    /// Whether it was reached when it was last needed; none before.
    pub(super) reached: std::sync::Mutex<Option<bool>>,
}

impl Source {
    /// Its engine.
    pub(super) fn dialect(&self) -> Dialect {
        self.database.address.dialect
    }

    /// A statement ran in a session that writes, or was refused there.
    pub(super) fn turn(&self, sql: &str, refused: bool) {
        let mut turned = self.turned.lock().unwrap_or_else(PoisonError::into_inner);
        if !(refused && turned::whole(self.dialect(), sql)) {
            *turned = std::mem::take(&mut *turned).after(self.dialect(), sql);
        }
    }

    /// How its sessions that write stand to those that only read.
    pub(super) async fn turned(&self) -> Turned {
        if self.dialect() == Dialect::Postgres {
            match timeout(CONNECT, self.compared()).await {
                Ok(Ok(Some(turned))) => return turned,
                Ok(Ok(None)) => {}
                Ok(Err(_)) | Err(_) => {
                    return Turned::Apart("what holds in the session that writes can't be told".into());
                }
            }
        }
        self.turned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same as the sessions say it themselves. None where none that writes is there.
    async fn compared(&self) -> Result<Option<Turned>, SqlError> {
        let mut writing = Vec::new();
        {
            let mut full = self.full.lock().await;
            let mut broken = Vec::new();
            for (at, session) in full.iter_mut().enumerate() {
                if !session.alive().await {
                    broken.push(at);
                    continue;
                }
                match session.state().await.map_err(|failure| self.explain(failure))? {
                    Some(state) => writing.push(state),
                    None => return Ok(Some(Turned::Open)),
                }
            }
            // As whoever takes one would find it, too.
            broken.into_iter().rev().for_each(|at| drop(full.remove(at)));
        }
        if writing.is_empty() {
            return Ok(None);
        }
        let mut apart = Turned::Same;
        for fresh in [false, true] {
            let mut reading = self.reading.lock().await;
            // One that was opened before a setting of the database changed still has the old one.
            if fresh {
                reading.clear();
            }
            if reading.is_empty() {
                reading.push(self.open(Access::ReadOnly, PING.as_secs()).await?);
            }
            apart = Turned::Same;
            for session in reading.iter_mut() {
                let state = session.state().await.map_err(|failure| self.explain(failure))?.unwrap_or_default();
                let other =
                    writing.iter().map(|writing| self.apart(writing, &state)).find(|turned| *turned != Turned::Same);
                apart = other.unwrap_or(apart);
            }
            if apart == Turned::Same {
                break;
            }
        }
        Ok(Some(apart))
    }

    fn apart(&self, writing: &State, reading: &State) -> Turned {
        // That another role reads is said.
        let meant = |name: &&str| *name != "role" || self.database.reading.is_none();
        let names: BTreeSet<&str> = writing.keys().chain(reading.keys()).map(String::as_str).collect();
        let other = names.into_iter().filter(meant).filter(|name| differs(writing.get(*name), reading.get(*name)));
        let other: Vec<&str> = other.take(NAMED).collect();
        if other.is_empty() {
            return Turned::Same;
        }
        let names = other.join(", ");
        Turned::Apart(format!("the session that writes differs from the one that counts ({names})"))
    }

    fn address(&self, access: Access) -> &Address {
        match (access, &self.database.reading) {
            (Access::ReadOnly, Some(reading)) => reading,
            (Access::ReadOnly | Access::Full, _) => &self.database.address,
        }
    }

    fn mask(&self, message: &str) -> String {
        let message = self.database.address.mask(message);
        self.database.reading.iter().fold(message, |message, address| address.mask(&message))
    }

    fn idle(&self, access: Access) -> &Mutex<Vec<Box<dyn Session>>> {
        match access {
            Access::ReadOnly => &self.reading,
            Access::Full => &self.full,
        }
    }

    /// A session that works: an idle one, or a new one. `limit` is the time a statement may take, in seconds.
    pub(super) async fn take(&self, access: Access, limit: u64) -> Result<Box<dyn Session>, SqlError> {
        let idle = self.idle(access).lock().await.pop();
        if let Some(mut session) = idle
            && timeout(PING, session.alive()).await.unwrap_or(false)
        {
            session.limit(limit);
            return Ok(session);
        }
        let mut session = self.connect(access, limit).await?;
        session.limit(limit);
        Ok(session)
    }

    /// A new session.
    pub(super) async fn connect(&self, access: Access, limit: u64) -> Result<Box<dyn Session>, SqlError> {
        let opened = match timeout(CONNECT, self.open(access, limit)).await {
            Ok(opened) => opened,
            Err(_) => Err(self.unreachable(access, &format!("no answer within {} s", CONNECT.as_secs()))),
        };
        if opened.is_ok() || !self.is_unmade() {
            *self.reached.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened.is_ok());
        }
        opened
    }

    /// Keeps a healthy session for the next use.
    pub(super) async fn give_back(&self, access: Access, session: Box<dyn Session>) {
        self.idle(access).lock().await.push(session);
    }

    async fn open(&self, access: Access, limit: u64) -> Result<Box<dyn Session>, SqlError> {
        let opened = match &self.address(access).options {
            Options::Sqlite(file) => {
                if let Some(path) = self.address(access).missing() {
                    return Err(SqlError::NoFile(path.display().to_string()));
                }
                sqlite::open(file, access).await
            }
            Options::Postgres(options) => postgres::open(options, access, limit).await,
            Options::Mysql(options) => mysql::open(options, access, limit).await,
        };
        opened.map_err(|error| match code(&error).filter(|_| self.dialect() != Dialect::Sqlite) {
            Some(code) => SqlError::TurnedAway {
                label: self.address(access).label.clone(),
                login: code.starts_with("28"),
                reason: self.mask(&plain(&error)),
            },
            None => self.unreachable(access, &plain(&error)),
        })
    }

    fn unreachable(&self, access: Access, reason: &str) -> SqlError {
        SqlError::Unreachable(self.address(access).label.clone(), self.mask(reason))
    }

    /// What an error of a running statement means.
    pub(super) fn explain(&self, failure: Failure) -> SqlError {
        match failure {
            Failure::Several => SqlError::Several,
            Failure::Writes => SqlError::Writes,
            Failure::Walled(why) => SqlError::Walled(why),
            Failure::Moved => SqlError::Moved,
            Failure::NotKept(why) => SqlError::NotKept(why),
            Failure::Open => SqlError::Open,
            Failure::Changed { found, expected } => SqlError::Changed { found, expected },
            Failure::Untried(why) => SqlError::Untried(why),
            Failure::Engine(sqlx::Error::Protocol(text)) if text.contains("CopyInResponse") => SqlError::Copy,
            Failure::Engine(sqlx::Error::Protocol(text)) if text.contains("CopyOutResponse") => SqlError::Copy,
            Failure::Engine(error) => {
                let message = self.mask(&plain(&error));
                if ends_session(&error) {
                    SqlError::Broken(self.database.address.label.clone(), message)
                } else {
                    SqlError::Refused { message, code: code(&error) }
                }
            }
        }
    }
}

/// Whether something holds in one session other than in another. What one of them may not see, or hasn't loaded, is
/// what every session of the database has, unless the one that sees it says that it was set for it alone.
fn differs(one: Option<&Holds>, other: Option<&Holds>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.value != other.value,
        (Some(seen), None) | (None, Some(seen)) => seen.own,
        (None, None) => false,
    }
}

/// Why a statement ended early.
#[derive(Debug)]
pub(super) enum Failure {
    Several,
    Writes,
    /// A session that only reads won't run it, for this sentence.
    Walled(String),
    /// What its names lead to, or the file that it reads, was changed while it ran.
    Moved,
    Engine(sqlx::Error),
    /// What it replaces couldn't be written to disk, for this reason.
    NotKept(String),
    /// Somebody's transaction is open on the connection.
    Open,
    /// Rows aren't as an operation left them.
    Changed {
        found: u64,
        expected: u64,
    },
    /// It can't be tried, for this reason.
    Untried(String),
}

impl Failure {
    /// Whether the server says that it stopped the statement: at a limit, or because it was asked to.
    pub(super) fn stopped(&self) -> bool {
        let Self::Engine(sqlx::Error::Database(refusal)) = self else { return false };
        let number = refusal.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>().map(MySqlDatabaseError::number);
        match (number, refusal.code()) {
            (Some(number), _) => MYSQL_STOPPED.contains(&number),
            (None, Some(code)) => matches!(&*code, POSTGRES_STOPPED | SQLITE_STOPPED),
            (None, None) => false,
        }
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Engine(error)
    }
}

/// Whether a session is of no use after an error. A database's own refusal leaves it usable, unless it says
/// that it is going away.
fn ends_session(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(refusal) => refusal
            .code()
            // PostgreSQL: ended by an administrator, crashed, shutting down, connection trouble.
            .is_some_and(|code| matches!(&*code, "57P01" | "57P02" | "57P03") || code.starts_with("08")),
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) | sqlx::Error::TypeNotFound { .. } => false,
        _ => true,
    }
}

/// SQLSTATE, which can be looked up; SQLite's own numbers say nothing more than its words.
fn code(error: &sqlx::Error) -> Option<String> {
    let refusal = error.as_database_error()?;
    refusal.code().filter(|code| code.len() == 5).map(std::borrow::Cow::into_owned)
}

/// An error in the words of the database, with its code, hint and detail where there are any.
fn plain(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(refusal) => {
            let code = code(error).map(|code| format!(" ({code})")).unwrap_or_default();
            let mut text = format!("{}{code}", refusal.message());
            if let Some(refusal) = refusal.try_downcast_ref::<sqlx::postgres::PgDatabaseError>() {
                for more in [refusal.detail(), refusal.hint()].into_iter().flatten() {
                    text.push_str(&format!(". {more}"));
                }
            }
            text
        }
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::Tls(error) => format!("the encrypted connection failed: {error}"),
        other => other.to_string(),
    }
}

/// The databases that can be named.
#[derive(Debug, Default)]
pub struct Connections {
    sources: BTreeMap<String, Arc<Source>>,
    /// May be chosen anew while a session runs; what was read before keeps the name it was read with.
    default: RwLock<Option<String>>,
}

impl Connections {
    /// Reads a URL, or the path of a SQLite file: dialect and a label that holds no password.
    ///
    /// # Errors
    /// An unknown scheme, or a URL that its engine can't read.
    pub fn parse_url(text: &str) -> Result<Address, SqlError> {
        Address::parse(text)
    }

    /// Adds a connection. The first one is the default until another is chosen.
    pub fn add(&mut self, name: impl Into<String>, database: impl Into<Database>) {
        let name = name.into();
        self.default.get_mut().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| name.clone());
        let database = database.into();
        let source = Source {
            name: name.clone(),
            database,
            reading: Mutex::default(),
            full: Mutex::default(),
            turned: std::sync::Mutex::default(),
            reached: std::sync::Mutex::default(),
        };
        self.sources.insert(name, Arc::new(source));
    }

    /// Chooses the connection that is meant where none is named. False if there is none of that name.
    pub fn choose(&self, name: &str) -> bool {
        let known = self.sources.contains_key(name);
        if known {
            *self.default.write().unwrap_or_else(PoisonError::into_inner) = Some(name.to_owned());
        }
        known
    }

    /// Leaves out the connections that lead to another machine and aren't among `asked`. Gives their names.
    pub fn leave_out_remote(&mut self, asked: &[String]) -> Vec<String> {
        let here = |source: &Source| {
            let addresses = std::iter::once(&source.database.address).chain(&source.database.reading);
            addresses.filter_map(|address| address.host.as_deref()).all(|host| {
                let host = host.trim_matches(['[', ']']);
                host == "localhost" || host.starts_with('/') || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
            })
        };
        let far = self.sources.values().filter(|source| !here(source) && !asked.contains(&source.name));
        let far: Vec<String> = far.map(|source| source.name.clone()).collect();
        self.sources.retain(|name, _| !far.contains(name));
        far
    }

    /// Whether there is none: then there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }

    /// The connection that is meant where none is named.
    #[must_use]
    pub fn default_name(&self) -> Option<String> {
        self.default.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Address of a connection.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<&Address> {
        self.sources.get(name).map(|source| &source.database.address)
    }

    /// What each connection leads to, by its name.
    #[must_use]
    pub fn targets(&self) -> BTreeMap<String, Target> {
        let target = |(name, source): (&String, &Arc<Source>)| {
            let Address { dialect, database, .. } = &source.database.address;
            let target = Target::Database {
                connection: name.clone(),
                engine: Some(*dialect),
                database: database.clone(),
                host: source.database.address.shown_host(),
                place: source.database.address.place(),
            };
            (name.clone(), target)
        };
        self.sources.iter().map(target).collect()
    }

    /// The passwords of the connections, so that they can be masked.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        let databases = self.sources.values().map(|source| &source.database);
        let addresses = databases.flat_map(|database| std::iter::once(&database.address).chain(&database.reading));
        addresses.flat_map(|address| address.secrets.iter().cloned()).collect()
    }

    /// Where the rows of a connection may go.
    #[must_use]
    pub fn results(&self, name: &str) -> Option<Results> {
        self.sources.get(name).map(|source| source.database.results)
    }

    /// The connections, by name.
    pub(super) fn sources(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.sources.values()
    }

    /// Each name with its dialect, for a description.
    pub(super) fn described(&self) -> impl Iterator<Item = String> {
        self.sources.values().map(|source| {
            let shapes = match source.database.results {
                Results::Model => "",
                Results::Local => "; its rows stay with the person, you get columns, types and counts",
            };
            format!("{} ({}{shapes})", source.name, source.dialect().word())
        })
    }

    /// The connection of that name, or the default for an empty one.
    pub(super) fn find(&self, name: &str) -> Result<&Arc<Source>, String> {
        let wanted = if name.is_empty() { self.default_name().unwrap_or_default() } else { name.to_owned() };
        self.sources.get(&wanted).ok_or_else(|| {
            let known: Vec<_> = self.names().collect();
            if known.is_empty() {
                "there is no database connection".to_owned()
            } else {
                format!("there is no connection of that name; use one of {}", known.join(", "))
            }
        })
    }
}
