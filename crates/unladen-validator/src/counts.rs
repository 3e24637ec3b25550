//! The principal type is [`State`]: counters of questions; and [`SharedCounts`], those of shared answers.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use crate::AskError;

/// Counters since the start, for metrics and the live page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct State {
    pub asked: u64,
    /// Requests that waited for an answer to another's question.
    pub shared: u64,
    /// Questions answered, including those without a row.
    pub answered: u64,
    /// Questions not answered, including those in `timeouts`.
    pub failed: u64,
    pub timeouts: u64,
    /// Requests served by a remembered answer, which notifications vouch for, or which is recent enough.
    pub remembered: u64,
    /// Questions answered from another node's answer.
    pub from_others: u64,
    /// Questions for which the engine that shares answers was of no use.
    pub share_failed: u64,
    /// Whether answers can be shared; `None` if sharing is off.
    pub is_sharing: Option<bool>,
    /// Requests of clients that had just changed something: asked despite a remembered answer.
    pub bypassed: u64,
    /// Whether notifications are received; `None` if nobody listens.
    pub is_listening: Option<bool>,
    pub last_error: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    asked: AtomicU64,
    shared: AtomicU64,
    answered: AtomicU64,
    failed: AtomicU64,
    timeouts: AtomicU64,
    bypassed: AtomicU64,
    last_error: Mutex<Option<AskError>>,
}

impl Counts {
    pub(crate) fn asked(&self) {
        self.asked.fetch_add(1, Relaxed);
    }

    pub(crate) fn shared(&self) {
        self.shared.fetch_add(1, Relaxed);
    }

    pub(crate) fn answered(&self) {
        self.answered.fetch_add(1, Relaxed);
    }

    pub(crate) fn bypassed(&self) {
        self.bypassed.fetch_add(1, Relaxed);
    }

    pub(crate) fn failed(&self, error: &AskError) {
        self.failed.fetch_add(1, Relaxed);
        if *error == AskError::Timeout {
            self.timeouts.fetch_add(1, Relaxed);
        }
        *locked(&self.last_error) = Some(error.clone());
    }

    pub(crate) fn state(&self) -> State {
        State {
            asked: self.asked.load(Relaxed),
            shared: self.shared.load(Relaxed),
            answered: self.answered.load(Relaxed),
            failed: self.failed.load(Relaxed),
            timeouts: self.timeouts.load(Relaxed),
            remembered: 0,
            from_others: 0,
            share_failed: 0,
            is_sharing: None,
            bypassed: self.bypassed.load(Relaxed),
            is_listening: None,
            last_error: locked(&self.last_error).as_ref().map(ToString::to_string),
        }
    }
}

/// Locks a mutex whose data a panic cannot leave inconsistent.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn text(text: impl Into<String>) -> Arc<str> {
    text.into().into()
}

#[derive(Debug, Default)]
pub(crate) struct SharedCounts {
    /// Questions answered from another node's answer.
    pub(crate) from_others: AtomicU64,
    /// Questions for which the engine was of no use.
    pub(crate) failed: AtomicU64,
    /// Requests answered from local memory.
    pub(crate) remembered: AtomicU64,
    up: AtomicUsize,
    pub(crate) last_error: Mutex<Option<String>>,
}

impl SharedCounts {
    /// Counts a working connection until the returned guard is dropped.
    pub(super) fn up(self: &Arc<Self>) -> Up {
        self.up.fetch_add(1, Release);
        Up(self.clone())
    }

    pub(crate) fn is_up(&self) -> bool {
        self.up.load(Acquire) > 0
    }
}

pub(crate) struct Up(Arc<SharedCounts>);

impl Drop for Up {
    fn drop(&mut self) {
        self.0.up.fetch_sub(1, Release);
    }
}
