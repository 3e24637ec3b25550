//! The principal type is [`Pushed`]: answers that a database vouches for by notifying each change.
//!
//! One connection listens; others ask. Notifications are numbered as they arrive. An answer is remembered with the last
//! number before its question was sent, and holds until a notification concerns it. So one that arrives while the
//! question is under way ends the answer before anybody gets it. A notification's subject is kept as a hash of its key:
//! of two keys with the same hash, both are forgotten.
//!
//! PostgreSQL notifies a session of a change once others can see it, and, if that was before the session's own query,
//! no later than with its answer. Each heartbeat of the listening connection therefore vouches for all changes whose
//! `COMMIT` was answered before it was sent: remembered answers hold until `heartbeat` after that, and no longer.
//! Requests look only at that moment: a process that was stopped for a minute finds it passed.

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

const KEYS: usize = 1024;

/// Answers that a database vouches for by notifying each change.
#[derive(Debug)]
pub(crate) struct Pushed {
    base: Instant,
    /// Nanoseconds after the base until which they are vouched for.
    until: AtomicU64,
    last: AtomicU64,
    /// The number of the last one that concerned everything.
    everything: AtomicU64,
    /// The same, by key.
    by_key: Box<[AtomicU64]>,
    hasher: RandomState,
    answers: Answers<Mark>,
    /// The server that notifies: another's answer may be older than this one's notifications.
    server: Mutex<Option<Arc<str>>>,
    /// Requests answered from memory, by thread.
    found: Box<[OwnLine]>,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct OwnLine(AtomicU64);

/// What an answer concerns, and since when it holds.
#[derive(Clone, Copy, Debug)]
struct Mark {
    after: u64,
    /// `None` if every notification may concern it.
    key: Option<usize>,
}

impl Pushed {
    /// Nothing is vouched for yet.
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

    /// Whether remembered answers are valid for a request at this time.
    pub(crate) fn vouches(&self, at: Instant) -> bool {
        self.nanoseconds(at) < self.until.load(Acquire)
    }

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

    pub(crate) fn count(&self) -> u64 {
        self.found.iter().map(|count| count.0.load(Relaxed)).sum()
    }

    /// Call before a question is sent: the mark that its answer is remembered with.
    pub(crate) fn before(&self) -> u64 {
        self.last.load(Acquire)
    }

    /// Remembers this server's answer to a question sent after [`Pushed::before`]. `key`: its name in notifications;
    /// `None` if every one concerns it.
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
        // A missing page is asked for each time: clients with invented paths would fill the places.
        if is_same && version.is_some() && self.holds(&mark) {
            self.answers.remember(question, version, mark, |mark| self.holds(mark));
        }
    }

    /// A connection listens to this server. Earlier notifications may have been missed.
    pub(crate) fn begin(&self, server: &str) {
        *locked(&self.server) = Some(server.into());
        self.told("");
    }

    /// Records a change: of all with this key, or of everything if it is empty. For the listening connection alone.
    pub(crate) fn told(&self, key: &str) {
        let number = self.last.load(Relaxed) + 1;
        let about = if key.is_empty() { Some(&self.everything) } else { self.by_key.get(self.place(key)) };
        if let Some(about) = about {
            about.store(number, Release);
        }
        // Last: who reads this number asks a database in which the change is visible.
        self.last.store(number, Release);
    }

    /// The connection was alive: all changes before `until` minus the bound were notified.
    pub(crate) fn vouch(&self, until: Instant) {
        self.until.store(self.nanoseconds(until), Release);
    }

    /// The connection is lost, or its state unknown.
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
