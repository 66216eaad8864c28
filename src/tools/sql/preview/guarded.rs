//! Where policies decide which rows a role sees, those that are counted may be others than those that a statement meets: it
//! reads by some of them, and changes or deletes by others; what empties a table asks none.

use super::super::connections::Source;
use super::super::table::{Known, Policies};
use super::held::FAILS;
use crate::assess::sql_foresee::{Act, Reads, Sees};

/// How the rows that are counted stand to those that it meets.
pub(super) fn sees(reads: &Reads, known: &Known, source: &Source) -> Sees {
    // What it brings is counted, whoever sees it.
    if !known.guarded || reads.act == Act::Add {
        return Sees::Same;
    }
    if source.database.reading.is_some() {
        return Sees::Others;
    }
    let of = |act: Act| match act {
        Act::Delete => known.policies("delete"),
        _ => known.policies("update"),
    };
    match reads.act {
        Act::Empty | Act::Drop | Act::Alter if of(Act::Change).is_some() => Sees::More,
        Act::Empty | Act::Drop | Act::Alter | Act::Add => Sees::Same,
        Act::Change | Act::Delete => match of(reads.act) {
            None => Sees::Same,
            Some(Policies::Same) => Sees::Own,
            Some(Policies::Forbid) => Sees::Fewer,
            // It meets no row that it may not read, where it reads.
            Some(Policies::Other) if reads.narrowed => Sees::Fewer,
            Some(Policies::Other) => Sees::Others,
        },
        Act::Merge => {
            let all: Vec<Option<Policies>> = reads.parts.iter().map(|part| of(part.act)).collect();
            match all.iter().all(|policies| *policies == Some(Policies::Same)) {
                _ if all.iter().all(Option::is_none) => Sees::Same,
                true => Sees::Own,
                false => Sees::Fewer,
            }
        }
    }
}

/// What has to be said of that, in a full sentence.
pub(super) fn told(reads: &Reads, known: &Known, source: &Source) -> Option<String> {
    let table = &reads.table;
    let fewer = known.policies(if reads.act == Act::Delete { "delete" } else { "update" });
    let reading = known.guarded && source.database.reading.is_some();
    let more = if reads.act == Act::Alter { "has" } else { "takes along" };
    match reads.sees {
        _ if reading && reads.act != Act::Add => Some(format!("Row policies decide who sees which rows of {table}.")),
        Sees::Same if reads.act == Act::Add && known.policies("insert").is_some() => {
            Some(format!("Row policies of {table} decide which rows this role may add."))
        }
        Sees::Same => None,
        Sees::Own => Some(format!("Row policies of {table} decide which rows are met: those that this role sees.")),
        Sees::Fewer if fewer == Some(Policies::Forbid) => {
            Some(format!("No row policy of {table} lets this role do that to any of them."))
        }
        Sees::Fewer => Some(format!("Row policies of {table} may keep it from some of them.")),
        Sees::More => Some(format!("It {more} rows of {table} that row policies hide from this role, too.")),
        Sees::Others => Some(format!("Row policies of {table} may let it meet others than this role sees.")),
    }
}

/// Why policies make it fail: none lets this role add rows.
pub(super) fn refused(reads: &Reads, known: &Known, touched: u64) -> Option<String> {
    let adds = reads.act == Act::Add && touched > 0;
    known.policies("insert").filter(|policies| adds && *policies == Policies::Forbid)?;
    // A trigger may leave them out.
    let sure = !reads.chance && known.firing(&["insert"], &[]).is_empty();
    let begins = if sure { FAILS } else { "It may fail: " };
    Some(format!("{begins}no row policy of {} lets this role add rows.", reads.table))
}
