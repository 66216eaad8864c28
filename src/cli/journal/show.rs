//! `countersign journal show`: operations in rows, or one whole.

use std::process::ExitCode;

use super::{Filters, PAGE, Teller, Trouble, meant, operation, print, wanted};
use crate::store::{Archive, Page, Recorded};

/// The newest operations that are meant, the newest last.
pub(super) async fn list(
    archive: &mut Archive,
    limit: usize,
    filters: &Filters,
    teller: &Teller,
) -> Result<ExitCode, Trouble> {
    let wanted = wanted(archive, filters).await?;
    let (mut found, mut behind): (Vec<Recorded>, _) = (Vec::new(), None);
    while found.len() < limit {
        let most = u32::try_from(limit - found.len()).unwrap_or(PAGE).clamp(20, PAGE);
        let page = archive.operations(&wanted, Page { behind, newest_first: true, limit: most }).await?;
        let Some(last) = page.last() else { break };
        behind = Some(last.number);
        found.extend(page.into_iter().filter(|recorded| meant(filters, recorded)));
    }
    found.truncate(limit);
    let mut out = String::new();
    for recorded in found.iter().rev() {
        if filters.json {
            out.push_str(&teller.json(recorded, false).to_string());
        } else {
            out.push_str(&teller.row(recorded));
        }
        out.push('\n');
    }
    print(&out);
    if found.is_empty() {
        crate::say!("countersign: {}", filters.nothing());
    }
    Ok(ExitCode::SUCCESS)
}

/// One operation whole; or those of a session, where no operation of it is named.
pub(super) async fn named(
    archive: &mut Archive,
    named: &str,
    (limit, filters): (usize, &Filters),
    teller: &Teller,
) -> Result<ExitCode, Trouble> {
    if named.contains('#') || named.parse::<i64>().is_ok() || filters.session.is_some() {
        return one(archive, named, filters.json, teller).await;
    }
    let filters = Filters { session: Some(named.to_owned()), ..filters.clone() };
    list(archive, limit, &filters, teller).await
}

/// One operation whole.
async fn one(archive: &mut Archive, named: &str, json: bool, teller: &Teller) -> Result<ExitCode, Trouble> {
    let recorded = operation(archive, named).await?;
    let text = if json { format!("{}\n", teller.json(&recorded, true)) } else { teller.whole(&recorded) };
    print(&text);
    Ok(ExitCode::SUCCESS)
}
