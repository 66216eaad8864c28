//! What a statement would do that touches no rows of a table: the view or the index that it drops, with its text and
//! what depends on it; whether what it makes is there already. Questions to the catalog alone.

use super::super::session::Access;
use super::super::table::{Known, lossy, question_with};
use super::super::value::{quoted_name, quoted_text};
use super::desk::Desk;
use super::held::depended;
use super::needed::Part;
use super::reach::Reach;
use super::told::{Counts, counted, set_off};
use super::{NOTHING, told};
use crate::assess::sql_foresee::{Dropped, InTheWay, Other, PartDeed, Parts, Thing, reads};
use crate::domain::number::thousands;
use crate::domain::{Detail, Dialect, Preview, Remedy, Text};

const POSTGRES: &str = include_str!("../postgres/definition.sql");
const MYSQL: &str = include_str!("../mysql/definition.sql");
const SQLITE: &str = include_str!("../sqlite/definition.sql");

/// Most things of one statement that are looked up.
const LOOKED_UP: usize = 5;
/// Seconds that a question to the catalog may take.
const PATIENCE: u64 = 2;
/// Longest text that is shown, in bytes.
const SHOWN: usize = 16 * 1024;

/// Schema and name of a thing; of MySQL's index, of its table.
type Place = (Option<String>, String);

impl Desk<'_> {
    /// Measures it.
    pub(super) async fn other(&self, other: &Other, sql: &str) -> Preview {
        match other {
            Other::Drops(dropped) => self.drops(dropped).await,
            Other::Whole(whole) => self.whole(whole).await,
            Other::Parts(parts) => self.parts_of(parts).await,
            Other::Makes { thing, spelled, place, back, in_the_way } => {
                let mut made = self.makes(*thing, spelled, (place, back), *in_the_way).await;
                if *thing == Thing::Index && matches!(made.remedy, Remedy::ByHand(_)) {
                    made.effects.extend(self.indexing(sql).await);
                    depended(&mut made, self.unmet(sql).await);
                }
                if *thing == Thing::View && *in_the_way == InTheWay::Go {
                    self.changes_of_view(&mut made, sql, spelled).await;
                }
                made
            }
        }
    }

    /// What becomes of partitions.
    async fn parts_of(&self, parts: &Parts) -> Preview {
        let Parts { table, names, deed, rows, all } = parts;
        let numbers = self.numbers(&format!("SELECT ({rows}) AS touched, ({all}) AS rows_in_all")).await;
        let (brief, part, why) = match numbers.as_deref() {
            Ok([touched, all]) => {
                let of = format!("{} of {}", thousands(*touched), counted(*all));
                (of.clone(), of, None)
            }
            Ok(_) => ("rows".to_owned(), "rows".to_owned(), None),
            Err(why) => ("rows".to_owned(), "rows".to_owned(), Some(format!("They can't be counted: {why}"))),
        };
        let effect = match deed {
            PartDeed::Drop => format!("Drops {names} of {table} with its rows: {part}."),
            PartDeed::Empty => format!("Empties {names} of {table}: {part}."),
            PartDeed::Detach => format!("Takes {names} out of {table}: {part} leave it, and stay in {names}."),
        };
        let effects = [vec![effect], why.into_iter().collect()].concat();
        Preview { brief, effects, remedy: Remedy::Impossible(NOTHING.to_owned()), ..Preview::default() }
    }

    async fn drops(&self, dropped: &[Dropped]) -> Preview {
        let mut preview = Preview { remedy: Remedy::Impossible(NOTHING.to_owned()), ..Preview::default() };
        let mut needs = Vec::new();
        for Dropped { thing, spelled, place, cascade } in dropped.iter().take(LOOKED_UP) {
            let word = thing.word();
            match self.definition(*thing, spelled, place).await {
                Ok(None) => preview.effects.push(format!("There is no {word} {spelled}.")),
                Err(why) => {
                    preview.effects.push(format!("Drops the {word} {spelled}, which can't be looked up: {why}."));
                }
                Ok(Some(found)) if found.sort != word => {
                    preview.warnings.push(format!("It would fail: {spelled} is no {word} ({}).", found.sort));
                }
                Ok(Some(found)) => {
                    preview.effects.push(format!("Drops the {word} {spelled}."));
                    preview.effects.extend(self.depending(*thing, &found, *cascade).await);
                    // Of several, one may need the other.
                    if !cascade && dropped.len() == 1 {
                        let (spelled, index) = (found.spelled(self.dialect), unquoted(spelled));
                        let place = (place.0.as_deref(), place.1.as_str());
                        // An index of MySQL is one of its table.
                        let (sort, name) =
                            if self.dialect == Dialect::Mysql { ("index", index.as_str()) } else { ("relation", "") };
                        let needed = *thing == Thing::Index || self.dialect == Dialect::Postgres;
                        let part = Part { spelled: &spelled, place, sort, name };
                        needs.extend(if needed { self.needing(&part).await } else { None });
                    }
                    preview.details.extend(found.shown());
                }
            }
        }
        let left = dropped.len().saturating_sub(LOOKED_UP);
        if left > 0 {
            preview.effects.push(format!("{} more aren't looked up.", thousands(left as u64)));
        }
        if let [one] = dropped {
            preview.brief = format!("drops {}", one.thing.one());
        } else {
            preview.brief = format!("drops {} things", thousands(dropped.len() as u64));
        }
        depended(&mut preview, needs);
        preview
    }

    /// What depends on a view, in full sentences.
    async fn depending(&self, thing: Thing, found: &Definition, cascade: bool) -> Vec<String> {
        if !matches!(thing, Thing::View | Thing::Stored) {
            let goes = "What depends on it goes, too; that isn't looked up.".to_owned();
            return if cascade { vec![goes] } else { Vec::new() };
        }
        let known = match self.view(found).await {
            Ok(Some(known)) => known,
            Ok(None) => return Vec::new(),
            Err(why) => return vec![format!("What depends on it can't be looked up: {why}.")],
        };
        let mut said = Vec::new();
        if !known.views.is_empty() {
            let views = known.views.join(", ");
            said.push(if cascade {
                format!("Views that go, too: {views}, and what reads those.")
            } else {
                format!("Views that read it: {views}.")
            });
        }
        let triggers: Vec<&str> = known.triggers.iter().map(|trigger| trigger.name.as_str()).collect();
        if !triggers.is_empty() {
            said.push(format!("Triggers that go, too: {}.", triggers.join(", ")));
        }
        said
    }

    async fn makes(&self, thing: Thing, spelled: &str, (place, back): (&Place, &str), in_the_way: InTheWay) -> Preview {
        let (word, at) = (thing.word(), self.goes_to(place).await);
        let found = self.definition(thing, spelled, &at).await;
        // By its bare name, the `DROP` might mean another one.
        let other = at != *place && !matches!(self.definition(thing, spelled, place).await, Ok(None));
        let back = match &at.0 {
            Some(schema) if other && thing != Thing::Index => {
                format!("DROP {} {}.{spelled}", word.to_uppercase(), quoted_name(self.dialect, schema))
            }
            _ => back.to_owned(),
        };
        let made = Preview {
            brief: format!("new {word}"),
            effects: vec![format!("Creates the {word} {spelled}.")],
            remedy: Remedy::ByHand(format!("`{back}` undoes it.")),
            ..Preview::default()
        };
        match (found, in_the_way) {
            (Ok(None), _) | (Err(_), InTheWay::Fail) => made,
            (Err(why), _) => Preview {
                effects: vec![format!("Creates the {word} {spelled}; whether one is there can't be looked up: {why}.")],
                remedy: Remedy::Impossible(NOTHING.to_owned()),
                ..Preview::default()
            },
            (Ok(Some(found)), InTheWay::Fail) => Preview {
                brief: "would fail".to_owned(),
                warnings: vec![format!("It would fail: {spelled} is there already ({}).", found.sort)],
                ..Preview::default()
            },
            (Ok(Some(_)), InTheWay::Stay) => Preview {
                brief: "nothing new".to_owned(),
                effects: vec![format!("{spelled} is there already, and stays as it is.")],
                ..Preview::default()
            },
            (Ok(Some(found)), InTheWay::Change | InTheWay::Go) => {
                let goes = if thing == Thing::Table { self.goes(spelled).await } else { Preview::default() };
                let brief = [format!("replaces {}", thing.one()), goes.brief];
                Preview {
                    brief: brief.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "),
                    effects: [vec![format!("Replaces the {word} {spelled}.")], goes.effects].concat(),
                    details: found.shown().into_iter().collect(),
                    remedy: Remedy::Impossible(NOTHING.to_owned()),
                    ..Preview::default()
                }
            }
        }
    }

    /// What goes with a table that another takes the place of.
    async fn goes(&self, spelled: &str) -> Preview {
        let Ok(Some(reads)) = reads(self.dialect, &format!("DROP TABLE {spelled}")) else { return Preview::default() };
        let known = self.known(&reads).await.ok().flatten();
        let mut goes = match self.counts(&reads, None).await {
            Ok(counts) => {
                let size = counts.size.or_else(|| known.as_ref()?.size);
                told(&reads, &Counts { size, ..counts })
            }
            Err(why) => Preview { effects: vec![why], ..Preview::default() },
        };
        if let Some(known) = &known {
            goes.effects.extend(set_off(self.dialect, &reads, known, (&[], &Reach::default())));
        }
        goes
    }

    /// Where something new of that name goes: in PostgreSQL, into the first schema of the search path.
    async fn goes_to(&self, place: &Place) -> Place {
        if self.dialect != Dialect::Postgres || place.0.is_some() {
            return place.clone();
        }
        let first = self.rows("SELECT pg_catalog.current_schema()").await.ok();
        let schema = first.and_then(|table| table.rows.into_iter().next()?.into_iter().next()?);
        (schema, place.1.clone())
    }

    /// What lies under a name. None if nothing does.
    async fn definition(&self, thing: Thing, spelled: &str, place: &Place) -> Result<Option<Definition>, String> {
        let (schema, name) = (place.0.as_deref(), place.1.as_str());
        let dialect = self.dialect;
        // The name by the search path, as the statement's would be.
        let path: Vec<String> = schema.iter().copied().chain([name]).map(|part| quoted_name(dialect, part)).collect();
        let index = match (dialect, thing) {
            (Dialect::Mysql, Thing::Index) => unquoted(spelled),
            _ => String::new(),
        };
        let index = quoted_text(dialect, &index);
        let texts = [SQLITE, POSTGRES, MYSQL];
        let asked = question_with(dialect, texts, &path.join("."), schema, name, &[("{index}", &index)]);
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.map_err(|error| error.to_string())?;
        let answer = session.ask(&asked).await.map_err(|failure| self.source.explain(failure).to_string())?;
        self.source.give_back(Access::ReadOnly, session).await;
        // Questions around it yield a row of their own.
        let mut found = answer.rows.into_iter().filter(|row| row.len() == 4).map(|row| {
            let mut texts = row.into_iter().map(|value| value.map_or_else(String::new, |bytes| lossy(&bytes)));
            let [sort, schema, name, text] = std::array::from_fn(|_| texts.next().unwrap_or_default());
            Definition { sort, schema, name, text }
        });
        Ok(found.next_back())
    }

    /// What the catalog says of a view.
    async fn view(&self, found: &Definition) -> Result<Option<Known>, String> {
        let mut session = self.source.take(Access::ReadOnly, PATIENCE).await.map_err(|error| error.to_string())?;
        let spelled = found.spelled(self.dialect);
        let place = (Some(found.schema.as_str()), found.name.as_str());
        let told = |failure| self.source.explain(failure).to_string();
        let mut known = Known::ask(session.as_mut(), self.dialect, &spelled, place).await.map_err(told)?;
        if let Some(known) = &mut known {
            known.find_readers(session.as_mut(), self.dialect).await.map_err(told)?;
            known.views.retain(|view| *view != found.name);
        }
        self.source.give_back(Access::ReadOnly, session).await;
        Ok(known)
    }
}

/// A name of MySQL without its quotes.
fn unquoted(spelled: &str) -> String {
    let inner = spelled.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    inner.map_or_else(|| spelled.to_owned(), |inner| inner.replace("``", "`"))
}

/// What the catalog says of something by its name.
struct Definition {
    sort: String,
    schema: String,
    name: String,
    /// What makes it; empty if that isn't told.
    text: String,
}

impl Definition {
    /// Its name with its schema, quoted.
    fn spelled(&self, dialect: Dialect) -> String {
        format!("{}.{}", quoted_name(dialect, &self.schema), quoted_name(dialect, &self.name))
    }

    fn shown(&self) -> Option<Detail> {
        let mut body = self.text.clone();
        if body.len() > SHOWN {
            let left = body.len() - SHOWN;
            body.truncate(body.floor_char_boundary(SHOWN));
            body.push_str(&format!("\n… {} more", crate::domain::number::size(left as u64)));
        }
        (!body.is_empty()).then_some(Detail::Text(Text { language: "sql", body }))
    }
}
