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
    // To these a name with a slash is a repository to clone, and so is what stands behind a name in a scope.
    let clones = ["npm", "pnpm", "yarn", "bun"].contains(&program.split(' ').next().unwrap_or(program));
    let scoped = text.strip_prefix('@').and_then(|text| text.split_once('/')).map_or(text, |(_, name)| name);
    let version = scoped.split_once('@').map_or("", |(_, version)| version);
    let repository = scoped.contains([':', '/'])
        || version.starts_with(['.', '~'])
            && version.len() > 1
            && !version[1..].starts_with(|c: char| c.is_ascii_digit());
    let elsewhere = text.contains("://")
        || ["file:", "link:", "git@", "git+", ".", "/", "~"].iter().any(|start| text.starts_with(start));
    let script = SCRIPTS.iter().any(|script| text.ends_with(script));
    // Homebrew clones the repository in which somebody keeps packages, and evaluates what it says of this one.
    let taps = program.starts_with("brew ") && text.matches('/').count() > 1 && !text.starts_with("homebrew/");
    !(elsewhere || script || taps || clones && repository)
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

/// Words of the filters of `ss` and `tcpdump` that stand for themselves.
const FILTERS: &str = " src dst host net port portrange sport dport gateway mask proto dev and or not eq ne ge le gt lt tcp \
    udp icmp icmp6 sctp ip ip6 arp rarp ether vlan broadcast multicast greater less state exclude all connected \
    synchronized bucket big established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait closed close-wait last-ack \
    listening closing listen localhost ";

/// Operators of Wireshark's filters, the statistics that may take one, and fields that are compared with addresses or
/// stand beside such.
const WIRESHARK: &str = " eq ne any_eq all_eq any_ne all_ne gt lt ge le in not contains matches io stat phs conv endpoints \
    dests follow ip.addr ip.src ip.dst ip.host ip.src_host ip.dst_host ip.proto ip.ttl ip.len ip.id ip.version ip.flags \
    ip.hdr_len ip.dsfield ip.checksum ip.frag_offset ipv6.addr ipv6.src ipv6.dst ipv6.host ipv6.nxt ipv6.hlim ipv6.plen \
    arp.src.proto_ipv4 arp.dst.proto_ipv4 dns.a dns.aaaa eth.addr eth.src eth.dst ";

/// Whether text names no machine that would have to be looked up, as what a filter of addresses says may: the name
/// itself would be told to whoever serves it. Of the words of `lsof` only what follows an `@` is an address.
pub(super) fn unresolved(program: &str, text: &str) -> bool {
    match program {
        "lsof" => text.split_once('@').is_none_or(|(_, address)| {
            let host = if address.starts_with('[') { address } else { address.split(':').next().unwrap_or_default() };
            host.is_empty() || host == "localhost" || numeric(host)
        }),
        "arp" | "netmask" | "geoiplookup" | "geoiplookup6" => {
            text == "localhost" || text.split([',', '+']).all(|part| numeric(part.trim_start_matches("0x")))
        }
        // Local port, remote machine, remote port: `22,10.0.0.1,80/tcp`.
        "fuser" => {
            let address = text.rsplit_once('/').map_or(text, |(address, _)| address);
            text.split(',').nth(1).is_none() || address.split(',').skip(1).all(numeric)
        }
        "tshark" => filters_numbers(text),
        _ => {
            let parts = text.split(|c: char| c.is_whitespace() || "=<>!~()&|@".contains(c));
            let known = |part: &str| FILTERS.contains(&format!(" {part} ")) || numeric(part) || service(part);
            parts.filter(|part| !part.is_empty()).all(known)
        }
    }
}

/// Whether a filter of Wireshark compares addresses with figures alone: a name would be looked up.
fn filters_numbers(text: &str) -> bool {
    let clauses = text.replace(" and ", "&").replace(" or ", "&");
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| c.is_whitespace() || "=<>!~(){},\"'".contains(c));
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    clauses.split(['&', '|']).all(|clause| {
        // What stands in quotes is a value.
        let unquoted: Vec<&str> = clause.split('"').step_by(2).collect();
        // A name may look like a field.
        let known = |part: &String| WIRESHARK.contains(&format!(" {part} ")) || numeric(part);
        !parts(&unquoted.join(" ")).iter().any(|part| compares_addresses(part)) || parts(clause).iter().all(known)
    })
}

/// Whether a field of Wireshark may be an address: `ip.src`, `arp.dst.proto_ipv4`, `dns.a`.
fn compares_addresses(field: &str) -> bool {
    let mut parts = field.split('.');
    let named = |part: &str| {
        ["ip", "ipv4", "ipv6", "a", "aaaa"].contains(&part)
            || ["addr", "_ipv4", "_ipv6", "hop", "rout", "rtr", "gw", "mask", "lsa"]
                .iter()
                .any(|like| part.contains(like))
    };
    field.contains('.') && !numeric(field) && parts.any(named)
}

/// Whether text is an address in figures, maybe with a port: letters only where two colons say that they are figures.
fn numeric(text: &str) -> bool {
    let six = text.matches(':').count() > 1;
    text.bytes().all(|byte| byte.is_ascii_digit() || b".:/*[]".contains(&byte) || six && byte.is_ascii_hexdigit())
}

/// Whether text is a port by its name, which a file of this machine lists.
fn service(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
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
            ("ss", "state established ( dport = :https or sport = :22 ) dst [fe80::1]"),
            ("tcpdump", "tcp and port 443 and not host 10.0.0.1"),
            ("lsof", "TCP:http"),
            ("lsof", "4TCP@localhost:80"),
            ("netmask", "10.0.0.0/8,0x10"),
            ("geoiplookup", "1.2.3.4"),
            ("fuser", "22/tcp"),
            ("fuser", "http/tcp"),
            ("fuser", "22,10.0.0.1,80/tcp"),
            ("fuser", "src/main.rs"),
            ("fuser", "22"),
            ("tshark", "ip.addr == 10.0.0.1 && http.host == \"a.example\""),
            ("tshark", "ip.src==10.0.0.0/8 and tcp.port in {80 443}"),
            ("tshark", "io,stat,1,ip.dst != 10.0.0.1"),
            ("tshark", "http.request.method == \"GET\" or dns"),
            ("tshark", "conv,tcp"),
            ("tshark", "ipv6.addr in {fe80::1, ::2}"),
        ] {
            assert!(unresolved(program, text), "{text}");
        }
        for (program, text) in [
            ("ss", "dst a.evil.example"),
            ("ss", "dst=a.evil.example"),
            ("lsof", "@a.evil.example"),
            ("arp", "a.b"),
            ("lsof", "@secret"),
            ("arp", "evil"),
            ("tcpdump", "host evil"),
            ("ss", "dst fa.de"),
            ("tcpdump", "host 1.1.1.1 or evil"),
            ("arp", "fa.de"),
            ("netmask", "a.evil.example"),
            ("netmask", "10.0.0.1,evil"),
            ("geoiplookup", "evil"),
            ("fuser", "22,evil/tcp"),
            ("fuser", "22,evil,80/tcp"),
            ("fuser", "22,evil,80"),
            ("tshark", "ip.addr == evil"),
            ("tshark", "tcp && ip.src==\"a.evil.example\""),
            ("tshark", "io,stat,1,ip.addr==evil.example"),
            ("tshark", "http or not ip.addr in {10.0.0.1, evil}"),
            ("tshark", "dns.a == evil"),
            ("tshark", "ip.addr == ip.evil.example"),
            ("tshark", "a.evil.example == ip.addr"),
            ("tshark", "bgp.next_hop == evil"),
        ] {
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
        assert!(
            package("npm view", "@a/b@1.2") && package("brew info", "a/b") && package("brew deps", "homebrew/core/a")
        );
        assert!(!package("brew info", "a/b/c"));
        for text in ["@types/node", "left-pad@^1.0", "react@~18.2", "@a/b@latest"] {
            assert!(package("npm view", text), "{text}");
        }
        for text in [
            "a/b",
            "github:a/b",
            "gist:0",
            "a@git+https://x",
            "https://x/y.tgz",
            "@a/b@evil/c",
            "@a/b@../x",
            "a@..",
            "a@~x",
        ] {
            assert!(!package("npm view", text), "{text}");
        }
    }
}
