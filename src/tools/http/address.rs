//! Tells public addresses from those of this machine and its network, and resolves names to addresses that
//! may be dialled. What is resolved here is what is dialled.

use std::net::{IpAddr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

use crate::assess::{Reach, address_reach};

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
            let addresses = resolve(name.as_str(), 0, |address| !public_only || is_public(address)).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// The addresses of a name, none of them if one `may` not be dialled.
///
/// # Errors
/// There are none, or one may not be dialled: a `NotPublic`.
pub(in super::super) async fn resolve(
    name: &str,
    port: u16,
    may: impl Fn(IpAddr) -> bool,
) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
    let addresses: Vec<SocketAddr> = tokio::net::lookup_host((name, port)).await?.collect();
    match addresses.iter().map(SocketAddr::ip).find(|address| !may(*address)) {
        Some(address) => Err(NotPublic { name: name.to_owned(), address }.into()),
        None => Ok(addresses),
    }
}

/// Whether an address is one of the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    address_reach(address) == Reach::Public
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_with_an_address_that_may_not_be_dialled_has_none() {
        let refused = resolve("localhost", 80, is_public).await.unwrap_err();
        assert!(refused.downcast_ref::<NotPublic>().is_some_and(|refused| !is_public(refused.address)), "{refused}");
        assert!(resolve("localhost", 80, |_| true).await.unwrap().iter().all(|address| address.port() == 80));
    }

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
