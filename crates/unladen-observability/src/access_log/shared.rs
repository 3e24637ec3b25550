//! The principal type is [`Shared`]: state shared by the threads that carry requests and the access log's own thread,
//! besides the queue of [`Message`]s.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::line;
use super::sink::Sink;
use crate::troubles::Troubles;
use crate::{Addresses, LogFields, LogSettings};

/// Maximum of waiting lines: 40 ms at 200,000 a second; the writer takes them every 20 ms. At most 64 MiB.
pub(super) const QUEUE: usize = 8 * 1024;

/// Message to the writer, in order: each line goes to the sink that was set before it.
#[derive(Debug)]
pub(super) enum Message {
    Line(Vec<u8>),
    Next(Next),
}

#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Logged share of requests, as bits of an f64; negative if nothing is logged, not even failures.
    pub(super) share: AtomicU64,
    pub(super) fields: AtomicU32,
    /// Index into [`Addresses::WORDS`].
    pub(super) addresses: AtomicU8,
    /// A command that found no room in the queue: the writer looks here too.
    pub(super) next: Mutex<Option<Next>>,
    pub(super) told: AtomicU64,
    pub(super) written: AtomicU64,
    pub(super) lost_full: AtomicU64,
    pub(super) lost_write: AtomicU64,
    pub(super) troubles: Troubles,
}

#[derive(Debug)]
pub(super) struct Next {
    /// Sequence number: a command that came another way must not undo a later one.
    pub(super) number: u64,
    pub(super) sink: Option<Sink>,
}

impl Shared {
    pub(super) fn set_shape(&self, settings: &LogSettings) {
        let addresses = Addresses::WORDS.iter().position(|(_, meaning)| *meaning == settings.addresses);
        self.fields.store(settings.fields.to_bits(), Ordering::Relaxed);
        self.addresses.store(addresses.and_then(|place| place.try_into().ok()).unwrap_or_default(), Ordering::Relaxed);
    }

    pub(super) fn shape(&self) -> line::Shape {
        let addresses = Addresses::WORDS.get(usize::from(self.addresses.load(Ordering::Relaxed)));
        line::Shape {
            fields: LogFields::from_bits(self.fields.load(Ordering::Relaxed)),
            addresses: addresses.map_or(Addresses::None, |(_, meaning)| *meaning),
        }
    }
}

/// A thread that panicked has left the guarded value valid.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
