//! The principal type is [`State`]: what has been asked so far.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use crate::AskError;

/// What has been asked since the start, for metrics and the live page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct State {
    /// Questions sent to the source.
    pub asked: u64,
    /// Requests that waited for an answer to another's question.
    pub shared: u64,
    /// Questions answered, those whose answer is that there is no row included.
    pub answered: u64,
    /// Questions not answered, those in `timeouts` included.
    pub failed: u64,
    /// Questions not answered in time.
    pub timeouts: u64,
    /// Requests that a remembered answer did for, as notifications vouch for it, or as it is young enough.
    pub remembered: u64,
    /// Questions that another node's answer did for.
    pub from_others: u64,
    /// Questions for which the engine was of no use that nodes share answers by.
    pub share_failed: u64,
    /// Whether answers can be shared; none: they are not to be.
    pub is_sharing: Option<bool>,
    /// Requests of clients that had just changed something: they were asked for all the same.
    pub bypassed: u64,
    /// Whether notifications are heard; none: nobody listens to any.
    pub is_listening: Option<bool>,
    /// What went wrong last.
    pub last_error: Option<String>,
}

/// Counts.
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

/// A mutex of which nothing is left half done by a panic.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A text that is cheap to pass on.
pub(crate) fn text(text: impl Into<String>) -> Arc<str> {
    text.into().into()
}
