//! The chain of the journal: each entry's hash covers the one before it and a salted digest of its content. Content and
//! salt can go, then nobody can guess it back; the digest stays, and with it the chain.

use sha2::{Digest as _, Sha256};

/// A SHA-256.
pub(super) type Hash = [u8; 32];

/// What the first entry has before it.
pub(super) const START: Hash = [0; 32];

/// Tells these hashes from those of anything else.
const DOMAIN: &[u8] = b"countersign journal 2";

/// What of an entry is chained beside its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head<'a> {
    pub(super) session: &'a str,
    pub(super) seq: i64,
    pub(super) at_ms: i64,
    /// None for what is about the session.
    pub(super) operation: Option<i64>,
    pub(super) event: &'a str,
    pub(super) version: i64,
}

/// A new salt, from the system.
///
/// # Errors
/// The system has none.
pub(super) fn salt() -> std::io::Result<Hash> {
    let mut salt = START;
    let random = rustls::crypto::ring::default_provider().secure_random;
    random.fill(&mut salt).map_err(|_| std::io::Error::other("the system gives no random numbers"))?;
    Ok(salt)
}

/// The digest of a content.
pub(super) fn digest(salt: &[u8], body: &str) -> Hash {
    Sha256::new().chain_update(salt).chain_update(body).finalize().into()
}

/// The hash of an entry: each text with its length before it, so that no two entries are spelled alike.
pub(super) fn link(before: &Hash, head: Head<'_>, digest: &[u8]) -> Hash {
    let text = |hash: Sha256, text: &[u8]| hash.chain_update((text.len() as u64).to_le_bytes()).chain_update(text);
    let number = |hash: Sha256, number: i64| hash.chain_update(number.to_le_bytes());
    let hash = text(Sha256::new(), DOMAIN).chain_update(before);
    let hash = number(number(text(hash, head.session.as_bytes()), head.seq), head.at_ms);
    let hash = match head.operation {
        Some(operation) => number(hash.chain_update([1]), operation),
        None => hash.chain_update([0]),
    };
    let hash = number(text(hash, head.event.as_bytes()), head.version);
    text(hash, digest).finalize().into()
}

/// A hash in hexadecimal.
pub(super) fn hex(hash: Hash) -> String {
    format!("{:x}", sha2::digest::Output::<Sha256>::from(hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_covers_every_part_of_an_entry() {
        let head = Head { session: "s", seq: 1, at_ms: 2, operation: Some(3), event: "started", version: 1 };
        let body = digest(&[7; 32], "{}");
        let others = [
            Head { session: "ss", ..head },
            Head { seq: 2, ..head },
            Head { at_ms: 3, ..head },
            Head { operation: None, ..head },
            Head { operation: Some(4), ..head },
            Head { event: "finished", ..head },
            Head { version: 2, ..head },
        ];
        let whole = link(&START, head, &body);
        assert!(others.iter().all(|other| link(&START, *other, &body) != whole));
        assert_ne!(link(&[1; 32], head, &body), whole);
        for (salt, text) in [([7; 32], "[]"), ([8; 32], "{}")] {
            assert_ne!(link(&START, head, &digest(&salt, text)), whole);
        }
    }

    #[test]
    fn no_salt_comes_twice() {
        assert_ne!(salt().unwrap(), salt().unwrap());
    }
}
