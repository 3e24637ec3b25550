//! The principal type is [`Successor`]: the process that takes over, as what is kept here sees it.

use std::io;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use unladen_cache::Purge;

use super::wire::{DONE, Forgotten, PURGE, READY, frame};

/// Whoever purges waits for the new process no longer than this; then it is told no more, and trusts nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The process that takes over. What is purged here after it was told what is kept is purged there, too, before
/// whoever purges hears of it: a form that was sent here may be followed by a look at the page there.
#[derive(Debug)]
pub(crate) struct Successor {
    /// None: it has gone, or it was given up.
    stream: Mutex<Option<UnixStream>>,
}

/// Who takes over from a site, if anybody does: shared by all that keep for it.
#[derive(Debug, Default)]
pub(crate) struct SuccessorSlot {
    who: Mutex<Option<(String, Arc<Successor>)>>,
    serves: AtomicBool,
}

// === impl Successor ===

impl Successor {
    /// Not before it has said that it listens, within this time.
    pub(crate) fn new(stream: UnixStream) -> Arc<Self> {
        Arc::new(Self { stream: Mutex::new(Some(stream)) })
    }

    /// Waits until it takes what it is told.
    pub(crate) fn wait(&self, patience: Duration) -> io::Result<()> {
        // What is told to it waits for nothing but this.
        let stream = self.with(|stream| stream.try_clone())?;
        stream.set_read_timeout(Some(patience))?;
        let mut word = [0];
        (&stream).read_exact(&mut word)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(2 * PATIENCE))?;
        if word == [READY] { Ok(()) } else { Err(io::Error::other("it does not know how to take what is kept")) }
    }

    /// Sends whole frames.
    pub(crate) fn send(&self, frames: &[u8]) -> io::Result<()> {
        self.with(|stream| stream.write_all(frames))
    }

    /// Has it forget; returns when it has.
    fn forget(&self, forgotten: &Forgotten) {
        let done = self.with(|stream| {
            stream.write_all(&frame(PURGE, &forgotten.to_bytes())?)?;
            let mut word = [0];
            stream.read_exact(&mut word)?;
            if word == [DONE] { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
        });
        // It sees that the stream ended without a farewell, and doubts all that it has been given.
        drop(done);
    }

    /// Tells it no more.
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

/// Sends what is poured in pieces of whole frames.
impl Write for &Successor {
    fn write(&mut self, frames: &[u8]) -> io::Result<usize> {
        self.send(frames).map(|()| frames.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SuccessorSlot {
    /// Of this name there, or nobody.
    pub(crate) fn set(&self, successor: Option<(String, Arc<Successor>)>) {
        *self.who.lock().unwrap_or_else(PoisonError::into_inner) = successor;
    }

    /// Another process is about to carry requests. What is purged there is not purged here, so that from now on nothing
    /// is answered from memory here, by whichever thread: one may not have heard yet that it is to drain.
    pub(crate) fn begin_to_serve(&self) {
        self.serves.store(true, Ordering::SeqCst);
    }

    /// Whether another process may carry requests already.
    pub(crate) fn serves(&self) -> bool {
        self.serves.load(Ordering::SeqCst)
    }

    /// Passes on what was purged.
    pub(crate) fn forget(&self, purge: &Purge, is_soft: bool) {
        let successor = self.who.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((site, successor)) = successor {
            successor.forget(&Forgotten { site, purge: purge.clone(), is_soft });
        }
    }
}
