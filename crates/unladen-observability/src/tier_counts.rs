//! The principal type is [`TierCounts`]: results of requests between the nodes of a tier.

use std::sync::atomic::{AtomicU64, Ordering};

/// Results of requests between the nodes of a tier, as seen by one of them.
#[derive(Debug, Default)]
pub struct TierCounts {
    asked: [AtomicU64; 3],
    answering: [AtomicU64; 3],
    strangers: AtomicU64,
}

/// Result of a request to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Answered,
    /// The peer refused: this node asks the application.
    Refused,
    /// It could not be reached, or did not react in time: likewise.
    Failed,
}

/// Result of a peer's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    Answered,
    /// Not something that nodes share, or not available.
    Refused,
    /// The peer has forgotten more than this node.
    Behind,
}

/// Counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TierState {
    pub asked: [u64; 3],
    pub answering: [u64; 3],
    pub strangers: u64,
}

impl TierCounts {
    /// Counts a request to a peer.
    pub fn asked(&self, what: Asked) {
        self.asked[what as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a peer's request.
    pub fn answering(&self, what: Answering) {
        self.answering[what as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a peer request with a wrong secret.
    pub fn stranger(&self) {
        self.strangers.fetch_add(1, Ordering::Relaxed);
    }

    /// Current counts.
    pub fn state(&self) -> TierState {
        let read = |counts: &[AtomicU64; 3]| counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        TierState {
            asked: read(&self.asked),
            answering: read(&self.answering),
            strangers: self.strangers.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests;
