//! Tells public addresses from those of this machine and its network, and resolves names to addresses that
//! may be dialled. What is resolved here is what is dialled.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

/// A name that leads to an address which nobody agreed to.
#[derive(Debug, Error)]
#[error("{name} resolves to {address}, which is not a public address")]
pub(super) struct NotPublic {
    pub(super) name: String,
    pub(super) address: IpAddr,
}

/// Resolves names; where only public addresses may be dialled, one other address refuses the whole name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolver {
    pub(super) public_only: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let public_only = self.public_only;
        Box::pin(async move {
            let name = name.as_str().to_owned();
            let addresses: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            match addresses.iter().map(SocketAddr::ip).find(|address| public_only && !is_public(*address)) {
                Some(address) => Err(NotPublic { name, address }.into()),
                None => Ok(Box::new(addresses.into_iter()) as Addrs),
            }
        })
    }
}

/// Whether an address is one of the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        // This network, shared provider space, protocol assignments, benchmarks, reserved.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let last = |at: usize| {
        let [[a, b], [c, d]] = [segments[at].to_be_bytes(), segments[at + 1].to_be_bytes()];
        Ipv4Addr::new(a, b, c, d)
    };
    match segments {
        // Written in another form, or reached through a translator: the address within counts.
        [0, 0, 0, 0, 0, 0xffff, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => is_public_v4(last(6)),
        [0x2002, ..] => is_public_v4(last(1)),
        // Documentation, and tunnels whose end is hidden.
        [0x2001, 0 | 0xdb8, ..] => false,
        // Global unicast is what begins with the bits 001.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_and_its_network_are_not_public() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "::127.0.0.1",
            "2001:db8::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
