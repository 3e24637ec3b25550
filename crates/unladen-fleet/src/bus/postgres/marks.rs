//! The principal type is [`Marks`]: the marks of the records that were read or written last.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Position;

/// So many: more than a batch, so that the place where it is read on is among them.
const MOST: usize = 2048;

/// The marks of the records that were read or written last, by which is seen whether a position is still what it was.
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
        // What was written is read later.
        if known.marks.iter().rev().any(|(other, _)| *other == index) {
            return;
        }
        if known.marks.len() == MOST {
            known.marks.pop_front();
        }
        known.marks.push_back((index, mark));
    }

    /// None: it is not known, as after a start.
    pub(super) fn of(&self, position: &Position) -> Option<i64> {
        let known = self.known();
        if known.epoch != position.epoch() {
            return None;
        }
        known.marks.iter().rev().find(|(index, _)| *index == position.index()).map(|(_, mark)| *mark)
    }

    /// None of them counts any more.
    pub(super) fn forget(&self) {
        *self.known() = Known::default();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
