//! What two processes say to each other while one takes over from the other, over a Unix socket that is the new one's
//! standard input.
//!
//! The old one sends a [`Greeting`] and then the listening sockets (SCM_RIGHTS, unix(7)): what is sent so is open in
//! both, and needs neither numbers that both agree on nor descriptors that any other child would inherit. The new one
//! says when it serves, the old one answers that it is the service from now on.

use std::io;
use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

/// Of this protocol. Another version of this program may have another one, and then refuses.
pub(super) const VERSION: u32 = 1;
/// Said by the new process.
pub(super) const SERVING: u8 = b's';
/// Said by the old one.
pub(super) const YOURS: u8 = b'y';
/// Descriptors in one message; the kernel takes 253 (SCM_MAX_FD).
const BATCH: usize = 64;
/// No process has more listeners, or says so much of them.
const LONGEST_GREETING: usize = 1 << 20;

/// What comes before the sockets.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Greeting {
    pub(super) version: u32,
    /// One for each, in turn.
    pub(super) sockets: Vec<Given>,
    /// Whether one more socket comes, the last: what is kept is told by it. A version that knows nothing of that is not
    /// disturbed by it.
    #[serde(default)]
    pub(super) gives: bool,
}

/// What is said of a socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Given {
    /// The address that the configuration has for it; systemd's may be at another.
    pub(super) address: String,
    /// Whether its file, if it has one, is to be taken away in the end.
    pub(super) is_ours: bool,
}

/// Sends all of it.
pub(super) fn send(stream: &UnixStream, greeting: &Greeting, sockets: &[BorrowedFd<'_>]) -> io::Result<()> {
    let text = serde_json::to_vec(greeting)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    let mut stream_ref = stream;
    stream_ref.write_all(&length.to_be_bytes())?;
    stream_ref.write_all(&text)?;
    for batch in sockets.chunks(BATCH) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(BATCH))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !control.push(SendAncillaryMessage::ScmRights(batch)) {
            return Err(io::Error::other("too many sockets for a message"));
        }
        // They have to come with a byte.
        retry_on_intr(|| sendmsg(stream, &[IoSlice::new(&[0])], &mut control, SendFlags::NOSIGNAL))?;
    }
    Ok(())
}

/// Receives all of it.
pub(super) fn receive(stream: &UnixStream) -> io::Result<(Greeting, Vec<OwnedFd>)> {
    let mut stream_ref = stream;
    let mut length = [0; 4];
    stream_ref.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > LONGEST_GREETING {
        return Err(io::Error::other("the other process is no `unladen serve`"));
    }
    let mut text = vec![0; length];
    stream_ref.read_exact(&mut text)?;
    let greeting: Greeting = serde_json::from_slice(&text)?;
    if greeting.version != VERSION {
        let theirs = greeting.version;
        return Err(io::Error::other(format!("the old process hands over by version {theirs}, this one by {VERSION}")));
    }
    let mut sockets = Vec::new();
    while sockets.len() < greeting.sockets.len() + usize::from(greeting.gives) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(BATCH))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let received = retry_on_intr(|| recvmsg(stream, &mut [IoSliceMut::new(&mut byte)], &mut control, flags))?;
        if received.bytes == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(these) = message {
                sockets.extend(these);
            }
        }
    }
    Ok((greeting, sockets))
}

/// Says one of the words.
pub(super) fn say(mut stream: &UnixStream, word: u8) -> io::Result<()> {
    stream.write_all(&[word])
}

/// Waits for one; none: the other process has gone. A wait with a time limit is interrupted where a tracer of the kernel
/// comes or goes, although no signal has a handler (signal(7)); `read_exact` goes on then, and `read` does not.
pub(super) fn hear(mut stream: &UnixStream) -> io::Result<Option<u8>> {
    let mut word = [0];
    match stream.read_exact(&mut word) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        read => read.map(|()| Some(word[0])),
    }
}

#[cfg(test)]
mod tests;
