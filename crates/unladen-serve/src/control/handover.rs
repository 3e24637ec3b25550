//! Handing over to a new process. The principal type is [`Successor`]: that process, as the old one sees it.

use std::ffi::OsString;
use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, io, thread};

use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

use super::listeners::{Found, Given};
use crate::plan::ListenSocket;

/// Tells a process that it takes over, and from which id, since the variable may be inherited further than meant.
const VARIABLE: &str = "UNLADEN_HANDOVER";
/// How long the new process has until it serves.
const PATIENCE: Duration = Duration::from_secs(10);

const ENDED: &str = "it ended";

/// How to start this process's program, which may be another version by then.
#[derive(Clone, Debug)]
pub(super) struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
    folder: PathBuf,
}

#[derive(Debug)]
pub(super) struct Successor {
    stream: UnixStream,
}

#[derive(Debug)]
pub(super) struct Inheritance {
    pub(super) found: Vec<Found>,
    /// Stream of the old process's cache, if it sends one.
    pub(super) legacy: Option<UnixStream>,
    stream: UnixStream,
}

impl Program {
    /// To be called at the start: later its file, and with it `/proc/self/exe`, may be gone.
    pub(super) fn of_this_process() -> io::Result<Self> {
        let real = env::current_exe()?;
        let mut arguments = env::args_os();
        let called = arguments.next().unwrap_or_default();
        // By the name it was called by if that leads here: its link may point to a new version later.
        let leads_here = |path: &PathBuf| path.canonicalize().is_ok_and(|path| path == real);
        let called = if called.as_encoded_bytes().contains(&b'/') {
            Some(std::path::absolute(&called)?).filter(leads_here)
        } else {
            let folders = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&folders).map(|folder| folder.join(Path::new(&called))).find(leads_here)
        };
        Ok(Self { path: called.unwrap_or(real), arguments: arguments.collect(), folder: env::current_dir()? })
    }

    /// Starts it and hands over the sockets and `legacy`, the end of the stream for what is kept. A thread of its own
    /// calls `told` with whether it serves.
    pub(super) fn start(
        &self,
        sockets: Vec<(&ListenSocket, Given)>,
        legacy: OwnedFd,
        told: impl FnOnce(Result<Successor, String>) + Send + 'static,
    ) -> io::Result<Child> {
        let (here, there) = UnixStream::pair()?;
        here.set_read_timeout(Some(PATIENCE))?;
        here.set_write_timeout(Some(PATIENCE))?;
        // Duplicates, since this process goes on using its own while the sockets are sent.
        let mut copies: Vec<OwnedFd> =
            sockets.iter().map(|(socket, _)| socket.as_fd().try_clone_to_owned()).collect::<io::Result<_>>()?;
        copies.push(legacy);
        let sockets = sockets.into_iter().map(|(_, given)| given).collect();
        let greeting = Greeting { version: VERSION, sockets, gives: true };
        let child = Command::new(&self.path)
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env(VARIABLE, std::process::id().to_string())
            .env_remove("LISTEN_FDS")
            .env_remove("LISTEN_PID")
            .env_remove("LISTEN_FDNAMES")
            .stdin(Stdio::from(OwnedFd::from(there)))
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.path.display())))?;
        let hand_over = move || {
            let fds: Vec<_> = copies.iter().map(AsFd::as_fd).collect();
            let result = send(&here, &greeting, &fds).and_then(|()| hear(&here));
            told(match result {
                Ok(Some(SERVING)) => Ok(Successor { stream: here }),
                Ok(Some(_)) => Err("it cannot take over".into()),
                Ok(None) => Err(ENDED.into()),
                Err(error) if is_end(&error) => Err(ENDED.into()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    Err(format!("it did not serve within {PATIENCE:?}"))
                }
                Err(error) => Err(error.to_string()),
            });
        };
        thread::Builder::new().name("handover".into()).spawn(hand_over)?;
        Ok(child)
    }
}

impl Successor {
    pub(super) fn inherit(self) {
        // If it is gone already, there is nobody to go back to.
        let _ = say(&self.stream, YOURS);
    }
}

impl Inheritance {
    /// The handover, if this process was started for one. To be called once, at the start.
    pub(super) fn claim() -> io::Result<Option<Self>> {
        let from = env::var(VARIABLE).ok().and_then(|process| process.parse().ok());
        if from != Some(nix::unistd::getppid().as_raw()) {
            return Ok(None);
        }
        let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        stream.set_read_timeout(Some(PATIENCE))?;
        rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
        let (greeting, mut sockets) = receive(&stream)?;
        let legacy = if greeting.gives { sockets.pop().map(UnixStream::from) } else { None };
        let found = sockets
            .into_iter()
            .zip(greeting.sockets)
            .map(|(socket, given)| Found::new(socket, Some(given.address), given.is_ours))
            .collect::<io::Result<_>>()?;
        Ok(Some(Self { found, legacy, stream }))
    }

    /// Reports that this process serves. Returns once it is the service, or the old one is gone: the same.
    pub(super) fn serve(self) {
        let _ = say(&self.stream, SERVING);
        let _ = hear(&self.stream);
    }
}

/// Whether the peer is gone: depending on how far it came, it left data unread or is not there to receive any.
fn is_end(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)
}

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

/// The beginning of the protocol between a process and its successor, over a Unix socket that is the new one's standard
/// input.
///
/// The old process sends this and then the listening sockets (SCM_RIGHTS, unix(7)): they need neither numbers that both
/// agree on nor descriptors that other children would inherit. The new one says when it serves, and the old one answers
/// that it is the service from now on.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Greeting {
    pub(super) version: u32,
    /// One for each socket, in order.
    pub(super) sockets: Vec<Given>,
    /// Whether one more socket follows for what is kept, the last. Versions that do not know this ignore it.
    #[serde(default)]
    pub(super) gives: bool,
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
            return Err(io::Error::other("too many sockets for one message"));
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
        return Err(io::Error::other("the other process is not `unladen serve`"));
    }
    let mut text = vec![0; length];
    stream_ref.read_exact(&mut text)?;
    let greeting: Greeting = serde_json::from_slice(&text)?;
    if greeting.version != VERSION {
        let theirs = greeting.version;
        return Err(io::Error::other(format!("the old process uses hand-over version {theirs}, this one {VERSION}")));
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
