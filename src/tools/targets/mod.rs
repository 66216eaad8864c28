//! What an operation would hit beside the workspace. What its words leave to a configuration is read here: the branch
//! that is checked out, the cluster's context in force, and nothing else of those files. Reads only; bounded.

mod branches;
mod contexts;

use std::path::{Path, PathBuf};

use url::Url;

use super::look::located;
use crate::assess::sql_catalog::databases;
use crate::assess::{AssessSettings, Destination, Mentions, REACHING, destinations};
use crate::domain::{Class, Dialect, Facts, OperationKind, Place, SqlOperation, Target};
use crate::private;

/// The databases that each server has for itself.
const ENGINES: [&str; 3] = ["information_schema", "performance_schema", "sys"];
/// Most targets of one operation.
const MOST: usize = 20;

/// What an operation would hit. Of a command that only reads, git's branches don't count.
pub(super) fn targets(
    kind: &OperationKind,
    mentions: &Mentions,
    facts: &Facts,
    class: Class,
    settings: &AssessSettings,
) -> Vec<Target> {
    let mut targets: Vec<Target> = match kind {
        OperationKind::Sql(sql) => {
            let known = settings.databases.get(&sql.connection).cloned();
            let named = || Target::Database {
                connection: sql.connection.clone(),
                engine: sql.dialect,
                database: None,
                host: None,
                place: None,
            };
            let known = known.unwrap_or_else(named);
            let others = elsewhere(&known, sql, settings);
            std::iter::once(known).chain(others).collect()
        }
        OperationKind::Http(http) => Url::parse(&http.url).ok().as_ref().and_then(host).into_iter().collect(),
        OperationKind::Command(command) => {
            let git = class != Class::Whitelisted && mentions.programs.contains("git");
            if !git && !REACHING.iter().any(|name| mentions.programs.contains(*name)) {
                return Vec::new();
            }
            let place = &facts.place;
            let found = destinations(&command.command, facts, settings);
            found.into_iter().take(MOST).flat_map(|found| resolved(found, place)).collect()
        }
        OperationKind::Mcp(mcp) => vec![Target::Server { name: mcp.server.clone() }],
        OperationKind::Answer(answer) => vec![Target::Server { name: answer.server.clone() }],
        OperationKind::File(_)
        | OperationKind::Search(_)
        | OperationKind::Find(_)
        | OperationKind::Undo(_)
        | OperationKind::Apply(_)
        | OperationKind::Other(_) => Vec::new(),
    };
    targets.truncate(MOST);
    targets
}

/// The other databases of the server that a statement names, where databases are what stands before a dot. What may be a
/// table's other name counts only where that is a name of production.
fn elsewhere(known: &Target, sql: &SqlOperation, settings: &AssessSettings) -> Vec<Target> {
    let Target::Database { connection, engine: Some(Dialect::Mysql), database, host, place } = known else {
        return Vec::new();
    };
    let target = |name: String| Target::Database {
        connection: connection.clone(),
        engine: Some(Dialect::Mysql),
        database: Some(name),
        host: host.clone(),
        place: place.clone(),
    };
    let known = |name: &str| database.as_ref().is_some_and(|known| known.eq_ignore_ascii_case(name));
    let others = databases(&sql.sql).into_iter().filter(|(name, _)| !known(name) && !ENGINES.contains(&name.as_str()));
    let targets = others.map(|(name, only)| (target(name), only));
    let counts = |target: &Target| !settings.production.told(std::slice::from_ref(target)).is_empty();
    targets.filter(|(target, only)| *only || counts(target)).map(|(target, _)| target).collect()
}

fn host(url: &Url) -> Option<Target> {
    let name = url.host_str()?.trim_matches(['[', ']']).trim_end_matches('.').to_owned();
    Some(Target::Host { name, port: url.port_or_known_default(), database: None })
}

/// The targets that a destination means here.
fn resolved(found: Destination, place: &Place) -> Vec<Target> {
    let within = |folder: Option<String>| folder.map(|folder| located(&folder, place));
    match found {
        Destination::Told(target) => vec![target],
        Destination::Branch { folder, rewrites, named } => {
            let named = if named.is_empty() {
                within(folder).and_then(|folder| branches::current(&folder)).into_iter().collect()
            } else {
                named
            };
            named.into_iter().map(|name| Target::Branch { name, rewrites }).collect()
        }
        Destination::Push { folder, remote, refspecs, all } => {
            let home = place.home.as_deref();
            within(folder).map_or_else(Vec::new, |folder| branches::pushed(&folder, remote, &refspecs, all, home))
        }
        Destination::Cluster { config, context, namespace } => {
            let usual = || place.home.as_ref().map(|home| home.join(".kube/config"));
            let file = config.map(|file| located(&file, place)).or_else(usual);
            let (context, usual) = contexts::cluster(file.as_deref(), context);
            vec![Target::Cluster { context, namespace: namespace.or(usual) }]
        }
        Destination::Docker => {
            let file = place.home.as_ref().map(|home| home.join(".docker/config.json"));
            vec![Target::Docker { name: contexts::docker(file.as_deref()) }]
        }
        Destination::Terraform { folder } => within(folder)
            .map(|folder| Target::Terraform { workspace: contexts::terraform(&folder) })
            .into_iter()
            .collect(),
    }
}

/// A small text file; none if it isn't one, or can't be read.
pub(super) fn small(path: &Path, most: u64) -> Option<String> {
    private::read_text(path, most).ok()
}

/// The folder of a repository's own files, for a folder in it; and the one that its worktrees share.
fn repository(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let own = super::repository::own(folder)?;
    let common = super::repository::common(&own);
    Some((own, common))
}
