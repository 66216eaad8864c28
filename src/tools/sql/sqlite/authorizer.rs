//! SQLite's authorizer: the engine names every function, table and PRAGMA of a statement while it compiles it, those
//! inside views too. Here they are written down, or barred. The second corner that talks to the library itself.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use libsqlite3_sys::{
    SQLITE_ATTACH, SQLITE_DENY, SQLITE_DETACH, SQLITE_FUNCTION, SQLITE_OK, SQLITE_PRAGMA, SQLITE_READ,
    SQLITE_SAVEPOINT, SQLITE_TRANSACTION, sqlite3,
};

use super::super::session::Access;
use crate::assess::sql_catalog;
use crate::domain::Dialect;

/// What SQLite calls for everything that a statement does.
type Barring =
    unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char, *const c_char, *const c_char) -> c_int;

/// What a statement uses.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) functions: BTreeSet<String>,
    pub(super) tables: BTreeSet<String>,
}

/// Bars what doesn't only read, for as long as the connection lives; nothing on one that may write.
pub(super) fn bar(database: *mut sqlite3, access: Access) {
    let barring = match access {
        Access::ReadOnly => Some(barring as Barring),
        Access::Full => None,
    };
    // SAFETY: the caller holds the connection's lock; the function keeps no state and never unwinds.
    #[allow(unsafe_code)]
    let _always_ok = unsafe { libsqlite3_sys::sqlite3_set_authorizer(database, barring, ptr::null_mut()) };
}

/// What a statement uses, as SQLite says while it compiles it. Nothing, where it doesn't compile: then it doesn't
/// run either. The connection bars afterwards as it did before.
pub(super) fn uses(database: *mut sqlite3, access: Access, sql: &str) -> Uses {
    let mut uses = Uses::default();
    let Ok(length) = c_int::try_from(sql.len()) else { return uses };
    let mut statement = ptr::null_mut();
    // SAFETY: the caller holds the connection's lock; `uses` outlives the compilation, which alone calls back;
    // `sql` has `length` bytes; the statement is finalized and never run.
    #[allow(unsafe_code)]
    unsafe {
        let data = (&raw mut uses).cast::<c_void>();
        libsqlite3_sys::sqlite3_set_authorizer(database, Some(noting), data);
        let sql = sql.as_ptr().cast();
        libsqlite3_sys::sqlite3_prepare_v2(database, sql, length, &raw mut statement, ptr::null_mut());
        libsqlite3_sys::sqlite3_finalize(statement);
    }
    bar(database, access);
    uses
}

/// Notes functions and tables.
extern "C" fn noting(
    data: *mut c_void,
    action: c_int,
    first: *const c_char,
    second: *const c_char,
    _database: *const c_char,
    _within: *const c_char,
) -> c_int {
    // SAFETY: `uses` handed over this pointer and waits for the compilation to end.
    #[allow(unsafe_code)]
    let Some(uses) = (unsafe { data.cast::<Uses>().as_mut() }) else { return SQLITE_DENY };
    match action {
        SQLITE_FUNCTION => uses.functions.extend(text(second)),
        SQLITE_READ => uses.tables.extend(text(first)),
        _ => {}
    }
    SQLITE_OK
}

/// Bars functions that aren't known to read, other files, settings, and the end of what SQLite does by itself
/// around each statement. Writing is barred by the way the file was opened.
extern "C" fn barring(
    _data: *mut c_void,
    action: c_int,
    first: *const c_char,
    second: *const c_char,
    _database: *const c_char,
    _within: *const c_char,
) -> c_int {
    let fine = match action {
        SQLITE_FUNCTION => {
            text(second).is_some_and(|name| sql_catalog::function_reads(Dialect::Sqlite, &name.to_ascii_lowercase()))
        }
        SQLITE_PRAGMA => text(first).is_some_and(|name| sql_catalog::pragma_reads(&name, !second.is_null())),
        SQLITE_ATTACH | SQLITE_DETACH | SQLITE_TRANSACTION | SQLITE_SAVEPOINT => false,
        _ => true,
    };
    if fine { SQLITE_OK } else { SQLITE_DENY }
}

fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: SQLite gives texts that end in NUL and live as long as the call.
    #[allow(unsafe_code)]
    let text = unsafe { CStr::from_ptr(pointer) };
    Some(text.to_string_lossy().into_owned())
}
