//! The principal type is [`TierCounts`]: what became of questions between the nodes of a tier.

use std::sync::atomic::{AtomicU64, Ordering};

/// What became of questions between the nodes of a tier, as one of them saw it.
#[derive(Debug, Default)]
pub struct TierCounts {
    asked: [AtomicU64; 3],
    answering: [AtomicU64; 3],
    strangers: AtomicU64,
}

/// What became of a question to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Answered,
    /// It did not, and said so: the application is asked from here.
    Refused,
    /// It could not be reached, or gave no sign in time; likewise.
    Failed,
}

/// What became of a peer's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    Answered,
    /// What it asked for is nothing that nodes give each other, or could not be had.
    Refused,
    /// The peer has forgotten more than this node.
    Behind,
}

/// The same at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TierState {
    /// As [`Asked`] has them.
    pub asked: [u64; 3],
    /// As [`Answering`] has them.
    pub answering: [u64; 3],
    /// Requests that had a wrong secret.
    pub strangers: u64,
}

impl TierCounts {
    /// A peer was asked.
    pub fn asked(&self, what: Asked) {
        count(self.asked.get(what as usize));
    }

    /// A peer has asked.
    pub fn answering(&self, what: Answering) {
        count(self.answering.get(what as usize));
    }

    /// Somebody has asked as a peer does, and is none.
    pub fn stranger(&self) {
        count(Some(&self.strangers));
    }

    /// All of it.
    pub fn state(&self) -> TierState {
        let read = |counts: &[AtomicU64; 3]| counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        TierState {
            asked: read(&self.asked),
            answering: read(&self.answering),
            strangers: self.strangers.load(Ordering::Relaxed),
        }
    }
}

fn count(counter: Option<&AtomicU64>) {
    if let Some(counter) = counter {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
