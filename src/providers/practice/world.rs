//! The world of the practice model: a small shop database, a folder and a server on this machine, made on first
//! use below the program's own data folder. Nothing in it belongs to the person. Each session has one of its own: a new
//! session finds it as on the first day, one that goes on finds what it left.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

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
    /// Whether it was made anew: nothing of a session that goes on was there.
    pub fresh: bool,
    _server: PracticeServer,
}

impl PracticeWorld {
    /// Makes what is missing in `folder`, which belongs to one session, and starts the server. What is there stays as
    /// it is.
    ///
    /// # Errors
    /// It can't be made, or the server can't be started.
    pub async fn open(folder: &Path) -> Result<Self, WorldError> {
        let fresh = !exists(folder).await;
        fs::create_dir_all(folder).await.map_err(|source| WorldError::Folder { path: folder.to_owned(), source })?;
        let workspace = folder.join("workspace");
        if !exists(&workspace).await {
            make_files(&workspace).await?;
        }
        let database = folder.join("shop.db");
        if !exists(&database).await {
            make_database(folder, &database).await?;
        }
        used_now(folder);
        let server = PracticeServer::start().await.map_err(WorldError::Server)?;
        let server_url = server.url().to_owned();
        Ok(Self { database_url: address(&database), workspace, server_url, fresh, _server: server })
    }
}

/// What is long unused is removed, so that a world is used is noted. Where it can't be, it goes a little earlier.
fn used_now(folder: &Path) {
    let noted = std::fs::File::open(folder).and_then(|folder| folder.set_modified(SystemTime::now()));
    if let Err(error) = noted {
        tracing::debug!(%error, "that the practice world is used can't be noted");
    }
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
    async fn each_session_has_a_world_of_its_own_and_finds_it_as_it_left_it() {
        let data = tempfile::tempdir().unwrap();
        let (mine, other) = (data.path().join("with space/mine"), data.path().join("with space/other"));
        let world = PracticeWorld::open(&mine).await.unwrap();
        assert!(world.fresh);
        assert_eq!(count(&world, "SELECT count(*) FROM orders").await, 340);
        assert_eq!(count(&world, "SELECT count(*) FROM orders WHERE status = 'cancelled'").await, 12);
        assert_eq!(count(&world, "SELECT count(DISTINCT customer_id) FROM orders").await, 24);
        assert!(std::fs::read_to_string(world.workspace.join("src/app.py")).unwrap().contains("TODO"));

        let options: SqliteConnectOptions = world.database_url.parse().unwrap();
        let mut connection = options.connect().await.unwrap();
        sqlx::raw_sql("DELETE FROM orders WHERE status = 'cancelled'").execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        std::fs::remove_file(world.workspace.join("data.csv")).unwrap();

        let second = PracticeWorld::open(&other).await.unwrap();
        assert_eq!(count(&second, "SELECT count(*) FROM orders").await, 340, "while the first is open");
        assert!(second.fresh && second.workspace.join("data.csv").exists());
        drop(world);
        let world = PracticeWorld::open(&mine).await.unwrap();
        assert_eq!(count(&world, "SELECT count(*) FROM orders").await, 328);
        assert!(!world.fresh && !world.workspace.join("data.csv").exists());
    }
}
