//! Bounds on the memory of reads: SQLite runs in this process, and one statement can ask for any amount.

use std::ffi::c_int;

use libsqlite3_sys::{SQLITE_LIMIT_LENGTH, sqlite3};

/// Rows that wait to be taken in.
pub(super) const AHEAD: usize = 4;

/// Bytes that the values of one row may have together. A row is held in the engine, and copied for each that waits, the
/// one that is taken in and the one that comes next: all of them fit in the heap.
const ROW: c_int = 64 * 1024 * 1024;

/// Bytes that SQLite may hold in the whole process. The journal shares them: what it can't write while a read holds all
/// of them isn't run.
const HEAP: i64 = 512 * 1024 * 1024;

/// Bounds what SQLite holds. What would need more fails with its own words, `out of memory`.
pub(super) fn heap() {
    // SAFETY: the call only sets a number.
    #[allow(unsafe_code)]
    let _before = unsafe { libsqlite3_sys::sqlite3_hard_heap_limit64(HEAP) };
}

/// Bounds each value of a statement, so that a row of so many columns is bounded, too.
pub(super) fn value(database: *mut sqlite3, columns: c_int) {
    // SAFETY: the caller holds the connection's lock; the call only sets a number.
    #[allow(unsafe_code)]
    let _before = unsafe { libsqlite3_sys::sqlite3_limit(database, SQLITE_LIMIT_LENGTH, ROW / columns.max(1)) };
}
