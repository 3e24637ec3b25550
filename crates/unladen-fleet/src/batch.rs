//! The principal type is [`Batch`]: how many records are requested at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::BusError;
use crate::purge_bus::BATCH;

/// How many records are requested at once: [`BATCH`], halved whenever an answer took too long. Clients choose the
/// length of records: over a slow line, the same ones would be requested again and again.
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
