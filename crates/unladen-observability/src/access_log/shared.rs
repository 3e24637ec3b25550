//! The principal type is [`Shared`]: what the threads that carry requests and the access log's own thread know of each
//! other, besides the queue of [`Message`]s.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::line;
use super::sink::Sink;
use crate::troubles::Troubles;
use crate::{Addresses, LogFields, LogSettings};

/// Lines that wait to be written: 40 ms of 200,000 a second, of which the writer takes those of each 20 ms. At most 64
/// MiB.
pub(super) const QUEUE: usize = 8 * 1024;

/// What the writer is told, in order: a line goes where those before it were told to go.
#[derive(Debug)]
pub(super) enum Message {
    Line(Vec<u8>),
    Next(Next),
}

/// What the threads and the writer know of each other besides.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// The share of requests that is logged, as bits of an f64; those of a negative number: none at all, failures
    /// neither.
    pub(super) share: AtomicU64,
    /// Which fields a line has, as bits of [`LogFields`].
    pub(super) fields: AtomicU32,
    /// What of addresses it has, as a place in [`Addresses::WORDS`].
    pub(super) addresses: AtomicU8,
    /// What had no place in the queue: the writer looks here too.
    pub(super) next: Mutex<Option<Next>>,
    /// How often the writer was told something.
    pub(super) told: AtomicU64,
    pub(super) written: AtomicU64,
    pub(super) lost_full: AtomicU64,
    pub(super) lost_write: AtomicU64,
    /// Where it is told that lines are lost.
    pub(super) troubles: Troubles,
}

/// What the writer is to do from now on.
#[derive(Debug)]
pub(super) struct Next {
    /// Counted up: what came another way must not undo what was told later.
    pub(super) number: u64,
    /// None: to stop.
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

/// A thread that panicked has left what it guards as it was.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
