//! The principal type is [`Budget`]: what all directions together may hold.

/// Bytes of one direction: 400 MB/s pass with 10 ms.
const LANE: usize = 4 << 20;
/// Bytes of all together.
const ALL: usize = 256 << 20;
/// Bytes that a direction may hold in any case: one that is slow does not stop the others.
const ALWAYS: usize = 64 << 10;

#[derive(Debug, Default)]
pub(crate) struct Budget {
    held: usize,
}

impl Budget {
    /// How many more bytes a direction may take in that holds so many.
    pub(crate) fn room(&self, held: usize) -> usize {
        let of_all = ALL.saturating_sub(self.held).max(ALWAYS.saturating_sub(held));
        LANE.saturating_sub(held).min(of_all)
    }

    pub(crate) fn take(&mut self, bytes: usize) {
        self.held += bytes;
    }

    pub(crate) fn give_back(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_and_all_together_are_bounded() {
        let mut budget = Budget::default();
        assert_eq!(budget.room(0), LANE);
        assert_eq!(budget.room(LANE - 1), 1);
        assert_eq!(budget.room(LANE), 0);
        budget.take(ALL - 10);
        assert_eq!(budget.room(ALWAYS), 10);
        budget.take(10);
        assert_eq!(budget.room(ALWAYS), 0);
        assert_eq!(budget.room(0), ALWAYS, "one that holds nothing goes on");
        budget.give_back(LANE);
        assert_eq!(budget.room(0), LANE);
    }
}
