//! Which session the command line means: a new one, one that was left, or the one that the person picks.

use std::path::Path;

use super::super::{Options, runtime};
use crate::config::{ConfigError, Folders};
use crate::store::{AGENT, Archive, Listed, goes_by};

/// Which session is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// A new one.
    #[default]
    New,
    /// A new one, and the list of those that were left opens over it.
    Pick,
    /// One that was left.
    Left(Box<Listed>),
}

/// What the options ask for. Looks into the journal only if they do.
///
/// # Errors
/// There is no such session, or the journal can't be read.
pub fn which(options: &Options, folders: &Folders, screen: bool) -> Result<Which, ConfigError> {
    if options.resume.as_deref() == Some("") && screen {
        return Ok(Which::Pick);
    }
    if options.resume.is_none() && !options.go_on {
        return Ok(Which::New);
    }
    let (sessions, others) = sessions(folders)?.into_iter().partition::<Vec<_>, _>(|listed| listed.agent == AGENT);
    let chosen = match options.resume.as_deref() {
        Some("") => sessions.into_iter().next().ok_or_else(none),
        Some(id) => named(&sessions, id).cloned().map_err(|none| match named(&others, id) {
            Ok(other) if !sessions.iter().any(|listed| goes_by(&listed.id, id)) => not_ours(other),
            _ => none,
        }),
        None => newest(sessions, options.workspace.as_deref().unwrap_or(Path::new("."))),
    };
    chosen.map(|listed| Which::Left(Box::new(listed)))
}

/// Why a session of another agent's calls isn't opened.
fn not_ours(listed: &Listed) -> ConfigError {
    let (short, agent) = (listed.short(), &listed.agent);
    ConfigError::Option(format!(
        "the session {short} holds calls of {agent}, which only {agent} can go on with; `countersign sessions show \
         {short}` shows them"
    ))
}

/// All sessions, the latest first.
fn sessions(folders: &Folders) -> Result<Vec<Listed>, ConfigError> {
    let listed = runtime()?.block_on(async {
        let Some(mut archive) = Archive::open(&folders.journal()).await? else { return Ok(Vec::new()) };
        let listed = archive.sessions().await;
        archive.close().await;
        listed
    });
    listed.map_err(|error| ConfigError::Option(error.to_string()))
}

fn none() -> ConfigError {
    ConfigError::Option("no session was kept yet; start one with: countersign".to_owned())
}

/// The session of an id, or of the beginning or end of one.
///
/// # Errors
/// There is none, or there are several.
pub fn named<'a>(sessions: &'a [Listed], id: &str) -> Result<&'a Listed, ConfigError> {
    let hits = |listed: &&Listed| goes_by(&listed.id, id);
    let mut found = sessions.iter().filter(hits);
    let wrong = |why: &str| {
        let list = "`countersign sessions` lists those there are";
        Err(ConfigError::Option(format!("{why} session {id}; {list}")))
    };
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => {
            sessions.iter().find(|listed| listed.id == id).map_or_else(|| wrong("there is more than one"), Ok)
        }
        (None, _) => wrong("there is no"),
    }
}

fn newest(sessions: Vec<Listed>, workspace: &Path) -> Result<Listed, ConfigError> {
    let real = workspace.canonicalize().unwrap_or_else(|_| workspace.to_path_buf());
    let here = |listed: &Listed| listed.workspace.as_deref().is_some_and(|folder| Path::new(folder) == real);
    sessions.into_iter().find(here).ok_or_else(|| {
        let shown = real.display();
        ConfigError::Option(format!(
            "no session worked in {shown} yet; `countersign sessions` lists those elsewhere, countersign starts one"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(id: &str, workspace: &str) -> Listed {
        Listed {
            id: id.to_owned(),
            started_ms: 0,
            ended_ms: None,
            last_ms: 0,
            workspace: Some(workspace.to_owned()),
            agent: AGENT.to_owned(),
            program: None,
            title: None,
            operations: 0,
        }
    }

    #[test]
    fn a_session_is_named_by_its_id_or_by_a_part_that_only_it_has() {
        let sessions = [listed("0199-1-aa", "/w"), listed("0199-2-bb", "/w")];
        assert_eq!(named(&sessions, "bb").unwrap().id, "0199-2-bb");
        assert_eq!(named(&sessions, "0199-1").unwrap().id, "0199-1-aa");
        assert!(named(&sessions, "0199").unwrap_err().to_string().contains("more than one"));
        assert!(named(&sessions, "cc").unwrap_err().to_string().contains("there is no session cc"));
    }

    #[test]
    fn the_newest_of_a_workspace_goes_on() {
        let sessions = vec![listed("b", "/elsewhere"), listed("a", "/")];
        assert_eq!(newest(sessions.clone(), Path::new("/")).unwrap().id, "a");
        assert!(newest(sessions, Path::new("/nowhere")).is_err());
    }
}
