//! What several statements of one text would do: one by one, each as things are before the first.

use tokio_util::sync::CancellationToken;

use super::super::connections::Source;
use super::{NOTHING, statement};
use crate::assess::sql_catalog::{names, statements};
use crate::assess::sql_touch::target;
use crate::domain::number::{count, thousands};
use crate::domain::{Detail, Prepared, Preview, Remedy, SqlOperation, SqlWay};
use crate::store::Images;

/// First words of statements behind which every name means what it meant before.
const VERBS: [&str; 6] = ["delete", "insert", "merge", "replace", "truncate", "update"];
/// Most statements that are measured.
const MEASURED: usize = 5;

/// Measures each. None for a text of one statement, or where one may change what another means.
pub(super) async fn one_by_one(
    source: &Source,
    images: &Images,
    prepared: &Prepared,
    operation: &SqlOperation,
    cancel: &CancellationToken,
) -> Option<Preview> {
    let dialect = source.dialect();
    let all = statements(dialect, &operation.sql).filter(|all| all.len() > 1 && operation.way == SqlWay::Plain)?;
    let plain = |sql: &&str| names(dialect, sql).is_some_and(|names| VERBS.contains(&names.verb.as_str()));
    if !all.iter().all(plain) {
        return None;
    }
    let why = target(dialect, &operation.sql).err().unwrap_or_else(|| NOTHING.to_owned());
    let mut preview =
        Preview { brief: count(all.len(), "statement"), remedy: Remedy::Impossible(why), ..Preview::default() };
    for (at, sql) in all.iter().enumerate().take(MEASURED) {
        let one = SqlOperation { sql: (*sql).to_owned(), ..operation.clone() };
        let told = match statement(source, images, prepared, &one, cancel).await {
            Ok(told) => told.unwrap_or_default(),
            Err(why) => Preview { effects: vec![why], ..Preview::default() },
        };
        let number = at + 1;
        let later = |said: String| {
            if at > 0 { said.replacen("It would fail", "As things are now, it would fail", 1) } else { said }
        };
        preview.warnings.extend(told.warnings.into_iter().map(later).map(|said| format!("{number}: {said}")));
        preview.effects.extend(told.effects.into_iter().map(|said| format!("{number}: {said}")));
        preview.details.extend(told.details.into_iter().map(|detail| numbered(detail, number)));
    }
    let left = all.len().saturating_sub(MEASURED);
    if left > 0 {
        preview.effects.push(format!("{} more aren't looked up.", thousands(left as u64)));
    }
    preview.effects.push("Each is counted as things are before the first.".to_owned());
    Some(preview)
}

/// Says of which statement rows are.
fn numbered(detail: Detail, number: usize) -> Detail {
    match detail {
        Detail::Rows { title, table } => Detail::Rows { title: format!("{number}: {title}"), table },
        other => other,
    }
}
