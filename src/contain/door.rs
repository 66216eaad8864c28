//! How the proxy of a run gets into its network. The child makes a listener there, where nothing else is, and
//! hands it out through a socket in a private folder, before the walls take that folder away. The program accepts
//! on it from outside: a socket stays in the network that it was made in.

use std::fs::{self, File};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use tokio::io::Interest;

/// Name of the socket through which it is handed out, in a folder that is this person's alone.
pub const DOOR: &str = "door";
/// Port of the proxy in the network of a run. Nothing else is there that could have it.
pub const PROXY: u16 = 3128;

/// What is received isn't handed on to children.
#[cfg(target_os = "linux")]
const OURS_ALONE: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const OURS_ALONE: RecvFlags = RecvFlags::empty();

/// The program's end: waits for the listener of one run.
#[derive(Debug)]
pub struct Door {
    socket: UnixListener,
    place: PathBuf,
}

impl Door {
    /// Opens one at a path in a folder that is this person's alone.
    ///
    /// # Errors
    /// There is no place for it.
    pub fn open(place: &Path) -> io::Result<Self> {
        let (_folder, short) = shortened(place)?;
        let socket = UnixListener::bind(short)?;
        socket.set_nonblocking(true)?;
        Ok(Self { socket, place: place.to_path_buf() })
    }

    /// The listener, once the child has handed it out. One is taken, then nobody can knock any more. Waits for as long as
    /// that takes: whoever calls it knows when the child has ended.
    ///
    /// # Errors
    /// Something else came, or nothing.
    pub async fn listener(self) -> io::Result<TcpListener> {
        let socket = tokio::net::UnixListener::from_std(self.socket)?;
        let (stream, _) = socket.accept().await?;
        // It goes with its folder at the latest.
        let _gone = fs::remove_file(&self.place);
        let received = stream.async_io(Interest::READABLE, || receive(&stream)).await?;
        Ok(TcpListener::from(received))
    }
}

/// The child's end: hands a listener out.
///
/// # Errors
/// Nobody waits for it.
pub fn hand_out(place: &Path, listener: &TcpListener) -> io::Result<()> {
    let (_folder, short) = shortened(place)?;
    let stream = UnixStream::connect(short)?;
    let rights = [listener.as_fd()];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(&rights)) {
        return Err(ErrorKind::OutOfMemory.into());
    }
    sendmsg(&stream, &[IoSlice::new(b"l")], &mut control, SendFlags::empty())?;
    Ok(())
}

fn receive(stream: &impl AsFd) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    recvmsg(stream, &mut [IoSliceMut::new(&mut [0])], &mut control, OURS_ALONE)?;
    let rights = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut rights) => rights.next(),
        _ => None,
    });
    rights.ok_or_else(|| ErrorKind::InvalidData.into())
}

/// A path as sockets take it, who know short ones alone: by its opened folder, which must be held until it was used.
fn shortened(place: &Path) -> io::Result<(File, PathBuf)> {
    let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(ErrorKind::InvalidInput.into());
    };
    let folder = File::open(folder)?;
    let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
    Ok((folder, short))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_listener_comes_through_and_works() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a".repeat(100)).join("b".repeat(100));
        fs::create_dir_all(&deep).unwrap();
        let place = deep.join("door");
        let door = Door::open(&place).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        hand_out(&place, &listener).unwrap();
        drop(listener);
        let received = door.listener().await.unwrap();
        assert_eq!(received.local_addr().unwrap(), address);
        assert!(std::net::TcpStream::connect(address).is_ok() && !place.exists());
        assert!(hand_out(&place, &received).is_err(), "one is taken");
    }

    #[tokio::test]
    async fn a_word_without_a_listener_is_none() {
        use std::io::Write as _;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("door");
        let door = Door::open(&place).unwrap();
        UnixStream::connect(&place).unwrap().write_all(b"l").unwrap();
        assert_eq!(door.listener().await.unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
