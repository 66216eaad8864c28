//! Pure judgement of one operation: `Operation` and `Facts` in, `Assessment` out. No files, no clock, no
//! network. One assessor for each sort of operation, over parsed input; what can't be read is unreadable.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod answer;
mod apply;
mod command;
mod committed;
mod copies;
mod elsewhere;
mod environment;
mod file;
mod hidden;
mod host;
mod http;
mod letters;
mod masks;
mod mcp;
mod overlap;
mod own;
mod paths;
mod pem;
mod production;
mod reread;
mod run_later;
mod search;
mod secrets;
mod sensitive;
mod spelling;
mod sql;
mod undo;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub use answer::AnswerAssessor;
pub use apply::ApplyAssessor;
pub use command::{
    Act, Bringer, Bringing, Clash, CommandAssessor, Destination, Does, Folders, Goal, Linking, Lister, Made, Making,
    Piece, REACHING, ReadCommand, Receivers, SET_FOR_GIT, Search, Signal, Size, Strip, Word, acts, destinations,
    foreign_settings, made, named_from, read,
};
pub use committed::{Committed, printed_withheld};
pub use elsewhere::WebSearchAssessor;
pub use file::FileAssessor;
pub use hidden::visible;
pub use host::{Reach, address_reach, reach as host_reach};
pub use http::{HttpAssessor, beyond_look};
pub use letters::unusual_blank;
pub use masks::{
    Known, call_shown, cell_withheld, conceal, conceal_text, holds_secret, known_spans, secrets_again, secrets_of,
    table_shown, withheld, withheld_spans,
};
pub use mcp::McpAssessor;
pub use own::Own;
pub use production::Production;
pub use reread::RereadAssessor;
pub use run_later::{entered, entry as runs_later, repository};
pub use search::SearchAssessor;
pub use secrets::secret_kind;
pub use sensitive::Sensitive;
pub use sql::{SqlAssessor, catalog as sql_catalog, foresee as sql_foresee, touch as sql_touch};
pub use undo::UndoAssessor;

use crate::domain::{Assessment, Facts, Operation, OperationKind, Place, Shape, Target};

/// Longest text that is judged, in bytes. Longer is unreadable.
pub const TEXT_CAP: usize = 64 * 1024;

/// What an assessor wants local reading to look at, before it judges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Paths as the operation spells them.
    pub paths: BTreeSet<String>,
    /// Paths whose present content matters (an edit, an overwrite, a script that is run).
    pub contents: BTreeSet<String>,
    /// Names of programs.
    pub programs: BTreeSet<String>,
    /// Folders in which git would run.
    pub repositories: BTreeSet<String>,
    /// Folders in which git names branches and tags.
    pub refs: BTreeSet<String>,
    /// Folders in which git names a revision by the tags before it.
    pub described: BTreeSet<String>,
    /// Folders in which git names the files that it tracks.
    pub tracked: BTreeSet<String>,
    /// Ids of git's objects, or beginnings of them, each behind the folder in which git would look for it and a colon.
    pub objects: BTreeSet<String>,
    /// Folders in which a pattern picks names.
    pub folders: BTreeSet<String>,
    /// Patterns by which files are read.
    pub globs: BTreeSet<String>,
    /// Patterns whose names may come apart at their blanks, absolute.
    pub parted: BTreeSet<String>,
    /// Folders below which paths are found that may come apart, absolute.
    pub below: BTreeSet<String>,
    /// Folders whose files are searched for lines, absolute, and whether those of hidden folders and build products are,
    /// too: where no walls hide what is sensitive, it is looked for. So too patterns, under [`each`](crate::domain::each).
    pub sought: BTreeMap<String, bool>,
    /// Patterns of which each folder that they match is read with all that lies below.
    pub each: BTreeSet<String>,
    /// Patterns over which loops run, absolute: each name would be judged by itself.
    pub lists: BTreeSet<String>,
    /// Folders in which Python would look for modules.
    pub modules: BTreeSet<String>,
    /// Settings files that may be plain.
    pub settings: BTreeSet<String>,
}

impl Mentions {
    /// Adds what another mentions.
    pub fn join(&mut self, other: Self) {
        self.paths.extend(other.paths);
        self.contents.extend(other.contents);
        self.programs.extend(other.programs);
        self.repositories.extend(other.repositories);
        self.refs.extend(other.refs);
        self.described.extend(other.described);
        self.tracked.extend(other.tracked);
        self.objects.extend(other.objects);
        self.folders.extend(other.folders);
        self.globs.extend(other.globs);
        self.parted.extend(other.parted);
        self.below.extend(other.below);
        for (folder, all) in other.sought {
            *self.sought.entry(folder).or_default() |= all;
        }
        self.each.extend(other.each);
        self.lists.extend(other.lists);
        self.modules.extend(other.modules);
        self.settings.extend(other.settings);
    }
}

/// Most names of one pattern that are judged each by itself.
pub const LISTED: usize = 30;

/// What the configuration adds to judging.
#[derive(Clone, Debug, Default)]
pub struct AssessSettings {
    /// The sensitive paths.
    pub sensitive: Sensitive,
    /// What counts as production.
    pub production: Production,
    /// The secrets that the session holds.
    pub known: Known,
    /// The databases, by connection.
    pub databases: Arc<BTreeMap<String, Target>>,
    /// Whether walls hide from commands what is sensitive: then nobody looks for it in the folders that they search.
    pub walled: bool,
}

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// What would happen.
    pub operation: &'a Operation,
    /// What local reading found.
    pub facts: &'a Facts,
    /// What the configuration adds.
    pub settings: &'a AssessSettings,
}

/// Judges the operations of one tool. A tool without one is unknown.
pub trait RiskAssessor: Send + Sync {
    /// What local reading should look at. Asked again right before the start.
    fn mentions(&self, _kind: &OperationKind, _place: &Place) -> Mentions {
        Mentions::default()
    }

    /// The same once the names are known that patterns match.
    fn mentions_in(&self, kind: &OperationKind, place: &Place, _lists: &BTreeMap<String, Vec<String>>) -> Mentions {
        self.mentions(kind, place)
    }

    /// Judges. Never acts, never waits.
    fn assess(&self, subject: Subject<'_>) -> Assessment;
}

/// The assessor of a tool that brings none: everything is unknown.
#[derive(Clone, Copy, Debug)]
pub struct Unknown;

impl RiskAssessor for Unknown {
    fn assess(&self, _subject: Subject<'_>) -> Assessment {
        Assessment::default()
    }
}

/// Judges with every failure closed: a panic, trouble while looking, or text over the cap is unreadable.
/// Findings about hidden text are added here, so that no assessor can forget them.
#[must_use]
pub fn assess(assessor: &dyn RiskAssessor, subject: Subject<'_>) -> Assessment {
    if let Some(trouble) = &subject.facts.trouble {
        return Assessment::unreadable("facts.trouble", format!("What it names couldn't be looked at: {trouble}."));
    }
    let text = subject.operation.kind.text().body;
    if text.len() > TEXT_CAP
        && !matches!(subject.operation.kind, OperationKind::File(_) | OperationKind::Undo(_) | OperationKind::Apply(_))
    {
        let sentence = format!("It is {} bytes long; only up to {TEXT_CAP} bytes are judged.", text.len());
        return Assessment::unreadable("text.too-long", sentence);
    }
    let mut assessment = catch_unwind(AssertUnwindSafe(|| assessor.assess(subject)))
        .unwrap_or_else(|_| Assessment::unreadable("assessor.failed", "The assessor failed on it."));
    let mut hidden = hidden::findings(&subject.operation.kind);
    hidden.extend(subject.facts.declared.as_ref().map(hidden::described).unwrap_or_default());
    if !hidden.is_empty() && matches!(subject.operation.kind, OperationKind::Mcp(_)) {
        // No rule for a tool of somebody else's was made for what can't be seen.
        assessment.shapes.push(Shape::new([("finding", "text.hidden")]));
    }
    assessment.findings.extend(hidden);
    // Where the parts say all of it, they are its forms.
    let whole = matches!(
        subject.operation.kind,
        OperationKind::File(_)
            | OperationKind::Http(_)
            | OperationKind::Search(_)
            | OperationKind::Find(_)
            | OperationKind::Mcp(_)
            | OperationKind::Other(_)
    );
    if whole {
        assessment.forms.clone_from(&assessment.shapes);
    }
    assessment
}
