//! The world of the practice model: a small shop database, a folder and a server on this machine, made on first
//! use below the program's own data folder. Nothing in it belongs to the person: a new session finds it as on the first
//! day.

use std::fs::File;
use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use tokio::fs;
use url::Url;

use super::server::PracticeServer;

/// Tables and rows of the database.
const SHOP: &str = include_str!("../../../assets/practice/shop.sql");
/// The files of the folder.
const FILES: [(&str, &str); 6] = [
    ("README.md", include_str!("../../../assets/practice/workspace/README.md")),
    ("data.csv", include_str!("../../../assets/practice/workspace/data.csv")),
    ("src/app.py", include_str!("../../../assets/practice/workspace/src/app.py")),
    ("logs/monday.log", include_str!("../../../assets/practice/workspace/logs/monday.log")),
    ("logs/tuesday.log", include_str!("../../../assets/practice/workspace/logs/tuesday.log")),
    ("logs/old.log", include_str!("../../../assets/practice/workspace/logs/old.log")),
];

/// Why the practice world could not be made.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// A file or folder could not be made.
    #[error("the practice folder {path} could not be made: {source}. Check that its folder can be written to")]
    Folder {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The database could not be made.
    #[error("the practice database {path} could not be made: {source}. Check that its folder can be written to")]
    Database {
        /// Where.
        path: PathBuf,
        /// What SQLite says.
        source: sqlx::Error,
    },
    /// No port could be opened on this machine.
    #[error("the practice server could not be started: {0}")]
    Server(std::io::Error),
}

/// Where the practice model works. The server stops when this is dropped.
#[derive(Debug)]
pub struct PracticeWorld {
    /// Address of the database, for the connection named `practice`.
    pub database_url: String,
    /// The folder.
    pub workspace: PathBuf,
    /// Address of the server, without a slash at its end.
    pub server_url: String,
    _server: PracticeServer,
    _used: Option<File>,
}

impl PracticeWorld {
    /// Makes what is missing below `data/practice` and starts the server. What is there stays as it is, unless it is
    /// wanted `fresh`, as on the first day, and no other session works in it.
    pub async fn open(data: &Path, fresh: bool) -> Result<Self, WorldError> {
        let folder = data.join("practice");
        fs::create_dir_all(&folder).await.map_err(|source| WorldError::Folder { path: folder.clone(), source })?;
        let used = Self::used(&folder, fresh).await?;
        let workspace = folder.join("workspace");
        if !exists(&workspace).await {
            make_files(&workspace).await?;
        }
        let database = folder.join("shop.db");
        if !exists(&database).await {
            make_database(&folder, &database).await?;
        }
        let server = PracticeServer::start().await.map_err(WorldError::Server)?;
        let server_url = server.url().to_owned();
        Ok(Self { database_url: address(&database), workspace, server_url, _server: server, _used: used })
    }

    /// The sign that a session works in the folder, held as long as it does; the first of them clears the folder where
    /// it is wanted fresh. Where a file system knows no locks, nothing is cleared.
    async fn used(folder: &Path, fresh: bool) -> Result<Option<File>, WorldError> {
        let Ok(sign) = File::create(folder.join("in-use")) else { return Ok(None) };
        if fresh && sign.try_lock().is_ok() {
            clear(folder).await?;
            if sign.unlock().is_err() {
                return Ok(None);
            }
        }
        Ok(sign.try_lock_shared().is_ok().then_some(sign))
    }
}

/// Takes away database and files of an earlier session.
async fn clear(folder: &Path) -> Result<(), WorldError> {
    let gone = |path: PathBuf, result: std::io::Result<()>| match result {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(WorldError::Folder { path, source }),
        _ => Ok(()),
    };
    for name in ["shop.db", "shop.db-wal", "shop.db-shm", "shop.db-journal"] {
        let path = folder.join(name);
        let removed = fs::remove_file(&path).await;
        gone(path, removed)?;
    }
    let workspace = folder.join("workspace");
    let removed = fs::remove_dir_all(&workspace).await;
    gone(workspace, removed)
}

/// Whether something is at a path.
async fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).await.is_ok()
}

/// Writes the files of the folder.
async fn make_files(workspace: &Path) -> Result<(), WorldError> {
    for (name, text) in FILES {
        let path = workspace.join(name);
        let made = async {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).await?;
            }
            fs::write(&path, text).await
        };
        made.await.map_err(|source| WorldError::Folder { path: path.clone(), source })?;
    }
    Ok(())
}

/// Fills a new database beside its place and moves it there whole: one that was cut off is never used.
async fn make_database(folder: &Path, place: &Path) -> Result<(), WorldError> {
    let unfinished = folder.join("shop.db.new");
    let failed = |source| WorldError::Folder { path: place.to_owned(), source };
    fs::create_dir_all(folder).await.map_err(failed)?;
    if exists(&unfinished).await {
        fs::remove_file(&unfinished).await.map_err(failed)?;
    }
    let filled = async {
        let options = SqliteConnectOptions::new().filename(&unfinished).create_if_missing(true);
        let mut connection = options.connect().await?;
        sqlx::raw_sql(AssertSqlSafe(SHOP)).execute(&mut connection).await?;
        connection.close().await
    };
    filled.await.map_err(|source| WorldError::Database { path: place.to_owned(), source })?;
    fs::rename(&unfinished, place).await.map_err(failed)
}

/// The address of a database file; odd characters of its path are escaped.
fn address(path: &Path) -> String {
    let path = Url::from_file_path(path).map_or_else(|()| path.display().to_string(), |url| url.path().to_owned());
    format!("sqlite://{path}")
}

#[cfg(test)]
mod tests {
    use sqlx::Row;

    use super::*;

    async fn count(world: &PracticeWorld, query: &'static str) -> i64 {
        let options: SqliteConnectOptions = world.database_url.parse().unwrap();
        let mut connection = options.connect().await.unwrap();
        sqlx::raw_sql(query).fetch_one(&mut connection).await.unwrap().get(0)
    }

    #[tokio::test]
    async fn the_world_is_kept_for_a_session_that_goes_on_and_made_anew_for_a_new_one() {
        let data = tempfile::tempdir().unwrap();
        let data = data.path().join("with space");
        let world = PracticeWorld::open(&data, false).await.unwrap();
        assert_eq!(count(&world, "SELECT count(*) FROM orders").await, 340);
        assert_eq!(count(&world, "SELECT count(*) FROM orders WHERE status = 'cancelled'").await, 12);
        assert_eq!(count(&world, "SELECT count(DISTINCT customer_id) FROM orders").await, 24);
        assert!(std::fs::read_to_string(world.workspace.join("src/app.py")).unwrap().contains("TODO"));

        let options: SqliteConnectOptions = world.database_url.parse().unwrap();
        let mut connection = options.connect().await.unwrap();
        sqlx::raw_sql("DELETE FROM orders WHERE status = 'cancelled'").execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        std::fs::remove_file(world.workspace.join("data.csv")).unwrap();
        drop(world);

        let world = PracticeWorld::open(&data, false).await.unwrap();
        assert_eq!(count(&world, "SELECT count(*) FROM orders").await, 328);
        assert!(!world.workspace.join("data.csv").exists());
        let second = PracticeWorld::open(&data, true).await.unwrap();
        assert_eq!(count(&second, "SELECT count(*) FROM orders").await, 328, "another session works in it");
        drop((world, second));
        let world = PracticeWorld::open(&data, true).await.unwrap();
        assert_eq!(count(&world, "SELECT count(*) FROM orders").await, 340);
        assert!(world.workspace.join("data.csv").exists());
    }
}
