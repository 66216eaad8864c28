//! What SQLite itself says of a statement: compiled against a small database in memory, never run.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use countersign::assess::sql_catalog::asks_journal_mode;
use libsqlite3_sys as ffi;

/// What it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// It takes it for one statement that only reads.
    Reads,
    /// It doesn't take it.
    Refuses,
    /// It would do more, with what.
    Acts(String),
}

/// A database in memory.
pub struct Sqlite(*mut ffi::sqlite3);

const SCHEMA: &str = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE TABLE u (a INT, b TEXT); \
    CREATE VIEW seen AS SELECT a FROM t; CREATE INDEX i ON u (a); \
    CREATE TABLE users (id INT, name TEXT, email TEXT); CREATE TABLE orders (id INT, user_id INT, total REAL);";

impl Sqlite {
    /// Opens one.
    #[allow(unsafe_code)]
    pub fn open() -> Self {
        let mut database = ptr::null_mut();
        let schema = CString::new(SCHEMA).unwrap();
        // SAFETY: the name and the schema are C strings that outlive the calls; the handle is used by this thread only.
        unsafe {
            let opened = ffi::sqlite3_open(c":memory:".as_ptr(), &raw mut database);
            assert_eq!(opened, ffi::SQLITE_OK);
            let made = ffi::sqlite3_exec(database, schema.as_ptr(), None, ptr::null_mut(), ptr::null_mut());
            assert_eq!(made, ffi::SQLITE_OK);
        }
        Self(database)
    }

    /// What it says of a text. The one question that it takes for a change, whatever is asked, is told by a connection
    /// that may change nothing.
    #[allow(unsafe_code)]
    pub fn word(&self, sql: &str) -> Word {
        if asks_journal_mode(sql) {
            return Word::Reads;
        }
        let Ok(length) = c_int::try_from(sql.len()) else { return Word::Refuses };
        let mut acts: Vec<c_int> = Vec::new();
        let (mut statement, mut tail) = (ptr::null_mut(), ptr::null());
        // SAFETY: the handle is open and used by this thread only; the text and the list outlive the calls that get
        // them; the statement is finalized before it is forgotten; the tail lies within the text.
        let (code, reads, planned, one, rest) = unsafe {
            ffi::sqlite3_set_authorizer(self.0, Some(noted), (&raw mut acts).cast());
            let code = ffi::sqlite3_prepare_v2(self.0, sql.as_ptr().cast(), length, &raw mut statement, &raw mut tail);
            let reads = statement.is_null() || ffi::sqlite3_stmt_readonly(statement) != 0;
            let one = !statement.is_null();
            let planned = one && ffi::sqlite3_stmt_isexplain(statement) != 0;
            ffi::sqlite3_finalize(statement);
            let rest =
                if tail.is_null() { 0 } else { usize::try_from(tail.offset_from(sql.as_ptr().cast())).unwrap_or(0) };
            ffi::sqlite3_set_authorizer(self.0, None, ptr::null_mut());
            (code, reads, planned, one, rest)
        };
        if code != ffi::SQLITE_OK {
            return Word::Refuses;
        }
        let more = sql.get(rest..).unwrap_or_default();
        if one && more.contains(char::is_alphanumeric) && self.word(more) != Word::Refuses && !only_comments(more) {
            return Word::Acts("several statements".to_owned());
        }
        match acts.first() {
            _ if planned => Word::Reads,
            _ if !reads => Word::Acts("it isn't read-only".to_owned()),
            Some(act) => Word::Acts(format!("authorizer action {act}")),
            None => Word::Reads,
        }
    }
}

impl Drop for Sqlite {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: the handle is open and nobody uses it any more.
        unsafe { ffi::sqlite3_close(self.0) };
    }
}

/// Whether nothing but comments stands in a text, as SQLite reads them.
fn only_comments(text: &str) -> bool {
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
    loop {
        rest = match (rest.strip_prefix("--"), rest.strip_prefix("/*")) {
            (Some(line), _) => line.split_once('\n').map_or("", |(_, rest)| rest),
            (_, Some(block)) => block.split_once("*/").map_or("", |(_, rest)| rest),
            (None, None) => return rest.is_empty(),
        };
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
    }
}

/// Notes what is more than a read.
extern "C" fn noted(
    list: *mut c_void,
    act: c_int,
    _: *const c_char,
    _: *const c_char,
    _: *const c_char,
    _: *const c_char,
) -> c_int {
    const READS: [c_int; 5] =
        [ffi::SQLITE_SELECT, ffi::SQLITE_READ, ffi::SQLITE_FUNCTION, ffi::SQLITE_RECURSIVE, ffi::SQLITE_PRAGMA];
    if !READS.contains(&act) {
        // SAFETY: `word` gave the list, which outlives the preparing that calls this.
        #[allow(unsafe_code)]
        unsafe {
            (*list.cast::<Vec<c_int>>()).push(act);
        }
    }
    ffi::SQLITE_OK
}
