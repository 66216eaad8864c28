//! What `git apply` would change, told by git's own reading of the patch, which applies nothing.

use super::Effects;
use super::called::Called;
use super::commits::{Git, some};
use crate::domain::Remedy;
use crate::domain::number::count;

/// Flags behind which a value stands.
pub(super) const VALUED: [&str; 4] = ["-p", "--whitespace", "--include", "--exclude"];
/// Flags of which git's reading says what they do.
const KNOWN: [&str; 9] =
    ["-p", "--whitespace", "--include", "--exclude", "-R", "--reverse", "-v", "--verbose", "--index"];

/// Measures a patch.
///
/// # Errors
/// Git can't be asked, the patch isn't there or it is another use.
pub(super) async fn measure(git: &Git<'_>, effects: &mut Effects, called: &Called) -> Result<(), String> {
    let known = |flag: &String| {
        let name = flag.split(['=', ' ']).next().unwrap_or(flag);
        KNOWN.contains(&name)
    };
    let patches: Vec<&str> = called.operands.iter().chain(&called.paths).map(String::as_str).collect();
    // Below the top, git leaves out what lies beside the folder, and standard input comes when it runs.
    if !called.flags.iter().all(known) || patches.is_empty() || git.folder != git.repository.root {
        return Err("what `git apply` changes".to_owned());
    }
    // As git takes them: what stood behind a blank stands beside its letter.
    let joined = |flag: &String| match flag.split_once(' ') {
        Some((name, value)) if name.starts_with("--") => format!("{name}={value}"),
        Some((name, value)) => format!("{name}{value}"),
        None => flag.clone(),
    };
    let flags: Vec<String> = called.flags.iter().map(joined).collect();
    let flags = flags.iter().map(String::as_str);
    let asked = ["apply", "--numstat", "-z"].into_iter().chain(flags).chain(["--"]).chain(patches.iter().copied());
    let asked: Vec<&str> = asked.collect();
    let told = git.text(&asked).await?;
    let summary: Vec<&str> = asked.iter().map(|word| if *word == "--numstat" { "--summary" } else { word }).collect();
    let summary = git.text(&summary).await?;
    let parts = told.split('\0').filter_map(|entry| {
        let mut parts = entry.splitn(3, '\t');
        Some((parts.next()?.parse().unwrap_or(0), parts.next()?.parse().unwrap_or(0), parts.next()?))
    });
    let files: Vec<(u64, u64, &str)> = parts.collect();
    let new = files.iter().filter(|(_, _, name)| git.folder.join(name).symlink_metadata().is_err()).count();
    let among = if new > 0 { format!(", {new} of them new") } else { String::new() };
    let (added, taken) = files.iter().fold((0, 0), |(added, taken), file| (added + file.0, taken + file.1));
    let all = count(files.len(), "file");
    let names = some(files.iter().map(|(_, _, name)| *name));
    effects.effect(format!("Changes {all} (+{added} −{taken} lines){among}: {names}."));
    effects.briefs.push(all);
    let gone = |mark: &str| summary.lines().filter(|line| line.starts_with(mark)).count();
    for (mark, what) in [(" delete mode ", "Deletes"), (" rename ", "Renames")] {
        if gone(mark) > 0 {
            effects.effect(format!("{what} {} of them.", gone(mark)));
        }
    }
    effects.effect("Git refuses all of it where a part doesn't fit.");
    let reversed = called.has("--reverse", Some('R'));
    effects.remedies.push(Remedy::ByHand(if reversed {
        "`git apply` of the same patch puts it in again.".to_owned()
    } else {
        "`git apply -R` of the same patch takes it out again.".to_owned()
    }));
    Ok(())
}
