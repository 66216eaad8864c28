//! What programs write for themselves, whatever they are asked to do: caches, logs, locks. Behind the walls of a read
//! they can't; where nothing is enforced they do. Anything else that is touched is a hole.

use std::path::Path;

/// Programs, the place below the home folder (`~`), the workspace (`.`) or the root, and what it is. A place that ends
/// with `$` is itself touched and nothing in it: something came and went there.
const NOTES: [(&[&str], &str, &str); 26] = [
    (&["git"], "./.git$", "the lock of a look at the index"),
    (&["git describe"], "./.git/index", "the times of files that it looked at"),
    (&["cargo"], "/.cargo/.", "locks and the registry's cache"),
    (&["cargo"], "/.rustc_info.json", "the compiler's version"),
    (&["rustup"], "/.rustup/", "locks and settings"),
    (&["gsutil"], "~/.gsutil", "its folder for transfers that were broken off"),
    (&["gsutil"], "/tmp/pymp-", "the socket by which its processes speak"),
    (&["gcloud", "gsutil", "bq"], "~/.config/gcloud", "its default configuration and logs"),
    (&["gcloud", "gsutil", "bq"], "__pycache__", "compiled modules"),
    (&["gpg", "gpg2", "gpgv", "apt-key"], "~/.gnupg", "an empty ring of keys"),
    (
        &[
            "java",
            "javac",
            "javap",
            "jar",
            "jps",
            "jcmd",
            "mvn",
            "gradle",
            "jstat",
            "jinfo",
            "keytool",
            "jarsigner",
            "jdeps",
            "jmod",
            "jimage",
            "jfr",
            "jdeprscan",
        ],
        "/tmp/hsperfdata_",
        "counters",
    ),
    (
        &[
            "fc-list",
            "fc-match",
            "fc-scan",
            "fc-query",
            "fc-pattern",
            "fc-cat",
            "fc-conflist",
            "magick",
            "convert",
            "identify",
        ],
        "/fontconfig",
        "its cache",
    ),
    (&["terraform"], "~/.terraform.d/checkpoint_", "when it asked for a newer version"),
    (&["terraform"], "~/.terraform.d$", "the folder for that, where it ended before"),
    (&["tmux"], "/tmp/tmux-", "the folder for its sockets"),
    (&["top"], "~/.config/procps", "the folder for its settings"),
    (&["appstreamcli"], "/swcatalog/", "its cache"),
    (&["apt", "apt-get"], "/var/log/apt/eipp.log", "the log of what it would plan"),
    (&["lslogins"], "/etc/.pwd.lock", "the lock of the list of users"),
    (&["npm", "npx", "yarn", "pnpm"], "~/.npm", "logs and the cache"),
    (&["go"], "~/.cache/go-build", "its cache"),
    (&["ruff"], "/.ruff_cache", "its cache"),
    (&["svn"], "~/.subversion", "the folder for its settings"),
    (&["black"], "~/.cache/black", "its cache"),
    (&["go"], "~/.config/go/telemetry", "counters"),
    (&["pip", "pip3"], "/.pyenv/shims", "the lock of pyenv, where it stands in pip's place"),
];

/// Whether a touched path is a program's own note, and some line is of that program.
pub fn kept(path: &str, lines: &[String], world: &Path) -> bool {
    let named = |line: &String, program: &str| {
        let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
        if program.contains(' ') { line.contains(program) } else { words.any(|word| word == program) }
    };
    let said = |program: &&str| lines.iter().any(|line| named(line, program));
    NOTES.iter().any(|(programs, place, _)| programs.iter().any(said) && lies(path, place, world))
}

fn lies(path: &str, place: &str, world: &Path) -> bool {
    let world = world.display().to_string();
    let place = match place.split_at(1) {
        ("~", rest) => format!("{world}/home{rest}"),
        (".", rest) if rest.starts_with('/') => format!("{world}/work{rest}"),
        _ => place.to_owned(),
    };
    match place.strip_suffix('$') {
        Some(place) => path == place,
        None => path.contains(&place),
    }
}
