//! Protocol between a process and its successor during a handover, over a Unix socket that is the new one's standard
//! input.
//!
//! The old process sends a [`Greeting`] and then the listening sockets (SCM_RIGHTS, unix(7)): they need neither numbers
//! that both agree on nor descriptors that other children would inherit. The new one says when it serves, and the old
//! one answers that it is the service from now on.

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

/// Protocol version. Another version of this program may have another one, and then refuses.
pub(super) const VERSION: u32 = 1;
/// Said by the new process.
pub(super) const SERVING: u8 = b's';
/// Said by the old one.
pub(super) const YOURS: u8 = b'y';
/// Descriptors in one message; the kernel takes 253 (SCM_MAX_FD).
const BATCH: usize = 64;
/// Bound in bytes: no process has more listeners.
const LONGEST_GREETING: usize = 1 << 20;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Greeting {
    pub(super) version: u32,
    /// One for each socket, in order.
    pub(super) sockets: Vec<Given>,
    /// Whether one more socket follows for what is kept, the last. Versions that do not know this ignore it.
    #[serde(default)]
    pub(super) gives: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Given {
    /// The configured address; systemd's socket may be at another.
    pub(super) address: String,
    /// Whether its file, if any, is to be removed at the end.
    pub(super) is_ours: bool,
}

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
        // Ancillary data has to come with a byte.
        retry_on_intr(|| sendmsg(stream, &[IoSlice::new(&[0])], &mut control, SendFlags::NOSIGNAL))?;
    }
    Ok(())
}

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

pub(super) fn say(mut stream: &UnixStream, word: u8) -> io::Result<()> {
    stream.write_all(&[word])
}

/// Waits for a word; `None` if the other process has gone. A tracer of the kernel interrupts timed waits even without
/// signal handlers (signal(7)): `read_exact` goes on then, and `read` does not.
pub(super) fn hear(mut stream: &UnixStream) -> io::Result<Option<u8>> {
    let mut word = [0];
    match stream.read_exact(&mut word) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        read => read.map(|()| Some(word[0])),
    }
}

#[cfg(test)]
mod tests;
