//! What a statement that empties or drops several tables would do, table by table.

use super::desk::Desk;
use super::guarded::{self, sees};
use super::held::{depended, needed};
use super::reach::{Place, Reach};
use super::told::{counted, set_off};
use super::{NOTHING, elsewhere, told};
use crate::assess::sql_foresee::{Act, Reads};
use crate::domain::number::{count, thousands};
use crate::domain::{Preview, Remedy};

/// Most tables that are looked up.
const LOOKED_UP: usize = 10;

impl Desk<'_> {
    /// Measures it.
    pub(super) async fn each(&self, all: &[Reads]) -> Preview {
        let mut preview = Preview { remedy: Remedy::Impossible(NOTHING.to_owned()), ..Preview::default() };
        let mut found = Vec::new();
        for reads in all.iter().take(LOOKED_UP) {
            let known = self.known(reads).await;
            let sees = known.as_ref().ok().and_then(Option::as_ref).map(|known| sees(reads, known, self.source));
            found.push((Reads { sees: sees.unwrap_or_default(), ..reads.clone() }, known));
        }
        let place = |known: &super::Known| (known.schema.clone(), known.name.clone());
        let named: Vec<Place> =
            found.iter().filter_map(|(_, known)| known.as_ref().ok()?.as_ref().map(place)).collect();
        let (mut rows, mut tables, mut needs) = (Some(0), all.len(), Vec::new());
        for (reads, known) in found {
            let table = &reads.table;
            let mut known = match known {
                Ok(Some(known)) => known,
                Ok(None) => {
                    preview.effects.push(format!("There is no table {table}."));
                    tables -= 1;
                    continue;
                }
                Err(why) => {
                    preview.effects.push(format!("{table} isn't counted: {why}"));
                    rows = None;
                    continue;
                }
            };
            match self.counts(&reads, None).await {
                Ok(mut counts) => {
                    counts.size = counts.size.or(known.size);
                    rows = rows.map(|rows| rows + counts.touched);
                    preview.effects.extend(told(&reads, &counts).effects);
                    preview.effects.extend(guarded::told(&reads, &known, self.source));
                }
                Err(why) => {
                    preview.effects.push(format!("{table}: {why}"));
                    rows = None;
                }
            }
            known.referrers.retain(|referrer| !named.iter().any(|(_, name)| *name == referrer.table));
            needs.extend(needed(self.dialect, &reads, &known));
            let cascades = reads.act == Act::Empty && reads.cascade;
            let mut reach = if cascades { self.emptied(&reads, &known).await } else { Reach::default() };
            reach.leave_out(&named);
            preview.effects.extend(set_off(self.dialect, &reads, &known, (&[], &reach)));
        }
        let left = all.len().saturating_sub(LOOKED_UP);
        if left > 0 {
            preview.effects.push(format!("{} more aren't looked up.", thousands(left as u64)));
            rows = None;
        }
        let counted = rows.map_or_else(|| "rows".to_owned(), counted);
        preview.brief = format!("{counted} of {}", count(tables as u64, "table"));
        preview.effects.extend(elsewhere(self.source));
        needs.dedup();
        depended(&mut preview, needs);
        preview
    }
}
