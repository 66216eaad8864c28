//! What an operation would hit beside the workspace: which database, host, branch, cluster. Told from the operation
//! and local reading when it is proposed, and again right before it starts: if it hits something else by then, it
//! goes back to the queue.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::operation::Dialect;

/// Patterns of names that are production, where the configuration has none.
pub const PRODUCTION: [&str; 4] = ["prod", "production", "prd", "live"];
/// Branches that are protected, where the configuration names none.
pub const PROTECTED: [&str; 3] = ["main", "master", "release/*"];

/// One thing that an operation would hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "target", rename_all = "kebab-case")]
pub enum Target {
    /// A database behind a connection.
    Database {
        /// Name of the connection.
        connection: String,
        /// Its engine, where known.
        engine: Option<Dialect>,
        /// Name or file of the database, where known.
        database: Option<String>,
        /// Where it runs, with its port where that isn't the engine's usual one; none for a file, or where that isn't
        /// known.
        host: Option<String>,
        /// What tells it from another one of that name, where known: user, host and port, or the whole path of a file.
        /// Not shown; rules compare it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
    },
    /// A host that is talked to.
    Host {
        /// Its name or address.
        name: String,
        /// The port, where it is said.
        port: Option<u16>,
        /// The database there, where it is said.
        database: Option<String>,
    },
    /// A branch of the repository here.
    Branch {
        /// Its name, or the commit that is checked out instead of one.
        name: String,
        /// What it says is replaced, not only added to.
        rewrites: bool,
    },
    /// A branch of another repository.
    Remote {
        /// Its name, such as `origin`, or its address.
        remote: String,
        /// Where it is, without user or password; none where that isn't known.
        address: Option<String>,
        /// The branch there; none for all of them.
        branch: Option<String>,
    },
    /// A Kubernetes cluster.
    Cluster {
        /// The context that names it; none where it isn't known.
        context: Option<String>,
        /// The namespace, where it is said.
        namespace: Option<String>,
    },
    /// A Docker daemon.
    Docker {
        /// Its context or address.
        name: String,
    },
    /// A workspace of Terraform.
    Terraform {
        /// Its name.
        workspace: String,
    },
    /// An MCP server.
    Server {
        /// Its name in the configuration.
        name: String,
    },
    /// An account of a cloud, by the name that the command gives.
    Account {
        /// What the name names: `profile`, `project` or `subscription`.
        sort: String,
        /// The name.
        name: String,
    },
}

impl Target {
    /// The names by which it may be production, each with what it names. Branches have rules of their own.
    #[must_use]
    pub fn names(&self) -> Vec<(&str, &str)> {
        let known: [Option<(&str, &String)>; 3] = match self {
            Self::Database { connection, database, host, .. } => [
                Some(("connection", connection)),
                database.as_ref().map(|name| ("database", name)),
                host.as_ref().map(|name| ("host", name)),
            ],
            Self::Host { name, database, .. } => {
                [Some(("host", name)), database.as_ref().map(|name| ("database", name)), None]
            }
            Self::Cluster { context, namespace } => [
                context.as_ref().map(|name| ("cluster context", name)),
                namespace.as_ref().map(|name| ("namespace", name)),
                None,
            ],
            Self::Docker { name } => [Some(("docker context", name)), None, None],
            Self::Terraform { workspace } => [Some(("terraform workspace", workspace)), None, None],
            Self::Server { name } => [Some(("MCP server", name)), None, None],
            Self::Account { sort, name } => [Some((sort, name)), None, None],
            Self::Branch { .. } | Self::Remote { .. } => [None, None, None],
        };
        let bare = |sort: &str, name| if sort == "host" { without_port(name) } else { name };
        known.into_iter().flatten().map(|(sort, name)| (sort, bare(sort, name.as_str()))).collect()
    }

    /// What a rule remembers it by: how it is shown, and for a database where that is, too.
    #[must_use]
    pub fn identity(&self) -> String {
        match self {
            Self::Database { place: Some(place), .. } => format!("{self} · {place}"),
            other => other.to_string(),
        }
    }
}

/// The host without the port that may stand behind it.
fn without_port(host: &str) -> &str {
    let port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    host.rsplit_once(':').filter(|(host, end)| port(end) && !host.contains(':')).map_or(host, |(host, _)| host)
}

impl Target {
    /// As a row names it; not yet neutralised.
    #[must_use]
    pub fn brief(&self) -> String {
        match self {
            Self::Database { connection, .. } => connection.clone(),
            Self::Remote { remote, branch: Some(branch), .. } => format!("{remote}/{branch}"),
            Self::Cluster { context: Some(context), .. } => context.clone(),
            Self::Host { .. }
            | Self::Branch { .. }
            | Self::Remote { branch: None, .. }
            | Self::Cluster { context: None, .. }
            | Self::Docker { .. }
            | Self::Terraform { .. }
            | Self::Server { .. }
            | Self::Account { .. } => self.to_string(),
        }
    }
}

impl fmt::Display for Target {
    /// As a person would name it; not yet neutralised.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database { connection, engine, database, host, .. } => {
                f.write_str(connection)?;
                if let Some(engine) = engine {
                    write!(f, " ({})", engine.word())?;
                }
                match (database, host) {
                    (Some(database), Some(host)) => write!(f, " · {database} on {host}"),
                    (None, Some(host)) => write!(f, " · on {host}"),
                    (Some(database), None) if database != connection => write!(f, " · {database}"),
                    (Some(_) | None, None) => Ok(()),
                }
            }
            Self::Host { name, port, database } => {
                f.write_str(name)?;
                if let Some(port) = port {
                    write!(f, ":{port}")?;
                }
                database.as_ref().map_or(Ok(()), |database| write!(f, " · database {database}"))
            }
            Self::Branch { name, .. } => write!(f, "branch {name}"),
            Self::Remote { remote, address, branch } => {
                match branch {
                    Some(branch) => write!(f, "{branch} on {remote}")?,
                    None => write!(f, "every branch on {remote}")?,
                }
                address.as_ref().map_or(Ok(()), |address| write!(f, " ({address})"))
            }
            Self::Cluster { context, namespace } => {
                match context {
                    Some(context) => write!(f, "cluster context {context}")?,
                    None => f.write_str("a cluster context that isn't known")?,
                }
                namespace.as_ref().map_or(Ok(()), |namespace| write!(f, ", namespace {namespace}"))
            }
            Self::Docker { name } => write!(f, "docker context {name}"),
            Self::Server { name } => write!(f, "MCP server {name}"),
            Self::Terraform { workspace } => write!(f, "terraform workspace {workspace}"),
            Self::Account { sort, name } => write!(f, "{sort} {name}"),
        }
    }
}

/// What changed between two tellings of what an operation would hit, in one sentence.
#[must_use]
pub fn moved(shown: &[Target], fresh: &[Target]) -> Option<String> {
    if shown == fresh {
        return None;
    }
    let new = fresh.iter().find(|target| !shown.contains(target));
    let old = shown.iter().find(|target| !fresh.contains(target));
    Some(match (old, new) {
        (Some(old), Some(new)) => format!("It would hit {new} now. When it was shown, that was {old}."),
        (Some(old), None) => format!("It no longer hits {old}, which it did when it was shown."),
        (None, Some(new)) => format!("It would hit {new} now, too."),
        (None, None) => "What it would hit is in another order than when it was shown.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_of_one_name_are_told_apart_by_where_they_are() {
        let at = |host: Option<&str>, place: &str| Target::Database {
            connection: "test".to_owned(),
            engine: Some(Dialect::Postgres),
            database: Some("test".to_owned()),
            host: host.map(str::to_owned),
            place: Some(place.to_owned()),
        };
        let (here, tunnel) = (at(Some("db"), "ann at db:5432"), at(Some("db:5433"), "ann at db:5433"));
        assert_eq!(tunnel.to_string(), "test (postgres) · test on db:5433");
        assert_ne!(here.identity(), tunnel.identity());
        assert_ne!(at(None, "/a/test.db").identity(), at(None, "/b/test.db").identity());
        assert!(tunnel.names().contains(&("host", "db")), "a pattern of production says no port");
        assert_eq!(without_port("::1"), "::1");
    }
}
