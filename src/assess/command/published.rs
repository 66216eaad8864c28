//! Names of what is published elsewhere: packages, images, modules. To look one up sends its name, so where somebody
//! else's server could be asked the name must lead to one of those that everybody uses.

/// Registries of images that hand nothing on to whoever owns an image there.
const REGISTRIES: [&str; 17] = [
    "docker.io",
    "index.docker.io",
    "registry-1.docker.io",
    "ghcr.io",
    "quay.io",
    "gcr.io",
    "registry.k8s.io",
    "k8s.gcr.io",
    "mcr.microsoft.com",
    "public.ecr.aws",
    "registry.gitlab.com",
    "nvcr.io",
    "registry.access.redhat.com",
    "registry.redhat.io",
    "lscr.io",
    "cgr.dev",
    "docker.elastic.co",
];
/// Hosts of Go's modules, likewise.
const MODULES: [&str; 14] = [
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "golang.org",
    "google.golang.org",
    "cloud.google.com",
    "gopkg.in",
    "go.uber.org",
    "go.etcd.io",
    "go.opentelemetry.io",
    "k8s.io",
    "sigs.k8s.io",
    "modernc.org",
    "gorm.io",
];

/// Whether text is the name of a package, not a path or an address whose script would run.
pub(super) fn package(program: &str, text: &str) -> bool {
    const SCRIPTS: [&str; 7] = [".rb", ".json", ".ebuild", ".nix", ".scm", ".gem", ".py"];
    // To these a name with a slash is a repository to clone.
    let clones = ["npm", "pnpm", "yarn", "bun"].contains(&program.split(' ').next().unwrap_or(program));
    let repository = text.contains(':') || text.contains('/') && !text.starts_with('@');
    let elsewhere = text.contains("://")
        || ["file:", "link:", "git@", "git+", ".", "/", "~"].iter().any(|start| text.starts_with(start));
    let script = SCRIPTS.iter().any(|script| text.ends_with(script));
    !(elsewhere || script || clones && repository)
}

/// Whether text names an image of a registry that everybody uses. To `skopeo` a name without `docker://` is a file.
pub(super) fn image(program: &str, text: &str) -> bool {
    let named = text.strip_prefix("docker://");
    let Some(name) = named.or_else(|| (!program.starts_with("skopeo")).then_some(text)) else { return false };
    let host = name.split_once('/').map(|(host, _)| host);
    host.is_none_or(|host| !host.contains(['.', ':']) && host != "localhost" || REGISTRIES.contains(&host))
}

/// Whether text names packages of Go that are here, or whose module lies at a host that everybody uses. A module may
/// be a host alone; `go doc` takes such a word for a package and what is in it.
pub(super) fn module(program: &str, text: &str) -> bool {
    let first = text.split(['/', '@']).next().unwrap_or(text);
    let here = !first.contains('.') || first.bytes().all(|byte| byte == b'.');
    MODULES.contains(&first) || here || program == "go doc" && !text.contains(['/', '@'])
}

/// Whether text names no machine that would have to be looked up, as what a filter of addresses says may: the name
/// itself would be told to whoever serves it. Of the words of `lsof` only what follows an `@` is an address.
pub(super) fn unresolved(program: &str, text: &str) -> bool {
    let text = if program == "lsof" { text.split_once('@').map_or("", |(_, address)| address) } else { text };
    let named = |part: &str| {
        part.contains('.') && !part.starts_with('/') && part.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    !text.split(|c: char| c.is_whitespace() || "=<>!~()@".contains(c)).any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_filter_would_be_looked_up() {
        for (program, text) in [
            ("ss", "dst 10.0.0.1"),
            ("ss", "( dport = :443 )"),
            ("lsof", "a.txt"),
            ("lsof", "TCP@10.0.0.1:80"),
            ("arp", "::1"),
        ] {
            assert!(unresolved(program, text), "{text}");
        }
        for (program, text) in
            [("ss", "dst a.evil.example"), ("ss", "dst=a.evil.example"), ("lsof", "@a.evil.example"), ("arp", "a.b")]
        {
            assert!(!unresolved(program, text), "{text}");
        }
    }

    #[test]
    fn only_names_at_known_servers_are_looked_up() {
        for text in ["nginx", "library/nginx:1", "ghcr.io/a/b@sha256:0", "docker.io/a"] {
            assert!(image("docker manifest inspect", text), "{text}");
            assert!(image("skopeo inspect", &format!("docker://{text}")), "{text}");
        }
        for text in ["evil.example/x", "evil:5000/x", "localhost/x", "ghcr.io.evil.example/x", "http://evil/x"] {
            assert!(!image("docker manifest inspect", text), "{text}");
        }
        assert!(!image("skopeo inspect", "nginx") && !image("skopeo inspect", "dir:x"));
        for text in ["./...", "...", "all", "fmt", "encoding/json.Marshal", "github.com/a/b@latest", "../x"] {
            assert!(module("go list", text), "{text}");
        }
        assert!(module("go doc", "fmt.Println"));
        for text in
            ["evil.example", "evil.example/x", "evil.example/x@latest", "evil.example@v1", "github.com.evil.example/x"]
        {
            assert!(!module("go list", text), "{text}");
        }
        assert!(package("npm view", "@a/b@1.2") && package("brew info", "a/b/c"));
        for text in ["a/b", "github:a/b", "gist:0", "a@git+https://x", "https://x/y.tgz"] {
            assert!(!package("npm view", text), "{text}");
        }
    }
}
