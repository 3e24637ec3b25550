//! The principal type is [`Successor`]: the process that takes over, as the cache sees it.

use std::io;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use unladen_cache::Purge;

use super::wire::{DONE, Forgotten, PURGE, READY, frame};

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

// === impl Successor ===

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
        if word == [READY] { Ok(()) } else { Err(io::Error::other("it does not know how to take what is kept")) }
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
