//! What a change of rows of joined tables would do, table by table: each row counts once, however many others it meets.
//! Of MySQL and MariaDB.

use super::super::table::Known;
use super::super::value::quoted_name;
use super::desk::Desk;
use super::held::{Held, warn};
use super::reach::{Place, Reach};
use super::told::{counted, going_along, set_off};
use super::{elsewhere, told};
use crate::assess::sql_foresee::{Act, NewValue, Several};
use crate::domain::number::thousands;
use crate::domain::{Detail, Preview, Remedy, Trial};

/// Most tables that are looked up.
const LOOKED_UP: usize = 10;

/// One of the tables that it changes.
struct Part {
    known: Known,
    /// Where it stands among those that are joined.
    at: Vec<usize>,
    /// The columns that are set, in small letters.
    set: Vec<String>,
    /// What each of them gets, where that can be told.
    values: Vec<Option<NewValue>>,
    /// Its rows that are touched. None if no key tells them apart.
    condition: Option<String>,
}

impl Desk<'_> {
    /// Measures it.
    ///
    /// # Errors
    /// Why it can't be told which rows it touches, in a full sentence.
    pub(super) async fn several(&self, several: &Several) -> Result<Preview, String> {
        let parts = self.parts(several).await?;
        let mut met: Vec<(Place, String)> = Vec::new();
        for Part { known, condition, .. } in &parts {
            met.extend(condition.clone().map(|condition| ((known.schema.clone(), known.name.clone()), condition)));
        }
        let mut preview = Preview::default();
        let (mut touched, mut held) = (Some(0), Vec::new());
        for part in &parts {
            let table = several.spelled(part.at[0]);
            let Some(condition) = &part.condition else {
                let verb = if several.act == Act::Delete { "Deletes" } else { "Changes" };
                let why = "no key tells its rows apart";
                preview.effects.push(format!("{verb} rows of {table}; how many isn't counted: {why}."));
                touched = None;
                continue;
            };
            let reads = several.reads(part.at[0], condition, if part.at.len() == 1 { &part.values } else { &[] });
            let counts = self.counts(&reads, None).await?;
            touched = touched.map(|touched| touched + counts.touched);
            let mut own = told(&reads, &counts);
            let refused = self.samples(&mut own, &reads, &counts, Some(&part.known)).await;
            own.warnings.extend(refused.map(|why| format!("It may fail: {why}.")));
            let along = going_along(self.dialect, &reads, &part.known, &part.set);
            let reach = if self.referred(&reads, &part.set, &part.known) {
                self.reach(&reads, &part.set, &part.known, &mut met).await
            } else {
                Reach::default()
            };
            own.effects.extend(set_off(self.dialect, &reads, &part.known, (&along, &reach)));
            if parts.len() > 1 {
                own.details.iter_mut().for_each(|detail| of_table(detail, &table));
            }
            held.extend(reach.held);
            preview.brief = own.brief;
            preview.effects.extend(own.effects);
            preview.warnings.extend(own.warnings);
            preview.details.extend(own.details);
        }
        if parts.len() > 1 {
            let rows = touched.map_or_else(|| "rows".to_owned(), counted);
            preview.brief = format!("{rows} of {} tables", thousands(parts.len() as u64));
        }
        preview.effects.extend(elsewhere(self.source));
        preview.remedy = Remedy::Impossible("it names several tables.".to_owned());
        preview.trial = Trial::Refused("it names several tables.".to_owned());
        // What refers to one of them may go with another.
        let held: Vec<Held> = if parts.len() > 1 { held.iter().map(Held::doubted).collect() } else { held };
        warn(&mut preview, &held);
        Ok(preview)
    }

    /// The tables that it changes, each once.
    async fn parts(&self, several: &Several) -> Result<Vec<Part>, String> {
        let unclear = |why: String| format!("Its rows can't be counted beforehand: {why}");
        // A column alone may be any table's.
        let open = several.changes.iter().any(|change| change.table.is_none());
        let asked = |at: &usize| open || several.changes.iter().any(|change| change.table == Some(*at));
        let asked: Vec<usize> = (0..several.tables.len()).filter(asked).collect();
        if asked.len() > LOOKED_UP {
            return Err(unclear(format!("of more than {LOOKED_UP} tables it isn't looked up which it changes.")));
        }
        let mut tables: Vec<(usize, Known)> = Vec::new();
        for at in asked {
            let spelled = several.spelled(at);
            let known = self.table(several.act, &spelled, &several.tables[at].place).await.map_err(unclear)?;
            tables.push((at, known.ok_or_else(|| unclear(format!("{spelled} is not found.")))?));
        }
        let mut parts: Vec<Part> = Vec::new();
        for change in &several.changes {
            let has = |known: &Known, name: &str| known.columns.iter().any(|column| column.name.to_lowercase() == name);
            let named = |(at, known): &&(usize, Known)| match (change.table, &change.column) {
                (Some(table), _) => *at == table,
                (None, Some(column)) => has(known, column),
                (None, None) => false,
            };
            let mut meant = tables.iter().filter(named);
            let (Some((at, known)), None) = (meant.next(), meant.next()) else {
                let column = change.column.as_deref().unwrap_or_default();
                return Err(unclear(format!("it isn't clear whose {column} is.")));
            };
            let same = |part: &&mut Part| part.known.schema == known.schema && part.known.name == known.name;
            if let Some(part) = parts.iter_mut().find(same) {
                if !part.at.contains(at) {
                    part.at.push(*at);
                }
                part.set.extend(change.column.clone());
                part.values.push(change.value.clone());
            } else {
                let set = change.column.iter().cloned().collect();
                let values = vec![change.value.clone()];
                parts.push(Part { known: known.clone(), at: vec![*at], set, values, condition: None });
            }
        }
        for part in &mut parts {
            let key =
                part.known.keys.first().map(|key| key.iter().map(|name| quoted_name(self.dialect, name)).collect());
            part.condition = key.map(|key: Vec<String>| several.condition(&part.at, &key));
        }
        Ok(parts)
    }
}

/// Says of which table rows are.
fn of_table(detail: &mut Detail, table: &str) {
    if let Detail::Rows { title, .. } = detail {
        *title = title.replacen("rows", &format!("rows of {table}"), 1);
    }
}
