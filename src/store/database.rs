//! The journal's file: made owner-only, opened without touching what isn't ours, its schema checked.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Row as _, SqliteConnection};

use super::JournalError;
use super::migrate::{self, APPLICATION_ID, VERSION};
use crate::private::{make_folder, open};

/// How often switching to WAL is tried: SQLite doesn't wait there while another program does the same.
const WAL_TRIES: u32 = 50;
/// A write-ahead log is long from here on, in bytes.
const LONG: u64 = 1 << 20;

/// An open journal file.
pub(super) struct Database {
    pub(super) connection: SqliteConnection,
    path: PathBuf,
    identity: Option<Identity>,
    patience: Duration,
    syncs: bool,
}

/// Which file it is, whatever its name.
type Identity = (u64, u64);

impl Database {
    /// Opens the file, and makes it where there is none. Waits `patience` for other programs.
    pub(super) async fn open(path: &Path, patience: Duration) -> Result<Self, JournalError> {
        let unusable = |error: Error| JournalError::Unusable { path: path.to_path_buf(), why: error.to_string() };
        prepare(path).map_err(unusable)?;
        let mut connection = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(patience)
            .synchronous(SqliteSynchronous::Full)
            // What is deleted is overwritten.
            .pragma("secure_delete", "ON")
            .pragma("cache_size", "-512") // entries are added at the end: little of the file is read again
            .disable_statement_logging()
            .connect()
            .await
            .map_err(|error| JournalError::of(path, &error))?;
        // Looked at before anything is written: a file that isn't ours stays as it is.
        let found = first_check(&mut connection, path).await?;
        restrict(path).map_err(unusable)?;
        switch_to_wal(&mut connection, path).await?;
        if found != Found::Current {
            create(&mut connection, path).await?;
        }
        Ok(Self { connection, path: path.to_path_buf(), identity: identity(path), patience, syncs: true })
    }

    /// Whether transactions from now on are on disk once they are committed, with all before them
    /// (`synchronous`, <https://www.sqlite.org/pragma.html#pragma_synchronous>): written in the log they are either way.
    pub(super) async fn sync(&mut self, syncs: bool) -> Result<(), sqlx::Error> {
        if self.syncs != syncs {
            let pragma = if syncs { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" };
            sqlx::query(pragma).execute(&mut self.connection).await?;
            self.syncs = syncs;
        }
        Ok(())
    }

    /// Waits until all that was written is on disk. In WAL mode it is in the log, or in the file already, which SQLite
    /// syncs itself when it moves it there (<https://www.sqlite.org/wal.html>).
    pub(super) async fn flush(&self) -> std::io::Result<()> {
        let log = self.log();
        tokio::task::spawn_blocking(move || fs::File::open(log)?.sync_data()).await.map_err(Error::other)?
    }

    /// The write-ahead log beside the file.
    fn log(&self) -> PathBuf {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        log.into()
    }

    /// The file's path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Empties the write-ahead log where it has grown long, unless somebody reads in it just now. For a program that
    /// ends without closing the file: it leaves the log to the next one, which has to read all of it first, and in which
    /// it never ends.
    pub(super) async fn shorten(&mut self) {
        if fs::metadata(self.log()).is_ok_and(|about| about.len() > LONG) {
            let sql = format!(
                "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = {}",
                self.patience.as_millis()
            );
            let _put_off = sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut self.connection).await;
        }
    }

    /// Whether the file is still where it was opened: SQLite would go on writing to a deleted one.
    pub(super) fn in_place(&self) -> bool {
        identity(&self.path) == self.identity
    }
}

/// What is in a file that is ours to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// Nothing yet.
    Nothing,
    /// The tables of version 1.
    Version1,
    /// The tables of this version.
    Current,
}

/// The same before anything is begun: one look, as another program may make the tables between two.
async fn first_check(connection: &mut SqliteConnection, path: &Path) -> Result<Found, JournalError> {
    let failed = |error: sqlx::Error| JournalError::of(path, &error);
    sqlx::query("BEGIN").execute(&mut *connection).await.map_err(failed)?;
    let found = check(connection, path).await?;
    sqlx::query("COMMIT").execute(&mut *connection).await.map_err(failed)?;
    Ok(found)
}

/// What is in the file; an error for one that isn't ours to write.
async fn check(connection: &mut SqliteConnection, path: &Path) -> Result<Found, JournalError> {
    let failed = |error: sqlx::Error| JournalError::of(path, &error);
    let version = pragma(connection, "PRAGMA user_version").await.map_err(failed)?;
    let application = pragma(connection, "PRAGMA application_id").await.map_err(failed)?;
    let objects = pragma(connection, "SELECT count(*) FROM sqlite_schema").await.map_err(failed)?;
    let ours = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('sessions', 'entries', 'bodies')";
    let tables = pragma(connection, ours).await.map_err(failed)?;
    match (application, version, tables) {
        (APPLICATION_ID, VERSION, 3) => Ok(Found::Current),
        (APPLICATION_ID, 1, 1) => Ok(Found::Version1),
        (APPLICATION_ID, newer, _) if newer > VERSION => Err(JournalError::Newer(path.to_path_buf())),
        (0, 0, _) if objects == 0 => Ok(Found::Nothing),
        _ => Err(JournalError::Broken(path.to_path_buf())),
    }
}

async fn pragma(connection: &mut SqliteConnection, sql: &'static str) -> Result<i64, sqlx::Error> {
    sqlx::query(sql).fetch_one(connection).await?.try_get(0)
}

async fn switch_to_wal(connection: &mut SqliteConnection, path: &Path) -> Result<(), JournalError> {
    let mut tries = 0;
    loop {
        let switched = sqlx::query("PRAGMA journal_mode = WAL").fetch_one(&mut *connection).await;
        match switched.map_err(|error| JournalError::of(path, &error)) {
            Ok(_) => return Ok(()),
            Err(JournalError::Locked(_)) if tries < WAL_TRIES => tries += 1,
            Err(error) => return Err(error),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Makes the tables, or brings them up to date, in one transaction, unless another program was first.
async fn create(connection: &mut SqliteConnection, path: &Path) -> Result<(), JournalError> {
    let failed = |error: sqlx::Error| JournalError::of(path, &error);
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await.map_err(failed)?;
    match check(connection, path).await? {
        Found::Nothing => migrate::create(connection).await.map_err(failed)?,
        Found::Version1 => migrate::from_1(connection).await.map_err(failed)?,
        Found::Current => {}
    }
    sqlx::query("COMMIT").execute(&mut *connection).await.map_err(failed)?;
    Ok(())
}

/// Makes folder and file for their owner alone. An existing file is never opened here: closing it again
/// would drop the locks that SQLite holds on it in this process.
fn prepare(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        make_folder(folder)?;
    }
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => own(path, &metadata),
        Ok(_) => Err(Error::other("it isn't a regular file")),
        Err(error) if error.kind() == ErrorKind::NotFound => make_file(path),
        Err(error) => Err(error),
    }
}

/// Makes the file; another program that was first is fine. SQLite gives its side files the same rights.
fn make_file(path: &Path) -> std::io::Result<()> {
    match open(path, std::fs::OpenOptions::new().write(true).create_new(true)) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Refuses a journal that somebody else owns or could put another one in the place of.
#[cfg(unix)]
fn own(path: &Path, metadata: &std::fs::Metadata) -> std::io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    if metadata.uid() != nix::unistd::geteuid().as_raw() {
        return Err(Error::other("it belongs to somebody else"));
    }
    let folder = path.parent().map(std::fs::metadata).transpose()?.map_or(0, |folder| folder.mode());
    let (anybody_writes, sticky) = (folder & 0o002 != 0, folder & 0o1000 != 0);
    if anybody_writes && !sticky { Err(Error::other("anybody may replace files in its folder")) } else { Ok(()) }
}

#[cfg(not(unix))]
fn own(_path: &Path, _metadata: &std::fs::Metadata) -> std::io::Result<()> {
    Ok(())
}

/// Takes everybody else's rights on the file away.
#[cfg(unix)]
fn restrict(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn restrict(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.exists().then_some((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::Connection as _;

    const PATIENCE: Duration = Duration::from_millis(500);

    #[tokio::test]
    async fn a_file_that_is_not_ours_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        std::fs::write(&text, "dear diary, this is no database at all, but long enough to look like one").unwrap();
        let other = folder.path().join("other.sqlite");
        let options = SqliteConnectOptions::new().filename(&other).create_if_missing(true);
        let mut connection = options.connect().await.unwrap();
        sqlx::query("CREATE TABLE customers (name TEXT)").execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        for path in [&text, &other] {
            let before = std::fs::read(path).unwrap();
            let error = Database::open(path, PATIENCE).await.err();
            assert_eq!(error, Some(JournalError::Broken(path.clone())));
            assert_eq!(std::fs::read(path).unwrap(), before);
        }
    }

    #[tokio::test]
    async fn a_newer_journal_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let mut database = Database::open(&path, PATIENCE).await.unwrap();
        sqlx::query("PRAGMA user_version = 3").execute(&mut database.connection).await.unwrap();
        database.connection.close().await.unwrap();
        let before = std::fs::read(&path).unwrap();
        assert_eq!(Database::open(&path, PATIENCE).await.err(), Some(JournalError::Newer(path.clone())));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn folder_and_files_are_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/deep/journal.sqlite");
        let database = Database::open(&path, PATIENCE).await.unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        for suffix in ["", "-wal", "-shm"] {
            assert_eq!(mode(&PathBuf::from(format!("{}{suffix}", path.display()))), 0o600, "{suffix}");
        }
        drop(database);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let _database = Database::open(&path, PATIENCE).await.unwrap();
        assert_eq!(mode(&path), 0o600);
    }

    #[tokio::test]
    async fn a_folder_in_the_files_place_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = Database::open(folder.path(), PATIENCE).await.err().unwrap();
        assert!(error.to_string().contains("isn't a regular file"), "{error}");
    }
}
