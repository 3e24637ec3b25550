//! The principal type is [`Batch`]: how many records are asked for at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::BusError;
use crate::purge_bus::BATCH;

/// How many records are asked for at once: [`BATCH`], and half of it whenever an answer took too long. Records have the
/// length that clients give them: over a slow line, the same ones would be asked for again and again.
#[derive(Debug)]
pub(crate) struct Batch(AtomicUsize);

impl Default for Batch {
    fn default() -> Self {
        Self(AtomicUsize::new(BATCH))
    }
}

impl Batch {
    pub(crate) fn size(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// What became of the last one.
    pub(crate) fn judge<T>(&self, read: Result<T, BusError>) -> Result<T, BusError> {
        let now = self.size();
        match &read {
            Ok(_) => self.0.store((now * 2).min(BATCH), Ordering::Relaxed),
            Err(BusError::Timeout) => self.0.store((now / 2).max(1), Ordering::Relaxed),
            Err(_) => {}
        }
        read
    }
}

#[cfg(test)]
mod tests;
