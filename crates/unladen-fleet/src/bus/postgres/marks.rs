//! The principal type is [`Marks`]: marks of recently read or written records.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Position;

/// Maximum: more than a batch, so that the current position is included.
const MOST: usize = 2048;

/// Marks of recently read or written records, which show whether a position is unchanged.
#[derive(Debug, Default)]
pub(super) struct Marks(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    epoch: String,
    marks: VecDeque<(u64, i64)>,
}

impl Marks {
    pub(super) fn put(&self, epoch: &str, index: u64, mark: i64) {
        let mut known = self.known();
        if known.epoch != epoch {
            *known = Known { epoch: epoch.to_owned(), marks: VecDeque::new() };
        }
        // Written records are read later.
        if known.marks.iter().rev().any(|(other, _)| *other == index) {
            return;
        }
        if known.marks.len() == MOST {
            known.marks.pop_front();
        }
        known.marks.push_back((index, mark));
    }

    /// `None` if it is unknown, as after a start.
    pub(super) fn of(&self, position: &Position) -> Option<i64> {
        let known = self.known();
        if known.epoch != position.epoch() {
            return None;
        }
        known.marks.iter().rev().find(|(index, _)| *index == position.index()).map(|(_, mark)| *mark)
    }

    pub(super) fn forget(&self) {
        *self.known() = Known::default();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
