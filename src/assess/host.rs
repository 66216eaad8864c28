//! Where a host leads, by its name or address alone: public, private, or to what hands out keys. Unresolved;
//! also used when addresses are dialled.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Where a host leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The internet.
    Public,
    /// This machine, or a network of its own.
    Private,
    /// Link-local, or a service that hands out this machine's credentials.
    Metadata,
    /// A public service that records what it is asked.
    Catcher,
    /// Not plainly any of these.
    Unclear,
}

/// Names of services that hand out this machine's credentials.
const METADATA: [&str; 12] = [
    "metadata.google.internal",
    "metadata.goog",
    "metadata",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.azure.internal",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
    "metadata.oraclecloud.com",
    "rancher-metadata",
    "metadata.nicecloud.internal",
];

/// Endings that no public name has.
const PRIVATE_ENDINGS: [&str; 28] = [
    "default",
    "kube-system",
    "fritz.box",
    "mshome.net",
    "speedport.ip",
    "localhost",
    "localdomain",
    "prod",
    "local",
    "internal",
    "intranet",
    "corp",
    "lan",
    "home",
    "private",
    "home.arpa",
    "arpa",
    "svc",
    "test",
    "invalid",
    "onion",
    "domain",
    "workgroup",
    "cluster",
    "consul",
    "docker",
    "k8s",
    "ts.net",
];

/// Public names that lead to this machine or to any address that they spell.
const LOOPBACK_NAMES: [&str; 17] = [
    "rbndr.us",
    "1u.ms",
    "rebind.network",
    "localtest.me",
    "lvh.me",
    "nip.io",
    "sslip.io",
    "xip.io",
    "vcap.me",
    "lacolhost.com",
    "localho.st",
    "traefik.me",
    "fuf.me",
    "lvh.pm",
    "readme.localtest.me",
    "yoogle.com",
    "local.gd",
];

/// Public services that record requests for whoever set them up, or act or tell somebody by a mere look.
const CATCHERS: [&str; 63] = [
    "requestrepo.com",
    "interactsh.com",
    "webhook.site",
    "requestbin.com",
    "requestbin.net",
    "pipedream.net",
    "requestcatcher.com",
    "beeceptor.com",
    "hookbin.com",
    "ngrok.io",
    "ngrok.app",
    "ngrok.dev",
    "ngrok-free.app",
    "ngrok-free.dev",
    "loca.lt",
    "serveo.net",
    "trycloudflare.com",
    "burpcollaborator.net",
    "oastify.com",
    "interact.sh",
    "oast.pro",
    "oast.live",
    "oast.site",
    "oast.online",
    "oast.fun",
    "oast.me",
    "dnslog.cn",
    "ceye.io",
    "canarytokens.com",
    "ptsv2.com",
    "ptsv3.com",
    "postb.in",
    "ntfy.sh",
    "maker.ifttt.com",
    "hooks.zapier.com",
    "hook.make.com",
    "hook.eu1.make.com",
    "hook.eu2.make.com",
    "hook.us1.make.com",
    "hook.us2.make.com",
    "hookb.in",
    "play.svix.com",
    "iplogger.org",
    "iplogger.com",
    "grabify.link",
    "api.day.app",
    "api.callmebot.com",
    "api.telegram.org",
    "script.google.com",
    "docs.google.com",
    "duckdns.org",
    "dynupdate.no-ip.com",
    "api.render.com",
    "api.vercel.com",
    "api.thingspeak.com",
    "hc-ping.com",
    "zapier.com",
    "wirepusher.com",
    "sctapi.ftqq.com",
    "api.simplepush.io",
    "logic.azure.com",
    "kvdb.io",
    "api.countapi.xyz",
];

/// Where the host of a URL leads.
#[must_use]
pub fn reach(url: &Url) -> Reach {
    match url.host() {
        Some(Host::Ipv4(address)) => address_reach(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => address_reach(IpAddr::V6(address)),
        Some(Host::Domain(name)) => name_reach(name),
        None => Reach::Unclear,
    }
}

/// Where an address leads.
#[must_use]
pub fn address_reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => v4_reach(address),
        IpAddr::V6(address) => v6_reach(address),
    }
}

fn v4_reach(address: Ipv4Addr) -> Reach {
    let [a, b, c, d] = address.octets();
    match (a, b, c, d) {
        // Link-local, and the metadata services of Alibaba, Oracle and Azure.
        (169, 254, ..) | (100, 100, 100, 200) | (192, 0, 0, 192) | (168, 63, 129, 16) => Reach::Metadata,
        // This network, private, shared, loopback, protocol, examples, benchmarks, multicast, reserved.
        (0 | 10 | 127 | 224..=255, ..)
        | (100, 64..=127, ..)
        | (172, 16..=31, ..)
        | (192, 168, ..)
        | (192, 0, 0 | 2, _)
        | (192, 88, 99, _)
        | (198, 18..=19, ..)
        | (198, 51, 100, _)
        | (203, 0, 113, _) => Reach::Private,
        _ => Reach::Public,
    }
}

fn v6_reach(address: Ipv6Addr) -> Reach {
    let parts = address.segments();
    let inner = embedded(parts).map(v4_reach);
    match parts {
        // Standing for another address makes a private one no more public.
        [0x0064, 0xff9b, 1, ..] | [0x2001, 0x0002 | 0x0010..=0x001f, ..] | [0x3fff, 0..=0x0fff, ..] => {
            inner.filter(|inner| *inner == Reach::Metadata).unwrap_or(Reach::Private)
        }
        [0 | 0x0064 | 0x2002, _, _, _, _, 0 | 0xffff, ..] if inner.is_some() => inner.unwrap_or(Reach::Private),
        [0xfe80..=0xfebf, ..] | [0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x254] | [0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x254] => {
            Reach::Metadata
        }
        // Documentation and Teredo stand inside the public range.
        [0x2001, 0x0db8 | 0x0000, ..] => Reach::Private,
        [0x2000..=0x3fff, ..] => inner.unwrap_or(Reach::Public),
        _ => inner.filter(|inner| *inner == Reach::Metadata).unwrap_or(Reach::Private),
    }
}

/// The IPv4 address inside an IPv6 one: mapped, compatible, NAT64, 6to4, ISATAP.
fn embedded(parts: [u16; 8]) -> Option<Ipv4Addr> {
    let pair = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x0064, 0xff9b, 0 | 1, _, _, _, high, low]
        | [0x2002, high, low, ..]
        | [_, _, _, _, 0 | 0x0200, 0x5efe, high, low] => pair(high, low),
        _ => None,
    }
}

fn name_reach(name: &str) -> Reach {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    if name.split('.').any(str::is_empty) {
        return Reach::Unclear;
    }
    let ends = |ending: &&str| name == *ending || name.strip_suffix(*ending).is_some_and(|rest| rest.ends_with('.'));
    let inner = |label: &str| matches!(label, "internal" | "intranet" | "corp" | "svc" | "lan" | "localhost");
    if METADATA.contains(&name.as_str()) {
        return Reach::Metadata;
    }
    if !name.contains('.')
        || name.split('.').any(inner)
        || PRIVATE_ENDINGS.iter().any(ends)
        || LOOPBACK_NAMES.iter().any(ends)
    {
        return Reach::Private;
    }
    if CATCHERS.iter().any(ends) {
        return Reach::Catcher;
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    if last.starts_with(|letter: char| letter.is_ascii_digit()) { Reach::Unclear } else { Reach::Public }
}

/// Whether a spelling shows a person the host that it leads to: the same letters, Latin ones with marks, or whole labels
/// of a script with nothing that looks like Latin (<https://www.unicode.org/reports/tr39/> calls others confusable).
pub(super) fn plainly_spelled(spelled: &str, real: &str) -> bool {
    let coded = |name: &str| name.split('.').any(|label| label.to_ascii_lowercase().starts_with("xn--"));
    if spelled.is_ascii() {
        return spelled.eq_ignore_ascii_case(real) && !coded(spelled) || same_address(spelled, real);
    }
    let latin = |letter: char| letter.is_ascii() || matches!(letter, '\u{df}'..='\u{f6}' | '\u{f8}'..='\u{17f}');
    let plain = |label: &str| label.chars().all(latin) || label.chars().all(eastern);
    coded(real) && !coded(spelled) && spelled.split('.').all(plain)
}

/// Letters of Chinese, Japanese and Korean but for the strokes that look like a slash, a dash or a dot; and digits.
fn eastern(letter: char) -> bool {
    const STROKES: &str = "一丨丶丿乀乁乙亅ノー・〇";
    let script = matches!(letter, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}');
    letter.is_ascii_digit() || script && !STROKES.contains(letter)
}

/// An IPv6 address may be written in longer forms.
fn same_address(spelled: &str, real: &str) -> bool {
    let inner = |text: &str| text.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok();
    inner(spelled).is_some() && inner(spelled) == inner(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(host: &str) -> Reach {
        reach(&Url::parse(&format!("http://{host}/")).unwrap())
    }

    #[test]
    fn addresses_are_told_in_every_form() {
        for host in [
            "169.254.169.254",
            "0xa9fea9fe",
            "[::ffff:169.254.0.1]",
            "[fe80::5efe:808:808]",
            "[64:ff9b::a9fe:a9fe]",
            "[fe80::1]",
            "[fd00:ec2::254]",
        ] {
            assert_eq!(of(host), Reach::Metadata, "{host}");
        }
        for host in [
            "127.1",
            "0",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "100.64.0.1",
            "[::]",
            "[::1]",
            "[fc00::1]",
            "[2002:7f00:1::]",
            "[fd12:3456:789a:1:0:5efe:808:808]",
            "[ff02::5efe:808:808]",
            "[::5efe:808:808]",
            "[2002:a00:1::5efe:808:808]",
            "[64:ff9b:1:ffff::808:808]",
            "[2001:10::1]",
            "[3fff::1]",
            "255.255.255.255",
        ] {
            assert_eq!(of(host), Reach::Private, "{host}");
        }
        for host in ["8.8.8.8", "172.32.0.1", "[2606:4700::1]"] {
            assert_eq!(of(host), Reach::Public, "{host}");
        }
    }

    #[test]
    fn names_are_told_by_their_endings() {
        for host in [
            "localhost",
            "a.localhost",
            "db.internal",
            "x.corp.example",
            "printer",
            "app.lvh.me",
            "a.svc.cluster.local",
        ] {
            assert_eq!(of(host), Reach::Private, "{host}");
        }
        assert_eq!(of("metadata.google.internal."), Reach::Metadata);
        assert_eq!(of("abc.webhook.site"), Reach::Catcher);
        for host in ["example.org..", ".example.org", "a..example.org"] {
            assert_eq!(of(host), Reach::Unclear, "{host}");
        }
        for host in ["example.org", "internal-tools.example.org", "a.co.uk", "docs.rs", "xn--mller-kva.example"] {
            assert_eq!(of(host), Reach::Public, "{host}");
        }
    }

    #[test]
    fn plain_spellings_show_where_they_lead() {
        assert!(plainly_spelled("Example.ORG", "example.org"));
        assert!(plainly_spelled("müller.de", "xn--mller-kva.de"));
        assert!(plainly_spelled("日本語.jp", "xn--wgv71a119e.jp"));
        assert!(plainly_spelled("[2606:4700:0::1]", "[2606:4700::1]"));
        for (spelled, real) in [
            ("127.1", "127.0.0.1"),
            ("xn--a.de", "xn--a.de"),
            ("ex\u{430}mple.org", "xn--exmple-4nf.org"),
            ("１.1.1.1", "1.1.1.1"),
        ] {
            assert!(!plainly_spelled(spelled, real), "{spelled}");
        }
    }
}
