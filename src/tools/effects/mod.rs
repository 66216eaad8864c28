//! What a waiting command would do, as far as its words tell: the files that it deletes, replaces, moves or opens to
//! others, and what git would lose. Looks and counts; nothing of the command runs.

mod branches;
mod bringing;
mod called;
mod cleaning;
mod commits;
mod dropped;
mod files;
mod landing;
mod linking;
mod making;
mod merging;
mod names;
mod naming;
mod obstacles;
mod order;
mod patching;
mod picking;
mod pulling;
mod push;
mod rebasing;
mod recording;
mod removal;
mod renaming;
mod resetting;
mod rewriting;
mod search;
mod signals;
mod stash;
mod switching;
mod tally;
mod worktrees;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use self::bringing::Brought;
use self::tally::Found;
use super::Workbench;
use super::versions::{Version, Versions};
use crate::assess::{Act, Does, acts};
use crate::domain::number::{count, size, thousands};
use crate::domain::{
    Class, Containment, Danger, Detail, Facts, Measurement, OperationKind, Prepared, Preview, Remedy, Table,
};

/// Most things of one command that are measured.
const ACTS: usize = 20;
/// Most of which it is looked at whether they act on what others leave.
const TRACED: usize = 200;
/// Of more than so many, what takes away is told before what adds.
const FEW: usize = 6;
/// Files that a preview lists.
const LISTED: usize = 20;
/// Names in a sentence.
const NAMED: usize = 3;

/// What was measured so far.
#[derive(Default)]
struct Effects {
    briefs: Vec<String>,
    preview: Preview,
    /// Files whose content would be gone, and whether there are more.
    gone: Vec<Found>,
    more: bool,
    /// The paths that were named, below which they are.
    roots: Vec<PathBuf>,
    remedies: Vec<Remedy>,
    /// What can't be told beforehand.
    unmeasured: Vec<String>,
    /// Folders that are made before.
    made: Vec<PathBuf>,
    /// Files that are staged before.
    staged: Vec<String>,
    /// Files of which what is staged goes, too, and is in no commit.
    only_staged: BTreeSet<PathBuf>,
    /// Names of commits, such as `refs/heads/main`, that some part takes away or moves.
    doomed: BTreeSet<String>,
    /// Some part may take others away.
    unsettled: bool,
}

impl Effects {
    fn effect(&mut self, sentence: impl Into<String>) {
        self.preview.effects.push(sentence.into());
    }

    fn warning(&mut self, sentence: impl Into<String>) {
        self.preview.warnings.push(sentence.into());
    }
}

/// Measures a command. None if it only reads.
pub(super) async fn measure(bench: &Arc<Workbench>, prepared: &Prepared, cancel: &CancellationToken) -> Measurement {
    let OperationKind::Command(command) = &prepared.operation.kind else { return Ok(None) };
    let facts = &prepared.facts;
    let acts = acts(&command.command, facts, &bench.settings);
    if acts.is_empty() {
        return Ok(None);
    }
    let mut objections = prepared.assessment.objections().map(|finding| finding.class);
    // A test runner runs code, whatever it reads.
    let reads = prepared.assessment.containment != Containment::Staged;
    if reads && objections.all(|class| class == Class::Declared(Danger::Sensitive)) {
        let effects =
            vec!["Changes nothing. What it prints may hold secrets, and the model gets it as it is.".to_owned()];
        return Ok(Some(Preview { effects, brief: "only reads".to_owned(), ..Preview::default() }));
    }
    let mut effects = Effects::default();
    let (weighty, many) = (weighty(&acts), acts.len() > FEW);
    if acts.len() > weighty.len() {
        effects.unmeasured.push(format!("what the other {} parts of it do", acts.len() - weighty.len()));
    }
    let mut later = Vec::new();
    effects.dooms(&acts);
    let brought = bringing::brought(bench, prepared, &acts, cancel).await;
    let crossed = crossed(&acts, &brought, cancel).await?;
    let measured = acts.into_iter().zip(crossed).zip(brought).enumerate().filter(|(at, _)| weighty.contains(at));
    for (_, ((act, crossed), brought)) in measured {
        let adds = adds(&act.does);
        let (effects_before, warnings_before) = (effects.preview.effects.len(), effects.preview.warnings.len());
        if let Some(crossed) = &crossed {
            let (unmeasured, lost) = crossed.told();
            effects.unmeasured.push(unmeasured);
            effects.remedies.push(Remedy::Impossible(lost.to_owned()));
            // What git would lose is worth telling all the same.
            if !matches!(act.does, Does::Git { .. }) {
                continue;
            }
        }
        if let Some(folder) = act.entered.iter().find(|folder| !enters(Path::new(folder), &effects.made)) {
            let name = named([&PathBuf::from(folder)].into_iter());
            effects.unmeasured.push(format!("what it does where it can't go into {name}, which isn't there,"));
            effects.remedies.push(Remedy::Impossible("where it works isn't known.".to_owned()));
            continue;
        }
        let unmeasured = match &act.does {
            Does::Unmeasured(what) => Some(what.as_str()),
            Does::Install { .. } => Some("install"),
            _ => None,
        };
        if let Some(what) = unmeasured {
            effects.unmeasured.push(format!("what `{what}` does"));
            continue;
        }
        let Some(folder) = act.folder.map(PathBuf::from) else {
            effects.unmeasured.push("what it does in a folder that isn't known".to_owned());
            continue;
        };
        let measured = match act.does {
            Does::Git { subcommand, words } => {
                commits::measure(&mut effects, bench, &folder, &subcommand, &words, cancel).await
            }
            Does::Search(search) => search::measure(&mut effects, (bench, prepared), &folder, &search, cancel).await,
            Does::Bring(_) => match brought {
                Some(brought) => brought.map(|brought| bringing::tell(&mut effects, &brought, cancel)),
                None => Ok(()),
            },
            Does::Signal(signal) => signals::send(&mut effects, &signal),
            does => files::measure(&mut effects, folder, does, cancel).await,
        };
        if crossed.is_some() {
            let told = effects.preview.effects.iter_mut().skip(effects_before);
            for sentence in told.chain(effects.preview.warnings.iter_mut().skip(warnings_before)) {
                *sentence = format!("As things are now: {sentence}");
            }
        }
        if let Err(why) = measured {
            effects.unmeasured.push(why);
        }
        if many && adds {
            later.extend(effects.preview.effects.drain(effects_before..));
        }
    }
    effects.preview.effects.extend(later);
    finish(effects, bench, facts, cancel).await
}

/// Whether it is of those that add more often than they take away.
fn adds(does: &Does) -> bool {
    matches!(does, Does::Make { .. } | Does::Copy { .. } | Does::Link { .. })
}

/// The places of those that are measured: of many, what takes away goes first.
fn weighty(acts: &[Act]) -> BTreeSet<usize> {
    let mut places: Vec<usize> = (0..acts.len().min(TRACED)).collect();
    places.sort_by_key(|at| adds(&acts[*at].does));
    places.into_iter().take(ACTS).collect()
}

/// Whether a shell can go into a folder that is there, or is made before.
fn enters(folder: &Path, made: &[PathBuf]) -> bool {
    folder.join(".").is_dir() || making::within(made, folder)
}

/// Why what is there now says nothing of a part: the path on which it acts is something else by then.
enum Crossed {
    /// One before it acts there, too.
    ByAnother(PathBuf),
    /// It acts there itself, and again.
    ByItself(PathBuf),
}

impl Crossed {
    /// What isn't known of it, and why there is no way back.
    fn told(&self) -> (String, &'static str) {
        let name = |path| named([path].into_iter());
        match self {
            Self::ByAnother(path) => (
                format!("what a part of it does to {}, which another part changes,", name(path)),
                "one part acts on what another leaves.",
            ),
            Self::ByItself(path) => (
                format!("what a part of it does to {} when it happens again", name(path)),
                "when it happens again, it acts on what it left.",
            ),
        }
    }
}

/// For each part what crosses it.
///
/// # Errors
/// The look didn't end, so that nothing is known of any part.
async fn crossed(
    acts: &[Act],
    brought: &[Option<Result<Brought, String>>],
    cancel: &CancellationToken,
) -> Result<Vec<Option<Crossed>>, String> {
    let (acts, cancel) = (acts.iter().take(TRACED).cloned().collect::<Vec<_>>(), cancel.clone());
    let brought = brought.to_vec();
    let look = move || {
        let of = |(act, brought): (&Act, &Option<Result<Brought, String>>)| {
            let folder = act.folder.as_ref().map(PathBuf::from);
            let trace = folder.map(|folder| order::Trace::of(&act.does, &folder, &cancel)).unwrap_or_default();
            match brought {
                Some(Ok(brought)) => trace.brings(brought),
                Some(Err(_)) | None => trace,
            }
        };
        let traces: Vec<order::Trace> = acts.iter().zip(&brought).map(of).collect();
        let crossed = |(at, (trace, act)): (usize, (&order::Trace, &Act))| {
            let another = traces[..at].iter().find_map(|before| before.crosses(trace));
            let itself = || if act.again { trace.crosses_itself(&act.does) } else { None };
            let another = another.map(|path| Crossed::ByAnother(path.to_path_buf()));
            another.or_else(|| itself().map(|path| Crossed::ByItself(path.to_path_buf())))
        };
        traces.iter().zip(&acts).enumerate().map(crossed).collect()
    };
    let unknown = |_| "What it does isn't known beforehand: the look at its parts broke off.".to_owned();
    tokio::task::spawn_blocking(look).await.map_err(unknown)
}

/// Adds what git has of the files that would be gone, and sums it up.
async fn finish(
    mut effects: Effects,
    bench: &Arc<Workbench>,
    facts: &Facts,
    cancel: &CancellationToken,
) -> Measurement {
    if !effects.gone.is_empty() {
        lost(&mut effects, bench, facts, cancel).await;
    }
    if effects.preview.effects.is_empty() && effects.preview.warnings.is_empty() {
        return Err(format!("{} isn't known beforehand.", capital(&effects.unmeasured.join(", "))));
    }
    let mut preview = effects.preview;
    if !effects.unmeasured.is_empty() {
        preview.effects.push(format!("{} isn't known beforehand.", capital(&effects.unmeasured.join(", "))));
    }
    preview.brief = effects.briefs.join(" · ");
    preview.remedy = remedy(effects.remedies, !effects.unmeasured.is_empty());
    Ok(Some(preview))
}

/// What git couldn't bring back, and the list of what would be gone.
async fn lost(effects: &mut Effects, bench: &Arc<Workbench>, facts: &Facts, cancel: &CancellationToken) {
    let version = |versions: &Versions, path: &PathBuf| match versions.version(path) {
        Version::Kept | Version::Modified if effects.only_staged.contains(path) => Version::Staged,
        version => version,
    };
    let mut told: Vec<(Option<Version>, &Found)> = match Versions::of(bench, &effects.roots, cancel).await {
        Ok(versions) => effects.gone.iter().map(|found| (Some(version(&versions, &found.path)), found)).collect(),
        Err(reason) => {
            let sentence = format!("whether git has a copy isn't known: {reason}.");
            effects.remedies.push(Remedy::Impossible(sentence));
            effects.gone.iter().map(|found| (None, found)).collect()
        }
    };
    if told.iter().all(|(version, _)| version.is_some()) {
        effects.remedies.push(by_git(&told, effects.more));
    }
    // What nothing brings back comes first, and of it the largest.
    told.sort_by_key(|(version, found)| {
        (version.is_none_or(|version| version == Version::Kept), u64::MAX - found.bytes)
    });
    let shown = |path: &PathBuf| path.strip_prefix(&facts.place.cwd).unwrap_or(path).display().to_string();
    let rows = told.iter().take(LISTED).map(|(version, found)| {
        let word = version.map_or("not known", Version::word);
        vec![Some(shown(&found.path)), Some(size(found.bytes)), Some(word.to_owned())]
    });
    let table = Table {
        columns: ["file", "size", "git"].map(str::to_owned).to_vec(),
        types: vec!["TEXT".to_owned(); 3],
        rows: rows.collect(),
        total: told.len() as u64,
        ..Table::default()
    };
    let title = "files whose content would be gone".to_owned();
    effects.preview.details.push(Detail::Rows { title, table });
}

/// Whether git could bring all of it back.
fn by_git(told: &[(Option<Version>, &Found)], more: bool) -> Remedy {
    let mut kinds: Vec<(Version, Vec<&Found>)> = Vec::new();
    for version in [Version::Untracked, Version::Modified, Version::Staged, Version::Ignored, Version::Nowhere] {
        let of: Vec<&Found> = told.iter().filter(|(is, _)| *is == Some(version)).map(|(_, found)| *found).collect();
        if !of.is_empty() {
            kinds.push((version, of));
        }
    }
    let lost: usize = kinds.iter().map(|(_, of)| of.len()).sum();
    if lost == 0 && !more {
        return Remedy::ByHand("git has a copy of each file as it is now.".to_owned());
    }
    if lost == 0 {
        return Remedy::Unknown;
    }
    let each = kinds.iter().map(|(version, of)| {
        format!("{} {} ({})", thousands(of.len() as u64), version.word(), named(of.iter().map(|found| &found.path)))
    });
    let of = if told.len() == 1 { "the file".to_owned() } else { format!("{lost} of {}", count(told.len(), "file")) };
    Remedy::Impossible(format!("git can't bring back {of} as now: {}.", each.collect::<Vec<_>>().join(", ")))
}

/// The first names, and how many more.
fn named<'p>(paths: impl ExactSizeIterator<Item = &'p PathBuf>) -> String {
    let more = paths.len().saturating_sub(NAMED);
    let names: Vec<String> = paths
        .take(NAMED)
        .map(|path| {
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
        })
        .collect();
    let more = if more > 0 { format!(", {} more", thousands(more as u64)) } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// The worst that was said of undoing any of it.
fn remedy(remedies: Vec<Remedy>, unmeasured: bool) -> Remedy {
    let mut lost: Vec<String> = Vec::new();
    for remedy in &remedies {
        match remedy {
            Remedy::Impossible(why) if !lost.contains(why) => lost.push(why.clone()),
            Remedy::Impossible(_) | Remedy::Unknown | Remedy::Possible(_) | Remedy::ByHand(_) | Remedy::Unsure(_) => {}
        }
    }
    if !lost.is_empty() {
        return Remedy::Impossible(sentences(&lost));
    }
    if unmeasured {
        return Remedy::Impossible("nothing is kept of what other commands change.".to_owned());
    }
    if remedies.contains(&Remedy::Unknown) {
        return Remedy::Unknown;
    }
    let mut ways: Vec<String> = Vec::new();
    for remedy in remedies {
        match remedy {
            Remedy::ByHand(how) if !ways.contains(&how) => ways.push(how),
            Remedy::ByHand(_) | Remedy::Possible(_) | Remedy::Unknown | Remedy::Unsure(_) | Remedy::Impossible(_) => {}
        }
    }
    if ways.is_empty() { Remedy::Unknown } else { Remedy::ByHand(sentences(&ways)) }
}

/// The first goes on with a sentence; those behind it begin one.
fn sentences(ways: &[String]) -> String {
    let behind = ways.iter().skip(1).map(|way| capital(way));
    ways.iter().take(1).cloned().chain(behind).collect::<Vec<_>>().join(" ")
}

/// With a capital letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
