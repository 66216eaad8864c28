//! What `git mv` would move: tracked files, and over nothing that is there.

use super::called::Called;
use super::commits::{Git, some};
use super::{Effects, files};
use crate::assess::{Clash, Does, Goal, Word};

/// Measures a move.
///
/// # Errors
/// Git can't be asked, or it is another use.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    let names: Vec<&str> = called.operands.iter().chain(&called.paths).map(String::as_str).collect();
    let plain = called.flags.iter().all(|flag| flag == "-v" || flag == "--verbose");
    let Some((to, names)) = names.split_last().filter(|(_, names)| plain && !names.is_empty()) else {
        return Err("what `git mv` does".to_owned());
    };
    let tracked = |name: &str| {
        let asked = ["ls-files", "--error-unmatch", "-z", "--"].map(str::to_owned);
        [asked.to_vec(), vec![format!(":(literal){name}")]].concat()
    };
    let mut unknown = Vec::new();
    for name in names {
        let asked = tracked(name);
        if git.text(&asked.iter().map(String::as_str).collect::<Vec<_>>()).await.is_err() {
            unknown.push(*name);
        }
    }
    if !unknown.is_empty() {
        let names = some(unknown.into_iter());
        effects.warning(format!("As things are now, it would fail: git tracks nothing of that name ({names})."));
        return Ok(());
    }
    let end = git.folder.join(to);
    let last = |name: &str| name.trim_end_matches('/').rsplit('/').next().unwrap_or(name).to_owned();
    let ends = names.iter().map(|name| if end.is_dir() { end.join(last(name)) } else { end.clone() });
    let there: Vec<String> =
        ends.filter(|end| end.symlink_metadata().is_ok()).map(|end| end.display().to_string()).collect();
    if !there.is_empty() {
        let names = some(there.iter().map(String::as_str));
        effects.warning(format!("As things are now, it would fail: {names} is there already."));
        return Ok(());
    }
    let goal =
        Goal { to: Word::exact(*to), folder: names.len() > 1, exact: false, whole: false, clash: Clash::Replaced };
    let names = names.iter().map(|name| Word::exact(*name)).collect();
    files::measure(effects, git.folder.to_path_buf(), Does::Move { names, goal }, git.cancel).await
}
