//! The principal type is [`Pushed`]: answers for which a database vouches by telling of each change.
//!
//! A connection listens; who asks does so on others. Notifications are numbered as they come in. An answer is remembered
//! with the number of the last one before its question was sent, and holds until one comes that is about it. So one that
//! came while the question was under way ends the answer before anybody is given it. What a notification is about is
//! kept by a hash of its key: of two keys with the same hash, both are forgotten.
//!
//! PostgreSQL tells a session of a change once others can see it, and, if that was before the session asked something
//! itself, no later than with the answer. Each beat of the listening connection therefore vouches for all changes whose
//! `COMMIT` was answered before the beat was sent: remembered answers are given until `heartbeat` after that, and not any
//! longer. That moment is all that requests look at: a process that was stopped for a minute finds it over.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::answers::Answers;
use crate::counts::locked;
use crate::{Question, Version};

/// So many keys are told apart.
const KEYS: usize = 1024;

/// Answers for which a database vouches by telling of each change.
#[derive(Debug)]
pub(crate) struct Pushed {
    base: Instant,
    /// Nanoseconds after the base until which they are vouched for.
    until: AtomicU64,
    /// The number of the last notification.
    last: AtomicU64,
    /// The number of the last one that was about everything.
    everything: AtomicU64,
    /// The same, by key.
    by_key: Box<[AtomicU64]>,
    hasher: RandomState,
    answers: Answers<Mark>,
    /// Which server tells: an answer of another may be from before what this one has told.
    server: Mutex<Option<Arc<str>>>,
    /// Requests that were answered so, by thread.
    found: Box<[OwnLine]>,
}

/// A count with a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct OwnLine(AtomicU64);

/// What an answer is about, and since when it holds.
#[derive(Clone, Copy, Debug)]
struct Mark {
    after: u64,
    /// None: every notification may be about it.
    key: Option<usize>,
}

impl Pushed {
    /// For so many threads. Nothing is vouched for yet.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            base: Instant::now(),
            until: AtomicU64::new(0),
            last: AtomicU64::new(0),
            everything: AtomicU64::new(0),
            by_key: (0..KEYS).map(|_| AtomicU64::new(0)).collect(),
            hasher: RandomState::new(),
            answers: Answers::new(),
            server: Mutex::default(),
            found: (0..threads.max(1)).map(|_| OwnLine::default()).collect(),
        }
    }

    /// Whether remembered answers do for who asks at this time.
    pub(crate) fn vouches(&self, at: Instant) -> bool {
        self.nanoseconds(at) < self.until.load(Acquire)
    }

    /// The answer that still holds.
    pub(crate) fn find(&self, thread: usize, question: &Question, at: Instant) -> Option<Version> {
        if !self.vouches(at) {
            return None;
        }
        let found = self.answers.find(question, |mark| self.holds(mark))?;
        if let Some(count) = self.found.get(thread % self.found.len().max(1)) {
            count.0.fetch_add(1, Relaxed);
        }
        Some(found)
    }

    /// How many were found.
    pub(crate) fn count(&self) -> u64 {
        self.found.iter().map(|count| count.0.load(Relaxed)).sum()
    }

    /// Before a question is sent: what its answer is remembered with.
    pub(crate) fn before(&self) -> u64 {
        self.last.load(Acquire)
    }

    /// An answer of this server to a question that was sent after [`Pushed::before`]. `key`: by what notifications name
    /// it; none: whichever comes is about it.
    pub(crate) fn remember(
        &self,
        question: &Question,
        version: &Version,
        after: u64,
        key: Option<&str>,
        server: Option<&str>,
    ) {
        let mark = Mark { after, key: key.map(|key| self.place(key)) };
        let is_same = server.is_some() && locked(&self.server).as_deref() == server;
        // A page that is not there yet is asked for each time: whoever invents paths would fill the places.
        if is_same && version.is_some() && self.holds(&mark) {
            self.answers.remember(question, version, mark, |mark| self.holds(mark));
        }
    }

    /// A connection listens, to this server. Whatever was told before may have been missed.
    pub(crate) fn begin(&self, server: &str) {
        *locked(&self.server) = Some(server.into());
        self.told("");
    }

    /// Something has changed: all with this key, or everything if it has none. By the listening connection alone.
    pub(crate) fn told(&self, key: &str) {
        let number = self.last.load(Relaxed) + 1;
        let about = if key.is_empty() { Some(&self.everything) } else { self.by_key.get(self.place(key)) };
        if let Some(about) = about {
            about.store(number, Release);
        }
        // After that: who reads this number asks a database in which the change is there.
        self.last.store(number, Release);
    }

    /// The connection was there: all that happened before `until` minus the bound was told.
    pub(crate) fn vouch(&self, until: Instant) {
        self.until.store(self.nanoseconds(until), Release);
    }

    /// The connection is lost, or nobody knows.
    pub(crate) fn lost(&self) {
        self.until.store(0, Release);
    }

    fn holds(&self, mark: &Mark) -> bool {
        let is_told = |about: &AtomicU64| about.load(Acquire) > mark.after;
        match mark.key {
            None => !is_told(&self.last),
            Some(key) => !is_told(&self.everything) && !self.by_key.get(key).is_none_or(is_told),
        }
    }

    fn place(&self, key: &str) -> usize {
        self.hasher.hash_one(key) as usize % KEYS
    }

    fn nanoseconds(&self, at: Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.base).as_nanos()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests;
