//! What the commands of a text reach beside the workspace: hosts, clusters, branches, accounts, as far as their words
//! say it. What the words leave to a configuration is looked up by whoever asked. Told from what the judging walk
//! read; decides nothing.

use url::Url;

use super::git::leading_flag;
use super::programs::plain_name;
use super::reading::{ReadCommand, read};
use super::table::Takes;
use super::word::Word;
use crate::assess::AssessSettings;
use crate::domain::{Facts, Target};

/// Programs that reach something, other than git. Nothing is told of a text without one of them.
pub const REACHING: [&str; 31] = [
    "kubectl",
    "oc",
    "helm",
    "docker",
    "docker-compose",
    "terraform",
    "tofu",
    "aws",
    "gcloud",
    "az",
    "ssh",
    "mosh",
    "scp",
    "sftp",
    "rsync",
    "curl",
    "wget",
    "http",
    "https",
    "psql",
    "pg_dump",
    "pg_restore",
    "createdb",
    "dropdb",
    "mysql",
    "mariadb",
    "mysqldump",
    "mariadb-dump",
    "mysqladmin",
    "redis-cli",
    "mongosh",
];

/// Flags of `ssh` and its kin that take the next word.
const SSH_VALUES: &str = "BbcDEeFIiJLlmOoPpQRSWw";
/// Subcommands of git that replace what a branch says.
const REWRITING: [&str; 6] = ["rebase", "filter-branch", "filter-repo", "update-ref", "replace", "fast-import"];

/// What one command reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The words say all of it.
    Told(Target),
    /// The branch that is checked out in a folder, or those that are named.
    Branch {
        /// The folder; none if it may be any.
        folder: Option<String>,
        /// What the branch says is replaced.
        rewrites: bool,
        /// The branches, where others than the one that is checked out.
        named: Vec<String>,
    },
    /// Branches of another repository.
    Push {
        /// The folder; none if it may be any.
        folder: Option<String>,
        /// The remote, where it is said.
        remote: Option<String>,
        /// What is sent; nothing means what the configuration says.
        refspecs: Vec<String>,
        /// Every branch.
        all: bool,
    },
    /// A cluster.
    Cluster {
        /// The configuration file, where it isn't the usual one.
        config: Option<String>,
        /// The context, where it is said.
        context: Option<String>,
        /// The namespace, where it is said.
        namespace: Option<String>,
    },
    /// The Docker daemon of the context in force.
    Docker,
    /// The workspace of Terraform that is selected in a folder.
    Terraform {
        /// The folder; none if it may be any.
        folder: Option<String>,
    },
}

/// What the commands of a text reach, in order, each once.
#[must_use]
pub fn destinations(command: &str, facts: &Facts, settings: &AssessSettings) -> Vec<Destination> {
    let mut destinations = Vec::new();
    for read in read(command, facts, settings) {
        for destination in of(&read) {
            if !destinations.contains(&destination) {
                destinations.push(destination);
            }
        }
    }
    destinations
}

fn of(read: &ReadCommand) -> Vec<Destination> {
    let Some((first, words)) = read.words.split_first() else { return Vec::new() };
    let Some(name) = first.text().map(plain_name) else { return Vec::new() };
    let told = |target| vec![Destination::Told(target)];
    let account = |sort: &str, name: Option<String>| {
        name.map_or_else(Vec::new, |name| told(Target::Account { sort: sort.to_owned(), name }))
    };
    match name {
        "git" if read.objected => git(words, read.folder.clone()),
        "kubectl" | "oc" | "helm" => vec![Destination::Cluster {
            config: value(words, &["--kubeconfig"]).or_else(|| variable(read, "KUBECONFIG")),
            context: value(words, &["--context", "--kube-context"]),
            namespace: value(words, &["--namespace", "-n"]),
        }],
        "docker" | "docker-compose" => {
            let named = value(words, &["--context", "-c"]).or_else(|| variable(read, "DOCKER_CONTEXT"));
            let host = value(words, &["--host", "-H"]).or_else(|| variable(read, "DOCKER_HOST"));
            match host.map(|host| without_user(&host)).or(named) {
                Some(name) => told(Target::Docker { name }),
                None => vec![Destination::Docker],
            }
        }
        "terraform" | "tofu" => match variable(read, "TF_WORKSPACE") {
            Some(workspace) => told(Target::Terraform { workspace }),
            None => vec![Destination::Terraform { folder: below(read.folder.clone(), value(words, &["-chdir"])) }],
        },
        "aws" => account("profile", value(words, &["--profile"]).or_else(|| variable(read, "AWS_PROFILE"))),
        "gcloud" => account("project", value(words, &["--project"])),
        "az" => account("subscription", value(words, &["--subscription"])),
        "ssh" | "mosh" => {
            operands(words, SSH_VALUES).first().and_then(|word| remote_host(word, true)).map_or_else(Vec::new, told)
        }
        "scp" | "sftp" | "rsync" => {
            let values = if name == "rsync" { "e" } else { SSH_VALUES };
            let alone = name == "sftp";
            operands(words, values).iter().filter_map(|word| remote_host(word, alone)).map(Destination::Told).collect()
        }
        "curl" | "wget" | "http" | "https" => urls(words).map(Destination::Told).collect(),
        _ if REACHING.contains(&name) => database(words).into_iter().map(Destination::Told).collect(),
        _ => Vec::new(),
    }
}

/// The value of the first of these flags that is there: `--flag value`, `--flag=value`, `-nvalue`.
fn value(words: &[Word], flags: &[&str]) -> Option<String> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let head = word.prefix();
        for flag in flags {
            let Some(rest) = head.strip_prefix(flag) else { continue };
            if rest.is_empty() && word.text().is_some() {
                return words.next().map(Word::shown);
            }
            let attached = flag.starts_with('-') && !flag.starts_with("--") && flag.len() == 2;
            if let Some(value) = rest.strip_prefix('=') {
                return Some(if word.text().is_some() { value.to_owned() } else { word.after(flag.len() + 1).shown() });
            }
            if attached && !rest.is_empty() {
                return Some(rest.to_owned());
            }
        }
    }
    None
}

/// The value that the text gives a variable, before this command or by itself.
fn variable(read: &ReadCommand, name: &str) -> Option<String> {
    read.variables.get(name).map(Word::shown).filter(|value| !value.is_empty())
}

/// A folder below another.
fn below(folder: Option<String>, path: Option<String>) -> Option<String> {
    match (folder, path) {
        (folder, None) => folder,
        (_, Some(path)) if path.starts_with('/') => Some(path),
        (Some(folder), Some(path)) => Some(format!("{folder}/{path}")),
        (None, Some(_)) => None,
    }
}

/// The words that are no flags; `valued` are the letters of flags that take the next word.
fn operands(words: &[Word], valued: &str) -> Vec<String> {
    let mut operands = Vec::new();
    let mut words = words.iter().map(Word::shown);
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            Some(letters) if !letters.is_empty() => {
                let mut letters = letters.chars();
                let takes = letters.find(|letter| valued.contains(*letter)).is_some() && letters.next().is_none();
                if takes && !word.starts_with("--") {
                    words.next();
                }
            }
            Some(_) | None => operands.push(word),
        }
    }
    operands
}

/// `user@host:path`, `ssh://user@host:22/path`, or with `alone` a host by itself.
fn remote_host(word: &str, alone: bool) -> Option<Target> {
    if word.contains("://") {
        return by_url(word);
    }
    let host = match word.split_once(':') {
        Some((host, _)) if !host.contains('/') => host,
        None if alone => word,
        Some(_) | None => return None,
    };
    let name = host.rsplit_once('@').map_or(host, |(_, host)| host);
    (!name.is_empty()).then(|| Target::Host { name: name.to_owned(), port: None, database: None })
}

fn by_url(text: &str) -> Option<Target> {
    let url = Url::parse(text).ok()?;
    let name = url.host_str()?.trim_matches(['[', ']']).to_owned();
    let database = if url.scheme().starts_with("http") || matches!(url.scheme(), "ssh" | "rsync" | "sftp" | "ftp") {
        None
    } else {
        Some(url.path().trim_start_matches('/').to_owned()).filter(|name| !name.is_empty())
    };
    Some(Target::Host { name, port: url.port_or_known_default(), database })
}

/// The hosts of a command's URLs. One without a scheme counts where no flag can have it as its value.
fn urls(words: &[Word]) -> impl Iterator<Item = Target> {
    words.iter().enumerate().filter_map(|(at, word)| {
        let shown = word.shown();
        let text = shown.rsplit_once("=http").map_or(shown.clone(), |(_, rest)| format!("http{rest}"));
        if text.contains("://") {
            return by_url(text.trim_end_matches('…'));
        }
        let free = at == 0 || !words[at - 1].prefix().starts_with('-');
        let host = text.split('/').next().unwrap_or_default();
        let named = host.contains('.') || host.starts_with("localhost");
        (free && named && !text.starts_with('-')).then(|| by_url(&format!("http://{text}"))).flatten()
    })
}

/// The server of a database client: by its flags, or by a URL among its words.
fn database(words: &[Word]) -> Option<Target> {
    if let Some(target) =
        words.iter().filter(|word| word.prefix().contains("://")).find_map(|word| by_url(&word.shown()))
    {
        return Some(target);
    }
    let name = value(words, &["--host", "-h"])?;
    let port = value(words, &["--port", "-p", "-P"]).and_then(|port| port.parse().ok());
    Some(Target::Host { name, port, database: value(words, &["--dbname", "--database", "-d", "-D"]) })
}

/// An address without the user's name and password.
fn without_user(address: &str) -> String {
    match address.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?.1))) {
        Some((scheme, host)) => format!("{scheme}://{host}"),
        None => address.to_owned(),
    }
}

/// Whether a setting may change what a push sends.
fn steers(setting: &Word) -> bool {
    setting.text().is_none_or(|text| {
        let key = text.to_ascii_lowercase();
        ["push.", "remote.", "branch.", "url.", "include"].iter().any(|section| key.starts_with(section))
    })
}

/// What a git command that isn't a mere look changes.
fn git(words: &[Word], folder: Option<String>) -> Vec<Destination> {
    let (mut at, mut folder, mut set) = (0, folder, false);
    while let Some(text) = words.get(at).map(Word::shown).filter(|text| text.starts_with('-')) {
        let takes = matches!(leading_flag(&text), Some(Takes::Value(_)));
        if text == "-C" {
            folder = below(folder, words.get(at + 1).and_then(Word::text).map(str::to_owned));
        }
        set |= text.starts_with("--config-env") || text == "-c" && words.get(at + 1).is_none_or(steers);
        at += if takes { 2 } else { 1 };
    }
    let Some(subcommand) = words.get(at).and_then(Word::text) else { return Vec::new() };
    let rest = &words[at + 1..];
    let flag = |long: &str, letter: char| {
        rest.iter().any(|word| {
            let text = word.prefix();
            text == long || text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
        })
    };
    let named = || operands(rest, "");
    match subcommand {
        "push" => {
            let all = set || flag("--all", '\0') || flag("--mirror", '\0') || flag("--branches", '\0');
            let mut words = operands(rest, "o").into_iter();
            let remote = words.next();
            let deletes = if flag("--delete", 'd') { ":" } else { "" };
            let refspecs = words.map(|refspec| format!("{deletes}{refspec}")).collect();
            vec![Destination::Push { folder, remote, refspecs, all }]
        }
        "branch" if flag("--delete", 'D') || flag("--delete", 'd') || flag("--force", 'f') || flag("--move", 'M') => {
            vec![Destination::Branch { folder, rewrites: true, named: named() }]
        }
        "clone" | "init" | "config" | "help" => Vec::new(),
        _ => {
            let rewrites = REWRITING.contains(&subcommand)
                || subcommand == "reset" && (!named().is_empty() || flag("--hard", '\0'))
                || subcommand == "commit" && flag("--amend", '\0')
                || subcommand == "pull" && flag("--rebase", 'r');
            vec![Destination::Branch { folder, rewrites, named: Vec::new() }]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Place;

    fn told(command: &str) -> Vec<String> {
        let place = Place { cwd: "/w".into(), workspace: "/w".into(), home: Some("/home/a".into()) };
        let facts = Facts { place, ..Facts::default() };
        let shown = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".to_owned());
        let tell = |destination: &Destination| match destination {
            Destination::Told(target) => target.to_string(),
            Destination::Branch { folder, rewrites, named } => {
                let verb = if *rewrites { "rewrites" } else { "adds to" };
                format!(
                    "{verb} {} in {}",
                    if named.is_empty() { "HEAD".to_owned() } else { named.join(",") },
                    shown(folder)
                )
            }
            Destination::Push { folder, remote, refspecs, all } => {
                let what = if *all { "all".to_owned() } else { refspecs.join(",") };
                format!("pushes {what} to {} from {}", shown(remote), shown(folder))
            }
            Destination::Cluster { config, context, namespace } => {
                format!("cluster {} {} {}", shown(config), shown(context), shown(namespace))
            }
            Destination::Docker => "docker".to_owned(),
            Destination::Terraform { folder } => format!("terraform in {}", shown(folder)),
        };
        destinations(command, &facts, &AssessSettings::default()).iter().map(tell).collect()
    }

    #[test]
    fn what_the_words_reach_is_told() {
        for (command, destination) in [
            ("git push", "pushes  to ? from /w"),
            ("git -C sub push -f origin HEAD:main", "pushes HEAD:main to origin from /w/sub"),
            ("git -c http.sslVerify=false push --mirror backup", "pushes all to backup from /w"),
            ("git -c push.default=matching push", "pushes all to ? from /w"),
            ("git -c http.sslVerify=false push origin x", "pushes x to origin from /w"),
            ("git push -d origin a b", "pushes :a,:b to origin from /w"),
            ("git --config-env=push.default=X push", "pushes all to ? from /w"),
            ("git commit -m x", "adds to HEAD in /w"),
            ("git commit --amend", "rewrites HEAD in /w"),
            ("git reset --hard HEAD~1", "rewrites HEAD in /w"),
            ("git branch -D a b", "rewrites a,b in /w"),
            ("kubectl delete pod x", "cluster ? ? ?"),
            ("kubectl --context=prod -n shop delete pod x", "cluster ? prod shop"),
            ("KUBECONFIG=/k sudo helm --kube-context prod upgrade x y", "cluster /k prod ?"),
            ("docker rm x", "docker"),
            ("docker -H ssh://me@prod.example.com rm x", "docker context ssh://prod.example.com"),
            ("terraform -chdir=live apply", "terraform in /w/live"),
            ("TF_WORKSPACE=prod terraform apply", "terraform workspace prod"),
            ("aws --profile prod s3 rm s3://b/x", "profile prod"),
            ("export AWS_PROFILE=prod; aws s3 rm s3://b/x", "profile prod"),
            ("export AWS_PROFILE=\"pr\"od; aws s3 rm s3://b/x", "profile prod"),
            ("p=prod; AWS_PROFILE=$p aws s3 rm s3://b/x", "profile prod"),
            ("env AWS_PROFILE=prod aws s3 rm s3://b/x", "profile prod"),
            ("AWS_PROFILE=prod bash -c 'aws s3 rm s3://b/x'", "profile prod"),
            ("export AWS_PROFILE; AWS_PROFILE=prod; aws s3 rm s3://b/x", "profile prod"),
            ("gcloud --project=shop-prod compute instances delete x", "project shop-prod"),
            ("ssh -i key -p 22 me@prod.example.com uptime", "prod.example.com"),
            ("scp a.txt me@web1:/srv/", "web1"),
            ("rsync -av --delete build/ deploy@web1:/srv", "web1"),
            ("curl -X POST https://api.example.com/x -d a=b", "api.example.com:443"),
            ("psql -h db.prod -d shop -c 'drop table x'", "db.prod · database shop"),
            ("psql postgres://me:pw@db.prod:5433/shop", "db.prod:5433 · database shop"),
            ("mysql --host=db1 shop -e 'x'", "db1"),
        ] {
            assert_eq!(told(command), [destination], "{command}");
        }
        for command in [
            "make",
            "git log",
            "git status",
            "scp a b",
            "psql -c 'select 1'",
            "git init",
            "echo AWS_PROFILE=prod; aws s3 rm s3://b/x",
            "AWS_PROFILE=prod true; aws s3 rm s3://b/x",
            "(export AWS_PROFILE=prod); aws s3 rm s3://b/x",
        ] {
            assert!(told(command).is_empty(), "{command}: {:?}", told(command));
        }
    }
}
