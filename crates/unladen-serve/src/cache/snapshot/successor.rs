//! The principal types are [`Successor`]: the process that takes over, as the cache sees it; and [`Forgotten`]: a purge
//! that it is told of. Messages besides those of snapshots have a stream of their own: frames from the old process,
//! single bytes from the new one.

use std::io;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use unladen_cache::{FRAME_LENGTH, FrameHead, Purge};

/// How long a purge waits for the new process; then the process is told no more, and trusts nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The process that takes over. Once it has been sent what is kept, purges made here are applied there before the
/// purging client is answered: after posting a form here, the client may look at the page there.
#[derive(Debug)]
pub(crate) struct Successor {
    /// `None` once it has gone or was given up.
    stream: Mutex<Option<UnixStream>>,
}

/// Who takes over from a site, if anybody; shared by all caches of the site.
#[derive(Debug, Default)]
pub(crate) struct SuccessorSlot {
    who: Mutex<Option<(String, Arc<Successor>)>>,
    serves: AtomicBool,
}

impl Successor {
    /// To be used after [`Self::wait`].
    pub(crate) fn new(stream: UnixStream) -> Arc<Self> {
        Arc::new(Self { stream: Mutex::new(Some(stream)) })
    }

    /// Waits until it says that it listens.
    pub(crate) fn wait(&self, patience: Duration) -> io::Result<()> {
        // A clone, so that the wait does not hold the lock.
        let stream = self.with(|stream| stream.try_clone())?;
        stream.set_read_timeout(Some(patience))?;
        let mut word = [0];
        (&stream).read_exact(&mut word)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(2 * PATIENCE))?;
        if word == [READY] { Ok(()) } else { Err(io::Error::other("it cannot take over stored responses")) }
    }

    pub(crate) fn send(&self, frames: &[u8]) -> io::Result<()> {
        self.with(|stream| stream.write_all(frames))
    }

    /// Has it forget; returns once it has.
    fn forget(&self, forgotten: &Forgotten) {
        let done = self.with(|stream| {
            stream.write_all(&frame(PURGE, &forgotten.to_bytes())?)?;
            let mut word = [0];
            stream.read_exact(&mut word)?;
            if word == [DONE] { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
        });
        // An error closes the stream without a farewell, so that the successor distrusts all it was given.
        drop(done);
    }

    pub(crate) fn close(&self) {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(stream) = stream {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut UnixStream) -> io::Result<T>) -> io::Result<T> {
        let mut place = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let stream = place.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        let result = f(stream);
        if result.is_err()
            && let Some(stream) = place.take()
        {
            let _ = stream.shutdown(Shutdown::Both);
        }
        result
    }
}

impl Write for &Successor {
    fn write(&mut self, frames: &[u8]) -> io::Result<usize> {
        self.send(frames).map(|()| frames.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SuccessorSlot {
    pub(crate) fn set(&self, successor: Option<(String, Arc<Successor>)>) {
        *self.who.lock().unwrap_or_else(PoisonError::into_inner) = successor;
    }

    /// Another process is about to carry requests. Its purges are not made here, so from now on no thread here answers
    /// from memory; a thread may not have heard yet that it is to drain.
    pub(crate) fn begin_to_serve(&self) {
        self.serves.store(true, Ordering::SeqCst);
    }

    pub(crate) fn serves(&self) -> bool {
        self.serves.load(Ordering::SeqCst)
    }

    pub(crate) fn forget(&self, purge: &Purge, is_soft: bool) {
        let successor = self.who.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((site, successor)) = successor {
            successor.forget(&Forgotten { site, purge: purge.clone(), is_soft });
        }
    }
}

/// The following frames are a site's: its fingerprint and name.
pub(crate) const SITE: u32 = 16;
/// A purge ([`Forgotten`]); the new process answers [`DONE`] once it has applied it.
pub(crate) const PURGE: u32 = 17;
pub(crate) const WHOLE: u32 = 18;
/// The old process is done, and purges nothing more.
pub(crate) const BYE: u32 = 19;

/// In a fleet: all purges up to this position were applied before anything that follows was looked at. It comes first,
/// in a file too.
pub(crate) const POSITION: u32 = 20;

/// The old process has purges that no other node was told: the new one tells them all.
pub(crate) const UNSENT: u32 = 21;

/// New process: it is ready to receive.
pub(crate) const READY: u8 = b'r';
/// New process: the purge is applied.
pub(crate) const DONE: u8 = b'd';

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forgotten {
    pub(crate) site: String,
    pub(crate) purge: Purge,
    pub(crate) is_soft: bool,
}

/// Fails if the payload is longer than frames may be.
pub(crate) fn frame(kind: u32, payload: &[u8]) -> io::Result<Vec<u8>> {
    let head = FrameHead::of(kind, payload).ok_or(io::ErrorKind::InvalidInput)?;
    Ok([&head.to_bytes()[..], payload].concat())
}

/// Reads a frame of at most `most` bytes, and returns its kind; `None` if the other process has gone.
pub(crate) fn read(from: &mut impl Read, payload: &mut Vec<u8>, most: u64) -> io::Result<Option<u32>> {
    let mut head = [0; FRAME_LENGTH];
    let (first, rest) = head.split_at_mut(1);
    // An interrupted read is no end; and only before a frame is an end clean.
    match from.read_exact(first) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    from.read_exact(rest)?;
    let head = FrameHead::read(&head);
    if u64::from(head.length) > most {
        return Err(io::Error::other("a frame is longer than any stored response"));
    }
    payload.resize(head.length as usize, 0);
    from.read_exact(payload)?;
    head.check(payload).map_err(io::Error::other)?;
    Ok(Some(head.kind))
}

impl Forgotten {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (kind, meant): (u8, &[u8]) = match &self.purge {
            Purge::Key(key) => (0, key),
            Purge::Prefix(key) => (1, key),
            Purge::Tag(tag) => (2, tag.as_bytes()),
            Purge::All => (3, b""),
        };
        let name = (self.site.len() as u64).to_le_bytes();
        [&[u8::from(self.is_soft), kind], &name[..], self.site.as_bytes(), meant].concat()
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let ([is_soft, kind], rest) = bytes.split_first_chunk()?;
        let (name, rest) = rest.split_first_chunk()?;
        let (site, meant) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*name)).ok()?)?;
        let purge = match kind {
            0 => Purge::Key(meant.to_vec()),
            1 => Purge::Prefix(meant.to_vec()),
            2 => Purge::Tag(std::str::from_utf8(meant).ok()?.into()),
            3 => Purge::All,
            _ => return None,
        };
        Some(Self { site: std::str::from_utf8(site).ok()?.to_owned(), purge, is_soft: *is_soft == 1 })
    }
}
