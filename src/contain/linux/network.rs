//! The network of a run that may reach hosts by a proxy of ours: nothing but its own loopback, with the proxy's listener on it.
//! Runs in the child, once it has a network of its own.

use std::io::{Error, ErrorKind, Result};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};

use super::super::door::{PROXY, hand_out};

/// `RTM_NEWLINK`: change an interface.
const CHANGE: u16 = 16;
/// `NLM_F_REQUEST | NLM_F_ACK`.
const ANSWERED: u16 = 5;
/// `NLMSG_ERROR`, which also says that there was none.
const ANSWER: u16 = 2;
/// The number of `lo` in every network: it is made with it.
const LOOPBACK: i32 = 1;
/// `IFF_UP`.
const UP: u32 = 1;

/// Switches the loopback on and hands out a listener on it.
///
/// # Errors
/// One sentence: the kernel refuses a part of it, or nobody takes it.
pub fn open(door: &Path) -> std::result::Result<(), String> {
    let told = |error: Error| format!("its network can't be opened: {error}");
    switch_on().map_err(told)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY)).map_err(told)?;
    hand_out(door, &listener).map_err(told)
}

fn switch_on() -> Result<()> {
    // Without a protocol it is the one for routes and interfaces.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    send(&socket, &request(), SendFlags::empty())?;
    let mut answer = [0; 1024];
    let (length, _) = recv(&socket, &mut answer[..], RecvFlags::empty())?;
    match outcome(&answer[..length.min(answer.len())]) {
        Some(0) => Ok(()),
        Some(error) => Err(Error::from_raw_os_error(error)),
        None => Err(ErrorKind::InvalidData.into()),
    }
}

/// The message that switches it on: the kernel's `nlmsghdr` and `ifinfomsg`.
fn request() -> [u8; 32] {
    let mut message = [0; 32];
    message[0..4].copy_from_slice(&32_u32.to_ne_bytes());
    message[4..6].copy_from_slice(&CHANGE.to_ne_bytes());
    message[6..8].copy_from_slice(&ANSWERED.to_ne_bytes());
    message[20..24].copy_from_slice(&LOOPBACK.to_ne_bytes());
    message[24..28].copy_from_slice(&UP.to_ne_bytes());
    message[28..32].copy_from_slice(&UP.to_ne_bytes());
    message
}

/// The number of the error that an answer tells, 0 for none; none if it is no such answer.
fn outcome(answer: &[u8]) -> Option<i32> {
    let sort = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let error = i32::from_ne_bytes(answer.get(16..20)?.try_into().ok()?);
    (sort == ANSWER).then(|| error.saturating_neg())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_kernels_word_that_there_was_no_error_counts() {
        let answer = |sort: u16, error: i32| {
            let mut message = request();
            message[4..6].copy_from_slice(&sort.to_ne_bytes());
            message[16..20].copy_from_slice(&error.to_ne_bytes());
            outcome(&message)
        };
        assert_eq!((answer(ANSWER, 0), answer(ANSWER, -1)), (Some(0), Some(1)));
        assert_eq!((answer(CHANGE, 0), outcome(&[0; 18])), (None, None));
    }
}
